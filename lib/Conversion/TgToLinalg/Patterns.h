//===- Patterns.h - the base of the patterns --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The base class of patterns that build one tensor.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_CONVERSION_TGTOLINALG_PATTERNS_H
#define TINYGRAD_LIB_CONVERSION_TGTOLINALG_PATTERNS_H

#include "GraphBuilder.h"

namespace mlir::tg::tgtolinalg {

/// A pattern for an operation with one result, in functions.
template <typename OpTy> class GraphPattern : public OpConversionPattern<OpTy> {
public:
  using OpAdaptor = typename OpConversionPattern<OpTy>::OpAdaptor;

  GraphPattern(const TypeConverter &types, MLIRContext *context,
               ConversionState &state)
      : OpConversionPattern<OpTy>(types, context), state(state) {}

  LogicalResult
  matchAndRewrite(OpTy op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const final {
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (!type || !op->template getParentOfType<func::FuncOp>())
      return state.fail(op, "is not on tensors, in a function");
    B b(op.getLoc(), rewriter);
    GraphBuilder builder(b, op, state);
    FailureOr<Value> result = convert(builder, op, adaptor, type);
    if (failed(result))
      return failure();
    rewriter.replaceOp(op, *result);
    return success();
  }

  /// The converted result of an operation whose type this is.
  virtual FailureOr<Value> convert(GraphBuilder &g, OpTy op, OpAdaptor adaptor,
                                   RankedTensorType type) const = 0;

protected:
  ConversionState &state;
};

} // namespace mlir::tg::tgtolinalg

#endif // TINYGRAD_LIB_CONVERSION_TGTOLINALG_PATTERNS_H
