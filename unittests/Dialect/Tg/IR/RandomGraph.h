//===- RandomGraph.h - random graphs and interesting values -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What the tests of folding and rewriting compute on. The graphs are small and
/// full of what rewrite rules look for: special constants, operations on their
/// own results, inverse operations, values used several times.
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

/// At most 16 numbers: zeros, ones, the ends of the range, powers of two and
/// their neighbours, infinities, NaN, denormals.
llvm::SmallVector<mlir::Attribute> getInterestingValues(mlir::Type type);

std::string debugType(mlir::Type type);

/// Whether 0.0 and -0.0 are the same result.
enum class ZeroSigns { same, different };

/// Says where two tensors differ, nothing if they do not. NaNs are equal.
std::string findDifference(const mlir::tg::HostTensor &actual,
                           const mlir::tg::HostTensor &expected,
                           ZeroSigns zeroSigns);

/// A module with a function @f over tensors of few elements. Equal seeds give
/// equal graphs.
mlir::OwningOpRef<mlir::ModuleOp> makeRandomGraph(mlir::MLIRContext *context,
                                                  unsigned seed);

/// Inputs for its arguments, of interesting values.
llvm::SmallVector<mlir::tg::HostTensor> makeRandomInputs(mlir::ModuleOp module,
                                                         unsigned seed);

#endif // TINYGRAD_UNITTESTS_DIALECT_TG_IR_RANDOMGRAPH_H
