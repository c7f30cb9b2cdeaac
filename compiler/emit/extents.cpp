// How extents are spelled: polynomials over the symbols forward has defined by then.
#include <fmt/format.h>

#include "compiler/emit/writer.hpp"

namespace loam {

std::string ModuleWriter::symbol_name(SymbolId id) {
  if (const auto it = symbol_names_.find(id); it != symbol_names_.end()) return it->second;
  const std::string text = symbols_.text(id);
  std::string name = text.size() <= 40 ? locals_.mint(text) : locals_.mint("extent");
  return symbol_names_.emplace(id, std::move(name)).first->second;
}

namespace {
std::string_view derivation_name(Derivation d) {
  switch (d) {
    case Derivation::min: return "min";
    case Derivation::max: return "max";
    case Derivation::floor_div: return "floor_div";
    case Derivation::ceil_div: return "ceil_div";
    case Derivation::truncated_div: return "truncated_div";
    case Derivation::floor_mod: return "floor_mod";
    case Derivation::from_end: return "from_end";
    case Derivation::wrap32: return "wrap32";
    case Derivation::half: return "half";
    case Derivation::select: return "select";
    case Derivation::compare_ge: return "compare_ge";
    case Derivation::compare_eq: return "compare_eq";
  }
  return "";
}
int derivation_operands(Derivation d) {
  switch (d) {
    case Derivation::wrap32: case Derivation::half: case Derivation::compare_ge: case Derivation::compare_eq: return 1;
    case Derivation::select: return 3;
    default: return 2;
  }
}
}  // namespace

void ModuleWriter::define_symbols(const Polynomial& p, int depth, std::string& out) {
  for (const SymbolId id : p.symbols()) {
    if (defined_.contains(id)) continue;
    const Symbol symbol = symbols_[id];
    if (symbol.origin != Symbol::Origin::derived) {
      diagnostics_.error(Code::internal, input_.module_name, "the length " + symbols_.text(id) + " is read before anything gives it");
      defined_.insert(id);
      continue;
    }
    const int n = derivation_operands(symbol.derivation);
    const Polynomial* operands[] = {&symbol.a, &symbol.b, &symbol.c};
    for (int i = 0; i < n; ++i) define_symbols(*operands[i], depth, out);
    std::string arguments;
    for (int i = 0; i < n; ++i) arguments += (i ? ", " : "") + text(*operands[i]);
    out += fmt::format("{}const std::int64_t {} = loam::{}({});\n", indent(depth), symbol_name(id), derivation_name(symbol.derivation), arguments);
    defined_.insert(id);
  }
}

std::string ModuleWriter::text(const Polynomial& p) const {
  return p.text([&](SymbolId id) {
    const auto it = symbol_names_.find(id);
    return it == symbol_names_.end() ? std::string("0") : it->second;
  });
}

std::string ModuleWriter::extent_list(const std::vector<Polynomial>& extents, int depth, std::string& out) {
  std::string list = "{";
  for (std::size_t i = 0; i < extents.size(); ++i) {
    define_symbols(extents[i], depth, out);
    list += (i ? ", " : "") + text(extents[i]);
  }
  return list + "}";
}

}  // namespace loam
