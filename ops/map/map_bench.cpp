#include <benchmark/benchmark.h>

#include <vector>

#include "bench/kernel.hpp"
#include "ops/map/cpu.hpp"
#include "runtime/functions.hpp"

namespace {

using namespace loam;

struct Add {
  float operator()(float a, float b) const { return fn::add(a, b); }
};
struct Gelu {
  float operator()(float a) const { return 0.5f * a * (1.0f + fn::erf(a * 0.70710678f)); }
};
struct Silu {
  float operator()(float a) const { return a * fn::sigmoid(a); }
};
struct Tanh {
  float operator()(float a) const { return fn::tanh(a); }
};

// n elements, on all threads; reports the bytes read and written.
template <class Expression, class T>
void unary(benchmark::State& state) {
  const std::int64_t n = state.range(0);
  std::vector<T> x(static_cast<std::size_t>(n), T(0.5f)), out(x.size());
  Cpu cpu;
  for (auto _ : state) {
    run(kernels::Map<Expression>{}, cpu, View<T>{out.data(), Dims{n}}, View<T>{x.data(), Dims{n}});
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  bench::report(state, bench::all_threads, 0, static_cast<double>(2 * n) * sizeof(T));
}
BENCHMARK(unary<Gelu, float>)->Arg(1 << 16)->UseRealTime();
BENCHMARK(unary<Silu, float>)->Arg(1 << 16)->UseRealTime();
BENCHMARK(unary<Tanh, float>)->Arg(1 << 16)->UseRealTime();
BENCHMARK(unary<Tanh, float16>)->Arg(1 << 16)->UseRealTime();

// [rows, 768] and [768].
void add_row(benchmark::State& state) {
  const std::int64_t rows = state.range(0), columns = 768;
  std::vector<float> x(static_cast<std::size_t>(rows * columns), 0.5f), row(static_cast<std::size_t>(columns)),
      out(x.size());
  Cpu cpu;
  for (auto _ : state) {
    run(kernels::Map<Add>{}, cpu, View<float>{out.data(), Dims{rows, columns}},
        View<float>{x.data(), Dims{rows, columns}}, View<float>{row.data(), Dims{columns}});
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  bench::report(state, bench::all_threads, 0, static_cast<double>(2 * rows * columns) * sizeof(float));
}
BENCHMARK(add_row)->Arg(128)->UseRealTime();

}  // namespace
