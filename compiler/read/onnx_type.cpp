#include "compiler/read/onnx_type.hpp"

#include <fmt/format.h>

#include <utility>

namespace loam {
namespace {

using wire::Message;

DType read_dtype(Message& message) {
  const std::int64_t number = message.integer();
  if (number == 0) return DType::undefined;
  const std::optional<DType> dtype = dtype_from_onnx(number);
  if (!dtype) {
    message.file().wrong(message.at(), {}, fmt::format("the element type {} is none that Loam knows", number),
                         Code::unsupported_file);
  }
  return dtype.value_or(DType::undefined);
}

Dimension read_dimension(Message message) {
  Dimension dimension;
  while (message.next()) {
    if (message.field() == 1) {
      const std::int64_t length = message.integer();
      if (length < 0) message.file().wrong(message.at(), {}, fmt::format("a declared dim is {}", length));
      dimension = length;
    } else if (message.field() == 2) {
      std::string name = message.text();
      // Some exporters write an unknown dim so.
      if (name.empty()) {
        dimension = std::monostate{};
      } else {
        dimension = std::move(name);
      }
    }
  }
  return dimension;
}

std::vector<Dimension> read_shape(Message message) {
  std::vector<Dimension> shape;
  while (message.next())
    if (message.field() == 1) shape.push_back(read_dimension(message.message("TensorShapeProto.Dimension")));
  return shape;
}

// The five messages a TypeProto holds one of are alike: field 1 an element (or key) type, field 2 what else there is.
ValueType read_tensor_type(Message message, ValueType::Kind kind) {
  ValueType type;
  type.kind = kind;
  while (message.next()) {
    if (message.field() == 1) type.dtype = read_dtype(message);
    if (message.field() == 2) type.shape = read_shape(message.sole_message("TensorShapeProto"));
  }
  return type;
}

ValueType read_container_type(Message message, ValueType::Kind kind) {
  ValueType type;
  type.kind = kind;
  const std::uint32_t element_field = kind == ValueType::Kind::map ? 2 : 1;
  while (message.next()) {
    if (message.field() == element_field) {
      type.element = std::make_shared<const ValueType>(read_type_proto(message.sole_message("TypeProto")));
    } else if (message.field() == 1) {
      type.dtype = read_dtype(message);
    }
  }
  if (!type.element) message.file().wrong(message.begin(), {}, "a container's type does not say what it holds");
  return type;
}

}  // namespace

ValueType read_type_proto(Message message) {
  using Kind = ValueType::Kind;
  ValueType type;
  while (message.next()) {
    switch (message.field()) {
      case 1: type = read_tensor_type(message.sole_message("TypeProto.Tensor"), Kind::tensor); break;
      case 4: type = read_container_type(message.sole_message("TypeProto.Sequence"), Kind::sequence); break;
      case 5: type = read_container_type(message.sole_message("TypeProto.Map"), Kind::map); break;
      case 7:
        message.file().wrong(message.at(), {}, "a type is opaque, and Loam reads none that is", Code::unsupported_file);
        break;
      case 8: type = read_tensor_type(message.sole_message("TypeProto.SparseTensor"), Kind::sparse_tensor); break;
      case 9: type = read_container_type(message.sole_message("TypeProto.Optional"), Kind::optional); break;
      default: break;
    }
  }
  return type;
}

ValueInfo read_value_info_proto(Message message) {
  ValueInfo info;
  while (message.next()) {
    if (message.field() == 1) info.name = message.text();
    if (message.field() == 2) info.type = read_type_proto(message.sole_message("TypeProto"));
  }
  if (info.name.empty()) message.file().broken(message.begin(), "a declared value has no name");
  return info;
}

}  // namespace loam
