// RUN: tg-opt %s -pass-pipeline='builtin.module(tg.kernel(tg-simplify-index{check-measure=true}))' | FileCheck %s

// What each rule of index arithmetic does, and where it must not do anything.
// The indices that a kernel computes are summed up in its last lines.

//===----------------------------------------------------------------------===//
// Terms of one value are collected, constants added up, equal factors taken
// out.
//===----------------------------------------------------------------------===//

// CHECK-LABEL: tg.kernel @collect(
// CHECK:      %[[V0:.*]] = tg.const(0 : index) : index
// CHECK-NEXT: %[[V1:.*]] = tg.load %{{.*}}[%[[V0]]] : memref<64xi64>
// CHECK-NEXT: %[[V2:.*]] = tg.cast %[[V1]] : i64 -> index
// CHECK-NEXT: %[[V3:.*]] = tg.load %{{.*}}[%[[V0]]] : memref<64xi64>
// CHECK-NEXT: %[[V4:.*]] = tg.cast %[[V3]] : i64 -> index
// CHECK-NEXT: %[[V5:.*]] = tg.const(3 : index) : index
// CHECK-NEXT: %[[V6:.*]] = tg.const(4 : index) : index
// CHECK-NEXT: %[[V7:.*]] = tg.mul %[[V4]], %[[V6]] : index
// CHECK-NEXT: %[[V8:.*]] = tg.add %[[V2]], %[[V7]] : index
// CHECK-NEXT: %[[V9:.*]] = tg.add %[[V8]], %[[V5]] : index
// CHECK-NEXT: %[[V10:.*]] = tg.cast %[[V9]] : index -> i64
// CHECK-NEXT: %[[V11:.*]] = tg.const(true) : i1
tg.kernel @collect(%out: memref<1xi64>, %x: memref<9007199254740992xi64>, %a1: memref<64xi64>, %a2: memref<64xi64>) attributes {outputs = 1 : i64} {
  %0 = tg.const(0 : index) : index
  %1 = tg.load %a1[%0] : memref<64xi64>
  %2 = tg.cast %1 : i64 -> index
  %3 = tg.load %a2[%0] : memref<64xi64>
  %4 = tg.cast %3 : i64 -> index
  %5 = tg.const(3 : index) : index
  %6 = tg.mul %2, %5 : index
  %7 = tg.add %6, %4 : index
  %8 = tg.const(2 : index) : index
  %9 = tg.mul %2, %8 : index
  %10 = tg.sub %7, %9 : index
  %11 = tg.const(5 : index) : index
  %12 = tg.add %10, %11 : index
  %13 = tg.sub %12, %8 : index
  %14 = tg.const(4 : index) : index
  %15 = tg.mul %4, %14 : index
  %16 = tg.add %13, %15 : index
  %17 = tg.const(-1 : index) : index
  %18 = tg.mul %4, %17 : index
  %19 = tg.add %16, %18 : index
  %l0 = tg.cast %19 : index -> i64
  %zero = tg.const(0 : index) : index
  %true = tg.const(true) : i1
  tg.store %l0, %out[%zero] mask %true : memref<1xi64>
}

// CHECK-LABEL: tg.kernel @collect_factors(
// CHECK:      %[[V0:.*]] = tg.range 0 loop 5
// CHECK-NEXT: %[[V1:.*]] = tg.range 1 loop 6
// CHECK-NEXT: %[[V2:.*]] = tg.range 2 loop 7
// CHECK-NEXT: %[[V3:.*]] = tg.const(4 : index) : index
// CHECK-NEXT: %[[V4:.*]] = tg.const(7 : index) : index
// CHECK-NEXT: %[[V5:.*]] = tg.add %[[V0]], %[[V1]] : index
// CHECK-NEXT: %[[V6:.*]] = tg.sub %[[V5]], %[[V2]] : index
// CHECK-NEXT: %[[V7:.*]] = tg.mul %[[V6]], %[[V3]] : index
// CHECK-NEXT: %[[V8:.*]] = tg.add %[[V7]], %[[V4]] : index
// CHECK-NEXT: %[[V9:.*]] = tg.cast %[[V8]] : index -> i64
// CHECK-NEXT: %[[V10:.*]] = tg.const(0 : index) : index
// CHECK-NEXT: %[[V11:.*]] = tg.const(true) : i1
tg.kernel @collect_factors(%out: memref<1xi64>, %x: memref<9007199254740992xi64>) attributes {outputs = 1 : i64} {
  %0 = tg.range 0 loop 5
  %1 = tg.range 1 loop 6
  %2 = tg.range 2 loop 7
  %3 = tg.const(4 : index) : index
  %4 = tg.mul %0, %3 : index
  %5 = tg.mul %1, %3 : index
  %6 = tg.add %4, %5 : index
  %7 = tg.mul %2, %3 : index
  %8 = tg.sub %6, %7 : index
  %9 = tg.const(7 : index) : index
  %10 = tg.add %8, %9 : index
  %l0 = tg.cast %10 : index -> i64
  %zero = tg.const(0 : index) : index
  %true = tg.const(true) : i1
  tg.store %l0, %out[%zero] mask %true : memref<1xi64>
}

// CHECK-LABEL: tg.kernel @collect_negative(
// CHECK:      %[[V0:.*]] = tg.const(0 : index) : index
// CHECK-NEXT: %[[V1:.*]] = tg.load %{{.*}}[%[[V0]]] : memref<64xi64>
// CHECK-NEXT: %[[V2:.*]] = tg.cast %[[V1]] : i64 -> index
// CHECK-NEXT: %[[V3:.*]] = tg.load %{{.*}}[%[[V0]]] : memref<64xi64>
// CHECK-NEXT: %[[V4:.*]] = tg.cast %[[V3]] : i64 -> index
// CHECK-NEXT: %[[V5:.*]] = tg.sub %[[V2]], %[[V4]] : index
// CHECK-NEXT: %[[V6:.*]] = tg.neg %[[V5]] : index
// CHECK-NEXT: %[[V7:.*]] = tg.const(5 : index) : index
// CHECK-NEXT: %[[V8:.*]] = tg.sub %[[V7]], %[[V2]] : index
// CHECK-NEXT: %[[V9:.*]] = tg.sub %[[V8]], %[[V4]] : index
// CHECK-NEXT: %[[V10:.*]] = tg.neg %[[V2]] : index
// CHECK-NEXT: %[[V11:.*]] = tg.sub %[[V10]], %[[V4]] : index
// CHECK-NEXT: %[[V12:.*]] = tg.cast %[[V6]] : index -> i64
// CHECK-NEXT: %[[V13:.*]] = tg.cast %[[V9]] : index -> i64
// CHECK-NEXT: %[[V14:.*]] = tg.add %[[V12]], %[[V13]] : i64
// CHECK-NEXT: %[[V15:.*]] = tg.cast %[[V11]] : index -> i64
// CHECK-NEXT: %[[V16:.*]] = tg.add %[[V14]], %[[V15]] : i64
// CHECK-NEXT: %[[V17:.*]] = tg.const(true) : i1
tg.kernel @collect_negative(%out: memref<1xi64>, %x: memref<9007199254740992xi64>, %a1: memref<64xi64>, %a2: memref<64xi64>) attributes {outputs = 1 : i64} {
  %0 = tg.const(0 : index) : index
  %1 = tg.load %a1[%0] : memref<64xi64>
  %2 = tg.cast %1 : i64 -> index
  %3 = tg.load %a2[%0] : memref<64xi64>
  %4 = tg.cast %3 : i64 -> index
  %5 = tg.sub %2, %4 : index
  %6 = tg.neg %5 : index
  %7 = tg.const(1 : index) : index
  %8 = tg.mul %6, %7 : index
  %9 = tg.const(5 : index) : index
  %10 = tg.sub %9, %2 : index
  %11 = tg.sub %10, %4 : index
  %12 = tg.neg %2 : index
  %13 = tg.sub %12, %4 : index
  %l0 = tg.cast %8 : index -> i64
  %l1 = tg.cast %11 : index -> i64
  %s1 = tg.add %l0, %l1 : i64
  %l2 = tg.cast %13 : index -> i64
  %s2 = tg.add %s1, %l2 : i64
  %zero = tg.const(0 : index) : index
  %true = tg.const(true) : i1
  tg.store %s2, %out[%zero] mask %true : memref<1xi64>
}

//===----------------------------------------------------------------------===//
// What is as short as it can be stays as it is, in its order; factors may
// stand before or behind the brackets.
//===----------------------------------------------------------------------===//

// CHECK-LABEL: tg.kernel @collect_not(
// CHECK:      %[[V0:.*]] = tg.range 0 loop 5
// CHECK-NEXT: %[[V1:.*]] = tg.range 1 loop 6
// CHECK-NEXT: %[[V2:.*]] = tg.const(3 : index) : index
// CHECK-NEXT: %[[V3:.*]] = tg.mul %[[V1]], %[[V2]] : index
// CHECK-NEXT: %[[V4:.*]] = tg.add %[[V3]], %[[V0]] : index
// CHECK-NEXT: %[[V5:.*]] = tg.const(8 : index) : index
// CHECK-NEXT: %[[V6:.*]] = tg.mul %[[V4]], %[[V5]] : index
// CHECK-NEXT: %[[V7:.*]] = tg.const(5 : index) : index
// CHECK-NEXT: %[[V8:.*]] = tg.add %[[V6]], %[[V7]] : index
// CHECK-NEXT: %[[V9:.*]] = tg.const(24 : index) : index
// CHECK-NEXT: %[[V10:.*]] = tg.mul %[[V0]], %[[V9]] : index
// CHECK-NEXT: %[[V11:.*]] = tg.add %[[V1]], %[[V10]] : index
// CHECK-NEXT: %[[V12:.*]] = tg.cast %[[V8]] : index -> i64
// CHECK-NEXT: %[[V13:.*]] = tg.cast %[[V11]] : index -> i64
// CHECK-NEXT: %[[V14:.*]] = tg.add %[[V12]], %[[V13]] : i64
// CHECK-NEXT: %[[V15:.*]] = tg.const(0 : index) : index
// CHECK-NEXT: %[[V16:.*]] = tg.const(true) : i1
tg.kernel @collect_not(%out: memref<1xi64>, %x: memref<9007199254740992xi64>) attributes {outputs = 1 : i64} {
  %0 = tg.range 0 loop 5
  %1 = tg.range 1 loop 6
  %2 = tg.const(3 : index) : index
  %3 = tg.mul %1, %2 : index
  %4 = tg.add %3, %0 : index
  %5 = tg.const(8 : index) : index
  %6 = tg.mul %4, %5 : index
  %7 = tg.const(5 : index) : index
  %8 = tg.add %6, %7 : index
  %9 = tg.const(24 : index) : index
  %10 = tg.mul %0, %9 : index
  %11 = tg.add %1, %10 : index
  %l0 = tg.cast %8 : index -> i64
  %l1 = tg.cast %11 : index -> i64
  %s1 = tg.add %l0, %l1 : i64
  %zero = tg.const(0 : index) : index
  %true = tg.const(true) : i1
  tg.store %s1, %out[%zero] mask %true : memref<1xi64>
}

//===----------------------------------------------------------------------===//
// A quotient and a remainder make the whole, also of sums that differ by a
// multiple.
//===----------------------------------------------------------------------===//

// CHECK-LABEL: tg.kernel @recombine(
// CHECK:      %[[V0:.*]] = tg.const(0 : index) : index
// CHECK-NEXT: %[[V1:.*]] = tg.load %{{.*}}[%[[V0]]] : memref<64xi64>
// CHECK-NEXT: %[[V2:.*]] = tg.const(true) : i1
tg.kernel @recombine(%out: memref<1xi64>, %x: memref<9007199254740992xi64>, %a1: memref<64xi64>) attributes {outputs = 1 : i64} {
  %0 = tg.const(0 : index) : index
  %1 = tg.load %a1[%0] : memref<64xi64>
  %2 = tg.cast %1 : i64 -> index
  %3 = tg.const(7 : index) : index
  %4 = tg.floordiv %2, %3 : index
  %5 = tg.mul %4, %3 : index
  %6 = tg.floormod %2, %3 : index
  %7 = tg.add %5, %6 : index
  %l0 = tg.cast %7 : index -> i64
  %zero = tg.const(0 : index) : index
  %true = tg.const(true) : i1
  tg.store %l0, %out[%zero] mask %true : memref<1xi64>
}

// CHECK-LABEL: tg.kernel @recombine_scaled(
// CHECK:      %[[V0:.*]] = tg.const(0 : index) : index
// CHECK-NEXT: %[[V1:.*]] = tg.load %{{.*}}[%[[V0]]] : memref<64xi64>
// CHECK-NEXT: %[[V2:.*]] = tg.cast %[[V1]] : i64 -> index
// CHECK-NEXT: %[[V3:.*]] = tg.const(2 : index) : index
// CHECK-NEXT: %[[V4:.*]] = tg.mul %[[V2]], %[[V3]] : index
// CHECK-NEXT: %[[V5:.*]] = tg.cast %[[V4]] : index -> i64
// CHECK-NEXT: %[[V6:.*]] = tg.const(true) : i1
tg.kernel @recombine_scaled(%out: memref<1xi64>, %x: memref<9007199254740992xi64>, %a1: memref<64xi64>) attributes {outputs = 1 : i64} {
  %0 = tg.const(0 : index) : index
  %1 = tg.load %a1[%0] : memref<64xi64>
  %2 = tg.cast %1 : i64 -> index
  %3 = tg.const(7 : index) : index
  %4 = tg.floordiv %2, %3 : index
  %5 = tg.const(14 : index) : index
  %6 = tg.mul %4, %5 : index
  %7 = tg.floormod %2, %3 : index
  %8 = tg.const(2 : index) : index
  %9 = tg.mul %7, %8 : index
  %10 = tg.add %6, %9 : index
  %l0 = tg.cast %10 : index -> i64
  %zero = tg.const(0 : index) : index
  %true = tg.const(true) : i1
  tg.store %l0, %out[%zero] mask %true : memref<1xi64>
}

// CHECK-LABEL: tg.kernel @recombine_nested(
// CHECK:      %[[V0:.*]] = tg.const(0 : index) : index
// CHECK-NEXT: %[[V1:.*]] = tg.load %{{.*}}[%[[V0]]] : memref<64xi64>
// CHECK-NEXT: %[[V2:.*]] = tg.cast %[[V1]] : i64 -> index
// CHECK-NEXT: %[[V3:.*]] = tg.const(4 : index) : index
// CHECK-NEXT: %[[V4:.*]] = tg.floordiv %[[V2]], %[[V3]] : index
// CHECK-NEXT: %[[V5:.*]] = tg.cast %[[V4]] : index -> i64
// CHECK-NEXT: %[[V6:.*]] = tg.const(true) : i1
tg.kernel @recombine_nested(%out: memref<1xi64>, %x: memref<9007199254740992xi64>, %a1: memref<64xi64>) attributes {outputs = 1 : i64} {
  %0 = tg.const(0 : index) : index
  %1 = tg.load %a1[%0] : memref<64xi64>
  %2 = tg.cast %1 : i64 -> index
  %3 = tg.const(4 : index) : index
  %4 = tg.floordiv %2, %3 : index
  %5 = tg.const(6 : index) : index
  %6 = tg.floormod %4, %5 : index
  %7 = tg.const(24 : index) : index
  %8 = tg.floordiv %2, %7 : index
  %9 = tg.mul %8, %5 : index
  %10 = tg.add %6, %9 : index
  %l0 = tg.cast %10 : index -> i64
  %zero = tg.const(0 : index) : index
  %true = tg.const(true) : i1
  tg.store %l0, %out[%zero] mask %true : memref<1xi64>
}

// CHECK-LABEL: tg.kernel @recombine_shifted(
// CHECK:      %[[V0:.*]] = tg.const(0 : index) : index
// CHECK-NEXT: %[[V1:.*]] = tg.load %{{.*}}[%[[V0]]] : memref<64xi32>
// CHECK-NEXT: %[[V2:.*]] = tg.cast %[[V1]] : i32 -> index
// CHECK-NEXT: %[[V3:.*]] = tg.const(9 : index) : index
// CHECK-NEXT: %[[V4:.*]] = tg.add %[[V2]], %[[V3]] : index
// CHECK-NEXT: %[[V5:.*]] = tg.cast %[[V4]] : index -> i64
// CHECK-NEXT: %[[V6:.*]] = tg.const(true) : i1
tg.kernel @recombine_shifted(%out: memref<1xi64>, %x: memref<9007199254740992xi64>, %a1: memref<64xi32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(0 : index) : index
  %1 = tg.load %a1[%0] : memref<64xi32>
  %2 = tg.cast %1 : i32 -> index
  %3 = tg.const(9 : index) : index
  %4 = tg.add %2, %3 : index
  %5 = tg.const(4 : index) : index
  %6 = tg.floordiv %4, %5 : index
  %7 = tg.mul %6, %5 : index
  %8 = tg.const(5 : index) : index
  %9 = tg.add %2, %8 : index
  %10 = tg.floormod %9, %5 : index
  %11 = tg.add %7, %10 : index
  %l0 = tg.cast %11 : index -> i64
  %zero = tg.const(0 : index) : index
  %true = tg.const(true) : i1
  tg.store %l0, %out[%zero] mask %true : memref<1xi64>
}

