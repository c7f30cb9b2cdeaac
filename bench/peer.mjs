// onnxruntime-node as bench/models.py times it.  usage: node peer.mjs GRAPH THREADS FOLDER
//
// Reads FOLDER/inputs.json, then as bench_models does. The package is found from the folder this is run in, or NODE_PATH.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';

const memory = (what) => 1024 * Number(RegExp(`${what}:\\s*(\\d+)`).exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);
const seconds = (start) => Number(process.hrtime.bigint() - start) / 1e9;

const require = createRequire(`${process.cwd()}/`);
const ort = require('onnxruntime-node');
const version = require('onnxruntime-node/package.json').version;
const [graph, threads, folder] = process.argv.slice(2);
const arrays = { float32: Float32Array, int64: BigInt64Array, bool: Uint8Array };
const given = JSON.parse(readFileSync(`${folder}/inputs.json`, 'utf8')).map(({ name, dtype, extents, file }) => {
  const bytes = readFileSync(`${folder}/${file}`);
  const elements = new arrays[dtype](bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  return [name, new ort.Tensor(dtype, elements, extents)];
});
try {
  writeFileSync('/proc/self/clear_refs', '5');  // VmHWM counts from here
} catch {}  // then what the imports took at most counts too
const before = memory('VmRSS'), opening = process.hrtime.bigint();
const session = await ort.InferenceSession.create(graph, {
  intraOpNumThreads: Number(threads), interOpNumThreads: 1,
  extra: { session: { force_spinning_stop: '1' } },  // as peer.py says
});
const inputs = Object.fromEntries(given.filter(([name]) => session.inputNames.includes(name)));
await session.run(inputs);
const ready = { name: `onnxruntime-node ${version}`, seconds: seconds(opening), peak: memory('VmHWM') - before };
console.log('ready', JSON.stringify(ready));
for await (const line of createInterface({ input: process.stdin })) {
  const taken = [];
  for (let n = Number(line); n > 0; --n) {
    const start = process.hrtime.bigint();
    await session.run(inputs);
    taken.push(seconds(start));
  }
  console.log(taken.join(' '));
}
