#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the times of kernels on a GPU with those of PyTorch (which uses cuBLAS
or hipBLASLt for products) and of Triton (torch.compile, products and convolutions
included), measured alternately in one run.

    benchmarks/gpu.py [ROW...]           needs build/bin/suite, or the program
                                         SUITE of the environment, and a torch
                                         for the GPU
    benchmarks/gpu.py --device=SIM --small
                                         tries the rows without a GPU

Names contain the sizes, see benchmarks/Workloads.cpp; `-f16`, `-bf16` and `-tf32`
(products of f32 on matrix units, of all) behind the kind give the type. Times are
those of kernels alone, by events of the GPU. `whole` includes building and
dispatching the graph and waiting for the result, `replayed` launching it as a
captured step and waiting. The table has medians and, in parentheses, minima;
ratios are of the minima.
"""

import argparse
import importlib.util
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
SUITE = os.environ.get("SUITE") or os.path.join(os.path.dirname(HERE), "build", "bin", "suite")

MATRIX_KINDS = ("increment", "chain", "sum-all", "sum-rows", "sum-columns", "softmax",
                "layernorm", "transpose")


def default_rows(is_small):
    shapes = ("128-64",) if is_small else ("4096-4096", "32768-1024")
    sizes = (64,) if is_small else (1024, 4096, 8192)
    rows = [f"{kind}-{shape}" for shape in shapes for kind in MATRIX_KINDS]
    rows += [f"matmul-{dtype}-{size}" for dtype in ("f32", "tf32", "f16", "bf16") for size in sizes]
    if is_small:
        return rows + ["conv-1-8-8-12-3-1-1", "attention-f16-1-2-64-32", "launches-4"]
    return rows + ["conv-32-64-64-56-3-1-1", "conv-tf32-32-64-64-56-3-1-1",
                   "conv-f16-32-64-64-56-3-1-1", "attention-f16-4-16-2048-64",
                   "attention-f16-1-16-8192-64", "launches-10", "launches-100"]


def parse(row):
    """Kind, type and sizes."""
    parts = row.split("-")
    kind = [part for part in parts if not part.isdigit()]
    types = {"f32": torch.float32, "tf32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}
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
    if kind == "launches" and len(n) == 1:
        def add_up(a):
            total = a
            for _ in range(n[0]):
                total = total + a
            return total
        return add_up, make_inputs([(16,)], dtype, place), "launches/us", n[0]
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
    scale = {"GB/s": 1e-9, "TFLOPS": 1e-12, "launches/us": 1e-6}[unit]
    return f"{work / min(times) * scale:.{1 if scale < 1e-6 else 3}f} {unit}" if times else ""


def with_triton(function):
    """The function compiled to Triton's kernels; those of libraries are not used."""
    inductor = importlib.import_module("torch._inductor.config")
    inductor.max_autotune_gemm_backends = inductor.max_autotune_conv_backends = "TRITON"
    return torch.compile(function, mode="max-autotune-no-cudagraphs")


