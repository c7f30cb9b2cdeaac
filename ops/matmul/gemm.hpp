// Blocked matrix multiplication over packed panels: what matmul and conv share.
#pragma once

#include <algorithm>
#include <cstdint>

#include "ops/matmul/tile.hpp"
#include "runtime/threads.hpp"
#include "runtime/widen.hpp"

namespace loam {

namespace detail {

// b's panel of depth x columns sums (half a MiB of floats) stays in the second-level cache while all of a passes; a's panel of
// tile_rows x depth stays in the first. The deeper a panel, the less often sums leave the registers, and the wider, the less
// often threads meet. Of a b that is packed as it is read, wide panels are the better, of one that was packed before deep
// ones: by 256 x 512, gpt2-124m's prefill of 128 took 223 ms and minilm-l6 29.9, by 768 x 160 they take 214 and 29.2, but
// resnet50, whose windows are packed, 68.8 instead of 67.8.
struct Panel {
  std::int64_t depth, columns;
};
inline constexpr Panel packed_panel{256, 512}, ready_panel{768, 160};

struct Problem {
  std::int64_t batch, rows, columns, depth;
};

// What is done to finished elements of a product, while they are in the cache: `count` of them from the row-major number
// `first` on. Here nothing.
struct Nothing {
  void operator()(std::int64_t, std::int64_t) const {}
};

// How many strips of columns of a product one thread packs, multiplies and finishes by itself, having them in its cache; 0
// where the threads share each panel. One panel is as deep as such a product, and its strips make several parts.
template <class S>
std::int64_t strips_alone(const Problem& p) {
  constexpr std::int64_t room = 32 << 10;  // of the second-level cache, in sums
  const std::int64_t strips = (p.columns + tile_columns<S> - 1) / tile_columns<S>;
  if (p.depth > packed_panel.depth || strips < 24) return 0;
  return std::clamp<std::int64_t>(strips / 8, 4, room / (p.depth * tile_columns<S>));
}

// gemm, below, by such strips.
template <class T, class A, class B, class Then>
void gemm_by_strips(Cpu& cpu, const Problem& p, std::int64_t strips_each, T* out, bool accumulate, const A& a, const B& b, const Then& then) {
  using S = sum_t<T>;
  constexpr std::int64_t strip = tile_columns<S>;
  const std::int64_t width = strips_each * strip, blocks = (p.columns + width - 1) / width;
  const std::int64_t lanes = lanes_of(p.batch * blocks, p.rows * width * p.depth / products_an_element);
  S* const packed = reinterpret_cast<S*>(cpu.scratch(lanes * width * p.depth * static_cast<std::int64_t>(sizeof(S))));
  cpu.parallel(lanes, 1, [&](std::int64_t begin, std::int64_t end) {
    alignas(64) S room[tile_rows * packed_panel.depth];
    for (std::int64_t lane = begin; lane < end; ++lane) {
      S* const panel = packed + lane * width * p.depth;
      for (std::int64_t i = lane; i < p.batch * blocks; i += lanes) {
        const std::int64_t batch = i / blocks, n0 = i % blocks * width, columns = std::min(width, p.columns - n0);
        for (std::int64_t j = 0; j < columns; j += strip)
          b(batch, n0 + j, std::min(strip, columns - j), std::int64_t{0}, p.depth, panel + j * p.depth);
        for (std::int64_t m = 0; m < p.rows; m += tile_rows) {
          const std::int64_t rows = std::min<std::int64_t>(tile_rows, p.rows - m), place = (batch * p.rows + m) * p.columns + n0;
          const Rows<S> left = a(batch, m, rows, std::int64_t{0}, p.depth, room);
          for (std::int64_t j = 0; j < columns; j += strip)
            multiply_tile<S>(rows, std::min(strip, columns - j), p.depth, left, panel + j * p.depth,
                             reinterpret_cast<S*>(out + place) + j, p.columns, accumulate);
          for (std::int64_t r = 0; r < rows; ++r) then(place + r * p.columns, columns);
        }
      }
    }
  });
}

// out[batch, m, n] = sum over k of a[batch, m, k] * b[batch, k, n]; out is dense. Where `accumulate`, out's elements
// are added to instead. The operands are given by what packs them into panels of sums S:
//
//   a(batch, m, rows, k, depth, S* room)       a's elements [m, m + rows) x [k, k + depth), where they lie or packed
//                                              into room
//   b(batch, n, columns, k, depth, S* to)      packs to[kk * tile_columns + j] = b[k + kk, n + j], zeros past `columns`
//   b.strip(n, k)                              or gives the address of that, where it lies so and is one for all batches
//
// The order of each sum depends on the problem alone. `then` is called for every element once.
template <class T, class A, class B, class Then = Nothing>
void gemm(Cpu& cpu, const Problem& p, T* out, bool accumulate, const A& a, const B& b,
          const Then& then = {}) {
  using S = sum_t<T>;
  constexpr std::int64_t strip = tile_columns<S>;
  if (p.batch == 0 || p.rows == 0 || p.columns == 0) return;
  if (p.depth == 0) {
    if (!accumulate) std::fill_n(out, p.batch * p.rows * p.columns, store<T>(0.0f));
    return then(0, p.batch * p.rows * p.columns);
  }
  constexpr bool packs = !requires { b.strip(0, 0); };
  if constexpr (stored_as_sum<T>() && packs)
    if (const std::int64_t alone = strips_alone<S>(p)) return gemm_by_strips(cpu, p, alone, out, accumulate, a, b, then);
  constexpr Panel most = packs ? packed_panel : ready_panel;
  const std::int64_t width = std::min(most.columns, (p.columns + strip - 1) / strip * strip);
  const std::int64_t depth_blocks = (p.depth + most.depth - 1) / most.depth, deep = (p.depth + depth_blocks - 1) / depth_blocks;
  const std::int64_t panel = deep * width;
  // Small problems are packed several at a time, so that there is work to share.
  const std::int64_t group = std::clamp<std::int64_t>((std::int64_t{1} << 20) / panel, 1, p.batch);
  // Outputs that cannot hold the sums between two blocks of k are written at the end, from a block of sums.
  constexpr bool direct = stored_as_sum<T>();
  const std::int64_t held = direct ? 0 : group * p.rows * width;
  S* const packed = reinterpret_cast<S*>(cpu.scratch(((packs ? group * panel : 0) + held) * static_cast<std::int64_t>(sizeof(S))));
  S* const sums = packed + (packs ? group * panel : 0);

  const std::int64_t row_blocks = (p.rows + tile_rows - 1) / tile_rows;
  for (std::int64_t first = 0; first < p.batch; first += group) {
    const std::int64_t batches = std::min(group, p.batch - first);
    for (std::int64_t n0 = 0; n0 < p.columns; n0 += width) {
      const std::int64_t columns = std::min(width, p.columns - n0);
      const std::int64_t strips = (columns + strip - 1) / strip;
      const auto place = [&](std::int64_t batch, std::int64_t row) {
        return ((first + batch) * p.rows + row) * p.columns + n0;
      };
      const auto each_held_row = [&](auto&& f) {
        cpu.parallel(batches * p.rows, grain_of(columns), [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t i = begin; i < end; ++i) f(sums + i * width, out + place(0, i));
        });
      };
      if constexpr (!direct)
        if (accumulate)
          each_held_row([&](S* held, const T* row) {
            for (std::int64_t j = 0; j < columns; ++j) held[j] = static_cast<S>(load(row[j]));
          });
      for (std::int64_t k0 = 0; k0 < p.depth; k0 += deep) {
        const std::int64_t depth = std::min(deep, p.depth - k0);
        if constexpr (packs)
          cpu.parallel(batches * strips, grain_of(strip * depth), [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) {
              const std::int64_t j = i % strips * strip;
              b(first + i / strips, n0 + j, std::min(strip, columns - j), k0, depth,
                packed + i / strips * panel + j * depth);
            }
          });
        const auto right = [&]([[maybe_unused]] std::int64_t batch, std::int64_t j) {
          if constexpr (packs) return static_cast<const S*>(packed + batch * panel + j * depth);
          else return b.strip(n0 + j, k0);
        };
        const std::int64_t products = tile_rows * columns * depth;
        cpu.parallel(batches * row_blocks, grain_of(products / products_an_element), [&](std::int64_t begin, std::int64_t end) {
          alignas(64) S room[tile_rows * most.depth];
          for (std::int64_t i = begin; i < end; ++i) {
            const std::int64_t batch = i / row_blocks, m = i % row_blocks * tile_rows;
            const std::int64_t rows = std::min<std::int64_t>(tile_rows, p.rows - m);
            const Rows<S> left = a(first + batch, m, rows, k0, depth, room);
            S* c;
            std::int64_t step;
            if constexpr (direct) {
              c = reinterpret_cast<S*>(out + place(batch, m));
              step = p.columns;
            } else {
              c = sums + (batch * p.rows + m) * width;
              step = width;
            }
            for (std::int64_t j = 0; j < columns; j += strip)
              multiply_tile<S>(rows, std::min(strip, columns - j), depth, left, right(batch, j), c + j, step,
                               accumulate || k0 > 0);
            if constexpr (direct)
              if (k0 + depth == p.depth) {
                // Whole rows follow one another, and short ones are better done at once: they end within a vector.
                const std::int64_t joined = columns == p.columns ? rows : 1;
                for (std::int64_t r = 0; r < rows; r += joined) then(place(batch, m + r), joined * columns);
              }
          }
        });
      }
      if constexpr (!direct)
        each_held_row([&](const S* held, T* row) {
          for (std::int64_t j = 0; j < columns; ++j) row[j] = store<T>(held[j]);
          then(row - out, columns);
        });
    }
  }
}

