//===- TgBuilder.h - tensor graphs for other compilers ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `TgBuilder`: builds tensor graphs (level 1) of what networks are made of.
///
/// \code
///   tg::TgBuilder b(builder, location);
///   FailureOr<tg::Dim> n = b.getVariable("n", 1, 64);
///   ...
///   FailureOr<Value> scores = b.matmul(x, w);
///   FailureOr<Value> result = b.softmax(*scores, -1);
/// \endcode
///
/// Every function checks its operands. Where they do not fit, it emits an error
/// at the location of the builder, which names the shapes or types at fault,
/// and returns failure; nothing is inserted then but parts that have no users.
/// Operands are ranked tensors of the dialect; axes may be negative, and are
/// then counted from the end.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_BUILDER_TGBUILDER_H
#define TINYGRAD_DIALECT_TG_BUILDER_TGBUILDER_H

#include "TinyGrad/Dialect/Tg/IR/TgCreate.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::tg {

/// Options of `TgBuilder::conv` and of pooling: a number for each spatial axis,
/// or one for all, or none for the default.
struct WindowOptions {
  SmallVector<int64_t> stride;   ///< default: 1; of pooling, the kernel
  SmallVector<int64_t> dilation; ///< default: 1
  SmallVector<int64_t> before;   ///< padding before the axis; default: 0
  SmallVector<int64_t> after;    ///< padding after it; default: `before`
  int64_t groups = 1;            ///< of the channels; only of convolutions
};

/// Builds at the insertion point of an `OpBuilder`.
class TgBuilder {
public:
  TgBuilder(OpBuilder &builder, Location location)
      : builder(builder), location(location) {}

  OpBuilder &getBuilder() const { return builder; }
  Location getLocation() const { return location; }
  /// Of what is built from now on, and of errors.
  void setLocation(Location to) { location = to; }

  //===--------------------------------------------------------------------===//
  // Sizes and types
  //===--------------------------------------------------------------------===//

  /// A size that is known when the program runs.
  FailureOr<Dim> getVariable(StringRef name, int64_t min, int64_t max);
  /// A size that is a number.
  Dim getSize(int64_t size) const { return Dim(builder.getContext(), size); }
  /// An expression, such as `compute(DimOpKind::mul, {n, b.getSize(2)})`. An
  /// error if it may leave 64 bits or divide by zero.
  FailureOr<Dim> compute(DimOpKind kind, ArrayRef<Dim> operands);
  /// A tensor type; an error if a size may be negative, or if there are too
  /// many elements.
  FailureOr<RankedTensorType> getType(ArrayRef<Dim> shape, Type element);
  FailureOr<RankedTensorType> getType(ArrayRef<int64_t> shape, Type element);
  /// The sizes of a tensor.
  static SmallVector<Dim> getShape(Value x);

  //===--------------------------------------------------------------------===//
  // Functions
  //===--------------------------------------------------------------------===//

  /// Begins a function at the end of a module, and inserts into it: the
  /// arguments are those of its entry block. An error if the module has the
  /// name already.
  FailureOr<func::FuncOp> beginFunction(ModuleOp module, StringRef name,
                                        TypeRange arguments);
  /// Returns these values from the function that was begun last, and inserts
  /// where the builder did before it.
  LogicalResult endFunction(ValueRange results);

  //===--------------------------------------------------------------------===//
  // Values
  //===--------------------------------------------------------------------===//

  /// A tensor of one number, in any element type that has it. Floats are
  /// rounded.
  FailureOr<Value> constant(ArrayRef<Dim> shape, Type element, double value);
  FailureOr<Value> constant(ArrayRef<Dim> shape, Type element, int64_t value);
  /// Of the shape and element type of \p like.
  FailureOr<Value> constantLike(Value like, double value);
  /// A tensor of the elements listed.
  FailureOr<Value> constant(ElementsAttr elements);
  /// The value of a size, in all elements.
  FailureOr<Value> size(ArrayRef<Dim> shape, Type element, Dim value);

  //===--------------------------------------------------------------------===//
  // Elementwise
  //===--------------------------------------------------------------------===//

