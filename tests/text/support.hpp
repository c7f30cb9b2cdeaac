// What the tests of text/ share.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "text/tokenizer.hpp"
#include "text/unicode.hpp"

namespace loam::text {

using Ids = std::vector<std::int32_t>;

inline std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline nlohmann::json read_json(const std::string& path) {
  return nlohmann::json::parse(read_file(path), nullptr, false);
}

inline std::string demo_file(const std::string& name) { return LOAM_SOURCE_DIR "/examples/models/" + name; }

inline Tokenizer demo_tokenizer() {
  auto tokenizer = Tokenizer::from_json(read_file(demo_file("tokenizer.json")));
  EXPECT_TRUE(tokenizer) << (tokenizer ? "" : tokenizer.error().message);
  return *tokenizer;
}

// Well-formed text of many scripts, dense in what tokenizers disagree about.
inline std::string random_text(std::mt19937& random, std::size_t length) {
  static const std::vector<std::string> pieces = {
      "a", "b", "The", " the", "'s", "'ll", "'", " ", "  ", "\n", "\r\n", "\t", "1", "23", "½", ".", "!?", "\u00a0",
      "\u3000", "é", "e\u0301", "ß", "日本", "кот", "हि", "🙂", "👩\u200d🚀", "<|endoftext|>", "<|", "\u0001", "Ġ", "▁"};
  std::string text;
  for (std::size_t i = 0; i < length; ++i) {
    if (random() % 8 != 0) {
      text += pieces[random() % pieces.size()];
      continue;
    }
    const char32_t any = static_cast<char32_t>(random() % 0x110000);
    append_utf8(text, any >= 0xD800 && any < 0xE000 ? U'x' : any);
  }
  return text;
}

}  // namespace loam::text
