// What the machine can do at most, on one thread and on all.
//
//   bench_ceiling            prints it
//   bench_ceiling THREADS    prints bytes read a second, the same on pages of 4 KiB, and operations a second, as numbers
#include "bench/ceiling.hpp"

#include <cstdio>
#include <cstdlib>
#include <set>

int main(int count, char** arguments) {
  using namespace loam::bench;
  if (count > 1) {
    const int threads = std::atoi(arguments[1]);
    std::printf("%.0f %.0f %.0f\n", stream_rate(threads), stream_rate(threads, Pages::small), fma_rate(threads));
    return 0;
  }
  for (const int threads : std::set{1, static_cast<int>(std::thread::hardware_concurrency())})
    std::printf("threads %d: %.1f GB/s read from memory (%.1f on pages of 4 KiB), %.0f Gflop/s of float32 multiply-adds\n",
                threads, stream_rate(threads) / 1e9, stream_rate(threads, Pages::small) / 1e9, fma_rate(threads) / 1e9);
}
