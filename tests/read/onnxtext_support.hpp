// Texts read, for the tests of ONNX's textual format.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

#include "compiler/read/onnxtext.hpp"
#include "compiler/read/print_onnxtext.hpp"
#include "tests/read/read_support.hpp"
#include "tests/read/same_model.hpp"

namespace loam::test {

inline std::filesystem::path onnxtext_folder() {
  return std::filesystem::path(LOAM_SOURCE_DIR) / "tests/read/onnxtext";
}

struct TextReading {
  Diagnostics diagnostics;
  std::optional<Model> model;

  explicit TextReading(std::string_view text) : model(read_onnxtext(text, diagnostics)) {}

  std::string errors() const {
    std::string text;
    for (const Diagnostic& diagnostic : diagnostics.list()) text += diagnostic.text() + "\n";
    return text;
  }
  // What is wrong, one "site: message" a line.
  std::string faults() const {
    std::string text;
    for (const Diagnostic& diagnostic : diagnostics.list()) text += diagnostic.site + ": " + diagnostic.message + "\n";
    return text;
  }
};

// A model of one graph: what stands between its name and its end.
inline std::string text_model(std::string_view graph) {
  return "<ir_version: 10, opset_import: [\"\": 21, \"d\": 1]>\ng " + std::string(graph);
}

// Printed and read again the model is the same, and so is its text.
inline void expect_same_printed(const Model& model, const std::string& what) {
  const std::string text = print_onnxtext(model);
  const TextReading again(text);
  ASSERT_TRUE(again.model) << what << "\n" << again.errors() << text.substr(0, 2000);
  EXPECT_EQ(difference(model, *again.model), "") << what;
  EXPECT_EQ(print_onnxtext(*again.model), text) << what;
}

}  // namespace loam::test
