//===- TensorPattern.h - patterns for operations of tensor ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A pattern for an operation of one result, and what several of them use.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_CONVERSION_LINALGTOTG_TENSORPATTERN_H
#define TINYGRAD_LIB_CONVERSION_LINALGTOTG_TENSORPATTERN_H

#include "Builders.h"
#include "Converter.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::tg::linalgtotg {

/// A pattern that says why it does not convert an operation.
template <typename OpTy>
class TensorPattern : public OpConversionPattern<OpTy> {
public:
  using OpAdaptor = typename OpConversionPattern<OpTy>::OpAdaptor;

  TensorPattern(const TypeConverter &types, MLIRContext *context,
                ConversionState &state)
      : OpConversionPattern<OpTy>(types, context), state(state) {}

  LogicalResult
  matchAndRewrite(OpTy op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const final {
    B b(op.getLoc(), rewriter);
    auto type =
        this->getTypeConverter()->template convertType<RankedTensorType>(
            op->getResult(0).getType());
    if (!type) {
      std::string text;
      llvm::raw_string_ostream(text) << op->getResult(0).getType();
      return state.fail(op, "has the type " + text +
                                ", which tensors of tg do not have");
    }
    FailureOr<Value> result = convert(b, op, adaptor, type);
    if (failed(result))
      return failure();
    rewriter.replaceOp(op, *result);
    return success();
  }

  /// The converted result, which has the type.
  virtual FailureOr<Value> convert(B &b, OpTy op, OpAdaptor adaptor,
                                   RankedTensorType type) const = 0;

protected:
  ConversionState &state;
};

/// `part` where the positions [low, low + its size) of each axis are, else
/// `into`.
Value buildInsert(B &b, Value into, Value part, ArrayRef<Dim> low);

/// Whether [from, to) is within an axis of the size for all values of
/// variables.
bool isWithin(Dim from, Dim to, Dim size);
/// Why positions are not read or written if they are not.
std::string describePositions(Dim from, Dim to, Dim size);

} // namespace mlir::tg::linalgtotg

#endif // TINYGRAD_LIB_CONVERSION_LINALGTOTG_TENSORPATTERN_H
