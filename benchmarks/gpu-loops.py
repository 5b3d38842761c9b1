#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the instructions of the inner loops of products on NVIDIA's GPUs, beside
those of Triton for the same tiles.

    build/training-venv/bin/python benchmarks/gpu-loops.py [--chip NAME]... [KERNEL...]

Needs a release build, ptxas, and nvdisasm, which is part of CUDA and of the package
of Triton, but no GPU. All code is assembled by the same ptxas. Of each kernel, the
longest loop that multiplies is counted. `per product` is all its instructions,
divided by those that multiply (HMMA, FFMA and so on). Triton's code is for sm_80:
for sm_90 it multiplies with wgmma, whose instructions are not comparable. So is ours
with --chip sm_90a, where heuristics choose these.

Kernels called wgmma-* have the schedules of test/Target/GPU/Inputs/wgmma-kernels.py
and are for sm_90a: one instruction (HGMMA; QGMMA of fp8, IGMMA of i8) of four subgroups
is 64 rows, all columns of the operation and a depth of 32 bytes. With -tma, copies of boxes (UTMALDG) fill tiles;
what one subgroup does to begin these is not counted. With -four, there are four buffers,
and with -by-warpgroup, also a further warpgroup that copies. With -store, results of f16 are stored as boxes. With -across-blocks (three buffers, stores of boxes, bands of 16 rows), each group computes several blocks.
"""

import argparse
import collections
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.join(ROOT, "build")
CHIPS = ["sm_80", "sm_90"]
# Names of benchmarks/suite, and the tiles that Triton gets: rows, columns, depth,
# warps, stages.
KERNELS = {
    "matmul-f16-512": ("fp16", 64, 32, 32, 4, 3),
    "matmul-f16-4096": ("fp16", 128, 128, 32, 4, 3),
    "matmul-f32-512": None,
    "matmul-f32-4096": None,
}
# Blocks of rows and columns, and warpgroups.
SCHEDULES = {
    f"wgmma-{rows}x{columns}{copies}": [
        f"--rows={32 * rows}",
        f"--columns={16 * columns}",
        "--depth=4096",
        f"--width={columns}",
        f"--warpgroups={warpgroups}",
        f"--tiles={rows // 64 // warpgroups}",
        *(["--tma"] if copies else []),
    ]
    for rows, columns, warpgroups in (
        (128, 64, 2),
        (256, 64, 2),
        (128, 128, 2),
        (256, 128, 2),
        (128, 256, 2),
    )
    for copies in ("", "-tma")
}
# Other types of factors, which have to be along the depth.
SCHEDULES |= {
    f"wgmma-128x256-{element}-tma": [
        "--rows=4096",
        "--columns=4096",
        "--depth=4096",
        "--width=256",
        "--warpgroups=2",
        f"--element={element}",
        "--right=columns",
        "--tma",
        "--alone",
    ]
    for element in ("f32", "e4m3", "i8")
}
# Results that are stored as boxes.
SCHEDULES |= {
    f"{name}-store": [*SCHEDULES[name], "--store", "--result=f16"]
    for name in SCHEDULES
    if re.fullmatch(r"wgmma-\d+x\d+-tma", name)
}
# A further warpgroup begins the copies; four buffers, as heuristics have.
SCHEDULES |= {
    f"{name}-{copies}": [*SCHEDULES[f"{name}-tma"], "--buffers=4", *more]
    for name in ("wgmma-128x256", "wgmma-256x128")
    for copies, more in (("four", []), ("by-warpgroup", ["--by-warpgroup"]))
}
# Each group computes several blocks of results, with memory for those of one.
SCHEDULES |= {
    f"{name}-across-blocks": [
        *SCHEDULES[f"{name}-tma-store"],
        "--buffers=3",
        "--by-warpgroup",
        "--across-blocks",
        "--band=16",
    ]
    for name in ("wgmma-128x256", "wgmma-256x128")
} | {
    f"{name}-by-warpgroup-store": [*SCHEDULES[f"{name}-tma-store"], "--buffers=3", "--by-warpgroup"]
    for name in ("wgmma-128x256", "wgmma-256x128")
}
MULTIPLICATIONS = ("HGMMA", "QGMMA", "IGMMA", "HMMA", "IMMA", "DMMA", "FFMA", "DFMA")


def find_nvdisasm():
    if program := shutil.which("nvdisasm"):
        return program
    if spec := importlib.util.find_spec("triton"):
        folder = os.path.dirname(spec.origin)
        return os.path.join(folder, "backends", "nvidia", "bin", "nvdisasm")
    sys.exit("gpu-loops.py: nvdisasm is neither in PATH nor part of an installed Triton")


def run(*command):
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{result.stderr}")
    return result.stdout + result.stderr


def count_loop(nvdisasm, cubin, innermost=False):
    """The instructions, by name, of the longest loop with multiplications, or of the
    shortest one."""
    lines, labels, ends, best = [], {}, [], collections.Counter()
    for line in run(nvdisasm, "-c", cubin).splitlines():
        if label := re.match(r"(\.L_x_\d+):", line):
            labels[label[1]] = len(lines)
        elif instruction := re.match(r"\s+/\*[0-9a-f]+\*/\s+(.*?)\s*;", line):
            if instruction[1].startswith("EXIT"):
                ends.append(len(lines))
            lines.append(re.sub(r"^@!?U?P\w+\s+", "", instruction[1]))
    for end, line in enumerate(lines):
        target = re.search(r"^BRA.*?`\((\.L_x_\d+)\)", line)
        begin = labels.get(target[1], end) if target else end
        # What waits again is behind the end, and goes back into the middle of a loop.
        if begin >= end or any(begin < line < end for line in ends):
            continue
        body = drop_box_copies(lines, labels, begin, end)
        loop = collections.Counter(text.split()[0].split(".")[0] for text in body)
        if not any(loop[name] for name in MULTIPLICATIONS):
            continue
        if not best or (loop.total() < best.total() if innermost else loop.total() > best.total()):
            best = loop
    return best


def drop_box_copies(lines, labels, begin, end):
    """The lines of a loop without what only the subgroup does that begins copies of
    boxes: what a branch skips that has them."""
    body, line = [], begin
    while line <= end:
        body.append(lines[line])
        target = re.search(r"^BRA.*?`\((\.L_x_\d+)\)", lines[line])
        next_line = labels.get(target[1], 0) if target else 0
        skips = line < next_line <= end
        if skips and any(text.startswith("UTMALDG") for text in lines[line:next_line]):
            line = next_line
        else:
            line += 1
    return body


def compile_ours(folder, name, chip):
    graph, code = os.path.join(folder, "g.mlir"), os.path.join(folder, "ours.ptx")
    with open(graph, "w", encoding="utf-8") as file:
        file.write(run(os.path.join(BUILD, "bin", "suite"), "--graph", name))
    run(os.path.join(BUILD, "bin", "tg-compile"), f"--target=cuda:{chip}", "--emit=obj", graph, "-o", code)
    keep_first_kernel(code)
    return assemble(folder, code, chip)


def compile_schedule(folder, name):
    kernel, code = os.path.join(folder, "k.mlir"), os.path.join(folder, "ours.ptx")
    generator = os.path.join(ROOT, "test", "Target", "GPU", "Inputs", "wgmma-kernels.py")
    with open(kernel, "w", encoding="utf-8") as file:
        file.write(run(sys.executable, generator, *SCHEDULES[name]))
    target = "cuda:sm_90a" + (":tf32" if "--element=f32" in SCHEDULES[name] else "")
    run(os.path.join(BUILD, "bin", "tg-compile"), f"--target={target}", "--emit=obj", kernel, "-o", code)
    keep_first_kernel(code)
    return assemble(folder, code, "sm_90a")


def keep_first_kernel(code):
    """Takes away the kernel for GPUs that refuse to copy boxes, which follows."""
    with open(code, encoding="utf-8") as file:
        text = file.read()
    with open(code, "w", encoding="utf-8") as file:
        file.write(re.split(r"\t// \.globl\t\w+_without_tensor_maps", text)[0])


def assemble(folder, code, chip):
    cubin = os.path.join(folder, "code.cubin")
    messages = run("ptxas", "-v", f"-arch={chip}", code, "-o", cubin)
    return cubin, max(map(int, re.findall(r"Used (\d+) registers", messages)))


def compile_triton(folder, tile):
    """A product of matrices whose sizes are multiples of the tile's."""
    import triton
    from triton.backends.compiler import GPUTarget

    element, rows, columns, depth, warps, stages = tile
    # Triton reads the source of a kernel from its file.
    source = os.path.join(folder, "product.py")
    with open(source, "w", encoding="utf-8") as file:
        file.write(
            """
import triton
import triton.language as tl


@triton.jit
def product(a, b, c, N, K, R: tl.constexpr, C: tl.constexpr, D: tl.constexpr):
    row = tl.program_id(0) * R + tl.arange(0, R)
    column = tl.program_id(1) * C + tl.arange(0, C)
    depth = tl.arange(0, D)
    left = a + row[:, None] * K + depth[None, :]
    right = b + depth[:, None] * N + column[None, :]
    total = tl.zeros((R, C), tl.float32)
    for _ in range(0, K, D):
        total = tl.dot(tl.load(left), tl.load(right), total)
        left += D
        right += D * N
    tl.store(c + row[:, None] * N + column[None, :], total.to(tl.float16))
"""
        )
    spec = importlib.util.spec_from_file_location("product", source)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sizes = {"R": rows, "C": columns, "D": depth}
    compiled = triton.compile(
        triton.compiler.ASTSource(
            fn=module.product,
            signature={name: f"*{element}" for name in "abc"}
            | {"N": "i32", "K": "i32"}
            | dict.fromkeys(sizes, "constexpr"),
            constexprs=sizes,
            attrs={(i,): [["tt.divisibility", 16]] for i in range(5)},
        ),
        target=GPUTarget("cuda", 80, 32),
        options={"num_warps": warps, "num_stages": stages},
    )
    code = os.path.join(folder, "triton.ptx")
    with open(code, "w", encoding="utf-8") as file:
        file.write(compiled.asm["ptx"])
    return assemble(folder, code, "sm_80")


