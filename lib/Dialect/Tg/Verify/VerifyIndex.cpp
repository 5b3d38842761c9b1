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
#include "LoopEncoder.h"
#include "SmtEncoder.h"
#include "TinyGrad/Dialect/Tg/IR/TgKernelFunctions.h"
#include "TinyGrad/Dialect/Tg/Transforms/SimplifyIndex.h"
#include "TinyGrad/Dialect/Tg/Verify/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Target/SMTLIB/ExportSMTLIB.h"
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

/// The variables in the dimensions behind values.
static SetVector<VarAttr> collectVariables(ArrayRef<Value> values) {
  SetVector<VarAttr> variables;
  auto addFrom = [&](Attribute dim) {
    Dim(dim).walk([&](VarAttr var) { variables.insert(var); });
  };
  SmallVector<Value> stack(values);
  DenseSet<Value> seen;
  while (!stack.empty()) {
    Value value = stack.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op || !seen.insert(value).second)
      continue;
    if (auto range = dyn_cast<RangeOp>(op))
      addFrom(range.getExtent());
    else if (auto dim = dyn_cast<DimOp>(op))
      addFrom(dim.getDim());
    else if (isIndexArithmetic(op))
      llvm::append_range(stack, op->getOperands());
  }
  return variables;
}

/// The formula that `build` asserts, as SMT-LIB without the question; empty,
/// with an error, if it cannot be written.
static FailureOr<std::string>
writeFormula(Location loc, ArrayRef<VarAttr> variables,
             function_ref<void(OpBuilder &)> build) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  OpBuilder builder(loc.getContext());
  builder.setInsertionPointToStart(module->getBody());
  auto solver = smt::SolverOp::create(builder, loc, TypeRange(), ValueRange());
  builder.createBlock(&solver.getBodyRegion());
  build(builder);
  smt::YieldOp::create(builder, loc, ValueRange());
  std::string text;
  llvm::raw_string_ostream os(text);
  smt::SMTEmissionOptions options;
  options.inlineSingleUseValues = true;
  if (failed(smt::exportSMTLIB(*module, os, options)))
    return failure();
  // Formulas are put together into one script, which resets between them.
  StringRef formula(text);
  formula.consume_back("(reset)\n");
  std::string result = formula.str();
  for (VarAttr var : variables)
    result += "; variable " + getSymbol(var) + " " +
              std::to_string(var.getMin()) + " " +
              std::to_string(var.getMax()) + "\n";
  return result;
}

/// The same about values of a kernel.
static FailureOr<std::string>
writeFormula(Location loc, ArrayRef<Value> values,
             function_ref<void(SmtEncoder &)> build) {
  return writeFormula(loc, collectVariables(values).getArrayRef(),
                      [&](OpBuilder &builder) {
                        SmtEncoder encoder(builder, loc);
                        build(encoder);
                      });
}

//===----------------------------------------------------------------------===//
// Rewrites
//===----------------------------------------------------------------------===//

/// The inferred bounds of a kernel's index arithmetic as questions; those that
/// formulas rely on, or all.
static LogicalResult askBounds(KernelOp kernel, bool all,
                               SmallVectorImpl<ProofQuestion> &questions) {
  IndexAnalysis analysis;
  for (Operation &op : kernel.getBody().front()) {
    if (!isIndexArithmetic(&op) || isa<ConstOp, DimOp>(op) ||
        !op.getResult(0).getType().isIndex() || (!all && !isa<WhereOp>(op)))
      continue;
    Value value = op.getResult(0);
    Interval interval = analysis.getInterval(value);
    if (interval == Interval::getInt64())
      continue;
    auto formula = writeFormula(op.getLoc(), value, [&](SmtEncoder &encoder) {
      encoder.assertTrue(encoder.makeNot(encoder.isWithin(
          encoder.encode(value), interval.getMin(), interval.getMax())));
    });
    if (failed(formula))
      return failure();
    questions.push_back({op.getLoc(),
                         "the bounds inferred for this value, " +
                             interval.str() + ", do not hold",
                         "bounds", *formula});
  }
  return success();
}

