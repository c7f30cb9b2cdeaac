// A product of 768 x 768 by packed 768 x 768 floats, in vectors of 128 bits: what bench/models.py --wasm measures modules beside.
//
//   bench_gemm_fma           prints its speed; bench_gemm_plain is without fused multiply-adds
//   bench_gemm_fma serve     as bench_models does once it is ready
#include <cstdio>
#include <iostream>
#include <vector>

#include "bench/ceiling.hpp"
#include "ops/matmul/cpu.hpp"

int main(int count, char**) {
  using namespace loam;
  using Strips = Packed<float, form::Columns>;
  static_assert(detail::vector_bytes == 16);
  constexpr std::int64_t n = 768;
  const Dims square{n, n};
  std::vector<float> a(n * n, 0.5f), w(n * n, 0.25f), out(n * n);
  HostMemory memory;
  Cpu cpu(1);
  const View<Strips> packed{memory.take<Strips>(form::Columns::elements<float>(square)), square};
  run(kernels::Pack<form::Columns>{}, cpu, packed, View<float>{w.data(), square});
  const auto multiply = [&] { run(kernels::Matmul{}, cpu, View<float>{out.data(), square}, View<float>{a.data(), square}, packed); };
  if (count < 2) {
    std::printf("%.1f Gflop/s of float32 in vectors of 128 bits\n", 2e-9 * n * n * n / bench::median_seconds(1, multiply));
    return 0;
  }
  multiply();
  std::puts("ready {\"name\": \"native\"}");
  std::fflush(stdout);
  for (int times; std::cin >> times;) {
    for (; times > 0; --times) {
      const auto start = std::chrono::steady_clock::now();
      multiply();
      std::printf("%.9f ", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    std::puts("");
    std::fflush(stdout);
  }
}
