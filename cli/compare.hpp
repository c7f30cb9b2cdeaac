// Whether a module's output is the expected one.
//
// Element types and extents must be equal. Integers, bools and the float8 and float4 types must be equal element by
// element: their values are too few for a tolerance. Of the other floats, NaN must meet NaN, an infinity the same
// infinity, and finite elements must satisfy numpy.testing.assert_allclose's
//
//   |actual - expected| <= atol + rtol * |expected|
//
// rtol is 1e-3. atol is 1e-7 for a graph of one operator, as ONNX's own runner has it; for a larger graph, whose
// rounding errors have passed through many nodes, it is 1e-5 of the largest finite magnitude expected in that output,
// or 1e-7 where that is more: an output may be all but zero, such as the probability of nothing there. A float16 or
// bfloat16 element carries at best half a unit in its last place, so with eps its unit at 1 (2^-10, 2^-7) rtol is at
// least 2 eps, and a larger graph's atol at least eps of the largest magnitude.
#pragma once

#include <optional>
#include <string>

#include "cli/tensor.hpp"

namespace loam::cli {

struct Tolerance {
  bool one_operator = true;
  std::optional<double> rtol, atol;  // as given on the command line, which wins over all of the above
  double least_atol = 0;             // as the case's expectation gives it: an atol below is raised to it
};

// What differs, in one line: "element [0, 3] is 1.5 and should be 1.25 (and 12 more of 64)". Absent where nothing does.
std::optional<std::string> difference(const harness::RawTensor& actual, const HostTensor& expected, const Tolerance&);

}  // namespace loam::cli
