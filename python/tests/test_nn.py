"""Layers against formulas in NumPy."""

import numpy as np
import pytest
from tinygrad_mlir import Context, Tensor, dtypes, nn


def random(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def close(tensor, expected, tolerance=2e-5):
    np.testing.assert_allclose(tensor.numpy(), expected, rtol=tolerance, atol=tolerance)


def normalize(x, axes, eps=1e-5):
    mean = x.mean(axis=axes, keepdims=True)
    return (x - mean) / np.sqrt(x.var(axis=axes, keepdims=True) + eps)


def convolve(x, w, stride=1, groups=1):
    """A convolution without padding, by loops over the kernel."""
    n, _, h, wd = x.shape
    out, per_group, kh, kw = w.shape
    oh, ow = (h - kh) // stride + 1, (wd - kw) // stride + 1
    result = np.zeros((n, out, oh, ow), dtype=np.float64)
    for o in range(out):
        first = o // (out // groups) * per_group
        for i in range(kh):
            for j in range(kw):
                part = x[
                    :,
                    first : first + per_group,
                    i : i + oh * stride : stride,
                    j : j + ow * stride : stride,
                ]
                result[:, o] += np.einsum("nchw,c->nhw", part, w[o, :, i, j])
    return result


def test_linear():
    layer = nn.Linear(5, 3)
    x = random(2, 4, 5)
    close(layer(Tensor(x)), x @ layer.weight.numpy().T + layer.bias.numpy())
    assert layer.weight.shape == (3, 5) and layer.bias.shape == (3,)
    assert np.abs(layer.weight.numpy()).max() <= 5**-0.5
    without = nn.Linear(5, 3, bias=False)
    assert without.bias is None
    close(without(Tensor(x)), x @ without.weight.numpy().T)


def test_weights_are_computed_once_and_seeded():
    Tensor.manual_seed(3)
    first = nn.Linear(4, 4)
    values = first.weight.numpy()
    np.testing.assert_array_equal(first.weight.numpy(), values)
    Tensor.manual_seed(3)
    np.testing.assert_array_equal(nn.Linear(4, 4).weight.numpy(), values)


@pytest.mark.parametrize("stride, groups", [(1, 1), (2, 2)])
def test_conv2d(stride, groups):
    layer = nn.Conv2d(4, 6, (3, 2), stride=stride, groups=groups)
    x = random(2, 4, 8, 7)
    expected = convolve(x, layer.weight.numpy(), stride, groups)
    close(layer(Tensor(x)), expected + layer.bias.numpy().reshape(1, -1, 1, 1))


@pytest.mark.parametrize("kernel, dilation", [(3, 1), (4, 1), (3, 2)])
def test_conv2d_same_padding(kernel, dilation):
    layer = nn.Conv2d(1, 2, kernel, padding="same", dilation=dilation)
    assert layer(Tensor(random(1, 1, 9, 8))).shape == (1, 2, 9, 8)
    if kernel == 4:  # one more row and column after than before
        padded = np.pad(random(1, 1, 9, 8), ((0, 0), (0, 0), (1, 2), (1, 2)))
        expected = convolve(padded, layer.weight.numpy()) + layer.bias.numpy().reshape(1, -1, 1, 1)
        close(layer(Tensor(random(1, 1, 9, 8))), expected)


def test_conv_errors():
    with pytest.raises(ValueError, match="stride"):
        nn.Conv2d(1, 1, 3, stride=2, padding="same")
    with pytest.raises(ValueError, match="'same'"):
        nn.Conv2d(1, 1, 3, padding="valid")


def test_conv1d_and_transposes():
    layer = nn.Conv1d(2, 3, 3)
    x = random(2, 2, 7)
    expected = convolve(x[:, :, None], layer.weight.numpy()[:, :, None])[:, :, 0]
    close(layer(Tensor(x)), expected + layer.bias.numpy().reshape(1, -1, 1))
    # The transpose of a convolution has its gradient's values.
    transposed = nn.ConvTranspose2d(3, 2, 3, stride=2, bias=False)
    assert transposed.weight.shape == (3, 2, 3, 3)
    y = random(1, 3, 4, 4)
    inputs = Tensor(np.zeros((1, 2, 9, 9), dtype=np.float32))
    forward = inputs.conv2d(transposed.weight, stride=2)
    gradient = (forward * Tensor(y)).sum().gradient(inputs)[0]
    close(transposed(Tensor(y)), gradient.numpy())
    assert nn.ConvTranspose1d(3, 2, 3, output_padding=1, stride=2)(
        Tensor(random(1, 3, 4))
    ).shape == (1, 2, 10)


def test_batchnorm():
    layer = nn.BatchNorm2d(3, momentum=0.2)
    x = random(4, 3, 5, 2)
    close(layer(Tensor(x)), x / np.sqrt(1 + 1e-5))
    with Context(TRAINING=1):
        close(layer(Tensor(x)), normalize(x, (0, 2, 3)))
    close(layer.running_mean, 0.2 * x.mean(axis=(0, 2, 3)))
    # The factor is tinygrad's: of (n / (n - channels)) for n elements.
    factor = x.size / (x.size - 3)
    close(layer.running_var, 0.8 + 0.2 * factor * x.var(axis=(0, 2, 3)))
    assert layer.num_batches_tracked.item() == 1
    assert layer.num_batches_tracked.dtype == dtypes.long
    plain = nn.BatchNorm(3, affine=False, track_running_stats=False)
    close(plain(Tensor(x)), normalize(x, (0, 2, 3)))
    assert "running_mean" not in nn.state.get_state_dict(plain)


def test_batchnorm_gradient():
    """The derivative of the formula, by differences in float64."""
    x = random(3, 2, 2)
    weights = random(3, 2, 2, seed=1)

    def value(x):
        return (normalize(x.astype(np.float64), (0, 2)) * weights).sum()

    layer, input_ = nn.BatchNorm(2), Tensor(x)
    with Context(TRAINING=1):
        (layer(input_) * Tensor(weights)).sum().backward()
    for index in np.ndindex(x.shape):
        step = np.zeros_like(x, dtype=np.float64)
        step[index] = 1e-5
        slope = (value(x + step) - value(x - step)) / 2e-5
        assert abs(input_.grad.numpy()[index] - slope) < 1e-3
    assert layer.weight.grad is not None and layer.bias.grad is not None


def test_group_and_instance_norm():
    x = random(2, 6, 3, 2)
    layer = nn.GroupNorm(3, 6)
    layer.weight, layer.bias = Tensor(random(6, seed=1)), Tensor(random(6, seed=2))
    expected = normalize(x.reshape(2, 3, -1), -1).reshape(x.shape)
    affine = [random(6, seed=s).reshape(1, 6, 1, 1) for s in (1, 2)]
    close(layer(Tensor(x)), expected * affine[0] + affine[1])
    close(nn.InstanceNorm(6, affine=False)(Tensor(x)), normalize(x, (2, 3)))


def test_layernorm():
    x = random(2, 3, 4)
    close(nn.LayerNorm((3, 4))(Tensor(x)), normalize(x, (1, 2)))
    close(nn.LayerNorm(4, eps=0.5, elementwise_affine=False)(Tensor(x)), normalize(x, 2, 0.5))
    images = random(2, 3, 4, 5)
    close(nn.LayerNorm2d(3)(Tensor(images)), normalize(images, 1))
    with pytest.raises(AssertionError, match=r"\(2, 3, 4\).*\(5,\)"):
        nn.LayerNorm(5)(Tensor(x))


def test_rmsnorm():
    x = random(2, 5)
    expected = x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + 1e-6)
    close(nn.RMSNorm(5)(Tensor(x)), expected)
    assert nn.RMSNorm(5)(Tensor(x).half()).dtype == dtypes.float32
    assert nn.RMSNorm(5, elementwise_affine=False)(Tensor(x).half()).dtype == dtypes.half
    wide = x.astype(np.float64)
    expected = wide / np.sqrt((wide * wide).mean(axis=-1, keepdims=True) + 1e-6)
    close(nn.RMSNorm(5)(Tensor(wide)), expected, 1e-14)


