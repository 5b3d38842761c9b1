// Every operation and every variant of its assembly survives printing and
// parsing, in the custom and the generic form, and a trip through bytecode.

// RUN: tg-opt %s | FileCheck %s
// RUN: tg-opt %s | tg-opt | FileCheck %s
// RUN: tg-opt --mlir-print-op-generic %s | tg-opt | FileCheck %s
// RUN: tg-opt --emit-bytecode %s | tg-opt | FileCheck %s
// RUN: tg-opt --emit-bytecode %s | tg-opt --emit-bytecode | tg-opt --mlir-print-op-generic | FileCheck --check-prefix=GENERIC %s

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @unary
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xf32>
func.func @unary(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: tg.neg %[[X]] : tensor<4xf32>
  %0 = tg.neg %x : tensor<4xf32>
  // CHECK-NEXT: tg.recip %[[X]] : tensor<4xf32>
  %1 = tg.recip %x : tensor<4xf32>
  // CHECK-NEXT: tg.sqrt %[[X]] : tensor<4xf32>
  %2 = tg.sqrt %x : tensor<4xf32>
  // CHECK-NEXT: tg.exp2 %[[X]] : tensor<4xf32>
  %3 = tg.exp2 %x : tensor<4xf32>
  // CHECK-NEXT: tg.exp %[[X]] : tensor<4xf32>
  %4 = tg.exp %x : tensor<4xf32>
  // CHECK-NEXT: tg.expm1 %[[X]] : tensor<4xf32>
  %5 = tg.expm1 %x : tensor<4xf32>
  // CHECK-NEXT: tg.log2 %[[X]] : tensor<4xf32>
  %6 = tg.log2 %x : tensor<4xf32>
  // CHECK-NEXT: tg.log %[[X]] : tensor<4xf32>
  %7 = tg.log %x : tensor<4xf32>
  // CHECK-NEXT: tg.log1p %[[X]] : tensor<4xf32>
  %8 = tg.log1p %x : tensor<4xf32>
  // CHECK-NEXT: tg.sin %[[X]] : tensor<4xf32>
  %9 = tg.sin %x : tensor<4xf32>
  // CHECK-NEXT: tg.cos %[[X]] : tensor<4xf32>
  %10 = tg.cos %x : tensor<4xf32>
  // CHECK-NEXT: tg.tan %[[X]] : tensor<4xf32>
  %11 = tg.tan %x : tensor<4xf32>
  // CHECK-NEXT: tg.asin %[[X]] : tensor<4xf32>
  %12 = tg.asin %x : tensor<4xf32>
  // CHECK-NEXT: tg.acos %[[X]] : tensor<4xf32>
  %13 = tg.acos %x : tensor<4xf32>
  // CHECK-NEXT: tg.atan %[[X]] : tensor<4xf32>
  %14 = tg.atan %x : tensor<4xf32>
  // CHECK-NEXT: tg.tanh %[[X]] : tensor<4xf32>
  %15 = tg.tanh %x : tensor<4xf32>
  // CHECK-NEXT: tg.erf %[[X]] : tensor<4xf32>
  %16 = tg.erf %x : tensor<4xf32>
  // CHECK-NEXT: tg.trunc %[[X]] : tensor<4xf32>
  %17 = tg.trunc %x : tensor<4xf32>
  // CHECK-NEXT: tg.neg %[[X]] {note = "kept"} : tensor<4xf32>
  // GENERIC: "tg.neg"(%{{.*}}) {note = "kept"} : (tensor<4xf32>) -> tensor<4xf32>
  %18 = tg.neg %x {note = "kept"} : tensor<4xf32>
  return %18 : tensor<4xf32>
}

