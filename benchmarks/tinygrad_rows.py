#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The workloads of Workloads.cpp in the Python package tinygrad, with the same
data and the same command line as `suite`; compare.py runs both.

    tinygrad_rows.py --serve        reads "time ROW COUNT" or "sample ROW"
    tinygrad_rows.py --first ROW    first results in a fresh process

Repetitions run under TinyJit, which replays the kernels without executing the
Python code: the fastest mode of the package.
"""

import sys
import time

import numpy as np
from tinygrad import Device, Tensor, TinyJit

LAYERS, BATCH, HIDDEN = 4, 8, 64
N = 4096


def lstm(inputs):
    sequence, weights = inputs[0], inputs[1:]
    hidden = [Tensor.zeros(BATCH, HIDDEN) for _ in range(LAYERS)]
    cell = list(hidden)
    for step in range(sequence.shape[0]):
        x = sequence[step]
        for layer in range(LAYERS):
            to_x, to_h, bias = weights[3 * layer : 3 * layer + 3]
            gates = x.matmul(to_x) + hidden[layer].matmul(to_h) + bias
            i, f, g, o = gates.chunk(4, 1)
            cell[layer] = f.sigmoid() * cell[layer] + i.sigmoid() * g.tanh()
            hidden[layer] = o.sigmoid() * cell[layer].tanh()
            x = hidden[layer]
    return hidden[-1].sum(1)


def matmul(size):
    return [(size, size), (size, size)], lambda x: x[0].matmul(x[1])


def lstm_of(steps):
    shapes = [(steps, BATCH, HIDDEN)]
    for _ in range(LAYERS):
        shapes += [(HIDDEN, 4 * HIDDEN), (HIDDEN, 4 * HIDDEN), (4 * HIDDEN,)]
    return shapes, lstm


ROWS = {
    "elementwise": (
        [(N, N), (N, N)],
        lambda x: ((x[0] + x[1]) * x[0] - x[1] * 0.5).relu() + x[0] * 2.0,
    ),
    "sum-all": ([(N, N)], lambda x: x[0].sum()),
    "sum-rows": ([(N, N)], lambda x: x[0].sum(1)),
    "sum-columns": ([(N, N)], lambda x: x[0].sum(0)),
    "softmax": ([(N, N)], lambda x: x[0].softmax()),
    "layernorm": ([(N, N)], lambda x: x[0].layernorm()),
    "transpose": ([(N, N)], lambda x: x[0].T.contiguous()),
    "matmul-512": matmul(512),
    "matmul-1000": matmul(1000),
    "matmul-1024": matmul(1024),
    "matmul-2048": matmul(2048),
    "conv": (
        [(8, 64, 56, 56), (64, 64, 3, 3)],
        lambda x: x[0].conv2d(x[1], padding=1),
    ),
    "lstm-25": lstm_of(25),
    "lstm-50": lstm_of(50),
    "lstm-100": lstm_of(100),
    "small-add": ([(1000,)], lambda x: x[0] * 2.0 + 1.0),
    "small-softmax": ([(256, 256)], lambda x: x[0].softmax()),
    "matmul-256": matmul(256),
}


def make_inputs(shapes):
    inputs, position = [], 0
    for shape in shapes:
        count = int(np.prod(shape))
        positions = np.arange(position + 1, position + count + 1, dtype=np.uint64)
        position += count
        bits = ((positions * 2654435761) & 0xFFFFFFFF) >> 8
        data = (bits.astype(np.float32) / np.float32(1 << 24)) - np.float32(0.5)
        inputs.append(Tensor(data.reshape(shape)).realize())
    wait()
    return inputs


def wait():
    Device[Device.DEFAULT].synchronize()


def find(name):
    """The function to call, and its result."""
    shapes, build = ROWS[name]
    inputs = make_inputs(shapes)
    jit = TinyJit(lambda *x: build(list(x)).realize())
    run = lambda: jit(*inputs)
    for _ in range(3):  # runs, captures, replays
        run()
    wait()
    return run


def timed(run, count):
    times = []
    for _ in range(count):
        begin = time.perf_counter()
        run()
        wait()
        times.append(time.perf_counter() - begin)
    return times


def serve():
    runs = {}
    for line in sys.stdin:
        command, name, *rest = line.split()
        answer = []
        if name in ROWS and command == "time":
            if name not in runs:
                runs[name] = find(name)
            answer = timed(runs[name], int(rest[0]))
        elif name in ROWS and command == "sample":
            shapes, build = ROWS[name]
            data = build(make_inputs(shapes)).numpy().reshape(-1)
            answer = [data[i * (data.size - 1) // 15] for i in range(16)]
        elif command == "info":
            renderer = type(Device[Device.DEFAULT].renderer).__name__
            print(f"{Device.DEFAULT} {renderer}", flush=True)
            continue
        print(" ".join(f"{float(x):.9g}" for x in answer), flush=True)


def first(name):
    shapes, build = ROWS[name]
    inputs = make_inputs(shapes)

    def once():
        begin = time.perf_counter()
        result = build(inputs)
        built = time.perf_counter()
        result.realize()
        wait()
        end = time.perf_counter()
        return (built - begin) * 1e3, (end - begin) * 1e3

    built, result = once()
    again = min(once()[1] for _ in range(5))
    print(f"first={result:.3f} build={built:.3f} again={again:.3f}")


if __name__ == "__main__":
    sys.setrecursionlimit(1000000)
    if sys.argv[1:] == ["--serve"]:
        serve()
    elif len(sys.argv) == 3 and sys.argv[1] == "--first":
        first(sys.argv[2])
    else:
        sys.exit(__doc__)
