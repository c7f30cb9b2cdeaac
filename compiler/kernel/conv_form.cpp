#include "compiler/kernel/conv_form.hpp"

#include <algorithm>
#include <array>

#include "compiler/kernel/tensor_size.hpp"

namespace loam {

namespace {

// Below this transforming costs what the products saved took.
constexpr std::int64_t least_channels = 16;
// Tiles of 4 keep 36 numbers for a window's 9, tiles of 2 keep 16: of as many channels as this reading them takes longer than
// the products of an image (512 by 512 channels at 7 x 7 places take 1.3 ms with either).
constexpr std::int64_t most_elements = 256 * 256;

}  // namespace

std::optional<std::string> conv_form(const Program& program, const Symbols& symbols, const Call& call) {
  if (call.kernel != "conv" && call.kernel != "conv_map") return std::nullopt;
  const auto* w = std::get_if<TensorId>(&call.inputs[1]);
  const auto* window = std::get_if<Aggregate>(&call.arguments[0]);
  const auto* groups = std::get_if<Literal>(&call.arguments[1]);
  if (!w || *w == no_tensor || !window || !groups || groups->text != "1") return std::nullopt;
  const VirtualTensor& weight = program.tensors[*w];
  if (!is_float(weight.dtype) || is_narrow(weight.dtype) || compute_type(weight.dtype) != DType::float32 ||
      compute_type(program.tensors[call.outputs[0]].dtype) != DType::float32)
    return std::nullopt;
  // The kernel's, the strides and the dilations of two axes, and where it begins.
  constexpr std::array<std::int64_t, 6> plain{3, 3, 1, 1, 1, 1};
  if (window->values.size() != 8 || !std::ranges::equal(plain, std::span(window->values).first<6>(), {}, [](std::int64_t n) { return Polynomial(n); }))
    return std::nullopt;
  const std::vector<Polynomial> extents = extents_of(weight, symbols);
  const auto outputs = extents[0].constant(), channels = extents[1].constant();
  if (!outputs || !channels || *outputs < least_channels || *channels < least_channels) return std::nullopt;
  return *outputs * *channels > most_elements ? "loam::form::Winograd<2>" : "loam::form::Winograd<4>";
}

}  // namespace loam
