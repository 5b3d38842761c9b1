// RUN: tg-opt %s --split-input-file --tg-pack-weights | FileCheck %s

// Weights of convolutions are stored with their channels innermost where groups
// of work items read them for many pixels.

module attributes {tg.target = #tg.target<"gpu", vector_bytes = 16, line_bytes = 128, parallel_items = 264, group_items = 1024, subgroup_items = 32, group_bytes = 65536>} {
// CHECK-LABEL: func.func @convolution
// CHECK:      %[[W:.*]] = tg.reshape %arg1
// CHECK-NEXT: %[[P:.*]] = tg.permute %[[W]] [0, 1, 2, 3, 5, 6, 4] : tensor<1x128x1x1x64x3x3xf32> -> tensor<1x128x1x1x3x3x64xf32>
// CHECK-NEXT: %[[M:.*]] = tg.contiguous %[[P]]
// CHECK-NEXT: %[[Q:.*]] = tg.permute %[[M]] [0, 1, 2, 3, 6, 4, 5] : tensor<1x128x1x1x3x3x64xf32> -> tensor<1x128x1x1x64x3x3xf32>
// CHECK-NEXT: %[[E:.*]] = tg.expand %[[Q]]
// CHECK-NEXT: tg.mul %{{.*}}, %[[E]]
func.func @convolution(%x: tensor<8x64x30x30xf32>, %w: tensor<128x64x3x3xf32>) -> tensor<8x128x28x28x1x1x1xf32> {
  %0 = tg.strided %x [#tg.view<[8, 128, 28, 28, 64, 3, 3] strides [57600, 0, 30, 1, 900, 30, 1]>] : tensor<8x64x30x30xf32> -> tensor<8x128x28x28x64x3x3xf32>
  %1 = tg.reshape %w : tensor<128x64x3x3xf32> -> tensor<1x128x1x1x64x3x3xf32>
  %2 = tg.expand %1 : tensor<1x128x1x1x64x3x3xf32> -> tensor<8x128x28x28x64x3x3xf32>
  %3 = tg.mul %0, %2 : tensor<8x128x28x28x64x3x3xf32>
  %4 = tg.reduce add %3 axes [4, 5, 6] : tensor<8x128x28x28x64x3x3xf32> -> tensor<8x128x28x28x1x1x1xf32>
  return %4 : tensor<8x128x28x28x1x1x1xf32>
}

// A stride of 2.
// CHECK-LABEL: func.func @strided
// CHECK:      %[[W:.*]] = tg.reshape %arg1
// CHECK-NEXT: %[[P:.*]] = tg.permute %[[W]] [0, 1, 2, 3, 5, 6, 4] : tensor<1x128x1x1x64x3x3xf32> -> tensor<1x128x1x1x3x3x64xf32>
// CHECK-NEXT: %[[M:.*]] = tg.contiguous %[[P]]
// CHECK-NEXT: %[[Q:.*]] = tg.permute %[[M]] [0, 1, 2, 3, 6, 4, 5] : tensor<1x128x1x1x3x3x64xf32> -> tensor<1x128x1x1x64x3x3xf32>
// CHECK-NEXT: %[[E:.*]] = tg.expand %[[Q]]
// CHECK-NEXT: tg.mul %{{.*}}, %[[E]]
func.func @strided(%x: tensor<8x64x57x57xf32>, %w: tensor<128x64x3x3xf32>) -> tensor<8x128x28x28x1x1x1xf32> {
  %0 = tg.strided %x [#tg.view<[8, 128, 28, 28, 64, 3, 3] strides [207936, 0, 114, 2, 3249, 57, 1]>] : tensor<8x64x57x57xf32> -> tensor<8x128x28x28x64x3x3xf32>
  %1 = tg.reshape %w : tensor<128x64x3x3xf32> -> tensor<1x128x1x1x64x3x3xf32>
  %2 = tg.expand %1 : tensor<1x128x1x1x64x3x3xf32> -> tensor<8x128x28x28x64x3x3xf32>
  %3 = tg.mul %0, %2 : tensor<8x128x28x28x64x3x3xf32>
  %4 = tg.reduce add %3 axes [4, 5, 6] : tensor<8x128x28x28x64x3x3xf32> -> tensor<8x128x28x28x1x1x1xf32>
  return %4 : tensor<8x128x28x28x1x1x1xf32>
}

// A window of one position: channels are neighbors.
// CHECK-LABEL: func.func @one_position
// CHECK-NOT: tg.contiguous
func.func @one_position(%x: tensor<8x64x28x28xf32>, %w: tensor<128x64x1x1xf32>) -> tensor<8x128x28x28x1x1x1xf32> {
  %0 = tg.strided %x [#tg.view<[8, 128, 28, 28, 64, 1, 1] strides [50176, 0, 28, 1, 784, 28, 1]>] : tensor<8x64x28x28xf32> -> tensor<8x128x28x28x64x1x1xf32>
  %1 = tg.reshape %w : tensor<128x64x1x1xf32> -> tensor<1x128x1x1x64x1x1xf32>
  %2 = tg.expand %1 : tensor<1x128x1x1x64x1x1xf32> -> tensor<8x128x28x28x64x1x1xf32>
  %3 = tg.mul %0, %2 : tensor<8x128x28x28x64x1x1xf32>
  %4 = tg.reduce add %3 axes [4, 5, 6] : tensor<8x128x28x28x64x1x1xf32> -> tensor<8x128x28x28x1x1x1xf32>
  return %4 : tensor<8x128x28x28x1x1x1xf32>
}

// Channels of the image are few.
// CHECK-LABEL: func.func @few_channels
// CHECK-NOT: tg.contiguous
func.func @few_channels(%x: tensor<8x3x28x28xf32>, %w: tensor<512x3x3x3xf32>) -> tensor<8x512x26x26x1x1x1xf32> {
  %0 = tg.strided %x [#tg.view<[8, 512, 26, 26, 3, 3, 3] strides [2352, 0, 28, 1, 784, 28, 1]>] : tensor<8x3x28x28xf32> -> tensor<8x512x26x26x3x3x3xf32>
  %1 = tg.reshape %w : tensor<512x3x3x3xf32> -> tensor<1x512x1x1x3x3x3xf32>
  %2 = tg.expand %1 : tensor<1x512x1x1x3x3x3xf32> -> tensor<8x512x26x26x3x3x3xf32>
  %3 = tg.mul %0, %2 : tensor<8x512x26x26x3x3x3xf32>
  %4 = tg.reduce add %3 axes [4, 5, 6] : tensor<8x512x26x26x3x3x3xf32> -> tensor<8x512x26x26x1x1x1xf32>
  return %4 : tensor<8x512x26x26x1x1x1xf32>
}

// 49 pixels use each weight.
// CHECK-LABEL: func.func @few_pixels
// CHECK-NOT: tg.contiguous
func.func @few_pixels(%x: tensor<1x64x9x9xf32>, %w: tensor<128x64x3x3xf32>) -> tensor<1x128x7x7x1x1x1xf32> {
  %0 = tg.strided %x [#tg.view<[1, 128, 7, 7, 64, 3, 3] strides [5184, 0, 9, 1, 81, 9, 1]>] : tensor<1x64x9x9xf32> -> tensor<1x128x7x7x64x3x3xf32>
  %1 = tg.reshape %w : tensor<128x64x3x3xf32> -> tensor<1x128x1x1x64x3x3xf32>
  %2 = tg.expand %1 : tensor<1x128x1x1x64x3x3xf32> -> tensor<1x128x7x7x64x3x3xf32>
  %3 = tg.mul %0, %2 : tensor<1x128x7x7x64x3x3xf32>
  %4 = tg.reduce add %3 axes [4, 5, 6] : tensor<1x128x7x7x64x3x3xf32> -> tensor<1x128x7x7x1x1x1xf32>
  return %4 : tensor<1x128x7x7x1x1x1xf32>
}

// 2304 weights.
// CHECK-LABEL: func.func @few_weights
// CHECK-NOT: tg.contiguous
func.func @few_weights(%x: tensor<8x32x30x30xf32>, %w: tensor<8x32x3x3xf32>) -> tensor<8x8x28x28x1x1x1xf32> {
  %0 = tg.strided %x [#tg.view<[8, 8, 28, 28, 32, 3, 3] strides [28800, 0, 30, 1, 900, 30, 1]>] : tensor<8x32x30x30xf32> -> tensor<8x8x28x28x32x3x3xf32>
  %1 = tg.reshape %w : tensor<8x32x3x3xf32> -> tensor<1x8x1x1x32x3x3xf32>
  %2 = tg.expand %1 : tensor<1x8x1x1x32x3x3xf32> -> tensor<8x8x28x28x32x3x3xf32>
  %3 = tg.mul %0, %2 : tensor<8x8x28x28x32x3x3xf32>
  %4 = tg.reduce add %3 axes [4, 5, 6] : tensor<8x8x28x28x32x3x3xf32> -> tensor<8x8x28x28x1x1x1xf32>
  return %4 : tensor<8x8x28x28x1x1x1xf32>
}

// The gradient by the input: each pixel is multiplied with all positions of the
// window, and output channels are added up.
// CHECK-LABEL: func.func @by_input
// CHECK:      %[[W:.*]] = tg.reshape %arg1
// CHECK-NEXT: %[[P:.*]] = tg.permute %[[W]] [0, 1, 3, 4, 5, 6, 7, 2] : tensor<1x1x128x1x1x64x3x3xf32> -> tensor<1x1x1x1x64x3x3x128xf32>
// CHECK-NEXT: %[[M:.*]] = tg.contiguous %[[P]]
// CHECK-NEXT: tg.permute %[[M]] [0, 1, 7, 2, 3, 4, 5, 6] : tensor<1x1x1x1x64x3x3x128xf32> -> tensor<1x1x128x1x1x64x3x3xf32>
func.func @by_input(%g: tensor<8x128x28x28xf32>, %w: tensor<128x64x3x3xf32>) -> tensor<1x8x64x28x28xf32> {
  %0 = tg.reshape %g : tensor<8x128x28x28xf32> -> tensor<8x1x128x28x28x1x1x1xf32>
  %1 = tg.expand %0 : tensor<8x1x128x28x28x1x1x1xf32> -> tensor<8x1x128x28x28x64x3x3xf32>
  %2 = tg.reshape %w : tensor<128x64x3x3xf32> -> tensor<1x1x128x1x1x64x3x3xf32>
  %3 = tg.expand %2 : tensor<1x1x128x1x1x64x3x3xf32> -> tensor<8x1x128x28x28x64x3x3xf32>
  %4 = tg.mul %1, %3 : tensor<8x1x128x28x28x64x3x3xf32>
  %5 = tg.strided %4 [#tg.view<[128, 8, 64, 28, 28] strides [451584, 57802752, 9, 16128, 576] offset 4>] : tensor<8x1x128x28x28x64x3x3xf32> -> tensor<128x8x64x28x28xf32>
  %6 = tg.reduce add %5 axes [0] : tensor<128x8x64x28x28xf32> -> tensor<1x8x64x28x28xf32>
  return %6 : tensor<1x8x64x28x28xf32>
}

// The gradient by the weights: the gradient of the result, at 7x7 pixels, is no
// window.
// CHECK-LABEL: func.func @by_weights
// CHECK-NOT: tg.contiguous
func.func @by_weights(%x: tensor<32x64x9x9xf32>, %g: tensor<32x64x7x7xf32>) -> tensor<1x64x1x1x64x3x3xf32> {
  %0 = tg.strided %x [#tg.view<[32, 64, 7, 7, 64, 3, 3] strides [5184, 0, 9, 1, 81, 9, 1]>] : tensor<32x64x9x9xf32> -> tensor<32x64x7x7x64x3x3xf32>
  %1 = tg.reshape %g : tensor<32x64x7x7xf32> -> tensor<32x64x7x7x1x1x1xf32>
  %2 = tg.expand %1 : tensor<32x64x7x7x1x1x1xf32> -> tensor<32x64x7x7x64x3x3xf32>
  %3 = tg.mul %0, %2 : tensor<32x64x7x7x64x3x3xf32>
  %4 = tg.reduce add %3 axes [0, 2, 3] : tensor<32x64x7x7x64x3x3xf32> -> tensor<1x64x1x1x64x3x3xf32>
  return %4 : tensor<1x64x1x1x64x3x3xf32>
}

// Factors that are converted to a wider type: the weights are stored before, and
// windows of the pixels are no weights.
// CHECK-LABEL: func.func @widened
// CHECK-NOT:  tg.contiguous
// CHECK:      %[[W:.*]] = tg.reshape %arg1
// CHECK-NEXT: %[[P:.*]] = tg.permute %[[W]] [0, 1, 2, 3, 5, 6, 4] : tensor<1x128x1x1x64x3x3xf16> -> tensor<1x128x1x1x3x3x64xf16>
// CHECK-NEXT: %[[M:.*]] = tg.contiguous %[[P]]
// CHECK-NEXT: %[[Q:.*]] = tg.permute %[[M]] [0, 1, 2, 3, 6, 4, 5] : tensor<1x128x1x1x3x3x64xf16> -> tensor<1x128x1x1x64x3x3xf16>
// CHECK-NEXT: %[[C:.*]] = tg.cast %[[Q]]
// CHECK-NEXT: %[[E:.*]] = tg.expand %[[C]]
// CHECK-NEXT: tg.mul %{{.*}}, %[[E]]
// CHECK-NOT:  tg.contiguous
func.func @widened(%x: tensor<8x64x30x30xf16>, %w: tensor<128x64x3x3xf16>) -> tensor<8x128x28x28x1x1x1xf32> {
  %0 = tg.strided %x [#tg.view<[8, 1, 28, 28, 64, 3, 3] strides [57600, 0, 30, 1, 900, 30, 1]>] : tensor<8x64x30x30xf16> -> tensor<8x1x28x28x64x3x3xf16>
  %1 = tg.cast %0 : tensor<8x1x28x28x64x3x3xf16> -> tensor<8x1x28x28x64x3x3xf32>
  %2 = tg.expand %1 : tensor<8x1x28x28x64x3x3xf32> -> tensor<8x128x28x28x64x3x3xf32>
  %3 = tg.reshape %w : tensor<128x64x3x3xf16> -> tensor<1x128x1x1x64x3x3xf16>
  %4 = tg.cast %3 : tensor<1x128x1x1x64x3x3xf16> -> tensor<1x128x1x1x64x3x3xf32>
  %5 = tg.expand %4 : tensor<1x128x1x1x64x3x3xf32> -> tensor<8x128x28x28x64x3x3xf32>
  %6 = tg.mul %2, %5 : tensor<8x128x28x28x64x3x3xf32>
  %7 = tg.reduce add %6 axes [4, 5, 6] : tensor<8x128x28x28x64x3x3xf32> -> tensor<8x128x28x28x1x1x1xf32>
  return %7 : tensor<8x128x28x28x1x1x1xf32>
}

// The gradient by the weights, of converted factors.
// CHECK-LABEL: func.func @by_weights_widened
// CHECK-NOT: tg.contiguous
func.func @by_weights_widened(%x: tensor<32x64x9x9xf16>, %g: tensor<32x64x7x7xf16>) -> tensor<1x64x1x1x64x3x3xf32> {
  %0 = tg.strided %x [#tg.view<[32, 1, 7, 7, 64, 3, 3] strides [5184, 0, 9, 1, 81, 9, 1]>] : tensor<32x64x9x9xf16> -> tensor<32x1x7x7x64x3x3xf16>
  %1 = tg.cast %0 : tensor<32x1x7x7x64x3x3xf16> -> tensor<32x1x7x7x64x3x3xf32>
  %2 = tg.expand %1 : tensor<32x1x7x7x64x3x3xf32> -> tensor<32x64x7x7x64x3x3xf32>
  %3 = tg.reshape %g : tensor<32x64x7x7xf16> -> tensor<32x64x7x7x1x1x1xf16>
  %4 = tg.cast %3 : tensor<32x64x7x7x1x1x1xf16> -> tensor<32x64x7x7x1x1x1xf32>
  %5 = tg.expand %4 : tensor<32x64x7x7x1x1x1xf32> -> tensor<32x64x7x7x64x3x3xf32>
  %6 = tg.mul %2, %5 : tensor<32x64x7x7x64x3x3xf32>
  %7 = tg.reduce add %6 axes [0, 2, 3] : tensor<32x64x7x7x64x3x3xf32> -> tensor<1x64x1x1x64x3x3xf32>
  return %7 : tensor<1x64x1x1x64x3x3xf32>
}

// Groups of channels are not added up; channels of a group are few.
// CHECK-LABEL: func.func @groups
// CHECK-NOT: tg.contiguous
func.func @groups(%x: tensor<8x128x30x30xf32>, %w: tensor<128x4x3x3xf32>) -> tensor<8x32x4x28x28x1x1x1xf32> {
  %0 = tg.strided %x [#tg.view<[8, 32, 4, 28, 28, 4, 3, 3] strides [115200, 3600, 0, 30, 1, 900, 30, 1]>] : tensor<8x128x30x30xf32> -> tensor<8x32x4x28x28x4x3x3xf32>
  %1 = tg.reshape %w : tensor<128x4x3x3xf32> -> tensor<1x32x4x1x1x4x3x3xf32>
  %2 = tg.expand %1 : tensor<1x32x4x1x1x4x3x3xf32> -> tensor<8x32x4x28x28x4x3x3xf32>
  %3 = tg.mul %0, %2 : tensor<8x32x4x28x28x4x3x3xf32>
  %4 = tg.reduce add %3 axes [5, 6, 7] : tensor<8x32x4x28x28x4x3x3xf32> -> tensor<8x32x4x28x28x1x1x1xf32>
  return %4 : tensor<8x32x4x28x28x1x1x1xf32>
}
}

// -----

// Work items of a processor read the weights once.
// CHECK-LABEL: func.func @processor
// CHECK-NOT: tg.contiguous
func.func @processor(%x: tensor<8x64x30x30xf32>, %w: tensor<128x64x3x3xf32>) -> tensor<8x128x28x28x1x1x1xf32> {
  %0 = tg.strided %x [#tg.view<[8, 128, 28, 28, 64, 3, 3] strides [57600, 0, 30, 1, 900, 30, 1]>] : tensor<8x64x30x30xf32> -> tensor<8x128x28x28x64x3x3xf32>
  %1 = tg.reshape %w : tensor<128x64x3x3xf32> -> tensor<1x128x1x1x64x3x3xf32>
  %2 = tg.expand %1 : tensor<1x128x1x1x64x3x3xf32> -> tensor<8x128x28x28x64x3x3xf32>
  %3 = tg.mul %0, %2 : tensor<8x128x28x28x64x3x3xf32>
  %4 = tg.reduce add %3 axes [4, 5, 6] : tensor<8x128x28x28x64x3x3xf32> -> tensor<8x128x28x28x1x1x1xf32>
  return %4 : tensor<8x128x28x28x1x1x1xf32>
}

// -----

module attributes {tg.target = #tg.target<"gpu", vector_bytes = 16, line_bytes = 128, parallel_items = 264, group_items = 1024, subgroup_items = 32, group_bytes = 65536>} {
// Scalars have no weights.
// CHECK-LABEL: func.func @scalars
// CHECK: tg.mul %arg0, %arg1 : f32
func.func @scalars(%x: f32, %y: f32) -> f32 {
  %0 = tg.mul %x, %y : f32
  return %0 : f32
}
}
