#!/bin/bash
# Installs what is needed, builds the demo and runs it: 10,000 photographs of
# clothes, classified by kernels that are compiled while you watch.
#
#   scripts/demo.sh [ARGUMENT...]      arguments go to the demo (--help)
#
# DEBUG=2 in the environment prints every kernel that runs.

set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh --demo
echo "demo: configuring and building (some minutes the first time)"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! cmake --preset release >"$log" 2>&1; then
  cat "$log" >&2
  exit 1
fi
cmake --build --preset release --target fashion-centroids
build/bin/fashion-centroids "$@"