// CHECK-LABEL: func @casts
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[S:[a-z0-9]+]]: f32, %[[N:[a-z0-9]+]]: index
func.func @casts(%x: tensor<4xf32>, %s: f32, %n: index) {
  // CHECK-NEXT: tg.cast %[[X]] : tensor<4xf32> -> tensor<4xui8>
  %0 = tg.cast %x : tensor<4xf32> -> tensor<4xui8>
  // CHECK-NEXT: tg.cast %[[X]] : tensor<4xf32> -> tensor<4xi1>
  %1 = tg.cast %x : tensor<4xf32> -> tensor<4xi1>
  // CHECK-NEXT: tg.cast %[[X]] : tensor<4xf32> -> tensor<4xf8E4M3FN>
  %2 = tg.cast %x : tensor<4xf32> -> tensor<4xf8E4M3FN>
  // CHECK-NEXT: tg.cast %[[X]] : tensor<4xf32> -> tensor<4xf8E5M2FNUZ>
  %3 = tg.cast %x : tensor<4xf32> -> tensor<4xf8E5M2FNUZ>
  // CHECK-NEXT: tg.cast %[[S]] : f32 -> bf16
  %4 = tg.cast %s : f32 -> bf16
  // CHECK-NEXT: tg.cast %[[N]] : index -> ui32
  %5 = tg.cast %n : index -> ui32
  // CHECK-NEXT: tg.bitcast %[[X]] : tensor<4xf32> -> tensor<4xui32>
  %6 = tg.bitcast %x : tensor<4xf32> -> tensor<4xui32>
  // CHECK-NEXT: tg.bitcast %{{.*}} : tensor<4xf8E4M3FN> -> tensor<4xi8>
  %7 = tg.bitcast %2 : tensor<4xf8E4M3FN> -> tensor<4xi8>
  // CHECK-NEXT: tg.bitcast %[[S]] : f32 -> i32
  %8 = tg.bitcast %s : f32 -> i32
  return
}

// CHECK-LABEL: func @binary_float
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<2x3xf16>, %[[B:[a-z0-9]+]]: tensor<2x3xf16>
func.func @binary_float(%a: tensor<2x3xf16>, %b: tensor<2x3xf16>) {
  // CHECK-NEXT: tg.add %[[A]], %[[B]] : tensor<2x3xf16>
  %0 = tg.add %a, %b : tensor<2x3xf16>
  // CHECK-NEXT: tg.sub %[[A]], %[[B]] : tensor<2x3xf16>
  %1 = tg.sub %a, %b : tensor<2x3xf16>
  // CHECK-NEXT: tg.mul %[[A]], %[[B]] : tensor<2x3xf16>
  %2 = tg.mul %a, %b : tensor<2x3xf16>
  // CHECK-NEXT: tg.fdiv %[[A]], %[[B]] : tensor<2x3xf16>
  %3 = tg.fdiv %a, %b : tensor<2x3xf16>
  // CHECK-NEXT: tg.max %[[A]], %[[B]] : tensor<2x3xf16>
  %4 = tg.max %a, %b : tensor<2x3xf16>
  // CHECK-NEXT: tg.pow %[[A]], %[[B]] : tensor<2x3xf16>
  %5 = tg.pow %a, %b : tensor<2x3xf16>
  // CHECK-NEXT: tg.mulacc %[[A]], %[[B]], %[[A]] : tensor<2x3xf16>
  %6 = tg.mulacc %a, %b, %a : tensor<2x3xf16>
  return
}

