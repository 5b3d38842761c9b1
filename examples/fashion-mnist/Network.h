//===- Network.h - a small convolutional network ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The network of the example fashion-mnist, and its loss.
///
//===----------------------------------------------------------------------===//

#ifndef EXAMPLES_FASHIONMNIST_NETWORK_H
#define EXAMPLES_FASHIONMNIST_NETWORK_H

#include "TinyGrad/Data/Augment.h"
#include "TinyGrad/NN/Convolution.h"
#include "TinyGrad/NN/Linear.h"
#include "TinyGrad/Tensor/Members.h"
#include "TinyGrad/Tensor/Tensor.h"

namespace fashion {

struct Network {
  tinygrad::nn::Conv2d first{1, 32, 3}, second{32, 64, 3};
  tinygrad::nn::Linear hidden{64 * 5 * 5, 128}, output{128, 10};
  TINYGRAD_MEMBERS(first, second, hidden, output)

  /// Scores of the classes, for images of shape (n, 1, 28, 28).
  tinygrad::Tensor operator()(const tinygrad::Tensor &images) const {
    tinygrad::Tensor x = first(images).relu().maxPool2d();
    x = second(x).relu().maxPool2d();
    return output(hidden(x.flatten(1)).relu().dropout(0.3));
  }
};

/// Pixels as the network expects them.
inline tinygrad::Tensor prepare(const tinygrad::Tensor &images) {
  return tinygrad::data::normalizeImages(images, {0.286}, {0.353});
}

/// The loss of a training step: images are flipped and moved at random.
inline tinygrad::Tensor lossOf(const Network &network,
                               const tinygrad::Tensor &pixels,
                               const tinygrad::Tensor &labels) {
  namespace data = tinygrad::data;
  tinygrad::Tensor moved =
      data::randomCrop(data::randomHorizontalFlip(pixels), 2);
  return network(prepare(moved)).sparseCategoricalCrossentropy(labels.toInt());
}

} // namespace fashion

#endif // EXAMPLES_FASHIONMNIST_NETWORK_H
