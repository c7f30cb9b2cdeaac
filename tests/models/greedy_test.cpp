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

// Tokens of a text without a past: the same bytes on any number of threads, and on the backend whose storage nothing
// but it can read.
void expect_the_same_elsewhere(const CompileResult& result, const fs::path& checkpoint, std::int64_t tokens) {
  const CompileResult* const module = &result;  // compiled already, so found again by its content
  const cli::Library library(
      cli::HostCompiler(cli::CodeFor::speed).build(std::span(&module, 1), std::chrono::hours(1)).path);
  const cli::MappedFile weights(checkpoint);
  std::vector<cli::HostTensor> inputs;
  for (const Port& port : result.inputs) {
    const DType dtype = port.dtype == "float32" ? DType::float32 : port.dtype == "bool" ? DType::boolean : DType::int64;
    std::vector<std::int64_t> extents;
    for (std::size_t k = 0; k < port.extents.size(); ++k) {
      const bool known = port.extents[k].find_first_not_of("0123456789") == std::string::npos;
      extents.push_back(known ? std::stoll(port.extents[k]) : k == 0 ? 1 : port.name.starts_with("past") ? 0 : tokens);
    }
    const std::size_t bytes = dense_bytes(dtype, element_count(extents).value_or(0)).value_or(0);
    inputs.push_back({dtype, extents, std::vector<std::byte>(bytes)});
  }
  std::vector<std::string> outputs;
  using enum cli::BackendKind;
  for (const auto& [backend, threads] : {std::pair(cpu, 1), std::pair(cpu, 3), std::pair(opaque, 2)}) {
    cli::Session session(library.module(result.module_name), weights.bytes(), {}, backend, threads);
    std::vector<harness::RawTensor> raw;
    for (const cli::HostTensor& input : inputs) raw.push_back(input.raw());
    outputs.emplace_back();
    for (const harness::RawTensor& output : session.run(raw))
      outputs.back().append(static_cast<const char*>(output.data), output.bytes);
  }
  EXPECT_FALSE(outputs[0].empty());
  EXPECT_TRUE(outputs[0] == outputs[1]) << "of three threads";
  EXPECT_TRUE(outputs[0] == outputs[2]) << "of the opaque backend";
}

void expect_greedy(const std::string& family, const fs::path& graph, const fs::path& checkpoint,
                   const std::string& store, Prompt prompts = Prompt::at_once, std::vector<std::string> cache = {}) {
  cli::GraphOptions options;
  options.cache = std::move(cache);
  options.checkpoint = checkpoint;
  options.layouts = {"auto"};
  options.store = store;
  std::optional<cli::CompiledGraph> compiled = cli::CompiledGraph::make(graph, options);
  ASSERT_TRUE(compiled);
  expect_greedy(family, *compiled, prompts);
  expect_the_same_elsewhere(compiled->result(), checkpoint, 1);
  expect_the_same_elsewhere(compiled->result(), checkpoint, 40);
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
  expect_greedy("gpt2", models / "gpt2/decoder_with_past.onnx", checkpoint, "", Prompt::token_by_token,
                {"past_key_values.*=present.*"});
}

TEST(Greedy, Llama) {
  expect_greedy("llama", models / "llama/model.onnx", models / "llama/model.f16.safetensors", "checkpoint", Prompt::at_once,
                {"past_key_values.*=present.*"});
}

}  // namespace
}  // namespace loam::test
