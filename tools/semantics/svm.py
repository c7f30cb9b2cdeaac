"""Support vector machines of ai.onnx.ml: kernels, one class, votes of pairs, probabilities and linear models."""
from semantics import case

KERNELS = {
    "linear": 'kernel_type = "LINEAR"',
    "poly": 'kernel_type = "POLY", kernel_params = [0.5, 0.25, 3.0]',
    "rbf": 'kernel_type = "RBF", kernel_params = [0.5, 0.0, 0.0]',
    "sigmoid": 'kernel_type = "SIGMOID", kernel_params = [0.25, -0.5, 0.0]',
}
VECTORS = "support_vectors = [0.5, 1.0, -1.0, 0.0, 0.25, 1.0, -0.5, 1.0, 0.75, 1.0, 1.5, -1.0, 0.125, -0.5, 0.25]"
NO_PARAMETERS = "kernel_params = [0.0, 0.0, 0.0]"
REGRESSOR = f"{VECTORS}, n_supports = 5, coefficients = [1.0, 0.5, -0.75, -1.0, 0.25]"
LABELS = "int64[N] l, float[N, K] s"
WORDS = "string[N] l, float[N, K] s"

# Two classes, three, and four of which one has no vectors.
TWO = f"{VECTORS}, vectors_per_class = [2, 3], coefficients = [1.0, 0.5, -0.75, -1.0, 0.25], rho = [0.125]"
THREE = f"""{VECTORS}, vectors_per_class = [2, 1, 2], rho = [0.125, -0.25, 0.5],
  coefficients = [1.0, 0.5, -0.75, -1.0, 0.25, 0.5, -1.5, 1.0, 0.25, -0.5]"""
FOUR = f"""{VECTORS}, vectors_per_class = [2, 0, 1, 2], rho = [0.125, -0.25, 0.5, 0.25, -0.5, 0.0],
  coefficients = [1.0, 0.5, -0.75, -1.0, 0.25, 0.5, -1.5, 1.0, 0.25, -0.5, -1.0, 0.5, 0.75, -0.25, 1.0]"""


def model(name, op, attributes, outputs, names, type="float"):
    case(name, f"({type}[N, 3] x) => ({outputs}) {{ {names} = ai.onnx.ml.{op}<{attributes}>(x) }}",
         dict(N=6), dict(N=0), ml=1)


def regressor(name, attributes):
    model(f"svm_regress_{name}", "SVMRegressor", f"{attributes}, rho = [0.125]", "float[N, 1] y", "y")


def classifier(name, attributes, outputs=LABELS, type="float"):
    model(f"svm_classify_{name}", "SVMClassifier", attributes, outputs, "l, s", type)


for name, kernel in KERNELS.items():
    kernel += "" if "kernel_params" in kernel else f", {NO_PARAMETERS}"  # which onnxruntime asks for
    regressor(name, f"{kernel}, {REGRESSOR}")
    classifier(name, f"{kernel}, {THREE}, classlabels_ints = [7, 3, 5]")
regressor("square", f'kernel_type = "POLY", kernel_params = [0.5, 1.0, 2.0], {REGRESSOR}')
regressor("one_class", f"{KERNELS['rbf']}, {REGRESSOR}, one_class = 1")
regressor("without_vectors", f"{NO_PARAMETERS}, coefficients = [1.0, 0.5, -0.75]")

RBF = KERNELS["rbf"]
for transform in ["NONE", "LOGISTIC"]:  # onnxruntime makes 1 - s and s of the others; see compiler/operators/svm.cpp
    classifier(f"two_{transform.lower()}", f'{RBF}, {TWO}, classlabels_ints = [7, 3], post_transform = "{transform}"')
for transform in ["LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO"]:
    classifier(f"three_{transform.lower()}",
               f'{RBF}, {THREE}, classlabels_ints = [7, 3, 5], post_transform = "{transform}"')
for transform in ["NONE", "SOFTMAX", "PROBIT"]:
    classifier(f"two_probable_{transform.lower()}", f"""{RBF}, {TWO}, classlabels_ints = [7, 3], prob_a = [-1.5],
  prob_b = [0.25], post_transform = "{transform}" """)
classifier("three_probable", f"""{RBF}, {THREE}, classlabels_strings = ["cat", "dog", "emu"],
  prob_a = [-1.5, -2.0, -0.5], prob_b = [0.25, 0.0, -0.5]""", WORDS)
classifier("four_probable", f"""{KERNELS["poly"]}, {FOUR}, classlabels_ints = [1, 2, 3, 4],
  prob_a = [-1.5, -2.0, -0.5, -4.0, -0.25, -9.0], prob_b = [0.25, 0.0, -0.5, 1.0, 0.5, -0.125]""")
classifier("four", f'{RBF}, {FOUR}, classlabels_strings = ["ant", "bee", "cat", "dog"]', WORDS)
classifier("doubles", f"{RBF}, {TWO}, classlabels_ints = [7, 3]", type="double")
classifier("integers", f"{KERNELS['sigmoid']}, {THREE}, classlabels_ints = [7, 3, 5]", type="int64")

# Without support vectors. Of two classes the second is chosen by a positive score of either.
MIXED, POSITIVE = "[1.0, 0.5, -0.75, -1.0, 0.25, -0.5]", "[1.0, 0.5, 0.75, 0.0, 0.25, 0.5]"
classifier("linear_two", f"{NO_PARAMETERS}, coefficients = {MIXED}, rho = [-1.5], classlabels_ints = [7, 3]")
classifier("linear_positive", f"{NO_PARAMETERS}, coefficients = {POSITIVE}, rho = [-1.0], classlabels_ints = [7, 3]")
classifier("linear_three", f"""{NO_PARAMETERS}, coefficients = [1.0, 0.5, -0.75, -1.0, 0.25, -0.5, 0.5, 1.0, 0.0],
  rho = [0.125], classlabels_strings = ["cat", "dog", "emu"], post_transform = "SOFTMAX" """, WORDS)
