#!/usr/bin/env python3
"""Convolutions of few channels on the simulated GPU against the interpreter.

usage: check-convolutions.py TG_RUN CHIP...
       check-convolutions.py --programs

The second form writes the programs, in parts as for -split-input-file.
The elements are small integers, so that all sums are exact and the results of
both have the same text. A chip may have limits, as SIMCHIP does: with one
compute unit, small images are enough groups for blocks.
"""

import os
import random
import subprocess
import sys

# Images, channels of a group and results of a group, groups, rows and columns of
# an image, those of a window, stride, padding, dilation, the type of factors and
# that of the result, and whether the number of images is a variable, there is a
# bias, or the gradient by the weights is computed instead.
CASES = [
    # One channel: all positions of the window are in the tiles.
    (2, 1, 32, 1, 12, 12, 3, 3, 1, 1, 1, "f32", "f32", ""),
    (1, 1, 16, 1, 14, 11, 5, 5, 1, 0, 1, "f32", "f32", "bias"),
    # Three channels; a stride, along which windows are not contiguous.
    (2, 3, 20, 1, 16, 9, 3, 3, 1, 1, 1, "f32", "f32", "bias"),
    (1, 3, 17, 1, 27, 19, 3, 3, 2, 1, 1, "f32", "f32", ""),
    (1, 3, 64, 1, 22, 23, 7, 7, 2, 3, 1, "f32", "f32", ""),
    (1, 2, 16, 1, 38, 37, 5, 4, 4, 2, 1, "f32", "f32", ""),
    # Dilated windows, rows and columns of different numbers, one row.
    (1, 3, 70, 1, 13, 18, 3, 2, 1, 2, 2, "f32", "f32", ""),
    (1, 2, 16, 1, 8, 22, 1, 13, 1, 0, 1, "f32", "f32", ""),
    # More positions than tiles hold, with a loop over channels or rows of windows.
    (1, 15, 16, 1, 11, 10, 3, 3, 1, 1, 1, "f32", "f32", ""),
    (1, 3, 32, 1, 12, 12, 9, 9, 1, 4, 1, "f32", "f32", ""),
    # Groups of channels; other types; a number of images that is a variable.
    (2, 3, 16, 2, 10, 9, 3, 3, 1, 1, 1, "f32", "f32", "bias"),
    (1, 3, 32, 1, 10, 10, 3, 3, 1, 1, 1, "i32", "i32", ""),
    (1, 3, 16, 1, 10, 10, 3, 3, 1, 1, 1, "f64", "f64", ""),
    (2, 3, 33, 1, 10, 12, 3, 3, 1, 1, 1, "f16", "f32", "bias"),
    (1, 1, 16, 1, 12, 12, 3, 3, 1, 1, 1, "f16", "f32", ""),
    (2, 1, 32, 1, 10, 13, 3, 3, 1, 1, 1, "f32", "f32", "symbolic"),
    (3, 3, 32, 1, 15, 15, 3, 3, 2, 1, 1, "f32", "f32", "symbolic bias"),
    # Channels that are too many to be merged, and windows that are too small.
    (1, 16, 16, 1, 10, 10, 3, 3, 1, 1, 1, "f32", "f32", ""),
    (1, 3, 64, 1, 8, 10, 1, 2, 1, 0, 1, "f32", "f32", ""),
    # Small images, which are columns together; pixels that are no multiple of what
    # an item has.
    (6, 24, 70, 1, 4, 4, 3, 3, 1, 1, 1, "f32", "f32", "bias"),
    (9, 18, 33, 1, 4, 2, 3, 3, 1, 1, 1, "f32", "f32", ""),
    (20, 32, 40, 1, 2, 2, 1, 1, 1, 0, 1, "f16", "f32", "bias"),
    (5, 16, 20, 2, 7, 7, 3, 3, 1, 1, 1, "i32", "i32", ""),
    # Gradients by the weights.
    (4, 1, 32, 1, 12, 12, 3, 3, 1, 1, 1, "f32", "f32", "weights"),
    (4, 2, 16, 1, 20, 16, 3, 3, 1, 1, 1, "f32", "f32", "weights"),
    (3, 3, 20, 1, 22, 19, 5, 5, 1, 2, 1, "f16", "f16", "weights"),
    (2, 3, 32, 1, 20, 19, 5, 5, 2, 2, 1, "f32", "f32", "weights"),
    (3, 3, 20, 1, 16, 9, 3, 3, 1, 1, 1, "f32", "f32", "weights symbolic"),
    # Windows that groups share: in parts, of channels of their own, long rows.
    (8, 1, 8, 1, 32, 32, 3, 3, 1, 1, 1, "f32", "f32", "weights"),
    (4, 1, 1, 16, 17, 12, 3, 3, 1, 1, 1, "f32", "f32", "weights"),
    (2, 2, 3, 2, 9, 70, 2, 5, 1, 2, 1, "f16", "f32", "weights"),
    (1, 1, 4, 1, 6, 300, 3, 4, 1, 1, 1, "i32", "i32", "weights"),
]

MOST = 5


