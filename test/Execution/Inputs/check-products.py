#!/usr/bin/env python3
"""Products of matrices on the simulated GPU against the interpreter.

usage: check-products.py TG_RUN units|tiles|direct|wide|symbolic CHIP[:tf32]...
       check-products.py --graphs units|tiles|direct|wide|symbolic

The second form prints the products instead, in parts for tg-opt's
-split-input-file.

The elements are small integers, and reciprocals of powers of two, so that all
sums are exact and the results of both have the same text.
"""

import os
import random
import subprocess
import sys

# Rows, columns, depth, the type of factors, that of the result, and what is
# different: factors that are stored transposed, reciprocals of the left one, a
# bias and a square afterwards, a batch, sums of four elements to multiply by, an
# update of two arguments in place.
UNITS = [
    (64, 64, 64, "f16", "f32", ""),
    (33, 47, 65, "f16", "f32", "left right epilogue"),
    (40, 72, 50, "f16", "f16", "left"),
    (70, 50, 90, "bf16", "f32", "right"),
    (17, 130, 100, "i8", "i32", "left right"),
    (33, 47, 65, "i8", "i32", "right epilogue batch"),
    (40, 30, 21, "f64", "f64", "epilogue"),
    (33, 34, 16, "f64", "f64", "left right batch"),
    (40, 30, 20, "f32", "f32", "right"),
    # Tiles are filled ahead: with fewer, as many and more positions than there
    # are buffers.
    (40, 70, 16, "f64", "f64", "right epilogue"),
    (64, 32, 24, "f64", "f64", "right"),
    (33, 40, 64, "f64", "f64", "right batch"),
    # The same where copies are masked, of 16 and 4 bytes, or of an element each
    # where a tile is transposed while it is filled.
    (40, 88, 200, "f16", "f32", ""),
    (33, 46, 134, "f16", "f32", "right batch"),
    (40, 70, 64, "f64", "f64", ""),
    (33, 46, 70, "f32", "f32", "left batch"),
    # Depths of which some chips have a shallower operation.
    (40, 50, 20, "f16", "f32", "right"),
    (33, 40, 40, "i8", "i32", "left right"),
    # What is computed while a tile is filled: it is not zero past the end.
    (33, 47, 30, "f16", "f32", "inverse"),
    (40, 30, 21, "f32", "f32", "right inverse"),
    # Rows that are padded to those of an operation; sums that groups share, also
    # of a depth without a divisor.
    (2, 70, 65, "f16", "f32", "left right epilogue"),
    (15, 40, 33, "i8", "i32", "right batch"),
    (5, 40, 1040, "f16", "f16", "right epilogue"),
    (20, 33, 1031, "bf16", "f32", "left"),
    (9, 33, 1024, "f32", "f32", "right epilogue"),
    # With other sums, in place, or both.
    (33, 47, 65, "f16", "f32", "left sums"),
    (40, 70, 50, "f16", "f32", "right assign"),
    (17, 40, 50, "bf16", "f32", "batch epilogue sums assign"),
]
# Those that items compute from tiles. Large blocks, and such that are not full;
# a depth that is no multiple; wide elements; more positions than buffers.
TILES = [
    (64, 64, 64, "f32", "f32", ""),
    (70, 90, 48, "f32", "f32", "left right epilogue"),
    (65, 100, 37, "f32", "f32", "right batch"),
    (512, 512, 24, "f32", "f32", "epilogue"),
    (450, 420, 16, "f32", "f32", "left right"),
    (1024, 192, 20, "f32", "f32", "right"),
    (96, 64, 32, "i32", "i32", "left"),
    (64, 80, 16, "f64", "f64", "right"),
    # Few rows, which are padded: blocks of 16, 32 and 64 of them.
    (2, 5000, 16, "f32", "f32", "epilogue"),
    (5, 1500, 37, "f32", "f32", "right batch"),
    (20, 1450, 24, "f32", "f32", "left batch epilogue"),
    (40, 1450, 16, "i32", "i32", "batch"),
    (9, 1450, 16, "f64", "f64", "right batch"),
    # Sums that groups share, also of a depth without a divisor.
    (64, 64, 1024, "f32", "f32", "right epilogue"),
    (3, 65, 1031, "f32", "f32", "left batch"),
    (17, 130, 1024, "f16", "f16", "right"),
    # A factor that is computed while its tile is filled, not past the end.
    (70, 90, 48, "f32", "f32", "right inverse"),
    (65, 100, 37, "f32", "f32", "inverse epilogue"),
    # With other sums, in place, or both.
    (65, 100, 37, "f32", "f32", "right sums"),
    (130, 140, 48, "f32", "f32", "left assign"),
    (5, 1500, 40, "f32", "f32", "right batch assign"),
    (70, 90, 16, "i32", "i32", "epilogue sums assign"),
]

