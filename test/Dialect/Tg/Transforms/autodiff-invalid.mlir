// RUN: tg-opt %s --split-input-file --verify-diagnostics --tg-autodiff
// RUN: not tg-opt %S/autodiff.mlir --split-input-file \
// RUN:   --tg-autodiff="wrt=7" 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// RUN: not tg-opt %S/autodiff.mlir --split-input-file \
// RUN:   --tg-autodiff="of=1" 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: not tg-opt %S/autodiff.mlir --split-input-file \
// RUN:   --tg-linearize="entry=other" 2>&1 | FileCheck %s --check-prefix=ENTRY
// RUN: not tg-opt %S/autodiff-buffers.mlir --tg-autodiff="wrt=0" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BUFFER

// ARGUMENT: error: 'func.func' op has no argument 7; there are 2
// RESULT: error: 'func.func' op has no result 1; there are 1
// ENTRY: error: 'builtin.module' op has no function 'other'
// BUFFER: error: 'func.func' op has the argument 0 of type 'memref<4xf32>', which
// BUFFER-SAME: is no tensor; differentiate before tensors are scheduled to buffers

// expected-note @+1 {{it is differentiated by this value}}
func.func @main(%x: tensor<4xf16>) -> tensor<4xbf16> {
  // expected-note @+1 {{which depends on this operation, 'tg.exp'}}
  %0 = tg.exp %x : tensor<4xf16>
  // expected-error @+1 {{'tg.bitcast' op has no derivative}}
  %1 = tg.bitcast %0 : tensor<4xf16> -> tensor<4xbf16>
  return %1 : tensor<4xbf16>
}

// -----

// A region that uses the value.
// expected-note @+1 {{it is differentiated by this value}}
func.func @main(%x: tensor<4xf32>, %c: i1) -> tensor<4xf32> {
  // expected-error @+1 {{'scf.if' op has no derivative}}
  %0 = scf.if %c -> tensor<4xf32> {
    %1 = tg.exp %x : tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// A value on the way to a region.
// expected-note @+1 {{it is differentiated by this value}}
func.func @main(%x: tensor<4xf32>, %c: i1) -> tensor<4xf32> {
  // expected-note @+1 {{which depends on this operation}}
  %e = tg.exp %x : tensor<4xf32>
  %z = tg.const(0.0 : f32) : tensor<4xf32>
  // expected-error @+1 {{'scf.if' op has no derivative}}
  %0 = scf.if %c -> tensor<4xf32> {
    scf.yield %e : tensor<4xf32>
  } else {
    scf.yield %z : tensor<4xf32>
  }
  %1 = tg.sin %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// expected-error @+1 {{'func.func' op has no argument that is a tensor of floats}}
func.func @main(%x: tensor<4xi32>) -> tensor<4xf32> {
  %0 = tg.cast %x : tensor<4xi32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @+1 {{'func.func' op has no result that is a tensor of floats}}
func.func @main(%x: tensor<4xf32>) -> tensor<4xi32> {
  %0 = tg.cast %x : tensor<4xf32> -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

// A part of memory.
// expected-note @+1 {{it is differentiated by this value}}
func.func @main(%x: tensor<4xf32>, %y: tensor<2xf32>) -> tensor<4xf32> {
  %0 = tg.shrink %x from [0] to [2] : tensor<4xf32> -> tensor<2xf32>
  %1 = tg.assign %0, %y : tensor<2xf32>
  // expected-error @+1 {{'tg.after' op has no derivative after an assignment to a part of the memory}}
  %2 = tg.after %x[%1 : tensor<2xf32>] : tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'tg.no_gradient' is a unit attribute of operations with one result}}
  %0 = tg.exp %x {tg.no_gradient = 1 : i32} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'tg.gradient' is an i64 attribute of 'tg.detach'}}
  %0 = tg.exp %x {tg.gradient = 1 : i64} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @+1 {{'func.func' op has no argument that is a tensor of floats; differentiate before tensors are scheduled to buffers}}
func.func @main(%x: memref<4xf32>, %y: f32) {
  return
}
