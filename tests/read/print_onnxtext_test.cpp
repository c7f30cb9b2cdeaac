// What the printer writes, and that reading it gives the model back.
#include <algorithm>
#include <vector>

#include "tests/read/onnxtext_support.hpp"

namespace loam::test {
namespace {

TEST(PrintOnnxText, is_laid_out_for_people) {
  const std::string text = R"(<
  ir_version: 10,
  opset_import: ["": 21, "com.microsoft": 1],
  producer_name: "a \"maker\"",
  metadata_props: ["a": "b"]
>
"a graph" (float[batch, "past + 1", ?] x, bool c) => (y)
<
  float[2] w = {1.5, nan},
  float[3, 4] from_checkpoint = {},
  float[2] far = ["location": "w.bin", "offset": "8"],
  float[2] t
>
{
  [first] t, "" = com.microsoft.Op <axis: int = 1, scale: float = 0.5, mode: string = "a"> (x, "", w)
  y = If <then_branch: graph = then () => (u)
  {
    u = Add (t, from_checkpoint)
  }, else_branch: graph = "other graph" (
    float a,
    float b,
    float d,
    float e,
    "float"
  ) => ("v/0")
  <
    int64[2] k = {1, 2}
  >
  {
    "v/0" = Expand (far, k)
  }> (c)
}
)";
  const TextReading read(text);
  ASSERT_TRUE(read.model) << read.errors();
  EXPECT_EQ(print_onnxtext(*read.model), text);
}

TEST(PrintOnnxText, many_elements_are_broken_into_lines_of_120_columns) {
  std::string text = "() => () <int64[300] w = {0";
  for (int i = 1; i < 300; ++i) text += fmt::format(",{}", i * 12345);
  const TextReading read(text_model(text + "}> {}"));
  ASSERT_TRUE(read.model) << read.errors();
  expect_same_printed(*read.model, "a long list");
  const std::string printed = print_onnxtext(*read.model);
  std::size_t longest = 0;
  for (std::size_t start = 0; start < printed.size(); start = printed.find('\n', start) + 1)
    longest = std::max(longest, printed.find('\n', start) - start);
  EXPECT_LE(longest, 120U + 24);  // the first line has a name before its elements
  EXPECT_GT(longest, 100U);
}

class PrintedFiles : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(shared_folder() / "models")) GTEST_SKIP() << shared_folder() << " is absent";
  }
};

TEST_F(PrintedFiles, every_model_is_the_same_printed_and_read) {
  std::size_t count = 0;
  for (const char* folder : {"models", "onnx"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(shared_folder() / folder)) {
      if (entry.path().extension() != ".onnx") continue;
      const Reading read(file_text(entry.path()));
      if (!read.model) continue;
      const TextReading again(print_onnxtext(*read.model));
      ASSERT_TRUE(again.model) << entry.path() << "\n" << again.errors();
      EXPECT_EQ(difference(*read.model, *again.model), "") << entry.path();
      ++count;
    }
  }
  EXPECT_GT(count, 2000U);
}

}  // namespace
}  // namespace loam::test
