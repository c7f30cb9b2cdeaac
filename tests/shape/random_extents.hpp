// Random extents with a second reading of each, so that a property can be checked by evaluation.
//
// Every extent is built twice: as a polynomial through Symbols, which may decide and rewrite it, and as a function of
// the inputs that computes the operation as its definition says.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "compiler/shape/integer.hpp"
#include "compiler/shape/symbol.hpp"

namespace loam::testing {

using Inputs = std::vector<std::int64_t>;                     // one value a symbol, by position
using Value = std::optional<std::int64_t>;                    // none where it is not defined or leaves 64 bits
using Function = std::function<Value(const Inputs&)>;

struct Extent {
  Polynomial polynomial;
  Function function;
};

class RandomExtents {
 public:
  static constexpr int inputs = 3;

  explicit RandomExtents(std::uint32_t seed) : random_(seed) {
    for (const char* name : {"N", "M", "K"}) leaves_.push_back(symbols.input(name));
  }

  Symbols symbols;

  std::int64_t integer(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }

  Inputs sample() {
    Inputs result;
    for (int i = 0; i < inputs; ++i) {
      switch (integer(0, 9)) {
        case 0: result.push_back(0); break;
        case 1: result.push_back(1); break;
        case 2: result.push_back(integer(0, longest_length)); break;
        case 3: result.push_back(longest_length - integer(0, 3)); break;
        case 4: result.push_back(integer(1000, 1100)); break;
        default: result.push_back(integer(0, 24)); break;
      }
    }
    return result;
  }

  Inputs small_sample() {
    Inputs result;
    for (int i = 0; i < inputs; ++i) result.push_back(integer(0, 24));
    return result;
  }

  Value evaluate(const Polynomial& p, const Inputs& values) const {
    return symbols.evaluate(p, [&](SymbolId id) {
      for (std::size_t i = 0; i < leaves_.size(); ++i) {
        if (leaves_[i].as_symbol() == id) return values[i];
      }
      return std::int64_t{-1};
    });
  }

  Extent constant(std::int64_t value) {
    return {value, [value](const Inputs&) { return Value(value); }};
  }

  Extent leaf() {
    const auto index = static_cast<std::size_t>(integer(0, inputs - 1));
    return {leaves_[index], [index](const Inputs& values) { return Value(values[index]); }};
  }

  // A divisor: a number or a length, so that it is positive wherever it is no 0.
  Extent divisor() { return integer(0, 3) != 0 ? constant(integer(1, 9)) : leaf(); }

  Extent any(int depth) {
    if (depth == 0) return integer(0, 2) == 0 ? constant(edge()) : leaf();
    const auto rest = [&] { return any(depth - 1); };
    switch (integer(0, 15)) {
      case 0: case 1: return sum(rest(), rest());
      case 2: return difference(rest(), rest());
      case 3: return product(rest(), integer(0, 1) != 0 ? constant(integer(-4, 4)) : leaf());
      case 4: return min(rest(), rest());
      case 5: return max(rest(), rest());
      case 6: case 7: return quotient(rest(), divisor());
      case 8: return ceiling(rest(), divisor());
      case 9: return truncated(rest(), integer(0, 3) != 0 ? divisor() : rest());
      case 10: return remainder(rest(), divisor());
      case 11: return from_end(rest(), integer(0, 1) != 0 ? leaf() : constant(integer(0, 9)));
      case 12: return wrap32(rest());
      case 13: return half(rest());
      case 14: return select(integer(0, 1) != 0 ? ge(rest(), rest()) : eq(rest(), rest()), rest(), rest());
      default: return integer(0, 1) != 0 ? ge(rest(), rest()) : eq(rest(), rest());
    }
  }

