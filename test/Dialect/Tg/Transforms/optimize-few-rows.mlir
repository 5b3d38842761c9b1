// RUN: tg-opt %s --split-input-file --tg-attach-target=target=sim:sm_90 --tg-schedule-pipeline --tg-optimize-pipeline=verify-rewrites | FileCheck %s
// RUN: tg-opt %s --split-input-file --tg-attach-target=target=sim:sm_90 --tg-schedule-pipeline --tg-optimize-pipeline -o /dev/null --remark-format=emitRemark --remarks-filter=tg-optimize.* 2>&1 | FileCheck %s --check-prefix=REMARK

// Products with few rows, on a chip with 132 compute units: the larger factor is
// read once for all rows, and the depth is divided where blocks are too few.

// Blocks of 16 rows and 64 columns: 32 of them for each of 8 parts of the depth.
// Each of 64 items has 4x4 results. The sums of parts are added by another
// kernel.
// REMARK: r_8_8_2048_256{{.*}}: tiles of products
// REMARK: r_8_8_2048_256{{.*}}: rows range {{[0-9]+}} by 16
// REMARK: r_8_8_2048_256{{.*}}: columns range {{[0-9]+}} by 64
// CHECK-LABEL: tg.kernel @r_8_8_2048_256
// CHECK: tg.range 0 global 8
// CHECK: tg.range {{[0-9]+}} local 4
// CHECK-NEXT: tg.range {{[0-9]+}} local 2
// CHECK-NEXT: tg.range {{[0-9]+}} local 4
// CHECK-NEXT: tg.range {{[0-9]+}} unroll 4
// CHECK-NEXT: tg.range {{[0-9]+}} global 32
// CHECK: tg.range {{[0-9]+}} local 8
// CHECK-NEXT: tg.range {{[0-9]+}} upcast 4
// CHECK-NEXT: tg.range {{[0-9]+}} loop 16
// CHECK: tg.stage {{.*}} in group buffers 3 : memref<256xf32>
// CHECK: tg.stage {{.*}} in group buffers 3 : memref<1024xf32>
// CHECK: tg.store {{.*}} mask
// CHECK-LABEL: tg.kernel @r_8_2048_8
// CHECK-NOT: tg.stage
// CHECK: tg.store
func.func @few(%a: tensor<8x2048xf32>, %b: tensor<2048x2048xf32>) -> tensor<8x2048xf32> {
  %a3 = tg.reshape %a : tensor<8x2048xf32> -> tensor<8x1x2048xf32>
  %ae = tg.expand %a3 : tensor<8x1x2048xf32> -> tensor<8x2048x2048xf32>
  %b3 = tg.reshape %b : tensor<2048x2048xf32> -> tensor<1x2048x2048xf32>
  %be = tg.expand %b3 : tensor<1x2048x2048xf32> -> tensor<8x2048x2048xf32>
  %p = tg.mul %ae, %be : tensor<8x2048x2048xf32>
  %s = tg.reduce add %p axes [2] : tensor<8x2048x2048xf32> -> tensor<8x2048x1xf32>
  %r = tg.reshape %s : tensor<8x2048x1xf32> -> tensor<8x2048xf32>
  return %r : tensor<8x2048xf32>
}

// -----

// Wide ones where these are enough groups, here without parts.
// REMARK: r_20_20480_512{{.*}}: rows range {{[0-9]+}} by 32
// REMARK: r_20_20480_512{{.*}}: columns range {{[0-9]+}} by 128
// CHECK-LABEL: tg.kernel @r_20_20480_512
// CHECK: tg.range {{[0-9]+}} global 160
// CHECK: tg.stage {{.*}} in group buffers 3 : memref<512xf32>
// CHECK: tg.stage {{.*}} in group buffers 3 : memref<2048xf32>
// CHECK: tg.store
func.func @wide(%a: tensor<20x512xf32>, %b: tensor<512x20480xf32>) -> tensor<20x20480xf32> {
  %a3 = tg.reshape %a : tensor<20x512xf32> -> tensor<20x512x1xf32>
  %ae = tg.expand %a3 : tensor<20x512x1xf32> -> tensor<20x512x20480xf32>
  %b3 = tg.reshape %b : tensor<512x20480xf32> -> tensor<1x512x20480xf32>
  %be = tg.expand %b3 : tensor<1x512x20480xf32> -> tensor<20x512x20480xf32>
  %p = tg.mul %ae, %be : tensor<20x512x20480xf32>
  %s = tg.reduce add %p axes [1] : tensor<20x512x20480xf32> -> tensor<20x1x20480xf32>
  %r = tg.reshape %s : tensor<20x1x20480xf32> -> tensor<20x20480xf32>
  return %r : tensor<20x20480xf32>
}

// -----

// Matrix units pad the rows.
// REMARK: r_8_4_2048_256{{.*}}: tiles for matrix units
// REMARK: r_8_4_2048_256{{.*}}: matrix rows range {{[0-9]+}} by 32
// REMARK: r_8_4_2048_256{{.*}}: matrix columns range {{[0-9]+}} by 64
// CHECK-LABEL: tg.kernel @r_8_4_2048_256
// CHECK: tg.ranged_reduce add %{{.*}} on "mma_m16n8k16_f16" : f32
func.func @units(%a: tensor<4x2048xf16>, %b: tensor<2048x2048xf16>) -> tensor<4x2048xf16> {
  %a3 = tg.reshape %a : tensor<4x2048xf16> -> tensor<4x2048x1xf16>
  %ae = tg.expand %a3 : tensor<4x2048x1xf16> -> tensor<4x2048x2048xf16>
  %b3 = tg.reshape %b : tensor<2048x2048xf16> -> tensor<1x2048x2048xf16>
  %be = tg.expand %b3 : tensor<1x2048x2048xf16> -> tensor<4x2048x2048xf16>
  %p = tg.mul %ae, %be : tensor<4x2048x2048xf16>
  %s = tg.reduce add %p axes [1] : tensor<4x2048x2048xf16> -> tensor<4x1x2048xf16>
  %r = tg.reshape %s : tensor<4x1x2048xf16> -> tensor<4x2048xf16>
  return %r : tensor<4x2048xf16>
}

