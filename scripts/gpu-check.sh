#!/bin/bash
# Runs on a GPU what can be said without one only in part: tests of kernels, and
# times. For the folder that `ninja -C build gpu-bundle` packs (docs/gpu.md).
#
#   gpu-check.sh [OPTION...]
#
#   --device NAME    CUDA, AMD, CUDA:1, ..., or CPU or SIM to try the script;
#                    by default the first of CUDA and AMD that is there
#   --budget SECONDS everything ends within this time (540)
#   --out FOLDER     results and logs (./gpu-results); replaced if it exists
#   --only PARTS     these parts, separated by commas; `device` always runs
#   --skip PARTS     all but these
#   --quick          a few rows of each part
#   --parts FILE     more parts: functions of bash, part_NAME, with lines
#                    "parts+=(NAME:SECONDS)"
#   --list           names the parts, in their order
#
# FOLDER/summary.md grows with each part and is Markdown for docs/benchmarks.md;
# FOLDER/logs has what the parts printed. The exit status is 0 if nothing has
# failed, 1 if something has, and 2 if there is no device to try.

set -uo pipefail
root=$(cd "$(dirname "$0")" && pwd)
device= budget=540 out=gpu-results only= skip= quick= list=
# Most valuable first, each with the most seconds that it may take.
parts=(device:60 conformance:60 execution:120 launches:40 speed:120 tensor:120
  training:75 sanitizer:90 memory:60 fashion:60 networks:90 fuzz:90 second:60
  triton:120)

fail() {
  echo "gpu-check.sh: $*" >&2
  exit 2
}

