// Operators of ONNX that Loam has not, and why.
#pragma once

#include <string_view>

namespace loam {

// What an error says beside "no operator .. is known": why ONNX's operator is none here, and what to do; where docs
// list the operators, of others.
std::string_view why_absent(std::string_view domain, std::string_view name);

}  // namespace loam
