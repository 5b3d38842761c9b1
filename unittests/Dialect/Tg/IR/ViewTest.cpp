//===- ViewTest.cpp - tests of views --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Compares views and chains of views with movement operations evaluated
/// element by element, on random small shapes. Symbolic ones are tested at all
/// values of their variables.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/IR/TgVariables.h"
#include "TinyGrad/Dialect/Tg/IR/TgView.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include "gtest/gtest.h"
#include <random>

using namespace mlir;
using namespace mlir::tg;

namespace {

/// For each element of a tensor, its position in the original tensor, or -1 for
/// a zero.
struct Elements {
  SmallVector<int64_t> shape;
  std::vector<int64_t> positions;
};

int64_t count(ArrayRef<int64_t> shape) {
  int64_t result = 1;
  for (int64_t size : shape)
    result *= size;
  return result;
}

SmallVector<int64_t> getIndex(ArrayRef<int64_t> shape, int64_t position) {
  SmallVector<int64_t> index(shape.size());
  for (size_t axis = shape.size(); axis-- > 0;) {
    index[axis] = position % shape[axis];
    position /= shape[axis];
  }
  return index;
}

/// The source that `getSource` returns for each index of a tensor of this
/// shape.
Elements move(const Elements &from, ArrayRef<int64_t> shape,
              function_ref<SmallVector<int64_t>(ArrayRef<int64_t>)> getSource) {
  Elements result{SmallVector<int64_t>(shape), {}};
  for (int64_t i = 0, e = count(shape); i < e; ++i) {
    SmallVector<int64_t> source = getSource(getIndex(shape, i));
    int64_t position = 0;
    bool isInside = true;
    for (auto [index, size] : llvm::zip_equal(source, from.shape)) {
      isInside &= index >= 0 && index < size;
      position = position * size + index;
    }
    result.positions.push_back(isInside ? from.positions[position] : -1);
  }
  return result;
}

Elements evaluate(Operation *op, const Elements &x) {
  SmallVector<int64_t> shape(
      cast<RankedTensorType>(op->getResult(0).getType()).getShape());
  if (isa<ReshapeOp>(op))
    return {shape, x.positions};
  return move(x, shape, [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> source(index);
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      if (auto permute = dyn_cast<PermuteOp>(op))
        source[permute.getOrder()[axis]] = index[axis];
      else if (isa<ExpandOp>(op) && x.shape[axis] == 1)
        source[axis] = 0;
      else if (auto pad = dyn_cast<PadOp>(op))
        source[axis] -= *Dim(pad.getLow()[axis]).getStatic();
      else if (auto shrink = dyn_cast<ShrinkOp>(op))
        source[axis] += *Dim(shrink.getFrom()[axis]).getStatic();
      else if (auto flip = dyn_cast<FlipOp>(op);
               flip && llvm::is_contained(flip.getAxes(), int64_t(axis)))
        source[axis] = shape[axis] - 1 - index[axis];
    }
    return source;
  });
}

/// Evaluates a chain view by view.
std::vector<int64_t> evaluate(const ViewChain &chain, ArrayRef<int64_t> shape) {
  std::optional<ViewEvaluator> evaluator = ViewEvaluator::get(chain);
  EXPECT_TRUE(evaluator.has_value());
  std::vector<int64_t> positions;
  for (int64_t i = 0, e = count(shape); evaluator && i < e; ++i)
    positions.push_back(
        evaluator->getPosition(getIndex(shape, i)).value_or(-1));
  return positions;
}

class ViewTest : public ::testing::Test {
protected:
  ViewTest() : builder(&context) {
    context.loadDialect<TgDialect>();
    module = ModuleOp::create(builder, builder.getUnknownLoc());
    builder.setInsertionPointToEnd(module->getBody());
  }

  int64_t pick(int64_t min, int64_t max) {
    return std::uniform_int_distribution<int64_t>(min, max)(random);
  }
  Dim number(int64_t value) { return Dim(&context, value); }
  SmallVector<Dim> numbers(ArrayRef<int64_t> values) {
    return llvm::map_to_vector(values, [&](int64_t v) { return number(v); });
  }
  Dim var(StringRef name, int64_t min, int64_t max) {
    return Dim(VarAttr::get(&context, builder.getStringAttr(name), min, max));
  }
  RankedTensorType type(ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, builder.getF32Type());
  }
  Value input(RankedTensorType type) {
    return BufferOp::create(builder, builder.getUnknownLoc(), type, 0, "CPU");
  }

  SmallVector<int64_t> pickShape(int64_t maxRank) {
    SmallVector<int64_t> shape(pick(1, maxRank));
    for (int64_t &size : shape)
      size = pick(1, 4);
    return shape;
  }
  /// A random shape with the same number of elements.
  SmallVector<int64_t> pickReshape(ArrayRef<int64_t> shape);
  Value pickMovement(Value x);
  Value pickSymbolicMovement(Value x, ArrayRef<Dim> variables);
  View pickView(int64_t space);

  MLIRContext context;
  OpBuilder builder;
  OwningOpRef<ModuleOp> module;
  std::mt19937 random{7};
};

