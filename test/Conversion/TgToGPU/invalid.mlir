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
