#include <benchmark/benchmark.h>

#include <vector>

#include "ops/matmul/cpu.hpp"

namespace {

using namespace loam;

enum class Lie { rows, columns, strips };

// [m, k] x [k, n] on one thread, the weights lying as [k, n], as [n, k] or packed. Reports floating-point operations and
// weight bytes per second.
template <class W, Lie lie>
void matmul(benchmark::State& state) {
  const std::int64_t m = state.range(0), k = state.range(1), n = state.range(2);
  std::vector<float> a(static_cast<std::size_t>(m * k), 0.5f), out(static_cast<std::size_t>(m * n));
  std::vector<W> w(static_cast<std::size_t>(k * n), W(0.25f));
  View<W> weight{w.data(), Dims{k, n}};
  if (lie != Lie::rows) weight.dims.strides = {1, k};
  using Strips = Packed<W, form::Columns>;
  HostMemory memory;
  const View<Strips> packed{memory.take<Strips>(form::Columns::elements<W>(weight.dims)), Dims{k, n}};
  Cpu cpu(1);
  run(kernels::Pack<form::Columns>{}, cpu, packed, weight);
  const auto multiply = [&](const auto& w) {
    for (auto _ : state) {
      run(kernels::Matmul{}, cpu, View<float>{out.data(), Dims{m, n}}, View<float>{a.data(), Dims{m, k}}, w);
      benchmark::DoNotOptimize(out.data());
      benchmark::ClobberMemory();
    }
  };
  if (lie == Lie::strips) multiply(packed);
  else multiply(weight);
  using benchmark::Counter;
  state.counters["flop/s"] =
      Counter(2.0 * static_cast<double>(m * k * n), Counter::kIsIterationInvariantRate, Counter::kIs1000);
  state.counters["weights"] =
      Counter(static_cast<double>(k * n) * sizeof(W), Counter::kIsIterationInvariantRate, Counter::kIs1000);
}

void shapes(benchmark::internal::Benchmark* b) {
  b->Args({1, 768, 3072})->Args({4, 768, 3072})->Args({16, 768, 3072})->Args({768, 768, 768})->Args({128, 768, 3072})->Args({128, 64, 128});
}
BENCHMARK(matmul<float, Lie::rows>)->Apply(shapes);
BENCHMARK(matmul<float, Lie::columns>)->Apply(shapes);
BENCHMARK(matmul<float, Lie::strips>)->Apply(shapes);
BENCHMARK(matmul<float16, Lie::rows>)->Apply(shapes);
BENCHMARK(matmul<float16, Lie::columns>)->Apply(shapes);
BENCHMARK(matmul<float16, Lie::strips>)->Apply(shapes);

}  // namespace
