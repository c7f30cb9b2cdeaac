#include "compiler/read/onnxtext_graph.hpp"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <utility>

#include "compiler/read/onnxtext_attribute.hpp"
#include "compiler/read/onnxtext_tensor.hpp"
#include "compiler/read/onnxtext_type.hpp"
#include "compiler/read/rules.hpp"

namespace loam::onnxtext {
namespace {

// Reads elements with commas between them, between two symbols.
template <class Read>
void read_list(Cursor& cursor, char open, char close, std::string_view what, Read read_element) {
  cursor.expect(open, fmt::format("before {}", what));
  if (cursor.accept(close)) return;
  do {
    read_element();
  } while (cursor.accept(','));
  cursor.expect(close, fmt::format("after {}", what));
}

// Names with commas between, each of which may be absent; but what follows the last comma is a name or nothing at all.
std::vector<std::string> read_names(Cursor& cursor, std::string_view what) {
  std::vector<std::string> names;
  while (true) {
    if (cursor.ahead().is_name()) {
      names.push_back(cursor.name(what));
      if (!cursor.accept(',')) return names;
    } else if (cursor.accept(',')) {
      names.emplace_back();
    } else {
      return names;
    }
  }
}

void read_initializer(Cursor& cursor, const Token& at, const ValueInfo& info, Graph& graph) {
  if (info.type.kind == ValueType::Kind::sparse_tensor) {
    SparseTensorData sparse = read_sparse_data(cursor, at, info.type);
    if (sparse.values.name.empty()) sparse.values.name = info.name;
    graph.sparse_initializers.emplace_back(info.name, std::move(sparse));
    return;
  }
  TensorData tensor = tensor_of(cursor, at, info.type);
  tensor.name = info.name;
  if (cursor.at('{') || cursor.at('[')) {
    read_data(cursor, tensor, MissingData::allowed);
  } else if (tensor.elements() == 0) {
    tensor.data = Bytes{};
  }
  graph.initializers.push_back(std::move(tensor));
}

// An input with a value is an initializer too.
void read_inputs(Cursor& cursor, Graph& graph) {
  read_list(cursor, '(', ')', "a graph's inputs", [&] {
    const Token at = cursor.ahead();
    ValueInfo info = read_value_info(cursor);
    if (cursor.accept('=')) read_initializer(cursor, at, info, graph);
    graph.inputs.push_back(std::move(info));
  });
}

void read_initializers(Cursor& cursor, Graph& graph) {
  read_list(cursor, '<', '>', "a graph's initializers and declared values", [&] {
    const Token at = cursor.ahead();
    ValueInfo info = read_value_info(cursor);
    if (cursor.accept('=')) {
      read_initializer(cursor, at, info, graph);
    } else {
      graph.value_infos.push_back(std::move(info));
    }
  });
}

// domain.Operator:overload. The domain is everything before the last point.
void read_operator(Cursor& cursor, Node& node) {
  const Token at = cursor.ahead();
  if (!cursor.at('.')) node.op_type = cursor.name("an operator");
  while (cursor.accept('.')) {
    if (!node.domain.empty()) node.domain += '.';
    node.domain += node.op_type;
    node.op_type = cursor.name("an operator");
  }
  if (node.op_type.empty()) cursor.broken(at, "a node names no operator");
  if (node.domain == "ai.onnx") node.domain.clear();
  if (cursor.accept(':')) node.overload = cursor.name("an overload");
}

Node read_node(Cursor& cursor) {
  const Token at = cursor.ahead();
  Node node;
  if (cursor.accept('[')) {
    if (!cursor.at(']')) node.name = cursor.name("a node's name");
    cursor.expect(']', "after a node's name");
  }
  node.outputs = read_names(cursor, "an output's name");
  cursor.expect('=', "after a node's outputs");
  read_operator(cursor, node);
  const bool attributes_first = cursor.at('<');
  if (attributes_first) node.attributes = read_attributes(cursor);
  cursor.expect('(', fmt::format("before the inputs of {}", node.op_type));
  node.inputs = read_names(cursor, "an input's name");
  cursor.expect(')', fmt::format("after the inputs of {}", node.op_type));
  if (!attributes_first && cursor.at('<')) node.attributes = read_attributes(cursor);
  if (const auto repeated = repeated_attribute(node)) {
    cursor.wrong(at, fmt::format("{}: the attribute {} is given twice", node.site(), *repeated),
                 Code::malformed_graph);
  }
  return node;
}

std::vector<Node> read_nodes(Cursor& cursor) {
  std::vector<Node> nodes;
  cursor.expect('{', "before the nodes");
  while (!cursor.accept('}')) {
    if (cursor.ahead().kind == Token::Kind::end) {
      cursor.expected("a node or '}' after the nodes");
      break;
    }
    nodes.push_back(read_node(cursor));
  }
  return nodes;
}

std::vector<std::string> read_formals(Cursor& cursor, std::string_view what) {
  std::vector<std::string> names;
  read_list(cursor, '(', ')', what, [&] { names.push_back(read_value_info(cursor).name); });
  return names;
}

void read_function_header(Cursor& cursor, Function& function) {
  read_header(cursor, [&](const Token& at, std::string_view word) {
    if (word == "domain") {
      function.domain = cursor.text("the domain");
      if (function.domain == "ai.onnx") function.domain.clear();
    } else if (word == "opset_import") {
      for (OpsetImport& opset : read_opsets(cursor)) function.opsets.push_back(std::move(opset));
    } else if (word == "overload") {
      function.overload = cursor.text("the overload");
    } else if (word == "doc_string") {
      cursor.text("the doc_string");
    } else {
      cursor.broken(at, fmt::format("{} is no word of a function's header", described(at)));
    }
  });
}

}  // namespace

Graph read_graph(Cursor& cursor) { return read_graph(cursor, cursor.name("a graph's name")); }

Graph read_graph(Cursor& cursor, std::string name) {
  Graph graph;
  graph.name = std::move(name);
  read_inputs(cursor, graph);
  cursor.expect_arrow("after a graph's inputs");
  read_list(cursor, '(', ')', "a graph's outputs", [&] { graph.outputs.push_back(read_value_info(cursor)); });
  if (cursor.at('<')) read_initializers(cursor, graph);
  graph.nodes = read_nodes(cursor);
  drop_initialized_inputs(graph);
  return graph;
}

Function read_function(Cursor& cursor) {
  Function function;
  read_function_header(cursor, function);
  const Token at = cursor.ahead();
  function.name = cursor.name("a function's name");
  if (function.name.empty()) cursor.broken(at, "a function has no name");
  if (cursor.at('<')) function.defaults = read_function_attributes(cursor);
  function.inputs = read_formals(cursor, "a function's inputs");
  cursor.expect_arrow("after a function's inputs");
  function.outputs = read_formals(cursor, "a function's outputs");
  // Its declared values: their dims would be one for all calls.
  if (cursor.at('<')) read_list(cursor, '<', '>', "a function's declared values", [&] { read_value_info(cursor); });
  function.nodes = read_nodes(cursor);
  return function;
}

std::vector<OpsetImport> read_opsets(Cursor& cursor) {
  std::vector<OpsetImport> opsets;
  read_list(cursor, '[', ']', "the opsets", [&] {
    const Token at = cursor.ahead();
    OpsetImport opset;
    opset.domain = cursor.text("a domain");
    if (opset.domain == "ai.onnx") opset.domain.clear();
    cursor.expect(':', "after a domain");
    opset.version = cursor.integer("a version");
    if (opset.version < 1) {
      cursor.wrong(at, fmt::format("version {} of the operators of '{}' is imported", opset.version, opset.domain),
                   Code::opset_out_of_range);
    }
    opsets.push_back(std::move(opset));
  });
  return opsets;
}

}  // namespace loam::onnxtext
