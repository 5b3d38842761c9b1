//===- TgBufferElements.h - memory that tensors need ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// How many elements the memory of a tensor must have when a program runs, and
/// what a kernel may rely on. This is the contract with callers of programs:
/// everything that checks sizes, copies memory, or reads without a mask asks
/// here.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_IR_TGBUFFERELEMENTS_H
#define TINYGRAD_DIALECT_TG_IR_TGBUFFERELEMENTS_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"

namespace mlir::tg {

/// On arguments and results of a host program: how many elements the buffer has
/// at least when the program runs, a dimension over the program's variables.
/// Without it, as many as its type says.
inline constexpr llvm::StringLiteral elementsAttrName = "tg.elements";
/// On an argument of a kernel, or of the function that is made of it: how many
/// elements (i64) the buffer has in every launch, from its beginning on.
/// Without it, as many as its type says.
inline constexpr llvm::StringLiteral leastElementsAttrName =
    "tg.least_elements";

/// How many elements the memory of an argument or a result needs. If no size
/// but the first one that is not 1 is symbolic, the elements are contiguous
/// whatever the sizes, and it needs as many as the tensor has. Otherwise rows
/// lie apart as in the largest shape, and it needs as many as that one has.
Dim getNeededElements(RankedTensorType type);

/// How many elements of an argument a kernel may read whatever the sizes are; 0
/// if that is not known.
int64_t getLeastElements(KernelOp kernel, unsigned argument);

/// How many bytes of a buffer of a host program there are when it runs, from
/// the beginning of the buffer on: through views, and no more than its type
/// says. Never negative.
Dim getAvailableBytes(Value buffer);

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_IR_TGBUFFERELEMENTS_H
