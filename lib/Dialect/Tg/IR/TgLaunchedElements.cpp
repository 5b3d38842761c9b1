//===- TgLaunchedElements.cpp - memory that launches pass -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Collects the sizes of buffers from launches, and keeps them as attributes.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/IR/TgLaunchedElements.h"
#include "TinyGrad/Dialect/Tg/IR/TgBufferElements.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tg;

//===----------------------------------------------------------------------===//
// The attribute
//===----------------------------------------------------------------------===//

Attribute LaunchedElements::getAttr() const {
  if (numbers.empty())
    return elements.getAttr();
  MLIRContext *context = elements.getAttr().getContext();
  SmallVector<Attribute> entries = {elements.getAttr()};
  for (auto [variable, number] : numbers)
    entries.push_back(ArrayAttr::get(
        context,
        {variable, IntegerAttr::get(IntegerType::get(context, 64), number)}));
  return ArrayAttr::get(context, entries);
}

std::string LaunchedElements::str() const {
  // An operator is in parentheses.
  const std::string text = elements.str();
  StringRef inner = text;
  if (inner.consume_front("("))
    inner.consume_back(")");
  return inner.str();
}

/// The entry of a list; none if it is not one.
static std::optional<LaunchedElements> parseEntry(Attribute attr) {
  if (Dim::isDim(attr))
    return LaunchedElements{Dim(attr)};
  auto list = dyn_cast<ArrayAttr>(attr);
  if (!list || list.size() < 2 || !Dim::isDim(list[0]))
    return std::nullopt;
  LaunchedElements result{Dim(list[0])};
  for (Attribute entry : list.getValue().drop_front()) {
    auto pair = dyn_cast<ArrayAttr>(entry);
    auto variable =
        pair && pair.size() == 2 ? dyn_cast<VarAttr>(pair[0]) : VarAttr();
    auto number = variable ? dyn_cast<IntegerAttr>(pair[1]) : IntegerAttr();
    if (!number || !number.getType().isSignlessInteger(64))
      return std::nullopt;
    result.numbers.emplace_back(variable, number.getInt());
  }
  return result;
}

std::string tg::findLaunchedElementsFault(Attribute attr, Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto buffer = dyn_cast<MemRefType>(type);
  auto list = dyn_cast<ArrayAttr>(attr);
  if (!buffer || !buffer.hasStaticShape()) {
    os << "is an attribute of buffers of static shape";
    return text;
  }
  if (!list || list.empty()) {
    os << "is " << attr << ", not a list of sizes";
    return text;
  }
  for (Attribute entry : list) {
    const std::optional<LaunchedElements> launched = parseEntry(entry);
    if (!launched) {
      os << "has the entry " << entry
         << ", which is neither a dimension nor a list of one and of variables "
            "with numbers";
      return text;
    }
    const int64_t least = launched->elements.getMin(),
                  most = launched->elements.getMax();
    if (least < 0 || most > buffer.getNumElements()) {
      os << "has a size from " << least << " to " << most
         << ", not a part of the " << buffer.getNumElements() << " elements of "
         << type;
      return text;
    }
  }
  return text;
}

SmallVector<LaunchedElements> tg::getLaunchedElements(BlockArgument argument) {
  SmallVector<LaunchedElements> result;
  if (auto func =
          dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
      func && argument.getArgNumber() < func.getNumArguments())
    if (auto list = func.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(),
                                                     launchedElementsAttrName))
      for (Attribute entry : list)
        if (std::optional<LaunchedElements> launched = parseEntry(entry))
          result.push_back(std::move(*launched));
  if (result.empty())
    result.push_back(
        {Dim(argument.getContext(),
             cast<MemRefType>(argument.getType()).getNumElements())});
  return result;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

ModuleLaunches::ModuleLaunches(ModuleOp module) {
  const SymbolTable symbols(module);
  module.walk([&](LaunchOp launch) {
    SmallVector<SmallVector<LaunchedElements, 1>> &known =
        kernels[launch.getKernel()];
    known.resize(launch.getBuffers().size());
    auto kernel = symbols.lookup<KernelOp>(launch.getKernel());
    const ArrayAttr variables = kernel ? kernel.getNumbersAttr() : ArrayAttr();
    for (auto [list, buffer] : llvm::zip_equal(known, launch.getBuffers())) {
      const auto type = cast<MemRefType>(buffer.getType());
      if (!type.hasStaticShape())
        continue;
      const auto bytes = static_cast<int64_t>(
          llvm::divideCeil(type.getElementTypeBitWidth(), 8));
      LaunchedElements size{Dim::get(DimOpKind::floordiv,
                                     getAvailableBytes(buffer),
                                     Dim(launch.getContext(), bytes))};
      if (variables && !size.elements.isStatic())
        for (auto [variable, number] :
             llvm::zip_equal(variables.getAsRange<VarAttr>(),
                             launch.getNumbers().value_or(ArrayRef<int64_t>())))
          size.numbers.emplace_back(variable, number);
      if (!llvm::is_contained(list, size))
        list.push_back(std::move(size));
    }
  });
}

SmallVector<LaunchedElements>
ModuleLaunches::get(BlockArgument argument) const {
  auto kernel = cast<KernelOp>(argument.getOwner()->getParentOp());
  auto known = kernels.find(kernel.getSymName());
  if (known != kernels.end() &&
      argument.getArgNumber() < known->second.size() &&
      !known->second[argument.getArgNumber()].empty())
    return llvm::to_vector(known->second[argument.getArgNumber()]);
  return getLaunchedElements(argument);
}

void ModuleLaunches::note(ModuleOp module) const {
  for (KernelOp kernel : module.getOps<KernelOp>()) {
    if (!kernels.contains(kernel.getSymName()))
      continue;
    for (BlockArgument argument : kernel.getBody().front().getArguments()) {
      const auto type = dyn_cast<MemRefType>(argument.getType());
      if (!type || !type.hasStaticShape())
        continue;
      SmallVector<Attribute> entries;
      bool isLess = false;
      for (const LaunchedElements &launched : get(argument)) {
        isLess |= !launched.elements.is(type.getNumElements());
        entries.push_back(launched.getAttr());
      }
      if (isLess)
        kernel.setArgAttr(argument.getArgNumber(), launchedElementsAttrName,
                          ArrayAttr::get(module.getContext(), entries));
    }
  }
}
