#include "compiler/graph/dtype.hpp"

#include <array>
#include <cstddef>
#include <limits>

namespace loam {
namespace {

enum class Class : std::uint8_t { other, unsigned_integer, signed_integer, floating };

struct Row {
  std::string_view name;
  int bits;
  Class kind;
  std::string_view cpp;
  std::string_view safetensors;
};

// In the order of the enumeration.
constexpr std::array<Row, 27> rows{{
    {"undefined", 0, Class::other, "", ""},
    {"float32", 32, Class::floating, "float", "F32"},
    {"uint8", 8, Class::unsigned_integer, "std::uint8_t", "U8"},
    {"int8", 8, Class::signed_integer, "std::int8_t", "I8"},
    {"uint16", 16, Class::unsigned_integer, "std::uint16_t", "U16"},
    {"int16", 16, Class::signed_integer, "std::int16_t", "I16"},
    {"int32", 32, Class::signed_integer, "std::int32_t", "I32"},
    {"int64", 64, Class::signed_integer, "std::int64_t", "I64"},
    {"string", 0, Class::other, "std::string_view", ""},
    {"bool", 8, Class::other, "bool", "BOOL"},
    {"float16", 16, Class::floating, "loam::float16", "F16"},
    {"float64", 64, Class::floating, "double", "F64"},
    {"uint32", 32, Class::unsigned_integer, "std::uint32_t", "U32"},
    {"uint64", 64, Class::unsigned_integer, "std::uint64_t", "U64"},
    {"complex64", 64, Class::other, "", "C64"},
    {"complex128", 128, Class::other, "", ""},
    {"bfloat16", 16, Class::floating, "loam::bfloat16", "BF16"},
    {"float8e4m3fn", 8, Class::floating, "loam::float8e4m3fn", "F8_E4M3"},
    {"float8e4m3fnuz", 8, Class::floating, "loam::float8e4m3fnuz", "F8_E4M3FNUZ"},
    {"float8e5m2", 8, Class::floating, "loam::float8e5m2", "F8_E5M2"},
    {"float8e5m2fnuz", 8, Class::floating, "loam::float8e5m2fnuz", "F8_E5M2FNUZ"},
    {"uint4", 4, Class::unsigned_integer, "loam::uint4", ""},
    {"int4", 4, Class::signed_integer, "loam::int4", ""},
    {"float4e2m1", 4, Class::floating, "loam::float4e2m1", "F4"},
    {"float8e8m0", 8, Class::floating, "loam::float8e8m0", "F8_E8M0"},
    {"uint2", 2, Class::unsigned_integer, "loam::uint2", ""},
    {"int2", 2, Class::signed_integer, "loam::int2", ""},
}};

const Row& row(DType type) { return rows[static_cast<std::size_t>(type)]; }

}  // namespace

std::string_view dtype_name(DType type) { return row(type).name; }
int dtype_bits(DType type) { return row(type).bits; }
std::string_view dtype_cpp(DType type) { return row(type).cpp; }
std::string_view dtype_to_safetensors(DType type) { return row(type).safetensors; }

bool is_integer(DType type) {
  return row(type).kind == Class::unsigned_integer || row(type).kind == Class::signed_integer;
}

bool is_signed(DType type) { return row(type).kind == Class::signed_integer || row(type).kind == Class::floating; }

bool is_float(DType type) { return row(type).kind == Class::floating; }

bool is_narrow(DType type) { return dtype_bits(type) <= 8 && dtype_cpp(type).starts_with("loam::"); }

std::optional<DType> dtype_from_safetensors(std::string_view word) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (!word.empty() && rows[i].safetensors == word) return static_cast<DType>(i);
  return std::nullopt;
}

std::optional<DType> dtype_from_onnx(std::int64_t number) {
  if (number <= 0 || number >= static_cast<std::int64_t>(rows.size())) return std::nullopt;
  return static_cast<DType>(number);
}

std::optional<std::int64_t> element_count(std::span<const std::int64_t> dims) {
  std::int64_t product = 1;
  bool empty = false;
  for (const std::int64_t dim : dims) {
    if (dim < 0) return std::nullopt;
    if (dim == 0) {
      empty = true;
    } else if (__builtin_mul_overflow(product, dim, &product)) {
      return std::nullopt;
    }
  }
  return empty ? 0 : product;
}

std::optional<std::uint64_t> dense_bytes(DType type, std::int64_t elements) {
  const int bits = dtype_bits(type);
  if (bits == 0 || elements < 0) return std::nullopt;
  const auto count = static_cast<std::uint64_t>(elements);
  if (bits < 8) {
    const auto in_a_byte = static_cast<std::uint64_t>(8 / bits);
    return count / in_a_byte + (count % in_a_byte != 0 ? 1 : 0);
  }
  const auto width = static_cast<std::uint64_t>(bits / 8);
  if (count > std::numeric_limits<std::uint64_t>::max() / width) return std::nullopt;
  return count * width;
}

std::vector<std::byte> unpacked(DType type, std::span<const std::byte> bytes, std::int64_t elements) {
  const int bits = dtype_bits(type);
  if (bits == 0 || bits >= 8) return {bytes.begin(), bytes.end()};
  const bool extends = row(type).kind == Class::signed_integer;
  std::vector<std::byte> out(static_cast<std::size_t>(elements));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t bit = i * static_cast<std::size_t>(bits);
    int code = (std::to_integer<int>(bytes[bit / 8]) >> (bit % 8)) & ((1 << bits) - 1);
    if (extends && code >= 1 << (bits - 1)) code -= 1 << bits;
    out[i] = static_cast<std::byte>(code);
  }
  return out;
}

std::vector<std::byte> packed(DType type, std::span<const std::byte> bytes) {
  const int bits = dtype_bits(type);
  if (bits == 0 || bits >= 8) return {bytes.begin(), bytes.end()};
  const auto in_a_byte = static_cast<std::size_t>(8 / bits);
  std::vector<std::byte> out((bytes.size() + in_a_byte - 1) / in_a_byte);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::byte code = bytes[i] & static_cast<std::byte>((1 << bits) - 1);
    out[i / in_a_byte] |= code << (i % in_a_byte * static_cast<std::size_t>(bits));
  }
  return out;
}

}  // namespace loam
