// loam test: cases of ONNX's backend tests, compiled, run and compared.
#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/commands.hpp"
#include "cli/progress.hpp"
#include "cli/test_pool.hpp"

namespace loam::cli {
namespace {

struct Options {
  std::vector<std::string> paths, filters;
  TestOptions test;
  PoolOptions pool;
  std::string json, expect;
  bool list = false;
};

// What is expected of the cases that are not expected to pass: {"NAME": {"status": "refused", "reason": "why"}}. NAME
// is a case's name or its last part. The reason is for people; a "code", where one is given, must be the outcome's. An
// "atol" raises the absolute tolerance of a case whose expected values are themselves that far from what the graph says.
class Expectations {
 public:
  Expectations() = default;
  explicit Expectations(const std::string& path) {
    const nlohmann::json json = nlohmann::json::parse(read_text(path), nullptr, false);
    if (!json.is_object()) throw Failure(path + ": is no JSON object");
    for (const auto& [name, item] : json.items()) {
      const auto text = [&item](const char* key) {
        return item.is_object() && item.contains(key) && item[key].is_string() ? item[key].get<std::string>()
                                                                               : std::string();
      };
      Entry expected{text("status"), text("code"), 0};
      if (item.is_object() && item.contains("atol")) {
        if (!item["atol"].is_number() || item["atol"].get<double>() < 0)
          throw Failure(fmt::format("{}: {}: atol is not a number of 0 or more", path, name));
        expected.least_atol = item["atol"].get<double>();
      }
      if (!std::ranges::any_of(statuses, [&](Status s) { return status_name(s) == expected.status; }) ||
          text("reason").empty())
        throw Failure(
            fmt::format("{}: {}: needs a status (passed, failed, refused, skipped) and a reason", path, name));
      entries_.emplace(name, std::move(expected));
    }
  }

  static constexpr std::array statuses{Status::passed, Status::failed, Status::refused, Status::skipped};

  // What was expected instead; empty where the outcome is as expected.
  std::string contradicted(const std::string& name, const Outcome& outcome) const {
    const Entry expected = entry(name);
    if (expected.status != status_name(outcome.status)) return expected.status;
    if (!expected.code.empty() && expected.code != outcome.code) return expected.status + " with code " + expected.code;
    return {};
  }

  double least_atol(const std::string& name) const { return entry(name).least_atol; }

 private:
  struct Entry {
    std::string status, code;
    double least_atol = 0;
  };

  Entry entry(const std::string& name) const {
    auto found = entries_.find(name);
    if (found == entries_.end()) found = entries_.find(name.substr(name.rfind('/') + 1));
    return found == entries_.end() ? Entry{"passed", "", 0} : found->second;
  }

