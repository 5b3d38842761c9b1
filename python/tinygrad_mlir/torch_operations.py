"""The operations of PyTorch's graphs (core ATen) as methods of Tensor.

A table from names, such as "aten.add.Tensor", to functions of tensors of this package. Whoever
calls them casts what they return to the type that PyTorch says the result has.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from tinygrad_mlir._core import DType, Tensor
from tinygrad_mlir.dtype import dtypes

__all__ = ["DTYPES", "OPERATIONS", "REFUSALS"]

DTYPES: dict[torch.dtype, DType] = {
    torch.bool: dtypes.bool,
    torch.uint8: dtypes.uint8,
    torch.int8: dtypes.int8,
    torch.int16: dtypes.int16,
    torch.int32: dtypes.int32,
    torch.int64: dtypes.int64,
    torch.float16: dtypes.float16,
    torch.bfloat16: dtypes.bfloat16,
    torch.float32: dtypes.float32,
    torch.float64: dtypes.float64,
}

OPERATIONS: dict[str, Callable[..., Any]] = {}
# For some of them, what arguments they are not compiled with, in words; else None. They are called
# with the arguments of a node, of which tensors are nodes.
REFUSALS: dict[str, Callable[..., str | None]] = {}


def _operation(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        OPERATIONS.update((f"aten.{name}", function) for name in names)
        return function

    return add


def _compute_in_float(x: Tensor) -> Tensor:
    return x if x.is_floating_point() else x.float()


# Of one tensor

for _name in (
    "abs neg sign exp2 floor ceil trunc round relu bitwise_not logical_not isnan sin cos tan asin "
    "acos atan sinh cosh tanh asinh acosh atanh exp log log2 log10 sqrt rsqrt reciprocal erf "
    "sigmoid silu"
).split():
    _operation(f"{_name}.default")(getattr(Tensor, _name))


@_operation("alias.default", "detach.default", "lift_fresh_copy.default", "_to_copy.default")
@_operation("clone.default", "contiguous.default")
def _same(x: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """The type of the result is that of the cast which follows."""
    return x


_operation("isinf.default")(lambda x: x.isinf())
_operation("log1p.default")(lambda x: (_compute_in_float(x) + 1).log())
_operation("square.default")(lambda x: x.square())
_operation("leaky_relu.default")(lambda x, slope=0.01: x.leaky_relu(slope))
_operation("hardtanh.default")(lambda x, low=-1.0, high=1.0: x.clamp(low, high))
_operation("gelu.default")(lambda x, approximate="none": x.gelu(approximate))


@_operation("expm1.default")
def _expm1(x: Tensor) -> Tensor:
    """By tanh near 0, where the difference of exp(x) and 1 has few correct digits."""
    x = _compute_in_float(x)
    half = (x / 2).tanh()
    return (x.abs() < 1).where(2 * half / (1 - half), x.exp() - 1)


@_operation("elu.default")
def _elu(x: Tensor, alpha: float = 1, scale: float = 1, input_scale: float = 1) -> Tensor:
    return (x > 0).where(x * scale, alpha * scale * _expm1(x * input_scale))


# Of two and three tensors


def _pair(name: str) -> Callable[..., Tensor]:
    def apply(x: Tensor, y: Any) -> Tensor:
        result: Tensor = getattr(x, name)(y)
        return result

    return apply


for _name in (
    "maximum minimum bitwise_and bitwise_or bitwise_xor fmod copysign eq ne lt le gt ge mul".split()
):
    _function = _pair(_name)
    _kinds = ("default",) if _name in ("maximum", "minimum") else ("Tensor", "Scalar")
    _operation(*[f"{_name}.{kind}" for kind in _kinds])(_function)
for _name, _method in (("left", "lshift"), ("right", "rshift")):
    _names = [f"bitwise_{_name}_shift.{kind}" for kind in ("Tensor", "Tensor_Scalar")]
    _names += [f"__{_method}__.{kind}" for kind in ("Tensor", "Scalar")]
    _operation(*_names)(_pair(_method))
_operation("remainder.Tensor", "remainder.Scalar")(_pair("mod"))
_operation("pow.Tensor_Tensor", "pow.Tensor_Scalar")(_pair("pow"))
_operation("pow.Scalar")(lambda x, y: y.pow(x, reverse=True))
_operation("where.self")(lambda condition, x, y: condition.where(x, y))
_operation("logical_and.default")(lambda x, y: x.bool().bitwise_and(y.bool()))
_operation("logical_or.default")(lambda x, y: x.bool().bitwise_or(y.bool()))
_operation("logical_xor.default")(lambda x, y: x.bool().bitwise_xor(y.bool()))
_operation("clamp.default", "clamp.Tensor")(lambda x, low=None, high=None: x.clamp(low, high))


@_operation("add.Tensor", "add.Scalar")
def _add(x: Any, y: Any, alpha: Any = 1) -> Any:
    """Either may be a number."""
    return x + (y if alpha == 1 else y * alpha)


@_operation("sub.Tensor", "sub.Scalar")
def _sub(x: Any, y: Any, alpha: Any = 1) -> Any:
    return x - (y if alpha == 1 else y * alpha)


@_operation("div.Tensor", "div.Scalar", "div.Tensor_mode", "div.Scalar_mode")
def _div(x: Tensor, y: Any, rounding_mode: str | None = None) -> Tensor:
    return x.div(y, rounding_mode=rounding_mode)


# Reductions

Axes = int | Sequence[int] | None


def _axes(axes: Axes) -> Axes:
    """PyTorch's empty list means all axes."""
    return None if isinstance(axes, (list, tuple)) and not axes else axes