SmallVector<int64_t> ViewTest::pickReshape(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> factors;
  for (int64_t rest : shape)
    for (int64_t prime = 2; rest > 1;) {
      if (rest % prime != 0) {
        ++prime;
        continue;
      }
      factors.push_back(prime);
      rest /= prime;
    }
  if (pick(0, 3) == 0)
    std::shuffle(factors.begin(), factors.end(), random);
  SmallVector<int64_t> result;
  for (int64_t factor : factors) {
    if (!result.empty() && pick(0, 1))
      result.back() *= factor;
    else
      result.push_back(factor);
    if (pick(0, 7) == 0)
      result.push_back(1);
  }
  if (result.empty() && pick(0, 3) != 0)
    result.push_back(1);
  return result;
}

Value ViewTest::pickMovement(Value x) {
  Location loc = builder.getUnknownLoc();
  auto from = cast<RankedTensorType>(x.getType());
  SmallVector<int64_t> shape(from.getShape());
  switch (pick(0, 5)) {
  case 0: {
    SmallVector<int64_t> order(
        llvm::to_vector(llvm::seq<int64_t>(0, shape.size())));
    std::shuffle(order.begin(), order.end(), random);
    return PermuteOp::create(builder, loc, x, order);
  }
  case 1:
    for (int64_t &size : shape)
      if (size == 1)
        size = pick(1, 3);
    return ExpandOp::create(builder, loc, type(shape), x);
  case 2: {
    SmallVector<int64_t> low, high;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      low.push_back(std::max<int64_t>(pick(-2, 2), 0));
      high.push_back(std::max<int64_t>(pick(-2, 2), 0));
    }
    return PadOp::create(builder, loc, x, low, high);
  }
  case 3: {
    SmallVector<int64_t> begin, end;
    for (int64_t size : shape) {
      begin.push_back(pick(0, std::max<int64_t>(size - 1, 0)));
      end.push_back(size == 0 || pick(0, 30) == 0
                        ? begin.back()
                        : pick(begin.back() + 1, size));
      if (pick(0, 1)) {
        begin.back() = 0;
        end.back() = size;
      }
    }
    return ShrinkOp::create(builder, loc, x, begin, end);
  }
  case 4: {
    SmallVector<int64_t> axes;
    for (size_t axis = 0; axis < shape.size(); ++axis)
      if (pick(0, 1))
        axes.push_back(axis);
    return FlipOp::create(builder, loc, x.getType(), x, axes);
  }
  default:
    return ReshapeOp::create(
        builder, loc,
        from.getNumElements() == 0 ? from : type(pickReshape(shape)), x);
  }
}

/// A chain built from movement operations gives the same elements.
TEST_F(ViewTest, RandomMovements) {
  int64_t numChains = 0, numOps = 0, numLinks = 0;
  for (int round = 0; round < 6000; ++round) {
    module->getBody()->clear();
    SmallVector<int64_t> shape = pickShape(4);
    Value x = input(type(shape));
    ViewChain chain(type(shape));
    Elements elements{shape, {}};
    for (int64_t i = 0, e = count(shape); i < e; ++i)
      elements.positions.push_back(i);
    for (int64_t i = pick(1, 7); i > 0; --i) {
      Value next = pickMovement(x);
      if (cast<RankedTensorType>(next.getType()).getNumElements() > 400)
        break;
      x = next;
      Operation *op = x.getDefiningOp();
      elements = evaluate(op, elements);
      chain.apply(op);
      ++numOps;
      ASSERT_EQ(evaluate(chain, elements.shape), elements.positions)
          << "round " << round;
      ASSERT_TRUE(succeeded(
          chain.verify([&] { return emitError(builder.getUnknownLoc()); })));
      std::optional<Dim> offset = chain.getContiguousOffset();
      for (auto [i, position] : llvm::enumerate(elements.positions))
        if (offset)
          ASSERT_EQ(position, *offset->getStatic() + int64_t(i));
    }
    ++numChains;
    numLinks += chain.getViews().size();
  }
  // Most chains merge into one view.
  EXPECT_LT(numLinks, numChains * 5 / 4) << numOps << " operations";
}

