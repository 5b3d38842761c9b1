#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the times of layers with those of PyTorch (which uses oneDNN for
convolutions and BLAS for products), measured alternately in one run.

    benchmarks/layers.py [ROW...]        needs build/bin/suite and torch, which
                                         scripts/setup.sh --bench installs

The rows are the convolutions of ResNet-18 at batch 1 and 8, products of one row
with a matrix, max pooling, two convolutions in one kernel, the first layer of
AlexNet, and images whose pixels are repeated or taken from channels. With
--gradients, they are layers and their gradients by input (dx) and weights (dw),
with the rate of each relative to that of the layer. Names contain the sizes, see
benchmarks/Workloads.cpp; any such name is a row. The table has medians and, in
parentheses, minima; the ratio is that of the minima, which other work on the machine affects least.
"""

import argparse
import os
import statistics
import subprocess
import sys
import time

import torch
import torch.nn.functional as F

HERE = os.path.dirname(os.path.abspath(__file__))
SUITE = os.path.join(os.path.dirname(HERE), "build", "bin", "suite")

# Channels in and out, size, kernel, stride, padding.
RESNET = [
    (3, 64, 224, 7, 2, 3),
    (64, 64, 56, 3, 1, 1),
    (64, 128, 56, 3, 2, 1),
    (64, 128, 56, 1, 2, 0),
    (128, 128, 28, 3, 1, 1),
    (128, 256, 28, 3, 2, 1),
    (128, 256, 28, 1, 2, 0),
    (256, 256, 14, 3, 1, 1),
    (256, 512, 14, 3, 2, 1),
    (256, 512, 14, 1, 2, 0),
    (512, 512, 7, 3, 1, 1),
]


def default_rows():
    rows = []
    for batch in (1, 8):
        rows += ["-".join(["conv", str(batch), *map(str, layer)]) for layer in RESNET]
        rows += [f"shortcut-{batch}-{sizes}" for sizes in ("64-128-56", "128-256-28", "256-512-14")]
    rows += [f"gemv-1-{n}-{n}" for n in (1024, 2048, 4096)]
    rows += ["gemv-1-3000-5000", "gemv-2-4096-4096", "gemv-4-4096-4096"]
    rows += ["maxpool-8-64-112-3-2-1", "conv-1-3-48-224-11-4-2"]
    return rows + ["upsample-8-64-56-2", "pixelshuffle-8-64-56-2"]


def gradient_rows():
    layers = ["gemm-{}-512-1024-1024", "gemm-{}-128-768-3072", "gemm-{}-2048-512-512", "gemm-{}-4096-768-768"]
    layers += [f"conv-{{}}-16-{n}-{n}-{size}-3-1-1" for n, size in ((64, 16), (128, 8), (256, 4), (512, 2))]
    layers += [f"conv-{{}}-8-{n}-{n}-{size}-3-1-1" for n, size in ((64, 56), (128, 28), (256, 14))]
    # Windows of one element, strides, 5x5.
    layers += ["conv-{}-16-64-256-28-1-1-0", "conv-{}-8-64-128-56-3-2-1", "conv-{}-8-64-128-56-1-2-0"]
    layers += ["conv-{}-16-64-64-16-5-1-2"]
    rows = [layer.format(kind).replace("--", "-") for layer in layers for kind in ("", "dx", "dw")]
    # First layers, of which the gradient by the image is seldom wanted.
    for layer in ("conv-{}-128-1-32-28-3-1-0", "conv-{}-8-3-64-224-7-2-3"):
        rows += [layer.format(kind).replace("--", "-") for kind in ("", "dw")]
    return rows


def make_inputs(*shapes):
    inputs, position = [], 0
    for shape in shapes:
        count = 1
        for size in shape:
            count *= size
        places = torch.arange(position + 1, position + count + 1, dtype=torch.int64)
        position += count
        bits = ((places * 2654435761) & 0xFFFFFFFF) >> 8
        inputs.append((bits.to(torch.float32) / (1 << 24) - 0.5).reshape(shape))
    return inputs


def build(name):
    """The row as a function of PyTorch, and its operations or bytes."""
    parts = name.split("-")
    kind = "-".join(part for part in parts if not part.isdigit())
    n = [int(part) for part in parts if part.isdigit()]
    if kind in ("gemm", "gemm-dx", "gemm-dw"):
        x, w, g = make_inputs((n[0], n[1]), (n[2], n[1]), (n[0], n[2]))
        run = {"gemm": lambda: x @ w.T, "gemm-dx": lambda: g @ w, "gemm-dw": lambda: g.T @ x}[kind]
        return run, "GFLOPS", 2 * n[0] * n[1] * n[2]
    if kind in ("conv-dx", "conv-dw"):
        batch, channels, out, size, kernel, stride, padding = n
        side = (size + 2 * padding - kernel) // stride + 1
        x, w, g = make_inputs((batch, channels, size, size), (out, channels, kernel, kernel),
                              (batch, out, side, side))
        # The operation that PyTorch's own gradients call.
        mask = [kind == "conv-dx", kind == "conv-dw", False]
        run = lambda: torch.ops.aten.convolution_backward(
            g, x, w, None, [stride] * 2, [padding] * 2, [1, 1], False, [0, 0], 1, mask)[mask.index(True)]
        return run, "GFLOPS", 2 * g.numel() * w.numel() // out
    if kind in ("conv", "conv-relu"):
        batch, channels, out, size, kernel, stride, padding = n[:7]
        groups, dilation = (n[7:] + [1, 1])[:2] if len(n) > 7 else (1, 1)
        shapes = [(batch, channels, size, size), (out, channels // groups, kernel, kernel)]
        if kind == "conv-relu":
            shapes.append((out,))
        x, w, *bias = make_inputs(*shapes)
        bias = bias[0] if bias else None
        run = lambda: F.conv2d(x, w, bias, stride, padding, dilation, groups)
        result = run()
        work = 2 * result.numel() * w.numel() // out
        return (lambda: run().relu()) if bias is not None else run, "GFLOPS", work
    if kind == "shortcut":
        batch, channels, out, size = n
        half = size // 2
        x, w, y, v = make_inputs((batch, out, half, half), (out, out, 3, 3),
                                 (batch, channels, size, size), (out, channels, 1, 1))
        run = lambda: (F.conv2d(x, w, padding=1) + F.conv2d(y, v, stride=2)).relu_()
        return run, "GFLOPS", 2 * batch * out * half * half * (9 * out + channels)
    if kind == "matmul":
        x, w = make_inputs((n[0], n[0]), (n[0], n[0]))
        return lambda: x @ w, "GFLOPS", 2 * n[0] ** 3
    if kind == "attention":
        q, k, v = make_inputs(n, n, n)
        run = lambda: F.scaled_dot_product_attention(q, k, v)
        return run, "GFLOPS", 4 * n[0] * n[1] * n[2] ** 2 * n[3]
    if kind == "gelu":
        (x,) = make_inputs(n)
        return lambda: F.gelu(x, approximate="tanh"), "GB/s", 8 * x.numel()
    if kind == "gelu-mlp":
        x, a, b = make_inputs((n[0], n[1]), (n[1], n[2]), (n[2], n[1]))
        factor = n[3] * 12 / n[1] ** 0.5
        run = lambda: F.gelu((x @ a) * factor, approximate="tanh") @ b
        return run, "GFLOPS", 4 * n[0] * n[1] * n[2]
    if kind == "gemv":
        x, w = make_inputs((n[0], n[1]), (n[1], n[2]))
        return lambda: x @ w, "GB/s", 4 * n[1] * n[2]
    if kind == "maxpool":
        batch, channels, size, kernel, stride, padding = n
        (x,) = make_inputs((batch, channels, size, size))
        return lambda: F.max_pool2d(x, kernel, stride, padding), "GB/s", 4 * x.numel()
    if kind in ("upsample", "pixelshuffle"):
        batch, channels, size, factor = n
        (x,) = make_inputs((batch, channels, size, size))
        written = x.numel() if kind == "pixelshuffle" else x.numel() * factor**2
        run = {"upsample": lambda: F.interpolate(x, scale_factor=factor, mode="nearest"),
               "pixelshuffle": lambda: F.pixel_shuffle(x, factor)}[kind]
        return run, "GB/s", 4 * written
    raise SystemExit(f"layers.py: no row '{name}'")


def timed(run, count):
    times = []
    for _ in range(count):
        begin = time.perf_counter()
        run()
        times.append(time.perf_counter() - begin)
    return times


def cell(times):
    return f"{statistics.median(times) * 1e3:.3f} ({min(times) * 1e3:.3f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("rows", nargs="*")
    parser.add_argument("--gradients", action="store_true", help="layers and their gradients")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--count", type=int, default=5, help="repetitions in a round")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.set_grad_enabled(False)
    ours = subprocess.Popen([SUITE, "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            env={**os.environ, "THREADS": str(args.threads)}, text=True)

    def ask(line):
        print(line, file=ours.stdin, flush=True)
        return [float(word) for word in ours.stdout.readline().split()]

    print(f"{time.strftime('%Y-%m-%d')}, PyTorch {torch.__version__}, {args.threads} thread(s)\n")
    relative = " of the layer's rate |" if args.gradients else ""
    print(f"| row | ours, ms | rate | PyTorch, ms | rate | PyTorch's time / ours |{relative}")
    print("|---|---|---|---|---|---|" + ("---|" if relative else ""), flush=True)
    differ = []
    forward = 0
    for row in args.rows or (gradient_rows() if args.gradients else default_rows()):
        run, unit, work = build(row)
        theirs = run().flatten()
        expected = [theirs[i * (theirs.numel() - 1) // 15].item() for i in range(16)]
        scale = theirs.abs().max().item()
        got = ask(f"sample {row}")
        if len(got) != 16 or any(abs(x - y) > 1e-4 * scale for x, y in zip(got, expected)):
            differ.append(row)
        mine, other = [], []
        timed(run, 2)
        for _ in range(args.rounds):
            mine += ask(f"time {row} {args.count}")
            other += timed(run, args.count)
        a, b = min(mine), min(other)
        if "-dx-" not in row and "-dw-" not in row:
            forward = work / a
        own = f" {work / a / forward:.2f} |" if relative and forward else ""
        print(f"| {row} | {cell(mine)} | {work / a * 1e-9:.1f} {unit} "
              f"| {cell(other)} | {work / b * 1e-9:.1f} {unit} | {b / a:.2f} |{own}", flush=True)
    ours.stdin.close()
    ours.wait()
    print(f"\nResults that differ: {', '.join(differ) or 'none'}")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
