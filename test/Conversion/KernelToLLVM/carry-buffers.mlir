// RUN: tg-opt %s --pass-pipeline='builtin.module(func.func(tg-carry-buffers,canonicalize))' | FileCheck %s

// The buffer that is read and the one that is filled, two steps ahead. The same
// remainder twice is carried once.
// CHECK-LABEL: func @ahead(
// CHECK: scf.for %{{.*}} = %c0 to %c16 step %c1 iter_args(%[[SUM:.*]] = %{{.*}}, %[[FILLED:.*]] = %c2, %[[READ:.*]] = %c0) -> (f32, index, index)
// CHECK: nvgpu.device_async_wait
// CHECK: memref.store %{{.*}}, %{{.*}}[%[[FILLED]]]
// CHECK: memref.load %{{.*}}[%[[READ]]]
// CHECK: memref.load %{{.*}}[%[[READ]]]
// CHECK: %[[THEN:.*]] = arith.addi %[[FILLED]], %c1
// CHECK: %[[NEXTFILLED:.*]] = arith.remui %[[THEN]], %c3
// CHECK: %[[NEXT:.*]] = arith.addi %[[READ]], %c1
// CHECK: %[[NEXTREAD:.*]] = arith.remui %[[NEXT]], %c3
// CHECK: scf.yield %{{.*}}, %[[NEXTFILLED]], %[[NEXTREAD]]
func.func @ahead(%tile: memref<3xf32>, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c14 = arith.constant 14 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %result = scf.for %step = %c0 to %c16 step %c1 iter_args(%sum = %zero) -> f32 {
    %group = nvgpu.device_async_create_group
    nvgpu.device_async_wait %group {numGroups = 1 : i32}
    %isInside = arith.cmpi ult, %step, %c14 : index
    scf.if %isInside {
      %next = arith.addi %step, %c2 : index
      %filled = arith.remui %next, %c3 : index
      memref.store %x, %tile[%filled] : memref<3xf32>
    }
    %number = arith.remui %step, %c3 : index
    %a = memref.load %tile[%number] : memref<3xf32>
    %again = arith.remui %step, %c3 : index
    %b = memref.load %tile[%again] : memref<3xf32>
    %product = arith.mulf %a, %b : f32
    %new = arith.addf %sum, %product : f32
    scf.yield %new : f32
  }
  return %result : f32
}

// Loops that fill nothing ahead, other steps and other numbers stay.
// CHECK-LABEL: func @others(
// CHECK: scf.for %[[I:.*]] = %c0 to %c16 step %c1 {
// CHECK: arith.remui %[[I]], %c3
// CHECK: scf.for %[[J:.*]] = %c0 to %c16 step %c2 {
// CHECK: arith.remui %[[J]], %c3
// CHECK: scf.for %[[K:.*]] = %{{.*}} to %c16 step %c1 {
// CHECK: arith.remui %[[K]], %c3
// CHECK: scf.for %[[L:.*]] = %c0 to %c16 step %c1 {
// CHECK: arith.remui %[[L]], %{{.*}}
func.func @others(%tile: memref<3xf32>, %x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %c16 step %c1 {
    %number = arith.remui %i, %c3 : index
    memref.store %x, %tile[%number] : memref<3xf32>
  }
  scf.for %j = %c0 to %c16 step %c2 {
    %group = nvgpu.device_async_create_group
    nvgpu.device_async_wait %group {numGroups = 1 : i32}
    %number = arith.remui %j, %c3 : index
    memref.store %x, %tile[%number] : memref<3xf32>
  }
  scf.for %k = %n to %c16 step %c1 {
    %group = nvgpu.device_async_create_group
    nvgpu.device_async_wait %group {numGroups = 1 : i32}
    %number = arith.remui %k, %c3 : index
    memref.store %x, %tile[%number] : memref<3xf32>
  }
  scf.for %l = %c0 to %c16 step %c1 {
    %group = nvgpu.device_async_create_group
    nvgpu.device_async_wait %group {numGroups = 1 : i32}
    %number = arith.remui %l, %n : index
    memref.store %x, %tile[%number] : memref<3xf32>
  }
  return
}

// Numbers of another type are no indices.
// CHECK-LABEL: func @narrow(
// CHECK: scf.for %[[I:.*]] = {{.*}} : i32 {
// CHECK: arith.remui %[[I]]
func.func @narrow(%x: memref<1xi32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %c16 = arith.constant 16 : i32
  %zero = arith.constant 0 : index
  scf.for %i = %c0 to %c16 step %c1 : i32 {
    %group = nvgpu.device_async_create_group
    nvgpu.device_async_wait %group {numGroups = 1 : i32}
    %number = arith.remui %i, %c3 : i32
    memref.store %number, %x[%zero] : memref<1xi32>
  }
  return
}

