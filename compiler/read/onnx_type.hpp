// TypeProto and ValueInfoProto.
#pragma once

#include "compiler/graph/graph.hpp"
#include "compiler/read/wire.hpp"

namespace loam {

ValueType read_type_proto(wire::Message message);
ValueInfo read_value_info_proto(wire::Message message);

}  // namespace loam
