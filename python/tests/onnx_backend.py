"""Runs the test cases of the package onnx, and prints how many pass.

    python python/tests/onnx_backend.py [--kind node] [--filter PATTERN] [--sample N] [--verbose]

Cases that are known to fail are in onnx_backend_failures.txt, each with its reason. The program
fails if another one fails, or if one of these passes. DEV chooses the device.
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import fnmatch
import functools
import glob
import os
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper

with warnings.catch_warnings(), np.errstate(all="ignore"):
    warnings.simplefilter("ignore")
    from onnx.backend.test.loader import load_model_tests

from tinygrad_mlir import Tensor
from tinygrad_mlir.nn.onnx import OnnxRunner
from tinygrad_mlir.nn.onnx.registry import find_operator, find_schema
from tinygrad_mlir.nn.onnx.values import NARROW, held_dtype, tensor_from_array, value_from_array

FAILURES = Path(__file__).parent / "onnx_backend_failures.txt"
#: Those of the kind "real" are models that have to be downloaded.
KINDS = ("node", "simple", "pytorch-converted", "pytorch-operator")


@dataclasses.dataclass
class Outcome:
    """What became of a case: `error` is None if it has passed."""

    name: str
    category: str
    opset: int
    error: str | None
    seconds: float


@functools.cache
def load_cases(kind: str) -> list[Any]:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return load_model_tests(kind=kind)


def load_model(case: Any) -> onnx.ModelProto:
    return case.model or onnx.load(os.path.join(case.model_dir, "model.onnx"))


def load_data(case: Any, model: onnx.ModelProto) -> list[tuple[list[Any], list[Any]]]:
    """The inputs and expected outputs of each run, as arrays and lists of them."""
    if case.data_sets is not None:
        return list(case.data_sets)
    runs = []
    for folder in sorted(glob.glob(os.path.join(case.model_dir, "test_data_set_*"))):
        parts = []
        for kind, values in (("input", model.graph.input), ("output", model.graph.output)):
            files = len(glob.glob(os.path.join(folder, f"{kind}_*.pb")))
            parts.append(
                [
                    read_value(os.path.join(folder, f"{kind}_{i}.pb"), values[i].type)
                    for i in range(files)
                ]
            )
        runs.append((parts[0], parts[1]))
    return runs


def read_value(path: str, kind: onnx.TypeProto) -> Any:
    data = Path(path).read_bytes()
    if kind.HasField("sequence_type"):
        return numpy_helper.to_list(onnx.SequenceProto.FromString(data))
    return numpy_helper.to_array(onnx.TensorProto.FromString(data))


def to_input(value: Any) -> Any:
    """A tensor of an array, in memory, so that the model computes everything."""
    if value is None:
        return None
    if isinstance(value, onnx.TensorProto):
        value = numpy_helper.to_array(value)
    if isinstance(value, (list, tuple)):
        return [to_input(part) for part in value]
    array = np.asarray(value)
    element = onnx.helper.np_dtype_to_tensor_dtype(array.dtype)
    if element in NARROW:
        return value_from_array(array, element).tensor
    return tensor_from_array(array).contiguous().realize()


def compare(expected: Any, actual: Any, case: Any) -> None:
    """Raises an AssertionError if types, shapes or values differ."""
    if isinstance(expected, onnx.TensorProto):
        expected = numpy_helper.to_array(expected)
    if expected is None:
        assert actual is None, f"None expected, not {actual}"
        return
    if isinstance(expected, (list, tuple)):
        assert isinstance(actual, list), "a sequence expected"
        assert len(expected) == len(actual), f"{len(expected)} values, not {len(actual)}"
        for pair in zip(expected, actual, strict=True):
            compare(*pair, case)
        return
    expected = np.asarray(expected)
    assert isinstance(actual, Tensor), f"a tensor expected, not {actual}"
    dtype = held_dtype(onnx.helper.np_dtype_to_tensor_dtype(expected.dtype))
    assert actual.dtype == dtype, f"the type is {actual.dtype}, not {dtype}"
    values = actual.numpy()
    # As in the package's own runner: two units in the last place.
    rtol = max(case.rtol, 2**-6) if expected.dtype.name == "bfloat16" else case.rtol
    if expected.dtype != values.dtype:
        expected = expected.astype(values.dtype)
    assert values.shape == expected.shape, f"the shape is {values.shape}, not {expected.shape}"
    np.testing.assert_allclose(values, expected, rtol=rtol, atol=case.atol)


def run_case(case: Any) -> None:
    """Raises an exception if the case fails."""
    model = load_model(case)
    runner = OnnxRunner(model)
    names = [value.name for value in model.graph.input]
    initial = {value.name for value in model.graph.initializer}
    names = [name for name in names if name not in initial] or names
    for inputs, outputs in load_data(case, model):
        given = names if len(inputs) == len(names) else [v.name for v in model.graph.input]
        results = runner(dict(zip(given, map(to_input, inputs), strict=False)))
        for expected, actual in zip(outputs, results.values(), strict=True):
            compare(expected, actual, case)


def categorize(case: Any, kind: str) -> tuple[str, int]:
    """The group of operators that a case is about, and its opset: 0 without the standard's."""
    model = load_model(case)
    opsets = {entry.domain: entry.version for entry in model.opset_import}
    opset = opsets.get("", 0)
    if kind != "node":
        return kind, opset
    if "_expanded" in case.name:
        return "functions, expanded", opset
    node = model.graph.node[-1]
    version = opsets.get(node.domain, opset)
    operator = find_operator(node.domain, node.op_type, version)
    if operator is not None:
        module = operator.function.__module__.rsplit(".", 1)[-1]
        # Methods of Tensor that are registered as they are.
        return ("elementwise" if module == "_core" else module), opset
    schema = find_schema(node.domain, node.op_type, version)
    has_body = schema.has_function or schema.has_context_dependent_function
    return ("functions" if has_body else "not supported"), opset


