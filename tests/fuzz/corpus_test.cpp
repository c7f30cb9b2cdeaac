// Every fuzzer's corpus, and damaged copies of it: what a fuzzer finds is added to its corpus, and stays found. Run by
// tools/check.sh under the sanitizers, with g++ too, which has no libFuzzer.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#include "tests/fuzz/targets.hpp"

namespace loam::fuzz {
namespace {

std::vector<std::string> corpus(std::string_view name) {
  const auto folder = std::filesystem::path(LOAM_SOURCE_DIR) / "tests/fuzz/corpus" / name;
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) paths.push_back(entry.path());
  std::ranges::sort(paths);
  std::vector<std::string> files;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    files.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return files;
}

// Cuts, flips a bit, repeats or removes a piece, or puts a piece of another file in.
std::string damaged(std::string file, const std::vector<std::string>& others, std::mt19937& random) {
  const auto below = [&](std::size_t bound) {
    return static_cast<std::size_t>(random() % std::max<std::size_t>(bound, 1));
  };
  const std::string& other = others[below(others.size())];
  for (std::size_t i = 0; i < 1 + below(4) && !file.empty(); ++i) {
    const std::size_t at = below(file.size());
    switch (below(5)) {
      case 0: file.resize(at); break;
      case 1: file[at] ^= static_cast<char>(1U << below(8)); break;
      case 2: file.insert(at, file.substr(below(file.size()), 1 + below(16))); break;
      case 3: file.erase(at, 1 + below(16)); break;
      default: file.insert(at, other.substr(below(other.size()), 1 + below(32))); break;
    }
  }
  return file;
}

void feed(std::string_view name, void (*target)(Input), int copies) {
  const std::vector<std::string> files = corpus(name);
  ASSERT_FALSE(files.empty());
  std::mt19937 random(1);
  const auto eat = [&](const std::string& file) {
    const std::vector<char> copy(file.begin(), file.end());  // on the heap and no longer than it is
    const auto start = std::chrono::steady_clock::now();
    target(std::as_bytes(std::span(copy)));
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  };
  for (const std::string& file : files) eat(file);
  for (int i = 0; i < copies; ++i) eat(damaged(files[static_cast<std::size_t>(i) % files.size()], files, random));
}

TEST(Corpus, protobuf) { feed("protobuf", protobuf, 4000); }
TEST(Corpus, onnxtext) { feed("onnxtext", onnxtext, 4000); }
TEST(Corpus, layout) { feed("layout", layout, 4000); }
TEST(Corpus, safetensors) { feed("safetensors", safetensors, 4000); }

}  // namespace
}  // namespace loam::fuzz
