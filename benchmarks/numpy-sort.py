#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy's times for three rows of order.cpp: sort, argsort and cumsum of random
float32 (sort-1M, argsort-1M, cumsum-16M)."""

import time

import numpy as np


def median(body):
    times = []
    for _ in range(11):
        begin = time.perf_counter()
        body()
        times.append(time.perf_counter() - begin)
    return sorted(times)[5] * 1e3


generator = np.random.default_rng(1)
x = generator.random(1_000_000, dtype=np.float32)
y = generator.random(1 << 24, dtype=np.float32)
bins = generator.integers(0, 256, 1 << 22).astype(np.int32)
print(f"numpy {np.__version__}")
print(f"sort-1M          {median(lambda: np.sort(x)):9.3f} ms")
print(f"argsort-1M       {median(lambda: np.argsort(x)):9.3f} ms")
print(f"cumsum-16M       {median(lambda: np.cumsum(y)):9.3f} ms")
print(f"histogram-4M-256 {median(lambda: np.bincount(bins)):9.3f} ms")
