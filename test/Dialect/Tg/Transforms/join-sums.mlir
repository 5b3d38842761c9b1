// RUN: tg-opt %s --split-input-file --tg-join-sums | FileCheck %s

// Eight parts along axis 0 are selected by position; positive zero is added, as
// in the sum.
// CHECK-LABEL: func.func @parts
// CHECK: %[[I:.*]] = tg.iota 0 : tensor<9x4xi32>
// CHECK: %[[W:.*]] = tg.where %{{.*}}, %{{.*}}, %{{.*}} : tensor<9x4xf32>
// CHECK-COUNT-6: tg.where
// CHECK: %[[Z:.*]] = tg.const(0.000000e+00 : f32) : tensor<9x4xf32>
// CHECK-NEXT: %[[S:.*]] = tg.add %{{.*}}, %[[Z]]
// CHECK-NEXT: return %[[S]]
func.func @parts(%a: tensor<1x4xf32>, %b: tensor<2x4xf32>) -> tensor<9x4xf32> {
  %0 = tg.pad %a low [0, 0] high [8, 0] : tensor<1x4xf32> -> tensor<9x4xf32>
  %1 = tg.pad %a low [1, 0] high [7, 0] : tensor<1x4xf32> -> tensor<9x4xf32>
  %2 = tg.pad %b low [2, 0] high [5, 0] : tensor<2x4xf32> -> tensor<9x4xf32>
  %3 = tg.pad %a low [4, 0] high [4, 0] : tensor<1x4xf32> -> tensor<9x4xf32>
  %4 = tg.pad %a low [5, 0] high [3, 0] : tensor<1x4xf32> -> tensor<9x4xf32>
  %5 = tg.pad %a low [8, 0] high [0, 0] : tensor<1x4xf32> -> tensor<9x4xf32>
  %6 = tg.pad %a low [7, 0] high [1, 0] : tensor<1x4xf32> -> tensor<9x4xf32>
  %7 = tg.pad %a low [6, 0] high [2, 0] : tensor<1x4xf32> -> tensor<9x4xf32>
  %8 = tg.add %0, %1 : tensor<9x4xf32>
  %9 = tg.add %8, %2 : tensor<9x4xf32>
  %10 = tg.add %3, %4 : tensor<9x4xf32>
  %11 = tg.add %9, %10 : tensor<9x4xf32>
  %12 = tg.add %11, %5 : tensor<9x4xf32>
  %13 = tg.add %12, %6 : tensor<9x4xf32>
  %14 = tg.add %7, %13 : tensor<9x4xf32>
  return %14 : tensor<9x4xf32>
}

// -----

// Parts that overlap are added, and so is what has no part.
// CHECK-LABEL: func.func @overlap
// CHECK-COUNT-7: tg.where
// CHECK: %[[J:.*]] = tg.add %{{.*}}, %{{.*}} : tensor<10xf32>
// CHECK-NEXT: %[[O:.*]] = tg.add %arg1, %{{.*}}
// CHECK-NEXT: %[[S:.*]] = tg.add %[[O]], %[[J]]
// CHECK-NEXT: return %[[S]]
func.func @overlap(%a: tensor<1xf32>, %y: tensor<10xf32>) -> tensor<10xf32> {
  %0 = tg.pad %a low [0] high [9] : tensor<1xf32> -> tensor<10xf32>
  %1 = tg.pad %a low [1] high [8] : tensor<1xf32> -> tensor<10xf32>
  %2 = tg.pad %a low [2] high [7] : tensor<1xf32> -> tensor<10xf32>
  %3 = tg.pad %a low [3] high [6] : tensor<1xf32> -> tensor<10xf32>
  %4 = tg.pad %a low [4] high [5] : tensor<1xf32> -> tensor<10xf32>
  %5 = tg.pad %a low [5] high [4] : tensor<1xf32> -> tensor<10xf32>
  %6 = tg.pad %a low [6] high [3] : tensor<1xf32> -> tensor<10xf32>
  %7 = tg.pad %a low [7] high [2] : tensor<1xf32> -> tensor<10xf32>
  %same = tg.pad %a low [3] high [6] : tensor<1xf32> -> tensor<10xf32>
  %8 = tg.add %0, %1 : tensor<10xf32>
  %9 = tg.add %8, %2 : tensor<10xf32>
  %10 = tg.add %9, %3 : tensor<10xf32>
  %11 = tg.add %10, %y : tensor<10xf32>
  %12 = tg.add %11, %4 : tensor<10xf32>
  %13 = tg.add %12, %5 : tensor<10xf32>
  %14 = tg.add %13, %same : tensor<10xf32>
  %15 = tg.add %14, %6 : tensor<10xf32>
  %16 = tg.add %15, %7 : tensor<10xf32>
  return %16 : tensor<10xf32>
}

// -----

// Few parts, parts along two axes, and sums of which a part is used again stay.
// CHECK-LABEL: func.func @stay
// CHECK-NOT: tg.where
func.func @stay(%a: tensor<1x1xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>) {
  %0 = tg.pad %a low [0, 0] high [3, 1] : tensor<1x1xf32> -> tensor<4x2xf32>
  %1 = tg.pad %a low [1, 0] high [2, 1] : tensor<1x1xf32> -> tensor<4x2xf32>
  %2 = tg.pad %a low [2, 0] high [1, 1] : tensor<1x1xf32> -> tensor<4x2xf32>
  %3 = tg.pad %a low [3, 0] high [0, 1] : tensor<1x1xf32> -> tensor<4x2xf32>
  %4 = tg.pad %a low [0, 1] high [3, 0] : tensor<1x1xf32> -> tensor<4x2xf32>
  %5 = tg.pad %a low [1, 1] high [2, 0] : tensor<1x1xf32> -> tensor<4x2xf32>
  %6 = tg.pad %a low [2, 1] high [1, 0] : tensor<1x1xf32> -> tensor<4x2xf32>
  %7 = tg.pad %a low [3, 1] high [0, 0] : tensor<1x1xf32> -> tensor<4x2xf32>
  %8 = tg.add %0, %1 : tensor<4x2xf32>
  %9 = tg.add %8, %2 : tensor<4x2xf32>
  %10 = tg.add %9, %3 : tensor<4x2xf32>
  %11 = tg.add %10, %4 : tensor<4x2xf32>
  %12 = tg.add %11, %5 : tensor<4x2xf32>
  %13 = tg.add %12, %6 : tensor<4x2xf32>
  %14 = tg.add %13, %7 : tensor<4x2xf32>
  return %14, %10 : tensor<4x2xf32>, tensor<4x2xf32>
}

// -----

