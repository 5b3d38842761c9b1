//===- VerifyIndex.cpp - proofs of index arithmetic -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the tg-verify-index-rewrites and tg-verify-accesses passes.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/Verify/VerifyIndex.h"
#include "Formula.h"
#include "LoopEncoder.h"
#include "SmtEncoder.h"
#include "TinyGrad/Dialect/Tg/IR/TgKernelFunctions.h"
#include "TinyGrad/Dialect/Tg/IR/TgLaunchedElements.h"
#include "TinyGrad/Dialect/Tg/Transforms/SimplifyIndex.h"
#include "TinyGrad/Dialect/Tg/Verify/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::tg {
#define GEN_PASS_DEF_TGVERIFYINDEXREWRITES
#define GEN_PASS_DEF_TGVERIFYACCESSES
#include "TinyGrad/Dialect/Tg/Verify/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;
using namespace mlir::tg;

//===----------------------------------------------------------------------===//
// Formulas
//===----------------------------------------------------------------------===//

using Questions = SmallVector<ProofQuestion>;

/// Adds the question whether what `build` asserts can be satisfied. Fails, with
/// an error, if it cannot be written as SMT-LIB.
template <typename Encoder, typename... Args>
static LogicalResult ask(Questions &questions, Location loc, const Twine &claim,
                         StringRef subject, function_ref<void(Encoder &)> build,
                         Args... args) {
  FailureOr<std::string> formula = writeFormula(loc, [&](OpBuilder &builder) {
    Encoder encoder(builder, loc, args...);
    build(encoder);
    return llvm::to_vector(encoder.getVariables());
  });
  if (failed(formula))
    return failure();
  questions.push_back({loc, claim.str(), subject.str(), *formula});
  return success();
}

//===----------------------------------------------------------------------===//
// Rewrites
//===----------------------------------------------------------------------===//

/// The bounds inferred for a kernel's index arithmetic; those that formulas
/// rely on, or all.
static LogicalResult askBounds(KernelOp kernel, bool all,
                               Questions &questions) {
  IndexAnalysis analysis;
  for (Operation &op : kernel.getBody().front()) {
    if (!isIndexArithmetic(&op) || isa<ConstOp, DimOp>(op) ||
        !op.getResult(0).getType().isIndex() || (!all && !isa<WhereOp>(op)))
      continue;
    Value value = op.getResult(0);
    Interval interval = analysis.getInterval(value);
    if (interval == Interval::getInt64())
      continue;
    if (failed(ask<SmtEncoder>(questions, op.getLoc(),
                               "the bounds inferred for this value, " +
                                   interval.str() + ", do not hold",
                               "bounds", [&](SmtEncoder &encoder) {
                                 encoder.assertTrue(encoder.makeNot(
                                     encoder.isWithin(encoder.encode(value),
                                                      interval.getMin(),
                                                      interval.getMax())));
                               })))
      return failure();
  }
  return success();
}

