"""torch.compile with this compiler, beside PyTorch itself."""

import warnings

import numpy as np
import pytest
from tinygrad_mlir import GlobalCounters, Tensor

torch = pytest.importorskip("torch")
from tinygrad_mlir import torch_backend  # noqa: E402
from torch_checks import (  # noqa: E402
    B,
    F,
    I,
    ONE,
    P,
    SPECIAL,
    V,
    W,
    check,
    compile,
    no_warnings,  # noqa: F401
)

nn, functional = torch.nn, torch.nn.functional


LARGE = torch.full((3, 4), 2**30 + 1, dtype=torch.int32)
U8 = torch.tensor([1, 2, 3, 100, 127, 128, 200, 253, 254, 255], dtype=torch.uint8)
FUNCTIONS = {
    "unary": lambda: (F.sin() + F.exp() * F.tanh(), P.log(), P.rsqrt(), F.erf(), F.round(), -I),
    "small": lambda: (torch.expm1(F / 1e4), torch.log1p(P), F.sign(), F.floor().ceil()),
    "activations": lambda: (
        functional.gelu(F),
        functional.gelu(F, approximate="tanh"),
        functional.elu(F),
        functional.leaky_relu(F),
        functional.hardtanh(F),
        functional.silu(F),
        functional.softplus(F),
        functional.selu(F),
        functional.hardswish(F),
        functional.mish(F),
    ),
    "arithmetic": lambda: (
        F + I,
        2 - F,
        F / 3,
        I / 2,
        I // 3,
        I % 4,
        F**2,
        2.0**F,
        2.5**I,
        P**F,
        torch.fmod(F, 0.7),
        torch.div(F, 0.4, rounding_mode="trunc"),
        torch.add(F, P, alpha=3),
    ),
    "promotion": lambda: (
        F.half() + F,
        F.half() * torch.tensor(2.0, dtype=torch.float64),
        I.int() + 1.5,
        B + I,
        F.bfloat16() * 3,
        I.to(torch.uint8) + I,
    ),
    "numbers beyond the type": lambda: (
        (U8 // -3, torch.div(U8, -3, rounding_mode="trunc"), U8 % -3, torch.fmod(U8, -3)),
        (U8 == -1, U8 < -1, U8 >= 300, U8.to(torch.int8) < -200, U8.to(torch.int16) < -1),
        (U8 / -2, U8 < -1.5, U8 // -3.0, B < -1, U8 * -3, 5 - U8),
        # Numbers without axes are taken like these.
        torch.remainder(torch.tensor(-3), U8),
        (U8 <= torch.tensor(-2), torch.maximum(U8, torch.tensor(-3)), U8.sum() > -1),
        (torch.fmax(U8, torch.tensor(-3)), torch.fmin(torch.tensor(300), U8)),
        (torch.clamp(U8, torch.tensor(-1)), torch.clamp(U8, max=torch.tensor(300))),
        (torch.clamp(U8, -1), torch.clamp(U8, max=300), torch.clamp_min(U8, torch.tensor(-9))),
    ),
    "bits": lambda: (I & 3, I | 8, I ^ 1, ~I, I << 2, I >> 1, B & (I > 2), ~B, B ^ True),
    "comparisons": lambda: (
        F > P,
        I == 3,
        torch.where(B, F, P),
        torch.where(B, F, 0.0),
        F.clamp(-1, 1),
        F.clamp(min=0.5),
        torch.maximum(F, P),
        torch.logical_and(B, F > 0),
        torch.isnan(F / F.relu()),
        F.masked_fill(B, -1.0),
    ),
    "reductions": lambda: (
        F.sum(),
        I.sum(1),
        F.mean((0, 2), keepdim=True),
        F.amax(1),
        F.max(2),
        F.min(0),
        I.argmax(),
        F.argmin(1),
        B.any(2),
        B.all(),
        P.prod(1),
        F.var(2),
        F.std(),
        torch.var_mean(F, 1, correction=0),
        I.cumsum(1),
        F.logsumexp(2),
        F.norm(),
        (F > 0).sum(),
    ),
    "shapes": lambda: (
        F.reshape(6, 4).t(),
        F.permute(2, 0, 1)[1:, :, ::2],
        F[:, -1],
        F.unsqueeze(0).expand(3, 2, 3, 4),
        torch.cat([F, P], 1),
        torch.stack([F, P], -1),
        F.flip(0, 2),
        F.roll(1, 2),
        F.squeeze(),
        F[:1].squeeze(0),
        functional.pad(F, (1, 2, 0, 1), value=3.0),
        F.repeat(2, 1, 1),
        F.split([1, 2], 1)[1] * 1,
        F.tril(),
        F.diagonal(0, 1, 2) * 1,
        F.chunk(2, 2)[0] + 1,
    ),
    "indices": lambda: (
        F[:, [2, 0]],
        F[torch.tensor([1, 0]), :, torch.tensor([3, 3])],
        F.gather(2, I.clamp(0, 3)),
        F.index_select(1, torch.tensor([2, 2, 0])),
        F.scatter(2, I.clamp(0, 3)[..., :1], 9.0),
        F.scatter_add(1, torch.zeros(2, 3, 4, dtype=torch.long), P),
        F.index_put((torch.tensor([0, 0]), torch.tensor([1, 1])), P[0, :2], accumulate=True),
        F.topk(2),
        F.sort(2, descending=True),
    ),
    "new": lambda: (
        torch.zeros(2, 3),
        torch.full((2,), 7),
        torch.arange(5) * 2,
        torch.arange(0.0, 1.0, 0.25),
        torch.ones_like(F),
        torch.full_like(I, 3),
        torch.eye(3),
    ),
    "products": lambda: (
        F @ F.transpose(1, 2),
        F[0] @ F[1].T,
        F[0] @ F[0, 0],
        torch.einsum("bij,bkj->ik", F, P),
        torch.addmm(F[0, :, :3], F[0], F[1].T, beta=2, alpha=0.5),
        torch.baddbmm(F[:, :, :3], F, F.transpose(1, 2)),
    ),
    "averages": lambda: (
        functional.avg_pool2d(F, 2, 1),
        functional.avg_pool2d(F, 2, 1, divisor_override=3),
        functional.avg_pool2d(F, (2, 3), 1, padding=1, divisor_override=5),
        functional.avg_pool2d(F, 2, 2, ceil_mode=True),
    ),
    "large integers": lambda: (
        LARGE.sum(),
        LARGE.sum(1),
        LARGE.prod(),
        LARGE.prod(1, keepdim=True),
        LARGE.cumsum(0),
        LARGE.cumprod(1),
        LARGE.to(torch.int16).sum(dtype=torch.int32),
        (LARGE > 0).cumsum(1),
        torch.sign(SPECIAL),
        torch.sign(LARGE - 2**30),
    ),
    "rounding and angles": lambda: (
        torch.atan2(F, P - 1),
        torch.atan2(SPECIAL[:, None], SPECIAL),
        torch.hypot(SPECIAL[:, None], SPECIAL),
        torch.hypot(F * 1e30, F * 1e30),
        torch.fmax(SPECIAL[:, None], SPECIAL),
        torch.fmin(SPECIAL[:, None], SPECIAL),
        torch.signbit(SPECIAL),
        torch.angle(SPECIAL),
        torch.round(F, decimals=1),
        torch.round(F * 100, decimals=-2),
        torch.ldexp(F, torch.tensor(3)),
    ),
    "order": lambda: (
        F.median(2),
        (I % 4).median(0, keepdim=True),
        F.median(),
        SPECIAL.median(0),
        SPECIAL.nanmedian(),
        torch.stack([SPECIAL, SPECIAL * 0]).nanmedian(1)[0],
        F.clamp_min(0.5),
        torch.clamp_max(F, P),
        (I % 5).sort(dim=1, stable=True),
        (I % 5).argsort(dim=1, descending=True, stable=True),
        (I % 5).cummax(1),
        SPECIAL.cummin(0),
        F.logcumsumexp(2),
        torch.searchsorted(torch.tensor([0, 2, 2, 9]), I),
        torch.searchsorted(torch.tensor([0, 2, 2, 9]), I, right=True),
        torch.searchsorted(F[0], P[0], side="right"),
        torch.bucketize(F, torch.tensor([-1.0, 0.0, 1.0])),
        torch.histc(F, 4),
        torch.histc(F, 5, -2, 2),
        torch.histc(I.float() * 0 + 3, 3),
    ),
    "scattered": lambda: (
        F.scatter_reduce(1, I % 3, P, "amax"),
        F.scatter_reduce(2, I % 4, P, "mean", include_self=False),
        F.scatter(2, I % 4, P, reduce="multiply"),
        F.scatter(2, (I % 4)[..., :1], 0.5, reduce="add"),
        F.index_reduce(1, torch.tensor([2, 0, 2]), P, "prod"),
        F.put(torch.tensor([3, -1]), torch.tensor([9.0, 8.0])),
        F.put(torch.tensor([3, 3]), torch.tensor([9.0, 8.0]), accumulate=True),
        F.masked_scatter(B, P),
        F[0].masked_scatter(B, P),
    ),
    "one element": lambda: (
        ONE.topk(1),
        ONE.sort(),
        ONE.gather(0, torch.tensor([0])),
        ONE.index_select(0, torch.tensor([0])),
        ONE.scatter(0, torch.tensor(0), 3.0),
        ONE.scatter_add(0, torch.tensor(0), ONE),
        F[0, 0].gather(0, torch.tensor(2)),
        F[0, 0].gather(0, torch.zeros(2, 0, dtype=torch.long)),
        F[0, 0].scatter(0, torch.zeros(0, dtype=torch.long), 1.0),
    ),
    "memory": lambda: (
        F.as_strided((4, 3, 2), (1, 4, 12)) * 2,
        F.as_strided((3, 4), (4, 1), 12) * 2,
        F.as_strided((5, 4), (2, 1), 3) * 2,
        F.as_strided((2, 3), (0, 5), 1) * 2,
        (F * 2)[:, 1:, ::2].as_strided((4, 3), (2, 1)) * 2,
        (F * 2)[:, 1:, ::2].as_strided((4, 5), (1, 3), 2) * 2,
        (F[:1, :, :1] * 2).expand(4, 3, 2).as_strided((3, 2), (1, 0)) * 2,
        F.permute(2, 0, 1).as_strided((6, 4), (4, 1)) * 2,
        (F.mT * 1).as_strided_scatter(P[0], (3, 4), (2, 5), 1),
        F.as_strided_scatter(P[0, 0], (4,), (7,), 1),
        F[0].clone().copy_(torch.tensor(2)),
        (F * 2)[0, ::2, :1].expand(2, 2).as_strided((2, 4), (2, 1), 1) * 1,
        (F * 2)[:, :1].as_strided((3, 1, 2), (4, 7, 1), 8) * 1,
        F.unfold(2, 3, 1) * 1,
        (F * 2).unfold(2, 3, 1).unfold(1, 2, 1) * 1,
        (F * 2).as_strided((2, 5, 3), (12, 2, 1)).as_strided((4,), (3,), 1) * 1,
    ),
    "products of three": lambda: (
        functional.bilinear(
            F[0], P[0], torch.stack([F[0, :, :1] * F[1, 0]] * 2)[:, :, :].mT @ F[0]
        ),
        torch.cdist(F, P),
        torch.cdist(F, P, p=1),
        torch.cdist(F, P, p=3),
        torch.cdist(F, P, p=0),
        torch.cdist(F, P, p=float("inf")),
        torch.addbmm(F[0, :, :3], F, F.mT, beta=0.5, alpha=2),
        torch.addbmm(I[0, :, :3], I, I.mT, beta=3),
    ),
    "volumes": lambda: (
        functional.avg_pool3d(V, 2, 1, padding=1, count_include_pad=False),
        functional.avg_pool3d(V, (1, 2, 2), ceil_mode=True),
        functional.max_pool3d(V, 2, 1, padding=1),
        functional.max_pool3d(V, (1, 2, 2), return_indices=True, dilation=(1, 1, 2)),
        functional.adaptive_avg_pool3d(V, (2, 1, 2)),
        functional.conv3d(V, W, padding=1, stride=(1, 2, 1)),
        functional.conv_transpose3d(V, W.transpose(0, 1), stride=2),
        functional.interpolate(V, scale_factor=1.5, mode="trilinear"),
        functional.instance_norm(V),
    ),
    "images": lambda: (
        functional.adaptive_avg_pool2d(F, (2, 3)),
        functional.adaptive_avg_pool2d(F, (3, 2)),
        functional.adaptive_avg_pool2d(F, (5, 7)),
        functional.adaptive_max_pool2d(F, (3, 2)),
        functional.interpolate(F[None], scale_factor=2, mode="bilinear"),
        functional.interpolate(F[None], (5, 3), mode="bilinear", align_corners=True),
        functional.interpolate(F[None], (5, 3), mode="bicubic"),
        functional.interpolate(F[None], (5, 3), mode="nearest"),
        functional.interpolate(F, 7, mode="linear"),
        functional.grid_sample(F[None], F.reshape(2, 3, 2, 2)[:1] / 3),
        functional.pixel_shuffle(F.reshape(1, 12, 2, 1), 2),
        functional.pixel_unshuffle(F.reshape(1, 2, 2, 6), 2),
        torch.tril_indices(3, 4),
    ),
    "uneven windows": lambda: (
        functional.adaptive_max_pool1d(F, 3),
        *functional.adaptive_max_pool2d(F, (2, 3), return_indices=True),
        *functional.adaptive_max_pool3d(V, (2, 3, 3), return_indices=True),
        functional.adaptive_max_pool2d(SPECIAL.reshape(1, 1, 7), (1, 3)),
    ),
    "masks": lambda: (
        F.index_put((B,), P[0, :2].flatten()),
        F.index_put((B,), torch.tensor(2.0), accumulate=True),
        F.index_put((~B[:, 0, 0],), P),
        F.index_put((B[:, :, 0],), P[0, :2], accumulate=True),
        F.index_put((B[:, :, 0],), P[0, 0]),
        I.index_put((B,), torch.arange(8), accumulate=True),
    ),
    "bags": lambda: (
        functional.embedding_bag(I[0] % 2, P[0], mode="sum"),
        functional.embedding_bag(I[0] % 3, P[0], mode="mean", padding_idx=2),
        functional.embedding_bag(I[0, 0] % 3, P[0], torch.tensor([0, 0, 3])),
        functional.embedding_bag(
            I[0, 0] % 3, P[0], torch.tensor([0, 1, 4]), include_last_offset=True
        ),
        functional.embedding_bag(I[0] % 3, P[0], mode="sum", per_sample_weights=P[0]),
    ),
    "order of one": lambda: (
        *F.kthvalue(2),
        *(I % 4).double().kthvalue(3, 1, keepdim=True),
        *ONE.kthvalue(1),
        torch.erfc(F * 4),
        torch.erfc(SPECIAL),
    ),
    "softmax": lambda: (F.softmax(1), F.log_softmax(-1), F.half().softmax(-1)),
}


NUMBERS = torch.tensor([-41.3, -8.1, -2.5, -0.7, -0.2, 1e-3, 0.3, 1.2, 2.5, 7.9, 8.1, 60.0])
SPECIAL_FUNCTIONS = {
    "erfc": torch.erfc,
    "erfcx": lambda x: torch.special.erfcx(x.clamp(-20)),
    "erfinv": lambda x: torch.erfinv(x / 61),
    "lgamma": torch.lgamma,
    "digamma": torch.digamma,
    "i0": torch.special.i0,
    "i0e": torch.special.i0e,
    "i1": torch.special.i1,
    "i1e": torch.special.i1e,
}


@pytest.mark.parametrize("name", SPECIAL_FUNCTIONS)
def test_special_functions(name):
    """In both types, and their gradients."""
    function = SPECIAL_FUNCTIONS[name]
    compiled = compile(lambda x: function(x) * 1)
    for dtype, tolerance in ((torch.float64, 1e-12), (torch.float32, 5e-6)):
        leaves = [NUMBERS.to(dtype).requires_grad_() for _ in range(2)]
        results = [f(x) for f, x in zip((function, compiled), leaves)]
        for result in results:
            result.sum().backward()
        torch.testing.assert_close(*results, rtol=tolerance, atol=tolerance)
        gradients = [x.grad for x in leaves]
        # PyTorch's own derivative of digamma has an error of 1e-9.
        torch.testing.assert_close(*gradients, rtol=1e-5, atol=1e-8)
    for x in (0.0, -0.0, -2.0, float("inf"), float("nan")):
        x = torch.tensor(x)
        torch.testing.assert_close(
            compiled(x), function(x) * 1, rtol=1e-6, atol=1e-6, equal_nan=True
        )


def test_log1p_and_expm1_near_zero():
    """All digits of small numbers count."""
    x = torch.tensor(
        [1e-30, -3e-9, 1e-8, 1e-4, -0.3, 0.0, -0.0, 2.5, 3e38, torch.inf, -1, -2, torch.nan]
    )
    for function in (torch.log1p, torch.expm1):
        torch.testing.assert_close(
            compile(function)(x), function(x), rtol=3e-7, atol=0, equal_nan=True
        )


def flatten(values):
    for value in values:
        yield from [value] if isinstance(value, torch.Tensor) else value


@pytest.mark.parametrize("name", FUNCTIONS)
def test_operations(name):
    """Of constants: the inputs are captured by the function."""
    function = FUNCTIONS[name]
    tolerance = 1e-2 if name in ("promotion", "softmax") else 1e-5
    check(lambda: tuple(flatten(function())), tolerance=tolerance)


MODELS = {
    "linear": (nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 4)), (5, 8)),
    "convolutions": (
        nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1),
            nn.BatchNorm2d(8),
            nn.ReLU(),
            nn.MaxPool2d(3, 2, 1),
            nn.Conv2d(8, 8, 3, stride=2, padding=(1, 2), groups=2, dilation=2),
            nn.GroupNorm(2, 8),
            nn.AvgPool2d(2),
            nn.ConvTranspose2d(8, 4, 3, stride=2, padding=1, output_padding=1),
            nn.AdaptiveAvgPool2d(1),
            nn.Flatten(),
            nn.Linear(4, 5),
        ),
        (2, 3, 16, 16),
    ),
    "one axis": (nn.Sequential(nn.Conv1d(3, 4, 3, padding=1), nn.BatchNorm1d(4)), (2, 3, 9)),
    "transformer": (
        nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True, norm_first=True),
        (2, 7, 32),
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_models(name):
    model, shape = MODELS[name]
    # In one of its classes' ways of inference, PyTorch has an operation for the whole layer.
    torch.backends.mha.set_fastpath_enabled(False)
    check(model.eval(), torch.randn(shape), tolerance=1e-4)


