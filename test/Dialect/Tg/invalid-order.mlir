// One case for each constraint of scans, scatters and sorts, in tensor graphs,
// host programs and kernels.

// RUN: tg-opt -split-input-file -verify-diagnostics %s

func.func @scan_c1(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tg.scan' op axis 2 is out of range for rank 2 (C1)}}
  %0 = tg.scan add %x axis 2 : tensor<4x8xf32>
  return
}

// -----

func.func @scan_c3(%x: tensor<4xi32>) {
  // expected-error @+1 {{'tg.scan' op 'logaddexp' takes floats, not 'i32' (C3)}}
  %0 = tg.scan logaddexp %x axis 0 : tensor<4xi32>
  return
}

// -----

func.func @scan_element(%x: tensor<4xf8E5M2>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of bool, integer or float}}
  %0 = tg.scan add %x axis 0 : tensor<4xf8E5M2>
  return
}

// -----

func.func @scatter_c1(%x: tensor<4xf32>, %i: tensor<2xi32>, %u: tensor<2xf32>) {
  // expected-error @+1 {{'tg.scatter' op axis 1 is out of range for rank 1 (C1)}}
  %0 = tg.scatter add %x[%i], %u axis 1 : tensor<4xf32>, tensor<2xi32>, tensor<2xf32>
  return
}

// -----

func.func @scatter_c2_updates(%x: tensor<4xf32>, %i: tensor<2xi32>, %u: tensor<3xf32>) {
  // expected-error @+1 {{'tg.scatter' op the index 'tensor<2xi32>' and the updates 'tensor<3xf32>' differ in shape (C2)}}
  %0 = tg.scatter add %x[%i], %u axis 0 : tensor<4xf32>, tensor<2xi32>, tensor<3xf32>
  return
}

// -----

func.func @scatter_c2_base(%x: tensor<4x3xf32>, %i: tensor<2x2xi32>, %u: tensor<2x2xf32>) {
  // expected-error @+1 {{'tg.scatter' op the index 'tensor<2x2xi32>' must have the sizes of 'tensor<4x3xf32>' except along axis 0 (C2)}}
  %0 = tg.scatter add %x[%i], %u axis 0 : tensor<4x3xf32>, tensor<2x2xi32>, tensor<2x2xf32>
  return
}

// -----

func.func @scatter_c2_rank(%x: tensor<4x3xf32>, %i: tensor<2xi32>, %u: tensor<2xf32>) {
  // expected-error @+1 {{must have the sizes of 'tensor<4x3xf32>' except along axis 0 (C2)}}
  %0 = tg.scatter add %x[%i], %u axis 0 : tensor<4x3xf32>, tensor<2xi32>, tensor<2xf32>
  return
}

// -----

func.func @scatter_c3_element(%x: tensor<4xf32>, %i: tensor<2xi32>, %u: tensor<2xf16>) {
  // expected-error @+1 {{'tg.scatter' op updates 'tensor<4xf32>' with elements of 'f16' (C3)}}
  %0 = tg.scatter set %x[%i], %u axis 0 : tensor<4xf32>, tensor<2xi32>, tensor<2xf16>
  return
}

// -----

func.func @scatter_c3_fp8(%x: tensor<4xf8E5M2>, %i: tensor<2xi32>, %u: tensor<2xf8E5M2>) {
  // expected-error @+1 {{'tg.scatter' op 'add' does not take 'f8E5M2' (C3)}}
  %0 = tg.scatter add %x[%i], %u axis 0 : tensor<4xf8E5M2>, tensor<2xi32>, tensor<2xf8E5M2>
  return
}

// -----

func.func @argsort_c1(%x: tensor<f32>) {
  // expected-error @+1 {{'tg.argsort' op sorts along the last axis; a scalar has none (C1)}}
  %0 = tg.argsort %x : tensor<f32> -> tensor<i32>
  return
}

// -----

func.func @argsort_c2_shape(%x: tensor<4xf32>) {
  // expected-error @+1 {{'tg.argsort' op the result 'tensor<5xi32>' must have the shape of 'tensor<4xf32>', or a shorter last axis (C2)}}
  %0 = tg.argsort %x : tensor<4xf32> -> tensor<5xi32>
  return
}

// -----

func.func @argsort_c2_rows(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tg.argsort' op the result 'tensor<3x2xi32>' must have the shape of 'tensor<4x8xf32>', or a shorter last axis (C2)}}
  %0 = tg.argsort %x : tensor<4x8xf32> -> tensor<3x2xi32>
  return
}

// -----

func.func @argsort_c2_symbolic(%x: tensor<?xf32, #tg.shape<#tg.var<"n", 1, 9>>>) {
  // expected-error @+1 {{or a shorter last axis (C2)}}
  %0 = tg.argsort %x : tensor<?xf32, #tg.shape<#tg.var<"n", 1, 9>>> -> tensor<2xi32>
  return
}

// -----

func.func @argsort_c2_size(%x: tensor<3000000000xi1>) {
  // expected-error @+1 {{'tg.argsort' op i32 is too narrow for the positions in a row of 3000000000 elements (C2)}}
  %0 = tg.argsort %x : tensor<3000000000xi1> -> tensor<3000000000xi32>
  return
}

// -----

