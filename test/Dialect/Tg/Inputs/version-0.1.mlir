// A module of version 0.1 that has every operation. It is never changed: see versions.test.

module @ops {
  func.func @unary(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = tg.neg %arg0 : tensor<4xf32>
    %1 = tg.recip %arg0 : tensor<4xf32>
    %2 = tg.sqrt %arg0 : tensor<4xf32>
    %3 = tg.exp2 %arg0 : tensor<4xf32>
    %4 = tg.exp %arg0 : tensor<4xf32>
    %5 = tg.expm1 %arg0 : tensor<4xf32>
    %6 = tg.log2 %arg0 : tensor<4xf32>
    %7 = tg.log %arg0 : tensor<4xf32>
    %8 = tg.log1p %arg0 : tensor<4xf32>
    %9 = tg.sin %arg0 : tensor<4xf32>
    %10 = tg.cos %arg0 : tensor<4xf32>
    %11 = tg.tan %arg0 : tensor<4xf32>
    %12 = tg.asin %arg0 : tensor<4xf32>
    %13 = tg.acos %arg0 : tensor<4xf32>
    %14 = tg.atan %arg0 : tensor<4xf32>
    %15 = tg.tanh %arg0 : tensor<4xf32>
    %16 = tg.erf %arg0 : tensor<4xf32>
    %17 = tg.trunc %arg0 : tensor<4xf32>
    %18 = tg.neg %arg0 {note = "kept"} : tensor<4xf32>
    return %18 : tensor<4xf32>
  }
  func.func @casts(%arg0: tensor<4xf32>, %arg1: f32, %arg2: index) {
    %0 = tg.cast %arg0 : tensor<4xf32> -> tensor<4xui8>
    %1 = tg.cast %arg0 : tensor<4xf32> -> tensor<4xi1>
    %2 = tg.cast %arg0 : tensor<4xf32> -> tensor<4xf8E4M3FN>
    %3 = tg.cast %arg0 : tensor<4xf32> -> tensor<4xf8E5M2FNUZ>
    %4 = tg.cast %arg1 : f32 -> bf16
    %5 = tg.cast %arg2 : index -> ui32
    %6 = tg.bitcast %arg0 : tensor<4xf32> -> tensor<4xui32>
    %7 = tg.bitcast %2 : tensor<4xf8E4M3FN> -> tensor<4xi8>
    %8 = tg.bitcast %arg1 : f32 -> i32
    return
  }
  func.func @binary_float(%arg0: tensor<2x3xf16>, %arg1: tensor<2x3xf16>) {
    %0 = tg.add %arg0, %arg1 : tensor<2x3xf16>
    %1 = tg.sub %arg0, %arg1 : tensor<2x3xf16>
    %2 = tg.mul %arg0, %arg1 : tensor<2x3xf16>
    %3 = tg.fdiv %arg0, %arg1 : tensor<2x3xf16>
    %4 = tg.max %arg0, %arg1 : tensor<2x3xf16>
    %5 = tg.pow %arg0, %arg1 : tensor<2x3xf16>
    %6 = tg.mulacc %arg0, %arg1, %arg0 : tensor<2x3xf16>
    return
  }
  func.func @binary_int(%arg0: tensor<ui64>, %arg1: tensor<ui64>) {
    %0 = tg.idiv %arg0, %arg1 : tensor<ui64>
    %1 = tg.floordiv %arg0, %arg1 : tensor<ui64>
    %2 = tg.mod %arg0, %arg1 : tensor<ui64>
    %3 = tg.floormod %arg0, %arg1 : tensor<ui64>
    %4 = tg.and %arg0, %arg1 : tensor<ui64>
    %5 = tg.or %arg0, %arg1 : tensor<ui64>
    %6 = tg.xor %arg0, %arg1 : tensor<ui64>
    %7 = tg.shl %arg0, %arg1 : tensor<ui64>
    %8 = tg.shr %arg0, %arg1 : tensor<ui64>
    %9 = tg.threefry %arg0, %arg1 : tensor<ui64>
    %10 = tg.mulacc %arg0, %arg1, %arg0 : tensor<ui64>
    return
  }
  func.func @bool(%arg0: tensor<4xi1>, %arg1: tensor<4xi1>) {
    %0 = tg.add %arg0, %arg1 : tensor<4xi1>
    %1 = tg.mul %arg0, %arg1 : tensor<4xi1>
    %2 = tg.max %arg0, %arg1 : tensor<4xi1>
    %3 = tg.and %arg0, %arg1 : tensor<4xi1>
    %4 = tg.cmplt %arg0, %arg1 : tensor<4xi1>
    return
  }
  func.func @compare_and_select(%arg0: tensor<4xf64>, %arg1: tensor<4xf64>) -> tensor<4xi1> {
    %0 = tg.cmplt %arg0, %arg1 : tensor<4xf64>
    %1 = tg.cmpeq %arg0, %arg1 : tensor<4xf64>
    %2 = tg.cmpne %arg0, %arg1 : tensor<4xf64>
    %3 = tg.where %0, %arg0, %arg1 : tensor<4xf64>
    %4 = tg.where %0, %arg0, %arg1 {note} : tensor<4xf64>
    return %0 : tensor<4xi1>
  }
  func.func @fp8_is_storage(%arg0: tensor<2xf8E5M2>, %arg1: tensor<2xi1>) {
    %0 = tg.where %arg1, %arg0, %arg0 : tensor<2xf8E5M2>
    %1 = tg.pad %arg0 low [1] high [0] : tensor<2xf8E5M2> -> tensor<3xf8E5M2>
    %2 = tg.copy %arg0 to "CPU" : tensor<2xf8E5M2>
    return
  }
  func.func @constants() {
    %0 = tg.const(1.000000e+00 : f32) : tensor<4x4xf32>
    %1 = tg.const(dense<[1, 2]> : tensor<2xi32>) : tensor<2xi32>
    %2 = tg.const(dense<[1, 255]> : tensor<2xui8>) : tensor<2xui8>
    %3 = tg.const(true) : tensor<4xi1>
    %4 = tg.const(7 : index) : index
    %5 = tg.const(-1 : i64) : i64
    %6 = tg.const(0xFFC00000 : f32) : f32
    %7 = tg.const(-0.000000e+00 : bf16) : tensor<bf16>
    %8 = tg.const(1.500000e+00 : f8E4M3FN) : tensor<2xf8E4M3FN>
    %9 = tg.const(dense<> : tensor<0x3xf32>) : tensor<0x3xf32>
    %10 = tg.const(1.000000e+00 : f32) : vector<4xf32>
    %11 = tg.iota 1 : tensor<2x5xf32>
    %12 = tg.iota 0 : tensor<300xui8>
    return
  }
  func.func @reduce(%arg0: tensor<4x8xf32>, %arg1: tensor<4xi1>) {
    %0 = tg.reduce add %arg0 axes [1] : tensor<4x8xf32> -> tensor<4x1xf32>
    %1 = tg.reduce mul %arg0 axes [0, 1] : tensor<4x8xf32> -> tensor<1x1xf32>
    %2 = tg.reduce max %arg0 axes [] : tensor<4x8xf32> -> tensor<4x8xf32>
    %3 = tg.reduce max %arg1 axes [0] : tensor<4xi1> -> tensor<1xi1>
    return
  }
  func.func @movement(%arg0: tensor<4x6xf32>, %arg1: tensor<4x1xf32>, %arg2: tensor<f32>) {
    %0 = tg.reshape %arg0 : tensor<4x6xf32> -> tensor<2x12xf32>
    %1 = tg.reshape %arg2 : tensor<f32> -> tensor<1x1xf32>
    %2 = tg.permute %arg0 [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
    %3 = tg.permute %arg2 [] : tensor<f32> -> tensor<f32>
    %4 = tg.expand %arg1 : tensor<4x1xf32> -> tensor<4x6xf32>
    %5 = tg.expand %arg1 : tensor<4x1xf32> -> tensor<4x0xf32>
    %6 = tg.pad %arg0 low [0, 1] high [2, 0] : tensor<4x6xf32> -> tensor<6x7xf32>
    %7 = tg.shrink %arg0 from [0, 2] to [4, 5] : tensor<4x6xf32> -> tensor<4x3xf32>
    %8 = tg.shrink %arg0 from [2, 0] to [2, 6] : tensor<4x6xf32> -> tensor<0x6xf32>
    %9 = tg.flip %arg0 axes [0, 1] : tensor<4x6xf32>
    return
  }
  func.func @buffers(%arg0: tensor<4x4xf32>, %arg1: tensor<2x8xf32>) {
    %0 = tg.buffer 3 on "CPU" : tensor<4x4xf32>
    %1 = tg.copy %arg0 to "CUDA:1" : tensor<4x4xf32>
    %2 = tg.contiguous %arg0 : tensor<4x4xf32>
    %3 = tg.detach %arg0 : tensor<4x4xf32>
    %4 = tg.with_derivative %arg0 of %arg0 by %arg0 : tensor<4x4xf32>
    %5 = tg.assign %0, %arg0 : tensor<4x4xf32>
    %6 = tg.assign %5, %arg0 : tensor<4x4xf32>
    %7 = tg.reshape %arg0 : tensor<4x4xf32> -> tensor<2x8xf32>
    %8 = tg.flip %7 axes [1] : tensor<2x8xf32>
    %9 = tg.assign %8, %arg1 : tensor<2x8xf32>
    return
  }
  func.func @contents_at_a_time(%arg0: tensor<4xf32>, %arg1: tensor<2xf32>) {
    %0 = tg.after %arg0 : tensor<4xf32>
    %1 = tg.shrink %arg0 from [0] to [2] : tensor<4xf32> -> tensor<2xf32>
    %2 = tg.assign %1, %arg1 : tensor<2xf32>
    %3 = tg.after %arg0[%2 : tensor<2xf32>] : tensor<4xf32>
    return
  }
  tg.kernel @E_16(%arg0: memref<16xf32>, %arg1: memref<16xf32>) attributes {outputs = 1 : i64} {
    %0 = tg.range 0 loop 16
    %1 = tg.load %arg1[%0] : memref<16xf32>
    %2 = tg.neg %1 : f32
    tg.store %2, %arg0[%0] : memref<16xf32>
  }
  tg.kernel @hints(%arg0: memref<16xf32>, %arg1: memref<16xf32>) attributes {outputs = 1 : i64} {
    %0 = tg.range 0 loop 16
    %1 = tg.load %arg1[%0] prefetch 64 : memref<16xf32>
    tg.store %1, %arg0[%0] nontemporal : memref<16xf32>
    tg.store %1, %arg0[%0] prefetch 16 : memref<16xf32>
  }
  tg.kernel @in_place(%arg0: memref<16xf32>) attributes {in_place, outputs = 1 : i64} {
    %0 = tg.range 0 thread 16
    %1 = tg.load %arg0[%0] : memref<16xf32>
    tg.store %1, %arg0[%0] : memref<16xf32>
  }
  tg.kernel @empty() attributes {outputs = 0 : i64} {
  }
  tg.kernel @all_kinds(%arg0: memref<1xf32>, %arg1: memref<33xf32>) attributes {outputs = 1 : i64} {
    %0 = tg.range 0 loop 33 peel 1
    %1 = tg.range 1 thread 4 peel 2
    %2 = tg.range 2 global 4
    %3 = tg.range 3 local 4
    %4 = tg.range 4 upcast 4
    %5 = tg.range 5 unroll 4
    %6 = tg.range 6 group_reduce 4
    %7 = tg.range 7 loop 0
  }
  tg.kernel @masks_and_reduces(%arg0: memref<1xf32>, %arg1: memref<32xf32>) attributes {outputs = 1 : i64} {
    %0 = tg.range 0 loop 8
    %1 = tg.range 1 loop 5
    %2 = tg.const(5 : index) : index
    %3 = tg.mul %0, %2 : index
    %4 = tg.add %3, %1 : index
    %5 = tg.const(32 : index) : index
    %6 = tg.cmplt %4, %5 : index
    %7 = tg.load %arg1[%4] mask %6 : memref<32xf32>
    %8 = tg.ranged_reduce add %7 over %0, %1 : f32
    %9 = tg.ranged_reduce max %7 over %1 : f32
    %10 = tg.ranged_reduce mul %8 over  : f32
    %11 = tg.const(0 : index) : index
    %12 = tg.const(true) : i1
    tg.store %10, %arg0[%11] mask %12 : memref<1xf32>
  }
  tg.kernel @staged(%arg0: memref<32xf32>, %arg1: memref<32xf32>) attributes {outputs = 1 : i64} {
    %0 = tg.range 0 global 2
    %1 = tg.range 1 local 16
    %2 = tg.const(16 : index) : index
    %3 = tg.mul %0, %2 : index
    %4 = tg.add %3, %1 : index
    %5 = tg.load %arg1[%4] : memref<32xf32>
    %6 = tg.stage %5 over %1 in group : memref<16xf32>
    %7 = tg.barrier %6 : memref<16xf32>
    %8 = tg.load %7[%1] : memref<16xf32>
    tg.store %8, %arg0[%4] : memref<32xf32>
  }
  tg.kernel @staged_by_items(%arg0: memref<16xf32>, %arg1: memref<16xf32>) attributes {outputs = 1 : i64} {
    %0 = tg.range 0 loop 16
    %1 = tg.load %arg1[%0] : memref<16xf32>
    %2 = tg.stage %1 over %0 : memref<16xf32>
    %3 = tg.barrier %2 : memref<16xf32>
    %4 = tg.load %3[%0] : memref<16xf32>
    tg.store %4, %arg0[%0] : memref<16xf32>
  }
  tg.kernel @memory_spaces(%arg0: memref<16xf32, 1>, %arg1: memref<16xf32, "constant">) attributes {outputs = 1 : i64} {
    %0 = tg.range 0 loop 16
    %1 = tg.load %arg1[%0] : memref<16xf32, "constant">
    %2 = tg.stage %1 over %0 in group : memref<16xf32, 3>
    %3 = tg.barrier %2 : memref<16xf32, 3>
    %4 = tg.load %3[%0] : memref<16xf32, 3>
    tg.store %4, %arg0[%0] : memref<16xf32, 1>
  }
  tg.kernel @two_passes(%arg0: memref<1xf32>, %arg1: memref<8xf32>) attributes {outputs = 1 : i64} {
    %0 = tg.const(0 : index) : index
    %1 = tg.range 0 loop 8
    %2 = tg.load %arg1[%1] : memref<8xf32>
    %3 = tg.ranged_reduce max %2 over %1 : f32
    %4 = tg.sub %2, %3 : f32
    %5 = tg.ranged_reduce add %4 over %1 : f32
    tg.store %5, %arg0[%0] : memref<1xf32>
  }
  func.func @host(%arg0: memref<16xf32>, %arg1: memref<?xf32>) -> memref<16xf32> {
    %0 = tg.alloc on "CPU" : memref<4096xi8>
    %1 = tg.subbuffer %0 at (256) : memref<4096xi8> -> memref<16xf32>
    tg.launch @E_16(%1, %arg0) : memref<16xf32>, memref<16xf32>
    tg.launch @in_place(%1) : memref<16xf32>
    tg.launch @empty()
    %2 = tg.alloc on "CUDA" : memref<16xf32>
    tg.transfer %1 to %2 : memref<16xf32>
    %3 = tg.literal dense<[1, 2, 3]> : tensor<3xi32> on "CPU" : memref<3xi32>
    return %2 : memref<16xf32>
  }
}

module @ops_order {
  func.func @graph(%arg0: tensor<16x4xf32>, %arg1: tensor<100x4xi32>, %arg2: tensor<100x4xf32>, %arg3: tensor<2x?xf16, #tg.shape<2, #tg.var<"n", 0, 9>>>) {
    %0 = tg.scan add %arg0 axis 1 : tensor<16x4xf32>
    %1 = tg.scan mul %arg0 axis 0 : tensor<16x4xf32>
    %2 = tg.scan max %arg3 axis 1 : tensor<2x?xf16, #tg.shape<2, #tg.var<"n", 0, 9>>>
    %3 = tg.scan logaddexp %arg0 axis 0 : tensor<16x4xf32>
    %4 = tg.scatter set %arg0[%arg1], %arg2 axis 0 : tensor<16x4xf32>, tensor<100x4xi32>, tensor<100x4xf32>
    %5 = tg.scatter min %arg0[%arg1], %arg2 axis 0 : tensor<16x4xf32>, tensor<100x4xi32>, tensor<100x4xf32>
    %6 = tg.argsort %arg0 : tensor<16x4xf32> -> tensor<16x4xi32>
    %7 = tg.argsort %arg0 descending : tensor<16x4xf32> -> tensor<16x4xi64>
    return
  }
  tg.kernel @kernel(%arg0: memref<64xf32>, %arg1: memref<64xf32>, %arg2: memref<16xi32>) attributes {in_place, outputs = 1 : i64} {
    %0 = tg.range 0 thread 4
    %1 = tg.range 1 loop 4
    %2 = tg.range 2 upcast 4
    %3 = tg.const(4 : index) : index
    %4 = tg.mul %0, %3 : index
    %5 = tg.add %4, %1 : index
    %6 = tg.load %arg1[%5] : memref<64xf32>
    %7 = tg.ranged_scan add %6 over %1, %2 : f32
    %8 = tg.ranged_scan logaddexp %6 over %1 : f32
    tg.store %7, %arg0[%0] update add over %1, %2 : memref<64xf32>
    %9 = tg.const(true) : i1
    tg.store %8, %arg0[%0] mask %9 update set : memref<64xf32>
  }
  func.func @host(%arg0: memref<32xf32>, %arg1: memref<32xi32>) {
    tg.sort %arg0 to %arg1 rows 4 length (7) : memref<32xf32>, memref<32xi32>
    tg.sort %arg0 to %arg1 rows 4 length (#tg.var<"n", 0, 8>) descending : memref<32xf32>, memref<32xi32>
    return
  }
}

module @steps {
  tg.kernel @lists(%arg0: memref<4xf32>) attributes {outputs = 1 : i64, schedule = [#tg.step<split [0] by 16 into [3, 4]>, #tg.step<split [0] by 16>, #tg.step<merge [0, 1] into [2]>, #tg.step<reverse [2] into [3]>, #tg.step<move [3, 0]>, #tg.step<set_kind [3] as upcast>, #tg.step<set_kind [3] as loop>, #tg.step<unshare ranged_reduce 1 into [5]>, #tg.step<unshare ranged_reduce 2 [5]>, #tg.step<accumulate ranged_reduce 0,  ranged_reduce 1 [5]>, #tg.step<stage load 1 [0, 5] by 4 into [6, 7]>, #tg.step<stage "other.op" 0 [0]>, #tg.step<stage_window load 1,  ranged_reduce 0 [0, 1] by 8 into [8, 9, 10]>, #tg.step<reuse exp2 1,  stage 0 [1]>, #tg.step<skip_masked ranged_reduce 0,  load 1 [2, 3]>, #tg.step<check_finite ranged_reduce 0 [4] by 16 into [11, 12, 13, 14, 15]>, #tg.step<prefetch load 0 by 64>, #tg.step<prefetch store 0 by 1>, #tg.step<nontemporal store 0>, #tg.step<contract ranged_reduce 0 on mma_m16n8k16_f16>, #tg.step<contract ranged_reduce 1 on wmma12_16x16x16_i8>, #tg.step<buffer stage 1 by 3>, #tg.step<partition by 64 into [3]>, #tg.step<partition by 2>], scheduled = []} {
  }
}

module @symbolic {
  func.func private @types(tensor<?x4xf32, #tg.shape<#tg.var<"n", 1, 8>, 4>>, tensor<?xf16, #tg.shape<#tg.dim<floordiv, #tg.var<"n", 1, 8>, 2>>>) attributes {a = #tg.dim<add, #tg.var<"n", 1, 8>, 2>, b = #tg.dim<add, #tg.dim<mul, #tg.dim<floordiv, #tg.var<"n", 1, 8>, 3>, -3>, #tg.dim<max, #tg.dim<add, #tg.dim<mul, #tg.dim<floordiv, #tg.var<"n", 1, 8>, 3>, 3>, 1>, #tg.var<"n", 1, 8>>>}
  func.func @program(%arg0: tensor<?x4xf32, #tg.shape<#tg.var<"n", 1, 8>, 4>> {tg.device = "CPU"}) -> tensor<?x1xf32, #tg.shape<#tg.var<"n", 1, 8>, 1>> {
    %0 = tg.exp2 %arg0 : tensor<?x4xf32, #tg.shape<#tg.var<"n", 1, 8>, 4>>
    %1 = tg.reduce max %0 axes [1] : tensor<?x4xf32, #tg.shape<#tg.var<"n", 1, 8>, 4>> -> tensor<?x1xf32, #tg.shape<#tg.var<"n", 1, 8>, 1>>
    return %1 : tensor<?x1xf32, #tg.shape<#tg.var<"n", 1, 8>, 1>>
  }
}

module @views {
  func.func @views(%arg0: tensor<4x6xf32>) {
    %0 = tg.strided %arg0 [#tg.view<[6, 4] strides [1, 6]>] : tensor<4x6xf32> -> tensor<6x4xf32>
    %1 = tg.strided %arg0 [#tg.view<[6, 6] strides [6, -1] offset -1 mask [1 to 5, 0 to 6]>] : tensor<4x6xf32> -> tensor<6x6xf32>
    %2 = tg.strided %arg0 [#tg.view<[6, 4] strides [1, 6]>, #tg.view<[24] strides [1]>] : tensor<4x6xf32> -> tensor<24xf32>
    %3 = tg.strided %arg0 [#tg.view<[3, 3] strides [1, 1]>] : tensor<4x6xf32> -> tensor<3x3xf32>
    %4 = tg.strided %arg0 [#tg.view<[] strides [] offset 23>] : tensor<4x6xf32> -> tensor<f32>
    return
  }
}

module @scheduled attributes {tg.target = #tg.target<"cpu:x86-64-v3", vector_bytes = 32, vector_registers = 16>} {
  tg.kernel @r_4_8_n0(%arg0: memref<4xf32>, %arg1: memref<32xf32>) attributes {outputs = 1 : i64, scheduled = [#tg.step<split [1] by 8 into [2, 3]>, #tg.step<set_kind [3] as upcast>, #tg.step<set_kind [0] as thread>]} {
    %0 = tg.const(8 : index) : index
    %1 = tg.range 0 thread 4
    %2 = tg.range 2 loop 1
    %3 = tg.range 3 upcast 8
    %4 = tg.mul %1, %0 : index
    %5 = tg.add %3, %4 : index
    %6 = tg.load %arg1[%5] : memref<32xf32>
    %7 = tg.exp2 %6 : f32
    %8 = tg.ranged_reduce add %7 over %2, %3 : f32
    tg.store %8, %arg0[%1] : memref<4xf32>
  }
  func.func @main(%arg0: memref<32xf32>) -> memref<4xf32> {
    %0 = tg.alloc on "CPU" : memref<4xf32>
    tg.launch @r_4_8_n0(%0, %arg0) : memref<4xf32>, memref<32xf32>
    return %0 : memref<4xf32>
  }
}
