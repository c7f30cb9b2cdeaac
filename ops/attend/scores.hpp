// What is done to a row of scores while it is in the cache.
#pragma once

#include <array>
#include <cstdint>
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

  // Row number `index` of all, row-major, in place.
  template <class S>
  void weigh(std::int64_t index, S* row) const {
    const std::int64_t n = dims_.extent(dims_.rank - 1);
    score(index, row, n);
    softmax_row<Softmax>(row, row, n, 1);
    fill(row, n, [=](std::int64_t i) { return store<S>(Weight{}(row[i])); });
  }

 private:
  template <class S>
  void score(std::int64_t index, S* row, std::int64_t n) const {
    std::array<std::int64_t, sizeof...(In) + 1> offsets{};
    for (int axis = dims_.rank - 2; axis >= 0; --axis) {
      const auto a = static_cast<std::size_t>(axis);
      const std::int64_t place = index % dims_.extents[a];
      index /= dims_.extents[a];
      std::apply([&](const auto&... o) { std::size_t k = 0; ((offsets[k++] += place * o.strides[a]), ...); }, operands_);
    }
    const auto inner = static_cast<std::size_t>(dims_.rank - 1);
    std::apply(
        [&]<class... O>(const O&... o) {
          [&]<std::size_t... K>(std::index_sequence<K...>) {
            // Contiguous operands get a loop of their own, which the compiler turns into vectors.
            if ((... && (o.strides[inner] == 1 || O::anywhere)))
              fill(row, n, [=](std::int64_t i) { return store<S>(Score{}(row[i], o(offsets[K] + i)...)); });
            else
              fill(row, n, [=](std::int64_t i) { return store<S>(Score{}(row[i], o(offsets[K] + i * o.strides[inner])...)); });
          }(std::index_sequence_for<O...>{});
        },
        operands_);
  }

  Dims dims_;
  std::tuple<decltype(map_operand(std::declval<const In&>(), std::declval<const Dims&>()))...> operands_;
};

}  // namespace detail

}  // namespace loam
