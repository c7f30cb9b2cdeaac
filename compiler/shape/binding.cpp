#include "compiler/shape/binding.hpp"

#include <algorithm>
#include <optional>
#include <set>

namespace loam {
namespace {

class Binder {
 public:
  Binder(const Symbols& symbols, std::span<const Polynomial> axes) : symbols_(symbols), axes_(axes) {
    for (const Polynomial& axis : axes) {
      const std::vector<SymbolId> leaves = symbols.leaves(axis);
      open_.insert(leaves.begin(), leaves.end());
    }
  }

  Bindings bind() {
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
      const auto alone = axes_[axis].as_symbol();
      if (alone && open_.contains(*alone)) take({*alone, axis, 1, 0});
    }
    // Each one bound may leave an earlier axis with a single unknown, so the search starts over.
    while (!open_.empty()) {
      const auto next = first_linear();
      if (!next) break;
      take(*next);
    }
    check();
    result_.unbound.assign(open_.begin(), open_.end());
    return std::move(result_);
  }

 private:
  std::optional<Binding> first_linear() const {
    std::optional<Binding> over_symbols;
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
      const auto binding = solved(axis);
      if (!binding) continue;
      if (binding->coefficient.is_constant()) return binding;
      if (!over_symbols) over_symbols = binding;
    }
    return over_symbols;
  }

  // The axis solved for the one open symbol it mentions, if it can be.
  std::optional<Binding> solved(std::size_t axis) const {
    std::optional<SymbolId> unknown;
    for (const SymbolId id : symbols_.leaves(axes_[axis])) {
      if (!open_.contains(id)) continue;
      if (unknown) return std::nullopt;
      unknown = id;
    }
    if (!unknown || symbols_[*unknown].origin != Symbol::Origin::input) return std::nullopt;
    const auto linear = axes_[axis].linear_in(*unknown);
    if (!linear || linear->coefficient.is(0)) return std::nullopt;
    const auto mentions = [&](const Polynomial& p) { return std::ranges::binary_search(symbols_.leaves(p), *unknown); };
    if (mentions(linear->coefficient) || mentions(linear->rest)) return std::nullopt;  // within a derived symbol
    return Binding{*unknown, axis, linear->coefficient, linear->rest};
  }

  void take(const Binding& binding) {
    open_.erase(binding.symbol);
    // A division need not be exact, and only a coefficient of 1 or -1 divides everything.
    if (binding.coefficient.is(1) || binding.coefficient.is(-1)) satisfied_.insert(binding.axis);
    const bool length = binding.rest.is(0) && symbols_.range(binding.coefficient).low >= 0;
    if (!length) result_.nonnegative.push_back(binding.symbol);
    result_.bound.push_back(binding);
  }

  void check() {
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
      const auto open = [&](SymbolId id) { return open_.contains(id); };
      if (satisfied_.contains(axis) || std::ranges::any_of(symbols_.leaves(axes_[axis]), open)) continue;
      result_.checks.push_back({axis, axes_[axis]});
    }
  }

  const Symbols& symbols_;
  std::span<const Polynomial> axes_;
  std::set<SymbolId> open_;
  std::set<std::size_t> satisfied_;
  Bindings result_;
};

}  // namespace

Bindings bind_symbols(const Symbols& symbols, std::span<const Polynomial> axes) { return Binder(symbols, axes).bind(); }

}  // namespace loam
