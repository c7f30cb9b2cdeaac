// What ONNX's own schemas say of a node: the element types of its inputs, the kinds of its attributes.
#pragma once

#include "compiler/operators/operator.hpp"

namespace loam {

// Whether the node's inputs and attributes are of the types and kinds that its operator takes at its opset, with each
// attribute that it must have and no other; what is not so is reported. True where there is no schema (com.microsoft).
bool fits_schema(const NodeContext& c);

}  // namespace loam
