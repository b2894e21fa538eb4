// Objects, strings, closures and integer arithmetic, long enough for the compilers of the engine.
const n = Number(process.argv[2] || 300000);
class Account {
	constructor(name) { this.name = name; this.balance = 0; }
	move(amount) { this.balance += amount; return this.balance; }
}
const accounts = Array.from({ length: 50 }, (_, i) => new Account("a" + i));
for (let i = 0; i < n; i++)
	accounts[i * 7 % 50].move(i % 13 - 6);
const table = new Map();
for (let i = 0; i < n / 4; i++)
	table.set("k" + i, i * i % 97);
const words = [...table.entries()].map(([k, v]) => k + ":" + v).join(" ").match(/k\d+:\d/g);
const sorted = Array.from({ length: n / 2 }, (_, i) => i * 7919 % 10007).sort((a, b) => a - b);
let x = 0;
for (let i = 0; i < n * 20; i++)
	x = (x * 31 + i) % 65521;
console.log(words.length, sorted[sorted.length >> 1], x, accounts.reduce((s, a) => s + a.balance, 0));
