#!/usr/bin/env python3
"""Compares models in ONNX's format with ONNX Runtime, on one thread: values and times.

    THREADS=1 benchmarks/python/onnx_models.py MODEL...

It needs the packages onnx and onnxruntime. Inputs are random; the sizes that a model leaves free
are 1. A call captured by TinyJit, with the values copied, is compared with one of ONNX Runtime.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from typing import Any

os.environ.setdefault("THREADS", "1")

import numpy as np
import onnxruntime
from tinygrad_mlir import GlobalCounters, Tensor, TinyJit
from tinygrad_mlir.nn.onnx import OnnxRunner


def make_input(kind: Any, random: np.random.Generator) -> np.ndarray:
    shape = [size if isinstance(size, int) else 1 for size in kind.shape]
    if "int" in kind.type:
        return random.integers(0, 100, shape).astype(np.int32 if "int32" in kind.type else np.int64)
    return random.standard_normal(shape).astype(np.float32)


def least(call: Callable[[], Any], count: int) -> float:
    """The least of some times, in milliseconds."""
    times = []
    for _ in range(count):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return 1e3 * min(times)


def compare(path: str, count: int) -> None:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    random = np.random.default_rng(0)
    arrays = {kind.name: make_input(kind, random) for kind in session.get_inputs()}
    expected = session.run(None, arrays)

    runner = OnnxRunner(path)
    tensors = {name: Tensor(array).realize() for name, array in arrays.items()}
    captured = TinyJit(lambda inputs: list(runner(inputs).values()))

    def run() -> list[np.ndarray]:
        return [result.numpy() for result in captured(tensors)]

    for _ in range(3):
        run()
    GlobalCounters.reset()
    results = run()
    kernels = GlobalCounters.kernel_count
    error = max(
        np.abs(result - values).max() / max(np.abs(values).max(), 1e-30)
        for result, values in zip(results, expected, strict=True)
    )
    ours, theirs = [], []
    for _ in range(2):
        ours.append(least(run, count))
        theirs.append(least(lambda: session.run(None, arrays), count))
    print(
        f"{os.path.basename(path)}: error {error:.1e}, {kernels} kernels, "
        f"{min(ours):.2f} ms, ONNX Runtime {min(theirs):.2f} ms"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("models", nargs="+", metavar="MODEL")
    parser.add_argument("--count", type=int, default=15, help="calls per round, of two rounds")
    options = parser.parse_args()
    for path in options.models:
        compare(path, options.count)


if __name__ == "__main__":
    main()
