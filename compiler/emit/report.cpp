// The report as text for people and as JSON for tools.
#include "compiler/report.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace loam {

namespace {

std::string megabytes(double bytes) { return fmt::format("{:.3g} MB", bytes / 1e6); }

}  // namespace

std::string report_text(const Report& r) {
  const auto count = [&](std::string_view fate) { return std::ranges::count(r.nodes, fate, &Report::Node::fate); };
  std::string out = fmt::format("{}: {} nodes: {} computed, {} fused, {} aliased, {} folded; {} kernel calls\n", r.module_name, r.nodes.size(),
                                count("computed"), count("fused"), count("aliased"), count("folded"), r.calls.size());
  out += "\nKernels\n";
  for (const auto& [kernel, calls] : r.kernels) out += fmt::format("  {:5} {}\n", calls, kernel);
  if (!r.owed.empty()) out += fmt::format("\nWhat forward checks\n  {}\n", fmt::join(r.owed, "\n  "));
  out += "\nNodes\n";
  for (const Report::Node& node : r.nodes) {
    out += fmt::format("  {:8} {}{}\n", node.fate, node.site, node.name.empty() ? "" : " (" + node.name + ")");
    for (const std::string& detail : node.details) out += "           " + detail + "\n";
  }
  out += "\nKernel calls: bytes read and written, operations\n";
  for (const Report::Call& call : r.calls) out += fmt::format("  {:12} {}: {} bytes, {}\n", call.kernel, call.site, call.bytes, call.operations);
  out += "\nMemory\n";
  for (const Report::Arena& arena : r.arenas)
    out += fmt::format("  arena {}: {} where lengths are 100, of which at most {} live at once\n    slots of {} bytes\n", arena.number,
                       megabytes(arena.typical), megabytes(arena.typical_live), fmt::join(arena.slots, ", "));
  for (const Report::Buffer& b : r.buffers)
    out += fmt::format("  arena {}, slot {}, at {}: {} bytes for {}, from {} to {}\n", b.arena, b.slot, b.offset, b.bytes, fmt::join(b.tensors, " then "),
                       b.from, b.to);
  return out;
}

std::string report_json(const Report& r) {
  using nlohmann::ordered_json;
  ordered_json json{{"module", r.module_name}, {"kernels", r.kernels}, {"owed", r.owed}};
  for (ordered_json& list : {std::ref(json["nodes"]), std::ref(json["calls"]), std::ref(json["arenas"]), std::ref(json["buffers"])})
    list = ordered_json::array();
  for (const Report::Node& n : r.nodes) json["nodes"].push_back({{"name", n.name}, {"site", n.site}, {"fate", n.fate}, {"details", n.details}});
  for (const Report::Call& c : r.calls)
    json["calls"].push_back({{"kernel", c.kernel}, {"site", c.site}, {"bytes", c.bytes}, {"operations", c.operations}});
  for (const Report::Arena& a : r.arenas)
    json["arenas"].push_back({{"number", a.number}, {"slots", a.slots}, {"typical_bytes", a.typical}, {"typical_live_bytes", a.typical_live}});
  for (const Report::Buffer& b : r.buffers)
    json["buffers"].push_back({{"arena", b.arena}, {"slot", b.slot}, {"offset", b.offset}, {"bytes", b.bytes}, {"tensors", b.tensors},
                               {"from", b.from}, {"to", b.to}});
  return json.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace loam
