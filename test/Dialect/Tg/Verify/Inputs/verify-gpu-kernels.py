"""Proves the GPU kernels of files, and prints how many there were.

Usage: verify-gpu-kernels.py [--without-barriers | --undecided] TG_OPT TARGET FILE...

Files are those of the dialect, in parts that are separated as for tg-opt's
-split-input-file. They are scheduled and converted for TARGET; parts for which
that is an error are left out, and what is not made from a kernel and kernels
that use matrix units are too.

With --without-barriers, each barrier is left out once: the proof must fail, or
else the barrier is not needed. These are counted too.

With --undecided, a few statements that the solver cannot decide are allowed, and
counted: sizes of random graphs may be any expressions.
"""

import re
import subprocess
import sys

# Kernels that were written to see what code becomes, with indices that nothing
# keeps inside of buffers, or with buffers of unknown size.
EXCLUDED = {
    "TgToGPU/unknown-size.mlir": [""],
    "TgToVector/far-lanes.mlir": [""],
    "TgToVector/lanes.mlir": [""],
    "TgToVector/masks.mlir": [""],
    "Transforms/fuse-kernels.mlir": ["E_8_1000_n0"],
    "Transforms/fuse-kernels-apart.mlir": ["scatter", "add_values"],
    "Transforms/narrow-buffers.mlir": ["gather"],
    "Transforms/optimize-limits.mlir": ["positions"],
    "Transforms/optimize-symbolic.mlir": ["unknown_size", "unknown_columns"],
    "Verify/verify-accesses-invalid.mlir": [""],
    "Tg/symbolic.mlir": ["symbolic_range"],
}
# The order of elements in tiles for matrix units takes the solver too long.
UNDECIDED = re.compile(r"nvgpu\.mma\.sync|amdgpu\.(mfma|wmma)")
SEPARATOR = "// -----"


def split(text):
    """The parts of a file, without empty ones."""
    parts = re.split(f"^{SEPARATOR}.*$", text, flags=re.MULTILINE)
    return [part for part in parts if part.strip()]


def run(opt, text, *options):
    command = [opt, "-", "-split-input-file", *options]
    return subprocess.run(command, input=text, capture_output=True, text=True)


def join(parts):
    return f"\n{SEPARATOR}\n".join(parts)


def convert(opt, target, names):
    """The modules of functions for GPUs."""
    parts = []
    for name in names:
        left_out = []
        for ending, kernels in EXCLUDED.items():
            if name.endswith(ending):
                left_out += [f"@{kernel}(" if kernel else "" for kernel in kernels]
        with open(name) as file:
            for part in split(file.read()):
                # Functions of the gpu dialect that no kernel became.
                is_lower = re.search(r"^\s*gpu\.func", part, re.MULTILINE)
                if not is_lower and not any(text in part for text in left_out):
                    parts.append(part)
    passes = f"tg-attach-target{{target={target}}}, tg-schedule-pipeline"
    passes += ", tg-optimize-pipeline, convert-tg-to-gpu"
    # Some parts are errors.
    done = run(opt, join(parts), f"--pass-pipeline=builtin.module({passes})")
    if done.returncode not in (0, 1):
        sys.exit(f"tg-opt ended with {done.returncode}: {done.stderr[-2000:]}")
    return [
        part
        for part in split(done.stdout)
        if "gpu.func @" in part and not UNDECIDED.search(part)
    ]


def prove(opt, modules, timeout=5000):
    proof = f"--tg-verify-gpu-kernels=print-counts=true timeout={timeout}"
    return run(opt, join(modules), proof, "-o", "/dev/null")


def count_proofs(output):
    total = {}
    for line in output.splitlines():
        if found := re.match(r"proved (.*): (\d+)$", line):
            total[found[1]] = total.get(found[1], 0) + int(found[2])
    return total


def without_barriers(modules):
    """(function, its module with one barrier less)"""
    for module in modules:
        lines = module.splitlines()
        for i, line in enumerate(lines):
            if found := re.search(r"gpu\.func @(\S+)\(", line):
                name = found[1]
            if line.strip() == "gpu.barrier":
                yield name, "\n".join(lines[:i] + lines[i + 1 :])


def main():
    arguments = sys.argv[1:]
    mutate = arguments[0] == "--without-barriers"
    lenient = arguments[0] == "--undecided"
    opt, target, *names = arguments[mutate or lenient :]
    modules = convert(opt, target, names)
    print(f"functions: {sum(module.count('gpu.func @') for module in modules)}")
    done = prove(opt, modules, timeout=1000 if lenient else 5000)
    undecided = done.stderr.count("could not decide this")
    is_decided = undecided == 0 or done.stderr.count("error: ") > undecided
    if done.returncode != 0 and not (lenient and not is_decided):
        print(join(modules))
        sys.exit(done.stderr)
    if undecided * 100 > sum(module.count("gpu.func @") for module in modules):
        sys.exit(f"error: {undecided} statements could not be decided")
    if undecided:
        print(f"undecided: {undecided}")
    for name, count in sorted(count_proofs(done.stdout).items()):
        print(f"proved {name}: {count}")
    if not mutate:
        return
    needed = 0
    for name, module in without_barriers(modules):
        done = prove(opt, [module])
        if done.returncode == 0:
            print(f"not needed: a barrier of {name}")
        elif "no barrier is between" in done.stderr:
            needed += 1
        else:
            sys.exit(done.stderr)
    print(f"needed barriers: {needed}")


main()
