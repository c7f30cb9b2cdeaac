// Identifiers of generated code: free, and neither keyword nor macro.
#include "compiler/emit/identifiers.hpp"

#include <gtest/gtest.h>

namespace {

using loam::Identifiers;

TEST(Identifiers, ATakenNameHasANumber) {
  Identifiers names;
  EXPECT_EQ(names.mint("x"), "x");
  EXPECT_EQ(names.mint("x"), "x_2");
  EXPECT_EQ(names.mint("x"), "x_3");
}

TEST(Identifiers, KeywordsAndMacrosAreNotNames) {
  Identifiers names;
  EXPECT_EQ(names.mint("for"), "for_2");
  EXPECT_EQ(names.mint("EOF"), "EOF_2");
  EXPECT_FALSE(names.take("INT_MAX"));
  EXPECT_EQ(names.mint("INT_MAX"), "INT_MAX_2");
}

// Every L_N is of a family of macros, so counting up would never end.
TEST(Identifiers, ANumberedNameMayBeAMacroToo) {
  Identifiers names;
  EXPECT_EQ(names.mint("L"), "L");
  EXPECT_EQ(names.mint("L"), "xL_2");
  EXPECT_EQ(names.mint("L"), "xL_3");
  EXPECT_EQ(names.mint("M_E"), "xM_E_2");
}

TEST(Identifiers, LettersAndDigitsOfAText) {
  EXPECT_EQ(loam::identifier("h.0/attn::weight"), "h_0_attn_weight");
  EXPECT_EQ(loam::identifier("2x"), "x2x");
  EXPECT_EQ(loam::identifier("..."), "x");
  EXPECT_LE(loam::identifier(std::string(500, 'a')).size(), 72u);
}

}  // namespace
