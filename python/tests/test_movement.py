"""Methods that move elements, against NumPy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tinygrad_mlir import Tensor, dtypes

ARRAY = np.arange(24, dtype=np.int32).reshape(2, 3, 4)


def check(tensor, expected):
    assert tensor.shape == expected.shape
    np.testing.assert_array_equal(tensor.numpy(), expected)


def step(draw, x, array):
    """One movement, of a tensor and of an array."""
    kind = draw(st.sampled_from(["permute", "flip", "pad", "shrink", "reshape", "expand", "roll"]))
    axis = draw(st.integers(0, array.ndim - 1)) if array.ndim else 0
    if kind == "permute":
        order = draw(st.permutations(range(array.ndim)))
        return x.permute(*order), array.transpose(order)
    if array.ndim == 0:
        return x.reshape(1), array.reshape(1)
    if kind == "flip":
        return x.flip(axis), np.flip(array, axis)
    if kind == "pad":
        amounts = [(0, 0)] * array.ndim
        amounts[axis] = draw(st.tuples(st.integers(0, 2), st.integers(0, 2)))
        return x.pad(amounts, value=9), np.pad(array, amounts, constant_values=9)
    if kind == "shrink":
        begin = draw(st.integers(0, array.shape[axis]))
        end = draw(st.integers(begin, array.shape[axis]))
        parts = [None] * array.ndim
        parts[axis] = (begin, end)
        return x.shrink(tuple(parts)), array.take(range(begin, end), axis)
    if kind == "reshape":
        return x.reshape(-1, 1), array.reshape(array.size, 1)
    if kind == "roll":
        shift = draw(st.integers(-5, 5))
        return x.roll(shift, axis), np.roll(array, shift, axis)
    return x.expand(2, *array.shape), np.broadcast_to(array, (2, *array.shape))


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_sequences(data):
    x, array = Tensor(ARRAY), ARRAY
    for _ in range(data.draw(st.integers(1, 4))):
        # A reshape of no elements to -1 has no one meaning.
        if array.size == 0 or array.size > 2000:
            break
        x, array = step(data.draw, x, array)
    check(x, array)


def test_arguments_by_name():
    x = Tensor(ARRAY)
    check(x.reshape(shape=(6, 4)), ARRAY.reshape(6, 4))
    check(x.view((4, 6)), ARRAY.reshape(4, 6))
    check(x.permute(order=(2, 1, 0)), ARRAY.transpose(2, 1, 0))
    check(x.flip(axis=(0, 1)), ARRAY[::-1, ::-1])
    check(x.expand(shape=(2, 2, 3, 4)), np.broadcast_to(ARRAY, (2, 2, 3, 4)))
    check(x.repeat(repeats=(1, 2, 1)), np.tile(ARRAY, (1, 2, 1)))
    check(x.shrink_to(None, 2, 1), ARRAY[:, :2, :1])
    check(x.reshape(None, -1), ARRAY.reshape(2, 12))
    for method in (x.reshape, x.permute, x.flip, x.expand, x.repeat):
        with pytest.raises(TypeError):
            method()
        with pytest.raises(TypeError, match="bogus"):
            method(1, bogus=2)


@pytest.mark.parametrize("mode", ["constant", "reflect", "replicate", "circular"])
def test_pad(mode):
    numpy_mode = {"replicate": "edge", "circular": "wrap"}.get(mode, mode)
    image = ARRAY.reshape(1, 2, 3, 4)
    expected = np.pad(image, ((0, 0), (0, 0), (2, 0), (1, 2)), mode=numpy_mode)
    check(Tensor(image).pad((1, 2, 2, 0), mode=mode), expected)


def test_joins():
    x = Tensor(ARRAY)
    check(x.cat(x, dim=1), np.concatenate([ARRAY, ARRAY], 1))
    check(Tensor.cat(x, x, x, dim=-1), np.concatenate([ARRAY] * 3, -1))
    check(x.stack(x, dim=1), np.stack([ARRAY, ARRAY], 1))
    check(Tensor.stack(x, x, dim=-1), np.stack([ARRAY, ARRAY], -1))
    grids = Tensor.meshgrid(Tensor([1, 2]), Tensor([3, 4, 5]), indexing="xy")
    for grid, expected in zip(grids, np.meshgrid([1, 2], [3, 4, 5]), strict=True):
        check(grid, expected)
    parts = x.split([1, 3], dim=2)
    assert isinstance(parts, tuple)
    check(parts[1], ARRAY[:, :, 1:])
    assert [part.shape[0] for part in Tensor(np.zeros(10)).chunk(3)] == [4, 4, 2]


def test_shapes():
    x = Tensor(ARRAY)
    check(x.T, ARRAY.swapaxes(0, 1))
    check(x.flatten(1), ARRAY.reshape(2, 12))
    check(x.unflatten(2, (2, 2)), ARRAY.reshape(2, 3, 2, 2))
    check(x.unsqueeze(1).squeeze(1), ARRAY)
    check(x.rearrange("a b c -> c (a b)"), ARRAY.transpose(2, 0, 1).reshape(4, 6))
    check(x.tril(1), np.tril(ARRAY, 1))
    check(Tensor([1, 2, 3]).diag(), np.diag([1, 2, 3]))
    check(x.diagonal(1, 1, 2), np.diagonal(ARRAY, 1, 1, 2))
    check(x.repeat_interleave(2, dim=1), np.repeat(ARRAY, 2, 1))
    assert Tensor(3.0).squeeze(0).shape == ()
    assert x.size() == x.max_shape == (2, 3, 4) and x.size(-1) == 4
    assert x.numel() == x.max_numel() == 24 and len(x) == 2
    assert Tensor([1.0]).const_like(3).dtype is dtypes.float32


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda x: x.reshape(5), ValueError, r"\[2, 3, 4\]"),
        (lambda x: x.reshape(-2, 12), ValueError, "-2"),
        (lambda x: x.reshape(6.0, 4), RuntimeError, "float"),
        (lambda x: x.expand(3, 3, 4), ValueError, None),
        (lambda x: x.permute(0, 1), ValueError, None),
        (lambda x: x.transpose(0, 5), IndexError, "5"),
        (lambda x: x.flip(3), IndexError, "3"),
        (lambda x: x.squeeze(7), IndexError, "7"),
        (lambda x: x.pad(1), TypeError, "pairs"),
        (lambda x: x.pad((1, 1), mode="bogus"), NotImplementedError, "bogus"),
        (lambda x: x.pad_to(1, 3, 4), ValueError, "larger"),
        (lambda x: x.shrink(((0, 9), None, None)), ValueError, "9"),
        (lambda x: x.split([1, 3], dim=1), AssertionError, r"\[1, 3\]"),
        (lambda x: x.chunk(0), AssertionError, "0"),
        (lambda x: x.cat(Tensor([1])), AssertionError, r"\[1\]"),
        (lambda x: x.stack(Tensor([1])), AssertionError, r"\[1\]"),
        (lambda x: x.diag(), ValueError, "row"),
        (lambda x: x.rearrange("a b c"), AssertionError, "->"),
        (lambda x: x + Tensor([1, 2, 3]), IndexError, r"\[3\]"),
        (lambda x: x.sum(3), IndexError, "3"),
        (lambda x: x.matmul(x), IndexError, None),
        (lambda x: x.replace(Tensor([1])), AssertionError, r"\[1\]"),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error, match=text) as raised:
        call(Tensor(ARRAY))
    # Every error of the package is one of its classes, or a built-in one.
    assert isinstance(raised.value, RuntimeError | TypeError | NotImplementedError)


# Messages have the names that Python's methods have.
def test_names_in_errors():
    with pytest.raises(ValueError, match=r"^conv_transpose2d: .*\[1, 4, 5, 5\]"):
        Tensor.zeros(1, 4, 5, 5).conv_transpose2d(Tensor.zeros(3, 3, 3, 3))
    with pytest.raises(AssertionError, match="^cross_entropy: "):
        Tensor.zeros(2, 3).cross_entropy(Tensor([0, 1]), label_smoothing=2.0)


def test_names_nearby():
    with pytest.raises(AttributeError) as raised:
        Tensor([1]).reshpe(1)
    assert raised.value.name == "reshpe" and isinstance(raised.value.obj, Tensor)
