// RUN: tg-opt %s --tg-verify-gpu-kernels=solver=%S/Inputs/undecided-solver -verify-diagnostics

// What the solver cannot decide is an error of another kind than what it refutes.
gpu.module @kernels {
  gpu.func @undecided(%out: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>, tg.groups = [1, 1, 1], tg.outputs = 1 : i64} {
    %x = gpu.thread_id x
    %0 = arith.constant 1.0 : f32
    // expected-error@+4 {{not proved: it may be that this access is outside of its buffer of 64 elements}}
    // expected-error@+3 {{not proved: it may be that two work items of a group access an element of a buffer, one of them writes, and no barrier is between}}
    // expected-note@+2 {{the other access is here}}
    // expected-note@+1 {{the SMT solver could not decide this: unknown}}
    memref.store %0, %out[%x] : memref<64xf32>
    gpu.return
  }
}
