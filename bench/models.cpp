// One model as bench/models.py times it.
//
//   bench_models GRAPH CHECKPOINT FOLDER [SYMBOL=N ...] [last=OUTPUT] [cache=INPUT=OUTPUT] [store=checkpoint]
//
// compiles the graph into FOLDER: module.json says where the module and its weights are, weights.loam holds them packed,
// inputs.json names each input's type, extents and file of raw elements. CHECKPOINT may be "-"; the options are as those of
// `loam build`.
//
//   bench_models GRAPH CHECKPOINT FOLDER [...] profile=THREADS
//
// does so, and prints where its time goes (cli/profile.hpp).
//
//   bench_models FOLDER THREADS [packed]
//
// opens the module, from its packed weights or from the graph's own files, runs it once and prints "ready" and a JSON object:
// the seconds that took, and how many bytes of memory more than before. Then, for every line with a number, it runs the
// model so often and prints the seconds each run took, in a line. Of a cache each run goes on from the same past.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/compiled.hpp"
#include "cli/failure.hpp"
#include "cli/profile.hpp"

namespace {

using namespace loam;
using namespace loam::cli;

using Json = nlohmann::ordered_json;
using Lengths = std::map<std::string, std::int64_t>;

// "64", "past + seq": a sum of numbers and symbols.
std::int64_t extent(const std::string& text, const Lengths& lengths) {
  std::int64_t sum = 0;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (word == "+") continue;
    if (word.find_first_not_of("0123456789") == std::string::npos) sum += std::stoll(word);
    else if (const auto it = lengths.find(word); it != lengths.end()) sum += it->second;
    else throw Failure(fmt::format("{}: give {}=N", text, word));
  }
  return sum;
}

// Ids that differ, positions that follow the past, masks of ones, and floats about 0.
HostTensor make_input(const Port& port, const Lengths& lengths) {
  std::vector<std::int64_t> extents;
  std::int64_t n = 1;
  for (const std::string& text : port.extents) n *= extents.emplace_back(extent(text, lengths));
  const auto count = static_cast<std::size_t>(n);
  const auto names = [&](std::string_view what) { return port.name.find(what) != std::string::npos; };
  if (port.dtype == "float32") {
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(std::sin(static_cast<double>(i)));
    return make_tensor<float>(extents, DType::float32, values);
  }
  if (port.dtype == "bool") return make_tensor<std::uint8_t>(extents, DType::boolean, std::vector<std::uint8_t>(count, 1));
  if (port.dtype != "int64") throw Failure(fmt::format("{}: is of type {}, which is made no input of", port.name, port.dtype));
  const auto past = lengths.find("past_sequence_length");
  std::vector<std::int64_t> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto place = static_cast<std::int64_t>(i);
    values[i] = names("mask") ? 1 : names("position") ? place + (past == lengths.end() ? 0 : past->second) : 7 * place % 1000;
  }
  return make_tensor<std::int64_t>(extents, DType::int64, values);
}

int prepare(std::span<char*> arguments) {
  const fs::path folder = arguments[2];
  GraphOptions options;
  options.layouts = {"auto"};
  options.with_packed = true;
  if (std::string_view(arguments[1]) != "-") options.checkpoint = arguments[1];
  Lengths lengths;
  int profiled = 0;
  for (const std::string pair : arguments.subspan(3)) {
    const std::size_t equals = pair.find('=');
    const std::string name = pair.substr(0, equals), value = pair.substr(equals + 1);
    if (name == "last") options.last.push_back(value);
    else if (name == "cache") options.cache.push_back(value);
    else if (name == "store") options.store = value;
    else if (name == "profile") profiled = std::stoi(value);
    else lengths[name] = std::stoll(value);
  }
  std::optional<CompiledGraph> graph = CompiledGraph::make(arguments[0], options);
  if (!graph) return 1;
  const CompileResult& result = graph->result();

  Json inputs = Json::array(), external = Json::array();
  std::vector<HostTensor> tensors;
  for (const Port& port : result.inputs) {
    const HostTensor& input = tensors.emplace_back(make_input(port, lengths));
    const std::string file = fmt::format("input_{}.bin", inputs.size());
    write_file(folder / file, {reinterpret_cast<const char*>(input.data.data()), input.data.size()});
    const bool cached = std::ranges::any_of(result.cached, [&](const auto& pair) { return pair.first == port.name; });
    inputs.push_back({{"name", port.name}, {"dtype", port.dtype}, {"code", static_cast<int>(input.dtype)}, {"extents", input.extents},
                      {"cached", cached}, {"file", file}});
  }
  write_file(folder / "inputs.json", inputs.dump());
  const fs::path beside = fs::absolute(arguments[0]).parent_path();
  for (const std::string& location : result.external_locations) external.push_back({location, (beside / location).string()});
  const Json module = {{"library", graph->library_file().string()},
                       {"name", result.module_name},
                       {"checkpoint", result.needs_checkpoint ? fs::absolute(options.checkpoint).string() : ""},
                       {"external", external}};
  write_file(folder / "module.json", module.dump());
  UnfinishedFile packed(folder / "weights.loam");
  graph->session().pack([&](std::span<const std::byte> bytes) { packed.write(bytes); });
  packed.finish();
  if (profiled == 0) return 0;
  const MappedFile weights(folder / "weights.loam");
  const Library library(graph->library_file());
  Session session(library.module(result.module_name), weights.bytes(), BackendKind::opaque, profiled);
  std::vector<harness::RawTensor> raw;
  for (const HostTensor& input : tensors) raw.push_back(input.raw());
  std::fputs(profile({session, result, graph->files(), graph->options()}, raw, 50).c_str(), stdout);
  return 0;
}

