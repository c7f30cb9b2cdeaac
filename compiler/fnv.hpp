// A hash of a text, the same everywhere: FNV-1a of 64 bits.
#pragma once

#include <cstdint>
#include <string_view>

namespace loam {

constexpr std::uint64_t fnv1a64(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace loam
