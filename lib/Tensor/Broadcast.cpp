//===- Broadcast.cpp - common types and shapes of operands ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The rules by which element types are promoted and shapes are broadcast.
///
//===----------------------------------------------------------------------===//

#include "Primitives.h"

#include <algorithm>

using namespace tinygrad;
using namespace tinygrad::detail;
namespace recipes = mlir::tg::recipes;

bool detail::canBroadcast(const Shape &a, const Shape &b) {
  return recipes::canBroadcast(a, b);
}

Shape detail::broadcastShapes(std::initializer_list<const Shape *> shapes,
                              const char *what) {
  return recipes::getCommonShape<Shape>(
      shapes, [&](const SymInt &size, const SymInt &common) {
        std::string text;
        for (const Shape *each : shapes)
          text += (text.empty() ? "" : ", ") + toString(*each);
        throw ShapeError(std::string(what) + ": shapes " + text +
                         " cannot be broadcast together" +
                         explainDifference(size, common));
      });
}

/// The shape of \p x with axes of size 1 in front, up to the rank of \p shape.
/// Throws ShapeError if x cannot be broadcast to that.
static Shape alignShape(const Tensor &x, const Shape &shape, const char *what) {
  const int64_t added = int64_t(shape.size()) - x.ndim();
  bool fits = added >= 0;
  std::string why;
  Shape aligned(std::max<int64_t>(added, 0), 1);
  aligned.insert(aligned.end(), x.shape().begin(), x.shape().end());
  for (std::size_t i = 0; fits && i < shape.size(); ++i) {
    fits = shape[i].min() >= 0 && (aligned[i] == shape[i] || aligned[i] == 1);
    if (!fits)
      why = explainDifference(aligned[i], shape[i]);
  }
  if (!fits)
    throw ShapeError(std::string(what) + ": a tensor of shape " +
                     toString(x.shape()) + " cannot be broadcast to " +
                     toString(shape) + why);
  checkedNumElements(shape, x.dtype(), what);
  return aligned;
}

Tensor detail::alignedTo(const Tensor &x, const Shape &shape,
                         const char *what) {
  return prim::reshape(x, alignShape(x, shape, what));
}

Tensor detail::broadcastTo(const Tensor &x, const Shape &shape,
                           const char *what) {
  if (x.shape() == shape)
    return prim::alias(x);
  const Shape aligned = alignShape(x, shape, what);
  return prim::Movements(x).reshape(aligned).expand(shape).tensor();
}

Tensor detail::inDType(const Tensor &x, DType dtype) {
  return x.dtype() == dtype ? x : x.cast(dtype);
}

DType detail::promotedDType(const Operand &lhs, const Operand &rhs) {
  if (lhs.tensor() && rhs.tensor())
    return promote(lhs.tensor()->dtype(), rhs.tensor()->dtype());
  if (!lhs.tensor() && !rhs.tensor())
    return promote(lhs.scalar().defaultDType(), rhs.scalar().defaultDType());
  const DType dtype = (lhs.tensor() ? lhs : rhs).tensor()->dtype();
  const Scalar scalar = (lhs.tensor() ? rhs : lhs).scalar();
  if (scalar.isWeakerThan(dtype))
    return dtype;
  return promote(dtype, scalar.defaultDType());
}

Tensor detail::materialize(const Operand &operand, const Tensor &like,
                           DType dtype, const Shape &shape, const char *what) {
  if (operand.tensor()) {
    const Tensor value = inDType(*operand.tensor(), dtype);
    return value.shape() == shape ? value : broadcastTo(value, shape, what);
  }
  checkFits(operand.scalar(), dtype, what);
  return prim::constant(like, operand.scalar(), dtype, shape);
}

Pair detail::broadcast(const Operand &lhs, const Operand &rhs,
                       const char *what) {
  return broadcast(lhs, rhs, promotedDType(lhs, rhs), what);
}

Pair detail::broadcast(const Operand &lhs, const Operand &rhs, DType dtype,
                       const char *what) {
  const Tensor &like = lhs.tensor() ? *lhs.tensor() : *rhs.tensor();
  if (lhs.tensor() && rhs.tensor()) {
    checkOperands({lhs.tensor(), rhs.tensor()});
    const Shape shape =
        broadcastShapes({&lhs.tensor()->shape(), &rhs.tensor()->shape()}, what);
    return {materialize(lhs, like, dtype, shape, what),
            materialize(rhs, like, dtype, shape, what)};
  }
  return {materialize(lhs, like, dtype, like.shape(), what),
          materialize(rhs, like, dtype, like.shape(), what)};
}

Tensor detail::same(const Tensor &x, Scalar value) {
  return prim::constant(x, value, x.dtype(), x.shape());
}

DType detail::positionDType(const Shape &shape) {
  constexpr int64_t maxInt32 = 0x7fffffff;
  int64_t count = 1;
  for (const SymInt &size : shape)
    if (size.max() > maxInt32 ||
        __builtin_mul_overflow(count, size.max(), &count) || count > maxInt32)
      return DType::Int64;
  return DType::Int32;
}
