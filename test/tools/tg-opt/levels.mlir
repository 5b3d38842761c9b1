// A pipeline or conversion that is given a module of a level for which it is
// not names the level found and the one that it needs.

// RUN: tg-opt %s --tg-schedule-pipeline -o %t.2
// RUN: tg-opt %t.2 --tg-optimize-pipeline -o %t.3
// RUN: tg-opt %t.3 --convert-tg-to-vector -o %t.vector
// RUN: tg-opt %t.3 --convert-tg-to-gpu -o %t.gpu

// RUN: not tg-opt %t.2 --tg-schedule-pipeline 2>&1 | FileCheck %s --check-prefix=1-OF-2
// RUN: not tg-opt %t.3 --tg-schedule-pipeline 2>&1 | FileCheck %s --check-prefix=1-OF-3
// RUN: not tg-opt %t.vector --tg-schedule-pipeline 2>&1 | FileCheck %s --check-prefix=1-OF-4
// RUN: not tg-opt %t.gpu --tg-schedule-pipeline 2>&1 | FileCheck %s --check-prefix=1-OF-GPU
// 1-OF-2: error: '@{{[rE]}}_4_{{.*}}' is a kernel without a schedule (level 2), but tensor graphs (level 1) are needed{{$}}
// 1-OF-3: error: '@{{.*}}' is a scheduled kernel (level 3), but tensor graphs (level 1) are needed{{$}}
// 1-OF-4: error: '@{{.*}}' is made of a kernel (level 4), but tensor graphs (level 1) are needed{{$}}
// 1-OF-GPU: error: '@kernels' is made of a kernel (level 4), but tensor graphs (level 1) are needed{{$}}

// RUN: not tg-opt %s --tg-optimize-pipeline 2>&1 | FileCheck %s --check-prefix=2-OF-1
// RUN: not tg-opt %t.3 --tg-optimize-pipeline 2>&1 | FileCheck %s --check-prefix=2-OF-3
// RUN: not tg-opt %t.vector --tg-optimize-pipeline 2>&1 | FileCheck %s --check-prefix=2-OF-4
// RUN: not tg-opt %t.gpu --tg-optimize-pipeline 2>&1 | FileCheck %s --check-prefix=2-OF-4
// 2-OF-1: error: '@main' is a tensor graph (level 1), but kernels without a schedule (level 2) are needed; run tg-schedule-pipeline first{{$}}
// 2-OF-3: error: '@{{.*}}' is a scheduled kernel (level 3), but kernels without a schedule (level 2) are needed{{$}}
// 2-OF-4: error: '@{{.*}}' is made of a kernel (level 4), but kernels without a schedule (level 2) are needed{{$}}

// RUN: not tg-opt %s --convert-tg-to-vector 2>&1 | FileCheck %s --check-prefix=3-OF-1
// RUN: not tg-opt %s --convert-tg-to-gpu 2>&1 | FileCheck %s --check-prefix=3-OF-1
// RUN: not tg-opt %t.vector --convert-tg-to-vector 2>&1 | FileCheck %s --check-prefix=3-OF-4
// RUN: not tg-opt %t.gpu --convert-tg-to-gpu 2>&1 | FileCheck %s --check-prefix=3-OF-4
// 3-OF-1: error: '@main' is a tensor graph (level 1), but kernels (level 2 or 3) are needed; run tg-schedule-pipeline first{{$}}
// 3-OF-4: error: '@{{.*}}' is made of a kernel (level 4), but kernels (level 2 or 3) are needed{{$}}

// RUN: not tg-opt %s --tg-kernel-to-llvm-pipeline 2>&1 | FileCheck %s --check-prefix=4-OF-1
// RUN: not tg-opt %s --tg-gpu-to-llvm-pipeline 2>&1 | FileCheck %s --check-prefix=4-OF-1
// RUN: not tg-opt %t.2 --tg-kernel-to-llvm-pipeline 2>&1 | FileCheck %s --check-prefix=4-OF-2
// RUN: not tg-opt %t.3 --tg-kernel-to-llvm-pipeline 2>&1 | FileCheck %s --check-prefix=4-OF-3
// RUN: not tg-opt %t.3 --tg-gpu-to-llvm-pipeline 2>&1 | FileCheck %s --check-prefix=4-OF-3
// 4-OF-1: error: '@main' is a tensor graph (level 1), but functions made of kernels (level 4) are needed; run tg-schedule-pipeline first{{$}}
// 4-OF-2: error: '@{{.*}}' is a kernel without a schedule (level 2), but functions made of kernels (level 4) are needed; run tg-optimize-pipeline first{{$}}
// 4-OF-3: error: '@{{.*}}' is a scheduled kernel (level 3), but functions made of kernels (level 4) are needed; run convert-tg-to-vector or convert-tg-to-gpu first{{$}}

// The pass by itself.

// RUN: tg-opt %t.3 --tg-require-level=level=3 -o /dev/null
// RUN: not tg-opt %t.2 --tg-require-level=level=3 2>&1 | FileCheck %s --check-prefix=3-OF-2
// RUN: not tg-opt %t.2 --tg-require-level=level=5 2>&1 | FileCheck %s --check-prefix=OPTION
// 3-OF-2: error: '@{{.*}}' is a kernel without a schedule (level 2), but scheduled kernels (level 3) are needed; run tg-optimize-pipeline first{{$}}
// OPTION: Cannot find option named '5'

// A graph beside kernels is still to be scheduled, a kernel beside scheduled
// ones to be optimized. The rest stays as it is.

// RUN: sed -e '/^func.func @main/,$!d' -e s/@main/@late/ %s > %t.late
// RUN: sed -e "/^module {$/d" -e "/^}$/d" %t.3 > %t.mixed
// RUN: cat %t.late >> %t.mixed
// RUN: tg-opt %t.mixed --tg-schedule-pipeline --tg-optimize-pipeline | FileCheck %s --check-prefix=MIXED
// RUN: not tg-opt %t.mixed --tg-optimize-pipeline 2>&1 | FileCheck %s --check-prefix=MIXED-OF-1
// MIXED-COUNT-2: tg.kernel @{{.*}} scheduled = [
// MIXED-OF-1: error: '@late' is a tensor graph (level 1)

// There is nothing to do in a module without operations of the dialect.

// RUN: echo 'func.func @other(%%x: f32) -> f32 { return %%x : f32 }' > %t.other
// RUN: tg-opt %t.other --tg-schedule-pipeline --tg-optimize-pipeline --convert-tg-to-vector | FileCheck %s --check-prefix=OTHER
// OTHER: func.func @other

func.func @main(%x: tensor<4x8xf32>) -> tensor<4x1xf32> {
  %0 = tg.exp2 %x : tensor<4x8xf32>
  %1 = tg.reduce add %0 axes [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  return %1 : tensor<4x1xf32>
}
