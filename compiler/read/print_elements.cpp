#include "compiler/read/print_elements.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <span>

#include "compiler/read/wire.hpp"

namespace loam::onnxtext {
namespace {

constexpr std::size_t columns = 120;

class ElementsPrinter {
 public:
  ElementsPrinter(std::size_t indent, std::string& out)
      : indent_(indent), out_(out), line_length_(indent) {}  // what stands before the elements is not counted

  void print(const TensorData& tensor);

 private:
  // The numbers that stand in the bytes, each an Unsigned, as `Number` reads its bits.
  template <class Unsigned, class Number>
  void numbers(std::span<const std::byte> bytes) {
    for (; bytes.size() >= sizeof(Unsigned); bytes = bytes.subspan(sizeof(Unsigned))) {
      scratch_.clear();
      const auto number = std::bit_cast<Number>(wire::little_endian<Unsigned>(bytes.data()));
      fmt::format_to(std::back_inserter(scratch_), "{}", number);
      element(scratch_);
    }
  }
  void numbers(DType type, std::span<const std::byte> bytes);

  void element(std::string_view text) {
    if (any_) out_ += ',';
    const bool breaks = any_ && line_length_ + text.size() + 3 > columns;  // a space before it, and what follows it
    if (breaks) {
      (out_ += '\n').append(indent_, ' ');
      line_length_ = indent_;
    } else if (any_) {
      out_ += ' ';
    }
    out_ += text;
    line_length_ += text.size() + 2;
    any_ = true;
  }

  std::size_t indent_;
  std::string& out_;
  std::size_t line_length_;
  std::string scratch_;
  bool any_ = false;
};

void ElementsPrinter::print(const TensorData& tensor) {
  out_ += '{';
  for (const std::string& text : tensor.strings) element(in_quotes(text));
  if (const auto* bytes = std::get_if<Bytes>(&tensor.data)) numbers(tensor.dtype, bytes->span());
  out_ += '}';
}

// A type without numbers of its own has its bits as an integer, and a packed one its bytes.
void ElementsPrinter::numbers(DType type, std::span<const std::byte> bytes) {
  switch (type) {
    case DType::undefined:
    case DType::string: return;
    case DType::float32:
    case DType::complex64: return numbers<std::uint32_t, float>(bytes);
    case DType::float64:
    case DType::complex128: return numbers<std::uint64_t, double>(bytes);
    case DType::int64: return numbers<std::uint64_t, std::int64_t>(bytes);
    case DType::uint64: return numbers<std::uint64_t, std::uint64_t>(bytes);
    case DType::int32: return numbers<std::uint32_t, std::int32_t>(bytes);
    case DType::uint32: return numbers<std::uint32_t, std::uint32_t>(bytes);
    case DType::int16: return numbers<std::uint16_t, std::int16_t>(bytes);
    case DType::uint16:
    case DType::float16:
    case DType::bfloat16: return numbers<std::uint16_t, std::uint16_t>(bytes);
    case DType::int8: return numbers<std::uint8_t, std::int8_t>(bytes);
    default: return numbers<std::uint8_t, std::uint8_t>(bytes);
  }
}

}  // namespace

std::string in_quotes(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted += '"';
}

void print_elements(const TensorData& tensor, std::size_t indent, std::string& out) {
  ElementsPrinter(indent, out).print(tensor);
}

}  // namespace loam::onnxtext
