// non_max_suppression: the boxes of each class that no better box of the class overlaps (ONNX NonMaxSuppression).
//
//   boxes [batch, n, 4], scores [batch, class, n]  ->  out [count, 3], rows of batch, class and box
//
// Within a batch and class, boxes are taken by falling score, the lower index first of equals, and one is dropped
// where its intersection over union with one kept exceeds iou_threshold. At most max_output_boxes are kept of a class.
// Only scores above score_threshold take part; -infinity stands for no threshold. A box is two opposite corners
// [y1, x1, y2, x2] in either order, or, with center_point_box, [x center, y center, width, height]; one without area
// overlaps nothing. Two phases: the count makes the output exactly.
#pragma once

#include "runtime/relations.hpp"

namespace loam {

namespace kernels {
struct NonMaxSuppressionCount {};
struct NonMaxSuppression {};
}  // namespace kernels

template <class B, class T, class Batch, class Boxes, class Corner, class U, class BatchS, class Class, class BoxesS>
  requires axes_agree<List<Batch, Boxes>, List<BatchS, BoxesS>>
void non_max_suppression_count(B& b, const Value<B, std::int64_t>& count, bool center_point_box,
                               std::int64_t max_output_boxes, float iou_threshold, float score_threshold,
                               const Value<B, T, Batch, Boxes, Corner>& boxes,
                               const Value<B, U, BatchS, Class, BoxesS>& scores) {
  b.call(kernels::NonMaxSuppressionCount{}, count.operand(), center_point_box, max_output_boxes, iou_threshold,
         score_threshold, boxes.operand(), scores.operand());
}

template <class B, class Count, class Three, class T, class Batch, class Boxes, class Corner, class U, class BatchS,
          class Class, class BoxesS>
  requires axes_agree<List<Batch, Boxes>, List<BatchS, BoxesS>>
void non_max_suppression(B& b, const Value<B, std::int64_t, Count, Three>& out, bool center_point_box,
                         std::int64_t max_output_boxes, float iou_threshold, float score_threshold,
                         const Value<B, T, Batch, Boxes, Corner>& boxes,
                         const Value<B, U, BatchS, Class, BoxesS>& scores) {
  b.call(kernels::NonMaxSuppression{}, out.operand(), center_point_box, max_output_boxes, iou_threshold,
         score_threshold, boxes.operand(), scores.operand());
}

// The same with thresholds that the run computes.
template <class B, class T, class Batch, class Boxes, class Corner, class U, class BatchS, class Class, class BoxesS>
  requires axes_agree<List<Batch, Boxes>, List<BatchS, BoxesS>>
void non_max_suppression_count(B& b, const Value<B, std::int64_t>& count, bool center_point_box,
                               std::int64_t max_output_boxes, const Value<B, float>& iou_threshold,
                               const Value<B, float>& score_threshold, const Value<B, T, Batch, Boxes, Corner>& boxes,
                               const Value<B, U, BatchS, Class, BoxesS>& scores) {
  b.call(kernels::NonMaxSuppressionCount{}, count.operand(), center_point_box, max_output_boxes,
         iou_threshold.operand(), score_threshold.operand(), boxes.operand(), scores.operand());
}

template <class B, class Count, class Three, class T, class Batch, class Boxes, class Corner, class U, class BatchS,
          class Class, class BoxesS>
  requires axes_agree<List<Batch, Boxes>, List<BatchS, BoxesS>>
void non_max_suppression(B& b, const Value<B, std::int64_t, Count, Three>& out, bool center_point_box,
                         std::int64_t max_output_boxes, const Value<B, float>& iou_threshold,
                         const Value<B, float>& score_threshold, const Value<B, T, Batch, Boxes, Corner>& boxes,
                         const Value<B, U, BatchS, Class, BoxesS>& scores) {
  b.call(kernels::NonMaxSuppression{}, out.operand(), center_point_box, max_output_boxes, iou_threshold.operand(),
         score_threshold.operand(), boxes.operand(), scores.operand());
}

}  // namespace loam
