// Operators over strings, and patterns made automata.
#include <gtest/gtest.h>

#include "compiler/operators/regex.hpp"
#include "ops/match/reference.hpp"
#include "tests/operators/nn_graph.hpp"

namespace loam::nn {
namespace {

Attribute texts(std::string name, std::vector<std::string> values) { return attribute(std::move(name), std::move(values)); }

TEST(Strings, ConcatBroadcasts) {
  Graph g(20);
  g.input("X", shape("N", 3), DType::string).input("Y", shape(3), DType::string);
  g.node("StringConcat", {"X", "Y"}, {"Z"});
  EXPECT_EQ(g.type("Z"), "string[N, 3]");
  Graph h(20);
  h.input("X", shape(3), DType::string).input("Y", shape(3)).node("StringConcat", {"X", "Y"}, {"Z"});
  EXPECT_EQ(h.errors(), "Z = StringConcat: Y is float32, and the operator takes string [element-type]\n");
}

TEST(Strings, SplitBindsTheMostPieces) {
  Graph g(20);
  g.input("X", shape("N"), DType::string).node("StringSplit", {"X"}, {"Y", "Z"}, {text("delimiter", ","), integer("maxsplit", 2)});
  EXPECT_EQ(g.type("Y"), "string[N, Y_count]");
  EXPECT_EQ(g.type("Z"), "int64[N]");
  EXPECT_NE(g.lowered().find("split_count(std::string_view(\",\", 1), 2, X)"), std::string::npos) << g.lowered();
  Graph h(20);
  h.input("X", shape("N"), DType::string).node("StringSplit", {"X"}, {"", "Z"});
  EXPECT_EQ(h.lowered(), "none, Z = split_strings(std::string_view(\"\", 0), -1, X)\n");
}

TEST(Strings, NormalizerBindsWhatIsLeft) {
  Graph g(17);
  g.input("X", shape(1, "C"), DType::string)
      .node("StringNormalizer", {"X"}, {"Y"}, {texts("stopwords", {"a"}), text("case_change_action", "UPPER"), text("locale", "any")});
  EXPECT_EQ(g.type("Y"), "string[1, Y_count]");
  Graph whole(17);
  whole.input("X", shape("C"), DType::string).node("StringNormalizer", {"X"}, {"Y"}, {text("case_change_action", "LOWER")});
  EXPECT_EQ(whole.lowered(), "Y = normalize_strings(loam::CaseChange::lower, false, std::array<std::string_view, 0>{}, X)\n");
  EXPECT_EQ(whole.owed(), "C - 1 >= 0: there are C words, and the operator takes 1 or more\n");
  Graph cube(17);
  cube.input("X", shape(1, 1, 2), DType::string).node("StringNormalizer", {"X"}, {"Y"});
  EXPECT_EQ(cube.errors(), "Y = StringNormalizer: X has 3 axes, and the operator takes 1 or 2 [rank-mismatch]\n");
  Graph word(17);
  word.input("X", shape(2), DType::string).node("StringNormalizer", {"X"}, {"Y"}, {text("case_change_action", "TITLE")});
  EXPECT_NE(word.errors().find("[bad-attribute]"), std::string::npos);
}

TEST(Strings, LabelsOfEveryForm) {
  Graph g;
  g.input("X", shape("N"), DType::string)
      .node("LabelEncoder", {"X"}, {"Y"}, {texts("keys_strings", {"b", "a", "b"}), ints("values_int64s", {1, 2, 3})}, "ai.onnx.ml");
  EXPECT_EQ(g.lowered(),
            "Y = lookup(std::array<std::string_view, 2>{std::string_view(\"a\", 1), std::string_view(\"b\", 1)}, "
            "std::array<std::int64_t, 2>{std::int64_t{2}, std::int64_t{3}}, std::int64_t{-1}, X)\n");
  Graph h(17, 1);
  h.input("X", shape("N"), DType::int64).node("LabelEncoder", {"X"}, {"Y"}, {texts("classes_strings", {"a"})}, "ai.onnx.ml");
  EXPECT_EQ(h.type("Y"), "string[N]");
  Graph none;
  none.input("X", shape("N"), DType::string).node("LabelEncoder", {"X"}, {"Y"}, {texts("keys_strings", {"a"})}, "ai.onnx.ml");
  EXPECT_EQ(none.errors(), "Y = LabelEncoder: has no values that the build can read [bad-attribute]\n");
}

TEST(Strings, CastReadsTheWidestTypeOfAKind) {
  Graph g(19);
  g.input("X", shape("N"), DType::string).node("Cast", {"X"}, {"Y"}, {integer("to", 2)});
  EXPECT_NE(g.lowered().find("Y_number = parse_numbers(X)\nY = map("), std::string::npos) << g.lowered();
  Graph h(19);
  h.input("X", shape("N")).node("Cast", {"X"}, {"Y"}, {integer("to", 8)});
  EXPECT_EQ(h.lowered(), "Y = format_numbers(X)\n");
}

TEST(Strings, OtherOperatorsRefuseThem) {
  Graph g(17);
  g.input("X", shape("N"), DType::string).node("Add", {"X", "X"}, {"Y"});
  EXPECT_EQ(g.errors(), "Y = Add: X is string, and the operator takes no strings there [element-type]\n");
  Graph shaped(17);
  shaped.input("X", shape(2)).input("S", shape(1), DType::string).node("Reshape", {"X", "S"}, {"Y"});
  EXPECT_EQ(shaped.errors(), "Y = Reshape: S is string, and the operator takes no strings there [element-type]\n");
  Graph added(18);
  added.input("X", shape(3), DType::string).list("I", {0}).input("U", shape(1), DType::string);
  added.node("ScatterElements", {"X", "I", "U"}, {"Y"}, {text("reduction", "add")});
  EXPECT_EQ(added.errors(), "Y = ScatterElements: reduces strings by add, which nothing does [element-type]\n");
}

TEST(Strings, PatternsThatAreNoneAreRefused) {
  Graph g(20);
  g.input("X", shape("N"), DType::string).node("RegexFullMatch", {"X"}, {"Y"}, {text("pattern", "(a")});
  EXPECT_EQ(g.errors(), "Y = RegexFullMatch: the pattern \"(a\" has no ) to its ( [at byte 2] [bad-attribute]\n");
  Graph h(20);
  h.input("X", shape("N"), DType::string).node("RegexFullMatch", {"X"}, {"Y"});
  EXPECT_EQ(h.errors(), "Y = RegexFullMatch: has no pattern [bad-attribute]\n");
}

bool matches(std::string_view pattern, std::string_view text) {
  std::string wrong;
  const auto states = compile_regex(pattern, wrong);
  EXPECT_TRUE(states) << pattern << ' ' << wrong;
  return states && reference::match(*states, text);
}

struct Matched {
  std::string_view pattern;
  std::vector<std::string_view> whole, not_whole;
};

// As onnxruntime 1.24, which asks RE2, answers.
TEST(Regex, MatchesAsRe2) {
  const std::vector<Matched> all{
      {"", {""}, {"a"}},
      {".", {"é", "😀"}, {"ab", "\n", "\xff", ""}},
      {"(?s).", {"\n"}, {}},
      {"a|bc|", {"a", "bc", ""}, {"b", "abc"}},
      {"(a|b)*c+", {"c", "abbacc"}, {"ab", "acb"}},
      {"(?:ab){2,3}", {"abab", "ababab"}, {"ab", "abababab"}},
      {"a{2,}", {"aa", "aaaa"}, {"a"}},
      {"a{0}b", {"b"}, {"ab"}},
      {"a{,2}", {"a{,2}"}, {"a", "aa"}},
      {"x*?y??", {"", "xx", "xy"}, {"yy"}},
      {"^a$", {"a"}, {"a\n"}},
      {"(?m)a$\n^b", {"a\nb"}, {"ab"}},
      {"\\Aa\\b.*\\z", {"a", "a b"}, {"ab"}},
      {"a\\Bb", {"ab"}, {"a b"}},
      {"[^a]", {"é", "\n"}, {"a", ""}},
      {"[]a-c-]+", {"]", "b-c"}, {"d"}},
      {"[\\d\\x41[:lower:]]+", {"7Ax"}, {"B"}},
      {"[[:^alpha:]]", {"1", "é"}, {"a"}},
      {"\\w+\\W\\d\\D\\s\\S", {"a_1-2x y"}, {"é-2x y"}},
      {"\\x41\\101\\x{e9}\\.\\Q.*\\E", {"AAé..*"}, {"AAéx.*"}},
      {"[α-ωА-я]+", {"αωЖя"}, {"z", "Ω"}},
      {"[\\x{800}-\\x{10ffff}]", {"\xe0\xa0\x80", "😀"}, {"é", "\xed\xa0\x80"}},
      {"(?i)k[^s]", {"Kx", "\u212ax"}, {"ks", "kS", "k\u017f"}},
      {"a(?i:b)c(?P<name>d)", {"abcd", "aBcd"}, {"Abcd", "abCd"}},
      {"(?i)a(?-i)b|B", {"ab", "Ab", "B"}, {"aB", "b"}},
      {"(a*)*b", {"b", "aab"}, {"aa"}},
      {"(\\W|^)[\\w.\\-]{0,25}@(yahoo|gmail)\\.com(\\W|$)", {"a.b@gmail.com", " x@yahoo.com "}, {"a@b.com"}},
  };
  for (const Matched& m : all) {
    for (const std::string_view text : m.whole) EXPECT_TRUE(matches(m.pattern, text)) << m.pattern << " and " << text;
    for (const std::string_view text : m.not_whole) EXPECT_FALSE(matches(m.pattern, text)) << m.pattern << " and " << text;
  }
}

TEST(Regex, WhatRe2RefusesOrLoamDoesNotHoldIsRefused) {
  for (const std::string_view pattern : {
           "(", ")", "a)", "[a", "[z-a]", "[[:none:]]", "*", "a|*", "a**", "a{2}{3}", "a{2,1}", "a{1001}", "\\", "\\1", "\\x", "\\x{110000}",
           "\\q", "(?=a)", "(?<=a)", "(?!a)", "(?z)", "(?P<a", "\xff", "\\pL", "\\p{Greek}", "\\C", "(?i)é", "((a{1000}){1000}){1000}"}) {
    std::string wrong;
    EXPECT_FALSE(compile_regex(pattern, wrong)) << pattern;
    EXPECT_NE(wrong, "") << pattern;
  }
  std::string wrong;
  EXPECT_FALSE(compile_regex(std::string(100000, '('), wrong));
}

}  // namespace
}  // namespace loam::nn
