//===- DirectCopies.cpp - copies of subgroups for LLVM --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Addresses and waits of copies of subgroups.
///
//===----------------------------------------------------------------------===//

#include "DirectCopies.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::tg;

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

namespace {
/// Computes values as the first item of a subgroup has them.
class FirstItem {
public:
  Value get(Value value);

private:
  Value read(Value value);

  DenseMap<Value, Value> known;
};
} // namespace

/// Reads a value of the first item.
Value FirstItem::read(Value value) {
  OpBuilder b(value.getContext());
  b.setInsertionPointAfterValue(value);
  const Location loc = value.getLoc();
  Type i32 = b.getI32Type();
  Value number = arith::IndexCastOp::create(b, loc, i32, value);
  number = ROCDL::ReadfirstlaneOp::create(b, loc, i32, number);
  return arith::IndexCastOp::create(b, loc, value.getType(), number);
}

/// Arithmetic is repeated on the operands of the first item, so that what does
/// not depend on a loop is computed before it.
Value FirstItem::get(Value value) {
  if (Value found = known.lookup(value))
    return found;
  Operation *op = value.getDefiningOp();
  Value result;
  if (!op || isa<arith::ConstantOp>(op)) {
    // What loops carry is the same for all items mostly. LLVM reads it where it
    // is not.
    result = value;
  } else if (isa<arith::AddIOp, arith::MulIOp, arith::RemUIOp, arith::DivUIOp>(
                 op)) {
    IRMapping operands;
    for (Value operand : op->getOperands())
      operands.map(operand, get(operand));
    OpBuilder b(op->getContext());
    b.setInsertionPointAfter(op);
    result = b.clone(*op, operands)->getResult(0);
  } else {
    result = read(value);
  }
  return known[value] = result;
}

void tg::makeAddressesUniform(gpu::GPUFuncOp func) {
  FirstItem first;
  func.walk([&](amdgpu::GatherToLDSOp copy) {
    for (OpOperand &index : copy.getDstIndicesMutable())
      index.set(first.get(index.get()));
  });
}

//===----------------------------------------------------------------------===//
// Waits
//===----------------------------------------------------------------------===//

/// s_waitcnt that waits for all accesses of a group's memory but copies: no
/// bits of lgkmcnt, and all of vmcnt and expcnt.
static constexpr int32_t kWaitForGroupMemory = 0xC07F;

/// Barriers become what LLVM makes of them, but for a wait for all copies that
/// are running: those that a barrier is for were waited for before it.
static void replaceBarriers(LLVM::LLVMFuncOp func) {
  func.walk([](ROCDL::BarrierOp barrier) {
    OpBuilder b(barrier);
    const Location loc = barrier.getLoc();
    ROCDL::SWaitcntOp::create(b, loc, b.getI32IntegerAttr(kWaitForGroupMemory));
    ROCDL::SBarrierOp::create(b, loc);
    LLVM::FenceOp::create(b, loc, LLVM::AtomicOrdering::acquire, "workgroup");
    barrier.erase();
  });
}

void tg::waitForCopiesOnce(LLVM::LLVMFuncOp func) {
  MLIRContext *context = func.getContext();
  ArrayAttr scopes;
  func.walk([&](ROCDL::LoadToLDSOp copy) {
    if (!scopes) {
      auto domain = LLVM::AliasScopeDomainAttr::get(
          context, StringAttr::get(context, "copies of subgroups"));
      scopes = ArrayAttr::get(context, LLVM::AliasScopeAttr::get(domain));
    }
    copy.setAliasScopesAttr(scopes);
    // The intrinsic reads global memory.
    Value source = copy.getGlobalPtr();
    OpBuilder b(copy);
    Type global = LLVM::LLVMPointerType::get(
        context, ROCDL::ROCDLDialect::kGlobalMemoryAddressSpace);
    if (source.getType() != global)
      copy.getGlobalPtrMutable().assign(
          LLVM::AddrSpaceCastOp::create(b, copy.getLoc(), global, source));
  });
  if (!scopes)
    return;
  replaceBarriers(func);
  func.walk([&](LLVM::LoadOp load) {
    if (load.getAddr().getType().getAddressSpace() ==
        ROCDL::ROCDLDialect::kSharedMemoryAddressSpace)
      load.setNoaliasScopesAttr(scopes);
  });
  func.walk(
      [&](ROCDL::ds_read_tr16_b64 load) { load.setNoaliasScopesAttr(scopes); });
}
