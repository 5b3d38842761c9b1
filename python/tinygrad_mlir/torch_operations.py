"""The operations of PyTorch's graphs (core ATen) as methods of Tensor.

A table from names, such as "aten.add.Tensor", to functions of tensors of this package. Whoever
calls them casts what they return to the type that PyTorch says the result has.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

import torch

from tinygrad_mlir._core import DType, Tensor
from tinygrad_mlir.dtype import dtypes

__all__ = [
    "DTYPES",
    "ON_MEMORY",
    "OPERATIONS",
    "REFUSALS",
    "VIEWS",
    "find_memory",
    "operation",
    "turn_back",
]

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
# Those that depend on where the elements of their first argument are in memory: they are called
# with what find_memory finds instead, with its strides and its offset, and the argument's offset.
ON_MEMORY: set[str] = set()


Function = TypeVar("Function", bound=Callable[..., Any])


def operation(*names: str) -> Callable[[Function], Function]:
    def add(function: Function) -> Function:
        OPERATIONS.update((f"aten.{name}", function) for name in names)
        return function

    return add


def _of_rank_1(function: Function) -> Function:
    """For PyTorch, tensors without axes have the axis 0, too."""

    def apply(*args: Any, **kwargs: Any) -> Any:
        lifted = [x.reshape(1) if isinstance(x, Tensor) and x.ndim == 0 else x for x in args]
        return function(*lifted, **kwargs)

    return cast(Function, apply)


def _compute_in_float(x: Tensor) -> Tensor:
    return x if x.is_floating_point() else x.float()


# Of one tensor

for _name in (
    "abs neg exp2 floor ceil trunc round relu bitwise_not logical_not isnan sin cos tan asin "
    "acos atan sinh cosh tanh asinh acosh atanh exp log log2 log10 sqrt rsqrt reciprocal erf "
    "sigmoid silu"
).split():
    operation(f"{_name}.default")(getattr(Tensor, _name))


@operation("alias.default", "detach.default", "lift_fresh_copy.default", "_to_copy.default")
@operation("clone.default", "contiguous.default")
def _same(x: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """The type of the result is that of the cast which follows."""
    return x


@operation("sign.default")
def _sign(x: Tensor) -> Tensor:
    """0 of NaN."""
    return x.isnan().where(0, x.sign()) if x.is_floating_point() else x.sign()


operation("isinf.default")(lambda x: x.isinf())
operation("square.default")(lambda x: x.square())
operation("leaky_relu.default")(lambda x, slope=0.01: x.leaky_relu(slope))
operation("hardtanh.default")(lambda x, low=-1.0, high=1.0: x.clamp(low, high))
operation("gelu.default")(lambda x, approximate="none": x.gelu(approximate))


@operation("expm1.default")
def _expm1(x: Tensor) -> Tensor:
    """By tanh near 0, where the difference of exp(x) and 1 has few correct digits."""
    x = _compute_in_float(x)
    half = (x / 2).tanh()
    return (x.abs() < 1).where(2 * half / (1 - half), x.exp() - 1)


@operation("log1p.default")
def _log1p(x: Tensor) -> Tensor:
    """W. Kahan's: the quotient has the digits of x that the sum loses."""
    x = _compute_in_float(x)
    y = x + 1
    result = (y == 1).where(x, y.log() * (x / (y - 1)))
    return (y == float("inf")).where(y, result)


@operation("round.decimals")
def _round(x: Tensor, *, decimals: int = 0) -> Tensor:
    if not x.is_floating_point():
        return x
    scale = 10.0 ** abs(decimals)
    return (x * scale).round() / scale if decimals >= 0 else (x / scale).round() * scale


@operation("elu.default")
def _elu(x: Tensor, alpha: float = 1, scale: float = 1, input_scale: float = 1) -> Tensor:
    return (x > 0).where(x * scale, alpha * scale * _expm1(x * input_scale))


# Of two and three tensors


def _wrap(x: Any, y: Any) -> Any:
    """`y` in the type that PyTorch computes in: that of `x`, if both are integers and y is a number
    or a tensor without axes next to one that has some. Then -1 is 255 next to uint8."""
    if not isinstance(x, Tensor) or not dtypes.is_int(x.dtype):
        return y
    if isinstance(y, int) and not isinstance(y, bool):
        least = int(dtypes.min(x.dtype))
        return (y - least) % (1 << 8 * x.dtype.itemsize) + least
    if isinstance(y, Tensor) and y.ndim == 0 < x.ndim and dtypes.is_int(y.dtype):
        return y.cast(x.dtype)
    return y


