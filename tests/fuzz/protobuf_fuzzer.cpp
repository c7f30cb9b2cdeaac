// libFuzzer: `make fuzz`, or build/asan/tests/protobuf_fuzzer tests/fuzz/corpus/protobuf -max_total_time=600
#include <cstdint>

#include "tests/fuzz/targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  loam::fuzz::protobuf(std::as_bytes(std::span(data, size)));
  return 0;
}
