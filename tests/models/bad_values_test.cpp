// What a run does with values that mean nothing: indices outside their axes, counts and steps that cannot be, and
// divisors of 0. A refusal names the node, the position and the value; what has an answer gives it.
#include <cmath>
#include <limits>
#include <memory>

#include "tests/models/support.hpp"

namespace loam::test {
namespace {

using Tensors = std::vector<cli::HostTensor>;
using Integers = std::vector<std::int64_t>;

cli::HostTensor ints(std::vector<std::int64_t> extents, const Integers& elements) {
  return host(DType::int64, std::move(extents), elements);
}
cli::HostTensor ints32(std::vector<std::int64_t> extents, const std::vector<std::int32_t>& elements) {
  return host(DType::int32, std::move(extents), elements);
}
cli::HostTensor bytes(std::vector<std::int64_t> extents, const std::vector<std::uint8_t>& elements) {
  return host(DType::uint8, std::move(extents), elements);
}
cli::HostTensor counted(std::vector<std::int64_t> extents) {
  std::int64_t n = 1;
  for (const std::int64_t extent : extents) n *= extent;
  std::vector<float> elements(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<float>(i);
  return floats(std::move(extents), elements);
}
constexpr auto least = std::numeric_limits<std::int64_t>::min(), most = std::numeric_limits<std::int64_t>::max();

struct Row {
  const char* graph;
  Tensors inputs;
  std::string error;
  int opset = 21;
};

void check(const std::string& name, const std::vector<Row>& rows) {
  std::vector<std::unique_ptr<Build>> builds;
  std::vector<const Build*> all;
  for (const Row& row : rows) {
    builds.push_back(
        std::make_unique<Build>(Build::of_text(name + std::to_string(builds.size()), row.graph, row.opset)));
    EXPECT_EQ(builds.back()->errors(), "") << row.graph;
    if (builds.back()->errors().empty()) all.push_back(builds.back().get());
  }
  const Modules modules(all);
  ASSERT_TRUE(modules);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!builds[i]->errors().empty()) continue;
    EXPECT_EQ(modules.run(name + std::to_string(i), rows[i].inputs).error, rows[i].error) << rows[i].graph;
  }
}

TEST(BadValues, IndicesOutsideTheirAxes) {
  const auto x = counted({3, 4});
  check("indices", {
      {"(float[3, 4] x, int64[N] i) => (y) { y = Gather <axis = 0> (x, i) }", {x, ints({3}, {0, -3, 3})},
       "y = Gather: position 2 holds index 3, and axis 0 has 3 elements"},
      {"(float[3, 4] x, int64[N] i) => (y) { y = Gather <axis = 1> (x, i) }", {x, ints({2}, {1, -5})},
       "y = Gather: position 1 holds index -5, and axis 1 has 4 elements"},
      {"(float[3, 4] x, int32[N] i) => (y) { y = Gather <axis = 1> (x, i) }", {x, ints32({1}, {1 << 30})},
       "y = Gather: position 0 holds index 1073741824, and axis 1 has 4 elements"},
      {"(float[3, 4] x, int64[3, N] i) => (y) { y = GatherElements <axis = 1> (x, i) }",
       {x, ints({3, 2}, {0, 1, 2, 4, 0, 0})},
       "y = GatherElements: position 3 holds index 4, and axis 1 has 4 elements"},
      {"(float[3, 4] x, int64[N, 2] i) => (y) { y = GatherND (x, i) }", {x, ints({2, 2}, {2, 3, 0, -5})},
       "y = GatherND: position 3 holds index -5, and axis 1 has 4 elements"},
      {"(float[3, 4] x, int64[1, N] i, float[1, N] u) => (y) { y = ScatterElements <axis = 1> (x, i, u) }",
       {x, ints({1, 2}, {1, 4}), counted({1, 2})},
       "y = ScatterElements: position [0, 1] holds index 4, and axis 1 has 4 elements"},
      {"(float[3, 4] x, int64[1, N] i, float[1, N] u) "
       "=> (y) { y = ScatterElements <axis = 0, reduction = \"add\"> (x, i, u) }",
       {x, ints({1, 2}, {1, least}), counted({1, 2})},
       "y = ScatterElements: position [0, 1] holds index -9223372036854775808, and axis 0 has 3 elements"},
      {"(float[3, 4] x, int64[1, N] i, float[1, N] u) => (y) { y = Scatter <axis = 1> (x, i, u) }",
       {x, ints({1, 1}, {-5}), counted({1, 1})},
       "y = Scatter: position [0, 0] holds index -5, and axis 1 has 4 elements", 9},
      {"(float[3, 4] x, int64[N, 1] i, float[N, 4] u) => (y) { y = ScatterND (x, i, u) }",
       {x, ints({2, 1}, {0, 3}), counted({2, 4})},
       "y = ScatterND: position [1] holds index 3, and axis 0 has 3 elements"},
      {"(float[2, 6, 4] x, float[2, N, 4] u, int64[2] i) => (y) { y = TensorScatter <axis = 1> (x, u, i) }",
       {counted({2, 6, 4}), counted({2, 3, 4}), ints({2}, {0, 4})},
       "y = TensorScatter: batch 1 writes 3 elements from position 4, and the cache holds 6", 24},
      {"(float[2, 6, 4] x, float[2, N, 4] u, int64[2] i) => (y) { y = TensorScatter <axis = 1> (x, u, i) }",
       {counted({2, 6, 4}), counted({2, 3, 4}), ints({2}, {-1, 0})},
       "y = TensorScatter: batch 0 writes 3 elements from position -1, and the cache holds 6", 24},
      {"(float[1, 1, 2, 2] x, int64[1, 1, 2, 2] i) "
       "=> (y) { y = MaxUnpool <kernel_shape = [2, 2], strides = [2, 2]> (x, i) }",
       {counted({1, 1, 2, 2}), ints({1, 1, 2, 2}, {0, 1, 16, 2})},
       "y = MaxUnpool: position [0, 0, 1, 0] holds index 16, and the output has 16 places", 21},
      {"(float[T, B] x, int64[B] n) => (y) { y = ReverseSequence (x, n) }", {x, ints({4}, {3, 1, 4, 1})},
       "y = ReverseSequence: sequence 2 has length 4, and there are 3 steps"},
      {"(float[1, 1, 4, 4] x, float[N, 4] r, int64[N] i) => (y) { y = RoiAlign (x, r, i) }",
       {counted({1, 1, 4, 4}), floats({1, 4}, {0, 0, 2, 2}), ints({1}, {1})},
       "y = RoiAlign: region 0 is of batch 1, and there are 1", 16},
      {"(float[1, 1, 4, 4] x, float[N, 5] r) => (y) { y = MaxRoiPool <pooled_shape = [1, 1]> (x, r) }",
       {counted({1, 1, 4, 4}), floats({1, 5}, {-1, 0, 0, 2, 2})},
       "y = MaxRoiPool: region 0 is of batch -1.000000, and there are 1"},
      {"(float[N, 3] x, int64[N] t) => (y) { y = NegativeLogLikelihoodLoss (x, t) }",
       {counted({2, 3}), ints({2}, {0, 3})},
       "y = NegativeLogLikelihoodLoss: position 1 holds index 3, and axis 1 has 3 elements"},
      {"(float[N, 3] x, int64[N] t) => (y) { y = SoftmaxCrossEntropyLoss <ignore_index = 7> (x, t) }",
       {counted({2, 3}), ints({2}, {7, -1})},
       "y = SoftmaxCrossEntropyLoss: position 1 holds index -1, and axis 1 has 3 elements"},
      {"(float[N, 3] x, int64[K] i) => (y) { y = ai.onnx.ml.ArrayFeatureExtractor (x, i) }",
       {counted({2, 3}), ints({2}, {2, 3})},
       "y = ArrayFeatureExtractor: position 1 holds index 3, and axis 1 has 3 elements"},
      {"(int32[1, S] i, float[3, 4] w, float[5, 4] p, float[4] g, float[4] b) "
       "=> (y) { y = com.microsoft.EmbedLayerNormalization (i, \"\", w, p, \"\", g, b) }",
       {ints32({1, 2}, {0, 3}), x, counted({5, 4}), counted({4}), counted({4})},
       "y = EmbedLayerNormalization: position 1 holds index 3, and axis 0 has 3 elements"},
      {"(int32[1, S] i, float[3, 4] w, float[5, 4] p, float[4] g, float[4] b) "
       "=> (y) { y = com.microsoft.EmbedLayerNormalization (i, \"\", w, p, \"\", g, b) }",
       {ints32({1, 2}, {0, -1}), x, counted({5, 4}), counted({4}), counted({4})},
       "y = EmbedLayerNormalization: position 1 holds index -1, and axis 0 has 3 elements"},
      {"(uint8[3, 8] x, int64[N] i, float[3, 1] s) "
       "=> (y) { y = com.microsoft.GatherBlockQuantized <block_size = 16> (x, i, s) }",
       {bytes({3, 8}, std::vector<std::uint8_t>(24)), ints({2}, {2, -4}), counted({3, 1})},
       "y = GatherBlockQuantized: position 1 holds index -4, and axis 0 has 3 elements"},
      {"(float[1, S, 4] x, float[3, 2] c, float[3, 2] s, int64[1, S] p) "
       "=> (y) { y = RotaryEmbedding <num_heads = 1> (x, c, s, p) }",
       {counted({1, 2, 4}), counted({3, 2}), counted({3, 2}), ints({1, 2}, {0, 3})},
       "y = RotaryEmbedding: position 1 holds index 3, and axis 0 has 3 elements", 23},
  });
}

TEST(BadValues, CountsStepsAndAxesThatCannotBe) {
  const auto x = counted({3, 4});
  check("counts", {
      {"(float[3, 4] x, int64[1] k) => (y, i) { y, i = TopK (x, k) }", {x, ints({1}, {5})},
       "y = TopK: takes k of axis 1 of x, which is 4, and must take no more than there "
       "are, and the inputs miss it by 1"},
      {"(float[3, 4] x, int64[1] k) => (y, i) { y, i = TopK (x, k) }", {x, ints({1}, {-1})},
       "y = TopK: gives the length -1, which must lie between 0 and 2147483647"},
      {"(float[3, 4] x, int64[1] s, int64[1] e, int64[1] a, int64[1] t) => (y) { y = Slice (x, s, e, a, t) }",
       {x, ints({1}, {0}), ints({1}, {2}), ints({1}, {0}), ints({1}, {0})},
       "y = Slice: the step t must not be 0, and the inputs miss it by 1"},
      {"(float[3, 4] x, int64[1] s, int64[1] e, int64[1] a, int64[1] t) => (y) { y = Slice (x, s, e, a, t) }",
       {x, ints({1}, {0}), ints({1}, {2}), ints({1}, {2}), ints({1}, {1})},
       "y = Slice: axis from_end(a, 2) must be one of 2, and the inputs miss it by 1"},
      {"(float[3, 4] x, int64[2] s, int64[2] e, int64[2] a) => (y) { y = Slice (x, s, e, a) }",
       {x, ints({2}, {0, 0}), ints({2}, {1, 1}), ints({2}, {1, -1})},
       "y = Slice: axis from_end(a_1, 2) must not be listed twice, and the inputs miss it by 1"},
      {"(int64 a, int64 b, int64 c) => (y) { y = Range (a, b, c) }", {ints({}, {0}), ints({}, {9}), ints({}, {0})},
       "y = Range: the step c must not be 0, and the inputs miss it by 1"},
      {"(float a, float b, float c) => (y) { y = Range (a, b, c) }",
       {floats({}, {0}), floats({}, {9}), floats({}, {0})},
       "y = Range: the step c must not be 0, and the inputs miss it by 1"},
      {"(float[3, 4] x, int64[2] s) => (y) { y = Reshape (x, s) }", {x, ints({2}, {5, 2})},
       "y = Reshape: 12 elements are given the shape [s_0, s_1], which does not hold them, and the "
       "inputs miss it by 2"},
      {"(float[3, 4] x, int64[2] s) => (y) { y = Reshape (x, s) }", {x, ints({2}, {-1, 5})},
       "y = Reshape: 12 elements are given the shape [s_0, s_1], which does not hold them, and the "
       "inputs miss it by 2"},
      {"(float[3, 4] x, int64[2] s) => (y) { y = Reshape (x, s) }", {x, ints({2}, {-1, -1})},
       "y = Reshape: the shape must leave one axis open at most, and the inputs miss it by 1"},
      {"(float[3, 4] x, int64[2] s) => (y) { y = Reshape (x, s) }", {x, ints({2}, {most, most})},
       "y = Reshape: gives the length 9223372036854775807, which must lie between -1 and 2147483647"},
      {"(float[N, 4] x, int64[2] s) => (y) { y = Reshape (x, s) }", {counted({0, 4}), ints({2}, {0, -1})},
       "y = Reshape: the shape must leave no axis open beside others that hold nothing, and the inputs miss it by 1"},
      {"(float[N, 4] x, int64[2] s) "
       "=> (y) { y = Reshape <allowzero = 1> (x, s) }", {counted({0, 4}), ints({2}, {0, -1})},
       "y = Reshape: the shape must leave no axis open beside others that hold nothing, and the inputs miss it by 1"},
      {"(float[3, 4] x, int64[2] s) => (y) { y = Expand (x, s) }", {x, ints({2}, {3, 5})},
       "y = Expand: axis 1 of x is 4 and is expanded to s_1, which must be 1 or that, and the inputs miss it by 1"},
      {"(float[3, 4] x, int64[2] s) => (y) { y = Tile (x, s) }", {x, ints({2}, {1, -1})},
       "y = Tile: gives the length -1, which must lie between 0 and 2147483647"},
      {"(int64[2] s) => (y) { y = ConstantOfShape (s) }", {ints({2}, {3, -1})},
       "y = ConstantOfShape: gives the length -1, which must lie between 0 and 2147483647"},
      {"(int64[2] s) => (y) { y = ConstantOfShape (s) }", {ints({2}, {most, most})},
       "y = ConstantOfShape: gives the length 9223372036854775807, which must lie between 0 and 2147483647"},
      {"(float[3, 4] x, int64[2] s) => (y, z) { y, z = Split <axis = 1> (x, s) }", {x, ints({2}, {5, -1})},
       "y = Split: gives the length -1, which must lie between 0 and 2147483647", 13},
      {"(float[3, 4] x, int64[2] s) => (y, z) { y, z = Split <axis = 1> (x, s) }", {x, ints({2}, {1, 2})},
       "y = Split: axis 1 of x is 4 and is split into [s_0, s_1], and the inputs miss it by 1", 13},
      {"(float[3, 4] x, int64[4] p) => (y) { y = Pad (x, p) }", {x, ints({4}, {0, -5, 0, 0})},
       "y = Pad: axis 1 of x is 4 and is padded by p_1 and p_3, which must leave no less than "
       "nothing, and the inputs miss it by 1"},
      {"(float[3, 4] x, int64[1] a) => (y) { y = ReduceSum (x, a) }", {x, ints({1}, {2})},
       "y = ReduceSum: a names axis a of 2, and the inputs miss it by 1"},
      {"(float[3, 4] x, int64 a) => (y) { y = CumSum (x, a) }", {x, ints({}, {-3})},
       "y = CumSum: axis from_end(a, 2) must be one of 2, and the inputs miss it by 1"},
      {"(float[3, 4] x, int64[1] a) => (y) { y = Squeeze (x, a) }", {x, ints({1}, {0})},
       "y = Squeeze: the axes must be different, and those squeezed be 1, and the inputs miss it by 8"},
      {"(int64[N] x, int64 d, float[2] v) => (y) { y = OneHot (x, d, v) }",
       {ints({1}, {0}), ints({}, {-1}), floats({2}, {0, 1})},
       "y = OneHot: gives the length -1, which must lie between 0 and 2147483647"},
      {"(int64 n) => (y) { y = HannWindow (n) }", {ints({}, {-1})},
       "y = HannWindow: gives the length -1, which must lie between 0 and 2147483647"},
      {"(float[1, 16, 1] x, int64 h, float[4] w) => (y) { y = STFT (x, h, w) }",
       {counted({1, 16, 1}), ints({}, {0}), counted({4})},
       "y = STFT: the frames are h apart, which must not be 0, and the inputs miss it by 1"},
  });
}

// ---- What has an answer --------------------------------------------------------------------------------------------

// Dividing by 0 gives 0, and the remainder of it is 0; the least integer by -1 is itself, as it is negated.
template <class T>
void divide(const Modules& modules, DType type, const std::string& name) {
  constexpr T low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max(), minus = static_cast<T>(-1);
  const std::vector<T> a{7, low, high, 0, low, static_cast<T>(7), high}, b{0, 0, 0, 0, minus, minus, static_cast<T>(2)};
  const auto n = static_cast<std::int64_t>(a.size());
  const auto ran = modules.run(name, {host(type, {n}, a), host(type, {n}, b)});
  EXPECT_EQ(ran.error, "") << name;
  const bool is_signed = std::is_signed_v<T>;
  const T by_minus = is_signed ? static_cast<T>(-7) : T{0}, rest = is_signed ? T{0} : T{7};
  EXPECT_EQ(ran.template get<T>("q"), (std::vector<T>{0, 0, 0, 0, low, by_minus, static_cast<T>(high / 2)})) << name;
  EXPECT_EQ(ran.template get<T>("m"), (std::vector<T>{0, 0, 0, 0, 0, rest, 1})) << name;
  EXPECT_EQ(ran.template get<T>("f"), (std::vector<T>{0, 0, 0, 0, 0, rest, 1})) << name;
}

TEST(BadValues, IntegersDivideByZeroWithoutATrap) {
  std::vector<std::unique_ptr<Build>> builds;
  std::vector<const Build*> all;
  for (const char* type : {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"}) {
    const std::string t(type);
    builds.push_back(std::make_unique<Build>(
        Build::of_text("divide_" + t, "(" + t + "[N] a, " + t + "[N] b) => (q, m, f) "
                                      "{ q = Div (a, b) m = Mod (a, b) f = Mod <fmod = 1> (a, b) }")));
    all.push_back(builds.back().get());
  }
  const Modules modules(all);
  ASSERT_TRUE(modules);
  divide<std::int8_t>(modules, DType::int8, "divide_int8");
  divide<std::int16_t>(modules, DType::int16, "divide_int16");
  divide<std::int32_t>(modules, DType::int32, "divide_int32");
  divide<std::int64_t>(modules, DType::int64, "divide_int64");
  divide<std::uint8_t>(modules, DType::uint8, "divide_uint8");
  divide<std::uint16_t>(modules, DType::uint16, "divide_uint16");
  divide<std::uint32_t>(modules, DType::uint32, "divide_uint32");
  divide<std::uint64_t>(modules, DType::uint64, "divide_uint64");
}

// A NaN is what comes out where numpy carries it, stands first to TopK as the greatest, and overlaps no box.
TEST(BadValues, NoNumbers) {
  const float nan = std::nanf("");
  const Build order = Build::of_text(
      "no_number_order",
      "(float[4] x, float[4] z, int64[1] k) => (amax, amin, big, bi, small, si, max, min, rmax, rmin, clip, relu, "
      "sign, less, equal, floor, soft) {"
      " amax = ArgMax (x) amin = ArgMin (x) big, bi = TopK (x, k) small, si = TopK <largest = 0> (x, k)"
      " max = Max (x, z) min = Min (x, z) rmax = ReduceMax <keepdims = 0> (x) rmin = ReduceMin <keepdims = 0> (x)"
      " one = Constant <value_float = 1.0> () clip = Clip (x, one) relu = Relu (x) sign = Sign (x)"
      " less = Less (x, z) equal = Equal (x, x) floor = Floor (x) soft = Softmax (x) }");
  const Build boxes = Build::of_text("no_number_boxes",
                                     "(float[1, 3, 4] b, float[1, 1, 3] s) => (y) { n = Constant <value_int = 3> ()"
                                     " y = NonMaxSuppression (b, s, n) }");
  const Build casts = Build::of_text("no_number_casts",
                                     "(float[5] x) => (i, s, u, b) { i = Cast <to = 6> (x) s = Cast <to = 3> (x)"
                                     " u = Cast <to = 2> (x) b = Cast <to = 9> (x) }");
  const Modules modules({&order, &boxes, &casts});
  ASSERT_TRUE(modules);
  const auto ran = modules.run(
      "no_number_order", {floats({4}, {1, nan, 3, nan}), floats({4}, {2, 2, nan, nan}), ints({1}, {2})});
  EXPECT_EQ(ran.error, "");
  // numpy's argmax and argmin: the first NaN.
  EXPECT_EQ(ran.get<std::int64_t>("amax"), Integers{1});
  EXPECT_EQ(ran.get<std::int64_t>("amin"), Integers{1});
  EXPECT_EQ(ran.get<std::int64_t>("bi"), (Integers{1, 3}));
  EXPECT_EQ(ran.get<std::int64_t>("si"), (Integers{0, 2}));
  const auto text = [&](const char* name) {
    std::string out;
    for (const float v : ran.get<float>(name))
      out += (out.empty() ? "" : " ") + (std::isnan(v) ? "nan" : std::to_string(v).substr(0, 3));
    return out;
  };
  EXPECT_EQ(text("max"), "2.0 nan nan nan");
  EXPECT_EQ(text("min"), "1.0 nan nan nan");
  EXPECT_EQ(text("rmax"), "nan");
  EXPECT_EQ(text("rmin"), "nan");
  EXPECT_EQ(text("clip"), "1.0 nan 3.0 nan");
  EXPECT_EQ(text("relu"), "1.0 nan 3.0 nan");
  EXPECT_EQ(text("sign"), "1.0 nan 1.0 nan");
  EXPECT_EQ(text("floor"), "1.0 nan 3.0 nan");
  EXPECT_EQ(text("soft"), "nan nan nan nan");
  EXPECT_EQ(ran.get<std::uint8_t>("less"), (std::vector<std::uint8_t>{1, 0, 0, 0}));
  EXPECT_EQ(ran.get<std::uint8_t>("equal"), (std::vector<std::uint8_t>{1, 0, 1, 0}));

  const auto kept = modules.run("no_number_boxes", {floats({1, 3, 4}, {0, 0, 1, 1, 0, 0, nan, 1, 0, 0, 1, 1}),
                                                    floats({1, 1, 3}, {nan, 0.5f, 0.25f})});
  EXPECT_EQ(kept.error, "");
  EXPECT_EQ(kept.get<std::int64_t>("y"), (Integers{0, 0, 1, 0, 0, 2}));  // a score that is no number comes last
  const auto cast = modules.run("no_number_casts", {floats({5}, {nan, INFINITY, -INFINITY, 300, -1})});
  EXPECT_EQ(cast.error, "");
  // Of what the type holds, onnxruntime's answers; of the others, which ONNX leaves open, the type's nearest end.
  constexpr std::int32_t low = std::numeric_limits<std::int32_t>::min(), high = std::numeric_limits<std::int32_t>::max();
  EXPECT_EQ(cast.get<std::int32_t>("i"), (std::vector<std::int32_t>{0, high, low, 300, -1}));
  EXPECT_EQ(cast.get<std::int8_t>("s"), (std::vector<std::int8_t>{0, 127, -128, 127, -1}));
  EXPECT_EQ(cast.get<std::uint8_t>("u"), (std::vector<std::uint8_t>{0, 255, 0, 255, 0}));
  EXPECT_EQ(cast.get<std::uint8_t>("b"), (std::vector<std::uint8_t>{1, 1, 1, 1, 1}));
}

}  // namespace
}  // namespace loam::test
