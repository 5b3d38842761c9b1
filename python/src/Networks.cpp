//===- Networks.cpp - products, convolutions, losses ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BoundSizes.h"
#include "Convert.h"
#include "Interrupts.h"

#include <limits>

using namespace tinygrad;
using namespace tinygrad::python;
using nb::arg;

static Reduction toReduction(const std::string &text) {
  if (text == "mean")
    return Reduction::Mean;
  if (text == "sum")
    return Reduction::Sum;
  if (text == "none")
    return Reduction::None;
  throw Error("reduction is \"mean\", \"sum\" or \"none\", not \"" + text +
              "\"");
}

/// \p x without what negative numbers of \p padding remove, which become 0: of
/// one number, or one for each spatial axis, at both ends; of pairs (before,
/// after), the last axis first.
static Tensor cutNegative(const Tensor &x, std::vector<int64_t> &padding) {
  bool isNegative = false;
  for (int64_t amount : padding)
    isNegative |= amount < 0;
  const int64_t spatial = x.ndim() - 2, count = int64_t(padding.size());
  // The convolution has the errors of other lengths.
  if (!isNegative || (count != 1 && count != spatial && count != 2 * spatial))
    return x;
  std::vector<PadAmount> cuts(x.ndim(), PadAmount{0, 0});
  for (int64_t axis = 0; axis < spatial; ++axis) {
    const int64_t last = spatial - 1 - axis;
    const int64_t first = count == 2 * spatial ? 2 * last
                          : count == spatial   ? axis
                                               : 0;
    const int64_t before = padding[first];
    const int64_t after = count == 2 * spatial ? padding[first + 1] : before;
    cuts[axis + 2] = {std::min<int64_t>(before, 0),
                      std::min<int64_t>(after, 0)};
  }
  for (int64_t &amount : padding)
    amount = std::max<int64_t>(amount, 0);
  return x.pad(Padding(std::move(cuts)));
}

static void bindProducts(TensorClass &tensor) {
  tensor.def(
      "matmul",
      [](const Tensor &self, const Tensor &x, bool reverse,
         DTypeArgument dtype) {
        return reverse ? x.matmul(self, dtype.get())
                       : self.matmul(x, dtype.get());
      },
      arg("x"), arg("reverse") = false, arg("dtype") = nb::none(),
      "The matrix product of the last two axes; the others are broadcast.");
  tensor.def(
      "dot",
      [](const Tensor &self, const Tensor &w, DTypeArgument dtype) {
        return self.matmul(w, dtype.get());
      },
      arg("w"), arg("dtype") = nb::none(), "matmul().");
  tensor.def_static(
      "einsum",
      [](const std::string &formula, nb::args operands, nb::kwargs keywords) {
        std::optional<DType> dtype;
        if (keywords.contains("dtype"))
          dtype = DTypeArgument{keywords["dtype"]}.get();
        return Tensor::einsum(formula, toTensors(operands, "einsum"), dtype);
      },
      "Sums of products by a formula: einsum(\"ij,jk->ik\", a, b).");
  tensor.def(
      "linear",
      [](const Tensor &self, const Tensor &weight, const Tensor *bias,
         DTypeArgument dtype) {
        if (std::optional<DType> type = dtype.get()) {
          const Tensor cast = bias ? bias->cast(*type) : Tensor();
          return self.cast(*type).linear(weight.cast(*type),
                                         optional(bias ? &cast : nullptr));
        }
        return self.linear(weight, optional(bias));
      },
      arg("weight"), arg("bias") = nb::none(), arg("dtype") = nb::none(),
      "self @ weight + bias; self * weight for a weight of one axis.");
  tensor.def(
      "conv2d",
      [](const Tensor &self, const Tensor &weight, const Tensor *bias,
         int64_t groups, PerAxisArgument stride, PerAxisArgument dilation,
         PerAxisArgument padding, DTypeArgument dtype) {
        return orWithNumbers(self, [&](const Tensor &known) {
          std::vector<int64_t> pads = padding.get().get();
          const Tensor x = cutNegative(known, pads);
          return x.conv2d(weight, optional(bias),
                          Conv2dOptions{.groups = groups,
                                        .stride = stride.get(),
                                        .dilation = dilation.get(),
                                        .padding = pads,
                                        .dtype = dtype.get()});
        });
      },
      arg("weight"), arg("bias") = nb::none(), arg("groups") = 1,
      arg("stride") = 1, arg("dilation") = 1, arg("padding") = 0,
      arg("dtype") = nb::none(),
      "(N, Cin, spatial...) and (Cout, Cin / groups, kernel...).");
  tensor.def(
      "conv_transpose2d",
      [](const Tensor &self, const Tensor &weight, const Tensor *bias,
         int64_t groups, PerAxisArgument stride, PerAxisArgument dilation,
         PerAxisArgument padding, PerAxisArgument outputPadding) {
        return self.convTranspose2d(
            weight, optional(bias),
            ConvTranspose2dOptions{.groups = groups,
                                   .stride = stride.get(),
                                   .dilation = dilation.get(),
                                   .padding = padding.get(),
                                   .outputPadding = outputPadding.get()});
      },
      arg("weight"), arg("bias") = nb::none(), arg("groups") = 1,
      arg("stride") = 1, arg("dilation") = 1, arg("padding") = 0,
      arg("output_padding") = 0, "The transpose of conv2d().");
  tensor.def(
      "scaled_dot_product_attention",
      [](const Tensor &self, const Tensor &key, const Tensor &value,
         const Tensor *mask, double dropout, bool isCausal, bool enableGqa) {
        Tensor keys = key, values = value;
        if (enableGqa && self.ndim() >= 3 && key.ndim() >= 3) {
          const int64_t groups = (self.size(-3) / key.size(-3)).value();
          keys = key.repeatInterleave(groups, -3);
          values = value.repeatInterleave(groups, -3);
        }
        return self.scaledDotProductAttention(keys, values, optional(mask),
                                              isCausal, dropout);
      },
      arg("key"), arg("value"), arg("attn_mask") = nb::none(),
      arg("dropout_p") = 0.0, arg("is_causal") = false,
      arg("enable_gqa") = false,
      "softmax(self @ key.T / sqrt(d) + mask) @ value.");
}

