//===- SymbolicShapeTest.cpp - tensors of symbolic shape ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Each operation with every value of small bounds, compared with the operation
/// on a tensor of that size: shape and elements agree, and all values share one
/// program.
///
//===----------------------------------------------------------------------===//

#include "SymbolicShapeTest.h"
#include "TinyGrad/Runtime/Environment.h"

using namespace tinygrad;
using namespace tinygrad::testing;

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

TEST_F(SymbolicShapeTest, Facts) {
  Tensor x = Tensor::ones({n, 4});
  EXPECT_EQ(x.shape(), (Shape{n, 4}));
  EXPECT_EQ(x.size(0), n);
  EXPECT_EQ(x.numel(), n * 4);
  EXPECT_TRUE(x.isSymbolic());
  EXPECT_FALSE(x.sum().isSymbolic());
  EXPECT_ERROR(x.concreteShape(), ShapeError, "bind variable n");
  Tensor y = Tensor::ones({n.bind(3), 4});
  EXPECT_EQ(y.concreteShape(), (std::vector<int64_t>{3, 4}));
  EXPECT_EQ(y.shape(), (Shape{n.bind(3), 4}));
  EXPECT_EQ(y.nbytes(), 48u);
  EXPECT_EQ(toString(y.shape()), "[n=3, 4]");
}

TEST_F(SymbolicShapeTest, Inference) {
  Tensor x = Tensor::ones({n, 4}), y = Tensor::ones({m, n});
  EXPECT_EQ(x.reshape({n * 4}).shape(), (Shape{n * 4}));
  EXPECT_EQ(x.reshape({n * 4}).reshape({n, 4}).shape(), (Shape{n, 4}));
  EXPECT_EQ(x.reshape({-1}).shape(), (Shape{n * 4}));
  EXPECT_EQ(x.reshape({2, -1}).shape(), (Shape{2, n * 2}));
  EXPECT_EQ(x.reshape({n * 2, -1}).shape(), (Shape{n * 2, 2}));
  EXPECT_EQ(x.flatten().shape(), (Shape{4 * n}));
  EXPECT_EQ(y.flatten().unflatten(0, {-1, n}).shape(), (Shape{m, n}));
  EXPECT_EQ(y.T().shape(), (Shape{n, m}));
  EXPECT_EQ(x.unsqueeze(1).expand({-1, m, -1}).shape(), (Shape{n, m, 4}));
  EXPECT_EQ(x.pad({{m, 1}, {0, n}}).shape(), (Shape{n + m + 1, n + 4}));
  EXPECT_EQ(Tensor::cat({x, x, Tensor::ones({2, 4})}).shape(),
            (Shape{n * 2 + 2, 4}));
  EXPECT_EQ(Tensor::stack({y, y}).shape(), (Shape{2, m, n}));
  EXPECT_EQ(x.repeat({2, m}).shape(), (Shape{n * 2, m * 4}));
  EXPECT_EQ(y.matmul(x).shape(), (Shape{m, 4}));
  EXPECT_EQ((x + Tensor::ones({1, 4})).shape(), (Shape{n, 4}));
  EXPECT_EQ(x.squeeze().shape(), (Shape{n, 4}));
  EXPECT_EQ(Tensor::arange(n).shape(), (Shape{n}));
  EXPECT_EQ(Tensor::arange(1, n * 2, 2).shape(), (Shape{n}));
  EXPECT_EQ(x.index({Slice(0, 1)}).shape(), (Shape{1, 4}));
  EXPECT_EQ(x.index({Slice(1, None)}).shape(), (Shape{n - 1, 4}));
}

