// onnxruntime-node as bench/models.py times it.  usage: node peer.mjs GRAPH THREADS FOLDER
//
// Reads FOLDER/inputs.json, prints "ready" and the version; then as bench_models does. The package is found from the
// folder this is run in, or NODE_PATH.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';

const require = createRequire(`${process.cwd()}/`);
const ort = require('onnxruntime-node');
const version = require('onnxruntime-node/package.json').version;
const [graph, threads, folder] = process.argv.slice(2);
const session = await ort.InferenceSession.create(graph, { intraOpNumThreads: Number(threads), interOpNumThreads: 1 });
const arrays = { float32: Float32Array, int64: BigInt64Array, bool: Uint8Array };
const inputs = {};
for (const given of JSON.parse(readFileSync(`${folder}/inputs.json`, 'utf8'))) {
  if (!session.inputNames.includes(given.name)) continue;
  const bytes = readFileSync(`${folder}/${given.file}`);
  const elements = new arrays[given.dtype](bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  inputs[given.name] = new ort.Tensor(given.dtype, elements, given.extents);
}
await session.run(inputs);
console.log('ready onnxruntime-node', version);
for await (const line of createInterface({ input: process.stdin })) {
  const taken = [];
  for (let n = Number(line); n > 0; --n) {
    const start = process.hrtime.bigint();
    await session.run(inputs);
    taken.push(Number(process.hrtime.bigint() - start) / 1e9);
  }
  console.log(taken.join(' '));
}
