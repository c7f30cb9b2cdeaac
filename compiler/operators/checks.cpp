#include "compiler/operators/checks.hpp"

#include <algorithm>

namespace loam {

namespace {

bool computes(DType type) {
  return type == DType::float16 || type == DType::bfloat16 || type == DType::float32 || type == DType::float64;
}

std::string is_type(const NodeContext& c, int i) {
  return c.input_name(i) + " is " + std::string(dtype_name(c.dtype(i)));
}

}  // namespace

bool expect_present(const NodeContext& c, std::initializer_list<int> inputs) {
  for (const int i : inputs)
    if (!c.has(i)) {
      c.error(Code::operator_form, "input " + std::to_string(i) + " is absent, and the operator needs it");
      return false;
    }
  return true;
}

bool expect_one_dtype(const NodeContext& c, int a, int b) {
  if (c.dtype(a) == c.dtype(b)) return true;
  c.error(Code::element_type, is_type(c, a) + " and " + is_type(c, b));
  return false;
}

bool expect_float(const NodeContext& c, int i) {
  if (computes(c.dtype(i))) return true;
  c.error(Code::element_type, is_type(c, i) + ", and the operator takes a float of 16, 32 or 64 bits");
  return false;
}

bool expect_number(const NodeContext& c, int i) {
  if (computes(c.dtype(i)) || (is_integer(c.dtype(i)) && dtype_bits(c.dtype(i)) >= 8)) return true;
  c.error(Code::element_type, is_type(c, i) + ", and the operator takes numbers of 8 bits and more");
  return false;
}

bool expect_least_rank(const NodeContext& c, int i, int rank) {
  if (c.rank(i) >= rank) return true;
  c.error(Code::rank_mismatch, c.input_name(i) + " has " + std::to_string(c.rank(i)) +
                                   " axes, and the operator takes " + std::to_string(rank) + " or more");
  return false;
}

bool expect_stretches(const InferContext& c, int i, const std::vector<Axis>& to) {
  const auto n = static_cast<int>(to.size());
  if (c.rank(i) > n) {
    c.error(Code::rank_mismatch,
            c.input_name(i) + " has " + std::to_string(c.rank(i)) + " axes, and stretches to " + std::to_string(n));
    return false;
  }
  for (int k = 0; k < c.rank(i); ++k) {
    const Axis& axis = c.axis(i, k);
    const Axis& target = to[static_cast<std::size_t>(n - c.rank(i) + k)];
    if (!c.symbols().simplify(axis.extent()).is(1)) c.equate(target, axis, "in the result", "in " + c.input_name(i));
  }
  return true;
}

bool expect_along(const InferContext& c, int i, const Axis& axis, std::string_view of) {
  if (!expect_rank(c, i, 1)) return false;
  c.equate(axis, c.axis(i, 0), "as " + std::string(of), "in " + c.input_name(i));
  return true;
}

bool expect_word(const NodeContext& c, std::string_view attribute, std::string_view fallback,
                 std::initializer_list<std::string_view> words) {
  const std::string word = c.text(attribute, fallback);
  if (std::ranges::find(words, word) != words.end()) return true;
  std::string all;
  for (const std::string_view w : words) all += (all.empty() ? "" : ", ") + std::string(w);
  c.error(Code::bad_attribute, std::string(attribute) + " is " + word + ", and the operator takes " + all);
  return false;
}

}  // namespace loam
