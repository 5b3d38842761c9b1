// Host programs go; what they passed stays on the functions.

// RUN: tg-opt %s --convert-tg-to-vector | FileCheck %s --implicit-check-not=@main
// RUN: tg-opt %s --convert-tg-to-gpu | FileCheck %s --implicit-check-not=@main
// RUN: tg-opt %s --convert-tg-to-vector | tg-opt | FileCheck %s --implicit-check-not=@main

// Of the kernel's variable k, each launch gives the number.
// CHECK: func @k(%{{[^:]*}}: memref<32xf32>, %{{[^:]*}}: memref<32xf32> {tg.launched_elements = {{\[\[}}#tg.dim<#n * 8>, [#k, 3]], 32]}
// CHECK: func @other(%{{[^:]*}}: memref<8xf32>, %{{[^:]*}}: memref<8xf32> {tg.launched_elements = [#n]}

#n = #tg.var<"n", 1, 4>
#k = #tg.var<"k", 0, 4>
func.func @main(%x: memref<32xf32> {tg.elements = #tg.dim<mul, #n, 8>}, %z: memref<32xf32>) -> (memref<32xf32>, memref<32xf32>) {
  %y = tg.alloc on "CPU" : memref<32xf32>
  tg.launch @k(%y, %x) {numbers = array<i64: 3>} : memref<32xf32>, memref<32xf32>
  %t = tg.alloc on "CPU" : memref<32xf32>
  tg.launch @k(%t, %z) {numbers = array<i64: 4>} : memref<32xf32>, memref<32xf32>
  return %y, %t : memref<32xf32>, memref<32xf32>
}
tg.kernel @k(%out: memref<32xf32>, %a: memref<32xf32>) attributes {numbers = [#k], outputs = 1 : i64} {
  %i = tg.range 0 loop #k
  %x = tg.load %a[%i] : memref<32xf32>
  tg.store %x, %out[%i] : memref<32xf32>
}

// What launches do not pass keeps what is known of it.
tg.kernel @other(%out: memref<8xf32>, %a: memref<8xf32> {tg.launched_elements = [#n]}) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop #n
  %x = tg.load %a[%i] : memref<8xf32>
  tg.store %x, %out[%i] : memref<8xf32>
}
