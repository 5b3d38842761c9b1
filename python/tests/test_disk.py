"""Tensors on DISK devices: files that are written."""

import json

import numpy as np
import pytest

from tinygrad_mlir import (
    DeviceError,
    IoError,
    JitError,
    ShapeError,
    Tensor,
    TinyJit,
    UsageError,
    dtypes,
)
from tinygrad_mlir.nn.state import safe_dtypes, safe_load


def test_assignments_are_written_at_once(tmp_path):
    path = tmp_path / "file"
    x = Tensor.empty(5, device=f"disk:{path}")
    assert path.stat().st_size == 20 and x.tolist() == [0] * 5 and x.shape == (5,)

    def content():
        return np.fromfile(path, np.float32).tolist()

    assert x.assign(Tensor.ones(5)) is x
    assert content() == [1] * 5
    x[1:3] = 7
    x[4] = Tensor(2.0)
    assert content() == [1, 7, 7, 1, 2]
    x += 1
    assert content() == [2, 8, 8, 2, 3] == x.tolist()
    x[:4].reshape(2, 2).assign([[1, 2], [3, 4]])
    assert content() == [1, 2, 3, 4, 3]
    # Of elements of the file.
    x[1:5].assign(x[0:4])
    assert content() == [1, 1, 2, 3, 4]
    x[0:1].bitcast(dtypes.uint8).assign([0, 0, 128, 63])
    assert content()[0] == 1.0
    x[1:3].bitcast(dtypes.uint8)[0:4].bitcast(dtypes.int32).assign([0])
    assert content()[1] == 0
    # Another writer.
    np.float32([9, 9, 9, 9, 9]).tofile(path)
    assert (x + 1).tolist() == [10] * 5


def test_views_that_wait_read_the_file(tmp_path):
    x = Tensor([1, 2, 3], device=f"DISK:{tmp_path / 'file'}")
    later = x * 2
    x.assign([4, 5, 6])
    assert later.tolist() == [8, 10, 12]


def test_files_are_read_by_others(tmp_path):
    path = tmp_path / "file"
    x = Tensor.arange(4).reshape(2, 2).to(f"DISK:{path}")
    assert x.device == "CPU" and x.tolist() == [[0, 1], [2, 3]]
    assert np.fromfile(path, np.int32).tolist() == [0, 1, 2, 3]
    # Longer files stay as long, shorter ones are extended with zeros.
    first = Tensor.empty(2, dtype=dtypes.int32, device=f"disk:{path}")
    assert first.tolist() == [0, 1] and path.stat().st_size == 16
    assert Tensor.empty(5, dtype=dtypes.int32, device=f"disk:{path}").tolist() == [0, 1, 2, 3, 0]
    permuted = x.permute(1, 0).to("CPU")
    assert permuted.tolist() == [[0, 2], [1, 3]]
    assert Tensor.empty(0, device=f"disk:{tmp_path / 'nothing'}").tolist() == []
    assert Tensor([1.5], dtype=dtypes.half, device=(f"disk:{tmp_path / 'half'}",)).tolist() == [1.5]
    assert (tmp_path / "half").stat().st_size == 2


def test_errors_of_files(tmp_path):
    with pytest.raises(IoError, match="missing/file: cannot be opened for writing"):
        Tensor.empty(5, device=f"disk:{tmp_path / 'missing' / 'file'}")
    with pytest.raises(DeviceError, match="zeros: disk:a is a file"):
        Tensor.zeros(2, device="disk:a")
    x = Tensor.empty(2, 2, device=f"disk:{tmp_path / 'file'}")
    with pytest.raises(UsageError, match="do not follow one another"):
        x[:, 0] = 1
    with pytest.raises(UsageError, match="do not follow one another"):
        x.permute(1, 0).assign(Tensor.ones(2, 2))
    with pytest.raises(TypeError, match="int32"):
        x.assign(Tensor.ones(2, 2, dtype=dtypes.int32))
    with pytest.raises(ShapeError):
        x.assign(Tensor.ones(3))
    assert x.tolist() == [[0, 0], [0, 0]]

    @TinyJit
    def step(value):
        x.assign(value)
        return value + 1

    with pytest.raises(JitError, match="write to a file"):
        step(Tensor.ones(2, 2).realize())


def test_other_tensors_are_not_written_at_once(tmp_path):
    x = Tensor.empty(2, device=f"disk:{tmp_path / 'file'}")
    y = (x + 1).realize()
    y.assign(y + 1)
    assert x.tolist() == [0, 0] and y.tolist() == [2, 2]


def test_safetensors_that_are_written_in_place(tmp_path):
    path = tmp_path / "weights.safetensors"
    weights = {
        "a": Tensor.arange(6).reshape(2, 3),
        "b": Tensor([1.5, 2.5]).half(),
        "c": Tensor([[1.0, 2.0]]),
    }
    names = {dtype: name for name, dtype in safe_dtypes.items()}
    header, end = {}, 0
    for name, value in weights.items():
        begin, end = end, end + value.nbytes()
        header[name] = {
            "dtype": names[value.dtype],
            "shape": value.shape,
            "data_offsets": [begin, end],
        }
    text = json.dumps(header)
    text += " " * (-len(text) % 8)
    file = Tensor.empty(8 + len(text) + end, dtype=dtypes.uint8, device=f"disk:{path}")
    file[0:8].bitcast(dtypes.int64).assign([len(text)])
    file[8 : 8 + len(text)].assign(list(text.encode()))
    for name, value in safe_load(file).items():
        value.assign(weights[name])
    loaded = safe_load(path)
    assert {name: value.tolist() for name, value in loaded.items()} == {
        name: value.tolist() for name, value in weights.items()
    }
    assert [value.dtype for value in loaded.values()] == [dtypes.int32, dtypes.half, dtypes.float32]
