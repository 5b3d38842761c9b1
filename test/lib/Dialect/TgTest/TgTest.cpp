//===- TgTest.cpp - operations of another dialect -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What the author of a dialect writes for its operations to be scheduled.
///
//===----------------------------------------------------------------------===//

#include "TgTest.h"
#include "TinyGrad/Dialect/Tg/IR/TgConstantFold.h"
#include "TinyGrad/Dialect/Tg/IR/TgDim.h"
#include "TinyGrad/Dialect/Tg/IR/TgView.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tgtest;

#include "TgTestDialect.cpp.inc"

#define GET_OP_CLASSES
#include "TgTestOps.cpp.inc"

void TgTestDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "TgTestOps.cpp.inc"
      >();
}

Operation *TgTestDialect::materializeConstant(OpBuilder &builder,
                                              Attribute value, Type type,
                                              Location loc) {
  return tg::ConstOp::create(builder, loc, type, cast<TypedAttr>(value));
}

/// A number in the type of `like`.
static Value getNumber(OpBuilder &builder, Value like, double value) {
  Type type = like.getType();
  return tg::ConstOp::create(
      builder, like.getLoc(), type,
      tg::getNumberAttr(getElementTypeOrSelf(type), value));
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

int64_t SoftsignOp::getWork() { return 7; }

Value SoftsignOp::compose(OpBuilder &builder, ValueRange operands) {
  Location loc = getLoc();
  Value x = operands[0];
  Value magnitude =
      tg::MaxOp::create(builder, loc, x, tg::NegOp::create(builder, loc, x));
  Value divisor =
      tg::AddOp::create(builder, loc, magnitude, getNumber(builder, x, 1.0));
  return tg::FDivOp::create(builder, loc, x, divisor);
}

OpFoldResult SoftsignOp::fold(FoldAdaptor adaptor) {
  return tg::foldElementwise(*this, adaptor.getOperands());
}

int64_t ClampOp::getWork() { return 2; }

int64_t ClampOp::getRegisters() { return 3; }

Value ClampOp::compose(OpBuilder &builder, ValueRange operands) {
  Location loc = getLoc();
  Value x = operands[0];
  Value low = getNumber(builder, x, getLow().convertToDouble());
  Value high = getNumber(builder, x, getHigh().convertToDouble());
  Value above = tg::MaxOp::create(builder, loc, x, low);
  Value isLess = tg::CmpLtOp::create(builder, loc, above, high);
  return tg::WhereOp::create(builder, loc, x.getType(), isLess, above, high);
}

int64_t SwishOp::getWork() { return 20; }

int64_t SwishOp::getRegisters() { return 16; }

bool SwishOp::isTranscendental() { return true; }

/// x * softsign(exp(x)) with exp(x) at most e^20: composed of what is composed
/// itself.
Value SwishOp::compose(OpBuilder &builder, ValueRange operands) {
  Location loc = getLoc();
  Value x = operands[0];
  Value clamped = ClampOp::create(builder, loc, x.getType(), x,
                                  builder.getF64FloatAttr(-20.0),
                                  builder.getF64FloatAttr(20.0));
  Value grown = tg::ExpOp::create(builder, loc, clamped);
  Value share = SoftsignOp::create(builder, loc, grown.getType(), grown);
  return tg::MulOp::create(builder, loc, x, share);
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

bool Rot180Op::mayAddZeros() { return false; }

bool Rot180Op::mayBeTarget() { return true; }

void Rot180Op::applyTo(tg::ViewChain &chain) {
  const auto rank = static_cast<int64_t>(chain.getShape().size());
  chain.transform(
      [&](const tg::View &view) { return view.flip({rank - 2, rank - 1}); });
}

OpFoldResult Rot180Op::fold(FoldAdaptor adaptor) {
  if (auto before = getX().getDefiningOp<Rot180Op>())
    return before.getX();
  return tg::foldMovement(*this, adaptor.getX());
}

void FrameOp::applyTo(tg::ViewChain &chain) {
  const SmallVector<tg::Dim> one(chain.getShape().size(),
                                 tg::Dim(getContext(), 1));
  chain.transform([&](const tg::View &view) { return view.pad(one, one); });
}

OpFoldResult FrameOp::fold(FoldAdaptor adaptor) {
  return tg::foldMovement(*this, adaptor.getX());
}
