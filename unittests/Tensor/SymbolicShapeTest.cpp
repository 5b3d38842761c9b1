//===- SymbolicShapeTest.cpp - tensors of symbolic shape ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Each operation with every value of small bounds, against the same operation
/// on a tensor of that size: shape and elements agree, and the values share one
/// program.
///
//===----------------------------------------------------------------------===//

#include "TensorTest.h"
#include "TinyGrad/Runtime/Counters.h"
#include "TinyGrad/Runtime/Environment.h"

using namespace tinygrad;
using namespace tinygrad::testing;

namespace {
/// The bounds of the variables n and m.
constexpr int64_t nMin = 1, nMax = 6, mMin = 2, mMax = 5;

/// What is computed from two sizes.
using Body = std::function<Tensor(SymInt n, SymInt m)>;

class SymbolicShapeTest : public ::testing::Test {
protected:
  Variable n{"n", nMin, nMax}, m{"m", mMin, mMax};

  /// The first part of a tensor of numbers without a pattern: the same elements
  /// whether its size is symbolic or not. Greatest sizes are given for both.
  static Tensor input(const Shape &shape, const Shape &greatest,
                      unsigned seed = 1) {
    std::vector<Part> parts;
    for (const SymInt &size : shape)
      parts.emplace_back(0, size);
    return noiseTensor(greatest, seed).shrink(parts);
  }
  static Tensor rows(SymInt n, unsigned seed = 1) {
    return input({n, 4}, {nMax, 4}, seed);
  }
  static Tensor columns(SymInt n, unsigned seed = 1) {
    return input({3, n}, {3, nMax}, seed);
  }
  static Tensor both(SymInt n, SymInt m, unsigned seed = 1) {
    return input({n, m}, {nMax, mMax}, seed);
  }

  /// For all values of n, and of m if it is used.
  void check(const Body &body, double tolerance = 1e-6, bool usesM = false) {
    Graph symbolicGraph, concreteGraph;
    std::size_t programs = 0;
    for (int64_t a = nMin; a <= nMax; ++a)
      for (int64_t b = mMin; b <= (usesM ? mMax : mMin); ++b) {
        SCOPED_TRACE("n = " + std::to_string(a) + ", m = " + std::to_string(b));
        Tensor concrete, symbolic;
        {
          GraphScope scope(concreteGraph);
          concrete = body(a, b);
          EXPECT_FALSE(concrete.isSymbolic());
        }
        GraphScope scope(symbolicGraph);
        symbolic = body(n.bind(a), m.bind(b));
        ASSERT_EQ(symbolic.concreteShape(), concrete.concreteShape())
            << toString(symbolic.shape());
        ASSERT_EQ(symbolic.dtype(), concrete.dtype());
        const std::vector<double> found = values(symbolic),
                                  expected = values(concrete);
        ASSERT_EQ(found.size(), expected.size());
        for (std::size_t i = 0; i < found.size(); ++i) {
          if (std::isnan(expected[i]))
            ASSERT_TRUE(std::isnan(found[i])) << "at " << i;
          else if (std::isinf(expected[i]))
            ASSERT_EQ(found[i], expected[i]) << "at " << i;
          else
            ASSERT_NEAR(found[i], expected[i],
                        tolerance * std::max(1.0, std::fabs(expected[i])))
                << "at " << i;
        }
        if (programs == 0)
          programs = symbolicGraph.numPrograms();
        ASSERT_EQ(symbolicGraph.numPrograms(), programs);
      }
  }
  void checkBoth(const Body &body, double tolerance = 1e-6) {
    check(body, tolerance, true);
  }
};
} // namespace

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
    return both(n, m).relu() + input({m}, {mMax}, 3);
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
    return input({n * 4}, {nMax * 4}).reshape({n, 4}) * 2;
  });
  check([](SymInt n, SymInt) {
    return input({n * 4}, {nMax * 4}).reshape({4, n}) * 2;
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
    return Tensor::cat({rows(n), counting({2, 4}), input({m, 4}, {mMax, 4})});
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
    Tensor joined = Tensor::cat({rows(n), input({m, 4}, {mMax, 4})});
    std::vector<Tensor> parts = joined.split(Shape{n, m});
    return parts[0].sum() - parts[1].sum(0);
  });
  check([](SymInt n, SymInt) {
    std::vector<Tensor> parts = input({n * 3, 2}, {nMax * 3, 2}).split(n);
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
  check([](SymInt n, SymInt) { return input({n, n}, {nMax, nMax}).tril(); });
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
    return both(n, m).matmul(input({m, n}, {mMax, nMax}));
  });
  check([](SymInt n, SymInt) {
    return rows(n).linear(noiseTensor({4, 2}), noiseTensor({2}, 5));
  });
  check([](SymInt n, SymInt) {
    return input({n}, {nMax}).dot(input({n}, {nMax}, 2));
  });
  check([](SymInt n, SymInt) {
    return input({n, 2, 5, 5}, {nMax, 2, 5, 5})
        .conv2d(noiseTensor({3, 2, 3, 3}, 2), noiseTensor({3}));
  });
  check([](SymInt n, SymInt) {
    return input({n, 2, 4, 4}, {nMax, 2, 4, 4}).maxPool2d();
  });
}

