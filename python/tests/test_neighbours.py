"""Memory shared with NumPy and others, pickles and copies."""

import copy
import gc
import io
import pickle
import threading
import weakref

import numpy as np
import pytest

from tinygrad_mlir import DTypeError, ShapeError, Tensor, dtypes

NUMPY_TYPES = "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64"


def make_array(name):
    return (np.arange(24).reshape(2, 3, 4) % 5).astype(name)


@pytest.mark.parametrize("name", NUMPY_TYPES.split())
def test_from_dlpack_keeps_type_and_values(name):
    array = make_array(name)
    tensor = Tensor.from_dlpack(array)
    assert tensor.dtype == getattr(dtypes, name)
    np.testing.assert_array_equal(tensor.numpy(), array)


@pytest.mark.parametrize("name", NUMPY_TYPES.split())
def test_dlpack_keeps_type_and_values(name):
    array = make_array(name)
    shared = np.from_dlpack(Tensor(array))
    assert shared.dtype == array.dtype
    np.testing.assert_array_equal(shared, array)


@pytest.mark.parametrize(
    "view",
    [
        lambda a: a[::-1],
        lambda a: a[:, ::2, 1:],
        lambda a: a.transpose(2, 0, 1),
        lambda a: np.broadcast_to(a[:, :1], a.shape),
        lambda a: a[:, :, ::-3],
        lambda a: a[1:1],
        lambda a: a[0, 0, 0:1].reshape(()),
    ],
)
def test_from_dlpack_takes_strides(view):
    array = view(make_array("float32"))
    np.testing.assert_array_equal(Tensor.from_dlpack(array).numpy(), array)
    np.testing.assert_array_equal((Tensor.from_dlpack(array) + 1).numpy(), array + 1)


def test_from_dlpack_shares_memory():
    array = np.zeros(4, np.float32)
    tensor = Tensor.from_dlpack(array)
    array[:] = 3
    assert tensor.tolist() == [3.0] * 4
    # Unlike the constructor, which copies.
    copied = Tensor(array)
    array[:] = 4
    assert copied.tolist() == [3.0] * 4
    assert (tensor * 2).tolist() == [8.0] * 4


@pytest.mark.parametrize("shape", [(3,), (1, 3), (3, 1)])
def test_assigning_writes_into_contiguous_memory(shape):
    array = np.ones(shape, np.float32)
    tensor = Tensor.from_dlpack(array)
    tensor.assign(Tensor([5.0, 6.0, 7.0]).reshape(shape)).realize()
    assert array.flatten().tolist() == [5.0, 6.0, 7.0]
    tensor.assign(tensor + 1).realize()
    assert array.flatten().tolist() == [6.0, 7.0, 8.0]
    tensor[0] = 2
    tensor.realize()
    assert array.tolist() == tensor.tolist()
    assert array.flatten()[0] == 2


def test_assigning_leaves_other_memory():
    array = np.ones((3, 3), np.float32)
    for view in (array.T[::-1], array[:, ::2]):
        tensor = Tensor.from_dlpack(view)
        tensor.assign(tensor * 5).realize()
        assert (tensor.min().item(), array.max()) == (5, 1)
    array.flags.writeable = False
    tensor = Tensor.from_dlpack(array)
    tensor.realize()
    tensor.assign(tensor * 5).realize()
    assert (tensor.min().item(), array.max()) == (5, 1)


def test_from_dlpack_keeps_the_array_alive_as_long_as_needed():
    class Array(np.ndarray):
        pass

    array = np.arange(5, dtype=np.float32).view(Array)
    alive = weakref.ref(array)
    tensor = Tensor.from_dlpack(array)
    del array
    gc.collect()
    assert alive() is not None
    assert tensor.sum().item() == 10
    del tensor
    gc.collect()
    assert alive() is None


def test_threads_that_share_and_release():
    """Arrays are released by threads that run, while others build."""
    sums = []

    def work():
        for number in range(50):
            x = Tensor.from_dlpack(np.full((64, 64), number, np.float32))
            y = (x @ x).sum()
            del x
            sums.append(y.realize().item() == 64.0**3 * number**2)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    assert len(sums) == 200
    assert all(sums)


def test_from_dlpack_read_only():
    array = np.arange(3, dtype=np.float32)
    array.flags.writeable = False
    assert Tensor.from_dlpack(array).tolist() == [0, 1, 2]


def test_from_dlpack_errors():
    with pytest.raises(TypeError, match="not one of type list"):
        Tensor.from_dlpack([1, 2])
    with pytest.raises(DTypeError, match="code 5, 128 bits"):
        Tensor.from_dlpack(np.zeros(3, complex))


def test_dlpack_shares_memory():
    tensor = Tensor([1.0, 2.0]).realize()
    array = np.from_dlpack(tensor)
    array[0] = 9
    assert tensor.tolist() == [9.0, 2.0]
    assert tensor.__dlpack_device__() == (1, 0)


def test_dlpack_copies_if_asked():
    tensor = Tensor([1.0, 2.0]).realize()
    np.from_dlpack(tensor, copy=True)[0] = 9
    assert tensor.tolist() == [1.0, 2.0]
    np.from_dlpack(tensor, device="cpu", copy=False)[0] = 9
    assert tensor.tolist() == [9.0, 2.0]
    with pytest.raises(BufferError):
        tensor.__dlpack__(dl_device=(2, 0))


