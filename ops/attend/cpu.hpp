#pragma once

#include <algorithm>
#include <cstdint>

#include "ops/attend/attend.hpp"
#include "ops/attend/scores.hpp"
#include "ops/matmul/gemm.hpp"
#include "ops/matmul/thin.hpp"
#include "runtime/cpu.hpp"
#include "runtime/threads.hpp"
#include "runtime/walk.hpp"

namespace loam {

namespace detail {

// The last two axes.
template <class T>
Matrix<T> matrix_of(const View<T>& x) { return {x.data, x.stride(x.rank() - 2), x.stride(x.rank() - 1)}; }

// The operands of an attention, and how they lie. Its batches walk q, keys, v and the result.
template <class T, class TQ, class TK, class TV>
struct Attention {
  std::int64_t batch, rows, keys, depth, width;
  Walk<4> batches;
  Matrix<TQ> q;
  Matrix<TK> k;
  Matrix<TV> v;
  T* out;
  std::int64_t row, column;  // of the result

  Attention(const View<T>& out_view, const View<TQ>& q_view, const View<TK>& k_view, const View<TV>& v_view)
      : rows(out_view.extent(out_view.rank() - 2)), keys(k_view.extent(k_view.rank() - 1)), depth(q_view.extent(q_view.rank() - 1)),
        width(out_view.extent(out_view.rank() - 1)), q(matrix_of(q_view)), k(matrix_of(k_view)), v(matrix_of(v_view)), out(out_view.data),
        row(out_view.stride(out_view.rank() - 2)), column(out_view.stride(out_view.rank() - 1)) {
    const auto step = [&](const auto& view, int axis) {
      const int i = axis - out_view.rank() + view.rank();
      return i < 0 || view.extent(i) == 1 ? std::int64_t{0} : view.stride(i);
    };
    for (int i = 0; i < out_view.rank() - 2; ++i)
      batches.add(out_view.extent(i), {step(q_view, i), step(k_view, i), step(v_view, i), step(out_view, i)});
    batch = batches.count();
  }

  // A few sums of one row after another, `held` of a row, to the result from `to` on.
  template <class S>
  void put(T* to, std::int64_t count, std::int64_t columns, const S* sums, std::int64_t held) const {
    for (std::int64_t r = 0; r < count; ++r)
      for (std::int64_t j = 0; j < columns; ++j) to[r * row + j * column] = store<T>(sums[r * held + j]);
  }
};

// Calls f(begin, end, room) over parts of [0, items), each lane of which has memory of its own: `room` of so many S.
template <class S, class F>
void in_lanes(Cpu& cpu, std::int64_t items, std::int64_t lanes, S* memory, std::int64_t room, const F& f) {
  cpu.parallel(lanes, 1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t lane = first; lane < last; ++lane)
      f(items * lane / lanes, items * (lane + 1) / lanes, memory + lane * room);
  });
}

// to[r][j] = sum over k of a[r][k] * b[k][j] for a few rows, which are dense.
template <class S, class T>
void thin_product(std::int64_t rows, const S* a, std::int64_t depth, const T* data, const Matrix<T>& b, std::int64_t columns, S* to) {
  S sums[thin_rows * thin_columns];
  for (std::int64_t n = 0; n < columns; n += thin_columns) {
    const std::int64_t count = std::min(thin_columns, columns - n);
    const T* const from = data + n * b.column;
    if (b.column == 1)
      with_rows<thin_rows>(rows, [&](auto some) { thin_rowwise<some>(a, depth, from, b.row, count, sums); });
    else
      thin_columnwise(rows, a, depth, from, b.column, count, sums);
    for (std::int64_t r = 0; r < rows; ++r) std::copy_n(sums + r * thin_columns, count, to + r * columns + n);
  }
}

// Few rows: the keys and the values are read once, where they lie.
template <class T, class Rows, class TQ, class TK, class TV>
void attend_thin(Cpu& cpu, const Attention<T, TQ, TK, TV>& p, const Rows& scores) {
  using S = sum_t<T>;
  const std::int64_t lanes = lanes_of(p.batch, p.keys * (p.depth + p.width));
  const std::int64_t room = p.rows * (p.depth + p.keys + p.width);
  S* const memory = reinterpret_cast<S*>(cpu.scratch(lanes * room * static_cast<std::int64_t>(sizeof(S))));
  in_lanes(cpu, p.batch, lanes, memory, room, [&](std::int64_t begin, std::int64_t end, S* const queries) {
    S *const weights = queries + p.rows * p.depth, *const sums = weights + p.rows * p.keys;
    for (std::int64_t i = begin; i < end; ++i) {
      const auto at = p.batches.offsets(i);
      for (std::int64_t r = 0; r < p.rows; ++r)
        for (std::int64_t k = 0; k < p.depth; ++k)
          queries[r * p.depth + k] = static_cast<S>(load(p.q.data[at[0] + r * p.q.row + k * p.q.column]));
      thin_product(p.rows, queries, p.depth, p.k.data + at[1], p.k, p.keys, weights);
      for (std::int64_t r = 0; r < p.rows; ++r) scores.weigh(i * p.rows + r, weights + r * p.keys);
      thin_product(p.rows, weights, p.keys, p.v.data + at[2], p.v, p.width, sums);
      p.put(p.out + at[3], p.rows, p.width, sums, p.width);
    }
  });
}

