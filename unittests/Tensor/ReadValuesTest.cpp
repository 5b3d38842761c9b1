//===- ReadValuesTest.cpp -------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Values that depend on parameters are read before gradients are computed.
///
//===----------------------------------------------------------------------===//

#include "HeapUse.h"
#include "TensorTest.h"
#include "TinyGrad/Runtime/Counters.h"
#include "TinyGrad/Tensor/Jit.h"
#include "TinyGrad/Tensor/KeptOrigins.h"
#include "TinyGrad/Tensor/Training.h"

#include <functional>
#include <optional>
#include <sstream>

using namespace tinygrad;
using namespace tinygrad::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

static void expectError(const std::function<void()> &statement,
                        const char *text) {
  EXPECT_THAT(statement, ThrowsMessage<Error>(HasSubstr(text)));
}

/// The kernels that a function launches.
static int64_t countKernels(const std::function<void()> &function) {
  const int64_t before = GlobalCounters::kernelCount;
  function();
  return GlobalCounters::kernelCount - before;
}

namespace {
/// A network of two layers, with the values that may be read.
struct Values {
  Tensor w1 = noiseTensor({6, 8}, 3).parameter(),
         w2 = noiseTensor({8, 4}, 5).parameter();
  Tensor product, hidden, output, loss;

  Values() {
    Tensor x = noiseTensor({5, 6}, 7).realize(),
           y = noiseTensor({5, 4}, 9).realize();
    product = x.matmul(w1);
    hidden = product.gelu();
    output = hidden.matmul(w2).softmax();
    loss = (output - y).square().mean();
  }
  std::vector<double> gradients() {
    loss.backward();
    std::vector<double> all = values(w1.grad());
    for (double value : values(w2.grad()))
      all.push_back(value);
    return all;
  }
};
} // namespace

TEST(ReadValuesTest, lossBeforeBackward) {
  Tensor w = Tensor::from({1.0f, 2.0f}).parameter();
  Tensor loss = (w * w).sum();
  EXPECT_EQ(loss.item<float>(), 5);
  loss.backward();
  EXPECT_THAT(w.grad().tolist<float>(), ElementsAre(2, 4));
  // Again, printed, and by gradient().
  w.zeroGrad();
  std::ostringstream text;
  text << loss << w;
  loss.backward();
  EXPECT_THAT(w.grad().tolist<float>(), ElementsAre(2, 4));
  EXPECT_THAT(loss.gradient({w})[0].tolist<float>(), ElementsAre(2, 4));
}

TEST(ReadValuesTest, anyValueBetween) {
  Values unread;
  const std::vector<double> expected = unread.gradients();
  using Member = Tensor Values::*;
  const Member members[] = {&Values::product, &Values::hidden, &Values::output,
                            &Values::loss};
  for (unsigned mask = 1; mask < 16; ++mask) {
    SCOPED_TRACE(mask);
    // One after the other from either end, and together.
    for (int order = 0; order < 3; ++order) {
      Values read;
      std::vector<Tensor> together;
      for (unsigned i = 0; i < 4; ++i) {
        const unsigned next = order == 0 ? i : 3 - i;
        if ((mask >> next & 1) == 0)
          continue;
        if (order == 2)
          together.push_back(read.*members[next]);
        else
          (void)values(read.*members[next]);
      }
      realize(together);
      const std::vector<double> found = read.gradients();
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t i = 0; i < found.size(); ++i)
        EXPECT_NEAR(found[i], expected[i], 1e-6) << "at " << i;
    }
  }
}

// The operations are the same, and so are the bits.
TEST(ReadValuesTest, sameGradientsBitForBit) {
  auto gradient = [](bool isRead) {
    Tensor w = noiseTensor({64, 32}).parameter();
    Tensor loss = (w.exp() * w.sin()).sum(0).tanh().sum();
    if (isRead)
      (void)loss.item<float>();
    loss.backward();
    return w.grad().tolist<float>();
  };
  EXPECT_EQ(gradient(true), gradient(false));
}

