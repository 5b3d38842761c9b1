#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares matrix products for older processors with OpenBLAS, restricted to the
same instructions, alternately on one thread.

    benchmarks/processors.py [--rounds N] [ROW...]

Needs a CPU with AVX-512, a release build, and libopenblas0-pthread.
"""

import argparse
import os
import subprocess
import sys

BUILD = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "build")
SUITE = os.path.join(BUILD, "bin", "suite")
# MCPU, and OpenBLAS's name for the kernels with these instructions.
LEVELS = {"x86-64-v4": "SkylakeX", "x86-64-v3": "Haswell", "x86-64-v2": "Nehalem"}
ROWS = ["matmul-512", "matmul-1000", "matmul-1024", "matmul-2048"]


class Worker:
    """A process that times rows for one level."""

    def __init__(self, level):
        settings = {"MCPU": level, "OPENBLAS_CORETYPE": LEVELS[level]}
        settings |= {"THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        self.process = subprocess.Popen(
            [SUITE, "--serve"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | settings,
            text=True,
        )

    def time(self, row):
        """Seconds of three runs."""
        self.process.stdin.write(f"time {row} 3\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            sys.exit(f"processors.py: suite ended at {row}")
        return [float(word) for word in answer.split()]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("rows", nargs="*", default=ROWS, metavar="ROW")
    arguments = parser.parse_args()
    workers = {level: Worker(level) for level in LEVELS}
    times = {}
    for _ in range(arguments.rounds):
        for row in arguments.rows:
            for level, worker in workers.items():
                for name in (row, "sgemm-" + row.removeprefix("matmul-")):
                    times.setdefault((level, name), []).extend(worker.time(name))
    print("| row | processor | ms | OpenBLAS | OpenBLAS's time / ours |")
    print("|---|---|---|---|---|")
    for row in arguments.rows:
        for level in LEVELS:
            ours = min(times[level, row])
            blas = min(times[level, "sgemm-" + row.removeprefix("matmul-")])
            print(
                f"| {row} | {level} | {ours * 1e3:.2f} | {blas * 1e3:.2f}"
                f" | {blas / ours:.2f} |"
            )


if __name__ == "__main__":
    main()