def _reduction(name: str) -> Callable[..., Tensor]:
    def apply(x: Tensor, dim: Axes = None, keepdim: bool = False, dtype: Any = None) -> Tensor:
        if dtype is not None:
            x = x.cast(DTYPES[dtype])
        result: Tensor = getattr(x, name)(_axes(dim), keepdim)
        return result

    return apply


_operation("sum.dim_IntList")(_reduction("sum"))
_operation("mean.dim")(_reduction("mean"))
_operation("amax.default", "max.default")(_reduction("max"))
_operation("amin.default", "min.default")(_reduction("min"))
_operation("any.default", "any.dim", "any.dims")(_reduction("any"))
_operation("all.default", "all.dim", "all.dims")(_reduction("all"))
_operation("argmax.default")(_reduction("argmax"))
_operation("argmin.default")(_reduction("argmin"))
_operation("prod.dim_int")(_reduction("prod"))
_operation("cumsum.default")(lambda x, dim, dtype=None: x.cumsum(dim))
_operation("cumprod.default")(lambda x, dim, dtype=None: x.cumprod(dim))
for _name in ("sum", "mean", "prod"):
    _operation(f"{_name}.default")(lambda x, dtype=None, f=_reduction(_name): f(x, dtype=dtype))


@_operation("max.dim")
def _max(x: Tensor, dim: int, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    return x.max(dim, keepdim), x.argmax(dim, keepdim)


@_operation("min.dim")
def _min(x: Tensor, dim: int, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    return x.min(dim, keepdim), x.argmin(dim, keepdim)


@_operation("var.correction")
def _var(x: Tensor, dim: Axes = None, *, correction: Any = 1, keepdim: bool = False) -> Tensor:
    return x.var(_axes(dim), keepdim, 1 if correction is None else int(correction))


@_operation("var_mean.correction")
def _var_mean(x: Tensor, dim: Axes = None, *, correction: Any = 1, keepdim: bool = False) -> Any:
    return x.var_mean(_axes(dim), keepdim, 1 if correction is None else int(correction))


_operation("_softmax.default")(lambda x, dim, half_to_float: x.softmax(dim))
_operation("_log_softmax.default")(lambda x, dim, half_to_float: x.log_softmax(dim))
_operation("topk.default")(lambda x, k, dim=-1, largest=True, sorted=True: x.topk(k, dim, largest))
_operation("sort.default")(lambda x, dim=-1, descending=False: x.sort(dim, descending))


# Shapes

_operation("view.default", "_unsafe_view.default", "reshape.default")(
    lambda x, shape: x.reshape(shape)
)
_operation("permute.default")(lambda x, order: x.permute(order))
_operation("transpose.int")(lambda x, first, second: x.transpose(first, second))
_operation("unsqueeze.default")(lambda x, dim: x.unsqueeze(dim))
_operation("flip.default")(lambda x, dims: x.flip(dims))
_operation("roll.default")(lambda x, shifts, dims=(): x.roll(shifts, dims or None))
_operation("cat.default")(lambda tensors, dim=0: Tensor.cat(*_not_empty(tensors), dim=dim))
_operation("repeat.default")(lambda x, times: x.repeat(times))
_operation("split_with_sizes.default")(lambda x, sizes, dim=0: x.split(sizes, dim))
_operation("tril.default")(lambda x, diagonal=0: x.tril(diagonal))
_operation("triu.default")(lambda x, diagonal=0: x.triu(diagonal))
_operation("diagonal.default")(lambda x, offset=0, dim1=0, dim2=1: x.diagonal(offset, dim1, dim2))


def _not_empty(tensors: Sequence[Tensor]) -> list[Tensor]:
    """Without those of the shape (0,), which PyTorch joins to any other."""
    return [x for x in tensors if x.shape != (0,)] or list(tensors[:1])


@_operation("expand.default")
def _expand(x: Tensor, shape: Sequence[int], implicit: bool = False) -> Tensor:
    return x.reshape((1,) * (len(shape) - x.ndim) + tuple(x.shape)).expand(shape)


@_operation("squeeze.default", "squeeze.dim", "squeeze.dims")
def _squeeze(x: Tensor, dims: int | Sequence[int] | None = None) -> Tensor:
    if dims is None:
        return x.squeeze()
    dims = [dims] if isinstance(dims, int) else dims
    removed = {dim % max(x.ndim, 1) for dim in dims}
    return x.reshape([n for i, n in enumerate(x.shape) if i not in removed or n != 1])


def _slice(dim: int, part: Any) -> tuple[Any, ...]:
    return (slice(None),) * dim + (part,)


@_operation("slice.Tensor")
def _take_slice(
    x: Tensor, dim: int = 0, start: Any = None, end: Any = None, step: int = 1
) -> Tensor:
    return x[_slice(dim % x.ndim, slice(start, end, step))]


@_operation("select.int")
def _select(x: Tensor, dim: int, index: int) -> Tensor:
    return x[_slice(dim % x.ndim, index)]


def _replace(x: Tensor, index: Any, source: Tensor) -> Tensor:
    result = x.clone()
    result[index] = source.cast(x.dtype)
    return result


@_operation("slice_scatter.default")
def _slice_scatter(
    x: Tensor, source: Tensor, dim: int = 0, start: Any = None, end: Any = None, step: int = 1
) -> Tensor:
    return _replace(x, _slice(dim % x.ndim, slice(start, end, step)), source)


@_operation("select_scatter.default")
def _select_scatter(x: Tensor, source: Tensor, dim: int, index: int) -> Tensor:
    return _replace(x, _slice(dim % x.ndim, index), source)


@_operation("constant_pad_nd.default")
def _constant_pad(x: Tensor, padding: Sequence[int], value: Any = 0) -> Tensor:
    return x.pad(tuple(padding), value=value)


# Indices


@_operation("embedding.default")
def _embedding(weight: Tensor, indices: Tensor, *args: Any) -> Tensor:
    return weight[indices]


@_operation("index.Tensor")
def _index(x: Tensor, indices: Sequence[Tensor | None]) -> Tensor:
    return x[tuple(slice(None) if index is None else index for index in indices)]


@_operation("index_put.default")
def _index_put(
    x: Tensor, indices: Sequence[Tensor | None], values: Tensor, accumulate: bool = False
) -> Tensor:
    """By the position of each picked element among all of them; a mask by `where`."""
    if any(index is not None and index.dtype == dtypes.bool for index in indices):
        mask = indices[0]
        assert mask is not None
        mask = mask.reshape(tuple(mask.shape) + (1,) * (x.ndim - mask.ndim))
        return mask.where(values.reshape(()), x)
    total = math.prod(int(n) for n in x.shape)
    where = Tensor.arange(total, dtype=dtypes.int64).reshape(x.shape)
    positions = _index(where, indices)
    values = values.cast(x.dtype).expand(positions.shape).flatten()
    flat, positions = x.flatten(), positions.flatten()
    if accumulate:
        return flat.scatter_reduce(0, positions, values, "sum").reshape(x.shape)
    return flat.scatter(0, positions, values).reshape(x.shape)


def _refuse_masks(x: Any, indices: Any, values: Any, accumulate: bool = False) -> str | None:
    masks = [i for i in indices if i is not None and i.meta["val"].dtype == torch.bool]
    is_number = all(isinstance(n, int) and n == 1 for n in values.meta["val"].shape)
    is_simple = len(indices) == 1 and not accumulate and is_number
    return None if is_simple or not masks else "with a mask and several values"


REFUSALS["aten.index_put.default"] = _refuse_masks

_operation("gather.default")(lambda x, dim, index, sparse_grad=False: x.gather(dim, index))
_operation("index_select.default")(lambda x, dim, index: x[_slice(dim % x.ndim, index)])
_operation("scatter.src", "scatter.value")(
    lambda x, dim, index, source: x.scatter(dim, index, source)
)
_operation("scatter_add.default")(
    lambda x, dim, index, source: x.scatter_reduce(dim, index, source, "sum")
)


# New tensors


@_operation("full.default")
def _full(shape: Sequence[int], value: Any, **options: Any) -> Tensor:
    return Tensor.full(tuple(shape), value, dtype=_dtype_of(options, None))


def _dtype_of(options: dict[str, Any], default: DType | None) -> DType | None:
    dtype = options.get("dtype")
    return default if dtype is None else DTYPES[dtype]


@_operation("full_like.default")
def _full_like(x: Tensor, value: Any, **options: Any) -> Tensor:
    return Tensor.full(x.shape, value, dtype=_dtype_of(options, x.dtype))


@_operation("zeros_like.default", "empty_like.default", "new_zeros.default")
def _zeros_like(x: Tensor, *args: Any, **options: Any) -> Tensor:
    shape = args[0] if args else x.shape
    return Tensor.full(tuple(shape), 0, dtype=_dtype_of(options, x.dtype))


@_operation("ones_like.default")
def _ones_like(x: Tensor, **options: Any) -> Tensor:
    return Tensor.full(x.shape, 1, dtype=_dtype_of(options, x.dtype))


@_operation("empty.memory_format")
def _empty(shape: Sequence[int], **options: Any) -> Tensor:
    return Tensor.full(tuple(shape), 0, dtype=_dtype_of(options, None))


@_operation("scalar_tensor.default")
def _scalar_tensor(value: Any, **options: Any) -> Tensor:
    return Tensor.full((), value, dtype=_dtype_of(options, None))


@_operation("arange.start_step")
def _arange(start: Any, end: Any, step: Any = 1, **options: Any) -> Tensor:
    default = dtypes.int64 if all(isinstance(x, int) for x in (start, end, step)) else None
    return Tensor.arange(start, end, step, dtype=_dtype_of(options, default))


# Random numbers are those of Tensor.manual_seed().

_operation("rand.default")(lambda shape, **options: Tensor.rand(*shape))
_operation("randn.default")(lambda shape, **options: Tensor.randn(*shape))


@_operation("native_dropout.default")
def _dropout(x: Tensor, p: float, train: bool | None) -> tuple[Tensor, Tensor]:
    if not train or p == 0:
        return x, Tensor.full(x.shape, True, dtype=dtypes.bool)
    kept = Tensor.rand(*x.shape) >= p
    return kept.where(x * (1 / (1 - p) if p < 1 else 0), 0), kept


# Networks

_operation("mm.default", "bmm.default")(lambda x, y: x.matmul(y))


@_operation("addmm.default")
def _addmm(bias: Tensor, x: Tensor, y: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    product = x.matmul(y)
    return product.mul(alpha).add(0 if beta == 0 else bias * beta)


def _scaled(x: Tensor, weight: Tensor | None, bias: Tensor | None) -> Tensor:
    x = x if weight is None else x * weight
    return x if bias is None else x + bias


@_operation("native_layer_norm.default")
def _layer_norm(
    x: Tensor, shape: Sequence[int], weight: Tensor | None, bias: Tensor | None, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    axes = tuple(range(-len(shape), 0))
    values = x.float() if x.element_size() < 4 else x
    variance, mean = values.var_mean(axes, True, 0)
    scale = (variance + eps).rsqrt()
    return _scaled((values - mean) * scale, weight, bias), mean, scale


@_operation("native_group_norm.default")
def _group_norm(
    x: Tensor, weight: Any, bias: Any, n: int, c: int, size: int, groups: int, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    values = x.reshape(n, groups, -1)
    variance, mean = values.var_mean(2, True, 0)
    scale = (variance + eps).rsqrt()
    shape = (1, c) + (1,) * (x.ndim - 2)
    weight, bias = (None if w is None else w.reshape(shape) for w in (weight, bias))
    y = ((values - mean) * scale).reshape(x.shape)
    return _scaled(y, weight, bias), mean.squeeze(2), scale.squeeze(2)


@_operation("_native_batch_norm_legit_no_training.default")
def _batch_norm(
    x: Tensor, weight: Any, bias: Any, mean: Tensor, variance: Tensor, momentum: float, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    shape = (1, -1) + (1,) * (x.ndim - 2)
    scale = (variance + eps).rsqrt()
    scale = scale if weight is None else scale * weight
    y = (x - mean.reshape(shape)) * scale.reshape(shape)
    return y if bias is None else y + bias.reshape(shape), Tensor([]), Tensor([])


@_operation("_native_batch_norm_legit_functional.default")
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


@_operation("convolution.default")
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


def _differentiate(y: Tensor, gradient: Tensor, *inputs: Tensor) -> tuple[Tensor, ...]:
    """What the gradient of y is by each of the inputs."""
    return tuple((y * gradient).sum().gradient(*inputs))


@_operation("convolution_backward.default")
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
    y = _convolution(x, weight, None, stride, padding, dilation, transposed, output_padding, groups)
    inputs = [part for part, wanted in zip((x, weight), mask) if wanted]
    found = iter(_differentiate(y, gradient, *inputs) if inputs else ())
    by_input, by_weight = (next(found) if wanted else None for wanted in mask[:2])
    axes = tuple(i for i in range(gradient.ndim) if i != 1)
    return by_input, by_weight, gradient.sum(axes) if mask[2] else None


def _sides(padding: Any) -> Any:
    return [p for p in reversed(padding) for _ in range(2)] if padding else 0


@_operation("max_pool2d_with_indices.default")
def _max_pool(
    x: Tensor, size: Any, stride: Any = (), padding: Any = (), dilation: Any = 1, ceil: bool = False
) -> Any:
    if x.ndim == 3:
        return tuple(
            part.squeeze(0)
            for part in _max_pool(x.unsqueeze(0), size, stride, padding, dilation, ceil)
        )
    return x.max_pool2d(
        size, stride or size, dilation, _pair_of_sides(padding), ceil, return_indices=True
    )


def _pair_of_sides(padding: Any) -> Any:
    padding = [padding] * 2 if isinstance(padding, int) else list(padding)
    return _sides(padding * 2 if len(padding) == 1 else padding)


@_operation("max_pool2d_with_indices_backward.default")
def _max_pool_backward(
    gradient: Tensor,
    x: Tensor,
    size: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    ceil: Any,
    indices: Tensor,
) -> Tensor:
    """Windows overlap, so that an element may have several gradients."""
    flat = Tensor.zeros(*x.shape[:-2], int(x.shape[-2]) * int(x.shape[-1]), dtype=gradient.dtype)
    found = flat.scatter_reduce(-1, indices.flatten(-2), gradient.flatten(-2), "sum")
    return found.reshape(x.shape)


@_operation("avg_pool2d.default")
def _avg_pool(
    x: Tensor,
    size: Any,
    stride: Any = (),
    padding: Any = 0,
    ceil: bool = False,
    counts_padding: bool = True,
    divisor: Any = None,
) -> Tensor:
    sides = _pair_of_sides(padding)
    if divisor is None:
        return x.avg_pool2d(size, stride or size, 1, sides, ceil, counts_padding)
    # The sums of windows, in which padding is 0.
    windows = x.avg_pool2d(size, stride or size, 1, sides, False, True)
    count: int = math.prod([size, size] if isinstance(size, int) else size)
    return windows * (count / float(divisor))


def _refuse_average(x: Any, *args: Any) -> str | None:
    is_ceil, divisor = args[3:4], args[5:6]
    return "with ceil_mode and a divisor" if any(is_ceil) and any(divisor) else None


REFUSALS["aten.avg_pool2d.default"] = _refuse_average
REFUSALS["aten.avg_pool2d_backward.default"] = lambda _, x, *args: _refuse_average(x, *args)


@_operation("avg_pool2d_backward.default")
def _avg_pool_backward(gradient: Tensor, x: Tensor, *args: Any) -> Tensor:
    return _differentiate(_avg_pool(x, *args), gradient, x)[0]


@_operation("_scaled_dot_product_flash_attention_for_cpu_backward.default")
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
    scores = q.matmul(k.transpose(-1, -2)) * scale
    if is_causal:
        seen = Tensor.ones(*scores.shape[-2:], dtype=dtypes.bool).tril()
        scores = seen.where(scores, -math.inf)
    if attn_mask is not None:
        scores = scores + attn_mask
    weights = scores.softmax(-1)
    by_weights = gradient.matmul(v.transpose(-1, -2))
    by_scores = weights * (by_weights - (gradient * out).sum(-1, keepdim=True)) * scale
    return (
        by_scores.matmul(k),
        by_scores.transpose(-1, -2).matmul(q),
        weights.transpose(-1, -2).matmul(gradient),
    )
