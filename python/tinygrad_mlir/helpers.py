"""Settings, counters, and small functions that programs share."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import gc
import importlib
import itertools
import math
import operator
import os
import pathlib
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, ClassVar, Generic, TypeVar, cast

from tinygrad_mlir import _core
from tinygrad_mlir._core import Tensor

T = TypeVar("T")

OSX = sys.platform == "darwin"
WIN = sys.platform == "win32"


# Settings


@functools.cache
def getenv(key: str, default: Any = 0) -> Any:
    """A variable of the environment as a value of the default's type; read once."""
    return type(default)(os.getenv(key, default))


class ContextVar(Generic[T]):
    """A setting: its value is that of the environment until `value` is set.

    Comparisons and truth are those of the value. Settings of the library (see `LIBRARY`) hold for
    the thread that sets them.
    """

    _cache: ClassVar[dict[str, ContextVar[Any]]] = {}
    #: Settings that the compiled library reads.
    LIBRARY: ClassVar[frozenset[str]] = frozenset(
        "DEV DEBUG NOOPT ALLOW_TF32 FTZ SPEC FALLBACK LRU PROFILE CACHELEVEL CACHESIZE".split()
    )

    def __init__(self, key: str, default_value: T) -> None:
        if key in ContextVar._cache:
            raise RuntimeError(f"there already is a ContextVar called {key}")
        self.key = key
        self._value: T = getenv(key, default_value)
        ContextVar._cache[key] = self

    @property
    def value(self) -> T:
        return self._value

    @value.setter
    def value(self, value: T) -> None:
        if self.key in ContextVar.LIBRARY:
            unset = isinstance(value, str) and not value
            _core.set_setting(self.key, None if unset else value)
        self._value = value

    def tolist(self, obj: object = None) -> list[Any]:
        """The words of the value between commas, or the attributes of `obj` of these names.

        Raises AssertionError if the value is no text.
        """
        assert isinstance(self.value, str), f"{self.key} is {self.value!r}, which is no text"
        words = [word for word in self.value.split(",") if word]
        return [getattr(obj, word) for word in words] if obj else words

    def __bool__(self) -> bool:
        return bool(self.value)

    def __int__(self) -> int:
        return int(cast(Any, self.value))

    def __eq__(self, other: object) -> bool:
        return bool(self.value == other)

    def __hash__(self) -> int:
        return hash(self.key)

    def __ge__(self, other: Any) -> bool:
        return bool(self.value >= other)

    def __gt__(self, other: Any) -> bool:
        return bool(self.value > other)

    def __le__(self, other: Any) -> bool:
        return bool(self.value <= other)

    def __lt__(self, other: Any) -> bool:
        return bool(self.value < other)

    def __repr__(self) -> str:
        return f"ContextVar({self.key}={self.value!r})"


class _Training(ContextVar[int]):
    """Tensor.training, as a setting."""

    def __init__(self, key: str, default_value: int) -> None:
        super().__init__(key, default_value)
        if self._value:
            self.value = self._value

    @property
    def value(self) -> int:
        return int(Tensor.training)

    @value.setter
    def value(self, value: int) -> None:
        Tensor.training = bool(value)


class _DefaultType(ContextVar[str]):
    """dtypes.default_float or dtypes.default_int, by its name, as a setting."""

    @property
    def value(self) -> str:
        from tinygrad_mlir.dtype import dtypes, sized_name

        return sized_name(
            dtypes.default_float if self.key == "DEFAULT_FLOAT" else dtypes.default_int
        )

    @value.setter
    def value(self, value: str) -> None:
        from tinygrad_mlir.dtype import dtypes

        if self.key == "DEFAULT_FLOAT":
            dtypes.default_float = value
        else:
            dtypes.default_int = value


