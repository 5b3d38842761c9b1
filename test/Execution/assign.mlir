// RUN: tg-run %s --interpret --print --print-inputs --entry whole \
// RUN:   | FileCheck %s --check-prefix=WHOLE
// RUN: tg-run %s --print --print-inputs --entry whole \
// RUN:   | FileCheck %s --check-prefix=WHOLE
// RUN: tg-run %s --interpret --print --print-inputs --entry view \
// RUN:   | FileCheck %s --check-prefix=VIEW
// RUN: tg-run %s --print --print-inputs --entry view \
// RUN:   | FileCheck %s --check-prefix=VIEW
// RUN: tg-run %s --interpret --print --print-inputs --entry reverse \
// RUN:   | FileCheck %s --check-prefix=REVERSE
// RUN: tg-run %s --print --print-inputs --entry reverse \
// RUN:   | FileCheck %s --check-prefix=REVERSE
// RUN: tg-run %s --interpret --print --print-inputs --entry old \
// RUN:   | FileCheck %s --check-prefix=OLD
// RUN: tg-run %s --print --print-inputs --entry old \
// RUN:   | FileCheck %s --check-prefix=OLD
// RUN: tg-run %s --interpret --print --print-inputs --entry twice \
// RUN:   | FileCheck %s --check-prefix=TWICE
// RUN: tg-run %s --print --print-inputs --entry twice \
// RUN:   | FileCheck %s --check-prefix=TWICE
// RUN: tg-run %s --interpret --print --print-inputs --entry late \
// RUN:   | FileCheck %s --check-prefix=LATE
// RUN: tg-run %s --print --print-inputs --entry late \
// RUN:   | FileCheck %s --check-prefix=LATE
// RUN: tg-opt %s --canonicalize --cse \
// RUN:   | tg-run --print --print-inputs --entry late - \
// RUN:   | FileCheck %s --check-prefix=LATE

// The argument's memory is overwritten.
func.func @whole(%x: tensor<2xi32> {tg.input = dense<[1, 2]> : tensor<2xi32>},
                 %y: tensor<2xi32> {tg.input = dense<[3, 4]> : tensor<2xi32>})
    -> tensor<2xi32> {
  %n = tg.neg %y : tensor<2xi32>
  %r = tg.assign %x, %n : tensor<2xi32>
  return %r : tensor<2xi32>
}
// WHOLE: result 0: tensor<2xi32> = [-3, -4]
// WHOLE-NEXT: input 0: tensor<2xi32> = [-3, -4]
// WHOLE-NEXT: input 1: tensor<2xi32> = [3, 4]

// Row 1, backwards; the rest of the memory stays.
func.func @view(
    %x: tensor<2x3xi8> {tg.input = dense<7> : tensor<2x3xi8>},
    %y: tensor<3xi8> {tg.input = dense<[1, 2, 3]> : tensor<3xi8>})
    -> tensor<3xi8> {
  %row = tg.shrink %x from [1, 0] to [2, 3] : tensor<2x3xi8> -> tensor<1x3xi8>
  %back = tg.flip %row axes [1] : tensor<1x3xi8>
  %flat = tg.reshape %back : tensor<1x3xi8> -> tensor<3xi8>
  %r = tg.assign %flat, %y : tensor<3xi8>
  return %r : tensor<3xi8>
}
// VIEW: result 0: tensor<3xi8> = [1, 2, 3]
// VIEW-NEXT: input 0: tensor<2x3xi8> = {{\[\[}}7, 7, 7], [3, 2, 1]]

// The value reads other positions of the target.
func.func @reverse(
    %x: tensor<4xf32> {tg.input = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>})
    -> tensor<4xf32> {
  %back = tg.flip %x axes [0] : tensor<4xf32>
  %sum = tg.add %back, %x : tensor<4xf32>
  %two = tg.mul %sum, %back : tensor<4xf32>
  %r = tg.assign %x, %two : tensor<4xf32>
  return %r : tensor<4xf32>
}
// REVERSE: result 0: tensor<4xf32> = [20, 15, 10, 5]
// REVERSE-NEXT: input 0: tensor<4xf32> = [20, 15, 10, 5]

// What was read before the assignment holds the old contents.
func.func @old(%x: tensor<2xi32> {tg.input = dense<[1, 2]> : tensor<2xi32>},
               %y: tensor<2xi32> {tg.input = dense<[3, 4]> : tensor<2xi32>})
    -> (tensor<2x1xi32>, tensor<2xi32>) {
  %n = tg.neg %x : tensor<2xi32>
  %c = tg.reshape %n : tensor<2xi32> -> tensor<2x1xi32>
  %r = tg.assign %x, %y : tensor<2xi32>
  %s = tg.add %r, %r : tensor<2xi32>
  return %c, %s : tensor<2x1xi32>, tensor<2xi32>
}
// OLD: result 0: tensor<2x1xi32> = {{\[\[}}-1], [-2]]
// OLD-NEXT: result 1: tensor<2xi32> = [6, 8]
// OLD-NEXT: input 0: tensor<2xi32> = [3, 4]

// An assignment through the result of another.
func.func @twice(
    %x: tensor<4xi32> {tg.input = dense<[1, 2, 3, 4]> : tensor<4xi32>},
    %y: tensor<2xi32> {tg.input = dense<[8, 9]> : tensor<2xi32>})
    -> tensor<2xi32> {
  %n = tg.neg %x : tensor<4xi32>
  %a = tg.assign %x, %n : tensor<4xi32>
  %part = tg.shrink %a from [1] to [3] : tensor<4xi32> -> tensor<2xi32>
  %b = tg.assign %part, %y : tensor<2xi32>
  return %b : tensor<2xi32>
}
// TWICE: result 0: tensor<2xi32> = [8, 9]
// TWICE-NEXT: input 0: tensor<4xi32> = [-1, 8, 9, -4]

// Reads mean the old contents wherever they stand, so that operations can be
// moved and merged; tg.after is the new contents.
func.func @late(
    %x: tensor<4xf32> {tg.input = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>},
    %y: tensor<4xf32> {tg.input = dense<10.0> : tensor<4xf32>})
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %n = tg.neg %x : tensor<4xf32>
  %a = tg.assign %x, %y : tensor<4xf32>
  %m = tg.neg %x : tensor<4xf32>
  %z = tg.add %n, %m : tensor<4xf32>
  %new = tg.after %x[%a : tensor<4xf32>] : tensor<4xf32>
  %w = tg.add %z, %new : tensor<4xf32>
  return %z, %w, %x : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
// LATE: result 0: tensor<4xf32> = [-2, -4, -6, -8]
// LATE-NEXT: result 1: tensor<4xf32> = [8, 6, 4, 2]
// LATE-NEXT: result 2: tensor<4xf32> = [1, 2, 3, 4]
// LATE-NEXT: input 0: tensor<4xf32> = [10, 10, 10, 10]
