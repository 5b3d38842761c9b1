#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts what kernels for GPUs would cost: memory traffic of subgroups, bank
conflicts, registers, spills and occupancy, beside the least possible bytes.

    benchmarks/gpu-counts.py [--target NAME]... [KERNEL...]

Needs a release build, but no GPU: accesses are counted by the simulator
(SIMCOUNT, SIMSKIP), in some groups of each launch, and scaled to all. Registers of
NVIDIA's GPUs come from ptxas if it is installed, those of AMD's from the
metadata of the code. Occupancy is the part of a compute unit's subgroups that
these, and the memory of groups, let be resident. Caches are not simulated: what
several accesses read is counted for each, so that products exceed the least bytes
by what caches serve. A second table has the absolute numbers of all launches:
accesses of subgroups, transactions (sectors, of 32 bytes or as the chip has them)
and their bytes, and accesses of the memory of groups with their conflicts.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

BUILD = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "build")
TARGETS = {"sm_90": "cuda:sm_90", "gfx942": "amd:gfx942", "gfx1100": "amd:gfx1100"}
# Known, but not in the table unless asked for.
MORE_TARGETS = {"gfx950": "amd:gfx950"}
# Groups of each launch that are counted.
GROUPS = 16
WIDTHS = {"f32": 4, "f16": 2, "i8": 1}


class Program:
    """The text of a tensor program; every argument is all ones."""

    def __init__(self):
        self.arguments, self.lines, self.bytes = [], [], 0

    @staticmethod
    def type(shape, element):
        return "tensor<" + "x".join(map(str, shape)) + f"x{element}>"

    def count(self, shape, element):
        size = WIDTHS[element]
        for extent in shape:
            size *= extent
        self.bytes += size

    def argument(self, shape, element="f32"):
        self.count(shape, element)
        of = self.type(shape, element)
        name = f"%a{len(self.arguments)}"
        self.arguments.append(f"{name}: {of} {{tg.input = dense<1.0> : {of}}}")
        return name, shape, element

    def add(self, text, shape, element):
        name = f"%v{len(self.lines)}"
        self.lines.append(f"  {name} = {text}")
        return name, shape, element

    def elementwise(self, op, *operands):
        _, shape, element = operands[0]
        names = ", ".join(name for name, _, _ in operands)
        return self.add(f"tg.{op} {names} : {self.type(shape, element)}", shape, element)

    def constant(self, value, shape, element="f32"):
        return self.add(
            f"tg.const({value:.8f} : {element}) : {self.type(shape, element)}", shape, element
        )

    def change(self, op, x, shape, middle=""):
        name, old, element = x
        text = f"tg.{op} {name} {middle}: {self.type(old, element)} -> {self.type(shape, element)}"
        return self.add(text, shape, element)

    def reduce(self, kind, x, axes):
        name, old, element = x
        shape = [1 if i in axes else extent for i, extent in enumerate(old)]
        text = f"tg.reduce {kind} {name} axes {axes} : {self.type(old, element)} -> "
        return self.add(text + self.type(shape, element), shape, element)

    def broadcast(self, x, shape, full):
        return self.change("expand", self.change("reshape", x, shape), full)

    def cast(self, x, element):
        name, shape, old = x
        text = f"tg.cast {name} : {self.type(shape, old)} -> {self.type(shape, element)}"
        return self.add(text, shape, element)

    def text(self, *results):
        types = []
        for _, shape, element in results:
            self.count(shape, element)
            types.append(self.type(shape, element))
        names = ", ".join(name for name, _, _ in results)
        return (
            f"func.func @main({', '.join(self.arguments)}) -> ({', '.join(types)}) {{\n"
            + "\n".join(self.lines)
            + f"\n  return {names} : {', '.join(types)}\n}}\n"
        )


SIDE = 4096


def copy(p):
    x = p.argument([SIDE, SIDE])
    return p.text(p.elementwise("contiguous", p.elementwise("neg", x)))


def chain(p):
    x, y = p.argument([SIDE, SIDE]), p.argument([SIDE, SIDE])
    z = p.elementwise("add", p.elementwise("mul", x, y), y)
    return p.text(p.elementwise("max", p.elementwise("mul", z, x), y))


def widen(p):
    return p.text(p.cast(p.argument([SIDE, SIDE], "f16"), "f32"))


def odd(p):
    x = p.argument([4095 * 4097])
    return p.text(p.elementwise("neg", x))


def transpose(p):
    x = p.argument([SIDE, SIDE])
    turned = p.change("permute", x, [SIDE, SIDE], "[1, 0] ")
    return p.text(p.elementwise("contiguous", turned))


def row_sum(p):
    return p.text(p.reduce("add", p.argument([SIDE, SIDE]), [1]))


