"""Models of ai.onnx.ml: trees of either form and linear models, their transforms, labels and aggregates."""
from semantics import case

# x[0] <= 0 ? leaf 1 : (x[1] > 0.5 ? leaf 3 : leaf 4), NaN going the true way at the second test; and a stump on x[1].
NODES = """nodes_treeids = [0, 0, 0, 0, 0, 1, 1, 1], nodes_nodeids = [0, 1, 2, 3, 4, 0, 1, 2],
  nodes_featureids = [0, 0, 1, 0, 0, 1, 0, 0], nodes_values = [0.0, 0.0, 0.5, 0.0, 0.0, 0.25, 0.0, 0.0],
  nodes_modes = ["BRANCH_LEQ", "LEAF", "BRANCH_GT", "LEAF", "LEAF", "BRANCH_%s", "LEAF", "LEAF"],
  nodes_truenodeids = [1, 0, 3, 0, 0, 1, 0, 0], nodes_falsenodeids = [2, 0, 4, 0, 0, 2, 0, 0],
  nodes_missing_value_tracks_true = [0, 0, 1, 0, 0, 0, 0, 0]"""
NAN = float("nan")
ROWS = [0.25, NAN, -1.0, 0.25, NAN, 1.0, 0.5, 0.75, 0.125, 0.125, 2.0, -0.5]


def leaves(side, ids, weights):
    return f"""{side}_treeids = [0, 0, 0, 1, 1], {side}_nodeids = [1, 3, 4, 1, 2], {side}_ids = {ids},
  {side}_weights = {weights}"""


# The outputs' names, and their declarations.
SCORES = ("y", "float[N, K] y")
CLASSES = ("l, s", "int64[N] l, float[N, K] s")
WORDS = ("l, s", "string[N] l, float[N, K] s")


def model(name, op, attributes, outputs, type="float", ml=3):
    names, declared = outputs
    case(name, f"({type}[N, 2] x) => ({declared}) {{ {names} = ai.onnx.ml.{op}<{attributes}>(x) }}",
         dict(N=6, x=ROWS), dict(N=0), ml=ml)


WEIGHTS, MIXED = [0.125, 0.375, 0.25, 0.0625, 0.5], [0.125, -0.375, 0.25, -0.0625, 0.5]
# Each target is given something in every row: onnxruntime adds base_values to no other, and ONNX to all.
for aggregate in ["SUM", "AVERAGE", "MIN", "MAX"]:
    model(f"trees_regress_{aggregate.lower()}", "TreeEnsembleRegressor",
          f"""{NODES % "LT"}, {leaves("target", [0, 0, 0, 1, 1], MIXED)}, n_targets = 2, base_values = [0.5, -1.0],
  aggregate_function = "{aggregate}" """, SCORES)
for mode in ["LT", "GTE", "GT", "EQ", "NEQ"]:
    model(f"trees_test_{mode.lower()}", "TreeEnsembleRegressor",
          f"{NODES % mode}, {leaves('target', [0] * 5, MIXED)}, n_targets = 1", SCORES)
for transform in ["LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO"]:
    word = transform.lower()
    model(f"trees_regress_{word}", "TreeEnsembleRegressor",
          f"""{NODES % "LEQ"}, {leaves("target", [0, 1, 2, 1, 0], MIXED)}, n_targets = 3,
  post_transform = "{transform}" """,
          SCORES)
    model(f"trees_classify_{word}", "TreeEnsembleClassifier",
          f"""{NODES % "LEQ"}, {leaves("class", [0, 1, 2, 1, 0], MIXED)}, classlabels_int64s = [7, 3, 5],
  post_transform = "{transform}" """, CLASSES)
    model(f"linear_{word}", "LinearRegressor",
          f"""coefficients = [0.5, -1.0, 0.25, 2.0], intercepts = [0.125, 0.5], targets = 2,
  post_transform = "{transform}" """,
          SCORES)
model("trees_regress_probit", "TreeEnsembleRegressor",
      f"""{NODES % "LEQ"}, {leaves("target", [0] * 5, WEIGHTS)}, n_targets = 1, post_transform = "PROBIT" """,
      SCORES)
model("trees_of_doubles", "TreeEnsembleClassifier",
      f"{NODES % 'LEQ'}, {leaves('class', [0, 1, 2, 1, 0], MIXED)}, classlabels_int64s = [7, 3, 5]",
      CLASSES, type="double")
for name, to, weights in [("probability", 0, WEIGHTS), ("margin", 0, MIXED), ("second", 1, WEIGHTS)]:
    for transform in ["NONE", "LOGISTIC"]:
        model(f"trees_decide_by_{name}_{transform.lower()}", "TreeEnsembleClassifier",
              f"""{NODES % "LEQ"}, {leaves("class", [to] * 5, weights)}, classlabels_int64s = [7, 3],
  post_transform = "{transform}" """, CLASSES)