//===----------------------------------------------------------------------===//
// Not of different values, divisors or factors.
//===----------------------------------------------------------------------===//

// CHECK-LABEL: tg.kernel @recombine_not(
// CHECK:      %[[V0:.*]] = tg.const(0 : index) : index
// CHECK-NEXT: %[[V1:.*]] = tg.load %{{.*}}[%[[V0]]] : memref<64xi64>
// CHECK-NEXT: %[[V2:.*]] = tg.cast %[[V1]] : i64 -> index
// CHECK-NEXT: %[[V3:.*]] = tg.load %{{.*}}[%[[V0]]] : memref<64xi64>
// CHECK-NEXT: %[[V4:.*]] = tg.cast %[[V3]] : i64 -> index
// CHECK-NEXT: %[[V5:.*]] = tg.const(7 : index) : index
// CHECK-NEXT: %[[V6:.*]] = tg.floordiv %[[V2]], %[[V5]] : index
// CHECK-NEXT: %[[V7:.*]] = tg.mul %[[V6]], %[[V5]] : index
// CHECK-NEXT: %[[V8:.*]] = tg.floormod %[[V4]], %[[V5]] : index
// CHECK-NEXT: %[[V9:.*]] = tg.add %[[V7]], %[[V8]] : index
// CHECK-NEXT: %[[V10:.*]] = tg.const(6 : index) : index
// CHECK-NEXT: %[[V11:.*]] = tg.floormod %[[V2]], %[[V10]] : index
// CHECK-NEXT: %[[V12:.*]] = tg.add %[[V7]], %[[V11]] : index
// CHECK-NEXT: %[[V13:.*]] = tg.const(14 : index) : index
// CHECK-NEXT: %[[V14:.*]] = tg.mul %[[V6]], %[[V13]] : index
// CHECK-NEXT: %[[V15:.*]] = tg.floormod %[[V2]], %[[V5]] : index
// CHECK-NEXT: %[[V16:.*]] = tg.add %[[V14]], %[[V15]] : index
// CHECK-NEXT: %[[V17:.*]] = tg.sub %[[V7]], %[[V15]] : index
// CHECK-NEXT: %[[V18:.*]] = tg.cast %[[V9]] : index -> i64
// CHECK-NEXT: %[[V19:.*]] = tg.cast %[[V12]] : index -> i64
// CHECK-NEXT: %[[V20:.*]] = tg.add %[[V18]], %[[V19]] : i64
// CHECK-NEXT: %[[V21:.*]] = tg.cast %[[V16]] : index -> i64
// CHECK-NEXT: %[[V22:.*]] = tg.add %[[V20]], %[[V21]] : i64
// CHECK-NEXT: %[[V23:.*]] = tg.cast %[[V17]] : index -> i64
// CHECK-NEXT: %[[V24:.*]] = tg.add %[[V22]], %[[V23]] : i64
// CHECK-NEXT: %[[V25:.*]] = tg.const(true) : i1
tg.kernel @recombine_not(%out: memref<1xi64>, %x: memref<9007199254740992xi64>, %a1: memref<64xi64>, %a2: memref<64xi64>) attributes {outputs = 1 : i64} {
  %0 = tg.const(0 : index) : index
  %1 = tg.load %a1[%0] : memref<64xi64>
  %2 = tg.cast %1 : i64 -> index
  %3 = tg.load %a2[%0] : memref<64xi64>
  %4 = tg.cast %3 : i64 -> index
  %5 = tg.const(7 : index) : index
  %6 = tg.floordiv %2, %5 : index
  %7 = tg.mul %6, %5 : index
  %8 = tg.floormod %4, %5 : index
  %9 = tg.add %7, %8 : index
  %10 = tg.const(6 : index) : index
  %11 = tg.floormod %2, %10 : index
  %12 = tg.add %7, %11 : index
  %13 = tg.const(14 : index) : index
  %14 = tg.mul %6, %13 : index
  %15 = tg.floormod %2, %5 : index
  %16 = tg.add %14, %15 : index
  %17 = tg.sub %7, %15 : index
  %l0 = tg.cast %9 : index -> i64
  %l1 = tg.cast %12 : index -> i64
  %s1 = tg.add %l0, %l1 : i64
  %l2 = tg.cast %16 : index -> i64
  %s2 = tg.add %s1, %l2 : i64
  %l3 = tg.cast %17 : index -> i64
  %s3 = tg.add %s2, %l3 : i64
  %zero = tg.const(0 : index) : index
  %true = tg.const(true) : i1
  tg.store %s3, %out[%zero] mask %true : memref<1xi64>
}

//===----------------------------------------------------------------------===//
// Bounds leave one quotient, whatever the divisor is; or two.
//===----------------------------------------------------------------------===//

// CHECK-LABEL: tg.kernel @one_value(
// CHECK:      %[[V0:.*]] = tg.range 0 loop 8
// CHECK-NEXT: %[[V1:.*]] = tg.range 1 loop 5
// CHECK-NEXT: %[[V2:.*]] = tg.const(0 : index) : index
// CHECK-NEXT: %[[V3:.*]] = tg.const(0 : i64) : i64
// CHECK-NEXT: %[[V4:.*]] = tg.const(true) : i1
tg.kernel @one_value(%out: memref<1xi64>, %x: memref<9007199254740992xi64>) attributes {outputs = 1 : i64} {
  %0 = tg.range 0 loop 8
  %1 = tg.range 1 loop 5
  %2 = tg.const(8 : index) : index
  %3 = tg.add %1, %2 : index
  %4 = tg.floordiv %0, %3 : index
  %5 = tg.const(4 : index) : index
  %6 = tg.sub %0, %5 : index
  %7 = tg.idiv %6, %3 : index
  %l0 = tg.cast %4 : index -> i64
  %l1 = tg.cast %7 : index -> i64
  %s1 = tg.add %l0, %l1 : i64
  %zero = tg.const(0 : index) : index
  %true = tg.const(true) : i1
  tg.store %s1, %out[%zero] mask %true : memref<1xi64>
}

// CHECK-LABEL: tg.kernel @one_value_not(
// CHECK:      %[[V0:.*]] = tg.range 0 loop 8
// CHECK-NEXT: %[[V1:.*]] = tg.range 1 loop 5
// CHECK-NEXT: %[[V2:.*]] = tg.const(1 : index) : index
// CHECK-NEXT: %[[V3:.*]] = tg.add %[[V0]], %[[V2]] : index
// CHECK-NEXT: %[[V4:.*]] = tg.const(8 : index) : index
// CHECK-NEXT: %[[V5:.*]] = tg.add %[[V1]], %[[V4]] : index
// CHECK-NEXT: %[[V6:.*]] = tg.floordiv %[[V3]], %[[V5]] : index
// CHECK-NEXT: %[[V7:.*]] = tg.sub %[[V0]], %[[V4]] : index
// CHECK-NEXT: %[[V8:.*]] = tg.idiv %[[V7]], %[[V5]] : index
// CHECK-NEXT: %[[V9:.*]] = tg.cast %[[V6]] : index -> i64
// CHECK-NEXT: %[[V10:.*]] = tg.cast %[[V8]] : index -> i64
// CHECK-NEXT: %[[V11:.*]] = tg.add %[[V9]], %[[V10]] : i64
// CHECK-NEXT: %[[V12:.*]] = tg.const(0 : index) : index
// CHECK-NEXT: %[[V13:.*]] = tg.const(true) : i1
tg.kernel @one_value_not(%out: memref<1xi64>, %x: memref<9007199254740992xi64>) attributes {outputs = 1 : i64} {
  %0 = tg.range 0 loop 8
  %1 = tg.range 1 loop 5
  %2 = tg.const(1 : index) : index
  %3 = tg.add %0, %2 : index
  %4 = tg.const(8 : index) : index
  %5 = tg.add %1, %4 : index
  %6 = tg.floordiv %3, %5 : index
  %7 = tg.sub %0, %4 : index
  %8 = tg.idiv %7, %5 : index
  %l0 = tg.cast %6 : index -> i64
  %l1 = tg.cast %8 : index -> i64
  %s1 = tg.add %l0, %l1 : i64
  %zero = tg.const(0 : index) : index
  %true = tg.const(true) : i1
  tg.store %s1, %out[%zero] mask %true : memref<1xi64>
}

//===----------------------------------------------------------------------===//
// Bounds decide a quotient, and with it the remainder. One more, and they
// do not.
//===----------------------------------------------------------------------===//

// CHECK-LABEL: tg.kernel @div_by_bounds(
// CHECK:      %[[V0:.*]] = tg.range 0 loop 8
// CHECK-NEXT: %[[V1:.*]] = tg.const(2 : i64) : i64
// CHECK-NEXT: %[[V2:.*]] = tg.cast %[[V0]] : index -> i64
// CHECK-NEXT: %[[V3:.*]] = tg.add %[[V2]], %[[V1]] : i64
// CHECK-NEXT: %[[V4:.*]] = tg.const(-1 : i64) : i64
// CHECK-NEXT: %[[V5:.*]] = tg.add %[[V3]], %[[V4]] : i64
// CHECK-NEXT: %[[V6:.*]] = tg.add %[[V5]], %[[V2]] : i64
// CHECK-NEXT: %[[V7:.*]] = tg.const(0 : index) : index
// CHECK-NEXT: %[[V8:.*]] = tg.const(true) : i1
tg.kernel @div_by_bounds(%out: memref<1xi64>, %x: memref<9007199254740992xi64>) attributes {outputs = 1 : i64} {
  %0 = tg.range 0 loop 8
  %1 = tg.const(16 : index) : index
  %2 = tg.add %0, %1 : index
  %3 = tg.const(8 : index) : index
  %4 = tg.floordiv %2, %3 : index
  %5 = tg.floormod %2, %3 : index
  %6 = tg.sub %0, %3 : index
  %7 = tg.floordiv %6, %3 : index
  %8 = tg.floormod %6, %3 : index
  %l0 = tg.cast %4 : index -> i64
  %l1 = tg.cast %5 : index -> i64
  %s1 = tg.add %l0, %l1 : i64
  %l2 = tg.cast %7 : index -> i64
  %s2 = tg.add %s1, %l2 : i64
  %l3 = tg.cast %8 : index -> i64
  %s3 = tg.add %s2, %l3 : i64
  %zero = tg.const(0 : index) : index
  %true = tg.const(true) : i1
  tg.store %s3, %out[%zero] mask %true : memref<1xi64>
}

// CHECK-LABEL: tg.kernel @div_by_bounds_not(
// CHECK:      %[[V0:.*]] = tg.range 0 loop 9
// CHECK-NEXT: %[[V1:.*]] = tg.const(8 : index) : index
// CHECK-NEXT: %[[V2:.*]] = tg.floordiv %[[V0]], %[[V1]] : index
// CHECK-NEXT: %[[V3:.*]] = tg.floormod %[[V0]], %[[V1]] : index
// CHECK-NEXT: %[[V4:.*]] = tg.const(1 : index) : index
// CHECK-NEXT: %[[V5:.*]] = tg.sub %[[V0]], %[[V4]] : index
// CHECK-NEXT: %[[V6:.*]] = tg.const(9 : index) : index
// CHECK-NEXT: %[[V7:.*]] = tg.floordiv %[[V5]], %[[V6]] : index
// CHECK-NEXT: %[[V8:.*]] = tg.cast %[[V2]] : index -> i64
// CHECK-NEXT: %[[V9:.*]] = tg.cast %[[V3]] : index -> i64
// CHECK-NEXT: %[[V10:.*]] = tg.add %[[V8]], %[[V9]] : i64
// CHECK-NEXT: %[[V11:.*]] = tg.cast %[[V7]] : index -> i64
// CHECK-NEXT: %[[V12:.*]] = tg.add %[[V10]], %[[V11]] : i64
// CHECK-NEXT: %[[V13:.*]] = tg.const(0 : index) : index
// CHECK-NEXT: %[[V14:.*]] = tg.const(true) : i1
tg.kernel @div_by_bounds_not(%out: memref<1xi64>, %x: memref<9007199254740992xi64>) attributes {outputs = 1 : i64} {
  %0 = tg.range 0 loop 9
  %1 = tg.const(8 : index) : index
  %2 = tg.floordiv %0, %1 : index
  %3 = tg.floormod %0, %1 : index
  %4 = tg.const(1 : index) : index
  %5 = tg.sub %0, %4 : index
  %6 = tg.const(9 : index) : index
  %7 = tg.floordiv %5, %6 : index
  %l0 = tg.cast %2 : index -> i64
  %l1 = tg.cast %3 : index -> i64
  %s1 = tg.add %l0, %l1 : i64
  %l2 = tg.cast %7 : index -> i64
  %s2 = tg.add %s1, %l2 : i64
  %zero = tg.const(0 : index) : index
  %true = tg.const(true) : i1
  tg.store %s2, %out[%zero] mask %true : memref<1xi64>
}

//===----------------------------------------------------------------------===//
// Multiples come out of a quotient and vanish from a remainder.
//===----------------------------------------------------------------------===//

// CHECK-LABEL: tg.kernel @multiples(
// CHECK:      %[[V0:.*]] = tg.const(0 : index) : index
// CHECK-NEXT: %[[V1:.*]] = tg.load %{{.*}}[%[[V0]]] : memref<64xi32>
// CHECK-NEXT: %[[V2:.*]] = tg.cast %[[V1]] : i32 -> index
// CHECK-NEXT: %[[V3:.*]] = tg.load %{{.*}}[%[[V0]]] : memref<64xi32>
// CHECK-NEXT: %[[V4:.*]] = tg.cast %[[V3]] : i32 -> index
// CHECK-NEXT: %[[V5:.*]] = tg.const(8 : index) : index
// CHECK-NEXT: %[[V6:.*]] = tg.const(2 : index) : index
// CHECK-NEXT: %[[V7:.*]] = tg.add %[[V2]], %[[V6]] : index
// CHECK-NEXT: %[[V8:.*]] = tg.floordiv %[[V4]], %[[V5]] : index
// CHECK-NEXT: %[[V9:.*]] = tg.add %[[V7]], %[[V8]] : index
// CHECK-NEXT: %[[V10:.*]] = tg.floormod %[[V4]], %[[V5]] : index
// CHECK-NEXT: %[[V11:.*]] = tg.const(3 : index) : index
// CHECK-NEXT: %[[V12:.*]] = tg.mul %[[V2]], %[[V11]] : index
// CHECK-NEXT: %[[V13:.*]] = tg.add %[[V4]], %[[V12]] : index
// CHECK-NEXT: %[[V14:.*]] = tg.floormod %[[V13]], %[[V5]] : index
// CHECK-NEXT: %[[V15:.*]] = tg.cast %[[V9]] : index -> i64
// CHECK-NEXT: %[[V16:.*]] = tg.cast %[[V10]] : index -> i64
// CHECK-NEXT: %[[V17:.*]] = tg.add %[[V15]], %[[V16]] : i64
// CHECK-NEXT: %[[V18:.*]] = tg.cast %[[V14]] : index -> i64
// CHECK-NEXT: %[[V19:.*]] = tg.add %[[V17]], %[[V18]] : i64
// CHECK-NEXT: %[[V20:.*]] = tg.const(true) : i1
tg.kernel @multiples(%out: memref<1xi64>, %x: memref<9007199254740992xi64>, %a1: memref<64xi32>, %a2: memref<64xi32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(0 : index) : index
  %1 = tg.load %a1[%0] : memref<64xi32>
  %2 = tg.cast %1 : i32 -> index
  %3 = tg.load %a2[%0] : memref<64xi32>
  %4 = tg.cast %3 : i32 -> index
  %5 = tg.const(8 : index) : index
  %6 = tg.mul %2, %5 : index
  %7 = tg.add %6, %4 : index
  %8 = tg.const(16 : index) : index
  %9 = tg.add %7, %8 : index
  %10 = tg.floordiv %9, %5 : index
  %11 = tg.sub %7, %8 : index
  %12 = tg.floormod %11, %5 : index
  %13 = tg.const(11 : index) : index
  %14 = tg.mul %2, %13 : index
  %15 = tg.add %14, %4 : index
  %16 = tg.floormod %15, %5 : index
  %l0 = tg.cast %10 : index -> i64
  %l1 = tg.cast %12 : index -> i64
  %s1 = tg.add %l0, %l1 : i64
  %l2 = tg.cast %16 : index -> i64
  %s2 = tg.add %s1, %l2 : i64
  %zero = tg.const(0 : index) : index
  %true = tg.const(true) : i1
  tg.store %s2, %out[%zero] mask %true : memref<1xi64>
}

//===----------------------------------------------------------------------===//
// Not where the sum may wrap, nor a constant that is no multiple, which
// would be an operation more.
//===----------------------------------------------------------------------===//

