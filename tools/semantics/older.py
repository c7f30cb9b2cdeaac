"""Operators seldom met, and the forms that older opsets have of others."""
from semantics import case

# A corner is rounded half away from zero; a region reaches over the map's edge, lies outside, or runs backward.
case("max_roi_pool", """
(float[2, 3, H, W] x, float[R, 5] rois) => (float[R, 3, 2, 3] y) {
  y = MaxRoiPool<pooled_shape = [2, 3], spatial_scale = 0.5>(x, rois)
}""", dict(H=8, W=9, R=4, rois=[0, 0, 0, 9, 13, 1, 3, 1, 11, 4, 0, -5, 5, 5, 60, 1, 9, 9, 3, 3]),
     dict(H=5, W=4, R=1, rois=[1, 30, 30, 40, 40]))

# A scan for each batch, the second of the scanned inputs from its end.
case("scan_of_batches", """
(float[B, C] first, float[B, S, C] x, float[B, S] w) => (float[B, C] last, float[B, S, C] sums, float[B, S] weights) {
  last, sums, weights = Scan<num_scan_inputs = 2, directions = [0, 1], body = turn(
      float[C] before, float[C] row, float weight) => (float[C] after, float[C] sum, float kept) {
    scaled = Mul(row, weight)  after = Add(before, scaled)  sum = Identity(after)  kept = Neg(weight)
  }>("", first, x, w)
}""", dict(B=2, S=3, C=4), dict(B=1, S=1, C=2), dict(B=3, S=5, C=1), opset=8)

# Sequences of their own lengths, shorter than what is scanned.
case("scan_of_lengths", """
(int64[B] lengths, float[B, C] first, float[B, S, C] x, float[B, S] w)
  => (float[B, C] last, float[B, S, C] sums, float[B, S] weights) {
  last, sums, weights = Scan<num_scan_inputs = 2, directions = [0, 1], body = turn(
      float[C] before, float[C] row, float weight) => (float[C] after, float[C] sum, float kept) {
    scaled = Mul(row, weight)  after = Add(before, scaled)  sum = Identity(after)  kept = Neg(weight)
  }>(lengths, first, x, w)
}""", dict(B=3, S=4, C=2, lengths=[2, 4, 1]), dict(B=1, S=1, C=2, lengths=[1]), opset=8)

# One token, pairs and triples, whose tokens may stand apart; an n-gram is weighed by its place.
ngrams = """
min_gram_length = 1, max_gram_length = 3, max_skip_count = %d, ngram_counts = [0, 2, 8], mode = "%s",
ngram_indexes = [0, 1, 2, 3, 4, 5], pool_int64s = [1, 3, 0, 1, 1, 2, 2, 0, 1, 2, 3], weights = [%s]
"""
for name, mode, skips in (("counts", "TF", 0), ("apart", "TF", 3), ("present", "IDF", 1), ("weighed", "TFIDF", 2)):
    case(f"ngrams_{name}", f"""
(int64[N, C] x) => (float[N, 6] y) {{
  y = TfIdfVectorizer<{ngrams % (skips, mode, "0.5, 2.0, 3.0, 1.5, 0.25, 4.0")}>(x)
}}""", dict(N=2, C=9), dict(N=1, C=1), dict(N=3, C=4))

words = 'pool_strings = ["b", "dé", "a", "b", "b", "b", "c", "c", "b", "c", "c", "dé"]'
case("ngrams_of_strings", f"""
(string[N, C] x) => (float[N, 6] y) {{
  y = TfIdfVectorizer<min_gram_length = 1, max_gram_length = 2, max_skip_count = 1, ngram_counts = [0, 2],
    mode = "TFIDF", ngram_indexes = [0, 1, 2, 3, 4, 5, 5], weights = [0.5, 2.0, 3.0, 1.5, 0.25, 4.0, 4.0], {words}>(x)
}}""", dict(N=2, C=5, x=["a", "b", "c", "dé", "", "b", "b", "b", "c", "e"]), dict(N=1, C=1, x=["b"]))

# Nothing is dropped where the ratio is 0 or the run does not train.
case("dropout_that_may_train", """
(float[N] x, float ratio, bool training) => (float[N] y, bool[N] mask) { y, mask = Dropout(x, ratio, training) }
""", dict(N=4, ratio=[0.0], training=[True]), dict(N=3, ratio=[0.5], training=[False]))

# Numbers of one axis.
case("range_of_lists", """
(int64[1] start, int64[1] limit, int64[1] step) => (int64[N] y) { y = Range(start, limit, step) }
""", dict(N=3, start=[2], limit=[9], step=[3]), dict(N=2, start=[4], limit=[0], step=[-2]))

# One element, under an axis in one branch and under none in the other: what it is multiplied with decides the rank.
case("if_of_two_ranks", """
(float[N] x, bool flag) => (float[N] y) <float one = {1.5}, float[1] two = {2.5}> {
  s = If(flag)<then_branch = first () => (float a) { a = Identity(one) },
               else_branch = second () => (float[1] b) { b = Identity(two) }>
  n = Neg(s)  y = Mul(x, n)
}""", dict(N=3, flag=[True]), dict(N=2, flag=[False]))

# Two trees that share three targets, of which one gets nothing: x[1] <= 0.5, or NaN, ? (x[0] in {-1, 2} ? .. : ..) : ..
# No post_transform, since onnxruntime takes 1 for LOGISTIC and 2 for SOFTMAX, and ONNX the other way round.
trees = """
tree_roots = [0, 2], n_targets = 3, nodes_featureids = [1, 0, 2], nodes_modes = uint8[3] {0, 6, 3},
nodes_splits = float[3] {0.5, 0.0, 1.0}, nodes_truenodeids = [1, 0, 3], nodes_trueleafs = [0, 1, 1],
nodes_falsenodeids = [2, 1, 1], nodes_falseleafs = [1, 1, 1], nodes_missing_value_tracks_true = [1, 0, 0],
membership_values = float[3] {-1.0, 2.0, nan}, leaf_targetids = [0, 2, 0, 2], leaf_weights = float[4] {1.5, -2.0, 4.0, 3.0},
aggregate_function = %d
"""
rows = [-1.0, 0.5, 1.5, 2.0, float("nan"), 0.0, 0.0, 0.25, 1.25, -1.0, 0.75, -1.0, float("nan"), 1.0, float("nan")]
for aggregate, name in enumerate(("mean", "sum", "least", "greatest")):
    case(f"trees_{name}", f"""
(float[N, 3] x) => (float[N, 3] y) {{
  y = ai.onnx.ml.TreeEnsemble<{trees % aggregate}>(x)
}}""", dict(N=5, x=rows), dict(N=1, x=rows[:3]))
