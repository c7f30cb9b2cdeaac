#include "compiler/read/print_onnxtext.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <string_view>
#include <utility>
#include <variant>

#include "compiler/read/onnxtext_words.hpp"
#include "compiler/read/print_elements.hpp"

namespace loam {
namespace {

using namespace onnxtext;

class Printer {
 public:
  std::string print(const Model& model);

 private:
  void header(const Model& model);
  void graph(const Graph& graph);  // after its name
  void initializers(const Graph& graph);
  void initializer(const TensorData& tensor);
  void data(const TensorData& tensor);
  void node(const Node& node);
  void operator_name(const Node& node);
  void attribute(const Attribute& attribute);

  // The values of attributes.
  void value(std::monostate) {}
  void value(std::int64_t number) { put(fmt::format("{}", number)); }
  void value(float number) { put(fmt::format("{}", number)); }
  void value(const std::string& text) { put(in_quotes(text)); }
  void value(const TensorData& tensor);
  void value(const std::shared_ptr<const Graph>& graph);
  void value(const ValueType& type) { type.kind == ValueType::Kind::undeclared ? put("()") : this->type(type); }
  void value(const SparseTensorData& tensor);
  template <class Element>
  void value(const std::vector<Element>& elements) {
    put("[");
    list(elements, [&](const Element& element) { value(element); });
    put("]");
  }

  void value_infos(const std::vector<ValueInfo>& infos);
  void value_info(const ValueInfo& info);
  void type(const ValueType& type);
  void element_type(DType dtype, const std::optional<std::vector<Dimension>>& shape);
  void element_type(DType dtype, const std::vector<std::int64_t>& dims);
  void dimension(const Dimension& dimension);
  void sparse_parts(const SparseTensorData& tensor, std::string_view values_name);

  void name(std::string_view name) { put(begins_type(name) || !is_identifier(name) ? in_quotes(name) : std::string(name)); }
  void identifier(std::string_view name) { put(is_identifier(name) ? std::string(name) : in_quotes(name)); }

  void put(std::string_view text) { out_ += text; }
  void new_line() { (out_ += '\n').append(indent(), ' '); }
  std::size_t indent() const { return 2 * static_cast<std::size_t>(depth_); }

  // What print() writes of each element, with commas between.
  template <class Range, class Print>
  void list(const Range& range, Print print, std::string_view comma = ", ") {
    bool first = true;
    for (const auto& element : range) {
      if (!std::exchange(first, false)) put(comma);
      print(element);
    }
  }

