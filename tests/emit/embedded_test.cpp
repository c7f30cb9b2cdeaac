// The runtime that the compiler carries is, byte for byte, the repository's.
#include "compiler/emit/embedded.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

namespace {

std::string file_text(std::string_view path) {
  std::ifstream file(std::string(LOAM_SOURCE_DIR "/") + std::string(path), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST(Embedded, IsTheRepositorysText) {
  ASSERT_FALSE(loam::embedded_runtime().empty());
  for (const loam::EmbeddedFile& file : loam::embedded_runtime()) {
    EXPECT_EQ(file.text, file_text(file.path)) << file.path;
  }
}

TEST(Embedded, IsSortedByPath) {
  const auto files = loam::embedded_runtime();
  EXPECT_TRUE(std::ranges::is_sorted(files, {}, &loam::EmbeddedFile::path));
}

TEST(Embedded, HoldsTheRuntimeAndTheKernelsButNoReference) {
  const auto holds = [](std::string_view path) {
    return std::ranges::binary_search(loam::embedded_runtime(), path, {}, &loam::EmbeddedFile::path);
  };
  EXPECT_TRUE(holds("runtime/tensor.hpp"));
  EXPECT_TRUE(holds("ops/map/map.hpp"));
  EXPECT_TRUE(holds("ops/map/cpu.hpp"));
  EXPECT_FALSE(holds("ops/map/reference.hpp"));
}

}  // namespace
