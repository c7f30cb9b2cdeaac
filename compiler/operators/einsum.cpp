// Einsum: each operand is brought to its labels (diagonals taken, what nothing else reads summed), then the operands
// are multiplied pair by pair from the left: by one matmul where the pair shares a label that ends there, else by a
// map.
#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>

#include "compiler/operators/checks.hpp"
#include "compiler/operators/formula.hpp"

namespace loam {

namespace {

// A letter, or -1, -2, ... for the axes an ellipsis stands for, counted from its end.
using Label = int;
using Labels = std::vector<Label>;

bool holds(const Labels& labels, Label label) { return std::ranges::find(labels, label) != labels.end(); }

struct Equation {
  std::vector<Labels> terms;  // one an operand
  Labels output;
};

// One side's term. `axes` are the axes it must spell; nullopt: an output, whose ellipsis stands for `ellipsis` axes.
std::optional<Labels> read_term(const NodeContext& c, std::string_view text, std::optional<int> axes, int& ellipsis) {
  Labels before, after;
  bool dots = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '.' && text.substr(i).starts_with("...") && !dots) {
      dots = true;
      i += 2;
    } else if (std::isalpha(static_cast<unsigned char>(text[i]))) {
      (dots ? after : before).push_back(static_cast<unsigned char>(text[i]));
    } else {
      c.error(Code::bad_attribute, "equation holds " + std::string(text.substr(i)) +
                                       ", which no term of letters and an ellipsis starts with");
      return std::nullopt;
    }
  }
  const int letters = static_cast<int>(before.size() + after.size());
  if (axes && (*axes < letters || (!dots && *axes != letters))) {
    c.error(Code::rank_mismatch, "equation spells " + std::to_string(letters) + " axes as " + std::string(text) +
                                     ", and the operand has " + std::to_string(*axes));
    return std::nullopt;
  }
  const int stands_for = !dots ? 0 : axes ? *axes - letters : ellipsis;
  if (axes) ellipsis = std::max(ellipsis, stands_for);
  for (int k = stands_for; k > 0; --k) before.push_back(-k);
  before.insert(before.end(), after.begin(), after.end());
  return before;
}

std::optional<Equation> read_equation(const NodeContext& c) {
  std::string text = c.text("equation", "");
  std::erase_if(text, [](char ch) { return ch == ' '; });
  const std::size_t arrow = text.find("->");
  const std::string left = text.substr(0, arrow);
  Equation e;
  int ellipsis = 0;
  for (std::size_t from = 0; from <= left.size();) {
    const std::size_t comma = std::min(left.find(',', from), left.size());
    const auto i = static_cast<int>(e.terms.size());
    if (i >= c.inputs()) break;
    auto term = read_term(c, std::string_view(left).substr(from, comma - from), c.rank(i), ellipsis);
    if (!term) return std::nullopt;
    e.terms.push_back(std::move(*term));
    from = comma + 1;
  }
  const auto terms = std::ranges::count(left, ',') + 1;
  if (terms != c.inputs()) {
    c.error(Code::operator_form,
            "equation has " + std::to_string(terms) + " terms, and the node " + std::to_string(c.inputs()) + " inputs");
    return std::nullopt;
  }
  std::map<Label, int> occurs;
  for (const Labels& term : e.terms)
    for (const Label label : term) ++occurs[label];
  if (arrow == std::string::npos) {
    // Implied: the ellipsis, then every letter that occurs once, in order.
    for (const auto& [label, count] : occurs)
      if (label < 0 || count == 1) e.output.push_back(label);
    return e;
  }
  auto output = read_term(c, std::string_view(text).substr(arrow + 2), std::nullopt, ellipsis);
  if (!output) return std::nullopt;
  e.output = std::move(*output);
  for (const Label label : e.output)
    if (!occurs.contains(label) || std::ranges::count(e.output, label) != 1) {
      c.error(Code::bad_attribute, std::string("equation gives ") + static_cast<char>(label) +
                                       (occurs.contains(label) ? " twice" : ", which no operand has"));
      return std::nullopt;
    }
  return e;
}

void infer_einsum(InferContext& c) {
  bool types = expect_number(c, 0);
  for (int i = 1; i < c.inputs(); ++i) types = expect_one_dtype(c, 0, i) && types;
  const auto e = read_equation(c);
  if (!types || !e) return;
  std::map<Label, Axis> axes;
  for (int i = 0; i < c.inputs(); ++i)
    for (int k = 0; k < c.rank(i); ++k) {
      const auto [at, first] =
          axes.emplace(e->terms[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)], c.axis(i, k));
      if (!first) at->second = c.broadcast(at->second, c.axis(i, k));
    }
  std::vector<Axis> output;
  for (const Label label : e->output) output.push_back(axes.at(label));
  c.output(0, c.dtype(0), std::move(output));
}

// ---- Lowering ------------------------------------------------------------------------------------------------------

struct Factor {
  TensorId tensor;
  Labels labels;  // of the tensor's axes; none of one element
};

