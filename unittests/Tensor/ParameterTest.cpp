//===- ParameterTest.cpp - identity of tensors and parameters -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Equal tensors that are assigned to, parameters, and the number of programs.
///
//===----------------------------------------------------------------------===//

#include "TensorTest.h"
#include "TinyGrad/Runtime/Counters.h"
#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/Runtime/Environment.h"
#include "TinyGrad/Tensor/External.h"

using namespace tinygrad;
using namespace tinygrad::testing;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {
/// Each test has a graph of its own.
class ParameterTest : public ::testing::Test {
protected:
  ParameterTest() { GlobalCounters::reset(); }

  Graph graph;
  GraphScope scope{graph};
};

struct Creation {
  const char *name;
  Tensor (*make)();
};

const Creation kCreations[] = {
    {"zeros", [] { return Tensor::zeros({4}); }},
    {"ones", [] { return Tensor::ones({4}); }},
    {"full", [] { return Tensor::full({4}, 2.5f); }},
    {"arange", [] { return Tensor::arange(4, DType::Float32); }},
    {"computed", [] { return Tensor::arange(4, DType::Float32).exp(); }},
    {"contiguous", [] { return Tensor::ones({4}).contiguous(); }},
    {"from", [] { return Tensor::from({1.0f, 2.0f, 3.0f, 4.0f}); }},
    {"rand",
     [] {
       Tensor::manualSeed(1);
       return Tensor::rand({4});
     }},
};
} // namespace

//===----------------------------------------------------------------------===//
// Equal tensors
//===----------------------------------------------------------------------===//

TEST_F(ParameterTest, EqualTensorsAreAssignedToApart) {
  for (const Creation &creation : kCreations)
    for (bool isParameter : {false, true})
      for (bool isRealized : {false, true}) {
        SCOPED_TRACE(creation.name);
        auto make = [&] {
          Tensor x =
              isParameter ? creation.make().parameter(false) : creation.make();
          return isRealized ? x.realize() : x;
        };
        Tensor a = make(), b = make(), view = b.shrink({{0, 2}});
        const std::vector<double> first = values(creation.make());
        a.assign(a + 1);
        if (isRealized)
          a.realize();
        EXPECT_EQ(values(b), first);
        view.assign(7);
        expectTensor(a, {4},
                     {first[0] + 1, first[1] + 1, first[2] + 1, first[3] + 1},
                     1e-6);
        expectTensor(b, {4}, {7, 7, first[2], first[3]});
        // The same assignment to both.
        a.assign(0);
        b.assign(0);
        realize({a, b});
        a.shrink({{1, 2}}).assign(5);
        expectTensor(a, {4}, {0, 5, 0, 0});
        expectTensor(b, {4}, {0, 0, 0, 0});
      }
}

