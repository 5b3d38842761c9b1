#!/bin/bash
# Installs what is needed, builds everything and runs every test. The last
# line is the sum over all suites; the exit status is non-zero when anything
# failed.
#
#   scripts/test.sh                 the release preset, all suites and checks
#   scripts/test.sh --sanitize      the suites with address and UB sanitizers,
#                                   and mutated inputs
#   scripts/test.sh --tsan          the tests of threads, with their sanitizer
#   scripts/test.sh --ci            the release preset, --sanitize and --tsan
#   scripts/test.sh --debug         the suites of the debug preset
#   scripts/test.sh --suite NAME    only this suite (repeatable), see --list
#   scripts/test.sh --list          names the suites
#   scripts/test.sh --no-build      tests what is built already
#   scripts/test.sh --all           the suites tidy and includes check every
#                                   source, and not what a change reaches
#   scripts/test.sh --base REVISION ... what differs from this commit

set -euo pipefail
cd "$(dirname "$0")/.."

presets=(release)
build=1
run_arguments=()
while [ $# -gt 0 ]; do
  case "$1" in
  --sanitize) presets=(sanitize) ;;
  --tsan) presets=(tsan) ;;
  --ci) presets=(release sanitize tsan) ;;
  --debug) presets=(debug) ;;
  --no-build) build=0 ;;
  --suite)
    if [ $# -lt 2 ]; then
      echo "test.sh: --suite needs a name; see --list" >&2
      exit 2
    fi
    suites=$(python3 scripts/run-suites.py --list | cut -d " " -f 1)
    if ! grep -qxF -e "$2" <<<"$suites"; then
      echo "test.sh: there is no suite '$2', only" $suites >&2
      exit 2
    fi
    run_arguments+=(--suite "$2")
    shift
    ;;
  --all) run_arguments+=(--all) ;;
  --base)
    if [ $# -lt 2 ] || ! git rev-parse --verify --quiet "$2^{commit}" >/dev/null; then
      echo "test.sh: --base needs a revision, not '${2-}'" >&2
      exit 2
    fi
    run_arguments+=(--base "$2")
    shift
    ;;
  --list) exec python3 scripts/run-suites.py --list ;;
  -h | --help)
    sed -n '2,18s/^# \{0,1\}//p' "$0"
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

if [ "$build" -eq 1 ]; then
  log=$(mktemp)
  trap 'rm -f "$log"' EXIT
  # Without a terminal ninja prints a line for every file: print failures only.
  ninja_flags=()
  if [ ! -t 1 ]; then
    ninja_flags=(-- --quiet)
  fi
  for preset in "${presets[@]}"; do
    start=$SECONDS
    # The Python package is built and tested with the preset release alone.
    options=(-DTINYGRAD_PYTHON=OFF)
    if [ "$preset" = release ]; then
      if ! scripts/python-venv.sh build/python-venv; then
        echo "0 passed, 1 failed"
        exit 1
      fi
      options=(-DTINYGRAD_PYTHON=ON
        "-DPython_EXECUTABLE=$PWD/build/python-venv/bin/python")
    fi
    if ! cmake --preset "$preset" "${options[@]}" >"$log" 2>&1; then
      cat "$log" >&2
      echo "test.sh: configuring failed" >&2
      echo "0 passed, 1 failed"
      exit 1
    fi
    targets=(all tinygrad-tests)
    if [ "$preset" = tsan ]; then
      targets=(tinygrad-thread-tests)
    fi
    if ! cmake --build --preset "$preset" --target "${targets[@]}" \
      "${ninja_flags[@]}"; then
      echo "test.sh: the build of the preset $preset failed" >&2
      echo "0 passed, 1 failed"
      exit 1
    fi
    echo "build ($preset): $((SECONDS - start)) s"
  done
fi

for preset in "${presets[@]}"; do
  run_arguments+=(--preset "$preset")
done
# The system's Python: it is the one that Debian's NumPy belongs to.
exec /usr/bin/python3 scripts/run-suites.py \
  ${run_arguments[@]+"${run_arguments[@]}"}
