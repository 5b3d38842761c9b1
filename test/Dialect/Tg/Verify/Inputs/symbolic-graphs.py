"""Writes graphs with symbolic sizes, one function each, for tg-verify-accesses.

Usage: symbolic-graphs.py [NAME...]

Movement operations at symbolic places, and what programs are made of: products
of matrices, convolutions, reductions, gathers, joins, caches that grow.
"""

import random
import sys

GRAPHS = []


def graph(function):
    GRAPHS.append(function)
    return function


OPERATORS = {
    "add": lambda x, y: x + y,
    "mul": lambda x, y: x * y,
    "floordiv": lambda x, y: x // y,
    "mod": lambda x, y: x % y,
    "min": min,
}


class Dim:
    """A number, or an expression over variables as the dialect writes it."""

    def __init__(self, text, values):
        # What it is for some values of the variables.
        self.values = values
        is_number = len(set(values)) == 1
        self.text = str(values[0]) if is_number else text

    def apply(self, op, other):
        a, b = self, of(other)
        values = list(map(OPERATORS[op], a.values, b.values))
        return Dim(f"#tg.dim<{op}, {a.text}, {b.text}>", values)

    def is_number(self):
        return not self.text.startswith("#")

    __add__ = __radd__ = lambda self, other: self.apply("add", other)
    __mul__ = __rmul__ = lambda self, other: self.apply("mul", other)
    __sub__ = lambda self, other: self + of(other) * -1
    __rsub__ = lambda self, other: of(other) - self
    __floordiv__ = lambda self, other: self.apply("floordiv", other)
    __mod__ = lambda self, other: self.apply("mod", other)


SAMPLES = 12


def of(x):
    return x if isinstance(x, Dim) else Dim(str(x), [x] * SAMPLES)


def var(name, first, last):
    chooser = random.Random(name)
    values = [first, last] + [chooser.randint(first, last) for _ in range(SAMPLES - 2)]
    chooser.shuffle(values)
    dim = Dim("", values)
    # Also where only one value is possible it is a variable.
    dim.text = f'#tg.var<"{name}", {first}, {last}>'
    return dim


def smaller(a, b):
    return of(a).apply("min", b)


def listed(dims):
    return "[" + ", ".join(of(d).text for d in dims) + "]"


class Tensor:
    def __init__(self, graph, name, shape, element):
        self.graph, self.name, self.element = graph, name, element
        self.shape = [of(d) for d in shape]

    def type(self):
        sizes = "".join((d.text if d.is_number() else "?") + "x" for d in self.shape)
        shape = ", ".join(d.text for d in self.shape)
        encoding = f", #tg.shape<{shape}>" if "?" in sizes else ""
        return f"tensor<{sizes}{self.element}{encoding}>"

    def make(self, text, shape, element=None, types="from to"):
        result = self.graph.tensor(shape, element or self.element)
        suffix = {
            "from to": f"{self.type()} -> {result.type()}",
            "to": result.type(),
        }[types]
        self.graph.lines.append(f"  {result.name} = tg.{text} : {suffix}")
        return result

    def unary(self, op):
        return self.make(f"{op} {self.name}", self.shape, types="to")

    def binary(self, op, other):
        return self.make(f"{op} {self.name}, {other.name}", self.shape, types="to")

    def compare(self, op, other):
        text = f"{op} {self.name}, {other.name}"
        result = self.graph.tensor(self.shape, "i1")
        self.graph.lines.append(f"  {result.name} = tg.{text} : {self.type()}")
        return result

    def pad(self, low, high):
        shape = [l + d + h for l, d, h in zip(low, self.shape, high)]
        text = f"pad {self.name} low {listed(low)} high {listed(high)}"
        return self.make(text, shape)

    def shrink(self, begin, end):
        shape = [e - b for b, e in zip(map(of, begin), map(of, end))]
        text = f"shrink {self.name} from {listed(begin)} to {listed(end)}"
        return self.make(text, shape)

    def permute(self, order):
        shape = [self.shape[axis] for axis in order]
        return self.make(f"permute {self.name} {list(order)}", shape)

    def flip(self, axes):
        return self.make(f"flip {self.name} axes {list(axes)}", self.shape, types="to")

    def reshape(self, shape):
        return self.make(f"reshape {self.name}", shape)

    def expand(self, shape):
        return self.make(f"expand {self.name}", shape)

    def reduce(self, kind, axes):
        shape = [1 if i in axes else d for i, d in enumerate(self.shape)]
        return self.make(f"reduce {kind} {self.name} axes {list(axes)}", shape)

    def spread(self, axis, size):
        """A new axis of this size."""
        shape = list(self.shape)
        one = self.reshape(shape[:axis] + [1] + shape[axis:])
        return one.expand(shape[:axis] + [size] + shape[axis:])


