//===- TgDialect.cpp - registration of the tg dialect ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Registers the attributes and operations of the dialect.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tg;

#include "TinyGrad/Dialect/Tg/IR/TgDialect.cpp.inc"

void TgDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "TinyGrad/Dialect/Tg/IR/TgOps.cpp.inc"
      >();
}

Operation *TgDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                          Type type, Location loc) {
  auto typed = dyn_cast<TypedAttr>(value);
  if (!typed)
    return nullptr;
  return ConstOp::create(builder, loc, type, typed);
}
