// Axes have identities before they have names: the atoms of stage 0 and how operators make them one.
//
// An axis of a tensor is a list of parts, each an atom and its extent in this tensor: one part is the common case,
// several are a merge of adjacent axes. Operators state which axes are one (`unify`); names are given to whole classes
// of atoms when all is said, so the order in which the graph reveals them does not matter. An atom that a regrouping
// splits is bound to the sequence of its parts, everywhere it occurs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/shape/polynomial.hpp"

namespace loam {

using AtomId = std::uint32_t;

struct Part {
  AtomId atom;
  Polynomial extent;
};

struct Axis {
  std::vector<Part> parts;  // never empty; an axis of one element has one part of extent 1

  Polynomial extent() const {
    if (parts.size() == 1) return parts[0].extent;
    Polynomial product = 1;
    for (const Part& part : parts) product = product * part.extent;
    return product;
  }
  bool unit() const { return extent().is(1); }
};

class AxisTable {
 public:
  // A new identity; `origin` says where it came from, for messages: "axis 1 of wte.weight".
  AtomId fresh(std::string origin);
  Axis fresh_axis(Polynomial extent, std::string origin) { return {{{fresh(std::move(origin)), std::move(extent)}}}; }

  // A layout rule's name for the whole axis: one word a part, so a merge has several. Names are checked in `names`.
  void name(const Axis& axis, std::vector<std::string> words, std::string tensor);
  // A dim_param's name for it, taken where no rule names its class.
  void propose(const Axis& axis, const std::string& word);

  // The axis with every bound atom replaced by its parts and every atom by its class's representative. A bound atom
  // that occurs at an extent its parts do not divide stays as it is.
  Axis resolve(const Axis& axis) const;

  // Makes two axes of equal extent one. False where no regrouping of their parts does it, and nothing has changed then.
  // `reason` is the node that says so.
  bool unify(const Axis& a, const Axis& b, std::uint32_t reason);

  // Parts an axis list gives in order under new extents: the regrouping of a Reshape. Each output extent takes the run
  // of parts whose product it is, splitting a part where that is exact. An output axis no run makes up is std::nullopt.
  std::vector<std::optional<Axis>> regroup(const std::vector<Axis>& from, const std::vector<Polynomial>& to,
                                           const std::string& origin, std::uint32_t reason);

  // What to call an axis in a message before all names are settled: its rule's or dim_param's word, else nullopt.
  std::optional<std::string> hint(const Axis& axis) const;

  struct Conflict {
    std::string first, first_tensor;    // a name and the tensor whose rule gave it
    std::string second, second_tensor;
    std::vector<std::uint32_t> chain;   // the nodes that made them one, from first to second
  };
  // Settles names from rules and proposals. Call once, after the last unify; then `spelled` answers.
  std::vector<Conflict> settle();
  // The names of an axis's parts, outermost first; an empty word where its class has none.
  std::vector<std::string> spelled(const Axis& axis) const;
  // The class of each part, to report an unnamed class once; and a name given to a class after settle.
  std::vector<AtomId> classes(const Axis& axis) const;
  void give_name(AtomId representative, std::string word);
  const std::string& origin(AtomId atom) const { return atoms_[atom].origin; }
  std::size_t size() const { return atoms_.size(); }

 private:
  struct Atom {
    AtomId parent;                                 // union-find
    std::vector<Part> bound;                       // of a representative: the parts it was split into; empty: none
    std::vector<std::pair<std::string, std::string>> rules;  // of a representative: names given, and by whom
    std::vector<AtomId> rule_atoms;                // the atom each rule named, for chains
    std::string proposal;
    std::string name;
    std::string origin;
  };
  struct Rule {
    Axis axis;
    std::vector<std::string> words;
    std::string tensor;
  };
  struct Edge {
    AtomId to;
    std::uint32_t reason;
  };

  AtomId find(AtomId atom) const;
  void join(AtomId a, AtomId b, std::uint32_t reason);
  bool bind(AtomId atom, std::vector<Part> parts, std::uint32_t reason);
  void append_resolved(const Part& part, std::vector<Part>& out, int depth) const;
  void append_classes(AtomId atom, std::vector<AtomId>& out, int depth) const;
  bool align(std::vector<Part> a, std::vector<Part> b, std::uint32_t reason, bool dry);
  std::vector<std::uint32_t> chain(AtomId from, AtomId to) const;

  mutable std::vector<Atom> atoms_;                // find compresses paths
  std::vector<std::vector<Edge>> edges_;           // what was unified with what, and why
  std::vector<Rule> rules_;
};

}  // namespace loam
