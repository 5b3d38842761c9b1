"""Readers of data sets, on small files of the same formats."""

import gzip
import pathlib
import struct
import tarfile

import numpy as np
import pytest
from tinygrad_mlir import dtypes
from tinygrad_mlir._core import IoError, fashion_mnist_directory
from tinygrad_mlir.nn import datasets


def write_idx(path, values):
    head = struct.pack(f">BBBB{values.ndim}I", 0, 0, 8, values.ndim, *values.shape)
    with gzip.open(path, "wb") as file:
        file.write(head + values.tobytes())


@pytest.mark.parametrize("fashion, variable", [(False, "MNIST"), (True, "FASHION_MNIST")])
def test_mnist(tmp_path, monkeypatch, fashion, variable):
    random = np.random.default_rng(0)
    files = {}
    for part, count in (("train", 5), ("t10k", 3)):
        files[part] = (
            random.integers(0, 256, (count, 28, 28), dtype=np.uint8),
            random.integers(0, 10, count, dtype=np.uint8),
        )
        write_idx(tmp_path / f"{part}-images-idx3-ubyte.gz", files[part][0])
        write_idx(tmp_path / f"{part}-labels-idx1-ubyte.gz", files[part][1])
    monkeypatch.setenv(variable, str(tmp_path))
    loaded = datasets.mnist(fashion=fashion)
    assert [x.shape for x in loaded] == [(5, 1, 28, 28), (5,), (3, 1, 28, 28), (3,)]
    assert all(x.dtype == dtypes.uint8 for x in loaded)
    np.testing.assert_array_equal(loaded[0].numpy()[:, 0], files["train"][0])
    np.testing.assert_array_equal(loaded[3].numpy(), files["t10k"][1])
    assert datasets.mnist(device="SIM", fashion=fashion)[1].device == "SIM"
    (tmp_path / "t10k-labels-idx1-ubyte.gz").write_bytes(b"torn")
    with pytest.raises(IoError, match="t10k-labels"):
        datasets.mnist(fashion=fashion)


def test_missing_mnist(tmp_path, monkeypatch):
    monkeypatch.setenv("MNIST", str(tmp_path / "nowhere"))
    with pytest.raises(OSError, match=r"nowhere.*train-images.*environment variable MNIST"):
        datasets.mnist()


@pytest.mark.skipif(
    not pathlib.Path(fashion_mnist_directory).is_dir(), reason="no package dataset-fashion-mnist"
)
def test_fashion_mnist_of_the_system(monkeypatch):
    monkeypatch.delenv("FASHION_MNIST", raising=False)
    images, labels, test_images, test_labels = datasets.mnist(fashion=True)
    assert images.shape == (60000, 1, 28, 28) and test_images.shape == (10000, 1, 28, 28)
    assert np.bincount(labels.numpy()).tolist() == [6000] * 10
    assert np.bincount(test_labels.numpy()).tolist() == [1000] * 10


def test_cifar(tmp_path, monkeypatch):
    random = np.random.default_rng(1)
    records = random.integers(0, 256, (6, 2, 3073), dtype=np.uint8)
    names = [f"data_batch_{i}.bin" for i in range(1, 6)] + ["test_batch.bin"]
    folder = tmp_path / "plain"
    folder.mkdir()
    for name, values in zip(names, records):
        (folder / name).write_bytes(values.tobytes())
    packed = tmp_path / "packed"
    packed.mkdir()
    with tarfile.open(packed / "cifar-10-binary.tar.gz", "w:gz") as archive:
        for name in names:
            archive.add(folder / name, f"cifar-10-batches-bin/{name}")
    train = records[:5].reshape(10, 3073)
    for where in (folder, packed):
        monkeypatch.setenv("CIFAR", str(where))
        images, labels, test_images, test_labels = datasets.cifar()
        np.testing.assert_array_equal(images.numpy(), train[:, 1:].reshape(10, 3, 32, 32))
        np.testing.assert_array_equal(labels.numpy(), train[:, 0])
        np.testing.assert_array_equal(test_labels.numpy(), records[5, :, 0])
        assert test_images.shape == (2, 3, 32, 32)
    assert datasets.cifar(device="SIM")[0].device == "SIM"


def test_cifar_errors(tmp_path, monkeypatch):
    monkeypatch.setenv("CIFAR", str(tmp_path))
    with pytest.raises(IoError, match=r"data_batch_1.bin.*environment variable CIFAR"):
        datasets.cifar()
    (tmp_path / "cifar-10-binary.tar.gz").write_bytes(b"torn")
    with pytest.raises(IoError, match="cifar-10-binary.tar.gz: not an archive"):
        datasets.cifar()
    for name in [f"data_batch_{i}.bin" for i in range(1, 6)] + ["test_batch.bin"]:
        (tmp_path / name).write_bytes(bytes(100))
    with pytest.raises(IoError, match="data_batch_1.bin: 100 bytes"):
        datasets.cifar()
