#include "compiler/kernel/sizes.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_set>

#include "compiler/kernel/element_bytes.hpp"
#include "compiler/kernel/visit.hpp"

namespace loam {

namespace {

// Coefficients by product of leaves: what a value's magnitude does not exceed, with every leaf at least 1.
using Magnitude = std::map<Monomial, double>;

constexpr double room = 0x1p62;
// A derived value that is never larger is as good as a number: min(N, 1024).
constexpr std::int64_t small = 1 << 16;

Magnitude sum(Magnitude a, const Magnitude& b) {
  for (const auto& [monomial, coefficient] : b) a[monomial] += coefficient;
  return a;
}

Magnitude product(const Magnitude& a, const Magnitude& b) {
  Magnitude result;
  for (const auto& [left, x] : a)
    for (const auto& [right, y] : b) {
      Monomial both;
      std::ranges::merge(left, right, std::back_inserter(both));
      result[std::move(both)] += x * y;
    }
  return result;
}

Magnitude scaled(Magnitude a, double factor) {
  for (auto& [monomial, coefficient] : a) coefficient *= factor;
  return a;
}

class Gatherer {
 public:
  Gatherer(const Program& program, const Plan& plan, const Symbols& symbols) : symbols_(symbols) {
    find_given(program.body);
    for (TensorId t = 0; t < program.tensors.size(); ++t)
      if (!given_.contains(t)) need(program.tensors[t]);
    for (const ProgramInput& input : program.inputs)
      for (const Polynomial& declared : input.declared) need(declared);
    for (const CacheEntry& entry : program.caches)
      for (const Polynomial& extent : entry.extents) need(extent);
    need(program.body);
    Magnitude arenas;
    for (const auto& [block, block_plan] : plan.blocks)
      for (const Segment& segment : block_plan.segments)
        for (const Slot& slot : segment.slots)
          for (const Polynomial& bytes : slot.bytes) arenas = sum(std::move(arenas), of(bytes));
    need(arenas);
  }

  std::vector<SizeBound> bounds() const {
    // A sum of so many products fits where each is less than its share of the room.
    std::vector<SizeBound> open;
    for (const auto& [monomial, coefficient] : largest_) {
      const SizeBound bound{coefficient * static_cast<double>(most_terms_), monomial};
      if (reach(bound) >= room) open.push_back(bound);
    }
    std::vector<SizeBound> kept;
    for (const SizeBound& bound : open) {
      const auto implies = [&](const SizeBound& other) {
        if (&other == &bound || other.coefficient < bound.coefficient) return false;
        return other.lengths.size() > bound.lengths.size() && std::ranges::includes(other.lengths, bound.lengths);
      };
      if (std::ranges::none_of(open, implies)) kept.push_back(bound);
    }
    return kept;
  }

 private:
  // ---- How large a value can be ----

  Magnitude of(const Polynomial& p) {
    Magnitude result;
    if (p.constant_term() != 0) result[{}] = std::fabs(static_cast<double>(p.constant_term()));
    for (const Polynomial::Term& term : p.terms()) {
      Magnitude factors{{{}, std::fabs(static_cast<double>(term.coefficient))}};
      for (const SymbolId id : term.monomial) factors = product(factors, of(id));
      result = sum(std::move(result), factors);
    }
    return result;
  }

  const Magnitude& of(SymbolId id) {
    if (const auto found = known_.find(id); found != known_.end()) return found->second;
    Magnitude magnitude = computed(id);
    return known_.emplace(id, std::move(magnitude)).first->second;
  }

  Magnitude computed(SymbolId id) {
    const Symbol& symbol = symbols_[id];
    if (symbol.origin != Symbol::Origin::derived) return {{{id}, 1}};
    if (symbol.range.low >= -small && symbol.range.high <= small)
      return {{{}, static_cast<double>(std::max({-symbol.range.low, symbol.range.high, std::int64_t{1}}))}};
    const Polynomial &a = symbol.a, &b = symbol.b, &c = symbol.c;
    switch (symbol.derivation) {
      case Derivation::floor_div: case Derivation::ceil_div: case Derivation::truncated_div: {
        const auto divisor = b.constant();
        return divisor ? sum(scaled(of(a), 1 / std::fabs(static_cast<double>(*divisor))), {{{}, 1}}) : of(a);
      }
      case Derivation::floor_mod: return of(b);
      case Derivation::wrap32: return of(a);
      case Derivation::half: return scaled(of(a), 2);
      case Derivation::select: return sum(of(b), of(c));
      case Derivation::compare_ge: case Derivation::compare_eq: return {{{}, 1}};
      case Derivation::min:
        if (symbols_.range(a).low >= 0 && symbols_.range(b).low >= 0) return of(a);
        [[fallthrough]];
      case Derivation::max: case Derivation::from_end: return sum(of(a), of(b));
    }
    return {};
  }

