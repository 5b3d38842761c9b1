// Owners of elements mask what they load. That is under a condition which holds where
// they update, also for what is summed up of it.

// RUN: tg-opt %s --tg-verify-schedules=print-counts=true -o /dev/null | FileCheck %s
// CHECK: schedules: 1 kernels, 1 with all elements, 0 with some,
// CHECK-NOT: not covered

tg.kernel @softmax(%out: memref<3xf64>, %index: memref<3xi32>, %a: memref<3xf64>) attributes {in_place, outputs = 1 : i64, schedule = [
    #tg.step<unshare ranged_reduce 1 into [2]>, #tg.step<partition by 4 into [3]>]} {
  %c3 = tg.const(3 : index) : index
  %before = tg.const(-1 : index) : index
  %i = tg.range 0 loop 3
  %k = tg.range 1 loop 3
  %x = tg.load %a[%k] : memref<3xf64>
  %max = tg.ranged_reduce max %x over %k : f64
  %e = tg.exp2 %x : f64
  %sum = tg.ranged_reduce add %e over %k : f64
  %quotient = tg.fdiv %max, %sum : f64
  %number = tg.load %index[%i] : memref<3xi32>
  %at = tg.cast %number : i32 -> index
  %low = tg.cmplt %before, %at : index
  %high = tg.cmplt %at, %c3 : index
  %inside = tg.and %low, %high : i1
  tg.store %quotient, %out[%at] mask %inside update add over %i : memref<3xf64>
}
