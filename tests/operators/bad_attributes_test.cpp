// Attributes of the wrong kind or out of range, at every operator: refused, by a message that names the node.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <map>
#include <set>

#include "tests/operators/every_operator.hpp"

namespace loam::test {
namespace {

using Integers = std::vector<std::int64_t>;
using Value = Attribute::Value;

constexpr struct {
  std::string_view domain, name;
  std::int64_t since;
  std::string_view inputs, attributes;
} schemas[] = {
#include "compiler/operators/schemas.inc"
};

std::string name_of(std::string_view domain, std::string_view name) {
  return (domain.empty() ? "" : std::string(domain) + ".") + std::string(name);
}

// The example with another value of one attribute of its operator.
std::string errors_with(const Example& example, const std::string& attribute, Value value) {
  Model model = example.model;
  std::ranges::find(model.graph.nodes.back().attributes, attribute, &Attribute::name)->value = std::move(value);
  return errors_of(model);
}

TEST(EveryOperator, HasAnExampleThatTheBuildTakes) {
  std::set<std::string> shown;
  for (const Example& example : every_operator()) {
    shown.insert(example.name());
    EXPECT_EQ(errors_of(example.model), "") << example.text;
  }
  for (const Operator* op : operators())
    EXPECT_TRUE(shown.contains(name_of(op->domain, op->name))) << "nodes.txt has no node of " << op->name;
}

// Those that no example has, since the build takes none, or no text spells them.
const std::set<std::string> attributes_not_shown{
    "Constant.sparse_value",
    "Optional.type",
    "com.microsoft.Attention.do_rotary",
    "com.microsoft.Attention.past_present_share_buffer",
    "com.microsoft.Attention.rotary_embedding_dim",
    "com.microsoft.GroupQueryAttention.kv_cache_bit_width",
};

TEST(EveryOperator, HasAnExampleOfEachOfItsAttributes) {
  std::set<std::string> shown;
  for (const Example& example : every_operator())
    for (const Attribute& a : example.node().attributes) shown.insert(example.name() + '.' + a.name);
  std::map<std::string, std::string_view> newest;
  for (const auto& s : schemas) newest[name_of(s.domain, s.name)] = s.attributes;
  for (const auto& [op, attributes] : newest) {
    std::istringstream words{std::string(attributes)};
    for (std::string word; words >> word;) {
      const std::string name = op + '.' + word.substr(0, word.find(':'));
      EXPECT_NE(shown.contains(name), attributes_not_shown.contains(name)) << name;
    }
  }
}

TEST(EveryOperator, RefusesAttributesOfAnotherKind) {
  const std::vector<Value> values{std::int64_t{1},
                                  1.0f,
                                  std::string("1"),
                                  tensor_data("t", DType::int64, {}, Integers{1}),
                                  std::make_shared<const Graph>(),
                                  ValueType{},
                                  Integers{1},
                                  std::vector<float>{1},
                                  std::vector<std::string>{"1"}};
  for (const Example& example : every_operator())
    for (const Attribute& a : example.node().attributes)
      for (const Value& value : values) {
        if (value.index() == a.value.index()) continue;
        const std::string errors = errors_with(example, a.name, value);
        EXPECT_TRUE(errors.starts_with("y = " + example.node().op_type + ": ") &&
                    errors.find("attribute " + a.name + " is not a") != std::string::npos)
            << example.text << "\n" << a.name << " of kind " << value.index() << ": " << errors;
      }
}

// ---- Out of range --------------------------------------------------------------------------------------------------

Value with_first(const Value& list, std::int64_t n) {
  Integers changed = std::get<Integers>(list);
  changed.at(0) = n;
  return changed;
}
Value longer(const Value& list) {
  Integers changed = std::get<Integers>(list);
  changed.push_back(changed.back());
  return changed;
}

using Spoilt = std::vector<Value>;
constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                       most = std::numeric_limits<std::int64_t>::max();

Spoilt an_axis(const Value&) { return {std::int64_t{9}, std::int64_t{-9}, least, most, std::int64_t{1} << 32}; }
Spoilt axes(const Value& v) {
  return {with_first(v, 9), with_first(v, -9), with_first(v, least), with_first(v, most),
          with_first(v, std::int64_t{1} << 32), longer(v)};
}
Spoilt no_length(const Value&) { return {std::int64_t{0}, std::int64_t{-1}, least}; }
Spoilt no_lengths(const Value& v) { return {with_first(v, 0), with_first(v, -1), with_first(v, least), longer(v)}; }
Spoilt negative(const Value&) { return {std::int64_t{-1}, least}; }
Spoilt a_negative(const Value& v) { return {with_first(v, -1), with_first(v, least)}; }
Spoilt negatives(const Value& v) { return {with_first(v, -1), with_first(v, least), longer(v)}; }
Spoilt no_type(const Value&) { return {std::int64_t{99}, std::int64_t{-1}, least, (std::int64_t{1} << 32) + 1}; }
Spoilt no_word(const Value& v) {
  if (std::holds_alternative<std::int64_t>(v)) return {std::int64_t{99}, std::int64_t{-1}, least};  // TreeEnsemble's
  return {std::string("nonsense"), std::string("\0", 1)};
}
Spoilt no_words(const Value& v) {
  if (std::holds_alternative<TensorData>(v)) return {tensor_data("t", DType::uint8, {1}, std::vector<std::uint8_t>{9})};
  return {std::vector<std::string>(std::get<std::vector<std::string>>(v).size(), "nonsense")};
}

const std::map<std::string_view, Spoilt (*)(const Value&)> how_spoilt{
    {"axis", an_axis}, {"batch_axis", an_axis}, {"time_axis", an_axis}, {"gather_axis", an_axis},
    {"quantize_axis", an_axis}, {"batch_dims", an_axis}, {"axes", axes}, {"perm", axes}, {"scan_input_axes", axes},
    {"scan_output_axes", axes},
    {"kernel_shape", no_lengths}, {"strides", no_lengths}, {"dilations", no_lengths}, {"pooled_shape", no_lengths},
    {"pads", negatives}, {"output_padding", negatives}, {"output_shape", negatives}, {"border", negatives},
    {"shape", a_negative}, {"inputdimensions", negatives},
    {"group", no_length}, {"offset_group", no_length}, {"num_groups", no_length}, {"blocksize", no_length},
    {"hidden_size", no_length}, {"num_heads", no_length}, {"q_num_heads", no_length}, {"kv_num_heads", no_length},
    {"size", no_length}, {"num_outputs", no_length}, {"min_gram_length", no_length}, {"max_gram_length", no_length},
    {"num_scan_inputs", no_length}, {"output_height", no_length}, {"output_width", no_length}, {"K", no_length},
    {"N", no_length}, {"bits", no_length}, {"targets", no_length}, {"n_targets", no_length},
    {"block_size", negative}, {"max_skip_count", negative}, {"sampling_ratio", negative}, {"sample_size", negative},
    {"p", negative}, {"weight_prepacked", negative}, {"rotary_embedding_dim", negative},
    {"to", no_type}, {"dtype", no_type}, {"output_datatype", no_type}, {"output_dtype", no_type},
    {"softmax_precision", no_type}, {"stash_type", no_type}, {"precision", no_type},
    {"qk_matmul_output_mode", no_type},
    {"auto_pad", no_word}, {"mode", no_word}, {"direction", no_word}, {"reduction", no_word}, {"approximate", no_word},
    {"round_mode", no_word}, {"padding_mode", no_word}, {"nearest_mode", no_word},
    {"coordinate_transformation_mode", no_word}, {"keep_aspect_ratio_policy", no_word}, {"equation", no_word},
    {"update_rule", no_word}, {"case_change_action", no_word}, {"post_transform", no_word}, {"norm", no_word},
    {"aggregate_function", no_word}, {"activation", no_word}, {"activations", no_words}, {"nodes_modes", no_words},
};

// Where what would be out of range elsewhere means something, and why.
const std::map<std::string, std::string> taken_all_the_same{
    {"Pad.pads", "a negative length cuts"},
};

TEST(EveryOperator, RefusesAttributesOutOfRange) {
  std::set<std::string> taken;
  for (const Example& example : every_operator())
    for (const Attribute& a : example.node().attributes) {
      const auto spoil = how_spoilt.find(a.name);
      if (spoil == how_spoilt.end()) continue;
      const std::string name = example.name() + "." + a.name;
      for (const Value& value : spoil->second(a.value)) {
        const std::string errors = errors_with(example, a.name, value);
        if (errors.empty()) taken.insert(name);
        EXPECT_TRUE(errors.starts_with("y = " + example.node().op_type + ": ") || taken_all_the_same.contains(name))
            << example.text << "\n" << a.name << ": " << errors;
      }
    }
  for (const auto& [name, why] : taken_all_the_same) EXPECT_TRUE(taken.contains(name)) << name << " is refused now";
}

}  // namespace
}  // namespace loam::test
