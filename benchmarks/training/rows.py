# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rows of Models.cpp for the other contenders: parameters, initial values,
data and optimizers; and the process that answers compare.py."""

import dataclasses
import math
import re
import sys
import time

import numpy as np


class Numbers:
    """The numbers of Models.cpp: hashes of their positions."""

    def __init__(self):
        self.position = 0

    def take(self, count):
        x = np.arange(self.position + 1, self.position + count + 1, dtype=np.uint32)
        self.position += count
        x ^= x >> np.uint32(16)
        x *= np.uint32(0x7FEB352D)
        x ^= x >> np.uint32(15)
        x *= np.uint32(0x846CA68B)
        x ^= x >> np.uint32(16)
        return x

    def uniform(self, shape, bound):
        # In pieces, so that no large temporary arrays count as peak memory.
        result = np.empty(math.prod(shape), np.float32)
        for start in range(0, result.size, 1 << 20):
            part = result[start : start + (1 << 20)]
            part[:] = self.take(part.size) >> np.uint32(8)
            part /= np.float32(8388608)
            part -= np.float32(1)
            part *= np.float32(bound)
        return result.reshape(shape)

    def integers(self, shape, limit):
        return (self.take(math.prod(shape)) % np.uint32(limit)).astype(np.int32).reshape(shape)


def linear(name, inputs, outputs):
    return [(name + ".weight", (outputs, inputs)), (name + ".bias", (outputs,))]


def norm(name, size):
    return [(name + ".weight", (size,)), (name + ".bias", (size,))]


def cnn():
    return [
        ("first.weight", (32, 1, 3, 3)), ("first.bias", (32,)),
        ("second.weight", (64, 32, 3, 3)), ("second.bias", (64,)),
        *linear("hidden", 64 * 5 * 5, 128), *linear("output", 128, 10),
    ]


def mlp():
    return [*linear("first", 784, 1024), *linear("second", 1024, 1024),
            *linear("output", 1024, 10)]


# Channels in and out, and stride.
BLOCKS = [(64, 64, 1), (64, 64, 1), (64, 128, 2), (128, 128, 1),
          (128, 256, 2), (256, 256, 1), (256, 512, 2), (512, 512, 1)]


def resnet18():
    result = [("conv1.weight", (64, 3, 7, 7)), *norm("bn1", 64)]
    for i, (inputs, outputs, stride) in enumerate(BLOCKS):
        name = f"blocks.{i}."
        result += [(name + "conv1.weight", (outputs, inputs, 3, 3)), *norm(name + "bn1", outputs),
                   (name + "conv2.weight", (outputs, outputs, 3, 3)), *norm(name + "bn2", outputs)]
        if stride != 1:
            result += [(name + "downsample.0.weight", (outputs, inputs, 1, 1)),
                       *norm(name + "downsample.1", outputs)]
    return result + linear("fc", 512, 1000)


LAYERS, HEADS, SIZE, VOCABULARY, TOKENS = 12, 12, 768, 50257, 128


def gpt2():
    result = [("tokens.weight", (VOCABULARY, SIZE)), ("positions.weight", (1024, SIZE))]
    for i in range(LAYERS):
        name = f"blocks.{i}."
        result += [*norm(name + "ln1", SIZE),
                   (name + "attention.in_proj_weight", (3 * SIZE, SIZE)),
                   (name + "attention.in_proj_bias", (3 * SIZE,)),
                   *linear(name + "attention.out_proj", SIZE, SIZE), *norm(name + "ln2", SIZE),
                   *linear(name + "up", SIZE, 4 * SIZE), *linear(name + "down", 4 * SIZE, SIZE)]
    return result + norm("norm", SIZE)


STEPS, BATCH, INPUTS, HIDDEN = 100, 32, 64, 128


def lstm():
    return [("cell.weight_ih", (4 * HIDDEN, INPUTS)), ("cell.weight_hh", (4 * HIDDEN, HIDDEN)),
            ("cell.bias_ih", (4 * HIDDEN,)), ("cell.bias_hh", (4 * HIDDEN,)),
            *linear("output", HIDDEN, 10)]


def batch(shape, classes, axis=0):
    return lambda numbers: (numbers.uniform(shape, 1), numbers.integers((shape[axis],), classes))


def tokens(numbers):
    ids = numbers.integers((1, TOKENS + 1), VOCABULARY)
    return ids[:, :-1].copy(), ids[:, 1:].copy()


@dataclasses.dataclass
class Row:
    parameters: list
    batch: object
    optimizer: str
    rate: float
    decay: float = 0


ROWS = {
    "cnn": Row(cnn(), batch((128, 1, 28, 28), 10), "adam", 1e-3),
    "mlp": Row(mlp(), batch((512, 784), 10), "momentum", 1e-2),
    "resnet18": Row(resnet18(), batch((16, 3, 64, 64), 1000), "momentum", 1e-2),
    "gpt2": Row(gpt2(), tokens, "adamw", 1e-4, 0.01),
    "lstm": Row(lstm(), batch((STEPS, BATCH, INPUTS), 10, 1), "adam", 1e-3),
}
# As in Adam.h, and of stochastic gradient descent.
BETA1, BETA2, EPSILON, MOMENTUM = 0.9, 0.999, 1e-8, 0.9


def initial(row, convert):
    """The parameters in order, each through `convert`, and the batch."""
    numbers = Numbers()
    values = []
    for name, shape in ROWS[row].parameters:
        if len(shape) >= 2:
            value = numbers.uniform(shape, np.float32(1 / math.sqrt(math.prod(shape[1:]))))
        else:
            value = np.full(shape, 1 if name.endswith(".weight") else 0, np.float32)
        values.append(convert(value))
    return values, ROWS[row].batch(numbers)


def peak():
    with open("/proc/self/status") as status:
        return int(re.search(r"VmHWM:\s+(\d+)", status.read()).group(1))


def serve(make_step):
    """`make_step(row)` returns a function that computes a step and returns its
    loss as a number. Speaks the protocol of training.cpp."""
    step = make_step(sys.argv[1])
    print("ready", flush=True)
    highest = 0
    for line in sys.stdin:
        command, *count = line.split()
        answer = []
        if command == "step":
            for _ in range(int(count[0])):
                begin = time.perf_counter()
                loss = step()
                answer += [time.perf_counter() - begin, loss]
        elif command == "memory":
            recent = peak()
            highest = max(highest, recent)
            with open("/proc/self/clear_refs", "w") as clear:
                clear.write("5")
            answer = [highest, recent]
        print(" ".join(f"{float(x):.9g}" for x in answer), flush=True)
