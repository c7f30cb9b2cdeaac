// loam generate: a language model continues a prompt.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/decoder.hpp"
#include "cli/failure.hpp"
#include "text/generate.hpp"
#include "text/tokenizer.hpp"

namespace loam::cli {
namespace {

struct Options {
  std::string folder, prompt, graph;
  unsigned tokens = 48;
  bool ids = false;
  GraphOptions build;
};

// The graph that does most for a text: a merged one keeps the past from the first step on.
fs::path find_graph(const Options& options) {
  const fs::path folder = options.folder;
  if (!options.graph.empty()) return folder / options.graph;
  for (const char* name : {"decoder_merged.onnx", "model.onnx", "decoder_with_past.onnx", "decoder.onnx"})
    if (fs::exists(folder / name)) return folder / name;
  throw Failure(folder.string() +
                ": holds none of decoder_merged.onnx, model.onnx, decoder_with_past.onnx, decoder.onnx");
}

// The graph's own checkpoint by name, else the folder's only one. Empty where there is neither: the weights may lie in
// the graph, or in the data file it names.
std::string find_checkpoint(const fs::path& graph) {
  const std::string stem = graph.stem().string();
  for (const char* extension : {".safetensors", ".f16.safetensors"})
    if (const fs::path file = graph.parent_path() / (stem + extension); fs::exists(file)) return file.string();
  std::vector<fs::path> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(graph.parent_path()))
    if (entry.path().extension() == ".safetensors") found.push_back(entry.path());
  return found.size() == 1 ? found.front().string() : std::string();
}

text::Tokenizer read_tokenizer(const fs::path& folder) {
  const fs::path absolute = fs::absolute(folder).lexically_normal();
  for (const fs::path& place :
       {absolute, absolute.has_filename() ? absolute.parent_path() : absolute.parent_path().parent_path()}) {
    const fs::path file = place / "tokenizer.json";
    if (!fs::exists(file)) continue;
    const MappedFile json(file);
    text::Result<text::Tokenizer> tokenizer = text::Tokenizer::from_json(json.text());
    if (!tokenizer) throw Failure(fmt::format("{}: {}", file.string(), tokenizer.error().message));
    return *tokenizer;
  }
  throw Failure(folder.string() + ": neither it nor its parent holds tokenizer.json");
}

// The ids that end a text, by the configuration files a model's folder may hold.
std::vector<std::int32_t> end_of_text(const fs::path& folder) {
  for (const char* name : {"generation_config.json", "config.json"}) {
    if (!fs::exists(folder / name)) continue;
    const nlohmann::json json = nlohmann::json::parse(read_text(folder / name), nullptr, false);
    if (!json.is_object() || !json.contains("eos_token_id")) continue;
    std::vector<std::int32_t> ids;
    const nlohmann::json& eos = json["eos_token_id"];
    for (const nlohmann::json& id : eos.is_array() ? eos : nlohmann::json::array({eos}))
      if (id.is_number_integer()) ids.push_back(id.get<std::int32_t>());
    return ids;
  }
  return {};
}

// What the tokens turn into: text as it comes, or their ids at the end.
class Output {
 public:
  Output(const Options& options, const text::Tokenizer& tokenizer, std::span<const std::int32_t> prompt)
      : ids_(options.ids), decoder_(tokenizer) {
    if (ids_) return;
    show(options.prompt);
    for (const std::int32_t id : prompt) decoder_.add(id);  // some tokenizers spell a text's first word otherwise
  }
  void add(std::int32_t id) {
    if (ids_)
      fmt::print("{}{}", first_ ? "" : " ", id);
    else
      show(decoder_.add(id));
    first_ = false;
  }
  void end() { show((ids_ ? std::string() : decoder_.finish()) + "\n"); }

 private:
  static void show(std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  }
  bool ids_, first_ = true;
  text::Decoder decoder_;
};

// How long the prompt took, and how fast the tokens after the first one came.
class Stopwatch {
 public:
  void token() {
    last_ = Clock::now();
    if (count_++ == 0) first_ = last_;
  }
  void print(std::size_t prompt_tokens) const {
    if (count_ == 0) return;
    const std::chrono::duration<double> prefill = first_ - start_, rest = last_ - first_;
    fmt::print(stderr, "prompt: {} tokens in {:.3f} s", prompt_tokens, prefill.count());
    if (count_ > 1)
      fmt::print(stderr, "; then {} tokens in {:.3f} s: {:.1f} tokens/s", count_ - 1, rest.count(),
                 static_cast<double>(count_ - 1) / rest.count());
    fmt::print(stderr, "\n");
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now(), first_{}, last_{};
  std::size_t count_ = 0;
};

int generate(const Options& options) {
  const fs::path path = find_graph(options);
  GraphOptions build = options.build;
  if (build.checkpoint.empty()) build.checkpoint = find_checkpoint(path);
  build.store = "checkpoint";
  build.prefer_cache = {"past_key_values.*=present.*"};
  if (build.layouts.empty()) build.layouts = {"auto"};
  const text::Tokenizer tokenizer = read_tokenizer(options.folder);
  const std::vector<std::int32_t> prompt = tokenizer.encode(options.prompt);
  if (prompt.empty()) throw Failure("the prompt has no tokens");
  std::optional<CompiledGraph> graph = CompiledGraph::make(path, build);
  if (!graph) return exit_failed;

  DecoderGraph decoder(*graph);
  const text::Step step = [&](std::span<const std::int32_t> tokens) -> text::Result<std::span<const float>> {
    try {
      return decoder.logits(tokens);
    } catch (const Failure& refused) {
      return text::Error{refused.what()};
    }
  };
  Output output(options, tokenizer, prompt);
  Stopwatch watch;
  const text::GenerateOptions limits{options.tokens, end_of_text(options.folder)};
  const text::Result<text::Generated> generated = text::generate(step, prompt, limits, [&](std::int32_t id) {
    watch.token();
    output.add(id);
    return true;
  });
  output.end();
  watch.print(prompt.size());
  if (!generated) throw Failure(generated.error().message);
  return exit_ok;
}

}  // namespace

void add_generate(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("generate", "Let a language model continue a prompt");
  auto options = std::make_shared<Options>();
  command
      ->add_option("MODEL_DIR", options->folder,
                   "A folder with a decoder's graph, its checkpoint and, there or above, tokenizer.json")
      ->required();
  command->add_option("--prompt", options->prompt, "The text to continue")->required()->type_name("TEXT");
  command->add_option("--tokens", options->tokens, "Tokens to add at most; 48 where not given")->type_name("N");
  command
      ->add_option("--graph", options->graph,
                   "The graph's file in MODEL_DIR; the first there is of decoder_merged.onnx, model.onnx, "
                   "decoder_with_past.onnx and decoder.onnx where not given")
      ->type_name("NAME");
  command->add_option("--checkpoint", options->build.checkpoint, "The weights; found in MODEL_DIR where not given")
      ->type_name("FILE");
  add_layout_option(*command, options->build);
  add_rewrite_options(*command, options->build);
  add_packed_option(*command, options->build);
  add_threads_option(*command, options->build);
  command->add_flag("--ids", options->ids, "Print the tokens' ids rather than their text");
  command->footer(
      "Example: loam generate examples/models/gpt2 --prompt \"In the beginning\" --tokens 48\n"
      "The likeliest token is taken at each step. Weights are held in the checkpoint's own type.");
  command->callback([options, &action] { action = [options] { return generate(*options); }; });
}

}  // namespace loam::cli