@pytest.mark.parametrize("name", MODELS)
def test_training(name):
    """Steps of an optimizer outside of the graphs; gradients, statistics and losses are equal."""
    model, shape = MODELS[name]
    model.train()
    initial = {key: value.clone() for key, value in model.state_dict().items()}
    inputs = torch.randn(4, *shape)

    def train(function):
        model.load_state_dict(initial)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
        losses = []
        for x in inputs:
            optimizer.zero_grad()
            loss = function(x).square().mean()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        return losses, {key: value.clone() for key, value in model.state_dict().items()}

    expected, state = train(model)
    found, found_state = train(compile(model))
    np.testing.assert_allclose(found, expected, rtol=2e-4)
    for key, value in state.items():
        torch.testing.assert_close(found_state[key], value, rtol=1e-3, atol=1e-4)


def test_attention_with_gradients():
    def function(q, mask=None):
        k, v = q * 2, q + 1
        return functional.scaled_dot_product_attention(
            q, k, v, attn_mask=mask, is_causal=mask is None
        )

    q = torch.randn(2, 2, 5, 8)
    for mask in (None, torch.randn(5, 5)):
        inputs = [q.clone().requires_grad_() for _ in range(2)]
        results = [f(x, mask) for f, x in zip((function, compile(function)), inputs)]
        torch.testing.assert_close(*results, rtol=1e-4, atol=1e-5)
        for result in results:
            result.square().sum().backward()
        torch.testing.assert_close(inputs[1].grad, inputs[0].grad, rtol=1e-4, atol=1e-4)


