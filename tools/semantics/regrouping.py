"""Reshape and its relatives: one tensor's elements under other axes."""
from semantics import case

case("reshape_flat", """
(float[N, M] x) => (float["N*M"] y) <int64[1] flat = {-1}> { y = Reshape(x, flat) }
""", dict(N=2, M=3), dict(N=4, M=1))
case("reshape_split", """
(float[N, 6] x) => (float[N, 2, 3] y) <int64[1] two = {2}, int64[1] three = {3}> {
  n = Shape<end = 1>(x)  s = Concat<axis = 0>(n, two, three)  y = Reshape(x, s)
}""", dict(N=1), dict(N=4))
case("reshape_rest", """
(float[N, 4] x) => (float[2, K] y) <int64[2] s = {2, -1}> { y = Reshape(x, s) }
""", dict(N=1), dict(N=3))
case("reshape_rest_of_even_length", """
(float[N] x) => (float[2, K] y) <int64[2] s = {2, -1}> { y = Reshape(x, s) }
""", dict(N=4), dict(N=6))
case("reshape_keeps_zeros", """
(float[N, M, 6] x) => (float[N, M, 2, 3] y) <int64[4] s = {0, 0, 2, 3}> { y = Reshape(x, s) }
""", dict(N=2, M=3), dict(N=1, M=4))
case("reshape_zero_and_rest", """
(float[N, M, 3] x) => (float[N, K] y) <int64[2] s = {0, -1}> { y = Reshape(x, s) }
""", dict(N=2, M=2), dict(N=3, M=1))
case("reshape_swaps_lengths", """
(float[N, M] x) => (float[M, N] y) <int64[2] swap = {1, 0}> { s = Shape(x)  t = Gather<axis = 0>(s, swap)  y = Reshape(x, t) }
""", dict(N=2, M=3), dict(N=4, M=4))
case("reshape_round_trip", """
(float[N, M, 4] x, float[4] w) => (float[N, M, 4] y) <int64[2] rows = {-1, 4}> {
  s = Shape(x)  a = Reshape(x, rows)  b = Add(a, w)  y = Reshape(b, s)
}""", dict(N=2, M=3), dict(N=1, M=5))
case("reshape_heads", """
(float[B, S, 6] x) => (float[B, 2, S, 3] y, float[B, S, 6] z) <int64[1] rest = {-1}, int64[1] three = {3}, int64[1] six = {6}> {
  b = Shape<end = 1>(x)  s = Shape<start = 1, end = 2>(x)  t = Concat<axis = 0>(b, s, rest, three)
  h = Reshape(x, t)  y = Transpose<perm = [0, 2, 1, 3]>(h)
  back = Transpose<perm = [0, 2, 1, 3]>(y)  u = Concat<axis = 0>(b, s, six)  z = Reshape(back, u)
}""", dict(B=1, S=4), dict(B=2, S=3))
case("reshape_merges_batch", """
(float[B, S, 4] x) => (float[B, S, 4] y) <float[4, 4] w = {1.0, 0.0, 0.0, 2.0, 0.0, 1.0, 0.0, 0.0, 0.5, 0.0, 1.0, 0.0, 0.0, 0.0, 3.0, 1.0}, int64[2] rows = {-1, 4}> {
  s = Shape(x)  a = Reshape(x, rows)  p = MatMul(a, w)  y = Reshape(p, s)
}""", dict(B=2, S=3), dict(B=1, S=1))
case("reshape_of_spelled_length", """
(float["4*N"] x) => (float[4, N] y, float[N, 4] z) <int64[2] a = {4, -1}, int64[2] b = {-1, 4}> { y = Reshape(x, a)  z = Reshape(x, b) }
""", dict(N=2), dict(N=3))
case("reshape_to_half", """
(float["2*N", 3] x) => (float[N, 6] y) <int64 two = {2}, int64[1] six = {6}> {
  n = Shape<end = 1>(x)  h = Div(n, two)  s = Concat<axis = 0>(h, six)  y = Reshape(x, s)
}""", dict(N=1), dict(N=4))
case("flatten_lengths", """
(float[N, M, K] x) => (float[N, L] a, float["N*M", K] b, float[1, T] c) {
  a = Flatten(x)  b = Flatten<axis = 2>(x)  c = Flatten<axis = 0>(x)
}""", dict(N=2, M=3, K=2), dict(N=1, M=1, K=4))
case("squeeze_unsqueeze", """
(float[N, 1, M] x) => (float[N, M] y, float[1, N, M, 1] z) <int64[1] one = {1}, int64[2] ends = {0, 3}> {
  y = Squeeze(x, one)  z = Unsqueeze(y, ends)
}""", dict(N=2, M=3), dict(N=1, M=1))
case("squeeze_every_unit", """
(float[1, N, 1] x) => (float[N] y) { y = Squeeze(x) }
""", dict(N=2), dict(N=5))
case("depth_to_space", """
(float[B, 8, H, W] x) => (float[B, 2, I, J] y, float[B, 2, I, J] z) {
  y = DepthToSpace<blocksize = 2>(x)  z = DepthToSpace<blocksize = 2, mode = "CRD">(x)
}""", dict(B=1, H=2, W=3), dict(B=2, H=1, W=1))
case("space_to_depth", """
(float[B, 1, "2*H", "2*W"] x) => (float[B, 4, H, W] y) { y = SpaceToDepth<blocksize = 2>(x) }
""", dict(B=1, H=2, W=3), dict(B=2, H=1, W=2))
case("windows_of_an_image", """
(float[B, "2*H", "2*W", 3] x) => (float[K, 2, 2, 3] y, float[B, "2*H", "2*W", 3] z) <int64[1] two = {2}, int64[1] three = {3}, int64[4] windows = {-1, 2, 2, 3}> {
  s = Shape(x)  b = Shape<end = 1>(x)  h = Shape<start = 1, end = 2>(x)  w = Shape<start = 2, end = 3>(x)
  i = Div(h, two)  j = Div(w, two)  split = Concat<axis = 0>(b, i, two, j, two, three)
  a = Reshape(x, split)  t = Transpose<perm = [0, 1, 3, 2, 4, 5]>(a)  y = Reshape(t, windows)
  grid = Concat<axis = 0>(b, i, j, two, two, three)  u = Reshape(y, grid)
  v = Transpose<perm = [0, 1, 3, 2, 4, 5]>(u)  z = Reshape(v, s)
}""", dict(B=1, H=1, W=2), dict(B=2, H=2, W=1))
case("shift_by_roll", """
(float[N] x) => (float[N] y) <int64[1] zero = {0}, int64[1] two = {2}, int64[1] far = {9223372036854775807}> {
  a = Slice(x, two, far)  b = Slice(x, zero, two)  y = Concat<axis = 0>(a, b)
}""", dict(N=5), dict(N=2))
case("tokens_of_an_image", """
(float[B, 3, H, W] x) => (float[B, T, 3] y, float[B, 3, H, W] z) <int64[1] rest = {-1}, int64[1] three = {3}> {
  s = Shape(x)  b = Shape<end = 1>(x)  t = Concat<axis = 0>(b, three, rest)  f = Reshape(x, t)
  y = Transpose<perm = [0, 2, 1]>(f)  g = Transpose<perm = [0, 2, 1]>(y)  z = Reshape(g, s)
}""", dict(B=1, H=2, W=3), dict(B=2, H=1, W=4))
case("repeat_heads", """
(float[B, 2, S, 3] x) => (float[B, 4, S, 3] y) <int64[1] axis = {2}, int64[1] two = {2}, int64[1] four = {4}, int64[1] three = {3}> {
  b = Shape<end = 1>(x)  s = Shape<start = 2, end = 3>(x)  u = Unsqueeze(x, axis)
  t = Concat<axis = 0>(b, two, two, s, three)  e = Expand(u, t)  r = Concat<axis = 0>(b, four, s, three)  y = Reshape(e, r)
}""", dict(B=1, S=2), dict(B=2, S=1))
case("transpose_lengths", """
(float[N, M, K] x) => (float[K, N, M] y, int64[3] s) { y = Transpose<perm = [2, 0, 1]>(x)  s = Shape(y) }
""", dict(N=2, M=3, K=4), dict(N=1, M=2, K=1))
