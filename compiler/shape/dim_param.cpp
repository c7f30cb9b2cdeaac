#include "compiler/shape/dim_param.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "compiler/shape/integer.hpp"

namespace loam {
namespace {

constexpr int deepest_nesting = 100;

constexpr bool is_digit(char c) { return '0' <= c && c <= '9'; }
constexpr bool starts_name(char c) {
  return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || c == '_' || c == '$' || (c & '\x80') != 0;
}
constexpr bool continues_name(char c) { return starts_name(c) || is_digit(c) || c == '.'; }
constexpr bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

// A value while an expression is read: the sum before it is divided, so that (N + M)/2*2 divides nothing.
struct Fraction {
  Polynomial numerator;
  std::int64_t denominator = 1;  // positive

  // Over a denominator both share.
  static Fraction of(const Polynomial& numerator, Wide denominator) {
    const auto narrowed = narrow(denominator);
    return narrowed ? Fraction{numerator, *narrowed} : Fraction{Polynomial::overflow(), 1};
  }
  Polynomial scaled_to(const Fraction& other) const { return numerator * other.denominator; }
};

}  // namespace

// expression: term (('+' | '-') term)*
// term:       factor (('*' | '/' | '//' | '%') factor)*
// factor:     '-' factor | number | name | function '(' expression (',' expression)* ')' | '(' expression ')'
class DimParser {
 public:
  explicit DimParser(std::string_view text) : rest_(text) {}

  std::optional<DimExpression> parse() {
    if (!expression(0) || !rest_.empty()) return std::nullopt;
    return std::move(result_);
  }

 private:
  using Kind = DimExpression::Step::Kind;

  void skip_spaces() {
    while (!rest_.empty() && is_space(rest_.front())) rest_.remove_prefix(1);
  }
  bool take(std::string_view token) {
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    skip_spaces();
    return true;
  }
  bool add(Kind kind, std::int64_t value = 0) {
    result_.steps_.push_back({kind, value});
    return true;
  }

  bool expression(int depth) {
    skip_spaces();
    if (!term(depth)) return false;
    for (;;) {
      if (take("+")) {
        if (!term(depth) || !add(Kind::add)) return false;
      } else if (take("-")) {
        if (!term(depth) || !add(Kind::subtract)) return false;
      } else {
        return true;
      }
    }
  }

  bool term(int depth) {
    if (!factor(depth)) return false;
    for (;;) {
      Kind kind{};
      if (rest_.starts_with("**")) return false;  // a power
      if (take("*")) kind = Kind::multiply;
      else if (take("//")) kind = Kind::floor_divide;
      else if (take("/")) kind = Kind::divide;
      else if (take("%")) kind = Kind::remainder;
      else return true;
      if (!factor(depth) || !add(kind)) return false;
    }
  }

  bool factor(int depth) {
    if (rest_.empty() || depth >= deepest_nesting) return false;
    if (take("-")) return factor(depth + 1) && add(Kind::negate);
    if (take("(")) return expression(depth + 1) && take(")");
    if (is_digit(rest_.front())) return number();
    return starts_name(rest_.front()) && name(depth);
  }

  bool number() {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc()) return false;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    if (!rest_.empty() && continues_name(rest_.front())) return false;  // 2N
    skip_spaces();
    return add(Kind::number, value);
  }

  bool name(int depth) {
    const auto end = std::ranges::find_if_not(rest_, continues_name);
    const std::string word(rest_.begin(), end);
    rest_.remove_prefix(word.size());
    skip_spaces();
    if (take("(")) return call(word, depth);
    const auto found = std::ranges::find(result_.names_, word);
    const auto index = found - result_.names_.begin();
    if (found == result_.names_.end()) result_.names_.push_back(word);
    return add(Kind::name, index);
  }

