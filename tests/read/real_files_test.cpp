// Every model and every piece of test data in the shared folder reads.
#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/read/safetensors.hpp"
#include "tests/read/read_support.hpp"

namespace loam::test {
namespace {

// The files below a folder whose names end so, in a stable order.
std::vector<std::filesystem::path> files(const std::filesystem::path& folder, std::string_view ending) {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.path().string().ends_with(ending)) found.push_back(entry.path());
  std::ranges::sort(found);
  return found;
}

class RealFiles : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(shared_folder() / "models")) GTEST_SKIP() << shared_folder() << " is absent";
  }
};

TEST_F(RealFiles, models) {
  std::size_t count = 0;
  for (const char* folder : {"models", "onnx"}) {
    for (const auto& path : files(shared_folder() / folder, ".onnx")) {
      const Reading read(file_text(path));
      EXPECT_TRUE(read.model.has_value()) << path << "\n" << read.errors();
      ++count;
    }
  }
  EXPECT_GT(count, 2000U);
}

TEST_F(RealFiles, test_data) {
  for (const auto& path : files(shared_folder() / "onnx/node", ".pb")) {
    const std::string text = file_text(path);
    Diagnostics diagnostics;
    const bool good = read_tensor(bytes_of(text), diagnostics) || read_sequence(bytes_of(text), diagnostics) ||
                      read_optional(bytes_of(text), diagnostics);
    EXPECT_TRUE(good) << path << "\n" << (diagnostics.list().empty() ? "" : diagnostics.list()[0].text());
  }
}

TEST_F(RealFiles, checkpoints) {
  const auto paths = files(shared_folder() / "models", ".safetensors");
  EXPECT_FALSE(paths.empty());
  for (const auto& path : paths) {
    const std::string text = file_text(path);
    Diagnostics diagnostics;
    const auto header = read_safetensors_header(bytes_of(text), text.size(), diagnostics);
    ASSERT_TRUE(header) << path << "\n" << diagnostics.list()[0].text();
    EXPECT_FALSE(header->tensors.empty());
  }
}

// The name of an initializer is a name of the checkpoint, and each says the same of it.
TEST_F(RealFiles, a_graph_and_its_checkpoint_agree) {
  const auto folder = shared_folder() / "models/demo/gpt2";
  const Reading read(file_text(folder / "decoder_merged.onnx"));
  ASSERT_TRUE(read.model) << read.errors();
  const std::string text = file_text(folder / "decoder_merged.f16.safetensors");
  Diagnostics diagnostics;
  const auto header = read_safetensors_header(bytes_of(text), text.size(), diagnostics);
  ASSERT_TRUE(header);
  std::size_t met = 0;
  for (const TensorData& initializer : read.model->graph.initializers) {
    const CheckpointTensor* tensor = header->find(initializer.name);
    if (tensor == nullptr) continue;
    EXPECT_EQ(tensor->dims, initializer.dims) << initializer.name;
    ++met;
  }
  EXPECT_EQ(met, header->tensors.size());
}

}  // namespace
}  // namespace loam::test
