#include "cli/printer.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace loam::cli {
namespace {

// The word in bold colour on a terminal whose user has not asked for none (no-color.org).
std::string marked(std::string_view word, int colour) {
  static const bool coloured = ::isatty(STDERR_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr;
  return coloured ? fmt::format("\x1b[1;{}m{}:\x1b[0m", colour, word) : fmt::format("{}:", word);
}

std::string severity(Severity severity) {
  switch (severity) {
    case Severity::error:
      return marked("error", 31);
    case Severity::warning:
      return marked("warning", 35);
    default:
      return marked("note", 36);
  }
}

}  // namespace

void print(const Diagnostic& diagnostic, std::string_view file) {
  fmt::print(stderr, "{}{}{} {}\n", file, file.empty() ? "" : ": ", severity(diagnostic.severity), diagnostic.text());
}

void print(const Diagnostics& diagnostics, std::string_view file) {
  for (const Diagnostic& diagnostic : diagnostics.list()) print(diagnostic, file);
}

void print_failure(std::string_view message) { fmt::print(stderr, "{} {}\n", marked("error", 31), message); }

void print_proposal(const Layout& proposed) {
  if (proposed.rules.empty()) return;
  fmt::print(stderr, "{} {} tensors have axes under names that Loam proposes; `loam layout` writes them to a file\n",
             marked("note", 36), proposed.rules.size());
}

}  // namespace loam::cli
