"""States of objects, and files of tensors."""

import io
import json
import pickle
import struct
import tarfile
import zipfile
from collections import OrderedDict, namedtuple

import numpy as np
import pytest
from tinygrad_mlir import Device, Tensor, dtypes, nn
from tinygrad_mlir._core import IoError
from tinygrad_mlir.nn import state


def array(*shape, dtype=np.float32, seed=0):
    return (np.random.default_rng(seed).standard_normal(shape) * 50).astype(dtype)


# Objects


def test_names():
    class Net:
        def __init__(self):
            self.a = nn.Linear(2, 3)
            self.layers = [nn.Linear(3, 3, bias=False), Tensor.relu, (Tensor([1]),)]
            self.table = {"x": Tensor([2]), "y": OrderedDict(z=Tensor([3]))}
            self.pair = namedtuple("Pair", "p q")(Tensor([4]), 5)
            self.text = "text"

    net = Net()
    assert list(state.get_state_dict(net)) == [
        "a.weight",
        "a.bias",
        "layers.0.weight",
        "layers.2.0",
        "table.x",
        "table.y.z",
        "pair.p",
    ]
    assert list(state.get_state_dict(net.a, "net.")) == ["net.weight", "net.bias"]
    assert state.get_state_dict(net)["a.weight"] is net.a.weight
    assert state.get_parameters(net)[1] is net.a.bias


def test_load_state_dict():
    source, target = nn.Linear(2, 3), nn.Linear(2, 3)
    weight = target.weight
    values = state.get_state_dict(source)
    loaded = state.load_state_dict(target, dict(values), verbose=False)
    assert target.weight is weight and loaded[0] is weight
    np.testing.assert_array_equal(weight.numpy(), source.weight.numpy())
    # What is loaded is not the source's memory.
    target.weight.assign(target.weight + 1).realize()
    np.testing.assert_allclose(target.weight.numpy(), source.weight.numpy() + 1, rtol=1e-6)


def test_loaded_tensors_are_on_the_devices_of_the_model():
    devices = ("CPU:1", "CPU:2")

    class Model:
        def __init__(self, **tensors):
            self.__dict__.update(tensors)

    parts = Tensor.arange(8).reshape(2, 4).shard(devices, 1)
    model = Model(x=Tensor.zeros(2, 4, device="CPU"), y=Tensor.zeros(2, 4).shard(devices, 0))
    state.load_state_dict(model, {"x": parts, "y": Tensor.arange(8).reshape(2, 4)}, verbose=False)
    assert model.x.device == "CPU" and model.x.tolist() == parts.tolist()
    assert model.y.device == devices and model.y.shard_axis == 0
    state.load_state_dict(model, {"y": parts}, strict=False, verbose=False)
    assert model.y.shard_axis == 1 and model.y.tolist() == parts.tolist()


def test_load_state_dict_options(capsys):
    target = nn.Linear(2, 3)
    old = target.bias.numpy()
    values = {"weight": Tensor(array(3, 2)), "more": Tensor([1])}
    with pytest.raises(KeyError, match="bias"):
        state.load_state_dict(target, dict(values), verbose=False)
    assert len(state.load_state_dict(target, values, strict=False, consume=True)) == 1
    assert list(values) == ["more"]
    np.testing.assert_array_equal(target.bias.numpy(), old)
    assert "loaded weights in" in capsys.readouterr().out
    with pytest.raises(ValueError, match=r"`bias`: Expected shape \(3,\), but found \(4,\)"):
        wrong = {"weight": Tensor(array(3, 2)), "bias": Tensor(array(4))}
        state.load_state_dict(target, wrong, verbose=False)

    class Scalar:
        def __init__(self):
            self.x = Tensor(1.0)

    scalar = Scalar()
    state.load_state_dict(scalar, {"x": Tensor([5.0])}, verbose=False)
    assert scalar.x.shape == () and scalar.x.item() == 5


# safetensors

NUMPY = {"F32": np.float32, "F64": np.float64, "F16": np.float16, "I64": np.int64, "I32": np.int32}
NUMPY |= {"I16": np.int16, "I8": np.int8, "U8": np.uint8, "U16": np.uint16, "U32": np.uint32}
NUMPY |= {"U64": np.uint64, "BOOL": np.bool_}


