// Integer arithmetic the extents share: quotients rounded each way, and sums and products checked in 128 bits.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>

namespace loam {

__extension__ typedef __int128 Wide;

inline std::optional<std::int64_t> narrow(Wide value) {
  if (value < std::numeric_limits<std::int64_t>::min() || value > std::numeric_limits<std::int64_t>::max()) return {};
  return static_cast<std::int64_t>(value);
}

// Without its fraction; of what no int64 holds the nearest one, of a NaN 0: C++ leaves the conversion undefined.
constexpr std::int64_t saturated(double value) {
  if (!(value > -0x1p63)) return value <= -0x1p63 ? std::numeric_limits<std::int64_t>::min() : 0;
  return value < 0x1p63 ? static_cast<std::int64_t>(value) : std::numeric_limits<std::int64_t>::max();
}

// Rounded down; the divisor is positive.
constexpr Wide floor_quotient(Wide a, Wide b) { return a / b - (a % b < 0 ? 1 : 0); }
constexpr Wide ceil_quotient(Wide a, Wide b) { return a / b + (a % b > 0 ? 1 : 0); }
// In [0, b).
constexpr Wide floor_remainder(Wide a, Wide b) { return a % b < 0 ? a % b + b : a % b; }

constexpr std::uint64_t magnitude(std::int64_t a) {
  return a < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(a) : static_cast<std::uint64_t>(a);
}

// Of the magnitudes; 0 with x is x.
constexpr std::uint64_t common_divisor(std::uint64_t a, std::int64_t b) { return std::gcd(a, magnitude(b)); }

// The low 32 bits, signed.
constexpr std::int64_t wrapped32(std::int64_t a) { return static_cast<std::int32_t>(static_cast<std::uint64_t>(a)); }

inline constexpr std::int64_t largest_half = 65504;
inline constexpr std::int64_t exact_half = 2048;  // a float16 holds every integer of at most this magnitude

// The float16 nearest to `a`, ties to even; nullopt where that is an infinity.
constexpr std::optional<std::int64_t> nearest_half(std::int64_t a) {
  if (-exact_half <= a && a <= exact_half) return a;
  if (a >= largest_half + 16 || a <= -largest_half - 16) return std::nullopt;
  const std::uint64_t size = magnitude(a);
  const auto dropped = static_cast<int>(std::bit_width(size)) - 11;  // a float16 keeps 11 bits
  const std::uint64_t unit = std::uint64_t{1} << dropped;
  std::uint64_t kept = size / unit;
  const std::uint64_t rest = size % unit;
  if (rest > unit / 2 || (rest == unit / 2 && kept % 2 == 1)) ++kept;
  const auto rounded = static_cast<std::int64_t>(kept * unit);
  return a < 0 ? -rounded : rounded;
}

}  // namespace loam
