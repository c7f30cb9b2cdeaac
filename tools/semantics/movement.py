"""Slices, ranges, joins, splits, repetitions and picks at lengths that the inputs bring."""
from semantics import case

# ---- Slice: a bound counts from the end where negative, and is clamped to the axis ----
case("slice_to_length", """
(float[8] x, float[N] n) => (float[K] y) <int64[1] zero = {0}> { s = Shape(n)  y = Slice(x, zero, s) }
""", dict(N=3), dict(N=8), dict(N=10))
case("slice_from_length", """
(float[8] x, float[N] n) => (float[K] y) <int64[1] far = {9223372036854775807}> { s = Shape(n)  y = Slice(x, s, far) }
""", dict(N=3), dict(N=0), dict(N=11))
case("slice_by_length", """
(float[N] x, float[12] t) => (float[K] y) <int64[1] two = {2}> { n = Shape(x)  e = Add(n, two)  y = Slice(t, two, e) }
""", dict(N=4), dict(N=9), dict(N=13))
case("slice_past_length", """
(float[N] x) => (float[K] y) <int64[1] two = {2}, int64[1] past = {100}> { y = Slice(x, two, past) }
""", dict(N=5), dict(N=1))
case("slice_back_from_end", """
(float[N] x) => (float[K] y, float[J] z) <int64[1] three = {-3}, int64[1] one = {-1}, int64[1] far = {9223372036854775807}> {
  y = Slice(x, three, far)  z = Slice(x, three, one)
}""", dict(N=5), dict(N=2), dict(N=0))
case("slice_to_negative_length", """
(float[8] x, float[N] n) => (float[K] y) <int64[1] zero = {0}> { s = Shape(n)  m = Neg(s)  y = Slice(x, zero, m) }
""", dict(N=3), dict(N=9))
case("slice_reversed", """
(float[N] x) => (float[N] y) <int64[1] last = {-1}, int64[1] before = {-9223372036854775807}, int64[1] zero = {0}> {
  y = Slice(x, last, before, zero, last)
}""", dict(N=4), dict(N=1), dict(N=0))
case("slice_reversed_to_length", """
(float[9] x, float[N] n) => (float[K] y) <int64[1] last = {-1}, int64[1] zero = {0}, int64[1] step = {-2}> {
  s = Shape(n)  y = Slice(x, last, s, zero, step)
}""", dict(N=2), dict(N=5), dict(N=8))
case("slice_every_other", """
(float[N] x) => (float[K] y, float[J] z) <int64[1] zero = {0}, int64[1] one = {1}, int64[1] far = {9223372036854775807}, int64[1] two = {2}> {
  y = Slice(x, zero, far, zero, two)  z = Slice(x, one, far, zero, two)
}""", dict(N=6), dict(N=7), dict(N=1))
case("slice_halves_add", """
(float["2*N"] x) => (float[N] y) <int64[1] zero = {0}, int64[1] two = {2}, int64[1] far = {9223372036854775807}> {
  n = Shape(x)  h = Div(n, two)  a = Slice(x, zero, h)  b = Slice(x, h, far)  y = Add(a, b)
}""", dict(N=2), dict(N=5))
case("slice_of_slice", """
(float[N] x) => (float[K] y) <int64[1] one = {1}, int64[1] two = {2}, int64[1] far = {9223372036854775807}, int64[1] last = {-1}> {
  a = Slice(x, two, far)  y = Slice(a, one, last)
}""", dict(N=7), dict(N=3))
case("slice_shifted_difference", """
(float[N] x) => (float[K] y) <int64[1] zero = {0}, int64[1] one = {1}, int64[1] last = {-1}, int64[1] far = {9223372036854775807}> {
  a = Slice(x, one, far)  b = Slice(x, zero, last)  y = Sub(a, b)
}""", dict(N=6), dict(N=2), dict(N=1))
case("slice_two_axes", """
(float[N, M] x) => (float[K, J] y) <int64[2] from = {1, -2}, int64[2] to = {3, 100}, int64[2] axes = {0, 1}> {
  y = Slice(x, from, to, axes)
}""", dict(N=4, M=5), dict(N=2, M=1))
case("slice_by_two_lengths", """
(float[N] n, float[M] m, float[10] x) => (float[K] y) { a = Shape(n)  b = Shape(m)  y = Slice(x, a, b) }
""", dict(N=2, M=6), dict(N=5, M=3), dict(N=4, M=20))

