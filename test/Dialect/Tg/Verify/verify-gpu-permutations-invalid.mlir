// REQUIRES: z3
// RUN: tg-opt %s -split-input-file --tg-verify-gpu-kernels -verify-diagnostics

// Tiles whose elements are permuted by an exclusive or. Bits that flip themselves
// are lost.
gpu.module @kernels {
  gpu.func @lost(%out: memref<64x8xf16>, %a: memref<64x8xf16>) workgroup(%tile: memref<512xf16, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 64, 1, 1>, tg.groups = [1, 1, 1], tg.outputs = 1 : i64} {
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
    %p1 = arith.shrui %place, %c3 : index
    %p2 = arith.andi %p1, %c7 : index
    %p3 = arith.shli %p2, %c3 : index
    %p = arith.xori %place, %p3 : index
    %v = vector.load %a[%x, %zero] : memref<64x8xf16>, vector<8xf16>
    // expected-error@+2 {{the order of these 512 elements is no permutation of chunks of 8}}
    // expected-note@+1 {{counterexample: first = }}
    vector.store %v, %tile[%p] : memref<512xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    gpu.barrier
    %q1 = arith.shrui %place, %c3 : index
    %q2 = arith.andi %q1, %c7 : index
    %q3 = arith.shli %q2, %c3 : index
    %q = arith.xori %place, %q3 : index
    // expected-error@+2 {{the order of these 512 elements is no permutation of chunks of 8}}
    // expected-note@+1 {{counterexample: first = }}
    %r = vector.load %tile[%q] : memref<512xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    vector.store %r, %out[%x, %zero] : memref<64x8xf16>, vector<8xf16>
    gpu.return
  }
}

// -----

// Elements of the last row go where there is no row.
gpu.module @kernels {
  gpu.func @no_row(%out: memref<64x8xf16>, %a: memref<64x8xf16>) workgroup(%tile: memref<584xf16, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 64, 1, 1>, tg.groups = [1, 1, 1], tg.outputs = 1 : i64} {
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
    // expected-error@+2 {{the order of these 584 elements is no permutation of chunks of 8}}
    // expected-note@+1 {{counterexample: first = }}
    vector.store %v, %tile[%p] : memref<584xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    gpu.barrier
    %q1 = arith.shrui %place, %c6 : index
    %q2 = arith.andi %q1, %c7 : index
    %q3 = arith.shli %q2, %c3 : index
    %q = arith.xori %place, %q3 : index
    // expected-error@+2 {{the order of these 584 elements is no permutation of chunks of 8}}
    // expected-note@+1 {{counterexample: first = }}
    %r = vector.load %tile[%q] : memref<584xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    vector.store %r, %out[%x, %zero] : memref<64x8xf16>, vector<8xf16>
    gpu.return
  }
}

// -----

// An access that is not inside of a chunk.
gpu.module @kernels {
  gpu.func @two_chunks(%out: memref<64x8xf16>, %a: memref<64x8xf16>) workgroup(%tile: memref<576xf16, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 64, 1, 1>, tg.groups = [1, 1, 1], tg.outputs = 1 : i64} {
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
    vector.store %v, %tile[%p] : memref<576xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    gpu.barrier
    %far = arith.addi %place, %c3 : index
    %q1 = arith.shrui %far, %c6 : index
    %q2 = arith.andi %q1, %c7 : index
    %q3 = arith.shli %q2, %c3 : index
    %q = arith.xori %far, %q3 : index
    // expected-error@+2 {{this access is of elements of two chunks of 8, which are apart after a permutation}}
    // expected-note@+1 {{counterexample: item.x = }}
    %r = vector.load %tile[%q] : memref<576xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    vector.store %r, %out[%x, %zero] : memref<64x8xf16>, vector<8xf16>
    gpu.return
  }
}

// -----

// Elements are read in another order than that in which they were written.
gpu.module @kernels {
  gpu.func @two_orders(%out: memref<64x8xf16>, %a: memref<64x8xf16>) workgroup(%tile: memref<512xf16, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 64, 1, 1>, tg.groups = [1, 1, 1], tg.outputs = 1 : i64} {
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
    // expected-note@+1 {{the other access is here}}
    vector.store %v, %tile[%p] : memref<512xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    gpu.barrier
    // expected-error@+1 {{this access and another one permute their memory in different ways}}
    %r = vector.load %tile[%place] : memref<512xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    vector.store %r, %out[%x, %zero] : memref<64x8xf16>, vector<8xf16>
    gpu.return
  }
}

// -----

// No barrier between the writes and the reads of permuted elements.
gpu.module @kernels {
  gpu.func @no_barrier(%out: memref<64x8xf16>, %a: memref<64x8xf16>) workgroup(%tile: memref<512xf16, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 64, 1, 1>, tg.groups = [1, 1, 1], tg.outputs = 1 : i64} {
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
    // expected-error@+2 {{two work items access an element of their group's memory, one of them writes, and no barrier is between}}
    // expected-note@+1 {{counterexample: item.x = }}
    vector.store %v, %tile[%p] : memref<512xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    %q1 = arith.shrui %otherPlace, %c6 : index
    %q2 = arith.andi %q1, %c7 : index
    %q3 = arith.shli %q2, %c3 : index
    %q = arith.xori %otherPlace, %q3 : index
    // expected-note@+1 {{the other access is here}}
    %r = vector.load %tile[%q] : memref<512xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    vector.store %r, %out[%x, %zero] : memref<64x8xf16>, vector<8xf16>
    gpu.return
  }
}

// -----

// Matrices that only some items of a subgroup read.
gpu.module @kernels {
  gpu.func @divergent(%out: memref<64x8xf16>, %a: memref<64x8xf16>) workgroup(%tile: memref<512xf16, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 64, 1, 1>, tg.groups = [1, 1, 1], tg.outputs = 1 : i64} {
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
    %isFew = arith.cmpi ult, %x, %c8 : index
    // expected-note@+1 {{items may decide differently here}}
    scf.if %isFew {
      %q1 = arith.shrui %place, %c6 : index
      %q2 = arith.andi %q1, %c7 : index
      %q3 = arith.shli %q2, %c3 : index
      %q = arith.xori %place, %q3 : index
      // expected-error@+2 {{some work items of a subgroup do not reach this exchange}}
      // expected-note@+1 {{counterexample: item.x = }}
      %r2 = nvgpu.ldmatrix %tile[%q] {numTiles = 4 : i32, transpose = false} : memref<512xf16, #gpu.address_space<workgroup>> -> vector<4x2xf16>
      %r = vector.shape_cast %r2 : vector<4x2xf16> to vector<8xf16>
      vector.store %r, %out[%x, %zero] : memref<64x8xf16>, vector<8xf16>
    }
    gpu.return
  }
}