def _pair(name: str) -> Callable[..., Tensor]:
    def apply(x: Tensor, y: Any) -> Tensor:
        result: Tensor = getattr(_wrap(y, x), name)(_wrap(x, y))
        return result

    return apply


for _name in (
    "maximum minimum bitwise_and bitwise_or bitwise_xor fmod copysign eq ne lt le gt ge mul".split()
):
    _function = _pair(_name)
    _kinds = ("default",) if _name in ("maximum", "minimum") else ("Tensor", "Scalar")
    operation(*[f"{_name}.{kind}" for kind in _kinds])(_function)
for _name, _method in (("left", "lshift"), ("right", "rshift")):
    _names = [f"bitwise_{_name}_shift.{kind}" for kind in ("Tensor", "Tensor_Scalar")]
    _names += [f"__{_method}__.{kind}" for kind in ("Tensor", "Scalar")]
    operation(*_names)(lambda x, y, method=_method: getattr(x, method)(y))
operation("remainder.Tensor", "remainder.Scalar")(_pair("mod"))
operation("pow.Tensor_Tensor", "pow.Tensor_Scalar")(lambda x, y: x.pow(y))
operation("pow.Scalar")(lambda x, y: y.pow(x, reverse=True))
operation("where.self")(lambda condition, x, y: condition.where(x, y))
operation("logical_and.default")(lambda x, y: x.bool().bitwise_and(y.bool()))
operation("logical_or.default")(lambda x, y: x.bool().bitwise_or(y.bool()))
operation("logical_xor.default")(lambda x, y: x.bool().bitwise_xor(y.bool()))
operation("clamp.default")(lambda x, low=None, high=None: x.clamp(low, high))
operation("clamp.Tensor")(lambda x, low=None, high=None: x.clamp(_wrap(x, low), _wrap(x, high)))


operation("clamp_min.default")(lambda x, low: x.clamp(low, None))
operation("clamp_min.Tensor")(lambda x, low: x.clamp(_wrap(x, low), None))
operation("clamp_max.default")(lambda x, high: x.clamp(None, high))
operation("clamp_max.Tensor")(lambda x, high: x.clamp(None, _wrap(x, high)))


@operation("add.Tensor", "add.Scalar")
def _add(x: Any, y: Any, alpha: Any = 1) -> Any:
    """Either may be a number."""
    return x + (y if alpha == 1 else y * alpha)


@operation("sub.Tensor", "sub.Scalar")
def _sub(x: Any, y: Any, alpha: Any = 1) -> Any:
    return x - (y if alpha == 1 else y * alpha)


@operation("div.Tensor", "div.Scalar", "div.Tensor_mode", "div.Scalar_mode")
def _div(x: Tensor, y: Any, rounding_mode: str | None = None) -> Tensor:
    if rounding_mode is not None:
        x, y = _wrap(y, x), _wrap(x, y)
    return x.div(y, rounding_mode=rounding_mode)


# x * y + z, which the optimizers of PyTorch are decomposed into.
OPERATIONS["prims.fma.default"] = lambda x, y, z: x * y + z


@operation("fmax.default")
def _fmax(x: Tensor, y: Tensor) -> Tensor:
    """The other one of a number and NaN."""
    x, y = _wrap(y, x), _wrap(x, y)
    return x.isnan().where(y, y.isnan().where(x, x.maximum(y)))


@operation("fmin.default")
def _fmin(x: Tensor, y: Tensor) -> Tensor:
    x, y = _wrap(y, x), _wrap(x, y)
    return x.isnan().where(y, y.isnan().where(x, x.minimum(y)))


@operation("signbit.default")
def _has_sign(x: Tensor) -> Tensor:
    """Also of -0."""
    return (
        Tensor.full(x.shape, 1, dtype=x.dtype).copysign(x) < 0 if x.is_floating_point() else x < 0
    )