# ---- Range ----
case("range_to_length", """
(float[N] x) => (int64[N] y) <int64 zero = {0}, int64 one = {1}> { s = Shape(x)  n = Squeeze(s)  y = Range(zero, n, one) }
""", dict(N=3), dict(N=0))
case("range_from_length", """
(float[N] x) => (int64[K] y) <int64 ten = {10}, int64 one = {1}> { s = Shape(x)  n = Squeeze(s)  y = Range(n, ten, one) }
""", dict(N=3), dict(N=12))
case("range_back_from_length", """
(float[N] x) => (int64[N] y) <int64 zero = {0}, int64 step = {-1}> { s = Shape(x)  n = Squeeze(s)  y = Range(n, zero, step) }
""", dict(N=4), dict(N=1))
case("range_by_two", """
(float[N] x) => (int64[K] y) <int64 zero = {0}, int64 two = {2}> { s = Shape(x)  n = Squeeze(s)  y = Range(zero, n, two) }
""", dict(N=6), dict(N=7))
case("range_by_length", """
(float[N] x) => (int64[K] y) <int64 zero = {0}, int64 ten = {10}> { s = Shape(x)  n = Squeeze(s)  y = Range(zero, ten, n) }
""", dict(N=3), dict(N=5), dict(N=11))
case("range_to_half_of_length", """
(float[N] x) => (int64[K] y) <int64 zero = {0}, int64 one = {1}, int64 two = {2}> {
  s = Shape(x)  n = Squeeze(s)  h = Div(n, two)  y = Range(zero, h, one)
}""", dict(N=6), dict(N=9))
case("range_between_lengths", """
(float[N] x, float[M] z) => (int64[K] y) <int64 one = {1}> {
  s = Shape(x)  n = Squeeze(s)  t = Shape(z)  m = Squeeze(t)  y = Range(n, m, one)
}""", dict(N=2, M=6), dict(N=5, M=3))
case("range_of_floats", """
(float[N] x) => (float[K] y) <float zero = {0.0}, float step = {0.5}> {
  s = Shape(x)  n = Squeeze(s)  f = Cast<to = 1>(n)  y = Range(zero, f, step)
}""", dict(N=2), dict(N=3))
case("range_of_int32", """
(float[N] x) => (int32[N] y) <int32 zero = {0}, int32 one = {1}> {
  s = Shape(x)  n = Squeeze(s)  i = Cast<to = 6>(n)  y = Range(zero, i, one)
}""", dict(N=4), dict(N=2))

# ---- Split and Concat ----
case("split_tail", """
(float[N] x) => (float[2] a, float[K] b) <int64[1] two = {2}> {
  n = Shape(x)  r = Sub(n, two)  parts = Concat<axis = 0>(two, r)  a, b = Split<axis = 0>(x, parts)
}""", dict(N=5), dict(N=2))
case("split_at_length", """
(float[M] m, float["M + N"] x) => (float[M] a, float[N] b) {
  s = Shape(m)  n = Shape(x)  r = Sub(n, s)  parts = Concat<axis = 0>(s, r)  a, b = Split<axis = 0>(x, parts)
}""", dict(N=5, M=2), dict(N=1, M=3))
case("split_even", """
(float["3*N"] x) => (float[N] a, float[N] b, float[N] c, float[N] d) {
  a, b, c = Split<axis = 0, num_outputs = 3>(x)  t = Add(a, b)  d = Add(t, c)
}""", dict(N=2), dict(N=4))
case("split_uneven", """
(float[N] x) => (float[K] a, float[L] b, float[M] c) { a, b, c = Split<axis = 0, num_outputs = 3>(x) }
""", dict(N=7), dict(N=9), dict(N=5))
case("concat_of_two_lengths", """
(float[N, 2] x, float[M, 2] y) => (float[K, 2] z, int64[2] s) { z = Concat<axis = 0>(x, y)  s = Shape(z) }
""", dict(N=2, M=3), dict(N=4, M=0))
case("concat_with_constant", """
(float[N] x) => (float[K] y) <float[2] c = {7.0, 8.0}> { y = Concat<axis = 0>(c, x, c) }
""", dict(N=3), dict(N=0))
case("concat_then_slice_apart", """
(float[N] x, float[M] y) => (float[N] a, float[M] b) <int64[1] zero = {0}, int64[1] far = {9223372036854775807}> {
  z = Concat<axis = 0>(x, y)  n = Shape(x)  a = Slice(z, zero, n)  b = Slice(z, n, far)
}""", dict(N=2, M=3), dict(N=4, M=1))

