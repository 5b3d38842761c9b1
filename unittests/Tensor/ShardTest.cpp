//===- ShardTest.cpp - tensors on several devices -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Tensor::shard(): values and gradients are those of the same computation on
/// one device, parts stay where they are, and what would move elements between
/// devices is an error.
///
//===----------------------------------------------------------------------===//

#include "TensorTest.h"
#include "TinyGrad/Tensor/External.h"
#include "TinyGrad/Tensor/Jit.h"

#include <functional>
#include <optional>

using namespace tinygrad;
using namespace tinygrad::testing;

using Axis = std::optional<int64_t>;
static const std::vector<std::string> kTwo = {"CPU:1", "CPU:2"};
static const std::vector<std::string> kThree = {"CPU", "CPU:1", "CPU:2"};
static const Axis kAxes[] = {std::nullopt, 0, 1};

static void expectSame(const Tensor &actual, const Tensor &expected,
                       double tolerance = 1e-5) {
  expectTensor(actual, expected.concreteShape(), values(expected), tolerance);
}

TEST(ShardTest, Facts) {
  const Tensor x = noiseTensor({4, 6}).realize();
  const Tensor parts = x.shard(kTwo, 1), copies = x.shard(kThree);
  EXPECT_EQ(parts.shape(), Shape({4, 6}));
  EXPECT_EQ(parts.devices(), kTwo);
  EXPECT_EQ(parts.device(), "CPU:1");
  EXPECT_EQ(parts.shardAxis(), Axis(1));
  EXPECT_EQ(copies.shardAxis(), Axis());
  EXPECT_EQ(x.devices(), std::vector<std::string>{x.device()});
  EXPECT_EQ(x.shardAxis(), Axis());
  ASSERT_EQ(parts.shards().size(), 2u);
  expectSame(parts.shards()[1], x.shrink({{}, {3, 6}}));
  EXPECT_EQ(parts.shards()[1].device(), "CPU:2");
  EXPECT_FALSE(parts.isRealized());
  parts.realize();
  EXPECT_TRUE(parts.isRealized());
  expectSame(parts, x);
  expectSame(copies, x);
  expectSame(parts.to("CPU:3"), x);
  EXPECT_EQ(parts.to("CPU:3").device(), "CPU:3");
  EXPECT_FLOAT_EQ(parts.sum().item<float>(), copies.sum().item<float>());
  EXPECT_EQ(x.shard({"CPU:1"}, 0).devices().size(), 1u);
  EXPECT_EQ(x.shard(kTwo, -1).shardAxis(), Axis(1));
}

TEST(ShardTest, ElementwiseOperationsOfAllAxes) {
  const Tensor x = noiseTensor({6, 6}, 1).realize(),
               y = noiseTensor({6, 6}, 2).realize();
  for (Axis a : kAxes)
    for (Axis b : kAxes) {
      const Tensor p = x.shard(kTwo, a), q = y.shard(kTwo, b);
      const Tensor result = (p * 2 + q).exp() - (p > q).where(p, 1.0);
      EXPECT_EQ(result.devices(), kTwo);
      EXPECT_EQ(result.shardAxis(), a ? a : b);
      expectSame(result, (x * 2 + y).exp() - (x > y).where(x, 1.0));
    }
}

TEST(ShardTest, ReductionsAndProducts) {
  const Tensor x = noiseTensor({6, 6}, 1).realize(),
               y = noiseTensor({6, 6}, 2).realize();
  for (Axis a : kAxes) {
    const Tensor p = x.shard(kThree, a);
    for (int64_t axis : {0, 1}) {
      expectSame(p.sum(axis), x.sum(axis));
      expectSame(p.max(axis), x.max(axis));
      expectSame(p.prod(axis), x.prod(axis));
      expectSame(p.softmax(axis), x.softmax(axis));
      expectSame(p.var(axis), x.var(axis));
      EXPECT_EQ(p.argmax(axis).devices(), kThree);
      expectSame(p.argmax(axis), x.argmax(axis));
      const bool isAcross = a == axis;
      EXPECT_EQ(p.sum(axis).shardAxis(), isAcross || !a ? Axis() : Axis(0));
    }
    for (Axis b : kAxes)
      expectSame(p.matmul(y.shard(kThree, b)), x.matmul(y), 1e-4);
  }
}

