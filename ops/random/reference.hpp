#pragma once

#include <cmath>

#include "ops/random/random.hpp"
#include "ops/strided_reference.hpp"
#include "runtime/random.hpp"

namespace loam::reference {

// The class of sample `index`: the first whose share of the whole, with those before it, exceeds the uniform number.
inline std::int64_t multinomial(const std::vector<double>& log_weights, std::uint64_t seed, std::int64_t index) {
  double total = 0, so_far = 0;
  for (const double w : log_weights) total += std::exp(w);
  for (std::size_t c = 0; c < log_weights.size(); ++c) {
    so_far += std::exp(log_weights[c]);
    if (so_far / total > random::uniform(seed, index)) return static_cast<std::int64_t>(c);
  }
  return static_cast<std::int64_t>(log_weights.size()) - 1;
}

}  // namespace loam::reference