# ---- Expand, Tile, Pad ----
case("expand_to_lengths", """
(float[1, 3] x, float[N, M] n) => (float[N, M, 3] y) <int64[1] three = {3}> {
  s = Shape(n)  t = Concat<axis = 0>(s, three)  y = Expand(x, t)
}""", dict(N=2, M=4), dict(N=3, M=1))
case("expand_both_ways", """
(float[N, 1] x, float[M] y) => (float[N, M] z) <int64[1] one = {1}> {
  m = Shape(y)  s = Concat<axis = 0>(one, m)  z = Expand(x, s)
}""", dict(N=2, M=3), dict(N=4, M=1))
case("expand_minus_one", """
(float[1, N] x, float[M] y) => (float[M, N] z) <int64[2] ones = {1, 1}, int64[2] minus = {-1, -1}, int64[1] keep = {-1}> {
  m = Shape(y)  want = Concat<axis = 0>(m, keep)  is = Equal(want, minus)  s = Where(is, ones, want)  z = Expand(x, s)
}""", dict(N=2, M=3), dict(N=4, M=1))
case("expand_by_constant_of_shape", """
(float[N, 1] x, float[M] y) => (float[N, M] z) <int64[1] two = {2}, int64 minus = {-1}, int64[1] zero = {0}> {
  m = Shape(y)  n = Shape<end = 1>(x)  want = Concat<axis = 0>(n, m)  r = Shape(want)
  ones = ConstantOfShape<value = int64[1] {1}>(r)  neg = Mul(ones, minus)  is = Equal(want, neg)
  s = Where(is, ones, want)  z = Expand(x, s)
}""", dict(N=2, M=3), dict(N=4, M=1))
case("tile_by_length", """
(float[2, 3] x, float[N] n) => (float[K, 3] y) <int64[1] one = {1}> { s = Shape(n)  r = Concat<axis = 0>(s, one)  y = Tile(x, r) }
""", dict(N=3), dict(N=1), dict(N=0))
case("tile_length", """
(float[N] x) => (float["2*N"] y) <int64[1] two = {2}> { y = Tile(x, two) }
""", dict(N=3), dict(N=1))
case("pad_by_length", """
(float[3] x, float[N] n) => (float[K] y) <int64[1] one = {1}, float v = {9.0}> {
  s = Shape(n)  p = Concat<axis = 0>(one, s)  y = Pad(x, p, v)
}""", dict(N=2), dict(N=0))
case("pad_to_length", """
(float[N] x) => (float[10] y) <int64[1] ten = {10}, int64[1] zero = {0}> {
  n = Shape(x)  r = Sub(ten, n)  p = Concat<axis = 0>(zero, r)  y = Pad(x, p)
}""", dict(N=7), dict(N=10))
case("pad_reflect_length", """
(float[N] x) => (float[K] y) <int64[2] p = {2, 1}> { y = Pad<mode = "reflect">(x, p) }
""", dict(N=4), dict(N=3))
case("pad_cuts", """
(float[N] x) => (float[K] y) <int64[2] p = {-1, -2}> { y = Pad(x, p) }
""", dict(N=6), dict(N=3))
case("constant_of_shape", """
(float[N, M] x) => (float[N, M] y, int64[M, N] z) <int64[2] swap = {1, 0}> {
  s = Shape(x)  c = ConstantOfShape<value = float[1] {2.5}>(s)  y = Add(x, c)
  t = Gather<axis = 0>(s, swap)  z = ConstantOfShape<value = int64[1] {4}>(t)
}""", dict(N=2, M=3), dict(N=0, M=2))