// A tile's rows at a time, by keys and values packed into strips: the rows' scores, whole, stay in the first- or
// second-level cache, so that a weight is what an unfused softmax makes it, whatever the expressions are.
template <class T, class Rows, class TQ, class TK, class TV>
void attend_tiles(Cpu& cpu, const Attention<T, TQ, TK, TV>& p, const Rows& scores) {
  using S = sum_t<T>;
  constexpr std::int64_t strip = tile_columns<S>;
  const std::int64_t key_strips = (p.keys + strip - 1) / strip, value_strips = (p.width + strip - 1) / strip;
  const std::int64_t key_panel = key_strips * strip * p.depth, value_panel = value_strips * strip * p.keys;
  // Few keys are packed for several batches at a time, so that there is work to share.
  const std::int64_t group = std::clamp<std::int64_t>((std::int64_t{1} << 20) / (key_panel + value_panel + 1), 1, p.batch);
  const std::int64_t blocks = (p.rows + tile_rows - 1) / tile_rows, products = tile_rows * p.keys * (p.depth + p.width);
  const std::int64_t lanes = lanes_of(group * blocks, products / products_an_element);
  const std::int64_t step = key_strips * strip, room = tile_rows * (step + (p.depth + strip - 1) / strip * strip);
  S* const keys = reinterpret_cast<S*>(
      cpu.scratch((group * (key_panel + value_panel) + lanes * room) * static_cast<std::int64_t>(sizeof(S))));
  S *const values = keys + group * key_panel, *const memory = values + group * value_panel;
  for (std::int64_t first = 0; first < p.batch; first += group) {
    const std::int64_t batches = std::min(group, p.batch - first), strips = key_strips + value_strips;
    cpu.parallel(batches * strips, grain_of(strip * std::max(p.depth, p.keys)), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const auto at = p.batches.offsets(first + i / strips);
        const std::int64_t s = i % strips, v = s - key_strips;
        if (v < 0)
          pack_columns(p.k.data + at[1] + s * strip * p.k.column, p.k.row, p.k.column, std::min(strip, p.keys - s * strip),
                       p.depth, keys + i / strips * key_panel + s * strip * p.depth);
        else
          pack_columns(p.v.data + at[2] + v * strip * p.v.column, p.v.row, p.v.column, std::min(strip, p.width - v * strip),
                       p.keys, values + i / strips * value_panel + v * strip * p.keys);
      }
    });
    in_lanes(cpu, batches * blocks, lanes, memory, room, [&](std::int64_t begin, std::int64_t end, S* const weights) {
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t held = i / blocks, m = i % blocks * tile_rows, rows = std::min<std::int64_t>(tile_rows, p.rows - m);
        const std::int64_t row = (first + held) * p.rows + m;
        const auto at = p.batches.offsets(first + held);
        const TQ* const q = p.q.data + at[0] + m * p.q.row;
        const auto queries = rows_of(q, p.q.row, p.q.column, rows, p.depth, weights + tile_rows * step);
        for (std::int64_t s = 0; s < key_strips; ++s)
          multiply_tile<S>(rows, strip, p.depth, queries, keys + held * key_panel + s * strip * p.depth, weights + s * strip, step, false);
        for (std::int64_t r = 0; r < rows; ++r) scores.weigh(row + r, weights + r * step);
        for (std::int64_t v = 0; v < value_strips; ++v) {
          const std::int64_t columns = std::min(strip, p.width - v * strip);
          T* const to = p.out + at[3] + m * p.row + v * strip * p.column;
          const S* const panel = values + held * value_panel + v * strip * p.keys;
          if constexpr (stored_as_sum<T>())
            if (p.column == 1) {
              multiply_tile<S>(rows, columns, p.keys, {weights, step, 1}, panel, to, p.row, false);
              continue;
            }
          alignas(64) S sums[tile_rows * strip];
          multiply_tile<S>(rows, strip, p.keys, {weights, step, 1}, panel, sums, strip, false);
          p.put(to, rows, columns, sums, strip);
        }
      }
    });
  }
}

}  // namespace detail

template <class Score, class Weight, class T, class TQ, class TK, class TV, class... In>
void run(kernels::Attend<Score, Weight>, Cpu& cpu, const View<T>& out, const View<TQ>& q, const View<TK>& keys,
         const View<TV>& v, const In&... others) {
  if (out.elements() == 0) return;
  const detail::Attention<T, TQ, TK, TV> problem(out, q, keys, v);
  if (problem.keys == 0) {  // a sum of nothing
    problem.batches.each([&](const auto& at) {
      for (std::int64_t r = 0; r < problem.rows; ++r)
        for (std::int64_t j = 0; j < problem.width; ++j) problem.out[at[3] + r * problem.row + j * problem.column] = store<T>(0.0f);
    });
    return;
  }
  Dims dims = out.dims;
  dims.extents[static_cast<std::size_t>(dims.rank - 1)] = problem.keys;
  const detail::ScoreRows<Score, Weight, In...> scores(dims, others...);
  const auto lies_in_lines = [](const auto& matrix) { return matrix.row == 1 || matrix.column == 1; };
  if (problem.rows <= detail::thin_rows && lies_in_lines(problem.k) && lies_in_lines(problem.v))
    detail::attend_thin(cpu, problem, scores);
  else
    detail::attend_tiles(cpu, problem, scores);
}

}  // namespace loam
