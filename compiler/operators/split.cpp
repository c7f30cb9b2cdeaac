// Split, SplitToSequence (ai.onnx): one tensor's parts along an axis, each a view.
#include <algorithm>

#include "compiler/operators/structures.hpp"
#include "compiler/operators/movement.hpp"

namespace loam {

namespace {

std::optional<int> split_axis(const NodeContext& c) { return c.axis_index(c.integer("axis", 0), c.rank(0)); }

constexpr std::size_t most_parts = 4096;  // each is a tensor of its own

bool to_sequence(const NodeContext& c) { return c.node().op_type == "SplitToSequence"; }

// Whether each part is one place of the axis, without it.
bool drops_axis(const NodeContext& c) { return to_sequence(c) && !c.has(1) && c.integer("keepdims", 1) == 0; }

// Parts as long as one another; with num_outputs (opset 18) the last takes what is left.
std::vector<Polynomial> equal_parts(const NodeContext& c, const Polynomial& whole) {
  const int n = std::max(c.outputs(), 1);
  const Polynomial part =
      c.has_attribute("num_outputs") ? c.symbols().ceil_div(whole, n) : c.symbols().floor_div(whole, n);
  std::vector<Polynomial> parts(static_cast<std::size_t>(n), part);
  if (c.has_attribute("num_outputs")) parts.back() = whole - part * (n - 1);
  return parts;
}

// Of a sequence: each of one place, or of as many as the scalar `split` says, the last of what is left.
std::optional<std::vector<Polynomial>> chunks(NodeContext& c, int axis) {
  const auto whole = c.extent(0, axis).constant();
  if (!whole) {
    c.error(Code::structure_unsettled, "splits " + c.spell(c.axis(0, axis)) + ", of length " + c.spell(c.extent(0, axis)) +
                                           ", and the build must know into how many parts",
            "--dim settles a length; a list of lengths for the parts says how many there are");
    return std::nullopt;
  }
  const auto chunk = c.has(1) ? settled_number(c, 1, "into how many parts a tensor is split") : 1;
  if (!chunk) return std::nullopt;
  if (*chunk < 1) {
    c.error(Code::bad_attribute, "splits into parts of length " + std::to_string(*chunk));
    return std::nullopt;
  }
  std::vector<Polynomial> parts;
  for (std::int64_t at = 0; at < *whole; at += std::min(*chunk, *whole - at)) {
    if (parts.size() == most_parts) {
      c.error(Code::operator_form, "splits " + std::to_string(*whole) + " places into more than " + std::to_string(most_parts) + " parts");
      return std::nullopt;
    }
    parts.emplace_back(std::min(*chunk, *whole - at));
  }
  return parts;
}

// The extents of the parts, or what is wrong with them.
std::optional<std::vector<Polynomial>> parts(NodeContext& c, int axis) {
  const Polynomial whole = c.extent(0, axis);
  if (to_sequence(c) && (!c.has(1) || c.rank(1) == 0)) return chunks(c, axis);
  bool failed = false;
  auto lengths = BoundInputs(c).integers(1, "split", failed);
  if (failed) return std::nullopt;
  const auto fail = [&](std::string message) {
    c.error(Code::bad_attribute, std::move(message));
    return std::nullopt;
  };
  if (lengths) {
    if (!to_sequence(c) && static_cast<int>(lengths->size()) != c.outputs())
      return fail("splits into " + std::to_string(lengths->size()) + " parts and names " + std::to_string(c.outputs()) +
                  " outputs");
    return lengths;
  }
  if (c.has_attribute("num_outputs") && c.integer("num_outputs", 0) != c.outputs())
    return fail("num_outputs is " + std::to_string(c.integer("num_outputs", 0)) + " and the node names " +
                std::to_string(c.outputs()) + " outputs");
  return equal_parts(c, whole);
}

void infer_split(InferContext& c) {
  const auto axis = split_axis(c);
  if (!(to_sequence(c) && c.has(1) && c.rank(1) == 0) && !bind_unknown(c, {1}, length_range)) return;
  const auto lengths = axis ? parts(c, *axis) : std::nullopt;
  if (!lengths) return;
  const Polynomial whole = c.extent(0, *axis);
  const std::string name = c.spell(c.axis(0, *axis));
  Polynomial sum = 0;
  for (std::size_t i = 0; i < lengths->size(); ++i) {
    const Polynomial& part = (*lengths)[i];
    if (!c.owe(part,
               "part " + std::to_string(i) + " of " + name + " is " + c.spell(part) + ", which must not be negative"))
      return;
    sum = sum + part;
  }
  if (!c.equate(sum, whole, name + " is " + c.spell(whole) + " and is split into " + spell_list(c, *lengths))) return;
  if (to_sequence(c)) {
    Structure sequence{Structure::Kind::sequence, {}, c.dtype(0)};
    for (std::size_t i = 0; i < lengths->size(); ++i)
      sequence.items.push_back(c.make(result_name(c) + "_" + std::to_string(i)));
    const std::vector<ValueId> made = sequence.items;
    c.settle(0, std::move(sequence));
    c.typed().outputs = made;
  }
  for (int k = 0; k < c.outputs(); ++k) {
    std::vector<Axis> axes = c.axes(0);
    const Polynomial& part = (*lengths)[static_cast<std::size_t>(k)];
    if (drops_axis(c)) axes.erase(axes.begin() + *axis);
    else if (!(part == whole)) axes[static_cast<std::size_t>(*axis)] = c.fresh(part);
    c.output(k, c.dtype(0), std::move(axes));
  }
}

void fold_split(InferContext& c) {
  const auto at = static_cast<std::size_t>(*split_axis(c));
  const Places strides = dense_strides(c.known(0)->dims);
  Places kept = strides;
  if (drops_axis(c)) kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(at));
  std::int64_t start = 0;
  for (int k = 0; k < c.outputs(); ++k) {
    const auto part = (*parts(c, static_cast<int>(at)))[static_cast<std::size_t>(k)].constant();
    if (!part) return;
    if (const auto dims = known_dims(c, k))
      c.fold(k, moved(*c.known(0), *dims,
                      [&](const Places& index) { return start * strides[at] + offset_of(index, kept); }));
    start += *part;
  }
}

void lower_split(LowerContext& c) {
  bind_unknown(c, {1}, length_range);
  const int axis = *split_axis(c);
  const auto lengths = *parts(c, axis);
  const auto rank = static_cast<std::size_t>(c.rank(0));
  Polynomial start = 0;
  for (int k = 0; k < c.outputs(); ++k) {
    const Polynomial& part = lengths[static_cast<std::size_t>(k)];
    std::vector<Polynomial> starts(rank, 0), steps(rank, 1);
    starts[static_cast<std::size_t>(axis)] = start;
    start = start + part;
    if (!c.wants(k)) continue;
    if (drops_axis(c)) c.alias(k, c.read_turn(c.in(0), axis, k));
    else c.alias(k, part == c.extent(0, axis)
                   ? c.in(0)
                   : c.slice(c.in(0), c.output_type(k).axes, std::move(starts), std::move(steps)));
  }
}

constexpr Operator rows[] = {
    {.domain = "", .name = "Split", .infer = infer_split, .lower = lower_split, .fold = fold_split, .max_inputs = 2,
     .max_outputs = -1},
    {.domain = "", .name = "SplitToSequence", .infer = infer_split, .lower = lower_split, .fold = fold_split,
     .max_inputs = 2},
};

}  // namespace

std::span<const Operator> split_operators() { return rows; }

}  // namespace loam
