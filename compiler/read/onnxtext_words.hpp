// The words of ONNX's textual format, for its reader and its printer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "compiler/graph/graph.hpp"

namespace loam::onnxtext {

// "float", "double", "int64", ...: empty for undefined.
std::string_view dtype_word(DType type);
std::optional<DType> dtype_of(std::string_view word);

// Whether the word begins a type where a type may stand: an element type, or "seq", "map", "optional", ...
bool begins_type(std::string_view word);
// "nan", "inf", "infinity" in any case: a number where one may stand, and a name elsewhere.
bool is_float_word(std::string_view word);
// Letters, digits and underscores, no digit first: what stands without quotes.
bool is_identifier(std::string_view word);

// The kinds of attributes, in the order of Attribute::Value's alternatives.
enum class AttributeKind : std::uint8_t {
  none, int_, float_, string, tensor, graph, ints, floats, strings, tensors, graphs, type, sparse_tensor, types,
  sparse_tensors,
};

inline AttributeKind kind_of(const Attribute::Value& value) { return static_cast<AttributeKind>(value.index()); }
std::string_view kind_word(AttributeKind kind);  // "ints", "type_proto"
std::optional<AttributeKind> kind_from_word(std::string_view word);
bool is_list(AttributeKind kind);
AttributeKind list_of(AttributeKind element);    // of no list
AttributeKind element_of(AttributeKind list);

}  // namespace loam::onnxtext
