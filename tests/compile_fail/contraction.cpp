// error: contracts
// error: mlp::Coordinate
// error: mlp::Hidden
// A kernel is to contract an axis Coordinate with an axis Hidden.
#include "mlp.hpp"

using mlp::loam::Cpu, mlp::loam::Value;

void call(Cpu& cpu, const Value<Cpu, float, mlp::Point, mlp::Coordinate>& points, const mlp::Prepared<Cpu>& weights) {
  Value<Cpu, float, mlp::Point, mlp::Feature> out;
  mlp::loam::matmul(cpu, out, points, weights.second_weight);
}
