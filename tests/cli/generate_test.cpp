// `loam generate` picks the tokens that onnxruntime picked, on the repository's own models.
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "tests/cli/support.hpp"

namespace loam::cli::testing {
namespace {

const fs::path models = LOAM_SOURCE_DIR "/examples/models";

class Generate : public Command {
 protected:
  // Greedy continuations of one graph by prompt, against greedy.json's entry of this name.
  void expect_greedy(const std::string& entry, const std::string& folder, const std::string& graph,
                     std::size_t prompts) {
    const nlohmann::json cases = nlohmann::json::parse(read_text(models / "greedy.json"))[entry];
    ASSERT_GE(cases.size(), prompts);
    for (std::size_t i = 0; i < prompts; ++i) {
      const std::string prompt = cases[i]["prompt"].get<std::string>();
      const auto ids = cases[i]["continuation_ids"].get<std::vector<int>>();
      const Finished finished = loam({"generate", (models / folder).string(), "--graph", graph, "--prompt", prompt,
                                      "--tokens", std::to_string(ids.size()), "--ids"});
      EXPECT_EQ(finished.status, 0) << finished.output;
      EXPECT_TRUE(finished.output.find(fmt::format("{}\n", fmt::join(ids, " "))) != std::string::npos)
          << prompt << "\n"
          << finished.output;
    }
  }
};

TEST_F(Generate, LlamaWithPast) { expect_greedy("llama", "llama", "model.onnx", 5); }
TEST_F(Generate, Gpt2MergedWithIf) { expect_greedy("gpt2_merged", "gpt2", "decoder_merged.onnx", 5); }
TEST_F(Generate, Gpt2WithoutPast) { expect_greedy("gpt2", "gpt2", "decoder.onnx", 5); }

TEST_F(Generate, TheTextIsThePromptAndItsContinuation) {
  const nlohmann::json first = nlohmann::json::parse(read_text(models / "greedy.json"))["gpt2_merged"][0];
  const Finished finished =
      loam({"generate", (models / "gpt2").string(), "--prompt", first["prompt"].get<std::string>(), "--tokens",
            std::to_string(first["continuation_ids"].size())});
  EXPECT_EQ(finished.status, 0);
  EXPECT_TRUE(finished.output.starts_with(first["text"].get<std::string>() + "\n")) << finished.output;
  EXPECT_NE(finished.output.find(" tokens/s"), std::string::npos) << finished.output;
}

TEST_F(Generate, PastTheModelsPositionsItsRefusalIsPrinted) {
  const Finished finished =
      loam({"generate", (models / "gpt2").string(), "--prompt", "In the beginning", "--tokens", "600"});
  EXPECT_EQ(finished.status, 1);
  EXPECT_NE(finished.output.find("\nerror: "), std::string::npos) << finished.output;
  EXPECT_NE(finished.output.find("512"), std::string::npos) << finished.output;
}

TEST_F(Generate, WhatIsMissingIsNamed) {
  const Finished none = loam({"generate", folder().string(), "--prompt", "x"});
  EXPECT_EQ(none.status, 1);
  EXPECT_NE(none.output.find("holds none of decoder_merged.onnx"), std::string::npos) << none.output;
  write_file(folder() / "model" / "model.onnx", unary_model("Abs"));
  const Finished tokenizer = loam({"generate", (folder() / "model").string(), "--prompt", "x"});
  EXPECT_EQ(tokenizer.status, 1);
  EXPECT_NE(tokenizer.output.find("tokenizer.json"), std::string::npos) << tokenizer.output;
}

}  // namespace
}  // namespace loam::cli::testing
