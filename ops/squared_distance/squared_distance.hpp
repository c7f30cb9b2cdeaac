// squared_distance: how far each row of x lies from each of some points, squared (scipy's cdist, "sqeuclidean").
//
//   x [row, feature], points [feature, point] -> out [row, point], the sum over features of (x - points)^2
//
// A point is a column, so that points next to each other are computed side by side.
#pragma once

#include "runtime/relations.hpp"

namespace loam {

namespace kernels {
struct SquaredDistance {};
}  // namespace kernels

template <class B, class T, class Row, class Point, class RowX, class Feature, class FeatureP, class PointP>
  requires axes_meet<List<Row>, 0, List<RowX>, 0> && axes_meet<List<Feature>, 0, List<FeatureP>, 0> &&
           axes_meet<List<Point>, 0, List<PointP>, 0>
void squared_distance(B& b, const Value<B, T, Row, Point>& out, const Value<B, T, RowX, Feature>& x,
                      const Value<B, T, FeatureP, PointP>& points) {
  b.call(kernels::SquaredDistance{}, out.operand(), x.operand(), points.operand());
}

}  // namespace loam
