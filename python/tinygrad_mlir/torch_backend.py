"""PyTorch's models on this compiler: torch.compile(model, backend="tinygrad_mlir").

The name is known where the package is installed, and after `import tinygrad_mlir.torch_backend`.
Options, of torch.compile(..., options={...}):

  strict   an operation that is not supported is an error (NotImplementedError) instead of a
           warning, after which PyTorch runs that graph itself
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
from functorch.compile import make_boxed_func
from torch._dynamo.backends.common import aot_autograd
from torch._dynamo.backends.registry import register_backend
from torch.utils.dlpack import from_dlpack, to_dlpack

from tinygrad_mlir import torch_networks, torch_special  # noqa: F401
from tinygrad_mlir._core import ShapeError, Tensor
from tinygrad_mlir.jit import TinyJit
from tinygrad_mlir.torch_decompositions import decompositions
from tinygrad_mlir.torch_operations import (
    DTYPES,
    ON_MEMORY,
    OPERATIONS,
    REFUSALS,
    VIEWS,
    find_memory,
    turn_back,
)

__all__ = ["tinygrad_mlir"]


# The only operation that writes, after all others of a graph.
_WRITE = "aten.copy_.default"


# Those that compute nothing.
_MOVES = VIEWS | {"aten.clone.default", "aten._unsafe_view.default"}


def _name(node: torch.fx.Node) -> str:
    return str(node.target)


def _computes_sizes(node: torch.fx.Node) -> bool:
    """Of numbers, or picks one of several results."""
    return getattr(node.target, "__module__", "") in ("_operator", "math", "builtins", "torch")


def _find_unsupported(module: torch.fx.GraphModule) -> str | None:
    """What there is no way to compile, in words."""
    for node in module.graph.nodes:
        if node.op == "call_function":
            is_size = _name(node).startswith("aten.sym_") or _computes_sizes(node)
            if not is_size and _name(node) not in OPERATIONS:
                return f"the operation {_name(node)}"
            refuse = REFUSALS.get(_name(node))
            if refuse and (how := refuse(*node.args, **node.kwargs)):
                return f"the operation {_name(node)} {how}"
        elif node.op in ("call_module", "call_method"):
            return f"the call of {node.target}"
        values = node.meta.get("val")
        for value in values if isinstance(values, (tuple, list)) else [values]:
            if isinstance(value, torch.Tensor):
                if value.device.type != "cpu":
                    return f"a tensor on the device {value.device}"
                if value.dtype not in DTYPES or value.layout != torch.strided:
                    return f"a tensor of {value.dtype}, {value.layout}"
    return None


def _root_of(node: Any, by_sizes: bool = False) -> tuple[Any, bool]:
    """What a result consists of the elements of, and whether it is a copy of them. `by_sizes` also
    where it depends on sizes, which are operands."""
    is_copy = False
    while isinstance(node, torch.fx.Node) and _name(node) in _MOVES:
        source, *others = node.all_input_nodes
        if others and not (
            by_sizes and source is node.args[0] and not any(map(_is_tensor, others))
        ):
            break
        is_copy |= _name(node) not in VIEWS
        node = node.args[0]
    return node, is_copy


def _is_tensor(node: Any) -> bool:
    return isinstance(node, torch.fx.Node) and isinstance(node.meta.get("val"), torch.Tensor)


def _is_moved(node: Any) -> bool:
    """Whether it is an argument, or has the elements of one."""
    root, _ = _root_of(node)
    return _is_tensor(root) and root.op == "placeholder"


def _depends_on(node: Any, inputs: set[torch.fx.Node]) -> bool:
    pending = [node] if isinstance(node, torch.fx.Node) else []
    seen = set(pending)
    while pending:
        for other in pending.pop().all_input_nodes:
            if other in inputs:
                return True
            if other not in seen:
                seen.add(other)
                pending.append(other)
    return False


def _order_of(node: Any) -> tuple[int, ...] | None:
    """The axes from the largest stride to the smallest, if that is not the order of the axes."""
    value = node.meta.get("val") if isinstance(node, torch.fx.Node) else None
    if not isinstance(value, torch.Tensor) or not all(isinstance(n, int) for n in value.shape):
        return None
    order = sorted(range(value.ndim), key=lambda i: -value.stride(i))
    if order == list(range(value.ndim)) or not value.permute(order).is_contiguous():
        return None
    return tuple(order)


class _Result(NamedTuple):
    """What becomes of a tensor that a step returns."""

    place: int  # among the results, or the arguments if it is written there
    order: tuple[int, ...] | None
    is_written: bool


class _Layout(NamedTuple):
    """Where the elements of a tensor are in its memory."""

    strides: tuple[int, ...]
    offset: int


_MOST_ADDRESSES = 16


class _Step:
    """A graph for one combination of sizes."""

    def __init__(
        self,
        interpret: Callable[[_Step, list[Tensor]], list[Tensor]],
        writes_in_place: bool,
        layouts: dict[int, _Layout],
    ) -> None:
        self.jit = TinyJit(functools.partial(interpret, self))
        self.writes_in_place = writes_in_place  # else PyTorch copies what is computed
        self.layouts = layouts  # of results that have one, by their places
        self.forms: list[_Result] = []
        # Those that PyTorch has to copy: their memory is another tensor's.
        self.shared: set[_Result] = set()
        self.numbers: list[tuple[int, Any]] = []  # The results that are numbers, by their places.
        # The addresses of the arguments of the last replay, and the tensors there.
        self.last: tuple[tuple[int, ...], list[Tensor]] = ((), [])
        # Of each argument, the tensors at the addresses of replays: allocators reuse them.
        self.known: dict[int, dict[int, Tensor]] = {}


class _Compiled:
    """A graph that is captured once for each combination of sizes that are its arguments."""

    def __init__(self, module: torch.fx.GraphModule, strict: bool) -> None:
        self.module, self.strict = module, strict
        # Says that the arguments come as one list. PyTorch copies it from objects, not classes.
        self._boxed_call = True
        self.nodes = list(module.graph.nodes)
        self.inputs = [node for node in self.nodes if node.op == "placeholder"]
        # What is written into arguments, by their places.
        self.places = {node: i for i, node in enumerate(self.inputs)}
        self.written = {
            self.places[node.args[0]]: node for node in self.nodes if _name(node) == _WRITE
        }
        output = next(node for node in self.nodes if node.op == "output")
        results = output.args[0]
        self.results: list[Any] = list(results) if isinstance(results, (list, tuple)) else [results]
        self.orders = [_order_of(node) for node in self.results]
        self.input_orders = [_order_of(node) for node in self.inputs]
        # Imported by the first run: while a graph is compiled, PyTorch's tensors have no values.
        self.constants = {
            node: functools.reduce(getattr, str(node.target).split("."), module)
            for node in self.nodes
            if node.op == "get_attr"
        }
        # Results that PyTorch takes from arguments, by their places among the results.
        self.moved = {i: node for i, node in enumerate(self.results) if _is_moved(node)}
        # Those that are copies of others, by PyTorch's semantics.
        roots = [_root_of(node) for node in self.results]
        self.copies = {
            i
            for i, (root, is_copy) in enumerate(roots)
            if is_copy and any(other is root for j, (other, _) in enumerate(roots) if j != i)
        }
        # Views of what is written into an argument: PyTorch takes these from the argument, at the
        # places where the results are in memory of theirs.
        sources = {node.args[1] for node in self.written.values()}
        roots = [_root_of(node, by_sizes=True) for node in self.results]
        self.placed = {
            i: node.meta["val"]
            for i, (node, (root, is_copy)) in enumerate(zip(self.results, roots))
            if root in sources and not is_copy
        }
        # Whether a result depends on what was in an argument before it is written.
        self.reads_written = bool(self.written) and any(
            _depends_on(node, {self.inputs[i] for i in self.written})
            for i, node in enumerate(self.results)
            if i not in self.moved
        )
        self.tensor_places = [i for i, node in enumerate(self.inputs) if _is_tensor(node)]
        self.steps: dict[tuple[Any, ...], _Step] = {}
        self.refused: set[tuple[Any, ...]] = set()

    def __call__(self, arguments: list[Any]) -> list[Any]:
        """Empties the list, so that what is not needed any more can be freed."""
        sizes = tuple(x for x in arguments if not isinstance(x, torch.Tensor))
        if sizes in self.refused:
            return self._run_by_torch(arguments)
        # Before anything is written.
        moved = {i: self._move(node, arguments) for i, node in self.moved.items()}
        results: list[Any] = [moved.get(i, node) for i, node in enumerate(self.results)]
        try:
            self._run_step(sizes, arguments, results)
        except Exception as error:
            # A fault of an entry in the table: PyTorch's arguments are right.
            if self.strict:
                raise
            self.steps.pop(sizes, None)
            self.refused.add(sizes)
            _warn(f"a graph ({error})")
            return self._run_by_torch(arguments)
        arguments.clear()
        return results

    def _run_step(self, sizes: tuple[Any, ...], arguments: list[Any], results: list[Any]) -> None:
        """Writes into arguments, and fills in the results that are not moved."""
        step = self.steps.get(sizes)
        if step is None:
            # Another thread may have been faster.
            interpret = functools.partial(self._interpret, sizes)
            layouts = {i: self._find_layout(x, sizes) for i, x in self.placed.items()}
            step = self.steps.setdefault(sizes, _Step(interpret, not self.reads_written, layouts))
        is_first = step.jit.captured is None
        imported, copies = self._import_all(step, arguments)
        values = step.jit(imported)
        computed = [(form, _export(x, form.order)) for form, x in zip(step.forms, values)]
        if is_first:
            self._find_memory(step, [*arguments, *(copy for _, copy in copies)], computed)
        # The compiler computes equal results once.
        seen: set[int] = set()
        written = []
        for form, result in computed:
            address = result.data_ptr()
            own = result.clone() if form in step.shared or address in seen else result
            seen.add(address)
            if form.is_written:
                written.append((arguments[form.place], own))
            else:
                results[form.place] = _place(own, step.layouts.get(form.place))
        for original, copy in copies:
            if original is not None:
                original.copy_(copy)
        for argument, value in written:
            argument.copy_(value)
        for i, number in step.numbers:
            results[i] = number

    def _find_layout(self, x: torch.Tensor, sizes: tuple[Any, ...]) -> _Layout:
        """The layout of a result, whose numbers may be expressions of the sizes."""
        symbols = {
            node.meta["val"].node.expr: size
            for node, size in zip((x for x in self.inputs if not _is_tensor(x)), sizes)
            if isinstance(node.meta.get("val"), torch.SymInt)
        }

        def evaluate(number: Any) -> int:
            return number if isinstance(number, int) else int(number.node.expr.xreplace(symbols))

        return _Layout(tuple(map(evaluate, x.stride())), evaluate(x.storage_offset()))

    def _find_memory(
        self, step: _Step, inputs: list[Any], computed: list[tuple[_Result, torch.Tensor]]
    ) -> None:
        """Finds the results that are in the memory of arguments or constants: the compiler may have
        found that they are equal, as a product with 1 is."""
        others = [_range(x) for x in inputs if isinstance(x, torch.Tensor)]
        others += [_range(x) for x in self.constants.values()]
        for form, result in computed:
            begin, end = _range(result)
            is_inside = any(begin < last and first < end for first, last in others)
            if is_inside or (form.place in self.copies and not form.is_written):
                step.shared.add(form)
        # What was in an argument before cannot stay there.
        step.writes_in_place = not (self.reads_written and step.shared)

    def _move(self, node: torch.fx.Node, arguments: list[Any]) -> Any:
        """What PyTorch takes from an argument, in memory of its own if the argument is written."""
        if node.op != "placeholder":
            return node.target(self._move(node.args[0], arguments), *node.args[1:], **node.kwargs)
        i = self.places[node]
        return arguments[i].clone() if i in self.written else arguments[i]

    def _import_all(
        self, step: _Step, arguments: list[Any]
    ) -> tuple[list[Tensor], list[tuple[torch.Tensor | None, torch.Tensor]]]:
        """The tensors, and those that are copies, after the originals if these are written."""
        tensors = [arguments[i] for i in self.tensor_places]
        addresses = tuple(x.data_ptr() for x in tensors)
        last_addresses, last_imported = step.last
        if addresses == last_addresses:
            return last_imported, []
        imported, copies = [], []
        shared = _find_shared(tensors)
        # Only of replays, which leave the tensors where they are.
        can_stay = step.jit.captured is not None and not shared
        all_stay = can_stay
        for k, (i, tensor) in enumerate(zip(self.tensor_places, tensors)):
            known = step.known.setdefault(k, {})
            found = known.get(addresses[k]) if can_stay else None
            if found is not None:
                imported.append(found)
                continue
            order = self.input_orders[i]
            in_order = tensor if order is None else tensor.permute(order)
            is_contiguous = in_order.is_contiguous()
            # A step takes no two arguments in one memory, and writes into contiguous memory only.
            is_written = i in self.written
            if k in shared or (is_written and not is_contiguous):
                copy = in_order.clone(memory_format=torch.contiguous_format)
                copies.append((in_order if is_written else None, copy))
                in_order = copy
            elif is_contiguous and can_stay and addresses[k]:
                # Nothing has to keep the memory: what else comes from this address in a later call
                # has the same shape and type.
                if len(known) >= _MOST_ADDRESSES:
                    known.clear()
                known[addresses[k]] = found = _import_address(addresses[k], in_order)
                imported.append(found)
                continue
            all_stay = False
            imported.append(_import(in_order))
        if all_stay:
            step.last = (addresses, imported)
        return imported, copies

    def _run_by_torch(self, arguments: list[Any]) -> list[Any]:
        results = self.module.forward(*arguments)
        arguments.clear()
        return list(results)

    def _interpret(
        self, sizes: tuple[Any, ...], step: _Step, tensors: list[Tensor]
    ) -> list[Tensor]:
        """The tensors that the graph computes; this is what is captured. Says what they are."""
        values: dict[torch.fx.Node, Any] = {
            node: _import(constant) for node, constant in self.constants.items()
        }
        numbers, rest = iter(sizes), iter(tensors)
        memory: dict[int, Tensor] = {}
        for i, (node, order) in enumerate(zip(self.inputs, self.input_orders)):
            if isinstance(node.meta["val"], torch.Tensor):
                memory[i] = next(rest)
                # Another object: it keeps its value when the argument is written into.
                values[node] = turn_back(memory[i].detach(), order)
            else:
                values[node] = next(numbers)
        for node in self.nodes:
            if node.op == "call_function":
                values[node] = self._call(node, values)
        found: list[_Result] = []
        computed = []
        numbers_found = []
        for i, (node, order) in enumerate(zip(self.results, self.orders)):
            value = values[node] if isinstance(node, torch.fx.Node) else node
            if i in self.moved:
                continue
            if not isinstance(value, Tensor):
                numbers_found.append((i, value))
                continue
            value = (value if order is None else value.permute(order)).contiguous()
            found.append(_Result(i, order, is_written=False))
            computed.append(value)
        for i, node in self.written.items():
            order = self.input_orders[i]
            value = values[node] if order is None else values[node].permute(order)
            if step.writes_in_place:
                memory[i].assign(value)
            else:
                found.append(_Result(i, order, is_written=True))
                computed.append(value.contiguous())
        step.numbers, step.forms = numbers_found, found
        return computed

    def _call(self, node: torch.fx.Node, values: dict[torch.fx.Node, Any]) -> Any:
        args, kwargs = torch.fx.node.map_arg((node.args, node.kwargs), values.__getitem__)
        if _name(node).startswith("aten.sym_size"):
            return int(args[0].shape[args[1]])
        if _name(node).startswith("aten.sym_numel"):
            return int(args[0].numel())
        if _computes_sizes(node):
            return node.target(*args, **kwargs)
        kinds = {x.dtype for x in args if isinstance(x, Tensor)}
        wanted = node.meta["val"]
        if len(kinds) > 1 and isinstance(wanted, torch.Tensor) and wanted.is_floating_point():
            # Promoted as by PyTorch, for which tensors without axes are weaker than others.
            args = [
                x.cast(DTYPES[wanted.dtype])
                if isinstance(x, Tensor) and x.is_floating_point()
                else x
                for x in args
            ]
        if _name(node) in ON_MEMORY:
            memory, x = find_memory(node.args[0]), node.args[0].meta["val"]
            layout = memory.meta["val"]
            args = (values[memory], *args[1:])
            kwargs = dict(
                kwargs,
                own_strides=layout.stride(),
                own_offset=layout.storage_offset(),
                default_offset=x.storage_offset(),
            )
        result = OPERATIONS[_name(node)](*args, **kwargs)
        if isinstance(result, (tuple, list)):
            return [_cast(x, value) for x, value in zip(result, wanted)]
        return _cast(result, wanted)


def _cast(x: Any, wanted: Any) -> Any:
    """To the type, and from PyTorch's axis 0 of a tensor without axes; zeros for what nothing reads."""
    if x is None and isinstance(wanted, torch.Tensor):
        return Tensor.full(tuple(wanted.shape), 0, dtype=DTYPES[wanted.dtype])
    if isinstance(x, Tensor) and isinstance(wanted, torch.Tensor):
        dtype = DTYPES[wanted.dtype]
        if x.ndim != wanted.ndim and wanted.numel() == 1:
            x = x.reshape(tuple(wanted.shape))
        if all(isinstance(n, int) for n in wanted.shape) and tuple(x.shape) != wanted.shape:
            raise ShapeError(f"a result has the shape {list(x.shape)}, not {list(wanted.shape)}")
        return x if x.dtype == dtype else x.cast(dtype)
    return x


