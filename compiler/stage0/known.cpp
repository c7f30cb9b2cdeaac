#include "compiler/stage0/known.hpp"

#include <bit>
#include <cmath>
#include <cstring>

#include "runtime/half.hpp"

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

std::int64_t read_packed(const std::byte* p, std::size_t i, int bits, bool is_signed) {
  const std::size_t bit = i * static_cast<std::size_t>(bits);
  const int code = (static_cast<int>(p[bit / 8]) >> (bit % 8)) & ((1 << bits) - 1);
  return is_signed && code >= 1 << (bits - 1) ? code - (1 << bits) : code;
}

}  // namespace

bool Known::constant() const {
  for (const Scalar& e : elements)
    if (const auto* p = std::get_if<Polynomial>(&e); p && !p->is_constant()) return false;
  return true;
}

double round_to(DType type, double value) {
  switch (type) {
    case DType::float16: return static_cast<float>(float16(static_cast<float>(value)));
    case DType::bfloat16: return static_cast<float>(bfloat16(static_cast<float>(value)));
    case DType::float32: return static_cast<float>(value);
    default: return value;
  }
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
    default: return v;
  }
}

std::optional<Known> known_from(const TensorData& tensor) {
  const auto* bytes = std::get_if<Bytes>(&tensor.data);
  const std::int64_t n = tensor.elements();
  if (!bytes || n > most_known) return std::nullopt;
  Known known{tensor.dtype, tensor.dims, {}};
  known.elements.reserve(static_cast<std::size_t>(n));
  const std::byte* p = bytes->span().data();
  for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
    switch (tensor.dtype) {
      case DType::float32: known.elements.emplace_back(static_cast<double>(read<float>(p + 4 * i))); break;
      case DType::float64: known.elements.emplace_back(read<double>(p + 8 * i)); break;
      case DType::float16: known.elements.emplace_back(static_cast<double>(detail::widen_half(read<std::uint16_t>(p + 2 * i)))); break;
      case DType::bfloat16:
        known.elements.emplace_back(static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(read<std::uint16_t>(p + 2 * i)) << 16)));
        break;
      case DType::boolean: known.elements.emplace_back(Polynomial(read<std::uint8_t>(p + i) != 0)); break;
      case DType::int8: known.elements.emplace_back(Polynomial(read<std::int8_t>(p + i))); break;
      case DType::uint8: known.elements.emplace_back(Polynomial(read<std::uint8_t>(p + i))); break;
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
      case DType::int4: known.elements.emplace_back(Polynomial(read_packed(p, i, 4, true))); break;
      case DType::uint4: known.elements.emplace_back(Polynomial(read_packed(p, i, 4, false))); break;
      case DType::int2: known.elements.emplace_back(Polynomial(read_packed(p, i, 2, true))); break;
      case DType::uint2: known.elements.emplace_back(Polynomial(read_packed(p, i, 2, false))); break;
      default: return std::nullopt;
    }
  }
  return known;
}

std::vector<std::byte> known_bytes(const Known& known) {
  std::vector<std::byte> out;
  for (std::size_t i = 0; i < known.elements.size(); ++i) {
    if (const auto* d = std::get_if<double>(&known.elements[i])) {
      const auto f = static_cast<float>(*d);
      switch (known.dtype) {
        case DType::float64: append(out, *d); break;
        case DType::float16: append(out, float16(f).bits); break;
        case DType::bfloat16: append(out, bfloat16(f).bits); break;
        default: append(out, f); break;
      }
      continue;
    }
    const std::int64_t v = known.integer(i).constant_term();
    switch (dtype_bits(known.dtype)) {
      case 8: append(out, static_cast<std::uint8_t>(v)); break;
      case 16: append(out, static_cast<std::uint16_t>(v)); break;
      case 32: append(out, static_cast<std::uint32_t>(v)); break;
      default: append(out, v); break;
    }
  }
  return out;
}

}  // namespace loam
