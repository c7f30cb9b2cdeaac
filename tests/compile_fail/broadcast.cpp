// error: mlp::Hidden
// error: mlp::Feature
// A kernel is to add the bias of an axis Hidden along an axis Feature.
#include "mlp.hpp"

using mlp::loam::Cpu, mlp::loam::Value;

void call(Cpu& cpu, const Value<Cpu, float, mlp::Point, mlp::Feature>& features, const mlp::Prepared<Cpu>& weights) {
  Value<Cpu, float, mlp::Point, mlp::Feature> out;
  mlp::loam::map(cpu, out, mlp::loam::fn::Add{}, features, weights.first_bias);
}