class Contraction {
 public:
  Contraction(LowerContext& c, const Equation& e) : c_(c), output_(e.output) {
    for (std::size_t k = 0; k < output_.size(); ++k)
      if (!c.symbols().simplify(c.output_type(0).axes[k].extent()).is(1)) long_output_.push_back(output_[k]);
    for (std::size_t i = 0; i < e.terms.size(); ++i) factors_.push_back(without_units(static_cast<int>(i), e.terms[i]));
  }

  void lower() {
    for (std::size_t i = 0; i < factors_.size(); ++i) {
      while (take_diagonal(factors_[i])) {}
      sum_alone(i);
    }
    Factor product = factors_[0];
    for (std::size_t i = 1; i < factors_.size(); ++i) product = multiply(std::move(product), factors_[i], i + 1);
    arrange(std::move(product));
  }

 private:
  static std::size_t place(const Factor& f, Label label) {
    return static_cast<std::size_t>(std::ranges::find(f.labels, label) - f.labels.begin());
  }
  std::vector<Axis> axes(const Factor& f, const Labels& labels) const {
    std::vector<Axis> result;
    for (const Label label : labels) result.push_back(c_.tensor(f.tensor).axes[place(f, label)]);
    return result;
  }
  // Whether the output or a factor from `next` on reads the label.
  bool read_later(Label label, std::size_t next) const {
    return holds(output_, label) || std::any_of(factors_.begin() + static_cast<std::ptrdiff_t>(next), factors_.end(),
                                                [&](const Factor& f) { return holds(f.labels, label); });
  }
  // Where a step of these labels writes: the output itself where it is that already.
  TensorId target(const Labels& labels, std::vector<Axis> axes, bool last) {
    if (last && labels == output_ && axes.size() == output_.size()) return written_ = c_.out(0);
    return c_.temporary(last ? c_.dtype(0) : compute_type(c_.dtype(0)), std::move(axes), "product");
  }

  Factor without_units(int i, const Labels& term) {
    Factor f{c_.in(i), {}};
    std::vector<int> source;
    std::vector<Axis> kept;
    for (int k = 0; k < c_.rank(i); ++k) {
      if (c_.extent(i, k).is(1)) continue;
      source.push_back(k);
      kept.push_back(c_.axis(i, k));
      f.labels.push_back(term[static_cast<std::size_t>(k)]);
    }
    if (f.labels.size() != term.size()) f.tensor = c_.units(f.tensor, source, std::move(kept));
    return f;
  }
  Factor permuted(const Factor& f, const Labels& labels) {
    if (f.labels == labels) return f;
    std::vector<int> order;
    for (const Label label : labels) order.push_back(static_cast<int>(place(f, label)));
    return {c_.transpose(f.tensor, order), labels};
  }
  // The factor with an axis for each label of `wanted` (-1 places it at no axis of its own: a unit), in that order.
  TensorId laid_out(const Factor& f, const Labels& wanted) {
    Labels own;
    for (const Label label : wanted)
      if (holds(f.labels, label)) own.push_back(label);
    const Factor p = permuted(f, own);
    if (own.size() == wanted.size()) return p.tensor;
    std::vector<int> source;
    std::vector<Axis> shape;
    for (const Label label : wanted) {
      const bool present = holds(own, label);
      source.push_back(present ? static_cast<int>(place(p, label)) : -1);
      shape.push_back(present ? axes(p, {label})[0] : c_.unit());
    }
    return c_.units(p.tensor, source, std::move(shape));
  }

  // Two axes of one label are brought to the end, merged, and read a row and one element apart.
  bool take_diagonal(Factor& f) {
    for (std::size_t a = 0; a < f.labels.size(); ++a)
      for (std::size_t b = a + 1; b < f.labels.size(); ++b) {
        if (f.labels[a] != f.labels[b]) continue;
        std::vector<int> order;
        Labels labels;
        for (std::size_t k = 0; k < f.labels.size(); ++k)
          if (k != a && k != b) {
            order.push_back(static_cast<int>(k));
            labels.push_back(f.labels[k]);
          }
        order.push_back(static_cast<int>(a));
        order.push_back(static_cast<int>(b));
        labels.push_back(f.labels[a]);
        TensorId t = c_.transpose(f.tensor, order);
        std::vector<Axis> shape = c_.tensor(t).axes;
        const Axis axis = shape.back();
        shape.pop_back();
        std::vector<Axis> flat = shape;
        flat.back() = LowerContext::merge({axis, axis});
        t = c_.reshape(t, std::move(flat));
        const std::vector<Polynomial> starts(shape.size(), 0);
        std::vector<Polynomial> steps(shape.size(), 1);
        steps.back() = axis.extent() + 1;
        f = {c_.slice(t, std::move(shape), starts, std::move(steps)), std::move(labels)};
        return true;
      }
    return false;
  }
  // Sums the labels of factor i that nothing else reads.
  void sum_alone(std::size_t i) {
    Factor& f = factors_[i];
    Labels kept;
    std::vector<int> over;
    for (std::size_t k = 0; k < f.labels.size(); ++k) {
      bool read = holds(output_, f.labels[k]);
      for (std::size_t j = 0; j < factors_.size(); ++j)
        read = read || (j != i && holds(factors_[j].labels, f.labels[k]));
      if (read) kept.push_back(f.labels[k]);
      else over.push_back(static_cast<int>(k));
    }
    if (over.empty()) return;
    const TensorId out = target(kept, axes(f, kept), factors_.size() == 1);
    f = {call_reduce(c_, out, "Sum", over, f.tensor), kept};
  }

