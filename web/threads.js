
// Threads: workers that share the module's memory and take parts of its kernels' work (runtime/threads.hpp), in Node and
// on a page that is cross-origin isolated.
const shares = typeof SharedArrayBuffer === 'function' && globalThis.crossOriginIsolated !== false;
export const threadsFile = shares ? wasmFile.replace(/wasm$/, 'threads.wasm') : wasmFile;
const stackBytes = 1 << 20;  // a worker's, as much as the caller has

// What a worker runs, on a page and in Node. It is an instance of the same module, on a stack of its own.
const workerText = `
const port = globalThis.postMessage ? globalThis : require('node:worker_threads').parentPort;
port.onmessage = async ({ data: { compiled, memory, stack } }) => {
  const { exports } = await WebAssembly.instantiate(compiled, { env: { memory } });
  exports.__stack_pointer.value = stack;
  port.postMessage('ready');
  try { exports.loam_serve(); } catch { exports.loam_lose(); }
};`;

function startWorker() {
  const node = globalThis.process?.getBuiltinModule?.('node:worker_threads');
  if (node) {
    const worker = new node.Worker(workerText, { eval: true });
    worker.unref();
    return worker;
  }
  const url = URL.createObjectURL(new Blob([workerText], { type: 'text/javascript' }));
  const worker = new Worker(url);
  worker.addEventListener('message', () => URL.revokeObjectURL(url));
  return worker;
}

// A worker that has begun; undefined where none could.
const begun = (message) => new Promise((resolve) => {
  try {
    const worker = startWorker();
    const on = (event, then) => worker.on?.(event, then) ?? worker.addEventListener(event, then);
    on('message', () => resolve(worker));
    on('error', () => resolve(undefined));
    worker.postMessage(message);
  } catch {
    resolve(undefined);
  }
});

// All that wasm32 can have, or what the engine grants.
function sharedMemory() {
  for (let maximum = 65536; ; maximum /= 2)
    try {
      return new WebAssembly.Memory({ initial: module.pages, maximum, shared: true });
    } catch (error) {
      if (maximum / 2 < module.pages) throw error;
    }
}

function maySleep() {
  try {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 0);
    return true;
  } catch {
    return false;  // a page's main thread
  }
}

module.start = async (wasm, count) => {
  const compiled = wasm instanceof WebAssembly.Module ? wasm : await WebAssembly.compile(wasm);
  if (WebAssembly.Module.imports(compiled).length === 0) return startAlone(compiled);
  if (!shares) throw new Error(`${module.name}: is the build with threads, and this page is not cross-origin isolated`);
  const memory = sharedMemory();
  const { exports } = await WebAssembly.instantiate(compiled, { env: { memory } });
  exports._initialize();
  const stacks = Array.from({ length: Math.max(0, count - 1) }, () => exports.loam_allocate(stackBytes) >>> 0);
  const started = await Promise.all(stacks.filter((at) => at !== 0)
    .map((at) => begun({ compiled, memory, stack: at + stackBytes })));
  const workers = started.filter((worker) => worker !== undefined);
  exports.loam_threads(workers.length + 1, maySleep());
  return { exports, workers };
};