// CHECK-LABEL: tg.kernel @multiples_not(
// CHECK:      %[[V0:.*]] = tg.const(0 : index) : index
// CHECK-NEXT: %[[V1:.*]] = tg.load %{{.*}}[%[[V0]]] : memref<64xi64>
// CHECK-NEXT: %[[V2:.*]] = tg.cast %[[V1]] : i64 -> index
// CHECK-NEXT: %[[V3:.*]] = tg.load %{{.*}}[%[[V0]]] : memref<64xi64>
// CHECK-NEXT: %[[V4:.*]] = tg.cast %[[V3]] : i64 -> index
// CHECK-NEXT: %[[V5:.*]] = tg.load %{{.*}}[%[[V0]]] : memref<64xi32>
// CHECK-NEXT: %[[V6:.*]] = tg.cast %[[V5]] : i32 -> index
// CHECK-NEXT: %[[V7:.*]] = tg.const(8 : index) : index
// CHECK-NEXT: %[[V8:.*]] = tg.mul %[[V2]], %[[V7]] : index
// CHECK-NEXT: %[[V9:.*]] = tg.add %[[V8]], %[[V4]] : index
// CHECK-NEXT: %[[V10:.*]] = tg.floordiv %[[V9]], %[[V7]] : index
// CHECK-NEXT: %[[V11:.*]] = tg.floormod %[[V9]], %[[V7]] : index
// CHECK-NEXT: %[[V12:.*]] = tg.const(9 : index) : index
// CHECK-NEXT: %[[V13:.*]] = tg.add %[[V6]], %[[V12]] : index
// CHECK-NEXT: %[[V14:.*]] = tg.floordiv %[[V13]], %[[V7]] : index
// CHECK-NEXT: %[[V15:.*]] = tg.cast %[[V10]] : index -> i64
// CHECK-NEXT: %[[V16:.*]] = tg.cast %[[V11]] : index -> i64
// CHECK-NEXT: %[[V17:.*]] = tg.add %[[V15]], %[[V16]] : i64
// CHECK-NEXT: %[[V18:.*]] = tg.cast %[[V14]] : index -> i64
// CHECK-NEXT: %[[V19:.*]] = tg.add %[[V17]], %[[V18]] : i64
// CHECK-NEXT: %[[V20:.*]] = tg.const(true) : i1
tg.kernel @multiples_not(%out: memref<1xi64>, %x: memref<9007199254740992xi64>, %a1: memref<64xi64>, %a2: memref<64xi64>, %a3: memref<64xi32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(0 : index) : index
  %1 = tg.load %a1[%0] : memref<64xi64>
  %2 = tg.cast %1 : i64 -> index
  %3 = tg.load %a2[%0] : memref<64xi64>
  %4 = tg.cast %3 : i64 -> index
  %5 = tg.load %a3[%0] : memref<64xi32>
  %6 = tg.cast %5 : i32 -> index
  %7 = tg.const(8 : index) : index
  %8 = tg.mul %2, %7 : index
  %9 = tg.add %8, %4 : index
  %10 = tg.floordiv %9, %7 : index
  %11 = tg.floormod %9, %7 : index
  %12 = tg.const(9 : index) : index
  %13 = tg.add %6, %12 : index
  %14 = tg.floordiv %13, %7 : index
  %l0 = tg.cast %10 : index -> i64
  %l1 = tg.cast %11 : index -> i64
  %s1 = tg.add %l0, %l1 : i64
  %l2 = tg.cast %14 : index -> i64
  %s2 = tg.add %s1, %l2 : i64
  %zero = tg.const(0 : index) : index
  %true = tg.const(true) : i1
  tg.store %s2, %out[%zero] mask %true : memref<1xi64>
}

//===----------------------------------------------------------------------===//
// What stays below a common divisor vanishes with it; a remainder keeps it
// outside.
//===----------------------------------------------------------------------===//

// CHECK-LABEL: tg.kernel @small_rest(
// CHECK:      %[[V0:.*]] = tg.const(0 : index) : index
// CHECK-NEXT: %[[V1:.*]] = tg.load %{{.*}}[%[[V0]]] : memref<64xi32>
// CHECK-NEXT: %[[V2:.*]] = tg.cast %[[V1]] : i32 -> index
// CHECK-NEXT: %[[V3:.*]] = tg.range 0 loop 4
// CHECK-NEXT: %[[V4:.*]] = tg.const(4 : index) : index
// CHECK-NEXT: %[[V5:.*]] = tg.const(6 : index) : index
// CHECK-NEXT: %[[V6:.*]] = tg.floordiv %[[V2]], %[[V5]] : index
// CHECK-NEXT: %[[V7:.*]] = tg.floormod %[[V2]], %[[V5]] : index
// CHECK-NEXT: %[[V8:.*]] = tg.mul %[[V7]], %[[V4]] : index
// CHECK-NEXT: %[[V9:.*]] = tg.add %[[V8]], %[[V3]] : index
// CHECK-NEXT: %[[V10:.*]] = tg.const(1 : index) : index
// CHECK-NEXT: %[[V11:.*]] = tg.add %[[V2]], %[[V10]] : index
// CHECK-NEXT: %[[V12:.*]] = tg.floordiv %[[V11]], %[[V5]] : index
// CHECK-NEXT: %[[V13:.*]] = tg.const(2 : index) : index
// CHECK-NEXT: %[[V14:.*]] = tg.mul %[[V2]], %[[V13]] : index
// CHECK-NEXT: %[[V15:.*]] = tg.const(3 : index) : index
// CHECK-NEXT: %[[V16:.*]] = tg.floordiv %[[V14]], %[[V15]] : index
// CHECK-NEXT: %[[V17:.*]] = tg.cast %[[V6]] : index -> i64
// CHECK-NEXT: %[[V18:.*]] = tg.cast %[[V9]] : index -> i64
// CHECK-NEXT: %[[V19:.*]] = tg.add %[[V17]], %[[V18]] : i64
// CHECK-NEXT: %[[V20:.*]] = tg.cast %[[V12]] : index -> i64
// CHECK-NEXT: %[[V21:.*]] = tg.add %[[V19]], %[[V20]] : i64
// CHECK-NEXT: %[[V22:.*]] = tg.cast %[[V16]] : index -> i64
// CHECK-NEXT: %[[V23:.*]] = tg.add %[[V21]], %[[V22]] : i64
// CHECK-NEXT: %[[V24:.*]] = tg.const(true) : i1
tg.kernel @small_rest(%out: memref<1xi64>, %x: memref<9007199254740992xi64>, %a1: memref<64xi32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(0 : index) : index
  %1 = tg.load %a1[%0] : memref<64xi32>
  %2 = tg.cast %1 : i32 -> index
  %3 = tg.range 0 loop 4
  %4 = tg.const(4 : index) : index
  %5 = tg.mul %2, %4 : index
  %6 = tg.add %5, %3 : index
  %7 = tg.const(24 : index) : index
  %8 = tg.floordiv %6, %7 : index
  %9 = tg.floormod %6, %7 : index
  %10 = tg.add %6, %4 : index
  %11 = tg.floordiv %10, %7 : index
  %12 = tg.const(6 : index) : index
  %13 = tg.mul %2, %12 : index
  %14 = tg.const(2 : index) : index
  %15 = tg.mul %2, %14 : index
  %16 = tg.sub %13, %15 : index
  %17 = tg.floordiv %16, %12 : index
  %l0 = tg.cast %8 : index -> i64
  %l1 = tg.cast %9 : index -> i64
  %s1 = tg.add %l0, %l1 : i64
  %l2 = tg.cast %11 : index -> i64
  %s2 = tg.add %s1, %l2 : i64
  %l3 = tg.cast %17 : index -> i64
  %s3 = tg.add %s2, %l3 : i64
  %zero = tg.const(0 : index) : index
  %true = tg.const(true) : i1
  tg.store %s3, %out[%zero] mask %true : memref<1xi64>
}

//===----------------------------------------------------------------------===//
// Not if it can reach the divisor.
//===----------------------------------------------------------------------===//

// CHECK-LABEL: tg.kernel @small_rest_not(
// CHECK:      %[[V0:.*]] = tg.const(0 : index) : index
// CHECK-NEXT: %[[V1:.*]] = tg.load %{{.*}}[%[[V0]]] : memref<64xi32>
// CHECK-NEXT: %[[V2:.*]] = tg.cast %[[V1]] : i32 -> index
// CHECK-NEXT: %[[V3:.*]] = tg.range 0 loop 6
// CHECK-NEXT: %[[V4:.*]] = tg.const(4 : index) : index
// CHECK-NEXT: %[[V5:.*]] = tg.mul %[[V2]], %[[V4]] : index
// CHECK-NEXT: %[[V6:.*]] = tg.add %[[V5]], %[[V3]] : index
// CHECK-NEXT: %[[V7:.*]] = tg.const(24 : index) : index
// CHECK-NEXT: %[[V8:.*]] = tg.floordiv %[[V6]], %[[V7]] : index
// CHECK-NEXT: %[[V9:.*]] = tg.floormod %[[V6]], %[[V7]] : index
// CHECK-NEXT: %[[V10:.*]] = tg.const(22 : index) : index
// CHECK-NEXT: %[[V11:.*]] = tg.floordiv %[[V6]], %[[V10]] : index
// CHECK-NEXT: %[[V12:.*]] = tg.cast %[[V8]] : index -> i64
// CHECK-NEXT: %[[V13:.*]] = tg.cast %[[V9]] : index -> i64
// CHECK-NEXT: %[[V14:.*]] = tg.add %[[V12]], %[[V13]] : i64
// CHECK-NEXT: %[[V15:.*]] = tg.cast %[[V11]] : index -> i64
// CHECK-NEXT: %[[V16:.*]] = tg.add %[[V14]], %[[V15]] : i64
// CHECK-NEXT: %[[V17:.*]] = tg.const(true) : i1
tg.kernel @small_rest_not(%out: memref<1xi64>, %x: memref<9007199254740992xi64>, %a1: memref<64xi32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(0 : index) : index
  %1 = tg.load %a1[%0] : memref<64xi32>
  %2 = tg.cast %1 : i32 -> index
  %3 = tg.range 0 loop 6
  %4 = tg.const(4 : index) : index
  %5 = tg.mul %2, %4 : index
  %6 = tg.add %5, %3 : index
  %7 = tg.const(24 : index) : index
  %8 = tg.floordiv %6, %7 : index
  %9 = tg.floormod %6, %7 : index
  %10 = tg.const(22 : index) : index
  %11 = tg.floordiv %6, %10 : index
  %l0 = tg.cast %8 : index -> i64
  %l1 = tg.cast %9 : index -> i64
  %s1 = tg.add %l0, %l1 : i64
  %l2 = tg.cast %11 : index -> i64
  %s2 = tg.add %s1, %l2 : i64
  %zero = tg.const(0 : index) : index
  %true = tg.const(true) : i1
  tg.store %s2, %out[%zero] mask %true : memref<1xi64>
}

//===----------------------------------------------------------------------===//
// Quotients of quotients and of remainders.
//===----------------------------------------------------------------------===//

// CHECK-LABEL: tg.kernel @nested(
// CHECK:      %[[V0:.*]] = tg.const(0 : index) : index
// CHECK-NEXT: %[[V1:.*]] = tg.load %{{.*}}[%[[V0]]] : memref<64xi64>
// CHECK-NEXT: %[[V2:.*]] = tg.cast %[[V1]] : i64 -> index
// CHECK-NEXT: %[[V3:.*]] = tg.const(3 : index) : index
// CHECK-NEXT: %[[V4:.*]] = tg.floordiv %[[V2]], %[[V3]] : index
// CHECK-NEXT: %[[V5:.*]] = tg.const(4 : index) : index
// CHECK-NEXT: %[[V6:.*]] = tg.const(12 : index) : index
// CHECK-NEXT: %[[V7:.*]] = tg.floordiv %[[V2]], %[[V6]] : index
// CHECK-NEXT: %[[V8:.*]] = tg.floormod %[[V4]], %[[V5]] : index
// CHECK-NEXT: %[[V9:.*]] = tg.floormod %[[V2]], %[[V5]] : index
// CHECK-NEXT: %[[V10:.*]] = tg.cast %[[V7]] : index -> i64
// CHECK-NEXT: %[[V11:.*]] = tg.cast %[[V8]] : index -> i64
// CHECK-NEXT: %[[V12:.*]] = tg.add %[[V10]], %[[V11]] : i64
// CHECK-NEXT: %[[V13:.*]] = tg.cast %[[V9]] : index -> i64
// CHECK-NEXT: %[[V14:.*]] = tg.add %[[V12]], %[[V13]] : i64
// CHECK-NEXT: %[[V15:.*]] = tg.const(true) : i1
tg.kernel @nested(%out: memref<1xi64>, %x: memref<9007199254740992xi64>, %a1: memref<64xi64>) attributes {outputs = 1 : i64} {
  %0 = tg.const(0 : index) : index
  %1 = tg.load %a1[%0] : memref<64xi64>
  %2 = tg.cast %1 : i64 -> index
  %3 = tg.const(3 : index) : index
  %4 = tg.floordiv %2, %3 : index
  %5 = tg.const(4 : index) : index
  %6 = tg.floordiv %4, %5 : index
  %7 = tg.const(12 : index) : index
  %8 = tg.floormod %2, %7 : index
  %9 = tg.floordiv %8, %3 : index
  %10 = tg.floormod %8, %5 : index
  %l0 = tg.cast %6 : index -> i64
  %l1 = tg.cast %9 : index -> i64
  %s1 = tg.add %l0, %l1 : i64
  %l2 = tg.cast %10 : index -> i64
  %s2 = tg.add %s1, %l2 : i64
  %zero = tg.const(0 : index) : index
  %true = tg.const(true) : i1
  tg.store %s2, %out[%zero] mask %true : memref<1xi64>
}

// CHECK-LABEL: tg.kernel @nested_sum(
// CHECK:      %[[V0:.*]] = tg.const(0 : index) : index
// CHECK-NEXT: %[[V1:.*]] = tg.load %{{.*}}[%[[V0]]] : memref<64xi32>
// CHECK-NEXT: %[[V2:.*]] = tg.cast %[[V1]] : i32 -> index
// CHECK-NEXT: %[[V3:.*]] = tg.load %{{.*}}[%[[V0]]] : memref<64xi32>
// CHECK-NEXT: %[[V4:.*]] = tg.cast %[[V3]] : i32 -> index
// CHECK-NEXT: %[[V5:.*]] = tg.const(4 : index) : index
// CHECK-NEXT: %[[V6:.*]] = tg.add %[[V2]], %[[V4]] : index
// CHECK-NEXT: %[[V7:.*]] = tg.floormod %[[V6]], %[[V5]] : index
// CHECK-NEXT: %[[V8:.*]] = tg.cast %[[V7]] : index -> i64
// CHECK-NEXT: %[[V9:.*]] = tg.const(true) : i1
tg.kernel @nested_sum(%out: memref<1xi64>, %x: memref<9007199254740992xi64>, %a1: memref<64xi32>, %a2: memref<64xi32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(0 : index) : index
  %1 = tg.load %a1[%0] : memref<64xi32>
  %2 = tg.cast %1 : i32 -> index
  %3 = tg.load %a2[%0] : memref<64xi32>
  %4 = tg.cast %3 : i32 -> index
  %5 = tg.const(12 : index) : index
  %6 = tg.floormod %2, %5 : index
  %7 = tg.add %6, %4 : index
  %8 = tg.const(4 : index) : index
  %9 = tg.floormod %7, %8 : index
  %l0 = tg.cast %9 : index -> i64
  %zero = tg.const(0 : index) : index
  %true = tg.const(true) : i1
  tg.store %l0, %out[%zero] mask %true : memref<1xi64>
}

//===----------------------------------------------------------------------===//
// Not where the one divisor is no multiple of the other, nor across signs.
//===----------------------------------------------------------------------===//