/// Of large tensors, each of several devices combines a part.
TEST(ShardTest, LargeReductions) {
  const std::vector<std::string> four = {"CPU", "CPU:1", "CPU:2", "CPU:3"};
  for (const Shape &rest : {Shape({96, 192}), Shape({1, 3, 8192}),
                            Shape({17, 1021}), Shape({64, 2})}) {
    Shape shape = rest;
    shape.insert(shape.begin(), 12);
    const Tensor x = noiseTensor(shape).realize();
    for (const std::vector<std::string> &devices : {kTwo, kThree, four}) {
      const Tensor sum = x.shard(devices, 0).sum(0).realize();
      ASSERT_EQ(sum.shards().size(), devices.size());
      EXPECT_EQ(sum.shardAxis(), Axis());
      expectSame(sum, x.sum(0));
      for (std::size_t i = 0; i < devices.size(); ++i) {
        EXPECT_EQ(sum.shards()[i].device(), devices[i]);
        EXPECT_EQ(values(sum.shards()[i]), values(sum.shards()[0]));
      }
      expectSame(x.shard(devices, 0).max(0), x.max(0), 0);
    }
  }
  // A product's gradient by weights that are copies.
  const Tensor x = noiseTensor({48, 128}, 1).realize();
  const Tensor w = noiseTensor({128, 160}, 2).realize();
  const Tensor copies = w.shard(four);
  const Tensor loss = x.shard(four, 0).matmul(copies).square().sum();
  const Tensor gradient = loss.gradient({copies})[0].realize();
  EXPECT_EQ(gradient.devices(), four);
  expectSame(gradient, x.matmul(w).square().sum().gradient({w})[0], 1e-3);
}

TEST(ShardTest, Movements) {
  const Tensor x = noiseTensor({4, 6, 2}).realize(), p = x.shard(kTwo, 1);
  EXPECT_EQ(p.permute({1, 2, 0}).shardAxis(), Axis(0));
  expectSame(p.permute({1, 2, 0}) + 0, x.permute({1, 2, 0}));
  EXPECT_EQ(p.reshape({4, 2, 3, 2}).shardAxis(), Axis(1));
  expectSame(p.reshape({4, 2, 3, 2}), x.reshape({4, 2, 3, 2}));
  EXPECT_EQ(p.reshape({2, 2, 1, 12}).shardAxis(), Axis(3));
  expectSame(p.reshape({2, 2, 1, 12}), x.reshape({2, 2, 1, 12}));
  expectSame(p.flip({0}), x.flip({0}));
  expectSame(p.pad({1, 0, 0, 0, 0, 2}), x.pad({1, 0, 0, 0, 0, 2}));
  expectSame(p.shrink({{1, 3}, {}, {}}), x.shrink({{1, 3}, {}, {}}));
  expectSame(p.unsqueeze(0).expand({3, 4, 6, 2}),
             x.unsqueeze(0).expand({3, 4, 6, 2}));
  // The part of a device, for all of them.
  const Tensor second = p.shrink({{}, {3, 6}, {}});
  EXPECT_EQ(second.shardAxis(), Axis());
  EXPECT_EQ(second.devices(), kTwo);
  expectSame(second * 2, x.shrink({{}, {3, 6}, {}}) * 2);
}