class Graph:
    def __init__(self, name):
        self.name, self.lines, self.args, self.count = name, [], [], 0

    def tensor(self, shape, element):
        self.count += 1
        return Tensor(self, f"%{self.count}", shape, element)

    def arg(self, *shape, element="f32"):
        tensor = self.tensor(shape, element)
        tensor.name = f"%a{len(self.args)}"
        self.args.append(f"{tensor.name}: {tensor.type()}")
        return tensor

    def op(self, text, shape, element):
        result = self.tensor(shape, element)
        self.lines.append(f"  {result.name} = tg.{text} : {result.type()}")
        return result

    def iota(self, axis, shape, element="i32"):
        return self.op(f"iota {axis}", shape, element)

    def dim(self, dim, shape, element="i32"):
        return self.op(f"dim({of(dim).text})", shape, element)

    def zeros(self, shape, element="f32"):
        zero = f"0.0 : {element}" if element[0] == "f" else f"0 : {element}"
        return self.op(f"const({zero})", shape, element)

    def where(self, condition, x, y):
        names = f"{condition.name}, {x.name}, {y.name}"
        return self.op(f"where {names}", x.shape, x.element)

    def text(self, result):
        return "\n".join(
            [
                f"func.func @{self.name}({', '.join(self.args)}) -> {result.type()} {{",
                *self.lines,
                f"  return {result.name} : {result.type()}",
                "}",
            ]
        )


# Movement operations.


@graph
def pad_by_variables(g):
    n, p, q = var("n", 1, 20), var("p", 0, 5), var("q", 0, 7)
    return g.arg(n, 3).pad([p, 1], [q, 2]).unary("exp2")


@graph
def pad_to_a_fixed_size(g):
    n = var("n", 0, 20)
    return g.arg(4, n).pad([0, 0], [0, 20 - n]).unary("neg")


@graph
def pad_of_pad(g):
    n, p = var("n", 0, 16), var("p", 0, 4)
    x = g.arg(n, 5).pad([p, 1], [2, 0]).unary("exp2")
    return x.pad([1, p], [p, 1]).unary("neg")


@graph
def overlapping_pads(g):
    n, p = var("n", 1, 9), var("p", 0, 6)
    x = g.arg(n).pad([0], [p + 3])
    y = g.arg(p).pad([n], [3])
    z = g.arg(3).pad([n + p], [0])
    return x.binary("add", y).binary("mul", z)


@graph
def pad_then_shrink(g):
    n, p = var("n", 1, 17), var("p", 0, 4)
    x = g.arg(n, n).pad([p, 2], [1, p]).unary("exp2")
    return x.shrink([p, 1], [p + n, n + 2])


@graph
def shrink_in_the_middle(g):
    n, p = var("n", 0, 12), var("p", 0, 8)
    return g.arg(20, 3).shrink([p, 1], [p + n, 3]).unary("neg")


@graph
def shrink_from_the_end(g):
    n = var("n", 4, 33)
    return g.arg(n, 5).shrink([n - 4, 0], [n, 5]).unary("exp2")


@graph
def shrink_to_the_lesser(g):
    n = var("n", 0, 40)
    return g.arg(30).shrink([0], [smaller(n, 30)]).unary("neg")


@graph
def permuted(g):
    n, m = var("n", 1, 4), var("m", 0, 6)
    x = g.arg(n, 4, m).permute([2, 0, 1]).unary("neg")
    return x.reshape([m * n, 4])


@graph
def flipped(g):
    n, m = var("n", 1, 9), var("m", 1, 17)
    return g.arg(n, m).flip([0, 1]).pad([1, 0], [0, 2]).flip([0]).unary("neg")


@graph
def expanded(g):
    n, m = var("n", 0, 9), var("m", 1, 17)
    return g.arg(m, 1).expand([m, n]).binary("add", g.arg(1, n).expand([m, n]))


@graph
def merged_axes(g):
    n, m = var("n", 1, 4), var("m", 1, 6)
    return g.arg(n, m, 3).permute([1, 0, 2]).reshape([n * m * 3]).unary("neg")


@graph
def split_axis(g):
    n = var("n", 1, 20)
    return g.arg(n * 6).reshape([n, 6]).permute([1, 0]).reshape([3, n * 2]).unary("neg")


@graph
def reshape_across_pad(g):
    n = var("n", 1, 16)
    x = g.arg(n, 5).pad([1, 2], [1, 1]).reshape([(n + 2) * 2, 4])
    return x.permute([1, 0]).unary("exp2")


