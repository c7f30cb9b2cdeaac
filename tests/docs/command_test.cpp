// docs/command.md: every option of every subcommand, as --help says them. LOAM_UPDATE=1 writes it anew.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <regex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/docs/pages.hpp"

namespace loam::test {
namespace {

std::string help(const std::string& subcommand) {
  std::string text;
  FILE* const pipe = ::popen((LOAM_BINARY " " + subcommand + " --help").c_str(), "r");
  if (!pipe) return text;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) text += static_cast<char>(c);
  EXPECT_EQ(::pclose(pipe), 0) << subcommand;
  return text;
}

// The lines of a list in a help text, "  NAME   what it is", in pairs; what has no room stands on a line of its own. A
// value's kind or range, "N:INT in [1 - 8]", is left out: it is the help's, and may leave no room between the two.
std::vector<std::pair<std::string, std::string>> entries(const std::string& text, char first) {
  static const std::regex kind(R"(:(\{[^}]*\}|[A-Z]+( in \[[^\]]*\])?))");
  static const std::regex entry(R"(  (\S+(?: \S+)*)(?: {2,}(.*))?)");
  std::vector<std::pair<std::string, std::string>> found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (first == '-') line = std::regex_replace(line, kind, "  ", std::regex_constants::format_first_only);
    std::smatch m;
    if (!std::regex_match(line, m, entry) || (first == '-') != (m[1].str()[0] == '-')) continue;
    const std::string name = m[1];
    std::string what = m[2];
    if (what.empty() && std::getline(lines, what)) what.erase(0, what.find_first_not_of(' '));
    found.emplace_back(name, what);
  }
  return found;
}

std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, "\\");
  return text;
}

struct Option {
  std::string name, what, of;  // of: the subcommands that have it
};

std::string command_page() {
  std::string page =
      "# The `loam` command\n\n"
      "Every subcommand and option, as `--help` says them. This page is written by\n"
      "`LOAM_UPDATE=1 build/release/tests/docs_test`.\n\n"
      "| Subcommand | |\n|---|---|\n";
  const std::string all = help("");
  std::vector<Option> options;
  for (const auto& [subcommand, what] : entries(all.substr(all.find("Subcommands:")), ' ')) {
    page += "| `" + subcommand + "` | " + cell(what) + " |\n";
    for (const auto& [name, about] : entries(help(subcommand), '-')) {
      const auto same = [&](const Option& o) { return o.name == name && o.what == about; };
      if (const auto known = std::ranges::find_if(options, same); known != options.end()) known->of += ", " + subcommand;
      else options.push_back({name, about, subcommand});
    }
  }
  page += "\n| Option | | Of |\n|---|---|---|\n";
  for (const Option& option : options)
    if (!option.name.starts_with("-h"))
      page += "| `" + cell(option.name) + "` | " + cell(option.what) + " | " + option.of + " |\n";
  return page;
}

TEST(Docs, CommandIsWhatHelpSays) { expect_page("docs/command.md", command_page()); }

}  // namespace
}  // namespace loam::test
