//===- GraphTest.cpp - graphs, realization, assignment --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Laziness, unique operations, caches, realization, assignment, devices.
///
//===----------------------------------------------------------------------===//

#include "TensorTest.h"
#include "TinyGrad/Runtime/Counters.h"
#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/Runtime/Environment.h"

#include <ctime>
#include <thread>

using namespace tinygrad;
using namespace tinygrad::testing;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {
/// Each test has a graph of its own.
class GraphTest : public ::testing::Test {
protected:
  GraphTest() { GlobalCounters::reset(); }

  Graph graph;
  GraphScope scope{graph};
};
} // namespace

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

TEST_F(GraphTest, BuildingDoesNoWork) {
  Tensor x = Tensor::ones({1 << 20}).contiguous();
  Tensor y = (x.exp() * 2).sum();
  EXPECT_FALSE(y.isRealized());
  EXPECT_EQ(GlobalCounters::kernelCount, 0);
  EXPECT_EQ(GlobalCounters::kernelsCompiled, 0);
  EXPECT_EQ(graph.numPrograms(), 0u);
  y.realize();
  EXPECT_TRUE(y.isRealized());
  EXPECT_GT(GlobalCounters::kernelCount, 0);
}

TEST_F(GraphTest, EqualOperationsAreOne) {
  Tensor x = Tensor::from({1.0f, 2.0f});
  Tensor a = x.exp() + 1;
  const std::size_t count = graph.numOperations();
  Tensor b = x.exp() + 1;
  EXPECT_EQ(graph.numOperations(), count);
  Tensor c = x.exp() + 2;
  EXPECT_GT(graph.numOperations(), count);
}

TEST_F(GraphTest, OperationsDieWithTheirUsers) {
  {
    Tensor x = Tensor::from({1.0f, 2.0f});
    Tensor y = x;
    for (int i = 0; i < 100; ++i)
      y = (y * 3).sin();
    EXPECT_GE(graph.numOperations(), 200u);
    Tensor z = y + x;
    y = Tensor();
    x = Tensor();
    EXPECT_GE(graph.numOperations(), 200u);
  }
  EXPECT_EQ(graph.numOperations(), 0u);
}

TEST_F(GraphTest, ConvolutionsLeaveNothingBehind) {
  Tensor x = Tensor::ones({2, 4, 9, 9}).contiguous().realize(),
         w = Tensor::ones({6, 2, 3, 3}).contiguous().realize();
  const std::size_t count = graph.numOperations();
  // Some steps fold, to an earlier operation or to a simpler one.
  for (const Conv2dOptions &options :
       {Conv2dOptions{.groups = 2},
        Conv2dOptions{.groups = 2, .stride = 2, .padding = 1},
        Conv2dOptions{.groups = 2, .stride = 9, .dilation = 4}}) {
    EXPECT_GT((x.conv2d(w, {}, options), graph.numOperations()), count);
    EXPECT_EQ(graph.numOperations(), count);
  }
  x.maxPool2d({1, 1});
  x.avgPool2d({3, 3}, {.stride = 1});
  EXPECT_EQ(graph.numOperations(), count);
}

TEST_F(GraphTest, ConvolutionsAreNoViews) {
  Tensor x = Tensor::ones({1, 1, 2, 2}).contiguous().realize(),
         w = Tensor::ones({1, 1, 1, 1}).contiguous().realize();
  Tensor y = x.conv2d(w), pooled = x.maxPool2d({1, 1});
  x.assign(Tensor::zeros({1, 1, 2, 2}));
  expectTensor(y, {1, 1, 2, 2}, {1, 1, 1, 1});
  expectTensor(pooled, {1, 1, 2, 2}, {1, 1, 1, 1});
  pooled.assign(Tensor::full({1, 1, 2, 2}, 3.0f));
  expectTensor(x, {1, 1, 2, 2}, {0, 0, 0, 0});
}

TEST_F(GraphTest, OperationsDieWhenRealized) {
  Tensor x = Tensor::from({1.0f, 2.0f});
  Tensor y = x;
  for (int i = 0; i < 20; ++i)
    y = (y * 0.5).sin();
  y.realize();
  EXPECT_EQ(graph.numOperations(), 2u);
  const int64_t used = GlobalCounters::memUsed;
  x = Tensor();
  EXPECT_LT(GlobalCounters::memUsed, used);
}

