//===- PartAssignTest.cpp - assigning to parts of memory ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The part that a view shows changes, and nothing else; in place where nothing
/// needs the old contents.
///
//===----------------------------------------------------------------------===//

#include "TensorTest.h"
#include "TinyGrad/Runtime/Counters.h"

using namespace tinygrad;
using namespace tinygrad::testing;
using ::testing::HasSubstr;

namespace {
class PartAssignTest : public ::testing::Test {
protected:
  /// 0, 1, 2, ... in memory of its own.
  static Tensor memory(const Shape &shape) {
    Tensor x = counting(shape).contiguous();
    x.realize();
    return x;
  }

  Graph graph;
  GraphScope scope{graph};
};
} // namespace

TEST_F(PartAssignTest, Row) {
  Tensor x = memory({3, 2});
  const void *address = x.buffer().address();
  x.shrink({{1, 2}, {0, 2}}).assign(Tensor::from({{-1.0f, -2.0f}}));
  EXPECT_FALSE(x.isRealized());
  GlobalCounters::reset();
  expectTensor(x, {3, 2}, {0, 1, -1, -2, 4, 5});
  EXPECT_EQ(x.buffer().address(), address);
  EXPECT_EQ(GlobalCounters::kernelCount, 1);
}

TEST_F(PartAssignTest, WritesThePartAlone) {
  Tensor x = memory({64, 8});
  x.shrink({{3, 4}, {0, 8}}).assign(Tensor::from(noise(8), {1, 8}));
  // The assigned value is a row, and nothing pads or selects.
  const std::string text = x.graph();
  EXPECT_THAT(text, HasSubstr("tg.assign %0, %arg0 : tensor<1x8xf32>"));
  EXPECT_THAT(text, HasSubstr("tg.after %arg1[%1"));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("tg.where")));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("tg.pad")));
}

TEST_F(PartAssignTest, EveryKindOfView) {
  using View = std::function<Tensor(const Tensor &)>;
  const std::vector<View> views = {
      [](const Tensor &x) { return x.shrink({{1, 3}, {2, 4}}); },
      [](const Tensor &x) { return x.index({2}); },
      [](const Tensor &x) { return x.index({Slice(), 3}); },
      [](const Tensor &x) { return x.index({-1, 0}); },
      [](const Tensor &x) { return x.transpose().shrink({{1, 2}, {0, 4}}); },
      [](const Tensor &x) { return x.shrink({{1, 3}, {0, 6}}).transpose(); },
      [](const Tensor &x) { return x.flip(1).shrink({{0, 4}, {0, 2}}); },
      [](const Tensor &x) { return x.index({Slice(None, None, -2)}); },
      [](const Tensor &x) {
        return x.index({Slice(1, None, 2), Slice(None, None, 3)});
      },
      [](const Tensor &x) { return x.reshape({2, 2, 6})[1].flatten(); },
      [](const Tensor &x) {
        return x.shrink({{1, 4}, {0, 6}}).shrink({{1, 3}, {2, 3}});
      },
      [](const Tensor &x) { return x.flatten().shrink({{5, 17}}); },
      [](const Tensor &x) { return x.reshape({6, 4}); },
      [](const Tensor &x) { return x.shrink({{2, 2}, {0, 6}}); },
  };
  for (const View &view : views) {
    Tensor x = memory({4, 6});
    const std::vector<double> at = values(view(counting({4, 6})));
    Tensor part = view(x);
    Tensor value = (noiseTensor(part.shape()) + 100).contiguous();
    value.realize();
    std::vector<double> expected = values(x);
    const std::vector<double> given = values(value);
    for (std::size_t i = 0; i < at.size(); ++i)
      expected[std::size_t(at[i])] = given[i];
    part.assign(value);
    expectTensor(part, part.shape(), given);
    expectTensor(x, {4, 6}, expected);
  }
}

