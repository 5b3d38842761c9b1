"""Checks that canonicalization takes time linear in the size of a graph.

Usage: canonicalize-scaling.py TG_OPT

Each graph below has one kind of work for the canonicalizer, in up to 80,000 operations.
"""

import sys

import scaling

LARGEST = 80000


def function(body, result="tensor<4x8xf32>"):
    args = (
        "%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %i: tensor<4x8xi32>,"
        " %b: tensor<4x1xf32>, %c: tensor<4x8xi1>, %s: tensor<8x4xf32>"
    )
    lines = "\n".join(body)
    return f"func.func @f({args}) -> {result} {{\n{lines}\n}}\n"


def chain(count, start, line, result_type, header=()):
    """`line(i, previous)` defines %vi from the value before it."""
    body, previous = list(header), start
    for i in range(count):
        body.append(f"%v{i} = {line(i, previous)}")
        previous = f"%v{i}"
    body.append(f"return {previous} : {result_type}")
    return function(body, result_type)


F, I = "tensor<4x8xf32>", "tensor<4x8xi32>"
ONE = [
    "%one = tg.const(1 : i32) : tensor<4x8xi32>",
    "%fone = tg.const(1.5 : f32) : tensor<4x8xf32>",
]
E = "%e = tg.expand %b : tensor<4x1xf32> -> tensor<4x8xf32>"

GRAPHS = {
    "nothing to do": lambda n: chain(n, "%x", lambda i, v: f"tg.add {v}, %y : {F}", F),
    "no-ops": lambda n: chain(
        n, "%x", lambda i, v: f"tg.reshape {v} : {F} -> {F}", F
    ),
    "negations": lambda n: chain(n, "%x", lambda i, v: f"tg.neg {v} : {F}", F),
    "merged constants": lambda n: chain(
        n, "%i", lambda i, v: f"tg.add {v}, %one : {I}", I, ONE
    ),
    "subtracted constants": lambda n: chain(
        n, "%i", lambda i, v: f"tg.sub %one, {v} : {I}", I, ONE
    ),
    "folded constants": lambda n: chain(
        n, "%fone", lambda i, v: f"tg.mul {v}, %fone : {F}", F, ONE
    ),
    "where": lambda n: chain(
        n, "%x", lambda i, v: f"tg.where %c, {v}, %y : {F}", F
    ),
    "expand through elementwise": lambda n: chain(
        n, "%e", lambda i, v: f"tg.mul {v}, %fone : {F}", F, ONE + [E]
    ),
    "expand merged into one": lambda n: chain(
        n, "%e", lambda i, v: f"tg.add {v}, %e : {F}", F, [E]
    ),
    "flips and permutes": lambda n: chain(
        n,
        "%x",
        lambda i, v: f"tg.permute {v} [1, 0] : {F if i % 2 == 0 else 'tensor<8x4xf32>'}"
        f" -> {'tensor<8x4xf32>' if i % 2 == 0 else F}"
        if i % 4 < 2
        else f"tg.flip {v} axes [{i % 4 - 2}] : {F}",
        F,
    ),
    "pads and shrinks": lambda n: chain(
        n,
        "%x",
        lambda i, v: f"tg.pad {v} low [0, 1] high [0, 2] : {F} -> tensor<4x11xf32>"
        if i % 2 == 0
        else f"tg.shrink {v} from [0, 0] to [4, 8] : tensor<4x11xf32> -> {F}",
        F,
    ),
    "many users of one value": lambda n: function(
        ["%n = tg.neg %x : " + F]
        + [f"%v{i} = tg.sub %y, %n : {F}" for i in range(n)]
        + ["return %v0 : " + F]
    ),
    "layers": lambda n: layers(n // 10),
}


def layers(count):
    """A network of normalized layers: what real graphs look like."""
    body, x = [], "%x"
    for i in range(count):
        p = f"%l{i}_"
        body += [
            f"{p}max = tg.reduce max {x} axes [1] : {F} -> tensor<4x1xf32>",
            f"{p}maxs = tg.expand {p}max : tensor<4x1xf32> -> {F}",
            f"{p}sub = tg.sub {x}, {p}maxs : {F}",
            f"{p}exp = tg.exp2 {p}sub : {F}",
            f"{p}sum = tg.reduce add {p}exp axes [1] : {F} -> tensor<4x1xf32>",
            f"{p}sums = tg.expand {p}sum : tensor<4x1xf32> -> {F}",
            f"{p}inv = tg.recip {p}sums : {F}",
            f"{p}out = tg.mul {p}exp, {p}inv : {F}",
            f"{p}neg = tg.neg {p}out : {F}",
            f"{p}res = tg.add {x}, {p}neg : {F}",
        ]
        x = f"{p}res"
    body.append(f"return {x} : {F}")
    return function(body)


scaling.check([sys.argv[1], "-canonicalize"], "", GRAPHS.items(), LARGEST)
