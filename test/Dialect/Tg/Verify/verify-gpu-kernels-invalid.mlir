// REQUIRES: z3
// RUN: tg-opt %s -split-input-file --tg-verify-gpu-kernels -verify-diagnostics

// No barrier between what one item writes and another one reads.
gpu.module @kernels {
  gpu.func @no_barrier(%out: memref<64xf32>, %a: memref<64xf32>) workgroup(%tile: memref<64xf32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 64, 1, 1>, tg.groups = [1, 1, 1], tg.outputs = 1 : i64} {
    %x = gpu.thread_id x
    %last = arith.constant 63 : index
    %0 = memref.load %a[%x] : memref<64xf32>
    // expected-error@+3 {{two work items access an element of their group's memory, one of them writes, and no barrier is between}}
    // expected-note@+4 {{the other access is here}}
    // expected-note@+1 {{counterexample: item.x = }}
    memref.store %0, %tile[%x] : memref<64xf32, #gpu.address_space<workgroup>>
    %1 = arith.subi %last, %x : index
    %2 = memref.load %tile[%1] : memref<64xf32, #gpu.address_space<workgroup>>
    memref.store %2, %out[%x] : memref<64xf32>
    gpu.return
  }
}

// -----

// A barrier that only some items reach.
gpu.module @kernels {
  gpu.func @divergent(%out: memref<64xf32>, %a: memref<64xf32>) workgroup(%tile: memref<64xf32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 64, 1, 1>, tg.groups = [1, 1, 1], tg.outputs = 1 : i64} {
    %x = gpu.thread_id x
    %limit = arith.constant 48 : index
    %isIn = arith.cmpi ult, %x, %limit : index
    // expected-note@+1 {{items may decide differently here}}
    scf.if %isIn {
      %0 = memref.load %a[%x] : memref<64xf32>
      memref.store %0, %tile[%x] : memref<64xf32, #gpu.address_space<workgroup>>
      // expected-error@+2 {{some work items of a group do not reach this barrier}}
      // expected-note@+1 {{counterexample: item.x = }}
      gpu.barrier
      %1 = memref.load %tile[%x] : memref<64xf32, #gpu.address_space<workgroup>>
      memref.store %1, %out[%x] : memref<64xf32>
    }
    gpu.return
  }
}

// -----

// A loop that runs more often in some items than in others. Of what is in memory,
// nothing is known.
gpu.module @kernels {
  gpu.func @divergent_loop(%out: memref<64xf32>, %n: memref<64xi32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>, tg.groups = [1, 1, 1], tg.outputs = 1 : i64} {
    %x = gpu.thread_id x
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %0 = memref.load %n[%x] : memref<64xi32>
    %end = arith.index_cast %0 : i32 to index
    // expected-note@+1 {{items may run this loop differently often}}
    scf.for %i = %zero to %end step %one {
      // expected-error@+2 {{some work items of a group do not reach this barrier}}
      // expected-note@+1 {{counterexample:}}
      gpu.barrier
    }
    gpu.return
  }
}

// -----

// The next iteration writes what items still read: of two barriers in a loop, the
// first one is missing.
gpu.module @kernels {
  gpu.func @iterations(%out: memref<64xf32>, %a: memref<512xf32>) workgroup(%tile: memref<64xf32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 64, 1, 1>, tg.groups = [1, 1, 1], tg.outputs = 1 : i64} {
    %x = gpu.thread_id x
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %eight = arith.constant 8 : index
    %last = arith.constant 63 : index
    %length = arith.constant 64 : index
    %init = arith.constant 0.0 : f32
    %sum = scf.for %i = %zero to %eight step %one iter_args(%old = %init) -> (f32) {
      %row = arith.muli %i, %length : index
      %place = arith.addi %row, %x : index
      %0 = memref.load %a[%place] : memref<512xf32>
      // expected-note@+1 {{the other access is here}}
      memref.store %0, %tile[%x] : memref<64xf32, #gpu.address_space<workgroup>>
      gpu.barrier
      %1 = arith.subi %last, %x : index
      // expected-error@+2 {{two work items access an element of their group's memory, one of them writes, and no barrier is between}}
      // expected-note@+1 {{counterexample: item.x = }}
      %2 = memref.load %tile[%1] : memref<64xf32, #gpu.address_space<workgroup>>
      %new = arith.addf %old, %2 : f32
      scf.yield %new : f32
    }
    memref.store %sum, %out[%x] : memref<64xf32>
    gpu.return
  }
}

// -----