/// A random view that stays in a space of `space` positions.
View ViewTest::pickView(int64_t space) {
  View view;
  const SmallVector<int64_t> shape = pickShape(3);
  view.shape.append(
      llvm::map_to_vector<4>(shape, [&](int64_t n) { return number(n); }));
  int64_t least = 0, greatest = 0;
  for (int64_t size : shape) {
    int64_t begin = pick(0, size - 1), end = pick(begin + 1, size);
    if (pick(0, 1)) {
      begin = 0;
      end = size;
    }
    int64_t stride = 0;
    // As long as it stays within the space.
    for (int tries = 0; tries < 4; ++tries) {
      stride = pick(-space / 2, space / 2);
      int64_t a = begin * stride, b = (end - 1) * stride;
      if (greatest - least + std::abs(a - b) < space) {
        least += std::min(a, b);
        greatest += std::max(a, b);
        break;
      }
      stride = 0;
    }
    view.strides.push_back(number(stride));
    view.mask.push_back({number(begin), number(end)});
  }
  view.offset = number(pick(-least, space - 1 - greatest));
  view.normalize();
  return view;
}

/// Views with strides that movement operations cannot produce.
TEST_F(ViewTest, RandomMerges) {
  int64_t numMerged = 0;
  constexpr int rounds = 20000;
  for (int round = 0; round < rounds; ++round) {
    const int64_t size = pick(1, 24);
    View inner = pickView(size);
    int64_t space = 1;
    for (Dim dim : inner.shape)
      space *= *dim.getStatic();
    View outer = pickView(space);
    std::optional<View> merged = View::merge(inner, outer);
    if (!merged)
      continue;
    ++numMerged;
    EXPECT_TRUE(merged->isWithin(number(size)));
    auto evaluateViews = [&](ArrayRef<View> views) {
      SmallVector<Attribute> attrs;
      for (const View &view : views)
        attrs.push_back(view.getAttr());
      return evaluate(
          ViewChain(type({size}), builder.getArrayAttr(attrs)),
          *getStaticDims(builder.getArrayAttr(outer.getAttr().getShape())));
    };
    ASSERT_EQ(evaluateViews({*merged}), evaluateViews({inner, outer}))
        << "round " << round;
  }
  EXPECT_GT(numMerged, rounds / 5);
}

/// Builds a random movement operation; amounts may be variables.
Value ViewTest::pickSymbolicMovement(Value x, ArrayRef<Dim> variables) {
  Location loc = builder.getUnknownLoc();
  SmallVector<Dim> shape = tg::getDims(cast<RankedTensorType>(x.getType()));
  Type f32 = builder.getF32Type();
  auto pickAmount = [&] {
    return pick(0, 2) == 0 ? variables[pick(0, variables.size() - 1)]
                           : number(pick(0, 2));
  };
  auto toAttr = [&](ArrayRef<Dim> dims) {
    return builder.getArrayAttr(
        llvm::map_to_vector(dims, [](Dim dim) { return dim.getAttr(); }));
  };
  switch (pick(0, 6)) {
  case 0: {
    SmallVector<int64_t> order(
        llvm::to_vector(llvm::seq<int64_t>(0, shape.size())));
    std::shuffle(order.begin(), order.end(), random);
    return PermuteOp::create(builder, loc, x, order);
  }
  case 1:
    for (Dim &size : shape)
      if (size.is(1))
        size = pickAmount();
    return ExpandOp::create(builder, loc, getTensorType(shape, f32), x);
  case 2: {
    SmallVector<Dim> low, high;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      low.push_back(pick(0, 1) ? number(0) : pickAmount());
      high.push_back(pick(0, 1) ? number(0) : pickAmount());
    }
    return PadOp::create(builder, loc, x, toAttr(low), toAttr(high));
  }
  case 3: {
    SmallVector<Dim> begin, end;
    for (Dim size : shape) {
      Dim from = pickAmount(), to = size - pickAmount();
      if (pick(0, 1) || (to - from).getMin() < 0) {
        from = number(0);
        to = size;
      }
      // Bounds may also fail to prove that a size with the square of a variable
      // is not negative.
      if ((to - from).getMin() < 0)
        return x;
      begin.push_back(from);
      end.push_back(to);
    }
    return ShrinkOp::create(builder, loc, x, toAttr(begin), toAttr(end));
  }
  case 4: {
    SmallVector<int64_t> axes;
    for (size_t axis = 0; axis < shape.size(); ++axis)
      if (pick(0, 1))
        axes.push_back(axis);
    return FlipOp::create(builder, loc, x.getType(), x, axes);
  }
  case 5: {
    // Merge two axes.
    if (shape.size() < 2)
      return x;
    const size_t axis = pick(0, shape.size() - 2);
    shape[axis] = shape[axis] * shape[axis + 1];
    shape.erase(shape.begin() + axis + 1);
    return ReshapeOp::create(builder, loc, getTensorType(shape, f32), x);
  }
  default: {
    // Split an axis.
    const size_t axis = pick(0, shape.size() - 1);
    Dim inner = pick(0, 1) ? number(pick(1, 3)) : variables[0];
    Dim outer = Dim::get(DimOpKind::floordiv, shape[axis], inner);
    if (outer * inner != shape[axis])
      return x;
    shape[axis] = inner;
    shape.insert(shape.begin() + axis, outer);
    return ReshapeOp::create(builder, loc, getTensorType(shape, f32), x);
  }
  }
}

