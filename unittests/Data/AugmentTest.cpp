//===- AugmentTest.cpp - random changes of images -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Flips, crops and scaling, compared with loops; what they cost.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Data/Augment.h"
#include "../Tensor/TensorTest.h"
#include "TinyGrad/Runtime/Counters.h"
#include "TinyGrad/Runtime/Error.h"

#include <set>

using namespace tinygrad;
using namespace tinygrad::data;
using namespace tinygrad::testing;

namespace {
constexpr int64_t kImages = 60, kChannels = 2, kRows = 4, kColumns = 5;
constexpr int64_t kSize = kChannels * kRows * kColumns;

/// 1, 2, 3, ... in each image.
Tensor makeImages() {
  return (counting({kImages, kChannels, kRows, kColumns}) % double(kSize) + 1)
      .cast(DType::UInt8);
}

/// The pixel of makeImages(), and 0 around the image.
double pixelAt(int64_t channel, int64_t row, int64_t column) {
  const bool isInside =
      row >= 0 && row < kRows && column >= 0 && column < kColumns;
  return isInside ? double((channel * kRows + row) * kColumns + column + 1) : 0;
}
} // namespace

TEST(AugmentTest, FlipsHalfOfTheImages) {
  Tensor::manualSeed(1);
  const Tensor images = makeImages();
  const Tensor flipped = randomHorizontalFlip(images);
  EXPECT_EQ(flipped.dtype(), DType::UInt8);
  EXPECT_EQ(flipped.shape(), images.shape());
  const std::vector<double> found = values(flipped);
  int count = 0;
  for (int64_t n = 0; n < kImages; ++n) {
    const bool isFlipped = found[std::size_t(n * kSize)] != 1;
    count += isFlipped;
    for (int64_t i = 0; i < kSize; ++i) {
      const int64_t column = i % kColumns;
      EXPECT_EQ(found[std::size_t(n * kSize + i)],
                double(isFlipped ? i - column + kColumns - column : i + 1));
    }
  }
  // Of 60 with probability 0.5: a standard deviation of 3.9.
  EXPECT_GT(count, 15);
  EXPECT_LT(count, 45);
}

TEST(AugmentTest, FlipsAllOrNone) {
  const Tensor images = makeImages();
  EXPECT_EQ(values(randomHorizontalFlip(images, 0)), values(images));
  EXPECT_EQ(values(randomHorizontalFlip(images, 1)), values(images.flip(-1)));
}

TEST(AugmentTest, Crops) {
  for (const int64_t padding : {0, 1, 3, 7}) {
    Tensor::manualSeed(2);
    const Tensor cropped = randomCrop(makeImages(), padding);
    EXPECT_EQ(cropped.dtype(), DType::UInt8);
    ASSERT_EQ(cropped.shape(), Shape({kImages, kChannels, kRows, kColumns}));
    const std::vector<double> found = values(cropped);
    std::set<std::pair<int64_t, int64_t>> moves;
    for (int64_t n = 0; n < kImages; ++n) {
      // One move explains all pixels of the image.
      int fits = 0;
      for (int64_t down = -padding; down <= padding; ++down)
        for (int64_t right = -padding; right <= padding; ++right) {
          bool isEqual = true;
          for (int64_t i = 0; i < kSize; ++i)
            isEqual &=
                found[std::size_t(n * kSize + i)] ==
                pixelAt(i / kColumns / kRows, i / kColumns % kRows + down,
                        i % kColumns + right);
          if (!isEqual)
            continue;
          ++fits;
          moves.insert({down, right});
        }
      EXPECT_GE(fits, 1) << "image " << n << ", padding " << padding;
    }
    if (padding == 1) {
      EXPECT_EQ(moves.size(), 9u);
    }
    if (padding == 3) {
      EXPECT_GT(moves.size(), 25u);
    }
  }
}

TEST(AugmentTest, FollowsTheSeed) {
  auto run = [](uint64_t seed) {
    Tensor::manualSeed(seed);
    return values(randomCrop(randomHorizontalFlip(makeImages()), 2));
  };
  EXPECT_EQ(run(3), run(3));
  EXPECT_NE(run(3), run(4));
}

TEST(AugmentTest, Normalizes) {
  const Tensor bytes =
      Tensor::from({0, 51, 255, 102}, {2, 2, 1, 1}).cast(DType::UInt8);
  const Tensor one = normalizeImages(bytes, {0.5}, {0.25});
  EXPECT_EQ(one.dtype(), DType::Float32);
  expectTensor(one, {2, 2, 1, 1}, {-2, -1.2, 2, -0.4}, 1e-6);
  expectTensor(normalizeImages(bytes, {0, 0.2}, {1, 0.1}), {2, 2, 1, 1},
               {0, 0, 1, 2}, 1e-6);
  // Floats are not divided by 255.
  const Tensor halves = Tensor::from({3.0f}, {1, 1, 1, 1}, DType::Float16);
  const Tensor scaled = normalizeImages(halves, {1}, {4});
  EXPECT_EQ(scaled.dtype(), DType::Float16);
  expectTensor(scaled, {1, 1, 1, 1}, {0.5});
}

TEST(AugmentTest, Kernels) {
  Tensor::manualSeed(1);
  const Tensor images = makeImages().realize();
  const uint64_t before = GlobalCounters::kernelCount;
  normalizeImages(randomCrop(randomHorizontalFlip(images), 2), {0.5}, {0.25})
      .realize();
  // Three random numbers for each image, and all pixels.
  EXPECT_EQ(GlobalCounters::kernelCount, before + 4);
}

TEST(AugmentTest, NoImages) {
  for (const Shape &shape : {Shape{0, 1, 4, 4}, Shape{2, 0, 4, 4}}) {
    const Tensor none = Tensor::zeros(shape, DType::UInt8);
    EXPECT_EQ(randomHorizontalFlip(none).shape(), shape);
    EXPECT_EQ(randomCrop(none, 2).shape(), shape);
    EXPECT_EQ(normalizeImages(none, {0}, {1}).shape(), shape);
  }
}

TEST(AugmentTest, Errors) {
  const Tensor flat = counting({2, 3});
  EXPECT_ERROR(randomHorizontalFlip(flat), ShapeError,
               "randomHorizontalFlip: images are of shape (images, channels, "
               "rows, columns), not [2, 3]");
  EXPECT_ERROR(randomCrop(flat, 1), ShapeError, "randomCrop: images are");
  EXPECT_ERROR(normalizeImages(flat, {0}, {1}), ShapeError,
               "normalizeImages: images are");
  const Tensor images = makeImages();
  EXPECT_ERROR(randomHorizontalFlip(images, 1.5), Error,
               "1.5 is not a probability");
  EXPECT_ERROR(randomCrop(images, -1), Error,
               "randomCrop: -1 zeros cannot be added");
  EXPECT_ERROR(normalizeImages(images, {0, 0, 0}, {1}), ShapeError,
               "there are 3 numbers for the channels of images of shape [60, "
               "2, 4, 5]");
  EXPECT_ERROR(normalizeImages(images, {0}, {1, 0}), Error,
               "a deviation is 0, not positive");
}
