// The operators that move elements: Transpose, Slice, Concat, Split, Expand, Tile, Gather and its kin.
#include <gtest/gtest.h>

#include <limits>

#include "tests/operators/build_graph.hpp"

namespace loam::test {
namespace {

using Numbers = std::vector<std::int64_t>;
constexpr std::int64_t to_the_end = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t to_the_start = std::numeric_limits<std::int64_t>::min();

// ---- Transpose -----------------------------------------------------------------------------------------------------

TEST(Transpose, Forms) {
  const auto transpose = [](std::vector<Attribute> attributes) {
    const Typed t = GraphBuilder().input("x", "A B C").node("Transpose", {"x"}, {"y"}, std::move(attributes)).type();
    return t["y"] + t.errors();
  };
  EXPECT_EQ(transpose({}), "float32 [C, B, A]");
  EXPECT_EQ(transpose({attribute("perm", Numbers{0, 2, 1})}), "float32 [A, C, B]");
  EXPECT_EQ(transpose({attribute("perm", Numbers{0, 1})}), "y = Transpose: perm orders 2 axes, and x has 3");
  EXPECT_EQ(transpose({attribute("perm", Numbers{0, 1, 1})}),
            "y = Transpose: perm is no permutation: 1 is listed twice");
  EXPECT_EQ(transpose({attribute("perm", Numbers{0, 1, 3})}), "y = Transpose: perm is no permutation: 3 is none of the 3 axes of x");
}

TEST(Transpose, FoldsAndNames) {
  EXPECT_EQ(GraphBuilder().integers("x", {2, 3}, {1, 2, 3, 4, 5, 6}).node("Transpose", {"x"}, {"y"}).type().known("y"),
            "1, 4, 2, 5, 3, 6");
  const Typed t = GraphBuilder().input("x", "Batch Seq").node("Transpose", {"x"}, {"y"}).type();
  EXPECT_EQ(t.axes("y"), "Seq, Batch");
  EXPECT_EQ(t.steps(), "transpose");
  EXPECT_EQ(GraphBuilder().input("x", "2").node("Transpose", {"x"}, {"y"}).type().steps(), "");
}

// ---- Slice ---------------------------------------------------------------------------------------------------------

Typed slice(std::string_view from, const Numbers& starts, const Numbers& ends, const Numbers& axes = {},
            const Numbers& steps = {}) {
  GraphBuilder g;
  g.input("x", from).integers("s", starts).integers("e", ends);
  std::vector<std::string> inputs{"x", "s", "e"};
  if (!axes.empty() || !steps.empty()) inputs.emplace_back(axes.empty() ? "" : "a");
  if (!axes.empty()) g.integers("a", axes);
  if (!steps.empty()) {
    g.integers("t", steps);
    inputs.emplace_back("t");
  }
  return g.node("Slice", inputs, {"y"}).type();
}

TEST(Slice, Static) {
  EXPECT_EQ(slice("8 4", {1}, {5})["y"], "float32 [4, 4]");
  EXPECT_EQ(slice("8 4", {-3}, {to_the_end})["y"], "float32 [3, 4]");
  EXPECT_EQ(slice("8 4", {0}, {-1}, {1})["y"], "float32 [8, 3]");
  EXPECT_EQ(slice("8 4", {0}, {100}, {-1})["y"], "float32 [8, 4]");
  EXPECT_EQ(slice("8 4", {5}, {2})["y"], "float32 [0, 4]");
  EXPECT_EQ(slice("8 4", {0}, {8}, {0}, {3})["y"], "float32 [3, 4]");
  EXPECT_EQ(slice("8 4", {-1}, {to_the_start}, {0}, {-1})["y"], "float32 [8, 4]");
  EXPECT_EQ(slice("8 4", {6}, {1}, {0}, {-2})["y"], "float32 [3, 4]");
  EXPECT_EQ(slice("8 4", {1, 0}, {3, 2})["y"], "float32 [2, 2]");
  EXPECT_EQ(slice("0 4", {-1}, {to_the_start}, {0}, {-1})["y"], "float32 [0, 4]");
}

TEST(Slice, AWholeAxisIsKept) {
  EXPECT_EQ(slice("Seq 4", {0}, {to_the_end}).axes("y"), "Seq, D4");
  EXPECT_EQ(slice("Seq 4", {0}, {to_the_end}).steps(), "");
  EXPECT_EQ(slice("Seq 4", {0}, {2}, {1}).axes("y"), "Seq, D2");
  EXPECT_EQ(slice("Seq 4", {0}, {2}, {1}).steps(), "slice");
}

TEST(Slice, Symbolic) {
  EXPECT_EQ(slice("N", {1}, {to_the_end})["y"], "float32 [max(N - 1, 0)]");
  EXPECT_EQ(slice("N", {0}, {8})["y"], "float32 [min(N, 8)]");
  EXPECT_EQ(slice("N", {-1}, {to_the_end})["y"], "float32 [min(N, 1)]");
  EXPECT_EQ(slice("N", {0}, {-1})["y"], "float32 [max(N - 1, 0)]");
  EXPECT_EQ(slice("N", {0}, {to_the_end}, {0}, {2})["y"], "float32 [ceil(N / 2)]");
  EXPECT_EQ(slice("N", {-1}, {to_the_start}, {0}, {-1})["y"], "float32 [N]");
  EXPECT_EQ(slice("N", {0}, {8}).owed(), "");
}

TEST(Slice, ToALength) {
  // GPT-2's causal mask: [1024] to seq.
  const Typed t = GraphBuilder()
                      .input("m", "1024")
                      .input("x", "seq")
                      .integers("zero", {0})
                      .node("Shape", {"x"}, {"end"})
                      .node("Slice", {"m", "zero", "end"}, {"y"})
                      .type();
  EXPECT_EQ(t["y"], "float32 [min(seq, 1024)]");
}

TEST(Slice, FromALengthToIt) {
  // keys - queries .. keys of a buffer.
  const Typed t = GraphBuilder()
                      .input("m", "1024")
                      .input("q", "seq")
                      .input("k", "past+seq")
                      .node("Shape", {"q"}, {"nq"})
                      .node("Shape", {"k"}, {"nk"})
                      .node("Sub", {"nk", "nq"}, {"start"})
                      .node("Slice", {"m", "start", "nk"}, {"y"})
                      .node("Add", {"y", "q"}, {"z"})
                      .type();
  EXPECT_EQ(t.errors(), "");
  EXPECT_EQ(t["y"], "float32 [max(min(seq, -past + 1024), 0)]");
  EXPECT_EQ(t.owed(), "min(seq, -past + 1024)\n-seq - past + 1024");
}

TEST(Slice, BoundsTheRunComputes) {
  const Typed t = GraphBuilder()
                      .input("x", "8 4")
                      .input("s", "1", DType::int64)
                      .integers("e", {to_the_end})
                      .node("Slice", {"x", "s", "e"}, {"y"})
                      .type();
  EXPECT_EQ(t.errors(), "");
  EXPECT_EQ(t.steps(), "map bind slice");
}

TEST(Slice, Folds) {
  const auto folded = [](const Numbers& starts, const Numbers& ends, const Numbers& steps) {
    return GraphBuilder()
        .integers("x", {1, 2, 3, 4, 5})
        .integers("s", starts)
        .integers("e", ends)
        .integers("t", steps)
        .node("Slice", {"x", "s", "e", "", "t"}, {"y"})
        .type()
        .known("y");
  };
  EXPECT_EQ(folded({1}, {3}, {1}), "2, 3");
  EXPECT_EQ(folded({-1}, {to_the_start}, {-2}), "5, 3, 1");
  EXPECT_EQ(folded({3}, {3}, {1}), "");
}

TEST(Slice, Old) {
  const auto old = [](std::vector<Attribute> attributes) {
    const Typed t = GraphBuilder(9).input("x", "8 4").node("Slice", {"x"}, {"y"}, std::move(attributes)).type();
    return t["y"] + t.errors();
  };
  EXPECT_EQ(old({attribute("starts", Numbers{0, 1}), attribute("ends", Numbers{2, -1})}), "float32 [2, 2]");
  EXPECT_EQ(old({attribute("starts", Numbers{1}), attribute("ends", Numbers{3}), attribute("axes", Numbers{1})}),
            "float32 [8, 2]");
  EXPECT_EQ(old({attribute("starts", Numbers{1})}), "y = Slice: attribute ends is absent, and the operator needs it");
}

TEST(Slice, Errors) {
  EXPECT_EQ(slice("8", {0}, {4}, {0}, {0}).errors(), "y = Slice: steps by 0");
  EXPECT_EQ(slice("8", {0, 0}, {4}).errors(),
            "y = Slice: starts, ends, axes and steps do not pair up: they are 2, 1, 2 and 2");
  EXPECT_EQ(slice("8 4", {0, 0}, {4, 4}, {1, -1}).errors(), "y = Slice: axis -1 is listed twice");
  EXPECT_EQ(slice("8 4", {0}, {4}, {2}).errors(), "y = Slice: axis 2 of a tensor of 2 axes");
}

// ---- Concat --------------------------------------------------------------------------------------------------------

TEST(Concat, JoinsAndEquates) {
  const Typed t = GraphBuilder()
                      .input("a", "N P 4")
                      .input("b", "N S 4")
                      .node("Concat", {"a", "b"}, {"y"}, {attribute("axis", 1)})
                      .type();
  EXPECT_EQ(t["y"], "float32 [N, P + S, 4]");
  EXPECT_EQ(t.axes("y"), "N, PPlusS, D4");
  EXPECT_EQ(t.steps(), "slice map slice map");
}

TEST(Concat, AnEmptyOperandContributesNothing) {
  Typed t = GraphBuilder()
                .input("a", "0 4")
                .input("b", "S 4")
                .node("Concat", {"a", "b"}, {"y"}, {attribute("axis", 0)})
                .type();
  EXPECT_EQ(t.axes("y"), "S, D4");
  EXPECT_EQ(t.steps(), "");
  t = GraphBuilder().input("a", "0").input("b", "0").node("Concat", {"a", "b"}, {"y"}, {attribute("axis", 0)}).type();
  EXPECT_EQ(t["y"], "float32 [0]");
  EXPECT_EQ(GraphBuilder().input("a", "S").node("Concat", {"a"}, {"y"}, {attribute("axis", 0)}).type().axes("y"), "S");
}

TEST(Concat, Folds) {
  Typed t = GraphBuilder()
                .input("x", "N 4")
                .integers("r", {-1})
                .node("Shape", {"x"}, {"s"})
                .node("Concat", {"s", "r"}, {"y"}, {attribute("axis", 0)})
                .type();
  EXPECT_EQ(t.known("y"), "N, 4, -1");
  t = GraphBuilder()
          .integers("a", {2, 1}, {1, 2})
          .integers("b", {2, 2}, {3, 4, 5, 6})
          .node("Concat", {"a", "b"}, {"y"}, {attribute("axis", -1)})
          .type();
  EXPECT_EQ(t.known("y"), "1, 3, 4, 2, 5, 6");
}

TEST(Concat, OldAxisDefaultsToOne) {
  EXPECT_EQ(GraphBuilder(3).input("a", "2 3").input("b", "2 4").node("Concat", {"a", "b"}, {"y"}).type()["y"],
            "float32 [2, 7]");
}

TEST(Concat, Errors) {
  const auto concat = [](std::string_view a, std::string_view b, std::int64_t axis) {
    return GraphBuilder()
        .input("a", a)
        .input("b", b)
        .node("Concat", {"a", "b"}, {"y"}, {attribute("axis", axis)})
        .type()
        .errors();
  };
  EXPECT_EQ(concat("2 3", "2", 0), "y = Concat: a has 2 axes and b has 1");
  EXPECT_EQ(concat("2 3", "4 3", 1), "y = Concat: axis 0 of a is 2 in a and 4 in b");
  EXPECT_EQ(concat("2 3", "2 3", 2), "y = Concat: axis 2 of a tensor of 2 axes");
  EXPECT_EQ(concat("", "", 0), "y = Concat: axis 0 of a tensor of 0 axes");
  EXPECT_EQ(GraphBuilder()
                .input("a", "2")
                .input("b", "2", DType::int64)
                .node("Concat", {"a", "b"}, {"y"}, {attribute("axis", 0)})
                .type()
                .errors(),
            "y = Concat: a is float32 and b is int64");
  EXPECT_EQ(GraphBuilder().input("a", "2").node("Concat", {"a"}, {"y"}).type().errors(),
            "y = Concat: attribute axis is absent, and the operator needs it");
}

// ---- Split ---------------------------------------------------------------------------------------------------------

TEST(Split, Forms) {
  const auto split = [](std::string_view from, std::vector<Attribute> attributes, int opset = 21) {
    const Typed t = GraphBuilder(opset).input("x", from).node("Split", {"x"}, {"p", "q"}, std::move(attributes)).type();
    return t["p"] + " " + t["q"] + t.errors();
  };
  EXPECT_EQ(split("6 2", {}), "float32 [3, 2] float32 [3, 2]");
  EXPECT_EQ(split("6 2", {attribute("axis", -1)}), "float32 [6, 1] float32 [6, 1]");
  EXPECT_EQ(split("5 2", {attribute("num_outputs", 2)}), "float32 [3, 2] float32 [2, 2]");
  EXPECT_EQ(split("5 2", {attribute("split", Numbers{1, 4})}, 11), "float32 [1, 2] float32 [4, 2]");
  EXPECT_EQ(split("5 2", {}), " p = Split: axis 0 of x is 5 and is split into [2, 2]");
  EXPECT_EQ(split("5 2", {attribute("split", Numbers{1, 3})}, 11),
            " p = Split: axis 0 of x is 5 and is split into [1, 3]");
  EXPECT_EQ(split("5 2", {attribute("split", Numbers{6, -1})}, 11),
            " p = Split: part 1 of axis 0 of x is -1, which must not be negative, and it never does");
  EXPECT_EQ(split("5 2", {attribute("split", Numbers{1, 2, 2})}, 11),
            " p = Split: splits into 3 parts and names 2 outputs");
  EXPECT_EQ(split("5 2", {attribute("num_outputs", 3)}), " p = Split: num_outputs is 3 and the node names 2 outputs");
}

TEST(Split, Symbolic) {
  Typed t = GraphBuilder().input("x", "N 4").integers("s", {1, 3}).node("Split", {"x", "s"}, {"p", "q"}).type();
  EXPECT_EQ(t.owed(), "-N + 4\nN - 4");
  EXPECT_EQ(t.steps(), "check slice slice");
  t = GraphBuilder().input("x", "2*N").node("Split", {"x"}, {"p", "q"}).type();
  EXPECT_EQ(t["q"], "float32 [N]");
  EXPECT_EQ(t.owed(), "");
  // The tail of a length: [N, M] of N + M.
  t = GraphBuilder()
          .input("x", "n+m")
          .input("a", "n")
          .input("b", "m")
          .node("Shape", {"a"}, {"sa"})
          .node("Shape", {"b"}, {"sb"})
          .node("Concat", {"sa", "sb"}, {"s"}, {attribute("axis", 0)})
          .node("Split", {"x", "s"}, {"p", "q"})
          .type();
  EXPECT_EQ(t["p"] + t["q"], "float32 [n]float32 [m]");
  EXPECT_EQ(t.owed(), "");
}

TEST(Split, FoldsAndSkips) {
  Typed t = GraphBuilder().integers("x", {1, 2, 3}).integers("s", {1, 2}).node("Split", {"x", "s"}, {"p", "q"}).type();
  EXPECT_EQ(t.known("p") + " " + t.known("q"), "1 2, 3");
  t = GraphBuilder().input("x", "6 2").node("Split", {"x"}, {"", "q"}).type();
  EXPECT_EQ(t["q"], "float32 [3, 2]");
  EXPECT_EQ(t.steps(), "slice");
}

// ---- Expand and Tile -----------------------------------------------------------------------------------------------

TEST(Expand, BroadcastsBothWays) {
  const auto expand = [](std::string_view from, const Numbers& to) {
    const Typed t = GraphBuilder().input("x", from).integers("s", to).node("Expand", {"x", "s"}, {"y"}).type();
    return t["y"] + t.errors();
  };
  EXPECT_EQ(expand("3 1", {2, 1, 4}), "float32 [2, 3, 4]");
  EXPECT_EQ(expand("3 4", {4}), "float32 [3, 4]");
  EXPECT_EQ(expand("3 4", {1, 1, 1}), "float32 [1, 3, 4]");
  EXPECT_EQ(expand("N 1", {1, 5}), "float32 [N, 5]");
  EXPECT_EQ(expand("", {2}), "float32 [2]");
  EXPECT_EQ(expand("1", {0}), "float32 [0]");
  EXPECT_EQ(expand("3", {4}), "y = Expand: axis 0 of x is 3 and is expanded to 4");
  EXPECT_EQ(expand("1", {-1}), "y = Expand: axis 0 of the shape is -1, which must not be negative, and it never does");
}

TEST(Expand, ToALength) {
  Typed t = GraphBuilder()
                .input("x", "1 M")
                .input("b", "N 7")
                .node("Shape", {"b"}, {"n"}, {attribute("end", 1)})
                .integers("one", {1})
                .node("Concat", {"n", "one"}, {"s"}, {attribute("axis", 0)})
                .node("Expand", {"x", "s"}, {"y"})
                .type();
  EXPECT_EQ(t["y"], "float32 [N, M]");
  EXPECT_EQ(t.owed(), "");
  EXPECT_EQ(t.steps(), "expand");
  t = GraphBuilder().input("x", "1").input("s", "1", DType::int64).node("Expand", {"x", "s"}, {"y"}).type();
  EXPECT_EQ(t.steps(), "bind expand");
}

TEST(Expand, Folds) {
  EXPECT_EQ(GraphBuilder()
                .integers("x", {2, 1}, {1, 2})
                .integers("s", {2, 2, 2})
                .node("Expand", {"x", "s"}, {"y"})
                .type()
                .known("y"),
            "1, 1, 2, 2, 1, 1, 2, 2");
}

TEST(Tile, Forms) {
  Typed t = GraphBuilder().input("x", "N 3").integers("r", {2, 1}).node("Tile", {"x", "r"}, {"y"}).type();
  EXPECT_EQ(t["y"], "float32 [2*N, 3]");
  EXPECT_EQ(t.steps(), "pad");
  t = GraphBuilder().input("x", "1 3").integers("r", {5, 1}).node("Tile", {"x", "r"}, {"y"}).type();
  EXPECT_EQ(t["y"], "float32 [5, 3]");
  EXPECT_EQ(t.steps(), "expand");
  EXPECT_EQ(GraphBuilder()
                .integers("x", {2, 2}, {1, 2, 3, 4})
                .integers("r", {1, 2})
                .node("Tile", {"x", "r"}, {"y"})
                .type()
                .known("y"),
            "1, 2, 1, 2, 3, 4, 3, 4");
  EXPECT_EQ(GraphBuilder().input("x", "2").integers("r", {1, 2}).node("Tile", {"x", "r"}, {"y"}).type().errors(),
            "y = Tile: repeats holds 2 counts, and x has 1 axes");
  EXPECT_EQ(GraphBuilder(1)
                .input("x", "2 3")
                .number("n", 2)
                .number("a", 1)
                .node("Tile", {"x", "n", "a"}, {"y"})
                .type()
                .errors(),
            "y = Tile: is Tile of opset 1, which counts in floats");
}

// ---- Gather --------------------------------------------------------------------------------------------------------

TEST(Gather, Types) {
  const auto gather = [](std::string_view indices, std::int64_t axis) {
    const Typed t = GraphBuilder()
                        .input("x", "A B")
                        .input("i", indices, DType::int64)
                        .node("Gather", {"x", "i"}, {"y"}, {attribute("axis", axis)})
                        .type();
    return t["y"] + t.errors();
  };
  EXPECT_EQ(gather("N M", 0), "float32 [N, M, B]");
  EXPECT_EQ(gather("N", 1), "float32 [A, N]");
  EXPECT_EQ(gather("", -1), "float32 [A]");
  EXPECT_EQ(gather("N", 2), "y = Gather: axis 2 of a tensor of 2 axes");
}

TEST(Gather, OneKnownIndexIsAView) {
  Typed t = GraphBuilder().input("x", "A 4").integer("i", 1).node("Gather", {"x", "i"}, {"y"}).type();
  EXPECT_EQ(t["y"], "float32 [4]");
  EXPECT_EQ(t.owed(), "A - 2");
  EXPECT_EQ(t.steps(), "check slice units");
  t = GraphBuilder().input("x", "5 A").integers("i", {-1}).node("Gather", {"x", "i"}, {"y"}).type();
  EXPECT_EQ(t["y"], "float32 [1, A]");
  EXPECT_EQ(t.steps(), "slice units");
  EXPECT_EQ(GraphBuilder()
                .input("x", "A 4")
                .integers("i", {1, 0})
                .node("Gather", {"x", "i"}, {"y"}, {attribute("axis", 1)})
                .type()
                .steps(),
            "gather");
}

TEST(Gather, Folds) {
  Typed t = GraphBuilder()
                .input("x", "N 4 M")
                .integers("i", {2, 2}, {0, -1, 1, 2})
                .node("Shape", {"x"}, {"s"})
                .node("Gather", {"s", "i"}, {"y"})
                .type();
  EXPECT_EQ(t.known("y"), "N, M, 4, M");
  t = GraphBuilder()
          .integers("x", {2, 2}, {1, 2, 3, 4})
          .integer("i", 1)
          .node("Gather", {"x", "i"}, {"y"}, {attribute("axis", 1)})
          .type();
  EXPECT_EQ(t.known("y"), "2, 4");
}

TEST(Gather, Errors) {
  EXPECT_EQ(GraphBuilder().input("x", "3").integers("i", {0, 3}).node("Gather", {"x", "i"}, {"y"}).type().errors(),
            "y = Gather: index 3 is outside axis 0 of x, of 3 elements");
  EXPECT_EQ(GraphBuilder().input("x", "3").integer("i", -4).node("Gather", {"x", "i"}, {"y"}).type().errors(),
            "y = Gather: index -4 is outside axis 0 of x, of 3 elements");
  EXPECT_EQ(GraphBuilder().input("x", "3").input("i", "1").node("Gather", {"x", "i"}, {"y"}).type().errors(),
            "y = Gather: i is float32, and the operator takes int32, int64");
}

TEST(GatherElements, Types) {
  Typed t = GraphBuilder()
                .input("x", "N 4")
                .input("i", "N K", DType::int64)
                .node("GatherElements", {"x", "i"}, {"y"}, {attribute("axis", 1)})
                .type();
  EXPECT_EQ(t["y"], "float32 [N, K]");
  EXPECT_EQ(t.steps(), "gather_elements");
  t = GraphBuilder()
          .input("x", "N 4")
          .input("i", "2 K", DType::int64)
          .node("GatherElements", {"x", "i"}, {"y"}, {attribute("axis", 1)})
          .type();
  EXPECT_EQ(t.owed(), "N - 2");
  EXPECT_EQ(GraphBuilder()
                .integers("x", {2, 2}, {1, 2, 3, 4})
                .integers("i", {2, 2}, {0, 0, -1, 0})
                .node("GatherElements", {"x", "i"}, {"y"}, {attribute("axis", 1)})
                .type()
                .known("y"),
            "1, 1, 4, 3");
}

TEST(GatherNd, Types) {
  const auto gather = [](std::string_view indices, std::int64_t batch) {
    const Typed t = GraphBuilder()
                        .input("x", "N 3 4")
                        .input("i", indices, DType::int64)
                        .node("GatherND", {"x", "i"}, {"y"}, {attribute("batch_dims", batch)})
                        .type();
    return t["y"] + t.errors();
  };
  EXPECT_EQ(gather("K 2", 0), "float32 [K, 4]");
  EXPECT_EQ(gather("K 3", 0), "float32 [K]");
  EXPECT_EQ(gather("N K 1", 1), "float32 [N, K, 4]");
  EXPECT_EQ(gather("N 2", 1), "float32 [N]");
  EXPECT_EQ(gather("K 4", 0), "y = GatherND: a row of the indices holds 4 coordinates, and there are 3 axes to index");
  EXPECT_EQ(gather("K", 1), "y = GatherND: batch_dims is 1, the data has 3 axes and the indices 1");
  EXPECT_EQ(GraphBuilder()
                .integers("x", {2, 2}, {1, 2, 3, 4})
                .integers("i", {2, 2}, {0, 0, 1, -1})
                .node("GatherND", {"x", "i"}, {"y"})
                .type()
                .known("y"),
            "1, 4");
}

}  // namespace
}  // namespace loam::test
