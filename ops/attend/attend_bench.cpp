#include <benchmark/benchmark.h>

#include <vector>

#include "bench/kernel.hpp"
#include "ops/attend/cpu.hpp"
#include "runtime/functions.hpp"

namespace {

using namespace loam;

// [heads, m, width] queries over n keys on one thread, keys and values lying by position. Reports floating-point
// operations and bytes of keys and values.
void attend(benchmark::State& state) {
  const std::int64_t heads = state.range(0), m = state.range(1), n = state.range(2), width = state.range(3);
  std::vector<float> q(static_cast<std::size_t>(heads * m * width), 0.5f), out(q.size());
  std::vector<float> k(static_cast<std::size_t>(heads * n * width), 0.25f), v(k);
  View<float> keys{k.data(), Dims{heads, width, n}};
  keys.dims.strides = {n * width, 1, width};
  Cpu cpu(1);
  for (auto _ : state) {
    run(kernels::Attend<fn::Identity, fn::Identity>{}, cpu, View<float>{out.data(), Dims{heads, m, width}},
        View<float>{q.data(), Dims{heads, m, width}}, keys, View<float>{v.data(), Dims{heads, n, width}});
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  bench::report(state, 1, 4.0 * static_cast<double>(heads * m * n * width), static_cast<double>(2 * heads * n * width) * sizeof(float));
}
// whisper-tiny's encoder, vit-base, minilm-l6 and gpt2-124m at 128 positions; a step of gpt2-124m after 128 and 1023.
BENCHMARK(attend)->Args({6, 1500, 1500, 64})->Args({12, 197, 197, 64})->Args({12, 128, 128, 32})->Args({12, 128, 128, 64});
BENCHMARK(attend)->Args({12, 1, 128, 64})->Args({12, 1, 1024, 64})->Args({3, 3, 1024, 64});

}  // namespace
