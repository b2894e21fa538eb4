function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
console.log(fib(27));
const a = []; for (let i = 0; i < 100000; i++) a.push((i * 7919) % 10007);
a.sort((x, y) => x - y); console.log(a[0], a[50000], a[99999]);
const m = new Map(); for (let i = 0; i < 50000; i++) { const k = "k" + (i % 997); m.set(k, (m.get(k) || 0) + i); }
console.log(m.get("k7"), JSON.stringify({ a: [1, 2, 3], s: "x".repeat(5) }));
const w = new Float64Array(10000);
for (let k = 0; k < 50; k++) for (let i = 0; i < w.length; i++) w[i] += Math.sin(i * k) / (i + 1);
console.log(w.reduce((x, y) => x + y, 0).toFixed(9));
console.log(require("crypto").createHash("sha256").update("x".repeat(10000)).digest("hex"));
class P { constructor(x) { this.x = x; } get d() { return this.x * 2; } }
let s = 0; for (let i = 0; i < 300000; i++) s += new P(i % 10).d; console.log(s);
(async () => { for (let i = 0; i < 3; i++) await null; console.log("async", (await require("fs").promises.readFile(__filename)).length); })();