static std::optional<PerAxis> toOptional(nb::handle object) {
  if (object.is_none())
    return std::nullopt;
  return PerAxisArgument{object}.get();
}

/// Whether windows have one axis: their size is a sequence of one number.
static bool isOneAxis(const PerAxisArgument &kernel) {
  return nb::hasattr(kernel.object, "__len__") && nb::len(kernel.object) == 1;
}

/// The number for one axis, with \p unit for a new axis before it.
static PerAxis withUnit(const PerAxis &numbers, int64_t unit) {
  if (numbers.get().size() != 1)
    throw ShapeError("pooling: " + std::to_string(numbers.get().size()) +
                     " numbers for windows of one axis");
  return PerAxis{unit, numbers.get()[0]};
}

/// Options for windows of one axis as those for two.
static Pool2dOptions withUnits(Pool2dOptions options) {
  if (options.stride)
    options.stride = withUnit(*options.stride, 1);
  options.dilation = withUnit(options.dilation, 1);
  // A pair is for before and after the axis.
  if (const std::vector<int64_t> pads = options.padding.get(); pads.size() == 2)
    options.padding = {pads[0], pads[1], 0, 0};
  else
    options.padding = withUnit(options.padding, 0);
  return options;
}

/// One axis of pixels, of UInt8, resized linearly.
static Tensor interpolatePixels(const Tensor &x, int64_t axis, SymInt size,
                                bool alignCorners) {
  const SymInt from = x.shape()[axis];
  if (from == size)
    return x;
  // Where the new pixels are among the old ones.
  Tensor position = Tensor::arange(0, from, 1).to(x.device()).toFloat();
  position =
      position.interpolate({size}, InterpolateMode::Linear, alignCorners);
  const Tensor low = position.floor(), index = low.toInt();
  Shape aligned(x.ndim(), 1);
  aligned[axis] = size;
  return lerpPixels(x.indexSelect(axis, index),
                    x.indexSelect(axis, (index + 1).minimum(from - 1)),
                    (position - low).reshape(aligned));
}

