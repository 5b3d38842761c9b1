//===- FunctionScheduler.h - scheduling of one function ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Visits the operations of a function from the last to the first, so that all
/// uses of a value are known as accesses of kernels under construction. The
/// value is then either computed in these kernels, or gets a buffer and a
/// kernel of its own. Kernels that are created later run earlier.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_SCHEDULE_FUNCTIONSCHEDULER_H
#define TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_SCHEDULE_FUNCTIONSCHEDULER_H

#include "../KernelSet.h"
#include "CostModel.h"
#include "KernelBuilder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::tg {

/// Generates kernel names that are unique in the module.
struct KernelNames {
  llvm::StringSet<> taken;
  int64_t number = 0;

  std::string get(StringRef base) {
    std::string name;
    do
      name = (base + "_n" + Twine(number++)).str();
    while (!taken.insert(name).second);
    return name;
  }
};

/// A contiguous part of memory that holds a tensor.
struct Place {
  /// An argument, or another value that then needs a buffer.
  Value base;
  /// In elements, from the beginning of the base.
  Dim offset;
};

/// Whether it is a constant with listed elements, which is placed in memory.
bool isLiteral(Value value);

/// The argument that the target of an assignment is a view of.
BlockArgument getAssignedArgument(AssignOp assign);

class FunctionScheduler {
public:
  FunctionScheduler(func::FuncOp func, StringRef device, KernelNames &names)
      : func(func), block(func.getBody().front()), defaultDevice(device),
        names(names), hostBlock(new Block()), host(func.getContext()) {
    host.setInsertionPointToEnd(hostBlock.get());
  }
  ~FunctionScheduler() {
    if (hostBlock)
      hostBlock->dropAllDefinedValueUses();
  }

  LogicalResult run();
  int64_t numKernels = 0, numBuffers = 0;

private:
  /// A step of the host program; steps are in reverse order of execution.
  /// Either the launch of a kernel, or a transfer of `source` to `dest`, which
  /// with `sort` receives the positions of the sorted elements.
  struct Step {
    Value source, dest;
    /// Set until all values of the kernel are known.
    std::unique_ptr<KernelBuilder> builder;
    /// Set from then on.
    KernelOp kernel;
    SmallVector<Value> operands;
    Location loc;
    ArgsortOp sort = {};
  };

  /// The state of an argument that is assigned to.
  struct Memory {
    SmallVector<AssignOp> assigns;
    /// The step of each assignment that was visited.
    SmallVector<size_t> steps;
    /// Accesses of the contents after each number of assignments.
    SmallVector<SmallVector<Access *>> accesses;
  };

  LogicalResult assignDevices();
  void numberAssigns();
  Place locate(Operation *op);
  void findStored();
  void findCompared();

  void provide(Access &access, Value value);
  /// Adds accesses of a value.
  void addUses(Value tensor, ArrayRef<Access *> uses);
  void finish(Step &step);
  void finishComplete();
  Value request(Value tensor, KernelBuilder &kernel, ArrayRef<Value> indices,
                Value mask, ArrayRef<Value> scope);
  /// \p shape is the maximal shape of a symbolic tensor; its axes are in memory
  /// in that \p order, if one is given.
  void load(ArrayRef<Access *> uses, Value buffer, ArrayRef<int64_t> shape,
            ArrayRef<int64_t> order = {});
  SmallVector<int64_t> getMemoryOrder(Operation *op);
  /// Creates a kernel for the part of `value` that begins at `from` and has
  /// that shape, with loops in the `order` of axes. It computes `own` itself,
  /// even if that has a buffer.
  KernelBuilder &createKernel(Location loc, Value value, Value own,
                              ArrayRef<Dim> from, ArrayRef<Dim> shape,
                              ArrayRef<int64_t> order = {});
  /// Creates a kernel without reductions that need tiles. The loop over the
  /// axis `innermost` is the innermost one.
  KernelBuilder &createKernel(Location loc, ArrayRef<Dim> shape,
                              std::optional<int64_t> innermost = {});
  KernelBuilder &addKernel(std::unique_ptr<KernelBuilder> kernel);
  void visit(Operation *op);
  void computeInPlace(Operation *op);
  void store(Operation *op, StringRef reason);
  void storePart(Value tensor, ArrayRef<Dim> from, ArrayRef<Dim> to,
                 ArrayRef<int64_t> order, SmallVectorImpl<Access *> &own);
  void visitAssign(AssignOp assign);
  void visitCopy(CopyOp copy);
  void visitScan(ScanOp scan);
  void scanBlocks(ScanOp scan, Value buffer, int64_t block);
  void visitScatter(ScatterOp scatter);
  void createUpdates(
      ScatterOp scatter, Value buffer,
      function_ref<Value(IndexBuilder &, ArrayRef<Value>)> getPosition);
  bool updatesTarget(AssignOp assign);
  bool readsArgument(Value value, BlockArgument argument);
  void visitArgsort(ArgsortOp argsort);
  Value requestStored(Value tensor, KernelBuilder &kernel,
                      ArrayRef<Value> indices, Value mask);
  void visitArgument(BlockArgument argument);

  Value getBuffer(Value value);
  Value getSubbuffer(Place place, RankedTensorType type);
  bool isAcrossDevices(CopyOp copy);
  int64_t getVersion(AfterOp after);
  Value snapshotFor(BlockArgument argument, int64_t version,
                    ArrayRef<Access *> accesses,
                    function_ref<Value(Access *)> getPosition,
                    SmallPtrSetImpl<Access *> &late);
  void emit();

  func::FuncOp func;
  Block &block;
  StringRef defaultDevice;
  KernelNames &names;

  /// The device that holds each value.
  DenseMap<Value, StringRef> devices;
  /// Values that are parts of an argument or of another value's buffer.
  DenseMap<Value, Place> places;
  /// Values that must have a buffer, whatever their cost.
  DenseSet<Value> stored;
  /// Sums that are compared with themselves, and must have a buffer if they
  /// would be computed more than once.
  DenseSet<Value> compared;
  /// Scatters that update memory in place, as they are assigned to it.
  DenseSet<Operation *> inPlace;
  DenseMap<Value, Value> buffers;
  DenseMap<Value, SmallVector<Access *>> accesses;

  DenseMap<Value, Memory> memories;
  /// For each assignment, its number among those to the same argument, from 1.
  DenseMap<Operation *, int64_t> versions;
  SmallVector<Step> steps;
  /// Steps whose kernels may have become complete since the last check.
  llvm::SmallSetVector<size_t, 8> complete;
  /// The kernels that are launched.
  KernelSet kernels;
  std::unique_ptr<Block> hostBlock;
  OpBuilder host;
  std::unique_ptr<CostModel> costs;
};

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_SCHEDULE_FUNCTIONSCHEDULER_H
