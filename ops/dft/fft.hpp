// Fourier transforms of one line, in double.
#pragma once

#include <bit>
#include <cmath>
#include <numbers>

#include "runtime/strided.hpp"

namespace loam {

namespace detail {

// Arithmetic without std::complex's care for infinities.
struct Complex {
  double re, im;
};
constexpr Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
constexpr Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
constexpr Complex operator*(Complex a, Complex b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
constexpr Complex conjugate(Complex a) { return {a.re, -a.im}; }

inline Complex root_of_unity(std::int64_t k, std::int64_t n) {  // exp(-2 pi i k / n)
  const double angle = -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n);
  return {std::cos(angle), std::sin(angle)};
}

// In place, of n = a power of two elements; roots[k] = exp(-2 pi i k / n) for k < n / 2.
inline void fft_power_of_two(Complex* a, std::int64_t n, const Complex* roots) {
  for (std::int64_t i = 1, j = 0; i < n; ++i) {  // j is i with its bits in reverse
    std::int64_t bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(a[i], a[j]);
  }
  for (std::int64_t half = 1; half < n; half *= 2)
    for (std::int64_t start = 0; start < n; start += 2 * half)
      for (std::int64_t k = 0; k < half; ++k) {
        const Complex even = a[start + k], odd = a[start + half + k] * roots[k * (n / (2 * half))];
        a[start + k] = even + odd;
        a[start + half + k] = even - odd;
      }
}

// The forward transform of one length, its tables made once.
class Fourier {
 public:
  explicit Fourier(std::int64_t length)
      : length_(length),
        direct_(std::has_single_bit(static_cast<std::uint64_t>(length))),
        padded_(direct_ ? length : power_of_two_from(2 * length - 1)) {}

  std::int64_t scratch_bytes() const {
    return Scratch::bytes<Complex>(padded_ / 2 + 1) + (direct_ ? 0 : 2 * Scratch::bytes<Complex>(padded_) +
                                                                         Scratch::bytes<Complex>(length_));
  }
  void prepare(Scratch& scratch) {
    roots_ = scratch.take<Complex>(padded_ / 2 + 1);
    for (std::int64_t k = 0; k < padded_ / 2; ++k) roots_[k] = root_of_unity(k, padded_);
    if (direct_) return;
    // j k = (j^2 + k^2 - (k - j)^2) / 2, so the transform is a convolution with a chirp between two products with it.
    chirp_ = scratch.take<Complex>(length_);
    filter_ = scratch.take<Complex>(padded_);
    work_ = scratch.take<Complex>(padded_);
    std::int64_t square = 0;  // of k, modulo 2 * length, which keeps the angle small and the square in range
    for (std::int64_t k = 0; k < length_; ++k) {
      chirp_[k] = root_of_unity(square, 2 * length_);
      square = (square + 2 * k + 1) % (2 * length_);
    }
    std::fill_n(filter_, padded_, Complex{});
    filter_[0] = conjugate(chirp_[0]);
    for (std::int64_t k = 1; k < length_; ++k) filter_[k] = filter_[padded_ - k] = conjugate(chirp_[k]);
    fft_power_of_two(filter_, padded_, roots_);
  }
  void transform(Complex* a) const {
    if (direct_) return fft_power_of_two(a, length_, roots_);
    std::fill_n(work_, padded_, Complex{});
    for (std::int64_t k = 0; k < length_; ++k) work_[k] = a[k] * chirp_[k];
    fft_power_of_two(work_, padded_, roots_);
    for (std::int64_t k = 0; k < padded_; ++k) work_[k] = conjugate(work_[k] * filter_[k]);
    fft_power_of_two(work_, padded_, roots_);  // of the conjugate: the inverse's conjugate
    const double scale = 1 / static_cast<double>(padded_);
    for (std::int64_t k = 0; k < length_; ++k) {
      const Complex v = conjugate(work_[k]) * chirp_[k];
      a[k] = {v.re * scale, v.im * scale};
    }
  }

 private:
  static std::int64_t power_of_two_from(std::int64_t n) {
    return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(n)));
  }

  std::int64_t length_;
  bool direct_;
  std::int64_t padded_;
  Complex* roots_ = nullptr;
  Complex* chirp_ = nullptr;
  Complex* filter_ = nullptr;
  Complex* work_ = nullptr;
};

}  // namespace detail

}  // namespace loam
