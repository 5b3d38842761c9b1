//===- Augment.h - random changes of images ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Functions for DataLoader::map(), and for programs that a Jit captures. They
/// are lazy. Images are of shape (images, channels, rows, columns), and of the
/// current graph. Random choices come from the random numbers of that graph:
/// they follow from Graph::manualSeed() and the number of random tensors made
/// since.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DATA_AUGMENT_H
#define TINYGRAD_DATA_AUGMENT_H

#include "TinyGrad/Tensor/Tensor.h"

#include <cstdint>
#include <vector>

namespace tinygrad::data {

/// Mirrors each image left to right with probability \p p. Throws ShapeError
/// unless the rank is 4, and Error if \p p is not in [0, 1].
Tensor randomHorizontalFlip(const Tensor &images, double p = 0.5);

/// Adds \p padding zeros at each edge and cuts each image out of the result at
/// a random place, so that it moves by up to \p padding pixels in each
/// direction. Shape and element type are unchanged. Throws ShapeError unless
/// the rank is 4, and Error if \p padding is negative.
Tensor randomCrop(const Tensor &images, int64_t padding);

/// (images - mean) / deviation, with one mean and deviation for all channels,
/// or one for each; uint8 images are first divided by 255. The result is
/// float32, or the images' type if that is a float. Throws ShapeError unless
/// the rank is 4 and the numbers of channels agree, and Error if a deviation is
/// not positive.
Tensor normalizeImages(const Tensor &images, const std::vector<double> &mean,
                       const std::vector<double> &deviation);

} // namespace tinygrad::data

#endif // TINYGRAD_DATA_AUGMENT_H
