//===- SymbolicProgramTest.cpp - programs of symbolic shape ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Memory, programs and errors of tensors whose shapes have variables.
///
//===----------------------------------------------------------------------===//

#include "SymbolicShapeTest.h"
#include "TinyGrad/Runtime/Counters.h"

using namespace tinygrad;
using namespace tinygrad::testing;
namespace {
class SymbolicProgramTest : public SymbolicShapeTest {};
} // namespace

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

TEST_F(SymbolicProgramTest, BuffersAreOfTheGreatestSize) {
  Tensor x = columns(n.bind(2)).contiguous();
  x.realize();
  EXPECT_TRUE(x.isRealized());
  EXPECT_EQ(x.shape(), (Shape{3, n.bind(2)}));
  EXPECT_EQ(x.buffer().size(), 3u * kMaxN * sizeof(float));
  EXPECT_EQ(x.tolist<float>().size(), 6u);
  EXPECT_EQ(x.data<float>().size(), 6u);
  EXPECT_EQ(x.toHost().shape, (std::vector<int64_t>{3, 2}));
  expectTensor(x + 1, {3, n.bind(2)},
               values(noiseTensor({3, kMaxN}).shrink({{0, 3}, {0, 2}}) + 1));
}

TEST_F(SymbolicProgramTest, Print) {
  Tensor x = counting({3, 4}).contiguous();
  x.realize();
  EXPECT_EQ(x.shrink({{0, 3}, {0, Variable("k", 1, 4).bind(2)}}).str(),
            "[[0. 1.]\n [4. 5.]\n [8. 9.]]");
}

TEST_F(SymbolicProgramTest, FromWhatIsRealized) {
  check([](SymInt n, SymInt) {
    Tensor x = columns(n).contiguous();
    x.realize();
    Tensor y = (x * 2).contiguous();
    y.realize();
    return (y - x).sum(1);
  });
}

TEST_F(SymbolicProgramTest, ItemAndEmpty) {
  EXPECT_EQ(Tensor(n.bind(4)).item<int>(), 4);
  EXPECT_EQ(Tensor::ones({n.bind(1)}).item<float>(), 1);
  EXPECT_ERROR(Tensor::ones({n.bind(2)}).item<float>(), ShapeError,
               "2 elements, not 1");
  Variable k("k", 0, 3);
  EXPECT_EQ(Tensor::ones({k.bind(0)}).sum().item<float>(), 0);
  EXPECT_EQ(Tensor::ones({k.bind(3)}).sum().item<float>(), 3);
  EXPECT_TRUE((Tensor::ones({k.bind(0), 2}) + 1).tolist<float>().empty());
}

TEST_F(SymbolicProgramTest, Assign) {
  for (int64_t a = kMinN; a <= kMaxN; ++a) {
    Tensor x = noiseTensor({3, kMaxN}).contiguous();
    x.realize();
    std::vector<double> expected = values(x);
    for (int64_t row = 0; row < 3; ++row)
      for (int64_t column = 0; column < a; ++column)
        expected[std::size_t(row * kMaxN + column)] = double(10 * row);
    const void *address = x.buffer().address();
    x.shrink({{0, 3}, {0, n.bind(a)}})
        .assign((Tensor::arange(3, DType::Float32) * 10).unsqueeze(1));
    expectTensor(x, {3, kMaxN}, expected);
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

TEST_F(SymbolicProgramTest, OneKernelForAllLengths) {
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

TEST_F(SymbolicProgramTest, ManyLengthsCompileNothingNew) {
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

TEST_F(SymbolicProgramTest, TextOfTheGraphHasNoValues) {
  const std::string text = (rows(n.bind(3)).contiguous() + n.bind(3)).graph();
  EXPECT_THAT(text, ::testing::HasSubstr("#tg.var<\"n\", 1, 6>"));
  EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("1, 6, 3>")));
}

TEST_F(SymbolicProgramTest, KeyValueCache) {
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
    // Two tensors of zeros share a buffer until one of them changes.
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

TEST_F(SymbolicProgramTest, Unbound) {
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
               "realize: a size has no value; bind variable n");
  EXPECT_EQ(graph.numPrograms(), 0u);
}

TEST_F(SymbolicProgramTest, OneNameTwoVariables) {
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
  // The sizes are not compared, but the values of the variable conflict.
  Tensor sums =
      Tensor::ones({n.bind(2)}).sum() + Tensor::ones({n.bind(3)}).sum();
  EXPECT_ERROR(sums.realize(), ShapeError,
               "variable n is bound to 2 in one place and to 3 in another");
  EXPECT_EQ(graph.numPrograms(), 0u);
}

TEST_F(SymbolicProgramTest, NotShownEqual) {
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

TEST_F(SymbolicProgramTest, PartsThatMayBeOutside) {
  Tensor x = Tensor::ones({n, 4});
  EXPECT_ERROR(x.shrink({{0, 2}, {0, 4}}), IndexError,
               "shrink: axis 0 of [n, 4] has no part from 0 to 2; 2 is more "
               "than n for n = 1, as 2 and 1");
  EXPECT_ERROR(x.shrink({{0, n + 1}, {0, 4}}), IndexError, "0 to n + 1");
  EXPECT_ERROR(x.shrink({{m, n}, {0, 4}}), IndexError, "from m to n");
  EXPECT_ERROR(x.index({1}), IndexError,
               "index: position 1 is out of bounds for axis 0 of [n, 4]; 1 is "
               "more than n + -1 for n = 1, as 1 and 0");
  EXPECT_ERROR(x.index({n}), IndexError, "position n is out of bounds");
  EXPECT_ERROR(x.index({Slice(n - 2, None)}), IndexError,
               "from the start for some values");
  EXPECT_ERROR(x.pad({{n - 2, 0}, {0, -5}}), ShapeError, "pad: amounts");
  EXPECT_ERROR(Tensor::ones({n - m}), ShapeError, "ones: [");
  Variable z("z", 0, 6);
  EXPECT_ERROR(Tensor::ones({z, 4}).roll(3, 0), ShapeError,
               "roll: a shift by 3");
}

TEST_F(SymbolicProgramTest, ConstantsRequired) {
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

TEST_F(SymbolicProgramTest, TooLarge) {
  Variable large("large", 1, int64_t(1) << 40);
  EXPECT_ERROR(Tensor::ones({large, 1 << 30}), ShapeError, "too large");
  EXPECT_ERROR(Tensor::ones({large}).reshape({-1, 1}).expand({large, 1 << 30}),
               ShapeError, "expand: [large, 1073741824]");
}
