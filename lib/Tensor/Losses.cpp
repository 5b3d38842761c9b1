//===- Losses.cpp - loss functions ----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Loss functions. The element of a class is selected by a load, so that the
/// work does not depend on whether the target is a label or a distribution.
///
//===----------------------------------------------------------------------===//

#include "Primitives.h"

using namespace tinygrad;
using namespace tinygrad::detail;

static Tensor reduced(const Tensor &losses, Reduction reduction) {
  switch (reduction) {
  case Reduction::None:
    return losses;
  case Reduction::Mean:
    return losses.mean();
  case Reduction::Sum:
    return losses.sum({}, false, losses.dtype());
  }
  throw Error("a loss has no such reduction");
}

/// \p shape without \p axis.
static Shape without(Shape shape, int64_t axis) {
  shape.erase(shape.begin() + axis);
  return shape;
}

static void checkLabels(const Tensor &x, const Tensor &labels, int64_t axis,
                        const char *what) {
  checkOperands({&x, &labels});
  checkIndexTensor(labels, what);
  if (labels.shape() != without(x.shape(), axis))
    throw ShapeError(std::string(what) + ": classes of shape " +
                     toString(labels.shape()) +
                     " do not fit a tensor of shape " + toString(x.shape()) +
                     " with classes along axis " + std::to_string(axis) +
                     ", which takes " + toString(without(x.shape(), axis)));
}

/// The axis of classes.
static int64_t classAxis(const Tensor &x, const char *what) {
  if (x.ndim() == 0)
    throw ShapeError(std::string(what) +
                     ": a tensor of rank 0 has no axis of classes");
  return x.ndim() == 1 ? 0 : 1;
}

static void checkSmoothing(double labelSmoothing, const char *what) {
  if (!(labelSmoothing >= 0 && labelSmoothing <= 1))
    throw Error(std::string(what) + ": a label smoothing of " +
                std::to_string(labelSmoothing) + " is not between 0 and 1");
}

/// Labels as positions; negative ones become out of range.
static Tensor positionsOf(const Tensor &labels, SymInt size) {
  if (isUnsigned(labels.dtype()))
    return labels;
  Tensor wide = labels.cast(promote(
      labels.dtype(), size.max() > 0x7fffffff ? DType::Int64 : DType::Int32));
  return (wide < 0).where(size, wide);
}

/// The elements at the labels along an axis; 0 where a label is out of range.
static Tensor select(const Tensor &x, const Tensor &labels, int64_t axis) {
  return x.gather(axis, positionsOf(labels, x.shape()[axis]).unsqueeze(axis))
      .squeeze(axis);
}

/// The losses of rows with \p labels. The classes are along \p axis.
static Tensor classLosses(const Tensor &logProbabilities, const Tensor &labels,
                          int64_t axis, double labelSmoothing) {
  Tensor chosen = select(logProbabilities, labels, axis);
  if (labelSmoothing == 0)
    return -chosen;
  return chosen * (labelSmoothing - 1) -
         logProbabilities.mean(axis) * labelSmoothing;
}

Tensor Tensor::crossEntropy(const Tensor &target, Reduction reduction,
                            double labelSmoothing) const {
  const MethodScope method("crossEntropy");
  const int64_t axis = classAxis(*this, "crossEntropy");
  checkSmoothing(labelSmoothing, "crossEntropy");
  const bool isProbability = target.shape() == shape();
  if (!isProbability)
    checkLabels(*this, target, axis, "crossEntropy");
  checkOperands({this, &target});
  return inFloat(*this, [&](const Tensor &x) {
    Tensor log = x.logSoftmax(axis);
    if (!isProbability)
      return reduced(classLosses(log, target, axis, labelSmoothing), reduction);
    Tensor smooth = target.cast(x.dtype());
    if (labelSmoothing != 0)
      smooth = smooth * (1 - labelSmoothing) +
               labelSmoothing / same(smooth, x.shape()[axis]);
    return reduced(-(log * smooth).sum(axis), reduction);
  });
}

