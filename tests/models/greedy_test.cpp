// The oracle of the demo models: every graph picks the tokens onnxruntime picked.
#include <gtest/gtest.h>

#include <bit>
#include <nlohmann/json.hpp>

#include "cli/compiled.hpp"
#include "cli/decoder.hpp"
#include "compiler/read/safetensors.hpp"
#include "runtime/half.hpp"
#include "tests/models/support.hpp"
#include "text/generate.hpp"

namespace loam::test {
namespace {

const fs::path models = fs::path(LOAM_SOURCE_DIR) / "examples/models";

enum class Prompt : std::uint8_t { at_once, token_by_token };

// The five prompts of a family, each continued by 48 tokens.
void expect_greedy(const std::string& family, cli::CompiledGraph& graph, Prompt prompts) {
  const nlohmann::json oracle = nlohmann::json::parse(cli::read_text(models / "greedy.json"), nullptr, false);
  ASSERT_EQ(oracle[family].size(), 5u);
  for (const nlohmann::json& text : oracle[family]) {
    cli::DecoderGraph decoder(graph);
    const auto prompt = text["prompt_ids"].get<std::vector<std::int32_t>>();
    const auto continuation = text["continuation_ids"].get<std::vector<std::int32_t>>();
    const auto step = [&](std::span<const std::int32_t> tokens) -> text::Result<std::span<const float>> {
      if (prompts == Prompt::token_by_token)
        for (; tokens.size() > 1; tokens = tokens.subspan(1)) decoder.logits(tokens.first(1));
      return decoder.logits(tokens);
    };
    const auto generated = text::generate(step, prompt, {.max_tokens = continuation.size()});
    ASSERT_TRUE(generated) << generated.error().message;
    EXPECT_EQ(generated->tokens, continuation) << text["prompt"];
  }
}

void expect_greedy(const std::string& family, const fs::path& graph, const fs::path& checkpoint,
                   const std::string& store, Prompt prompts = Prompt::at_once) {
  cli::GraphOptions options;
  options.checkpoint = checkpoint;
  options.layouts = {"auto"};
  options.store = store;
  std::optional<cli::CompiledGraph> compiled = cli::CompiledGraph::make(graph, options);
  ASSERT_TRUE(compiled);
  expect_greedy(family, *compiled, prompts);
}

// The float16 checkpoint as float32, one tensor renamed: what expand.py writes for decoder_with_past.
std::string widened(std::string_view checkpoint, std::string_view name, std::string_view renamed) {
  Diagnostics diagnostics;
  const auto header = read_safetensors_header(bytes_of(checkpoint), checkpoint.size(), diagnostics);
  std::vector<StoredTensor> tensors;
  for (const CheckpointTensor& t : header->tensors) {
    std::vector<float> elements(t.bytes / 2);
    for (std::size_t i = 0; i < elements.size(); ++i) {
      float16 half;
      std::memcpy(&half, checkpoint.data() + t.offset + 2 * i, 2);
      elements[i] = half;
    }
    tensors.push_back({t.name == name ? std::string(renamed) : t.name, "F32", t.dims, bytes_as_text(elements)});
  }
  return safetensors(tensors);
}

TEST(Greedy, Gpt2Decoder) {
  expect_greedy("gpt2", models / "gpt2/decoder.onnx", models / "gpt2/decoder_merged.f16.safetensors", "checkpoint");
}

TEST(Greedy, Gpt2DecoderMerged) {
  expect_greedy("gpt2_merged", models / "gpt2/decoder_merged.onnx", models / "gpt2/decoder_merged.f16.safetensors",
                "checkpoint");
}

TEST(Greedy, Gpt2DecoderWithPastOneTokenAStep) {
  const cli::TemporaryFolder folder(fs::temp_directory_path());
  const fs::path checkpoint = folder.path() / "decoder_with_past.safetensors";
  const std::string half = cli::read_text(models / "gpt2/decoder_merged.f16.safetensors");
  cli::write_file(checkpoint, widened(half, "onnx::MatMul_1903", "onnx::MatMul_1934"));
  expect_greedy("gpt2", models / "gpt2/decoder_with_past.onnx", checkpoint, "", Prompt::token_by_token);
}

TEST(Greedy, Llama) {
  expect_greedy("llama", models / "llama/model.onnx", models / "llama/model.f16.safetensors", "checkpoint");
}

}  // namespace
}  // namespace loam::test
