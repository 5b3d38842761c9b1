//===- Roles.cpp - work items that only copy ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The parts of a function that only some items run are conditions in its body:
/// whether the number of an item in some direction is below a constant, or not.
/// Barriers of some items, which are those of the first part, name them all.
///
//===----------------------------------------------------------------------===//

#include "Roles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tg;

/// Registers of 32 bits of a compute unit of the GPUs that can change how many
/// an item has, and the multiples in which they do.
static constexpr int64_t kUnitRegisters = 65536, kRegisterStep = 8;

static std::optional<int64_t> getNumber(Value value) {
  APInt number;
  if (!value || !matchPattern(value, m_ConstantInt(&number)))
    return std::nullopt;
  return number.getSExtValue();
}

/// The condition in the function's body that an operation is in.
static scf::IfOp getPart(Operation *op, gpu::GPUFuncOp func) {
  while (op->getParentOp() != func)
    op = op->getParentOp();
  auto part = dyn_cast<scf::IfOp>(op);
  return part && !part.elseBlock() ? part : scf::IfOp();
}

bool tg::isOverBlocks(scf::ForOp loop) {
  auto first = loop.getLowerBound().getDefiningOp<gpu::BlockIdOp>();
  auto step = loop.getStep().getDefiningOp<gpu::GridDimOp>();
  return first && step && first.getDimension() == gpu::Dimension::x &&
         step.getDimension() == gpu::Dimension::x &&
         getNumber(loop.getUpperBound());
}

scf::ForOp tg::getLoopOverBlocks(Operation *op) {
  for (auto loop = op->getParentOfType<scf::ForOp>(); loop;
       loop = loop->getParentOfType<scf::ForOp>())
    if (isOverBlocks(loop))
      return loop;
  return scf::ForOp();
}

scf::ForOp tg::findLoopOverBlocks(gpu::GPUFuncOp func, const Roles &roles) {
  scf::ForOp found;
  func.walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
    scf::IfOp copying = roles.copying;
    if (!isOverBlocks(loop) || (copying && copying->isAncestor(loop)))
      return WalkResult::advance();
    found = loop;
    return WalkResult::interrupt();
  });
  return found;
}

namespace {
/// The numbers of items in one direction, up to a bound or from it on.
struct Bound {
  gpu::Dimension direction;
  int64_t number;
  bool operator==(const Bound &) const = default;
};
} // namespace

/// What a condition compares, if it does so by this predicate.
static std::optional<Bound> getBound(scf::IfOp part,
                                     arith::CmpIPredicate predicate) {
  auto compare = part.getCondition().getDefiningOp<arith::CmpIOp>();
  auto id = compare ? compare.getLhs().getDefiningOp<gpu::ThreadIdOp>()
                    : gpu::ThreadIdOp();
  std::optional<int64_t> number =
      id ? getNumber(compare.getRhs()) : std::nullopt;
  if (!number || compare.getPredicate() != predicate)
    return std::nullopt;
  return Bound{id.getDimension(), *number};
}

/// Items of one part have the registers that others have given back.
static LogicalResult checkRegisters(ArrayRef<NVVM::SetMaxRegisterOp> sets,
                                    const Roles &roles, gpu::GPUFuncOp func) {
  int64_t items = 1;
  const ArrayRef<int32_t> sizes = *func.getKnownBlockSize();
  for (int32_t size : sizes)
    items *= size;
  const int64_t first = kUnitRegisters / items / kRegisterStep * kRegisterStep;
  int64_t all = items * first;
  SmallVector<Operation *> seen;
  for (NVVM::SetMaxRegisterOp set : sets) {
    Operation *role = roles.getRole(set);
    if (!role || set->getParentOp() != role || llvm::is_contained(seen, role))
      return set.emitError("unsupported change of registers: not the only one "
                           "of all items that copy, or of all others");
    seen.push_back(role);
    const int64_t count = set.getRegCount();
    const bool isIncrease =
        set.getAction() == NVVM::SetMaxRegisterAction::increase;
    if (isIncrease ? count < first : count > first)
      return set.emitError("changes registers to ")
             << count << ", but items begin with " << first;
    all += (count - first) *
           (role == roles.others ? roles.items : items - roles.items);
    if (all > kUnitRegisters || (isIncrease && all > items * first))
      return set.emitError("takes more registers than others give back: ")
             << all << " of " << items * first;
  }
  return success();
}

FailureOr<Roles> tg::findRoles(gpu::GPUFuncOp func) {
  Roles roles;
  SmallVector<NVVM::BarrierOp> barriers;
  SmallVector<NVVM::SetMaxRegisterOp> sets;
  Operation *first = nullptr, *copy = nullptr;
  func.walk([&](Operation *op) {
    if (auto barrier = dyn_cast<NVVM::BarrierOp>(op))
      barriers.push_back(barrier);
    else if (auto set = dyn_cast<NVVM::SetMaxRegisterOp>(op))
      sets.push_back(set);
    else if (isa<nvgpu::TmaAsyncLoadOp>(op))
      copy = op;
    if (!first && isa<NVVM::BarrierOp, nvgpu::MBarrierArriveOp>(op))
      first = op;
  });
  if (!first) {
    if (!sets.empty())
      return sets.front().emitError("unsupported change of registers: no item "
                                    "only copies");
    return roles;
  }
  roles.others = getPart(first, func);
  std::optional<Bound> end =
      roles.others ? getBound(roles.others, arith::CmpIPredicate::ult)
                   : std::nullopt;
  if (!end)
    return first->emitError("is not of all items but the last ones");
  // Where others fill the tiles, the last items only give registers back.
  for (NVVM::SetMaxRegisterOp set : sets)
    if (!copy && getPart(set, func) != roles.others)
      copy = set;
  if (copy && getPart(copy, func) != roles.others) {
    roles.copying = getPart(copy, func);
    if (!roles.copying ||
        getBound(roles.copying, arith::CmpIPredicate::uge) != end)
      return copy->emitError("is not of all items but those that multiply");
  }
  // Along the slowest direction in which there are several.
  const ArrayRef<int32_t> size = *func.getKnownBlockSize();
  roles.items = end->number;
  for (size_t i = 0; i < static_cast<size_t>(end->direction); ++i)
    roles.items *= size[i];
  if (roles.items % kWarpgroupItems != 0)
    return first->emitError("is of ")
           << roles.items << " work items, which are not whole warpgroups";
  for (NVVM::BarrierOp barrier : barriers)
    if (getPart(barrier, func) != roles.others || barrier.getReductionOp() ||
        getNumber(barrier.getBarrierId()).value_or(0) < 1 ||
        getNumber(barrier.getBarrierId()) !=
            getNumber(barriers.front().getBarrierId()) ||
        getNumber(barrier.getNumberOfThreads()) != roles.items)
      return barrier.emitError("unsupported barrier: not of the ")
             << roles.items << " items that do not copy";
  if (failed(checkRegisters(sets, roles, func)))
    return failure();
  return roles;
}
