#!/bin/bash
# Makes an archive of this build for a machine that has a GPU and none of the
# packages that this project is built with; docs/gpu.md says how it is used there.
# Ninja calls it (cmake/TinyGradBundle.cmake):
#
#   ninja -C build gpu-bundle          makes build/gpu-bundle/tinygrad-gpu.tar.xz
#   ninja -C build gpu-bundle-folder   only the folder that the archive holds
#
#   gpu-bundle.sh names FOLDER LLVM MLIR    lists in FOLDER which names of the
#                                           libraries LLVM and MLIR the programs
#                                           of FOLDER/programs.txt use
#   gpu-bundle.sh folder FOLDER LIBRARY     makes FOLDER/tinygrad-gpu, with LIBRARY
#                                           in place of both
#   gpu-bundle.sh pack FOLDER               makes the archive of it
#
# Each writes its results anew.

set -euo pipefail
source=$(cd "$(dirname "$0")/.." && pwd)
data=/usr/share/datasets/fashion-mnist

fail() {
  echo "gpu-bundle.sh: $*" >&2
  exit 1
}

# Symbols without their versions.
bare() { sed 's/@.*//' | LC_ALL=C sort -u; }

list_names() {
  local folder=$1 llvm=$2 mlir=$3 version
  cd "$folder"
  mapfile -t programs <programs.txt
  nm -D --defined-only "$llvm" "$mlir" | awk 'NF == 3 { print $3 }' | bare >shared.txt
  # Also those that the programs define: a program and its libraries have one
  # variable of a name.
  nm -D "${programs[@]}" | awk 'NF >= 2 { print $NF }' | bare |
    LC_ALL=C comm -12 - shared.txt >used.txt
  nm -D --undefined-only "${programs[@]}" | awk '$1 == "U" { print $2 }' | bare |
    LC_ALL=C comm -12 - shared.txt >needed.txt
  version=$(nm -D --undefined-only "${programs[@]}" |
    sed -n 's/.*@\(LLVM_[0-9.]*\)$/\1/p' | sort -u)
  [ "$(wc -w <<<"$version")" = 1 ] ||
    fail "the programs need these versions of LLVM, and not one:" $version
  {
    echo "$version { global:"
    sed 's/$/;/' used.txt
    echo "local: *; };"
  } >names.map
  {
    sed 's/^/-Wl,-u,/' needed.txt
    echo "-Wl,-soname,$(soname "$llvm")"
  } >names.rsp
  soname "$mlir" >mlir-name.txt
}

# Lets a program find its libraries where the bundle has them.
set_library_path() {
  local file=$1 old
  old=$(readelf -d "$file" | sed -n 's/.*(RUNPATH).*\[\(.*\)\]/\1/p')
  [ "$old" != '$ORIGIN/../lib' ] || return 0
  cat >"$work/rpath.cmake" <<END
file(RPATH_CHANGE FILE "$file" OLD_RPATH "$old" NEW_RPATH "\$ORIGIN/../lib")
END
  cmake -P "$work/rpath.cmake"
}

# The first COUNT images, or labels, of a file of the data set.
cut_data() {
  local name=$1 count=$2 head=$3 size=$4
  # Its reader stops early.
  { gzip -dc "$data/$name.gz" 2>/dev/null || true; } |
    head -c $((head + count * size)) >"$root/data/$name"
  printf "$(printf '\\x%02x' 0 0 $((count / 256)) $((count % 256)))" |
    dd of="$root/data/$name" bs=1 seek=4 conv=notrunc status=none
}