def column_sum(p):
    return p.text(p.reduce("add", p.argument([SIDE, SIDE]), [0]))


def total(p):
    return p.text(p.reduce("add", p.argument([SIDE, SIDE]), [0, 1]))


def softmax_of(p, x, axis):
    _, shape, _ = x
    thin = shape[:axis] + [1] + shape[axis + 1 :]
    most = p.broadcast(p.reduce("max", x, [axis]), thin, shape)
    scaled = p.elementwise("mul", p.elementwise("sub", x, most), p.constant(1.442695, shape))
    powers = p.elementwise("exp2", scaled)
    inverse = p.elementwise("recip", p.reduce("add", powers, [axis]))
    return p.elementwise("mul", powers, p.broadcast(inverse, thin, shape))


def softmax(p):
    return p.text(softmax_of(p, p.argument([SIDE, SIDE]), 1))


def layernorm(p):
    x, thin, shape = p.argument([SIDE, SIDE]), [SIDE, 1], [SIDE, SIDE]
    count = p.constant(1 / SIDE, thin)
    mean = p.elementwise("mul", p.reduce("add", x, [1]), count)
    rest = p.elementwise("sub", x, p.broadcast(mean, thin, shape))
    square = p.reduce("add", p.elementwise("mul", rest, rest), [1])
    variance = p.elementwise("add", p.elementwise("mul", square, count), p.constant(1e-5, thin))
    scale = p.elementwise("recip", p.elementwise("sqrt", variance))
    return p.text(p.elementwise("mul", rest, p.broadcast(scale, thin, shape)))


def matrix_vector(p):
    a, x = p.argument([SIDE, SIDE]), p.argument([SIDE])
    product = p.elementwise("mul", a, p.broadcast(x, [1, SIDE], [SIDE, SIDE]))
    return p.text(p.reduce("add", product, [1]))


def vector_matrix(p):
    a, x = p.argument([SIDE, SIDE]), p.argument([SIDE])
    product = p.elementwise("mul", a, p.broadcast(x, [SIDE, 1], [SIDE, SIDE]))
    return p.text(p.reduce("add", product, [0]))


def matmul_of(p, a, b, batch, m, k, n, is_turned=False):
    """a[batch, m, k] times b[batch, k, n], or b[batch, n, k] if turned."""
    shape = [batch, m, n, k]
    if not is_turned:
        b = p.change("permute", b, [batch, n, k], "[0, 2, 1] ")
    left = p.broadcast(a, [batch, m, 1, k], shape)
    right = p.broadcast(b, [batch, 1, n, k], shape)
    total = p.reduce("add", p.elementwise("mul", left, right), [3])
    return p.change("reshape", total, [batch, m, n])


def matmul(element, rows, depth=None, columns=None, is_turned=False):
    """A product; without a depth and columns, of square matrices."""
    depth, columns = depth or rows, columns or rows

    def build(p):
        right = [1, columns, depth] if is_turned else [1, depth, columns]
        a, b = p.argument([1, rows, depth], element), p.argument(right, element)
        return p.text(matmul_of(p, a, b, 1, rows, depth, columns, is_turned))

    return build


def windows_of(batch, channels, side, window, stride):
    """The windows of images that are padded by half of a window, as views, and the
    rows of the result: one for each image, channel, row, column, and place in the window."""
    pad = window // 2
    wide, rows = side + 2 * pad, (side + 2 * pad - window) // stride + 1
    images = f"{batch}, {channels}"
    area, wide_area = side * side, wide * wide
    views = (
        f"[#tg.view<[{images}, {wide}, {wide}] "
        f"strides [{channels * area}, {area}, {side}, 1] offset {-pad * (side + 1)} "
        f"mask [0 to {batch}, 0 to {channels}, {pad} to {side + pad}, {pad} to {side + pad}]>, "
        f"#tg.view<[{images}, {rows}, {rows}, {window}, {window}] "
        f"strides [{channels * wide_area}, {wide_area}, {stride * wide}, {stride}, {wide}, 1]>] "
    )
    return views, rows


def conv(batch, channels, results, side, window=3, stride=1):
    """A convolution of images, with as many rows as columns."""

    def build(p):
        x = p.argument([batch, channels, side, side])
        w = p.argument([results, channels, window, window])
        views, rows = windows_of(batch, channels, side, window, stride)
        inner = [rows, rows, window, window]
        windows = p.change("strided", x, [batch, channels, *inner], views)
        shape = [batch, results, channels, *inner]
        left = p.broadcast(windows, [batch, 1, *shape[2:]], shape)
        right = p.broadcast(w, [1, results, channels, 1, 1, window, window], shape)
        return p.text(p.reduce("add", p.elementwise("mul", left, right), [2, 5, 6]))

    return build


