#include "compiler/kernel/conv_form.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "compiler/kernel/tensor_size.hpp"

namespace loam {

namespace {

// With fewer, transforming costs what the products saved took: 16 by 16 channels at 256 x 256 run at 83 GFLOP/s for 91, 32 by
// 16 at 56 x 56 at 125 for 89.
constexpr std::int64_t least_transformed = 16, least_of_four = 512;
// Tiles of 4 keep 36 numbers for a window's 9, tiles of 2 keep 16: of more than these reading them takes as long as an
// image's products (512 by 512 channels at 7 x 7 places take 1.3 ms with either).
constexpr std::int64_t most_of_four = 256 * 256;

// Whether outputs are better in a vector's lanes than places are. They have to be turned as they are stored, which shows
// where few products make one; and the input need not be packed, which shows where few products share it. 96 channels at
// 7 x 7 give 576 outputs with 91 GFLOP/s for 74, 1152 give 192 with 107 for 71; but 64 at 56 x 56 give 256 with 85 for 99, and
// 80 at 14 x 14 give 480 with silu behind in 195 us for 181.
bool lie_by_outputs(std::int64_t outputs, std::int64_t channels, std::int64_t taps, std::optional<std::int64_t> places) {
  if (outputs < 8) return false;
  if (taps > 1) return channels * taps >= 192;
  return channels >= outputs || (places && (*places <= 4 || (*places <= 64 && channels >= 80)));
}

}  // namespace

std::optional<std::string> conv_form(const Program& program, const Symbols& symbols, const Call& call) {
  if (call.kernel != "conv" && call.kernel != "conv_map") return std::nullopt;
  const auto* w = std::get_if<TensorId>(&call.inputs[1]);
  const auto* window = std::get_if<Aggregate>(&call.arguments[0]);
  const auto* groups = std::get_if<Literal>(&call.arguments[1]);
  if (!w || *w == no_tensor || !window || !groups || groups->text != "1") return std::nullopt;
  const VirtualTensor &weight = program.tensors[*w], &out = program.tensors[call.outputs[0]];
  if (!is_float(weight.dtype) || is_narrow(weight.dtype) || compute_type(weight.dtype) != DType::float32 ||
      compute_type(out.dtype) != DType::float32)
    return std::nullopt;
  const std::vector<Polynomial> extents = extents_of(weight, symbols);
  const auto outputs = extents[0].constant(), channels = extents[1].constant();
  const auto elements = elements_of(weight, symbols).constant();
  if (!outputs || !channels || !elements || *elements == 0) return std::nullopt;
  // The kernel's, the strides and the dilations of two axes, and where it begins.
  constexpr std::array<std::int64_t, 6> three{3, 3, 1, 1, 1, 1};
  const bool tiles = window->values.size() == 8 &&
                     std::ranges::equal(three, std::span(window->values).first<6>(), {},
                                        [](std::int64_t n) { return Polynomial(n); });
  if (tiles && std::min(*outputs, *channels) >= least_transformed && *outputs * *channels >= least_of_four)
    return *outputs * *channels > most_of_four ? "loam::form::Winograd<2>" : "loam::form::Winograd<4>";
  const std::int64_t taps = *elements / *outputs / *channels;
  if (lie_by_outputs(*outputs, *channels, taps, elements_of(out, symbols, 2).constant())) return "loam::form::Outputs";
  return std::nullopt;
}

}  // namespace loam
