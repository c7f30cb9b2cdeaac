// loam check: everything that is wrong with graphs, and nothing written.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/failure.hpp"
#include "cli/graph_options.hpp"
#include "cli/printer.hpp"
#include "cli/progress.hpp"

namespace loam::cli {
namespace {

struct Options {
  std::vector<std::string> paths;
  GraphOptions build;
  std::string format = "text";
  bool summary = false;
};

// The graphs that the paths name: files as they are, and every .onnx and .onnxtext below a folder, in order of name.
std::vector<fs::path> find_graphs(const std::vector<std::string>& paths) {
  std::vector<fs::path> graphs;
  for (const fs::path path : paths) {
    if (!fs::is_directory(path)) {
      graphs.push_back(path);
      continue;
    }
    std::vector<fs::path> found;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path)) {
      const fs::path extension = entry.path().extension();
      if (entry.is_regular_file() && (extension == ".onnx" || extension == ".onnxtext")) found.push_back(entry.path());
    }
    if (found.empty()) throw Failure(path.string() + ": holds no .onnx or .onnxtext file");
    std::ranges::sort(found);
    std::ranges::move(found, std::back_inserter(graphs));
  }
  return graphs;
}

std::string_view severity_name(Severity severity) {
  return severity == Severity::error ? "error" : severity == Severity::warning ? "warning" : "note";
}

nlohmann::ordered_json ports_json(const std::vector<Port>& ports) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Port& port : ports)
    json.push_back({{"name", port.name}, {"dtype", port.dtype}, {"axes", port.axes}, {"extents", port.extents}});
  return json;
}

nlohmann::ordered_json report_json(const fs::path& graph, const CompileResult& result, const Diagnostics& diagnostics) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Diagnostic& d : diagnostics.list())
    list.push_back({{"severity", severity_name(d.severity)},
                    {"code", info(d.code).name},
                    {"site", d.site},
                    {"message", d.message},
                    {"note", d.note}});
  nlohmann::ordered_json json{{"graph", graph.string()}, {"ok", !diagnostics.failed()}, {"diagnostics", list}};
  if (diagnostics.failed()) return json;
  json["inputs"] = ports_json(result.inputs);
  json["outputs"] = ports_json(result.outputs);
  json["owed"] = result.owed;
  json["proved"] = result.proved;
  json["nodes"] = result.nodes;
  json["folded"] = result.folded;
  return json;
}

// By code: how many errors, and in how many graphs.
class Summary {
 public:
  void add(const CompileResult& result, const Diagnostics& diagnostics) {
    proved_ += result.proved;
    owed_ += result.owed.size();
    std::map<Code, std::size_t> here;
    for (const Diagnostic& d : diagnostics.list())
      if (d.severity == Severity::error) ++here[d.code];
    for (const auto& [code, count] : here) {
      counts_[code].errors += count;
      ++counts_[code].graphs;
    }
  }
  void print() const {
    std::vector<std::pair<Code, Count>> rows(counts_.begin(), counts_.end());
    std::ranges::sort(rows, [](const auto& a, const auto& b) {
      return std::pair(b.second.errors, a.first) < std::pair(a.second.errors, b.first);
    });
    for (const auto& [code, count] : rows)
      fmt::print("{:6} in {:4} graph{}  {}: {}\n", count.errors, count.graphs, count.graphs == 1 ? " " : "s",
                 info(code).name, info(code).summary);
    if (const std::size_t conditions = proved_ + owed_)
      fmt::print("{} conditions over lengths: {} proved, {} ({:.1f} %) owed by the inputs\n", conditions, proved_, owed_,
                 100.0 * static_cast<double>(owed_) / static_cast<double>(conditions));
  }
  nlohmann::ordered_json json() const {
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    for (const auto& [code, count] : counts_)
      json[std::string(info(code).name)] = {{"errors", count.errors}, {"graphs", count.graphs}};
    return json;
  }

 private:
  struct Count {
    std::size_t errors = 0, graphs = 0;
  };
  std::map<Code, Count> counts_;
  std::size_t proved_ = 0, owed_ = 0;
};

CompileResult check_one(const fs::path& graph, const GraphOptions& options, Diagnostics& diagnostics) {
  const CompileOptions compile_with = compile_options(options, diagnostics);
  const GraphFiles files(graph, options.checkpoint);
  return diagnostics.failed() ? CompileResult{} : check(files.input(), compile_with, diagnostics);
}

int check_all(const Options& options) {
  const std::vector<fs::path> graphs = find_graphs(options.paths);
  const bool text = options.format == "text";
  nlohmann::ordered_json reports = nlohmann::ordered_json::array();
  Summary summary;
  std::size_t failed = 0;
  Progress progress;
  for (const fs::path& graph : graphs) {
    progress.say(fmt::format("checking {}", graph.string()));
    Diagnostics diagnostics;
    const CompileResult result = check_one(graph, options.build, diagnostics);
    failed += diagnostics.failed();
    summary.add(result, diagnostics);
    progress.clear();
    if (!text) {
      reports.push_back(report_json(graph, result, diagnostics));
      continue;
    }
    if (!options.summary) print(diagnostics, graphs.size() > 1 ? graph.string() : "");
    if (options.summary || diagnostics.failed()) continue;
    if (graphs.size() == 1 && takes_proposal(options.build))
      print_proposal(result.proposed_layout);
    fmt::print("{}: ok, {} nodes of which the build computes {}, {} conditions on the inputs\n", graph.string(),
               result.nodes, result.folded, result.owed.size());
  }
  if (text && options.summary) summary.print();
  if (text && graphs.size() > 1) fmt::print("{} graphs, {} with errors\n", graphs.size(), failed);
  if (!text) {
    nlohmann::ordered_json json{{"graphs", std::move(reports)}};
    if (options.summary) json["summary"] = summary.json();
    fmt::print("{}\n", json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  }
  return failed == 0 ? exit_ok : exit_failed;
}

}  // namespace

void add_check(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("check", "Say everything that is wrong with graphs, and write nothing");
  auto options = std::make_shared<Options>();
  command->add_option("GRAPH", options->paths, "Models, or folders of them")->required();
  add_graph_options(*command, options->build);
  command->add_option("--format", options->format, "text, or json on stdout")->check(CLI::IsMember({"text", "json"}));
  command->add_flag("--summary", options->summary, "Count the errors by code, and the conditions proved and owed");
  command->footer("Example: loam check models/ --layout auto --summary");
  command->callback([options, &action] { action = [options] { return check_all(*options); }; });
}

}  // namespace loam::cli
