"""Compares models of other packages, by torch.compile with this backend, with PyTorch itself.

    python python/tests/torch_models.py torchvision:resnet50 timm:levit_128s transformers:llama ...

Models have random weights. Those of torchvision and timm are compared in inference, those of
transformers, with two layers of 64 features, with their gradients as well. Nothing is downloaded.
The program fails if an operation is not compiled, or a result differs.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any

import tinygrad_mlir.torch_backend  # noqa: F401
import torch

TOLERANCE, GRADIENT_TOLERANCE = 1e-3, 2e-2
SMALL = {
    "hidden_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "intermediate_size": 128,
    "vocab_size": 256,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}


def make_model(name: str) -> tuple[torch.nn.Module, dict[str, Any], bool]:
    """The model, its arguments, and whether to differentiate it."""
    package, _, model = name.partition(":")
    if package == "transformers":
        from transformers import AutoConfig, AutoModel

        config = AutoConfig.for_model(model, **SMALL)
        return AutoModel.from_config(config), {"input_ids": torch.randint(3, 200, (2, 16))}, True
    if package == "timm":
        import timm

        made = timm.create_model(model, pretrained=False)
        return made, {"x": torch.randn(1, *made.pretrained_cfg["input_size"])}, False
    if package == "torchvision":
        import torchvision

        return (
            torchvision.models.get_model(model, weights=None),
            {"x": torch.randn(1, 3, 224, 224)},
            False,
        )
    sys.exit(f"torch_models.py: '{name}' is no model of torchvision, timm or transformers")


def tensors_of(results: Any) -> list[torch.Tensor]:
    if isinstance(results, torch.Tensor):
        return [results]
    parts = results.values() if hasattr(results, "values") else results
    return [x for part in parts or () if part is not None for x in tensors_of(part)]


def run(
    function: Any, model: torch.nn.Module, arguments: dict[str, Any], differentiates: bool
) -> Any:
    """The results, and the gradients of a weighted sum of them by the parameters."""
    model.zero_grad()
    with torch.set_grad_enabled(differentiates):
        results = [x for x in tensors_of(function(**arguments)) if x.is_floating_point()]
        if differentiates:
            sum(
                (x * torch.arange(x.numel()).reshape(x.shape).cos()).sum()
                for x in results
                if x.requires_grad
            ).backward()
    gradients = [p.grad.clone() for p in model.parameters() if p.grad is not None]
    return [x.detach() for x in results], gradients


def largest_difference(expected: list[torch.Tensor], found: list[torch.Tensor]) -> float:
    """Relative to the largest element of each tensor; of tiny ones, to a part of all others'."""
    least = 1e-4 * max((x.abs().max().item() for x in expected), default=0) + 1e-30
    pairs = zip(expected, found, strict=True)
    return max(
        ((x - y).abs().max().item() / max(x.abs().max().item(), least) for x, y in pairs), default=0
    )


def main() -> int:
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        print(__doc__)
        return 0 if sys.argv[1:] == ["--help"] else 2
    warnings.simplefilter("ignore")
    failed = False
    for name in sys.argv[1:]:
        torch.manual_seed(0)
        torch._dynamo.reset()
        model, arguments, differentiates = make_model(name)
        model.eval()
        compiled = torch.compile(model, backend="tinygrad_mlir", options={"strict": True})
        try:
            expected = run(model, model, arguments, differentiates)
            # The first run, the one that is captured, and a replay.
            found = [run(compiled, model, arguments, differentiates) for _ in range(3)]
        except Exception as error:
            print(f"{name}: {type(error).__name__}: {str(error).strip().splitlines()[0]}")
            failed = True
            continue
        worst = [max(largest_difference(expected[i], x[i]) for x in found) for i in (0, 1)]
        is_wrong = not (worst[0] <= TOLERANCE and worst[1] <= GRADIENT_TOLERANCE)
        failed |= is_wrong
        text = f", of gradients {worst[1]:.1e}" if differentiates else ""
        print(f"{name}: difference {worst[0]:.1e}{text}{' WRONG' if is_wrong else ''}", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
