// ONNX's textual format against what onnx.parser and onnx.printer make of the same texts (onnxtext/oracle.py), and what
// Loam reads besides.
#include <algorithm>
#include <vector>

#include "tests/read/onnxtext_support.hpp"

namespace loam::test {
namespace {

std::vector<std::filesystem::path> cases(std::string_view extension) {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(onnxtext_folder() / "cases"))
    if (entry.path().extension() == extension) found.push_back(entry.path());
  std::ranges::sort(found);
  return found;
}

const TensorData& initializer(const TextReading& read, std::string_view name) {
  const auto& initializers = read.model->graph.initializers;
  return *std::ranges::find(initializers, name, &TensorData::name);
}

TEST(OnnxText, reads_what_onnx_parser_reads_into_protobuf) {
  const auto paths = cases(".onnxtext");
  EXPECT_GE(paths.size(), 7U);
  for (std::filesystem::path path : paths) {
    const TextReading text(file_text(path));
    const Reading proto(file_text(path.replace_extension(".onnx")));
    ASSERT_TRUE(text.model) << path << "\n" << text.errors();
    ASSERT_TRUE(proto.model) << path << "\n" << proto.errors();
    EXPECT_EQ(difference(*text.model, *proto.model), "") << path;
    expect_same_printed(*text.model, path.string());
  }
}

TEST(OnnxText, reads_what_onnx_printer_writes) {
  const auto paths = cases(".printed");
  EXPECT_GE(paths.size(), 3U);
  for (std::filesystem::path path : paths) {
    const TextReading text(file_text(path));
    const Reading proto(file_text(path.replace_extension(".onnx")));
    ASSERT_TRUE(text.model) << path << "\n" << text.errors();
    ASSERT_TRUE(proto.model) << path << "\n" << proto.errors();
    EXPECT_EQ(difference(*text.model, *proto.model), "") << path;
  }
}

// Every text of malformed.txt is refused where it says.
TEST(OnnxText, refuses_what_onnx_parser_refuses) {
  const std::string file = file_text(onnxtext_folder() / "malformed.txt");
  std::size_t count = 0;
  std::size_t head = file.find("\n=== ");
  while (head != file.npos) {
    const std::size_t text = file.find('\n', head + 1) + 1;
    const std::size_t next = file.find("\n=== ", text - 1);
    const std::string expected = file.substr(head + 5, text - head - 6);
    const TextReading read(file.substr(text, std::min(next, file.size() - 1) - text));
    ASSERT_FALSE(read.model) << expected;
    const Diagnostic& first = read.diagnostics.list().at(0);
    EXPECT_EQ(first.site + " " + first.message, expected);
    ++count;
    head = next;
  }
  EXPECT_GE(count, 150U);
}

TEST(OnnxText, a_value_declared_and_read_and_never_defined_is_an_initializer_without_data) {
  const TextReading read(text_model(R"(
      (float[N, 2] x, c) => (y) <float[2, 3] w, float[3] unused, float[3] t, float[3] b, float inner> {
        t = MatMul (x, w)
        y = If (c) <then_branch = p () => (q) { q = Add (t, b) },
                    else_branch = p () => (inner) <float[3] deep> { inner = Neg (t) }>
      })"));
  ASSERT_TRUE(read.model) << read.errors();
  const Graph& graph = read.model->graph;
  ASSERT_EQ(graph.initializers.size(), 2U);
  EXPECT_EQ(graph.initializers[0].name, "w");
  EXPECT_EQ(graph.initializers[0].dims, (std::vector<std::int64_t>{2, 3}));
  EXPECT_TRUE(std::holds_alternative<std::monostate>(graph.initializers[0].data));
  EXPECT_EQ(graph.initializers[1].name, "b");
  ASSERT_EQ(graph.value_infos.size(), 3U);
  expect_same_printed(*read.model, "declared initializers");
}

TEST(OnnxText, an_undefined_value_with_a_symbolic_dim_is_still_undefined) {
  const TextReading read(text_model("(x) => (y) <float[N] w> { y = Add (x, w) }"));
  EXPECT_FALSE(read.model);
  EXPECT_EQ(read.faults(), "y = Add: reads 'w', which nothing defines\n");
}

TEST(OnnxText, lists_of_tensors_graphs_and_types_have_their_elements) {
  const TextReading read(text_model(R"(
      (x) => (y) {
        y = d.Op <ts = [float {1}, int32[2] two {1, 2}], tt: tensor = [float {3}],
                  gs: graphs = [a () => () {}, b () => () {}], ps = [float[2], seq(int64)], none: tensors = []> (x)
      })"));
  ASSERT_TRUE(read.model) << read.errors();
  const Node& node = read.model->graph.nodes[0];
  EXPECT_EQ(std::get<std::vector<TensorData>>(node.attribute("ts")->value).size(), 2U);
  EXPECT_EQ(std::get<std::vector<TensorData>>(node.attribute("tt")->value).size(), 1U);
  EXPECT_EQ(std::get<std::vector<std::shared_ptr<const Graph>>>(node.attribute("gs")->value)[1]->name, "b");
  EXPECT_EQ(std::get<std::vector<ValueType>>(node.attribute("ps")->value)[1].kind, ValueType::Kind::sequence);
  EXPECT_TRUE(std::get<std::vector<TensorData>>(node.attribute("none")->value).empty());
  expect_same_printed(*read.model, "lists");
}

TEST(OnnxText, reads_forms_of_its_own_for_what_onnx_has_no_text_for) {
  const TextReading read(text_model(R"(
      (?[N] x, ? s, seq() u, map(?, ) m, sparse_tensor(?[]) st) => (y)
      <sparse_tensor(float[2, 3]) w = {float[2] {1, 2}, int64[2, 2] {0, 1, 1, 2}}>
      {
        y = "an op" <"an attribute" = 1, t = float "a tensor" {1}, g = "a graph" () => () {}, n = "nan" () => () {},
                     sparse = sparse_tensor(float[4]) {float[1] v {5}, int64[1] i {3}}, none: type_proto = ()> (x)
        z = "a domain"."Op-1" (w)
      })"));
  ASSERT_TRUE(read.model) << read.errors();
  const Graph& graph = read.model->graph;
  EXPECT_EQ(graph.inputs[0].type.kind, ValueType::Kind::tensor);
  EXPECT_EQ(graph.inputs[0].type.dtype, DType::undefined);
  EXPECT_EQ(graph.inputs[2].type.element->kind, ValueType::Kind::undeclared);
  EXPECT_EQ(graph.sparse_initializers[0].second.values.name, "w");
  EXPECT_EQ(graph.nodes[0].op_type, "an op");
  EXPECT_EQ(graph.nodes[1].domain, "a domain");
  expect_same_printed(*read.model, "forms of its own");
}

TEST(OnnxText, halves_are_their_bits) {
  const TextReading read(text_model("() => () <float16[2] h = {15360, -1}, bfloat16[1] b = {16256}> {}"));
  ASSERT_TRUE(read.model) << read.errors();
  const auto bytes = std::get<Bytes>(initializer(read, "h").data).span();
  const std::vector<std::byte> expected{std::byte{0x00}, std::byte{0x3c}, std::byte{0xff}, std::byte{0xff}};
  EXPECT_TRUE(std::ranges::equal(bytes, expected));
}

TEST(OnnxText, what_is_wrong_with_values_is_reported_together) {
  const TextReading read(text_model(R"(() => ()
      <float[2] few = {1}, bool[1] b = {2}, uint8[2] u = {1, 300}, float[1] e = ["location": "../w"],
       string[2] s = {"a"}, int4[3] n = {1, 2, 3}, float[3] far = ["location": "w", "length": "11"]> {
        y = A <a = 1, a = 2, t = float[2] {}> ()
      })"));
  EXPECT_FALSE(read.model);
  EXPECT_EQ(read.faults(),
            "3:23: few: float32[2] takes 2 numbers and is given 1\n"
            "3:40: b: a bool is neither 0 nor 1\n"
            "3:62: '300' is no uint8\n"
            "3:81: e: the external data's location '../w' leaves the model's folder\n"
            "4:22: s: string[2] takes 2 strings and is given 1\n"
            "4:41: n: int4[3] takes 2 numbers and is given 3\n"
            "4:67: far: the external data has 11 bytes where float32[3] needs 12\n"
            "5:43: float32[2] has no data\n"
            "5:9: y = A: the attribute a is given twice\n");
}

TEST(OnnxText, codes_say_what_kind_of_thing_is_wrong) {
  const auto code = [](std::string_view text) { return TextReading(text).diagnostics.list().at(0).code; };
  EXPECT_EQ(code("<opset_import: [\"\": 0]> g () => () {}"), Code::opset_out_of_range);
  EXPECT_EQ(code("<opset_import: [\"\": 1, \"ai.onnx\": 2]> g () => () {}"), Code::malformed_graph);
  EXPECT_EQ(code("g (opaque(a.b, c) x) => () {}"), Code::unsupported_file);
  EXPECT_EQ(code("g (float[9223372036854775807, 2] x = {}) => () {}"), Code::overflow);
  EXPECT_EQ(code("g () => () <float w = [\"location\": \"/etc/passwd\"]> {}"), Code::external_data);
  EXPECT_EQ(code("g (float[-1] x) => () {}"), Code::malformed_file);
  EXPECT_EQ(code("g () => (y) {}"), Code::malformed_graph);
  EXPECT_EQ(code("g () => () { y = A <k = @k> () }"), Code::malformed_graph);
}

TEST(OnnxText, a_file_of_errors_gives_a_hundred) {
  std::string text = "() => () <";
  for (int i = 0; i < 1000; ++i) text += fmt::format("{}bool b{} = {{2}}", i == 0 ? "" : ", ", i);
  EXPECT_EQ(TextReading(text_model(text + "> {}")).diagnostics.errors(), 100U);
}

TEST(OnnxText, depth_is_bounded) {
  const auto types = [](int depth) {
    std::string text = "(";
    for (int i = 0; i < depth; ++i) text += "seq(";
    return text_model(text + "float" + std::string(static_cast<std::size_t>(depth), ')') + " x) => () {}");
  };
  EXPECT_TRUE(TextReading(types(100)).model);
  EXPECT_FALSE(TextReading(types(101)).model);
  EXPECT_FALSE(TextReading(types(100'000)).model);
  const auto graphs = [](int depth) {
    std::string text = "() => () {";
    for (int i = 0; i < depth; ++i) text += fmt::format(" y{} = A <g = h () => () {{", i);
    for (int i = 0; i < depth; ++i) text += "}> ()";
    return text_model(text + "}");
  };
  const TextReading deep(graphs(99));
  ASSERT_TRUE(deep.model) << deep.errors();
  expect_same_printed(*deep.model, "nested graphs");
  EXPECT_FALSE(TextReading(graphs(101)).model);
  EXPECT_FALSE(TextReading(graphs(100'000)).model);
}

TEST(OnnxText, names_are_utf8_and_strings_are_any_bytes) {
  const TextReading good(text_model("(\"\xc3\xa9\") => () { y = A <s = \"\xff\"> (\"\xc3\xa9\") }"));
  ASSERT_TRUE(good.model) << good.errors();
  expect_same_printed(*good.model, "bytes");
  const TextReading bad(text_model("(\"\xff\") => () {}"));
  EXPECT_EQ(bad.faults(), "2:4: a value's name is not UTF-8\n");
}

}  // namespace
}  // namespace loam::test
