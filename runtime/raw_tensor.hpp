// Tensors and files as plain data: what crosses the boundary of a shared library or of a WebAssembly module.
#pragma once

#include <cstddef>
#include <cstdint>

namespace loam::boundary {

struct RawTensor {
  std::int32_t dtype;              // ONNX's TensorProto.DataType
  std::int32_t rank;
  std::int64_t extents[8];
  const void* data;                // dense, row-major; of strings the n + 1 offsets (uint64) of their text, which follows
  std::uint64_t bytes;
};

struct RawFile {
  const char* location;            // as the graph spells it
  const void* data;
  std::uint64_t bytes;
};

}  // namespace loam::boundary