while [ $# -gt 0 ]; do
  case "$1" in
  --device | --budget | --out | --only | --skip | --parts)
    [ $# -ge 2 ] || fail "$1 needs a value; see --help"
    case "$1" in
    --parts)
      [ -r "$2" ] || fail "--parts: there is no file $2"
      # Without a slash, bash would look for it in PATH.
      if [[ "$2" = */* ]]; then source "$2"; else source "./$2"; fi
      ;;
    *) printf -v "${1#--}" %s "$2" ;;
    esac
    shift
    ;;
  --quick) quick=1 ;;
  --list) list=1 ;;
  -h | --help)
    sed -n '2,23s/^# \{0,1\}//p' "$0"
    exit 0
    ;;
  *) fail "unknown option '$1'; see --help" ;;
  esac
  shift
done
for name in ${only//,/ } ${skip//,/ }; do
  [[ " ${parts[*]}" = *" $name:"* ]] || fail "there is no part '$name', only ${parts[*]%%:*}"
done
if [ -n "$list" ]; then
  printf '%s\n' "${parts[@]%%:*}"
  exit 0
fi
[[ "$budget" =~ ^[0-9]+$ ]] || fail "--budget: '$budget' is no number of seconds"

#===-----------------------------------------------------------------------===#
# The machine
#===-----------------------------------------------------------------------===#

[ -r "$root/facts" ] || fail "$root is not the folder that the bundle has unpacked"
fact() { sed -n "s/^$1=//p" "$root/facts"; }
[ "$(uname -m)" = "$(fact machine)" ] ||
  fail "the programs are for $(fact machine), and this machine is $(uname -m)"
has=$(getconf GNU_LIBC_VERSION 2>/dev/null | sed 's/.* //')
if [ -n "$has" ] && [ "$(printf '%s\n' "$has" "$(fact glibc)" | sort -V | head -1)" != "$(fact glibc)" ]; then
  fail "glibc $(fact glibc) is needed, and this machine has $has"
fi
# Without a C++ library, or with an older one, the bundle's.
if ! message=$("$root/bin/tg-run" --version 2>&1); then
  ln -sf older/libstdc++.so.6 older/libgcc_s.so.1 "$root/lib/" 2>/dev/null
  message=$("$root/bin/tg-run" --version 2>&1) ||
    fail "the programs do not run: $message"
fi

begin=$SECONDS
[ ! -e "$out" ] || [ -d "$out/logs" ] || [ -z "$(ls -A "$out" 2>/dev/null)" ] ||
  fail "$out is there, and has no results of this script"
rm -rf "$out"
mkdir -p "$out/logs" || fail "cannot write $out"
out=$(cd "$out" && pwd)
scratch=$(mktemp -d "${TMPDIR:-/tmp}/gpu-check.XXXXXX") || fail "no temporary folder"
running=
trap '[ -z "$running" ] || kill -KILL -- -$running 2>/dev/null; rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
# Settings of a user, which the tests must not see.
for name in DEBUG NOOPT SPEC PROFILE BEAM FTZ ALLOW_TF32 THREADS MCPU MEMLIMIT LRU; do
  unset "$name"
done
export CACHEDIR="$scratch/cache" FALLBACK=0
cores=$(nproc 2>/dev/null || echo 4)

# What a device says when it is opened, or why it cannot be. What it computes is
# seen later.
describe() {
  local text
  text=$(DEBUG=1 timeout -k 5 60 "$root/bin/tg-run" --device="$1" \
    "$root/test/Execution/add.mlir" 2>&1)
  echo "$text"
  grep -q '^opened device ' <<<"$text"
}
if [ -n "$device" ]; then
  opened=$(describe "$device") || fail "$device cannot be used: ${opened:-it did not answer in 60 s}"
else
  for device in CUDA AMD ""; do
    [ -n "$device" ] || fail "there is no GPU to try:$reasons"
    opened=$(describe "$device") && break
    reasons="${reasons-}"$'\n'"  $device: $(sed 's/^error: //' <<<"$opened" | head -3)"
  done
fi
target=$(sed -n 's/^opened device [^ ]* (\(.*\))$/\1/p' <<<"$opened" | tail -1)
product=
case "$device" in
CUDA*)
  number=${device#CUDA}
  if command -v nvidia-smi >/dev/null; then
    product=$(timeout 20 nvidia-smi --query-gpu=name --format=csv,noheader -i "${number:+${number#:}}${number:-0}" 2>/dev/null | head -1)
  fi
  ;;
AMD*)
  if command -v rocm-smi >/dev/null; then
    product=$(timeout 20 rocm-smi --showproductname 2>/dev/null |
      sed -n 's/.*Card [Ss]eries:[[:space:]]*//p' | head -1)
  fi
  ;;
esac
product=${product:-$device} target=${target:-$device}

#===-----------------------------------------------------------------------===#
# Parts
#===-----------------------------------------------------------------------===#

# In a part: the result in words, for the summary.
note() { echo "$*" >>"$notes"; }
# In a part: a table for the summary, of lines that begin with |.
table() { cat >>"$notes.table"; }
left() { echo $((budget - (SECONDS - begin))); }
# In a part: the seconds until it is stopped.
remaining() { echo $((deadline - SECONDS)); }

write_summary() {
  {
    echo "### $product"
    echo
    echo "$(date -u +%Y-%m-%d), commit $(fact commit), device \`$device\` ($target):"
    echo
    echo "| part | device | result | seconds | |"
    echo "|---|---|---|---|---|"
    cat "$scratch/rows"
    cat "$scratch/tables" 2>/dev/null
  } >"$out/summary.md.new"
  mv "$out/summary.md.new" "$out/summary.md"
}

failed=0
touch "$scratch/rows"
# Runs a part for at most so many seconds: its processes are a group, which ends
# with it. One that does not die, in a driver perhaps, is left behind.
run_part() {
  local name=$1 limit=$2 status result end pid start=$SECONDS is_short=
  if [ $limit -gt $(($(left) - 5)) ]; then
    limit=$(($(left) - 5))
    is_short=1
  fi
  if [ $limit -lt 5 ]; then
    echo "| $name | $product | not run | 0 | no time was left |" >>"$scratch/rows"
    return
  fi
  notes=$scratch/$name.notes
  : >"$notes"
  deadline=$((SECONDS + limit))
  mkdir -p "$scratch/$name"
  set -m
  (
    set +m
    cd "$scratch/$name" && "part_$name"
  ) >"$out/logs/$name.log" 2>&1 </dev/null &
  pid=$!
  running=$pid
  set +m
  while kill -0 $pid 2>/dev/null && [ $SECONDS -lt $deadline ]; do sleep 0.1; done
  if kill -0 $pid 2>/dev/null; then
    kill -TERM -- -$pid 2>/dev/null
    end=$((SECONDS + 3))
    while kill -0 -- -$pid 2>/dev/null && [ $SECONDS -lt $end ]; do sleep 0.1; done
    kill -KILL -- -$pid 2>/dev/null
    sleep 0.2
    if [ -n "$is_short" ]; then
      result="not ended: no time was left after $limit s"
    else
      result="FAILED: killed after $limit s"
      failed=1
    fi
  else
    wait $pid 2>/dev/null
    status=$?
    # What it left running.
    kill -KILL -- -$pid 2>/dev/null
    case $status in
    0) result=ok ;;
    77) result=skipped ;;
    *)
      result="FAILED: status $status"
      failed=1
      ;;
    esac
  fi
  running=
  echo "$name: $result, $((SECONDS - start)) s: $(tr '\n' ' ' <"$notes" | cut -c1-200)"
  echo "| $name | $product | $result | $((SECONDS - start)) |" \
    "$(tr '\n|' ' /' <"$notes" | cut -c1-600)|" >>"$scratch/rows"
  if [ -s "$notes.table" ]; then
    {
      echo
      cat "$notes.table"
    } >>"$scratch/tables"
  fi
}

