"""Indices, assignments to parts, gathers and selections against NumPy."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tinygrad_mlir import Tensor, TinyJit, dtypes

SHAPE = (3, 4, 5)
ARRAY = np.arange(60, dtype=np.int32).reshape(SHAPE)


def make(array=ARRAY):
    return Tensor(array).contiguous().realize()


def entries(size):
    bound = st.none() | st.integers(-size - 2, size + 2)
    step = st.sampled_from([None, 1, 2, 3, -1, -2])
    return st.integers(-size, size - 1) | st.builds(slice, bound, bound, step)


def with_new_axes(index):
    """Puts None, and perhaps an ellipsis, between the entries."""
    return st.tuples(
        st.lists(st.integers(0, len(index)), max_size=2), st.none() | st.integers(0, len(index))
    ).map(lambda places: insert(index, *places))


def insert(index, axes, ellipsis):
    index = list(index)
    if ellipsis is not None:
        index[ellipsis:] = [Ellipsis]
    for place in axes:
        index.insert(min(place, len(index)), None)
    return tuple(index)


INDEX = st.tuples(*map(entries, SHAPE)).flatmap(with_new_axes)


@settings(max_examples=60, deadline=None)
@given(INDEX)
def test_basic(index):
    expected = ARRAY[index]
    result = make()[index]
    assert result.shape == expected.shape
    np.testing.assert_array_equal(result.numpy(), expected)


def positions(size):
    shape = st.sampled_from([(2,), (1,), (2, 2), (1, 2)])
    return shape.flatmap(
        lambda shape: st.lists(
            st.integers(-size, size - 1), min_size=math.prod(shape), max_size=math.prod(shape)
        ).map(lambda values: np.array(values, dtype=np.int32).reshape(shape))
    )


# An int beside arrays counts as one in NumPy, so that it is left out.
ADVANCED = st.tuples(*(positions(size) | st.builds(slice, st.none()) for size in SHAPE))


@settings(max_examples=40, deadline=None)
@given(ADVANCED)
def test_positions(index):
    expected = ARRAY[index]
    x = make()
    tensors = tuple(Tensor(i) if isinstance(i, np.ndarray) else i for i in index)
    result = x[tensors]
    assert result.shape == expected.shape
    np.testing.assert_array_equal(result.numpy(), expected)
    np.testing.assert_array_equal(x[index].numpy(), expected)


@settings(max_examples=30, deadline=None)
@given(st.tuples(*map(entries, SHAPE)))
def test_assignment(index):
    expected = ARRAY.copy()
    x = make()
    shape = expected[index].shape
    values = -np.arange(int(np.prod(shape)), dtype=np.int32).reshape(shape)
    expected[index] = values
    x[index] = Tensor(values)
    np.testing.assert_array_equal(x.numpy(), expected)
    expected[index] = 7
    x[index] = 7
    np.testing.assert_array_equal(x.numpy(), expected)


@pytest.mark.parametrize("bound", [2**63, 2**64 - 1, -(2**63) - 1, -(2**64) + 1, 2**70])
def test_slices_beyond_64_bits(bound):
    x, values = Tensor([1, 2, 3]), [1, 2, 3]
    for part in (slice(bound), slice(bound, None), slice(None, bound, -1), slice(1, None, bound)):
        assert x[part].tolist() == values[part]


def test_lists_are_tuples_unless_of_ints():
    x = make()
    assert x[[0, 2]].shape == (2, 4, 5)
    assert x[[[0, 1], [2, 3]]].shape == (2, 5)
    assert x[[[0, 1], [2, 3]]].tolist() == ARRAY[[0, 1], [2, 3]].tolist()
    assert x[[True, False, True]].tolist() == ARRAY[[True, False, True]].tolist()
    assert x[[]].shape == (0, 4, 5)


def test_masks():
    x, mask = make(), ARRAY % 3 == 0
    np.testing.assert_array_equal(x[Tensor(mask)].numpy(), ARRAY[mask])
    np.testing.assert_array_equal(x[mask].numpy(), ARRAY[mask])
    np.testing.assert_array_equal(x.masked_select(Tensor(mask)).numpy(), ARRAY[mask])
    expected = ARRAY.copy()
    expected[mask] = -1
    x[Tensor(mask)] = -1
    np.testing.assert_array_equal(x.numpy(), expected)


def test_selections_of_a_given_size():
    x = Tensor([[3, 0, 5], [0, 6, 0]])
    assert x.masked_select(x > 2, size=2).tolist() == [3, 5]
    assert x.masked_select(x > 2, size=5, fill_value=-1).tolist() == [3, 5, 6, -1, -1]
    assert x.nonzero().tolist() == [[0, 0], [0, 2], [1, 1]]
    assert x.nonzero(size=2).tolist() == [[0, 0], [0, 2]]
    assert x.nonzero(size=4, fill_value=-1).tolist() == [[0, 0], [0, 2], [1, 1], [-1, -1]]
    with pytest.raises(ValueError, match="negative"):
        x.nonzero(size=-1)


def test_parts_in_place():
    x = make()
    expected = ARRAY.copy()
    x[1] += 5
    expected[1] += 5
    x[:, 1:3] *= 2
    expected[:, 1:3] *= 2
    x[..., 0] = [[1, 2, 3, 4]]
    expected[..., 0] = [[1, 2, 3, 4]]
    np.testing.assert_array_equal(x.numpy(), expected)


def test_tensors_of_one_number_are_weak():
    x = Tensor.zeros(2, dtype="float16").contiguous().realize()
    x[0] = Tensor(3.0)
    x[1] = Tensor(2)
    assert x.tolist() == [3, 2] and x.dtype is dtypes.float16


@pytest.mark.parametrize(
    "index, error",
    [
        (3, IndexError),
        (-4, IndexError),
        ((0, 0, 0, 0), IndexError),
        ((..., ...), IndexError),
        (1.0, IndexError),
        ("a", IndexError),
        ({}, IndexError),
        ([0, 1.5], IndexError),
        (slice(None, None, 0), ValueError),
        (slice(0, 1.5), TypeError),
        (2**64 - 1, OverflowError),
        (2**70, OverflowError),
        (([0, 1], [0, 1, 2]), IndexError),
        (np.array([0.5]), IndexError),
    ],
)
def test_wrong_indices(index, error):
    x = make()
    with pytest.raises(error):
        x[index].numpy()
    with pytest.raises(error):
        x[index] = 1


def test_wrong_assignments():
    x = make()
    with pytest.raises(RuntimeError, match="float32.*int32"):
        x[0] = Tensor([1.0])
    with pytest.raises(RuntimeError, match="float32.*int32"):
        x[0] = Tensor(1.0)
    with pytest.raises(ValueError, match=r"\[3\]"):
        x[0] = Tensor([1, 2, 3])
    with pytest.raises(TypeError, match="deleted"):
        del x[0]
    np.testing.assert_array_equal(x.numpy(), ARRAY)


def test_gather_and_scatter():
    index = np.array([[0, 1, 2], [2, 0, 1]], dtype=np.int32)
    table = np.arange(12, dtype=np.float32).reshape(4, 3)
    np.testing.assert_array_equal(
        Tensor(table).gather(0, Tensor(index)).numpy(), np.take_along_axis(table, index, 0)
    )
    result = Tensor.zeros(4, 3).scatter(0, Tensor(index), Tensor(table[:2]))
    expected = np.zeros((4, 3), dtype=np.float32)
    np.put_along_axis(expected, index, table[:2], 0)
    np.testing.assert_array_equal(result.numpy(), expected)
    with pytest.raises(TypeError, match="scatter_reduce"):
        Tensor.zeros(4, 3).scatter(0, Tensor(index), Tensor(table[:2]), reduce="add")
    with pytest.raises(AssertionError):
        Tensor.zeros(4, 3).scatter(0, Tensor([0]), Tensor(table[:2]))


@pytest.mark.parametrize("descending", [False, True])
def test_sort(descending):
    array = np.array([[3, 1, 2, 1], [0, 5, 5, 4]], dtype=np.int32)
    values, order = Tensor(array).sort(descending=descending)
    expected = np.sort(array, axis=-1)
    np.testing.assert_array_equal(values.numpy(), expected[:, ::-1] if descending else expected)
    np.testing.assert_array_equal(np.take_along_axis(array, order.numpy(), -1), values.numpy())
    assert order.dtype is dtypes.int32


def test_too_many_entries():
    with pytest.raises(IndexError, match=r"3 entries are too many for a tensor of shape \[2, 2\]"):
        Tensor.ones(2, 2)[0, 0, 0]


def test_assignment_to_what_is_detached_or_expanded():
    x = Tensor([[1.0, 2.0], [3.0, 4.0]]).realize()
    x.detach().assign(x * 2)
    np.testing.assert_array_equal(x.numpy(), [[2, 4], [6, 8]])
    expanded = x[:1].expand(3, 2)
    expanded[1, 1:] = 5
    np.testing.assert_array_equal(x.numpy(), [[2, 5], [6, 8]])
    np.testing.assert_array_equal(expanded.numpy(), [[2, 5]] * 3)
    x.pad(((1, 0), (0, 0)))[1] = 3
    x[1].bitcast(dtypes.int32).assign(Tensor([1065353216, 0]))
    np.testing.assert_array_equal(x.numpy(), [[3, 3], [1, 0]])
    # Of what is not computed yet, they are tensors of their own.
    y = x + 1
    expanded = y.expand(2, 2, 2)
    expanded[0] = 7
    np.testing.assert_array_equal(y.numpy(), [[4, 4], [2, 1]])
    np.testing.assert_array_equal(expanded.numpy(), [[[7, 7]] * 2, [[4, 4], [2, 1]]])


def test_detached_values_are_those_before_an_assignment():
    x = Tensor([1.0, 2.0]).realize()
    before = x.detach()
    x.assign(x + 1)
    np.testing.assert_array_equal((x - before).numpy(), [1, 1])
    before += 1
    np.testing.assert_array_equal(x.numpy(), [2, 3])


def test_captured_assignment_to_a_detached_argument():
    weight = Tensor([1.0, 2.0]).realize()

    @TinyJit
    def step(x):
        weight.detach().assign(weight + x)
        return (weight * x).sum().realize()

    ones = Tensor([1.0, 1.0]).realize()
    # The argument may be one that shares memory with what the step changes.
    results = [step(ones.detach()).item() for _ in range(3)] + [step(weight.detach()).item()]
    assert results == [5, 7, 9, 82]
    np.testing.assert_array_equal(weight.numpy(), [8, 10])