LogicalResult mlir::tg::verifyIndexRewrites(
    ModuleOp module, const FrozenRewritePatternSet &rules,
    const ProofOptions &options, llvm::StringMap<unsigned> &proved) {
  SmallVector<ProofQuestion> questions;
  SimplifyIndexOptions simplify;
  simplify.checkMeasure = true;
  simplify.onRewrite = [&](const IndexRewrite &rewrite) -> LogicalResult {
    Location loc = rewrite.before.getLoc();
    SmallVector<Value, 3> values{rewrite.before, rewrite.after};
    if (rewrite.condition)
      values.push_back(rewrite.condition);
    auto formula = writeFormula(loc, values, [&](SmtEncoder &encoder) {
      if (rewrite.condition) {
        Value condition = encoder.encode(rewrite.condition);
        encoder.assertTrue(rewrite.conditionHolds ? condition
                                                  : encoder.makeNot(condition));
      }
      encoder.assertTrue(encoder.makeDistinct(encoder.encode(rewrite.before),
                                              encoder.encode(rewrite.after)));
    });
    if (failed(formula))
      return failure();
    questions.push_back({loc,
                         ("the rule '" + rewrite.rule +
                          "' changes the value of this expression")
                             .str(),
                         rewrite.rule.str(), *formula});
    return success();
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

static LogicalResult askAccess(Operation *op, Value buffer, Value index,
                               Value mask,
                               SmallVectorImpl<ProofQuestion> &questions) {
  auto type = cast<MemRefType>(buffer.getType());
  if (!type.hasStaticShape())
    return op->emitError("the size of the buffer is not known");
  SmallVector<Value, 2> values{index};
  if (mask)
    values.push_back(mask);
  auto formula = writeFormula(op->getLoc(), values, [&](SmtEncoder &encoder) {
    if (mask)
      encoder.assertTrue(encoder.encode(mask));
    encoder.assertTrue(encoder.makeNot(
        encoder.isWithin(encoder.encode(index), 0, type.getNumElements() - 1)));
  });
  if (failed(formula))
    return failure();
  questions.push_back({op->getLoc(),
                       ("this access is outside of its buffer of " +
                        Twine(type.getNumElements()) + " elements")
                           .str(),
                       "access", *formula});
  return success();
}

/// The memory access of an operation in a function with loops and vectors.
namespace {
struct LoopAccess {
  Value memory, index;
  int64_t width = 1;
  /// What is added to the index, by lane; the lane if there is none.
  Value offsets;
  Value mask;
};
} // namespace

static int64_t getNumLanes(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getNumElements() : 1;
}

static std::optional<LoopAccess> getAccess(Operation *op) {
  using Result = std::optional<LoopAccess>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<memref::LoadOp, memref::StoreOp>([](auto access) -> Result {
        if (access.getIndices().size() != 1)
          return std::nullopt;
        return LoopAccess{
            access.getMemref(), access.getIndices()[0], 1, {}, {}};
      })
      .Case<vector::LoadOp, vector::StoreOp>([](auto access) -> Result {
        if (access.getIndices().size() != 1)
          return std::nullopt;
        return LoopAccess{access.getBase(),
                          access.getIndices()[0],
                          access.getVectorType().getNumElements(),
                          {},
                          {}};
      })
      .Case<vector::MaskedLoadOp, vector::MaskedStoreOp>(
          [](auto access) -> Result {
            if (access.getIndices().size() != 1)
              return std::nullopt;
            return LoopAccess{access.getBase(),
                              access.getIndices()[0],
                              getNumLanes(access.getMask().getType()),
                              {},
                              access.getMask()};
          })
      .Case<vector::GatherOp, vector::ScatterOp>([](auto access) -> Result {
        if (access.getOffsets().size() != 1)
          return std::nullopt;
        return LoopAccess{access.getBase(), access.getOffsets()[0],
                          getNumLanes(access.getMask().getType()),
                          access.getIndices(), access.getMask()};
      })
      .Default([](Operation *) { return std::nullopt; });
}

/// The query for an access of a function converted from a kernel.
static LogicalResult askAccess(Operation *op, func::FuncOp func,
                               SmallVectorImpl<ProofQuestion> &questions) {
  auto isMemory = [](Type type) { return isa<MemRefType>(type); };
  if (llvm::none_of(op->getOperandTypes(), isMemory) ||
      isa<memref::DeallocOp, memref::PrefetchOp, memref::AssumeAlignmentOp>(op))
    return success();
  std::optional<LoopAccess> access = getAccess(op);
  auto type = access ? cast<MemRefType>(access->memory.getType()) : nullptr;
  if (!type || type.getRank() != 1 || !type.hasStaticShape())
    return op->emitError("unsupported memory access");
  const int64_t size = type.getNumElements();
  auto formula =
      writeFormula(op->getLoc(), getVariables(func), [&](OpBuilder &builder) {
        LoopEncoder encoder(builder, op->getLoc(), func);
        encoder.assertReached(op);
        Value index = encoder.encodeLane(access->index, 0);
        if (!access->mask) {
          encoder.assertTrue(encoder.makeNot(
              encoder.isWithin(index, 0, size - access->width)));
          return;
        }
        Value isOutside;
        for (int64_t lane = 0; lane < access->width; ++lane) {
          Value place = index;
          if (access->offsets)
            place = encoder.encodeSum(
                index, encoder.encodeLane(access->offsets, lane));
          else if (lane > 0)
            place = encoder.encodeSum(index, lane);
          Value wrong = encoder.makeAnd(
              encoder.encodeLane(access->mask, lane),
              encoder.makeNot(encoder.isWithin(place, 0, size - 1)));
          isOutside = isOutside ? encoder.makeOr(isOutside, wrong) : wrong;
        }
        encoder.assertTrue(isOutside);
      });
  if (failed(formula))
    return failure();
  questions.push_back(
      {op->getLoc(),
       ("this access is outside of its buffer of " + Twine(size) + " elements")
           .str(),
       "access", *formula});
  return success();
}

LogicalResult mlir::tg::verifyAccesses(ModuleOp module,
                                       const ProofOptions &options,
                                       llvm::StringMap<unsigned> &proved) {
  SmallVector<ProofQuestion> questions;
  for (KernelOp kernel : module.getOps<KernelOp>()) {
    if (failed(askBounds(kernel, /*all=*/false, questions)))
      return failure();
    for (Operation &op : kernel.getBody().front()) {
      LogicalResult asked = success();
      if (auto load = dyn_cast<LoadOp>(op))
        asked = askAccess(load, load.getBuffer(), load.getIndex(),
                          load.getMask(), questions);
      else if (auto store = dyn_cast<StoreOp>(op))
        asked = askAccess(store, store.getBuffer(), store.getIndex(),
                          store.getMask(), questions);
      if (failed(asked))
        return failure();
    }
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

/// "proved NAME: COUNT" for each subject, by name.
static void printProved(const llvm::StringMap<unsigned> &proved) {
  SmallVector<StringRef> names(proved.keys());
  llvm::sort(names);
  for (StringRef name : names)
    llvm::outs() << "proved " << name << ": " << proved.lookup(name) << '\n';
  llvm::outs().flush();
}

namespace {
struct TgVerifyIndexRewritesPass
    : public tg::impl::TgVerifyIndexRewritesBase<TgVerifyIndexRewritesPass> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet patterns(context);
    populateIndexRules(patterns);
    rules = FrozenRewritePatternSet(std::move(patterns));
    return success();
  }

  void runOnOperation() override {
    llvm::StringMap<unsigned> proved;
    if (failed(verifyIndexRewrites(getOperation(), rules, {solver, timeout},
                                   proved)))
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
    if (failed(verifyAccesses(getOperation(), {solver, timeout}, proved)))
      return signalPassFailure();
    if (printCounts)
      printProved(proved);
  }
};
} // namespace
