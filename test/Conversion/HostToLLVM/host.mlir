// RUN: tg-opt %s -split-input-file --convert-tg-host-to-llvm | FileCheck %s
// RUN: tg-opt %s -split-input-file --convert-tg-host-to-llvm=threads=true \
// RUN:   | FileCheck %s --check-prefix=THREADS
// What is made translates to LLVM IR.
// RUN: tg-opt %s -split-input-file --convert-tg-host-to-llvm=threads=true \
// RUN:   | mlir-translate -split-input-file --mlir-to-llvmir -o /dev/null

// Buffers are pointers: of arguments and results the caller's, of intermediates into
// memory that it gives. The second result is an argument that is written: it has no
// pointer. The third is part of an intermediate, which is copied.

// CHECK-LABEL: llvm.func @step(
// CHECK-SAME:    %[[X:.*]]: !llvm.ptr, %[[W:[^:]*]]: !llvm.ptr, %[[Y:[^:]*]]: !llvm.ptr, %[[Z:[^:]*]]: !llvm.ptr, %[[SCRATCH:[^:]*]]: !llvm.ptr)
// CHECK-SAME:    tg.scratch_bytes = 192 : i64
// CHECK-DAG:     %[[BUFFERS:.*]] = llvm.alloca %{{.*}} x !llvm.ptr
// CHECK-DAG:     %[[NUMBERS:.*]] = llvm.alloca %{{.*}} x i64
// CHECK:         %[[A:.*]] = llvm.getelementptr %[[SCRATCH]][%{{.*}}] : (!llvm.ptr, i64) -> !llvm.ptr, i8
// CHECK:         %[[B:.*]] = llvm.getelementptr %[[A]][%{{.*}}] : (!llvm.ptr, i64) -> !llvm.ptr, i8
// CHECK:         llvm.store %[[B]], %{{.*}} : !llvm.ptr, !llvm.ptr
// CHECK:         llvm.store %[[X]], %{{.*}} : !llvm.ptr, !llvm.ptr
// CHECK:         %[[ZERO:.*]] = llvm.mlir.constant(0 : i64) : i64
// CHECK:         llvm.call @twice(%[[BUFFERS]], %[[NUMBERS]], %[[ZERO]], %{{.*}}) : (!llvm.ptr, !llvm.ptr, i64, i64) -> ()
// CHECK:         llvm.store %[[Y]], %{{.*}} : !llvm.ptr, !llvm.ptr
// CHECK:         llvm.call @twice
// CHECK:         llvm.store %[[W]], %{{.*}} : !llvm.ptr, !llvm.ptr
// CHECK:         llvm.call @twice
// CHECK:         "llvm.intr.memcpy"(%[[Z]], %{{.*}}, %{{.*}})
// CHECK:         llvm.return
// CHECK:       llvm.func @twice(!llvm.ptr, !llvm.ptr, i64, i64)
// CHECK-NOT:   tg.

// One position: no threads. Four: the caller's, if there are any.
// THREADS-LABEL: llvm.func @step(
// THREADS-SAME:    %[[T:[^:]*]]: !llvm.ptr) attributes
// THREADS:         %[[K:.*]] = llvm.mlir.addressof @twice
// THREADS:         llvm.call @tg.parallel(%[[T]], %[[K]], %{{.*}}, %{{.*}}, %{{.*}})
// THREADS:       llvm.func internal @tg.parallel(
// THREADS:         llvm.cond_br
// THREADS:       llvm.func internal @tg.part(
tg.kernel @twice(%out: memref<16xf32>, %x: memref<16xf32>) attributes {in_place, outputs = 1 : i64} {
  %n = tg.const(4 : index) : index
  %i = tg.range 0 thread 4
  %j = tg.range 1 loop 4
  %0 = tg.mul %i, %n : index
  %1 = tg.add %0, %j : index
  %2 = tg.load %x[%1] : memref<16xf32>
  %3 = tg.add %2, %2 : f32
  tg.store %3, %out[%1] : memref<16xf32>
}
func.func @step(%x: memref<16xf32>, %w: memref<16xf32>) -> (memref<16xf32>, memref<16xf32>, memref<4xf32>) {
  %a = tg.alloc on "CPU" : memref<48xf32>
  %b = tg.subbuffer %a at (64) : memref<48xf32> -> memref<16xf32>
  %c = tg.alloc on "CPU" : memref<16xf32>
  tg.launch @twice(%b, %x) : memref<16xf32>, memref<16xf32>
  tg.launch @twice(%c, %b) : memref<16xf32>, memref<16xf32>
  tg.launch @twice(%w, %c) : memref<16xf32>, memref<16xf32>
  %d = tg.subbuffer %b at (16) : memref<16xf32> -> memref<4xf32>
  return %c, %w, %d : memref<16xf32>, memref<16xf32>, memref<4xf32>
}

// -----

// Literals are constants of the module; bools take a byte. A result that is returned
// twice, and an argument that is not written, are copied.

