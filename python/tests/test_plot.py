"""Pictures, charts and what notebooks show of tensors."""

import re
import struct
import zlib

import pytest

from tinygrad_mlir import DTypeError, GlobalCounters, ShapeError, Tensor, Variable, dtypes
from tinygrad_mlir.helpers import tqdm
from tinygrad_mlir.plot import LearningCurve, show_image


def read_png(data):
    """Width, height and rows of bytes of a PNG file, whose checksums are right."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, chunks = 8, {}
    while at < len(data):
        (size,) = struct.unpack(">I", data[at : at + 4])
        kind, content = data[at + 4 : at + 8], data[at + 8 : at + 8 + size]
        (check,) = struct.unpack(">I", data[at + 8 + size : at + 12 + size])
        assert check == zlib.crc32(kind + content)
        chunks[kind] = content
        at += 12 + size
    width, height, depth, color, *_ = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    assert depth == 8
    row = 1 + width * {0: 1, 2: 3}[color]
    pixels = zlib.decompress(chunks[b"IDAT"])
    assert len(pixels) == row * height
    return width, height, [list(pixels[y * row + 1 : (y + 1) * row]) for y in range(height)]


def test_gray_image():
    image = show_image(Tensor([[0.0, 0.5], [1.0, 2.0]]))
    assert read_png(image._repr_png_()) == (2, 2, [[0, 128], [255, 255]])
    assert read_png(show_image(Tensor([[True, False]]), scale=2)._repr_png_()) == (
        4,
        2,
        [[255, 255, 0, 0]] * 2,
    )


def test_color_images_of_both_orders():
    planes = Tensor([[[1], [2]], [[3], [4]], [[5], [6]]], dtype=dtypes.uint8)
    expected = (1, 2, [[1, 3, 5], [2, 4, 6]])
    assert read_png(show_image(planes)._repr_png_()) == expected
    assert read_png(show_image(planes.permute(1, 2, 0))._repr_png_()) == expected


def test_sheet_of_images(tmp_path):
    images = Tensor([[[[n]]] for n in range(1, 6)], dtype=dtypes.uint8)
    sheet = show_image(images, columns=3)
    assert read_png(sheet._repr_png_()) == (3, 2, [[1, 2, 3], [4, 5, 0]])
    sheet.save(tmp_path / "sheet.png")
    assert read_png((tmp_path / "sheet.png").read_bytes())[0] == 3


def test_image_errors():
    with pytest.raises(ShapeError, match=r"shape \(2, 5, 5\) is no image"):
        show_image(Tensor.zeros(2, 5, 5))
    with pytest.raises(DTypeError, match="floats, uint8 or bool, not dtypes.int"):
        show_image(Tensor([[1, 2]]))
    with pytest.raises(ValueError, match="at least 1, not 0"):
        show_image(Tensor([[1.0]]), scale=0)


def test_learning_curve(tmp_path):
    curve = LearningCurve(title="a < b")
    for value in (3.0, float("nan"), 1.0):
        curve.add(loss=value, error=Tensor([value]))
    assert curve.values["error"][2] == (2, 1.0)
    svg = curve._repr_svg_()
    assert "a &lt; b" in svg
    # The largest value is at the top on the left, the smallest at the bottom on the right.
    assert re.findall(r'points="([^"]*)"', svg) == ["56.0,24.0 468.0,212.0"] * 2
    curve.save(tmp_path / "curve.svg")
    assert (tmp_path / "curve.svg").read_text() == svg


def test_curve_without_points():
    assert LearningCurve("loss")._repr_svg_().endswith("</svg>")
    curve = LearningCurve()
    curve.add(loss=2.0)
    assert "56.0,212.0" in curve._repr_svg_()


def test_html_of_tensors_computes_nothing():
    x = (Tensor([[1.0, 2.0]]).clone().realize() + 1).clone()
    kernels = GlobalCounters.kernel_count
    assert "1 × 2, dtypes.float, CPU" in x._repr_html_()
    assert "not computed" in x._repr_html_()
    assert GlobalCounters.kernel_count == kernels
    x.realize()
    kernels = GlobalCounters.kernel_count
    assert "<td>2</td><td>3</td>" in x._repr_html_()
    assert GlobalCounters.kernel_count == kernels


def test_html_of_large_tensors():
    large = Tensor.arange(1000).reshape(10, 100).clone().realize()._repr_html_()
    assert large.count("<tr>") == 9
    assert "…" in large
    assert "70000 elements" in Tensor.arange(70000).clone().realize()._repr_html_()
    assert "<td>7</td>" in Tensor.full((2, 2, 1), 7).clone().realize()._repr_html_()
    n = Variable("n", 1, 8)
    assert "n" in Tensor.zeros(n)._repr_html_()


def test_progress_of_a_loader(capsys):
    assert list(tqdm([1, 2, 3], desc="epoch")) == [1, 2, 3]
    assert "epoch: 100%" in capsys.readouterr().err
