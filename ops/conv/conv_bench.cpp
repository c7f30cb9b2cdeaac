#include <benchmark/benchmark.h>

#include <vector>

#include "bench/kernel.hpp"
#include "ops/conv/cpu.hpp"

namespace {

using namespace loam;

// [1, C, size, size] by [M, C / groups, kernel, kernel], padded to keep its size, on one thread.
void conv(benchmark::State& state) {
  const std::int64_t channels = state.range(0), size = state.range(1), outputs = state.range(2);
  const std::int64_t kernel = state.range(3), groups = state.range(4), stride = state.range(5);
  const std::int64_t per_group = channels / groups, to = (size + stride - 1) / stride;
  std::vector<float> x(static_cast<std::size_t>(channels * size * size), 0.5f);
  std::vector<float> w(static_cast<std::size_t>(outputs * per_group * kernel * kernel), 0.25f);
  std::vector<float> out(static_cast<std::size_t>(outputs * to * to));
  const Window window{2, {kernel, kernel}, {stride, stride}, {1, 1}, {kernel / 2, kernel / 2}};
  Cpu cpu(1);
  for (auto _ : state) {
    run(kernels::Conv{}, cpu, View<float>{out.data(), Dims{1, outputs, to, to}}, window, groups,
        View<float>{x.data(), Dims{1, channels, size, size}},
        View<float>{w.data(), Dims{outputs, per_group, kernel, kernel}}, none);
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  bench::report(state, 1, 2.0 * static_cast<double>(outputs * to * to * per_group * kernel * kernel),
                static_cast<double>(x.size() + w.size() + out.size()) * sizeof(float));
}
BENCHMARK(conv)
    ->ArgNames({"C", "size", "M", "kernel", "groups", "stride"})
    ->Args({64, 56, 64, 3, 1, 1})
    ->Args({64, 56, 256, 1, 1, 1})
    ->Args({256, 14, 256, 3, 1, 1})
    ->Args({128, 28, 128, 3, 1, 1})
    ->Args({512, 7, 512, 3, 1, 1})
    ->Args({128, 56, 128, 3, 1, 2})
    ->Args({256, 28, 256, 3, 1, 2})
    ->Args({512, 14, 512, 3, 1, 2})
    ->Args({3, 224, 32, 3, 1, 2})
    ->Args({256, 56, 512, 1, 1, 2})
    ->Args({256, 14, 1024, 1, 1, 1})
    ->Args({240, 14, 40, 1, 1, 1})
    ->Args({576, 1, 144, 1, 1, 1})
    ->Args({512, 28, 128, 1, 1, 1})
    ->Args({1024, 14, 256, 1, 1, 1})
    ->Args({2048, 7, 512, 1, 1, 1})
    ->Args({512, 7, 2048, 1, 1, 1})
    ->Args({3, 224, 64, 7, 1, 2})
    ->Args({128, 56, 128, 3, 128, 1})
    ->Args({128, 56, 128, 3, 128, 2})
    ->Args({240, 14, 240, 5, 240, 1})
    ->Args({576, 7, 576, 5, 576, 1});

// The same over packed weights; flop/s count what a window by window sum takes.
template <class Form>
void packed_conv(benchmark::State& state) {
  const std::int64_t channels = state.range(0), size = state.range(1), outputs = state.range(2);
  const std::int64_t kernel = state.range(3), stride = state.range(4), to = (size + stride - 1) / stride;
  std::vector<float> x(static_cast<std::size_t>(channels * size * size), 0.5f);
  std::vector<float> w(static_cast<std::size_t>(outputs * channels * kernel * kernel), 0.25f);
  std::vector<float> out(static_cast<std::size_t>(outputs * to * to));
  const Dims extents{outputs, channels, kernel, kernel};
  const Window window{2, {kernel, kernel}, {stride, stride}, {1, 1}, {kernel / 2, kernel / 2}};
  HostMemory memory;
  const View<Packed<float, Form>> packed{memory.take<Packed<float, Form>>(Form::template elements<float>(extents)), extents};
  Cpu cpu(1);
  run(kernels::Pack<Form>{}, cpu, packed, View<float>{w.data(), extents});
  for (auto _ : state) {
    run(kernels::Conv{}, cpu, View<float>{out.data(), Dims{1, outputs, to, to}}, window, std::int64_t{1},
        View<float>{x.data(), Dims{1, channels, size, size}}, packed, none);
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  bench::report(state, 1, 2.0 * static_cast<double>(outputs * to * to * channels * kernel * kernel),
                static_cast<double>(x.size() + w.size() + out.size()) * sizeof(float));
}
void tiled(benchmark::internal::Benchmark* b) {
  b->ArgNames({"C", "size", "M", "kernel", "stride"});
  for (const auto& [channels, size] : {std::pair{16, 256}, {32, 112}, {64, 56}, {64, 256}, {128, 28}, {256, 14}, {512, 7}})
    b->Args({channels, size, channels, 3, 1});
}
BENCHMARK(packed_conv<form::Winograd<4>>)->Apply(tiled);
BENCHMARK(packed_conv<form::Winograd<2>>)->Apply(tiled);
BENCHMARK(packed_conv<form::Outputs>)
    ->ArgNames({"C", "size", "M", "kernel", "stride"})
    ->Args({128, 56, 128, 3, 2})
    ->Args({256, 28, 256, 3, 2})
    ->Args({512, 14, 512, 3, 2})
    ->Args({3, 224, 64, 7, 2})
    ->Args({3, 224, 32, 3, 2})
    ->Args({256, 56, 512, 1, 2})
    ->Args({64, 56, 256, 1, 1})
    ->Args({512, 28, 128, 1, 1})
    ->Args({1024, 14, 256, 1, 1})
    ->Args({256, 14, 1024, 1, 1})
    ->Args({2048, 7, 512, 1, 1})
    ->Args({512, 7, 2048, 1, 1})
    ->Args({240, 14, 40, 1, 1})
    ->Args({576, 1, 144, 1, 1});

}  // namespace
