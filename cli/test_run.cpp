#include "cli/test_run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/module.hpp"

namespace loam::cli {
namespace {

// The elements of a run's outputs, one after another.
std::string bits(std::span<const harness::RawTensor> outputs) {
  std::string all;
  for (const harness::RawTensor& output : outputs) all.append(static_cast<const char*>(output.data), output.bytes);
  return all;
}

// What is wrong with the session's outputs on this data; absent where they are as expected. Their bits are those of the
// run before, where there was one.
std::optional<std::string> wrong(Session& session, const DataSet& data, const Tolerance& tolerance, std::optional<std::string>& before) {
  std::vector<harness::RawTensor> inputs;  // those that forward takes: the build has settled the others
  for (const harness::PortInfo& port : session.inputs()) {
    const auto found = std::ranges::find(data.input_names, port.name);
    if (found == data.input_names.end()) return fmt::format("has no input {}, which the graph takes", port.name);
    inputs.push_back(data.inputs[static_cast<std::size_t>(found - data.input_names.begin())].raw());
  }
  // A data set may leave out the last outputs (a decoder's caches, beside its logits).
  if (data.outputs.size() > session.outputs().size())
    return fmt::format("has {} outputs, and the graph gives {}", data.outputs.size(), session.outputs().size());
  const std::span<const harness::RawTensor> outputs = session.run(inputs);
  for (std::size_t i = 0; i < data.outputs.size(); ++i)
    if (const auto differs = difference(outputs[i], data.outputs[i], tolerance))
      return fmt::format("output {}: {}", session.outputs()[i].name, *differs);
  std::string now = bits(outputs);
  if (before && *before != now) return "the outputs' bits depend on the backend or on the threads";
  before = std::move(now);
  return std::nullopt;
}

}  // namespace

Outcome run_case(const TestCase& test, const CompileResult& result, const GraphFiles& files, const fs::path& library,
                 const Tolerance& tolerance, int threads) {
  const auto sets = read_data_sets(test, files);
  const Library opened(library);
  std::vector<std::optional<std::string>> before(sets.size());
  for (const BackendKind backend : {BackendKind::cpu, BackendKind::opaque}) {
    // The second time by handles alone and on another number of threads: both compute the same, to the bit.
    const bool again = backend == BackendKind::opaque;
    const std::string suffix = again ? fmt::format(" (opaque backend, {} threads)", threads + 1) : "";
    std::string where = "weights";
    try {
      Session session(opened.module(result.module_name), result.needs_checkpoint ? files.checkpoint() : std::nullopt,
                      files.external(result.external_locations), backend, again ? threads + 1 : threads);
      for (std::size_t i = 0; i < sets.size(); ++i) {
        where = sets[i].first;
        if (const auto what = wrong(session, sets[i].second, tolerance, before[i]))
          return {Status::failed, fmt::format("{}: {}{}", where, *what, suffix), {}, 0};
      }
    } catch (const Failure& refused) {
      return {Status::failed, fmt::format("{}: {}{}", where, refused.what(), suffix), {}, 0};
    }
  }
  return {Status::passed, {}, {}, 0};
}

}  // namespace loam::cli
