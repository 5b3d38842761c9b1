//===- Reductions.cpp - reductions and norms in random programs -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Functions that combine the elements of axes, alone and with what normalizes
/// an axis by them.
///
//===----------------------------------------------------------------------===//

#include "Call.h"

#include <cmath>
#include <limits>

using namespace tinygrad;
using namespace tinygrad::fuzz;

namespace {

template <Tensor (Tensor::*function)(const Axes &, bool) const>
Value reduce(Call &call, const char *name) {
  const Sizes axes = call.axes();
  const bool keep = call.random.percent(50);
  return method(call.x, name, (call.x.tensor.*function)(axes, keep), axes,
                keep);
}

Value sum(Call &call) {
  const Sizes axes = call.axes();
  const bool keep = call.random.percent(50);
  return method(call.x, "sum", call.x.tensor.sum(axes, keep), axes, keep);
}

Value prod(Call &call) {
  const Value x = call.within(call.x, -1.5, 1.5);
  const Sizes axes = call.axes();
  const bool keep = call.random.percent(50);
  return method(x, "prod", x.tensor.prod(axes, keep), axes, keep);
}

Value max(Call &call) { return reduce<&Tensor::max>(call, "max"); }
Value min(Call &call) { return reduce<&Tensor::min>(call, "min"); }
Value mean(Call &call) { return reduce<&Tensor::mean>(call, "mean"); }
Value logsumexp(Call &call) {
  return reduce<&Tensor::logsumexp>(call, "logsumexp");
}

/// Variances of some elements, which the correction must leave.
template <Tensor (Tensor::*function)(const Axes &, bool, int64_t) const>
Value spread(Call &call, const char *name) {
  const Sizes axes = call.axes();
  const bool keep = call.random.percent(50);
  int64_t count = 1;
  for (int64_t axis : axes)
    count *= call.x.size(axis);
  if (count < 2)
    return {};
  const int64_t correction = call.random.percent(60) ? 1 : 0;
  return method(call.x, name, (call.x.tensor.*function)(axes, keep, correction),
                axes, keep, correction);
}

Value var(Call &call) { return spread<&Tensor::var>(call, "var"); }
Value std(Call &call) { return spread<&Tensor::std>(call, "std"); }

/// The Euclidean norm.
Value norm(Call &call) {
  const Sizes axes = call.axes();
  const bool keep = call.random.percent(50);
  const Value x =
      call.above(method(method(call.x, "square", call.x.tensor.square()), "sum",
                        call.x.tensor.square().sum(axes, keep), axes, keep));
  return method(x, "sqrt", x.tensor.sqrt());
}

Value softmax(Call &call) {
  const int64_t axis = call.axis();
  return method(call.x, "softmax", call.x.tensor.softmax(axis), axis);
}

Value logSoftmax(Call &call) {
  const int64_t axis = call.axis();
  return method(call.x, "logSoftmax", call.x.tensor.logSoftmax(axis), axis);
}

Value softmin(Call &call) {
  const int64_t axis = call.axis();
  return method(call.x, "softmin", call.x.tensor.softmin(axis), axis);
}

Value layernorm(Call &call) {
  const int64_t axis = call.axis();
  return method(call.x, "layernorm", call.x.tensor.layernorm(axis), axis);
}

Value layernormAxes(Call &call) {
  const Sizes axes = call.axes();
  return method(call.x, "layernorm", call.x.tensor.layernorm(axes), axes);
}

Value rmsnorm(Call &call) {
  const int64_t axis = call.axis();
  return method(call.x, "rmsnorm", call.x.tensor.rmsnorm(axis), axis);
}

Value normalize(Call &call) {
  static const double orders[] = {
      2, 2, 2, 1, 3, std::numeric_limits<double>::infinity()};
  const double order = call.random.pick(orders);
  const int64_t axis = call.axis();
  return method(call.x, "normalize", call.x.tensor.normalize(order, axis),
                std::isinf(order) ? std::string("INFINITY") : toText(order),
                axis);
}

/// The number of elements that are not 0: a norm without a derivative.
Value normalizeByCount(Call &call) {
  const int64_t axis = call.axis();
  return method(call.x, "normalize", call.x.tensor.normalize(0, axis), 0.0,
                axis);
}

Value center(Call &call) {
  const int64_t axis = call.axis();
  const Value x = call.named(call.x);
  return {x.tensor.sub(x.tensor.mean(axis, true)),
          x.text + " - " + x.text + ".mean(" + toText(axis) + ", true)"};
}

Value shareOfSum(Call &call) {
  const int64_t axis = call.axis();
  const Value x = call.named(call.above(call.x, 0.1));
  return {x.tensor.div(x.tensor.sum(axis, true)),
          x.text + " / " + x.text + ".sum(" + toText(axis) + ", true)"};
}

Value batchnorm(Call &call) {
  const Value x =
      call.named(call.withRank(call.x, std::max<int64_t>(2, call.x.rank())));
  Axes others(0);
  std::vector<int64_t> list;
  int64_t count = 1;
  for (int64_t axis = 0; axis < x.rank(); ++axis)
    if (axis != 1) {
      list.push_back(axis);
      count *= x.size(axis);
    }
  if (count < 2)
    return {};
  const Value mean = method(x, "mean", x.tensor.mean(list), list);
  const Tensor inverse = x.tensor.var(list, false, 0).add(1e-2).rsqrt();
  const std::string inverseText =
      x.text + ".var(" + toText(list) + ", false, 0).add(1e-2).rsqrt()";
  const Value weight = call.other({x.size(1)}), bias = call.other({x.size(1)});
  return method(
      x, "batchnorm",
      x.tensor.batchnorm(weight.tensor, bias.tensor, mean.tensor, inverse),
      weight, bias, mean, inverseText);
}

const Function functions[] = {
    {"sum", sum, 4},
    {"prod", prod, 2},
    {"max", max, 3},
    {"min", min, 2},
    {"mean", mean, 3},
    {"logsumexp", logsumexp, 3},
    {"var", var, 3},
    {"std", std, 3},
    {"norm", norm, 3},
    {"softmax", softmax, 4},
    {"logSoftmax", logSoftmax, 4},
    {"softmin", softmin},
    {"layernorm", layernorm, 2},
    {"layernormAxes", layernormAxes},
    {"rmsnorm", rmsnorm, 2},
    {"normalize", normalize, 3},
    {"normalizeByCount", normalizeByCount},
    {"center", center},
    {"shareOfSum", shareOfSum, 2},
    {"batchnorm", batchnorm},
};

} // namespace

llvm::ArrayRef<Function> tinygrad::fuzz::getReductionFunctions() {
  return functions;
}
