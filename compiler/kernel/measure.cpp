#include "compiler/kernel/measure.hpp"

#include <algorithm>

#include "compiler/kernel/pack.hpp"
#include "compiler/kernel/tensor_size.hpp"
#include "compiler/kernel/visit.hpp"

namespace loam {

namespace {

const TensorId* operand(const Call& call, std::size_t k) {
  const auto* t = k < call.inputs.size() ? std::get_if<TensorId>(&call.inputs[k]) : nullptr;
  return t && *t != no_tensor ? t : nullptr;
}

}  // namespace

double size_at_100(const Symbols& symbols, const Polynomial& size) {
  const Polynomial settled = symbols.simplify(size);
  const auto value = symbols.evaluate(settled, [&](SymbolId id) {
    return std::clamp<std::int64_t>(100, symbols[id].range.low, symbols[id].range.high);
  });
  return value ? static_cast<double>(*value) : typical(symbols, settled);
}

Measure::Measure(const Program& program, const Symbols& symbols) : program_(program), symbols_(symbols) {
  const auto note = [&](const Step& step) {
    if (const auto* view = std::get_if<ViewStep>(&step.what)) views_[view->out] = view;
  };
  visit_steps(program.prepare, note);
  visit_steps(program.body, note);
}

Polynomial Measure::bytes(TensorId t) const { return bytes_of(program_.tensors[t], symbols_); }

TensorId Measure::root(TensorId t) const {
  for (auto view = views_.find(t); view != views_.end(); view = views_.find(t)) t = view->second->in;
  return t;
}

Polynomial Measure::extent(TensorId t, std::size_t axis) const {
  return symbols_.simplify(program_.tensors[t].axes[axis].extent());
}
Polynomial Measure::elements(TensorId t, std::size_t first) const {
  return elements_of(program_.tensors[t], symbols_, first);
}

Polynomial Measure::read(const Call& call) const {
  const auto there = [&](TensorId t) {
    Polynomial n = bytes(t);
    for (auto view = views_.find(t); view != views_.end(); view = views_.find(t)) {
      if (view->second->kind == ViewStep::Kind::slice) break;
      t = view->second->in;
      if (view->second->kind == ViewStep::Kind::expand) n = bytes(t);
    }
    return n;
  };
  Polynomial n = 0;
  for (std::size_t k = 0; k < call.inputs.size(); ++k) {
    const TensorId* t = operand(call, k);
    if (t) n = n + (k == 0 && call.folder.starts_with("gather") ? written(call) : there(*t));
  }
  return n;
}

Polynomial Measure::written(const Call& call) const {
  Polynomial n = 0;
  for (const TensorId t : call.outputs)
    if (t != no_tensor) n = n + bytes(t);
  return n;
}

Polynomial Measure::operations(const Call& call) const {
  const Polynomial results =
      call.outputs.empty() || call.outputs[0] == no_tensor ? Polynomial(0) : elements(call.outputs[0]);
  const auto rank = [&](TensorId t) { return program_.tensors[t].axes.size(); };
  Polynomial n = 0;
  const TensorId *a = operand(call, 0), *w = operand(call, 1);
  // Attention's expressions are of scores, as many as there are rows of results times keys.
  const bool attends = call.folder == "attend" && a && w;
  Polynomial places = results;
  if (attends) {
    places = extent(*w, rank(*w) - 1);
    for (std::size_t k = 0; k + 1 < rank(call.outputs[0]); ++k) places = places * extent(call.outputs[0], k);
  }
  for (const Argument& argument : call.arguments)
    if (const auto* e = std::get_if<Expression>(&argument))
      n = n +
          places * Polynomial(std::ranges::count(e->steps(), Expression::Step::Kind::apply, &Expression::Step::kind));
  if (call.folder == "map") return n;
  if (attends) {
    const Polynomial depth = extent(*a, rank(*a) - 1), width = extent(call.outputs[0], rank(call.outputs[0]) - 1);
    return n + places * (depth + width) * Polynomial(2) + places * Polynomial(5);
  }
  if (call.folder.starts_with("matmul") && a && w && rank(*a) > 0) {
    Polynomial depth = extent(*a, rank(*a) - 1);
    if (depth.is(1) && rank(*w) > 0) depth = extent(*w, std::max<std::size_t>(2, rank(*w)) - 2);
    return n + results * depth * Polynomial(2);
  }
  if (call.folder.starts_with("conv") && call.folder != "conv_transpose" && w)
    return n + results * elements(*w, 1) * Polynomial(2);
  if (call.folder == "softmax") return results * Polynomial(5);     // greatest, difference, exponential, sum, scale
  if (call.folder == "layer_norm") return results * Polynomial(8);  // sum; difference, square, sum; difference, three
  if (call.folder == "rms_norm") return results * Polynomial(4);    // square, sum, two factors
  if (call.folder.starts_with("gather")) return results;            // of the table no more than is looked up
  Polynomial most = results;
  for (std::size_t k = 0; k < call.inputs.size(); ++k)
    if (const TensorId* t = operand(call, k); t && typical(symbols_, elements(*t)) > typical(symbols_, most))
      most = elements(*t);
  return most;
}

}  // namespace loam
