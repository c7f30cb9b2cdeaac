#include "compiler/stage0/known.hpp"

#include <cstring>

#include "runtime/narrow.hpp"

namespace loam {

namespace {

template <class T>
T read(const std::byte* p) {
  T value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

template <class T>
void append(std::vector<std::byte>& out, T value) {
  const auto* p = reinterpret_cast<const std::byte*>(&value);
  out.insert(out.end(), p, p + sizeof value);
}

// Calls f with an element of the float type, which is stored in fewer bits than it is computed in.
template <class F>
auto with_short_float(DType type, const F& f) {
  switch (type) {
    case DType::bfloat16: return f(bfloat16());
    case DType::float8e4m3fn: return f(float8e4m3fn());
    case DType::float8e4m3fnuz: return f(float8e4m3fnuz());
    case DType::float8e5m2: return f(float8e5m2());
    case DType::float8e5m2fnuz: return f(float8e5m2fnuz());
    case DType::float8e8m0: return f(float8e8m0());
    case DType::float4e2m1: return f(float4e2m1());
    default: return f(float16());
  }
}

}  // namespace

bool Known::constant() const {
  for (const Scalar& e : elements)
    if (const auto* p = std::get_if<Polynomial>(&e); p && !p->is_constant()) return false;
  return true;
}

double round_to(DType type, double value) { return round_to(type, value, {.saturates = false}); }

double round_to(DType type, double value, Narrowing how) {
  if (type == DType::float64 || !is_float(type)) return value;
  const auto single = static_cast<float>(value);
  if (type == DType::float32) return single;
  return with_short_float(type, [&]<class T>(T) -> double {
    if constexpr (std::is_constructible_v<T, float, Narrowing>) return float(T(single, how));
    else return float(T(single));
  });
}

std::int64_t wrap_to(DType type, std::int64_t v) {
  switch (type) {
    case DType::boolean: return v != 0;
    case DType::int8: return static_cast<std::int8_t>(v);
    case DType::uint8: return static_cast<std::uint8_t>(v);
    case DType::int16: return static_cast<std::int16_t>(v);
    case DType::uint16: return static_cast<std::uint16_t>(v);
    case DType::int32: return static_cast<std::int32_t>(v);
    case DType::uint32: return static_cast<std::uint32_t>(v);
    case DType::int4: return int4(static_cast<std::int8_t>(v));
    case DType::uint4: return uint4(static_cast<std::uint8_t>(v));
    case DType::int2: return int2(static_cast<std::int8_t>(v));
    case DType::uint2: return uint2(static_cast<std::uint8_t>(v));
    default: return v;
  }
}

std::optional<Known> known_from(const TensorData& tensor) {
  const auto* bytes = std::get_if<Bytes>(&tensor.data);
  const std::int64_t n = tensor.elements();
  if (!bytes || n > most_known) return std::nullopt;
  Known known{tensor.dtype, tensor.dims, {}};
  known.elements.reserve(static_cast<std::size_t>(n));
  const std::vector<std::byte> whole = unpacked(tensor.dtype, bytes->span(), n);
  const std::byte* p = whole.data();
  for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
    switch (tensor.dtype) {
      case DType::float32: known.elements.emplace_back(static_cast<double>(read<float>(p + 4 * i))); break;
      case DType::float64: known.elements.emplace_back(read<double>(p + 8 * i)); break;
      case DType::boolean: known.elements.emplace_back(Polynomial(read<std::uint8_t>(p + i) != 0)); break;
      case DType::int2: case DType::int4: case DType::int8: known.elements.emplace_back(Polynomial(read<std::int8_t>(p + i))); break;
      case DType::uint2: case DType::uint4: case DType::uint8: known.elements.emplace_back(Polynomial(read<std::uint8_t>(p + i))); break;
      case DType::int16: known.elements.emplace_back(Polynomial(read<std::int16_t>(p + 2 * i))); break;
      case DType::uint16: known.elements.emplace_back(Polynomial(read<std::uint16_t>(p + 2 * i))); break;
      case DType::int32: known.elements.emplace_back(Polynomial(read<std::int32_t>(p + 4 * i))); break;
      case DType::uint32: known.elements.emplace_back(Polynomial(read<std::uint32_t>(p + 4 * i))); break;
      case DType::int64: known.elements.emplace_back(Polynomial(read<std::int64_t>(p + 8 * i))); break;
      case DType::uint64: {
        const auto v = read<std::uint64_t>(p + 8 * i);
        if (v > static_cast<std::uint64_t>(INT64_MAX)) return std::nullopt;
        known.elements.emplace_back(Polynomial(static_cast<std::int64_t>(v)));
        break;
      }
      default:
        if (!is_float(tensor.dtype)) return std::nullopt;
        known.elements.emplace_back(with_short_float(
            tensor.dtype, [&]<class T>(T) { return static_cast<double>(float(read<T>(p + sizeof(T) * i))); }));
    }
  }
  return known;
}

std::vector<std::byte> known_bytes(const Known& known) {
  std::vector<std::byte> out;
  for (std::size_t i = 0; i < known.elements.size(); ++i) {
    if (const auto* d = std::get_if<double>(&known.elements[i])) {
      const auto f = static_cast<float>(*d);
      if (known.dtype == DType::float64) append(out, *d);
      else if (known.dtype == DType::float32) append(out, f);
      else with_short_float(known.dtype, [&]<class T>(T) { append(out, T(f)); });
      continue;
    }
    const std::int64_t v = known.integer(i).constant_term();
    switch (dtype_bits(known.dtype)) {
      case 2: case 4: case 8: append(out, static_cast<std::uint8_t>(v)); break;
      case 16: append(out, static_cast<std::uint16_t>(v)); break;
      case 32: append(out, static_cast<std::uint32_t>(v)); break;
      default: append(out, v); break;
    }
  }
  return packed(known.dtype, out);
}

}  // namespace loam
