//===- TgToLinalg.cpp - tensor graphs in upstream's dialects --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The pass `convert-tg-to-linalg`: variables first, then a conversion of types
/// and operations, then one error for each operation that is left.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Conversion/TgToLinalg/TgToLinalg.h"
#include "GraphBuilder.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/DialectConversion.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::tg {
#define GEN_PASS_DEF_CONVERTTGTOLINALG
#include "TinyGrad/Conversion/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::tgtolinalg;

static void addConversions(TypeConverter &types) {
  types.addConversion([](Type type) { return type; });
  types.addConversion([](RankedTensorType type) -> std::optional<Type> {
    if (!hasDims(type))
      return type;
    return convertTensorType(type);
  });
  // Left where an operation is not converted, which is an error.
  auto cast = [](OpBuilder &builder, Type type, ValueRange inputs,
                 Location loc) -> Value {
    return UnrealizedConversionCastOp::create(builder, loc, type, inputs)
        .getResult(0);
  };
  types.addSourceMaterialization(cast);
  types.addTargetMaterialization(cast);
}

/// Attributes of this dialect mean nothing to other compilers.
static void removeAttributes(ModuleOp module) {
  auto isOurs = [](NamedAttribute attr) {
    return isa_and_nonnull<TgDialect>(attr.getNameDialect());
  };
  for (NamedAttribute attr : llvm::to_vector(module->getAttrs()))
    if (isOurs(attr))
      module->removeAttr(attr.getName());
  for (auto function : module.getOps<func::FuncOp>())
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      for (NamedAttribute attr :
           llvm::to_vector(function_interface_impl::getArgAttrs(function, i)))
        if (isOurs(attr))
          function.removeArgAttr(i, attr.getName());
}

static StringRef getKnownReason(Operation *op) {
  if (isa<ScanOp, ScatterOp, ArgsortOp>(op))
    return "depends on an order of positions, which structured operations do "
           "not have";
  if (isa<AssignOp, AfterOp, BufferOp>(op))
    return "is about memory; tensors of linalg are values";
  return {};
}

namespace {
struct ConvertTgToLinalgPass
    : tg::impl::ConvertTgToLinalgBase<ConvertTgToLinalgPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    MLIRContext *context = &getContext();
    TypeConverter types;
    addConversions(types);
    ConversionState state;
    for (auto function : module.getOps<func::FuncOp>())
      if (failed(state.addFunction(function)))
        return signalPassFailure();

    ConversionTarget target(*context);
    target.addLegalOp<ModuleOp, UnrealizedConversionCastOp>();
    target.addDynamicallyLegalOp<func::FuncOp>([&](func::FuncOp op) {
      return types.isSignatureLegal(op.getFunctionType());
    });
    // Whether others are converted is left open: what is left over is known
    // with the reason, which errors of the conversion would not tell.
    target.markUnknownOpDynamicallyLegal(
        [&](Operation *op) -> std::optional<bool> {
          bool isOurs = isa_and_nonnull<TgDialect>(op->getDialect()) ||
                        isa<MovementOpInterface>(op) || isElementwiseOp(op);
          return !isOurs && types.isLegal(op) ? std::optional<bool>(true)
                                              : std::nullopt;
        });
    RewritePatternSet patterns(context);
    populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(patterns,
                                                                   types);
    populateReturnOpTypeConversionPattern(patterns, types);
    populateCallOpTypeConversionPattern(patterns, types);
    populateStructuredPatterns(patterns, types, state);
    populateMovementPatterns(patterns, types, state);
    DenseSet<Operation *> left;
    ConversionConfig config;
    config.unlegalizedOps = &left;
    config.foldingMode = DialectConversionFoldingMode::Never;
    if (failed(applyPartialConversion(module, target, std::move(patterns),
                                      config)) ||
        failed(reportLeft(left, state)))
      return signalPassFailure();
    removeAttributes(module);
  }

private:
  /// An error for each operation that was not converted, in their order.
  LogicalResult reportLeft(const DenseSet<Operation *> &left,
                           const ConversionState &state) {
    bool isAny = false;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!left.contains(op))
        return WalkResult::advance();
      isAny = true;
      StringRef reason = state.getReason(op);
      if (reason.empty())
        reason = getKnownReason(op);
      if (reason.empty())
        reason = "is not supported by convert-tg-to-linalg, which converts "
                 "tensor graphs";
      op->emitOpError() << reason;
      return WalkResult::skip();
    });
    return failure(isAny);
  }
};
} // namespace