  std::string out_;
  int depth_ = 0;
};

std::string Printer::print(const Model& model) {
  header(model);
  name(model.graph.name);
  graph(model.graph);
  put("\n");
  return std::move(out_);
}

void Printer::header(const Model& model) {
  put(fmt::format("<\n  ir_version: {}", model.ir_version));
  if (!model.opsets.empty()) {
    put(",\n  opset_import: [");
    list(model.opsets, [&](const OpsetImport& opset) { put(fmt::format("{}: {}", in_quotes(opset.domain), opset.version)); });
    put("]");
  }
  if (!model.producer.empty()) put(",\n  producer_name: " + in_quotes(model.producer));
  if (!model.metadata.empty()) {
    put(",\n  metadata_props: [");
    list(model.metadata, [&](const auto& entry) { put(in_quotes(entry.first) + ": " + in_quotes(entry.second)); });
    put("]");
  }
  put("\n>\n");
}

void Printer::graph(const Graph& graph) {
  put(" ");
  value_infos(graph.inputs);
  put(" => ");
  value_infos(graph.outputs);
  initializers(graph);
  new_line();
  put("{");
  ++depth_;
  for (const Node& each : graph.nodes) {
    new_line();
    node(each);
  }
  --depth_;
  new_line();
  put("}");
}

// One a line: the lines that a diff shows.
void Printer::initializers(const Graph& graph) {
  if (graph.initializers.empty() && graph.sparse_initializers.empty() && graph.value_infos.empty()) return;
  new_line();
  put("<");
  ++depth_;
  bool first = true;
  const auto begin = [&] {
    if (!std::exchange(first, false)) put(",");
    new_line();
  };
  for (const TensorData& tensor : graph.initializers) {
    begin();
    initializer(tensor);
  }
  for (const auto& [name, tensor] : graph.sparse_initializers) {
    begin();
    put("sparse_tensor(");
    element_type(tensor.values.dtype, tensor.dims);
    put(") ");
    this->name(name);
    put(" = ");
    sparse_parts(tensor, tensor.values.name == name ? std::string_view() : tensor.values.name);
  }
  for (const ValueInfo& info : graph.value_infos) {
    begin();
    value_info(info);
  }
  --depth_;
  new_line();
  put(">");
}

void Printer::initializer(const TensorData& tensor) {
  element_type(tensor.dtype, tensor.dims);
  put(" ");
  name(tensor.name);
  put(" = ");
  data(tensor);
}

void Printer::data(const TensorData& tensor) {
  const auto* external = std::get_if<ExternalData>(&tensor.data);
  if (external == nullptr) return print_elements(tensor, indent() + 4, out_);
  put("[\"location\": " + in_quotes(external->location));
  if (external->offset != 0) put(fmt::format(", \"offset\": \"{}\"", external->offset));
  if (external->length) put(fmt::format(", \"length\": \"{}\"", *external->length));
  put("]");
}

void Printer::node(const Node& node) {
  if (!node.name.empty()) {
    put("[");
    name(node.name);
    put("] ");
  }
  const auto print_name = [&](const std::string& each) { name(each); };
  list(node.outputs, print_name);
  put(node.outputs.empty() ? "= " : " = ");
  operator_name(node);
  if (!node.attributes.empty()) {
    put(" <");
    list(node.attributes, [&](const Attribute& each) { attribute(each); });
    put(">");
  }
  put(" (");
  list(node.inputs, print_name);
  put(")");
}

void Printer::operator_name(const Node& node) {
  // The domain's own points stand between identifiers, or all of it stands in quotes.
  std::string_view rest = node.domain;
  bool plain = true;
  while (plain && !rest.empty()) {
    const std::size_t point = rest.find('.');
    plain = is_identifier(rest.substr(0, point)) && !rest.ends_with('.');
    rest = point == rest.npos ? std::string_view() : rest.substr(point + 1);
  }
  if (!node.domain.empty()) put((plain ? node.domain : in_quotes(node.domain)) + ".");
  identifier(node.op_type);
  if (!node.overload.empty()) {
    put(":");
    identifier(node.overload);
  }
}

void Printer::attribute(const Attribute& attribute) {
  identifier(attribute.name);
  const AttributeKind kind = kind_of(attribute.value);
  if (kind != AttributeKind::none) put(": " + std::string(kind_word(kind)));
  put(" = ");
  if (!attribute.reference.empty()) {
    put("@");
    name(attribute.reference);
  }
  std::visit([&](const auto& each) { value(each); }, attribute.value);
}

void Printer::value(const TensorData& tensor) {
  element_type(tensor.dtype, tensor.dims);
  put(" ");
  if (!tensor.name.empty()) {
    identifier(tensor.name);
    put(" ");
  }
  if (std::holds_alternative<ExternalData>(tensor.data)) put("= ");
  data(tensor);
}

void Printer::value(const std::shared_ptr<const Graph>& graph) {
  // A type's word or a number's would be read as such.
  const bool plain = is_identifier(graph->name) && !begins_type(graph->name) && !is_float_word(graph->name);
  put(plain ? graph->name : in_quotes(graph->name));
  this->graph(*graph);
}

void Printer::value(const SparseTensorData& tensor) {
  put("sparse_tensor(");
  element_type(tensor.values.dtype, tensor.dims);
  put(") ");
  sparse_parts(tensor, tensor.values.name);
}

// The values and the indices of a sparse tensor.
void Printer::sparse_parts(const SparseTensorData& tensor, std::string_view values_name) {
  TensorData values = tensor.values;
  values.name = values_name;
  put("{");
  value(values);
  put(", ");
  value(tensor.indices);
  put("}");
}

// On one line where they are few, else each on its own.
void Printer::value_infos(const std::vector<ValueInfo>& infos) {
  constexpr std::size_t few = 4;
  put("(");
  ++depth_;
  list(infos, [&](const ValueInfo& info) {
    if (infos.size() > few) new_line();
    value_info(info);
  }, infos.size() > few ? "," : ", ");
  --depth_;
  if (infos.size() > few) new_line();
  put(")");
}

void Printer::value_info(const ValueInfo& info) {
  if (info.type.kind != ValueType::Kind::undeclared) {
    type(info.type);
    put(" ");
  }
  name(info.name);
}

void Printer::type(const ValueType& type) {
  const auto element = [&] {
    if (type.element) this->type(*type.element);
    put(")");
  };
  switch (type.kind) {
    case ValueType::Kind::undeclared: return;
    case ValueType::Kind::tensor: return element_type(type.dtype, type.shape);
    case ValueType::Kind::sparse_tensor:
      put("sparse_tensor(");
      element_type(type.dtype, type.shape);
      return put(")");
    case ValueType::Kind::sequence: return put("seq("), element();
    case ValueType::Kind::optional: return put("optional("), element();
    case ValueType::Kind::map:
      put("map(");
      element_type(type.dtype, std::vector<std::int64_t>());
      return put(", "), element();
  }
}

void Printer::element_type(DType dtype, const std::optional<std::vector<Dimension>>& shape) {
  put(dtype == DType::undefined ? "?" : dtype_word(dtype));
  if (!shape) return put("[]");
  if (shape->empty()) return;
  put("[");
  list(*shape, [&](const Dimension& each) { dimension(each); });
  put("]");
}

void Printer::element_type(DType dtype, const std::vector<std::int64_t>& dims) {
  element_type(dtype, std::vector<Dimension>(dims.begin(), dims.end()));
}

void Printer::dimension(const Dimension& dimension) {
  if (const auto* length = std::get_if<std::int64_t>(&dimension)) {
    put(fmt::format("{}", *length));
  } else if (const auto* symbol = std::get_if<std::string>(&dimension)) {
    name(*symbol);
  } else {
    put("?");
  }
}

}  // namespace

std::string print_onnxtext(const Model& model) { return Printer().print(model); }

}  // namespace loam
