// Modules whose workers share their work, run by Node and on a page.  usage: node threads.mjs LOAM SOURCE WORK [CHROMIUM]
//
// A result has the same bits whatever computes it: one thread or several, with shared memory or without.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

import { build, work } from './build.mjs';

const chromium = process.argv[5];

const graph = `<ir_version: 8, opset_import: ["" : 17]>
shared (float[rows, 96] x, float[96, 96] w) => (float[rows, 96] y, float[rows, 96] z) {
  h = MatMul (x, w)
  y = Softmax <axis = -1> (h)
  s = Sin (h)
  z = MatMul (s, w)
}
`;
const rows = 700;  // some parts of each kernel
const fill = (count) => Float32Array.from({ length: count }, (_, i) => ((i * 37) % 101 - 50) / 64);
const given = { x: { data: fill(rows * 96), shape: [rows, 96] }, w: { data: fill(96 * 96), shape: [96, 96] } };
const bits = ({ y, z }) => Buffer.concat([y, z].map(({ data }) => Buffer.from(data.buffer)));

mkdirSync(work, { recursive: true });
writeFileSync(join(work, 'shared.onnxtext'), graph);
const { folder, module, builds } = await build('shared', join(work, 'shared.onnxtext'), '--layout', 'auto', '--wasm-threads');
const read = (file) => readFileSync(join(folder, file));
const threaded = (file) => file.replace(/wasm$/, 'threads.wasm');

test('one, two and four threads give the bits that a build without them gives', async () => {
  assert.equal(module.threadsFile, threaded(module.wasmFile));
  for (const { file, wasm } of builds) {
    const alone = await module.load(wasm, undefined, { threads: 4 });
    assert.equal(alone.threads, 1, 'this build has no others');
    const expected = bits(alone.forward(given));
    for (const threads of [1, 2, 4]) {
      const model = await module.load(read(threaded(file)), undefined, { threads });
      assert.equal(model.threads, threads);
      for (let turn = 0; turn < 50; ++turn)
        assert.ok(bits(model.forward(given)).equals(expected), `${threaded(file)}, ${threads} threads, turn ${turn}`);
      // A refusal harms nothing, and memory that grows is seen by all.
      assert.throws(() => model.forward({ ...given, w: { data: fill(96), shape: [96, 1] } }), module.Refusal);
      const long = { ...given, x: { data: fill(20_000 * 96), shape: [20_000, 96] } };
      assert.deepEqual(model.forward(long).y.shape, [20_000, 96]);
      assert.ok(bits(model.forward(given)).equals(expected));
      model.close();
      assert.throws(() => model.forward(given), /closed/);
    }
    const model = await module.load(read(threaded(file)));
    assert.equal(model.threads, 1, 'where none are asked for');
    model.close();
  }
});

test('workers compute parts, and one that ends within its part ends the call', async () => {
  const compiled = new WebAssembly.Module(read(threaded('shared.wasm')));
  assert.deepEqual(WebAssembly.Module.imports(compiled), [{ module: 'env', name: 'memory', kind: 'memory' }]);
  const memory = new WebAssembly.Memory({ initial: 64, maximum: 65536, shared: true });
  const { exports } = new WebAssembly.Instance(compiled, { env: { memory } });
  exports._initialize();
  exports.loam_threads(2, true);
  const model = exports.loam_load(exports.loam_allocate(16), 0);
  const place = (tensor, { data, shape }) => {
    const at = exports.loam_allocate(data.byteLength);
    new Float32Array(memory.buffer, at, data.length).set(data);
    const view = new DataView(memory.buffer, tensor, 88);
    [1, 2].forEach((number, i) => view.setInt32(4 * i, number, true));
    shape.forEach((extent, i) => view.setBigInt64(8 + 8 * i, BigInt(extent), true));
    view.setUint32(72, at, true);
    view.setBigUint64(80, BigInt(data.byteLength), true);
  };
  const tensors = exports.loam_allocate(4 * 88);
  place(tensors, given.x);
  place(tensors + 88, given.w);
  const forward = () => exports.loam_forward(model, tensors, tensors + 2 * 88);
  assert.equal(forward(), 0);
  // A worker without a stack: its first part reaches below the memory's beginning.
  const worker = new Worker(`
    const { workerData: { compiled, memory }, parentPort } = require('node:worker_threads');
    const { exports } = new WebAssembly.Instance(compiled, { env: { memory } });
    exports.__stack_pointer.value = 0;
    try { exports.loam_serve(); } catch { exports.loam_lose(); }`, { eval: true, workerData: { compiled, memory } });
  await once(worker, 'online');
  assert.throws(() => {
    for (const end = Date.now() + 60_000; Date.now() < end;) forward();
  }, WebAssembly.RuntimeError);
  await worker.terminate();
});

