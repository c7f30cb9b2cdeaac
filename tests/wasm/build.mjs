// What the tests of WebAssembly modules share: a module built of a graph, and tensors compared.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import v8 from 'node:v8';

export const [loam, source, work] = process.argv.slice(2);
// Node 20 has relaxed SIMD behind a flag, which the loader's probe sees as well.
if (Number(process.versions.node.split('.')[0]) < 21) v8.setFlagsFromString('--experimental-wasm-relaxed-simd');

export async function build(name, graph, ...options) {
  const folder = join(work, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  execFileSync(loam, ['build', resolve(source, graph), ...options, '--namespace', name, '--target', 'wasm', '-o', folder],
    { stdio: ['ignore', 'ignore', 'pipe'] });
  const module = await import(pathToFileURL(join(folder, `${name}.js`)));
  const builds = [`${name}.wasm`, ...module.wasmFile === `${name}.wasm` ? [] : [module.wasmFile]]
    .map((file) => ({ file, wasm: readFileSync(join(folder, file)) }));
  return { folder, module, builds };
}

export function assertClose(found, expected, what) {
  assert.deepEqual(found.shape, expected.shape, `${what}: shape`);
  if (!(expected.data instanceof Float32Array || expected.data instanceof Float64Array)) {
    assert.deepEqual(found.data, expected.data, what);
    return;
  }
  expected.data.forEach((value, i) => {
    const close = Object.is(found.data[i], value) || Math.abs(found.data[i] - value) <= 1e-5 + 1e-4 * Math.abs(value);
    assert.ok(close, `${what}: element ${i} is ${found.data[i]}, not ${value}`);
  });
}

