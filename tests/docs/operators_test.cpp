// docs/operators.md: which operators, at which opsets, for which element types. The page is found out, not written:
// each operator's examples (of ONNX in examples.txt, ours in more_examples.txt) are compiled at every version of its
// schema, and at the newest with every element type.
//
// LOAM_UPDATE=1 writes the page anew and says what was refused, and why. LOAM_MODULES=DIR keeps the modules there.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <regex>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/compile.hpp"
#include "compiler/graph/dtype.hpp"
#include "compiler/read/onnxtext.hpp"
#include "compiler/read/onnxtext_words.hpp"
#include "tests/docs/pages.hpp"

namespace loam::test {
namespace {

// ---- Sets of element types -----------------------------------------------------------------------------------------

using Types = std::uint32_t;  // a bit for each number of TensorProto.DataType, as schemas.inc has them

constexpr Types bit(DType type) { return Types{1} << static_cast<unsigned>(type); }

template <class... D>
constexpr Types set(D... types) { return (bit(types) | ...); }

// As the page says them.
constexpr DType in_order[] = {
    DType::float16, DType::bfloat16, DType::float32, DType::float64, DType::int8, DType::int16, DType::int32,
    DType::int64, DType::uint8, DType::uint16, DType::uint32, DType::uint64, DType::float8e4m3fn,
    DType::float8e4m3fnuz, DType::float8e5m2, DType::float8e5m2fnuz, DType::float8e8m0, DType::float4e2m1, DType::int4,
    DType::uint4, DType::int2, DType::uint2, DType::boolean, DType::string, DType::complex64, DType::complex128};
constexpr Types floats = set(DType::float16, DType::bfloat16, DType::float32, DType::float64);
constexpr Types integers = set(DType::int8, DType::int16, DType::int32, DType::int64, DType::uint8, DType::uint16,
                               DType::uint32, DType::uint64);
constexpr Types float8 = set(DType::float8e4m3fn, DType::float8e4m3fnuz, DType::float8e5m2, DType::float8e5m2fnuz);
constexpr Types small = float8 | set(DType::float8e8m0, DType::float4e2m1, DType::int4, DType::uint4, DType::int2,
                                     DType::uint2);
constexpr Types all = floats | integers | small | set(DType::boolean, DType::string);
constexpr Types complex = set(DType::complex64, DType::complex128);
constexpr Types float6 = Types{3} << 27;  // float6e2m3, float6e3m2, which Loam does not read

constexpr std::pair<std::string_view, Types> groups[] = {
    {"all", all}, {"numbers", floats | integers}, {"floats", floats}, {"integers", integers}, {"small", small},
    {"float8", float8}, {"float6", float6}};

std::string words(Types types, bool grouped = true) {
  std::string text;
  const auto add = [&](std::string_view word) { text += (text.empty() ? "" : ", ") + std::string(word); };
  for (const auto& [word, group] : groups) {
    if (!grouped || (types & group) != group) continue;
    add(word);
    types &= ~group;
  }
  for (const DType type : in_order)
    if ((types & bit(type)) != 0) add(dtype_name(type));
  return text;
}

// ---- Schemas -------------------------------------------------------------------------------------------------------

struct Schema {
  std::string_view domain, name;
  std::int64_t since;
  std::string_view inputs, attributes;
};

constexpr Schema schemas[] = {
#include "compiler/operators/schemas.inc"
};

// An input's word there: the letter of its type variable, and the types it may be of.
struct Parameter {
  std::string variable;
  Types types = all | complex;
};

Parameter parameter_of(const Schema& schema, std::size_t place) {
  std::istringstream list{std::string(schema.inputs)};
  std::string word;
  for (std::size_t i = 0; i <= place && list >> word; ++i) {}
  Parameter p;
  if (word.empty() || word.ends_with('%')) return p;  // each of the inputs from here on is of a type of its own
  const std::string number = std::to_string(place);
  p.variable = word[0] == '-' ? number : word.substr(0, 1);
  Types types = 0;
  std::from_chars(word.data() + 1, word.data() + word.size(), types, 16);
  if (types != 0) p.types = types;
  return p;
}

// ---- Examples ------------------------------------------------------------------------------------------------------

struct Operator {
  std::string domain, name, file;
  std::vector<const Schema*> versions;
};

// A graph as onnxtext, in which the element types of its inputs, and those that attributes name, are open.
struct Example {
  struct Slot {
    std::string name;
    DType type;
    bool attribute;
    bool numbered;  // an attribute that is TensorProto.DataType's number
  };
  std::vector<std::string> text;  // between the slots
  std::vector<Slot> slots;
  Node node;

