"""Public bug reports of other runtimes, rebuilt over lengths: D1 empty tensors, D4 shape arithmetic, D6 lenient inputs."""
from semantics import case

# D1: onnxruntime PR 19614, 26576, 24746, 21782; onnxruntime-genai 1567.
case("empty_add", "(float[2, N] x, float[2, 1] y) => (float[2, N] z) { z = Add(x, y) }", dict(N=0), dict(N=3))
case("empty_concat", "(float[1, 2, P, 2] past, float[1, 2, N, 2] k) => (float[1, 2, T, 2] z) { z = Concat<axis = 2>(past, k) }",
     dict(P=0, N=3), dict(P=2, N=1))
case("empty_where", "(bool[N, 3] c, float[N, 3] x, float[3] y) => (float[N, 3] z) { z = Where(c, x, y) }", dict(N=0), dict(N=2))
case("empty_transpose", "(float[N, 3, 2] x) => (float[2, N, 3] y) { y = Transpose<perm = [2, 0, 1]>(x) }", dict(N=0), dict(N=2))
case("empty_slice", """
(float[6] x, float[N] n) => (float[K] y) <int64[1] one = {1}> { s = Shape(n)  y = Slice(x, one, s) }
""", dict(N=1), dict(N=4))
case("empty_sum", "(float[2, N] x) => (float[2, 1] y) <int64[1] one = {1}> { y = ReduceSum(x, one) }", dict(N=0), dict(N=3))
case("empty_reshape", """
(float[N, 3] x) => (float[3, N] y) <int64[1] three = {3}> {
  n = Shape<end = 1>(x)  s = Concat<axis = 0>(three, n)  y = Reshape<allowzero = 1>(x, s)
}""", dict(N=0), dict(N=2))
case("empty_product", "(float[N, K] x, float[K, 2] y) => (float[N, 2] z) { z = MatMul(x, y) }", dict(N=2, K=0), dict(N=0, K=3), dict(N=2, K=2))
case("empty_gather", "(float[4, N] x) => (float[2, N] y) <int64[2] i = {3, 0}> { y = Gather<axis = 0>(x, i) }", dict(N=0), dict(N=2))
case("empty_softmax", "(float[N, 3] x) => (float[N, 3] y) { y = Softmax<axis = -1>(x) }", dict(N=0), dict(N=1))

# D4: burn 2930, 1560; burn-onnx 341, 405; onnx2c 18; Pad whose pads are computed.
case("doubled_rows", """
(float[N, 3, 4] x) => (float["2*N", K] y) <int64 zero = {0}, int64 two = {2}, int64[1] axis = {0}, int64[1] rest = {-1}> {
  s = Shape(x)  n = Gather<axis = 0>(s, zero)  d = Mul(n, two)  u = Unsqueeze(d, axis)  t = Concat<axis = 0>(u, rest)  y = Reshape(x, t)
}""", dict(N=2), dict(N=3))
case("pads_of_shapes", """
(float[N, M] x, float[A, B] y) => (float[A, B] z, float[A, B] w) <int64[2] none = {0, 0}> {
  s = Shape(x)  t = Shape(y)  d = Sub(t, s)  p = Concat<axis = 0>(none, d)  z = Pad(x, p)  w = Add(z, y)
}""", dict(N=2, M=3, A=4, B=3), dict(N=1, M=1, A=1, B=2))
case("mask_padded_to_keys", """
(float[N, M] scores, float[N, L] mask) => (float[N, M] y) <int64[3] none = {0, 0, 0}> {
  m = Shape<start = 1>(scores)  l = Shape<start = 1>(mask)  d = Sub(m, l)  p = Concat<axis = 0>(none, d)
  q = Pad(mask, p)  y = Add(scores, q)
}""", dict(N=2, M=3, L=2), dict(N=1, M=4, L=4))

# D6: onnxruntime 22031, burn 2592.
case("unsqueeze_by_scalar", "(float[N, 3] x) => (float[N, 1, 3] y) <int64 one = {1}> { y = Unsqueeze(x, one) }", dict(N=2), dict(N=1))
case("nodes_out_of_order", "(float[N] x) => (float[N] y) { y = Relu(z)  z = Neg(x) }", dict(N=2), dict(N=3))
case("clip_without_minimum", "(float[N] x) => (float[N] y) <float high = {1.0}> { y = Clip(x, , high) }", dict(N=3), dict(N=5))

# A1 over symbolic height and width: burn-onnx 468.
case("same_padding_over_height_and_width", """
(float[1, 3, H, W] x) => (float[1, 1, I, J] y) <float[1, 3, 1, 2] w = {1.0, 2.0, -1.0, 0.5, 0.25, 1.0}> {
  y = Conv<auto_pad = "SAME_UPPER", strides = [2, 2]>(x, w)
}""", dict(H=3, W=5), dict(H=4, W=4))
