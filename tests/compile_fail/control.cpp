// What the others do wrong, done right.
#include "mlp.hpp"

using mlp::loam::Cpu, mlp::loam::Value;

mlp::loam::Tensor<float, mlp::Point, mlp::loam::One> call(Cpu& cpu, const mlp::Prepared<Cpu>& weights) {
  mlp::loam::Tensor<float, mlp::Point, mlp::Coordinate> points({3, 2});
  auto outputs = mlp::forward(cpu, points, weights);
  return std::move(outputs->inside);
}

void call(Cpu& cpu, const Value<Cpu, float, mlp::Point, mlp::Hidden>& hidden, const mlp::Prepared<Cpu>& weights) {
  Value<Cpu, float, mlp::Point, mlp::Feature> product, out;
  mlp::loam::matmul(cpu, product, hidden, weights.second_weight);
  mlp::loam::map(cpu, out, mlp::loam::fn::Add{}, product, weights.second_bias);
}
