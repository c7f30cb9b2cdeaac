#include "compiler/read/onnx_tensor.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

#include "compiler/read/onnx_graph.hpp"

namespace loam {
namespace {

using wire::Message;

// TensorProto's fields that hold elements.
enum DataField : std::uint32_t {
  no_data = 0, float_data = 4, int32_data = 5, string_data = 6, int64_data = 7, raw_data = 9, double_data = 10,
  uint64_data = 11,
};

std::string_view field_name(DataField field) {
  switch (field) {
    case no_data: break;
    case float_data: return "float_data";
    case int32_data: return "int32_data";
    case string_data: return "string_data";
    case int64_data: return "int64_data";
    case raw_data: return "raw_data";
    case double_data: return "double_data";
    case uint64_data: return "uint64_data";
  }
  return "no data";
}

// The typed field that onnx.proto assigns to an element type.
DataField typed_field(DType type) {
  switch (type) {
    case DType::undefined: return no_data;
    case DType::float32:
    case DType::complex64: return float_data;
    case DType::float64:
    case DType::complex128: return double_data;
    case DType::int64: return int64_data;
    case DType::uint32:
    case DType::uint64: return uint64_data;
    case DType::string: return string_data;
    default: return int32_data;
  }
}

// A piece of little-endian elements: borrowed while one piece of the file is all there is, else copied together.
class Elements {
 public:
  void append(std::span<const std::byte> piece) {
    if (owned_.empty() && borrowed_.empty()) {
      borrowed_ = piece;
    } else {
      own();
      owned_.insert(owned_.end(), piece.begin(), piece.end());
    }
  }
  void append(std::uint64_t value, std::size_t width) {
    own();
    for (std::size_t i = 0; i < width; ++i) owned_.push_back(static_cast<std::byte>(value >> (8 * i)));
  }
  std::span<const std::byte> span() const { return owned_.empty() ? borrowed_ : std::span<const std::byte>(owned_); }
  Bytes take() { return owned_.empty() ? Bytes::borrow(borrowed_) : Bytes::own(std::move(owned_)); }

 private:
  void own() {
    owned_.insert(owned_.end(), borrowed_.begin(), borrowed_.end());
    borrowed_ = {};
  }

  std::span<const std::byte> borrowed_;
  std::vector<std::byte> owned_;
};

class TensorReader {
 public:
  TensorReader(Message message, MissingData missing) : message_(message), missing_(missing) {}

  TensorData read() {
    collect();
    if (check_type()) read_data();
    return std::move(tensor_);
  }

 private:
  // Everything but the elements, which cannot be read before the element type is known: fields come in any order.
  void collect();
  bool check_type();
  void read_data();
  void read_external();
  bool read_elements(Elements& into);
  bool read_int32_data(Message& message, Elements& into);
  void read_strings();

  void wrong(std::string message, Code code = Code::malformed_file) {
    message_.file().wrong(message_.begin(), tensor_.name, std::move(message), code);
  }
  std::string type() const { return fmt::format("{}[{}]", dtype_name(tensor_.dtype), fmt::join(tensor_.dims, ", ")); }

