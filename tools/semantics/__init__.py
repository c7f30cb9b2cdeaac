"""The graphs of tests/semantics; see tools/semantics_cases.py."""
import dataclasses

FAMILIES = ["numbers", "movement", "regrouping", "windows", "attention", "at_run_time", "older", "reports",
            "empty", "random_movement", "models", "svm"]


@dataclasses.dataclass
class Case:
    name: str
    graph: str    # after its name: (inputs) => (outputs) <initializers> { nodes }
    runs: tuple   # of each data set: the lengths by dim_param's name, and inputs that no stream of numbers should fill
    opset: int
    ml: int       # the opset of ai.onnx.ml, where the graph has nodes of it


registry = []


def case(name, graph, *runs, opset=18, ml=5):
    registry.append(Case(name, graph, runs, opset, ml))
