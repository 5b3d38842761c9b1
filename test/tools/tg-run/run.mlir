// What tg-run shows, and how often it runs.

// RUN: tg-run %s --random-inputs --repeat 3 | FileCheck %s --check-prefix=TIME
// TIME: first result after {{[0-9.]+}} ms; 3 runs: min {{[0-9.]+}} ms, median {{[0-9.]+}} ms
// TIME-NEXT: result 0: tensor<40x50xf32> =

// Random inputs depend on the seed alone.
// RUN: tg-run %s --random-inputs --seed 5 > %t.1
// RUN: tg-run %s --random-inputs --seed 5 --interpret > %t.2
// RUN: tg-run %s --random-inputs --seed 6 > %t.3
// RUN: cmp %t.1 %t.2
// RUN: not cmp %t.1 %t.3

// Large tensors are cut short unless --print asks for all.
// RUN: FileCheck %s --check-prefix=SHORT < %t.1
// SHORT: result 0: tensor<40x50xf32> = {{\[\[[^]]*, \.\.\., [^]]*\], .*\.\.\.}}
// RUN: tg-run %s --random-inputs --print | FileCheck %s --check-prefix=LONG
// LONG-NOT: ...

// RUN: tg-run %s --entry count --interpret | FileCheck %s --check-prefix=COUNT
// RUN: tg-run %s --entry count --device cpu:0 \
// RUN:   | FileCheck %s --check-prefix=COUNT
// COUNT: result 0: tensor<4xf16> = [0, 0.3333, 0.6665, 1]

// RUN: tg-run %s --entry count --precision 2 \
// RUN:   | FileCheck %s --check-prefix=DIGITS
// DIGITS: result 0: tensor<4xf16> = [0, 0.33, 0.67, 1]

// The null device runs nothing, and says so.
// RUN: tg-run %s --entry count --device NULL 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NULL
// NULL: warning: device NULL does not compute: results are meaningless

func.func @main(%x: tensor<40x50xf32>) -> tensor<40x50xf32> {
  %0 = tg.neg %x : tensor<40x50xf32>
  return %0 : tensor<40x50xf32>
}

func.func @count() -> tensor<4xf16> {
  %0 = tg.iota 0 : tensor<4xf16>
  %1 = tg.const(3.0 : f16) : tensor<4xf16>
  %2 = tg.fdiv %0, %1 : tensor<4xf16>
  return %2 : tensor<4xf16>
}
