//===- ExpandMath.cpp - The tg-expand-math pass ---------------------------===//
//
// Part of the TinyGrad project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The public builders, which widen f16 and bf16, the patterns for `math`
/// operations, and the pass.
///
//===----------------------------------------------------------------------===//

#include "MathBuilder.h"
#include "TinyGrad/Conversion/MathToPolynomial/MathToPolynomial.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::tg {
#define GEN_PASS_DEF_TGEXPANDMATH
#include "TinyGrad/Conversion/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;
using namespace mlir::tg;

using EmitUnary = Value (*)(MathBuilder &, Value);

//===----------------------------------------------------------------------===//
// Builders
//===----------------------------------------------------------------------===//

/// Whether `type` is a scalar or a vector of fixed shape. Empty vectors are
/// excluded, since some operations reject them.
static bool isScalarOrFixedVector(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return !vector.isScalable() && vector.getNumElements() != 0;
  return isa<FloatType>(type);
}

bool tg::isExpandableMathType(Type type) {
  Type element = getElementTypeOrSelf(type);
  return isScalarOrFixedVector(type) &&
         (element.isF32() || element.isF16() || element.isBF16());
}

/// Whether `type` is f64 or a fixed vector of it.
static bool isWideType(Type type) {
  return isScalarOrFixedVector(type) && getElementTypeOrSelf(type).isF64();
}

/// bf16 to f32, as integers: LLVM rewrites absolute values and the like of an
/// arith.extf to bf16 operations, which targets without them turn into calls.
static Value extendBF16(MathBuilder &e, Value x) {
  Type i16 = e.like(e.builder().getI16Type());
  Value bits = e.extui(e.i32(), e.bitcast(i16, x));
  return e.bitcast(e.f32(), e.shl(bits, e.constI32(16)));
}

static Value widen(MathBuilder &e, Value x) {
  if (x.getType() == e.f32())
    return x;
  if (getElementTypeOrSelf(x.getType()).isBF16())
    return extendBF16(e, x);
  return e.extf(e.f32(), x);
}

/// Rounds f32 to bf16 by integer arithmetic: without AVX-512 BF16, arith.truncf
/// becomes a call per element, and that extension's instruction flushes
/// subnormals.
static Value roundToBF16(MathBuilder &e, Value x, Type type) {
  Value bits = e.bitcast(e.i32(), x);
  Value top = e.shru(bits, e.constI32(16));
  // Add half a unit in the last place kept, less one bit if it is even: ties to
  // even.
  Value isOdd = e.andi(top, e.constI32(1));
  Value rounded = e.addi(bits, e.addi(isOdd, e.constI32(0x7fffu)));
  // The addition could carry a NaN into an infinity or zero; make it quiet
  // instead.
  Value quiet = e.ori(top, e.constI32(0x40u));
  Value result = e.select(e.ne(x, x), quiet, e.shru(rounded, e.constI32(16)));
  Type i16 = e.like(e.builder().getI16Type());
  return e.bitcast(type, e.trunci(i16, result));
}

static Value narrow(MathBuilder &e, Value x, Type type) {
  if (x.getType() == type)
    return x;
  if (getElementTypeOrSelf(type).isBF16())
    return roundToBF16(e, x, type);
  return e.truncf(type, x);
}

static Value buildUnary(ImplicitLocOpBuilder &b, Value x, EmitUnary emit) {
  assert(isExpandableMathType(x.getType()) && "type cannot be expanded");
  MathBuilder e(b, x);
  return narrow(e, emit(e, widen(e, x)), x.getType());
}

Value tg::buildExp2(ImplicitLocOpBuilder &b, Value x) {
  return buildUnary(b, x, emitExp2);
}
Value tg::buildExp(ImplicitLocOpBuilder &b, Value x) {
  return buildUnary(b, x, emitExp);
}
Value tg::buildExpM1(ImplicitLocOpBuilder &b, Value x) {
  return buildUnary(b, x, emitExpM1);
}
Value tg::buildLog2(ImplicitLocOpBuilder &b, Value x) {
  return buildUnary(b, x, emitLog2);
}
Value tg::buildLog(ImplicitLocOpBuilder &b, Value x) {
  return buildUnary(b, x, emitLog);
}
Value tg::buildLog1p(ImplicitLocOpBuilder &b, Value x) {
  return buildUnary(b, x, emitLog1p);
}
Value tg::buildSin(ImplicitLocOpBuilder &b, Value x) {
  return buildUnary(b, x, emitSin);
}
Value tg::buildCos(ImplicitLocOpBuilder &b, Value x) {
  return buildUnary(b, x, emitCos);
}
Value tg::buildTan(ImplicitLocOpBuilder &b, Value x) {
  return buildUnary(b, x, emitTan);
}
Value tg::buildAsin(ImplicitLocOpBuilder &b, Value x) {
  return buildUnary(b, x, emitAsin);
}
Value tg::buildAcos(ImplicitLocOpBuilder &b, Value x) {
  return buildUnary(b, x, emitAcos);
}
Value tg::buildAtan(ImplicitLocOpBuilder &b, Value x) {
  return buildUnary(b, x, emitAtan);
}
Value tg::buildTanh(ImplicitLocOpBuilder &b, Value x) {
  return buildUnary(b, x, emitTanh);
}
Value tg::buildErf(ImplicitLocOpBuilder &b, Value x) {
  return buildUnary(b, x, emitErf);
}

