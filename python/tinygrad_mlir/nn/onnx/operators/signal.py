"""Fourier transforms and what belongs to them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinygrad_mlir._core import Tensor
from tinygrad_mlir.nn.onnx.errors import OnnxError
from tinygrad_mlir.nn.onnx.registry import operator
from tinygrad_mlir.nn.onnx.values import held_dtype


def transform(x: Tensor, length: int | None, axis: int, inverse: int, onesided: int) -> Tensor:
    """(..., 1 or 2), real numbers or pairs; a product with a matrix of sines and cosines."""
    if x.shape[-1] not in (1, 2):
        raise OnnxError(f"the last axis of {x.shape} has neither 1 nor 2 elements")
    axis %= x.ndim
    size = x.shape[axis]
    to_real = bool(inverse and onesided)
    if length is None:
        length = 2 * (size - 1) if to_real else size
    used = min(size, length // 2 + 1) if to_real else min(size, length)
    outputs = length // 2 + 1 if onesided and not inverse else length
    angle = np.outer(np.arange(used), np.arange(outputs)) * (2 * np.pi / length)
    if not inverse:
        angle = -angle
    scale = np.full((used, 1), 1 / length if inverse else 1.0)
    if to_real:
        # Frequencies that have a mirrored one count twice.
        mirrored = np.arange(used)
        scale[(mirrored > 0) & (2 * mirrored != length)] *= 2
    cosines = Tensor((np.cos(angle) * scale)).cast(x.dtype)
    sines = Tensor((np.sin(angle) * scale)).cast(x.dtype)
    rows = x.shrink(tuple((0, used) if a == axis else (0, s) for a, s in enumerate(x.shape)))
    rows = rows.transpose(axis, -2)
    real = rows[..., 0]
    parts = [_product(real, cosines, x, axis), _product(real, sines, x, axis)]
    if x.shape[-1] == 2:
        imaginary = rows[..., 1]
        parts[0] = parts[0] - _product(imaginary, sines, x, axis)
        parts[1] = parts[1] + _product(imaginary, cosines, x, axis)
    if to_real:
        return parts[0].unsqueeze(-1)
    return parts[0].stack(parts[1], dim=-1)


def _product(rows: Tensor, matrix: Tensor, x: Tensor, axis: int) -> Tensor:
    """The product along the last axis, which takes the place of the axis of x again."""
    return rows.matmul(matrix).transpose(axis, -1).cast(x.dtype)


@operator("DFT", 17, constants=[1])
def dft_by_attribute(
    x: Tensor, length: int | None = None, axis: int = 1, inverse: int = 0, onesided: int = 0
) -> Tensor:
    return transform(x, length, axis, inverse, onesided)


@operator("DFT", 20, constants=[1, 2])
def dft(
    x: Tensor,
    length: int | None = None,
    axis: int | None = None,
    inverse: int = 0,
    onesided: int = 0,
) -> Tensor:
    return transform(x, length, -2 if axis is None else axis, inverse, onesided)


@operator("STFT", 17, constants=[1, 3])
def stft(
    x: Tensor,
    step: int,
    window: Tensor | None = None,
    length: int | None = None,
    onesided: int = 1,
) -> Tensor:
    """(batch, frames, frequencies, 2) of a signal (batch, samples, 1 or 2)."""
    if length is None:
        length = x.shape[1] if window is None else window.shape[0]
    frames = x.unfold(1, length, step)
    if window is not None:
        frames = frames * window
    return transform(frames.permute(0, 1, 3, 2), length, -2, 0, onesided)


@operator("MelWeightMatrix", 17, constants=[0, 1, 2, 3, 4])
def mel_weight_matrix(
    num_bins: int,
    length: int,
    rate: int,
    low: float,
    high: float,
    output_datatype: int = 1,
) -> Tensor:
    """Triangles of equal width on the mel scale, over the frequencies of a transform."""

    def mel(hertz: float) -> Any:
        return 2595 * np.log10(1 + hertz / 700)

    step = (mel(high) - mel(low)) / (num_bins + 2)
    hertz = 700 * (10 ** ((mel(low) + np.arange(num_bins + 2) * step) / 2595) - 1)
    edges = ((length + 1) * hertz // rate).astype(int)
    at = np.arange(length // 2 + 1)[:, None]
    left, center, right = edges[:-2], edges[1:-1], edges[2:]
    with np.errstate(divide="ignore", invalid="ignore"):
        rising = np.where((at >= left) & (at <= center), (at - left) / (center - left), 0)
        rising = np.where(center == left, at == center, rising)
        falling = np.where((at > center) & (at < right), (right - at) / (right - center), 0)
    return Tensor((rising + falling).astype(np.float64)).cast(held_dtype(output_datatype))
