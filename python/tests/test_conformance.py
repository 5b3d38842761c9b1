"""What programs written for tinygrad rely on: identities of objects, gradients at bounds, parts by variables."""

import gc
import getpass
import math
import pathlib
import tempfile

import numpy as np
import pytest
from tinygrad_mlir import GlobalCounters, Tensor, TinyJit, Variable, dtypes, helpers


@pytest.mark.parametrize(
    "change",
    [
        lambda x: x[:],
        lambda x: x[...],
        lambda x: x[0:3, ::1],
        lambda x: x[()],
        lambda x: x.reshape(3, 2),
        lambda x: x.view(3, -1),
        lambda x: x.expand(3, -1),
        lambda x: x.permute(0, -1),
        lambda x: x.transpose(1, -1),
        lambda x: x.flip(()),
        lambda x: x.squeeze(),
        lambda x: x.squeeze(0),
        lambda x: x.flatten(1),
        lambda x: x.pad((0, 0, 0, 0)),
        lambda x: x.pad(((0, 0), None), value=7),
        lambda x: x.shrink((None, (0, 2))),
        lambda x: x.cast("float"),
        lambda x: x.bitcast(dtypes.float32),
        lambda x: x.float(),
    ],
)
def test_what_changes_nothing_is_the_tensor(change):
    x = Tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    assert change(x) is x


@pytest.mark.parametrize(
    "change",
    [
        lambda x: x[::-1],
        lambda x: x[0:1],
        lambda x: x[None],
        lambda x: x.flip(0),
        lambda x: x.permute(1, 0),
        lambda x: x.T,
        lambda x: x.pad((1, -1, 0, 0)),
        lambda x: x.half(),
        lambda x: x.bitcast("int32"),
        lambda x: x.detach(),
        lambda x: x.clone(),
        lambda x: x.contiguous(),
    ],
)
def test_what_changes_something_is_another_tensor(change):
    x = Tensor([[1.0, 2.0], [3.0, 4.0]])
    assert change(x) is not x


def test_clones_have_a_copy_of_the_gradient():
    x = Tensor([1.0, 2.0])
    assert x.clone().grad is None
    (x * x).sum().backward()
    copy = x.clone()
    assert copy.grad is not x.grad and copy.grad.tolist() == [2.0, 4.0]
    copy.grad.assign(Tensor([0.0, 0.0])).realize()
    assert x.grad.tolist() == [2.0, 4.0]


def test_gradient_by_a_number():
    x = Tensor(3.0, dtype=dtypes.float32)
    y = x * x * x
    (first,) = y.gradient(x)
    (second,) = first.gradient(x)
    assert (first.item(), second.item()) == (27.0, 18.0)
    a, b = Tensor(2, dtype="float"), Tensor(2, dtype="float")
    assert [t.item() for t in (a * a * b).gradient(a, b)] == [8.0, 4.0]
    # Without a type, it is a constant.
    c = Tensor(3.0)
    with pytest.raises(RuntimeError, match="is a constant"):
        (c * c).gradient(c)


def test_gradient_of_clip_at_its_bounds():
    x = Tensor([0.0, 1.0, 1.5, 2.0, 3.0])
    assert x.clip(1.0, 2.0).sum().gradient(x)[0].tolist() == [0.0, 1.0, 1.0, 1.0, 0.0]
    low = Tensor([1.0, 1.0, 1.0, 3.0, 1.0])
    assert x.clamp(low).tolist() == [1.0, 1.0, 1.5, 3.0, 3.0]
    assert math.isnan(Tensor([math.nan]).clip(0, 1).item())
    assert Tensor([-7, 0, 7]).clip(-2, 2).tolist() == [-2, 0, 2]


def test_padding_of_windows_along_one_axis():
    x = Tensor.arange(9).reshape(1, 1, 9)
    assert x.max_pool2d((3,), padding=(1, 2)).tolist() == [[[1, 4, 7, 8]]]
    ones = Tensor.ones(1, 1, 5)
    means = ones.avg_pool2d((2,), padding=(1, 0)).numpy()
    np.testing.assert_allclose(means, [[[0.5, 1, 1]]])


