//===- CheckGraph.cpp - checks before scheduling --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds tensor graphs and checks them, so that scheduling itself cannot fail.
///
//===----------------------------------------------------------------------===//

#include "CheckGraph.h"
#include "TinyGrad/Dialect/Tg/IR/TgLimits.h"
#include "TinyGrad/Dialect/Tg/IR/TgNameSizes.h"
#include "TinyGrad/Dialect/Tg/IR/TgVariables.h"
#include "TinyGrad/Dialect/Tg/Utils/CheckGraphOp.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tg;

SmallVector<func::FuncOp> mlir::tg::findGraphs(ModuleOp module) {
  SmallVector<func::FuncOp> graphs;
  for (func::FuncOp func : module.getOps<func::FuncOp>()) {
    auto isTensor = [](Type type) { return isa<TensorType>(type); };
    FunctionType type = func.getFunctionType();
    if (func.isExternal() || (llvm::none_of(type.getInputs(), isTensor) &&
                              llvm::none_of(type.getResults(), isTensor)))
      continue;
    bool hasOwn = false, hasOther = false;
    func.walk([&](Operation *op) {
      if (isa_and_nonnull<TgDialect>(op->getDialect()) ||
          isa<ElementwiseOpInterface, MovementOpInterface>(op))
        hasOwn = true;
      else if (!isa<func::FuncOp, func::ReturnOp>(op))
        hasOther = true;
    });
    if (hasOwn || !hasOther)
      graphs.push_back(func);
  }
  return graphs;
}

LogicalResult mlir::tg::checkCalls(ModuleOp module,
                                   ArrayRef<func::FuncOp> graphs) {
  // Shortcut for a single function, the most common case, which has no callers.
  if (graphs.empty() || llvm::hasSingleElement(*module.getBody()))
    return success();
  SymbolTable symbols(module);
  std::optional<SymbolTable::UseRange> uses =
      SymbolTable::getSymbolUses(&module.getBodyRegion());
  // Unregistered operations may refer to symbols in unknown ways.
  if (!uses)
    return success();
  SmallPtrSet<Operation *, 8> scheduled(llvm::from_range, graphs);
  for (SymbolTable::SymbolUse use : *uses) {
    // Other users only mention the name.
    Operation *user = use.getUser();
    if (!isa<CallOpInterface, func::ConstantOp>(user))
      continue;
    Operation *callee = symbols.lookup(use.getSymbolRef().getRootReference());
    if (!scheduled.contains(callee))
      continue;
    InFlightDiagnostic diag = user->emitOpError();
    if (auto caller = user->getParentOfType<func::FuncOp>())
      diag << "in '@" << caller.getSymName() << "' ";
    diag << "refers to '@" << cast<func::FuncOp>(callee).getSymName()
         << "', which is scheduled; calls of scheduled functions are not "
            "supported";
    diag.attachNote(callee->getLoc())
        << "scheduling turns its tensors into buffers; run --inline before, or "
           "--tg-outline, which leaves functions that call others";
    return diag;
  }
  return success();
}

/// `report` emits an error at the location of the type.
static LogicalResult
checkType(Type type, llvm::function_ref<InFlightDiagnostic()> report) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return report() << "scheduling requires ranked tensors, not " << type;
  Type element = tensor.getElementType();
  if (!isElementType(element))
    return report() << "scheduling requires element types of the dialect, "
                       "not "
                    << element;
  if (!hasDims(tensor))
    return report() << "scheduling requires the sizes of axes, not " << tensor
                    << "; replace each '?' by a number, or describe it with a "
                       "#tg.shape, such as "
                    << nameSizes(tensor);
  if (tensor.getRank() > kMaxAxes)
    return report() << "a tensor of " << tensor.getRank()
                    << " axes; there can be at most " << kMaxAxes;
  int64_t bytes = llvm::divideCeil(tensor.getElementTypeBitWidth(), 8);
  SmallVector<int64_t> shape = getLargestShape(tensor);
  for (int64_t size : shape)
    if (size != 0 && llvm::MulOverflow(bytes, size, bytes))
      return report() << "a tensor of shape " << toString(getDims(tensor))
                      << " has more bytes than fit into 63 bits";
  for (int64_t size : shape)
    if (size > kMaxRangeExtent)
      return report() << "an axis of " << size
                      << " elements is longer than 2^53";
  return success();
}

LogicalResult mlir::tg::checkGraph(Block &block) {
  if (failed(collectVariables(block.getParentOp())))
    return failure();
  for (BlockArgument argument : block.getArguments()) {
    if (!isa<RankedTensorType>(argument.getType()))
      return emitError(argument.getLoc())
             << "scheduling requires ranked tensors, not " << argument.getType()
             << "; run tg-outline before on functions that have other values, "
                "too";
    if (failed(checkType(argument.getType(),
                         [&] { return emitError(argument.getLoc()); })))
      return failure();
  }
  for (Operation &op : block.without_terminator()) {
    if (failed(checkGraphOp(op)))
      return failure();
    if (isa<BufferOp>(op))
      return op.emitOpError(
          "must become a function argument before scheduling");
    if (auto constant = dyn_cast<ConstOp>(op))
      if (isa<ElementsAttr>(constant.getValue()) &&
          !isa<DenseElementsAttr>(constant.getValue()))
        return op.emitError("scheduling takes constants of listed elements "
                            "(dense<...>) only");
    if (failed(checkType(op.getResult(0).getType(),
                         [&] { return op.emitError(); })))
      return failure();
  }
  if (!isa<func::ReturnOp>(block.getTerminator()))
    return block.getTerminator()->emitOpError("does not end a tensor graph");
  return success();
}
