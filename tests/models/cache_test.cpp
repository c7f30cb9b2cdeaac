// A module with a cache gives what the same module without one gives, step by step.
#include "tests/models/support.hpp"

namespace loam::test {
namespace {

// y = softmax(x (past, x)^T) (past, x), the keys scaled and turned on the way as exporters do.
Proto step() {
  const Proto order = attribute("perm", 7).integer(8, 0).integer(8, 1).integer(8, 3).integer(8, 2);
  return graph_of({node("Concat", {"past", "x"}, {"present"}, {integer_attribute("axis", 2)}),
                   node("Transpose", {"present"}, {"turned"}, {order}),
                   node("MatMul", {"x", "turned"}, {"scores"}), node("Softmax", {"scores"}, {"weights"}, {integer_attribute("axis", -1)}),
                   node("MatMul", {"weights", "present"}, {"y"}), node("ReduceSum", {"past"}, {"sum"})},
                  {value("past", DType::float32, "N 2 P 4"), value("x", DType::float32, "N 2 S 4")},
                  {value("y", DType::float32, "N 2 S 4"), value("present", DType::float32, "N 2 T 4"), value("sum", DType::float32, "1 1 1 1")});
}

std::vector<float> numbers(std::size_t count, int from) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>((static_cast<int>(i) * 37 + from * 11) % 23 - 11) / 8;
  return values;
}

class CacheSteps : public ::testing::TestWithParam<bool> {};

TEST_P(CacheSteps, GiveWhatPastAndPresentGive) {
  CompileOptions with = automatic("with"), without = automatic("without");
  with.cache = {"past=present"};
  with.fuse = without.fuse = GetParam();
  const Build cached(step(), with), plain(step(), without);
  ASSERT_EQ(cached.errors() + plain.errors(), "");
  const std::vector<const CompileResult*> results{&cached.result(), &plain.result()};
  const cli::HostLibrary built = cli::HostCompiler(cli::CodeFor::small_tests).build(results, std::chrono::minutes(10));
  ASSERT_FALSE(built.path.empty()) << built.output;
  const cli::Library library(built.path);
  for (const cli::BackendKind backend : {cli::BackendKind::cpu, cli::BackendKind::opaque}) {
    cli::Session ours(library.module("with"), {}, {}, backend), theirs(library.module("without"), {}, {}, backend);
    for (const std::int64_t batch : {1, 3}) {
      cli::HostTensor past = floats({batch, 2, 0, 4}, {});
      std::vector<harness::RawTensor> given_on{past.raw(), {}};
      int turn = 0;
      // A prompt, steps, a longer stretch, which makes the cache grow, and steps again.
      for (const std::int64_t length : {5, 1, 1, 17, 1, 40, 1}) {
        const cli::HostTensor x = floats({batch, 2, length, 4}, numbers(static_cast<std::size_t>(8 * batch * length), ++turn));
        const auto expected = theirs.run(std::vector{past.raw(), x.raw()});
        given_on[1] = x.raw();
        const auto given = ours.run(given_on);
        EXPECT_EQ(kept(given[0]).data, kept(expected[0]).data) << "turn " << turn;
        EXPECT_EQ(kept(given[2]).data, kept(expected[2]).data) << "turn " << turn;
        past = kept(expected[1]);
        given_on[0].dtype = 0;
        given_on[0].extents[2] = past.extents[2];
      }
      // The past given anew, and its present with it.
      const cli::HostTensor x = floats({batch, 2, 2, 4}, numbers(static_cast<std::size_t>(16 * batch), ++turn));
      const auto expected = theirs.run(std::vector{past.raw(), x.raw()});
      const cli::HostTensor present = kept(expected[1]);
      EXPECT_EQ(kept(ours.run(std::vector{past.raw(), x.raw()})[1]).data, present.data);
      // Cut back to its first places.
      cli::HostTensor first = floats({batch, 2, 0, 4}, {});
      const auto anew = theirs.run(std::vector{first.raw(), x.raw()});
      const cli::HostTensor y = kept(anew[0]);
      given_on[0].extents[2] = 0;
      given_on[1] = x.raw();
      EXPECT_EQ(kept(ours.run(given_on)[0]).data, y.data);
    }
  }
}

// Lengths and inputs of the names that the functions which make a cache have a use for.
TEST(Cache, AnyNamesForLengths) {
  const Proto graph = graph_of({node("Concat", {"from", "made"}, {"places"}, {integer_attribute("axis", 1)})},
                               {value("from", DType::float32, "capacity places made"), value("made", DType::float32, "capacity from made")},
                               {value("places", DType::float32, "capacity cache made")});
  CompileOptions options = automatic("names");
  options.cache = {"from=places"};
  const Build build(graph, options);
  const Modules modules({&build});
  ASSERT_TRUE(modules);
  const auto ran = modules.run("names", {floats({1, 2, 1}, {1, 2}), floats({1, 1, 1}, {3})});
  EXPECT_EQ(ran.error, "");
  EXPECT_EQ(ran.get<float>("places"), (std::vector<float>{1, 2, 3}));
}

INSTANTIATE_TEST_SUITE_P(Fusion, CacheSteps, ::testing::Bool(), [](const auto& test) { return test.param ? "Fused" : "Unfused"; });

}  // namespace
}  // namespace loam::test