TEST(ShardTest, OrderAndSelection) {
  const Tensor x = noiseTensor({4, 6}, 1).realize();
  for (Axis axis : kAxes) {
    const Tensor p = x.shard(kTwo, axis);
    for (int64_t dim : {0, 1}) {
      expectSame(p.sort(dim).first, x.sort(dim).first);
      expectSame(p.cumsum(dim), x.cumsum(dim));
    }
    EXPECT_EQ(p.cumsum(1).shardAxis(), axis == 1 ? Axis() : axis);
    const Tensor selected = p.maskedSelect(p > 0);
    EXPECT_EQ(selected.devices(), kTwo);
    expectSame(selected, x.maskedSelect(x > 0));
    expectSame((p > 0).nonzero().toFloat(), (x > 0).nonzero().toFloat());
    expectSame(Tensor(p.index({p > 0})), x.maskedSelect(x > 0));
  }
}

TEST(ShardTest, ConvolutionOfABatch) {
  const Tensor x = noiseTensor({4, 3, 8, 8}, 1).realize(),
               w = noiseTensor({5, 3, 3, 3}, 2).realize();
  Conv2dOptions options;
  options.padding = 1;
  const Tensor result = x.shard(kTwo, 0).conv2d(w.shard(kTwo), {}, options);
  EXPECT_EQ(result.shardAxis(), Axis(0));
  expectSame(result, x.conv2d(w, {}, options), 1e-4);
  expectSame(x.shard(kTwo, 0).maxPool2d(2), x.maxPool2d(2));
}

/// The gradients of a function of \p data on several devices, by copies of
/// weights and by the data, are those on one.
static void
checkGradients(Axis axis,
               const std::function<Tensor(const Tensor &, const Tensor &)> &f) {
  const Tensor data = noiseTensor({4, 6}, 1).realize(),
               start = noiseTensor({6}, 2).realize();
  Tensor x = data.parameter(), w = start.parameter();
  f(x, w).backward();
  Tensor xs = data.shard(kTwo, axis).parameter(),
         ws = start.shard(kTwo).parameter();
  EXPECT_TRUE(ws.requiresGrad());
  // Values may be read before.
  const Tensor value = f(xs, ws);
  EXPECT_NEAR(value.item<float>(), f(x, w).item<float>(), 1e-3);
  value.backward();
  EXPECT_EQ(ws.grad().devices(), kTwo);
  EXPECT_EQ(xs.grad().shardAxis(), axis);
  expectSame(xs.grad(), x.grad());
  expectSame(ws.grad(), w.grad());
  for (const Tensor &copy : ws.grad().shards())
    expectSame(copy, w.grad());
  // A second one is added.
  f(xs, ws).backward();
  expectSame(ws.grad(), w.grad() * 2);
  ws.zeroGrad();
  EXPECT_FALSE(ws.grad().defined());
  const std::vector<Tensor> both = f(xs, ws).gradient({xs, ws});
  expectSame(both[0], x.grad());
  expectSame(both[1], w.grad());
}

TEST(ShardTest, Gradients) {
  for (Axis axis : kAxes) {
    checkGradients(axis, [](const Tensor &x, const Tensor &w) {
      return (x * w).square().mean();
    });
    checkGradients(axis, [](const Tensor &x, const Tensor &w) {
      return ((x + w).softmax(1) * x).sum();
    });
    checkGradients(axis, [](const Tensor &x, const Tensor &w) {
      return (x * w).sum(0).max() + x.sum(1).square().sum() * w.exp().sum();
    });
  }
}

TEST(ShardTest, GradientsThroughShard) {
  Tensor x = noiseTensor({4, 6}).parameter();
  x.shard(kTwo, 0).square().sum().backward();
  expectSame(x.grad(), x * 2);
  const Tensor cotangent = noiseTensor({4, 6}, 3).realize();
  Tensor p = noiseTensor({4, 6}).shard(kTwo, 1).parameter();
  expectSame(p.square().gradient({p}, cotangent.shard(kTwo, 1))[0],
             p.to(cotangent.device()) * 2 * cotangent);
}