# ---- Picks ----
case("gather_of_shape", """
(float[N, M, K] x) => (int64 a, int64[2] b) <int64 last = {-1}, int64[2] two = {1, 0}> {
  s = Shape(x)  a = Gather<axis = 0>(s, last)  b = Gather<axis = 0>(s, two)
}""", dict(N=2, M=3, K=4), dict(N=5, M=1, K=0))
case("gather_last_row", """
(float[N, 3] x) => (float[3] y) <int64 one = {1}, int64 zero = {0}> {
  s = Shape(x)  n = Gather<axis = 0>(s, zero)  l = Sub(n, one)  y = Gather<axis = 0>(x, l)
}""", dict(N=2), dict(N=5))
case("gather_by_range", """
(float[N, 2] x) => (float[K, 2] y) <int64 zero = {0}, int64 two = {2}> {
  s = Shape<end = 1>(x)  n = Squeeze(s)  r = Range(zero, n, two)  y = Gather<axis = 0>(x, r)
}""", dict(N=4), dict(N=5))
case("top_k_of_half", """
(float[N] x) => (float[K] y, int64[K] i) <int64[1] two = {2}> { n = Shape(x)  k = Div(n, two)  y, i = TopK(x, k) }
""", dict(N=6), dict(N=9))
case("top_k_at_most_three", """
(float[2, N] x) => (float[2, K] y, int64[2, K] i) <int64[1] three = {3}, int64 one = {1}> {
  s = Shape<start = 1>(x)  k = Min(s, three)  y, i = TopK(x, k)
}""", dict(N=5), dict(N=2))
case("one_hot_of_length", """
(int64[3] i, float[N] n) => (float[3, N] y) <float[2] v = {0.0, 1.0}> { d = Shape(n)  y = OneHot(i, d, v) }
""", dict(N=6, i=[0, 2, 5]), dict(N=3, i=[2, -1, 1]))
case("scatter_into_length", """
(float[N] x, float[2] u) => (float[N] y) <int64[2] at = {0, -1}> { y = ScatterElements(x, at, u) }
""", dict(N=3), dict(N=6))
case("triangle_of_length", """
(float[N, N] x) => (float[N, N] y, float[N, N] z) <int64 one = {1}> { y = Trilu<upper = 0>(x)  z = Trilu(x, one) }
""", dict(N=3), dict(N=5))
case("cumulative_positions", """
(int64[B, N] mask) => (int64[B, N] y) <int64 axis = {1}, int64 one = {1}> { c = CumSum(mask, axis)  y = Sub(c, one) }
""", dict(B=1, N=4), dict(B=2, N=3))
case("resize_by_length", """
(float[1, 2, N] x) => (float[1, 2, K] y) <int64[2] kept = {1, 2}, int64[1] two = {2}> {
  n = Shape<start = 2>(x)  d = Mul(n, two)  s = Concat<axis = 0>(kept, d)  y = Resize<mode = "nearest">(x, , , s)
}""", dict(N=3), dict(N=4))
case("resize_to_other_length", """
(float[1, 1, H, W] x, float[1, 1, I, J] t) => (float[1, 1, I, J] y) {
  a = Shape<end = 2>(x)  b = Shape<start = 2>(t)  s = Concat<axis = 0>(a, b)
  r = Resize<mode = "linear", coordinate_transformation_mode = "half_pixel">(x, , , s)  y = Add(r, t)
}""", dict(H=2, W=3, I=4, J=5), dict(H=4, W=4, I=2, J=3))
case("resize_by_scales", """
(float[1, 1, H, W] x) => (float[1, 1, I, J] y) <float[4] scales = {1.0, 1.0, 2.0, 0.5}> { y = Resize<mode = "nearest">(x, , scales) }
""", dict(H=2, W=4), dict(H=3, W=5))
