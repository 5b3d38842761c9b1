// Kernels of layers and of their gradients, with the steps of the heuristics: each
// kind of step is among them.

// RUN: tg-opt %s --split-input-file --tg-attach-target=target=cpu --tg-schedule-pipeline \
// RUN:   --tg-verify-schedules=print-counts=true -o /dev/null | FileCheck %s --implicit-check-not="not covered"
// RUN: tg-opt %s --split-input-file --tg-attach-target=target=cpu:x86-64-v3 --tg-schedule-pipeline \
// RUN:   --tg-verify-schedules=print-counts=true -o /dev/null | FileCheck %s --implicit-check-not="not covered"
// RUN: tg-opt %s --split-input-file --tg-attach-target=target=cuda:sm_90 --tg-schedule-pipeline --tg-align-buffers \
// RUN:   --tg-verify-schedules=print-counts=true -o /dev/null | FileCheck %s --implicit-check-not="not covered"
// RUN: tg-opt %s --split-input-file --tg-attach-target=target=amd:gfx942 --tg-schedule-pipeline --tg-align-buffers \
// RUN:   --tg-verify-schedules=print-counts=true -o /dev/null | FileCheck %s --implicit-check-not="not covered"

// CHECK: schedules: {{[1-9]}} kernels
// CHECK: schedules: {{[1-9]}} kernels
// CHECK: schedules: {{[1-9]}} kernels
// CHECK: schedules: {{[1-9]}} kernels
// CHECK: schedules: {{[1-9]}} kernels
// CHECK: schedules: {{[1-9]}} kernels
// CHECK: schedules: {{[1-9]}} kernels
// CHECK: schedules: {{[1-9]}} kernels
// CHECK: schedules: {{[1-9]}} kernels
// CHECK: schedules: {{[1-9]}} kernels
// CHECK: schedules: {{[1-9]}} kernels

// RUN: tg-opt %s --split-input-file --tg-attach-target=target=cpu --tg-schedule-pipeline --tg-optimize-pipeline -o %t.cpu
// RUN: FileCheck %s --check-prefix=CPU --input-file %t.cpu
// CPU-DAG: #tg.step<split
// CPU-DAG: #tg.step<merge
// CPU-DAG: #tg.step<move
// CPU-DAG: #tg.step<set_kind
// CPU-DAG: #tg.step<unshare
// CPU-DAG: #tg.step<accumulate
// CPU-DAG: #tg.step<stage load
// CPU-DAG: #tg.step<stage_window
// CPU-DAG: #tg.step<reuse
// CPU-DAG: #tg.step<skip_masked
// CPU-DAG: #tg.step<check_finite
// CPU-DAG: #tg.step<prefetch
// CPU-DAG: #tg.step<nontemporal

// RUN: tg-opt %s --split-input-file --tg-attach-target=target=cuda:sm_90 --tg-schedule-pipeline --tg-optimize-pipeline -o %t.gpu
// RUN: FileCheck %s --check-prefix=GPU --input-file %t.gpu
// GPU-DAG: #tg.step<contract
// GPU-DAG: #tg.step<buffer

