#include <limits>

#include "ops/non_max_suppression/cpu.hpp"
#include "ops/non_max_suppression/reference.hpp"
#include "ops/strided_test.hpp"

namespace loam {
namespace {

using namespace laid;
using Doubles = std::vector<double>;

template <class Boxes, class Scores>
Doubles suppressed(bool center, std::int64_t max_boxes, float iou, float score, const Boxes& boxes,
                   const Scores& scores) {
  Cpu cpu;
  const auto count = blank<std::int64_t>({});
  non_max_suppression_count(cpu, count.value, center, max_boxes, iou, score, boxes.value, scores.value);
  const auto out = blank<std::int64_t, E, F>({count.storage[0], 3});
  non_max_suppression(cpu, out.value, center, max_boxes, iou, score, boxes.value, scores.value);
  return out.elements();
}

TEST(NonMaxSuppression, AgreesWithTheReference) {
  for (const Layout layout : layouts)
    for (unsigned seed = 0; seed < 30; ++seed) {
      Random random(seed);
      const std::int64_t n = random.integer(0, 30);
      const auto boxes = lay<float, A, B, C>({2, n, 4}, random.reals(8 * n + 8, 0, 2), layout);
      auto values = random.reals(6 * n + 6, 0, 1);
      for (std::size_t i = 0; i + 4 < values.size(); i += 4) values[i] = values[i + 3];  // ties
      const auto scores = lay<float, A, D, B>({2, 3, n}, values, layout);
      for (const bool center : {false, true})
        for (const float iou : {0.0f, 0.3f, 0.9f})
          expect_close(suppressed(center, 5, iou, 0.25f, boxes, scores),
                       reference::non_max_suppression(center, 5, iou, 0.25, boxes.view(), scores.view()), 0);
    }
}

TEST(NonMaxSuppression, KnownAnswers) {  // ONNX's test cases suppress_by_IOU, limit_output_size and _and_scores
  const auto boxes = lay<float, A, B, C>({1, 6, 4}, {0, 0,  1, 1, 0, 0.1,  1, 1.1,  0, -0.1, 1, 0.9,
                                                     0, 10, 1, 11, 0, 10.1, 1, 11.1, 0, 100,  1, 101});
  const auto scores = lay<float, A, D, B>({1, 1, 6}, {0.9, 0.75, 0.6, 0.95, 0.5, 0.3});
  EXPECT_EQ(suppressed(false, 3, 0.5f, 0, boxes, scores), (Doubles{0, 0, 3, 0, 0, 0, 0, 0, 5}));
  EXPECT_EQ(suppressed(false, 2, 0.5f, 0, boxes, scores), (Doubles{0, 0, 3, 0, 0, 0}));
  EXPECT_EQ(suppressed(false, 3, 0.5f, 0.4f, boxes, scores), (Doubles{0, 0, 3, 0, 0, 0}));
  EXPECT_EQ(suppressed(false, 0, 0.5f, 0, boxes, scores), (Doubles{}));
  const float all = -std::numeric_limits<float>::infinity();
  EXPECT_EQ(suppressed(false, 9, 1, all, boxes, scores).size(), 18u);
}

}  // namespace
}  // namespace loam
