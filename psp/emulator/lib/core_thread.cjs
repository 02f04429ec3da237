// A thread of the core: gives the core's script the surroundings of a web worker inside a Node thread.
const fs = require('node:fs');
const { parentPort, workerData } = require('node:worker_threads');

globalThis.self = globalThis;
globalThis.name = 'em-pthread'; // how the script knows that it runs as a thread
globalThis.WorkerGlobalScope = class {};
globalThis.location = { href: `file://${workerData.scriptPath}`, protocol: 'file:', host: '', pathname: workerData.scriptPath };
globalThis.navigator ??= { hardwareConcurrency: 2, userAgent: 'node' };
globalThis.postMessage = (message, transfer) => parentPort.postMessage(message, transfer);

// Messages that arrive before the script has set its handler wait for it.
let handler = null;
const waiting = [];
parentPort.on('message', (data) => (handler ? handler({ data }) : waiting.push(data)));
Object.defineProperty(globalThis, 'onmessage', {
  get: () => handler,
  set: (value) => {
    handler = value;
    while (handler && waiting.length > 0) handler({ data: waiting.shift() });
  },
});

// "process" and the module names are hidden, or the script would take itself to be in Node.
new Function('process', 'require', 'module', 'exports', fs.readFileSync(workerData.scriptPath, 'utf8'))();
