#!/bin/bash
# Installs what building and testing need, on Debian 12. Does nothing when all
# of it is there. Run as root, or as a user who may use sudo.
#
#   scripts/setup.sh [--demo | --bench]
#
#   --demo    only what building and the demo need
#   --bench   also what benchmarks compare against (OpenBLAS, PyTorch,
#             a Python venv)

set -euo pipefail

build_packages=(
  cmake ninja-build ccache git ca-certificates
  # The compiler, its linker and run-time libraries (sanitizers), and MLIR.
  clang-22 lld-22 libclang-rt-22-dev
  llvm-22-dev llvm-22-tools libmlir-22-dev mlir-22-tools
  # The linker of code for AMD's GPUs, and what it links.
  liblld-22-dev libzstd-dev
  # Compressed data sets (IDX files).
  zlib1g-dev
  # Threads on the CPU.
  libtbb-dev
  # Stacks for the work items of simulated GPU kernels.
  libboost-context-dev
  # The build looks for GoogleTest whether or not tests are built.
  libgtest-dev libgmock-dev
  # lit, and NumPy as the tests' reference.
  python3 python3-numpy
  # The demo's images.
  dataset-fashion-mnist
)
test_packages=(
  clang-format-22 clang-tidy-22
  # The Python package; the rest of what it needs is in scripts/python-venv.sh.
  python3-dev python3-venv
  # A plugin of clang-tidy.
  libclang-22-dev
  # The public headers are compiled with GCC too.
  gcc g++
  # Libraries that the compiler makes are called from Fortran, and on AArch64.
  gfortran qemu-user
  # A program in C finds the installed package.
  pkgconf
  # Proofs of index arithmetic.
  z3
  # The text that examples/transformer learns.
  fortunes
  # The archive for machines with a GPU.
  xz-utils
)
# C source is compiled for 32-bit x86, too. Debian has these on x86-64 alone.
if [ "$(uname -m)" = x86_64 ]; then
  test_packages+=(lib32gcc-12-dev libc6-dev-i386)
fi
bench_packages=(
  libopenblas-dev python3-pip python3-torch
)

case "${1:-}" in
--demo) packages=("${build_packages[@]}") ;;
--bench)
  packages=("${build_packages[@]}" "${test_packages[@]}" "${bench_packages[@]}")
  ;;
"") packages=("${build_packages[@]}" "${test_packages[@]}") ;;
-h | --help)
  sed -n '2,9s/^# \{0,1\}//p' "$0"
  exit 0
  ;;
*)
  echo "setup.sh: unknown option '$1'; see --help" >&2
  exit 2
  ;;
esac

missing=()
for package in "${packages[@]}"; do
  if ! dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null |
    grep -q '^.i'; then
    missing+=("$package")
  fi
done
if [ ${#missing[@]} -eq 0 ]; then
  echo "setup: all ${#packages[@]} Debian packages are installed"
  exit 0
fi

if ! command -v apt-get >/dev/null; then
  echo "setup.sh: this is no Debian system (no apt-get); the equivalents of" \
    "these packages are needed: ${missing[*]}" >&2
  exit 1
fi
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "setup.sh: run as root, once: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

echo "setup: installing ${#missing[@]} Debian packages: ${missing[*]}"
# Debian 12 has LLVM 22 in bookworm-security, which is in the default sources.
"${as_root[@]}" apt-get update -q
if ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y -q --no-install-recommends "${missing[@]}"; then
  echo "setup.sh: apt-get could not install the packages above. LLVM 22 is in" \
    "Debian 12's bookworm-security: is that in /etc/apt/sources.list*?" >&2
  exit 1
fi
echo "setup: done"
