// A convolutional network of MNIST's form reads the digits drawn below.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "digits.hpp"  // generated from digits.onnx, which make_model.py trained

namespace {

// Ten digits side by side, each 10 characters wide and 10 high.
constexpr std::int64_t count = 10, side = 10;
constexpr std::array<std::string_view, side> drawing{
    "   ####        ##       #####      #####          ##    #######       ####    ########    #####      #####   ",
    "  ##  ##      ###      ##   ##    ##   ##        ###    ##           ##             ##   ##   ##    ##   ##  ",
    " ##    ##    ####            ##         ##      ####    ##          ##             ##    ##   ##    ##    ## ",
    " ##    ##      ##            ##        ##      ## ##    ######     ##              ##    ##   ##    ##    ## ",
    " ##    ##      ##           ##      ####      ##  ##         ##    ######         ##      #####      ####### ",
    " ##    ##      ##          ##          ##    ##   ##          ##   ##   ##        ##     ##   ##          ## ",
    " ##    ##      ##         ##            ##  #########         ##   ##    ##      ##     ##     ##         ## ",
    " ##    ##      ##        ##             ##        ##          ##   ##    ##      ##     ##     ##        ##  ",
    "  ##  ##       ##       ##        ##   ##         ##    ##   ##     ##  ##      ##       ##   ##        ##   ",
    "   ####        ##      ########    #####          ##     #####       ####       ##        #####       ###    ",
};

}  // namespace

int main() {
  const digits::Weights weights = digits::Weights::embedded();
  digits::loam::Cpu cpu;
  const auto prepared = digits::prepare(cpu, weights);

  // As in MNIST, an image is 28 by 28 and its digit 20 by 20 in the middle: two pixels each way for a character.
  digits::loam::Tensor<float, digits::Image, digits::loam::One, digits::Row, digits::Column> images({count, 1, 28, 28});
  std::ranges::fill(images.span(), 0.0f);
  for (std::int64_t i = 0; i < count; ++i)
    for (std::int64_t row = 0; row < 2 * side; ++row)
      for (std::int64_t column = 0; column < 2 * side; ++column)
        images[(i * 28 + row + 4) * 28 + column + 4] =
            drawing[row / 2][i * (side + 1) + column / 2] == '#' ? 1.0f : 0.0f;

  const auto outputs = digits::forward(cpu, images, prepared);
  if (!outputs) {
    std::fprintf(stderr, "%s\n", outputs.error().message.c_str());
    return 1;
  }
  for (const std::string_view line : drawing) std::printf("%.*s\n", static_cast<int>(line.size()), line.data());
  std::string read = "read as", sure = "sure by";
  for (std::int64_t i = 0; i < count; ++i) {
    const auto scores = outputs->probability.span().subspan(i * 10, 10);
    const auto best = std::ranges::max_element(scores);
    read += ' ' + std::to_string(best - scores.begin());
    sure += ' ' + std::to_string(static_cast<int>(100 * *best)) + '%';
  }
  std::printf("%s\n%s\n", read.c_str(), sure.c_str());
}
