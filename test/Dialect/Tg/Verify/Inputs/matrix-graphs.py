"""Writes graphs for matrix units, one function each, for tg-verify-gpu-kernels.

Usage: matrix-graphs.py [NAME...]

Products of matrices of each type that some chip multiplies, of sizes that blocks
divide and of others, in batches, also of symbolic size, convolutions, attention.
"""

import importlib
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
symbolic = importlib.import_module("symbolic-graphs")
Graph, var = symbolic.Graph, symbolic.var

GRAPHS = {}
RESULTS = {"f16": "f32", "bf16": "f32", "i8": "i32", "f64": "f64", "f32": "f32"}


def graph(name, *parameters):
    """Adds a graph for each of the parameters, or one without."""

    def add(function):
        for values in parameters or [()]:
            full = "_".join([name, *(v for v in values if isinstance(v, str))])
            GRAPHS[full] = lambda g, values=values: function(g, *values)
        return function

    return add


def multiply(a, b):
    """The product of matrices, or of batches of them, both with rows of the depth."""
    first = len(a.shape) - 2
    m, n = a.shape[first], b.shape[first]
    x, y = a.spread(first + 1, n), b.spread(first, m)
    result = RESULTS[a.element]
    if a.element != result:
        x, y = (t.make(f"cast {t.name}", t.shape, result) for t in (x, y))
    summed = x.binary("mul", y).reduce("add", [first + 2])
    return summed.reshape(a.shape[:first] + [m, n])


def turned(x):
    order = list(range(len(x.shape)))
    return x.permute(order[:-2] + [order[-1], order[-2]])


@graph("product", ("f16", 256), ("bf16", 128), ("i8", 128), ("f64", 128), ("f32", 128))
def product(g, element, size):
    a, b = g.arg(size, size, element=element), g.arg(size, size, element=element)
    return multiply(a, turned(b))


@graph("large", ("f16",))
def large(g, element):
    return multiply(g.arg(128, 192, element=element), g.arg(128, 192, element=element))


@graph("rows", ("f16",), ("i8",), ("f64",))
def rows(g, element):
    return multiply(g.arg(128, 192, element=element), g.arg(96, 192, element=element))


@graph("padded", ("f16",), ("bf16",), ("i8",), ("f64",), ("f32",))
def padded(g, element):
    a, b = g.arg(130, 100, element=element), g.arg(100, 90, element=element)
    return multiply(a, turned(b))


@graph("batched", ("f16",), ("f64",))
def batched(g, element):
    a, b = g.arg(5, 64, 128, element=element), g.arg(5, 128, 96, element=element)
    return multiply(a, turned(b))


@graph("symbolic_batch", ("f16",), ("f64",))
def symbolic_batch(g, element):
    n = var("n", 1, 9)
    a, b = g.arg(n, 64, 64, element=element), g.arg(n, 64, 64, element=element)
    return multiply(a, turned(b))


@graph("epilogue", ("f16",))
def epilogue(g, element):
    a, b = g.arg(192, 64, element=element), g.arg(64, 160, element=element)
    result = multiply(a, turned(b))
    bias = g.arg(160).spread(0, 192)
    return result.binary("add", bias).unary("exp2")


@graph("convolution", ("f16",), ("f32",))
def convolution(g, element):
    # Windows of three elements of each row, with zeros around.
    x = g.arg(8, 32, 66, element=element)
    windows = [x.shrink([0, 0, i], [8, 32, i + 64]).spread(2, 1) for i in range(3)]
    total = None
    for i, window in enumerate(windows):
        part = window.pad([0, 0, i, 0], [0, 0, 2 - i, 0])
        total = part if total is None else total.binary("add", part)
    columns = total.permute([0, 3, 1, 2]).reshape([8 * 64, 96])
    return multiply(columns, g.arg(64, 96, element=element))


@graph("attention")
def attention(g):
    q, k, v = (g.arg(2, 128, 64, element="f16") for _ in range(3))
    scores = multiply(q, k)
    shape = scores.shape
    e = scores.binary("sub", scores.reduce("max", [2]).expand(shape)).unary("exp2")
    e = e.binary("fdiv", e.reduce("add", [2]).expand(shape))
    weights = e.make(f"cast {e.name}", shape, "f16")
    return multiply(weights, turned(v))


def main():
    texts = []
    for name, function in GRAPHS.items():
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        g = Graph(name)
        texts.append(g.text(function(g)))
    print("\n\n// -----\n\n".join(texts))


main()