TEST(ReadValuesTest, memoryIsReadInsteadOfComputedAgain) {
  Tensor x = noiseTensor({16, 16}).realize();
  Tensor w = noiseTensor({16, 16}, 2).parameter().realize();
  // The derivative of exp is its value: one kernel multiplies it.
  Tensor y = x.matmul(w).exp().realize();
  Tensor seed = noiseTensor({16, 16}, 3).realize();
  EXPECT_EQ(
      countKernels([&] { y.gradient({w}, seed)[0].realize(); }),
      countKernels([&] { x.transpose().matmul(y.detach() * seed).realize(); }));
  // The derivative of a mean does not need it.
  Tensor loss = w.square().mean();
  loss.item<float>();
  loss.backward();
  EXPECT_EQ(countKernels([&] { w.grad().realize(); }), 1);
  // Nor is an equal operation of a rule computed again.
  EXPECT_THAT(y.gradient({w}, seed)[0].graph(),
              ::testing::Not(HasSubstr("tg.exp ")));
}

TEST(ReadValuesTest, secondDerivatives) {
  for (int mask = 0; mask < 8; ++mask) {
    SCOPED_TRACE(mask);
    Tensor w = Tensor::from({1.0f, 2.0f, -3.0f}).parameter();
    Tensor cube = w * w * w, y = cube.sum();
    if (mask & 1)
      (void)values(cube);
    if (mask & 2)
      (void)values(y);
    Tensor first = y.gradient({w})[0];
    if (mask & 4)
      EXPECT_THAT(values(first), ElementsAre(3, 12, 27));
    Tensor second = first.sum().gradient({w})[0];
    EXPECT_THAT(values(second), ElementsAre(6, 12, -18));
    EXPECT_THAT(values(second.sum().gradient({w})[0]), ElementsAre(6, 6, 6));
    // By backward(), through gradients that were read.
    first.square().sum().backward();
    EXPECT_THAT(values(w.grad()),
                ElementsAre(2 * 3 * 6, 2 * 12 * 12, 2 * 27 * -18));
  }
}

TEST(ReadValuesTest, customAndGivenDerivatives) {
  Tensor w = Tensor::from({0.5f, -1.0f}).parameter();
  Tensor y = (w * 2).withGradient({w}, [](const Tensor &gradient) {
    return std::vector<Tensor>{gradient * 100};
  });
  Tensor z = y * 3;
  (void)values(y);
  (void)values(z);
  z.sum().backward();
  EXPECT_THAT(values(w.grad()), ElementsAre(300, 300));
  w.zeroGrad();
  Tensor s = w.sigmoid();
  const std::vector<double> unread = values(s.sum().gradient({w})[0]);
  (void)values(s);
  EXPECT_EQ(values(s.sum().gradient({w})[0]), unread);
  Tensor m = w.max();
  (void)m.item<float>();
  m.backward();
  EXPECT_THAT(values(w.grad()), ElementsAre(1, 0));
}

TEST(ReadValuesTest, viewsAndCopies) {
  Tensor w = Tensor::from({1.0f, 2.0f, 3.0f, 4.0f}, "CPU").parameter();
  Tensor part = w[1];
  EXPECT_EQ(part.item<float>(), 2);
  (part * part).backward();
  EXPECT_THAT(values(w.grad()), ElementsAre(0, 4, 0, 0));
  w.zeroGrad();
  Tensor square = (w * w).reshape({2, 2}), row = square[1];
  (void)values(row);
  (void)values(square);
  row.sum().backward();
  EXPECT_THAT(values(w.grad()), ElementsAre(0, 0, 6, 8));
  w.zeroGrad();
  Tensor there = (w * 2).to("SIM");
  EXPECT_THAT(values(there), ElementsAre(2, 4, 6, 8));
  there.square().sum().to("CPU").backward();
  EXPECT_THAT(values(w.grad()), ElementsAre(8, 16, 24, 32));
}

TEST(ReadValuesTest, assignedValues) {
  Tensor w = Tensor::from({1.0f, 2.0f}).parameter();
  Tensor memory = Tensor::zeros({2}).realize();
  memory.assign(w * 5);
  EXPECT_THAT(values(memory), ElementsAre(5, 10));
  memory.square().sum().backward();
  EXPECT_THAT(values(w.grad()), ElementsAre(50, 100));
  w.zeroGrad();
  // A leaf itself.
  memory.assign(w);
  EXPECT_THAT(values(memory), ElementsAre(1, 2));
  memory.square().sum().backward();
  EXPECT_THAT(values(w.grad()), ElementsAre(2, 4));
  w.zeroGrad();
  // The derivative by the old contents is gone with them.
  memory.assign(memory * w);
  (void)values(memory);
  expectError([&] { memory.sum().backward(); }, "was realized");
}

