//===- GroupNumbers.cpp - the order of the groups of a launch -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Evaluates arithmetic on the numbers of all groups.
///
//===----------------------------------------------------------------------===//

#include "GroupNumbers.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/IR/TgKernelFunctions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include <map>

using namespace mlir;
using namespace mlir::tg;

/// More groups than these are not tried.
static constexpr int64_t kMaxGroups = int64_t(1) << 20;

namespace {
/// The arithmetic of a function whose operands are constants and the numbers of
/// its group along x and y.
class Arithmetic {
public:
  Arithmetic(gpu::GPUFuncOp func, scf::ForOp blocks);

  /// The results of divisions, and of what is chosen of them, that something
  /// else is computed from.
  ArrayRef<Value> getQuotients() const { return quotients; }
  /// Whether something else is computed from x and y.
  bool hasOthers() const { return isUsedOtherwise; }
  /// The quotients of a group; none if one would be divided by zero.
  std::optional<SmallVector<int64_t, 4>>
  evaluate(const std::array<int64_t, 2> &group);

private:
  bool isOfGroup(Value value) const { return places.contains(value); }
  std::optional<int64_t> compute(Operation *op);

  SmallVector<Operation *> ops;
  DenseMap<Value, size_t> places;
  SmallVector<int64_t> values;
  SmallVector<Value> quotients;
  bool isUsedOtherwise = false;
};
} // namespace

/// What makes an order of groups: divisions, and choices between their results.
static bool isDivision(Operation *op) {
  return isa<arith::DivUIOp, arith::RemUIOp, arith::CmpIOp, arith::SelectOp>(
      op);
}

/// The counter of a loop, or the only result.
static Value getResult(Operation *op) {
  auto loop = dyn_cast<scf::ForOp>(op);
  return loop ? Value(loop.getInductionVar()) : op->getResult(0);
}

Arithmetic::Arithmetic(gpu::GPUFuncOp func, scf::ForOp blocks) {
  DenseSet<Value> divided, bands;
  auto add = [&](Operation *op) {
    places[getResult(op)] = ops.size();
    ops.push_back(op);
  };
  func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == blocks)
      return add(op);
    if (auto id = dyn_cast<gpu::BlockIdOp>(op)) {
      if (!blocks && id.getDimension() != gpu::Dimension::z)
        add(op);
      return;
    }
    if (matchPattern(op, m_Constant()) && op->getNumResults() == 1 &&
        op->getResult(0).getType().isIntOrIndex()) {
      add(op);
      return;
    }
    const bool isKnown =
        isDivision(op) || isa<arith::AddIOp, arith::MulIOp>(op);
    if (!isKnown || !llvm::all_of(op->getOperands(), [&](Value operand) {
          return isOfGroup(operand);
        }))
      return;
    auto isQuotient = [&](Value value) { return divided.contains(value); };
    if (isDivision(op)) {
      add(op);
      divided.insert(op->getResult(0));
    } else if (llvm::none_of(op->getOperands(), isQuotient) &&
               !bands.contains(op->getOperand(0))) {
      add(op);
    } else if (isa<arith::MulIOp>(op) && op->hasOneUse()) {
      // A number times the rows of a band and one below that are a number too.
      // Other sums and products of numbers are what indices consist of.
      Operation *sum = *op->getUsers().begin();
      if (isa<arith::AddIOp>(sum) && sum->getOperand(0) == op->getResult(0) &&
          isQuotient(sum->getOperand(1))) {
        add(op);
        bands.insert(op->getResult(0));
      }
    } else if (bands.contains(op->getOperand(0))) {
      add(op);
      divided.insert(op->getResult(0));
    }
  });
  for (Operation *op : ops) {
    Value result = getResult(op);
    if (matchPattern(op, m_Constant()))
      continue;
    const bool isUsed = llvm::any_of(result.getUsers(), [&](Operation *user) {
      // How many blocks the group has computed, of which buffers depend.
      if (auto turn = dyn_cast<arith::DivUIOp>(user);
          turn && turn.getRhs().getDefiningOp<gpu::GridDimOp>())
        return false;
      return user->getNumResults() != 1 || !isOfGroup(user->getResult(0));
    });
    // What a condition is of is no number.
    if (isUsed && divided.contains(result) && !result.getType().isInteger(1))
      quotients.push_back(result);
    else
      isUsedOtherwise |= isUsed;
  }
  values.resize(ops.size());
}

