"""The graphs of tests/semantics; see tools/semantics_cases.py."""
import dataclasses

FAMILIES = ["numbers", "movement", "regrouping", "windows", "attention", "at_run_time", "older", "reports",
            "random_movement"]


@dataclasses.dataclass
class Case:
    name: str
    graph: str    # after its name: (inputs) => (outputs) <initializers> { nodes }
    runs: tuple   # of each data set: the lengths by dim_param's name, and inputs that no stream of numbers should fill
    opset: int


registry = []


def case(name, graph, *runs, opset=18):
    registry.append(Case(name, graph, runs, opset))