X = torch.linspace(-3, 3, 144).sin().reshape(2, 2, 6, 6)
Y = torch.linspace(-3, 3, 128).cos().reshape(1, 2, 4, 4, 4)
GRADIENTS = {
    "nearest": (lambda x: functional.interpolate(x, (13, 5)), X),
    "bilinear": (lambda x: functional.interpolate(x, (9, 4), mode="bilinear"), X),
    "trilinear": (lambda x: functional.interpolate(x, (9, 4, 3), mode="trilinear"), Y),
    "replicated": (lambda x: functional.pad(x, (1, 2, 1, 0), mode="replicate"), X),
    "reflected": (lambda x: functional.pad(x, (1, 2, 1, 0), mode="reflect"), X),
    "circular": (lambda x: functional.pad(x, (1, 2, 1, 0), mode="circular"), X),
    "distances": (lambda x: torch.cdist(x, x * 2 + 1, p=3), X),
    "adaptive averages": (lambda x: functional.adaptive_avg_pool2d(x, (4, 5)), X),
    "adaptive maxima": (lambda x: functional.adaptive_max_pool2d(x, 3), X),
    "uneven maxima": (lambda x: functional.adaptive_max_pool2d(x, (4, 5)), X),
    "values at a mask": (lambda x: x.index_put((X > 0,), x.flatten()[: (X > 0).sum()]), X),
    "bags": (
        lambda x: functional.embedding_bag(
            torch.tensor([[1, 2, 0], [2, 2, 1]]), x[0, 0], mode="mean", padding_idx=1
        ),
        X,
    ),
    "maxima of volumes": (lambda x: functional.max_pool3d(x, 3, 1, padding=1), Y),
    "averages of volumes": (lambda x: functional.avg_pool3d(x, 2, 1), Y),
    "convolution of volumes": (lambda x: functional.conv3d(x, Y.mT, padding=1), Y),
    "instances": (functional.instance_norm, X),
    "masked": (lambda x: x.masked_scatter(X > 0, x * 2), X),
    "median": (lambda x: x.median(1)[0], X),
    "running maximum": (lambda x: x.cummax(2)[0] + x.logcumsumexp(3), X),
    "normalized weight": (lambda x: torch._weight_norm(x, x[:, :1, :1, :1] * 2, 0), X),
    "windows": (lambda x: functional.fold(functional.unfold(x, 3), (6, 6), 3), X),
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients(name):
    function, x = GRADIENTS[name]
    found = []
    for f in (function, compile(function)):
        leaf = x.clone().requires_grad_()
        result = f(leaf)
        (result * torch.arange(result.numel()).reshape(result.shape).cos()).sum().backward()
        found.append((result.detach(), leaf.grad))
    torch.testing.assert_close(*found, rtol=1e-4, atol=1e-5)


# What gradients are computed from depends on the arguments by which they are taken.
DEPENDENT = {
    "averages": lambda x: functional.avg_pool2d(x, 2).square(),
    "averages of volumes": lambda x: functional.avg_pool3d(x[None], 2).square(),
    "adaptive averages": lambda x: functional.adaptive_avg_pool2d(x, (4, 5)).square(),
    "replicated": lambda x: functional.pad(x, (1, 2, 1, 0), mode="replicate").square(),
    "convolution": lambda x: functional.conv2d(x, x[:, :, :3, :3].tanh()).square(),
    "convolution with itself": lambda x: functional.conv2d(x, x),
    "transposed": lambda x: functional.conv_transpose2d(x, x.sin()).square(),
    "distances": lambda x: torch.cdist(x, x + 1, p=3).square(),
    "distances from itself": lambda x: torch.cdist(x, x, p=1),
    "normalized weight": lambda x: torch._weight_norm(x, x[:, :1, :1, :1], 0).square(),
}


@pytest.mark.parametrize("name", DEPENDENT)
def test_gradients_that_depend_on_arguments(name):
    def function(x):
        return torch.func.grad(lambda x: DEPENDENT[name](x).sum())(x)

    torch.testing.assert_close(compile(function)(X), function(X), rtol=1e-4, atol=1e-4)


def test_gradients_of_what_is_computed_again():
    def body(x, w):
        y = functional.silu(functional.conv2d(x, w, padding=1))
        return functional.avg_pool2d(functional.conv2d(y, w), 2).square()

    def function(x, w):
        return torch.utils.checkpoint.checkpoint(body, x, w, use_reentrant=False)

    w = torch.linspace(-2, 2, 36).cos().reshape(2, 2, 3, 3)
    found = []
    for f in (function, compile(function)):
        leaves = [part.clone().requires_grad_() for part in (X, w)]
        f(*leaves).sum().backward()
        found.append([leaf.grad for leaf in leaves])
    torch.testing.assert_close(*found, rtol=1e-4, atol=1e-4)


def test_gradients_of_rows_that_see_nothing():
    mask = torch.tensor([[True, False], [False, False]])

    def function(q):
        return functional.scaled_dot_product_attention(q, q, q, attn_mask=mask)

    q = torch.linspace(-1, 1, 16).reshape(1, 2, 2, 4)
    found = []
    for f in (function, compile(function)):
        leaf = q.clone().requires_grad_()
        f(leaf).square().sum().backward()
        found.append(leaf.grad)
    torch.testing.assert_close(*found, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("heads", [1, 2, 4])
def test_attention_of_shared_keys(heads):
    """Of 4 heads of queries, several share one of keys and values."""

    def function(q, k, v):
        return functional.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)

    shapes = [(2, 4, 5, 8), (2, heads, 5, 8), (2, heads, 5, 8)]
    inputs = [torch.randn(shape) for shape in shapes]
    gradients = []
    for f in (function, compile(function)):
        leaves = [x.clone().requires_grad_() for x in inputs]
        f(*leaves).square().sum().backward()
        gradients.append([x.grad for x in leaves])
    torch.testing.assert_close(*gradients, rtol=1e-4, atol=1e-4)


def test_operation_that_fails(monkeypatch):
    """A fault of the table is an error with the option strict, else PyTorch runs the graph."""
    wrong = {
        "aten.sin.default": lambda x: x.reshape(7),
        "aten.cos.default": lambda x: x[:1],
        "aten.tan.default": lambda x: x.reshape(1 // 0),
    }
    monkeypatch.setattr(torch_backend, "OPERATIONS", torch_backend.OPERATIONS | wrong)
    x = torch.arange(3.0)
    for function, error, message in (
        (torch.sin, ValueError, "reshape"),
        (torch.cos, ValueError, r"has the shape \[1\], not"),
        (torch.tan, ZeroDivisionError, "division"),
    ):
        with pytest.raises(error, match=message):
            compile(lambda x, f=function: f(x) + 1)(x)
        torch._dynamo.reset()
        compiled = torch.compile(lambda x, f=function: f(x) + 1, backend="tinygrad_mlir")
        warnings.filterwarnings("always", message="tinygrad_mlir does not compile")
        with pytest.warns(UserWarning, match=f"a graph .*{message}"):
            torch.testing.assert_close(compiled(x), function(x) + 1)
        torch.testing.assert_close(compiled(x), function(x) + 1)


def test_kernels_are_of_this_package():
    compiled = compile(lambda x: (x * 2 + 1).sum(0))
    x = torch.randn(3, 4)
    for _ in range(4):
        before = GlobalCounters.kernel_count
        compiled(x)
        assert GlobalCounters.kernel_count == before + 1


def test_memory_is_shared():
    """Inputs are read where they are, and results stay what they are."""
    compiled = compile(lambda x: x + 1)
    x = torch.zeros(3)
    results = []
    for i in range(4):
        x.fill_(i)
        results.append(compiled(x))
    assert [result[0].item() for result in results] == [1, 2, 3, 4]


def test_inputs_that_share_memory_or_are_changed():
    def function(x, y):
        x.add_(1)
        return x * y, x

    for given in (lambda x: (x, x[1:3]), lambda x: (x[:2], x[2:])):
        own, other = torch.arange(4.0), torch.arange(4.0)
        compiled = compile(lambda x, y: (x[:2] * y, x[0]))
        for _ in range(3):
            found, expected = compiled(*given(own)), given(other)
            torch.testing.assert_close(found[0], expected[0][:2] * expected[1])
    x, y = torch.arange(3.0), torch.ones(3)
    compiled = compile(function)
    for i in range(4):
        result, changed = compiled(x, y)
        assert changed is x and x.tolist() == result.tolist() == [i + 1, i + 2, i + 3]


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: (y.add_(1), x * 1),
        lambda x, y: (y.mul_(2), y * 1, x + 1),
        lambda x, y: y.mul_(2).reshape(2, 2).t()[1],
    ],
)
def test_results_that_are_parts_of_changed_inputs(function):
    found = []
    for f in (function, compile(function)):
        memory = torch.arange(8.0)
        found.append((f(memory, memory[2:6]), memory))
    torch.testing.assert_close(*found)