static void bindPooling(TensorClass &tensor) {
  const nb::object two = nb::make_tuple(2, 2);
  tensor.def(
      "avg_pool2d",
      [](const Tensor &self, PerAxisArgument kernel, nb::object stride,
         PerAxisArgument dilation, PerAxisArgument padding, bool ceilMode,
         bool countIncludePad) {
        const Pool2dOptions options{.stride = toOptional(stride),
                                    .dilation = dilation.get(),
                                    .padding = padding.get(),
                                    .ceilMode = ceilMode,
                                    .countIncludePad = countIncludePad};
        if (!isOneAxis(kernel))
          return self.avgPool2d(kernel.get(), options);
        return self.unsqueeze(-2)
            .avgPool2d(withUnit(kernel.get(), 1), withUnits(options))
            .squeeze(-2);
      },
      arg("kernel_size") = two, arg("stride") = nb::none(), arg("dilation") = 1,
      arg("padding") = 0, arg("ceil_mode") = false,
      arg("count_include_pad") = true, "The mean of each window.");
  tensor.def(
      "max_pool2d",
      [](const Tensor &self, PerAxisArgument kernel, nb::object stride,
         PerAxisArgument dilation, PerAxisArgument padding, bool ceilMode,
         bool returnIndices) -> nb::object {
        const Pool2dOptions options{.stride = toOptional(stride),
                                    .dilation = dilation.get(),
                                    .padding = padding.get(),
                                    .ceilMode = ceilMode};
        const bool isOne = isOneAxis(kernel);
        const Tensor x = isOne ? self.unsqueeze(-2) : self;
        const PerAxis extent = isOne ? withUnit(kernel.get(), 1) : kernel.get();
        const Pool2dOptions all = isOne ? withUnits(options) : options;
        auto finish = [&](const Tensor &result) {
          return isOne ? result.squeeze(-2) : result;
        };
        if (!returnIndices)
          return nb::cast(finish(x.maxPool2d(extent, all)));
        const ValuesAndIndices both = x.maxPool2dWithIndices(extent, all);
        return nb::make_tuple(finish(both.values), finish(both.indices));
      },
      arg("kernel_size") = two, arg("stride") = nb::none(), arg("dilation") = 1,
      arg("padding") = 0, arg("ceil_mode") = false,
      arg("return_indices") = false, "The largest element of each window.");
  tensor.def(
      "max_unpool2d",
      [](const Tensor &self, const Tensor &indices, PerAxisArgument kernel,
         nb::object stride, PerAxisArgument dilation, PerAxisArgument padding,
         nb::object outputSize) {
        MaxUnpool2dOptions options{.stride = toOptional(stride),
                                   .dilation = dilation.get(),
                                   .padding = padding.get()};
        if (!outputSize.is_none())
          options.outputSize = ShapeArgument{outputSize}.get();
        return self.maxUnpool2d(indices, kernel.get(), options);
      },
      arg("indices"), arg("kernel_size") = two, arg("stride") = nb::none(),
      arg("dilation") = 1, arg("padding") = 0, arg("output_size") = nb::none(),
      "Zeros with these elements where max_pool2d() found them.");
  tensor.def(
      "interpolate",
      [](const Tensor &self, ShapeArgument size, const std::string &mode,
         bool alignCorners) {
        InterpolateMode kind = InterpolateMode::Linear;
        if (mode == "nearest")
          kind = InterpolateMode::Nearest;
        else if (mode == "nearest-exact")
          kind = InterpolateMode::NearestExact;
        else if (mode != "linear")
          throw Error("interpolate: the mode is linear, nearest or "
                      "nearest-exact, not \"" +
                      mode + "\"");
        if (alignCorners && kind != InterpolateMode::Linear)
          throw Error("interpolate: align_corners is for the mode linear, not "
                      "for \"" +
                      mode + "\"");
        const Shape sizes = size.get();
        const int64_t outer = self.ndim() - int64_t(sizes.size());
        if (self.dtype() != DType::UInt8 || kind != InterpolateMode::Linear ||
            outer < 0 || sizes.empty())
          return self.interpolate(sizes, kind, alignCorners);
        // Pixels stay pixels, also between two axes, as in PyTorch.
        Tensor x = self;
        for (std::size_t i = sizes.size(); i-- > 0;)
          x = interpolatePixels(x, outer + int64_t(i), sizes[i], alignCorners);
        return x;
      },
      arg("size"), arg("mode") = "linear", arg("align_corners") = false,
      "The last axes resized.");
}

