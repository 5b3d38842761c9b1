//===- OptimTest.h - helpers of the tests of optimizers ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Shared by the tests of optimizers.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_UNITTESTS_OPTIM_OPTIMTEST_H
#define TINYGRAD_UNITTESTS_OPTIM_OPTIMTEST_H

#include "TensorTest.h"
#include "TinyGrad/Optim/Optimizer.h"
#include "TinyGrad/Runtime/Counters.h"
#include "TinyGrad/Runtime/Environment.h"
#include "TinyGrad/Tensor/Members.h"

namespace tinygrad::testing {

/// Each test has a graph of its own.
class OptimTest : public ::testing::Test {
protected:
  OptimTest() { GlobalCounters::reset(); }

  Graph graph;
  GraphScope scope{graph};
};

/// Two parameters with gradients that depend on them and on the step.
struct Weights {
  Tensor p, q;

  explicit Weights(DType dtype = DType::Float32)
      : p(Tensor::from({{0.5, -1.0, 2.0}, {0.0, 1.5, -0.25}}, dtype)
              .parameter()),
        q(Tensor::from({1.0, 2.0, 3.0}, dtype).parameter()) {}

  std::vector<Tensor> all() const { return {p, q}; }

  /// Those of step \p t = 1, 2, .., in memory.
  void setGradients(double t) {
    const NoGradScope noGradient;
    const Tensor a = Tensor::from({{0.3, -0.2, 0.1}, {0.4, -0.5, 0.6}}),
                 b = Tensor::from({1.0, 0.0, -1.0});
    // Memory of their own.
    auto set = [](Tensor &parameter, const Tensor &gradient) {
      parameter.setGrad(gradient.cast(parameter.dtype()).contiguous());
    };
    set(p, p.toDouble() * 0.5 + a * t);
    set(q, q.toDouble() * 0.1 + b * t);
    realize({p.grad(), q.grad()});
  }
};

/// Takes steps 1, 2, .., \p steps.
inline void takeSteps(optim::Optimizer &optimizer, Weights &weights,
                      int steps = 5) {
  for (int t = 1; t <= steps; ++t) {
    weights.setGradients(t);
    optimizer.step();
  }
}

inline void expectWeights(const Weights &weights, const std::vector<double> &p,
                          const std::vector<double> &q,
                          double tolerance = 2e-6) {
  expectTensor(weights.p, {2, 3}, p, tolerance);
  expectTensor(weights.q, {3}, q, tolerance);
}

/// The kernels that \p run launches.
template <typename Run> int64_t countKernels(Run &&run) {
  const int64_t before = GlobalCounters::kernelCount;
  run();
  return GlobalCounters::kernelCount - before;
}

} // namespace tinygrad::testing

#endif // TINYGRAD_UNITTESTS_OPTIM_OPTIMTEST_H
