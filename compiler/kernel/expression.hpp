// An elementwise computation: what a `map` does at every place, and what a folded node does to known elements.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "compiler/graph/dtype.hpp"
#include "compiler/shape/symbol.hpp"
#include "compiler/stage0/known.hpp"

namespace loam {

enum class ScalarOp : std::uint8_t {
#define LOAM_SCALAR(name, operands) name,
#include "compiler/kernel/scalar_ops.inc"
#undef LOAM_SCALAR
};
std::string_view scalar_name(ScalarOp op);
int scalar_operands(ScalarOp op);

// The type a kernel computes in for elements stored as `type`: float32 for the floats of 16 bits and fewer, an integer
// of 8 bits for those of fewer, else the type itself. It is compute_t of runtime/half.hpp.
DType compute_type(DType type);

class Expression {
 public:
  using Id = int;
  struct Step {
    enum class Kind : std::uint8_t { input, constant, apply };
    Kind kind;
    DType type;                 // a compute type
    int input = 0;              // of an input
    Scalar constant = 0.0;      // of a constant: an integer constant is a constant polynomial
    ScalarOp op{};              // of an application; cast and saturate go to `target`
    DType target{};             // cast and saturate: the type converted to, storage types included
    Narrowing how{};            // cast to a float of 8 bits
    Id operands[3] = {0, 0, 0};
    friend bool operator==(const Step&, const Step&) = default;
  };

  // Operand `index` of the map, whose elements are stored as `stored`.
  Id input(int index, DType stored);
  Id constant(double value, DType type);
  Id integer(std::int64_t value, DType type);
  Id apply(ScalarOp op, Id a);
  Id apply(ScalarOp op, Id a, Id b);
  Id apply(ScalarOp op, Id a, Id b, Id c);
  Id cast(Id a, DType to, Narrowing how = {});  // nothing where the types are one
  Id saturate(Id a, DType to);
  void result(Id id) { result_ = id; }

  DType type(Id id) const { return steps_[static_cast<std::size_t>(id)].type; }
  const std::vector<Step>& steps() const { return steps_; }
  Id result() const { return result_; }
  int inputs() const;
  // The same computation with its steps and inputs in the order in which the result mentions them; `inputs` gets the number
  // that each of its inputs had.
  Expression ordered(std::vector<int>& inputs) const;
  friend bool operator==(const Expression&, const Expression&) = default;

  // The value at one place, of known operands; nullopt where it cannot be known (a symbol under a transcendental).
  std::optional<Scalar> evaluate(Symbols& symbols, std::span<const Scalar> operands) const;
  // "x0 * 0.5 + x1": C++ over loam::fn, the operands x0, x1, ...
  std::string cpp() const;
  // The functor's type where the whole is one function of all its inputs in order: "loam::fn::Add"; else empty.
  std::string named() const;

 private:
  Id add(Step step);
  std::vector<Step> steps_;
  Id result_ = 0;
};

// A C++ literal of the value: "0.5f", "std::int64_t{3}", "std::numeric_limits<float>::infinity()".
std::string cpp_literal(double value, DType type);
std::string cpp_literal(std::int64_t value, DType type);

}  // namespace loam
