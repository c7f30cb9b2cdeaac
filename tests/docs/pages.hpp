// The repository's pages, and those of them that tests write.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

namespace loam::test {

namespace fs = std::filesystem;

inline const fs::path root = LOAM_SOURCE_DIR;

inline std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

// That the page says this, or else the first line that differs; with LOAM_UPDATE it is made to.
inline void expect_page(const fs::path& path, const std::string& text) {
  if (std::getenv("LOAM_UPDATE")) std::ofstream(root / path, std::ios::binary) << text;
  std::istringstream page(read(root / path)), wanted(text);
  for (std::string line, want; !page.eof() || !wanted.eof();) {
    std::getline(page, line);
    std::getline(wanted, want);
    ASSERT_EQ(line, want) << path << " is not up to date: LOAM_UPDATE=1 writes it anew";
  }
}

}  // namespace loam::test
