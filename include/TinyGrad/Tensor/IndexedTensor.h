//===- IndexedTensor.h - the part of a tensor at an index -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The result of indexing: a Tensor that can be assigned to as a temporary.
///
/// \code
///   x[0] = y;                              // the first row of x
///   x.index({Ellipsis, Slice(0, 4)}) += 1; // four columns
///   x[Tensor::from({2, 0})] = rows;        // rows 2 and 0
///   x[x < 0] = 0;                          // where a mask holds
/// \endcode
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TENSOR_INDEXEDTENSOR_H
#define TINYGRAD_TENSOR_INDEXEDTENSOR_H

#include "TinyGrad/Tensor/Operators.h"
#include "TinyGrad/Tensor/Tensor.h"

#include <memory>
#include <utility>

namespace tinygrad {

namespace detail {
struct IndexTarget;
} // namespace detail

/// The part of a tensor at an index. Its value is that part: a view of the
/// tensor if the index contains no tensors, else an independent tensor.
///
/// An assignment to the expression itself, `x[i] = value`, writes to that part
/// of `x`, whatever the index consists of. The value is broadcast and must be
/// of the element type of `x`, or a C++ number. Positions in tensors that are
/// out of range are left out; of positions that occur several times the last
/// value counts. Everything that shares elements with `x` shows the new values,
/// see Tensor::assign.
///
/// A variable behaves like any other Tensor, whether it was declared as
/// `Tensor` or `auto`: assigning to it makes it refer to another tensor.
class IndexedTensor : public Tensor {
public:
  IndexedTensor(Tensor part, std::shared_ptr<const detail::IndexTarget> target)
      : Tensor(std::move(part)), target(std::move(target)) {}
  IndexedTensor(const IndexedTensor &) = default;
  IndexedTensor(IndexedTensor &&) = default;

  /// Writes \p value to the part. Returns the part with the new values. Throws
  /// ShapeError and DTypeError as Tensor::assign.
  Tensor assign(const Operand &value) &&;
  Tensor operator=(const Operand &value) && {
    return std::move(*this).assign(value);
  }
  Tensor operator=(const IndexedTensor &value) && {
    return this == &value ? Tensor(value) : std::move(*this).assign(value);
  }

  /// Writes the result of the operator for the part and \p operand.
  Tensor update(detail::BinaryOperator op, const Operand &operand) &&;

  // For a variable.
  Tensor &assign(const Operand &value) & { return Tensor::assign(value); }
  IndexedTensor &operator=(const Tensor &value) & {
    Tensor::operator=(value);
    target = nullptr;
    return *this;
  }
  IndexedTensor &operator=(const IndexedTensor &value) & = default;

private:
  std::shared_ptr<const detail::IndexTarget> target; // null for a view
};

/// `x[i] += y` writes to that part of x. Each element is read once and written
/// once, also if a tensor of positions names it several times.
#define TINYGRAD_COMPOUND(SYMBOL, OPERATOR)                                    \
  inline Tensor operator SYMBOL(IndexedTensor &&lhs, const Operand &rhs) {     \
    return std::move(lhs).update(detail::BinaryOperator::OPERATOR, rhs);       \
  }
TINYGRAD_COMPOUND(+=, Add)
TINYGRAD_COMPOUND(-=, Sub)
TINYGRAD_COMPOUND(*=, Mul)
TINYGRAD_COMPOUND(/=, Div)
TINYGRAD_COMPOUND(%=, Mod)
TINYGRAD_COMPOUND(&=, And)
TINYGRAD_COMPOUND(|=, Or)
TINYGRAD_COMPOUND(^=, Xor)
TINYGRAD_COMPOUND(<<=, Shl)
TINYGRAD_COMPOUND(>>=, Shr)
#undef TINYGRAD_COMPOUND

} // namespace tinygrad

#endif // TINYGRAD_TENSOR_INDEXEDTENSOR_H
