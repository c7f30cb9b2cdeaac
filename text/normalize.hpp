// What is done to a text before it is cut. NFC and NFKC, Lowercase, BertNormalizer and Precompiled have their place in
// the variant and are not there yet.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace loam::text {

struct Prepend {
  std::string text;  // before every text that is not empty
};

struct Replace {
  std::string pattern;  // literal and not empty
  std::string content;
};

using NormalizerStep = std::variant<Prepend, Replace>;
using Normalizer = std::vector<NormalizerStep>;

std::string normalize(const Normalizer& steps, std::string_view text);

std::string replaced(const Replace& replace, std::string_view text);

}  // namespace loam::text
