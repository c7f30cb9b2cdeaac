// ai.onnx.ml over numbers, the operators of old models, and LinearAttention.
#include <gtest/gtest.h>

#include "tests/operators/nn_graph.hpp"

namespace loam::nn {
namespace {

constexpr const char* ml = "ai.onnx.ml";
Attribute floats(std::string name, std::vector<float> values) { return attribute(std::move(name), std::move(values)); }

TEST(Ml, ScalesAndBinarizes) {
  Graph g;
  g.input("X", shape("N", 3)).node("Scaler", {"X"}, {"A"}, {floats("offset", {1, 2, 3}), floats("scale", {0.5f})}, ml);
  g.node("Binarizer", {"X"}, {"B"}, {number("threshold", 1)}, ml)
      .node("Normalizer", {"X"}, {"C"}, {text("norm", "L2")}, ml);
  EXPECT_EQ(g.errors(), "");
  EXPECT_EQ(g.type("A"), "float32[N, 3]");
  EXPECT_NE(g.lowered().find("A = map((x0 - x1) * 0.5f, X, A_constant)\n"), std::string::npos) << g.lowered();
  Graph h;
  h.input("X", shape("N", 3)).node("Scaler", {"X"}, {"A"}, {floats("offset", {1, 2})}, ml);
  EXPECT_EQ(h.errors(), "A = Scaler: offset holds 2 numbers, and there are 3 features [extent-mismatch]\n");
}

TEST(Ml, EncodesLabels) {
  Graph g;
  g.input("X", shape("N"), DType::int64);
  g.node("LabelEncoder", {"X"}, {"Y"},
         {ints("keys_int64s", {1, 2}), floats("values_floats", {0.5f, 1.5f}), number("default_float", -1)}, ml);
  EXPECT_EQ(g.lowered(), "Y = lookup(std::array<std::int64_t, 2>{std::int64_t{1}, std::int64_t{2}}, "
                         "std::array<float, 2>{0.5f, 1.5f}, -1.0f, X)\n");
  Graph h;
  h.input("X", shape("N"), DType::int64)
      .node("LabelEncoder", {"X"}, {"Y"}, {ints("keys_int64s", {1, 2}), ints("values_int64s", {5})}, ml);
  EXPECT_EQ(h.errors(), "Y = LabelEncoder: gives 2 keys and 1 values [bad-attribute]\n");
}

TEST(Ml, ModelsLinearly) {
  Graph g;
  g.input("X", shape("N", 2))
      .node("LinearRegressor", {"X"}, {"A"},
            {integer("targets", 3), floats("coefficients", {1, 2, 3, 4, 5, 6}), floats("intercepts", {1, 2, 3})}, ml);
  g.node("LinearClassifier", {"X"}, {"L", "S"},
         {ints("classlabels_ints", {7, 9}), floats("coefficients", {1, 2}), floats("intercepts", {1}),
          text("post_transform", "LOGISTIC")},
         ml);
  EXPECT_EQ(g.errors(), "");
  EXPECT_EQ(g.type("A"), "float32[N, 3]");
  EXPECT_EQ(g.type("L"), "int64[N]");
  EXPECT_EQ(g.type("S"), "float32[N, 2]");
}

TEST(Ml, ListsTrees) {
  const auto values = [](std::string name, DType type, auto list) {
    std::vector<std::byte> bytes(list.size() * sizeof list[0]);
    std::memcpy(bytes.data(), list.data(), bytes.size());
    const auto n = static_cast<std::int64_t>(list.size());
    return attribute(name, TensorData{name, type, {n}, Bytes::own(std::move(bytes)), {}});
  };
  // x[1] <= 0.5 ? (x[0] in {3} ? leaf 0 : leaf 1) : leaf 2
  const auto trees = [&](std::int64_t second, std::int64_t transform) {
    Graph g;
    g.input("X", shape("N", "F"));
    g.node("TreeEnsemble", {"X"}, {"Y"},
           {ints("tree_roots", {0}), ints("nodes_featureids", {1, 0}), integer("n_targets", 2),
            values("nodes_modes", DType::uint8, std::vector<std::uint8_t>{0, 6}),
            values("nodes_splits", DType::float32, std::vector<float>{0.5f, 0}), ints("nodes_truenodeids", {second, 0}),
            ints("nodes_trueleafs", {0, 1}), ints("nodes_falsenodeids", {2, 1}), ints("nodes_falseleafs", {1, 1}),
            values("membership_values", DType::float32, std::vector<float>{3}), ints("leaf_targetids", {0, 1, 1}),
            values("leaf_weights", DType::float32, std::vector<float>{1, 2, 4}), integer("post_transform", transform)},
           ml);
    return g;
  };
  Graph g = trees(1, 2);
  EXPECT_EQ(g.errors(), "");
  EXPECT_EQ(g.type("Y"), "float32[N, 2]");
  EXPECT_EQ(g.owed(), "F - 2 >= 0: X has F features, and a node reads feature 1\n");
  EXPECT_EQ(g.lowered(),
            "Y_sums = tree_ensemble(loam::TreeGives::sum, X, Y_constant, Y_constant, Y_constant, Y_constant, "
            "Y_constant, Y_constant, Y_constant)\n"
            "Y = map(loam::fn::sigmoid(x0), Y_sums)\n");
  EXPECT_EQ(trees(0, 0).errors(), "Y = TreeEnsemble: node 0 goes to node 0, which is none or has another way to it "
                                  "[bad-attribute]\n");
  EXPECT_EQ(trees(1, 3).errors() + trees(1, 4).errors(), "");
  EXPECT_EQ(trees(1, 5).errors(), "Y = TreeEnsemble: has aggregate_function 1 and post_transform 5, and they go to 3 and "
                                  "4 [bad-attribute]\n");
}

TEST(Ml, RefusesFeaturesThatDoNotFit) {
  Graph g;
  g.input("X", shape("N", 3)).node("Imputer", {"X"}, {"Y"}, {floats("imputed_value_floats", {1, 2})}, ml);
  EXPECT_EQ(g.errors(), "Y = Imputer: gives 2 imputed values, and there are 3 features [extent-mismatch]\n");
  Graph h;
  h.input("X", shape("N", 3)).node("FeatureVectorizer", {"X"}, {"Y"}, {ints("inputdimensions", {2})}, ml);
  EXPECT_EQ(h.errors(),
            "Y = FeatureVectorizer: inputdimensions says 2, and X has 3 columns [extent-mismatch]\n");
}

Attribute words(std::string name, std::vector<std::string> values) {
  return attribute(std::move(name), std::move(values));
}
// An attribute in place of another of its name, or beside the rest.
Attributes with(Attributes all, Attribute changed) {
  std::erase_if(all, [&](const Attribute& a) { return a.name == changed.name; });
  all.push_back(std::move(changed));
  return all;
}

TEST(Ml, MapsCategories) {
  const auto mapped = [](DType type, std::vector<std::int64_t> integers) {
    Graph g;
    g.input("X", shape("N"), type);
    g.node("CategoryMapper", {"X"}, {"Y"}, {words("cats_strings", {"b", "a"}), ints("cats_int64s", std::move(integers))}, ml);
    return g;
  };
  Graph g = mapped(DType::string, {5, 7}), h = mapped(DType::int64, {7, 7});
  EXPECT_EQ(g.type("Y"), "int64[N]");
  EXPECT_EQ(g.lowered(), "Y = lookup(std::array<std::string_view, 2>{std::string_view(\"a\", 1), std::string_view(\"b\", 1)}, "
                         "std::array<std::int64_t, 2>{std::int64_t{7}, std::int64_t{5}}, std::int64_t{-1}, X)\n");
  EXPECT_EQ(h.type("Y"), "string[N]");
  EXPECT_EQ(h.lowered(), "Y = lookup(std::array<std::int64_t, 1>{std::int64_t{7}}, "
                         "std::array<std::string_view, 1>{std::string_view(\"a\", 1)}, std::string_view(\"_Unused\", 7), X)\n");
  EXPECT_EQ(mapped(DType::string, {5}).errors(), "Y = CategoryMapper: gives 2 cats_strings and 1 cats_int64s [bad-attribute]\n");
}

TEST(Ml, EncodesOneHot) {
  const auto encoded = [](DType type, Attributes attributes) {
    Graph g;
    g.input("X", shape("N", 2), type).node("OneHotEncoder", {"X"}, {"Y"}, std::move(attributes), ml);
    return g;
  };
  Graph g = encoded(DType::string, {words("cats_strings", {"b", "a", "c"}), integer("zeros", 0)});
  EXPECT_EQ(g.type("Y"), "float32[N, 2, 3]");
  EXPECT_EQ(g.lowered(),
            "Y_place = lookup(std::array<std::string_view, 3>{std::string_view(\"a\", 1), std::string_view(\"b\", 1), "
            "std::string_view(\"c\", 1)}, std::array<std::int64_t, 3>{std::int64_t{1}, std::int64_t{0}, std::int64_t{2}}, "
            "X)\n"
            "units(Y_place)\n"
            "Y = map(loam::fn::cast<float>(loam::fn::equal(x0, x1)), Y, coordinate 2)\n");
  EXPECT_EQ(encoded(DType::float32, {ints("cats_int64s", {1, 2})}).errors(), "");
  EXPECT_EQ(encoded(DType::float32, {words("cats_strings", {"a"})}).errors(),
            "Y = OneHotEncoder: X is float32, and the operator takes string [element-type]\n");
  EXPECT_EQ(encoded(DType::int64, {words("cats_strings", {"a"}), ints("cats_int64s", {1, 2})}).errors(),
            "Y = OneHotEncoder: gives 2 cats_int64s and 1 cats_strings, and takes categories of one kind [bad-attribute]\n");
}

TEST(Ml, ZipMapsRowsAreTheTensorItIsGiven) {
  Graph g;
  g.input("X", shape("N", 2)).node("ZipMap", {"X"}, {"Y"}, {words("classlabels_strings", {"a", "b"})}, ml);
  EXPECT_EQ(g.type("Y"), "float32[N, 2]");
  EXPECT_EQ(g.lowered(), "");
  Graph h;
  h.input("X", shape("N", 3)).node("ZipMap", {"X"}, {"Y"}, {ints("classlabels_int64s", {1, 2})}, ml);
  EXPECT_EQ(h.errors(), "Y = ZipMap: gives 2 labels, and X has 3 columns [extent-mismatch]\n");
  Graph none;
  none.input("X", shape("N", 3)).node("ZipMap", {"X"}, {"Y"}, {}, ml);
  EXPECT_EQ(none.errors(), "Y = ZipMap: gives 0 classlabels_int64s and 0 classlabels_strings, and takes labels of one kind "
                           "[bad-attribute]\n");
}

// Three support vectors of two features.
const Attributes regressor{text("kernel_type", "RBF"), floats("kernel_params", {0.5f, 0, 0}), integer("n_supports", 3),
                           floats("support_vectors", {1, 2, 3, 4, 5, 6}), floats("coefficients", {1, -1, 2}),
                           floats("rho", {0.5f})};

Graph regressed(Attributes attributes) {
  Graph g;
  g.input("X", shape("N", 2)).node("SVMRegressor", {"X"}, {"Y"}, std::move(attributes), ml);
  return g;
}

TEST(Svm, RegressesByAKernelOfEachSupportVector) {
  Graph g = regressed(regressor);
  EXPECT_EQ(g.type("Y"), "float32[N, 1]");
  const std::string distances = "Y_distance = squared_distance(X, Y_constant)\n"
                                "Y_kernel = map(loam::fn::exp((x0 * -0.5f)), Y_distance)\n"
                                "Y_product = matmul(Y_kernel, Y_constant)\n";
  EXPECT_EQ(g.lowered(), distances + "Y_scores = map(x0 + 0.5f, Y_product)\nY = map(x0, Y_scores)\n");
  EXPECT_EQ(regressed(with(regressor, integer("one_class", 1))).lowered(),
            distances + "Y = map(loam::fn::where(loam::fn::greater((x0 + 0.5f), 0.0f), 1.0f, -1.0f), Y_product)\n");
  const Attributes poly = with(with(regressor, text("kernel_type", "POLY")), floats("kernel_params", {0.5f, 1, 2}));
  EXPECT_EQ(regressed(poly).lowered(), "Y_product = matmul(X, Y_constant)\n"
                                       "Y_kernel = map(loam::fn::pow(((x0 * 0.5f) + 1.0f), 2.0f), Y_product)\n"
                                       "Y_product = matmul(Y_kernel, Y_constant)\n"
                                       "Y_scores = map(x0 + 0.5f, Y_product)\nY = map(x0, Y_scores)\n");
  EXPECT_EQ(regressed({floats("coefficients", {1, 2}), floats("rho", {0.5f})}).lowered(),
            "Y_product = matmul(X, Y_constant)\nY_scores = map(x0 + 0.5f, Y_product)\nY = map(x0, Y_scores)\n");
}

TEST(Svm, RefusesARegressorThatDoesNotFit) {
  const auto refused = [](Attribute changed) {
    const std::string errors = regressed(with(regressor, std::move(changed))).errors(), site = "Y = SVMRegressor: ";
    return errors.starts_with(site) ? errors.substr(site.size()) : errors;
  };
  EXPECT_EQ(refused(text("kernel_type", "COSINE")),
            "kernel_type is COSINE, and the operator takes LINEAR, POLY, RBF, SIGMOID [bad-attribute]\n");
  EXPECT_EQ(refused(floats("kernel_params", {1})),
            "kernel_params holds 1 numbers, and they are gamma, coef0 and degree [bad-attribute]\n");
  EXPECT_EQ(refused(floats("support_vectors", {1, 2, 3, 4})),
            "support_vectors holds 4 numbers, which are no 3 rows [bad-attribute]\n");
  EXPECT_EQ(refused(floats("support_vectors", {1, 2, 3})),
            "support_vectors holds rows of 1, and X has 2 features [extent-mismatch]\n");
  EXPECT_EQ(refused(integer("n_supports", -1)), "n_supports is -1 [bad-attribute]\n");
  EXPECT_EQ(refused(floats("coefficients", {1, 2})),
            "coefficients holds 2 numbers, and n_supports is 3 [bad-attribute]\n");
  EXPECT_EQ(refused(floats("rho", {})), "rho holds 0 numbers, and there is one score [bad-attribute]\n");
  EXPECT_EQ(regressed({floats("coefficients", {1, 2, 3}), floats("rho", {0.5f})}).errors(),
            "Y = SVMRegressor: coefficients holds rows of 3, and X has 2 features [extent-mismatch]\n");
  EXPECT_EQ(regressed(with(with(regressor, integer("one_class", 1)), text("post_transform", "SOFTMAX"))).errors(),
            "Y = SVMRegressor: has one_class, whose answer is 1 or -1, and a post_transform [operator-form]\n");
}

// Three classes of one, two and one support vectors.
const Attributes classifier{text("kernel_type", "SIGMOID"), floats("kernel_params", {0.5f, 1, 0}),
                            ints("vectors_per_class", {1, 2, 1}), floats("support_vectors", {1, 2, 3, 4, 5, 6, 7, 8}),
                            floats("coefficients", {1, -1, 2, -2, 3, -3, 4, -4}), floats("rho", {1, 2, 3}),
                            ints("classlabels_ints", {7, 8, 9})};

Graph classified(Attributes attributes) {
  Graph g;
  g.input("X", shape("N", 2)).node("SVMClassifier", {"X"}, {"L", "S"}, std::move(attributes), ml);
  return g;
}

TEST(Svm, ClassifiesByVotesOfPairs) {
  Graph g = classified(classifier);
  EXPECT_EQ(g.type("L"), "int64[N]");
  EXPECT_EQ(g.type("S"), "float32[N, 3]");
  EXPECT_EQ(g.lowered(), "L_product = matmul(X, L_constant)\n"
                         "L_kernel = map(loam::fn::tanh(((x0 * 0.5f) + 1.0f)), L_product)\n"
                         "L_pairs = pair_scores(L_kernel, L_constant, L_constant, L_constant)\n"
                         "L_positive = map(loam::fn::cast<float>(loam::fn::greater(x0, 0.0f)), L_pairs)\n"
                         "L_product = matmul(L_positive, L_constant)\n"
                         "L_votes = map(x0 + x1, L_product, L_constant)\n"
                         "L_best = arg_reduce(loam::ArgMax{}, 1, false, L_votes)\n"
                         "L = gather(0, L_constant, L_best)\n"
                         "relabel(L_pairs)\n"
                         "S = map(x0, L)\n");
  const Attributes four = with(with(with(with(classifier, ints("vectors_per_class", {1, 2, 1, 0})),
                                         floats("coefficients", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})),
                                    floats("rho", {1, 2, 3, 4, 5, 6})),
                               words("classlabels_strings", {"a", "b", "c", "d"}));
  EXPECT_EQ(classified(with(four, ints("classlabels_ints", {}))).type("S"), "float32[N, 6]");
  EXPECT_EQ(classified(with(four, ints("classlabels_ints", {}))).type("L"), "string[N]");
}

TEST(Svm, CouplesProbabilities) {
  Graph g = classified(with(with(classifier, floats("prob_a", {1, 2, 3})), floats("prob_b", {4, 5, 6})));
  EXPECT_EQ(g.errors(), "");
  EXPECT_NE(g.lowered().find("couple_pairs("), std::string::npos) << g.lowered();
}

TEST(Svm, RefusesAClassifierThatDoesNotFit) {
  const auto errors = [](Attributes attributes) {
    const std::string text = classified(std::move(attributes)).errors(), site = "L = SVMClassifier: ";
    return text.starts_with(site) ? text.substr(site.size()) : text;
  };
  const auto refused = [&](Attribute changed) { return errors(with(classifier, std::move(changed))); };
  EXPECT_EQ(refused(ints("vectors_per_class", {1, 3})),
            "vectors_per_class counts those of 2 classes, and there are 3 [bad-attribute]\n");
  EXPECT_EQ(refused(ints("vectors_per_class", {1, 4, -1})),
            "vectors_per_class gives a class -1 vectors, and support_vectors holds 8 numbers [bad-attribute]\n");
  EXPECT_EQ(refused(ints("vectors_per_class", {4611686018427387904, 4611686018427387904, 4})),
            "vectors_per_class gives a class 4611686018427387904 vectors, and support_vectors holds 8 numbers "
            "[bad-attribute]\n");
  EXPECT_EQ(refused(ints("classlabels_ints", {7})),
            "has one class, and no kernel computes that form [operator-form]\n");
  EXPECT_EQ(refused(ints("classlabels_ints", {})), "gives 0 classlabels_ints and 0 classlabels_strings, and takes "
                                                   "labels of one kind [bad-attribute]\n");
  EXPECT_EQ(refused(floats("coefficients", {1, 2, 3, 4})),
            "coefficients holds 4 numbers, and the 4 vectors of 3 classes take 8 [bad-attribute]\n");
  EXPECT_EQ(refused(floats("rho", {1})), "rho holds 1 numbers, and 3 classes make 3 pairs [bad-attribute]\n");
  EXPECT_EQ(refused(floats("prob_a", {1, 2, 3})),
            "prob_b holds 0 numbers, and 3 classes make 3 pairs [bad-attribute]\n");
  const Attributes linear = with(with(with(classifier, ints("vectors_per_class", {})), floats("rho", {1})),
                                 floats("coefficients", {1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(errors(linear), "");
  EXPECT_EQ(errors(with(linear, floats("rho", {1, 2, 3}))),
            "rho holds 3 numbers, and a linear model's classes share one [bad-attribute]\n");
  EXPECT_EQ(errors(with(linear, floats("coefficients", {1, 2, 3, 4}))),
            "coefficients holds 4 numbers, which are no 3 rows [bad-attribute]\n");
  EXPECT_EQ(errors(with(linear, floats("prob_a", {1}))),
            "has prob_a or prob_b and no support vectors, and no kernel computes that form [operator-form]\n");
  const Attributes two = with(with(with(with(classifier, ints("vectors_per_class", {1, 3})),
                                        floats("coefficients", {1, 2, 3, 4})),
                                   floats("rho", {1})),
                              ints("classlabels_ints", {7, 8}));
  EXPECT_EQ(errors(two), "");
  EXPECT_EQ(errors(with(two, text("post_transform", "PROBIT"))),
            "ends with PROBIT, and tells two classes apart by one score [operator-form]\n");
}

TEST(TfIdfVectorizer, CountsStringsByTheirNumbers) {
  const auto ngrams = [](DType type, Attribute also) {
    Graph g;
    g.input("X", shape("N", "C"), type);
    g.node("TfIdfVectorizer", {"X"}, {"Y"},
           {integer("min_gram_length", 1), integer("max_gram_length", 2), integer("max_skip_count", 0),
            ints("ngram_counts", {0, 1}), ints("ngram_indexes", {0, 1}), words("pool_strings", {"b", "a", "b"}),
            text("mode", "TF"), std::move(also)});
    return g;
  };
  Graph g = ngrams(DType::string, floats("weights", {}));
  EXPECT_EQ(g.type("Y"), "float32[N, 2]");
  EXPECT_EQ(g.lowered(),
            "Y_token = lookup(std::array<std::string_view, 2>{std::string_view(\"a\", 1), std::string_view(\"b\", 1)}, "
            "std::array<std::int64_t, 2>{std::int64_t{0}, std::int64_t{1}}, std::int64_t{-1}, X)\n"
            "Y = count_ngrams(1, 0, Y_token, Y_constant, Y_constant, Y_constant)\n");
  EXPECT_EQ(ngrams(DType::int64, floats("weights", {})).errors(),
            "Y = TfIdfVectorizer: X is int64, and the operator takes string [element-type]\n");
  EXPECT_EQ(ngrams(DType::string, ints("pool_int64s", {1, 2, 3})).errors(),
            "Y = TfIdfVectorizer: gives pool_int64s and pool_strings, and takes one of them [bad-attribute]\n");
}

TEST(TfIdfVectorizer, CountsNgrams) {
  const auto ngrams = [](std::vector<std::int64_t> pool, std::string mode) {
    Graph g;
    g.input("X", shape("N", "C"), DType::int64);
    g.node("TfIdfVectorizer", {"X"}, {"Y"},
           {integer("min_gram_length", 2), integer("max_gram_length", 2), integer("max_skip_count", 1),
            ints("ngram_counts", {0, 1}), ints("ngram_indexes", {3, 1, 0}), ints("pool_int64s", std::move(pool)),
            floats("weights", {1, 2, 3}), text("mode", std::move(mode))});
    return g;
  };
  Graph g = ngrams({5, 2, 1, 1, 2}, "IDF");
  EXPECT_EQ(g.type("Y"), "float32[N, 4]");
  EXPECT_EQ(g.lowered(), "Y_counts = count_ngrams(2, 1, X, Y_constant, Y_constant, Y_constant)\n"
                         "Y = map(loam::fn::where(loam::fn::greater(x0, 0.0f), x1, 0.0f), Y_counts, Y_constant)\n");
  EXPECT_EQ(ngrams({5, 2, 1, 1, 2}, "TF").lowered(),
            "Y = count_ngrams(2, 1, X, Y_constant, Y_constant, Y_constant)\n");
  EXPECT_EQ(ngrams({5, 2, 1, 2, 1}, "TF").errors(),
            "Y = TfIdfVectorizer: the pool holds an n-gram of 2 tokens twice [bad-attribute]\n");
  EXPECT_EQ(ngrams({5, 2, 1, 1}, "TF").errors(),
            "Y = TfIdfVectorizer: the n-grams of 2 tokens are [1, 4) of a pool of 4 [bad-attribute]\n");
}

TEST(Ml, ExtractsFeatures) {
  Graph g;
  g.input("X", shape("N", 5))
      .input("I", shape(1, 2), DType::int64)
      .node("ArrayFeatureExtractor", {"X", "I"}, {"Y"}, {}, ml);
  EXPECT_EQ(g.type("Y"), "float32[N, 2]");
  EXPECT_NE(g.lowered().find("Y = gather(1, X, "), std::string::npos) << g.lowered();
  Graph one;
  one.input("X", shape("N", 5), DType::string).input("I", {}, DType::int64);
  one.node("ArrayFeatureExtractor", {"X", "I"}, {"Y"}, {}, ml);
  EXPECT_EQ(one.type("Y"), "string[N, 1]");
}

TEST(Legacy, CropsAndScales) {
  Graph g(8);
  g.input("X", shape("N", 3, "H", 20)).node("Crop", {"X"}, {"A"}, {ints("border", {1, 2, 3, 4})});
  g.node("ImageScaler", {"X"}, {"B"}, {number("scale", 2), floats("bias", {1, 2, 3})})
      .node("Affine", {"X"}, {"C"}, {number("alpha", 2), number("beta", 1)});
  EXPECT_EQ(g.errors(), "");
  EXPECT_EQ(g.type("A"), "float32[N, 3, H - 6, 16]");
  EXPECT_EQ(g.owed(), "H - 6 >= 0: axis H is H and must hold the border\n");
}

TEST(LinearAttention, IsOneKernel) {
  Graph g(27);
  g.input("Q", shape("B", "T", 24))
      .input("K", shape("B", "T", 12))
      .input("V", shape("B", "T", 10))
      .input("S", shape("B", 2, 6, 5));
  g.input("D", shape("B", "T", 2)).input("R", shape("B", "T", 1));
  g.node("LinearAttention", {"Q", "K", "V", "S", "D", "R"}, {"Y", "State"},
         {integer("q_num_heads", 4), integer("kv_num_heads", 2)});
  EXPECT_EQ(g.errors(), "");
  EXPECT_EQ(g.type("Y"), "float32[B, T, 20]");
  EXPECT_EQ(g.type("State"), "float32[B, 2, 6, 5]");
  Graph h(27);
  h.input("Q", shape("B", "T", 24)).input("K", shape("B", "T", 12)).input("V", shape("B", "T", 10));
  h.node("LinearAttention", {"Q", "K", "V"}, {"Y", "State"}, {integer("q_num_heads", 4), integer("kv_num_heads", 2)});
  EXPECT_EQ(h.errors(),
            "Y = LinearAttention: updates by gated_delta, which takes decay where it is gated and beta where it is a "
            "delta [operator-form]\n");
}

}  // namespace
}  // namespace loam::nn
