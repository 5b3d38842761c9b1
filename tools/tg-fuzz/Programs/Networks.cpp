//===- Networks.cpp - products, windows and losses in random programs -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Matrix products, convolutions, pooling, attention and losses.
///
//===----------------------------------------------------------------------===//

#include "Call.h"

#include <algorithm>

using namespace tinygrad;
using namespace tinygrad::fuzz;

namespace {

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// An extent for a new axis, often one that x already has.
int64_t extent(Call &call) {
  const Sizes sizes = call.x.sizes();
  if (!sizes.empty() && call.random.percent(50))
    return std::min<int64_t>(call.random.pick(sizes), 16);
  static const int64_t extents[] = {1, 2, 3, 4, 5, 8};
  return call.random.pick(extents);
}

Value matmul(Call &call) {
  const Value x =
      call.small(call.withRank(call.x, std::max<int64_t>(1, call.x.rank())));
  const Value other =
      call.small(call.other({x.size(x.rank() - 1), extent(call)}));
  return method(x, "matmul", x.tensor.matmul(other.tensor), other);
}

Value matmulLeft(Call &call) {
  const Value x = call.small(call.withRank(call.x, 2));
  const Value other = call.other({extent(call), x.size(0)});
  return method(other, "matmul", other.tensor.matmul(x.tensor), x);
}

/// x x^T
Value gram(Call &call) {
  const Value x = call.named(call.small(call.withRank(call.x, 2)));
  if (x.size(0) > 24)
    return {};
  return method(x, "matmul", x.tensor.matmul(x.tensor.T()), x.text + ".T()");
}

Value linear(Call &call) {
  const Value x = call.small(call.x);
  const int64_t inputs = x.size(x.rank() - 1), outputs = extent(call);
  const Value weight = call.other({inputs, outputs}),
              bias = call.other({outputs});
  return method(x, "linear", x.tensor.linear(weight.tensor, bias.tensor),
                weight, bias);
}

Value einsum(Call &call) {
  struct Formula {
    const char *text;
    int64_t rank;
    const char *other;
  };
  static const Formula formulas[] = {
      {"ij,jk->ik", 2, "jk"},     {"ij,kj->ik", 2, "kj"},
      {"ij,ik->jk", 2, "ik"},     {"ij,ij->i", 2, "ij"},
      {"ij,j->i", 2, "j"},        {"ij,i->ij", 2, "i"},
      {"bij,bjk->bik", 3, "bjk"}, {"bij,bkj->bik", 3, "bkj"},
      {"bij,jk->bki", 3, "jk"},   {"ij,kl->ikjl", 2, "kl"},
      {"bij,bij->b", 3, "bij"},   {"bij,bj->ij", 3, "bj"},
      {"ijk,ikj->i", 3, "ikj"},
  };
  const Formula &formula = call.random.pick(formulas);
  const Value x = call.small(call.withRank(call.x, formula.rank));
  Sizes sizes;
  for (const char *letter = formula.other; *letter; ++letter) {
    const auto at =
        std::string_view(formula.text).substr(0, formula.rank).find(*letter);
    sizes.push_back(at == std::string_view::npos
                        ? std::min<int64_t>(extent(call), 4)
                        : x.size(static_cast<int64_t>(at)));
  }
  const Value other = call.small(call.other(sizes));
  return {Tensor::einsum(formula.text, {x.tensor, other.tensor}),
          "Tensor::einsum(\"" + std::string(formula.text) + "\", {" + x.text +
              ", " + other.text + "})"};
}

/// The trace and the diagonal.
Value einsumDiagonal(Call &call) {
  const Value x = call.withRank(call.x, 2);
  if (x.size(0) != x.size(1))
    return {};
  const char *formula = call.random.percent(50) ? "ii->i" : "ii->";
  return {Tensor::einsum(formula, {x.tensor}),
          "Tensor::einsum(\"" + std::string(formula) + "\", {" + x.text + "})"};
}

Value attention(Call &call) {
  const Value x =
      call.small(call.withRank(call.x, std::max<int64_t>(2, call.x.rank())));
  Sizes sizes = x.sizes();
  const int64_t keys =
      call.random.percent(50) ? x.size(x.rank() - 2) : extent(call);
  sizes[x.rank() - 2] = keys;
  const Value key = call.small(call.other(sizes));
  if (call.random.percent(50))
    sizes[x.rank() - 1] = extent(call);
  const Value value = call.other(sizes);
  const bool isCausal = call.random.percent(30);
  if (!isCausal && call.random.percent(30)) {
    const Value mask = call.other({x.size(x.rank() - 2), keys});
    return method(x, "scaledDotProductAttention",
                  x.tensor.scaledDotProductAttention(key.tensor, value.tensor,
                                                     mask.tensor),
                  key, value, mask);
  }
  return method(x, "scaledDotProductAttention",
                x.tensor.scaledDotProductAttention(key.tensor, value.tensor, {},
                                                   isCausal),
                key, value, "{}", isCausal);
}

/// x with itself as query, key and value.
Value selfAttention(Call &call) {
  const Value x = call.named(
      call.small(call.withRank(call.x, std::max<int64_t>(2, call.x.rank()))));
  return method(x, "scaledDotProductAttention",
                x.tensor.scaledDotProductAttention(x.tensor, x.tensor), x, x);
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// Random numbers for the spatial axes.
Sizes perAxis(Call &call, int64_t count, int64_t low, int64_t high) {
  Sizes numbers;
  for (int64_t i = 0; i < count; ++i)
    numbers.push_back(call.random.between(low, high));
  return numbers;
}

std::string optionsText(const Sizes &stride, const Sizes &dilation,
                        const Sizes &padding, int64_t groups) {
  return "{.groups = " + toText(groups) + ", .stride = " + toText(stride) +
         ", .dilation = " + toText(dilation) +
         ", .padding = " + toText(padding) + "}";
}

Value conv2d(Call &call) {
  const int64_t spatial = call.random.percent(30) ? 1 : 2;
  const Value x = call.small(call.withRank(call.x, spatial + 2));
  const int64_t channels = x.size(1);
  const int64_t groups = channels % 2 == 0 && call.random.percent(20) ? 2 : 1;
  const Sizes stride = perAxis(call, spatial, 1, 2),
              dilation = perAxis(call, spatial, 1, 2),
              padding = perAxis(call, spatial, 0, 2);
  Sizes kernel = {groups * call.random.between(1, 3), channels / groups};
  for (int64_t axis = 0; axis < spatial; ++axis) {
    const int64_t room = x.size(axis + 2) + 2 * padding[axis];
    kernel.push_back(std::min<int64_t>(call.random.between(1, 3),
                                       (room - 1) / dilation[axis] + 1));
  }
  const Value weight = call.other(kernel);
  Conv2dOptions options;
  options.groups = groups;
  options.stride = stride;
  options.dilation = dilation;
  options.padding = padding;
  return method(
      x, "conv2d", x.tensor.conv2d(weight.tensor, {}, options), weight, "{}",
      "Conv2dOptions" + optionsText(stride, dilation, padding, groups));
}

Value convTranspose2d(Call &call) {
  const int64_t spatial = call.random.percent(30) ? 1 : 2;
  const Value x = call.small(call.withRank(call.x, spatial + 2));
  const Sizes stride = perAxis(call, spatial, 1, 2),
              dilation = perAxis(call, spatial, 1, 2);
  Sizes padding = perAxis(call, spatial, 0, 1);
  Sizes kernel = {x.size(1), call.random.between(1, 3)};
  for (int64_t axis = 0; axis < spatial; ++axis) {
    kernel.push_back(call.random.between(1, 3));
    if ((x.size(axis + 2) - 1) * stride[axis] +
            dilation[axis] * (kernel.back() - 1) + 1 - 2 * padding[axis] <
        1)
      padding[axis] = 0;
  }
  const Value weight = call.other(kernel);
  ConvTranspose2dOptions options;
  options.stride = stride;
  options.dilation = dilation;
  options.padding = padding;
  return method(
      x, "convTranspose2d",
      x.tensor.convTranspose2d(weight.tensor, {}, options), weight, "{}",
      "ConvTranspose2dOptions" + optionsText(stride, dilation, padding, 1));
}

/// A kernel that fits, a stride, and padding of less than half of the kernel.
struct Window {
  Window(Call &call, const Value &x) {
    for (int64_t axis = 2; axis < 4; ++axis) {
      const int64_t size =
          std::min<int64_t>(call.random.between(1, 3), x.size(axis));
      kernel.push_back(size);
      stride.push_back(call.random.between(1, 2));
      padding.push_back(size > 1 ? call.random.below(2) : 0);
    }
    options.stride = PerAxis(stride);
    options.padding = padding;
  }
  std::string text() const {
    return "Pool2dOptions{.stride = PerAxis(" + toText(stride) +
           "), .padding = " + toText(padding) + "}";
  }
  Sizes kernel, stride, padding;
  Pool2dOptions options;
};

Value avgPool2d(Call &call) {
  const Value x = call.withRank(call.x, 4);
  Window window(call, x);
  return method(x, "avgPool2d",
                x.tensor.avgPool2d(window.kernel, window.options),
                window.kernel, window.text());
}

Value maxPool2d(Call &call) {
  const Value x = call.withRank(call.x, 4);
  Window window(call, x);
  return method(x, "maxPool2d",
                x.tensor.maxPool2d(window.kernel, window.options),
                window.kernel, window.text());
}

const Function networkFunctions[] = {
    {"matmul", matmul, 4},       {"matmulLeft", matmulLeft, 2},
    {"gram", gram, 2},           {"linear", linear},
    {"einsum", einsum, 4},       {"einsumDiagonal", einsumDiagonal},
    {"attention", attention, 3}, {"selfAttention", selfAttention},
    {"conv2d", conv2d, 3},       {"convTranspose2d", convTranspose2d, 3},
    {"avgPool2d", avgPool2d, 2}, {"maxPool2d", maxPool2d, 2},
};

//===----------------------------------------------------------------------===//
// Losses
//===----------------------------------------------------------------------===//

struct Kind {
  Reduction reduction;
  const char *text;
};

Kind kind(Call &call) {
  static const Kind kinds[] = {{Reduction::Mean, "Reduction::Mean"},
                               {Reduction::Sum, "Reduction::Sum"},
                               {Reduction::None, "Reduction::None"}};
  return call.random.pick(kinds);
}

template <Tensor (Tensor::*function)(const Tensor &, Reduction) const>
Value loss(Call &call, const char *name) {
  const Value target = call.other(call.x.sizes());
  const Kind how = kind(call);
  return method(call.x, name,
                (call.x.tensor.*function)(target.tensor, how.reduction), target,
                how.text);
}

Value mseLoss(Call &call) { return loss<&Tensor::mseLoss>(call, "mseLoss"); }
Value l1Loss(Call &call) { return loss<&Tensor::l1Loss>(call, "l1Loss"); }

Value huberLoss(Call &call) {
  const Value target = call.other(call.x.sizes());
  const Kind how = kind(call);
  const double delta = call.random.between(2, 6) / 4.0;
  return method(call.x, "huberLoss",
                call.x.tensor.huberLoss(target.tensor, how.reduction, delta),
                target, how.text, delta);
}

Value smoothL1Loss(Call &call) {
  const Value target = call.other(call.x.sizes());
  const Kind how = kind(call);
  return method(call.x, "smoothL1Loss",
                call.x.tensor.smoothL1Loss(target.tensor, how.reduction),
                target, how.text);
}

Value klDivLoss(Call &call) {
  const Value target = call.above(call.other(call.x.sizes()), 0.1);
  const Kind how = kind(call);
  return method(call.x, "klDivLoss",
                call.x.tensor.klDivLoss(target.tensor, how.reduction), target,
                how.text);
}

Value binaryCrossentropy(Call &call) {
  const Value x = call.within(call.x, 0.05, 0.95);
  const Value target = call.within(call.other(x.sizes()), 0.05, 0.95);
  const Kind how = kind(call);
  return method(x, "binaryCrossentropy",
                x.tensor.binaryCrossentropy(target.tensor, how.reduction),
                target, how.text);
}

Value binaryCrossentropyLogits(Call &call) {
  const Value target = call.within(call.other(call.x.sizes()), 0.05, 0.95);
  const Kind how = kind(call);
  return method(
      call.x, "binaryCrossentropyLogits",
      call.x.tensor.binaryCrossentropyLogits(target.tensor, how.reduction),
      target, how.text);
}

/// Classes along axis 1.
Value labelsFor(Call &call, const Value &x) {
  Sizes sizes = x.sizes();
  const int64_t classes = sizes[1];
  sizes.erase(sizes.begin() + 1);
  return call.integers(sizes, 0, classes);
}

Value crossEntropy(Call &call) {
  const Value x =
      call.withRank(call.x, std::clamp<int64_t>(call.x.rank(), 2, 3));
  const Kind how = kind(call);
  const double smoothing = call.random.percent(30) ? 0.125 : 0;
  if (call.random.percent(40)) {
    const Value target = call.above(call.other(x.sizes()), 0.05);
    return method(
        x, "crossEntropy",
        x.tensor.crossEntropy(target.tensor, how.reduction, smoothing), target,
        how.text, smoothing);
  }
  const Value labels = labelsFor(call, x);
  return method(x, "crossEntropy",
                x.tensor.crossEntropy(labels.tensor, how.reduction, smoothing),
                labels, how.text, smoothing);
}

Value sparseCategoricalCrossentropy(Call &call) {
  const Value x = call.withRank(call.x, 2);
  const Value labels = labelsFor(call, x);
  return method(x, "sparseCategoricalCrossentropy",
                x.tensor.sparseCategoricalCrossentropy(labels.tensor), labels);
}

Value nllLoss(Call &call) {
  const Value x = call.withRank(call.x, 2);
  const Value labels = labelsFor(call, x);
  const Kind how = kind(call);
  if (call.random.percent(50)) {
    const Value weight = call.above(call.other({x.size(1)}), 0.2);
    return method(
        x, "nllLoss",
        x.tensor.nllLoss(labels.tensor, weight.tensor, {}, how.reduction),
        labels, weight, "{}", how.text);
  }
  return method(x, "nllLoss",
                x.tensor.nllLoss(labels.tensor, {}, {}, how.reduction), labels,
                "{}", "{}", how.text);
}

const Function lossFunctions[] = {
    {"mseLoss", mseLoss},
    {"l1Loss", l1Loss},
    {"huberLoss", huberLoss},
    {"smoothL1Loss", smoothL1Loss},
    {"klDivLoss", klDivLoss},
    {"binaryCrossentropy", binaryCrossentropy},
    {"binaryCrossentropyLogits", binaryCrossentropyLogits},
    {"crossEntropy", crossEntropy, 2},
    {"sparseCategoricalCrossentropy", sparseCategoricalCrossentropy},
    {"nllLoss", nllLoss},
};

} // namespace

llvm::ArrayRef<Function> tinygrad::fuzz::getNetworkFunctions() {
  return networkFunctions;
}

llvm::ArrayRef<Function> tinygrad::fuzz::getLossFunctions() {
  return lossFunctions;
}
