// GraphProto, NodeProto, AttributeProto and FunctionProto, as the file has them: nothing inlined, nothing sorted.
#pragma once

#include "compiler/graph/graph.hpp"
#include "compiler/read/functions.hpp"
#include "compiler/read/wire.hpp"

namespace loam {

Graph read_graph_proto(wire::Message message);
Function read_function_proto(wire::Message message);
OpsetImport read_opset_proto(wire::Message message);
std::pair<std::string, std::string> read_string_entry_proto(wire::Message message);

}  // namespace loam
