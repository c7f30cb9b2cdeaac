// One model as bench/models.py times it: compiles the graph, makes inputs, and runs it as often as it is asked.
//
//   bench_models GRAPH CHECKPOINT THREADS FOLDER [SYMBOL=N ...] [last=OUTPUT] [cache=INPUT=OUTPUT]
//
// CHECKPOINT may be "-". Of an OUTPUT only the last place is computed, as --last does, and a cache is kept as --cache does:
// each run goes on from the same past. The inputs go to FOLDER: inputs.json names each one's type, extents and file of raw elements. The
// program prints "ready"; then, for every line with a number, it runs the model so often and prints the seconds each run
// took, in a line.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/compiled.hpp"
#include "cli/failure.hpp"

namespace {

using namespace loam;
using namespace loam::cli;

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

void write_inputs(const fs::path& folder, const std::vector<Port>& ports, const std::vector<HostTensor>& inputs) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  std::vector<NewFile> files;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string file = fmt::format("input_{}.bin", i);
    list.push_back({{"name", ports[i].name}, {"dtype", ports[i].dtype}, {"extents", inputs[i].extents}, {"file", file}});
    files.push_back({file, {reinterpret_cast<const char*>(inputs[i].data.data()), inputs[i].data.size()}});
  }
  const std::string text = list.dump();
  files.push_back({"inputs.json", text});
  write_files(folder, files);
}

int serve(std::span<char*> arguments) {
  GraphOptions options;
  options.layouts = {"auto"};
  if (std::string_view(arguments[1]) != "-") options.checkpoint = arguments[1];
  options.threads = std::atoi(arguments[2]);
  Lengths lengths;
  for (const std::string pair : arguments.subspan(4)) {
    const std::size_t equals = pair.find('=');
    if (pair.starts_with("last=")) {
      options.last.push_back(pair.substr(equals + 1));
      continue;
    }
    if (pair.starts_with("cache=")) {
      options.cache.push_back(pair.substr(equals + 1));
      continue;
    }
    lengths[pair.substr(0, equals)] = std::stoll(pair.substr(equals + 1));
  }
  std::optional<CompiledGraph> graph = CompiledGraph::make(arguments[0], options);
  if (!graph) return 1;
  std::vector<HostTensor> inputs;
  std::vector<harness::RawTensor> raw;
  for (const Port& port : graph->result().inputs) inputs.push_back(make_input(port, lengths));
  for (const HostTensor& input : inputs) raw.push_back(input.raw());
  write_inputs(arguments[3], graph->result().inputs, inputs);
  graph->session().run(raw);
  for (const auto& [cached, output] : graph->result().cached)
    for (std::size_t i = 0; i < raw.size(); ++i)
      if (graph->result().inputs[i].name == cached) raw[i].dtype = 0;
  std::puts("ready");
  std::fflush(stdout);
  for (std::string line; std::getline(std::cin, line);) {
    using Clock = std::chrono::steady_clock;
    for (long n = std::strtol(line.c_str(), nullptr, 10); n > 0; --n) {
      const Clock::time_point start = Clock::now();
      graph->session().run(raw);
      std::printf("%.9f ", std::chrono::duration<double>(Clock::now() - start).count());
    }
    std::puts("");
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 5) {
    std::puts("bench_models: skipped, bench/models.py runs it");
    return 0;
  }
  try {
    return serve(std::span(arguments + 1, static_cast<std::size_t>(count - 1)));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_models: %s\n", error.what());
    return 1;
  }
}
