//===- JitErrorTest.cpp - mistakes with captured steps --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JitTest.h"

#include <exception>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>

using namespace tinygrad;
using namespace tinygrad::testing;

namespace {

TEST(JitErrorTest, ViewsOfTensorsThatTheStepUses) {
  const Tensor data = Tensor::from({1.0f, 2.0f, 3.0f, 4.0f}).realize();
  const Tensor part = data.shrink({{0, 2}});
  Jit step([&](const Tensor &x) { return x * data.sum(); });
  step(part);
  EXPECT_ERROR(
      step(part), Error,
      "jit: an argument of [2] float32 is a view of a tensor that the "
      "step uses too; pass the whole tensor, and take the view inside");
  // A copy is none.
  const Tensor copy = part.contiguous().realize();
  for (int i = 0; i < 3; ++i)
    expectTensor(step(copy), {2}, {10, 20});
}

TEST(JitErrorTest, ChangedArguments) {
  Jit step([](const Layer &layer, const Tensor &x, int power, bool isNegated) {
    Tensor y = layer(x);
    for (int i = 1; i < power; ++i)
      y = y * y;
    return isNegated ? -y : y;
  });
  const Layer layer = makeLayer(3);
  const Tensor x = noiseTensor({2, 4});
  for (int i = 0; i < 3; ++i)
    step(layer, x, 2, false);
  EXPECT_ERROR(step(layer, noiseTensor({3, 4}), 2, false), ShapeError,
               "jit: argument 1 has the shape [3, 4], but had [2, 4] when the "
               "step was captured");
  EXPECT_ERROR(step({noiseTensor({3, 4}), Tensor::ones({1})}, x, 2, false),
               ShapeError,
               "jit: argument 0.bias has the shape [1], but had [3]");
  EXPECT_ERROR(
      step({layer.weight.cast(DType::Float16), layer.bias}, x, 2, false),
      DTypeError,
      "jit: argument 0.weight is float16, but was float32 when the "
      "step was captured");
  EXPECT_ERROR(step({layer.weight, Tensor()}, x, 2, false), Error,
               "jit: argument 0.bias is missing, but was given when the step "
               "was captured");
  EXPECT_ERROR(step(layer, x, 3, false), Error,
               "jit: argument 2 is 3, but was 2 when the step was captured; "
               "pass a tensor if it changes");
  EXPECT_ERROR(step(layer, x, 2, true), Error, "jit: argument 3 is");
  EXPECT_ERROR(step(layer, x.to("NULL"), 2, false), DeviceError,
               "jit: argument 1 is on NULL, but was on " + x.device() +
                   " when the step was captured");
  {
    const TrainingScope training;
    EXPECT_ERROR(step(layer, x, 2, false), Error,
                 "jit: the step was captured outside of a TrainingScope, and "
                 "is called inside of one; use a Jit for each");
  }
  {
    const Graph other;
    const GraphScope scope(other);
    EXPECT_ERROR(step(layer, noiseTensor({2, 4}), 2, false), Error,
                 "jit: argument 1 is of another graph than the captured step");
  }
  // Nothing is lost.
  const Tensor y = layer(x);
  expectTensor(step(layer, x, 2, false), {2, 3}, values(y * y), 1e-6);
}

TEST(JitErrorTest, OneTensorTwice) {
  Jit step([](Tensor x, const Tensor &y) { return x.assign(x + y) * 1; });
  Tensor x = counting({2}).parameter(false), y = counting({2}).parameter();
  EXPECT_ERROR(step(x, x), Error,
               "jit: arguments 0 and 1 are the same tensor; pass a copy of one "
               "of them, by parameter(false)");
  const Tensor data = counting({4}).realize();
  EXPECT_ERROR(step(data.shrink({{0, 3}}), data.shrink({{1, 4}})), Error,
               "jit: arguments 0 and 1 share memory; pass a copy of one of "
               "them, by parameter(false)");
  Jit add([](const Tensor &a, const Tensor &b) { return a + b; });
  expectTensor(
      add(data.shrink({{0, 3}}), data.shrink({{1, 4}}).parameter(false)), {3},
      {1, 3, 5});
  for (int i = 0; i < 3; ++i)
    step(x, y);
  EXPECT_ERROR(step(x, x), Error,
               "jit: arguments 0 and 1 are the same tensor, and the step "
               "assigns to arguments; pass a copy of one of them");
  expectTensor(x, {2}, {0, 4});
  // Two tensors of one memory get different ones.
  Tensor z = y.contiguous();
  expectTensor(step(z, y), {2}, {0, 2});
  expectTensor(y, {2}, {0, 1});
  // Nothing is assigned to.
  Jit sum([](const Tensor &a, const Tensor &b) { return a + b; });
  for (int i = 0; i < 3; ++i)
    sum(x, y);
  expectTensor(sum(y, y), {2}, {0, 2});
}

// Equal constants are one value, but two tensors.
TEST(JitErrorTest, EqualTensorsAreNotOne) {
  Jit step([](Tensor x, const Tensor &y) { return x.assign(x + y) * 1; });
  for (int i = 0; i < 4; ++i) {
    Tensor x = Tensor::ones({4}).contiguous(),
           y = Tensor::ones({4}).contiguous();
    expectTensor(step(x, y), {4}, {2, 2, 2, 2});
    expectTensor(x, {4}, {2, 2, 2, 2});
    expectTensor(y, {4}, {1, 1, 1, 1});
  }
}

TEST(JitErrorTest, StatesAsArguments) {
  Tensor w = counting({2}).parameter(false), y = counting({2}).realize();
  Jit step([&](const Tensor &x) { w.assign(w + x); });
  for (int i = 0; i < 3; ++i)
    step(y);
  EXPECT_ERROR(step(w), Error,
               "jit: argument 0 is a tensor that the step also uses by itself, "
               "and assigns to; pass a copy of it, by parameter(false)");
  step(w.parameter(false));
  expectTensor(w, {2}, {0, 8});
  // The argument is assigned to.
  Jit other([&](Tensor x) { x.assign(w + x); });
  Tensor z = counting({2}).parameter(false);
  for (int i = 0; i < 3; ++i)
    other(z);
  EXPECT_ERROR(other(w), Error, "jit: argument 0 is a tensor that the step");
  expectTensor(z, {2}, {0, 25});
}

TEST(JitErrorTest, AssignedViewsAsArguments) {
  Tensor data = counting({4, 2}).parameter(false).realize();
  Jit step([](Tensor x) { x.assign(x + 1); });
  Jit whole([](Tensor x) { x.assign(x + 1); });
  EXPECT_ERROR(step(data[0]), Error,
               "jit: an argument of [2] float32 is a view of a tensor that the "
               "step assigns to; pass the whole tensor, and take the view "
               "inside");
  Tensor own = counting({2}).parameter(false);
  for (int i = 0; i < 3; ++i)
    whole(own);
  EXPECT_ERROR(whole(data[0]), Error, "is a view of a tensor that the step");
  expectTensor(data[0], {2}, {0, 1});
  expectTensor(own, {2}, {3, 4});
}

TEST(JitErrorTest, ReadingOnTheHostIsAnError) {
  Tensor w = Tensor::from({1.0f, 2.0f}).parameter();
  const auto check = [&](auto read, const std::string &text) {
    bool isRead = true;
    Jit step([&](const Tensor &x) {
      if (isRead)
        read(x);
      return x + w;
    });
    const Tensor x = Tensor::from({1.0f, -2.0f});
    expectTensor(step(x), {2}, {2, 0}); // the first call may
    for (int i = 0; i < 2; ++i)
      EXPECT_ERROR(step(x), Error, "jit: " + text);
    EXPECT_FALSE(step.isCaptured());
    isRead = false;
    for (int i = 0; i < 3; ++i)
      expectTensor(step(x), {2}, {2, 0});
    EXPECT_TRUE(step.isCaptured());
  };
  const std::string end = " reads values on the host, which a captured step "
                          "cannot do: return the tensor instead, or compute "
                          "with tensors";
  const auto here = [&](const char *method, int line) {
    return std::string(method) +
           " at JitErrorTest.cpp:" + std::to_string(line) + end;
  };
  check([](const Tensor &x) { (void)x.sum().item<float>(); },
        here("item", __LINE__ - 1));
  check([](const Tensor &x) { (void)x.tolist<float>(); },
        here("tolist", __LINE__ - 1));
  check([](const Tensor &x) { (void)x.data<float>(); },
        here("data", __LINE__ - 1));
  check([](const Tensor &x) { (void)x.toHost(); },
        here("toHost", __LINE__ - 1));
  check([](const Tensor &x) { (void)x.allclose(x); },
        here("allclose", __LINE__ - 1));
  check([](const Tensor &x) { (void)x.buffer(); },
        here("buffer", __LINE__ - 1));
  check([](const Tensor &x) { (void)x.str(); }, here("str", __LINE__));
  std::ostringstream stream;
  check([&](const Tensor &x) { stream << "x: " << x; },
        here("str", __LINE__ - 1));
  check([](const Tensor &x) { (void)x.maskedSelect(x > 0); },
        here("maskedSelect", __LINE__ - 1));
  check([](const Tensor &x) { (void)(x > 0).nonzero(); },
        here("nonzero", __LINE__ - 1));
  check([](const Tensor &x) { (void)Tensor(x[x > 0]).sum(); }, "");
  check(
      [](const Tensor &x) {
        (void)x.repeatInterleave((x > 0).cast(DType::Int32));
      },
      here("repeatInterleave", __LINE__ - 2));
  check([](const Tensor &) { (void)Graph::current().randomState(); },
        here("randomState", __LINE__ - 1));
}

TEST(JitErrorTest, ReadingASizeIsAnError) {
  Variable n("jitRead", 1, 8);
  Jit step([](const Tensor &x) { return x.sum() / double(x.size(0).value()); });
  step(Tensor::ones({n.bind(2)}));
  EXPECT_ERROR(step(Tensor::ones({n.bind(3)})), Error,
               "jit: the size jitRead=3 is read as a number, which a captured "
               "step would keep; compute with the size itself");
}

TEST(JitErrorTest, ResetInside) {
  Jit<Tensor(const Tensor &)> *self = nullptr;
  Jit<Tensor(const Tensor &)> step([&](const Tensor &x) {
    if (self)
      self->reset();
    return x + 1;
  });
  self = &step;
  EXPECT_ERROR(step(counting({2})), Error,
               "jit: reset() was called by the step itself");
  self = nullptr;
  for (int i = 0; i < 3; ++i)
    expectTensor(step(counting({2})), {2}, {1, 2});
}

TEST(JitErrorTest, OneCaptureAtATime) {
  Jit step([](const Tensor &x) {
    std::exception_ptr error;
    std::thread other([&] {
      Jit inner([](const Tensor &y) { return y * 2; });
      try {
        inner(Tensor::ones({2}));
      } catch (...) {
        error = std::current_exception();
      }
    });
    other.join();
    if (error)
      std::rethrow_exception(error);
    return x + 1;
  });
  EXPECT_ERROR(step(counting({2})), Error,
               "jit: another thread runs a step for the first time on the same "
               "graph; give each thread a graph of its own");
}

TEST(JitErrorTest, ThreadsWithGraphs) {
  std::vector<std::vector<double>> results(4);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < results.size(); ++i)
    threads.emplace_back([&result = results[i]] {
      const Graph graph;
      const GraphScope scope(graph);
      Tensor w = Tensor::zeros({2}).parameter(false);
      Jit step([&](const Tensor &x) { w.assign(w + x); });
      for (int call = 0; call < 20; ++call)
        step(Tensor::ones({2}));
      result = values(w);
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::vector<double> &result : results)
    EXPECT_EQ(result, (std::vector<double>{20, 20}));
}

TEST(JitErrorTest, ExceptionsOfTheFunction) {
  Tensor w = counting({2}).parameter(false);
  bool isThrown = false;
  Jit step([&](const Tensor &x) {
    w.assign(w + x);
    if (isThrown)
      throw std::runtime_error("stop");
    return w.sum();
  });
  const Tensor one = Tensor::ones({2});
  isThrown = true;
  EXPECT_THROW(step(one), std::runtime_error);
  isThrown = false;
  expectTensor(step(one), {}, {5});
  isThrown = true;
  EXPECT_THROW(step(one), std::runtime_error);
  EXPECT_FALSE(step.isCaptured());
  isThrown = false;
  for (int i = 0; i < 3; ++i)
    expectTensor(step(one), {}, {9.0 + 2 * i});
  EXPECT_TRUE(step.isCaptured());
}

TEST(JitErrorTest, VariablesThatReferToOtherTensors) {
  Tensor w = counting({2}).parameter();
  Jit step([&] {
    w = w + 1; // the handle of the replay would be the old one
    return w.sum();
  });
  step();
  EXPECT_ERROR(step(), Error,
               "jit: the step read a tensor of [2] float32 that was destroyed "
               "before its end, so that a replay would read the old values. "
               "Change such a tensor with assign() instead of making the "
               "variable refer to another one");

  Layer layer = makeLayer(1);
  Jit other([](Layer &layer) { layer.bias = layer.bias * 2; });
  other(layer);
  EXPECT_ERROR(other(layer), Error,
               "jit: argument 0.bias refers to another tensor after the step, "
               "which a replay would not repeat; use assign()");

  Tensor mask = Tensor::ones({2}).parameter();
  Jit third([&](const Tensor &x) { return x * mask; });
  for (int i = 0; i < 3; ++i)
    third(counting({2}));
  mask = Tensor::zeros({2}).parameter();
  EXPECT_ERROR(third(counting({2})), Error,
               "jit: a tensor of [2] float32 that the captured step reads was "
               "destroyed, or its variable refers to another tensor now; call "
               "reset() to capture the step again");
  third.reset();
  expectTensor(third(counting({2})), {2}, {0, 0});
}

TEST(JitErrorTest, CopiesOfArguments) {
  // A copy may share memory with a tensor until one of them is assigned to.
  for (const bool isView : {false, true}) {
    const Tensor root = counting({4}).realize();
    const Tensor x = isView ? root.shrink({{1, 3}}) : root;
    for (const Tensor &copy : {x.contiguous(), x.detach(), x + 0,
                               (x + 0).reshape(x.shape()), x.realize() * 1}) {
      Jit step([](const Tensor &a, Tensor b) {
        b.assign(b + a);
        return b * 2;
      });
      for (int i = 0; i < 4; ++i)
        expectTensor(step(x, copy), x.shape(), values(x * (2 * (i + 2))));
      expectTensor(copy, x.shape(), values(x * 5));
      expectTensor(root, {4}, {0, 1, 2, 3});
    }
  }
}

TEST(JitErrorTest, ArgumentsThatTheFunctionHolds) {
  // The call is right, but is not captured: a replay may be given another
  // tensor.
  for (const bool isView : {false, true})
    for (const bool isWritten : {false, true}) {
      Tensor held = counting({4}).parameter(false);
      Tensor used = isView ? held.flip({0}) : held;
      Jit step([&](const Tensor &x) {
        if (isWritten)
          used.assign(used + 1);
        return x * 10 + used.sum();
      });
      expectTensor(step(Tensor::zeros({4})), {4},
                   std::vector<double>(4, isWritten ? 10 : 6));
      for (int i = 0; i < 2; ++i) {
        std::vector<double> expected = values(isWritten ? held + 1 : held);
        double sum = 0;
        for (const double value : expected)
          sum += value;
        for (double &value : expected)
          value = value * 10 + sum;
        expectTensor(step(held), {4}, expected);
        EXPECT_FALSE(step.isCaptured());
      }
      for (int i = 0; i < 3; ++i) {
        const double sum = values(held.sum())[0] + (isWritten ? 4 : 0);
        expectTensor(step(Tensor::full({4}, double(i))), {4},
                     std::vector<double>(4, 10 * i + sum));
        EXPECT_TRUE(step.isCaptured());
      }
    }
}

TEST(JitErrorTest, ViewsOfNumbers) {
  // After the first call the tensor is in memory, through which the view is
  // read: it is an operation on numbers itself.
  for (const bool isRealized : {false, true}) {
    Tensor root = Tensor::full({3}, 1), view = root.reshape({1, 3});
    if (isRealized)
      root.realize();
    Jit step([&](const Tensor &x) {
      view.index({0, 2}).assign(view.index({0, 0}));
      view.assign(view + 2);
      return view.sum() + x;
    });
    for (int i = 0; i < 5; ++i)
      expectTensor(step(Tensor::full({2}, i)), {2},
                   std::vector<double>(2, 3 * (3 + 2 * i) + i));
    EXPECT_TRUE(step.isCaptured());
    expectTensor(root, {3}, {11, 11, 11});
  }
}

TEST(JitErrorTest, ViewsWhoseRootIsDestroyed) {
  // The function holds a view alone. It is read as long as that exists.
  for (const int destroyedAfter : {0, 1, 2, 3}) {
    Tensor root = counting({4}).parameter(false), view = root.shrink({{1, 3}});
    Jit step([&](const Tensor &x) { return x + view; });
    for (int i = 0; i < 5; ++i) {
      if (i == destroyedAfter)
        root = Tensor();
      expectTensor(step(Tensor::full({2}, double(i))), {2}, {1.0 + i, 2.0 + i});
    }
    EXPECT_TRUE(step.isCaptured());
    view.assign(view * 2);
    expectTensor(step(Tensor::zeros({2})), {2}, {2, 4});
  }
  Tensor root = counting({4}).parameter(false), view = root.shrink({{1, 3}});
  Jit step([&](const Tensor &x) { return x + view; });
  for (int i = 0; i < 3; ++i)
    step(counting({2}));
  root = view = counting({2});
  EXPECT_ERROR(step(counting({2})), Error,
               "jit: a tensor of [4] float32 that the captured step reads was "
               "destroyed");
}

TEST(JitErrorTest, ChangedTensorsOfTheFunction) {
  Tensor w = counting({2}).parameter();
  Jit step([&](const Tensor &x) { return x * w; });
  for (int i = 0; i < 3; ++i)
    step(counting({2}));
  w.replace(counting({3}));
  EXPECT_ERROR(step(counting({2})), ShapeError,
               "jit: a tensor that the step uses has the shape [3], but had "
               "[2] when the step was captured");
  w.replace(Tensor::from({1, 2}));
  EXPECT_ERROR(step(counting({2})), DTypeError,
               "jit: a tensor that the step uses is int32, but was float32");
  w.replace(Tensor::from({3.0f, 4.0f}));
  expectTensor(step(counting({2})), {2}, {0, 4});
}

} // namespace