  Factor multiply(Factor a, Factor b, std::size_t next) {
    const bool last = next == factors_.size();
    Labels batch, ends, rows, columns;
    for (const Label label : a.labels)
      (!holds(b.labels, label) ? rows : read_later(label, next) ? batch : ends).push_back(label);
    for (const Label label : b.labels)
      if (!holds(a.labels, label)) columns.push_back(label);
    if (ends.empty()) return scaled(a, b, last);
    // What the output has first is the product's rows: then nothing is left to transpose.
    if (last && !rows.empty() && !columns.empty() &&
        std::ranges::find(output_, columns[0]) < std::ranges::find(output_, rows[0])) {
      std::swap(a, b);
      std::swap(rows, columns);
    }
    Labels labels = batch;
    labels.insert(labels.end(), rows.begin(), rows.end());
    labels.insert(labels.end(), columns.begin(), columns.end());
    std::vector<Axis> shape = axes(a, batch), apart = shape;
    for (const auto& group : {axes(a, rows), axes(b, columns)}) {
      shape.push_back(one_axis(group));
      apart.insert(apart.end(), group.begin(), group.end());
    }
    const TensorId product =
        rows.size() == 1 && columns.size() == 1 ? target(labels, shape, last) : target({}, shape, last);
    c_.call("matmul", "matmul", {product}, {}, {grouped(a, batch, rows, ends), grouped(b, batch, ends, columns)});
    return {regrouped(product, rows.size() == 1 && columns.size() == 1, rows.size() <= 1 && columns.size() <= 1,
                      std::move(apart)),
            labels};
  }
  Axis one_axis(const std::vector<Axis>& group) {
    return group.size() == 1 ? group[0] : group.empty() ? c_.unit() : LowerContext::merge(group);
  }
  // The tensor under `axes`: as it is, or with units gone, or with merged axes taken apart.
  TensorId regrouped(TensorId t, bool same, bool units_only, std::vector<Axis> axes) {
    if (same) return t;
    if (!units_only) return c_.reshape(t, std::move(axes));
    std::vector<int> source;
    for (int k = 0; k < static_cast<int>(c_.tensor(t).axes.size()); ++k)
      if (!c_.extent(t, k).is(1)) source.push_back(k);
    return c_.units(t, source, std::move(axes));
  }
  // The factor as [batch.., first, second], each group of labels one axis.
  TensorId grouped(const Factor& f, const Labels& batch, const Labels& first, const Labels& second) {
    Labels order = batch;
    order.insert(order.end(), first.begin(), first.end());
    order.insert(order.end(), second.begin(), second.end());
    const Factor p = permuted(f, order);
    if (first.size() == 1 && second.size() == 1) return p.tensor;
    std::vector<Axis> shape = axes(p, batch);
    for (const Labels& group : {first, second}) shape.push_back(one_axis(axes(p, group)));
    if (first.size() > 1 || second.size() > 1) return c_.reshape(p.tensor, std::move(shape));
    std::vector<int> source;
    int k = 0;
    while (source.size() < batch.size()) source.push_back(k++);
    for (const Labels& group : {first, second}) source.push_back(group.empty() ? -1 : k++);
    return c_.units(p.tensor, source, std::move(shape));
  }
  // A product of which no label ends: a map, each factor lying along its labels.
  Factor scaled(const Factor& a, const Factor& b, bool last) {
    Labels labels = last ? long_output_ : a.labels;
    for (const Label label : b.labels)
      if (!holds(labels, label)) labels.push_back(label);
    std::vector<Axis> shape;
    for (const Label label : labels) shape.push_back(axes(holds(a.labels, label) ? a : b, {label})[0]);
    const TensorId out = target(labels, std::move(shape), last);
    Formula f(c_);
    const Term x = f(laid_out(a, labels));
    f.into(out, x * f(laid_out(b, labels)));
    return {out, labels};
  }
  // The output: in its order, with its units.
  void arrange(Factor f) {
    if (f.tensor != written_) c_.alias(0, laid_out(f, output_));
  }

  LowerContext& c_;
  Labels output_, long_output_;
  std::vector<Factor> factors_;
  TensorId written_ = no_tensor;
};

void lower_einsum(LowerContext& c) { Contraction(c, *read_equation(c)).lower(); }

constexpr Operator rows[] = {
    {.domain = "", .name = "Einsum", .infer = infer_einsum, .lower = lower_einsum, .min_inputs = 1, .max_inputs = -1},
};

}  // namespace

std::span<const Operator> einsum_operators() { return rows; }

}  // namespace loam
