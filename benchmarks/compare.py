#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the times of the workloads with those of memcpy, OpenBLAS and the
Python package tinygrad, measured alternately in one run.

    benchmarks/run.sh [ROW...]       builds the prerequisites, then runs this

Every contender is a process that runs for the whole time. Each round goes over
the rows; in each row every contender runs a few repetitions, one after the
other, so that disturbances affect all of them. The table has the median of all
repetitions and, in parentheses, the minimum.

Programs that must be compiled are timed in fresh processes, alternately too.
"""

import argparse
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.join(os.path.dirname(HERE), "build")
SUITE = os.path.join(BUILD, "bin", "suite")
N2 = 4.0 * 4096 * 4096  # bytes of a matrix
LSTM_WORK = 2.0 * 4 * 8 * 2 * 64 * 4 * 64  # operations of a step

# Bytes moved, or operations.
ROWS = {
    "elementwise": ("bytes", 3 * N2),
    "sum-all": ("bytes", N2),
    "sum-rows": ("bytes", N2),
    "sum-columns": ("bytes", N2),
    "softmax": ("bytes", 2 * N2),
    "layernorm": ("bytes", 2 * N2),
    "transpose": ("bytes", 2 * N2),
    "matmul-512": ("flops", 2.0 * 512**3),
    "matmul-1000": ("flops", 2.0 * 1000**3),
    "matmul-1024": ("flops", 2.0 * 1024**3),
    "matmul-2048": ("flops", 2.0 * 2048**3),
    "conv": ("flops", 2.0 * 8 * 64 * 56 * 56 * 64 * 9),
    "lstm-100": ("flops", 100 * LSTM_WORK),
}
# Rows with fewer repetitions for tinygrad, since they take long.
SLOW = {"matmul-2048", "conv", "lstm-100"}
# Tolerances for results that nearly cancel: the absolute values of the summands
# add up to 4 million.
CANCELS = {"sum-all": 0.05}
FIRST = ["small-add", "small-softmax", "matmul-256"]
LSTM = ["lstm-25", "lstm-50", "lstm-100"]


class Worker:
    """A contender process, which answers each line of input with a line."""

    def __init__(self, command, env=None):
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **(env or {})},
            text=True,
        )

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError(f"'{' '.join(self.process.args)}' ended at '{line}'")
        return answer.strip()

    def numbers(self, line):
        return [float(word) for word in self.ask(line).split()]


def words(text):
    return {k: float(v) for k, v in (w.split("=") for w in text.split())}


def run_first(command, env):
    done = subprocess.run(
        command, env={**os.environ, **env}, stdout=subprocess.PIPE, text=True
    )
    if done.returncode:
        return None
    return words(done.stdout.strip().splitlines()[-1])


def cpu_name():
    model, features = platform.processor() or platform.machine(), ""
    with open("/proc/cpuinfo") as info:
        for line in info:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
            if line.startswith("flags"):
                features = ", AVX-512" if "avx512f" in line else ", AVX2"
    return model + features


def close(row, ours, theirs):
    scale = max(abs(x) for x in theirs) or 1.0
    least = CANCELS.get(row, 2e-4 * scale)
    return len(ours) == len(theirs) > 0 and all(
        abs(x - y) <= 2e-3 * abs(y) + least for x, y in zip(ours, theirs)
    )


def cell(times):
    if not times:
        return "-"
    return f"{statistics.median(times)*1e3:.2f} ({min(times)*1e3:.2f})"


def rate(row, seconds):
    kind, amount = ROWS[row]
    unit = "GB/s" if kind == "bytes" else "GFLOPS"
    return f"{amount / seconds * 1e-9:.1f} {unit}"


def measure_rows(names, contenders, rounds, count):
    """times[contender][row]"""
    times = {name: {} for name in contenders}
    for turn in range(rounds):
        for row in names:
            asked = [("ours", row), ("tinygrad", row)]
            if "tinygrad-llvm" in contenders:
                asked.append(("tinygrad-llvm", row))
            if ROWS[row][0] == "bytes":
                asked += [("ours", "memcpy-2"), ("ours", "memcpy-1")]
            if row.startswith("matmul-"):
                asked.append(("ours", "sgemm-" + row[7:]))
            for who, what in asked:
                repeat = count
                if who != "ours" and row in SLOW:
                    repeat = 1
                # Let the threads of the previous contender go to sleep.
                time.sleep(0.05)
                got = contenders[who].numbers(f"time {what} {repeat}")
                times[who].setdefault(what, []).extend(got)
            print(f"round {turn + 1}/{rounds}: {row}   ", end="\r", file=sys.stderr)
    print(file=sys.stderr)
    return times


def median(times, fastest=False):
    return min(times) if fastest else statistics.median(times)


def print_rows(names, times):
    ours, theirs = times["ours"], times["tinygrad"]
    llvm = times.get("tinygrad-llvm", {})
    print("| row | ours, ms | rate | of memcpy, 2 threads | of OpenBLAS | tinygrad, ms |"
          + (" with LLVM, ms |" if llvm else "") + " times faster |")
    print("|---|---|---|---|---|---|---|" + ("---|" if llvm else ""))
    for row in names:
        mine = median(ours[row])
        of_copy = of_blas = ""
        if ROWS[row][0] == "bytes":
            copy = 2 * N2 / median(ours["memcpy-2"])
            of_copy = f"{ROWS[row][1] / mine / copy:.2f}"
        if row.startswith("matmul-") and ours.get("sgemm-" + row[7:]):
            of_blas = f"{median(ours['sgemm-' + row[7:]]) / mine:.2f}"
        best = min(median(t[row]) for t in (theirs, llvm) if t.get(row))
        print(f"| {row} | {cell(ours[row])} | {rate(row, mine)} | {of_copy} | {of_blas} "
              f"| {cell(theirs[row])} |"
              + (f" {cell(llvm.get(row))} |" if llvm else "")
              + f" {best / mine:.1f} |")
    print()
    for threads in (2, 1):
        copy = ours.get(f"memcpy-{threads}")
        if copy:
            print(f"- memcpy of 64 MiB, {threads} threads: {cell(copy)} ms, "
                  f"{2 * N2 / median(copy) * 1e-9:.1f} GB/s read and written")
    for row in names:
        blas = ours.get("sgemm-" + row[7:])
        if blas:
            print(f"- OpenBLAS sgemm {row[7:]}: {cell(blas)} ms, {rate(row, median(blas))}")


def measure_first(python, theirs, rounds):
    """Milliseconds by (contender, cache, program), a list of dictionaries."""
    found = {}
    for turn in range(rounds):
        for name in FIRST:
            folder = tempfile.mkdtemp(prefix="tinygrad-first-")
            mine = [SUITE, "--first", name]
            other = [python, os.path.join(HERE, "tinygrad_rows.py"), "--first", name]
            for cache in ("cold", "disk"):  # the first run fills the cache
                for who, command, env in (
                    ("ours", mine, {"CACHEDIR": folder}),
                    ("tinygrad", other,
                     {**theirs, "CACHEDB": os.path.join(folder, "cache.db")}),
                ):
                    got = run_first(command, env)
                    if got:
                        found.setdefault((who, cache, name), []).append(got)
            shutil.rmtree(folder)
            print(f"first results {turn + 1}/{rounds}: {name}   ", end="\r",
                  file=sys.stderr)
    print(file=sys.stderr)
    return found


def print_first(found):
    def show(who, cache, name, key):
        runs = found.get((who, cache, name))
        if not runs:
            return "-"
        values = [run[key] for run in runs]
        return f"{statistics.median(values):.2f} ({min(values):.2f})"

    print("| program | | cold | disk cache | same graph again |")
    print("|---|---|---|---|---|")
    for name in FIRST:
        for who in ("ours", "tinygrad"):
            print(f"| {name} | {who} | {show(who, 'cold', name, 'first')} "
                  f"| {show(who, 'disk', name, 'first')} | {show(who, 'disk', name, 'again')} |")
    print()
    print("| program | build | schedule | optimize | kernels | from the graph, kernels in memory |")
    print("|---|---|---|---|---|---|")
    for name in FIRST:
        parts = " | ".join(show("ours", "cold", name, key) for key in
                           ("build", "schedule", "optimize", "kernels", "kernels-kept"))
        print(f"| {name} | {parts} |")


def measure_lstm(python, theirs, rounds, theirs_limit):
    found = {}
    for turn in range(rounds):
        for name in LSTM:
            got = run_first([SUITE, "--first", name], {"CACHELEVEL": "0"})
            found.setdefault(("ours", name), []).append(got)
            if turn < theirs_limit:
                got = run_first(
                    [python, os.path.join(HERE, "tinygrad_rows.py"), "--first", name],
                    {**theirs, "CACHELEVEL": "0"})
                if got:
                    found.setdefault(("tinygrad", name), []).append(got)
            print(f"LSTM {turn + 1}/{rounds}: {name}   ", end="\r", file=sys.stderr)
    print(file=sys.stderr)
    return found


def print_lstm(found):
    print("| program | operations | build, ms | schedule | optimize | kernels "
          "| building to first result | per operation, us | same graph again "
          "| tinygrad: first result | again |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    per = {}
    for name in LSTM:
        runs = found[("ours", name)]
        best = {key: statistics.median(run[key] for run in runs) for key in runs[0]}
        count = best["operations"]
        # The minimum makes the most stable ratio.
        per[name] = min(run["first"] for run in runs) / count * 1e3
        other = found.get(("tinygrad", name))
        theirs = [f"{statistics.median(r[k] for r in other):.0f}" if other else "-"
                  for k in ("first", "again")]
        print(f"| {name} | {count:.0f} | {best['build']:.1f} | {best['schedule']:.1f} "
              f"| {best['optimize']:.1f} | {best['kernels']:.1f} | {best['first']:.1f} "
              f"| {best['first'] / count * 1e3:.1f} | {best['again']:.1f} "
              f"| {theirs[0]} | {theirs[1]} |")
    print()
    print(f"Time per operation at 100 steps is {per['lstm-100'] / per['lstm-25']:.2f} times "
          "that at 25 steps (fastest runs).")


def main():
    parser = argparse.ArgumentParser(description="Compares run times; see benchmarks/run.sh.")
    parser.add_argument("rows", nargs="*", help="rows to time instead of everything")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--count", type=int, default=5, help="repetitions in a round")
    parser.add_argument("--python", default=sys.executable,
                        help="the interpreter that has tinygrad")
    args = parser.parse_args()
    unknown = [row for row in args.rows if row not in ROWS]
    if unknown:
        parser.error(f"no row '{unknown[0]}'; there are {', '.join(ROWS)}")
    names = args.rows or list(ROWS)

    script = [args.python, os.path.join(HERE, "tinygrad_rows.py"), "--serve"]
    clang = next((c for c in ("clang-22", "clang") if shutil.which(c)), "clang")
    with_clang = {"DEV": "CPU:CLANG", "CC": clang, "DEBUG": "0"}
    contenders = {"ours": Worker([SUITE, "--serve"]), "tinygrad": Worker(script, with_clang)}
    llvm = next((p for p in ("/usr/lib/llvm-22/lib/libLLVM.so.22.1",
                             "/usr/lib/llvm-22/lib/libLLVM.so.1")
                 if os.path.exists(p)), None)
    if llvm:
        contenders["tinygrad-llvm"] = Worker(
            script, {"DEV": "CPU:LLVM", "LLVM_PATH": llvm, "CC": clang, "DEBUG": "0"})

    version = subprocess.run(
        [args.python, "-c", "import importlib.metadata as m; print(m.version('tinygrad'))"],
        stdout=subprocess.PIPE, text=True).stdout.strip()
    print(f"{time.strftime('%Y-%m-%d')}, {cpu_name()}, {os.cpu_count()} cores, "
          f"load {os.getloadavg()[0]:.1f} at the start")
    print(f"- tinygrad {version}: {contenders['tinygrad'].ask('info x')}, compiler {clang}, "
          f"up to {os.cpu_count()} threads")
    if llvm:
        print(f"- and {contenders['tinygrad-llvm'].ask('info x')}")
    print(f"- BLAS: {contenders['ours'].ask('info blas')}")

    bad = [row for row in names if not close(row, contenders["ours"].numbers(f"sample {row}"),
                                             contenders["tinygrad"].numbers(f"sample {row}"))]
    print(f"- results that differ: {', '.join(bad) or 'none'}\n", flush=True)

    times = measure_rows(names, contenders, args.rounds, args.count)
    print_rows(names, times)
    for worker in contenders.values():
        worker.process.stdin.close()
        worker.process.wait()
    if not args.rows:
        print("\n## First results\n")
        print_first(measure_first(args.python, with_clang, args.rounds))
        print("\n## LSTM\n")
        print_lstm(measure_lstm(args.python, with_clang, args.rounds, 1))
    print(f"\nload {os.getloadavg()[0]:.1f} at the end")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
