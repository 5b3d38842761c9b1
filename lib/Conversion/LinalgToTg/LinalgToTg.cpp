//===- LinalgToTg.cpp - tensor programs of upstream's dialects ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The pass `convert-linalg-to-tg`: sizes first, then a conversion of types and
/// operations, then one error for each operation that is left.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Conversion/LinalgToTg/LinalgToTg.h"
#include "Builders.h"
#include "Converter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::tg {
#define GEN_PASS_DEF_CONVERTLINALGTOTG
#include "TinyGrad/Conversion/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::linalgtotg;

/// Tensors of the element types of `tg` stay; numbers are tensors of rank 0.
static void addConversions(TypeConverter &types) {
  types.addConversion([](Type type) -> std::optional<Type> {
    Type element = convertElementType(type);
    return element ? Type(RankedTensorType::get({}, element)) : Type();
  });
  types.addConversion([](RankedTensorType type) -> std::optional<Type> {
    Type element = convertElementType(type.getElementType());
    return element && hasDims(type) ? Type(type.clone(element)) : Type();
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

/// The operation whose body `op` is in, as an operand of which it is converted.
static bool isInBody(Operation *op) {
  return op->getParentOfType<linalg::LinalgOp>() ||
         op->getParentOfType<tensor::PadOp>() ||
         op->getParentOfType<tensor::GenerateOp>();
}

/// `linalg.softmax` as upstream decomposes it.
static LogicalResult decomposeSoftmax(linalg::SoftmaxOp softmax,
                                      IRRewriter &rewriter) {
  rewriter.setInsertionPoint(softmax);
  if (!isa<RankedTensorType>(softmax.getInput().getType()))
    return success();
  FailureOr<SmallVector<Value>> results = softmax.decomposeOperation(rewriter);
  if (failed(results))
    return failure();
  rewriter.replaceOp(softmax, *results);
  return success();
}

/// A difference of an accumulator and a term as a sum, which has the same bits.
static void replaceDifference(Operation *op, IRRewriter &rewriter) {
  auto body = dyn_cast<linalg::LinalgOp>(op->getParentOp());
  auto accumulator = dyn_cast<BlockArgument>(op->getOperand(0));
  if (!body || !accumulator || accumulator.getOwner() != body.getBlock() ||
      accumulator.getArgNumber() < unsigned(body.getNumDpsInputs()))
    return;
  rewriter.setInsertionPoint(op);
  const Value term = op->getOperand(1);
  if (isa<arith::SubFOp>(op)) {
    rewriter.replaceOpWithNewOp<arith::AddFOp>(
        op, accumulator,
        arith::NegFOp::create(rewriter, op->getLoc(), term).getResult());
    return;
  }
  const Value zero = arith::ConstantOp::create(
      rewriter, op->getLoc(), rewriter.getZeroAttr(term.getType()));
  rewriter.replaceOpWithNewOp<arith::AddIOp>(
      op, accumulator,
      arith::SubIOp::create(rewriter, op->getLoc(), zero, term).getResult());
}

/// Whether `decompose` writes the operation with constants of its type, which
/// tensors of dynamic shapes do not have.
static bool isExpandedWithConstants(Operation *op) {
  return isa<math::SinhOp, math::CoshOp, math::AsinhOp, math::AcoshOp,
             math::AtanhOp, arith::MulSIExtendedOp, arith::MulUIExtendedOp>(op);
}

/// An elementwise operation on tensors of one shape as the body of a structured
/// operation.
static void replaceByBody(Operation *op, IRRewriter &rewriter) {
  rewriter.setInsertionPoint(op);
  const auto type = cast<RankedTensorType>(op->getResult(0).getType());
  const AffineMap map = rewriter.getMultiDimIdentityMap(type.getRank());
  const size_t numOperands = op->getNumOperands();
  const SmallVector<AffineMap> maps(numOperands + op->getNumResults(), map);
  const SmallVector<utils::IteratorType> loops(type.getRank(),
                                               utils::IteratorType::parallel);
  // Results have the type of the operands.
  const SmallVector<Value> outputs(op->getNumResults(), op->getOperand(0));
  auto body = [&](OpBuilder &builder, Location loc, ValueRange arguments) {
    const SmallVector<Type> types(op->getNumResults(), type.getElementType());
    Operation *scalar = builder.create(loc, op->getName().getIdentifier(),
                                       arguments.take_front(numOperands), types,
                                       op->getAttrs());
    linalg::YieldOp::create(builder, loc, scalar->getResults());
  };
  rewriter.replaceOpWithNewOp<linalg::GenericOp>(
      op, op->getResultTypes(), op->getOperands(), outputs, maps, loops, body);
}

namespace {

/// The low and high halves of a product, as those of a product of integers with
/// twice as many bits.
template <typename OpTy, typename ExtOp>
struct WidenProduct : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    auto element = dyn_cast<IntegerType>(getElementTypeOrSelf(op.getLhs()));
    if (!element || element.getWidth() < 8 || element.getWidth() > 32)
      return rewriter.notifyMatchFailure(op, "no integers of 8 to 32 bits");
    const Location loc = op.getLoc();
    const Type type = op.getLhs().getType();
    const IntegerType twice = rewriter.getIntegerType(2 * element.getWidth());
    Type wide = twice;
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      wide = tensor.clone(twice);
    const Value product = arith::MulIOp::create(
        rewriter, loc, ExtOp::create(rewriter, loc, wide, op.getLhs()),
        ExtOp::create(rewriter, loc, wide, op.getRhs()));
    TypedAttr width = rewriter.getIntegerAttr(twice, element.getWidth());
    if (wide != twice)
      width = SplatElementsAttr::get(cast<ShapedType>(wide), width);
    const Value shift = arith::ConstantOp::create(rewriter, loc, width);
    const Value low = arith::TruncIOp::create(rewriter, loc, type, product);
    const Value high = arith::TruncIOp::create(
        rewriter, loc, type,
        arith::ShRUIOp::create(rewriter, loc, product, shift));
    rewriter.replaceOp(op, {low, high});
    return success();
  }
};

/// A sum wraps where it is less than an operand.
struct ExpandCarry : OpRewritePattern<arith::AddUIExtendedOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::AddUIExtendedOp op,
                                PatternRewriter &rewriter) const override {
    const Value sum =
        arith::AddIOp::create(rewriter, op.getLoc(), op.getLhs(), op.getRhs());
    const Value carry = arith::CmpIOp::create(
        rewriter, op.getLoc(), arith::CmpIPredicate::ult, sum, op.getLhs());
    rewriter.replaceOp(op, {sum, carry});
    return success();
  }
};

