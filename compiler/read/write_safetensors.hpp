// Writes a safetensors file (safetensors.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compiler/graph/dtype.hpp"

namespace loam {

struct StoredTensor {
  std::string name;                  // UTF-8, and another for each tensor; not "__metadata__"
  DType dtype = DType::undefined;    // one that safetensors has a word for
  std::vector<std::int64_t> dims;
  std::span<const std::byte> bytes;  // little-endian and dense, as many as dtype and dims need
};

// The file's bytes. As the format's own writer does it, tensors of wider elements come first, then those of lesser name,
// and the header is filled up with spaces, so that each tensor is aligned to its elements wherever the file is.
std::string write_safetensors(std::vector<StoredTensor> tensors,
                              std::span<const std::pair<std::string, std::string>> metadata = {});

}  // namespace loam
