// What is done to a row of scores while it is in the cache.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>

#include "ops/map/rows.hpp"
#include "ops/softmax/cpu.hpp"
#include "runtime/loops.hpp"

namespace loam {

namespace detail {

// Rows of products into rows of weights. `others` meet the products of all batches, whose extents are `dims`.
template <class Score, class Weight, class... In>
class ScoreRows {
 public:
  explicit ScoreRows(const Dims& dims, const In&... others) : dims_(dims), operands_{map_operand(others, dims)...} {}

  // Row number `index` of all, row-major, in place: three passes, of scores and their greatest, of exponentials and their
  // sum, and of weights. A NaN is not the greatest, and makes the sum one.
  template <class S>
  void weigh(std::int64_t index, S* row) const {
    const std::int64_t n = dims_.extent(dims_.rank - 1);
    const S greatest = score(index, row, n);
    const S sum = fill_joined(row, n, S{0}, [=](std::int64_t i) { return fn::exp(row[i] - greatest); }, [](S a, S b) { return a + b; });
    const S scale = softmax_of_sum<Softmax, S>(sum);
    fill(row, n, [=](std::int64_t i) { return store<S>(Weight{}(row[i] * scale)); });
  }

 private:
  // Returns the greatest score.
  template <class S>
  S score(std::int64_t index, S* row, std::int64_t n) const {
    std::array<std::int64_t, sizeof...(In) + 1> offsets{};
    for (int axis = dims_.rank - 2; axis >= 0; --axis) {
      const auto a = static_cast<std::size_t>(axis);
      const std::int64_t place = index % dims_.extents[a];
      index /= dims_.extents[a];
      std::apply([&](const auto&... o) { std::size_t k = 0; ((offsets[k++] += place * o.strides[a]), ...); }, operands_);
    }
    const auto inner = static_cast<std::size_t>(dims_.rank - 1);
    const auto greatest = [](S a, S b) { return a > b ? a : b; };
    constexpr S least = -std::numeric_limits<S>::infinity();
    return std::apply(
        [&]<class... O>(const O&... o) {
          return [&]<std::size_t... K>(std::index_sequence<K...>) {
            // Contiguous operands get a loop of their own, which the compiler turns into vectors.
            if ((... && (o.strides[inner] == 1 || O::anywhere)))
              return fill_joined(row, n, least, [=](std::int64_t i) { return store<S>(Score{}(row[i], o(offsets[K] + i)...)); }, greatest);
            return fill_joined(row, n, least, [=](std::int64_t i) { return store<S>(Score{}(row[i], o(offsets[K] + i * o.strides[inner])...)); },
                               greatest);
          }(std::index_sequence_for<O...>{});
        },
        operands_);
  }

  Dims dims_;
  std::tuple<decltype(map_operand(std::declval<const In&>(), std::declval<const Dims&>()))...> operands_;
};

}  // namespace detail

}  // namespace loam
