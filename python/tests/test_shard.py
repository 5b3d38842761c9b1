"""Tensors on several devices, with the behaviour of tinygrad."""

import copy
import pickle

import numpy as np
import pytest

from tinygrad_mlir import Tensor, TinyJit, Variable, dtypes, nn
from tinygrad_mlir.nn.state import get_parameters

TWO = ("CPU:1", "CPU:2")
FOUR = tuple(f"CPU:{i}" for i in range(1, 5))


def numbers(*shape: int, seed: int = 0) -> Tensor:
    values = np.random.default_rng(seed).standard_normal(shape).astype(np.float32)
    return Tensor(values).realize()


def test_facts():
    x = numbers(4, 6)
    p = x.shard(TWO, axis=1)
    assert p.device == TWO
    assert p.shape == (4, 6)
    assert p.shard_axis == 1
    assert [part.shape for part in p.shards] == [(4, 3), (4, 3)]
    assert [part.device for part in p.shards] == list(TWO)
    assert repr(p) == f"<Tensor <UOp {TWO} (4, 6) float> on {TWO} with grad None>"
    np.testing.assert_array_equal(p.numpy(), x.numpy())
    assert x.shard(["CPU:1", "CPU:2"]).device == TWO
    assert x.shard(("CPU:1",), 0).device == "CPU:1"
    assert x.device == "CPU"
    assert len(x.shards) == 1


def test_view_of_the_graph():
    x = numbers(4, 6)
    p = x.shard(TWO, 0)
    assert p.uop.axis == 0
    assert p.uop.device == TWO
    assert p.uop.bounds == ((0, 2), (2, 4))
    assert [part.shape for part in p.uop.src] == [(2, 6), (2, 6)]
    assert not p.uop.is_realized
    p.realize()
    assert p.uop.is_realized
    assert repr(p.uop) == f"<UOp {TWO} (4, 6) float>"
    copies = x.shard(TWO)
    assert copies.uop.axis is None
    with pytest.raises(RuntimeError, match="no bounds"):
        _ = copies.uop.bounds
    kernels = (p + 1).schedule()
    assert [kernel.device for kernel in kernels] == list(TWO)


def test_moving():
    x = numbers(4, 6)
    y = x.to(TWO)
    assert y.device == TWO and y.shard_axis is None
    assert y.to(TWO) is y
    assert y.to("CPU").device == "CPU"
    z = numbers(4, 6)
    assert z.to_(TWO) is z and z.device == TWO
    z = numbers(4, 6)
    assert z.shard_(TWO, 1) is z and z.shard_axis == 1
    assert x.shard_like(z).shard_axis == 1
    assert z.shard_like(z) is z
    with pytest.raises(RuntimeError, match="move it to one device first"):
        x.shard(TWO).shard_like(z)
    assert z.clone().device == TWO
    assert x.clone(device=TWO).device == TWO


@pytest.mark.parametrize(
    "make",
    [
        lambda **where: Tensor([1, 2, 3], **where),
        lambda **where: Tensor(np.ones(3, np.float32), **where),
        lambda **where: Tensor.empty(3, **where),
        lambda **where: Tensor.zeros(3, **where),
        lambda **where: Tensor.ones((3,), **where),
        lambda **where: Tensor.full((3,), 2.0, **where),
        lambda **where: Tensor.arange(3, **where),
        lambda **where: Tensor.linspace(0, 1, 3, **where),
        lambda **where: Tensor.eye(3, **where),
    ],
)
def test_creation_on_several(make):
    for devices in (TWO, list(TWO)):
        x = make(device=devices)
        assert x.device == TWO and x.shard_axis is None
        first, second = (part.numpy().tobytes() for part in x.shards)
        assert first == second
        x.assign(x + 1)
        assert x.shards[1].tolist() == x.tolist()
    w = Tensor.ones(3, device=TWO, requires_grad=True)
    (w * w).sum().backward()
    assert w.grad.tolist() == [2, 2, 2]


def test_random_numbers_are_of_one_device():
    for make in (Tensor.rand, Tensor.uniform, Tensor.scaled_uniform, Tensor.glorot_uniform):
        with pytest.raises(ValueError, match="made on one device"):
            make(3, 3, device=TWO)
    for like in (Tensor.rand_like, Tensor.randn_like):
        with pytest.raises(RuntimeError, match="made on one device"):
            like(numbers(4, 6).shard(TWO, 0), device=TWO)


def test_normal_numbers_have_copies():
    for make in (Tensor.randn, Tensor.normal, Tensor.kaiming_normal):
        Tensor.manual_seed(5)
        x = make(3, 4, device=TWO)
        Tensor.manual_seed(5)
        assert x.device == TWO
        assert x.tolist() == x.shards[1].tolist() == make(3, 4, device=TWO[0]).tolist()


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_neighbours(axis):
    x = numbers(4, 6)
    p = x.shard(TWO, axis)
    for values in (np.asarray(p), np.from_dlpack(p), np.asarray(memoryview(p))):
        np.testing.assert_array_equal(values, x.numpy())
    assert pickle.loads(pickle.dumps(p)).tolist() == x.tolist()
    assert copy.deepcopy(p).device == TWO


