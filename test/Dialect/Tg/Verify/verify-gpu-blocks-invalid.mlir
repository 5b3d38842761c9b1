// Groups that compute several blocks of results, by loops over these.

// REQUIRES: z3
// RUN: tg-opt %s -split-input-file --tg-verify-gpu-kernels -verify-diagnostics

// Of an odd number of groups, each second block is even: an item is still at what
// follows the barrier when another one is at the next block, where no barrier is.
gpu.module @kernels {
  gpu.func @next_block(%out: memref<768xf32>) workgroup(%tile: memref<129xf32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 32, 4, 2>, tg.groups = [5, 1, 1], tg.outputs = 1 : i64} {
    %x = gpu.thread_id x
    %y = gpu.thread_id y
    %z = gpu.thread_id z
    %first = gpu.block_id x
    %groups = gpu.grid_dim x
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %six = arith.constant 6 : index
    %width = arith.constant 32 : index
    %size = arith.constant 128 : index
    %id = arith.constant 1 : i32
    %items = arith.constant 128 : i32
    %row = arith.muli %y, %width : index
    %item = arith.addi %row, %x : index
    %next = arith.addi %item, %one : index
    %computes = arith.cmpi ult, %z, %one : index
    scf.if %computes {
      scf.for %block = %first to %six step %groups {
        %begin = arith.muli %block, %size : index
        %at = arith.addi %begin, %item : index
        %rest = arith.remui %block, %two : index
        %isEven = arith.cmpi eq, %rest, %zero : index
        scf.if %isEven {
          nvvm.barrier id = %id number_of_threads = %items
          // expected-error@+2 {{two work items access an element of their group's memory, one of them writes, and no barrier is between}}
          // expected-note@+1 {{counterexample}}
          %old = memref.load %tile[%next] : memref<129xf32, #gpu.address_space<workgroup>>
          memref.store %old, %out[%at] : memref<768xf32>
        } else {
          %new = arith.constant 1.0 : f32
          // expected-note@+1 {{the other access is here}}
          memref.store %new, %tile[%item] : memref<129xf32, #gpu.address_space<workgroup>>
        }
      }
    }
    gpu.return
  }
}

// -----

// Groups that differ along y alone compute the same blocks.
gpu.module @kernels {
  gpu.func @along_y(%out: memref<768xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>, tg.groups = [5, 2, 1], tg.outputs = 1 : i64} {
    %x = gpu.thread_id x
    %first = gpu.block_id x
    %groups = gpu.grid_dim x
    %six = arith.constant 6 : index
    %size = arith.constant 128 : index
    // expected-error@+1 {{is over blocks of results from the number of the group along x on, but there are groups along y, which would compute the same blocks}}
    scf.for %block = %first to %six step %groups {
      %begin = arith.muli %block, %size : index
      %at = arith.addi %begin, %x : index
      %new = arith.constant 1.0 : f32
      memref.store %new, %out[%at] : memref<768xf32>
    }
    gpu.return
  }
}

// -----

// So do those that differ along z.
gpu.module @kernels {
  gpu.func @along_z(%out: memref<768xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>, tg.groups = [5, 1, 2], tg.outputs = 1 : i64} {
    %x = gpu.thread_id x
    %first = gpu.block_id x
    %groups = gpu.grid_dim x
    %six = arith.constant 6 : index
    %size = arith.constant 128 : index
    scf.for %block = %first to %six step %groups {
      %begin = arith.muli %block, %size : index
      %at = arith.addi %begin, %x : index
      %new = arith.constant 1.0 : f32
      // expected-error@+3 {{two groups access an element of a buffer, and one of them writes}}
      // expected-note@+2 {{the other access is here}}
      // expected-note@+1 {{counterexample}}
      memref.store %new, %out[%at] : memref<768xf32>
    }
    gpu.return
  }
}

// -----

// A group computes every block from its number on, also those of others.
gpu.module @kernels {
  gpu.func @every_block(%out: memref<768xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>, tg.groups = [5, 1, 1], tg.outputs = 1 : i64} {
    %x = gpu.thread_id x
    %first = gpu.block_id x
    %one = arith.constant 1 : index
    %six = arith.constant 6 : index
    %size = arith.constant 128 : index
    scf.for %block = %first to %six step %one {
      %begin = arith.muli %block, %size : index
      %at = arith.addi %begin, %x : index
      %new = arith.constant 1.0 : f32
      // expected-error@+3 {{two groups access an element of a buffer, and one of them writes}}
      // expected-note@+2 {{the other access is here}}
      // expected-note@+1 {{counterexample}}
      memref.store %new, %out[%at] : memref<768xf32>
    }
    gpu.return
  }
}