class Context(contextlib.ContextDecorator):
    """Sets settings for a block or, as a decorator, for the calls of a function.

    Raises KeyError for names that are no settings; Error for values out of range.
    """

    def __init__(self, **kwargs: Any) -> None:
        self.kwargs = kwargs
        self._old: list[dict[str, Any]] = []

    def _recreate_cm(self) -> Context:
        """Calls of a decorated function may be made by several threads."""
        return Context(**self.kwargs)

    def __enter__(self) -> None:
        for key in self.kwargs:
            if key not in ContextVar._cache:
                raise KeyError(key)
        old: dict[str, Any] = {}
        try:
            for key, value in self.kwargs.items():
                variable = ContextVar._cache[key]
                before = variable.value
                variable.value = value
                old[key] = before
        except BaseException:
            self._restore(old)
            raise
        self._old.append(old)

    def __exit__(self, *exception: object) -> None:
        self._restore(self._old.pop())

    @staticmethod
    def _restore(old: dict[str, Any]) -> None:
        for key, value in old.items():
            ContextVar._cache[key].value = value


DEV: ContextVar[str] = ContextVar("DEV", "")
DEBUG = ContextVar("DEBUG", 0)
NOOPT = ContextVar("NOOPT", 0)
ALLOW_TF32 = ContextVar("ALLOW_TF32", 0)
FTZ = ContextVar("FTZ", 0)
SPEC = ContextVar("SPEC", 0)
FALLBACK = ContextVar("FALLBACK", 1)
LRU = ContextVar("LRU", 1)
PROFILE = ContextVar("PROFILE", 0)
CACHELEVEL = ContextVar("CACHELEVEL", 2)
CACHESIZE = ContextVar("CACHESIZE", 1024)
TRAINING = _Training("TRAINING", 0)
JIT = ContextVar("JIT", 1)
NO_COLOR = ContextVar("NO_COLOR", 0)
#: Whether an optimizer updates all its parameters as one vector.
FUSE_OPTIM = ContextVar("FUSE_OPTIM", 0)
# Settings of tinygrad's compiler, which programs set; they change nothing here.
BEAM = ContextVar("BEAM", 0)
WINO = ContextVar("WINO", 0)
IMAGE = ContextVar("IMAGE", 0)
FLOAT16 = ContextVar("FLOAT16", 0)
TC = ContextVar("TC", 1)
TC_OPT = ContextVar("TC_OPT", 0)
CAPTURING = ContextVar("CAPTURING", 1)
TRACEMETA = ContextVar("TRACEMETA", 1)
JIT_BATCH_SIZE = ContextVar("JIT_BATCH_SIZE", 32)
SPLIT_REDUCEOP = ContextVar("SPLIT_REDUCEOP", 1)
NO_MEMORY_PLANNER = ContextVar("NO_MEMORY_PLANNER", 0)
TRANSCENDENTAL = ContextVar("TRANSCENDENTAL", 1)
NOLOCALS = ContextVar("NOLOCALS", 0)
RING = ContextVar("RING", 1)
VIZ = ContextVar("VIZ", 0)
SCACHE = ContextVar("SCACHE", 1)
CCACHE = ContextVar("CCACHE", 1)
TC_SELECT = ContextVar("TC_SELECT", -1)
USE_TC = TC
OPENPILOT_HACKS = ContextVar("OPENPILOT_HACKS", 0)
ALL2ALL = ContextVar("ALL2ALL", 0)
ALLREDUCE_CAST = ContextVar("ALLREDUCE_CAST", 1)
IGNORE_BEAM_CACHE = ContextVar("IGNORE_BEAM_CACHE", 0)
IGNORE_OOB = ContextVar("IGNORE_OOB", 0)
CHECK_OOB = ContextVar("CHECK_OOB", 0)
VALIDATE_WITH_CPU = ContextVar("VALIDATE_WITH_CPU", 0)
DISABLE_FAST_IDIV = ContextVar("DISABLE_FAST_IDIV", 1)
ALLOW_DEVICE_USAGE = ContextVar("ALLOW_DEVICE_USAGE", 1)
MAX_BUFFER_SIZE = ContextVar("MAX_BUFFER_SIZE", 0)
MAX_KERNEL_BUFFERS = ContextVar("MAX_KERNEL_BUFFERS", 0)
EMULATED_DTYPES = ContextVar("EMULATED_DTYPES", "")
CAPTURE_PROCESS_REPLAY = ContextVar("CAPTURE_PROCESS_REPLAY", 0)
NUM_CPU_THREADS = ContextVar("NUM_CPU_THREADS", os.cpu_count() or 1)
NULL_ALLOW_COPYOUT = ContextVar("NULL_ALLOW_COPYOUT", 0)
PARALLEL = ContextVar("PARALLEL", 0)
PCONTIG = ContextVar("PCONTIG", 0)
DEBUG_RANGEIFY = ContextVar("DEBUG_RANGEIFY", 0)
TUPLE_ORDER = ContextVar("TUPLE_ORDER", 1)
TRACK_MATCH_STATS = ContextVar("TRACK_MATCH_STATS", 0)
USE_ATOMICS = ContextVar("USE_ATOMICS", 0)
DISALLOW_BROADCAST = ContextVar("DISALLOW_BROADCAST", 0)
REWRITE_STACK_LIMIT = ContextVar("REWRITE_STACK_LIMIT", 250000)
# Of versions before 0.14.
DEVECTORIZE = ContextVar("DEVECTORIZE", 1)
CORRECT_DIVMOD_FOLDING = ContextVar("CORRECT_DIVMOD_FOLDING", 0)
AMX = ContextVar("AMX", 0)
EMULATE = ContextVar("EMULATE", "")
CPU_COUNT = ContextVar("CPU_COUNT", os.cpu_count() or 1)
CPU_LLVM = ContextVar("CPU_LLVM", 0)
AMD_LLVM = ContextVar("AMD_LLVM", 0)
#: The names of dtypes.default_float and dtypes.default_int.
DEFAULT_FLOAT = _DefaultType("DEFAULT_FLOAT", "float32")
DEFAULT_INT = _DefaultType("DEFAULT_INT", "int32")
#: Whether the program runs in continuous integration.
CI = os.getenv("CI", "") != ""


