"""What nodes pass to each other.

A value is a tensor, a Constant, a Narrow, a list of values (a sequence), or None (an optional
value or input that is absent).
"""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np
import onnx
from onnx import TensorProto, numpy_helper
from onnx.checker import ValidationError

from tinygrad_mlir._core import DType, Tensor, tensor_from_bytes
from tinygrad_mlir.dtype import dtypes
from tinygrad_mlir.nn.onnx.errors import OnnxError, UnsupportedOnnxError

#: Constants with more elements become tensors: shapes and axes are smaller.
kLargestConstant = 1 << 12

#: The element types of ONNX that are those of tensors.
DTYPES: dict[int, DType] = {
    TensorProto.FLOAT: dtypes.float32,
    TensorProto.UINT8: dtypes.uint8,
    TensorProto.INT8: dtypes.int8,
    TensorProto.UINT16: dtypes.uint16,
    TensorProto.INT16: dtypes.int16,
    TensorProto.INT32: dtypes.int32,
    TensorProto.INT64: dtypes.int64,
    TensorProto.BOOL: dtypes.bool,
    TensorProto.FLOAT16: dtypes.float16,
    TensorProto.DOUBLE: dtypes.float64,
    TensorProto.UINT32: dtypes.uint32,
    TensorProto.UINT64: dtypes.uint64,
    TensorProto.BFLOAT16: dtypes.bfloat16,
    TensorProto.FLOAT8E4M3FN: dtypes.fp8e4m3,
    TensorProto.FLOAT8E4M3FNUZ: dtypes.fp8e4m3fnuz,
    TensorProto.FLOAT8E5M2: dtypes.fp8e5m2,
    TensorProto.FLOAT8E5M2FNUZ: dtypes.fp8e5m2fnuz,
}
ELEMENT_TYPES: dict[DType, int] = {dtype: element for element, dtype in DTYPES.items()}

#: Narrower element types, and the dtype of the tensors that hold their values.
NARROW: dict[int, DType] = {
    TensorProto.INT4: dtypes.int8,
    TensorProto.INT2: dtypes.int8,
    TensorProto.UINT4: dtypes.uint8,
    TensorProto.UINT2: dtypes.uint8,
    TensorProto.FLOAT4E2M1: dtypes.float32,
    TensorProto.FLOAT8E8M0: dtypes.float32,
}


def name_of_type(element: int) -> str:
    """The standard's name of an element type, such as "FLOAT16"."""
    names: dict[int, str] = {number: name for name, number in TensorProto.DataType.items()}
    return names.get(element, f"number {element}")


def held_dtype(element: int) -> DType:
    """The dtype of the tensors that hold an element type (UnsupportedOnnxError for strings)."""
    dtype = DTYPES.get(element) or NARROW.get(element)
    if dtype is None:
        raise UnsupportedOnnxError(
            f"elements of the type {name_of_type(element)}: there are no tensors of them"
        )
    return dtype


class Narrow:
    """Elements of 2 or 4 bits, or exponents, in a tensor of a wider type."""

    __slots__ = ("element", "tensor")

    def __init__(self, tensor: Tensor, element: int) -> None:
        self.tensor, self.element = tensor, element


class Constant:
    """Elements that are known before the model runs; shapes are computed from these."""

    __slots__ = ("_tensor", "array")

    def __init__(self, array: np.ndarray) -> None:
        self.array = np.asarray(array)
        self._tensor: Tensor | None = None

    @property
    def tensor(self) -> Tensor:
        """The elements as a tensor, which is made once."""
        if self._tensor is None:
            self._tensor = tensor_from_array(self.array)
        return self._tensor

    def move(self, device: str) -> None:
        """Moves the tensor, if there is one, to the device on which it is used now."""
        if self._tensor is not None:
            self._tensor = self._tensor.to(device)


Value: TypeAlias = "Tensor | Constant | Narrow | list[Any] | None"


def tensor_from_array(array: np.ndarray) -> Tensor:
    """A tensor of the elements; one element becomes a constant of the program."""
    if array.dtype.kind in "OUS":
        raise UnsupportedOnnxError("strings: there are no tensors of them")
    dtype = held_dtype(onnx.helper.np_dtype_to_tensor_dtype(array.dtype))
    if array.size == 1 and dtype in (dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64):
        return Tensor.full(array.shape, array.item(), dtype=dtype, buffer=False)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if array.dtype.isbuiltin == 1:
        return Tensor(array)
    return tensor_from_bytes(np.ascontiguousarray(array).tobytes(), dtype, array.shape)


def value_from_array(array: np.ndarray, element: int) -> Value:
    """The value of a tensor of a model."""
    if element in NARROW:
        held = {"b": np.bool_, "i": np.int8, "u": np.uint8}.get(array.dtype.name[0], np.float32)
        return Narrow(tensor_from_array(array.astype(held)), element)
    if array.size <= kLargestConstant:
        return Constant(array)
    return tensor_from_array(array)


def value_from_proto(proto: TensorProto, base_dir: str = "") -> Value:
    """The value of a tensor of a model, whose external data are in a folder."""
    held_dtype(proto.data_type)
    if any(size < 0 for size in proto.dims):
        raise OnnxError(f"tensor '{proto.name}' has the negative size {min(proto.dims)}")
    try:
        array = numpy_helper.to_array(proto, base_dir)
    except (ValueError, TypeError, OSError, ValidationError) as error:
        raise OnnxError(f"tensor '{proto.name}': {error}") from error
    return value_from_array(array, proto.data_type)


def to_tensor(value: Any) -> Tensor:
    """A value as a tensor."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, Constant):
        return value.tensor
    if isinstance(value, Narrow):
        raise UnsupportedOnnxError(
            f"elements of the type {name_of_type(value.element)}: only operators that convert or "
            "move them take these"
        )
    kind = "a sequence" if isinstance(value, list) else "None" if value is None else repr(value)
    raise OnnxError(f"expected a tensor, not {kind}")


def to_array(value: Any) -> np.ndarray:
    """The elements of a value; those of a tensor are computed."""
    if isinstance(value, Constant):
        return value.array
    array: np.ndarray = to_tensor(value).numpy()
    return array


def to_python(value: Any) -> Any:
    """The elements of a value as numbers and lists of them; those of a tensor are computed."""
    if value is None:
        return None
    if isinstance(value, Constant):
        return value.array.tolist()
    return to_tensor(value).tolist()


def is_constant(value: Any) -> bool:
    return isinstance(value, Constant)


def is_small(array: np.ndarray) -> bool:
    return array.size <= kLargestConstant


def element_type(value: Any) -> int:
    """The element type of a tensor of any kind."""
    if isinstance(value, Narrow):
        return value.element
    if isinstance(value, Constant):
        return onnx.helper.np_dtype_to_tensor_dtype(value.array.dtype)
    return ELEMENT_TYPES[to_tensor(value).dtype]


def shape_of(value: Any) -> tuple[int, ...]:
    """The shape of a tensor of any kind."""
    if isinstance(value, Constant):
        return value.array.shape
    if isinstance(value, Narrow):
        return value.tensor.shape
    return to_tensor(value).shape


def number_of_elements(value: Any) -> int:
    return math.prod(shape_of(value))


def type_proto(value: Any) -> onnx.TypeProto:
    """The type of a value, for what the standard infers from types."""
    if value is None:
        return onnx.TypeProto()
    if isinstance(value, list):
        inner = type_proto(value[0]) if value else onnx.TypeProto()
        return onnx.helper.make_sequence_type_proto(inner)
    return onnx.helper.make_tensor_type_proto(element_type(value), shape_of(value))
