// `loam test` and `loam run` on models written here, through the host's compiler.
#include "cli/npy.hpp"
#include "tests/cli/support.hpp"

namespace loam::cli::testing {
namespace {

class TestCommand : public Command {
 protected:
  void add_case(const std::string& name, std::string_view op, const std::vector<float>& in,
                const std::string& out) const {
    const fs::path place = folder() / "cases" / name;
    write_file(place / "model.onnx", unary_model(op));
    write_file(place / "test_data_set_0" / "input_0.pb", float_tensor(in));
    write_file(place / "test_data_set_0" / "output_0.pb", out);
  }
  Finished test(std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments{"test", (folder() / "cases").string(), "--jobs", "2"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return loam(arguments);
  }
};

TEST_F(TestCommand, SaysOfEveryCaseThatDoesNotPassWhy) {
  add_case("passes", "Abs", {-1, 2}, float_tensor({1, 2}));
  add_case("wrong", "Abs", {-1, 2}, float_tensor({1, 3}));
  add_case("deeper/refused", "NoSuchOperator", {1}, float_tensor({1}));
  add_case("strings", "Abs", {1}, field(1, 1) + field(2, 8) + field(6, "text"));
  const Finished finished = test({"--json", (folder() / "out.json").string()});
  EXPECT_EQ(finished.status, 1);
  for (const std::string_view line : {"wrong: failed: test_data_set_0: output y: element [1] is 2 and should be 3\n",
                                      "deeper/refused: refused: y = NoSuchOperator: ",
                                      "strings: failed: test_data_set_0: output y: is float32[1] and should be string[1]\n"})
    EXPECT_NE(finished.output.find(line), std::string::npos) << finished.output;
  EXPECT_TRUE(finished.output.ends_with("1 passed, 2 failed, 1 refused, 0 skipped\n")) << finished.output;
  EXPECT_NE(read_text(folder() / "out.json").find("\"code\": \"unknown-operator\""), std::string::npos);
}

TEST_F(TestCommand, ExpectationsDecideWhereTheyAreGiven) {
  add_case("passes", "Abs", {-1, 2}, float_tensor({1, 2}));
  add_case("deeper/refused", "NoSuchOperator", {1}, float_tensor({1}));
  const std::string expect = (folder() / "expect.json").string();
  write_file(expect, R"({"refused": {"status": "refused", "code": "unknown-operator", "reason": "no such operator"}})");
  const Finished good = test({"--expect", expect});
  EXPECT_EQ(good.status, 0) << good.output;
  EXPECT_EQ(good.output, "0 not as expected\n1 passed, 0 failed, 1 refused, 0 skipped\n");

  write_file(expect, R"({"passes": {"status": "refused", "reason": "none"}})");
  const Finished bad = test({"--expect", expect});
  EXPECT_EQ(bad.status, 1);
  EXPECT_NE(bad.output.find("passes: passed and should be refused\n"), std::string::npos) << bad.output;
  EXPECT_NE(bad.output.find("deeper/refused: refused and should be passed: "), std::string::npos) << bad.output;
}

TEST_F(TestCommand, AnExpectationMayGiveItsCaseATolerance) {
  add_case("near", "Abs", {-1, 2}, float_tensor({1, 2.5}));
  add_case("far", "Abs", {-1, 2}, float_tensor({1, 2.5}));
  const std::string expect = (folder() / "expect.json").string();
  write_file(expect, R"({"near": {"status": "passed", "atol": 0.5, "reason": "rounded"}})");
  const Finished finished = test({"--expect", expect});
  EXPECT_EQ(finished.status, 1);
  EXPECT_TRUE(finished.output.ends_with("1 not as expected\n1 passed, 1 failed, 0 refused, 0 skipped\n")) << finished.output;

  write_file(expect, R"({"near": {"status": "passed", "atol": "0.5", "reason": "rounded"}})");
  EXPECT_NE(test({"--expect", expect}).output.find("near: atol is not a number of 0 or more"), std::string::npos);
}

TEST_F(TestCommand, ListsAndFilters) {
  add_case("one", "Abs", {1}, float_tensor({1}));
  add_case("two", "Abs", {1}, float_tensor({1}));
  EXPECT_EQ(test({"--list"}).output, "one\ntwo\n");
  EXPECT_EQ(test({"--list", "--filter", "t*"}).output, "two\n");
  EXPECT_EQ(test({"--filter", "x*"}).status, 1);
}

TEST_F(TestCommand, AFolderWithoutCasesIsNamed) {
  const Finished finished = loam({"test", (folder() / "nothing").string()});
  EXPECT_EQ(finished.status, 1);
  EXPECT_NE(finished.output.find("nothing: "), std::string::npos) << finished.output;
}

TEST_F(TestCommand, RunTakesAndGivesNumpysFiles) {
  write_file(folder() / "magnitude.onnx", unary_model("Abs"));
  const std::string graph = (folder() / "magnitude.onnx").string();
  const std::string input = (folder() / "x.npy").string();
  write_file(input, write_npy(make_tensor<float>({3}, DType::float32, std::vector<float>{-1, 2.5, -3}).raw()));
  const Finished printed = loam({"run", graph, "--layout", "auto", "--input", "x=" + input});
  EXPECT_EQ(printed.status, 0);
  EXPECT_NE(printed.output.find("y: float32[3]\n[1, 2.5, 3]\n"), std::string::npos) << printed.output;

  const fs::path out = folder() / "out";
  EXPECT_EQ(loam({"run", graph, "--layout", "auto", "--input", "x=" + input, "-o", out.string()}).status, 0);
  const HostTensor y = read_npy("y.npy", MappedFile(out / "y.npy").bytes());
  EXPECT_EQ(y.data, make_tensor<float>({3}, DType::float32, std::vector<float>{1, 2.5, 3}).data);

  const Finished missing = loam({"run", graph, "--layout", "auto"});
  EXPECT_EQ(missing.status, 1);
  EXPECT_NE(missing.output.find("x: float32[N]"), std::string::npos) << missing.output;
  const Finished unknown = loam({"run", graph, "--layout", "auto", "--input", "x=" + input, "--input", "z=" + input});
  EXPECT_EQ(unknown.status, 1);
  EXPECT_NE(unknown.output.find("the graph has no input z"), std::string::npos) << unknown.output;
}

}  // namespace
}  // namespace loam::cli::testing
