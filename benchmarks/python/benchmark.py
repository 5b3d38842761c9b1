#!/usr/bin/env python3
"""What Python programs wait for: this package, tinygrad, PyTorch and JAX, in one run, on the CPU.

usage: benchmark.py [PYTHON]...

Each PYTHON is an interpreter that has some of tinygrad, PyTorch and JAX, and NumPy; this one has
tinygrad_mlir (PYTHONPATH=build/python). Prints a table: the median, and in parentheses the fastest,
of 5 processes (or of REPETITIONS in the environment), and the ratio of the fastest one to that of
this package. The packages take turns.
Results are compared before times.
"""

import json
import os
import pathlib
import re
import statistics
import subprocess
import sys

REPETITIONS = int(os.environ.get("REPETITIONS", "5"))
FOLDER = pathlib.Path(__file__).parent
ROWS = {
    "tinygrad_mlir": ["rows_tinygrad.py", "tinygrad_mlir"],
    "tinygrad": ["rows_tinygrad.py", "tinygrad"],
    "torch": ["rows_torch.py"],
    "jax": ["rows_jax.py"],
}

# The bytes of the files of a package and of what it requires, with no extras.
SIZE = r"""
import importlib.metadata as metadata, re, sys
seen, names, total = set(), [sys.argv[1]], 0
while names:
    name = names.pop().lower().replace("_", "-")
    if name in seen:
        continue
    seen.add(name)
    try:
        package = metadata.distribution(name)
    except metadata.PackageNotFoundError:
        continue
    for file in package.files or []:
        try:
            total += file.locate().stat().st_size
        except OSError:
            pass
    for requirement in package.requires or []:
        if "extra ==" not in requirement:
            names.append(re.match(r"[\w.-]+", requirement)[0])
print(total)
"""


def has(python: str, package: str) -> bool:
    find = "import importlib.util, sys; sys.exit(importlib.util.find_spec(sys.argv[1]) is None)"
    return subprocess.run([python, "-c", find, package]).returncode == 0


def measure(python: str, package: str) -> dict[str, dict[str, float]]:
    process = subprocess.run(
        [python, FOLDER / ROWS[package][0], *ROWS[package][1:]],
        stdout=subprocess.PIPE,
        check=True,
        env=dict(os.environ, DEV="CPU", JAX_PLATFORMS="cpu", CUDA_VISIBLE_DEVICES=""),
    )
    return json.loads(process.stdout.splitlines()[-1])


def installed_size(python: str, package: str) -> float:
    """Megabytes; 0 for what is not installed, as a development build."""
    process = subprocess.run([python, "-c", SIZE, package], stdout=subprocess.PIPE, check=True)
    return int(process.stdout) / 1e6


def compare(results: dict[str, dict[str, float]]) -> None:
    """Raises SystemExit if a package has computed something else."""
    for package, checks in results.items():
        for name, value in checks.items():
            expected = results["tinygrad_mlir"][name]
            if abs(value - expected) > 1e-3 * abs(expected):
                sys.exit(f"benchmark.py: {name}: {package} has {value}, not {expected}")


def main() -> None:
    if any(re.match("-", argument) for argument in sys.argv[1:]):
        sys.exit(__doc__)
    pythons = {"tinygrad_mlir": sys.executable}
    for python in sys.argv[1:]:
        for package in ROWS:
            if package not in pythons and has(python, package):
                pythons[package] = python
    # The first run fills the caches of kernels.
    compare({package: measure(python, package)["checks"] for package, python in pythons.items()})
    results = {package: [] for package in pythons}
    for _ in range(REPETITIONS):
        for package, python in pythons.items():
            results[package].append(measure(python, package)["rows"])
    print("| | " + " | ".join(pythons) + " |")
    print("|---" * (len(pythons) + 1) + "|")
    for name in results["tinygrad_mlir"][0]:
        runs = [[run[name] for run in runs] for runs in results.values()]
        cells = [f"{statistics.median(times):.3g} ({min(times):.3g})" for times in runs]
        # Other programs of the machine disturb the fastest run least.
        ratios = [f"; {min(times) / min(runs[0]):.2g}" for times in runs]
        cells = [cell + ratio for cell, ratio in zip(cells, ["", *ratios[1:]])]
        print(f"| {name} | " + " | ".join(cells) + " |")
    sizes = [installed_size(python, package) for package, python in pythons.items()]
    cells = [f"{size:,.0f}" if size else "" for size in sizes]
    print("| installed, with what it requires, MB | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