// CHECK:       llvm.mlir.global internal constant @copies.literal0(dense<[1, 0, 1]> : tensor<3xi8>) {{.*}}alignment = 64
// CHECK-LABEL: llvm.func @copies(
// CHECK-SAME:    %[[X:.*]]: !llvm.ptr, %[[A:[^:]*]]: !llvm.ptr, %[[B:[^:]*]]: !llvm.ptr, %[[C:[^:]*]]: !llvm.ptr, %[[D:[^:]*]]: !llvm.ptr, %{{.*}}: !llvm.ptr)
// CHECK:         "llvm.intr.memcpy"(%[[A]], %[[X]], %{{.*}})
// CHECK:         %[[L:.*]] = llvm.mlir.addressof @copies.literal0
// CHECK:         "llvm.intr.memcpy"(%[[B]], %[[A]], %{{.*}})
// CHECK:         "llvm.intr.memcpy"(%[[C]], %[[L]], %{{.*}})
// CHECK:         "llvm.intr.memcpy"(%[[D]], %[[X]], %{{.*}})
func.func @copies(%x: memref<4xf32>) -> (memref<4xf32>, memref<4xf32>, memref<3xi1>, memref<4xf32>) {
  %a = tg.alloc on "CPU" : memref<4xf32>
  tg.transfer %x to %a : memref<4xf32>
  %l = tg.literal dense<[true, false, true]> : tensor<3xi1> on "CPU" : memref<3xi1>
  return %a, %a, %l, %x : memref<4xf32>, memref<4xf32>, memref<3xi1>, memref<4xf32>
}

// -----

// Sizes are arguments, by name; a number of a launch is a constant.

// CHECK-LABEL: llvm.func @symbolic(
// CHECK-SAME:    %{{.*}}: !llvm.ptr, %[[Y:[^:]*]]: !llvm.ptr, %[[M:[^:]*]]: i64, %[[N:[^:]*]]: i64, %{{.*}}: !llvm.ptr)
// CHECK-DAG:     %[[FIVE:.*]] = llvm.mlir.constant(5 : i64) : i64
// CHECK:         llvm.store %[[FIVE]], %{{.*}} : i64, !llvm.ptr
// CHECK:         llvm.store %[[N]], %{{.*}} : i64, !llvm.ptr
// CHECK:         %[[E:.*]] = llvm.mul %[[N]], %{{.*}} : i64
// CHECK:         llvm.call @rows(%{{.*}}, %{{.*}}, %{{.*}}, %[[E]])
// CHECK:         %[[OFFSET:.*]] = llvm.mul %[[M]], %{{.*}} : i64
// CHECK:         llvm.getelementptr %[[Y]][%[[OFFSET]]]
#m = #tg.var<"m", 0, 7>
#n = #tg.var<"n", 1, 8>
#k = #tg.var<"k", 1, 9>
tg.kernel @rows(%out: memref<64xf32>) attributes {numbers = [#k], outputs = 1 : i64} {
  %c = tg.const(2.0 : f32) : f32
  %w = tg.const(8 : index) : index
  %i = tg.range 0 thread #n
  %j = tg.range 1 thread 2
  %k = tg.range 2 loop #k
  %0 = tg.mul %i, %w : index
  %1 = tg.add %0, %j : index
  %s = tg.ranged_reduce add %c over %k : f32
  tg.store %s, %out[%1] : memref<64xf32>
}
func.func @symbolic(%x: memref<8xf32>) -> memref<64xf32> {
  %a = tg.alloc on "CPU" : memref<64xf32>
  tg.launch @rows(%a) {numbers = array<i64: 5>} : memref<64xf32>
  %b = tg.subbuffer %a at (#tg.dim<mul, #m, 32>) : memref<64xf32> -> memref<8xf32>
  tg.transfer %x to %b : memref<8xf32>
  return %a : memref<64xf32>
}

// -----

// Memory of the actual size: as much is copied as both have.

// CHECK-LABEL: llvm.func @leading(
// CHECK-SAME:    %[[X:[^:]*]]: !llvm.ptr, %[[Y:[^:]*]]: !llvm.ptr, %[[N:[^:]*]]: i64,
// CHECK:         %[[EIGHT:.*]] = llvm.mlir.constant(32 : i64) : i64
// CHECK:         %[[BYTES:.*]] = llvm.mul %[[N]], %[[EIGHT]]
// CHECK:         "llvm.intr.memcpy"(%{{.*}}, %[[X]], %[[BYTES]])
// CHECK:         "llvm.intr.memcpy"(%[[Y]], %[[X]], %{{.*}})
// CHECK-NOT:     llvm.mlir.constant(512
#n = #tg.var<"n", 1, 16>
func.func @leading(%x: memref<128xf32> {tg.elements = #tg.dim<#n * 8>}) -> (memref<128xf32> {tg.elements = #tg.dim<#n * 8>}) {
  %a = tg.alloc on "CPU" : memref<128xf32>
  tg.transfer %x to %a : memref<128xf32>
  return %x : memref<128xf32>
}
