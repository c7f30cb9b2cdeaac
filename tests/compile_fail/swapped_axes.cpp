// error: mlp::Coordinate, mlp::Point
// error: Coordinate>
// The caller's tensor has its axes the wrong way round.
#include "mlp.hpp"

void call(mlp::loam::Cpu& cpu, const mlp::Prepared<mlp::loam::Cpu>& weights) {
  mlp::loam::Tensor<float, mlp::Coordinate, mlp::Point> points({2, 3});
  (void)mlp::forward(cpu, points, weights);
}
