#include "cli/strings.hpp"

#include <fmt/format.h>

#include "runtime/string_list.hpp"

namespace loam::cli {

HostTensor make_strings(std::vector<std::int64_t> extents, std::span<const std::string> strings) {
  return {DType::string, std::move(extents), boundary::write_strings(strings)};
}

std::string_view string_element(const void* data, std::size_t elements, std::size_t index) {
  return boundary::string_at(data, elements, index);
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out + '"';
}

}  // namespace loam::cli