def get_text(case):
    """A program, with its inputs."""
    images, ins, outs, groups, height, width, *window = case[:8]
    stride, padding, dilation, factor, result, options = case[8:]
    options = options.split()
    rng = random.Random(str(case))
    is_symbolic, is_gradient = "symbolic" in options, "weights" in options
    first = "#n" if is_symbolic else images
    wide = [height + 2 * padding, width + 2 * padding]
    rows, columns = (
        (full - dilation * (extent - 1) - 1) // stride + 1
        for full, extent in zip(wide, window)
    )
    area, wide_area = height * width, wide[0] * wide[1]

    def kind(element, *shape):
        if is_symbolic and shape and shape[0] == "#n":
            sizes = "x".join("?" if n == "#n" else str(n) for n in shape)
            names = ", ".join(map(str, shape))
            return f"tensor<{sizes}x{element}, #tg.shape<{names}>>"
        return "tensor<" + "x".join(map(str, shape)) + f"x{element}>"

    def values(element, *shape):
        if not shape:
            number = rng.choice(range(-4, 5))
            return str(number) if element.startswith("i") else f"{number}.0"
        inner = (values(element, *shape[1:]) for _ in range(shape[0]))
        return f"[{', '.join(inner)}]"

    arguments, lines = [], []

    def argument(name, *shape, element=factor):
        full = [MOST if n == "#n" else n for n in shape]
        dense = f"dense<{values(element, *full)}> : {kind(element, *full)}"
        arguments.append(f"{name}: {kind(element, *shape)} {{tg.input = {dense}}}")

    channels = ins * groups
    argument("%x", first, channels, height, width)
    views = (
        f"[#tg.view<[{first}, {channels}, {wide[0]}, {wide[1]}] "
        f"strides [{channels * area}, {area}, {width}, 1] offset {-padding * (width + 1)} "
        f"mask [0 to {first}, 0 to {channels}, {padding} to {height + padding}, "
        f"{padding} to {width + padding}]>, "
        f"#tg.view<[{first}, {groups}, 1, {ins}, {rows}, {columns}, {window[0]}, {window[1]}] "
        f"strides [{channels * wide_area}, {ins * wide_area}, 0, {wide_area}, "
        f"{stride * wide[1]}, {stride}, {dilation * wide[1]}, {dilation}]>]"
    )
    shape = [first, groups, outs, ins, rows, columns, *window]
    view = [first, groups, 1, ins, rows, columns, *window]
    lines.append(
        f"%xv = tg.strided %x {views} : {kind(factor, first, channels, height, width)} -> "
        f"{kind(factor, *view)}"
    )
    lines.append(f"%xe = tg.expand %xv : {kind(factor, *view)} -> {kind(factor, *shape)}")
    if is_gradient:
        other = [first, groups * outs, rows, columns]
        thin = [first, groups, outs, 1, rows, columns, 1, 1]
        axes, out = [0, 4, 5], [1, groups, outs, ins, 1, 1, *window]
    else:
        other = [groups * outs, ins, *window]
        thin = [1, groups, outs, ins, 1, 1, *window]
        axes, out = [3, 6, 7], [first, groups, outs, 1, rows, columns, 1, 1]
    argument("%w", *other)
    lines.append(f"%wv = tg.reshape %w : {kind(factor, *other)} -> {kind(factor, *thin)}")
    lines.append(f"%we = tg.expand %wv : {kind(factor, *thin)} -> {kind(factor, *shape)}")
    x, w = "%xe", "%we"
    if factor != result:
        for name in ("%x", "%w"):
            lines.append(
                f"{name}c = tg.cast {name}e : {kind(factor, *shape)} -> {kind(result, *shape)}"
            )
        x, w = "%xc", "%wc"
    lines.append(f"%p = tg.mul {x}, {w} : {kind(result, *shape)}")
    lines.append(
        f"%s = tg.reduce add %p axes {axes} : {kind(result, *shape)} -> {kind(result, *out)}"
    )
    returned = "%s"
    if "bias" in options:
        one = [1, groups, outs, 1, 1, 1, 1, 1]
        argument("%b", groups * outs, element=result)
        lines.append(f"%bv = tg.reshape %b : {kind(result, groups * outs)} -> {kind(result, *one)}")
        lines.append(f"%be = tg.expand %bv : {kind(result, *one)} -> {kind(result, *out)}")
        lines.append(f"%r = tg.add %s, %be : {kind(result, *out)}")
        returned = "%r"
    body = "\n  ".join(lines)
    variable = f'#n = #tg.var<"n", 1, {MOST}>\n' if is_symbolic else ""
    return f"""{variable}func.func @main({', '.join(arguments)}) -> {kind(result, *out)} {{
  {body}
  return {returned} : {kind(result, *out)}
}}
"""


def run(tool, case, chip=None):
    options = ["--device=SIM"] if chip else ["--interpret"]
    if "symbolic" in case[-1]:
        options += ["--var", f"n={case[0]}"]
    env = dict(os.environ, **({"SIMCHIP": chip} if chip else {}))
    result = subprocess.run(
        [tool, "-", "--print", *options],
        input=get_text(case), env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True,
    )
    return result.stdout if result.returncode == 0 else f"error: {result.stdout}"


def main():
    if sys.argv[1:] == ["--programs"]:
        print("\n// -----\n\n".join(map(get_text, CASES)))
        return
    tool, *chips = sys.argv[1:]
    for case in CASES:
        expected = run(tool, case)
        for chip in chips:
            found = run(tool, case, chip)
            if found.startswith("error: ") or found != expected:
                print(f"{chip} {case}: {found[:500]}\nexpected {expected[:500]}")
    print(f"{len(CASES)} convolutions on {len(chips)} chips compared")


main()
