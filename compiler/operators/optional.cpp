// Optional, OptionalHasElement, OptionalGetElement (ai.onnx): a value that may be absent, as the build knows it is or not.
#include "compiler/operators/structures.hpp"

namespace loam {

namespace {

void infer_optional(InferContext& c) {
  Structure optional{Structure::Kind::optional, {}, {}};
  if (c.has(0)) optional.items.push_back(c.typed().inputs[0]);
  else if (!c.has_attribute("type")) return c.error(Code::bad_attribute, "is given no value, and names no type");
  c.settle(0, std::move(optional));
}

void infer_has_element(InferContext& c) { c.output(0, DType::boolean, {}); }

// From opset 18 on a tensor or a sequence may stand where an optional does: it is there.
void fold_has_element(InferContext& c) {
  const Structure* structure = c.structure(0);
  const bool absent = structure && structure->kind == Structure::Kind::optional && structure->items.empty();
  c.fold(0, {DType::boolean, {}, {Polynomial(c.has(0) && !absent ? 1 : 0)}});
}

void infer_get_element(InferContext& c) {
  const Structure* structure = c.structure(0);
  if (!structure || structure->kind != Structure::Kind::optional) return pass_on(c, c.typed().inputs[0]);
  if (structure->items.empty()) return c.error(Code::operator_form, c.input_name(0) + " holds nothing, and its value is read");
  pass_on(c, structure->items[0]);
}

constexpr Operator rows[] = {
    {.domain = "", .name = "Optional", .infer = infer_optional, .min_inputs = 0, .structures = true},
    {.domain = "", .name = "OptionalHasElement", .infer = infer_has_element, .fold = fold_has_element,
     .folds = Operator::Folds::always, .min_inputs = 0, .any_rank = true, .structures = true},
    {.domain = "", .name = "OptionalGetElement", .infer = infer_get_element, .lower = lower_passed_on, .any_rank = true,
     .structures = true},
};

}  // namespace

std::span<const Operator> optional_operators() { return rows; }

}  // namespace loam
