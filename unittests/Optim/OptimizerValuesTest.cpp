//===- OptimizerValuesTest.cpp - values of optimizers ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The parameters after five steps of each optimizer, compared with PyTorch
/// 1.13 and tinygrad 0.14. The numbers were printed by
///
///   P0 = [[0.5, -1, 2], [0, 1.5, -0.25]]; Q0 = [1., 2, 3]
///   A = [[0.3, -0.2, 0.1], [0.4, -0.5, 0.6]]; B = [1., 0, -1]
///   p = torch.tensor(P0, requires_grad=True)
///   q = torch.tensor(Q0, requires_grad=True)
///   o = torch.optim.SGD([p, q], lr=0.1)    # and so on
///   for t in range(1, 6):
///     with torch.no_grad():
///       p.grad = p * 0.5 + torch.tensor(A) * t
///       q.grad = q * 0.1 + torch.tensor(B) * t
///     o.step()
///   print(p.tolist(), q.tolist())
///
/// and likewise with tinygrad.nn.optim for what PyTorch 1.13 does not have.
///
//===----------------------------------------------------------------------===//

#include "OptimTest.h"
#include "TinyGrad/Optim/Adam.h"
#include "TinyGrad/Optim/LAMB.h"
#include "TinyGrad/Optim/LARS.h"
#include "TinyGrad/Optim/Muon.h"
#include "TinyGrad/Optim/SGD.h"

#include <memory>

using namespace tinygrad;
using namespace tinygrad::optim;
using namespace tinygrad::testing;

