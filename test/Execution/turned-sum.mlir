// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// Reductions along both axes of a matrix and another one transposed, which is
// turned in registers: of rows and columns that do not fill squares.
func.func @main() -> (tensor<1x1xf32>, tensor<1x1xi32>, tensor<1x1xf64>, tensor<1x1xi8>, tensor<1x1xf16>) {
  %i = tg.iota 0 : tensor<37x50xi32>
  %j = tg.iota 1 : tensor<37x50xi32>
  %c7 = tg.const(7 : i32) : tensor<37x50xi32>
  %c3 = tg.const(3 : i32) : tensor<37x50xi32>
  %c11 = tg.const(11 : i32) : tensor<37x50xi32>
  %0 = tg.mul %i, %c7 : tensor<37x50xi32>
  %1 = tg.mul %j, %c3 : tensor<37x50xi32>
  %2 = tg.add %0, %1 : tensor<37x50xi32>
  %x0 = tg.floormod %2, %c11 : tensor<37x50xi32>
  %k = tg.iota 0 : tensor<50x37xi32>
  %l = tg.iota 1 : tensor<50x37xi32>
  %c5 = tg.const(5 : i32) : tensor<50x37xi32>
  %c13 = tg.const(13 : i32) : tensor<50x37xi32>
  %3 = tg.mul %k, %c5 : tensor<50x37xi32>
  %4 = tg.add %3, %l : tensor<50x37xi32>
  %y0 = tg.floormod %4, %c13 : tensor<50x37xi32>
  %x1_ = tg.cast %x0 : tensor<37x50xi32> -> tensor<37x50xf32>
  %y1_ = tg.cast %y0 : tensor<50x37xi32> -> tensor<50x37xf32>
  %x1 = tg.contiguous %x1_ : tensor<37x50xf32>
  %y1 = tg.contiguous %y1_ : tensor<50x37xf32>
  %t1 = tg.permute %y1 [1, 0] : tensor<50x37xf32> -> tensor<37x50xf32>
  %p1 = tg.mul %x1, %t1 : tensor<37x50xf32>
  %r1 = tg.reduce add %p1 axes [0, 1] : tensor<37x50xf32> -> tensor<1x1xf32>
  %x2 = tg.contiguous %x0 : tensor<37x50xi32>
  %y2 = tg.contiguous %y0 : tensor<50x37xi32>
  %t2 = tg.permute %y2 [1, 0] : tensor<50x37xi32> -> tensor<37x50xi32>
  %p2 = tg.mul %x2, %t2 : tensor<37x50xi32>
  %r2 = tg.reduce add %p2 axes [0, 1] : tensor<37x50xi32> -> tensor<1x1xi32>
  %x3_ = tg.cast %x0 : tensor<37x50xi32> -> tensor<37x50xf64>
  %y3_ = tg.cast %y0 : tensor<50x37xi32> -> tensor<50x37xf64>
  %x3 = tg.contiguous %x3_ : tensor<37x50xf64>
  %y3 = tg.contiguous %y3_ : tensor<50x37xf64>
  %t3 = tg.permute %y3 [1, 0] : tensor<50x37xf64> -> tensor<37x50xf64>
  %p3 = tg.sub %x3, %t3 : tensor<37x50xf64>
  %r3 = tg.reduce max %p3 axes [0, 1] : tensor<37x50xf64> -> tensor<1x1xf64>
  %x4_ = tg.cast %x0 : tensor<37x50xi32> -> tensor<37x50xi8>
  %y4_ = tg.cast %y0 : tensor<50x37xi32> -> tensor<50x37xi8>
  %x4 = tg.contiguous %x4_ : tensor<37x50xi8>
  %y4 = tg.contiguous %y4_ : tensor<50x37xi8>
  %t4 = tg.permute %y4 [1, 0] : tensor<50x37xi8> -> tensor<37x50xi8>
  %p4 = tg.mul %x4, %t4 : tensor<37x50xi8>
  %r4 = tg.reduce add %p4 axes [0, 1] : tensor<37x50xi8> -> tensor<1x1xi8>
  %x5_ = tg.cast %x0 : tensor<37x50xi32> -> tensor<37x50xf16>
  %y5_ = tg.cast %y0 : tensor<50x37xi32> -> tensor<50x37xf16>
  %x5 = tg.contiguous %x5_ : tensor<37x50xf16>
  %y5 = tg.contiguous %y5_ : tensor<50x37xf16>
  %t5 = tg.permute %y5 [1, 0] : tensor<50x37xf16> -> tensor<37x50xf16>
  %p5 = tg.sub %x5, %t5 : tensor<37x50xf16>
  %r5 = tg.reduce max %p5 axes [0, 1] : tensor<37x50xf16> -> tensor<1x1xf16>
  return %r1, %r2, %r3, %r4, %r5 : tensor<1x1xf32>, tensor<1x1xi32>, tensor<1x1xf64>, tensor<1x1xi8>, tensor<1x1xf16>
}

// CHECK: result 0: tensor<1x1xf32> = {{\[\[}}55704]]
// CHECK-NEXT: result 1: tensor<1x1xi32> = {{\[\[}}55704]]
// CHECK-NEXT: result 2: tensor<1x1xf64> = {{\[\[}}10]]
// CHECK-NEXT: result 3: tensor<1x1xi8> = {{\[\[}}-104]]
// CHECK-NEXT: result 4: tensor<1x1xf16> = {{\[\[}}10]]
