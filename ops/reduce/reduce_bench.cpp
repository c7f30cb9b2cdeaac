#include <benchmark/benchmark.h>

#include <vector>

#include "bench/kernel.hpp"
#include "ops/reduce/cpu.hpp"

namespace {

using namespace loam;

// [rows, columns] along its rows, or down its columns; on all threads; reports the bytes read.
template <class Reducer, class T, int Axis>
void reduce(benchmark::State& state) {
  const std::int64_t rows = state.range(0), columns = state.range(1), kept = Axis == 0 ? columns : rows;
  std::vector<T> x(static_cast<std::size_t>(rows * columns), T(0.5f)), out(static_cast<std::size_t>(kept));
  Cpu cpu;
  for (auto _ : state) {
    run(kernels::Reduce<Reducer, Over<Axis>>{}, cpu, View<T>{out.data(), Dims{kept}},
        View<T>{x.data(), Dims{rows, columns}});
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  bench::report(state, bench::all_threads, 0, static_cast<double>(rows * columns) * sizeof(T));
}
BENCHMARK(reduce<reducer::Sum, float, 1>)->Args({512, 768})->UseRealTime();
BENCHMARK(reduce<reducer::Sum, float, 0>)->Args({512, 768})->UseRealTime();
BENCHMARK(reduce<reducer::Max, float, 1>)->Args({512, 768})->UseRealTime();
BENCHMARK(reduce<reducer::Max, float, 0>)->Args({512, 768})->UseRealTime();
BENCHMARK(reduce<reducer::LogSumExp, float, 1>)->Args({512, 768})->UseRealTime();
BENCHMARK(reduce<reducer::Sum, float16, 1>)->Args({512, 768})->UseRealTime();

}  // namespace
