// Updates in an order: work items own elements of the result, and each goes
// through all positions. What the positions say is read by all lanes at once.

// RUN: tg-compile %s --target=cuda:sm_90 --emit=scheduled | FileCheck %s
// RUN: tg-compile %s --target=cuda:sm_90 --emit=obj -o %t.ptx
// RUN: %if ptxas %{ %assemble_ptx sm_90 %t.ptx %}
// RUN: tg-run %s --random-inputs --seed=5 --output=%t.a.npy --output=%t.b.npy --output=%t.c.npy --output=%t.d.npy --output=%t.e.npy
// RUN: env SIMCHIP=sm_90 tg-run %s --device=SIM --random-inputs --seed=5 --output=%t.sa.npy --output=%t.sb.npy --output=%t.sc.npy --output=%t.sd.npy --output=%t.se.npy
// RUN: cmp %t.a.npy %t.sa.npy
// RUN: cmp %t.b.npy %t.sb.npy
// RUN: cmp %t.c.npy %t.sc.npy
// RUN: cmp %t.d.npy %t.sd.npy
// RUN: cmp %t.e.npy %t.se.npy
// RUN: env SIMCHIP=gfx942 SIMSEED=4 tg-run %s --device=SIM --random-inputs --seed=5 --output=%t.ga.npy --output=%t.gb.npy --output=%t.gc.npy --output=%t.gd.npy --output=%t.ge.npy
// RUN: cmp %t.a.npy %t.ga.npy
// RUN: cmp %t.b.npy %t.gb.npy
// RUN: cmp %t.c.npy %t.gc.npy
// RUN: cmp %t.d.npy %t.gd.npy
// RUN: cmp %t.e.npy %t.ge.npy

// Rows: a group owns rows, and its items are neighbors in them.
// CHECK-LABEL: tg.kernel @E_70_500_x2
// CHECK-SAME: #tg.step<partition by 64 into [2]>
// CHECK: tg.range {{[0-9]+}} global 64
// CHECK: tg.range {{[0-9]+}} local 64
// CHECK: tg.store {{.*}} update add
// CHECK: tg.store {{.*}} update set

// Single elements: an item owns them.
// CHECK-LABEL: tg.kernel @E_3000_x3
// CHECK-SAME: #tg.step<partition by 128 into [1]>
// CHECK: tg.range {{[0-9]+}} local 64
func.func @main(%d: tensor<37x70xf32>, %i: tensor<500xi32>, %v: tensor<500x70xf32>, %h: tensor<100xf32>, %j: tensor<3000xi32>, %w: tensor<3000xf32>)
    -> (tensor<37x70xf32>, tensor<100xf32>, tensor<100xf32>, tensor<100xf32>, tensor<37x70xf32>) {
  %rows = tg.const(41 : i32) : tensor<500xi32>
  %im = tg.floormod %i, %rows : tensor<500xi32>
  %i1 = tg.reshape %im : tensor<500xi32> -> tensor<500x1xi32>
  %ie = tg.expand %i1 : tensor<500x1xi32> -> tensor<500x70xi32>
  %elements = tg.const(103 : i32) : tensor<3000xi32>
  %jm = tg.floormod %j, %elements : tensor<3000xi32>
  %0 = tg.scatter add %d[%ie], %v axis 0 : tensor<37x70xf32>, tensor<500x70xi32>, tensor<500x70xf32>
  %1 = tg.scatter add %h[%jm], %w axis 0 : tensor<100xf32>, tensor<3000xi32>, tensor<3000xf32>
  %2 = tg.scatter set %h[%jm], %w axis 0 : tensor<100xf32>, tensor<3000xi32>, tensor<3000xf32>
  %3 = tg.scatter max %h[%jm], %w axis 0 : tensor<100xf32>, tensor<3000xi32>, tensor<3000xf32>
  %4 = tg.scatter set %d[%ie], %v axis 0 : tensor<37x70xf32>, tensor<500x70xi32>, tensor<500x70xf32>
  return %0, %1, %2, %3, %4 : tensor<37x70xf32>, tensor<100xf32>, tensor<100xf32>, tensor<100xf32>, tensor<37x70xf32>
}
