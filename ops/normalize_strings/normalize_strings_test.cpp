#include "ops/normalize_strings/cpu.hpp"
#include "ops/normalize_strings/reference.hpp"
#include "ops/string_test.hpp"

namespace loam {
namespace {

using namespace laid;

template <std::size_t N>
Strings normalized(CaseChange change, bool sensitive, const std::array<std::string_view, N>& dropped, const Words& words,
                   Layout layout = Layout::Dense) {
  Cpu cpu;
  const auto x = lay_strings<A>({static_cast<std::int64_t>(words.size())}, words, layout);
  const auto count = blank<std::int64_t>({});
  normalize_count(cpu, count.value, sensitive, dropped, x.value);
  const auto out = lay_strings<laid::B>({count.storage[0]}, {});
  normalize_strings(cpu, out.value, change, sensitive, dropped, x.value);
  return strings(out);
}

std::string cased(CaseChange change, std::string_view word) {
  return normalized(change, true, std::array<std::string_view, 0>{}, {word}).front();
}

TEST(NormalizeStrings, AgreesWithTheReference) {
  const Words all{"Monday", "monday", "MONDAY", "tuesday", "a1", "", "Z"};
  const std::array<std::string_view, 2> dropped{"monday", "A1"};
  for (const Layout layout : layouts)
    for (unsigned seed = 0; seed < 40; ++seed) {
      Random random(seed);
      Words words(static_cast<std::size_t>(random.integer(0, 6)));
      for (std::string_view& w : words) w = all[static_cast<std::size_t>(random.integer(0, 6))];
      for (const CaseChange change : {CaseChange::none, CaseChange::lower, CaseChange::upper})
        for (const bool sensitive : {false, true})
          EXPECT_EQ(normalized(change, sensitive, dropped, words, layout),
                    reference::normalize_strings(change, sensitive, {dropped.begin(), dropped.end()}, words));
    }
}

TEST(NormalizeStrings, ChangesTheCaseOfEveryScript) {
  EXPECT_EQ(cased(CaseChange::lower, "ÀÞ ÿŸ Ωμέ ЖЯ Ա Ჰ İ ẞ 𐐀"), "àþ ÿÿ ωμέ жя ա ჰ i ß 𐐨");
  EXPECT_EQ(cased(CaseChange::upper, "àþ ÿ ωμέ жя ա ı ß 𐐨"), "ÀÞ Ÿ ΩΜΈ ЖЯ Ա I ß 𐐀");
  EXPECT_EQ(cased(CaseChange::upper, "ǆ ǅ ꭰ ⅷ ⓐ"), "Ǆ Ǆ Ꭰ Ⅷ Ⓐ");
  EXPECT_EQ(cased(CaseChange::none, "Aé"), "Aé");
}

TEST(NormalizeStrings, BytesThatAreNoUtf8Stay) {
  for (const std::string_view bytes : {"\xff", "\xc3", "a\x80z", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xc0\x80"}) {
    std::string upper = cased(CaseChange::upper, bytes), want(bytes);
    for (char& c : want) c = c == 'a' ? 'A' : c == 'z' ? 'Z' : c;
    EXPECT_EQ(upper, want);
  }
}

TEST(NormalizeStrings, WordsAreListedInAnyCaseOfAnyScript) {
  EXPECT_EQ(normalized(CaseChange::none, false, std::array<std::string_view, 1>{"éA"}, {"Éa", "Ea"}), Strings{"Ea"});
}

}  // namespace
}  // namespace loam