def run(
    kinds: tuple[str, ...], pattern: str = "*", sample: int = 1, verbose: bool = False
) -> list[Outcome]:
    """Runs every sample-th case whose name matches."""
    outcomes = []
    for kind in kinds:
        cases = [case for case in load_cases(kind) if fnmatch.fnmatch(case.name, pattern)]
        for case in cases[::sample]:
            start, error = time.process_time(), None
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                try:
                    run_case(case)
                except Exception as exception:
                    lines = str(exception).split("\n") + getattr(exception, "__notes__", [])
                    text = " ".join(line.strip() for line in lines if line.strip())
                    error = f"{type(exception).__name__}: {text}"[:400]
                category, opset = categorize(case, kind)
            seconds = time.process_time() - start
            outcomes.append(Outcome(case.name, category, opset, error, seconds))
            if verbose and error:
                print(f"{case.name}: {error}", flush=True)
    return outcomes


def read_failures() -> dict[str, str]:
    """Reasons by pattern of names."""
    lines = FAILURES.read_text().splitlines()
    entries = [line.split(maxsplit=1) for line in lines if line.strip() and line[0] != "#"]
    return {pattern: reason for pattern, reason in entries}


def check(outcomes: list[Outcome]) -> list[str]:
    """What differs from the list of known failures."""
    patterns = read_failures()
    problems = []
    for outcome in outcomes:
        is_known = any(fnmatch.fnmatch(outcome.name, pattern) for pattern in patterns)
        if outcome.error and not is_known:
            problems.append(f"{outcome.name} fails: {outcome.error}")
        if not outcome.error and is_known:
            problems.append(f"{outcome.name} passes, but is in {FAILURES.name}")
    return problems


def table(outcomes: list[Outcome], attribute: str) -> str:
    """Passed and all cases by category or opset."""
    counts: dict[Any, list[int]] = collections.defaultdict(lambda: [0, 0])
    for outcome in outcomes:
        count = counts[getattr(outcome, attribute)]
        count[0] += outcome.error is None
        count[1] += 1
    rows = [f"| {attribute} | passed | of | % |", "|---|---|---|---|"]
    for key in sorted(counts, key=lambda key: (isinstance(key, str), key)):
        passed, total = counts[key]
        rows.append(f"| {key} | {passed} | {total} | {100 * passed / total:.1f} |")
    return "\n".join(rows)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--kind", action="append", choices=KINDS, help="all unless given")
    parser.add_argument("--filter", default="*", help="a pattern of names")
    parser.add_argument("--sample", type=int, default=1, help="every n-th case")
    parser.add_argument("--verbose", action="store_true", help="print errors, also known ones")
    options = parser.parse_args()
    kinds = tuple(options.kind or KINDS)
    outcomes = run(kinds, options.filter, options.sample, options.verbose)
    print(table(outcomes, "category"), "\n")
    print(table(outcomes, "opset"), "\n")
    passed = sum(outcome.error is None for outcome in outcomes)
    seconds = sum(outcome.seconds for outcome in outcomes)
    print(f"{passed} of {len(outcomes)} cases pass ({100 * passed / max(1, len(outcomes)):.1f} %)")
    print(f"onnx {onnx.__version__}, {seconds:.0f} s of CPU time")
    problems = check(outcomes)
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
