// What code for GPUs cannot do is an error with a location.

// RUN: not tg-compile %s --target=cuda:sm_90 --emit=ptx 2>&1 | FileCheck %s
// RUN: not tg-compile %s --target=amd:gfx1100 --emit=asm 2>&1 | FileCheck %s

// CHECK: error: {{.*}}invalid.mlir:[[#@LINE+5]]:8: 'tg.stage' op may bring the tiles of a work item to 400000 bytes, with a tile for each copy of the code around it; code for GPUs can use 65536
tg.kernel @large(%out: memref<100000xf32>, %x: memref<100000xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 100000
  %r = tg.range 1 loop 100000
  %v = tg.load %x[%i] : memref<100000xf32>
  %t = tg.stage %v over %i : memref<100000xf32>
  %y = tg.load %t[%r] : memref<100000xf32>
  tg.store %y, %out[%r] : memref<100000xf32>
}
