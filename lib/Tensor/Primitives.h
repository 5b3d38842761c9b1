//===- Primitives.h - one function for each operation -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// One function for each operation of the graph. They neither promote nor
/// broadcast: the caller passes operands of the element types and shapes that
/// the operation takes. They check only what checkOperands() checks.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_TENSOR_PRIMITIVES_H
#define TINYGRAD_LIB_TENSOR_PRIMITIVES_H

#include "GraphMutex.h"
#include "TensorImpl.h"
#include "TinyGrad/Dialect/Tg/Builder/Recipes.h"

#include <functional>

namespace tinygrad::detail {

enum class UnaryOp {
  Neg,
  Recip,
  Sqrt,
  Exp2,
  Exp,
  ExpM1,
  Log2,
  Log,
  Log1p,
  Sin,
  Cos,
  Tan,
  Asin,
  Acos,
  Atan,
  Tanh,
  Erf,
  Trunc
};
enum class BinaryOp {
  Add,
  Sub,
  Mul,
  FDiv,
  IDiv,
  FloorDiv,
  Mod,
  FloorMod,
  Max,
  Pow,
  And,
  Or,
  Xor,
  Shl,
  Shr,
  CmpLt,
  CmpEq,
  CmpNe,
  Threefry
};
enum class ReduceOp { Add, Mul, Max };
enum class ScanOp { Add, Mul, Max, LogAddExp };
enum class UpdateOp { Set, Add, Mul, Max, Min };

namespace prim {

/// A tensor with the value of \p x that does not share memory with it: an
/// assignment to one does not change the other. For methods that need not
/// compute anything.
Tensor alias(const Tensor &x);
/// A view of all of \p x, for movement methods that need not move anything.
Tensor wholeView(const Tensor &x);
Tensor unary(UnaryOp op, const Tensor &x);
Tensor binary(BinaryOp op, const Tensor &lhs, const Tensor &rhs);
Tensor where(const Tensor &condition, const Tensor &x, const Tensor &y);
/// a * b + c. Of floats, rounded once.
Tensor mulacc(const Tensor &a, const Tensor &b, const Tensor &c);
Tensor cast(const Tensor &x, DType dtype);
Tensor bitcast(const Tensor &x, DType dtype);

/// A tensor filled with one number, which may be symbolic. Throws DTypeError if
/// the number does not fit the type.
Tensor constant(const Graph &graph, Device &device, Scalar value, DType dtype,
                const Shape &shape);
/// A constant in the graph and on the device of \p like.
Tensor constant(const Tensor &like, Scalar value, DType dtype,
                const Shape &shape);
Tensor iota(const Graph &graph, Device &device, int64_t axis, DType dtype,
            const Shape &shape);
Tensor iota(const Tensor &like, int64_t axis, DType dtype, const Shape &shape);
/// A tensor whose values are in \p buffer.
Tensor buffer(const Graph &graph, const Buffer &buffer, DType dtype,
              const Shape &shape);

/// Records that \p memory holds values of \p x that no gradient can flow
/// through. \p cutBits are from beginCut(), called before x was realized.
void markCut(const Tensor &x, const Tensor &memory, uint64_t cutBits);
uint64_t beginCut(const Tensor &x);

/// \p axes must be sorted. They remain with size 1.
Tensor reduce(ReduceOp op, const Tensor &x, const std::vector<int64_t> &axes);

/// The scan along an axis: each element combined with those before it.
Tensor scan(ScanOp op, const Tensor &x, int64_t axis);
/// \p base with the elements at \p index along an axis updated. Index and
/// updates have the shape of the base except along that axis.
Tensor scatter(UpdateOp op, const Tensor &base, const Tensor &index,
               const Tensor &updates, int64_t axis);
/// The positions of the elements of each row (last axis) in sorted order, the
/// first \p count of them.
Tensor argsort(const Tensor &x, bool isDescending, DType positions,
               SymInt count);

Tensor reshape(const Tensor &x, const Shape &shape);
Tensor permute(const Tensor &x, const std::vector<int64_t> &order);
Tensor expand(const Tensor &x, const Shape &shape);
Tensor pad(const Tensor &x, const Shape &low, const Shape &high);
/// These as views of \p x if it is in memory, for what users expand, convert,
/// detach, and pad.
Tensor expandView(const Tensor &x, const Shape &shape);
Tensor bitcastView(const Tensor &x, DType dtype);
Tensor detachView(const Tensor &x);
Tensor paddedView(const Tensor &x, const Shape &low, const Shape &high);
/// pad() as a view of \p x: values assigned to the padding are dropped.
Tensor padView(const Tensor &x, const Shape &low, const Shape &high);
Tensor shrink(const Tensor &x, const Shape &from, const Shape &to);
Tensor flip(const Tensor &x, const std::vector<int64_t> &axes);

/// A chain of movements of which only the last one becomes a tensor, and that
/// one is no view: the intermediate ones need no handles. Locks the graph.
/// Movements without an effect add no operation.
class Movements {
public:
  explicit Movements(const Tensor &x);
  ~Movements();
  Movements(const Movements &) = delete;
  Movements &operator=(const Movements &) = delete;