// CHECK-LABEL: tg.kernel @nested_not(
// CHECK:      %[[V0:.*]] = tg.const(0 : index) : index
// CHECK-NEXT: %[[V1:.*]] = tg.load %{{.*}}[%[[V0]]] : memref<64xi64>
// CHECK-NEXT: %[[V2:.*]] = tg.cast %[[V1]] : i64 -> index
// CHECK-NEXT: %[[V3:.*]] = tg.const(12 : index) : index
// CHECK-NEXT: %[[V4:.*]] = tg.floormod %[[V2]], %[[V3]] : index
// CHECK-NEXT: %[[V5:.*]] = tg.const(5 : index) : index
// CHECK-NEXT: %[[V6:.*]] = tg.floordiv %[[V4]], %[[V5]] : index
// CHECK-NEXT: %[[V7:.*]] = tg.floormod %[[V4]], %[[V5]] : index
// CHECK-NEXT: %[[V8:.*]] = tg.const(-3 : index) : index
// CHECK-NEXT: %[[V9:.*]] = tg.floordiv %[[V2]], %[[V8]] : index
// CHECK-NEXT: %[[V10:.*]] = tg.const(4 : index) : index
// CHECK-NEXT: %[[V11:.*]] = tg.floordiv %[[V9]], %[[V10]] : index
// CHECK-NEXT: %[[V12:.*]] = tg.const(3 : index) : index
// CHECK-NEXT: %[[V13:.*]] = tg.idiv %[[V2]], %[[V12]] : index
// CHECK-NEXT: %[[V14:.*]] = tg.idiv %[[V13]], %[[V10]] : index
// CHECK-NEXT: %[[V15:.*]] = tg.cast %[[V6]] : index -> i64
// CHECK-NEXT: %[[V16:.*]] = tg.cast %[[V7]] : index -> i64
// CHECK-NEXT: %[[V17:.*]] = tg.add %[[V15]], %[[V16]] : i64
// CHECK-NEXT: %[[V18:.*]] = tg.cast %[[V11]] : index -> i64
// CHECK-NEXT: %[[V19:.*]] = tg.add %[[V17]], %[[V18]] : i64
// CHECK-NEXT: %[[V20:.*]] = tg.cast %[[V14]] : index -> i64
// CHECK-NEXT: %[[V21:.*]] = tg.add %[[V19]], %[[V20]] : i64
// CHECK-NEXT: %[[V22:.*]] = tg.const(true) : i1
tg.kernel @nested_not(%out: memref<1xi64>, %x: memref<9007199254740992xi64>, %a1: memref<64xi64>) attributes {outputs = 1 : i64} {
  %0 = tg.const(0 : index) : index
  %1 = tg.load %a1[%0] : memref<64xi64>
  %2 = tg.cast %1 : i64 -> index
  %3 = tg.const(12 : index) : index
  %4 = tg.floormod %2, %3 : index
  %5 = tg.const(5 : index) : index
  %6 = tg.floordiv %4, %5 : index
  %7 = tg.floormod %4, %5 : index
  %8 = tg.const(-3 : index) : index
  %9 = tg.floordiv %2, %8 : index
  %10 = tg.const(4 : index) : index
  %11 = tg.floordiv %9, %10 : index
  %12 = tg.const(3 : index) : index
  %13 = tg.idiv %2, %12 : index
  %14 = tg.idiv %13, %10 : index
  %l0 = tg.cast %6 : index -> i64
  %l1 = tg.cast %7 : index -> i64
  %s1 = tg.add %l0, %l1 : i64
  %l2 = tg.cast %11 : index -> i64
  %s2 = tg.add %s1, %l2 : i64
  %l3 = tg.cast %14 : index -> i64
  %s3 = tg.add %s2, %l3 : i64
  %zero = tg.const(0 : index) : index
  %true = tg.const(true) : i1
  tg.store %s3, %out[%zero] mask %true : memref<1xi64>
}

//===----------------------------------------------------------------------===//
// Divisors become positive. The least number has no negation, so an unknown
// number stays.
//===----------------------------------------------------------------------===//

// CHECK-LABEL: tg.kernel @negative(
// CHECK:      %[[V0:.*]] = tg.const(0 : index) : index
// CHECK-NEXT: %[[V1:.*]] = tg.load %{{.*}}[%[[V0]]] : memref<64xi32>
// CHECK-NEXT: %[[V2:.*]] = tg.cast %[[V1]] : i32 -> index
// CHECK-NEXT: %[[V3:.*]] = tg.neg %[[V2]] : index
// CHECK-NEXT: %[[V4:.*]] = tg.const(3 : index) : index
// CHECK-NEXT: %[[V5:.*]] = tg.floordiv %[[V3]], %[[V4]] : index
// CHECK-NEXT: %[[V6:.*]] = tg.floormod %[[V3]], %[[V4]] : index
// CHECK-NEXT: %[[V7:.*]] = tg.neg %[[V6]] : index
// CHECK-NEXT: %[[V8:.*]] = tg.cast %[[V5]] : index -> i64
// CHECK-NEXT: %[[V9:.*]] = tg.cast %[[V7]] : index -> i64
// CHECK-NEXT: %[[V10:.*]] = tg.add %[[V8]], %[[V9]] : i64
// CHECK-NEXT: %[[V11:.*]] = tg.const(true) : i1
tg.kernel @negative(%out: memref<1xi64>, %x: memref<9007199254740992xi64>, %a1: memref<64xi32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(0 : index) : index
  %1 = tg.load %a1[%0] : memref<64xi32>
  %2 = tg.cast %1 : i32 -> index
  %3 = tg.const(-3 : index) : index
  %4 = tg.floordiv %2, %3 : index
  %5 = tg.floormod %2, %3 : index
  %l0 = tg.cast %4 : index -> i64
  %l1 = tg.cast %5 : index -> i64
  %s1 = tg.add %l0, %l1 : i64
  %zero = tg.const(0 : index) : index
  %true = tg.const(true) : i1
  tg.store %s1, %out[%zero] mask %true : memref<1xi64>
}

// CHECK-LABEL: tg.kernel @negative_truncated(
// CHECK:      %[[V0:.*]] = tg.const(0 : index) : index
// CHECK-NEXT: %[[V1:.*]] = tg.load %{{.*}}[%[[V0]]] : memref<64xi64>
// CHECK-NEXT: %[[V2:.*]] = tg.cast %[[V1]] : i64 -> index
// CHECK-NEXT: %[[V3:.*]] = tg.const(3 : index) : index
// CHECK-NEXT: %[[V4:.*]] = tg.idiv %[[V2]], %[[V3]] : index
// CHECK-NEXT: %[[V5:.*]] = tg.neg %[[V4]] : index
// CHECK-NEXT: %[[V6:.*]] = tg.mod %[[V2]], %[[V3]] : index
// CHECK-NEXT: %[[V7:.*]] = tg.cast %[[V5]] : index -> i64
// CHECK-NEXT: %[[V8:.*]] = tg.cast %[[V6]] : index -> i64
// CHECK-NEXT: %[[V9:.*]] = tg.add %[[V7]], %[[V8]] : i64
// CHECK-NEXT: %[[V10:.*]] = tg.const(true) : i1
tg.kernel @negative_truncated(%out: memref<1xi64>, %x: memref<9007199254740992xi64>, %a1: memref<64xi64>) attributes {outputs = 1 : i64} {
  %0 = tg.const(0 : index) : index
  %1 = tg.load %a1[%0] : memref<64xi64>
  %2 = tg.cast %1 : i64 -> index
  %3 = tg.const(-3 : index) : index
  %4 = tg.idiv %2, %3 : index
  %5 = tg.mod %2, %3 : index
  %l0 = tg.cast %4 : index -> i64
  %l1 = tg.cast %5 : index -> i64
  %s1 = tg.add %l0, %l1 : i64
  %zero = tg.const(0 : index) : index
  %true = tg.const(true) : i1
  tg.store %s1, %out[%zero] mask %true : memref<1xi64>
}

// CHECK-LABEL: tg.kernel @negative_not(
// CHECK:      %[[V0:.*]] = tg.const(0 : index) : index
// CHECK-NEXT: %[[V1:.*]] = tg.load %{{.*}}[%[[V0]]] : memref<64xi64>
// CHECK-NEXT: %[[V2:.*]] = tg.cast %[[V1]] : i64 -> index
// CHECK-NEXT: %[[V3:.*]] = tg.const(-3 : index) : index
// CHECK-NEXT: %[[V4:.*]] = tg.floordiv %[[V2]], %[[V3]] : index
// CHECK-NEXT: %[[V5:.*]] = tg.floormod %[[V2]], %[[V3]] : index
// CHECK-NEXT: %[[V6:.*]] = tg.cast %[[V4]] : index -> i64
// CHECK-NEXT: %[[V7:.*]] = tg.cast %[[V5]] : index -> i64
// CHECK-NEXT: %[[V8:.*]] = tg.add %[[V6]], %[[V7]] : i64
// CHECK-NEXT: %[[V9:.*]] = tg.const(true) : i1
tg.kernel @negative_not(%out: memref<1xi64>, %x: memref<9007199254740992xi64>, %a1: memref<64xi64>) attributes {outputs = 1 : i64} {
  %0 = tg.const(0 : index) : index
  %1 = tg.load %a1[%0] : memref<64xi64>
  %2 = tg.cast %1 : i64 -> index
  %3 = tg.const(-3 : index) : index
  %4 = tg.floordiv %2, %3 : index
  %5 = tg.floormod %2, %3 : index
  %l0 = tg.cast %4 : index -> i64
  %l1 = tg.cast %5 : index -> i64
  %s1 = tg.add %l0, %l1 : i64
  %zero = tg.const(0 : index) : index
  %true = tg.const(true) : i1
  tg.store %s1, %out[%zero] mask %true : memref<1xi64>
}

//===----------------------------------------------------------------------===//
// Rounding towards zero is rounding down, of what has one sign.
//===----------------------------------------------------------------------===//

// CHECK-LABEL: tg.kernel @truncated(
// CHECK:      %[[V0:.*]] = tg.range 0 loop 20
// CHECK-NEXT: %[[V1:.*]] = tg.const(3 : index) : index
// CHECK-NEXT: %[[V2:.*]] = tg.floordiv %[[V0]], %[[V1]] : index
// CHECK-NEXT: %[[V3:.*]] = tg.floormod %[[V0]], %[[V1]] : index
// CHECK-NEXT: %[[V4:.*]] = tg.neg %[[V2]] : index
// CHECK-NEXT: %[[V5:.*]] = tg.neg %[[V3]] : index
// CHECK-NEXT: %[[V6:.*]] = tg.cast %[[V2]] : index -> i64
// CHECK-NEXT: %[[V7:.*]] = tg.cast %[[V3]] : index -> i64
// CHECK-NEXT: %[[V8:.*]] = tg.add %[[V6]], %[[V7]] : i64
// CHECK-NEXT: %[[V9:.*]] = tg.cast %[[V4]] : index -> i64
// CHECK-NEXT: %[[V10:.*]] = tg.add %[[V8]], %[[V9]] : i64
// CHECK-NEXT: %[[V11:.*]] = tg.cast %[[V5]] : index -> i64
// CHECK-NEXT: %[[V12:.*]] = tg.add %[[V10]], %[[V11]] : i64
// CHECK-NEXT: %[[V13:.*]] = tg.const(0 : index) : index
// CHECK-NEXT: %[[V14:.*]] = tg.const(true) : i1
tg.kernel @truncated(%out: memref<1xi64>, %x: memref<9007199254740992xi64>) attributes {outputs = 1 : i64} {
  %0 = tg.range 0 loop 20
  %1 = tg.const(3 : index) : index
  %2 = tg.idiv %0, %1 : index
  %3 = tg.mod %0, %1 : index
  %4 = tg.neg %0 : index
  %5 = tg.idiv %4, %1 : index
  %6 = tg.mod %4, %1 : index
  %l0 = tg.cast %2 : index -> i64
  %l1 = tg.cast %3 : index -> i64
  %s1 = tg.add %l0, %l1 : i64
  %l2 = tg.cast %5 : index -> i64
  %s2 = tg.add %s1, %l2 : i64
  %l3 = tg.cast %6 : index -> i64
  %s3 = tg.add %s2, %l3 : i64
  %zero = tg.const(0 : index) : index
  %true = tg.const(true) : i1
  tg.store %s3, %out[%zero] mask %true : memref<1xi64>
}

// CHECK-LABEL: tg.kernel @truncated_not(
// CHECK:      %[[V0:.*]] = tg.range 0 loop 20
// CHECK-NEXT: %[[V1:.*]] = tg.const(5 : index) : index
// CHECK-NEXT: %[[V2:.*]] = tg.sub %[[V0]], %[[V1]] : index
// CHECK-NEXT: %[[V3:.*]] = tg.const(3 : index) : index
// CHECK-NEXT: %[[V4:.*]] = tg.idiv %[[V2]], %[[V3]] : index
// CHECK-NEXT: %[[V5:.*]] = tg.mod %[[V2]], %[[V3]] : index
// CHECK-NEXT: %[[V6:.*]] = tg.cast %[[V4]] : index -> i64
// CHECK-NEXT: %[[V7:.*]] = tg.cast %[[V5]] : index -> i64
// CHECK-NEXT: %[[V8:.*]] = tg.add %[[V6]], %[[V7]] : i64
// CHECK-NEXT: %[[V9:.*]] = tg.const(0 : index) : index
// CHECK-NEXT: %[[V10:.*]] = tg.const(true) : i1
tg.kernel @truncated_not(%out: memref<1xi64>, %x: memref<9007199254740992xi64>) attributes {outputs = 1 : i64} {
  %0 = tg.range 0 loop 20
  %1 = tg.const(5 : index) : index
  %2 = tg.sub %0, %1 : index
  %3 = tg.const(3 : index) : index
  %4 = tg.idiv %2, %3 : index
  %5 = tg.mod %2, %3 : index
  %l0 = tg.cast %4 : index -> i64
  %l1 = tg.cast %5 : index -> i64
  %s1 = tg.add %l0, %l1 : i64
  %zero = tg.const(0 : index) : index
  %true = tg.const(true) : i1
  tg.store %s1, %out[%zero] mask %true : memref<1xi64>
}

//===----------------------------------------------------------------------===//
// Comparisons that bounds decide, and just not.
//===----------------------------------------------------------------------===//

// CHECK-LABEL: tg.kernel @decide(
// CHECK:      %[[V0:.*]] = tg.range 0 loop 8
// CHECK-NEXT: %[[V1:.*]] = tg.range 1 loop 9
// CHECK-NEXT: %[[V2:.*]] = tg.const(true) : i1
// CHECK-NEXT: %[[V3:.*]] = tg.const(0 : index) : index
// CHECK-NEXT: %[[V4:.*]] = tg.const(2 : i64) : i64
tg.kernel @decide(%out: memref<1xi64>, %x: memref<9007199254740992xi64>) attributes {outputs = 1 : i64} {
  %0 = tg.range 0 loop 8
  %1 = tg.range 1 loop 9
  %2 = tg.const(8 : index) : index
  %3 = tg.cmplt %0, %2 : index
  %4 = tg.const(1 : index) : index
  %5 = tg.const(0 : index) : index
  %6 = tg.where %3, %4, %5 : index
  %7 = tg.add %0, %2 : index
  %8 = tg.cmplt %7, %1 : index
  %9 = tg.where %8, %4, %5 : index
  %10 = tg.cmpeq %0, %2 : index
  %11 = tg.where %10, %4, %5 : index
  %12 = tg.const(9 : index) : index
  %13 = tg.add %0, %12 : index
  %14 = tg.cmpne %13, %1 : index
  %15 = tg.where %14, %4, %5 : index
  %l0 = tg.cast %6 : index -> i64
  %l1 = tg.cast %9 : index -> i64
  %s1 = tg.add %l0, %l1 : i64
  %l2 = tg.cast %11 : index -> i64
  %s2 = tg.add %s1, %l2 : i64
  %l3 = tg.cast %15 : index -> i64
  %s3 = tg.add %s2, %l3 : i64
  %zero = tg.const(0 : index) : index
  %true = tg.const(true) : i1
  tg.store %s3, %out[%zero] mask %true : memref<1xi64>
}

// CHECK-LABEL: tg.kernel @decide_not(
// CHECK:      %[[V0:.*]] = tg.range 0 loop 8
// CHECK-NEXT: %[[V1:.*]] = tg.range 1 loop 9
// CHECK-NEXT: %[[V2:.*]] = tg.const(7 : index) : index
// CHECK-NEXT: %[[V3:.*]] = tg.cmplt %[[V0]], %[[V2]] : index
// CHECK-NEXT: %[[V4:.*]] = tg.const(1 : index) : index
// CHECK-NEXT: %[[V5:.*]] = tg.const(0 : index) : index
// CHECK-NEXT: %[[V6:.*]] = tg.where %[[V3]], %[[V4]], %[[V5]] : index
// CHECK-NEXT: %[[V7:.*]] = tg.cmplt %[[V0]], %[[V1]] : index
// CHECK-NEXT: %[[V8:.*]] = tg.where %[[V7]], %[[V4]], %[[V5]] : index
// CHECK-NEXT: %[[V9:.*]] = tg.cmpeq %[[V0]], %[[V2]] : index
// CHECK-NEXT: %[[V10:.*]] = tg.where %[[V9]], %[[V4]], %[[V5]] : index
// CHECK-NEXT: %[[V11:.*]] = tg.const(8 : index) : index
// CHECK-NEXT: %[[V12:.*]] = tg.add %[[V0]], %[[V11]] : index
// CHECK-NEXT: %[[V13:.*]] = tg.cmpne %[[V12]], %[[V1]] : index
// CHECK-NEXT: %[[V14:.*]] = tg.where %[[V13]], %[[V4]], %[[V5]] : index
// CHECK-NEXT: %[[V15:.*]] = tg.cast %[[V6]] : index -> i64
// CHECK-NEXT: %[[V16:.*]] = tg.cast %[[V8]] : index -> i64
// CHECK-NEXT: %[[V17:.*]] = tg.add %[[V15]], %[[V16]] : i64
// CHECK-NEXT: %[[V18:.*]] = tg.cast %[[V10]] : index -> i64
// CHECK-NEXT: %[[V19:.*]] = tg.add %[[V17]], %[[V18]] : i64
// CHECK-NEXT: %[[V20:.*]] = tg.cast %[[V14]] : index -> i64
// CHECK-NEXT: %[[V21:.*]] = tg.add %[[V19]], %[[V20]] : i64
// CHECK-NEXT: %[[V22:.*]] = tg.const(true) : i1
tg.kernel @decide_not(%out: memref<1xi64>, %x: memref<9007199254740992xi64>) attributes {outputs = 1 : i64} {
  %0 = tg.range 0 loop 8
  %1 = tg.range 1 loop 9
  %2 = tg.const(7 : index) : index
  %3 = tg.cmplt %0, %2 : index
  %4 = tg.const(1 : index) : index
  %5 = tg.const(0 : index) : index
  %6 = tg.where %3, %4, %5 : index
  %7 = tg.cmplt %0, %1 : index
  %8 = tg.where %7, %4, %5 : index
  %9 = tg.cmpeq %0, %2 : index
  %10 = tg.where %9, %4, %5 : index
  %11 = tg.const(8 : index) : index
  %12 = tg.add %0, %11 : index
  %13 = tg.cmpne %12, %1 : index
  %14 = tg.where %13, %4, %5 : index
  %l0 = tg.cast %6 : index -> i64
  %l1 = tg.cast %8 : index -> i64
  %s1 = tg.add %l0, %l1 : i64
  %l2 = tg.cast %10 : index -> i64
  %s2 = tg.add %s1, %l2 : i64
  %l3 = tg.cast %14 : index -> i64
  %s3 = tg.add %s2, %l3 : i64
  %zero = tg.const(0 : index) : index
  %true = tg.const(true) : i1
  tg.store %s3, %out[%zero] mask %true : memref<1xi64>
}