@pytest.mark.parametrize("padding", [-1, (-1, 0), (-2, 1, 0, -1)])
def test_negative_padding_of_convolutions(padding):
    x = np.arange(2 * 6 * 7, dtype=np.float32).reshape(1, 2, 6, 7)
    weight = np.arange(3 * 2 * 2 * 2, dtype=np.float32).reshape(3, 2, 2, 2)
    left, right, top, bottom = {
        -1: (-1, -1, -1, -1),
        (-1, 0): (0, 0, -1, -1),
        (-2, 1, 0, -1): (-2, 1, 0, -1),
    }[padding]
    cut = x[:, :, -min(top, 0) : 6 + min(bottom, 0), -min(left, 0) : 7 + min(right, 0)]
    cut = np.pad(
        cut, ((0, 0), (0, 0), (max(top, 0), max(bottom, 0)), (max(left, 0), max(right, 0)))
    )
    expected = Tensor(np.ascontiguousarray(cut)).conv2d(Tensor(weight)).numpy()
    result = Tensor(x).conv2d(Tensor(weight), padding=padding)
    np.testing.assert_allclose(result.numpy(), expected)


def test_lists_and_tensors_are_not_joined():
    a = Tensor([1, 2])
    with pytest.raises(ValueError, match="stack: .* one list of tensors"):
        Tensor.stack((a, a), a)
    with pytest.raises(ValueError, match="cat: .* one list of tensors"):
        Tensor.cat(a, [a])
    assert Tensor.stack([a, a]).shape == (2, 2)


@pytest.mark.parametrize("dtype", ["no_type", (dtypes.int,), 3])
def test_what_is_no_dtype(dtype):
    with pytest.raises(AttributeError, match="no_type|of type"):
        Tensor([3], dtype=dtype)


def test_parts_that_lie_in_an_axis_for_the_bound_value():
    x = np.arange(77).reshape(7, 11)
    i = Variable("i", 1, 10)
    for value in (1, 9):
        at = i.bind(value)
        part = Tensor(x).shrink(((3, 5), (at, at + 2)))
        assert part.shape == (2, 2)
        np.testing.assert_equal(part.numpy(), x[3:5, value : value + 2])
    at = i.bind(10)
    with pytest.raises(IndexError, match="no part from i=10"):
        Tensor(x).shrink(((3, 5), (at, at + 2)))
    with pytest.raises(IndexError, match="no part"):
        Tensor(x).shrink(((3, 5), (i, i + 2)))
    # Of a symbolic size, and before the axis.
    rows = Tensor(x)[: Variable("n", 1, 7).bind(4)]
    np.testing.assert_equal(rows.shrink(((0, 4), None)).numpy(), x[:4])
    with pytest.raises(IndexError, match="no part"):
        rows.shrink(((0, 5), None))
    back = Variable("k", 0, 9).bind(7)
    np.testing.assert_equal(Tensor(x).shrink((None, (back - 5, back))).numpy(), x[:, 2:7])


def test_parts_beyond_an_axis_in_captured_calls():
    x = Tensor.arange(1, 6).contiguous().realize()
    i = Variable("i", 0, 4)

    @TinyJit
    def take(at):
        return (x.shrink(((at, at + 2),)) * 10).realize()

    for value in (0, 1, 2, 3):
        assert take(i.bind(value)).tolist() == [10 * (value + 1), 10 * (value + 2)]
    # Beyond the axis the captured program has zeros.
    assert take(i.bind(4)).tolist() == [50, 0]


@pytest.mark.parametrize("use", ["slice", "setitem", "shrink", "rows"])
def test_captured_assignments_to_parts_beyond_an_axis(use):
    x = Tensor.zeros(3, 5).contiguous().realize()
    i = Variable("i", 0, 4)

    @TinyJit
    def write(values, at):
        if use == "slice":
            x[1:, at : at + 2].assign(values)
        elif use == "setitem":
            x[..., 1:, at : at + 2] = values
        elif use == "shrink":
            x.shrink(((1, 3), (at, at + 2))).assign(values)
        else:
            x[1:].T[at : at + 2].assign(values.T)
        return x.realize()

    expected = np.zeros((3, 5), np.float32)
    for n, at in enumerate((0, 3, 1, 4, 0)):
        values = np.arange(4, dtype=np.float32).reshape(2, 2) + 10 * (n + 1)
        write(Tensor(values).realize(), i.bind(at))
        # What lies beyond the axis is lost.
        expected[1:, at : at + 2] = values[:, : 5 - at]
        np.testing.assert_array_equal(x.numpy(), expected)