@pytest.mark.parametrize("a", [None, 0, 1])
@pytest.mark.parametrize("b", [None, 0, 1])
def test_operations(a, b):
    x, y = numbers(8, 8), numbers(8, 8, seed=1)
    p, q = x.shard(FOUR, a), y.shard(FOUR, b)
    np.testing.assert_allclose((p @ q).numpy(), x.numpy() @ y.numpy(), rtol=2e-5, atol=1e-5)
    np.testing.assert_allclose((p + q * 2).numpy(), x.numpy() + y.numpy() * 2, rtol=1e-6)
    np.testing.assert_allclose(p.softmax(b or 0).numpy(), x.softmax(b or 0).numpy(), rtol=2e-5)


def test_like():
    p = numbers(8, 8).shard(TWO, 1)
    for made in (p.full_like(2.0), p.zeros_like(), p.ones_like(), p.rand_like(), p.empty_like()):
        assert made.device == TWO and made.shard_axis == 1 and made.shape == (8, 8)
    copies = numbers(8, 8).shard(TWO).rand_like()
    first, second = copies.shards
    np.testing.assert_array_equal(first.numpy(), second.numpy())


def test_gradients_and_optimizers():
    start, data = numbers(6, 3), numbers(4, 6, seed=1)
    results = []
    for place in (lambda x, axis: x, lambda x, axis: x.shard(TWO, axis)):
        with Tensor.train():
            w = place(Tensor(start.numpy()), None)
            w.requires_grad = True
            optimizer = nn.optim.Adam([w], lr=0.1)
            for _ in range(3):
                optimizer.zero_grad()
                (place(data, 0) @ w).square().mean().backward()
                gradient = w.grad.numpy()
                optimizer.step()
            results.append((w.numpy(), gradient))
    np.testing.assert_allclose(results[0][0], results[1][0], rtol=1e-4)
    np.testing.assert_allclose(results[0][1], results[1][1], rtol=1e-4)


@pytest.mark.parametrize("is_realized", [False, True])
def test_gradients_of_copies_beside_the_original(is_realized):
    """One copy is on the device that the tensor is on."""
    rows = np.random.default_rng(3).standard_normal((6, 4)).astype(np.float32)
    start = np.random.default_rng(4).standard_normal((4, 2)).astype(np.float32)
    for devices in (("CPU", "CPU:1"), ("CPU:1", "CPU", "CPU:2")):
        w = Tensor(start, device="CPU").shard(devices)
        if is_realized:
            w.realize()
        loss = (Tensor(rows).shard(devices, 0) @ w).square().sum()
        loss.backward()
        expected = 2 * rows.T @ rows @ start
        np.testing.assert_allclose(w.grad.numpy(), expected, rtol=1e-4, atol=1e-4)
        (found,) = loss.gradient(w)
        np.testing.assert_allclose(found.numpy(), expected, rtol=1e-4, atol=1e-4)


def test_values_before_gradients():
    w = numbers(6).shard(TWO)
    w.requires_grad = True
    loss = (numbers(4, 6).shard(TWO, 0) * w).square().sum()
    assert loss.item() > 0
    loss.backward()
    assert w.grad.device == TWO
    with pytest.raises(RuntimeError, match="one device's part"):
        numbers(4, 6).shard(TWO, 0)[0:2] = 1.0


def test_network_in_data_parallel():
    with Tensor.train():
        net = [nn.Conv2d(3, 8, 3), nn.BatchNorm(8), Tensor.relu, lambda x: x.flatten(1).mean(1)]
        for x in get_parameters(net):
            x.shard_(TWO)
        optimizer = nn.optim.SGD(get_parameters(net), lr=0.1)
        before = net[0].weight.numpy()
        loss = numbers(4, 3, 8, 8).shard(TWO, 0).sequential(net).sum()
        loss.backward()
        optimizer.step()
        assert net[0].weight.device == TWO
        assert not np.array_equal(before, net[0].weight.numpy())
        assert np.isfinite(loss.item())


def test_moving_a_parameter_moves_its_gradient():
    w = Tensor([1.0, 2.0], requires_grad=True)
    (w * w).sum().backward()
    w.to_(TWO)
    assert w.requires_grad
    assert w.grad.device == TWO
    assert w.grad.tolist() == [2.0, 4.0]


def test_captured_step():
    @TinyJit
    def step(a, b):
        return (a + b[0]).realize()

    for i in range(4):
        a = Tensor.full((4, 4), i).contiguous().realize().shard(TWO, 0).realize()
        b = Tensor.ones(4, 4).contiguous().realize().shard(TWO).realize()
        result = step(a, [b])
        assert result.device == TWO and result.shard_axis == 0
        np.testing.assert_array_equal(result.numpy(), np.full((4, 4), i + 1))
    with pytest.raises(RuntimeError):
        step(Tensor.ones(4, 4), [Tensor.ones(4, 4)])


