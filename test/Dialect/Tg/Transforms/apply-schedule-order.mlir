// RUN: tg-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tg.kernel(tg-optimize-kernels))' | FileCheck %s

// Kernels that read and write the same elements, or write them at one of several
// positions: which steps they do not admit, since other positions or work items would
// read what was written already.

// Every work item would write the element, and some would read it after that.

// expected-error @+1 {{work items along range 1 would write the same elements}}
tg.kernel @threads(%o: memref<8xf32>, %p: memref<64xf32>) attributes {in_place, outputs = 2 : i64, schedule = [#tg.step<set_kind [0] as thread>, #tg.step<set_kind [1] as thread>]} {
  %i = tg.range 0 loop 8
  %j = tg.range 1 loop 8
  %c8 = tg.const(8 : index) : index
  %row = tg.mul %i, %c8 : index
  %at = tg.add %row, %j : index
  %x = tg.load %o[%i] : memref<8xf32>
  %y = tg.neg %x : f32
  tg.store %x, %p[%at] : memref<64xf32>
  tg.store %y, %o[%i] : memref<8xf32>
}

// -----

// The same under a mask that does not select one of them.

// expected-error @+1 {{work items along range 1 would write the same elements}}
tg.kernel @masked_threads(%o: memref<8xf32>, %p: memref<64xf32>) attributes {in_place, outputs = 2 : i64, schedule = [#tg.step<split [0] by 3 into [2, 3]>, #tg.step<set_kind [2] as thread>, #tg.step<set_kind [3] as thread>, #tg.step<set_kind [1] as thread>]} {
  %i = tg.range 0 loop 8
  %j = tg.range 1 loop 8
  %c8 = tg.const(8 : index) : index
  %row = tg.mul %i, %c8 : index
  %at = tg.add %row, %j : index
  %x = tg.load %o[%i] : memref<8xf32>
  %y = tg.neg %x : f32
  tg.store %x, %p[%at] : memref<64xf32>
  tg.store %y, %o[%i] : memref<8xf32>
}

// -----

// Results would be negated once for each column.

// expected-error @+1 {{range 0 and range 1 are not neighbors of static extent that the same operations close and the same stores depend on}}
tg.kernel @merged(%o: memref<8xf32>, %p: memref<64xf32>) attributes {in_place, outputs = 2 : i64, schedule = [#tg.step<merge [0, 1]>]} {
  %i = tg.range 0 loop 8
  %j = tg.range 1 loop 8
  %c8 = tg.const(8 : index) : index
  %row = tg.mul %i, %c8 : index
  %at = tg.add %row, %j : index
  %x = tg.load %o[%i] : memref<8xf32>
  %y = tg.neg %x : f32
  tg.store %x, %p[%at] : memref<64xf32>
  tg.store %y, %o[%i] : memref<8xf32>
}

// -----

// What is read is not written.

// CHECK-LABEL: tg.kernel @merged_apart
// CHECK: tg.range 2 loop 64
tg.kernel @merged_apart(%o: memref<8xf32>, %p: memref<64xf32>, %a: memref<8xf32>) attributes {outputs = 2 : i64, schedule = [#tg.step<merge [0, 1] into [2]>]} {
  %i = tg.range 0 loop 8
  %j = tg.range 1 loop 8
  %c8 = tg.const(8 : index) : index
  %row = tg.mul %i, %c8 : index
  %at = tg.add %row, %j : index
  %x = tg.load %a[%i] : memref<8xf32>
  %y = tg.neg %x : f32
  tg.store %x, %p[%at] : memref<64xf32>
  tg.store %y, %o[%i] : memref<8xf32>
}

// -----

// A mask selects the work item that writes an element, which all of them read.

// expected-error @+1 {{work items along range 1 may read an element that another one writes}}
tg.kernel @selected_threads(%o: memref<8xf32>, %p: memref<64xf32>) attributes {in_place, outputs = 2 : i64, schedule = [#tg.step<set_kind [0] as thread>, #tg.step<set_kind [1] as thread>]} {
  %i = tg.range 0 loop 8
  %j = tg.range 1 loop 8
  %c3 = tg.const(3 : index) : index
  %c8 = tg.const(8 : index) : index
  %row = tg.mul %i, %c8 : index
  %at = tg.add %row, %j : index
  %m = tg.cmpeq %j, %c3 : index
  %x = tg.load %o[%i] : memref<8xf32>
  tg.store %x, %p[%at] : memref<64xf32>
  %y = tg.neg %x : f32
  tg.store %y, %o[%i] mask %m : memref<8xf32>
}

// -----

// Nobody else reads it.

// CHECK-LABEL: tg.kernel @selected_apart
// CHECK: tg.range 1 thread 8
tg.kernel @selected_apart(%o: memref<8xf32>, %p: memref<64xf32>, %a: memref<8xf32>) attributes {outputs = 2 : i64, schedule = [#tg.step<set_kind [0] as thread>, #tg.step<set_kind [1] as thread>]} {
  %i = tg.range 0 loop 8
  %j = tg.range 1 loop 8
  %c3 = tg.const(3 : index) : index
  %c8 = tg.const(8 : index) : index
  %row = tg.mul %i, %c8 : index
  %at = tg.add %row, %j : index
  %m = tg.cmpeq %j, %c3 : index
  %x = tg.load %a[%i] : memref<8xf32>
  tg.store %x, %p[%at] : memref<64xf32>
  %y = tg.neg %x : f32
  tg.store %y, %o[%i] mask %m : memref<8xf32>
}

// -----

#t = #tg.target<"gpu", group_items = 256, subgroup_items = 32, group_bytes = 4096>
module attributes {tg.target = #t} {
  // expected-error @+1 {{work items along range 1 may read an element that another one writes}}
  tg.kernel @selected_items(%o: memref<8xf32>, %p: memref<64xf32>) attributes {in_place, outputs = 2 : i64, schedule = [#tg.step<set_kind [0] as global>, #tg.step<set_kind [1] as local>]} {
    %i = tg.range 0 loop 8
    %j = tg.range 1 loop 8
    %c3 = tg.const(3 : index) : index
    %c8 = tg.const(8 : index) : index
    %row = tg.mul %i, %c8 : index
    %at = tg.add %row, %j : index
    %m = tg.cmpeq %j, %c3 : index
    %x = tg.load %o[%i] : memref<8xf32>
    tg.store %x, %p[%at] : memref<64xf32>
    %y = tg.neg %x : f32
    tg.store %y, %o[%i] mask %m : memref<8xf32>
  }
}

// -----

// It would be read once in each iteration over the columns.

// expected-error @+1 {{the kernel reads an element that a single position overwrites}}
tg.kernel @selected_moved(%o: memref<8xf32>, %p: memref<64xf32>) attributes {in_place, outputs = 2 : i64, schedule = [#tg.step<move [1, 0]>]} {
  %i = tg.range 0 loop 8
  %j = tg.range 1 loop 8
  %c3 = tg.const(3 : index) : index
  %c8 = tg.const(8 : index) : index
  %row = tg.mul %i, %c8 : index
  %at = tg.add %row, %j : index
  %m = tg.cmpeq %j, %c3 : index
  %x = tg.load %o[%i] : memref<8xf32>
  tg.store %x, %p[%at] : memref<64xf32>
  %y = tg.neg %x : f32
  tg.store %y, %o[%i] mask %m : memref<8xf32>
}

// -----

// Here it is: all columns but the last one read what was there.

// expected-error @+1 {{the kernel reads an element that a single position overwrites}}
tg.kernel @selected_reversed(%o: memref<8xf32>, %p: memref<64xf32>) attributes {in_place, outputs = 2 : i64, schedule = [#tg.step<reverse [1]>]} {
  %j = tg.range 1 loop 8
  %i = tg.range 0 loop 8
  %c6 = tg.const(6 : index) : index
  %c8 = tg.const(8 : index) : index
  %row = tg.mul %i, %c8 : index
  %at = tg.add %row, %j : index
  %m = tg.cmplt %c6, %j : index
  %x = tg.load %o[%i] : memref<8xf32>
  tg.store %x, %p[%at] : memref<64xf32>
  %y = tg.neg %x : f32
  tg.store %y, %o[%i] mask %m : memref<8xf32>
}

// -----

// A sum that a mask selects is stored by one of several work items, but it would be
// updated by all of them (C8 of tg.kernel).

// expected-error @+1 {{tg.ranged_reduce 0 has uses other than stores without a mask}}
tg.kernel @selected_sum(%out: memref<8xf32>, %a: memref<32xf32>, %b: memref<64xf32>) attributes {outputs = 1 : i64, schedule = [
    #tg.step<set_kind [0] as thread>, #tg.step<set_kind [1] as thread>, #tg.step<accumulate ranged_reduce 0 [2]>]} {
  %i = tg.range 0 loop 8
  %j = tg.range 1 loop 16
  %k = tg.range 2 loop 4
  %c3 = tg.const(3 : index) : index
  %c4 = tg.const(4 : index) : index
  %c16 = tg.const(16 : index) : index
  %left = tg.mul %i, %c4 : index
  %leftk = tg.add %left, %k : index
  %right = tg.mul %k, %c16 : index
  %rightj = tg.add %right, %j : index
  %x = tg.load %a[%leftk] : memref<32xf32>
  %y = tg.load %b[%rightj] : memref<64xf32>
  %p = tg.mul %x, %y : f32
  %s = tg.ranged_reduce add %p over %k : f32
  %m = tg.cmpeq %j, %c3 : index
  tg.store %s, %out[%i] mask %m : memref<8xf32>
}

// -----

// Lanes of one position are no part of the index of an update once it is simplified.

// expected-error @+1 {{range 2 has a single position, which is no part of the index of an update}}
tg.kernel @single_lane(%out: memref<8xf32>, %a: memref<64xf32>) attributes {in_place, outputs = 1 : i64, schedule = [
    #tg.step<split [1] by 8 into [2, 3]>, #tg.step<set_kind [2] as upcast>]} {
  %k = tg.range 0 loop 8
  %i = tg.range 1 loop 8
  %c8 = tg.const(8 : index) : index
  %row = tg.mul %k, %c8 : index
  %at = tg.add %row, %i : index
  %x = tg.load %a[%at] : memref<64xf32>
  tg.store %x, %out[%i] update add over %k : memref<8xf32>
}

// -----

// All lanes take a branch together. A condition that depends on them skips nothing.

// expected-error @+1 {{the mask bounds no products}}
tg.kernel @mask_of_lanes(%out: memref<48xi32>, %a: memref<96xi32>, %b: memref<128xi32>) attributes {outputs = 1 : i64, schedule = [
    #tg.step<set_kind [1] as upcast>, #tg.step<skip_masked ranged_reduce 0, load 1 [0, 1]>]} {
  %i = tg.range 0 loop 6
  %j = tg.range 1 loop 8
  %k = tg.range 2 loop 16
  %c16 = tg.const(16 : index) : index
  %c8 = tg.const(8 : index) : index
  %row = tg.mul %i, %c16 : index
  %left = tg.add %row, %k : index
  %depth = tg.mul %k, %c8 : index
  %right = tg.add %depth, %j : index
  %inside = tg.cmplt %k, %j : index
  %x = tg.load %a[%left] : memref<96xi32>
  %y = tg.load %b[%right] mask %inside : memref<128xi32>
  %product = tg.mul %x, %y : i32
  %sum = tg.ranged_reduce add %product over %k : i32
  %to = tg.mul %i, %c8 : index
  %at = tg.add %to, %j : index
  tg.store %sum, %out[%at] : memref<48xi32>
}

// -----

// Other positions of the reversed range may write the element.

// expected-error @+1 {{positions of range 0 must stay in order}}
tg.kernel @last_written(%out: memref<12xi32>, %a: memref<42xi32>, %to: memref<7xi32>) attributes {in_place, outputs = 1 : i64, schedule = [#tg.step<reverse [0]>]} {
  %i = tg.range 0 loop 6
  %j = tg.range 1 loop 7
  %c7 = tg.const(7 : index) : index
  %c6 = tg.const(6 : i32) : i32
  %row = tg.mul %i, %c7 : index
  %at = tg.add %row, %j : index
  %x = tg.load %a[%at] : memref<42xi32>
  %n = tg.load %to[%j] : memref<7xi32>
  %m = tg.floormod %n, %c6 : i32
  %number = tg.cast %m : i32 -> index
  %place = tg.add %number, %i : index
  tg.store %x, %out[%place] update set : memref<12xi32>
}

// -----

// The identities would be stored before the update reads what was there.

// expected-error @+1 {{the kernel works in place}}
tg.kernel @sum_in_place(%out: memref<8xi32>, %a: memref<128xi32>) attributes {in_place, outputs = 1 : i64, schedule = [#tg.step<accumulate ranged_reduce 0 [1]>]} {
  %i = tg.range 0 loop 8
  %k = tg.range 1 loop 16
  %c16 = tg.const(16 : index) : index
  %row = tg.mul %i, %c16 : index
  %at = tg.add %row, %k : index
  %x = tg.load %a[%at] : memref<128xi32>
  %old = tg.load %out[%i] : memref<8xi32>
  %product = tg.mul %x, %old : i32
  %sum = tg.ranged_reduce add %product over %k : i32
  tg.store %sum, %out[%i] : memref<8xi32>
}

// -----

// A tile is filled again in other iterations, after some elements were written.

// expected-error @+1 {{the kernel may overwrite memory from which the tile is filled}}
tg.kernel @tile_in_place(%out: memref<8xi32>, %a: memref<128xi32>) attributes {in_place, outputs = 1 : i64, schedule = [#tg.step<split [0] by 4 into [2, 3]>, #tg.step<stage ranged_reduce 0 [3]>]} {
  %i = tg.range 0 loop 8
  %k = tg.range 1 loop 16
  %c16 = tg.const(16 : index) : index
  %row = tg.mul %i, %c16 : index
  %at = tg.add %row, %k : index
  %x = tg.load %a[%at] : memref<128xi32>
  %old = tg.load %out[%i] : memref<8xi32>
  %product = tg.mul %x, %old : i32
  %sum = tg.ranged_reduce add %product over %k : i32
  tg.store %sum, %out[%i] : memref<8xi32>
}
