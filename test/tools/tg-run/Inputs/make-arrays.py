"""Makes the inputs of arrays.mlir, and checks its results."""

import sys

import numpy as np

command, prefix = sys.argv[1:]
a = np.arange(6, dtype=np.float32).reshape(2, 3)
b = np.array([True, False, True, False])
c = np.array([2**64 - 1, 0], dtype=np.uint64)
d = np.array([0x38, 0xFE], dtype=np.uint8)
if command == "make":
    # Fortran order and another byte order are a part of the format.
    np.save(prefix + ".0.npy", np.asfortranarray(a))
    np.save(prefix + ".1.npy", b)
    np.save(prefix + ".2.npy", c.astype(">u8"))
    np.save(prefix + ".3.npy", d)
else:
    expected = [-a, ~b, c + np.uint64(1), np.array([1, -448], np.float32)]
    for i, array in enumerate(expected):
        result = np.load(f"{prefix}.r{i}.npy")
        assert result.dtype == array.dtype, (i, result.dtype)
        np.testing.assert_array_equal(result, array)
