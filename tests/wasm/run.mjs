// Builds models for WebAssembly and runs them here.  usage: node run.mjs LOAM SOURCE WORK
//
// Cases in the format of ONNX's backend tests have to give the answers that they hold, which the native modules are held
// to as well; then what a module refuses.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';

import { assertClose, build, source, work } from './build.mjs';
import { readTensor } from './onnx_tensor.mjs';

const cases = ['average_pool_of_an_image', 'cast_bool_of_length', 'cast_half_rounds', 'cast_int32_wraps'];

for (const name of cases)
  test(`${name} gives the answers of its case`, async () => {
    const folder = join('tests/semantics/cases', name);
    const { module, builds } = await build(name, join(folder, 'model.onnx'), '--layout', 'auto');
    for (const { file, wasm } of builds) {
      assert.deepEqual(WebAssembly.Module.imports(new WebAssembly.Module(wasm)), [], `${file} imports`);
      const model = await module.load(wasm);
      for (const set of readdirSync(join(source, folder)).filter((entry) => entry.startsWith('test_data_set_'))) {
        const tensor = (kind, i) => readTensor(readFileSync(join(source, folder, set, `${kind}_${i}.pb`)));
        const given = Object.fromEntries(module.inputs.map(({ name: input }, i) => [input, tensor('input', i)]));
        const found = model.forward(given);
        module.outputs.forEach(({ name: output }, i) => {
          if (existsSync(join(source, folder, set, `output_${i}.pb`)))
            assertClose(found[output], tensor('output', i), `${file}, ${set}: ${output}`);
        });
      }
      model.close();
    }
  });

test('weights come from a checkpoint, and what is wrong is said', async () => {
  const example = 'examples/mlp/mlp';
  const { module, builds } = await build('mlp', `${example}.onnx`, '--checkpoint', join(source, `${example}.safetensors`),
    '--layout', join(source, `${example}.layout.json`));
  const checkpoint = readFileSync(join(source, `${example}.safetensors`));
  assert.deepEqual(module.inputs.map(({ type, axes, extents }) => ({ type, axes, extents })),
    [{ type: 'float32', axes: ['Point', 'Coordinate'], extents: ['count', '2'] }]);
  const answers = [];
  for (const { file, wasm } of builds) {
    await assert.rejects(module.load(wasm), module.LoadError, file);
    const other = Buffer.from(checkpoint.toString('latin1').replace('"F32"', '"F16"'), 'latin1');
    await assert.rejects(module.load(wasm, other), (error) =>
      error instanceof module.LoadError && / is F16 in the checkpoint and F32 in the module/.test(error.message));

    const model = await module.load(wasm, checkpoint);
    const points = (count) => ({ data: Float32Array.from({ length: 2 * count }, (_, i) => i / count - 1), shape: [count, 2] });
    const { inside } = model.forward({ points: points(3) });
    assert.deepEqual(inside.shape, [3, 1]);
    // A longer input needs memory that grows, and a shorter one after it uses what there is.
    assert.deepEqual(model.forward({ points: points(100_000) }).inside.shape, [100_000, 1]);
    assert.deepEqual(model.forward({ points: points(3) }).inside, inside);

    const refused = (given, words) => assert.throws(() => model.forward(given), (error) =>
      error instanceof module.Refusal && words.test(error.message));
    refused({}, /points: is not given/);
    refused({ points: { data: new Float64Array(6), shape: [3, 2] } }, /points: is of type float32/);
    refused({ points: { data: new Float32Array(6), shape: [2, 2] } }, /points: has 6 elements/);
    refused({ points: { data: new Float32Array(6), shape: [2, 3] } }, /points: axis Coordinate is 3 long/);
    assert.deepEqual(model.forward({ points: points(3) }).inside, inside, 'a refusal harms nothing');
    model.close();
    assert.throws(() => model.forward({ points: points(3) }), /closed/);
    answers.push(inside);
  }
  if (answers.length > 1) assertClose(answers[1], answers[0], 'relaxed SIMD');
});

