#include "cli/test_run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/module.hpp"

namespace loam::cli {
namespace {

// What is wrong with the session's outputs on this data; absent where they are as expected.
std::optional<std::string> wrong(Session& session, const DataSet& data, const Tolerance& tolerance) {
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
  return std::nullopt;
}

}  // namespace

Outcome run_case(const TestCase& test, const CompileResult& result, const GraphFiles& files, const fs::path& library,
                 const Tolerance& tolerance, int threads) {
  const auto sets = read_data_sets(test, files);
  const Library opened(library);
  for (const BackendKind backend : {BackendKind::cpu, BackendKind::opaque}) {
    const std::string_view suffix = backend == BackendKind::opaque ? " (opaque backend)" : "";
    std::string where = "weights";
    try {
      Session session(opened.module(result.module_name), result.needs_checkpoint ? files.checkpoint() : std::nullopt,
                      files.external(result.external_locations), backend, threads);
      for (const auto& [name, data] : sets) {
        where = name;
        if (const auto what = wrong(session, data, tolerance))
          return {Status::failed, fmt::format("{}: {}{}", where, *what, suffix), {}, 0};
      }
    } catch (const Failure& refused) {
      return {Status::failed, fmt::format("{}: {}{}", where, refused.what(), suffix), {}, 0};
    }
  }
  return {Status::passed, {}, {}, 0};
}

}  // namespace loam::cli