//===----------------------------------------------------------------------===//
// What both sides have in common vanishes, and what is smaller than a
// common factor.
//===----------------------------------------------------------------------===//

// CHECK-LABEL: tg.kernel @shorten(
// CHECK:      %[[V0:.*]] = tg.const(0 : index) : index
// CHECK-NEXT: %[[V1:.*]] = tg.load %{{.*}}[%[[V0]]] : memref<64xi32>
// CHECK-NEXT: %[[V2:.*]] = tg.cast %[[V1]] : i32 -> index
// CHECK-NEXT: %[[V3:.*]] = tg.load %{{.*}}[%[[V0]]] : memref<64xi32>
// CHECK-NEXT: %[[V4:.*]] = tg.cast %[[V3]] : i32 -> index
// CHECK-NEXT: %[[V5:.*]] = tg.range 0 loop 4
// CHECK-NEXT: %[[V6:.*]] = tg.const(4 : index) : index
// CHECK-NEXT: %[[V7:.*]] = tg.cmplt %[[V2]], %[[V6]] : index
// CHECK-NEXT: %[[V8:.*]] = tg.const(1 : index) : index
// CHECK-NEXT: %[[V9:.*]] = tg.where %[[V7]], %[[V8]], %[[V0]] : index
// CHECK-NEXT: %[[V10:.*]] = tg.const(2 : index) : index
// CHECK-NEXT: %[[V11:.*]] = tg.add %[[V4]], %[[V10]] : index
// CHECK-NEXT: %[[V12:.*]] = tg.cmplt %[[V2]], %[[V11]] : index
// CHECK-NEXT: %[[V13:.*]] = tg.where %[[V12]], %[[V8]], %[[V0]] : index
// CHECK-NEXT: %[[V14:.*]] = tg.cmpeq %[[V2]], %[[V11]] : index
// CHECK-NEXT: %[[V15:.*]] = tg.where %[[V14]], %[[V8]], %[[V0]] : index
// CHECK-NEXT: %[[V16:.*]] = tg.mul %[[V2]], %[[V10]] : index
// CHECK-NEXT: %[[V17:.*]] = tg.add %[[V16]], %[[V8]] : index
// CHECK-NEXT: %[[V18:.*]] = tg.const(3 : index) : index
// CHECK-NEXT: %[[V19:.*]] = tg.mul %[[V4]], %[[V18]] : index
// CHECK-NEXT: %[[V20:.*]] = tg.cmpne %[[V17]], %[[V19]] : index
// CHECK-NEXT: %[[V21:.*]] = tg.where %[[V20]], %[[V8]], %[[V0]] : index
// CHECK-NEXT: %[[V22:.*]] = tg.cast %[[V9]] : index -> i64
// CHECK-NEXT: %[[V23:.*]] = tg.cast %[[V13]] : index -> i64
// CHECK-NEXT: %[[V24:.*]] = tg.add %[[V22]], %[[V23]] : i64
// CHECK-NEXT: %[[V25:.*]] = tg.cast %[[V15]] : index -> i64
// CHECK-NEXT: %[[V26:.*]] = tg.add %[[V24]], %[[V25]] : i64
// CHECK-NEXT: %[[V27:.*]] = tg.cast %[[V21]] : index -> i64
// CHECK-NEXT: %[[V28:.*]] = tg.add %[[V26]], %[[V27]] : i64
// CHECK-NEXT: %[[V29:.*]] = tg.const(true) : i1
tg.kernel @shorten(%out: memref<1xi64>, %x: memref<9007199254740992xi64>, %a1: memref<64xi32>, %a2: memref<64xi32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(0 : index) : index
  %1 = tg.load %a1[%0] : memref<64xi32>
  %2 = tg.cast %1 : i32 -> index
  %3 = tg.load %a2[%0] : memref<64xi32>
  %4 = tg.cast %3 : i32 -> index
  %5 = tg.range 0 loop 4
  %6 = tg.add %2, %4 : index
  %7 = tg.const(5 : index) : index
  %8 = tg.add %6, %7 : index
  %9 = tg.const(9 : index) : index
  %10 = tg.add %4, %9 : index
  %11 = tg.cmplt %8, %10 : index
  %12 = tg.const(1 : index) : index
  %13 = tg.where %11, %12, %0 : index
  %14 = tg.const(4 : index) : index
  %15 = tg.mul %2, %14 : index
  %16 = tg.add %15, %5 : index
  %17 = tg.mul %4, %14 : index
  %18 = tg.const(8 : index) : index
  %19 = tg.add %17, %18 : index
  %20 = tg.cmplt %16, %19 : index
  %21 = tg.where %20, %12, %0 : index
  %22 = tg.cmpeq %15, %19 : index
  %23 = tg.where %22, %12, %0 : index
  %24 = tg.const(2 : index) : index
  %25 = tg.add %15, %24 : index
  %26 = tg.const(6 : index) : index
  %27 = tg.mul %4, %26 : index
  %28 = tg.cmpne %25, %27 : index
  %29 = tg.where %28, %12, %0 : index
  %l0 = tg.cast %13 : index -> i64
  %l1 = tg.cast %21 : index -> i64
  %s1 = tg.add %l0, %l1 : i64
  %l2 = tg.cast %23 : index -> i64
  %s2 = tg.add %s1, %l2 : i64
  %l3 = tg.cast %29 : index -> i64
  %s3 = tg.add %s2, %l3 : i64
  %zero = tg.const(0 : index) : index
  %true = tg.const(true) : i1
  tg.store %s3, %out[%zero] mask %true : memref<1xi64>
}

//===----------------------------------------------------------------------===//
// Not where it is not smaller, not where numbers may wrap, and equality
// needs all of it.
//===----------------------------------------------------------------------===//

// CHECK-LABEL: tg.kernel @shorten_not(
// CHECK:      %[[V0:.*]] = tg.const(0 : index) : index
// CHECK-NEXT: %[[V1:.*]] = tg.load %{{.*}}[%[[V0]]] : memref<64xi32>
// CHECK-NEXT: %[[V2:.*]] = tg.cast %[[V1]] : i32 -> index
// CHECK-NEXT: %[[V3:.*]] = tg.load %{{.*}}[%[[V0]]] : memref<64xi32>
// CHECK-NEXT: %[[V4:.*]] = tg.cast %[[V3]] : i32 -> index
// CHECK-NEXT: %[[V5:.*]] = tg.range 0 loop 5
// CHECK-NEXT: %[[V6:.*]] = tg.load %{{.*}}[%[[V0]]] : memref<64xi64>
// CHECK-NEXT: %[[V7:.*]] = tg.cast %[[V6]] : i64 -> index
// CHECK-NEXT: %[[V8:.*]] = tg.const(4 : index) : index
// CHECK-NEXT: %[[V9:.*]] = tg.mul %[[V2]], %[[V8]] : index
// CHECK-NEXT: %[[V10:.*]] = tg.add %[[V9]], %[[V5]] : index
// CHECK-NEXT: %[[V11:.*]] = tg.mul %[[V4]], %[[V8]] : index
// CHECK-NEXT: %[[V12:.*]] = tg.const(8 : index) : index
// CHECK-NEXT: %[[V13:.*]] = tg.add %[[V11]], %[[V12]] : index
// CHECK-NEXT: %[[V14:.*]] = tg.cmplt %[[V10]], %[[V13]] : index
// CHECK-NEXT: %[[V15:.*]] = tg.const(1 : index) : index
// CHECK-NEXT: %[[V16:.*]] = tg.where %[[V14]], %[[V15]], %[[V0]] : index
// CHECK-NEXT: %[[V17:.*]] = tg.cmpeq %[[V10]], %[[V11]] : index
// CHECK-NEXT: %[[V18:.*]] = tg.where %[[V17]], %[[V15]], %[[V0]] : index
// CHECK-NEXT: %[[V19:.*]] = tg.add %[[V7]], %[[V15]] : index
// CHECK-NEXT: %[[V20:.*]] = tg.const(9 : index) : index
// CHECK-NEXT: %[[V21:.*]] = tg.cmplt %[[V19]], %[[V20]] : index
// CHECK-NEXT: %[[V22:.*]] = tg.where %[[V21]], %[[V15]], %[[V0]] : index
// CHECK-NEXT: %[[V23:.*]] = tg.cast %[[V16]] : index -> i64
// CHECK-NEXT: %[[V24:.*]] = tg.cast %[[V18]] : index -> i64
// CHECK-NEXT: %[[V25:.*]] = tg.add %[[V23]], %[[V24]] : i64
// CHECK-NEXT: %[[V26:.*]] = tg.cast %[[V22]] : index -> i64
// CHECK-NEXT: %[[V27:.*]] = tg.add %[[V25]], %[[V26]] : i64
// CHECK-NEXT: %[[V28:.*]] = tg.const(true) : i1
tg.kernel @shorten_not(%out: memref<1xi64>, %x: memref<9007199254740992xi64>, %a1: memref<64xi32>, %a2: memref<64xi32>, %a3: memref<64xi64>) attributes {outputs = 1 : i64} {
  %0 = tg.const(0 : index) : index
  %1 = tg.load %a1[%0] : memref<64xi32>
  %2 = tg.cast %1 : i32 -> index
  %3 = tg.load %a2[%0] : memref<64xi32>
  %4 = tg.cast %3 : i32 -> index
  %5 = tg.range 0 loop 5
  %6 = tg.load %a3[%0] : memref<64xi64>
  %7 = tg.cast %6 : i64 -> index
  %8 = tg.const(4 : index) : index
  %9 = tg.mul %2, %8 : index
  %10 = tg.add %9, %5 : index
  %11 = tg.mul %4, %8 : index
  %12 = tg.const(8 : index) : index
  %13 = tg.add %11, %12 : index
  %14 = tg.cmplt %10, %13 : index
  %15 = tg.const(1 : index) : index
  %16 = tg.where %14, %15, %0 : index
  %17 = tg.cmpeq %10, %11 : index
  %18 = tg.where %17, %15, %0 : index
  %19 = tg.add %7, %15 : index
  %20 = tg.const(9 : index) : index
  %21 = tg.cmplt %19, %20 : index
  %22 = tg.where %21, %15, %0 : index
  %l0 = tg.cast %16 : index -> i64
  %l1 = tg.cast %18 : index -> i64
  %s1 = tg.add %l0, %l1 : i64
  %l2 = tg.cast %22 : index -> i64
  %s2 = tg.add %s1, %l2 : i64
  %zero = tg.const(0 : index) : index
  %true = tg.const(true) : i1
  tg.store %s2, %out[%zero] mask %true : memref<1xi64>
}

//===----------------------------------------------------------------------===//
// A quotient is compared by what is divided, except by an unknown divisor
// or with another quotient.
//===----------------------------------------------------------------------===//

// CHECK-LABEL: tg.kernel @lt_of_quotient(
// CHECK:      %[[V0:.*]] = tg.const(0 : index) : index
// CHECK-NEXT: %[[V1:.*]] = tg.load %{{.*}}[%[[V0]]] : memref<64xi32>
// CHECK-NEXT: %[[V2:.*]] = tg.cast %[[V1]] : i32 -> index
// CHECK-NEXT: %[[V3:.*]] = tg.const(15 : index) : index
// CHECK-NEXT: %[[V4:.*]] = tg.cmplt %[[V2]], %[[V3]] : index
// CHECK-NEXT: %[[V5:.*]] = tg.const(1 : index) : index
// CHECK-NEXT: %[[V6:.*]] = tg.where %[[V4]], %[[V5]], %[[V0]] : index
// CHECK-NEXT: %[[V7:.*]] = tg.const(17 : index) : index
// CHECK-NEXT: %[[V8:.*]] = tg.cmplt %[[V7]], %[[V2]] : index
// CHECK-NEXT: %[[V9:.*]] = tg.where %[[V8]], %[[V5]], %[[V0]] : index
// CHECK-NEXT: %[[V10:.*]] = tg.cast %[[V6]] : index -> i64
// CHECK-NEXT: %[[V11:.*]] = tg.cast %[[V9]] : index -> i64
// CHECK-NEXT: %[[V12:.*]] = tg.add %[[V10]], %[[V11]] : i64
// CHECK-NEXT: %[[V13:.*]] = tg.const(true) : i1
tg.kernel @lt_of_quotient(%out: memref<1xi64>, %x: memref<9007199254740992xi64>, %a1: memref<64xi32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(0 : index) : index
  %1 = tg.load %a1[%0] : memref<64xi32>
  %2 = tg.cast %1 : i32 -> index
  %3 = tg.const(3 : index) : index
  %4 = tg.floordiv %2, %3 : index
  %5 = tg.const(5 : index) : index
  %6 = tg.cmplt %4, %5 : index
  %7 = tg.const(1 : index) : index
  %8 = tg.where %6, %7, %0 : index
  %9 = tg.cmplt %5, %4 : index
  %10 = tg.where %9, %7, %0 : index
  %l0 = tg.cast %8 : index -> i64
  %l1 = tg.cast %10 : index -> i64
  %s1 = tg.add %l0, %l1 : i64
  %zero = tg.const(0 : index) : index
  %true = tg.const(true) : i1
  tg.store %s1, %out[%zero] mask %true : memref<1xi64>
}

// CHECK-LABEL: tg.kernel @lt_of_quotient_not(
// CHECK:      %[[V0:.*]] = tg.const(0 : index) : index
// CHECK-NEXT: %[[V1:.*]] = tg.load %{{.*}}[%[[V0]]] : memref<64xi32>
// CHECK-NEXT: %[[V2:.*]] = tg.cast %[[V1]] : i32 -> index
// CHECK-NEXT: %[[V3:.*]] = tg.load %{{.*}}[%[[V0]]] : memref<64xi32>
// CHECK-NEXT: %[[V4:.*]] = tg.cast %[[V3]] : i32 -> index
// CHECK-NEXT: %[[V5:.*]] = tg.const(3 : index) : index
// CHECK-NEXT: %[[V6:.*]] = tg.floordiv %[[V2]], %[[V5]] : index
// CHECK-NEXT: %[[V7:.*]] = tg.cmplt %[[V6]], %[[V4]] : index
// CHECK-NEXT: %[[V8:.*]] = tg.const(1 : index) : index
// CHECK-NEXT: %[[V9:.*]] = tg.where %[[V7]], %[[V8]], %[[V0]] : index
// CHECK-NEXT: %[[V10:.*]] = tg.floordiv %[[V2]], %[[V4]] : index
// CHECK-NEXT: %[[V11:.*]] = tg.const(5 : index) : index
// CHECK-NEXT: %[[V12:.*]] = tg.cmplt %[[V10]], %[[V11]] : index
// CHECK-NEXT: %[[V13:.*]] = tg.where %[[V12]], %[[V8]], %[[V0]] : index
// CHECK-NEXT: %[[V14:.*]] = tg.cmpeq %[[V6]], %[[V11]] : index
// CHECK-NEXT: %[[V15:.*]] = tg.where %[[V14]], %[[V8]], %[[V0]] : index
// CHECK-NEXT: %[[V16:.*]] = tg.cast %[[V9]] : index -> i64
// CHECK-NEXT: %[[V17:.*]] = tg.cast %[[V13]] : index -> i64
// CHECK-NEXT: %[[V18:.*]] = tg.add %[[V16]], %[[V17]] : i64
// CHECK-NEXT: %[[V19:.*]] = tg.cast %[[V15]] : index -> i64
// CHECK-NEXT: %[[V20:.*]] = tg.add %[[V18]], %[[V19]] : i64
// CHECK-NEXT: %[[V21:.*]] = tg.const(true) : i1
tg.kernel @lt_of_quotient_not(%out: memref<1xi64>, %x: memref<9007199254740992xi64>, %a1: memref<64xi32>, %a2: memref<64xi32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(0 : index) : index
  %1 = tg.load %a1[%0] : memref<64xi32>
  %2 = tg.cast %1 : i32 -> index
  %3 = tg.load %a2[%0] : memref<64xi32>
  %4 = tg.cast %3 : i32 -> index
  %5 = tg.const(3 : index) : index
  %6 = tg.floordiv %2, %5 : index
  %7 = tg.cmplt %6, %4 : index
  %8 = tg.const(1 : index) : index
  %9 = tg.where %7, %8, %0 : index
  %10 = tg.floordiv %2, %4 : index
  %11 = tg.const(5 : index) : index
  %12 = tg.cmplt %10, %11 : index
  %13 = tg.where %12, %8, %0 : index
  %14 = tg.cmpeq %6, %11 : index
  %15 = tg.where %14, %8, %0 : index
  %l0 = tg.cast %9 : index -> i64
  %l1 = tg.cast %13 : index -> i64
  %s1 = tg.add %l0, %l1 : i64
  %l2 = tg.cast %15 : index -> i64
  %s2 = tg.add %s1, %l2 : i64
  %zero = tg.const(0 : index) : index
  %true = tg.const(true) : i1
  tg.store %s2, %out[%zero] mask %true : memref<1xi64>
}