@pytest.mark.parametrize(
    "function",
    [
        lambda y, k: y.mul_(2)[k:],
        lambda y, k: y.mul_(2)[y.shape[0] // 2 :],
        lambda y, k: (y.add_(1)[k:, k:], y + 1),
    ],
)
@pytest.mark.parametrize("reads_all", [False, True])
def test_parts_of_changed_inputs_by_sizes(function, reads_all):
    def call(x, y, k):
        return (x * 1 if reads_all else None, function(y, k))

    # PyTorch makes arguments in one memory parts of one argument, by as_strided.
    warnings.filterwarnings("ignore", message=".*aten.as_strided.default with sizes that change")
    compiled = torch.compile(
        call, backend="tinygrad_mlir", dynamic=True, options={"strict": not reads_all}
    )
    for rows, k in ((3, 1), (5, 2), (3, 2)):
        found = []
        for f in (call, compiled):
            memory = torch.arange(60.0)
            found.append((f(memory, memory[3 : 3 + 4 * rows].reshape(rows, 4), k), memory))
        torch.testing.assert_close(*found)


def test_empty_part_of_changed_input():
    def function(y):
        return y.add_(1), y[0:0, 1:2]

    found = [(f(y), y) for f in (function, compile(function)) for y in [torch.ones(4, 5)]]
    torch.testing.assert_close(*found)


def test_results_that_are_inputs_or_nothing():
    x = torch.randn(2, 3)
    compiled = compile(lambda x: (x, x.T, x + 1, 5, None))
    for _ in range(3):
        same, turned, more, number, nothing = compiled(x)
        assert same is x and number == 5 and nothing is None
        torch.testing.assert_close(turned, x.T)
        torch.testing.assert_close(more, x + 1)


@pytest.mark.parametrize("dynamic", [None, True, False])
def test_other_sizes(dynamic):
    function = torch.compile(
        lambda x: (x.reshape(-1, 2) * x.shape[0]).sum(1),
        backend="tinygrad_mlir",
        dynamic=dynamic,
        options={"strict": True},
    )
    for count in (2, 4, 6, 4, 2, 6, 4):
        x = torch.randn(count, 4)
        torch.testing.assert_close(function(x), (x.reshape(-1, 2) * count).sum(1))


def test_dropout():
    Tensor.manual_seed(3)
    compiled = compile(lambda x: functional.dropout(x, 0.25))
    x = torch.ones(100, 100)
    results = [compiled(x) for _ in range(4)]
    assert abs((results[3] > 0).float().mean().item() - 0.75) < 0.02
    torch.testing.assert_close(results[3].max().item(), 4 / 3)
    assert not torch.equal(results[2], results[3])


def test_what_is_not_supported():
    def function(x):
        return torch.linalg.inv(x) + 1

    x = torch.eye(3) * 2
    with pytest.raises(Exception, match=r"does not compile the operation aten.linalg_inv_ex"):
        compile(function)(x)
    compiled = torch.compile(function, backend="tinygrad_mlir")
    warnings.filterwarnings("always", message="tinygrad_mlir does not compile")
    with pytest.warns(UserWarning, match="operation aten.linalg_inv_ex.* PyTorch runs") as seen:
        for _ in range(3):
            torch.testing.assert_close(compiled(x), torch.linalg.inv(x) + 1)
        torch.testing.assert_close(
            torch.compile(lambda x: torch.linalg.inv(x) * 2, backend="tinygrad_mlir")(x),
            torch.eye(3),
        )
    assert len([w for w in seen if "aten.linalg_inv_ex" in str(w.message)]) == 1

    def replace(x):
        return x.index_put((x[0] > 1, torch.tensor(1)), torch.tensor(5.0))

    with pytest.raises(Exception, match="aten.index_put.default with a mask among other indices"):
        compile(replace)(x)
    torch.testing.assert_close(torch.compile(replace, backend="tinygrad_mlir")(x), replace(x))

    def take_maxima(x):
        return functional.embedding_bag(torch.tensor([[0, 1]]), x, mode="max")

    with pytest.raises(Exception, match="aten._embedding_bag.* of maxima"):
        compile(take_maxima)(x)
    with pytest.raises(Exception, match="aten.polygamma.default with n = 2"):
        compile(lambda x: torch.polygamma(2, x))(x)

    def average(x):
        return functional.avg_pool2d(x[None], 2, 2, ceil_mode=True, divisor_override=3)

    with pytest.raises(Exception, match="avg_pool2d.default with ceil_mode and a divisor"):
        compile(average)(x)
    torch.testing.assert_close(torch.compile(average, backend="tinygrad_mlir")(x), average(x))
    with pytest.raises(Exception, match="a tensor of torch.complex64"):
        compile(lambda x: x * 2)(torch.zeros(2, dtype=torch.complex64))
    with pytest.raises(Exception, match=r"options \['fast'\] are unknown"):
        compile(lambda x: x * 2, fast=True)(x)
