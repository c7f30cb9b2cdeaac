#include <algorithm>

#include "ops/count_ngrams/cpu.hpp"
#include "ops/count_ngrams/reference.hpp"
#include "ops/strided_test.hpp"

namespace loam {
namespace {

using namespace laid;
using Doubles = std::vector<double>;

TEST(CountNgrams, AgreesWithTheReference) {
  Cpu cpu;
  for (const Layout layout : layouts)
    for (unsigned seed = 0; seed < 40; ++seed) {
      Random random(seed);
      const std::int64_t rows = random.integer(0, 3), positions = random.integer(0, 9);
      // Every pair and every triple of two tokens, in order, counted at places that some share.
      const Doubles pool{0, 0, 0, 1, 1, 0, 1, 1, 0, 0, 1, 0, 1, 1};
      const Doubles grams{0, 0, 2, 1, 4, 2, 6, 3, 8, 0, 11, 4};
      const auto x = lay<std::int32_t, A, B>({rows, positions}, random.integers(40, 0, 1), layout);
      const auto tokens = lay<std::int64_t, C>({14}, pool, layout);
      const auto table = lay<std::int64_t, D, E>({6, 2}, grams, layout);
      const auto lengths = lay<std::int64_t, F>({3}, {0, 4, 6}, layout);
      for (const std::int64_t skipped : {0, 1, 4}) {
        const auto out = blank<float, A, Axis<7>>({rows, 5}), want = blank<float, A, Axis<7>>({rows, 5});
        count_ngrams(cpu, out.value, 2, skipped, x.value, tokens.value, table.value, lengths.value);
        reference::count_ngrams(want.view(), 2, skipped, x.view(), tokens.view(), table.view(), lengths.view());
        EXPECT_EQ(out.elements(), want.elements());
      }
    }
}

TEST(CountNgrams, KnownAnswer) {  // ONNX's example: single tokens 2 3 5 4, pairs 5 6, 7 8, 6 7
  Cpu cpu;
  const auto x = lay<std::int64_t, A>({12}, {1, 1, 3, 3, 3, 7, 8, 6, 7, 5, 6, 8});
  const auto pool = lay<std::int64_t, B>({10}, {2, 3, 5, 4, 5, 6, 7, 8, 6, 7});
  const auto grams = lay<std::int64_t, C, D>({7, 2}, {0, 0, 1, 1, 3, 3, 2, 2, 4, 4, 8, 6, 6, 5});
  const auto lengths = lay<std::int64_t, E>({3}, {0, 4, 7});
  const auto out = blank<float, F>({7});
  count_ngrams(cpu, out.value, 1, 5, x.value, pool.value, grams.value, lengths.value);
  EXPECT_EQ(out.elements(), (Doubles{0, 3, 1, 0, 1, 3, 1}));
}

TEST(CountNgrams, OfNoTokens) {
  Cpu cpu;
  const auto x = lay<std::int64_t, A, B>({2, 0}, {});
  const auto pool = lay<std::int64_t, C>({1}, {4});
  const auto grams = lay<std::int64_t, D, E>({1, 2}, {0, 0});
  const auto lengths = lay<std::int64_t, F>({2}, {0, 1});
  const auto out = blank<float, A, Axis<7>>({2, 1});
  count_ngrams(cpu, out.value, 1, 0, x.value, pool.value, grams.value, lengths.value);
  EXPECT_EQ(out.elements(), (Doubles{0, 0}));
}

}  // namespace
}  // namespace loam
