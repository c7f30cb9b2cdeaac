// error: mlp::Point
// error: mlp::Hidden
// The caller takes the output for a tensor of another axis.
#include "mlp.hpp"

mlp::loam::Tensor<float, mlp::Hidden, mlp::loam::One> call(mlp::Outputs outputs) { return std::move(outputs.inside); }
