//===- OperationSet.h - equal operations found ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds equal operations, as CSE does.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_OPERATIONSET_H
#define TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_OPERATIONSET_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::tg {

/// Operations are equal by name, attributes and operands, whatever their
/// locations.
struct SameOperation : DenseMapInfo<Operation *> {
  static unsigned getHashValue(const Operation *op) {
    // Faster than OperationEquivalence::computeHash.
    auto *key = const_cast<Operation *>(op);
    size_t hash = llvm::hash_combine(key->getName(), key->hashProperties());
    for (Value operand : key->getOperands()) // commutative
      hash += DenseMapInfo<Value>::getHashValue(operand);
    return static_cast<unsigned>(hash);
  }
  static bool isEqual(const Operation *a, const Operation *b) {
    if (a == b)
      return true;
    if (a == getTombstoneKey() || a == getEmptyKey() ||
        b == getTombstoneKey() || b == getEmptyKey())
      return false;
    return OperationEquivalence::isEquivalentTo(
        const_cast<Operation *>(a), const_cast<Operation *>(b),
        OperationEquivalence::IgnoreLocations);
  }
};
using OperationSet = DenseSet<Operation *, SameOperation>;

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_OPERATIONSET_H
