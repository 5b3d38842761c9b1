// RUN: tg-opt %s --split-input-file --tg-attach-target=target=cuda:sm_90 --tg-schedule-pipeline --tg-optimize-pipeline=verify-rewrites | FileCheck %s
// RUN: tg-opt %s --split-input-file --tg-attach-target=target=cuda:sm_90 --tg-schedule-pipeline --tg-optimize-pipeline -o /dev/null --remark-format=emitRemark --remarks-filter=tg-optimize.* 2>&1 | FileCheck %s --check-prefix=REMARK

// A factor that is computed from several loads is computed while its tile is
// filled, once for all columns of the block.
// REMARK: r_256_256_64{{.*}}: tiles of products
// CHECK-LABEL: tg.kernel @r_256_256_64
// CHECK: tg.load
// CHECK: tg.load
// CHECK: %[[SCALED:.*]] = tg.mul
// CHECK: %[[FACTOR:.*]] = tg.max %[[SCALED]]
// CHECK: tg.stage %[[FACTOR]] {{.*}} in group
func.func @scaled(%x: tensor<256x64xf32>, %s: tensor<1x64xf32>, %w: tensor<64x256xf32>) -> tensor<256x1x256xf32> {
  %zero = tg.const(0.0 : f32) : tensor<256x64xf32>
  %s1 = tg.expand %s : tensor<1x64xf32> -> tensor<256x64xf32>
  %m = tg.mul %x, %s1 : tensor<256x64xf32>
  %r = tg.max %m, %zero : tensor<256x64xf32>
  %a = tg.reshape %r : tensor<256x64xf32> -> tensor<256x64x1xf32>
  %a1 = tg.expand %a : tensor<256x64x1xf32> -> tensor<256x64x256xf32>
  %b = tg.reshape %w : tensor<64x256xf32> -> tensor<1x64x256xf32>
  %b1 = tg.expand %b : tensor<1x64x256xf32> -> tensor<256x64x256xf32>
  %p = tg.mul %a1, %b1 : tensor<256x64x256xf32>
  %c = tg.reduce add %p axes [1] : tensor<256x64x256xf32> -> tensor<256x1x256xf32>
  return %c : tensor<256x1x256xf32>
}

// -----

// Past the end of the sum it would not be zero: the tile has what is loaded.
// REMARK: r_256_256_60{{.*}}: tiles of products
// CHECK-LABEL: tg.kernel @r_256_256_60
// CHECK: %[[LOADED:.*]] = tg.load {{.*}} mask
// CHECK-NEXT: tg.stage %[[LOADED]] {{.*}} in group
// CHECK: tg.max
func.func @no_multiple(%x: tensor<256x60xf32>, %s: tensor<1x60xf32>, %w: tensor<60x256xf32>) -> tensor<256x1x256xf32> {
  %s1 = tg.expand %s : tensor<1x60xf32> -> tensor<256x60xf32>
  %m = tg.mul %x, %s1 : tensor<256x60xf32>
  %one = tg.const(1.0 : f32) : tensor<256x60xf32>
  %r = tg.max %m, %one : tensor<256x60xf32>
  %a = tg.reshape %r : tensor<256x60xf32> -> tensor<256x60x1xf32>
  %a1 = tg.expand %a : tensor<256x60x1xf32> -> tensor<256x60x256xf32>
  %b = tg.reshape %w : tensor<60x256xf32> -> tensor<1x60x256xf32>
  %b1 = tg.expand %b : tensor<1x60x256xf32> -> tensor<256x60x256xf32>
  %p = tg.mul %a1, %b1 : tensor<256x60x256xf32>
  %c = tg.reduce add %p axes [1] : tensor<256x60x256xf32> -> tensor<256x1x256xf32>
  return %c : tensor<256x1x256xf32>
}

// -----

// What depends on rows and columns is no factor.
// REMARK: r_256_256_64{{.*}}: no tiles of products: there are no two factors
// CHECK-LABEL: tg.kernel @r_256_256_64
// CHECK-NOT: in group
func.func @no_factor(%x: tensor<256x64x1xf32>, %y: tensor<1x64x256xf32>, %w: tensor<1x64x256xf32>) -> tensor<256x1x256xf32> {
  %x1 = tg.expand %x : tensor<256x64x1xf32> -> tensor<256x64x256xf32>
  %y1 = tg.expand %y : tensor<1x64x256xf32> -> tensor<256x64x256xf32>
  %w1 = tg.expand %w : tensor<1x64x256xf32> -> tensor<256x64x256xf32>
  %a = tg.max %x1, %y1 : tensor<256x64x256xf32>
  %p = tg.mul %a, %w1 : tensor<256x64x256xf32>
  %c = tg.reduce add %p axes [1] : tensor<256x64x256xf32> -> tensor<256x1x256xf32>
  return %c : tensor<256x1x256xf32>
}
