#pragma once

#include "ops/non_max_suppression/non_max_suppression.hpp"
#include "runtime/strided.hpp"

namespace loam {

namespace detail {

struct SuppressionBox {
  float y1, x1, y2, x2;  // y1 <= y2 and x1 <= x2
};

template <class T>
SuppressionBox suppression_box(const T* corner, std::int64_t step, bool center_point_box) {
  float c[4];
  for (int i = 0; i < 4; ++i) c[i] = static_cast<float>(load(corner[i * step]));
  if (center_point_box)
    return {c[1] - c[3] / 2, c[0] - c[2] / 2, c[1] + c[3] / 2, c[0] + c[2] / 2};
  return {std::min(c[0], c[2]), std::min(c[1], c[3]), std::max(c[0], c[2]), std::max(c[1], c[3])};
}

// In float and in this order, as onnxruntime computes it: a threshold may be met exactly.
inline bool overlaps_more(const SuppressionBox& a, const SuppressionBox& b, float threshold) {
  const float height = std::min(a.y2, b.y2) - std::max(a.y1, b.y1);
  const float width = std::min(a.x2, b.x2) - std::max(a.x1, b.x1);
  if (!(height > 0) || !(width > 0)) return false;
  const float intersection = height * width;
  const float area_a = (a.y2 - a.y1) * (a.x2 - a.x1), area_b = (b.y2 - b.y1) * (b.x2 - b.x1);
  const float joined = area_a + area_b - intersection;
  if (!(area_a > 0) || !(area_b > 0) || !(joined > 0)) return false;
  return intersection / joined > threshold;
}

// Calls keep(batch, class, box) for each box kept, in the order of the output.
template <class T, class U, class Keep>
void suppress(Cpu& cpu, bool center_point_box, std::int64_t max_output_boxes, float iou_threshold,
              float score_threshold, const View<T>& boxes, const View<U>& scores, Keep&& keep) {
  const std::int64_t n = boxes.extent(1);
  if (n == 0 || max_output_boxes <= 0) return;
  struct Candidate {
    float score;
    std::int64_t box;
  };
  Scratch scratch(cpu, Scratch::bytes<Candidate>(n) + 2 * Scratch::bytes<SuppressionBox>(n));
  if (!scratch) return;
  auto* const candidates = scratch.take<Candidate>(n);
  auto* const all = scratch.take<SuppressionBox>(n);
  auto* const kept = scratch.take<SuppressionBox>(n);
  for (std::int64_t batch = 0; batch < scores.extent(0); ++batch) {
    for (std::int64_t i = 0; i < n; ++i)
      all[i] = suppression_box(boxes.data + batch * boxes.stride(0) + i * boxes.stride(1), boxes.stride(2),
                               center_point_box);
    for (std::int64_t c = 0; c < scores.extent(1); ++c) {
      std::int64_t count = 0, kept_count = 0;
      for (std::int64_t i = 0; i < n; ++i) {
        const auto score = static_cast<float>(
            load(scores.data[batch * scores.stride(0) + c * scores.stride(1) + i * scores.stride(2)]));
        if (score > score_threshold) candidates[count++] = {score, i};
      }
      std::sort(candidates, candidates + count, [](const Candidate& a, const Candidate& b) {
        return a.score != b.score ? a.score > b.score : a.box < b.box;
      });
      for (std::int64_t i = 0; i < count && kept_count < max_output_boxes; ++i) {
        const SuppressionBox& box = all[candidates[i].box];
        if (std::any_of(kept, kept + kept_count, [&](const auto& k) { return overlaps_more(box, k, iou_threshold); }))
          continue;
        kept[kept_count++] = box;
        keep(batch, c, candidates[i].box);
      }
    }
  }
}

}  // namespace detail

template <class T, class U>
void run(kernels::NonMaxSuppressionCount, Cpu& cpu, const View<std::int64_t>& count, bool center_point_box,
         std::int64_t max_output_boxes, float iou_threshold, float score_threshold, const View<T>& boxes,
         const View<U>& scores) {
  std::int64_t n = 0;
  detail::suppress(cpu, center_point_box, max_output_boxes, iou_threshold, score_threshold, boxes, scores,
                   [&](std::int64_t, std::int64_t, std::int64_t) { ++n; });
  *count.data = n;
}

template <class T, class U>
void run(kernels::NonMaxSuppression, Cpu& cpu, const View<std::int64_t>& out, bool center_point_box,
         std::int64_t max_output_boxes, float iou_threshold, float score_threshold, const View<T>& boxes,
         const View<U>& scores) {
  std::int64_t n = 0;
  detail::suppress(cpu, center_point_box, max_output_boxes, iou_threshold, score_threshold, boxes, scores,
                   [&](std::int64_t batch, std::int64_t c, std::int64_t box) {
                     if (n == out.extent(0)) return;
                     std::int64_t* const row = out.data + 3 * n++;
                     row[0] = batch, row[1] = c, row[2] = box;
                   });
}

template <class Kernel, class T, class U>
  requires std::is_same_v<Kernel, kernels::NonMaxSuppressionCount> || std::is_same_v<Kernel, kernels::NonMaxSuppression>
void run(Kernel kernel, Cpu& cpu, const View<std::int64_t>& out, bool center_point_box, std::int64_t max_output_boxes,
         const View<float>& iou_threshold, const View<float>& score_threshold, const View<T>& boxes,
         const View<U>& scores) {
  run(kernel, cpu, out, center_point_box, max_output_boxes, *iou_threshold.data, *score_threshold.data, boxes, scores);
}

}  // namespace loam
