// What the tests of kernels over strided operands share: values laid out in ways a kernel must not mind.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "ops/strided_reference.hpp"

namespace loam::laid {

template <int>
struct Axis {};
using A = Axis<0>;
using B = Axis<1>;
using C = Axis<2>;
using D = Axis<3>;
using E = Axis<4>;
using F = Axis<5>;

// Awkward: axes inside out, a gap after each, every other one running backward.
enum class Layout { Dense, Awkward };
inline constexpr Layout layouts[] = {Layout::Dense, Layout::Awkward};

template <class T, class... Axes>
struct Laid {
  std::unique_ptr<T[]> storage;
  Value<Cpu, T, Axes...> value;

  View<T> view() const {
    View<T> v{value.storage + value.dims.offset, value.dims};
    v.dims.offset = 0;
    return v;
  }
  // Row-major, as doubles.
  std::vector<double> elements() const {
    std::vector<double> out;
    const Dims& d = value.dims;
    for (std::int64_t n = 0; n < d.elements(); ++n) {
      std::int64_t rest = n, offset = d.offset;
      for (int i = d.rank; i-- > 0;) {
        offset += rest % d.extent(i) * d.stride(i);
        rest /= d.extent(i);
      }
      out.push_back(static_cast<double>(storage[static_cast<std::size_t>(offset)]));
    }
    return out;
  }
};

// Elements that repeat where there are fewer than the extents hold.
template <class T, class... Axes>
Laid<T, Axes...> lay(std::array<std::int64_t, sizeof...(Axes)> extents, const std::vector<double>& elements,
                     Layout layout = Layout::Dense) {
  Laid<T, Axes...> laid;
  Dims d{std::span<const std::int64_t>(extents.data(), extents.size())};
  const std::int64_t count = d.elements();
  std::int64_t room = count;
  if (layout == Layout::Awkward) {
    room = 1;
    for (std::size_t i = 0; i < extents.size(); ++i) {
      d.strides[i] = room;
      room *= extents[i] + 1;
      if (i % 2 == 1) continue;
      if (extents[i] > 0) d.offset += (extents[i] - 1) * d.strides[i];
      d.strides[i] = -d.strides[i];
    }
  }
  laid.storage = std::make_unique<T[]>(static_cast<std::size_t>(room) + 1);
  for (std::int64_t i = 0; i < room; ++i) laid.storage[static_cast<std::size_t>(i)] = reference::narrow<T>(77);
  for (std::int64_t n = 0; n < count; ++n) {
    std::int64_t rest = n, offset = d.offset;
    for (int i = d.rank; i-- > 0;) {
      offset += rest % d.extent(i) * d.stride(i);
      rest /= d.extent(i);
    }
    const double v = elements.empty() ? 77 : elements[static_cast<std::size_t>(n) % elements.size()];
    laid.storage[static_cast<std::size_t>(offset)] = reference::narrow<T>(v);
  }
  laid.value.storage = laid.storage.get();
  laid.value.dims = d;
  return laid;
}
template <class T, class... Axes>
Laid<T, Axes...> blank(std::array<std::int64_t, sizeof...(Axes)> extents) { return lay<T, Axes...>(extents, {}); }

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  std::int64_t integer(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(engine_);
  }
  std::vector<double> reals(std::int64_t n, double low = -2, double high = 2) {
    std::uniform_real_distribution<double> d(low, high);
    return fill(n, [&] { return d(engine_); });
  }
  std::vector<double> integers(std::int64_t n, std::int64_t low, std::int64_t high) {
    return fill(n, [&] { return static_cast<double>(integer(low, high)); });
  }

 private:
  template <class F>
  static std::vector<double> fill(std::int64_t n, F f) {
    std::vector<double> v(static_cast<std::size_t>(n));
    for (double& x : v) x = f();
    return v;
  }
  std::mt19937 engine_;
};

inline std::vector<double> counting(std::int64_t n, double first = 0) {
  std::vector<double> v;
  for (std::int64_t i = 0; i < n; ++i) v.push_back(first + static_cast<double>(i));
  return v;
}

inline void expect_close(const std::vector<double>& got, const std::vector<double>& want, double tolerance = 1e-5) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(want[i]) && std::isnan(got[i])) continue;
    if (got[i] == want[i]) continue;
    ASSERT_LE(std::abs(got[i] - want[i]), tolerance * (1 + std::abs(want[i]))) << "at " << i;
  }
}

}  // namespace loam::laid
