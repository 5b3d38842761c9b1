//===- RecurrentTest.cpp - recurrent cells --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Recurrent cells compared with PyTorch's, sequences, errors.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/NN/Recurrent.h"
#include "NNTest.h"
#include "TinyGrad/Runtime/Counters.h"

using namespace tinygrad;
using namespace tinygrad::testing;
using ::testing::ElementsAre;

// PyTorch's nn.LSTMCell(3, 2) of noise((2, 3)), and of the state
// (noise((2, 2), 2), noise((2, 2), 3))
TEST(LSTMCell, Values) {
  nn::LSTMCell cell(3, 2);
  EXPECT_THAT(names(cell),
              ElementsAre("weight_ih", "weight_hh", "bias_ih", "bias_hh"));
  fill(cell);
  Tensor x = noiseTensor({2, 3});
  nn::LSTMState state =
      cell(x, {noiseTensor({2, 2}, 2), noiseTensor({2, 2}, 3)});
  expectTensor(state.hidden, {2, 2}, {0.286174, 0.0604597, 0.123746, 0.0694798},
               kSixDigits);
  expectTensor(state.cell, {2, 2}, {0.443847, 0.0888548, 0.199222, 0.163566},
               kSixDigits);
  state = cell(x);
  expectTensor(state.hidden, {2, 2},
               {-0.116537, -0.167943, -0.174706, -0.0707552}, kSixDigits);
  expectTensor(state.cell, {2, 2}, {-0.162336, -0.306421, -0.220858, -0.171254},
               kSixDigits);
}

// PyTorch's nn.GRUCell(3, 2) of noise((2, 3)) and the state noise((2, 2), 2)
TEST(GRUCell, Values) {
  nn::GRUCell cell(3, 2);
  EXPECT_THAT(names(cell),
              ElementsAre("weight_ih", "weight_hh", "bias_ih", "bias_hh"));
  fill(cell);
  Tensor x = noiseTensor({2, 3});
  expectTensor(cell(x, noiseTensor({2, 2}, 2)), {2, 2},
               {0.409662, 0.158387, 0.448273, 0.150624}, kSixDigits);
  expectTensor(cell(x), {2, 2},
               {-0.00592483, -0.187348, -0.0444262, -0.0212562}, kSixDigits);
}

TEST(Recurrent, BeginsUniform) {
  Tensor::manualSeed(1);
  nn::LSTMCell cell(20, 25);
  EXPECT_EQ(cell.weightIh.shape(), Shape({100, 20}));
  expectUniform(cell.weightIh, 0.2);
  expectUniform(cell.weightHh, 0.2);
  expectTensor(cell.biasIh, {100}, std::vector<double>(100));
  nn::GRUCell plain(20, 25, {.bias = false});
  EXPECT_THAT(names(plain), ElementsAre("weight_ih", "weight_hh"));
  expectUniform(plain.weightHh, 0.2);
}

/// All steps of a sequence have the same kernels.
TEST(Recurrent, KernelsOfSequences) {
  nn::LSTMCell cell(3, 4);
  Tensor x = noiseTensor({12, 2, 3}).realize();
  auto last = [&](int64_t steps) {
    nn::LSTMState state;
    for (int64_t i = 0; i < steps; ++i)
      state = cell(x[i], state);
    return state.hidden;
  };
  last(4).realize();
  const int64_t before = GlobalCounters::kernelCount;
  last(8).realize();
  const int64_t ofEight = GlobalCounters::kernelCount - before;
  last(12).realize();
  const int64_t ofTwelve = GlobalCounters::kernelCount - before - ofEight;
  // Two products and the cell's and the hidden state for each step, at most.
  EXPECT_LE(ofTwelve - ofEight, 4 * 4);
  EXPECT_GT(ofTwelve, ofEight);
}

TEST(Recurrent, Errors) {
  nn::LSTMCell cell(3, 2);
  EXPECT_ERROR(cell(Tensor::zeros({2, 4})), ShapeError,
               "nn::LSTMCell: an input of shape [2, 4] does not fit 3 "
               "features: the shape should be [batch, 3]");
  EXPECT_ERROR(cell(Tensor::zeros({3})), ShapeError, "nn::LSTMCell");
  EXPECT_ERROR(cell(Tensor::zeros({2, 3}), {Tensor::zeros({2, 3}), {}}),
               ShapeError,
               "nn::LSTMCell: a state of shape [2, 3] does not fit an input of "
               "shape [2, 3]: the shape should be [2, 2]");
  nn::GRUCell gru(3, 2);
  EXPECT_ERROR(gru(Tensor::zeros({2, 3}), Tensor::zeros({1, 2})), ShapeError,
               "nn::GRUCell: a state of shape [1, 2]");
  EXPECT_ERROR(nn::GRUCell(3, -2), ShapeError,
               "nn::GRUCell: -2 hidden features");
  EXPECT_ERROR(nn::LSTMCell(3, 2, {.parameters = DType::Int64}), DTypeError,
               "nn::LSTMCell: parameters cannot be int64");
}
