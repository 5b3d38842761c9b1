"""Operators that read images at positions between elements, and regions of them."""

from __future__ import annotations

import io
import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tinygrad_mlir._core import Tensor
from tinygrad_mlir.dtype import dtypes
from tinygrad_mlir.nn.onnx.errors import OnnxError, UnsupportedOnnxError
from tinygrad_mlir.nn.onnx.registry import operator

# Resize: each axis by itself, as a sum of elements at known positions.


def cubic_kernel(distance: np.ndarray, a: float) -> np.ndarray:
    """The weights of elements at these distances, for the cubic of parameter a."""
    x = abs(distance)
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
    weights: np.ndarray = np.where(x <= 1, near, np.where(x < 2, far, 0.0))
    return weights


def linear_kernel(distance: np.ndarray) -> np.ndarray:
    weights: np.ndarray = np.clip(1 - abs(distance), 0, 1)
    return weights


def _source_positions(
    mode: str, size: int, target: int, scale: float, roi: tuple[float, float]
) -> np.ndarray:
    """The position in the input of each element of the output."""
    at = np.arange(target, dtype=np.float64)
    # With scales that are given, the size may have been rounded.
    exact = scale * size
    if mode == "align_corners":
        return at * ((size - 1) / (exact - 1)) if exact != 1 else at * 0
    if mode == "asymmetric":
        return at / scale
    if mode == "tf_crop_and_resize":
        start, end = roi
        if exact == 1:
            return at * 0 + (start + end) * (size - 1) / 2
        return at * ((end - start) * (size - 1) / (exact - 1)) + start * (size - 1)
    if mode == "pytorch_half_pixel" and target == 1:
        return at * 0 - 0.5
    if mode == "half_pixel_symmetric":
        return size / 2 * (1 - target / exact) + (at + 0.5) / scale - 0.5
    if mode in ("half_pixel", "pytorch_half_pixel"):
        return (at + 0.5) / scale - 0.5
    if mode == "tf_half_pixel_for_nn":
        return (at + 0.5) / scale
    raise UnsupportedOnnxError(f"the coordinate transformation mode '{mode}'")


def _nearest(positions: np.ndarray, mode: str) -> np.ndarray:
    rounded: dict[str, Callable[[np.ndarray], np.ndarray]] = {
        "round_prefer_floor": lambda x: np.ceil(x - 0.5),
        "round_prefer_ceil": lambda x: np.floor(x + 0.5),
        "floor": np.floor,
        "ceil": np.ceil,
    }
    if mode not in rounded:
        raise UnsupportedOnnxError(f"the nearest mode '{mode}', not one of {[*rounded]}")
    return rounded[mode](positions).astype(np.int64)[None]


