// TensorProto and SparseTensorProto, for the readers of models and of test data.
//
// What is wrong is reported to the message's file, and what is returned then is not to be used.
#pragma once

#include "compiler/graph/graph.hpp"
#include "compiler/read/wire.hpp"

namespace loam {

// An initializer may lack its data (a checkpoint supplies it); any other tensor may not.
enum class MissingData : bool { refused, allowed };

TensorData read_tensor_proto(wire::Message message, MissingData missing);
SparseTensorData read_sparse_tensor_proto(wire::Message message);

}  // namespace loam
