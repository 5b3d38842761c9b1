//===- Functions.h - tensor methods as functions ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Methods of Tensor as free functions, for those who would rather write
/// `exp(x)`, `where(mask, a, b)` or `matmul(a, b)`. Each is the method, or the
/// static function, of its name, where parameters and errors are documented.
///
/// Not part of Tensor.h, so that programs may have functions of these names.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TENSOR_FUNCTIONS_H
#define TINYGRAD_TENSOR_FUNCTIONS_H

#include "TinyGrad/Tensor/Tensor.h"

namespace tinygrad {

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

#define TINYGRAD_UNARY(METHOD, NAME, TEXT)                                     \
  inline Tensor METHOD(const Tensor &x) { return x.METHOD(); }
#define TINYGRAD_BINARY(METHOD, NAME, REVERSIBLE, TEXT)                        \
  inline Tensor METHOD(const Tensor &x, const Operand &other) {                \
    return x.METHOD(other);                                                    \
  }
#include "TinyGrad/Tensor/Methods.def"

inline Tensor gelu(const Tensor &x) { return x.gelu(); }
inline Tensor isinf(const Tensor &x) { return x.isinf(); }
inline Tensor clamp(const Tensor &x, std::optional<Operand> min,
                    std::optional<Operand> max = {}) {
  return x.clamp(min, max);
}
inline Tensor leakyRelu(const Tensor &x, double slope = 0.01) {
  return x.leakyRelu(slope);
}
inline Tensor hardsigmoid(const Tensor &x, double alpha = 1.0 / 6,
                          double beta = 0.5) {
  return x.hardsigmoid(alpha, beta);
}
inline Tensor hardtanh(const Tensor &x, double min = -1, double max = 1) {
  return x.hardtanh(min, max);
}
inline Tensor elu(const Tensor &x, double alpha = 1) { return x.elu(alpha); }
inline Tensor celu(const Tensor &x, double alpha = 1) { return x.celu(alpha); }
inline Tensor softplus(const Tensor &x, double beta = 1) {
  return x.softplus(beta);
}

// Next to a tensor, a number or another tensor.

inline Tensor div(const Tensor &x, const Operand &other) {
  return x.div(other);
}
// With the number first, where the order does not matter.
template <NumberType E> Tensor add(E number, const Tensor &x) {
  return x.add(number);
}
template <NumberType E> Tensor mul(E number, const Tensor &x) {
  return x.mul(number);
}
template <NumberType E> Tensor maximum(E number, const Tensor &x) {
  return x.maximum(number);
}
template <NumberType E> Tensor minimum(E number, const Tensor &x) {
  return x.minimum(number);
}
inline Tensor isclose(const Tensor &x, const Operand &other, double rtol = 1e-5,
                      double atol = 1e-8, bool equalNan = false) {
  return x.isclose(other, rtol, atol, equalNan);
}
inline bool
allclose(const Tensor &x, const Operand &other, double rtol = 1e-5,
         double atol = 1e-8, bool equalNan = false,
         std::source_location where = std::source_location::current()) {
  return x.allclose(other, rtol, atol, equalNan, where);
}
inline Tensor lerp(const Tensor &x, const Operand &end, const Operand &weight) {
  return x.lerp(end, weight);
}
inline Tensor where(const Tensor &condition, const Operand &x,
                    const Operand &y) {
  return condition.where(x, y);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

inline Tensor sum(const Tensor &x, const Axes &axes = {}, bool keepdim = false,
                  std::optional<DType> dtype = {}) {
  return x.sum(axes, keepdim, dtype);
}
inline Tensor prod(const Tensor &x, const Axes &axes = {}, bool keepdim = false,
                   std::optional<DType> dtype = {}) {
  return x.prod(axes, keepdim, dtype);
}
inline Tensor max(const Tensor &x, const Axes &axes = {},
                  bool keepdim = false) {
  return x.max(axes, keepdim);
}
inline Tensor min(const Tensor &x, const Axes &axes = {},
                  bool keepdim = false) {
  return x.min(axes, keepdim);
}
inline Tensor mean(const Tensor &x, const Axes &axes = {},
                   bool keepdim = false) {
  return x.mean(axes, keepdim);
}
inline Tensor any(const Tensor &x, const Axes &axes = {},
                  bool keepdim = false) {
  return x.any(axes, keepdim);
}
inline Tensor all(const Tensor &x, const Axes &axes = {},
                  bool keepdim = false) {
  return x.all(axes, keepdim);
}
inline Tensor logsumexp(const Tensor &x, const Axes &axes = {},
                        bool keepdim = false) {
  return x.logsumexp(axes, keepdim);
}
inline Tensor var(const Tensor &x, const Axes &axes = {}, bool keepdim = false,
                  int64_t correction = 1) {
  return x.var(axes, keepdim, correction);
}
inline Tensor argmax(const Tensor &x, std::optional<int64_t> axis = {},
                     bool keepdim = false) {
  return x.argmax(axis, keepdim);
}
inline Tensor argmin(const Tensor &x, std::optional<int64_t> axis = {},
                     bool keepdim = false) {
  return x.argmin(axis, keepdim);
}
inline Tensor softmax(const Tensor &x, int64_t axis = -1,
                      std::optional<DType> dtype = {}) {
  return x.softmax(axis, dtype);
}
inline Tensor logSoftmax(const Tensor &x, int64_t axis = -1,
                         std::optional<DType> dtype = {}) {
  return x.logSoftmax(axis, dtype);
}
inline Tensor softmin(const Tensor &x, int64_t axis = -1,
                      std::optional<DType> dtype = {}) {
  return x.softmin(axis, dtype);
}

//===----------------------------------------------------------------------===//
// Movement and indexing
//===----------------------------------------------------------------------===//

inline Tensor cat(const std::vector<Tensor> &tensors, int64_t dim = 0) {
  return Tensor::cat(tensors, dim);
}
inline Tensor stack(const std::vector<Tensor> &tensors, int64_t dim = 0) {
  return Tensor::stack(tensors, dim);
}
inline Tensor reshape(const Tensor &x, const Shape &shape) {
  return x.reshape(shape);
}
inline Tensor expand(const Tensor &x, const Shape &shape) {
  return x.expand(shape);
}
inline Tensor permute(const Tensor &x, const Axes &order) {
  return x.permute(order);
}
inline Tensor transpose(const Tensor &x, int64_t dim0 = 1, int64_t dim1 = 0) {
  return x.transpose(dim0, dim1);
}
inline Tensor flip(const Tensor &x, const Axes &axes) { return x.flip(axes); }
inline Tensor pad(const Tensor &x, const Padding &amounts, Scalar value = 0) {
  return x.pad(amounts, value);
}
inline Tensor pad(const Tensor &x, const Padding &amounts, PadMode mode,
                  Scalar value = 0) {
  return x.pad(amounts, mode, value);
}
inline Tensor shrink(const Tensor &x, const Parts &parts) {
  return x.shrink(parts);
}
inline Tensor padTo(const Tensor &x, const Shape &shape) {
  return x.padTo(shape);
}
inline Tensor shrinkTo(const Tensor &x, const Shape &shape) {
  return x.shrinkTo(shape);
}
inline Tensor rearrange(const Tensor &x, std::string_view formula,
                        const NamedSizes &sizes = {}) {
  return x.rearrange(formula, sizes);
}
inline std::vector<Tensor> unbind(const Tensor &x, int64_t dim = 0) {
  return x.unbind(dim);
}
inline Tensor unfold(const Tensor &x, int64_t dim, int64_t size, int64_t step) {
  return x.unfold(dim, size, step);
}
inline Tensor diagonal(const Tensor &x, int64_t offset = 0, int64_t dim0 = 0,
                       int64_t dim1 = 1) {
  return x.diagonal(offset, dim0, dim1);
}
inline Tensor diag(const Tensor &x, int64_t offset = 0) {
  return x.diag(offset);
}
inline std::vector<Tensor> meshgrid(const std::vector<Tensor> &rows,
                                    GridIndexing indexing = GridIndexing::IJ) {
  return Tensor::meshgrid(rows, indexing);
}
inline Tensor repeatInterleave(const Tensor &x, SymInt repeats,
                               std::optional<int64_t> dim = {}) {
  return x.repeatInterleave(repeats, dim);
}
inline Tensor
repeatInterleave(const Tensor &x, const Tensor &repeats,
                 std::optional<int64_t> dim = {},
                 std::source_location where = std::source_location::current()) {
  return x.repeatInterleave(repeats, dim, where);
}
inline Tensor squeeze(const Tensor &x) { return x.squeeze(); }
inline Tensor squeeze(const Tensor &x, int64_t dim) { return x.squeeze(dim); }
inline Tensor unsqueeze(const Tensor &x, int64_t dim) {
  return x.unsqueeze(dim);
}
inline Tensor flatten(const Tensor &x, int64_t startDim = 0,
                      int64_t endDim = -1) {
  return x.flatten(startDim, endDim);
}
inline Tensor repeat(const Tensor &x, const Shape &repeats) {
  return x.repeat(repeats);
}
inline Tensor roll(const Tensor &x, SymInt shift, int64_t dim) {
  return x.roll(shift, dim);
}
inline Tensor gather(const Tensor &x, int64_t dim, const Tensor &index) {
  return x.gather(dim, index);
}
inline Tensor indexSelect(const Tensor &x, int64_t dim, const Tensor &index) {
  return x.indexSelect(dim, index);
}
inline Tensor oneHot(const Tensor &x, SymInt numClasses) {
  return x.oneHot(numClasses);
}
inline Tensor maskedFill(const Tensor &x, const Tensor &mask,
                         const Operand &value) {
  return x.maskedFill(mask, value);
}
inline Tensor tril(const Tensor &x, int64_t diagonal = 0) {
  return x.tril(diagonal);
}
inline Tensor triu(const Tensor &x, int64_t diagonal = 0) {
  return x.triu(diagonal);
}

//===----------------------------------------------------------------------===//
// Networks
//===----------------------------------------------------------------------===//

inline Tensor matmul(const Tensor &x, const Tensor &other,
                     std::optional<DType> dtype = {}) {
  return x.matmul(other, dtype);
}
inline Tensor dot(const Tensor &x, const Tensor &other,
                  std::optional<DType> dtype = {}) {
  return x.dot(other, dtype);
}
inline Tensor einsum(std::string_view formula,
                     const std::vector<Tensor> &operands,
                     std::optional<DType> dtype = {}) {
  return Tensor::einsum(formula, operands, dtype);
}
inline Tensor linear(const Tensor &x, const Tensor &weight,
                     const OptionalTensor &bias = {}) {
  return x.linear(weight, bias);
}
inline Tensor conv2d(const Tensor &x, const Tensor &weight,
                     const OptionalTensor &bias = {},
                     const Conv2dOptions &options = {}) {
  return x.conv2d(weight, bias, options);
}
template <OptionsFor<Conv2dOptions> O = Conv2dOptions>
Tensor conv2d(const Tensor &x, const Tensor &weight, const O &options) {
  return x.conv2d(weight, options);
}
inline Tensor convTranspose2d(const Tensor &x, const Tensor &weight,
                              const OptionalTensor &bias = {},
                              const ConvTranspose2dOptions &options = {}) {
  return x.convTranspose2d(weight, bias, options);
}
template <OptionsFor<ConvTranspose2dOptions> O = ConvTranspose2dOptions>
Tensor convTranspose2d(const Tensor &x, const Tensor &weight,
                       const O &options) {
  return x.convTranspose2d(weight, options);
}
inline Tensor avgPool2d(const Tensor &x, const PerAxis &kernelSize = 2,
                        const Pool2dOptions &options = {}) {
  return x.avgPool2d(kernelSize, options);
}
inline Tensor maxPool2d(const Tensor &x, const PerAxis &kernelSize = 2,
                        const Pool2dOptions &options = {}) {
  return x.maxPool2d(kernelSize, options);
}
inline Tensor dropout(const Tensor &x, double p = 0.5) { return x.dropout(p); }
inline Tensor maxUnpool2d(const Tensor &x, const Tensor &indices,
                          const PerAxis &kernelSize = 2,
                          const MaxUnpool2dOptions &options = {}) {
  return x.maxUnpool2d(indices, kernelSize, options);
}
inline Tensor interpolate(const Tensor &x, const Shape &size,
                          InterpolateMode mode = InterpolateMode::Linear,
                          bool alignCorners = false) {
  return x.interpolate(size, mode, alignCorners);
}
inline Tensor normalize(const Tensor &x, double p = 2, int64_t dim = 1,
                        double eps = 1e-12) {
  return x.normalize(p, dim, eps);
}
inline Tensor layernorm(const Tensor &x, const Axes &axes = -1,
                        double eps = 1e-5) {
  return x.layernorm(axes, eps);
}
inline Tensor rmsnorm(const Tensor &x, int64_t axis = -1, double eps = 1e-6) {
  return x.rmsnorm(axis, eps);
}
inline Tensor scaledDotProductAttention(const Tensor &query, const Tensor &key,
                                        const Tensor &value,
                                        const OptionalTensor &mask = {},
                                        bool isCausal = false,
                                        double dropoutP = 0) {
  return query.scaledDotProductAttention(key, value, mask, isCausal, dropoutP);
}

//===----------------------------------------------------------------------===//
// Factorizations of matrices
//===----------------------------------------------------------------------===//

inline std::pair<Tensor, Tensor> qr(const Tensor &x) { return x.qr(); }
inline std::tuple<Tensor, Tensor, Tensor> svd(const Tensor &x,
                                              bool fullMatrices = true) {
  return x.svd(fullMatrices);
}

//===----------------------------------------------------------------------===//
// Losses
//===----------------------------------------------------------------------===//

inline Tensor crossEntropy(const Tensor &x, const Tensor &target,
                           Reduction reduction = Reduction::Mean,
                           double labelSmoothing = 0,
                           std::optional<int64_t> ignoreIndex = {}) {
  return x.crossEntropy(target, reduction, labelSmoothing, ignoreIndex);
}
inline Tensor
sparseCategoricalCrossentropy(const Tensor &x, const Tensor &labels,
                              std::optional<int64_t> ignoreIndex = {},
                              double labelSmoothing = 0,
                              Reduction reduction = Reduction::Mean) {
  return x.sparseCategoricalCrossentropy(labels, ignoreIndex, labelSmoothing,
                                         reduction);
}
inline Tensor binaryCrossentropy(const Tensor &x, const Tensor &target,
                                 Reduction reduction = Reduction::Mean) {
  return x.binaryCrossentropy(target, reduction);
}
inline Tensor binaryCrossentropyLogits(const Tensor &x, const Tensor &target,
                                       Reduction reduction = Reduction::Mean,
                                       const OptionalTensor &posWeight = {}) {
  return x.binaryCrossentropyLogits(target, reduction, posWeight);
}
inline Tensor nllLoss(const Tensor &x, const Tensor &labels,
                      const OptionalTensor &weight = {},
                      std::optional<int64_t> ignoreIndex = {},
                      Reduction reduction = Reduction::Mean) {
  return x.nllLoss(labels, weight, ignoreIndex, reduction);
}
inline Tensor mseLoss(const Tensor &x, const Tensor &target,
                      Reduction reduction = Reduction::Mean) {
  return x.mseLoss(target, reduction);
}
inline Tensor l1Loss(const Tensor &x, const Tensor &target,
                     Reduction reduction = Reduction::Mean) {
  return x.l1Loss(target, reduction);
}
inline Tensor huberLoss(const Tensor &x, const Tensor &target,
                        Reduction reduction = Reduction::Mean,
                        double delta = 1) {
  return x.huberLoss(target, reduction, delta);
}
inline Tensor smoothL1Loss(const Tensor &x, const Tensor &target,
                           Reduction reduction = Reduction::Mean,
                           double beta = 1) {
  return x.smoothL1Loss(target, reduction, beta);
}
inline Tensor klDivLoss(const Tensor &x, const Tensor &target,
                        Reduction reduction = Reduction::Mean,
                        bool isLogTarget = false) {
  return x.klDivLoss(target, reduction, isLogTarget);
}

} // namespace tinygrad

#endif // TINYGRAD_TENSOR_FUNCTIONS_H