TEST(ReadValuesTest, noGradAndDetach) {
  Tensor w = Tensor::from({1.0f, 2.0f}).parameter(), inside,
         loss = (w * w).sum();
  {
    NoGradScope noGrad;
    inside = w * w;
    EXPECT_EQ(loss.item<float>(), 5); // it was computed outside
  }
  (void)values(inside);
  Tensor detached = loss.detach();
  (void)values(detached);
  expectError([&] { inside.sum().backward(); }, "depends on no tensor");
  expectError([&] { detached.backward(); }, "depends on no tensor");
  loss.backward();
  EXPECT_THAT(values(w.grad()), ElementsAre(2, 4));
}

TEST(ReadValuesTest, assignmentsEndIt) {
  const char *const text =
      "backward: a value [1] float32 that depends on tensors which require a "
      "gradient was realized, and something that it was computed from was "
      "assigned to since";
  Tensor w = Tensor::from({1.0f, 2.0f}).parameter();
  Tensor x = Tensor::from({3.0f, 4.0f}).realize();
  auto makeLoss = [&] {
    Tensor loss = (w * x).sum().reshape({1});
    (void)loss.item<float>();
    return loss;
  };
  // To the parameter.
  Tensor loss = makeLoss(), next = loss * 2;
  (void)values(next);
  {
    NoGradScope noGrad;
    w.assign(w * 2);
  }
  expectError([&] { loss.backward(); }, text);
  expectError([&] { next.backward(); }, text);
  w.realize();
  expectError([&] { loss.backward(); }, text);
  EXPECT_THAT(values(loss.detach()), ElementsAre(11));
  EXPECT_FALSE(w.grad().defined());
  // To data: its old contents are needed. They are there until the program that
  // overwrites them.
  loss = makeLoss();
  x.assign(x * 10);
  loss.backward();
  EXPECT_THAT(values(w.grad()), ElementsAre(3, 4));
  w.zeroGrad();
  x.realize();
  expectError([&] { loss.backward(); }, text);
  // It is overwritten in place as if the loss had not been read.
  const void *memory = x.buffer().address();
  loss = makeLoss();
  x.assign(x + 1);
  x.realize();
  EXPECT_EQ(x.buffer().address(), memory);
  // To a part.
  loss = makeLoss();
  x[0] = 5;
  EXPECT_EQ(x[0].item<float>(), 5);
  expectError([&] { loss.backward(); }, text);
  // To something else.
  loss = makeLoss();
  Tensor other = Tensor::zeros({2}).realize();
  other.assign(other + 1);
  other.realize();
  loss.backward();
  EXPECT_THAT(values(w.grad()), ElementsAre(5, 41));
}

TEST(ReadValuesTest, leavesThatWereComputed) {
  Tensor w = Tensor::from({1.0f, 2.0f}).parameter();
  Tensor h = w * 3;
  (void)values(h);
  h.setRequiresGrad();
  h.square().sum().backward();
  EXPECT_THAT(values(h.grad()), ElementsAre(6, 12));
  EXPECT_FALSE(w.grad().defined());
}

