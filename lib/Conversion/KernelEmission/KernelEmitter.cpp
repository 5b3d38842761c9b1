//===- KernelEmitter.cpp - scopes of a kernel -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the stack of scopes.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Conversion/KernelEmission/KernelEmitter.h"
#include "TinyGrad/Dialect/Tg/IR/TgBufferElements.h"
#include "TinyGrad/Dialect/Tg/IR/TgLaunchedElements.h"
#include "TinyGrad/Dialect/Tg/IR/TgVariables.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::emission;

KernelEmitter::KernelEmitter(KernelOp kernel, OpBuilder &builder,
                             const TargetFacts &target,
                             NarrowFloats narrowFloats)
    : kernel(kernel), target(target), arithmetic(narrowFloats),
      builder(kernel.getLoc(), builder) {}

KernelEmitter::~KernelEmitter() = default;

void KernelEmitter::openFunction(Operation *end, ValueRange memories,
                                 ArrayRef<VarAttr> variables,
                                 ValueRange variableValues) {
  for (auto [argument, memory] :
       llvm::zip_equal(kernel.getBody().front().getArguments(), memories))
    buffers[argument] = memory;
  for (auto [variable, value] : llvm::zip_equal(variables, variableValues))
    dimValues[variable] = value;
  isSymbolic = !variables.empty();
  Scope scope;
  scope.anchor = std::make_shared<Anchor>();
  scope.anchor->block = end->getBlock();
  scope.anchor->before = end;
  scopes.push_back(std::move(scope));
}

void KernelEmitter::copyElements(FunctionOpInterface func) {
  for (unsigned i = 0; i < kernel.getArgumentTypes().size(); ++i)
    for (StringRef name : {leastElementsAttrName, launchedElementsAttrName})
      if (Attribute elements = kernel.getArgAttr(i, name))
        func.setArgAttr(i, name, elements);
}

B &KernelEmitter::at(unsigned depth, Location loc) {
  Anchor &anchor = *scopes[depth].anchor;
  if (anchor.before)
    builder.setInsertionPoint(anchor.before);
  else
    builder.setInsertionPointToEnd(anchor.block);
  builder.setLoc(loc);
  return builder;
}

void KernelEmitter::withinDepth(unsigned depth,
                                llvm::function_ref<void()> body) {
  if (depth + 1 == scopes.size())
    return body();
  SmallVector<Scope, 0> inner(
      std::make_move_iterator(scopes.begin() + depth + 1),
      std::make_move_iterator(scopes.end()));
  scopes.truncate(depth + 1);
  body();
  scopes.append(std::make_move_iterator(inner.begin()),
                std::make_move_iterator(inner.end()));
}

void KernelEmitter::closeScope() {
  Scope closed = scopes.pop_back_val();
  SmallVector<Value> &freeTiles = scopes.back().freeTiles;
  llvm::append_range(freeTiles, closed.tiles);
  llvm::append_range(freeTiles, closed.freeTiles);
}

Value KernelEmitter::getIndexConstant(int64_t value, Location loc) {
  Value &constant = scopes[0].sums[{2, nullptr, value}];
  if (!constant) {
    B &b = at(0, loc);
    constant = buildInt(b, b.getIndexType(), value);
  }
  return constant;
}

void KernelEmitter::forEachPosition(RangeSet set,
                                    llvm::function_ref<void()> body) {
  if (!set)
    return body();
  unsigned index = llvm::countr_zero(set);
  int64_t saved = ranges[index].position;
  for (int64_t i = 0; i < ranges[index].extent; ++i) {
    ranges[index].position = i;
    forEachPosition(set & (set - 1), body);
  }
  ranges[index].position = saved;
}

void KernelEmitter::emitInBlock(Block *block, llvm::function_ref<void()> body) {
  Scope scope;
  scope.anchor = std::make_shared<Anchor>();
  scope.anchor->block = block;
  scope.anchor->before = block->getTerminator();
  scopes.push_back(std::move(scope));
  body();
  closeScope();
}

void KernelEmitter::emitInRegion(Operation *owner, Block *block,
                                 llvm::function_ref<void()> body) {
  std::shared_ptr<Anchor> parent = scopes.back().anchor;
  Operation *saved = std::exchange(parent->before, owner);
  emitInBlock(block, body);
  parent->before = saved;
}
