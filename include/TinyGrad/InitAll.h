//===- InitAll.h - registers all of TinyGrad --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What an `opt`-like tool or an embedding compiler calls to get the dialect
/// and the passes of this project. It registers nothing of upstream MLIR apart
/// from the dialects that the passes themselves produce, which they load.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_INITALL_H
#define TINYGRAD_INITALL_H

namespace mlir {
class DialectRegistry;

namespace tg {

/// Adds the dialects of this project to `registry`.
void registerAllDialects(DialectRegistry &registry);

/// Registers all passes and pass pipelines of this project, once per process.
void registerAllPasses();

} // namespace tg
} // namespace mlir

#endif // TINYGRAD_INITALL_H