LogicalResult mlir::tg::verifyIndexRewrites(
    ModuleOp module, const FrozenRewritePatternSet &rules,
    const ProofOptions &options, llvm::StringMap<unsigned> &proved) {
  Questions questions;
  SimplifyIndexOptions simplify;
  simplify.checkMeasure = true;
  simplify.onRewrite = [&](const IndexRewrite &rewrite) {
    return ask<SmtEncoder>(
        questions, rewrite.before.getLoc(),
        "the rule '" + rewrite.rule + "' changes the value of this expression",
        rewrite.rule, [&](SmtEncoder &encoder) {
          if (rewrite.condition) {
            Value condition = encoder.encode(rewrite.condition);
            encoder.assertTrue(rewrite.conditionHolds
                                   ? condition
                                   : encoder.makeNot(condition));
          }
          encoder.assertTrue(encoder.makeDistinct(
              encoder.encode(rewrite.before), encoder.encode(rewrite.after)));
        });
  };
  for (KernelOp kernel : module.getOps<KernelOp>())
    if (failed(askBounds(kernel, /*all=*/true, questions)) ||
        failed(simplifyIndices(kernel, rules, simplify)))
      return failure();
  return proveAll(questions, options, proved);
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// The elements that memory of a kernel may have.
static SmallVector<LaunchedElements> getElements(const ModuleLaunches &launches,
                                                 Value memory) {
  if (auto argument = dyn_cast<BlockArgument>(memory))
    return launches.get(argument);
  return {{Dim(memory.getContext(),
               cast<MemRefType>(memory.getType()).getNumElements())}};
}

/// The same of a function that was a kernel.
static SmallVector<LaunchedElements> getElements(func::FuncOp func,
                                                 Value memory) {
  if (auto argument = dyn_cast<BlockArgument>(memory);
      argument && argument.getOwner()->getParentOp() == func)
    return getLaunchedElements(argument);
  return {{Dim(memory.getContext(),
               cast<MemRefType>(memory.getType()).getNumElements())}};
}

/// Asks whether an access may be outside of a buffer of this size. \p build
/// asserts that it is outside of as many elements as the term says.
template <typename Encoder, typename... Args>
static LogicalResult
askAccess(Operation *op, const LaunchedElements &size, Questions &questions,
          function_ref<void(Encoder &, Value)> build, Args... args) {
  return ask<Encoder>(
      questions, op->getLoc(),
      "this access is outside of its buffer of " + size.str() + " elements",
      "access",
      [&](Encoder &encoder) {
        for (auto [variable, number] : size.numbers)
          encoder.assertTrue(
              encoder.isWithin(encoder.encode(Dim(variable)), number, number));
        build(encoder, encoder.encode(size.elements));
      },
      args...);
}

/// The queries for a load or store of a kernel.
template <typename OpT>
static LogicalResult askAccess(OpT op, const ModuleLaunches &launches,
                               Questions &questions) {
  auto type = cast<MemRefType>(op.getBuffer().getType());
  if (!type.hasStaticShape())
    return op->emitError("the size of the buffer is not known");
  auto assertOutside = [&](SmtEncoder &encoder, Value elements) {
    if (op.getMask())
      encoder.assertTrue(encoder.encode(op.getMask()));
    encoder.assertTrue(encoder.makeNot(
        encoder.isBelow(encoder.encode(op.getIndex()), elements)));
  };
  for (const LaunchedElements &size : getElements(launches, op.getBuffer()))
    if (failed(askAccess<SmtEncoder>(op, size, questions, assertOutside)))
      return failure();
  return success();
}

/// The query for an access of a function converted from a kernel.
static LogicalResult askAccess(Operation *op, func::FuncOp func,
                               Questions &questions) {
  auto isMemory = [](Type type) { return isa<MemRefType>(type); };
  if (llvm::none_of(op->getOperandTypes(), isMemory) ||
      isa<memref::DeallocOp, memref::PrefetchOp, memref::AssumeAlignmentOp>(op))
    return success();
  std::optional<LoopAccess> access = getLoopAccess(op);
  auto type = access ? cast<MemRefType>(access->memory.getType()) : nullptr;
  if (!type || type.getRank() != 1 || !type.hasStaticShape())
    return op->emitError("unsupported memory access");
  auto vector = dyn_cast<VectorType>(access->lanes);
  const int64_t width = vector ? vector.getNumElements() : 1;
  auto assertOutside = [&](LoopEncoder &encoder, Value elements) {
    encoder.assertReached(op);
    Value index = encoder.encodeLane(access->indices[0], 0);
    if (!access->mask) {
      Value last = width > 1 ? encoder.encodeSum(index, width - 1) : index;
      encoder.assertTrue(encoder.makeNot(encoder.makeAnd(
          encoder.isBelow(index, elements), encoder.isBelow(last, elements))));
      return;
    }
    Value isWrong;
    for (int64_t lane = 0; lane < width; ++lane) {
      Value place = index;
      if (access->offsets)
        place =
            encoder.encodeSum(index, encoder.encodeLane(access->offsets, lane));
      else if (lane > 0)
        place = encoder.encodeSum(index, lane);
      Value isLaneWrong =
          encoder.makeAnd(encoder.encodeLane(access->mask, lane),
                          encoder.makeNot(encoder.isBelow(place, elements)));
      isWrong = isWrong ? encoder.makeOr(isWrong, isLaneWrong) : isLaneWrong;
    }
    encoder.assertTrue(isWrong);
  };
  for (const LaunchedElements &size : getElements(func, access->memory))
    if (failed(
            askAccess<LoopEncoder>(op, size, questions, assertOutside, func)))
      return failure();
  return success();
}

LogicalResult mlir::tg::verifyAccesses(ModuleOp module,
                                       const ProofOptions &options,
                                       llvm::StringMap<unsigned> &proved) {
  Questions questions;
  const ModuleLaunches launches(module);
  for (KernelOp kernel : module.getOps<KernelOp>()) {
    if (failed(askBounds(kernel, /*all=*/false, questions)))
      return failure();
    for (Operation &op : kernel.getBody().front())
      if (failed(llvm::TypeSwitch<Operation *, LogicalResult>(&op)
                     .Case<LoadOp, StoreOp>([&](auto access) {
                       return askAccess(access, launches, questions);
                     })
                     .Default(success())))
        return failure();
  }
  for (auto func : module.getOps<func::FuncOp>()) {
    if (!func->hasAttr(parallelExtentAttrName))
      continue;
    WalkResult result = func.walk([&](Operation *op) {
      return WalkResult(askAccess(op, func, questions));
    });
    if (result.wasInterrupted())
      return failure();
  }
  return proveAll(questions, options, proved);
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

namespace {
struct TgVerifyIndexRewritesPass
    : public tg::impl::TgVerifyIndexRewritesBase<TgVerifyIndexRewritesPass> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    rules = getIndexRules(context);
    return success();
  }

  void runOnOperation() override {
    llvm::StringMap<unsigned> proved;
    ProofOptions options{solver, timeout, /*hasSmallBounds=*/false, answers};
    if (failed(verifyIndexRewrites(getOperation(), rules, options, proved)))
      return signalPassFailure();
    if (printCounts)
      printProved(proved);
  }

  FrozenRewritePatternSet rules;
};

struct TgVerifyAccessesPass
    : public tg::impl::TgVerifyAccessesBase<TgVerifyAccessesPass> {
  using Base::Base;

  void runOnOperation() override {
    llvm::StringMap<unsigned> proved;
    ProofOptions options{solver, timeout, /*hasSmallBounds=*/false, answers};
    if (failed(verifyAccesses(getOperation(), options, proved)))
      return signalPassFailure();
    if (printCounts)
      printProved(proved);
  }
};
} // namespace
