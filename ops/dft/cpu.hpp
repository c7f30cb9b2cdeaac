#pragma once

#include "ops/dft/dft.hpp"
#include "ops/dft/fft.hpp"

namespace loam {

template <class T>
void run(kernels::Dft, Cpu& cpu, const View<T>& out, int axis, std::int64_t length, bool inverse, bool onesided,
         const View<T>& x) {
  if (out.elements() == 0 || length < 1) return detail::fill_elements(out, store<T>(compute_t<T>{}));
  using detail::Complex;
  const int last = out.rank() - 1;
  const bool mirrored = inverse && onesided;  // x holds a Hermitian line's first half
  const std::int64_t given = std::min(x.extent(axis), mirrored ? length / 2 + 1 : length);
  const bool complex_in = x.extent(last) == 2, complex_out = out.extent(last) == 2;
  detail::Fourier fourier(length);
  detail::Scratch scratch(cpu, detail::Scratch::bytes<Complex>(length) + fourier.scratch_bytes());
  if (!scratch) return;
  Complex* const line = scratch.take<Complex>(length);
  fourier.prepare(scratch);
  const double scale = inverse ? 1 / static_cast<double>(length) : 1;
  // The lines: every axis but the transformed one and the last.
  const Dims to_lines = detail::without(detail::leading(out.dims, last), axis);
  const Dims from_lines = detail::without(detail::leading(x.dims, last), axis);
  detail::walk(
      [&](std::int64_t, std::int64_t to, std::int64_t from) {
        for (std::int64_t j = 0; j < length; ++j) {
          line[j] = {};
          if (j >= given) continue;
          const T* const element = x.data + from + j * x.stride(axis);
          line[j].re = static_cast<double>(load(element[0]));
          if (complex_in) line[j].im = static_cast<double>(load(element[x.stride(last)]));
        }
        if (mirrored)
          for (std::int64_t j = length / 2 + 1; j < length; ++j) line[j] = detail::conjugate(line[length - j]);
        // The inverse is the conjugate of the conjugate's transform.
        if (inverse)
          for (std::int64_t j = 0; j < length; ++j) line[j] = detail::conjugate(line[j]);
        fourier.transform(line);
        for (std::int64_t k = 0; k < std::min(out.extent(axis), length); ++k) {
          T* const element = out.data + to + k * out.stride(axis);
          element[0] = store<T>(static_cast<compute_t<T>>(line[k].re * scale));
          if (complex_out) element[1] = store<T>(static_cast<compute_t<T>>((inverse ? -1 : 1) * line[k].im * scale));
        }
      },
      to_lines, from_lines);
}

}  // namespace loam
