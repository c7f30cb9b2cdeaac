#include "compiler/emit/repeats.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace loam {
namespace {

// A statement begins at each line that a '|' begins; the last of them ends the statements.
std::string repeated(std::string marked) {
  std::vector<std::size_t> begins;
  for (std::size_t at = 0; (at = marked.find('|', at)) != std::string::npos; marked.erase(at, 1)) begins.push_back(at);
  Identifiers names;
  return with_repeats(marked, begins, names, [](std::string_view word) { return word.starts_with("Axis"); });
}

// One of three statements: x becomes y.
std::string layer(const std::string& number, const std::string& x, const std::string& y, const std::string& place = "at") {
  return "|\n  // node_" + number + "\n  const auto h_" + number + " = loam::make<float, A>(b, 0, " + place + ", {n});\n" +
         "  loam::matmul(b, h_" + number + ", " + x + ", weights.w" + number + "_packed);\n" +
         "|  const auto " + y + " = loam::make<float, A>(b, 0, at_2, {n});\n" +
         "|  loam::gather(b, loam::Site{\"" + y + " = Gather\"}, " + y + ", h_" + number + ");\n";
}

constexpr const char* begin = "  const std::int64_t n = x.extent(0);\n";
constexpr const char* end = "|  return Outputs{b.download(y_5)};\n";

std::string layers(const std::string& third) {
  return std::string(begin) + "  const auto x_in = b.upload(x);\n" + layer("1", "x_in", "y_1") + layer("2", "y_1", "y_2", "at + 4*n") + third +
         layer("4", "y_3", "y_4") + layer("5", "y_4", "y_5") + end;
}

TEST(Repeats, LayersThatDifferInValuesPlacesAndSitesAreWrittenOnce) {
  EXPECT_EQ(repeated(layers(layer("3", "y_2", "y_3"))), R"(  const std::int64_t n = x.extent(0);
  const auto x_in = b.upload(x);

  // 5 layers alike, but for what each is given.
  const auto layer = [&](std::int64_t place, const auto& x, const auto& w_packed, const char* site) __attribute__((noinline)) {
    // node_1
    const auto h_1 = loam::make<float, A>(b, 0, place, {n});
    loam::matmul(b, h_1, x, w_packed);
    const auto y_1 = loam::make<float, A>(b, 0, at_2, {n});
    loam::gather(b, loam::Site{site}, y_1, h_1);
    return y_1;
  };
  const auto y_1 = layer(at, x_in, weights.w1_packed, "y_1 = Gather");
  const auto y_2 = layer(at + 4*n, y_1, weights.w2_packed, "y_2 = Gather");
  const auto y_3 = layer(at, y_2, weights.w3_packed, "y_3 = Gather");
  const auto y_4 = layer(at, y_3, weights.w4_packed, "y_4 = Gather");
  const auto y_5 = layer(at, y_4, weights.w5_packed, "y_5 = Gather");
  return Outputs{b.download(y_5)};
)");
}

// What comes of a body in which the third layer is another.
std::string with_third(std::string_view from, std::string_view to) {
  std::string third = layer("3", "y_2", "y_3");
  third.replace(third.find(from), from.size(), to);
  return repeated(layers(third));
}

TEST(Repeats, WhatDiffersInMoreIsWrittenOut) {
  for (const auto& [from, to] : {std::pair("{n}", "{2*n}"), {"float", "double"}, {"matmul", "matmul_2"}, {"(b, 0", "(b, 1"}})
    EXPECT_EQ(with_third(from, to).find("layer"), std::string::npos) << to;  // two before it and two after save too little
}

TEST(Repeats, AValueThatOneLayerNamesElsewhereIsNoLayers) {
  // The third layer's last call reads the second's, where the others' read their own.
  EXPECT_EQ(with_third("y_3, h_3)", "y_3, h_2)").find("layer"), std::string::npos);
}

TEST(Repeats, AllThatIsUsedAfterALayerIsGivenBack) {
  std::string body = layers(layer("3", "y_2", "y_3"));
  body.replace(body.rfind("y_5)"), 4, "y_5), b.download(h_4)");
  const std::string text = repeated(body);
  EXPECT_NE(text.find("    return std::tuple(h_1, y_1);\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  const auto [h_4, y_4] = layer(at, y_3, weights.w4_packed, \"y_4 = Gather\");\n"), std::string::npos) << text;
}

TEST(Repeats, AxesThatDifferAreTypesOfTheLayer) {
  std::string body = layers(layer("3", "y_2", "y_3"));
  for (int at = 0, i = 1; i <= 5; ++i) {
    at = static_cast<int>(body.find("<float, A>", static_cast<std::size_t>(at)));
    body.replace(static_cast<std::size_t>(at), 10, "<float, Axis" + std::to_string(i) + ">");
    at = static_cast<int>(body.find("<float, A>", static_cast<std::size_t>(at))) + 1;  // y's stay
  }
  const std::string text = repeated(body);
  EXPECT_NE(text.find("[&]<class Axis1Of>(std::int64_t place"), std::string::npos) << text;
  EXPECT_NE(text.find("    const auto h_1 = loam::make<float, Axis1Of>(b, 0, place, {n});\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  const auto y_4 = layer.template operator()<Axis4>(at, y_3,"), std::string::npos) << text;
}

TEST(Repeats, ABodyWithoutStatementsStays) {
  EXPECT_EQ(repeated("  return Outputs{};\n"), "  return Outputs{};\n");
  EXPECT_EQ(repeated("|  return Outputs{};\n"), "  return Outputs{};\n");
}

}  // namespace
}  // namespace loam
