// RUN: tg-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tg.kernel(tg-optimize-kernels))' | FileCheck %s

// Tiles of a group: items of a reduction write different values too.

#t = #tg.target<"gpu", group_items = 256, subgroup_items = 32, group_bytes = 4096>
module attributes {tg.target = #t} {
  // expected-error @+1 {{the value of a group's tile would depend on range 1, along which its work items differ}}
  tg.kernel @reduced(%out: memref<2xf32>, %a: memref<128xf32>) attributes {outputs = 1 : i64, schedule = [
      #tg.step<set_kind [0] as local>, #tg.step<set_kind [1] as group_reduce>, #tg.step<stage load 0 [0] into [3]>]} {
    %i = tg.range 0 loop 2
    %k = tg.range 1 loop 64
    %n = tg.const(2 : index) : index
    %row = tg.mul %k, %n : index
    %at = tg.add %row, %i : index
    %x = tg.load %a[%at] : memref<128xf32>
    %s = tg.ranged_reduce add %x over %k : f32
    tg.store %s, %out[%i] : memref<2xf32>
  }
}

// -----

// Whether they become items before or after.

#t = #tg.target<"gpu", group_items = 256, subgroup_items = 32, group_bytes = 4096>
module attributes {tg.target = #t} {
  // expected-error @+1 {{the value of a group's tile would depend on range 1, along which its work items differ}}
  tg.kernel @reduced_later(%out: memref<2xf32>, %a: memref<128xf32>) attributes {outputs = 1 : i64, schedule = [
      #tg.step<set_kind [0] as local>, #tg.step<stage load 0 [0] into [3]>, #tg.step<set_kind [1] as group_reduce>]} {
    %i = tg.range 0 loop 2
    %k = tg.range 1 loop 64
    %n = tg.const(2 : index) : index
    %row = tg.mul %k, %n : index
    %at = tg.add %row, %i : index
    %x = tg.load %a[%at] : memref<128xf32>
    %s = tg.ranged_reduce add %x over %k : f32
    tg.store %s, %out[%i] : memref<2xf32>
  }
}

// -----

// The tile of a reduction's items belongs to the group as well.

#t = #tg.target<"gpu", group_items = 256, subgroup_items = 32, group_bytes = 4096>
module attributes {tg.target = #t} {
  // expected-error @+1 {{the value of a group's tile would depend on range 0, along which its work items differ}}
  tg.kernel @of_a_reduction(%out: memref<2xf32>, %a: memref<128xf32>) attributes {outputs = 1 : i64, schedule = [
      #tg.step<set_kind [0] as local>, #tg.step<set_kind [1] as group_reduce>, #tg.step<stage load 0 [1] into [3]>]} {
    %i = tg.range 0 loop 2
    %k = tg.range 1 loop 64
    %n = tg.const(2 : index) : index
    %row = tg.mul %k, %n : index
    %at = tg.add %row, %i : index
    %x = tg.load %a[%at] : memref<128xf32>
    %s = tg.ranged_reduce add %x over %k : f32
    tg.store %s, %out[%i] : memref<2xf32>
  }
}

// -----

// Each item of the group would add to every element.

#t = #tg.target<"gpu", group_items = 256, subgroup_items = 32, group_bytes = 4096>
module attributes {tg.target = #t} {
  // expected-error @+1 {{does not admit the step #tg.step<accumulate ranged_reduce 0 [3]>: several work items would update one element}}
  tg.kernel @accumulated(%out: memref<2xf32>, %a: memref<64xf32>) attributes {outputs = 1 : i64, schedule = [
      #tg.step<set_kind [0] as local>, #tg.step<stage load 0 [0, 1] into [5, 6]>, #tg.step<unshare ranged_reduce 0 into [3]>, #tg.step<accumulate ranged_reduce 0 [3]>]} {
    %i = tg.range 0 loop 2
    %k = tg.range 1 loop 32
    %n = tg.const(2 : index) : index
    %row = tg.mul %k, %n : index
    %at = tg.add %row, %i : index
    %x = tg.load %a[%at] : memref<64xf32>
    %s = tg.ranged_reduce add %x over %k : f32
    tg.store %s, %out[%i] : memref<2xf32>
  }
}

// -----

// The step at fault is the one that made the tile too large.

#t = #tg.target<"gpu", group_items = 256, subgroup_items = 32, group_bytes = 128>
module attributes {tg.target = #t} {
  // expected-error @+1 {{does not admit the step #tg.step<stage load 0 [1, 2] into [3, 4]>: 'tg.stage' op needs more memory than a group of work items has}}
  tg.kernel @stays_large(%out: memref<64xf32>, %a: memref<64xf32>) attributes {outputs = 1 : i64, schedule = [
      #tg.step<split [0] by 32 into [1, 2]>, #tg.step<set_kind [2] as local>, #tg.step<stage load 0 [1, 2] into [3, 4]>, #tg.step<set_kind [1] as global>]} {
    %i = tg.range 0 loop 64
    %x = tg.load %a[%i] : memref<64xf32>
    tg.store %x, %out[%i] : memref<64xf32>
  }
}

// -----

// Bands of rows of groups.

#t = #tg.target<"gpu", group_items = 256, subgroup_items = 32, group_bytes = 4096>
module attributes {tg.target = #t} {
  // expected-error @+1 {{has bands of 11 positions, but only 10 of them}}
  tg.kernel @taller_band(%out: memref<70xf32>, %a: memref<70xf32>) attributes {outputs = 1 : i64, schedule = [
      #tg.step<set_kind [1] as global>, #tg.step<set_kind [0] as global by 11>]} {
    %i = tg.range 0 loop 10
    %j = tg.range 1 loop 7
    %n = tg.const(7 : index) : index
    %row = tg.mul %i, %n : index
    %at = tg.add %row, %j : index
    %x = tg.load %a[%at] : memref<70xf32>
    tg.store %x, %out[%at] : memref<70xf32>
  }
}

// -----

#t = #tg.target<"gpu", group_items = 256, subgroup_items = 32, group_bytes = 4096>
module attributes {tg.target = #t} {
  // expected-error @+1 {{has bands of 2 positions, but groups have no range further in, or more than one, or are more than a grid has along it}}
  tg.kernel @band_of_columns(%out: memref<70xf32>, %a: memref<70xf32>) attributes {outputs = 1 : i64, schedule = [
      #tg.step<set_kind [0] as global>, #tg.step<set_kind [1] as global by 2>]} {
    %i = tg.range 0 loop 10
    %j = tg.range 1 loop 7
    %n = tg.const(7 : index) : index
    %row = tg.mul %i, %n : index
    %at = tg.add %row, %j : index
    %x = tg.load %a[%at] : memref<70xf32>
    tg.store %x, %out[%at] : memref<70xf32>
  }
}

// -----

#t = #tg.target<"gpu", group_items = 256, subgroup_items = 32, group_bytes = 4096>
module attributes {tg.target = #t} {
  // expected-error @+1 {{has bands of 2 positions, but groups have no range further in, or more than one, or are more than a grid has along it}}
  tg.kernel @band_without_columns(%out: memref<70xf32>, %a: memref<70xf32>) attributes {outputs = 1 : i64, schedule = [
      #tg.step<set_kind [0] as global by 2>]} {
    %i = tg.range 0 loop 10
    %j = tg.range 1 loop 7
    %n = tg.const(7 : index) : index
    %row = tg.mul %i, %n : index
    %at = tg.add %row, %j : index
    %x = tg.load %a[%at] : memref<70xf32>
    tg.store %x, %out[%at] : memref<70xf32>
  }
}

// -----

// Simplification leaves out a range of one position, and nothing would be
// further in.

#t = #tg.target<"gpu", group_items = 256, subgroup_items = 32, group_bytes = 4096>
module attributes {tg.target = #t} {
  // expected-error @+1 {{has bands of 2 positions, but the range further in has one position}}
  tg.kernel @band_of_one_column(%out: memref<70xf32>, %a: memref<70xf32>) attributes {outputs = 1 : i64, schedule = [
      #tg.step<split [1] by 7 into [2, 3]>, #tg.step<set_kind [2] as global>, #tg.step<set_kind [0] as global by 2>]} {
    %i = tg.range 0 loop 10
    %j = tg.range 1 loop 7
    %n = tg.const(7 : index) : index
    %row = tg.mul %i, %n : index
    %at = tg.add %row, %j : index
    %x = tg.load %a[%at] : memref<70xf32>
    tg.store %x, %out[%at] : memref<70xf32>
  }
}

// -----

// A later step leaves one position of it.

#t = #tg.target<"gpu", group_items = 256, subgroup_items = 32, group_bytes = 4096>
module attributes {tg.target = #t} {
  // expected-error @+1 {{does not admit the step #tg.step<split [1] by 7 into [2, 3]>: 'tg.range' op has bands of 2 positions, but the range further in has one position}}
  tg.kernel @band_of_split_columns(%out: memref<70xf32>, %a: memref<70xf32>) attributes {outputs = 1 : i64, schedule = [
      #tg.step<set_kind [1] as global>, #tg.step<set_kind [0] as global by 2>, #tg.step<split [1] by 7 into [2, 3]>]} {
    %i = tg.range 0 loop 10
    %j = tg.range 1 loop 7
    %n = tg.const(7 : index) : index
    %row = tg.mul %i, %n : index
    %at = tg.add %row, %j : index
    %x = tg.load %a[%at] : memref<70xf32>
    tg.store %x, %out[%at] : memref<70xf32>
  }
}

// -----

// The tile of a group has no copies: it would be filled for all positions of
// the unrolled range before it is read for the first one.

#t = #tg.target<"gpu", group_items = 256, subgroup_items = 32, group_bytes = 4096>
module attributes {tg.target = #t} {
  // expected-error @+1 {{does not admit the step #tg.step<set_kind [0] as unroll>: 'tg.stage' op has a value that depends on unrolled range 0; the tile of a group has one copy}}
  tg.kernel @copies_of_tile(%out: memref<70xf32>, %a: memref<70xf32>) attributes {outputs = 1 : i64, schedule = [
      #tg.step<set_kind [1] as local>, #tg.step<stage load 0 [1] into [2]>, #tg.step<set_kind [0] as unroll>]} {
    %i = tg.range 0 loop 10
    %j = tg.range 1 loop 7
    %n = tg.const(7 : index) : index
    %row = tg.mul %i, %n : index
    %at = tg.add %row, %j : index
    %x = tg.load %a[%at] : memref<70xf32>
    tg.store %x, %out[%at] : memref<70xf32>
  }
}

// -----

// A band is one of the step that sets the kind: another kind has none, nor has the
// same kind without it.

#t = #tg.target<"gpu", group_items = 256, subgroup_items = 32, group_bytes = 4096>
module attributes {tg.target = #t} {
  // CHECK-LABEL: tg.kernel @band_given_up
  // CHECK: tg.range 0 loop 10{{$}}
  // CHECK: tg.range 1 global 7{{$}}
  tg.kernel @band_given_up(%out: memref<70xf32>, %a: memref<70xf32>) attributes {outputs = 1 : i64, schedule = [
      #tg.step<set_kind [1] as global>, #tg.step<set_kind [0] as global by 2>, #tg.step<set_kind [0] as loop>]} {
    %i = tg.range 0 loop 10
    %j = tg.range 1 loop 7
    %n = tg.const(7 : index) : index
    %row = tg.mul %i, %n : index
    %at = tg.add %row, %j : index
    %x = tg.load %a[%at] : memref<70xf32>
    tg.store %x, %out[%at] : memref<70xf32>
  }
}

// -----

// The tiles of a work item share what it has of memory.

#t = #tg.target<"gpu", group_items = 256, subgroup_items = 32, group_bytes = 4096>
module attributes {tg.target = #t} {
  // expected-error @+1 {{does not admit the step #tg.step<stage load 1 [0] into [2]>: 'tg.stage' op may bring the tiles of a work item to 96000 bytes, with a tile for each copy of the code around it; code for GPUs can use 65536}}
  tg.kernel @large_tiles_of_item(%out: memref<12000xf32>, %a: memref<12000xf32>, %b: memref<12000xf32>) attributes {outputs = 1 : i64, schedule = [
      #tg.step<stage load 0 [0] into [1]>, #tg.step<stage load 1 [0] into [2]>]} {
    %i = tg.range 0 loop 12000
    %x = tg.load %a[%i] : memref<12000xf32>
    %y = tg.load %b[%i] : memref<12000xf32>
    %z = tg.add %x, %y : f32
    tg.store %z, %out[%i] : memref<12000xf32>
  }
}
