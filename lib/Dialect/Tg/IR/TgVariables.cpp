//===- TgVariables.cpp - the variables of a program -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Collects and replaces variables.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/IR/TgVariables.h"
#include "TinyGrad/Dialect/Tg/IR/TgView.h"

using namespace mlir;
using namespace mlir::tg;

FailureOr<SmallVector<VarAttr>> mlir::tg::collectVariables(Operation *root) {
  std::map<StringRef, VarAttr> variables;
  Operation *current = nullptr;
  bool isValid = true;
  AttrTypeWalker walker;
  walker.addWalk([&](VarAttr var) {
    if (var.getValue()) {
      current->emitError() << "variable '" << var.getName().getValue()
                           << "' is bound to " << *var.getValue()
                           << "; a program receives values when it runs";
      isValid = false;
      return WalkResult::interrupt();
    }
    VarAttr known =
        variables.try_emplace(var.getName().getValue(), var).first->second;
    if (known == var)
      return WalkResult::advance();
    current->emitError() << "variable '" << var.getName().getValue()
                         << "' has the bounds [" << var.getMin() << ", "
                         << var.getMax() << "] here and [" << known.getMin()
                         << ", " << known.getMax() << "] elsewhere";
    isValid = false;
    return WalkResult::interrupt();
  });
  root->walk([&](Operation *op) {
    current = op;
    if (walker.walk(op->getAttrDictionary()).wasInterrupted())
      return WalkResult::interrupt();
    for (Type type : op->getResultTypes())
      if (walker.walk(type).wasInterrupted())
        return WalkResult::interrupt();
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          if (walker.walk(argument.getType()).wasInterrupted())
            return WalkResult::interrupt();
    return WalkResult::advance();
  });
  if (!isValid)
    return failure();
  return llvm::map_to_vector(variables,
                             [](const auto &entry) { return entry.second; });
}

FailureOr<SmallVector<VarAttr>>
mlir::tg::collectHostVariables(Operation *host, const SymbolTable &kernels) {
  FailureOr<SmallVector<VarAttr>> variables = collectVariables(host);
  if (failed(variables))
    return failure();
  const WalkResult walked = host->walk([&](LaunchOp launch) {
    auto kernel = kernels.lookup<KernelOp>(launch.getKernel());
    if (!kernel)
      return WalkResult::advance();
    FailureOr<SmallVector<VarAttr>> used = collectVariables(kernel);
    if (failed(used))
      return WalkResult::interrupt();
    ArrayRef<Attribute> numbers;
    if (ArrayAttr list = kernel.getNumbersAttr())
      numbers = list.getValue();
    for (VarAttr variable : *used)
      if (!llvm::is_contained(numbers, variable) &&
          !llvm::is_contained(*variables, variable))
        variables->push_back(variable);
    return WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return failure();
  llvm::sort(*variables, [](VarAttr a, VarAttr b) {
    return a.getName().getValue() < b.getName().getValue();
  });
  return variables;
}

AttrTypeReplacer
mlir::tg::getVariableReplacer(std::function<Dim(VarAttr)> getValue) {
  AttrTypeReplacer replacer;
  replacer.addReplacement(
      [getValue](
          Attribute attr) -> std::optional<std::pair<Attribute, WalkResult>> {
        if (!isa<VarAttr, DimExprAttr>(attr))
          return std::nullopt;
        return std::make_pair(Dim(attr).substitute(getValue).getAttr(),
                              WalkResult::skip());
      });
  // Rebuilds views, which have a normal form of their own.
  replacer.addReplacement(
      [getValue](
          ViewAttr attr) -> std::optional<std::pair<Attribute, WalkResult>> {
        View view(attr);
        view.substitute(getValue);
        return std::make_pair(Attribute(view.getAttr()), WalkResult::skip());
      });
  replacer.addReplacement([getValue](RankedTensorType type)
                              -> std::optional<std::pair<Type, WalkResult>> {
    if (!isa_and_nonnull<ShapeAttr>(type.getEncoding()))
      return std::nullopt;
    SmallVector<Dim> dims = getDims(type);
    for (Dim &dim : dims)
      dim = dim.substitute(getValue);
    return std::make_pair(Type(getTensorType(dims, type.getElementType())),
                          WalkResult::skip());
  });
  return replacer;
}

void mlir::tg::replaceVariables(Operation *root,
                                std::function<Dim(VarAttr)> getValue) {
  AttrTypeReplacer replacer = getVariableReplacer(std::move(getValue));
  replacer.recursivelyReplaceElementsIn(root, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
}

void mlir::tg::bindVariables(Operation *root,
                             const llvm::StringMap<int64_t> &values) {
  replaceVariables(root, [&](VarAttr var) {
    auto it = values.find(var.getName().getValue());
    return it == values.end() ? Dim(var) : Dim(var.getContext(), it->second);
  });
}

void mlir::tg::eraseBindings(Operation *root) {
  replaceVariables(root, [](VarAttr var) {
    return Dim(VarAttr::get(var.getContext(), var.getName(), var.getMin(),
                            var.getMax()));
  });
}
