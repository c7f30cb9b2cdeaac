// Windows of 3 x 3 at every place, by Winograd's method (Lavin and Gray, "Fast Algorithms for Convolutional Neural
// Networks", 2015): Tile x Tile outputs come of a product at each of (Tile + 2)^2 places of a transformed input tile,
// so that a channel takes 2.25 multiply-adds of an output with tiles of 4 and 4 with tiles of 2, for 9.
//
// Tiles of 4 evaluate at 0, 5/8, -5/8, 3/2, -3/2 and infinity: of 256 channels of normal numbers the error is 1.4e-6
// of the output's scale (root mean square; at most 1.4e-5 of 300,000), 3.1e-6 at the usual 0, 1, -1, 2, -2 (at most
// 4.3e-5), and 0.9e-6 where sums run through all 9 x 256 products in order. Tiles of 2 make less than that, 0.5e-6.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "ops/conv/bias.hpp"
#include "ops/conv/geometry.hpp"
#include "ops/conv/lanes.hpp"
#include "ops/matmul/tile.hpp"
#include "runtime/cpu.hpp"
#include "runtime/packed.hpp"
#include "runtime/threads.hpp"
#include "runtime/widen.hpp"

namespace loam {

namespace form {

// The weight [M, C, 3, 3] transformed for tiles of Tile x Tile outputs, as the sums of its type: of place p, element
// (c, m) lies at ((m / width * places + p) * C + c) * width + m % width, width = columns of a product's tile; zeros
// beyond M.
template <int Tile>
struct Winograd {
  static constexpr int side = Tile + 2, places = side * side;
  template <class T>
  using element = detail::sum_t<T>;
  template <class T>
  static std::int64_t elements(const Dims& dims) {
    constexpr std::int64_t width = detail::tile_columns<element<T>>;
    return ceil_div(dims.extent(0), width) * width * dims.extent(1) * places;
  }
};

}  // namespace form

namespace detail {

// The transforms along one axis. A type F of sums or of vectors of them; elements of `from` and `to` lie a step apart.
template <int Tile>
struct WinogradAxis;

template <>
struct WinogradAxis<2> {  // at 0, 1, -1 and infinity
  template <class F>
  static void weight(const F* w, std::int64_t step, F* to, std::int64_t to_step) {
    const F w0 = w[0], w1 = w[step], w2 = w[2 * step], even = (w0 + w2) / 2, odd = w1 / 2;
    to[0] = w0;
    to[to_step] = even + odd;
    to[2 * to_step] = even - odd;
    to[3 * to_step] = w2;
  }
  template <class S, class F>
  static void input(const F (&d)[4], F (&to)[4]) {
    to[0] = d[0] - d[2];
    to[1] = d[1] + d[2];
    to[2] = d[2] - d[1];
    to[3] = d[3] - d[1];
  }
  template <class S, class F>
  static void output(const F (&m)[4], F (&to)[2]) {
    to[0] = m[0] + m[1] + m[2];
    to[1] = m[1] - m[2] + m[3];
  }
};

template <>
struct WinogradAxis<4> {
  static constexpr double p = 0.625, q = 1.5, pp = p * p, qq = q * q;
  template <class F>
  static void weight(const F* w, std::int64_t step, F* to, std::int64_t to_step) {
    const F w0 = w[0], w1 = w[step], w2 = w[2 * step];
    // The product of a point's distances from the others.
    const F at_p = 2 * pp * (pp - qq), at_q = 2 * qq * (qq - pp);
    to[0] = w0 / (pp * qq);
    to[to_step] = (w0 + pp * w2 + p * w1) / at_p;
    to[2 * to_step] = (w0 + pp * w2 - p * w1) / at_p;
    to[3 * to_step] = (w0 + qq * w2 + q * w1) / at_q;
    to[4 * to_step] = (w0 + qq * w2 - q * w1) / at_q;
    to[5 * to_step] = w2;
  }
  template <class S, class F>
  static void input(const F (&d)[6], F (&to)[6]) {
    constexpr S p1 = p, q1 = q, p2 = pp, q2 = qq, both = pp * qq, sum = pp + qq;
    const F even_p = d[4] - q2 * d[2], odd_p = p1 * (d[3] - q2 * d[1]);
    const F even_q = d[4] - p2 * d[2], odd_q = q1 * (d[3] - p2 * d[1]);
    to[0] = both * d[0] - sum * d[2] + d[4];
    to[1] = even_p + odd_p;
    to[2] = even_p - odd_p;
    to[3] = even_q + odd_q;
    to[4] = even_q - odd_q;
    to[5] = both * d[1] - sum * d[3] + d[5];
  }
  template <class S, class F>
  static void output(const F (&m)[6], F (&to)[4]) {
    constexpr S p1 = p, q1 = q, p2 = pp, q2 = qq, p3 = pp * p, q3 = qq * q;
    const F even_p = m[1] + m[2], odd_p = m[1] - m[2], even_q = m[3] + m[4], odd_q = m[3] - m[4];
    to[0] = m[0] + even_p + even_q;
    to[1] = p1 * odd_p + q1 * odd_q;
    to[2] = p2 * even_p + q2 * even_q;
    to[3] = p3 * odd_p + q3 * odd_q + m[5];
  }
};

}  // namespace detail

template <int Tile, class S, class T>
void run(kernels::Pack<form::Winograd<Tile>>, Cpu& cpu, const View<Packed<S, form::Winograd<Tile>>>& out,
         const View<T>& w) {
  constexpr int side = form::Winograd<Tile>::side, places = form::Winograd<Tile>::places;
  constexpr std::int64_t width = detail::tile_columns<S>;
  const std::int64_t outputs = w.extent(0), channels = w.extent(1), strips = ceil_div(outputs, width);
  S* const to = reinterpret_cast<S*>(out.data);
  cpu.parallel(strips * channels, detail::grain_of(width * places), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      for (std::int64_t j = 0; j < width; ++j) {
        const std::int64_t c = i % channels, m = i / channels * width + j;
        double taps[9] = {}, rows[side * 3], all[places];
        const T* const from = w.data + m * w.stride(0) + c * w.stride(1);
        if (m < outputs)
          for (int t = 0; t < 9; ++t)
            taps[t] = static_cast<double>(load(from[t / 3 * w.stride(2) + t % 3 * w.stride(3)]));
        for (int x = 0; x < 3; ++x) detail::WinogradAxis<Tile>::weight(taps + x, 3, rows + x, 3);
        for (int y = 0; y < side; ++y) detail::WinogradAxis<Tile>::weight(rows + y * 3, 1, all + y * side, 1);
        for (int p = 0; p < places; ++p)
          to[((i / channels * places + p) * channels + c) * width + j] = static_cast<S>(all[p]);
      }
  });
}

