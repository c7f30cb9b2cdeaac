#include "compiler/read/onnxtext.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "compiler/read/functions.hpp"
#include "compiler/read/nested.hpp"
#include "compiler/read/onnxtext_cursor.hpp"
#include "compiler/read/onnxtext_graph.hpp"
#include "compiler/read/onnxtext_tensor.hpp"
#include "compiler/read/order.hpp"

namespace loam {
namespace {

using onnxtext::Cursor;
using onnxtext::Token;

void add_opset(Cursor& cursor, const Token& at, OpsetImport opset, Model& model) {
  const auto found = std::ranges::find(model.opsets, opset.domain, &OpsetImport::domain);
  if (found == model.opsets.end()) {
    model.opsets.push_back(std::move(opset));
  } else if (found->version != opset.version) {
    cursor.wrong(at, fmt::format("the operators of '{}' are imported in versions {} and {}", opset.domain,
                                 found->version, opset.version), Code::malformed_graph);
  }
}

void read_model_header(Cursor& cursor, Model& model) {
  onnxtext::read_header(cursor, [&](const Token& at, std::string_view word) {
    if (word == "ir_version") {
      model.ir_version = cursor.integer("the ir_version");
    } else if (word == "opset_import") {
      for (OpsetImport& opset : onnxtext::read_opsets(cursor)) add_opset(cursor, at, std::move(opset), model);
    } else if (word == "producer_name") {
      model.producer = cursor.text("the producer_name");
    } else if (word == "metadata_props") {
      for (auto& entry : onnxtext::read_string_entries(cursor)) model.metadata.push_back(std::move(entry));
    } else if (word == "model_version") {
      cursor.integer("the model_version");
    } else if (word == "producer_version" || word == "domain" || word == "doc_string") {
      cursor.text(fmt::format("the {}", word));
    } else {
      cursor.broken(at, fmt::format("{} is no word of a model's header", described(at)));
    }
  });
}

// The names that the graph reads and does not define: a nested graph's reads are its own where it defines the name.
class FreeReads {
 public:
  explicit FreeReads(const Graph& graph) { visit(graph); }
  bool contain(const std::string& name) const { return names_.contains(name); }

 private:
  using Names = std::unordered_set<std::string_view>;

  void visit(const Graph& graph) {
    Names& defined = scopes_.emplace_back();
    for (const ValueInfo& input : graph.inputs) defined.insert(input.name);
    for (const TensorData& tensor : graph.initializers) defined.insert(tensor.name);
    for (const auto& [name, tensor] : graph.sparse_initializers) defined.insert(name);
    for (const Node& node : graph.nodes) defined.insert(node.outputs.begin(), node.outputs.end());
    for (const Node& node : graph.nodes) {
      for (const std::string& input : node.inputs) read(input);
      for (const Attribute& attribute : node.attributes)
        visit_graphs(attribute, [&](const Graph& nested) { visit(nested); });
    }
    for (const ValueInfo& output : graph.outputs) read(output.name);
    scopes_.pop_back();
  }
  void read(const std::string& name) {
    if (std::ranges::none_of(scopes_, [&](const Names& scope) { return scope.contains(name); })) names_.insert(name);
  }

  std::vector<Names> scopes_;
  Names names_;
};

// The tensor that the type declares, where each of its dims is a number.
std::optional<TensorData> without_data(const ValueInfo& info) {
  if (info.type.kind != ValueType::Kind::tensor || !info.type.shape) return std::nullopt;
  TensorData tensor;
  tensor.name = info.name;
  tensor.dtype = info.type.dtype;
  for (const Dimension& dim : *info.type.shape) {
    const auto* length = std::get_if<std::int64_t>(&dim);
    if (length == nullptr) return std::nullopt;
    tensor.dims.push_back(*length);
  }
  if (!element_count(tensor.dims)) return std::nullopt;
  return tensor;
}

// A declared value that is read and that nothing defines is an initializer whose data a checkpoint supplies.
void take_declared_initializers(Graph& graph) {
  const FreeReads reads(graph);
  std::erase_if(graph.value_infos, [&](const ValueInfo& info) {
    if (!reads.contain(info.name)) return false;
    std::optional<TensorData> tensor = without_data(info);
    if (!tensor) return false;
    if (tensor->elements() == 0) tensor->data = Bytes{};  // all of it is here
    graph.initializers.push_back(std::move(*tensor));
    return true;
  });
}

}  // namespace

std::optional<Model> read_onnxtext(std::string_view text, Diagnostics& diagnostics) {
  Cursor cursor(text, diagnostics);
  Model model;
  std::vector<Function> functions;
  read_model_header(cursor, model);
  model.graph = onnxtext::read_graph(cursor);
  while (cursor.ahead().kind != Token::Kind::end) functions.push_back(onnxtext::read_function(cursor));
  if (!cursor.ok()) return std::nullopt;
  take_declared_initializers(model.graph);
  if (!inline_functions(model, functions, diagnostics)) return std::nullopt;
  if (!order_graph(model.graph, diagnostics)) return std::nullopt;
  return model;
}

}  // namespace loam