@operation("atan2.default")
def _atan2(y: Tensor, x: Tensor) -> Tensor:
    """By the arc tangent of a number from 0 to 1."""
    y, x = (_compute_in_float(part) for part in (y, x))
    least, most = y.abs().minimum(x.abs()), y.abs().maximum(x.abs())
    ratio = (most == 0).where(0, (least == math.inf).where(1, least / most))
    angle = ratio.atan()
    angle = (y.abs() > x.abs()).where(math.pi / 2 - angle, angle)
    angle = _has_sign(x).where(math.pi - angle, angle)
    return (x.isnan() | y.isnan()).where(math.nan, angle.copysign(y))


@operation("hypot.default")
def _hypot(x: Tensor, y: Tensor) -> Tensor:
    """Of numbers whose squares overflow, too."""
    least, most = x.abs().minimum(y.abs()), x.abs().maximum(y.abs())
    ratio = (most == 0).where(0, least / most)
    return (x.isinf() | y.isinf()).where(math.inf, most * (1 + ratio.square()).sqrt())


@operation("angle.default")
def _angle(x: Tensor) -> Tensor:
    """Of real numbers: pi for those below 0."""
    return x.isnan().where(math.nan, (x < 0).where(math.pi, 0.0))


# Reductions

Axes = int | Sequence[int] | None


def _axes(axes: Axes) -> Axes:
    """PyTorch's empty list means all axes."""
    return None if isinstance(axes, (list, tuple)) and not axes else axes


def _accumulate_in(x: Tensor, dtype: Any) -> Tensor:
    """As the type of a sum or product: unless one is given, integers and bools become int64."""
    if dtype is None:
        return x if x.is_floating_point() else x.cast(dtypes.int64)
    return x.cast(DTYPES[dtype])


def _reduction(name: str) -> Callable[..., Tensor]:
    def apply(x: Tensor, dim: Axes = None, keepdim: bool = False, dtype: Any = None) -> Tensor:
        x = _accumulate_in(x, dtype) if name in ("sum", "prod", "mean") else x
        result: Tensor = getattr(x, name)(_axes(dim), keepdim)
        return result

    return apply


operation("sum.dim_IntList")(_reduction("sum"))
operation("mean.dim")(_reduction("mean"))
operation("amax.default", "max.default")(_reduction("max"))
operation("amin.default", "min.default")(_reduction("min"))
operation("any.default", "any.dim", "any.dims")(_reduction("any"))
operation("all.default", "all.dim", "all.dims")(_reduction("all"))
operation("argmax.default")(_reduction("argmax"))
operation("argmin.default")(_reduction("argmin"))
operation("prod.dim_int")(_reduction("prod"))
operation("cumsum.default")(lambda x, dim, dtype=None: _accumulate_in(x, dtype).cumsum(dim))
operation("cumprod.default")(lambda x, dim, dtype=None: _accumulate_in(x, dtype).cumprod(dim))
for _name in ("sum", "mean", "prod"):
    operation(f"{_name}.default")(lambda x, dtype=None, f=_reduction(_name): f(x, dtype=dtype))