// -----

// Few columns and a short sum: more groups, which read a factor for each row.
// REMARK: r_8_2048_128{{.*}}: no tiles of products: blocks of 8 rows are too few groups
// REMARK: r_8_2048_128{{.*}}: columns shared by groups
// CHECK-LABEL: tg.kernel @r_8_2048_128
// CHECK: tg.range 0 global 8
// CHECK-NOT: tg.stage
// CHECK: tg.store
func.func @short(%a: tensor<8x128xf32>, %b: tensor<128x2048xf32>) -> tensor<8x2048xf32> {
  %a3 = tg.reshape %a : tensor<8x128xf32> -> tensor<8x128x1xf32>
  %ae = tg.expand %a3 : tensor<8x128x1xf32> -> tensor<8x128x2048xf32>
  %b3 = tg.reshape %b : tensor<128x2048xf32> -> tensor<1x128x2048xf32>
  %be = tg.expand %b3 : tensor<1x128x2048xf32> -> tensor<8x128x2048xf32>
  %p = tg.mul %ae, %be : tensor<8x128x2048xf32>
  %s = tg.reduce add %p axes [1] : tensor<8x128x2048xf32> -> tensor<8x1x2048xf32>
  %r = tg.reshape %s : tensor<8x1x2048xf32> -> tensor<8x2048xf32>
  return %r : tensor<8x2048xf32>
}

// -----

// One row has no tiles, and no parts.
// REMARK: r_2048_2048{{.*}}: rows shared by groups
// CHECK-LABEL: tg.kernel @r_2048_2048
// CHECK-NOT: tg.stage
// CHECK: tg.store
// CHECK-NOT: tg.kernel
func.func @row(%a: tensor<1x2048xf32>, %b: tensor<2048x2048xf32>) -> tensor<1x2048xf32> {
  %a3 = tg.reshape %a : tensor<1x2048xf32> -> tensor<1x1x2048xf32>
  %ae = tg.expand %a3 : tensor<1x1x2048xf32> -> tensor<1x2048x2048xf32>
  %b3 = tg.reshape %b : tensor<2048x2048xf32> -> tensor<1x2048x2048xf32>
  %be = tg.expand %b3 : tensor<1x2048x2048xf32> -> tensor<1x2048x2048xf32>
  %p = tg.mul %ae, %be : tensor<1x2048x2048xf32>
  %s = tg.reduce add %p axes [2] : tensor<1x2048x2048xf32> -> tensor<1x2048x1xf32>
  %r = tg.reshape %s : tensor<1x2048x1xf32> -> tensor<1x2048xf32>
  return %r : tensor<1x2048xf32>
}

// -----

// Of f64, padding would take longer than reading a factor again.
// REMARK: r_7_20480_512{{.*}}: single items
// CHECK-LABEL: tg.kernel @r_7_20480_512
// CHECK-NOT: tg.stage
// CHECK: tg.store
func.func @slow(%a: tensor<7x512xf64>, %b: tensor<512x20480xf64>) -> tensor<7x20480xf64> {
  %a3 = tg.reshape %a : tensor<7x512xf64> -> tensor<7x512x1xf64>
  %ae = tg.expand %a3 : tensor<7x512x1xf64> -> tensor<7x512x20480xf64>
  %b3 = tg.reshape %b : tensor<512x20480xf64> -> tensor<1x512x20480xf64>
  %be = tg.expand %b3 : tensor<1x512x20480xf64> -> tensor<7x512x20480xf64>
  %p = tg.mul %ae, %be : tensor<7x512x20480xf64>
  %s = tg.reduce add %p axes [1] : tensor<7x512x20480xf64> -> tensor<7x1x20480xf64>
  %r = tg.reshape %s : tensor<7x1x20480xf64> -> tensor<7x20480xf64>
  return %r : tensor<7x20480xf64>
}

// -----

// Large products have large blocks, and no parts.
// REMARK: r_4096_4096_4096{{.*}}: rows range {{[0-9]+}} by 128
// REMARK: r_4096_4096_4096{{.*}}: columns range {{[0-9]+}} by 128
// CHECK-LABEL: tg.kernel @r_4096_4096_4096
// CHECK: tg.stage {{.*}} : memref<1024xf32>
// CHECK: tg.stage {{.*}} : memref<1024xf32>
// CHECK-NOT: tg.kernel
func.func @large(%a: tensor<4096x4096xf32>, %b: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %a3 = tg.reshape %a : tensor<4096x4096xf32> -> tensor<4096x4096x1xf32>
  %ae = tg.expand %a3 : tensor<4096x4096x1xf32> -> tensor<4096x4096x4096xf32>
  %b3 = tg.reshape %b : tensor<4096x4096xf32> -> tensor<1x4096x4096xf32>
  %be = tg.expand %b3 : tensor<1x4096x4096xf32> -> tensor<4096x4096x4096xf32>
  %p = tg.mul %ae, %be : tensor<4096x4096x4096xf32>
  %s = tg.reduce add %p axes [1] : tensor<4096x4096x4096xf32> -> tensor<4096x1x4096xf32>
  %r = tg.reshape %s : tensor<4096x1x4096xf32> -> tensor<4096x4096xf32>
  return %r : tensor<4096x4096xf32>
}
