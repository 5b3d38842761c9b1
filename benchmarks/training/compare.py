#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the times of training steps with those of PyTorch, JAX and the
Python package tinygrad, measured alternately in one run.

    benchmarks/training/run.sh [ROW...]      builds the prerequisites, then runs
                                             this

Each contender is a process of its own for each row, which starts with empty
caches and lives until the row is done. After the first step of each, and two
more to warm up, every contender runs a few steps by turns, so that disturbances
affect all of them. All begin with the same weights and train with the same
batch; their losses are compared. Each process may use the same number of
threads.
"""

import argparse
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.join(os.path.dirname(os.path.dirname(HERE)), "build")
ROWS = ["cnn", "mlp", "resnet18", "gpt2", "lstm"]
CONTENDERS = ["ours", "torch", "torch-compiled", "jax", "tinygrad"]
TITLES = {"ours": "ours", "torch": "PyTorch", "torch-compiled": "PyTorch compiled",
          "jax": "JAX", "tinygrad": "tinygrad"}
# Steps before those that are timed: the first one compiles, the second one
# captures (ours, TinyJit) or compiles again (PyTorch).
WARM_UP = 3
# The losses of this many steps are compared. They may differ by a part of the
# first one: rounding errors grow from step to step.
COMPARED, TOLERANCE = 3, 0.002


def read_file(path):
    with open(path) as file:
        return file.read()


def cpu_name():
    for line in read_file("/proc/cpuinfo").splitlines():
        if line.startswith("model name"):
            return line.split(":")[1].strip()
    return platform.machine()


class Contender:
    """A process that trains one network, with caches of its own."""

    def __init__(self, name, row, args):
        self.name = name
        self.caches = tempfile.mkdtemp(prefix="tinygrad-training-")
        threads = str(args.threads)
        env = {
            **os.environ, "THREADS": threads,
            "OMP_NUM_THREADS": threads, "MKL_NUM_THREADS": threads,
            # JAX has no option for the number of threads: it uses the CPUs that
            # the process may use. So does tinygrad.
            "CACHEDIR": self.caches, "CACHEDB": os.path.join(self.caches, "cache.db"),
            "TORCHINDUCTOR_CACHE_DIR": self.caches, "TRITON_CACHE_DIR": self.caches,
            "JAX_PLATFORMS": "cpu", "TF_CPP_MIN_LOG_LEVEL": "3",
        }
        if name == "tinygrad":
            clang = next((c for c in ("clang-22", "clang") if shutil.which(c)), "clang")
            env.update(DEV="CPU:LLVM" if args.llvm else "CPU:CLANG", CC=clang, DEBUG="0")
            if args.llvm:
                env["LLVM_PATH"] = args.llvm
        peer = lambda script: [args.python, os.path.join(HERE, script), row]
        command = {
            "ours": [os.path.join(BUILD, "bin", "training"), "--serve", row],
            "torch": peer("torch_peer.py") + ["eager"],
            "torch-compiled": peer("torch_peer.py") + ["compiled"],
            "jax": peer("jax_peer.py"),
            "tinygrad": peer("tinygrad_peer.py"),
        }[name]
        self.errors = open(os.path.join(self.caches, "errors"), "w+")
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.errors, env=env, text=True,
                                        preexec_fn=lambda: os.sched_setaffinity(0, args.cpus))
        self.times, self.losses, self.processor = [], [], []
        self.first = self.memory = self.failure = None
        self.check(self.process.stdout.readline())

    def check(self, answer):
        if answer.strip() or self.failure:
            return answer
        self.errors.seek(0)
        lines = self.errors.read().strip().splitlines()
        self.failure = lines[-1] if lines else "ended"
        return ""

    def ask(self, line, limit):
        """The numbers of the answer; none if the process failed or took more
        than `limit` seconds, and was ended."""
        if self.failure:
            return []
        timer = threading.Timer(limit, self.process.kill)
        timer.start()
        try:
            print(line, file=self.process.stdin, flush=True)
            answer = self.process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not timer.is_alive():
            self.failure = f"more than {limit} s"
            return []
        timer.cancel()
        return [float(word) for word in self.check(answer).split()]

    def steps(self, count, limit):
        numbers = self.ask(f"step {count}", limit)
        self.losses += numbers[1::2]
        return numbers[0::2]

    def processor_seconds(self):
        """The time that all threads of the process have been running."""
        if self.process.poll() is not None:
            return 0
        fields = read_file(f"/proc/{self.process.pid}/stat").rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def close(self):
        if self.process.poll() is None:
            self.process.stdin.close()
            self.process.wait()
        self.errors.close()
        shutil.rmtree(self.caches, ignore_errors=True)


def measure(row, names, args):
    """All contenders of a row, with their times."""
    found = []
    for name in names:
        print(f"{row}: {TITLES[name]}: first step          ", end="\r", file=sys.stderr)
        contender = Contender(name, row, args)
        found.append(contender)
        contender.first = next(iter(contender.steps(1, args.limit)), None)
        memory = contender.ask("memory", args.limit)
        contender.memory = [memory[0]] if memory else None
        contender.steps(WARM_UP - 1, args.limit)
        if contender.failure:
            print(f"{row}: {TITLES[name]}: {contender.failure}", file=sys.stderr)
    for contender in found:
        contender.ask("memory", args.limit)  # forgets the peak of compiling
    for turn in range(args.rounds):
        print(f"{row}: round {turn + 1}/{args.rounds}          ", end="\r", file=sys.stderr)
        for contender in found:
            # Let the threads of the previous contender go to sleep.
            time.sleep(0.05)
            # Slow contenders take fewer steps.
            count = args.count
            if contender.times:
                count = max(1, min(count, int(args.slice / min(contender.times))))
            begin = contender.processor_seconds()
            times = contender.steps(count, args.limit)
            contender.times += times
            if times:
                contender.processor.append((contender.processor_seconds() - begin) / len(times))
    for contender in found:
        memory = contender.ask("memory", args.limit)
        if memory and contender.memory:
            contender.memory = [memory[0], memory[1]]
        contender.close()
    return found


def differs(contender, ours):
    """Whether the losses of the first steps differ."""
    pairs = list(zip(contender.losses, ours.losses))[:COMPARED]
    return len(pairs) < COMPARED or any(
        abs(mine - other) > TOLERANCE * abs(ours.losses[0]) for other, mine in pairs)


def cell(times):
    if not times:
        return "-"
    return f"{statistics.median(times) * 1e3:.1f} ({min(times) * 1e3:.1f})"


def table(title, names, results, show):
    print(f"\n{title}\n")
    print("| row | " + " | ".join(TITLES[name] for name in names) + " | best peer / ours |")
    print("|---|" + "---|" * (len(names) + 1), flush=True)
    for row, contenders in results.items():
        values = [show(contender) for contender in contenders]
        peers = [value for name, (value, _) in zip(names, values)
                 if name != "ours" and value is not None]
        ratio = ""
        if "ours" in names and values[names.index("ours")][0] and peers:
            ratio = f"{min(peers) / values[names.index('ours')][0]:.2f}"
        print(f"| {row} | " + " | ".join(text for _, text in values) + f" | {ratio} |")


def show_steps(contender):
    times = contender.times
    return (statistics.median(times) if times else None), cell(times)


def show_processor(contender):
    return (statistics.median(contender.processor) if contender.processor else None,
            cell(contender.processor))


def show_first(contender):
    first = contender.first
    return first, f"{first:.2f}" if first else "-"


def show_memory(contender):
    if not contender.memory or len(contender.memory) < 2:
        return None, "-"
    peak, steady = (value / 1024 for value in contender.memory)
    return peak, f"{peak:.0f} ({steady:.0f})"


def versions(args):
    code = ("import importlib.metadata as m; "
            "print(*(m.version(n) for n in ('torch', 'jax', 'tinygrad')))")
    return subprocess.run([args.python, "-c", code], stdout=subprocess.PIPE,
                          text=True).stdout.split()


def main():
    parser = argparse.ArgumentParser(
        description="Compares training steps; see benchmarks/training/run.sh.")
    parser.add_argument("rows", nargs="*", help=f"rows instead of all of {', '.join(ROWS)}")
    parser.add_argument("--contenders", default=",".join(CONTENDERS))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--count", type=int, default=5, help="most steps in a round")
    parser.add_argument("--slice", type=float, default=4,
                        help="a contender's seconds in a round, if it takes several steps")
    parser.add_argument("--limit", type=float, default=600,
                        help="seconds after which a contender is given up")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--python", default=sys.executable,
                        help="the interpreter that has the peers")
    args = parser.parse_args()
    names = args.contenders.split(",")
    for given, known in ((args.rows, ROWS), (names, CONTENDERS)):
        unknown = [name for name in given if name not in known]
        if unknown:
            parser.error(f"'{unknown[0]}' is none of {', '.join(known)}")
    args.cpus = sorted(os.sched_getaffinity(0))[: args.threads]
    args.llvm = next((p for p in ("/usr/lib/llvm-22/lib/libLLVM.so.22.1",
                                  "/usr/lib/llvm-22/lib/libLLVM.so.1")
                      if os.path.exists(p)), None)

    torch, jax, tinygrad = versions(args)
    print(f"{time.strftime('%Y-%m-%d')}, {cpu_name()}, {args.threads} threads, "
          f"load {os.getloadavg()[0]:.1f} at the start; PyTorch {torch}, JAX {jax}, "
          f"tinygrad {tinygrad} ({'LLVM' if args.llvm else 'Clang'})", flush=True)
    results, differing = {}, []
    for row in args.rows or ROWS:
        results[row] = measure(row, names, args)
        for contender in results[row][1:]:
            if not contender.failure and differs(contender, results[row][0]):
                differing.append(f"{row} of {TITLES[contender.name]}: "
                                 f"{contender.losses[:COMPARED]} and "
                                 f"{results[row][0].losses[:COMPARED]}")
    print(file=sys.stderr)
    table("A step, in milliseconds: median (fastest)", names, results, show_steps)
    table("Processor time of a step, all threads, in milliseconds: median of rounds (least)", names,
          results, show_processor)
    table("The first step, in seconds", names, results, show_first)
    table("Peak memory of the process, in MiB: since its start (in timed steps)", names, results,
          show_memory)
    print(f"\nLosses that differ: {'; '.join(differing) or 'none'}")
    for row, contenders in results.items():
        for contender in contenders:
            if contender.failure:
                print(f"Failed: {row} of {TITLES[contender.name]}: {contender.failure}")
    print(f"Load {os.getloadavg()[0]:.1f} at the end")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