// The factors of eight products are joined, in whichever order they are
// multiplied.
// CHECK-LABEL: func.func @products
// CHECK: %[[A:.*]] = tg.contiguous %{{.*}} : tensor<8x4x32xf32>
// CHECK-NEXT: %[[AR:.*]] = tg.reshape %[[A]] : tensor<8x4x32xf32> -> tensor<8x4x32x1xf32>
// CHECK-NEXT: %[[AE:.*]] = tg.expand %[[AR]] : tensor<8x4x32x1xf32> -> tensor<8x4x32x16xf32>
// CHECK: %[[B:.*]] = tg.contiguous %{{.*}} : tensor<8x4x16xf32>
// CHECK-NEXT: %[[BR:.*]] = tg.reshape %[[B]] : tensor<8x4x16xf32> -> tensor<8x4x1x16xf32>
// CHECK-NEXT: %[[BE:.*]] = tg.expand %[[BR]] : tensor<8x4x1x16xf32> -> tensor<8x4x32x16xf32>
// CHECK-NEXT: %[[P:.*]] = tg.mul %[[AE]], %[[BE]] : tensor<8x4x32x16xf32>
// CHECK-NEXT: %[[S:.*]] = tg.reduce add %[[P]] axes [0, 1] : tensor<8x4x32x16xf32> -> tensor<1x1x32x16xf32>
// CHECK-NEXT: %[[R:.*]] = tg.reshape %[[S]] : tensor<1x1x32x16xf32> -> tensor<1x32x16xf32>
// CHECK-NEXT: return %[[R]]
func.func @products(%a0: tensor<4x32xf32>, %a1: tensor<4x32xf32>, %a2: tensor<4x32xf32>, %a3: tensor<4x32xf32>, %a4: tensor<4x32xf32>, %a5: tensor<4x32xf32>, %a6: tensor<4x32xf32>, %a7: tensor<4x32xf32>, %b0: tensor<4x16xf32>, %b1: tensor<4x16xf32>, %b2: tensor<4x16xf32>, %b3: tensor<4x16xf32>, %b4: tensor<4x16xf32>, %b5: tensor<4x16xf32>, %b6: tensor<4x16xf32>, %b7: tensor<4x16xf32>) -> tensor<1x32x16xf32> {
  %ar0 = tg.reshape %a0 : tensor<4x32xf32> -> tensor<4x32x1xf32>
  %ae0 = tg.expand %ar0 : tensor<4x32x1xf32> -> tensor<4x32x16xf32>
  %br0 = tg.reshape %b0 : tensor<4x16xf32> -> tensor<4x1x16xf32>
  %be0 = tg.expand %br0 : tensor<4x1x16xf32> -> tensor<4x32x16xf32>
  %p0 = tg.mul %ae0, %be0 : tensor<4x32x16xf32>
  %ar1 = tg.reshape %a1 : tensor<4x32xf32> -> tensor<4x32x1xf32>
  %ae1 = tg.expand %ar1 : tensor<4x32x1xf32> -> tensor<4x32x16xf32>
  %br1 = tg.reshape %b1 : tensor<4x16xf32> -> tensor<4x1x16xf32>
  %be1 = tg.expand %br1 : tensor<4x1x16xf32> -> tensor<4x32x16xf32>
  %p1 = tg.mul %ae1, %be1 : tensor<4x32x16xf32>
  %ar2 = tg.reshape %a2 : tensor<4x32xf32> -> tensor<4x32x1xf32>
  %ae2 = tg.expand %ar2 : tensor<4x32x1xf32> -> tensor<4x32x16xf32>
  %br2 = tg.reshape %b2 : tensor<4x16xf32> -> tensor<4x1x16xf32>
  %be2 = tg.expand %br2 : tensor<4x1x16xf32> -> tensor<4x32x16xf32>
  %p2 = tg.mul %ae2, %be2 : tensor<4x32x16xf32>
  %ar3 = tg.reshape %a3 : tensor<4x32xf32> -> tensor<4x32x1xf32>
  %ae3 = tg.expand %ar3 : tensor<4x32x1xf32> -> tensor<4x32x16xf32>
  %br3 = tg.reshape %b3 : tensor<4x16xf32> -> tensor<4x1x16xf32>
  %be3 = tg.expand %br3 : tensor<4x1x16xf32> -> tensor<4x32x16xf32>
  %p3 = tg.mul %be3, %ae3 : tensor<4x32x16xf32>
  %ar4 = tg.reshape %a4 : tensor<4x32xf32> -> tensor<4x32x1xf32>
  %ae4 = tg.expand %ar4 : tensor<4x32x1xf32> -> tensor<4x32x16xf32>
  %br4 = tg.reshape %b4 : tensor<4x16xf32> -> tensor<4x1x16xf32>
  %be4 = tg.expand %br4 : tensor<4x1x16xf32> -> tensor<4x32x16xf32>
  %p4 = tg.mul %ae4, %be4 : tensor<4x32x16xf32>
  %ar5 = tg.reshape %a5 : tensor<4x32xf32> -> tensor<4x32x1xf32>
  %ae5 = tg.expand %ar5 : tensor<4x32x1xf32> -> tensor<4x32x16xf32>
  %br5 = tg.reshape %b5 : tensor<4x16xf32> -> tensor<4x1x16xf32>
  %be5 = tg.expand %br5 : tensor<4x1x16xf32> -> tensor<4x32x16xf32>
  %p5 = tg.mul %ae5, %be5 : tensor<4x32x16xf32>
  %ar6 = tg.reshape %a6 : tensor<4x32xf32> -> tensor<4x32x1xf32>
  %ae6 = tg.expand %ar6 : tensor<4x32x1xf32> -> tensor<4x32x16xf32>
  %br6 = tg.reshape %b6 : tensor<4x16xf32> -> tensor<4x1x16xf32>
  %be6 = tg.expand %br6 : tensor<4x1x16xf32> -> tensor<4x32x16xf32>
  %p6 = tg.mul %ae6, %be6 : tensor<4x32x16xf32>
  %ar7 = tg.reshape %a7 : tensor<4x32xf32> -> tensor<4x32x1xf32>
  %ae7 = tg.expand %ar7 : tensor<4x32x1xf32> -> tensor<4x32x16xf32>
  %br7 = tg.reshape %b7 : tensor<4x16xf32> -> tensor<4x1x16xf32>
  %be7 = tg.expand %br7 : tensor<4x1x16xf32> -> tensor<4x32x16xf32>
  %p7 = tg.mul %ae7, %be7 : tensor<4x32x16xf32>
  %s1 = tg.add %p0, %p1 : tensor<4x32x16xf32>
  %s2 = tg.add %s1, %p2 : tensor<4x32x16xf32>
  %s3 = tg.add %s2, %p3 : tensor<4x32x16xf32>
  %s4 = tg.add %s3, %p4 : tensor<4x32x16xf32>
  %s5 = tg.add %s4, %p5 : tensor<4x32x16xf32>
  %s6 = tg.add %s5, %p6 : tensor<4x32x16xf32>
  %s7 = tg.add %s6, %p7 : tensor<4x32x16xf32>
  %r = tg.reduce add %s7 axes [0] : tensor<4x32x16xf32> -> tensor<1x32x16xf32>
  return %r : tensor<1x32x16xf32>
}

// -----

