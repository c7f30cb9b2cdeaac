// Axes out of range or listed twice and tensors of other ranks, at every operator that takes them.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>

#include "tests/operators/every_operator.hpp"

namespace loam::test {
namespace {

using Integers = std::vector<std::int64_t>;

// ---- Axes ----------------------------------------------------------------------------------------------------------

// Where an operator's axes are written: an attribute, or a Constant called "axes".
Attribute::Value* axes_of(Model& model) {
  for (Node& node : model.graph.nodes) {
    const bool last = &node == &model.graph.nodes.back();
    if (node.outputs[0] == "axes") return &node.attributes[0].value;
    for (Attribute& a : node.attributes)
      if (last && (a.name == "axis" || a.name == "axes" || a.name == "perm" || a.name == "scan_input_axes"))
        return &a.value;
  }
  return nullptr;
}

// How many axes there are to count in: as many as the first input's tensor has, but for
const std::map<std::string, int> more_axes{{"OneHot", 1}, {"Unsqueeze", 1}};

int rank_of(const Example& example) {
  if (example.name() == "ConcatFromSequence")
    return std::get<std::int64_t>(example.node().attribute("new_axis")->value) == 0 ? 2 : 3;
  const bool later = example.name() == "Scan" || example.name() == "com.microsoft.QLinearConcat";
  const std::string& first = later ? "x" : example.node().inputs[0];
  const auto& inputs = example.model.graph.inputs;
  const auto rank = static_cast<int>(std::ranges::find(inputs, first, &ValueInfo::name)->type.shape->size());
  const auto more = more_axes.find(example.name());
  return more == more_axes.end() ? rank : rank + more->second;
}

std::string errors_at_axis(const Example& example, std::int64_t axis) {
  Model model = example.model;
  Attribute::Value& axes = *axes_of(model);
  if (auto* list = std::get_if<Integers>(&axes)) list->front() = axis;
  else axes = axis;
  return errors_of(model);
}

bool says(const std::string& errors, const std::string& what) { return errors.find(what) != std::string::npos; }

TEST(EveryOperator, RefusesAnAxisOutOfRange) {
  int tried = 0;
  for (const Example& example : every_operator()) {
    Model model = example.model;
    if (!axes_of(model) || example.name() == "Flatten") continue;
    ++tried;
    const int rank = rank_of(example);
    for (const std::int64_t axis : {std::int64_t{rank}, std::int64_t{-rank - 1}}) {
      const std::string errors = errors_at_axis(example, axis);
      EXPECT_TRUE(says(errors, example.node().op_type + ": ") && says(errors, std::to_string(axis)) &&
                  says(errors, std::to_string(rank)))
          << example.text << "\naxis " << axis << ": " << errors;
    }
    // The first and the last one are axes, whatever else may not fit there.
    for (const std::int64_t axis : {std::int64_t{-rank}, std::int64_t{rank - 1}})
      EXPECT_FALSE(says(errors_at_axis(example, axis), "[index-out-of-range]")) << example.text << "\naxis " << axis;
  }
  EXPECT_GT(tried, 60);
}

// Whose other lists must be as long.
const std::set<std::string> paired{"Slice", "Pad", "CenterCropPad", "Resize", "Scan"};

TEST(EveryOperator, RefusesAnAxisListedTwice) {
  std::set<std::string> tried;
  for (const Example& example : every_operator()) {
    Model model = example.model;
    const auto* list = axes_of(model) ? std::get_if<Integers>(axes_of(model)) : nullptr;
    if (!list || paired.contains(example.name())) continue;
    tried.insert(example.name());
    const int rank = rank_of(example) + (example.name() == "Unsqueeze" ? 1 : 0);  // of a result of two axes more
    const std::int64_t axis = list->front() < 0 ? list->front() + rank : list->front();
    for (const std::int64_t again : {axis, axis - rank}) {
      Integers twice = *list;
      twice.front() = axis;
      if (example.name() == "Transpose") twice.back() = again;
      else twice.push_back(again);
      Model changed = example.model;
      *axes_of(changed) = twice;
      const std::string errors = errors_of(changed);
      EXPECT_TRUE(says(errors, "y = " + example.node().op_type + ": ") &&
                  says(errors, std::to_string(again) + " is listed twice"))
          << example.text << "\n" << errors;
    }
  }
  EXPECT_GT(tried.size(), 14u);
}

// ---- Ranks ---------------------------------------------------------------------------------------------------------

// The ranks of 0 to 6 that the example's operator takes for one of the graph's inputs, the others being as they are: of
// the axes there are, some dropped or some of one element added, at either end.
std::string ranks_taken(const Example& example, std::size_t input) {
  std::string ranks;
  const std::vector<Dimension> given = *example.model.graph.inputs[input].type.shape;
  for (std::size_t rank = 0; rank <= 6; ++rank) {
    bool taken = false;
    for (const bool front : {false, true}) {
      Model model = example.model;
      std::vector<Dimension> shape = given;
      while (shape.size() < rank) shape.insert(front ? shape.begin() : shape.end(), std::int64_t{1});
      while (shape.size() > rank) shape.erase(front ? shape.begin() : shape.end() - 1);
      model.graph.inputs[input].type.shape = shape;
      const std::string errors = errors_of(model);
      taken = taken || errors.empty();
      if (errors.empty()) continue;
      const std::string site = errors.substr(0, errors.find(' ', errors.find(" = ") + 3));
      EXPECT_TRUE(says(site, example.node().op_type + ":")) << example.text << "\n" << errors;
    }
    if (taken) ranks += std::to_string(rank);
  }
  return ranks;
}

TEST(EveryOperator, TakesTensorsOfTheseRanks) {
  std::string text;
  for (const Example& example : every_operator()) {
    std::string line = example.name() + (example.opset == 28 ? "" : "@" + std::to_string(example.opset)) + ":";
    for (std::size_t i = 0; i < example.model.graph.inputs.size(); ++i)
      line += " " + example.model.graph.inputs[i].name + " " + ranks_taken(example, i);
    if (!example.model.graph.inputs.empty()) text += line + "\n";
  }
  const std::string path = LOAM_SOURCE_DIR "/tests/operators/ranks.txt";
  if (std::getenv("LOAM_UPDATE")) std::ofstream(path) << text;
  std::ifstream file(path);
  std::ostringstream expected;
  expected << file.rdbuf();
  EXPECT_EQ(text, expected.str());
}

}  // namespace
}  // namespace loam::test