std::optional<int64_t> Arithmetic::compute(Operation *op) {
  APInt constant;
  if (matchPattern(op, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  SmallVector<int64_t, 3> x;
  for (Value operand : op->getOperands())
    x.push_back(values[places.lookup(operand)]);
  const bool isDivided = isa<arith::DivUIOp, arith::RemUIOp>(op);
  // All of them count something.
  if (llvm::any_of(x, [](int64_t number) { return number < 0; }) ||
      (isDivided && x[1] == 0))
    return std::nullopt;
  int64_t result = 0;
  if (isa<arith::AddIOp>(op))
    return llvm::AddOverflow(x[0], x[1], result) ? std::nullopt
                                                 : std::optional(result);
  if (isa<arith::MulIOp>(op))
    return llvm::MulOverflow(x[0], x[1], result) ? std::nullopt
                                                 : std::optional(result);
  if (isa<arith::DivUIOp>(op))
    return x[0] / x[1];
  if (isa<arith::RemUIOp>(op))
    return x[0] % x[1];
  if (isa<arith::SelectOp>(op))
    return x[0] != 0 ? x[1] : x[2];
  return arith::applyCmpPredicate(cast<arith::CmpIOp>(op).getPredicate(),
                                  APInt(64, uint64_t(x[0])),
                                  APInt(64, uint64_t(x[1])));
}

std::optional<SmallVector<int64_t, 4>>
Arithmetic::evaluate(const std::array<int64_t, 2> &group) {
  for (auto [op, value] : llvm::zip_equal(ops, values)) {
    if (auto id = dyn_cast<gpu::BlockIdOp>(op)) {
      value = group[static_cast<size_t>(id.getDimension())];
      continue;
    }
    if (isa<scf::ForOp>(op)) {
      value = group[0];
      continue;
    }
    std::optional<int64_t> number = compute(op);
    if (!number)
      return std::nullopt;
    value = *number;
  }
  SmallVector<int64_t, 4> found;
  for (Value quotient : quotients)
    found.push_back(values[places.lookup(quotient)]);
  return found;
}

FailureOr<GroupNumbers> tg::findGroupNumbers(gpu::GPUFuncOp func,
                                             scf::ForOp blocks) {
  GroupNumbers result;
  result.blocks = blocks;
  auto counts = func->getAttrOfType<ArrayAttr>(groupsAttrName);
  if (blocks && Dim(counts[1]).getMax() > 1)
    return blocks.emitError("is over blocks of results from the number of the "
                            "group along x on, but there are groups along y, "
                            "which would compute the same blocks");
  std::array<int64_t, 2> groups{};
  for (size_t i : {0, 1}) {
    std::optional<int64_t> count = Dim(counts[i]).getStatic();
    if (!count || *count > kMaxGroups)
      return result;
    groups[i] = *count;
  }
  APInt end;
  if (blocks && matchPattern(blocks.getUpperBound(), m_ConstantInt(&end)))
    groups = {end.getSExtValue(), 1};
  Arithmetic arithmetic(func, blocks);
  if (blocks && (arithmetic.getQuotients().empty() || arithmetic.hasOthers() ||
                 groups[0] > kMaxGroups)) {
    result.numbers.push_back({blocks.getInductionVar(), 0, groups[0] - 1});
    return result;
  }
  // If something depends on x or y itself, the solver has to know how they are
  // divided.
  if (arithmetic.getQuotients().empty() || arithmetic.hasOthers() ||
      groups[0] * groups[1] > kMaxGroups)
    return result;
  std::map<SmallVector<int64_t, 4>, std::array<int64_t, 2>> seen;
  GroupNumbers unknown = result;
  for (Value quotient : arithmetic.getQuotients())
    result.numbers.push_back({quotient, INT64_MAX, 0});
  for (int64_t y = 0; y < groups[1]; ++y)
    for (int64_t x = 0; x < groups[0]; ++x) {
      const auto numbers = arithmetic.evaluate({x, y});
      if (!numbers)
        return unknown;
      auto [it, isNew] = seen.try_emplace(*numbers, std::array{x, y});
      if (!isNew)
        return blocks ? blocks.emitError("iterations ")
                            << it->second[0] << " and " << x
                            << " of the loop over blocks compute the same "
                               "block of results"
                      : func.emitError("groups (")
                            << it->second[0] << ", " << it->second[1]
                            << ") and (" << x << ", " << y
                            << ") compute the same block of results";
      for (auto [number, value] : llvm::zip_equal(result.numbers, *numbers)) {
        number.least = std::min(number.least, value);
        number.most = std::max(number.most, value);
      }
    }
  return result;
}