  explicit Example(const std::string& graph, const std::string& op) {
    static const std::regex slot(R"re(((to|dtype|output_dtype|output_datatype): int = )(\d+))re"
                                 R"re(|((value): tensor = )(\w+)\[)re"
                                 R"re(|([(,<] ?)(\w+)(\[[^\]]*\])? (\w+)(?=[,) =]))re");
    const std::size_t body = graph.find(" { ");
    std::size_t from = 0;
    for (std::sregex_iterator it(graph.begin(), graph.end(), slot), end; it != end; ++it) {
      const std::smatch& m = *it;
      const bool declared = m[8].matched;
      if (declared && static_cast<std::size_t>(m.position()) > body) continue;
      const std::size_t word = m[3].matched ? 3 : m[6].matched ? 6 : 8;
      const std::string given = m[word].str();
      const auto type = word == 3 ? dtype_from_onnx(std::stoll(given)) : onnxtext::dtype_of(given);
      if (!type) continue;
      const auto at = static_cast<std::size_t>(m.position(word));
      text.push_back(graph.substr(from, at - from));
      from = at + given.size();
      slots.push_back({m[word == 3 ? 2 : word == 6 ? 5 : 10].str(), *type, !declared, word == 3});
    }
    text.push_back(graph.substr(from));
    Diagnostics diagnostics;
    const auto model = read_onnxtext("<ir_version: 10, opset_import: [\"\": 21]> " + graph, diagnostics);
    EXPECT_TRUE(model) << graph << (diagnostics.list().empty() ? "" : diagnostics.list().front().text());
    if (!model) return;
    for (const Node& n : model->graph.nodes)
      if (n.op_type == op) node = n;
    EXPECT_EQ(node.op_type, op) << graph;
  }

