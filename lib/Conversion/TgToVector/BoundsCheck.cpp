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

using arith::CmpIPredicate;

namespace {
class BoundsChecker {
public:
  BoundsChecker(Operation *op, TypedValue<MemRefType> memory)
      : op(op), b(op->getLoc(), op), memory(memory),
        size(memory.getType().getNumElements()) {}

  /// Checks `width` elements from `index` on; the access is skipped if one of
  /// them is out of bounds.
  void checkRun(Value index, int64_t width);
  /// Checks the elements at `index` plus a vector of offsets where the mask
  /// holds; the access is done without those that are out of bounds.
  void checkLanes(Value index, Value offsets, OpOperand &mask);
  /// The same for consecutive lanes.
  void checkLanes(Value index, OpOperand &mask);

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  void report(Value index);

  Operation *op;
  ImplicitLocOpBuilder b;
  TypedValue<MemRefType> memory;
  int64_t size;
};
} // namespace

void BoundsChecker::report(Value index) {
  int64_t number = -1;
  if (auto argument = dyn_cast<BlockArgument>(Value(memory)))
    number = argument.getArgNumber();
  SmallVector<Value> numbers;
  for (Value value : {index, constant(size), constant(number)})
    numbers.push_back(arith::IndexCastOp::create(b, b.getI64Type(), value));
  func::CallOp::create(b, kReportBoundsFunctionName, TypeRange(), numbers);
}

void BoundsChecker::checkRun(Value index, int64_t width) {
  // As unsigned numbers, negative indices are out of bounds too.
  Value inside =
      arith::CmpIOp::create(b, CmpIPredicate::ult, index,
                            constant(std::max<int64_t>(size - width + 1, 0)));
  auto guard = scf::IfOp::create(b, op->getResultTypes(), inside,
                                 /*withElseRegion=*/true);
  op->replaceAllUsesWith(guard);
  b.setInsertionPointToStart(guard.elseBlock());
  // Report the first element, or the first one past the end.
  Value end = constant(size);
  Value isBefore =
      arith::CmpIOp::create(b, CmpIPredicate::slt, index, constant(0));
  Value last = arith::MaxSIOp::create(b, index, end);
  report(arith::SelectOp::create(b, isBefore, index, last));
  SmallVector<Value> zeros;
  for (Type type : op->getResultTypes())
    zeros.push_back(arith::ConstantOp::create(b, b.getZeroAttr(type)));
  if (!zeros.empty())
    scf::YieldOp::create(b, zeros);
  Block *then = guard.thenBlock();
  op->moveBefore(then, then->begin());
  b.setInsertionPointAfter(op);
  if (!zeros.empty())
    scf::YieldOp::create(b, op->getResults());
}

void BoundsChecker::checkLanes(Value index, Value offsets, OpOperand &mask) {
  auto type = cast<VectorType>(offsets.getType());
  auto indexType = VectorType::get(type.getShape(), b.getIndexType());
  if (type != indexType)
    offsets = arith::IndexCastOp::create(b, indexType, offsets);
  auto splat = [&](Value value) {
    return vector::BroadcastOp::create(b, indexType, value);
  };
  Value places = arith::AddIOp::create(b, splat(index), offsets);
  Value inside = arith::CmpIOp::create(b, CmpIPredicate::ult, places,
                                       splat(constant(size)));
  Value allowed = arith::AndIOp::create(b, mask.get(), inside);
  Value wrong =
      arith::CmpIOp::create(b, CmpIPredicate::ne, mask.get(), allowed);
  Value any = vector::ReductionOp::create(b, vector::CombiningKind::OR, wrong);
  mask.set(allowed);
  auto guard = scf::IfOp::create(b, any, /*withElseRegion=*/false);
  b.setInsertionPointToStart(guard.thenBlock());
  // The smallest of the wrong indices.
  Value candidates =
      arith::SelectOp::create(b, wrong, places, splat(constant(INT64_MAX)));
  report(
      vector::ReductionOp::create(b, vector::CombiningKind::MINSI, candidates));
}

void BoundsChecker::checkLanes(Value index, OpOperand &mask) {
  int64_t count = cast<VectorType>(mask.get().getType()).getNumElements();
  auto lanes = llvm::to_vector(llvm::seq<int64_t>(0, count));
  auto type = VectorType::get(count, b.getIndexType());
  checkLanes(
      index,
      arith::ConstantOp::create(b, DenseIntElementsAttr::get(type, lanes)),
      mask);
}

static void check(Operation *op) {
  // Only flat buffers of known size are checked.
  auto with = [&](Value base, auto run) {
    auto memory = dyn_cast<TypedValue<MemRefType>>(base);
    if (!memory || memory.getType().getRank() != 1 ||
        !memory.getType().hasStaticShape())
      return;
    BoundsChecker checker(op, memory);
    run(checker);
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case<memref::LoadOp, memref::StoreOp>([&](auto access) {
        with(access.getMemref(), [&](BoundsChecker &checker) {
          checker.checkRun(access.getIndices()[0], 1);
        });
      })
      .Case<vector::LoadOp, vector::StoreOp>([&](auto access) {
        with(access.getBase(), [&](BoundsChecker &checker) {
          checker.checkRun(access.getIndices()[0],
                           access.getVectorType().getNumElements());
        });
      })
      .Case<vector::MaskedLoadOp, vector::MaskedStoreOp>([&](auto access) {
        with(access.getBase(), [&](BoundsChecker &checker) {
          checker.checkLanes(access.getIndices()[0], access.getMaskMutable());
        });
      })
      .Case<vector::GatherOp, vector::ScatterOp>([&](auto access) {
        with(access.getBase(), [&](BoundsChecker &checker) {
          checker.checkLanes(access.getOffsets()[0], access.getIndices(),
                             access.getMaskMutable());
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
