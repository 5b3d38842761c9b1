"""check-program.py PROGRAM MEGABYTES: whether a program is not larger than that, and
needs no shared library of LLVM or MLIR."""

import subprocess
import sys
from pathlib import Path

program, limit = Path(sys.argv[1]), float(sys.argv[2])
listed = subprocess.run(["ldd", program], stdout=subprocess.PIPE, text=True, check=True).stdout
libraries = [line.split()[0] for line in listed.splitlines() if "=>" in line]
wrong = [name for name in sorted(libraries) if name.startswith(("libLLVM", "libMLIR"))]
size = program.stat().st_size / 1e6
print(f"{program.name}: {size:.1f} MB, needs {' '.join(sorted(libraries))}")
if not libraries or wrong:
    sys.exit(f"{program.name} needs {' '.join(wrong) or 'no library at all'}")
if size > limit:
    sys.exit(f"{program.name} has {size:.1f} MB, more than {limit:g}")
