"""Losses, and the steps of optimizers of the domain ai.onnx.preview.training."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tinygrad_mlir._core import Tensor
from tinygrad_mlir.nn.onnx.errors import OnnxError
from tinygrad_mlir.nn.onnx.registry import operator
from tinygrad_mlir.nn.onnx.values import to_tensor

PREVIEW = "ai.onnx.preview.training"


def _negative_log_likelihood(
    logs: Tensor, target: Tensor, weight: Tensor | None, ignore: int | None, reduction: str
) -> Tensor:
    """Of classes along axis 1, for targets without that axis."""
    classes = Tensor.arange(logs.shape[1]).reshape(-1, *[1] * (target.ndim - 1))
    chosen = classes == target.unsqueeze(1)
    losses = chosen.where(-logs, 0).sum(1)
    factors: Tensor | None = None
    if weight is not None:
        table = weight.reshape(1, -1, *[1] * (target.ndim - 1))
        factors = chosen.where(table, 0).sum(1)
    if ignore is not None:
        kept = (target != ignore).cast(logs.dtype)
        factors = kept if factors is None else factors * kept
    if factors is not None:
        losses = losses * factors
    losses = losses.cast(logs.dtype)
    if reduction == "none":
        return losses
    if reduction == "sum":
        return losses.sum()
    if reduction != "mean":
        raise OnnxError(f"the reduction is 'none', 'sum' or 'mean', not {reduction!r}")
    return losses.mean() if factors is None else losses.sum() / factors.sum()


@operator("NegativeLogLikelihoodLoss")
def negative_log_likelihood_loss(
    x: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    ignore_index: int | None = None,
    reduction: str = "mean",
) -> Tensor:
    return _negative_log_likelihood(x, target, weight, ignore_index, reduction)


@operator("SoftmaxCrossEntropyLoss", context=True)
def softmax_cross_entropy_loss(
    context: Any,
    scores: Any,
    labels: Any,
    weights: Any = None,
    ignore_index: int | None = None,
    reduction: str = "mean",
) -> Any:
    logs = to_tensor(scores).log_softmax(1)
    weight = None if weights is None else to_tensor(weights)
    loss = _negative_log_likelihood(logs, to_tensor(labels), weight, ignore_index, reduction)
    return (loss, logs) if context.num_outputs > 1 else loss


def _each(
    tensors: tuple[Tensor, ...], count: int, step: Callable[..., tuple[Tensor, ...]]
) -> tuple[Tensor, ...]:
    """A step on each parameter; inputs and outputs are grouped by what they are."""
    size = len(tensors) // count
    results = [step(*tensors[i::size]) for i in range(size)]
    return tuple(tensor for parts in zip(*results, strict=True) for tensor in parts)


@operator("Gradient", domain=PREVIEW, context=True)
def gradient(
    context: Any, *values: Any, xs: list[str], y: str, zs: list[str] | None = None
) -> tuple[Tensor, ...]:
    """The derivatives of a value that earlier nodes have computed, by others."""
    if y not in context.scope:
        raise OnnxError(f"no node before it computes '{y}'")
    chosen = [to_tensor(value) for value in values[: len(xs)]]
    return tuple(to_tensor(context.scope[y]).sum().gradient(*chosen))


@operator("Adagrad", domain=PREVIEW)
def adagrad(
    rate: Tensor,
    count: Tensor,
    *tensors: Tensor,
    decay_factor: float,
    epsilon: float,
    norm_coefficient: float,
) -> tuple[Tensor, ...]:
    rate = rate / (1 + count.cast(rate.dtype) * decay_factor)

    def step(x: Tensor, gradient: Tensor, squares: Tensor) -> tuple[Tensor, ...]:
        gradient = gradient + x * norm_coefficient
        squares = squares + gradient * gradient
        return x - rate * gradient / (squares.sqrt() + epsilon), squares

    return _each(tensors, 3, step)


@operator("Adam", domain=PREVIEW)
def adam(
    rate: Tensor,
    count: Tensor,
    *tensors: Tensor,
    alpha: float,
    beta: float,
    epsilon: float,
    norm_coefficient: float,
    norm_coefficient_post: float,
) -> tuple[Tensor, ...]:
    steps = count.cast(rate.dtype)
    unbiased = (1 - (steps * 0 + beta).pow(steps)).sqrt() / (1 - (steps * 0 + alpha).pow(steps))
    rate = (count > 0).where(rate * unbiased, rate)

    def step(x: Tensor, gradient: Tensor, mean: Tensor, squares: Tensor) -> tuple[Tensor, ...]:
        gradient = gradient + x * norm_coefficient
        mean = mean * alpha + gradient * (1 - alpha)
        squares = squares * beta + gradient * gradient * (1 - beta)
        x = x - rate * mean / (squares.sqrt() + epsilon)
        return x * (1 - norm_coefficient_post), mean, squares

    return _each(tensors, 4, step)


@operator("Momentum", domain=PREVIEW)
def momentum(
    rate: Tensor,
    count: Tensor,
    *tensors: Tensor,
    alpha: float,
    beta: float,
    mode: str,
    norm_coefficient: float,
) -> tuple[Tensor, ...]:
    if mode not in ("standard", "nesterov"):
        raise OnnxError(f"the mode is 'standard' or 'nesterov', not {mode!r}")
    share = (count > 0).where(beta, 1.0)

    def step(x: Tensor, gradient: Tensor, velocity: Tensor) -> tuple[Tensor, ...]:
        gradient = gradient + x * norm_coefficient
        velocity = velocity * alpha + gradient * share
        change = gradient + velocity * alpha if mode == "nesterov" else velocity
        return x - rate * change, velocity

    return _each(tensors, 3, step)
