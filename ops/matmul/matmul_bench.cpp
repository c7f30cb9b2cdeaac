#include <benchmark/benchmark.h>

#include <vector>

#include "ops/matmul/cpu.hpp"

namespace {

using namespace loam;

// [m, k] x [k, n]; `transposed` weights lie as [n, k]. Reports floating-point operations and weight bytes per second.
template <class W, bool Transposed>
void matmul(benchmark::State& state) {
  const std::int64_t m = state.range(0), k = state.range(1), n = state.range(2);
  std::vector<float> a(static_cast<std::size_t>(m * k), 0.5f), out(static_cast<std::size_t>(m * n));
  std::vector<W> w(static_cast<std::size_t>(k * n), W(0.25f));
  View<W> weight{w.data(), Dims{k, n}};
  if (Transposed) weight.dims.strides = {1, k};
  Cpu cpu;
  for (auto _ : state) {
    run(kernels::Matmul{}, cpu, View<float>{out.data(), Dims{m, n}}, View<float>{a.data(), Dims{m, k}}, weight);
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  using benchmark::Counter;
  state.counters["flop/s"] =
      Counter(2.0 * static_cast<double>(m * k * n), Counter::kIsIterationInvariantRate, Counter::kIs1000);
  state.counters["weights"] =
      Counter(static_cast<double>(k * n) * sizeof(W), Counter::kIsIterationInvariantRate, Counter::kIs1000);
}

void shapes(benchmark::internal::Benchmark* b) {
  b->Args({1, 768, 3072})->Args({4, 768, 3072})->Args({16, 768, 3072})->Args({768, 768, 768})->Args({128, 64, 128});
}
BENCHMARK(matmul<float, false>)->Apply(shapes);
BENCHMARK(matmul<float, true>)->Apply(shapes);
BENCHMARK(matmul<float16, false>)->Apply(shapes);
BENCHMARK(matmul<float16, true>)->Apply(shapes);

}  // namespace
