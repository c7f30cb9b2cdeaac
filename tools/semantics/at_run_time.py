"""Lengths that only the run knows: counts, shapes and bounds given as inputs, branches of two lengths."""
from semantics import case

case("nonzero_then_gather", """
(float[N] x) => (float[K] y, int64[1, K] i) <int64[1] zero = {0}> { i = NonZero(x)  f = Squeeze(i, zero)  y = Gather<axis = 0>(x, f) }
""", dict(N=4, x=[1, 0, 2, 0]), dict(N=3, x=[0, 0, 0]))
case("nonzero_count_used", """
(float[N] x) => (int64[1] count, float[K] y, float[M] z) <int64[1] two = {2}> {
  i = NonZero(x)  count = Shape<start = 1>(i)  y = ConstantOfShape<value = float[1] {1.5}>(count)
  d = Mul(count, two)  z = ConstantOfShape(d)
}""", dict(N=4, x=[1, 0, 2, 3]), dict(N=2, x=[0, 0]))
case("nonzero_of_matrix", """
(bool[N, M] x) => (int64[K, 2] y) { i = NonZero(x)  y = Transpose(i) }
""", dict(N=2, M=3), dict(N=3, M=2))
case("compress_then_add", """
(float[N, 2] x, bool[N] keep) => (float[K, 2] y, int64[2] s) { c = Compress<axis = 0>(x, keep)  y = Add(c, c)  s = Shape(y) }
""", dict(N=4, keep=[1, 0, 1, 1]), dict(N=3, keep=[0, 0, 0]))
case("unique_then_range", """
(int64[N] x) => (int64[K] u, int64[K] r) <int64 zero = {0}, int64 one = {1}> {
  u = Unique(x)  s = Shape(u)  k = Squeeze(s)  r = Range(zero, k, one)
}""", dict(N=5, x=[3, 1, 3, 2, 1]), dict(N=2, x=[7, 7]))
case("range_to_input", """
(int64 n) => (int64[K] y, int64[1] s) <int64 zero = {0}, int64 one = {1}> { y = Range(zero, n, one)  s = Shape(y) }
""", dict(n=4), dict(n=0))
case("range_by_inputs", """
(int64 a, int64 b, int64 d) => (int64[K] y) { y = Range(a, b, d) }
""", dict(a=2, b=9, d=3), dict(a=5, b=-2, d=-2), dict(a=3, b=1, d=1))
case("range_of_input_floats", """
(float a, float b, float d) => (float[K] y) { y = Range(a, b, d) }
""", dict(a=0, b=1, d=0.25), dict(a=1, b=-1, d=-0.5))
case("slice_by_inputs", """
(float[N] x, int64[1] from, int64[1] to) => (float[K] y) { y = Slice(x, from, to) }
""", dict(N=6, **{"from": [1], "to": [4]}), dict(N=5, **{"from": [-3], "to": [100]}), dict(N=4, **{"from": [3], "to": [1]}))
case("reshape_to_input", """
(float[N, M] x, int64[2] s) => (float[A, B] y) { y = Reshape(x, s) }
""", dict(N=2, M=6, s=[3, 4]), dict(N=4, M=2, s=[1, 8]))
case("reshape_to_input_with_rest", """
(float[N, M] x, int64[2] s) => (float[A, B] y) { y = Reshape(x, s) }
""", dict(N=2, M=6, s=[3, -1]), dict(N=4, M=2, s=[0, -1]), dict(N=4, M=2, s=[-1, 1]))
case("expand_to_input", """
(float[1, 3] x, int64[2] s) => (float[A, B] y) { y = Expand(x, s) }
""", dict(s=[2, 3]), dict(s=[4, 1]))
case("tile_by_input", """
(float[2, N] x, int64[2] r) => (float[A, B] y) { y = Tile(x, r) }
""", dict(N=2, r=[1, 3]), dict(N=3, r=[2, 0]))
case("pad_by_input", """
(float[N] x, int64[2] p, float v) => (float[K] y) { y = Pad(x, p, v) }
""", dict(N=2, p=[1, 2], v=9), dict(N=4, p=[0, -1], v=3))
case("top_k_of_input", """
(float[N] x, int64[1] k) => (float[K] y, int64[K] i) { y, i = TopK(x, k) }
""", dict(N=5, k=[2]), dict(N=3, k=[3]))
case("one_hot_of_input", """
(int64[3] i, int64 d) => (float[3, K] y) <float[2] v = {0.0, 1.0}> { y = OneHot(i, d, v) }
""", dict(i=[0, 2, 1], d=4), dict(i=[0, 1, 0], d=2))
case("constant_of_input_shape", """
(int64[2] s) => (float[A, B] y) { y = ConstantOfShape<value = float[1] {0.5}>(s) }
""", dict(s=[2, 3]), dict(s=[4, 0]))
case("split_by_input", """
(float[N] x, int64[2] s) => (float[A] a, float[B] b) { a, b = Split<axis = 0>(x, s) }
""", dict(N=5, s=[2, 3]), dict(N=4, s=[0, 4]))
case("gather_shape_of_computed_length", """
(int64 n, float[N] x) => (float[K] y) <int64 zero = {0}, int64 one = {1}, int64[1] from = {0}> {
  r = Range(zero, n, one)  k = Shape(r)  y = Slice(x, from, k)
}""", dict(n=2, N=5), dict(n=9, N=5))
case("if_of_two_lengths", """
(bool c, float[N] x) => (float[K] y, int64[1] s, float[K] z) <int64[1] zero = {0}, int64[1] two = {2}> {
  y = If(c) <then_branch = t () => (float[A] u) { u = Slice(x, zero, two) }, else_branch = e () => (float[B] v) { v = Concat<axis = 0>(x, x) }>
  s = Shape(y)  o = ConstantOfShape<value = float[1] {1.0}>(s)  z = Add(y, o)
}""", dict(N=3, c=True), dict(N=3, c=False), dict(N=1, c=True))
case("if_by_length", """
(float[N] x) => (float[K] y, int64[1] s) <int64 four = {4}, int64[1] zero = {0}, int64[1] to = {4}> {
  n0 = Shape(x)  n = Squeeze(n0)  c = Greater(n, four)
  y = If(c) <then_branch = t () => (float[A] u) { u = Slice(x, zero, to) }, else_branch = e () => (float[B] v) { v = Neg(x) }>
  s = Shape(y)
}""", dict(N=3), dict(N=6))
case("if_of_shapes", """
(bool c, float[N, M] x) => (float[A, B] y) <int64[2] swap = {1, 0}> {
  s = Shape(x)
  t = If(c) <then_branch = a () => (int64[2] u) { u = Gather<axis = 0>(s, swap) }, else_branch = b () => (int64[2] v) { v = Identity(s) }>
  y = Reshape(x, t)
}""", dict(N=2, M=3, c=True), dict(N=2, M=3, c=False))
case("if_with_past", """
(bool c, float[P, 2] past, float[N, 2] k) => (float[T, 2] y) {
  y = If(c) <then_branch = a () => (float[A, 2] u) { u = Concat<axis = 0>(past, k) }, else_branch = b () => (float[B, 2] v) { v = Identity(k) }>
}""", dict(P=3, N=1, c=True), dict(P=0, N=4, c=False))
case("if_nested", """
(bool c, bool d, float[N] x) => (float[K] y, float[K] z) <int64[1] zero = {0}, int64[1] one = {1}> {
  y = If(c) <then_branch = a () => (float[A] u) {
      u = If(d) <then_branch = p () => (float[C] q) { q = Slice(x, zero, one) }, else_branch = r () => (float[D] t) { t = Relu(x) }>
    }, else_branch = b () => (float[B] v) { v = Concat<axis = 0>(x, x) }>
  z = Neg(y)
}""", dict(N=3, c=True, d=True), dict(N=3, c=True, d=False), dict(N=2, c=False, d=True))
case("length_clamped_by_input", """
(float[N] x, int64[1] most) => (float[K] y) <int64[1] zero = {0}> { n = Shape(x)  k = Min(n, most)  y = Slice(x, zero, k) }
""", dict(N=5, most=[3]), dict(N=2, most=[3]))
case("loop_of_known_turns_over_windows", """
(float[N] x) => (float[3, 1] y) <int64 turns = {3}, bool go = {1}, int64 one = {1}, int64[1] first = {0}> {
  y = Loop(turns, go) <body = b (int64 i, bool c) => (bool d, float[K] e) {
    next = Add(i, one)  from = Unsqueeze(i, first)  to = Unsqueeze(next, first)  e = Slice(x, from, to)  d = Identity(c)
  }>
}""", dict(N=3), dict(N=5))
case("loop_over_length", """
(float[N, 2] x, float[2] start) => (float[2] y, float[N, 2] z) <bool go = {1}> {
  s = Shape<end = 1>(x)  n = Squeeze(s)
  y, z = Loop(n, go, start) <body = b (int64 i, bool c, float[2] a) => (bool d, float[2] e, float[2] f) {
    r = Gather<axis = 0>(x, i)  e = Add(a, r)  f = Identity(e)  d = Identity(c)
  }>
}""", dict(N=3), dict(N=0))