# Gives each row of a table the device's name, behind its first cell.
with_device() {
  awk -v name="$product" '
    /^\|---/ { print "|---" $0 }
    /^\| *row *\|/ { sub(/\| *row *\|/, "| row | device |"); print; next }
    /^\| / { n = index(substr($0, 2), "|"); print substr($0, 1, n + 1) " " name " " substr($0, n + 1) }
    { fflush() }'
}

# Runs a GoogleTest program in shares, side by side, as many as there is time for:
# PROGRAM SHARES [ONLY-SO-MANY].
run_gtest() {
  local program=$1 shares=$2 most=${3-$2} log status=0 passed=0 broken=0 skipped=0 late=0 count
  local time=$(($(remaining) - 4))
  # One that begins has at least so many seconds.
  local end=$(($(date +%s) + time)) least=$((time < 90 ? time / 3 : 30))
  export program shares end least
  seq 0 $((most - 1)) | xargs -P "$workers" -I{} bash -c '
    time=$((end - $(date +%s)))
    [ $time -ge $least ] || { echo "not run" >"$program-{}.log"; exit 0; }
    GTEST_TOTAL_SHARDS=$shares GTEST_SHARD_INDEX={} timeout --foreground $time \
      "$root/bin/$program" --gtest_brief=1 >"$program-{}.log" 2>&1
    echo "status $?" >>"$program-{}.log"'
  for log in "$program"-*.log; do
    if [ "$(cat "$log")" = "not run" ]; then
      late=$((late + 1))
      continue
    fi
    count=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) tests*\..*/\1/p' "$log")
    passed=$((passed + ${count:-0}))
    count=$(sed -n 's/^\[  SKIPPED \] \([0-9]*\) tests*\..*/\1/p' "$log")
    skipped=$((skipped + ${count:-0}))
    count=$(grep -ac '^\[  FAILED  \] .*([0-9]* ms)$' "$log")
    if ! grep -aq '^\[=*\] .* ran\.' "$log"; then
      count=$((count + 1))
      note "a part of $program ended with $(tail -1 "$log"): $(grep -a . "$log" | tail -2 | head -1 | cut -c1-100);"
    fi
    broken=$((broken + count))
    grep -qx "status 0" "$log" || status=1
    echo "== $log"
    cat "$log"
  done
  note "$program: $passed passed, $broken failed, $skipped skipped;"
  [ $late = 0 ] || note "no time for $late of $most parts;"
  note $(grep -ah '^\[  FAILED  \] .* ms)$' "$program"-*.log | sort -u | head -8 |
    sed 's/^\[  FAILED  \] \([^, ]*\).*/\1/')
  [ $((passed + late)) -gt 0 ] || {
    note "no test passed"
    status=1
  }
  return $status
}

part_device() {
  echo "$opened"
  uname -a
  echo "glibc $has, $cores CPUs"
  note "$target;"
  case "$device" in
  CUDA*)
    if command -v nvidia-smi; then
      timeout 20 nvidia-smi
      note "$(timeout 20 nvidia-smi --query-gpu=name,driver_version,memory.total,power.limit,clocks.max.sm --format=csv,noheader);"
    fi
    ;;
  AMD*) if command -v rocm-smi; then timeout 20 rocm-smi --showproductname --showdriverversion; fi ;;
  esac
  DEV=$device "$root/bin/tg-run" --print "$root/test/Execution/matmul.mlir" |
    "$root/bin/FileCheck" "$root/test/Execution/matmul.mlir"
}