namespace {
struct Case {
  const char *name;
  std::unique_ptr<Optimizer> (*make)(const Weights &weights);
  std::vector<double> p, q;
};

template <typename O, typename Options>
std::unique_ptr<Optimizer> make(const Weights &weights,
                                const Options &options) {
  return std::make_unique<O>(weights.all(), options);
}

class OptimizerValuesTest : public OptimTest,
                            public ::testing::WithParamInterface<Case> {};

const Case kCases[] = {
    // torch.optim
    {"SGD",
     [](const Weights &w) {
       return make<SGD>(w, SGDOptions{.learningRate = 0.1});
     },
     {-0.03421222, -0.4930458, 1.407194, -0.5614703, 1.862509, -1.035651},
     {-0.5291594, 1.90198, 4.333119}},
    {"SGDMomentum",
     [](const Weights &w) {
       return make<SGD>(w, SGDOptions{.learningRate = 0.1, .momentum = 0.9});
     },
     {-0.6690273, 0.1679142, 0.5417768, -1.17014, 2.088409, -1.859499},
     {-2.248372, 1.743268, 5.734909}},
    {"SGDNesterov",
     [](const Weights &w) {
       return make<SGD>(
           w,
           SGDOptions{.learningRate = 0.1, .momentum = 0.9, .nesterov = true});
     },
     {-0.9789802, 0.4420253, 0.2529008, -1.515935, 2.368832, -2.352888},
     {-3.396052, 1.676882, 6.749815}},
    {"SGDDecay",
     [](const Weights &w) {
       return make<SGD>(w, SGDOptions{.learningRate = 0.1, .weightDecay = 0.2});
     },
     {-0.06229979, -0.4222591, 1.254662, -0.5468587, 1.727106, -0.9942101},
     {-0.5825999, 1.717468, 4.017536}},
    {"SGDNesterovDecay",
     [](const Weights &w) {
       return make<SGD>(w, SGDOptions{.learningRate = 0.1,
                                      .momentum = 0.8,
                                      .weightDecay = 0.2,
                                      .nesterov = true});
     },
     {-0.8288789, 0.390165, 0.1703646, -1.267593, 1.949938, -1.962297},
     {-2.897087, 1.239856, 5.3768}},
    {"Adam",
     [](const Weights &w) {
       return make<Adam>(w, AdamOptions{.learningRate = 0.1});
     },
     {0.003181972, -0.4984286, 1.498541, -0.487473, 1.637252, -0.7321929},
     {0.5129817, 1.502956, 3.47818}},
    {"AdamBetas",
     [](const Weights &w) {
       return make<Adam>(w, AdamOptions{.learningRate = 0.1,
                                        .beta1 = 0.5,
                                        .beta2 = 0.9,
                                        .eps = 1e-2});
     },
     {-0.0321362, -0.4788203, 1.495951, -0.537851, 1.76609, -0.7908325},
     {0.4571486, 1.535661, 3.543247}},
    {"AdamDecay",
     [](const Weights &w) {
       return make<Adam>(w,
                         AdamOptions{.learningRate = 0.1, .weightDecay = 0.2});
     },
     {0.0009412691, -0.497803, 1.49924, -0.4884829, 1.468966, -0.7306738},
     {0.5097841, 1.502956, 3.445591}},
    {"AdamW",
     [](const Weights &w) {
       return make<AdamW>(w, AdamWOptions{.learningRate = 0.1});
     },
     {0.001672596, -0.4944302, 1.48958, -0.4864905, 1.63012, -0.7299678},
     {0.5089694, 1.494046, 3.462239}},
    {"AdamWDecay",
     [](const Weights &w) {
       return make<AdamW>(w, AdamWOptions{.learningRate = 0.1,
                                          .beta1 = 0.8,
                                          .beta2 = 0.95,
                                          .weightDecay = 0.2});
     },
     {-0.03239956, -0.4178336, 1.32571, -0.4780319, 1.525785, -0.7000611},
     {0.4261784, 1.333948, 3.182772}},
    // tinygrad.nn.optim
    {"SGDClassic",
     [](const Weights &w) {
       return make<SGD>(
           w,
           SGDOptions{.learningRate = 0.1, .momentum = 0.9, .classic = true});
     },
     {-0.6690272, 0.1679142, 0.5417768, -1.17014, 2.088409, -1.859499},
     {-2.248373, 1.743268, 5.734909}},
    {"LARS",
     [](const Weights &w) {
       return make<LARS>(w, LARSOptions{.learningRate = 0.1,
                                        .weightDecay = 0.1,
                                        .trustCoefficient = 0.5});
     },
     {-0.08475518, -0.3522169, 1.095729, -0.5217273, 1.57178, -0.935861},
     {-0.7462293, 1.661673, 4.069575}},
    {"LARSNesterov",
     [](const Weights &w) {
       return make<LARS>(w, LARSOptions{.learningRate = 0.1,
                                        .momentum = 0.8,
                                        .nesterov = true,
                                        .classic = false,
                                        .trustCoefficient = 0.5});
     },
     {-0.06801274, -0.4231685, 1.265733, -0.5591941, 1.753141, -1.014482},
     {-0.8420995, 1.838735, 4.519569}},
    {"LAMB",
     [](const Weights &w) {
       return make<LAMB>(w, LAMBOptions{.learningRate = 0.1});
     },
     {-0.03840885, -0.4566964, 1.457046, -0.5284594, 1.638141, -0.7726637},
     {-0.1143076, 0.8786218, 4.093975}},
    {"LAMBDecay",
     [](const Weights &w) {
       return make<LAMB>(w,
                         LAMBOptions{.learningRate = 0.1, .weightDecay = 0.2});
     },
     {-0.009955471, -0.4389415, 1.346315, -0.4543196, 1.496785, -0.6759598},
     {-0.1294495, 0.6811102, 3.341717}},
    {"Muon",
     [](const Weights &w) -> std::unique_ptr<Optimizer> {
       return std::make_unique<Muon>(std::vector<Tensor>{w.p},
                                     MuonOptions{.learningRate = 0.1});
     },
     {0.3426806, -0.6585655, 1.803858, -0.1605995, 1.260897, -0.508899},
     {1, 2, 3}},
    {"MuonPlain",
     [](const Weights &w) -> std::unique_ptr<Optimizer> {
       return std::make_unique<Muon>(
           std::vector<Tensor>{w.p},
           MuonOptions{.learningRate = 0.1,
                       .momentum = 0.5,
                       .weightDecay = 0,
                       .nesterov = false,
                       .iterations = 3,
                       .coefficients = {2, -1.5, 0.5}});
     },
     {0.2959572, -0.6633063, 1.837003, -0.2026218, 1.382723, -0.5965846},
     {1, 2, 3}},
};

INSTANTIATE_TEST_SUITE_P(All, OptimizerValuesTest, ::testing::ValuesIn(kCases),
                         [](const ::testing::TestParamInfo<Case> &info) {
                           return info.param.name;
                         });
} // namespace

TEST_P(OptimizerValuesTest, AfterFiveSteps) {
  Weights weights;
  const std::unique_ptr<Optimizer> optimizer = GetParam().make(weights);
  takeSteps(*optimizer, weights);
  // tinygrad computes powers of the betas in float32.
  const bool isExact = std::string(GetParam().name).find("LAMB") != 0;
  expectWeights(weights, GetParam().p, GetParam().q, isExact ? 2e-6 : 1e-5);
}

