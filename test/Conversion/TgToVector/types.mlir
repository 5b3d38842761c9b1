// RUN: tg-opt %s --convert-tg-to-vector --split-input-file | FileCheck %s

// Bool is a byte in memory and a bit in registers.

// CHECK-LABEL: func.func @bool
// CHECK-SAME: (%[[O:.*]]: memref<16xi8>, %[[A:.*]]: memref<16xi8>,
// CHECK: %[[X:.*]] = vector.load %[[A]][%{{.*}}] : memref<16xi8>, vector<16xi8>
// CHECK: %[[B:.*]] = arith.cmpi ne, %[[X]], %{{.*}} : vector<16xi8>
// CHECK: %[[N:.*]] = arith.xori %[[B]]
// CHECK: %[[Y:.*]] = arith.extui %[[N]] : vector<16xi1> to vector<16xi8>
// CHECK: vector.store %[[Y]], %[[O]]
tg.kernel @bool(%o: memref<16xi1>, %a: memref<16xi1>) attributes {outputs = 1 : i64} {
  %v = tg.range 0 upcast 16
  %true = tg.const(true) : i1
  %x = tg.load %a[%v] : memref<16xi1>
  %y = tg.xor %x, %true : i1
  tg.store %y, %o[%v] : memref<16xi1>
}

// -----

// fp8, f16 and bf16 are bits; f16 goes through f32 by the processor, bf16 by a
// shift, and nothing is called.

// CHECK-LABEL: func.func @narrow
// CHECK-SAME: (%{{.*}}: memref<16xi8>, %{{.*}}: memref<16xi16>, %{{.*}}: memref<16xi16>,
// CHECK: %[[H:.*]] = arith.bitcast %{{.*}} : vector<16xi16> to vector<16xf16>
// CHECK: arith.extf %[[H]] : vector<16xf16> to vector<16xf32>
// CHECK: %[[E:.*]] = arith.extui %{{.*}} : vector<16xi16> to vector<16xi32>
// CHECK: %[[S:.*]] = arith.shli %[[E]]
// CHECK: arith.bitcast %[[S]] : vector<16xi32> to vector<16xf32>
// CHECK: arith.addf
// CHECK: arith.trunci %{{.*}} : vector<16xi32> to vector<16xi8>
// CHECK-NOT: call
tg.kernel @narrow(%o: memref<16xf8E5M2>, %a: memref<16xf16>, %b: memref<16xbf16>) attributes {outputs = 1 : i64} {
  %v = tg.range 0 upcast 16
  %x = tg.load %a[%v] : memref<16xf16>
  %y = tg.load %b[%v] : memref<16xbf16>
  %x32 = tg.cast %x : f16 -> f32
  %y32 = tg.cast %y : bf16 -> f32
  %s = tg.add %x32, %y32 : f32
  %r = tg.cast %s : f32 -> f8E5M2
  tg.store %r, %o[%v] : memref<16xf8E5M2>
}

// -----

// Arithmetic on f16 is rounded after each operation.

// CHECK-LABEL: func.func @half
// CHECK: arith.mulf %{{.*}} : f32
// CHECK: arith.truncf %{{.*}} : f32 to f16
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK: arith.addf %{{.*}} : f32
// CHECK: arith.truncf
tg.kernel @half(%o: memref<4xf16>, %a: memref<4xf16>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %x = tg.load %a[%i] : memref<4xf16>
  %y = tg.mul %x, %x : f16
  %z = tg.add %y, %x : f16
  tg.store %z, %o[%i] : memref<4xf16>
}

// -----

// Unsigned integers use the unsigned operations.

// CHECK-LABEL: func.func @unsigned
// CHECK: arith.maxui
// CHECK: arith.cmpi ult
// CHECK: arith.shrui
tg.kernel @unsigned(%o: memref<4xui32>, %a: memref<4xui32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %x = tg.load %a[%i] : memref<4xui32>
  %c = tg.const(7 : ui32) : ui32
  %m = tg.max %x, %c : ui32
  %l = tg.cmplt %m, %c : ui32
  %s = tg.shr %m, %c : ui32
  %r = tg.where %l, %s, %m : ui32
  tg.store %r, %o[%i] : memref<4xui32>
}
