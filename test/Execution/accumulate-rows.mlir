// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// Reductions down the columns of matrices of 32 MiB, whose results are kept in
// memory: sums and the greatest elements in one kernel, with rows behind the
// last part and columns that do not fill vectors; of long rows in pieces, and of
// 64-bit integers. Numbers are small, so that the order of additions does not
// matter. Of each row of results, one number is printed that depends on the
// places of all of them.
// CHECK: result 0: tensor<1x1xi64> = {{\[\[}}487222317921]]
// CHECK-NEXT: result 1: tensor<1x1xi64> = {{\[\[}}893165580]]
// CHECK-NEXT: result 2: tensor<1x1xi64> = {{\[\[}}1959922906963]]
// CHECK-NEXT: result 3: tensor<1x1xi64> = {{\[\[}}128817667916]]
func.func @main() -> (tensor<1x1xi64>, tensor<1x1xi64>, tensor<1x1xi64>, tensor<1x1xi64>) {
  %i1 = tg.iota 0 : tensor<1091x7717xi32>
  %j1 = tg.iota 1 : tensor<1091x7717xi32>
  %a1 = tg.const(7 : i32) : tensor<1091x7717xi32>
  %b1 = tg.const(31 : i32) : tensor<1091x7717xi32>
  %ai1 = tg.mul %i1, %a1 : tensor<1091x7717xi32>
  %s1 = tg.add %ai1, %j1 : tensor<1091x7717xi32>
  %m1 = tg.floormod %s1, %b1 : tensor<1091x7717xi32>
  %c1 = tg.cast %m1 : tensor<1091x7717xi32> -> tensor<1091x7717xf32>
  %x1 = tg.contiguous %c1 : tensor<1091x7717xf32>
  %r1 = tg.reduce add %x1 axes [0] : tensor<1091x7717xf32> -> tensor<1x7717xf32>
  %r2 = tg.reduce max %x1 axes [0] : tensor<1091x7717xf32> -> tensor<1x7717xf32>
  %l1 = tg.cast %r1 : tensor<1x7717xf32> -> tensor<1x7717xi64>
  %w1 = tg.iota 1 : tensor<1x7717xi64>
  %p1 = tg.mul %l1, %w1 : tensor<1x7717xi64>
  %o1 = tg.reduce add %p1 axes [1] : tensor<1x7717xi64> -> tensor<1x1xi64>
  %l2 = tg.cast %r2 : tensor<1x7717xf32> -> tensor<1x7717xi64>
  %w2 = tg.iota 1 : tensor<1x7717xi64>
  %p2 = tg.mul %l2, %w2 : tensor<1x7717xi64>
  %o2 = tg.reduce add %p2 axes [1] : tensor<1x7717xi64> -> tensor<1x1xi64>
  %i3 = tg.iota 0 : tensor<270x31111xi32>
  %j3 = tg.iota 1 : tensor<270x31111xi32>
  %a3 = tg.const(7 : i32) : tensor<270x31111xi32>
  %b3 = tg.const(31 : i32) : tensor<270x31111xi32>
  %ai3 = tg.mul %i3, %a3 : tensor<270x31111xi32>
  %s3 = tg.add %ai3, %j3 : tensor<270x31111xi32>
  %m3 = tg.floormod %s3, %b3 : tensor<270x31111xi32>
  %c3 = tg.cast %m3 : tensor<270x31111xi32> -> tensor<270x31111xf32>
  %x3 = tg.contiguous %c3 : tensor<270x31111xf32>
  %r3 = tg.reduce add %x3 axes [0] : tensor<270x31111xf32> -> tensor<1x31111xf32>
  %l3 = tg.cast %r3 : tensor<1x31111xf32> -> tensor<1x31111xi64>
  %w3 = tg.iota 1 : tensor<1x31111xi64>
  %p3 = tg.mul %l3, %w3 : tensor<1x31111xi64>
  %o3 = tg.reduce add %p3 axes [1] : tensor<1x31111xi64> -> tensor<1x1xi64>
  %i4 = tg.iota 0 : tensor<1024x4096xi32>
  %j4 = tg.iota 1 : tensor<1024x4096xi32>
  %a4 = tg.const(7 : i32) : tensor<1024x4096xi32>
  %b4 = tg.const(31 : i32) : tensor<1024x4096xi32>
  %ai4 = tg.mul %i4, %a4 : tensor<1024x4096xi32>
  %s4 = tg.add %ai4, %j4 : tensor<1024x4096xi32>
  %m4 = tg.floormod %s4, %b4 : tensor<1024x4096xi32>
  %c4 = tg.cast %m4 : tensor<1024x4096xi32> -> tensor<1024x4096xi64>
  %x4 = tg.contiguous %c4 : tensor<1024x4096xi64>
  %r4 = tg.reduce add %x4 axes [0] : tensor<1024x4096xi64> -> tensor<1x4096xi64>
  %l4 = tg.cast %r4 : tensor<1x4096xi64> -> tensor<1x4096xi64>
  %w4 = tg.iota 1 : tensor<1x4096xi64>
  %p4 = tg.mul %l4, %w4 : tensor<1x4096xi64>
  %o4 = tg.reduce add %p4 axes [1] : tensor<1x4096xi64> -> tensor<1x1xi64>
  return %o1, %o2, %o3, %o4 : tensor<1x1xi64>, tensor<1x1xi64>, tensor<1x1xi64>, tensor<1x1xi64>
}
