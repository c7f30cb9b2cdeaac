#pragma once

#include <string>
#include <vector>

#include "ops/concat_strings/concat_strings.hpp"
#include "ops/strided_reference.hpp"

namespace loam::reference {

// Row-major.
inline std::vector<std::string> concat_strings(const View<std::string_view>& x, const View<std::string_view>& y) {
  std::vector<std::string> out;
  for (const Place& p : places(x.dims)) out.push_back(std::string(element(x, p)) + std::string(element(y, p)));
  return out;
}

}  // namespace loam::reference
