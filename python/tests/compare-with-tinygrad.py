#!/usr/bin/env python3
"""Evaluates expressions in tinygrad and here, and lists the differences.

    PYTHONPATH=build/python python3 python/tests/compare-with-tinygrad.py [FILE...]

A file has one expression a line; statements before it end in ` ;; `. Blank lines and lines that
start with # are skipped. `@DTYPE` stands for each element type in turn, `@FLOAT`, `@INT` for those
of a kind. The file `known-differences` beside a file lists those that are known to differ:
docs/python/differences.md has the reasons.

tinygrad must be installed, and is no requirement of the package: pytest does not run this script.
Each of the two is run in a process of its own. tinygrad's results are kept in the file that
`--cache` names, since it takes most of the time.
"""

import argparse
import math
import os
import pickle
import resource
import subprocess
import sys
from pathlib import Path

DTYPES = {
    "@DTYPE": "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 "
    "float16 bfloat16 float32 float64".split(),
    "@FLOAT": "float16 bfloat16 float32 float64".split(),
    "@INT": "int8 uint8 int16 uint16 int32 uint32 int64 uint64".split(),
}

#: Modules of both packages that expressions can use by their last names.
MODULES = ["helpers", "nn", "nn.optim", "nn.state"]


def read_expressions(files):
    """The expressions of the files, each with whether it is known to differ."""
    expressions = {}
    for file in files:
        known = set((Path(file).parent / "known-differences").read_text().splitlines())
        for line in Path(file).read_text().splitlines():
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            lines = [line]
            for pattern, names in DTYPES.items():
                lines = [
                    part.replace(pattern, "dtypes." + name)
                    for part in lines
                    for name in (names if pattern in part else [""])
                ]
            expressions.update((part, part in known) for part in lines)
    return expressions


def make_names(module):
    """The names that expressions use."""
    import importlib

    import numpy as np

    package = importlib.import_module(module)
    dtype = importlib.import_module(module + ".dtype")
    Tensor = package.Tensor

    def t(*shape, dtype="float32", low=-2.0, high=2.0, seed=0):
        """Numbers that depend on nothing but the arguments."""
        values = np.random.default_rng(seed + len(shape)).uniform(low, high, shape)
        return Tensor(values.astype(np.float32)).cast(dtype)

    def r(*shape, dtype="int32", start=0):
        """The numbers from `start`."""
        values = np.arange(start, start + int(np.prod(shape)), dtype=np.int32)
        return Tensor(values.reshape(shape)).cast(dtype)

    return {
        "Tensor": Tensor, "dtypes": package.dtypes, "np": np, "math": math, "t": t, "r": r,
        "D": dtype, "inf": math.inf, "nan": math.nan, "tg": package,
        **{name.split(".")[-1]: importlib.import_module(f"{module}.{name}") for name in MODULES},
    }  # fmt: skip


def describe(value):
    """A result as plain data of the same meaning in both packages."""
    kind = type(value).__name__
    if kind == "Tensor":
        # tinygrad 0.14 leaves results of numbers alone without a size.
        dtype = {"dtypes.weakint": "dtypes.int", "dtypes.weakfloat": "dtypes.float"}
        name = dtype.get(str(value.dtype), str(value.dtype))
        return ("Tensor", name, tuple(value.shape), value.numpy())
    if isinstance(value, (tuple, list)):
        return (kind, [describe(part) for part in value])
    if kind == "DType":
        return ("DType", str(value).replace("weak", ""))
    if kind == "ndarray":
        return ("ndarray", str(value.dtype), value.shape, value)
    if isinstance(value, memoryview):
        return ("memoryview", value.format, value.shape, value.tolist())
    if value is None or isinstance(value, (bool, int, float, str, bytes)):
        return (kind, value)
    return ("object", kind)


