// Types and declared values of ONNX's textual format: float[N, 3, ?] x, seq(tensor type), map(int64, type) ...
#pragma once

#include <optional>

#include "compiler/graph/graph.hpp"
#include "compiler/read/onnxtext_cursor.hpp"

namespace loam::onnxtext {

// Whether the token begins a type where a type may stand.
bool begins_type(const Token& token);
// At such a token.
ValueType read_type(Cursor& cursor);
// A name, with its type before it where that is declared.
ValueInfo read_value_info(Cursor& cursor);

}  // namespace loam::onnxtext
