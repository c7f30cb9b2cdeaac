// Relations of axis lists beyond runtime/axes.hpp's: those of kernels that change a few axes and keep the rest.
#pragma once

#include "runtime/axes.hpp"
#include "runtime/value.hpp"

namespace loam {

namespace detail {

template <class A, class B, std::size_t... I>
constexpr std::size_t axes_apart(std::index_sequence<I...>) {
  return (std::size_t{0} + ... + (meet<typename At<I, A>::type, typename At<I, B>::type> ? 0u : 1u));
}
template <class A, class B>
constexpr bool apart_at_most(std::size_t count) {
  if constexpr (A::size != B::size) return false;
  else return axes_apart<A, B>(std::make_index_sequence<A::size>{}) <= count;
}

// The first Count axes of A and B are each one axis.
template <std::size_t Count, class A, class B>
constexpr bool same_leading() {
  if constexpr (A::size < Count || B::size < Count) {
    return false;
  } else {
    return []<std::size_t... I>(std::index_sequence<I...>) {
      return (... && meet<typename At<I, A>::type, typename At<I, B>::type>);
    }(std::make_index_sequence<Count>{});
  }
}

template <class V, std::size_t Rank>
constexpr bool rank_or_none() {
  if constexpr (std::is_same_v<V, None>) return true;
  else return V::axes::size == Rank;
}

}  // namespace detail

// One axis list, a unit meeting any axis.
template <class A, class B>
concept axes_agree = detail::apart_at_most<A, B>(0);

// One axis list but for one axis, whichever it is.
template <class A, class B>
concept same_axes_but_one = detail::apart_at_most<A, B>(1);

// One rank.
template <class A, class B>
concept same_rank = A::size == B::size;

// The first Count axes are each one axis.
template <std::size_t Count, class A, class B>
concept same_leading_axes = detail::same_leading<Count, A, B>();

// The axis at I of A and the axis at J of B are one.
template <class A, std::size_t I, class B, std::size_t J>
concept axes_meet = (I < A::size) && (J < B::size) &&
                    detail::meet<typename detail::At<I, A>::type, typename detail::At<J, B>::type>;

// An optional operand, of a rank where it is given.
template <class V, std::size_t Rank>
concept optional_of_rank = detail::rank_or_none<V, Rank>();

}  // namespace loam
