#pragma once

#include <algorithm>

#include "ops/non_max_suppression/non_max_suppression.hpp"
#include "ops/strided_reference.hpp"

namespace loam::reference {

template <class T, class U>
std::vector<double> non_max_suppression(bool center_point_box, std::int64_t max_output_boxes, double iou_threshold,
                                        double score_threshold, const View<T>& boxes, const View<U>& scores) {
  std::vector<double> rows;
  const auto corners = [&](std::int64_t batch, std::int64_t box) {
    std::vector<double> c(4);
    for (std::int64_t i = 0; i < 4; ++i)
      c[static_cast<std::size_t>(i)] = static_cast<double>(element(boxes, {batch, box, i}));
    if (center_point_box) c = {c[1] - c[3] / 2, c[0] - c[2] / 2, c[1] + c[3] / 2, c[0] + c[2] / 2};
    return std::vector<double>{std::min(c[0], c[2]), std::min(c[1], c[3]), std::max(c[0], c[2]), std::max(c[1], c[3])};
  };
  const auto area = [](double height, double width) { return std::max(height, 0.0) * std::max(width, 0.0); };
  for (std::int64_t batch = 0; batch < scores.extent(0); ++batch)
    for (std::int64_t c = 0; c < scores.extent(1); ++c) {
      std::vector<std::int64_t> kept, left;
      const auto score = [&](std::int64_t i) { return static_cast<double>(element(scores, {batch, c, i})); };
      for (std::int64_t i = 0; i < boxes.extent(1); ++i)
        if (score(i) > score_threshold) left.push_back(i);
      // The best is kept and what it overlaps goes, until nothing is left.
      while (!left.empty() && static_cast<std::int64_t>(kept.size()) < max_output_boxes) {
        const auto worse = [&](auto i, auto j) { return score(i) < score(j); };
        const auto best = *std::max_element(left.begin(), left.end(), worse);  // the first of equals
        kept.push_back(best);
        const auto a = corners(batch, best);
        std::erase_if(left, [&](std::int64_t i) {
          const auto b = corners(batch, i);
          const double both =
              area(std::min(a[2], b[2]) - std::max(a[0], b[0]), std::min(a[3], b[3]) - std::max(a[1], b[1]));
          const double joined = area(a[2] - a[0], a[3] - a[1]) + area(b[2] - b[0], b[3] - b[1]) - both;
          return i == best || (both > 0 && both / joined > iou_threshold);
        });
      }
      for (const std::int64_t box : kept)
        for (const std::int64_t v : {batch, c, box}) rows.push_back(static_cast<double>(v));
    }
  return rows;
}

}  // namespace loam::reference
