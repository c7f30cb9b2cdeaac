// --last: what it makes of a graph, and what it refuses.
#include <gtest/gtest.h>

#include "compiler/compile.hpp"

namespace loam {
namespace {

constexpr std::string_view graph = R"(<ir_version: 9, opset_import: ["" : 21]>
head (float[S, 4] x, float[4, 6] w) => (float[S, 6] logits, float[S, 4] x, float[S, 4] h)
{
  h = Relu (x)
  logits = MatMul (h, w)
}
)";

struct Outcome {
  std::string outputs, diagnostics;   // "logits [1, 6]; x [S, 4]"
};

Outcome outcome(std::vector<std::string> last, std::vector<std::string> outputs = {}) {
  CompileOptions options;
  options.auto_layout = true;
  options.last = std::move(last);
  options.outputs = std::move(outputs);
  Diagnostics diagnostics;
  const CompileResult result = check({"head.onnxtext", std::as_bytes(std::span(graph)), {}, {}, {}}, options, diagnostics);
  Outcome outcome;
  for (const Port& port : result.outputs) {
    outcome.outputs += (outcome.outputs.empty() ? "" : "; ") + port.name + " [";
    for (std::size_t i = 0; i < port.extents.size(); ++i) outcome.outputs += (i ? ", " : "") + port.extents[i];
    outcome.outputs += "]";
  }
  for (const Diagnostic& d : diagnostics.list())
    if (d.severity == Severity::error) outcome.diagnostics += (outcome.diagnostics.empty() ? "" : "\n") + d.text();
  return outcome;
}

TEST(Last, KeepsOnePlaceOfTheOutputsNamed) {
  EXPECT_EQ(outcome({}).outputs, "logits [S, 6]; x [S, 4]; h [S, 4]");
  EXPECT_EQ(outcome({"logits"}).outputs, "logits [1, 6]; x [S, 4]; h [S, 4]");
  EXPECT_EQ(outcome({"logits", "h", "logits"}).outputs, "logits [1, 6]; x [S, 4]; h [1, 4]");
  EXPECT_EQ(outcome({"h"}, {"h"}).outputs, "h [1, 4]");
}

TEST(Last, RefusesWhatItCannotKeep) {
  EXPECT_EQ(outcome({"logit"}).diagnostics, "--last logit: the graph has no such output [bad-option]\n  did you mean logits?");
  EXPECT_EQ(outcome({"x"}).diagnostics, "--last x: no node computes this output: it is an input or a constant, given as it is [bad-option]");
  EXPECT_EQ(outcome({"h"}, {"logits"}).diagnostics, "--last h: --output leaves this output out [bad-option]\n  name it there too");
}

}  // namespace
}  // namespace loam
