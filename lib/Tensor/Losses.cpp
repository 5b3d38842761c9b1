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

#include <limits>

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

/// The losses of rows with \p labels, without those of an ignored class.
static Tensor reducedClasses(Tensor losses, const Tensor &labels,
                             std::optional<int64_t> ignoreIndex,
                             Reduction reduction) {
  if (!ignoreIndex)
    return reduced(losses, reduction);
  Tensor counts = labels.cast(DType::Int64) != *ignoreIndex;
  losses = counts.where(losses, 0);
  if (reduction != Reduction::Mean)
    return reduced(losses, reduction);
  return losses.sum() / counts.cast(losses.dtype()).sum();
}

Tensor Tensor::crossEntropy(const Tensor &target, Reduction reduction,
                            double labelSmoothing,
                            std::optional<int64_t> ignoreIndex) const {
  const MethodScope method("crossEntropy");
  const int64_t axis = classAxis(*this, "crossEntropy");
  checkSmoothing(labelSmoothing, "crossEntropy");
  const bool isProbability = target.shape() == shape();
  if (!isProbability)
    checkLabels(*this, target, axis, "crossEntropy");
  checkOperands({this, &target});
  if (isProbability && ignoreIndex)
    throw Error("crossEntropy: targets of shape " + toString(target.shape()) +
                ", that of the tensor, are probabilities; only classes can be "
                "ignored");
  return inFloat(*this, [&](const Tensor &x) {
    Tensor log = x.logSoftmax(axis);
    if (!isProbability)
      return reducedClasses(classLosses(log, target, axis, labelSmoothing),
                            target, ignoreIndex, reduction);
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
    return reducedClasses(
        classLosses(x.logSoftmax(axis), labels, axis, labelSmoothing), labels,
        ignoreIndex, reduction);
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

//===----------------------------------------------------------------------===//
// Regression
//===----------------------------------------------------------------------===//

/// The reduced losses of elements, `loss(x, target)`, both in the element type
/// of the computation.
template <typename Loss>
static Tensor elementLosses(const Tensor &x, const Tensor &target,
                            Reduction reduction, const char *what, Loss loss) {
  checkOperands({&x, &target});
  if (x.shape() != target.shape())
    throw ShapeError(std::string(what) + ": a target of shape " +
                     toString(target.shape()) +
                     " does not fit a tensor of shape " + toString(x.shape()) +
                     ": both have to be equal");
  return inFloat(x, [&](const Tensor &wide) {
    return reduced(loss(wide, target.cast(wide.dtype())), reduction);
  });
}

Tensor Tensor::mseLoss(const Tensor &target, Reduction reduction) const {
  const MethodScope method("mseLoss");
  return elementLosses(
      *this, target, reduction, "mseLoss",
      [](const Tensor &x, const Tensor &y) { return (x - y).square(); });
}

Tensor Tensor::l1Loss(const Tensor &target, Reduction reduction) const {
  const MethodScope method("l1Loss");
  return elementLosses(
      *this, target, reduction, "l1Loss",
      [](const Tensor &x, const Tensor &y) { return (x - y).abs(); });
}

Tensor Tensor::huberLoss(const Tensor &target, Reduction reduction,
                         double delta) const {
  const MethodScope method("huberLoss");
  if (!(delta > 0))
    throw Error("huberLoss: a delta of " + std::to_string(delta) +
                " is not positive");
  return elementLosses(*this, target, reduction, "huberLoss",
                       [&](const Tensor &x, const Tensor &y) {
                         Tensor distance = (x - y).abs();
                         return (distance <= delta)
                             .where(distance.square() * 0.5,
                                    (distance - delta / 2) * delta);
                       });
}

Tensor Tensor::smoothL1Loss(const Tensor &target, Reduction reduction,
                            double beta) const {
  const MethodScope method("smoothL1Loss");
  if (!(beta >= 0))
    throw Error("smoothL1Loss: a beta of " + std::to_string(beta) +
                " is negative");
  return elementLosses(*this, target, reduction, "smoothL1Loss",
                       [&](const Tensor &x, const Tensor &y) {
                         Tensor distance = (x - y).abs();
                         if (beta == 0)
                           return distance;
                         return (distance < beta)
                             .where(distance.square() * (0.5 / beta),
                                    distance - beta / 2);
                       });
}

Tensor Tensor::klDivLoss(const Tensor &target, Reduction reduction,
                         bool isLogTarget) const {
  const MethodScope method("klDivLoss");
  return elementLosses(
      *this, target, reduction, "klDivLoss",
      [&](const Tensor &x, const Tensor &y) {
        if (isLogTarget) {
          // exp(-inf) * -inf would be NaN.
          Tensor isZero = y == -std::numeric_limits<double>::infinity();
          return isZero.where(0, y.exp() * (isZero.where(0, y) - x));
        }
        Tensor isZero = y == 0;
        return isZero.where(0, y * (isZero.where(1, y).log() - x));
      });
}
