//===- TgTest.h - operations of another dialect -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Declares the `tg_test` dialect, somebody else's as far as tg is concerned.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TEST_LIB_DIALECT_TGTEST_TGTEST_H
#define TINYGRAD_TEST_LIB_DIALECT_TGTEST_TGTEST_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/IR/TgInterfaces.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "TgTestDialect.h.inc"

#define GET_OP_CLASSES
#include "TgTestOps.h.inc"

#endif // TINYGRAD_TEST_LIB_DIALECT_TGTEST_TGTEST_H
