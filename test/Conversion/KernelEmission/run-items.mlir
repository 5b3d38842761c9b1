// RUN: tg-test-opt %s --test-convert-tg-to-items --convert-scf-to-cf --convert-vector-to-llvm \
// RUN:   --convert-math-to-llvm --convert-arith-to-llvm --finalize-memref-to-llvm --convert-func-to-llvm \
// RUN:   --convert-cf-to-llvm --reconcile-unrealized-casts \
// RUN: | mlir-runner -e main -entry-point-result=void \
// RUN:     --shared-libs=%llvm_lib_dir/libmlir_runner_utils.so,%llvm_lib_dir/libmlir_c_runner_utils.so \
// RUN: | FileCheck %s

// Kernels of the second code generator compute what they should: lanes, masks,
// unrolled copies, reductions, an update, and f16 as floats.

// Rows of 5 added up two lanes at a time: a mask leaves out the sixth column.
tg.kernel @row_sums(%out: memref<4xf32>, %a: memref<20xf16>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 global 4
  %j = tg.range 1 loop 3
  %l = tg.range 2 upcast 2
  %two = tg.const(2 : index) : index
  %five = tg.const(5 : index) : index
  %pair = tg.mul %j, %two : index
  %column = tg.add %pair, %l : index
  %inside = tg.cmplt %column, %five : index
  %row = tg.mul %i, %five : index
  %at = tg.add %row, %column : index
  %x = tg.load %a[%at] mask %inside : memref<20xf16>
  %y = tg.add %x, %x : f16
  %w = tg.cast %y : f16 -> f32
  %s = tg.ranged_reduce add %w over %j, %l : f32
  tg.store %s, %out[%i] : memref<4xf32>
}

// Every second element is the greatest of three neighbors, in two unrolled
// copies; the result is added to what is there.
tg.kernel @windows(%out: memref<4xf32>, %a: memref<8xf32>) attributes {outputs = 1 : i64, in_place} {
  %i = tg.range 0 local 2
  %u = tg.range 1 unroll 2
  %k = tg.range 2 loop 3
  %two = tg.const(2 : index) : index
  %eight = tg.const(8 : index) : index
  %first = tg.mul %i, %two : index
  %to = tg.add %first, %u : index
  %from = tg.mul %to, %two : index
  %at = tg.add %from, %k : index
  %inside = tg.cmplt %at, %eight : index
  %x = tg.load %a[%at] mask %inside : memref<8xf32>
  %m = tg.ranged_reduce max %x over %k : f32
  tg.store %m, %out[%to] update add : memref<4xf32>
}

func.func private @printMemrefF32(memref<*xf32>)

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c20 = arith.constant 20 : index
  %out = memref.alloc() : memref<4xf32>
  %half = memref.alloc() : memref<20xf16>
  %full = memref.alloc() : memref<8xf32>
  scf.for %i = %c0 to %c20 step %c1 {
    %n = arith.index_cast %i : index to i32
    %x = arith.sitofp %n : i32 to f16
    memref.store %x, %half[%i] : memref<20xf16>
  }
  scf.for %i = %c0 to %c8 step %c1 {
    %n = arith.index_cast %i : index to i32
    %x = arith.sitofp %n : i32 to f32
    memref.store %x, %full[%i] : memref<8xf32>
  }
  %any = memref.cast %out : memref<4xf32> to memref<*xf32>
  tg.launch @row_sums(%out, %half) : memref<4xf32>, memref<20xf16>
  // CHECK: [20, 70, 120, 170]
  func.call @printMemrefF32(%any) : (memref<*xf32>) -> ()
  tg.launch @windows(%out, %full) : memref<4xf32>, memref<8xf32>
  // CHECK: [22, 74, 126, 177]
  func.call @printMemrefF32(%any) : (memref<*xf32>) -> ()
  return
}
