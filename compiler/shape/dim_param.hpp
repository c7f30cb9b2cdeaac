// What a dim_param spells: arithmetic over names, or one opaque name.
//
// A file gives a length as text: "batch", "past_sequence_length + 1", torch.export's "4*((s53//4))", sympy's
// "floor(N/2) + 1". Names and integers with + - * / // %, parentheses, and floor, ceiling, Min, Max and Mod are read as
// arithmetic, with spaces or without. '/' states an exact division by an integer, '//' rounds down. Whether text that
// parses is arithmetic depends on the graph: "seq-len" is a difference where inputs carry seq and len alone, and
// otherwise a name somebody gave. So parsing and deciding are two steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/shape/symbol.hpp"

namespace loam {

class DimExpression {
 public:
  // The names it reads, each once, in the order they are met. Empty for a number.
  const std::vector<std::string>& names() const { return names_; }
  // One name and nothing else.
  bool is_name() const { return steps_.size() == 1 && steps_.front().kind == Step::Kind::name; }
  // Its value over the input symbols of these names. An exact division that is none of polynomials rounds down, and
  // adds to `remainders` what must then be 0. Overflows where a number leaves 64 bits or a divisor is no number.
  Polynomial evaluate(Symbols& symbols, std::vector<Polynomial>* remainders = nullptr) const;

 private:
  friend class DimParser;
  // In postfix order, so that a long sum needs no deep recursion.
  struct Step {
    enum class Kind : std::uint8_t {
      number, name, add, subtract, multiply, divide, floor_divide, remainder, negate, floor, ceiling, min, max,
    };
    Kind kind;
    std::int64_t value = 0;  // of a number; of a name its index in `names_`
  };
  std::vector<Step> steps_;
  std::vector<std::string> names_;
};

// nullopt where the text is no arithmetic. A name is letters, digits, '_', '.', '$' and whatever is not ASCII, and
// starts with no digit.
std::optional<DimExpression> parse_dim_expression(std::string_view text);

// Both steps: the arithmetic where the text parses and every name it reads is `known` (an input carries it alone, or it
// is the whole text), else the input symbol named by the whole text; nullopt where the text is empty, and so names
// nothing.
std::optional<Polynomial> parse_dim_param(std::string_view text, Symbols& symbols,
                                          const std::function<bool(std::string_view)>& known,
                                          std::vector<Polynomial>* remainders = nullptr);

}  // namespace loam
