#include "compiler/read/onnxtext_type.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "compiler/read/onnxtext_words.hpp"

namespace loam::onnxtext {
namespace {

using Kind = ValueType::Kind;

Dimension read_dimension(Cursor& cursor) {
  if (cursor.accept('?')) return std::monostate{};
  if (cursor.ahead().is_name()) {
    std::string name = cursor.name("a dim");
    return name.empty() ? Dimension{} : Dimension{std::move(name)};
  }
  if (cursor.ahead().kind != Token::Kind::integer) cursor.expected("a dim: a length, a name or '?'");
  const Token token = cursor.ahead();
  const std::int64_t length = cursor.integer("a dim");
  if (length < 0) cursor.wrong(token, fmt::format("a declared dim is {}", length));
  return length;
}

// No brackets are a scalar's shape, and empty ones are no shape.
std::optional<std::vector<Dimension>> read_shape(Cursor& cursor) {
  std::vector<Dimension> shape;
  if (!cursor.accept('[')) return shape;
  if (cursor.accept(']')) return std::nullopt;
  do {
    shape.push_back(read_dimension(cursor));
  } while (cursor.accept(','));
  cursor.expect(']', "after the dims");
  return shape;
}

DType read_dtype(Cursor& cursor) {
  if (cursor.accept('?')) return DType::undefined;
  const Token word = cursor.ahead();
  const std::optional<DType> dtype = dtype_of(word.text);
  if (!dtype) return cursor.expected("an element type"), DType::undefined;
  cursor.take();
  return *dtype;
}

// What a container holds: nothing before the ')' where that is not declared.
std::shared_ptr<const ValueType> read_element_type(Cursor& cursor) {
  if (!begins_type(cursor.ahead()) && !cursor.at(')')) cursor.expected("a type");
  return std::make_shared<const ValueType>(begins_type(cursor.ahead()) ? read_type(cursor) : ValueType{});
}

// What Loam has no use for, and reads to its end to go on: opaque(), opaque(name), opaque(domain, name).
void skip_opaque(Cursor& cursor) {
  if (cursor.at(')')) return;
  do {
    cursor.identifier("an opaque type's name");
  } while (cursor.accept('.'));
  if (cursor.accept(',')) cursor.identifier("an opaque type's name");
}

ValueType read_container(Cursor& cursor) {
  const Token word = cursor.take();
  const Nesting nesting(cursor);
  ValueType type;
  cursor.expect('(', fmt::format("after '{}'", word.text));
  if (word.text == "seq" || word.text == "optional") {
    type.kind = word.text == "seq" ? Kind::sequence : Kind::optional;
    type.element = read_element_type(cursor);
  } else if (word.text == "map") {
    type.kind = Kind::map;
    type.dtype = read_dtype(cursor);
    cursor.expect(',', "after the type of a map's keys");
    type.element = read_element_type(cursor);
  } else if (word.text == "sparse_tensor") {
    type.kind = Kind::sparse_tensor;
    type.dtype = read_dtype(cursor);
    type.shape = read_shape(cursor);
  } else {
    skip_opaque(cursor);
    cursor.wrong(word, "a type is opaque, and Loam reads none that is", Code::unsupported_file);
  }
  cursor.expect(')', fmt::format("after what '{}' holds", word.text));
  return type;
}

}  // namespace

bool begins_type(const Token& token) {
  return token.is('?') || (token.kind == Token::Kind::identifier && begins_type(token.text));
}

ValueType read_type(Cursor& cursor) {
  if (!cursor.at('?') && !dtype_of(cursor.ahead().text)) return read_container(cursor);
  ValueType type;
  type.kind = Kind::tensor;
  type.dtype = read_dtype(cursor);
  type.shape = read_shape(cursor);
  return type;
}

ValueInfo read_value_info(Cursor& cursor) {
  ValueInfo info;
  if (begins_type(cursor.ahead())) info.type = read_type(cursor);
  const Token at = cursor.ahead();
  info.name = cursor.name("a value's name");
  if (info.name.empty()) cursor.broken(at, "a declared value has no name");
  const bool has_type = info.type.kind != Kind::undeclared;
  if (!has_type && (cursor.at('[') || cursor.ahead().is_name()))
    cursor.broken(at, fmt::format("expected a type before {}, found {}", described(cursor.ahead()), described(at)));
  return info;
}

}  // namespace loam::onnxtext
