"""The types of elements."""

from tinygrad_mlir import _core
from tinygrad_mlir._core import DType, to_dtype


class dtypes:
    """All types of elements, by tinygrad's, C's and NumPy's names."""


for _name, _dtype in _core.dtype_names.items():
    setattr(dtypes, _name, _dtype)