TEST_F(PartAssignTest, SeveralBeforeValuesAreAskedFor) {
  Tensor x = memory({4, 2});
  const void *address = x.buffer().address();
  for (int i = 0; i < 4; ++i)
    x.index({i}).assign(10 * i);
  x.index({Slice(), 1}).assign(x.index({Slice(), 0}) + 1);
  expectTensor(x, {4, 2}, {0, 1, 10, 11, 20, 21, 30, 31});
  EXPECT_EQ(x.buffer().address(), address);
  x.assign(x * 2);
  x.index({0, 0}).assign(-1);
  expectTensor(x, {4, 2}, {-1, 2, 20, 22, 40, 42, 60, 62});
}

TEST_F(PartAssignTest, OldValuesAreLeftAlone) {
  Tensor x = memory({3, 2});
  Tensor old = x.sum(), view = x.index({0});
  Tensor part = x.index({0});
  part.assign(7);
  expectTensor(x, {3, 2}, {7, 7, 2, 3, 4, 5});
  expectTensor(old, {}, {15});
  expectTensor(view, {2}, {0, 1});
  expectTensor(part, {2}, {7, 7});
}

TEST_F(PartAssignTest, FromAnotherPartOfTheSame) {
  Tensor x = memory({6});
  x.shrink({{1, 6}}).assign(x.shrink({{0, 5}}));
  expectTensor(x, {6}, {0, 0, 1, 2, 3, 4});
  x.assign(x.flip(0));
  x.shrink({{0, 3}}).assign(x.shrink({{3, 6}}));
  expectTensor(x, {6}, {1, 0, 0, 1, 0, 0});
}

TEST_F(PartAssignTest, CopiesOfTheHandle) {
  Tensor x = memory({2, 2}), same = x;
  x.index({1}).assign(Tensor::from({8.0f, 9.0f}));
  expectTensor(same, {2, 2}, {0, 1, 8, 9});
}

TEST_F(PartAssignTest, OfWhatIsNotInMemory) {
  Tensor x = counting({2, 2}) + 1;
  Tensor sum = x.sum();
  x.index({0}).assign(7);
  expectTensor(x, {2, 2}, {7, 7, 3, 4});
  expectTensor(sum, {}, {10});
  Tensor padded = x.pad({{0, 0}, {0, 1}});
  padded.shrink({{0, 2}, {1, 3}}).assign(5);
  expectTensor(padded, {2, 3}, {7, 5, 5, 3, 5, 5});
  expectTensor(x, {2, 2}, {7, 7, 3, 4});
}

TEST_F(PartAssignTest, EqualTensorsAreNotTheSame) {
  // One operation in the graph, and one buffer, but two tensors.
  Tensor x = Tensor::zeros({2, 2}).contiguous(),
         y = Tensor::zeros({2, 2}).contiguous();
  realize({x, y});
  x.index({0}).assign(1);
  y.index({1}).assign(2);
  expectTensor(x, {2, 2}, {1, 1, 0, 0});
  expectTensor(y, {2, 2}, {0, 0, 2, 2});
  Tensor z = y.reshape({2, 2});
  z.index({0, 0}).assign(3);
  expectTensor(y, {2, 2}, {0, 0, 2, 2});
  expectTensor(z, {2, 2}, {3, 0, 2, 2});
}

TEST_F(PartAssignTest, ViewsOfViews) {
  Tensor x = memory({3, 4});
  Tensor row = x.index({1});
  row.shrink({{1, 3}}).assign(-1);
  expectTensor(x, {3, 4}, {0, 1, 2, 3, 4, -1, -1, 7, 8, 9, 10, 11});
  // Made before, with the old values; still a view.
  expectTensor(row, {4}, {4, 5, 6, 7});
  Tensor column = x.index({Slice(), 0});
  x.assign(x * 2);
  column.assign(50);
  expectTensor(x, {3, 4}, {50, 2, 4, 6, 50, -2, -2, 14, 50, 18, 20, 22});
  column.assign(60);
  expectTensor(x, {3, 4}, {60, 2, 4, 6, 60, -2, -2, 14, 60, 18, 20, 22});
}