def _taps(
    positions: np.ndarray,
    scale: float,
    kernel: Callable[[np.ndarray], np.ndarray],
    width: int,
    antialias: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Indices and weights (taps, output); with antialias, kernels of smaller outputs are wider."""
    shrink = min(scale, 1.0) if antialias else 1.0
    first = math.floor(-width / shrink) + 1
    offsets = np.arange(first, 2 - first if width == 1 or antialias else width + 1)
    base = np.floor(positions).astype(np.int64)
    indices = base[None] + offsets[:, None]
    weights = kernel((indices - positions[None]) * shrink)
    if antialias:
        weights = weights / weights.sum(0)
    kept = weights.any(1)
    return indices[kept], weights[kept]


def _resize_axis(
    x: Tensor, axis: int, target: int, scale: float, roi: tuple[float, float], options: Any
) -> Tensor:
    size = x.shape[axis]
    positions = _source_positions(options["transformation"], size, target, scale, roi)
    if options["mode"] == "nearest":
        indices = _nearest(positions, options["nearest_mode"])
        weights = np.ones(indices.shape)
    elif options["mode"] == "linear":
        indices, weights = _taps(positions, scale, linear_kernel, 1, options["antialias"])
    elif options["mode"] == "cubic":
        a = options["cubic_coeff_a"]
        indices, weights = _taps(
            positions, scale, lambda d: cubic_kernel(d, a), 2, options["antialias"]
        )
    else:
        raise UnsupportedOnnxError(f"the mode '{options['mode']}'")
    if options["exclude_outside"]:
        weights = weights * ((indices >= 0) & (indices < size))
        weights = weights / weights.sum(0)
    indices = indices.clip(0, size - 1)
    outside = (positions < 0) | (positions > size - 1)
    shape = [1] * x.ndim
    shape[axis] = target
    result: Tensor | None = None
    for row, weight in zip(indices, weights, strict=True):
        part = _pick(x, axis, row)
        if not np.all(weight == 1):
            factors = Tensor(weight.astype(np.float32)).reshape(tuple(shape))
            part = part.cast(dtypes.float32) * factors.cast(dtypes.float32)
        result = part if result is None else result + part
    assert result is not None
    if options["transformation"] == "tf_crop_and_resize" and outside.any():
        mask = Tensor(outside).reshape(tuple(shape))
        result = mask.where(options["extrapolation_value"], result)
    return result


def _pick(x: Tensor, axis: int, indices: np.ndarray) -> Tensor:
    """The elements at known positions of an axis; whole repetitions need no table."""
    size, count = x.shape[axis], len(indices)
    if count == size and np.array_equal(indices, np.arange(size)):
        return x
    if count % size == 0 and np.array_equal(indices, np.arange(count) // (count // size)):
        return x.repeat_interleave(count // size, axis)
    return x[(slice(None),) * axis + (Tensor(indices.astype(np.int32)),)]


def resize(
    x: Tensor,
    roi: list[float] | None,
    scales: list[float] | None,
    sizes: list[int] | None,
    **options: Any,
) -> Tensor:
    axes = options["axes"] if options["axes"] is not None else list(range(x.ndim))
    axes = [axis % x.ndim for axis in axes]
    given = [x.shape[axis] for axis in axes]
    policy = options["policy"]
    if sizes:
        factors = [target / size for target, size in zip(sizes, given, strict=True)]
        if policy != "stretch":
            factor = min(factors) if policy == "not_larger" else max(factors)
            factors = [factor] * len(factors)
            sizes = [math.floor(factor * size + 0.5) for size in given]
    elif scales:
        factors = list(scales)
        sizes = [math.floor(f * size) for f, size in zip(factors, given, strict=True)]
    else:
        raise OnnxError("neither scales nor sizes are given")
    dtype = x.dtype
    for i, axis in enumerate(axes):
        bounds = (roi[i], roi[len(axes) + i]) if roi else (0.0, 1.0)
        is_cropped = options["transformation"] == "tf_crop_and_resize" and bounds != (0.0, 1.0)
        if sizes[i] != given[i] or factors[i] != 1 or is_cropped:
            x = _resize_axis(x, axis, sizes[i], factors[i], bounds, options)
    return (
        x.cast(dtype)
        if dtype.name.startswith(("float", "half", "double", "__bf"))
        else (x.cast(dtype) if options["mode"] == "nearest" else x.round().cast(dtype))
    )


@operator("Resize", 11, constants=[1, 2, 3])
def resize_by_inputs(
    x: Tensor,
    roi: list[float] | None = None,
    scales: list[float] | None = None,
    sizes: list[int] | None = None,
    antialias: int = 0,
    axes: list[int] | None = None,
    coordinate_transformation_mode: str = "half_pixel",
    cubic_coeff_a: float = -0.75,
    exclude_outside: int = 0,
    extrapolation_value: float = 0.0,
    keep_aspect_ratio_policy: str = "stretch",
    mode: str = "nearest",
    nearest_mode: str = "round_prefer_floor",
) -> Tensor:
    return resize(
        x,
        roi,
        scales,
        sizes,
        antialias=antialias,
        axes=axes,
        transformation=coordinate_transformation_mode,
        cubic_coeff_a=cubic_coeff_a,
        exclude_outside=exclude_outside,
        extrapolation_value=extrapolation_value,
        policy=keep_aspect_ratio_policy,
        mode=mode,
        nearest_mode=nearest_mode,
    )


@operator("Resize", 10, constants=[1])
@operator("Upsample", 9, constants=[1])
def upsample(x: Tensor, scales: list[float], mode: str = "nearest") -> Tensor:
    """Of nearest elements, or linear, with the first elements at the same place."""
    return resize_by_inputs(
        x,
        scales=scales,
        mode=mode,
        nearest_mode="floor",
        coordinate_transformation_mode="asymmetric",
    )


@operator("Upsample", 7)
def upsample_by_attribute(x: Tensor, scales: list[float], mode: str = "nearest") -> Tensor:
    return upsample(x, scales, mode)


# Positions that are tensors.


def _reflect(x: Tensor, low: float, high: float) -> Tensor:
    """Positions mirrored at both ends until they are within."""
    span = high - low
    if span <= 0:
        return x * 0
    distance = (x - low).abs() % (2 * span)
    return low + (distance <= span).where(distance, 2 * span - distance)


def sample(
    x: Tensor,
    positions: Sequence[Tensor],
    mode: str,
    padding_mode: str = "zeros",
    align_corners: bool = True,
) -> Tensor:
    """Elements of (N, C, ...) at positions (N, P) along each spatial axis: (N, C, P)."""
    sizes = x.shape[2:]
    bounds = [(0.0, s - 1.0) if align_corners else (-0.5, s - 0.5) for s in sizes]
    taps = []
    for at, size, (low, high) in zip(positions, sizes, bounds, strict=True):
        if mode == "nearest":
            at = at.round()
        if mode != "cubic" and padding_mode == "border":
            at = at.clip(0, size - 1)
        elif mode != "cubic" and padding_mode == "reflection":
            at = _reflect(at, low, high)
        floor = at.floor()
        offsets = {"nearest": [0], "linear": [0, 1], "cubic": [-1, 0, 1, 2]}[mode]
        axis = []
        for offset in offsets:
            index = floor + offset
            distance = (at - index).abs()
            if mode == "linear":
                weight = 1 - distance
            elif mode == "cubic":
                near = (1.25 * distance - 2.25) * distance * distance + 1
                far = ((-0.75 * distance + 3.75) * distance - 6) * distance + 3
                weight = (distance <= 1).where(near, far)
            else:
                weight = distance * 0 + 1
            if padding_mode == "zeros":
                weight = ((index >= 0) & (index <= size - 1)).where(weight, 0)
            elif padding_mode == "reflection":
                index = _reflect(index, low, high)
            axis.append((index.clip(0, size - 1).cast(dtypes.int32), weight))
        taps.append(axis)
    flat = x.flatten(2)
    result: Tensor | None = None
    for choice in itertools.product(*taps):
        index, weight = choice[0]
        for (next_index, next_weight), size in zip(choice[1:], sizes[1:], strict=True):
            index, weight = index * size + next_index, weight * next_weight
        picked = flat.gather(2, index.unsqueeze(1).expand(*x.shape[:2], index.shape[-1]))
        part = picked * weight.unsqueeze(1).cast(x.dtype)
        result = part if result is None else result + part
    assert result is not None
    return result


@operator("GridSample", 16)
def grid_sample(
    x: Tensor, grid: Tensor, align_corners: int, mode: str, padding_mode: str
) -> Tensor:
    """Positions from -1 to 1, the last axis of the image first."""
    mode = {"bilinear": "linear", "bicubic": "cubic"}.get(mode, mode)
    if mode not in ("nearest", "linear", "cubic"):
        raise UnsupportedOnnxError(f"the mode '{mode}'")
    rank = x.ndim - 2
    flat = grid.reshape(grid.shape[0], -1, rank)
    positions = []
    for i, size in enumerate(x.shape[2:]):
        at = flat[..., rank - 1 - i] + 1
        positions.append(at * ((size - 1) / 2) if align_corners else (at * size - 1) / 2)
    y = sample(x, positions, mode, padding_mode, bool(align_corners))
    return y.reshape(*x.shape[:2], *grid.shape[1:-1])


@operator("DeformConv")
def deform_conv(
    x: Tensor,
    weight: Tensor,
    offset: Tensor,
    bias: Tensor | None = None,
    mask: Tensor | None = None,
    dilations: list[int] | None = None,
    group: int = 1,
    kernel_shape: list[int] | None = None,
    offset_group: int = 1,
    pads: list[int] | None = None,
    strides: list[int] | None = None,
) -> Tensor:
    """A convolution of elements at moved positions, linear between elements, zero outside."""
    if x.ndim != 4:
        raise UnsupportedOnnxError(f"an input of the shape {x.shape}, not of two spatial axes")
    batch, channels = x.shape[:2]
    kernel, out = weight.shape[2:], offset.shape[2:]
    elements, places = math.prod(kernel), math.prod(out)
    strides, dilations, pads = strides or [1, 1], dilations or [1, 1], pads or [0] * 4
    moved = offset.reshape(batch * offset_group, *kernel, 2, *out)
    positions = []
    for axis in range(2):
        element, place = [1] * 5, [1] * 5
        element[1 + axis], place[3 + axis] = kernel[axis], out[axis]
        at = (Tensor.arange(kernel[axis]) * dilations[axis]).reshape(tuple(element)) + (
            Tensor.arange(out[axis]) * strides[axis] - pads[axis]
        ).reshape(tuple(place))
        positions.append((moved[:, :, :, axis] + at).reshape(batch * offset_group, -1))
    image = x.reshape(batch * offset_group, channels // offset_group, *x.shape[2:])
    columns = sample(image, positions, "linear")
    if mask is not None:
        columns = columns * mask.reshape(batch * offset_group, 1, -1)
    columns = columns.reshape(batch, group, channels // group * elements, places)
    table = weight.reshape(1, group, weight.shape[0] // group, -1)
    y = table.matmul(columns).reshape(batch, weight.shape[0], *out)
    return y if bias is None else y + bias.reshape(1, -1, 1, 1)


@operator("RoiAlign", 10)
def roi_align(
    x: Tensor,
    rois: Tensor,
    batch_indices: Tensor,
    coordinate_transformation_mode: str = "output_half_pixel",
    mode: str = "avg",
    output_height: int = 1,
    output_width: int = 1,
    sampling_ratio: int = 0,
    spatial_scale: float = 1.0,
) -> Tensor:
    """Regions of images; without a sampling ratio their sizes are computed first."""
    half = 0.5 if coordinate_transformation_mode == "half_pixel" else 0.0
    corners = rois * spatial_scale - half
    starts = corners[:, :2].flip(1)
    extents = corners[:, 2:].flip(1) - starts
    if not half:
        extents = extents.maximum(1.0)
    out = (output_height, output_width)
    if sampling_ratio:
        return _align(x[batch_indices], starts, extents, out, (sampling_ratio,) * 2, mode)
    counts = np.ceil(extents.numpy() / np.array(out)).astype(int)
    results = [
        _align(
            x[batch_indices[i : i + 1]],
            starts[i : i + 1],
            extents[i : i + 1],
            out,
            (int(counts[i, 0]), int(counts[i, 1])),
            mode,
        )
        for i in range(len(counts))
    ]
    return results[0].cat(*results[1:]) if len(results) > 1 else results[0]


def _align(
    images: Tensor,
    starts: Tensor,
    extents: Tensor,
    out: tuple[int, int],
    counts: tuple[int, int],
    mode: str,
) -> Tensor:
    """Means, or largest parts, of points within each bin of each region."""
    positions, inside = [], None
    grid = (out[0], out[1], counts[0], counts[1])
    for axis in range(2):
        bins, points = [1] * 4, [1] * 4
        bins[axis], points[2 + axis] = out[axis], counts[axis]
        fraction = (
            Tensor.arange(out[axis]).reshape(tuple(bins))
            + (Tensor.arange(counts[axis]).reshape(tuple(points)) + 0.5) / counts[axis]
        ) / out[axis]
        start = starts[:, axis].reshape(-1, 1, 1, 1, 1)
        at = start + fraction * extents[:, axis].reshape(-1, 1, 1, 1, 1)
        at = at.expand(at.shape[0], *grid).flatten(1)
        size = images.shape[2 + axis]
        within = (at >= -1) & (at <= size)
        inside = within if inside is None else inside & within
        positions.append(at.clip(0, size - 1))
    assert inside is not None
    shape = (*images.shape[:2], *out, -1)
    if mode == "avg":
        values: Tensor = inside.unsqueeze(1).where(sample(images, positions, "linear"), 0)
        return values.reshape(shape).mean(-1)
    # The largest of the four weighted elements around each point.
    floors = [p.floor() for p in positions]
    parts = []
    for offsets in itertools.product((0, 1), repeat=2):
        weight = None
        for p, floor, offset in zip(positions, floors, offsets, strict=True):
            share = 1 - (p - floor - offset).abs()
            weight = share if weight is None else weight * share
        assert weight is not None
        corner = [floor + offset for floor, offset in zip(floors, offsets, strict=True)]
        parts.append(sample(images, corner, "nearest", "border") * weight.unsqueeze(1))
    values = inside.unsqueeze(1).where(parts[0].stack(*parts[1:]).max(0), 0)
    return values.reshape(shape).max(-1)


@operator("MaxRoiPool")
def max_roi_pool(
    x: Tensor, rois: Tensor, pooled_shape: list[int], spatial_scale: float = 1.0
) -> Tensor:
    """The largest elements of each bin of each region, whose corners are computed first."""
    height, width = x.shape[2:]
    regions = []
    for batch, *corners in rois.tolist():
        left, top, right, bottom = (math.floor(c * spatial_scale + 0.5) for c in corners)
        bins = []
        for start, end, count, size in (
            (top, bottom, pooled_shape[0], height),
            (left, right, pooled_shape[1], width),
        ):
            step = max(end - start + 1, 1) / count
            edges = [
                (start + math.floor(i * step), start + math.ceil((i + 1) * step))
                for i in range(count)
            ]
            bins.append([(min(max(a, 0), size), min(max(b, 0), size)) for a, b in edges])
        cells = []
        for (a, b), (c, d) in itertools.product(*bins):
            part = x[int(batch), :, a:b, c:d]
            is_empty = a >= b or c >= d
            cells.append(Tensor.zeros(x.shape[1], dtype=x.dtype) if is_empty else part.max((1, 2)))
        regions.append(cells[0].stack(*cells[1:], dim=-1).reshape(x.shape[1], *pooled_shape))
    return regions[0].stack(*regions[1:])


@operator("NonMaxSuppression", constants=[2, 3, 4])
def non_max_suppression(
    boxes: Tensor,
    scores: Tensor,
    max_output_boxes_per_class: Any = None,
    iou_threshold: Any = None,
    score_threshold: Any = None,
    center_point_box: int = 0,
) -> Tensor:
    """Computed by NumPy, since the number of boxes depends on the scores."""

    def number(value: Any, default: float) -> float:
        return default if value is None else value[0] if isinstance(value, list) else value

    limit = int(number(max_output_boxes_per_class, 0))
    overlap, least = number(iou_threshold, 0.0), number(score_threshold, -math.inf)
    corners = boxes.numpy().astype(np.float64)
    if center_point_box:
        center, extent = corners[..., :2], corners[..., 2:]
        corners = np.concatenate([center - extent / 2, center + extent / 2], -1)
    low = np.minimum(corners[..., :2], corners[..., 2:])
    high = np.maximum(corners[..., :2], corners[..., 2:])
    areas = (high - low).prod(-1)
    chosen = []
    table = scores.numpy()
    for batch, kind in itertools.product(range(table.shape[0]), range(table.shape[1])):
        kept: list[int] = []
        for i in np.argsort(-table[batch, kind], kind="stable"):
            if len(kept) >= limit or table[batch, kind, i] <= least:
                break
            common = (
                np.minimum(high[batch, kept], high[batch, i])
                - np.maximum(low[batch, kept], low[batch, i])
            ).clip(0)
            shared = common.prod(-1)
            union = areas[batch, kept] + areas[batch, i] - shared
            if not (shared > overlap * union).any():
                kept.append(int(i))
        chosen += [(batch, kind, i) for i in kept]
    return Tensor(np.array(chosen, np.int64).reshape(-1, 3))


@operator("ImageDecoder")
def image_decoder(encoded: Tensor, pixel_format: str = "RGB") -> Tensor:
    """The pixels of a file's bytes, which the package Pillow decodes."""
    try:
        from PIL import Image
    except ImportError as error:
        raise UnsupportedOnnxError(
            "images are decoded by the package Pillow, which is not installed: pip install Pillow"
        ) from error
    with Image.open(io.BytesIO(bytes(encoded.data()))) as image:
        pixels = np.array(image.convert("L" if pixel_format == "Grayscale" else "RGB"))
    if pixel_format == "BGR":
        pixels = pixels[..., ::-1]
    if pixel_format == "Grayscale":
        pixels = pixels[..., None]
    return Tensor(np.ascontiguousarray(pixels))
