// RUN: tg-opt %s --convert-gpu-to-sim | FileCheck %s

// A function of a work item becomes one that the simulator calls with the
// address of the item's state. Parts of the group's memory are views of the
// buffer after the kernel's own.
// CHECK-DAG: func.func private @tg_sim_access(i64, i64, i64, i64, i64, i64, i64, i64) -> i64
// CHECK-DAG: func.func private @tg_sim_barrier(i64, i64)
// CHECK-DAG: func.func private @tg_sim_shuffle(i64, i64, i64, i64, i64, i64) -> i64
// CHECK: func.func @kernel(
// CHECK-SAME: %[[OUT:[a-z0-9]+]]: memref<64xf32>, %[[A:[a-z0-9]+]]: memref<64xf32>, %[[SHARED:[a-z0-9]+]]: memref<144xi8>, %[[ITEM:[a-z0-9]+]]: index, %{{[a-z0-9]+}}: index, %[[N:[a-z0-9]+]]: index)
// CHECK-SAME: tg.in_place, tg.outputs = 1 : i64, tg.parallel_extent = 1 : i64, tg.variables = [#n]
// CHECK: %[[OFFSET:.*]] = arith.constant 16 : index
// CHECK: %[[TILE:.*]] = memref.view %[[SHARED]][%[[OFFSET]]][] : memref<144xi8> to memref<32xf32>
gpu.module @kernels {
  gpu.func @kernel(%out: memref<64xf32>, %a: memref<64xf32>, %n: index)
      workgroup(%flag: memref<3xi8, #gpu.address_space<workgroup>>, %tile: memref<32xf32, #gpu.address_space<workgroup>>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>, tg.outputs = 1 : i64, tg.variables = [#tg.var<"n", 1, 16>]} {
    // CHECK: llvm.getelementptr %{{.*}}[3]
    // CHECK: %[[WORD:.*]] = llvm.load
    // CHECK: %[[I:.*]] = arith.index_castui %[[WORD]] : i32 to index
    %i = gpu.thread_id x
    // Every access is announced: the item, the address of the memory, the first
    // element and their number, the size of the memory and of an element, what
    // kind of access it is, and the number of the buffer.
    // CHECK: %[[BASE:.*]] = memref.extract_aligned_pointer_as_index %[[A]]
    // CHECK: call @tg_sim_access(
    // CHECK-NEXT: %[[X:.*]] = memref.load %[[A]][%[[I]]]
    %x = memref.load %a[%i] : memref<64xf32>
    // CHECK: %[[BITS:.*]] = arith.bitcast %[[X]] : f32 to i32
    // CHECK: arith.extui %[[BITS]] : i32 to i64
    // CHECK: call @tg_sim_shuffle(
    // CHECK: arith.trunci
    // CHECK: arith.bitcast
    %c1 = arith.constant 1 : i32
    %c32 = arith.constant 32 : i32
    %y, %valid = gpu.shuffle xor %x, %c1, %c32 : f32
    // CHECK: call @tg_sim_access(
    // CHECK-NEXT: memref.store %{{.*}}, %[[TILE]][%[[I]]] : memref<32xf32>
    memref.store %y, %tile[%i] : memref<32xf32, #gpu.address_space<workgroup>>
    // CHECK: call @tg_sim_barrier(
    gpu.barrier
    %c4 = arith.constant 4 : index
    %j = arith.muli %i, %c4 : index
    // CHECK: %[[COUNT:.*]] = arith.constant 4 : i64
    // CHECK: call @tg_sim_access(%{{.*}}, %{{.*}}, %{{.*}}, %[[COUNT]],
    // CHECK-NEXT: vector.load %[[TILE]]
    %v = vector.load %tile[%j] : memref<32xf32, #gpu.address_space<workgroup>>, vector<4xf32>
    // CHECK: call @tg_sim_access(
    // CHECK-NEXT: vector.store %{{.*}}, %[[OUT]]
    vector.store %v, %out[%j] : memref<64xf32>, vector<4xf32>
    // Large memory of an item is on the heap.
    // CHECK: %[[OWN:.*]] = memref.alloc() : memref<2048xf32>
    %own = memref.alloca() : memref<2048xf32>
    %c0 = arith.constant 0 : index
    memref.store %x, %own[%c0] : memref<2048xf32>
    // CHECK: memref.dealloc %[[OWN]]
    // CHECK-NEXT: return
    gpu.return
  }
}
