// Where weights come from, and what is said where they cannot.
#include "cli/files.hpp"
#include "tests/models/support.hpp"

namespace loam::test {
namespace {

// Rows of an embedding, by their ids: tensors named as GPT-2's are.
Proto embedding(std::int64_t vocab = 16, std::int64_t embed = 32) {
  return graph_of(
      {node("Gather", {"transformer.wte.weight", "ids"}, {"rows"}), node("Add", {"rows", "transformer.bias"}, {"y"})},
      {value("ids", DType::int64, "Seq")}, {value("y", DType::float32, "Seq " + std::to_string(embed))},
      {tensor("transformer.wte.weight", DType::float32, {vocab, embed}),
       tensor("transformer.bias", DType::float32, {embed})});
}

CompileOptions named(std::string module_name = "embedding") {
  CompileOptions options;
  options.module_name = std::move(module_name);
  options.layout.rules = {{.pattern = "transformer.wte.weight", .axes = {"Vocab", "Embed"}, .graph = {}}};
  return options;
}

std::vector<float> numbers(std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i) / 8;
  return values;
}

StoredTensor table(std::int64_t vocab = 16, std::int64_t embed = 32) {
  return {
      "transformer.wte.weight", "F32", {vocab, embed}, bytes_as_text(numbers(static_cast<std::size_t>(vocab * embed)))};
}
StoredTensor bias(std::int64_t embed = 32) {
  return {"transformer.bias", "F32", {embed}, bytes_as_text(numbers(static_cast<std::size_t>(embed)))};
}

const cli::HostTensor ids = host(DType::int64, {2}, std::vector<std::int64_t>{3, 0});

TEST(Checkpoint, WhatDisagreesWithTheGraphStopsTheBuild) {
  EXPECT_EQ(Build(embedding(), named(), safetensors({table(16, 64), bias()})).errors(),
            "transformer.wte.weight: axis Embed is 64 in the checkpoint and 32 in the graph");
  EXPECT_EQ(Build(embedding(), named(), safetensors({table(17, 64), bias(31)})).errors(),
            "transformer.wte.weight: axis Vocab is 17 in the checkpoint and 16 in the graph\n"
            "transformer.wte.weight: axis Embed is 64 in the checkpoint and 32 in the graph\n"
            "transformer.bias: axis Embed is 31 in the checkpoint and 32 in the graph");
  StoredTensor flat = table();
  flat.shape = {16 * 32};
  EXPECT_EQ(Build(embedding(), named(), safetensors({flat, bias()})).errors(),
            "transformer.wte.weight: has 1 axes in the checkpoint and 2 in the graph");
  StoredTensor half = table();
  half.dtype = "F16";
  half.bytes.resize(half.bytes.size() / 2);
  EXPECT_EQ(Build(embedding(), named(), safetensors({half, bias()})).errors(),
            "transformer.wte.weight: is float16 in the checkpoint and float32 in the graph");
  StoredTensor whole = table();
  whole.dtype = "I32";
  CompileOptions stored = named();
  stored.store_checkpoint = true;
  EXPECT_EQ(Build(embedding(), stored, safetensors({whole, bias()})).errors(),
            "transformer.wte.weight: is int32 in the checkpoint and float32 in the graph");
  EXPECT_EQ(Build(embedding(), named(), safetensors({table()})).errors(),
            "transformer.bias: the graph carries no data for this initializer, and the checkpoint holds no tensor of "
            "this name");
}

TEST(Checkpoint, AFileThatIsNoneStopsTheBuild) {
  const std::string good = safetensors({table(), bias()});
  for (const std::string& bad : {good.substr(0, 7), good.substr(0, 20), good.substr(0, good.size() - 1),
                                 std::string("\377\377\377\377\377\377\377\177 {}", 11)}) {
    const std::string errors = Build(embedding(), named(), bad).errors();
    EXPECT_NE(errors, "") << bad.size();
  }
}

TEST(Checkpoint, OfNarrowFloatsIsHeldAsItIs) {
  CompileOptions options = named("narrow");
  options.store_checkpoint = true;
  StoredTensor half{"transformer.wte.weight", "F16", {16, 32}, {}};
  for (std::size_t i = 0; i < 16 * 32; ++i) half.bytes += Proto::little_endian(std::uint16_t{0x3c00});  // 1
  const std::string checkpoint = safetensors({half, bias()});
  const Build build(embedding(), options, checkpoint);
  EXPECT_NE(build.header().find("loam::Tensor<loam::float16, Vocab, Embed> transformer_wte_weight;"),
            std::string_view::npos);
  const Modules modules({&build});
  ASSERT_TRUE(modules);
  const auto ran = modules.run("narrow", {ids}, checkpoint);
  std::vector<float> expected = numbers(32);
  for (float& e : expected) e += 1;
  expected.insert(expected.end(), expected.begin(), expected.begin() + 32);
  EXPECT_EQ(ran.get<float>("y"), expected) << ran.error;
}

TEST(Weights, InTheModuleAndInTheCheckpointGiveTheSame) {
  const std::string checkpoint = safetensors({table(), bias()});
  CompileOptions inside = named("inside");
  inside.embed_weights = true;
  const Build from_file(embedding(), named("from_file"), checkpoint), embedded(embedding(), inside, checkpoint);
  EXPECT_TRUE(from_file.result().needs_checkpoint);
  EXPECT_FALSE(embedded.result().needs_checkpoint);
  EXPECT_NE(embedded.header().find("static Weights embedded()"), std::string_view::npos);
  const Modules modules({&from_file, &embedded});
  ASSERT_TRUE(modules);
  const auto ran = modules.run("from_file", {ids}, checkpoint);
  EXPECT_EQ(ran.get<float>("y").size(), 64u) << ran.error;
  EXPECT_EQ(ran.get<float>("y"), modules.run("inside", {ids}).get<float>("y"));
}

TEST(Weights, WhatIsWrongWithACheckpointIsSaidWhenItIsLoaded) {
  const std::string good = safetensors({table(), bias()});
  const Build build(embedding(), named("loading"), good);
  const Modules modules({&build});
  ASSERT_TRUE(modules);
  const auto error = [&](const std::string& checkpoint) { return modules.run("loading", {ids}, checkpoint).error; };
  EXPECT_EQ(error(good), "");
  EXPECT_EQ(error(safetensors({table(16, 64), bias(16)})),
            "transformer.wte.weight: axis Embed is 64 in the checkpoint and 32 in the module\n"
            "transformer.bias: axis Embed is 16 in the checkpoint and 32 in the module");
  EXPECT_EQ(error(safetensors({table()})), "transformer.bias: the checkpoint holds no tensor of this name");
  StoredTensor doubles = bias();
  doubles.dtype = "F64";
  EXPECT_EQ(error(safetensors({table(), doubles})), "transformer.bias: is F64 in the checkpoint and F32 in the module");
  StoredTensor flat = table();
  flat.shape = {16 * 32};
  EXPECT_EQ(error(safetensors({flat, bias()})),
            "transformer.wte.weight: has 1 axes in the checkpoint and 2 in the module");
  EXPECT_TRUE(error(good.substr(0, good.size() - 4)).starts_with("transformer.bias: its bytes "))
      << error(good.substr(0, good.size() - 4));
  EXPECT_TRUE(error(good.substr(0, 30)).starts_with("checkpoint: is 30 bytes, and its header alone is "));
  EXPECT_TRUE(error("{\"no\": \"checkpoint\"}").starts_with("checkpoint: is "));
  EXPECT_TRUE(
      error(Proto::little_endian(std::uint64_t{8}) + "[1, 2]  ").starts_with("checkpoint: byte 8 of its header "));
  EXPECT_TRUE(error("").starts_with("transformer.wte.weight: is not in the module, and no checkpoint was given"));
  StoredTensor cut = bias();
  cut.bytes.resize(64);
  EXPECT_EQ(error(safetensors({table(), cut})), "transformer.bias: has 64 bytes, and its shape needs 128");
}

TEST(Weights, InFilesTheGraphNames) {
  const auto external = [](std::string_view name, std::initializer_list<std::int64_t> dims, const char* location,
                           const char* offset) {
    return tensor(name, DType::float32, dims)
        .integer(14, 1)
        .message(13, Proto().text(1, "location").text(2, location))
        .message(13, Proto().text(1, "offset").text(2, offset));
  };
  const auto graph = [&](const char* location) {
    return graph_of(
        {node("Gather", {"transformer.wte.weight", "ids"}, {"rows"}), node("Add", {"rows", "transformer.bias"}, {"y"})},
        {value("ids", DType::int64, "Seq")}, {value("y", DType::float32, "Seq 32")},
        {external("transformer.wte.weight", {16, 32}, location, "128"),
         external("transformer.bias", {32}, location, "0")});
  };
  const Build build(graph("data/weights.bin"), named("external"));
  EXPECT_EQ(build.result().external_locations, Names{"data/weights.bin"});
  const Modules modules({&build});
  ASSERT_TRUE(modules);
  const std::string file = bias().bytes + table().bytes;
  const auto ran = modules.run("external", {ids}, {}, {{"data/weights.bin", bytes_of(file)}});
  EXPECT_EQ(ran.get<float>("y").size(), 64u) << ran.error;
  const std::string cut = file.substr(0, 1000);
  EXPECT_EQ(modules.run("external", {ids}, {}, {{"data/weights.bin", bytes_of(cut)}}).error,
            "transformer.wte.weight: its 2048 bytes at 128 are not in data/weights.bin, of 1000");
  EXPECT_TRUE(modules.run("external", {ids})
                  .error.starts_with("transformer.wte.weight: lies in data/weights.bin, which was not given"));

  // The checkpoint wins, and the data file may then be absent.
  const std::string checkpoint = safetensors({table(), bias()});
  const Build won(graph("data/weights.bin"), named("won"), checkpoint);
  EXPECT_EQ(won.errors(), "");
  EXPECT_TRUE(won.result().external_locations.empty());
  // A file outside the model's folder is never read.
  for (const char* location : {"../weights.bin", "/etc/passwd", "data/../../weights.bin"})
    EXPECT_NE(Build(graph(location), named()).errors(), "") << location;
}

TEST(Layout, AnAxisMetOnlyInWhatTheBuildEvaluatesNeedsNoName) {
  CompileOptions options;
  options.layout.rules = {{.pattern = "x", .axes = {"Row", "Column"}, .graph = {}}};
  const Build build(
      graph_of({node("Reshape", {"x", "shape"}, {"y"})}, {value("x", DType::float32, "N 4")},
               {value("y", DType::float32, "?")}, {data("shape", DType::int64, {1}, std::vector<std::int64_t>{-1})}),
      options);
  EXPECT_EQ(build.errors(), "");
}

}  // namespace
}  // namespace loam::test
