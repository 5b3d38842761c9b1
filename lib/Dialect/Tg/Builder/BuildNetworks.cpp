//===- BuildNetworks.cpp - what networks are made of ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The functions of TgBuilder that follow recipes.
///
//===----------------------------------------------------------------------===//

#include "BuilderValue.h"
#include "TinyGrad/Dialect/Tg/Builder/Recipes.h"
#include "TinyGrad/Dialect/Tg/Builder/TgBuilder.h"
#include <limits>

using namespace mlir;
using namespace mlir::tg;
using recipes::Window;

/// What sums of products of a type are added up in.
static Type getSumType(Type element) {
  MLIRContext *context = element.getContext();
  if (element.getIntOrFloatBitWidth() >= 32)
    return element;
  if (isa<FloatType>(element))
    return Float32Type::get(context);
  return IntegerType::get(context, 32,
                          element.isUnsignedInteger() ? IntegerType::Unsigned
                                                      : IntegerType::Signless);
}

namespace {
/// What errors say of shapes and sizes.
struct FaultText {
  MLIRContext *context;
  std::string operator()(const BuilderShape &shape) const {
    return toString(shape.getDims(context));
  }
  std::string operator()(const BuilderSize &size) const {
    return size.getDim(context).str();
  }
  std::string operator()(const BuilderSize &a, const BuilderSize &b) const {
    const Dim lhs = a.getDim(context), rhs = b.getDim(context);
    return lhs.isStatic() && rhs.isStatic()
               ? ""
               : "; " + explainDifference(lhs, rhs);
  }
};
} // namespace

FailureOr<Value> TgBuilder::matmul(Value lhs, Value rhs, Type accumulate) {
  if (failed(check("matmul", lhs)) || failed(check("matmul", rhs)) ||
      failed(checkSameElements("matmul", lhs, rhs)))
    return failure();
  const BuilderShape a(getShape(lhs)), b(getShape(rhs));
  if (!recipes::haveProduct(a, b))
    return emitError() << "matmul: "
                       << recipes::findProductFault(
                              a, b, FaultText{builder.getContext()});
  const Type element = getElementTypeOrSelf(lhs);
  return recipes::matmul(BuilderValue(*this, lhs), BuilderValue(*this, rhs),
                         accumulate ? accumulate : getSumType(element), element)
      .get();
}

//===----------------------------------------------------------------------===//
// Exponentials and statistics
//===----------------------------------------------------------------------===//

FailureOr<Value> TgBuilder::softmax(Value x, int64_t axis) {
  if (failed(checkFloat("softmax", x)))
    return failure();
  FailureOr<SmallVector<int64_t>> axes = getAxes("softmax", axis, x);
  if (failed(axes))
    return failure();
  return inFloat(x, [&](Value wide) -> FailureOr<Value> {
    BuilderValue largest(*this, reduce(ReduceKind::max, wide, *axes, true));
    return recipes::softmax(BuilderValue(*this, wide), largest, *axes).get();
  });
}

FailureOr<Value> TgBuilder::logSoftmax(Value x, int64_t axis) {
  if (failed(checkFloat("logSoftmax", x)))
    return failure();
  FailureOr<SmallVector<int64_t>> axes = getAxes("logSoftmax", axis, x);
  if (failed(axes))
    return failure();
  return inFloat(x, [&](Value wide) -> FailureOr<Value> {
    BuilderValue largest(*this, reduce(ReduceKind::max, wide, *axes, true));
    return recipes::logSoftmax(BuilderValue(*this, wide), largest, *axes).get();
  });
}

FailureOr<Value> TgBuilder::logSumExp(Value x, ArrayRef<int64_t> axes,
                                      bool keepAxes) {
  if (failed(checkFloat("logSumExp", x)))
    return failure();
  FailureOr<SmallVector<int64_t>> list = getAxes("logSumExp", axes, x);
  if (failed(list))
    return failure();
  FailureOr<Value> result = inFloat(x, [&](Value wide) -> FailureOr<Value> {
    const auto logOfSum = [](const BuilderValue &sum) {
      return (sum == 0).where(sum.detach(), sum).log();
    };
    BuilderValue largest(*this, reduce(ReduceKind::max, wide, *list, true));
    return recipes::logSumExp(BuilderValue(*this, wide), largest, *list,
                              logOfSum)
        .get();
  });
  return failed(result) || keepAxes ? result : dropAxes(*result, *list);
}

