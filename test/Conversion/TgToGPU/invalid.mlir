// RUN: tg-opt %s -split-input-file -verify-diagnostics --convert-tg-to-gpu

module attributes {tg.target = #tg.target<"gpu", group_items = 256, subgroup_items = 32, group_bytes = 64>} {
  tg.kernel @no_items(%out: memref<4xf32>, %a: memref<4xf32>) attributes {outputs = 1 : i64} {
    %i = tg.range 0 local 4
    // expected-error @+1 {{has no positions; a group has work items}}
    %k = tg.range 1 group_reduce 0
    %x = tg.load %a[%i] : memref<4xf32>
    %n = tg.cast %k : index -> i32
    %f = tg.cast %n : i32 -> f32
    %y = tg.add %x, %f : f32
    %s = tg.ranged_reduce add %y over %k : f32
    tg.store %s, %out[%i] : memref<4xf32>
  }
}

// -----

module attributes {tg.target = #tg.target<"gpu", group_items = 256, subgroup_items = 32, group_bytes = 64>} {
  tg.kernel @symbolic_items(%out: memref<16xf32>) attributes {outputs = 1 : i64} {
    // expected-error @+1 {{has a symbolic extent; the number of work items of a group has to be known}}
    %i = tg.range 0 local #tg.var<"n", 1, 16>
    %x = tg.const(1.0 : f32) : f32
    tg.store %x, %out[%i] : memref<16xf32>
  }
}

// -----

module attributes {tg.target = #tg.target<"gpu", group_items = 256, subgroup_items = 32, group_bytes = 64>} {
  tg.kernel @long_axis(%out: memref<512xf32>) attributes {outputs = 1 : i64} {
    // expected-error @+1 {{makes groups of 512 work items; the target admits 256}}
    %i = tg.range 0 local 512
    %x = tg.const(1.0 : f32) : f32
    tg.store %x, %out[%i] : memref<512xf32>
  }
}

// -----

module attributes {tg.target = #tg.target<"gpu", group_items = 256, subgroup_items = 32, group_bytes = 64>} {
  // expected-error @+1 {{has groups of 512 or more work items; the target admits 256}}
  tg.kernel @two_axes(%out: memref<512xf32>) attributes {outputs = 1 : i64} {
    %i = tg.range 0 local 16
    %j = tg.range 1 local 32
    %c32 = tg.const(32 : index) : index
    %0 = tg.mul %i, %c32 : index
    %1 = tg.add %0, %j : index
    %x = tg.const(1.0 : f32) : f32
    tg.store %x, %out[%1] : memref<512xf32>
  }
}

// -----

module attributes {tg.target = #tg.target<"gpu", group_items = 256, subgroup_items = 32, group_bytes = 64>} {
  tg.kernel @large_tile(%out: memref<32xf32>, %a: memref<32xf32>) attributes {outputs = 1 : i64} {
    %i = tg.range 0 local 32
    %x = tg.load %a[%i] : memref<32xf32>
    // expected-error @+1 {{needs more memory than a group of work items has: 32 elements of 'f32' after 0 bytes; the target has 64 bytes}}
    %t = tg.stage %x over %i in group : memref<32xf32>
    %b = tg.barrier %t : memref<32xf32>
    %y = tg.load %b[%i] : memref<32xf32>
    tg.store %y, %out[%i] : memref<32xf32>
  }
}

// -----

module attributes {tg.target = #tg.target<"gpu", group_items = 256, subgroup_items = 32, group_bytes = 64>} {
  // expected-error @+1 {{groups of work items; a grid has at most 2147483647 * 65535}}
  tg.kernel @large_grid(%out: memref<1xf32>) attributes {outputs = 1 : i64} {
    %i = tg.range 0 global 1073741824
    %j = tg.range 1 global 1048576
    %c0 = tg.const(0 : index) : index
    %c1 = tg.const(1 : index) : index
    %0 = tg.add %i, %j : index
    %m = tg.cmplt %0, %c1 : index
    %x = tg.const(1.0 : f32) : f32
    tg.store %x, %out[%0] mask %m : memref<1xf32>
  }
}

// -----

module attributes {tg.target = #tg.target<"gpu", group_items = 256, subgroup_items = 32, group_bytes = 64>} {
  tg.kernel @reduced(%out: memref<1xf32>, %a: memref<8xf32>) attributes {outputs = 1 : i64} {
    %i = tg.range 0 local 8
    %c0 = tg.const(0 : index) : index
    %x = tg.load %a[%i] : memref<8xf32>
    // expected-error @+1 {{closes a parallel range, which is not supported}}
    %s = tg.ranged_reduce add %x over %i : f32
    tg.store %s, %out[%c0] : memref<1xf32>
  }
}

