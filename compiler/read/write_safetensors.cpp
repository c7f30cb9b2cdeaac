#include "compiler/read/write_safetensors.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <tuple>

namespace loam {
namespace {

constexpr std::size_t alignment = 8;

// The text in JSON's quotes.
std::string json_text(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string header_entry(const StoredTensor& tensor, std::uint64_t begin) {
  std::string entry = json_text(tensor.name) + ":{\"dtype\":" + json_text(dtype_to_safetensors(tensor.dtype));
  entry += ",\"shape\":" + nlohmann::json(tensor.dims).dump();
  entry += ",\"data_offsets\":" + nlohmann::json({begin, begin + tensor.bytes.size()}).dump() + '}';
  return entry;
}

}  // namespace

std::string write_safetensors(std::vector<StoredTensor> tensors,
                              std::span<const std::pair<std::string, std::string>> metadata) {
  std::ranges::sort(tensors, [](const StoredTensor& a, const StoredTensor& b) {
    return std::tuple(-dtype_bits(a.dtype), std::string_view(a.name)) <
           std::tuple(-dtype_bits(b.dtype), std::string_view(b.name));
  });

  std::string json = "{";
  if (!metadata.empty()) {
    json += "\"__metadata__\":{";
    for (const auto& [key, value] : metadata) {
      if (!json.ends_with('{')) json += ',';
      json += json_text(key) + ':' + json_text(value);
    }
    json += '}';
  }
  std::uint64_t payload = 0;
  for (const StoredTensor& tensor : tensors) {
    if (json.size() > 1) json += ',';
    json += header_entry(tensor, payload);
    payload += tensor.bytes.size();
  }
  json += '}';
  json.append((alignment - json.size() % alignment) % alignment, ' ');

  std::string file;
  file.reserve(sizeof(std::uint64_t) + json.size() + static_cast<std::size_t>(payload));
  for (std::size_t i = 0; i < sizeof(std::uint64_t); ++i)
    file += static_cast<char>(static_cast<std::uint64_t>(json.size()) >> (8 * i));
  file += json;
  for (const StoredTensor& tensor : tensors)
    file.append(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size());
  return file;
}

}  // namespace loam
