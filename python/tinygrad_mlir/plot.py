"""Tensors as images, and curves of training, for notebooks. Nothing else has to be installed.

>>> from tinygrad_mlir import Tensor
>>> picture = show_image(Tensor.zeros(3, 16, 24, dtype="uint8"))
>>> picture.width, picture.height
(24, 16)
>>> curve = LearningCurve("loss")
>>> curve.add(loss=2.0)
>>> curve.add(loss=1.0)
>>> curve.values
{'loss': [(0, 2.0), (1, 1.0)]}
"""

from __future__ import annotations

import html
import math
import struct
import zlib
from pathlib import Path

from tinygrad_mlir._core import DTypeError, ShapeError, Tensor, is_realized
from tinygrad_mlir.dtype import dtypes

__all__ = ["Image", "LearningCurve", "show_image", "tensor_html"]

#: Curves in turn.
COLORS = ("#1f6feb", "#d1242f", "#1a7f37", "#9a6700", "#8250df", "#57606a")
#: How much of a tensor a notebook shows.
MOST_ROWS, MOST_COLUMNS, MOST_ELEMENTS = 8, 8, 1 << 16


class Image:
    """A picture that notebooks show: rows of bytes, one channel (gray) or three (RGB)."""

    def __init__(self, width: int, height: int, channels: int, data: bytes) -> None:
        self.width, self.height, self.channels, self.data = width, height, channels, data

    def _repr_png_(self) -> bytes:
        def chunk(kind: bytes, content: bytes) -> bytes:
            check = zlib.crc32(kind + content)
            return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", check)

        color = {1: 0, 3: 2}[self.channels]
        header = struct.pack(">IIBBBBB", self.width, self.height, 8, color, 0, 0, 0)
        row = self.width * self.channels
        # Each row begins with the number of its filter.
        rows = b"".join(b"\0" + self.data[y * row : (y + 1) * row] for y in range(self.height))
        return (
            b"\x89PNG\r\n\x1a\n"
            + chunk(b"IHDR", header)
            + chunk(b"IDAT", zlib.compress(rows))
            + chunk(b"IEND", b"")
        )

    def save(self, path: str | Path) -> None:
        """Writes a PNG file."""
        Path(path).write_bytes(self._repr_png_())

    def __repr__(self) -> str:
        return f"<image of {self.width} x {self.height} pixels>"


def show_image(tensor: Tensor, scale: int = 1, columns: int = 8) -> Image:
    """The picture of a tensor, with `scale` x `scale` pixels for each element.

    Shapes: (height, width), (1 or 3, height, width), (height, width, 1 or 3) if the first size is
    neither 1 nor 3, and (n, channels, height, width): a sheet of n images, `columns` in a row.
    Floats are between 0 and 1, uint8 between 0 and 255; bools are black and white. Computes the
    values.

    Raises ShapeError for other shapes, DTypeError for other types, ValueError if scale or columns
    is less than 1.
    """
    if scale < 1 or columns < 1:
        raise ValueError(f"show_image: scale and columns are at least 1, not {scale}, {columns}")
    x, shape = tensor.detach(), tensor.shape
    if len(shape) == 2:
        x = x.unsqueeze(0).unsqueeze(0)
    elif len(shape) == 3 and shape[0] in (1, 3):
        x = x.unsqueeze(0)
    elif len(shape) == 3 and shape[2] in (1, 3):
        x = x.permute(2, 0, 1).unsqueeze(0)
    if len(x.shape) != 4 or x.shape[1] not in (1, 3) or 0 in x.shape:
        raise ShapeError(
            f"show_image: a tensor of shape {shape} is no image: "
            "(height, width), (1 or 3, height, width) or (n, 1 or 3, height, width)"
        )
    if x.is_floating_point():
        x = (x.clamp(0.0, 1.0) * 255.0).round().cast("uint8")
    elif x.dtype == dtypes.bool:
        x = x.cast("uint8") * 255
    elif x.dtype != dtypes.uint8:
        raise DTypeError(f"show_image: the elements are floats, uint8 or bool, not {x.dtype}")
    count, channels, height, width = x.shape
    columns = min(columns, count)
    rows = math.ceil(count / columns)
    x = x.pad_to(rows * columns, None, None, None)
    x = x.reshape(rows, columns, channels, height, width).permute(0, 3, 1, 4, 2)
    x = x.reshape(rows * height, columns * width, channels)
    x = x.repeat_interleave(scale, 0).repeat_interleave(scale, 1)
    return Image(x.shape[1], x.shape[0], channels, bytes(x.contiguous().data()))


