// Concat, ConcatFromSequence (ai.onnx): tensors laid one after another along an axis.
#include "compiler/operators/movement.hpp"

namespace loam {

namespace {

std::int64_t axis_attribute(const NodeContext& c) { return c.integer("axis", 1); }  // required from opset 4 on

bool empty(const NodeContext& c, int i, int axis) { return c.extent(i, axis).is(0); }

// The one operand that holds anything, where there is one: the result is it.
std::optional<int> only(const NodeContext& c, int axis) {
  std::optional<int> found;
  for (int i = 0; i < c.inputs(); ++i) {
    if (empty(c, i, axis)) continue;
    if (found) return std::nullopt;
    found = i;
  }
  return found ? found : 0;
}

void infer_concat(InferContext& c) {
  if (c.opset() >= 4 && !c.has_attribute("axis")) return c.error(Code::bad_attribute, "names no axis");
  for (int i = 0; i < c.inputs(); ++i) {
    if (!c.has(i)) return c.error(Code::operator_form, "input " + std::to_string(i) + " is absent");
    if (c.rank(i) != c.rank(0))
      return c.error(Code::rank_mismatch, c.input_name(0) + " has " + std::to_string(c.rank(0)) + " axes and " +
                                              c.input_name(i) + " has " + std::to_string(c.rank(i)));
    if (c.dtype(i) != c.dtype(0))
      return c.error(Code::element_type, c.input_name(0) + " is " + std::string(dtype_name(c.dtype(0))) + " and " +
                                             c.input_name(i) + " is " + std::string(dtype_name(c.dtype(i))));
  }
  const auto axis = c.axis_index(axis_attribute(c), c.rank(0));
  if (!axis) return;
  std::vector<Axis> axes = c.axes(0);
  Polynomial joined = c.extent(0, *axis);
  for (int i = 1; i < c.inputs(); ++i) {
    for (int k = 0; k < c.rank(0); ++k) {
      Axis& common = axes[static_cast<std::size_t>(k)];
      if (k != *axis) common = c.equate(common, c.axis(i, k), "in " + c.input_name(0), "in " + c.input_name(i));
    }
    joined = joined + c.extent(i, *axis);
  }
  const auto alone = only(c, *axis);
  axes[static_cast<std::size_t>(*axis)] = alone ? c.axis(*alone, *axis) : c.fresh(joined);
  c.output(0, c.dtype(0), std::move(axes));
}

// Along an axis of their own.
bool stacks(const NodeContext& c) { return c.integer("new_axis", 0) != 0; }

int joined_axis(const NodeContext& c) { return *c.axis_index(axis_attribute(c), c.rank(0) + (stacks(c) ? 1 : 0)); }

void infer_stacked(InferContext& c) {
  const auto axis = c.axis_index(axis_attribute(c), c.rank(0) + 1);
  if (!axis) return;
  std::vector<Axis> axes = c.axes(0);
  for (int i = 1; i < c.inputs(); ++i) {
    if (c.rank(i) != c.rank(0))
      return c.error(Code::rank_mismatch, c.input_name(0) + " has " + std::to_string(c.rank(0)) + " axes and " +
                                              c.input_name(i) + " has " + std::to_string(c.rank(i)));
    for (int k = 0; k < c.rank(0); ++k) {
      Axis& common = axes[static_cast<std::size_t>(k)];
      common = c.equate(common, c.axis(i, k), "in " + c.input_name(0), "in " + c.input_name(i));
    }
  }
  axes.insert(axes.begin() + *axis, c.fresh(c.inputs()));
  c.output(0, c.dtype(0), std::move(axes));
}

void infer_from_sequence(InferContext& c) {
  if (!c.structure(0)) return c.error(Code::operator_form, c.input_name(0) + " is a tensor, and the operator takes a sequence");
  const std::vector<ValueId> tensors = c.tensors(c.typed().inputs[0]);
  if (tensors.empty()) return c.error(Code::operator_form, c.input_name(0) + " holds no tensor, and there is nothing to join");
  for (const ValueId id : tensors)
    if (!c.value(id).type) return;  // reported where it should have come from
  c.reads(tensors);
  if (!c.has_attribute("axis")) return c.error(Code::bad_attribute, "names no axis");
  if (stacks(c)) infer_stacked(c);
  else infer_concat(c);
}

void fold_concat(InferContext& c) {
  const auto dims = known_dims(c, 0);
  if (!dims) return;
  const auto axis = static_cast<std::size_t>(joined_axis(c));
  // Of each operand in turn, the run that its axis and those within it make: once for each place of the axes around.
  const auto count = [&](auto first, auto last) { return static_cast<std::size_t>(*element_count({first, last})); };
  const auto joined = dims->begin() + static_cast<std::ptrdiff_t>(axis);
  const std::size_t runs = count(dims->begin(), joined), within = count(joined + 1, dims->end());
  Known out{c.dtype(0), *dims, {}};
  for (std::size_t run = 0; run < runs; ++run)
    for (int i = 0; i < c.inputs(); ++i) {
      const Known& part = *c.known(i);
      const std::size_t length = stacks(c) ? within : static_cast<std::size_t>(part.dims[axis]) * within;
      const auto first = part.elements.begin() + static_cast<std::ptrdiff_t>(run * length);
      out.elements.insert(out.elements.end(), first, first + static_cast<std::ptrdiff_t>(length));
    }
  c.fold(0, std::move(out));
}

void lower_concat(LowerContext& c) {
  const int axis = *c.axis_index(axis_attribute(c), c.rank(0));
  if (const auto alone = only(c, axis)) return c.alias(0, c.in(*alone));
  const TensorId out = c.out(0);
  const auto rank = static_cast<std::size_t>(c.rank(0));
  const auto at = static_cast<std::size_t>(axis);
  Polynomial start = 0;
  for (int i = 0; i < c.inputs(); ++i) {
    if (empty(c, i, axis)) continue;
    std::vector<Axis> axes = c.output_type(0).axes;
    axes[at] = c.axis(i, axis);
    std::vector<Polynomial> starts(rank, 0), steps(rank, 1);
    starts[at] = start;
    c.copy(c.slice(out, std::move(axes), std::move(starts), std::move(steps)), c.in(i));
    start = start + c.extent(i, axis);
  }
}

void lower_from_sequence(LowerContext& c) {
  if (!stacks(c)) return lower_concat(c);
  const TensorId out = c.out(0);
  for (int i = 0; i < c.inputs(); ++i) c.write_turn(out, c.in(i), joined_axis(c), i);
}

constexpr Operator rows[] = {
    {.domain = "", .name = "Concat", .infer = infer_concat, .lower = lower_concat, .fold = fold_concat,
     .max_inputs = -1},
    {.domain = "", .name = "ConcatFromSequence", .infer = infer_from_sequence, .lower = lower_from_sequence,
     .fold = fold_concat, .structures = true},
};

}  // namespace

std::span<const Operator> concat_operators() { return rows; }

}  // namespace loam