// CHECK-LABEL: func @binary_int
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<ui64>, %[[B:[a-z0-9]+]]: tensor<ui64>
func.func @binary_int(%a: tensor<ui64>, %b: tensor<ui64>) {
  // CHECK-NEXT: tg.idiv %[[A]], %[[B]] : tensor<ui64>
  %0 = tg.idiv %a, %b : tensor<ui64>
  // CHECK-NEXT: tg.floordiv %[[A]], %[[B]] : tensor<ui64>
  %1 = tg.floordiv %a, %b : tensor<ui64>
  // CHECK-NEXT: tg.mod %[[A]], %[[B]] : tensor<ui64>
  %2 = tg.mod %a, %b : tensor<ui64>
  // CHECK-NEXT: tg.floormod %[[A]], %[[B]] : tensor<ui64>
  %3 = tg.floormod %a, %b : tensor<ui64>
  // CHECK-NEXT: tg.and %[[A]], %[[B]] : tensor<ui64>
  %4 = tg.and %a, %b : tensor<ui64>
  // CHECK-NEXT: tg.or %[[A]], %[[B]] : tensor<ui64>
  %5 = tg.or %a, %b : tensor<ui64>
  // CHECK-NEXT: tg.xor %[[A]], %[[B]] : tensor<ui64>
  %6 = tg.xor %a, %b : tensor<ui64>
  // CHECK-NEXT: tg.shl %[[A]], %[[B]] : tensor<ui64>
  %7 = tg.shl %a, %b : tensor<ui64>
  // CHECK-NEXT: tg.shr %[[A]], %[[B]] : tensor<ui64>
  %8 = tg.shr %a, %b : tensor<ui64>
  // CHECK-NEXT: tg.threefry %[[A]], %[[B]] : tensor<ui64>
  %9 = tg.threefry %a, %b : tensor<ui64>
  // CHECK-NEXT: tg.mulacc %[[A]], %[[B]], %[[A]] : tensor<ui64>
  %10 = tg.mulacc %a, %b, %a : tensor<ui64>
  return
}

// CHECK-LABEL: func @bool
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<4xi1>, %[[B:[a-z0-9]+]]: tensor<4xi1>
func.func @bool(%a: tensor<4xi1>, %b: tensor<4xi1>) {
  // CHECK-NEXT: tg.add %[[A]], %[[B]] : tensor<4xi1>
  %0 = tg.add %a, %b : tensor<4xi1>
  // CHECK-NEXT: tg.mul %[[A]], %[[B]] : tensor<4xi1>
  %1 = tg.mul %a, %b : tensor<4xi1>
  // CHECK-NEXT: tg.max %[[A]], %[[B]] : tensor<4xi1>
  %2 = tg.max %a, %b : tensor<4xi1>
  // CHECK-NEXT: tg.and %[[A]], %[[B]] : tensor<4xi1>
  %3 = tg.and %a, %b : tensor<4xi1>
  // CHECK-NEXT: tg.cmplt %[[A]], %[[B]] : tensor<4xi1>
  %4 = tg.cmplt %a, %b : tensor<4xi1>
  return
}

// CHECK-LABEL: func @compare_and_select
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<4xf64>, %[[B:[a-z0-9]+]]: tensor<4xf64>
func.func @compare_and_select(%a: tensor<4xf64>, %b: tensor<4xf64>) -> tensor<4xi1> {
  // CHECK-NEXT: %[[C:.*]] = tg.cmplt %[[A]], %[[B]] : tensor<4xf64>
  // GENERIC: "tg.cmplt"(%{{.*}}) : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
  %c = tg.cmplt %a, %b : tensor<4xf64>
  // CHECK-NEXT: tg.cmpeq %[[A]], %[[B]] : tensor<4xf64>
  %0 = tg.cmpeq %a, %b : tensor<4xf64>
  // CHECK-NEXT: tg.cmpne %[[A]], %[[B]] : tensor<4xf64>
  %1 = tg.cmpne %a, %b : tensor<4xf64>
  // CHECK-NEXT: tg.where %[[C]], %[[A]], %[[B]] : tensor<4xf64>
  // GENERIC: "tg.where"(%{{.*}}) : (tensor<4xi1>, tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %2 = tg.where %c, %a, %b : tensor<4xf64>
  // CHECK-NEXT: tg.where %[[C]], %[[A]], %[[B]] {note} : tensor<4xf64>
  %3 = tg.where %c, %a, %b {note} : tensor<4xf64>
  return %c : tensor<4xi1>
}

