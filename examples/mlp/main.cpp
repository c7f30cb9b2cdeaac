// An MLP draws what it learned: for each character of the picture, whether that point is inside a heart.
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "mlp.hpp"  // generated from mlp.onnx: see CMakeLists.txt

namespace {

std::vector<std::byte> read_file(const char* path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  std::vector<std::byte> bytes(file ? static_cast<std::size_t>(file.tellg()) : 0);
  file.seekg(0).read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}

// What the model was trained on: (x^2 + y^2 - 1)^3 < x^2 y^3.
bool in_heart(float x, float y) {
  const float r = x * x + y * y - 1;
  return r * r * r < x * x * y * y * y;
}

}  // namespace

int main() {
  constexpr std::int64_t rows = 27, columns = 59;

  // The weights are used where the checkpoint's bytes lie, so the bytes stay while the weights do.
  const std::vector<std::byte> checkpoint = read_file(CHECKPOINT);
  const auto weights = mlp::Weights::load(checkpoint);
  if (!weights) {
    std::cerr << weights.error().message << '\n';
    return 1;
  }
  mlp::loam::Cpu cpu;
  const auto prepared = mlp::prepare(cpu, *weights);

  // The tensor's type says which axis is which: with Coordinate before Point, the call below would not compile.
  mlp::loam::Tensor<float, mlp::Point, mlp::Coordinate> points({rows * columns, 2});
  for (std::int64_t i = 0; i < rows * columns; ++i) {
    points[2 * i] = -1.45f + 0.05f * static_cast<float>(i % columns);
    points[2 * i + 1] = 1.3f - 0.1f * static_cast<float>(i / columns);
  }
  const auto outputs = mlp::forward(cpu, points, prepared);
  if (!outputs) {
    std::cerr << outputs.error().message << '\n';
    return 1;
  }

  std::int64_t right = 0;
  std::string picture;
  for (std::int64_t i = 0; i < rows * columns; ++i) {
    const bool inside = outputs->inside[i] > 0.5f;
    right += inside == in_heart(points[2 * i], points[2 * i + 1]);
    picture += inside ? '*' : ' ';
    if (i % columns == columns - 1) picture += '\n';
  }
  std::cout << picture << right << " of " << rows * columns << " points are told right\n";
  return right * 100 >= rows * columns * 99 ? 0 : 1;
}
