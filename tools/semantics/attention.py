"""Decoders' shapes: a past, masks cut from buffers, positions, and products over lengths."""
from semantics import case

case("product_over_lengths", """
(float[B, N, K] x, float[B, K, M] y) => (float[B, N, M] z) { z = MatMul(x, y) }
""", dict(B=2, N=2, K=3, M=4), dict(B=1, N=3, K=1, M=1))
case("product_broadcasts_batch", """
(float[B, 1, N, 3] x, float[H, 3, M] y) => (float[B, H, N, M] z) { z = MatMul(x, y) }
""", dict(B=2, H=2, N=1, M=3), dict(B=1, H=3, N=2, M=1))
case("einsum_over_lengths", """
(float[B, N, 2] q, float[B, M, 2] k) => (float[B, N, M] y) { y = Einsum<equation = "bnd,bmd->bnm">(q, k) }
""", dict(B=1, N=2, M=3), dict(B=2, N=1, M=4))
case("gemm_over_length", """
(float[N, 3] x) => (float[N, 2] y) <float[2, 3] w = {1.0, 2.0, 3.0, -1.0, 0.5, 0.0}, float[2] b = {0.5, -0.5}> { y = Gemm<transB = 1>(x, w, b) }
""", dict(N=1), dict(N=4))
case("softmax_over_length", """
(float[B, N] x) => (float[B, N] y, float[B, N] z) { y = Softmax<axis = -1>(x)  z = Softmax<axis = 0>(x) }
""", dict(B=2, N=3), dict(B=1, N=5))
case("norm_over_length", """
(float[N, M] x) => (float[N, M] y) <int64[1] last = {-1}, float eps = {0.001}> {
  m = ReduceMean(x, last)  d = Sub(x, m)  q = Mul(d, d)  v = ReduceMean(q, last)  e = Add(v, eps)  r = Sqrt(e)  y = Div(d, r)
}""", dict(N=2, M=4), dict(N=3, M=1))
case("causal_mask_from_buffer", """
(float[N, N] scores) => (float[N, N] y) <bool[1, 4] row = {1, 1, 1, 1}, int64[1] zero = {0}, int64[1] axis = {1}, float low = {-100.0}, int64[2] size = {8, 8}> {
  ones = ConstantOfShape<value = int64[1] {1}>(size)  tril = Trilu<upper = 0>(ones)  mask = Cast<to = 9>(tril)
  n = Shape<end = 1>(scores)  rows = Slice(mask, zero, n, zero)  cut = Slice(rows, zero, n, axis)
  y = Where(cut, scores, low)
}""", dict(N=3), dict(N=8))
case("causal_mask_with_past", """
(float[N, 2] q, float["P + N", 2] k) => (float[N, "P + N"] y) <int64[1] zero = {0}, int64[1] axis = {1}, float low = {-100.0}, int64[2] size = {12, 12}> {
  ones = ConstantOfShape<value = int64[1] {1}>(size)  tril = Trilu<upper = 0>(ones)  mask = Cast<to = 9>(tril)
  kt = Transpose(k)  scores = MatMul(q, kt)  n = Shape<end = 1>(q)  t = Shape<end = 1>(k)  past = Sub(t, n)
  rows = Slice(mask, past, t, zero)  cut = Slice(rows, zero, t, axis)  y = Where(cut, scores, low)
}""", dict(N=3, P=0), dict(N=1, P=5), dict(N=2, P=3))
case("causal_mask_from_ranges", """
(float[N, M] scores) => (float[N, M] y) <int64 zero = {0}, int64 one = {1}, int64[1] axis = {1}, float low = {-100.0}> {
  ns = Shape<end = 1>(scores)  n = Squeeze(ns)  ms = Shape<start = 1>(scores)  m = Squeeze(ms)  past = Sub(m, n)
  i = Range(past, m, one)  r = Unsqueeze(i, axis)  c = Range(zero, m, one)  keep = LessOrEqual(c, r)  y = Where(keep, scores, low)
}""", dict(N=3, M=3), dict(N=2, M=5))
case("keys_join_past", """
(float[B, P, 2] past, float[B, N, 2] k, float[B, N, 2] q) => (float[B, N, "P + N"] y, float[B, "P + N", 2] present) {
  present = Concat<axis = 1>(past, k)  t = Transpose<perm = [0, 2, 1]>(present)  s = MatMul(q, t)  y = Softmax<axis = -1>(s)
}""", dict(B=1, P=0, N=3), dict(B=2, P=4, N=1))
case("mask_over_total", """
(float[B, P, 2] past, float[B, N, 2] k, float[B, N, 2] q, int64[B, "P + N"] mask) => (float[B, N, T] y) <int64[1] axis = {1}, float one = {1.0}, float low = {-1000.0}> {
  present = Concat<axis = 1>(past, k)  t = Transpose<perm = [0, 2, 1]>(present)  s = MatMul(q, t)
  m = Cast<to = 1>(mask)  u = Unsqueeze(m, axis)  i = Sub(one, u)  j = Mul(i, low)  y = Add(s, j)
}""", dict(B=1, P=0, N=2), dict(B=2, P=3, N=1))
case("mask_of_its_own_length", """
(float[B, N, 2] q, float[B, M, 2] k, bool[B, T] mask) => (float[B, N, M] y) <int64[1] axis = {1}, float low = {-1000.0}> {
  t = Transpose<perm = [0, 2, 1]>(k)  s = MatMul(q, t)  u = Unsqueeze(mask, axis)  y = Where(u, s, low)
}""", dict(B=1, N=2, M=3, T=3), dict(B=2, N=1, M=4, T=4))
case("positions_after_past", """
(int64[B, N] ids, float[B, P, 2] past) => (float[B, N, 2] y) <float[6, 2] table = {0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0}, int64 one = {1}, int64[1] row = {0}> {
  p0 = Shape<start = 1, end = 2>(past)  p = Squeeze(p0)  n0 = Shape<start = 1>(ids)  n = Squeeze(n0)  e = Add(p, n)
  r = Range(p, e, one)  i = Unsqueeze(r, row)  pos = Gather<axis = 0>(table, i)  tok = Gather<axis = 0>(table, ids)  y = Add(tok, pos)
}""", dict(B=1, N=3, P=0), dict(B=2, N=1, P=4))
case("position_table_sliced", """
(float[B, N, 2] x) => (float[B, N, 2] y) <float[1, 6, 2] table = {0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0}, int64[1] zero = {0}, int64[1] one = {1}> {
  n = Shape<start = 1, end = 2>(x)  t = Slice(table, zero, n, one)  y = Add(x, t)
}""", dict(B=1, N=3), dict(B=2, N=6))
case("rotary_halves", """
(float[B, S, 4] x, float[S, 2] angle) => (float[B, S, 4] y) <int64[1] zero = {0}, int64[1] two = {2}, int64[1] last = {-1}, int64[1] far = {9223372036854775807}> {
  a = Slice(x, zero, two, last)  b = Slice(x, two, far, last)  nb = Neg(b)  turned = Concat<axis = -1>(nb, a)
  c = Cos(angle)  s = Sin(angle)  cc = Concat<axis = -1>(c, c)  ss = Concat<axis = -1>(s, s)
  p = Mul(x, cc)  q = Mul(turned, ss)  y = Add(p, q)
}""", dict(B=1, S=2), dict(B=2, S=3))
case("rotary_angles_of_range", """
(float[B, S, 2] x) => (float[B, S, 2] y) <float[1, 2] freq = {1.0, 0.25}, int64 zero = {0}, int64 one = {1}, int64[1] axis = {1}> {
  s0 = Shape<start = 1, end = 2>(x)  s = Squeeze(s0)  r = Range(zero, s, one)  f = Cast<to = 1>(r)  c = Unsqueeze(f, axis)
  a = Mul(c, freq)  t = Cos(a)  y = Mul(x, t)
}""", dict(B=1, S=2), dict(B=2, S=4))
case("relative_positions", """
(float[N] x) => (float[N, N] y) <float[4] table = {0.5, 1.5, 2.5, 3.5}, int64 zero = {0}, int64 one = {1}, int64[1] rows = {0}, int64[1] columns = {1}, int64 three = {3}> {
  s = Shape(x)  n = Squeeze(s)  r = Range(zero, n, one)  a = Unsqueeze(r, columns)  b = Unsqueeze(r, rows)
  d = Sub(a, b)  m = Abs(d)  i = Min(m, three)  y = Gather<axis = 0>(table, i)
}""", dict(N=3), dict(N=6))
case("last_position_alone", """
(float[B, N, 3] x) => (float[B, 1, 3] y, float[B, 3] z) <int64[1] last = {-1}, int64[1] far = {9223372036854775807}, int64[1] one = {1}, int64 minus = {-1}> {
  y = Slice(x, last, far, one)  z = Gather<axis = 1>(x, minus)
}""", dict(B=1, N=4), dict(B=2, N=1))
case("mean_by_mask", """
(float[B, N, 2] x, int64[B, N] mask) => (float[B, 2] y) <int64[1] last = {-1}, int64[1] one = {1}, float low = {1.0}> {
  m = Cast<to = 1>(mask)  u = Unsqueeze(m, last)  p = Mul(x, u)  t = ReduceSum<keepdims = 0>(p, one)
  c = ReduceSum<keepdims = 0>(u, one)  d = Max(c, low)  y = Div(t, d)
}""", dict(B=1, N=4), dict(B=2, N=3))
case("unit_meets_length", """
(float[N, 1] x, float[1, M] y, float[1] z) => (float[N, M] a, float[N, M] b) { a = Add(x, y)  b = Mul(a, z) }
""", dict(N=2, M=3), dict(N=1, M=4))
case("two_lengths_meet", """
(float[N] x, float[M] y) => (float[N] z) { z = Add(x, y) }
""", dict(N=3, M=3), dict(N=5, M=5))
case("length_meets_number", """
(float[N] x) => (float[4] z) <float[4] c = {1.0, 2.0, 3.0, 4.0}, int64[1] zero = {0}, int64[1] four = {4}> { s = Slice(x, zero, four)  z = Add(s, c) }
""", dict(N=4), dict(N=7))
case("lstm_over_lengths", """
(float[S, B, 2] x) => (float[S, 1, B, 1] y, float[1, B, 1] h) <float[1, 4, 2] w = {0.5, -0.5, 0.25, 1.0, -1.0, 0.5, 0.75, 0.125}, float[1, 4, 1] r = {0.5, 0.25, -0.5, 1.0}> {
  y, h = LSTM<hidden_size = 1>(x, w, r)
}""", dict(S=3, B=1), dict(S=1, B=2))
case("instance_norm_over_lengths", """
(float[B, 2, N] x) => (float[B, 2, N] y) <float[2] s = {1.0, 2.0}, float[2] b = {0.0, 0.5}> { y = InstanceNormalization(x, s, b) }
""", dict(B=1, N=4), dict(B=2, N=3))