// A product with weights held as float16, of one row and of more, as double gives it.
test('float16 weights give the products of their values, of infinity and NaN too', async () => {
  mkdirSync(work, { recursive: true });
  const depth = 67, columns = 19;
  const path = (name) => join(work, name);
  writeFileSync(path('half.onnxtext'), `<ir_version: 8, opset_import: ["" : 17]>
half (float[rows, ${depth}] x) => (float[rows, ${columns}] y)
<float[${depth}, ${columns}] w = {${Array(depth * columns).fill(0)}}> {
  y = MatMul (x, w)
}
`);
  const header = JSON.stringify({ w: { dtype: 'F16', shape: [depth, columns], data_offsets: [0, 2 * depth * columns] } });
  const checkpoint = (bits) => {
    const length = Buffer.alloc(8);
    length.writeUInt32LE(header.length);
    return Buffer.concat([length, Buffer.from(header), Buffer.from(bits.buffer)]);
  };
  // Of any sign and any exponent below 2, subnormals among them.
  const finite = Uint16Array.from({ length: depth * columns }, (_, i) => (i * 40503 + 977) % 65536 & 0xbfff);
  const special = finite.slice();
  special[5 * columns + 3] = 0xfc00;
  special[66 * columns + 18] = 0x7e01;
  const value = (bits) => {
    const exponent = bits >> 10 & 31, fraction = bits & 1023;
    const size = exponent === 31 ? (fraction ? NaN : Infinity) : exponent ? (1024 + fraction) * 2 ** (exponent - 25) : fraction * 2 ** -24;
    return bits & 0x8000 ? -size : size;
  };
  writeFileSync(path('half.safetensors'), checkpoint(finite));
  const { module, builds } = await build('half', path('half.onnxtext'), '--layout', 'auto', '--store', 'checkpoint',
    '--checkpoint', path('half.safetensors'));
  for (const { file, wasm } of builds)
    for (const weights of [finite, special]) {
      const model = await module.load(wasm, checkpoint(weights));
      for (const [rows, large] of [[1, 1], [1, 65536], [2, 1], [9, 1]]) {
        const x = Float32Array.from({ length: rows * depth }, (_, i) => large * ((i * 29 + 3) % 41 - 20.5) / 8);
        const { data } = model.forward({ x: { data: x, shape: [rows, depth] } }).y;
        data.forEach((found, i) => {
          let sum = 0, size = 0;
          for (let k = 0; k < depth; ++k) {
            const product = x[Math.floor(i / columns) * depth + k] * value(weights[k * columns + i % columns]);
            sum += product;
            size += Math.abs(product);
          }
          assert.ok(Object.is(found, sum) || Math.abs(found - sum) <= 1e-6 * size, `${file}, ${rows} rows: ${i} is ${found}, not ${sum}`);
        });
      }
      model.close();
    }
});

// y = softmax(x (past, x)^T) (past, x), of which (past, x) is given back.
const step = `<ir_version: 8, opset_import: ["" : 17]>
step (float[batch, 2, past_length, 4] past, float[batch, 2, length, 4] x)
  => (float[batch, 2, length, 4] y, float[batch, 2, total, 4] present) {
  present = Concat <axis = 2> (past, x)
  turned = Transpose <perm = [0, 1, 3, 2]> (present)
  scores = MatMul (x, turned)
  weights = Softmax <axis = -1> (scores)
  y = MatMul (weights, present)
}
`;

