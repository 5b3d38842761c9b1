//===- MatrixUnits.h - matrix operations to LLVM's dialect ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Patterns for the matrix operations that upstream's do not cover.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_CONVERSION_GPUTOLLVM_MATRIXUNITS_H
#define TINYGRAD_LIB_CONVERSION_GPUTOLLVM_MATRIXUNITS_H

namespace mlir {
class LLVMTypeConverter;
class RewritePatternSet;

namespace tg {

/// Lowers `nvgpu.mma.sync` of bf16, which upstream's pattern rejects, and of
/// i8, whose sums it saturates instead of wrapping around.
void populateMatrixUnitPatterns(const LLVMTypeConverter &converter,
                                RewritePatternSet &patterns);

} // namespace tg
} // namespace mlir

#endif // TINYGRAD_LIB_CONVERSION_GPUTOLLVM_MATRIXUNITS_H