//===----------------------------------------------------------------------===//
// The larger of two is known by bounds, or it is not.
//===----------------------------------------------------------------------===//

// CHECK-LABEL: tg.kernel @max(
// CHECK:      %[[V0:.*]] = tg.range 0 loop 8
// CHECK-NEXT: %[[V1:.*]] = tg.range 1 loop 6
// CHECK-NEXT: %[[V2:.*]] = tg.const(5 : index) : index
// CHECK-NEXT: %[[V3:.*]] = tg.add %[[V0]], %[[V2]] : index
// CHECK-NEXT: %[[V4:.*]] = tg.cast %[[V3]] : index -> i64
// CHECK-NEXT: %[[V5:.*]] = tg.cast %[[V1]] : index -> i64
// CHECK-NEXT: %[[V6:.*]] = tg.add %[[V4]], %[[V5]] : i64
// CHECK-NEXT: %[[V7:.*]] = tg.add %[[V6]], %[[V5]] : i64
// CHECK-NEXT: %[[V8:.*]] = tg.const(0 : index) : index
// CHECK-NEXT: %[[V9:.*]] = tg.const(true) : i1
tg.kernel @max(%out: memref<1xi64>, %x: memref<9007199254740992xi64>) attributes {outputs = 1 : i64} {
  %0 = tg.range 0 loop 8
  %1 = tg.range 1 loop 6
  %2 = tg.const(5 : index) : index
  %3 = tg.add %0, %2 : index
  %4 = tg.max %3, %1 : index
  %5 = tg.const(7 : index) : index
  %6 = tg.sub %0, %5 : index
  %7 = tg.max %6, %1 : index
  %8 = tg.neg %3 : index
  %9 = tg.neg %1 : index
  %10 = tg.max %8, %9 : index
  %11 = tg.neg %10 : index
  %l0 = tg.cast %4 : index -> i64
  %l1 = tg.cast %7 : index -> i64
  %s1 = tg.add %l0, %l1 : i64
  %l2 = tg.cast %11 : index -> i64
  %s2 = tg.add %s1, %l2 : i64
  %zero = tg.const(0 : index) : index
  %true = tg.const(true) : i1
  tg.store %s2, %out[%zero] mask %true : memref<1xi64>
}

// CHECK-LABEL: tg.kernel @max_not(
// CHECK:      %[[V0:.*]] = tg.range 0 loop 8
// CHECK-NEXT: %[[V1:.*]] = tg.range 1 loop 6
// CHECK-NEXT: %[[V2:.*]] = tg.const(4 : index) : index
// CHECK-NEXT: %[[V3:.*]] = tg.add %[[V0]], %[[V2]] : index
// CHECK-NEXT: %[[V4:.*]] = tg.max %[[V3]], %[[V1]] : index
// CHECK-NEXT: %[[V5:.*]] = tg.const(6 : index) : index
// CHECK-NEXT: %[[V6:.*]] = tg.sub %[[V5]], %[[V0]] : index
// CHECK-NEXT: %[[V7:.*]] = tg.neg %[[V1]] : index
// CHECK-NEXT: %[[V8:.*]] = tg.max %[[V6]], %[[V7]] : index
// CHECK-NEXT: %[[V9:.*]] = tg.neg %[[V8]] : index
// CHECK-NEXT: %[[V10:.*]] = tg.cast %[[V4]] : index -> i64
// CHECK-NEXT: %[[V11:.*]] = tg.cast %[[V9]] : index -> i64
// CHECK-NEXT: %[[V12:.*]] = tg.add %[[V10]], %[[V11]] : i64
// CHECK-NEXT: %[[V13:.*]] = tg.const(0 : index) : index
// CHECK-NEXT: %[[V14:.*]] = tg.const(true) : i1
tg.kernel @max_not(%out: memref<1xi64>, %x: memref<9007199254740992xi64>) attributes {outputs = 1 : i64} {
  %0 = tg.range 0 loop 8
  %1 = tg.range 1 loop 6
  %2 = tg.const(4 : index) : index
  %3 = tg.add %0, %2 : index
  %4 = tg.max %3, %1 : index
  %5 = tg.const(6 : index) : index
  %6 = tg.sub %0, %5 : index
  %7 = tg.neg %6 : index
  %8 = tg.neg %1 : index
  %9 = tg.max %7, %8 : index
  %10 = tg.neg %9 : index
  %l0 = tg.cast %4 : index -> i64
  %l1 = tg.cast %10 : index -> i64
  %s1 = tg.add %l0, %l1 : i64
  %zero = tg.const(0 : index) : index
  %true = tg.const(true) : i1
  tg.store %s1, %out[%zero] mask %true : memref<1xi64>
}

//===----------------------------------------------------------------------===//
// Clauses that others imply are dropped; what others exclude is false.
//===----------------------------------------------------------------------===//

// CHECK-LABEL: tg.kernel @implied(
// CHECK:      %[[V0:.*]] = tg.const(0 : index) : index
// CHECK-NEXT: %[[V1:.*]] = tg.load %{{.*}}[%[[V0]]] : memref<64xi32>
// CHECK-NEXT: %[[V2:.*]] = tg.cast %[[V1]] : i32 -> index
// CHECK-NEXT: %[[V3:.*]] = tg.load %{{.*}}[%[[V0]]] : memref<64xi32>
// CHECK-NEXT: %[[V4:.*]] = tg.cast %[[V3]] : i32 -> index
// CHECK-NEXT: %[[V5:.*]] = tg.const(5 : index) : index
// CHECK-NEXT: %[[V6:.*]] = tg.cmplt %[[V2]], %[[V5]] : index
// CHECK-NEXT: %[[V7:.*]] = tg.const(1 : index) : index
// CHECK-NEXT: %[[V8:.*]] = tg.where %[[V6]], %[[V7]], %[[V0]] : index
// CHECK-NEXT: %[[V9:.*]] = tg.const(3 : index) : index
// CHECK-NEXT: %[[V10:.*]] = tg.cmplt %[[V4]], %[[V9]] : index
// CHECK-NEXT: %[[V11:.*]] = tg.and %[[V6]], %[[V10]] : i1
// CHECK-NEXT: %[[V12:.*]] = tg.where %[[V11]], %[[V7]], %[[V0]] : index
// CHECK-NEXT: %[[V13:.*]] = tg.cast %[[V8]] : index -> i64
// CHECK-NEXT: %[[V14:.*]] = tg.cast %[[V12]] : index -> i64
// CHECK-NEXT: %[[V15:.*]] = tg.add %[[V13]], %[[V14]] : i64
// CHECK-NEXT: %[[V16:.*]] = tg.const(true) : i1
tg.kernel @implied(%out: memref<1xi64>, %x: memref<9007199254740992xi64>, %a1: memref<64xi32>, %a2: memref<64xi32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(0 : index) : index
  %1 = tg.load %a1[%0] : memref<64xi32>
  %2 = tg.cast %1 : i32 -> index
  %3 = tg.load %a2[%0] : memref<64xi32>
  %4 = tg.cast %3 : i32 -> index
  %5 = tg.const(5 : index) : index
  %6 = tg.cmplt %2, %5 : index
  %7 = tg.const(7 : index) : index
  %8 = tg.cmplt %2, %7 : index
  %9 = tg.and %6, %8 : i1
  %10 = tg.const(1 : index) : index
  %11 = tg.where %9, %10, %0 : index
  %12 = tg.const(3 : index) : index
  %13 = tg.cmplt %4, %12 : index
  %14 = tg.and %6, %13 : i1
  %15 = tg.add %2, %4 : index
  %16 = tg.cmplt %15, %7 : index
  %17 = tg.and %14, %16 : i1
  %18 = tg.where %17, %10, %0 : index
  %19 = tg.const(6 : index) : index
  %20 = tg.cmplt %19, %2 : index
  %21 = tg.and %6, %20 : i1
  %22 = tg.where %21, %10, %0 : index
  %l0 = tg.cast %11 : index -> i64
  %l1 = tg.cast %18 : index -> i64
  %s1 = tg.add %l0, %l1 : i64
  %l2 = tg.cast %22 : index -> i64
  %s2 = tg.add %s1, %l2 : i64
  %zero = tg.const(0 : index) : index
  %true = tg.const(true) : i1
  tg.store %s2, %out[%zero] mask %true : memref<1xi64>
}

// CHECK-LABEL: tg.kernel @implied_not(
// CHECK:      %[[V0:.*]] = tg.const(0 : index) : index
// CHECK-NEXT: %[[V1:.*]] = tg.load %{{.*}}[%[[V0]]] : memref<64xi32>
// CHECK-NEXT: %[[V2:.*]] = tg.cast %[[V1]] : i32 -> index
// CHECK-NEXT: %[[V3:.*]] = tg.load %{{.*}}[%[[V0]]] : memref<64xi32>
// CHECK-NEXT: %[[V4:.*]] = tg.cast %[[V3]] : i32 -> index
// CHECK-NEXT: %[[V5:.*]] = tg.const(5 : index) : index
// CHECK-NEXT: %[[V6:.*]] = tg.cmplt %[[V2]], %[[V5]] : index
// CHECK-NEXT: %[[V7:.*]] = tg.const(-7 : index) : index
// CHECK-NEXT: %[[V8:.*]] = tg.cmplt %[[V7]], %[[V2]] : index
// CHECK-NEXT: %[[V9:.*]] = tg.and %[[V6]], %[[V8]] : i1
// CHECK-NEXT: %[[V10:.*]] = tg.const(1 : index) : index
// CHECK-NEXT: %[[V11:.*]] = tg.where %[[V9]], %[[V10]], %[[V0]] : index
// CHECK-NEXT: %[[V12:.*]] = tg.const(3 : index) : index
// CHECK-NEXT: %[[V13:.*]] = tg.cmplt %[[V4]], %[[V12]] : index
// CHECK-NEXT: %[[V14:.*]] = tg.and %[[V6]], %[[V13]] : i1
// CHECK-NEXT: %[[V15:.*]] = tg.add %[[V2]], %[[V4]] : index
// CHECK-NEXT: %[[V16:.*]] = tg.const(6 : index) : index
// CHECK-NEXT: %[[V17:.*]] = tg.cmplt %[[V15]], %[[V16]] : index
// CHECK-NEXT: %[[V18:.*]] = tg.and %[[V14]], %[[V17]] : i1
// CHECK-NEXT: %[[V19:.*]] = tg.where %[[V18]], %[[V10]], %[[V0]] : index
// CHECK-NEXT: %[[V20:.*]] = tg.const(7 : index) : index
// CHECK-NEXT: %[[V21:.*]] = tg.cmplt %[[V2]], %[[V20]] : index
// CHECK-NEXT: %[[V22:.*]] = tg.or %[[V6]], %[[V21]] : i1
// CHECK-NEXT: %[[V23:.*]] = tg.where %[[V22]], %[[V10]], %[[V0]] : index
// CHECK-NEXT: %[[V24:.*]] = tg.cast %[[V11]] : index -> i64
// CHECK-NEXT: %[[V25:.*]] = tg.cast %[[V19]] : index -> i64
// CHECK-NEXT: %[[V26:.*]] = tg.add %[[V24]], %[[V25]] : i64
// CHECK-NEXT: %[[V27:.*]] = tg.cast %[[V23]] : index -> i64
// CHECK-NEXT: %[[V28:.*]] = tg.add %[[V26]], %[[V27]] : i64
// CHECK-NEXT: %[[V29:.*]] = tg.const(true) : i1
tg.kernel @implied_not(%out: memref<1xi64>, %x: memref<9007199254740992xi64>, %a1: memref<64xi32>, %a2: memref<64xi32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(0 : index) : index
  %1 = tg.load %a1[%0] : memref<64xi32>
  %2 = tg.cast %1 : i32 -> index
  %3 = tg.load %a2[%0] : memref<64xi32>
  %4 = tg.cast %3 : i32 -> index
  %5 = tg.const(5 : index) : index
  %6 = tg.cmplt %2, %5 : index
  %7 = tg.const(-7 : index) : index
  %8 = tg.cmplt %7, %2 : index
  %9 = tg.and %6, %8 : i1
  %10 = tg.const(1 : index) : index
  %11 = tg.where %9, %10, %0 : index
  %12 = tg.const(3 : index) : index
  %13 = tg.cmplt %4, %12 : index
  %14 = tg.and %6, %13 : i1
  %15 = tg.add %2, %4 : index
  %16 = tg.const(6 : index) : index
  %17 = tg.cmplt %15, %16 : index
  %18 = tg.and %14, %17 : i1
  %19 = tg.where %18, %10, %0 : index
  %20 = tg.const(7 : index) : index
  %21 = tg.cmplt %2, %20 : index
  %22 = tg.or %6, %21 : i1
  %23 = tg.where %22, %10, %0 : index
  %l0 = tg.cast %11 : index -> i64
  %l1 = tg.cast %19 : index -> i64
  %s1 = tg.add %l0, %l1 : i64
  %l2 = tg.cast %23 : index -> i64
  %s2 = tg.add %s1, %l2 : i64
  %zero = tg.const(0 : index) : index
  %true = tg.const(true) : i1
  tg.store %s2, %out[%zero] mask %true : memref<1xi64>
}

//===----------------------------------------------------------------------===//
// An index that goes through a narrower type and fits stays an index.
//===----------------------------------------------------------------------===//

// CHECK-LABEL: tg.kernel @casts(
// CHECK:      %[[V0:.*]] = tg.range 0 loop 101
// CHECK-NEXT: %[[V1:.*]] = tg.const(27 : index) : index
// CHECK-NEXT: %[[V2:.*]] = tg.add %[[V0]], %[[V1]] : index
// CHECK-NEXT: %[[V3:.*]] = tg.const(true) : i1
// CHECK-NEXT: %[[V4:.*]] = tg.const(0 : index) : index
// CHECK-NEXT: %[[V5:.*]] = tg.cast %[[V2]] : index -> i64
// CHECK-NEXT: %[[V6:.*]] = tg.const(1 : i64) : i64
// CHECK-NEXT: %[[V7:.*]] = tg.add %[[V5]], %[[V6]] : i64
tg.kernel @casts(%out: memref<1xi64>, %x: memref<9007199254740992xi64>) attributes {outputs = 1 : i64} {
  %0 = tg.range 0 loop 101
  %1 = tg.cast %0 : index -> i8
  %2 = tg.const(27 : i8) : i8
  %3 = tg.add %1, %2 : i8
  %4 = tg.cast %3 : i8 -> index
  %5 = tg.const(20 : i8) : i8
  %6 = tg.add %1, %5 : i8
  %7 = tg.const(1 : i8) : i8
  %8 = tg.mul %1, %7 : i8
  %9 = tg.add %8, %2 : i8
  %10 = tg.cmplt %6, %9 : i8
  %11 = tg.const(1 : index) : index
  %12 = tg.const(0 : index) : index
  %13 = tg.where %10, %11, %12 : index
  %l0 = tg.cast %4 : index -> i64
  %l1 = tg.cast %13 : index -> i64
  %s1 = tg.add %l0, %l1 : i64
  %zero = tg.const(0 : index) : index
  %true = tg.const(true) : i1
  tg.store %s1, %out[%zero] mask %true : memref<1xi64>
}

// CHECK-LABEL: tg.kernel @casts_not(
// CHECK:      %[[V0:.*]] = tg.range 0 loop 101
// CHECK-NEXT: %[[V1:.*]] = tg.cast %[[V0]] : index -> i8
// CHECK-NEXT: %[[V2:.*]] = tg.const(28 : i8) : i8
// CHECK-NEXT: %[[V3:.*]] = tg.add %[[V1]], %[[V2]] : i8
// CHECK-NEXT: %[[V4:.*]] = tg.cast %[[V3]] : i8 -> index
// CHECK-NEXT: %[[V5:.*]] = tg.cast %[[V0]] : index -> ui8
// CHECK-NEXT: %[[V6:.*]] = tg.const(1 : ui8) : ui8
// CHECK-NEXT: %[[V7:.*]] = tg.sub %[[V5]], %[[V6]] : ui8
// CHECK-NEXT: %[[V8:.*]] = tg.cast %[[V7]] : ui8 -> index
// CHECK-NEXT: %[[V9:.*]] = tg.cast %[[V4]] : index -> i64
// CHECK-NEXT: %[[V10:.*]] = tg.cast %[[V8]] : index -> i64
// CHECK-NEXT: %[[V11:.*]] = tg.add %[[V9]], %[[V10]] : i64
// CHECK-NEXT: %[[V12:.*]] = tg.const(0 : index) : index
// CHECK-NEXT: %[[V13:.*]] = tg.const(true) : i1
tg.kernel @casts_not(%out: memref<1xi64>, %x: memref<9007199254740992xi64>) attributes {outputs = 1 : i64} {
  %0 = tg.range 0 loop 101
  %1 = tg.cast %0 : index -> i8
  %2 = tg.const(28 : i8) : i8
  %3 = tg.add %1, %2 : i8
  %4 = tg.cast %3 : i8 -> index
  %5 = tg.cast %0 : index -> ui8
  %6 = tg.const(1 : ui8) : ui8
  %7 = tg.sub %5, %6 : ui8
  %8 = tg.cast %7 : ui8 -> index
  %l0 = tg.cast %4 : index -> i64
  %l1 = tg.cast %8 : index -> i64
  %s1 = tg.add %l0, %l1 : i64
  %zero = tg.const(0 : index) : index
  %true = tg.const(true) : i1
  tg.store %s1, %out[%zero] mask %true : memref<1xi64>
}

