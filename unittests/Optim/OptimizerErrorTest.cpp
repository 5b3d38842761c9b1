//===- OptimizerErrorTest.cpp - mistakes with optimizers ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Options, parameters and calls that optimizers reject, and their messages.
///
//===----------------------------------------------------------------------===//

#include "OptimTest.h"
#include "TinyGrad/Optim/Adam.h"
#include "TinyGrad/Optim/LAMB.h"
#include "TinyGrad/Optim/LARS.h"
#include "TinyGrad/Optim/Muon.h"
#include "TinyGrad/Optim/SGD.h"

using namespace tinygrad;
using namespace tinygrad::optim;
using namespace tinygrad::testing;

TEST_F(OptimTest, Parameters) {
  Tensor w = Tensor::ones({2}).parameter(), v = Tensor::ones({3}).parameter(),
         buffer = Tensor::ones({2}).parameter(false);
  EXPECT_ERROR(SGD(std::vector<Tensor>{}), Error,
               "SGD: group 0: there are no parameters");
  EXPECT_ERROR(SGD(std::vector<ParameterGroup<SGDOptions>>{}), Error,
               "SGD: there are no groups of parameters");
  EXPECT_ERROR(SGD({buffer, buffer}), Error,
               "SGD: group 0: none of the 2 tensors requires a gradient; see "
               "setRequiresGrad() and parameter()");
  EXPECT_ERROR(SGD({w, Tensor()}), Error,
               "SGD: group 0: tensor 1 is undefined");
  EXPECT_ERROR(AdamW({{{w, v}, {}}, {{v}, {}}}), Error,
               "AdamW: group 1: tensor 0, [3] float32, is in group 0 too");
  Tensor there = Tensor::ones({2}, "NULL").parameter();
  EXPECT_ERROR(Adam({w, there}), DeviceError,
               "Adam: group 0: tensor 1 is on NULL, others are on ");
  EXPECT_ERROR(Muon({Tensor::ones({2, 2}).parameter(), v}), ShapeError,
               "Muon: parameter 1, [3] float32, is not a matrix");
}

TEST_F(OptimTest, OptionsOutOfRange) {
  Tensor w = Tensor::ones({2, 2}).parameter();
  const std::vector<Tensor> all{w};
  EXPECT_ERROR(SGD(all, {.learningRate = -0.1}), Error,
               "SGD: group 0: learningRate is -0.1, but it has to be finite "
               "and not negative");
  EXPECT_ERROR(SGD(all, {.learningRate = NAN}), Error, "learningRate is nan");
  EXPECT_ERROR(SGD(all, {.momentum = -1}), Error, "momentum is -1");
  EXPECT_ERROR(SGD(all, {.weightDecay = INFINITY}), Error,
               "weightDecay is inf");
  EXPECT_ERROR(SGD(all, {.nesterov = true}), Error,
               "nesterov needs a momentum");
  EXPECT_ERROR(LARS(all, {.trustCoefficient = -2}), Error,
               "LARS: group 0: trustCoefficient is -2");
  EXPECT_ERROR(LARS(all, {.momentum = 0, .nesterov = true}), Error,
               "nesterov needs a momentum");
  EXPECT_ERROR(Adam(all, {.beta1 = 1}), Error,
               "Adam: group 0: beta1 is 1, but it has to be at least 0 and "
               "less than 1");
  EXPECT_ERROR(AdamW(all, {.beta2 = -0.5}), Error, "beta2 is -0.5");
  EXPECT_ERROR(LAMB(all, {.eps = -1e-8}), Error,
               "LAMB: group 0: eps is -1e-08");
  EXPECT_ERROR(
      Adam({{all, {}}, {{Tensor::ones({1}).parameter()}, {.weightDecay = -1}}}),
      Error, "Adam: group 1: weightDecay is -1");
  EXPECT_ERROR(Muon(all, {.iterations = -1}), Error, "iterations is -1");
  EXPECT_ERROR(Muon(all, {.coefficients = {}}), Error,
               "Muon: group 0: there are no coefficients");
}

TEST_F(OptimTest, MissingGradients) {
  Tensor w = Tensor::ones({2}).parameter(),
         v = Tensor::ones({3, 1}, DType::Float64).parameter();
  SGD optimizer({{{w}, {.learningRate = 1}}, {{v}, {.learningRate = 1}}});
  w.setGrad(Tensor::ones({2}));
  EXPECT_ERROR(optimizer.step(), Error,
               "SGD::step: parameter 1, [3, 1] float64, has no gradient: the "
               "loss does not depend on it, or backward() was not called; with "
               "the option skipWithoutGradient, such parameters are left as "
               "they are");
  // Nothing happened, and the program can go on.
  expectTensor(w, {2}, {1, 1});
  v.setGrad(Tensor::ones({3, 1}, DType::Float64));
  optimizer.step();
  expectTensor(w, {2}, {0, 0});
  expectTensor(v, {3, 1}, {0, 0, 0});
}

TEST_F(OptimTest, Calls) {
  Weights weights;
  SGD optimizer(weights.all());
  EXPECT_ERROR(optimizer.learningRate(1), IndexError,
               "SGD: there is no group 1, only 1");
  EXPECT_ERROR(optimizer.initialLearningRate(3), IndexError, "no group 3");
  EXPECT_ERROR(optimizer.setLearningRate(0.5, 2), IndexError, "no group 2");
  EXPECT_ERROR(optimizer.setLearningRate(-1), Error,
               "SGD: group 0: the learning rate is -1");
  weights.setGradients(1);
  EXPECT_ERROR(optimizer.step({.gradientScale = Tensor::ones({2})}), ShapeError,
               "SGD::step: gradientScale and skip are tensors of rank 0, not "
               "of shape [2]");
  EXPECT_ERROR(optimizer.step({.skip = Tensor(1)}), DTypeError,
               "SGD::step: skip is a bool, not int32");
}
