#include "compiler/read/onnxtext_tensor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>
#include <system_error>
#include <utility>

#include "compiler/read/decimal.hpp"
#include "compiler/read/onnxtext_type.hpp"
#include "compiler/read/onnxtext_words.hpp"
#include "compiler/read/rules.hpp"

namespace loam::onnxtext {
namespace {

// The type of TensorProto's field that holds elements of each type, and so of the text's numbers.
enum class Field : std::uint8_t { float32, float64, int32, int64, uint64, string };

Field field_of(DType type) {
  switch (type) {
    case DType::float32:
    case DType::complex64: return Field::float32;
    case DType::float64:
    case DType::complex128: return Field::float64;
    case DType::int64: return Field::int64;
    case DType::uint32:
    case DType::uint64: return Field::uint64;
    case DType::string: return Field::string;
    default: return Field::int32;
  }
}

// What one number of the text takes: an element, half of a complex one, or a byte of packed ones.
std::size_t number_bytes(DType type) {
  if (type == DType::complex64 || type == DType::complex128) return static_cast<std::size_t>(dtype_bits(type)) / 16;
  return static_cast<std::size_t>(std::max(dtype_bits(type), 8)) / 8;
}

class ElementsReader {
 public:
  ElementsReader(Cursor& cursor, TensorData& tensor)
      : cursor_(cursor), tensor_(tensor), width_(number_bytes(tensor.dtype)) {}

  // Between '{' and '}'. Gives whether there were any.
  bool read();
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  void read_element();
  void read_integer(Field field);
  template <class Float>
  Float read_real();
  void append(std::uint64_t bits) {
    for (std::size_t i = 0; i < width_; ++i) bytes_.push_back(static_cast<std::byte>(bits >> (8 * i)));
  }
  // Says once what is too large: a tensor of the wrong type has thousands.
  void misfit(const Token& token) {
    if (std::exchange(misfit_, true)) return;
    cursor_.wrong(token, fmt::format("{} is no {}", described(token), dtype_name(tensor_.dtype)));
  }