// Two tiles in turn, of which the wrong one is written: item x writes the one
// that others read in the same iteration.
gpu.module @kernels {
  gpu.func @buffers(%out: memref<64xf32>, %a: memref<512xf32>) workgroup(%tile: memref<128xf32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 64, 1, 1>, tg.groups = [1, 1, 1], tg.outputs = 1 : i64} {
    %x = gpu.thread_id x
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %eight = arith.constant 8 : index
    %last = arith.constant 63 : index
    %length = arith.constant 64 : index
    %init = arith.constant 0.0 : f32
    %other = arith.subi %last, %x : index
    %sum = scf.for %i = %zero to %eight step %one iter_args(%old = %init) -> (f32) {
      %row = arith.muli %i, %length : index
      %place = arith.addi %row, %x : index
      %0 = memref.load %a[%place] : memref<512xf32>
      %pair = arith.divui %i, %two : index
      %turn = arith.remui %pair, %two : index
      %first = arith.muli %turn, %length : index
      %to = arith.addi %first, %x : index
      // expected-note@+1 {{the other access is here}}
      memref.store %0, %tile[%to] : memref<128xf32, #gpu.address_space<workgroup>>
      gpu.barrier
      %from = arith.addi %first, %other : index
      // expected-error@+2 {{two work items access an element of their group's memory, one of them writes, and no barrier is between}}
      // expected-note@+1 {{counterexample:}}
      %2 = memref.load %tile[%from] : memref<128xf32, #gpu.address_space<workgroup>>
      %new = arith.addf %old, %2 : f32
      scf.yield %new : f32
    }
    memref.store %sum, %out[%x] : memref<64xf32>
    gpu.return
  }
}

// -----