# Blocks of which subgroups copy both factors at once, where the chip does: two and
# three buffers, and several loops around them; factors with their rows along the
# result, which reads transpose; and two for which they do not: i8, and sizes that are
# no multiples.
DIRECT = [
    (128, 128, 64, "f16", "f32", "right"),
    (128, 256, 160, "f16", "f16", "right epilogue"),
    (256, 128, 96, "bf16", "f32", "right batch"),
    (128, 128, 256, "i8", "i32", "right"),
    (128, 128, 96, "f16", "f32", ""),
    (128, 256, 160, "f16", "f16", "left epilogue"),
    (256, 128, 96, "bf16", "f32", "left right batch"),
    (256, 256, 64, "f16", "f32", "batch"),
    (128, 128, 256, "i8", "i32", ""),
    (250, 200, 96, "f16", "f32", "left"),
]
# Blocks of 256x256, which eight subgroups compute.
WIDE = [
    (256, 256, 128, "f16", "f32", "right epilogue"),
    (256, 512, 96, "bf16", "f32", "right"),
    (256, 256, 192, "i8", "i32", "right batch"),
    (256, 256, 128, "f16", "f32", "left"),
]

# Rows, columns and depth are variables with other bounds than their values here:
# fewer than a block, several blocks, no multiples.
SYMBOLIC = [
    (33, 47, 65, "f16", "f32", "left right epilogue"),
    (130, 70, 50, "f16", "f16", "batch"),
    (1, 100, 64, "bf16", "f32", "right"),
    (40, 72, 1, "i8", "i32", "epilogue"),
    (70, 150, 96, "f32", "f32", "left epilogue"),
    (3, 64, 37, "f32", "f32", "right batch"),
    # Tiles are filled ahead: one position, and more than there are buffers.
    (40, 70, 5, "f64", "f64", "epilogue"),
    (33, 46, 70, "f64", "f64", "right"),
]

SMALL = range(-4, 5)


class Size(int):
    """A size that is a variable, with a value."""

    def __new__(cls, value, name):
        size = super().__new__(cls, value)
        size.name = name
        return size


def tensor_of(shape, element):
    """The type of a tensor; sizes that are variables are symbolic."""
    sizes = "x".join("?" if isinstance(n, Size) else str(n) for n in shape)
    if not any(isinstance(n, Size) for n in shape):
        return f"tensor<{sizes}x{element}>"
    names = ", ".join(f"#{n.name}" if isinstance(n, Size) else str(n) for n in shape)
    return f"tensor<{sizes}x{element}, #tg.shape<{names}>>"


def largest(size):
    """The bound of a variable."""
    return size + 30 if isinstance(size, Size) else size