// Whether the filling that is read is an odd one, by which a phase of an mbarrier is
// known, changes when the number of its buffer becomes 0 again.
// CHECK-LABEL: func @phases(
// CHECK: scf.for %{{.*}} = %c4 to %c16 step %c1 iter_args(%[[READ:.*]] = %c1, %[[ODD:.*]] = %true) -> (index, i1)
// CHECK: nvgpu.mbarrier.try_wait.parity %{{.*}}[%[[READ]]], %[[ODD]],
// CHECK: %[[NEXT:.*]] = arith.addi %[[READ]], %c1
// CHECK: %[[NEXTREAD:.*]] = arith.remui %[[NEXT]], %c3
// CHECK: %[[WRAPS:.*]] = arith.cmpi eq, %[[NEXTREAD]], %c0
// CHECK: %[[NEXTODD:.*]] = arith.xori %[[ODD]], %[[WRAPS]]
// CHECK: scf.yield %[[NEXTREAD]], %[[NEXTODD]]
// The parity of another number of buffers, or of anything else, stays.
// CHECK: scf.for %[[I:.*]] = %c0 to %c16 step %c1 iter_args(%[[READ:.*]] = %c0) -> (index)
// CHECK: %[[FOUR:.*]] = arith.divui %[[I]], %c4
// CHECK: %[[REST:.*]] = arith.remui %[[FOUR]], %c2
// CHECK: %[[OTHER:.*]] = arith.cmpi eq, %[[REST]], %c1
// CHECK: nvgpu.mbarrier.try_wait.parity %{{.*}}[%[[READ]]], %[[OTHER]],
!mbarriers = !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>, num_barriers = 3>
func.func @phases(%m: !mbarriers, %time: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c4 to %c16 step %c1 {
    %number = arith.remui %i, %c3 : index
    %filling = arith.divui %i, %c3 : index
    %rest = arith.remui %filling, %c2 : index
    %odd = arith.cmpi eq, %rest, %c1 : index
    nvgpu.mbarrier.try_wait.parity %m[%number], %odd, %time : !mbarriers
  }
  scf.for %i = %c0 to %c16 step %c1 {
    %number = arith.remui %i, %c3 : index
    %filling = arith.divui %i, %c4 : index
    %rest = arith.remui %filling, %c2 : index
    %odd = arith.cmpi eq, %rest, %c1 : index
    nvgpu.mbarrier.try_wait.parity %m[%number], %odd, %time : !mbarriers
  }
  return
}

// Steps are counted from what comes before the loop on.
// CHECK-LABEL: func @before(
// CHECK-SAME: %[[BEFORE:[a-z0-9]*]]: index
// CHECK: %[[AHEAD:.*]] = arith.addi %[[BEFORE]], %c2
// CHECK: %[[FILLED:.*]] = arith.remui %[[AHEAD]], %c3
// CHECK: %[[READ:.*]] = arith.remui %[[BEFORE]], %c3
// CHECK: scf.for %{{.*}} = %c0 to %c16 step %c1 iter_args(%{{.*}} = %[[FILLED]], %{{.*}} = %[[READ]]) -> (index, index)
// CHECK-NOT: arith.addi %{{.*}}, %[[BEFORE]]
func.func @before(%before: index, %tile: memref<3xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : index
  scf.for %step = %c0 to %c16 step %c1 {
    %position = arith.addi %step, %before : index
    %group = nvgpu.device_async_create_group
    nvgpu.device_async_wait %group {numGroups = 1 : i32}
    %next = arith.addi %position, %c2 : index
    %filled = arith.remui %next, %c3 : index
    memref.store %x, %tile[%filled] : memref<3xf32>
    %number = arith.remui %position, %c3 : index
    memref.store %x, %tile[%number] : memref<3xf32>
  }
  return
}

// So is the parity of how often the buffer was filled.
// CHECK-LABEL: func @phases_before(
// CHECK-SAME: %[[BEFORE:[a-z0-9]*]]: index
// CHECK: %[[BEGIN:.*]] = arith.addi %[[BEFORE]], %c4
// CHECK: %[[FIRST:.*]] = arith.remui %[[BEGIN]], %c3
// CHECK: %[[AGAIN:.*]] = arith.addi %[[BEFORE]], %c4
// CHECK: %[[FILLING:.*]] = arith.divui %[[AGAIN]], %c3
// CHECK: %[[REST:.*]] = arith.remui %[[FILLING]], %c2
// CHECK: %[[FIRSTODD:.*]] = arith.cmpi eq, %[[REST]], %c1
// CHECK: scf.for %{{.*}} = %c4 to %c16 step %c1 iter_args(%[[READ:.*]] = %[[FIRST]], %[[ODD:.*]] = %[[FIRSTODD]]) -> (index, i1)
// CHECK: nvgpu.mbarrier.try_wait.parity %{{.*}}[%[[READ]]], %[[ODD]],
func.func @phases_before(%before: index, %m: !mbarriers, %time: index) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c4 to %c16 step %c1 {
    %position = arith.addi %i, %before : index
    %number = arith.remui %position, %c3 : index
    %filling = arith.divui %position, %c3 : index
    %rest = arith.remui %filling, %c2 : index
    %odd = arith.cmpi eq, %rest, %c1 : index
    nvgpu.mbarrier.try_wait.parity %m[%number], %odd, %time : !mbarriers
  }
  return
}
