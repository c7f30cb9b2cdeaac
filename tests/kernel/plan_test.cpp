// Where activations lie.
#include <gtest/gtest.h>

#include <random>

#include "compiler/kernel/pack.hpp"

namespace loam {
namespace {

class Pack : public ::testing::Test {
 protected:
  Symbols symbols_;
  Polynomial n = symbols_.input("N"), m = symbols_.input("M");

  std::string packed(std::vector<Piece> pieces) {
    const std::vector<Slot> slots = pack(pieces, symbols_);
    std::string text;
    for (const Slot& slot : slots) {
      text += text.empty() ? "" : " ";
      for (std::size_t i = 0; i < slot.bytes.size(); ++i) text += (i ? "|" : "") + symbols_.text(slot.bytes[i]);
    }
    for (const Piece& piece : pieces) text += "\n" + std::to_string(piece.slot) + "+" + symbols_.text(piece.offset);
    return text;
  }
};

TEST_F(Pack, PiecesInTurnShareASlot) {
  EXPECT_EQ(packed({{0, 1, 64 * n}, {2, 3, 64 * n}, {4, 5, 128 * n}}), "128*N\n0+0\n0+0\n0+0");
}

TEST_F(Pack, SmallOnesLieWithinALargeOne) {
  EXPECT_EQ(packed({{0, 1, 256 * n}, {2, 3, 64 * n}, {2, 4, 128 * n}}), "256*N\n0+0\n0+128*N\n0+0");
}

TEST_F(Pack, WhatLivesAtOnceIsApart) {
  EXPECT_EQ(packed({{0, 2, 64 * n}, {1, 3, 64 * n}, {2, 2, 64 * n}}), "64*N 64*N 64*N\n0+0\n1+0\n2+0");
}

TEST_F(Pack, ASlotGrowsWhereAnotherWouldTakeMore) {  // slots of 9, 3 and 2 units would take 14 for the 12 that live at once
  const Polynomial unit = 64 * n;
  EXPECT_EQ(packed({{0, 1, 8 * unit}, {1, 3, 2 * unit}, {3, 4, 2 * unit}, {4, 5, 9 * unit}, {5, 6, 3 * unit}}),
            "768*N\n0+0\n0+512*N\n0+640*N\n0+0\n0+576*N");
}

TEST_F(Pack, SizesThatCannotBeComparedShareTheLarger) {
  EXPECT_EQ(packed({{0, 1, 64 * n}, {2, 3, 128 * m}}), "128*M|64*N\n0+0\n0+0");
}

TEST_F(Pack, NothingBeginsWhereItsElementsMightNot) {
  EXPECT_EQ(packed({{0, 1, 100 * n}, {2, 3, 10 * n}, {2, 3, 64}}), "100*N 64\n0+0\n0+0\n1+0");
}

// Pieces that live at once never overlap, and lie in their slots, whatever the lengths.
TEST_F(Pack, NeverOverlaps) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<Piece> pieces;
    for (int i = 0; i < 12; ++i) {
      const std::size_t begin = random() % 12;
      const Polynomial unit = random() % 3 == 0 ? n * m : random() % 2 == 0 ? n : m;
      pieces.push_back({begin, begin + random() % 4, Polynomial(static_cast<std::int64_t>(random() % 8) * 32) * unit});
    }
    const std::vector<Slot> slots = pack(pieces, symbols_);
    for (const std::int64_t length : {0, 1, 3, 1000}) {
      const auto value = [&](const Polynomial& p) {
        return *p.evaluate([&](SymbolId id) { return id == *n.as_symbol() ? length : std::int64_t{7}; });
      };
      for (const Piece& a : pieces) {
        std::int64_t room = 0;
        for (const Polynomial& bytes : slots[static_cast<std::size_t>(a.slot)].bytes) room = std::max(room, value(bytes));
        EXPECT_LE(value(a.offset + a.bytes), room);
        EXPECT_EQ(value(a.offset) % 64, 0);
        for (const Piece& b : pieces) {
          if (&a == &b || a.slot != b.slot || a.begin > b.end || b.begin > a.end) continue;
          EXPECT_TRUE(value(a.offset + a.bytes) <= value(b.offset) || value(b.offset + b.bytes) <= value(a.offset));
        }
      }
    }
  }
}

}  // namespace
}  // namespace loam
