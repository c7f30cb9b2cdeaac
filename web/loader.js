// Element types: ONNX's number of each, and what holds its elements here. A float of 16 bits or less is held by its bits.
const types = {
  float32: [1, Float32Array], uint8: [2, Uint8Array], int8: [3, Int8Array], uint16: [4, Uint16Array],
  int16: [5, Int16Array], int32: [6, Int32Array], int64: [7, BigInt64Array], string: [8, Array], bool: [9, Uint8Array],
  float16: [10, Uint16Array], float64: [11, Float64Array], uint32: [12, Uint32Array], uint64: [13, BigUint64Array],
  bfloat16: [16, Uint16Array], float8e4m3fn: [17, Uint8Array], float8e4m3fnuz: [18, Uint8Array],
  float8e5m2: [19, Uint8Array], float8e5m2fnuz: [20, Uint8Array], uint4: [21, Uint8Array], int4: [22, Int8Array],
  float4e2m1: [23, Uint8Array], float8e8m0: [24, Uint8Array], uint2: [25, Uint8Array], int2: [26, Int8Array],
};
const tensorBytes = 88, extentsAt = 8, dataAt = 72, bytesAt = 80;  // RawTensor of runtime/raw_tensor.hpp
const fileBytes = 16;                                              // RawFile

export const { inputs, outputs } = module;

export class LoadError extends Error {}
export class Refusal extends Error {}

// A function of one relaxed instruction: an engine that has none of them does not validate it.
const relaxed = WebAssembly.validate(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10,
  15, 1, 13, 0, 65, 1, 253, 15, 65, 2, 253, 15, 253, 128, 2, 11));
export const wasmFile = `${module.name}${relaxed ? '.relaxed' : ''}.wasm`;

const asBytes = (given) => ArrayBuffer.isView(given)
  ? new Uint8Array(given.buffer, given.byteOffset, given.byteLength) : new Uint8Array(given);

