// RUN: tg-opt %s --tg-add-kernel-interface | FileCheck %s

// The addresses of buffers and the values of variables are read from memory.

// CHECK-LABEL: llvm.func internal @kernel.body(
// CHECK-SAME:    attributes {always_inline}
// CHECK:         llvm.store %{{.*}}, %{{.*}} {nontemporal}
// CHECK-NEXT:    llvm.fence seq_cst
// CHECK-NEXT:    llvm.return
// CHECK-LABEL: llvm.func @kernel(
// CHECK-SAME:    %[[BUFFERS:[a-z0-9]+]]: !llvm.ptr, %[[VARIABLES:[a-z0-9]+]]: !llvm.ptr, %[[BEGIN:[a-z0-9]+]]: i64, %[[END:[a-z0-9]+]]: i64)
// CHECK:         %[[SLOT0:.*]] = llvm.getelementptr %[[BUFFERS]][0] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
// CHECK-NEXT:    %[[OUT:.*]] = llvm.load %[[SLOT0]] : !llvm.ptr -> !llvm.ptr
// CHECK-NEXT:    %[[SLOT1:.*]] = llvm.getelementptr %[[BUFFERS]][1]
// CHECK-NEXT:    %[[IN:.*]] = llvm.load %[[SLOT1]] : !llvm.ptr -> !llvm.ptr
// CHECK-NEXT:    %[[SLOT2:.*]] = llvm.getelementptr %[[VARIABLES]][0] : (!llvm.ptr) -> !llvm.ptr, i64
// CHECK-NEXT:    %[[N:.*]] = llvm.load %[[SLOT2]] : !llvm.ptr -> i64
// CHECK-NEXT:    llvm.call @kernel.body(%[[OUT]], %[[IN]], %[[BEGIN]], %[[END]], %[[N]])
// CHECK-NEXT:    llvm.return
#n = #tg.var<"n", 1, 8>
llvm.func @kernel(%out: !llvm.ptr, %in: !llvm.ptr, %begin: i64, %end: i64, %n: i64)
    attributes {tg.outputs = 1 : i64, tg.parallel_extent = #n, tg.variables = [#n]} {
  %x = llvm.load %in : !llvm.ptr -> f32
  llvm.store %x, %out {nontemporal} : f32, !llvm.ptr
  llvm.return
}

// Without stores past the caches there is nothing to wait for.

// CHECK-LABEL: llvm.func internal @plain.body(
// CHECK-NOT:     llvm.fence
// CHECK-LABEL: llvm.func @plain(
llvm.func @plain(%out: !llvm.ptr, %begin: i64, %end: i64) attributes {tg.outputs = 1 : i64, tg.parallel_extent = 4 : i64} {
  llvm.return
}

// CHECK-LABEL: llvm.func @no_kernel(%{{.*}}: i64) {
llvm.func @no_kernel(%a: i64) {
  llvm.return
}