//===----------------------------------------------------------------------===//
// A mask says something of the index behind it, and only there.
//===----------------------------------------------------------------------===//

// CHECK-LABEL: tg.kernel @mask(
// CHECK:      %[[V0:.*]] = tg.range 0 loop 12
// CHECK-NEXT: %[[V1:.*]] = tg.const(2 : index) : index
// CHECK-NEXT: %[[V2:.*]] = tg.sub %[[V0]], %[[V1]] : index
// CHECK-NEXT: %[[V3:.*]] = tg.const(8 : index) : index
// CHECK-NEXT: %[[V4:.*]] = tg.floormod %[[V2]], %[[V3]] : index
// CHECK-NEXT: %[[V5:.*]] = tg.const(1 : index) : index
// CHECK-NEXT: %[[V6:.*]] = tg.cmplt %[[V5]], %[[V0]] : index
// CHECK-NEXT: %[[V7:.*]] = tg.const(10 : index) : index
// CHECK-NEXT: %[[V8:.*]] = tg.cmplt %[[V0]], %[[V7]] : index
// CHECK-NEXT: %[[V9:.*]] = tg.and %[[V6]], %[[V8]] : i1
// CHECK-NEXT: %[[V10:.*]] = tg.const(-2 : index) : index
// CHECK-NEXT: %[[V11:.*]] = tg.add %[[V0]], %[[V10]] : index
// CHECK-NEXT: %[[V12:.*]] = tg.load %{{.*}}[%[[V11]]] mask %[[V9]] : memref<9007199254740992xi64>
// CHECK-NEXT: %[[V13:.*]] = tg.cast %[[V4]] : index -> i64
// CHECK-NEXT: %[[V14:.*]] = tg.add %[[V12]], %[[V13]] : i64
// CHECK-NEXT: %[[V15:.*]] = tg.const(0 : index) : index
// CHECK-NEXT: %[[V16:.*]] = tg.const(true) : i1
tg.kernel @mask(%out: memref<1xi64>, %x: memref<9007199254740992xi64>) attributes {outputs = 1 : i64} {
  %0 = tg.range 0 loop 12
  %1 = tg.const(2 : index) : index
  %2 = tg.sub %0, %1 : index
  %3 = tg.const(8 : index) : index
  %4 = tg.floormod %2, %3 : index
  %5 = tg.const(-1 : index) : index
  %6 = tg.cmplt %5, %2 : index
  %7 = tg.cmplt %2, %3 : index
  %8 = tg.and %6, %7 : i1
  %l0 = tg.load %x[%4] mask %8 : memref<9007199254740992xi64>
  %l1 = tg.cast %4 : index -> i64
  %s1 = tg.add %l0, %l1 : i64
  %zero = tg.const(0 : index) : index
  %true = tg.const(true) : i1
  tg.store %s1, %out[%zero] mask %true : memref<1xi64>
}

// CHECK-LABEL: tg.kernel @mask_of_sum(
// CHECK:      %[[V0:.*]] = tg.range 0 loop 6
// CHECK-NEXT: %[[V1:.*]] = tg.range 1 loop 6
// CHECK-NEXT: %[[V2:.*]] = tg.add %[[V0]], %[[V1]] : index
// CHECK-NEXT: %[[V3:.*]] = tg.const(0 : index) : index
// CHECK-NEXT: %[[V4:.*]] = tg.cmplt %[[V3]], %[[V2]] : index
// CHECK-NEXT: %[[V5:.*]] = tg.const(5 : index) : index
// CHECK-NEXT: %[[V6:.*]] = tg.cmplt %[[V2]], %[[V5]] : index
// CHECK-NEXT: %[[V7:.*]] = tg.and %[[V4]], %[[V6]] : i1
// CHECK-NEXT: %[[V8:.*]] = tg.const(-1 : index) : index
// CHECK-NEXT: %[[V9:.*]] = tg.add %[[V2]], %[[V8]] : index
// CHECK-NEXT: %[[V10:.*]] = tg.load %{{.*}}[%[[V9]]] mask %[[V7]] : memref<9007199254740992xi64>
// CHECK-NEXT: %[[V11:.*]] = tg.const(true) : i1
tg.kernel @mask_of_sum(%out: memref<1xi64>, %x: memref<9007199254740992xi64>) attributes {outputs = 1 : i64} {
  %0 = tg.range 0 loop 6
  %1 = tg.range 1 loop 6
  %2 = tg.add %0, %1 : index
  %3 = tg.const(1 : index) : index
  %4 = tg.sub %2, %3 : index
  %5 = tg.const(4 : index) : index
  %6 = tg.floordiv %4, %5 : index
  %7 = tg.const(9 : index) : index
  %8 = tg.mul %6, %7 : index
  %9 = tg.floormod %4, %5 : index
  %10 = tg.add %8, %9 : index
  %11 = tg.const(0 : index) : index
  %12 = tg.cmplt %11, %2 : index
  %13 = tg.const(5 : index) : index
  %14 = tg.cmplt %2, %13 : index
  %15 = tg.and %12, %14 : i1
  %l0 = tg.load %x[%10] mask %15 : memref<9007199254740992xi64>
  %zero = tg.const(0 : index) : index
  %true = tg.const(true) : i1
  tg.store %l0, %out[%zero] mask %true : memref<1xi64>
}

// CHECK-LABEL: tg.kernel @mask_not(
// CHECK:      %[[V0:.*]] = tg.range 0 loop 12
// CHECK-NEXT: %[[V1:.*]] = tg.const(2 : index) : index
// CHECK-NEXT: %[[V2:.*]] = tg.sub %[[V0]], %[[V1]] : index
// CHECK-NEXT: %[[V3:.*]] = tg.const(8 : index) : index
// CHECK-NEXT: %[[V4:.*]] = tg.floormod %[[V2]], %[[V3]] : index
// CHECK-NEXT: %[[V5:.*]] = tg.const(0 : index) : index
// CHECK-NEXT: %[[V6:.*]] = tg.cmplt %[[V5]], %[[V0]] : index
// CHECK-NEXT: %[[V7:.*]] = tg.const(10 : index) : index
// CHECK-NEXT: %[[V8:.*]] = tg.cmplt %[[V0]], %[[V7]] : index
// CHECK-NEXT: %[[V9:.*]] = tg.and %[[V6]], %[[V8]] : i1
// CHECK-NEXT: %[[V10:.*]] = tg.const(1 : index) : index
// CHECK-NEXT: %[[V11:.*]] = tg.cmplt %[[V10]], %[[V0]] : index
// CHECK-NEXT: %[[V12:.*]] = tg.const(11 : index) : index
// CHECK-NEXT: %[[V13:.*]] = tg.cmplt %[[V0]], %[[V12]] : index
// CHECK-NEXT: %[[V14:.*]] = tg.and %[[V11]], %[[V13]] : i1
// CHECK-NEXT: %[[V15:.*]] = tg.load %{{.*}}[%[[V4]]] mask %[[V9]] : memref<9007199254740992xi64>
// CHECK-NEXT: %[[V16:.*]] = tg.load %{{.*}}[%[[V4]]] mask %[[V14]] : memref<9007199254740992xi64>
// CHECK-NEXT: %[[V17:.*]] = tg.add %[[V15]], %[[V16]] : i64
// CHECK-NEXT: %[[V18:.*]] = tg.const(true) : i1
tg.kernel @mask_not(%out: memref<1xi64>, %x: memref<9007199254740992xi64>) attributes {outputs = 1 : i64} {
  %0 = tg.range 0 loop 12
  %1 = tg.const(2 : index) : index
  %2 = tg.sub %0, %1 : index
  %3 = tg.const(8 : index) : index
  %4 = tg.floormod %2, %3 : index
  %5 = tg.const(-2 : index) : index
  %6 = tg.cmplt %5, %2 : index
  %7 = tg.cmplt %2, %3 : index
  %8 = tg.and %6, %7 : i1
  %9 = tg.const(-1 : index) : index
  %10 = tg.cmplt %9, %2 : index
  %11 = tg.const(9 : index) : index
  %12 = tg.cmplt %2, %11 : index
  %13 = tg.and %10, %12 : i1
  %l0 = tg.load %x[%4] mask %8 : memref<9007199254740992xi64>
  %l1 = tg.load %x[%4] mask %13 : memref<9007199254740992xi64>
  %s1 = tg.add %l0, %l1 : i64
  %zero = tg.const(0 : index) : index
  %true = tg.const(true) : i1
  tg.store %s1, %out[%zero] mask %true : memref<1xi64>
}

//===----------------------------------------------------------------------===//
// So does the condition of a choice, of both of its values.
//===----------------------------------------------------------------------===//

// CHECK-LABEL: tg.kernel @where(
// CHECK:      %[[V0:.*]] = tg.const(0 : index) : index
// CHECK-NEXT: %[[V1:.*]] = tg.load %{{.*}}[%[[V0]]] : memref<64xi32>
// CHECK-NEXT: %[[V2:.*]] = tg.cast %[[V1]] : i32 -> index
// CHECK-NEXT: %[[V3:.*]] = tg.const(-1 : index) : index
// CHECK-NEXT: %[[V4:.*]] = tg.cmplt %[[V3]], %[[V2]] : index
// CHECK-NEXT: %[[V5:.*]] = tg.const(9 : index) : index
// CHECK-NEXT: %[[V6:.*]] = tg.cmplt %[[V2]], %[[V5]] : index
// CHECK-NEXT: %[[V7:.*]] = tg.and %[[V4]], %[[V6]] : i1
// CHECK-NEXT: %[[V8:.*]] = tg.floormod %[[V2]], %[[V5]] : index
// CHECK-NEXT: %[[V9:.*]] = tg.where %[[V7]], %[[V0]], %[[V8]] : index
// CHECK-NEXT: %[[V10:.*]] = tg.cmplt %[[V2]], %[[V0]] : index
// CHECK-NEXT: %[[V11:.*]] = tg.const(3 : index) : index
// CHECK-NEXT: %[[V12:.*]] = tg.where %[[V10]], %[[V11]], %[[V2]] : index
// CHECK-NEXT: %[[V13:.*]] = tg.cast %[[V9]] : index -> i64
// CHECK-NEXT: %[[V14:.*]] = tg.cast %[[V12]] : index -> i64
// CHECK-NEXT: %[[V15:.*]] = tg.add %[[V13]], %[[V14]] : i64
// CHECK-NEXT: %[[V16:.*]] = tg.const(true) : i1
tg.kernel @where(%out: memref<1xi64>, %x: memref<9007199254740992xi64>, %a1: memref<64xi32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(0 : index) : index
  %1 = tg.load %a1[%0] : memref<64xi32>
  %2 = tg.cast %1 : i32 -> index
  %3 = tg.const(-1 : index) : index
  %4 = tg.cmplt %3, %2 : index
  %5 = tg.const(9 : index) : index
  %6 = tg.cmplt %2, %5 : index
  %7 = tg.and %4, %6 : i1
  %8 = tg.floordiv %2, %5 : index
  %9 = tg.floormod %2, %5 : index
  %10 = tg.where %7, %8, %9 : index
  %11 = tg.cmplt %2, %0 : index
  %12 = tg.max %2, %0 : index
  %13 = tg.const(3 : index) : index
  %14 = tg.where %11, %13, %12 : index
  %l0 = tg.cast %10 : index -> i64
  %l1 = tg.cast %14 : index -> i64
  %s1 = tg.add %l0, %l1 : i64
  %zero = tg.const(0 : index) : index
  %true = tg.const(true) : i1
  tg.store %s1, %out[%zero] mask %true : memref<1xi64>
}

// CHECK-LABEL: tg.kernel @where_guard(
// CHECK:      %[[V0:.*]] = tg.const(0 : index) : index
// CHECK-NEXT: %[[V1:.*]] = tg.load %{{.*}}[%[[V0]]] : memref<64xi64>
// CHECK-NEXT: %[[V2:.*]] = tg.cast %[[V1]] : i64 -> index
// CHECK-NEXT: %[[V3:.*]] = tg.const(-1 : index) : index
// CHECK-NEXT: %[[V4:.*]] = tg.cmplt %[[V3]], %[[V2]] : index
// CHECK-NEXT: %[[V5:.*]] = tg.const(9 : index) : index
// CHECK-NEXT: %[[V6:.*]] = tg.cmplt %[[V2]], %[[V5]] : index
// CHECK-NEXT: %[[V7:.*]] = tg.and %[[V4]], %[[V6]] : i1
// CHECK-NEXT: %[[V8:.*]] = tg.where %[[V7]], %[[V2]], %[[V0]] : index
// CHECK-NEXT: %[[V9:.*]] = tg.cast %[[V8]] : index -> i64
// CHECK-NEXT: %[[V10:.*]] = tg.const(true) : i1
tg.kernel @where_guard(%out: memref<1xi64>, %x: memref<9007199254740992xi64>, %a1: memref<64xi64>) attributes {outputs = 1 : i64} {
  %0 = tg.const(0 : index) : index
  %1 = tg.load %a1[%0] : memref<64xi64>
  %2 = tg.cast %1 : i64 -> index
  %3 = tg.const(-1 : index) : index
  %4 = tg.cmplt %3, %2 : index
  %5 = tg.const(9 : index) : index
  %6 = tg.cmplt %2, %5 : index
  %7 = tg.and %4, %6 : i1
  %8 = tg.where %7, %2, %0 : index
  %9 = tg.const(4 : index) : index
  %10 = tg.mul %8, %9 : index
  %11 = tg.const(3 : index) : index
  %12 = tg.add %10, %11 : index
  %13 = tg.floordiv %12, %9 : index
  %l0 = tg.cast %13 : index -> i64
  %zero = tg.const(0 : index) : index
  %true = tg.const(true) : i1
  tg.store %l0, %out[%zero] mask %true : memref<1xi64>
}

//===----------------------------------------------------------------------===//
// Variables as sizes: positions stay below the extent of their range.
//===----------------------------------------------------------------------===//

