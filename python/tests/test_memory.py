"""Memory of tensors and devices as Buffers."""

import gc
import pickle

import numpy as np
import pytest

from tinygrad_mlir import Tensor, TinyJit, UsageError, dtypes
from tinygrad_mlir.device import Buffer, MultiBuffer
from tinygrad_mlir.uop.ops import Ops, UOp


def on_cpu(values, **options):
    return Tensor(values, device="CPU", **options).contiguous().realize()


def test_the_buffer_of_a_tensor_is_one_object():
    x = on_cpu([1.0, 2.0, 3.0, 4.0])
    buffer = x.uop.buffer
    assert buffer is x.uop.buffer and buffer is x.uop.realized
    assert buffer is x.reshape(2, 2).uop.buffer
    assert x.reshape(2, 2).uop.base.realized is buffer and x.reshape(2, 2).uop.is_realized
    assert x.reshape(2, 2).uop.realized is None
    assert (buffer.size, buffer.nbytes, buffer.dtype) == (4, 16, dtypes.float32)
    assert buffer.device == "CPU" and buffer.is_allocated() and buffer.base is buffer
    assert buffer._base is None and buffer.offset == 0
    np.testing.assert_array_equal(buffer.numpy(), [1, 2, 3, 4])
    assert bytes(buffer.as_buffer()) == np.float32([1, 2, 3, 4]).tobytes()
    other = on_cpu([1.0, 2.0, 3.0, 4.0]).uop.buffer
    assert other is not buffer and other != buffer and hash(other) != hash(buffer)


def test_buffers_of_parts():
    x = on_cpu(list(range(10)))
    part = x[3:7].reshape(2, 2).uop.buffer
    assert part.base is x.uop.buffer and part.offset == 12 and part.size == 4
    np.testing.assert_array_equal(part.numpy(), [3, 4, 5, 6])
    bits = x[3:5].bitcast(dtypes.float32).uop.buffer
    assert bits.dtype == dtypes.float32 and bits.offset == 12 and bits.base is x.uop.buffer


@pytest.mark.parametrize("move", [lambda x: x.permute(1, 0), lambda x: x[:, 1:], lambda x: x.flip(0),
                                  lambda x: x.reshape(2, 1, 3).expand(2, 2, 3)])  # fmt: skip
def test_elements_that_lie_apart_have_no_buffer(move):
    view = move(on_cpu([[1, 2, 3], [4, 5, 6]]))
    assert view.uop.is_realized
    with pytest.raises(UsageError, match="non-contiguous"):
        _ = view.uop.buffer


def test_what_has_to_be_computed_has_no_buffer():
    x = on_cpu([1, 2])
    y = x + 1
    assert y.uop.realized is None and not y.uop.is_realized
    with pytest.raises(AssertionError, match="must be BUFFER"):
        _ = y.uop.buffer
    with pytest.raises(RuntimeError):
        _ = y.uop.buffer
    y.realize()
    assert y.uop.buffer.numpy().tolist() == [2, 3]


def test_assignments_write_to_memory_that_has_a_buffer():
    x = on_cpu([1.0, 2.0])
    buffer = x.uop.buffer
    x += 1
    # Before it is computed, and after.
    assert x.uop.buffer is buffer and x.uop.base.realized is None
    x.realize()
    assert x.uop.buffer is buffer
    np.testing.assert_array_equal(buffer.numpy(), [2, 3])
    # What others hold is kept, as without a Buffer.
    shared = np.asarray(x)
    x.assign(x * 2).realize()
    np.testing.assert_array_equal(shared, [2, 3])
    assert x.uop.buffer is not buffer


def test_a_buffer_keeps_the_memory():
    x = on_cpu([1.0, 2.0])
    buffer = x.uop.buffer
    del x
    gc.collect()
    on_cpu([5.0, 6.0])
    np.testing.assert_array_equal(buffer.numpy(), [1, 2])


def test_results_of_captured_functions_have_buffers():
    @TinyJit
    def step(x):
        return (x * 2).realize()

    for i in range(6):
        result = step(on_cpu([float(i)]))
        assert result.tolist() == result.uop.buffer.numpy().tolist() == [2.0 * i]


def test_buffers_of_their_own():
    buffer = Buffer("cpu", 10, dtypes.uint8)
    assert not buffer.is_allocated() and not buffer.is_initialized()
    assert buffer.ensure_allocated() is buffer and buffer.is_allocated()
    buffer.copyin(memoryview(bytearray(range(10))))
    part = buffer.view(2, dtypes.uint16, offset=3)
    assert part.is_allocated() and not part.is_initialized() and part.base is buffer
    assert part.ensure_allocated().as_buffer().cast("H").tolist() == [3 | 4 << 8, 5 | 6 << 8]
    again = part.view(2, dtypes.uint8, 1).allocate()
    assert again.offset == 4 and again.as_memoryview().tolist() == [4, 5] and again.base is buffer
    # The memory itself.
    buffer.as_memoryview(force_zero_copy=True)[4] = 77
    assert again.as_memoryview().tolist() == [77, 5]
    target = bytearray(10)
    assert buffer.copyout(target) is target and target[4] == 77
    other = Buffer("CPU", 10, dtypes.uint8, preallocate=True).copy_from(buffer)
    assert other.numpy().tolist() == buffer.numpy().tolist()
    buffer.copyin(bytes(10))
    assert other.numpy()[4] == 77
    overlapping = Buffer("CPU", 4, dtypes.uint8, initial_value=b"abcd")
    overlapping.view(3, dtypes.uint8, 1).allocate().copy_from(
        overlapping.view(3, dtypes.uint8, 0).allocate()
    )
    assert bytes(overlapping.as_buffer()) == b"aabc"
    other.deallocate()
    assert not other.is_allocated()
    assert "real:False" in repr(other) and "size:10" in repr(other) and "offset:3" in repr(part)
    loaded = pickle.loads(pickle.dumps(Buffer("CPU", 2, dtypes.int32, initial_value=bytes(8))))
    assert loaded.numpy().tolist() == [0, 0]