def test_assignments_to_parts_beyond_an_axis():
    x = Tensor.zeros(5).contiguous().realize()
    at = Variable("i", 0, 4).bind(3)
    x.shrink(((at, at + 2),)).assign(Tensor([1.0, 2.0])).realize()
    assert x.tolist() == [0, 0, 0, 1, 2]
    x[at : at + 2] = Tensor([3.0, 4.0])
    assert x[at : at + 2].shape == (2,)
    assert x.tolist() == [0, 0, 0, 3, 4]
    # Cut off as in Python where the bound value is beyond the axis.
    last = Variable("i", 0, 4).bind(4)
    assert x[last : last + 2].tolist() == [4]
    with pytest.raises(IndexError, match="no part"):
        x.shrink(((last, last + 2),))
    x = Tensor.zeros(5).contiguous().realize()
    at = Variable("j", 0, 3).bind(1)
    x.shrink(((at, at + 2),)).assign(Tensor([1.0, 1.0])).realize()
    assert x.tolist() == [0, 1, 1, 0, 0]
    # What is assigned to padding is lost.
    x.pad((1, 0)).shrink(((0, 2),)).assign(Tensor([3.0, 2.0])).realize()
    assert x.tolist() == [2, 1, 1, 0, 0]


def test_small_helpers():
    big = 0x123456789A
    assert helpers.lo32(big) == 0x3456789A and helpers.hi32(big) == 0x12
    assert helpers.data64(big) == (0x12, 0x3456789A)
    assert helpers.data64_le(big) == (0x3456789A, 0x12)
    assert helpers.pad_bytes(b"abc", 4) == b"abc\0" and helpers.pad_bytes(b"abcd", 4) == b"abcd"
    view = memoryview(np.arange(6, dtype=np.int16).reshape(2, 3))
    assert helpers.flat_mv(view).shape == (12,)
    assert len(helpers.flat_mv(memoryview(b""))) == 0
    assert helpers.canonicalize_strides((2, 1, 3), (3, 3, 1)) == (3, 0, 1)
    assert [helpers.pluralize("cat", n) for n in (0, 1, 2)] == ["0 cats", "1 cat", "2 cats"]
    assert helpers.ansistrip(helpers.colorize_float(0.5)) == "   0.50x"
    assert len({helpers.colorize_float(x)[:5] for x in (0.5, 1.0, 2.0)}) == 3
    assert helpers.to_function_name(helpers.colored("a b-c_1", "red")) == "a20b2Dc_1"
    assert helpers.fromimport("math", "pi") == math.pi
    with helpers.disable_gc():
        assert not gc.isenabled()
        with helpers.disable_gc():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()


@pytest.mark.parametrize("convert", [int, float, complex, bool])
def test_a_tensor_is_no_number(convert):
    # int() would read the bytes "7" as a text.
    for x in (Tensor([55], dtype="uint8"), Tensor([1.0]), Tensor(1)):
        with pytest.raises(TypeError, match="item"):
            convert(x)


def test_keywords_of_helpers():
    assert helpers.flatten(l=[[1], [2, 3]]) == [1, 2, 3]
    assert helpers.fully_flatten(l=[1, [2, (3,)], "ab"]) == [1, 2, 3, "ab"]
    assert helpers.strip_parens(fst="(a+(b))") == "a+(b)"
    assert helpers.strip_parens(fst="(a)+(b)") == "(a)+(b)"


def test_keyword_of_is_param():
    x = Tensor([1.0])
    assert x.is_param_(is_param=False) is x
    assert not x.is_param
    assert x.is_param_(is_param=True).is_param


def test_temporary_paths_by_user():
    folder = pathlib.Path(tempfile.gettempdir())
    assert pathlib.Path(helpers.temp("a")) == folder / "a"
    assert pathlib.Path(helpers.temp("a", append_user=True)) == folder / f"a.{getpass.getuser()}"


def test_captured_steps_and_reshapes_are_for_all_values_of_a_variable():
    step, size = Variable("step", 1, 3).bind(2), Variable("i", 1, 10).bind(2)
    x = Tensor.ones(10).contiguous().realize()
    with pytest.raises(ValueError, match="arange.*step"):
        TinyJit(lambda: Tensor.arange(0, 10, step).realize())()
    with pytest.raises(ValueError, match="reshape.*differ for i = 1"):
        TinyJit(lambda part: part.reshape(2, 1).realize())(x[:size])
    assert Tensor.arange(0, 10, step).shape == (5,) and x[:size].reshape(2, 1).shape == (2, 1)