// What is no such product is summed by itself.
// CHECK-LABEL: func.func @others
// CHECK: %[[S:.*]] = tg.reduce add %{{.*}} axes [0, 1] : tensor<8x4x32x16xf32>
// CHECK: %[[O:.*]] = tg.reduce add %{{.*}} axes [0] : tensor<4x32x16xf32>
// CHECK: %[[C:.*]] = tg.contiguous
// CHECK: %[[R:.*]] = tg.add %[[O]], %[[C]]
// CHECK-NEXT: return %[[R]]
func.func @others(%a0: tensor<4x32xf32>, %a1: tensor<4x32xf32>, %a2: tensor<4x32xf32>, %a3: tensor<4x32xf32>, %a4: tensor<4x32xf32>, %a5: tensor<4x32xf32>, %a6: tensor<4x32xf32>, %a7: tensor<4x32xf32>, %b0: tensor<4x16xf32>, %b1: tensor<4x16xf32>, %b2: tensor<4x16xf32>, %b3: tensor<4x16xf32>, %b4: tensor<4x16xf32>, %b5: tensor<4x16xf32>, %b6: tensor<4x16xf32>, %b7: tensor<4x16xf32>, %o: tensor<4x32x16xf32>) -> tensor<1x32x16xf32> {
  %ar0 = tg.reshape %a0 : tensor<4x32xf32> -> tensor<4x32x1xf32>
  %ae0 = tg.expand %ar0 : tensor<4x32x1xf32> -> tensor<4x32x16xf32>
  %br0 = tg.reshape %b0 : tensor<4x16xf32> -> tensor<4x1x16xf32>
  %be0 = tg.expand %br0 : tensor<4x1x16xf32> -> tensor<4x32x16xf32>
  %p0 = tg.mul %ae0, %be0 : tensor<4x32x16xf32>
  %ar1 = tg.reshape %a1 : tensor<4x32xf32> -> tensor<4x32x1xf32>
  %ae1 = tg.expand %ar1 : tensor<4x32x1xf32> -> tensor<4x32x16xf32>
  %br1 = tg.reshape %b1 : tensor<4x16xf32> -> tensor<4x1x16xf32>
  %be1 = tg.expand %br1 : tensor<4x1x16xf32> -> tensor<4x32x16xf32>
  %p1 = tg.mul %ae1, %be1 : tensor<4x32x16xf32>
  %ar2 = tg.reshape %a2 : tensor<4x32xf32> -> tensor<4x32x1xf32>
  %ae2 = tg.expand %ar2 : tensor<4x32x1xf32> -> tensor<4x32x16xf32>
  %br2 = tg.reshape %b2 : tensor<4x16xf32> -> tensor<4x1x16xf32>
  %be2 = tg.expand %br2 : tensor<4x1x16xf32> -> tensor<4x32x16xf32>
  %p2 = tg.mul %ae2, %be2 : tensor<4x32x16xf32>
  %ar3 = tg.reshape %a3 : tensor<4x32xf32> -> tensor<4x32x1xf32>
  %ae3 = tg.expand %ar3 : tensor<4x32x1xf32> -> tensor<4x32x16xf32>
  %br3 = tg.reshape %b3 : tensor<4x16xf32> -> tensor<4x1x16xf32>
  %be3 = tg.expand %br3 : tensor<4x1x16xf32> -> tensor<4x32x16xf32>
  %p3 = tg.mul %ae3, %be3 : tensor<4x32x16xf32>
  %ar4 = tg.reshape %a4 : tensor<4x32xf32> -> tensor<4x32x1xf32>
  %ae4 = tg.expand %ar4 : tensor<4x32x1xf32> -> tensor<4x32x16xf32>
  %br4 = tg.reshape %b4 : tensor<4x16xf32> -> tensor<4x1x16xf32>
  %be4 = tg.expand %br4 : tensor<4x1x16xf32> -> tensor<4x32x16xf32>
  %p4 = tg.mul %ae4, %be4 : tensor<4x32x16xf32>
  %ar5 = tg.reshape %a5 : tensor<4x32xf32> -> tensor<4x32x1xf32>
  %ae5 = tg.expand %ar5 : tensor<4x32x1xf32> -> tensor<4x32x16xf32>
  %br5 = tg.reshape %b5 : tensor<4x16xf32> -> tensor<4x1x16xf32>
  %be5 = tg.expand %br5 : tensor<4x1x16xf32> -> tensor<4x32x16xf32>
  %p5 = tg.mul %ae5, %be5 : tensor<4x32x16xf32>
  %ar6 = tg.reshape %a6 : tensor<4x32xf32> -> tensor<4x32x1xf32>
  %ae6 = tg.expand %ar6 : tensor<4x32x1xf32> -> tensor<4x32x16xf32>
  %br6 = tg.reshape %b6 : tensor<4x16xf32> -> tensor<4x1x16xf32>
  %be6 = tg.expand %br6 : tensor<4x1x16xf32> -> tensor<4x32x16xf32>
  %p6 = tg.mul %ae6, %be6 : tensor<4x32x16xf32>
  %ar7 = tg.reshape %a7 : tensor<4x32xf32> -> tensor<4x32x1xf32>
  %ae7 = tg.expand %ar7 : tensor<4x32x1xf32> -> tensor<4x32x16xf32>
  %br7 = tg.reshape %b7 : tensor<4x16xf32> -> tensor<4x1x16xf32>
  %be7 = tg.expand %br7 : tensor<4x1x16xf32> -> tensor<4x32x16xf32>
  %p7 = tg.mul %ae7, %be7 : tensor<4x32x16xf32>
  %s1 = tg.add %p0, %p1 : tensor<4x32x16xf32>
  %s2 = tg.add %s1, %p2 : tensor<4x32x16xf32>
  %s3 = tg.add %s2, %p3 : tensor<4x32x16xf32>
  %s4 = tg.add %s3, %p4 : tensor<4x32x16xf32>
  %s5 = tg.add %s4, %p5 : tensor<4x32x16xf32>
  %s6 = tg.add %s5, %p6 : tensor<4x32x16xf32>
  %s7 = tg.add %s6, %p7 : tensor<4x32x16xf32>
  %so = tg.add %s7, %o : tensor<4x32x16xf32>
  %r = tg.reduce add %so axes [0] : tensor<4x32x16xf32> -> tensor<1x32x16xf32>
  return %r : tensor<1x32x16xf32>
}

// -----

// Sums of narrow types would be rounded in another order.
// CHECK-LABEL: func.func @narrow
// CHECK-NOT: tg.contiguous
func.func @narrow(%a0: tensor<4x32xf16>, %a1: tensor<4x32xf16>, %a2: tensor<4x32xf16>, %a3: tensor<4x32xf16>, %a4: tensor<4x32xf16>, %a5: tensor<4x32xf16>, %a6: tensor<4x32xf16>, %a7: tensor<4x32xf16>, %b0: tensor<4x16xf16>, %b1: tensor<4x16xf16>, %b2: tensor<4x16xf16>, %b3: tensor<4x16xf16>, %b4: tensor<4x16xf16>, %b5: tensor<4x16xf16>, %b6: tensor<4x16xf16>, %b7: tensor<4x16xf16>) -> tensor<1x32x16xf16> {
  %ar0 = tg.reshape %a0 : tensor<4x32xf16> -> tensor<4x32x1xf16>
  %ae0 = tg.expand %ar0 : tensor<4x32x1xf16> -> tensor<4x32x16xf16>
  %br0 = tg.reshape %b0 : tensor<4x16xf16> -> tensor<4x1x16xf16>
  %be0 = tg.expand %br0 : tensor<4x1x16xf16> -> tensor<4x32x16xf16>
  %p0 = tg.mul %ae0, %be0 : tensor<4x32x16xf16>
  %ar1 = tg.reshape %a1 : tensor<4x32xf16> -> tensor<4x32x1xf16>
  %ae1 = tg.expand %ar1 : tensor<4x32x1xf16> -> tensor<4x32x16xf16>
  %br1 = tg.reshape %b1 : tensor<4x16xf16> -> tensor<4x1x16xf16>
  %be1 = tg.expand %br1 : tensor<4x1x16xf16> -> tensor<4x32x16xf16>
  %p1 = tg.mul %ae1, %be1 : tensor<4x32x16xf16>
  %ar2 = tg.reshape %a2 : tensor<4x32xf16> -> tensor<4x32x1xf16>
  %ae2 = tg.expand %ar2 : tensor<4x32x1xf16> -> tensor<4x32x16xf16>
  %br2 = tg.reshape %b2 : tensor<4x16xf16> -> tensor<4x1x16xf16>
  %be2 = tg.expand %br2 : tensor<4x1x16xf16> -> tensor<4x32x16xf16>
  %p2 = tg.mul %ae2, %be2 : tensor<4x32x16xf16>
  %ar3 = tg.reshape %a3 : tensor<4x32xf16> -> tensor<4x32x1xf16>
  %ae3 = tg.expand %ar3 : tensor<4x32x1xf16> -> tensor<4x32x16xf16>
  %br3 = tg.reshape %b3 : tensor<4x16xf16> -> tensor<4x1x16xf16>
  %be3 = tg.expand %br3 : tensor<4x1x16xf16> -> tensor<4x32x16xf16>
  %p3 = tg.mul %ae3, %be3 : tensor<4x32x16xf16>
  %ar4 = tg.reshape %a4 : tensor<4x32xf16> -> tensor<4x32x1xf16>
  %ae4 = tg.expand %ar4 : tensor<4x32x1xf16> -> tensor<4x32x16xf16>
  %br4 = tg.reshape %b4 : tensor<4x16xf16> -> tensor<4x1x16xf16>
  %be4 = tg.expand %br4 : tensor<4x1x16xf16> -> tensor<4x32x16xf16>
  %p4 = tg.mul %ae4, %be4 : tensor<4x32x16xf16>
  %ar5 = tg.reshape %a5 : tensor<4x32xf16> -> tensor<4x32x1xf16>
  %ae5 = tg.expand %ar5 : tensor<4x32x1xf16> -> tensor<4x32x16xf16>
  %br5 = tg.reshape %b5 : tensor<4x16xf16> -> tensor<4x1x16xf16>
  %be5 = tg.expand %br5 : tensor<4x1x16xf16> -> tensor<4x32x16xf16>
  %p5 = tg.mul %ae5, %be5 : tensor<4x32x16xf16>
  %ar6 = tg.reshape %a6 : tensor<4x32xf16> -> tensor<4x32x1xf16>
  %ae6 = tg.expand %ar6 : tensor<4x32x1xf16> -> tensor<4x32x16xf16>
  %br6 = tg.reshape %b6 : tensor<4x16xf16> -> tensor<4x1x16xf16>
  %be6 = tg.expand %br6 : tensor<4x1x16xf16> -> tensor<4x32x16xf16>
  %p6 = tg.mul %ae6, %be6 : tensor<4x32x16xf16>
  %ar7 = tg.reshape %a7 : tensor<4x32xf16> -> tensor<4x32x1xf16>
  %ae7 = tg.expand %ar7 : tensor<4x32x1xf16> -> tensor<4x32x16xf16>
  %br7 = tg.reshape %b7 : tensor<4x16xf16> -> tensor<4x1x16xf16>
  %be7 = tg.expand %br7 : tensor<4x1x16xf16> -> tensor<4x32x16xf16>
  %p7 = tg.mul %ae7, %be7 : tensor<4x32x16xf16>
  %s1 = tg.add %p0, %p1 : tensor<4x32x16xf16>
  %s2 = tg.add %s1, %p2 : tensor<4x32x16xf16>
  %s3 = tg.add %s2, %p3 : tensor<4x32x16xf16>
  %s4 = tg.add %s3, %p4 : tensor<4x32x16xf16>
  %s5 = tg.add %s4, %p5 : tensor<4x32x16xf16>
  %s6 = tg.add %s5, %p6 : tensor<4x32x16xf16>
  %s7 = tg.add %s6, %p7 : tensor<4x32x16xf16>
  %r = tg.reduce add %s7 axes [0] : tensor<4x32x16xf16> -> tensor<1x32x16xf16>
  return %r : tensor<1x32x16xf16>
}

