#include "compiler/kernel/fuse_twins.hpp"

#include <map>
#include <tuple>

namespace loam {

namespace {

bool same(const Argument& a, const Argument& b) {
  if (a.index() != b.index()) return false;
  if (const auto* literal = std::get_if<Literal>(&a)) return literal->text == std::get<Literal>(b).text;
  if (const auto* p = std::get_if<Polynomial>(&a)) return *p == std::get<Polynomial>(b);
  if (const auto* list = std::get_if<ExtentList>(&a)) return list->values == std::get<ExtentList>(b).values;
  if (const auto* aggregate = std::get_if<Aggregate>(&a))
    return aggregate->text == std::get<Aggregate>(b).text && aggregate->values == std::get<Aggregate>(b).values;
  return std::get<Expression>(a) == std::get<Expression>(b);
}

class TwinFinder {
 public:
  TwinFinder(BlockEditor& edit, const Stays& stays) : edit_(edit), stays_(stays) {}

  std::vector<Twin> find() {
    for (auto at = edit_.steps().begin(); at != edit_.steps().end(); ++at) {
      if (const auto* view = std::get_if<ViewStep>(&at->what)) note_view(*view);
      const auto* call = std::get_if<Call>(&at->what);
      if (!call || call->sited || call->folder == "random" || call->outputs.size() != 1 || call->outputs[0] == no_tensor) continue;
      if (edit_.maker(call->outputs[0]) != at || edit_.read_elsewhere(call->outputs[0]) || !stays_(*call)) continue;
      std::vector<BlockEditor::Position>& alike = calls_[call->kernel];
      bool found = false;
      for (const BlockEditor::Position first : alike) {
        if (!are_twins(std::get<Call>(first->what), *call)) continue;
        replace(*call, first, at);
        found = true;
        break;
      }
      if (!found) alike.push_back(at);
    }
    return std::move(twins_);
  }

 private:
  // The first view that is this one: of the same tensor, in the same way.
  void note_view(const ViewStep& view) {
    std::vector<TensorId>& alike = views_[{the_same(view.in), view.kind}];
    for (const TensorId first : alike) {
      const ViewStep& other = std::get<ViewStep>((*edit_.maker(first))->what);
      if (other.order != view.order || other.extents != view.extents || other.starts != view.starts || other.steps != view.steps) continue;
      if (!edit_.same_axes(first, view.out)) continue;
      same_.emplace(view.out, first);
      return;
    }
    alike.push_back(view.out);
  }
  TensorId the_same(TensorId t) const {
    const auto it = same_.find(t);
    return it == same_.end() ? t : it->second;
  }

  bool are_twins(const Call& a, const Call& b) const {
    if (a.arguments.size() != b.arguments.size() || a.inputs.size() != b.inputs.size()) return false;
    // Inputs first: they tell most calls apart, and axes take longer to compare.
    for (std::size_t i = 0; i < a.inputs.size(); ++i) {
      const auto *x = std::get_if<TensorId>(&a.inputs[i]), *y = std::get_if<TensorId>(&b.inputs[i]);
      if (x && y ? the_same(*x) != the_same(*y) : !same_operand(a.inputs[i], b.inputs[i])) return false;
    }
    if (edit_.tensor(a.outputs[0]).dtype != edit_.tensor(b.outputs[0]).dtype || edit_.tensor(a.outputs[0]).dense != edit_.tensor(b.outputs[0]).dense ||
        !edit_.same_axes(a.outputs[0], b.outputs[0]))
      return false;
    for (std::size_t i = 0; i < a.arguments.size(); ++i)
      if (!same(a.arguments[i], b.arguments[i])) return false;
    return true;
  }

  void replace(const Call& twin, BlockEditor::Position first, BlockEditor::Position at) {
    const TensorId kept = std::get<Call>(first->what).outputs[0], made = twin.outputs[0];
    twins_.push_back({first, at, made});
    same_.emplace(made, kept);
    edit_.read_instead(made, kept);
  }

  BlockEditor& edit_;
  const Stays& stays_;
  std::map<std::string, std::vector<BlockEditor::Position>> calls_;  // by kernel, no two alike
  std::map<std::pair<TensorId, ViewStep::Kind>, std::vector<TensorId>> views_;
  std::map<TensorId, TensorId> same_;
  std::vector<Twin> twins_;
};

}  // namespace

std::vector<Twin> find_twins(BlockEditor& edit, const Stays& stays) { return TwinFinder(edit, stays).find(); }

}  // namespace loam