# Counters


class _Counters(type):
    """Attributes that the compiled library counts."""

    def __getattr__(cls, name: str) -> int | float:
        value: int | float = _core.read_counter(name)
        return value

    def __setattr__(cls, name: str, value: float) -> None:
        _core.set_counter(name, value)


class GlobalCounters(metaclass=_Counters):
    """What this process has run: each attribute may be read and set.

    kernel_count, global_ops, global_mem: kernels and copies, and estimates of their arithmetic
    operations and of the bytes that they move. time_sum_s: seconds of kernels, with DEBUG >= 2.
    mem_used, mem_peak: bytes of buffers. kernels_compiled: of those not found in a cache.
    """

    @staticmethod
    def reset() -> None:
        """Sets all of them to zero, except mem_used."""
        _core.reset_counters()


# Small functions


def prod(x: Iterable[Any]) -> Any:
    """The product; 1 of nothing."""
    return functools.reduce(operator.mul, x, 1)


def dedup(x: Iterable[T]) -> list[T]:
    """The elements without repetitions, in order."""
    return list(dict.fromkeys(x))


def argfix(*x: Any) -> tuple[Any, ...]:
    """The arguments, or the elements of the only one if that is a tuple or list."""
    if not x or not isinstance(x[0], (tuple, list)):
        return x
    if len(x) != 1:
        raise ValueError(f"bad arg {x}: expected one sequence, or numbers")
    return tuple(x[0])


def argsort(x: Any) -> Any:
    """The positions of the elements in ascending order, in a sequence of x's type."""
    return type(x)(sorted(range(len(x)), key=x.__getitem__))


