// reduce: out = a function of the elements of x along the axes of Over (ONNX Reduce*). Axes count from 0, outermost;
// out has x's rank, a unit in place of each reduced axis, or lacks the reduced axes.
//
//   Sum  Mean  Max  Min  Product  L1 = sum |x|  L2 = sqrt(sum x^2)  LogSum = log(sum x)  SumSquare = sum x^2
//   LogSumExp = log(sum exp x), the greatest element subtracted first
//
// Of no elements: Sum, L1, L2 and SumSquare 0; Product 1; Mean NaN (0 in integers); Max and Min the least and the
// greatest value of the type; LogSum and LogSumExp minus infinity. Max and Min are NaN where an element is. Integer
// sums wrap and an integer Mean truncates; of bool there are Max and Min. Float sums are kept in several partial sums
// of at most 64 terms, added in double, so the error does not grow with the number of terms.
#pragma once

#include "runtime/value.hpp"

namespace loam {

namespace reducer {
struct Sum {};
struct Mean {};
struct Max {};
struct Min {};
struct Product {};
struct L1 {};
struct L2 {};
struct LogSum {};
struct LogSumExp {};
struct SumSquare {};
}  // namespace reducer

template <int... Axes>
struct Over {};

namespace kernels {
template <class Reducer, class Axes>
struct Reduce {};
template <class Reducer>
struct ReduceChosen {};
}  // namespace kernels

namespace detail {

template <class Out, class In, bool Kept, int... Over, std::size_t... I>
constexpr bool reduced_each(std::index_sequence<I...>) {
  const auto fits = []<std::size_t Axis>() {
    constexpr int axis = static_cast<int>(Axis);
    constexpr bool gone = (... || (axis == Over));
    constexpr std::size_t place = Kept ? Axis : Axis - static_cast<std::size_t>((0 + ... + (Over < axis ? 1 : 0)));
    if constexpr (gone && !Kept) return true;
    else if constexpr (gone) return is_unit<typename At<place, Out>::type>();
    else return std::is_same_v<typename At<place, Out>::type, typename At<Axis, In>::type>;
  };
  return (... && fits.template operator()<I>());
}

template <class Out, class In, int... Axes>
constexpr bool reduces_over(Over<Axes...>) {
  constexpr bool within = (... && (Axes >= 0 && Axes < static_cast<int>(In::size)));
  if constexpr (!within) return false;
  else if constexpr (Out::size == In::size)
    return reduced_each<Out, In, true, Axes...>(std::make_index_sequence<In::size>{});
  else if constexpr (Out::size + sizeof...(Axes) == In::size)
    return reduced_each<Out, In, false, Axes...>(std::make_index_sequence<In::size>{});
  else return false;
}

}  // namespace detail

// Out is In with exactly the axes of Over become units, or gone.
template <class Out, class In, class Over>
concept reduces_over = detail::reduces_over<Out, In>(Over{});

template <class B, class T, class... Axes, class Reducer, int... Reduced, class TX, class... AX>
  requires reduces_over<List<Axes...>, List<AX...>, Over<Reduced...>>
void reduce(B& b, const Value<B, T, Axes...>& out, Reducer, Over<Reduced...>, const Value<B, TX, AX...>& x) {
  b.call(kernels::Reduce<Reducer, Over<Reduced...>>{}, out.operand(), x.operand());
}

// The same over axes that only the run knows: those of the bits set in `axes`. Out's extents are what they leave.
template <class B, class T, class... Axes, class Reducer, class TX, class... AX>
  requires(sizeof...(Axes) <= sizeof...(AX))
void reduce_chosen(B& b, const Value<B, T, Axes...>& out, Reducer, std::int64_t axes, const Value<B, TX, AX...>& x) {
  b.call(kernels::ReduceChosen<Reducer>{}, out.operand(), axes, x.operand());
}

}  // namespace loam