// Rows of a matrix whose element (m, k) lies at data[m * row + k * column], as a tile reads them.
template <class S, class T>
Rows<S> rows_of(const T* data, std::int64_t row, std::int64_t column, std::int64_t rows, std::int64_t depth, S* room) {
  if constexpr (lies_as<S, T>())
    if (column == 1) return {reinterpret_cast<const S*>(data), row, 1};
  for (std::int64_t i = 0; i < rows; ++i) {
    const T* from = data + i * row;
    for (std::int64_t k = 0; k < depth; ++k) room[k * tile_rows + i] = static_cast<S>(load(from[k * column]));
  }
  return {room, 1, tile_rows};
}

// Packs columns of a matrix whose element (k, n) lies at data[k * row + n * column].
template <class S, class T>
void pack_columns(const T* data, std::int64_t row, std::int64_t column, std::int64_t columns, std::int64_t depth,
                  S* to) {
  constexpr std::int64_t strip = tile_columns<S>;
  if (columns == strip && column == 1) {
    for (std::int64_t k = 0; k < depth; ++k, data += row, to += strip)
      widen<strip>(data, to);
    return;
  }
  // A transposed operand is turned in squares, so that each of its cache lines and of the panel's is used up at once.
  constexpr std::int64_t square = 16;
  for (std::int64_t k0 = 0; k0 < depth; k0 += square) {
    const std::int64_t end = std::min(depth, k0 + square);
    for (std::int64_t j = 0; j < columns; ++j)
      for (std::int64_t k = k0; k < end; ++k)
        to[k * strip + j] = static_cast<S>(load(data[k * row + j * column]));
  }
  for (std::int64_t k = 0; k < depth; ++k)
    for (std::int64_t j = columns; j < strip; ++j) to[k * strip + j] = S{0};
}

}  // namespace detail

}  // namespace loam
