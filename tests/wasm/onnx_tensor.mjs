// A TensorProto of ONNX's test data (onnx.proto3): what a case's input_*.pb and output_*.pb hold.

// The fields of a message: [number, a varint as BigInt or the bytes of what has a length].
function* fields(bytes) {
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return BigInt.asIntN(64, value);
    }
  };
  while (at < bytes.length) {
    const key = Number(varint());
    const kind = key & 7;
    if (kind === 0) yield [key >> 3, varint()];
    else if (kind === 2) {
      const length = Number(varint());
      yield [key >> 3, bytes.subarray(at, at += length)];
    } else throw new Error(`wire type ${kind} in a tensor`);
  }
}

const arrays = { 1: Float32Array, 2: Uint8Array, 3: Int8Array, 4: Uint16Array, 5: Int16Array, 6: Int32Array,
  7: BigInt64Array, 9: Uint8Array, 10: Uint16Array, 11: Float64Array, 12: Uint32Array, 13: BigUint64Array,
  16: Uint16Array };

export function readTensor(bytes) {
  const tensor = { name: '', shape: [], data: undefined };
  const strings = [];
  let type = 0, raw = new Uint8Array();
  for (const [field, value] of fields(bytes)) {
    if (field === 1) {
      if (typeof value === 'bigint') tensor.shape.push(Number(value));
      else tensor.shape.push(...Array.from(fields(Uint8Array.from([...value].flatMap((byte, i) =>
        i === 0 || value[i - 1] < 128 ? [8, byte] : [byte]))), ([, dim]) => Number(dim)));  // packed
    } else if (field === 2) type = Number(value);
    else if (field === 6) strings.push(new TextDecoder().decode(value));
    else if (field === 8) tensor.name = new TextDecoder().decode(value);
    else if (field === 9) raw = value;
    else throw new Error(`${tensor.name}: field ${field} of a tensor is not read here`);
  }
  if (type !== 8 && arrays[type] === undefined) throw new Error(`${tensor.name}: element type ${type} is not read here`);
  tensor.data = type === 8 ? strings : new arrays[type](new Uint8Array(raw).buffer);
  return tensor;
}