TEST_F(GraphTest, GraphLivesAsLongAsItsTensors) {
  Tensor outside;
  {
    Graph inner;
    GraphScope innerScope(inner);
    outside = Tensor::from({1.0f}) + 1;
  }
  expectTensor(outside * 2, {1}, {4});
}

TEST_F(GraphTest, DeepGraphs) {
  // Deeper than the stack permits for recursion over operations.
  Tensor x = Tensor::from({1.0f});
  Tensor y = x;
  for (int i = 0; i < 100000; ++i)
    y = i % 2 ? y.sqrt() : y + 1;
  EXPECT_GE(graph.numOperations(), 100000u);
  y = Tensor();
  EXPECT_EQ(graph.numOperations(), 1u);
}

TEST_F(GraphTest, TimePerOperationDoesNotGrow) {
  // CPU time, since the machine may be busy.
  auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
  };
  auto perOperation = [&](int count) {
    double best = 1e9;
    for (int repeat = 0; repeat < 3; ++repeat) {
      const double begin = now();
      Tensor y = Tensor::from({1.0f});
      for (int i = 0; i < count; ++i)
        y = i % 2 ? y.sqrt() : y + 1;
      best = std::min(best, (now() - begin) / count);
    }
    return best;
  };
  const double small = perOperation(1000), large = perOperation(64000);
  EXPECT_LT(large, 5 * small);
}

//===----------------------------------------------------------------------===//
// Caches
//===----------------------------------------------------------------------===//

TEST_F(GraphTest, EqualGraphsCompileOnce) {
  auto compute = [](float start) {
    Tensor x = Tensor::from({start, start + 1, start + 2});
    return (x.exp() / x.exp().sum()).tolist<float>();
  };
  compute(0);
  const int64_t compiled = GlobalCounters::kernelsCompiled;
  EXPECT_EQ(GlobalCounters::scheduleCacheHits, 0);
  EXPECT_EQ(graph.numPrograms(), 1u);
  std::vector<float> second = compute(0.5f);
  EXPECT_EQ(GlobalCounters::kernelsCompiled, compiled);
  EXPECT_EQ(GlobalCounters::scheduleCacheHits, 1);
  EXPECT_EQ(graph.numPrograms(), 1u);
  EXPECT_NEAR(second[2], 0.66524f, 1e-5);
}

TEST_F(GraphTest, OtherGraphsAreOtherPrograms) {
  Tensor x = Tensor::from({1.0f, 2.0f}), y = Tensor::from({3.0f, 5.0f});
  expectTensor(x - y, {2}, {-2, -3});
  // The same up to the order of the operands.
  expectTensor(y - x, {2}, {2, 3});
  // With equal buffers, the program for two different ones is not used.
  expectTensor(x - x, {2}, {0, 0});
  // Other constants and other shapes.
  expectTensor(x + 1, {2}, {2, 3});
  expectTensor(x + 2, {2}, {3, 4});
  expectTensor(Tensor::from({1.0f}) + 2, {1}, {3});
}

TEST_F(GraphTest, EqualKernelsOfDifferentGraphsCompileOnce) {
  Context memoryOnly({{"CACHELEVEL", 1}});
  Tensor x = Tensor::from({1.0f, 2.0f, 3.0f, 4.0f, 5.0f});
  (x * 3 + 7).realize();
  const int64_t compiled = GlobalCounters::kernelsCompiled;
  {
    Graph other;
    GraphScope otherScope(other);
    Tensor y = Tensor::from({1.0f, 2.0f, 3.0f, 4.0f, 5.0f});
    expectTensor(y * 3 + 7, {5}, {10, 13, 16, 19, 22});
  }
  EXPECT_EQ(GlobalCounters::kernelsCompiled, compiled);
}

TEST_F(GraphTest, SettingsHoldForAllThreadsOfACompilation) {
  Context noCache({{"CACHELEVEL", 0}});
  std::vector<Tensor> results;
  for (int64_t size = 1; size <= 8; ++size)
    results.push_back(noiseTensor({size}) * 3);
  realize(results);
  const int64_t kernels = GlobalCounters::kernelCount;
  EXPECT_GE(kernels, 8);
  EXPECT_EQ(GlobalCounters::kernelsCompiled, kernels);
  graph.clearPrograms();
  for (Tensor &result : results)
    result = noiseTensor(result.shape()) * 3;
  realize(results);
  EXPECT_EQ(GlobalCounters::kernelsCompiled, 2 * kernels);
  EXPECT_EQ(GlobalCounters::diskCacheHits, 0);
}

