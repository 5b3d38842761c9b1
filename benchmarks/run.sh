#!/bin/bash
# Compares the times of the compiler's programs with memcpy, OpenBLAS and the
# Python package tinygrad, which is installed in the build folder.
#
#   benchmarks/run.sh [ROW...]        see --help

set -euo pipefail
cd "$(dirname "$0")/.."

if [ ! -f build/build.ninja ]; then
  cmake --preset release
fi
cmake --build --preset release --target suite
venv=build/benchmark-venv
if ! "$venv/bin/python" -c 'import tinygrad, numpy' 2>/dev/null; then
  python3 -m venv "$venv"
  "$venv/bin/pip" -q install tinygrad==0.14.0 numpy
fi
exec "$venv/bin/python" benchmarks/compare.py "$@"
