#include "text/bpe.hpp"

#include <chrono>

#include "tests/text/support.hpp"

namespace loam::text {
namespace {

// The definition, read off the page: merge the lowest-ranked pair, leftmost first, until there is none.
Ids merged_by_definition(Ids tokens, const MergeTable& merges) {
  for (;;) {
    std::size_t at = tokens.size();
    const MergeTable::Merge* best = nullptr;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
      const auto* merge = merges.find(tokens[i], tokens[i + 1]);
      if (merge && (!best || merge->rank < best->rank)) best = merge, at = i;
    }
    if (!best) return tokens;
    tokens[at] = best->result;
    tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }
}

// Three letters, and merges of whatever is there already, in random order of rank.
TEST(Bpe, MergesAsDefined) {
  std::mt19937 random(7);
  for (int round = 0; round < 60; ++round) {
    std::vector<std::string> tokens = {"a", "b", "c"};
    std::vector<std::pair<std::size_t, std::size_t>> parts;
    Vocabulary vocabulary;
    for (std::size_t i = 0; i < 3; ++i) vocabulary.add(tokens[i], static_cast<std::int32_t>(i));
    for (int i = 0; i < 25; ++i) {
      const auto [left, right] = parts.emplace_back(random() % tokens.size(), random() % tokens.size());
      const std::string merged = tokens[left] + tokens[right];
      if (vocabulary.id(merged) || merged.size() > 12) {
        parts.pop_back();
        continue;
      }
      vocabulary.add(merged, static_cast<std::int32_t>(tokens.size()));
      tokens.push_back(merged);
    }
    std::shuffle(parts.begin(), parts.end(), random);
    std::vector<Bpe::Pair> pairs;
    MergeTable table(parts.size());
    for (const auto& [left, right] : parts) {
      table.set(static_cast<std::int32_t>(left), static_cast<std::int32_t>(right),
                {static_cast<std::uint32_t>(pairs.size()), *vocabulary.id(tokens[left] + tokens[right])});
      pairs.push_back({tokens[left], tokens[right]});
    }
    const auto bpe = Bpe::make(vocabulary, pairs, {});
    ASSERT_TRUE(bpe);
    for (int i = 0; i < 50; ++i) {
      std::string word;
      Ids letters, encoded;
      for (std::size_t k = random() % 40; k > 0; --k) {
        letters.push_back(static_cast<std::int32_t>(random() % 3));
        word += tokens[static_cast<std::size_t>(letters.back())];
      }
      bpe->encode(word, encoded);
      ASSERT_EQ(encoded, merged_by_definition(letters, table)) << word;
    }
  }
}

// A million characters in one word take about a second; at the square of the length they would take days.
TEST(Bpe, LongWordsAreNotQuadratic) {
  const Tokenizer tokenizer = demo_tokenizer();
  std::string word;
  while (word.size() < 300'000) word += "internationalization";
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(tokenizer.decode(tokenizer.encode(word)), word);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

TEST(Bpe, RefusesMergesOfUnknownTokens) {
  Vocabulary vocabulary;
  vocabulary.add("a", 0);
  vocabulary.add("b", 1);
  const std::vector<Bpe::Pair> unknown_part = {{"a", "c"}}, unknown_result = {{"a", "b"}};
  EXPECT_EQ(Bpe::make(vocabulary, unknown_part, {}).error().message, "merges[0]: \"c\" is not in the vocabulary");
  EXPECT_EQ(Bpe::make(vocabulary, unknown_result, {}).error().message, "merges[0]: \"ab\" is not in the vocabulary");
  EXPECT_EQ(Bpe::make(vocabulary, {}, {.unknown = "?"}).error().message, "unk_token: \"?\" is not in the vocabulary");
}

TEST(Vocabulary, OneTokenOneId) {
  Vocabulary vocabulary;
  EXPECT_TRUE(vocabulary.add("a", 5));
  EXPECT_TRUE(vocabulary.add("a", 5));
  EXPECT_FALSE(vocabulary.add("a", 6));
  EXPECT_FALSE(vocabulary.add("b", 5));
  EXPECT_FALSE(vocabulary.add("c", -1));
  EXPECT_FALSE(vocabulary.add("c", max_token_id + 1));
  EXPECT_EQ(vocabulary.size(), 1u);
  EXPECT_EQ(vocabulary.id_bound(), 6);
  EXPECT_EQ(vocabulary.text(5), "a");
  EXPECT_EQ(vocabulary.text(4), std::nullopt);
  EXPECT_EQ(vocabulary.text(-1), std::nullopt);
}

}  // namespace
}  // namespace loam::text
