// The symbols extents are written in, and the values derived from them that are no polynomials.
//
// An input symbol is a length the inputs bring (0 to 2^31-1). A bound symbol is a length some node computes at run
// time. A derived symbol is an operation on polynomials, such as min(N, 8): the same operation on equal operands is the
// same symbol, and an operation that can be decided for every input is decided, so min(N, N + 2) is N.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "compiler/shape/polynomial.hpp"
#include "compiler/shape/range.hpp"

namespace loam {

inline constexpr std::int64_t longest_length = 0x7fffffff;  // a list holds no more

enum class Derivation : std::uint8_t {
  min,        // min(a, b)
  max,        // max(a, b)
  floor_div,  // floor(a / b), b > 0
  ceil_div,   // ceil(a / b), b > 0
  truncated_div,  // a / b toward zero, b != 0: ONNX integer Div over a dividend of either sign
  floor_mod,  // a - b * floor(a / b): ONNX Mod (fmod = 0) with b > 0
  from_end,   // a where a >= 0, else a + b: an index counted from the end of an axis of b
  wrap32,     // the low 32 bits of a, signed
  half,       // the float16 nearest to a, as an integer; past 65519 that is an infinity, and there is no value
  select,     // b where a != 0, else c
  compare_ge, // 1 where a >= 0, else 0
  compare_eq, // 1 where a == 0, else 0
};

struct Symbol {
  enum class Origin : std::uint8_t { input, bound, derived };
  Origin origin;
  std::string name;   // of an input or bound symbol: as the graph spells it; unique. Derived: empty
  Range range;
  Derivation derivation{};         // of a derived symbol
  Polynomial a, b, c;              // its operands, older symbols all; unused ones 0
};

class Symbols {
 public:
  // The input symbol of this name, made at first use.
  Polynomial input(std::string_view name);
  std::optional<SymbolId> find_input(std::string_view name) const;
  // A new bound symbol; `hint` is made unique.
  Polynomial bound(std::string_view hint, Range range = {0, longest_length});

  // Each takes the answer where the build can decide it, and rests on what its Derivation asks of the operands: a
  // divisor whose range is not negative counts as positive, since nothing is computed where it is 0. A number no int64
  // or no float16 holds, and a division by the number 0, overflow.
  Polynomial min(const Polynomial& a, const Polynomial& b);
  Polynomial max(const Polynomial& a, const Polynomial& b);
  Polynomial floor_div(const Polynomial& a, const Polynomial& b);
  Polynomial ceil_div(const Polynomial& a, const Polynomial& b);
  Polynomial truncated_div(const Polynomial& a, const Polynomial& b);
  Polynomial floor_mod(const Polynomial& a, const Polynomial& b);
  Polynomial from_end(const Polynomial& index, const Polynomial& extent);
  Polynomial wrap32(const Polynomial& a);
  Polynomial half(const Polynomial& a);
  Polynomial select(const Polynomial& condition, const Polynomial& then, const Polynomial& otherwise);
  Polynomial ge(const Polynomial& a, const Polynomial& b);  // 1 where a >= b, else 0
  Polynomial eq(const Polynomial& a, const Polynomial& b);  // 1 where a == b, else 0

  const Symbol& operator[](SymbolId id) const { return symbols_[id]; }
  std::size_t size() const { return symbols_.size(); }
  // "min(N, 8)" for a derived symbol, the name for the others.
  std::string text(SymbolId id) const;
  std::string text(const Polynomial& p) const;
  // Bounds of a polynomial's values, each term bounded apart.
  Range range(const Polynomial& p) const;
  // Every symbol a polynomial's value depends on, through derivations too; ascending, so operands come first.
  std::vector<SymbolId> closure(const Polynomial& p) const;
  // The input and bound symbols among them; ascending, each once.
  std::vector<SymbolId> leaves(const Polynomial& p) const;
  // The value given each input and bound symbol's value; nullopt past 64 bits or on a division by zero.
  std::optional<std::int64_t> evaluate(const Polynomial& p, const std::function<std::int64_t(SymbolId)>& leaf) const;

  // The polynomial the model fixes a symbol to once proved (a symbol equal to a number); applied by `simplify`, and to
  // whatever is derived afterwards. Symbols derived from it are derived anew, so `simplify` reaches through them. What
  // would define a symbol by itself, or contradicts an earlier number, is left out: whoever proved it reports it.
  void fix(SymbolId id, const Polynomial& value);
  Polynomial simplify(const Polynomial& p) const;

 private:
  using Key = std::tuple<Derivation, Polynomial, Polynomial, Polynomial>;

  SymbolId add(Symbol symbol);
  std::string unique_name(std::string_view hint) const;
  std::string text(SymbolId id, int& budget) const;
  std::string text(const Polynomial& p, int& budget) const;
  // The derived symbol of the operation as it stands, of operands nothing more can be decided about.
  Polynomial derive(Derivation op, const Polynomial& a, const Polynomial& b = {}, const Polynomial& c = {});
  Polynomial derive_again(const Symbol& symbol);

  Polynomial extremum(Derivation op, const Polynomial& a, const Polynomial& b);
  Polynomial quotient(Derivation op, Polynomial a, Polynomial b);
  Polynomial floor_by(const Polynomial& a, std::int64_t divisor);
  Polynomial remainder_by(const Polynomial& a, std::int64_t divisor);

  std::vector<Symbol> symbols_;
  std::map<std::string, SymbolId, std::less<>> by_name_;
  std::map<Key, SymbolId> derived_;
  std::map<SymbolId, Polynomial> fixed_;  // no value mentions a fixed symbol
};

}  // namespace loam
