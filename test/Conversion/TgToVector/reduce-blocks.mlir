// RUN: tg-opt %s --convert-tg-to-vector --split-input-file | FileCheck %s

// Long sums of floats are added up in blocks of 32, of which 16 make a block of
// the next level: each begins at zero. A maximum goes through all of them.

// CHECK-LABEL: func.func @blocks
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C32:.*]] = arith.constant 32 : index
// CHECK-DAG: %[[C512:.*]] = arith.constant 512 : index
// CHECK-DAG: %[[C5000:.*]] = arith.constant 5000 : index
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[C5000]] step %[[C512]] iter_args(%[[S2:.*]] = %[[ZERO]], %[[M2:.*]] = %{{.*}}) -> (f32, f32)
// CHECK: %[[E2:.*]] = arith.addi %[[I]], %[[C512]]
// CHECK: %[[END2:.*]] = arith.minsi %[[E2]], %[[C5000]]
// CHECK: %[[R2:.*]]:2 = scf.for %[[J:.*]] = %[[I]] to %[[END2]] step %[[C32]] iter_args(%[[S1:.*]] = %[[ZERO]], %[[M1:.*]] = %[[M2]])
// CHECK: %[[E1:.*]] = arith.addi %[[J]], %[[C32]]
// CHECK: %[[END1:.*]] = arith.minsi %[[E1]], %[[END2]]
// CHECK: %[[R1:.*]]:2 = scf.for %{{.*}} = %[[J]] to %[[END1]] step %[[C1]] iter_args(%{{.*}} = %[[ZERO]], %{{.*}} = %[[M1]])
// CHECK: memref.load
// CHECK: %[[T1:.*]] = arith.addf %[[S1]], %[[R1]]#0
// CHECK: scf.yield %[[T1]], %[[R1]]#1
// CHECK: %[[T2:.*]] = arith.addf %[[S2]], %[[R2]]#0
// CHECK: scf.yield %[[T2]], %[[R2]]#1
tg.kernel @blocks(%s: memref<1xf32>, %m: memref<1xf32>, %a: memref<5000xf32>) attributes {outputs = 2 : i64} {
  %k = tg.range 0 loop 5000
  %z = tg.const(0 : index) : index
  %x = tg.load %a[%k] : memref<5000xf32>
  %sum = tg.ranged_reduce add %x over %k : f32
  %max = tg.ranged_reduce max %x over %k : f32
  tg.store %sum, %s[%z] : memref<1xf32>
  tg.store %max, %m[%z] : memref<1xf32>
}

// -----

// Where blocks divide the extent, their ends need no minimum. Short sums, and
// sums of integers, have one block.

// CHECK-LABEL: func.func @whole
// CHECK: scf.for
// CHECK-NOT: arith.minsi
// CHECK: scf.for
// CHECK-NOT: scf.for
tg.kernel @whole(%s: memref<1xf64>, %a: memref<256xf64>) attributes {outputs = 1 : i64} {
  %k = tg.range 0 loop 256
  %z = tg.const(0 : index) : index
  %x = tg.load %a[%k] : memref<256xf64>
  %sum = tg.ranged_reduce add %x over %k : f64
  tg.store %sum, %s[%z] : memref<1xf64>
}

// -----

// CHECK-LABEL: func.func @short
// CHECK: scf.for
// CHECK-NOT: scf.for
tg.kernel @short(%s: memref<1xf32>, %a: memref<32xf32>) attributes {outputs = 1 : i64} {
  %k = tg.range 0 loop 32
  %z = tg.const(0 : index) : index
  %x = tg.load %a[%k] : memref<32xf32>
  %sum = tg.ranged_reduce add %x over %k : f32
  tg.store %sum, %s[%z] : memref<1xf32>
}

// -----

// CHECK-LABEL: func.func @integers
// CHECK: scf.for
// CHECK-NOT: scf.for
tg.kernel @integers(%s: memref<1xi32>, %a: memref<5000xi32>) attributes {outputs = 1 : i64} {
  %k = tg.range 0 loop 5000
  %z = tg.const(0 : index) : index
  %x = tg.load %a[%k] : memref<5000xi32>
  %sum = tg.ranged_reduce add %x over %k : i32
  tg.store %sum, %s[%z] : memref<1xi32>
}

// -----

// A nest of loops: the inner one is a block, of which the outer one adds up 16
// before it begins another.

// CHECK-LABEL: func.func @nest
// CHECK: scf.for {{.*}} step %[[STEP:.*]] iter_args
// CHECK: scf.for
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: memref.load
// CHECK-COUNT-2: arith.addf
tg.kernel @nest(%s: memref<1xf32>, %a: memref<2000xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 100
  %k = tg.range 1 loop 20
  %z = tg.const(0 : index) : index
  %c20 = tg.const(20 : index) : index
  %row = tg.mul %i, %c20 : index
  %p = tg.add %row, %k : index
  %x = tg.load %a[%p] : memref<2000xf32>
  %sum = tg.ranged_reduce add %x over %i, %k : f32
  tg.store %sum, %s[%z] : memref<1xf32>
}