/// The number of elements along axes.
static Dim getCount(Value x, ArrayRef<int64_t> axes) {
  const SmallVector<Dim> shape = TgBuilder::getShape(x);
  Dim count(x.getContext(), 1);
  for (int64_t axis : axes)
    count = count * shape[axis];
  return count;
}

FailureOr<Value> TgBuilder::mean(Value x, ArrayRef<int64_t> axes,
                                 bool keepAxes) {
  if (failed(checkFloat("mean", x)))
    return failure();
  FailureOr<SmallVector<int64_t>> list = getAxes("mean", axes, x);
  if (failed(list))
    return failure();
  FailureOr<Value> result = inFloat(x, [&](Value wide) -> FailureOr<Value> {
    return (BuilderValue(*this, wide).sum(*list, true) / getCount(x, *list))
        .get();
  });
  return failed(result) || keepAxes ? result : dropAxes(*result, *list);
}

FailureOr<Value> TgBuilder::layerNorm(Value x, ArrayRef<int64_t> axes,
                                      double epsilon, Value weight,
                                      Value bias) {
  if (failed(checkFloat("layerNorm", x)))
    return failure();
  FailureOr<SmallVector<int64_t>> list = getAxes("layerNorm", axes, x);
  if (failed(list))
    return failure();
  const BuilderShape shape(getShape(x));
  for (auto [name, parameter] : {std::pair<StringRef, Value>{"weight", weight},
                                 std::pair<StringRef, Value>{"bias", bias}}) {
    if (!parameter)
      continue;
    if (failed(check("layerNorm", parameter)) ||
        failed(checkSameElements("layerNorm", x, parameter)))
      return failure();
    const BuilderShape own(getShape(parameter));
    const BuilderShape *both[] = {&shape, &own};
    if (!recipes::canBroadcast(shape, own) ||
        recipes::getCommonShape<BuilderShape>(
            both, [](const BuilderSize &, const BuilderSize &) {}) != shape)
      return emitError() << "layerNorm: a " << name << " of shape "
                         << toString(getShape(parameter))
                         << " does not fit a tensor of shape "
                         << toString(getShape(x));
  }
  FailureOr<Value> result = inFloat(x, [&](Value wide) -> FailureOr<Value> {
    const llvm::fltSemantics &semantics =
        mlir::cast<FloatType>(getElementTypeOrSelf(wide)).getFloatSemantics();
    APFloat most = APFloat::getLargest(semantics);
    bool losesInfo;
    most.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
    const Dim count = getCount(x, *list);
    const auto deviations = recipes::getDeviations(
        BuilderValue(*this, wide), *list, count, most.convertToDouble());
    return recipes::normalize(deviations, count, epsilon).get();
  });
  if (succeeded(result) && weight)
    result = combine<MulOp>(*result, weight);
  if (succeeded(result) && bias)
    result = combine<AddOp>(*result, bias);
  return result;
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// The windows of the last axes.
static FailureOr<std::vector<Window>>
makeWindows(TgBuilder &b, StringRef what, Value x, ArrayRef<int64_t> kernel,
            const WindowOptions &options, ArrayRef<int64_t> defaultStride) {
  const SmallVector<Dim> shape = TgBuilder::getShape(x);
  const size_t count = kernel.size();
  auto emitError = [&] { return mlir::emitError(b.getLocation()) << what; };
  auto expand = [&](StringRef name, ArrayRef<int64_t> given,
                    ArrayRef<int64_t> none) -> FailureOr<SmallVector<int64_t>> {
    const ArrayRef<int64_t> list = given.empty() ? none : given;
    if (list.size() == count)
      return SmallVector<int64_t>(list);
    if (list.size() == 1)
      return SmallVector<int64_t>(count, list[0]);
    return emitError() << ": " << list.size() << " numbers for the " << name
                       << " of " << count << " spatial axes";
  };
  auto strides = expand("stride", options.stride, defaultStride);
  if (failed(strides))
    return failure();
  auto dilations = expand("dilation", options.dilation, {1});
  if (failed(dilations))
    return failure();
  auto before = expand("padding", options.before, {0});
  if (failed(before))
    return failure();
  auto after = expand("padding", options.after, *before);
  if (failed(after))
    return failure();
  std::vector<Window> windows;
  for (size_t i = 0; i < count; ++i) {
    const size_t axis = shape.size() - count + i;
    const std::optional<int64_t> length = shape[axis].getStatic();
    if (!length)
      return emitError() << ": axis " << axis << " of " << toString(shape)
                         << " has to be a number";
    Window window;
    window.size = kernel[i];
    window.stride = (*strides)[i];
    window.dilation = (*dilations)[i];
    window.before = (*before)[i];
    window.after = (*after)[i];
    const std::string fault =
        recipes::fitWindow(window, *length, /*isCeil=*/false, [&] {
          return " on axis " + std::to_string(axis) + " of " + toString(shape);
        });
    if (!fault.empty())
      return emitError() << ": " << fault;
    windows.push_back(window);
  }
  return windows;
}

FailureOr<Value> TgBuilder::conv(Value input, Value weight, Value bias,
                                 const WindowOptions &options) {
  if (failed(check("conv", input)) || failed(check("conv", weight)) ||
      failed(checkSameElements("conv", input, weight)))
    return failure();
  const SmallVector<Dim> in = getShape(input), by = getShape(weight);
  const int64_t groups = options.groups;
  std::optional<Dim> outPerGroup;
  if (in.size() >= 3 && in.size() == by.size() && groups > 0 &&
      by[1].getMax() <= std::numeric_limits<int64_t>::max() / groups &&
      by[1] * getSize(groups) == in[1])
    outPerGroup = by[0].divideExactly(getSize(groups));
  if (!outPerGroup)
    return emitError() << "conv: an input of shape " << toString(in)
                       << " and a weight of shape " << toString(by)
                       << " do not fit with " << groups << " groups";
  SmallVector<int64_t> kernel;
  for (auto [axis, size] : llvm::enumerate(ArrayRef(by).drop_front(2))) {
    if (!size.isStatic())
      return emitError() << "conv: axis " << axis + 2 << " of the weight "
                         << toString(by) << " has to be a number";
    kernel.push_back(*size.getStatic());
  }
  if (bias) {
    if (failed(check("conv", bias)) ||
        failed(checkSameElements("conv", input, bias)))
      return failure();
    if (getShape(bias) != SmallVector<Dim>{by[0]})
      return emitError() << "conv: a bias of shape " << toString(getShape(bias))
                         << " does not fit a weight of shape " << toString(by);
  }
  FailureOr<std::vector<Window>> windows =
      makeWindows(*this, "conv", input, kernel, options, {1});
  if (failed(windows))
    return failure();

  const auto shapes = recipes::getConvolutionShapes<BuilderShape>(
      BuilderSize(in[0]), groups, BuilderSize(by[1]), BuilderSize(*outPerGroup),
      BuilderSize(by[0]), *windows);
  const Type element = getElementTypeOrSelf(input);
  const Type accumulate = getSumType(element);
  BuilderChain x(*this, input), w(*this, weight);
  recipes::expandFactors(x, w, shapes, *windows);
  const BuilderValue sums = (BuilderValue(*this, x.get()).cast(accumulate) *
                             BuilderValue(*this, w.get()).cast(accumulate))
                                .sum(shapes.summed, true)
                                .cast(element);
  if (failed(sums.get()))
    return failure();
  FailureOr<Value> result =
      BuilderChain(*this, *sums.get()).reshape(shapes.output).get();
  if (failed(result) || !bias)
    return result;
  FailureOr<Value> aligned =
      BuilderChain(*this, bias).reshape(shapes.bias).get();
  return failed(aligned) ? aligned : combine<AddOp>(*result, *aligned);
}

/// Padding amounts of all axes.
static std::pair<BuilderShape, BuilderShape>
getPadding(Value x, ArrayRef<Window> windows) {
  const size_t rank = TgBuilder::getShape(x).size();
  BuilderShape low(rank - windows.size(), 0), high = low;
  for (const Window &window : windows) {
    low.push_back(window.before);
    high.push_back(window.after);
  }
  return {low, high};
}

/// All windows of a padded tensor; their axes are the last ones.
static FailureOr<Value> takeWindows(TgBuilder &b, Value padded,
                                    const std::vector<Window> &windows) {
  const SmallVector<Dim> shape = TgBuilder::getShape(padded);
  BuilderChain chain(b, padded);
  recipes::takeWindows(chain,
                       BuilderShape(ArrayRef(shape).drop_back(windows.size())),
                       windows, 0);
  return chain.get();
}

/// The windows of pooling.
static FailureOr<std::vector<Window>>
makePoolWindows(TgBuilder &b, StringRef what, Value x, ArrayRef<int64_t> kernel,
                const WindowOptions &options) {
  const SmallVector<Dim> shape = TgBuilder::getShape(x);
  if (kernel.empty() || shape.size() < kernel.size())
    return emitError(b.getLocation())
           << what << ": a tensor of shape " << toString(shape)
           << " and a kernel of " << kernel.size() << " axes";
  if (options.groups != 1)
    return emitError(b.getLocation()) << what << ": pooling has no groups";
  return makeWindows(b, what, x, kernel, options, kernel);
}

/// The axes of windows, the last ones.
static SmallVector<int64_t> getWindowAxes(Value x, size_t count) {
  const size_t rank = TgBuilder::getShape(x).size();
  return llvm::to_vector(llvm::seq<int64_t>(static_cast<int64_t>(rank - count),
                                            static_cast<int64_t>(rank)));
}

FailureOr<Value> TgBuilder::maxPool(Value x, ArrayRef<int64_t> kernel,
                                    const WindowOptions &options) {
  if (failed(check("maxPool", x)))
    return failure();
  FailureOr<std::vector<Window>> windows =
      makePoolWindows(*this, "maxPool", x, kernel, options);
  if (failed(windows))
    return failure();
  auto [low, high] = getPadding(x, *windows);
  FailureOr<Value> padded = BuilderChain(*this, x).pad(low, high).get();
  if (failed(padded))
    return failure();
  if (*padded != x) {
    // The padding of ones, which is zeros, tells where the padding is.
    FailureOr<Value> ones =
        constant(getShape(x), builder.getI1Type(), int64_t(1));
    if (failed(ones))
      return failure();
    FailureOr<Value> isInside = BuilderChain(*this, *ones).pad(low, high).get();
    auto type = mlir::cast<RankedTensorType>(padded->getType());
    FailureOr<Value> lowest = create<ConstOp>(
        type, getReduceIdentity(ReduceKind::max, type.getElementType()));
    if (failed(isInside) || failed(lowest))
      return failure();
    padded = where(*isInside, *padded, *lowest);
    if (failed(padded))
      return failure();
  }
  FailureOr<Value> all = takeWindows(*this, *padded, *windows);
  if (failed(all))
    return failure();
  return reduce(ReduceKind::max, *all, getWindowAxes(*all, kernel.size()));
}

FailureOr<Value> TgBuilder::avgPool(Value x, ArrayRef<int64_t> kernel,
                                    const WindowOptions &options) {
  if (failed(checkFloat("avgPool", x)))
    return failure();
  FailureOr<std::vector<Window>> windows =
      makePoolWindows(*this, "avgPool", x, kernel, options);
  if (failed(windows))
    return failure();
  auto [low, high] = getPadding(x, *windows);
  FailureOr<Value> padded = BuilderChain(*this, x).pad(low, high).get();
  FailureOr<Value> all =
      failed(padded) ? padded : takeWindows(*this, *padded, *windows);
  if (failed(all))
    return failure();
  return mean(*all, getWindowAxes(*all, kernel.size()));
}
