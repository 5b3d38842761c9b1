//===- VectorEmitter.cpp - functions of kernels for CPUs ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Emits the function of a kernel, the loop over a thread's work items, and the
/// copies for large and small symbolic sizes.
///
//===----------------------------------------------------------------------===//

#include "VectorEmitter.h"
#include "TinyGrad/Dialect/Tg/IR/TgVariables.h"
#include "TinyGrad/Dialect/Tg/Utils/IndexAnalysis.h"
#include "TinyGrad/Dialect/Tg/Utils/ItemPasses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::emission;
using namespace mlir::tg::tovector;

VectorEmitter::VectorEmitter(KernelOp kernel, OpBuilder &builder,
                             const TargetFacts &target)
    : KernelEmitter(kernel, builder, target, NarrowFloats::bits) {}

bool VectorEmitter::isParallel(RangeKind kind) const {
  return kind == RangeKind::thread || kind == RangeKind::global;
}

LogicalResult VectorEmitter::checkOperation(Operation *op) {
  for (Value result : op->getResults())
    if (failed(checkMemorySpace(op, result.getType())))
      return failure();
  return success();
}

/// CPUs have one memory space.
LogicalResult VectorEmitter::checkMemorySpace(Operation *op, Type type) {
  auto buffer = dyn_cast<MemRefType>(type);
  if (!buffer || !buffer.getMemorySpace())
    return success();
  return op->emitOpError("has a buffer in memory space ")
         << buffer.getMemorySpace()
         << "; a CPU has the default memory space only";
}

FailureOr<func::FuncOp> VectorEmitter::emit() {
  SmallVector<Type> arguments;
  for (Type type : kernel.getArgumentTypes()) {
    if (failed(checkMemorySpace(kernel, type)))
      return failure();
    auto buffer = cast<MemRefType>(type);
    arguments.push_back(MemRefType::get(
        buffer.getShape(), arithmetic.getMemoryType(buffer.getElementType())));
  }
  if (failed(analyze()))
    return failure();
  FailureOr<SmallVector<VarAttr>> variables = collectVariables(kernel);
  if (failed(variables))
    return failure();
  arguments.append(2 + variables->size(), builder.getIndexType());
  builder.setLoc(kernel.getLoc());
  auto func =
      func::FuncOp::create(builder, kernel.getSymName(),
                           builder.getFunctionType(arguments, TypeRange()));
  builder.setInsertionPointToEnd(func.addEntryBlock());
  auto end = func::ReturnOp::create(builder);
  openFunction(end,
               func.getArguments().take_front(kernel.getArgumentTypes().size()),
               *variables, func.getArguments().take_back(variables->size()));
  emitItems(func);
  at(0, kernel.getLoc());
  for (Value tile : heapTiles)
    memref::DeallocOp::create(builder, tile);
  func->setAttr("tg.parallel_extent", getParallelExtent().getAttr());
  if (isSymbolic)
    func->setAttr("tg.variables", builder.getArrayAttr(SmallVector<Attribute>(
                                      variables->begin(), variables->end())));
  func->setAttr("tg.outputs", builder.getI64IntegerAttr(kernel.getOutputs()));
  if (kernel.getInPlace())
    func->setAttr("tg.in_place", builder.getUnitAttr());
  copyElements(func);
  return func;
}

SmallVector<unsigned> VectorEmitter::findPasses() {
  SmallVector<unsigned> passes;
  IndexAnalysis analysis;
  RangeSet found = 0;
  const unsigned first = parallelSet ? llvm::countr_zero(parallelSet) : 0;
  for (auto [i, range] : llvm::enumerate(ranges)) {
    const bool isPass = i < first && mayRunAroundItems(range.op, analysis);
    if (isPass)
      passes.push_back(i);
    if (isPass || range.extent == 1)
      found |= setOf(i);
  }
  // Each update begins with the constant that is stored at the same place, and
  // updates of one element keep their order.
  DenseMap<Value, StoreOp> constants;
  for (auto store : kernel.getBody().getOps<StoreOp>()) {
    if (!store.getUpdate()) {
      constants[store.getBuffer()] = store;
      continue;
    }
    StoreOp constant = constants.lookup(store.getBuffer());
    if (!constant || constant.getIndex() != store.getIndex() ||
        constant.getMask() != store.getMask() ||
        (getStoreSet(store) & ~getDeps(store.getIndex()) & ~found))
      return {};
  }
  return passes;
}