// CHECK-LABEL: tg.kernel @symbolic(
// CHECK:      %[[V0:.*]] = tg.range 0 loop 6
// CHECK-NEXT: %[[V1:.*]] = tg.range 1 loop #n
// CHECK-NEXT: %[[V2:.*]] = tg.dim(#n) : index
// CHECK-NEXT: %[[V3:.*]] = tg.const(0 : index) : index
// CHECK-NEXT: %[[V4:.*]] = tg.const(true) : i1
// CHECK-NEXT: %[[V5:.*]] = tg.cast %[[V0]] : index -> i64
// CHECK-NEXT: %[[V6:.*]] = tg.cast %[[V1]] : index -> i64
// CHECK-NEXT: %[[V7:.*]] = tg.add %[[V5]], %[[V6]] : i64
// CHECK-NEXT: %[[V8:.*]] = tg.const(1 : i64) : i64
// CHECK-NEXT: %[[V9:.*]] = tg.add %[[V7]], %[[V8]] : i64
// CHECK-NEXT: %[[V10:.*]] = tg.cast %[[V2]] : index -> i64
// CHECK-NEXT: %[[V11:.*]] = tg.add %[[V9]], %[[V10]] : i64
tg.kernel @symbolic(%out: memref<1xi64>, %x: memref<9007199254740992xi64>) attributes {outputs = 1 : i64} {
  %0 = tg.range 0 loop 6
  %1 = tg.range 1 loop #tg.var<"n", 1, 8>
  %2 = tg.dim(#tg.var<"n", 1, 8>) : index
  %3 = tg.mul %0, %2 : index
  %4 = tg.add %3, %1 : index
  %5 = tg.floordiv %4, %2 : index
  %6 = tg.floormod %4, %2 : index
  %7 = tg.cmplt %1, %2 : index
  %8 = tg.const(1 : index) : index
  %9 = tg.const(0 : index) : index
  %10 = tg.where %7, %8, %9 : index
  %11 = tg.max %1, %2 : index
  %l0 = tg.cast %5 : index -> i64
  %l1 = tg.cast %6 : index -> i64
  %s1 = tg.add %l0, %l1 : i64
  %l2 = tg.cast %10 : index -> i64
  %s2 = tg.add %s1, %l2 : i64
  %l3 = tg.cast %11 : index -> i64
  %s3 = tg.add %s2, %l3 : i64
  %zero = tg.const(0 : index) : index
  %true = tg.const(true) : i1
  tg.store %s3, %out[%zero] mask %true : memref<1xi64>
}

// CHECK-LABEL: tg.kernel @symbolic_terms(
// CHECK:      %[[V0:.*]] = tg.range 0 loop 6
// CHECK-NEXT: %[[V1:.*]] = tg.dim(#n) : index
// CHECK-NEXT: %[[V2:.*]] = tg.mul %[[V0]], %[[V1]] : index
// CHECK-NEXT: %[[V3:.*]] = tg.const(2 : index) : index
// CHECK-NEXT: %[[V4:.*]] = tg.dim(#n + 3) : index
// CHECK-NEXT: %[[V5:.*]] = tg.add %[[V2]], %[[V4]] : index
// CHECK-NEXT: %[[V6:.*]] = tg.add %[[V0]], %[[V3]] : index
// CHECK-NEXT: %[[V7:.*]] = tg.const(0 : index) : index
// CHECK-NEXT: %[[V8:.*]] = tg.dim(#n * 2 + 1) : index
// CHECK-NEXT: %[[V9:.*]] = tg.cmplt %[[V0]], %[[V8]] : index
// CHECK-NEXT: %[[V10:.*]] = tg.const(1 : index) : index
// CHECK-NEXT: %[[V11:.*]] = tg.where %[[V9]], %[[V10]], %[[V7]] : index
// CHECK-NEXT: %[[V12:.*]] = tg.cast %[[V5]] : index -> i64
// CHECK-NEXT: %[[V13:.*]] = tg.cast %[[V6]] : index -> i64
// CHECK-NEXT: %[[V14:.*]] = tg.add %[[V12]], %[[V13]] : i64
// CHECK-NEXT: %[[V15:.*]] = tg.cast %[[V11]] : index -> i64
// CHECK-NEXT: %[[V16:.*]] = tg.add %[[V14]], %[[V15]] : i64
// CHECK-NEXT: %[[V17:.*]] = tg.const(true) : i1
tg.kernel @symbolic_terms(%out: memref<1xi64>, %x: memref<9007199254740992xi64>) attributes {outputs = 1 : i64} {
  %0 = tg.range 0 loop 6
  %1 = tg.dim(#tg.var<"n", 1, 8>) : index
  %2 = tg.mul %0, %1 : index
  %3 = tg.const(2 : index) : index
  %4 = tg.mul %1, %3 : index
  %5 = tg.add %2, %4 : index
  %6 = tg.sub %5, %1 : index
  %7 = tg.const(3 : index) : index
  %8 = tg.add %6, %7 : index
  %9 = tg.const(4 : index) : index
  %10 = tg.mul %2, %9 : index
  %11 = tg.const(8 : index) : index
  %12 = tg.mul %1, %11 : index
  %13 = tg.add %10, %12 : index
  %14 = tg.mul %1, %9 : index
  %15 = tg.floordiv %13, %14 : index
  %16 = tg.mul %0, %9 : index
  %17 = tg.add %12, %3 : index
  %18 = tg.cmplt %16, %17 : index
  %19 = tg.const(1 : index) : index
  %20 = tg.const(0 : index) : index
  %21 = tg.where %18, %19, %20 : index
  %l0 = tg.cast %8 : index -> i64
  %l1 = tg.cast %15 : index -> i64
  %s1 = tg.add %l0, %l1 : i64
  %l2 = tg.cast %21 : index -> i64
  %s2 = tg.add %s1, %l2 : i64
  %zero = tg.const(0 : index) : index
  %true = tg.const(true) : i1
  tg.store %s2, %out[%zero] mask %true : memref<1xi64>
}

// CHECK-LABEL: tg.kernel @symbolic_mask(
// CHECK:      %[[V0:.*]] = tg.range 0 loop 12
// CHECK-NEXT: %[[V1:.*]] = tg.const(1 : index) : index
// CHECK-NEXT: %[[V2:.*]] = tg.add %[[V0]], %[[V1]] : index
// CHECK-NEXT: %[[V3:.*]] = tg.dim(#n - 1) : index
// CHECK-NEXT: %[[V4:.*]] = tg.cmplt %[[V0]], %[[V3]] : index
// CHECK-NEXT: %[[V5:.*]] = tg.load %{{.*}}[%[[V2]]] mask %[[V4]] : memref<9007199254740992xi64>
// CHECK-NEXT: %[[V6:.*]] = tg.const(0 : index) : index
// CHECK-NEXT: %[[V7:.*]] = tg.const(true) : i1
tg.kernel @symbolic_mask(%out: memref<1xi64>, %x: memref<9007199254740992xi64>) attributes {outputs = 1 : i64} {
  %0 = tg.range 0 loop 12
  %1 = tg.dim(#tg.var<"n", 1, 8>) : index
  %2 = tg.const(1 : index) : index
  %3 = tg.add %0, %2 : index
  %4 = tg.floormod %3, %1 : index
  %5 = tg.cmplt %3, %1 : index
  %l0 = tg.load %x[%4] mask %5 : memref<9007199254740992xi64>
  %zero = tg.const(0 : index) : index
  %true = tg.const(true) : i1
  tg.store %l0, %out[%zero] mask %true : memref<1xi64>
}

//===----------------------------------------------------------------------===//
// Not below another size, nor below the size less one.
//===----------------------------------------------------------------------===//

// CHECK-LABEL: tg.kernel @symbolic_not(
// CHECK:      %[[V0:.*]] = tg.range 0 loop 6
// CHECK-NEXT: %[[V1:.*]] = tg.range 1 loop #n
// CHECK-NEXT: %[[V2:.*]] = tg.dim(#n) : index
// CHECK-NEXT: %[[V3:.*]] = tg.dim(#m) : index
// CHECK-NEXT: %[[V4:.*]] = tg.mul %[[V0]], %[[V2]] : index
// CHECK-NEXT: %[[V5:.*]] = tg.add %[[V4]], %[[V1]] : index
// CHECK-NEXT: %[[V6:.*]] = tg.floordiv %[[V5]], %[[V3]] : index
// CHECK-NEXT: %[[V7:.*]] = tg.floormod %[[V1]], %[[V3]] : index
// CHECK-NEXT: %[[V8:.*]] = tg.const(1 : index) : index
// CHECK-NEXT: %[[V9:.*]] = tg.dim(#n - 1) : index
// CHECK-NEXT: %[[V10:.*]] = tg.cmplt %[[V1]], %[[V9]] : index
// CHECK-NEXT: %[[V11:.*]] = tg.const(0 : index) : index
// CHECK-NEXT: %[[V12:.*]] = tg.where %[[V10]], %[[V8]], %[[V11]] : index
// CHECK-NEXT: %[[V13:.*]] = tg.add %[[V1]], %[[V8]] : index
// CHECK-NEXT: %[[V14:.*]] = tg.floormod %[[V13]], %[[V2]] : index
// CHECK-NEXT: %[[V15:.*]] = tg.cast %[[V6]] : index -> i64
// CHECK-NEXT: %[[V16:.*]] = tg.cast %[[V7]] : index -> i64
// CHECK-NEXT: %[[V17:.*]] = tg.add %[[V15]], %[[V16]] : i64
// CHECK-NEXT: %[[V18:.*]] = tg.cast %[[V12]] : index -> i64
// CHECK-NEXT: %[[V19:.*]] = tg.add %[[V17]], %[[V18]] : i64
// CHECK-NEXT: %[[V20:.*]] = tg.cast %[[V14]] : index -> i64
// CHECK-NEXT: %[[V21:.*]] = tg.add %[[V19]], %[[V20]] : i64
// CHECK-NEXT: %[[V22:.*]] = tg.const(true) : i1
tg.kernel @symbolic_not(%out: memref<1xi64>, %x: memref<9007199254740992xi64>) attributes {outputs = 1 : i64} {
  %0 = tg.range 0 loop 6
  %1 = tg.range 1 loop #tg.var<"n", 1, 8>
  %2 = tg.dim(#tg.var<"n", 1, 8>) : index
  %3 = tg.dim(#tg.var<"m", 1, 8>) : index
  %4 = tg.mul %0, %2 : index
  %5 = tg.add %4, %1 : index
  %6 = tg.floordiv %5, %3 : index
  %7 = tg.floormod %1, %3 : index
  %8 = tg.const(1 : index) : index
  %9 = tg.sub %2, %8 : index
  %10 = tg.cmplt %1, %9 : index
  %11 = tg.const(0 : index) : index
  %12 = tg.where %10, %8, %11 : index
  %13 = tg.add %1, %8 : index
  %14 = tg.floormod %13, %2 : index
  %l0 = tg.cast %6 : index -> i64
  %l1 = tg.cast %7 : index -> i64
  %s1 = tg.add %l0, %l1 : i64
  %l2 = tg.cast %12 : index -> i64
  %s2 = tg.add %s1, %l2 : i64
  %l3 = tg.cast %14 : index -> i64
  %s3 = tg.add %s2, %l3 : i64
  %zero = tg.const(0 : index) : index
  %true = tg.const(true) : i1
  tg.store %s3, %out[%zero] mask %true : memref<1xi64>
}

// -----

// Numbers of 64 bits without a sign wrap below 0: 1 < -1 holds.
// CHECK-LABEL: tg.kernel @unsigned_wraps
// CHECK:         %[[N:.*]] = tg.neg %{{.*}} : ui64
// CHECK-NEXT:    %[[C:.*]] = tg.cmplt %{{.*}}, %[[N]] : ui64
// CHECK-NEXT:    tg.store %[[C]]
tg.kernel @unsigned_wraps(%o: memref<4xi1>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %u = tg.cast %i : index -> ui64
  %n = tg.neg %u : ui64
  %c = tg.cmplt %u, %n : ui64
  tg.store %c, %o[%i] : memref<4xi1>
}

// -----

// Constants that are larger than what rules work with stay what they are.
// CHECK-LABEL: tg.kernel @large_constants
// CHECK:         %[[X:.*]] = tg.sub %{{.*}}, %{{.*}} : i64
// CHECK:         tg.cmplt %[[X]], %{{.*}} : i64
tg.kernel @large_constants(%o: memref<4xi1>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %u = tg.cast %i : index -> i64
  %max = tg.const(9223372036854775807 : i64) : i64
  %n = tg.sub %max, %u : i64
  %half = tg.const(4611686018427387904 : i64) : i64
  %c = tg.cmplt %n, %half : i64
  tg.store %c, %o[%i] : memref<4xi1>
}

// -----

// What has no upper bound may wrap around when it is multiplied.
// CHECK-LABEL: tg.kernel @wraps
// CHECK:         tg.cmplt
// CHECK:         tg.store
tg.kernel @wraps(%o: memref<4xi1>, %x: memref<4xi64>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %v = tg.load %x[%i] : memref<4xi64>
  %p = tg.cast %v : i64 -> index
  %zero = tg.const(0 : index) : index
  %m = tg.max %p, %zero : index
  %four = tg.const(4 : index) : index
  %q = tg.mul %m, %four : index
  %three = tg.const(3 : index) : index
  %d = tg.floordiv %q, %three : index
  %c = tg.cmplt %d, %zero : index
  tg.store %c, %o[%i] : memref<4xi1>
}

// -----

// Conditions share operands: each is read once.
// CHECK-LABEL: tg.kernel @shared_conditions
// CHECK: tg.store
tg.kernel @shared_conditions(%o: memref<4xi32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %two = tg.const(2 : index) : index
  %a = tg.const(1 : i32) : i32
  %b = tg.const(0 : i32) : i32
  %c0 = tg.cmplt %i, %two : index
  %c1 = tg.cmpeq %i, %two : index
  %c2 = tg.and %c1, %c0 : i1
  %c3 = tg.and %c2, %c1 : i1
  %c4 = tg.and %c3, %c2 : i1
  %c5 = tg.and %c4, %c3 : i1
  %c6 = tg.and %c5, %c4 : i1
  %c7 = tg.and %c6, %c5 : i1
  %c8 = tg.and %c7, %c6 : i1
  %c9 = tg.and %c8, %c7 : i1
  %c10 = tg.and %c9, %c8 : i1
  %c11 = tg.and %c10, %c9 : i1
  %c12 = tg.and %c11, %c10 : i1
  %c13 = tg.and %c12, %c11 : i1
  %c14 = tg.and %c13, %c12 : i1
  %c15 = tg.and %c14, %c13 : i1
  %c16 = tg.and %c15, %c14 : i1
  %c17 = tg.and %c16, %c15 : i1
  %c18 = tg.and %c17, %c16 : i1
  %c19 = tg.and %c18, %c17 : i1
  %c20 = tg.and %c19, %c18 : i1
  %c21 = tg.and %c20, %c19 : i1
  %c22 = tg.and %c21, %c20 : i1
  %c23 = tg.and %c22, %c21 : i1
  %c24 = tg.and %c23, %c22 : i1
  %c25 = tg.and %c24, %c23 : i1
  %c26 = tg.and %c25, %c24 : i1
  %c27 = tg.and %c26, %c25 : i1
  %c28 = tg.and %c27, %c26 : i1
  %c29 = tg.and %c28, %c27 : i1
  %c30 = tg.and %c29, %c28 : i1
  %c31 = tg.and %c30, %c29 : i1
  %c32 = tg.and %c31, %c30 : i1
  %c33 = tg.and %c32, %c31 : i1
  %c34 = tg.and %c33, %c32 : i1
  %c35 = tg.and %c34, %c33 : i1
  %c36 = tg.and %c35, %c34 : i1
  %c37 = tg.and %c36, %c35 : i1
  %c38 = tg.and %c37, %c36 : i1
  %c39 = tg.and %c38, %c37 : i1
  %c40 = tg.and %c39, %c38 : i1
  %c41 = tg.and %c40, %c39 : i1
  %c42 = tg.and %c41, %c40 : i1
  %c43 = tg.and %c42, %c41 : i1
  %c44 = tg.and %c43, %c42 : i1
  %c45 = tg.and %c44, %c43 : i1
  %c46 = tg.and %c45, %c44 : i1
  %c47 = tg.and %c46, %c45 : i1
  %c48 = tg.and %c47, %c46 : i1
  %c49 = tg.and %c48, %c47 : i1
  %c50 = tg.and %c49, %c48 : i1
  %c51 = tg.and %c50, %c49 : i1
  %c52 = tg.and %c51, %c50 : i1
  %c53 = tg.and %c52, %c51 : i1
  %c54 = tg.and %c53, %c52 : i1
  %c55 = tg.and %c54, %c53 : i1
  %c56 = tg.and %c55, %c54 : i1
  %c57 = tg.and %c56, %c55 : i1
  %c58 = tg.and %c57, %c56 : i1
  %c59 = tg.and %c58, %c57 : i1
  %c60 = tg.and %c59, %c58 : i1
  %c61 = tg.and %c60, %c59 : i1
  %c62 = tg.and %c61, %c60 : i1
  %c63 = tg.and %c62, %c61 : i1
  %c64 = tg.and %c63, %c62 : i1
  %c65 = tg.and %c64, %c63 : i1
  %w = tg.where %c65, %a, %b : i32
  tg.store %w, %o[%i] : memref<4xi32>
}

//===----------------------------------------------------------------------===//
// The index of an update shows that work items update different elements, also
// where the mask admits one position of them.
//===----------------------------------------------------------------------===//

// CHECK-LABEL: tg.kernel @items_of_update(
// CHECK:      %[[G:.*]] = tg.range 0 local 2
// CHECK:      tg.load
// CHECK:      %[[PART:.*]] = tg.mul %[[G]], %{{.*}} : index
// CHECK:      %[[AT:.*]] = tg.add %{{.*}}, %[[PART]] : index
// CHECK:      %[[TO:.*]] = tg.floormod %[[AT]], %{{.*}} : index
// CHECK:      tg.store %{{.*}}, %{{.*}}[%[[TO]]] mask %{{.*}} update add
tg.kernel @items_of_update(%o: memref<6xi32>, %a: memref<6xi32>) attributes {in_place, outputs = 1 : i64} {
  %g = tg.range 0 local 2
  %r = tg.range 1 loop 63
  %c6 = tg.const(6 : index) : index
  %c63 = tg.const(63 : index) : index
  %first = tg.mul %g, %c63 : index
  %at = tg.add %first, %r : index
  %isIn = tg.cmplt %at, %c6 : index
  %x = tg.load %a[%at] mask %isIn : memref<6xi32>
  %to = tg.floormod %at, %c6 : index
  tg.store %x, %o[%to] mask %isIn update add : memref<6xi32>
}

// CHECK-LABEL: tg.kernel @store_of_items(
// CHECK:      %[[R:.*]] = tg.range 1 loop 63
// CHECK:      tg.store %{{.*}}, %{{.*}}[%[[R]]] mask
tg.kernel @store_of_items(%o: memref<6xi32>, %a: memref<6xi32>) attributes {outputs = 1 : i64} {
  %g = tg.range 0 local 2
  %r = tg.range 1 loop 63
  %c6 = tg.const(6 : index) : index
  %c63 = tg.const(63 : index) : index
  %first = tg.mul %g, %c63 : index
  %at = tg.add %first, %r : index
  %isIn = tg.cmplt %at, %c6 : index
  %x = tg.load %a[%at] mask %isIn : memref<6xi32>
  %to = tg.floormod %at, %c6 : index
  tg.store %x, %o[%to] mask %isIn : memref<6xi32>
}
