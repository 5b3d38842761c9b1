#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the memory traffic of the first training step on a simulated GPU.

    benchmarks/training/gpu-counts.py [--chip NAME] [--top N] [ROW...]

Needs a release build, but no GPU: build/bin/training runs the step, and the
simulator counts what subgroups access in 16 groups of each launch, and scales it to
all (SIMCOUNT, SIMSKIP; other groups do not run, so values are wrong). For each row,
prints the bytes of all sectors, and the kernels with the most: launches,
groups and items of one, sectors, what of them is used, and lines for each load.
Caches are not simulated.
"""

import argparse
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TRAINING = os.path.join(ROOT, "build", "bin", "training")
ROWS = ("cnn", "mlp", "lstm", "resnet18")
GROUPS = 16
LINE = re.compile(
    r"SIM counts (\S+): loads (\d+) sectors (\d+) lines (\d+) bytes (\d+); "
    r"stores (\d+) sectors (\d+) lines \d+ bytes (\d+); .*"
    r"groups \d+ of (\d+) with (\d+) items, sectors of (\d+) bytes"
)


def count(row, chip):
    """For each kernel name: launches, groups, items, and sums over the launches."""
    settings = {"DEV": "SIM", "SIMCHIP": chip, "SIMCOUNT": str(GROUPS), "SIMSKIP": "1"}
    result = subprocess.run(
        [TRAINING, row, "1"],
        env=os.environ | settings, capture_output=True, text=True, check=False,
    )
    if result.returncode != 0:
        sys.exit(f"gpu-counts.py: training {row} failed:\n{result.stderr[-2000:]}")
    kernels = {}
    for name, *numbers in LINE.findall(result.stderr):
        loads, read, lines, bytes_, _, written, stored, groups, items, sector = map(int, numbers)
        kernel = kernels.setdefault(name, [0, groups, items, 0, 0, 0, 0])
        kernel[0] += 1
        for i, number in enumerate(
            ((read + written) * sector, bytes_ + stored, lines, loads), start=3
        ):
            kernel[i] += number
    return kernels


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chip", default="sm_90")
    parser.add_argument("--top", type=int, default=5, metavar="N")
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"of {' '.join(ROWS)}, gpt2")
    arguments = parser.parse_args()
    print("| row, kernel | launches | groups x items | sectors, MB | used | lines |")
    print("|---|---|---|---|---|---|")
    for row in arguments.rows or ROWS:
        kernels = count(row, arguments.chip)
        launches = sum(kernel[0] for kernel in kernels.values())
        total = sum(kernel[3] for kernel in kernels.values())
        used = sum(kernel[4] for kernel in kernels.values())
        print(f"| **{row}** | {launches} |  | {total / 1e6:.0f} | {used / total:.2f} |  |")
        most = sorted(kernels.items(), key=lambda item: -item[1][3])
        for name, (number, groups, items, sectors, needed, lines, loads) in most[: arguments.top]:
            print(
                f"| `{name}` | {number} | {groups} x {items} | {sectors / 1e6:.1f} "
                f"| {needed / sectors:.2f} | {lines / max(loads, 1):.1f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