// -----

// What follows the loop is done by groups that have no block, too.
gpu.module @kernels {
  gpu.func @after_blocks(%out: memref<129xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>, tg.groups = [5, 1, 1], tg.outputs = 1 : i64} {
    %x = gpu.thread_id x
    %first = gpu.block_id x
    %groups = gpu.grid_dim x
    %one = arith.constant 1 : index
    %size = arith.constant 128 : index
    %new = arith.constant 1.0 : f32
    scf.for %block = %first to %one step %groups {
      %begin = arith.muli %block, %size : index
      %at = arith.addi %begin, %x : index
      memref.store %new, %out[%at] : memref<129xf32>
    }
    %zero = arith.constant 0 : index
    %isFirst = arith.cmpi eq, %x, %zero : index
    scf.if %isFirst {
      // expected-error@+3 {{two groups access an element of a buffer, and one of them writes}}
      // expected-note@+2 {{the other access is here}}
      // expected-note@+1 {{counterexample}}
      memref.store %new, %out[%size] : memref<129xf32>
    }
    gpu.return
  }
}

// -----

// Two blocks of results that are one.
gpu.module @kernels {
  gpu.func @same_block(%out: memref<768xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>, tg.groups = [5, 1, 1], tg.outputs = 1 : i64} {
    %x = gpu.thread_id x
    %first = gpu.block_id x
    %groups = gpu.grid_dim x
    %four = arith.constant 4 : index
    %six = arith.constant 6 : index
    %size = arith.constant 128 : index
    // expected-error@+1 {{iterations 0 and 4 of the loop over blocks compute the same block of results}}
    scf.for %block = %first to %six step %groups {
      %place = arith.remui %block, %four : index
      %begin = arith.muli %place, %size : index
      %at = arith.addi %begin, %x : index
      %new = arith.constant 1.0 : f32
      memref.store %new, %out[%at] : memref<768xf32>
    }
    gpu.return
  }
}

// -----

// More groups than are tried.
gpu.module @kernels {
  gpu.func @many_groups(%out: memref<2097152xf32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>, tg.groups = [2097152, 1, 1], tg.outputs = 1 : i64} {
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %new = arith.constant 1.0 : f32
    %x = gpu.block_id x
    %row = arith.divui %x, %two : index
    // expected-error@+3 {{two groups access an element of a buffer, and one of them writes}}
    // expected-note@+2 {{the other access is here}}
    // expected-note@+1 {{counterexample}}
    memref.store %new, %out[%row] : memref<2097152xf32>
    gpu.return
  }
}

// -----

// More blocks than are tried.
gpu.module @kernels {
  gpu.func @many_blocks(%out: memref<2097152xf32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>, tg.groups = [5, 1, 1], tg.outputs = 1 : i64} {
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %new = arith.constant 1.0 : f32
    %first = gpu.block_id x
    %groups = gpu.grid_dim x
    %end = arith.constant 2097152 : index
    scf.for %x = %first to %end step %groups {
      %row = arith.divui %x, %two : index
      // expected-error@+3 {{two groups access an element of a buffer, and one of them writes}}
      // expected-note@+2 {{the other access is here}}
      // expected-note@+1 {{counterexample}}
      memref.store %new, %out[%row] : memref<2097152xf32>
    }
    gpu.return
  }
}

// -----

// The number of a group is used, but not to tell results apart.
gpu.module @kernels {
  gpu.func @number_of_group(%out: memref<12xf32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>, tg.groups = [6, 1, 1], tg.outputs = 1 : i64} {
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %new = arith.constant 1.0 : f32
    %x = gpu.block_id x
    %row = arith.divui %x, %two : index
    %last = arith.constant 11 : index
    %isSecond = arith.cmpi eq, %x, %one : index
    scf.if %isSecond {
      memref.store %new, %out[%last] : memref<12xf32>
    }
    // expected-error@+3 {{two groups access an element of a buffer, and one of them writes}}
    // expected-note@+2 {{the other access is here}}
    // expected-note@+1 {{counterexample}}
    memref.store %new, %out[%row] : memref<12xf32>
    gpu.return
  }
}
