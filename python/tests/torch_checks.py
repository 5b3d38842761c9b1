"""What the tests of the backend of torch.compile have in common."""

import warnings

import pytest
import torch
from tinygrad_mlir import torch_backend


@pytest.fixture(autouse=True)
def no_warnings():
    """A fallback to PyTorch would hide what is not compiled."""
    torch._dynamo.reset()
    torch_backend._warn.cache_clear()
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message="tinygrad_mlir does not compile")
        yield


def compile(function, **options):
    return torch.compile(function, backend="tinygrad_mlir", options={"strict": True, **options})


def strides(x):
    """Those that matter."""
    return [stride for stride, size in zip(x.stride(), x.shape) if size > 1 and x.numel()]


def check(function, *inputs, tolerance=1e-5):
    """Three calls: the first, the one that is captured, and a replay."""
    compiled = compile(function)
    expected = function(*inputs)
    for _ in range(3):
        with torch.no_grad():
            found = compiled(*inputs)
        torch.testing.assert_close(found, expected, rtol=tolerance, atol=tolerance, equal_nan=True)
        flat = found if isinstance(found, tuple) else (found,)
        wanted = expected if isinstance(expected, tuple) else (expected,)
        assert [strides(x) for x in flat] == [strides(x) for x in wanted]


F = torch.linspace(-2.5, 2.5, 24).reshape(2, 3, 4)
P = F.abs() + 0.1
I = torch.arange(24).reshape(2, 3, 4) - 5
B = I % 3 == 0
V = torch.linspace(-1, 2, 96).sin().reshape(1, 2, 3, 4, 4)
W = torch.linspace(-1, 1, 96).cos().reshape(4, 2, 3, 2, 2)
ONE = torch.tensor(1.5)
SPECIAL = torch.tensor([0.0, -0.0, 2.0, -3.0, float("inf"), -float("inf"), float("nan")])
