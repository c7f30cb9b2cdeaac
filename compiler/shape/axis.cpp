#include "compiler/shape/axis.hpp"

#include <algorithm>
#include <deque>

namespace loam {

namespace {

// Parts that hold more than one element: a unit takes no share in a regrouping.
std::vector<Part> without_units(std::vector<Part> parts) {
  std::erase_if(parts, [](const Part& p) { return p.extent.is(1); });
  return parts;
}

// A bound atom inside a bound atom: real graphs nest a few deep; the cap only stops a cycle that a bug would make.
constexpr int deepest_binding = 64;

}  // namespace

AtomId AxisTable::fresh(std::string origin) {
  const auto id = static_cast<AtomId>(atoms_.size());
  atoms_.push_back({.parent = id, .bound = {}, .rules = {}, .rule_atoms = {}, .proposal = {}, .name = {}, .origin = std::move(origin)});
  edges_.emplace_back();
  return id;
}

AtomId AxisTable::find(AtomId atom) const {
  while (atoms_[atom].parent != atom) {
    atoms_[atom].parent = atoms_[atoms_[atom].parent].parent;
    atom = atoms_[atom].parent;
  }
  return atom;
}

void AxisTable::name(const Axis& axis, std::vector<std::string> words, std::string tensor) {
  if (axis.parts.size() == 1 && words.size() == 1 && atoms_[find(axis.parts[0].atom)].proposal.empty() &&
      atoms_[find(axis.parts[0].atom)].name.empty())
    atoms_[find(axis.parts[0].atom)].name = words[0];  // a hint until settle
  rules_.push_back({axis, std::move(words), std::move(tensor)});
}

void AxisTable::propose(const Axis& axis, const std::string& word) {
  if (axis.parts.size() != 1) return;
  std::string& proposal = atoms_[find(axis.parts[0].atom)].proposal;
  if (proposal.empty()) proposal = word;
}

void AxisTable::append_resolved(const Part& part, std::vector<Part>& out, int depth) const {
  const AtomId root = find(part.atom);
  const std::vector<Part>& bound = atoms_[root].bound;
  if (bound.empty() || depth > deepest_binding || part.extent.is(1)) {
    out.push_back({root, part.extent});
    return;
  }
  Polynomial product = 1;
  for (const Part& p : bound) product = product * p.extent;
  if (product == part.extent) {
    for (const Part& p : bound) append_resolved(p, out, depth + 1);
    return;
  }
  // This tensor carries the axis at another length: the difference must be all in one part.
  for (std::size_t i = 0; i < bound.size(); ++i) {
    Polynomial rest = 1;
    for (std::size_t j = 0; j < bound.size(); ++j)
      if (j != i) rest = rest * bound[j].extent;
    if (const auto share = part.extent.divided_by(rest)) {
      for (std::size_t j = 0; j < bound.size(); ++j)
        append_resolved(j == i ? Part{bound[j].atom, *share} : bound[j], out, depth + 1);
      return;
    }
  }
  out.push_back({root, part.extent});
}

Axis AxisTable::resolve(const Axis& axis) const {
  Axis result;
  for (const Part& part : axis.parts) append_resolved(part, result.parts, 0);
  return result;
}

void AxisTable::join(AtomId a, AtomId b, std::uint32_t reason) {
  edges_[a].push_back({b, reason});
  edges_[b].push_back({a, reason});
  AtomId ra = find(a), rb = find(b);
  if (ra == rb) return;
  if (rb < ra) std::swap(ra, rb);  // the earlier identity represents: its origin reads best in messages
  Atom& keep = atoms_[ra];
  Atom& gone = atoms_[rb];
  gone.parent = ra;
  if (keep.proposal.empty()) keep.proposal = std::move(gone.proposal);
  if (keep.name.empty()) keep.name = std::move(gone.name);
  if (keep.bound.empty()) {
    keep.bound = std::move(gone.bound);
  } else if (!gone.bound.empty()) {
    align(keep.bound, gone.bound, reason, false);
  }
}

bool AxisTable::bind(AtomId atom, std::vector<Part> parts, std::uint32_t reason) {
  const AtomId root = find(atom);
  for (const Part& p : parts) {
    std::vector<AtomId> inner;
    append_classes(p.atom, inner, 0);
    if (std::ranges::find(inner, root) != inner.end()) return false;  // an axis is no part of itself
  }
  for (const Part& p : parts) {
    edges_[root].push_back({p.atom, reason});
    edges_[p.atom].push_back({root, reason});
  }
  atoms_[root].bound = std::move(parts);
  return true;
}

bool AxisTable::align(std::vector<Part> a, std::vector<Part> b, std::uint32_t reason, bool dry) {
  a = without_units(resolve({std::move(a)}).parts);
  b = without_units(resolve({std::move(b)}).parts);
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    const AtomId ra = find(a[i].atom), rb = find(b[j].atom);
    const bool last = a.size() - i == 1 && b.size() - j == 1;
    // The last two have the extents that are left, equal or owed to be.
    if (ra == rb || last || a[i].extent == b[j].extent) {
      if (!dry && ra != rb) join(ra, rb, reason);
      ++i, ++j;
      continue;
    }
    // One side's part is a run of the other's.
    const bool left_whole = a[i].extent.divided_by(b[j].extent).has_value();
    auto& whole = left_whole ? a : b;
    auto& pieces = left_whole ? b : a;
    std::size_t& w = left_whole ? i : j;
    std::size_t& p = left_whole ? j : i;
    std::vector<Part> run;
    Polynomial product = 1;
    while (p < pieces.size() && !(product == whole[w].extent)) {
      const Polynomial next = product * pieces[p].extent;
      if (!whole[w].extent.divided_by(next)) break;
      product = next;
      run.push_back(pieces[p++]);
    }
    if (run.empty()) return false;
    if (product == whole[w].extent) {
      if (!dry && !bind(whole[w].atom, run, reason)) return false;
      ++w;
      continue;
    }
    // The whole ends inside the next piece, or the run is the start of a whole that another split divides.
    const auto rest = whole[w].extent.divided_by(product);
    if (!rest || p >= pieces.size()) return false;
    if (dry) return pieces[p].extent.divided_by(*rest).has_value() && pieces.size() - p <= whole.size() - w;
    const auto beyond = pieces[p].extent.divided_by(*rest);
    if (!beyond) return false;
    const Part inner{fresh("a part of " + atoms_[pieces[p].atom].origin), *rest};
    const Part outer{fresh("a part of " + atoms_[pieces[p].atom].origin), *beyond};
    if (!bind(pieces[p].atom, {inner, outer}, reason)) return false;
    run.push_back(inner);
    if (!bind(whole[w].atom, run, reason)) return false;
    pieces[p] = outer;
    ++w;
  }
  return i == a.size() && j == b.size();
}

