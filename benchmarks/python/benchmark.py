#!/usr/bin/env python3
"""What Python programs wait for: this package and tinygrad, in one run.

usage: benchmark.py [PYTHON]

PYTHON is an interpreter that has tinygrad; this one has tinygrad_mlir (PYTHONPATH=build/python).
Prints a table of medians. Each repetition is a process of its own, and the packages take turns.
"""

import json
import os
import statistics
import subprocess
import sys

REPETITIONS = 5

# What a process measures, for the package that is given as an argument.
PROGRAM = """
import importlib, json, sys, time
begin = time.perf_counter()
package = importlib.import_module(sys.argv[1])
results = {"import, ms": 1e3 * (time.perf_counter() - begin)}
Tensor = package.Tensor

begin = time.perf_counter()
first = (Tensor([1.0, 2.0, 3.0]) * 2 + 1).sum().item()
results["first result after the import, ms"] = 1e3 * (time.perf_counter() - begin)
assert first == 15, first

x = y = Tensor([1.0, 2.0, 3.0]).realize()
begin = time.perf_counter()
for _ in range(500):
    y = (y + x) * x
results["one of 1,000 elementwise operations, built, us"] = 1e6 * (time.perf_counter() - begin) / 1000

z = Tensor.ones(16, 16).contiguous().realize()
for _ in range(20):
    (z + 1).realize()
begin = time.perf_counter()
for _ in range(200):
    (z + 1).realize()
results["a small kernel, built and run, us"] = 1e6 * (time.perf_counter() - begin) / 200

images = Tensor.rand(128, 784).realize()
weights = [Tensor.rand(784, 128) - 0.5, Tensor.rand(128, 10) - 0.5]
for weight in weights:
    weight.requires_grad = True
    weight.realize()

def step():
    loss = ((images @ weights[0]).relu() @ weights[1]).square().mean()
    gradients = loss.gradient(*weights)
    updates = [(w - 1e-6 * g).detach() for w, g in zip(weights, gradients)]
    for weight, update in zip(weights, updates):
        weight.assign(update)
    loss.realize(*weights)

for _ in range(5):
    step()
begin = time.perf_counter()
for _ in range(30):
    step()
results["a training step of two layers, batch 128, ms"] = 1e3 * (time.perf_counter() - begin) / 30
print(json.dumps(results))
"""


def measure(python: str, package: str) -> dict[str, float]:
    process = subprocess.run(
        [python, "-c", PROGRAM, package],
        stdout=subprocess.PIPE,
        check=True,
        env=dict(os.environ, DEV="CPU"),
    )
    return json.loads(process.stdout)


def main() -> None:
    packages = {"tinygrad_mlir": sys.executable}
    if len(sys.argv) > 1:
        packages["tinygrad"] = sys.argv[1]
    for package, python in packages.items():
        measure(python, package)  # fills the caches of kernels
    results = {package: [] for package in packages}
    for _ in range(REPETITIONS):
        for package, python in packages.items():
            results[package].append(measure(python, package))
    print("| | " + " | ".join(packages) + " |")
    print("|---" * (len(packages) + 1) + "|")
    for name in results["tinygrad_mlir"][0]:
        medians = [statistics.median(run[name] for run in runs) for runs in results.values()]
        print(f"| {name} | " + " | ".join(f"{median:.3g}" for median in medians) + " |")


if __name__ == "__main__":
    main()
