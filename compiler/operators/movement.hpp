// Elements moved and none computed: what the folds and lowerings of those operators share.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <vector>

#include "compiler/operators/lower.hpp"
#include "compiler/operators/operator.hpp"

namespace loam {

using Places = std::vector<std::int64_t>;  // extents, an index or strides: one number an axis

// Row-major strides of a dense tensor.
Places dense_strides(const Places& dims);
std::int64_t offset_of(const Places& index, const Places& strides);
// The index after this one, row-major; false at the end.
bool advance(Places& index, const Places& dims);

// The extents of output k where all are numbers and the build keeps that many elements.
std::optional<Places> known_dims(const NodeContext& c, int k);

// A tensor of these dims whose element at an index is from's element number source(index).
template <class Source>
Known moved(const Known& from, Places dims, Source source) {
  Known out{from.dtype, std::move(dims), {}};
  for (const std::int64_t d : out.dims)
    if (d == 0) return out;
  Places index(out.dims.size(), 0);
  do out.elements.push_back(from.elements[static_cast<std::size_t>(source(index))]);
  while (advance(index, out.dims));
  return out;
}

// The same elements under other dims: the fold of a regrouping.
void fold_regrouped(InferContext& c);

// Axes made one by taking them together, outermost first; units take no share.
Axis merged(const InferContext& c, const std::vector<Axis>& axes);
// The product of extents.
Polynomial product(const std::vector<Polynomial>& extents);
Polynomial product(const NodeContext& c, const std::vector<Axis>& axes);

// The first output's name, for what is named after it.
std::string result_name(const NodeContext& c);
// The element type that an attribute gives, which a kernel must hold; reported where none does.
std::optional<DType> stated_type(const NodeContext& c, std::string_view attribute, DType fallback);
// The same where the operator makes numbers, of 8 bits and more, or bools.
std::optional<DType> stated_number(const NodeContext& c, std::string_view attribute, DType fallback);

// The one integer of input i, where the build knows it.
std::optional<Polynomial> known_integer(const NodeContext& c, int i);

// An index or an axis, which counts from the end where it is negative; and a length.
inline constexpr Range index_range = {-longest_length - 1, longest_length};
inline constexpr Range length_range = {0, longest_length};

// Integer inputs that shapes depend on and that only the run may know. `infer` makes a symbol for each element of those
// inputs the build does not know, and `lower` binds them, in the same order; `integers` reads either. Nothing is bound,
// and `infer` has nothing to do, where no output is named. A value past a
// list's longest length either way is read as that length: it means "to the end" wherever an operator clamps.
bool bind_unknown(InferContext& c, std::initializer_list<int> inputs, Range range);
void bind_unknown(LowerContext& c, std::initializer_list<int> inputs, Range range);

class BoundInputs {
 public:
  explicit BoundInputs(NodeContext& c) : c_(c) {}
  // In the order bind_unknown was given them. Of an absent input: the attribute.
  std::optional<std::vector<Polynomial>> integers(int i, std::string_view attribute, bool& failed);
  // A list of axes, counted from the start; nullopt also where neither is present.
  std::optional<std::vector<Polynomial>> axes(int i, std::string_view attribute, int rank, bool& failed);

 private:
  NodeContext& c_;
  std::size_t next_ = 0;
};

// Axes that only the run knows lie within the rank; those the build knows it has checked.
bool owe_axes(const InferContext& c, const std::vector<Polynomial>& axes, int rank);

// An axis as a kernel takes it, an int.
Argument axis_argument(const Polynomial& axis);

}  // namespace loam
