//===- Derivatives.h - gradients of random graphs ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Gradient programs of random graphs, and checks of the derivatives
/// themselves.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TOOLS_TGFUZZ_DERIVATIVES_H
#define TINYGRAD_TOOLS_TGFUZZ_DERIVATIVES_H

#include "Checks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::tg {

/// An i64 attribute of the function @main of a graph whose derivatives are
/// checked: the seed of the cotangents and directions.
inline constexpr llvm::StringLiteral derivativesAttrName = "check_derivatives";

/// The seed of a graph whose derivatives are checked; none for other graphs.
std::optional<uint64_t> getDerivativesSeed(ModuleOp module);

/// The program that computes, instead of the results of a graph with
/// `derivativesAttrName`, the gradients by its float arguments: of the sum of
/// its float results, or of one of them with a cotangent that is a further
/// argument. No gradient flows through operations without a derivative. Null if
/// no result depends on an argument. Reports an operation whose rule fails.
FailureOr<OwningOpRef<ModuleOp>> makeGradientProgram(ModuleOp module);

/// Checks the derivatives of a graph with `derivativesAttrName` in the
/// interpreter, for some values of its variables:
///
/// - The tangent along v times the cotangent u is the gradient for u times v
///   (`linearize` and `differentiate`).
/// - If all floats are f64, gradients times directions are central differences,
///   wherever these show that the function is smooth.
///
/// Returns Useless if nothing could be compared.
Outcome checkDerivatives(ModuleOp module, const CheckOptions &options,
                         std::string &message);

} // namespace mlir::tg

#endif // TINYGRAD_TOOLS_TGFUZZ_DERIVATIVES_H