// Where a loop with the barrier runs zero times, none is between.
gpu.module @kernels {
  gpu.func @no_iteration(%out: memref<64xf32>, %a: memref<64xf32>, %n: index) workgroup(%tile: memref<64xf32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 64, 1, 1>, tg.groups = [1, 1, 1], tg.outputs = 1 : i64, tg.variables = [#tg.var<"n", 0, 8>]} {
    %x = gpu.thread_id x
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %last = arith.constant 63 : index
    %0 = memref.load %a[%x] : memref<64xf32>
    // expected-error@+3 {{two work items access an element of their group's memory, one of them writes, and no barrier is between}}
    // expected-note@+7 {{the other access is here}}
    // expected-note@+1 {{n = 0}}
    memref.store %0, %tile[%x] : memref<64xf32, #gpu.address_space<workgroup>>
    scf.for %i = %zero to %n step %one {
      gpu.barrier
    }
    %1 = arith.subi %last, %x : index
    %2 = memref.load %tile[%1] : memref<64xf32, #gpu.address_space<workgroup>>
    memref.store %2, %out[%x] : memref<64xf32>
    gpu.return
  }
}

// -----

// Four elements each, three apart.
gpu.module @kernels {
  gpu.func @vectors(%out: memref<256xf32>) workgroup(%tile: memref<256xf32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 64, 1, 1>, tg.groups = [1, 1, 1], tg.outputs = 1 : i64} {
    %x = gpu.thread_id x
    %three = arith.constant 3 : index
    %0 = arith.constant dense<1.0> : vector<4xf32>
    %1 = arith.muli %x, %three : index
    // expected-error@+3 {{two work items access an element of their group's memory, one of them writes, and no barrier is between}}
    // expected-note@+2 {{the other access is here}}
    // expected-note@+1 {{counterexample: item.x = }}
    vector.store %0, %tile[%1] : memref<256xf32, #gpu.address_space<workgroup>>, vector<4xf32>
    gpu.return
  }
}

// -----

// A tile that is one element short.
gpu.module @kernels {
  gpu.func @short_tile(%out: memref<64xf32>, %a: memref<64xf32>) workgroup(%tile: memref<63xf32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 64, 1, 1>, tg.groups = [1, 1, 1], tg.outputs = 1 : i64} {
    %x = gpu.thread_id x
    %0 = memref.load %a[%x] : memref<64xf32>
    // expected-error@+2 {{this access is outside of its buffer of 63 elements}}
    // expected-note@+1 {{counterexample: item.x = 63}}
    memref.store %0, %tile[%x] : memref<63xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

// One row too many where n is the largest.
gpu.module @kernels {
  gpu.func @symbolic(%out: memref<64xf32>, %n: index) kernel attributes {known_block_size = array<i32: 8, 1, 1>, tg.groups = [#tg.dim<add, #tg.var<"n", 1, 8>, 1>, 1, 1], tg.outputs = 1 : i64, tg.variables = [#tg.var<"n", 1, 8>]} {
    %b = gpu.block_id x
    %x = gpu.thread_id x
    %eight = arith.constant 8 : index
    %0 = arith.muli %b, %eight : index
    %1 = arith.addi %0, %x : index
    %2 = arith.constant 1.0 : f32
    // expected-error@+2 {{this access is outside of its buffer of 64 elements}}
    // expected-note@+1 {{n = 8}}
    memref.store %2, %out[%1] : memref<64xf32>
    gpu.return
  }
}

// -----

// Rows of n elements, but the columns are those of the largest n: where n is
// less, a row ends in the next one.
gpu.module @kernels {
  gpu.func @groups(%out: memref<64xf32>, %n: index) kernel attributes {known_block_size = array<i32: 8, 1, 1>, tg.groups = [#tg.var<"n", 1, 8>, 1, 1], tg.outputs = 1 : i64, tg.variables = [#tg.var<"n", 1, 8>]} {
    %b = gpu.block_id x
    %x = gpu.thread_id x
    %0 = arith.muli %b, %n : index
    %1 = arith.addi %0, %x : index
    %2 = arith.constant 1.0 : f32
    // expected-error@+3 {{two groups access an element of a buffer, and one of them writes}}
    // expected-note@+2 {{the other access is here}}
    // expected-note@+1 {{counterexample:}}
    memref.store %2, %out[%1] : memref<64xf32>
    gpu.return
  }
}

// -----

// Works in place, and reads what another group writes.
gpu.module @kernels {
  gpu.func @other_group(%out: memref<64xf32>) kernel attributes {known_block_size = array<i32: 8, 1, 1>, tg.groups = [8, 1, 1], tg.in_place, tg.outputs = 1 : i64} {
    %b = gpu.block_id x
    %x = gpu.thread_id x
    %eight = arith.constant 8 : index
    %last = arith.constant 63 : index
    %0 = arith.muli %b, %eight : index
    %1 = arith.addi %0, %x : index
    %2 = arith.subi %last, %1 : index
    // expected-error@+2 {{two groups access an element of a buffer, and one of them writes}}
    // expected-note@+1 {{counterexample:}}
    %3 = memref.load %out[%2] : memref<64xf32>
    gpu.barrier
    // expected-note@+1 {{the other access is here}}
    memref.store %3, %out[%1] : memref<64xf32>
    gpu.return
  }
}

// -----

// Two items of one group write an element of a result.
gpu.module @kernels {
  gpu.func @same_element(%out: memref<32xf32>, %a: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>, tg.groups = [1, 1, 1], tg.outputs = 1 : i64} {
    %x = gpu.thread_id x
    %two = arith.constant 2 : index
    %0 = arith.divui %x, %two : index
    %1 = memref.load %a[%x] : memref<64xf32>
    // expected-error@+3 {{two work items of a group access an element of a buffer, one of them writes, and no barrier is between}}
    // expected-note@+2 {{the other access is here}}
    // expected-note@+1 {{counterexample: item.x = }}
    memref.store %1, %out[%0] : memref<32xf32>
    gpu.return
  }
}

// -----

// A place that is data, which two items may have in common.
gpu.module @kernels {
  gpu.func @scatter(%out: memref<32xf32>, %a: memref<64xi32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>, tg.groups = [1, 1, 1], tg.outputs = 1 : i64} {
    %x = gpu.thread_id x
    %limit = arith.constant 32 : i32
    %0 = memref.load %a[%x] : memref<64xi32>
    %isIn = arith.cmpi ult, %0, %limit : i32
    %1 = arith.index_castui %0 : i32 to index
    %2 = arith.constant 1.0 : f32
    scf.if %isIn {
      // expected-error@+3 {{two work items of a group access an element of a buffer, one of them writes, and no barrier is between}}
      // expected-note@+2 {{the other access is here}}
      // expected-note@+1 {{counterexample:}}
      memref.store %2, %out[%1] : memref<32xf32>
    }
    gpu.return
  }
}

// -----

// A shuffle that half of a subgroup leaves out.
gpu.module @kernels {
  gpu.func @shuffle(%out: memref<64xf32>, %a: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>, tg.groups = [1, 1, 1], tg.outputs = 1 : i64} {
    %x = gpu.thread_id x
    %sixteen = arith.constant 16 : index
    %0 = memref.load %a[%x] : memref<64xf32>
    %isFirst = arith.cmpi ult, %x, %sixteen : index
    %one = arith.constant 1 : i32
    %width = arith.constant 32 : i32
    // expected-note@+1 {{items may decide differently here}}
    scf.if %isFirst {
      // expected-error@+2 {{some work items of a subgroup do not reach this exchange}}
      // expected-note@+1 {{counterexample:}}
      %1, %valid = gpu.shuffle xor %0, %one, %width : f32
      memref.store %1, %out[%x] : memref<64xf32>
    }
    gpu.return
  }
}

// -----

// A shuffle with an item that is not there.
gpu.module @kernels {
  gpu.func @no_partner(%out: memref<24xf32>, %a: memref<24xf32>) kernel attributes {known_block_size = array<i32: 24, 1, 1>, tg.groups = [1, 1, 1], tg.outputs = 1 : i64} {
    %x = gpu.thread_id x
    %0 = memref.load %a[%x] : memref<24xf32>
    %eight = arith.constant 8 : i32
    %width = arith.constant 32 : i32
    // expected-error@+1 {{work item 16 exchanges a value with item 24, which its group of 24 does not have}}
    %1, %valid = gpu.shuffle xor %0, %eight, %width : f32
    memref.store %1, %out[%x] : memref<24xf32>
    gpu.return
  }
}

// -----

// What is not understood is not passed over.
gpu.module @kernels {
  gpu.func @copied(%out: memref<8xf32>, %a: memref<8xf32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>, tg.groups = [1, 1, 1], tg.outputs = 1 : i64} {
    // expected-error@+1 {{unsupported memory access}}
    memref.copy %a, %out : memref<8xf32> to memref<8xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @rotated(%out: memref<32xf32>, %a: memref<32xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, tg.groups = [1, 1, 1], tg.outputs = 1 : i64} {
    %x = gpu.thread_id x
    %0 = memref.load %a[%x] : memref<32xf32>
    %one = arith.constant 1 : i32
    %width = arith.constant 32 : i32
    // expected-error@+1 {{unsupported shuffle}}
    %1, %valid = gpu.shuffle up %0, %one, %width : f32
    memref.store %1, %out[%x] : memref<32xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error@+1 {{has no attribute 'tg.groups'}}
  gpu.func @no_groups() kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    gpu.return
  }
}

// -----

// No items, of which everything would hold.
gpu.module @kernels {
  // expected-error@+1 {{has no known number of work items in a group}}
  gpu.func @empty_group() kernel attributes {known_block_size = array<i32: 0, 1, 1>, tg.groups = [1, 1, 1]} {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error@+1 {{has no known number of work items in a group}}
  gpu.func @no_items() kernel attributes {tg.groups = [1, 1, 1]} {
    gpu.return
  }
}

// -----

// Inside of the largest buffer, but not of what launches passed: work items after
// the last row.
gpu.module @kernels {
  gpu.func @largest_rows(%out: memref<64xf32> {tg.launched_elements = [64, #tg.var<"n", 1, 64>]}, %a: memref<64xf32>, %n: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>, tg.groups = [1, 1, 1], tg.outputs = 1 : i64, tg.variables = [#tg.var<"n", 1, 64>]} {
    %x = gpu.thread_id x
    %0 = memref.load %a[%x] : memref<64xf32>
    // expected-error@+2 {{this access is outside of its buffer of n elements}}
    // expected-note@+1 {{counterexample:}}
    memref.store %0, %out[%x] : memref<64xf32>
    gpu.return
  }
  gpu.func @actual_rows(%out: memref<64xf32> {tg.launched_elements = [64, #tg.var<"n", 1, 64>]}, %a: memref<64xf32>, %n: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>, tg.groups = [1, 1, 1], tg.outputs = 1 : i64, tg.variables = [#tg.var<"n", 1, 64>]} {
    %x = gpu.thread_id x
    %0 = memref.load %a[%x] : memref<64xf32>
    %inside = arith.cmpi ult, %x, %n : index
    scf.if %inside {
      memref.store %0, %out[%x] : memref<64xf32>
    }
    gpu.return
  }
}

// -----

// A number of the launch that passed this memory, which a variable of another
// name counts.
gpu.module @kernels {
  gpu.func @given_number(%out: memref<64xf32> {tg.launched_elements = [[#tg.var<"n", 8, 64>, [#tg.var<"k", 0, 16>, 8]]]}, %a: memref<64xf32> {tg.launched_elements = [[#tg.var<"n", 8, 64>, [#tg.var<"k", 0, 16>, 9]]]}, %k: index) kernel attributes {known_block_size = array<i32: 16, 1, 1>, tg.groups = [1, 1, 1], tg.outputs = 1 : i64, tg.variables = [#tg.var<"k", 0, 16>]} {
    %x = gpu.thread_id x
    %inside = arith.cmpi ult, %x, %k : index
    scf.if %inside {
      // expected-error@+2 {{this access is outside of its buffer of n elements}}
      // expected-note@+1 {{counterexample:}}
      %0 = memref.load %a[%x] : memref<64xf32>
      memref.store %0, %out[%x] : memref<64xf32>
    }
    gpu.return
  }
}