@operation("max.dim")
def _max(x: Tensor, dim: int, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    return x.max(dim, keepdim), x.argmax(dim, keepdim)


@operation("min.dim")
def _min(x: Tensor, dim: int, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    return x.min(dim, keepdim), x.argmin(dim, keepdim)


@operation("var.correction")
def _var(x: Tensor, dim: Axes = None, *, correction: Any = 1, keepdim: bool = False) -> Tensor:
    return x.var(_axes(dim), keepdim, 1 if correction is None else int(correction))


@operation("var_mean.correction")
def _var_mean(x: Tensor, dim: Axes = None, *, correction: Any = 1, keepdim: bool = False) -> Any:
    return x.var_mean(_axes(dim), keepdim, 1 if correction is None else int(correction))


operation("_softmax.default")(lambda x, dim, half_to_float: x.softmax(dim))
operation("_log_softmax.default")(lambda x, dim, half_to_float: x.log_softmax(dim))
operation("logcumsumexp.default")(_of_rank_1(lambda x, dim: x.logcumsumexp(dim)))


def _running(name: str, x: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    """Of equal elements, the index is that of the last one."""
    values = getattr(x, name)(dim)[0]
    is_new = (x == values) | x.isnan() if x.is_floating_point() else x == values
    place = Tensor.arange(x.shape[dim], dtype=dtypes.int64)
    place = place.reshape((-1,) + (1,) * (x.ndim - 1 - dim % x.ndim))
    return values, is_new.where(place, 0).cummax(dim)[0]


operation("cummax.default")(_of_rank_1(functools.partial(_running, "cummax")))
operation("cummin.default")(_of_rank_1(functools.partial(_running, "cummin")))
operation("topk.default")(
    _of_rank_1(lambda x, k, dim=-1, largest=True, sorted=True: x.topk(k, dim, largest))
)
operation("sort.default")(_of_rank_1(lambda x, dim=-1, descending=False: x.sort(dim, descending)))
operation("sort.stable")(
    _of_rank_1(lambda x, *, stable=None, dim=-1, descending=False: x.sort(dim, descending))
)


@operation("median.dim")
@_of_rank_1
def _median(x: Tensor, dim: int = -1, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    """The lower one of two in the middle; NaN if there is one, which is sorted to the end."""
    values, indices = x.sort(dim)
    count = int(x.shape[dim])
    middle, last = (_slice(dim % x.ndim, slice(i, i + 1)) for i in ((count - 1) // 2, count - 1))
    found, where = values[middle], indices[middle]
    if x.is_floating_point():
        has_nan = values[last].isnan()
        first = x.isnan().int().argmax(dim, True).cast(where.dtype)
        found, where = has_nan.where(values[last], found), has_nan.where(first, where)
    return (found, where) if keepdim else (found.squeeze(dim), where.squeeze(dim))


@operation("nanmedian.dim")
@_of_rank_1
def _nanmedian(x: Tensor, dim: int = -1, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    """Of the elements that are not NaN; NaN if there are none."""
    if not x.is_floating_point():
        return _median(x, dim, keepdim)
    values, indices = x.isnan().where(math.inf, x).sort(dim)
    count = (~x.isnan()).int().sum(dim, keepdim=True)
    middle = ((count - 1) // 2).maximum(0)
    found, where = values.gather(dim, middle), indices.gather(dim, middle)
    found = (count == 0).where(math.nan, found)
    return (found, where) if keepdim else (found.squeeze(dim), where.squeeze(dim))


@operation("kthvalue.default")
@_of_rank_1
def _kth_value(x: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    part = _slice(dim % x.ndim, slice(k - 1, k) if keepdim else k - 1)
    values, indices = x.sort(dim)
    return values[part], indices[part]


operation("median.default")(lambda x: _median(x.flatten(), 0)[0])
operation("nanmedian.default")(lambda x: _nanmedian(x.flatten(), 0)[0])


@operation("searchsorted.Tensor", "searchsorted.Scalar")
def _searchsorted(
    boundaries: Tensor,
    x: Any,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
) -> Tensor:
    """The number of boundaries below each value (or equal to it), compared with each of them."""
    x = x if isinstance(x, Tensor) else Tensor.full((), x)
    if sorter is not None:
        boundaries = boundaries.gather(-1, sorter)
    kind = (
        boundaries.dtype if boundaries.is_floating_point() or not x.is_floating_point() else x.dtype
    )
    x, boundaries = x.cast(kind).unsqueeze(-1), boundaries.cast(kind)
    if boundaries.ndim > 1:
        boundaries = boundaries.unsqueeze(-2)
    is_before = boundaries <= x if right or side == "right" else boundaries < x
    return Tensor.sum(is_before, -1)


@operation("bucketize.Tensor", "bucketize.Scalar")
def _bucketize(x: Any, boundaries: Tensor, *, out_int32: bool = False, right: bool = False) -> Any:
    return _searchsorted(boundaries, x, right=right)


@operation("histc.default")
def _histogram(x: Tensor, bins: int = 100, min: Any = 0, max: Any = 0) -> Tensor:
    """The bins are of one width; the last one includes its end."""
    x = _compute_in_float(x.flatten())
    low, high = (x.min(), x.max()) if min == max else (Tensor(float(min)), Tensor(float(max)))
    is_point = low == high
    low, high = is_point.where(low - 1, low), is_point.where(high + 1, high)
    place = ((x - low) / (high - low) * bins).floor().minimum(bins - 1)
    is_inside = (x >= low) & (x <= high)
    return ((place.unsqueeze(-1) == Tensor.arange(bins)) & is_inside.unsqueeze(-1)).sum(0)


# Shapes

operation("view.default", "_unsafe_view.default", "reshape.default")(
    lambda x, shape: x.reshape(shape)
)
operation("permute.default")(lambda x, order: x.permute(order))
operation("transpose.int")(lambda x, first, second: x.transpose(first, second))
operation("unsqueeze.default")(lambda x, dim: x.unsqueeze(dim))
operation("flip.default")(lambda x, dims: x.flip(dims))
operation("roll.default")(lambda x, shifts, dims=(): x.roll(shifts, dims or None))
operation("cat.default")(lambda tensors, dim=0: Tensor.cat(*_not_empty(tensors), dim=dim))
operation("repeat.default")(lambda x, times: x.repeat(times))
operation("split_with_sizes.default")(lambda x, sizes, dim=0: x.split(sizes, dim))
operation("tril.default")(lambda x, diagonal=0: x.tril(diagonal))
operation("triu.default")(lambda x, diagonal=0: x.triu(diagonal))
operation("diagonal.default")(lambda x, offset=0, dim1=0, dim2=1: x.diagonal(offset, dim1, dim2))


def _not_empty(tensors: Sequence[Tensor]) -> list[Tensor]:
    """Without those of the shape (0,), which PyTorch joins to any other."""
    return [x for x in tensors if x.shape != (0,)] or list(tensors[:1])


@operation("expand.default")
def _expand(x: Tensor, shape: Sequence[int], implicit: bool = False) -> Tensor:
    return x.reshape((1,) * (len(shape) - x.ndim) + tuple(x.shape)).expand(shape)


@operation("squeeze.default", "squeeze.dim", "squeeze.dims")
def _squeeze(x: Tensor, dims: int | Sequence[int] | None = None) -> Tensor:
    if dims is None:
        return x.squeeze()
    dims = [dims] if isinstance(dims, int) else dims
    removed = {dim % max(x.ndim, 1) for dim in dims}
    return x.reshape([n for i, n in enumerate(x.shape) if i not in removed or n != 1])


def _slice(dim: int, part: Any) -> tuple[Any, ...]:
    return (slice(None),) * dim + (part,)


@operation("slice.Tensor")
def _take_slice(
    x: Tensor, dim: int = 0, start: Any = None, end: Any = None, step: int = 1
) -> Tensor:
    return x[_slice(dim % x.ndim, slice(start, end, step))]


@operation("select.int")
def _select(x: Tensor, dim: int, index: int) -> Tensor:
    return x[_slice(dim % x.ndim, index)]


def _replace(x: Tensor, index: Any, source: Tensor) -> Tensor:
    result = x.clone()
    result[index] = source.cast(x.dtype)
    return result


@operation("slice_scatter.default")
def _slice_scatter(
    x: Tensor, source: Tensor, dim: int = 0, start: Any = None, end: Any = None, step: int = 1
) -> Tensor:
    return _replace(x, _slice(dim % x.ndim, slice(start, end, step)), source)


@operation("select_scatter.default")
def _select_scatter(x: Tensor, source: Tensor, dim: int, index: int) -> Tensor:
    return _replace(x, _slice(dim % x.ndim, index), source)


@operation("copy.default", "copy_.default")
def _copy(x: Tensor, source: Tensor, non_blocking: bool = False) -> Tensor:
    return _expand(source.cast(x.dtype), x.shape)


def _refuse_writes(x: Any, source: Any, non_blocking: bool = False) -> str | None:
    return None if x.op == "placeholder" else "into a tensor that is no argument"


REFUSALS["aten.copy_.default"] = _refuse_writes


def _order(shape: Sequence[int], strides: Sequence[int]) -> list[int] | None:
    """The axes by their strides, if elements are each at another place, and without gaps."""
    order = sorted(range(len(shape)), key=lambda i: (-strides[i], -shape[i]))
    count = 1
    for i in reversed(order):
        if shape[i] != 1 and strides[i] != count:
            return None
        count *= shape[i]
    return order


def turn_back(x: Tensor, order: Sequence[int] | None) -> Tensor:
    """The tensor of which the axes were put into this order."""
    return x.permute([order.index(i) for i in range(len(order))]) if order else x


def _in_memory(x: Tensor, strides: Sequence[int]) -> tuple[Tensor, list[int]]:
    """The elements in their order in memory, and the axes in the order of their strides."""
    order = _order([int(n) for n in x.shape], strides)
    assert order is not None  # As _refuse_memory has found.
    return x.permute(order) if order else x, order


def _positions(shape: Sequence[int], strides: Sequence[int], offset: int) -> Tensor:
    """Of the elements of a tensor with these strides."""
    result = Tensor.full((1,) * len(shape), offset, dtype=dtypes.int64)
    for i, (size, stride) in enumerate(zip(shape, strides)):
        along = Tensor.arange(size, dtype=dtypes.int64) * stride
        result = result + along.reshape((-1,) + (1,) * (len(shape) - 1 - i))
    return result.expand(tuple(shape))


@operation("as_strided.default", "as_strided_copy.default")
def _as_strided(
    x: Tensor,
    shape: Sequence[int],
    strides: Sequence[int],
    offset: int | None = None,
    *,
    own_strides: Sequence[int],
    own_offset: int,
    default_offset: int,
) -> Tensor:
    flat = _in_memory(x, own_strides)[0].flatten()
    offset = (default_offset if offset is None else offset) - own_offset
    order = _order(shape, strides)
    if order is not None:
        part = flat[offset : offset + math.prod(shape)]
        return turn_back(part.reshape([shape[i] for i in order]), order)
    return flat[_positions(shape, strides, offset)]


@operation("as_strided_scatter.default")
def _as_strided_scatter(
    x: Tensor,
    source: Tensor,
    shape: Sequence[int],
    strides: Sequence[int],
    offset: int | None = None,
    *,
    own_strides: Sequence[int],
    own_offset: int,
    default_offset: int,
) -> Tensor:
    ordered, order = _in_memory(x, own_strides)
    offset = (default_offset if offset is None else offset) - own_offset
    positions = _positions(shape, strides, offset)
    found = ordered.flatten().scatter(0, positions.flatten(), source.cast(x.dtype).flatten())
    return turn_back(found.reshape(ordered.shape), order)


# The operations whose results are in the memory of their first argument.
VIEWS = {
    f"aten.{name}"
    for name in (
        "alias.default as_strided.default detach.default diagonal.default expand.default "
        "permute.default select.int slice.Tensor squeeze.default squeeze.dim squeeze.dims "
        "transpose.int unsqueeze.default view.default"
    ).split()
}


def find_memory(node: torch.fx.Node) -> torch.fx.Node:
    """The tensor that has all elements of the memory that the result of a node is in."""
    while str(node.target) in VIEWS and not _is_dense(node.meta["val"]):
        node = node.args[0]
    return node


def _is_dense(value: torch.Tensor) -> bool:
    numbers = [*value.shape, *value.stride()]
    return all(isinstance(n, int) for n in numbers) and (
        _order(value.shape, value.stride()) is not None
    )


def _refuse_memory(x: Any, *args: Any, **kwargs: Any) -> str | None:
    """Elements of the memory that are none of a tensor have no values here."""
    shape, strides, offset = args if len(args) == 3 else (*args, None)
    memory = find_memory(x).meta["val"]
    own = [*memory.shape, *memory.stride(), memory.storage_offset()]
    if not all(isinstance(n, int) for n in [*own, *shape, *strides, offset or 0]):
        return "with sizes that change"
    if not memory.numel() or not math.prod(shape):
        return "without elements"
    if not _is_dense(memory):
        return "of a tensor with gaps in its memory"
    first, count = memory.storage_offset(), memory.numel()
    begin = x.meta["val"].storage_offset() if offset is None else offset
    end = begin + sum((n - 1) * s for n, s in zip(shape, strides)) + 1
    return None if first <= begin and end <= first + count else "of memory outside of the tensor"


def _refuse_scatter(x: Any, source: Any, *args: Any, **kwargs: Any) -> str | None:
    is_dense = find_memory(x) is x
    return _refuse_memory(x, *args) if is_dense else "of a tensor with gaps in its memory"


for _name in ("as_strided.default", "as_strided_copy.default", "as_strided_scatter.default"):
    ON_MEMORY.add(f"aten.{_name}")
REFUSALS["aten.as_strided.default"] = REFUSALS["aten.as_strided_copy.default"] = _refuse_memory
REFUSALS["aten.as_strided_scatter.default"] = _refuse_scatter


@operation("constant_pad_nd.default")
def _constant_pad(x: Tensor, padding: Sequence[int], value: Any = 0) -> Tensor:
    return x.pad(tuple(padding), value=value)


# Indices


@operation("embedding.default")
def _embedding(weight: Tensor, indices: Tensor, *args: Any) -> Tensor:
    return weight[indices]


@operation("index.Tensor")
def _index(x: Tensor, indices: Sequence[Tensor | None]) -> Tensor:
    return x[tuple(slice(None) if index is None else index for index in indices)]


@operation("index_put.default")
def _index_put(
    x: Tensor, indices: Sequence[Tensor | None], values: Tensor, accumulate: bool = False
) -> Tensor:
    """By the position of each picked element among all of them; a mask by `where`."""
    if any(index is not None and index.dtype == dtypes.bool for index in indices):
        assert indices[0] is not None
        return _put_at_mask(x, indices[0], values.cast(x.dtype), accumulate)
    total = math.prod(int(n) for n in x.shape)
    where = Tensor.arange(total, dtype=dtypes.int64).reshape(x.shape)
    positions = _index(where, indices)
    values = values.cast(x.dtype).expand(positions.shape).flatten()
    flat, positions = x.flatten(), positions.flatten()
    if accumulate:
        return flat.scatter_reduce(0, positions, values, "sum").reshape(x.shape)
    return flat.scatter(0, positions, values).reshape(x.shape)


def _put_at_mask(x: Tensor, mask: Tensor, values: Tensor, accumulate: bool) -> Tensor:
    """The mask is of the first axes; the values are one for all, or in the order of its elements."""
    rest = tuple(x.shape[mask.ndim :])
    values = values.reshape((1,) * (1 + len(rest) - values.ndim) + tuple(values.shape))
    values = values.expand((values.shape[0], *rest))
    if values.shape[0] == 0:
        return x
    if values.shape[0] == 1:
        found = values.reshape((1,) * mask.ndim + rest)
    else:
        place = (mask.flatten().int().cumsum(0) - 1).clamp(0, int(values.shape[0]) - 1)
        found = values[place].reshape(x.shape)
    mask = mask.reshape(tuple(mask.shape) + (1,) * len(rest))
    return mask.where(x + found if accumulate else found, x)


def _refuse_masks(x: Any, indices: Any, values: Any, accumulate: bool = False) -> str | None:
    masks = [i for i in indices if i is not None and i.meta["val"].dtype == torch.bool]
    return None if not masks or len(indices) == 1 else "with a mask among other indices"


REFUSALS["aten.index_put.default"] = _refuse_masks


@operation("gather.default")
@_of_rank_1
def _gather(x: Tensor, dim: int, index: Tensor, sparse_grad: bool = False) -> Tensor:
    if 0 in index.shape:  # Which has any number of axes.
        return Tensor.full(index.shape, 0, dtype=x.dtype)
    return x.gather(dim, index)


operation("index_select.default")(_of_rank_1(lambda x, dim, index: x[_slice(dim % x.ndim, index)]))


@operation("scatter.src", "scatter.value")
@_of_rank_1
def _scatter(x: Tensor, dim: int, index: Tensor, source: Any) -> Tensor:
    return x if 0 in index.shape else x.scatter(dim, index, source)


# What PyTorch's names mean.
_REDUCTIONS = {"add": "sum", "multiply": "prod"}


@operation("scatter.reduce", "scatter.value_reduce", "scatter_reduce.two")
@_of_rank_1
def _scatter_reduce(
    x: Tensor, dim: int, index: Tensor, source: Any, reduce: str, include_self: bool = True
) -> Tensor:
    if 0 in index.shape:
        return x
    if not isinstance(source, Tensor):
        source = Tensor.full(index.shape, source, dtype=x.dtype)
    reduce = _REDUCTIONS.get(reduce, reduce)
    return x.scatter_reduce(dim, index, source, reduce, include_self=include_self)


operation("scatter_add.default")(
    lambda x, dim, index, source: _scatter_reduce(x, dim, index, source, "sum")
)


@operation("index_reduce.default")
@_of_rank_1
def _index_reduce(
    x: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    index = index.reshape((-1,) + (1,) * (x.ndim - 1 - dim % x.ndim)).expand(source.shape)
    return _scatter_reduce(x, dim, index, source, reduce, include_self)


@operation("put.default")
def _put(x: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    flat, index, source = x.flatten(), index.flatten(), source.flatten()
    if accumulate:
        return _scatter_reduce(flat, 0, index, source, "sum").reshape(x.shape)
    return _scatter(flat, 0, index, source).reshape(x.shape)


@operation("masked_scatter.default")
def _masked_scatter(x: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """The elements of the source in their order, one for each position of the mask."""
    x, mask = (
        x.reshape((1,) * (mask.ndim - x.ndim) + tuple(x.shape)),
        mask.reshape((1,) * (x.ndim - mask.ndim) + tuple(mask.shape)),
    )
    shape = tuple(max(m, n) for m, n in zip(x.shape, mask.shape))
    x, mask = x.expand(shape), mask.expand(shape)
    place = (mask.flatten().int().cumsum(0) - 1).maximum(0).reshape(shape)
    return mask.where(source.flatten()[place], x) if source.numel() else x


@operation("masked_scatter_backward.default")
def _masked_scatter_backward(gradient: Tensor, mask: Tensor, sizes: Sequence[int]) -> Tensor:
    mask = mask.expand(gradient.shape).flatten()
    place = (mask.int().cumsum(0) - 1).maximum(0)
    found = Tensor.zeros(math.prod(sizes), dtype=gradient.dtype)
    picked = mask.where(gradient.flatten(), 0)
    return found.scatter_reduce(0, place, picked, "sum").reshape(tuple(sizes))


# New tensors


@operation("full.default")
def _full(shape: Sequence[int], value: Any, **options: Any) -> Tensor:
    return Tensor.full(tuple(shape), value, dtype=_dtype_of(options, None))


def _dtype_of(options: dict[str, Any], default: DType | None) -> DType | None:
    dtype = options.get("dtype")
    return default if dtype is None else DTYPES[dtype]


@operation("full_like.default")
def _full_like(x: Tensor, value: Any, **options: Any) -> Tensor:
    return Tensor.full(x.shape, value, dtype=_dtype_of(options, x.dtype))


@operation("zeros_like.default", "empty_like.default", "new_zeros.default")
def _zeros_like(x: Tensor, *args: Any, **options: Any) -> Tensor:
    shape = args[0] if args else x.shape
    return Tensor.full(tuple(shape), 0, dtype=_dtype_of(options, x.dtype))


@operation("ones_like.default")
def _ones_like(x: Tensor, **options: Any) -> Tensor:
    return Tensor.full(x.shape, 1, dtype=_dtype_of(options, x.dtype))


@operation("empty.memory_format", "empty_permuted.default", "empty_strided.default")
def _empty(shape: Sequence[int], order: Any = None, **options: Any) -> Tensor:
    return Tensor.full(tuple(shape), 0, dtype=_dtype_of(options, None))


@operation("scalar_tensor.default")
def _scalar_tensor(value: Any, **options: Any) -> Tensor:
    return Tensor.full((), value, dtype=_dtype_of(options, None))


@operation("arange.start_step")
def _arange(start: Any, end: Any, step: Any = 1, **options: Any) -> Tensor:
    default = dtypes.int64 if all(isinstance(x, int) for x in (start, end, step)) else None
    return Tensor.arange(start, end, step, dtype=_dtype_of(options, default))


# Random numbers are those of Tensor.manual_seed().

operation("rand.default")(lambda shape, **options: Tensor.rand(*shape))
operation("randn.default")(lambda shape, **options: Tensor.randn(*shape))


operation("bernoulli.p")(lambda x, p: Tensor.rand(*x.shape) < p)
operation("bernoulli.default")(lambda x: Tensor.rand(*x.shape) < x)


@operation("native_dropout.default")
def _dropout(x: Tensor, p: float, train: bool | None) -> tuple[Tensor, Tensor]:
    if not train or p == 0:
        return x, Tensor.full(x.shape, True, dtype=dtypes.bool)
    kept = Tensor.rand(*x.shape) >= p
    return kept.where(x * (1 / (1 - p) if p < 1 else 0), 0), kept
