#include "ops/number_text/cpu.hpp"

#include <bit>
#include <limits>

#include "ops/number_text/reference.hpp"
#include "ops/string_test.hpp"

namespace loam {
namespace {

using namespace laid;

template <class T>
Strings formatted(const std::vector<double>& numbers, Layout layout = Layout::Dense) {
  Cpu cpu;
  const auto n = static_cast<std::int64_t>(numbers.size());
  const auto out = lay_strings<A>({n}, {});
  format_numbers(cpu, out.value, lay<T, A>({n}, numbers, layout).value);
  return strings(out);
}

// The number, or why there is none.
template <class T>
std::string parsed(std::string_view text, T& number) {
  Cpu cpu;
  const auto out = blank<T>({});
  parse_numbers(cpu, Site{"y = Cast"}, out.value, lay_strings<>({}, {text}).value);
  number = out.storage[0];
  return cpu.fault() ? *cpu.fault() : "";
}
template <class T>
T parsed(std::string_view text) {
  T number{};
  EXPECT_EQ(parsed(text, number), "") << text;
  return number;
}

TEST(NumberText, FormatAgreesWithTheReference) {
  Random random(1);
  for (const Layout layout : layouts) {
    std::vector<double> numbers = random.reals(200, -1e3, 1e3);
    for (int i = 0; i < 200; ++i) {
      const auto bits = static_cast<std::uint32_t>(random.integer(0, 0xffffffff));
      numbers.push_back(static_cast<double>(std::bit_cast<float>(bits)));
    }
    const Strings found = formatted<float>(numbers, layout);
    for (std::size_t i = 0; i < numbers.size(); ++i)
      EXPECT_EQ(found[i], reference::format_number(static_cast<double>(static_cast<float>(numbers[i]))));
  }
}

// As onnxruntime 1.24 answers.
TEST(NumberText, FormatKnownAnswers) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(formatted<float>({3.1415926535, 1e-5, 1e20, infinity, -infinity, -0.0, 100, 0.1, 123456789}),
            (Strings{"3.1415927", "9.9999997e-06", "1e+20", "INF", "-INF", "-0", "100", "0.1", "1.2345679e+08"}));
  EXPECT_EQ(formatted<double>({3.1415926535, std::numeric_limits<double>::quiet_NaN()}), (Strings{"3.1415927", "NaN"}));
  EXPECT_EQ(formatted<float16>({3.1415926535}), Strings{"3.140625"});
  EXPECT_EQ(formatted<bool>({1, 0}), (Strings{"1", "0"}));
  EXPECT_EQ(formatted<std::int8_t>({65, -7}), (Strings{"65", "-7"}));
  EXPECT_EQ(formatted<std::int64_t>({-5, 0x1p62}), (Strings{"-5", "4611686018427387904"}));
}

TEST(NumberText, ParseAgreesWithTheReference) {
  for (const char* text : {"1.5", "1e-5", "-2.25E3", "0", "-0", "123456789012", "5.", ".5", "3.4028235e38", "1e-40"}) {
    EXPECT_EQ(parsed<double>(text), reference::parse_number(text)) << text;
    EXPECT_EQ(parsed<float>(text), static_cast<float>(reference::parse_number(text))) << text;
  }
}

TEST(NumberText, ParseKnownAnswers) {
  EXPECT_EQ(parsed<float>(" +4\n"), 4);
  EXPECT_TRUE(std::isinf(parsed<float>("+Inf")));
  EXPECT_LT(parsed<double>("-INFINITY"), 0);
  EXPECT_TRUE(std::isnan(parsed<float>("nAn")));
  EXPECT_EQ(parsed<std::int64_t>("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(parsed<std::int64_t>("100.5"), 100);
  EXPECT_EQ(parsed<std::int64_t>("-1E3"), -1000);
  EXPECT_EQ(parsed<std::uint64_t>("18446744073709551615"), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(parsed<std::uint64_t>("-1"), std::numeric_limits<std::uint64_t>::max());
}

TEST(NumberText, TextThatIsNoNumberIsRefused) {
  for (const std::string_view text : {"", " ", "abc", "1_0", "0x10", "1 2", "+-1", "--1", "1e", "true"}) {
    float f = 1;
    EXPECT_NE(parsed(text, f).find("is no number"), std::string::npos) << text;
    EXPECT_EQ(f, 0);
    std::int64_t i = 1;
    EXPECT_NE(parsed(text, i).find("is no number"), std::string::npos) << text;
  }
  Cpu cpu;
  const auto out = blank<float, A, laid::B>({1, 2});
  parse_numbers(cpu, Site{"y = Cast"}, out.value, lay_strings<A, laid::B>({1, 2}, {"1", "one"}).value);
  ASSERT_TRUE(cpu.fault());
  EXPECT_EQ(*cpu.fault(), "y = Cast: element [0, 1] is \"one\", which is no number");
}

TEST(NumberText, NumbersOutsideTheTypeAreRefused) {
  float f = 0;
  EXPECT_EQ(parsed("1e39", f), "y = Cast: element [] is \"1e39\", which the type it is cast to does not hold");
  std::int64_t i = 0;
  for (const std::string_view text : {"9223372036854775808", "1e19", "-1e30", "inf", "nan"})
    EXPECT_NE(parsed(text, i).find("does not hold"), std::string::npos) << text;
}

}  // namespace
}  // namespace loam
