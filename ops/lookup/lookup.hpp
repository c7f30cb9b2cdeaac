// lookup: the value of each element's key (ONNX-ML LabelEncoder).
//
//   out[i..] = values[k] where keys[k] is x[i..], `otherwise` where no key is
//
// Without `otherwise` an element that is no key is a failure of the run.
// The keys ascend and differ; of floats NaN is a key like another, above every number, and 0 is -0.
#pragma once

#include <array>
#include <cstddef>

#include "runtime/backend.hpp"
#include "runtime/relations.hpp"

namespace loam {

namespace kernels {
struct Lookup {};
}  // namespace kernels

template <class B, class T, class... Axes, class Key, class... AX, std::size_t N>
  requires axes_agree<List<Axes...>, List<AX...>>
void lookup(B& b, const Value<B, T, Axes...>& out, const std::array<Key, N>& keys, const std::array<T, N>& values,
            const T& otherwise, const Value<B, Key, AX...>& x) {
  b.call(kernels::Lookup{}, out.operand(), keys, values, otherwise, x.operand());
}
template <class B, class T, class... Axes, class Key, class... AX, std::size_t N>
  requires axes_agree<List<Axes...>, List<AX...>>
void lookup(B& b, const Site& site, const Value<B, T, Axes...>& out, const std::array<Key, N>& keys,
            const std::array<T, N>& values, const Value<B, Key, AX...>& x) {
  b.call(kernels::Lookup{}, site, out.operand(), keys, values, x.operand());
}

}  // namespace loam