namespace detail {

// How a convolution's tiles are taken: in blocks of whole lines of tiles, or of a part of one line where it is long.
// Lines run on from image to image.
template <int Tile>
struct WinogradTiles {
  // As many tiles as make the weights' way from memory short beside the products: a weight is used so often.
  static constexpr std::int64_t block_tiles = 32;

  std::int64_t down, across;             // tiles of an image
  std::int64_t lines, block_lines, segments, segment, capacity, blocks;

  WinogradTiles(std::int64_t images, std::int64_t height, std::int64_t width)
      : down(ceil_div(height, Tile)), across(ceil_div(width, Tile)), lines(images * down) {
    block_lines = std::clamp<std::int64_t>(block_tiles / across, 1, lines);
    block_lines = ceil_div(lines, ceil_div(lines, block_lines));
    segments = ceil_div(across, block_tiles);
    segment = ceil_div(across, segments);
    segments = ceil_div(across, segment);
    capacity = block_lines * segment;
    blocks = ceil_div(lines, block_lines) * segments;
  }
  struct Block {
    std::int64_t line, lines, first, across;  // the lines, and the tiles of each
    std::int64_t tiles() const { return lines * across; }
  };
  Block block(std::int64_t b) const {
    const std::int64_t line = b / segments * block_lines, first = b % segments * segment;
    return {line, std::min(block_lines, lines - line), first, std::min(segment, across - first)};
  }
};

// The input of `tiles` neighbouring tiles in a vector's lanes' channels at each place, transformed. `planes` is the
// first channel's; those past `channels` are zeros. Place p of tile t goes to to[p * place_step + t * tile_step].
template <int Tile, class S, class TX>
void winograd_input(const Geometry& g, const TX* planes, std::int64_t channel_stride, std::int64_t channels,
                    const TX* end, std::int64_t top, std::int64_t left, std::int64_t tiles, S* to,
                    std::int64_t place_step, std::int64_t tile_step) {
  using V = typename Vector<S>::type;
  using Axis = WinogradAxis<Tile>;
  constexpr int side = Tile + 2;
  constexpr std::int64_t lanes = Vector<S>::lanes;
  constexpr std::int64_t most = 15 * 4 / Tile, room_width = most * Tile + 2 + lanes;  // a width of 62, the padding's 2
  V room[side][room_width];
  for (std::int64_t t0 = 0; t0 < tiles; t0 += most, left += most * Tile) {
    const std::int64_t count = std::min(most, tiles - t0), width = count * Tile + 2;
    const std::int64_t from = std::clamp<std::int64_t>(-left, 0, width);
    const std::int64_t until = std::clamp<std::int64_t>(g.in[2] - left, from, width);
    for (int r = 0; r < side; ++r) {
      const std::int64_t y = top + r;
      if (!g.inside(1, y)) {
        std::fill_n(room[r], width, V{});
        continue;
      }
      std::fill_n(room[r], from, V{});
      for (std::int64_t x = from; x < until; x += lanes) {
        const TX* const line = planes + y * g.in_stride[1] + (left + x) * g.in_stride[2];
        V square[lanes];
        // Elements past the row's end are overwritten below, those past the tensor's are not read.
        if (g.in_stride[2] == 1 && line + (channels - 1) * channel_stride + lanes <= end) {
          for (std::int64_t c = 0; c < lanes; ++c) {
            if (c < channels) widen<lanes>(line + c * channel_stride, reinterpret_cast<S*>(&square[c]));
            else square[c] = V{};
          }
        } else {
          for (std::int64_t c = 0; c < lanes; ++c)
            for (std::int64_t j = 0; j < lanes; ++j) {
              const bool there = c < channels && x + j < until;
              square[c][j] = there ? static_cast<S>(load(line[c * channel_stride + j * g.in_stride[2]])) : S{0};
            }
        }
        transpose<S>(square);
        for (std::int64_t j = 0; j < lanes; ++j) room[r][x + j] = square[j];
      }
      std::fill_n(room[r] + until, width - until, V{});
    }
    for (std::int64_t x = 0; x < width; ++x) {
      V d[side], result[side];
#pragma GCC unroll 6
      for (int r = 0; r < side; ++r) d[r] = room[r][x];
      Axis::template input<S>(d, result);
#pragma GCC unroll 6
      for (int r = 0; r < side; ++r) room[r][x] = result[r];
    }
    for (int r = 0; r < side; ++r)
      for (std::int64_t t = 0; t < count; ++t) {
        V d[side], result[side];
#pragma GCC unroll 6
        for (int x = 0; x < side; ++x) d[x] = room[r][t * Tile + x];
        Axis::template input<S>(d, result);
        S* const place = to + r * side * place_step + (t0 + t) * tile_step;
#pragma GCC unroll 6
        for (int x = 0; x < side; ++x) *reinterpret_cast<V*>(place + x * place_step) = result[x];
      }
  }
}

// A tile's outputs in a vector's lanes' channels: all[r * Tile + x].
template <int Tile, class S>
void winograd_output(const S* sums, std::int64_t place_step, typename Vector<S>::type bias,
                     typename Vector<S>::type* all) {
  using V = typename Vector<S>::type;
  using Axis = WinogradAxis<Tile>;
  constexpr int side = Tile + 2;
  V half[Tile][side];
#pragma GCC unroll 6
  for (int x = 0; x < side; ++x) {
    V m[side], result[Tile];
#pragma GCC unroll 6
    for (int y = 0; y < side; ++y) m[y] = *reinterpret_cast<const V*>(sums + (y * side + x) * place_step);
    Axis::template output<S>(m, result);
#pragma GCC unroll 4
    for (int y = 0; y < Tile; ++y) half[y][x] = result[y];
  }
#pragma GCC unroll 4
  for (int y = 0; y < Tile; ++y) {
    V result[Tile];
    Axis::template output<S>(half[y], result);
#pragma GCC unroll 4
    for (int x = 0; x < Tile; ++x) all[y * Tile + x] = result[x] + bias;
  }
}

// Writes a block's outputs in a vector's lanes' channels, of which `channels` there are.
// sums[t * tile_step + p * place_step] is the first channel's at place p of tile t.
template <int Tile, class S, class T>
void winograd_store(const Geometry& g, const WinogradTiles<Tile>& tiles,
                    const typename WinogradTiles<Tile>::Block& block, const S* sums, std::int64_t tile_step,
                    std::int64_t place_step, typename Vector<S>::type bias, std::int64_t channels, T* planes,
                    std::int64_t image_step) {
  using V = typename Vector<S>::type;
  constexpr int lanes = Vector<S>::lanes, outputs = Tile * Tile;
  constexpr int together = std::max(1, lanes / outputs), squares = together * outputs / lanes;  // tiles turned at once
  for (std::int64_t t0 = 0; t0 < block.tiles(); t0 += together) {
    const std::int64_t count = std::min<std::int64_t>(together, block.tiles() - t0);
    V all[squares][lanes];
    for (std::int64_t t = 0; t < count; ++t)
      winograd_output<Tile, S>(sums + (t0 + t) * tile_step, place_step, bias, all[0] + t * outputs);
    for (auto& square : all) transpose<S>(square);
    for (std::int64_t t = 0; t < count; ++t) {
      const std::int64_t line = block.line + (t0 + t) / block.across, image = line / tiles.down;
      const std::int64_t y = line % tiles.down * Tile, x = (block.first + (t0 + t) % block.across) * Tile;
      const std::int64_t rows = std::min<std::int64_t>(Tile, g.out[1] - y);
      const std::int64_t columns = std::min<std::int64_t>(Tile, g.out[2] - x);
      T* const to = planes + image * image_step + y * g.out[2] + x;
      for (std::int64_t c = 0; c < channels; ++c)
        for (std::int64_t r = 0; r < rows; ++r) {
          const std::int64_t number = t * outputs + r * Tile;
          T* const row = to + c * g.places() + r * g.out[2];
          if constexpr (lies_as<S, T>() && lanes >= Tile) {
            if (columns == Tile) {
              const S* const from = reinterpret_cast<const S*>(&all[number / lanes][c]) + number % lanes;
              std::memcpy(row, from, Tile * sizeof(S));
              continue;
            }
          }
          for (std::int64_t j = 0; j < columns; ++j)
            row[j] = store<T>(static_cast<S>(all[(number + j) / lanes][c][(number + j) % lanes]));
        }
    }
  }
}

template <class T, class TX, class S, int Tile, class Bias, class Then = Nothing>
void conv(Cpu& cpu, const View<T>& out, const Window& window, std::int64_t, const View<TX>& x,
          const View<Packed<S, form::Winograd<Tile>>>& w, const Bias& bias, const Then& then = {}) {
  if (out.elements() == 0) return;
  constexpr std::int64_t places = form::Winograd<Tile>::places, lanes = Vector<S>::lanes, width = tile_columns<S>;
  const Geometry g(window, x.dims, out.dims);
  const WinogradTiles<Tile> tiles(out.extent(0), g.out[1], g.out[2]);
  const std::int64_t channels = w.extent(1), outputs = w.extent(0), strips = ceil_div(outputs, width);
  const std::int64_t groups = ceil_div(channels, lanes), row = groups * lanes + lanes;  // no power of two
  const std::int64_t place_step = tiles.capacity * row, block_step = places * place_step;
  // So many blocks at a time that their transformed input stays in the second-level cache, but two for two threads.
  constexpr std::int64_t held_elements = 256 << 10;
  const std::int64_t at_once = std::clamp<std::int64_t>(held_elements / block_step, 1, tiles.blocks);
  const std::int64_t work = tiles.capacity * places * channels * width / products_an_element;
  const std::int64_t lanes_held = lanes_of(at_once * strips, work), sums_step = tiles.capacity * places * width;
  const std::int64_t held = at_once * block_step + lanes_held * sums_step;
  S* const input = reinterpret_cast<S*>(cpu.scratch(held * static_cast<std::int64_t>(sizeof(S))));
  S* const all_sums = input + at_once * block_step;
  const S* const weights = reinterpret_cast<const S*>(w.data);
  const TX* const end = end_of(x);

  for (std::int64_t b0 = 0; b0 < tiles.blocks; b0 += at_once) {
    const std::int64_t blocks = std::min(at_once, tiles.blocks - b0);
    const std::int64_t pieces = blocks * tiles.block_lines * groups, grain = grain_of(tiles.segment * places * lanes);
    cpu.parallel(pieces, grain, [&](std::int64_t begin, std::int64_t until) {
      for (std::int64_t i = begin; i < until; ++i) {
        const std::int64_t c = i % groups * lanes, l = i / groups % tiles.block_lines;
        const std::int64_t b = i / (groups * tiles.block_lines);
        const auto block = tiles.block(b0 + b);
        if (l >= block.lines) continue;
        const std::int64_t line = block.line + l;
        const TX* const planes = x.data + line / tiles.down * x.stride(0) + c * x.stride(1);
        winograd_input<Tile>(g, planes, x.stride(1), std::min(lanes, channels - c), end,
                             line % tiles.down * Tile - g.pad[1], block.first * Tile - g.pad[2], block.across,
                             input + b * block_step + l * block.across * row + c, place_step, row);
      }
    });
    const std::int64_t items = blocks * strips;
    cpu.parallel(lanes_held, 1, [&](std::int64_t begin, std::int64_t until) {
      for (std::int64_t lane = begin; lane < until; ++lane)
        for (std::int64_t i = lane * items / lanes_held; i < (lane + 1) * items / lanes_held; ++i) {
          const std::int64_t b = i / strips, m = i % strips * width;
          const auto block = tiles.block(b0 + b);
          S* const sums = all_sums + lane * sums_step;
          // Rows of a tile, as even as they can be.
          const std::int64_t rows = ceil_div(block.tiles(), ceil_div(block.tiles(), tile_rows));
          constexpr std::int64_t depth_step = 256;
          for (std::int64_t p = 0; p < places; ++p)
            for (std::int64_t k = 0; k < channels; k += depth_step)
              for (std::int64_t t = 0; t < block.tiles(); t += rows)
                multiply_tile<S>(std::min(rows, block.tiles() - t), width, std::min(depth_step, channels - k),
                                 Rows<S>{input + b * block_step + p * place_step + t * row + k, row, 1},
                                 weights + ((m / width * places + p) * channels + k) * width,
                                 sums + (t * places + p) * width, places * width, k > 0);
          for (std::int64_t half = 0; half < width && m + half < outputs; half += lanes) {
            const std::int64_t count = std::min(lanes, outputs - m - half);
            typename Vector<S>::type offsets{};
            for (std::int64_t c = 0; c < count; ++c) offsets[c] = bias_of<S>(bias, m + half + c);
            winograd_store<Tile>(g, tiles, block, sums + half, places * width, width, offsets, count,
                                 out.data + (m + half) * g.places(), outputs * g.places());
          }
          // What follows one another in memory at once.
          for (std::int64_t c = m; c < std::min(outputs, m + width); ++c)
            for (std::int64_t line = block.line, last = line + block.lines, next; line < last; line = next) {
              const std::int64_t image = line / tiles.down;
              next = std::min(last, (image + 1) * tiles.down);
              const std::int64_t y = (line - image * tiles.down) * Tile;
              const std::int64_t y_end = std::min(g.out[1], (next - image * tiles.down) * Tile);
              const std::int64_t plane = (image * outputs + c) * g.places();
              const std::int64_t x_first = block.first * Tile;
              const std::int64_t x_end = std::min(g.out[2], (block.first + block.across) * Tile);
              if (x_end - x_first == g.out[2]) then(plane + y * g.out[2], (y_end - y) * g.out[2]);
              else
                for (std::int64_t r = y; r < y_end; ++r) then(plane + r * g.out[2] + x_first, x_end - x_first);
            }
        }
    });
  }
}

}  // namespace detail

}  // namespace loam
