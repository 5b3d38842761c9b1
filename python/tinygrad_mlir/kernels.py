"""What a tensor is computed by: graphs, kernels and their code, as text."""

from __future__ import annotations

from typing import Any, NamedTuple

from tinygrad_mlir import _core
from tinygrad_mlir._core import DType, Tensor

__all__ = ["Kernel", "KernelBuffer", "from_mlir", "kernels", "mlir", "schedule"]

_LEVELS = {1: "graph", 2: "kernels", 3: "scheduled"}
_KERNEL_LEVELS = {2: "kernel", 3: "scheduled"}


class KernelBuffer(NamedTuple):
    """A buffer that a kernel reads or writes.

    `role` is "input N" or "output N" of the program, "scratch" for memory that only the program
    uses, or "constant". `size` counts elements; of a symbolic size, it is the largest one.
    """

    role: str
    dtype: DType
    size: int
    is_written: bool

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize


class Kernel(NamedTuple):
    """A step of a program: the launch of a kernel, a copy between devices, or a sort (`kind`).

    `ops` and `mem` are the operations and bytes that `GlobalCounters` adds for a run. `sources`
    has the texts of a kernel by stage: "kernel" (level 2); of `Tensor.kernels()` also "scheduled"
    (level 3) and what the code generator made of it, such as "llvm" and "asm" on a CPU. `steps`
    lists the steps of its schedule, `ranges` the kinds and extents of its loops then. A CPU
    distributes `parallel_extent` work items over threads; a GPU launches `global_size` groups of
    `local_size` items, which share `shared_bytes` in addition to what the code declares.
    """

    kind: str
    name: str
    device: str
    description: str
    buffers: tuple[KernelBuffer, ...]
    ops: int
    mem: int
    sources: dict[str, str]
    steps: tuple[str, ...]
    ranges: str
    parallel_extent: int
    global_size: tuple[int, int, int]
    local_size: tuple[int, int, int]
    shared_bytes: int

    def source(self, stage: int | str = 2) -> str:
        """The text of a stage, or of level 2 or 3. Raises KeyError, naming those there are."""
        name = _KERNEL_LEVELS.get(stage, stage) if isinstance(stage, int) else stage
        if name not in self.sources:
            known = ", ".join(self.sources) or "none"
            raise KeyError(f"{self.name} has no text of the stage {stage!r}; there are: {known}")
        return self.sources[str(name)]

    @property
    def src(self) -> str:
        """The text of the last stage."""
        return list(self.sources.values())[-1] if self.sources else ""

    def __repr__(self) -> str:
        buffers = ", ".join(
            f"{x.role}: {x.size} {str(x.dtype).removeprefix('dtypes.')}" for x in self.buffers
        )
        return f"<Kernel {self.name} on {self.device} ({buffers}) {self.description}>"


def _check_tensors(name: str, tensors: tuple[Tensor, ...], hint: str = "") -> None:
    for tensor in tensors:
        if not isinstance(tensor, Tensor):
            raise TypeError(f"{name}() takes Tensors, not {tensor!r}{hint}")


def _inspect(name: str, tensors: tuple[Tensor, ...], with_code: bool) -> list[Kernel]:
    _check_tensors(name, tensors)
    programs = [list(tensors)]
    if any(isinstance(tensor.device, tuple) for tensor in tensors):
        on: dict[str, list[Tensor]] = {}  # what each device computes
        for tensor in tensors:
            for part in tensor.shards:
                on.setdefault(part.device, []).append(part)
        programs = list(on.values())
    return [
        kernel
        for program in programs
        for kernel in from_steps(_core.inspect_program(program, with_code))
    ]


def from_steps(steps: list[dict[str, Any]]) -> list[Kernel]:
    """Of what the extension returns for the steps of a program."""
    return [
        Kernel(**step | {"buffers": tuple(KernelBuffer(*x) for x in step["buffers"])})
        for step in steps
    ]


def schedule(self: Tensor, *others: Tensor) -> list[Kernel]:
    """The kernels that `realize()` with these tensors would run, in order, before they are
    optimized.

    The tensors have to be on one device. Nothing is computed: without values, kernels are the
    same. Those that are in memory or constant need no kernels. Raises CompileError where
    `realize()` does.
    """
    return _inspect("schedule", (self, *others), False)


def kernels(self: Tensor, *others: Tensor) -> list[Kernel]:
    """The same with the schedules of kernels, their code, and how they are launched."""
    return _inspect("kernels", (self, *others), True)


def mlir(self: Tensor, *others: Tensor, level: int | str = 1) -> str:
    """What these tensors are computed by, as MLIR: the graph (level 1), its kernels (2), the
    kernels with their schedules (3), or a later stage by its name, such as "llvm" or "asm".

    The arguments of the function `@main` are the memory that it reads. Raises a UsageError for a
    level that does not exist, naming those that do.
    """
    _check_tensors("mlir", others, ": the stage is given as level=...")
    stage = _LEVELS.get(level, str(level)) if isinstance(level, int) else level
    return _core.print_program([self, *others], stage)


def from_mlir(
    text: str, *inputs: Tensor, entry: str = "main", name: str = "mlir", pass_pipeline: str = ""
) -> Tensor | tuple[Tensor, ...]:
    """The results of a function over tensors, given as MLIR (level 1), for these inputs: one
    tensor, or a tuple where the function returns several.

    The operations become part of the graph, as if methods had made them: they are computed,
    differentiated and rewritten together with others. Functions that the function calls are
    inlined. Sizes with variables are those of the inputs' variables of the same names.

    `pass_pipeline` runs passes over the module first, such as "builtin.module(canonicalize,cse)":
    those of the dialect that make a graph of a graph, and MLIR's general ones.

    Raises a CompileError with the line and column, in a text called `name`, for what cannot be
    parsed or is not a graph, and for a pipeline that cannot be parsed, fails, or does not give a
    graph; a ShapeError or DTypeError for inputs that do not fit.
    """
    _check_tensors("from_mlir", inputs)
    results = _core.from_mlir(text, list(inputs), entry, name, pass_pipeline)
    return results[0] if len(results) == 1 else tuple(results)
