// `loam generate` on the repository's own models. tests/models/ holds every graph to the oracle.
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "tests/cli/support.hpp"

namespace loam::cli::testing {
namespace {

const fs::path models = LOAM_SOURCE_DIR "/examples/models";

using Generate = Command;

nlohmann::json first_case(const std::string& family) {
  return nlohmann::json::parse(read_text(models / "greedy.json"), nullptr, false)[family][0];
}

TEST_F(Generate, IdsAreTheOraclesTokens) {
  const nlohmann::json first = first_case("llama");
  const auto ids = first["continuation_ids"].get<std::vector<int>>();
  const Finished finished = loam({"generate", (models / "llama").string(), "--prompt",
                                  first["prompt"].get<std::string>(), "--tokens", std::to_string(ids.size()), "--ids"});
  EXPECT_EQ(finished.status, 0);
  EXPECT_TRUE(finished.output.starts_with(fmt::format("{}\n", fmt::join(ids, " ")))) << finished.output;
}

TEST_F(Generate, TheTextIsThePromptAndItsContinuation) {
  const nlohmann::json first = first_case("gpt2_merged");
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
