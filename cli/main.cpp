// The `loam` command.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <new>
#include <string>

#include "cli/commands.hpp"
#include "cli/printer.hpp"

#ifndef LOAM_VERSION
#define LOAM_VERSION "unknown"
#endif

namespace {

int parse_and_act(int count, char** arguments) {
  CLI::App app{"Compiles ONNX graphs ahead of time to typed C++20 modules.", "loam"};
  app.set_version_flag("--version", "loam " LOAM_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Example: loam build model.onnx --layout auto -o generated\n"
      "Exit codes: 0 done, 1 diagnostics or failures, 2 usage. `loam COMMAND --help` says more.");
  app.failure_message([](const CLI::App* asked, const CLI::Error& error) {
    for (const CLI::App* sub : asked->get_subcommands()) asked = sub;  // the subcommand whose --help would help
    const std::string command = asked->get_parent() == nullptr ? "loam" : "loam " + asked->get_name();
    return fmt::format("error: {}\n`{} --help` says what it takes, with an example.\n", error.what(), command);
  });
  loam::cli::Action action;
  for (const auto add : {loam::cli::add_build, loam::cli::add_check, loam::cli::add_layout, loam::cli::add_run,
                         loam::cli::add_test, loam::cli::add_generate, loam::cli::add_print, loam::cli::add_split,
                         loam::cli::add_explain})
    add(app, action);
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
