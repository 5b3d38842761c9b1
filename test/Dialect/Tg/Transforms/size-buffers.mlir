// RUN: tg-opt %s --tg-size-buffers --split-input-file | FileCheck %s

// The least number of elements over all launches and all sizes: of arguments, of
// results that are memory of their own, and of parts of them. Others have no
// attribute.

#n = #tg.var<"n", 2, 64>
// CHECK-LABEL: tg.kernel @rows(
// CHECK-SAME: %{{[^:]*}}: memref<512xf32> {tg.least_elements = 16 : i64}, %{{[^:]*}}: memref<512xf32> {tg.least_elements = 16 : i64}, %{{[^:]*}}: memref<512xf32>)
tg.kernel @rows(%out: memref<512xf32>, %a: memref<512xf32>, %b: memref<512xf32>) attributes {outputs = 1 : i64} {
}
// The second row is there, the third one not always.
// CHECK-LABEL: tg.kernel @parts(
// CHECK-SAME: %{{[^:]*}}: memref<8xf32>, %{{[^:]*}}: memref<8xf32>, %{{[^:]*}}: memref<8xf32> {tg.least_elements = 0 : i64}, %{{[^:]*}}: memref<24xf32> {tg.least_elements = 8 : i64})
tg.kernel @parts(%out: memref<8xf32>, %second: memref<8xf32>, %third: memref<8xf32>, %both: memref<24xf32>) attributes {outputs = 1 : i64} {
}
// The last row is, for all sizes.
// CHECK-LABEL: tg.kernel @last(
// CHECK-SAME: memref<8xf32>, %{{[^:]*}}: memref<8xf32>)
tg.kernel @last(%out: memref<8xf32>, %a: memref<8xf32>) attributes {outputs = 1 : i64} {
}
// One launch has less than another one.
// CHECK-LABEL: tg.kernel @twice(
// CHECK-SAME: memref<512xf32>, %{{[^:]*}}: memref<512xf32> {tg.least_elements = 16 : i64})
tg.kernel @twice(%out: memref<512xf32>, %a: memref<512xf32>) attributes {outputs = 1 : i64} {
}
// CHECK-LABEL: func.func @main
func.func @main(%x: memref<512xf32> {tg.elements = #tg.dim<#n * 8>}) -> (memref<512xf32> {tg.elements = #tg.dim<#n * 8>}) {
  %y = tg.alloc on "CPU" : memref<512xf32>
  %whole = tg.alloc on "CPU" : memref<512xf32>
  %row = tg.alloc on "CPU" : memref<8xf32>
  tg.launch @twice(%whole, %x) : memref<512xf32>, memref<512xf32>
  tg.launch @rows(%y, %x, %whole) : memref<512xf32>, memref<512xf32>, memref<512xf32>
  %second = tg.subbuffer %x at (32) : memref<512xf32> -> memref<8xf32>
  %third = tg.subbuffer %x at (64) : memref<512xf32> -> memref<8xf32>
  %both = tg.subbuffer %x at (32) : memref<512xf32> -> memref<24xf32>
  tg.launch @parts(%row, %second, %third, %both) : memref<8xf32>, memref<8xf32>, memref<8xf32>, memref<24xf32>
  %last = tg.subbuffer %x at (#tg.dim<#n * 32 - 32>) : memref<512xf32> -> memref<8xf32>
  tg.launch @last(%row, %last) : memref<8xf32>, memref<8xf32>
  tg.launch @twice(%whole, %y) : memref<512xf32>, memref<512xf32>
  return %y : memref<512xf32>
}

// -----

// Without symbolic sizes there is nothing to state.

// CHECK-NOT: tg.least_elements
tg.kernel @static(%out: memref<512xf32>, %a: memref<512xf32>) attributes {outputs = 1 : i64} {
}
func.func @main(%x: memref<512xf32>) -> memref<512xf32> {
  %y = tg.alloc on "CPU" : memref<512xf32>
  tg.launch @static(%y, %x) : memref<512xf32>, memref<512xf32>
  return %y : memref<512xf32>
}
