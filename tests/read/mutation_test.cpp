// Damaged files: none may crash the readers, or hold them for a second. The damage is the same in every run.
#include <gtest/gtest.h>

#include <chrono>
#include <random>

#include "compiler/read/safetensors.hpp"
#include "tests/read/read_support.hpp"

namespace loam::test {
namespace {

// A model that has one of everything the reader reads.
std::string rich_model() {
  const Proto one = tensor("", DType::int8, {1}).packed(5, {1});
  const Proto sparse = Proto()
                           .message(1, tensor("s", DType::float32, {2}).float32(4, 1.0F).float32(4, 2.0F))
                           .message(2, tensor("", DType::int64, {2, 2}).packed(7, {0, 1, 1, 2}))
                           .packed(3, {2, 3});
  const Proto type = Proto().message(4, Proto().message(1, Proto().message(1, Proto().integer(1, 1))));
  const Proto branch = graph({node("Neg", {"x"}, {"t"}), node("Inner", {"t"}, {"v"}, {}, "f")}, {}, {"v"});
  Proto inner = function("f", "Inner", {"a", "o"}, {"b", "a"},
                         {node("Op", {"a", "o"}, {"b"}, {reference("k", "j", 2), reference("m", "n", 2)})});
  inner.message(11, integer_attribute("n", 3)).message(9, opset("", 17));
  const Proto outer =
      function("f", "Outer", {"c"}, {"b"},
               {node("Inner", {"c"}, {"t"}, {reference("j", "i", 2)}, "f"),
                node("If", {"t"}, {"b"}, {graph_attribute("else_branch", graph({node("Abs", {"t"}, {"u"})}, {}, {"u"}))})});
  Proto external = tensor("e", DType::float32, {4});
  external.integer(14, 1).message(13, Proto().text(1, "location").text(2, "w.bin"));
  Proto main = graph({node("Add", {"late", "w"}, {"y"}, {attribute("t", 4).message(5, one), attribute("fs", 6).float32(7, 1)}),
                      node("Outer", {"x"}, {"late"}, {integer_attribute("i", 4)}, "f"),
                      node("If", {"x"}, {"z"}, {graph_attribute("then_branch", branch),
                                                attribute("st", 11).message(22, sparse),
                                                attribute("ty", 13).message(14, type)})},
                     {"x", "w"}, {"y", "z"}, {tensor("w", DType::float32, {2}).text(9, "12345678"), external});
  main.message(15, sparse).message(13, value_info("y").message(2, type));
  return model(main, {inner, outer}).text(2, "maker").bytes;
}

std::string checkpoint() {
  const std::string json =
      R"({"__metadata__":{"format":"pt"},"b":{"dtype":"F16","shape":[2,3],"data_offsets":[4,16]},)"
      R"("a":{"dtype":"I32","shape":[1],"data_offsets":[0,4]}})";
  return Proto::little_endian(static_cast<std::uint64_t>(json.size())) + json + std::string(16, '\0');
}

// Cuts the file short, flips a bit or some, or puts one piece of it over another.
std::string damaged(std::string file, std::mt19937& random) {
  const auto below = [&](std::size_t bound) { return static_cast<std::size_t>(random() % bound); };
  switch (below(4)) {
    case 0: file.resize(below(file.size())); break;
    case 1:
      for (std::size_t i = 0; i < 1 + below(8); ++i) file[below(file.size())] ^= static_cast<char>(1U << below(8));
      break;
    case 2: file[below(file.size())] ^= static_cast<char>(1U << below(8)); break;
    default: {
      const std::size_t length = 1 + below(std::min<std::size_t>(file.size(), 16));
      const std::string piece = file.substr(below(file.size() - length + 1), length);
      file.replace(below(file.size() - length + 1), length, piece);
    }
  }
  return file;
}

// Reads damaged copies; `read` says whether a file was read, and must have said why where it was not.
template <class Read>
void damage(const std::string& file, int copies, Read read) {
  std::mt19937 random(20240607);
  int refused = 0;
  for (int i = 0; i < copies; ++i) {
    // On the heap and no longer than it is, so that a sanitizer sees a byte read past the end.
    const std::string text = damaged(file, random);
    const std::vector<char> copy(text.begin(), text.end());
    Diagnostics diagnostics;
    const auto start = std::chrono::steady_clock::now();
    const bool good = read(std::as_bytes(std::span(copy)), diagnostics);
    ASSERT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1)) << "copy " << i;
    ASSERT_EQ(good, !diagnostics.failed()) << "copy " << i;
    refused += good ? 0 : 1;
  }
  EXPECT_GT(refused, copies / 4);
}

bool reads_model(std::span<const std::byte> file, Diagnostics& diagnostics) {
  return read_onnx(file, diagnostics).has_value();
}

TEST(Mutation, a_model) {
  const std::string file = rich_model();
  const Reading whole(file);
  ASSERT_TRUE(whole.model) << whole.errors();
  damage(file, 6000, reads_model);
}

TEST(Mutation, every_truncation_of_a_model) {
  const std::string file = rich_model();
  for (std::size_t length = 0; length < file.size(); ++length) {
    Diagnostics diagnostics;
    const std::vector<char> copy(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(length));
    const bool good = reads_model(std::as_bytes(std::span(copy)), diagnostics);
    ASSERT_EQ(good, !diagnostics.failed());
  }
}

TEST(Mutation, a_checkpoint) {
  const std::string file = checkpoint();
  Diagnostics none;
  ASSERT_TRUE(read_safetensors_header(bytes_of(file), file.size(), none));
  damage(file, 6000, [](std::span<const std::byte> bytes, Diagnostics& diagnostics) {
    return read_safetensors_header(bytes, bytes.size(), diagnostics).has_value();
  });
}

TEST(Mutation, test_data) {
  const Proto element = tensor("a", DType::float32, {2}).text(9, "12345678");
  const std::string file = Proto().text(1, "s").message(3, element).message(5, Proto().message(3, element)).bytes;
  damage(file, 2000, [](std::span<const std::byte> bytes, Diagnostics& diagnostics) {
    return read_sequence(bytes, diagnostics).has_value();
  });
  damage(element.bytes, 2000, [](std::span<const std::byte> bytes, Diagnostics& diagnostics) {
    return read_tensor(bytes, diagnostics).has_value();
  });
}

TEST(Mutation, an_exported_model) {
  const auto path = shared_folder() / "onnx/node/test_if/model.onnx";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is absent";
  damage(file_text(path), 3000, reads_model);
}

}  // namespace
}  // namespace loam::test