// CHECK-LABEL: func @fp8_is_storage
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2xf8E5M2>, %[[C:[a-z0-9]+]]: tensor<2xi1>
func.func @fp8_is_storage(%x: tensor<2xf8E5M2>, %c: tensor<2xi1>) {
  // CHECK-NEXT: tg.where %[[C]], %[[X]], %[[X]] : tensor<2xf8E5M2>
  %0 = tg.where %c, %x, %x : tensor<2xf8E5M2>
  // CHECK-NEXT: tg.pad %[[X]] low [1] high [0] : tensor<2xf8E5M2> -> tensor<3xf8E5M2>
  %1 = tg.pad %x low [1] high [0] : tensor<2xf8E5M2> -> tensor<3xf8E5M2>
  // CHECK-NEXT: tg.copy %[[X]] to "CPU" : tensor<2xf8E5M2>
  %2 = tg.copy %x to "CPU" : tensor<2xf8E5M2>
  return
}

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @constants
func.func @constants() {
  // CHECK-NEXT: tg.const(1.000000e+00 : f32) : tensor<4x4xf32>
  %0 = tg.const(1.0 : f32) : tensor<4x4xf32>
  // CHECK-NEXT: tg.const(dense<[1, 2]> : tensor<2xi32>) : tensor<2xi32>
  %1 = tg.const(dense<[1, 2]> : tensor<2xi32>) : tensor<2xi32>
  // CHECK-NEXT: tg.const(dense<[1, 255]> : tensor<2xui8>) : tensor<2xui8>
  %2 = tg.const(dense<[1, 255]> : tensor<2xui8>) : tensor<2xui8>
  // CHECK-NEXT: tg.const(true) : tensor<4xi1>
  %3 = tg.const(true) : tensor<4xi1>
  // CHECK-NEXT: tg.const(7 : index) : index
  %4 = tg.const(7 : index) : index
  // CHECK-NEXT: tg.const(-1 : i64) : i64
  %5 = tg.const(-1 : i64) : i64
  // CHECK-NEXT: tg.const(0xFFC00000 : f32) : f32
  %6 = tg.const(0xFFC00000 : f32) : f32
  // CHECK-NEXT: tg.const(-0.000000e+00 : bf16) : tensor<bf16>
  %7 = tg.const(-0.0 : bf16) : tensor<bf16>
  // CHECK-NEXT: tg.const(1.500000e+00 : f8E4M3FN) : tensor<2xf8E4M3FN>
  %8 = tg.const(1.5 : f8E4M3FN) : tensor<2xf8E4M3FN>
  // CHECK-NEXT: tg.const(dense<> : tensor<0x3xf32>) : tensor<0x3xf32>
  %9 = tg.const(dense<> : tensor<0x3xf32>) : tensor<0x3xf32>
  // CHECK-NEXT: tg.const(1.000000e+00 : f32) : vector<4xf32>
  %10 = tg.const(1.0 : f32) : vector<4xf32>
  // CHECK-NEXT: tg.iota 1 : tensor<2x5xf32>
  %11 = tg.iota 1 : tensor<2x5xf32>
  // CHECK-NEXT: tg.iota 0 : tensor<300xui8>
  %12 = tg.iota 0 : tensor<300xui8>
  return
}

//===----------------------------------------------------------------------===//
// Reduce and movement
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @reduce
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x8xf32>
func.func @reduce(%x: tensor<4x8xf32>, %b: tensor<4xi1>) {
  // CHECK-NEXT: tg.reduce add %[[X]] axes [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %0 = tg.reduce add %x axes [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  // CHECK-NEXT: tg.reduce mul %[[X]] axes [0, 1] : tensor<4x8xf32> -> tensor<1x1xf32>
  %1 = tg.reduce mul %x axes [0, 1] : tensor<4x8xf32> -> tensor<1x1xf32>
  // CHECK-NEXT: tg.reduce max %[[X]] axes [] : tensor<4x8xf32> -> tensor<4x8xf32>
  %2 = tg.reduce max %x axes [] : tensor<4x8xf32> -> tensor<4x8xf32>
  // CHECK-NEXT: tg.reduce max %{{.*}} axes [0] : tensor<4xi1> -> tensor<1xi1>
  %3 = tg.reduce max %b axes [0] : tensor<4xi1> -> tensor<1xi1>
  return
}