// -----

// The factors of the products are parts of a tensor that is joined already: they
// are read from there, in its order. The parts are sums of two padded tensors,
// so that they hold no negative zeros, to which zero would have to be added.
// CHECK-LABEL: func.func @stacked
// CHECK-NOT: tg.add {{.*}} : tensor<9x4x32xf32>
// CHECK: %[[C:.*]] = tg.contiguous %{{.*}} : tensor<9x4x32xf32>
// CHECK: %[[F:.*]] = tg.shrink %[[C]] from [1, 0, 0] to [9, 4, 32]
// CHECK-NOT: tg.contiguous %{{.*}} : tensor<8x4x32xf32>
// CHECK: tg.contiguous %{{.*}} : tensor<8x4x16xf32>
// CHECK: %[[P:.*]] = tg.mul %{{.*}}, %{{.*}} : tensor<8x4x32x16xf32>
// CHECK: tg.reduce add %[[P]] axes [0, 1] : tensor<8x4x32x16xf32> -> tensor<1x1x32x16xf32>
// CHECK: return %[[C]]
func.func @stacked(%l0: tensor<4x16xf32>, %r0: tensor<4x16xf32>, %b0: tensor<4x16xf32>, %l1: tensor<4x16xf32>, %r1: tensor<4x16xf32>, %b1: tensor<4x16xf32>, %l2: tensor<4x16xf32>, %r2: tensor<4x16xf32>, %b2: tensor<4x16xf32>, %l3: tensor<4x16xf32>, %r3: tensor<4x16xf32>, %b3: tensor<4x16xf32>, %l4: tensor<4x16xf32>, %r4: tensor<4x16xf32>, %b4: tensor<4x16xf32>, %l5: tensor<4x16xf32>, %r5: tensor<4x16xf32>, %b5: tensor<4x16xf32>, %l6: tensor<4x16xf32>, %r6: tensor<4x16xf32>, %b6: tensor<4x16xf32>, %l7: tensor<4x16xf32>, %r7: tensor<4x16xf32>, %b7: tensor<4x16xf32>, %l8: tensor<4x16xf32>, %r8: tensor<4x16xf32>, %b8: tensor<4x16xf32>)
    -> (tensor<9x4x32xf32>, tensor<1x32x16xf32>) {
  %lp0 = tg.pad %l0 low [0, 0] high [0, 16] : tensor<4x16xf32> -> tensor<4x32xf32>
  %rp0 = tg.pad %r0 low [0, 16] high [0, 0] : tensor<4x16xf32> -> tensor<4x32xf32>
  %a0 = tg.add %lp0, %rp0 : tensor<4x32xf32>
  %q0 = tg.reshape %a0 : tensor<4x32xf32> -> tensor<1x4x32xf32>
  %z0 = tg.pad %q0 low [0, 0, 0] high [8, 0, 0] : tensor<1x4x32xf32> -> tensor<9x4x32xf32>
  %lp1 = tg.pad %l1 low [0, 0] high [0, 16] : tensor<4x16xf32> -> tensor<4x32xf32>
  %rp1 = tg.pad %r1 low [0, 16] high [0, 0] : tensor<4x16xf32> -> tensor<4x32xf32>
  %a1 = tg.add %lp1, %rp1 : tensor<4x32xf32>
  %q1 = tg.reshape %a1 : tensor<4x32xf32> -> tensor<1x4x32xf32>
  %z1 = tg.pad %q1 low [1, 0, 0] high [7, 0, 0] : tensor<1x4x32xf32> -> tensor<9x4x32xf32>
  %lp2 = tg.pad %l2 low [0, 0] high [0, 16] : tensor<4x16xf32> -> tensor<4x32xf32>
  %rp2 = tg.pad %r2 low [0, 16] high [0, 0] : tensor<4x16xf32> -> tensor<4x32xf32>
  %a2 = tg.add %lp2, %rp2 : tensor<4x32xf32>
  %q2 = tg.reshape %a2 : tensor<4x32xf32> -> tensor<1x4x32xf32>
  %z2 = tg.pad %q2 low [2, 0, 0] high [6, 0, 0] : tensor<1x4x32xf32> -> tensor<9x4x32xf32>
  %lp3 = tg.pad %l3 low [0, 0] high [0, 16] : tensor<4x16xf32> -> tensor<4x32xf32>
  %rp3 = tg.pad %r3 low [0, 16] high [0, 0] : tensor<4x16xf32> -> tensor<4x32xf32>
  %a3 = tg.add %lp3, %rp3 : tensor<4x32xf32>
  %q3 = tg.reshape %a3 : tensor<4x32xf32> -> tensor<1x4x32xf32>
  %z3 = tg.pad %q3 low [3, 0, 0] high [5, 0, 0] : tensor<1x4x32xf32> -> tensor<9x4x32xf32>
  %lp4 = tg.pad %l4 low [0, 0] high [0, 16] : tensor<4x16xf32> -> tensor<4x32xf32>
  %rp4 = tg.pad %r4 low [0, 16] high [0, 0] : tensor<4x16xf32> -> tensor<4x32xf32>
  %a4 = tg.add %lp4, %rp4 : tensor<4x32xf32>
  %q4 = tg.reshape %a4 : tensor<4x32xf32> -> tensor<1x4x32xf32>
  %z4 = tg.pad %q4 low [4, 0, 0] high [4, 0, 0] : tensor<1x4x32xf32> -> tensor<9x4x32xf32>
  %lp5 = tg.pad %l5 low [0, 0] high [0, 16] : tensor<4x16xf32> -> tensor<4x32xf32>
  %rp5 = tg.pad %r5 low [0, 16] high [0, 0] : tensor<4x16xf32> -> tensor<4x32xf32>
  %a5 = tg.add %lp5, %rp5 : tensor<4x32xf32>
  %q5 = tg.reshape %a5 : tensor<4x32xf32> -> tensor<1x4x32xf32>
  %z5 = tg.pad %q5 low [5, 0, 0] high [3, 0, 0] : tensor<1x4x32xf32> -> tensor<9x4x32xf32>
  %lp6 = tg.pad %l6 low [0, 0] high [0, 16] : tensor<4x16xf32> -> tensor<4x32xf32>
  %rp6 = tg.pad %r6 low [0, 16] high [0, 0] : tensor<4x16xf32> -> tensor<4x32xf32>
  %a6 = tg.add %lp6, %rp6 : tensor<4x32xf32>
  %q6 = tg.reshape %a6 : tensor<4x32xf32> -> tensor<1x4x32xf32>
  %z6 = tg.pad %q6 low [6, 0, 0] high [2, 0, 0] : tensor<1x4x32xf32> -> tensor<9x4x32xf32>
  %lp7 = tg.pad %l7 low [0, 0] high [0, 16] : tensor<4x16xf32> -> tensor<4x32xf32>
  %rp7 = tg.pad %r7 low [0, 16] high [0, 0] : tensor<4x16xf32> -> tensor<4x32xf32>
  %a7 = tg.add %lp7, %rp7 : tensor<4x32xf32>
  %q7 = tg.reshape %a7 : tensor<4x32xf32> -> tensor<1x4x32xf32>
  %z7 = tg.pad %q7 low [7, 0, 0] high [1, 0, 0] : tensor<1x4x32xf32> -> tensor<9x4x32xf32>
  %lp8 = tg.pad %l8 low [0, 0] high [0, 16] : tensor<4x16xf32> -> tensor<4x32xf32>
  %rp8 = tg.pad %r8 low [0, 16] high [0, 0] : tensor<4x16xf32> -> tensor<4x32xf32>
  %a8 = tg.add %lp8, %rp8 : tensor<4x32xf32>
  %q8 = tg.reshape %a8 : tensor<4x32xf32> -> tensor<1x4x32xf32>
  %z8 = tg.pad %q8 low [8, 0, 0] high [0, 0, 0] : tensor<1x4x32xf32> -> tensor<9x4x32xf32>
  %t1 = tg.add %z0, %z1 : tensor<9x4x32xf32>
  %t2 = tg.add %t1, %z2 : tensor<9x4x32xf32>
  %t3 = tg.add %t2, %z3 : tensor<9x4x32xf32>
  %t4 = tg.add %t3, %z4 : tensor<9x4x32xf32>
  %t5 = tg.add %t4, %z5 : tensor<9x4x32xf32>
  %t6 = tg.add %t5, %z6 : tensor<9x4x32xf32>
  %t7 = tg.add %t6, %z7 : tensor<9x4x32xf32>
  %t8 = tg.add %t7, %z8 : tensor<9x4x32xf32>
  %ar8 = tg.reshape %a8 : tensor<4x32xf32> -> tensor<4x32x1xf32>
  %ae8 = tg.expand %ar8 : tensor<4x32x1xf32> -> tensor<4x32x16xf32>
  %br8 = tg.reshape %b8 : tensor<4x16xf32> -> tensor<4x1x16xf32>
  %be8 = tg.expand %br8 : tensor<4x1x16xf32> -> tensor<4x32x16xf32>
  %p8 = tg.mul %ae8, %be8 : tensor<4x32x16xf32>
  %ar7 = tg.reshape %a7 : tensor<4x32xf32> -> tensor<4x32x1xf32>
  %ae7 = tg.expand %ar7 : tensor<4x32x1xf32> -> tensor<4x32x16xf32>
  %br7 = tg.reshape %b7 : tensor<4x16xf32> -> tensor<4x1x16xf32>
  %be7 = tg.expand %br7 : tensor<4x1x16xf32> -> tensor<4x32x16xf32>
  %p7 = tg.mul %ae7, %be7 : tensor<4x32x16xf32>
  %s7 = tg.add %p8, %p7 : tensor<4x32x16xf32>
  %ar6 = tg.reshape %a6 : tensor<4x32xf32> -> tensor<4x32x1xf32>
  %ae6 = tg.expand %ar6 : tensor<4x32x1xf32> -> tensor<4x32x16xf32>
  %br6 = tg.reshape %b6 : tensor<4x16xf32> -> tensor<4x1x16xf32>
  %be6 = tg.expand %br6 : tensor<4x1x16xf32> -> tensor<4x32x16xf32>
  %p6 = tg.mul %ae6, %be6 : tensor<4x32x16xf32>
  %s6 = tg.add %s7, %p6 : tensor<4x32x16xf32>
  %ar5 = tg.reshape %a5 : tensor<4x32xf32> -> tensor<4x32x1xf32>
  %ae5 = tg.expand %ar5 : tensor<4x32x1xf32> -> tensor<4x32x16xf32>
  %br5 = tg.reshape %b5 : tensor<4x16xf32> -> tensor<4x1x16xf32>
  %be5 = tg.expand %br5 : tensor<4x1x16xf32> -> tensor<4x32x16xf32>
  %p5 = tg.mul %ae5, %be5 : tensor<4x32x16xf32>
  %s5 = tg.add %s6, %p5 : tensor<4x32x16xf32>
  %ar4 = tg.reshape %a4 : tensor<4x32xf32> -> tensor<4x32x1xf32>
  %ae4 = tg.expand %ar4 : tensor<4x32x1xf32> -> tensor<4x32x16xf32>
  %br4 = tg.reshape %b4 : tensor<4x16xf32> -> tensor<4x1x16xf32>
  %be4 = tg.expand %br4 : tensor<4x1x16xf32> -> tensor<4x32x16xf32>
  %p4 = tg.mul %ae4, %be4 : tensor<4x32x16xf32>
  %s4 = tg.add %s5, %p4 : tensor<4x32x16xf32>
  %ar3 = tg.reshape %a3 : tensor<4x32xf32> -> tensor<4x32x1xf32>
  %ae3 = tg.expand %ar3 : tensor<4x32x1xf32> -> tensor<4x32x16xf32>
  %br3 = tg.reshape %b3 : tensor<4x16xf32> -> tensor<4x1x16xf32>
  %be3 = tg.expand %br3 : tensor<4x1x16xf32> -> tensor<4x32x16xf32>
  %p3 = tg.mul %ae3, %be3 : tensor<4x32x16xf32>
  %s3 = tg.add %s4, %p3 : tensor<4x32x16xf32>
  %ar2 = tg.reshape %a2 : tensor<4x32xf32> -> tensor<4x32x1xf32>
  %ae2 = tg.expand %ar2 : tensor<4x32x1xf32> -> tensor<4x32x16xf32>
  %br2 = tg.reshape %b2 : tensor<4x16xf32> -> tensor<4x1x16xf32>
  %be2 = tg.expand %br2 : tensor<4x1x16xf32> -> tensor<4x32x16xf32>
  %p2 = tg.mul %ae2, %be2 : tensor<4x32x16xf32>
  %s2 = tg.add %s3, %p2 : tensor<4x32x16xf32>
  %ar1 = tg.reshape %a1 : tensor<4x32xf32> -> tensor<4x32x1xf32>
  %ae1 = tg.expand %ar1 : tensor<4x32x1xf32> -> tensor<4x32x16xf32>
  %br1 = tg.reshape %b1 : tensor<4x16xf32> -> tensor<4x1x16xf32>
  %be1 = tg.expand %br1 : tensor<4x1x16xf32> -> tensor<4x32x16xf32>
  %p1 = tg.mul %ae1, %be1 : tensor<4x32x16xf32>
  %s1 = tg.add %s2, %p1 : tensor<4x32x16xf32>
  %r = tg.reduce add %s1 axes [0] : tensor<4x32x16xf32> -> tensor<1x32x16xf32>
  return %t8, %r : tensor<9x4x32xf32>, tensor<1x32x16xf32>
}

