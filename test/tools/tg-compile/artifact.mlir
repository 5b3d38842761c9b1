// A program in a file has the results of one that is compiled where it runs.

// RUN: rm -rf %t && mkdir %t
// RUN: tg-compile %s --emit=artifact -o %t/main.tga
// RUN: tg-run %t/main.tga --random-inputs --print > %t/main.txt
// RUN: tg-run %s --device CPU --random-inputs --print | diff %t/main.txt -

// An older processor, whose code calls functions of the runtime.
// RUN: tg-compile %s --emit=artifact --entry=narrow --target=cpu:x86-64-v2 -o %t/v2.tga
// RUN: tg-run %t/v2.tga --random-inputs --print > %t/v2.txt
// RUN: env MCPU=x86-64-v2 tg-run %s --entry=narrow --device CPU --random-inputs --print \
// RUN:   | diff %t/v2.txt -

// Sizes, views, constants, sorting, copies alone, nothing at all; assignments.
// RUN: tg-compile %S/Inputs/artifact-symbolic.mlir --emit=artifact -o %t/symbolic.tga
// RUN: tg-run %t/symbolic.tga --var n=5 --random-inputs --print > %t/symbolic.txt
// RUN: tg-run %S/Inputs/artifact-symbolic.mlir --device CPU --var n=5 --random-inputs --print \
// RUN:   | diff %t/symbolic.txt -
// RUN: tg-compile %s --emit=artifact --entry=sort -o %t/sort.tga
// RUN: tg-run %t/sort.tga --random-inputs --print > %t/sort.txt
// RUN: tg-run %s --entry=sort --device CPU --random-inputs --print | diff %t/sort.txt -
// RUN: tg-compile %s --emit=artifact --entry=constant -o %t/constant.tga
// RUN: tg-run %t/constant.tga --print > %t/constant.txt
// RUN: tg-run %s --entry=constant --device CPU --print | diff %t/constant.txt -
// RUN: tg-compile %s --emit=artifact --entry=assign -o %t/assign.tga
// RUN: tg-run %t/assign.tga --random-inputs --print --print-inputs > %t/assign.txt
// RUN: tg-run %s --entry=assign --device CPU --random-inputs --print --print-inputs \
// RUN:   | diff %t/assign.txt -

// Code that checks its accesses calls the runtime.
// RUN: env SPEC=2 tg-compile %s --emit=artifact -o %t/checked.tga
// RUN: tg-run %t/checked.tga --random-inputs --print | diff %t/main.txt -

// The same function gives the same bytes.
// RUN: tg-compile %s --emit=artifact -o %t/again.tga
// RUN: cmp %t/main.tga %t/again.tga

// A program without the compiler: neither MLIR nor LLVM.
// RUN: tg-compile %s --emit=artifact --entry=plain -o %t/plain.tga
// RUN: tg-test-artifact %t/plain.tga | FileCheck %s --check-prefix=PLAIN
// PLAIN: 1
// PLAIN-NEXT: 3
// PLAIN-NEXT: 5
// PLAIN-NEXT: 7
// RUN: ldd %binary_dir/bin/tg-test-artifact | FileCheck %s --check-prefix=LDD \
// RUN:   --implicit-check-not=LLVM --implicit-check-not=MLIR
// LDD: libc.so

// For other devices it is made without them, and says where it belongs.
// RUN: tg-compile %s --emit=artifact --target=cuda:sm_90 -o %t/cuda.tga
// RUN: not tg-run %t/cuda.tga --device CPU --random-inputs 2>&1 | FileCheck %s --check-prefix=CUDA
// CUDA: error: {{.*}}cuda.tga, compiled for cuda:sm_90, cannot be run: runs on the device CUDA, not on CPU
// RUN: tg-compile %s --emit=artifact --target=amd:gfx942 -o %t/amd.tga
// RUN: not tg-run %t/amd.tga --device CPU --random-inputs 2>&1 | FileCheck %s --check-prefix=AMD
// AMD: error: {{.*}}amd.tga, compiled for amd:gfx942, cannot be run: runs on the device AMD, not on CPU
// RUN: tg-compile %s --emit=artifact --target=cpu:aarch64:neoverse-v1 -o %t/arm.tga
// RUN: not tg-run %t/arm.tga --random-inputs 2>&1 | FileCheck %s --check-prefix=ARM
// ARM: error: {{.*}}needs a processor of aarch64, but this one is of x86_64
// RUN: tg-compile %s --emit=artifact --target=cpu:bdver2 -o %t/old.tga
// RUN: not tg-run %t/old.tga --random-inputs 2>&1 | FileCheck %s --check-prefix=OLD
// OLD: error: {{.*}}this processor lacks {{.*}}xop
// RUN: not tg-compile %s --emit=artifact --target=sim:sm_90 -o %t/sim.tga 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SIM
// SIM: there are no artifacts for the target 'sim:sm_90'

// Other mistakes.
// RUN: not tg-compile %s --emit=artifact 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: an artifact is not for the terminal; name a file with -o
// RUN: not tg-compile %s --emit=artifact --entry=none -o %t/none.tga 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ENTRY
// ENTRY: the module has no function 'none'
// RUN: not tg-compile %s --emit=artifact --target=cpu:none -o %t/none.tga 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TARGET
// TARGET: LLVM does not know the processor 'none'
// RUN: not ls %t/none.tga
// RUN: not tg-run %t/main.tga 2>&1 | FileCheck %s --check-prefix=INPUTS
// INPUTS: error: argument 0 of {{.*}}main.tga' has no value: give --input or --random-inputs
// RUN: not tg-run %t/main.tga --interpret 2>&1 | FileCheck %s --check-prefix=INTERPRET
// INTERPRET: error: --interpret and --entry are for files of the dialect
// RUN: not tg-run %t/symbolic.tga --random-inputs 2>&1 | FileCheck %s --check-prefix=NOVAR
// NOVAR: error: variable n has no value: give --var n=N
// RUN: not tg-run %t/symbolic.tga --var n=9 2>&1 | FileCheck %s --check-prefix=RANGE
// RANGE: error: variable n cannot be 9, which is not in [1, 8]
// RUN: not tg-run %t/symbolic.tga --var k=1 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: {{.*}}symbolic.tga' has no variable 'k'

