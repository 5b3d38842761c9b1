//===- Recurrent.cpp - recurrent cells ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TinyGrad/NN/Recurrent.h"
#include "Layer.h"

#include <string>
#include <vector>

using namespace tinygrad;
using namespace tinygrad::nn;
using namespace tinygrad::nn::detail;

/// Initializes a cell with a number of gates.
template <typename Cell>
static void initialize(Cell &self, const char *name, int64_t gates,
                       int64_t inputSize, int64_t hiddenSize,
                       const RecurrentOptions &options) {
  checkSize(name, "input features", inputSize);
  checkSize(name, "hidden features", hiddenSize);
  checkParameters(name, options.parameters);
  const double fanIn = double(hiddenSize);
  self.weightIh = uniformParameter({gates * hiddenSize, inputSize}, fanIn,
                                   options.parameters);
  self.weightHh = uniformParameter({gates * hiddenSize, hiddenSize}, fanIn,
                                   options.parameters);
  if (!options.bias)
    return;
  self.biasIh = zerosParameter(gates * hiddenSize, options.parameters);
  self.biasHh = zerosParameter(gates * hiddenSize, options.parameters);
}

static void checkInput(const char *name, const Tensor &x,
                       const Tensor &weightIh) {
  if (x.ndim() != 2 || x.shape()[1] != weightIh.size(1))
    throwInput(name, x,
               weightIh.size(1).str() +
                   " features: the shape should be [batch, " +
                   weightIh.size(1).str() + "]");
}

/// The state, checked, or zeros.
static Tensor stateOrZeros(const char *name, const Tensor &state,
                           const Tensor &x, const Tensor &weightHh) {
  const Shape shape = {x.shape()[0], weightHh.size(1)};
  if (!state.defined())
    return Tensor::zeros(shape, TensorOptions(promote(promoteToFloat(x.dtype()),
                                                      weightHh.dtype()),
                                              x.device()));
  if (state.shape() != shape)
    throw ShapeError(std::string(name) + ": a state of shape " +
                     toString(state.shape()) +
                     " does not fit an input of shape " + toString(x.shape()) +
                     ": the shape should be " + toString(shape));
  return state;
}

LSTMCell::LSTMCell(int64_t inputSize, int64_t hiddenSize,
                   const RecurrentOptions &options) {
  initialize(*this, "nn::LSTMCell", 4, inputSize, hiddenSize, options);
}

LSTMState LSTMCell::operator()(const Tensor &x, const LSTMState &state) const {
  const char *name = "nn::LSTMCell";
  checkInput(name, x, weightIh);
  Tensor hidden = stateOrZeros(name, state.hidden, x, weightHh);
  Tensor cell = stateOrZeros(name, state.cell, x, weightHh);
  const std::vector<Tensor> gates =
      (applyLinear(x, weightIh, biasIh) + applyLinear(hidden, weightHh, biasHh))
          .split(weightHh.size(1), 1);
  Tensor next =
      gates[1].sigmoid() * cell + gates[0].sigmoid() * gates[2].tanh();
  // In memory, so that a long sequence does not become one expression.
  next = next.contiguous();
  return {(gates[3].sigmoid() * next.tanh()).contiguous(), next};
}

GRUCell::GRUCell(int64_t inputSize, int64_t hiddenSize,
                 const RecurrentOptions &options) {
  initialize(*this, "nn::GRUCell", 3, inputSize, hiddenSize, options);
}

Tensor GRUCell::operator()(const Tensor &x, const Tensor &hidden) const {
  const char *name = "nn::GRUCell";
  checkInput(name, x, weightIh);
  Tensor state = stateOrZeros(name, hidden, x, weightHh);
  const std::vector<Tensor> ofInput =
      applyLinear(x, weightIh, biasIh).split(weightHh.size(1), 1);
  const std::vector<Tensor> ofState =
      applyLinear(state, weightHh, biasHh).split(weightHh.size(1), 1);
  Tensor reset = (ofInput[0] + ofState[0]).sigmoid();
  Tensor update = (ofInput[1] + ofState[1]).sigmoid();
  Tensor candidate = (ofInput[2] + reset * ofState[2]).tanh();
  return (candidate + update * (state - candidate)).contiguous();
}
