//===- Augment.cpp - random changes of images -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Flips, crops and scaling of images as tensor programs.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Data/Augment.h"
#include "TinyGrad/Runtime/Error.h"

#include <cstddef>
#include <string>

using namespace tinygrad;

static void checkImages(const Tensor &images, const char *what) {
  if (images.ndim() != 4)
    throw ShapeError(std::string(what) +
                     ": images are of shape (images, channels, rows, columns), "
                     "not " +
                     toString(images.shape()));
}

static bool isEmpty(const Tensor &images) {
  return !images.isSymbolic() && images.numel().value() == 0;
}

/// Random numbers in [0, 1) of shape (images, 1, 1, 1) on the images'
/// device.
static Tensor randomPerImage(const Tensor &images) {
  return images.shrink({{}, {0, 1}, {0, 1}, {0, 1}}).randLike(DType::Float32);
}

Tensor data::randomHorizontalFlip(const Tensor &images, double p) {
  checkImages(images, "randomHorizontalFlip");
  if (!(p >= 0 && p <= 1))
    throw Error("randomHorizontalFlip: " + Scalar(p).str() +
                " is not a probability");
  if (isEmpty(images))
    return images;
  return (randomPerImage(images) < p).where(images.flip(-1), images);
}

/// 0, 1, 2, ... along an axis, in a shape that broadcasts to images.
static Tensor positionsAlong(const Tensor &images, int64_t axis) {
  Shape line(4, 1);
  line[std::size_t(axis)] = images.size(axis);
  return Tensor::arange(0, images.size(axis), 1,
                        {DType::Int32, images.device()})
      .reshape(line);
}

/// Integers from -most to most.
static Tensor randomMove(const Tensor &images, int64_t most) {
  // Rounding may give a product of 2 * most + 1.
  return (randomPerImage(images) * double(2 * most + 1))
             .toInt()
             .minimum(2 * most) -
         most;
}

Tensor data::randomCrop(const Tensor &images, int64_t padding) {
  checkImages(images, "randomCrop");
  if (padding < 0)
    throw Error("randomCrop: " + std::to_string(padding) +
                " zeros cannot be added to an edge");
  if (padding == 0 || isEmpty(images))
    return images;
  // Where each pixel of the result comes from. Outside of the image are zeros.
  const Tensor rows = positionsAlong(images, 2) + randomMove(images, padding);
  const Tensor columns =
      positionsAlong(images, 3) + randomMove(images, padding);
  const Tensor isInside = (rows >= 0) & (rows < images.size(2)) &
                          (columns >= 0) & (columns < images.size(3));
  const Tensor moved = images.index(
      {positionsAlong(images, 0), positionsAlong(images, 1), rows, columns});
  return isInside.where(moved, 0);
}

/// The numbers of the channels in a shape that broadcasts to images.
static Tensor perChannel(const Tensor &images,
                         const std::vector<double> &numbers, DType dtype) {
  return Tensor::from(numbers, {dtype, images.device()})
      .reshape({1, int64_t(numbers.size()), 1, 1});
}

Tensor data::normalizeImages(const Tensor &images,
                             const std::vector<double> &mean,
                             const std::vector<double> &deviation) {
  checkImages(images, "normalizeImages");
  for (const std::size_t count : {mean.size(), deviation.size()})
    if (count != 1 && images.size(1) != int64_t(count))
      throw ShapeError("normalizeImages: there are " + std::to_string(count) +
                       " numbers for the channels of images of shape " +
                       toString(images.shape()));
  for (const double number : deviation)
    if (!(number > 0))
      throw Error("normalizeImages: a deviation is " + Scalar(number).str() +
                  ", not positive");
  const DType dtype =
      images.isFloatingPoint() ? images.dtype() : DType::Float32;
  Tensor values = images.cast(dtype);
  if (images.dtype() == DType::UInt8)
    values = values / 255;
  return (values - perChannel(images, mean, dtype)) /
         perChannel(images, deviation, dtype);
}
