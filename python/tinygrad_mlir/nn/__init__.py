"""Layers: plain classes with tensors as attributes, whose calls apply them.

Weights are made of the random numbers of Tensor.manual_seed(). Names of attributes are those of the
tensors in saved states.
"""

from __future__ import annotations

import math

from tinygrad_mlir._core import Tensor, parameter
from tinygrad_mlir.dtype import dtypes
from tinygrad_mlir.helpers import flatten, make_tuple, prod
from tinygrad_mlir.nn import datasets, optim, state
from tinygrad_mlir.nn.parameters import set_parameter

__all__ = [
    "BatchNorm",
    "BatchNorm2d",
    "BatchNorm3d",
    "Conv1d",
    "Conv2d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "Embedding",
    "GroupNorm",
    "InstanceNorm",
    "LSTMCell",
    "LayerNorm",
    "LayerNorm2d",
    "Linear",
    "RMSNorm",
    "datasets",
    "optim",
    "state",
]


_INTEGERS = frozenset(
    getattr(dtypes, sign + "int" + bits) for sign in ("", "u") for bits in ("8", "16", "32", "64")
)


def _uniform(shape: tuple[int, ...], bound: float) -> Tensor:
    return parameter(Tensor.uniform(*shape, low=-bound, high=bound))


def _buffer(values: Tensor) -> Tensor:
    """A part of the state that optimizers do not change."""
    return set_parameter(parameter(values), False)


def _affine(shape: tuple[int, ...], is_affine: bool) -> tuple[Tensor | None, Tensor | None]:
    """A weight of ones and a bias of zeros, or neither."""
    if not is_affine:
        return None, None
    return parameter(Tensor.ones(*shape)), parameter(Tensor.zeros(*shape))


