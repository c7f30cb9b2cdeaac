// Tensors of strings: at a module's boundary they own their text, and within it an element is a view of it, which
// kernels that move elements move as any other.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/tensor.hpp"

namespace loam {

template <class... Axes>
class Tensor<std::string, Axes...> {
 public:
  using element = std::string;
  using axes = List<Axes...>;
  static constexpr int rank = static_cast<int>(sizeof...(Axes));
  using Extents = std::array<std::int64_t, sizeof...(Axes)>;
  using Memory = std::vector<std::string>;

  Tensor() = default;
  // Empty strings.
  explicit Tensor(Extents extents) : extents_(extents), strings_(static_cast<std::size_t>(elements())) {}
  // A copy of `values`, which must be as many as the extents hold.
  Tensor(Extents extents, std::span<const std::string> values) : Tensor(extents) {
    std::copy_n(values.data(), std::min(values.size(), strings_.size()), strings_.data());
  }
  static Tensor adopt(Extents extents, Memory strings) {
    Tensor t;
    t.extents_ = extents;
    t.strings_ = std::move(strings);
    return t;
  }
  Memory release() { return std::move(strings_); }
  Tensor clone() const { return Tensor(extents_, span()); }

  std::int64_t extent(int axis) const { return extents_[static_cast<std::size_t>(axis)]; }
  const Extents& extents() const { return extents_; }
  std::int64_t elements() const {
    std::int64_t n = 1;
    for (const std::int64_t e : extents_) n *= e;
    return n;
  }
  std::string* data() { return strings_.data(); }
  const std::string* data() const { return strings_.data(); }
  std::span<std::string> span() { return strings_; }
  std::span<const std::string> span() const { return strings_; }
  std::string& operator[](std::int64_t i) { return strings_[static_cast<std::size_t>(i)]; }
  const std::string& operator[](std::int64_t i) const { return strings_[static_cast<std::size_t>(i)]; }
  Dims dims() const { return Dims(std::span<const std::int64_t>(extents_.data(), extents_.size())); }

 private:
  Extents extents_{};
  std::vector<std::string> strings_;
};

// Views of a tensor's strings, for as long as it lives unchanged.
template <class... Axes>
Tensor<std::string_view, Axes...> views(const Tensor<std::string, Axes...>& text) {
  Tensor<std::string_view, Axes...> views(text.extents());
  std::copy_n(text.data(), text.span().size(), views.data());
  return views;
}

// A copy of what the views show.
template <class... Axes>
Tensor<std::string, Axes...> owned(const Tensor<std::string_view, Axes...>& views) {
  Tensor<std::string, Axes...> text(views.extents());
  std::copy_n(views.data(), text.span().size(), text.data());
  return text;
}

}  // namespace loam
