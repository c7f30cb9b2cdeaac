// The report as text for people and as JSON for tools.
#include "compiler/report.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "compiler/emit/report_data.hpp"
#include "compiler/kernel/measure.hpp"

namespace loam {

namespace {

using nlohmann::ordered_json;

std::string quantity(double n) {
  constexpr const char* units[] = {"", " k", " M", " G", " T", " P", " E"};
  std::size_t unit = 0;
  for (; n >= 1000 && unit + 1 < std::size(units); ++unit) n /= 1000;
  return fmt::format("{:.3g}{}", n, units[unit]);
}

// A polynomial as [constant, [coefficient, symbol, ...], ...].
ordered_json terms(const Polynomial& p) {
  ordered_json list{p.constant_term()};
  for (const Polynomial::Term& term : p.terms()) {
    ordered_json product{term.coefficient};
    for (const SymbolId id : term.monomial) product.push_back(id);
    list.push_back(std::move(product));
  }
  return list;
}

std::string_view operation(Derivation op) {
  constexpr std::string_view names[] = {"min",           "max",       "floor_div", "ceil_div",
                                        "truncated_div", "floor_mod", "from_end",  "wrap32",
                                        "half",          "select",    "ge",        "eq"};
  return names[static_cast<std::size_t>(op)];
}

// The symbols that sizes are written in, by number. An operation's operands have smaller numbers.
ordered_json symbols(const Report& r) {
  ordered_json out = ordered_json::object();
  std::vector<SymbolId> ids;
  for (const auto& [text, size] : r.sizes) std::ranges::copy(r.symbols.closure(size), std::back_inserter(ids));
  std::ranges::sort(ids);
  ids.erase(std::ranges::unique(ids).begin(), ids.end());
  for (const SymbolId id : ids) {
    const Symbol& symbol = r.symbols[id];
    ordered_json& entry = out[std::to_string(id)];
    if (symbol.origin == Symbol::Origin::derived)
      entry = {
          {"op", operation(symbol.derivation)}, {"a", terms(symbol.a)}, {"b", terms(symbol.b)}, {"c", terms(symbol.c)}};
    else
      entry = {{"name", symbol.name},
               {"from", symbol.range.low},
               {"to", symbol.range.high},
               {"computed", symbol.origin == Symbol::Origin::bound},
               {"typical", size_at_100(r.symbols, Polynomial::symbol(id))}};
  }
  return out;
}

ordered_json number(const std::optional<std::size_t>& n) { return n ? ordered_json(*n) : ordered_json(nullptr); }

}  // namespace

std::string report_text(const Report& r) {
  std::string counts;
  for (const std::string_view fate : {"computed", "fused", "prepared", "aliased", "folded", "unread"})
    if (const auto n = std::ranges::count(r.nodes, fate, &Report::Node::fate))
      counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", n, fate);
  std::string out = fmt::format("{}: {} nodes: {}\n{} calls of {} kernels\n", r.module_name, r.nodes.size(), counts,
                                r.calls.size(), r.kernels.size());
  const auto size = [&](const std::string& text) {
    const auto known = r.sizes.find(text);
    if (known == r.sizes.end() || known->second.is_constant()) return text;
    return fmt::format("{} ({} where lengths are 100)", text, quantity(size_at_100(r.symbols, known->second)));
  };
  for (const Report::Total& total : r.totals)
    out += fmt::format("{}{} calls read and write {} bytes, and do {} operations\n",
                       total.where.empty() ? "" : total.where + ": ", total.calls, size(total.bytes),
                       size(total.operations));
  if (r.saved != "0") out += fmt::format("{} bytes are not written, being handed on within a kernel\n", size(r.saved));
  out += fmt::format("{} weights of {} bytes", r.weights.count, r.weights.bytes);
  if (r.prepared.count)
    out += fmt::format("; {} tensors of {} bytes are prepared of them", r.prepared.count, r.prepared.bytes);
  out += "\n\nKernels\n";
  for (const auto& [kernel, calls] : r.kernels) out += fmt::format("  {:5} {}\n", calls, kernel);
  out += fmt::format("\nWhat forward checks, beside {} conditions that hold at every length\n", r.proved);
  for (const Report::Owed& owed : r.owed) out += "  " + owed.text() + "\n";
  if (r.owed.empty()) out += "  nothing\n";
  out += "\nNodes\n";
  for (const Report::Node& node : r.nodes) {
    out += fmt::format("  {:8} {}{}", node.fate, node.site, node.name.empty() ? "" : " (" + node.name + ")");
    if (node.into) out += ", into " + r.nodes[*node.into].site;
    if (!node.saved.empty()) out += fmt::format(", saving {} bytes", node.saved);
    out += "\n";
    for (const std::string& detail : node.details) out += "           " + detail + "\n";
  }
  out += "\nKernel calls: bytes read and written, operations\n";
  for (const Report::Call& call : r.calls)
    out += fmt::format("  {:12} {}: {} + {} bytes, {}\n", call.kernel, call.site, call.read, call.written,
                       call.operations);
  out += "\nMemory\n";
  for (const Report::Arena& arena : r.arenas) {
    out += fmt::format("  arena {}: {}B where lengths are 100, of which at most {}B live at once\n    slots of",
                       arena.number, quantity(arena.typical), quantity(arena.typical_live));
    std::vector<std::string> slots;
    for (const auto& slot : arena.slots)
      slots.push_back(slot.size() > 1 ? fmt::format("max({})", fmt::join(slot, ", ")) : slot.front());
    out += fmt::format(" {} bytes\n", fmt::join(slots, ", "));
  }
  for (const Report::Buffer& b : r.buffers)
    out += fmt::format("  arena {}, slot {}, at {}: {} bytes for {}, from {} to {}\n", b.arena, b.slot, b.offset,
                       b.bytes, fmt::join(b.tensors, " then "), b.from, b.to);
  return out;
}

ordered_json report_data(const Report& r) {
  ordered_json json{{"module", r.module_name}, {"kernels", r.kernels}, {"saved", r.saved}, {"proved", r.proved}};
  json["weights"] = {{"count", r.weights.count}, {"bytes", r.weights.bytes}};
  json["prepared"] = {{"count", r.prepared.count}, {"bytes", r.prepared.bytes}};
  const auto list = [&](const char* name, const auto& from, const auto& entry) {
    ordered_json& array = json[name] = ordered_json::array();
    for (const auto& one : from) array.push_back(entry(one));
  };
  list("totals", r.totals, [](const Report::Total& t) {
    return ordered_json{{"where", t.where},
                        {"calls", t.calls},
                        {"bytes", t.bytes},
                        {"written", t.written},
                        {"operations", t.operations}};
  });
  list("owed", r.owed, [](const Report::Owed& o) {
    return ordered_json{{"condition", o.condition}, {"site", o.site}, {"reason", o.reason}, {"node", number(o.node)}};
  });
  list("blocks", r.blocks,
       [](const Report::Block& b) { return ordered_json{{"name", b.name}, {"node", number(b.node)}}; });
  list("nodes", r.nodes, [](const Report::Node& n) {
    return ordered_json{{"name", n.name},         {"site", n.site},       {"op", n.op},           {"fate", n.fate},
                        {"into", number(n.into)}, {"saved", n.saved},     {"details", n.details}, {"block", n.block},
                        {"inputs", n.inputs},     {"outputs", n.outputs}, {"calls", n.calls}};
  });
  list("tensors", r.tensors, [](const Report::Tensor& t) {
    return ordered_json{
        {"name", t.name}, {"type", t.type}, {"origin", t.origin}, {"node", number(t.node)}, {"returned", t.returned}};
  });
  list("calls", r.calls, [](const Report::Call& c) {
    return ordered_json{{"kernel", c.kernel}, {"site", c.site},       {"node", number(c.node)},    {"bytes", c.bytes},
                        {"read", c.read},     {"written", c.written}, {"operations", c.operations}};
  });
  list("arenas", r.arenas, [](const Report::Arena& a) {
    return ordered_json{
        {"number", a.number}, {"slots", a.slots}, {"typical_bytes", a.typical}, {"typical_live_bytes", a.typical_live}};
  });
  list("buffers", r.buffers, [](const Report::Buffer& b) {
    return ordered_json{{"arena", b.arena}, {"slot", b.slot},       {"offset", b.offset},
                        {"bytes", b.bytes}, {"tensors", b.tensors}, {"from", b.from},
                        {"to", b.to},       {"first", b.first},     {"last", b.last}};
  });
  json["symbols"] = symbols(r);
  ordered_json& sizes = json["sizes"] = ordered_json::object();
  for (const auto& [text, size] : r.sizes) sizes[text] = terms(size);
  return json;
}

std::string report_json(const Report& r) {
  return report_data(r).dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace loam