void VectorEmitter::emitItems(func::FuncOp func) {
  SmallVector<StoreOp> stores = getStores();
  if (stores.empty())
    return;
  const SmallVector<unsigned> passes = findPasses();
  for (unsigned index : passes)
    passSet |= setOf(index);
  // Constants are not stored: the updates of the first pass begin with them.
  if (!passes.empty()) {
    DenseMap<Value, TypedAttr> constants;
    for (StoreOp store : stores)
      if (!store.getUpdate())
        constants[store.getBuffer()] =
            store.getValue().getDefiningOp<ConstOp>().getValue();
    llvm::erase_if(stores, [](StoreOp store) { return !store.getUpdate(); });
    for (StoreOp store : stores)
      firstValues[store] = constants.lookup(store.getBuffer());
  }
  const Location loc = kernel.getLoc();
  SmallVector<Value> none;
  emitLoops(passes, none, loc, [&](SmallVectorImpl<Value> &) {
    for (unsigned index : passes) {
      Value zero = getIndexConstant(0, loc);
      B &b = at(top(), loc);
      Value isLater = arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                                            ranges[index].value, zero);
      isLaterPass = isLaterPass
                        ? Value(arith::OrIOp::create(b, isLaterPass, isLater))
                        : isLater;
    }
    emitThreadLoop(func, [&] {
      emitSizes(stores, [&] { emitStores(stores, parallelSet | passSet); });
    });
  });
}

void VectorEmitter::emitThreadLoop(func::FuncOp func,
                                   llvm::function_ref<void()> body) {
  SmallVector<unsigned> threads;
  for (RangeSet set = parallelSet; set; set &= set - 1)
    threads.push_back(llvm::countr_zero(set));
  Dim total = getParallelExtent();
  if (total.is(0))
    return;
  Location loc = kernel.getLoc();
  if (total.is(1)) {
    SmallVector<Value> none;
    for (unsigned index : threads)
      ranges[index].peel = getNumber(0);
    return emitLoops(threads, none, loc,
                     [&](SmallVectorImpl<Value> &) { body(); });
  }

  unsigned numBuffers = kernel.getArgumentTypes().size();
  Value step = getIndexConstant(1, loc);
  threadLoop = scf::ForOp::create(at(top(), loc), func.getArgument(numBuffers),
                                  func.getArgument(numBuffers + 1), step);
  emitInRegion(threadLoop, threadLoop.getBody(), [&] {
    bindParallelRanges(threads, threadLoop.getInductionVar());
    SmallVector<unsigned> peeled;
    for (unsigned index : threads)
      if (!ranges[index].peel.is(0) &&
          getExtent(ranges[index]) != ranges[index].peel)
        peeled.push_back(index);
    emitParallelParts(peeled, body);
  });
}

Dim VectorEmitter::getShortRows(LoadOp op) {
  if (!op.getPrefetch())
    return Dim();
  Dim shortRows;
  for (RangeSet set = getDeps(op.getIndex()) & ~parallelSet; set;
       set &= set - 1) {
    const Range &range = ranges[llvm::countr_zero(set)];
    Dim extent = getExtent(range);
    // Tiles are filled between other work, so the hardware prefetcher never
    // reaches their rows in time.
    if (llvm::any_of(range.op->getUsers(), llvm::IsaPred<StageOp>))
      return Dim();
    if (extent.isStatic())
      continue;
    Dim isShort = Dim::get(DimOpKind::max, getNumber(0),
                           Dim::get(DimOpKind::min, getNumber(1),
                                    getNumber(range.extent * 7 / 8) - extent));
    shortRows = shortRows.getAttr() ? shortRows * isShort : isShort;
  }
  return shortRows;
}

void VectorEmitter::emitRowSizes(llvm::function_ref<void()> body) {
  Dim shortRows;
  if (isLarge)
    for (auto load : kernel.getBody().getOps<LoadOp>())
      if (Dim rows = getShortRows(load); rows.getAttr() && live.contains(load))
        shortRows = rows;
  if (!shortRows.getAttr()) {
    arePrefetched = false;
    body();
    arePrefetched = true;
    return;
  }
  Value rows = getDimValue(shortRows, kernel.getLoc());
  B &b = at(top(), kernel.getLoc());
  Value condition = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, rows,
                                          buildInt(b, b.getIndexType(), 0));
  emitBranches(condition, arePrefetched, body);
}

void VectorEmitter::emitSizes(ArrayRef<StoreOp> stores,
                              llvm::function_ref<void()> body) {
  Dim bytes;
  for (StoreOp store : stores) {
    if (!store.getNontemporal())
      continue;
    bytes = getNumber(llvm::divideCeil(
        store.getValue().getType().getIntOrFloatBitWidth(), 8));
    for (const auto &[i, range] : llvm::enumerate(ranges))
      if (getDeps(store.getIndex()) & setOf(i))
        bytes = bytes * getExtent(range);
  }
  if (!bytes.getAttr() || bytes.isStatic() ||
      bytes.getMin() >= target.cacheBytes)
    return emitRowSizes(body);
  Location loc = kernel.getLoc();
  Value size = getDimValue(bytes, loc);
  B &b = at(top(), loc);
  Value condition =
      arith::CmpIOp::create(b, arith::CmpIPredicate::sge, size,
                            buildInt(b, b.getIndexType(), target.cacheBytes));
  emitBranches(condition, isLarge, [&] { emitRowSizes(body); });
}
