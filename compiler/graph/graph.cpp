#include "compiler/graph/graph.hpp"

#include <algorithm>

namespace loam {

std::string Node::site() const {
  const auto output = std::ranges::find_if(outputs, [](const std::string& name) { return !name.empty(); });
  std::string site;
  if (output != outputs.end()) {
    site = *output;
    site += " = ";
  }
  site += op_type;
  return site;
}

const Attribute* Node::attribute(std::string_view wanted) const {
  const auto found = std::ranges::find(attributes, wanted, &Attribute::name);
  return found == attributes.end() ? nullptr : &*found;
}

std::int64_t Model::opset(std::string_view domain) const {
  if (domain == "ai.onnx") domain = "";
  const auto found = std::ranges::find(opsets, domain, &OpsetImport::domain);
  if (found != opsets.end()) return found->version;
  return domain.empty() ? 1 : 0;
}

}  // namespace loam
