// A float16 graph: an image of float16 goes in, its edges in float16 come out, and no float32 copy is made at the
// boundary. The kernels compute in float and round each result once.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "edges.hpp"  // generated from edges.onnx: see CMakeLists.txt

using edges::loam::float16;

namespace {

constexpr std::int64_t rows = 20, columns = 48;

// A ball lit from the upper left before a dark wall, as a brightness from 0 to 1.
float scene(std::int64_t row, std::int64_t column) {
  const float x = (static_cast<float>(column) - 23.5f) / 18, y = (static_cast<float>(row) - 9.5f) / 8.5f;
  const float r2 = x * x + y * y;
  return r2 > 1 ? 0.1f : 0.3f + 0.7f * std::max(0.0f, (std::sqrt(1 - r2) - x - y) / 1.7320508f);
}

char shade(float brightness) {
  constexpr std::string_view shades = " .:-=+*#%@";
  return shades[static_cast<std::size_t>(std::clamp(brightness, 0.0f, 0.999f) * static_cast<float>(shades.size()))];
}

}  // namespace

int main() {
  const edges::Weights weights = edges::Weights::embedded();
  edges::loam::Cpu cpu;
  const auto prepared = edges::prepare(cpu, weights);

  edges::loam::Tensor<float16, edges::Row, edges::Column> image({rows, columns});
  for (std::int64_t i = 0; i < rows * columns; ++i) image[i] = scene(i / columns, i % columns);
  const auto outputs = edges::forward(cpu, image, prepared);
  if (!outputs) {
    std::fprintf(stderr, "%s\n", outputs.error().message.c_str());
    return 1;
  }

  // Beside each other: the image, and its edges, which a window of 3 by 3 leaves two rows and columns smaller.
  const auto& found = outputs->edges;
  float furthest = 0;
  for (std::int64_t r = 0; r < rows - 2; ++r) {
    std::string line;
    for (std::int64_t c = 0; c < columns - 2; ++c) line += shade(image[(r + 1) * columns + c + 1]);
    line += "  ";
    for (std::int64_t c = 0; c < columns - 2; ++c) {
      const float edge = found[r * found.extent(1) + c];
      line += shade(3 * edge);
      const auto at = [&](int down, int right) { return static_cast<float>(image[(r + down) * columns + c + right]); };
      const float across = (at(0, 0) + 2 * at(1, 0) + at(2, 0) - at(0, 2) - 2 * at(1, 2) - at(2, 2)) / 8;
      const float down = (at(0, 0) + 2 * at(0, 1) + at(0, 2) - at(2, 0) - 2 * at(2, 1) - at(2, 2)) / 8;
      furthest = std::max(furthest, std::abs(edge - std::hypot(across, down)));
    }
    std::puts(line.c_str());
  }
  std::printf("float16 is never further than %.5f from the same computed in float32\n", static_cast<double>(furthest));
  return furthest < 0.002f ? 0 : 1;
}
