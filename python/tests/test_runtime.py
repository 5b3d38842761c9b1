"""Settings, counters, devices, helpers, gradients of functions."""

import io
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
from tinygrad_mlir import (
    Context,
    ContextVar,
    Device,
    GlobalCounters,
    Tensor,
    Variable,
    dtypes,
    function,
    getenv,
    helpers,
)
from tinygrad_mlir._core import DeviceError, Error
from tinygrad_mlir.helpers import DEBUG, JIT


def test_context():
    assert JIT.value == 1 and JIT and JIT == 1 and JIT >= 1 and not JIT > 1
    with Context(JIT=0, BEAM=3):
        assert not JIT and helpers.BEAM == 3
        with Context(JIT=2):
            assert JIT > 1
        assert JIT == 0
    assert JIT == 1 and helpers.BEAM == 0
    with pytest.raises(KeyError, match="NOSUCH"):
        with Context(JIT=0, NOSUCH=1):
            pass
    assert JIT == 1
    with pytest.raises(Error, match="SPEC=99 is out of range"):
        with Context(JIT=0, SPEC=99):
            pass
    assert JIT == 1 and helpers.SPEC == 0


def test_settings_of_the_other_compiler():
    """Programs that set them run; they change nothing."""
    with helpers.Context(IGNORE_BEAM_CACHE=1, IGNORE_OOB=1, TRACK_MATCH_STATS=0, USE_ATOMICS=1):
        assert helpers.IGNORE_OOB == 1
        assert Tensor([1, 2]).sum().item() == 3
    assert not helpers.IGNORE_OOB


def test_context_is_a_decorator():
    @Context(JIT=0)
    def inside(depth):
        assert JIT == 0
        if depth:
            inside(depth - 1)

    inside(2)
    assert JIT == 1


def test_context_ends_with_an_exception():
    with pytest.raises(ZeroDivisionError), Context(JIT=0):
        raise ZeroDivisionError
    assert JIT == 1


def test_training():
    assert not Tensor.training
    with Context(TRAINING=1):
        assert Tensor.training and helpers.TRAINING
        with Context(TRAINING=0):
            assert not Tensor.training
    assert not Tensor.training


def test_training_of_the_environment():
    program = "from tinygrad_mlir import Tensor; assert Tensor.training"
    environment = os.environ | {"TRAINING": "1"}
    subprocess.run([sys.executable, "-c", program], check=True, env=environment)


