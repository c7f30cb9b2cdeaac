// Every code of diagnostic_codes.inc, provoked: what a person reads then.
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "compiler/compile.hpp"
#include "tests/read/read_support.hpp"
#include "tests/stage0/support.hpp"

namespace loam::test {
namespace {

std::string text_of(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& d : diagnostics.list()) text += (text.empty() ? "" : "\n") + d.text();
  return text;
}

// A file with one input x of these axes' lengths, and its nodes and initializers; its outputs are y.
std::string file(const std::vector<Proto>& nodes, const std::vector<Proto>& initializers = {}, std::int64_t version = 17,
                 std::initializer_list<std::int64_t> x = {2, 4}) {
  Proto shape;
  for (const std::int64_t d : x) shape.message(1, Proto().integer(1, d));
  const Proto type = Proto().message(1, Proto().integer(1, 1).message(2, shape));
  Proto graph;
  for (const Proto& n : nodes) graph.message(1, n);
  graph.text(2, "g");
  for (const Proto& t : initializers) graph.message(5, t);
  graph.message(11, Proto().text(1, "x").message(2, type)).message(12, value_info("y"));
  return Proto().integer(1, 8).message(8, opset("", version)).message(7, graph).bytes;
}

std::string compiled(const std::string& bytes, CompileOptions options = {}, std::optional<std::string> checkpoint = {}) {
  Diagnostics diagnostics;
  CompileInput input;
  input.graph_name = "g.onnx";
  input.graph = bytes_of(bytes);
  if (checkpoint) input.checkpoint = bytes_of(*checkpoint);
  options.auto_layout = options.layout.rules.empty();
  compile(input, options, diagnostics);
  return text_of(diagnostics);
}

std::string safetensors(std::string header, std::size_t payload) {
  return Proto::little_endian(static_cast<std::uint64_t>(header.size())) + header + std::string(payload, '\0');
}

Setting two_inputs(std::string_view x, std::string_view y) {
  Setting s;
  s.input("x", x).input("y", y).automatic();
  return s;
}

struct Provoked {
  std::function<std::string()> text;
  std::string_view expected;
};

const std::multimap<Code, Provoked>& catalogue() {
  static const std::multimap<Code, Provoked> entries = {
      // Reading
      {Code::malformed_file, {[] { return compiled("\x7f\xff"); }, "byte 0: ModelProto: field 15 has the wire type 7, and there is none [malformed-file]"}},
      {Code::unsupported_file, {[] { return compiled(file({node("Relu", {"x"}, {"y"})}, {tensor("t", DType::float32, {1}).message(3, Proto())})); }, "t: the tensor is a segment of a larger one (byte 29) [unsupported-file]"}},
      {Code::malformed_graph, {[] { return compiled(file({node("Relu", {"nothing"}, {"y"})})); }, "y = Relu: reads 'nothing', which nothing defines [malformed-graph]"}},
      {Code::opset_out_of_range, {[] { return compiled(file({node("Relu", {"x"}, {"y"})}, {}, 999)); }, "ai.onnx: the graph imports version 999 of its operators, and the newest that Loam knows is 28 [opset-out-of-range]"}},
      {Code::external_data,
       {[] {
          const Proto outside = tensor("w", DType::float32, {4}).message(13, Proto().text(1, "location").text(2, "../w.bin")).integer(14, 1);
          return compiled(file({node("Add", {"x", "w"}, {"y"})}, {outside}));
        },
        "w: the external data's location '../w.bin' leaves the model's folder (byte 31) [external-data]"}},
      // Checkpoint
      {Code::missing_tensor,
       {[] {
          return compiled(file({node("Add", {"x", "w"}, {"y"})}, {tensor("w", DType::float32, {4})}), {},
                          safetensors(R"({"other": {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]}})", 16));
        },
        "w: the graph carries no data for this initializer, and the checkpoint holds no tensor of this name [missing-tensor]"}},
      {Code::checkpoint_mismatch,
       {[] {
          CompileOptions options;
          options.layout.rules = {{.pattern = "x", .axes = {"Rows", "Columns"}, .graph = {}, .comment = {}}};
          return compiled(file({node("Add", {"x", "w"}, {"y"})}, {tensor("w", DType::float32, {4})}), options,
                          safetensors(R"({"w": {"dtype": "F32", "shape": [5], "data_offsets": [0, 20]}})", 20));
        },
        "w: axis Columns is 5 in the checkpoint and 4 in the graph [checkpoint-mismatch]"}},
      // Structure
      {Code::unknown_operator,
       {[] { return Setting().input("x", "4").node("Foo", {"x"}, {"y"}, {}, "my.domain").output("y").automatic().diagnose(); },
        "y = Foo: no operator my.domain::Foo is known [unknown-operator]\n  docs/operators.md lists the operators"}},
      {Code::operator_form,
       {[] { return Setting().input("x", "4").node("MatMul", {"x"}, {"y"}).output("y").automatic().diagnose(); },
        "y = MatMul: takes 2 inputs and was given 1 [operator-form]"}},
      {Code::operator_form,
       {[] { return Setting().input("x", "4").node("Relu", {"x"}, {"y", "z"}).output("y").automatic().diagnose(); },
        "y = Relu: takes 1 outputs and was given 2 [operator-form]"}},
      {Code::bad_attribute,
       {[] { return Setting().input("x", "4 3").node("Transpose", {"x"}, {"y"}, {attribute("perm", std::vector<std::int64_t>{0, 0})}).output("y").automatic().diagnose(); },
        "y = Transpose: perm is no permutation: 0 is listed twice [bad-attribute]"}},
      {Code::bad_attribute,
       {[] { return Setting().input("x", "4 3").node("Softmax", {"x"}, {"y"}, {attribute("axis", "last")}).output("y").automatic().diagnose(); },
        "y = Softmax: attribute axis is not an integer [bad-attribute]"}},
      {Code::bad_attribute,
       {[] {
          return Setting().input("x", "8").integers("a", {0}).integers("b", {8}).integers("zero", {0})
              .node("Slice", {"x", "a", "b", "a", "zero"}, {"y"}).output("y").automatic().diagnose();
        },
        "y = Slice: steps by 0 [bad-attribute]"}},
      {Code::rank_mismatch,
       {[] { return two_inputs("2 3", "2 3 4").node("Concat", {"x", "y"}, {"z"}, {attribute("axis", std::int64_t{0})}).output("z").diagnose(); },
        "z = Concat: x has 2 axes and y has 3 [rank-mismatch]"}},
      {Code::element_type,
       {[] { return Setting().input("x", "4").input("y", "4", DType::int64).node("Add", {"x", "y"}, {"z"}).output("z").automatic().diagnose(); },
        "z = Add: x is float32 and y is int64 [element-type]"}},
      {Code::element_type,
       {[] { return Setting().input("x", "4", DType::complex64).node("Identity", {"x"}, {"y"}).output("y").automatic().diagnose(); },
        "x: is complex64, which no kernel computes with [element-type]"}},
      {Code::element_type,
       {[] { return Setting().input("x", "4", DType::undefined).node("Identity", {"x"}, {"y"}).output("y").automatic().diagnose(); },
        "x: the graph declares no element type for this input [element-type]"}},
      {Code::element_type,
       {[] { return compiled(file({node("Identity", {"w"}, {"y"})}, {tensor("w", DType::complex128, {1})})); },
        "y = Identity: w is complex128, which no kernel computes with [element-type]"}},
      {Code::element_type,
       {[] {
          TensorData value{.name = {}, .dtype = DType::complex64, .dims = {1}, .data = Bytes::own(std::vector<std::byte>(8)), .strings = {}};
          return Setting().node("Constant", {}, {"y"}, {attribute("value", Attribute::Value(std::move(value)))}).output("y").automatic().diagnose();
        },
        "y = Constant: gives complex64, which no kernel computes with [element-type]"}},
      // Axes and extents
      {Code::extent_mismatch,
       {[] { return Setting().input("x", "batch 64").weight("w", {32, 8}).rule("x", {"_", "Hidden"}).node("MatMul", {"x", "w"}, {"t"}).output("t").diagnose(); },
        "t = MatMul: axis Hidden is 64 on the left and 32 on the right [extent-mismatch]"}},
      {Code::extent_mismatch,
       {[] { return Setting().input("x", "4").node("Relu", {"x"}, {"y"}).output("y", "7").automatic().diagnose(); },
        "y: axis 0 is declared 7 and produced 4 [extent-mismatch]"}},
      {Code::axis_names_meet,
       {[] { return two_inputs("n", "n").rule("x", {"Seq"}).rule("y", {"Total"}).node("Add", {"x", "y"}, {"z"}).output("z").diagnose(); },
        "y: axis Total meets axis Seq, which x names [axis-names-meet]\n  they are made one by z = Add"}},
      {Code::axis_unnamed,
       {[] { return Setting().input("x", "4").node("Relu", {"x"}, {"y"}).output("y").diagnose(); },
        "x: axis 0 of x, of length 4, has no name; it runs through x, y [axis-unnamed]\n"
        "  a layout rule for any of them names it, such as {\"pattern\": \"x\", \"axes\": [\"D4\"]}; `loam layout` writes one for each, and --layout auto "
        "takes them"}},
      {Code::condition_never_holds,
       {[] { return Setting().input("x", "1 1 2").weight("w", {1, 1, 3}).node("Conv", {"x", "w"}, {"y"}).output("y").automatic().diagnose(); }, "y = Conv: axis 2 of x is 2 and must hold the 3 elements a window reaches over, and it never does [condition-never-holds]"}},
      {Code::value_needed,
       {[] { return Setting().input("x", "4 4").input("axes", "n", DType::int64).node("Unsqueeze", {"x", "axes"}, {"y"}).output("y").automatic().diagnose(); },
        "y = Unsqueeze: axes is computed at run time and names n axes of 2 [value-needed]"}},
      {Code::overflow,
       {[] {
          return Setting().input("x", "n").integers("large", {std::int64_t{1} << 40, std::int64_t{1} << 40}).node("ReduceProd", {"large"}, {"p"})
              .node("Cast", {"p"}, {"f"}, {attribute("to", std::int64_t{1})}).node("Add", {"x", "f"}, {"y"}).output("y").automatic().diagnose();
        },
        "p = ReduceProd: an integer the graph computes does not fit in 64 bits [overflow]"}},
      {Code::index_out_of_range,
       {[] { return Setting().input("x", "3").integers("i", {7}).node("Gather", {"x", "i"}, {"y"}).output("y").automatic().diagnose(); }, "y = Gather: index 7 is outside axis 0 of x, of 3 elements [index-out-of-range]"}},
      {Code::structure_unsettled,
       {[] {
          Setting s;
          s.input("x", "n 2").node("SplitToSequence", {"x"}, {"s"}).integers("at", {0}).node("SequenceAt", {"s", "at"}, {"y"}).output("y");
          return s.automatic().diagnose();
        },
        "s = SplitToSequence: splits axis N, of length n, and the build must know into how many parts [structure-unsettled]\n"
        "  --dim settles a length; a list of lengths for the parts says how many there are"}},
      // Options
      {Code::bad_option,
       {[] {
          Setting s = two_inputs("n", "n");
          s.node("Add", {"x", "y"}, {"z"}).output("z");
          s.options.dims = {{"m", 4}, {"n", -1}};
          s.options.outputs = {"w"};
          return s.diagnose();
        },
        "--output w: the graph has no such output [bad-option]\n"
        "--dim m: the graph has no such dimension [bad-option]\n"
        "--dim n: an extent is not negative [bad-option]"}},
      {Code::bad_layout,
       {[] {
          Diagnostics diagnostics;
          parse_layout(R"({"rules": [{"patern": "x", "axes": ["1st"]}]})", diagnostics);
          return text_of(diagnostics);
        },
        "rule 0: has a key \"patern\", which a layout does not have [bad-layout]\n  did you mean \"pattern\"?\n"
        "rule 0: has no \"pattern\" [bad-layout]\n"
        "rule 0: names an axis \"1st\" [bad-layout]\n  an axis is a C++ identifier, a merge of several in parentheses (\"(Head Dim)\"), or \"_\""}},
      // Emission
      {Code::name_taken,
       {[] {
          CompileOptions options;
          options.layout.rules = {{.pattern = "x", .axes = {"Outputs", "Columns"}, .graph = {}, .comment = {}}};
          return compiled(file({node("Relu", {"x"}, {"y"})}), options);
        },
        "axis Outputs: is what the module names something of its own [name-taken]\n  give the axis another name in the layout"}},
  };
  return entries;
}

TEST(Catalogue, EachCodeSaysWhatItFoundAndNothingElse) {
  for (const auto& [code, provoked] : catalogue()) EXPECT_EQ(provoked.text(), provoked.expected) << info(code).name;
}

TEST(Catalogue, HoldsEveryCode) {
  for (const CodeInfo& code : all_codes()) {
    if (code.code == Code::internal) continue;  // what would provoke it is a bug
    EXPECT_TRUE(catalogue().contains(code.code)) << code.name;
  }
}

TEST(Catalogue, EveryCodeIsExplained) {
  for (const CodeInfo& code : all_codes()) {
    EXPECT_FALSE(code.summary.empty()) << code.name;
    EXPECT_GT(code.explanation.size(), code.summary.size()) << code.name;
  }
}

}  // namespace
}  // namespace loam::test
