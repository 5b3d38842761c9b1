"""Checks that index arithmetic is simplified in time linear in its size.

Usage: simplify-index-scaling.py TG_OPT TERMS

TERMS is the size of the largest expressions. A build with assertions measures every
rewrite: fewer terms are enough to see the ratio there.
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "Inputs"))
import scaling  # noqa: E402

PIPELINE = "--pass-pipeline=builtin.module(tg.kernel(tg-simplify-index))"


class Expression:
    """Index values and the operations that make them."""

    def __init__(self):
        self.lines, self.count, self.stores = [], 0, 0
        self.zero = self.add("tg.const(0 : index) : index")

    def add(self, text):
        self.count += 1
        self.lines.append(f"%v{self.count} = {text}")
        return f"%v{self.count}"

    def const(self, number):
        return self.add(f"tg.const({number} : index) : index")

    def loaded(self):
        number = self.add(f"tg.load %a[{self.zero}] : memref<1xi32>")
        return self.add(f"tg.cast {number} : i32 -> index")

    def binary(self, op, x, y):
        return self.add(f"tg.{op} {x}, {y} : index")

    def store(self, index):
        number = self.add(f"tg.cast {index} : index -> i64")
        mask = self.add("tg.const(true) : i1")
        self.lines.append(f"tg.store {number}, %out[{self.zero}] mask {mask} : memref<1xi64>")

    def text(self):
        body = "\n".join(self.lines)
        return (
            "tg.kernel @k(%out: memref<1xi64>, %a: memref<1xi32>)"
            " attributes {outputs = 1 : i64} {\n" + body + "\n}\n"
        )


def chain(n, step, start=None):
    e = Expression()
    x = e.loaded() if start is None else start(e)
    for i in range(n):
        x = step(e, x, i)
    e.store(x)
    return e.text()


def terms(n):
    return chain(n, lambda e, x, i: e.binary("add", x, e.loaded()))


def one_value(n):
    e = Expression()
    value = total = e.loaded()
    for i in range(n):
        scaled = e.binary("mul", value, e.const(i % 7 - 3))
        total = e.binary("sub", total, scaled)
    e.store(total)
    return e.text()


def factors(n):
    def step(e, x, i):
        return e.binary("add", x, e.binary("mul", e.loaded(), e.const(i % 50 + 2)))

    return chain(n, step)


def prefixes(n):
    def step(e, x, i):
        x = e.binary("add", x, e.loaded())
        e.store(x)
        return x

    return chain(n, step)


def quotients(n):
    def step(e, x, i):
        return e.binary("floordiv", e.binary("add", x, e.loaded()), e.const(3))

    return chain(n, step)


def nested_quotients(n):
    return chain(n, lambda e, x, i: e.binary("floordiv", x, e.const(3)))


def remainders(n):
    def step(e, x, i):
        multiple = e.binary("mul", e.loaded(), e.const(8))
        return e.binary("floormod", e.binary("add", x, multiple), e.const(24))

    return chain(n, step)


def recombined(n):
    def step(e, x, i):
        value, five = e.loaded(), e.const(5)
        quotient = e.binary("mul", e.binary("floordiv", value, five), five)
        part = e.binary("add", quotient, e.binary("floormod", value, five))
        return e.binary("add", x, part)

    return chain(n, step)


def conjunction(n):
    e = Expression()
    condition = e.add("tg.const(true) : i1")
    for i in range(n):
        clause = e.add(f"tg.cmplt {e.loaded()}, {e.const(i % 9)} : index")
        condition = e.add(f"tg.and {condition}, {clause} : i1")
    e.store(e.add(f"tg.where {condition}, {e.const(1)}, {e.zero} : index"))
    return e.text()


def choices(n):
    def step(e, x, i):
        condition = e.add(f"tg.cmplt {x}, {e.const(i + 10)} : index")
        return e.add(f"tg.where {condition}, {x}, {e.loaded()} : index")

    return chain(n, step)


def masked(n):
    e = Expression()
    base = e.loaded()
    for i in range(n):
        x = e.binary("sub", base, e.const(i))
        low = e.add(f"tg.cmplt {e.const(-1)}, {x} : index")
        high = e.add(f"tg.cmplt {x}, {e.const(8)} : index")
        mask = e.add(f"tg.and {low}, {high} : i1")
        index = e.binary("floormod", x, e.const(8))
        number = e.add(f"tg.load %a[{index}] mask {mask} : memref<1xi32>")
        e.lines.append(
            f"tg.store {e.add(f'tg.cast {number} : i32 -> i64')}, %out[{e.zero}]"
            f" mask {mask} : memref<1xi64>"
        )
    return e.text()


def maxima(n):
    return chain(n, lambda e, x, i: e.binary("max", x, e.loaded()))


def products(n):
    return chain(n, lambda e, x, i: e.binary("mul", x, e.loaded()))


KINDS = (
    terms,
    one_value,
    factors,
    prefixes,
    quotients,
    nested_quotients,
    remainders,
    recombined,
    conjunction,
    choices,
    masked,
    maxima,
    products,
)


tg_opt, largest = sys.argv[1], int(sys.argv[2])
scaling.check(
    [tg_opt, PIPELINE, "--verify-each=false"],
    Expression().text(),
    [(kind.__name__, kind) for kind in KINDS],
    largest,
)
