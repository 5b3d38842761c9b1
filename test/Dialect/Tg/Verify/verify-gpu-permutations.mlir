// REQUIRES: z3
// RUN: tg-opt %s --tg-verify-gpu-kernels=print-counts=true -o %t | FileCheck %s

// Rows of 64 elements in which chunks of 8 are permuted: 16 bytes number c of row
// r are at c xor (r mod 8). Items fill the tile and read it in another order.
// CHECK: proved access: 4
// CHECK-NEXT: proved permutation: 4
// CHECK-NEXT: proved race: 2
gpu.module @kernels {
  gpu.func @permuted(%out: memref<64x8xf16>, %a: memref<64x8xf16>) workgroup(%tile: memref<512xf16, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 64, 1, 1>, tg.groups = [1, 1, 1], tg.outputs = 1 : i64} {
    %x = gpu.thread_id x
    %zero = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %c6 = arith.constant 6 : index
    %c7 = arith.constant 7 : index
    %c8 = arith.constant 8 : index
    %last = arith.constant 63 : index
    %place = arith.muli %x, %c8 : index
    %from = arith.subi %last, %x : index
    %otherPlace = arith.muli %from, %c8 : index
    %p1 = arith.shrui %place, %c6 : index
    %p2 = arith.andi %p1, %c7 : index
    %p3 = arith.shli %p2, %c3 : index
    %p = arith.xori %place, %p3 : index
    %v = vector.load %a[%x, %zero] : memref<64x8xf16>, vector<8xf16>
    vector.store %v, %tile[%p] : memref<512xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    gpu.barrier
    %q1 = arith.shrui %otherPlace, %c6 : index
    %q2 = arith.andi %q1, %c7 : index
    %q3 = arith.shli %q2, %c3 : index
    %q = arith.xori %otherPlace, %q3 : index
    %r2 = nvgpu.ldmatrix %tile[%q] {numTiles = 4 : i32, transpose = false} : memref<512xf16, #gpu.address_space<workgroup>> -> vector<4x2xf16>
    %r = vector.shape_cast %r2 : vector<4x2xf16> to vector<8xf16>
    vector.store %r, %out[%x, %zero] : memref<64x8xf16>, vector<8xf16>
    gpu.return
  }
}
