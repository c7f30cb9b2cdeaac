#include "compiler/read/onnxtext_attribute.hpp"

#include <fmt/format.h>

#include <memory>
#include <string_view>
#include <utility>

#include "compiler/read/onnxtext_graph.hpp"
#include "compiler/read/onnxtext_tensor.hpp"
#include "compiler/read/onnxtext_type.hpp"
#include "compiler/read/onnxtext_words.hpp"

namespace loam::onnxtext {
namespace {

constexpr std::string_view kinds_there_are =
    "those are int, float, string, tensor, graph, sparse_tensor and type_proto, and each of them with an s";

Attribute::Value empty_value(AttributeKind kind) {
  switch (kind) {
    case AttributeKind::int_: return std::int64_t{0};
    case AttributeKind::float_: return 0.0F;
    case AttributeKind::string: return std::string();
    case AttributeKind::ints: return std::vector<std::int64_t>();
    case AttributeKind::floats: return std::vector<float>();
    case AttributeKind::strings: return std::vector<std::string>();
    case AttributeKind::tensors: return std::vector<TensorData>();
    case AttributeKind::graphs: return std::vector<std::shared_ptr<const Graph>>();
    case AttributeKind::types: return std::vector<ValueType>();
    case AttributeKind::sparse_tensors: return std::vector<SparseTensorData>();
    case AttributeKind::none:
    case AttributeKind::tensor:
    case AttributeKind::graph:
    case AttributeKind::type:
    case AttributeKind::sparse_tensor: break;  // no such value is empty
  }
  return {};
}

// Moves the element to the end of the list, which is of its kind.
void append(Attribute::Value& list, Attribute::Value element) {
  const auto move = [&]<class T>() { std::get<std::vector<T>>(list).push_back(std::get<T>(std::move(element))); };
  switch (kind_of(element)) {
    case AttributeKind::int_: return move.operator()<std::int64_t>();
    case AttributeKind::float_: return move.operator()<float>();
    case AttributeKind::string: return move.operator()<std::string>();
    case AttributeKind::tensor: return move.operator()<TensorData>();
    case AttributeKind::graph: return move.operator()<std::shared_ptr<const Graph>>();
    case AttributeKind::type: return move.operator()<ValueType>();
    case AttributeKind::sparse_tensor: return move.operator()<SparseTensorData>();
    default: break;
  }
}

class AttributeReader {
 public:
  explicit AttributeReader(Cursor& cursor) : cursor_(cursor) {}

  // "name: kind", and none where the kind is not written.
  AttributeKind read_head(Attribute& attribute);
  // After '='.
  void read_value(Attribute& attribute, AttributeKind kind);

 private:
  Attribute::Value read_list(const std::string& name, AttributeKind kind);
  Attribute::Value read_single(const std::string& name, AttributeKind wanted);
  Attribute::Value read_typed(const Token& at);
  Attribute::Value read_nested_graph(const Token& name);

