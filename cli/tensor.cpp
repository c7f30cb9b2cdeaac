#include "cli/tensor.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "cli/failure.hpp"
#include "cli/strings.hpp"
#include "runtime/narrow.hpp"

namespace loam::cli {
namespace {

template <class T>
T element(const void* data, std::size_t index) {
  T value;
  std::memcpy(&value, static_cast<const std::byte*>(data) + index * sizeof(T), sizeof(T));
  return value;
}

template <class T>
double as_double(const void* data, std::size_t index) {
  return static_cast<double>(load(element<T>(data, index)));
}

std::string print_element(const harness::RawTensor& t, std::size_t i) {
  switch (dtype_of(t)) {
    case DType::string:
      return quoted(string_element(t.data, static_cast<std::size_t>(elements_of(t)), i));
    case DType::boolean:
      return element<std::uint8_t>(t.data, i) ? "true" : "false";
    case DType::int64:
      return std::to_string(element<std::int64_t>(t.data, i));
    case DType::uint64:
      return std::to_string(element<std::uint64_t>(t.data, i));
    case DType::float32:
      return fmt::format("{:g}", element<float>(t.data, i));
    default:
      return fmt::format("{:g}", element_as_double(dtype_of(t), t.data, i));
  }
}

void print_axis(const harness::RawTensor& t, std::size_t axis, std::size_t first, std::string& out) {
  constexpr std::int64_t edge = 3;  // places shown on each side of a long axis
  const std::span<const std::int64_t> extents = extents_of(t);
  if (axis == extents.size()) {
    out += print_element(t, first);
    return;
  }
  std::size_t stride = 1;
  for (const std::int64_t extent : extents.subspan(axis + 1)) stride *= static_cast<std::size_t>(extent);
  const bool last = axis + 1 == extents.size();
  const bool cut = extents[axis] > 2 * edge && (elements_of(t) > 100 || extents[axis] > 100);
  out += '[';
  for (std::int64_t i = 0; i < extents[axis]; ++i) {
    if (i > 0) out += last ? ", " : ",\n" + std::string(axis + 1, ' ');
    if (cut && i == edge) {
      out += "...";
      i = extents[axis] - edge - 1;
      continue;
    }
    print_axis(t, axis + 1, first + static_cast<std::size_t>(i) * stride, out);
  }
  out += ']';
}

}  // namespace

harness::RawTensor HostTensor::raw() const {
  harness::RawTensor tensor{};
  if (extents.size() > std::size(tensor.extents)) throw Failure("a tensor has more than 8 axes");
  tensor.dtype = static_cast<std::int32_t>(dtype);
  tensor.rank = static_cast<std::int32_t>(extents.size());
  std::copy(extents.begin(), extents.end(), tensor.extents);
  tensor.data = data.data();
  tensor.bytes = data.size();
  return tensor;
}

DType dtype_of(const harness::RawTensor& tensor) { return dtype_from_onnx(tensor.dtype).value_or(DType::undefined); }

std::span<const std::int64_t> extents_of(const harness::RawTensor& tensor) {
  return {tensor.extents, static_cast<std::size_t>(std::clamp(tensor.rank, 0, 8))};
}

std::int64_t elements_of(const harness::RawTensor& tensor) { return element_count(extents_of(tensor)).value_or(0); }

std::string describe(DType dtype, std::span<const std::int64_t> extents) {
  return fmt::format("{}[{}]", dtype_name(dtype), fmt::join(extents, ", "));
}

std::string print_elements(const harness::RawTensor& tensor) {
  const DType dtype = dtype_of(tensor);
  if (dtype == DType::undefined || dtype == DType::complex64 || dtype == DType::complex128) return "(not shown)";
  std::string text;
  print_axis(tensor, 0, 0, text);
  return text;
}

double element_as_double(DType dtype, const void* data, std::size_t index) {
  switch (dtype) {
    case DType::float32:
      return static_cast<double>(element<float>(data, index));
    case DType::float64:
      return element<double>(data, index);
    case DType::float16:
      return as_double<float16>(data, index);
    case DType::bfloat16:
      return as_double<bfloat16>(data, index);
    case DType::int8:
    case DType::int4:
    case DType::int2:
      return element<std::int8_t>(data, index);
    case DType::int16:
      return element<std::int16_t>(data, index);
    case DType::int32:
      return element<std::int32_t>(data, index);
    case DType::int64:
      return static_cast<double>(element<std::int64_t>(data, index));
    case DType::boolean:
    case DType::uint8:
    case DType::uint4:
    case DType::uint2:
      return element<std::uint8_t>(data, index);
    case DType::uint16:
      return element<std::uint16_t>(data, index);
    case DType::uint32:
      return element<std::uint32_t>(data, index);
    case DType::uint64:
      return static_cast<double>(element<std::uint64_t>(data, index));
    case DType::float4e2m1:
      return as_double<float4e2m1>(data, index);
    case DType::float8e4m3fn:
      return as_double<float8e4m3fn>(data, index);
    case DType::float8e4m3fnuz:
      return as_double<float8e4m3fnuz>(data, index);
    case DType::float8e5m2:
      return as_double<float8e5m2>(data, index);
    case DType::float8e5m2fnuz:
      return as_double<float8e5m2fnuz>(data, index);
    case DType::float8e8m0:
      return as_double<float8e8m0>(data, index);
    default:
      return std::numeric_limits<double>::quiet_NaN();
  }
}

}  // namespace loam::cli
