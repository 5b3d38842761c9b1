#!/bin/bash
# Formats every tracked C and C++ source in place.
set -euo pipefail
cd "$(dirname "$0")/.."
git ls-files -z -- '*.cpp' '*.h' '*.c' |
  xargs -0 -r /usr/lib/llvm-22/bin/clang-format -i
