// Axes are types: what a tensor's type says of each axis, and the relations a kernel's signature can state.
//
// Two axes are one only where they are one type. An axis whose type fixes its extent to 1 holds one element, so it may
// meet any other: that is what broadcasting is.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace loam {

// A list of axes, outermost first.
template <class... Axes>
struct List {
  static constexpr std::size_t size = sizeof...(Axes);
};

// An axis of one element that nothing names.
struct One {
  static constexpr std::int64_t extent = 1;
};

// An axis made of parts, outermost first: a merge of adjacent axes, as a Reshape makes.
template <class... Parts>
struct Merged {};

namespace detail {

template <class A>
concept fixed_extent = requires { { A::extent } -> std::convertible_to<std::int64_t>; };

template <class A>
constexpr bool is_unit() {
  if constexpr (fixed_extent<A>) return A::extent == 1;
  else return false;
}

template <std::size_t I, class L>
struct At;
template <std::size_t I, class First, class... Rest>
struct At<I, List<First, Rest...>> : At<I - 1, List<Rest...>> {};
template <class First, class... Rest>
struct At<0, List<First, Rest...>> { using type = First; };

// Whether the last Count axes of In, of rank RI, each are Out's axis of the same place from the end, or a unit.
template <class Out, class In, std::size_t RO, std::size_t RI, std::size_t... I>
constexpr bool suffix_fits(std::index_sequence<I...>) {
  return (... && (std::is_same_v<typename At<RO - 1 - I, Out>::type, typename At<RI - 1 - I, In>::type> ||
                  is_unit<typename At<RI - 1 - I, In>::type>()));
}

template <class Out, class In>
constexpr bool broadcasts_into() {
  if constexpr (In::size > Out::size) return false;
  else return suffix_fits<Out, In, Out::size, In::size>(std::make_index_sequence<In::size>{});
}

template <class A, class B>
constexpr bool meet = std::is_same_v<A, B> || is_unit<A>() || is_unit<B>();

// The leading `N` axes of In fit Out's axes ending before its last `Drop` axes.
template <class Out, class In, std::size_t DropOut, std::size_t DropIn, std::size_t... I>
constexpr bool batch_fits(std::index_sequence<I...>) {
  return (... && (std::is_same_v<typename At<Out::size - DropOut - 1 - I, Out>::type,
                                 typename At<In::size - DropIn - 1 - I, In>::type> ||
                  is_unit<typename At<In::size - DropIn - 1 - I, In>::type>()));
}

// ONNX MatMul: [.., M, K] x [.., K, N] -> [.., M, N], an operand of one axis giving up the axis it lacks.
template <class Out, class A, class B>
constexpr bool contracts_into() {
  if constexpr (A::size == 0 || B::size == 0) {
    return false;
  } else {
    constexpr std::size_t m = A::size > 1, n = B::size > 1;
    constexpr std::size_t ba = A::size - 1 - m, bb = B::size - 1 - n;
    constexpr std::size_t batch = ba > bb ? ba : bb;
    if constexpr (Out::size != batch + m + n) {
      return false;
    } else {
      if (!meet<typename At<A::size - 1, A>::type, typename At<B::size - 1 - n, B>::type>) return false;
      if constexpr (m == 1)
        if (!meet<typename At<Out::size - 1 - n, Out>::type, typename At<A::size - 2, A>::type>) return false;
      if constexpr (n == 1)
        if (!meet<typename At<Out::size - 1, Out>::type, typename At<B::size - 1, B>::type>) return false;
      return batch_fits<Out, A, m + n, 1 + m>(std::make_index_sequence<ba>{}) &&
             batch_fits<Out, B, m + n, 1 + n>(std::make_index_sequence<bb>{});
    }
  }
}

template <class Out, class In, std::size_t... I>
constexpr bool each_same_or_unit(std::index_sequence<I...>) {
  return (... && (std::is_same_v<typename At<I, Out>::type, typename At<I, In>::type> ||
                  is_unit<typename At<I, Out>::type>()));
}

// Whether Kept is a subsequence of All.
template <class Kept, class All>
struct Subsequence : std::bool_constant<Kept::size == 0> {};
template <class K, class... Ks, class A, class... As>
struct Subsequence<List<K, Ks...>, List<A, As...>>
    : std::bool_constant<(std::is_same_v<K, A> && Subsequence<List<Ks...>, List<As...>>::value) ||
                         Subsequence<List<K, Ks...>, List<As...>>::value> {};

}  // namespace detail

// In, aligned at its end, stretches to Out.
template <class Out, class... In>
concept broadcasts = (... && detail::broadcasts_into<Out, In>());

// A x B contracts A's last axis with B's last but one, batch axes broadcasting (ONNX MatMul).
template <class Out, class A, class B>
concept contracts = detail::contracts_into<Out, A, B>();

// Out is In with some axes gone, or with some axes become units.
template <class Out, class In>
concept reduces = (Out::size == In::size && [] {
  if constexpr (Out::size == In::size) return detail::each_same_or_unit<Out, In>(std::make_index_sequence<In::size>{});
  else return false;
}()) || detail::Subsequence<Out, In>::value;

// One axis list.
template <class A, class B>
concept same_axes = std::same_as<A, B>;

// One axis list but for the axis at I.
namespace detail {
template <std::size_t Axis, class A, class B, std::size_t... I>
constexpr bool same_but(std::index_sequence<I...>) {
  return (... && (I == Axis || meet<typename At<I, A>::type, typename At<I, B>::type>));
}
}  // namespace detail
template <std::size_t Axis, class A, class B>
concept same_axes_but = (A::size == B::size) && detail::same_but<Axis, A, B>(std::make_index_sequence<A::size>{});

}  // namespace loam