@pytest.mark.parametrize(
    "read", [Tensor.tolist, Tensor.numpy, np.asarray, lambda y: y.sum().item()]
)
def test_gradients_after_values_were_read(read):
    """Also by tensors that do not require a gradient, as programs for tinygrad 0.14 have them."""
    x = Tensor([1.0, 2.0, 3.0])
    y = x * x
    read(y)
    z = (y * 2).sum()
    z.item()
    assert z.gradient(x)[0].tolist() == [4.0, 8.0, 12.0]
    z.backward()
    assert x.grad.tolist() == [4.0, 8.0, 12.0]
    # A maximum of sums has the gradient of the element that was read.
    w = Tensor.rand(64, 64).realize()
    best = (x.sum() * w.sum(1)).max()
    read(best)
    assert np.count_nonzero((best * 1).gradient(w)[0].numpy()) == 64


def test_gradients_of_more_readings_than_are_kept():
    """They are complete or an error, never left out."""

    def read_often(x, times, also=None):
        for _ in range(times):
            x = x * 1.01 if also is None else x * 1.01 + also * 0.0
            x.tolist()
        return x

    x = Tensor([2.0, 3.0])
    read_often(x, 64).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 1.01**64, rtol=1e-4)
    w = Tensor([5.0, 7.0])
    for also in (None, x):
        x.grad = None
        y = read_often(x, 150, also)
        for value in (y, y * w):
            with pytest.raises(ValueError, match=r"(?s)\[2\] float32 .* 64 values .*requires_grad"):
                value.sum().backward()
        assert x.grad is None and w.grad is None
    # Nothing is missing where no gradient is to flow, or no tensor is left that could have one.
    (y.detach() * w).sum().backward()
    np.testing.assert_allclose(w.grad.numpy(), y.numpy())
    z = read_often(Tensor([2.0, 3.0]) * 1.0, 100)
    w.grad = None
    (z * w).sum().backward()
    np.testing.assert_allclose(w.grad.numpy(), z.numpy())
    x = Tensor([2.0, 3.0], requires_grad=True)
    read_often(x, 100).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 1.01**100, rtol=1e-4)


def test_what_was_read_keeps_little_memory():
    x = Tensor.ones(1 << 16).contiguous().realize()
    used = GlobalCounters.mem_used
    with Tensor.no_grad():
        for _ in range(10):
            x = x * 1.5
            memoryview(x)
            assert GlobalCounters.mem_used == used
    for _ in range(200):
        x = x * 0.5 + 1
        memoryview(x)
        assert GlobalCounters.mem_used <= used + 70 * x.nbytes()
    start = x = Tensor([1.0]).realize()
    for _ in range(20):
        x = x * 2
        x.item()
    assert x.gradient(start)[0].item() == 2**20
    # An assignment ends that: it may overwrite what the gradient needs.
    x = Tensor([3.0]).realize()
    y = x * x
    y.item()
    x.assign(Tensor([5.0])).realize()
    assert y.item() == 9.0


def test_gradients_and_assignments_between():
    x = Tensor([1.0, 2.0], requires_grad=True)
    w = Tensor([3.0, 4.0])
    # Through an assignment that was not carried out.
    memory = Tensor.zeros(2).contiguous().realize()
    memory.assign(x * w)
    (memory * memory).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), [18, 64])
    x.grad = None
    parts = Tensor.zeros(4).contiguous().realize()
    parts[1:3] = x * 2
    parts[0] = x.sum()
    (parts * Tensor([1.0, 2.0, 3.0, 4.0])).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), [5, 7])
    x.grad = None
    w.grad = None
    # The gradient by a value that is no longer there.
    loss = (x * w).sum()
    x.assign(Tensor([5.0, 6.0]))
    for _ in range(2):
        with pytest.raises(RuntimeError, match="assigned to after a value was computed from it"):
            loss.backward()
        x.realize()
    assert x.grad is None and w.grad is None
    (x * w).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), [3, 4])
    with pytest.raises(RuntimeError, match="requires one itself"):
        x += x