def test_debug_reaches_the_library():
    program = (
        "from tinygrad_mlir import Tensor, Context\n"
        "x = Tensor([1.0, 2.0]).realize()\n"
        "(x * 3).realize()\n"
        "with Context(DEBUG=2): (x * 2).realize()\n"
        "(x + 3).realize()\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert ran.stderr.count("*** CPU") == 1 and "<string>:4" in ran.stderr
    assert DEBUG == 0


def test_own_variables(monkeypatch):
    monkeypatch.setenv("TINYGRAD_TEST_SETTING", "7")
    variable = ContextVar("TINYGRAD_TEST_SETTING", 3)
    assert variable == 7 and int(variable) == 7
    with Context(TINYGRAD_TEST_SETTING=8):
        assert variable == 8
    with pytest.raises(RuntimeError, match="already"):
        ContextVar("TINYGRAD_TEST_SETTING", 3)


def test_words_of_a_setting():
    variable = ContextVar("TINYGRAD_TEST_WORDS", "int8,,float")
    assert variable.tolist() == ["int8", "float"]
    assert variable.tolist(dtypes) == [dtypes.int8, dtypes.float32]
    with pytest.raises(AssertionError, match="DEBUG is 0, which is no text"):
        DEBUG.tolist()


@pytest.mark.parametrize("name", ["DEVECTORIZE", "SPLIT_REDUCEOP", "TRANSCENDENTAL", "CPU_LLVM"])
def test_settings_of_tinygrads_compiler_change_nothing(name):
    with Context(**{name: 0}):
        assert Tensor([1, 2]).sum().item() == 3


def test_getenv(monkeypatch):
    monkeypatch.setenv("TINYGRAD_TEST_NUMBER", "12")
    assert getenv("TINYGRAD_TEST_NUMBER") == 12
    assert getenv("TINYGRAD_TEST_NUMBER", 1.0) == 12.0
    assert getenv("TINYGRAD_TEST_NUMBER", "x") == "12"
    assert getenv("TINYGRAD_TEST_MISSING") == 0 and getenv("TINYGRAD_TEST_MISSING", "x") == "x"


def test_counters():
    x = Tensor([1.0, 2.0, 3.0]).realize()
    GlobalCounters.reset()
    assert GlobalCounters.kernel_count == GlobalCounters.global_ops == 0
    (x + 1).realize()
    assert GlobalCounters.kernel_count == 1
    assert GlobalCounters.global_ops >= 3 and GlobalCounters.global_mem >= 24
    before = GlobalCounters.mem_used
    kept = Tensor.zeros(1000).contiguous().realize()
    assert GlobalCounters.mem_used - before >= 4000 and kept.shape == (1000,)
    GlobalCounters.kernel_count = 5
    assert GlobalCounters.kernel_count == 5
    assert isinstance(GlobalCounters.time_sum_s, float)
    with pytest.raises(AttributeError, match="no_such"):
        GlobalCounters.no_such


def test_devices():
    assert Device.canonicalize("cpu:0") == "CPU" and Device.canonicalize(None) == Device.DEFAULT
    assert "CPU" in list(Device.get_available_devices())
    assert Device["cpu"].device == "CPU" and Device.default.device == Device.DEFAULT
    Device["CPU"].synchronize()
    with pytest.raises(DeviceError, match="NOSUCH"):
        Device["nosuch"]
    before = Device.DEFAULT
    with Context(DEV="SIM"):
        assert Device.DEFAULT == "SIM" and Tensor([1.0]).device == "SIM"
        assert (Tensor([1.0]) + 1).item() == 2
    assert Device.DEFAULT == before and Tensor([1.0]).device == before


def test_default_device_can_be_set():
    program = (
        "from tinygrad_mlir import Device, Tensor\n"
        "Device.DEFAULT = 'sim'\n"
        "assert Device.DEFAULT == 'SIM' and Tensor([1]).device == 'SIM'\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_variables():
    n = Variable("n", 1, 10)
    assert (n.min, n.max, n.vmin, n.vmax, n.expr) == (1, 10, 1, 10, "n")
    three = n.bind(3)
    assert three.val == 3 and three.unbind() == (n, 3)
    assert (three * 2 + 1).val == 7 and (n + 1).vmax == 11
    with pytest.raises(ValueError, match="11"):
        n.bind(11)
    with pytest.raises(ValueError):
        Variable("m", 3, 2)
    with pytest.raises(AssertionError, match="n"):
        n.unbind()
    assert n < 11 and n <= 10 and not n > 10 and n >= 1 and not n < 1 and 11 > n
    assert n + 1 > n and not n * 2 < n
    with pytest.raises(ValueError, match="n <= 5 depends"):
        n <= 5
    assert three.val <= 5


def test_small_helpers():
    assert helpers.prod([2, 3, 4]) == 24 and helpers.prod([]) == 1
    assert helpers.argfix(1, 2) == (1, 2) and helpers.argfix([1, 2]) == (1, 2)
    with pytest.raises(ValueError, match="bad arg"):
        helpers.argfix([1], 2)
    assert helpers.flatten([[1], [2, 3]]) == [1, 2, 3]
    assert helpers.fully_flatten([[1, [2]], "ab", np.array(3)]) == [1, 2, "ab", 3]
    assert helpers.dedup([2, 1, 2]) == [2, 1] and helpers.argsort((3, 1, 2)) == (1, 2, 0)
    assert helpers.round_up(5, 4) == 8 and helpers.round_down(-5, 4) == -8
    assert helpers.ceildiv(-5, 4) == -1 and helpers.next_power2(5) == 8
    assert helpers.make_tuple(3, 2) == (3, 3) and helpers.make_tuple([1, 2], 2) == (1, 2)
    assert helpers.strides_for_shape((2, 1, 3)) == (3, 0, 1)
    assert helpers.get_shape([[1, 2, 3], [4, 5, 6]]) == (2, 3)
    with pytest.raises(ValueError, match="inhomogeneous"):
        helpers.get_shape([[1], [2, 3]])
    assert helpers.merge_dicts([{"a": 1}, {"b": 2, "a": 1}]) == {"a": 1, "b": 2}
    with pytest.raises(RuntimeError, match="'a'"):
        helpers.merge_dicts([{"a": 1}, {"a": 2}])
    assert helpers.partition([1, 2, 3], lambda x: x > 1) == ([2, 3], [1])
    assert helpers.size_to_str(1536) == "1.50 KB"
    assert helpers.colored("x", "red") == "\x1b[31mx\x1b[0m"
    assert helpers.ansilen(helpers.colored("abc", "RED", background=True)) == 3


def test_arithmetic_helpers():
    pairs = [(x, y) for x in range(-9, 10) for y in range(-4, 5)]
    for x, y in pairs:
        assert helpers.cdiv(x, y) == (int(x / y) if y else 0)
        assert helpers.cmod(x, y) == (int(np.fmod(x, y)) if y else x)
        assert helpers.floordiv(x, y) == (x // y if y else 0)
        assert helpers.floormod(x, y) == (x % y if y else x)
    assert helpers.getbits(0b11010110, 3, 5) == 0b010 and helpers.getbits(256, 8, 8) == 1
    assert helpers.i2u(8, -1) == 255 and helpers.polyN(3.0, [1.0, -2.0, 1.0]) == 4
    counter = helpers.count(1, 2)
    assert next(counter) == 1 and next(pickle.loads(pickle.dumps(counter))) == 3


def test_text_helpers():
    for text, expected in [
        ("(1+2)", "1+2"),
        ("(1+(2+3))", "1+(2+3)"),
        ("(int)(1+2)", "(int)(1+2)"),
        ("(abc", "(abc"),
        ("", ""),
    ]:
        assert helpers.strip_parens(text) == expected
    assert helpers.word_wrap("x" * 25, 10) == "x" * 10 + "\n" + "x" * 10 + "\n" + "x" * 5
    red = helpers.word_wrap(helpers.colored("x" * 20, "red"), 10)
    assert len(red.splitlines()) == 2 and helpers.ansistrip(red) == "x" * 10 + "\n" + "x" * 10
    assert helpers.ansipad("ab", 4) == "ab  " and helpers.time_to_str(10) == "10000.00ms"
    assert helpers.time_to_str(10.01, w=6) == " 10.01s " and helpers.time_to_str(0) == "    0.00us"


def test_memory_helpers():
    base = memoryview(bytearray(b"abcd"))
    array = helpers.from_mv(base)
    helpers.to_mv(helpers.mv_address(base), 4)[0] = ord("z")
    assert array[0] == b"z" and bytes(base) == b"zbcd"
    assert helpers.is_numpy_ndarray(np.zeros(1)) and not helpers.is_numpy_ndarray(np.float32(1))
    assert helpers.get_child({"a": [1, {"b": 2}]}, "a.1.b") == 2


def test_nothing_is_downloaded():
    assert str(helpers.fetch("/some/file")) == "/some/file"
    with pytest.raises(RuntimeError, match="downloads nothing"):
        helpers.fetch("https://example.org/weights")


def test_progress(monkeypatch, capsys):
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    assert list(helpers.trange(3, desc="count")) == [0, 1, 2]
    text = stream.getvalue()
    assert "count: " in text and "3/3" in text and text.endswith("\n")
    assert list(helpers.tqdm([1], disable=True)) == [1]
    bar = helpers.tqdm(total=2000, unit="B", unit_scale=True)
    bar.update(1000, close=True)
    assert "1k/2k" in stream.getvalue()
    with helpers.Timing("took ", lambda ns: f", {ns > 0}"):
        pass
    assert "took " in capsys.readouterr().out


def test_gradients_of_functions():
    @function(grad_fxn=lambda gradient, x, y: (gradient * y * 10, None))
    def multiply(x, y):
        return x * y

    x, y = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])
    multiply(x, y).sum().backward()
    assert x.grad.tolist() == [30, 40] and (y.grad is None or y.grad.tolist() == [0, 0])

    @function
    def plain(x):
        return x * x

    x = Tensor([3.0])
    assert plain(x).sum().gradient(x)[0].tolist() == [6]


def test_gradients_of_functions_errors():
    x = Tensor([1.0])
    for gradient, error, message in [
        (lambda g: (g, g), ValueError, "2 gradients, but there are 1 inputs"),
        (lambda g: 3.0, TypeError, "float"),
        (lambda g: [3.0], TypeError, "input 0 is of type float"),
        (lambda g: 1 / 0, ZeroDivisionError, "division"),
    ]:
        with pytest.raises(error, match=message):
            (x * 2).with_gradient([x], gradient).sum().gradient(x)
    pair = function(lambda x: (x, x), grad_fxn=lambda g, x: g)
    with pytest.raises(TypeError, match="one Tensor"):
        pair(x)
