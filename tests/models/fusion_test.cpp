// Every model of the repository computes the same fused and not.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "cli/graph_options.hpp"
#include "runtime/half.hpp"
#include "tests/models/support.hpp"

namespace loam::test {
namespace {

const fs::path examples = fs::path(LOAM_SOURCE_DIR) / "examples";

struct Example {
  fs::path graph, checkpoint;
  std::string layout;
};

// An element of an input: floats about 0, small ids, masks of ones.
cli::HostTensor made_up(const Port& port, std::mt19937& random, std::int64_t length) {
  std::vector<std::int64_t> extents;
  for (const std::string& extent : port.extents) {
    const bool number = extent.find_first_not_of("0123456789") == std::string::npos;
    const bool past = port.name.starts_with("past") && extents.size() == 2;
    extents.push_back(number ? std::stoll(extent) : past ? 0 : length);
  }
  const auto n = static_cast<std::size_t>(element_count(extents).value_or(0));
  if (port.dtype == "bool") return host(DType::boolean, extents, std::vector<std::uint8_t>(n));
  if (port.dtype == "int64") {
    std::vector<std::int64_t> ids(n);
    for (std::size_t i = 0; i < n; ++i)
      ids[i] = port.name.find("mask") != std::string::npos       ? 1
               : port.name.find("position") != std::string::npos ? static_cast<std::int64_t>(i)
                                                                 : static_cast<std::int64_t>(random() % 500);
    return host(DType::int64, extents, ids);
  }
  std::vector<float> values(n);
  std::normal_distribution<float> normal;
  for (float& value : values) value = normal(random);
  if (port.dtype == "float32") return floats(extents, values);
  EXPECT_EQ(port.dtype, "float16");
  std::vector<float16> halves(values.begin(), values.end());
  return host(DType::float16, extents, halves);
}

float element(const cli::HostTensor& tensor, std::size_t i) {
  if (tensor.dtype == DType::float16) {
    float16 half;
    std::memcpy(&half, tensor.data.data() + 2 * i, 2);
    return half;
  }
  float value = 0;
  if (tensor.dtype == DType::float32) std::memcpy(&value, tensor.data.data() + 4 * i, 4);
  return value;
}

class Fusing : public ::testing::TestWithParam<Example> {};

TEST_P(Fusing, ChangesNoResult) {
  const Example& example = GetParam();
  std::vector<std::vector<cli::HostTensor>> results;
  std::vector<std::size_t> calls;
  for (const bool fuse : {true, false}) {
    cli::GraphOptions options;
    options.checkpoint = example.checkpoint;
    options.layouts = {example.layout};
    options.fuse = fuse;
    if (!example.checkpoint.empty()) options.store = "checkpoint";
    const cli::GraphFiles files(example.graph, options.checkpoint);
    Diagnostics diagnostics;
    CompileOptions compile_with = cli::compile_options(options, diagnostics);
    compile_with.include_runtime = compile_with.harness = true;
    const CompileResult result = compile(files.input(), compile_with, diagnostics);
    ASSERT_FALSE(diagnostics.failed());
    calls.push_back(result.calls);
    const CompileResult* const module = &result;
    const cli::HostLibrary built =
        cli::HostCompiler(cli::CodeFor::large_tests).build(std::span(&module, 1), std::chrono::hours(1));
    ASSERT_FALSE(built.path.empty()) << built.output;
    const cli::Library library(built.path);
    cli::Session session(library.module(result.module_name),
                         result.needs_checkpoint ? files.checkpoint() : std::nullopt,
                         files.external(result.external_locations), cli::BackendKind::cpu);
    std::mt19937 random(1);
    std::vector<cli::HostTensor> inputs;
    std::vector<harness::RawTensor> raw;
    for (const Port& port : result.inputs) inputs.push_back(made_up(port, random, 7));
    for (const cli::HostTensor& input : inputs) raw.push_back(input.raw());
    results.emplace_back();
    for (const harness::RawTensor& output : session.run(raw)) results.back().push_back(kept(output));
  }
  EXPECT_LT(calls[0], calls[1]);
  for (std::size_t k = 0; k < results[0].size(); ++k) {
    const cli::HostTensor &fused = results[0][k], &unfused = results[1][k];
    ASSERT_EQ(fused.extents, unfused.extents);
    const auto n = static_cast<std::size_t>(element_count(fused.extents).value_or(0));
    float greatest = 0;
    for (std::size_t i = 0; i < n; ++i) greatest = std::max(greatest, std::fabs(element(unfused, i)));
    const float tolerance = (fused.dtype == DType::float16 ? 2e-3f : 2e-5f) * greatest;
    for (std::size_t i = 0; i < n; ++i) ASSERT_NEAR(element(fused, i), element(unfused, i), tolerance) << k << " " << i;
  }
}

const fs::path gpt2 = examples / "models/gpt2", llama = examples / "models/llama";
INSTANTIATE_TEST_SUITE_P(
    Examples, Fusing,
    ::testing::Values(Example{examples / "mlp/mlp.onnx", examples / "mlp/mlp.safetensors", examples / "mlp/mlp.layout.json"},
                      Example{examples / "mnist/digits.onnx", "", "auto"},
                      Example{examples / "half/edges.onnx", "", examples / "half/edges.layout.json"},
                      Example{gpt2 / "decoder.onnx", gpt2 / "decoder_merged.f16.safetensors", "auto"},
                      Example{gpt2 / "decoder_merged.onnx", gpt2 / "decoder_merged.f16.safetensors", "auto"},
                      Example{llama / "model.onnx", llama / "model.f16.safetensors", "auto"}),
    [](const auto& test) { return test.param.graph.parent_path().stem().string() + "_" + test.param.graph.stem().string(); });

}  // namespace
}  // namespace loam::test