TEST(ReadValuesTest, readingInOptimizerLoops) {
  auto train = [](bool isRead) {
    Tensor x = noiseTensor({8, 4}).realize(), y = noiseTensor({8, 2}, 2);
    Tensor w = noiseTensor({4, 2}, 3).parameter(),
           moment = Tensor::zeros({4, 2});
    moment.realize();
    for (int i = 0; i < 20; ++i) {
      Tensor output = x.matmul(w), loss = (output - y).square().mean();
      if (isRead) {
        (void)loss.item<float>();
        (void)values(output);
      }
      loss.backward();
      if (isRead)
        (void)values(w.grad());
      {
        NoGradScope noGrad;
        moment.assign(moment * 0.9 + w.grad());
        if (isRead)
          (void)values(moment);
        w.assign(w - moment * 0.1);
        if (isRead)
          (void)values(w);
      }
      w.zeroGrad();
      realize({w, moment});
    }
    return values(w);
  };
  const std::vector<double> read = train(true), unread = train(false);
  for (std::size_t i = 0; i < read.size(); ++i)
    EXPECT_NEAR(read[i], unread[i], 1e-5);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

TEST(ReadValuesTest, memoryEndsWithTheLastTensor) {
  const int64_t used = GlobalCounters::memUsed;
  const std::size_t operations = Graph::current().numOperations();
  {
    Tensor w = Tensor::ones({256}).parameter(), loss;
    {
      Tensor x = Tensor::full({256, 256}, 2.0f).contiguous().realize();
      loss = x.matmul(w.reshape({256, 1})).sum();
      EXPECT_EQ(loss.item<float>(), 2 * 65536);
    }
    // The loss needs x for its gradient.
    EXPECT_GE(GlobalCounters::memUsed, used + 4 * 65536);
    loss.backward();
    EXPECT_EQ(w.grad()[0].item<float>(), 512);
    w.zeroGrad();
    Tensor other = loss;
    loss = Tensor();
    EXPECT_GE(GlobalCounters::memUsed, used + 4 * 65536);
    other = other.detach().realize();
    EXPECT_LE(GlobalCounters::memUsed, used + 2048);
  }
  EXPECT_EQ(GlobalCounters::memUsed, used);
  EXPECT_EQ(Graph::current().numOperations(), operations);
}

TEST(ReadValuesTest, integersKeepNothing) {
  Tensor w = Tensor::ones({256}).parameter();
  w.realize();
  const int64_t used = GlobalCounters::memUsed;
  Tensor predicted;
  {
    Tensor x = noiseTensor({256, 256}).realize();
    predicted = (x * w).argmax(1).realize();
  }
  EXPECT_LE(GlobalCounters::memUsed, used + 2048);
}

namespace {
/// Memory of devices and host, and operations, at the ends of so many steps.
class Flatness {
public:
  explicit Flatness(int steps) : host(steps) {}

  void check(int step) {
    host.note(step);
    constexpr int first = 200;
    if (step < first)
      return;
    if (step == first) {
      used = GlobalCounters::memUsed;
      operations = Graph::current().numOperations();
    }
    ASSERT_EQ(GlobalCounters::memUsed, used) << "step " << step;
    ASSERT_EQ(Graph::current().numOperations(), operations) << "step " << step;
  }
  void checkHost() const { EXPECT_LT(host.growth(), 5000); }

private:
  int64_t used = 0;
  std::size_t operations = 0;
  HeapUse host;
};
} // namespace

TEST(ReadValuesTest, memoryStaysFlatOverManySteps) {
  Tensor x = noiseTensor({8, 4}).realize(),
         y = noiseTensor({8, 2}, 2).realize();
  Tensor w = noiseTensor({4, 2}, 3).parameter();
  Tensor total = Tensor::zeros({}).realize(), average = total, loss;
  constexpr int steps = 2000;
  Flatness memory(steps);
  std::ostringstream text;
  for (int i = 0; i < steps; ++i) {
    Tensor output = x.matmul(w).tanh();
    loss = (output - y).square().mean();
    text.str("");
    text << loss << output;
    loss.backward();
    (void)w.grad().mean().item<float>();
    {
      NoGradScope noGrad;
      w.assign(w - w.grad() * 0.01);
    }
    w.zeroGrad();
    w.realize();
    // Sums of losses do not keep all of them.
    total = total + loss;
    average = (average * 0.9 + loss * 0.1).realize();
    (void)total.item<float>();
    memory.check(i);
    if (HasFatalFailure())
      return;
  }
  memory.checkHost();
}

// The same with gradients of several batches, computed one by one.
TEST(ReadValuesTest, memoryStaysFlatWhileGradientsAddUp) {
  Tensor w = noiseTensor({4, 2}, 3).parameter();
  constexpr int steps = 1000;
  Flatness memory(steps);
  for (int i = 0; i < steps; ++i) {
    Tensor x = noiseTensor({8, 4}, unsigned(i)).realize();
    Tensor loss = x.matmul(w).square().mean();
    (void)loss.item<float>();
    loss.backward();
    w.grad().realize();
    memory.check(i);
    if (HasFatalFailure())
      return;
  }
  memory.checkHost();
  // What was added to before cannot be differentiated through.
  Tensor before = w.grad();
  w.square().sum().backward();
  expectError([&] { before.sum().backward(); },
              "that was realized before backward() added another one to it");
}

TEST(ReadValuesTest, programsAreThoseOfUnreadValues) {
  // Reading does not make the next programs other ones.
  Tensor x = noiseTensor({8, 4}).realize();
  Tensor w = noiseTensor({4, 2}, 3).parameter();
  auto step = [&](bool isRead) {
    Tensor loss = x.matmul(w).square().mean();
    if (isRead)
      (void)loss.item<float>();
    loss.backward();
    if (!isRead)
      loss = Tensor(); // it would need the old contents
    {
      NoGradScope noGrad;
      w.assign(w - w.grad() * 0.01);
    }
    w.zeroGrad();
    w.realize();
  };
  step(false);
  const void *memory = w.buffer().address();
  step(true);
  const std::size_t programs = Graph::current().numPrograms();
  for (int i = 0; i < 5; ++i) {
    step(true);
    step(false);
  }
  EXPECT_EQ(Graph::current().numPrograms(), programs);
  EXPECT_EQ(w.buffer().address(), memory);
}

//===----------------------------------------------------------------------===//
// Captured steps
//===----------------------------------------------------------------------===//

TEST(ReadValuesTest, capturedSteps) {
  Tensor w = Tensor::from({1.0f, 2.0f}).parameter();
  w.realize();
  // Inside, values may be computed before gradients. They are read after it.
  Jit step([&](const Tensor &x) {
    Tensor loss = (w * x * w).sum().realize();
    loss.backward();
    {
      NoGradScope noGrad;
      w.assign(w - w.grad() * 0.5);
    }
    w.zeroGrad();
    return loss;
  });
  for (int i = 0; i < 5; ++i) {
    const std::vector<double> old = values(w);
    const float factor = 0.1f * float(i + 1);
    Tensor x = Tensor::full({2}, factor).contiguous().realize();
    // Values from before a step do not hinder it.
    Tensor outside = (w * 3).sum();
    (void)outside.item<float>();
    const void *memory = w.buffer().address();
    Tensor loss = step(x);
    EXPECT_NEAR(loss.item<float>(),
                factor * (old[0] * old[0] + old[1] * old[1]), 1e-5);
    for (int k = 0; k < 2; ++k)
      EXPECT_NEAR(values(w)[k], old[k] - factor * old[k], 1e-5);
    if (i > 2)
      EXPECT_EQ(w.buffer().address(), memory);
    expectError([&] { outside.backward(); }, "was assigned to since");
    // A replay does not compute what it would need.
    EXPECT_THROW(loss.backward(), Error);
  }
}

TEST(ReadValuesTest, gradientsDoNotCrossTheBorderOfCapturedSteps) {
  Tensor w = Tensor::from({1.0f, 2.0f}).parameter();
  w.realize();
  Tensor outside = (w * w).sum();
  (void)outside.item<float>();
  Jit step([&](const Tensor &x) { return (outside * x).gradient({w})[0]; });
  Tensor x = Tensor::from({2.0f}).reshape({}).contiguous().realize();
  for (int i = 0; i < 3; ++i)
    expectError([&] { (void)step(x); }, "of a captured step");
  EXPECT_THAT(values(outside.gradient({w})[0]), ElementsAre(2, 4));
}

TEST(ReadValuesTest, KeptOriginsWithoutParameters) {
  const Tensor x = Tensor::from({1.0f, 2.0f}).realize();
  auto gradientAfterReading = [&](bool isKept, bool isOff) {
    std::optional<detail::KeptOrigins> kept;
    if (isKept)
      kept.emplace();
    Tensor y = x.square();
    {
      NoGradScope gradients(isOff);
      y.toHost();
    }
    return values(y.sum().gradient({x}, {}, /*allowUnused=*/true)[0]);
  };
  EXPECT_THAT(gradientAfterReading(true, false), ElementsAre(2, 4));
  EXPECT_THAT(gradientAfterReading(true, true), ElementsAre(0, 0));
  EXPECT_THAT(gradientAfterReading(false, false), ElementsAre(0, 0));
  EXPECT_FALSE(detail::KeptOrigins::areActive());
  // A loop that reads all of its values keeps a bounded number of them.
  const detail::KeptOrigins kept;
  const int64_t before = GlobalCounters::memUsed;
  Tensor y = Tensor::ones({1 << 14}).contiguous().realize();
  for (int i = 0; i < 200; ++i) {
    y = y * 0.5 + 1;
    y.realize();
    ASSERT_LE(GlobalCounters::memUsed, before + 70 * (4 << 14));
  }
}