def evaluate(module, expressions):
    # tinygrad needs all memory for some wrong calls.
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    results = {}
    for expression in expressions:
        names = make_names(module)
        *statements, last = expression.split(" ;; ")
        try:
            for statement in statements:
                exec(statement, names)
            results[expression] = describe(eval(last, names))
        except Exception as error:  # noqa: BLE001 - what it raises is the result
            types = [base.__name__ for base in type(error).__mro__ if base.__module__ == "builtins"]
            results[expression] = ("error", type(error).__name__, types, str(error)[:300])
        if os.environ.get("VERBOSE"):
            print(expression, file=sys.stderr)
    return results


def run(module, expressions):
    environment = dict(os.environ)
    if module == "tinygrad":
        environment.setdefault("DEV", "CPU")
    process = subprocess.run(
        [sys.executable, __file__, "--evaluate", module],
        input=pickle.dumps(list(expressions)), stdout=subprocess.PIPE, env=environment, check=True,
    )  # fmt: skip
    return pickle.loads(process.stdout)


def are_close(a, b, dtype):
    import numpy as np

    if a.shape != b.shape:
        return False
    if a.dtype.kind != "f":
        return np.array_equal(a, b)
    tolerance = {"float64": 1e-6, "float32": 2e-5, "float16": 4e-3}
    rtol = tolerance.get(dtype.removeprefix("dtypes."), 2e-2)
    if dtype in ("dtypes.float", "dtypes.double"):
        rtol = 2e-5
    if dtype == "dtypes.half":
        rtol = 4e-3
    return np.allclose(a, b, rtol=rtol, atol=rtol, equal_nan=True)


def are_equal(a, b):
    """Whether `b`, the result here, is what tinygrad's `a` is."""
    if a[0] == "error" or b[0] == "error":
        # One of the built-in types that ours inherits from must be tinygrad's.
        return a[0] == b[0] and a[2][0] in b[2]
    if a[0] != b[0]:
        return False
    if a[0] == "Tensor":
        return a[1] == b[1] and a[2] == b[2] and are_close(a[3], b[3], a[1])
    if a[0] == "ndarray":
        return a[1] == b[1] and are_close(a[3], b[3], a[1])
    if a[0] in ("tuple", "list"):
        return len(a[1]) == len(b[1]) and all(map(are_equal, a[1], b[1]))
    if a[0] == "float":
        return a[1] == b[1] or math.isclose(a[1], b[1], rel_tol=2e-5) or a[1] != a[1] != b[1]
    return a[1:] == b[1:]


def show(result):
    if result[0] == "error":
        return f"{result[1]}: {result[3]}"
    if result[0] == "Tensor":
        return f"{result[1]} {result[2]} {result[3].tolist()}"[:400]
    return str(result)[:400]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", help="files of expressions")
    parser.add_argument("--cache", help="file for tinygrad's results")
    parser.add_argument("--names", action="store_true", help="list what differs, and no results")
    parser.add_argument("--evaluate", metavar="MODULE", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.evaluate:
        # What a package prints is no result.
        output = os.fdopen(os.dup(1), "wb")
        os.dup2(2, 1)
        results = evaluate(options.evaluate, pickle.load(sys.stdin.buffer))
        output.write(pickle.dumps(results))
        return 0
    files = options.files or sorted(Path(__file__).parent.glob("expressions/*.txt"))
    expressions = read_expressions(files)
    cache = {}
    if options.cache and os.path.exists(options.cache):
        cache = pickle.loads(Path(options.cache).read_bytes())
    missing = [expression for expression in expressions if expression not in cache]
    if missing:
        cache.update(run("tinygrad", missing))
        if options.cache:
            Path(options.cache).write_bytes(pickle.dumps(cache))
    ours = run("tinygrad_mlir", expressions)
    differences = 0
    for expression, known in expressions.items():
        if are_equal(cache[expression], ours[expression]) == (not known):
            continue
        differences += 1
        if options.names:
            print(expression)
            continue
        print(expression)
        print("  tinygrad:", show(cache[expression]))
        print("  here:    ", show(ours[expression]))
        if known:
            print("  no longer differs")
    print(f"{len(expressions)} expressions, {differences} differences")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
