// loam explain: what a diagnostic's code means.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/commands.hpp"
#include "cli/printer.hpp"
#include "compiler/diagnostic.hpp"

namespace loam::cli {
namespace {

// Text in lines of at most 100 columns.
std::string wrapped(std::string_view text) {
  constexpr std::size_t columns = 100;
  std::string out;
  while (text.size() > columns) {
    const std::size_t space = text.rfind(' ', columns);
    if (space == text.npos) break;
    out.append(text.substr(0, space)).append("\n");
    text.remove_prefix(space + 1);
  }
  return out.append(text);
}

int explain(std::string code) {
  if (code.empty()) {
    for (const CodeInfo& known : all_codes()) fmt::print("{:26} {}\n", known.name, known.summary);
    return exit_ok;
  }
  std::ranges::replace(code, '_', '-');
  const auto found = std::ranges::find(all_codes(), code, &CodeInfo::name);
  if (found == all_codes().end()) {
    print_failure(fmt::format("no diagnostic has the code '{}'; `loam explain` lists them all", code));
    return exit_usage;
  }
  fmt::print("{}: {}\n\n{}\n", found->name, found->summary, wrapped(found->explanation));
  return exit_ok;
}

}  // namespace

void add_explain(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("explain", "Explain a diagnostic's code; without one, list them");
  auto code = std::make_shared<std::string>();
  command->add_option("CODE", *code, "What stands in brackets at a diagnostic's end");
  command->footer("Example: loam explain axis-unnamed");
  command->callback([code, &action] { action = [code] { return explain(*code); }; });
}

}  // namespace loam::cli
