// Damaged texts: none may crash the reader or hold it for a second, and what it reads is the same printed and read
// again. The damage is the same in every run.
#include <chrono>
#include <random>
#include <vector>

#include "tests/read/onnxtext_support.hpp"

namespace loam::test {
namespace {

// All the cases that onnx.parser reads, and the forms that are Loam's own.
std::vector<std::string> texts() {
  std::vector<std::string> texts{text_model(R"((?[N] x, seq() u) => (y)
      <sparse_tensor(float[2, 3]) w = {float[2] {1, 2}, int64[2, 2] {0, 1, 1, 2}}, float[2] declared>
      { y = "an op" <"an attribute" = [float {1}, float[1] t = {2}],
                     s = sparse_tensor(float[4]) {float[1] {5}, int64[1] {3}}> (x, declared) })")};
  for (const auto& entry : std::filesystem::directory_iterator(onnxtext_folder() / "cases"))
    if (entry.path().extension() == ".onnxtext") texts.push_back(file_text(entry.path()));
  return texts;
}

const std::vector<std::string> pieces{
    "(", ")", "{", "}", "[", "]", "<", ">", "=", "=>", ",", ":", "@", "?", "\"", "\\", "#", ".", "-", "\n", "\"\"",
    "{}", "\xff", "nan", "-inf", "1e400", "1e-400", "99999999999999999999", "float", "seq(", "float[2]", "int4[3]",
    "= {1, 2}", "[\"location\": \"w\"]", "@k", "g () => () {}"};

std::string damaged(std::string text, std::mt19937& random) {
  const auto below = [&](std::size_t bound) { return static_cast<std::size_t>(random() % bound); };
  for (std::size_t i = 0; i < 1 + below(3) && !text.empty(); ++i) {
    const std::size_t at = below(text.size());
    switch (below(6)) {
      case 0: text.resize(at); break;
      case 1: text[at] ^= static_cast<char>(1U << below(8)); break;
      case 2: text.insert(at, pieces[below(pieces.size())]); break;
      case 3: text.erase(at, 1 + below(8)); break;
      case 4: text.insert(at, text.substr(below(text.size()), below(24))); break;
      default: text.replace(at, 1 + below(3), pieces[below(pieces.size())]); break;
    }
  }
  return text;
}

TEST(OnnxTextMutation, damaged_texts) {
  std::mt19937 random(20240607);
  const std::vector<std::string> whole = texts();
  int refused = 0;
  int read = 0;
  for (int i = 0; i < 8000; ++i) {
    const std::string text = damaged(whole[static_cast<std::size_t>(i) % whole.size()], random);
    // On the heap and no longer than it is, so that a sanitizer sees a byte read past the end.
    const std::vector<char> copy(text.begin(), text.end());
    const auto start = std::chrono::steady_clock::now();
    const TextReading reading({copy.data(), copy.size()});
    ASSERT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1)) << text;
    ASSERT_EQ(reading.model.has_value(), !reading.diagnostics.failed()) << text;
    if (!reading.model) ++refused;
    if (reading.model && ++read % 8 == 0) expect_same_printed(*reading.model, text);
  }
  EXPECT_GT(refused, 2000);
  EXPECT_GT(read, 300);
}

TEST(OnnxTextMutation, every_truncation) {
  for (const std::string& text : texts()) {
    for (std::size_t length = 0; length < text.size(); ++length) {
      const std::vector<char> copy(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(length));
      const TextReading reading({copy.data(), copy.size()});
      ASSERT_EQ(reading.model.has_value(), !reading.diagnostics.failed());
    }
  }
}

// What a small text could ask for much work with.
TEST(OnnxTextMutation, texts_of_one_thing_many_times) {
  const auto times = [](int count, std::string_view piece) {
    std::string text;
    for (int i = 0; i < count; ++i) text += piece;
    return text;
  };
  const std::vector<std::string> hostile{
      times(200'000, "("), times(200'000, "<"), times(200'000, "\""), times(100'000, "\\\""), times(200'000, "#\n"),
      text_model("(" + times(200'000, "x,") + "x) => () {}"),
      text_model("() => () {" + times(100'000, "= A ()") + "}"),
      text_model("() => () { y = " + times(100'000, "a.") + "A () }"),
      text_model("() => () { y = A <" + times(100'000, "a = 1,") + "a = 1> () }"),
      text_model("() => () { " + times(200'000, ",") + " = A () }"),
      text_model("() => () <float w = {1." + times(400'000, "0") + "e-" + times(100'000, "9") + "}> {}"),
      text_model("() => () <float w = {" + times(400'000, "9") + "}> {}"),
      text_model("() => () { y = A <a = [" + times(100'000, "[") + "> () }"),
      text_model("(" + times(100'000, "optional(") + ") => () {}"),
      text_model("() => () { y = A <a = " + times(50'000, "g () => () { y = A <a = ") + "}"),
  };
  for (const std::string& text : hostile) {
    const auto start = std::chrono::steady_clock::now();
    const TextReading reading(text);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2)) << text.substr(0, 100);
  }
}

}  // namespace
}  // namespace loam::test
