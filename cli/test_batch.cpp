#include "cli/test_batch.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>

#include "cli/guarded.hpp"
#include "cli/report.hpp"
#include "cli/test_run.hpp"

namespace loam::cli {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// A case whose graph compiled, on its way through the host compiler.
struct Compiled {
  std::size_t index;
  std::unique_ptr<GraphFiles> files;
  CompileResult result;
  double seconds = 0;
};

std::string one_line(std::string_view text) { return std::string(text.substr(0, text.find('\n'))); }

Outcome refusal(const Diagnostics& diagnostics) {
  const auto& list = diagnostics.list();
  const auto first = std::ranges::find(list, Severity::error, &Diagnostic::severity);
  Outcome outcome{Status::refused, one_line(first->text()), std::string(info(first->code).name), 0};
  if (first->code == Code::internal) outcome.status = Status::failed;  // a bug of Loam's, not of the model
  if (diagnostics.errors() > 1) outcome.reason += fmt::format(" (and {} more)", diagnostics.errors() - 1);
  return outcome;
}

class Batch {
 public:
  Batch(std::span<const TestCase> cases, const TestOptions& options, const HostCompiler& host, int output)
      : cases_(cases), options_(options), host_(host), output_(output) {}

  void run(std::span<const std::size_t> batch) {
    std::vector<Compiled> compiled;
    for (const std::size_t index : batch) {
      report(Report::Kind::compiling, index);
      const Clock::time_point start = Clock::now();
      try {
        if (std::optional<Compiled> one = compile_case(index, start)) compiled.push_back(std::move(*one));
      } catch (const std::exception& error) {
        finish(index, {Status::failed, one_line(error.what()), {}, seconds_since(start)});
      }
    }
    std::vector<Compiled*> group;
    for (Compiled& one : compiled) group.push_back(&one);
    if (!group.empty()) build_and_run(group);
  }

 private:
  void report(Report::Kind kind, std::size_t index, Outcome outcome = {}) {
    std::string line = report_line({kind, index, std::move(outcome)});
    for (std::string_view rest = line; !rest.empty();) {
      const ssize_t written = ::write(output_, rest.data(), rest.size());
      if (written <= 0) ::_exit(1);  // the pool is gone
      rest.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  void finish(std::size_t index, Outcome outcome) { report(Report::Kind::finished, index, std::move(outcome)); }

  std::optional<Compiled> compile_case(std::size_t index, Clock::time_point start) {
    const TestCase& test = cases_[index];
    Diagnostics diagnostics;
    CompileOptions compile_with = compile_options(options_.build, diagnostics);
    compile_with.include_runtime = true;
    compile_with.harness = true;
    compile_with.module_name = test.module_name;
    Compiled one{index, std::make_unique<GraphFiles>(test.graph, options_.build.checkpoint, true), {}, 0};
    if (!diagnostics.failed()) {
      settle_inputs(test, *one.files, compile_with);
      one.result = compile(one.files->input(), compile_with, diagnostics);
      const auto unsettled = [](const Diagnostic& d) { return d.code == Code::structure_unsettled; };
      if (std::ranges::any_of(diagnostics.list(), unsettled)) {
        settle_values(test, *one.files, compile_with);
        diagnostics = {};
        one.result = compile(one.files->input(), compile_with, diagnostics);
      }
    }
    one.seconds = seconds_since(start);
    if (!diagnostics.failed()) {
      auto differs = settled_otherwise(test, *one.files, compile_with);
      if (!differs) return one;
      finish(index, {Status::failed, std::move(*differs), {}, one.seconds});
      return std::nullopt;
    }
    Outcome outcome = refusal(diagnostics);
    outcome.seconds = one.seconds;
    finish(index, std::move(outcome));
    return std::nullopt;
  }

  void build_and_run(std::span<Compiled* const> group) {
    report(Report::Kind::building, group.front()->index);
    std::vector<const CompileResult*> modules;
    for (const Compiled* one : group) modules.push_back(&one->result);
    keep_sources(modules);
    const Clock::time_point start = Clock::now();
    const HostLibrary library = host_.build(modules, std::chrono::minutes(60));
    const double share = seconds_since(start) / static_cast<double>(group.size());
    for (Compiled* one : group) one->seconds += share;
    if (!library.path.empty()) {
      for (const Compiled* one : group) run_one(*one, library.path);
    } else if (group.size() == 1) {
      finish(
          group.front()->index,
          {Status::failed, "the module does not compile: " + first_error(library.output), {}, group.front()->seconds});
    } else {
      const auto [suspects, others] = split(group, library.output);
      build_and_run(suspects);
      build_and_run(others);
    }
  }

  // Those whose files the compiler's errors name, and the others; two halves where that tells none apart.
  static std::pair<std::vector<Compiled*>, std::vector<Compiled*>> split(std::span<Compiled* const> group,
                                                                         std::string_view errors) {
    std::pair<std::vector<Compiled*>, std::vector<Compiled*>> parts;
    for (Compiled* one : group) {
      const std::string& name = one->result.module_name;
      const bool named =
          errors.find("/" + name + ".hpp:") != errors.npos || errors.find("/" + name + "_harness.cpp:") != errors.npos;
      (named ? parts.first : parts.second).push_back(one);
    }
    if (parts.first.empty() || parts.second.empty()) {
      const auto middle = group.begin() + static_cast<std::ptrdiff_t>(group.size() / 2);
      parts = {{group.begin(), middle}, {middle, group.end()}};
    }
    return parts;
  }

  void run_one(const Compiled& one, const fs::path& library) {
    report(Report::Kind::running, one.index);
    const TestCase& test = cases_[one.index];
    const Tolerance tolerance{one.result.nodes <= 1, options_.rtol, options_.atol, test.least_atol};
    const Clock::time_point start = Clock::now();
    Outcome outcome =
        guarded([&] { return run_case(test, one.result, *one.files, library, tolerance, options_.build.threads); },
                options_.limit);
    outcome.reason = one_line(outcome.reason);
    outcome.seconds = one.seconds + seconds_since(start);
    finish(one.index, std::move(outcome));
  }

  void keep_sources(std::span<const CompileResult* const> modules) const {
    if (options_.keep.empty()) return;
    std::vector<NewFile> files;
    for (const CompileResult* module : modules)
      for (const OutputFile& file : module->files) files.push_back({file.name, file.text});
    write_files(options_.keep, files);
  }

  std::span<const TestCase> cases_;
  const TestOptions& options_;
  const HostCompiler& host_;
  int output_;
};

}  // namespace

void run_batch(std::span<const TestCase> cases, std::span<const std::size_t> batch, const TestOptions& options,
               const HostCompiler& host, int output) {
  Batch(cases, options, host, output).run(batch);
}

}  // namespace loam::cli
