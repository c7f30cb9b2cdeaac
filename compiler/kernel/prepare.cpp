#include "compiler/kernel/prepare.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "compiler/kernel/conv_form.hpp"
#include "compiler/kernel/edit.hpp"
#include "compiler/kernel/tensor_size.hpp"
#include "compiler/kernel/visit.hpp"

namespace loam {

namespace {

// A product of fewer elements is no faster for being packed.
constexpr std::int64_t least_packed = 1024;
// What is computed of weights may take so many times their bytes: an expanded bias is no reason to keep it so.
constexpr std::int64_t most_growth = 8;

// How a kernel wants an operand that is a weight.
struct Wish {
  std::string_view kernel;
  std::size_t operand;
  std::string_view form, folder;  // and the folder in ops/ that has it
};
constexpr Wish wishes[] = {{"matmul", 1, "loam::form::Columns", "matmul"}, {"matmul_map", 1, "loam::form::Columns", "matmul"}};

class Preparer {
 public:
  Preparer(Program& program, const TypedGraph& graph) : program_(program), graph_(graph), symbols_(graph.symbols), whole_(whole_tensors(program)) {}

  std::vector<Preparation> run() {
    for (TensorId t = 0; t < program_.tensors.size(); ++t) {
      const VirtualTensor& v = program_.tensors[t];
      if (v.kind == VirtualTensor::Kind::weight || (v.kind == VirtualTensor::Kind::constant && v.data && is_float(v.dtype))) rooted_.insert(t);
    }
    Block& body = program_.body;
    const std::set<TensorId> returned(body.outputs.begin(), body.outputs.end());
    std::vector<Step> kept;
    for (Step& step : body.steps) {
      if (note_view(step)) {
        kept.push_back(std::move(step));
        continue;
      }
      auto* call = std::get_if<Call>(&step.what);
      if (call && is_constant(*call) && std::ranges::none_of(call->outputs, [&](TensorId t) { return returned.contains(t); })) {
        for (OperandRef& o : call->inputs)
          if (auto* t = std::get_if<TensorId>(&o); t && *t != no_tensor) *t = there(*t, step);
        for (const TensorId t : call->outputs) {
          program_.tensors[t].kind = VirtualTensor::Kind::prepared;
          rooted_.insert(t);
          made_.push_back({program_.tensors[t].name, step.node, {}});
        }
        program_.prepare.steps.push_back(std::move(step));
        continue;
      }
      kept.push_back(std::move(step));
    }
    body.steps = std::move(kept);
    pack_operands(body);
    // The largest first: while one is packed it lies in memory twice, beside those that already are.
    std::ranges::stable_sort(packs_, std::greater{}, [&](const Step& step) {
      return bytes_of(program_.tensors[std::get<Call>(step.what).outputs[0]], symbols_).constant().value_or(0);
    });
    std::ranges::move(packs_, std::back_inserter(program_.prepare.steps));
    drop_unread_views(body);
    return std::move(made_);
  }

 private:
  bool fixed(TensorId t) const {
    return rooted_.contains(t) || (program_.tensors[t].kind == VirtualTensor::Kind::constant &&
                                   (!program_.tensors[t].known || program_.tensors[t].known->constant()));
  }
  static bool is_number(const Polynomial& p) { return p.constant().has_value(); }
  static bool are_numbers(const std::vector<Polynomial>& list) { return std::ranges::all_of(list, is_number); }
  bool has_numbers(TensorId t) const { return are_numbers(extents_of(program_.tensors[t], symbols_)); }

  // A view of what is fixed is fixed too.
  bool note_view(const Step& step) {
    const auto* view = std::get_if<ViewStep>(&step.what);
    if (!view) return false;
    if (rooted_.contains(view->in) && has_numbers(view->out) && are_numbers(view->extents) && are_numbers(view->starts) && are_numbers(view->steps)) {
      rooted_.insert(view->out);
      views_.emplace(view->out, *view);
    }
    return true;
  }

  bool is_constant(const Call& call) const {
    if (call.sited || call.folder == "random") return false;
    std::int64_t read = 0, written = 0;
    bool rooted = false;
    for (const OperandRef& o : call.inputs) {
      if (const auto* s = std::get_if<ScalarOperand>(&o)) {
        const auto* p = std::get_if<Polynomial>(&s->value);
        if (p && !is_number(*p)) return false;
      }
      const auto* t = std::get_if<TensorId>(&o);
      if (!t || *t == no_tensor) continue;
      if (!fixed(*t)) return false;
      rooted = rooted || rooted_.contains(*t);
      read += bytes_of(program_.tensors[root(*t)], symbols_).constant().value_or(0);  // not of a view that repeats them
    }
    for (const Argument& a : call.arguments) {
      if (const auto* p = std::get_if<Polynomial>(&a); p && !is_number(*p)) return false;
      if (const auto* list = std::get_if<ExtentList>(&a); list && !are_numbers(list->values)) return false;
      if (const auto* aggregate = std::get_if<Aggregate>(&a); aggregate && !are_numbers(aggregate->values)) return false;
    }
    for (const TensorId t : call.outputs) {
      if (t == no_tensor || !whole_.contains(t) || !has_numbers(t)) return false;
      if (program_.tensors[t].kind != VirtualTensor::Kind::activation || program_.tensors[t].dtype == DType::string) return false;
      written += bytes_of(program_.tensors[t], symbols_).constant().value_or(0);
    }
    return rooted && written <= most_growth * read;
  }