Value tg::buildPow(ImplicitLocOpBuilder &b, Value x, Value y) {
  assert(isExpandableMathType(x.getType()) && "type cannot be expanded");
  assert(x.getType() == y.getType() && "operand types differ");
  MathBuilder e(b, x);
  return narrow(e, emitPow(e, widen(e, x), widen(e, y)), x.getType());
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {

/// Replaces a unary operation by what `build` emits.
template <typename OpTy, Value (*build)(ImplicitLocOpBuilder &, Value)>
struct ExpandUnary : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!isExpandableMathType(op.getType()))
      return rewriter.notifyMatchFailure(
          op, "not f16, bf16, f32 or a fixed vector of them");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, build(b, op.getOperand()));
    return success();
  }
};

struct ExpandPow : OpRewritePattern<math::PowFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::PowFOp op,
                                PatternRewriter &rewriter) const override {
    const bool isWide = isWideType(op.getType());
    if (!isWide && !isExpandableMathType(op.getType()))
      return rewriter.notifyMatchFailure(
          op, "not f16, bf16, f32, f64 or a fixed vector of them");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    MathBuilder e(b, op.getLhs());
    rewriter.replaceOp(op, isWide ? emitPow(e, op.getLhs(), op.getRhs())
                                  : buildPow(b, op.getLhs(), op.getRhs()));
    return success();
  }
};

/// Replaces a unary operation on f64 by what `emit` emits.
template <typename OpTy, Value (*emit)(MathBuilder &, Value)>
struct ExpandWide : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!isWideType(op.getType()))
      return rewriter.notifyMatchFailure(op, "not f64 or a fixed vector of it");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    MathBuilder e(b, op.getOperand());
    rewriter.replaceOp(op, emit(e, op.getOperand()));
    return success();
  }
};

struct ExpandMathPass : tg::impl::TgExpandMathBase<ExpandMathPass> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    populateMathToPolynomialPatterns(set);
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() override {
    walkAndApplyPatterns(getOperation(), patterns);
  }

  FrozenRewritePatternSet patterns;
};

} // namespace

void tg::populateMathToPolynomialPatterns(RewritePatternSet &patterns) {
  patterns.add<
      ExpandUnary<math::Exp2Op, buildExp2>, ExpandUnary<math::ExpOp, buildExp>,
      ExpandUnary<math::ExpM1Op, buildExpM1>,
      ExpandUnary<math::Log2Op, buildLog2>, ExpandUnary<math::LogOp, buildLog>,
      ExpandUnary<math::Log1pOp, buildLog1p>,
      ExpandUnary<math::SinOp, buildSin>, ExpandUnary<math::CosOp, buildCos>,
      ExpandUnary<math::TanOp, buildTan>, ExpandUnary<math::AsinOp, buildAsin>,
      ExpandUnary<math::AcosOp, buildAcos>,
      ExpandUnary<math::AtanOp, buildAtan>,
      ExpandUnary<math::TanhOp, buildTanh>, ExpandUnary<math::ErfOp, buildErf>,
      ExpandPow>(patterns.getContext());
  patterns.add<ExpandWide<math::ExpOp, emitWideExp>,
               ExpandWide<math::ExpM1Op, emitWideExpM1>,
               ExpandWide<math::Exp2Op, emitWideExp2>,
               ExpandWide<math::LogOp, emitWideLog>,
               ExpandWide<math::Log2Op, emitWideLog2>,
               ExpandWide<math::TanhOp, emitWideTanh>,
               ExpandWide<math::SinOp, emitWideSin>,
               ExpandWide<math::CosOp, emitWideCos>,
               ExpandWide<math::TanOp, emitWideTan>,
               ExpandWide<math::AsinOp, emitAsin>,
               ExpandWide<math::AcosOp, emitAcos>,
               ExpandWide<math::AtanOp, emitWideAtan>,
               ExpandWide<math::Log1pOp, emitWideLog1p>,
               ExpandWide<math::ErfOp, emitWideErf>>(patterns.getContext());
}
