// RUN: tg-test-opt --split-input-file --tg-schedule --verify-diagnostics %s

func.func @opaque(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tg.neg %x : tensor<4xf32>
  // expected-error @+1 {{'tg_test.opaque' op is not an operation of a tensor graph: it has neither a tg::ElementwiseOpInterface nor a tg::MovementOpInterface}}
  %1 = tg_test.opaque %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

func.func @secret(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'tg_test.secret' op is not an operation of a tensor graph: what it computes is not known without a tg::ComposedOpInterface}}
  %0 = tg_test.secret %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

tg.kernel @opaque(%out: memref<4xf32>, %x: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %0 = tg.load %x[%i] : memref<4xf32>
  // expected-error @+1 {{'tg_test.opaque' op is not allowed inside a tg.kernel (C3)}}
  %1 = tg_test.opaque %0 : f32
  tg.store %1, %out[%i] : memref<4xf32>
}

// -----

func.func @not_memory(%x: tensor<4xf32>, %y: tensor<6xf32>) -> tensor<6xf32> {
  %0 = tg_test.frame %x : tensor<4xf32> -> tensor<6xf32>
  // expected-error @+1 {{the target is the result of 'tg_test.frame', not a buffer, a function argument, an assign, or a view of one (C1)}}
  %1 = tg.assign %0, %y : tensor<6xf32>
  return %1 : tensor<6xf32>
}
