#!/bin/bash
# Installs what is needed, builds everything and runs every test. The last
# line is the sum over all suites; the exit status is non-zero when anything
# failed.
#
#   scripts/test.sh                 the release preset, all suites and checks
#   scripts/test.sh --sanitize      the suites with address and UB sanitizers
#   scripts/test.sh --debug         the suites of the debug preset
#   scripts/test.sh --suite NAME    only this suite (repeatable), see --list
#   scripts/test.sh --list          names the suites
#   scripts/test.sh --no-build      tests what is built already

set -euo pipefail
cd "$(dirname "$0")/.."

preset=release
build=1
run_arguments=()
while [ $# -gt 0 ]; do
  case "$1" in
  --sanitize) preset=sanitize ;;
  --debug) preset=debug ;;
  --no-build) build=0 ;;
  --suite)
    if [ $# -lt 2 ]; then
      echo "test.sh: --suite needs a name; see --list" >&2
      exit 2
    fi
    run_arguments+=(--suite "$2")
    shift
    ;;
  --list) exec python3 scripts/run-suites.py --list ;;
  -h | --help)
    sed -n '2,12s/^# \{0,1\}//p' "$0"
    exit 0
    ;;
  *)
    echo "test.sh: unknown option '$1'; see --help" >&2
    exit 2
    ;;
  esac
  shift
done

scripts/setup.sh

start=$SECONDS
if [ "$build" -eq 1 ]; then
  log=$(mktemp)
  trap 'rm -f "$log"' EXIT
  if ! cmake --preset "$preset" >"$log" 2>&1; then
    cat "$log" >&2
    echo "test.sh: configuring failed" >&2
    echo "0 passed, 1 failed"
    exit 1
  fi
  # Without a terminal ninja prints a line for every file: print failures only.
  ninja_flags=()
  if [ ! -t 1 ]; then
    ninja_flags=(-- --quiet)
  fi
  if ! cmake --build --preset "$preset" --target all tinygrad-tests \
    "${ninja_flags[@]}"; then
    echo "test.sh: the build failed" >&2
    echo "0 passed, 1 failed"
    exit 1
  fi
  echo "build: $((SECONDS - start)) s"
fi

# The system's Python: it is the one that Debian's NumPy belongs to.
exec /usr/bin/python3 scripts/run-suites.py --preset "$preset" \
  ${run_arguments[@]+"${run_arguments[@]}"}
