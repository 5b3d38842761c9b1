//===- Shrinker.cpp - reduction of failing graphs -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Each step works on a copy, which replaces the graph if it still fails. Steps
/// are tried until none succeeds: fewer results, operations replaced by an
/// operand or by their value as an argument, fewer variables, simpler values,
/// smaller shapes.
///
//===----------------------------------------------------------------------===//

#include "Shrinker.h"
#include "Generator.h"
#include "Tracker.h"

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "mlir/IR/Verifier.h"
#include "support/ToolSupport.h"
#include "llvm/ADT/SetVector.h"

#include <numeric>

using namespace mlir;
using namespace mlir::tg;

static func::FuncOp getMain(ModuleOp module) {
  return module.lookupSymbol<func::FuncOp>("main");
}

static Block &getBlock(ModuleOp module) {
  return getMain(module).getBody().front();
}

static Operation *getOp(ModuleOp module, unsigned index) {
  return &*std::next(getBlock(module).begin(), index);
}

static unsigned countOps(ModuleOp module) {
  return getBlock(module).getOperations().size();
}

/// Removes unused operations.
static void removeDeadCode(func::FuncOp function) {
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(function.getBody().front())))
    if (op.use_empty() && isPure(&op) && !op.hasTrait<OpTrait::IsTerminator>())
      op.erase();
  for (unsigned i = function.getNumArguments(); i > 0; --i)
    if (function.getArgument(i - 1).use_empty())
      (void)function.eraseArgument(i - 1);
}

static void updateResultTypes(func::FuncOp function) {
  Operation *terminator = function.getBody().front().getTerminator();
  function.setType(FunctionType::get(function.getContext(),
                                     function.getArgumentTypes(),
                                     terminator->getOperandTypes()));
}

/// Sets the value of an argument.
static void setInput(func::FuncOp function, unsigned index,
                     const HostTensor &tensor) {
  function.setArgAttr(index, inputAttrName, getDenseElements(tensor));
}

/// The result of operation `index`, computed by the interpreter with the
/// variables at their maxima. For other values, the actual result may differ.
static std::optional<HostTensor> getValueOf(ModuleOp symbolic, unsigned index) {
  OwningOpRef<ModuleOp> bound = symbolic.clone();
  replaceVariablesAndInputs(*bound, [](VarAttr variable) {
    return Dim(variable.getContext(), variable.getMax());
  });
  ModuleOp module = *bound;
  func::FuncOp function = getMain(module);
  FailureOr<std::vector<HostTensor>> inputs = getInputs(function);
  if (failed(inputs))
    return std::nullopt;
  Tracker tracker;
  for (auto [argument, input] :
       llvm::zip_equal(function.getArguments(), *inputs))
    tracker.addArgument(argument, TrackedTensor(input));
  for (unsigned i = 0; i <= index; ++i)
    if (!tracker.execute(getOp(module, i)))
      return std::nullopt;
  auto type =
      cast<RankedTensorType>(getOp(symbolic, index)->getResult(0).getType());
  return getLeadingPart(tracker.get(getOp(module, index)->getResult(0)).tensor,
                        getLargestShape(type));
}

namespace {
class Shrinker {
public:
  Shrinker(ModuleOp module, StillFails stillFails, unsigned maxTries,
           bool forTiming)
      : current(module.clone()), stillFails(stillFails), triesLeft(maxTries),
        forTiming(forTiming) {}

  OwningOpRef<ModuleOp> run();

private:
  /// Applies `change` to a copy and keeps the copy if it still fails. `change`
  /// returns false if it is not applicable.
  bool attempt(llvm::function_ref<bool(ModuleOp)> change);

  bool dropResults();
  bool dropOps();
  bool bindVariables();
  bool simplifyValues();
  bool shrinkShapes();

  OwningOpRef<ModuleOp> current;
  StillFails stillFails;
  unsigned triesLeft;
  bool forTiming;
};
} // namespace

bool Shrinker::attempt(llvm::function_ref<bool(ModuleOp)> change) {
  if (triesLeft == 0)
    return false;
  OwningOpRef<ModuleOp> candidate = current->clone();
  if (!change(*candidate))
    return false;
  removeDeadCode(getMain(*candidate));
  updateResultTypes(getMain(*candidate));
  // An invalid graph is not the failure in question.
  if (failed(verify(*candidate)))
    return false;
  --triesLeft;
  if (!stillFails(*candidate))
    return false;
  current = std::move(candidate);
  return true;
}

bool Shrinker::dropResults() {
  bool changed = false;
  auto countResults = [&]() {
    return getBlock(*current).getTerminator()->getNumOperands();
  };
  // Keep a single result, then remove single results.
  for (unsigned i = 0; i < countResults() && countResults() > 1; ++i)
    changed |= attempt([&](ModuleOp module) {
      Operation *terminator = getBlock(module).getTerminator();
      terminator->setOperands(ValueRange(terminator->getOperand(i)));
      return true;
    });
  for (unsigned i = 0; i < countResults();) {
    bool dropped = attempt([&](ModuleOp module) {
      getBlock(module).getTerminator()->eraseOperand(i);
      return true;
    });
    changed |= dropped;
    i += !dropped;
  }
  return changed;
}

