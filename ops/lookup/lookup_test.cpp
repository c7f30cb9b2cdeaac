#include "ops/lookup/cpu.hpp"

#include <limits>

#include "ops/lookup/reference.hpp"
#include "ops/string_test.hpp"

namespace loam {
namespace {

using namespace laid;

TEST(Lookup, AgreesWithTheReference) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::array<float, 4> keys{-1.5f, 0.0f, 2.0f, std::numeric_limits<float>::quiet_NaN()};
  const std::array<std::int64_t, 4> values{7, 8, 9, 10};
  for (const Layout layout : layouts) {
    Cpu cpu;
    const auto x = lay<float, A, laid::B>({3, 3}, {-1.5, -0.0, 0, 2, nan, -nan, 3, -9, 1}, layout);
    const auto out = blank<std::int64_t, A, laid::B>({3, 3});
    lookup(cpu, out.value, keys, values, std::int64_t{-1}, x.value);
    const std::vector<double> found = out.elements();
    std::size_t next = 0;
    for (const reference::Place& p : reference::places(x.value.dims))
      EXPECT_EQ(found[next++], static_cast<double>(reference::lookup(keys, values, std::int64_t{-1}, reference::element(x.view(), p))));
  }
}

TEST(Lookup, OfStringsToStrings) {
  Cpu cpu;
  const auto x = lay_strings<A>({4}, {"b", "", "c", "bb"});
  const auto out = lay_strings<A>({4}, {});
  const std::array<std::string_view, 2> keys{"", "b"}, values{"empty", "second"};
  lookup(cpu, out.value, keys, values, std::string_view("none"), x.value);
  EXPECT_EQ(strings(out), (Strings{"second", "empty", "none", "none"}));
}

TEST(Lookup, WithoutKeysEverythingIsTheDefault) {
  Cpu cpu;
  const auto x = lay<std::int64_t, A>({2}, {1, 2});
  const auto out = blank<float, A>({2});
  lookup(cpu, out.value, std::array<std::int64_t, 0>{}, std::array<float, 0>{}, 0.5f, x.value);
  EXPECT_EQ(out.elements(), (std::vector<double>{0.5, 0.5}));
}

TEST(Lookup, WithoutADefaultAnElementThatIsNoKeyFailsTheRun) {
  Cpu cpu;
  const std::array<std::string_view, 2> words{"a", "b"};
  const std::array<std::int64_t, 2> places{1, 0}, numbers{3, 5};
  const auto out = blank<std::int64_t, A, laid::B>({2, 2});
  const Site site{"y = OneHotEncoder"};
  lookup(cpu, site, out.value, words, places, lay_strings<A, laid::B>({2, 2}, {"b", "a", "a", "b"}).value);
  EXPECT_EQ(cpu.fault(), nullptr);
  EXPECT_EQ(out.elements(), (std::vector<double>{0, 1, 1, 0}));
  lookup(cpu, site, out.value, words, places, lay_strings<A, laid::B>({2, 2}, {"b", "a", "c", "d"}).value);
  ASSERT_NE(cpu.fault(), nullptr);
  EXPECT_EQ(*cpu.fault(), "y = OneHotEncoder: element [1, 0] is \"c\", which is none of the 2 keys");
  cpu.clear_fault();
  lookup(cpu, site, out.value, numbers, places, lay<std::int64_t, A, laid::B>({2, 2}, {3, 5, 4, 3}).value);
  ASSERT_NE(cpu.fault(), nullptr);
  EXPECT_EQ(*cpu.fault(), "y = OneHotEncoder: element [1, 0] is 4, which is none of the 2 keys");
}

}  // namespace
}  // namespace loam
