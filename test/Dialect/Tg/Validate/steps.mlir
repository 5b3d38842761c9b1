// Steps that random graphs hardly reach.

// RUN: tg-opt %s --tg-verify-schedules=print-counts=true -o /dev/null | FileCheck %s
// CHECK: schedules: 5 kernels, 5 with all elements, 0 with some,
// CHECK-NOT: not covered

// A sum, a product and a maximum are accumulated together, each from its identity.
tg.kernel @together(%sum: memref<8xf32>, %product: memref<8xf32>, %greatest: memref<8xi32>, %a: memref<128xf32>, %b: memref<128xi32>) attributes {outputs = 3 : i64, schedule = [
    #tg.step<accumulate ranged_reduce 0, ranged_reduce 1, ranged_reduce 2 [1]>, #tg.step<move [1, 0]>]} {
  %i = tg.range 0 loop 8
  %k = tg.range 1 loop 16
  %c8 = tg.const(8 : index) : index
  %row = tg.mul %k, %c8 : index
  %at = tg.add %row, %i : index
  %x = tg.load %a[%at] : memref<128xf32>
  %y = tg.load %b[%at] : memref<128xi32>
  %s = tg.ranged_reduce add %x over %k : f32
  %p = tg.ranged_reduce mul %x over %k : f32
  %m = tg.ranged_reduce max %y over %k : i32
  tg.store %s, %sum[%i] : memref<8xf32>
  tg.store %p, %product[%i] : memref<8xf32>
  tg.store %m, %greatest[%i] : memref<8xi32>
}

// Windows that are read from the last one to the first: their stride is negative.
tg.kernel @backward(%out: memref<8xf32>, %a: memref<32xf32>, %b: memref<3xf32>) attributes {outputs = 1 : i64, schedule = [
    #tg.step<stage_window load 0, ranged_reduce 0 [0] by 4 into [2]>, #tg.step<split [2] by 4>]} {
  %i = tg.range 0 loop 8
  %k = tg.range 1 loop 3
  %two = tg.const(-2 : index) : index
  %one = tg.const(-1 : index) : index
  %last = tg.const(31 : index) : index
  %is = tg.mul %i, %two : index
  %ks = tg.mul %k, %one : index
  %window = tg.add %is, %ks : index
  %at = tg.add %window, %last : index
  %x = tg.load %a[%at] : memref<32xf32>
  %y = tg.load %b[%k] : memref<3xf32>
  %p = tg.mul %x, %y : f32
  %s = tg.ranged_reduce add %p over %k : f32
  tg.store %s, %out[%i] : memref<8xf32>
}

// Reductions that have ranges of their own share them again.
tg.kernel @shared_again(%out: memref<8xf32>, %a: memref<128xf32>, %b: memref<128xf32>) attributes {outputs = 1 : i64, schedule = [
    #tg.step<unshare ranged_reduce 1 into [2]>, #tg.step<unshare ranged_reduce 0 [2]>]} {
  %i = tg.range 0 loop 8
  %k = tg.range 1 loop 16
  %c16 = tg.const(16 : index) : index
  %row = tg.mul %i, %c16 : index
  %at = tg.add %row, %k : index
  %x = tg.load %a[%at] : memref<128xf32>
  %y = tg.load %b[%at] : memref<128xf32>
  %s = tg.ranged_reduce add %x over %k : f32
  %t = tg.ranged_reduce add %y over %k : f32
  %p = tg.mul %s, %t : f32
  tg.store %p, %out[%i] : memref<8xf32>
}

// An exponential is read from the tile of those that were added up.
tg.kernel @again(%out: memref<128xf32>, %a: memref<128xf32>) attributes {outputs = 1 : i64, schedule = [
    #tg.step<stage exp2 0 [2] into [3]>, #tg.step<reuse exp2 1, stage 0 [1]>]} {
  %i = tg.range 0 loop 8
  %j = tg.range 1 loop 16
  %k = tg.range 2 loop 16
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

// A mask selects the position that writes an element. Those past the end, which a split
// adds, do not write either.
tg.kernel @last_of_row(%out: memref<8xf32>, %a: memref<40xf32>) attributes {outputs = 1 : i64, schedule = [
    #tg.step<split [1] by 4 into [2, 3]>]} {
  %i = tg.range 0 loop 8
  %j = tg.range 1 loop 5
  %c5 = tg.const(5 : index) : index
  %c3 = tg.const(3 : index) : index
  %row = tg.mul %i, %c5 : index
  %at = tg.add %row, %j : index
  %x = tg.load %a[%at] : memref<40xf32>
  %is_last = tg.cmplt %c3, %j : index
  tg.store %x, %out[%i] mask %is_last : memref<8xf32>
}
