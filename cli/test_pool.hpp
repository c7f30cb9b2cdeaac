// Worker processes over batches of cases. A worker that dies or hangs costs the one case it was at: the others of its
// batch go back in the queue.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "cli/test_batch.hpp"

namespace loam::cli {

struct PoolOptions {
  std::size_t jobs = 1;
  std::size_t batch_size = 32;  // cases of one translation unit, at most
};

struct TestCompilers {
  HostCompiler small{CodeFor::small_tests}, large{CodeFor::large_tests};
};

// The cases in batches, those that take longest first: a large graph alone, small ones together, in order of name, so
// that neighbours, which use the same kernels, share what the host compiler makes of them.
struct TestBatch {
  std::vector<std::size_t> cases;  // by index
  bool large = false;
};
std::vector<TestBatch> make_batches(std::span<const TestCase> cases, std::size_t batch_size);

// Calls `finished` for every case once, in the order they end, and `tick` about ten times a second.
void run_pool(std::span<const TestCase> cases, const TestOptions& options, const PoolOptions& pool,
              const TestCompilers& compilers, const std::function<void(std::size_t index, Outcome outcome)>& finished,
              const std::function<void()>& tick);

}  // namespace loam::cli
