//===- TgLaunchedElements.h - memory that launches pass ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// How many elements the buffers of a kernel have in the launches of its
/// module: what proofs of accesses hold them against. It is written down on the
/// kernel's arguments where kernels become functions and launches go.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_IR_TGLAUNCHEDELEMENTS_H
#define TINYGRAD_DIALECT_TG_IR_TGLAUNCHEDELEMENTS_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringMap.h"
#include <string>
#include <utility>

namespace mlir::tg {

/// On an argument of a kernel, or of the function that is made of it: a list of
/// what the buffer has in launches, each a dimension over the program's
/// variables or, if the launch gives variables of the kernel a number,
/// `[dimension, [variable, number]...]`. Without it, as many as its type says.
inline constexpr llvm::StringLiteral launchedElementsAttrName =
    "tg.launched_elements";

/// How many elements a buffer has in some launches of a kernel.
struct LaunchedElements {
  Dim elements;
  /// The values of the kernel's own variables in these launches; none if the
  /// number of elements does not depend on variables.
  SmallVector<std::pair<VarAttr, int64_t>> numbers = {};

  bool operator==(const LaunchedElements &other) const {
    return elements == other.elements && numbers == other.numbers;
  }
  Attribute getAttr() const;
  /// The number of elements, for messages.
  std::string str() const;
};

/// What is wrong with the value of the attribute on an argument of this type;
/// empty if nothing is.
std::string findLaunchedElementsFault(Attribute attr, Type type);

/// The elements of an argument that its attribute says, or its type.
SmallVector<LaunchedElements> getLaunchedElements(BlockArgument argument);

/// The elements that the launches of a module pass, by kernel.
class ModuleLaunches {
public:
  explicit ModuleLaunches(ModuleOp module);

  /// The elements that an argument of a kernel may have: those in all launches;
  /// of a kernel that is not launched, what getLaunchedElements() says.
  SmallVector<LaunchedElements> get(BlockArgument argument) const;
  /// Writes them on the arguments of the kernels in the module, where they are
  /// not what the type says.
  void note(ModuleOp module) const;

private:
  llvm::StringMap<SmallVector<SmallVector<LaunchedElements, 1>>> kernels;
};

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_IR_TGLAUNCHEDELEMENTS_H
