"""Calls a library that tg-compile made, by ctypes; several threads at once, each with a
state of its own, and the library loaded twice."""

import ctypes
import shutil
import sys
import threading


def aligned(count):
    """Memory for so many floats, at a multiple of 64 bytes."""
    raw = (ctypes.c_float * (count + 16))()
    address = ctypes.addressof(raw)
    array = (ctypes.c_float * count).from_buffer(raw, -address % 64)
    return array


def compute(library, bias, results):
    state, y = aligned(1024), aligned(256)
    assert library.net_init(state) == 0
    state[64] = bias
    x = (ctypes.c_float * 1024)(*((i // 16 * 3 + i % 16) % 7 for i in range(1024)))
    for _ in range(200):
        assert library.net_forward(state, x, y, ctypes.c_int64(64)) == 0
    for i in range(64):
        for j in range(4):
            expected = bias + sum(x[i * 16 + k] * (k - j) for k in range(16))
            assert y[i * 4 + j] == expected, (i, j, y[i * 4 + j], expected)
    results.append(bias)


path = sys.argv[1]
shutil.copy(path, path + ".copy")
libraries = [ctypes.CDLL(path), ctypes.CDLL(path + ".copy")]
for library in libraries:
    library.net_message.restype = ctypes.c_char_p
    assert library.net_message(0) == b"no error"
    assert library.net_message(library.net_init(None)) == b"a null pointer"
    assert library.net_message(-1) == library.net_message(1000) == b"no status"
results = []
threads = [
    threading.Thread(target=compute, args=(libraries[i % 2], float(i), results)) for i in range(8)
]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert sorted(results) == [float(i) for i in range(8)], results
print("passed")
