// Dropout (ai.onnx). As inference runs it, nothing is dropped: the output is the operand under another name, and the
// mask is true. Where training_mode says so, or may at run time, an element is kept whose random number is not below
// the ratio, and what is kept grows by 1 / (1 - ratio).
#include "compiler/operators/checks.hpp"
#include "compiler/operators/formula.hpp"
#include "compiler/operators/movement.hpp"
#include "compiler/operators/random.hpp"

namespace loam {

namespace {

// Whether the build knows that nothing is dropped.
bool drops_nothing(const NodeContext& c) {
  if (!c.has(2)) return true;
  const auto training = known_integer(c, 2);
  if (training && training->is(0)) return true;
  const auto ratio = c.has(1) ? c.carried(1) : std::nullopt;
  return ratio && ratio->elements.size() == 1 && !ratio->integral() && ratio->number(0) == 0;
}

void infer_dropout(InferContext& c) {
  c.output(0, c.dtype(0), c.axes(0));
  c.output(1, c.opset() < 10 ? c.dtype(0) : DType::boolean, c.axes(0));
  if (drops_nothing(c) || !expect_dtype(c, 2, {DType::boolean}) || (c.has(1) && !expect_float(c, 1))) return;
  for (const int i : {1, 2})
    if (c.has(i) && !c.elements(i).is(1))
      c.error(Code::rank_mismatch, c.input_name(i) + " is no scalar, and the operator takes one " +
                                       (i == 1 ? "ratio" : "training_mode") + " for all elements");
  const auto ratio = c.has(1) ? c.carried(1) : std::nullopt;
  if (ratio && !(ratio->number(0) >= 0 && ratio->number(0) <= 1))
    c.error(Code::bad_attribute, c.input_name(1) + " is " + std::to_string(ratio->number(0)) +
                                     ", and a ratio lies between 0 and 1");
}

void fold_dropout(InferContext& c) {
  if (!drops_nothing(c)) return;
  if (c.known(0) && c.wants(0)) c.fold(0, *c.known(0));
  const auto dims = c.wants(1) ? known_dims(c, 1) : std::nullopt;
  if (!dims) return;
  Known mask{c.output_type(1).dtype, *dims, {}};
  mask.elements.resize(static_cast<std::size_t>(*element_count(*dims)),
                       is_float(mask.dtype) ? Scalar(1.0) : Scalar(Polynomial(1)));
  c.fold(1, std::move(mask));
}

void lower_random(LowerContext& c) {
  const TensorId drawn = c.temporary(DType::float32, c.axes(0), "drawn");
  c.call("random_uniform", "random", {drawn}, {Literal{"0.0"}, Literal{"1.0"}, random_seed(c)}, {});
  for (const int k : {0, 1}) {
    if (!c.wants(k)) continue;
    Formula f(c);
    const Term ratio = c.has(1) ? f.one(1).as(DType::float32) : f.number(0.5, DType::float32), trains = f.one(2);
    const Term kept = apply(ScalarOp::logical_not, trains) | (f(drawn) >= ratio);
    if (k == 1) {
      f.into(c.out(1), kept);
    } else {
      const Term x = f(c.in(0)), scaled = x * (1.0 / (1.0 - ratio)).as(x.type());
      f.into(c.out(0), where(kept, where(trains, scaled, x), x.constant(0)));
    }
  }
}

void lower_dropout(LowerContext& c) {
  if (!drops_nothing(c)) return lower_random(c);
  if (c.wants(0)) c.alias(0, c.in(0));
  if (!c.wants(1) || known_dims(c, 1)) return;  // not wanted, or folded
  Formula f(c);
  f.into(c.out(1), f.integer(1, c.output_type(1).dtype));
}

constexpr Operator rows[] = {
    {.domain = "", .name = "Dropout", .infer = infer_dropout, .lower = lower_dropout, .fold = fold_dropout,
     .folds = Operator::Folds::always, .max_inputs = 3, .max_outputs = 2},
};

}  // namespace

std::span<const Operator> dropout_operators() { return rows; }

}  // namespace loam
