// What the ops' tests share: random tensors on any strides, and comparison that counts matching NaNs and
// infinities equal.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "runtime/cpu.hpp"

namespace loam::testing {

using Shape = std::vector<std::int64_t>;

inline std::int64_t count(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>{});
}

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::int64_t integer(std::int64_t least, std::int64_t greatest) {
    return std::uniform_int_distribution<std::int64_t>(least, greatest)(engine_);
  }
  double real(double least, double greatest) {
    return std::uniform_real_distribution<double>(least, greatest)(engine_);
  }
  bool chance(double p) { return real(0, 1) < p; }
  // A number of a kind, small enough that sums of many stay exact in integers or well scaled in floats.
  template <class T>
  T number() {
    if constexpr (std::is_same_v<T, bool>) return chance(0.5);
    else if constexpr (std::is_integral_v<T>) return static_cast<T>(integer(std::is_signed_v<T> ? -100 : 0, 100));
    else return static_cast<T>(static_cast<float>(real(-2, 2)));
  }
  std::mt19937_64& engine() { return engine_; }

 private:
  std::mt19937_64 engine_;
};

// Elements and a view of them.
template <class T>
struct Sample {
  // std::vector<bool> has no elements to point at.
  std::vector<std::conditional_t<std::is_same_v<T, bool>, unsigned char, T>> storage;
  View<T> view;
};

template <class T>
T* elements_of(Sample<T>& s) { return reinterpret_cast<T*>(s.storage.data()); }

template <class T>
Sample<T> dense(const Shape& shape) {
  Sample<T> s;
  s.storage.resize(static_cast<std::size_t>(count(shape)) + 1);
  s.view = {elements_of(s), Dims(std::span<const std::int64_t>(shape.data(), shape.size()))};
  return s;
}
template <class T>
Sample<T> dense(const Shape& shape, const std::vector<double>& values) {
  Sample<T> s = dense<T>(shape);
  for (std::size_t i = 0; i < values.size(); ++i) s.view.data[i] = static_cast<T>(static_cast<compute_t<T>>(values[i]));
  return s;
}

// Random numbers on strides drawn at random: dense, or the axes in another order with gaps, reversed or repeated.
template <class T>
Sample<T> random(Random& r, const Shape& shape) {
  Sample<T> s = dense<T>(shape);
  if (r.chance(0.7)) {
    std::vector<int> order(shape.size());
    std::iota(order.begin(), order.end(), 0);
    if (r.chance(0.7)) std::shuffle(order.begin(), order.end(), r.engine());
    std::int64_t step = 1, start = 0;
    for (const int axis : order) {
      const auto i = static_cast<std::size_t>(axis);
      if (r.chance(0.1)) {
        s.view.dims.strides[i] = 0;
        continue;
      }
      if (r.chance(0.2)) step *= 2;
      s.view.dims.strides[i] = step;
      if (r.chance(0.2)) {
        s.view.dims.strides[i] = -step;
        start += step * std::max<std::int64_t>(shape[i] - 1, 0);
      }
      step *= shape[i];
    }
    s.storage.resize(static_cast<std::size_t>(std::max<std::int64_t>(step, start + 1)) + 1);
    s.view.data = elements_of(s) + start;
  }
  for (auto& e : s.storage) e = r.number<T>();
  return s;
}

template <class T>
T at(const View<T>& view, std::int64_t n) {
  std::int64_t offset = 0;
  for (int i = view.rank(); i-- > 0;) {
    offset += n % view.extent(i) * view.stride(i);
    n /= view.extent(i);
  }
  return view.data[offset];
}

inline std::string text(const Dims& dims) {
  std::string s = "[";
  for (const std::int64_t e : dims.shape()) s += (s.size() > 1 ? ", " : "") + std::to_string(e);
  return s + "]";
}

// Every element of `actual` within absolute + relative * |expected| of it; what is NaN or infinite must match.
template <class T, class U>
::testing::AssertionResult close(const View<T>& actual, const View<U>& expected, double relative = 0,
                                 double absolute = 0) {
  if (text(actual.dims) != text(expected.dims))
    return ::testing::AssertionFailure() << "shapes " << text(actual.dims) << " and " << text(expected.dims);
  for (std::int64_t i = 0; i < actual.elements(); ++i) {
    if constexpr (std::is_integral_v<T> && std::is_integral_v<U>) {
      if (at(actual, i) != at(expected, i))
        return ::testing::AssertionFailure() << "element " << i << " of " << text(actual.dims) << " is "
                                             << +at(actual, i) << ", not " << +at(expected, i);
    } else {
      const auto a = static_cast<double>(load(at(actual, i))), e = static_cast<double>(load(at(expected, i)));
      if (std::isnan(a) && std::isnan(e)) continue;
      if (a == e) continue;
      if (!(std::abs(a - e) <= absolute + relative * std::abs(e)))
        return ::testing::AssertionFailure()
               << "element " << i << " of " << text(actual.dims) << " is " << a << ", not " << e;
    }
  }
  return ::testing::AssertionSuccess();
}

// What one rounding to T loses, and what a float computation behind it may.
template <class T>
constexpr double rounding() {
  if constexpr (std::is_same_v<T, float16>) return 0x1p-11 * 1.01;
  else if constexpr (std::is_same_v<T, bfloat16>) return 0x1p-8 * 1.01;
  else if constexpr (std::is_same_v<T, double>) return 1e-14;
  else if constexpr (std::is_same_v<T, float>) return 2e-6;
  else return 0;
}

}  // namespace loam::testing