bool AxisTable::unify(const Axis& a, const Axis& b, std::uint32_t reason) {
  if (!align(a.parts, b.parts, reason, true)) return false;
  return align(a.parts, b.parts, reason, false);
}

std::vector<std::optional<Axis>> AxisTable::regroup(const std::vector<Axis>& from, const std::vector<Polynomial>& to,
                                                    const std::string& origin, std::uint32_t reason) {
  std::vector<Part> parts;
  for (const Axis& axis : from)
    for (const Part& part : without_units(resolve(axis).parts)) parts.push_back(part);
  std::vector<std::optional<Axis>> result(to.size());
  std::size_t first = 0, end = parts.size();

  // Takes parts for one extent from the front; the back is the mirror image.
  const auto take = [&](const Polynomial& extent, bool front) -> std::optional<Axis> {
    std::vector<Part> run;
    Polynomial product = 1;
    std::size_t f = first, e = end;
    while (!(product == extent)) {
      if (f == e) return std::nullopt;
      Part& next = front ? parts[f] : parts[e - 1];
      if (extent.divided_by(product * next.extent)) {
        product = product * next.extent;
        front ? run.push_back(next) : static_cast<void>(run.insert(run.begin(), next));
        front ? ++f : --e;
        continue;
      }
      const auto need = extent.divided_by(product);
      const auto left = need ? next.extent.divided_by(*need) : std::nullopt;
      if (!left) return std::nullopt;
      const Part taken{fresh("a part of " + origin), *need};
      const Part kept{fresh("a part of " + origin), *left};
      if (!bind(next.atom, front ? std::vector{taken, kept} : std::vector{kept, taken}, reason)) return std::nullopt;
      front ? run.push_back(taken) : static_cast<void>(run.insert(run.begin(), taken));
      next = kept;
      product = extent;
    }
    first = f, end = e;
    return Axis{std::move(run)};
  };

  std::size_t i = 0, j = to.size();
  for (; i < to.size(); ++i) {
    if (to[i].is(1)) continue;
    if (!(result[i] = take(to[i], true))) break;
  }
  for (; j > i; --j) {
    if (to[j - 1].is(1)) continue;
    if (!(result[j - 1] = take(to[j - 1], false))) break;
  }
  return result;
}