TEST_P(OptimizerValuesTest, InFloat64) {
  Weights weights(DType::Float64);
  const std::unique_ptr<Optimizer> optimizer = GetParam().make(weights);
  EXPECT_EQ(optimizer->learningRate().dtype(), DType::Float64);
  takeSteps(*optimizer, weights);
  EXPECT_EQ(weights.p.dtype(), DType::Float64);
  const bool isExact = std::string(GetParam().name).find("LAMB") != 0;
  expectWeights(weights, GetParam().p, GetParam().q, isExact ? 3e-6 : 1e-5);
}

/// Updates are computed in float32: five steps change the weights by a rounding
/// of the parameter at most, and of the gradients.
TEST_P(OptimizerValuesTest, InNarrowTypes) {
  for (DType dtype : {DType::Float16, DType::BFloat16}) {
    SCOPED_TRACE(name(dtype));
    Weights weights(dtype);
    const std::unique_ptr<Optimizer> optimizer = GetParam().make(weights);
    EXPECT_EQ(optimizer->learningRate().dtype(), DType::Float32);
    takeSteps(*optimizer, weights);
    EXPECT_EQ(weights.p.dtype(), dtype);
    expectWeights(weights, GetParam().p, GetParam().q,
                  dtype == DType::Float16 ? 2e-3 : 2e-2);
  }
}

/// As ParameterGroup: torch.optim.AdamW([{"params": [p], "weight_decay": 0.3},
/// {"params": [q], "lr": 0.01, "betas": (0.5, 0.9)}], lr=0.1)
TEST_F(OptimTest, GroupsHaveTheirOwnOptions) {
  Weights weights;
  AdamW optimizer(
      {{{weights.p}, {.learningRate = 0.1, .weightDecay = 0.3}},
       {{weights.q}, {.learningRate = 0.01, .beta1 = 0.5, .beta2 = 0.9}}});
  EXPECT_EQ(optimizer.numGroups(), 2u);
  takeSteps(optimizer, weights);
  expectWeights(
      weights,
      {-0.03871712, -0.3860841, 1.245819, -0.4588417, 1.434855, -0.6683978},
      {0.9449495, 1.949118, 3.053172});
}

TEST_F(OptimTest, FirstStepOfAdamIsExact) {
  // The first step is the learning rate times the sign of the gradient, however
  // small the gradient: powers of betas in float32 would show here.
  Tensor p = Tensor::from({1.0, 1.0, 1.0}, DType::Float64).parameter();
  Adam optimizer({p}, {.learningRate = 0.5, .eps = 0});
  p.setGrad(Tensor::from({1e-3, -1.0, 1e3}, DType::Float64));
  optimizer.step();
  expectTensor(p, {3}, {0.5, 1.5, 0.5}, 1e-14);
}

TEST_F(OptimTest, NormsOfZero) {
  Tensor p = Tensor::zeros({2}).parameter(), q = Tensor::ones({2}).parameter();
  LARS lars({p, q}, {.learningRate = 1, .momentum = 0, .weightDecay = 0});
  LAMB lamb({p, q}, {.learningRate = 1});
  p.setGrad(Tensor::from({1.0f, 2.0f}));
  q.setGrad(Tensor::zeros({2}));
  lars.step();
  expectTensor(p, {2}, {-1, -2});
  expectTensor(q, {2}, {1, 1});
  p.assign(0);
  lamb.step();
  expectTensor(p, {2}, {-1, -1}, 1e-5);
  expectTensor(q, {2}, {1, 1});
}

TEST_F(OptimTest, MuonFlattensFilters) {
  const Tensor start = noiseTensor({4, 2, 3, 1}), g = noiseTensor({4, 6}, 2);
  Tensor filters = start.parameter(), matrix = start.flatten(1).parameter(),
         tall = start.flatten(1).T().parameter();
  Muon optimizer({filters, matrix, tall}, {.learningRate = 0.5});
  filters.setGrad(g.reshape({4, 2, 3, 1}));
  matrix.setGrad(g);
  tall.setGrad(g.T());
  optimizer.step();
  expectTensor(filters.flatten(1), {4, 6}, values(matrix), 1e-6);
  expectTensor(tall.T(), {4, 6}, values(matrix), 1e-6);
  // The update has singular values near 1: about 0.7 to 1.2.
  const Tensor update = (start.flatten(1) * 0.95 - matrix) / 0.5;
  for (double square : values(update.matmul(update.T()).diagonal())) {
    EXPECT_GT(square, 0.4);
    EXPECT_LT(square, 1.5);
  }
}
