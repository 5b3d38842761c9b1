//===- KernelCountTest.cpp - how few kernels ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Programs of a few methods and the kernels that they take, next to those that
/// tinygrad takes for the same expressions. Fewer is better.
///
//===----------------------------------------------------------------------===//

#include "TensorTest.h"
#include "TinyGrad/Runtime/Counters.h"

using namespace tinygrad;
using namespace tinygrad::testing;

namespace {
struct Program {
  const char *name;
  int tinygrad; ///< what tinygrad takes
  int ours;     ///< what it has to take here at most
  Tensor (*build)();
};

/// A realized tensor: an input of the programs.
Tensor input(const Shape &shape, unsigned seed = 1) {
  return noiseTensor(shape, seed);
}

const Program programs[] = {
    {"sum_of_four", 1, 1,
     [] {
       Tensor a = input({64, 64}), b = input({64, 64}, 2);
       return a + b + input({64, 64}, 3) + input({64, 64}, 4);
     }},
    {"mul_sum_relu", 1, 1,
     [] { return (input({64, 64}) * input({64, 64}, 2)).sum().relu(); }},
    {"add_reshape_sum", 1, 1,
     [] {
       return (input({64, 64}) + input({64, 64}, 2)).reshape({16, 256}).sum(0);
     }},
    {"sum_add", 1, 1, [] { return input({64, 64}).sum(0) + input({64}, 2); }},
    {"sum_plus_max", 1, 1,
     [] { return input({64, 64}).sum(-1) + input({64, 64}, 2).max(-1); }},
    {"two_matmuls", 1, 1,
     [] {
       return input({64, 64}).matmul(input({64, 64}, 2)) +
              input({64, 64}, 3).matmul(input({64, 64}, 4));
     }},
    {"four_reductions", 1, 1,
     [] {
       Tensor a = input({64, 64});
       return a.sum(0) + a.max(0) + a.max(1) + a.sum(1) + 2;
     }},
    {"minus_mean", 2, 2,
     [] {
       Tensor a = input({64, 64});
       return a - a.mean(0, true);
     }},
    {"softmax", 3, 1, [] { return input({64, 256}).softmax(); }},
    {"log_softmax", 3, 1, [] { return input({64, 256}).logSoftmax(); }},
    {"layernorm", 3, 1, [] { return input({64, 256}).layernorm(); }},
    {"rmsnorm", 2, 1, [] { return input({64, 256}).rmsnorm(); }},
    {"attention", 4, 3,
     [] {
       return input({2, 4, 64, 32})
           .scaledDotProductAttention(input({2, 4, 64, 32}, 2),
                                      input({2, 4, 64, 32}, 3));
     }},
    {"causal_attention", 4, 3,
     [] {
       return input({2, 4, 64, 32})
           .scaledDotProductAttention(input({2, 4, 64, 32}, 2),
                                      input({2, 4, 64, 32}, 3), {}, true);
     }},
    {"argmax", 2, 1, [] { return input({64, 256}).argmax(1); }},
    {"argmax_of_all", 2, 1, [] { return input({64, 256}).argmax(); }},
    {"std", 2, 1, [] { return input({64, 256}).std(-1); }},
    {"conv_relu", 1, 1,
     [] {
       return input({1, 8, 16, 16}).conv2d(input({8, 8, 3, 3}, 2)).relu();
     }},
    {"conv_bn_relu", 1, 1,
     [] {
       return input({1, 8, 16, 16})
           .conv2d(input({8, 8, 3, 3}, 2))
           .batchnorm(input({8}, 3), input({8}, 4), input({8}, 5),
                      input({8}, 6))
           .relu();
     }},
    {"conv_relu_conv_relu", 2, 2,
     [] {
       return input({1, 8, 16, 16})
           .conv2d(input({8, 8, 3, 3}, 2))
           .relu()
           .conv2d(input({8, 8, 3, 3}, 3))
           .relu();
     }},
    {"conv_bn_train_relu", 4, 4,
     [] {
       Tensor x = input({4, 8, 16, 16}).conv2d(input({8, 8, 3, 3}, 2));
       auto [var, mean] = x.varMean({0, 2, 3}, false, 0);
       return x
           .batchnorm(input({8}, 3), input({8}, 4), mean, (var + 1e-5).rsqrt())
           .relu();
     }},
    {"groupnorm", 3, 1,
     [] {
       return input({2, 4, 12, 12})
           .reshape({2, 2, 288})
           .layernorm()
           .reshape({2, 4, 12, 12});
     }},
    {"sparse_cross_entropy", 3, 2,
     [] {
       Tensor labels = Tensor::from({3, 1, 9, 0, 3}).reshape({5, 1});
       return -input({5, 16}).logSoftmax().gather(1, labels).mean();
     }},
    {"max_pool", 1, 1, [] { return input({1, 8, 16, 16}).maxPool2d(); }},
    {"arange", 1, 1, [] { return Tensor::arange(1000); }},
    {"eye", 1, 1, [] { return Tensor::eye(64); }},
    {"triu", 1, 1, [] { return input({64, 64}).triu(); }},
    {"select_rows", 1, 1,
     []() -> Tensor { return input({64, 64})[Tensor::from({3, 1, 60})]; }},
    {"cat", 1, 1,
     [] { return Tensor::cat({input({64, 64}), input({64, 64}, 2)}); }},
    {"contiguous_view", 0, 0,
     [] { return input({64, 64}).reshape({16, 256})[3].contiguous(); }},
    {"matmul", 1, 1, [] { return input({64, 64}).matmul(input({64, 64}, 2)); }},
    {"rand", 1, 1, [] { return Tensor::rand({64, 64}); }},
    {"silu_gate", 1, 1,
     [] { return input({64, 64}).silu() * input({64, 64}, 2); }},
};
} // namespace

