// The subcommands: each adds itself to the command line and, where it is the one given, its action runs after parsing.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace loam::cli {

// What a process ends with.
inline constexpr int exit_ok = 0;
inline constexpr int exit_failed = 1;  // diagnostics, or a case that does not pass
inline constexpr int exit_usage = 2;

using Action = std::function<int()>;

void add_build(CLI::App& app, Action& action);
void add_check(CLI::App& app, Action& action);
void add_layout(CLI::App& app, Action& action);
void add_run(CLI::App& app, Action& action);
void add_test(CLI::App& app, Action& action);
void add_generate(CLI::App& app, Action& action);
void add_pack(CLI::App& app, Action& action);
void add_print(CLI::App& app, Action& action);
void add_split(CLI::App& app, Action& action);
void add_report(CLI::App& app, Action& action);
void add_explain(CLI::App& app, Action& action);

}  // namespace loam::cli
