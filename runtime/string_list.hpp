// A tensor's strings as bytes, which is how they cross a boundary of plain data: n + 1 offsets (uint64), ascending from 0,
// and the text that they cut, without what ends it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/raw_tensor.hpp"

namespace loam::boundary {

inline std::vector<std::byte> write_strings(std::span<const std::string> strings) {
  std::vector<std::uint64_t> offsets{0};
  for (const std::string& s : strings) offsets.push_back(offsets.back() + s.size());
  const std::size_t header = offsets.size() * sizeof(std::uint64_t);
  std::vector<std::byte> list(header + static_cast<std::size_t>(offsets.back()));
  std::memcpy(list.data(), offsets.data(), header);
  for (std::size_t i = 0; i < strings.size(); ++i)
    if (!strings[i].empty())
      std::memcpy(list.data() + header + offsets[i], strings[i].data(), strings[i].size());
  return list;
}

// String `index` of `count`, in a list that read_strings takes.
inline std::string_view string_at(const void* list, std::size_t count, std::size_t index) {
  const auto* const bytes = static_cast<const char*>(list);
  std::uint64_t ends[2];
  std::memcpy(ends, bytes + index * sizeof(std::uint64_t), sizeof ends);
  return {bytes + (count + 1) * sizeof(std::uint64_t) + ends[0], static_cast<std::size_t>(ends[1] - ends[0])};
}

// False where the tensor's bytes are no list of as many strings as the span has.
inline bool read_strings(const RawTensor& raw, std::span<std::string> strings) {
  const std::size_t count = strings.size(), header = (count + 1) * sizeof(std::uint64_t);
  if (raw.bytes < header) return false;
  std::vector<std::uint64_t> offsets(count + 1);
  std::memcpy(offsets.data(), raw.data, header);
  if (offsets[0] != 0 || offsets[count] != raw.bytes - header) return false;
  for (std::size_t i = 0; i < count; ++i)
    if (offsets[i] > offsets[i + 1]) return false;
  for (std::size_t i = 0; i < count; ++i) strings[i] = string_at(raw.data, count, i);
  return true;
}

}  // namespace loam::boundary
