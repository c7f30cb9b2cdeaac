// Element types, numbered as ONNX's TensorProto.DataType.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace loam {

enum class DType : std::uint8_t {
  undefined = 0, float32 = 1, uint8 = 2, int8 = 3, uint16 = 4, int16 = 5, int32 = 6, int64 = 7, string = 8,
  boolean = 9, float16 = 10, float64 = 11, uint32 = 12, uint64 = 13, complex64 = 14, complex128 = 15, bfloat16 = 16,
  float8e4m3fn = 17, float8e4m3fnuz = 18, float8e5m2 = 19, float8e5m2fnuz = 20, uint4 = 21, int4 = 22,
  float4e2m1 = 23, float8e8m0 = 24, uint2 = 25, int2 = 26,
};

// "float32", "bool", ...: ONNX's own word in lower case.
std::string_view dtype_name(DType type);
// Bits one element takes where it is stored densely: 2 and 4 for the packed types, 0 for string and undefined.
int dtype_bits(DType type);
bool is_integer(DType type);   // the signed and unsigned integers, sub-byte ones included; not bool
bool is_signed(DType type);    // signed integers and every float
bool is_float(DType type);     // float16, bfloat16, float32, float64, float8*, float4*
bool is_narrow(DType type);    // float8*, float4* and the sub-byte integers: the structs of runtime/narrow.hpp
// The C++ spelling in a generated module: "float", "std::int64_t", "loam::float16", ...; empty where there is none.
std::string_view dtype_cpp(DType type);
// Safetensors' words: "F32", "F16", "BF16", "I64", ...
std::optional<DType> dtype_from_safetensors(std::string_view word);
std::string_view dtype_to_safetensors(DType type);  // empty where there is none
// ONNX's TensorProto.DataType, where Loam knows it; not undefined.
std::optional<DType> dtype_from_onnx(std::int64_t number);

// The elements of a tensor of these dims. Absent where a dim is negative or the product of the others than zero is past
// 2^63 - 1, so that it can be multiplied out in any order.
std::optional<std::int64_t> element_count(std::span<const std::int64_t> dims);
// The bytes they take, stored densely. Absent for string and undefined, and past 2^64 - 1.
std::optional<std::uint64_t> dense_bytes(DType type, std::int64_t elements);

// Elements stored densely as a module holds them, and back: what takes less than a byte in a file, low bits first, is
// one in a tensor, a signed integer under its sign. Of the other types the bytes are what they are.
std::vector<std::byte> unpacked(DType type, std::span<const std::byte> bytes, std::int64_t elements);
std::vector<std::byte> packed(DType type, std::span<const std::byte> bytes);

}  // namespace loam
