//===- GradientCheck.h - gradients against differences ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Compares gradients with central differences in float64, and derivatives of
/// functions of one number with known ones.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_UNITTESTS_TENSOR_GRADIENTCHECK_H
#define TINYGRAD_UNITTESTS_TENSOR_GRADIENTCHECK_H

#include "TensorTest.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace tinygrad::testing {

/// A function of several tensors.
using Functional = std::function<Tensor(const std::vector<Tensor> &)>;

inline Tensor doubleNoise(const Shape &shape, unsigned seed = 1) {
  return noiseTensor(shape, seed).toDouble().realize();
}

/// Expects the gradients of sum(f(inputs) * noise) by each of \p inputs, of
/// float64, to be the central differences. All elements are moved, one after
/// the other; two programs are compiled. \p tolerance is relative, and absolute
/// below 1.
inline void expectGradients(const Functional &f,
                            const std::vector<Tensor> &inputs,
                            double tolerance = 1e-6) {
  constexpr double step = 1e-5;
  const Tensor first = f(inputs);
  ASSERT_EQ(first.dtype(), DType::Float64);
  const Tensor weights = doubleNoise(first.shape(), 77);
  auto loss = [&](const std::vector<Tensor> &at) {
    return (f(at) * weights).sum();
  };
  // A program of its own computes the loss: a realized value has no gradient.
  std::vector<Tensor> gradients = loss(inputs).gradient(inputs, {}, true);
  realize(gradients);
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    SCOPED_TRACE("input " + std::to_string(k) + " of shape " +
                 toString(inputs[k].shape()));
    ASSERT_EQ(gradients[k].shape(), inputs[k].shape());
    ASSERT_EQ(gradients[k].dtype(), DType::Float64);
    const std::vector<double> got = gradients[k].tolist<double>();
    std::vector<double> elements = inputs[k].tolist<double>();
    std::vector<Tensor> moved = inputs;
    auto lossAt = [&](std::size_t i, double value) {
      const double before = std::exchange(elements[i], value);
      moved[k] = Tensor::from(elements, inputs[k].shape());
      elements[i] = before;
      return loss(moved).item<double>();
    };
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const double expected =
          (lossAt(i, elements[i] + step) - lossAt(i, elements[i] - step)) /
          (2 * step);
      EXPECT_NEAR(got[i], expected, tolerance * (1 + std::abs(expected)))
          << "element " << i;
    }
  }
}

/// The same with noise of these shapes.
inline void expectGradients(const Functional &f,
                            const std::vector<Shape> &shapes,
                            double tolerance = 1e-6) {
  std::vector<Tensor> inputs;
  for (const Shape &shape : shapes)
    inputs.push_back(doubleNoise(shape, unsigned(inputs.size() + 1)));
  expectGradients(f, inputs, tolerance);
}

/// The same for a function of one tensor.
inline void expectGradient(const std::function<Tensor(const Tensor &)> &f,
                           const Shape &shape, double tolerance = 1e-6) {
  expectGradients([&](const std::vector<Tensor> &x) { return f(x[0]); },
                  std::vector<Shape>{shape}, tolerance);
}

} // namespace tinygrad::testing

#endif // TINYGRAD_UNITTESTS_TENSOR_GRADIENTCHECK_H
