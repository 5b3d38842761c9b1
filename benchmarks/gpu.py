#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the times of kernels on a GPU with those of PyTorch (which uses cuBLAS
or hipBLASLt for products), measured alternately in one run.

    benchmarks/gpu.py [ROW...]           needs build/bin/suite and a torch for the
                                         GPU; --compile adds torch.compile, whose
                                         kernels are Triton's
    benchmarks/gpu.py --device=SIM --small
                                         tries the rows without a GPU

Names contain the sizes, see benchmarks/Workloads.cpp; `-f16` and `-bf16` behind
the kind give the type. Times are those of kernels alone, by events of the GPU;
`whole` includes building and dispatching the graph and waiting for the result.
The table has medians and, in parentheses, minima; ratios are of the minima.
"""

import argparse
import os
import statistics
import subprocess
import sys
import time

try:
    import torch
    import torch.nn.functional as F

    import layers
except ImportError:
    torch = None

HERE = os.path.dirname(os.path.abspath(__file__))
SUITE = os.path.join(os.path.dirname(HERE), "build", "bin", "suite")

MATRIX_KINDS = ("increment", "chain", "sum-all", "sum-rows", "sum-columns", "softmax",
                "layernorm", "transpose")


def default_rows(is_small):
    shapes = ("128-64",) if is_small else ("4096-4096", "32768-1024")
    sizes = (64,) if is_small else (1024, 4096, 8192)
    rows = [f"{kind}-{shape}" for shape in shapes for kind in MATRIX_KINDS]
    rows += [f"matmul-{dtype}-{size}" for dtype in ("f32", "f16", "bf16") for size in sizes]
    if is_small:
        return rows + ["conv-1-8-8-12-3-1-1", "attention-f16-1-2-64-32"]
    return rows + ["conv-32-64-64-56-3-1-1", "conv-f16-32-64-64-56-3-1-1",
                   "attention-f16-4-16-2048-64", "attention-f16-1-16-8192-64"]


def parse(row):
    """Kind, type and sizes."""
    parts = row.split("-")
    kind = [part for part in parts if not part.isdigit()]
    types = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}
    dtype = types[kind.pop()] if kind[-1] in types else torch.float32
    return "-".join(kind), dtype, [int(part) for part in parts if part.isdigit()]


def make_inputs(shapes, dtype, place):
    """The same elements as Workloads.cpp makes."""
    return [values.to(dtype).to(place) for values in layers.make_inputs(*shapes)]


def build(row, place):
    """The row as a function of PyTorch and its inputs, a unit, and the work."""
    kind, dtype, n = parse(row)
    functions = {
        "increment": lambda a: a + 1,
        "chain": lambda a, b: torch.relu((a + b) * a - b * 0.5) + a * 2,
        "sum-all": lambda a: a.sum(),
        "sum-rows": lambda a: a.sum(1),
        "sum-columns": lambda a: a.sum(0),
        "softmax": lambda a: a.softmax(-1),
        "layernorm": lambda a: F.layer_norm(a, a.shape[-1:]),
        "transpose": lambda a: a.T.contiguous(),
    }
    if kind in functions and len(n) == 2:
        inputs = make_inputs([n] * (2 if kind == "chain" else 1), dtype, place)
        outputs = 0 if kind.startswith("sum") else 1
        work = n[0] * n[1] * inputs[0].element_size() * (len(inputs) + outputs)
        return functions[kind], inputs, "GB/s", work
    if kind == "matmul" and len(n) == 1:
        inputs = make_inputs([(n[0], n[0])] * 2, dtype, place)
        return torch.matmul, inputs, "TFLOPS", 2 * n[0] ** 3
    if kind == "attention" and len(n) == 4:
        inputs = make_inputs([n] * 3, dtype, place)
        return F.scaled_dot_product_attention, inputs, "TFLOPS", 4 * n[0] * n[1] * n[2] ** 2 * n[3]
    if kind == "conv" and len(n) == 7:
        batch, channels, out, size, kernel, stride, padding = n
        inputs = make_inputs([(batch, channels, size, size), (out, channels, kernel, kernel)],
                             dtype, place)
        wide = (size + 2 * padding - kernel) // stride + 1
        work = 2 * batch * out * wide**2 * channels * kernel**2
        return lambda x, w: F.conv2d(x, w, None, stride, padding), inputs, "TFLOPS", work
    raise SystemExit(f"gpu.py: no row '{row}'")


def timed(run, count, is_gpu):
    times = []
    for _ in range(count):
        if is_gpu:
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            # The queue stays busy, so that the events surround the kernels alone.
            torch.cuda._sleep(200000)
            begin.record()
            run()
            end.record()
            torch.cuda.synchronize()
            times.append(begin.elapsed_time(end) * 1e-3)
        else:
            start = time.perf_counter()
            run()
            times.append(time.perf_counter() - start)
    return times


def cell(times):
    if not times:
        return "failed"
    return f"{statistics.median(times) * 1e6:.1f} ({min(times) * 1e6:.1f})"


def rate(unit, work, times):
    return f"{work / min(times) * (1e-9 if unit == 'GB/s' else 1e-12):.1f} {unit}" if times else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("rows", nargs="*")
    parser.add_argument("--device", default="CUDA", help="ours: CUDA, AMD or SIM")
    parser.add_argument("--small", action="store_true", help="small sizes")
    parser.add_argument("--compile", action="store_true", help="with torch.compile")
    parser.add_argument("--tf32", action="store_true", help="products of f32 by tf32, of both")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--count", type=int, default=10, help="repetitions in a round")
    args = parser.parse_args()
    if torch is None:
        raise SystemExit("gpu.py: Python has no torch; scripts/setup.sh --bench installs one for "
                         "the CPU")
    torch.set_grad_enabled(False)
    is_gpu = torch.cuda.is_available()
    place = "cuda" if is_gpu else "cpu"
    if is_gpu:
        torch.backends.cuda.matmul.allow_tf32 = args.tf32
        torch.backends.cudnn.allow_tf32 = args.tf32
    ours = subprocess.Popen([SUITE, "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            env={**os.environ, "DEV": args.device,
                                 "ALLOW_TF32": str(int(args.tf32))}, text=True)

    def ask(line):
        print(line, file=ours.stdin, flush=True)
        return ours.stdout.readline().strip()

    def numbers(line):
        return [float(word) for word in ask(line).split()]

    where = torch.cuda.get_device_name() if is_gpu else "a CPU"
    print(f"{time.strftime('%Y-%m-%d')}, {ask('info device')}; PyTorch {torch.__version__} on {where}\n")
    others = ["PyTorch"] + (["torch.compile"] if args.compile else [])
    print("| row | ours, us | rate | of the increment's rate | whole, us | "
          + " | ".join(f"{name}, us | rate | its time / ours" for name in others) + " |")
    print("|---" * (5 + 3 * len(others)) + "|", flush=True)
    differ, copy_rate = [], {}
    for row in args.rows or default_rows(args.small):
        function, inputs, unit, work = build(row, place)
        kind, dtype, sizes = parse(row)
        runs = [lambda: function(*inputs)]
        if args.compile:
            compiled = torch.compile(function)
            runs.append(lambda: compiled(*inputs))
        expected = runs[0]().float().flatten().cpu()
        scale = expected.abs().max().item()
        samples = [expected[i * (expected.numel() - 1) // 15].item() for i in range(16)]
        got = numbers(f"sample {row}")
        # A sum of rounded products is off by a few units of the type.
        tolerance = {torch.float32: 4e-3 if args.tf32 else 2e-4, torch.float16: 4e-3,
                     torch.bfloat16: 3e-2}[dtype]
        if len(got) != 16 or any(abs(x - y) > tolerance * scale for x, y in zip(got, samples)):
            differ.append(row)
        mine, whole, theirs = [], [], [[] for _ in runs]
        for run in runs:
            timed(run, 2, is_gpu)
        for _ in range(args.rounds):
            mine += numbers(f"kernels {row} {args.count}")
            whole += numbers(f"time {row} {args.count}")
            for run, times in zip(runs, theirs):
                times += timed(run, args.count, is_gpu)
        if kind == "increment" and mine:
            copy_rate[dtype, tuple(sizes)] = work / min(mine)
        of_copy = ""
        if unit == "GB/s" and mine and (dtype, tuple(sizes)) in copy_rate:
            of_copy = f"{work / min(mine) / copy_rate[dtype, tuple(sizes)]:.2f}"
        line = f"| {row} | {cell(mine)} | {rate(unit, work, mine)} | {of_copy} | {cell(whole)} |"
        for times in theirs:
            ratio = f"{min(times) / min(mine):.2f}" if mine else ""
            line += f" {cell(times)} | {rate(unit, work, times)} | {ratio} |"
        print(line, flush=True)
    ours.stdin.close()
    ours.wait()
    print(f"\nResults that differ: {', '.join(differ) or 'none'}")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
