#include "compiler/operators/schema.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

namespace loam {

namespace {

// A row of schemas.inc. `inputs` has a word for each input: a letter that inputs of one element type share, or "-";
// the types as a bit for each number of TensorProto.DataType, in hexadecimal, 0 where it may be no tensor; and for an
// input that may be repeated "*", or "%" where each may be of another type. `attributes` has NAME:KIND words, a letter
// as the reader of them below says, with "!" where the node must have it.
struct Schema {
  std::string_view domain, name;
  std::int64_t since;
  std::string_view inputs, attributes;
};

constexpr Schema schemas[] = {
#include "compiler/operators/schemas.inc"
};

const Schema* find_schema(std::string_view domain, std::string_view name, std::int64_t opset) {
  using Key = std::pair<std::string_view, std::string_view>;
  static const std::map<Key, std::span<const Schema>> by_name = [] {
    std::map<Key, std::span<const Schema>> map;
    for (const Schema* first = std::begin(schemas); first != std::end(schemas);) {
      const Schema* last = std::find_if(first, std::end(schemas), [&](const Schema& s) {
        return s.domain != first->domain || s.name != first->name;
      });
      map.emplace(Key(first->domain, first->name), std::span(first, last));
      first = last;
    }
    return map;
  }();
  const auto found = by_name.find({domain, name});
  if (found == by_name.end()) return nullptr;
  const Schema* newest = nullptr;
  for (const Schema& s : found->second)
    if (s.since <= opset) newest = &s;
  return newest;
}

// The words of a list; nothing where it has come to its end.
std::string_view next_word(std::string_view& list) {
  const std::size_t end = std::min(list.find(' '), list.size());
  const std::string_view word = list.substr(0, end);
  list.remove_prefix(std::min(end + 1, list.size()));
  return word;
}

// ---- Attributes ----------------------------------------------------------------------------------------------------

struct Kind {
  char letter;
  std::size_t place;  // in Attribute::Value
  std::string_view words;
};

template <class T, std::size_t I = 0>
constexpr std::size_t place_of() {
  if constexpr (std::is_same_v<std::variant_alternative_t<I, Attribute::Value>, T>) return I;
  else return place_of<T, I + 1>();
}

constexpr Kind kinds[] = {
    {'i', place_of<std::int64_t>(), "an integer"},
    {'f', place_of<float>(), "a number"},
    {'s', place_of<std::string>(), "a string"},
    {'t', place_of<TensorData>(), "a tensor"},
    {'g', place_of<std::shared_ptr<const Graph>>(), "a graph"},
    {'p', place_of<ValueType>(), "a type"},
    {'x', place_of<SparseTensorData>(), "a sparse tensor"},
    {'I', place_of<std::vector<std::int64_t>>(), "a list of integers"},
    {'F', place_of<std::vector<float>>(), "a list of numbers"},
    {'S', place_of<std::vector<std::string>>(), "a list of strings"},
    {'T', place_of<std::vector<TensorData>>(), "a list of tensors"},
    {'G', place_of<std::vector<std::shared_ptr<const Graph>>>(), "a list of graphs"},
    {'P', place_of<std::vector<ValueType>>(), "a list of types"},
    {'X', place_of<std::vector<SparseTensorData>>(), "a list of sparse tensors"},
};

// What an operator's text asks of an attribute beyond its kind, where its infer does not: words or integers to choose
// from, or "N.." for the least integer.
constexpr struct {
  std::string_view op, attribute, allowed;
} limits[] = {
    {"Attention", "qk_matmul_output_mode", "0 1 2 3"},
    {"Attention", "softmax_precision", "1 10 11 16"},
    {"BitShift", "direction", "LEFT RIGHT"},
    {"DequantizeLinear", "block_size", "0.."},
    {"Gelu", "approximate", "none tanh"},
    {"GlobalLpPool", "p", "1.."},
    {"GroupNormalization", "stash_type", "1 10 11 16"},
    {"LayerNormalization", "stash_type", "1 10 11 16"},
    {"LpPool", "p", "1.."},
    {"MatMulNBits", "weight_prepacked", "0"},
    {"QuantizeLinear", "block_size", "0.."},
    {"QuantizeLinear", "precision", "0 1 10 16"},
    {"RMSNormalization", "stash_type", "1 10 11 16"},
    {"Range", "stash_type", "1 10 11 16"},
    {"RoiAlign", "sampling_ratio", "0.."},
    {"RotaryEmbedding", "rotary_embedding_dim", "0.."},
    {"SimplifiedLayerNormalization", "stash_type", "1 10 11 16"},
};

bool fit_limits(const NodeContext& c) {
  bool fit = true;
  for (const auto& [op, name, allowed] : limits) {
    const Attribute* attribute = c.node().op_type == op ? c.node().attribute(name) : nullptr;
    if (!attribute) continue;
    const auto* integer = std::get_if<std::int64_t>(&attribute->value);
    const auto* word = std::get_if<std::string>(&attribute->value);
    if (!integer && !word) continue;  // a number, in an older opset's form
    const std::string given = word ? *word : std::to_string(*integer);
    std::string wanted;
    bool fits = false;
    if (allowed.ends_with("..")) {
      wanted = allowed.substr(0, allowed.size() - 2);
      std::int64_t smallest = 0;
      std::from_chars(wanted.data(), wanted.data() + wanted.size(), smallest);
      fits = integer && *integer >= smallest;
    } else {
      for (std::string_view rest = allowed, next; !(next = next_word(rest)).empty();) {
        fits = fits || next == given;
        wanted += (wanted.empty() ? "" : ", ") + std::string(next);
      }
    }
    if (fits) continue;
    c.error(Code::bad_attribute, std::string(name) + " is " + given +
                                     (allowed.ends_with("..") ? ", and the least it may be is "
                                                              : ", and the operator takes ") +
                                     wanted);
    fit = false;
  }
  return fit;
}

bool fit_attributes(const NodeContext& c, std::string_view list) {
  bool fit = true;
  const auto refuse = [&](std::string_view name, std::string what) {
    c.error(Code::bad_attribute, "attribute " + std::string(name) + " is " + what);
    fit = false;
  };
  std::vector<std::string_view> taken;
  for (std::string_view rest = list, word; !(word = next_word(rest)).empty();) {
    const std::string_view name = word.substr(0, word.find(':'));
    taken.push_back(name);
    const char letter = word[name.size() + 1];
    const Kind& kind = *std::ranges::find(kinds, letter, &Kind::letter);
    const Attribute* attribute = c.node().attribute(name);
    if (!attribute && word.ends_with('!')) refuse(name, "absent, and the operator needs it");
    if (attribute && attribute->value.index() != kind.place) refuse(name, "not " + std::string(kind.words));
  }
  for (const Attribute& attribute : c.node().attributes)
    if (std::ranges::find(taken, attribute.name) == taken.end()) refuse(attribute.name, "none that the operator takes");
  return fit;
}

// ---- Inputs --------------------------------------------------------------------------------------------------------

std::string type_list(std::uint32_t mask) {
  std::string words;
  for (std::uint8_t number = 1; number < 32; ++number)
    if ((mask >> number & 1) != 0)
      words += (words.empty() ? "" : ", ") + std::string(dtype_name(static_cast<DType>(number)));
  return words;
}

bool fit_inputs(const NodeContext& c, std::string_view list) {
  bool fit = true;
  std::map<char, int> first_of;  // of the inputs that share a letter
  std::string_view word;
  for (int i = 0; i < c.inputs(); ++i) {
    if (const std::string_view next = next_word(list); !next.empty()) word = next;
    else if (!word.ends_with('*') && !word.ends_with('%')) break;
    if (!c.has(i) || c.dtype(i) == DType::undefined) continue;
    std::uint32_t mask = 0;
    std::from_chars(word.data() + 1, word.data() + word.size(), mask, 16);
    const auto name = [&](int k) { return c.input_name(k) + " is " + std::string(dtype_name(c.dtype(k))); };
    if (mask != 0 && (mask >> static_cast<unsigned>(c.dtype(i)) & 1) == 0) {
      c.error(Code::element_type, name(i) + ", and the operator takes " + type_list(mask));
      fit = false;
      continue;
    }
    if (word[0] == '-' || word.ends_with('%')) continue;
    const auto [first, fresh] = first_of.emplace(word[0], i);
    if (fresh || c.dtype(first->second) == c.dtype(i)) continue;
    c.error(Code::element_type, name(first->second) + " and " + name(i));
    fit = false;
  }
  return fit;
}

}  // namespace

bool fits_schema(const NodeContext& c) {
  const Schema* schema = find_schema(c.node().domain, c.node().op_type, c.opset());
  if (!schema) return fit_limits(c);
  const bool attributes = fit_attributes(c, schema->attributes) && fit_limits(c);
  return fit_inputs(c, schema->inputs) && attributes;
}

}  // namespace loam
