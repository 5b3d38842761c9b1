//===- GraphModule.h - modules of tensors -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The level-1 module that realizing tensors would compile, with the contents
/// of its inputs, and the values that the reference interpreter gives it.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TOOLS_TGFUZZ_PROGRAMS_GRAPHMODULE_H
#define TINYGRAD_TOOLS_TGFUZZ_PROGRAMS_GRAPHMODULE_H

#include "TinyGrad/Tensor/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringMap.h"

#include <optional>
#include <vector>

namespace tinygrad::fuzz {

/// A module whose arguments have `tg.input` values.
struct GraphModule {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// The number of the result for each tensor; -1 for one that is not computed:
  /// an input.
  std::vector<int64_t> results;
  /// The number of the argument for each input; -1 for one that is not read.
  std::vector<int64_t> arguments;
  /// What its variables are bound to.
  llvm::StringMap<int64_t> variables;
};

/// With \p keepsProducts, products that other tensors refer to are results as
/// well, as when they are realized.
GraphModule makeModule(const std::vector<Tensor> &tensors,
                       const std::vector<Tensor> &inputs, bool keepsProducts);

/// Whether \p other is one of the values that \p tensor is computed from, or
/// the same.
bool dependsOn(const Tensor &tensor, const Tensor &other);

/// Whether a tensor is computed from constants alone.
bool isConstant(const Tensor &tensor);

/// The elements of a tensor, by the interpreter; none if that fails.
std::optional<std::vector<double>> getElements(const Tensor &tensor);

/// The smallest and the largest element.
struct Extremes {
  double low = 0, high = 0;
  bool isFinite = true;
};

/// In the interpreter. The tensor has at least one element.
Extremes findExtremes(const Tensor &tensor);

} // namespace tinygrad::fuzz

#endif // TINYGRAD_TOOLS_TGFUZZ_PROGRAMS_GRAPHMODULE_H