  Message message_;
  MissingData missing_;
  TensorData tensor_;
  std::int64_t type_number_ = 0;
  std::int64_t elements_ = 0;
  DataField data_ = no_data;
  DataField second_data_ = no_data;  // another field that holds elements: one too many
  bool external_ = false;
  std::vector<std::pair<std::string, std::string>> entries_;  // of external_data
};

void TensorReader::collect() {
  Message message = message_;
  while (message.next()) {
    switch (const std::uint32_t field = message.field()) {
      case 1: message.integers(tensor_.dims); break;
      case 2: type_number_ = message.integer(); break;
      case 3: wrong("the tensor is a segment of a larger one", Code::unsupported_file); break;
      case raw_data:
        if (message.bytes().empty()) break;  // what a writer leaves that sets every field
        [[fallthrough]];
      case float_data:
      case int32_data:
      case string_data:
      case int64_data:
      case double_data:
      case uint64_data: {
        const auto data = static_cast<DataField>(field);
        if (data_ == no_data) data_ = data;
        if (data_ != data) second_data_ = data;
        break;
      }
      case 8: tensor_.name = message.text(); break;
      case 13: entries_.push_back(read_string_entry_proto(message.message("StringStringEntryProto"))); break;
      case 14: external_ = message.integer() == 1; break;
      default: break;
    }
  }
}

bool TensorReader::check_type() {
  if (message_.file().stopped()) return false;
  const std::optional<DType> dtype = dtype_from_onnx(type_number_);
  if (!dtype) {
    if (type_number_ == 0) {
      wrong("the tensor has no element type");
    } else {
      wrong(fmt::format("the element type {} is none that Loam knows", type_number_), Code::unsupported_file);
    }
    return false;
  }
  tensor_.dtype = *dtype;
  for (const std::int64_t dim : tensor_.dims) {
    if (dim < 0) return wrong(fmt::format("the dims of {} hold {}", type(), dim)), false;
  }
  const std::optional<std::int64_t> elements = element_count(tensor_.dims);
  if (!elements) return wrong(fmt::format("{} has more than 2^63 - 1 elements", type()), Code::overflow), false;
  elements_ = *elements;
  return true;
}

void TensorReader::read_data() {
  if (external_) return read_external();
  if (second_data_ != no_data) {
    return wrong(fmt::format("the elements are given in both {} and {}", field_name(data_), field_name(second_data_)));
  }
  if (data_ == no_data && elements_ > 0) {
    if (missing_ == MissingData::refused) wrong(fmt::format("{} has no data", type()));
    return;
  }
  const DataField expected = typed_field(tensor_.dtype);
  if (data_ != no_data && data_ != expected && (data_ != raw_data || tensor_.dtype == DType::string)) {
    return wrong(fmt::format("the elements of {} are in {}, where {} belongs", type(), field_name(data_),
                             field_name(expected)));
  }
  if (tensor_.dtype == DType::string) return read_strings();

  Elements elements;
  if (!read_elements(elements)) return;
  const std::optional<std::uint64_t> needed = dense_bytes(tensor_.dtype, elements_);
  const std::span<const std::byte> bytes = elements.span();
  if (!needed || bytes.size() != *needed) {
    return wrong(fmt::format("{} holds {} bytes where {} needs {}", field_name(data_), bytes.size(), type(),
                             needed ? fmt::format("{}", *needed) : "more than 2^64"));
  }
  // Anything else read as a C++ bool is undefined.
  if (tensor_.dtype == DType::boolean && std::ranges::any_of(bytes, [](std::byte b) { return b > std::byte{1}; })) {
    return wrong("a bool is neither 0 nor 1");
  }
  tensor_.data = elements.take();
}

bool TensorReader::read_elements(Elements& into) {
  Message message = message_;
  while (message.next()) {
    if (message.field() != data_) continue;
    switch (data_) {
      case raw_data: into = {}; into.append(message.bytes()); break;  // not a list: the last one counts
      case float_data: into.append(message.fixed(4)); break;
      case double_data: into.append(message.fixed(8)); break;
      case int32_data:
        if (!read_int32_data(message, into)) return false;
        break;
      case int64_data: message.each_varint([&](std::uint64_t value) { into.append(value, 8); }); break;
      case uint64_data: {
        bool fits = true;
        const std::size_t width = tensor_.dtype == DType::uint32 ? 4 : 8;
        message.each_varint([&](std::uint64_t value) {
          fits = fits && (width == 8 || value <= std::numeric_limits<std::uint32_t>::max());
          into.append(value, width);
        });
        if (!fits) return wrong("uint64_data holds a number that is no uint32"), false;
        break;
      }
      default: break;
    }
  }
  return !message_.file().stopped();
}

// One number to an element, or to a byte of elements narrower than one: integers as they are, floats as bit patterns.
bool TensorReader::read_int32_data(Message& message, Elements& into) {
  const int bits = std::max(8, dtype_bits(tensor_.dtype));
  const std::int64_t highest = (std::int64_t{1} << bits) - 1;
  // A writer may have sign-extended a pattern, or may not have: both say the same bits.
  const std::int64_t lowest = -(std::int64_t{1} << (bits - 1));
  std::optional<std::int64_t> misfit;
  message.each_varint([&](std::uint64_t number) {
    const std::int64_t value = static_cast<std::int32_t>(static_cast<std::uint32_t>(number));
    if (value < lowest || value > highest) misfit = value;
    into.append(static_cast<std::uint64_t>(value), static_cast<std::size_t>(bits / 8));
  });
  if (misfit) wrong(fmt::format("int32_data holds {}, which is no {}", *misfit, dtype_name(tensor_.dtype)));
  return !misfit;
}

void TensorReader::read_strings() {
  Message message = message_;
  while (message.next()) {
    if (message.field() != string_data) continue;
    const std::span<const std::byte> bytes = message.bytes();
    tensor_.strings.emplace_back(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  if (tensor_.strings.size() != static_cast<std::uint64_t>(elements_)) {
    return wrong(fmt::format("string_data holds {} strings where {} needs {}", tensor_.strings.size(), type(),
                             elements_));
  }
  tensor_.data = Bytes{};
}

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

void TensorReader::read_external() {
  if (tensor_.dtype == DType::string) return wrong("strings cannot be external data", Code::external_data);
  if (data_ != no_data) {
    return wrong(fmt::format("the elements are both external and in {}", field_name(data_)), Code::external_data);
  }
  ExternalData external;
  for (const auto& [key, value] : entries_) {
    if (key == "location") external.location = value;
    if (key != "offset" && key != "length") continue;
    const std::optional<std::int64_t> number = parse_length(value);
    if (!number) {
      return wrong(fmt::format("the {} of the external data, '{}', is no number of bytes", key, value),
                   Code::external_data);
    }
    if (key == "offset") external.offset = *number;
    if (key == "length") external.length = *number;
  }
  if (const std::string_view fault = location_fault(external.location); !fault.empty()) {
    return wrong(fmt::format("the external data's location '{}' {}", external.location, fault), Code::external_data);
  }
  const std::optional<std::uint64_t> needed = dense_bytes(tensor_.dtype, elements_);
  constexpr std::uint64_t last = std::numeric_limits<std::int64_t>::max();
  if (!needed || *needed > last - static_cast<std::uint64_t>(external.offset)) {
    return wrong(fmt::format("{} at offset {} ends past 2^63 bytes", type(), external.offset), Code::overflow);
  }
  if (external.length && static_cast<std::uint64_t>(*external.length) != *needed) {
    return wrong(fmt::format("the external data has {} bytes where {} needs {}", *external.length, type(), *needed),
                 Code::external_data);
  }
  tensor_.data = std::move(external);
}

// Whether the indices are int64, one or one row for each value, ascending, and inside the dims.
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

TensorData read_tensor_proto(Message message, MissingData missing) { return TensorReader(message, missing).read(); }

SparseTensorData read_sparse_tensor_proto(Message message) {
  SparseTensorData sparse;
  while (message.next()) {
    switch (message.field()) {
      case 1: sparse.values = read_tensor_proto(message.sole_message("TensorProto"), MissingData::refused); break;
      case 2: sparse.indices = read_tensor_proto(message.sole_message("TensorProto"), MissingData::refused); break;
      case 3: message.integers(sparse.dims); break;
      default: break;
    }
  }
  if (!message.file().ok()) return sparse;
  const std::optional<std::int64_t> elements = element_count(sparse.dims);
  const std::string_view fault = elements ? indices_fault(sparse, *elements) : "its dims are negative or past 2^63";
  if (!fault.empty())
    message.file().wrong(message.begin(), sparse.values.name, fmt::format("the sparse tensor is refused: {}", fault));
  return sparse;
}

}  // namespace loam