  bool call(std::string_view function, int depth) {
    if (!expression(depth + 1)) return false;
    if (function == "floor") return take(")") && add(Kind::floor);
    if (function == "ceiling" || function == "ceil") return take(")") && add(Kind::ceiling);
    if (function == "Mod") return take(",") && expression(depth + 1) && take(")") && add(Kind::remainder);
    const bool min = function == "Min" || function == "min";
    if (!min && function != "Max" && function != "max") return false;
    while (take(",")) {
      if (!expression(depth + 1) || !add(min ? Kind::min : Kind::max)) return false;
    }
    return take(")");
  }

  std::string_view rest_;
  DimExpression result_;
};

std::optional<DimExpression> parse_dim_expression(std::string_view text) { return DimParser(text).parse(); }

Polynomial DimExpression::evaluate(Symbols& symbols, std::vector<Polynomial>* remainders) const {
  using Kind = Step::Kind;
  std::vector<Fraction> stack;
  const auto whole = [&](const Fraction& value) {
    if (value.denominator == 1) return value.numerator;
    const Polynomial quotient = symbols.floor_div(value.numerator, value.denominator);
    const Polynomial rest = value.numerator - quotient * value.denominator;
    if (remainders != nullptr && !rest.is(0)) remainders->push_back(rest);
    return quotient;
  };
  // A quotient by a number; by anything else there is none. A number's sign goes to the dividend.
  const auto divided = [](const Fraction& a, const Fraction& b) -> Fraction {
    const auto divisor = b.numerator.constant();
    if (!divisor || *divisor == 0) return {Polynomial::overflow(), 1};
    const std::int64_t sign = *divisor < 0 ? -1 : 1;
    return Fraction::of(a.numerator * (sign * b.denominator), Wide{a.denominator} * *divisor * sign);
  };
  const auto floored = [&](const Fraction& a) { return Fraction{symbols.floor_div(a.numerator, a.denominator)}; };
  const auto raised = [&](const Fraction& a) { return Fraction{symbols.ceil_div(a.numerator, a.denominator)}; };
  const auto applied = [&](Kind kind, const Fraction& a, const Fraction& b) -> Fraction {
    const Wide shared = Wide{a.denominator} * b.denominator;
    switch (kind) {
      case Kind::add: return Fraction::of(a.scaled_to(b) + b.scaled_to(a), shared);
      case Kind::subtract: return Fraction::of(a.scaled_to(b) - b.scaled_to(a), shared);
      case Kind::multiply: return Fraction::of(a.numerator * b.numerator, shared);
      case Kind::divide: return divided(a, b);
      case Kind::floor_divide: return floored(divided(a, b));
      case Kind::remainder: return {symbols.floor_mod(whole(a), whole(b)), 1};
      case Kind::min: return Fraction::of(symbols.min(a.scaled_to(b), b.scaled_to(a)), shared);
      default: return Fraction::of(symbols.max(a.scaled_to(b), b.scaled_to(a)), shared);
    }
  };
  for (const Step& step : steps_) {
    switch (step.kind) {
      case Kind::number: stack.push_back({step.value, 1}); break;
      case Kind::name: stack.push_back({symbols.input(names_[static_cast<std::size_t>(step.value)]), 1}); break;
      case Kind::negate: stack.back().numerator = -stack.back().numerator; break;
      case Kind::floor: stack.back() = floored(stack.back()); break;
      case Kind::ceiling: stack.back() = raised(stack.back()); break;
      default: {
        const Fraction right = std::move(stack.back());
        stack.pop_back();
        stack.back() = applied(step.kind, stack.back(), right);
      }
    }
  }
  return whole(stack.back());
}

std::optional<Polynomial> parse_dim_param(std::string_view text, Symbols& symbols,
                                          const std::function<bool(std::string_view)>& known,
                                          std::vector<Polynomial>* remainders) {
  text = trimmed(text);
  if (text.empty()) return std::nullopt;
  const auto expression = parse_dim_expression(text);
  if (expression && (expression->is_name() || std::ranges::all_of(expression->names(), known))) {
    return expression->evaluate(symbols, remainders);
  }
  return symbols.input(text);
}

}  // namespace loam
