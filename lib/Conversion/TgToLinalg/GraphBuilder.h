//===- GraphBuilder.h - tensors of upstream's dialects ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What the patterns of `convert-tg-to-linalg` build with: types, sizes, and
/// structured operations whose bodies compute with `KernelEmission`'s
/// arithmetic.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_CONVERSION_TGTOLINALG_GRAPHBUILDER_H
#define TINYGRAD_LIB_CONVERSION_TGTOLINALG_GRAPHBUILDER_H

#include "TinyGrad/Conversion/KernelEmission/Arithmetic.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/Transforms/DialectConversion.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Twine.h"
#include <string>

namespace mlir::tg::tgtolinalg {

using emission::B;

/// An element of a tensor: integers are signless, other types stay.
Type convertElementType(Type type);
/// The same shape without a `#tg.shape`.
RankedTensorType convertTensorType(RankedTensorType type);
/// A number or dense elements, with converted element types.
TypedAttr convertNumbers(TypedAttr attr);

/// What is known during a conversion beyond the types.
class ConversionState {
public:
  /// Finds for each variable an argument with an axis of this size. Fails, with
  /// an error, for a variable without one.
  LogicalResult addFunction(func::FuncOp function);
  /// The axis.
  std::pair<unsigned, int64_t> getAxis(func::FuncOp function,
                                       VarAttr variable) const;

  /// Remembers why an operation is not converted. Fails.
  LogicalResult fail(Operation *op, const Twine &reason) {
    reasons[op] = reason.str();
    return failure();
  }
  StringRef getReason(Operation *op) const {
    auto it = reasons.find(op);
    return it == reasons.end() ? StringRef() : StringRef(it->second);
  }

private:
  DenseMap<std::pair<Operation *, Attribute>, std::pair<unsigned, int64_t>>
      axes;
  DenseMap<Operation *, std::string> reasons;
};

/// Builds tensors at the place of an operation.
class GraphBuilder {
public:
  GraphBuilder(B &b, Operation *op, const ConversionState &state)
      : b(b), function(op->getParentOfType<func::FuncOp>()), state(state) {}

  /// The size as a number or an index.
  OpFoldResult getSize(Dim dim);
  SmallVector<OpFoldResult> getSizes(ArrayRef<Dim> dims);
  Value getIndex(Dim dim);

  RankedTensorType getType(ArrayRef<Dim> dims, Type element);
  Value buildEmpty(ArrayRef<Dim> dims, Type element);
  /// Each element is the number, a scalar.
  Value buildFilled(ArrayRef<Dim> dims, Value number);

  /// An operation over `dims` whose body gets elements of the inputs, which
  /// `maps` say, in registers (see Arithmetic.h), and yields one of tg type
  /// `element`.
  Value buildParallel(ArrayRef<Dim> dims, Type element, ValueRange inputs,
                      ArrayRef<AffineMap> maps, ArrayRef<Type> inputElements,
                      function_ref<Value(B &, ValueRange)> body);

  /// The same elements in another shape.
  Value buildReshape(Value x, ArrayRef<Dim> from, ArrayRef<Dim> to);
  /// Removes axes of size 1, or adds them to have these dimensions.
  Value buildWithoutAxes(Value x, ArrayRef<int64_t> axes);
  Value buildWithAxes(Value x, ArrayRef<Dim> dims, ArrayRef<int64_t> axes);

  emission::Arithmetic arithmetic;
  B &b;

private:
  func::FuncOp function;
  const ConversionState &state;
};

/// An element of tg type `element` from what a tensor holds, and back. They
/// differ for fp8, which is bits in registers.
Value buildFromElement(B &b, Value value, Type element);
Value buildToElement(B &b, Value value, Type element);

void populateStructuredPatterns(RewritePatternSet &patterns,
                                const TypeConverter &types,
                                ConversionState &state);
void populateMovementPatterns(RewritePatternSet &patterns,
                              const TypeConverter &types,
                              ConversionState &state);

} // namespace mlir::tg::tgtolinalg

#endif // TINYGRAD_LIB_CONVERSION_TGTOLINALG_GRAPHBUILDER_H