TEST_F(GraphTest, ClearPrograms) {
  Tensor x = Tensor::from({1.0f});
  (x + 1).realize();
  EXPECT_EQ(graph.numPrograms(), 1u);
  graph.clearPrograms();
  EXPECT_EQ(graph.numPrograms(), 0u);
  expectTensor(x + 1, {1}, {2});
}

TEST_F(GraphTest, SettingsOfTheEnvironment) {
  Tensor x = noiseTensor({37, 5});
  std::vector<double> expected = values(x.softmax());
  {
    Context plain({{"NOOPT", 1}, {"SPEC", 1}});
    expectTensor(x.softmax(), {37, 5}, expected, 1e-6);
  }
  EXPECT_EQ(graph.numPrograms(), 2u);
}

//===----------------------------------------------------------------------===//
// Realization
//===----------------------------------------------------------------------===//

TEST_F(GraphTest, KeepsProductsThatWereStoredAnyway) {
  Tensor a = noiseTensor({40, 30}).realize(),
         b = noiseTensor({30, 50}).realize();
  Tensor m = a.matmul(b), scaled = m * 2;
  const float sum = m.sum().item<float>();
  const int64_t kernels = GlobalCounters::kernelCount;
  EXPECT_LE(kernels, 2);
  EXPECT_TRUE(m.isRealized());
  // The product is not computed again, and has the same values.
  EXPECT_EQ(m.sum().item<float>(), sum);
  EXPECT_EQ(GlobalCounters::kernelCount, kernels + 1);
  expectTensor(scaled, {40, 50}, values(a.matmul(b) * 2));
}

TEST_F(GraphTest, KeepsConvolutions) {
  Tensor x = noiseTensor({1, 3, 12, 13}).realize();
  for (int64_t channels : {1, 4})
    for (int64_t stride : {1, 2}) {
      Tensor w = noiseTensor({channels, 3, 3, 3}).realize();
      Tensor y = x.conv2d(w, {.stride = stride, .padding = 1});
      y.sum().realize();
      EXPECT_TRUE(y.isRealized()) << channels << " " << stride;
    }
}

TEST_F(GraphTest, KeepsNothingElse) {
  Tensor a = noiseTensor({40, 30}).realize(),
         b = noiseTensor({30, 50}).realize();
  {
    // Fused into the kernel that reads it.
    Tensor m = a.matmul(b);
    (m + 1).realize();
    EXPECT_FALSE(m.isRealized());
  }
  {
    Tensor elementwise = a * 3, rows = a.sum(1, true), p = a.softmax();
    (elementwise - rows).sum().realize();
    p.sum(0).realize();
    EXPECT_FALSE(elementwise.isRealized());
    EXPECT_FALSE(rows.isRealized());
    EXPECT_FALSE(p.isRealized());
  }
  {
    // Much larger than its operands.
    Tensor column = noiseTensor({2048, 2}).realize();
    Tensor m = column.matmul(column.transpose(0, 1) * 2);
    m.max().realize();
    EXPECT_FALSE(m.isRealized());
  }
  {
    const std::size_t count = graph.numOperations();
    a.matmul(b).sum().realize();
    EXPECT_EQ(graph.numOperations(), count);
  }
}

TEST_F(GraphTest, RealizesSeveralAtOnce) {
  Tensor x = noiseTensor({1000});
  Tensor a = x.exp(), b = a.sum(), c = x * 2, constant = Tensor::ones({3});
  realize({a, b, c, x, constant, a});
  EXPECT_EQ(graph.numPrograms(), 1u);
  for (const Tensor &tensor : {a, b, c, x})
    EXPECT_TRUE(tensor.isRealized());
  realize({a, b});
  realize({});
  EXPECT_EQ(graph.numPrograms(), 1u);
  double sum = 0;
  for (double value : values(a))
    sum += value;
  EXPECT_NEAR(b.item<float>(), sum, 1e-2);
}

