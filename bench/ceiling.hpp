// What this machine can do at most, measured: the two rates that a kernel's speed is a fraction of.
//
// Both are medians over some 0.3 s of turns so short (half a millisecond) that most are whole on a busy machine too, shared
// among threads as the kernels' work is. They drift with what else the machine does: a fraction holds of rates measured in the
// same minutes.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "runtime/tensor.hpp"
#include "runtime/threads.hpp"

namespace loam::bench {

// The widest vectors this file is compiled for, and how many registers there are of them.
#if defined(__AVX512F__)
inline constexpr std::size_t vector_bytes = 64;
inline constexpr int registers = 32;
#elif defined(__AVX__)
inline constexpr std::size_t vector_bytes = 32;
inline constexpr int registers = 16;
#elif defined(__aarch64__)
inline constexpr std::size_t vector_bytes = 16;
inline constexpr int registers = 32;
#else
inline constexpr std::size_t vector_bytes = 16;
inline constexpr int registers = 16;
#endif
typedef float Vector __attribute__((vector_size(vector_bytes)));

// Calls turn() for so many seconds; the median of the seconds that it took.
template <class Turn>
double median_seconds(double seconds, Turn&& turn) {
  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); };
  turn();  // the threads start, the pages come
  std::vector<double> taken;
  for (const Clock::time_point first = Clock::now(); taken.size() < 3 || since(first) < seconds;) {
    const Clock::time_point start = Clock::now();
    turn();
    taken.push_back(since(start));
  }
  const auto middle = taken.begin() + static_cast<std::ptrdiff_t>(taken.size() / 2);
  std::nth_element(taken.begin(), middle, taken.end());
  return *middle;
}

enum class Pages { large, small };

// Bytes a second read from memory that no cache holds, on pages as a module's weights lie on (runtime/pages.hpp), or on those
// of 4 KiB.
inline double stream_rate(int threads, Pages pages = Pages::large, double seconds = 0.3) {
  constexpr std::int64_t part = 1 << 20, parts = 16, stretches = 16;  // a turn reads one stretch of 256 MiB
  constexpr std::size_t bytes = part * parts * stretches;
  const Buffer memory(bytes);
  if (!memory) return 0;
#if defined(__linux__) && defined(MADV_NOHUGEPAGE)
  if (pages == Pages::small) static_cast<void>(::madvise(memory.data(), bytes, MADV_NOHUGEPAGE));
#endif
  std::fill_n(memory.data(), bytes, std::byte{1});
  Cpu cpu(threads);
  std::vector<Vector> sums(parts);
  std::int64_t stretch = 0;
  const double taken = median_seconds(seconds, [&] {
    const std::byte* const read = memory.data() + stretch++ % stretches * parts * part;
    cpu.parallel(parts, 1, [&](std::int64_t from, std::int64_t to) {
      for (std::int64_t i = from; i < to; ++i) {
        const auto* const x = reinterpret_cast<const Vector*>(read + i * part);
        constexpr std::int64_t vectors = part / static_cast<std::int64_t>(vector_bytes);
        Vector sum[8] = {};
        for (std::int64_t k = 0; k < vectors; k += 8)
          for (std::int64_t j = 0; j < 8; ++j) sum[j] += x[k + j];
        for (std::int64_t j = 1; j < 8; ++j) sum[0] += sum[j];
        sums[static_cast<std::size_t>(i)] = sum[0];
      }
    });
    asm volatile("" : : "r"(sums.data()) : "memory");
  });
  return static_cast<double>(part * parts) / taken;
}

// Floating-point operations a second of fused multiply-adds of float32, none of which waits for memory or another's result.
inline double fma_rate(int threads, double seconds = 0.3) {
  constexpr int sums = registers - 4;  // the factors stay in registers too
  constexpr std::int64_t turns = 1 << 12, parts = 16;
  Cpu cpu(threads);
  std::vector<Vector> results(parts), starts(sums);
  Vector factor{}, addend{};
  factor += 0.999f;
  addend += 0.001f;
  asm volatile("" : "+m"(factor), "+m"(addend) : "r"(starts.data()) : "memory");  // sums that began alike were one sum
  const double taken = median_seconds(seconds, [&] {
    cpu.parallel(parts, 1, [&](std::int64_t from, std::int64_t to) {
      for (std::int64_t i = from; i < to; ++i) {
        const auto sum_all = [&]<std::size_t... J>(std::index_sequence<J...>) {
          const Vector a = factor, b = addend;
          Vector sum[sums] = {starts[J]...};
          for (std::int64_t k = 0; k < turns; ++k) ((sum[J] = sum[J] * a + b), ...);
          return (sum[J] + ...);
        };
        results[static_cast<std::size_t>(i)] = sum_all(std::make_index_sequence<sums>());
      }
    });
    asm volatile("" : : "r"(results.data()) : "memory");
  });
  return 2.0 * static_cast<double>(vector_bytes / sizeof(float)) * sums * turns * parts / taken;
}

}  // namespace loam::bench
