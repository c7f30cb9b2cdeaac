// The header of a safetensors file (github.com/huggingface/safetensors): eight bytes of a little-endian length, and that
// many bytes of JSON that say each tensor's element type, shape and place. The data is not read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/diagnostic.hpp"
#include "compiler/graph/dtype.hpp"

namespace loam {

struct CheckpointTensor {
  std::string name;
  DType dtype = DType::undefined;
  std::vector<std::int64_t> dims;  // each >= 0; the nonzero ones' product fits in int64
  std::uint64_t offset = 0;        // from the file's start
  std::uint64_t bytes = 0;         // what dtype and dims need
};

struct CheckpointHeader {
  std::vector<CheckpointTensor> tensors;  // by name; no two overlap
  std::vector<std::pair<std::string, std::string>> metadata;
  std::uint64_t header_bytes = 0;  // where the data starts

  const CheckpointTensor* find(std::string_view name) const;
};

// How many of the file's leading bytes read_safetensors_header() needs, from the first eight of them.
std::optional<std::uint64_t> safetensors_header_bytes(std::span<const std::byte> prefix,
                                                      std::optional<std::uint64_t> file_size,
                                                      Diagnostics& diagnostics);

// The header, from at least that many leading bytes. Where the file's size is known the data must lie inside it.
std::optional<CheckpointHeader> read_safetensors_header(std::span<const std::byte> prefix,
                                                        std::optional<std::uint64_t> file_size,
                                                        Diagnostics& diagnostics);

}  // namespace loam