TEST_F(GraphTest, LaterGraphsStartFromRealizedValues) {
  Tensor x = Tensor::from({1.0f, 4.0f});
  Tensor y = x.sqrt();
  Tensor z = y + 1;
  y.realize();
  EXPECT_THAT(z.graph(), Not(HasSubstr("sqrt")));
  expectTensor(z, {2}, {2, 3});
}

TEST_F(GraphTest, ContiguousViewsTakeNoKernel) {
  Tensor x = Tensor::from({1.0f, 2.0f, 3.0f, 4.0f}).realize();
  const void *address = x.buffer().address();
  EXPECT_EQ(x.reshape({2, 2}).contiguous().buffer().address(), address);
  Tensor row = x.reshape({2, 2})[1].contiguous();
  expectTensor(row, {2}, {3, 4});
  EXPECT_EQ(GlobalCounters::kernelCount, 0);
}

TEST_F(GraphTest, ConstantsTakeNoKernel) {
  expectTensor(Tensor::full({2, 2}, 3), {2, 2}, {3, 3, 3, 3});
  EXPECT_EQ(Tensor(2.5).item<float>(), 2.5f);
  expectTensor((Tensor::ones({3}) * 4).reshape({3, 1}), {3, 1}, {4, 4, 4});
  expectTensor(Tensor::zeros({0, 2}).exp(), {0, 2}, {});
  EXPECT_EQ(GlobalCounters::kernelCount, 0);
}

TEST_F(GraphTest, TextOfTheGraph) {
  Tensor x = Tensor::from({{1.0f, 2.0f}});
  const std::string text = (x.sum(1) * 3).graph();
  EXPECT_THAT(text, HasSubstr("func.func @main(%arg0: tensor<1x2xf32>)"));
  EXPECT_THAT(text, HasSubstr("tg.reduce add"));
  EXPECT_THAT(graph.str(), HasSubstr("tg.buffer"));
}

//===----------------------------------------------------------------------===//
// Assignment
//===----------------------------------------------------------------------===//

TEST_F(GraphTest, AssignInPlace) {
  Tensor x = Tensor::from({1.0f, 2.0f});
  const void *address = x.buffer().address();
  x.assign(x * 10);
  EXPECT_FALSE(x.isRealized());
  expectTensor(x, {2}, {10, 20});
  EXPECT_EQ(x.buffer().address(), address);
  x.assign(0);
  expectTensor(x, {2}, {0, 0});
}

TEST_F(GraphTest, AssignShowsInCopiesOfTheHandle) {
  Tensor x = Tensor::from({1.0f, 2.0f}), same = x;
  x.assign(x + 1);
  expectTensor(same, {2}, {2, 3});
}

TEST_F(GraphTest, AssignLeavesOldValuesAlone) {
  Tensor x = Tensor::from({1.0f, 2.0f});
  Tensor old = x + 100, copy = x.clone(), view = x.reshape({2, 1});
  TensorData<float> seen = x.data<float>();
  x.assign(x * 10).realize();
  expectTensor(x, {2}, {10, 20});
  expectTensor(old, {2}, {101, 102});
  expectTensor(copy, {2}, {1, 2});
  expectTensor(view, {2, 1}, {10, 20});
  EXPECT_EQ(seen[1], 2);
}

TEST_F(GraphTest, AssignKeepsWhatIsComputedLater) {
  // All of these are computed after the assignment, but from the old contents.
  Tensor x = Tensor::from({1.0f, 2.0f}), twice = x * 2, more = twice + 1;
  x.assign(twice);
  expectTensor(x, {2}, {2, 4});
  expectTensor(more, {2}, {3, 5});
  expectTensor(twice, {2}, {2, 4});
  Tensor flipped = x.flip(0);
  x.assign(flipped + 10);
  expectTensor(x, {2}, {14, 12});
  expectTensor(flipped, {2}, {12, 14});
  // A training step of which only the parameter is requested at first.
  Tensor w = Tensor::from({3.0f, 3.0f}), error = (w * 2).sum() - 2;
  Tensor loss = error * error;
  w.assign(w - error);
  expectTensor(w, {2}, {-7, -7});
  expectTensor(loss, {}, {100});
}

