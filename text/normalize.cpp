#include "text/normalize.hpp"

namespace loam::text {
namespace {

struct Apply {
  std::string_view text;

  std::string operator()(const Prepend& prepend) const {
    return text.empty() ? std::string() : prepend.text + std::string(text);
  }
  std::string operator()(const Replace& replace) const { return replaced(replace, text); }
};

}  // namespace

std::string normalize(const Normalizer& steps, std::string_view text) {
  std::string result(text);
  for (const NormalizerStep& step : steps) result = std::visit(Apply{result}, step);
  return result;
}

std::string replaced(const Replace& replace, std::string_view text) {
  std::string result;
  for (;;) {
    const std::size_t found = text.find(replace.pattern);
    result += text.substr(0, found);
    if (found == std::string_view::npos) return result;
    result += replace.content;
    text.remove_prefix(found + replace.pattern.size());
  }
}

}  // namespace loam::text
