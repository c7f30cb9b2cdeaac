"""Tensors of no element through families of operators, beside the same graph with some: what ONNX leaves of each."""
from semantics import case

case("empty_windows", """
(float[N, 2, 5, 5] x, float[3, 2, 3, 3] w, float[2, 3, 3, 3] v) => (float[N, 3, 3, 3] a, float[N, 3, 7, 7] b, float[N, 2, 4, 4] c, float[N, 2, 4, 4] d, float[N, 2, 1, 1] e, float[N, 2, 1, 1] f, float[N, 2, 5, 5] g) {
  a = Conv(x, w)  b = ConvTranspose(x, v)  c = MaxPool<kernel_shape = [2, 2]>(x)  d = AveragePool<kernel_shape = [2, 2]>(x)
  e = GlobalAveragePool(x)  f = GlobalMaxPool(x)  g = LRN<size = 3>(x)
}""", dict(N=0), dict(N=2))
case("empty_norms", """
(float[N, 4] x, float[N, 4, 3] i, float[4] s, float[4] b) => (float[N, 4] l, float[N, 4] m, float[N, 4] h, float[N, 4] p, float[N, 4, 3] n, float[N, 4, 3] t) {
  l = LayerNormalization(x, s, b)  m = LogSoftmax(x)  h = Hardmax(x)  p = LpNormalization(x)
  n = BatchNormalization(i, s, b, s, s)  t = InstanceNormalization(i, s, b)
}""", dict(N=0, s=[1, 2, 3, 4]), dict(N=2, s=[1, 2, 3, 4]))
case("empty_reductions", """
(float[2, N] x, int64[2, N] i) => (float[2, 1] s, float[2, 1] q, float[2, 1] l, float[2, 1] r, float[2, 1] p, int64[2, 1] j) <int64[1] one = {1}> {
  s = ReduceSum(x, one)  q = ReduceSumSquare(x, one)  l = ReduceL1(x, one)  r = ReduceL2(x, one)  p = ReduceProd(x, one)
  j = ReduceSum(i, one)
}""", dict(N=0), dict(N=3))
case("empty_rows_reduced", """
(float[N, 3] x) => (float[N, 1] a, float[N] b, float[N, 1] c, int64[N, 1] d) <int64[1] one = {1}> {
  a = ReduceMax(x, one)  b = ReduceMean<keepdims = 0>(x, one)  c = ReduceLogSumExp(x, one)  d = ArgMax<axis = 1>(x)
}""", dict(N=0), dict(N=2))
case("empty_products", """
(float[N, K] x, float[K, 3] y, float[3] b, uint8[N, K] q, uint8[K, 3] r) => (float[N, 3] g, float[N, 3] e, int32[N, 3] m) {
  g = Gemm(x, y, b)  e = Einsum<equation = "nk,km->nm">(x, y)  m = MatMulInteger(q, r)
}""", dict(N=0, K=2), dict(N=2, K=3))
case("empty_movement", """
(float[N, 4] x) => (float["2*N", 4] t, float[N, 2] s, float[N, 2] u, float[N, 1, 4] q, float["N + 2", 4] p, float[4, N] o, float[1, "4*N"] f, float[3, N, 4] e) <int64[2] twice = {2, 1}, int64[4] ends = {1, 0, 1, 0}, int64[1] one = {1}, int64[3] three = {3, 1, 4}> {
  t = Tile(x, twice)  s, u = Split<axis = 1, num_outputs = 2>(x)  q = Unsqueeze(x, one)  p = Pad(x, ends)  o = Transpose(x)
  f = Flatten<axis = 0>(x)  e = Expand(x, three)
}""", dict(N=0), dict(N=2))
case("empty_indices", """
(float[N, 4] x, int64[M] i, int64[N, 2] j, int64[M, 1] k, float[M, 4] u, float[3, 4] z) => (float[M, 4] g, float[N, 2] e, float[M, 4] n, float[3, 4] s, float[N, 4] c, int64[2, L] w, float[N, 2] v, int64[N, 2] a) <int64 one = {1}, int64[1] two = {2}> {
  g = Gather(z, i)  e = GatherElements<axis = 1>(x, j)  n = GatherND(z, k)  s = ScatterND(z, k, u)  c = CumSum(x, one)
  w = NonZero(x)  v, a = TopK(x, two)
}""", dict(N=0, M=0, i=[], j=[], k=[]), dict(N=2, M=2, i=[0, 2], j=[0, 1, 2, 3], k=[1, 0]))
case("empty_elementwise", """
(float[N, 3] x, float[3] y, bool[N, 3] c, uint8[N, 3] q, float s, uint8 z) => (float[N, 3] a, float[N, 3] b, float[N, 3] d, int32[N, 3] e, float[N, 3] f, uint8[N, 3] g, float[N, 3] h) {
  a = Max(x, y)  b = Clip(x, s)  d = Where(c, x, y)  e = Cast<to = 6>(x)  f = Erf(x)  g = QuantizeLinear(x, s, z)  h = DequantizeLinear(q, s, z)
}""", dict(N=0, s=0.5), dict(N=2, s=0.5))
case("empty_images", """
(float[N, 4, 2, 2] x) => (float[N, 1, 4, 4] d, float[N, 16, 1, 1] s, float[N, 4, 4, 4] r) <float[4] scales = {1.0, 1.0, 2.0, 2.0}> {
  d = DepthToSpace<blocksize = 2>(x)  s = SpaceToDepth<blocksize = 2>(x)  r = Resize(x, , scales)
}""", dict(N=0), dict(N=2))
case("empty_boxes", """
(float[1, N, 4] b, float[1, 1, N] s, float[N, 3] x, bool[N] c) => (int64[K, 3] k, float[M, 3] m, float[U] u) <int64 most = {5}> {
  k = NonMaxSuppression(b, s, most)  m = Compress<axis = 0>(x, c)  u = Unique(x)
}""", dict(N=0), dict(N=3, c=[1, 0, 1]))
