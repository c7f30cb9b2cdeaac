// The elements of a tensor that the build knows.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "compiler/graph/graph.hpp"
#include "compiler/shape/polynomial.hpp"
#include "runtime/convert.hpp"

namespace loam {

// An integer or bool (0 or 1) as a polynomial over symbols; a float as the double that its type rounds it to.
using Scalar = std::variant<Polynomial, double>;

struct Known {
  DType dtype = DType::undefined;
  std::vector<std::int64_t> dims;
  std::vector<Scalar> elements;  // row-major

  const Polynomial& integer(std::size_t i) const { return *std::get_if<Polynomial>(&elements[i]); }
  double number(std::size_t i) const { return *std::get_if<double>(&elements[i]); }
  bool integral() const { return dtype == DType::boolean || is_integer(dtype); }
  // Whether no element depends on a symbol.
  bool constant() const;
};

// What the build keeps of a tensor's elements at most: past this a tensor is data, not a shape. GPT-2's causal mask
// (1024 x 1024) is data; its position ids (1024) may be a shape's part.
inline constexpr std::int64_t most_known = 8192;

// Reads a tensor's inline bytes; nullopt where it is larger than `most_known`, not inline, or of a type that is neither
// integer, bool nor float.
std::optional<Known> known_from(const TensorData& tensor);
// The bytes of constant elements in the tensor's type.
std::vector<std::byte> known_bytes(const Known& known);
// A float rounded to the type's nearest value, an infinity kept where the type has one; as a Cast that narrows so.
double round_to(DType type, double value);
double round_to(DType type, double value, Narrowing how);
// An integer wrapped into the type (bool: != 0).
std::int64_t wrap_to(DType type, std::int64_t value);

}  // namespace loam