  Cursor& cursor_;
  TensorData& tensor_;
  std::size_t width_;
  std::vector<std::byte> bytes_;
  bool misfit_ = false;
};

bool ElementsReader::read() {
  cursor_.expect('{', "before a tensor's elements");
  if (cursor_.accept('}')) return false;
  do {
    read_element();
  } while (cursor_.accept(','));
  cursor_.expect('}', "after a tensor's elements");
  return true;
}

void ElementsReader::read_element() {
  switch (const Field field = field_of(tensor_.dtype)) {
    case Field::float32: return append(std::bit_cast<std::uint32_t>(read_real<float>()));
    case Field::float64: return append(std::bit_cast<std::uint64_t>(read_real<double>()));
    case Field::string: return tensor_.strings.push_back(cursor_.string("an element"));
    case Field::int32:
    case Field::int64:
    case Field::uint64: return read_integer(field);
  }
}

void ElementsReader::read_integer(Field field) {
  if (cursor_.ahead().kind != Token::Kind::integer) return cursor_.expected("an element, an integer");
  const Token token = cursor_.take();
  const char* const end = token.text.data() + token.text.size();
  const bool negative = token.text.front() == '-';
  if (field == Field::uint64) {
    // As C's strtoull has it: with a minus, the negation in 64 bits.
    std::uint64_t magnitude = 0;
    const auto result = std::from_chars(token.text.data() + (negative ? 1 : 0), end, magnitude);
    const std::uint64_t value = negative ? 0 - magnitude : magnitude;
    const bool fits = tensor_.dtype == DType::uint64 || value <= std::numeric_limits<std::uint32_t>::max();
    if (result.ec != std::errc{} || !fits) misfit(token);
    return append(value);
  }
  std::int64_t value = 0;
  const auto result = std::from_chars(token.text.data(), end, value);
  std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
  std::int64_t highest = std::numeric_limits<std::int64_t>::max();
  if (field == Field::int32) {
    // A pattern of bits may be written with its sign extended, or not: both say the same.
    const auto bits = static_cast<int>(8 * width_);
    lowest = -(std::int64_t{1} << (bits - 1));
    highest = (std::int64_t{1} << (tensor_.dtype == DType::int32 ? 31 : bits)) - 1;
  }
  if (result.ec != std::errc{} || value < lowest || value > highest) misfit(token);
  append(static_cast<std::uint64_t>(value));
}

template <class Float>
Float ElementsReader::read_real() {
  if (!at_number(cursor_)) return cursor_.expected("an element, a number"), Float{0};
  const Token token = cursor_.take();
  const std::optional<Float> value = parse_decimal<Float>(token.text);
  if (!value) misfit(token);
  return value.value_or(Float{0});
}

void report(Cursor& cursor, const Token& at, const TensorData& tensor, const Fault& fault) {
  cursor.wrong(at, tensor.name.empty() ? fault.message : fmt::format("{}: {}", tensor.name, fault.message), fault.code);
}

std::optional<Fault> count_fault(const TensorData& tensor, std::size_t given, std::size_t width) {
  const std::optional<std::uint64_t> bytes = dense_bytes(tensor.dtype, tensor.elements());
  if (bytes && *bytes / width == given) return std::nullopt;
  return Fault{fmt::format("{} takes {} numbers and is given {}", spelled_type(tensor),
                           bytes ? fmt::format("{}", *bytes / width) : "more than 2^64", given)};
}

}  // namespace

TensorData tensor_of(Cursor& cursor, const Token& at, const ValueType& type) {
  TensorData tensor;
  if (type.kind != ValueType::Kind::tensor) return cursor.broken(at, "a value is given to what is no tensor"), tensor;
  if (!type.shape) return cursor.broken(at, "a value is given to a tensor without a shape"), tensor;
  tensor.dtype = type.dtype;
  for (const Dimension& dim : *type.shape) {
    const auto* length = std::get_if<std::int64_t>(&dim);
    if (length == nullptr) return cursor.broken(at, "a value is given to a tensor with a dim that is no number"), tensor;
    tensor.dims.push_back(*length);
  }
  // Without a count of its elements nothing can be said of what follows.
  if (const std::optional<Fault> fault = dims_fault(tensor)) cursor.broken(at, fault->message, fault->code);
  return tensor;
}

void read_data(Cursor& cursor, TensorData& tensor, MissingData missing) {
  const Token at = cursor.ahead();
  if (cursor.at('[')) {
    const auto entries = read_string_entries(cursor);
    if (entries.empty()) return cursor.broken(at, "external data has no location");
    ExternalData external;
    if (const std::optional<Fault> fault = read_external_data(tensor, entries, external))
      report(cursor, at, tensor, *fault);
    tensor.data = std::move(external);
    return;
  }
  ElementsReader reader(cursor, tensor);
  const bool given = reader.read();
  if (cursor.stopped()) return;
  if (!given && tensor.elements() > 0) {
    if (missing == MissingData::refused)
      report(cursor, at, tensor, {fmt::format("{} has no data", spelled_type(tensor))});
    return;
  }
  if (tensor.dtype == DType::string) {
    if (tensor.strings.size() != static_cast<std::uint64_t>(tensor.elements())) {
      report(cursor, at, tensor, {fmt::format("{} takes {} strings and is given {}", spelled_type(tensor),
                                              tensor.elements(), tensor.strings.size())});
    }
    tensor.data = Bytes{};
    return;
  }
  std::vector<std::byte> bytes = reader.take();
  const std::size_t width = number_bytes(tensor.dtype);
  std::optional<Fault> fault = count_fault(tensor, bytes.size() / width, width);
  if (!fault) fault = bytes_fault(tensor, bytes);
  if (fault) return report(cursor, at, tensor, *fault);
  tensor.data = Bytes::own(std::move(bytes));
}

TensorData read_tensor(Cursor& cursor, const Token& at, const ValueType& type) {
  TensorData tensor = tensor_of(cursor, at, type);
  const bool named = cursor.ahead().is_name();
  if (named) tensor.name = cursor.name("a tensor's name");
  const bool equals = cursor.accept('=');
  if (cursor.at('{') || ((named || equals) && cursor.at('['))) {
    read_data(cursor, tensor, MissingData::refused);
  } else if (tensor.elements() > 0) {
    report(cursor, at, tensor, {fmt::format("{} has no data", spelled_type(tensor))});
  } else {
    tensor.data = Bytes{};
  }
  return tensor;
}

SparseTensorData read_sparse_data(Cursor& cursor, const Token& at, const ValueType& type) {
  SparseTensorData sparse;
  ValueType dense = type;
  dense.kind = ValueType::Kind::tensor;
  sparse.dims = tensor_of(cursor, at, dense).dims;
  const auto part = [&] {
    const Token start = cursor.ahead();
    if (!begins_type(start)) return cursor.expected("a tensor of a sparse one's values or indices"), TensorData();
    const ValueType part_type = read_type(cursor);
    return read_tensor(cursor, start, part_type);
  };
  cursor.expect('{', "before a sparse tensor's values");
  sparse.values = part();
  cursor.expect(',', "between a sparse tensor's values and indices");
  sparse.indices = part();
  cursor.expect('}', "after a sparse tensor's indices");
  if (!cursor.ok()) return sparse;
  if (sparse.values.dtype != type.dtype) cursor.wrong(at, "a sparse tensor's values are of another type than it is");
  if (const std::optional<Fault> fault = sparse_fault(sparse)) report(cursor, at, sparse.values, *fault);
  return sparse;
}

std::vector<std::pair<std::string, std::string>> read_string_entries(Cursor& cursor) {
  std::vector<std::pair<std::string, std::string>> entries;
  cursor.expect('[', "before a list of strings");
  if (cursor.accept(']')) return entries;
  do {
    std::string key = cursor.text("a key");
    cursor.expect(':', "after a key");
    entries.emplace_back(std::move(key), cursor.text("a value"));
  } while (cursor.accept(','));
  cursor.expect(']', "after a list of strings");
  return entries;
}

bool at_number(const Cursor& cursor) {
  const Token& token = cursor.ahead();
  return token.kind == Token::Kind::integer || token.kind == Token::Kind::real ||
         (token.kind == Token::Kind::identifier && is_float_word(token.text));
}

float read_float(Cursor& cursor) {
  const Token token = cursor.take();
  const std::optional<float> value = parse_decimal<float>(token.text);
  if (!value) cursor.wrong(token, fmt::format("{} is no float32", described(token)));
  return value.value_or(0.0F);
}

}  // namespace loam::onnxtext
