#include <benchmark/benchmark.h>

#include <vector>

#include "bench/kernel.hpp"
#include "ops/conv_transpose/cpu.hpp"

namespace {

using namespace loam;

// [1, C, size, size] by [C, M, kernel, kernel] to [1, M, size * stride, size * stride], on one thread.
void conv_transpose(benchmark::State& state) {
  const std::int64_t channels = state.range(0), size = state.range(1), outputs = state.range(2);
  const std::int64_t kernel = state.range(3), stride = state.range(4), to = size * stride;
  std::vector<float> x(static_cast<std::size_t>(channels * size * size), 0.5f);
  std::vector<float> w(static_cast<std::size_t>(channels * outputs * kernel * kernel), 0.25f);
  std::vector<float> out(static_cast<std::size_t>(outputs * to * to));
  const Window window{2, {kernel, kernel}, {stride, stride}, {1, 1}, {(kernel - stride) / 2, (kernel - stride) / 2}};
  Cpu cpu(1);
  for (auto _ : state) {
    run(kernels::ConvTranspose{}, cpu, View<float>{out.data(), Dims{1, outputs, to, to}}, window, std::int64_t{1},
        View<float>{x.data(), Dims{1, channels, size, size}}, View<float>{w.data(), Dims{channels, outputs, kernel, kernel}}, none);
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  bench::report(state, 1, 2.0 * static_cast<double>(channels * outputs * size * size * kernel * kernel),
                static_cast<double>(x.size() + w.size() + out.size()) * sizeof(float));
}
BENCHMARK(conv_transpose)
    ->ArgNames({"C", "size", "M", "kernel", "stride"})
    ->Args({128, 64, 64, 2, 2})
    ->Args({512, 16, 256, 2, 2})
    ->Args({128, 32, 64, 4, 2})
    ->Args({64, 64, 32, 3, 2});

}  // namespace
