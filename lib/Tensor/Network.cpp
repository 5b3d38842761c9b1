//===- Network.cpp - building blocks of neural networks -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Products, normalization, attention. All consist of views, elementwise
/// operations and reductions; operands are not copied to rearrange them.
///
//===----------------------------------------------------------------------===//

#include "Primitives.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

using namespace tinygrad;
using namespace tinygrad::detail;
namespace recipes = mlir::tg::recipes;

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

namespace {
/// What errors say of shapes and sizes.
struct FaultText {
  std::string operator()(const Shape &shape) const { return toString(shape); }
  std::string operator()(const SymInt &size) const { return size.str(); }
  std::string operator()(const SymInt &a, const SymInt &b) const {
    return explainDifference(a, b);
  }
};

/// A factor or the product of matrices, for the recipe: its movements are no
/// views, and what changes nothing makes no tensor.
struct MatmulValue {
  int64_t ndim() const { return value.ndim(); }
  MatmulValue unsqueeze(int64_t axis) const {
    Shape shape = value.shape();
    shape.insert(axis < 0 ? shape.end() + 1 + axis : shape.begin() + axis, 1);
    return {prim::Movements(value).reshape(shape).tensor()};
  }
  MatmulValue squeeze(int64_t axis) const {
    Shape shape = value.shape();
    shape.erase(shape.end() + axis);
    return {prim::Movements(value).reshape(shape).tensor()};
  }
  MatmulValue transpose(int64_t first, int64_t second) const {
    std::vector<int64_t> order(ndim());
    std::iota(order.begin(), order.end(), 0);
    std::swap(order.end()[first], order.end()[second]);
    return {prim::Movements(value).permute(order).tensor()};
  }
  MatmulValue cast(DType dtype) const { return {inDType(value, dtype)}; }
  MatmulValue sum(int64_t axis, bool keepdim, DType dtype) const {
    return {value.sum(axis, keepdim, dtype)};
  }
  friend MatmulValue operator*(const MatmulValue &lhs, const MatmulValue &rhs) {
    return {
        arithmetic(BinaryOp::Mul, broadcast(lhs.value, rhs.value, "matmul"))};
  }

  Tensor value;
};
} // namespace

Tensor Tensor::matmul(const Tensor &other, std::optional<DType> dtype) const {
  const MethodScope method("matmul");
  checkOperands({this, &other});
  if (!recipes::haveProduct(shape(), other.shape()))
    throw ShapeError("matmul: " + recipes::findProductFault(
                                      shape(), other.shape(), FaultText()));
  const DType common = promote(this->dtype(), other.dtype());
  const DType result = dtype.value_or(common);
  return recipes::matmul(MatmulValue{*this}, MatmulValue{other},
                         sumAccumulationDType(result), result)
      .value;
}

Tensor Tensor::linear(const Tensor &weight, const OptionalTensor &bias) const {
  const MethodScope method("linear");
  const bool isVector = weight.ndim() == 1;
  if (isVector ? !canBroadcast(shape(), weight.shape())
               : ndim() == 0 || weight.ndim() == 0 ||
                     shape().back() != weight.shape()[weight.ndim() - 2])
    throw ShapeError("linear: a weight of shape " + toString(weight.shape()) +
                     " does not fit a tensor of shape " + toString(shape()));
  Tensor result = isVector ? *this * weight : matmul(weight);
  if (bias && !canBroadcast(result.shape(), bias->shape()))
    throw ShapeError("linear: a bias of shape " + toString(bias->shape()) +
                     " does not fit a result of shape " +
                     toString(result.shape()));
  return bias ? result + *bias : result;
}

//===----------------------------------------------------------------------===//
// Normalization
//===----------------------------------------------------------------------===//

Tensor Tensor::batchnorm(const OptionalTensor &weight,
                         const OptionalTensor &bias, const Tensor &mean,
                         const Tensor &invstd, const Axes &axis) const {
  const MethodScope method("batchnorm");
  const std::vector<int64_t> axes = normalizeAxes(axis, ndim(), "batchnorm");
  Shape aligned(ndim(), 1);
  for (int64_t i : axes)
    aligned[i] = shape()[i];
  auto align = [&](const Tensor &parameter, const char *what) {
    if (parameter.numel() !=
        checkedNumElements(aligned, DType::Bool, "batchnorm"))
      throw ShapeError(std::string("batchnorm: the ") + what + " of shape " +
                       toString(parameter.shape()) +
                       " does not fit a tensor of shape " + toString(shape()));
    return parameter.reshape(aligned);
  };
  Tensor scale = align(invstd, "invstd");
  if (weight)
    scale = scale * align(*weight, "weight");
  Tensor result = (*this - align(mean, "mean")) * scale;
  return bias ? result + align(*bias, "bias") : result;
}