// Runs `script` on a page, in files of `folder`, and gives what it makes.
async function onPage(script, headers) {
  const page = `<!doctype html><script type="module">
    const send = (body) => fetch('/said', { method: 'POST', body: JSON.stringify(body) });
    try { ${script} } catch (error) { await send({ error: String(error) }); }
  </script>`;
  let say;
  const said = new Promise((resolve) => { say = resolve; });
  const kinds = { js: 'text/javascript', wasm: 'application/wasm' };
  const server = createServer(async (request, response) => {
    const name = request.url.slice(1);
    response.setHeader('Content-Type', kinds[name.split('.').at(-1)] ?? 'text/html');
    for (const [header, value] of Object.entries(headers)) response.setHeader(header, value);
    if (name === 'said') {
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      say(JSON.parse(Buffer.concat(chunks).toString()));
      response.end();
    } else if (/^shared[.a-z]*$/.test(name)) response.end(read(name));
    else response.writeHead(name ? 404 : 200).end(name ? '' : page);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const profile = mkdtempSync(join(tmpdir(), 'loam-page-'));
  const browser = execFile(chromium, ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage',
    '--no-first-run', `--user-data-dir=${profile}`, `http://127.0.0.1:${server.address().port}/`], () => say({ error: 'the browser ended' }));
  const result = await said;
  const ended = once(browser, 'exit');
  browser.kill();
  await ended;
  server.closeAllConnections();
  server.close();
  // Its children write on for a moment, and what comes after a look at the folder keeps it from going.
  for (let tries = 0; existsSync(profile); ++tries)
    try {
      rmSync(profile, { recursive: true, force: true });
    } catch (error) {
      if (tries === 100) throw error;
      await setTimeout(100);
    }
  assert.equal(result.error, undefined);
  return result;
}

const script = `
  const { load, wasmFile, threadsFile } = await import('/shared.js');
  const bytes = async (file) => (await fetch(file)).arrayBuffer();
  const fill = ${fill};
  const given = { x: { data: fill(${rows * 96}), shape: [${rows}, 96] }, w: { data: fill(96 * 96), shape: [96, 96] } };
  const alone = await load(await bytes(wasmFile));
  const expected = alone.forward(given);
  const model = await load(await bytes(threadsFile), undefined, { threads: 3 });
  let differ = 0;
  for (let turn = 0; turn < 30; ++turn) {
    const found = model.forward(given);
    for (const name of ['y', 'z']) found[name].data.forEach((x, i) => { differ += !Object.is(x, expected[name].data[i]); });
  }
  await send({ files: [wasmFile, threadsFile], threads: model.threads, differ });
  model.close();`;

const skip = chromium ? false : 'this machine lacks chromium';
test('a page that is cross-origin isolated has threads', { skip }, async () => {
  const isolated = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' };
  assert.deepEqual(await onPage(script, isolated),
    { files: ['shared.relaxed.wasm', 'shared.relaxed.threads.wasm'], threads: 3, differ: 0 });
});

test('a page that is not computes the same on one thread', { skip }, async () => {
  assert.deepEqual(await onPage(script, {}), { files: ['shared.relaxed.wasm', 'shared.relaxed.wasm'], threads: 1, differ: 0 });
});
test('a page whose policy allows no worker computes the same on one thread', { skip }, async () => {
  const { threads, differ } = await onPage(script, { 'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Embedder-Policy': 'require-corp', 'Content-Security-Policy': "worker-src 'none'" });
  assert.deepEqual({ threads, differ }, { threads: 1, differ: 0 });
});