def test_safe_load_of_a_written_file(tmp_path):
    """A file by the rules of the format: length, header of JSON, data."""
    arrays = {name: array(3, 2, seed=i).astype(d) for i, (name, d) in enumerate(NUMPY.items())}
    header, data = {"__metadata__": {"made": "here"}}, b""
    for name, values in arrays.items():
        offsets = [len(data), len(data) + values.nbytes]
        header[name] = {"dtype": name, "shape": [3, 2], "data_offsets": offsets}
        data += values.tobytes()
    text = json.dumps(header).encode()
    path = tmp_path / "x.safetensors"
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
    for loaded in (
        state.safe_load(path),
        state.safe_load(str(path)),
        state.safe_load(Tensor(path)),
    ):
        assert list(loaded) == list(arrays)
        for name, values in arrays.items():
            assert loaded[name].numpy().dtype == values.dtype
            np.testing.assert_array_equal(loaded[name].numpy(), values)
    tensor, start, metadata = state.safe_load_metadata(path)
    assert start == 8 + len(text) and metadata == header and tensor.shape == (start + len(data),)


def test_any_names(tmp_path):
    path = tmp_path / "x.safetensors"
    tensors = {name: Tensor([float(i)]) for i, name in enumerate(("a\0b", "a\0c", "a", "ä"))}
    state.safe_save(tensors, path)
    loaded = {name: value.tolist() for name, value in state.safe_load(path).items()}
    assert loaded == {name: value.tolist() for name, value in tensors.items()}


def test_safe_save_follows_the_format(tmp_path):
    path = tmp_path / "x.safetensors"
    values = {
        "b": Tensor(array(2, 3)),
        "a": Tensor([1, 2, 3]),
        "h": Tensor([1.5]).cast(dtypes.bfloat16),
    }
    state.safe_save(values, str(path), {"text": "x", "number": 3})
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    assert length % 8 == 0 and header.pop("__metadata__") == {"text": "x", "number": "3"}
    assert {k: (v["dtype"], v["shape"]) for k, v in header.items()} == {
        "b": ("F32", [2, 3]),
        "a": ("I32", [3]),
        "h": ("BF16", [1]),
    }
    begin, end = header["b"]["data_offsets"]
    assert data[8 + length :][begin:end] == array(2, 3).tobytes()
    again = state.safe_load(path)
    assert again["h"].dtype == dtypes.bfloat16 and again["h"].tolist() == [1.5]


def test_model_round_trip(tmp_path):
    model, other = nn.BatchNorm(3), nn.BatchNorm(3)
    model.running_mean.assign(Tensor([1.0, 2.0, 3.0]))
    path = tmp_path / "m.safetensors"
    state.safe_save(state.get_state_dict(model), path)
    state.load_state_dict(other, state.safe_load(path), verbose=False)
    assert other.running_mean.tolist() == [1, 2, 3]
    assert other.num_batches_tracked.dtype == dtypes.long


@pytest.mark.parametrize(
    "data",
    [
        b"",
        struct.pack("<Q", 100) + b"{}",
        struct.pack("<Q", 2) + b"{]",
        struct.pack("<Q", 2) + b"[]",
        struct.pack("<Q", 61)
        + b'{"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}       '
        + b"1234",
        struct.pack("<Q", 61)
        + b'{"x":{"dtype":"X32","shape":[2],"data_offsets":[0,8]}}       '
        + b"12345678",
    ],
)
def test_torn_safetensors(tmp_path, data):
    path = tmp_path / "torn.safetensors"
    path.write_bytes(data)
    for error in (IoError, ValueError):
        with pytest.raises(error, match="torn.safetensors"):
            state.safe_load(path)
    if data:
        with pytest.raises(IoError, match="tensor of bytes"):
            state.safe_load(Tensor(path))


@pytest.mark.parametrize(
    "load",
    [
        state.safe_load,
        state.safe_load_metadata,
        state.torch_load,
        state.gguf_load,
        state.zip_extract,
    ],
)
def test_missing_files(tmp_path, load):
    with pytest.raises(FileNotFoundError, match="missing"):
        load(tmp_path / "missing")
    with pytest.raises(IoError, match="directory"):
        load(tmp_path)


# Archives


def test_archives(tmp_path):
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("a/b", b"123")
        archive.writestr("c", b"4" * 1000, zipfile.ZIP_DEFLATED)
    files = state.zip_extract(tmp_path / "x.zip")
    assert files["a/b"].tolist() == [49, 50, 51] and files["c"].shape == (1000,)
    with tarfile.open(tmp_path / "x.tar.gz", "w:gz") as archive:
        info = tarfile.TarInfo("d")
        info.size = 2
        archive.addfile(info, io.BytesIO(b"12"))
    assert state.tar_extract(Tensor(tmp_path / "x.tar.gz"))["d"].tolist() == [49, 50]
    (tmp_path / "bad").write_bytes(b"nothing")
    for extract, kind in [
        (state.zip_extract, zipfile.BadZipFile),
        (state.tar_extract, tarfile.ReadError),
    ]:
        for error in (IoError, kind):
            with pytest.raises(error, match="bad"):
                extract(tmp_path / "bad")