TEST_F(PartAssignTest, OfWhatEndsInAMovement) {
  // The last operation of a sum or of a product moves elements.
  Tensor sums = counting({2, 3}).sum(1);
  sums.index({0}).assign(-1);
  expectTensor(sums, {2}, {-1, 12});
  Tensor product = counting({2, 3}).matmul(counting({3}));
  product.index({1}).assign(-1);
  expectTensor(product, {2}, {5, -1});
  Tensor repeated = counting({2}).repeat({2});
  repeated.index({3}).assign(-1);
  expectTensor(repeated, {4}, {0, 1, 0, -1});
  Tensor x = memory({2, 2}), row = x.index({0});
  row.replace(sums);
  row.assign(5);
  row.index({0}).assign(6);
  expectTensor(row, {2}, {6, 5});
  expectTensor(x, {2, 2}, {0, 1, 2, 3});
  expectTensor(sums, {2}, {-1, 12});
}

TEST_F(PartAssignTest, OfWhatIsGoneOrComputed) {
  Tensor view = memory({2, 2}).index({0});
  view.assign(view + 1);
  expectTensor(view, {2}, {1, 2});
  // What has memory of its own is no view.
  Tensor x = memory({2, 2}), row = x.index({0});
  row.realize();
  row.assign(9);
  expectTensor(row, {2}, {9, 9});
  expectTensor(x, {2, 2}, {0, 1, 2, 3});
  // Nor are the copies that some methods make.
  x.pad({{0, 0}, {0, 1}}).assign(9);
  x.unsqueeze(0).expand({2, 2, 2}).assign(9);
  x.contiguous().assign(9);
  x.clone().assign(9);
  expectTensor(x, {2, 2}, {0, 1, 2, 3});
}

TEST_F(PartAssignTest, OfAllOfATensor) {
  // Whether a view shows a part or all depends on the arguments, what an
  // assignment to it changes does not.
  Tensor x = memory({2, 2});
  x.shrink({{0, 2}, {0, 2}}).assign(1);
  expectTensor(x, {2, 2}, {1, 1, 1, 1});
  x.index({Slice()}).assign(counting({2, 2}));
  expectTensor(x, {2, 2}, {0, 1, 2, 3});
  x.reshape({2, 2}).index({Slice()}).permute({0, 1}).assign(5);
  expectTensor(x, {2, 2}, {5, 5, 5, 5});
  Tensor rows = x.reshape({4}), all = rows.index({Slice()});
  all.assign(counting({4}));
  expectTensor(x, {2, 2}, {0, 1, 2, 3});
  all.assign(7);
  expectTensor(x, {2, 2}, {7, 7, 7, 7});
  Variable p("p", 0, 0);
  const SymInt at = p.bind(0);
  Tensor cache = memory({1, 2});
  cache.shrink({{at, at + 1}, {0, 2}}).assign(9);
  expectTensor(cache, {1, 2}, {9, 9});
  // Methods that compute give values, also where there is nothing to compute.
  x.cast(DType::Float32).assign(1);
  x.cast(DType::Float32).index({0}).assign(1);
  expectTensor(x, {2, 2}, {7, 7, 7, 7});
}

TEST_F(PartAssignTest, ConstantsHaveNoParts) {
  Tensor zeros = Tensor::zeros({4});
  EXPECT_ERROR(zeros.index({Slice(0, 2)}).assign(5), Error,
               "cannot be assigned to; give the tensor memory");
  EXPECT_ERROR(zeros.flip(0).assign(Tensor::arange(4, {}).toFloat()), Error,
               "contiguous()");
  zeros = zeros.contiguous();
  zeros.index({Slice(0, 2)}).assign(5);
  expectTensor(zeros, {4}, {5, 5, 0, 0});
  // The tensor itself can be assigned to.
  Tensor ones = Tensor::ones({2});
  ones.assign(3);
  expectTensor(ones, {2}, {3, 3});
}

TEST_F(PartAssignTest, Errors) {
  Tensor x = memory({3, 2});
  EXPECT_ERROR(x.index({0}).assign(counting({3})), ShapeError,
               "assign: a tensor of shape [3] cannot be broadcast to [2]");
  EXPECT_ERROR(x.index({0}).assign(Tensor::from({1, 2})), DTypeError, "int32");
  expectTensor(x, {3, 2}, {0, 1, 2, 3, 4, 5});
}