TEST_F(SymbolicShapeTest, Attention) {
  checkBoth([](SymInt n, SymInt m) {
    return input({2, m, 4}, {2, mMax, 4})
        .scaledDotProductAttention(input({2, n, 4}, {2, nMax, 4}, 2),
                                   input({2, n, 3}, {2, nMax, 3}, 3));
  });
  check([](SymInt n, SymInt) {
    Tensor x = input({2, n, 4}, {2, nMax, 4});
    return x.scaledDotProductAttention(x, x * 2, {}, true);
  });
}

TEST_F(SymbolicShapeTest, SizesOfConvolutions) {
  checkBoth(
      [](SymInt n, SymInt m) {
        return input({2, n, 4, 4}, {2, nMax, 4, 4})
            .conv2d(input({m, n, 3, 3}, {mMax, nMax, 3, 3}, 2),
                    input({m}, {mMax}, 3), {.padding = 1});
      },
      1e-5);
  check([](SymInt n, SymInt) {
    return input({n, n * 2, 5, 4}, {nMax, nMax * 2, 5, 4})
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
  for (int64_t a = nMin; a <= nMax; ++a)
    for (int64_t b = mMin; b <= mMax; ++b) {
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

// Reductions in parts, of which there are as many for every length. Work
// follows the length: with the greatest one of these, no test would end.
TEST_F(SymbolicShapeTest, ReductionsOfAnyLength) {
  Variable k("k", 1, int64_t(1) << 40);
  Tensor half = Tensor::from<float>({0.5}).realize();
  for (int64_t length : {1, 63, 1000, 16383, 16384, 16385, 100001}) {
    SCOPED_TRACE(length);
    const SymInt size = k.bind(length);
    EXPECT_EQ(Tensor::ones({size}).sum().item<float>(), float(length));
    EXPECT_EQ(half.expand({size}).max().item<float>(), 0.5f);
    // Of integers, exact in any order.
    Tensor positions = Tensor::arange(SymInt(0), size).cast(DType::Int64);
    EXPECT_EQ(positions.sum().item<int64_t>(), length * (length - 1) / 2);
    EXPECT_EQ(positions.max().item<int64_t>(), length - 1);
  }
}

// The same bits on any number of threads.
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
    return values(Tensor::rand({nMax, 3}));
  }();
  Graph graph;
  GraphScope scope(graph);
  for (int64_t a = nMin; a <= nMax; ++a) {
    Tensor::manualSeed(7);
    const std::vector<double> found = values(Tensor::rand({n.bind(a), 3}));
    EXPECT_EQ(found, std::vector<double>(all.begin(), all.begin() + a * 3));
    EXPECT_EQ(graph.numPrograms(), 1u);
  }
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

TEST_F(SymbolicShapeTest, BuffersAreOfTheGreatestSize) {
  Tensor x = columns(n.bind(2)).contiguous();
  x.realize();
  EXPECT_TRUE(x.isRealized());
  EXPECT_EQ(x.shape(), (Shape{3, n.bind(2)}));
  EXPECT_EQ(x.buffer().size(), 3u * nMax * sizeof(float));
  EXPECT_EQ(x.tolist<float>().size(), 6u);
  EXPECT_EQ(x.data<float>().size(), 6u);
  EXPECT_EQ(x.toHost().shape, (std::vector<int64_t>{3, 2}));
  expectTensor(x + 1, {3, n.bind(2)},
               values(noiseTensor({3, nMax}).shrink({{0, 3}, {0, 2}}) + 1));
}

TEST_F(SymbolicShapeTest, Print) {
  Tensor x = counting({3, 4}).contiguous();
  x.realize();
  EXPECT_EQ(x.shrink({{0, 3}, {0, Variable("k", 1, 4).bind(2)}}).str(),
            "[[0. 1.]\n [4. 5.]\n [8. 9.]]");
}

TEST_F(SymbolicShapeTest, FromWhatIsRealized) {
  check([](SymInt n, SymInt) {
    Tensor x = columns(n).contiguous();
    x.realize();
    Tensor y = (x * 2).contiguous();
    y.realize();
    return (y - x).sum(1);
  });
}

TEST_F(SymbolicShapeTest, ItemAndEmpty) {
  EXPECT_EQ(Tensor(n.bind(4)).item<int>(), 4);
  EXPECT_EQ(Tensor::ones({n.bind(1)}).item<float>(), 1);
  EXPECT_ERROR(Tensor::ones({n.bind(2)}).item<float>(), ShapeError,
               "2 elements, not 1");
  Variable k("k", 0, 3);
  EXPECT_EQ(Tensor::ones({k.bind(0)}).sum().item<float>(), 0);
  EXPECT_EQ(Tensor::ones({k.bind(3)}).sum().item<float>(), 3);
  EXPECT_TRUE((Tensor::ones({k.bind(0), 2}) + 1).tolist<float>().empty());
}

TEST_F(SymbolicShapeTest, Assign) {
  for (int64_t a = nMin; a <= nMax; ++a) {
    Tensor x = noiseTensor({3, nMax}).contiguous();
    x.realize();
    std::vector<double> expected = values(x);
    for (int64_t row = 0; row < 3; ++row)
      for (int64_t column = 0; column < a; ++column)
        expected[std::size_t(row * nMax + column)] = double(10 * row);
    const void *address = x.buffer().address();
    x.shrink({{0, 3}, {0, n.bind(a)}})
        .assign((Tensor::arange(3, DType::Float32) * 10).unsqueeze(1));
    expectTensor(x, {3, nMax}, expected);
    EXPECT_EQ(x.buffer().address(), address);
    Tensor part = columns(n.bind(a)).contiguous();
    part.realize();
    part.assign(part + 1);
    expectTensor(part, part.shape(), values(columns(n.bind(a)) + 1));
  }
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

TEST_F(SymbolicShapeTest, OneKernelForAllLengths) {
  Graph graph;
  GraphScope scope(graph);
  Variable length("length", 4, 8);
  Tensor data = counting({8}).contiguous();
  data.realize();
  graph.clearPrograms();
  for (int64_t value : {4, 8}) {
    EXPECT_EQ(data.shrink({{0, length.bind(value)}}).sum().item<float>(),
              float(value * (value - 1) / 2));
    EXPECT_EQ(graph.numPrograms(), 1u);
  }
}

TEST_F(SymbolicShapeTest, ManyLengthsCompileNothingNew) {
  Graph graph;
  GraphScope scope(graph);
  Variable length("length", 1, 1024);
  Tensor data = Tensor::ones({1024}).contiguous();
  data.realize();
  auto sum = [&](int64_t value) {
    return (data.shrink({{0, length.bind(value)}}) * 2).sum().item<float>();
  };
  EXPECT_EQ(sum(1), 2);
  const std::size_t programs = graph.numPrograms();
  GlobalCounters::reset();
  for (int64_t value = 1; value <= 1024; ++value)
    ASSERT_EQ(sum(value), float(2 * value));
  EXPECT_EQ(GlobalCounters::kernelsCompiled, 0);
  EXPECT_EQ(GlobalCounters::scheduleCacheHits, 1024);
  EXPECT_EQ(graph.numPrograms(), programs);
}

TEST_F(SymbolicShapeTest, TextOfTheGraphHasNoValues) {
  const std::string text = (rows(n.bind(3)).contiguous() + n.bind(3)).graph();
  EXPECT_THAT(text, ::testing::HasSubstr("#tg.var<\"n\", 1, 6>"));
  EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("1, 6, 3>")));
}

TEST_F(SymbolicShapeTest, KeyValueCache) {
  constexpr int64_t steps = 24, heads = 2, depth = 8;
  auto row = [](int64_t step, unsigned which) {
    return noiseTensor({heads, 1, depth}, unsigned(10 * step) + which);
  };
  Graph graph;
  GraphScope scope(graph);
  Variable position("position", 0, steps - 1);
  Tensor keys = Tensor::zeros({heads, steps, depth}).contiguous(),
         queries = Tensor::zeros({heads, steps, depth}).contiguous();
  realize({keys, queries});
  const void *address = nullptr;
  std::size_t programs = 0;
  std::vector<std::vector<double>> q, k, v; // by step
  for (int64_t step = 0; step < steps; ++step) {
    const SymInt at = position.bind(step);
    auto append = [&](Tensor &cache, const Tensor &row) {
      cache.shrink({{0, heads}, {at, at + 1}, {0, depth}}).assign(row);
      return cache.shrink({{0, heads}, {0, at + 1}, {0, depth}});
    };
    Tensor query = row(step, 1), key = row(step, 2), value = row(step, 3);
    Tensor found = query.scaledDotProductAttention(append(keys, key),
                                                   append(queries, value));
    q.push_back(values(query));
    k.push_back(values(key));
    v.push_back(values(value));
    const std::vector<double> result = values(found);
    // Two tensors of zeros are one buffer until one of them changes.
    if (step == 0)
      address = keys.buffer().address();
    EXPECT_EQ(keys.buffer().address(), address);
    if (step == 1)
      programs = graph.numPrograms();
    if (step > 1)
      EXPECT_EQ(graph.numPrograms(), programs);
    for (int64_t h = 0; h < heads; ++h) {
      std::vector<double> weights;
      double total = 0;
      for (int64_t i = 0; i <= step; ++i) {
        double score = 0;
        for (int64_t d = 0; d < depth; ++d)
          score += q[std::size_t(step)][std::size_t(h * depth + d)] *
                   k[std::size_t(i)][std::size_t(h * depth + d)];
        weights.push_back(std::exp(score / std::sqrt(double(depth))));
        total += weights.back();
      }
      for (int64_t d = 0; d < depth; ++d) {
        double expected = 0;
        for (int64_t i = 0; i <= step; ++i)
          expected += weights[std::size_t(i)] / total *
                      v[std::size_t(i)][std::size_t(h * depth + d)];
        EXPECT_NEAR(result[std::size_t(h * depth + d)], expected, 1e-5);
      }
    }
  }
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

TEST_F(SymbolicShapeTest, Unbound) {
  Graph graph;
  GraphScope scope(graph);
  Tensor x = Tensor::ones({n, 4}).contiguous();
  EXPECT_ERROR(x.realize(), ShapeError, "bind variable n to a value in [1, 6]");
  EXPECT_ERROR((x + 1).sum().item<float>(), ShapeError, "bind variable n");
  EXPECT_ERROR(Tensor(n * 2).item<int>(), ShapeError, "bind variable n");
  EXPECT_ERROR(Tensor::ones({n}).tolist<float>(), ShapeError,
               "bind variable n");
  Tensor memory = Tensor::from(noise(6));
  EXPECT_ERROR(memory.shrink({{0, n}}).realize(), ShapeError,
               "realize: there is a size without a value; bind variable n");
  EXPECT_EQ(graph.numPrograms(), 0u);
}

TEST_F(SymbolicShapeTest, OneNameTwoVariables) {
  Graph graph;
  GraphScope scope(graph);
  Variable other("n", 1, 9);
  Tensor x = Tensor::ones({n, 1}), y = Tensor::ones({1, other});
  EXPECT_ERROR(x + y, ShapeError,
               "variable n has the bounds [1, 6] in one place and [1, 9] in "
               "another");
  EXPECT_ERROR(Tensor::ones({n, other}), ShapeError,
               "variable n has the bounds");
  EXPECT_ERROR(x.expand({n, other}), ShapeError, "variable n has the bounds");
  EXPECT_ERROR(Tensor::ones({n.bind(2), 1}) + Tensor::ones({1, n.bind(3)}),
               ShapeError, "variable n is bound to 2 in one place and to 3");
  EXPECT_ERROR(Tensor::ones({n.bind(2)}) * n.bind(3), ShapeError,
               "variable n is bound to 2 in one place and to 3");
  EXPECT_ERROR(Tensor::ones({n.bind(2)}) + Tensor::ones({n}), ShapeError,
               "variable n is bound to 2 in one place and to no value");
  // Where no sizes meet, values do.
  Tensor sums =
      Tensor::ones({n.bind(2)}).sum() + Tensor::ones({n.bind(3)}).sum();
  EXPECT_ERROR(sums.realize(), ShapeError,
               "variable n is bound to 2 in one place and to 3 in another");
  EXPECT_EQ(graph.numPrograms(), 0u);
}

TEST_F(SymbolicShapeTest, NotShownEqual) {
  Tensor x = Tensor::ones({n, 4}), y = Tensor::ones({m, 4});
  EXPECT_ERROR(x + y, ShapeError,
               "add: shapes [n, 4], [m, 4] cannot be broadcast together; ");
  EXPECT_ERROR(x + y, ShapeError, " differ for m = 2, n = 1, as ");
  EXPECT_ERROR(x + Tensor::ones({3, 4}), ShapeError,
               "3 and n differ for n = 1");
  EXPECT_ERROR(
      x.reshape({n * 2, 3}), ShapeError,
      "has n * 4 elements, which do not fill [n * 2, 3]; n * 4 and n * "
      "6 differ for n = 1, as 4 and 6");
  EXPECT_ERROR(x.reshape({3, -1}), ShapeError, "do not fill [3, -1]");
  EXPECT_ERROR(x.matmul(y), ShapeError, "4 columns and m rows; 4 and m differ");
  EXPECT_ERROR(Tensor::cat({x.T(), y.T().pad({{0, 1}, {0, 0}})}, 1), ShapeError,
               "cat: shapes [4, n] and [5, m]");
  EXPECT_ERROR(Tensor::cat({x, y}, 1), ShapeError, "n and m differ for");
  EXPECT_ERROR(x.expand({m, 4}), ShapeError, "n and m differ for");
  // Equal for every value, but not in normal form.
  const SymInt odd = (n * n + n) % 2;
  EXPECT_ERROR(Tensor::ones({odd + 3}) + Tensor::ones({3}), ShapeError,
               "could not be shown to be equal");
}

TEST_F(SymbolicShapeTest, PartsThatMayBeOutside) {
  Tensor x = Tensor::ones({n, 4});
  EXPECT_ERROR(x.shrink({{0, 2}, {0, 4}}), IndexError,
               "shrink: axis 0 of [n, 4] has no part from 0 to 2; 2 is more "
               "than n for n = 1, as 2 and 1");
  EXPECT_ERROR(x.shrink({{0, n + 1}, {0, 4}}), IndexError, "0 to n + 1");
  EXPECT_ERROR(x.shrink({{m, n}, {0, 4}}), IndexError, "from m to n");
  EXPECT_ERROR(x.index({1}), IndexError,
               "index: position 1 is out of range for axis 0 of [n, 4]; 1 is "
               "more than n + -1 for n = 1, as 1 and 0");
  EXPECT_ERROR(x.index({n}), IndexError, "position n is out of range");
  EXPECT_ERROR(x.index({Slice(n - 2, None)}), IndexError,
               "from the start for some values");
  EXPECT_ERROR(x.pad({{n - 2, 0}, {0, -5}}), ShapeError, "pad: amounts");
  EXPECT_ERROR(Tensor::ones({n - m}), ShapeError, "ones: [");
  Variable z("z", 0, 6);
  EXPECT_ERROR(Tensor::ones({z, 4}).roll(3, 0), ShapeError,
               "roll: a shift by 3");
}

TEST_F(SymbolicShapeTest, ConstantsRequired) {
  Tensor x = Tensor::ones({n, 4}), image = Tensor::ones({1, 1, n, 5});
  EXPECT_ERROR(x.split(2), ShapeError,
               "split: a constant is required here, not the symbolic n");
  EXPECT_ERROR(x.chunk(2), ShapeError, "chunk: a constant is required");
  EXPECT_ERROR(Tensor::linspace(0, 1, n), ShapeError,
               "linspace: a constant is required");
  EXPECT_ERROR(image.conv2d(Tensor::ones({1, 1, 1, 1})), ShapeError,
               "conv2d: a constant is required here, not the symbolic n");
  EXPECT_ERROR(image.avgPool2d(), ShapeError, "avgPool2d: a constant");
  EXPECT_ERROR(Tensor::arange(0, n, n), ShapeError,
               "arange: the step: a constant is required");
  EXPECT_ERROR(x.index({Slice(None, None, n)}), ShapeError,
               "the step of a slice: a constant is required");
  EXPECT_ERROR(Tensor::from(std::vector<float>{1}, {n.bind(1)}), ShapeError,
               "from: a constant is required");
  EXPECT_ERROR(x.argmax(Variable("k", 0, 1)), ShapeError,
               "a constant is required");
}

TEST_F(SymbolicShapeTest, TooLarge) {
  Variable large("large", 1, int64_t(1) << 40);
  EXPECT_ERROR(Tensor::ones({large, 1 << 30}), ShapeError, "too large");
  EXPECT_ERROR(Tensor::ones({large}).reshape({-1, 1}).expand({large, 1 << 30}),
               ShapeError, "expand: [large, 1073741824]");
}
