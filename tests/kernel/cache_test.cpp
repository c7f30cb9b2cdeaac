// --cache: which inputs and outputs become one buffer, and what is refused.
#include <gtest/gtest.h>

#include "compiler/compile.hpp"

namespace loam {
namespace {

constexpr std::string_view graph = R"(<ir_version: 9, opset_import: ["" : 21]>
step (float[N, 2, P, 4] past_0, float[N, 2, P, 4] past_1, float[N, 2, Q, 4] other, float[N, 2, S, 4] x, float[N, 2, 3, 4] fixed)
  => (float[N, 2, T, 4] present_0, float[N, 2, T, 4] present_1, float[N, 2, U, 4] first, float[N, 2, V, 4] apart,
      float[N, 2, W, 4] counted, float[N, 2, P, 4] same, float[N, 2, T, 4] y)
{
  present_0 = Concat <axis = 2> (past_0, x)
  doubled = Add (x, x)
  present_1 = Concat <axis = 2> (past_1, doubled)
  first = Concat <axis = 2> (x, other)
  apart = Concat <axis = 2> (other, x)
  counted = Concat <axis = 2> (fixed, x)
  same = Relu (past_0)
  y = Add (present_0, present_1)
}
)";

struct Outcome {
  std::string cached, diagnostics, header;
};

Outcome outcome(std::vector<std::string> cache, bool prefer = false, std::vector<std::string> outputs = {}) {
  CompileOptions options;
  options.auto_layout = options.include_runtime = true;
  (prefer ? options.prefer_cache : options.cache) = std::move(cache);
  options.outputs = std::move(outputs);
  Diagnostics diagnostics;
  const CompileResult result = compile({"step.onnxtext", std::as_bytes(std::span(graph)), {}, {}, {}}, options, diagnostics);
  Outcome outcome;
  for (const auto& [input, output] : result.cached) outcome.cached += (outcome.cached.empty() ? "" : "; ") + input + " " + output;
  for (const Diagnostic& d : diagnostics.list())
    if (d.severity == Severity::error) outcome.diagnostics += (outcome.diagnostics.empty() ? "" : "\n") + d.text();
  if (!result.files.empty()) outcome.header = result.files.front().text;
  return outcome;
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(Cache, TakesWhatIsAppendedTo) {
  const Outcome one = outcome({"past_*=present_*"});
  EXPECT_EQ(one.diagnostics, "");
  EXPECT_EQ(one.cached, "past_0 present_0; past_1 present_1");
  EXPECT_TRUE(has(one.header, "make_cache(Backend& b, std::int64_t capacity, std::int64_t N_2)"));
  EXPECT_TRUE(has(one.header, "    Cache<Backend>& cache,\n"));
  EXPECT_TRUE(has(one.header, "if (P_2 + S_2 > cache.capacity()) return loam::no_places(\"P\", P_2 + S_2, cache.capacity());"));
  EXPECT_FALSE(has(one.header, "b.download(present"));
  // The one pair, the other staying an input and an output.
  const Outcome alone = outcome({"past_1=present_1"});
  EXPECT_EQ(alone.cached, "past_1 present_1");
  EXPECT_TRUE(has(alone.header, "b.download(present_0)"));
}

TEST(Cache, KeepsItsOutputsWhereOthersAreChosen) {
  const Outcome chosen = outcome({"past_*=present_*"}, false, {"y"});
  EXPECT_EQ(chosen.diagnostics, "");
  EXPECT_EQ(chosen.cached, "past_0 present_0; past_1 present_1");
}

TEST(Cache, NothingIsReadOfThePastButWhereItLies) {
  // `same` reads past_0 by itself: the first places of the cache.
  EXPECT_TRUE(has(outcome({"past_*=present_*"}).header, "const auto past_0 = loam::slice"));
  EXPECT_FALSE(has(outcome({"past_*=present_*"}, false, {"y"}).header, "const auto past_0 = "));
}

TEST(Cache, RefusesWhatItCannotAppendTo) {
  EXPECT_EQ(outcome({"past_*"}).diagnostics,
            "--cache past_*: is not of the form INPUT=OUTPUT, with one * on both sides or on none [bad-option]\n"
            "  write past_key_values.*=present.*, say");
  EXPECT_EQ(outcome({"past_*=present_0"}).diagnostics.substr(0, 60), "--cache past_*=present_0: is not of the form INPUT=OUTPUT, w");
  EXPECT_EQ(outcome({"past0=present_0"}).diagnostics, "--cache past0=present_0: no input of the graph is past0 [bad-option]\n  did you mean past_0?");
  EXPECT_EQ(outcome({"past_0=presents_0"}).diagnostics, "--cache past_0=presents_0: the graph has no output presents_0 [bad-option]");
  EXPECT_EQ(outcome({"other=first"}).diagnostics,
            "--cache other=first: the output is not made of the input with more places after it by a Concat of the graph's own nodes [bad-option]\n"
            "  it is made by first = Concat");
  EXPECT_EQ(outcome({"x=y"}).diagnostics,
            "--cache x=y: the output is not made of the input with more places after it by a Concat of the graph's own nodes [bad-option]\n"
            "  it is made by y = Add");
  EXPECT_EQ(outcome({"fixed=counted"}).diagnostics,
            "--cache fixed=counted: the axis that grows is 3 long in the input, which leaves no length to count [bad-option]");
  EXPECT_EQ(outcome({"past_*=present_*", "past_1=present_1"}).diagnostics,
            "--cache past_1=present_1: is paired already: past_1=present_1 [bad-option]\n  pair each input and each output once");
  EXPECT_EQ(outcome({"past_*=present_*", "other=apart"}).diagnostics,
            "--cache other=apart: grows from Q to Q + S, and past_0 from P to P + S: one cache has one length [bad-option]");
}

TEST(Cache, WhatIsPreferredIsLeftWhereItCannotBe) {
  EXPECT_EQ(outcome({"past_*=present_*"}, true).cached, "past_0 present_0; past_1 present_1");
  const Outcome left = outcome({"other=first"}, true);
  EXPECT_EQ(left.cached, "");
  EXPECT_EQ(left.diagnostics, "");
  EXPECT_FALSE(has(left.header, "Cache"));
}

}  // namespace
}  // namespace loam