TEST_F(GraphTest, AssignKeepsWhatOtherAssignmentsNeed) {
  // The second assignment needs the old contents of the first one's target.
  Tensor p = Tensor::from({10.0f}), m = Tensor::from({1.0f});
  Tensor next = m * 0.5 + p * 0.5;
  m.assign(next);
  p.assign(p - next);
  next = Tensor();
  expectTensor(m, {1}, {5.5});
  expectTensor(p, {1}, {4.5});
  // Realized together, both are done in place.
  const void *addresses[] = {m.buffer().address(), p.buffer().address()};
  next = m * 0.5 + p;
  m.assign(next);
  p.assign(p - next);
  next = Tensor();
  realize({p, m});
  expectTensor(m, {1}, {7.25});
  expectTensor(p, {1}, {-2.75});
  EXPECT_EQ(m.buffer().address(), addresses[0]);
  EXPECT_EQ(p.buffer().address(), addresses[1]);
}

TEST_F(GraphTest, AssignDoesNotShowInOtherTensors) {
  // Methods that compute return independent tensors, even if nothing changes.
  Tensor x = Tensor::from({1.0f, 2.0f});
  const Tensor others[] = {
      x.expand({2}),  x.roll(2, 0),    x.to("CPU"),     x.cast(DType::Float32),
      x.contiguous(), x.pad({{0, 0}}), Tensor::cat({x})};
  x.assign(x + 10).realize();
  for (const Tensor &other : others)
    expectTensor(other, {2}, {1, 2});
  // Movement methods return views.
  const Tensor views[] = {x.reshape({2}), x.index({Slice()}), x.permute({0}),
                          x.flip(Axes(std::vector<int64_t>{})), x.squeeze(0)};
  x.assign(x + 10).realize();
  for (const Tensor &view : views)
    expectTensor(view, {2}, {21, 22});
  Tensor whole = Tensor::from({1, 2}), rounded = whole.floor();
  whole.assign(0);
  expectTensor(rounded, {2}, {1, 2});
}

TEST_F(GraphTest, AssignAndReadInOneRealization) {
  Tensor x = Tensor::from({1.0f, 2.0f, 3.0f});
  Tensor before = x * 2;
  x.assign(x.flip(0));
  Tensor after = x + 1;
  realize({after, before, x});
  expectTensor(before, {3}, {2, 4, 6});
  expectTensor(x, {3}, {3, 2, 1});
  expectTensor(after, {3}, {4, 3, 2});
}

TEST_F(GraphTest, AssignIsDoneOnce) {
  Tensor x = Tensor::from({1.0f});
  x.assign(x + 1);
  Tensor y = x * 10;
  expectTensor(y, {1}, {20});
  expectTensor(y, {1}, {20});
  expectTensor(x, {1}, {2});
  expectTensor(x * 10, {1}, {20});
}

TEST_F(GraphTest, AssignNeedsOldAndNew) {
  // The sum needs old and new contents, so both must exist.
  Tensor x = Tensor::from({1.0f, 2.0f}), old = x * 1.5;
  x.assign(x + 10);
  Tensor both = old + x;
  expectTensor(both, {2}, {12.5, 15});
  expectTensor(x, {2}, {11, 12});
  Tensor y = Tensor::from({5.0f}), z = y.detach();
  y.assign(y + 1);
  expectTensor(z * y, {1}, {30});
  expectTensor(y, {1}, {6});
}

TEST_F(GraphTest, AssignTwice) {
  Tensor x = Tensor::from({1.0f, 2.0f});
  x.assign(x + 1);
  x.assign(x * 10);
  Tensor y = x + 0.5;
  x.assign(x + 1);
  realize({x, y});
  expectTensor(x, {2}, {21, 31});
  expectTensor(y, {2}, {20.5, 30.5});
}

TEST_F(GraphTest, AssignTensors) {
  Tensor a = Tensor::from({1.0f, 2.0f}), b = Tensor::from({3.0f, 4.0f});
  // Swaps two tensors by means of a copy of one.
  Tensor oldA = a.clone();
  a.assign(b);
  b.assign(oldA);
  realize({a, b});
  expectTensor(a, {2}, {3, 4});
  expectTensor(b, {2}, {1, 2});
  // Through the old contents in another order, in place.
  const void *addresses[] = {a.buffer().address(), b.buffer().address()};
  Tensor old = a.flip(0).detach();
  a.assign(b);
  b.assign(old);
  old = Tensor();
  realize({a, b});
  expectTensor(a, {2}, {1, 2});
  expectTensor(b, {2}, {4, 3});
  EXPECT_EQ(a.buffer().address(), addresses[0]);
  EXPECT_EQ(b.buffer().address(), addresses[1]);
  a.assign(Tensor(7.0));
  expectTensor(a, {2}, {7, 7});
  expectTensor(b, {2}, {4, 3});
  Tensor unrealized = a * 2;
  unrealized.assign(b);
  expectTensor(unrealized, {2}, {4, 3});
  expectTensor(a, {2}, {7, 7});
}