def conv_weights(batch, channels, results, side, window=3, stride=1):
    """The gradient of a convolution by its weights."""

    def build(p):
        x = p.argument([batch, channels, side, side])
        views, rows = windows_of(batch, channels, side, window, stride)
        g = p.argument([batch, results, rows, rows])
        inner = [rows, rows, window, window]
        windows = p.change("strided", x, [batch, channels, *inner], views)
        shape = [batch, results, channels, *inner]
        left = p.broadcast(windows, [batch, 1, *shape[2:]], shape)
        right = p.broadcast(g, [batch, results, 1, rows, rows, 1, 1], shape)
        return p.text(p.reduce("add", p.elementwise("mul", left, right), [0, 3, 4]))

    return build


def attention(p):
    heads, length, width = 8, 256, 64
    q, k, v = (p.argument([heads, length, width]) for _ in range(3))
    scores = matmul_of(p, q, k, heads, length, width, length, is_turned=True)
    return p.text(matmul_of(p, softmax_of(p, scores, 2), v, heads, length, length, width))


def attention_f16(p):
    """Products of f16 with sums of f32; the softmax, in f32, is rounded to f16."""
    heads, length, width = 8, 256, 64
    q, k, v = (p.cast(p.argument([heads, length, width], "f16"), "f32") for _ in range(3))
    scores = matmul_of(p, q, k, heads, length, width, length, is_turned=True)
    weights = p.cast(p.cast(softmax_of(p, scores, 2), "f16"), "f32")
    return p.text(p.cast(matmul_of(p, weights, v, heads, length, length, width), "f16"))


def scan(p):
    name, shape, element = p.argument([SIDE, SIDE])
    return p.text(p.add(f"tg.scan add {name} axis 1 : {p.type(shape, element)}", shape, element))


KERNELS = {
    "copy": copy,
    "chain": chain,
    "widen": widen,
    "odd": odd,
    "transpose": transpose,
    "row-sum": row_sum,
    "column-sum": column_sum,
    "sum": total,
    "scan": scan,
    "softmax": softmax,
    "layernorm": layernorm,
    "matrix-vector": matrix_vector,
    "vector-matrix": vector_matrix,
    "matmul-f32-512": matmul("f32", 512),
    "matmul-f16-512": matmul("f16", 512),
    "matmul-f32-4096": matmul("f32", 4096),
    "matmul-f16-4096": matmul("f16", 4096),
    "matmul-f16-4096-turned": matmul("f16", 4096, is_turned=True),
    "rows-f32-8": matmul("f32", 8, 2048, 2048),
    "rows-f32-8-turned": matmul("f32", 8, 2048, 2048, is_turned=True),
    "rows-f32-32": matmul("f32", 32, 2048, 2048),
    "rows-f16-4": matmul("f16", 4, 2048, 2048),
    "deep-f32-64": matmul("f32", 64, 8192, 64),
    "conv-64-56": conv(1, 64, 64, 56),
    "conv-1-28": conv(128, 1, 32, 28),
    "conv-3-224": conv(16, 3, 64, 224, window=7, stride=2),
    "conv-3-32": conv(64, 3, 64, 32),
    "weights-1-28": conv_weights(128, 1, 32, 28),
    "weights-3-32": conv_weights(64, 3, 64, 32),
    "weights-3-224": conv_weights(16, 3, 64, 224, window=7, stride=2),
    "attention-8-256-64": attention,
    "attention-f16": attention_f16,
}


def run(command, **settings):
    result = subprocess.run(
        command, env=os.environ | settings, capture_output=True, text=True, check=False
    )
    if result.returncode != 0:
        sys.exit(f"gpu-counts.py: {' '.join(command)} failed:\n{result.stderr}")
    return result.stdout, result.stderr


def count(file, chip):
    """The launches of a program, the sums over them, and the bytes of a sector."""
    _, lines = run(
        [os.path.join(BUILD, "bin", "tg-run"), "--device=SIM", file],
        SIMCHIP=chip,
        SIMCOUNT=str(GROUPS),
        SIMSKIP="1",
    )
    pattern = re.compile(
        r"loads (\d+) sectors (\d+) lines (\d+) bytes (\d+); "
        r"stores (\d+) sectors (\d+) lines (\d+) bytes (\d+); "
        r"shared (\d+) bytes (\d+) conflicts (\d+)"
    )
    rows = [[int(n) for n in found] for found in pattern.findall(lines)]
    sector = int(re.search(r"sectors of (\d+) bytes", lines)[1])
    return len(rows), [sum(column) for column in zip(*rows)], sector


def occupancy(chip, items, used, memory):
    """The part of the subgroups of a compute unit that are resident."""
    command = [os.path.join(BUILD, "bin", "gpu-occupancy"), chip]
    text, _ = run(command + [str(number) for number in (items, used, memory)])
    return float(re.search(r"\(([\d.]+)\)", text)[1])