part_conformance() {
  export GTEST_FILTER="*/${device%%:*}"
  run_gtest TinyGradDeviceConformanceTests 1
}

# The RUN lines of a test, as a script: what lit makes of them.
run_lines() {
  awk '/RUN: / {
    sub(/^.*RUN: */, "")
    if (sub(/\\$/, "")) { line = line $0; next }
    print line $0
    line = ""
  }' "$1" | sed "s#%s#$1#g; s#%t#$2#g"
}
export -f run_lines

part_execution() {
  local total bad
  export PATH="$root/bin:$PATH" DEV="$device"
  # But for those that choose another device: they say nothing about this one.
  grep -L 'RUN:.* DEV=' "$root"/test/Execution/*.mlir | if [ -n "$quick" ]; then awk 'NR % 12 == 4'; else cat; fi |
    xargs -P "$workers" -I{} bash -c '
      name=$(basename {} .mlir)
      mkdir -p "$name"
      run_lines {} "$PWD/$name/t" >"$name/script"
      timeout --foreground 60 bash -e -o pipefail "$name/script" >"$name/log" 2>&1
      status=$?
      [ -s "$name/script" ] || status=none
      echo "$status $name"' | sort -k2 >results
  cat results
  awk '$1 != 0 { print $2 }' results | while read -r bad; do
    echo "== $bad"
    cat "$bad/log"
  done
  total=$(wc -l <results)
  bad=$(awk '$1 != 0' results | wc -l)
  note "$((total - bad)) of $total files agree with the interpreter;" \
    $(awk '$1 != 0 { print $2 "(" $1 ")" }' results | head -12)
  [ "$bad" = 0 ] && [ "$total" -gt 0 ]
}

# The answer of `suite` to each line of the input.
ask() { DEV=$device timeout --foreground "${1:-60}" "$root/bin/suite" --serve; }
# The least of the numbers of a line, and their median, in us.
least() {
  tr ' ' '\n' | grep . | sort -g | awk '{ v[NR] = $1 }
    END { if (NR) printf "%.1f %.1f\n", v[1] * 1e6, v[int((NR + 1) / 2)] * 1e6 }'
}

part_launches() {
  local n count=20 time row
  echo "| row | device | replayed, us: median (least) | per launch, us |" >t
  echo "|---|---|---|---|" >>t
  for n in 10 100; do
    time=$(echo "replay launches-$n $count" | ask | least)
    [ -n "$time" ] || return 1
    row=$(awk -v n=$n -v name="$product" '{ printf "| launches-%d | %s | %s (%s) | %.2f |", n, name, $2, $1, $1 / n }' <<<"$time")
    echo "$row" >>t
    note "captured list of $n: $(awk -v n=$n '{ printf "%.2f", $1 / n }' <<<"$time") us per launch;"
  done
  cat t
  table <t
  # For the log.
  [ -n "$quick" ] || DEV=$device timeout --foreground 15 "$root/bin/launch-overhead"
  return 0
}

has_torch() {
  python3 -c 'import torch, sys; sys.exit(not torch.cuda.is_available())' >torch.log 2>&1
}
kind_of_rows() {
  if [ -n "$quick" ]; then
    echo increment-128-64 softmax-128-64 matmul-f32-64 matmul-f16-64
    return
  fi
  echo increment-4096-4096 matmul-f16-4096 matmul-bf16-8192 matmul-f32-4096 \
    softmax-4096-4096 layernorm-4096-4096 sum-rows-4096-4096 sum-columns-4096-4096 \
    sum-all-4096-4096 transpose-4096-4096 chain-4096-4096 matmul-f16-1024 \
    matmul-f16-8192 conv-f16-32-64-64-56-3-1-1 conv-32-64-64-56-3-1-1 \
    attention-f16-4-16-2048-64 attention-f16-1-16-8192-64
}

part_speed() {
  local row times bad=0
  if [ "${device%%:*}" != SIM ] && [ "$device" != CPU ] && has_torch; then
    note "beside PyTorch"
    SUITE=$root/bin/suite python3 "$root/benchmarks/gpu.py" --device="$device" \
      --no-triton --rounds=2 --count=5 $(kind_of_rows) matmul-tf32-4096 |
      tee rows /dev/stderr | with_device | table
    bad=${PIPESTATUS[0]}
    note "$(grep '^Results that differ' rows || echo 'it has not come to its end');"
    return $bad
  fi
  note "without PyTorch: $(tail -1 torch.log 2>/dev/null | cut -c1-80);"
  { echo "| row | device | kernels, us: median (least) | rate |"; echo "|---|---|---|---|"; } | table
  for row in $(kind_of_rows); do
    times=$(echo "kernels $row 10" | ask 60 | least)
    echo "$row: $times"
    [ -n "$times" ] || { bad=1; note "$row: no time;"; continue; }
    awk -v row="$row" -v name="$product" '{
      n = split(row, part, "-"); least = $1 * 1e-6; rate = ""
      size = part[2] == "f16" || part[2] == "bf16" ? 2 : 4
      if (part[1] == "matmul")
        rate = sprintf("%.1f TFLOPS", 2 * part[3] ^ 3 / least * 1e-12)
      else if (part[1] == "attention")
        rate = sprintf("%.1f TFLOPS", 4 * part[3] * part[4] * part[5] ^ 2 * part[6] / least * 1e-12)
      else if (part[1] == "chain")
        rate = sprintf("%.1f GB/s", 3 * size * part[2] * part[3] / least * 1e-9)
      else if (part[1] == "sum")
        rate = sprintf("%.1f GB/s", size * part[3] * part[4] / least * 1e-9)
      else if (part[1] != "conv")
        rate = sprintf("%.1f GB/s", 2 * size * part[2] * part[3] / least * 1e-9)
      printf "| %s | %s | %s (%s) | %s |\n", row, name, $2, $1, rate
    }' <<<"$times" | tee -a t | table
  done
  cat t
  return $bad
}

part_triton() {
  if ! has_torch || ! python3 -c 'import triton' >>torch.log 2>&1; then
    note "$(tail -1 torch.log | cut -c1-80)"
    return 77
  fi
  SUITE=$root/bin/suite python3 "$root/benchmarks/gpu.py" --device="$device" \
    --rounds=1 --count=5 matmul-f16-4096 softmax-4096-4096 layernorm-4096-4096 \
    transpose-4096-4096 | tee /dev/stderr | with_device | table
  return "${PIPESTATUS[0]}"
}

# Tests whose tensors are too large for the simulator.
large='BoundValuesTest.aLoopOfNewValuesKeepsNothing:Matmul.LargeLeftMatrices'
large+=':Matmul.RowsTimesLargeMatrices:SymbolicShapeTest.LargeSizes'

part_tensor() {
  export DEV=$device
  [ "${device%%:*}" != SIM ] || export GTEST_FILTER="-$large"
  if [ -n "$quick" ]; then run_gtest TinyGradTensorTests 200 2; else run_gtest TinyGradTensorTests 48; fi
}

part_networks() {
  local status=0 program
  export DEV=$device
  # Without those that need a compiler, or files of the repository.
  export GTEST_FILTER="-StepLibraryTest.Source*:StepSizesTest.*:SafetensorsFormat.*"
  for program in TinyGradNNTests TinyGradOptimTests TinyGradStateTests; do
    if [ -n "$quick" ]; then run_gtest $program 40 1; else run_gtest $program 8; fi || status=1
  done
  return $status
}

# Whether networks can be trained there.
is_fast() {
  [ "${device%%:*}" != SIM ] || {
    note "takes too long on a simulated GPU"
    return 1
  }
}

# The median of numbers, one a line.
median() { sort -g | awk '{ v[NR] = $1 } END { if (NR) print v[int((NR + 1) / 2)] }'; }

# Steps of training on the device and on the CPU, there as many as there is time
# for: the losses are compared, the first one nearly exactly; later ones differ by
# what rounding grows to.
part_training() {
  is_fast || return 77
  local row steps=10 status=0 rows="mlp cnn lstm gpt2 resnet18" got time
  [ -z "$quick" ] || { rows="mlp"; steps=4; }
  printf '| row | device | step, ms: median | steps compared | last loss of them | on the CPU | largest difference |\n|---|---|---|---|---|---|---|\n' | table
  for row in $rows; do
    if [ "$(remaining)" -lt 20 ]; then
      note "$row: no time was left;"
      continue
    fi
    DEV=$device timeout --foreground $(($(remaining) - 5)) "$root/bin/training" $row $steps >$row.device
    got=$?
    cat $row.device
    if [ $got != 0 ]; then
      note "$row: status $got after $(wc -l <$row.device) steps;"
      status=1
      continue
    fi
    time=$(($(remaining) - 5))
    DEV=CPU timeout --foreground $((time < 5 ? 5 : time > 30 ? 30 : time)) \
      "$root/bin/training" $row $steps >$row.cpu
    # Lines "step 1: 3.2 ms, loss 2.3, 13 kernels, ..."
    time=$(sed -n '3,$s/^step [0-9]*: \([0-9.]*\) ms.*/\1/p' $row.device | median)
    sed -i 's/.*loss \([^,]*\),.*/\1/' $row.device $row.cpu
    awk -v row=$row -v steps=$steps -v name="$product" -v time="$time" '
      NR == FNR { ours[FNR] = $1; next }
      # A loss of nearly nothing is compared with what it began as.
      FNR == 1 { first = $1 }
      { d = ours[FNR] - $1; if (d < 0) d = -d; d /= $1 + 0.01 * first
        if (!(d <= (FNR == 1 ? 1e-4 : 3e-2))) bad = 1
        if (d > most) most = d
        n = FNR; a = ours[n]; b = $1 }
      END { printf "| %s | %s | %s | %d | %s | %s | %.1e |\n", row, name, time, n, a, b, most
        exit n ? bad : 2 }' $row.device $row.cpu >line
    got=$?
    table <line
    case $got in
    0) note "$row agrees with the CPU;" ;;
    1)
      note "$row: the losses differ;"
      status=1
      ;;
    *) note "$row: the CPU has not ended a step;" ;;
    esac
  done
  return $status
}

