"""Windows that slide over a length: how many there are, and what padding they see."""
from semantics import case

W3 = "<float[1, 1, 3] w = {1.0, -2.0, 0.5}>"
case("conv_over_length", f"""
(float[1, 1, N] x) => (float[1, 1, K] y) {W3} {{ y = Conv(x, w) }}
""", dict(N=5), dict(N=3))
case("conv_padded", f"""
(float[B, 1, N] x) => (float[B, 1, N] y) {W3} {{ y = Conv<pads = [1, 1]>(x, w) }}
""", dict(B=2, N=4), dict(B=1, N=1))
case("conv_strided", f"""
(float[1, 1, N] x) => (float[1, 1, K] y) {W3} {{ y = Conv<pads = [1, 1], strides = [2]>(x, w) }}
""", dict(N=6), dict(N=7))
case("conv_dilated", f"""
(float[1, 1, N] x) => (float[1, 1, K] y) {W3} {{ y = Conv<dilations = [2]>(x, w) }}
""", dict(N=5), dict(N=8))
case("conv_same_upper", f"""
(float[1, 1, N] x) => (float[1, 1, K] y) {W3} {{ y = Conv<auto_pad = "SAME_UPPER", strides = [2]>(x, w) }}
""", dict(N=5), dict(N=6), dict(N=1))
case("conv_same_lower", f"""
(float[1, 1, N] x) => (float[1, 1, K] y) {W3} {{ y = Conv<auto_pad = "SAME_LOWER", strides = [2]>(x, w) }}
""", dict(N=5), dict(N=6))
case("conv_residual", f"""
(float[B, 1, N] x) => (float[B, 1, N] y) {W3} {{ c = Conv<pads = [1, 1]>(x, w)  r = Relu(c)  y = Add(r, x) }}
""", dict(B=1, N=4), dict(B=2, N=7))
case("conv_image_halved_twice", """
(float[B, 1, H, W] x) => (float[B, 1, I, J] y) <float[1, 1, 3, 3] w = {1.0, 0.0, 2.0, 0.5, 1.0, 0.0, 0.0, -1.0, 1.0}> {
  a = Conv<pads = [1, 1, 1, 1], strides = [2, 2]>(x, w)  y = Conv<pads = [1, 1, 1, 1], strides = [2, 2]>(a, w)
}""", dict(B=1, H=8, W=5), dict(B=2, H=3, W=4))
case("max_pool_over_length", """
(float[1, 1, N] x) => (float[1, 1, K] y) { y = MaxPool<kernel_shape = [2], strides = [2]>(x) }
""", dict(N=6), dict(N=7))
case("max_pool_ceil", """
(float[1, 1, N] x) => (float[1, 1, K] y) { y = MaxPool<kernel_shape = [2], strides = [2], ceil_mode = 1>(x) }
""", dict(N=6), dict(N=7))
case("max_pool_ceil_padded", """
(float[1, 1, N] x) => (float[1, 1, K] y) { y = MaxPool<kernel_shape = [3], strides = [2], pads = [1, 1], ceil_mode = 1>(x) }
""", dict(N=4), dict(N=5), dict(N=6))
case("max_pool_same", """
(float[1, 1, N] x) => (float[1, 1, K] y, float[1, 1, K] z) {
  y = MaxPool<kernel_shape = [3], strides = [2], auto_pad = "SAME_UPPER">(x)
  z = MaxPool<kernel_shape = [3], strides = [2], auto_pad = "SAME_LOWER">(x)
}""", dict(N=5), dict(N=6))
case("max_pool_dilated", """
(float[1, 1, N] x) => (float[1, 1, K] y) { y = MaxPool<kernel_shape = [2], dilations = [3]>(x) }
""", dict(N=6), dict(N=4))
case("average_pool_of_an_image", """
(float[B, 2, H, W] x) => (float[B, 2, I, J] y) {
  y = AveragePool<kernel_shape = [2, 3], strides = [1, 2], pads = [0, 1, 0, 1], count_include_pad = 1>(x)
}""", dict(B=1, H=3, W=4), dict(B=2, H=2, W=5))
case("global_average_pool", """
(float[B, 2, H, W] x) => (float[B, 2, 1, 1] y, float[B, 2] z) { y = GlobalAveragePool(x)  z = Flatten(y) }
""", dict(B=1, H=3, W=2), dict(B=2, H=1, W=4))
case("conv_transpose_over_length", """
(float[1, 1, N] x) => (float[1, 1, K] y) <float[1, 1, 3] w = {1.0, -2.0, 0.5}> {
  y = ConvTranspose<strides = [2], pads = [1, 1], output_padding = [1]>(x, w)
}""", dict(N=3), dict(N=5))
case("up_and_down_meet", """
(float[1, 1, "2*N"] x) => (float[1, 1, "2*N"] y) <float[1, 1, 2] w = {0.5, 0.25}> {
  d = MaxPool<kernel_shape = [2], strides = [2]>(x)  u = ConvTranspose<strides = [2]>(d, w)  y = Add(u, x)
}""", dict(N=2), dict(N=3))
case("upsampled_joins_skip", """
(float[1, 1, "2*H", "2*W"] x) => (float[1, 2, "2*H", "2*W"] y) {
  d = MaxPool<kernel_shape = [2, 2], strides = [2, 2]>(x)  s = Shape<start = 2>(x)  a = Shape<end = 2>(d)
  t = Concat<axis = 0>(a, s)  u = Resize<mode = "nearest", coordinate_transformation_mode = "asymmetric", nearest_mode = "floor">(d, , , t)
  y = Concat<axis = 1>(u, x)
}""", dict(H=1, W=2), dict(H=2, W=3))