/// One of the copies is on the tensor's own device. Its gradient is not that of
/// the others, which are made of the same tensor.
TEST(ShardTest, GradientsByCopies) {
  const Tensor x = noiseTensor({6, 4}, 1).realize(),
               memory = noiseTensor({4, 3}, 2).realize();
  const Tensor expected = x.matmul(memory).square().sum().gradient({memory})[0];
  for (const Tensor &w : {memory, noiseTensor({4, 3}, 2)}) {
    const Tensor copies = w.shard(kThree);
    const Tensor loss = x.shard(kThree, 0).matmul(copies).square().sum();
    expectSame(loss.gradient({copies})[0], expected);
    const Tensor twice = copies * 2;
    const std::vector<Tensor> both =
        x.shard(kThree, 0).matmul(twice).square().sum().gradient(
            {copies, twice});
    expectSame(both[0], expected * 4);
    expectSame(both[1], expected * 2);
  }
  // A part that all devices have.
  const Tensor rows = noiseTensor({6, 4}, 3).realize().shard(kThree, 0);
  const Tensor first = rows.shrink({{0, 2}, {}});
  const Tensor loss = (first * first).sum();
  expectSame(loss.gradient({first})[0], first.to("CPU") * 2);
}

TEST(ShardTest, Assignments) {
  const Tensor x = noiseTensor({4, 6}, 1).realize(),
               y = noiseTensor({4, 6}, 2).realize();
  for (Axis a : kAxes)
    for (Axis b : kAxes) {
      Tensor p = (x + 0).shard(kTwo, a).realize();
      p.assign(p + y.shard(kTwo, b));
      EXPECT_EQ(p.shardAxis(), a);
      expectSame(p, x + y);
      p.assign(1.5);
      EXPECT_EQ(p.sum().item<float>(), 36.0f);
    }
  // Of a part along another axis.
  Tensor p = (x + 0).shard(kTwo, 0).realize();
  p.index({Slice(), Slice(1, 3)}) = 0.0;
  Tensor expected = (x + 0).realize();
  expected.index({Slice(), Slice(1, 3)}) = 0.0;
  expectSame(p, expected);
  // The source is not changed.
  Tensor source = (x + 0).realize();
  Tensor copies = source.shard({"CPU", "CPU:1"});
  copies.assign(0.0);
  expectSame(source, x);
}

TEST(ShardTest, Replace) {
  Tensor x = noiseTensor({4, 6}, 1).parameter();
  const Tensor before = x.detach().clone().realize();
  x.replace(x.detach().shard(kTwo, 0));
  EXPECT_EQ(x.devices(), kTwo);
  EXPECT_TRUE(x.requiresGrad());
  x.square().sum().backward();
  expectSame(x.grad(), before * 2);
  x.replace(before);
  EXPECT_EQ(x.devices().size(), 1u);
  expectSame(x, before);
}

TEST(ShardTest, MemoryOfTheWhole) {
  const Tensor x = noiseTensor({4, 6}).realize();
  for (Axis axis : kAxes) {
    const Tensor p = x.shard(kTwo, axis);
    const StridedView view = toStrided(p);
    EXPECT_EQ(view.shape, std::vector<int64_t>({4, 6}));
    EXPECT_EQ(*static_cast<const float *>(view.data()), values(x)[0]);
    EXPECT_EQ(p.tolist<float>().size(), 24u);
    EXPECT_EQ(p.data<float>()[23], x.data<float>()[23]);
  }
}

TEST(ShardTest, RandomNumbers) {
  const Tensor x = Tensor::zeros({64}).contiguous();
  const Tensor parts = x.shard(kTwo, 0).randLike(),
               copies = x.shard(kTwo).randLike();
  EXPECT_EQ(parts.shardAxis(), Axis(0));
  EXPECT_NE(values(parts.shards()[0]), values(parts.shards()[1]));
  EXPECT_EQ(values(copies.shards()[0]), values(copies.shards()[1]));
}

