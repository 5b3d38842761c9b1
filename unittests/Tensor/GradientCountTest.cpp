//===- GradientCountTest.cpp - kernels and work of gradients --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The number of kernels of gradients, and that gradients of selections take
/// work proportional to what was selected.
///
//===----------------------------------------------------------------------===//

#include "TensorTest.h"
#include "TinyGrad/Runtime/Counters.h"
#include "TinyGrad/Runtime/Device.h"

using namespace tinygrad;
using namespace tinygrad::testing;

namespace {
using Tensors = std::vector<Tensor>;

struct GradientProgram {
  const char *name;
  int kernels; ///< the maximal number
  Tensors (*build)();
};

Tensor input(const Shape &shape, unsigned seed = 1) {
  return noiseTensor(shape, seed).realize();
}

Tensors crossEntropyWithIgnored(int64_t rows, int64_t classes) {
  Tensor x = input({rows, classes});
  Tensor labels = (Tensor::arange(rows) * 7 % classes).contiguous().realize();
  Tensor loss = x.crossEntropy(labels, Reduction::Mean, 0, 3);
  return {loss, loss.gradient({x})[0]};
}

const GradientProgram kPrograms[] = {
    {"product", 2,
     [] {
       Tensor x = input({64, 96}), w = input({96, 32}, 2);
       return x.matmul(w).gradient({x, w}, input({64, 32}, 3));
     }},
    {"gelu", 1,
     [] {
       Tensor x = input({64, 64});
       return x.gelu().gradient({x}, input({64, 64}, 2));
     }},
    {"softmax", 1,
     [] {
       Tensor x = input({64, 256});
       return x.softmax().gradient({x}, input({64, 256}, 2));
     }},
    {"layernorm", 2,
     [] {
       Tensor x = input({64, 256});
       return x.layernorm().gradient({x}, input({64, 256}, 2));
     }},
    {"affine_layernorm", 3,
     [] {
       Tensor x = input({64, 256}), weight = input({256}, 2),
              bias = input({256}, 3);
       return (x.layernorm() * weight + bias)
           .gradient({x, weight, bias}, input({64, 256}, 4));
     }},
    {"convolution_relu_mean", 4,
     [] {
       Tensor x = input({4, 8, 16, 16}), w = input({16, 8, 3, 3}, 2);
       Tensor loss = x.conv2d(w).relu().mean();
       Tensors results = loss.gradient({x, w});
       results.push_back(loss);
       return results;
     }},
    {"cross_entropy", 2,
     [] {
       Tensor x = input({64, 10});
       Tensor labels = (Tensor::arange(64) * 7 % 10).contiguous().realize();
       Tensor loss = x.sparseCategoricalCrossentropy(labels);
       return Tensors{loss, loss.gradient({x})[0]};
     }},
    {"cross_entropy_ignored_class", 2,
     [] { return crossEntropyWithIgnored(64, 10); }},
    // The number of rows that count takes a kernel of its own.
    {"cross_entropy_ignored_class_many_rows", 3,
     [] { return crossEntropyWithIgnored(512, 10); }},
    {"cross_entropy_ignored_class_many_classes", 3,
     [] { return crossEntropyWithIgnored(1024, 1000); }},
};
} // namespace

class GradientCount : public ::testing::TestWithParam<GradientProgram> {};

TEST_P(GradientCount, IsNoMoreThan) {
  if (Device::getDefault().name() != "CPU")
    GTEST_SKIP() << "the numbers are those of schedules for CPUs";
  std::vector<Tensor> results = GetParam().build();
  GlobalCounters::reset();
  realize(results);
  EXPECT_LE(GlobalCounters::kernelCount, GetParam().kernels);
}

INSTANTIATE_TEST_SUITE_P(All, GradientCount, ::testing::ValuesIn(kPrograms),
                         [](const auto &info) { return info.param.name; });

/// Operations of the gradient of a selection from a table of \p rows rows.
static uint64_t countWork(int64_t rows,
                          Tensor (*select)(const Tensor &, const Tensor &)) {
  Tensor table = input({rows, 8});
  Tensor at = (Tensor::arange(300) * 37 % 100).contiguous().realize();
  Tensor chosen = select(table, at);
  Tensor gradient = chosen.gradient({table}, input(chosen.shape(), 5))[0];
  GlobalCounters::reset();
  gradient.realize();
  return GlobalCounters::globalOps.load();
}

TEST(GradientWork, IsProportionalToTheSelectedElements) {
  using Select = Tensor (*)(const Tensor &, const Tensor &);
  const Select selects[] = {
      [](const Tensor &x, const Tensor &at) { return x.indexSelect(0, at); },
      [](const Tensor &x, const Tensor &at) { return Tensor(x[at]); },
      [](const Tensor &x, const Tensor &at) {
        return x.gather(0, at.reshape({300, 1}).expand({300, 8}).contiguous());
      },
      [](const Tensor &x, const Tensor &at) {
        return x.indexSelect(0, at.reshape({20, 15}));
      },
  };
  for (Select select : selects) {
    const uint64_t small = countWork(1000, select),
                   large = countWork(4000, select);
    // The result has rows * 8 elements, which are set to zero.
    EXPECT_LE(large, small + 3000 * 8 * 4);
    EXPECT_LE(small, 300 * 8 * 40 + 1000 * 8 * 4);
  }
}

TEST(GradientWork, OfClassesIsThatOfTheForwardPass) {
  auto count = [](int64_t classes) {
    Tensor x = input({64, classes});
    Tensor labels = (Tensor::arange(64) * 7 % 10).contiguous().realize();
    Tensor gradient = x.sparseCategoricalCrossentropy(labels).gradient({x})[0];
    GlobalCounters::reset();
    gradient.realize();
    return GlobalCounters::globalOps.load();
  };
  EXPECT_LE(count(4000), 10 * count(1000));
}

TEST(GradientWork, OfSortsAndPrefixSums) {
  auto count = [](int64_t size, Tensor (*apply)(const Tensor &)) {
    Tensor x = input({4, size});
    Tensor gradient = apply(x).gradient({x}, input({4, size}, 2))[0];
    GlobalCounters::reset();
    gradient.realize();
    return GlobalCounters::globalOps.load();
  };
  for (auto *apply : {+[](const Tensor &x) { return x.sort(1).first; },
                      +[](const Tensor &x) { return x.cumsum(1); }})
    EXPECT_LE(count(4096, apply), 10 * count(1024, apply));
}
