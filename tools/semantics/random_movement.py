"""Random chains of Transpose, Reshape, Slice, Split, Concat and their like over symbolic lengths: what no person thinks
to write. Each graph is a function of its number alone."""
import random

from semantics import case

CONSTANTS = """int64[1] zero = {0}, int64[1] one = {1}, int64[1] two = {2}, int64[1] three = {3}, int64[1] last = {-1},
  int64[1] far = {9223372036854775807}"""


class Chain:
    """A chain over one tensor: `axes` says which of its axes is a number the build knows, and None where it is a length."""

    def __init__(self, number):
        self.random = random.Random(number)
        self.nodes, self.name, self.count, self.merged = [], "x", 0, (None,)
        self.axes = [None, None, self.random.choice([4, 6, 8])]
        self.random.shuffle(self.axes)
        names = iter("NM")
        self.dims = ", ".join(str(a) if a else next(names) for a in self.axes)

    def let(self, text):
        self.count += 1
        self.nodes.append(f"t{self.count} = {text}")
        return f"t{self.count}"

    def to(self, text, axes):
        """The chain goes on from this node."""
        self.name, self.axes = self.let(text), axes

    def axis(self):
        return self.random.randrange(len(self.axes))

    def dims_of(self, start, end=None):
        bound = "" if end is None else f", end = {end}"
        return self.let(f"Shape <start = {start}{bound}> ({self.name})")

    def transpose(self):
        order = list(range(len(self.axes)))
        self.random.shuffle(order)
        self.to(f"Transpose <perm = [{', '.join(map(str, order))}]> ({self.name})", [self.axes[i] for i in order])

    def merge(self):
        """Two axes that lie side by side become one: by a shape computed from Shape or, the last two, by -1."""
        if len(self.axes) < 2:
            return self.widen()
        at = self.random.randrange(len(self.axes) - 1)
        a, b = self.axes[at], self.axes[at + 1]
        axes = self.axes[:at] + [a * b if a and b else None] + self.axes[at + 2:]
        if at + 2 == len(self.axes) and self.random.random() < 0.5:
            shape = self.let(f"Constant <value_ints = [{', '.join(['0'] * at + ['-1'])}]> ()")
            return self.to(f"Reshape({self.name}, {shape})", axes)
        whole, before = self.dims_of(0), self.dims_of(0, at)
        product = self.let(f"ReduceProd <keepdims = 1> ({self.dims_of(at, at + 2)})")
        shape = self.let(f"Concat <axis = 0> ({before}, {product}, {self.dims_of(at + 2)})")
        parts = self.axes
        self.to(f"Reshape({self.name}, {shape})", axes)
        self.merged = (self.name, whole, parts)

    def part(self):
        """A merge just made is taken back, or an axis of a known even length becomes two."""
        if self.merged[0] == self.name:
            return self.to(f"Reshape({self.name}, {self.merged[1]})", self.merged[2])
        even = [i for i, a in enumerate(self.axes) if a and a % 2 == 0]
        if not even:
            return self.widen()
        at = self.random.choice(even)
        half = self.axes[at] // 2
        parts = self.random.choice([[2, half], [half, 2]])
        words = self.let(f"Constant <value_ints = {parts}> ()")
        shape = self.let(f"Concat <axis = 0> ({self.dims_of(0, at)}, {words}, {self.dims_of(at + 1)})")
        self.to(f"Reshape({self.name}, {shape})", self.axes[:at] + parts + self.axes[at + 1:])

    def slice(self):
        at = self.axis()
        start, end, step = self.random.choice(
            [("one", "far", "one"), ("zero", "last", "one"), ("zero", "far", "two"), ("last", "far", "one"),
             ("one", "three", "one"), ("zero", "two", "one")])
        bounds = {"zero": 0, "one": 1, "two": 2, "three": 3, "last": -1, "far": None}
        known = self.axes[at] and len(range(self.axes[at])[bounds[start]:bounds[end]:bounds[step]])
        axis = self.let(f"Constant <value_ints = [{at}]> ()")
        self.to(f"Slice({self.name}, {start}, {end}, {axis}, {step})", self.axes[:at] + [known] + self.axes[at + 1:])

    def swap_halves(self):
        at = self.axis()
        if self.axes[at] == 1:
            return self.transpose()
        self.count += 2
        a, b = f"t{self.count - 1}", f"t{self.count}"
        self.nodes.append(f"{a}, {b} = Split <axis = {at}, num_outputs = 2> ({self.name})")
        self.to(f"Concat <axis = {at}> ({b}, {a})", self.axes)

    def double(self):
        at = self.axis()
        twice = self.axes[at] and 2 * self.axes[at]
        self.to(f"Concat <axis = {at}> ({self.name}, {self.name})", self.axes[:at] + [twice] + self.axes[at + 1:])

    def widen(self):
        at = self.random.randrange(len(self.axes) + 1)
        axis = self.let(f"Constant <value_ints = [{at}]> ()")
        self.to(f"Unsqueeze({self.name}, {axis})", self.axes[:at] + [1] + self.axes[at:])

    def run(self, steps):
        kinds = [self.transpose, self.merge, self.merge, self.part, self.slice, self.slice, self.swap_halves, self.double]
        for _ in range(steps):
            self.random.choice(kinds)()
        self.nodes.append(f"y = Neg({self.name})")
        outputs = ", ".join(f"K{i}" for i in range(len(self.axes)))
        return (f"(float[{self.dims}] x) => (float[{outputs}] y) <{CONSTANTS}> {{\n  " + "\n  ".join(self.nodes) + "\n}")


for number in range(24):
    chain = Chain(number)
    graph = chain.run(3 + number % 5)
    case(f"random_movement_{number}", graph, dict(N=3, M=4), dict(N=5, M=2), dict(N=2, M=7))
