#include "ops/split_strings/cpu.hpp"
#include "ops/split_strings/reference.hpp"
#include "ops/string_test.hpp"

namespace loam {
namespace {

using namespace laid;

struct Split {
  std::int64_t most;
  Strings pieces;
  std::vector<double> counts;
};

Split split(const Words& words, std::string_view delimiter, std::int64_t limit, Layout layout = Layout::Dense) {
  Cpu cpu;
  const auto n = static_cast<std::int64_t>(words.size());
  const auto x = lay_strings<A>({n}, words, layout);
  const auto count = blank<std::int64_t>({});
  split_count(cpu, count.value, delimiter, limit, x.value);
  const auto pieces = lay_strings<A, laid::B>({n, count.storage[0]}, {});
  const auto counts = blank<std::int64_t, A>({n});
  split_strings(cpu, pieces.value, counts.value, delimiter, limit, x.value);
  return {count.storage[0], strings(pieces), counts.elements()};
}

TEST(SplitStrings, AgreesWithTheReference) {
  for (const Layout layout : layouts)
    for (unsigned seed = 0; seed < 100; ++seed) {
      Random random(seed);
      Strings texts(static_cast<std::size_t>(random.integer(1, 4)));
      for (std::string& text : texts)
        for (std::int64_t i = random.integer(0, 8); i > 0; --i) text += ",; \tab"[random.integer(0, 5)];
      const std::string_view delimiter = std::array{"", ",", ";", ",,", "a"}[static_cast<std::size_t>(random.integer(0, 4))];
      const std::int64_t limit = random.integer(-1, 3);
      const Split found = split({texts.begin(), texts.end()}, delimiter, limit, layout);
      for (std::size_t i = 0; i < texts.size(); ++i) {
        Strings want = reference::split_string(texts[i], delimiter, limit);
        EXPECT_EQ(found.counts[i], static_cast<double>(want.size())) << '"' << texts[i] << '"';
        want.resize(static_cast<std::size_t>(found.most));
        const auto row = found.pieces.begin() + static_cast<std::ptrdiff_t>(i) * found.most;
        EXPECT_EQ(Strings(row, row + found.most), want) << '"' << texts[i] << '"';
      }
    }
}

// As onnxruntime 1.24 answers.
TEST(SplitStrings, KnownAnswers) {
  const Split commas = split({"a,,b", ""}, ",", -1);
  EXPECT_EQ(commas.pieces, (Strings{"a", "", "b", "", "", ""}));
  EXPECT_EQ(commas.counts, (std::vector<double>{3, 0}));
  EXPECT_EQ(split({" a  b  c "}, "", 1).pieces, (Strings{"a", "b  c"}));
  EXPECT_EQ(split({" a  b  c "}, "", 0).pieces, (Strings{"a  b  c"}));
  EXPECT_EQ(split({"a,b,c"}, ",", 0).pieces, (Strings{"a,b,c"}));
  EXPECT_EQ(split({"", " "}, "", -1).most, 0);
  EXPECT_EQ(split({}, ",", -1).most, 0);
}

TEST(SplitStrings, EitherOutputMayBeAbsent) {
  Cpu cpu;
  const auto x = lay_strings<A>({1}, {"a b"});
  const auto counts = blank<std::int64_t, A>({1});
  split_strings(cpu, none, counts.value, "", -1, x.value);
  EXPECT_EQ(counts.elements(), std::vector<double>{2});
  const auto pieces = lay_strings<A, laid::B>({1, 2}, {});
  split_strings(cpu, pieces.value, none, "", -1, x.value);
  EXPECT_EQ(strings(pieces), (Strings{"a", "b"}));
}

}  // namespace
}  // namespace loam