test('a cache gives what past and present give, and a full one loses nothing', async () => {
  mkdirSync(work, { recursive: true });
  const graph = join(work, 'step.onnxtext');
  writeFileSync(graph, step);
  const plain = await build('plain', graph, '--layout', 'auto');
  const { module, builds } = await build('cached', graph, '--layout', 'auto', '--cache', 'past=present');
  assert.deepEqual([module.inputs, module.outputs].map((ports) => ports.map(({ name }) => name)), [['x'], ['y']]);
  for (const [i, { file, wasm }] of builds.entries()) {
    assert.deepEqual(WebAssembly.Module.imports(new WebAssembly.Module(wasm)), [], `${file} imports`);
    const reference = await plain.module.load(plain.builds[i].wasm);
    const model = await module.load(wasm);
    let turn = 0;
    const tensor = (batch, length) => ({ shape: [batch, 2, length, 4],
      data: Float32Array.from({ length: 8 * batch * length }, (_, i) => ((i * 37 + turn * 11) % 23 - 11) / 8) });
    for (const batch of [1, 3]) {
      const cache = model.makeCache(32, { batch });
      assert.deepEqual([cache.length, cache.capacity], [0, 32]);
      let past = tensor(batch, 0);
      const steps = (into, lengths) => lengths.forEach((length) => {
        ++turn;
        const x = tensor(batch, length);
        const { y, present } = reference.forward({ past, x });
        assertClose(model.forward({ x }, into).y, y, `${file}, turn ${turn}`);
        assert.equal(into.length, present.shape[2]);
        past = present;
      });
      const full = () => assert.throws(() => model.forward({ x: tensor(batch, 8) }, cache), (error) =>
        error instanceof module.Refusal && /cache: has room for 32 places .* makes them 33/.test(error.message));
      steps(cache, [5, 1, 1, 17, 1]);
      full();
      assert.equal(cache.length, 25);
      steps(cache, [1, 6]);  // to the last place
      // A refusal of another kind: the batch is not the cache's.
      assert.throws(() => model.forward({ x: tensor(batch + 1, 1) }, cache), module.Refusal);
      const longer = cache.copy(64);
      assert.deepEqual([longer.length, longer.capacity], [32, 64]);
      const before = past;
      steps(longer, [9]);
      longer.close();
      longer.close();
      assert.throws(() => longer.length, /closed/);
      assert.throws(() => model.forward({ x: tensor(batch, 1) }, longer), module.Refusal);
      // The first is as it was: cut back to a place it goes on from there.
      past = before;
      cache.truncate(99);
      assert.equal(cache.length, 32);
      cache.truncate(3);
      const rows = Array.from({ length: 2 * batch }, (_, row) => before.data.subarray(row * 32 * 4, (row * 32 + 3) * 4));
      past = { shape: [batch, 2, 3, 4], data: Float32Array.from(rows.flatMap((row) => [...row])) };
      steps(cache, [1, 2]);
      const shorter = cache.copy(2);
      assert.equal(shorter.length, 2);
      shorter.close();
      cache.close();
    }
    const refused = (call, words) => assert.throws(call, (error) => error instanceof module.Refusal && words.test(error.message));
    refused(() => model.makeCache(8), /cache: batch is not given/);
    refused(() => model.makeCache(-1, { batch: 1 }), /no memory for -1 places/);
    refused(() => model.makeCache(2 ** 31 - 1, { batch: 1024 }), /no memory for 2147483647 places/);
    refused(() => model.forward({ x: tensor(1, 1) }), /cache: is none of this model/);
    const other = model.makeCache(8, { batch: 1 });
    model.close();
    assert.throws(() => other.length, /the model is closed/);
    assert.throws(() => model.makeCache(8, { batch: 1 }), /the model is closed/);
    other.close();
  }
});

test('layers alike, which are written once, compute what one alone computes again and again', async () => {
  const layers = 6, width = 8;
  const numbers = (seed, count) => Array.from({ length: count }, (_, i) => ((i * 37 + seed * 53) % 29 - 14) / 16);
  const layer = (i, x, w, y) => `  n${i} = LayerNormalization (${x}, scale)
  h${i} = MatMul (n${i}, ${w})
  p${i} = Softmax <axis = -1> (h${i})
  ${y} = Add (${x}, p${i})
`;
  const scale = `float[${width}] scale = {${numbers(0, width)}}`;
  const graph = (name, given, weights, body) => {
    writeFileSync(join(work, `${name}.onnxtext`), `<ir_version: 8, opset_import: ["" : 17]>
${name} (float[rows, ${width}] x${given}) => (float[rows, ${width}] y) <${[scale, ...weights].join(', ')}> {
${body}}
`);
    return build(name, join(work, `${name}.onnxtext`), '--layout', 'auto');
  };
  const each = Array.from({ length: layers }, (_, i) => i + 1);
  const deep = await graph('deep', '', each.map((i) => `float[${width}, ${width}] w${i} = {${numbers(i, width * width)}}`),
    each.map((i) => layer(i, i === 1 ? 'x' : `y${i - 1}`, `w${i}`, i === layers ? 'y' : `y${i}`)).join(''));
  const one = await graph('one', `, float[${width}, ${width}] w`, [], layer(1, 'x', 'w', 'y'));
  assert.match(readFileSync(join(deep.folder, 'deep.hpp'), 'utf8'), /\d layers alike/);
  for (const [i, { file, wasm }] of deep.builds.entries()) {
    const [model, reference] = [await deep.module.load(wasm), await one.module.load(one.builds[i].wasm)];
    for (const rows of [1, 5]) {
      const x = { data: Float32Array.from(numbers(rows, rows * width)), shape: [rows, width] };
      let expected = x;
      for (const k of each)
        ({ y: expected } = reference.forward({ x: expected,
          w: { data: Float32Array.from(numbers(k, width * width)), shape: [width, width] } }));
      assertClose(model.forward({ x }).y, expected, `${file}, ${rows} rows`);
    }
  }
});
