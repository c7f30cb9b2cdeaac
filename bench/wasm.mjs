// A model's WebAssembly module, or onnxruntime-web, as bench/models.py --wasm times them.
//
//   node wasm.mjs loam MODULE.js MODULE.wasm WEIGHTS LENGTHS
//   node wasm.mjs peer MODULE.js GRAPH WEIGHTS LENGTHS
//
// MODULE.js says the inputs; LENGTHS is a JSON object of their symbols. Prints "ready" and what it is; then for each number
// that it reads, so many runs' seconds in one line. The peer is found from the folder this is run in, or NODE_PATH.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const [side, script, file, weights, lengths] = process.argv.slice(2);
const module = await import(pathToFileURL(resolve(script)));
const extentOf = { ...JSON.parse(lengths) };

// Positions count up and masks let everything through, so that the peer takes them too; the rest is any small number.
function fill({ name, type, extents }) {
  const shape = extents.map((extent) => extentOf[extent] ?? Number(extent));
  const count = shape.reduce((product, extent) => product * extent, 1);
  const number = (i) => /mask/.test(name) ? 1 : /position/.test(name) ? i % shape.at(-1) : (i * 7919) % 97;
  const data = type === 'int64' ? BigInt64Array.from({ length: count }, (_, i) => BigInt(number(i)))
    : Float32Array.from({ length: count }, (_, i) => number(i) / 50 - 1);
  return { type, data, shape };
}

const given = Object.fromEntries(module.inputs.map((port) => [port.name, fill(port)]));
let run, name;
if (side === 'loam') {
  const model = await module.load(readFileSync(file), readFileSync(weights));
  run = () => model.forward(given);
  name = basename(file);
} else {
  const require = createRequire(`${process.cwd()}/`);
  const ort = require('onnxruntime-web');
  ort.env.wasm.numThreads = 1;
  const session = await ort.InferenceSession.create(readFileSync(file),
    { executionProviders: ['wasm'], externalData: [{ path: basename(weights), data: readFileSync(weights) }] });
  const feeds = Object.fromEntries(Object.entries(given).filter(([input]) => session.inputNames.includes(input))
    .map(([input, { type, data, shape }]) => [input, new ort.Tensor(type, data, shape)]));
  run = () => session.run(feeds);
  name = `onnxruntime-web ${ort.env.versions.web}`;
}
await run();
console.log('ready', name);
for await (const line of createInterface({ input: process.stdin })) {
  const taken = [];
  for (let n = Number(line); n > 0; --n) {
    const start = process.hrtime.bigint();
    await run();
    taken.push(Number(process.hrtime.bigint() - start) / 1e9);
  }
  console.log(taken.join(' '));
}