/// Both results by themselves.
struct SplitSinCos : OpRewritePattern<math::SincosOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::SincosOp op,
                                PatternRewriter &rewriter) const override {
    const Value x = op.getOperand();
    const Value sine = math::SinOp::create(rewriter, op.getLoc(), x),
                cosine = math::CosOp::create(rewriter, op.getLoc(), x);
    rewriter.replaceOp(op, {sine, cosine});
    return success();
  }
};

/// Padding with values that depend on the position, or by an amount that is
/// computed where the size of the result is a number: the tensor is inserted
/// into one with the values of the padding.
struct InsertIntoPadding : OpRewritePattern<tensor::PadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::PadOp op,
                                PatternRewriter &rewriter) const override {
    const RankedTensorType type = op.getResultType();
    const Location loc = op.getLoc();
    const SmallVector<OpFoldResult> low = op.getMixedLowPad(),
                                    high = op.getMixedHighPad();
    bool isComputed = false;
    for (int64_t axis = 0; axis < type.getRank(); ++axis)
      isComputed |= !type.isDynamicDim(axis) &&
                    (isa<Value>(low[axis]) || isa<Value>(high[axis]));
    if (!isComputed && op.getConstantPaddingValue())
      return rewriter.notifyMatchFailure(op, "one value around the tensor");
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(rewriter, loc, op.getSource());
    SmallVector<Value> dynamicSizes;
    for (int64_t axis = 0; axis < type.getRank(); ++axis) {
      if (!type.isDynamicDim(axis))
        continue;
      Value size = getValueOrCreateConstantIndexOp(rewriter, loc, sizes[axis]);
      for (OpFoldResult amount : {low[axis], high[axis]})
        size = arith::AddIOp::create(
            rewriter, loc, size,
            getValueOrCreateConstantIndexOp(rewriter, loc, amount));
      dynamicSizes.push_back(size);
    }
    auto padding =
        tensor::GenerateOp::create(rewriter, loc, type, dynamicSizes);
    rewriter.inlineRegionBefore(op.getRegion(), padding.getBody(),
                                padding.getBody().begin());
    const SmallVector<OpFoldResult> strides(type.getRank(),
                                            rewriter.getIndexAttr(1));
    rewriter.replaceOpWithNewOp<tensor::InsertSliceOp>(
        op, op.getSource(), padding.getResult(), low, sizes, strides);
    return success();
  }
};

/// The size of a tensor outside of a body is read outside, too.
struct HoistSize : OpRewritePattern<tensor::DimOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::DimOp op,
                                PatternRewriter &rewriter) const override {
    Operation *parent = op->getParentOp();
    const std::optional<int64_t> axis = op.getConstantIndex();
    if (!isa<linalg::LinalgOp, tensor::GenerateOp, tensor::PadOp>(parent) ||
        op.getSource().getParentRegion() == op->getParentRegion() || !axis)
      return rewriter.notifyMatchFailure(op, "not in a body");
    rewriter.setInsertionPoint(parent);
    rewriter.replaceOpWithNewOp<tensor::DimOp>(op, op.getSource(), *axis);
    return success();
  }
};

} // namespace