std::optional<std::string> AxisTable::hint(const Axis& axis) const {
  std::string text;
  for (const Part& part : resolve(axis).parts) {
    const Atom& atom = atoms_[find(part.atom)];
    const std::string& word = atom.name.empty() ? atom.proposal : atom.name;
    if (word.empty()) return std::nullopt;
    text += (text.empty() ? "" : " ") + word;
  }
  return axis.parts.size() > 1 ? "(" + text + ")" : text;
}

void AxisTable::append_classes(AtomId atom, std::vector<AtomId>& out, int depth) const {
  const AtomId root = find(atom);
  if (atoms_[root].bound.empty() || depth > deepest_binding) {
    out.push_back(root);
    return;
  }
  for (const Part& p : atoms_[root].bound) append_classes(p.atom, out, depth + 1);
}

std::vector<AtomId> AxisTable::classes(const Axis& axis) const {
  std::vector<AtomId> out;
  for (const Part& part : axis.parts) {
    if (part.extent.is(1) && axis.parts.size() == 1) out.push_back(find(part.atom));  // a unit keeps its own identity
    else append_classes(part.atom, out, 0);
  }
  return out;
}

std::vector<std::string> AxisTable::spelled(const Axis& axis) const {
  std::vector<std::string> words;
  for (const AtomId atom : classes(axis)) words.push_back(atoms_[atom].name);
  return words;
}

void AxisTable::give_name(AtomId representative, std::string word) { atoms_[find(representative)].name = std::move(word); }

std::vector<std::uint32_t> AxisTable::chain(AtomId from, AtomId to) const {
  std::vector<std::pair<AtomId, std::uint32_t>> came(atoms_.size(), {~AtomId{0}, 0});
  std::deque<AtomId> queue{from};
  came[from] = {from, 0};
  while (!queue.empty() && came[to].first == ~AtomId{0}) {
    const AtomId at = queue.front();
    queue.pop_front();
    for (const Edge& edge : edges_[at])
      if (came[edge.to].first == ~AtomId{0}) {
        came[edge.to] = {at, edge.reason};
        queue.push_back(edge.to);
      }
  }
  std::vector<std::uint32_t> nodes;
  if (came[to].first == ~AtomId{0}) return nodes;
  for (AtomId at = to; at != from; at = came[at].first)
    if (nodes.empty() || nodes.back() != came[at].second) nodes.push_back(came[at].second);
  std::ranges::reverse(nodes);
  return nodes;
}

std::vector<AxisTable::Conflict> AxisTable::settle() {
  std::vector<Conflict> conflicts;
  for (Atom& atom : atoms_) atom.name.clear();
  for (const Rule& rule : rules_) {
    std::vector<AtomId> parts = classes(rule.axis);
    if (parts.size() == 1 && rule.words.size() > 1) {
      // The rule names parts that no regrouping took apart: the axis is their merge all the same.
      std::vector<Part> named;
      for (const std::string& word : rule.words) named.push_back({fresh("part " + word + " of " + rule.tensor), Polynomial::overflow()});
      atoms_[parts[0]].bound = named;
      parts.clear();
      for (const Part& p : named) parts.push_back(p.atom);
    }
    if (parts.size() != rule.words.size()) {
      std::string words;
      for (const std::string& word : rule.words) words += (words.empty() ? "" : " ") + word;
      conflicts.push_back({"(" + words + ")", rule.tensor, std::to_string(parts.size()) + " parts", "", {}});
      continue;
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (rule.words[i] == "_") continue;
      Atom& atom = atoms_[find(parts[i])];
      const AtomId named = rule.axis.parts.size() == parts.size() ? rule.axis.parts[i].atom : parts[i];
      atom.rules.emplace_back(rule.words[i], rule.tensor);
      atom.rule_atoms.push_back(named);
      if (atom.name.empty()) {
        atom.name = rule.words[i];
      } else if (atom.name != rule.words[i]) {
        const bool known = std::ranges::any_of(conflicts, [&](const Conflict& c) { return c.first == atom.name && c.second == rule.words[i]; });
        if (!known)
          conflicts.push_back({atom.name, atom.rules.front().second, rule.words[i], rule.tensor,
                               chain(atom.rule_atoms.front(), named)});
      }
    }
  }
  for (Atom& atom : atoms_)
    if (atom.name.empty()) atom.name = atom.proposal;
  return conflicts;
}

}  // namespace loam
