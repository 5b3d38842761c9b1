//===- ShareKernels.cpp - one kernel for several numbers ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the tg-share-kernels pass.
///
//===----------------------------------------------------------------------===//

#include "KernelSet.h"
#include "TinyGrad/Dialect/Tg/IR/TgVariables.h"
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h"
#include "llvm/ADT/MapVector.h"
#include <map>

namespace mlir::tg {
#define GEN_PASS_DEF_TGSHAREKERNELS
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;
using namespace mlir::tg;

/// Each run of a kernel stores its numbers; more than this many would take too
/// much of the L1 cache.
static constexpr size_t kMaxNumbers = 256;

//===----------------------------------------------------------------------===//
// Constants that may differ
//===----------------------------------------------------------------------===//

/// Whether the value does not simplify any operation.
static bool isOrdinary(Attribute value) {
  if (auto number = dyn_cast<FloatAttr>(value)) {
    const APFloat &x = number.getValue();
    return x.isFinite() && !x.isZero() && !abs(x).isExactlyValue(1.0);
  }
  auto number = dyn_cast<IntegerAttr>(value);
  return number && !number.getValue().isZero() && !number.getValue().isOne() &&
         !number.getValue().isAllOnes();
}

/// Whether the use of a constant costs the same if the number is known only at
/// run time.
static bool isOrdinary(OpOperand &use, Attribute value) {
  Operation *user = use.getOwner();
  const bool isFloat = isa<FloatType>(use.get().getType());
  if (auto store = dyn_cast<StoreOp>(user))
    return use.get() == store.getValue();
  if (isa<MulOp, MulAccOp>(user))
    return isFloat;
  // A division by a power of two becomes a product.
  if (isa<FDivOp>(user))
    return use.getOperandNumber() == 0 ||
           !cast<FloatAttr>(value).getValue().getExactInverse(nullptr);
  return isa<AddOp, SubOp, MaxOp, WhereOp, CmpLtOp, CmpEqOp, CmpNeOp, AndOp,
             OrOp, XorOp>(user);
}

/// The operations that compute positions and masks.
static DenseSet<Operation *> collectPositions(KernelOp kernel) {
  DenseSet<Operation *> found;
  SmallVector<Value> worklist;
  for (Operation &op : kernel.getBody().front()) {
    if (auto load = dyn_cast<LoadOp>(op)) {
      worklist.push_back(load.getIndex());
      worklist.push_back(load.getMask());
    } else if (auto store = dyn_cast<StoreOp>(op)) {
      worklist.push_back(store.getIndex());
      worklist.push_back(store.getMask());
    }
  }
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    Operation *op = value ? value.getDefiningOp() : nullptr;
    if (op && found.insert(op).second)
      llvm::append_range(worklist, op->getOperands());
  }
  return found;
}

/// The constants that may differ between kernels, in order, with their
/// positions among all operations.
static SmallVector<std::pair<unsigned, ConstOp>>
collectNumbers(KernelOp kernel) {
  SmallVector<std::pair<unsigned, ConstOp>> numbers;
  std::optional<DenseSet<Operation *>> positions;
  for (auto [place, op] : llvm::enumerate(kernel.getBody().front())) {
    auto constant = dyn_cast<ConstOp>(op);
    if (!constant || !constant.getType().isIntOrFloat())
      continue;
    const Attribute value = constant.getValue();
    if (!isOrdinary(value) || !llvm::all_of(op.getUses(), [&](OpOperand &use) {
          return isOrdinary(use, value);
        }))
      continue;
    if (!positions)
      positions = collectPositions(kernel);
    if (!positions->contains(&op))
      numbers.push_back({unsigned(place), constant});
  }
  return numbers;
}

//===----------------------------------------------------------------------===//
// Numbers as operands
//===----------------------------------------------------------------------===//

/// The bits of a number, as a variable with the bounds of its type holds them.
static int64_t getBits(Attribute value) {
  if (auto number = dyn_cast<FloatAttr>(value))
    return number.getValue().bitcastToAPInt().getSExtValue();
  return cast<IntegerAttr>(value).getValue().getSExtValue();
}

/// Computes a number of the type from the low bits of a variable.
static Value buildNumber(OpBuilder &builder, Location loc, Type type,
                         VarAttr variable) {
  Value number = DimOp::create(builder, loc, builder.getIndexType(), variable);
  if (isa<IntegerType>(type))
    return CastOp::create(builder, loc, type, number);
  number = CastOp::create(builder, loc,
                          builder.getIntegerType(type.getIntOrFloatBitWidth()),
                          number);
  return BitcastOp::create(builder, loc, type, number);
}

/// A name prefix that no variable of the kernel has.
static FailureOr<std::string> findPrefix(KernelOp kernel) {
  FailureOr<SmallVector<VarAttr>> variables = collectVariables(kernel);
  if (failed(variables))
    return failure();
  std::string prefix = "~";
  for (VarAttr variable : *variables)
    while (variable.getName().getValue().starts_with(prefix))
      prefix += '~';
  return prefix;
}

