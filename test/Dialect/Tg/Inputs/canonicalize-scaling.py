"""Checks that canonicalization takes time linear in the size of a graph.

Usage: canonicalize-scaling.py TG_OPT

Each graph below has one kind of work for the canonicalizer, in 5,000 and in
80,000 operations. Linear work takes 16 times the processor time, quadratic
work 256 times. The limit is between them, far enough from both that a busy
machine does not decide: with other work on its cores, twice the processor
time for the same instructions is usual.
"""

import os
import resource
import subprocess
import sys
import tempfile

SMALL, FACTOR, LIMIT, ATTEMPTS = 5000, 16, 64, 3


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


def measure(tg_opt, text):
    """Processor seconds of one canonicalization, start-up included."""
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(text)
        file.flush()
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [tg_opt, "-canonicalize", file.name, "-o", os.devnull], check=True
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    tg_opt = sys.argv[1]
    start_up = min(measure(tg_opt, "") for _ in range(3))
    failed = False
    for name, graph in GRAPHS.items():
        small, large = graph(SMALL), graph(SMALL * FACTOR)
        # Work that grows too fast does so in each attempt.
        for _ in range(ATTEMPTS):
            least = max(measure(tg_opt, small) - start_up, 0.02)
            most = measure(tg_opt, large) - start_up
            print(f"{name}: {least:.3f} s, {most:.3f} s, {most / least:.1f} times")
            if most <= LIMIT * least:
                break
        else:
            failed = True
    if failed:
        sys.exit(f"error: {FACTOR} times the graph takes over {LIMIT} times as long")


main()
