// RUN: tg-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tg.kernel(tg-optimize-kernels))'

// Why a kernel does not admit a step.

// expected-error @+1 {{kernel 'no_range' does not admit the step #tg.step<split [7] by 4>: the kernel has no range 7}}
tg.kernel @no_range(%out: memref<64xf32>) attributes {outputs = 1 : i64, schedule = [#tg.step<split [7] by 4>]} {
  %i = tg.range 0 loop 64
  %x = tg.const(1.0 : f32) : f32
  tg.store %x, %out[%i] : memref<64xf32>
}

// -----

// expected-error @+1 {{the kernel has no tg.load 1}}
tg.kernel @no_op(%out: memref<64xf32>, %a: memref<64xf32>) attributes {outputs = 1 : i64, schedule = [#tg.step<prefetch load 1 by 4>]} {
  %i = tg.range 0 loop 64
  %x = tg.load %a[%i] : memref<64xf32>
  tg.store %x, %out[%i] : memref<64xf32>
}

// -----

// expected-error @+1 {{range 0 has only 64 positions}}
tg.kernel @too_few(%out: memref<64xf32>) attributes {outputs = 1 : i64, schedule = [#tg.step<split [0] by 1000>]} {
  %i = tg.range 0 loop 64
  %x = tg.const(1.0 : f32) : f32
  tg.store %x, %out[%i] : memref<64xf32>
}

// -----

// expected-error @+1 {{the kernel has a range 1 already}}
tg.kernel @used(%out: memref<64xf32>) attributes {outputs = 1 : i64, schedule = [#tg.step<split [0] by 4 into [2, 1]>]} {
  %i = tg.range 0 loop 8
  %j = tg.range 1 loop 8
  %c8 = tg.const(8 : index) : index
  %r = tg.mul %i, %c8 : index
  %at = tg.add %r, %j : index
  %x = tg.const(1.0 : f32) : f32
  tg.store %x, %out[%at] : memref<64xf32>
}

// -----

// expected-error @+1 {{a vector has a power of two of lanes up to 256, not 6}}
tg.kernel @six_lanes(%out: memref<6xf32>) attributes {outputs = 1 : i64, schedule = [#tg.step<set_kind [0] as upcast>]} {
  %i = tg.range 0 loop 6
  %x = tg.const(1.0 : f32) : f32
  tg.store %x, %out[%i] : memref<6xf32>
}

// -----

// expected-error @+1 {{an operation would depend on two upcast ranges}}
tg.kernel @two_lanes(%out: memref<64xf32>) attributes {outputs = 1 : i64, schedule = [
    #tg.step<set_kind [0] as upcast>, #tg.step<set_kind [1] as upcast>]} {
  %i = tg.range 0 loop 8
  %j = tg.range 1 loop 8
  %c8 = tg.const(8 : index) : index
  %r = tg.mul %i, %c8 : index
  %at = tg.add %r, %j : index
  %x = tg.const(1.0 : f32) : f32
  tg.store %x, %out[%at] : memref<64xf32>
}

// -----

// expected-error @+1 {{work items are leading ranges of the result, and range 0 comes before}}
tg.kernel @inner_thread(%out: memref<64xf32>) attributes {outputs = 1 : i64, schedule = [#tg.step<set_kind [1] as thread>]} {
  %i = tg.range 0 loop 8
  %j = tg.range 1 loop 8
  %c8 = tg.const(8 : index) : index
  %r = tg.mul %i, %c8 : index
  %at = tg.add %r, %j : index
  %x = tg.const(1.0 : f32) : f32
  tg.store %x, %out[%at] : memref<64xf32>
}

// -----

// A loop may run around the work items if it adds to constants that the kernel stores,
// not to what was there before.

// expected-error @+1 {{work items are leading ranges of the result, and range 0 comes before}}
tg.kernel @inner_thread_of_old(%out: memref<8xf32>, %a: memref<64xf32>) attributes {in_place, outputs = 1 : i64, schedule = [#tg.step<set_kind [1] as thread>]} {
  %k = tg.range 0 loop 8
  %i = tg.range 1 loop 8
  %c8 = tg.const(8 : index) : index
  %r = tg.mul %k, %c8 : index
  %at = tg.add %r, %i : index
  %x = tg.load %a[%at] : memref<64xf32>
  tg.store %x, %out[%i] update add over %k : memref<8xf32>
}

// -----

// expected-error @+1 {{kind local needs a target with work-groups}}
tg.kernel @local(%out: memref<64xf32>) attributes {outputs = 1 : i64, schedule = [#tg.step<set_kind [0] as local>]} {
  %i = tg.range 0 loop 64
  %x = tg.const(1.0 : f32) : f32
  tg.store %x, %out[%i] : memref<64xf32>
}

// -----

// expected-error @+1 {{range 1 is closed by a reduction or tile}}
tg.kernel @reduced_thread(%out: memref<1xf32>, %a: memref<64xf32>) attributes {outputs = 1 : i64, schedule = [#tg.step<set_kind [1] as thread>]} {
  %k = tg.range 1 loop 64
  %x = tg.load %a[%k] : memref<64xf32>
  %s = tg.ranged_reduce add %x over %k : f32
  %c0 = tg.const(0 : index) : index
  tg.store %s, %out[%c0] : memref<1xf32>
}

// -----

// The lanes of an update may meet, and so may the threads.

// expected-error @+1 {{positions of range 0 may update one element}}
tg.kernel @scatter(%out: memref<8xf32>, %at: memref<64xi32>) attributes {outputs = 1 : i64, in_place, schedule = [#tg.step<set_kind [0] as upcast>]} {
  %i = tg.range 0 loop 64
  %n = tg.load %at[%i] : memref<64xi32>
  %c8 = tg.const(8 : i32) : i32
  %m = tg.floormod %n, %c8 : i32
  %to = tg.cast %m : i32 -> index
  %x = tg.const(1.0 : f32) : f32
  tg.store %x, %out[%to] update add : memref<8xf32>
}

// -----

// Of several writes to an element, the last one counts.

// expected-error @+1 {{the last of several writes to an element must win, so the order of ranges is fixed}}
tg.kernel @last(%out: memref<8xf32>, %at: memref<64xi32>) attributes {outputs = 1 : i64, in_place, schedule = [#tg.step<move [1, 0]>]} {
  %i = tg.range 0 loop 8
  %j = tg.range 1 loop 8
  %c = tg.const(8 : index) : index
  %row = tg.mul %i, %c : index
  %ij = tg.add %row, %j : index
  %n = tg.load %at[%ij] : memref<64xi32>
  %c8 = tg.const(8 : i32) : i32
  %m = tg.floormod %n, %c8 : i32
  %to = tg.cast %m : i32 -> index
  %x = tg.const(1.0 : f32) : f32
  tg.store %x, %out[%to] update set : memref<8xf32>
}

// -----

// expected-error @+1 {{range 1 is scanned: a scan is over the innermost ranges, in their order}}
tg.kernel @scan(%out: memref<64xf32>, %a: memref<64xf32>) attributes {outputs = 1 : i64, schedule = [#tg.step<move [1, 0]>]} {
  %i = tg.range 0 loop 8
  %j = tg.range 1 loop 8
  %c8 = tg.const(8 : index) : index
  %r = tg.mul %i, %c8 : index
  %at = tg.add %r, %j : index
  %x = tg.load %a[%at] : memref<64xf32>
  %s = tg.ranged_scan add %x over %j : f32
  tg.store %s, %out[%at] : memref<64xf32>
}

// -----

// expected-error @+1 {{range 0 and range 1 are not neighbors of static extent that the same operations close}}
tg.kernel @rows(%out: memref<8xf32>, %a: memref<64xf32>) attributes {outputs = 1 : i64, schedule = [#tg.step<merge [0, 1]>]} {
  %i = tg.range 0 loop 8
  %j = tg.range 1 loop 8
  %c8 = tg.const(8 : index) : index
  %r = tg.mul %i, %c8 : index
  %at = tg.add %r, %j : index
  %x = tg.load %a[%at] : memref<64xf32>
  %s = tg.ranged_reduce add %x over %j : f32
  tg.store %s, %out[%i] : memref<8xf32>
}

// -----

// expected-error @+1 {{range 0 and range 2 are not neighbors of static extent that the same operations close}}
tg.kernel @apart(%out: memref<8xf32>, %a: memref<8xf32>) attributes {outputs = 1 : i64, schedule = [#tg.step<merge [0, 2]>]} {
  %i = tg.range 0 loop 2
  %j = tg.range 1 loop 2
  %k = tg.range 2 loop 2
  %c4 = tg.const(4 : index) : index
  %c2 = tg.const(2 : index) : index
  %r = tg.mul %i, %c4 : index
  %q = tg.mul %j, %c2 : index
  %s = tg.add %r, %q : index
  %at = tg.add %s, %k : index
  %x = tg.load %a[%at] : memref<8xf32>
  tg.store %x, %out[%at] : memref<8xf32>
}

// -----

// expected-error @+1 {{tg.const cannot be staged in a tile}}
tg.kernel @constant(%out: memref<64xf32>) attributes {outputs = 1 : i64, schedule = [#tg.step<stage const 0 [0]>]} {
  %i = tg.range 0 loop 64
  %x = tg.const(1.0 : f32) : f32
  tg.store %x, %out[%i] : memref<64xf32>
}

// -----

// Of a merged range that is split where it was merged, a quotient is the outer
// range: a tile along the inner one would be read at positions of a range that
// the index of a store does not depend on.

// expected-error @+1 {{the value does not depend on range 4}}
tg.kernel @merged_and_split(%sums: memref<4xf32>, %out: memref<32xf32>, %a: memref<4xf32>) attributes {outputs = 2 : i64, schedule = [
    #tg.step<merge [0, 1]>, #tg.step<split [2] by 8 into [3, 4]>, #tg.step<stage exp2 0 [4]>]} {
  %i = tg.range 0 loop 4
  %j = tg.range 1 loop 8
  %c8 = tg.const(8 : index) : index
  %r = tg.mul %i, %c8 : index
  %at = tg.add %r, %j : index
  %x = tg.load %a[%i] : memref<4xf32>
  %y = tg.exp2 %x : f32
  tg.store %y, %sums[%i] : memref<4xf32>
  tg.store %y, %out[%at] : memref<32xf32>
}

// -----

// expected-error @+1 {{the value does not depend on range 1}}
tg.kernel @independent(%out: memref<64xf32>, %a: memref<8xf32>) attributes {outputs = 1 : i64, schedule = [#tg.step<stage load 0 [1]>]} {
  %i = tg.range 0 loop 8
  %j = tg.range 1 loop 8
  %c8 = tg.const(8 : index) : index
  %r = tg.mul %i, %c8 : index
  %at = tg.add %r, %j : index
  %x = tg.load %a[%i] : memref<8xf32>
  tg.store %x, %out[%at] : memref<64xf32>
}

// -----

// expected-error @+1 {{the kernel may overwrite memory from which the tile is filled}}
tg.kernel @in_place(%out: memref<64xf32>) attributes {outputs = 1 : i64, in_place, schedule = [#tg.step<stage load 0 [0]>]} {
  %i = tg.range 0 loop 64
  %x = tg.load %out[%i] : memref<64xf32>
  %y = tg.neg %x : f32
  tg.store %y, %out[%i] : memref<64xf32>
}

// -----

// A list that leaves something to do is an error too: loads expect padded rows.

// expected-error @+1 {{the steps of kernel 'padded' are not complete: range 3 of a padded tile must be split by 16}}
tg.kernel @padded(%out: memref<40xf32>, %a: memref<40xf32>) attributes {outputs = 1 : i64, schedule = [
    #tg.step<stage load 0 [0, 1] by 16 into [2, 3]>]} {
  %i = tg.range 0 loop 4
  %j = tg.range 1 loop 10
  %c10 = tg.const(10 : index) : index
  %r = tg.mul %i, %c10 : index
  %at = tg.add %r, %j : index
  %x = tg.load %a[%at] : memref<40xf32>
  tg.store %x, %out[%at] : memref<40xf32>
}

// -----

// expected-error @+1 {{4 does not divide the extent of range 3, along which rows of a tile are stored}}
tg.kernel @rows(%out: memref<40xf32>, %a: memref<40xf32>) attributes {outputs = 1 : i64, schedule = [
    #tg.step<stage load 0 [0, 1] into [2, 3]>, #tg.step<split [3] by 4>]} {
  %i = tg.range 0 loop 4
  %j = tg.range 1 loop 10
  %c10 = tg.const(10 : index) : index
  %r = tg.mul %i, %c10 : index
  %at = tg.add %r, %j : index
  %x = tg.load %a[%at] : memref<40xf32>
  tg.store %x, %out[%at] : memref<40xf32>
}

// -----

// expected-error @+1 {{the tile is computed from tg.exp2 0}}
tg.kernel @own_value(%out: memref<8xf32>, %a: memref<8xf32>) attributes {outputs = 1 : i64, schedule = [
    #tg.step<stage exp2 0 [0]>, #tg.step<reuse exp2 0, stage 0 [0]>]} {
  %i = tg.range 0 loop 8
  %x = tg.load %a[%i] : memref<8xf32>
  %e = tg.exp2 %x : f32
  tg.store %e, %out[%i] : memref<8xf32>
}

// -----

// expected-error @+1 {{tg.exp2 1 is computed differently from the tile}}
tg.kernel @other_value(%out: memref<8xf32>, %a: memref<8xf32>, %b: memref<8xf32>) attributes {outputs = 1 : i64, schedule = [
    #tg.step<stage exp2 0 [0]>, #tg.step<reuse exp2 1, stage 0 [1]>]} {
  %i = tg.range 0 loop 8
  %j = tg.range 1 loop 8
  %x = tg.load %a[%i] : memref<8xf32>
  %e = tg.exp2 %x : f32
  %s = tg.ranged_reduce add %e over %i : f32
  %y = tg.load %b[%j] : memref<8xf32>
  %f = tg.exp2 %y : f32
  %z = tg.mul %s, %f : f32
  tg.store %z, %out[%j] : memref<8xf32>
}

// -----

// The exponential along the result is the same value along the reduced range,
// but not at the same positions as the tile, [0] of which it would be read at.

// expected-error @+1 {{tg.exp2 0 is computed differently from the tile}}
tg.kernel @own_positions(%out: memref<8xf32>, %a: memref<8xf32>) attributes {outputs = 1 : i64, schedule = [
    #tg.step<stage exp2 1 [0] into [2]>, #tg.step<reuse exp2 0, stage 0 [1]>]} {
  %i = tg.range 0 loop 8
  %j = tg.range 1 loop 8
  %x = tg.load %a[%i] : memref<8xf32>
  %e = tg.exp2 %x : f32
  %n = tg.neg %x : f32
  %f = tg.exp2 %n : f32
  %g = tg.mul %e, %f : f32
  %s = tg.ranged_reduce add %g over %i : f32
  %y = tg.load %a[%j] : memref<8xf32>
  %z = tg.mul %s, %y : f32
  tg.store %z, %out[%j] : memref<8xf32>
}

// -----

// A quotient of the tile's range is not the same at another range.

// expected-error @+1 {{tg.exp2 1 is computed differently from the tile}}
tg.kernel @quotient(%out: memref<8xf32>, %a: memref<8xf32>) attributes {outputs = 1 : i64, schedule = [
    #tg.step<stage exp2 0 [0] into [2]>, #tg.step<reuse exp2 1, stage 0 [1]>]} {
  %i = tg.range 0 loop 8
  %j = tg.range 1 loop 8
  %c2 = tg.const(2 : index) : index
  %q = tg.floordiv %i, %c2 : index
  %x = tg.load %a[%q] : memref<8xf32>
  %e = tg.exp2 %x : f32
  %s = tg.ranged_reduce add %e over %i : f32
  %y = tg.load %a[%q] : memref<8xf32>
  %f = tg.exp2 %y : f32
  %t = tg.ranged_reduce add %f over %i : f32
  %w = tg.load %a[%j] : memref<8xf32>
  %z = tg.mul %s, %t : f32
  %v = tg.mul %z, %w : f32
  tg.store %v, %out[%j] : memref<8xf32>
}

// -----

// expected-error @+1 {{the kernel stores other values too}}
tg.kernel @two_stores(%out: memref<8xf32>, %copy: memref<8xf32>, %a: memref<64xf32>, %b: memref<8xf32>) attributes {outputs = 2 : i64, schedule = [
    #tg.step<accumulate ranged_reduce 0 [1]>]} {
  %j = tg.range 0 loop 8
  %k = tg.range 1 loop 8
  %c8 = tg.const(8 : index) : index
  %row = tg.mul %k, %c8 : index
  %at = tg.add %row, %j : index
  %x = tg.load %a[%at] : memref<64xf32>
  %s = tg.ranged_reduce add %x over %k : f32
  tg.store %s, %out[%j] : memref<8xf32>
  %y = tg.load %b[%j] : memref<8xf32>
  tg.store %y, %copy[%j] : memref<8xf32>
}

// -----

// expected-error @+1 {{the mask bounds no products}}
tg.kernel @no_mask(%out: memref<1xf32>, %a: memref<64xf32>, %b: memref<64xf32>) attributes {outputs = 1 : i64, schedule = [
    #tg.step<skip_masked ranged_reduce 0, load 0 [0, 1]>]} {
  %i = tg.range 0 loop 1
  %k = tg.range 1 loop 64
  %x = tg.load %a[%k] : memref<64xf32>
  %y = tg.load %b[%k] : memref<64xf32>
  %z = tg.mul %x, %y : f32
  %s = tg.ranged_reduce add %z over %k : f32
  tg.store %s, %out[%i] : memref<1xf32>
}

// -----

// expected-error@+1 {{the value of a group's tile would depend on range 0, along which its work items differ}}
tg.kernel @part_of_group(%out: memref<64xf32>, %a: memref<64xf32>) attributes {outputs = 1 : i64,
    schedule = [#tg.step<stage load 0 [1]>]} {
  %i = tg.range 0 local 8
  %j = tg.range 1 local 8
  %n = tg.const(8 : index) : index
  %row = tg.mul %i, %n : index
  %at = tg.add %row, %j : index
  %x = tg.load %a[%at] : memref<64xf32>
  %y = tg.mul %x, %x : f32
  tg.store %y, %out[%at] : memref<64xf32>
}

// -----

// Several work items would store an element of the sums.
module attributes {tg.target = #tg.target<"gpu", group_items = 1024, subgroup_items = 32, group_bytes = 65536>} {
// expected-error @+1 {{range 0 and range 1 are not neighbors of static extent that the same operations close and the same stores depend on}}
tg.kernel @sums_of_rows(%out: memref<64xf32>, %rows: memref<8xf32>, %a: memref<64xf32>, %b: memref<8xf32>) attributes {outputs = 2 : i64, schedule = [#tg.step<merge [0, 1]>]} {
  %i = tg.range 0 loop 8
  %j = tg.range 1 loop 8
  %c8 = tg.const(8 : index) : index
  %r = tg.mul %i, %c8 : index
  %at = tg.add %r, %j : index
  %x = tg.load %a[%at] : memref<64xf32>
  %y = tg.load %b[%i] : memref<8xf32>
  tg.store %x, %out[%at] : memref<64xf32>
  tg.store %y, %rows[%i] : memref<8xf32>
}
}

// -----

// expected-error @+1 {{not all stores are updates of elements that the same value numbers}}
tg.kernel @partition_no_number(%out: memref<64xf32>) attributes {outputs = 1 : i64, schedule = [#tg.step<partition by 4>]} {
  %i = tg.range 0 loop 64
  %x = tg.const(1.0 : f32) : f32
  tg.store %x, %out[%i] : memref<64xf32>
}

// -----

// expected-error @+1 {{there are at most 1048576 owners}}
tg.kernel @partition_many(%out: memref<8xf32>, %at: memref<64xi32>) attributes {in_place, outputs = 1 : i64, schedule = [#tg.step<partition by 2097152>]} {
  %i = tg.range 0 loop 64
  %n = tg.const(8 : index) : index
  %none = tg.const(-1 : index) : index
  %p = tg.load %at[%i] : memref<64xi32>
  %k = tg.cast %p : i32 -> index
  %first = tg.cmplt %none, %k : index
  %last = tg.cmplt %k, %n : index
  %in = tg.and %first, %last : i1
  %x = tg.const(1.0 : f32) : f32
  tg.store %x, %out[%k] mask %in update add over %i : memref<8xf32>
}

// -----

// expected-error @+1 {{the kernel combines elements that it overwrites}}
tg.kernel @partition_reads(%out: memref<8xf32>, %at: memref<64xi32>) attributes {in_place, outputs = 1 : i64, schedule = [#tg.step<partition by 4>]} {
  %i = tg.range 0 loop 64
  %n = tg.const(8 : index) : index
  %none = tg.const(-1 : index) : index
  %p = tg.load %at[%i] : memref<64xi32>
  %k = tg.cast %p : i32 -> index
  %first = tg.cmplt %none, %k : index
  %last = tg.cmplt %k, %n : index
  %in = tg.and %first, %last : i1
  %c0 = tg.const(0 : index) : index
  %x = tg.load %out[%c0] : memref<8xf32>
  tg.store %x, %out[%k] mask %in update add over %i : memref<8xf32>
}

// -----

// expected-error @+1 {{range 0 is unroll, not loop}}
tg.kernel @partition_late(%out: memref<8xf32>, %at: memref<64xi32>) attributes {in_place, outputs = 1 : i64, schedule = [#tg.step<set_kind [0] as unroll>, #tg.step<partition by 4>]} {
  %i = tg.range 0 loop 64
  %n = tg.const(8 : index) : index
  %none = tg.const(-1 : index) : index
  %p = tg.load %at[%i] : memref<64xi32>
  %k = tg.cast %p : i32 -> index
  %first = tg.cmplt %none, %k : index
  %last = tg.cmplt %k, %n : index
  %in = tg.and %first, %last : i1
  %x = tg.const(1.0 : f32) : f32
  tg.store %x, %out[%k] mask %in update add over %i : memref<8xf32>
}

// -----

// expected-error @+1 {{the number of the element is a sum}}
tg.kernel @partition_sum(%out: memref<8xf32>, %at: memref<512xi32>) attributes {in_place, outputs = 1 : i64, schedule = [#tg.step<partition by 4>]} {
  %i = tg.range 0 loop 64
  %r = tg.range 1 loop 8
  %n = tg.const(8 : index) : index
  %none = tg.const(-1 : index) : index
  %row = tg.mul %i, %n : index
  %place = tg.add %row, %r : index
  %p = tg.load %at[%place] : memref<512xi32>
  %s = tg.ranged_reduce add %p over %r : i32
  %k = tg.cast %s : i32 -> index
  %first = tg.cmplt %none, %k : index
  %last = tg.cmplt %k, %n : index
  %in = tg.and %first, %last : i1
  %x = tg.const(1.0 : f32) : f32
  tg.store %x, %out[%k] mask %in update add over %i : memref<8xf32>
}

// -----

// Positions still have an order.

// expected-error @+1 {{positions of range 0 may update one element}}
tg.kernel @partition_ordered(%out: memref<8xf32>, %at: memref<64xi32>) attributes {in_place, outputs = 1 : i64, schedule = [#tg.step<partition by 4>, #tg.step<set_kind [0] as thread>]} {
  %i = tg.range 0 loop 64
  %n = tg.const(8 : index) : index
  %none = tg.const(-1 : index) : index
  %p = tg.load %at[%i] : memref<64xi32>
  %k = tg.cast %p : i32 -> index
  %first = tg.cmplt %none, %k : index
  %last = tg.cmplt %k, %n : index
  %in = tg.and %first, %last : i1
  %x = tg.const(1.0 : f32) : f32
  tg.store %x, %out[%k] mask %in update add over %i : memref<8xf32>
}

// -----

// expected-error @+1 {{the kernel has no range}}
tg.kernel @partition_one(%out: memref<8xf32>, %at: memref<1xi32>) attributes {in_place, outputs = 1 : i64, schedule = [#tg.step<partition by 4>]} {
  %c0 = tg.const(0 : index) : index
  %n = tg.const(8 : index) : index
  %p = tg.load %at[%c0] : memref<1xi32>
  %k = tg.cast %p : i32 -> index
  %none = tg.const(-1 : index) : index
  %first = tg.cmplt %none, %k : index
  %last = tg.cmplt %k, %n : index
  %in = tg.and %first, %last : i1
  %x = tg.const(1.0 : f32) : f32
  tg.store %x, %out[%k] mask %in update add : memref<8xf32>
}

// -----

// expected-error @+1 {{range 1 has peeled positions}}
tg.kernel @peeled_lanes(%out: memref<27xf32>, %a: memref<27xf32>) attributes {outputs = 1 : i64, schedule = [
    #tg.step<split [0] by 16>, #tg.step<set_kind [1] as upcast>]} {
  %i = tg.range 0 loop 27
  %x = tg.load %a[%i] : memref<27xf32>
  tg.store %x, %out[%i] : memref<27xf32>
}

// -----

// expected-error @+1 {{a vector has a power of two of lanes, not 3}}
tg.kernel @three_of_lanes(%out: memref<8xf32>) attributes {outputs = 1 : i64, schedule = [
    #tg.step<set_kind [0] as upcast>, #tg.step<split [0] by 3>]} {
  %i = tg.range 0 loop 8
  %x = tg.const(1.0 : f32) : f32
  tg.store %x, %out[%i] : memref<8xf32>
}

// -----

// expected-error @+1 {{range 1 is scanned by lanes}}
tg.kernel @parts_of_scanned_lanes(%out: memref<64xf32>, %a: memref<64xf32>) attributes {outputs = 1 : i64, schedule = [
    #tg.step<set_kind [1] as upcast>, #tg.step<split [1] by 4>]} {
  %i = tg.range 0 loop 8
  %j = tg.range 1 loop 8
  %c8 = tg.const(8 : index) : index
  %r = tg.mul %i, %c8 : index
  %at = tg.add %r, %j : index
  %x = tg.load %a[%at] : memref<64xf32>
  %s = tg.ranged_scan add %x over %j : f32
  tg.store %s, %out[%at] : memref<64xf32>
}

// -----

// expected-error @+1 {{a store 'as tma' needs a target with work-groups}}
tg.kernel @boxes_of_processor(%out: memref<64xf32>) attributes {outputs = 1 : i64, schedule = [
    #tg.step<buffer store 0 by 1 as tma>]} {
  %i = tg.range 0 loop 64
  %x = tg.const(1.0 : f32) : f32
  tg.store %x, %out[%i] : memref<64xf32>
}

// -----

// expected-error @+1 {{sums of the type would be rounded in memory}}
tg.kernel @rounded_sums(%out: memref<8xf16>, %a: memref<128xf16>) attributes {outputs = 1 : i64, schedule = [
    #tg.step<accumulate ranged_reduce 0 [1]>]} {
  %i = tg.range 0 loop 8
  %k = tg.range 1 loop 16
  %c16 = tg.const(16 : index) : index
  %row = tg.mul %i, %c16 : index
  %at = tg.add %row, %k : index
  %x = tg.load %a[%at] : memref<128xf16>
  %s = tg.ranged_reduce add %x over %k : f16
  tg.store %s, %out[%i] : memref<8xf16>
}

// -----

// expected-error @+1 {{the windows have a common part}}
tg.kernel @common_part(%out: memref<64xf32>, %a: memref<32xf32>, %b: memref<3xf32>) attributes {outputs = 1 : i64, schedule = [
    #tg.step<stage_window load 0, ranged_reduce 0 [0, 1]>]} {
  %i = tg.range 0 loop 8
  %j = tg.range 1 loop 8
  %k = tg.range 2 loop 3
  %c8 = tg.const(8 : index) : index
  %ij = tg.add %i, %j : index
  %at = tg.add %ij, %k : index
  %x = tg.load %a[%at] : memref<32xf32>
  %y = tg.load %b[%k] : memref<3xf32>
  %p = tg.mul %x, %y : f32
  %s = tg.ranged_reduce add %p over %k : f32
  %row = tg.mul %i, %c8 : index
  %to = tg.add %row, %j : index
  tg.store %s, %out[%to] : memref<64xf32>
}

// -----

// expected-error @+1 {{range 2 is not like range 1}}
tg.kernel @shorter_sum(%out: memref<8xf32>, %a: memref<128xf32>) attributes {outputs = 1 : i64, schedule = [
    #tg.step<unshare ranged_reduce 0 [2]>]} {
  %i = tg.range 0 loop 8
  %k = tg.range 1 loop 16
  %l = tg.range 2 loop 8
  %c16 = tg.const(16 : index) : index
  %row = tg.mul %i, %c16 : index
  %at = tg.add %row, %k : index
  %x = tg.load %a[%at] : memref<128xf32>
  %s = tg.ranged_reduce add %x over %k : f32
  %to = tg.add %row, %l : index
  %y = tg.load %a[%to] : memref<128xf32>
  %t = tg.ranged_reduce add %y over %l : f32
  %p = tg.mul %s, %t : f32
  tg.store %p, %out[%i] : memref<8xf32>
}

// -----

// expected-error @+1 {{the tile does not cover all positions of range 1}}
tg.kernel @longer_than_tile(%out: memref<128xf32>, %a: memref<128xf32>) attributes {outputs = 1 : i64, schedule = [
    #tg.step<stage exp2 0 [2] into [3]>, #tg.step<reuse exp2 1, stage 0 [1]>]} {
  %i = tg.range 0 loop 8
  %j = tg.range 1 loop 16
  %k = tg.range 2 loop 8
  %c16 = tg.const(16 : index) : index
  %row = tg.mul %i, %c16 : index
  %at = tg.add %row, %k : index
  %x = tg.load %a[%at] : memref<128xf32>
  %e = tg.exp2 %x : f32
  %sum = tg.ranged_reduce add %e over %k : f32
  %to = tg.add %row, %j : index
  %y = tg.load %a[%to] : memref<128xf32>
  %f = tg.exp2 %y : f32
  %r = tg.fdiv %f, %sum : f32
  tg.store %r, %out[%to] : memref<128xf32>
}

// -----

// The mask depends on a quotient of the range, also where the reduction has no
// range left: elements that other positions of the tile mask would be read.
// expected-error @+1 {{does not admit the step #tg.step<stage_window load 0, ranged_reduce 0 [3]>: the value has no window along range 3}}
tg.kernel @window_of_quotient(%out: memref<4xf32>, %a: memref<384xf32>) attributes {outputs = 1 : i64, schedule = [
    #tg.step<merge [1, 2] into [3]>, #tg.step<accumulate ranged_reduce 0 [3]>,
    #tg.step<stage_window load 0, ranged_reduce 0 [3]>]} {
  %i = tg.range 0 loop 4
  %j = tg.range 1 loop 24
  %k = tg.range 2 loop 6
  %c4 = tg.const(4 : index) : index
  %c6 = tg.const(6 : index) : index
  %c16 = tg.const(16 : index) : index
  %isIn = tg.cmplt %j, %c16 : index
  %row = tg.mul %j, %c6 : index
  %jk = tg.add %row, %k : index
  %column = tg.mul %jk, %c4 : index
  %at = tg.add %column, %i : index
  %x = tg.load %a[%at] mask %isIn : memref<384xf32>
  %s = tg.ranged_reduce max %x over %j, %k : f32
  tg.store %s, %out[%i] : memref<4xf32>
}
