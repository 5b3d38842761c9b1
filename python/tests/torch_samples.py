"""Compares what the backend of torch.compile computes with PyTorch, for PyTorch's own samples.

    python python/tests/torch_samples.py [--dtype float32] [--samples 3] [--gradients] [OPERATION...]

The samples are those of PyTorch's tests (op_db), which need the packages expecttest and SciPy. The
program prints what differs, then what is refused, and fails if a result differs that PyTorch's own
interpretation of the same graph has, but for KNOWN. Operations whose names contain a word of
SKIPPED are left out unless they are named.
"""

from __future__ import annotations

import argparse
import collections
import random
import sys
import warnings
from collections.abc import Callable
from typing import Any

import torch
from tinygrad_mlir import torch_backend, torch_decompositions
from torch.func import functionalize
from torch.fx.experimental.proxy_tensor import make_fx
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils._pytree import tree_flatten, tree_unflatten

SKIPPED = (
    "_refs bernoulli cauchy cholesky complex dropout empty exponential fft geometric geqrf item "
    "jiterator linalg lobpcg log_normal lu masked. multinomial normal ormqr pca polar qr quant rand "
    "sparse special. stft svd symeig tolist torch.ops uniform view_as"
).split()
KNOWN = {
    "topk": "which of equal elements it takes is open",
    "logcumsumexp": "gradients of float32 at 10,000 have an error of 1e-3 in PyTorch as well",
}
TOLERANCES = {torch.float32: 2e-4, torch.float64: 2e-4, torch.float16: 2e-2, torch.bfloat16: 2e-2}

Function = Callable[..., list[torch.Tensor]]


def make_function(op: Any, sample: Any) -> tuple[Function, list[torch.Tensor]]:
    """The operation as a function of the tensors of a sample, and these."""
    leaves, shape = tree_flatten((sample.input, sample.args, sample.kwargs))
    places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]

    def function(*tensors: torch.Tensor) -> list[torch.Tensor]:
        given = list(leaves)
        for i, tensor in zip(places, tensors):
            given[i] = tensor
        first, args, kwargs = tree_unflatten(given, shape)
        results = tree_flatten(op.op(first, *args, **kwargs))[0]
        return [result for result in results if isinstance(result, torch.Tensor)]

    return function, [leaves[i] for i in places]


def differentiate(function: Function, tensors: list[torch.Tensor]) -> Function:
    """The gradients of a weighted sum of the results by all floating-point tensors."""
    places = [i for i, tensor in enumerate(tensors) if tensor.is_floating_point()]

    def gradients(*given: torch.Tensor) -> list[torch.Tensor]:
        def loss(*leaves: torch.Tensor) -> torch.Tensor:
            inputs = list(given)
            for i, leaf in zip(places, leaves):
                inputs[i] = leaf
            total = torch.zeros(())
            for x in function(*inputs):
                if x.is_floating_point():
                    weights = torch.arange(1, x.numel() + 1, dtype=x.dtype).cos()
                    total = total + (x * weights.reshape(x.shape)).sum()
            return total

        found = torch.func.grad(loss, argnums=tuple(range(len(places))))
        return list(found(*(given[i] for i in places)))

    return gradients


def find_difference(expected: list[torch.Tensor], found: list[torch.Tensor]) -> str | None:
    for x, y in zip(expected, found, strict=True):
        tolerance = TOLERANCES.get(x.dtype, 0)
        try:
            torch.testing.assert_close(
                y, x, rtol=tolerance, atol=tolerance, equal_nan=True, check_stride=False
            )
        except AssertionError as error:
            return " ".join(str(error).split())
    return None


def compare(function: Function, tensors: list[torch.Tensor]) -> tuple[str, str]:
    """A word for what became of a sample, and why."""
    try:
        expected = function(*(x.clone() for x in tensors))
        table = torch_decompositions.decompositions()
        graph = make_fx(function, decomposition_table=table, tracing_mode="fake")(*tensors)
        graph = make_fx(functionalize(graph), tracing_mode="fake")(*tensors)
    except Exception as error:  # PyTorch has no graph, or no gradient, of it.
        return "without a graph", type(error).__name__
    if reason := torch_backend._find_unsupported(graph):
        return "refused", reason
    results = graph.graph.output_node().args[0]
    if not any(isinstance(result, torch.fx.Node) for result in results):
        return "constant", ""
    try:
        found = torch_backend._Compiled(graph, True)(list(tensors))
    except Exception as error:
        return "DIFFERS", f"{type(error).__name__}: {error}"
    difference = find_difference(expected, found)
    if difference is None:
        return "equal", ""
    # What PyTorch decomposes an operation into may be less exact than the operation.
    own = find_difference(expected, graph(*tensors))
    return ("DIFFERS" if own is None else "differs in PyTorch, too"), difference


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--dtype", action="append", help="of inputs (default: float32)")
    parser.add_argument("--samples", type=int, default=3, help="the most of each operation")
    parser.add_argument("--gradients", action="store_true", help="compare gradients")
    parser.add_argument("operation", nargs="*", help="all unless given")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.manual_seed(0)
    counts: collections.Counter[str] = collections.Counter()
    refused: dict[str, set[str]] = collections.defaultdict(set)
    for op in op_db:
        name = f"{op.name}.{op.variant_test_name}".rstrip(".")
        if (
            op.name not in options.operation
            if options.operation
            else any(word in name for word in SKIPPED)
        ):
            continue
        for dtype in (getattr(torch, name) for name in options.dtype or ["float32"]):
            if dtype not in op.supported_dtypes("cpu"):
                continue
            if options.gradients and not op.supports_autograd:
                continue
            samples = list(op.sample_inputs("cpu", dtype, requires_grad=False))
            random.Random(0).shuffle(samples)
            for sample in samples[: options.samples]:
                function, tensors = make_function(op, sample)
                if options.gradients:
                    if not any(x.is_floating_point() for x in tensors):
                        continue
                    function = differentiate(function, tensors)
                outcome, why = compare(function, tensors)
                if outcome == "DIFFERS" and op.name in KNOWN:
                    outcome, why = "differs as known", KNOWN[op.name]
                counts[outcome] += 1
                if outcome == "refused":
                    refused[why].add(name)
                elif "differs" in outcome.lower():
                    print(f"{name} of {dtype}: {outcome}: {why}", flush=True)
    for reason, names in sorted(refused.items()):
        print(f"refused: {reason}: {', '.join(sorted(names)[:4])}")
    print(", ".join(f"{count} {outcome}" for outcome, count in counts.most_common()))
    return 1 if counts["DIFFERS"] else 0


if __name__ == "__main__":
    sys.exit(main())
