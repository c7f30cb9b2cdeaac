// Random numbers that are the same on every backend and in every run: a function of a seed and an index, no state.
//
// Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011). Element i takes word i % 4 of
// block i / 4; the block's counter is its number, the key is the seed.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

namespace loam {

namespace random {

using Block = std::array<std::uint32_t, 4>;

constexpr Block philox(Block counter, std::uint32_t key0, std::uint32_t key1) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53u} * counter[0], b = std::uint64_t{0xCD9E8D57u} * counter[2];
    counter = {static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key0, static_cast<std::uint32_t>(b),
               static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key1, static_cast<std::uint32_t>(a)};
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return counter;
}

constexpr Block block(std::uint64_t seed, std::uint64_t number) {
  return philox({static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number >> 32), 0, 0},
                static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
}

// In [0, 1): 24 bits, which a float holds exactly.
constexpr double unit(std::uint32_t word) { return static_cast<double>(word >> 8) * 0x1p-24; }

// Element `index` of a sequence uniform in [0, 1).
constexpr double uniform(std::uint64_t seed, std::int64_t index) {
  const auto i = static_cast<std::uint64_t>(index);
  return unit(block(seed, i / 4)[static_cast<std::size_t>(i % 4)]);
}

// Element `index` of a sequence of mean 0 and deviation 1, by Box and Muller's transform: elements 2 j and 2 j + 1 are
// the cosine and the sine of one pair of words.
inline double normal(std::uint64_t seed, std::int64_t index) {
  const auto i = static_cast<std::uint64_t>(index);
  const Block words = block(seed, i / 4);
  const std::size_t pair = i % 4 / 2 * 2;
  const double radius = std::sqrt(-2 * std::log(unit(words[pair]) + 0x1p-24));
  const double angle = 2 * std::numbers::pi * unit(words[pair + 1]);
  return radius * (i % 2 == 0 ? std::cos(angle) : std::sin(angle));
}

}  // namespace random

}  // namespace loam
