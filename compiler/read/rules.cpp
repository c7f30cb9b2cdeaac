#include "compiler/read/rules.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <system_error>
#include <unordered_set>
#include <vector>

#include "compiler/read/wire.hpp"

namespace loam {
namespace {

// Why a location is refused; empty where it is a path to somewhere in the model's folder.
std::string_view location_fault(std::string_view location) {
  if (location.empty()) return "names no file";
  if (location.front() == '/') return "is an absolute path";
  if (location.find('\\') != location.npos) return "has a backslash";
  if (std::ranges::any_of(location, [](char c) { return static_cast<unsigned char>(c) < 0x20; }))
    return "has a control character";
  while (true) {
    const std::size_t slash = location.find('/');
    if (location.substr(0, slash) == "..") return "leaves the model's folder";
    if (slash == location.npos) return {};
    location.remove_prefix(slash + 1);
  }
}

std::optional<std::int64_t> parse_length(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

std::string_view indices_fault(const SparseTensorData& sparse, std::int64_t elements) {
  const TensorData& indices = sparse.indices;
  if (sparse.values.dims.size() != 1) return "its values are not a list";
  if (indices.dtype != DType::int64 || !indices.inline_data()) return "its indices are not int64 in the file itself";
  const std::int64_t values = sparse.values.dims[0];
  const auto rank = static_cast<std::int64_t>(sparse.dims.size());
  const bool linear = indices.dims == std::vector{values};
  if (!linear && indices.dims != std::vector{values, rank}) return "it has not one index for each value";

  const std::byte* next = std::get<Bytes>(indices.data).span().data();
  std::int64_t previous = -1;
  for (std::int64_t i = 0; i < values; ++i) {
    std::int64_t index = 0;
    for (std::size_t axis = 0; axis < (linear ? 1 : sparse.dims.size()); ++axis, next += 8) {
      const auto coordinate = static_cast<std::int64_t>(wire::little_endian<std::uint64_t>(next));
      const std::int64_t extent = linear ? elements : sparse.dims[axis];
      if (coordinate < 0 || coordinate >= extent) return "an index is outside its dims";
      index = linear ? coordinate : index * extent + coordinate;
    }
    if (index <= previous) return "its indices do not ascend";
    previous = index;
  }
  return {};
}

}  // namespace

std::string spelled_type(const TensorData& tensor) {
  return fmt::format("{}[{}]", dtype_name(tensor.dtype), fmt::join(tensor.dims, ", "));
}

std::optional<Fault> dims_fault(const TensorData& tensor) {
  for (const std::int64_t dim : tensor.dims)
    if (dim < 0) return Fault{fmt::format("the dims of {} hold {}", spelled_type(tensor), dim)};
  if (!element_count(tensor.dims))
    return Fault{fmt::format("{} has more than 2^63 - 1 elements", spelled_type(tensor)), Code::overflow};
  return std::nullopt;
}

std::optional<Fault> bytes_fault(const TensorData& tensor, std::span<const std::byte> bytes) {
  const std::optional<std::uint64_t> needed = dense_bytes(tensor.dtype, tensor.elements());
  if (!needed || bytes.size() != *needed) {
    return Fault{fmt::format("{} is given {} bytes and needs {}", spelled_type(tensor), bytes.size(),
                             needed ? fmt::format("{}", *needed) : "more than 2^64")};
  }
  // Anything else read as a C++ bool is undefined.
  if (tensor.dtype == DType::boolean && std::ranges::any_of(bytes, [](std::byte b) { return b > std::byte{1}; }))
    return Fault{"a bool is neither 0 nor 1"};
  return std::nullopt;
}

std::optional<Fault> read_external_data(const TensorData& tensor,
                                        std::span<const std::pair<std::string, std::string>> entries,
                                        ExternalData& external) {
  const auto fault = [](std::string message) { return Fault{std::move(message), Code::external_data}; };
  if (tensor.dtype == DType::string) return fault("strings cannot be external data");
  for (const auto& [key, value] : entries) {
    if (key == "location") external.location = value;
    if (key != "offset" && key != "length") continue;
    const std::optional<std::int64_t> number = parse_length(value);
    if (!number) return fault(fmt::format("the {} of the external data, '{}', is no number of bytes", key, value));
    if (key == "offset") external.offset = *number;
    if (key == "length") external.length = *number;
  }
  if (const std::string_view why = location_fault(external.location); !why.empty())
    return fault(fmt::format("the external data's location '{}' {}", external.location, why));
  const std::optional<std::uint64_t> needed = dense_bytes(tensor.dtype, tensor.elements());
  constexpr std::uint64_t last = std::numeric_limits<std::int64_t>::max();
  if (!needed || *needed > last - static_cast<std::uint64_t>(external.offset)) {
    return Fault{fmt::format("{} at offset {} ends past 2^63 bytes", spelled_type(tensor), external.offset),
                 Code::overflow};
  }
  if (external.length && static_cast<std::uint64_t>(*external.length) != *needed) {
    return fault(fmt::format("the external data has {} bytes where {} needs {}", *external.length,
                             spelled_type(tensor), *needed));
  }
  return std::nullopt;
}

std::optional<Fault> sparse_fault(const SparseTensorData& sparse) {
  const std::optional<std::int64_t> elements = element_count(sparse.dims);
  const std::string_view why = elements ? indices_fault(sparse, *elements) : "its dims are negative or past 2^63";
  if (why.empty()) return std::nullopt;
  return Fault{fmt::format("the sparse tensor is refused: {}", why)};
}

std::optional<std::string_view> repeated_attribute(const Node& node) {
  std::vector<std::string_view> names;
  for (const Attribute& attribute : node.attributes) names.push_back(attribute.name);
  std::ranges::sort(names);
  const auto repeated = std::ranges::adjacent_find(names);
  return repeated == names.end() ? std::nullopt : std::optional(*repeated);
}

void drop_initialized_inputs(Graph& graph) {
  std::unordered_set<std::string_view> initialized;
  for (const TensorData& tensor : graph.initializers) initialized.insert(tensor.name);
  for (const auto& [name, tensor] : graph.sparse_initializers) initialized.insert(name);
  std::erase_if(graph.inputs, [&](const ValueInfo& input) { return initialized.contains(input.name); });
}

}  // namespace loam