// -----

// A joined tensor in memory that stands behind the products moves to where they
// can read it.
// CHECK-LABEL: func.func @stacked_contiguous
// CHECK: %[[C:.*]] = tg.contiguous %{{.*}} : tensor<9x4x32xf32>
// CHECK: tg.shrink %[[C]] from [1, 0, 0] to [9, 4, 32]
// CHECK: return %[[C]]
func.func @stacked_contiguous(%l0: tensor<4x16xf32>, %r0: tensor<4x16xf32>, %b0: tensor<4x16xf32>, %l1: tensor<4x16xf32>, %r1: tensor<4x16xf32>, %b1: tensor<4x16xf32>, %l2: tensor<4x16xf32>, %r2: tensor<4x16xf32>, %b2: tensor<4x16xf32>, %l3: tensor<4x16xf32>, %r3: tensor<4x16xf32>, %b3: tensor<4x16xf32>, %l4: tensor<4x16xf32>, %r4: tensor<4x16xf32>, %b4: tensor<4x16xf32>, %l5: tensor<4x16xf32>, %r5: tensor<4x16xf32>, %b5: tensor<4x16xf32>, %l6: tensor<4x16xf32>, %r6: tensor<4x16xf32>, %b6: tensor<4x16xf32>, %l7: tensor<4x16xf32>, %r7: tensor<4x16xf32>, %b7: tensor<4x16xf32>, %l8: tensor<4x16xf32>, %r8: tensor<4x16xf32>, %b8: tensor<4x16xf32>)
    -> (tensor<9x4x32xf32>, tensor<1x32x16xf32>) {
  %lp0 = tg.pad %l0 low [0, 0] high [0, 16] : tensor<4x16xf32> -> tensor<4x32xf32>
  %rp0 = tg.pad %r0 low [0, 16] high [0, 0] : tensor<4x16xf32> -> tensor<4x32xf32>
  %a0 = tg.add %lp0, %rp0 : tensor<4x32xf32>
  %q0 = tg.reshape %a0 : tensor<4x32xf32> -> tensor<1x4x32xf32>
  %z0 = tg.pad %q0 low [0, 0, 0] high [8, 0, 0] : tensor<1x4x32xf32> -> tensor<9x4x32xf32>
  %lp1 = tg.pad %l1 low [0, 0] high [0, 16] : tensor<4x16xf32> -> tensor<4x32xf32>
  %rp1 = tg.pad %r1 low [0, 16] high [0, 0] : tensor<4x16xf32> -> tensor<4x32xf32>
  %a1 = tg.add %lp1, %rp1 : tensor<4x32xf32>
  %q1 = tg.reshape %a1 : tensor<4x32xf32> -> tensor<1x4x32xf32>
  %z1 = tg.pad %q1 low [1, 0, 0] high [7, 0, 0] : tensor<1x4x32xf32> -> tensor<9x4x32xf32>
  %lp2 = tg.pad %l2 low [0, 0] high [0, 16] : tensor<4x16xf32> -> tensor<4x32xf32>
  %rp2 = tg.pad %r2 low [0, 16] high [0, 0] : tensor<4x16xf32> -> tensor<4x32xf32>
  %a2 = tg.add %lp2, %rp2 : tensor<4x32xf32>
  %q2 = tg.reshape %a2 : tensor<4x32xf32> -> tensor<1x4x32xf32>
  %z2 = tg.pad %q2 low [2, 0, 0] high [6, 0, 0] : tensor<1x4x32xf32> -> tensor<9x4x32xf32>
  %lp3 = tg.pad %l3 low [0, 0] high [0, 16] : tensor<4x16xf32> -> tensor<4x32xf32>
  %rp3 = tg.pad %r3 low [0, 16] high [0, 0] : tensor<4x16xf32> -> tensor<4x32xf32>
  %a3 = tg.add %lp3, %rp3 : tensor<4x32xf32>
  %q3 = tg.reshape %a3 : tensor<4x32xf32> -> tensor<1x4x32xf32>
  %z3 = tg.pad %q3 low [3, 0, 0] high [5, 0, 0] : tensor<1x4x32xf32> -> tensor<9x4x32xf32>
  %lp4 = tg.pad %l4 low [0, 0] high [0, 16] : tensor<4x16xf32> -> tensor<4x32xf32>
  %rp4 = tg.pad %r4 low [0, 16] high [0, 0] : tensor<4x16xf32> -> tensor<4x32xf32>
  %a4 = tg.add %lp4, %rp4 : tensor<4x32xf32>
  %q4 = tg.reshape %a4 : tensor<4x32xf32> -> tensor<1x4x32xf32>
  %z4 = tg.pad %q4 low [4, 0, 0] high [4, 0, 0] : tensor<1x4x32xf32> -> tensor<9x4x32xf32>
  %lp5 = tg.pad %l5 low [0, 0] high [0, 16] : tensor<4x16xf32> -> tensor<4x32xf32>
  %rp5 = tg.pad %r5 low [0, 16] high [0, 0] : tensor<4x16xf32> -> tensor<4x32xf32>
  %a5 = tg.add %lp5, %rp5 : tensor<4x32xf32>
  %q5 = tg.reshape %a5 : tensor<4x32xf32> -> tensor<1x4x32xf32>
  %z5 = tg.pad %q5 low [5, 0, 0] high [3, 0, 0] : tensor<1x4x32xf32> -> tensor<9x4x32xf32>
  %lp6 = tg.pad %l6 low [0, 0] high [0, 16] : tensor<4x16xf32> -> tensor<4x32xf32>
  %rp6 = tg.pad %r6 low [0, 16] high [0, 0] : tensor<4x16xf32> -> tensor<4x32xf32>
  %a6 = tg.add %lp6, %rp6 : tensor<4x32xf32>
  %q6 = tg.reshape %a6 : tensor<4x32xf32> -> tensor<1x4x32xf32>
  %z6 = tg.pad %q6 low [6, 0, 0] high [2, 0, 0] : tensor<1x4x32xf32> -> tensor<9x4x32xf32>
  %lp7 = tg.pad %l7 low [0, 0] high [0, 16] : tensor<4x16xf32> -> tensor<4x32xf32>
  %rp7 = tg.pad %r7 low [0, 16] high [0, 0] : tensor<4x16xf32> -> tensor<4x32xf32>
  %a7 = tg.add %lp7, %rp7 : tensor<4x32xf32>
  %q7 = tg.reshape %a7 : tensor<4x32xf32> -> tensor<1x4x32xf32>
  %z7 = tg.pad %q7 low [7, 0, 0] high [1, 0, 0] : tensor<1x4x32xf32> -> tensor<9x4x32xf32>
  %lp8 = tg.pad %l8 low [0, 0] high [0, 16] : tensor<4x16xf32> -> tensor<4x32xf32>
  %rp8 = tg.pad %r8 low [0, 16] high [0, 0] : tensor<4x16xf32> -> tensor<4x32xf32>
  %a8 = tg.add %lp8, %rp8 : tensor<4x32xf32>
  %q8 = tg.reshape %a8 : tensor<4x32xf32> -> tensor<1x4x32xf32>
  %z8 = tg.pad %q8 low [8, 0, 0] high [0, 0, 0] : tensor<1x4x32xf32> -> tensor<9x4x32xf32>
  %t1 = tg.add %z0, %z1 : tensor<9x4x32xf32>
  %t2 = tg.add %t1, %z2 : tensor<9x4x32xf32>
  %t3 = tg.add %t2, %z3 : tensor<9x4x32xf32>
  %t4 = tg.add %t3, %z4 : tensor<9x4x32xf32>
  %t5 = tg.add %t4, %z5 : tensor<9x4x32xf32>
  %t6 = tg.add %t5, %z6 : tensor<9x4x32xf32>
  %t7 = tg.add %t6, %z7 : tensor<9x4x32xf32>
  %t8 = tg.add %t7, %z8 : tensor<9x4x32xf32>
  %ar8 = tg.reshape %a8 : tensor<4x32xf32> -> tensor<4x32x1xf32>
  %ae8 = tg.expand %ar8 : tensor<4x32x1xf32> -> tensor<4x32x16xf32>
  %br8 = tg.reshape %b8 : tensor<4x16xf32> -> tensor<4x1x16xf32>
  %be8 = tg.expand %br8 : tensor<4x1x16xf32> -> tensor<4x32x16xf32>
  %p8 = tg.mul %ae8, %be8 : tensor<4x32x16xf32>
  %ar7 = tg.reshape %a7 : tensor<4x32xf32> -> tensor<4x32x1xf32>
  %ae7 = tg.expand %ar7 : tensor<4x32x1xf32> -> tensor<4x32x16xf32>
  %br7 = tg.reshape %b7 : tensor<4x16xf32> -> tensor<4x1x16xf32>
  %be7 = tg.expand %br7 : tensor<4x1x16xf32> -> tensor<4x32x16xf32>
  %p7 = tg.mul %ae7, %be7 : tensor<4x32x16xf32>
  %s7 = tg.add %p8, %p7 : tensor<4x32x16xf32>
  %ar6 = tg.reshape %a6 : tensor<4x32xf32> -> tensor<4x32x1xf32>
  %ae6 = tg.expand %ar6 : tensor<4x32x1xf32> -> tensor<4x32x16xf32>
  %br6 = tg.reshape %b6 : tensor<4x16xf32> -> tensor<4x1x16xf32>
  %be6 = tg.expand %br6 : tensor<4x1x16xf32> -> tensor<4x32x16xf32>
  %p6 = tg.mul %ae6, %be6 : tensor<4x32x16xf32>
  %s6 = tg.add %s7, %p6 : tensor<4x32x16xf32>
  %ar5 = tg.reshape %a5 : tensor<4x32xf32> -> tensor<4x32x1xf32>
  %ae5 = tg.expand %ar5 : tensor<4x32x1xf32> -> tensor<4x32x16xf32>
  %br5 = tg.reshape %b5 : tensor<4x16xf32> -> tensor<4x1x16xf32>
  %be5 = tg.expand %br5 : tensor<4x1x16xf32> -> tensor<4x32x16xf32>
  %p5 = tg.mul %ae5, %be5 : tensor<4x32x16xf32>
  %s5 = tg.add %s6, %p5 : tensor<4x32x16xf32>
  %ar4 = tg.reshape %a4 : tensor<4x32xf32> -> tensor<4x32x1xf32>
  %ae4 = tg.expand %ar4 : tensor<4x32x1xf32> -> tensor<4x32x16xf32>
  %br4 = tg.reshape %b4 : tensor<4x16xf32> -> tensor<4x1x16xf32>
  %be4 = tg.expand %br4 : tensor<4x1x16xf32> -> tensor<4x32x16xf32>
  %p4 = tg.mul %ae4, %be4 : tensor<4x32x16xf32>
  %s4 = tg.add %s5, %p4 : tensor<4x32x16xf32>
  %ar3 = tg.reshape %a3 : tensor<4x32xf32> -> tensor<4x32x1xf32>
  %ae3 = tg.expand %ar3 : tensor<4x32x1xf32> -> tensor<4x32x16xf32>
  %br3 = tg.reshape %b3 : tensor<4x16xf32> -> tensor<4x1x16xf32>
  %be3 = tg.expand %br3 : tensor<4x1x16xf32> -> tensor<4x32x16xf32>
  %p3 = tg.mul %ae3, %be3 : tensor<4x32x16xf32>
  %s3 = tg.add %s4, %p3 : tensor<4x32x16xf32>
  %ar2 = tg.reshape %a2 : tensor<4x32xf32> -> tensor<4x32x1xf32>
  %ae2 = tg.expand %ar2 : tensor<4x32x1xf32> -> tensor<4x32x16xf32>
  %br2 = tg.reshape %b2 : tensor<4x16xf32> -> tensor<4x1x16xf32>
  %be2 = tg.expand %br2 : tensor<4x1x16xf32> -> tensor<4x32x16xf32>
  %p2 = tg.mul %ae2, %be2 : tensor<4x32x16xf32>
  %s2 = tg.add %s3, %p2 : tensor<4x32x16xf32>
  %ar1 = tg.reshape %a1 : tensor<4x32xf32> -> tensor<4x32x1xf32>
  %ae1 = tg.expand %ar1 : tensor<4x32x1xf32> -> tensor<4x32x16xf32>
  %br1 = tg.reshape %b1 : tensor<4x16xf32> -> tensor<4x1x16xf32>
  %be1 = tg.expand %br1 : tensor<4x1x16xf32> -> tensor<4x32x16xf32>
  %p1 = tg.mul %ae1, %be1 : tensor<4x32x16xf32>
  %s1 = tg.add %s2, %p1 : tensor<4x32x16xf32>
  %r = tg.reduce add %s1 axes [0] : tensor<4x32x16xf32> -> tensor<1x32x16xf32>
  %c = tg.contiguous %t8 : tensor<9x4x32xf32>
  return %c, %r : tensor<9x4x32xf32>, tensor<1x32x16xf32>
}

