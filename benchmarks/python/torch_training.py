"""Times of training with torch.compile: this backend beside PyTorch itself and its inductor.

    OMP_NUM_THREADS=1 PYTHONPATH=build/python python3 benchmarks/python/torch_training.py MODEL WHAT

MODEL is tiny or mlp (with AdamW), or gpt (two layers of GPT-2's, which needs transformers). WHAT is
step, for the optimizer's step, train, for forward, backward and step, or call, for inference. Prints
the median of each in milliseconds; they are timed alternately.
"""

from __future__ import annotations

import logging
import statistics
import sys
import time
from collections.abc import Callable

import tinygrad_mlir.torch_backend  # noqa: F401
import torch
from torch import nn


def make_model(name: str) -> tuple[nn.Module, torch.Tensor]:
    torch.manual_seed(0)
    if name == "gpt":
        from transformers import GPT2Config, GPT2LMHeadModel

        off = {"attn_pdrop": 0, "resid_pdrop": 0, "embd_pdrop": 0, "use_cache": False}
        model = GPT2LMHeadModel(GPT2Config(n_layer=2, vocab_size=8192, **off))
        return model, torch.randint(0, 8000, (2, 64))
    if name == "mlp":
        sizes, batch = (784, 512, 512, 10), 64
    elif name == "tiny":
        sizes, batch = (8, 16, 4), 4
    else:
        sys.exit(f"torch_training.py: '{name}' is none of tiny, mlp and gpt")
    layers: list[nn.Module] = []
    for inputs, outputs in zip(sizes, sizes[1:]):
        layers += [nn.Linear(inputs, outputs), nn.ReLU()]
    return nn.Sequential(*layers[:-1]), torch.randn(batch, sizes[0])


def make_run(name: str, what: str, backend: str) -> Callable[[], object]:
    model, x = make_model(name)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

    def compute_loss() -> torch.Tensor:
        return model(x, labels=x).loss if name == "gpt" else model(x).square().mean()

    def infer() -> torch.Tensor:
        return model(x)

    def compile(function: Callable[[], object]) -> Callable[[], object]:
        return function if backend == "eager" else torch.compile(function, backend=backend)

    if what == "call":
        return torch.no_grad()(compile(infer))
    loss = compute_loss if what == "step" else compile(compute_loss)
    step = compile(optimizer.step)

    def train() -> None:
        optimizer.zero_grad()
        loss().backward()
        step()

    train()
    return step if what == "step" else train


def main() -> int:
    if len(sys.argv) != 3 or sys.argv[2] not in ("step", "train", "call"):
        print(__doc__)
        return 2
    logging.disable(logging.WARNING)
    runs = {}
    for backend in ("eager", "inductor", "tinygrad_mlir"):
        torch._dynamo.reset()
        runs[backend] = make_run(*sys.argv[1:], backend)
        for _ in range(4):
            runs[backend]()
    times: dict[str, list[float]] = {backend: [] for backend in runs}
    end = time.perf_counter() + 10
    while time.perf_counter() < end:
        for backend, run in runs.items():
            start = time.perf_counter()
            run()
            times[backend].append(time.perf_counter() - start)
    for backend, found in times.items():
        print(f"{backend}: {statistics.median(found) * 1e3:.3f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
