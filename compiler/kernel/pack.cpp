#include "compiler/kernel/pack.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "compiler/shape/prover.hpp"

namespace loam {

namespace {

// Where neighbours in an arena begin, as Arena::take and a vector's loads like it.
constexpr std::int64_t alignment = 64;

bool is_aligned(const Polynomial& p) {
  return p.constant_term() % alignment == 0 && p.content() % alignment == 0;
}

class Packer {
 public:
  Packer(std::vector<Piece>& pieces, const Symbols& symbols) : pieces_(pieces), symbols_(symbols) {}

  // Large pieces first, or those that live longest, into the first slot with room or the last, or where a slot grows least:
  // no order is the best of every program, so the one that takes least is kept.
  std::vector<Slot> run() {
    std::vector<std::size_t> order(pieces_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::vector<double> size, life;
    for (const Piece& piece : pieces_) {
      size.push_back(typical(symbols_, piece.bytes));
      life.push_back(static_cast<double>(piece.end - piece.begin + 1));
    }
    const auto by = [&](bool last_first, const auto& key, bool grows = false) {
      last_slot_first_ = last_first;
      slots_grow_ = grows;
      std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return key(a) != key(b) ? key(a) > key(b) : a < b; });
      slots_.clear();
      held_.clear();
      for (const std::size_t i : order) put(i);
      return Packed{slots_, pieces_, total()};
    };
    const auto large = [&](std::size_t i) { return std::pair(size[i], life[i]); };
    const auto both = [&](std::size_t i) { return size[i] * life[i]; };
    const auto long_lived = [&](std::size_t i) { return std::pair(life[i], size[i]); };
    const Packed attempts[] = {by(false, large), by(true, large), by(false, both), by(true, both), by(false, long_lived),
                                 by(false, large, true), by(false, both, true), by(false, long_lived, true)};
    const Packed& best = *std::ranges::min_element(attempts, {}, &Packed::bytes);
    pieces_ = best.pieces;
    return best.slots;
  }

 private:
  struct Place {
    std::size_t slot;
    Polynomial start;
    double growth;
  };
  struct Packed {
    std::vector<Slot> slots;
    std::vector<Piece> pieces;
    double bytes;
  };

  double total() const {
    double sum = 0;
    for (const Slot& slot : slots_) {
      double most = 0;
      for (const Polynomial& bytes : slot.bytes) most = std::max(most, typical(symbols_, bytes));
      sum += most;
    }
    return sum;
  }

  void put(std::size_t i) {
    Piece& piece = pieces_[i];
    const auto in_order = [&](std::size_t k) { return last_slot_first_ ? slots_.size() - 1 - k : k; };
    for (std::size_t k = 0; k < slots_.size(); ++k)
      if (const auto offset = room(in_order(k), piece)) return lies(i, in_order(k), *offset);
    // A slot that nothing holds meanwhile becomes as large as either.
    constexpr std::size_t most_sizes = 4;
    for (std::size_t k = 0; k < slots_.size(); ++k) {
      const std::size_t s = in_order(k);
      if (slots_[s].bytes.size() == most_sizes || !meanwhile(s, piece).empty()) continue;
      slots_[s].bytes.push_back(piece.bytes);
      return lies(i, s, 0);
    }
    if (slots_grow_ && grow(i)) return;
    slots_.push_back({{piece.bytes}});
    held_.emplace_back();
    lies(i, slots_.size() - 1, 0);
  }

  // Puts the piece where a slot of one size grows by the least.
  bool grow(std::size_t i) {
    std::optional<Place> least;
    for (std::size_t s = 0; s < slots_.size(); ++s) {
      if (slots_[s].bytes.size() > 1) continue;
      const std::vector<const Piece*> others = meanwhile(s, pieces_[i]);
      for (const Polynomial& start : starts_beside(others)) {
        const Polynomial more = start + pieces_[i].bytes - slots_[s].bytes[0];
        const double growth = typical(symbols_, more);
        if (least && growth >= least->growth) continue;
        if (is_aligned(start) && holds(more) && is_apart(start, pieces_[i], others)) least = {s, start, growth};
      }
    }
    if (!least || least->growth >= typical(symbols_, pieces_[i].bytes)) return false;
    slots_[least->slot].bytes[0] = least->start + pieces_[i].bytes;
    lies(i, least->slot, least->start);
    return true;
  }

  void lies(std::size_t i, std::size_t slot, Polynomial offset) {
    pieces_[i].slot = static_cast<int>(slot);
    pieces_[i].offset = std::move(offset);
    held_[slot].push_back(i);
  }

  // The pieces of a slot that live while this one does.
  std::vector<const Piece*> meanwhile(std::size_t slot, const Piece& piece) const {
    std::vector<const Piece*> others;
    for (const std::size_t k : held_[slot])
      if (pieces_[k].begin <= piece.end && piece.begin <= pieces_[k].end) others.push_back(&pieces_[k]);
    return others;
  }

  static std::vector<Polynomial> starts_beside(const std::vector<const Piece*>& others) {
    std::vector<Polynomial> starts{0};
    for (const Piece* other : others) starts.push_back(other->offset + other->bytes);
    return starts;
  }

  bool is_apart(const Polynomial& start, const Piece& piece, const std::vector<const Piece*>& others) {
    const Polynomial end = start + piece.bytes;
    return std::ranges::all_of(others, [&](const Piece* other) {
      return holds(start - (other->offset + other->bytes)) || holds(other->offset - end);
    });
  }

  std::optional<Polynomial> room(std::size_t slot, const Piece& piece) {
    const std::vector<const Piece*> others = meanwhile(slot, piece);
    for (const Polynomial& start : starts_beside(others)) {
      const Polynomial end = start + piece.bytes;
      if (!is_aligned(start)) continue;
      if (!std::ranges::any_of(slots_[slot].bytes, [&](const Polynomial& bytes) { return holds(bytes - end); })) continue;
      if (is_apart(start, piece, others)) return start;
    }
    return std::nullopt;
  }

  // Whether it is never negative; few differences are different.
  bool holds(const Polynomial& difference) {
    if (const auto number = difference.constant()) return *number >= 0;
    constexpr int budget = 8;  // a near miss costs memory, not correctness
    const auto [it, is_new] = proved_.try_emplace(difference, false);
    if (is_new) it->second = proved_nonnegative(symbols_, difference, {}, budget);
    return it->second;
  }

  std::vector<Piece>& pieces_;
  const Symbols& symbols_;
  std::vector<Slot> slots_;
  std::vector<std::vector<std::size_t>> held_;
  std::map<Polynomial, bool> proved_;
  bool last_slot_first_ = false, slots_grow_ = false;
};

}  // namespace

std::vector<Slot> pack(std::vector<Piece>& pieces, const Symbols& symbols) { return Packer(pieces, symbols).run(); }

double typical(const Symbols& symbols, const Polynomial& size) {
  const auto length = [&](SymbolId id) { return std::clamp<std::int64_t>(100, symbols[id].range.low, symbols[id].range.high); };
  const auto value = symbols.evaluate(size, length);
  return value ? static_cast<double>(*value) : 0x1p63;
}

}  // namespace loam