// -----

// The products stand before the joined tensor, and move behind it.
// CHECK-LABEL: func.func @stacked_late
// CHECK: %[[C:.*]] = tg.contiguous %{{.*}} : tensor<9x4x32xf32>
// CHECK: tg.shrink %[[C]] from [1, 0, 0] to [9, 4, 32]
// CHECK: return %[[C]]
func.func @stacked_late(%l0: tensor<4x16xf32>, %r0: tensor<4x16xf32>, %b0: tensor<4x16xf32>, %l1: tensor<4x16xf32>, %r1: tensor<4x16xf32>, %b1: tensor<4x16xf32>, %l2: tensor<4x16xf32>, %r2: tensor<4x16xf32>, %b2: tensor<4x16xf32>, %l3: tensor<4x16xf32>, %r3: tensor<4x16xf32>, %b3: tensor<4x16xf32>, %l4: tensor<4x16xf32>, %r4: tensor<4x16xf32>, %b4: tensor<4x16xf32>, %l5: tensor<4x16xf32>, %r5: tensor<4x16xf32>, %b5: tensor<4x16xf32>, %l6: tensor<4x16xf32>, %r6: tensor<4x16xf32>, %b6: tensor<4x16xf32>, %l7: tensor<4x16xf32>, %r7: tensor<4x16xf32>, %b7: tensor<4x16xf32>, %l8: tensor<4x16xf32>, %r8: tensor<4x16xf32>, %b8: tensor<4x16xf32>)
    -> (tensor<9x4x32xf32>, tensor<1x32x16xf32>) {
  %lp0 = tg.pad %l0 low [0, 0] high [0, 16] : tensor<4x16xf32> -> tensor<4x32xf32>
  %rp0 = tg.pad %r0 low [0, 16] high [0, 0] : tensor<4x16xf32> -> tensor<4x32xf32>
  %a0 = tg.add %lp0, %rp0 : tensor<4x32xf32>
  %lp1 = tg.pad %l1 low [0, 0] high [0, 16] : tensor<4x16xf32> -> tensor<4x32xf32>
  %rp1 = tg.pad %r1 low [0, 16] high [0, 0] : tensor<4x16xf32> -> tensor<4x32xf32>
  %a1 = tg.add %lp1, %rp1 : tensor<4x32xf32>
  %lp2 = tg.pad %l2 low [0, 0] high [0, 16] : tensor<4x16xf32> -> tensor<4x32xf32>
  %rp2 = tg.pad %r2 low [0, 16] high [0, 0] : tensor<4x16xf32> -> tensor<4x32xf32>
  %a2 = tg.add %lp2, %rp2 : tensor<4x32xf32>
  %lp3 = tg.pad %l3 low [0, 0] high [0, 16] : tensor<4x16xf32> -> tensor<4x32xf32>
  %rp3 = tg.pad %r3 low [0, 16] high [0, 0] : tensor<4x16xf32> -> tensor<4x32xf32>
  %a3 = tg.add %lp3, %rp3 : tensor<4x32xf32>
  %lp4 = tg.pad %l4 low [0, 0] high [0, 16] : tensor<4x16xf32> -> tensor<4x32xf32>
  %rp4 = tg.pad %r4 low [0, 16] high [0, 0] : tensor<4x16xf32> -> tensor<4x32xf32>
  %a4 = tg.add %lp4, %rp4 : tensor<4x32xf32>
  %lp5 = tg.pad %l5 low [0, 0] high [0, 16] : tensor<4x16xf32> -> tensor<4x32xf32>
  %rp5 = tg.pad %r5 low [0, 16] high [0, 0] : tensor<4x16xf32> -> tensor<4x32xf32>
  %a5 = tg.add %lp5, %rp5 : tensor<4x32xf32>
  %lp6 = tg.pad %l6 low [0, 0] high [0, 16] : tensor<4x16xf32> -> tensor<4x32xf32>
  %rp6 = tg.pad %r6 low [0, 16] high [0, 0] : tensor<4x16xf32> -> tensor<4x32xf32>
  %a6 = tg.add %lp6, %rp6 : tensor<4x32xf32>
  %lp7 = tg.pad %l7 low [0, 0] high [0, 16] : tensor<4x16xf32> -> tensor<4x32xf32>
  %rp7 = tg.pad %r7 low [0, 16] high [0, 0] : tensor<4x16xf32> -> tensor<4x32xf32>
  %a7 = tg.add %lp7, %rp7 : tensor<4x32xf32>
  %lp8 = tg.pad %l8 low [0, 0] high [0, 16] : tensor<4x16xf32> -> tensor<4x32xf32>
  %rp8 = tg.pad %r8 low [0, 16] high [0, 0] : tensor<4x16xf32> -> tensor<4x32xf32>
  %a8 = tg.add %lp8, %rp8 : tensor<4x32xf32>
  %ar8 = tg.reshape %a8 : tensor<4x32xf32> -> tensor<4x32x1xf32>
  %ae8 = tg.expand %ar8 : tensor<4x32x1xf32> -> tensor<4x32x16xf32>
  %br8 = tg.reshape %b8 : tensor<4x16xf32> -> tensor<4x1x16xf32>
  %be8 = tg.expand %br8 : tensor<4x1x16xf32> -> tensor<4x32x16xf32>
  %p8 = tg.mul %ae8, %be8 : tensor<4x32x16xf32>
  %ar7 = tg.reshape %a7 : tensor<4x32xf32> -> tensor<4x32x1xf32>
  %ae7 = tg.expand %ar7 : tensor<4x32x1xf32> -> tensor<4x32x16xf32>
  %br7 = tg.reshape %b7 : tensor<4x16xf32> -> tensor<4x1x16xf32>
  %be7 = tg.expand %br7 : tensor<4x1x16xf32> -> tensor<4x32x16xf32>
  %p7 = tg.mul %ae7, %be7 : tensor<4x32x16xf32>
  %s7 = tg.add %p8, %p7 : tensor<4x32x16xf32>
  %ar6 = tg.reshape %a6 : tensor<4x32xf32> -> tensor<4x32x1xf32>
  %ae6 = tg.expand %ar6 : tensor<4x32x1xf32> -> tensor<4x32x16xf32>
  %br6 = tg.reshape %b6 : tensor<4x16xf32> -> tensor<4x1x16xf32>
  %be6 = tg.expand %br6 : tensor<4x1x16xf32> -> tensor<4x32x16xf32>
  %p6 = tg.mul %ae6, %be6 : tensor<4x32x16xf32>
  %s6 = tg.add %s7, %p6 : tensor<4x32x16xf32>
  %ar5 = tg.reshape %a5 : tensor<4x32xf32> -> tensor<4x32x1xf32>
  %ae5 = tg.expand %ar5 : tensor<4x32x1xf32> -> tensor<4x32x16xf32>
  %br5 = tg.reshape %b5 : tensor<4x16xf32> -> tensor<4x1x16xf32>
  %be5 = tg.expand %br5 : tensor<4x1x16xf32> -> tensor<4x32x16xf32>
  %p5 = tg.mul %ae5, %be5 : tensor<4x32x16xf32>
  %s5 = tg.add %s6, %p5 : tensor<4x32x16xf32>
  %ar4 = tg.reshape %a4 : tensor<4x32xf32> -> tensor<4x32x1xf32>
  %ae4 = tg.expand %ar4 : tensor<4x32x1xf32> -> tensor<4x32x16xf32>
  %br4 = tg.reshape %b4 : tensor<4x16xf32> -> tensor<4x1x16xf32>
  %be4 = tg.expand %br4 : tensor<4x1x16xf32> -> tensor<4x32x16xf32>
  %p4 = tg.mul %ae4, %be4 : tensor<4x32x16xf32>
  %s4 = tg.add %s5, %p4 : tensor<4x32x16xf32>
  %ar3 = tg.reshape %a3 : tensor<4x32xf32> -> tensor<4x32x1xf32>
  %ae3 = tg.expand %ar3 : tensor<4x32x1xf32> -> tensor<4x32x16xf32>
  %br3 = tg.reshape %b3 : tensor<4x16xf32> -> tensor<4x1x16xf32>
  %be3 = tg.expand %br3 : tensor<4x1x16xf32> -> tensor<4x32x16xf32>
  %p3 = tg.mul %ae3, %be3 : tensor<4x32x16xf32>
  %s3 = tg.add %s4, %p3 : tensor<4x32x16xf32>
  %ar2 = tg.reshape %a2 : tensor<4x32xf32> -> tensor<4x32x1xf32>
  %ae2 = tg.expand %ar2 : tensor<4x32x1xf32> -> tensor<4x32x16xf32>
  %br2 = tg.reshape %b2 : tensor<4x16xf32> -> tensor<4x1x16xf32>
  %be2 = tg.expand %br2 : tensor<4x1x16xf32> -> tensor<4x32x16xf32>
  %p2 = tg.mul %ae2, %be2 : tensor<4x32x16xf32>
  %s2 = tg.add %s3, %p2 : tensor<4x32x16xf32>
  %ar1 = tg.reshape %a1 : tensor<4x32xf32> -> tensor<4x32x1xf32>
  %ae1 = tg.expand %ar1 : tensor<4x32x1xf32> -> tensor<4x32x16xf32>
  %br1 = tg.reshape %b1 : tensor<4x16xf32> -> tensor<4x1x16xf32>
  %be1 = tg.expand %br1 : tensor<4x1x16xf32> -> tensor<4x32x16xf32>
  %p1 = tg.mul %ae1, %be1 : tensor<4x32x16xf32>
  %s1 = tg.add %s2, %p1 : tensor<4x32x16xf32>
  %r = tg.reduce add %s1 axes [0] : tensor<4x32x16xf32> -> tensor<1x32x16xf32>
  %q0 = tg.reshape %a0 : tensor<4x32xf32> -> tensor<1x4x32xf32>
  %z0 = tg.pad %q0 low [0, 0, 0] high [8, 0, 0] : tensor<1x4x32xf32> -> tensor<9x4x32xf32>
  %q1 = tg.reshape %a1 : tensor<4x32xf32> -> tensor<1x4x32xf32>
  %z1 = tg.pad %q1 low [1, 0, 0] high [7, 0, 0] : tensor<1x4x32xf32> -> tensor<9x4x32xf32>
  %q2 = tg.reshape %a2 : tensor<4x32xf32> -> tensor<1x4x32xf32>
  %z2 = tg.pad %q2 low [2, 0, 0] high [6, 0, 0] : tensor<1x4x32xf32> -> tensor<9x4x32xf32>
  %q3 = tg.reshape %a3 : tensor<4x32xf32> -> tensor<1x4x32xf32>
  %z3 = tg.pad %q3 low [3, 0, 0] high [5, 0, 0] : tensor<1x4x32xf32> -> tensor<9x4x32xf32>
  %q4 = tg.reshape %a4 : tensor<4x32xf32> -> tensor<1x4x32xf32>
  %z4 = tg.pad %q4 low [4, 0, 0] high [4, 0, 0] : tensor<1x4x32xf32> -> tensor<9x4x32xf32>
  %q5 = tg.reshape %a5 : tensor<4x32xf32> -> tensor<1x4x32xf32>
  %z5 = tg.pad %q5 low [5, 0, 0] high [3, 0, 0] : tensor<1x4x32xf32> -> tensor<9x4x32xf32>
  %q6 = tg.reshape %a6 : tensor<4x32xf32> -> tensor<1x4x32xf32>
  %z6 = tg.pad %q6 low [6, 0, 0] high [2, 0, 0] : tensor<1x4x32xf32> -> tensor<9x4x32xf32>
  %q7 = tg.reshape %a7 : tensor<4x32xf32> -> tensor<1x4x32xf32>
  %z7 = tg.pad %q7 low [7, 0, 0] high [1, 0, 0] : tensor<1x4x32xf32> -> tensor<9x4x32xf32>
  %q8 = tg.reshape %a8 : tensor<4x32xf32> -> tensor<1x4x32xf32>
  %z8 = tg.pad %q8 low [8, 0, 0] high [0, 0, 0] : tensor<1x4x32xf32> -> tensor<9x4x32xf32>
  %t1 = tg.add %z0, %z1 : tensor<9x4x32xf32>
  %t2 = tg.add %t1, %z2 : tensor<9x4x32xf32>
  %t3 = tg.add %t2, %z3 : tensor<9x4x32xf32>
  %t4 = tg.add %t3, %z4 : tensor<9x4x32xf32>
  %t5 = tg.add %t4, %z5 : tensor<9x4x32xf32>
  %t6 = tg.add %t5, %z6 : tensor<9x4x32xf32>
  %t7 = tg.add %t6, %z7 : tensor<9x4x32xf32>
  %t8 = tg.add %t7, %z8 : tensor<9x4x32xf32>
  %c = tg.contiguous %t8 : tensor<9x4x32xf32>
  return %c, %r : tensor<9x4x32xf32>, tensor<1x32x16xf32>
}
