"""Functions whose work is captured once and replayed after that."""

from __future__ import annotations

import copy
import functools
import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from tinygrad_mlir import _core
from tinygrad_mlir._core import JitError, Tensor
from tinygrad_mlir.helpers import JIT
from tinygrad_mlir.kernels import Kernel, from_steps

ReturnType = TypeVar("ReturnType")
#: The first and second call of functions are made by one thread at a time.
_first_calls = threading.RLock()
#: Held while a TinyJit gets or loses what it captured. Reentrant, since a handler of a signal may
#: call reset().
_captures = threading.RLock()

__all__ = ["JitError", "TinyJit"]


class CapturedJit:
    """What a TinyJit replays. It is called with the arguments of the function."""

    # No attributes, which states would be looked for in: constants may be the objects around this.
    __slots__ = ("_constants", "_core", "_result")

    def __init__(self, core: _core.JitCore, constants: list[Any], result: Any) -> None:
        self._core = core
        self._constants = constants
        self._result = result

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._core.replay(args, kwargs, self._constants, self._result)

    def kernels(self, with_code: bool = True) -> list[Kernel]:
        """What a replay runs, in order: kernels, copies and sorts. `with_code` adds schedules and
        code, as in `Tensor.kernels()`; without, they are those of `Tensor.schedule()`.

        Inputs and outputs are those of each of the programs that the function computed. They are
        compiled anew for this; nothing runs.
        """
        return from_steps(self._core.inspect(with_code))

    @property
    def jit_cache(self) -> list[Kernel]:
        """kernels() without code; the name that older versions of tinygrad have."""
        return self.kernels(with_code=False)

    def free_intermediates(self) -> None:
        """Does nothing, since replays keep no memory: what a kernel computes for another one is
        released during the replay, and results belong to the caller."""


def _load_jit(
    saved: tuple[Any, ...],
    constants: list[Any],
    result: Any,
    prune: bool,
    name: str,
) -> TinyJit[Any]:
    """A TinyJit with a capture and without a function."""

    def lost(*args: Any, **kwargs: Any) -> Any:
        raise JitError(
            f"jit: {name} was loaded without its function: it replays what was captured, and "
            "cannot capture anything else"
        )

    lost.__name__ = lost.__qualname__ = name
    jit: TinyJit[Any] = TinyJit(lost, prune=prune)
    jit._core.load(*saved)
    jit.captured = CapturedJit(jit._core, constants, result)
    jit.cnt = 2
    return jit


class TinyJit(Generic[ReturnType]):
    """A function whose first call runs it and whose second one also captures what it runs.

    Later calls run the captured kernels on the arguments' memory; the function is not called.
    `@TinyJit`, `TinyJit(function)` and `@TinyJit(prune=True)`, also for methods. `prune` and
    `optimize` are accepted, and change nothing: a replay also computes what no argument changes.

    Arguments may be tensors, bound variables, and lists, tuples and dicts of them; all others have
    to be equal in each call (objects such as modules: the same), since the replay cannot see
    them. Tensors that the function reads or assigns to without being given them are used as they
    are. Results are tensors or None, and tuples, lists and dicts of these, each call's in memory of
    their own.

    Raises JitError, a RuntimeError, for arguments of another shape, dtype or number than those of
    the capture, for two arguments that share memory, for functions that compute nothing, that
    return other objects, or that read values while they are captured. After an error the function
    can be called again.
    """

    def __new__(cls, fxn: Callable[..., ReturnType] | None = None, **options: Any) -> Any:
        if fxn is None:
            return functools.partial(cls, **options)
        return super().__new__(cls)

    def __init__(
        self, fxn: Callable[..., ReturnType], *, prune: bool = False, optimize: bool = False
    ) -> None:
        self.fxn = fxn
        self.prune = prune
        self.cnt = 0
        self.captured: CapturedJit | None = None
        self._core = _core.JitCore()
        functools.update_wrapper(self, fxn, updated=())

    def reset(self) -> None:
        """Forgets what was captured: the next call runs the function, the one after it captures.

        Calls that other threads are in end as if they had been made before it.
        """
        # If this thread runs a step, only that can be a call of this object: it ends with an error.
        if _core.JitCore.is_inside():
            self._core.abandon()
        # A new object: other threads may use the old one until their calls end.
        with _captures:
            self._core = _core.JitCore()
            self.cnt = 0
            self.captured = None

    @property
    def jit_cache(self) -> list[Kernel]:
        """What a replay runs, see CapturedJit.kernels(); empty if nothing was captured."""
        return [] if self.captured is None else self.captured.jit_cache

    def __reduce__(self) -> tuple[Any, ...]:
        """A pickle of what was captured and of the tensors that it uses, without the function.

        Loaded, it replays, and raises JitError where it would have to call the function. Objects
        that are no tensors among the arguments are pickled along: those of later calls have to be
        equal to them, or the same objects of one pickle. Raises JitError if nothing was captured,
        or if sizes depend on variables.
        """
        captured = self.captured
        name = getattr(self.fxn, "__name__", "a function")
        if captured is None:
            raise JitError(
                f"jit: {name} has captured nothing that could be pickled; call it twice before"
            )
        saved = captured._core.save()
        return _load_jit, (saved, captured._constants, captured._result, self.prune, name)

    def __deepcopy__(self, memo: dict[int, Any]) -> TinyJit[ReturnType]:
        """A TinyJit of a copy of the function (for methods, of its object) that captures anew."""
        copied: TinyJit[ReturnType] = TinyJit(copy.deepcopy(self.fxn, memo), prune=self.prune)
        return copied

    def __get__(self, obj: Any, objtype: type | None = None) -> Callable[..., ReturnType]:
        return self if obj is None else functools.partial(self.__call__, obj)

    def __call__(self, *args: Any, **kwargs: Any) -> ReturnType:
        captured = self.captured
        if captured is None or not JIT.value or _core.JitCore.is_inside():
            return self._run(args, kwargs)
        # As `captured(*args, **kwargs)`: another call takes 5 % of a small step.
        result: ReturnType
        result = captured._core.replay(args, kwargs, captured._constants, captured._result)
        if self.captured is captured:  # else another thread called reset()
            self.cnt += 1
        return result

    def _run(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> ReturnType:
        """Calls the function; a call inside of another TinyJit's function is part of that."""
        if _core.JitCore.is_inside():
            return self.fxn(*args, **kwargs)
        if not JIT.value:
            result = self.fxn(*args, **kwargs)
            _core.realize(_find_tensors(result))
            return result
        with _first_calls:
            captured = self.captured
            if captured is None:
                return self._first_call(args, kwargs)
        # Another thread captured while this one waited.
        return self(*args, **kwargs)

    def _first_call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> ReturnType:
        """The first or second call of the function."""
        core = self._core
        result: ReturnType
        try:
            core.begin(args, kwargs)
            result, constants, form = core.end(self.fxn(*args, **kwargs))
        finally:
            core.abandon()
        with _captures:
            if core is self._core:  # else another thread called reset()
                if core.is_captured:
                    self.captured = CapturedJit(core, constants, form)
                self.cnt += 1
        return result


def _find_tensors(result: Any) -> list[Tensor]:
    if isinstance(result, Tensor):
        return [result]
    if isinstance(result, dict):
        result = result.values()
    elif not isinstance(result, (tuple, list)):
        return []
    return [tensor for part in result for tensor in _find_tensors(part)]