TEST(ShardTest, CapturedStep) {
  Jit step([](const Tensor &x, const Tensor &y) {
    return (x * 2 + y).matmul(y.permute({1, 0}));
  });
  for (unsigned call = 0; call < 5; ++call) {
    const Tensor x = noiseTensor({4, 6}, call).realize(),
                 y = noiseTensor({4, 6}, call + 7).realize();
    const Tensor result =
        step(x.shard(kTwo, 0).realize(), y.shard(kTwo).realize());
    EXPECT_EQ(result.devices(), kTwo);
    EXPECT_EQ(result.shardAxis(), Axis(0));
    expectSame(result, (x * 2 + y).matmul(y.permute({1, 0})), 1e-4);
  }
  EXPECT_THROW(
      step(noiseTensor({4, 6}).realize(), noiseTensor({4, 6}).realize()),
      Error);
  // Other parts than captured.
  EXPECT_THROW(step(noiseTensor({4, 6}).shard(kTwo, 1).realize(),
                    noiseTensor({4, 6}).shard(kTwo).realize()),
               ShapeError);
}

TEST(ShardTest, Errors) {
  const Tensor x = noiseTensor({4, 6}).realize(), p = x.shard(kTwo, 1);
  EXPECT_ERROR(x.shard(kThree, 0), Error,
               "axis 0 of a tensor of shape [4, 6] has no equal parts for 3 "
               "devices");
  EXPECT_ERROR(x.shard(kTwo, 2), IndexError, "axis 2 is out of range");
  EXPECT_ERROR(x.shard({}), DeviceError, "there are no devices");
  EXPECT_ERROR(x.shard({"CPU:1", "CPU:1"}), DeviceError,
               "device CPU:1 is given twice");
  EXPECT_ERROR(p.shard(kTwo), Error,
               "parts along axis 1 on (CPU:1, CPU:2) already");
  EXPECT_ERROR(p + x, DeviceError,
               "(CPU:1, CPU:2) and " + x.device() + "; use shard()");
  EXPECT_ERROR(p + x.shard(kThree), DeviceError,
               "(CPU:1, CPU:2) and (CPU, CPU:1, CPU:2)");
  EXPECT_ERROR(Tensor(x).assign(p), DeviceError, "a value on (CPU:1");
  EXPECT_ERROR(p.reshape({24}), ShapeError,
               "would move elements between devices");
  EXPECT_ERROR(p.flip({1}), ShapeError, "flip: along axis 1");
  EXPECT_ERROR(p.pad({0, 1}), ShapeError, "pad: along axis 1");
  EXPECT_ERROR(p.shrink({{}, {1, 3}}), ShapeError, "is no device's part");
  Tensor target = p;
  EXPECT_ERROR((target.index({Slice(), Slice(0, 3)}) = 1.0), Error,
               "copies of one device's part");
  auto gradient = [](const Tensor &g) { return std::vector<Tensor>{g}; };
  EXPECT_ERROR(p.withGradient({p}, gradient), Error, "shards()");
  // The tensors are as before.
  expectSame(p, x);
}

TEST(ShardTest, Like) {
  const Tensor x = noiseTensor({4, 6}).realize();
  EXPECT_EQ(x.shardLike(x.shard(kTwo, 1)).shardAxis(), Axis(1));
  EXPECT_EQ(x.shardLike(x).devices().size(), 1u);
  EXPECT_EQ(x.shard(kTwo, 1).shardLike(x).device(), x.device());
  EXPECT_THROW(x.shard(kTwo).shardLike(x.shard(kTwo, 0)), Error);
  EXPECT_EQ(x.shard(kTwo, 1).zerosLike().shardAxis(), Axis(1));
  EXPECT_EQ(x.shard(kTwo, 1).emptyLike().shardAxis(), Axis(1));
}
