#include <benchmark/benchmark.h>

#include <vector>

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
  state.counters["flop/s"] =
      benchmark::Counter(2.0 * static_cast<double>(outputs * to * to * per_group * kernel * kernel),
                         benchmark::Counter::kIsIterationInvariantRate, benchmark::Counter::kIs1000);
}
BENCHMARK(conv)
    ->ArgNames({"C", "size", "M", "kernel", "groups", "stride"})
    ->Args({64, 56, 64, 3, 1, 1})
    ->Args({64, 56, 256, 1, 1, 1})
    ->Args({256, 14, 256, 3, 1, 1})
    ->Args({128, 28, 128, 3, 1, 1})
    ->Args({512, 7, 512, 3, 1, 1})
    ->Args({256, 28, 256, 3, 1, 2})
    ->Args({512, 28, 128, 1, 1, 1})
    ->Args({1024, 14, 256, 1, 1, 1})
    ->Args({2048, 7, 512, 1, 1, 1})
    ->Args({512, 7, 2048, 1, 1, 1})
    ->Args({3, 224, 64, 7, 1, 2})
    ->Args({128, 56, 128, 3, 128, 1})
    ->Args({128, 56, 128, 3, 128, 2});

// The same of 3 x 3 windows by transformed weights; flop/s count what a window by window sum takes.
template <int Tile>
void winograd(benchmark::State& state) {
  using Form = form::Winograd<Tile>;
  const std::int64_t channels = state.range(0), size = state.range(1), outputs = state.range(2);
  std::vector<float> x(static_cast<std::size_t>(channels * size * size), 0.5f);
  std::vector<float> w(static_cast<std::size_t>(outputs * channels * 9), 0.25f);
  std::vector<float> out(static_cast<std::size_t>(outputs * size * size));
  const Dims extents{outputs, channels, 3, 3};
  HostMemory memory;
  const View<Packed<float, Form>> packed{memory.take<Packed<float, Form>>(Form::template elements<float>(extents)), extents};
  Cpu cpu(1);
  run(kernels::Pack<Form>{}, cpu, packed, View<float>{w.data(), extents});
  for (auto _ : state) {
    run(kernels::Conv{}, cpu, View<float>{out.data(), Dims{1, outputs, size, size}}, Window{2, {3, 3}, {1, 1}, {1, 1}, {1, 1}},
        std::int64_t{1}, View<float>{x.data(), Dims{1, channels, size, size}}, packed, none);
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  state.counters["flop/s"] = benchmark::Counter(2.0 * static_cast<double>(outputs * size * size * channels * 9),
                                                benchmark::Counter::kIsIterationInvariantRate, benchmark::Counter::kIs1000);
}
void shapes(benchmark::internal::Benchmark* b) {
  b->ArgNames({"C", "size", "M"});
  for (const auto& [channels, size] : {std::pair{16, 256}, {32, 112}, {64, 56}, {64, 256}, {128, 28}, {256, 14}, {512, 7}}) b->Args({channels, size, channels});
}
BENCHMARK(winograd<4>)->Apply(shapes);
BENCHMARK(winograd<2>)->Apply(shapes);

}  // namespace
