//===- ComparedSums.cpp - sums that maxima are chosen from ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Which values share bits, and which depend on the order of a sum.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/Transforms/ComparedSums.h"
#include "llvm/ADT/PointerIntPair.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tg;

bool tg::dependsOnOrder(ReduceOp reduce) {
  return reduce.getKind() != ReduceKind::max &&
         isa<FloatType>(getElementTypeOrSelf(reduce.getType())) &&
         getBufferSize(reduce.getX().getType()) >
             getBufferSize(reduce.getType());
}

SmallVector<Value> tg::getCarriedOperands(Operation *op) {
  return llvm::TypeSwitch<Operation *, SmallVector<Value>>(op)
      .Case([](ReduceOp reduce) -> SmallVector<Value> {
        if (dependsOnOrder(reduce))
          return {};
        return {reduce.getX()};
      })
      .Case([](ScanOp scan) -> SmallVector<Value> {
        if (scan.getKind() != ScanKind::max)
          return {};
        return {scan.getX()};
      })
      // Elements that nothing is added to, or that are added to 0.
      .Case([](ScatterOp scatter) -> SmallVector<Value> {
        return {scatter.getBase(), scatter.getUpdates()};
      })
      .Case([](ArgsortOp) -> SmallVector<Value> { return {}; })
      .Default([](Operation *other) {
        return llvm::to_vector(other->getOperands());
      });
}

bool tg::isExtreme(Operation *op) {
  if (auto scatter = dyn_cast<ScatterOp>(op))
    return scatter.getKind() == UpdateKind::max ||
           scatter.getKind() == UpdateKind::min;
  return isa<ReduceOp, ScanOp>(op);
}

SmallVector<ReduceOp> tg::findSumsOfExtremes(Value value) {
  SmallVector<ReduceOp> sums;
  // Each operation twice: whether an extreme is between it and the value.
  using Reached = llvm::PointerIntPair<Operation *, 1, bool>;
  llvm::SmallSetVector<Reached, 16> reached;
  if (Operation *op = value.getDefiningOp())
    reached.insert(Reached(op, false));
  for (size_t i = 0; i < reached.size(); ++i) {
    Operation *op = reached[i].getPointer();
    const bool isChosen = reached[i].getInt();
    auto reduce = dyn_cast<ReduceOp>(op);
    if (reduce && dependsOnOrder(reduce)) {
      if (isChosen)
        sums.push_back(reduce);
      continue;
    }
    for (Value operand : getCarriedOperands(op))
      if (isa<FloatType>(getElementTypeOrSelf(operand)))
        if (Operation *source = operand.getDefiningOp())
          reached.insert(Reached(source, isChosen || isExtreme(op)));
  }
  return sums;
}
