#!/bin/bash
# Compares the times of training steps with those of PyTorch, JAX and the Python
# package tinygrad, which are installed in the build folder (several GB).
#
#   benchmarks/training/run.sh [ROW...]        see --help

set -euo pipefail
cd "$(dirname "$0")/../.."

if [ ! -f build/build.ninja ]; then
  cmake --preset release
fi
cmake --build --preset release --target training
venv=build/training-venv
if ! "$venv/bin/python" -c 'import torch, jax, tinygrad' 2>/dev/null; then
  python3 -m venv "$venv"
  "$venv/bin/pip" -q install torch==2.15.0 'jax[cpu]==0.10.2' \
    tinygrad==0.14.0 numpy==2.4.6
fi
exec "$venv/bin/python" benchmarks/training/compare.py "$@"
