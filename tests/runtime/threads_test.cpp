// The pool beneath Cpu::parallel, and that kernels give the same bits on any number of threads.
#include "runtime/threads.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <numeric>
#include <vector>

#include "ops/conv/cpu.hpp"
#include "ops/conv_transpose/cpu.hpp"
#include "ops/gather/cpu.hpp"
#include "ops/layer_norm/cpu.hpp"
#include "ops/map/cpu.hpp"
#include "ops/matmul/cpu.hpp"
#include "ops/pool/cpu.hpp"
#include "ops/reduce/cpu.hpp"
#include "ops/softmax/cpu.hpp"
#include "runtime/functions.hpp"

namespace {

using namespace loam;

TEST(Threads, EveryPlaceIsTakenOnce) {
  for (const int threads : {1, 2, 5}) {
    Cpu cpu(threads);
    for (const std::int64_t count : {0, 1, 2, 255, 256, 257, 1000, 100'000})
      for (const std::int64_t grain : {0, 1, 3, 64, 200'000}) {
        std::vector<std::atomic<int>> taken(static_cast<std::size_t>(count));
        cpu.parallel(count, grain, [&](std::int64_t begin, std::int64_t end) {
          EXPECT_LT(begin, end);
          for (std::int64_t i = begin; i < end; ++i) ++taken[static_cast<std::size_t>(i)];
        });
        for (const auto& n : taken) ASSERT_EQ(n, 1) << threads << " " << count << " " << grain;
      }
  }
}

TEST(Threads, PartsDependOnTheWorkAlone) {
  const auto parts = [](int threads) {
    Cpu cpu(threads);
    std::vector<std::atomic<std::int64_t>> end_at(100'000);
    cpu.parallel(100'000, 17, [&](std::int64_t begin, std::int64_t end) {
      end_at[static_cast<std::size_t>(begin)] = end;
    });
    return std::vector<std::int64_t>(end_at.begin(), end_at.end());
  };
  EXPECT_EQ(parts(1), parts(2));
  EXPECT_EQ(parts(1), parts(7));
}

TEST(Threads, WithinAPartWorkIsDoneInPlace) {
  Cpu cpu(4);
  std::atomic<std::int64_t> sum = 0;
  cpu.parallel(64, 1, [&](std::int64_t begin, std::int64_t end) {
    cpu.parallel(1000 * (end - begin), 1, [&](std::int64_t first, std::int64_t last) { sum += last - first; });
  });
  EXPECT_EQ(sum, 64'000);
}

// Short turns one after another: a thread that wakes late finds the next turn's parts or none.
TEST(Threads, ManyShortTurns) {
  Cpu cpu(3);
  std::vector<std::int64_t> sums(16);
  for (int turn = 0; turn < 20'000; ++turn)
    cpu.parallel(16, 1, [&, turn](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) sums[static_cast<std::size_t>(i)] += turn;
    });
  for (const std::int64_t sum : sums) EXPECT_EQ(sum, std::int64_t{20'000} * 19'999 / 2);
}

// ---- Kernels, on more work than one part takes ----

class Data {
 public:
  explicit Data(std::initializer_list<std::int64_t> extents, float factor = 1.0f) : dims_(extents) {
    elements_.resize(static_cast<std::size_t>(dims_.elements()));
    std::uint32_t state = 12345;
    for (float& e : elements_) {
      state = state * 1664525u + 1013904223u;
      e = factor * (static_cast<float>(state >> 8) / 8388608.0f - 1.0f);
    }
  }
  View<float> view() { return {elements_.data(), dims_}; }
  const std::vector<float>& elements() const { return elements_; }

 private:
  Dims dims_;
  std::vector<float> elements_;
};

using Kernel = std::function<void(Cpu&, const View<float>& out)>;
void expect_same_bits(std::initializer_list<std::int64_t> out, const Kernel& kernel) {
  std::vector<float> first;
  for (const int threads : {1, 2, 5}) {
    Cpu cpu(threads);
    Data result(out, 0.0f);
    kernel(cpu, result.view());
    EXPECT_EQ(cpu.fault(), nullptr);
    if (threads == 1) first = result.elements();
    EXPECT_EQ(std::memcmp(first.data(), result.elements().data(), first.size() * sizeof(float)), 0) << threads;
  }
}

TEST(Threads, MatmulOfOneRow) {
  Data a({1, 300}), w({300, 1000});
  expect_same_bits({1, 1000}, [&](Cpu& cpu, const View<float>& out) {
    run(kernels::Matmul{}, cpu, out, a.view(), w.view());
  });
  Data turned({1000, 300});
  View<float> by_columns = turned.view();
  by_columns.dims = Dims{300, 1000};
  by_columns.dims.strides = {1, 300};
  expect_same_bits({1, 1000}, [&](Cpu& cpu, const View<float>& out) {
    run(kernels::Matmul{}, cpu, out, a.view(), by_columns);
  });
}
TEST(Threads, MatmulOfManyRows) {
  Data a({3, 50, 300}), w({300, 530});
  expect_same_bits({3, 50, 530}, [&](Cpu& cpu, const View<float>& out) {
    run(kernels::Matmul{}, cpu, out, a.view(), w.view());
  });
}
TEST(Threads, MatmulToHalf) {
  Data a({60, 300}), w({300, 530});
  const auto half = [&](int threads) {
    Cpu cpu(threads);
    std::vector<float16> out(60 * 530);
    run(kernels::Matmul{}, cpu, View<float16>{out.data(), Dims{60, 530}}, a.view(), w.view());
    std::vector<std::uint16_t> bits(out.size());
    std::memcpy(bits.data(), out.data(), bits.size() * sizeof(float16));
    return bits;
  };
  EXPECT_EQ(half(1), half(2));
  EXPECT_EQ(half(1), half(5));
}
TEST(Threads, Map) {
  Data x({37, 2011}), y({2011});
  expect_same_bits({37, 2011}, [&](Cpu& cpu, const View<float>& out) {
    run(kernels::Map<fn::Tanh>{}, cpu, out, x.view());
  });
  expect_same_bits({37, 2011}, [&](Cpu& cpu, const View<float>& out) {
    run(kernels::Map<fn::Add>{}, cpu, out, x.view(), y.view());
  });
}
TEST(Threads, Softmax) {
  Data x({90, 777});
  expect_same_bits({90, 777}, [&](Cpu& cpu, const View<float>& out) {
    run(kernels::Softmax<Softmax>{}, cpu, out, 1, x.view());
  });
  expect_same_bits({90, 777}, [&](Cpu& cpu, const View<float>& out) {
    run(kernels::Softmax<Softmax>{}, cpu, out, 0, x.view());
  });
}
TEST(Threads, Reduce) {
  Data x({90, 777});
  expect_same_bits({90}, [&](Cpu& cpu, const View<float>& out) {
    run(kernels::Reduce<reducer::Sum, Over<1>>{}, cpu, out, x.view());
  });
  expect_same_bits({777}, [&](Cpu& cpu, const View<float>& out) {
    run(kernels::Reduce<reducer::LogSumExp, Over<0>>{}, cpu, out, x.view());
  });
}
TEST(Threads, LayerNorm) {
  Data x({90, 777}), scale({777}), bias({777});
  expect_same_bits({90, 777}, [&](Cpu& cpu, const View<float>& out) {
    run(kernels::LayerNorm{}, cpu, out, 1, 1e-5, x.view(), scale.view(), bias.view());
  });
}
TEST(Threads, Convolutions) {
  Data x({2, 8, 40, 40}), w({16, 8, 3, 3}), each({8, 1, 3, 3}), bias({16});
  const Window window{2, {3, 3, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 0}};
  expect_same_bits({2, 16, 40, 40}, [&](Cpu& cpu, const View<float>& out) {
    run(kernels::Conv{}, cpu, out, window, 1, x.view(), w.view(), bias.view());
  });
  expect_same_bits({2, 8, 40, 40}, [&](Cpu& cpu, const View<float>& out) {
    run(kernels::Conv{}, cpu, out, window, 8, x.view(), each.view(), none);
  });
  expect_same_bits({2, 8, 40, 40}, [&](Cpu& cpu, const View<float>& out) {
    run(kernels::MaxPool{}, cpu, out, window, x.view());
  });
  Data back({8, 16, 3, 3});
  expect_same_bits({2, 16, 40, 40}, [&](Cpu& cpu, const View<float>& out) {
    run(kernels::ConvTranspose{}, cpu, out, window, 1, x.view(), back.view(), none);
  });
}
TEST(Threads, Gather) {
  Data x({500, 300});
  std::vector<std::int64_t> rows(400);
  std::iota(rows.begin(), rows.end(), 50);
  expect_same_bits({400, 300}, [&](Cpu& cpu, const View<float>& out) {
    run(kernels::Gather{}, cpu, Site{"y = Gather"}, out, 0, x.view(), View<std::int64_t>{rows.data(), Dims{400}});
  });
}

}  // namespace
