// Identity and Dropout (ai.onnx): the output is the operand itself, under another name.
#include "compiler/operators/formula.hpp"
#include "compiler/operators/movement.hpp"

namespace loam {

namespace {

void infer_identity(InferContext& c) { c.output(0, c.dtype(0), c.axes(0)); }

void fold_identity(InferContext& c) {
  if (c.known(0)) c.fold(0, *c.known(0));
}

void lower_identity(LowerContext& c) { c.alias(0, c.in(0)); }

// ---- Dropout as inference runs it: nothing is dropped, and the mask says so. ---------------------------------------

void infer_dropout(InferContext& c) {
  infer_identity(c);
  c.output(1, c.opset() < 10 ? c.dtype(0) : DType::boolean, c.axes(0));
  if (!c.has(2)) return;
  const auto training = known_integer(c, 2);
  if (!training || !training->is_constant())
    c.error(Code::value_needed, c.input_name(2) + " is computed at run time, and the build reads it as training_mode");
  else if (!training->is(0) &&
           !(c.known(1) && c.known(1)->elements.size() == 1 && !c.known(1)->integral() && c.known(1)->number(0) == 0))
    c.error(Code::operator_form, "trains: it drops elements at random, and a module only infers");
}

void fold_dropout(InferContext& c) {
  fold_identity(c);
  const auto dims = c.wants(1) ? known_dims(c, 1) : std::nullopt;
  if (!dims) return;
  Known mask{c.output_type(1).dtype, *dims, {}};
  mask.elements.resize(static_cast<std::size_t>(*element_count(*dims)),
                       is_float(mask.dtype) ? Scalar(1.0) : Scalar(Polynomial(1)));
  c.fold(1, std::move(mask));
}

void lower_dropout(LowerContext& c) {
  if (c.wants(0)) c.alias(0, c.in(0));
  if (!c.wants(1) || known_dims(c, 1)) return;  // not wanted, or folded
  Formula f(c);
  f.into(c.out(1), f.integer(1, c.output_type(1).dtype));
}

constexpr Operator rows[] = {
    {.domain = "", .name = "Identity", .infer = infer_identity, .lower = lower_identity, .fold = fold_identity},
    {.domain = "", .name = "Dropout", .infer = infer_dropout, .lower = lower_dropout, .fold = fold_dropout,
     .folds = Operator::Folds::always, .max_inputs = 3, .max_outputs = 2},
};

}  // namespace

std::span<const Operator> identity_operators() { return rows; }

}  // namespace loam
