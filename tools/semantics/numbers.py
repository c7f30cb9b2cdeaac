"""Integers and floats that a graph computes from its lengths."""
from semantics import case

# What an integer type cannot hold wraps; what a float type cannot hold rounds.
case("cast_int32_wraps", """
(int8[N] x) => (int64[1] y) <int64[1] large = {1073741824}> {
  n = Shape(x)  m = Mul(n, large)  i = Cast<to = 6>(m)  y = Cast<to = 7>(i)
}""", dict(N=1), dict(N=2), dict(N=3), dict(N=5))
case("int32_multiplication_wraps", """
(int8[N] x) => (int32[1] y) <int32[1] large = {1500000000}> {
  n = Shape(x)  i = Cast<to = 6>(n)  y = Mul(i, large)
}""", dict(N=1), dict(N=2), dict(N=3))
case("int32_addition_wraps", """
(int8[N] x) => (int32[1] y, int64[1] z) <int32[1] large = {2147483645}> {
  n = Shape(x)  i = Cast<to = 6>(n)  y = Add(i, large)  z = Cast<to = 7>(y)
}""", dict(N=2), dict(N=3))
case("cast_int8_wraps", """
(bool[N] x) => (int64[1] y, int64[1] z) {
  n = Shape(x)  i = Cast<to = 3>(n)  y = Cast<to = 7>(i)  u = Cast<to = 2>(n)  z = Cast<to = 7>(u)
}""", dict(N=5), dict(N=200), dict(N=300))
case("cast_half_rounds", """
(int8[N] x) => (int64[1] y) { n = Shape(x)  h = Cast<to = 10>(n)  y = Cast<to = 7>(h) }
""", dict(N=7), dict(N=2049), dict(N=2051))
case("cast_float_rounds", """
(int8[N] x) => (int64[1] y) <int64[1] large = {16777216}> {
  n = Shape(x)  m = Add(n, large)  f = Cast<to = 1>(m)  y = Cast<to = 7>(f)
}""", dict(N=1), dict(N=2), dict(N=3))
case("cast_bool_of_length", """
(float[N] x) => (bool[1] y, int64[1] z) { n = Shape(x)  y = Cast<to = 9>(n)  z = Cast<to = 7>(y) }
""", dict(N=0), dict(N=3))