TEST_F(SymbolicShapeTest, EqualExpressionsBroadcast) {
  Tensor x = Tensor::ones({n * 2 + n, 4}), y = Tensor::ones({n * 3, 1});
  EXPECT_EQ((x + y).shape(), (Shape{n * 3, 4}));
  EXPECT_EQ(x.flatten().shape(), Tensor::ones({4 * n, 3}).flatten().shape());
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

TEST_F(SymbolicShapeTest, Elementwise) {
  check([](SymInt n, SymInt) { return rows(n) * 2 + rows(n, 2); });
  check([](SymInt n, SymInt) { return columns(n).exp() - columns(n, 2); });
  checkBoth([](SymInt n, SymInt m) {
    return both(n, m).relu() + input({m}, {kMaxM}, 3);
  });
  checkBoth([](SymInt n, SymInt m) {
    return (both(n, m) > 0).where(both(n, m), -1);
  });
}

TEST_F(SymbolicShapeTest, Filled) {
  check([](SymInt n, SymInt) { return Tensor::full({n, 3}, 2.5); });
  check([](SymInt n, SymInt) { return Tensor::zeros({2, n}) + 1; });
  check([](SymInt n, SymInt) { return Tensor::eye(n); });
  checkBoth([](SymInt n, SymInt m) { return Tensor::eye(n, m); });
}

TEST_F(SymbolicShapeTest, TheVariableItself) {
  check([](SymInt n, SymInt) { return Tensor(n); });
  check([](SymInt n, SymInt) { return Tensor::full({3}, n * 2 + 1); });
  checkBoth([](SymInt n, SymInt m) { return counting({4}) * n - m; });
  checkBoth([](SymInt n, SymInt m) { return rows(n).sum() / (n * m); });
  check([](SymInt n, SymInt) { return n - Tensor::arange(4); });
  check([](SymInt n, SymInt) { return Tensor::arange(4) < n; });
}

TEST_F(SymbolicShapeTest, SymbolicOperands) {
  checkBoth(
      [](SymInt n, SymInt m) { return rows(n).pad({{1, 0}, {0, 2}}, m); });
  check([](SymInt n, SymInt) { return counting({7}).clamp(2, n); });
  check([](SymInt n, SymInt) { return counting({7}).maximum(n) + n; });
  check([](SymInt n, SymInt) { return Tensor::from({1, 2, -3}).pow(n); });
  check([](SymInt n, SymInt) { return counting({4}).pow(n); }, 1e-5);
  check([](SymInt n, SymInt) { return (counting({4}) < n).where(n, -1); });
  check([](SymInt n, SymInt) { return Tensor::full({2}, n, DType::Float16); });
  check([](SymInt n, SymInt) { return Tensor::full({2}, n - 1, DType::Bool); });
  check(
      [](SymInt n, SymInt) { return Tensor::full({2}, n, DType::UInt8) * n; });
  check([](SymInt n, SymInt) {
    Tensor x = Tensor::zeros({3}).contiguous();
    x.realize();
    return x.assign(n);
  });
  EXPECT_ERROR(Tensor::from(std::vector<int8_t>{1}) + n * 100, DTypeError,
               "add: n * 100 is not a value of int8");
  EXPECT_ERROR(Tensor::linspace(0, n, 3), ShapeError, "a constant is required");
}

TEST_F(SymbolicShapeTest, Ranges) {
  check([](SymInt n, SymInt) { return Tensor::arange(n); });
  checkBoth([](SymInt n, SymInt m) { return Tensor::arange(n, n + m); });
  check([](SymInt n, SymInt) { return Tensor::arange(2, 2 + n * 3, 3); });
  check([](SymInt n, SymInt) { return Tensor::arange(1, n + 1, 2); });
  check([](SymInt n, SymInt) { return Tensor::arange(n, 0, -1); });
}

TEST_F(SymbolicShapeTest, Reshape) {
  check([](SymInt n, SymInt) { return rows(n).reshape({n * 4}) + 1; });
  check([](SymInt n, SymInt) {
    return input({n * 4}, {kMaxN * 4}).reshape({n, 4}) * 2;
  });
  check([](SymInt n, SymInt) {
    return input({n * 4}, {kMaxN * 4}).reshape({4, n}) * 2;
  });
  check([](SymInt n, SymInt) { return columns(n).reshape({n * 3}) + 1; });
  check([](SymInt n, SymInt) { return columns(n).reshape({n, 3}) + 1; });
  checkBoth([](SymInt n, SymInt m) { return both(n, m).flatten() + 1; });
  checkBoth([](SymInt n, SymInt m) { return both(n, m).reshape({m, n}) + 1; });
  checkBoth([](SymInt n, SymInt m) {
    return both(n, m).unsqueeze(1).expand({n, 2, m}).reshape({n * 2, m});
  });
}

TEST_F(SymbolicShapeTest, ReshapeOfWhatIsInMemory) {
  check([](SymInt n, SymInt) {
    Tensor x = (columns(n) + 1).contiguous();
    x.realize();
    return x.reshape({n * 3}).contiguous();
  });
  check([](SymInt n, SymInt) {
    Tensor x = (rows(n) + 1).contiguous();
    x.realize();
    return x.reshape({n * 4}).contiguous();
  });
}

TEST_F(SymbolicShapeTest, Movement) {
  checkBoth([](SymInt n, SymInt m) { return both(n, m).T() + 1; });
  checkBoth([](SymInt n, SymInt m) { return both(n, m).flip({0, 1}); });
  checkBoth([](SymInt n, SymInt m) {
    return columns(n).unsqueeze(1).expand({3, m, n}) * 2;
  });
  checkBoth([](SymInt n, SymInt m) { return rows(n).pad({{m, 1}, {0, n}}); });
  checkBoth(
      [](SymInt n, SymInt m) { return rows(n).pad({{1, m}, {n, 0}}, 7); });
  checkBoth([](SymInt n, SymInt m) {
    return noiseTensor({12, 8}).shrink({{m, n + m}, {0, m}});
  });
  checkBoth([](SymInt n, SymInt m) {
    return rows(n).pad({{2, m}, {0, 0}}).shrink({{1, n + 1}, {1, 3}});
  });
  checkBoth([](SymInt n, SymInt m) { return both(n, m).repeat({2, n}); });
  check([](SymInt n, SymInt) { return columns(n).roll(1, 1); });
  check([](SymInt n, SymInt) { return columns(n).roll(-1, 1); });
}

TEST_F(SymbolicShapeTest, Joined) {
  checkBoth([](SymInt n, SymInt m) {
    return Tensor::cat({rows(n), counting({2, 4}), input({m, 4}, {kMaxM, 4})});
  });
  checkBoth([](SymInt n, SymInt m) {
    return Tensor::cat({both(n, m), both(n, m, 2)}, 1);
  });
  check([](SymInt n, SymInt) {
    return Tensor::cat({counting({2, 4}), rows(n)});
  });
  check([](SymInt n, SymInt) {
    return Tensor::stack({columns(n), columns(n, 2)}, 1);
  });
  checkBoth([](SymInt n, SymInt m) {
    Tensor joined = Tensor::cat({rows(n), input({m, 4}, {kMaxM, 4})});
    std::vector<Tensor> parts = joined.split(Shape{n, m});
    return parts[0].sum() - parts[1].sum(0);
  });
  check([](SymInt n, SymInt) {
    std::vector<Tensor> parts = input({n * 3, 2}, {kMaxN * 3, 2}).split(n);
    return parts[0] + parts[1] * parts[2];
  });
}

TEST_F(SymbolicShapeTest, Indexing) {
  check([](SymInt n, SymInt) { return rows(n).index({n - 1}); });
  check([](SymInt n, SymInt) { return rows(n).index({-1}); });
  check([](SymInt n, SymInt) { return noiseTensor({8, 3}).index({n}); });
  check([](SymInt n, SymInt) { return noiseTensor({8, 3})[n] * 2; });
  check([](SymInt n, SymInt) {
    return noiseTensor({8, 3}).index({Slice(n, None)});
  });
  check([](SymInt n, SymInt) {
    return noiseTensor({3, 8}).index({Slice(), Slice(None, n)});
  });
  checkBoth([](SymInt n, SymInt m) {
    return noiseTensor({12}).index({Slice(n, n + m)});
  });
  check([](SymInt n, SymInt) {
    return columns(n).index({Slice(), Slice(None, 3)});
  });
  check([](SymInt n, SymInt) {
    return columns(n).index({Slice(), Slice(2, None)});
  });
  check([](SymInt n, SymInt) {
    return columns(n).index({Slice(), Slice(-2, None)});
  });
  check([](SymInt n, SymInt) {
    return columns(n).index({Slice(None, None, -1), Slice(None, None, -1)});
  });
  check([](SymInt n, SymInt) {
    return columns(n).index({0, Slice(None, None, 2)});
  });
  check([](SymInt n, SymInt) {
    return columns(n).index({0, Slice(1, None, 2)});
  });
}

TEST_F(SymbolicShapeTest, Selecting) {
  check([](SymInt n, SymInt) {
    return rows(n).index({Tensor::from({0, -1, 5, 1})});
  });
  checkBoth([](SymInt n, SymInt m) {
    return both(n, m).indexSelect(1, Tensor::from({1, 0}));
  });
  check([](SymInt n, SymInt) {
    return noiseTensor({7, 3}).indexSelect(0, Tensor::arange(n));
  });
  check([](SymInt n, SymInt) {
    return rows(n).gather(0, Tensor::zeros({1, 4}, DType::Int32));
  });
  check([](SymInt n, SymInt) { return Tensor::from({0, 2, 4}).oneHot(n); });
  check([](SymInt n, SymInt) { return Tensor::arange(n).oneHot(4); });
  check([](SymInt n, SymInt) { return input({n, n}, {kMaxN, kMaxN}).tril(); });
  checkBoth([](SymInt n, SymInt m) { return both(n, m).triu(1); });
  check([](SymInt n, SymInt) { return rows(n).maskedFill(rows(n) < 0, -7); });
}

TEST_F(SymbolicShapeTest, Reductions) {
  check([](SymInt n, SymInt) { return rows(n).sum(); });
  check([](SymInt n, SymInt) { return rows(n).sum(0); });
  check([](SymInt n, SymInt) { return rows(n).sum(1); });
  check([](SymInt n, SymInt) { return columns(n).max(1); });
  check([](SymInt n, SymInt) { return columns(n).min(1); });
  check([](SymInt n, SymInt) { return columns(n).prod(0, true); });
  checkBoth([](SymInt n, SymInt m) { return both(n, m).sum({0, 1}); });
  check([](SymInt n, SymInt) { return columns(n).argmax(1); });
  check([](SymInt n, SymInt) { return columns(n).argmin(1); });
  check([](SymInt n, SymInt) { return (columns(n) > 0).all(1); });
  check([](SymInt n, SymInt) { return columns(n).logsumexp(1); });
}

TEST_F(SymbolicShapeTest, Statistics) {
  check([](SymInt n, SymInt) { return rows(n).mean(); });
  check([](SymInt n, SymInt) { return columns(n).mean(1); });
  check([](SymInt n, SymInt) { return columns(n).var(1); });
  check([](SymInt n, SymInt) { return columns(n).std(1, true, 0); });
  checkBoth([](SymInt n, SymInt m) { return both(n, m).mean({0, 1}); });
  checkBoth([](SymInt n, SymInt m) { return both(n, m).std(); });
  check([](SymInt n, SymInt) { return columns(n).layernorm(); }, 1e-5);
  check([](SymInt n, SymInt) { return columns(n).rmsnorm(); }, 1e-5);
}

TEST_F(SymbolicShapeTest, Softmax) {
  check([](SymInt n, SymInt) { return columns(n).softmax(); });
  check([](SymInt n, SymInt) { return rows(n).softmax(0); });
  check([](SymInt n, SymInt) { return columns(n).logSoftmax(1); });
}

TEST_F(SymbolicShapeTest, Products) {
  check(
      [](SymInt n, SymInt) { return rows(n).matmul(noiseTensor({4, 5}, 2)); });
  check([](SymInt n, SymInt) {
    return noiseTensor({5, 3}, 2).matmul(columns(n));
  });
  check([](SymInt n, SymInt) { return columns(n).matmul(rows(n)); });
  checkBoth([](SymInt n, SymInt m) {
    return both(n, m).matmul(input({m, n}, {kMaxM, kMaxN}));
  });
  check([](SymInt n, SymInt) {
    return rows(n).linear(noiseTensor({4, 2}), noiseTensor({2}, 5));
  });
  check([](SymInt n, SymInt) {
    return input({n}, {kMaxN}).dot(input({n}, {kMaxN}, 2));
  });
  check([](SymInt n, SymInt) {
    return input({n, 2, 5, 5}, {kMaxN, 2, 5, 5})
        .conv2d(noiseTensor({3, 2, 3, 3}, 2), noiseTensor({3}));
  });
  check([](SymInt n, SymInt) {
    return input({n, 2, 4, 4}, {kMaxN, 2, 4, 4}).maxPool2d();
  });
}

TEST_F(SymbolicShapeTest, Attention) {
  checkBoth([](SymInt n, SymInt m) {
    return input({2, m, 4}, {2, kMaxM, 4})
        .scaledDotProductAttention(input({2, n, 4}, {2, kMaxN, 4}, 2),
                                   input({2, n, 3}, {2, kMaxN, 3}, 3));
  });
  check([](SymInt n, SymInt) {
    Tensor x = input({2, n, 4}, {2, kMaxN, 4});
    return x.scaledDotProductAttention(x, x * 2, {}, true);
  });
}

TEST_F(SymbolicShapeTest, SizesOfConvolutions) {
  checkBoth(
      [](SymInt n, SymInt m) {
        return input({2, n, 4, 4}, {2, kMaxN, 4, 4})
            .conv2d(input({m, n, 3, 3}, {kMaxM, kMaxN, 3, 3}, 2),
                    input({m}, {kMaxM}, 3), {.padding = 1});
      },
      1e-5);
  check([](SymInt n, SymInt) {
    return input({n, n * 2, 5, 4}, {kMaxN, kMaxN * 2, 5, 4})
        .avgPool2d(2, {.stride = 1});
  });
}

TEST_F(SymbolicShapeTest, ElementTypesAndPlaces) {
  check([](SymInt n, SymInt) { return columns(n).cast(DType::Int32) + 1; });
  check([](SymInt n, SymInt) { return (columns(n) * 100).toHalf() * 2; }, 1e-3);
  check([](SymInt n, SymInt) { return columns(n).bitcast(DType::Int32) & 7; });
  check([](SymInt n, SymInt) { return columns(n).clone(); });
  check([](SymInt n, SymInt) { return columns(n).detach().contiguous(); });
  check([](SymInt n, SymInt) {
    return columns(n).emptyLike().assign(columns(n));
  });
  check([](SymInt n, SymInt) { return columns(n).onesLike() * columns(n); });
}

TEST_F(SymbolicShapeTest, SeveralResults) {
  Graph graph;
  GraphScope scope(graph);
  for (int64_t a = kMinN; a <= kMaxN; ++a)
    for (int64_t b = kMinM; b <= kMaxM; ++b) {
      Tensor x = Tensor::ones({n.bind(a), m.bind(b)}) * 2, rowSums = x.sum(1),
             sum = x.sum(), ofM = Tensor::arange(m.bind(b));
      realize({x, rowSums, sum, ofM});
      ASSERT_EQ(graph.numPrograms(), 1u);
      ASSERT_EQ(sum.item<float>(), float(2 * a * b));
      ASSERT_EQ(rowSums.tolist<float>(),
                std::vector<float>(std::size_t(a), float(2 * b)));
      ASSERT_EQ(x.tolist<float>(), std::vector<float>(std::size_t(a * b), 2));
      ASSERT_EQ(ofM.tolist<int>().back(), b - 1);
    }
}

TEST_F(SymbolicShapeTest, LargeSizes) {
  constexpr int64_t greatest = 300;
  Variable k("k", 1, greatest);
  Tensor x = noiseTensor({40, greatest}).contiguous(),
         y = noiseTensor({greatest, 48}, 2).contiguous();
  realize({x, y});
  const std::pair<const char *, std::function<Tensor(SymInt)>> cases[] = {
      {"elementwise",
       [&](SymInt k) { return x.shrink({{0, 40}, {0, k}}) * 2 + 1; }},
      {"softmax",
       [&](SymInt k) { return x.shrink({{0, 40}, {0, k}}).softmax(); }},
      {"softmax 0",
       [&](SymInt k) { return y.shrink({{0, k}, {0, 48}}).softmax(0); }},
      {"layernorm",
       [&](SymInt k) { return x.shrink({{0, 40}, {0, k}}).layernorm(); }},
      {"matmul K",
       [&](SymInt k) {
         return x.shrink({{0, 40}, {0, k}}).matmul(y.shrink({{0, k}, {0, 48}}));
       }},
      {"matmul M",
       [&](SymInt k) { return y.shrink({{0, k}, {0, 48}}).matmul(y.T()); }},
      {"matmul N",
       [&](SymInt k) { return x.T().matmul(x.shrink({{0, 40}, {0, k}})); }},
      {"transpose",
       [&](SymInt k) { return x.shrink({{0, 40}, {0, k}}).T().contiguous(); }},
      {"sum", [&](SymInt k) { return y.shrink({{0, k}, {0, 48}}).sum(); }},
      {"attention",
       [&](SymInt k) {
         Tensor part = y.shrink({{0, k}, {0, 48}});
         return part.scaledDotProductAttention(part, part + 1, {}, true);
       }},
      {"cat",
       [&](SymInt k) {
         return Tensor::cat({x.shrink({{0, 40}, {0, k}}), x}, 1);
       }},
      {"reshape",
       [&](SymInt k) {
         return x.shrink({{0, 40}, {0, k}}).reshape({k * 8, 5}).sum(1);
       }},
  };
  for (const auto &[name, body] : cases)
    for (int64_t value : {1, 7, 64, 65, 255, 300}) {
      SCOPED_TRACE(std::string(name) + " at " + std::to_string(value));
      Tensor symbolic = body(k.bind(value)), concrete = body(value);
      ASSERT_EQ(symbolic.concreteShape(), concrete.concreteShape());
      const std::vector<double> found = values(symbolic),
                                expected = values(concrete);
      for (std::size_t i = 0; i < found.size(); ++i)
        ASSERT_NEAR(found[i], expected[i],
                    2e-5 * std::max(1.0, std::fabs(expected[i])))
            << "at " << i;
    }
}

// Reductions in parts whose number does not depend on the length. The work
// depends on the actual length: with the maximal one, the test would not end.
TEST_F(SymbolicShapeTest, ReductionsOfAnyLength) {
  Variable k("k", 1, int64_t(1) << 40);
  Tensor half = Tensor::from<float>({0.5}).realize();
  for (int64_t length : {1, 63, 1000, 16383, 16384, 16385, 100001}) {
    SCOPED_TRACE(length);
    const SymInt size = k.bind(length);
    EXPECT_EQ(Tensor::ones({size}).sum().item<float>(), float(length));
    EXPECT_EQ(half.expand({size}).max().item<float>(), 0.5f);
    // Integers, so that sums are exact in any order.
    Tensor positions = Tensor::arange(SymInt(0), size).cast(DType::Int64);
    EXPECT_EQ(positions.sum().item<int64_t>(), length * (length - 1) / 2);
    EXPECT_EQ(positions.max().item<int64_t>(), length - 1);
  }
}

// Results do not depend on the number of threads.
TEST_F(SymbolicShapeTest, ReductionsInPartsOnThreads) {
  constexpr int64_t greatest = 1 << 20;
  Variable k("k", 1, greatest);
  Tensor x = noiseTensor({greatest}).realize();
  for (int64_t length : {int64_t(20000), int64_t(999999), greatest}) {
    auto sum = [&](int threads) {
      Context context({{"THREADS", threads}});
      return x.shrink({{0, k.bind(length)}}).sum().item<float>();
    };
    EXPECT_EQ(sum(1), sum(3)) << length;
    EXPECT_NEAR(sum(2), x.shrink({{0, length}}).sum().item<float>(), 1e-2);
  }
}

TEST_F(SymbolicShapeTest, RandomNumbersAreAPrefix) {
  const std::vector<double> all = [] {
    GraphScope scope{Graph()};
    Tensor::manualSeed(7);
    return values(Tensor::rand({kMaxN, 3}));
  }();
  Graph graph;
  GraphScope scope(graph);
  for (int64_t a = kMinN; a <= kMaxN; ++a) {
    Tensor::manualSeed(7);
    const std::vector<double> found = values(Tensor::rand({n.bind(a), 3}));
    EXPECT_EQ(found, std::vector<double>(all.begin(), all.begin() + a * 3));
    EXPECT_EQ(graph.numPrograms(), 1u);
  }
}