  // ---- What is computed ----

  // What a branch or a loop leaves is a tensor made within it, where its size was tested.
  void find_given(const Block& block) {
    visit_steps(block, [&](const Step& step) {
      if (const auto* branch = std::get_if<BranchStep>(&step.what)) given_.insert(branch->outputs.begin(), branch->outputs.end());
      if (const auto* loop = std::get_if<LoopStep>(&step.what))
        for (const LoopStep::Carried& c : loop->carried) given_.insert({c.in, c.final});
    });
  }

  void need(const Magnitude& magnitude) {
    most_terms_ = std::max(most_terms_, magnitude.size());
    for (const auto& [monomial, coefficient] : magnitude) {
      double& largest = largest_[monomial];
      largest = std::max(largest, coefficient);
    }
  }

  void need(const Polynomial& p) {
    if (p.is_constant() || p.overflowed()) return;
    need(of(p));
    for (const SymbolId id : symbols_.closure(p)) {
      if (symbols_[id].origin != Symbol::Origin::derived || !seen_.insert(id).second) continue;
      for (const Polynomial* operand : {&symbols_[id].a, &symbols_[id].b, &symbols_[id].c})
        if (!operand->is_constant()) need(of(*operand));
    }
  }

  void need(const std::vector<Polynomial>& list) {
    for (const Polynomial& p : list) need(p);
  }

  void need(const VirtualTensor& tensor) {
    Magnitude bytes{{{}, static_cast<double>(element_bytes(tensor.dtype))}};
    for (const Axis& axis : tensor.axes) {
      const Polynomial extent = symbols_.simplify(axis.extent());
      if (extent.overflowed()) return;
      need(extent);
      bytes = extent.is(0) ? bytes : product(bytes, of(extent));
    }
    need(bytes);
    if (tensor.known)
      for (const Scalar& element : tensor.known->elements)
        if (const auto* p = std::get_if<Polynomial>(&element)) need(*p);
  }

  void need(const Argument& argument) {
    if (const auto* p = std::get_if<Polynomial>(&argument)) need(*p);
    if (const auto* list = std::get_if<ExtentList>(&argument)) need(list->values);
    if (const auto* aggregate = std::get_if<Aggregate>(&argument)) need(aggregate->values);
  }

  void need(const Block& block) {
    need(block.symbol_values);
    for (const Step& step : block.steps) {
      if (const auto* call = std::get_if<Call>(&step.what)) {
        for (const Argument& argument : call->arguments) need(argument);
        for (const OperandRef& operand : call->inputs)
          if (const auto* scalar = std::get_if<ScalarOperand>(&operand))
            if (const auto* p = std::get_if<Polynomial>(&scalar->value)) need(*p);
      } else if (const auto* view = std::get_if<ViewStep>(&step.what)) {
        need(view->extents);
        need(view->starts);
        need(view->steps);
      } else if (const auto* check = std::get_if<CheckStep>(&step.what)) {
        for (const Condition& condition : check->conditions) need(condition.slack);
      } else if (const auto* branch = std::get_if<BranchStep>(&step.what)) {
        need(*branch->then);
        need(*branch->otherwise);
      } else if (const auto* loop = std::get_if<LoopStep>(&step.what)) {
        if (loop->trips) need(*loop->trips);
        need(*loop->body);
      }
    }
  }

  double reach(const SizeBound& bound) const {
    double value = bound.coefficient;
    for (const SymbolId id : bound.lengths) {
      const Range range = symbols_[id].range;
      value *= std::max({1.0, std::fabs(static_cast<double>(range.low)), std::fabs(static_cast<double>(range.high))});
    }
    return value;
  }

  const Symbols& symbols_;
  std::map<SymbolId, Magnitude> known_;
  std::unordered_set<SymbolId> seen_;
  std::unordered_set<TensorId> given_;
  Magnitude largest_;
  std::size_t most_terms_ = 1;
};

}  // namespace

std::vector<SizeBound> size_bounds(const Program& program, const Plan& plan, const Symbols& symbols) {
  return Gatherer(program, plan, symbols).bounds();
}

}  // namespace loam