// What a file is called does not matter: its bytes say what it is.
// RUN: cp %t/main.tga %t/main.bin && tg-run %t/main.bin --random-inputs --print | diff %t/main.txt -
// RUN: cp %t/main.tga %t/main.mlir && tg-run %t/main.mlir --random-inputs --print | diff %t/main.txt -
// RUN: cat %t/main.tga | tg-run - --random-inputs --print | diff %t/main.txt -
// RUN: mkfifo %t/pipe
// RUN: bash -c "cat %t/main.tga > %t/pipe & %binary_dir/bin/tg-run %t/pipe --random-inputs --print" | diff %t/main.txt -
// RUN: cp %s %t/text.tga && tg-run %t/text.tga --device CPU --random-inputs --print | diff %t/main.txt -
// RUN: tg-opt %s --emit-bytecode -o %t/bytecode.tga
// RUN: tg-run %t/bytecode.tga --device CPU --random-inputs --print | diff %t/main.txt -
// RUN: head -c 1000 %t/main.tga > %t/cut && not tg-run %t/cut --random-inputs 2>&1 | FileCheck %s --check-prefix=CUT
// CUT: error: {{.*}}cut: it is cut off: it has 1000 bytes instead of {{[0-9]+}}
// RUN: head -c 3 %t/main.tga > %t/three && not tg-run %t/three --random-inputs 2>&1 | FileCheck %s --check-prefix=THREE
// THREE: error: {{.*}}three: it is cut off: 3 bytes are not even a header
// Neither text nor bytecode: there the name says what it was meant to be.
// RUN: head -c 100 /dev/zero > %t/zeros.tga && not tg-run %t/zeros.tga 2>&1 | FileCheck %s --check-prefix=ZEROS
// RUN: touch %t/empty.tga && not tg-run %t/empty.tga 2>&1 | FileCheck %s --check-prefix=ZEROS
// ZEROS: error: {{.*}}.tga: it is no artifact
// RUN: mkdir %t/folder.tga && not tg-run %t/folder.tga 2>&1 | FileCheck %s --check-prefix=FOLDER
// FOLDER: error: cannot read '{{.*}}folder.tga': Is a directory
// RUN: not tg-compile %t/main.bin --emit=asm 2>&1 | FileCheck %s --check-prefix=COMPILED
// COMPILED: error: '{{.*}}main.bin' is an artifact, which is compiled; `tg-run {{.*}}main.bin` runs it

func.func @main(%x: tensor<33x17xf32>, %y: tensor<17x9xf32>) -> (tensor<33x9xf32>, tensor<33x17xf32>) {
  %0 = tg.reshape %x : tensor<33x17xf32> -> tensor<33x17x1xf32>
  %1 = tg.expand %0 : tensor<33x17x1xf32> -> tensor<33x17x9xf32>
  %2 = tg.reshape %y : tensor<17x9xf32> -> tensor<1x17x9xf32>
  %3 = tg.expand %2 : tensor<1x17x9xf32> -> tensor<33x17x9xf32>
  %4 = tg.mul %1, %3 : tensor<33x17x9xf32>
  %5 = tg.reduce add %4 axes [1] : tensor<33x17x9xf32> -> tensor<33x1x9xf32>
  %6 = tg.reshape %5 : tensor<33x1x9xf32> -> tensor<33x9xf32>
  %7 = tg.sin %x : tensor<33x17xf32>
  return %6, %7 : tensor<33x9xf32>, tensor<33x17xf32>
}

func.func @narrow(%x: tensor<19xf32>, %y: tensor<19xf16>) -> (tensor<19xbf16>, tensor<19xf16>) {
  %0 = tg.cast %x : tensor<19xf32> -> tensor<19xbf16>
  %1 = tg.cast %x : tensor<19xf32> -> tensor<19xf16>
  %2 = tg.mul %1, %y : tensor<19xf16>
  %3 = tg.trunc %2 : tensor<19xf16>
  return %0, %3 : tensor<19xbf16>, tensor<19xf16>
}

func.func @sort(%x: tensor<3x7xf32>) -> tensor<3x7xi32> {
  %0 = tg.argsort %x : tensor<3x7xf32> -> tensor<3x7xi32>
  return %0 : tensor<3x7xi32>
}

func.func @constant() -> tensor<4xi32> {
  %0 = tg.const(dense<[3, 1, 4, 1]> : tensor<4xi32>) : tensor<4xi32>
  return %0 : tensor<4xi32>
}

func.func @assign(%x: tensor<2x3xf32>, %y: tensor<1x3xf32>) -> tensor<1x3xf32> {
  %0 = tg.shrink %x from [1, 0] to [2, 3] : tensor<2x3xf32> -> tensor<1x3xf32>
  %1 = tg.neg %y : tensor<1x3xf32>
  %2 = tg.assign %0, %1 : tensor<1x3xf32>
  return %2 : tensor<1x3xf32>
}

func.func @plain(%x: tensor<4xf32>) -> tensor<4xf32> {
  %one = tg.const(1.0 : f32) : tensor<4xf32>
  %0 = tg.add %x, %x : tensor<4xf32>
  %1 = tg.add %0, %one : tensor<4xf32>
  return %1 : tensor<4xf32>
}
