// The same bits on any number of threads: blocks of scans and parts of scatters
// depend on the shapes alone, and no two elements of a sort are equal in place.

// RUN: env THREADS=1 tg-run %s --random-inputs --seed=3 --output=%t.a1.npy --output=%t.b1.npy --output=%t.c1.npy --output=%t.d1.npy --output=%t.e1.npy
// RUN: env THREADS=2 tg-run %s --random-inputs --seed=3 --output=%t.a2.npy --output=%t.b2.npy --output=%t.c2.npy --output=%t.d2.npy --output=%t.e2.npy
// RUN: env THREADS=7 tg-run %s --random-inputs --seed=3 --output=%t.a7.npy --output=%t.b7.npy --output=%t.c7.npy --output=%t.d7.npy --output=%t.e7.npy
// RUN: cmp %t.a1.npy %t.a2.npy
// RUN: cmp %t.a1.npy %t.a7.npy
// RUN: cmp %t.b1.npy %t.b2.npy
// RUN: cmp %t.b1.npy %t.b7.npy
// RUN: cmp %t.c1.npy %t.c2.npy
// RUN: cmp %t.c1.npy %t.c7.npy
// RUN: cmp %t.d1.npy %t.d2.npy
// RUN: cmp %t.d1.npy %t.d7.npy
// RUN: cmp %t.e1.npy %t.e2.npy
// RUN: cmp %t.e1.npy %t.e7.npy

func.func @main(%x: tensor<300001xf32>, %b: tensor<16xf32>, %i: tensor<300001xi8>, %t: tensor<64x512xf32>, %j: tensor<999x1xi8>, %u: tensor<999x512xf32>)
    -> (tensor<300001xf32>, tensor<16xf32>, tensor<64x512xf32>, tensor<300001xi32>, tensor<20xi32>) {
  %0 = tg.scan add %x axis 0 : tensor<300001xf32>
  // A histogram of floats, in parts.
  %c16 = tg.const(16 : i8) : tensor<300001xi8>
  %bin = tg.floormod %i, %c16 : tensor<300001xi8>
  %1 = tg.scatter add %b[%bin], %x axis 0 : tensor<16xf32>, tensor<300001xi8>, tensor<300001xf32>
  // Rows, which the work items share out by columns.
  %rows = tg.expand %j : tensor<999x1xi8> -> tensor<999x512xi8>
  %2 = tg.scatter add %t[%rows], %u axis 0 : tensor<64x512xf32>, tensor<999x512xi8>, tensor<999x512xf32>
  %3 = tg.argsort %x : tensor<300001xf32> -> tensor<300001xi32>
  %4 = tg.argsort %x descending : tensor<300001xf32> -> tensor<20xi32>
  return %0, %1, %2, %3, %4 : tensor<300001xf32>, tensor<16xf32>, tensor<64x512xf32>, tensor<300001xi32>, tensor<20xi32>
}