Tensor Tensor::layernorm(const Axes &axes, double eps) const {
  const MethodScope method("layernorm");
  const std::vector<int64_t> list = normalizeAxes(axes, ndim(), "layernorm");
  return inFloat(*this, [&](const Tensor &x) {
    const Deviations deviations = deviationsOf(x, list);
    SymInt count = 1;
    for (int64_t axis : list)
      count *= x.shape()[axis];
    return recipes::normalize(deviations, count, eps);
  });
}

Tensor Tensor::rmsnorm(int64_t axis, double eps) const {
  const MethodScope method("rmsnorm");
  const int64_t dim = normalizeAxis(axis, ndim(), "rmsnorm");
  return inFloat(*this, [&](const Tensor &x) {
    return x * (x.square().mean(dim, true) + eps).rsqrt();
  });
}

Tensor Tensor::normalize(double p, int64_t dim, double eps) const {
  const MethodScope method("normalize");
  const std::vector<int64_t> axes = normalizeAxes(dim, ndim(), "normalize");
  if (!(p >= 0))
    throw Error("normalize: there is no norm of p = " + std::to_string(p));
  return inFloat(*this, [&](const Tensor &x) {
    // The norm of zeros has the gradient 0, like the root of a sum of 0 here.
    auto root = [&](const Tensor &sum) {
      return constantAtZero(sum, 0, [&](const Tensor &s) {
        return p == 2 ? s.sqrt() : s.pow(1 / p);
      });
    };
    Tensor norm;
    if (p == 0)
      norm = (x != 0).cast(x.dtype()).sum(axes, true);
    else if (p == 1)
      norm = x.abs().sum(axes, true);
    else if (p == 2)
      norm = root(x.square().sum(axes, true));
    else if (std::isinf(p))
      norm = maxOrLowest(x.abs(), axes, true);
    else
      norm = root(x.abs().pow(p).sum(axes, true));
    return x / norm.maximum(eps);
  });
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

Tensor Tensor::scaledDotProductAttention(const Tensor &key, const Tensor &value,
                                         const OptionalTensor &mask,
                                         bool isCausal, double dropoutP) const {
  const MethodScope method("scaledDotProductAttention");
  auto batchOf = [](const Tensor &x) {
    return Shape(x.shape().begin(), x.shape().end() - 2);
  };
  if (ndim() < 2 || key.ndim() < 2 || value.ndim() < 2 ||
      shape().back() != key.shape().back() ||
      key.shape()[key.ndim() - 2] != value.shape()[value.ndim() - 2] ||
      !canBroadcast(batchOf(*this), batchOf(key)) ||
      !canBroadcast(batchOf(*this), batchOf(value)) ||
      !canBroadcast(batchOf(key), batchOf(value)))
    throw ShapeError("scaledDotProductAttention: query, key and value of "
                     "shapes " +
                     toString(shape()) + ", " + toString(key.shape()) +
                     " and " + toString(value.shape()) + " do not fit");
  if (mask && isCausal)
    throw Error("scaledDotProductAttention: a mask and isCausal exclude each "
                "other");
  constexpr double never = -std::numeric_limits<double>::infinity();
  const DType compute =
      promote({promoteToFloat(promote(dtype(), key.dtype())), DType::Float32});
  const SymInt depth = shape().back();
  Tensor scores = matmul(key.transpose(-2, -1), compute);
  if (depth.isSymbolic())
    scores = scores * prim::constant(scores, depth, compute, {}).rsqrt();
  else
    scores = scores * (1 / std::sqrt(double(depth.value())));
  if (isCausal) {
    const DType position = positionDType(scores.shape());
    const int64_t rank = scores.ndim();
    Tensor row = prim::iota(scores, rank - 2, position, scores.shape());
    Tensor column = prim::iota(scores, rank - 1, position, scores.shape());
    scores = (column <= row).where(scores, never);
  }
  if (mask && !canBroadcast(scores.shape(), mask->shape()))
    throw ShapeError("scaledDotProductAttention: a mask of shape " +
                     toString(mask->shape()) +
                     " does not fit scores of shape " +
                     toString(scores.shape()));
  if (mask)
    scores = mask->dtype() == DType::Bool ? mask->where(scores, never)
                                          : scores + *mask;
  Tensor weights = scores.softmax(-1);
  if (dropoutP != 0)
    weights = weights.dropout(dropoutP);
  return weights.cast(promoteToFloat(dtype())).matmul(value);
}

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

Tensor Tensor::sequential(
    const std::vector<std::function<Tensor(const Tensor &)>> &functions) const {
  // Checks all functions before calling the first one.
  for (std::size_t i = 0; i < functions.size(); ++i)
    if (!functions[i])
      throw Error("sequential: function " + std::to_string(i) + " of " +
                  std::to_string(functions.size()) + " is empty");
  Tensor x = *this;
  for (const auto &function : functions)
    x = function(x);
  return x;
}