# Integer arithmetic. Div truncates toward zero, Mod takes the divisor's sign, fmod the dividend's.
case("integer_division_truncates", """
(float[N] x) => (int64[1] y, int64[1] z) <int64[1] four = {4}, int64[1] three = {3}> {
  n = Shape(x)  d = Sub(n, four)  y = Div(d, three)  z = Div(n, three)
}""", dict(N=2), dict(N=3), dict(N=9))
case("modulo_of_length", """
(float[N] x) => (int64[1] y, int64[1] z, int64[1] w) <int64[1] four = {4}, int64[1] five = {5}> {
  n = Shape(x)  d = Sub(n, five)  y = Mod(d, four)  z = Mod<fmod = 1>(d, four)  w = Mod(n, four)
}""", dict(N=2), dict(N=7))
case("padding_to_a_multiple", """
(float[N] x) => (float[M] y) <int64[1] four = {4}, int64[1] zero = {0}, int64[1] none = {0}> {
  n = Shape(x)  r = Mod(n, four)  l = Sub(four, r)  p = Mod(l, four)  pads = Concat<axis = 0>(none, p)
  y = Pad(x, pads)
}""", dict(N=8), dict(N=5), dict(N=11))
case("minimum_and_maximum_of_lengths", """
(float[N] x, float[M] y) => (int64[1] low, int64[1] high, int64[1] both) <int64[1] five = {5}> {
  n = Shape(x)  m = Shape(y)  low = Min(n, m, five)  high = Max(n, m)  d = Sub(n, m)  both = Abs(d)
}""", dict(N=3, M=9), dict(N=8, M=2))
case("clip_of_length", """
(float[N] x) => (int64[1] y) <int64 low = {3}, int64 high = {6}> { n = Shape(x)  y = Clip(n, low, high) }
""", dict(N=1), dict(N=5), dict(N=9))
case("sign_and_negation", """
(float[N] x) => (int64[1] s, int64[1] m) <int64[1] four = {4}> {
  n = Shape(x)  d = Sub(n, four)  s = Sign(d)  m = Neg(d)
}""", dict(N=2), dict(N=4), dict(N=6))
case("power_of_length", """
(float[N] x) => (int64[1] y) <int64[1] two = {2}> { n = Shape(x)  y = Pow(n, two) }
""", dict(N=3), dict(N=7))
case("comparisons_of_lengths", """
(float[N] x, float[M] y) => (bool[1] a, bool[1] b, bool[1] c, int64[1] d) <int64[1] four = {4}, int64[1] ten = {10}> {
  n = Shape(x)  m = Shape(y)  a = Less(n, m)  b = GreaterOrEqual(n, four)  e = Equal(n, m)  c = Or(a, e)
  g = And(b, c)  d = Where(g, n, ten)
}""", dict(N=3, M=5), dict(N=6, M=5), dict(N=5, M=5))
case("where_of_lengths", """
(float[N] x) => (float[M] y) <int64[1] four = {4}, int64[1] zero = {0}> {
  n = Shape(x)  large = Greater(n, four)  m = Where(large, four, n)  y = Slice(x, zero, m)
}""", dict(N=3), dict(N=7))
case("shape_reduced", """
(float[N, M, 3] x) => (int64 product, int64 sum, int64 most, int64 least) {
  s = Shape(x)  product = ReduceProd<keepdims = 0>(s)  sum = ReduceSum<keepdims = 0>(s)
  most = ReduceMax<keepdims = 0>(s)  least = ReduceMin<keepdims = 0>(s)
}""", dict(N=2, M=4), dict(N=5, M=1))
case("size_of_tensor", """
(float[N, M] x) => (int64 y, float[K] flat) <int64[1] one = {-1}> {
  y = Size(x)  s = Reshape(y, one)  flat = Reshape(x, s)
}""", dict(N=2, M=3), dict(N=4, M=1))
case("shape_between", """
(float[N, M, K, 2] x) => (int64[2] y, int64[1] z) { y = Shape<start = 1, end = 3>(x)  z = Shape<start = -2, end = -1>(x) }
""", dict(N=1, M=2, K=3), dict(N=4, M=5, K=6))

# Floats computed from lengths.
case("scale_by_root_of_length", """
(float[N, M] x) => (float[N, M] y) <int64 one = {1}, float unit = {1.0}> {
  s = Shape(x)  m = Gather<axis = 0>(s, one)  f = Cast<to = 1>(m)  r = Sqrt(f)  k = Div(unit, r)  y = Mul(x, k)
}""", dict(N=2, M=4), dict(N=1, M=7))
case("half_of_length_rounded_up", """
(float[N] x) => (float[M] y) <float[1] half = {0.5}, int64[1] zero = {0}> {
  n = Shape(x)  f = Cast<to = 1>(n)  h = Mul(f, half)  c = Ceil(h)  m = Cast<to = 7>(c)  y = Slice(x, zero, m)
}""", dict(N=6), dict(N=7))
case("half_of_length_rounded_down", """
(float[N] x) => (float[M] y) <float[1] two = {2.0}, int64[1] zero = {0}> {
  n = Shape(x)  f = Cast<to = 1>(n)  h = Div(f, two)  c = Floor(h)  m = Cast<to = 7>(c)  y = Slice(x, zero, m)
}""", dict(N=6), dict(N=7))
case("float_of_length_truncated", """
(float[N] x) => (int64[1] y) <float[1] three = {3.0}> {
  n = Shape(x)  f = Cast<to = 1>(n)  h = Div(f, three)  y = Cast<to = 7>(h)
}""", dict(N=5), dict(N=6), dict(N=10))
case("mean_by_count", """
(float[N, 3] x) => (float[3] y) <int64 zero = {0}, int64[1] rows = {0}> {
  s = Shape(x)  n = Gather<axis = 0>(s, zero)  f = Cast<to = 1>(n)  t = ReduceSum<keepdims = 0>(x, rows)  y = Div(t, f)
}""", dict(N=2), dict(N=5))
case("length_joins_data", """
(int64[N] x) => (int64[N] y, float[N] z) { n = Shape(x)  y = Add(x, n)  f = Cast<to = 1>(x)  g = Cast<to = 1>(n)  z = Div(f, g) }
""", dict(N=2), dict(N=5))
