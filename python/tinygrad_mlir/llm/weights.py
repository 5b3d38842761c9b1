"""Matrices of models, in as few bytes as their elements need."""

from __future__ import annotations

from tinygrad_mlir._core import DType, Tensor
from tinygrad_mlir.dtype import dtypes
from tinygrad_mlir.nn.gguf import Encoded

__all__ = ["FORMS", "Matrix"]

#: How matrices can be kept; "packed" is described at Matrix.
FORMS = ("packed", "float32", "float16", "bfloat16")


class Matrix:
    """A matrix of (rows, columns) to multiply by, whose kernels decode it while they read it.

    In the form "packed", a quantized matrix stays quantized: integers of a row lie side by side,
    of 8 bits, or of 4 if all of them fit, and each group of columns has a scale, and a minimum if
    its type has minima. Blocks of files have all of that in one place, which kernels read less
    well: a scale is at an odd address and its own load. A matrix of floats stays as it is. The
    other forms convert the elements to that type once.

    Attributes: `shape`, and `nbytes`, the memory that it takes.
    """

    def __init__(self, encoded: Encoded, form: str = "packed") -> None:
        """Raises ValueError for an unknown form and other shapes than of two axes."""
        if form not in FORMS:
            raise ValueError(f"the form {form!r} is not one of {', '.join(FORMS)}")
        if len(encoded.shape) != 2:
            raise ValueError(f"a matrix has two axes, not the shape {encoded.shape}")
        self.shape = rows, columns = encoded.shape
        self._scale: Tensor | None = None
        self._minimum: Tensor | None = None
        self._offset, self._is_split = 0, False
        if form != "packed" or not encoded.is_quantized:
            dtype: DType | None = None if form == "packed" else getattr(dtypes, form)
            values = encoded.decode()
            self._values = values.cast(dtype or values.dtype).contiguous().realize()
            return
        q, scale, minimum = encoded.parts()
        self._group = q.shape[2]
        groups = columns // self._group
        q, scale = q.reshape(rows, columns), scale.reshape(rows, groups)
        least, most = (int(bound.item()) for bound in (q.min(), q.max()))
        if most - least < 16 and columns % 2 == 0:
            # A byte has the elements c and c + columns / 2.
            self._offset, self._is_split = least, True
            q = (q - least).cast(dtypes.uint8)
            q = q[:, : columns // 2].bitwise_or(q[:, columns // 2 :].lshift(4))
        else:
            # All types have -128 to 127.
            q = q.cast(dtypes.int8)
        self._values = q.contiguous().realize()
        self._scale = _shorten(scale)
        self._minimum = None if minimum is None else _shorten(minimum.reshape(rows, groups))

    @property
    def nbytes(self) -> int:
        parts = (self._values, self._scale, self._minimum)
        return sum(int(part.nbytes()) for part in parts if part is not None)

    def _decode(self, values: Tensor, scale: Tensor | None, minimum: Tensor | None) -> Tensor:
        """Some rows as float32."""
        rows, columns = values.shape[0], self.shape[1]
        if scale is None:
            return values.cast(dtypes.float32)
        if self._is_split:
            values = values.bitwise_and(15).cat(values.rshift(4), dim=1)
        # Integers below 2^24 are exact, so that this has the bits of integer arithmetic.
        q = values.cast(dtypes.float32) + self._offset
        result = q.reshape(rows, -1, self._group) * scale.cast(dtypes.float32).unsqueeze(-1)
        if minimum is not None:
            result = result - minimum.cast(dtypes.float32).unsqueeze(-1)
        return result.reshape(rows, columns)

    def rows(self, indices: Tensor) -> Tensor:
        """The rows of a vector of indices, as float32 of (indices, columns)."""

        def pick(part: Tensor | None) -> Tensor | None:
            return None if part is None else part[indices]

        return self._decode(self._values[indices], pick(self._scale), pick(self._minimum))

    def __call__(self, x: Tensor) -> Tensor:
        """x of (n, columns), times the transposed matrix: (n, rows).

        One row is multiplied by what a kernel decodes on the way. For more rows, the matrix is
        decoded first: else each tile of the product would decode it again.
        """
        decoded = self._decode(self._values, self._scale, self._minimum)
        if x.shape[0] != 1 and self._scale is not None:
            decoded = decoded.contiguous()
        return x.matmul(decoded.T)


def _shorten(numbers: Tensor) -> Tensor:
    """As float16 if that has all of them, else as they are."""
    numbers = numbers.contiguous().realize()
    half = numbers.cast(dtypes.float16)
    return (half if (half == numbers).all().item() else numbers).contiguous().realize()
