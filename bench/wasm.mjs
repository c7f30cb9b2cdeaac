// A model's WebAssembly module, or onnxruntime-web, as bench/models.py --wasm times them.
//
//   node wasm.mjs loam MODULE.js MODULE.wasm WEIGHTS LENGTHS
//   node wasm.mjs peer MODULE.js GRAPH WEIGHTS LENGTHS
//
// MODULE.js says the inputs of Loam's side; LENGTHS is a JSON object of their symbols. A module that keeps a cache is given
// as many places as past_sequence_length says before each run; the peer's past is among its inputs. Prints "ready" and what
// it is, as JSON; then for each number that it reads, so many runs' seconds in one line. The peer is found from the folder this
// is run in, or NODE_PATH.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const [side, script, file, weights, lengths] = process.argv.slice(2);
const module = await import(pathToFileURL(resolve(script)));
const known = JSON.parse(lengths);

// Positions count up and masks let everything through, so that the peer takes them too; the rest is any small number.
function fill({ name, type, extents }, extentOf = known) {
  const shape = extents.map((extent) => extentOf[extent] ?? Number(extent));
  const count = shape.reduce((product, extent) => product * extent, 1);
  const number = (i) => /mask/.test(name) ? 1 : /position/.test(name) ? i % shape.at(-1) : (i * 7919) % 97;
  const data = type === 'int64' ? BigInt64Array.from({ length: count }, (_, i) => BigInt(number(i)))
    : Float32Array.from({ length: count }, (_, i) => number(i) / 50 - 1);
  return { type, data, shape };
}

const tensors = (ports, extentOf) => Object.fromEntries(ports.map((port) => [port.name, fill(port, extentOf)]));
let run, name;
if (side === 'loam') {
  const model = await module.load(readFileSync(file), readFileSync(weights));
  const given = tensors(module.inputs);
  run = () => model.forward(given);
  if (known.cache) {
    const past = known.past_sequence_length, step = known.sequence_length;
    const cache = model.makeCache(past + step, known);
    const prompt = { ...known, sequence_length: past, past_sequence_length: 0, total_sequence_length: past };
    if (past > 0) model.forward(tensors(module.inputs, prompt), cache);
    run = () => {
      cache.truncate(past);
      return model.forward(given, cache);
    };
  }
  name = basename(file);
} else {
  const require = createRequire(`${process.cwd()}/`);
  const ort = require('onnxruntime-web');
  ort.env.wasm.numThreads = 1;
  const session = await ort.InferenceSession.create(readFileSync(file),
    { executionProviders: ['wasm'], externalData: [{ path: basename(weights), data: readFileSync(weights) }] });
  const ports = session.inputMetadata.map(({ name, type, shape: extents }) =>
    module.inputs.find((port) => port.name === name) ?? { name, type, extents });
  const feeds = Object.fromEntries(Object.entries(tensors(ports))
    .map(([input, { type, data, shape }]) => [input, new ort.Tensor(type, data, shape)]));
  run = () => session.run(feeds);
  name = `onnxruntime-web ${ort.env.versions.web}`;
}
await run();
console.log('ready', JSON.stringify({ name }));
for await (const line of createInterface({ input: process.stdin })) {
  const taken = [];
  for (let n = Number(line); n > 0; --n) {
    const start = process.hrtime.bigint();
    await run();
    taken.push(Number(process.hrtime.bigint() - start) / 1e9);
  }
  console.log(taken.join(' '));
}
