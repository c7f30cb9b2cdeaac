// loam run --profile: where the time goes.
#include "cli/npy.hpp"
#include "tests/cli/support.hpp"

namespace loam::cli::testing {
namespace {

class Profile : public Command {
 protected:
  // What the command says of a model of one input x, float32 [3].
  Finished profiled(const std::string& file, std::string_view model) const {
    const std::vector<float> elements{1, -2, 3};
    write_file(folder() / file, model);
    write_file(folder() / "x.npy", write_npy(make_tensor<float>({3}, DType::float32, elements).raw()));
    return loam({"run", (folder() / file).string(), "--layout", "auto", "--input", "x=" + (folder() / "x.npy").string(), "--profile", "3"});
  }
};

TEST_F(Profile, NamesEachKernelAndWhatItMoves) {
  const Finished finished = profiled("one.onnx", unary_model("Relu"));
  EXPECT_EQ(finished.status, 0) << finished.output;
  EXPECT_NE(finished.output.find(" ms in 1 kernel calls, medians of 3 runs"), std::string::npos) << finished.output;
  EXPECT_NE(finished.output.find("100.0%"), std::string::npos) << finished.output;
  EXPECT_NE(finished.output.find("map             Relu: y [N]"), std::string::npos) << finished.output;
}

TEST_F(Profile, OfALoopIsRefused) {
  const Finished finished = profiled("turns.onnxtext", R"(<ir_version: 8, opset_import: ["": 17]>
turns (float[N] x) => (float[N] y) {
  n = Constant <value_int = 4> ()
  c = Constant <value_int = 1> ()
  go = Cast <to = 9> (c)
  y = Loop (n, go, x) <body = body (int64 i, bool g, float[N] a) => (bool g_out, float[N] b) {
    g_out = Identity (g)
    b = Add (a, a)
  }>
}
)");
  EXPECT_EQ(finished.status, 1);
  EXPECT_NE(finished.output.find("of a Loop or an If nothing tells which"), std::string::npos) << finished.output;
}

}  // namespace
}  // namespace loam::cli::testing