# Memory of buffers, of the process and of the GPU, which may not grow with steps.
part_memory() {
  is_fast || return 77
  local steps=2000 smi=
  [ -z "$quick" ] || steps=40
  if [[ "$device" = CUDA* ]] && command -v nvidia-smi >/dev/null; then
    while sleep 0.5; do
      timeout 5 nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits
    done >gpu-memory &
    smi=$!
  fi
  # On a slow device, as many as there is time for.
  DEV=$device timeout --foreground $(($(remaining) - 5)) "$root/bin/training" mlp $steps >steps
  local status=$?
  [ -z "$smi" ] || kill $smi
  tail -3 steps
  [ $status = 0 ] || [ $status = 124 ] || return $status
  # step 1: 3.2 ms, loss 2.3, 13 kernels, 1.2 MiB in buffers, 80.1 resident
  awk -v least=$((steps / 10)) '
    { gsub(/,/, ""); for (i = 1; i < NF; ++i) { if ($(i + 1) == "MiB") b = $i; if ($(i + 1) == "resident") r = $i }
      if (NR == least) { first = b; low = r } }
    END { grown = b - first; more = r - low
      printf "%d steps, buffers %.2f MiB, %+.2f since step %d; resident %.1f MiB, %+.1f;", NR, b, grown, least, r, more
      exit !(NR >= 2 * least && b != "" && grown <= 0.5 && more <= 16) }' steps >words
  status=$?
  note "$(cat words)"
  if [ -s gpu-memory ]; then
    awk 'NR > 4 { if (!n++) first = $1; last = $1 }
      END { printf "the GPU: %d MiB, %+d", last, last - first; exit last - first > 64 }' gpu-memory >words || status=1
    note "$(cat words)"
  fi
  return $status
}