  /// Any operation with one result, as `createChecked` makes it.
  template <typename OpTy, typename... Args>
  FailureOr<Value> create(Args &&...args) {
    FailureOr<OpTy> op =
        createChecked<OpTy>(builder, location, std::forward<Args>(args)...);
    if (failed(op))
      return failure();
    return (*op)->getResult(0);
  }
  /// An operation on two operands that are broadcast to their common shape:
  /// `b.combine<tg::AddOp>(x, y)`.
  template <typename OpTy> FailureOr<Value> combine(Value lhs, Value rhs) {
    FailureOr<SmallVector<Value>> both = broadcast({lhs, rhs});
    if (failed(both) ||
        failed(checkSameElements(OpTy::getOperationName(), lhs, rhs)))
      return failure();
    return create<OpTy>((*both)[0], (*both)[1]);
  }
  /// \p x where the condition holds, else \p y; all are broadcast.
  FailureOr<Value> where(Value condition, Value x, Value y);
  /// The same values in another element type.
  FailureOr<Value> cast(Value x, Type element);
  /// Tensors in their common shape: axes are matched from the last one, and
  /// those of size 1 are repeated.
  FailureOr<SmallVector<Value>> broadcast(ArrayRef<Value> values);
  FailureOr<Value> broadcastTo(Value x, ArrayRef<Dim> shape);

  //===--------------------------------------------------------------------===//
  // Movement and reduction
  //===--------------------------------------------------------------------===//

  FailureOr<Value> reshape(Value x, ArrayRef<Dim> shape);
  /// With an axis of size 1 before axis \p axis, which may be the rank.
  FailureOr<Value> unsqueeze(Value x, int64_t axis);
  /// Without an axis of size 1.
  FailureOr<Value> squeeze(Value x, int64_t axis);
  FailureOr<Value> transpose(Value x, int64_t first, int64_t second);
  /// Along axes, all if there are none. They remain with size 1 if \p keepAxes
  /// is set.
  FailureOr<Value> reduce(ReduceKind kind, Value x, ArrayRef<int64_t> axes,
                          bool keepAxes = false);
  FailureOr<Value> mean(Value x, ArrayRef<int64_t> axes, bool keepAxes = false);

  //===--------------------------------------------------------------------===//
  // What networks are made of
  //===--------------------------------------------------------------------===//

  /// The product of matrices, or of stacks of them, which are broadcast. An
  /// operand of one axis is a row on the left and a column on the right. Both
  /// have one element type, which the result has, too; products of f16 and bf16
  /// are added up in f32, those of small integers in i32 or ui32, or in
  /// \p accumulate.
  FailureOr<Value> matmul(Value lhs, Value rhs, Type accumulate = {});
  /// Of floats, along an axis. f16 and bf16 are computed in f32. No maximum is
  /// too large, and none of the following overflows in between.
  FailureOr<Value> softmax(Value x, int64_t axis);
  FailureOr<Value> logSoftmax(Value x, int64_t axis);
  FailureOr<Value> logSumExp(Value x, ArrayRef<int64_t> axes,
                             bool keepAxes = false);
  /// Floats less their mean along axes, divided by the root of their variance
  /// plus \p epsilon, times \p weight plus \p bias where they are given.
  FailureOr<Value> layerNorm(Value x, ArrayRef<int64_t> axes,
                             double epsilon = 1e-5, Value weight = {},
                             Value bias = {});
  /// Convolution (without flipping the weight) of an input of shape (batch,
  /// groups * in, spatial...) with a weight of shape (groups * out, in,
  /// kernel...), plus a bias of shape (groups * out) if one is given. Spatial
  /// axes and the kernel are numbers. Accumulates as matmul() does.
  FailureOr<Value> conv(Value input, Value weight, Value bias = {},
                        const WindowOptions &options = {});
  /// The maximum, and the mean, of windows of the last axes. Padding is never
  /// the maximum, and counts as zeros of the mean. The mean is one of floats.
  FailureOr<Value> maxPool(Value x, ArrayRef<int64_t> kernel,
                           const WindowOptions &options = {});
  FailureOr<Value> avgPool(Value x, ArrayRef<int64_t> kernel,
                           const WindowOptions &options = {});

private:
  InFlightDiagnostic emitError() const { return mlir::emitError(location); }
  /// Checks that it is a tensor of the dialect.
  LogicalResult check(StringRef what, Value x);
  /// The same, with elements that are floats.
  LogicalResult checkFloat(StringRef what, Value x);
  LogicalResult checkSameElements(StringRef what, Value lhs, Value rhs);
  /// The axis counted from 0, of \p rank axes.
  FailureOr<int64_t> getAxis(StringRef what, int64_t axis, Value x,
                             int64_t rank);
  /// Sorted axes, all if there are none.
  FailureOr<SmallVector<int64_t>> getAxes(StringRef what,
                                          ArrayRef<int64_t> axes, Value x);
  /// \p body of \p x in f32, or in f64 if it is that.
  FailureOr<Value> inFloat(Value x,
                           llvm::function_ref<FailureOr<Value>(Value)> body);
  /// A result that has axes of size 1 without them.
  FailureOr<Value> dropAxes(Value x, ArrayRef<int64_t> axes);

  OpBuilder &builder;
  Location location;
  func::FuncOp function;
  OpBuilder::InsertPoint outside;
};

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_BUILDER_TGBUILDER_H