static void bindNormalizations(TensorClass &tensor) {
  tensor.def(
      "batchnorm",
      [](const Tensor &self, const Tensor *weight, const Tensor *bias,
         const Tensor &mean, const Tensor &invstd, AxesArgument axis) {
        return self.batchnorm(optional(weight), optional(bias), mean, invstd,
                              axis.get());
      },
      arg("weight").none(), arg("bias").none(), arg("mean"), arg("invstd"),
      arg("axis") = 1, "(self - mean) * invstd * weight + bias.");
  tensor.def(
      "layernorm",
      [](const Tensor &self, AxesArgument axis, double eps) {
        return self.layernorm(axis.get(), eps);
      },
      arg("axis") = -1, arg("eps") = 1e-5,
      "(self - mean) / sqrt(variance + eps).");
  tensor.def(
      "qr", [](const Tensor &self) { return self.qr(); },
      "(q, r): an orthogonal and an upper triangular matrix.");
  tensor.def(
      "svd",
      [](const Tensor &self, bool fullMatrices) {
        return self.svd(fullMatrices);
      },
      arg("full_matrices") = true, "(u, s, v) with (u * s) @ v equal to self.");
  tensor.def(
      "newton_schulz",
      [](const Tensor &self, int64_t steps,
         const std::vector<double> &coefficients, double eps) {
        // Many steps take long, even to build.
        const Unlocked unlocked;
        return self.newtonSchulz(steps, coefficients, eps);
      },
      arg("steps"), arg("params"), arg("eps") = 1e-7,
      "Approaches the orthogonal matrix next to this.");
}

static void bindLosses(TensorClass &tensor) {
  tensor.def(
      "cross_entropy",
      [](const Tensor &self, const Tensor &target, const std::string &reduction,
         double labelSmoothing) {
        return self.crossEntropy(target, toReduction(reduction),
                                 labelSmoothing);
      },
      arg("Y"), arg("reduction") = "mean", arg("label_smoothing") = 0.0,
      "-sum(Y * log_softmax(self)) along the classes, axis 1.");
  tensor.def(
      "sparse_categorical_crossentropy",
      [](const Tensor &self, const Tensor &labels, int64_t ignoreIndex,
         double labelSmoothing, const std::string &reduction) {
        // As in tinygrad, -1 ignores nothing: a label of -1 is no class, adds
        // no loss, and counts in the mean.
        if (ignoreIndex == -1)
          ignoreIndex = std::numeric_limits<int32_t>::min();
        return self.sparseCategoricalCrossentropy(
            labels, ignoreIndex, labelSmoothing, toReduction(reduction));
      },
      arg("Y"), arg("ignore_index") = -1, arg("label_smoothing") = 0.0,
      arg("reduction") = "mean",
      "cross_entropy() of labels, with the classes along the last axis.");
  tensor.def(
      "binary_crossentropy",
      [](const Tensor &self, const Tensor &target,
         const std::string &reduction) {
        return self.binaryCrossentropy(target, toReduction(reduction));
      },
      arg("Y"), arg("reduction") = "mean",
      "-Y * log(self) - (1 - Y) * log(1 - self).");
  tensor.def(
      "binary_crossentropy_logits",
      [](const Tensor &self, const Tensor &target, const std::string &reduction,
         const Tensor *posWeight) {
        return self.binaryCrossentropyLogits(target, toReduction(reduction),
                                             optional(posWeight));
      },
      arg("Y"), arg("reduction") = "mean", arg("pos_weight") = nb::none(),
      "binary_crossentropy() of sigmoid(self).");
  tensor.def(
      "nll_loss",
      [](const Tensor &self, const Tensor &labels, const Tensor *weight,
         std::optional<int64_t> ignoreIndex, const std::string &reduction) {
        return self.nllLoss(labels, optional(weight), ignoreIndex,
                            toReduction(reduction));
      },
      arg("Y"), arg("weight") = nb::none(), arg("ignore_index") = nb::none(),
      arg("reduction") = "mean",
      "-self[n, label] for logarithms of probabilities.");
}

void tinygrad::python::bindNetworks(TensorClass &tensor) {
  bindProducts(tensor);
  bindPooling(tensor);
  bindNormalizations(tensor);
  bindLosses(tensor);
  tensor.def(
      "sequential",
      [](nb::object self, nb::object functions) {
        for (nb::handle function : functions)
          self = function(self);
        return self;
      },
      arg("ll"), "Applies one function after the other.");
}
