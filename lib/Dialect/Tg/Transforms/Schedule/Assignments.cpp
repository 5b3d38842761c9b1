//===- Assignments.cpp - scheduling of assignments ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The part of FunctionScheduler for assignments to arguments and reads of
/// them.
///
//===----------------------------------------------------------------------===//

#include "FunctionScheduler.h"
#include "LowerViews.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace mlir::tg;

/// The position in the argument's memory for a position in the target.
static Value getPositionInArgument(AssignOp assign, IndexBuilder &index,
                                   ArrayRef<Value> indices) {
  Value mask;
  SmallVector<Value> position =
      mapIndices(getTargetChain(assign), index, indices, mask);
  BlockArgument argument = getAssignedArgument(assign);
  return linearize(index,
                   getLargestShape(cast<RankedTensorType>(argument.getType())),
                   position);
}

/// Collects in `late` those of \p accesses that need the contents of an
/// argument after `version` assignments, but execute during or after the next
/// assignment. Returns the copy that they read, or null if there are none. An
/// assignment may itself read the elements that it is about to write.
Value FunctionScheduler::snapshotFor(BlockArgument argument, int64_t version,
                                     ArrayRef<Access *> accesses,
                                     function_ref<Value(Access *)> getPosition,
                                     SmallPtrSetImpl<Access *> &late) {
  Memory &memory = memories[argument];
  if (version >= static_cast<int64_t>(memory.assigns.size()))
    return nullptr;
  const size_t next = memory.steps[version];
  Value written;
  for (Access *access : accesses) {
    KernelBuilder &kernel = *access->kernel;
    if (kernel.getStep() > next)
      continue;
    if (kernel.getStep() == next) {
      if (!written)
        written =
            getPositionInArgument(memory.assigns[version], kernel.getIndex(),
                                  kernel.getResultIndices());
      if (getPosition(access) == written)
        continue;
    }
    late.insert(access);
  }
  if (late.empty())
    return nullptr;
  Value buffer = getBuffer(argument);
  Value copy =
      AllocOp::create(host, argument.getLoc(),
                      cast<MemRefType>(buffer.getType()), devices[argument]);
  ++numBuffers;
  steps.push_back({buffer, copy, {}, {}, {}, func.getLoc()});
  remark::passed(memory.assigns[version].getLoc(),
                 remark::RemarkOpts::name("copy").category("tg-schedule"))
      << "the contents before this assignment are copied: a later kernel, or "
         "its own at other positions, reads them";
  return copy;
}

void FunctionScheduler::visitAssign(AssignOp assign) {
  BlockArgument argument = getAssignedArgument(assign);
  Memory &memory = memories[argument];
  int64_t version = versions[assign];
  SmallVector<int64_t> argumentShape =
      getLargestShape(cast<RankedTensorType>(argument.getType()));
  Value buffer = getBuffer(argument);

  // Uses of the assignment's result, and of the whole argument at this version.
  ArrayRef<Access *> ofArgument = memory.accesses[version];
  SmallVector<Access *> uses = accesses.lookup(assign);
  llvm::append_range(uses, ofArgument);
  SmallPtrSet<Access *, 8> isOfArgument(llvm::from_range, ofArgument);
  auto getPosition = [&](Access *access) {
    if (isOfArgument.contains(access))
      return access->kernel->linearize(argumentShape, access->indices);
    return getPositionInArgument(assign, access->kernel->getIndex(),
                                 access->indices);
  };
  SmallPtrSet<Access *, 8> late;
  Value copy = snapshotFor(argument, version, uses, getPosition, late);
  for (Access *access : uses) {
    KernelBuilder &kernel = *access->kernel;
    Value source = kernel.getArgument(late.contains(access) ? copy : buffer);
    provide(*access, LoadOp::create(kernel.getBuilder(), kernel.getLoc(),
                                    source, getPosition(access), access->mask));
  }

  if (auto scatter = assign.getValue().getDefiningOp<ScatterOp>();
      scatter && inPlace.contains(scatter)) {
    memory.steps[version - 1] = steps.size();
    return createUpdates(scatter, buffer,
                         [&](IndexBuilder &index, ArrayRef<Value> indices) {
                           return getPositionInArgument(assign, index, indices);
                         });
  }

  const SmallVector<Dim> shape = getDims(assign.getType());
  KernelBuilder &kernel = createKernel(
      assign.getLoc(), assign.getValue(), Value(),
      SmallVector<Dim>(shape.size(), Dim(func.getContext(), 0)), shape);
  memory.steps[version - 1] = kernel.getStep();
  kernel.setPosition(getPositionInArgument(assign, kernel.getIndex(),
                                           kernel.getResultIndices()));
  Value mask = kernel.maskEmptyRanges(Value(), kernel.getResultRanges());
  Value value = request(assign.getValue(), kernel, kernel.getResultIndices(),
                        mask, kernel.getResultRanges());
  kernel.createStore(value, buffer);
}

void FunctionScheduler::visitArgument(BlockArgument argument) {
  auto it = memories.find(argument);
  if (it == memories.end())
    return; // the loads are created when kernels are finished
  SmallVector<int64_t> shape =
      getLargestShape(cast<RankedTensorType>(argument.getType()));
  Value buffer = getBuffer(argument);
  ArrayRef<Access *> uses = it->second.accesses[0];
  SmallPtrSet<Access *, 8> late;
  auto getPosition = [&](Access *access) {
    return access->kernel->linearize(shape, access->indices);
  };
  Value copy = snapshotFor(argument, 0, uses, getPosition, late);
  for (Access *access : uses)
    load(access, late.contains(access) ? copy : buffer, shape);
}