# The name by which programs ask for a library.
soname() { readelf -d "$1" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p'; }

# The newest version of a library that the bundle's files need: glibc GLIBC_.
newest() {
  objdump -T "$root"/bin/* "$root"/lib/*.so* 2>/dev/null |
    grep -o "$1[0-9.]*[0-9]" | sort -Vu | tail -1 | sed "s/$1//"
}

make_folder() {
  local library=$2 file name missing llvm mlir
  work=$1 root=$1/tinygrad-gpu
  [ -d "$source/test/Execution" ] || fail "$source has no test/Execution"
  rm -rf "$root"
  mkdir -p "$root"/{bin,lib/older,test,data,benchmarks}
  while read -r file; do
    strip -s -o "$root/bin/${file##*/}" "$file"
    set_library_path "$root/bin/${file##*/}"
  done <"$work/programs.txt"

  llvm=$(soname "$library") mlir=$(cat "$work/mlir-name.txt")
  cp "$library" "$root/lib/$llvm"
  ln -s "$llvm" "$root/lib/$mlir"
  # The others, but for those of the C library. Those of the compiler are for
  # machines that have none, or older ones: a driver may need newer ones than
  # these.
  ldd "$root"/bin/* | sed -n 's/^[[:space:]]*\(lib[^ ]*\) => \(\/[^ ]*\) .*/\1 \2/p' |
    sort -u | while read -r name file; do
    case "$name" in
    libc.so* | libm.so* | libdl.so* | libpthread.so* | librt.so* | "$llvm" | "$mlir") ;;
    libstdc++.so* | libgcc_s.so*) cp -L "$file" "$root/lib/older/$name" ;;
    *) cp -L "$file" "$root/lib/$name" ;;
    esac
  done
  # Nothing may be missing, in any of them.
  missing=$(ldd -r "$root"/bin/* 2>&1 | grep -E 'undefined symbol|not found|no version' || true)
  [ -z "$missing" ] || fail "the library in place of LLVM's lacks names:" "$missing"
  missing=$(ldd "$root"/bin/* | grep -oE '=> /[^ ]*' | sort -u |
    grep -vE "=> $root/|/(libc|libm|libdl|libpthread|librt|libstdc\+\+|libgcc_s)\.so" || true)
  [ -z "$missing" ] || fail "libraries would be missing elsewhere:" "$missing"

  mv "$root/bin/tg-test-check" "$root/bin/FileCheck"
  cat >"$root/bin/not" <<'END'
#!/bin/sh
# Succeeds if a command fails, but not if it crashes.
"$@"
status=$?
[ $status -ne 0 ] && [ $status -lt 128 ]
END
  chmod +x "$root/bin/not"
  cp -r "$source/test/Execution" "$root/test/"
  cp "$source"/benchmarks/{gpu,layers}.py "$root/benchmarks/"
  cp "$source/scripts/gpu-check.sh" "$source/LICENSE" "$root/"
  if [ -f "$data/train-images-idx3-ubyte.gz" ]; then
    cut_data train-images-idx3-ubyte 12800 16 784
    cut_data train-labels-idx1-ubyte 12800 8 1
    cut_data t10k-images-idx3-ubyte 2000 16 784
    cut_data t10k-labels-idx1-ubyte 2000 8 1
  else
    echo "gpu-bundle.sh: without images: dataset-fashion-mnist is not installed"
  fi
  cat >"$root/facts" <<END
commit=$(git -C "$source" describe --always --dirty 2>/dev/null || echo unknown)
machine=$(uname -m)
glibc=$(newest GLIBC_)
END
  echo "gpu-bundle.sh: $root: $(du -sm --apparent-size "$root" | cut -f1) MB, for" \
    "$(sed -n 's/machine=//p' "$root/facts") with glibc" \
    "$(sed -n 's/glibc=//p' "$root/facts") or newer"
}

pack() {
  local archive=$1/tinygrad-gpu.tar.xz
  echo "gpu-bundle.sh: compressing, which takes minutes"
  tar -C "$1" --sort=name --owner=0 --group=0 --numeric-owner -cf - tinygrad-gpu |
    nice xz -T0 --x86 --lzma2=preset=6,dict=64MiB >"$archive.part"
  mv "$archive.part" "$archive"
  echo "gpu-bundle.sh: $archive: $(du -m --apparent-size "$archive" | cut -f1) MB"
}

case "${1-} $#" in
"names 4") list_names "${@:2}" ;;
"folder 3") make_folder "${@:2}" ;;
"pack 2") pack "${@:2}" ;;
*)
  sed -n '2,19s/^# \{0,1\}//p' "$0" >&2
  exit 2
  ;;
esac
