// StringConcat, StringSplit, StringNormalizer, RegexFullMatch (ai.onnx).
#include "compiler/operators/strings.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "compiler/emit/identifiers.hpp"
#include "compiler/operators/checks.hpp"
#include "compiler/operators/formula.hpp"
#include "compiler/operators/movement.hpp"
#include "compiler/operators/regex.hpp"

namespace loam {

Literal string_literal(std::string_view text) {
  return {fmt::format("std::string_view({}, {})", cpp_string(text), text.size())};
}

Literal string_list(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : ", ") + string_literal(text).text;
  return {fmt::format("std::array<std::string_view, {}>{{{}}}", texts.size(), list)};
}

namespace {

// The length that the data gives, as a symbol; and its binding.
Polynomial counted(InferContext& c) { return c.bind(result_name(c) + "_count", length_range); }

void bind_count(LowerContext& c, std::string kernel, std::string folder, std::vector<Argument> arguments) {
  const TensorId count = c.temporary(DType::int64, {}, "count");
  c.call(std::move(kernel), std::move(folder), {count}, std::move(arguments), {c.in(0)});
  c.bind(c.typed().bound, count);
}

// ---- StringConcat --------------------------------------------------------------------------------------------------

void infer_concat(InferContext& c) {
  if (expect_dtype(c, 0, {DType::string}) && expect_dtype(c, 1, {DType::string}))
    c.output(0, DType::string, c.broadcast(c.axes(0), c.axes(1)));
}

void lower_concat(LowerContext& c) {
  const std::vector<Axis>& axes = c.output_type(0).axes;
  c.call("concat_strings", "concat_strings", {c.out(0)}, {}, {c.expand(c.in(0), axes), c.expand(c.in(1), axes)});
}

// ---- StringSplit: X [..] to pieces [.., most pieces] and their counts [..] -----------------------------------------

void infer_split(InferContext& c) {
  if (!expect_dtype(c, 0, {DType::string})) return;
  if (c.wants(0)) {
    std::vector<Axis> axes = c.axes(0);
    axes.push_back(c.fresh(counted(c)));
    c.output(0, DType::string, std::move(axes));
  }
  c.output(1, DType::int64, c.axes(0));
}

void lower_split(LowerContext& c) {
  const std::vector<Argument> how{string_literal(c.text("delimiter", "")), integer_literal(c.integer("maxsplit", -1))};
  if (c.wants(0)) bind_count(c, "split_count", "split_strings", how);
  c.call("split_strings", "split_strings", {c.wants(0) ? c.out(0) : no_tensor, c.wants(1) ? c.out(1) : no_tensor}, how,
         {c.in(0)});
}

// ---- StringNormalizer: X [words] or [1, words] ---------------------------------------------------------------------

std::vector<std::string> stop_words(const NodeContext& c) {
  return c.texts("stopwords").value_or(std::vector<std::string>{});
}

void infer_normalizer(InferContext& c) {
  // `locale` names what the machine may not have, and a kernel's answer does not depend on the machine.
  if (!expect_dtype(c, 0, {DType::string}) || !expect_word(c, "case_change_action", "NONE", {"NONE", "LOWER", "UPPER"}))
    return;
  const int rank = c.rank(0);
  if (rank != 1 && rank != 2)
    return c.error(Code::rank_mismatch,
                   c.input_name(0) + " has " + std::to_string(rank) + " axes, and the operator takes 1 or 2");
  if (rank == 2 && !c.equate(c.extent(0, 0), 1, "the operator takes one row of words")) return;
  const Polynomial words = c.extent(0, rank - 1);
  if (!c.owe(words - 1, "there are " + c.spell(words) + " words, and the operator takes 1 or more")) return;
  std::vector<Axis> axes = c.axes(0);
  if (!stop_words(c).empty() && c.wants(0)) axes.back() = c.fresh(counted(c));
  c.output(0, DType::string, std::move(axes));
}

void lower_normalizer(LowerContext& c) {
  const std::vector<std::string> words = stop_words(c);
  const std::string change = c.text("case_change_action", "NONE");
  if (words.empty() && change == "NONE") return c.alias(0, c.in(0));
  std::vector<Argument> dropped{flag_literal(c.integer("is_case_sensitive", 0) != 0), string_list(words)};
  if (!words.empty()) bind_count(c, "normalize_count", "normalize_strings", dropped);
  dropped.insert(dropped.begin(), Literal{change == "NONE"    ? "loam::CaseChange::none"
                                          : change == "LOWER" ? "loam::CaseChange::lower"
                                                              : "loam::CaseChange::upper"});
  c.call("normalize_strings", "normalize_strings", {c.out(0)}, std::move(dropped), {c.in(0)});
}

// ---- RegexFullMatch ------------------------------------------------------------------------------------------------

void infer_match(InferContext& c) {
  if (!expect_dtype(c, 0, {DType::string})) return;
  if (!c.has_attribute("pattern")) return c.error(Code::bad_attribute, "has no pattern");
  std::string wrong;
  const std::string pattern = c.text("pattern", "");
  if (!compile_regex(pattern, wrong)) return c.error(Code::bad_attribute, "the pattern " + cpp_string(pattern) + " " + wrong);
  c.output(0, DType::boolean, c.axes(0));
}

void lower_match(LowerContext& c) {
  constexpr std::string_view kinds[] = {"accept",        "byte",        "both",         "at_begin",       "at_end",
                                        "at_line_begin", "at_line_end", "at_word_edge", "at_no_word_edge"};
  std::string wrong, list;
  const std::vector<MatchState> states = *compile_regex(c.text("pattern", ""), wrong);
  for (const MatchState& s : states)
    list += fmt::format("{}{{loam::MatchState::{}, {}, {}, {}, {}}}", list.empty() ? "" : ", ", kinds[s.kind], s.low, s.high,
                        s.next, s.other);
  c.call("match", "match", {c.out(0)}, {Literal{fmt::format("std::array<loam::MatchState, {}>{{{{{}}}}}", states.size(), list)}},
         {c.in(0)});
}

constexpr Operator rows[] = {
    {.domain = "", .name = "StringConcat", .infer = infer_concat, .lower = lower_concat, .min_inputs = 2, .max_inputs = 2},
    {.domain = "", .name = "StringSplit", .infer = infer_split, .lower = lower_split, .max_outputs = 2},
    {.domain = "", .name = "StringNormalizer", .infer = infer_normalizer, .lower = lower_normalizer},
    {.domain = "", .name = "RegexFullMatch", .infer = infer_match, .lower = lower_match},
};

}  // namespace

