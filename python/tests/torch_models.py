"""Compares models of other packages, by torch.compile with this backend, with PyTorch itself.

    python python/tests/torch_models.py torchvision:resnet50 timm:levit_128s transformers:llama ...
    python python/tests/torch_models.py --train torchvision:resnet18 timm:mobilenetv3_small_100 ...

Models have random weights. Those of torchvision and timm are compared in inference, those of
transformers, with two layers of 64 features, with their gradients as well. With --train, the first
two are in training mode, without dropout, on two images of 64x64 (or, if they need it, of their own
size), and their results, gradients and statistics are compared with PyTorch's in float64. Nothing
is downloaded. The program fails if an operation is not compiled, or a result differs.
"""

from __future__ import annotations

import copy
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


def make_trained(name: str) -> tuple[torch.nn.Module, torch.Tensor]:
    """The model in training mode, without anything random, and images."""

    def without_dropout(model: torch.nn.Module) -> torch.nn.Module:
        for module in model.modules():
            if type(module).__name__ in ("Dropout", "StochasticDepth", "DropPath"):
                module.eval()
        return model

    package, _, model = name.partition(":")
    size = 64
    if package == "timm":
        import timm

        made = timm.create_model(model, pretrained=False)
        if made.pretrained_cfg.get("fixed_input_size"):
            size = made.pretrained_cfg["input_size"][-1]
    else:
        import torchvision

        sized = {"image_size": size} if model.startswith("vit") else {}
        made = torchvision.models.get_model(model, weights=None, **sized)
    return without_dropout(made.train()), torch.randn(2, 3, size, size)


def train_step(
    function: Any, model: torch.nn.Module, images: torch.Tensor
) -> list[list[torch.Tensor]]:
    """The results, the gradients and the statistics after a step."""
    model.zero_grad()
    results = tensors_of(function(images))
    sum((x * torch.arange(x.numel()).reshape(x.shape).cos()).sum() for x in results).backward()
    gradients = [p.grad for p in model.parameters() if p.grad is not None]
    statistics = [x.clone() for x in model.buffers() if x.is_floating_point()]
    return [[x.detach() for x in results], gradients, statistics]


def compare_training(name: str) -> bool:
    """Whether the differences from float64 are about as large as PyTorch's in float32."""
    model, images = make_trained(name)
    exact = train_step(*[copy.deepcopy(model).double()] * 2, images.double())
    expected = train_step(*[copy.deepcopy(model)] * 2, images)
    allowed = [largest_difference(x, y) for x, y in zip(exact, expected)]
    compiled = torch.compile(model, backend="tinygrad_mlir", options={"strict": True})
    initial = copy.deepcopy(model.state_dict())
    worst = [0.0, 0.0, 0.0]
    for _ in range(3):
        model.load_state_dict(initial)
        found = train_step(compiled, model, images)
        worst = [max(w, largest_difference(x, y)) for w, x, y in zip(worst, exact, found)]
    is_right = all(w <= 4 * a + 1e-5 for w, a in zip(worst, allowed))
    text = ", ".join(
        f"{what} {w:.1e} (PyTorch {a:.1e})"
        for what, w, a in zip(("results", "gradients", "statistics"), worst, allowed)
    )
    print(f"{name}: {text}{'' if is_right else ' WRONG'}", flush=True)
    return is_right


def main() -> int:
    names = sys.argv[1:]
    trains = names[:1] == ["--train"]
    if trains:
        del names[0]
    if not names or names[0].startswith("-"):
        print(__doc__)
        return 0 if names == ["--help"] else 2
    warnings.simplefilter("ignore")
    failed = False
    for name in names:
        torch.manual_seed(0)
        torch._dynamo.reset()
        if trains:
            try:
                failed |= not compare_training(name)
            except Exception as error:
                print(f"{name}: {type(error).__name__}: {str(error).strip().splitlines()[0]}")
                failed = True
            continue
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
