// RUN: tg-opt %s --tg-split-reduce | FileCheck %s

// On a processor without groups, a deep product is stored before anything is
// computed with it, so that its kernel can add it up in passes.

module attributes {tg.target = #tg.target<"cpu">} {
// Packed columns of a tile would exceed half of the second-level cache.
// CHECK-LABEL: func.func @panel
// CHECK:      %[[S:.*]] = tg.reduce add
// CHECK-NEXT: %[[M:.*]] = tg.contiguous %[[S]]
// CHECK-NEXT: tg.exp %[[M]]
func.func @panel(%a: tensor<128x3072xf32>, %b: tensor<3072x768xf32>) -> tensor<128x768x1xf32> {
  %a3 = tg.reshape %a : tensor<128x3072xf32> -> tensor<128x1x3072xf32>
  %bt = tg.permute %b [1, 0] : tensor<3072x768xf32> -> tensor<768x3072xf32>
  %b3 = tg.reshape %bt : tensor<768x3072xf32> -> tensor<1x768x3072xf32>
  %ae = tg.expand %a3 : tensor<128x1x3072xf32> -> tensor<128x768x3072xf32>
  %be = tg.expand %b3 : tensor<1x768x3072xf32> -> tensor<128x768x3072xf32>
  %p = tg.mul %ae, %be : tensor<128x768x3072xf32>
  %s = tg.reduce add %p axes [2] : tensor<128x768x3072xf32> -> tensor<128x768x1xf32>
  %r = tg.exp %s : tensor<128x768x1xf32>
  return %r : tensor<128x768x1xf32>
}

// CHECK-LABEL: func.func @fits
// CHECK-NOT: tg.contiguous
func.func @fits(%a: tensor<128x2048xf32>, %b: tensor<2048x768xf32>) -> tensor<128x768x1xf32> {
  %a3 = tg.reshape %a : tensor<128x2048xf32> -> tensor<128x1x2048xf32>
  %bt = tg.permute %b [1, 0] : tensor<2048x768xf32> -> tensor<768x2048xf32>
  %b3 = tg.reshape %bt : tensor<768x2048xf32> -> tensor<1x768x2048xf32>
  %ae = tg.expand %a3 : tensor<128x1x2048xf32> -> tensor<128x768x2048xf32>
  %be = tg.expand %b3 : tensor<1x768x2048xf32> -> tensor<128x768x2048xf32>
  %p = tg.mul %ae, %be : tensor<128x768x2048xf32>
  %s = tg.reduce add %p axes [2] : tensor<128x768x2048xf32> -> tensor<128x768x1xf32>
  %r = tg.exp %s : tensor<128x768x1xf32>
  return %r : tensor<128x768x1xf32>
}

// Lines of transposed factors, 2048 bytes apart, are in few sets of the cache.
// CHECK-LABEL: func.func @lines
// CHECK:      %[[S:.*]] = tg.reduce add
// CHECK-NEXT: %[[M:.*]] = tg.contiguous %[[S]]
// CHECK-NEXT: tg.exp %[[M]]
func.func @lines(%a: tensor<2048x512xf32>, %b: tensor<2048x512xf32>) -> tensor<512x512x1xf32> {
  %at = tg.permute %a [1, 0] : tensor<2048x512xf32> -> tensor<512x2048xf32>
  %a3 = tg.reshape %at : tensor<512x2048xf32> -> tensor<512x1x2048xf32>
  %bt = tg.permute %b [1, 0] : tensor<2048x512xf32> -> tensor<512x2048xf32>
  %b3 = tg.reshape %bt : tensor<512x2048xf32> -> tensor<1x512x2048xf32>
  %ae = tg.expand %a3 : tensor<512x1x2048xf32> -> tensor<512x512x2048xf32>
  %be = tg.expand %b3 : tensor<1x512x2048xf32> -> tensor<512x512x2048xf32>
  %p = tg.mul %ae, %be : tensor<512x512x2048xf32>
  %s = tg.reduce add %p axes [2] : tensor<512x512x2048xf32> -> tensor<512x512x1xf32>
  %r = tg.exp %s : tensor<512x512x1xf32>
  return %r : tensor<512x512x1xf32>
}

// Those that are 3072 bytes apart are in more.
// CHECK-LABEL: func.func @held
// CHECK-NOT: tg.contiguous
func.func @held(%a: tensor<2048x768xf32>, %b: tensor<2048x768xf32>) -> tensor<768x768x1xf32> {
  %at = tg.permute %a [1, 0] : tensor<2048x768xf32> -> tensor<768x2048xf32>
  %a3 = tg.reshape %at : tensor<768x2048xf32> -> tensor<768x1x2048xf32>
  %bt = tg.permute %b [1, 0] : tensor<2048x768xf32> -> tensor<768x2048xf32>
  %b3 = tg.reshape %bt : tensor<768x2048xf32> -> tensor<1x768x2048xf32>
  %ae = tg.expand %a3 : tensor<768x1x2048xf32> -> tensor<768x768x2048xf32>
  %be = tg.expand %b3 : tensor<1x768x2048xf32> -> tensor<768x768x2048xf32>
  %p = tg.mul %ae, %be : tensor<768x768x2048xf32>
  %s = tg.reduce add %p axes [2] : tensor<768x768x2048xf32> -> tensor<768x768x1xf32>
  %r = tg.exp %s : tensor<768x768x1xf32>
  return %r : tensor<768x768x1xf32>
}

// Few rows have no passes.
// CHECK-LABEL: func.func @few
// CHECK-NOT: tg.contiguous
func.func @few(%a: tensor<16x3072xf32>, %b: tensor<3072x768xf32>) -> tensor<16x768x1xf32> {
  %a3 = tg.reshape %a : tensor<16x3072xf32> -> tensor<16x1x3072xf32>
  %bt = tg.permute %b [1, 0] : tensor<3072x768xf32> -> tensor<768x3072xf32>
  %b3 = tg.reshape %bt : tensor<768x3072xf32> -> tensor<1x768x3072xf32>
  %ae = tg.expand %a3 : tensor<16x1x3072xf32> -> tensor<16x768x3072xf32>
  %be = tg.expand %b3 : tensor<1x768x3072xf32> -> tensor<16x768x3072xf32>
  %p = tg.mul %ae, %be : tensor<16x768x3072xf32>
  %s = tg.reduce add %p axes [2] : tensor<16x768x3072xf32> -> tensor<16x768x1xf32>
  %r = tg.exp %s : tensor<16x768x1xf32>
  return %r : tensor<16x768x1xf32>
}

// Deeper ones are split into parts, which have passes.
// CHECK-LABEL: func.func @deeper
// CHECK: tg.reduce add %{{.*}} : tensor<64x64x4x8192xf32>
func.func @deeper(%a: tensor<64x32768xf32>, %b: tensor<32768x64xf32>) -> tensor<64x64x1xf32> {
  %a3 = tg.reshape %a : tensor<64x32768xf32> -> tensor<64x1x32768xf32>
  %bt = tg.permute %b [1, 0] : tensor<32768x64xf32> -> tensor<64x32768xf32>
  %b3 = tg.reshape %bt : tensor<64x32768xf32> -> tensor<1x64x32768xf32>
  %ae = tg.expand %a3 : tensor<64x1x32768xf32> -> tensor<64x64x32768xf32>
  %be = tg.expand %b3 : tensor<1x64x32768xf32> -> tensor<64x64x32768xf32>
  %p = tg.mul %ae, %be : tensor<64x64x32768xf32>
  %s = tg.reduce add %p axes [2] : tensor<64x64x32768xf32> -> tensor<64x64x1xf32>
  %r = tg.exp %s : tensor<64x64x1xf32>
  return %r : tensor<64x64x1xf32>
}
}