// Bytes of memory as /proc/self/status has them: VmRSS now, VmHWM at most. 0 where there is none.
std::int64_t memory(std::string_view what) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(what)) return std::stoll(line.substr(what.size() + 1)) * 1024;
  return 0;
}

int serve(const fs::path& folder, int threads, bool packed) {
  const Json module = Json::parse(read_text(folder / "module.json")), ports = Json::parse(read_text(folder / "inputs.json"));
  std::vector<HostTensor> inputs;
  std::vector<harness::RawTensor> raw;
  for (const Json& port : ports) {
    const std::string bytes = read_text(folder / port["file"].get<std::string>());
    inputs.push_back(make_tensor<char>(port["extents"], static_cast<DType>(port["code"].get<int>()), bytes));
  }
  for (const HostTensor& input : inputs) raw.push_back(input.raw());

  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); };
  std::ofstream("/proc/self/clear_refs") << "5";  // VmHWM counts from here
  const std::int64_t before = memory("VmRSS:");
  const Clock::time_point opening = Clock::now();
  const Library library(module["library"].get<std::string>());
  const harness::Module& opened = library.module(module["name"].get<std::string>());
  MappedFile checkpoint;
  std::vector<MappedFile> mapped;
  std::optional<Session> session;
  if (packed) {
    checkpoint = MappedFile(folder / "weights.loam");
    session.emplace(opened, checkpoint.bytes(), BackendKind::cpu, threads);
  } else {
    const std::string file = module["checkpoint"];
    if (!file.empty()) checkpoint = MappedFile(file);
    std::vector<DataFile> external;
    for (const Json& pair : module["external"])
      external.push_back({pair[0], mapped.emplace_back(pair[1].get<std::string>()).bytes()});
    session.emplace(opened, file.empty() ? std::nullopt : std::optional(checkpoint.bytes()), external, BackendKind::cpu, threads,
                    [&](std::int64_t, std::int64_t, std::span<const std::byte> idle) {
                      checkpoint.let_go(idle);
                      for (const MappedFile& file : mapped) file.let_go(idle);
                    });
  }
  session->run(raw);
  const double seconds = since(opening);
  const Json ready = {{"name", "Loam"}, {"seconds", seconds}, {"peak", memory("VmHWM:") - before}};
  std::printf("ready %s\n", ready.dump().c_str());
  std::fflush(stdout);

  for (std::size_t i = 0; i < raw.size(); ++i)
    if (ports[i]["cached"]) raw[i].dtype = 0;
  for (std::string line; std::getline(std::cin, line);) {
    for (long n = std::strtol(line.c_str(), nullptr, 10); n > 0; --n) {
      const Clock::time_point start = Clock::now();
      session->run(raw);
      std::printf("%.9f ", since(start));
    }
    std::puts("");
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) {
    std::puts("bench_models: skipped, bench/models.py runs it");
    return 0;
  }
  try {
    const std::span<char*> given(arguments + 1, static_cast<std::size_t>(count - 1));
    if (fs::is_directory(given[0])) return serve(given[0], std::atoi(given[1]), given.size() > 2);
    if (given.size() < 3) throw Failure("give GRAPH, CHECKPOINT and FOLDER");
    return prepare(given);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_models: %s\n", error.what());
    return 1;
  }
}