  TensorId root(TensorId t) const {
    for (auto view = views_.find(t); view != views_.end(); view = views_.find(t)) t = view->second.in;
    return t;
  }

  // The tensor, or the same view of what is prepared, in the preparation's block.
  TensorId there(TensorId t, const Step& reader) {
    const auto view = views_.find(t);
    if (view == views_.end()) return t;
    const auto [it, is_new] = there_.try_emplace(t, t);
    if (!is_new) return it->second;
    ViewStep copy = view->second;
    copy.in = there(copy.in, reader);
    copy.out = static_cast<TensorId>(program_.tensors.size());
    program_.tensors.push_back(VirtualTensor(program_.tensors[t]));
    program_.prepare.steps.push_back({copy, reader.site, {}, reader.node});
    return there_[t] = copy.out;
  }

  // ---- Packing ----

  void pack_operands(Block& block) {
    for (Step& step : block.steps) {
      for (Block* inner : inner_blocks(step)) pack_operands(*inner);
      note_view(step);  // of a weight, within a branch or a turn
      if (auto* call = std::get_if<Call>(&step.what)) {
        for (const Wish& wish : wishes)
          if (call->kernel == wish.kernel && can_be_packed(*call, wish.operand)) pack_operand(*call, wish, step);
        if (const auto form = conv_form(program_, symbols_, *call)) pack_operand(*call, {call->kernel, 1, *form, "conv"}, step);
      }
    }
  }

  void pack_operand(Call& call, const Wish& wish, const Step& step) {
    auto* operand = std::get_if<TensorId>(&call.inputs[wish.operand]);
    if (!operand || *operand == no_tensor || !rooted_.contains(*operand)) return;
    const auto [it, is_new] = packed_.try_emplace(std::string(wish.form) + " " + key(*operand), no_tensor);
    if (is_new) {
      const std::string name = program_.tensors[root(*operand)].name;
      VirtualTensor packed = program_.tensors[*operand];
      packed.name = name + "_packed";
      packed.kind = VirtualTensor::Kind::prepared;
      packed.form = wish.form;
      packed.data = nullptr;
      const TensorId from = there(*operand, step);
      it->second = static_cast<TensorId>(program_.tensors.size());
      made_.push_back({name, step.node, packed.form});
      program_.tensors.push_back(std::move(packed));
      packs_.push_back({Call{"pack", std::string(wish.folder), false, {it->second}, {}, {from}}, step.site, {}, step.node});
    }
    *operand = it->second;
  }

  // A matrix of floats, of more than a row or a column; what its sums are kept in is decided by the product's type, and
  // how it is packed by its own.
  bool can_be_packed(const Call& call, std::size_t operand) const {
    const auto* t = std::get_if<TensorId>(&call.inputs[operand]);
    if (!t || *t == no_tensor) return false;
    const VirtualTensor& w = program_.tensors[*t];
    if (w.axes.size() != 2 || !is_float(w.dtype) || is_narrow(w.dtype) || compute_type(w.dtype) != compute_type(program_.tensors[call.outputs[0]].dtype)) return false;
    const std::vector<Polynomial> extents = extents_of(w, symbols_);
    const auto rows = extents[0].constant(), columns = extents[1].constant();
    return rows && columns && *rows > 1 && *columns > 1 && *rows * *columns >= least_packed;
  }

  // What a tensor is a view of, and how: two views that read alike are packed once.
  std::string key(TensorId t) const {
    std::string text;
    for (auto view = views_.find(t); view != views_.end(); view = views_.find(t)) {
      const ViewStep& v = view->second;
      text += "/" + std::to_string(static_cast<int>(v.kind));
      for (const int axis : v.order) text += "," + std::to_string(axis);
      for (const auto* list : {&v.extents, &v.starts, &v.steps}) {
        text += ";";
        for (const Polynomial& p : *list) text += " " + std::to_string(p.constant().value_or(0));
      }
      t = v.in;
    }
    return std::to_string(t) + text;
  }

  void drop_unread_views(Block& block) {
    for (Step& step : block.steps)
      for (Block* inner : inner_blocks(step)) drop_unread_views(*inner);
    BlockEditor edit(program_, graph_, block);
    edit.drop_unread_views();
    edit.close();
  }

  Program& program_;
  const TypedGraph& graph_;
  const Symbols& symbols_;
  std::set<TensorId> whole_;
  std::set<TensorId> rooted_;                    // weights, and what is made of them
  std::map<TensorId, ViewStep> views_;           // of those
  std::map<TensorId, TensorId> there_;           // a view's twin in the preparation
  std::map<std::string, TensorId> packed_;       // by form and what is packed
  std::vector<Step> packs_;
  std::vector<Preparation> made_;
};

}  // namespace

std::vector<Preparation> prepare(Program& program, const TypedGraph& graph) { return Preparer(program, graph).run(); }

}  // namespace loam
