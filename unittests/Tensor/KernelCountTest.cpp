//===- KernelCountTest.cpp - numbers of kernels ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The number of kernels of small programs, compared with tinygrad's for the
/// same expressions. Fewer is better.
///
//===----------------------------------------------------------------------===//

#include "TensorTest.h"
#include "TinyGrad/Runtime/Counters.h"
#include "TinyGrad/Runtime/Device.h"

using namespace tinygrad;
using namespace tinygrad::testing;

namespace {
struct CountedProgram {
  const char *name;
  int tinygrad; ///< kernels of tinygrad
  int ours;     ///< the maximal number here
  Tensor (*build)();
};

/// A realized tensor, used as input.
Tensor input(const Shape &shape, unsigned seed = 1) {
  return noiseTensor(shape, seed);
}

const CountedProgram kPrograms[] = {
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
    {"pointwise_then_depthwise", 2, 2,
     [] {
       return input({1, 8, 16, 16})
           .conv2d(input({24, 8, 1, 1}, 2))
           .relu()
           .conv2d(input({24, 1, 3, 3}, 3), {}, {.groups = 24, .padding = 1});
     }},
    {"two_filters", 2, 2,
     [] {
       Tensor filter = input({1, 1, 5, 5}, 2);
       return input({1, 1, 64, 64})
           .conv2d(filter, {.padding = 2})
           .conv2d(filter, {.padding = 2});
     }},
    {"conv_bn_train_relu", 4, 3,
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
    {"sparse_categorical_crossentropy", 3, 2,
     [] {
       return input({5, 16}).sparseCategoricalCrossentropy(
           Tensor::from({3, 1, 9, 0, 3}), 9, 0.1);
     }},
    {"einsum_matmul", 1, 1,
     [] {
       return Tensor::einsum("bij,kbj->bik",
                             {input({2, 32, 16}), input({64, 2, 16}, 2)});
     }},
    {"conv_transpose", 1, 1,
     [] {
       return input({1, 8, 16, 16})
           .convTranspose2d(input({8, 8, 3, 3}, 2), input({8}, 3))
           .relu();
     }},
    {"pad_reflect", 1, 1,
     [] { return input({64, 64}).pad({1, 2, 3, 4}, PadMode::Reflect); }},
    {"upsample", 1, 1,
     [] {
       return input({8, 16, 16})
           .interpolate({32, 32}, InterpolateMode::Nearest);
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

class KernelCount : public ::testing::TestWithParam<CountedProgram> {};

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

INSTANTIATE_TEST_SUITE_P(All, KernelCount, ::testing::ValuesIn(kPrograms),
                         [](const auto &info) { return info.param.name; });

/// The work is linear in the result, not in what is selected from.
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

/// Concatenation of many tensors launches one kernel many times, and a choice
/// between many tensors by value takes few kernels: neither takes one for each
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
  // A few parts of moderate size are joined in one kernel.
  parts.resize(8);
  EXPECT_EQ(count(Tensor::cat(parts)), 1);

  Tensor x = input({1000}), chosen = x;
  for (unsigned i = 0; i < 400; ++i)
    chosen = (x < float(i) / 400).where(input({1000}, i), chosen);
  EXPECT_LE(count(chosen), 4);
  EXPECT_LE(GlobalCounters::globalOps.load(), 4 * 400 * 1000);
}

//===----------------------------------------------------------------------===//
// Several results
//===----------------------------------------------------------------------===//

namespace {
/// A program with several results, and its number of kernels.
struct Results {
  const char *name;
  int kernels;
  std::vector<Tensor> (*build)();
};

using Tensors = std::vector<Tensor>;

const Results kSeveralResults[] = {
    {"sum_and_product", 1,
     [] {
       Tensor s = input({64, 64});
       return Tensors{s + 1, s * 2};
     }},
    {"other_shape", 1,
     [] {
       Tensor s = input({64, 64});
       return Tensors{s + 1, s.flatten() * 2};
     }},
    {"mandelbrot_step", 1,
     [] {
       Tensor re = input({64, 64}), im = input({64, 64}, 2);
       Tensor nextRe = re * re - im * im + input({64, 64}, 3);
       Tensor nextIm = re * im * 2 + input({64, 64}, 4);
       Tensor isInside = nextRe * nextRe + nextIm * nextIm < 4;
       return Tensors{nextRe, nextIm, input({64, 64}, 5) + isInside.toFloat()};
     }},
    {"mandelbrot_step_in_place", 1,
     [] {
       Tensor re = input({64, 64}), im = input({64, 64}, 2);
       Tensor count = input({64, 64}, 5);
       Tensor nextRe = re * re - im * im + input({64, 64}, 3);
       Tensor nextIm = re * im * 2 + input({64, 64}, 4);
       Tensor isInside = nextRe * nextRe + nextIm * nextIm < 4;
       count.assign(count + isInside.toFloat());
       re.assign(isInside.where(nextRe, re));
       im.assign(isInside.where(nextIm, im));
       return Tensors{re, im, count};
     }},
    {"momentum", 1,
     [] {
       Tensor w = input({64, 64}), m = input({64, 64}, 2);
       m.assign(m * 0.9 + input({64, 64}, 3));
       w.assign(w - m * 0.1);
       return Tensors{m, w};
     }},
    {"momentum_by_values", 1,
     [] {
       Tensor w = input({64, 64}), m = input({64, 64}, 2);
       Tensor next = m * 0.9 + input({64, 64}, 3);
       w.assign(w - next * 0.1);
       m.assign(next);
       return Tensors{m, w};
     }},
    {"adam", 1,
     [] {
       Tensor w = input({64, 64}), m = input({64, 64}, 2);
       Tensor v = input({64, 64}, 3).square(), g = input({64, 64}, 4);
       v.realize();
       m.assign(m * 0.9 + g * 0.1);
       v.assign(v * 0.99 + g * g * 0.01);
       w.assign(w - m / (v.sqrt() + 1e-8) * 0.1);
       return Tensors{m, v, w};
     }},
    // The old contents of m and v are needed after they were overwritten.
    {"adam_by_values", 1,
     [] {
       Tensor w = input({64, 64}), m = input({64, 64}, 2);
       Tensor v = input({64, 64}, 3).square(), g = input({64, 64}, 4);
       v.realize();
       Tensor nextM = m * 0.9 + g * 0.1, nextV = v * 0.99 + g * g * 0.01;
       m.assign(nextM);
       v.assign(nextV);
       w.assign(w - nextM / (nextV.sqrt() + 1e-8) * 0.1);
       return Tensors{m, v, w};
     }},
    {"adam_of_two_parameters", 2,
     [] {
       Tensors results;
       for (unsigned i = 0; i < 2; ++i) {
         Tensor w = input({64, 64}, 4 * i), m = input({64, 64}, 4 * i + 1);
         Tensor v = input({64, 64}, 4 * i + 2).square();
         Tensor g = input({64, 64}, 4 * i + 3);
         v.realize();
         m.assign(m * 0.9 + g * 0.1);
         v.assign(v * 0.99 + g * g * 0.01);
         w.assign(w - m / (v.sqrt() + 1e-8) * 0.1);
         results.insert(results.end(), {m, v, w});
       }
       return results;
     }},
    {"var_mean", 1,
     [] {
       auto [var, mean] = input({64, 256}).varMean(-1);
       return Tensors{var, mean};
     }},
    {"var_mean_of_all", 1,
     [] {
       auto [var, mean] = input({64, 64}).varMean();
       return Tensors{var, mean};
     }},
    {"batch_norm_statistics", 1,
     [] {
       Tensor x = input({4, 8, 16, 16});
       Tensor runningMean = input({8}, 2), runningVar = input({8}, 3);
       auto [var, mean] = x.varMean({0, 2, 3}, false, 0);
       runningMean.assign(runningMean * 0.9 + mean * 0.1);
       runningVar.assign(runningVar * 0.9 + var * 0.1);
       return Tensors{var, mean, runningMean, runningVar};
     }},
    // One pass over memory, and one kernel that combines the partial results.
    {"var_mean_of_many", 2,
     [] {
       auto [var, mean] = input({1024, 1024}).varMean();
       return Tensors{var, mean};
     }},
    {"batch_norm_statistics_of_many", 2,
     [] {
       Tensor x = input({256, 16, 32, 32});
       Tensor runningMean = input({16}, 2), runningVar = input({16}, 3);
       auto [var, mean] = x.varMean({0, 2, 3}, false, 0);
       runningMean.assign(runningMean * 0.9 + mean * 0.1);
       runningVar.assign(runningVar * 0.9 + var * 0.1);
       return Tensors{var, mean, runningMean, runningVar};
     }},
    {"mean_and_max", 1,
     [] {
       Tensor x = input({64, 256});
       return Tensors{x.mean(), x.max()};
     }},
    {"mean_and_max_of_rows", 1,
     [] {
       Tensor x = input({64, 256});
       return Tensors{x.mean(1), x.max(1)};
     }},
    {"mean_and_max_of_columns", 1,
     [] {
       Tensor x = input({64, 256});
       return Tensors{x.mean(0), x.max(0)};
     }},
    // One kernel for the partial results, and one for both results: two small
    // kernels that have no common operand are merged.
    {"mean_and_max_of_many", 2,
     [] {
       Tensor x = input({1024, 1024});
       return Tensors{x.mean(), x.max()};
     }},
    {"three_reductions_of_many", 2,
     [] {
       Tensor x = input({1024, 1024});
       return Tensors{x.sum(), x.max(), x.square().sum()};
     }},
    {"sum_and_max_of_many_columns", 1,
     [] {
       Tensor x = input({4096, 1024});
       return Tensors{x.sum(0), x.max(0)};
     }},
    // For so many columns, the partial results are combined separately.
    {"sum_and_max_of_large_columns", 2,
     [] {
       Tensor x = input({2048, 4096});
       return Tensors{x.sum(0), x.max(0)};
     }},
    {"sum_and_max_of_very_many_columns", 3,
     [] {
       Tensor x = input({512, 16384});
       return Tensors{x.sum(0), x.max(0)};
     }},
    {"softmax_and_logsumexp", 1,
     [] {
       Tensor x = input({64, 256});
       return Tensors{x.softmax(1), x.logsumexp(1)};
     }},
    {"layernorm_with_statistics", 1,
     [] {
       Tensor x = input({64, 256});
       Tensor mean = x.mean(1, true), centred = x - mean;
       Tensor scale = (centred.square().mean(1, true) + 1e-5).rsqrt();
       return Tensors{centred * scale, mean, scale};
     }},
    // Local memory holds the old contents.
    {"stencil_in_place", 1,
     [] {
       Tensor x = input({64, 64});
       Tensor padded = x.pad({{1, 1}, {0, 0}});
       x.assign(padded.shrink({{0, 64}, {0, 64}}) +
                padded.shrink({{2, 66}, {0, 64}}));
       return Tensors{x};
     }},
    // Boundary rows that blocks read from each other are saved first.
    {"large_stencil_in_place", 2,
     [] {
       Tensor x = input({512, 512});
       Tensor padded = x.pad({{1, 1}, {0, 0}});
       x.assign(padded.shrink({{0, 512}, {0, 512}}) +
                padded.shrink({{2, 514}, {0, 512}}));
       return Tensors{x};
     }},
    {"product_and_relu", 1,
     [] {
       Tensor y = input({64, 64}).matmul(input({64, 64}, 2));
       return Tensors{y, y.relu()};
     }},
    // The register tile of one product needs the registers.
    {"two_products", 2,
     [] {
       Tensor x = input({64, 64});
       return Tensors{x.matmul(input({64, 64}, 2)),
                      x.matmul(input({64, 64}, 3))};
     }},
    // One pass over the positions updates both; each begins with zeros.
    {"sums_and_counts_by_class", 3,
     [] {
       Tensor at = (Tensor::arange(1000) * 7 % 32).contiguous().realize();
       Tensor to = at.unsqueeze(1);
       return Tensors{Tensor::zeros({32, 8}).scatter(0, to.expand({1000, 8}),
                                                     input({1000, 8}),
                                                     ScatterReduction::Sum),
                      at.oneHot(32).sum(0)};
     }},
    // Nothing in common.
    {"apart", 2,
     [] { return Tensors{input({64, 64}) + 1, input({64, 64}, 2) + 1}; }},
    // One reads what the other writes at other positions.
    {"shifted", 2,
     [] {
       Tensor y = (input({64, 64}) * 3).contiguous();
       return Tensors{y, y.flip({0}) + 1};
     }},
};
} // namespace

class ResultsCount : public ::testing::TestWithParam<Results> {};

TEST_P(ResultsCount, IsNoMoreThan) {
  if (Device::getDefault().name() != "CPU")
    GTEST_SKIP() << "the numbers are those of schedules for CPUs";
  std::vector<Tensor> results = GetParam().build();
  GlobalCounters::reset();
  realize(results);
  EXPECT_EQ(GlobalCounters::kernelCount, GetParam().kernels);
}

INSTANTIATE_TEST_SUITE_P(All, ResultsCount,
                         ::testing::ValuesIn(kSeveralResults),
                         [](const auto &info) { return info.param.name; });

/// Values are the same as for one result at a time, up to the order of
/// additions of at most 2,048 numbers.
TEST(SeveralResults, ValuesAreThoseOfOneAtATime) {
  for (const Results &program : kSeveralResults) {
    SCOPED_TRACE(program.name);
    std::vector<Tensor> together = program.build(), alone = program.build();
    realize(together);
    for (std::size_t i = 0; i < alone.size(); ++i) {
      alone[i].realize();
      expectTensor(together[i], alone[i].shape(), values(alone[i]), 4e-5);
    }
  }
}

/// A step of SGD with momentum updates memory in place, in one pass.
TEST(SeveralResults, UpdatesTouchMemoryOnce) {
  const Shape shape{256, 1024};
  const int64_t bytes = 256 * 1024 * 4;
  Tensor w = input(shape), m = input(shape, 2), g = input(shape, 3);
  w.realize();
  m.realize();
  g.realize();
  const void *ofW = w.buffer().address(), *ofM = m.buffer().address();
  GlobalCounters::reset();
  m.assign(m * 0.9 + g);
  w.assign(w - m * 0.1);
  realize({m, w});
  EXPECT_EQ(GlobalCounters::kernelCount, 1);
  // Three tensors: one read, and two read and written, which count once.
  EXPECT_EQ(GlobalCounters::globalMem.load(), 3 * bytes);
  EXPECT_EQ(w.buffer().address(), ofW);
  EXPECT_EQ(m.buffer().address(), ofM);
}
