// prog.js -- sums numbers, again and again.
function sum(n) {
	let s = 0;
	for (let i = 0; i < n; i++) s += i & 7;
	return s;
}
let all = 0;
for (let k = 0; k < 200; k++) all += sum(10000); // ROUNDS
console.log(all);
