"""Operations that need numbers where sizes are bound variables."""

import numpy as np
import pytest

from tinygrad_mlir import ShapeError, Tensor, TinyJit, Variable
from tinygrad_mlir.uop import Ops
from tinygrad_mlir.uop.ops import UOp, sym_infer


def test_arange_with_a_bound_step():
    step = Variable("step", 1, 3)
    assert Tensor.arange(0, 10, step.bind(2)).tolist() == [0, 2, 4, 6, 8]
    begin, end = Variable("begin", 0, 5), Variable("end", 10, 20)
    assert Tensor.arange(begin.bind(2), end.bind(14), step.bind(3)).tolist() == [2, 5, 8, 11]
    assert Tensor.arange(begin.bind(2), end.bind(4 + 6)).shape[0].val == 8
    with pytest.raises(ShapeError, match="step"):
        Tensor.arange(0, 10, step)


def test_parts_and_shapes_of_the_bound_value():
    a = Variable("a", 1, 10).bind(4)
    x = Tensor.arange(80).reshape(10, 8).contiguous()[:a]
    expected = np.arange(80).reshape(10, 8)[:4]
    left, right = x.chunk(2, dim=-1)
    np.testing.assert_array_equal(left.shrink(((0, 4), (0, 4))).numpy(), expected[:, :4])
    np.testing.assert_array_equal(right.shrink(((0, 4), (0, 4))).numpy(), expected[:, 4:])
    np.testing.assert_array_equal(x[:4, 1].numpy(), expected[:, 1])
    np.testing.assert_array_equal(x.reshape(2, 16).numpy(), expected.reshape(2, 16))
    np.testing.assert_array_equal(
        x.sum(axis=1)[:2].reshape(2, 1).numpy(), expected.sum(1)[:2, None]
    )
    # Where all values are right, sizes stay variables.
    assert x.reshape(a, 4, 2).shape[0] == a
    with pytest.raises(IndexError):
        x.shrink(((0, 5), (0, 4)))
    with pytest.raises(ShapeError):
        x.reshape(3, 8)


def test_convolution_of_the_bound_size():
    rng = np.random.default_rng(0)
    data, weight = rng.random((1, 8, 100), np.float32), rng.random((16, 8, 12), np.float32)
    v = Variable("v", 11, 100).bind(79)
    options = {"stride": 6, "padding": (3, 3)}
    found = Tensor(data)[:, :, :v].conv2d(Tensor(weight), **options)
    expected = Tensor(data[:, :, :79].copy()).conv2d(Tensor(weight), **options)
    np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-5)


def test_captured_functions_take_no_value_for_all():
    base = Tensor.arange(10).contiguous().realize()

    @TinyJit
    def step(x):
        return (x.reshape(2, 2) + 1).realize()

    with pytest.raises(ShapeError, match="a=4"):
        for _ in range(3):
            step(base[: Variable("a", 1, 10).bind(4)])


def test_an_unbound_size_is_an_error():
    with pytest.raises(ShapeError):
        Tensor.ones(10).contiguous()[: Variable("a", 1, 10)].reshape(2, 2)


def test_assignment_at_a_bound_position():
    x = Tensor.zeros(6).contiguous().realize()
    v = Variable("v", 0, 5)
    for i in (1, 3):
        x[v.bind(i) : v.bind(i) + 1] = Tensor([float(i)])
        x.realize()
    assert x.tolist() == [0, 1, 0, 3, 0, 0]
    w = v.bind(2)
    x[w + 2 : w + 4] = x[w - 1 : w + 1] * 10
    assert x.tolist() == [0, 1, 0, 3, 10, 0]


def test_sizes_for_other_values():
    v, w = Variable("v", 1, 10), Variable("w", 0, 5)
    size = (v.bind(3) + 2) * 3 + w
    assert sym_infer(size, {"v": 4, "w": 1, "x": 7}) == 19
    assert sym_infer(size, {"w": 0}) == 15
    assert sym_infer(7, {"v": 1}) == 7
    assert sym_infer(size - size, {}) == 0
    for values in ({"v": 2}, {"w": 6}, {"w": 0, "v": 0}):
        with pytest.raises(ValueError, match="[vw]"):
            sym_infer(size, values)
    with pytest.raises(TypeError):
        sym_infer(size, {"w": 0.5})
    x = Tensor.ones(1, 2, 100)[:, :, : Variable("n", 11, 100).bind(79)]
    y = x.conv2d(Tensor.ones(3, 2, 12), stride=6, padding=(3, 3))
    assert [sym_infer(size, {"n": 79}) for size in y.shape] == [1, 3, 13]


def test_what_a_size_is():
    n = Variable("n", 1, 8)
    bound = n.bind(3)
    x = Tensor.zeros(8)[:bound]
    # As in tinygrad, where Variable is a name of UOp.
    for size in (n, bound, bound + 1, x.shape[0]):
        assert isinstance(size, Variable) and isinstance(size, UOp)
    assert not isinstance(3, UOp) and not isinstance(x, (UOp, Variable))
    assert isinstance(x.uop, UOp) and not isinstance(x.uop, Variable)
    assert n.expr == bound.expr == "n"
    assert bound.unbind() == (n, 3) and (n.min, n.max) == (1, 8)
    for wrong in (lambda: (n + 1).expr, lambda: (n + 1).bind(2), lambda: bound.bind(2)):
        with pytest.raises(AssertionError, match="is not a variable"):
            wrong()
    with pytest.raises(ShapeError):
        n.bind(9)
    # Sizes are no nodes of the graph.
    with pytest.raises(TypeError):
        UOp(Ops.NEG, None, (n,))
    with pytest.raises(TypeError):
        x.uop.substitute({x.uop: bound})
