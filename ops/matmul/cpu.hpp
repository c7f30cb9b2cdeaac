#pragma once

#include <algorithm>
#include <utility>

#include "ops/matmul/columns.hpp"
#include "ops/matmul/gemm.hpp"
#include "ops/matmul/matmul.hpp"
#include "ops/matmul/thin.hpp"
#include "runtime/cpu.hpp"
#include "runtime/walk.hpp"

namespace loam {

namespace detail {

// The walk with its two lists exchanged.
inline Walk<2> exchanged(const Walk<2>& walk) {
  Walk<2> other;
  for (int i = 0; i < walk.rank(); ++i) other.add(walk.extent(i), {walk.strides(i)[1], walk.strides(i)[0]});
  return other;
}

// What packs strips for a product of batches of matrices, or, of packed ones, finds or widens them.
template <class S, class TB>
auto strips_of(const Walk<2>& batches, const Matrix<TB>& b) {
  return [=, &batches](std::int64_t batch, std::int64_t n, std::int64_t columns, std::int64_t k, std::int64_t depth, S* to) {
    const TB* const from = b.data + batches.offsets(batch)[1] + k * b.row + n * b.column;
    pack_columns(from, b.row, b.column, columns, depth, to);
  };
}
template <class S, class TB>
auto strips_of(const Walk<2>&, const Strips<TB>& b) {
  struct Lying {
    Strips<TB> b;
    const S* strip(std::int64_t n, std::int64_t k) const { return reinterpret_cast<const S*>(b.at(n, k)); }
  };
  if constexpr (lies_as<S, TB>())
    return Lying{b};
  else
    return [=](std::int64_t, std::int64_t n, std::int64_t, std::int64_t k, std::int64_t depth, S* to) {
      widen(b.at(n, k), depth * tile_columns<S>, to);
    };
}

// A weight's last two axes; `repeated`: its one row meets every row.
template <class T>
Matrix<T> right_of(const View<T>& w, bool repeated) {
  const int rank = w.rank(), n = rank > 1;
  return {w.data, repeated ? 0 : w.stride(rank - 1 - n), n ? w.stride(rank - 1) : 0};
}
template <class T>
Strips<T> right_of(const View<Packed<T, form::Columns>>& w, bool) {
  return {reinterpret_cast<const T*>(w.data), w.extent(0)};
}

// Whether few rows are computed without strips being packed.
template <class TB>
bool can_be_thin(const Matrix<TB>& b) { return b.column == 1 || b.row == 1; }
template <class TB>
bool can_be_thin(const Strips<TB>&) { return true; }

template <class T, class TA, class Right, class Then>
void multiply(Cpu& cpu, const Problem& p, T* out, const Walk<2>& batches, const Matrix<TA>& a, const Right& b, const Then& then) {
  using S = sum_t<T>;
  if (p.rows <= thin_rows && can_be_thin(b)) return thin(cpu, p, out, batches, a, b, then);
  gemm(
      cpu, p, out, false,
      [&](std::int64_t batch, std::int64_t m, std::int64_t rows, std::int64_t k, std::int64_t depth, S* room) {
        const TA* const from = a.data + batches.offsets(batch)[0] + m * a.row + k * a.column;
        return rows_of(from, a.row, a.column, rows, depth, room);
      },
      strips_of<S>(batches, b), then);
}

template <class T, class TA, class TW, class Then = Nothing>
void matmul(Cpu& cpu, const View<T>& out, const View<TA>& a, const View<TW>& w, const Then& then = {}) {
  if (out.elements() == 0) return;
  const int ra = a.rank(), rw = w.rank(), m = ra > 1, n = rw > 1;
  Problem p{1, m ? a.extent(ra - 2) : 1, n ? w.extent(rw - 1) : 1, 0};
  // An operand of one element along the contracted axis meets any extent of the other's.
  const std::int64_t ka = a.extent(ra - 1), kw = w.extent(rw - 1 - n);
  p.depth = ka == 1 ? kw : ka;
  Matrix<TA> x{a.data, m ? a.stride(ra - 2) : 0, ka == 1 && kw != 1 ? 0 : a.stride(ra - 1)};

  Walk<2> batches;
  const int batch_rank = out.rank() - m - n;
  const auto step = [&](const auto& view, int lost, int axis) {
    const int i = axis - batch_rank + view.rank() - lost;
    return i < 0 || view.extent(i) == 1 ? std::int64_t{0} : view.stride(i);
  };
  for (int i = 0; i < batch_rank; ++i) batches.add(out.extent(i), {step(a, 1 + m, i), step(w, 1 + n, i)});

  // Batches that share a weight and follow one another in a are more rows of one product.
  while (batches.rank() > 0) {
    const auto steps = batches.strides(batches.rank() - 1);
    if (steps[1] != 0 || (p.rows > 1 && steps[0] != p.rows * x.row)) break;
    if (p.rows == 1) x.row = steps[0];
    Walk<2>::Offsets taken;
    p.rows *= batches.split_inner(taken);
  }
  p.batch = batches.count();

  const auto y = right_of(w, kw == 1 && ka != 1);
  if constexpr (!is_packed<TW>)
    if (p.columns == 1 && p.rows > 1)  // a matrix by a vector: the vector's row by the matrix's transpose
      return multiply(cpu, {p.batch, 1, p.rows, p.depth}, out.data, exchanged(batches), Matrix<TW>{y.data, 0, y.row},
                      Matrix<TA>{x.data, x.column, x.row}, then);
  multiply(cpu, p, out.data, batches, x, y, then);
}

}  // namespace detail

template <class T, class TA, class TW>
void run(kernels::Matmul, Cpu& cpu, const View<T>& out, const View<TA>& a, const View<TW>& w) {
  detail::matmul(cpu, out, a, w);
}

}  // namespace loam