class BatchNorm:
    """Normalizes each channel, axis 1, over all other axes: (N, C, ...), floats.

    In training (Tensor.training) the statistics are those of the batch, and the running ones move
    towards them by `momentum`; otherwise the running ones are used, if there are any.
    """

    def __init__(
        self,
        sz: int,
        eps: float = 1e-5,
        affine: bool = True,
        track_running_stats: bool = True,
        momentum: float = 0.1,
    ) -> None:
        self.eps, self.track_running_stats, self.momentum = eps, track_running_stats, momentum
        self.weight, self.bias = _affine((sz,), affine)
        self.num_batches_tracked = _buffer(Tensor.zeros(dtype=dtypes.long))
        if track_running_stats:
            self.running_mean = _buffer(Tensor.zeros(sz))
            self.running_var = _buffer(Tensor.ones(sz))

    def calc_stats(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """The mean and the (biased) variance of each channel that the call uses."""
        if self.track_running_stats and not Tensor.training:
            return self.running_mean, self.running_var
        others = tuple(axis for axis in range(x.ndim) if axis != 1)
        mean = x.mean(axis=others)
        # The variance does not depend on the mean to first order.
        centered = x - mean.detach().reshape(1, -1, *[1] * (x.ndim - 2))
        return mean, centered.square().mean(axis=others)

    def __call__(self, x: Tensor) -> Tensor:
        mean, var = self.calc_stats(x)
        if self.track_running_stats and Tensor.training:
            count = x.numel()
            unbiased = self.momentum * count / (count - x.shape[1])
            keep = 1 - self.momentum
            self.running_mean.assign(keep * self.running_mean + self.momentum * mean.detach())
            self.running_var.assign(keep * self.running_var + unbiased * var.detach())
            self.num_batches_tracked.assign(self.num_batches_tracked + 1)
        return x.batchnorm(self.weight, self.bias, mean, (var + self.eps).rsqrt())


BatchNorm2d = BatchNorm3d = BatchNorm


def _same_padding(kernel: tuple[int, ...], dilation: int | tuple[int, ...]) -> tuple[int, ...]:
    """Paddings of both sides of each axis, from the last on, that keep the sizes."""
    totals = [d * (k - 1) for d, k in zip(make_tuple(dilation, len(kernel)), reversed(kernel))]
    return tuple(flatten((total // 2, total - total // 2) for total in totals))


class Conv2d:
    """A convolution of (N, in_channels, spatial...) with floats of (out_channels, spatial...).

    One kernel size stands for two axes. `padding` is a number, one for each axis, two for each axis
    from the last on, or "same" (ValueError with a stride, or for other texts).
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] = 1,
        padding: int | tuple[int, ...] | str = 0,
        dilation: int | tuple[int, ...] = 1,
        groups: int = 1,
        bias: bool = True,
    ) -> None:
        self.kernel_size = make_tuple(kernel_size, 2)
        if isinstance(padding, str):
            if padding.lower() != "same":
                raise ValueError(f"padding is 'same', a number or a sequence, not {padding!r}")
            if stride != 1:
                raise ValueError(f"padding='same' needs a stride of 1, not {stride}")
            padding = _same_padding(self.kernel_size, dilation)
        self.stride, self.dilation, self.groups, self.padding = stride, dilation, groups, padding
        bound = 1 / math.sqrt(in_channels * prod(self.kernel_size))
        self.weight = _uniform((out_channels, in_channels // groups, *self.kernel_size), bound)
        self.bias = _uniform((out_channels,), bound) if bias else None

    def __call__(self, x: Tensor) -> Tensor:
        return x.conv2d(
            self.weight, self.bias, self.groups, self.stride, self.dilation, self.padding
        )


def Conv1d(
    in_channels: int,
    out_channels: int,
    kernel_size: int,
    stride: int = 1,
    padding: int | str = 0,
    dilation: int = 1,
    groups: int = 1,
    bias: bool = True,
) -> Conv2d:
    """A Conv2d of one spatial axis."""
    return Conv2d(
        in_channels, out_channels, (kernel_size,), stride, padding, dilation, groups, bias
    )


class ConvTranspose2d(Conv2d):
    """The transpose of Conv2d, with a weight of (in_channels, out_channels / groups, ...)."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] = 1,
        padding: int | tuple[int, ...] = 0,
        output_padding: int | tuple[int, ...] = 0,
        dilation: int | tuple[int, ...] = 1,
        groups: int = 1,
        bias: bool = True,
    ) -> None:
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias
        )
        bound = 1 / math.sqrt(in_channels * prod(self.kernel_size))
        self.weight = _uniform((in_channels, out_channels // groups, *self.kernel_size), bound)
        self.output_padding = output_padding

    def __call__(self, x: Tensor) -> Tensor:
        return x.conv_transpose2d(
            self.weight,
            self.bias,
            self.groups,
            self.stride,
            self.dilation,
            self.padding,
            self.output_padding,
        )


def ConvTranspose1d(
    in_channels: int,
    out_channels: int,
    kernel_size: int,
    stride: int = 1,
    padding: int = 0,
    output_padding: int = 0,
    dilation: int = 1,
    groups: int = 1,
    bias: bool = True,
) -> ConvTranspose2d:
    """A ConvTranspose2d of one spatial axis."""
    return ConvTranspose2d(
        in_channels,
        out_channels,
        (kernel_size,),
        stride,
        padding,
        output_padding,
        dilation,
        groups,
        bias,
    )


class Linear:
    """(..., in_features) to (..., out_features): x @ weight.T + bias."""

    def __init__(self, in_features: int, out_features: int, bias: bool = True) -> None:
        bound = 1 / math.sqrt(in_features)
        self.weight = _uniform((out_features, in_features), bound)
        self.bias = _uniform((out_features,), bound) if bias else None

    def __call__(self, x: Tensor) -> Tensor:
        return x.linear(self.weight.transpose(), self.bias)


def _normalize_groups(
    x: Tensor, groups: int, eps: float, weight: Tensor | None, bias: Tensor | None
) -> Tensor:
    """Each group of channels with mean 0 and variance 1, then scaled by channel."""
    x = x.reshape(x.shape[0], groups, -1).layernorm(eps=eps).reshape(x.shape)
    if weight is None or bias is None:
        return x
    channels = (1, -1, *[1] * (x.ndim - 2))
    return x * weight.reshape(channels) + bias.reshape(channels)


class GroupNorm:
    """Normalizes groups of channels of each element of the batch: (N, num_channels, ...)."""

    def __init__(
        self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True
    ) -> None:
        self.num_groups, self.num_channels, self.eps = num_groups, num_channels, eps
        self.weight, self.bias = _affine((num_channels,), affine)

    def __call__(self, x: Tensor) -> Tensor:
        return _normalize_groups(x, self.num_groups, self.eps, self.weight, self.bias)


class InstanceNorm:
    """Normalizes each channel of each element of the batch: (N, num_features, ...)."""

    def __init__(self, num_features: int, eps: float = 1e-5, affine: bool = True) -> None:
        self.num_features, self.eps = num_features, eps
        self.weight, self.bias = _affine((num_features,), affine)

    def __call__(self, x: Tensor) -> Tensor:
        return _normalize_groups(x, self.num_features, self.eps, self.weight, self.bias)


class LayerNorm:
    """Normalizes over the last axes, which have the shape `normalized_shape` (AssertionError)."""

    def __init__(
        self,
        normalized_shape: int | tuple[int, ...],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
    ) -> None:
        self.normalized_shape = make_tuple(normalized_shape, 1)
        self.axis = tuple(-1 - i for i in range(len(self.normalized_shape)))
        self.eps = eps
        self.weight, self.bias = _affine(self.normalized_shape, elementwise_affine)

    def __call__(self, x: Tensor) -> Tensor:
        assert self.normalized_shape == x.shape[-len(self.normalized_shape) :], (
            f"the last dimensions of {x.shape} must match {self.normalized_shape}"
        )
        x = x.layernorm(eps=self.eps, axis=self.axis)
        if self.weight is None or self.bias is None:
            return x
        return x * self.weight + self.bias


class LayerNorm2d(LayerNorm):
    """LayerNorm over the channels of (N, C, H, W)."""

    def __call__(self, x: Tensor) -> Tensor:
        return super().__call__(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


class RMSNorm:
    """Divides by the root of the mean of squares along the last axis.

    Computed in float32, or in float64 for a tensor of that type.
    """

    def __init__(self, dim: int, eps: float = 1e-6, elementwise_affine: bool = True) -> None:
        self.eps = eps
        self.weight = parameter(Tensor.ones(dim)) if elementwise_affine else None

    def _norm(self, x: Tensor) -> Tensor:
        return x * (x.square().mean(-1, keepdim=True) + self.eps).rsqrt()

    def __call__(self, x: Tensor) -> Tensor:
        wide = x if x.dtype == dtypes.float64 else x.float()
        x = self._norm(wide).cast(x.dtype)
        return x if self.weight is None else x * self.weight


class Embedding:
    """Rows of a table: integers of any shape to floats of (..., embed_size).

    Rows of integers outside of the table are zero. Raises TypeError for other dtypes.
    """

    def __init__(self, vocab_size: int, embed_size: int) -> None:
        self.vocab_sz, self.embed_sz = vocab_size, embed_size
        self.weight = parameter(Tensor.glorot_uniform(vocab_size, embed_size))

    def __call__(self, idx: Tensor) -> Tensor:
        if idx.dtype not in _INTEGERS:
            raise TypeError(f"an embedding is indexed by integers, not by {idx.dtype}")
        # A row is picked, and its gradient scattered, by the compiler: no table is compared.
        rows = Tensor.arange(self.weight.shape[0])
        picked = (rows == idx.unsqueeze(-1)).unsqueeze(-1).where(self.weight, 0)
        return picked.sum(-2, dtype=self.weight.dtype)


class LSTMCell:
    """A step of a long short-term memory: x of (N, input_size), states of (N, hidden_size).

    Returns the new (h, c), from zeros if there are none. The rows of the weights are those of the
    gates i, f, g and o, as in PyTorch.
    """

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True) -> None:
        bound = 1 / math.sqrt(hidden_size)
        self.weight_ih = _uniform((hidden_size * 4, input_size), bound)
        self.weight_hh = _uniform((hidden_size * 4, hidden_size), bound)
        self.bias_ih = parameter(Tensor.zeros(hidden_size * 4)) if bias else None
        self.bias_hh = parameter(Tensor.zeros(hidden_size * 4)) if bias else None

    def __call__(self, x: Tensor, hc: tuple[Tensor, Tensor] | None = None) -> tuple[Tensor, Tensor]:
        if hc is None:
            zeros = Tensor.zeros(x.shape[0], self.weight_hh.shape[1], dtype=x.dtype)
            hc = (zeros, zeros)
        h, c = hc
        gates = x.linear(self.weight_ih.T, self.bias_ih) + h.linear(self.weight_hh.T, self.bias_hh)
        i, f, g, o = gates.chunk(4, dim=1)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        return o.sigmoid() * c.tanh(), c