def test_embedding():
    layer = nn.Embedding(7, 3)
    index = np.array([[1, 6], [0, 1]], dtype=np.int32)
    close(layer(Tensor(index)), layer.weight.numpy()[index], 0)
    layer(Tensor(index)).sum().backward()
    counts = np.bincount(index.flatten(), minlength=7).astype(np.float32)
    close(layer.weight.grad, counts[:, None].repeat(3, axis=1), 0)
    assert (layer(Tensor([7])).numpy() == 0).all()
    with pytest.raises(TypeError, match="integers"):
        layer(Tensor([1.0]))


def test_lstm_cell():
    def sigmoid(x):
        return 1 / (1 + np.exp(-x))

    layer = nn.LSTMCell(3, 4)
    layer.bias_ih, layer.bias_hh = Tensor(random(16, seed=5)), Tensor(random(16, seed=6))
    h, c = np.zeros((2, 4)), np.zeros((2, 4))
    state = None
    for step in range(2):
        x = random(2, 3, seed=step)
        gates = x @ layer.weight_ih.numpy().T + layer.bias_ih.numpy()
        gates = gates + h @ layer.weight_hh.numpy().T + layer.bias_hh.numpy()
        i, f, g, o = np.split(gates, 4, axis=1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        state = layer(Tensor(x), state)
    close(state[0], h)
    close(state[1], c)
    assert nn.LSTMCell(3, 4, bias=False).bias_ih is None
