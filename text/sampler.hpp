// From logits to the next token.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "text/result.hpp"

namespace loam::text {

// The token of the largest logit, the lowest id among equals. A NaN is never the largest; where there is nothing else
// no token is better than another, and that is an error.
inline Result<std::int32_t> greedy(std::span<const float> logits) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const bool is_nan = logits[i] != logits[i];
    if (!is_nan && (!best || logits[i] > logits[*best])) best = i;
  }
  if (best) return static_cast<std::int32_t>(*best);
  return Error{logits.empty() ? "the model gave no logits" : "every logit the model gave is NaN"};
}

}  // namespace loam::text
