//===- TgBufferPart.h - the memory that a buffer is -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Which bytes of which memory a buffer of a host program is, through views.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_IR_TGBUFFERPART_H
#define TINYGRAD_DIALECT_TG_IR_TGBUFFERPART_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include <optional>

namespace mlir::tg {

/// The memory that a buffer is, as far as it is known.
struct BufferPart {
  /// What it is a view of, through all views; itself if it is none.
  Value root;
  /// The bytes of the root that it consists of, the end excluded. Not known if
  /// there is a shape or an offset that is not static.
  std::optional<std::pair<int64_t, int64_t>> bytes;

  /// Whether they are known to have a byte in common.
  bool overlaps(const BufferPart &other) const {
    return bytes && other.bytes && mayOverlap(other);
  }
  /// Whether they may have a byte in common. Different roots do not.
  bool mayOverlap(const BufferPart &other) const {
    return root == other.root &&
           (!bytes || !other.bytes ||
            std::max(bytes->first, other.bytes->first) <
                std::min(bytes->second, other.bytes->second));
  }
  bool isLiteral() const { return root.getDefiningOp<LiteralOp>() != nullptr; }
  /// Empty if it is not known.
  StringRef getDevice() const;
};

BufferPart getBufferPart(Value buffer);

/// The elements of a literal as they are in memory; a bool takes one byte.
/// Emits an error for elements that are not given in the program, as a
/// resource.
FailureOr<SmallVector<char>> getBytes(LiteralOp literal);

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_IR_TGBUFFERPART_H