model("trees_decide_from_base", "TreeEnsembleClassifier",
      f"{NODES % 'LEQ'}, {leaves('class', [0] * 5, MIXED)}, classlabels_int64s = [7, 3], base_values = [0.125]",
      CLASSES)
model("trees_give_words", "TreeEnsembleClassifier",
      f"""{NODES % "LEQ"}, {leaves("class", [0, 1, 2, 1, 0], MIXED)}, classlabels_strings = ["cat", "dog", "emu"]""",
      WORDS)
model("linear_gives_words", "LinearClassifier",
      """coefficients = [0.5, -1.0, 0.25, 2.0, 1.0, 1.0], intercepts = [0.125, 0.5, -0.25],
  classlabels_strings = ["cat", "dog", "emu"]""", WORDS, ml=1)

# ---- Columns of features

ROW = [1.0, NAN, 3.0, NAN, 0.5, 3.0]
case("impute_nan", """(float[N, 3] x) => (float[N, 3] y) {
  y = ai.onnx.ml.Imputer<imputed_value_floats = [7.0, 8.0, 9.0], replaced_value_float = nan>(x)
}""", dict(N=2, x=ROW), dict(N=0), ml=1)
case("impute_number", """(float[N, 3] x) => (float[N, 3] y) {
  y = ai.onnx.ml.Imputer<imputed_value_floats = [7.5], replaced_value_float = 3.0>(x)
}""", dict(N=2, x=ROW), ml=1)
case("impute_integer", """(int64[N, 3] x) => (int64[N, 3] y) {
  y = ai.onnx.ml.Imputer<imputed_value_int64s = [-1, -2, -3], replaced_value_int64 = 2>(x)
}""", dict(N=2, x=[2, 1, 2, 0, 2, 3]), ml=1)
case("one_hot_of_floats", """(float[N, 2] x) => (float[N, 2, 3] y) {
  y = ai.onnx.ml.OneHotEncoder<cats_int64s = [1, 2, 5], zeros = 1>(x)
}""", dict(N=2, x=[1.5, 5.0, 4.0, 2.0]), dict(N=0), ml=1)
case("one_hot_of_integers", """(int64[N] x) => (float[N, 3] y) {
  y = ai.onnx.ml.OneHotEncoder<cats_int64s = [1, 2, 5], zeros = 1>(x)
}""", dict(N=4), ml=1)
case("features_side_by_side", """(float[N, 2] x, float[N, 1] z) => (float[N, 3] y) {
  y = ai.onnx.ml.FeatureVectorizer<inputdimensions = [2, 1]>(x, z)
}""", dict(N=2), dict(N=1), ml=1)
CATEGORIES = 'cats_strings = ["red", "green", "blue"]'
COLOURS = ["green", "red", "mauve", "blue", "", "red"]
case("one_hot_of_strings", f"""(string[N, 2] x) => (float[N, 2, 3] y) {{
  y = ai.onnx.ml.OneHotEncoder<{CATEGORIES}, zeros = 1>(x)
}}""", dict(N=3, x=COLOURS), dict(N=0, x=[]), ml=1)
case("one_hot_of_categories_alone", f"""(string[N] x) => (float[N, 3] y) {{
  y = ai.onnx.ml.OneHotEncoder<{CATEGORIES}, zeros = 0>(x)
}}""", dict(N=3, x=["blue", "red", "blue"]), ml=1)
case("one_hot_of_repeated_integers", """(int64[N] x) => (float[N, 4] y) {
  y = ai.onnx.ml.OneHotEncoder<cats_int64s = [2, 1, 2, 3], zeros = 0>(x)
}""", dict(N=3, x=[2, 1, 3]), ml=1)
case("category_of_string", f"""(string[N] x) => (int64[N] y) {{
  y = ai.onnx.ml.CategoryMapper<{CATEGORIES}, cats_int64s = [5, -1, 7], default_int64 = -9>(x)
}}""", dict(N=6, x=COLOURS), dict(N=0, x=[]), ml=1)
case("string_of_category", """(int64[N, 2] x) => (string[N, 2] y) {
  y = ai.onnx.ml.CategoryMapper<cats_strings = ["red", "green", "blue", "deep red"], cats_int64s = [5, -1, 7, 5],
  default_string = "none">(x)
}""", dict(N=2, x=[5, 7, 0, -1]), ml=1)
case("feature_of_one_index", """(string[N, 3] x, float[N, 4] z) => (string[N, 1] y, float[N, 1] w)
  <int64 first = {2}, int64 second = {1}> {
  y = ai.onnx.ml.ArrayFeatureExtractor(x, first)  w = ai.onnx.ml.ArrayFeatureExtractor(z, second)
}""", dict(N=2, x=COLOURS), ml=1)
