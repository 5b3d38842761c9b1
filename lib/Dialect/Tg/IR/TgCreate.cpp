//===- TgCreate.cpp - operations created with checks ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Infers the types of operations and verifies them before others see them.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/IR/TgCreate.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace mlir::tg;

LogicalResult tg::detail::checkRegistered(OperationState &state) {
  if (state.name.isRegistered())
    return success();
  return emitError(state.location)
         << "'" << state.name
         << "' cannot be created: its dialect is not loaded";
}

FailureOr<Operation *> tg::detail::createChecked(OpBuilder &builder,
                                                 OperationState &state,
                                                 bool infers) {
  if (infers) {
    state.types.clear();
    const auto *interface = state.name.getInterface<InferTypeOpInterface>();
    if (failed(interface->inferReturnTypes(
            builder.getContext(), state.location, state.operands,
            state.attributes.getDictionary(builder.getContext()),
            state.getRawProperties(), state.regions, state.types)))
      return failure();
  }
  return insertChecked(builder, Operation::create(state));
}

FailureOr<Operation *> tg::detail::insertChecked(OpBuilder &builder,
                                                 Operation *op) {
  // Its verifier may look at what it is in.
  Block *block = builder.getInsertionBlock();
  if (block)
    block->getOperations().insert(builder.getInsertionPoint(), op);
  if (failed(verify(op))) {
    op->erase();
    return failure();
  }
  if (OpBuilder::Listener *listener = builder.getListener(); listener && block)
    listener->notifyOperationInserted(op, /*previous=*/{});
  return op;
}
