// libFuzzer: `make fuzz`, or build/asan/tests/layout_fuzzer tests/fuzz/corpus/layout -max_total_time=600
#include <cstdint>

#include "tests/fuzz/targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  loam::fuzz::layout(std::as_bytes(std::span(data, size)));
  return 0;
}