// CHECK-LABEL: func @movement
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x6xf32>, %[[Y:[a-z0-9]+]]: tensor<4x1xf32>, %[[S:[a-z0-9]+]]: tensor<f32>
func.func @movement(%x: tensor<4x6xf32>, %y: tensor<4x1xf32>, %s: tensor<f32>) {
  // CHECK-NEXT: tg.reshape %[[X]] : tensor<4x6xf32> -> tensor<2x12xf32>
  %0 = tg.reshape %x : tensor<4x6xf32> -> tensor<2x12xf32>
  // CHECK-NEXT: tg.reshape %[[S]] : tensor<f32> -> tensor<1x1xf32>
  %1 = tg.reshape %s : tensor<f32> -> tensor<1x1xf32>
  // CHECK-NEXT: tg.permute %[[X]] [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
  %2 = tg.permute %x [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
  // CHECK-NEXT: tg.permute %[[S]] [] : tensor<f32> -> tensor<f32>
  %3 = tg.permute %s [] : tensor<f32> -> tensor<f32>
  // CHECK-NEXT: tg.expand %[[Y]] : tensor<4x1xf32> -> tensor<4x6xf32>
  %4 = tg.expand %y : tensor<4x1xf32> -> tensor<4x6xf32>
  // CHECK-NEXT: tg.expand %[[Y]] : tensor<4x1xf32> -> tensor<4x0xf32>
  %5 = tg.expand %y : tensor<4x1xf32> -> tensor<4x0xf32>
  // CHECK-NEXT: tg.pad %[[X]] low [0, 1] high [2, 0] : tensor<4x6xf32> -> tensor<6x7xf32>
  %6 = tg.pad %x low [0, 1] high [2, 0] : tensor<4x6xf32> -> tensor<6x7xf32>
  // CHECK-NEXT: tg.shrink %[[X]] from [0, 2] to [4, 5] : tensor<4x6xf32> -> tensor<4x3xf32>
  %7 = tg.shrink %x from [0, 2] to [4, 5] : tensor<4x6xf32> -> tensor<4x3xf32>
  // CHECK-NEXT: tg.shrink %[[X]] from [2, 0] to [2, 6] : tensor<4x6xf32> -> tensor<0x6xf32>
  %8 = tg.shrink %x from [2, 0] to [2, 6] : tensor<4x6xf32> -> tensor<0x6xf32>
  // CHECK-NEXT: tg.flip %[[X]] axes [0, 1] : tensor<4x6xf32>
  %9 = tg.flip %x axes [0, 1] : tensor<4x6xf32>
  return
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @buffers
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x4xf32>
func.func @buffers(%x: tensor<4x4xf32>, %half: tensor<2x8xf32>) {
  // CHECK-NEXT: %[[B:.*]] = tg.buffer 3 on "CPU" : tensor<4x4xf32>
  %0 = tg.buffer 3 on "CPU" : tensor<4x4xf32>
  // CHECK-NEXT: tg.copy %[[X]] to "CUDA:1" : tensor<4x4xf32>
  %1 = tg.copy %x to "CUDA:1" : tensor<4x4xf32>
  // CHECK-NEXT: tg.contiguous %[[X]] : tensor<4x4xf32>
  %2 = tg.contiguous %x : tensor<4x4xf32>
  // CHECK-NEXT: tg.detach %[[X]] : tensor<4x4xf32>
  %3 = tg.detach %x : tensor<4x4xf32>
  // CHECK-NEXT: tg.with_derivative %[[X]] of %[[X]] by %[[X]] : tensor<4x4xf32>
  %given = tg.with_derivative %x of %x by %x : tensor<4x4xf32>
  // CHECK-NEXT: %[[A:.*]] = tg.assign %[[B]], %[[X]] : tensor<4x4xf32>
  %4 = tg.assign %0, %x : tensor<4x4xf32>
  // CHECK-NEXT: tg.assign %[[A]], %[[X]] : tensor<4x4xf32>
  %5 = tg.assign %4, %x : tensor<4x4xf32>
  // CHECK-NEXT: tg.reshape
  %6 = tg.reshape %x : tensor<4x4xf32> -> tensor<2x8xf32>
  // CHECK-NEXT: tg.flip
  %7 = tg.flip %6 axes [1] : tensor<2x8xf32>
  // CHECK-NEXT: tg.assign %{{.*}}, %{{.*}} : tensor<2x8xf32>
  %8 = tg.assign %7, %half : tensor<2x8xf32>
  return
}

// CHECK-LABEL: func @contents_at_a_time
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xf32>
func.func @contents_at_a_time(%x: tensor<4xf32>, %y: tensor<2xf32>) {
  // CHECK-NEXT: tg.after %[[X]] : tensor<4xf32>
  %0 = tg.after %x : tensor<4xf32>
  %1 = tg.shrink %x from [0] to [2] : tensor<4xf32> -> tensor<2xf32>
  // CHECK: %[[A:.*]] = tg.assign
  %2 = tg.assign %1, %y : tensor<2xf32>
  // CHECK-NEXT: tg.after %[[X]][%[[A]] : tensor<2xf32>] : tensor<4xf32>
  %3 = tg.after %x[%2 : tensor<2xf32>] : tensor<4xf32>
  return
}

//===----------------------------------------------------------------------===//
// Host program and kernels
//===----------------------------------------------------------------------===//

// CHECK-LABEL: tg.kernel @E_16
// CHECK-SAME: (%[[OUT:[a-z0-9]+]]: memref<16xf32>, %[[IN:[a-z0-9]+]]: memref<16xf32>) attributes {outputs = 1 : i64} {
tg.kernel @E_16(%out: memref<16xf32>, %a: memref<16xf32>) attributes {outputs = 1 : i64} {
  // CHECK-NEXT: %[[I:.*]] = tg.range 0 loop 16
  %i = tg.range 0 loop 16
  // CHECK-NEXT: %[[V:.*]] = tg.load %[[IN]][%[[I]]] : memref<16xf32>
  %x = tg.load %a[%i] : memref<16xf32>
  // CHECK-NEXT: tg.neg %[[V]] : f32
  %y = tg.neg %x : f32
  // CHECK-NEXT: tg.store %{{.*}}, %[[OUT]][%[[I]]] : memref<16xf32>
  tg.store %y, %out[%i] : memref<16xf32>
}

// CHECK-LABEL: tg.kernel @hints
tg.kernel @hints(%out: memref<16xf32>, %a: memref<16xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 16
  // CHECK: tg.load %{{.*}}[%{{.*}}] prefetch 64 : memref<16xf32>
  %x = tg.load %a[%i] prefetch 64 : memref<16xf32>
  // CHECK-NEXT: tg.store %{{.*}}, %{{.*}}[%{{.*}}] nontemporal : memref<16xf32>
  tg.store %x, %out[%i] nontemporal : memref<16xf32>
  // CHECK-NEXT: tg.store %{{.*}}, %{{.*}}[%{{.*}}] prefetch 16 : memref<16xf32>
  tg.store %x, %out[%i] prefetch 16 : memref<16xf32>
}

// CHECK-LABEL: tg.kernel @in_place
// CHECK-SAME: attributes {in_place, outputs = 1 : i64}
tg.kernel @in_place(%out: memref<16xf32>) attributes {in_place, outputs = 1 : i64} {
  %i = tg.range 0 thread 16
  %x = tg.load %out[%i] : memref<16xf32>
  tg.store %x, %out[%i] : memref<16xf32>
}

// CHECK-LABEL: tg.kernel @empty
// CHECK-NEXT: {{^  }}}
tg.kernel @empty() attributes {outputs = 0 : i64} {
}

// CHECK-LABEL: tg.kernel @all_kinds
tg.kernel @all_kinds(%out: memref<1xf32>, %a: memref<33xf32>) attributes {outputs = 1 : i64} {
  // CHECK-NEXT: tg.range 0 loop 33 peel 1
  %0 = tg.range 0 loop 33 peel 1
  // CHECK-NEXT: tg.range 1 thread 4 peel 2
  %1 = tg.range 1 thread 4 peel 2
  // CHECK-NEXT: tg.range 2 global 4
  %2 = tg.range 2 global 4
  // CHECK-NEXT: tg.range 3 local 4
  %3 = tg.range 3 local 4
  // CHECK-NEXT: tg.range 4 upcast 4
  %4 = tg.range 4 upcast 4
  // CHECK-NEXT: tg.range 5 unroll 4
  %5 = tg.range 5 unroll 4
  // CHECK-NEXT: tg.range 6 group_reduce 4
  %6 = tg.range 6 group_reduce 4
  // CHECK-NEXT: tg.range 7 loop 0
  %7 = tg.range 7 loop 0
}

// CHECK-LABEL: tg.kernel @masks_and_reduces
// CHECK-SAME: (%[[OUT:[a-z0-9]+]]: memref<1xf32>, %[[IN:[a-z0-9]+]]: memref<32xf32>)
tg.kernel @masks_and_reduces(%out: memref<1xf32>, %a: memref<32xf32>) attributes {outputs = 1 : i64} {
  // CHECK-NEXT: %[[I:.*]] = tg.range
  %i = tg.range 0 loop 8
  // CHECK-NEXT: %[[J:.*]] = tg.range
  %j = tg.range 1 loop 5
  %four = tg.const(5 : index) : index
  %k = tg.mul %i, %four : index
  %at = tg.add %k, %j : index
  %size = tg.const(32 : index) : index
  // CHECK: %[[M:.*]] = tg.cmplt %{{.*}}, %{{.*}} : index
  %m = tg.cmplt %at, %size : index
  // CHECK-NEXT: %[[V:.*]] = tg.load %[[IN]][%{{.*}}] mask %[[M]] : memref<32xf32>
  %x = tg.load %a[%at] mask %m : memref<32xf32>
  // CHECK-NEXT: tg.ranged_reduce add %[[V]] over %[[I]], %[[J]] : f32
  %s = tg.ranged_reduce add %x over %i, %j : f32
  // CHECK-NEXT: tg.ranged_reduce max %[[V]] over %[[J]] : f32
  %t = tg.ranged_reduce max %x over %j : f32
  // CHECK-NEXT: tg.ranged_reduce mul %{{.*}} over : f32
  %u = tg.ranged_reduce mul %s over : f32
  %zero = tg.const(0 : index) : index
  %yes = tg.const(true) : i1
  // CHECK: tg.store %{{.*}}, %[[OUT]][%{{.*}}] mask %{{.*}} : memref<1xf32>
  tg.store %u, %out[%zero] mask %yes : memref<1xf32>
}

// CHECK-LABEL: tg.kernel @staged
tg.kernel @staged(%out: memref<32xf32>, %a: memref<32xf32>) attributes {outputs = 1 : i64} {
  %g = tg.range 0 global 2
  %i = tg.range 1 local 16
  %n = tg.const(16 : index) : index
  %base = tg.mul %g, %n : index
  %at = tg.add %base, %i : index
  // CHECK: %[[V:.*]] = tg.load
  %x = tg.load %a[%at] : memref<32xf32>
  // CHECK-NEXT: %[[T:.*]] = tg.stage %[[V]] over %{{.*}} in group : memref<16xf32>
  %t = tg.stage %x over %i in group : memref<16xf32>
  // CHECK-NEXT: %[[B:.*]] = tg.barrier %[[T]] : memref<16xf32>
  %b = tg.barrier %t : memref<16xf32>
  // CHECK-NEXT: tg.load %[[B]][%{{.*}}] : memref<16xf32>
  %y = tg.load %b[%i] : memref<16xf32>
  tg.store %y, %out[%at] : memref<32xf32>
}

// CHECK-LABEL: tg.kernel @staged_by_items
tg.kernel @staged_by_items(%out: memref<16xf32>, %a: memref<16xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 16
  %x = tg.load %a[%i] : memref<16xf32>
  // The memory of a work item is the default.
  // CHECK: tg.stage %{{.*}} over %{{.*}} : memref<16xf32>
  %t = tg.stage %x over %i in item : memref<16xf32>
  %b = tg.barrier %t : memref<16xf32>
  %y = tg.load %b[%i] : memref<16xf32>
  tg.store %y, %out[%i] : memref<16xf32>
}

// CHECK-LABEL: tg.kernel @memory_spaces
// CHECK-SAME: memref<16xf32, 1>, %{{.*}}: memref<16xf32, "constant">
tg.kernel @memory_spaces(%out: memref<16xf32, 1>, %a: memref<16xf32, "constant">) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 16
  // CHECK: tg.load %{{.*}} : memref<16xf32, "constant">
  %x = tg.load %a[%i] : memref<16xf32, "constant">
  // CHECK-NEXT: tg.stage %{{.*}} over %{{.*}} in group : memref<16xf32, 3>
  %t = tg.stage %x over %i in group : memref<16xf32, 3>
  // CHECK-NEXT: tg.barrier %{{.*}} : memref<16xf32, 3>
  %b = tg.barrier %t : memref<16xf32, 3>
  %y = tg.load %b[%i] : memref<16xf32, 3>
  // CHECK: tg.store %{{.*}} : memref<16xf32, 1>
  tg.store %y, %out[%i] : memref<16xf32, 1>
}

// A value may depend on a range that another reduce has closed: the range is
// walked again.
// CHECK-LABEL: tg.kernel @two_passes
tg.kernel @two_passes(%out: memref<1xf32>, %a: memref<8xf32>) attributes {outputs = 1 : i64} {
  %zero = tg.const(0 : index) : index
  %i = tg.range 0 loop 8
  %x = tg.load %a[%i] : memref<8xf32>
  %m = tg.ranged_reduce max %x over %i : f32
  %d = tg.sub %x, %m : f32
  // CHECK: tg.ranged_reduce add
  %s = tg.ranged_reduce add %d over %i : f32
  tg.store %s, %out[%zero] : memref<1xf32>
}

// CHECK-LABEL: func @host
func.func @host(%a: memref<16xf32>, %n: memref<?xf32>) -> memref<16xf32> {
  // CHECK: %[[ARENA:.*]] = tg.alloc on "CPU" : memref<4096xi8>
  %arena = tg.alloc on "CPU" : memref<4096xi8>
  // CHECK-NEXT: %[[OUT:.*]] = tg.subbuffer %[[ARENA]] at (256) : memref<4096xi8> -> memref<16xf32>
  %out = tg.subbuffer %arena at (256) : memref<4096xi8> -> memref<16xf32>
  // CHECK-NEXT: tg.launch @E_16(%[[OUT]], %{{.*}}) : memref<16xf32>, memref<16xf32>
  tg.launch @E_16(%out, %a) : memref<16xf32>, memref<16xf32>
  // CHECK-NEXT: tg.launch @in_place(%[[OUT]]) : memref<16xf32>
  tg.launch @in_place(%out) : memref<16xf32>
  // CHECK-NEXT: tg.launch @empty(){{$}}
  tg.launch @empty()
  // CHECK-NEXT: %[[R:.*]] = tg.alloc on "CUDA" : memref<16xf32>
  %r = tg.alloc on "CUDA" : memref<16xf32>
  // CHECK-NEXT: tg.transfer %[[OUT]] to %[[R]] : memref<16xf32>
  tg.transfer %out to %r : memref<16xf32>
  // CHECK-NEXT: tg.literal dense<[1, 2, 3]> : tensor<3xi32> on "CPU" : memref<3xi32>
  %l = tg.literal dense<[1, 2, 3]> : tensor<3xi32> on "CPU" : memref<3xi32>
  return %r : memref<16xf32>
}
