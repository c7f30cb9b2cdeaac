// Steps that hold blocks of their own: branches and loops.
#include <fmt/format.h>

#include "compiler/emit/writer.hpp"

namespace loam {

void ModuleWriter::render_branch(const BranchStep& branch, const std::string& site, int depth, std::string& out) {
  for (const TensorId t : branch.outputs) {
    out += fmt::format("{}{} {};\n", indent(depth), tensor_type(tensor(t), "loam::Value<Backend, "), name(t));
    declared_.insert(t);
  }
  for (const Polynomial& p : branch.symbols)
    if (const auto id = p.as_symbol()) out += fmt::format("{}[[maybe_unused]] std::int64_t {} = 0;\n", indent(depth), symbol_name(*id));
  const auto side = [&](const Block& block) {
    const auto defined = defined_;
    const auto declared = declared_;
    render_block(block, depth + 1, out);
    for (std::size_t k = 0; k < branch.outputs.size(); ++k) {
      std::string value = operand(block.outputs[k], depth + 1, out);
      const VirtualTensor& from = tensor(block.outputs[k]);
      const VirtualTensor& to = tensor(branch.outputs[k]);
      if (axis_list(from.axes) != axis_list(to.axes))
        value = fmt::format("loam::relabel<loam::List<{}>{}>({})", axis_list(from.axes, ""), axis_list(to.axes), value);
      out += fmt::format("{}{} = {};\n", indent(depth + 1), name(branch.outputs[k]), value);
    }
    for (std::size_t k = 0; k < branch.symbols.size(); ++k) {
      define_symbols(block.symbol_values[k], depth + 1, out);
      if (const auto id = branch.symbols[k].as_symbol())
        out += fmt::format("{}{} = {};\n", indent(depth + 1), symbol_name(*id), text(block.symbol_values[k]));
    }
    defined_ = defined;  // what a block declares is not seen outside it
    declared_ = declared;
  };
  const std::string condition = operand(branch.condition, depth, out);
  out += fmt::format("{}if (b.read({})) {{\n", indent(depth), condition);
  side(*branch.then);
  out += indent(depth) + "} else {\n";
  side(*branch.otherwise);
  out += indent(depth) + "}\n";
  for (std::size_t k = 0; k < branch.symbols.size(); ++k) {
    const auto id = branch.symbols[k].as_symbol();
    if (!id) continue;
    defined_.insert(*id);
    // Each branch's length lies in the symbol's range by what it is made of, where that range was taken from them.
    const auto within = [&](const Block& block) {
      const Range given = symbols_.range(block.symbol_values[k]), range = symbols_[*id].range;
      return range.low <= given.low && given.high <= range.high;
    };
    if (within(*branch.then) && within(*branch.otherwise)) check_sizes(depth, out);
    else check_length(*id, site, depth, out);
  }
}

void ModuleWriter::render_loop(const LoopStep& loop, const std::string& site, int depth, std::string& out) {
  loops_ = true;
  const int segment = input_.plan.loops.at(&loop);
  const auto relabelled = [&](TensorId t, TensorId like, int at) {
    std::string value = operand(t, at, out);
    if (axis_list(tensor(t).axes) != axis_list(tensor(like).axes))
      value = fmt::format("loam::relabel<loam::List<{}>{}>({})", axis_list(tensor(t).axes, ""), axis_list(tensor(like).axes), value);
    return value;
  };
  for (const LoopStep::Carried& c : loop.carried) {
    const std::string value = relabelled(c.initial, c.in, depth);
    out += fmt::format("{}{} {} = {};\n", indent(depth), tensor_type(tensor(c.in), "loam::Value<Backend, "), name(c.in), value);
    declared_.insert(c.in);
  }
  for (const TensorId t : loop.joined) declare(t, depth, out);
  std::vector<std::string> gathered;
  for (const LoopStep::Gathered& g : loop.gathered) {
    gathered.push_back(locals_.mint(tensor(g.out).name + "_turns"));
    out += fmt::format("{}loam::Gathered<Backend, {}> {};\n", indent(depth), dtype_cpp(tensor(g.out).dtype), gathered.back());
  }
  const SymbolId turn_id = *loop.turn.as_symbol();
  const std::string turn = symbol_name(turn_id);
  defined_.insert(turn_id);
  std::string goes, limit;
  if (loop.condition != no_tensor || loop.go_on != no_tensor) {
    goes = locals_.mint("goes_on");
    const std::string first = loop.condition != no_tensor ? fmt::format("b.read({})", operand(loop.condition, depth, out)) : "true";
    out += fmt::format("{}bool {} = {};\n", indent(depth), goes, first);
  }
  if (loop.trips) {
    define_symbols(*loop.trips, depth, out);
    limit = text(*loop.trips);
  } else if (loop.trip_tensor != no_tensor) {
    limit = locals_.mint("trips");
    const std::string count = operand(loop.trip_tensor, depth, out);
    out += fmt::format("{}const std::int64_t {} = b.read({});\n", indent(depth), limit, count);
  }
  out += fmt::format("{}std::int64_t {} = 0;\n{}for (; {}{}{}; ++{}) {{\n", indent(depth), turn, indent(depth),
                     limit.empty() ? "" : turn + " < " + limit, limit.empty() || goes.empty() ? "" : " && ",
                     limit.empty() && goes.empty() ? "true" : goes, turn);
  const auto defined = defined_;
  const auto declared = declared_;
  for (const LoopStep::Length& l : loop.turn_lengths) {
    const SymbolId id = *l.symbol.as_symbol();
    if (!defined_.insert(id).second) continue;
    out += fmt::format("{}const std::int64_t {} = {}.extent({});\n", indent(depth + 1), symbol_name(id), name(loop.carried[l.carried].in), l.axis);
    check_length(id, site, depth + 1, out);
  }
  render_block(*loop.body, depth + 1, out);
  for (std::size_t k = 0; k < gathered.size(); ++k) {
    const std::string part = operand(loop.gathered[k].part, depth + 1, out);
    out += fmt::format("{}if (!{}.push(b, {}, {}.operand())) return loam::out_of_memory(0);\n", indent(depth + 1), gathered[k],
                       segment + 2 * static_cast<int>(loop.carried.size() + k), part);
  }
  if (loop.go_on != no_tensor) {
    const std::string next = operand(loop.go_on, depth + 1, out);
    out += fmt::format("{}{} = b.read({});\n", indent(depth + 1), goes, next);
  }
  // Every value is made before any is kept: one may be another's of the turn before.
  std::vector<std::string> made;
  for (const LoopStep::Carried& c : loop.carried) {
    const std::string value = relabelled(c.out, c.in, depth + 1);
    made.push_back(locals_.mint(tensor(c.in).name + "_next"));
    out += fmt::format("{}const {} {} = {};\n", indent(depth + 1), tensor_type(tensor(c.in), "loam::Value<Backend, "), made.back(), value);
  }
  for (std::size_t k = 0; k < loop.carried.size(); ++k)
    out += fmt::format("{}if (!loam::keep(b, {} + static_cast<int>({} % 2), {}, {})) return loam::out_of_memory(0);\n", indent(depth + 1),
                       segment + 2 * static_cast<int>(k), turn, made[k], name(loop.carried[k].in));
  out += indent(depth) + "}\n";
  defined_ = defined;
  declared_ = declared;
  if (loop.count) {
    const SymbolId id = *loop.count->as_symbol();
    out += fmt::format("{}const std::int64_t {} = {};\n", indent(depth), symbol_name(id), turn);
    defined_.insert(id);
    check_length(id, site, depth, out);
    for (const LoopStep::Gathered& g : loop.gathered)  // each joined output's count is the same number of turns
      if (const auto other = symbols_.simplify(tensor(g.out).axes[0].extent()).as_symbol(); other && defined_.insert(*other).second)
        out += fmt::format("{}const std::int64_t {} = {};\n", indent(depth), symbol_name(*other), turn);
  }
  for (const LoopStep::Length& l : loop.part_lengths) {
    const SymbolId id = *l.symbol.as_symbol();
    if (!defined_.insert(id).second) continue;
    out += fmt::format("{}const std::int64_t {} = {}.part_extent({});\n", indent(depth), symbol_name(id), gathered[l.carried], l.axis);
    check_length(id, site, depth, out);
  }
  for (const LoopStep::Length& l : loop.final_lengths) {
    const SymbolId id = *l.symbol.as_symbol();
    if (!defined_.insert(id).second) continue;
    out += fmt::format("{}const std::int64_t {} = {}.extent({});\n", indent(depth), symbol_name(id), name(loop.carried[l.carried].in), l.axis);
    check_length(id, site, depth, out);
  }
  for (const LoopStep::Carried& c : loop.carried) {
    if (c.final == no_tensor) continue;
    const std::string value = relabelled(c.in, c.final, depth);
    out += fmt::format("{}const auto {} = {};\n", indent(depth), name(c.final), value);
    declared_.insert(c.final);
  }
  for (std::size_t k = 0; k < gathered.size(); ++k) {
    const VirtualTensor& to = tensor(loop.gathered[k].out);
    const std::string extents = extent_list(extents_of(to), depth, out);
    out += fmt::format("{}const auto {} = {}.template value<{}>(b, {}, {});\n", indent(depth), name(loop.gathered[k].out), gathered[k],
                       axis_list(to.axes, ""), segment + 2 * static_cast<int>(loop.carried.size() + k), extents);
    declared_.insert(loop.gathered[k].out);
  }
}

}  // namespace loam