def all_same(items: Sequence[Any]) -> bool:
    return all(item == items[0] for item in items)


def all_int(t: Sequence[Any]) -> bool:
    return all(isinstance(size, int) for size in t)


def make_tuple(x: int | Sequence[int], cnt: int) -> tuple[int, ...]:
    """`cnt` times the number, or the sequence as a tuple."""
    return (x,) * cnt if isinstance(x, int) else tuple(x)


def to_tuple(x: Any) -> tuple[Any, ...]:
    return x if isinstance(x, tuple) else (x,)


def flatten(l: Iterable[Iterable[T]]) -> list[T]:  # noqa: E741
    return list(itertools.chain.from_iterable(l))


def fully_flatten(l: Any) -> list[Any]:  # noqa: E741
    """The innermost elements of nested sequences and arrays."""
    if isinstance(l, str) or not (hasattr(l, "__len__") and hasattr(l, "__getitem__")):
        return [l]
    if getattr(l, "shape", None) == ():
        return [l[()]]
    return flatten(fully_flatten(part) for part in l)


def get_shape(x: Any) -> tuple[int, ...]:
    """The lengths of nested sequences. Raises ValueError if they differ in one level."""
    if not hasattr(x, "__len__") or isinstance(x, str) or getattr(x, "shape", None) == ():
        return ()
    inner = [get_shape(part) for part in x]
    if not all_same(inner):
        raise ValueError(f"inhomogeneous shape from {x}")
    return (len(inner), *(inner[0] if inner else ()))


