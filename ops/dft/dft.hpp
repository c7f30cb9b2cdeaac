// dft: the discrete Fourier transform along an axis (ONNX DFT).
//
//   out[.., k, ..] = sum over j of x[.., j, ..] * exp(-2 pi i j k / length); inverse: with +, and divided by length
//
// The last axis of x is 1 (real) or 2 (real and imaginary part), and is not the axis transformed. x is cut, or extended
// by zeros, to `length`. With onesided the transform gives only the first length / 2 + 1 of a real signal's
// coefficients; the inverse then takes those of them that x has, and its output is real: the last axis of out is 1.
// Computed in double, for a power of two by halving, for any other length by Bluestein's convolution (1970).
#pragma once

#include "runtime/relations.hpp"

namespace loam {

namespace kernels {
struct Dft {};
}  // namespace kernels

template <class B, class T, class... Axes, class... AX>
  requires same_rank<List<Axes...>, List<AX...>> && (sizeof...(Axes) >= 2)
void dft(B& b, const Value<B, T, Axes...>& out, int axis, std::int64_t length, bool inverse, bool onesided,
         const Value<B, T, AX...>& x) {
  b.call(kernels::Dft{}, out.operand(), axis, length, inverse, onesided, x.operand());
}

// Of the length that the shapes say: out's, or x's where out is one-sided.
template <class B, class T, class... Axes, class... AX>
  requires same_rank<List<Axes...>, List<AX...>> && (sizeof...(Axes) >= 2)
void dft(B& b, const Value<B, T, Axes...>& out, int axis, bool inverse, bool onesided, const Value<B, T, AX...>& x) {
  dft(b, out, axis, onesided && !inverse ? x.extent(axis) : out.extent(axis), inverse, onesided, x);
}

}  // namespace loam