@graph
def reshape_across_symbolic_pad(g):
    n = var("n", 0, 12)
    x = g.arg(3, n).pad([1, 0], [0, 12 - n]).reshape([8, 6])
    return x.permute([1, 0]).reshape([48]).unary("neg")


@graph
def rolled(g):
    n, p = var("n", 1, 20), var("p", 0, 1)
    x = g.arg(n + p)
    back = x.shrink([n], [n + p]).pad([0], [n])
    return back.binary("add", x.shrink([0], [n]).pad([p], [0]))


@graph
def no_elements(g):
    n, m = var("n", 0, 3), var("m", 0, 0)
    return g.arg(n, m).pad([0, n], [1, 0]).unary("exp2")


@graph
def diagonal(g):
    n = var("n", 1, 9)
    x = g.arg(n, n).pad([0, 0], [0, 1]).reshape([n * n + n])
    return x.shrink([0], [n * n]).reshape([n, n]).shrink([0, 0], [n, 1])


@graph
def triangle(g):
    n, m = var("n", 1, 12), var("m", 1, 17)
    x = g.arg(n, m)
    keep = g.iota(0, [n, m]).compare("cmplt", g.iota(1, [n, m]))
    return g.where(keep, x.unary("exp2"), g.zeros([n, m]))


# What programs are made of.


def matmul(g, m, n, k):
    a = g.arg(m, k).spread(1, n)
    b = g.arg(k, n).permute([1, 0]).spread(0, m)
    return a.binary("mul", b).reduce("add", [2]).reshape([m, n])


@graph
def matmul_rows(g):
    return matmul(g, var("m", 1, 70), 48, 32)


@graph
def matmul_columns(g):
    return matmul(g, 37, var("n", 0, 20), 20)


@graph
def matmul_depth(g):
    return matmul(g, 16, 33, var("k", 0, 40))


@graph
def matmul_all(g):
    return matmul(g, var("m", 1, 40), var("n", 1, 50), var("k", 1, 60))


@graph
def matmul_transposed(g):
    m, n = var("m", 1, 64), var("n", 1, 100)
    a, b = g.arg(m, 24).spread(1, n), g.arg(n, 24).spread(0, m)
    return a.binary("mul", b).reduce("add", [2]).reshape([m, n])


@graph
def convolution(g):
    batch = var("batch", 1, 8)
    x = g.arg(batch, 2, 9, 9).pad([0, 0, 1, 1], [0, 0, 1, 1])
    total = None
    for i in range(3):
        window = x.shrink([0, 0, i, 2 - i], [batch, 2, i + 9, 11 - i])
        total = window if total is None else total.binary("add", window)
    return total.reduce("add", [1])


@graph
def windows(g):
    # Windows by the trick of repeating rows: one more element each.
    n = var("n", 4, 20)
    x = g.arg(n, 7).spread(1, 3).reshape([n, 21])
    x = x.pad([0, 0], [0, 3]).reshape([n, 3, 8]).shrink([0, 0, 0], [n, 3, 5])
    return x.reduce("max", [1]).reshape([n, 5])


@graph
def convolution_of_length(g):
    n = var("n", 3, 40)
    x = g.arg(n, 4).pad([1, 0], [1, 0])
    a = x.shrink([0, 0], [n, 4])
    b = x.shrink([1, 0], [n + 1, 4])
    c = x.shrink([2, 0], [n + 2, 4])
    return a.binary("add", b).binary("max", c).reduce("add", [1])


@graph
def pooling(g):
    n, batch = var("n", 1, 12), var("batch", 1, 5)
    x = g.arg(batch, n * 2, 8).reshape([batch, n, 2, 4, 2])
    return x.reduce("max", [2, 4]).reshape([batch, n, 4])


@graph
def softmax(g):
    n, m = var("n", 1, 9), var("m", 1, 100)
    x = g.arg(n, m)
    e = x.binary("sub", x.reduce("max", [1]).expand([n, m])).unary("exp2")
    return e.binary("fdiv", e.reduce("add", [1]).expand([n, m]))


@graph
def sum_of_rows(g):
    n, m = var("n", 0, 33), var("m", 0, 50)
    return g.arg(n, m).unary("exp2").reduce("add", [0])


@graph
def sum_of_all(g):
    n, m = var("n", 0, 33), var("m", 1, 50)
    return g.arg(n, m).pad([1, 0], [0, 1]).unary("exp2").reduce("add", [0, 1])


@graph
def split_sum(g):
    return g.arg(var("n", 0, 1000000)).reduce("add", [0])


@graph
def split_sum_of_columns(g):
    return g.arg(var("n", 1, 100000), 64).reduce("add", [0])