def ceildiv(num: Any, amt: Any) -> Any:
    return -(num // -amt)


def round_up(num: int, amt: int) -> int:
    return -(num // -amt) * amt


def round_down(num: int, amt: int) -> int:
    return num // amt * amt


def next_power2(x: int) -> int:
    """The smallest power of two that is not less; 1 for 0."""
    return 1 if x == 0 else 1 << (x - 1).bit_length()


def unwrap(x: T | None) -> T:
    assert x is not None, "expected a value, found None"
    return x


def get_single_element(x: Sequence[T]) -> T:
    assert len(x) == 1, f"{x} must have exactly one element"
    return x[0]


def merge_dicts(ds: Iterable[dict[Any, Any]]) -> dict[Any, Any]:
    """All entries. Raises RuntimeError if a key has two values."""
    merged: dict[Any, Any] = {}
    for entries in ds:
        for key, value in entries.items():
            if merged.setdefault(key, value) != value:
                raise RuntimeError(f"{key!r} has the values {merged[key]!r} and {value!r}")
    return merged


def partition(itr: Iterable[T], fxn: Callable[[T], bool]) -> tuple[list[T], list[T]]:
    """The elements for which the function holds, and the others."""
    parts: tuple[list[T], list[T]] = ([], [])
    for item in itr:
        parts[0 if fxn(item) else 1].append(item)
    return parts


class count:
    """Counts up from a number; unlike itertools.count it can be pickled in every version."""

    def __init__(self, start: int = 0, step: int = 1) -> None:
        self.n, self.step = start, step

    def __iter__(self) -> count:
        return self

    def __next__(self) -> int:
        n = self.n
        self.n += self.step
        return n


def cdiv(x: int, y: int) -> int:
    """C's quotient, rounded towards zero; 0 for a divisor of 0."""
    if y == 0:
        return 0
    quotient = abs(x) // abs(y)
    return quotient if (x < 0) == (y < 0) else -quotient


def cmod(x: int, y: int) -> int:
    """C's remainder, with the sign of x."""
    return x - cdiv(x, y) * y


def floordiv(x: int, y: int) -> int:
    """Python's quotient; 0 for a divisor of 0."""
    return x // y if y else 0


def floormod(x: int, y: int) -> int:
    """Python's remainder; x for a divisor of 0."""
    return x % y if y else x


def getbits(value: int, start: int, end: int) -> int:
    """Bits `start` to `end`, both included."""
    return value >> start & ~(-1 << (end - start + 1))


def i2u(bits: int, value: int) -> int:
    """The unsigned number with the bits of a signed one."""
    return value % (1 << bits)


def lo32(x: Any) -> Any:
    """The lower 32 bits."""
    return x & 0xFFFFFFFF


def hi32(x: Any) -> Any:
    """What is above the lower 32 bits."""
    return x >> 32


def data64(data: Any) -> tuple[Any, Any]:
    """The upper and the lower word of a number of 64 bits."""
    return hi32(data), lo32(data)


def data64_le(data: Any) -> tuple[Any, Any]:
    """The lower and the upper word of a number of 64 bits."""
    return lo32(data), hi32(data)


def pad_bytes(b: bytes, align: int) -> bytes:
    """Zeros appended up to the next multiple of a length."""
    return b.ljust(round_up(len(b), align), b"\0")


def polyN(x: Any, p: list[float]) -> Any:
    """The value of a polynomial whose first coefficient is that of the highest power."""
    result: Any = 0.0
    for coefficient in p:
        result = result * x + coefficient
    return result


def get_child(obj: Any, key: str) -> Any:
    """The part with a name such as "layers.0.weight", as in states."""
    for name in key.split("."):
        if name.isnumeric():
            obj = obj[int(name)]
        else:
            obj = obj[name] if isinstance(obj, dict) else getattr(obj, name)
    return obj


def is_numpy_ndarray(x: Any) -> bool:
    return f"{type(x).__module__}.{type(x).__name__}" == "numpy.ndarray"


def from_mv(mv: memoryview, to_type: Any = ctypes.c_char) -> Any:
    """A ctypes array on the memory of a writable memoryview."""
    return (to_type * (mv.nbytes // ctypes.sizeof(to_type))).from_buffer(mv)


def to_mv(ptr: int, sz: int) -> memoryview:
    """The bytes at an address, which have to stay there."""
    return memoryview((ctypes.c_uint8 * sz).from_address(ptr)).cast("B")


def flat_mv(mv: memoryview) -> memoryview:
    """The bytes of a memoryview, which has to be contiguous."""
    return mv.cast("B", (mv.nbytes,)) if len(mv) else mv


def mv_address(mv: memoryview) -> int:
    """Where the memory of a writable memoryview begins."""
    return ctypes.addressof(ctypes.c_char.from_buffer(mv))


def strides_for_shape(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Row-major strides in elements, 0 for axes of size 1."""
    strides = itertools.accumulate(reversed(shape[1:]), operator.mul, initial=1)
    return (
        tuple(0 if s == 1 else st for s, st in zip(shape, reversed(list(strides)))) if shape else ()
    )


def canonicalize_strides(shape: Sequence[Any], strides: Sequence[Any]) -> tuple[Any, ...]:
    """The strides, with 0 for axes of one element."""
    return tuple(0 if size == 1 else stride for size, stride in zip(shape, strides))


def temp(x: str, append_user: bool = False) -> str:
    """A path in the folder for temporary files.

    With `append_user`, the name ends in a dot and the user's name.
    """
    import getpass
    import tempfile

    name = f"{x}.{getpass.getuser()}" if append_user else x
    return (pathlib.Path(tempfile.gettempdir()) / name).as_posix()


def fetch(url: str, *args: Any, **kwargs: Any) -> pathlib.Path:
    """The path of a local file: this package downloads nothing.

    Raises RuntimeError for an address.
    """
    path = str(url).removeprefix("file://")
    if path.startswith(("/", ".")):
        return pathlib.Path(path)
    raise RuntimeError(f"fetch({url!r}): this package downloads nothing; download it, pass a path")


# Text


_COLORS = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"]


def colored(st: str, color: str | None, background: bool = False) -> str:
    """The text with codes of a terminal around it; a name in upper case is a bright color."""
    if color is None or NO_COLOR:
        return st
    code = 30 + _COLORS.index(color.lower()) + 10 * background + 60 * color.isupper()
    return f"\x1b[{code}m{st}\x1b[0m"


def ansistrip(s: str) -> str:
    return re.sub("\x1b\\[(K|.*?m)", "", s)


def ansilen(s: str) -> int:
    return len(ansistrip(s))


def ansipad(s: str, w: int) -> str:
    """Spaces after the text up to a width on a terminal."""
    return s + " " * (w - ansilen(s))


def word_wrap(x: str, wrap: int = 80) -> str:
    """Newlines after at most `wrap` characters of each line; codes of terminals take no room."""
    lines = []
    for line in x.splitlines():
        parts, width = [""], 0
        for piece in re.findall("\x1b\\[(?:K|.*?m)|.", line):
            if not piece.startswith("\x1b"):
                if width == wrap:
                    parts.append("")
                    width = 0
                width += 1
            parts[-1] += piece
        lines += parts
    return "\n".join(lines)


def strip_parens(fst: str) -> str:
    """The text without its first and last character, if those are a pair of parentheses."""
    if fst[:1] != "(" or fst[-1:] != ")":
        return fst
    depth = 0
    for i, letter in enumerate(fst):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return fst[1:-1] if i == len(fst) - 1 else fst
    return fst


def pluralize(st: str, cnt: int) -> str:
    """The number and the word, with an s unless there is one."""
    return f"{cnt} {st}" + ("" if cnt == 1 else "s")


def colorize_float(x: float) -> str:
    """A factor: green if it is below 0.75, red above 1.15, else yellow."""
    return colored(f"{x:7.2f}x", "green" if x < 0.75 else "red" if x > 1.15 else "yellow")


def to_function_name(s: str) -> str:
    """A name for C: other letters than those of ASCII, digits and _ as hexadecimal numbers."""
    return re.sub(r"[^A-Za-z0-9_]", lambda match: f"{ord(match[0]):02X}", ansistrip(s))


def fromimport(mod: str, frm: str) -> Any:
    """What `from mod import frm` gives."""
    return getattr(importlib.import_module(mod), frm)


def time_to_str(t: float, w: int = 8) -> str:
    """Seconds in the unit that suits them."""
    if t > 10:
        return f"{t:{w}.2f}s "
    return f"{t * 1e3:{w}.2f}ms" if t > 0.01 else f"{t * 1e6:{w}.2f}us"


def size_to_str(s: int) -> str:
    """Bytes in the unit that suits them."""
    for shift, unit in ((30, "GB"), (20, "MB"), (10, "KB")):
        if s >= 1 << shift:
            return f"{s / (1 << shift):.2f} {unit}"
    return f"{s} B"


@contextlib.contextmanager
def disable_gc() -> Iterator[None]:
    """Turns Python's garbage collector off for a block, if it was on."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class Timing(contextlib.ContextDecorator):
    """Prints how long a block took; `on_exit(nanoseconds)` may add a text."""

    def __init__(
        self, prefix: str = "", on_exit: Callable[[int], str] | None = None, enabled: bool = True
    ) -> None:
        self.prefix, self.on_exit, self.enabled = prefix, on_exit, enabled

    def __enter__(self) -> Timing:
        self.st = time.perf_counter_ns()
        return self

    def __exit__(self, *exception: object) -> None:
        self.et = time.perf_counter_ns() - self.st
        if self.enabled:
            suffix = self.on_exit(self.et) if self.on_exit else ""
            print(f"{self.prefix}{self.et * 1e-6:6.2f} ms{suffix}")


class Profiling(contextlib.ContextDecorator):
    """Profiles the Python functions of a block and prints the slowest ones."""

    def __init__(
        self, enabled: bool = True, sort: str = "cumtime", frac: float = 0.2, fn: str | None = None
    ) -> None:
        self.enabled, self.sort, self.frac, self.fn = enabled, sort, frac, fn

    def __enter__(self) -> None:
        import cProfile

        self._profile = cProfile.Profile()
        if self.enabled:
            self._profile.enable()

    def __exit__(self, *exception: object) -> None:
        if not self.enabled:
            return
        self._profile.disable()
        if self.fn:
            self._profile.dump_stats(self.fn)
        import pstats

        pstats.Stats(self._profile).strip_dirs().sort_stats(self.sort).print_stats(self.frac)


class tqdm(Generic[T]):
    """A progress bar on stderr around an iterable, or one that update() moves.

    `disable=None` shows none unless stderr is a terminal.
    """

    def __init__(
        self,
        iterable: Iterable[T] | None = None,
        desc: str = "",
        disable: bool | None = False,
        unit: str = "it",
        unit_scale: bool = False,
        total: int | None = None,
        rate: int = 100,
    ) -> None:
        self.disable = not sys.stderr.isatty() if disable is None else disable
        self.iterable, self.unit, self.unit_scale, self.rate = iterable, unit, unit_scale, rate
        self.t = len(iterable) if total is None and hasattr(iterable, "__len__") else total or 0  # type: ignore[arg-type]
        self.n = 0
        self.st = time.perf_counter()
        self._shown = -math.inf
        self.set_description(desc)
        self.update(0)

    def __iter__(self) -> Iterator[T]:
        assert self.iterable is not None, "this bar has nothing to iterate over"
        for item in self.iterable:
            yield item
            self.update(1)
        self.update(close=True)

    def __enter__(self) -> tqdm[T]:
        return self

    def __exit__(self, *exception: object) -> None:
        self.update(close=True)

    def set_description(self, desc: str) -> None:
        self.desc = f"{desc}: " if desc else ""

    def update(self, n: int = 0, close: bool = False) -> None:
        """Adds to the count, and draws the bar at most `rate` times in a second."""
        self.n += n
        now = time.perf_counter()
        if self.disable or (not close and now - self._shown < 1 / self.rate):
            return
        self._shown = now
        print(
            "\r" + self._line(now - self.st), end="\n" if close else "", file=sys.stderr, flush=True
        )

    def _line(self, elapsed: float) -> str:
        count = self._number(self.n)
        speed = f"{self._number(self.n / elapsed)}{self.unit}/s" if elapsed and self.n else "?"
        if not self.t:
            return f"{self.desc}{count}{self.unit} [{self._clock(elapsed)}, {speed}]"
        share = min(self.n / self.t, 1)
        left = self._clock(elapsed / share - elapsed) if share else "?"
        suffix = f"{count}/{self._number(self.t)} [{self._clock(elapsed)}<{left}, {speed}]"
        width = shutil.get_terminal_size().columns - ansilen(self.desc) - len(suffix) - 8
        bar = ("█" * int(share * width)).ljust(max(width, 1))
        return f"{self.desc}{100 * share:3.0f}%|{bar}| {suffix}"

    def _number(self, x: float) -> str:
        if not self.unit_scale:
            return str(x) if isinstance(x, int) else f"{x:.2f}"
        for prefix in ("", "k", "M", "G"):
            if x < 1000:
                return f"{x:.3g}{prefix}"
            x /= 1000
        return f"{x:.3g}T"

    @staticmethod
    def _clock(seconds: float) -> str:
        minutes, seconds = divmod(int(seconds), 60)
        hours, minutes = divmod(minutes, 60)
        return f"{hours}:{minutes:02d}:{seconds:02d}" if hours else f"{minutes:02d}:{seconds:02d}"

    @classmethod
    def write(cls, s: str) -> None:
        print(f"\r\x1b[K{s}", flush=True, file=sys.stderr)


def trange(n: int, **kwargs: Any) -> tqdm[int]:
    """A progress bar around range(n)."""
    return tqdm(range(n), total=n, **kwargs)
