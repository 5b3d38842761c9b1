#!/usr/bin/env python3
"""Checks the Python package that pip has installed, where nothing else is.

usage: check-wheel.py LLVM-READELF      by the interpreter that has the package

It needs no library but those of the system, exports no symbol but its entry
point, imports quickly, and computes.
"""

import re
import subprocess
import sys
import time
from pathlib import Path

begin = time.process_time()
import tinygrad_mlir  # noqa: E402

seconds = time.process_time() - begin

SYSTEM = re.compile(r"(libc|libm|libstdc\+\+|libgcc_s|libpthread|libdl|ld-linux.*)\.so\.\d+$")
# Where everything is much slower than it should be, half a second of processor time,
# which other programs do not take part in, in the best of a few processes: the first
# one may read from the disk.
SLOWEST_IMPORT, IMPORTS = 0.5, 4
TIMED_IMPORT = """
import time
begin = time.process_time()
import tinygrad_mlir
print(time.process_time() - begin)
"""
LARGEST = 100 << 20


def import_once():
    """Processor seconds that an import takes in a new process."""
    command = [sys.executable, "-c", TIMED_IMPORT]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def main():
    package = Path(tinygrad_mlir.__file__).parent
    if (package / "src").exists() or "site-packages" not in package.parts:
        sys.exit(f"{package} is not what pip has installed")
    mistakes = []

    def read_elf(*arguments):
        return subprocess.run(
            [sys.argv[1], *arguments], capture_output=True, text=True, check=True
        ).stdout

    extensions = list(package.glob("_core.*.so"))
    for library in [*extensions, *package.glob("lib*.so*")]:
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", read_elf("--dynamic", library))
        own = {path.name for path in package.iterdir()}
        others = [name for name in needed if not SYSTEM.match(name) and name not in own]
        if others or not needed:
            mistakes.append(f"{library.name} needs {others}, of {needed}")
        if library.stat().st_size > LARGEST:
            mistakes.append(f"{library.name} has {library.stat().st_size} bytes")
    symbols = read_elf("--dyn-syms", "--wide", extensions[0])
    exported = [
        line.split()[-1]
        for line in symbols.splitlines()
        if re.search(r" (GLOBAL|WEAK) +DEFAULT +\d", line)
    ]
    if exported != ["PyInit__core"]:
        mistakes.append(f"{extensions[0].name} exports {exported[:10]}")
    for name in ("py.typed", "_core.pyi"):
        if not (package / name).exists():
            mistakes.append(f"there is no {name}")
    best = seconds
    for _ in range(IMPORTS - 1):
        if best > SLOWEST_IMPORT:
            best = min(best, import_once())
    if best > SLOWEST_IMPORT:
        mistakes.append(f"importing it takes {best:.2f} s")

    x = tinygrad_mlir.Tensor([[1.0, 2.0], [3.0, 4.0]])
    if (x @ x).relu().sum(0).tolist() != [22.0, 32.0]:
        mistakes.append("it computes something else")
    if mistakes:
        sys.exit("\n".join(mistakes))
    sizes = sum(path.stat().st_size for path in package.iterdir())
    print(f"imported in {1000 * best:.0f} ms, {sizes / 1e6:.1f} MB installed")


if __name__ == "__main__":
    main()
