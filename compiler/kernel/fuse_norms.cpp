#include "compiler/kernel/fuse_norms.hpp"

#include <algorithm>
#include <array>

namespace loam {

namespace {

using Position = BlockEditor::Position;

// Reads chains of maps of one function each and of means, remembering the steps it went through.
class Finder {
 public:
  explicit Finder(BlockEditor& edit) : edit_(edit) {}

  struct Operand {
    TensorId tensor = no_tensor;
    std::optional<double> number;
  };
  using Operands = std::array<Operand, 2>;

  // The operands of the map that makes t, where it is `op` and nothing else.
  std::optional<Operands> operands(TensorId t, ScalarOp op) {
    const auto at = edit_.maker(t);
    const auto map = at ? as_map(**at) : std::nullopt;
    if (!map || edit_.tensor(map->out).dtype != DType::float32) return std::nullopt;
    const auto& steps = map->expression.steps();
    const Expression::Step& last = steps[static_cast<std::size_t>(map->expression.result())];
    if (last.kind != Expression::Step::Kind::apply || last.op != op) return std::nullopt;
    Operands found;
    std::size_t leaves = 0;
    for (const Expression::Step& step : steps) leaves += step.kind != Expression::Step::Kind::apply;
    if (leaves + 1 != steps.size()) return std::nullopt;
    for (int k = 0; k < scalar_operands(op); ++k) {
      const Expression::Step& step = steps[static_cast<std::size_t>(last.operands[k])];
      Operand& operand = found[static_cast<std::size_t>(k)];
      if (step.kind == Expression::Step::Kind::constant) {
        if (const auto* number = std::get_if<double>(&step.constant)) operand.number = *number;
      } else if (const auto* tensor = std::get_if<TensorId>(&map->inputs[static_cast<std::size_t>(step.input)])) {
        operand.tensor = *tensor;
      }
    }
    pass(*at);
    return found;
  }

  // What is averaged over the last axes to t, those kept as units; `axis` is the first of them.
  std::optional<TensorId> mean(TensorId t, std::optional<int>& axis) {
    const auto at = edit_.maker(t);
    const auto* call = at ? std::get_if<Call>(&(*at)->what) : nullptr;
    if (!call || call->kernel != "reduce" || std::get<Literal>(call->arguments[0]).text != "loam::reducer::Mean{}") return std::nullopt;
    const TensorId from = std::get<TensorId>(call->inputs[0]);
    const int rank = static_cast<int>(edit_.tensor(from).axes.size());
    if (static_cast<int>(edit_.tensor(t).axes.size()) != rank || edit_.tensor(t).dtype != DType::float32) return std::nullopt;
    std::string axes;
    for (int first = rank; first-- > 0;) {
      axes = std::to_string(first) + (axes.empty() ? "" : ", " + axes);
      if (std::get<Literal>(call->arguments[1]).text != "loam::Over<" + axes + ">{}") continue;
      if (axis && *axis != first) return std::nullopt;
      axis = first;
      pass(*at);
      return from;
    }
    return std::nullopt;
  }

  // The root of a mean of squares and the number added to it: what is squared.
  std::optional<TensorId> root_mean_square(TensorId t, std::optional<int>& axis, double& epsilon) {
    const auto root = operands(t, ScalarOp::sqrt);
    auto sum = root ? operands((*root)[0].tensor, ScalarOp::add) : std::nullopt;
    if (!sum) return std::nullopt;
    if ((*sum)[0].number) std::swap((*sum)[0], (*sum)[1]);
    if (!(*sum)[1].number) return std::nullopt;
    epsilon = *(*sum)[1].number;
    const auto squares = mean((*sum)[0].tensor, axis);
    const auto square = squares ? operands(*squares, ScalarOp::mul) : std::nullopt;
    if (!square || (*square)[0].tensor != (*square)[1].tensor) return std::nullopt;
    return (*square)[0].tensor;
  }

  std::vector<Position> passed;

