#include "compiler/read/write_safetensors.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/read/safetensors.hpp"
#include "tests/read/read_support.hpp"

namespace loam::test {
namespace {

TEST(WriteSafetensors, reads_back) {
  const std::string halves = "abcdefghijkl", floats = "01234567", doubles = "89abcdef";
  const std::vector<std::pair<std::string, std::string>> metadata{{"format", "pt"}, {"quote\"d", "\xc3\xa9\n"}};
  const std::string file = write_safetensors({{"half", DType::float16, {2, 3}, bytes_of(halves)},
                                              {"b/\"quoted\"", DType::float32, {2}, bytes_of(floats)},
                                              {"a", DType::float32, {2, 0, 5}, {}},
                                              {"wide", DType::float64, {}, bytes_of(doubles)}},
                                             metadata);
  Diagnostics diagnostics;
  const auto header = read_safetensors_header(bytes_of(file), file.size(), diagnostics);
  ASSERT_TRUE(header) << diagnostics.list()[0].text();
  auto read = header->metadata;
  std::ranges::sort(read);
  EXPECT_EQ(read, metadata);
  ASSERT_EQ(header->tensors.size(), 4U);
  const auto payload = [&](std::string_view name) {
    const CheckpointTensor& tensor = *header->find(name);
    EXPECT_EQ(tensor.offset % static_cast<std::uint64_t>(dtype_bits(tensor.dtype) / 8), 0U) << name;
    return file.substr(static_cast<std::size_t>(tensor.offset), static_cast<std::size_t>(tensor.bytes));
  };
  EXPECT_EQ(payload("half"), halves);
  EXPECT_EQ(payload("b/\"quoted\""), floats);
  EXPECT_EQ(payload("a"), "");
  EXPECT_EQ(payload("wide"), doubles);
  EXPECT_EQ(header->find("half")->dims, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(header->find("wide")->dtype, DType::float64);
}

TEST(WriteSafetensors, the_order_is_by_width_and_name) {
  const std::string four = "0123", eight = "01234567";
  const std::string file = write_safetensors({{"z", DType::float32, {1}, bytes_of(four)},
                                              {"n", DType::int8, {4}, bytes_of(four)},
                                              {"y", DType::float32, {1}, bytes_of(four)},
                                              {"w", DType::int64, {1}, bytes_of(eight)}});
  Diagnostics diagnostics;
  const auto header = read_safetensors_header(bytes_of(file), file.size(), diagnostics);
  ASSERT_TRUE(header);
  auto tensors = header->tensors;
  std::ranges::sort(tensors, {}, &CheckpointTensor::offset);
  std::string order;
  for (const CheckpointTensor& tensor : tensors) order += tensor.name;
  EXPECT_EQ(order, "wyzn");
}

TEST(WriteSafetensors, no_tensors_are_an_empty_header) {
  const std::string file = write_safetensors({});
  EXPECT_EQ(file.size(), 16U);
  Diagnostics diagnostics;
  const auto header = read_safetensors_header(bytes_of(file), file.size(), diagnostics);
  ASSERT_TRUE(header);
  EXPECT_TRUE(header->tensors.empty());
}

}  // namespace
}  // namespace loam::test
