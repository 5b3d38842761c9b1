"""Data sets of small images, read from local files: nothing is downloaded."""

from __future__ import annotations

import os
import pathlib
import tarfile

from tinygrad_mlir import _core
from tinygrad_mlir._core import IoError, Tensor
from tinygrad_mlir.dtype import dtypes

__all__ = ["cifar", "mnist"]

_CIFAR = "cifar-10-batches-bin"


def _folder(variable: str, name: str) -> pathlib.Path:
    """The folder that the variable of the environment names, or one in the cache."""
    if os.environ.get(variable):
        return pathlib.Path(os.environ[variable])
    return pathlib.Path("~/.cache/tinygrad-mlir/datasets", name).expanduser()


def mnist(
    device: str | None = None, fashion: bool = False
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Training images and labels, test images and labels, as uint8: (N, 1, 28, 28) and (N,).

    Reads {train,t10k}-{images-idx3,labels-idx1}-ubyte, with or without .gz, in the folder that
    MNIST or FASHION_MNIST names. Without it Fashion-MNIST is that of Debian's package
    dataset-fashion-mnist, and MNIST is in ~/.cache/tinygrad-mlir/datasets/mnist. Raises IoError,
    an OSError, if files are missing or malformed.
    """
    variable = "FASHION_MNIST" if fashion else "MNIST"
    # An absolute path replaces those before it.
    folder = _folder(variable, _core.fashion_mnist_directory if fashion else "mnist")
    try:
        return _core.read_mnist(str(folder), fashion, device or "")
    except IoError as error:
        raise IoError(
            f"{error} (the environment variable {variable} names another folder)"
        ) from None


def cifar(device: str | None = None) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """CIFAR-10 as uint8: training images (N, 3, 32, 32) and labels (N,), then those for tests.

    Reads data_batch_1.bin to data_batch_5.bin and test_batch.bin in the folder that CIFAR names
    (~/.cache/tinygrad-mlir/datasets/cifar-10-batches-bin without it), or the archive
    cifar-10-binary.tar.gz there. Raises IoError, an OSError, if files are missing or malformed.
    """
    folder = _folder("CIFAR", _CIFAR)
    names = [f"data_batch_{i}.bin" for i in range(1, 6)] + ["test_batch.bin"]
    parts = [_records(data, folder / name) for name, data in zip(names, _read(folder, names))]
    train, test = b"".join(parts[:5]), parts[5]
    result = []
    for data in (train, test):
        rows = _core.tensor_from_bytes(data, dtypes.uint8, [len(data) // 3073, 3073])
        rows = rows.to(device) if device else rows
        result += [rows[:, 1:].reshape(-1, 3, 32, 32), rows[:, 0]]
    return result[0], result[1], result[2], result[3]


def _records(data: bytes, path: pathlib.Path) -> bytes:
    if not data or len(data) % 3073:
        raise IoError(
            f"{path}: {len(data)} bytes are not a number of records of a label and 3072 pixels"
        )
    return data


def _read(folder: pathlib.Path, names: list[str]) -> list[bytes]:
    if all((folder / name).is_file() for name in names):
        return [(folder / name).read_bytes() for name in names]
    archive = folder / "cifar-10-binary.tar.gz"
    if not archive.is_file():
        raise IoError(
            f"{folder}: there are neither {names[0]} to {names[-1]} nor {archive.name}; "
            "download them from https://www.cs.toronto.edu/~kriz/cifar.html "
            "(the environment variable CIFAR names another folder)"
        )
    try:
        with tarfile.open(archive) as tar:
            return [tar.extractfile(f"{_CIFAR}/{name}").read() for name in names]  # type: ignore[union-attr]
    except (tarfile.TarError, KeyError, EOFError, OSError) as error:
        raise IoError(f"{archive}: not an archive of CIFAR-10: {error}") from error
