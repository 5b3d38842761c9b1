//===- ResNet.h - deep residual networks ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// ResNet-18 and ResNet-50 as in torchvision, with its names of tensors. K. He,
/// X. Zhang, S. Ren, J. Sun, Deep residual learning for image recognition,
/// arXiv:1512.03385.
///
//===----------------------------------------------------------------------===//

#ifndef EXAMPLES_RESNET_RESNET_H
#define EXAMPLES_RESNET_RESNET_H

#include "TinyGrad/NN/Convolution.h"
#include "TinyGrad/NN/Linear.h"
#include "TinyGrad/NN/Normalization.h"
#include "TinyGrad/NN/Sequential.h"
#include "TinyGrad/Tensor/Members.h"
#include "TinyGrad/Tensor/Tensor.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace resnet {

/// What distinguishes the networks.
struct Architecture {
  /// Blocks in each of the four stages.
  std::array<int64_t, 4> blocks;
  /// Whether blocks have three convolutions, of which the middle one has a
  /// quarter of the channels, rather than two.
  bool isBottleneck;
};

inline constexpr Architecture kResNet18 = {{2, 2, 2, 2}, false};
inline constexpr Architecture kResNet50 = {{3, 4, 6, 3}, true};

inline tinygrad::nn::Conv2d
makeConvolution(int64_t in, int64_t out, int64_t kernel, int64_t stride = 1) {
  return {in,
          out,
          kernel,
          {.stride = stride, .padding = kernel / 2, .bias = false}};
}

/// A few convolutions whose result is added to the input.
struct Block {
  tinygrad::nn::Conv2d conv1;
  tinygrad::nn::BatchNorm bn1;
  tinygrad::nn::Conv2d conv2;
  tinygrad::nn::BatchNorm bn2;
  std::optional<tinygrad::nn::Conv2d> conv3;
  std::optional<tinygrad::nn::BatchNorm> bn3;
  /// Gives the input the shape of the result. Empty if it has that shape.
  tinygrad::nn::Sequential downsample;
  TINYGRAD_MEMBERS(conv1, bn1, conv2, bn2, conv3, bn3, downsample)

  Block(int64_t in, int64_t width, int64_t stride, bool isBottleneck)
      : conv1(makeConvolution(in, width, isBottleneck ? 1 : 3,
                              isBottleneck ? 1 : stride)),
        bn1(width),
        conv2(makeConvolution(width, width, 3, isBottleneck ? stride : 1)),
        bn2(width) {
    int64_t out = width;
    if (isBottleneck) {
      out = 4 * width;
      conv3 = makeConvolution(width, out, 1);
      bn3.emplace(out);
    }
    if (stride != 1 || in != out)
      downsample.add(makeConvolution(in, out, 1, stride))
          .add(tinygrad::nn::BatchNorm(out));
  }

  tinygrad::Tensor operator()(const tinygrad::Tensor &x) const {
    tinygrad::Tensor y = bn2(conv2(bn1(conv1(x)).relu()));
    if (conv3)
      y = (*bn3)((*conv3)(y.relu()));
    return (y + downsample(x)).relu();
  }
};

struct ResNet {
  tinygrad::nn::Conv2d conv1{
      3, 64, 7, {.stride = 2, .padding = 3, .bias = false}};
  tinygrad::nn::BatchNorm bn1{64};
  std::vector<Block> layer1, layer2, layer3, layer4;
  tinygrad::nn::Linear fc;
  TINYGRAD_MEMBERS(conv1, bn1, layer1, layer2, layer3, layer4, fc)

  ResNet(const Architecture &architecture, int64_t classes)
      : fc(architecture.isBottleneck ? 2048 : 512, classes) {
    int64_t channels = 64, width = 64, stage = 0;
    for (std::vector<Block> *layer : {&layer1, &layer2, &layer3, &layer4}) {
      for (int64_t i = 0; i < architecture.blocks[stage]; ++i) {
        layer->emplace_back(channels, width, i == 0 && stage > 0 ? 2 : 1,
                            architecture.isBottleneck);
        channels = architecture.isBottleneck ? 4 * width : width;
      }
      width *= 2;
      ++stage;
    }
  }

  /// Scores of the classes, (n, classes), for normalized images of shape (n, 3,
  /// height, width).
  tinygrad::Tensor operator()(const tinygrad::Tensor &images) const {
    tinygrad::Tensor x = bn1(conv1(images)).relu();
    x = x.maxPool2d(3, {.stride = 2, .padding = 1});
    for (const std::vector<Block> *layer : {&layer1, &layer2, &layer3, &layer4})
      for (const Block &block : *layer)
        x = block(x);
    return fc(x.mean({2, 3}));
  }
};

} // namespace resnet

#endif // EXAMPLES_RESNET_RESNET_H