def test_tensor_io():
    file = state.TensorIO(Tensor(list(b"hello world"), dtype=dtypes.uint8))
    assert file.read(5) == b"hello" and file.seek(-5, 2) == 6 and file.read() == b"world"
    with pytest.raises(ValueError, match="uint8"):
        state.TensorIO(Tensor([1.0]))


# PyTorch: files are written here as torch.save() lays them out.


class Global:
    """Pickles as the name of something in a module."""

    def __init__(self, module, name):
        self.path = (module, name)

    def __reduce__(self):
        return self


class TorchPickler(pickle._Pickler):
    def save_global(self, obj, name=None):
        self.write(f"c{obj.path[0]}\n{obj.path[1]}\n".encode())

    def save(self, obj, save_persistent_id=True):
        if isinstance(obj, Global):
            return self.save_global(obj)
        return super().save(obj, save_persistent_id)

    def persistent_id(self, obj):
        return obj.pid if isinstance(obj, Storage) else None


class Storage:
    def __init__(self, kind, key, size, view=()):
        self.pid = ("storage", Global("torch", kind), key, "cpu", size, *view)


class Rebuild:
    def __init__(self, function, *arguments):
        self.function, self.arguments = function, arguments

    def __reduce__(self):
        return Global("torch._utils", self.function), self.arguments


def torch_pickle(obj):
    file = io.BytesIO()
    pickler = TorchPickler(file, 2)

    def save_reduce(func, args, *rest, obj=None, **kwargs):
        pickler.save(func)
        pickler.save(args)
        pickler.write(pickle.REDUCE)
        if obj is not None:
            pickler.memoize(obj)

    pickler.save_reduce = save_reduce
    pickler.dump(obj)
    return file.getvalue()


def tensor(kind, key, values, size=None, stride=None, offset=0, view=()):
    size = values.shape if size is None else size
    if stride is None:
        stride = tuple(int(np.prod(size[i + 1 :])) for i in range(len(size)))
    storage = Storage(kind, key, values.size, view)
    return Rebuild("_rebuild_tensor_v2", storage, offset, tuple(size), tuple(stride), False, None)


def torch_zip(path, obj, storages):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive/data.pkl", torch_pickle(obj))
        archive.writestr("archive/byteorder", "little")
        for key, values in storages.items():
            archive.writestr(f"archive/data/{key}", values.tobytes())


def test_torch_load(tmp_path):
    kinds = {
        "FloatStorage": np.float32,
        "DoubleStorage": np.float64,
        "HalfStorage": np.float16,
        "LongStorage": np.int64,
        "IntStorage": np.int32,
        "ShortStorage": np.int16,
        "CharStorage": np.int8,
        "ByteStorage": np.uint8,
        "BoolStorage": np.bool_,
    }
    storages = {str(i): array(2, 3, seed=i).astype(d) for i, d in enumerate(kinds.values())}
    obj = {k: tensor(k, str(i), storages[str(i)]) for i, k in enumerate(kinds)}
    obj["bfloat16"] = tensor("BFloat16Storage", "b", np.zeros(2, np.uint16))
    storages["b"] = np.array([0x3F80, 0xC020], dtype=np.uint16)
    obj |= {"step": 7, "name": "net", "nested": [1.5, (None, True)]}
    torch_zip(tmp_path / "x.pt", obj, storages)
    loaded = state.torch_load(tmp_path / "x.pt")
    for i, kind in enumerate(kinds):
        assert loaded[kind].numpy().dtype == kinds[kind]
        np.testing.assert_array_equal(loaded[kind].numpy(), storages[str(i)])
    assert loaded["bfloat16"].dtype == dtypes.bfloat16 and loaded["bfloat16"].tolist() == [1, -2.5]
    assert loaded["step"] == 7 and loaded["nested"] == [1.5, (None, True)]
    assert list(state.torch_load(Tensor(tmp_path / "x.pt"))) == list(loaded)


