//===- BoundsCheck.cpp - checks of every access to memory -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the tg-check-bounds pass. It checks the lowered code, so that it
/// covers every access, whatever created it.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Conversion/TgToVector/TgToVector.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::tg {
#define GEN_PASS_DEF_TGCHECKBOUNDS
#include "TinyGrad/Conversion/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;
using namespace mlir::tg;

namespace {
class BoundsChecker {
public:
  BoundsChecker(Operation *op, TypedValue<MemRefType> memory)
      : op(op), loc(op->getLoc()), builder(op), memory(memory),
        size(memory.getType().getNumElements()) {}

  /// Checks `width` elements from `index` on; the access is skipped if one of
  /// them is out of bounds.
  void checkRun(Value index, int64_t width);
  /// Checks the elements at `index` plus a vector of offsets where the mask
  /// holds; the access is done without those that are out of bounds.
  void checkLanes(Value index, Value offsets, Value mask,
                  llvm::function_ref<void(Value)> setMask);
  /// The same for consecutive lanes.
  void checkLanes(Value index, Value mask,
                  llvm::function_ref<void(Value)> setMask);

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  void report(Value index);

  Operation *op;
  Location loc;
  OpBuilder builder;
  TypedValue<MemRefType> memory;
  int64_t size;
};
} // namespace

void BoundsChecker::report(Value index) {
  int64_t number = -1;
  if (auto argument = dyn_cast<BlockArgument>(Value(memory)))
    number = argument.getArgNumber();
  Type i64 = builder.getI64Type();
  auto toI64 = [&](Value value) -> Value {
    return arith::IndexCastOp::create(builder, loc, i64, value);
  };
  func::CallOp::create(
      builder, loc, kReportBoundsFunctionName, TypeRange(),
      ValueRange{toI64(index), toI64(constant(size)), toI64(constant(number))});
}

void BoundsChecker::checkRun(Value index, int64_t width) {
  // As unsigned numbers, negative indices are out of bounds too.
  Value inside =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, index,
                            constant(std::max<int64_t>(size - width + 1, 0)));
  auto guard = scf::IfOp::create(builder, loc, op->getResultTypes(), inside,
                                 /*withElseRegion=*/true);
  op->replaceAllUsesWith(guard);
  builder.setInsertionPointToStart(guard.elseBlock());
  // Report the first element, or the first one past the end.
  Value end = constant(size);
  Value isBefore = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::slt, index, constant(0));
  Value last = arith::MaxSIOp::create(builder, loc, index, end);
  report(arith::SelectOp::create(builder, loc, isBefore, index, last));
  SmallVector<Value> zeros;
  for (Type type : op->getResultTypes())
    zeros.push_back(
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type)));
  if (!zeros.empty())
    scf::YieldOp::create(builder, loc, zeros);
  Block *then = guard.thenBlock();
  op->moveBefore(then, then->begin());
  builder.setInsertionPointAfter(op);
  if (!zeros.empty())
    scf::YieldOp::create(builder, loc, op->getResults());
}

void BoundsChecker::checkLanes(Value index, Value offsets, Value mask,
                               llvm::function_ref<void(Value)> setMask) {
  auto type = cast<VectorType>(offsets.getType());
  auto indexType = VectorType::get(type.getShape(), builder.getIndexType());
  if (type != indexType)
    offsets = arith::IndexCastOp::create(builder, loc, indexType, offsets);
  auto splat = [&](Value value) {
    return vector::BroadcastOp::create(builder, loc, indexType, value);
  };
  Value places = arith::AddIOp::create(builder, loc, splat(index), offsets);
  Value inside = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                       places, splat(constant(size)));
  Value allowed = arith::AndIOp::create(builder, loc, mask, inside);
  Value wrong = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                      mask, allowed);
  Value any = vector::ReductionOp::create(builder, loc,
                                          vector::CombiningKind::OR, wrong);
  setMask(allowed);
  auto guard = scf::IfOp::create(builder, loc, any, /*withElseRegion=*/false);
  builder.setInsertionPointToStart(guard.thenBlock());
  // The smallest of the wrong indices.
  Value candidates = arith::SelectOp::create(builder, loc, wrong, places,
                                             splat(constant(INT64_MAX)));
  report(vector::ReductionOp::create(builder, loc, vector::CombiningKind::MINSI,
                                     candidates));
}