class LearningCurve:
    """Curves of numbers over the steps of training, which a notebook shows as a chart.

    add() takes a number for each name, at the next step or at `step`. `values` has the points.
    """

    def __init__(self, *names: str, title: str = "", width: int = 480, height: int = 240) -> None:
        self.title, self.width, self.height = title, width, height
        self.values: dict[str, list[tuple[int, float]]] = {name: [] for name in names}
        self.step = -1

    def add(self, step: int | None = None, **values: float | Tensor) -> None:
        """Adds a point to each curve. Tensors of one element are computed."""
        self.step = self.step + 1 if step is None else step
        for name, value in values.items():
            number = value.item() if isinstance(value, Tensor) else value
            self.values.setdefault(name, []).append((self.step, float(number)))

    def _repr_svg_(self) -> str:
        curves = {
            name: [point for point in points if math.isfinite(point[1])]
            for name, points in self.values.items()
        }
        points = [point for curve in curves.values() for point in curve]
        left, top, right, bottom = 56, 24, 12, 28
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" '
            f'height="{self.height}" font-family="sans-serif" font-size="11">',
            f'<text x="{left}" y="14" font-weight="bold">{html.escape(self.title)}</text>',
        ]
        low = min((value for _, value in points), default=0.0)
        high = max((value for _, value in points), default=1.0)
        first = min((step for step, _ in points), default=0)
        last = max((step for step, _ in points), default=1)
        high += (high == low) * (abs(high) or 1.0)

        def place(step: float, value: float) -> tuple[float, float]:
            x = left + (step - first) / max(last - first, 1) * (self.width - left - right)
            y = top + (high - value) / (high - low) * (self.height - top - bottom)
            return round(x, 1), round(y, 1)

        for value in (low, (low + high) / 2, high):
            _, y = place(first, value)
            lines.append(
                f'<path d="M{left} {y}H{self.width - right}" stroke="#d0d7de"/>'
                f'<text x="{left - 4}" y="{y + 4}" text-anchor="end">{value:.4g}</text>'
            )
        for step, anchor in ((first, "start"), (last, "end")):
            x, _ = place(step, low)
            lines.append(
                f'<text x="{x}" y="{self.height - 8}" text-anchor="{anchor}">{step}</text>'
            )
        for number, (name, curve) in enumerate(curves.items()):
            color = COLORS[number % len(COLORS)]
            path = " ".join(f"{x},{y}" for x, y in (place(*point) for point in curve))
            lines.append(
                f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="1.5"/>'
                f'<text x="{self.width - right}" y="{14 + 12 * number}" text-anchor="end" '
                f'fill="{color}">{html.escape(name)}</text>'
            )
        return "\n".join([*lines, "</svg>"])

    def save(self, path: str | Path) -> None:
        """Writes an SVG file."""
        Path(path).write_text(self._repr_svg_())


def tensor_html(tensor: Tensor) -> str:
    """What a notebook shows of a tensor: shape, type, device, and values that are in memory.

    Never computes: of a tensor that is not realized, or of more than 65,536 elements, there are no
    values.
    """
    shape = " × ".join(map(str, tensor.shape)) or "no axes"
    head = f"Tensor, {shape}, {tensor.dtype}, {tensor.device}"
    numel = tensor.numel()
    if not is_realized(tensor):
        body = "<i>not computed</i>"
    elif not isinstance(numel, int) or numel > MOST_ELEMENTS:
        body = f"<i>{numel} elements</i>"
    else:
        body = _make_table(tensor)
    return f"<div><b>{html.escape(head)}</b><br>{body}</div>"


def _make_table(tensor: Tensor) -> str:
    """The first rows and columns of the last two axes, at the beginning of the others."""
    values = tensor.tolist()
    axes = len(tensor.shape)
    for _ in range(axes - 2):
        if not values:
            break
        values = values[0]
    rows = [[values]] if axes == 0 else [values] if axes == 1 else values
    lines = []
    for row in rows[:MOST_ROWS]:
        cells = [f"{v:.4g}" if isinstance(v, float) else str(v) for v in row[:MOST_COLUMNS]]
        cells += ["…"] * (len(row) > MOST_COLUMNS)
        lines.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    if len(rows) > MOST_ROWS:
        lines.append("<tr><td>⋮</td></tr>")
    where = f"[{', '.join(['0'] * (axes - 2))}]" if axes > 2 else ""
    return f"{where}<table>{''.join(lines)}</table>"
