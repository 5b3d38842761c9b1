//===- DifferentiatedFunction.cpp - functions to differentiate ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Chooses the function, arguments and results that passes differentiate.
///
//===----------------------------------------------------------------------===//

#include "DifferentiatedFunction.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/IR/TgDevice.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::tg;

static bool isTensorOfFloats(Type type) {
  return isa<RankedTensorType>(type) &&
         isa<FloatType>(getElementTypeOrSelf(type));
}

/// Buffers are what remains of tensors after scheduling.
static StringRef explainBuffers(TypeRange types) {
  return llvm::any_of(types, llvm::IsaPred<BaseMemRefType>)
             ? "; differentiate before tensors are scheduled to buffers"
             : "";
}

/// The numbers chosen among `types`, or those of all tensors of floats if none
/// are.
static FailureOr<SmallVector<unsigned>> choose(func::FuncOp function,
                                               StringRef what, TypeRange types,
                                               ArrayRef<unsigned> chosen) {
  SmallVector<unsigned> numbers(chosen);
  for (unsigned number : numbers)
    if (number >= types.size())
      return function.emitOpError("has no ")
             << what << " " << number << "; there are " << types.size();
    else if (!isa<RankedTensorType>(types[number]))
      return function.emitOpError("has the ")
             << what << " " << number << " of type " << types[number]
             << ", which is no tensor" << explainBuffers(types[number]);
  if (chosen.empty())
    for (auto [i, type] : llvm::enumerate(types))
      if (isTensorOfFloats(type))
        numbers.push_back(i);
  if (numbers.empty())
    return function.emitOpError("has no ")
           << what << " that is a tensor of floats"
           << explainBuffers(function.getArgumentTypes());
  return numbers;
}

FailureOr<DifferentiatedFunction>
DifferentiatedFunction::find(ModuleOp module, StringRef entry, StringRef result,
                             ArrayRef<unsigned> wrt, ArrayRef<unsigned> of,
                             bool onlyFirst) {
  auto function = module.lookupSymbol<func::FuncOp>(entry);
  if (!function)
    return module.emitOpError("has no function '") << entry << "'";
  if (!function.getBody().hasOneBlock() ||
      !isa<func::ReturnOp>(function.getBody().front().getTerminator()))
    return function.emitOpError("is not one block that ends with 'return'");
  if (!result.empty() && result != entry && module.lookupSymbol(result))
    return module.emitOpError("already has a symbol '") << result << "'";
  DifferentiatedFunction found;
  FailureOr<SmallVector<unsigned>> arguments =
      choose(function, "argument", function.getArgumentTypes(), wrt);
  if (failed(arguments))
    return failure();
  FailureOr<SmallVector<unsigned>> results =
      choose(function, "result", function.getResultTypes(), of);
  if (failed(results))
    return failure();
  found.wrt = *arguments;
  found.of = *results;
  if (onlyFirst && of.empty())
    found.of.resize(1);
  if (!result.empty() && result != entry) {
    function = function.clone();
    function.setName(result);
    module.push_back(function);
  }
  found.function = function;
  return found;
}

SmallVector<Value> DifferentiatedFunction::getWrt() const {
  return llvm::map_to_vector(wrt, [&](unsigned i) -> Value {
    return func::FuncOp(function).getArgument(i);
  });
}

SmallVector<Value> DifferentiatedFunction::getOf() const {
  return llvm::map_to_vector(
      of, [&](unsigned i) { return getReturn()->getOperand(i); });
}

Value DifferentiatedFunction::addArgument(Value value) {
  const unsigned number = function.getNumArguments();
  NamedAttrList attributes;
  if (StringAttr device = findDevice(value))
    attributes.set(deviceAttrName, device);
  // Cannot fail: the arguments of a func.func have any type.
  (void)function.insertArgument(number, value.getType(),
                                attributes.getDictionary(value.getContext()),
                                value.getLoc());
  return function.getArgument(number);
}

void DifferentiatedFunction::setResults(ValueRange results) {
  Operation *end = getReturn();
  end->setOperands(results);
  // Attributes of results that are gone would be invalid.
  while (function.getNumResults() > results.size())
    (void)function.eraseResult(function.getNumResults() - 1);
  for (unsigned i = function.getNumResults(); i < results.size(); ++i)
    (void)function.insertResult(i, results[i].getType(), {});
  function.setFunctionType(FunctionType::get(
      function.getContext(), function.getArgumentTypes(), results.getTypes()));
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(function.getBody().front())))
    if (isOpTriviallyDead(&op))
      op.erase();
}