TEST_F(GraphTest, ManyStepsInPlace) {
  Tensor x = Tensor::zeros({4}).contiguous().realize();
  const void *address = x.buffer().address();
  for (int i = 0; i < 20; ++i) {
    x.assign(x + 1);
    x.realize();
    EXPECT_EQ(x.buffer().address(), address);
  }
  expectTensor(x, {4}, {20, 20, 20, 20});
  EXPECT_EQ(graph.numPrograms(), 2u);
}

TEST_F(GraphTest, AssignErrors) {
  Tensor x = Tensor::from({1.0f, 2.0f});
  EXPECT_ERROR(x.assign(Tensor::from({1, 2})), DTypeError, "int32");
  EXPECT_ERROR(x.assign(counting({3})), ShapeError, "[3]");
  EXPECT_ERROR(x.assign(Tensor::ones({2}, "NULL")), DeviceError, "NULL");
  expectTensor(x, {2}, {1, 2});
}

TEST_F(GraphTest, Replace) {
  Tensor x = Tensor::from({1.0f, 2.0f}), same = x;
  x.replace(Tensor::from({{1, 2, 3}}));
  EXPECT_EQ(same.dtype(), DType::Int32);
  expectTensor(same, {1, 3}, {1, 2, 3});
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

TEST_F(GraphTest, Devices) {
  Tensor x = Tensor::from({1.0f, 2.0f}, "CPU");
  EXPECT_EQ(x.device(), "CPU");
  EXPECT_EQ((x + 1).device(), "CPU");
  Tensor there = (x + 1).to("null");
  EXPECT_EQ(there.device(), "NULL");
  Tensor result = (there * 2).sum(0, true);
  EXPECT_EQ(result.device(), "NULL");
  result.realize();
  EXPECT_TRUE(result.isRealized());
  Tensor back = (there + 1).to("CPU") + x;
  EXPECT_EQ(back.shape(), (Shape{2}));
  // The null device computes nothing and returns zeros.
  expectTensor(back, {2}, {1, 2});
  EXPECT_EQ(x.to("CPU").device(), "CPU");
  expectTensor(Tensor(3.0, "NULL").to("CPU"), {}, {3});
  expectTensor(Tensor::arange(3, "NULL").to("CPU") * 1, {3}, {0, 1, 2});
  EXPECT_ERROR(x.to("QPU:1"), DeviceError, "QPU");
}

TEST_F(GraphTest, ProgramsAcrossDevices) {
  // The host cannot use the memory of SIM, so that all three ways of copying
  // are taken.
  Tensor x = Tensor::from({1.0f, 2.0f, 3.0f}, "CPU");
  Tensor there = (x.to("SIM") * 2).to("SIM:1") + Tensor(1.0, "SIM:1");
  Tensor back = there.to("CPU") - x;
  EXPECT_EQ(there.device(), "SIM:1");
  expectTensor(back, {3}, {2, 3, 4});
  expectTensor(there, {3}, {3, 5, 7});

  // Values of several devices at once, and one that two devices need.
  Tensor shared = x.exp2(), here = shared + 1, other = shared.to("SIM") + 2;
  realize({here, other});
  EXPECT_TRUE(here.isRealized() && other.isRealized());
  expectTensor(here, {3}, {3, 5, 9});
  expectTensor(other, {3}, {4, 6, 10});

  // Assignments read and write the memory of their own device.
  Tensor state = Tensor::zeros({3}, "SIM").parameter(false);
  state.assign(state + other);
  state.assign(state + x.to("SIM"));
  expectTensor(state.to("CPU"), {3}, {5, 8, 13});

  EXPECT_ERROR(x + there, DeviceError, "CPU and SIM:1");
  EXPECT_ERROR(state.assign(x), DeviceError, "SIM");
  expectTensor(Tensor::from({2.0f, 1.0f, 3.0f}, "SIM").sort(0).first, {3},
               {1, 2, 3});
}

TEST_F(GraphTest, ChainsOfCopies) {
  Tensor x = Tensor::from({1.0f, 2.0f}, "CPU");
  Tensor y = x;
  for (int i = 0; i < 10; ++i)
    y = (y + 1).to(i % 2 ? "CPU" : "NULL");
  EXPECT_EQ(y.device(), "CPU");
  EXPECT_EQ(values(y).size(), 2u);
}

//===----------------------------------------------------------------------===//
// Access and errors
//===----------------------------------------------------------------------===//

TEST_F(GraphTest, Facts) {
  Tensor x = Tensor::zeros({2, 3}, DType::Float16);
  EXPECT_EQ(x.ndim(), 2);
  EXPECT_EQ(x.numel(), 6);
  EXPECT_EQ(x.size(-1), 3);
  EXPECT_EQ(x.itemsize(), 2u);
  EXPECT_EQ(x.nbytes(), 12u);
  EXPECT_TRUE(x.isFloatingPoint());
  EXPECT_ERROR(x.size(2), IndexError, "axis 2");
}

TEST_F(GraphTest, AccessChecksTypes) {
  Tensor x = Tensor::from({1, 2});
  EXPECT_ERROR(x.data<float>(), DTypeError, "int32, not float32");
  EXPECT_ERROR(x.tolist<int64_t>(), DTypeError, "tolist");
  EXPECT_ERROR(x[0].item<bool>(), DTypeError, "item");
  EXPECT_ERROR(x.item<int>(), ShapeError, "2 elements");
  EXPECT_EQ(x[1].item<int>(), 2);
  EXPECT_EQ(x.reshape({1, 2})[0][0].item<int>(), 1);
  EXPECT_EQ(x.data<int>().size(), 2u);
  EXPECT_THAT((x > 1).tolist<bool>(), ::testing::ElementsAre(false, true));
}

TEST_F(GraphTest, MemoryOutlivesTheTensor) {
  TensorData<float> data = Tensor::from({1.0f, 2.0f}).data<float>();
  EXPECT_EQ(data[1], 2);
}

TEST_F(GraphTest, UsableAfterErrors) {
  Tensor x = Tensor::from({1.0f, 2.0f});
  const std::size_t count = graph.numOperations();
  for (int i = 0; i < 10; ++i) {
    EXPECT_THROW(x.exp() + counting({3}), ShapeError);
    EXPECT_THROW(x.sum(5), IndexError);
    EXPECT_THROW(x & x, DTypeError);
  }
  EXPECT_EQ(graph.numOperations(), count);
  expectTensor(x + 1, {2}, {2, 3});
}

TEST_F(GraphTest, OutOfMemory) {
  Tensor huge = Tensor::ones({int64_t(1) << 20, int64_t(1) << 30}) + 1;
  Tensor sum = Tensor::arange(int64_t(1) << 50).contiguous();
  EXPECT_THROW(sum.realize(), OutOfMemoryError);
  EXPECT_FALSE(sum.isRealized());
  EXPECT_THROW(Tensor::empty({int64_t(1) << 50}), OutOfMemoryError);
  EXPECT_THROW(huge.tolist<float>(), OutOfMemoryError);
  Tensor x = Tensor::from({1.0f});
  expectTensor(x + 1, {1}, {2});
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

TEST_F(GraphTest, ThreadsShareAGraph) {
  Tensor x = noiseTensor({64});
  const std::vector<double> expected = values(x.exp() + 1);
  std::vector<std::thread> threads;
  std::atomic<int> failures = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        Tensor y = x.exp() + 1;
        if (values(y) != expected)
          ++failures;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failures, 0);
}

TEST_F(GraphTest, ThreadsWithGraphsOfTheirOwn) {
  std::vector<std::thread> threads;
  std::atomic<int> failures = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&failures, t] {
      Graph own;
      GraphScope ownScope(own);
      for (int i = 0; i < 5; ++i) {
        Tensor y = (counting({10}) * t + i).sum();
        if (y.item<float>() != float(45 * t + 10 * i))
          ++failures;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failures, 0);
}