/// A symbolic chain is correct for all values of its variables: substituting
/// them gives the same elements as the operations.
TEST_F(ViewTest, RandomSymbolicMovements) {
  Dim n = var("n", 1, 4), m = var("m", 0, 3);
  int64_t numLinks = 0;
  constexpr int rounds = 1500;
  for (int round = 0; round < rounds; ++round) {
    module->getBody()->clear();
    SmallVector<Dim> shape;
    for (int64_t i = pick(1, 3); i > 0; --i) {
      Dim choices[] = {n, n * number(2), n + m, number(pick(1, 4))};
      shape.push_back(choices[pick(0, 3)]);
    }
    RankedTensorType base = getTensorType(shape, builder.getF32Type());
    Value x = input(base);
    ViewChain chain(base);
    SmallVector<Operation *> ops;
    for (int64_t i = pick(1, 5); i > 0; --i) {
      Value next = pickSymbolicMovement(x, {n, m});
      if (next == x)
        continue;
      x = next;
      ops.push_back(x.getDefiningOp());
      chain.apply(ops.back());
    }
    auto resultType = cast<RankedTensorType>(x.getType());
    ASSERT_EQ(chain.getShape(), ArrayRef<Dim>(tg::getDims(resultType)));
    ASSERT_TRUE(succeeded(
        chain.verify([&] { return emitError(builder.getUnknownLoc()); })));
    numLinks += chain.getViews().size();
    ArrayAttr attr = chain.getAttr();
    std::optional<Dim> offset = chain.getContiguousOffset();
    for (int64_t valueOfN = 1; valueOfN <= 4; ++valueOfN)
      for (int64_t valueOfM = 0; valueOfM <= 3; ++valueOfM) {
        auto bind = [this, valueOfN, valueOfM](VarAttr variable) {
          return number(variable.getName() == "n" ? valueOfN : valueOfM);
        };
        AttrTypeReplacer replacer = getVariableReplacer(bind);
        auto boundType = cast<RankedTensorType>(replacer.replace(base));
        Elements elements{SmallVector<int64_t>(boundType.getShape()), {}};
        for (int64_t i = 0, e = boundType.getNumElements(); i < e; ++i)
          elements.positions.push_back(i);
        for (Operation *op : ops) {
          Operation *bound = op->clone();
          replacer.replaceElementsIn(bound, true, false, true);
          elements = evaluate(bound, elements);
          bound->destroy();
        }
        if (count(elements.shape) > 2000)
          continue;
        ViewChain boundChain(boundType,
                             cast<ArrayAttr>(replacer.replace(attr)));
        ASSERT_EQ(evaluate(boundChain, elements.shape), elements.positions)
            << "round " << round << ", n " << valueOfN << ", m " << valueOfM;
        if (!offset || llvm::is_contained(elements.positions, -1))
          continue;
        // In memory, both tensors have the strides of their maximal shapes.
        auto getPlace = [](ArrayRef<Dim> largest, ArrayRef<int64_t> size,
                           int64_t position) {
          int64_t place = 0;
          SmallVector<int64_t> index = getIndex(size, position);
          for (auto [i, dim] : llvm::zip_equal(index, largest))
            place = place * dim.getMax() + i;
          return place;
        };
        int64_t begin = *offset->substitute(bind).getStatic();
        for (auto [i, position] : llvm::enumerate(elements.positions))
          ASSERT_EQ(getPlace(shape, boundType.getShape(), position),
                    begin + getPlace(chain.getShape(), elements.shape, i))
              << "round " << round;
      }
  }
  EXPECT_LT(numLinks, rounds * 3 / 2);
}

} // namespace
