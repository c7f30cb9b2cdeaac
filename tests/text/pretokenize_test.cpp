#include "text/pretokenize.hpp"

#include "tests/text/support.hpp"

namespace loam::text {
namespace {

using Pieces = std::vector<std::string>;

Pieces cut(std::string_view text) {
  Pieces pieces;
  while (!text.empty()) {
    pieces.emplace_back(text.substr(0, gpt2_piece(text)));
    text.remove_prefix(pieces.back().size());
  }
  return pieces;
}

TEST(Gpt2Pattern, Words) {
  EXPECT_EQ(cut("Hello, my name"), (Pieces{"Hello", ",", " my", " name"}));
  EXPECT_EQ(cut("a1b ½² x_y"), (Pieces{"a", "1", "b", " ½²", " x", "_", "y"}));
  EXPECT_EQ(cut("e\u0301"), (Pieces{"e", "\u0301"}));  // a mark is no letter
  EXPECT_EQ(cut("日本語🙂"), (Pieces{"日本語", "🙂"}));
}

TEST(Gpt2Pattern, ContractionsInLowerCaseOnly) {
  EXPECT_EQ(cut("don't we'll I'VE"), (Pieces{"don", "'t", " we", "'ll", " I", "'", "VE"}));
  EXPECT_EQ(cut("'tis 'tis"), (Pieces{"'t", "is", " '", "tis"}));
  EXPECT_EQ(cut("''s"), (Pieces{"''", "s"}));
}

TEST(Gpt2Pattern, WhiteSpaceLeavesItsLastCharacter) {
  EXPECT_EQ(cut("a   b"), (Pieces{"a", "  ", " b"}));
  EXPECT_EQ(cut("a   "), (Pieces{"a", "   "}));
  EXPECT_EQ(cut("a\n\nb"), (Pieces{"a", "\n", "\n", "b"}));
  EXPECT_EQ(cut("a \u3000b"), (Pieces{"a", " ", "\u3000", "b"}));
  EXPECT_EQ(cut(" "), (Pieces{" "}));
  EXPECT_EQ(cut("\t!"), (Pieces{"\t", "!"}));
}

TEST(Gpt2Pattern, LosesNothing) {
  std::mt19937 random(1);
  for (int i = 0; i < 500; ++i) {
    const std::string text = random_text(random, random() % 40);
    std::string joined;
    for (const std::string& piece : cut(text)) joined += piece;
    ASSERT_EQ(joined, text);
  }
}

TEST(ByteLevel, AlphabetIsReversible) {
  EXPECT_EQ(byte_alphabet()[' '], "Ġ");
  EXPECT_EQ(byte_alphabet()['\n'], "Ċ");
  EXPECT_EQ(byte_alphabet()['A'], "A");
  EXPECT_EQ(byte_alphabet()[0xAD], "\u0143");  // the last that does not print
  for (std::size_t byte = 0; byte < 256; ++byte) {
    EXPECT_EQ(bytes_of(byte_alphabet()[byte]), std::string(1, static_cast<char>(byte)));
  }
  EXPECT_EQ(bytes_of("a b"), std::nullopt);
  EXPECT_EQ(bytes_of("\u0144"), std::nullopt);
}

TEST(ByteLevel, Options) {
  EXPECT_EQ(pre_tokenize({ByteLevel{false, true}}, "a b"), (Pieces{"a", "Ġb"}));
  EXPECT_EQ(pre_tokenize({ByteLevel{true, true}}, "a b"), (Pieces{"Ġa", "Ġb"}));
  EXPECT_EQ(pre_tokenize({ByteLevel{true, true}}, " a"), (Pieces{"Ġa"}));
  EXPECT_EQ(pre_tokenize({ByteLevel{false, false}}, "a b"), (Pieces{"aĠb"}));
  EXPECT_EQ(pre_tokenize({ByteLevel{true, true}}, ""), Pieces{});
  EXPECT_EQ(pre_tokenize({}, "a b"), (Pieces{"a b"}));
}

}  // namespace
}  // namespace loam::text