class Suite:
    """Our program, which answers lines."""

    def __init__(self, device, is_tf32):
        self.process = subprocess.Popen(
            [SUITE, "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "DEV": device, "ALLOW_TF32": str(int(is_tf32))})

    def ask(self, line):
        print(line, file=self.process.stdin, flush=True)
        return self.process.stdout.readline().strip()

    def numbers(self, line):
        return [float(word) for word in self.ask(line).split()]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def find_missing(device):
    """Why there is no such device; None if there is."""
    result = subprocess.run([SUITE, "--serve"], input="info device\n", capture_output=True,
                            env={**os.environ, "DEV": device}, text=True, check=False)
    return None if result.stdout.strip() else result.stderr.strip().split(": ", 2)[-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("rows", nargs="*")
    parser.add_argument("--device", default="CUDA", help="ours: CUDA, AMD or SIM")
    parser.add_argument("--small", action="store_true", help="small sizes")
    parser.add_argument("--no-triton", action="store_true", help="without torch.compile")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--count", type=int, default=10, help="repetitions in a round")
    args = parser.parse_args()
    missing = find_missing(args.device)
    if missing is not None:
        print(f"gpu.py: skipped: {missing}")
        return 0
    if torch is None:
        raise SystemExit("gpu.py: Python has no torch; scripts/setup.sh --bench installs one for "
                         "the CPU")
    torch.set_grad_enabled(False)
    is_gpu = torch.cuda.is_available()
    place = "cuda" if is_gpu else "cpu"
    # Triton has no kernels for CPUs.
    has_triton = is_gpu and not args.no_triton and importlib.util.find_spec("triton")
    suites = {is_tf32: Suite(args.device, is_tf32) for is_tf32 in (False, True)}

    where = torch.cuda.get_device_name() if is_gpu else "a CPU"
    print(f"{time.strftime('%Y-%m-%d')}, {suites[False].ask('info device')}; "
          f"PyTorch {torch.__version__} on {where}\n")
    others = ["PyTorch"] + (["Triton"] if has_triton else [])
    print("| row | ours, us | rate | of the increment's rate | whole, us | replayed, us | "
          + " | ".join(f"{name}, us | rate | its time / ours" for name in others) + " |")
    print("|---" * (6 + 3 * len(others)) + "|", flush=True)
    differ, copy_rate = [], {}
    for row in args.rows or default_rows(args.small):
        function, inputs, unit, work = build(row, place)
        kind, dtype, sizes = parse(row)
        is_tf32 = "-tf32-" in row
        ours, name = suites[is_tf32], row.replace("-tf32-", "-f32-")
        if is_gpu:
            torch.backends.cuda.matmul.allow_tf32 = is_tf32
            torch.backends.cudnn.allow_tf32 = is_tf32
        runs = [lambda: function(*inputs)]
        if has_triton:
            compiled = with_triton(function)
            runs.append(lambda: compiled(*inputs))
        expected = runs[0]().float().flatten().cpu()
        scale = expected.abs().max().item()
        samples = [expected[i * (expected.numel() - 1) // 15].item() for i in range(16)]
        got = ours.numbers(f"sample {name}")
        # A sum of rounded products is off by a few units of the type.
        tolerance = {torch.float32: 4e-3 if is_tf32 else 2e-4, torch.float16: 4e-3,
                     torch.bfloat16: 3e-2}[dtype]
        if len(got) != 16 or any(abs(x - y) > tolerance * scale for x, y in zip(got, samples)):
            differ.append(row)
        mine, whole, replayed, theirs = [], [], [], [[] for _ in runs]
        for run in runs:
            timed(run, 2, is_gpu)
        for _ in range(args.rounds):
            mine += ours.numbers(f"kernels {name} {args.count}")
            whole += ours.numbers(f"time {name} {args.count}")
            replayed += ours.numbers(f"replay {name} {args.count}")
            for run, times in zip(runs, theirs):
                times += timed(run, args.count, is_gpu)
        if kind == "increment" and mine:
            copy_rate[dtype, tuple(sizes)] = work / min(mine)
        of_copy = ""
        if unit == "GB/s" and mine and (dtype, tuple(sizes)) in copy_rate:
            of_copy = f"{work / min(mine) / copy_rate[dtype, tuple(sizes)]:.2f}"
        line = (f"| {row} | {cell(mine)} | {rate(unit, work, mine)} | {of_copy} | {cell(whole)} | "
                f"{cell(replayed)} |")
        for times in theirs:
            ratio = f"{min(times) / min(mine):.2f}" if mine else ""
            line += f" {cell(times)} | {rate(unit, work, times)} | {ratio} |"
        print(line, flush=True)
    for ours in suites.values():
        ours.close()
    print(f"\nResults that differ: {', '.join(differ) or 'none'}")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
