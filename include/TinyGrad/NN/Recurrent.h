//===- Recurrent.h - recurrent cells ----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Cells that compute one step of a recurrent network.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_NN_RECURRENT_H
#define TINYGRAD_NN_RECURRENT_H

#include "TinyGrad/Tensor/Members.h"
#include "TinyGrad/Tensor/Tensor.h"

#include <cstdint>

namespace tinygrad::nn {

/// Options of LSTMCell and GRUCell.
struct RecurrentOptions {
  bool bias = true;
  /// Element type and device of the parameters.
  TensorOptions parameters = {};
};

// Weights are uniform in +-1/sqrt(hiddenSize) and biases 0, as in tinygrad. The
// constructors throw ShapeError for negative sizes and DTypeError for
// parameters that are not floats. Calls throw ShapeError for inputs and states
// that do not fit.

/// What an LSTMCell passes to its next step, (batch, hiddenSize) each.
struct LSTMState {
  Tensor hidden, cell;
  TINYGRAD_MEMBERS(hidden, cell)
};

/// A long short-term memory. With the input, forget, cell and output gates
/// i, f, g, o of weightIh x + biasIh + weightHh h + biasHh:
/// c' = sigmoid(f) c + sigmoid(i) tanh(g) and h' = sigmoid(o) tanh(c').
struct LSTMCell {
  LSTMCell(int64_t inputSize, int64_t hiddenSize,
           const RecurrentOptions &options = {});

  /// The next state, for an input (batch, inputSize); undefined tensors of the
  /// state are zeros.
  LSTMState operator()(const Tensor &x, const LSTMState &state = {}) const;

  /// (4 hiddenSize, inputSize), (4 hiddenSize, hiddenSize), (4 hiddenSize):
  /// the gates i, f, g, o, as in PyTorch.
  Tensor weightIh, weightHh, biasIh, biasHh;
  TINYGRAD_MEMBERS(weightIh, weightHh, biasIh, biasHh)
};

/// A gated recurrent unit. With the reset, update and new gates r, z, n of
/// weightIh x + biasIh and of weightHh h + biasHh:
/// n = tanh(n of x + sigmoid(r) * n of h) and h' = (1 - sigmoid(z)) n +
/// sigmoid(z) h, as in PyTorch.
struct GRUCell {
  GRUCell(int64_t inputSize, int64_t hiddenSize,
          const RecurrentOptions &options = {});

  /// The next state (batch, hiddenSize) for an input (batch, inputSize); an
  /// undefined state is zeros.
  Tensor operator()(const Tensor &x, const Tensor &hidden = {}) const;

  /// (3 hiddenSize, inputSize), (3 hiddenSize, hiddenSize), (3 hiddenSize):
  /// the gates r, z, n.
  Tensor weightIh, weightHh, biasIh, biasHh;
  TINYGRAD_MEMBERS(weightIh, weightHh, biasIh, biasHh)
};

} // namespace tinygrad::nn

#endif // TINYGRAD_NN_RECURRENT_H