  Extent sum(const Extent& a, const Extent& b) {
    return binary(a.polynomial + b.polynomial, a, b, [](Wide x, Wide y) { return narrow(x + y); });
  }
  Extent difference(const Extent& a, const Extent& b) {
    return binary(a.polynomial - b.polynomial, a, b, [](Wide x, Wide y) { return narrow(x - y); });
  }
  Extent product(const Extent& a, const Extent& b) {
    return binary(a.polynomial * b.polynomial, a, b, [](Wide x, Wide y) { return narrow(x * y); });
  }
  Extent min(const Extent& a, const Extent& b) {
    return binary(symbols.min(a.polynomial, b.polynomial), a, b, [](Wide x, Wide y) { return narrow(x < y ? x : y); });
  }
  Extent max(const Extent& a, const Extent& b) {
    return binary(symbols.max(a.polynomial, b.polynomial), a, b, [](Wide x, Wide y) { return narrow(x < y ? y : x); });
  }
  Extent quotient(const Extent& a, const Extent& b) {
    return binary(symbols.floor_div(a.polynomial, b.polynomial), a, b,
                  [](Wide x, Wide y) { return y > 0 ? narrow((x - ((x % y) + y) % y) / y) : Value(); });
  }
  Extent ceiling(const Extent& a, const Extent& b) {
    return binary(symbols.ceil_div(a.polynomial, b.polynomial), a, b,
                  [](Wide x, Wide y) { return y > 0 ? narrow((x + ((-x % y) + y) % y) / y) : Value(); });
  }
  Extent truncated(const Extent& a, const Extent& b) {
    return binary(symbols.truncated_div(a.polynomial, b.polynomial), a, b,
                  [](Wide x, Wide y) { return y != 0 ? narrow(x / y) : Value(); });
  }
  Extent remainder(const Extent& a, const Extent& b) {
    return binary(symbols.floor_mod(a.polynomial, b.polynomial), a, b,
                  [](Wide x, Wide y) { return y > 0 ? narrow(((x % y) + y) % y) : Value(); });
  }
  Extent from_end(const Extent& a, const Extent& b) {
    return binary(symbols.from_end(a.polynomial, b.polynomial), a, b,
                  [](Wide x, Wide y) { return narrow(x >= 0 ? x : x + y); });
  }
  Extent ge(const Extent& a, const Extent& b) {
    return binary(symbols.ge(a.polynomial, b.polynomial), a, b, [](Wide x, Wide y) { return Value(x >= y); });
  }
  Extent eq(const Extent& a, const Extent& b) {
    return binary(symbols.eq(a.polynomial, b.polynomial), a, b, [](Wide x, Wide y) { return Value(x == y); });
  }
  Extent wrap32(const Extent& a) {
    return {symbols.wrap32(a.polynomial), [f = a.function](const Inputs& values) -> Value {
              const Value x = f(values);
              if (!x) return x;
              const std::int64_t turn = std::int64_t{1} << 32;
              const std::int64_t low = ((*x % turn) + turn) % turn;
              return low >= turn / 2 ? low - turn : low;
            }};
  }
  Extent half(const Extent& a) {
    return {symbols.half(a.polynomial), [f = a.function](const Inputs& values) -> Value {
              const Value x = f(values);
              return x ? nearest_half(*x) : x;
            }};
  }
  Extent select(const Extent& condition, const Extent& a, const Extent& b) {
    return {symbols.select(condition.polynomial, a.polynomial, b.polynomial),
            [c = condition.function, f = a.function, g = b.function](const Inputs& values) -> Value {
              const Value x = c(values);
              return !x ? x : *x != 0 ? f(values) : g(values);
            }};
  }

 private:
  std::int64_t edge() {
    static constexpr std::int64_t edges[] = {0,         1,         7,  8,  1024, 4096, 65504,
                                             INT32_MAX, INT64_MAX, -1, -8, INT64_MIN};
    return integer(0, 3) != 0 ? integer(-9, 9) : edges[integer(0, std::ssize(edges) - 1)];
  }

  template <typename Operation>
  static Extent binary(Polynomial p, const Extent& a, const Extent& b, Operation operation) {
    return {std::move(p), [f = a.function, g = b.function, operation](const Inputs& values) -> Value {
              const Value x = f(values);
              const Value y = g(values);
              return x && y ? operation(*x, *y) : Value();
            }};
  }

  std::mt19937 random_;
  std::vector<Polynomial> leaves_;
};

}  // namespace loam::testing