// Strings as a tensor's bytes: n + 1 offsets, ascending from 0, and the text that they cut.
function encodeStrings(strings) {
  const texts = strings.map((string) => new TextEncoder().encode(string));
  const header = 8 * (texts.length + 1);
  const bytes = new Uint8Array(header + texts.reduce((sum, text) => sum + text.length, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  texts.forEach((text, i) => {
    bytes.set(text, header + at);
    at += text.length;
    view.setBigUint64(8 * (i + 1), BigInt(at), true);
  });
  return bytes;
}

function decodeStrings(bytes, count) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = (i) => 8 * (count + 1) + Number(view.getBigUint64(8 * i, true));
  return Array.from({ length: count }, (_, i) => new TextDecoder().decode(bytes.slice(end(i), end(i + 1))));
}

class Model {
  #exports;
  #workers;
  #session = 0;
  #tensors = 0;   // the inputs' and the outputs' descriptions
  #caches = new WeakMap();  // cache -> where the module has it
  #held = new Map();  // input's place -> { at, size }: memory for its elements, kept for the next call

  constructor(exports, workers) {
    this.#exports = exports;
    this.#workers = workers;
  }

  get threads() { return this.#workers.length + 1; }

  // Views of memory, which end when it grows.
  #view() { return new DataView(this.#exports.memory.buffer); }
  #bytes() { return new Uint8Array(this.#exports.memory.buffer); }

  #allocate(bytes, what) {
    const at = this.#exports.loam_allocate(bytes) >>> 0;
    if (at === 0) throw new RangeError(`${what}: the module's memory has no ${bytes} bytes for it`);
    return at;
  }

  #message() {
    const bytes = this.#bytes();
    const start = this.#exports.loam_message() >>> 0;
    return new TextDecoder().decode(bytes.slice(start, bytes.indexOf(0, start)));
  }

  // Runs a function of the module. What ends it early leaves its memory as it was then, so it is not called again.
  #call(what, call) {
    try {
      return call();
    } catch (error) {
      this.close();
      throw new Error(`${what}: the module ended early, out of memory or of stack: load it again`, { cause: error });
    }
  }

  load(files) {
    const list = this.#allocate(Math.max(1, files.length) * fileBytes, 'load');
    files.forEach(([location, bytes], i) => {
      const name = new TextEncoder().encode(`${location}\0`);
      const nameAt = this.#allocate(name.length, location);
      const at = this.#allocate(bytes.length, location || 'the checkpoint');
      this.#bytes().set(name, nameAt);
      this.#bytes().set(bytes, at);
      const view = this.#view();
      view.setUint32(list + i * fileBytes, nameAt, true);
      view.setUint32(list + i * fileBytes + 4, at, true);
      view.setBigUint64(list + i * fileBytes + 8, BigInt(bytes.length), true);
    });
    this.#session = this.#call('load', () => this.#exports.loam_load(list, files.length)) >>> 0;
    if (this.#session === 0) throw new LoadError(this.#message());
    this.#tensors = this.#allocate((inputs.length + outputs.length) * tensorBytes, 'load');
    return this;
  }

  #give({ name, type, axes: { length: rank } }, place, given) {
    const [number, Elements] = types[type];
    if (given === undefined) throw new Refusal(`${name}: is not given`);
    const { data, shape } = given;
    if (!(data instanceof Elements)) throw new Refusal(`${name}: is of type ${type}, which a ${Elements.name} holds`);
    if (shape.length !== rank) throw new Refusal(`${name}: has ${shape.length} axes, and the module takes ${rank}`);
    const count = shape.reduce((product, extent) => product * extent, 1);
    if (!shape.every((extent) => Number.isInteger(extent) && extent >= 0) || count !== data.length)
      throw new Refusal(`${name}: has ${data.length} elements, and its shape is [${shape.join(', ')}]`);
    const bytes = type === 'string' ? encodeStrings(data) : asBytes(data);
    const held = this.#held.get(place) ?? { at: 0, size: -1 };
    if (held.size < bytes.length) {
      this.#exports.loam_free(held.at);
      this.#held.delete(place);
      this.#held.set(place, { at: this.#allocate(bytes.length, name), size: bytes.length });
    }
    const { at } = this.#held.get(place);
    this.#bytes().set(bytes, at);
    const view = this.#view();
    const tensor = this.#tensors + place * tensorBytes;
    view.setInt32(tensor, number, true);
    view.setInt32(tensor + 4, rank, true);
    shape.forEach((extent, i) => view.setBigInt64(tensor + extentsAt + 8 * i, BigInt(extent), true));
    view.setUint32(tensor + dataAt, at, true);
    view.setBigUint64(tensor + bytesAt, BigInt(bytes.length), true);
  }

  #take({ type, axes: { length: rank } }, place) {
    const [, Elements] = types[type];
    const view = this.#view();
    const tensor = this.#tensors + place * tensorBytes;
    const shape = Array.from({ length: rank }, (_, i) => Number(view.getBigInt64(tensor + extentsAt + 8 * i, true)));
    const at = view.getUint32(tensor + dataAt, true);
    const bytes = this.#bytes().slice(at, at + Number(view.getBigUint64(tensor + bytesAt, true)));
    const count = shape.reduce((product, extent) => product * extent, 1);
    return { data: type === 'string' ? decodeStrings(bytes, count) : new Elements(bytes.buffer), shape };
  }

  #check(what) {
    if (this.#exports === undefined) throw new Error(`${what}: the model is closed`);
  }

  // Runs f(exports, where the module has the cache).
  #with(cache, what, f) {
    this.#check(what);
    const at = this.#caches.get(cache);
    if (at === undefined) throw new Error(`${what}: the cache is closed`);
    return this.#call(what, () => f(this.#exports, at));
  }

  #keep(at, capacity) {
    if (at === 0) throw new Refusal(this.#message());
    const cache = {
      capacity,
      get length() { return Number(model.#with(cache, 'length', (exports, at) => exports.loam_cache_length(at))); },
      truncate(length) {
        const kept = BigInt(length);
        model.#with(cache, 'truncate', (exports, at) => exports.loam_truncate_cache(at, kept));
      },
      copy(capacity) {
        const room = BigInt(capacity);
        return model.#keep(model.#with(cache, 'copy', (exports, at) =>
          exports.loam_copy_cache(model.#session, at, room)), capacity);
      },
      close() {
        if (model.#exports === undefined || !model.#caches.has(cache)) return;
        model.#with(cache, 'close', (exports, at) => exports.loam_close_cache(at));
        model.#caches.delete(cache);
      },
    };
    const model = this;
    this.#caches.set(cache, at);
    return Object.freeze(cache);
  }

  makeCache(capacity, lengths = {}) {
    this.#check('makeCache');
    const numbers = [capacity, ...module.cache.map((name) => {
      if (lengths[name] === undefined) throw new Refusal(`cache: ${name} is not given`);
      return lengths[name];
    })].map(BigInt);
    return this.#keep(this.#call('makeCache', () => this.#exports.loam_make_cache(this.#session, ...numbers)), capacity);
  }

  forward(given, cache) {
    this.#check('forward');
    const kept = module.cache && this.#caches.get(cache);
    if (module.cache && kept === undefined) throw new Refusal('cache: is none of this model, or closed');
    inputs.forEach((port, i) => this.#give(port, i, given[port.name]));
    const results = this.#tensors + inputs.length * tensorBytes;
    if (this.#call('forward', () => this.#exports.loam_forward(this.#session, this.#tensors, results, kept)) !== 0)
      throw new Refusal(this.#message());
    return Object.fromEntries(outputs.map((port, i) => [port.name, this.#take(port, inputs.length + i)]));
  }

  // The memory ends with the instance.
  close() {
    this.#exports = undefined;
    this.#workers.splice(0).forEach((worker) => worker.terminate());
  }
}

async function startAlone(wasm) {
  const loaded = await WebAssembly.instantiate(wasm, {});
  const { exports } = loaded.instance ?? loaded;
  exports._initialize();
  return { exports, workers: [] };
}

export async function load(wasm, weights, { threads = 1 } = {}) {
  const { files } = module;
  const given = files.length === 1 ? { [files[0] || 'checkpoint']: weights } : weights;
  const bytes = files.map((file) => {
    const found = given?.[file || 'checkpoint'];
    if (found === undefined) throw new LoadError(`${file || 'the checkpoint'}: holds weights, and is not given`);
    return [file, asBytes(found)];
  });
  const { exports, workers } = await (module.start ?? startAlone)(wasm, threads);
  const model = new Model(exports, workers);
  try {
    return model.load(bytes);
  } catch (error) {
    model.close();
    throw error;
  }
}
