#!/bin/bash
# Formats every tracked C and C++ source in place, and those of the Python package.
set -euo pipefail
cd "$(dirname "$0")/.."
git ls-files -z -- '*.cpp' '*.h' '*.c' |
  xargs -0 -r /usr/lib/llvm-22/bin/clang-format -i
ruff=build/python-venv/bin/ruff
if [ -x "$ruff" ]; then
  git ls-files -z -- 'python/*.py' 'benchmarks/python/*.py' |
    xargs -0 -r "$ruff" format --quiet --no-cache
else
  echo "format.sh: Python is not formatted without $ruff: scripts/python-venv.sh" >&2
fi