void BoundsChecker::checkLanes(Value index, Value mask,
                               llvm::function_ref<void(Value)> setMask) {
  int64_t count = cast<VectorType>(mask.getType()).getNumElements();
  auto type = VectorType::get(count, builder.getIndexType());
  Value lanes = arith::ConstantOp::create(
      builder, loc,
      DenseIntElementsAttr::get(type,
                                llvm::to_vector(llvm::seq<int64_t>(0, count))));
  checkLanes(index, lanes, mask, setMask);
}

/// The memory as a flat buffer of known size, if it is one.
static TypedValue<MemRefType> getMemory(Value memory) {
  auto typed = dyn_cast<TypedValue<MemRefType>>(memory);
  if (typed && typed.getType().getRank() == 1 &&
      typed.getType().hasStaticShape())
    return typed;
  return nullptr;
}

static int64_t getWidth(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getNumElements() : 1;
}

static void check(Operation *op) {
  auto with = [&](Value base, auto run) {
    if (TypedValue<MemRefType> memory = getMemory(base)) {
      BoundsChecker checker(op, memory);
      run(checker);
    }
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case<memref::LoadOp>([&](auto load) {
        with(load.getMemref(), [&](BoundsChecker &checker) {
          checker.checkRun(load.getIndices()[0], 1);
        });
      })
      .Case<memref::StoreOp>([&](auto store) {
        with(store.getMemref(), [&](BoundsChecker &checker) {
          checker.checkRun(store.getIndices()[0], 1);
        });
      })
      .Case<vector::LoadOp>([&](auto load) {
        with(load.getBase(), [&](BoundsChecker &checker) {
          checker.checkRun(load.getIndices()[0], getWidth(load.getType()));
        });
      })
      .Case<vector::StoreOp>([&](auto store) {
        with(store.getBase(), [&](BoundsChecker &checker) {
          checker.checkRun(store.getIndices()[0],
                           getWidth(store.getValueToStore().getType()));
        });
      })
      .Case<vector::MaskedLoadOp, vector::MaskedStoreOp>([&](auto masked) {
        with(masked.getBase(), [&](BoundsChecker &checker) {
          checker.checkLanes(
              masked.getIndices()[0], masked.getMask(),
              [&](Value mask) { masked.getMaskMutable().assign(mask); });
        });
      })
      .Case<vector::GatherOp>([&](auto gather) {
        with(gather.getBase(), [&](BoundsChecker &checker) {
          checker.checkLanes(
              gather.getOffsets()[0], gather.getIndices(), gather.getMask(),
              [&](Value mask) { gather.getMaskMutable().assign(mask); });
        });
      })
      .Case<vector::ScatterOp>([&](auto scatter) {
        with(scatter.getBase(), [&](BoundsChecker &checker) {
          checker.checkLanes(
              scatter.getOffsets()[0], scatter.getIndices(), scatter.getMask(),
              [&](Value mask) { scatter.getMaskMutable().assign(mask); });
        });
      });
}

void tg::insertBoundsChecks(ModuleOp module) {
  if (module.lookupSymbol(kReportBoundsFunctionName))
    return;
  SmallVector<Operation *> accesses;
  for (auto func : module.getOps<func::FuncOp>())
    if (func->hasAttr(parallelExtentAttrName))
      func.walk([&](Operation *op) { accesses.push_back(op); });
  for (Operation *op : accesses)
    check(op);
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  Type i64 = builder.getI64Type();
  auto report =
      func::FuncOp::create(builder, module.getLoc(), kReportBoundsFunctionName,
                           builder.getFunctionType({i64, i64, i64}, {}));
  report.setPrivate();
}

namespace {
struct TgCheckBoundsPass : tg::impl::TgCheckBoundsBase<TgCheckBoundsPass> {
  void runOnOperation() override { insertBoundsChecks(getOperation()); }
};
} // namespace