def show(nvdisasm, name, who, compiled):
    cubin, registers = compiled
    # The loop over blocks is around the one that multiplies.
    loop = count_loop(nvdisasm, cubin, innermost=name.endswith("-across-blocks"))
    products = sum(loop[name] for name in MULTIPLICATIONS)
    shared = loop["LDS"] + loop["LDSM"]
    copies = loop["LDGSTS"] + loop["LDG"] + loop["STS"]
    rest = loop.total() - products - shared - copies
    print(
        f"| {name} | {who} | {loop.total()} | {products} | {shared} | {copies} | {rest} | "
        f"{loop.total() / products:.2f} | {registers} |",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chip", action="append", help=f"default: {' '.join(CHIPS)}")
    everything = [*KERNELS, *SCHEDULES]
    parser.add_argument("kernel", nargs="*", help=f"default: {' '.join(everything)}")
    args = parser.parse_args()
    if unknown := set(args.kernel) - set(everything):
        parser.error(f"no kernel {', '.join(sorted(unknown))}; there are {', '.join(everything)}")
    if not shutil.which("ptxas"):
        sys.exit("gpu-loops.py: ptxas of CUDA is not in PATH")
    nvdisasm = find_nvdisasm()
    print("| kernel | code | instructions | multiply | read shared | fill | others | per product | registers |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name in args.kernel or everything:
        with tempfile.TemporaryDirectory() as folder:
            if name in SCHEDULES:
                show(nvdisasm, name, "sm_90a", compile_schedule(folder, name))
                continue
            for chip in args.chip or CHIPS:
                show(nvdisasm, name, chip, compile_ours(folder, name, chip))
            if KERNELS[name] and importlib.util.find_spec("triton"):
                show(nvdisasm, name, "Triton, sm_80", compile_triton(folder, KERNELS[name]))


if __name__ == "__main__":
    main()