def get_text(rows, columns, depth, factor, result, options):
    """A function that multiplies, with its inputs."""
    rng = random.Random(f"{rows} {columns} {depth} {factor} {options}")
    batch = [3] if "batch" in options.split() else []

    def tensor(element, *shape):
        return tensor_of(batch + list(shape), element)

    def bounded(element, shape):
        return tensor_of([largest(n) for n in shape], element)

    def values(element, numbers, *shape):
        if not shape:
            number = rng.choice(numbers)
            return str(number) if element.startswith("i") else f"{number}.0"
        inner = (values(element, numbers, *shape[1:]) for _ in range(shape[0]))
        return f"[{', '.join(inner)}]"

    lines = []

    def argument(name, first, second, is_turned, numbers=SMALL):
        shape = (second, first) if is_turned else (first, second)
        kind = tensor(factor, *shape)
        full = [largest(n) for n in batch + list(shape)]
        dense = f"dense<{values(factor, numbers, *full)}> : {bounded(factor, full)}"
        arguments.append(f"{name}: {kind} {{tg.input = {dense}}}")
        if is_turned:
            axes = "[0, 2, 1]" if batch else "[1, 0]"
            turned = tensor(factor, first, second)
            lines.append(f"{name}t = tg.permute {name} {axes} : {kind} -> {turned}")
            return name + "t"
        return name

    arguments = []
    is_inverse = "inverse" in options.split()
    numbers = [-4, -2, -1, 1, 2, 4] if is_inverse else SMALL
    left = argument("%a", rows, depth, "left" in options.split(), numbers)
    if is_inverse:
        lines.append(f"%inverse = tg.recip {left} : {tensor(factor, rows, depth)}")
        left = "%inverse"
    right = argument("%b", depth, columns, "right" in options.split())
    shape = (rows, depth, columns)
    for name, value, first, second, view in [
        ("%x", left, rows, depth, (rows, depth, 1)),
        ("%y", right, depth, columns, (1, depth, columns)),
    ]:
        before, after = tensor(factor, first, second), tensor(factor, *view)
        whole = tensor(factor, *shape)
        lines.append(f"{name}v = tg.reshape {value} : {before} -> {after}")
        lines.append(f"{name}e = tg.expand {name}v : {after} -> {whole}")
        if factor != result:
            cast = tensor(result, *shape)
            lines.append(f"{name} = tg.cast {name}e : {whole} -> {cast}")
    x, y = ("%x", "%y") if factor != result else ("%xe", "%ye")
    whole, summed = tensor(result, *shape), tensor(result, rows, 1, columns)
    out = tensor(result, rows, columns)
    axis = 1 + len(batch)
    lines.append(f"%p = tg.mul {x}, {y} : {whole}")
    lines.append(f"%s = tg.reduce add %p axes [{axis}] : {whole} -> {summed}")
    lines.append(f"%r = tg.reshape %s : {summed} -> {out}")
    returned = "%r"
    if "epilogue" in options.split():
        bias = tensor_of([columns], result)
        one = tensor_of([1] * (1 + len(batch)) + [columns], result)
        dense = values(result, SMALL, largest(columns))
        dense = f"dense<{dense}> : {bounded(result, [columns])}"
        arguments.append(f"%c: {bias} {{tg.input = {dense}}}")
        lines.append(f"%c1 = tg.reshape %c : {bias} -> {one}")
        lines.append(f"%ce = tg.expand %c1 : {one} -> {out}")
        lines.append(f"%t = tg.add %r, %ce : {out}")
        lines.append(f"%z = tg.mul %t, %t : {out}")
        returned = "%z"
    if "sums" in options.split():
        four = tensor(result, rows, columns, 4)
        dense = values(result, SMALL, *batch, rows, columns, 4)
        arguments.append(f"%q: {four} {{tg.input = dense<{dense}> : {four}}}")
        one = tensor(result, rows, columns, 1)
        lines.append(f"%q1 = tg.reduce add %q axes [{axis + 1}] : {four} -> {one}")
        lines.append(f"%q2 = tg.reshape %q1 : {one} -> {out}")
        lines.append(f"%q3 = tg.mul {returned}, %q2 : {out}")
        returned = "%q3"
    returns = [returned]
    if "assign" in options.split():
        for name in "mw":
            dense = values(result, SMALL, *batch, rows, columns)
            arguments.append(f"%{name}: {out} {{tg.input = dense<{dense}> : {out}}}")
        for name, old, new in [("m", "%m", returned), ("w", "%w", "%m1")]:
            lines.append(f"%{name}0 = tg.add {old}, {old} : {out}")
            lines.append(f"%{name}1 = tg.add %{name}0, {new} : {out}")
        lines.append(f"%m2 = tg.assign %m, %m1 : {out}")
        lines.append(f"%w2 = tg.assign %w, %w1 : {out}")
        returns = ["%m2", "%w2"]
    body = "\n  ".join(lines)
    kinds = ", ".join([out] * len(returns))
    variables = "".join(
        f'#{n.name} = #tg.var<"{n.name}", 1, {largest(n)}>\n'
        for n in (rows, columns, depth)
        if isinstance(n, Size)
    )
    return f"""{variables}func.func @main({', '.join(arguments)}) -> ({kinds}) {{
  {body}
  return {', '.join(returns)} : {kinds}
}}
"""


def run(tool, text, sizes, chip=None):
    options = ["--device=SIM"] if chip else ["--interpret"]
    for size in sizes:
        if isinstance(size, Size):
            options += ["--var", f"{size.name}={size}"]
    env = dict(os.environ)
    if chip:
        # Small integers are exact in tf32.
        env["SIMCHIP"], _, allowed = chip.partition(":")
        env["ALLOW_TF32"] = "1" if allowed else "0"
    result = subprocess.run(
        [tool, "-", "--print", *options],
        input=text, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True,
    )
    return result.stdout if result.returncode == 0 else f"error: {result.stdout}"


def main():
    tool, kind, *chips = sys.argv[1:]
    products = {"units": UNITS, "tiles": TILES, "direct": DIRECT, "wide": WIDE, "symbolic": SYMBOLIC}[kind]
    for product in products:
        sizes = product[:3]
        if kind == "symbolic":
            sizes = [Size(n, name) for n, name in zip(sizes, "mnk")]
        text = get_text(*sizes, *product[3:])
        if tool == "--graphs":
            print(text + "\n// -----\n")
            continue
        expected = run(tool, text, sizes)
        for chip in chips:
            found = run(tool, text, sizes, chip)
            if found.startswith("error: ") or found != expected:
                print(f"{chip} {product}: {found[:500]}\nexpected {expected[:500]}")
    if tool != "--graphs":
        print(f"{len(products)} products on {len(chips)} chips compared")


main()
