// Numbers as text, whatever the locale.
#pragma once

#include <optional>
#include <string_view>

namespace loam {

// The float nearest to a decimal number: an optional minus, digits, optionally a point and digits, optionally an
// exponent; or "nan", "inf" or "infinity" in any case. Absent where the text is none of these, and where the number
// rounds past the largest float. One too small rounds to zero.
template <class Float>  // float or double
std::optional<Float> parse_decimal(std::string_view text);

extern template std::optional<float> parse_decimal<float>(std::string_view);
extern template std::optional<double> parse_decimal<double>(std::string_view);

}  // namespace loam
