// The tensors of one level of a module, and those that its program sees: alike, and types of two namespaces. Elements cross
// where they lie.
#pragma once

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

#include "runtime/tensor.hpp"

namespace loam {

// Read where they lie, while `from` lives. Strings, which forward reads as views of the tensor, are copied.
template <class From>
struct Lent {
  const From& from;
  template <class T, class... Axes>
  operator Tensor<T, Axes...>() const {
    using Element = typename From::element;
    static_assert(sizeof(T) == sizeof(Element) && sizeof...(Axes) == static_cast<std::size_t>(From::rank));
    if constexpr (std::is_same_v<T, std::string>) return Tensor<T, Axes...>(from.extents(), from.span());
    else return Tensor<T, Axes...>::borrow(from.extents(), reinterpret_cast<const T*>(from.data()));
  }
};
template <class From>
Lent<From> lent(const From& from) { return {from}; }

// Handed over with their memory, which is `from`'s own.
template <class From>
struct Given {
  From& from;
  template <class To>
  operator To() const {
    static_assert(sizeof(typename To::element) == sizeof(typename From::element) && To::rank == From::rank);
    auto memory = from.release();
    if constexpr (std::is_same_v<decltype(memory), typename To::Memory>) {
      return To::adopt(from.extents(), std::move(memory));
    } else {
      const std::size_t bytes = memory.size();
      return To::adopt(from.extents(), typename To::Memory(memory.release(), bytes));
    }
  }
};
template <class From>
Given<From> given(From& from) { return {from}; }

template <class T>
void drop(void* held) { delete static_cast<T*>(held); }

}  // namespace loam
