// Windows that slide over spatial axes: what Conv, the poolings and their kin read of a node alike.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "compiler/operators/lower.hpp"
#include "compiler/operators/operator.hpp"

namespace loam {

// One entry a spatial axis; the windows of axis i are `out[i]` of `kernel[i]` elements each.
struct Windows {
  std::vector<Polynomial> in, kernel, begin, end, out;  // the input's extents, the kernel's, the padding, the output's
  std::vector<std::int64_t> strides, dilations;

  std::size_t size() const { return in.size(); }
  // Elements from a window's first to its last.
  Polynomial reach(std::size_t i) const { return (kernel[i] - 1) * dilations[i] + 1; }
  Polynomial padded(std::size_t i) const { return in[i] + begin[i] + end[i]; }
};

// An attribute of one number a spatial axis (`most` numbers where it is pads), each at least `least`; nullopt where it
// is reported.
std::optional<std::vector<std::int64_t>> window_numbers(const NodeContext& c, std::string_view name, std::size_t count,
                                                        std::int64_t fallback, std::int64_t least);
// kernel_shape, which must be there.
std::optional<std::vector<Polynomial>> kernel_shape(const NodeContext& c, std::size_t spatial);
// kernel_shape, where it is there, is what the weight holds.
bool expect_kernel(const InferContext& c, int weight);
// The spatial extents of input i: those after batch and channels.
std::vector<Polynomial> spatial_extents(const NodeContext& c, int i);

// Where the windows of an axis of `in` elements lie, by the attributes strides, dilations, pads and auto_pad. With
// `ceil` a last window may reach past the end padding, but not start in it.
std::optional<Windows> read_windows(const NodeContext& c, std::vector<Polynomial> in, std::vector<Polynomial> kernel,
                                    bool ceil = false);
// Each padded axis of input 0 must hold the kernel's reach.
void owe_reach(const InferContext& c, const Windows& w);

// batch, channels, and a new axis for each list of windows.
std::vector<Axis> window_axes(const InferContext& c, const Axis& batch, const Axis& channels,
                              const std::vector<Polynomial>& out);

// loam::Window{spatial, kernel, strides, dilations, leading pads}
Aggregate window_argument(const Windows& w);
// The trailing pads, as the three numbers that average_pool takes.
ExtentList pads_end_argument(const Windows& w);

}  // namespace loam