def _find_shared(tensors: Sequence[torch.Tensor]) -> set[int]:
    """The places of those whose memory overlaps that of an earlier one."""
    if len({x.untyped_storage().data_ptr() for x in tensors}) == len(tensors):
        return set()
    found: set[int] = set()
    ranges: list[tuple[int, int]] = []
    for i, x in enumerate(tensors):
        begin, end = _range(x)
        if any(begin < other_end and other < end for other, other_end in ranges):
            found.add(i)
        else:
            ranges.append((begin, end))
    return found


def _range(x: torch.Tensor) -> tuple[int, int]:
    """The addresses of its memory, from the first to the end."""
    begin = x.data_ptr()
    if x.numel() == 0:
        return begin, begin
    last = sum((n - 1) * stride for n, stride in zip(x.shape, x.stride()))
    return begin, begin + (last + 1) * x.element_size()


def _place(x: torch.Tensor, layout: _Layout | None) -> torch.Tensor:
    """The elements in this layout, if there is one."""
    if layout is None or layout.offset == 0 or x.numel() == 0:
        return x
    last = sum((n - 1) * stride for n, stride in zip(x.shape, layout.strides))
    memory = torch.empty(layout.offset + last + 1, dtype=x.dtype)
    return memory.as_strided(x.shape, layout.strides, layout.offset).copy_(x)


