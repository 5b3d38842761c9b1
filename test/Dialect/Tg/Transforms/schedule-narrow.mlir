// RUN: tg-opt %s --split-input-file --tg-schedule | FileCheck %s

// A GPU stores the factor of a product that is computed as f16 in that type, and
// widens it where it is loaded.

// CHECK-LABEL: func.func @product
// CHECK: tg.alloc on "CPU" : memref<65536xf32>
// CHECK: tg.alloc on "CPU" : memref<65536xf16>
module attributes {tg.target = #tg.target<"gpu", group_items = 256, subgroup_items = 32, group_bytes = 4096>} {
  func.func @product(%a: tensor<256x256xf32>, %b: tensor<256x256xf16>) -> tensor<256x256x1xf32> {
    %0 = tg.exp2 %a : tensor<256x256xf32>
    %1 = tg.cast %0 : tensor<256x256xf32> -> tensor<256x256xf16>
    %2 = tg.cast %1 : tensor<256x256xf16> -> tensor<256x256xf32>
    %3 = tg.cast %b : tensor<256x256xf16> -> tensor<256x256xf32>
    %4 = tg.reshape %2 : tensor<256x256xf32> -> tensor<256x1x256xf32>
    %5 = tg.expand %4 : tensor<256x1x256xf32> -> tensor<256x256x256xf32>
    %6 = tg.reshape %3 : tensor<256x256xf32> -> tensor<1x256x256xf32>
    %7 = tg.expand %6 : tensor<1x256x256xf32> -> tensor<256x256x256xf32>
    %8 = tg.mul %5, %7 : tensor<256x256x256xf32>
    %9 = tg.reduce add %8 axes [2] : tensor<256x256x256xf32> -> tensor<256x256x1xf32>
    return %9 : tensor<256x256x1xf32>
  }
}

// -----

// A conversion that rounds is done before the value is stored.

// CHECK-LABEL: func.func @rounded
// CHECK-COUNT-2: tg.alloc on "CPU" : memref<65536xf32>
module attributes {tg.target = #tg.target<"gpu", group_items = 256, subgroup_items = 32, group_bytes = 4096>} {
  func.func @rounded(%a: tensor<256x256xi32>, %b: tensor<256x256xf32>) -> tensor<256x256x1xf32> {
    %c = tg.const(3 : i32) : tensor<256x256xi32>
    %0 = tg.floordiv %a, %c : tensor<256x256xi32>
    %1 = tg.floordiv %0, %a : tensor<256x256xi32>
    %2 = tg.cast %1 : tensor<256x256xi32> -> tensor<256x256xf32>
    %3 = tg.exp2 %2 : tensor<256x256xf32>
    %4 = tg.reshape %3 : tensor<256x256xf32> -> tensor<256x1x256xf32>
    %5 = tg.expand %4 : tensor<256x1x256xf32> -> tensor<256x256x256xf32>
    %6 = tg.reshape %b : tensor<256x256xf32> -> tensor<1x256x256xf32>
    %7 = tg.expand %6 : tensor<1x256x256xf32> -> tensor<256x256x256xf32>
    %8 = tg.mul %5, %7 : tensor<256x256x256xf32>
    %9 = tg.reduce add %8 axes [2] : tensor<256x256x256xf32> -> tensor<256x256x1xf32>
    return %9 : tensor<256x256x1xf32>
  }
}

// -----

// CPUs convert once.

// CHECK-LABEL: func.func @cpu
// CHECK-COUNT-2: tg.alloc on "CPU" : memref<65536xf32>
module attributes {tg.target = #tg.target<"cpu">} {
  func.func @cpu(%a: tensor<256x256xf32>, %b: tensor<256x256xf16>) -> tensor<256x256x1xf32> {
    %0 = tg.exp2 %a : tensor<256x256xf32>
    %1 = tg.cast %0 : tensor<256x256xf32> -> tensor<256x256xf16>
    %2 = tg.cast %1 : tensor<256x256xf16> -> tensor<256x256xf32>
    %3 = tg.cast %b : tensor<256x256xf16> -> tensor<256x256xf32>
    %4 = tg.reshape %2 : tensor<256x256xf32> -> tensor<256x1x256xf32>
    %5 = tg.expand %4 : tensor<256x1x256xf32> -> tensor<256x256x256xf32>
    %6 = tg.reshape %3 : tensor<256x256xf32> -> tensor<1x256x256xf32>
    %7 = tg.expand %6 : tensor<1x256x256xf32> -> tensor<256x256x256xf32>
    %8 = tg.mul %5, %7 : tensor<256x256x256xf32>
    %9 = tg.reduce add %8 axes [2] : tensor<256x256x256xf32> -> tensor<256x256x1xf32>
    return %9 : tensor<256x256x1xf32>
  }
}
