#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "ops/number_text/number_text.hpp"

namespace loam::reference {

inline std::string format_number(double x) {
  if (std::isnan(x)) return "NaN";
  if (std::isinf(x)) return x < 0 ? "-INF" : "INF";
  char text[64];
  std::snprintf(text, sizeof text, "%.8g", x);
  return text;
}

// Of text that is a number.
inline double parse_number(const std::string& text) { return std::strtod(text.c_str(), nullptr); }

}  // namespace loam::reference