@graph
def gather(g):
    n, count = var("n", 1, 50), var("count", 1, 20)
    shape = [count, n, 6]
    index = g.arg(count, element="i32").spread(1, n).spread(2, 6)
    chosen = g.iota(1, shape).compare("cmpeq", index)
    table = g.arg(n, 6).spread(0, count)
    return g.where(chosen, table, g.zeros(shape)).reduce("add", [1])


@graph
def gather_after_offset(g):
    n, p = var("n", 1, 50), var("p", 0, 9)
    shape = [8, n]
    index = g.arg(8, element="i64").binary("add", g.dim(p, [8], "i64")).spread(1, n)
    chosen = g.iota(1, shape, "i64").compare("cmpeq", index)
    table = g.arg(n + p).shrink([p], [n + p]).spread(0, 8)
    return g.where(chosen, table, g.zeros(shape)).reduce("add", [1])


@graph
def joined(g):
    n, m = var("n", 0, 20), var("m", 0, 30)
    x = g.arg(n, 3).unary("exp2").pad([0, 0], [m, 0])
    y = g.arg(m, 3).unary("neg").pad([n, 0], [0, 0])
    shape = [n + m, 3]
    first = g.iota(0, shape).compare("cmplt", g.dim(n, shape))
    return g.where(first, x, y)


@graph
def joined_columns(g):
    n, m = var("n", 1, 20), var("m", 1, 30)
    x = g.arg(4, n).pad([0, 0], [0, m + 2])
    y = g.arg(4, m).pad([0, n], [0, 2])
    z = g.arg(4, 2).pad([0, n + m], [0, 0])
    shape = [4, n + m + 2]
    position = g.iota(1, shape)
    second = g.where(position.compare("cmplt", g.dim(n + m, shape)), y, z)
    return g.where(position.compare("cmplt", g.dim(n, shape)), x, second)


@graph
def cache(g):
    p, count = var("p", 0, 120), 2
    table = g.arg(130, 8)
    part = table.shrink([p, 0], [p + count, 8])
    new = g.arg(count, 8).unary("exp2")
    assign = part.make(f"assign {part.name}, {new.name}", part.shape, types="to")
    after = g.tensor(table.shape, "f32")
    g.lines.append(
        f"  {after.name} = tg.after {table.name}[{assign.name} : {assign.type()}]"
        f" : {table.type()}"
    )
    used = after.shrink([0, 0], [p + count, 8])
    query = g.arg(1, 8).expand([p + count, 8])
    return used.binary("mul", query).reduce("add", [1])


@graph
def cache_of_columns(g):
    p = var("p", 0, 31)
    table = g.arg(4, 32)
    part = table.shrink([0, p], [4, p + 1])
    new = g.arg(4, 1)
    assign = part.make(f"assign {part.name}, {new.name}", part.shape, types="to")
    return assign.unary("neg")


@graph
def attention(g):
    n = var("n", 1, 64)
    scores = g.arg(4, 16).spread(1, n).binary("mul", g.arg(n, 16).spread(0, 4))
    scores = scores.reduce("add", [2]).reshape([4, n])
    most = scores.reduce("max", [1]).expand([4, n])
    e = scores.binary("sub", most).unary("exp2")
    e = e.binary("fdiv", e.reduce("add", [1]).expand([4, n]))
    values = g.arg(n, 16).permute([1, 0]).spread(0, 4)
    return e.spread(1, 16).binary("mul", values).reduce("add", [2]).reshape([4, 16])


@graph
def strided_windows(g):
    n = var("n", 3, 40)
    x = g.arg(n)
    result = g.tensor([n - 2, 3], "f32")
    g.lines.append(
        f"  {result.name} = tg.strided {x.name} [#tg.view<[{(n - 2).text}, 3]"
        f" strides [1, 1]>] : {x.type()} -> {result.type()}"
    )
    return result.unary("exp2")


@graph
def strided_backwards(g):
    n, p = var("n", 1, 10), var("p", 0, 5)
    x = g.arg(40)
    result = g.tensor([n, 3], "f32")
    g.lines.append(
        f"  {result.name} = tg.strided {x.name} [#tg.view<[{n.text}, 3]"
        f" strides [-3, 1] offset {(p + 27).text}>] : {x.type()} -> {result.type()}"
    )
    return result.unary("neg")


def main():
    # Arguments name the graphs that are wanted.
    texts = []
    for function in GRAPHS:
        if sys.argv[1:] and function.__name__ not in sys.argv[1:]:
            continue
        g = Graph(function.__name__)
        texts.append(g.text(function(g)))
    print("\n\n// -----\n\n".join(texts))


if __name__ == "__main__":
    main()
