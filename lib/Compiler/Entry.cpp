//===- Entry.cpp - the function that is compiled --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds the function, its arguments, results and variables, and what is wrong
/// with them.
///
//===----------------------------------------------------------------------===//

#include "Entry.h"
#include "TinyGrad/Compiler/Expressions.h"
#include "TinyGrad/Dialect/Tg/IR/TgBufferElements.h"
#include "TinyGrad/Dialect/Tg/IR/TgNameSizes.h"
#include "TinyGrad/Dialect/Tg/IR/TgVariables.h"
#include "TinyGrad/Dialect/Tg/Utils/ModuleLevel.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace tinygrad;

bool tinygrad::detail::isHostProgram(func::FuncOp entry) {
  auto isBuffer = [](Type type) {
    auto buffer = dyn_cast<MemRefType>(type);
    return buffer && buffer.hasStaticShape() && tg::isBufferType(buffer);
  };
  FunctionType type = entry.getFunctionType();
  return type.getNumInputs() + type.getNumResults() > 0 &&
         llvm::all_of(type.getInputs(), isBuffer) &&
         llvm::all_of(type.getResults(), isBuffer);
}

/// Describes the arguments or results of the function, with an error at the
/// location of one that no buffer can hold.
static FailureOr<std::vector<TensorInfo>>
describe(func::FuncOp entry, TypeRange types, ArrayRef<tg::VarAttr> variables,
         function_ref<Location(unsigned)> getLocation,
         function_ref<Attribute(unsigned)> getElements) {
  std::vector<TensorInfo> infos;
  for (auto [i, type] : llvm::enumerate(types)) {
    if (tinygrad::detail::isHostProgram(entry)) {
      auto buffer = cast<MemRefType>(type);
      const Expression all(buffer.getNumElements());
      const Attribute elements = getElements(i);
      infos.push_back(
          {getDType(buffer.getElementType()),
           {buffer.getNumElements()},
           {all},
           elements ? getExpression(tg::Dim(elements), variables) : all});
      continue;
    }
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor) {
      InFlightDiagnostic error = emitError(getLocation(i));
      error << "the function's arguments and results must be ranked tensors, "
               "not "
            << type;
      if (isa<MemRefType>(type))
        error << "; those of a host program (level 2 or 3) are all flat "
                 "buffers of static size";
      return error;
    }
    if (!tg::isElementType(tensor.getElementType()))
      return emitError(getLocation(i))
             << "the element type of " << type << " is none of the dialect";
    if (!tg::hasDims(tensor))
      return emitError(getLocation(i))
             << "the function's arguments and results must be of static shape, "
                "or with a #tg.shape, not "
             << type << "; describe its sizes, such as "
             << tg::nameSizes(tensor);
    TensorInfo info{getDType(tensor.getElementType()),
                    ArrayRef<int64_t>(tg::getLargestShape(tensor)),
                    {},
                    getExpression(tg::getNeededElements(tensor), variables)};
    for (tg::Dim dim : tg::getDims(tensor))
      info.sizes.push_back(getExpression(dim, variables));
    infos.push_back(std::move(info));
  }
  return infos;
}

/// The variables of a tensor graph or a host program.
static FailureOr<SmallVector<tg::VarAttr>> findVariables(func::FuncOp entry) {
  FailureOr<SmallVector<tg::VarAttr>> variables = tg::collectHostVariables(
      entry, SymbolTable(entry->getParentOfType<ModuleOp>()));
  if (failed(variables))
    return failure();
  for (auto [a, b] : llvm::zip(*variables, llvm::drop_begin(*variables)))
    if (a.getName() == b.getName())
      return emitError(entry.getLoc())
             << "variable '" << a.getName().getValue() << "' has the bounds ["
             << a.getMin() << ", " << a.getMax() << "] and [" << b.getMin()
             << ", " << b.getMax() << "] in the kernels of '@"
             << entry.getSymName() << "'";
  return variables;
}

FailureOr<tinygrad::detail::Entry>
tinygrad::detail::describeEntry(ModuleOp module,
                                const CompileOptions &options) {
  if (options.verifyInput && failed(verify(module)))
    return failure();
  auto entry = module.lookupSymbol<func::FuncOp>(options.entry);
  if (!entry)
    return emitError(module.getLoc())
           << "the module has no function '" << options.entry << "'";
  if (entry.isExternal())
    return emitError(entry.getLoc())
           << "the function '" << options.entry << "' has no body";
  if (std::optional<tg::LevelRange> levels = tg::getLevels(entry);
      levels && levels->first == tg::ModuleLevel::Functions)
    return tg::emitLevelError(
        entry, *levels,
        {tg::ModuleLevel::TensorGraph, tg::ModuleLevel::ScheduledKernels});
  FailureOr<SmallVector<tg::VarAttr>> variables = findVariables(entry);
  if (failed(variables))
    return failure();
  FailureOr<std::vector<TensorInfo>> arguments = describe(
      entry, entry.getArgumentTypes(), *variables,
      [&](unsigned i) { return entry.getArgument(i).getLoc(); },
      [&](unsigned i) { return entry.getArgAttr(i, tg::elementsAttrName); });
  if (failed(arguments))
    return failure();
  FailureOr<std::vector<TensorInfo>> results = describe(
      entry, entry.getResultTypes(), *variables,
      [&](unsigned) { return entry.getLoc(); },
      [&](unsigned i) { return entry.getResultAttr(i, tg::elementsAttrName); });
  if (failed(results))
    return failure();
  return Entry{std::move(*arguments), std::move(*results),
               std::move(*variables), isHostProgram(entry)};
}
