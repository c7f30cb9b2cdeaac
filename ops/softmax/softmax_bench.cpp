#include <benchmark/benchmark.h>

#include <vector>

#include "bench/kernel.hpp"
#include "ops/softmax/cpu.hpp"

namespace {

using namespace loam;

// [rows, columns] along an axis, on all threads; reports the bytes read and written.
template <class Kind, class T>
void softmax(benchmark::State& state) {
  const std::int64_t rows = state.range(0), columns = state.range(1);
  const int axis = static_cast<int>(state.range(2));
  std::vector<T> x(static_cast<std::size_t>(rows * columns), T(0.5f)), out(x.size());
  Cpu cpu;
  for (auto _ : state) {
    run(kernels::Softmax<Kind>{}, cpu, View<T>{out.data(), Dims{rows, columns}}, axis,
        View<T>{x.data(), Dims{rows, columns}});
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  bench::report(state, bench::all_threads, 0, static_cast<double>(2 * rows * columns) * sizeof(T));
}
BENCHMARK(softmax<Softmax, float>)->Args({768, 64, 1})->Args({64, 1024, 1})->Args({256, 256, 0})->UseRealTime();
BENCHMARK(softmax<LogSoftmax, float>)->Args({64, 1024, 1})->UseRealTime();
BENCHMARK(softmax<Softmax, float16>)->Args({64, 1024, 1})->UseRealTime();

}  // namespace
