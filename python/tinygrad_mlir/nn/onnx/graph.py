"""Graphs of a model, prepared to run: nodes with their functions, attributes as Python values."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import onnx
from onnx import AttributeProto, FunctionProto, GraphProto, NodeProto, TypeProto

from tinygrad_mlir._core import DType
from tinygrad_mlir.nn.onnx.errors import OnnxError, UnsupportedOnnxError
from tinygrad_mlir.nn.onnx.registry import Operator, find_operator, find_schema, unsupported
from tinygrad_mlir.nn.onnx.values import Value, held_dtype, value_from_array, value_from_proto

#: Another name of the standard's domain.
kLongDomain = "ai.onnx"


@dataclasses.dataclass(frozen=True)
class OnnxValue:
    """The declared type of an input: sizes are numbers, or names of sizes that are free."""

    shape: tuple[str | int, ...] | None
    dtype: DType | None
    is_optional: bool
    is_sequence: bool
    element: int = 0


@dataclasses.dataclass
class Node:
    """A node, with what computes it: a function, or a graph that takes its place."""

    name: str
    domain: str
    op: str
    opset: int
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: dict[str, Any]
    proto: NodeProto
    operator: Operator | None
    #: Graphs of the function that the node calls, by what they depend on.
    bodies: dict[Any, Graph]

    def describe(self) -> str:
        return f"'{self.name}'" if self.name else f"that computes {', '.join(self.outputs)}"


@dataclasses.dataclass
class Graph:
    """Nodes in the order in which they run."""

    name: str
    inputs: tuple[str, ...]
    types: dict[str, OnnxValue]
    outputs: tuple[str, ...]
    values: dict[str, Value]
    nodes: tuple[Node, ...]
    is_function: bool = False


def read_type(proto: TypeProto) -> OnnxValue:
    """The declared type of an input."""
    is_optional = proto.HasField("optional_type")
    if is_optional:
        proto = proto.optional_type.elem_type
    is_sequence = proto.HasField("sequence_type")
    if is_sequence:
        proto = proto.sequence_type.elem_type
    if not proto.HasField("tensor_type"):
        if proto.WhichOneof("value") is None:
            return OnnxValue(None, None, is_optional, is_sequence)
        raise UnsupportedOnnxError(f"inputs of the type {proto.WhichOneof('value')}")
    tensor = proto.tensor_type
    shape = None
    if tensor.HasField("shape"):
        shape = tuple(
            size.dim_value if size.HasField("dim_value") else size.dim_param
            for size in tensor.shape.dim
        )
    element = tensor.elem_type
    return OnnxValue(shape, held_dtype(element), is_optional, is_sequence, element)


class Reader:
    """Prepares the graphs of a model, whose external data are in a folder."""

    def __init__(
        self, opsets: Mapping[str, int], functions: Iterable[FunctionProto], base_dir: str
    ) -> None:
        self.opsets = {_short(domain): version for domain, version in opsets.items()}
        self.functions = {(_short(f.domain), f.name, f.overload): f for f in functions}
        self.base_dir = base_dir

    def read_graph(self, proto: GraphProto) -> Graph:
        values: dict[str, Value] = {
            tensor.name: value_from_proto(tensor, self.base_dir) for tensor in proto.initializer
        }
        for sparse in proto.sparse_initializer:
            values[sparse.values.name] = self.read_sparse(sparse)
        types = {}
        for value in proto.input:
            try:
                types[value.name] = read_type(value.type)
            except UnsupportedOnnxError as error:
                raise UnsupportedOnnxError(f"input '{value.name}': {error}") from None
        return Graph(
            proto.name,
            tuple(types),
            types,
            tuple(value.name for value in proto.output),
            values,
            tuple(self.read_node(node) for node in proto.node),
        )

    def read_sparse(self, sparse: onnx.SparseTensorProto) -> Value:
        """A sparse tensor with its zeros."""
        elements = onnx.numpy_helper.to_array(sparse.values, self.base_dir)
        indices = onnx.numpy_helper.to_array(sparse.indices, self.base_dir)
        array = np.zeros(sparse.dims, elements.dtype)
        if indices.ndim == 1:
            array.reshape(-1)[indices] = elements
        else:
            array[tuple(indices.T)] = elements
        return value_from_array(array, sparse.values.data_type)

    def read_node(self, proto: NodeProto) -> Node:
        domain = _short(proto.domain)
        function = self.functions.get((domain, proto.op_type, proto.overload))
        name = f"'{proto.name}'" if proto.name else f"that computes {', '.join(proto.output)}"
        if function is None and domain not in self.opsets:
            raise OnnxError(
                f"node {name} is of the domain '{domain}', which the model does not import"
            )
        opset = self.opsets.get(domain, 1)
        attributes = {a.name: self.read_attribute(a) for a in proto.attribute if a.type}
        computes = None
        if function is None:
            schema = find_schema(domain, proto.op_type, opset)
            computes = find_operator(domain, proto.op_type, opset)
            if schema is not None:
                self.check(proto, schema, domain, opset, name)
                defaults = {
                    attribute.name: self.read_attribute(attribute.default_value)
                    for attribute in schema.attributes.values()
                    if attribute.default_value.type
                }
                attributes = {**defaults, **attributes}
            has_body = schema is not None and (
                schema.has_function or schema.has_context_dependent_function
            )
            if computes is None and not has_body:
                raise unsupported(domain, proto.op_type, opset, name)
        return Node(
            proto.name,
            domain,
            proto.op_type,
            opset,
            tuple(proto.input),
            tuple(proto.output),
            attributes,
            proto,
            computes,
            {},
        )

    def check(
        self, proto: NodeProto, schema: onnx.defs.OpSchema, domain: str, opset: int, name: str
    ) -> None:
        """Raises an error for attributes and numbers of inputs that the standard does not have."""
        for attribute in proto.attribute:
            if attribute.name not in schema.attributes:
                raise unsupported(
                    domain,
                    proto.op_type,
                    opset,
                    name,
                    f"it has no attribute '{attribute.name}', but {sorted(schema.attributes)}",
                )
        if schema.deprecated:
            raise unsupported(domain, proto.op_type, opset, name, "it is not of this opset anymore")
        if not schema.min_input <= len(proto.input) <= schema.max_input:
            raise unsupported(
                domain,
                proto.op_type,
                opset,
                name,
                f"it has {len(proto.input)} inputs, not {schema.min_input} to {schema.max_input}",
            )

    def read_attribute(self, proto: AttributeProto) -> Any:
        """An attribute as a number, a string, a value, a graph, or a list of these."""
        kind = proto.type
        if kind == AttributeProto.GRAPH:
            return self.read_graph(proto.g)
        if kind == AttributeProto.TENSOR:
            return value_from_proto(proto.t, self.base_dir)
        if kind == AttributeProto.SPARSE_TENSOR:
            return self.read_sparse(proto.sparse_tensor)
        if kind in (AttributeProto.TYPE_PROTO, AttributeProto.TYPE_PROTOS, AttributeProto.GRAPHS):
            return None
        value = onnx.helper.get_attribute_value(proto)
        if isinstance(value, bytes):
            return value.decode("utf-8", "surrogateescape")
        if kind == AttributeProto.STRINGS:
            return [part.decode("utf-8", "surrogateescape") for part in value]
        if isinstance(value, (int, float)):
            return value
        return list(value)

    def read_body(self, function: FunctionProto, node: Node) -> Graph:
        """The graph that computes a node of a function, with the node's attributes."""
        given = {attribute.name: attribute for attribute in function.attribute_proto}
        given.update((attribute.name, attribute) for attribute in node.proto.attribute)
        opsets = {opset.domain: opset.version for opset in function.opset_import}
        reader = Reader({**self.opsets, **opsets}, self.functions.values(), self.base_dir)
        nodes = []
        for proto in function.node:
            copy = NodeProto()
            copy.CopyFrom(proto)
            _substitute(copy, given)
            nodes.append(reader.read_node(copy))
        inputs, outputs = tuple(function.input), tuple(function.output)
        return Graph(function.name, inputs, {}, outputs, {}, tuple(nodes), is_function=True)

    def standard_body(self, node: Node, types: list[TypeProto]) -> Graph:
        """The graph by which the standard defines an operator, for inputs of these types."""
        schema = find_schema(node.domain, node.op, node.opset)
        assert schema is not None
        if schema.has_function:
            version = _version_for(schema.function_opset_versions, node.opset)
            data = schema.get_function_with_opset_version(version)
        else:
            version = _version_for(schema.context_dependent_function_opset_versions, node.opset)
            proto = NodeProto()
            proto.CopyFrom(node.proto)
            data = schema.get_context_dependent_function_with_opset_version(
                version, proto.SerializeToString(), [kind.SerializeToString() for kind in types]
            )
        function = data if isinstance(data, FunctionProto) else FunctionProto.FromString(data)
        defaults = {
            attribute.name: attribute.default_value
            for attribute in schema.attributes.values()
            if attribute.default_value.type
        }
        for name, value in defaults.items():
            if all(attribute.name != name for attribute in function.attribute_proto):
                function.attribute_proto.append(value)
        return self.read_body(function, node)


def _short(domain: str) -> str:
    return "" if domain == kLongDomain else domain


def _version_for(versions: list[int], opset: int) -> int:
    """The newest of these versions that is not newer than the opset, or the oldest."""
    return max((version for version in versions if version <= opset), default=min(versions))


def _substitute(node: NodeProto, given: Mapping[str, AttributeProto]) -> None:
    """Replaces references to attributes of the function; those that are absent are left out."""
    kept = []
    for attribute in node.attribute:
        if attribute.ref_attr_name:
            if (value := given.get(attribute.ref_attr_name)) is None:
                continue
            name = attribute.name
            attribute = AttributeProto()
            attribute.CopyFrom(value)
            attribute.name = name
        elif attribute.HasField("g"):
            for inner in attribute.g.node:
                _substitute(inner, given)
        kept.append(attribute)
    copies = [AttributeProto.FromString(attribute.SerializeToString()) for attribute in kept]
    del node.attribute[:]
    node.attribute.extend(copies)