Tensor Tensor::sparseCategoricalCrossentropy(const Tensor &labels,
                                             std::optional<int64_t> ignoreIndex,
                                             double labelSmoothing,
                                             Reduction reduction) const {
  const char *name = "sparseCategoricalCrossentropy";
  const MethodScope method(name);
  classAxis(*this, name);
  checkSmoothing(labelSmoothing, name);
  const int64_t axis = ndim() - 1;
  checkLabels(*this, labels, axis, name);
  return inFloat(*this, [&](const Tensor &x) {
    Tensor losses =
        classLosses(x.logSoftmax(axis), labels, axis, labelSmoothing);
    if (!ignoreIndex)
      return reduced(losses, reduction);
    Tensor counts = labels.cast(DType::Int64) != *ignoreIndex;
    losses = counts.where(losses, 0);
    if (reduction != Reduction::Mean)
      return reduced(losses, reduction);
    return losses.sum() / counts.cast(x.dtype()).sum();
  });
}

Tensor Tensor::binaryCrossentropy(const Tensor &target,
                                  Reduction reduction) const {
  const MethodScope method("binaryCrossentropy");
  checkOperands({this, &target});
  broadcastShapes({&shape(), &target.shape()}, "binaryCrossentropy");
  return inFloat(*this, [&](const Tensor &x) {
    Tensor y = target.cast(x.dtype());
    // Logarithms are clamped to -100, so log(0) is not computed.
    Tensor isZero = x == 0, isOne = x == 1;
    Tensor ofOne = isZero.where(-100, isZero.where(1, x).log().maximum(-100));
    Tensor ofZero = isOne.where(-100, log1p(isOne.where(0, -x)).maximum(-100));
    return reduced((y - 1) * ofZero - y * ofOne, reduction);
  });
}

Tensor Tensor::binaryCrossentropyLogits(const Tensor &target,
                                        Reduction reduction,
                                        const OptionalTensor &posWeight) const {
  const MethodScope method("binaryCrossentropyLogits");
  checkOperands({this, &target});
  const Shape all =
      broadcastShapes({&shape(), &target.shape()}, "binaryCrossentropyLogits");
  if (posWeight) {
    checkOperands({this, &*posWeight});
    broadcastShapes({&all, &posWeight->shape()}, "binaryCrossentropyLogits");
  }
  return inFloat(*this, [&](const Tensor &x) {
    Tensor y = target.cast(x.dtype());
    // log(sigmoid(x)) is -softplus(-x); log(1 - sigmoid(x)) is that less x.
    Tensor weight = same(y, 1);
    if (posWeight)
      weight = (posWeight->cast(x.dtype()) - 1) * y + 1;
    return reduced((1 - y) * x + weight * (-x).softplus(), reduction);
  });
}

Tensor Tensor::nllLoss(const Tensor &labels, const OptionalTensor &weight,
                       std::optional<int64_t> ignoreIndex,
                       Reduction reduction) const {
  const MethodScope method("nllLoss");
  const int64_t axis = classAxis(*this, "nllLoss");
  checkLabels(*this, labels, axis, "nllLoss");
  if (weight) {
    checkOperands({this, &*weight});
    if (weight->shape() != Shape{shape()[axis]})
      throw ShapeError("nllLoss: weights of shape " +
                       toString(weight->shape()) + " are not one for each of " +
                       shape()[axis].str() + " classes of a tensor of shape " +
                       toString(shape()));
  }
  return inFloat(*this, [&](const Tensor &x) {
    Tensor losses = -select(x, labels, axis);
    if (!weight && !ignoreIndex)
      return reduced(losses, reduction);
    Tensor weights = same(losses, 1);
    if (weight)
      weights = weight->cast(x.dtype()).indexSelect(
          0, positionsOf(labels, shape()[axis]));
    losses = losses * weights;
    if (ignoreIndex) {
      Tensor counts = labels.cast(DType::Int64) != *ignoreIndex;
      weights = counts.where(weights, 0);
      losses = counts.where(losses, 0);
    }
    if (reduction != Reduction::Mean)
      return reduced(losses, reduction);
    return losses.sum() / weights.sum();
  });
}
