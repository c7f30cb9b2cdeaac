// SHA-256 (FIPS 180-4): what a compiled module is found again by, so a collision would run another module's code.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace loam::cli {

class Sha256 {
 public:
  // Adds the text and its length, so that ("ab", "c") and ("a", "bc") differ.
  Sha256& add(std::string_view text);
  // The digest of all that was added, as 64 hexadecimal digits. Ends the object's use.
  std::string hex();

 private:
  void bytes(std::span<const std::byte> data);
  void block(const std::uint8_t* data);

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, 64> pending_{};
  std::size_t filled_ = 0;
  std::uint64_t length_ = 0;
};

}  // namespace loam::cli
