#include "compiler/shape/dim_param.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace loam {
namespace {

class DimParamTest : public ::testing::Test {
 protected:
  Symbols s;

  std::string value(std::string_view text) {
    const auto expression = parse_dim_expression(text);
    return expression ? s.text(expression->evaluate(s)) : "no expression";
  }
  static std::vector<std::string> names(std::string_view text) {
    const auto expression = parse_dim_expression(text);
    return expression ? expression->names() : std::vector<std::string>{"no expression"};
  }
};

TEST_F(DimParamTest, NamesAreWhatExportersWrite) {
  for (const char* name : {"batch", "unk__214", "p2o.DynamicDimension.0", "_", "$seq", "L\xc3\xa4nge", "s77"}) {
    const auto expression = parse_dim_expression(name);
    ASSERT_TRUE(expression) << name;
    EXPECT_TRUE(expression->is_name());
    EXPECT_EQ(expression->names(), (std::vector<std::string>{name}));
    EXPECT_EQ(value(name), name);
  }
}

TEST_F(DimParamTest, Arithmetic) {
  EXPECT_EQ(value("past_sequence_length + sequence_length"), "past_sequence_length + sequence_length");
  EXPECT_EQ(value("a+1"), "a + 1");
  EXPECT_EQ(value(" 2 * a*b - -3 "), "2*a*b + 3");
  EXPECT_EQ(value("(a + b) * (a - b)"), "a*a - b*b");
  EXPECT_EQ(value("-a + 7"), "-a + 7");
  EXPECT_EQ(value("12"), "12");
  EXPECT_EQ(value("a - b - c"), "a - b - c");
  EXPECT_EQ(value("a*2/2"), "a");
  EXPECT_EQ(value("(a + b)/2*2"), "a + b");
  EXPECT_EQ(value("6*a/3"), "2*a");
  EXPECT_EQ(value("a/-2*-2"), "a");
}

TEST_F(DimParamTest, TorchAndSympySpellings) {
  EXPECT_EQ(value("s11 + s71"), "s11 + s71");
  EXPECT_EQ(value("4*((s53//4))"), "4*floor(s53 / 4)");
  EXPECT_EQ(value("((((((((s21//80)) - 3)//2)) - 1)//2)) + 1"), "floor((s21 + 240) / 320) - 1");
  EXPECT_EQ(value("floor(N/2 - 1/2) + 1"), value("ceiling(N/2)"));
  EXPECT_EQ(value("Max(1, N)"), "max(N, 1)");
  EXPECT_EQ(value("Min(N, M, 8)"), "min(min(N, M), 8)");
  EXPECT_EQ(value("Mod(N, 8)"), "mod(N, 8)");
  EXPECT_EQ(value("N % 8"), "mod(N, 8)");
}

TEST_F(DimParamTest, AnExactDivisionOwesItsRemainder) {
  std::vector<Polynomial> remainders;
  const Polynomial n = s.input("N");
  EXPECT_EQ(parse_dim_expression("N/2 + 1")->evaluate(s, &remainders), s.floor_div(n, 2) + 1);
  ASSERT_EQ(remainders.size(), 1U);
  EXPECT_EQ(remainders.front(), n + 2 - 2 * (s.floor_div(n, 2) + 1));
  remainders.clear();
  EXPECT_EQ(parse_dim_expression("4*N/2")->evaluate(s, &remainders), 2 * n);
  EXPECT_TRUE(remainders.empty());
}

TEST_F(DimParamTest, NamesAreListedOnce) {
  EXPECT_EQ(names("b*(a + b) - c"), (std::vector<std::string>{"b", "a", "c"}));
  EXPECT_EQ(names("seq-len"), (std::vector<std::string>{"seq", "len"}));
  EXPECT_EQ(names("3 + 4"), std::vector<std::string>{});
  EXPECT_EQ(names("floor(N/2)"), std::vector<std::string>{"N"});
}

TEST_F(DimParamTest, WhatIsNoArithmetic) {
  for (const char* text : {"", " ", "?", "batch size", "<unk>", "2N", "N+", "(N", "N)", "*N", "N**2", "f(N)", "N,M",
                           "1.5", "floor()", "Max(1,)", "99999999999999999999", "a b", "N // ", "#"}) {
    EXPECT_FALSE(parse_dim_expression(text)) << text;
  }
}

TEST_F(DimParamTest, HostileTextEnds) {
  EXPECT_FALSE(parse_dim_expression(std::string(100000, '(')));
  EXPECT_FALSE(parse_dim_expression(std::string(100000, '-')));
  std::string sum = "N";
  for (int i = 0; i < 20000; ++i) sum += "+N";
  EXPECT_EQ(value(sum), "20001*N");
  EXPECT_EQ(value("9223372036854775807*9223372036854775807"), "a number past 64 bits");
  EXPECT_EQ(value("N/0"), "a number past 64 bits");
  EXPECT_EQ(value("N/M"), "a number past 64 bits");
}

TEST_F(DimParamTest, ArithmeticOnlyOverKnownNames) {
  const auto read = [&](std::string_view text, std::vector<std::string> known) {
    const auto is_known = [&](std::string_view name) { return std::ranges::find(known, name) != known.end(); };
    const auto p = parse_dim_param(text, s, is_known);
    return p ? s.text(*p) : "nothing";
  };
  EXPECT_EQ(read("seq-len", {}), "seq-len");
  EXPECT_TRUE(s.find_input("seq-len"));
  EXPECT_FALSE(s.find_input("seq"));
  EXPECT_EQ(read("seq-len", {"seq", "len"}), "seq - len");
  EXPECT_EQ(read("past + 1", {"seq"}), "past + 1");
  EXPECT_TRUE(s.find_input("past + 1"));
  EXPECT_EQ(read(" batch ", {}), "batch");
  EXPECT_EQ(read("batch size", {}), "batch size");
  EXPECT_EQ(read("12", {}), "12");
  EXPECT_EQ(read("", {}), "nothing");
}

}  // namespace
}  // namespace loam