// -----

// The columns of an accumulator are not neighbors among the items.

module attributes {tg.target = #tg.target<"gpu", group_items = 256, subgroup_items = 64, group_bytes = 4096, matrix_units = 256>} {
  tg.kernel @lanes(%out: memref<256xf32>, %a: memref<64xf32>, %b: memref<64xf32>) attributes {outputs = 1 : i64} {
    %c4 = tg.const(4 : index) : index
    %c16 = tg.const(16 : index) : index
    %j = tg.range 0 local 16
    %i = tg.range 1 local 4
    %r = tg.range 2 unroll 4
    %k = tg.range 3 loop 4
    %l = tg.range 4 loop 64
    %x = tg.load %a[%l] : memref<64xf32>
    %y = tg.load %b[%l] : memref<64xf32>
    %s = tg.stage %x over %l in group : memref<64xf32>
    %t = tg.stage %y over %l in group : memref<64xf32>
    %sb = tg.barrier %s : memref<64xf32>
    %tb = tg.barrier %t : memref<64xf32>
    %0 = tg.mul %i, %c4 : index
    %row = tg.add %0, %r : index
    %1 = tg.mul %row, %c4 : index
    %2 = tg.add %1, %k : index
    %left = tg.load %sb[%2] : memref<64xf32>
    %3 = tg.mul %k, %c16 : index
    %4 = tg.add %3, %j : index
    %right = tg.load %tb[%4] : memref<64xf32>
    %p = tg.mul %left, %right : f32
    // expected-error @+1 {{ranges 1 and 0 are not the innermost items of a group, as the lanes of mfma_16x16x4_f32 have to be}}
    %sum = tg.ranged_reduce add %p over %k on "mfma_16x16x4_f32" : f32
    %5 = tg.mul %row, %c16 : index
    %6 = tg.add %5, %j : index
    tg.store %sum, %out[%6] : memref<256xf32>
  }
}

// -----

// The index of a factor is not linear in the rows.

module attributes {tg.target = #tg.target<"gpu", group_items = 256, subgroup_items = 64, group_bytes = 4096, matrix_units = 256>} {
  tg.kernel @not_linear(%out: memref<256xf32>, %a: memref<64xf32>, %b: memref<64xf32>) attributes {outputs = 1 : i64} {
    %c4 = tg.const(4 : index) : index
    %c16 = tg.const(16 : index) : index
    %c3 = tg.const(3 : index) : index
    %i = tg.range 1 local 4
    %r = tg.range 2 unroll 4
    %j = tg.range 0 local 16
    %k = tg.range 3 loop 4
    %l = tg.range 4 loop 64
    %x = tg.load %a[%l] : memref<64xf32>
    %y = tg.load %b[%l] : memref<64xf32>
    %s = tg.stage %x over %l in group : memref<64xf32>
    %t = tg.stage %y over %l in group : memref<64xf32>
    %sb = tg.barrier %s : memref<64xf32>
    %tb = tg.barrier %t : memref<64xf32>
    %0 = tg.mul %i, %c4 : index
    %row = tg.add %0, %r : index
    %turned = tg.floormod %row, %c3 : index
    %1 = tg.mul %turned, %c4 : index
    %2 = tg.add %1, %k : index
    %left = tg.load %sb[%2] : memref<64xf32>
    %3 = tg.mul %k, %c16 : index
    %4 = tg.add %3, %j : index
    %right = tg.load %tb[%4] : memref<64xf32>
    %p = tg.mul %left, %right : f32
    // expected-error @+1 {{the index of the factor with the rows is not linear in the ranges of the operation}}
    %sum = tg.ranged_reduce add %p over %k on "mfma_16x16x4_f32" : f32
    %5 = tg.mul %row, %c16 : index
    %6 = tg.add %5, %j : index
    tg.store %sum, %out[%6] : memref<256xf32>
  }
}

// -----

#n = #tg.var<"n", 0, 3>
module attributes {tg.target = #tg.target<"gpu", group_items = 256, subgroup_items = 32, group_bytes = 4096>} {
  tg.kernel @no_group(%o: memref<4xf32>, %p: memref<12xf32>, %a: memref<4xf32>) attributes {outputs = 2 : i64} {
    %n = tg.range 0 global #n
    %i = tg.range 1 local 4
    %three = tg.const(3 : index) : index
    %r = tg.mul %i, %three : index
    %at = tg.add %r, %n : index
    %x = tg.load %a[%i] : memref<4xf32>
    // expected-error @+1 {{'tg.store' op does not depend on range 0 of kind 'global', which may be empty; there would be no group to run it}}
    tg.store %x, %o[%i] : memref<4xf32>
    tg.store %x, %p[%at] : memref<12xf32>
  }
}