def test_buffers_of_devices_whose_memory_the_host_cannot_use():
    x = Tensor([1, 2, 3], device="SIM").realize()
    assert x[1:].uop.buffer.numpy().tolist() == [2, 3]
    here = Buffer("CPU", 3, dtypes.int32).allocate().copy_from(x.uop.buffer)
    there = Buffer("SIM", 3, dtypes.int32).allocate().copy_from(here)
    assert here.numpy().tolist() == there.numpy().tolist() == [1, 2, 3]
    assert bytes(there.as_buffer(allow_zero_copy=True)) == bytes(here.as_buffer())
    with pytest.raises(UsageError, match="in place"):
        there.as_buffer(force_zero_copy=True)


def test_a_tensor_in_a_buffer():
    buffer = Buffer("CPU", 4, dtypes.int32, initial_value=np.int32([1, 2, 3, 4]).tobytes())
    x = Tensor(UOp.from_buffer(buffer))
    assert x.uop.op is Ops.BUFFER and x.tolist() == [1, 2, 3, 4]
    x.assign(x * 2).realize()
    assert buffer.numpy().tolist() == [2, 4, 6, 8]
    buffer.copyin(np.int32([5, 6, 7, 8]))
    assert x.tolist() == [5, 6, 7, 8]
    with pytest.raises(TypeError):
        UOp.from_buffer(x)


def test_wrong_use_of_buffers():
    buffer = Buffer("CPU", 4, dtypes.uint8)
    for act in (buffer.as_buffer, buffer.numpy, buffer.deallocate):
        with pytest.raises(UsageError, match="allocated|memory"):
            act()
    with pytest.raises(UsageError, match="allocated"):
        buffer.copyin(bytes(4))
    buffer.allocate()
    with pytest.raises(UsageError, match="is allocated"):
        buffer.allocate()
    with pytest.raises(UsageError, match="5 bytes to memory of 4"):
        buffer.copyin(bytes(5))
    with pytest.raises(UsageError, match="not within"):
        buffer.view(3, dtypes.uint8, 2)
    with pytest.raises(UsageError, match="-1 elements"):
        Buffer("CPU", -1, dtypes.uint8)
    with pytest.raises(UsageError, match="base"):
        Buffer("CPU", 1, dtypes.uint8, offset=1)
    with pytest.raises(UsageError, match="not a part"):
        Buffer("CPU", 4, dtypes.uint8, base=buffer, offset=1)
    with pytest.raises(UsageError, match="opaque"):
        Buffer("CPU", 4, dtypes.uint8, 5)
    with pytest.raises(UsageError, match="memory of a tensor"):
        on_cpu([1]).uop.buffer.deallocate()


def test_buffers_of_several_devices():
    x = Tensor.arange(8, device="CPU").shard(("CPU", "CPU:1"), 0).realize()
    buffer = x.uop.buffer
    assert isinstance(buffer, MultiBuffer) and buffer.is_allocated()
    assert [b.device for b in buffer.bufs] == ["CPU", "CPU:1"] and buffer.size == 4
    assert buffer.dtype == dtypes.int32 and buffer == x.uop.base.realized
    assert buffer != Tensor.arange(8, device="CPU").shard(("CPU", "CPU:1"), 0).realize().uop.buffer
    assert [b.numpy().tolist() for b in buffer.bufs] == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert (x + 1).uop.realized is None


def test_allreduce():
    x = Tensor.arange(1, 5, device="CPU").shard(("CPU", "CPU:1"), 0).realize()
    assert Tensor(x.uop.allreduce(Ops.ADD, "CPU")).tolist() == [4, 6]
    assert Tensor(x.uop.allreduce(Ops.MUL, "CPU:1")).tolist() == [3, 8]
    everywhere = x.uop.allreduce(Ops.MAX, ("CPU", "CPU:1"))
    assert everywhere.axis == 0 and everywhere.shape == (4,)
    assert [Tensor(part).tolist() for part in everywhere.src] == [[3, 4], [3, 4]]
    assert Tensor(UOp.allreduce(x.uop, Ops.ADD, ("CPU", "CPU:1"))).tolist() == [4, 6, 4, 6]
    copies = Tensor([1, 2]).shard(("CPU", "CPU:1"))
    combined = copies.uop.allreduce(Ops.ADD, ("CPU", "CPU:1"))
    assert combined.axis is None and Tensor(combined).tolist() == [2, 4]
    assert Tensor(x.uop).tolist() == [1, 2, 3, 4]
    with pytest.raises(TypeError):
        x.uop.allreduce(Ops.SUB, "CPU")
    with pytest.raises(AssertionError, match="on one device"):
        x.to("CPU").uop.allreduce(Ops.ADD, "CPU")


def test_nodes_on_several_devices():
    """Operations that need no memory are one operation of the graph, and a node on each device."""
    x = Tensor.arange(1, 5, device="CPU").shard(("CPU", "CPU:1"), 0)
    sum_of_parts = x.shards[0] + x.shards[1].to("CPU")
    uop = sum_of_parts.to("CPU:1").uop
    order = list(uop.toposort())
    assert len(set(order)) == len(order) and order[-1] is uop
    for position, node in enumerate(order):
        assert all(source in order[:position] for source in node.src)
    assert str(uop).startswith("UOp(Ops.COPY") and uop.render()