  std::vector<DType> types() const {
    std::vector<DType> types;
    for (const Slot& s : slots) types.push_back(s.type);
    return types;
  }
  std::string with(std::span<const DType> types) const {
    std::string graph = text[0];
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (slots[i].numbered) graph += std::to_string(static_cast<int>(types[i]));
      else graph += onnxtext::dtype_word(types[i]);
      graph += text[i + 1];
    }
    return graph;
  }
};

std::map<std::string, std::vector<Example>> read_examples() {
  std::map<std::string, std::vector<Example>> examples;
  for (const char* file : {"examples.txt", "more_examples.txt"}) {
    std::istringstream lines(read(root / "tests/docs" / file));
    for (std::string line; std::getline(lines, line);) {
      if (line.empty() || line[0] == '#') continue;
      const std::string op = line.substr(0, line.find(' '));
      examples[op].emplace_back(line.substr(op.size() + 1), op.substr(op.rfind('.') + 1));
    }
  }
  return examples;
}

// What is wrong with a graph at this version of the domain's operators; empty where a module comes of it.
std::string errors_of(std::string_view domain, std::int64_t version, const std::string& graph,
                      const std::string& module = {}) {
  std::string opsets = "\"\": " + std::to_string(domain.empty() ? version : 21);
  if (!domain.empty()) opsets += ", \"" + std::string(domain) + "\": " + std::to_string(version);
  const std::string text = "<ir_version: 10, opset_import: [" + opsets + "]> " + graph;
  Diagnostics diagnostics;
  CompileOptions options;
  options.auto_layout = true;
  options.include_runtime = true;
  options.module_name = module.empty() ? "example" : module;
  const CompileInput input{.graph_name = "example.onnxtext", .graph = std::as_bytes(std::span(text)), .checkpoint = {},
                           .checkpoint_size = {}, .external = {}};
  const CompileResult result = compile(input, options, diagnostics);
  if (const char* folder = std::getenv("LOAM_MODULES"); folder && !module.empty())
    for (const OutputFile& file : result.files)
      std::ofstream(fs::path(folder) / file.name, std::ios::binary) << file.text;
  std::string errors;
  for (const Diagnostic& d : diagnostics.list())
    if (d.severity == Severity::error) errors += d.text() + "\n";
  return errors;
}

std::int64_t newest_opset() {
  std::int64_t version = 1;
  while (errors_of("", version + 1, "g (float[2] x) => (y) { y = Relu (x) }").empty()) ++version;
  return version;
}

// ---- The page ------------------------------------------------------------------------------------------------------

// Inputs that are of one type, or an attribute that names one: which types there may be, and which there are.
struct Variable {
  std::string name;
  Types may_be = 0, is = 0;
};

std::string module_of(const Operator& op, const Variable& variable, DType type) {
  std::string name = op.domain + "_" + op.name + "_" + variable.name + "_" + std::string(dtype_name(type));
  std::ranges::replace(name, '.', '_');
  return "m" + name;
}

// An example's variables, and the slots that each is the type of.
struct Group {
  std::string key;
  Variable variable;
  std::vector<std::size_t> slots;
};

std::vector<Group> groups_of(const Example& example, const Schema* schema) {
  std::vector<Group> found;
  for (std::size_t i = 0; i < example.slots.size(); ++i) {
    const Example::Slot& slot = example.slots[i];
    const auto place = std::ranges::find(example.node.inputs, slot.name);
    Parameter p;
    if (slot.attribute) p.variable = "attribute " + slot.name;
    else if (schema && place != example.node.inputs.end())
      p = parameter_of(*schema, static_cast<std::size_t>(place - example.node.inputs.begin()));
    if (p.variable.empty()) p.variable = "of type " + std::string(dtype_name(slot.type));
    auto group = std::ranges::find(found, p.variable, &Group::key);
    if (group == found.end()) group = found.insert(found.end(), {p.variable, {slot.name, p.types, 0}, {}});
    group->slots.push_back(i);
  }
  return found;
}

// The example's variables at the version, tried with each type.
void try_types(const Operator& op, const Example& example, const Schema* schema, std::vector<Variable>& variables) {
  const std::int64_t version = schema ? schema->since : 1;
  if (!errors_of(op.domain, version, example.with(example.types())).empty()) return;  // of another version's form
  std::vector<Group> found = groups_of(example, schema);
  const auto numbered = [&](const Group& group) { return example.slots[group.slots[0]].numbered; };
  for (Group& group : found) {
    for (const DType type : in_order) {
      if ((group.variable.may_be & bit(type)) == 0) continue;
      std::vector<DType> types = example.types();
      for (const std::size_t i : group.slots) types[i] = type;
      const std::string module = module_of(op, group.variable, type);
      std::string errors = errors_of(op.domain, version, example.with(types), module);
      // Types that are one in the example may have to be, though the definition does not say so.
      std::vector<DType> alike = types;
      for (std::size_t i = 0; i < alike.size(); ++i)
        if (!example.slots[i].numbered && example.slots[i].type == example.slots[group.slots[0]].type) alike[i] = type;
      if (!errors.empty() && errors_of(op.domain, version, example.with(alike), module).empty()) errors.clear();
      // Another type may have to change along with what an attribute names, or the attribute along with it.
      for (const Group& other : found) {
        if (&other == &group || !(numbered(other) || numbered(group))) continue;
        for (const DType also : in_order) {
          if (errors.empty()) break;
          std::vector<DType> changed = types;
          for (const std::size_t i : other.slots) changed[i] = also;
          if (errors_of(op.domain, version, example.with(changed), module).empty()) errors.clear();
        }
      }
      if (errors.empty()) group.variable.is |= bit(type);
      else if (std::getenv("LOAM_UPDATE"))
        std::cerr << op.name << ' ' << group.variable.name << ' ' << dtype_name(type) << ": " << errors;
    }
    const auto known = std::ranges::find(variables, group.variable.name, &Variable::name);
    if (known == variables.end()) variables.push_back(group.variable);
    else known->is |= group.variable.is;
  }
}

std::string opsets(const Operator& op, const std::vector<Example>& examples) {
  std::string text, refused;
  for (const Schema* schema : op.versions) {
    std::string errors = "no example\n";
    for (const Example& example : examples)
      if (!errors.empty()) errors = errors_of(op.domain, schema->since, example.with(example.types()));
    const std::string version = std::to_string(schema->since);
    if (errors.empty()) text += (text.empty() ? "" : ", ") + version;
    else refused += (refused.empty() ? "" : ", ") + version;
    if (!errors.empty() && std::getenv("LOAM_UPDATE"))
      std::cerr << op.name << ' ' << version << ": " << errors;
  }
  if (op.versions.empty()) return "any";
  EXPECT_NE(text, "") << op.domain << ' ' << op.name << ": no example of it compiles";
  return text + "–" + (refused.empty() ? "" : "; not " + refused);
}

std::string element_types(const Operator& op, const std::vector<Example>& examples) {
  std::vector<Variable> variables;
  for (const Example& example : examples)
    try_types(op, example, op.versions.empty() ? nullptr : op.versions.back(), variables);
  // What can be of one type alone says nothing beside what can be of several.
  if (std::ranges::any_of(variables, [](const Variable& v) { return std::popcount(v.may_be) > 1; }))
    std::erase_if(variables, [](const Variable& v) { return std::popcount(v.may_be) == 1; });
  else if (variables.size() > 1)
    variables.resize(1);
  std::vector<std::string> cells;
  for (const Variable& v : variables) {
    EXPECT_NE(v.is, 0U) << op.domain << ' ' << op.name << ": " << v.name << " can be of no type";
    EXPECT_EQ(v.is & complex, 0U) << op.domain << ' ' << op.name << ": " << v.name << " can be complex";
    const Types missing = op.versions.empty() || v.may_be == (all | complex) ? 0 : v.may_be & ~v.is & ~complex;
    cells.push_back(words(v.is) + (missing == 0 ? "" : " (not " + words(missing) + ")"));
  }
  if (std::ranges::adjacent_find(cells, std::not_equal_to()) == cells.end()) return cells.empty() ? "" : cells[0];
  std::string text;
  for (std::size_t i = 0; i < cells.size(); ++i)
    text += (text.empty() ? "`" : "; `") + variables[i].name + "` " + cells[i];
  return text;
}

std::string operators_page() {
  std::map<std::string, std::vector<Operator>> domains;
  for (const OperatorInfo& info : registered_operators()) {
    Operator op{info.domain, info.name, info.file, {}};
    for (const Schema& schema : schemas)
      if (schema.domain == info.domain && schema.name == info.name) op.versions.push_back(&schema);
    domains[info.domain.empty() ? "ai.onnx" : info.domain].push_back(std::move(op));
  }
  const auto examples = read_examples();
  std::string page =
      "# Operators\n\n"
      "The operators Loam compiles, by domain. Each means what its specification says at the opset the graph\n"
      "declares; a form that no kernel computes is a build error that says so. A model's own functions\n"
      "(`FunctionProto`) need not be here: they are inlined.\n\n"
      "This page is found out, by compiling an example of each operator; `docs_test` fails where it says what is\n"
      "not so, and `LOAM_UPDATE=1 build/release/tests/docs_test` writes it.\n\n"
      "**Opsets**: the versions of ONNX's definition, or onnxruntime's of com.microsoft, that Loam compiles. Each\n"
      "holds until the next; the last, until opset " +
      std::to_string(newest_opset()) +
      " of ai.onnx, the newest that Loam knows. *any*: nothing\n"
      "defines it.\n\n"
      "**Element types**: those that Loam compiles, at the operator's newest version, of each input that may be\n"
      "of several and of each attribute that names one; an input stands for all that must be of its type. *not*:\n"
      "what the definition allows beside them. Complex numbers are refused everywhere.\n\n"
      "| | |\n|---|---|\n";
  for (const auto& [word, group] : groups) {
    std::string of = words(group, false);
    if (word == "all") of = "numbers, small, bool, string";
    if (word == "float6") of = "float6e2m3, float6e3m2";
    page += "| " + std::string(word) + " | " + of + " |\n";
  }
  for (auto& [domain, operators] : domains) {
    std::ranges::sort(operators, {}, &Operator::name);
    page += "\n## " + domain + ": " + std::to_string(operators.size()) + "\n\n";
    page += "| Operator | Opsets | Element types | Written in |\n|---|---|---|---|\n";
    for (const Operator& op : operators) {
      const auto of_op = examples.find((op.domain.empty() ? "" : op.domain + ".") + op.name);
      const std::vector<Example> none;
      const std::vector<Example>& given = of_op == examples.end() ? none : of_op->second;
      EXPECT_FALSE(given.empty()) << op.domain << ' ' << op.name << " has no example: tests/docs/more_examples.txt";
      page += "| " + op.name + " | " + opsets(op, given) + " | " + element_types(op, given) + " | [" + op.file +
              "](../compiler/operators/" + op.file + ") |\n";
    }
  }
  return page;
}

TEST(Docs, OperatorsAreWhatTheCompilerTakes) { expect_page("docs/operators.md", operators_page()); }

}  // namespace
}  // namespace loam::test
