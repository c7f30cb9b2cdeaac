// Signals (ai.onnx): DFT, STFT, the windows, MelWeightMatrix; and Det.
#include <numbers>

#include "compiler/operators/checks.hpp"
#include "compiler/operators/formula.hpp"
#include "compiler/operators/movement.hpp"

namespace loam {

namespace {

// The one integer of input i: known, or bound where the run computes it.
std::optional<Polynomial> one_integer(NodeContext& c, BoundInputs& bound, int i) {
  bool failed = false;
  const auto list = bound.integers(i, "", failed);
  if (failed) return std::nullopt;
  if (list && list->size() == 1) return list->front();
  c.error(Code::rank_mismatch, c.input_name(i) + " is no scalar, and the operator takes one number");
  return std::nullopt;
}

// ---- DFT -----------------------------------------------------------------------------------------------------------

struct Transform {
  Polynomial axis, extent, length;
  bool inverse, onesided;
};

std::optional<Transform> transform(NodeContext& c) {
  const bool inverse = c.integer("inverse", 0) != 0, onesided = c.integer("onesided", 0) != 0;
  bool failed = false;
  BoundInputs inputs(c);
  const auto given = c.has(1) ? one_integer(c, inputs, 1) : Polynomial(0);
  const auto named = inputs.axes(2, c.opset() < 20 ? "axis" : "", c.rank(0), failed);
  if (!given || failed) return std::nullopt;
  const Polynomial axis = named && !named->empty() ? named->front() : Polynomial(c.opset() < 20 ? 1 : c.rank(0) - 2);
  if (axis.is(c.rank(0) - 1)) {
    c.error(Code::bad_attribute, "axis " + c.spell(axis) + " holds real and imaginary parts, and is not transformed");
    return std::nullopt;
  }
  Polynomial extent = 0;
  for (int k = 0; k + 1 < c.rank(0); ++k) extent = extent + c.symbols().eq(axis, k) * c.extent(0, k);
  return Transform{axis, extent,
                   c.has(1)              ? *given
                   : inverse && onesided ? Polynomial(2) * (extent - 1)
                                         : extent,
                   inverse, onesided};
}

void infer_dft(InferContext& c) {
  if (!expect_float(c, 0) || !expect_least_rank(c, 0, 2) || !bind_unknown(c, {1, 2}, index_range)) return;
  const auto t = transform(c);
  const int last = c.rank(0) - 1;
  if (!t || !owe_axes(c, {t->axis}, last)) return;
  const Polynomial parts = c.extent(0, last);
  if (!parts.is(1) && !parts.is(2))
    return c.error(Code::extent_mismatch, "the last axis is " + c.spell(parts) +
                                              ", and a number has a real part and perhaps an imaginary one");
  if (t->onesided && !parts.is(t->inverse ? 2 : 1))
    return c.error(Code::operator_form,
                   std::string("is one-sided ") +
                       (t->inverse ? "and inverse, of a real input" : "and forward, of a complex input"));
  if (!c.owe(t->length - 1, "the length transformed is " + c.spell(t->length) + ", which must not be 0")) return;
  const Polynomial result = t->onesided && !t->inverse ? c.symbols().floor_div(t->length, 2) + 1 : t->length;
  std::vector<Axis> axes = c.axes(0);
  for (int k = 0; k < last; ++k) {
    const Polynomial hit = c.symbols().eq(t->axis, k);
    if (!hit.is(0)) axes[static_cast<std::size_t>(k)] = c.fresh(c.symbols().select(hit, result, c.extent(0, k)));
  }
  if (t->onesided && t->inverse)
    axes.back() = c.unit();
  else if (parts.is(1))
    axes.back() = c.fresh(2);
  c.output(0, c.dtype(0), std::move(axes));
}

void lower_dft(LowerContext& c) {
  bind_unknown(c, {1, 2}, index_range);
  const auto t = *transform(c);
  c.call("dft", "dft", {c.out(0)}, {axis_argument(t.axis), t.length, flag_literal(t.inverse), flag_literal(t.onesided)},
         {c.in(0)});
}

// ---- STFT: frames cut from the signal, each multiplied by the window and transformed. ------------------------------

struct Frames {
  Polynomial step, length;
};

std::optional<Frames> frames(NodeContext& c) {
  BoundInputs bound(c);
  const auto step = one_integer(c, bound, 1);
  if (!step) return std::nullopt;
  if (!c.has(3)) return Frames{*step, c.has(2) ? c.extent(2, 0) : c.extent(0, 1)};
  const auto length = one_integer(c, bound, 3);
  if (!length) return std::nullopt;
  return Frames{*step, *length};
}

void infer_stft(InferContext& c) {
  if (!expect_float(c, 0) || !expect_rank(c, 0, 3) || !bind_unknown(c, {1, 3}, length_range)) return;
  if (c.has(2) && (!expect_one_dtype(c, 0, 2) || !expect_rank(c, 2, 1))) return;
  const auto f = frames(c);
  if (!f) return;
  const bool onesided = c.integer("onesided", 1) != 0;
  const Polynomial signal = c.extent(0, 1), parts = c.extent(0, 2);
  if (!parts.is(1) && !parts.is(2))
    return c.error(Code::extent_mismatch, "the last axis is " + c.spell(parts) +
                                              ", and a number has a real part and perhaps an imaginary one");
  if (onesided && parts.is(2)) return c.error(Code::operator_form, "is one-sided, of a complex signal");
  if (!c.owe(f->step - 1, "the frames are " + c.spell(f->step) + " apart, which must not be 0")) return;
  if (!c.owe(f->length - 1, "a frame is " + c.spell(f->length) + " long, which must not be 0")) return;
  if (!c.owe(signal - f->length,
             "a frame of " + c.spell(f->length) + " must lie within the signal's " + c.spell(signal)))
    return;
  if (c.has(2) && !c.equate(c.extent(2, 0), f->length,
                            "the window is " + c.spell(c.extent(2, 0)) + " and a frame " + c.spell(f->length)))
    return;
  const Polynomial bins = onesided ? c.symbols().floor_div(f->length, 2) + 1 : f->length;
  c.output(0, c.dtype(0),
           {c.axis(0, 0), c.fresh(c.symbols().floor_div(signal - f->length, f->step) + 1), c.fresh(bins), c.fresh(2)});
}

void lower_stft(LowerContext& c) {
  bind_unknown(c, {1, 3}, length_range);
  const auto how = *frames(c);
  const Axis frame = c.output_type(0).axes[1], sample = c.named_axis("Sample", how.length);
  Formula places(c);
  const TensorId indices = places.make(
      {frame, sample}, places.coordinate(0) * places.value(how.step, DType::int64) + places.coordinate(1), "places");
  TensorId cut = c.temporary(c.dtype(0), {c.axis(0, 0), frame, sample, c.axis(0, 2)}, "frames");
  c.call("gather", "gather", {cut}, {integer_literal(1)}, {c.in(0), indices}, true);
  if (c.has(2)) {
    Formula f(c);
    const Term product = f(cut) * f(along(c, c.in(2), 2, 4));
    cut = f.make(std::vector<Axis>(c.tensor(cut).axes), c.dtype(0), product, "windowed");
  }
  c.call("dft", "dft", {c.out(0)},
         {integer_literal(2), how.length, flag_literal(false), flag_literal(c.integer("onesided", 1) != 0)}, {cut});
}

// ---- The windows: sums of cosines over a period, which a symmetric window ends one place earlier. ------------------

void infer_window(InferContext& c) {
  if (!bind_unknown(c, {0}, length_range)) return;
  BoundInputs bound(c);
  const auto size = one_integer(c, bound, 0);
  const auto type = stated_type(c, "output_datatype", DType::float32);
  if (!type || !size || !c.owe(*size, "the size " + c.spell(*size) + " must not be negative")) return;
  c.output(0, *type, {c.fresh(*size)});
}

// a - b cos(t) + d cos(2 t)
void lower_cosines(LowerContext& c, double a, double b, double d) {
  bind_unknown(c, {0}, length_range);
  BoundInputs bound(c);
  const Polynomial size = *one_integer(c, bound, 0);
  const bool periodic = c.integer("periodic", 1) != 0;
  Formula f(c);
  const Term angle =
      f.coordinate(0).as(DType::float64) * (2 * std::numbers::pi) / f.value(periodic ? size : size - 1, DType::float64);
  const Term hump = a - apply(ScalarOp::cos, angle) * b;
  f.into(c.out(0), d == 0 ? hump : hump + apply(ScalarOp::cos, angle * 2.0) * d);
}

void lower_hann(LowerContext& c) { lower_cosines(c, 0.5, 0.5, 0); }
void lower_hamming(LowerContext& c) { lower_cosines(c, 25.0 / 46, 21.0 / 46, 0); }
void lower_blackman(LowerContext& c) { lower_cosines(c, 0.42, 0.5, 0.08); }

// ---- MelWeightMatrix: triangles over the bins of a spectrum, evenly apart in mel. ----------------------------------

struct Mel {
  Polynomial bins, length;
};

std::optional<Mel> mel(NodeContext& c) {
  BoundInputs inputs(c);
  const auto bins = one_integer(c, inputs, 0);
  const auto length = bins ? one_integer(c, inputs, 1) : std::nullopt;
  if (!length) return std::nullopt;
  return Mel{*bins, *length};
}

void infer_mel_weight_matrix(InferContext& c) {
  if (!bind_unknown(c, {0, 1}, length_range)) return;
  const auto m = mel(c);
  if (!m) return;
  for (int i = 2; i < 5; ++i)
    if (!c.elements(i).is(1))
      return c.error(Code::rank_mismatch, c.input_name(i) + " is no scalar, and the operator takes one number");
  for (const Polynomial& count : {m->bins, m->length})
    if (!c.owe(count, "a count of bins is " + c.spell(count) + ", which must not be negative")) return;
  if (const auto type = stated_type(c, "output_datatype", DType::float32))
    c.output(0, *type, {c.fresh(c.symbols().floor_div(m->length, 2) + 1), c.fresh(m->bins)});
}

// Bin k rises from edge k to edge k + 1, where it is 1, and falls to edge k + 2. An edge is a place in the spectrum.
void lower_mel_weight_matrix(LowerContext& c) {
  bind_unknown(c, {0, 1}, length_range);
  const auto m = *mel(c);
  Formula f(c);
  const auto real = [&](Term x) { return x.as(DType::float64); };
  const auto to_mel = [&](Term hertz) { return log(hertz / 700 + 1) * (2595 / std::numbers::ln10); };
  const Term row = real(f.coordinate(0)), bin = real(f.coordinate(1)), rate = real(f.in(2));
  const Term low = to_mel(real(f.in(3))), high = to_mel(real(f.in(4)));
  const Term step = (high - low) / f.value(m.bins + 2, DType::float64);
  const auto edge = [&](Term k) {
    const Term hertz = (apply(ScalarOp::pow, f.number(10, DType::float64), (low + k * step) / 2595) - 1) * 700;
    return apply(ScalarOp::floor, hertz * f.value(m.length + 1, DType::float64) / rate);
  };
  const Term left = edge(bin), peak = edge(bin + 1), right = edge(bin + 2);
  const Term none = row.constant(0), one = row.constant(1);
  const Term rising = where((row >= left) & (row <= peak), (row - left) / max(peak - left, one), none);
  const Term risen = where(equal(left, peak) & equal(row, peak), one, rising);
  f.into(c.out(0), where((row >= peak) & (row < right), (right - row) / (right - peak), risen));
}

// ---- Det -----------------------------------------------------------------------------------------------------------

void infer_det(InferContext& c) {
  if (!expect_float(c, 0) || !expect_least_rank(c, 0, 2)) return;
  const int rank = c.rank(0);
  if (!c.equate(c.extent(0, rank - 2), c.extent(0, rank - 1),
                "a matrix is " + c.spell(c.extent(0, rank - 2)) + " by " + c.spell(c.extent(0, rank - 1)) +
                    ", and a determinant takes a square one"))
    return;
  c.output(0, c.dtype(0), {c.axes(0).begin(), c.axes(0).end() - 2});
}

void lower_det(LowerContext& c) { c.call("det", "det", {c.out(0)}, {}, {c.in(0)}); }

constexpr Operator rows[] = {
    {.domain = "", .name = "DFT", .infer = infer_dft, .lower = lower_dft, .max_inputs = 3},
    {.domain = "", .name = "STFT", .infer = infer_stft, .lower = lower_stft, .min_inputs = 2, .max_inputs = 4},
    {.domain = "", .name = "HannWindow", .infer = infer_window, .lower = lower_hann},
    {.domain = "", .name = "HammingWindow", .infer = infer_window, .lower = lower_hamming},
    {.domain = "", .name = "BlackmanWindow", .infer = infer_window, .lower = lower_blackman},
    {.domain = "", .name = "MelWeightMatrix", .infer = infer_mel_weight_matrix, .lower = lower_mel_weight_matrix,
     .min_inputs = 5, .max_inputs = 5},
    {.domain = "", .name = "Det", .infer = infer_det, .lower = lower_det},
};

}  // namespace

std::span<const Operator> signal_operators() { return rows; }

}  // namespace loam