def test_symbolic_part():
    i = Variable("i", 0, 3).bind(2)
    out = Tensor.zeros(4, 4).contiguous().realize().shard(TWO, 0).realize()
    out[:, i : i + 1].assign(Tensor.ones(4, 1).shard(TWO, 0)).realize()
    assert out.tolist() == [[0, 0, 1, 0]] * 4


def test_dtypes():
    for dtype in (dtypes.float16, dtypes.int64, dtypes.bool, dtypes.uint8):
        x = Tensor([[1, 0], [1, 1]]).cast(dtype)
        np.testing.assert_array_equal(x.shard(TWO, 0).sum(0).numpy(), x.sum(0).numpy())


def test_errors():
    x = numbers(4, 6)
    p = x.shard(TWO, 1)
    with pytest.raises(RuntimeError, match="no equal parts for 4 devices"):
        x.shard(FOUR, 1)
    with pytest.raises(RuntimeError, match="already"):
        p.shard(TWO, 0)
    with pytest.raises(TypeError, match="takes a tuple of the names"):
        x.shard("CPU:1")
    with pytest.raises(TypeError, match="name of a device is a string"):
        x.shard(("CPU:1", 2))
    with pytest.raises(RuntimeError, match="different devices"):
        _ = p + x
    with pytest.raises(ValueError, match="would move elements between devices"):
        p.reshape(24)
    with pytest.raises(ValueError, match="no device's part"):
        p.shrink((None, (1, 3)))
    with pytest.raises(ValueError, match="on one device"):
        Tensor.rand(4, device=TWO)
    np.testing.assert_array_equal(p.numpy(), x.numpy())


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_orders_along_the_axis_of_the_parts(axis):
    x = numbers(4, 6)
    p = x.shard(TWO, axis)
    for dim in (0, 1):
        for ours, whole in (
            (p.sort(dim), x.sort(dim)),
            (p.topk(2, dim), x.topk(2, dim)),
            (p.cummax(dim), x.cummax(dim)),
        ):
            for a, b in zip(ours, whole):
                assert a.device == TWO
                np.testing.assert_array_equal(a.numpy(), b.numpy())
        np.testing.assert_array_equal(p.argsort(dim).numpy(), x.argsort(dim).numpy())
        np.testing.assert_allclose(p.cumsum(dim).numpy(), x.cumsum(dim).numpy(), rtol=1e-6)
        np.testing.assert_allclose(
            p.logcumsumexp(dim).numpy(), x.logcumsumexp(dim).numpy(), rtol=1e-6
        )
    weights = numbers(4, 6, seed=1)
    y = x.clone().requires_grad_()
    q = y.shard(TWO, axis)
    (q.sort(1)[0] * weights.shard(TWO, axis)).sum().backward()
    z = x.clone().requires_grad_()
    (z.sort(1)[0] * weights).sum().backward()
    np.testing.assert_allclose(y.grad.numpy(), z.grad.numpy(), rtol=1e-6)


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("mask_axis", [None, 0, 1])
def test_selections_by_masks(axis, mask_axis):
    x = numbers(4, 6)
    p, mask = x.shard(TWO, axis), (x > 0.3).shard(TWO, mask_axis)
    expected = x.numpy()[x.numpy() > 0.3]
    for selected in (p[mask], p.masked_select(mask)):
        assert selected.device == TWO and selected.shard_axis is None
        np.testing.assert_array_equal(selected.numpy(), expected)
        np.testing.assert_array_equal((selected * 2).numpy(), expected * 2)
    first = p.masked_select(mask, size=4, fill_value=9)
    np.testing.assert_array_equal(first.numpy(), [*expected, 9, 9, 9, 9][:4])
    np.testing.assert_array_equal(
        mask.nonzero().numpy(), np.argwhere(x.numpy() > 0.3).astype(np.int32)
    )
    rows = (x[:, 0] > 0).numpy()
    np.testing.assert_array_equal(p[(x[:, 0] > 0).shard(TWO)].numpy(), x.numpy()[rows])
    np.testing.assert_array_equal(
        p[:, (x[0] > 0).shard(TWO)].numpy(), x.numpy()[:, x.numpy()[0] > 0]
    )
    p[mask] = 0
    np.testing.assert_array_equal(p.numpy(), np.where(x.numpy() > 0.3, 0, x.numpy()))


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_positions_by_weights(axis):
    x = Tensor([[0.0, 0, 3, 0], [0, 5, 0, 0]]).realize().shard(TWO, axis)
    assert x.multinomial(1).tolist() == [[2], [1]]
    assert x.multinomial(3, replacement=True).tolist() == [[2, 2, 2], [1, 1, 1]]
    both = Tensor([[0.0, 2, 3, 0], [1, 5, 0, 0]]).realize().shard(TWO, axis).multinomial(2)
    assert both.device == TWO
    assert np.sort(both.numpy()).tolist() == [[1, 2], [0, 1]]
    row = Tensor([0.0, 0, 3, 0]).realize().shard(TWO, None if axis is None else 0)
    assert row.multinomial(2, replacement=True).tolist() == [2, 2]