class KernelCount : public ::testing::TestWithParam<Program> {};

TEST_P(KernelCount, IsNoMoreThan) {
  Tensor result = GetParam().build();
  GlobalCounters::reset();
  result.realize();
  RecordProperty("kernels", int(GlobalCounters::kernelCount));
  if (GetParam().ours > 0)
    EXPECT_GE(GlobalCounters::kernelCount, 1);
  EXPECT_LE(GlobalCounters::kernelCount, GetParam().ours);
  EXPECT_LE(GetParam().ours, GetParam().tinygrad);
}

INSTANTIATE_TEST_SUITE_P(All, KernelCount, ::testing::ValuesIn(programs),
                         [](const auto &info) { return info.param.name; });

/// Work is linear in what is produced, not in what is selected from.
TEST(KernelWork, SelectionsDoNoNeedlessWork) {
  auto countOps = [](const Tensor &result) {
    GlobalCounters::reset();
    result.realize();
    return GlobalCounters::globalOps.load();
  };
  Tensor rows = Tensor::from({3, 1, 99, 0, 3}).realize();
  Tensor small = input({100, 8}), large = input({10000, 8});
  EXPECT_EQ(countOps(small.indexSelect(0, rows)),
            countOps(large.indexSelect(0, rows)));
  EXPECT_LE(countOps(Tensor::arange(5000).contiguous()), 20000);
  EXPECT_LE(countOps(input({64, 64}).triu()), 10 * 64 * 64);
}

/// What joins many tensors is as many launches of one kernel, and what chooses
/// between many by their values is a few kernels: in neither case one for each
/// condition.
TEST(KernelCounts, ChainsOfSelections) {
  std::vector<Tensor> parts;
  for (unsigned i = 0; i < 300; ++i)
    parts.push_back(input({1000}, i));
  auto count = [](const Tensor &result) {
    GlobalCounters::reset();
    result.realize();
    return GlobalCounters::kernelCount.load();
  };
  EXPECT_LE(count(Tensor::cat(parts)), 300);
  EXPECT_LE(GlobalCounters::globalOps.load(), 4 * 300 * 1000);
  EXPECT_LE(count(Tensor::stack(parts).relu()), 300);
  EXPECT_LE(GlobalCounters::globalOps.load(), 4 * 300 * 1000);
  // A few of moderate size stay together.
  parts.resize(8);
  EXPECT_EQ(count(Tensor::cat(parts)), 1);

  Tensor x = input({1000}), chosen = x;
  for (unsigned i = 0; i < 400; ++i)
    chosen = (x < float(i) / 400).where(input({1000}, i), chosen);
  EXPECT_LE(count(chosen), 4);
  EXPECT_LE(GlobalCounters::globalOps.load(), 4 * 400 * 1000);
}
