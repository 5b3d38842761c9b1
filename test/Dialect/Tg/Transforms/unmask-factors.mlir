// RUN: tg-opt %s --split-input-file --pass-pipeline='builtin.module(tg.kernel(tg-unmask-factors))' | FileCheck %s

// The weights are there at all positions; the image is not.

// CHECK-LABEL: tg.kernel @factors
// CHECK:         tg.load %arg1[%{{.*}}] mask
// CHECK:         tg.load %arg2[%{{.*}}] : memref<3xf32>
tg.kernel @factors(%out: memref<8xf32>, %a: memref<8xf32>, %w: memref<3xf32>) attributes {outputs = 1 : i64} {
  %zero = tg.const(0.0 : f32) : f32
  %none = tg.const(0 : index) : index
  %last = tg.const(9 : index) : index
  %one = tg.const(-1 : index) : index
  %x = tg.range 0 loop 8
  %k = tg.range 1 loop 3
  %at = tg.add %x, %k : index
  %0 = tg.cmplt %none, %at : index
  %1 = tg.cmplt %at, %last : index
  %inside = tg.and %0, %1 : i1
  %from = tg.add %at, %one : index
  %p = tg.load %a[%from] mask %inside : memref<8xf32>
  %q = tg.load %w[%k] mask %0 : memref<3xf32>
  %product = tg.mul %p, %q : f32
  %value = tg.where %inside, %product, %zero : f32
  %sum = tg.ranged_reduce add %value over %k : f32
  tg.store %sum, %out[%x] : memref<8xf32>
}

// -----

// Not without the selection (0 times an infinity is NaN, and the masked weight is
// 0), with another condition than that of the selection, or with another user of
// the load or product; and not where the element may be outside.

// CHECK-LABEL: tg.kernel @plain
// CHECK-COUNT-2: tg.load {{.*}} mask
tg.kernel @plain(%out: memref<8xf32>, %a: memref<8xf32>, %w: memref<10xf32>) attributes {outputs = 1 : i64} {
  %none = tg.const(1 : index) : index
  %x = tg.range 0 loop 8
  %k = tg.range 1 loop 3
  %at = tg.add %x, %k : index
  %inside = tg.cmplt %none, %at : index
  %p = tg.load %a[%x] mask %inside : memref<8xf32>
  %q = tg.load %w[%at] mask %inside : memref<10xf32>
  %product = tg.mul %p, %q : f32
  %sum = tg.ranged_reduce add %product over %k : f32
  tg.store %sum, %out[%x] : memref<8xf32>
}

// -----

// CHECK-LABEL: tg.kernel @other_condition
// CHECK:         tg.load %arg1[%{{.*}}] mask
// CHECK:         tg.load %arg2[%{{.*}}] mask
tg.kernel @other_condition(%out: memref<8xf32>, %a: memref<8xf32>, %w: memref<10xf32>) attributes {outputs = 1 : i64} {
  %zero = tg.const(0.0 : f32) : f32
  %none = tg.const(1 : index) : index
  %two = tg.const(2 : index) : index
  %x = tg.range 0 loop 8
  %k = tg.range 1 loop 3
  %at = tg.add %x, %k : index
  %inside = tg.cmplt %none, %at : index
  %other = tg.cmplt %at, %two : index
  %p = tg.load %a[%x] mask %other : memref<8xf32>
  %q = tg.load %w[%at] mask %other : memref<10xf32>
  %product = tg.mul %p, %q : f32
  %value = tg.where %inside, %product, %zero : f32
  %sum = tg.ranged_reduce add %value over %k : f32
  tg.store %sum, %out[%x] : memref<8xf32>
}

// -----

// CHECK-LABEL: tg.kernel @other_users
// CHECK:         tg.load %arg1[%{{.*}}] mask
// CHECK:         tg.load %arg2[%{{.*}}] mask
tg.kernel @other_users(%out: memref<8xf32>, %a: memref<8xf32>, %w: memref<10xf32>) attributes {outputs = 1 : i64} {
  %zero = tg.const(0.0 : f32) : f32
  %none = tg.const(1 : index) : index
  %x = tg.range 0 loop 8
  %k = tg.range 1 loop 3
  %at = tg.add %x, %k : index
  %inside = tg.cmplt %none, %at : index
  %p = tg.load %a[%x] mask %inside : memref<8xf32>
  %q = tg.load %w[%at] mask %inside : memref<10xf32>
  %product = tg.mul %p, %q : f32
  %value = tg.where %inside, %product, %zero : f32
  %more = tg.add %value, %p : f32
  %both = tg.add %more, %q : f32
  %sum = tg.ranged_reduce add %both over %k : f32
  tg.store %sum, %out[%x] : memref<8xf32>
}

// -----

// CHECK-LABEL: tg.kernel @outside
// CHECK:         tg.load %arg1[%{{.*}}] : memref<8xf32>
// CHECK:         tg.load %arg2[%{{.*}}] mask
tg.kernel @outside(%out: memref<8xf32>, %a: memref<8xf32>, %w: memref<9xf32>) attributes {outputs = 1 : i64} {
  %zero = tg.const(0.0 : f32) : f32
  %last = tg.const(9 : index) : index
  %x = tg.range 0 loop 8
  %k = tg.range 1 loop 3
  %at = tg.add %x, %k : index
  %inside = tg.cmplt %at, %last : index
  %p = tg.load %a[%x] mask %inside : memref<8xf32>
  %q = tg.load %w[%at] mask %inside : memref<9xf32>
  %product = tg.mul %p, %q : f32
  %value = tg.where %inside, %product, %zero : f32
  %sum = tg.ranged_reduce add %value over %k : f32
  tg.store %sum, %out[%x] : memref<8xf32>
}

// -----

// The weights are not there for all sizes.

// CHECK-LABEL: tg.kernel @least
// CHECK-COUNT-2: tg.load {{.*}} mask
tg.kernel @least(%out: memref<8xf32>, %a: memref<8xf32>, %w: memref<3xf32> {tg.least_elements = 2 : i64}) attributes {outputs = 1 : i64} {
  %zero = tg.const(0.0 : f32) : f32
  %none = tg.const(0 : index) : index
  %last = tg.const(9 : index) : index
  %one = tg.const(-1 : index) : index
  %x = tg.range 0 loop 8
  %k = tg.range 1 loop 3
  %at = tg.add %x, %k : index
  %0 = tg.cmplt %none, %at : index
  %1 = tg.cmplt %at, %last : index
  %inside = tg.and %0, %1 : i1
  %from = tg.add %at, %one : index
  %p = tg.load %a[%from] mask %inside : memref<8xf32>
  %q = tg.load %w[%k] mask %0 : memref<3xf32>
  %product = tg.mul %p, %q : f32
  %value = tg.where %inside, %product, %zero : f32
  %sum = tg.ranged_reduce add %value over %k : f32
  tg.store %sum, %out[%x] : memref<8xf32>
}