// A convolution with padding: windows, and products that are skipped where
// they are padding.
module {
  func.func @main(%arg0: tensor<2x32x14x14xf32>, %arg1: tensor<64x32x3x3xf32>) -> tensor<2x64x14x14xf32> {
    %0 = tg.pad %arg0 low [0, 0, 1, 1] high [0, 0, 1, 1] : tensor<2x32x14x14xf32> -> tensor<2x32x16x16xf32>
    %1 = tg.strided %0 [#tg.view<[2, 1, 1, 14, 14, 32, 3, 3] strides [8192, 0, 0, 16, 1, 256, 16, 1]>] : tensor<2x32x16x16xf32> -> tensor<2x1x1x14x14x32x3x3xf32>
    %2 = tg.expand %1 : tensor<2x1x1x14x14x32x3x3xf32> -> tensor<2x1x64x14x14x32x3x3xf32>
    %3 = tg.reshape %arg1 : tensor<64x32x3x3xf32> -> tensor<1x1x64x1x1x32x3x3xf32>
    %4 = tg.expand %3 : tensor<1x1x64x1x1x32x3x3xf32> -> tensor<2x1x64x14x14x32x3x3xf32>
    %5 = tg.mul %2, %4 : tensor<2x1x64x14x14x32x3x3xf32>
    %6 = tg.reduce add %5 axes [5, 6, 7] : tensor<2x1x64x14x14x32x3x3xf32> -> tensor<2x1x64x14x14x1x1x1xf32>
    %7 = tg.reshape %6 : tensor<2x1x64x14x14x1x1x1xf32> -> tensor<2x64x14x14xf32>
    return %7 : tensor<2x64x14x14xf32>
  }
}

// -----

// With a stride.
module {
  func.func @main(%arg0: tensor<2x64x28x28xf32>, %arg1: tensor<64x64x3x3xf32>) -> tensor<2x64x14x14xf32> {
    %0 = tg.pad %arg0 low [0, 0, 1, 1] high [0, 0, 1, 1] : tensor<2x64x28x28xf32> -> tensor<2x64x30x30xf32>
    %1 = tg.strided %0 [#tg.view<[2, 1, 1, 14, 14, 64, 3, 3] strides [57600, 0, 0, 60, 2, 900, 30, 1]>] : tensor<2x64x30x30xf32> -> tensor<2x1x1x14x14x64x3x3xf32>
    %2 = tg.expand %1 : tensor<2x1x1x14x14x64x3x3xf32> -> tensor<2x1x64x14x14x64x3x3xf32>
    %3 = tg.reshape %arg1 : tensor<64x64x3x3xf32> -> tensor<1x1x64x1x1x64x3x3xf32>
    %4 = tg.expand %3 : tensor<1x1x64x1x1x64x3x3xf32> -> tensor<2x1x64x14x14x64x3x3xf32>
    %5 = tg.mul %2, %4 : tensor<2x1x64x14x14x64x3x3xf32>
    %6 = tg.reduce add %5 axes [5, 6, 7] : tensor<2x1x64x14x14x64x3x3xf32> -> tensor<2x1x64x14x14x1x1x1xf32>
    %7 = tg.reshape %6 : tensor<2x1x64x14x14x1x1x1xf32> -> tensor<2x64x14x14xf32>
    return %7 : tensor<2x64x14x14xf32>
  }
}

// -----

// With a dilation, of a computed input.
module {
  func.func @main(%arg0: tensor<1x16x30x30xf32>, %arg1: tensor<32x16x3x3xf32>) -> tensor<1x32x30x30xf32> {
    %0 = tg.const(0.000000e+00 : f32) : tensor<1x16x30x30xf32>
    %1 = tg.max %arg0, %0 : tensor<1x16x30x30xf32>
    %2 = tg.pad %1 low [0, 0, 2, 2] high [0, 0, 2, 2] : tensor<1x16x30x30xf32> -> tensor<1x16x34x34xf32>
    %3 = tg.strided %2 [#tg.view<[1, 1, 1, 30, 30, 16, 3, 3] strides [0, 0, 0, 34, 1, 1156, 68, 2]>] : tensor<1x16x34x34xf32> -> tensor<1x1x1x30x30x16x3x3xf32>
    %4 = tg.expand %3 : tensor<1x1x1x30x30x16x3x3xf32> -> tensor<1x1x32x30x30x16x3x3xf32>
    %5 = tg.reshape %arg1 : tensor<32x16x3x3xf32> -> tensor<1x1x32x1x1x16x3x3xf32>
    %6 = tg.expand %5 : tensor<1x1x32x1x1x16x3x3xf32> -> tensor<1x1x32x30x30x16x3x3xf32>
    %7 = tg.mul %4, %6 : tensor<1x1x32x30x30x16x3x3xf32>
    %8 = tg.reduce add %7 axes [5, 6, 7] : tensor<1x1x32x30x30x16x3x3xf32> -> tensor<1x1x32x30x30x1x1x1xf32>
    %9 = tg.reshape %8 : tensor<1x1x32x30x30x1x1x1xf32> -> tensor<1x32x30x30xf32>
    return %9 : tensor<1x32x30x30xf32>
  }
}

// -----

// A product with remainders along all axes.
module {
  func.func @main(%arg0: tensor<70x300xf32>, %arg1: tensor<300x130xf32>) -> tensor<70x130xf32> {
    %0 = tg.reshape %arg0 : tensor<70x300xf32> -> tensor<70x1x300xf32>
    %1 = tg.expand %0 : tensor<70x1x300xf32> -> tensor<70x130x300xf32>
    %2 = tg.permute %arg1 [1, 0] : tensor<300x130xf32> -> tensor<130x300xf32>
    %3 = tg.reshape %2 : tensor<130x300xf32> -> tensor<1x130x300xf32>
    %4 = tg.expand %3 : tensor<1x130x300xf32> -> tensor<70x130x300xf32>
    %5 = tg.mul %1, %4 : tensor<70x130x300xf32>
    %6 = tg.reduce add %5 axes [2] : tensor<70x130x300xf32> -> tensor<70x130x1xf32>
    %7 = tg.reshape %6 : tensor<70x130x1xf32> -> tensor<70x130xf32>
    %8 = tg.const(0.000000e+00 : f32) : tensor<70x130xf32>
    %9 = tg.max %7, %8 : tensor<70x130xf32>
    return %9 : tensor<70x130xf32>
  }
}

// -----

// An exponential that is used twice.
module {
  func.func @main(%arg0: tensor<64x512xf32>) -> tensor<64x512xf32> {
    %0 = tg.reduce max %arg0 axes [1] : tensor<64x512xf32> -> tensor<64x1xf32>
    %1 = tg.detach %0 : tensor<64x1xf32>
    %2 = tg.expand %1 : tensor<64x1xf32> -> tensor<64x512xf32>
    %3 = tg.sub %arg0, %2 : tensor<64x512xf32>
    %4 = tg.const(1.44269502 : f32) : tensor<64x512xf32>
    %5 = tg.mul %3, %4 : tensor<64x512xf32>
    %6 = tg.exp2 %5 : tensor<64x512xf32>
    %7 = tg.reduce add %6 axes [1] : tensor<64x512xf32> -> tensor<64x1xf32>
    %8 = tg.recip %7 : tensor<64x1xf32>
    %9 = tg.expand %8 : tensor<64x1xf32> -> tensor<64x512xf32>
    %10 = tg.mul %6, %9 : tensor<64x512xf32>
    return %10 : tensor<64x512xf32>
  }
}

// -----

// Sums of columns, accumulated in memory.
module {
  func.func @main(%arg0: tensor<4096x3000xf32>) -> tensor<3000xf32> {
    %0 = tg.reduce add %arg0 axes [0] : tensor<4096x3000xf32> -> tensor<1x3000xf32>
    %1 = tg.reshape %0 : tensor<1x3000xf32> -> tensor<3000xf32>
    return %1 : tensor<3000xf32>
  }
}

// -----

// A large result, stored past the caches.
module {
  func.func @main(%arg0: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
    %0 = tg.const(2.000000e+00 : f32) : tensor<4096x4096xf32>
    %1 = tg.mul %arg0, %0 : tensor<4096x4096xf32>
    return %1 : tensor<4096x4096xf32>
  }
}

// -----

// A gradient in which the exponential along the reduced range is not that
// along the result, though both are equally long.
module {
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = tg.mul %arg1, %arg1 : tensor<8x8xf32>
    %1 = tg.reduce add %0 axes [1] : tensor<8x8xf32> -> tensor<8x1xf32>
    %2 = tg.reshape %1 : tensor<8x1xf32> -> tensor<8xf32>
    %3 = tg.sqrt %2 : tensor<8xf32>
    %4 = tg.reduce max %3 axes [0] : tensor<8xf32> -> tensor<1xf32>
    %5 = tg.detach %4 : tensor<1xf32>
    %6 = tg.expand %5 : tensor<1xf32> -> tensor<8xf32>
    %7 = tg.sub %3, %6 : tensor<8xf32>
    %8 = tg.const(1.44269502 : f32) : tensor<8xf32>
    %9 = tg.mul %7, %8 : tensor<8xf32>
    %10 = tg.exp2 %9 : tensor<8xf32>
    %11 = tg.reduce add %10 axes [0] : tensor<8xf32> -> tensor<1xf32>
    %12 = tg.recip %11 : tensor<1xf32>
    %13 = tg.expand %12 : tensor<1xf32> -> tensor<8xf32>
    %14 = tg.mul %arg0, %13 : tensor<8xf32>
    %15 = tg.mul %arg0, %10 : tensor<8xf32>
    %16 = tg.reduce add %15 axes [0] : tensor<8xf32> -> tensor<1xf32>
    %17 = tg.mul %12, %12 : tensor<1xf32>
    %18 = tg.mul %16, %17 : tensor<1xf32>
    %19 = tg.neg %18 : tensor<1xf32>
    %20 = tg.expand %19 : tensor<1xf32> -> tensor<8xf32>
    %21 = tg.add %14, %20 : tensor<8xf32>
    %22 = tg.const(0.693147182 : f32) : tensor<8xf32>
    %23 = tg.mul %10, %22 : tensor<8xf32>
    %24 = tg.mul %21, %23 : tensor<8xf32>
    %25 = tg.mul %24, %8 : tensor<8xf32>
    %26 = tg.const(5.000000e-01 : f32) : tensor<8xf32>
    %27 = tg.mul %25, %26 : tensor<8xf32>
    %28 = tg.fdiv %27, %3 : tensor<8xf32>
    %29 = tg.reshape %28 : tensor<8xf32> -> tensor<8x1xf32>
    %30 = tg.expand %29 : tensor<8x1xf32> -> tensor<8x8xf32>
    %31 = tg.mul %30, %arg1 : tensor<8x8xf32>
    %32 = tg.add %31, %31 : tensor<8x8xf32>
    return %32 : tensor<8x8xf32>
  }
}

// -----

// A scan, and a transposed operand.
module {
  func.func @main(%arg0: tensor<6x5x4xf32>) -> tensor<5x4xf32> {
    %0 = tg.scan add %arg0 axis 1 : tensor<6x5x4xf32>
    %1 = tg.permute %arg0 [2, 1, 0] : tensor<6x5x4xf32> -> tensor<4x5x6xf32>
    %2 = tg.reshape %1 : tensor<4x5x6xf32> -> tensor<6x5x4xf32>
    %3 = tg.mul %0, %2 : tensor<6x5x4xf32>
    %4 = tg.reduce add %3 axes [0] : tensor<6x5x4xf32> -> tensor<1x5x4xf32>
    %5 = tg.reshape %4 : tensor<1x5x4xf32> -> tensor<5x4xf32>
    return %5 : tensor<5x4xf32>
  }
}

// -----

// Updates of elements whose number is read from memory.
module {
  func.func @main(%arg0: tensor<128x300xf32>, %arg1: tensor<40xi32>, %arg2: tensor<40xf32>) -> tensor<128xf32> {
    %0 = tg.reduce add %arg0 axes [1] : tensor<128x300xf32> -> tensor<128x1xf32>
    %1 = tg.reshape %0 : tensor<128x1xf32> -> tensor<128xf32>
    %2 = tg.const(0 : i32) : tensor<40xi32>
    %3 = tg.cmplt %arg1, %2 : tensor<40xi32>
    %4 = tg.const(128 : i32) : tensor<40xi32>
    %5 = tg.add %arg1, %4 : tensor<40xi32>
    %6 = tg.where %3, %5, %arg1 : tensor<40xi32>
    %7 = tg.scatter add %1[%6], %arg2 axis 0 : tensor<128xf32>, tensor<40xi32>, tensor<40xf32>
    return %7 : tensor<128xf32>
  }
}

// -----

// A product for matrix units of factors that are computed, with padding
// along the depth.
module {
  func.func @main(%arg0: tensor<130x90xf16>, %arg1: tensor<90x100xf16>) -> tensor<130x100xf32> {
    %0 = tg.const(1.000000e+00 : f16) : tensor<130x90xf16>
    %1 = tg.add %arg0, %0 : tensor<130x90xf16>
    %2 = tg.reshape %1 : tensor<130x90xf16> -> tensor<130x1x90xf16>
    %3 = tg.cast %2 : tensor<130x1x90xf16> -> tensor<130x1x90xf32>
    %4 = tg.expand %3 : tensor<130x1x90xf32> -> tensor<130x100x90xf32>
    %5 = tg.const(2.000000e+00 : f16) : tensor<90x100xf16>
    %6 = tg.add %arg1, %5 : tensor<90x100xf16>
    %7 = tg.permute %6 [1, 0] : tensor<90x100xf16> -> tensor<100x90xf16>
    %8 = tg.reshape %7 : tensor<100x90xf16> -> tensor<1x100x90xf16>
    %9 = tg.cast %8 : tensor<1x100x90xf16> -> tensor<1x100x90xf32>
    %10 = tg.expand %9 : tensor<1x100x90xf32> -> tensor<130x100x90xf32>
    %11 = tg.mul %4, %10 : tensor<130x100x90xf32>
    %12 = tg.reduce add %11 axes [2] : tensor<130x100x90xf32> -> tensor<130x100x1xf32>
    %13 = tg.reshape %12 : tensor<130x100x1xf32> -> tensor<130x100xf32>
    return %13 : tensor<130x100xf32>
  }
}
