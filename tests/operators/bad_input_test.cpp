// What the build refuses of single operators, word by word, and that no value of an attribute or of a constant input
// brings it down.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/operators/every_operator.hpp"

namespace loam::test {
namespace {

using Integers = std::vector<std::int64_t>;


TEST(BadInput, IsRefusedInTheseWords) {
  std::ifstream file(LOAM_SOURCE_DIR "/tests/operators/refusals.txt");
  std::string graph, expected;
  std::size_t graphs = 0;
  const auto check = [&] {
    if (graph.empty()) return;
    ++graphs;
    if (const auto example = read_example(graph)) {
      EXPECT_EQ(errors_of(example->model), expected) << graph;
    }
    graph.clear();
    expected.clear();
  };
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("    ")) {
      expected += (expected.empty() ? "" : "\n") + line.substr(4);
      continue;
    }
    check();
    if (!line.empty() && line[0] != '#') graph = line;
  }
  check();
  EXPECT_GT(graphs, 50u);
}

// The messages that docs/bad-input.md quotes are those that a test expects.
TEST(BadInput, IsDocumentedAsItIsRefused) {
  const auto read = [](const std::string& path) {
    std::ifstream file(LOAM_SOURCE_DIR + path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  };
  const std::string tests = read("/tests/operators/refusals.txt") + read("/tests/operators/schema_test.cpp") +
                            read("/tests/models/bad_values_test.cpp");
  std::istringstream page(read("/docs/bad-input.md"));
  std::size_t quoted = 0;
  for (std::string line; std::getline(page, line);) {
    const std::size_t begin = line.find("`y = "), end = line.rfind('`');
    if (begin == std::string::npos) continue;
    ++quoted;
    const std::string message = line.substr(begin + 1, end - begin - 1);
    EXPECT_NE(tests.find(message), std::string::npos) << message;
  }
  EXPECT_GT(quoted, 15u);
}

// ---- Any value -----------------------------------------------------------------------------------------------------

std::vector<Attribute::Value> extremes(const Attribute::Value& value) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Integers integers{0,  -1, 1, 2, 7, -9, std::int64_t{1} << 31, -(std::int64_t{1} << 31), std::int64_t{1} << 62,
                          std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
  std::vector<Attribute::Value> values;
  if (std::holds_alternative<std::int64_t>(value)) values.assign(integers.begin(), integers.end());
  if (std::holds_alternative<float>(value))
    for (const double number : {0.0, -0.0, -1.0, 1e-45, 3e38, infinity, -infinity, std::nan("")})
      values.emplace_back(static_cast<float>(number));
  if (std::holds_alternative<std::string>(value))
    values = {std::string(), std::string("?\n\0*/\"", 6), std::string(9999, '(')};
  const auto lists = [&]<class T>(const std::vector<T>& list, const auto& elements) {
    for (const auto element : elements) {
      for (std::size_t i = 0; i < list.size(); ++i) {
        std::vector<T> changed = list;
        changed[i] = static_cast<T>(element);
        values.emplace_back(std::move(changed));
      }
      values.emplace_back(std::vector<T>(list.size(), static_cast<T>(element)));
    }
    std::vector<T> twice = list;
    twice.insert(twice.end(), list.begin(), list.end());
    values.emplace_back(std::vector<T>());
    values.emplace_back(std::move(twice));
    if (!list.empty()) values.emplace_back(std::vector<T>(list.begin(), list.end() - 1));
  };
  if (const auto* list = std::get_if<Integers>(&value)) lists(*list, integers);
  if (const auto* list = std::get_if<std::vector<float>>(&value))
    lists(*list, std::vector<double>{0, -1, infinity, std::nan("")});
  if (std::holds_alternative<std::vector<std::string>>(value))
    values = {std::vector<std::string>(), std::vector<std::string>(3)};
  return values;
}

TEST(BadInput, OfAnyValueIsTakenOrRefused) {
  std::size_t refused = 0;
  for (const Example& example : every_operator())
    for (std::size_t n = 0; n < example.model.graph.nodes.size(); ++n)
      for (std::size_t a = 0; a < example.model.graph.nodes[n].attributes.size(); ++a)
        for (const Attribute::Value& value : extremes(example.model.graph.nodes[n].attributes[a].value)) {
          Model model = example.model;
          model.graph.nodes[n].attributes[a].value = value;
          SCOPED_TRACE(example.text + "\n" + model.graph.nodes[n].attributes[a].name);
          const std::string errors = errors_of(model);
          refused += !errors.empty();
          EXPECT_EQ(errors.find("[internal]"), std::string::npos) << errors;
        }
  EXPECT_GT(refused, 3000u);
}

}  // namespace
}  // namespace loam::test
