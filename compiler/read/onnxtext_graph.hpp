// Graphs, nodes, attributes and local functions of ONNX's textual format, as the text has them: nothing inlined, nothing
// sorted.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/graph/graph.hpp"
#include "compiler/read/functions.hpp"
#include "compiler/read/onnxtext_cursor.hpp"

namespace loam::onnxtext {

// name (inputs) => (outputs) <initializers and declared values> { nodes }
Graph read_graph(Cursor& cursor);
Graph read_graph(Cursor& cursor, std::string name);  // after its name
// <domain: "d", opset_import: ["": 18]> name <attributes> (inputs) => (outputs) <declared values> { nodes }
Function read_function(Cursor& cursor);
// ["": 18, "com.microsoft": 1]
std::vector<OpsetImport> read_opsets(Cursor& cursor);

// Where '<' is ahead, a header <word: value, ...>: calls read_value(token, word) after each word.
template <class Read>
void read_header(Cursor& cursor, Read read_value) {
  if (!cursor.accept('<')) return;
  do {
    const Token at = cursor.ahead();
    const std::string_view word = cursor.identifier("a word of a header");
    cursor.expect(':', "after a word of a header");
    if (!cursor.stopped()) read_value(at, word);
  } while (cursor.accept(','));
  cursor.expect('>', "after a header");
}

}  // namespace loam::onnxtext