  std::map<std::string, Entry> entries_;
};

std::vector<TestCase> select(const Options& options) {
  std::vector<TestCase> cases = find_cases(options.paths);
  std::erase_if(cases, [&](const TestCase& test) {
    return !options.filters.empty() && std::ranges::none_of(options.filters, [&](const std::string& filter) {
      return ::fnmatch(filter.c_str(), test.name.c_str(), 0) == 0;
    });
  });
  if (cases.empty()) throw Failure("no case matches --filter");
  return cases;
}

void write_json(const std::string& path, std::span<const TestCase> cases, std::span<const Outcome> outcomes,
                const std::map<Status, std::size_t>& counts, double seconds) {
  nlohmann::ordered_json json;
  for (const auto& [status, count] : counts) json[std::string(status_name(status))] = count;
  json["seconds"] = seconds;
  json["cases"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Outcome& outcome = outcomes[i];
    json["cases"].push_back({{"name", cases[i].name},
                             {"status", status_name(outcome.status)},
                             {"reason", outcome.reason},
                             {"code", outcome.code},
                             {"seconds", outcome.seconds}});
  }
  write_file(path, json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

int test(const Options& options) {
  std::vector<TestCase> cases = select(options);
  if (options.list) {
    for (const TestCase& each : cases) fmt::print("{}\n", each.name);
    return exit_ok;
  }
  const Expectations expectations = options.expect.empty() ? Expectations() : Expectations(options.expect);
  for (TestCase& each : cases) each.least_atol = expectations.least_atol(each.name);
  const TestCompilers compilers;
  const auto start = std::chrono::steady_clock::now();

  std::vector<Outcome> outcomes(cases.size());
  std::map<Status, std::size_t> counts;
  for (const Status status : Expectations::statuses) counts[status] = 0;
  std::size_t done = 0, unexpected = 0;
  Progress progress;
  const auto finished = [&](std::size_t index, Outcome outcome) {
    ++done;
    ++counts[outcome.status];
    const std::string& name = cases[index].name;
    const std::string expected = expectations.contradicted(name, outcome);
    unexpected += !expected.empty();
    if (!expected.empty()) {
      progress.clear();
      fmt::print("{}: {}{}{}{}\n", name, status_name(outcome.status),
                 options.expect.empty() ? "" : fmt::format(" and should be {}", expected),
                 outcome.reason.empty() ? "" : ": ", outcome.reason);
      std::fflush(stdout);
    }
    outcomes[index] = std::move(outcome);
  };
  const auto tick = [&] {
    progress.say(fmt::format("{} of {} cases, {} passed", done, cases.size(), counts[Status::passed]));
  };
  run_pool(cases, options.test, options.pool, compilers, finished, tick);
  progress.clear();

  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!options.json.empty()) write_json(options.json, cases, outcomes, counts, seconds);
  if (!options.expect.empty()) fmt::print("{} not as expected\n", unexpected);
  fmt::print("{} passed, {} failed, {} refused, {} skipped\n", counts[Status::passed], counts[Status::failed],
             counts[Status::refused], counts[Status::skipped]);
  const bool good = options.expect.empty() ? counts[Status::failed] + counts[Status::refused] == 0 : unexpected == 0;
  return good ? exit_ok : exit_failed;
}

}  // namespace

void add_test(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("test", "Compile, run and compare cases in the format of ONNX's backend tests");
  auto options = std::make_shared<Options>();
  options->pool.jobs = std::max(1U, std::thread::hardware_concurrency());
  command
      ->add_option("PATH", options->paths, "Folders with model.onnx and test_data_set_*, or folders above such folders")
      ->required();
  add_layout_option(*command, options->test.build);
  add_rewrite_options(*command, options->test.build);
  command
      ->add_option("--cache", options->test.build.prefer_cache,
                   "Keep inputs and outputs in one buffer, in the graphs that allow it: past_key_values.*=present.*, say")
      ->type_name("INPUT=OUTPUT")
      ->take_all();
  options->test.build.threads = 1;  // the processes are as many as the processors
  add_threads_option(*command, options->test.build);
  command
      ->add_option("--jobs", options->pool.jobs, "Processes at once; as many as there are processors where not given")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  command->add_option("--json", options->json, "Write each case's outcome here")->type_name("FILE");
  command
      ->add_option(
          "--expect", options->expect,
          "Succeed where each case is as this file says: {\"NAME\": {\"status\": \"refused\", \"reason\": \"why\"}}, "
          "and passes where it says nothing; an entry's \"atol\" raises its case's absolute tolerance")
      ->type_name("FILE");
  command->add_option("--rtol", options->test.rtol, "Relative tolerance of floats; 1e-3 where not given")
      ->check(CLI::NonNegativeNumber);
  command
      ->add_option("--atol", options->test.atol,
                   "Absolute tolerance of floats; where not given 1e-7 for a graph of one operator, else 1e-5 of the "
                   "output's largest magnitude")
      ->check(CLI::NonNegativeNumber);
  command
      ->add_option_function<unsigned>(
          "--timeout", [options](unsigned seconds) { options->test.limit = std::chrono::seconds(seconds); },
          "Seconds that one case's compilation by Loam, and its run, may take; 300 where not given")
      ->check(CLI::Range(1, 86400))
      ->type_name("S");
  command->add_option("--filter", options->filters, "Only cases whose name matches this shell wildcard")
      ->type_name("GLOB")
      ->take_all();
  command->add_flag("--list", options->list, "Print the cases' names and run none");
  command->add_option("--batch", options->pool.batch_size, "Small modules compiled at once, at most")
      ->check(CLI::Range(1, 1000))
      ->type_name("N");
  command->add_option("--keep", options->test.keep, "Also write the generated sources here")->type_name("DIR");
  command->footer(
      "Example: loam test --layout auto --jobs 2 --json results.json onnx/node\n"
      "Succeeds where no case failed or was refused. A line is printed for every case that does not pass:\n"
      "failed (wrong outputs, a crash, other bits behind handles on one thread more), refused (the build stopped with a diagnostic), skipped (test data that\n"
      "Loam cannot read).");
  command->callback([options, &action] {
    if (options->test.build.layouts.empty()) options->test.build.layouts = {"auto"};
    action = [options] { return test(*options); };
  });
}

}  // namespace loam::cli