part_fashion() {
  is_fast || return 77
  local status=0 limit=20 epochs=3
  [ -f "$root/data/train-images-idx3-ubyte" ] || { note "the bundle was made without images"; return 77; }
  [ -z "$quick" ] || { epochs=1; limit=4; }
  # A few steps on both, then the accuracy.
  for one in "$device" CPU; do
    DEV=$one timeout --foreground 40 "$root/bin/fashion-mnist" --data "$root/data" --epochs 1 \
      --steps $limit --log "$one.log" >"$one.txt" || status=1
    sed -n 's/^epoch 1: loss \([0-9.]*\),.*/\1/p' "$one.txt" | tail -1 >"$one.loss"
  done
  note "loss after $limit steps $(cat "$device.loss"), on the CPU $(cat CPU.loss);"
  paste "$device.loss" CPU.loss | awk '{ d = $1 - $2; if (d < 0) d = -d; exit !(NF == 2 && d <= 0.03 * $2) }' || {
    note "they differ;"
    status=1
  }
  if [ -z "$quick" ]; then
    DEV=$device "$root/bin/fashion-mnist" --data "$root/data" --epochs $epochs >all || status=1
    tail -1 all
    note "$(tail -1 all | tr -d '\r' | sed 's/.*epoch/epoch/')"
    awk '/accuracy/ { a = $NF } END { exit !(a > 0.75) }' all || {
      note "which is too low"
      status=1
    }
  fi
  return $status
}