/// Writes operations that have no counterpart as others that have.
static LogicalResult decompose(func::FuncOp function) {
  SmallVector<linalg::SoftmaxOp> composed;
  SmallVector<Operation *> differences, dynamic;
  function.walk([&](Operation *op) {
    if (auto softmax = dyn_cast<linalg::SoftmaxOp>(op))
      composed.push_back(softmax);
    else if (isa<arith::SubFOp, arith::SubIOp>(op))
      differences.push_back(op);
    else if (isExpandedWithConstants(op))
      if (auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
          type && !type.hasStaticShape())
        dynamic.push_back(op);
  });
  IRRewriter rewriter(function.getContext());
  for (linalg::SoftmaxOp op : composed)
    if (failed(decomposeSoftmax(op, rewriter)))
      return failure();
  for (Operation *op : differences)
    replaceDifference(op, rewriter);
  for (Operation *op : dynamic)
    replaceByBody(op, rewriter);
  RewritePatternSet patterns(function.getContext());
  math::populateExpansionPatterns(
      patterns, {"sinh", "cosh", "asinh", "acosh", "atanh", "fpowi"});
  patterns.add<WidenProduct<arith::MulSIExtendedOp, arith::ExtSIOp>,
               WidenProduct<arith::MulUIExtendedOp, arith::ExtUIOp>,
               ExpandCarry, HoistSize, SplitSinCos, InsertIntoPadding>(
      function.getContext());
  GreedyRewriteConfig config;
  config.enableFolding(false);
  config.enableConstantCSE(false);
  return applyPatternsGreedily(function, std::move(patterns), config);
}

static LogicalResult checkTypes(func::FuncOp function,
                                const TypeConverter &types) {
  auto check = [&](Location loc, const Twine &what,
                   Type type) -> LogicalResult {
    if (types.convertType(type))
      return success();
    return emitError(loc) << what << " of @" << function.getSymName()
                          << " has the type " << type
                          << ", which tensors of tg do not have";
  };
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    if (failed(check(function.isExternal() ? function.getLoc()
                                           : function.getArgument(i).getLoc(),
                     "argument " + Twine(i), type)))
      return failure();
  for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
    if (failed(check(function.getLoc(), "result " + Twine(i), type)))
      return failure();
  return success();
}

namespace {
struct ConvertLinalgToTgPass
    : tg::impl::ConvertLinalgToTgBase<ConvertLinalgToTgPass> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    if (minSize < 0 || maxSize < minSize)
      return emitError(UnknownLoc::get(context))
             << "convert-linalg-to-tg: min-size is " << minSize.getValue()
             << " and max-size " << maxSize.getValue()
             << "; min-size must be at least 0 and at most max-size";
    return success();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    MLIRContext *context = &getContext();
    TypeConverter types;
    addConversions(types);
    ConversionState state;
    state.ignoresAssertions = ignoreAssertions;
    for (auto function : module.getOps<func::FuncOp>())
      if (failed(decompose(function)) ||
          failed(resolveShapes(function, {minSize, maxSize}, state)) ||
          failed(checkTypes(function, types)))
        return signalPassFailure();

    ConversionTarget target(*context);
    target.addLegalDialect<TgDialect>();
    target.addLegalOp<ModuleOp, UnrealizedConversionCastOp>();
    target.addDynamicallyLegalOp<func::FuncOp>([&](func::FuncOp op) {
      return types.isSignatureLegal(op.getFunctionType());
    });
    target.addDynamicallyLegalOp<func::ReturnOp>(
        [&](func::ReturnOp op) { return types.isLegal(op.getOperandTypes()); });
    // Whether others are converted is left open: what is left over is known
    // with the reason, which errors of the conversion would not tell.
    target.markUnknownOpDynamicallyLegal(
        [](Operation *op) -> std::optional<bool> {
          return isInBody(op) ? std::optional<bool>(true) : std::nullopt;
        });
    RewritePatternSet patterns(context);
    populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(patterns,
                                                                   types);
    populateReturnOpTypeConversionPattern(patterns, types);
    populateStructuredPatterns(patterns, types, state);
    populateTensorPatterns(patterns, types, state);
    populatePartPatterns(patterns, types, state);
    DenseSet<Operation *> left;
    ConversionConfig config;
    config.unlegalizedOps = &left;
    // A constant that an operation folds to would be one of `arith`.
    config.foldingMode = DialectConversionFoldingMode::Never;
    if (failed(applyPartialConversion(module, target, std::move(patterns),
                                      config)) ||
        failed(reportLeft(left, state)))
      return signalPassFailure();
    IRRewriter rewriter(context);
    for (auto function : module.getOps<func::FuncOp>())
      (void)runRegionDCE(rewriter, function->getRegions());
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
      if (isa<func::CallOp>(op))
        op->emitOpError("calls a function, which is to be inlined before "
                        "(--inline)");
      else if (reason.empty())
        op->emitOpError("is not supported by convert-linalg-to-tg, whose "
                        "description lists the operations that are");
      else
        op->emitOpError() << reason;
      return WalkResult::skip();
    });
    return failure(isAny);
  }
};
} // namespace