TEST_F(ParameterTest, ConstantsThatAreReadAreOne) {
  Tensor x = Tensor::from({1.0f, 2.0f}).realize();
  Tensor a = Tensor::ones({2}), b = Tensor::ones({2});
  EXPECT_EQ(graph.numOperations(), 2u);
  // Multiplications by constant ones fold, those by parameters do not.
  EXPECT_THAT((x * a * b).graph(), Not(HasSubstr("tg.mul")));
  EXPECT_THAT((x * a.parameter()).graph(), HasSubstr("tg.mul"));
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

TEST_F(ParameterTest, EqualParametersAreTwo) {
  Tensor x = Tensor::from({1.0f, 2.0f}).realize();
  Tensor a = Tensor::zeros({2}).parameter(), b = Tensor::zeros({2}).parameter();
  Tensor y = x * a + x * b;
  const std::string text = y.graph();
  EXPECT_THAT(text, HasSubstr("%arg2"));
  EXPECT_FALSE(a.isRealized());
  EXPECT_EQ(GlobalCounters::kernelCount, 0);
  expectTensor(y, {2}, {0, 0});
  EXPECT_TRUE(a.isRealized());
  EXPECT_EQ(GlobalCounters::kernelCount, 1);
  // The graph's text does not change when the parameter gets memory.
  EXPECT_EQ((x * a + x * b).graph(), text);
  EXPECT_NE(a.buffer().address(), b.buffer().address());
}

TEST_F(ParameterTest, ParametersTakeMemoryOfTheirOwn) {
  Tensor x = Tensor::from({1.0f, 2.0f, 3.0f}).realize();
  Tensor whole = x.parameter(), part = x.shrink({{1, 3}}).parameter(),
         again = whole.parameter(), copy = whole.clone().parameter();
  realize({whole, part, again, copy});
  for (const Tensor &other : {part, again, copy, x})
    EXPECT_FALSE(whole.buffer().sharesMemoryWith(other.buffer()));
  EXPECT_FALSE(part.buffer().sharesMemoryWith(x.buffer()));
  whole.assign(0).realize();
  part.assign(9).realize();
  expectTensor(x, {3}, {1, 2, 3});
  expectTensor(again, {3}, {1, 2, 3});
  expectTensor(copy, {3}, {1, 2, 3});
  expectTensor(part, {2}, {9, 9});
  // No other tensor refers to this one.
  Tensor alone = Tensor::from({1.0f, 2.0f});
  const void *address = alone.buffer().address();
  alone = alone.parameter();
  EXPECT_EQ(alone.buffer().address(), address);
}

TEST_F(ParameterTest, FirstValuesAreThoseOfTheCall) {
  Tensor x = Tensor::from({1.0f, 2.0f}), p = x.parameter(false),
         q = p.parameter(false);
  x.assign(5).realize();
  p.assign(p + 1);
  expectTensor(p, {2}, {2, 3});
  expectTensor(q, {2}, {1, 2});
  expectTensor(x, {2}, {5, 5});
  // Overwritten before it was read.
  Tensor r = Tensor::randn({2}).parameter(false);
  const int64_t kernels = GlobalCounters::kernelCount;
  r.assign(Tensor::from({3.0f, 4.0f})).realize();
  expectTensor(r, {2}, {3, 4});
  EXPECT_LE(GlobalCounters::kernelCount, kernels + 1);
  // Partly overwritten.
  Tensor s = Tensor::ones({3}).parameter(false);
  s[1] = 4;
  expectTensor(s, {3}, {1, 4, 1});
}

TEST_F(ParameterTest, AssignedInPlaceFromTheFirstStep) {
  Tensor p = Tensor::ones({4}).parameter(false), view = p.shrink({{0, 2}});
  const void *address = nullptr;
  for (int i = 0; i < 5; ++i) {
    p.assign(p * 2);
    p.realize();
    if (i == 0)
      address = p.buffer().address();
    EXPECT_EQ(p.buffer().address(), address);
    EXPECT_EQ(graph.numPrograms(), 1u);
  }
  expectTensor(view, {2}, {32, 32});
}

TEST_F(ParameterTest, ChainsOfParameters) {
  Tensor p = Tensor::ones({2}).parameter();
  for (int i = 0; i < 3000; ++i)
    p = (p + 1).parameter();
  expectTensor(p, {2}, {3001, 3001});
  EXPECT_EQ(graph.numOperations(), 1u);
}

TEST_F(ParameterTest, OneProgramForTheBeginning) {
  std::vector<Tensor> parameters;
  for (int i = 0; i < 20; ++i)
    parameters.push_back(Tensor::randn({8, 8}).parameter());
  Tensor y = Tensor::ones({8}).contiguous();
  for (const Tensor &p : parameters)
    y = y.matmul(p);
  y.realize();
  for (const Tensor &p : parameters)
    EXPECT_TRUE(p.isRealized());
  EXPECT_EQ(graph.numPrograms(), 2u);
}

TEST_F(ParameterTest, ParametersDieWithTheirTensors) {
  {
    Tensor p = (Tensor::from({1.0f}) + 1).parameter(), view = p.reshape({1, 1});
    p = Tensor();
    expectTensor(view * 2, {1, 1}, {4});
    Tensor q = view.exp().parameter();
    view = Tensor();
    EXPECT_GE(graph.numOperations(), 3u);
  }
  EXPECT_EQ(graph.numOperations(), 0u);
}

TEST_F(ParameterTest, EqualNetworksAreOneProgram) {
  Tensor x = noiseTensor({3, 4}).realize();
  auto step = [&](bool isShared) {
    Tensor w = Tensor::ones({4, 4}).parameter(false),
           a = Tensor::zeros({4}).parameter(false),
           b = isShared ? a : Tensor::zeros({4}).parameter(false);
    Tensor y = (x.matmul(w) + a).relu().matmul(w) + b;
    a.assign(a + y.sum(0));
    if (!isShared)
      b.assign(b + y.sum(0));
    realize({y, a, b});
    const std::vector<double> result = values(a);
    // The next step uses the same program.
    y = (x.matmul(w) + a).relu().matmul(w) + b;
    a.assign(a + y.sum(0));
    if (!isShared)
      b.assign(b + y.sum(0));
    realize({y, a, b});
    return result;
  };
  const std::vector<double> first = step(false);
  const std::size_t programs = graph.numPrograms();
  EXPECT_EQ(programs, 1u);
  EXPECT_EQ(step(false), first);
  EXPECT_EQ(graph.numPrograms(), programs);
  // A parameter used twice needs another program.
  step(true);
  EXPECT_EQ(graph.numPrograms(), programs + 1);
}

TEST_F(ParameterTest, KindsOfFirstValues) {
  for (DType dtype : {DType::Bool, DType::Int8, DType::UInt64, DType::BFloat16,
                      DType::Float8E4M3, DType::Float64}) {
    Tensor p = Tensor::ones({2, 2}, dtype).parameter();
    EXPECT_EQ(p.dtype(), dtype);
    expectTensor(p.toFloat() + 1, {2, 2}, {2, 2, 2, 2});
  }
  expectTensor(Tensor::zeros({0, 3}).parameter() + 1, {0, 3}, {});
  expectTensor(Tensor(3.0).parameter(), {}, {3});
  const SymInt n = Variable("n", 1, 8).bind(3), m = Variable("n", 1, 8).bind(4);
  Tensor x = counting({8}).realize(), p = (x.shrink({{0, n}}) * 2).parameter(),
         q = (x.shrink({{0, m}}) * 2).parameter();
  // Two values of one variable cannot be in one program.
  realize({p, q});
  EXPECT_EQ((p.sum() * 1).item<float>(), 6);
  EXPECT_EQ((q.sum() * 1).item<float>(), 12);
  Tensor unbound = (x.shrink({{0, Variable("k", 1, 8)}}) * 2).parameter();
  EXPECT_ERROR(unbound.sum().item<float>(), ShapeError, "k");
}

TEST_F(ParameterTest, OnOtherDevices) {
  Tensor there = Tensor::ones({2}, "NULL").parameter();
  EXPECT_EQ(there.device(), "NULL");
  Tensor here = Tensor::from({1.0f, 2.0f}).parameter();
  expectTensor(here + (there * 2).to(here.device()), {2}, {1, 2});
  Tensor moved = there.to(here.device()).parameter();
  expectTensor(moved + here, {2}, {1, 2});
  EXPECT_TRUE(there.isRealized());
}

TEST_F(ParameterTest, StridedMemoryOfParameters) {
  const Context cpu({{"DEV", "CPU"}}); // whose memory the host reads
  Tensor p = counting({2, 3}).parameter();
  StridedView view = toStrided(p.transpose(0, 1));
  EXPECT_EQ(view.shape, (std::vector<int64_t>{3, 2}));
  EXPECT_EQ(view.strides, (std::vector<int64_t>{1, 3}));
  EXPECT_EQ(view.buffer.address(), p.buffer().address());
  expectTensor(p, {2, 3}, {0, 1, 2, 3, 4, 5});
}

TEST_F(ParameterTest, NewNumbersKeepParameters) {
  // Enough operations that the graph moves to a new context.
  Tensor p = (Tensor::from({1.0f, 2.0f}) * 3).parameter();
  for (int i = 0; i < 20000; ++i)
    Tensor::full({2}, double(i)) + p;
  Tensor::from({1.0f}).realize();
  expectTensor(p, {2}, {3, 6});
}