part_sanitizer() {
  local tool sanitizer tests="matmul reduce-add deep-product scan permute convolution-weights deep-convolution gather-any-index scatter-sum small-tiles turned-sum"
  [[ "$device" = CUDA* ]] || { note "for CUDA only"; return 77; }
  sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda*/bin/compute-sanitizer 2>/dev/null | head -1)
  [ -n "$sanitizer" ] || { note "there is no compute-sanitizer"; return 77; }
  export sanitizer device
  for tool in memcheck racecheck synccheck; do
    for name in $tests; do echo "$tool $name"; done
  done | xargs -P 4 -L 1 bash -c '
    timeout --foreground 60 "$sanitizer" --tool=$0 --error-exitcode=9 "$root/bin/tg-run" \
      --device="$device" --random-inputs "$root/test/Execution/$1.mlir" >"$0-$1.log" 2>&1
    echo "$? $0 $1" >>results'
  sort results
  awk '$1 != 0 { print $2 "-" $3 ".log" }' results | while read -r tool; do
    echo "== $tool"
    head -60 "$tool"
  done
  note "$(awk '{ n += 1; good += $1 == 0 } END { print good " of " n " without errors" }' results);" \
    $(awk '$1 != 0 { print $2 ":" $3 "(" $1 ")" }' results)
  awk '$1 != 0 { bad = 1 } END { exit bad }' results
}

# Random graphs, as many as there is time for.
part_fuzz() {
  local size=25 end=$((deadline - 15)) worker
  [ -z "$quick" ] || { size=5; end=$SECONDS; }
  export device size end
  for ((worker = 0; worker < (quick ? 1 : workers); ++worker)); do
    (
      first=$((worker * 100000))
      while true; do
        timeout --foreground 120 "$root/bin/tg-fuzz" --device="$device" --seed=1 --first=$first \
          --graphs=$size --symbolic=30 --gradients=15 --shrink=false --timeout=60 \
          --output-dir="$out/fuzz-failures/$first" >>"log-$worker" 2>&1
        echo "$? $size $first" >>results
        first=$((first + size))
        [ $SECONDS -lt "$end" ] || break
      done
    ) &
  done
  wait
  cat log-*
  note "$(awk '{ n += $2; if ($1) bad += 1 } END { printf "%d graphs, %d batches failed", n, bad }' results)"
  awk '$1 != 0 { bad = 1 } END { exit bad }' results
}

# The second GPU: the same results there, and copies between both.
part_second() {
  case "$device" in
  CUDA | AMD) ;;
  *) note "for the first GPU of several"; return 77 ;;
  esac
  local why first=$device device=$device:1
  why=$(describe "$device") || { note "$(sed 's/^error: //' <<<"$why" | head -1)"; return 77; }
  quick=1 part_execution || return 1
  DEV=$device "$root/bin/training" mlp 20 >one && DEV=$first "$root/bin/training" mlp 20 >two || return 1
  paste <(sed 's/.*loss \([^,]*\),.*/\1/' one) <(sed 's/.*loss \([^,]*\),.*/\1/' two) |
    awk '$1 != $2 { bad = 1 } END { exit bad || NR != 20 }' || { note "losses of both differ"; return 1; }
  note "training as on the first"
}

#===-----------------------------------------------------------------------===#

# A simulated GPU, and a CPU, use all cores by themselves.
workers=$((cores < 8 ? cores : 8))
case "$device" in CPU | SIM) workers=$cores ;; esac
export root
echo "gpu-check.sh: $product, $target; results are in $out/summary.md"
for part in "${parts[@]}"; do
  name=${part%%:*}
  if [ "$name" != device ]; then
    [ -z "$only" ] || [[ ",$only," = *",$name,"* ]] || continue
    [[ ",$skip," != *",$name,"* ]] || continue
  fi
  run_part "$name" "${part##*:}"
  write_summary
done
echo "gpu-check.sh: $((SECONDS - begin)) s; $([ $failed = 0 ] && echo nothing failed || echo some parts FAILED)"
exit $failed
