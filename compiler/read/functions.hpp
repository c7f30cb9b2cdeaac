// A model's local functions, and their replacement by their bodies.
#pragma once

#include <string>
#include <vector>

#include "compiler/diagnostic.hpp"
#include "compiler/graph/graph.hpp"

namespace loam {

// A FunctionProto: a body over formal names. It sees nothing of the graph it is called from.
struct Function {
  std::string domain;  // "ai.onnx" is read as ""
  std::string name;
  std::string overload;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<Attribute> defaults;  // attributes that have one; the others need not be known
  std::vector<Node> nodes;          // in any order
  std::vector<OpsetImport> opsets;

  std::string full_name() const;    // "domain.name" and ":overload" where there is one
};

// Replaces every call, at any depth, by the function's body, the body's own values under names used nowhere else:
// "call/value". An attribute that refers to the function's is the call's, else the default, else absent. The model gains
// the functions' opset imports; a function that needs another version of a domain than the model does is refused, since
// a graph has one. So are recursion and a reference outside any function.
//
// Bodies can grow exponentially with the file; what is made is bounded (budget.hpp).
bool inline_functions(Model& model, const std::vector<Function>& functions, Diagnostics& diagnostics);

}  // namespace loam
