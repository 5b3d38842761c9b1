"""The operations of PyTorch's graphs that networks consist of: products, normalizations,
convolutions, pooling, attention. They are entries of the tables of torch_operations."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

from tinygrad_mlir._core import Tensor
from tinygrad_mlir.dtype import dtypes
from tinygrad_mlir.torch_operations import REFUSALS, operation

operation("mm.default", "bmm.default")(lambda x, y: x.matmul(y))


def _accumulate(product: Tensor, x: Tensor, beta: Any, alpha: Any) -> Tensor:
    """The product times alpha, and x times beta; of x nothing, not even NaN, if that is 0."""
    if not product.is_floating_point():
        beta, alpha = int(beta), int(alpha)
    return product.mul(alpha).add(0 if beta == 0 else x * beta)


@operation("addmm.default")
def _addmm(bias: Tensor, x: Tensor, y: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    return _accumulate(x.matmul(y), bias, beta, alpha)


@operation("addbmm.default")
def _addbmm(bias: Tensor, x: Tensor, y: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    return _accumulate(x.matmul(y).sum(0), bias, beta, alpha)


@operation("_trilinear.default")
def _trilinear(
    x: Tensor,
    weight: Tensor,
    y: Tensor,
    x_axes: Sequence[int],
    weight_axes: Sequence[int],
    y_axes: Sequence[int],
    summed: Sequence[int],
    unroll_dim: int = 1,
) -> Tensor:
    """The sum of a product of three, each of which gets axes of size 1."""
    product: Tensor | None = None
    for part, axes in ((x, x_axes), (weight, weight_axes), (y, y_axes)):
        for axis in sorted(axes):
            part = part.unsqueeze(axis)
        product = part if product is None else product * part
    assert product is not None
    return product.sum(tuple(summed)) if summed else product


@operation("_cdist_forward.default")
def _distances(x: Tensor, y: Tensor, p: float, mode: int | None) -> Tensor:
    """The p-norms of the differences of all rows of both."""
    differences = (x.unsqueeze(-2) - y.unsqueeze(-3)).abs()
    if p == 0:
        return (differences != 0).sum(-1).cast(x.dtype)
    if p == math.inf:
        return differences.max(-1)
    if p == 1:
        return differences.sum(-1)
    if p == 2:
        return differences.square().sum(-1).sqrt()
    return differences.pow(p).sum(-1).pow(1 / p)


@operation("_cdist_backward.default")
def _distances_backward(
    gradient: Tensor, x: Tensor, y: Tensor, p: float, distances: Tensor
) -> Tensor:
    return _differentiate(lambda x: _distances(x, y, p, None), gradient, x)[0]


@operation("_weight_norm_interface_backward.default")
def _weight_norm_backward(
    gradient: Tensor, v: Tensor, g: Tensor, norms: Tensor, dim: int
) -> tuple[Tensor, Tensor]:
    axes = tuple(i for i in range(v.ndim) if i != dim % v.ndim)

    def normalize(v: Tensor, g: Tensor) -> Tensor:
        return v * (g / v.square().sum(axes, keepdim=True).sqrt().cast(v.dtype))

    by_v, by_g = _differentiate(normalize, gradient, v, g)
    return by_v, by_g


def _scaled(x: Tensor, weight: Tensor | None, bias: Tensor | None) -> Tensor:
    x = x if weight is None else x * weight
    return x if bias is None else x + bias


@operation("native_layer_norm.default")
def _layer_norm(
    x: Tensor, shape: Sequence[int], weight: Tensor | None, bias: Tensor | None, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    axes = tuple(range(-len(shape), 0))
    values = x.float() if x.element_size() < 4 else x
    variance, mean = values.var_mean(axes, True, 0)
    scale = (variance + eps).rsqrt()
    return _scaled((values - mean) * scale, weight, bias), mean, scale


@operation("native_group_norm.default")
def _group_norm(
    x: Tensor, weight: Any, bias: Any, n: int, c: int, size: int, groups: int, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    values = x.reshape(n, groups, c // groups * size)
    variance, mean = values.var_mean(2, True, 0)
    scale = (variance + eps).rsqrt()
    shape = (1, c) + (1,) * (x.ndim - 2)
    weight, bias = (None if w is None else w.reshape(shape) for w in (weight, bias))
    y = ((values - mean) * scale).reshape(x.shape)
    return _scaled(y, weight, bias), mean.squeeze(2), scale.squeeze(2)


@operation("_native_batch_norm_legit_no_training.default")
def _batch_norm(
    x: Tensor, weight: Any, bias: Any, mean: Tensor, variance: Tensor, momentum: float, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    shape = (1, -1) + (1,) * (x.ndim - 2)
    scale = (variance + eps).rsqrt()
    scale = scale if weight is None else scale * weight
    y = (x - mean.reshape(shape)) * scale.reshape(shape)
    return y if bias is None else y + bias.reshape(shape), Tensor([]), Tensor([])


@operation("_native_batch_norm_legit_functional.default")
def _batch_norm_in_training(
    x: Tensor,
    weight: Any,
    bias: Any,
    mean: Tensor,
    variance: Tensor,
    training: bool,
    momentum: float,
    eps: float,
) -> tuple[Tensor, ...]:
    if not training:
        y, *_ = _batch_norm(x, weight, bias, mean, variance, momentum, eps)
        return y, Tensor([]), Tensor([]), mean, variance
    axes = tuple(i for i in range(x.ndim) if i != 1)
    shape = (1, -1) + (1,) * (x.ndim - 2)
    found_variance, found_mean = x.var_mean(axes, False, 0)
    scale = (found_variance + eps).rsqrt()
    y = (x - found_mean.reshape(shape)) * scale.reshape(shape)
    weight, bias = (None if w is None else w.reshape(shape) for w in (weight, bias))
    count = math.prod(int(x.shape[i]) for i in axes)
    unbiased = found_variance * (count / max(count - 1, 1))
    return (
        _scaled(y, weight, bias),
        found_mean,
        scale,
        mean * (1 - momentum) + found_mean * momentum,
        variance * (1 - momentum) + unbiased * momentum,
    )


@operation("_native_batch_norm_legit.no_stats")
def _batch_norm_of_batch(
    x: Tensor, weight: Any, bias: Any, training: bool, momentum: float, eps: float
) -> tuple[Tensor, ...]:
    none = Tensor.zeros(x.shape[1])
    return _batch_norm_in_training(x, weight, bias, none, none, True, momentum, eps)[:3]


@operation("convolution.default")
def _convolution(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,
    output_padding: Sequence[int],
    groups: int,
) -> Tensor:
    """Of any number of axes of windows."""

    def widen(numbers: Sequence[int]) -> tuple[int, ...]:
        """PyTorch may give one number for all axes."""
        return tuple(numbers) * (x.ndim - 2) if len(numbers) == 1 else tuple(numbers)

    stride, dilation, output_padding = map(widen, (stride, dilation, output_padding))
    # Of each side, the last axis first.
    both = [p for p in reversed(widen(padding)) for _ in range(2)]
    if transposed:
        return x.conv_transpose2d(weight, bias, groups, stride, dilation, both, output_padding)
    return x.conv2d(weight, bias, groups, stride, dilation, both)


def _differentiate(
    function: Callable[..., Tensor], gradient: Tensor, *inputs: Tensor
) -> tuple[Tensor, ...]:
    """The gradients of what a function computes, by each of its arguments.

    No gradient flows any other way: the one that is given may have been computed from the same
    tensors, as where a model's activations are computed again for it, and two arguments may be one
    tensor. So each argument is an operation of its own, which a detached tensor is not.
    """
    own = [x.detach().contiguous_backward() for x in inputs]
    return tuple((function(*own) * gradient.detach()).sum().gradient(*own))


@operation("convolution_backward.default")
def _convolution_backward(
    gradient: Tensor,
    x: Tensor,
    weight: Tensor,
    bias_sizes: Any,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,
    output_padding: Sequence[int],
    groups: int,
    mask: Sequence[bool],
) -> tuple[Tensor | None, ...]:
    inputs = [part for part, wanted in zip((x, weight), mask) if wanted]
    rest = (stride, padding, dilation, transposed, output_padding, groups)

    def convolve(*own: Tensor) -> Tensor:
        return _convolution(own[0] if mask[0] else x, own[-1] if mask[1] else weight, None, *rest)

    found = iter(_differentiate(convolve, gradient, *inputs) if inputs else ())
    by_input, by_weight = (next(found) if wanted else None for wanted in mask[:2])
    axes = tuple(i for i in range(gradient.ndim) if i != 1)
    return by_input, by_weight, gradient.sum(axes) if mask[2] else None


# Pooling, of two and three axes. Numbers are for all axes, or one for each.


def _for_axes(axes: int, numbers: Any) -> tuple[int, ...]:
    each = [int(n) for n in ([numbers] if isinstance(numbers, int) else numbers)]
    return tuple(each * axes if len(each) == 1 else each)


def _sides(axes: int, padding: Any) -> list[int]:
    """Of each side, the last axis first."""
    return [p for p in reversed(_for_axes(axes, padding or 0)) for _ in range(2)]


def _replication_pad_backward(axes: int, gradient: Tensor, x: Tensor, padding: Any) -> Tensor:
    """The first and the last element of an axis have the gradients of all their copies."""

    def pad(x: Tensor) -> Tensor:
        for i in range(axes):
            size, before, after = int(x.shape[-1 - i]), padding[2 * i], padding[2 * i + 1]
            place = Tensor.arange(-before, size + after).clamp(0, size - 1)
            x = x.transpose(-1, -1 - i)[..., place].transpose(-1, -1 - i)
        return x

    return _differentiate(pad, gradient, x)[0]


for _axes in (1, 2, 3):
    operation(f"replication_pad{_axes}d_backward.default")(
        functools.partial(_replication_pad_backward, _axes)
    )


def _max_pool(axes: int, x: Tensor, size: Any, *rest: Any) -> tuple[Tensor, Tensor]:
    defaults: tuple[Any, ...] = ((), 0, 1, False)
    stride, padding, dilation, ceil = rest + defaults[len(rest) :]
    if x.ndim == axes + 1:
        values, indices = _max_pool(axes, x.unsqueeze(0), size, stride, padding, dilation, ceil)
        return values.squeeze(0), indices.squeeze(0)
    size = _for_axes(axes, size)
    stride = _for_axes(axes, stride) if stride else size
    dilation = _for_axes(axes, dilation)
    found: tuple[Tensor, Tensor] = x.max_pool2d(
        size, stride, dilation, _sides(axes, padding), ceil, return_indices=True
    )
    return found


def _max_pool_backward(axes: int, gradient: Tensor, x: Tensor, indices: Tensor) -> Tensor:
    """Windows overlap, so that an element may have several gradients."""
    count: int = math.prod(int(n) for n in x.shape[-axes:])
    flat = Tensor.zeros(*x.shape[:-axes], count, dtype=gradient.dtype)
    found = flat.scatter_reduce(-1, indices.flatten(-axes), gradient.flatten(-axes), "sum")
    return found.reshape(x.shape)


def _average_pool(axes: int, x: Tensor, size: Any, *rest: Any) -> Tensor:
    defaults: tuple[Any, ...] = ((), 0, False, True, None)
    stride, padding, ceil, counts_padding, divisor = rest + defaults[len(rest) :]
    size = _for_axes(axes, size)
    stride = _for_axes(axes, stride) if stride else size
    sides = _sides(axes, padding)
    if divisor is None:
        return x.avg_pool2d(size, stride, 1, sides, ceil, counts_padding)
    # The sums of windows, in which padding is 0.
    windows = x.avg_pool2d(size, stride, 1, sides, False, True)
    return Tensor.mul(windows, math.prod(size) / float(divisor))


def _refuse_average(x: Any, *args: Any) -> str | None:
    is_ceil, divisor = args[3:4], args[5:6]
    return "with ceil_mode and a divisor" if any(is_ceil) and any(divisor) else None


def _adaptive_average(axes: int, x: Tensor, sizes: Sequence[int]) -> Tensor:
    """Windows begin and end where their share of the axis does, rounded outwards."""
    given = [int(n) for n in x.shape[-axes:]]
    if all(m and n % m == 0 for n, m in zip(given, sizes)):
        return _average_pool(axes, x, [n // m for n, m in zip(given, sizes)])
    for i, (n, m) in enumerate(zip(given, sizes)):
        window, place = Tensor.arange(m).reshape(-1, 1), Tensor.arange(n)
        begin, end = window * n // m, (window * n + n + m - 1) // m
        weights = ((place >= begin) & (place < end)).cast(x.dtype) / (end - begin).cast(x.dtype)
        axis = i - axes
        x = x.transpose(axis, -1).matmul(weights.transpose(0, 1)).transpose(axis, -1)
    return x


def _adaptive_maximum(axes: int, x: Tensor, sizes: Sequence[int]) -> tuple[Tensor, Tensor]:
    """The elements of all windows, of which those of smaller ones are filled up."""
    given, sizes = [int(n) for n in x.shape[-axes:]], _for_axes(axes, sizes)
    if all(m and n % m == 0 for n, m in zip(given, sizes)):
        return _max_pool(axes, x, [n // m for n, m in zip(given, sizes)])
    lead = x.ndim - axes
    # Of each axis, its windows come before their elements.
    windows = x
    place: Any = 0
    is_inside: Any = True
    for i, (n, m) in enumerate(zip(given, sizes)):
        first = [k * n // m for k in range(m)]
        length = max(-(-(k + 1) * n // m) - begin for k, begin in enumerate(first))
        begin = (Tensor.arange(m, dtype=dtypes.int64) * n // m).reshape(-1, 1)
        end = ((Tensor.arange(m, dtype=dtypes.int64) + 1) * n + m - 1) // m
        along = begin + Tensor.arange(length, dtype=dtypes.int64)
        windows = windows[(slice(None),) * (lead + 2 * i) + (along.clamp(0, n - 1),)]
        shape = (1,) * (2 * i) + (m, length) + (1,) * (2 * (axes - 1 - i))
        place = place * n + along.clamp(0, n - 1).reshape(shape)
        is_inside = (along < end.reshape(-1, 1)).reshape(shape) & is_inside
    values = is_inside.where(windows, windows.dtype.min)
    order = [*range(lead), *range(lead, x.ndim + axes, 2), *range(lead + 1, x.ndim + axes, 2)]
    flat = values.permute(order).flatten(-axes)
    places = (place + Tensor.zeros(*values.shape, dtype=dtypes.int64)).permute(order).flatten(-axes)
    which = flat.argmax(-1, keepdim=True)
    return flat.max(-1), places.gather(-1, which).squeeze(-1)


for _axes, _average, _maximum in (
    (2, "avg_pool2d", "max_pool2d"),
    (3, "avg_pool3d", "max_pool3d"),
):
    operation(f"{_maximum}_with_indices.default")(functools.partial(_max_pool, _axes))
    operation(f"{_maximum}_with_indices_backward.default")(
        lambda gradient, x, *args, axes=_axes: _max_pool_backward(axes, gradient, x, args[-1])
    )
    operation(f"adaptive_{_maximum}.default")(functools.partial(_adaptive_maximum, _axes))
    operation(f"adaptive_{_maximum}_backward.default")(functools.partial(_max_pool_backward, _axes))
    operation(f"{_average}.default")(functools.partial(_average_pool, _axes))
    operation(f"{_average}_backward.default")(
        lambda gradient, x, *args, axes=_axes: _differentiate(
            lambda x: _average_pool(axes, x, *args), gradient, x
        )[0]
    )
    REFUSALS[f"aten.{_average}.default"] = _refuse_average
    REFUSALS[f"aten.{_average}_backward.default"] = lambda _, x, *args: _refuse_average(x, *args)
    operation(f"_adaptive_{_average}.default")(functools.partial(_adaptive_average, _axes))
    operation(f"_adaptive_{_average}_backward.default")(
        lambda gradient, x, axes=_axes: _differentiate(
            lambda x: _adaptive_average(axes, x, gradient.shape[-axes:]), gradient, x
        )[0]
    )


@operation("_scaled_dot_product_flash_attention_for_cpu_backward.default")
def _attention_backward(
    gradient: Tensor,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    out: Tensor,
    logsumexp: Tensor,
    dropout: float,
    is_causal: bool,
    *,
    attn_mask: Tensor | None = None,
    scale: float | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    scale = float(q.shape[-1]) ** -0.5 if scale is None else scale
    # Several heads of queries may share one of keys and values, next to each other.
    shared = int(q.shape[-3]) // int(k.shape[-3])
    k, v = (part.repeat_interleave(shared, -3) if shared > 1 else part for part in (k, v))
    scores = q.matmul(k.transpose(-1, -2)) * scale
    if is_causal:
        seen = Tensor.ones(*scores.shape[-2:], dtype=dtypes.bool).tril()
        scores = seen.where(scores, -math.inf)
    if attn_mask is not None:
        scores = scores + attn_mask
    # A row that sees nothing has no weights.
    weights = (scores == -math.inf).where(0, scores.softmax(-1))
    by_weights = gradient.matmul(v.transpose(-1, -2))
    by_scores = weights * (by_weights - (gradient * out).sum(-1, keepdim=True)) * scale
    by_k, by_v = by_scores.transpose(-1, -2).matmul(q), weights.transpose(-1, -2).matmul(gradient)
    if shared > 1:
        by_k, by_v = (part.unflatten(-3, (-1, shared)).sum(-3) for part in (by_k, by_v))
    return by_scores.matmul(k), by_k, by_v


# Sums and averages of rows of a table, for bags of indices that begin at offsets.


def _bag_of(indices: Tensor, offsets: Tensor) -> Tensor:
    """The number of the bag of each index."""
    place = Tensor.arange(indices.shape[0], dtype=dtypes.int64).reshape(-1, 1)
    found: Tensor = (offsets.reshape(1, -1) <= place).sum(1).cast(indices.dtype) - 1
    return found


def _add_rows(count: int, places: Tensor, rows: Tensor) -> Tensor:
    found = Tensor.zeros(count, *rows.shape[1:], dtype=rows.dtype)
    shape = (-1,) + (1,) * (rows.ndim - 1)
    return found.scatter_reduce(0, places.reshape(shape).expand(rows.shape), rows, "sum")


def _weigh(
    rows: Tensor,
    indices: Tensor,
    bag: Tensor,
    bags: int,
    mode: int,
    weights: Tensor | None,
    padding_idx: int,
) -> Tensor:
    """Rows of indices: times their weights, or as parts of an average; those of padding are 0."""
    if weights is not None:
        rows = rows * weights.reshape(-1, 1)
    counts = indices != padding_idx if padding_idx >= 0 else indices == indices
    if mode == 1:
        size = _add_rows(bags, bag, counts.int()).maximum(1)[bag]
        rows = rows / size.cast(rows.dtype).reshape(-1, 1)
    return counts.reshape(-1, 1).where(rows, 0)


@operation("_embedding_bag.default", "_embedding_bag_forward_only.default")
def _embedding_bag(
    weight: Tensor,
    indices: Tensor,
    offsets: Tensor,
    scale_grad_by_freq: bool = False,
    mode: int = 0,
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int = -1,
) -> tuple[Tensor | None, ...]:
    """What else PyTorch returns is for its own computation of gradients."""
    bags = int(offsets.shape[0]) - int(include_last_offset)
    bag = _bag_of(indices, offsets[:bags])
    rows = _weigh(weight[indices], indices, bag, bags, mode, per_sample_weights, padding_idx)
    return _add_rows(bags, bag, rows), None, None, None


@operation("_embedding_bag_backward.default")
def _embedding_bag_backward(
    gradient: Tensor,
    indices: Tensor,
    offsets: Tensor,
    bag: Tensor,
    size: Tensor,
    maxima: Tensor,
    num_weights: int,
    scale_grad_by_freq: bool,
    mode: int,
    sparse: bool,
    per_sample_weights: Tensor | None,
    padding_idx: int = -1,
) -> Tensor:
    bags = int(gradient.shape[0])
    bag = _bag_of(indices, offsets[:bags])
    rows = _weigh(gradient[bag], indices, bag, bags, mode, per_sample_weights, padding_idx)
    return _add_rows(num_weights, indices, rows)


def _refuse_bags(
    weight: Any, indices: Any, offsets: Any, scales: bool = False, mode: int = 0, *rest: Any
) -> str | None:
    return "of maxima" if mode == 2 else "that scales by frequencies" if scales else None


REFUSALS["aten._embedding_bag.default"] = _refuse_bags
REFUSALS["aten._embedding_bag_forward_only.default"] = _refuse_bags
REFUSALS["aten._embedding_bag_backward.default"] = lambda *args: _refuse_bags(*args[:3], *args[7:9])
