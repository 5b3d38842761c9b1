// RUN: tg-opt %s -split-input-file -verify-diagnostics --convert-tg-host-to-llvm

// Functions that were not scheduled, and what only the runtime of a device does.

// expected-error @+1 {{'@unscheduled' is a tensor graph (level 1), but kernels (level 2 or 3) are needed; run tg-schedule-pipeline first}}
func.func @unscheduled(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tg.neg %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @sorts(%x: memref<8xf32>) -> memref<8xi32> {
  %p = tg.alloc on "CPU" : memref<8xi32>
  // expected-error @+1 {{is done by the runtime of a device, and has no counterpart in LLVM's dialect}}
  tg.sort %x to %p rows 1 length (8) : memref<8xf32>, memref<8xi32>
  return %p : memref<8xi32>
}

// -----

func.func @devices(%x: memref<8xf32>) -> memref<8xf32> {
  %a = tg.alloc on "CPU" : memref<8xf32>
  tg.transfer %x to %a : memref<8xf32>
  // expected-error @+1 {{is on device CUDA, others are on CPU; a function in LLVM's dialect uses one device}}
  %b = tg.alloc on "CUDA" : memref<8xf32>
  tg.transfer %a to %b : memref<8xf32>
  return %b : memref<8xf32>
}

// -----

func.func @foreign(%x: memref<8xf32>) -> memref<8xf32> {
  %a = tg.alloc on "CPU" : memref<8xf32>
  // expected-error @+1 {{is not an operation of a host program}}
  memref.copy %x, %a : memref<8xf32> to memref<8xf32>
  return %a : memref<8xf32>
}

// -----

// expected-error @+1 {{calls '@none', which is no function of the module}}
func.func private @missing(memref<8xf32>) attributes {tg.graph = @none, tg.variables = []}

// -----

// expected-error @+1 {{is a '(memref<8xf32>) -> ()', but the tensor graph that it calls is lowered to a '(memref<8xf32>, memref<8xf32>) -> ()'}}
func.func private @other_call(memref<8xf32>) attributes {tg.graph = @other, tg.variables = []}
func.func @other(%x: memref<8xf32>) -> memref<8xf32> {
  %a = tg.alloc on "CPU" : memref<8xf32>
  tg.transfer %x to %a : memref<8xf32>
  return %a : memref<8xf32>
}

// -----

func.func @writes(%x: memref<8xf32>, %y: memref<8xf32>) -> memref<8xf32> {
  tg.transfer %y to %x : memref<8xf32>
  return %x : memref<8xf32>
}
// expected-error @+1 {{calls a tensor graph that writes to its argument 0}}
func.func private @writes_call(memref<8xf32>, memref<8xf32>, memref<8xf32>) attributes {tg.graph = @writes, tg.variables = []}

// -----

func.func @resource() -> memref<2xi32> {
  // expected-error @+1 {{has elements that are not in the program, as dense<[1, 2]> : tensor<2xi32> is}}
  %a = tg.literal dense_resource<elements> : tensor<2xi32> on "CPU" : memref<2xi32>
  return %a : memref<2xi32>
}

{-#
  dialect_resources: {
    builtin: {
      elements: "0x040000000100000002000000"
    }
  }
#-}
