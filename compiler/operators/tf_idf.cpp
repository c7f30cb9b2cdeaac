// TfIdfVectorizer (ai.onnx): how often each n-gram of a pool stands in a row, scaled by its weight.
//
// Strings are counted as their numbers in the list of those in the pool.
#include <algorithm>

#include "compiler/operators/checks.hpp"
#include "compiler/operators/formula.hpp"
#include "compiler/operators/labels.hpp"

namespace loam {

namespace {

using Integers = std::vector<std::int64_t>;

// The attributes as ops/count_ngrams takes them. A gram is its first token's place in the pool and the place that
// counts it; those of `shortest` + l tokens are the grams from lengths[l] on.
struct Pool {
  Integers tokens;
  std::vector<std::string> words;  // of a pool of strings: those that the tokens number
  std::vector<std::pair<std::int64_t, std::int64_t>> grams;
  Integers lengths;
  std::int64_t shortest = 1, places = 0;
  std::vector<double> weights;  // of each place; empty: 1
};

std::optional<Pool> refuse(const NodeContext& c, std::string message) {
  c.error(Code::bad_attribute, std::move(message));
  return std::nullopt;
}

std::optional<Pool> read(const NodeContext& c) {
  Pool p;
  p.tokens = c.integers("pool_int64s").value_or(Integers{});
  const auto texts = c.texts("pool_strings").value_or(std::vector<std::string>{});
  if (!p.tokens.empty() && !texts.empty()) return refuse(c, "gives pool_int64s and pool_strings, and takes one of them");
  p.words = texts;
  std::ranges::sort(p.words);
  p.words.erase(std::ranges::unique(p.words).begin(), p.words.end());
  for (const std::string& text : texts) p.tokens.push_back(std::ranges::lower_bound(p.words, text) - p.words.begin());
  const Integers starts = c.integers("ngram_counts").value_or(Integers{});
  const Integers indexes = c.integers("ngram_indexes").value_or(Integers{});
  const std::int64_t longest = c.integer("max_gram_length", 1);
  p.shortest = c.integer("min_gram_length", 1);
  if (p.shortest < 1 || longest < p.shortest)
    return refuse(c, "takes n-grams of " + std::to_string(p.shortest) + " to " + std::to_string(longest) + " tokens");
  if (longest > static_cast<std::int64_t>(starts.size()))
    return refuse(c, "ngram_counts tells where " + std::to_string(starts.size()) +
                         " lengths of n-grams start in the pool, and max_gram_length is " + std::to_string(longest));
  if (p.tokens.empty()) return refuse(c, "has no pool of n-grams");
  const auto size = static_cast<std::int64_t>(p.tokens.size());
  std::int64_t gram = 0;  // of all in the pool, by which ngram_indexes are read
  for (std::int64_t length = 1; length <= static_cast<std::int64_t>(starts.size()); ++length) {
    const auto at = static_cast<std::size_t>(length - 1);
    const std::int64_t begin = starts[at], end = at + 1 < starts.size() ? starts[at + 1] : size;
    if (begin < 0 || end < begin || end > size || (end - begin) % length != 0)
      return refuse(c, "the n-grams of " + std::to_string(length) + " tokens are [" + std::to_string(begin) + ", " +
                           std::to_string(end) + ") of a pool of " + std::to_string(size));
    const bool counted = length >= p.shortest && length <= longest;
    if (counted) p.lengths.push_back(static_cast<std::int64_t>(p.grams.size()));
    for (std::int64_t token = begin; token < end; token += length, ++gram) {
      if (gram >= static_cast<std::int64_t>(indexes.size()) || indexes[static_cast<std::size_t>(gram)] < 0)
        return refuse(c, "ngram_indexes gives n-gram " + std::to_string(gram) + " of the pool no place");
      if (counted) p.grams.emplace_back(token, indexes[static_cast<std::size_t>(gram)]);
    }
    if (!counted) continue;
    const auto tokens = [&](std::int64_t start) {
      return std::span(p.tokens).subspan(static_cast<std::size_t>(start), static_cast<std::size_t>(length));
    };
    const auto first = p.grams.begin() + p.lengths.back();
    std::sort(first, p.grams.end(), [&](const auto& a, const auto& b) {
      return std::ranges::lexicographical_compare(tokens(a.first), tokens(b.first));
    });
    if (std::adjacent_find(first, p.grams.end(), [&](const auto& a, const auto& b) {
          return std::ranges::equal(tokens(a.first), tokens(b.first));
        }) != p.grams.end())
      return refuse(c, "the pool holds an n-gram of " + std::to_string(length) + " tokens twice");
  }
  p.lengths.push_back(static_cast<std::int64_t>(p.grams.size()));
  if (gram != static_cast<std::int64_t>(indexes.size()))
    return refuse(c, "the pool holds " + std::to_string(gram) + " n-grams, and ngram_indexes places " +
                         std::to_string(indexes.size()));
  // A column for each place, whether an n-gram stands there or not: the module holds a weight for each.
  const std::int64_t most = (std::int64_t{1} << 16) + 16 * gram;
  for (const std::int64_t index : indexes) {
    if (index >= most)
      return refuse(c, "ngram_indexes places an n-gram at " + std::to_string(index) + ", and " + std::to_string(gram) +
                           " n-grams are given " + std::to_string(most) + " columns at most");
    p.places = std::max(p.places, index + 1);
  }
  const auto weights = c.numbers("weights");
  if (!weights || c.text("mode", "TF") == "TF") return p;
  if (weights->size() != indexes.size())
    return refuse(c, "gives " + std::to_string(weights->size()) + " weights to " + std::to_string(indexes.size()) +
                         " n-grams");
  p.weights.assign(static_cast<std::size_t>(p.places), 1.0);
  for (std::size_t i = 0; i < indexes.size(); ++i)
    p.weights[static_cast<std::size_t>(indexes[i])] = (*weights)[i];
  return p;
}

void infer_tf_idf(InferContext& c) {
  if (!expect_word(c, "mode", "TF", {"TF", "IDF", "TFIDF"})) return;
  if (c.rank(0) != 1 && c.rank(0) != 2)
    return c.error(Code::rank_mismatch,
                   c.input_name(0) + " has " + std::to_string(c.rank(0)) + " axes, and the operator takes 1 or 2");
  if (c.integer("max_skip_count", 0) < 0)
    return c.error(Code::bad_attribute, "max_skip_count is " + std::to_string(c.integer("max_skip_count", 0)));
  const auto pool = read(c);
  if (!pool) return;
  if (pool->words.empty() ? !expect_dtype(c, 0, {DType::int32, DType::int64}) : !expect_dtype(c, 0, {DType::string}))
    return;
  std::vector<Axis> axes = c.axes(0);
  axes.back() = c.fresh(pool->places);
  c.output(0, DType::float32, std::move(axes));
}

void lower_tf_idf(LowerContext& c) {
  const Pool pool = *read(c);
  const auto list = [&](const Integers& values, std::vector<Axis> axes) {
    Known known{DType::int64, {}, {}};
    for (const Axis& axis : axes) known.dims.push_back(axis.extent().constant().value_or(0));
    for (const std::int64_t v : values) known.elements.emplace_back(Polynomial(v));
    return c.constant(std::move(known), std::move(axes));
  };
  const auto length = [](const Integers& values) { return static_cast<std::int64_t>(values.size()); };
  Integers grams;
  for (const auto& [token, place] : pool.grams) grams.insert(grams.end(), {token, place});
  const std::string mode = c.text("mode", "TF");
  const bool plain = mode == "TF" || (mode == "TFIDF" && pool.weights.empty());
  const std::vector<Axis> axes = c.output_type(0).axes;
  TensorId x = c.in(0);
  if (!pool.words.empty()) {
    x = c.temporary(DType::int64, c.axes(0), "token");
    look_up(c, x, labels_of(pool.words), counted_labels(pool.words.size()), Label(std::int64_t{-1}), c.in(0));
  }
  const TensorId counts = plain ? c.out(0) : c.temporary(DType::float32, axes, "counts");
  c.call("count_ngrams", "count_ngrams", {counts},
         {integer_literal(pool.shortest), integer_literal(c.integer("max_skip_count", 0))},
         {x, list(pool.tokens, {c.named_axis("Token", length(pool.tokens))}),
          list(grams, {c.named_axis("Gram", length(grams) / 2), c.named_axis("GramPart", 2)}),
          list(pool.lengths, {c.named_axis("GramLength", length(pool.lengths))})});
  if (plain) return;
  Formula f(c);
  const Term count = f(counts), nothing = count.constant(0);
  Known known{DType::float32, {pool.places}, {pool.weights.begin(), pool.weights.end()}};
  const Term weight =
      pool.weights.empty() ? count.constant(1) : f(c.constant(std::move(known), {axes.back()}));
  f.into(c.out(0), mode == "IDF" ? where(count > nothing, weight, nothing) : count * weight);
}

constexpr Operator rows[] = {
    {.domain = "", .name = "TfIdfVectorizer", .infer = infer_tf_idf, .lower = lower_tf_idf},
};

}  // namespace

std::span<const Operator> tf_idf_operators() { return rows; }

}  // namespace loam
