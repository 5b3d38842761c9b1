//===- FunctionScheduler.h - one function becomes kernels -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The operations of a function are visited from the last to the first. All
/// uses of a value are then known as accesses of kernels under construction,
/// and the value is either computed there or gets a buffer and a kernel of its
/// own. Kernels created later run earlier.
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

/// Names for kernels that nothing else in the module has.
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

/// Memory that a tensor is a contiguous part of.
struct Place {
  /// An argument or any other value, which then needs a buffer.
  Value base;
  /// In elements from the beginning of the base.
  Dim offset;
};

/// A constant with listed elements, which is memory from the beginning.
bool isLiteral(Value value);

/// The argument that a target is a view of, by movement operations alone.
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
  /// A step of the host program, in reverse order of execution: a transfer of
  /// `source` to `dest`, which with `sort` receives the positions of the sorted
  /// elements, or the launch of a kernel.
  struct Step {
    Value source, dest;
    /// Until everything in it is known.
    std::unique_ptr<KernelBuilder> builder;
    /// From then on.
    KernelOp kernel;
    SmallVector<Value> operands;
    Location loc;
    ArgsortOp sort = {};
  };

  /// An argument that is assigned to.
  struct Memory {
    SmallVector<AssignOp> assigns;
    /// The step of each, once it was visited.
    SmallVector<size_t> steps;
    /// Accesses of the contents after so many of them.
    SmallVector<SmallVector<Access *>> accesses;
  };

  LogicalResult assignDevices();
  void numberAssigns();
  Place locate(Operation *op);
  void findStored();

  void provide(Access &access, Value value);
  /// Adds to the accesses of a value.
  void addUses(Value tensor, ArrayRef<Access *> uses);
  void finish(Step &step);
  void finishComplete();
  Value request(Value tensor, KernelBuilder &kernel, ArrayRef<Value> indices,
                Value mask, ArrayRef<Value> scope);
  /// The shape is the largest one of a symbolic tensor.
  void load(ArrayRef<Access *> uses, Value buffer, ArrayRef<int64_t> shape);
  /// A kernel for the part of `value` that begins at `from` and has that shape.
  /// It computes `own` itself, even if that has a buffer.
  KernelBuilder &createKernel(Location loc, Value value, Value own,
                              ArrayRef<Dim> from, ArrayRef<Dim> shape);
  /// A kernel that computes nothing that could have tiles; the loop over the
  /// axis `innermost` comes last.
  KernelBuilder &createKernel(Location loc, ArrayRef<Dim> shape,
                              std::optional<int64_t> innermost = {});
  KernelBuilder &addKernel(std::unique_ptr<KernelBuilder> kernel);
  void visit(Operation *op);
  void computeInPlace(Operation *op);
  void store(Operation *op, StringRef reason);
  void storePart(Value tensor, ArrayRef<Dim> from, ArrayRef<Dim> to,
                 SmallVectorImpl<Access *> &own);
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
  /// Values that are a part of an argument or of another value's buffer.
  DenseMap<Value, Place> places;
  /// Values that get a buffer whatever it costs.
  DenseSet<Value> stored;
  /// Scatters that update the memory that they are assigned to.
  DenseSet<Operation *> inPlace;
  DenseMap<Value, Value> buffers;
  DenseMap<Value, SmallVector<Access *>> accesses;

  DenseMap<Value, Memory> memories;
  /// How many assignments to the same argument there are up to each.
  DenseMap<Operation *, int64_t> versions;
  SmallVector<Step> steps;
  /// Steps whose kernels waited for nothing at some time since the last look.
  llvm::SmallSetVector<size_t, 8> complete;
  /// What the launches refer to.
  KernelSet kernels;
  std::unique_ptr<Block> hostBlock;
  OpBuilder host;
  std::unique_ptr<CostModel> costs;
};

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_SCHEDULE_FUNCTIONSCHEDULER_H
