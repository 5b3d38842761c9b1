"""Messages for arguments of wrong types, numbers and names."""

import re

import pytest

from tinygrad_mlir import Tensor, Variable, _arguments, _core
from tinygrad_mlir.nn import state

x = Tensor([1.0, 2.0])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: x.sum(keepdim="a"), "sum(): argument 'keepdim' must be bool, not a str"),
        (lambda: x.abs(3), "abs() takes no arguments, but 1 was given: it has no parameters"),
        (lambda: x.masked_fill(3, 4), "masked_fill(): argument 'mask' must be Tensor, not an int"),
        (lambda: x.masked_fill(x), "masked_fill() needs the argument 'value'"),
        (lambda: x.clamp(mn=1), "did you mean 'min_'? Its parameters are min_, max_"),
        (lambda: x.clamp(zz=1), "clamp() has no parameter 'zz': its parameters are min_, max_"),
        (lambda: x.clamp(1, min_=1), "clamp() got the argument 'min_' twice"),
        (lambda: x.clamp(1, 2, 3), "clamp() takes at most 2 arguments, but 3 were given"),
        (lambda: Tensor(1, None, None, None, 5), "Tensor() takes at most 4 arguments"),
        (lambda: Tensor(1, dvice="CPU"), "has no parameter 'dvice': did you mean 'device'?"),
        (lambda: x.backward("loss"), "backward(): argument 'gradient' must be Tensor or None"),
        (lambda: _core.realize(3), "realize(): argument 'tensors' must be a sequence of Tensor"),
        (lambda: x.transpose("a", 1), "transpose(): argument 'dim0' must be int, not a str"),
        (lambda: x @ "a", "@: the other operand must be Tensor, not a str"),
        (lambda: Variable("n", 1), "Variable() needs the argument"),
    ],
)
def test_message(call, message):
    with pytest.raises(TypeError, match=re.escape(message)) as error:
        call()
    assert "\n" not in str(error.value)
    assert "incompatible" not in str(error.value)


@pytest.mark.parametrize(
    "call",
    [
        lambda self: Tensor.assign(self, x),
        lambda self: Tensor.replace(self, x),
        lambda self: Tensor.requires_grad_(self),
        lambda self: Tensor.backward(self),
        lambda self: Tensor.realize(self),
        lambda self: Tensor.shard_(self, ("CPU", "CPU:1")),
        lambda self: Tensor.shard_like(self, x),
        lambda self: Tensor.to(self, "CPU"),
        lambda self: Tensor.to_(self, "CPU"),
        lambda self: Tensor.cast(self, "int32"),
        lambda self: Tensor.float(self),
        lambda self: Tensor.reshape(self, 1),
        lambda self: Tensor.permute(self, 0),
        lambda self: Tensor.flatten(self),
        lambda self: Tensor.pad(self, (1, 1)),
        lambda self: Tensor.__getitem__(self, 0),
        lambda self: Tensor.__iadd__(self, x),
        lambda self: Tensor.__imatmul__(self, x),
        lambda self: Tensor.uop.__get__(self),
    ],
)
def test_methods_of_what_is_no_tensor(call):
    for self in (3, [1.0, 2.0], "a"):
        with pytest.raises(TypeError):
            call(self)


def test_names_of_tensors_are_strings():
    with pytest.raises(TypeError):
        state.safe_save({1: x}, "no.safetensors")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: x.realize(None), "realize: a tensor is needed, not an object of type NoneType"),
        (lambda: Tensor.realize(x, 3), "realize: a tensor is needed, not an object of type int"),
        (lambda: x.sum().gradient(3), "gradient: a tensor is needed"),
        (lambda: x.sum().gradient([x, None]), "gradient: a tensor is needed"),
        (lambda: x.sum().gradient(x, gradient=3), "gradient: a tensor is needed"),
        (lambda: Tensor.einsum("i->i", [3]), "einsum: a tensor is needed"),
        (lambda: Tensor.cat([x, None]), "cat: a tensor is needed"),
        (lambda: Tensor.stack([x, 3]), "stack: a tensor is needed"),
        (lambda: Tensor.rand(2, device=[3]), "a device is a name"),
        (lambda: Tensor.uniform(2, low="a"), "a number is needed"),
        (lambda: Tensor.normal(2, std=x), "a number is needed"),
    ],
)
def test_objects_among_tensors_and_numbers(call, message):
    with pytest.raises(TypeError, match=re.escape(message)):
        call()


def test_keywords_that_are_not_strings_or_bools():
    with pytest.raises(ValueError, match='not "3"'):
        x.meshgrid(x, indexing=3)
    assert not Tensor.rand(2, requires_grad=None).requires_grad
    assert Tensor.rand(2, requires_grad=1).requires_grad


def test_errors_of_functions_keep_their_text():
    def gradient(_):
        raise TypeError("my own text")

    with pytest.raises(TypeError, match="my own text"):
        x.with_gradient([x], gradient).sum().gradient(x)


def test_all_signatures_are_read():
    """What has no arguments of any kind and number can be explained."""
    functions = [f for f in vars(Tensor).values() if hasattr(f, "__nb_signature__")]
    read = [
        _arguments.read_signature(signature)
        for function in functions
        for signature, *_ in function.__nb_signature__
        if "*" not in signature
    ]
    assert len(read) > 150
    assert all(read)
    assert all(p.types for _, parameters in read for p in parameters)
