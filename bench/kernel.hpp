// What a kernel's benchmark reports: its rates, and how much of the machine's own they are.
#pragma once

#include <benchmark/benchmark.h>

#include <map>

#include "bench/ceiling.hpp"

namespace loam::bench {

inline const int all_threads = static_cast<int>(std::thread::hardware_concurrency());  // as many as Cpu takes by itself

struct Ceiling {
  std::chrono::steady_clock::time_point when;
  double stream, fma;
};

// Measured on so many threads within the last 20 seconds.
inline Ceiling recent_ceiling(int threads) {
  static std::map<int, Ceiling> measured;
  const auto now = std::chrono::steady_clock::now();
  const auto it = measured.find(threads);
  if (it != measured.end() && now - it->second.when < std::chrono::seconds(20)) return it->second;
  return measured[threads] = {now, stream_rate(threads), fma_rate(threads)};
}

// Of one call: its floating-point operations, where they are what it takes its time for, and the bytes it reads and writes.
// What lies in a cache comes faster than the stream, above 100 %.
inline void report(benchmark::State& state, int threads, double operations, double bytes) {
  using benchmark::Counter;
  const Ceiling ceiling = recent_ceiling(threads);
  const auto rate = [](double each) { return Counter(each, Counter::kIsIterationInvariantRate, Counter::kIs1000); };
  if (operations > 0) {
    state.counters["flop/s"] = rate(operations);
    state.counters["% of FMA"] = rate(100 * operations / ceiling.fma);
  }
  state.counters["bytes/s"] = rate(bytes);
  state.counters["% of stream"] = rate(100 * bytes / ceiling.stream);
}

}  // namespace loam::bench