bool Shrinker::dropOps() {
  bool changed = false;
  for (unsigned i = countOps(*current) - 1; i > 0; --i) {
    unsigned index = i - 1;
    if (index + 1 >= countOps(*current))
      continue;
    // Only the value, as an argument.
    bool replaced = attempt([&](ModuleOp module) {
      Operation *op = getOp(module, index);
      std::optional<HostTensor> value;
      if (!forTiming)
        value = getValueOf(module, index);
      if (!value && !forTiming)
        return false;
      func::FuncOp function = getMain(module);
      unsigned position = function.getNumArguments();
      if (failed(function.insertArgument(position, op->getResult(0).getType(),
                                         {}, op->getLoc())))
        return false;
      if (value)
        setInput(function, position, *value);
      op->getResult(0).replaceAllUsesWith(function.getArgument(position));
      op->erase();
      return true;
    });
    // Or one of its operands.
    Operation *op = getOp(*current, index);
    for (unsigned k = 0; !replaced && k < op->getNumOperands(); ++k)
      replaced = attempt([&](ModuleOp module) {
        Operation *op = getOp(module, index);
        if (op->getNumResults() != 1 ||
            op->getOperand(k).getType() != op->getResult(0).getType())
          return false;
        op->getResult(0).replaceAllUsesWith(op->getOperand(k));
        op->erase();
        return true;
      });
    changed |= replaced;
  }
  return changed;
}

/// A simple value to try for all elements.
static TypedAttr getSimple(Type elementType, int64_t number) {
  if (elementType.isInteger(1))
    return BoolAttr::get(elementType.getContext(), number != 0);
  return getNumberAttr(elementType, number);
}

bool Shrinker::simplifyValues() {
  bool changed = false;
  for (unsigned i = 0; i < getMain(*current).getNumArguments(); ++i)
    for (int64_t number : {1, 0, 2}) {
      bool simplified = attempt([&](ModuleOp module) {
        func::FuncOp function = getMain(module);
        auto old =
            function.getArgAttrOfType<DenseElementsAttr>(i, inputAttrName);
        if (!old || old.getNumElements() < 2 || old.isSplat())
          return false;
        auto value = DenseElementsAttr::get(
            old.getType(), Attribute(getSimple(old.getElementType(), number)));
        function.setArgAttr(i, inputAttrName, value);
        return true;
      });
      changed |= simplified;
      if (simplified)
        break;
    }
  return changed;
}

/// Binds variables or narrows their ranges.
bool Shrinker::bindVariables() {
  bool changed = false;
  FailureOr<SmallVector<VarAttr>> variables = collectVariables(*current);
  if (failed(variables))
    return false;
  for (VarAttr variable : *variables) {
    const int64_t min = variable.getMin(), max = variable.getMax();
    auto replace = [&](auto getReplacement) {
      return attempt([&](ModuleOp module) {
        replaceVariablesAndInputs(module, [&](VarAttr other) {
          return other == variable ? Dim(getReplacement()) : Dim(other);
        });
        return true;
      });
    };
    llvm::SmallSetVector<int64_t, 8> values;
    for (int64_t value : {max, min, min + 1, std::midpoint(min, max), max - 1})
      if (value >= min && value <= max)
        values.insert(value);
    bool isDone = llvm::any_of(values, [&](int64_t value) {
      return replace([&] { return Dim(variable.getContext(), value); });
    });
    auto narrow = [&](int64_t newMin, int64_t newMax) {
      return replace([&] {
        return Dim(VarAttr::get(variable.getContext(), variable.getName(),
                                newMin, newMax));
      });
    };
    for (int64_t value : {min + 1, min + 2, std::midpoint(min, max), max - 1})
      if (!isDone && value > min && value < max)
        isDone = narrow(min, value);
    for (int64_t value : {max - 1, std::midpoint(min, max), min + 1})
      if (!isDone && value > min && value < max)
        isDone = narrow(value, max);
    changed |= isDone;
  }
  return changed;
}

bool Shrinker::shrinkShapes() {
  bool changed = false;
  // Arguments first, then results of operations.
  auto getValue = [](ModuleOp module, unsigned i) -> Value {
    func::FuncOp function = getMain(module);
    unsigned arguments = function.getNumArguments();
    if (i < arguments)
      return function.getArgument(i);
    Operation *op = getOp(module, i - arguments);
    return op->getNumResults() == 1 ? op->getResult(0) : Value();
  };
  auto countValues = [&]() {
    return getMain(*current).getNumArguments() + countOps(*current) - 1;
  };
  for (unsigned i = 0; i < countValues(); ++i) {
    for (int64_t axis = 0;; ++axis) {
      // An earlier change may have removed values.
      Value value = i < countValues() ? getValue(*current, i) : Value();
      auto type = value ? dyn_cast<RankedTensorType>(value.getType()) : nullptr;
      if (!type || axis >= type.getRank())
        break;
      int64_t size = type.getDimSize(axis);
      if (ShapedType::isDynamic(size))
        continue;
      for (int64_t smaller : {int64_t(1), int64_t(2), size / 2, size - 1}) {
        if (smaller <= 0 || smaller >= size)
          continue;
        if (attempt([&](ModuleOp module) {
              return resizeAxis(getMain(module), getValue(module, i), axis,
                                smaller);
            })) {
          changed = true;
          break;
        }
      }
    }
  }
  return changed;
}

OwningOpRef<ModuleOp> Shrinker::run() {
  // First removes dead code, unless the failure depends on it.
  attempt([](ModuleOp) { return true; });
  bool changed = true;
  while (changed && triesLeft > 0) {
    changed = dropResults();
    changed |= dropOps();
    if (forTiming)
      continue;
    changed |= bindVariables();
    changed |= shrinkShapes();
    changed |= simplifyValues();
  }
  return std::move(current);
}

OwningOpRef<ModuleOp> mlir::tg::shrink(ModuleOp module, StillFails stillFails,
                                       unsigned maxTries, bool forTiming) {
  // Suppresses diagnostics about invalid candidates.
  ScopedDiagnosticHandler quiet(module.getContext(),
                                [](Diagnostic &) { return success(); });
  return Shrinker(module, stillFails, maxTries, forTiming).run();
}
