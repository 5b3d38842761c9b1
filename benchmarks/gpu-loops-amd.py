#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the instructions of the inner loops of products on AMD's GPUs, as LLVM makes
them.

    benchmarks/gpu-loops-amd.py [--chip NAME]... [KERNEL...]

Needs a release build, but no GPU and no toolkit. Kernels are products of those of
gpu-counts.py (default: square ones of 4096 and of f16, once with rows of the right
factor along its columns, once, called -turned, along the depth). Of each kernel, the
longest loop that multiplies is counted: all instructions, those that multiply on
matrix units, read the group's memory, and fill it (loads of global memory, and what
they store), other vector and scalar instructions, waits and barriers. `per product` is
all of them but scalar ones, waits and barriers, which other units execute, divided by
those that multiply. Registers are those of an item, groups those that its registers
and memory let a compute unit hold.
"""

import argparse
import collections
import importlib.util
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CHIPS = ["gfx942", "gfx950"]
KERNELS = ["matmul-f16-4096", "matmul-f16-4096-turned"]
# Registers of a lane in a SIMD, of which there are four, and bytes of a compute unit.
REGISTERS = 512
MEMORY = {"gfx90a": 64 << 10, "gfx942": 64 << 10, "gfx950": 160 << 10}


def load_graphs():
    """The kernels of gpu-counts.py."""
    spec = importlib.util.spec_from_file_location(
        "gpu_counts", os.path.join(ROOT, "benchmarks", "gpu-counts.py")
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def compile_kernel(graph, chip):
    tool = os.path.join(ROOT, "build", "bin", "tg-compile")
    with tempfile.TemporaryDirectory() as folder:
        file_name = os.path.join(folder, "graph.mlir")
        with open(file_name, "w", encoding="utf-8") as file:
            file.write(graph)
        command = [tool, f"--target=amd:{chip}", "--emit=asm", file_name]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{result.stderr}")
    return result.stdout


def kind_of(name):
    if name.startswith(("v_mfma", "v_wmma", "v_smfmac")):
        return "multiply"
    if name.startswith("ds_read") or name.startswith("ds_load"):
        return "read"
    if name.startswith(("global_load", "buffer_load", "ds_write", "ds_store")):
        return "fill"
    if name in ("s_waitcnt", "s_barrier", "s_nop"):
        return "wait"
    return "scalar" if name.startswith("s_") else "vector"


def count_loop(text):
    """The instructions, by kind, of the longest loop that multiplies."""
    kinds, labels, best = [], {}, collections.Counter()
    for line in text.splitlines():
        if label := re.match(r"(\.LBB\w+):", line):
            labels[label[1]] = len(kinds)
        elif instruction := re.match(r"\t([a-z]\w+)(?:\s+(\S+))?", line):
            kinds.append(kind_of(instruction[1]))
            begin = labels.get(instruction[2])
            if instruction[1].startswith("s_cbranch") and begin is not None:
                loop = collections.Counter(kinds[begin:])
                if loop["multiply"] and loop.total() > best.total():
                    best = loop
    return best


def show(name, chip, text):
    loop = count_loop(text)

    def read(key):
        return max(map(int, re.findall(rf"\.{key}:\s+(\d+)", text)))

    registers, memory = read("vgpr_count"), read("group_segment_fixed_size")
    subgroups = -(-read("max_flat_workgroup_size") // 64)
    of_registers = min(8, REGISTERS // (-(-registers // 8) * 8)) * 4 // subgroups
    groups = min(of_registers, MEMORY[chip] // memory) if memory else of_registers
    counts = [loop[kind] for kind in ("multiply", "read", "fill", "vector", "scalar", "wait")]
    issued = sum(counts[:4]) / max(counts[0], 1)
    cells = [name, chip, loop.total(), *counts, f"{issued:.2f}", registers, memory, groups]
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--chip", action="append", choices=MEMORY, help=f"default: {' '.join(CHIPS)}")
    parser.add_argument("kernel", nargs="*", help=f"default: {' '.join(KERNELS)}")
    args = parser.parse_args()
    graphs = load_graphs()
    names = args.kernel or KERNELS
    if unknown := [name for name in names if name not in graphs.KERNELS]:
        parser.error(f"gpu-counts.py has no kernel {', '.join(unknown)}")
    print(
        "| kernel | chip | instructions | multiply | read | fill | vector | scalar | waits | "
        "per product | registers | bytes | groups |"
    )
    print("|" + "---|" * 13)
    for name in names:
        for chip in args.chip or CHIPS:
            show(name, chip, compile_kernel(graphs.KERNELS[name](graphs.Program()), chip))


if __name__ == "__main__":
    main()