func.func @sort_c1_sizes(%x: memref<8xf32>, %y: memref<9xi32>) {
  // expected-error @+1 {{'tg.sort' op has more positions, 'memref<9xi32>', than keys, 'memref<8xf32>' (C1)}}
  tg.sort %x to %y rows 1 length (8) : memref<8xf32>, memref<9xi32>
  return
}

// -----

func.func @sort_c1_rows(%x: memref<8xf32>, %y: memref<8xi32>) {
  // expected-error @+1 {{'tg.sort' op 8 elements cannot be divided into 3 rows (C1)}}
  tg.sort %x to %y rows 3 length (2) : memref<8xf32>, memref<8xi32>
  return
}

// -----

func.func @sort_c1_positions(%x: memref<8xf32>, %y: memref<3xi32>) {
  // expected-error @+1 {{'tg.sort' op 3 elements cannot be divided into 4 rows (C1)}}
  tg.sort %x to %y rows 4 length (2) : memref<8xf32>, memref<3xi32>
  return
}

// -----

func.func @sort_c2(%x: memref<8xf32>, %y: memref<8xi32>) {
  // expected-error @+1 {{'tg.sort' op sorts 5 elements of a row of 4 (C2)}}
  tg.sort %x to %y rows 2 length (5) : memref<8xf32>, memref<8xi32>
  return
}

// -----

func.func @sort_c3_type(%x: memref<8xf32>, %y: memref<8xi16>) {
  // expected-error @+1 {{'tg.sort' op positions are i32 or i64, not 'i16' (C3)}}
  tg.sort %x to %y rows 2 length (4) : memref<8xf32>, memref<8xi16>
  return
}

// -----

func.func @sort_c3_literal(%x: memref<2xf32>) {
  %y = tg.literal dense<[1, 2]> : tensor<2xi32> on "CPU" : memref<2xi32>
  // expected-error @+1 {{'tg.sort' op writes to a tg.literal (C3)}}
  tg.sort %x to %y rows 1 length (2) : memref<2xf32>, memref<2xi32>
  return
}

// -----

func.func @sort_c3_overlap(%x: memref<2xi32>) {
  // expected-error @+1 {{'tg.sort' op the keys overlap the positions (C3)}}
  tg.sort %x to %x rows 1 length (2) : memref<2xi32>, memref<2xi32>
  return
}

// -----

tg.kernel @ranged_scan_c1(%out: memref<4xf32>, %a: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %x = tg.load %a[%i] : memref<4xf32>
  // expected-error @+1 {{'tg.ranged_scan' op lists range 0 twice (C1)}}
  %s = tg.ranged_scan add %x over %i, %i : f32
}

// -----

tg.kernel @ranged_scan_c2(%out: memref<4xf32>, %a: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 thread 4
  %x = tg.load %a[%i] : memref<4xf32>
  // expected-error @+1 {{'tg.ranged_scan' op range 0 is of kind 'thread', not 'loop' (the last range may be 'upcast') (C2)}}
  %s = tg.ranged_scan add %x over %i : f32
}

// -----

tg.kernel @ranged_scan_c3(%out: memref<4xi32>, %a: memref<4xi32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %x = tg.load %a[%i] : memref<4xi32>
  // expected-error @+1 {{'tg.ranged_scan' op 'logaddexp' takes floats, not 'i32' (C3)}}
  %s = tg.ranged_scan logaddexp %x over %i : i32
}

// -----

tg.kernel @store_c3_fp8(%out: memref<4xf8E5M2>, %a: memref<4xf8E5M2>) attributes {outputs = 1 : i64, in_place} {
  %i = tg.range 0 loop 4
  %x = tg.load %a[%i] : memref<4xf8E5M2>
  // expected-error @+1 {{'tg.store' op 'add' does not take 'f8E5M2' (C3)}}
  tg.store %x, %out[%i] update add : memref<4xf8E5M2>
}

// -----

tg.kernel @store_c3_nontemporal(%out: memref<4xf32>, %a: memref<4xf32>) attributes {outputs = 1 : i64, in_place} {
  %i = tg.range 0 loop 4
  %x = tg.load %a[%i] : memref<4xf32>
  // expected-error @+1 {{'tg.store' op an update reads the element, so it cannot be 'nontemporal' (C3)}}
  tg.store %x, %out[%i] update add nontemporal : memref<4xf32>
}

// -----

tg.kernel @store_c4(%out: memref<4xf32>, %a: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %x = tg.load %a[%i] : memref<4xf32>
  // expected-error @+1 {{'tg.store' op only an update can be 'over' ranges (C4)}}
  tg.store %x, %out[%i] over %i : memref<4xf32>
}

// -----

tg.kernel @kernel_c5(%out: memref<4xf32>, %a: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %x = tg.load %a[%i] : memref<4xf32>
  // expected-error @+1 {{'tg.store' op updates an output of a kernel that is not 'in_place' (C5)}}
  tg.store %x, %out[%i] update add : memref<4xf32>
}

// -----

tg.kernel @kernel_c8(%out: memref<4xf32>, %a: memref<8xi32>) attributes {outputs = 1 : i64, in_place} {
  %i = tg.range 0 thread 8
  %p = tg.load %a[%i] : memref<8xi32>
  %j = tg.cast %p : i32 -> index
  %x = tg.const(1.0 : f32) : f32
  // expected-error @+1 {{'tg.store' op updates the same elements in several work items, those of range 0 (C8)}}
  tg.store %x, %out[%j] update add : memref<4xf32>
}