def registers(file, target):
    """The most registers of a kernel, the bytes that are spilled, and the lowest
    occupancy of a kernel."""
    compiler = [os.path.join(BUILD, "bin", "tg-compile"), file, f"--target={target}"]
    chip = target.split(":")[1]
    if target.startswith("amd"):
        text, _ = run(compiler + ["--emit=asm"])

        def numbers(key):
            return [int(n) for n in re.findall(rf"\.{key}: +(\d+)", text)]

        used, spilled = numbers("vgpr_count"), numbers("private_segment_fixed_size")
        items, memory = numbers("max_flat_workgroup_size"), numbers("group_segment_fixed_size")
    else:
        assembler = shutil.which("ptxas")
        if not assembler:
            return "-", "-", "-"
        with tempfile.TemporaryDirectory() as folder:
            code = os.path.join(folder, "a.ptx")
            run(compiler + ["--emit=obj", "-o", code])
            out, err = run(
                [assembler, "-v", f"-arch={chip}", code, "-o", os.path.join(folder, "a.cubin")]
            )
            with open(code, encoding="utf-8") as text:
                ptx = text.read()
        # Memory that the launch gives is not in the code.
        if re.search(r"\.extern \.shared", ptx):
            sys.exit(f"gpu-counts.py: {file} has a kernel with more than 48 KiB for a group")
        sizes = re.findall(r"\.entry (\w+)\(.*?\.reqntid (\d+), (\d+), (\d+)", ptx, re.DOTALL)
        sizes = {name: int(x) * int(y) * int(z) for name, x, y, z in sizes}
        kernels = re.findall(
            r"entry function '(\w+)'.*?Used (\d+) registers([^\n]*)", out + err, re.DOTALL
        )
        items = [sizes[name] for name, _, _ in kernels]
        used = [int(number) for _, number, _ in kernels]
        found = [re.search(r"(\d+) bytes smem", rest) for _, _, rest in kernels]
        memory = [int(of[1]) if of else 0 for of in found]
        spilled = [int(n) for n in re.findall(r"(\d+) bytes spill (?:stores|loads)", out + err)]
    parts = [occupancy(chip, *of) for of in zip(items, used, memory, strict=True)]
    return str(max(used)), str(sum(spilled)), f"{min(parts):.2f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--target", action="append", choices=[*TARGETS, *MORE_TARGETS])
    parser.add_argument("kernels", nargs="*", metavar="KERNEL")
    arguments = parser.parse_args()
    for name in arguments.kernels:
        if name not in KERNELS:
            parser.error(f"there is no kernel {name!r}; known ones: {' '.join(KERNELS)}")
    chips = arguments.target or list(TARGETS)

    def row(*cells):
        print("| " + " | ".join(map(str, cells)) + " |", flush=True)

    def columns(name):
        return [f"{name}: `{chips[0]}`", *(f"`{chip}`" for chip in chips[1:])]

    names = ("of least", "lines", "conflicts", "registers", "spilled", "occupancy")
    header = ["kernel", "launches", "least MB", *(c for name in names for c in columns(name))]
    row(*header)
    print("|---" * len(header) + "|")
    totals = []
    with tempfile.TemporaryDirectory() as folder:
        for name in arguments.kernels or KERNELS:
            program = Program()
            file = os.path.join(folder, "a.mlir")
            with open(file, "w", encoding="utf-8") as out:
                out.write(KERNELS[name](program))
            launches, cells = [], []
            for chip in chips:
                number, sums, sector = count(file, chip)
                accesses = max(sums[0] + sums[4], 1)
                used, spilled, part = registers(file, (TARGETS | MORE_TARGETS)[chip])
                launches.append(number)
                cells.append((
                    f"{(sums[1] + sums[5]) * sector / program.bytes:.2f}",
                    f"{(sums[2] + sums[6]) / accesses:.2f}",
                    f"{sums[10] / max(sums[8], 1):.2f}",
                    used,
                    spilled,
                    part,
                ))
                totals.append((
                    name, f"`{chip}`", sums[0], sums[4], sums[1], sums[5],
                    f"{(sums[1] + sums[5]) * sector / 1e6:.1f}",
                    f"{(sums[3] + sums[7]) / 1e6:.1f}", sums[8], sums[10],
                ))
            number = " ".join(map(str, sorted(set(launches))))
            row(name, number, f"{program.bytes / 1e6:.1f}", *(c for cs in zip(*cells) for c in cs))
    print()
    header = ("kernel", "chip", "loads", "stores", "sectors loaded", "sectors stored",
              "sectors, MB", "of items, MB", "shared accesses", "conflicts")
    row(*header)
    print("|---" * len(header) + "|")
    for cells in totals:
        row(*cells)


if __name__ == "__main__":
    main()
