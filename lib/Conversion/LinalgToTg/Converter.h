//===- Converter.h - patterns from linalg and tensor to tg ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What the parts of `convert-linalg-to-tg` share: the reasons why operations
/// are not converted, sizes, and the sets of patterns.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_CONVERSION_LINALGTOTG_CONVERTER_H
#define TINYGRAD_LIB_CONVERSION_LINALGTOTG_CONVERTER_H

#include "TinyGrad/Dialect/Tg/IR/TgDim.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Transforms/DialectConversion.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/Twine.h"
#include <string>

namespace mlir::tg::linalgtotg {

/// What is known during a conversion beyond the types.
class ConversionState {
public:
  /// Remembers why an operation is not converted. Fails.
  LogicalResult fail(Operation *op, const Twine &reason) {
    reasons[op] = reason.str();
    return failure();
  }
  /// The reason, or none.
  StringRef getReason(Operation *op) const {
    auto it = reasons.find(op);
    return it == reasons.end() ? StringRef() : StringRef(it->second);
  }

  /// Index values that are sizes, or computed from sizes, by
  /// `resolveShapes`.
  DenseMap<Value, Dim> sizes;

  /// A size, an offset or the like. None if it is not known.
  std::optional<Dim> getSize(OpFoldResult value) const;
  /// All of a list. None if any is not known.
  std::optional<SmallVector<Dim>> getSizes(ArrayRef<OpFoldResult> list) const;

  /// Assertions that hold for all sizes.
  DenseSet<Operation *> holding;
  /// Whether other assertions are left out.
  bool ignoresAssertions = false;

private:
  DenseMap<Operation *, std::string> reasons;
};

/// Why an assertion is not converted.
inline constexpr StringLiteral kAssertionReason =
    "may fail, and programs of tg cannot stop; the option ignore-assertions "
    "leaves out assertions that are not known to hold for all sizes";

/// The bounds of the variables that stand for `?`.
struct SizeBounds {
  int64_t min, max;
};

/// Gives each `?` in the types of a function an expression of the sizes of its
/// arguments, one variable for each `?` of these, and those values that are
/// computed from sizes theirs (`state.sizes`). What operations require to be
/// equal is equal. Fails, with an error, where a size is not such an
/// expression. Then types of tensors have a `#tg.shape`.
LogicalResult resolveShapes(func::FuncOp function, SizeBounds bounds,
                            ConversionState &state);

/// Patterns for structured operations (`linalg.generic` and named ones), whose
/// regions they convert with them.
void populateStructuredPatterns(RewritePatternSet &patterns,
                                const TypeConverter &types,
                                ConversionState &state);
/// Patterns for operations of `tensor` that read and write parts and elements.
void populatePartPatterns(RewritePatternSet &patterns,
                          const TypeConverter &types, ConversionState &state);
/// Patterns for other operations of `tensor`, for constants, and for arithmetic
/// outside of structured operations.
void populateTensorPatterns(RewritePatternSet &patterns,
                            const TypeConverter &types, ConversionState &state);

} // namespace mlir::tg::linalgtotg

#endif // TINYGRAD_LIB_CONVERSION_LINALGTOTG_CONVERTER_H