 private:
  void pass(Position at) {
    if (std::ranges::find(passed, at) == passed.end()) passed.push_back(at);
  }

  BlockEditor& edit_;
};

// x and what divides it, where t is x / d, x * (1 / d) or x * reciprocal(d).
std::optional<std::array<TensorId, 2>> quotient(Finder& find, TensorId t) {
  if (const auto q = find.operands(t, ScalarOp::div)) return std::array{(*q)[0].tensor, (*q)[1].tensor};
  const auto product = find.operands(t, ScalarOp::mul);
  if (!product) return std::nullopt;
  for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {
    const TensorId factor = (*product)[k].tensor, x = (*product)[1 - k].tensor;
    if (factor == no_tensor || x == no_tensor) continue;
    if (const auto r = find.operands(factor, ScalarOp::reciprocal)) return std::array{x, (*r)[0].tensor};
    if (const auto r = find.operands(factor, ScalarOp::div); r && (*r)[0].number == 1.0) return std::array{x, (*r)[1].tensor};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Norm> find_norm(BlockEditor& edit, Position step) {
  const auto map = as_map(*step);
  if (!map || edit.maker(map->out) != step) return std::nullopt;
  const TensorId scaled = map->out;
  for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {
    Finder find(edit);
    const auto product = find.operands(scaled, ScalarOp::mul);
    if (!product) return std::nullopt;
    const TensorId normal = (*product)[k].tensor, scale = (*product)[1 - k].tensor;
    if (normal == no_tensor || scale == no_tensor) return std::nullopt;
    const auto parts = quotient(find, normal);
    if (!parts) continue;
    std::optional<int> axis;
    double epsilon = 0;
    const auto [centred, root] = *parts;
    if (centred == no_tensor || root == no_tensor || find.root_mean_square(root, axis, epsilon) != centred) continue;
    TensorId x = centred;
    bool layer = false;
    if (const std::size_t before = find.passed.size(); const auto difference = find.operands(centred, ScalarOp::sub)) {
      layer = (*difference)[1].tensor != no_tensor && find.mean((*difference)[1].tensor, axis) == (*difference)[0].tensor;
      if (layer) x = (*difference)[0].tensor;
      else find.passed.resize(before);  // the root mean square of a difference
    }
    if (edit.tensor(x).dtype != DType::float32 || !edit.same_axes(x, scaled)) continue;

    Norm norm{step, {}, std::move(find.passed)};
    TensorId bias = no_tensor;
    TensorId out = scaled;
    if (layer && !edit.read_elsewhere(scaled) && edit.readers(scaled).size() == 1) {
      const Position reader = edit.position(*edit.readers(scaled).begin());
      const auto next = as_map(*reader);
      Finder after(edit);
      auto sum = next && edit.maker(next->out) == reader ? after.operands(next->out, ScalarOp::add) : std::nullopt;
      if (sum && (*sum)[1].tensor == scaled) std::swap((*sum)[0], (*sum)[1]);
      if (sum && (*sum)[0].tensor == scaled && (*sum)[1].tensor != no_tensor && edit.same_axes(x, next->out)) {
        bias = (*sum)[1].tensor;
        out = next->out;
        norm.last = reader;
      }
    }
    if (norm.last == step) norm.steps.erase(norm.steps.begin());  // the product itself
    const std::string kernel = layer ? "layer_norm" : "rms_norm";
    norm.call = {kernel, kernel, false, {out}, {}, {}};
    norm.call.arguments.emplace_back(Literal{std::to_string(*axis)});
    norm.call.arguments.emplace_back(Literal{cpp_literal(epsilon, DType::float32)});
    const std::vector<Axis> axes = edit.tensor(x).axes;
    norm.call.inputs = {x, edit.named_like(norm.last, scale, axes)};
    if (layer) norm.call.inputs.push_back(bias == no_tensor ? OperandRef(bias) : edit.named_like(norm.last, bias, axes));
    return norm;
  }
  return std::nullopt;
}

}  // namespace loam
