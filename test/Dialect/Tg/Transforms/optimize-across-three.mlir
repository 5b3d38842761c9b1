// RUN: tg-opt %s --tg-attach-target=target=cpu:x86_64:x86-64-v4 --tg-optimize-pipeline=verify-rewrites | FileCheck %s
// RUN: tg-opt %s --tg-attach-target=target=cpu:x86_64:sapphirerapids --tg-optimize-pipeline=verify-rewrites | FileCheck %s --check-prefix=SPR
// RUN: tg-opt %s --tg-attach-target=target=cpu:x86_64:x86-64-v4 --tg-verify-schedules -o /dev/null

// 48 channels: three register tiles of one vector share the windows. Processors that
// wait for columns have work items of one vector, or tiles of three.

// CHECK-LABEL: tg.kernel @r_48_41_41_3_3_3
// CHECK-SAME:    #tg.step<split [0] by 48 into [6, 7]>
// CHECK-SAME:    by 21 into [8, 9]>, #tg.step<split [8] by 16 into [10, 11]>, #tg.step<set_kind [11] as upcast>
// CHECK:         tg.range 10 loop 3
// SPR-LABEL:   tg.kernel @r_48_41_41_3_3_3
// SPR-SAME:      #tg.step<split [0] by 16 into [6, 7]>
tg.kernel @r_48_41_41_3_3_3_n2(%arg0: memref<80688xf32>, %arg1: memref<1296xf32>, %arg2: memref<19683xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(41 : index) : index
  %1 = tg.const(48 : index) : index
  %2 = tg.const(3 : index) : index
  %3 = tg.const(-82 : index) : index
  %4 = tg.const(81 : index) : index
  %5 = tg.const(82 : index) : index
  %6 = tg.const(2 : index) : index
  %7 = tg.const(0 : index) : index
  %8 = tg.range 0 loop 48
  %9 = tg.range 1 loop 41
  %10 = tg.range 2 loop 41
  %11 = tg.range 3 loop 3
  %12 = tg.range 4 loop 3
  %13 = tg.range 5 loop 3
  %14 = tg.mul %9, %6 : index
  %15 = tg.add %14, %12 : index
  %16 = tg.cmplt %7, %15 : index
  %17 = tg.cmplt %15, %5 : index
  %18 = tg.and %16, %17 : i1
  %19 = tg.mul %10, %6 : index
  %20 = tg.add %19, %13 : index
  %21 = tg.cmplt %7, %20 : index
  %22 = tg.and %18, %21 : i1
  %23 = tg.cmplt %20, %5 : index
  %24 = tg.and %22, %23 : i1
  %25 = tg.mul %9, %4 : index
  %26 = tg.add %10, %25 : index
  %27 = tg.mul %26, %6 : index
  %28 = tg.mul %11, %4 : index
  %29 = tg.add %12, %28 : index
  %30 = tg.mul %29, %4 : index
  %31 = tg.add %13, %27 : index
  %32 = tg.add %31, %30 : index
  %33 = tg.add %32, %3 : index
  %34 = tg.load %arg2[%33] mask %24 : memref<19683xf32>
  %35 = tg.mul %11, %1 : index
  %36 = tg.add %8, %35 : index
  %37 = tg.mul %36, %2 : index
  %38 = tg.add %12, %37 : index
  %39 = tg.mul %38, %2 : index
  %40 = tg.add %13, %39 : index
  %41 = tg.load %arg1[%40] : memref<1296xf32>
  %42 = tg.mul %34, %41 : f32
  %43 = tg.ranged_reduce add %42 over %11, %12, %13 : f32
  %44 = tg.mul %8, %0 : index
  %45 = tg.add %9, %44 : index
  %46 = tg.mul %45, %0 : index
  %47 = tg.add %10, %46 : index
  tg.store %43, %arg0[%47] : memref<80688xf32>
}
