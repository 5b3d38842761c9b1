// RUN: tg-opt %s --tg-align-buffers --split-input-file | FileCheck %s

// An argument is aligned if it is in all launches: allocated memory, arguments
// of the program, and parts at multiples of an access of an item.
module attributes {tg.target = #tg.target<"gpu", vector_bytes = 16, group_items = 1024, subgroup_items = 32, group_bytes = 4096>} {
// CHECK-LABEL: tg.kernel @once(
// CHECK-SAME: memref<8xf32> {tg.alignment = 16 : i64}, %{{.*}}: memref<8xf32> {tg.alignment = 16 : i64}, %{{.*}}: memref<8xf32>)
tg.kernel @once(%out: memref<8xf32>, %a: memref<8xf32>, %b: memref<8xf32>) attributes {outputs = 1 : i64} {
}
// CHECK-LABEL: tg.kernel @twice(
// CHECK-SAME: memref<8xf32> {tg.alignment = 16 : i64}, %{{.*}}: memref<8xf32>)
tg.kernel @twice(%out: memref<8xf32>, %a: memref<8xf32>) attributes {outputs = 1 : i64} {
}
// CHECK-LABEL: tg.kernel @symbolic(
// CHECK-SAME: memref<8xf32> {tg.alignment = 16 : i64}, %{{.*}}: memref<8xf32> {tg.alignment = 16 : i64}, %{{.*}}: memref<8xf32>)
tg.kernel @symbolic(%out: memref<8xf32>, %a: memref<8xf32>, %b: memref<8xf32>) attributes {outputs = 1 : i64} {
}
// CHECK-LABEL: tg.kernel @never(
// CHECK-SAME: memref<8xf32>)
// CHECK-NOT: tg.alignment
tg.kernel @never(%out: memref<8xf32>) attributes {outputs = 1 : i64} {
}
func.func @main(%x: memref<64xf32>) -> memref<8xf32> {
  %out = tg.alloc on "CPU" : memref<8xf32>
  %at32 = tg.subbuffer %x at (32) : memref<64xf32> -> memref<8xf32>
  %at8 = tg.subbuffer %x at (8) : memref<64xf32> -> memref<8xf32>
  %inner = tg.subbuffer %x at (16) : memref<64xf32> -> memref<32xf32>
  %of = tg.subbuffer %inner at (16) : memref<32xf32> -> memref<8xf32>
  %rows = tg.subbuffer %x at (#tg.dim<mul, #tg.var<"n", 0, 3>, 32>) : memref<64xf32> -> memref<8xf32>
  %elements = tg.subbuffer %x at (#tg.dim<mul, #tg.var<"n", 0, 3>, 4>) : memref<64xf32> -> memref<8xf32>
  tg.launch @once(%out, %at32, %at8) : memref<8xf32>, memref<8xf32>, memref<8xf32>
  tg.launch @twice(%out, %of) : memref<8xf32>, memref<8xf32>
  tg.launch @twice(%out, %at8) : memref<8xf32>, memref<8xf32>
  tg.launch @symbolic(%out, %rows, %elements) : memref<8xf32>, memref<8xf32>, memref<8xf32>
  return %out : memref<8xf32>
}
}

// -----

// Processors read at any address.
module attributes {tg.target = #tg.target<"cpu">} {
// CHECK-LABEL: tg.kernel @cpu(
// CHECK-NOT: tg.alignment
tg.kernel @cpu(%out: memref<8xf32>) attributes {outputs = 1 : i64} {
}
func.func @main() -> memref<8xf32> {
  %out = tg.alloc on "CPU" : memref<8xf32>
  tg.launch @cpu(%out) : memref<8xf32>
  return %out : memref<8xf32>
}
}
