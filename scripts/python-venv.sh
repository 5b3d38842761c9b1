#!/bin/bash
# Makes the Python environment in which the Python package is built and tested:
# the packages of python/requirements.txt, from PyPI. Does nothing when it is
# there and has them.
#
#   scripts/python-venv.sh [FOLDER]     build/python-venv unless given
#
# PYTHON in the environment names another interpreter than Debian's.

set -euo pipefail
cd "$(dirname "$0")/.."

case "${1:-}" in
-h | --help)
  sed -n '2,8s/^# \{0,1\}//p' "$0"
  exit 0
  ;;
-*)
  echo "python-venv.sh: unknown option '$1'; see --help" >&2
  exit 2
  ;;
esac
folder=${1:-build/python-venv}
python=${PYTHON:-/usr/bin/python3}
requirements=python/requirements.txt

# The environment is made again when the packages, the interpreter or the place
# differ: scripts in it have its path.
stamp=$folder/made-from
wanted=$("$python" -V && realpath -m "$folder" && cat "$requirements")
if [ -x "$folder/bin/python" ] && [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ]; then
  echo "python-venv: $folder has the packages of $requirements"
  exit 0
fi

echo "python-venv: installing the packages of $requirements into $folder"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! "$python" -m venv --clear "$folder" >"$log" 2>&1; then
  cat "$log" >&2
  echo "python-venv.sh: $python cannot make environments; on Debian:" \
    "apt-get install python3-venv python3-dev, or run scripts/setup.sh" >&2
  exit 1
fi
if ! "$folder/bin/python" -m pip install --quiet --disable-pip-version-check \
  --no-deps --requirement "$requirements" >"$log" 2>&1; then
  cat "$log" >&2
  echo "python-venv.sh: pip could not install the packages of $requirements." \
    "They come from PyPI; without a network, name a folder of their wheels" \
    "(pip download -r $requirements -d WHEELS, on another machine):" \
    "PIP_NO_INDEX=1 PIP_FIND_LINKS=WHEELS $0 $folder" >&2
  exit 1
fi
echo "$wanted" >"$stamp"