def _import(tensor: torch.Tensor) -> Tensor:
    """A tensor in the same memory, which it keeps."""
    return Tensor.from_dlpack(to_dlpack(tensor))


def _import_address(address: int, tensor: torch.Tensor) -> Tensor:
    """A tensor like a contiguous one at an address, which does not keep the memory."""
    return Tensor.from_blob(address, tuple(tensor.shape), dtype=DTYPES[tensor.dtype], device="CPU")


def _export(tensor: Tensor, order: Sequence[int] | None) -> torch.Tensor:
    """A tensor in the same memory, of which `order` are the axes that it is to have there."""
    result = from_dlpack(tensor.__dlpack__())
    return result if order is None else result.permute([order.index(i) for i in range(len(order))])


@functools.cache
def _warn(reason: str) -> None:
    warnings.warn(
        f"tinygrad_mlir does not compile {reason}, so that PyTorch runs the graph that has it; "
        'options={"strict": True} makes this an error',
        stacklevel=2,
    )


def _compile(
    module: torch.fx.GraphModule, inputs: Sequence[Any], *, strict: bool
) -> Callable[..., Any]:
    reason = _find_unsupported(module)
    if reason is None:
        compiled = _Compiled(module, strict)
        computed = [node for i, node in enumerate(compiled.results) if i not in compiled.moved]
        if any(map(_is_tensor, computed)) or compiled.written:
            return compiled
        if compiled.moved:
            return make_boxed_func(module.forward)  # type: ignore[no-any-return]
        reason = "a graph without results"
    if strict:
        raise NotImplementedError(f"tinygrad_mlir does not compile {reason}")
    _warn(reason)
    return make_boxed_func(module.forward)  # type: ignore[no-any-return]


@register_backend  # type: ignore[untyped-decorator]
def tinygrad_mlir(
    module: torch.fx.GraphModule,
    inputs: Sequence[Any],
    *,
    options: dict[str, Any] | None = None,
    mode: str | None = None,
) -> Callable[..., Any]:
    """What torch.compile calls: a function that computes what the graph does.

    Graphs of gradients are compiled as well. The modes of torch.compile make no difference. Raises
    ValueError for unknown options, NotImplementedError with the option strict.
    """
    options = dict(options or {})
    strict = bool(options.pop("strict", False))
    if options:
        raise ValueError(f"the options {sorted(options)} are unknown; there is only 'strict'")
    compiler = functools.partial(_compile, strict=strict)
    backend = aot_autograd(
        fw_compiler=compiler,
        bw_compiler=compiler,
        decompositions=decompositions(),
        # Arguments are written into by the graph, not by PyTorch after it.
        keep_inference_input_mutations=True,
    )
    result: Callable[..., Any] = backend(module, inputs)
    return result