namespace {
/// A kernel, the constants that may differ, and their values.
struct Candidate {
  KernelOp kernel;
  SmallVector<ConstOp> constants;
  SmallVector<Attribute> values;
};

/// Candidates that are equal except for the values.
using Group = SmallVector<Candidate, 1>;

struct TgShareKernelsPass
    : public tg::impl::TgShareKernelsBase<TgShareKernelsPass> {
  using Base::Base;

  void runOnOperation() override;

private:
  /// Makes one kernel of a group if that pays off, and adds to `replacements`
  /// what replaces each of its kernels.
  struct Replacement {
    FlatSymbolRefAttr kernel;
    DenseI64ArrayAttr numbers;
  };
  LogicalResult share(Group &group,
                      DenseMap<Attribute, Replacement> &replacements);
};
} // namespace

LogicalResult
TgShareKernelsPass::share(Group &group,
                          DenseMap<Attribute, Replacement> &replacements) {
  Candidate &first = group.front();
  SmallVector<unsigned> differing;
  for (unsigned i = 0; i < first.constants.size(); ++i)
    if (llvm::any_of(group, [&](const Candidate &other) {
          return other.values[i] != first.values[i];
        }))
      differing.push_back(i);
  const bool isShared = int64_t(group.size()) >= fewest && !differing.empty() &&
                        differing.size() <= kMaxNumbers;
  for (auto [i, candidate] : llvm::enumerate(group))
    if (i == 0 || !isShared)
      for (auto [constant, value] :
           llvm::zip(candidate.constants, candidate.values))
        constant.setValueAttr(cast<TypedAttr>(value));
  if (!isShared)
    return success();

  FailureOr<std::string> prefix = findPrefix(first.kernel);
  if (failed(prefix))
    return failure();
  OpBuilder builder(&getContext());
  SmallVector<Attribute> numbers;
  for (unsigned i : differing) {
    ConstOp constant = first.constants[i];
    Type type = constant.getType();
    const unsigned width = type.getIntOrFloatBitWidth();
    auto variable = VarAttr::get(
        &getContext(),
        builder.getStringAttr(*prefix + std::to_string(numbers.size())),
        llvm::minIntN(width), llvm::maxIntN(width));
    builder.setInsertionPoint(constant);
    constant.replaceAllUsesWith(
        buildNumber(builder, constant.getLoc(), type, variable));
    constant.erase();
    numbers.push_back(variable);
  }
  first.kernel.setNumbersAttr(builder.getArrayAttr(numbers));
  for (auto [i, candidate] : llvm::enumerate(group)) {
    SmallVector<int64_t> bits;
    for (unsigned place : differing)
      bits.push_back(getBits(candidate.values[place]));
    replacements[candidate.kernel.getSymNameAttr()] = {
        FlatSymbolRefAttr::get(first.kernel.getSymNameAttr()),
        builder.getDenseI64ArrayAttr(bits)};
    if (i != 0) {
      candidate.kernel.erase();
      ++numMerged;
    }
  }
  return success();
}

void TgShareKernelsPass::runOnOperation() {
  if (int64_t count = llvm::range_size(getOperation().getOps<KernelOp>());
      count < std::max<int64_t>(fewest, 2))
    return markAllAnalysesPreserved();
  // Kernels are compared with the same value in the place of each number. The
  // places tell them apart from kernels that contain this value.
  KernelSet kernels;
  llvm::MapVector<Operation *, std::map<std::vector<unsigned>, Group>> groups;
  for (auto kernel : getOperation().getOps<KernelOp>()) {
    if (kernel.getNumbers())
      continue;
    Candidate candidate{kernel, {}, {}};
    std::vector<unsigned> places;
    for (auto [place, constant] : collectNumbers(kernel)) {
      places.push_back(place);
      candidate.constants.push_back(constant);
      candidate.values.push_back(constant.getValue());
      constant.setValueAttr(cast<TypedAttr>(
          Builder(&getContext()).getZeroAttr(constant.getType())));
    }
    if (!places.empty())
      groups[kernels.insert(kernel)][places].push_back(std::move(candidate));
  }
  DenseMap<Attribute, Replacement> replacements;
  for (auto &[kernel, alike] : groups)
    for (auto &[places, group] : alike)
      if (failed(share(group, replacements)))
        return signalPassFailure();
  if (replacements.empty())
    return;
  for (auto func : getOperation().getOps<func::FuncOp>())
    func.walk([&](LaunchOp launch) {
      auto it = replacements.find(launch.getKernelAttr().getAttr());
      if (it == replacements.end())
        return;
      launch.setKernelAttr(it->second.kernel);
      launch.setNumbersAttr(it->second.numbers);
    });
}