  Movements &reshape(const Shape &shape);
  Movements &permute(const std::vector<int64_t> &order);
  Movements &expand(const Shape &shape);
  Movements &pad(const Shape &low, const Shape &high);
  Movements &shrink(const Shape &from, const Shape &to);
  /// Element (i, j, ...) of the result is element i * strides[0] + j *
  /// strides[1] + ... of the operand in row-major order. Elements may be read
  /// several times or never.
  Movements &strided(const Shape &shape, const Shape &strides);

  const Shape &shape() const { return now; }
  /// The result; not a view of the original tensor.
  Tensor tensor();

private:
  /// Builds an operation on the last result and \p args whose result has the
  /// shape \p shape.
  template <typename OpTy, typename... Args>
  void move(Shape shape, const Args &...args);

  const std::shared_ptr<GraphImpl> graph;
  Device *const device;
  const DType dtype;
  const std::lock_guard<GraphMutex> lock;
  Handle handle;
  Shape now;
  /// The last result instead of a handle, if it is on several devices.
  Tensor sharded;
};

Tensor contiguous(const Tensor &x);
Tensor detach(const Tensor &x);
/// \p value, a function of each element of \p x, whose derivative is what the
/// function returns. It is not called if nothing asks for gradients of x. \p
/// isNeeded is for values whose own derivative is wrong somewhere: then it is
/// called also if no tensor that x depends on requires a gradient, since
/// gradient() may be by any of them.
Tensor withDerivative(const Tensor &value, const Tensor &x,
                      const std::function<Tensor()> &derivative,
                      bool isNeeded = false);
Tensor copy(const Tensor &x, Device &device);

} // namespace prim

/// Throws DeviceError or Error unless all operands are on one device and of one
/// graph.
void checkOperands(std::initializer_list<const Tensor *> operands);

//===----------------------------------------------------------------------===//
// Promotion and broadcasting, for the methods
//===----------------------------------------------------------------------===//

bool canBroadcast(const Shape &a, const Shape &b);
/// The common shape that all are broadcast to. Throws ShapeError.
Shape broadcastShapes(std::initializer_list<const Shape *> shapes,
                      const char *what);
Tensor broadcastTo(const Tensor &x, const Shape &shape, const char *what);
/// \p x with axes of size 1 in front, which has the rank of \p shape. Throws
/// ShapeError if it cannot be broadcast to that.
Tensor alignedTo(const Tensor &x, const Shape &shape, const char *what);

/// The common element type of two operands. A scalar does not widen a tensor's
/// type within its kind.
DType promotedDType(const Operand &lhs, const Operand &rhs);
/// \p x in \p dtype: x itself if it has that already. For values between
/// operations; what a method returns is a tensor of its own.
Tensor inDType(const Tensor &x, DType dtype);
/// The operand as a tensor of \p dtype and \p shape, on the device of \p like:
/// the operand itself if it is one. For values between operations.
Tensor materialize(const Operand &operand, const Tensor &like, DType dtype,
                   const Shape &shape, const char *what);

/// Both operands in their common element type and shape, as materialize() gives
/// them.
struct Pair {
  Tensor lhs, rhs;
};
Pair broadcast(const Operand &lhs, const Operand &rhs, const char *what);
Pair broadcast(const Operand &lhs, const Operand &rhs, DType dtype,
               const char *what);
/// Computes fp8 in float32 where the operation does not support it, and casts
/// back.
Tensor arithmetic(BinaryOp op, const Pair &operands);
Tensor floatUnary(UnaryOp op, const Tensor &x);

/// A number in the element type and shape of \p x.
Tensor same(const Tensor &x, Scalar value);

//===----------------------------------------------------------------------===//
// Functions of float32 and float64, for the methods
//===----------------------------------------------------------------------===//

/// x * factor + added, rounded once.
Tensor mulAdd(const Tensor &x, const Operand &factor, const Operand &added);
/// c[0] + c[1] x + c[2] x^2 + ...
Tensor polynomial(const Tensor &x, const std::vector<double> &coefficients);
/// |x|, of which the derivative at 0 is that of -x. For functions that are smooth
/// there, and choose another part by the same condition; abs() has 0 at 0.
Tensor magnitude(const Tensor &x);
/// \p x, but no gradient flows where \p condition is true. Programs have no
/// operation for it.
Tensor detachedWhere(const Tensor &condition, const Tensor &x);
/// function(x), but \p value where x is 0, with derivatives of 0 of every order
/// there. For functions whose derivative is infinite at 0.
Tensor constantAtZero(const Tensor &x, double value,
                      const std::function<Tensor(const Tensor &)> &function);
/// Whether the sign bit of a float is set, also of a zero or NaN.
Tensor isSignSet(const Tensor &x);
/// x * factor, without a loss of accuracy if the factor is not a float32.
Tensor scaled(const Tensor &x, double factor);
/// exp(x) with few operations; the recipe says what its error is.
Tensor cheapExponential(const Tensor &x);
/// exp(x) - 1, also accurate for small x.
Tensor expm1(const Tensor &x);
/// log(1 + x), also accurate for small x.
Tensor log1p(const Tensor &x);
using Deviations = mlir::tg::recipes::Deviations<Tensor>;
/// Of the elements along axes.
Deviations deviationsOf(const Tensor &x, const std::vector<int64_t> &axes);
/// The maximum along sorted axes; of no elements the lowest value of the type.
Tensor maxOrLowest(const Tensor &x, const std::vector<int64_t> &axes,
                   bool keepdim);
/// Whether the results of \p x are rounded to a type narrower than float32.
inline bool isNarrowFloat(const Tensor &x) {
  return isFloat(x.dtype()) && x.itemsize() < 4;
}

/// The greatest finite value of a float type.
double largestFinite(DType dtype);
/// \p value rounded to the float type, to nearest, ties to even. Too large a
/// value becomes infinity, or NaN in a type without infinity.
double roundTo(double value, DType dtype);
/// The greatest value less than \p value in a float type of 16 bits or more. \p
/// value must be a finite value of the type.
double previousValue(double value, DType dtype);

/// The integer type for positions in a tensor of this shape: int32 if it can
/// represent the number of elements, else int64.
DType positionDType(const Shape &shape);

/// Throws DTypeError unless \p index is of integers.
void checkIndexTensor(const Tensor &index, const char *what);

/// Applies \p body to \p x. Integers and floats narrower than float32 are
/// converted to float32 before; the result of a narrow float is rounded to its
/// type once, at the end.
template <typename Body> Tensor inFloat(const Tensor &x, Body body) {
  const DType dtype = promoteToFloat(x.dtype());
  const Tensor result = body(inDType(x, promote(dtype, DType::Float32)));
  // A body may return x itself, which is not a tensor of its own.
  const bool isOwn = &result.impl() != &x.impl();
  return isOwn ? inDType(result, dtype) : result.cast(dtype);
}

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_TENSOR_PRIMITIVES_H
