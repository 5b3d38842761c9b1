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
from typing import Any

import torch
from functorch.compile import make_boxed_func
from torch._decomp import core_aten_decompositions, get_decompositions
from torch._dynamo.backends.common import aot_autograd
from torch._dynamo.backends.registry import register_backend

from tinygrad_mlir import torch_networks  # noqa: F401
from tinygrad_mlir._core import ShapeError, Tensor
from tinygrad_mlir.jit import TinyJit
from tinygrad_mlir.torch_operations import DTYPES, ON_MEMORY, OPERATIONS, REFUSALS, find_memory

__all__ = ["tinygrad_mlir"]


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


def _memory_order(value: Any) -> list[int] | None:
    """The axes from the largest stride to the smallest, if that is not the order of the axes."""
    if not isinstance(value, torch.Tensor) or not all(isinstance(n, int) for n in value.shape):
        return None
    order = sorted(range(value.ndim), key=lambda i: -value.stride(i))
    if order == list(range(value.ndim)) or not value.permute(order).is_contiguous():
        return None
    return order


class _Compiled:
    """A graph that is captured once for each combination of sizes that are its arguments."""

    def __init__(self, module: torch.fx.GraphModule, strict: bool) -> None:
        self.module, self.strict = module, strict
        # Says that the arguments come as one list. PyTorch copies it from objects, not classes.
        self._boxed_call = True
        self.nodes = list(module.graph.nodes)
        self.inputs = [node for node in self.nodes if node.op == "placeholder"]
        output = next(node for node in self.nodes if node.op == "output")
        results = output.args[0]
        self.results: list[Any] = list(results) if isinstance(results, (list, tuple)) else [results]
        self.orders = [
            _memory_order(node.meta.get("val")) if isinstance(node, torch.fx.Node) else None
            for node in self.results
        ]
        # Imported by the first run: while a graph is compiled, PyTorch's tensors have no values.
        self.constants = {
            node: functools.reduce(getattr, str(node.target).split("."), module)
            for node in self.nodes
            if node.op == "get_attr"
        }
        self.steps: dict[tuple[Any, ...], tuple[Any, list[Any]]] = {}
        self.refused: set[tuple[Any, ...]] = set()

    def __call__(self, arguments: list[Any]) -> list[Any]:
        """Empties the list, so that what is not needed any more can be freed."""
        tensors = [x for x in arguments if isinstance(x, torch.Tensor)]
        sizes = tuple(x for x in arguments if not isinstance(x, torch.Tensor))
        if sizes in self.refused:
            return self._run_by_torch(arguments)
        if sizes not in self.steps:
            self.steps[sizes] = (TinyJit(functools.partial(self._run, sizes)), [])
        step, results = self.steps[sizes]
        imported, seen = [], set()
        for tensor in tensors:
            storage = tensor.untyped_storage().data_ptr()
            # A step takes no two arguments in one memory.
            imported.append(_import(tensor.clone() if storage in seen else tensor))
            seen.add(storage)
        try:
            computed = iter(step(imported))
        except Exception as error:
            # A fault of an entry in the table: PyTorch's arguments are right.
            if self.strict:
                raise
            del imported, self.steps[sizes]
            self.refused.add(sizes)
            _warn(f"a graph ({error})")
            return self._run_by_torch(arguments)
        # What the run has found: a place among the arguments, a number, or the next tensor.
        given = [
            arguments[value]
            if kind == "argument"
            else value
            if kind == "number"
            else next(computed)
            for kind, value in results
        ]
        arguments.clear()
        return [
            _export(x, order) if isinstance(x, Tensor) else x
            for x, order in zip(given, self.orders)
        ]

    def _run_by_torch(self, arguments: list[Any]) -> list[Any]:
        results = self.module.forward(*arguments)
        arguments.clear()
        return list(results)

    def _run(self, sizes: tuple[Any, ...], tensors: list[Tensor]) -> list[Tensor]:
        """Interprets the graph; this is what is captured."""
        values: dict[torch.fx.Node, Any] = {
            node: _import(constant) for node, constant in self.constants.items()
        }
        numbers, rest = iter(sizes), iter(tensors)
        for node in self.inputs:
            is_tensor = isinstance(node.meta["val"], torch.Tensor)
            values[node] = next(rest) if is_tensor else next(numbers)
        for node in self.nodes:
            if node.op == "call_function":
                values[node] = self._call(node, values)
        places = {id(values[node]): i for i, node in enumerate(self.inputs)}
        found: list[Any] = []
        computed = []
        for node, order in zip(self.results, self.orders):
            value = values[node] if isinstance(node, torch.fx.Node) else node
            if not isinstance(value, Tensor):
                found.append(("number", value))
            elif id(value) in places:
                found.append(("argument", places[id(value)]))
            else:
                found.append(("tensor", None))
                value = value if order is None else value.permute(order)
                computed.append(value.contiguous())
        self.steps[sizes][1][:] = found
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
    """To the type, and from PyTorch's axis 0 of a tensor without axes."""
    if isinstance(x, Tensor) and isinstance(wanted, torch.Tensor):
        dtype = DTYPES[wanted.dtype]
        if x.ndim != wanted.ndim and wanted.numel() == 1:
            x = x.reshape(tuple(wanted.shape))
        if all(isinstance(n, int) for n in wanted.shape) and tuple(x.shape) != wanted.shape:
            raise ShapeError(f"a result has the shape {list(x.shape)}, not {list(wanted.shape)}")
        return x if x.dtype == dtype else x.cast(dtype)
    return x


