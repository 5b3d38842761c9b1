//===- RandomGraph.h - random graphs and special values ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Inputs for the tests of folding and rewriting. The graphs are small and
/// contain many matches of rewrite rules: special constants, repeated
/// operations, inverse operations, values with several uses.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_UNITTESTS_DIALECT_TG_IR_RANDOMGRAPH_H
#define TINYGRAD_UNITTESTS_DIALECT_TG_IR_RANDOMGRAPH_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Interpreter/Interpreter.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <string>

llvm::SmallVector<mlir::Type> getFloatTypes(mlir::MLIRContext *context);
llvm::SmallVector<mlir::Type> getIntegerTypes(mlir::MLIRContext *context);
llvm::SmallVector<mlir::Type> getFp8Types(mlir::MLIRContext *context);

/// At most 16 values: zeros, ones, limits of the type, powers of two and their
/// neighbors, infinities, NaN, subnormals.
llvm::SmallVector<mlir::Attribute> getInterestingValues(mlir::Type type);

std::string debugType(mlir::Type type);

/// Whether 0.0 and -0.0 are considered equal results.
enum class ZeroSigns { same, different };

/// Describes the first difference of two tensors; empty if there is none. NaNs
/// are equal.
std::string findDifference(const mlir::tg::HostTensor &actual,
                           const mlir::tg::HostTensor &expected,
                           ZeroSigns zeroSigns);

/// A module with a function @f over small tensors. Equal seeds give equal
/// graphs.
mlir::OwningOpRef<mlir::ModuleOp> makeRandomGraph(mlir::MLIRContext *context,
                                                  unsigned seed);

/// Inputs for its arguments, made of special values.
llvm::SmallVector<mlir::tg::HostTensor> makeRandomInputs(mlir::ModuleOp module,
                                                         unsigned seed);

#endif // TINYGRAD_UNITTESTS_DIALECT_TG_IR_RANDOMGRAPH_H
