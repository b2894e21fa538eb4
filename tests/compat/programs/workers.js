const { Worker, isMainThread, parentPort, workerData } = require("worker_threads");
if (isMainThread) {
	let left = 3, sum = 0;
	for (let i = 0; i < 3; i++)
		new Worker(__filename, { workerData: i }).on("message", (v) => { sum += v; if (!--left) console.log("sum", sum); });
} else {
	let s = 0; for (let i = 0; i < 200000; i++) s += i % (workerData + 2);
	parentPort.postMessage(s);
}
