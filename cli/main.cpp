// The `loam` command.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.hpp"
#include "cli/printer.hpp"
#include "compiler/nearest.hpp"

#ifndef LOAM_VERSION
#define LOAM_VERSION "unknown"
#endif

namespace {

std::string command_name(const CLI::App& command) {
  return command.get_parent() == nullptr ? "loam" : "loam " + command.get_name();
}

// The first word that the command does not take, and what may have been meant; empty where it takes all of them. It is
// said before what is missing: a mistyped --out is not there, and is not what is wrong.
std::string unknown_word(const CLI::App& command) {
  const std::vector<std::string> rest = command.remaining();
  if (rest.empty()) return {};
  const std::string& word = rest.front();
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  for (const CLI::App* sub : command.get_subcommands({})) names.push_back(sub->get_name());
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::string meant = loam::nearest(word, known);
  return fmt::format("{} does not take {}{}", command_name(command), word, meant.empty() ? "" : ": did you mean " + meant + "?");
}

int parse_and_act(int count, char** arguments) {
  CLI::App app{"Compiles ONNX graphs ahead of time to typed C++20 modules.", "loam"};
  app.set_version_flag("--version", "loam " LOAM_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Example: loam build model.onnx --layout auto -o generated\n"
      "Exit codes: 0 done, 1 diagnostics or failures, 2 usage. `loam COMMAND --help` says more.");
  app.failure_message([](const CLI::App* asked, const CLI::Error& error) {
    for (const CLI::App* sub : asked->get_subcommands()) asked = sub;  // the subcommand whose --help would help
    const std::string unknown = unknown_word(*asked);
    return fmt::format("error: {}\n`{} --help` says what it takes, with an example.\n",
                       unknown.empty() ? error.what() : unknown, command_name(*asked));
  });
  loam::cli::Action action;
  for (const auto add : {loam::cli::add_build, loam::cli::add_check, loam::cli::add_layout, loam::cli::add_run,
                         loam::cli::add_test, loam::cli::add_generate, loam::cli::add_pack, loam::cli::add_print, loam::cli::add_split,
                         loam::cli::add_report, loam::cli::add_explain})
    add(app, action);
  // One value each time an option is given: `--filter 'a*' PATH` leaves PATH to be a path.
  for (CLI::App* command : app.get_subcommands({}))
    for (CLI::Option* option : command->get_options())
      if (!option->get_positional()) option->allow_extra_args(false);
  try {
    app.parse(count, arguments);
    return action();
  } catch (const CLI::Success& request) {  // --help, --version
    return app.exit(request);
  } catch (const CLI::ParseError& error) {
    app.exit(error);  // prints the error and where help is
    return loam::cli::exit_usage;
  }
}

}  // namespace

int main(int count, char** arguments) {
  try {
    return parse_and_act(count, arguments);
  } catch (const std::bad_alloc&) {
    loam::cli::print_failure("out of memory");
  } catch (const std::exception& error) {
    loam::cli::print_failure(error.what());
  }
  return loam::cli::exit_failed;
}
