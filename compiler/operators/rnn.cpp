// RNN, GRU and LSTM (ai.onnx): one kernel a cell, which runs the whole sequence.
//
// The directions' axis is the weight's, the hidden axis the recurrence's; the gates' rows of W and R are one axis, and
// the bias holds them twice.
#include <array>
#include <utility>

#include "compiler/operators/checks.hpp"
#include "compiler/operators/formula.hpp"

namespace loam {

namespace {

struct Cell {
  std::string_view name, kernel;
  int gates;
  std::vector<std::string_view> functions;  // by default, of one direction
};

const Cell& cell(const NodeContext& c) {
  static const Cell cells[] = {{"RNN", "rnn", 1, {"Tanh"}},
                               {"GRU", "gru", 3, {"Sigmoid", "Tanh"}},
                               {"LSTM", "lstm", 4, {"Sigmoid", "Tanh", "Tanh"}}};
  for (const Cell& one : cells)
    if (one.name == c.node().op_type) return one;
  return cells[0];
}

bool batch_first(const NodeContext& c) { return c.integer("layout", 0) != 0; }
std::size_t directions(const NodeContext& c) { return c.text("direction", "forward") == "bidirectional" ? 2 : 1; }

// ---- Activations ---------------------------------------------------------------------------------------------------

struct Function {
  std::string_view name, enumerator;
  bool reads_alpha = false, reads_beta = false;
  double alpha = 0, beta = 0;  // where the node gives none
};
constexpr Function functions[] = {{"relu", "Relu"},
                                  {"tanh", "Tanh"},
                                  {"sigmoid", "Sigmoid"},
                                  {"softsign", "Softsign"},
                                  {"softplus", "Softplus"},
                                  {"affine", "Affine", true, true, 1, 0},
                                  {"leakyrelu", "LeakyRelu", true, false, 0.01f, 0},
                                  {"thresholdedrelu", "ThresholdedRelu", true, false, 1, 0},
                                  {"scaledtanh", "ScaledTanh", true, true, 1, 1},
                                  {"hardsigmoid", "HardSigmoid", true, true, 0.2f, 0.5},
                                  {"elu", "Elu", true, false, 1, 0}};

const Function* find_function(std::string word) {
  for (char& ch : word)
    if (ch >= 'A' && ch <= 'Z') ch = static_cast<char>(ch - 'A' + 'a');  // onnxruntime reads them in any case
  for (const Function& f : functions)
    if (f.name == word) return &f;
  return nullptr;
}

// "{{loam::RnnFunction::Sigmoid, 0, 0}, ..}" of every direction; nullopt where it was reported.
std::optional<std::string> activations(const NodeContext& c) {
  std::vector<std::string> words = c.texts("activations").value_or(std::vector<std::string>{});
  const std::size_t wanted = cell(c).functions.size() * directions(c);
  if (words.empty())
    for (std::size_t k = 0; k < wanted; ++k) words.emplace_back(cell(c).functions[k % cell(c).functions.size()]);
  if (words.size() != wanted) {
    c.error(Code::bad_attribute, "activations holds " + std::to_string(words.size()) +
                                     " functions, and the operator reads " + std::to_string(wanted));
    return std::nullopt;
  }
  const auto alphas = c.numbers("activation_alpha").value_or(std::vector<double>{});
  const auto betas = c.numbers("activation_beta").value_or(std::vector<double>{});
  std::size_t alpha = 0, beta = 0;
  std::string text = "{{";
  for (const std::string& word : words) {
    const Function* f = find_function(word);
    if (!f) {
      c.error(Code::bad_attribute, "activations holds " + word + ", which the operator does not know");
      return std::nullopt;
    }
    const double a = f->reads_alpha && alpha < alphas.size() ? alphas[alpha++] : f->alpha;
    const double b = f->reads_beta && beta < betas.size() ? betas[beta++] : f->beta;
    text += (text.size() > 2 ? ", {" : "{") + std::string("loam::RnnFunction::") + std::string(f->enumerator);
    if (f->reads_alpha) text += ", " + cpp_literal(a, DType::float64) + ", " + cpp_literal(b, DType::float64);
    text += "}";
  }
  return text + "}}";
}

// ---- The three parts -----------------------------------------------------------------------------------------------

void expect_extent(const InferContext& c, int i, int axis, const Polynomial& wanted, std::string_view of) {
  const Polynomial held = c.extent(i, axis);
  c.equate(held, wanted,
           c.spell(c.axis(i, axis)) + " is " + c.spell(held) + ", and " + std::string(of) + " is " + c.spell(wanted));
}

// X, W, R, B, sequence_lens, initial_h, and of LSTM initial_c, P
void infer_rnn(InferContext& c) {
  bool fits = expect_float(c, 0);
  constexpr std::array<int, 8> ranks = {3, 3, 3, 2, 1, 3, 3, 2};
  for (int i = 0; i < c.inputs(); ++i) {
    if (!c.has(i)) continue;
    const bool type = i == 4 ? expect_dtype(c, 4, {DType::int32}) : i == 0 || expect_one_dtype(c, 0, i);
    fits = expect_rank(c, i, ranks[static_cast<std::size_t>(i)]) && type && fits;
  }
  if (!expect_word(c, "direction", "forward", {"forward", "reverse", "bidirectional"}) || !activations(c) || !fits)
    return;
  const bool first = batch_first(c);
  const int seq = first ? 1 : 0, batch = first ? 0 : 1;
  const Axis &hidden = c.axis(2, 2), &direction = c.axis(1, 0);
  const Polynomial h = c.extent(2, 2);
  if (c.has_attribute("hidden_size")) expect_extent(c, 2, 2, c.integer("hidden_size", 0), "hidden_size");
  c.equate(c.axis(0, 2), c.axis(1, 2), "in " + c.input_name(0), "in " + c.input_name(1));
  c.equate(c.axis(1, 1), c.axis(2, 1), "in " + c.input_name(1), "in " + c.input_name(2));
  expect_extent(c, 1, 1, h * cell(c).gates, std::to_string(cell(c).gates) + " gates of " + c.input_name(2));
  expect_extent(c, 1, 0, static_cast<std::int64_t>(directions(c)), "the number of directions");
  for (const int i : {2, 3, 7})
    if (c.has(i)) c.equate(direction, c.axis(i, 0), "in " + c.input_name(1), "in " + c.input_name(i));
  if (c.has(3)) expect_extent(c, 3, 1, h * 2 * cell(c).gates, "a bias of both products");
  if (c.has(4)) c.equate(c.axis(0, batch), c.axis(4, 0), "in " + c.input_name(0), "in " + c.input_name(4));
  for (const int i : {5, 6}) {
    if (!c.has(i)) continue;
    c.equate(direction, c.axis(i, first ? 1 : 0), "in " + c.input_name(1), "in " + c.input_name(i));
    c.equate(c.axis(0, batch), c.axis(i, first ? 0 : 1), "in " + c.input_name(0), "in " + c.input_name(i));
    c.equate(hidden, c.axis(i, 2), "in " + c.input_name(2), "in " + c.input_name(i));
  }
  if (c.has(7)) expect_extent(c, 7, 1, h * 3, "three peepholes of " + c.input_name(2));
  const Axis &steps = c.axis(0, seq), &batches = c.axis(0, batch);
  c.output(0, c.dtype(0),
           first ? std::vector{batches, steps, direction, hidden} : std::vector{steps, direction, batches, hidden});
  const std::vector<Axis> last =
      first ? std::vector{batches, direction, hidden} : std::vector{direction, batches, hidden};
  c.output(1, c.dtype(0), last);
  c.output(2, c.dtype(0), last);
}

void lower_rnn(LowerContext& c) {
  const std::string direction = c.text("direction", "forward");
  std::string attributes = "loam::RnnAttributes{.direction = loam::RnnDirection::";
  attributes += direction == "forward" ? "Forward" : direction == "reverse" ? "Reverse" : "Bidirectional";
  attributes += ", .activations = " + *activations(c);
  if (c.has_attribute("clip")) attributes += ", .clip = " + cpp_literal(c.number("clip", 0), DType::float64);
  if (batch_first(c)) attributes += ", .layout = 1";
  if (c.integer("input_forget", 0) != 0) attributes += ", .input_forget = true";
  if (c.integer("linear_before_reset", 0) != 0) attributes += ", .linear_before_reset = true";
  const bool lstm = cell(c).gates == 4;
  std::vector<TensorId> outputs;
  for (int k = 0; k < (lstm ? 3 : 2); ++k) outputs.push_back(c.wants(k) ? c.out(k) : no_tensor);
  std::vector<OperandRef> inputs;
  for (int i = 0; i < (lstm ? 8 : 6); ++i) inputs.emplace_back(c.optional_in(i));
  c.call(std::string(cell(c).kernel), "rnn", std::move(outputs), {Literal{attributes + "}"}}, std::move(inputs));
}

constexpr Operator row(std::string_view name, int inputs, int outputs) {
  return {.domain = "",
          .name = name,
          .infer = infer_rnn,
          .lower = lower_rnn,
          .min_inputs = 3,
          .max_inputs = inputs,
          .min_outputs = 0,
          .max_outputs = outputs};
}

constexpr Operator rows[] = {row("RNN", 6, 2), row("GRU", 6, 2), row("LSTM", 8, 3)};

}  // namespace

std::span<const Operator> rnn_operators() { return rows; }

}  // namespace loam