def test_dlpack_of_computations_and_views():
    tensor = Tensor.arange(6).reshape(2, 3)
    np.testing.assert_array_equal(
        np.from_dlpack(tensor.permute(1, 0) * 2), [[0, 6], [2, 8], [4, 10]]
    )
    realized = Tensor.arange(6).realize()
    shared = np.from_dlpack(realized.reshape(2, 3).permute(1, 0))
    assert shared.strides == (4, 12)
    assert np.from_dlpack(Tensor.zeros(0, 3)).shape == (0, 3)


def test_dlpack_keeps_the_memory():
    array = np.from_dlpack(Tensor.arange(1000).realize())
    gc.collect()
    np.testing.assert_array_equal(array, np.arange(1000))


def test_torch():
    torch = pytest.importorskip("torch")
    x = torch.arange(6, dtype=torch.bfloat16).reshape(2, 3).t()
    tensor = Tensor.from_dlpack(x)
    assert tensor.dtype == dtypes.bfloat16
    assert tensor.tolist() == x.tolist()
    back = torch.from_dlpack(tensor + 1)
    assert back.dtype == torch.bfloat16
    assert back.tolist() == (x + 1).tolist()
    # Both have an LLVM of their own in one process.
    assert torch.from_dlpack(Tensor([1.0, 2.0]).exp()).sum().item() == pytest.approx(10.107338)


def test_buffer_protocol():
    tensor = (Tensor([[1, 2], [3, 4]]) * 2).realize()
    view = memoryview(tensor)
    assert (view.readonly, view.format, view.shape) == (True, "i", (2, 2))
    assert view.tolist() == [[2, 4], [6, 8]]
    assert bytes(view) == tensor.numpy().tobytes()
    with pytest.raises(ValueError, match="read-only"):
        np.asarray(tensor)[0, 0] = 1
    own = np.array(tensor)
    own[0, 0] = 7
    assert tensor.tolist() == [[2, 4], [6, 8]]
    with pytest.raises(BufferError, match=r"bfloat16: use \.float\(\)"):
        memoryview(tensor.cast("bfloat16"))
    with pytest.raises(TypeError, match="read-write"):
        io.BytesIO(b"12345678").readinto(tensor)


def test_numpy_is_a_copy():
    tensor = Tensor([1.0, 2.0]).realize()
    array = tensor.numpy()
    array[0] = 5
    assert tensor.tolist() == [1.0, 2.0]


def test_from_blob():
    array = np.arange(6, dtype=np.int32).reshape(2, 3)
    tensor = Tensor.from_blob(array.ctypes.data, (2, 3), dtype=dtypes.int32)
    array[0, 0] = 10
    assert tensor.tolist() == [[10, 1, 2], [3, 4, 5]]
    tensor.assign(tensor + 1).realize()
    assert (tensor[0, 0].item(), array[0, 0]) == (11, 11)
    floats = np.ones(2, np.float32)
    assert Tensor.from_blob(floats.ctypes.data, (2,)).dtype == dtypes.float32
    with pytest.raises(ValueError, match="address is 0"):
        Tensor.from_blob(0, (2,))
    with pytest.raises(ShapeError, match=r"\[-2\]"):
        Tensor.from_blob(array.ctypes.data, (-2,))


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "bool", "int64", "fp8e4m3"])
def test_pickle(protocol, dtype):
    tensor = Tensor([[1, 0], [3, 4]]).cast(dtype)
    loaded = pickle.loads(pickle.dumps(tensor, protocol))
    assert loaded.dtype == tensor.dtype
    assert loaded.device == tensor.device
    assert loaded.tolist() == tensor.tolist()
    assert not loaded.requires_grad


def test_pickle_of_empty_scalar_and_lazy_tensors():
    for tensor in (Tensor.zeros(0, 3), Tensor(2.5), Tensor.arange(4).reshape(2, 2).exp()):
        loaded = pickle.loads(pickle.dumps(tensor))
        assert loaded.shape == tensor.shape
        np.testing.assert_array_equal(loaded.numpy(), tensor.numpy())


def make_parameter():
    weight = Tensor([[1.0, 2.0], [3.0, 4.0]]).requires_grad_()
    (weight * weight).sum().backward()
    return weight


def test_pickle_keeps_parameters_and_gradients():
    loaded = pickle.loads(pickle.dumps({"w": make_parameter()}))["w"]
    assert loaded.requires_grad
    assert loaded.grad.tolist() == [[2.0, 4.0], [6.0, 8.0]]
    (loaded * 3).sum().backward()
    assert loaded.grad.tolist() == [[5.0, 7.0], [9.0, 11.0]]


def test_damaged_pickles():
    state = make_parameter().__getstate__()
    for damaged in (state[:5], (b"12", *state[1:]), (state[0], state[1], "x", *state[3:])):
        with pytest.raises(ValueError, match="pickle"):
            Tensor.__new__(Tensor).__setstate__(damaged)


def test_unknown_devices_of_pickles():
    bytes_, shape, dtype, _, *rest = Tensor([1.0]).__getstate__()
    tensor = Tensor.__new__(Tensor)
    tensor.__setstate__((bytes_, shape, dtype, "METAL:1", *rest))
    assert tensor.device == Tensor([1.0]).device


def test_deepcopy():
    weight = make_parameter()
    twice = copy.deepcopy([weight, weight])
    assert twice[0] is twice[1]
    assert twice[0].requires_grad
    weight.assign(weight.detach() * 0).realize()
    assert twice[0].tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert twice[0].grad.tolist() == [[2.0, 4.0], [6.0, 8.0]]


def test_copy_is_the_same_tensor():
    weight = make_parameter()
    other = copy.copy(weight)
    assert other is not weight
    weight.assign(weight.detach() * 2).realize()
    assert other.tolist() == [[2.0, 4.0], [6.0, 8.0]]