def test_torch_views(tmp_path):
    base = array(4, 6)
    views = {
        "transposed": ((6, 4), (1, 6), 0, base.T),
        "column": ((4,), (6,), 2, base[:, 2]),
        "window": ((2, 3), (6, 1), 8, base[1:3, 2:5]),
        "expanded": ((3, 6), (0, 1), 6, np.broadcast_to(base[1], (3, 6))),
        "permuted": ((2, 4, 3), (3, 6, 1), 0, base.reshape(4, 2, 3).transpose(1, 0, 2)),
        "empty": ((0, 3), (3, 1), 0, base[:0, :3]),
        "scalar": ((), (), 5, base[0, 5]),
        "one": ((1, 6, 1), (99, 1, 7), 0, base[0].reshape(1, 6, 1)),
    }
    obj = {
        name: tensor("FloatStorage", "0", base, size, stride, offset)
        for name, (size, stride, offset, _) in views.items()
    }
    obj["parameter"] = Rebuild("_rebuild_parameter", tensor("FloatStorage", "0", base), True, None)
    torch_zip(tmp_path / "x.pt", obj, {"0": base})
    loaded = state.torch_load(tmp_path / "x.pt")
    for name, (*_, expected) in views.items():
        assert loaded[name].shape == expected.shape, name
        np.testing.assert_array_equal(loaded[name].numpy(), expected)
    np.testing.assert_array_equal(loaded["parameter"].numpy(), base)


def test_torch_stream(tmp_path):
    """The format from before 1.6: pickles, then the elements."""
    base = array(4, 3)
    parts = [0x1950A86A20F9469CFC6C, 1001, {"little_endian": True}]
    obj = {
        "a": tensor("FloatStorage", "k", base, view=(None,)),
        "b": tensor("FloatStorage", "k", base[:2], (2, 3), (3, 1), 0, view=(("v", 3, 6),)),
    }
    data = b"".join(pickle.dumps(part, 2) for part in parts) + torch_pickle(obj)
    data += pickle.dumps(["k"], 2) + struct.pack("<q", base.size) + base.tobytes()
    (tmp_path / "old.pt").write_bytes(data)
    loaded = state.torch_load(tmp_path / "old.pt")
    np.testing.assert_array_equal(loaded["a"].numpy(), base)
    np.testing.assert_array_equal(loaded["b"].numpy(), base[1:3])
    (tmp_path / "old.pt").write_bytes(data[:-4])
    with pytest.raises(IoError, match="old.pt.*storage k ends early"):
        state.torch_load(tmp_path / "old.pt")


def test_torch_files_run_no_code(tmp_path):
    marker = tmp_path / "ran"

    class Evil:
        def __reduce__(self):
            return Global("os", "system"), (f"touch {marker}",)

    torch_zip(tmp_path / "x.pt", {"x": Evil(), "y": 1}, {})
    assert state.torch_load(tmp_path / "x.pt")["y"] == 1
    assert not marker.exists()


def test_torn_torch_files(tmp_path):
    path, base = tmp_path / "torn.pt", array(2, 3)
    torch_zip(path, {"x": tensor("FloatStorage", "0", base)}, {"0": base})
    whole = path.read_bytes()
    for data in (b"", b"nothing of this kind", whole[:-30], whole[:100]):
        path.write_bytes(data)
        for error in (IoError, ValueError):
            with pytest.raises(error, match="torn.pt"):
                state.torch_load(path)
    for obj, storages, message in [
        ({"x": tensor("FloatStorage", "0", base)}, {}, "storage 0 are missing"),
        ({"x": tensor("FloatStorage", "0", base)}, {"0": base[:1]}, "12 bytes"),
        ({"x": tensor("ComplexFloatStorage", "0", base)}, {"0": base}, "ComplexFloatStorage"),
        ({"x": tensor("FloatStorage", "0", base, offset=-1)}, {"0": base}, "offset -1"),
    ]:
        torch_zip(path, obj, storages)
        with pytest.raises(IoError, match=message):
            state.torch_load(path)


@pytest.mark.skipif(Device.DEFAULT != "CPU", reason="on other devices it is a copy")
def test_large_files_are_mapped(tmp_path):
    # The header of a file, of which the data would not fit into memory.
    size = 1 << 38
    header = json.dumps({"x": {"dtype": "U8", "shape": [size], "data_offsets": [0, size]}}).encode()
    path = tmp_path / "large.safetensors"
    with open(path, "wb") as file:
        file.write(len(header).to_bytes(8, "little") + header)
        file.truncate(8 + len(header) + size)
    data, start, found = state.safe_load_metadata(path)
    assert found == json.loads(header) and start == 8 + len(header)
    assert data.shape == (start + size,)
    assert bytes(data[8:start].tolist()) == header
