//===- JitTest.cpp - captured steps ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JitTest.h"
#include "TinyGrad/Runtime/Counters.h"

#include <map>
#include <memory>
#include <optional>
#include <tuple>

using namespace tinygrad;
using namespace tinygrad::testing;

namespace {

/// The counts that building a graph or compiling would change.
struct Work {
  int64_t lookups = GlobalCounters::scheduleCacheHits;
  int64_t compiled = GlobalCounters::kernelsCompiled;
  std::size_t programs = Graph::current().numPrograms();

  bool operator==(const Work &) const = default;
};

//===----------------------------------------------------------------------===//
// Arguments and results
//===----------------------------------------------------------------------===//

TEST(JitTest, RunsCapturesReplays) {
  int calls = 0;
  Jit step([&](const Tensor &x, const Tensor &y) {
    ++calls;
    return (x * 2 + y).sum(1);
  });
  for (unsigned i = 0; i < 5; ++i) {
    EXPECT_EQ(step.isCaptured(), i >= 2);
    const Tensor x = noiseTensor({3, 4}, i + 1).realize();
    const Tensor y = noiseTensor({3, 4}, i + 100).realize();
    const Work before;
    const Tensor z = step(x, y);
    if (i >= 2) {
      EXPECT_EQ(Work(), before);
    }
    EXPECT_TRUE(z.isRealized());
    expectTensor(z, {3}, values((x * 2 + y).sum(1)));
  }
  EXPECT_EQ(calls, 2);
}

TEST(JitTest, ReplayRunsTheSameKernels) {
  Jit step([](const Tensor &x) { return (x + 1).matmul(x).softmax(); });
  std::vector<int64_t> counts;
  for (unsigned i = 0; i < 4; ++i) {
    const Tensor x = noiseTensor({8, 8}, i).realize();
    const int64_t before = GlobalCounters::kernelCount;
    step(x);
    counts.push_back(GlobalCounters::kernelCount - before);
  }
  EXPECT_GT(counts[0], 0);
  EXPECT_EQ(counts, std::vector<int64_t>(4, counts[0]));
}

TEST(JitTest, RealizesArguments) {
  Jit step([](const Tensor &x) { return x + 1; });
  for (int i = 0; i < 4; ++i) {
    Tensor x = Tensor::from({1.0f, 2.0f}) * i; // lazy
    expectTensor(step(x), {2}, {i + 1.0, 2 * i + 1.0});
    EXPECT_TRUE(x.isRealized());
    // A constant.
    expectTensor(step(Tensor::full({2}, float(i))), {2}, {i + 1.0, i + 1.0});
  }
}

TEST(JitTest, ArgumentsMayBeViews) {
  const Tensor data = counting({6, 4}).realize();
  Jit step([](const Tensor &x) { return x * 10; });
  for (int64_t i = 0; i < 6; ++i) // contiguous parts of one buffer
    expectTensor(step(data[i]), {4},
                 {40.0 * i, 40.0 * i + 10, 40.0 * i + 20, 40.0 * i + 30});
  Jit other([](const Tensor &x) { return x * 10; });
  for (int64_t i = 0; i < 4; ++i) { // columns
    std::vector<double> expected;
    for (int row = 0; row < 6; ++row)
      expected.push_back(10.0 * (4 * row + i));
    expectTensor(other(data.index({Slice(), i})), {6}, expected);
  }
  expectTensor(data, {6, 4}, values(counting({6, 4})));
}

struct Output {
  Tensor sum;
  std::vector<Tensor> parts;
  int number = 7;
  TINYGRAD_MEMBERS(sum, parts)
};

TEST(JitTest, ModulesAndContainers) {
  Jit step([](const Layer &layer, const std::vector<Tensor> &list,
              const std::map<std::string, Tensor> &named) {
    const Tensor y = layer(list[0]) + named.at("shift");
    return Output{y.sum(), {y[0], list[1] * 2}};
  });
  for (unsigned i = 0; i < 4; ++i) {
    const Layer layer = makeLayer(10 * i);
    const std::vector<Tensor> list{noiseTensor({2, 4}, i),
                                   noiseTensor({5}, i + 50)};
    const Tensor shift = noiseTensor({3}, i + 70);
    const Tensor y = layer(list[0]) + shift;
    const Output output = step(layer, list, {{"shift", shift}});
    EXPECT_EQ(output.number, 7);
    expectTensor(output.sum, {}, values(y.sum()), 1e-6);
    ASSERT_EQ(output.parts.size(), 2u);
    expectTensor(output.parts[0], {3}, values(y[0]), 1e-6);
    expectTensor(output.parts[1], {5}, values(list[1] * 2));
  }
}

TEST(JitTest, TuplesAndOptionals) {
  Jit step([](std::tuple<Tensor, Tensor> pair, std::optional<Tensor> third) {
    Tensor sum = std::get<0>(pair) + std::get<1>(pair);
    return std::pair(third ? sum + *third : sum, sum * 2);
  });
  for (int i = 0; i < 4; ++i) {
    const Tensor x = Tensor::from({float(i), 1.0f});
    auto [a, b] = step({x, x + 1}, x + 2);
    expectTensor(a, {2}, {3.0 * i + 3, 6});
    expectTensor(b, {2}, {4.0 * i + 2, 6});
  }
  EXPECT_ERROR(step({counting({2}), counting({2})}, std::nullopt), Error,
               "jit: argument 1 is missing, but was given when the step was "
               "captured");
}

TEST(JitTest, VoidAndNoArguments) {
  Tensor count = Tensor::zeros({}, {.dtype = DType::Int32}).parameter();
  Jit step([&] { count.assign(count + 1); });
  for (int i = 1; i <= 5; ++i) {
    step();
    EXPECT_EQ(count.item<int32_t>(), i);
  }
}

Tensor doubled(const Tensor &x) { return x * 2; }

TEST(JitTest, FunctionsAndMoveOnlyCallables) {
  Jit step(doubled);
  auto owned = std::make_unique<float>(3.0f);
  Jit other([owned = std::move(owned)](const Tensor &x) mutable noexcept {
    return x * *owned;
  });
  Jit<Tensor(const Tensor &)> generic([](const auto &x) { return x * 4; });
  for (int i = 0; i < 4; ++i) {
    const Tensor x = Tensor::from({float(i)});
    expectTensor(step(x), {1}, {2.0 * i});
    expectTensor(other(x), {1}, {3.0 * i});
    expectTensor(generic(x), {1}, {4.0 * i});
  }
  Jit moved = std::move(step);
  expectTensor(moved(Tensor::from({5.0f})), {1}, {10});
}

TEST(JitTest, EmptyAndSingleElements) {
  Jit step([](const Tensor &x) { return std::pair(x + 1, x.sum(0)); });
  for (int i = 0; i < 4; ++i) {
    auto [a, b] = step(Tensor::zeros({0, 2}));
    expectTensor(a, {0, 2}, {});
    expectTensor(b, {2}, {0, 0});
  }
  Jit single([](const Tensor &x) { return x.exp(); });
  for (int i = 0; i < 4; ++i)
    expectTensor(single(Tensor::from({float(i)})), {1}, {std::exp(i)}, 1e-6);
}

TEST(JitTest, ResultsThatAreArgumentsOrConstants) {
  Tensor held = counting({2}).parameter(false);
  Jit step([&](const Tensor &x) {
    held.assign(held + 1);
    return std::vector<Tensor>{x, held, Tensor::full({2}, 7.0f),
                               x.reshape({2, 1})};
  });
  for (int i = 0; i < 5; ++i) {
    const Tensor x = Tensor::from({float(i), 2.0f});
    const std::vector<Tensor> results = step(x);
    expectTensor(results[0], {2}, {double(i), 2});
    expectTensor(results[1], {2}, {i + 1.0, i + 2.0});
    expectTensor(results[2], {2}, {7, 7});
    expectTensor(results[3], {2, 1}, {double(i), 2});
    EXPECT_EQ(&results[0].impl(), &x.impl());
    EXPECT_EQ(&results[1].impl(), &held.impl());
  }
}

TEST(JitTest, ResultsKeepTheirValues) {
  Jit step([](const Tensor &x) { return std::pair(x + 1, (x * x).sum()); });
  std::vector<std::pair<Tensor, Tensor>> results;
  for (int i = 0; i < 6; ++i)
    results.push_back(step(Tensor::from({float(i), 1.0f})));
  for (int i = 0; i < 6; ++i) {
    expectTensor(results[std::size_t(i)].first, {2}, {i + 1.0, 2});
    expectTensor(results[std::size_t(i)].second, {}, {i * i + 1.0});
  }
}

//===----------------------------------------------------------------------===//
// Random numbers
//===----------------------------------------------------------------------===//

TEST(JitTest, RandomNumbersAdvance) {
  const auto sample = [](const Tensor &x) {
    const TrainingScope training;
    return std::vector<Tensor>{Tensor::rand({5}) + x, Tensor::randn({3}),
                               Tensor::randint({4}, 0, 1000), x.dropout(0.5)};
  };
  std::vector<std::vector<double>> plain, captured;
  const Tensor x = noiseTensor({5}).realize();
  for (bool isCaptured : {false, true}) {
    Tensor::manualSeed(42);
    Jit step(sample);
    for (int i = 0; i < 6; ++i) {
      if (i == 4)
        Tensor::manualSeed(7);
      if (i == 5)
        (void)Tensor::rand({11}); // between calls
      for (const Tensor &tensor : isCaptured ? step(x) : sample(x))
        (isCaptured ? captured : plain).push_back(values(tensor));
    }
    (isCaptured ? captured : plain).push_back(values(Tensor::rand({2})));
  }
  EXPECT_EQ(plain, captured);
  EXPECT_NE(plain[0], plain[4]);
}

TEST(JitTest, SeedsInside) {
  Jit step([] {
    const Tensor before = Tensor::rand({2});
    Tensor::manualSeed(3);
    return std::pair(before, Tensor::rand({2}));
  });
  Tensor::manualSeed(3);
  const std::vector<double> first = values(Tensor::rand({2}));
  const std::vector<double> second = values(Tensor::rand({2}));
  step();
  for (int i = 0; i < 4; ++i) {
    auto [before, after] = step();
    expectTensor(before, {2}, second);
    expectTensor(after, {2}, first);
  }
}

//===----------------------------------------------------------------------===//
// Symbolic sizes
//===----------------------------------------------------------------------===//

TEST(JitTest, VariablesHaveTheValuesOfArguments) {
  Variable n("jitRows", 1, 8);
  const Tensor data = counting({8, 2}).realize();
  Jit step([](const Tensor &x) { return std::pair(x.mean(), x * 2); });
  for (int64_t rows : {3, 5, 8, 1, 4}) {
    const Tensor x = data.shrink({{0, n.bind(rows)}, {0, 2}});
    const Work before;
    auto [mean, twice] = step(x);
    if (step.isCaptured() && rows < 5) {
      EXPECT_EQ(Work().compiled, before.compiled);
    }
    expectTensor(mean, {}, {double(rows) - 0.5});
    EXPECT_EQ(twice.concreteShape(), (std::vector<int64_t>{rows, 2}));
    EXPECT_EQ(twice.tolist<float>(), (x * 2).tolist<float>());
    EXPECT_EQ(twice.shape(), x.shape());
  }
  EXPECT_ERROR(step(counting({8, 2})), ShapeError,
               "jit: argument 0 has the shape [8, 2], but had [jitRows=5, 2] "
               "when the step was captured");
  EXPECT_ERROR(
      step(Tensor::ones({Variable("jitRows2", 1, 8).bind(2), 2})), ShapeError,
      "jit: argument 0 has the shape [jitRows2=2, 2], but had [jitRows=5, 2]");
}

TEST(JitTest, ConstantsHaveTheSizesOfArguments) {
  Variable n("jitConstant", 1, 8);
  const Tensor data = counting({8, 2}).cast(DType::Int32).realize();
  Jit step([](const Tensor &x) {
    const Tensor ones = x * 0 + 1; // folded
    return std::tuple(ones, ones + 2, x.sum());
  });
  for (int64_t rows : {3, 1, 5, 2, 8}) {
    auto [ones, threes, sum] = step(data.shrink({{0, n.bind(rows)}, {0, 2}}));
    EXPECT_EQ(ones.concreteShape(), (std::vector<int64_t>{rows, 2}));
    EXPECT_EQ(ones.tolist<int32_t>(), std::vector<int32_t>(rows * 2, 1));
    EXPECT_EQ(threes.tolist<int32_t>(), std::vector<int32_t>(rows * 2, 3));
    expectTensor((ones + threes).sum(), {}, {8.0 * double(rows)});
  }
}

TEST(JitTest, SizesAsArguments) {
  Variable position("jitPosition", 0, 7);
  Tensor cache = Tensor::zeros({8}).parameter();
  Jit step([&](const Tensor &x, const SymInt &at) {
    cache.shrink({{at, at + 1}}).assign(x);
    return cache.shrink({{0, at + 1}}).sum();
  });
  double sum = 0;
  for (int64_t i = 0; i < 8; ++i) {
    sum += double(i + 1);
    expectTensor(step(Tensor::from({float(i + 1)}), position.bind(i)), {},
                 {sum});
  }
  expectTensor(cache, {8}, {1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_ERROR(step(counting({1}), 3), ShapeError,
               "jit: argument 1 is 3, but was jitPosition=1 when the step was "
               "captured; bind a variable if it changes");
}

// Such a result needs no kernel: it is a part of other memory, at a place that
// each call computes.
TEST(JitTest, PartsAtPlacesOfArguments) {
  Variable n("jitPart", 0, 7), m("jitPartOf", 1, 8);
  Tensor table = counting({8, 2}).realize().parameter(false);
  Jit step([&](const SymInt &at) {
    Tensor row = table.shrink({{at, at + 1}, {0, 2}}).realize();
    Tensor before = row + 0, twice = row * 2;
    table.assign(table + 1);
    return std::tuple(before, twice, table.index({at, 1}));
  });
  std::vector<std::pair<Tensor, std::vector<double>>> kept;
  double added = 0;
  for (int64_t i : {3, 5, 0, 7, 2, 5}) {
    auto [before, twice, now] = step(n.bind(i));
    const double first = 2.0 * double(i) + added;
    kept.emplace_back(before, std::vector<double>{first, first + 1});
    kept.emplace_back(twice, std::vector<double>{2 * first, 2 * first + 2});
    expectTensor(now, {}, {first + 2});
    ++added;
  }
  for (const auto &[tensor, expected] : kept)
    EXPECT_EQ(values(tensor), expected);

  Jit last([](const Tensor &x) {
    const SymInt rows = x.shape()[0];
    const Tensor twice = x * 2;
    return std::tuple(x.shrink({{rows - 1, rows}, {0, 2}}), twice.realize(),
                      twice.shrink({{rows - 1, rows}, {0, 2}}));
  });
  const Tensor data = counting({8, 2}).realize();
  for (int64_t rows : {3, 7, 1, 5}) {
    auto [x, twice, y] = last(data.shrink({{0, m.bind(rows)}, {0, 2}}));
    const double first = 2.0 * double(rows - 1);
    expectTensor(x, {1, 2}, {first, first + 1});
    expectTensor(y, {1, 2}, {2 * first, 2 * first + 2});
    EXPECT_EQ(twice.concreteShape(), (std::vector<int64_t>{rows, 2}));
  }
}

TEST(JitTest, VariablesMustAgree) {
  Variable n("jitAgree", 1, 4);
  Jit step([](const Tensor &x, const Tensor &y) { return x.sum() + y.sum(); });
  auto ones = [&](int64_t rows) { return Tensor::ones({n.bind(rows)}); };
  for (int64_t rows : {2, 3, 4})
    expectTensor(step(ones(rows), ones(rows)), {}, {2.0 * rows});
  EXPECT_ERROR(step(ones(2), ones(3)), ShapeError,
               "jit: variable jitAgree is bound to 2 in one argument and to 3 "
               "in argument 1");
}

} // namespace
