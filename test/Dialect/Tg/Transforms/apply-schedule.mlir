// RUN: tg-opt %s --split-input-file --pass-pipeline='builtin.module(tg.kernel(tg-optimize-kernels))' | FileCheck %s

// A given list takes the place of the heuristics, also one without steps. What
// was applied is listed, with the ids of the ranges that it made.

// CHECK-LABEL: tg.kernel @empty
// CHECK-SAME: scheduled = []
// CHECK-NOT: upcast
tg.kernel @empty(%out: memref<64xf32>, %a: memref<64xf32>) attributes {outputs = 1 : i64, schedule = []} {
  %i = tg.range 0 loop 64
  %x = tg.load %a[%i] : memref<64xf32>
  tg.store %x, %out[%i] : memref<64xf32>
}

// CHECK-LABEL: tg.kernel @lanes
// CHECK-SAME: scheduled = [#tg.step<split [0] by 16 into [1, 2]>, #tg.step<set_kind [2] as upcast>, #tg.step<set_kind [1] as thread>, #tg.step<nontemporal store 0>, #tg.step<prefetch load 0 by 32>]
// CHECK: tg.range 1 thread 4
// CHECK: tg.range 2 upcast 16
// CHECK: tg.load {{.*}} prefetch 32
// CHECK: tg.store {{.*}} nontemporal
tg.kernel @lanes(%out: memref<64xf32>, %a: memref<64xf32>) attributes {outputs = 1 : i64, schedule = [
    #tg.step<split [0] by 16>, #tg.step<set_kind [2] as upcast>, #tg.step<set_kind [1] as thread>,
    #tg.step<nontemporal store 0>, #tg.step<prefetch load 0 by 32>]} {
  %i = tg.range 0 loop 64
  %x = tg.load %a[%i] : memref<64xf32>
  tg.store %x, %out[%i] : memref<64xf32>
}

// What was scheduled stays as it is.

// CHECK-LABEL: tg.kernel @done
// CHECK-SAME: scheduled = []
// CHECK: tg.range 0 loop 64
tg.kernel @done(%out: memref<64xf32>, %a: memref<64xf32>) attributes {outputs = 1 : i64, scheduled = []} {
  %i = tg.range 0 loop 64
  %x = tg.load %a[%i] : memref<64xf32>
  tg.store %x, %out[%i] : memref<64xf32>
}

// -----

// Ids as the list says; the last position of the outer range is peeled, since
// 16 does not divide 100.

// CHECK-LABEL: tg.kernel @ids
// CHECK: tg.range 7 loop 7 peel 1
// CHECK: tg.range 8 loop 16
// CHECK: mask
tg.kernel @ids(%out: memref<100xf32>, %a: memref<100xf32>) attributes {outputs = 1 : i64, schedule = [
    #tg.step<split [0] by 16 into [7, 8]>]} {
  %i = tg.range 0 loop 100
  %x = tg.load %a[%i] : memref<100xf32>
  tg.store %x, %out[%i] : memref<100xf32>
}

// Copies of the code need no other one for the last position.

// CHECK-LABEL: tg.kernel @unrolled_rest
// CHECK: tg.range 1 unroll 2
// CHECK-NOT: peel
// CHECK: tg.store {{.*}} mask
tg.kernel @unrolled_rest(%out: memref<27xf32>, %a: memref<27xf32>) attributes {outputs = 1 : i64, schedule = [
    #tg.step<split [0] by 16>, #tg.step<set_kind [1] as unroll>]} {
  %i = tg.range 0 loop 27
  %x = tg.load %a[%i] : memref<27xf32>
  tg.store %x, %out[%i] : memref<27xf32>
}

// CHECK-LABEL: tg.kernel @order
// CHECK: %[[J:.*]] = tg.range 1 loop 8
// CHECK: %[[R:.*]] = tg.range 2 loop 4
tg.kernel @order(%out: memref<32xf32>, %a: memref<32xf32>) attributes {outputs = 1 : i64, schedule = [
    #tg.step<reverse [0]>, #tg.step<move [1, 2]>]} {
  %i = tg.range 0 loop 4
  %j = tg.range 1 loop 8
  %c8 = tg.const(8 : index) : index
  %r = tg.mul %i, %c8 : index
  %at = tg.add %r, %j : index
  %x = tg.load %a[%at] : memref<32xf32>
  tg.store %x, %out[%at] : memref<32xf32>
}

// Where an index does not combine the two ranges, it uses the quotient and the
// remainder of the new one.

// CHECK-LABEL: tg.kernel @merged_transposed
// CHECK: %[[R:.*]] = tg.range 2 loop 32
// CHECK-NOT: tg.range
// CHECK: %[[N:.*]] = tg.const(8 : index)
// CHECK: %[[Q:.*]] = tg.floordiv %[[R]], %[[N]]
// CHECK: %[[M:.*]] = tg.floormod %[[R]], %[[N]]
// CHECK: tg.add %{{.*}}, %[[Q]]
// CHECK: tg.load
// CHECK: tg.store %{{.*}}, %{{.*}}[%[[R]]]
tg.kernel @merged_transposed(%out: memref<32xf32>, %a: memref<32xf32>) attributes {outputs = 1 : i64, schedule = [
    #tg.step<merge [0, 1]>]} {
  %i = tg.range 0 loop 4
  %j = tg.range 1 loop 8
  %c8 = tg.const(8 : index) : index
  %c4 = tg.const(4 : index) : index
  %r = tg.mul %i, %c8 : index
  %at = tg.add %r, %j : index
  %c = tg.mul %j, %c4 : index
  %from = tg.add %c, %i : index
  %x = tg.load %a[%from] : memref<32xf32>
  tg.store %x, %out[%at] : memref<32xf32>
}

// -----

// Split where they were merged, quotient and remainder are ranges again. (On a GPU, the merge is refused.)

// CHECK-LABEL: tg.kernel @merged_and_split
// CHECK: %[[I:.*]] = tg.range 3 loop 4
// CHECK: %[[J:.*]] = tg.range 4 loop 8
// CHECK-NOT: tg.floor
// CHECK: %[[X:.*]] = tg.load %{{.*}}[%[[I]]]
// CHECK-NOT: tg.floor
// CHECK: tg.store %[[X]], %{{.*}}[%[[I]]]
// CHECK: %[[Y:.*]] = tg.load %{{.*}}[%[[J]]]
// CHECK: tg.store %[[Y]], %{{.*}}[%[[J]]]
tg.kernel @merged_and_split(%o0: memref<4xf32>, %o1: memref<8xf32>, %o2: memref<32xf32>, %a: memref<4xf32>, %b: memref<8xf32>) attributes {outputs = 3 : i64, schedule = [
    #tg.step<merge [0, 1]>, #tg.step<split [2] by 8 into [3, 4]>]} {
  %i = tg.range 0 loop 4
  %j = tg.range 1 loop 8
  %c8 = tg.const(8 : index) : index
  %x = tg.load %a[%i] : memref<4xf32>
  tg.store %x, %o0[%i] : memref<4xf32>
  %y = tg.load %b[%j] : memref<8xf32>
  tg.store %y, %o1[%j] : memref<8xf32>
  %r = tg.mul %i, %c8 : index
  %at = tg.add %r, %j : index
  %z = tg.add %x, %y : f32
  tg.store %z, %o2[%at] : memref<32xf32>
}

// -----

// The quotient is the first operation after the ranges.

// CHECK-LABEL: tg.kernel @quotient
// CHECK: %[[I:.*]] = tg.range 1 loop 4
// CHECK-NOT: tg.floordiv
// CHECK: tg.load %{{.*}}[%[[I]]]
tg.kernel @quotient(%out: memref<32xf32>, %a: memref<4xf32>) attributes {outputs = 1 : i64, schedule = [
    #tg.step<split [0] by 8 into [1, 2]>]} {
  %c8 = tg.const(8 : index) : index
  %i = tg.range 0 loop 32
  %q = tg.floordiv %i, %c8 : index
  %x = tg.load %a[%q] : memref<4xf32>
  tg.store %x, %out[%i] : memref<32xf32>
}

// CHECK-LABEL: tg.kernel @merged
// CHECK: tg.range 2 loop 32
// CHECK-NOT: tg.range
tg.kernel @merged(%out: memref<32xf32>, %a: memref<32xf32>) attributes {outputs = 1 : i64, schedule = [
    #tg.step<merge [0, 1]>]} {
  %i = tg.range 0 loop 4
  %j = tg.range 1 loop 8
  %c8 = tg.const(8 : index) : index
  %r = tg.mul %i, %c8 : index
  %at = tg.add %r, %j : index
  %x = tg.load %a[%at] : memref<32xf32>
  tg.store %x, %out[%at] : memref<32xf32>
}

// -----

// A column of b is kept in a tile while the rows pass; the sum is unrolled by
// four with lanes along the columns.

// CHECK-LABEL: tg.kernel @matmul
// CHECK: tg.stage {{.*}} : memref<256xf32>
// CHECK: tg.barrier
// CHECK: tg.ranged_reduce add
tg.kernel @matmul(%out: memref<256xf32>, %a: memref<256xf32>, %b: memref<256xf32>) attributes {outputs = 1 : i64,
    schedule = [#tg.step<split [1] by 16 into [3, 4]>, #tg.step<set_kind [4] as upcast>,
                #tg.step<move [3, 0]>, #tg.step<stage load 1 [2, 4] into [5, 6]>]} {
  %i = tg.range 0 loop 16
  %j = tg.range 1 loop 16
  %k = tg.range 2 loop 16
  %c16 = tg.const(16 : index) : index
  %row = tg.mul %i, %c16 : index
  %ak = tg.add %row, %k : index
  %x = tg.load %a[%ak] : memref<256xf32>
  %depth = tg.mul %k, %c16 : index
  %bk = tg.add %depth, %j : index
  %y = tg.load %b[%bk] : memref<256xf32>
  %z = tg.mul %x, %y : f32
  %sum = tg.ranged_reduce add %z over %k : f32
  %at = tg.add %row, %j : index
  tg.store %sum, %out[%at] : memref<256xf32>
}

// Two reductions of a row: the second one gets a range of its own, the costly
// value that both the second one and the result compute is kept in a tile.

// CHECK-LABEL: tg.kernel @softmax
// CHECK: %[[K:.*]] = tg.range 3 loop 32
// CHECK: tg.ranged_reduce max {{.*}} over %{{.*}} : f32
// CHECK: tg.exp2
// CHECK-NOT: tg.exp2
// CHECK: %[[T:.*]] = tg.stage
// CHECK: %[[B:.*]] = tg.barrier %[[T]]
// CHECK: tg.load %[[B]]
// CHECK: tg.ranged_reduce add
// CHECK: tg.load %[[B]]
// CHECK-NOT: tg.exp2
tg.kernel @softmax(%out: memref<128xf32>, %a: memref<128xf32>) attributes {outputs = 1 : i64,
    schedule = [#tg.step<unshare ranged_reduce 1 into [3]>, #tg.step<stage exp2 0 [3] into [4]>,
                #tg.step<reuse exp2 1, stage 0 [1]>]} {
  %i = tg.range 0 loop 4
  %j = tg.range 1 loop 32
  %k = tg.range 2 loop 32
  %c32 = tg.const(32 : index) : index
  %row = tg.mul %i, %c32 : index
  %ik = tg.add %row, %k : index
  %x = tg.load %a[%ik] : memref<128xf32>
  %max = tg.ranged_reduce max %x over %k : f32
  %d = tg.sub %x, %max : f32
  %e = tg.exp2 %d : f32
  %sum = tg.ranged_reduce add %e over %k : f32
  %ij = tg.add %row, %j : index
  %y = tg.load %a[%ij] : memref<128xf32>
  %dj = tg.sub %y, %max : f32
  %ej = tg.exp2 %dj : f32
  %r = tg.fdiv %ej, %sum : f32
  tg.store %r, %out[%ij] : memref<128xf32>
}

// CHECK-LABEL: tg.kernel @column_sums
// CHECK-SAME: in_place
// CHECK: tg.range 2 loop 4
// CHECK: tg.range 0 loop 64
// CHECK: tg.range 3 loop 8
// CHECK: tg.store {{.*}} : memref<64xf32>
// CHECK: tg.store {{.*}} update add over {{.*}} : memref<64xf32>
tg.kernel @column_sums(%out: memref<64xf32>, %a: memref<2048xf32>) attributes {outputs = 1 : i64,
    schedule = [#tg.step<split [1] by 8 into [2, 3]>, #tg.step<accumulate ranged_reduce 0 [2]>,
                #tg.step<move [2, 0]>]} {
  %j = tg.range 0 loop 64
  %k = tg.range 1 loop 32
  %c64 = tg.const(64 : index) : index
  %row = tg.mul %k, %c64 : index
  %at = tg.add %row, %j : index
  %x = tg.load %a[%at] : memref<2048xf32>
  %sum = tg.ranged_reduce add %x over %k : f32
  tg.store %sum, %out[%j] : memref<64xf32>
}

// -----

// A tile of 8 + 3 - 1 sums of column and window, padded to 16: what the mask
// hides is in it, and each element is loaded once.

// CHECK-LABEL: tg.kernel @window
// CHECK: tg.range 3 loop 1
// CHECK: tg.range 4 upcast 16
// CHECK: tg.stage {{.*}} : memref<16xf32>
tg.kernel @window(%out: memref<8xf32>, %a: memref<8xf32>, %w: memref<3xf32>) attributes {outputs = 1 : i64,
    schedule = [#tg.step<stage_window load 0, ranged_reduce 0 [0] by 16 into [2]>,
                #tg.step<split [2] by 16 into [3, 4]>, #tg.step<set_kind [4] as upcast>]} {
  %i = tg.range 0 loop 8
  %k = tg.range 1 loop 3
  %s = tg.add %i, %k : index
  %m1 = tg.const(-1 : index) : index
  %at = tg.add %s, %m1 : index
  %c8 = tg.const(8 : index) : index
  %below = tg.cmplt %at, %c8 : index
  %above = tg.cmplt %m1, %at : index
  %inside = tg.and %below, %above : i1
  %x = tg.load %a[%at] mask %inside : memref<8xf32>
  %y = tg.load %w[%k] : memref<3xf32>
  %z = tg.mul %x, %y : f32
  %sum = tg.ranged_reduce add %z over %k : f32
  tg.store %sum, %out[%i] : memref<8xf32>
}

// -----

// A tile along a range of kind local is the memory of a group.

// CHECK-LABEL: tg.kernel @group_tile
// CHECK: %[[COPY:.*]] = tg.range 2 local 8
// CHECK: tg.stage %{{.*}} over %[[COPY]] in group : memref<8xf32>
tg.kernel @group_tile(%out: memref<64xf32>, %a: memref<64xf32>) attributes {outputs = 1 : i64,
    schedule = [#tg.step<stage load 0 [1]>]} {
  %g = tg.range 0 global 8
  %i = tg.range 1 local 8
  %n = tg.const(8 : index) : index
  %row = tg.mul %g, %n : index
  %at = tg.add %row, %i : index
  %x = tg.load %a[%at] : memref<64xf32>
  %y = tg.mul %x, %x : f32
  tg.store %y, %out[%at] : memref<64xf32>
}

// -----

// Owners of elements: each goes through all positions. Only values of its own
// elements are loaded, and the index shows whose element it is.

// CHECK-LABEL: tg.kernel @partition(
// CHECK: %[[OWNER:.*]] = tg.range 1 loop 4
// CHECK: %[[I:.*]] = tg.range 0 loop 64
// CHECK: %[[P:.*]] = tg.load %{{.*}}[%[[I]]] : memref<64xi32>
// CHECK: %[[K:.*]] = tg.cast %[[P]] : i32 -> index
// CHECK: %[[FOUR:.*]] = tg.const(4 : index) : index
// CHECK: %[[REST:.*]] = tg.floormod %[[K]], %[[FOUR]] : index
// CHECK: %[[PART:.*]] = tg.floordiv %[[K]], %[[FOUR]] : index
// CHECK: %[[OWNED:.*]] = tg.cmpeq %[[REST]], %[[OWNER]] : index
// CHECK: %[[X:.*]] = tg.load %{{.*}}[%[[I]]] mask %[[OWNED]] : memref<64xf32>
// CHECK: %[[IN:.*]] = tg.and
// CHECK: %[[MASK:.*]] = tg.and %[[IN]], %[[OWNED]] : i1
// CHECK: %[[BEGIN:.*]] = tg.mul %[[PART]], %[[FOUR]] : index
// CHECK: %[[AT:.*]] = tg.add %[[BEGIN]], %[[OWNER]] : index
// CHECK: tg.store %[[X]], %{{.*}}[%[[AT]]] mask %[[MASK]] update add over %[[I]] : memref<8xf32>
tg.kernel @partition(%out: memref<8xf32>, %at: memref<64xi32>, %a: memref<64xf32>) attributes {in_place, outputs = 1 : i64, schedule = [
    #tg.step<partition by 4 into [1]>]} {
  %i = tg.range 0 loop 64
  %n = tg.const(8 : index) : index
  %none = tg.const(-1 : index) : index
  %x = tg.load %a[%i] : memref<64xf32>
  %p = tg.load %at[%i] : memref<64xi32>
  %k = tg.cast %p : i32 -> index
  %first = tg.cmplt %none, %k : index
  %last = tg.cmplt %k, %n : index
  %in = tg.and %first, %last : i1
  tg.store %x, %out[%k] mask %in update add over %i : memref<8xf32>
}