  Cursor& cursor_;
};

AttributeKind AttributeReader::read_head(Attribute& attribute) {
  const Token at = cursor_.ahead();
  attribute.name = cursor_.name("an attribute's name");
  if (attribute.name.empty()) cursor_.broken(at, "an attribute has no name");
  if (!cursor_.accept(':')) return AttributeKind::none;
  const Token word = cursor_.ahead();
  const std::optional<AttributeKind> kind = kind_from_word(cursor_.identifier("an attribute's kind"));
  if (!kind) cursor_.broken(word, fmt::format("{} is no kind of attribute: {}", described(word), kinds_there_are));
  return kind.value_or(AttributeKind::none);
}

void AttributeReader::read_value(Attribute& attribute, AttributeKind kind) {
  if (cursor_.accept('@')) {
    const Token at = cursor_.ahead();
    attribute.reference = cursor_.name("the name of a function's attribute");
    if (attribute.reference.empty()) cursor_.broken(at, "an attribute refers to one without a name");
    return;
  }
  const Token at = cursor_.ahead();
  if (cursor_.at('[')) {
    attribute.value = read_list(attribute.name, kind);
    return;
  }
  if (is_list(kind)) {
    return cursor_.broken(at, fmt::format("the attribute {} is of the kind {}, which stands in brackets",
                                          attribute.name, kind_word(kind)));
  }
  attribute.value = read_single(attribute.name, kind);
}

// The kind may be that of the list or of one element, or is that of the first element.
Attribute::Value AttributeReader::read_list(const std::string& name, AttributeKind kind) {
  const Token bracket = cursor_.take();
  if (cursor_.accept(']')) {
    if (is_list(kind)) return empty_value(kind);
    cursor_.broken(bracket, kind == AttributeKind::none
                                ? fmt::format("the attribute {} is an empty list: its kind has to be written", name)
                                : fmt::format("the attribute {} is of the kind {} and its value an empty list", name,
                                              kind_word(kind)));
    return {};
  }
  AttributeKind element_kind = is_list(kind) ? element_of(kind) : kind;
  Attribute::Value list;
  do {
    Attribute::Value element = read_single(name, element_kind);
    if (cursor_.stopped()) return {};
    element_kind = kind_of(element);
    if (kind_of(list) == AttributeKind::none) list = empty_value(list_of(element_kind));
    append(list, std::move(element));
  } while (cursor_.accept(','));
  cursor_.expect(']', fmt::format("after the values of {}", name));
  return list;
}

// One value, of the kind wanted where one is. An integer is also a float.
Attribute::Value AttributeReader::read_single(const std::string& name, AttributeKind wanted) {
  const Token at = cursor_.ahead();
  Attribute::Value value;
  if (at.kind == Token::Kind::integer && wanted != AttributeKind::float_) {
    value = cursor_.integer("an attribute");
  } else if (at_number(cursor_)) {
    value = read_float(cursor_);
  } else if (at.kind == Token::Kind::string) {
    cursor_.take();
    if (cursor_.at('(')) {
      value = read_nested_graph(at);  // whose name has quotes, which onnx.parser does not allow here
    } else {
      value = unquoted(at);
    }
  } else if (begins_type(at)) {
    value = read_typed(at);
  } else if (cursor_.accept('(')) {
    cursor_.expect(')', "after the '(' of a type that is not declared");
    value = ValueType{};
  } else if (at.kind == Token::Kind::identifier) {
    cursor_.take();
    value = read_nested_graph(at);
  } else {
    cursor_.expected(fmt::format("a value of the attribute {}", name));
  }
  const AttributeKind kind = kind_of(value);
  if (!cursor_.stopped() && wanted != AttributeKind::none && kind != wanted) {
    cursor_.broken(at, fmt::format("the attribute {} has values of the kinds {} and {}", name, kind_word(wanted),
                                   kind_word(kind)));
  }
  return value;
}

// A type, or a tensor of it.
Attribute::Value AttributeReader::read_typed(const Token& at) {
  ValueType type = read_type(cursor_);
  const Token& next = cursor_.ahead();
  if (!next.is_name() && !next.is('=') && !next.is('{')) return type;
  if (type.kind != ValueType::Kind::sparse_tensor) return read_tensor(cursor_, at, type);
  cursor_.accept('=');
  return read_sparse_data(cursor_, at, type);
}

Attribute::Value AttributeReader::read_nested_graph(const Token& name) {
  const Nesting nesting(cursor_);
  std::string text = name.kind == Token::Kind::string ? unquoted(name) : std::string(name.text);
  return std::make_shared<const Graph>(read_graph(cursor_, std::move(text)));
}

// Calls read_entry(cursor) for each of what stands in < >, with commas between.
template <class Read>
void read_entries(Cursor& cursor, Read read_entry) {
  cursor.expect('<', "before attributes");
  do {
    read_entry(AttributeReader(cursor));
  } while (cursor.accept(','));
  cursor.expect('>', "after attributes");
}

}  // namespace

std::vector<Attribute> read_attributes(Cursor& cursor) {
  std::vector<Attribute> attributes;
  read_entries(cursor, [&](AttributeReader reader) {
    Attribute attribute;
    const AttributeKind kind = reader.read_head(attribute);
    if (cursor.expect('=', fmt::format("after the attribute {}", attribute.name))) reader.read_value(attribute, kind);
    attributes.push_back(std::move(attribute));
  });
  return attributes;
}

std::vector<Attribute> read_function_attributes(Cursor& cursor) {
  std::vector<Attribute> defaults;
  read_entries(cursor, [&](AttributeReader reader) {
    const Token at = cursor.ahead();
    Attribute attribute;
    const AttributeKind kind = reader.read_head(attribute);
    if (cursor.accept('=')) {
      reader.read_value(attribute, kind);
    } else if (kind == AttributeKind::none) {
      return;
    } else {
      attribute.value = empty_value(kind);
      if (kind_of(attribute.value) == AttributeKind::none)
        cursor.broken(at, fmt::format("the attribute {} has no value", attribute.name));
    }
    defaults.push_back(std::move(attribute));
  });
  return defaults;
}

}  // namespace loam::onnxtext