bool takes_strings(const Operator& op, std::size_t input) {
  // A bit for each input, the last for all from there on.
  constexpr unsigned first = 1, all = ~0u;
  struct Row {
    std::string_view name;
    unsigned inputs;
  };
  // Those that move elements, compare them or hand them on; and those of strings alone.
  constexpr Row takers[] = {
      {"ArrayFeatureExtractor", first}, {"Cast", first}, {"CastLike", all}, {"CategoryMapper", first},
      {"Compress", first}, {"Concat", all}, {"Equal", all}, {"Expand", first}, {"Flatten", first}, {"Gather", first},
      {"GatherElements", first}, {"GatherND", first}, {"Identity", first}, {"LabelEncoder", first},
      {"Loop", all & ~0b11u}, {"OneHotEncoder", first}, {"Optional", first}, {"OptionalGetElement", first},
      {"OptionalHasElement", first}, {"RegexFullMatch", first}, {"Reshape", first}, {"Scatter", 0b101},
      {"ScatterElements", 0b101}, {"ScatterND", 0b101}, {"SequenceConstruct", all}, {"SequenceInsert", all},
      {"SequenceMap", all}, {"Shape", first}, {"Size", first}, {"Slice", first}, {"Split", first},
      {"SplitToSequence", first}, {"Squeeze", first}, {"StringConcat", all}, {"StringNormalizer", first},
      {"StringSplit", first}, {"TfIdfVectorizer", first}, {"Tile", first}, {"Transpose", first}, {"Unique", first},
      {"Unsqueeze", first}, {"Where", 0b110}};
  static_assert(std::ranges::is_sorted(takers, {}, &Row::name));
  const auto* const row = std::ranges::lower_bound(takers, op.name, {}, &Row::name);
  return row != std::end(takers) && row->name == op.name && (row->inputs >> std::min<std::size_t>(input, 31) & 1u) != 0;
}

std::span<const Operator> strings_operators() { return rows; }

}  // namespace loam
