// The minimum of 129 reversed bytes: a vector of 64 of which one lane is left,
// after an operation with a constant. LLVM 22 does not end selecting instructions
// of processors with AVX-512 VBMI for that, unless one shuffle both reverses and
// replaces the lanes.

// RUN: tg-compile %s --target=cpu:x86_64:icelake-server --emit=llvm \
// RUN:   | FileCheck %s
// RUN: env DEV=CPU tg-run %s --random-inputs > %t
// RUN: tg-run %s --random-inputs --interpret | diff - %t

// CHECK: %[[X:.*]] = xor <64 x i8> %{{.*}}, <i8 poison, {{.*}} i8 -1>
// CHECK-NEXT: shufflevector <64 x i8> %[[X]], <64 x i8> <{{.*}} i8 0>, <64 x i32> <i32 63, i32 65,
func.func @main(%x: tensor<129xui8>) -> tensor<1xui8> {
  %ones = tg.const(255 : ui8) : tensor<129xui8>
  %0 = tg.flip %x axes [0] : tensor<129xui8>
  %1 = tg.xor %0, %ones : tensor<129xui8>
  %2 = tg.reduce max %1 axes [0] : tensor<129xui8> -> tensor<1xui8>
  return %2 : tensor<1xui8>
}