def _import(tensor: torch.Tensor) -> Tensor:
    """A tensor in the same memory."""
    return Tensor.from_dlpack(tensor.detach())


def _export(tensor: Tensor, order: Sequence[int] | None) -> torch.Tensor:
    """A tensor in the same memory, of which `order` are the axes that it is to have there."""
    result = torch.from_dlpack(tensor)
    return result if order is None else result.permute([order.index(i) for i in range(len(order))])


@functools.cache
def _warn(reason: str) -> None:
    warnings.warn(
        f"tinygrad_mlir does not compile {reason}, so that PyTorch runs the graph that has it; "
        'options={"strict": True} makes this an error',
        stacklevel=2,
    )


# Operations that PyTorch can compute by others, but leaves to its backends.
_COMPOSED = """
_batch_norm_with_update_functional adaptive_max_pool2d adaptive_max_pool3d addmv diagonal_scatter
dist grid_sampler_2d ldexp narrow_copy native_batch_norm new_empty_strided permute_copy
pixel_shuffle pixel_unshuffle tril_indices triu_indices unbind_copy unfold unfold_copy
upsample_bicubic2d upsample_bilinear2d upsample_linear1d upsample_trilinear3d view_copy
""".split()


def _decompositions() -> dict[Any, Callable[..., Any]]:
    """How PyTorch computes operations by others."""
    more = get_decompositions([getattr(torch.ops.aten, name) for name in _COMPOSED])
    table = {op: how for op, how in more.items() if _is_composed(op)}
    table.update(core_aten_decompositions())
    return table


def _is_composed(op: Any) -> bool:
    """Not the writes into arguments, which others have replaced before."""
    return str(op) not in OPERATIONS and not op.__name__.split(".")[0].endswith("_")


def _compile(
    module: torch.fx.GraphModule, inputs: Sequence[Any], *, strict: bool
) -> Callable[..., Any]:
    reason = _find_unsupported(module)
    if reason is None:
        compiled = _Compiled(module, strict)
        if not any(isinstance(node, torch.fx.Node) for node in compiled.results):
            reason = "a graph without results"
        else:
            return compiled
    if strict:
        raise NotImplementedError(f"tinygrad_mlir does not compile {reason}")
    _warn(reason)
    return make_boxed_func(module.forward)  # type: ignore[no-any-return]


@register_backend  # type: ignore[untyped-decorator]
def tinygrad_mlir(
    module: torch.fx.GraphModule, inputs: Sequence[Any], *, options: dict[str, Any] | None = None
) -> Callable[..., Any]:
    """What torch.compile calls: a function that computes what the graph does.

    Graphs of gradients are compiled as well. Raises ValueError for unknown options,
    NotImplementedError with the option strict.
    """
    options = dict(options or {})
    strict = bool(options.pop("strict", False))
    if options:
        raise ValueError(f"the options {sorted(options)} are unknown; there is only 'strict'")
    compiler = functools.partial(_compile, strict=strict)
    backend = aot_autograd(
        fw_compiler=compiler, bw_compiler=compiler, decompositions=_decompositions()
    )
    result: Callable[..., Any] = backend(module, inputs)
    return result
