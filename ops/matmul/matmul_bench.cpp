#include <benchmark/benchmark.h>

#include <array>
#include <set>
#include <vector>

#include "bench/kernel.hpp"
#include "ops/matmul/cpu.hpp"

namespace {

using namespace loam;

enum class Lie { rows, columns, strips };

// [m, k] x [k, n], the weights lying as [k, n], as [n, k] or packed. Reports floating-point operations and weight bytes.
template <class W, Lie lie>
void matmul(benchmark::State& state) {
  const std::int64_t m = state.range(0), k = state.range(1), n = state.range(2);
  const int threads = static_cast<int>(state.range(3));
  std::vector<float> a(static_cast<std::size_t>(m * k), 0.5f), out(static_cast<std::size_t>(m * n));
  std::vector<W> w(static_cast<std::size_t>(k * n), W(0.25f));
  View<W> weight{w.data(), Dims{k, n}};
  if (lie != Lie::rows) weight.dims.strides = {1, k};
  using Strips = Packed<W, form::Columns>;
  HostMemory memory;
  const View<Strips> packed{memory.take<Strips>(form::Columns::elements<W>(weight.dims)), Dims{k, n}};
  Cpu cpu(threads);
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
  bench::report(state, threads, 2.0 * static_cast<double>(m * k * n), static_cast<double>(k * n) * sizeof(W));
}

void shapes(benchmark::internal::Benchmark* b) {
  b->ArgNames({"m", "k", "n", "threads"})->UseRealTime();
  for (const auto& [m, k, n] : {std::array{1, 768, 3072}, {4, 768, 3072}, {16, 768, 3072}, {768, 768, 768}, {128, 768, 3072}, {128, 64, 128}})
    b->Args({m, k, n, 1});
}
// A decoder's logits, which are to be 90 % of the stream or more, and a product of squares, to be 85 % of FMA.
void large(benchmark::internal::Benchmark* b) {
  b->ArgNames({"m", "k", "n", "threads"})->UseRealTime();
  for (const int threads : std::set{1, bench::all_threads}) {
    b->Args({1, 768, 50257, threads});
    if (threads > 1) b->Args({768, 768, 768, threads});
  }
}
BENCHMARK(matmul<float, Lie::rows>)->Apply(shapes);
BENCHMARK(matmul<float, Lie::columns>)->Apply(shapes);
BENCHMARK(matmul<float, Lie::strips>)->Apply(shapes)->Apply(large);
BENCHMARK(matmul<float16, Lie::rows>)->Apply(shapes);
BENCHMARK(matmul<float16, Lie::columns>)->Apply(shapes);
BENCHMARK(matmul<float16, Lie::strips>)->Apply(shapes)->Apply(large);

}  // namespace
