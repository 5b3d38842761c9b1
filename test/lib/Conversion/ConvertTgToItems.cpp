//===- ConvertTgToItems.cpp - kernels as functions of a work item ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A second code generator on KernelEmission, as simple as one can be: a kernel
/// becomes a function that runs one work item, given the numbers of its group
/// and of the item in the group. All accesses are of single elements. A group's
/// tile is an argument of the function, after the kernel's buffers, and a
/// barrier is a call of `barrier`. Launches become loops over all items where
/// the function takes the launch's buffers and nothing else; other functions
/// with launches are erased.
///
//===----------------------------------------------------------------------===//

#include "ConvertTgToItems.h"
#include "TinyGrad/Conversion/KernelEmission/KernelEmitter.h"
#include "TinyGrad/Dialect/Tg/IR/TgTarget.h"
#include "TinyGrad/Dialect/Tg/IR/TgVariables.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::emission;

static constexpr llvm::StringLiteral kBarrierName = "barrier";

namespace {
/// How the function of a kernel is called.
struct Launch {
  int64_t groups = 1, items = 1;
  bool isSimple = true; ///< no variables, no tiles of groups
};

class ItemEmitter final : public KernelEmitter {
public:
  ItemEmitter(KernelOp kernel, OpBuilder &builder, const TargetFacts &target)
      : KernelEmitter(kernel, builder, target, NarrowFloats::floats) {}

  FailureOr<Launch> emit();

private:
  bool isParallel(RangeKind kind) const override {
    return kind == RangeKind::thread || kind == RangeKind::global ||
           kind == RangeKind::local;
  }
  bool mayClose(Operation *op, RangeKind kind) const override {
    return !isParallel(kind) || (isa<StageOp>(op) && kind == RangeKind::local);
  }
  Value createLoad(LoadOp op, unsigned depth) override;
  void emitStore(StoreOp op) override;
  Value createStage(StageOp op, unsigned depth) override;

  Value loadElement(LoadOp op, Value buffer, Value index, Value mask,
                    unsigned depth);
  /// Writes a scalar, or one element after the other.
  void write(Value buffer, Value index, Value mask, Value value, Type element,
             std::optional<UpdateKind> update);

  DenseMap<Operation *, Value> groupTiles;
};
} // namespace

static Value getLane(B &b, Value value, int64_t lane) {
  if (value && isa<VectorType>(value.getType()))
    return vector::ExtractOp::create(b, value, lane);
  return value;
}

static int64_t countLanes(ValueRange values) {
  for (Value value : values)
    if (value)
      if (auto vector = dyn_cast<VectorType>(value.getType()))
        return vector.getNumElements();
  return 0;
}

FailureOr<Launch> ItemEmitter::emit() {
  if (failed(analyze()))
    return failure();
  FailureOr<SmallVector<VarAttr>> variables = collectVariables(kernel);
  if (failed(variables))
    return failure();
  SmallVector<Type> arguments;
  auto addBuffer = [&](MemRefType type) {
    arguments.push_back(MemRefType::get(
        type.getShape(), arithmetic.getMemoryType(type.getElementType()),
        MemRefLayoutAttrInterface(), type.getMemorySpace()));
  };
  for (Type type : kernel.getArgumentTypes())
    addBuffer(cast<MemRefType>(type));
  const size_t numBuffers = arguments.size();
  SmallVector<StageOp> tiles;
  for (auto stage : kernel.getBody().getOps<StageOp>())
    if (stage.getMemory() == TileMemory::group) {
      tiles.push_back(stage);
      addBuffer(stage.getTile().getType());
    }
  arguments.append(2 + variables->size(), builder.getIndexType());
  auto func =
      func::FuncOp::create(builder, kernel.getLoc(), kernel.getSymName(),
                           builder.getFunctionType(arguments, TypeRange()));
  builder.setInsertionPointToEnd(func.addEntryBlock());
  auto end = func::ReturnOp::create(builder, kernel.getLoc());
  for (auto [i, stage] : llvm::enumerate(tiles))
    groupTiles[stage] = func.getArgument(numBuffers + i);
  const size_t next = numBuffers + tiles.size();
  openFunction(end, func.getArguments().take_front(numBuffers), *variables,
               func.getArguments().take_back(variables->size()));
  SmallVector<unsigned> groups, items;
  Launch launch;
  launch.isSimple = variables->empty() && tiles.empty();
  for (const auto &[i, range] : llvm::enumerate(ranges))
    if (range.kind == RangeKind::local) {
      items.push_back(i);
      launch.items *= range.extent;
    } else if (isParallel(range.kind)) {
      groups.push_back(i);
      launch.groups *= range.extent;
    }
  bindParallelRanges(groups, func.getArgument(next));
  bindParallelRanges(items, func.getArgument(next + 1));
  emitStores(getStores(), parallelSet);
  return launch;
}

Value ItemEmitter::loadElement(LoadOp op, Value buffer, Value index, Value mask,
                               unsigned depth) {
  B &b = at(depth, op.getLoc());
  auto load = [&](OpBuilder &, Location) {
    Value value = memref::LoadOp::create(b, buffer, index);
    return arithmetic.buildFromMemory(b, value, op.getType());
  };
  if (!mask)
    return load(b, op.getLoc());
  Type type = arithmetic.getRegisterType(op.getType());
  auto branch = scf::IfOp::create(b, type, mask, /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(branch.thenBlock());
    scf::YieldOp::create(b, load(b, op.getLoc()));
    b.setInsertionPointToEnd(branch.elseBlock());
    scf::YieldOp::create(b, buildZero(b, type));
  }
  return branch.getResult(0);
}

Value ItemEmitter::createLoad(LoadOp op, unsigned depth) {
  Value buffer = getBuffer(op.getBuffer()), mask;
  if (op.getMask()) {
    std::optional<bool> known = getKnown(op.getMask());
    if (known == false)
      return buildZero(at(depth, op.getLoc()),
                       arithmetic.getRegisterType(op.getType()));
    if (!known)
      mask = get(op.getMask());
  }
  Value index = get(op.getIndex());
  const int64_t lanes = countLanes({index, mask});
  if (lanes == 0)
    return loadElement(op, buffer, index, mask, depth);
  SmallVector<Value> elements;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    B &b = at(depth, op.getLoc());
    Value at = getLane(b, index, lane), bit = getLane(b, mask, lane);
    elements.push_back(loadElement(op, buffer, at, bit, depth));
  }
  return vector::FromElementsOp::create(
      at(depth, op.getLoc()),
      withLanes(arithmetic.getRegisterType(op.getType()), lanes), elements);
}

void ItemEmitter::write(Value buffer, Value index, Value mask, Value value,
                        Type element, std::optional<UpdateKind> update) {
  const Location loc = value.getLoc();
  const int64_t lanes = countLanes({index, mask, value});
  for (int64_t lane = 0; lane < std::max<int64_t>(lanes, 1); ++lane) {
    B &b = at(top(), loc);
    Value place = getLane(b, index, lane), bit = getLane(b, mask, lane),
          number = getLane(b, value, lane);
    emitGuarded(bit, loc, [&] {
      B &b = at(top(), loc);
      if (update && *update != UpdateKind::set) {
        Value old = memref::LoadOp::create(b, buffer, place);
        old = arithmetic.buildFromMemory(b, old, element);
        number = arithmetic.buildUpdate(b, *update, old, number, element);
      }
      memref::StoreOp::create(b, arithmetic.buildToMemory(b, number, element),
                              buffer, place);
    });
  }
}

void ItemEmitter::emitStore(StoreOp op) {
  Value mask;
  if (op.getMask()) {
    std::optional<bool> known = getKnown(op.getMask());
    if (known == false)
      return;
    if (!known)
      mask = get(op.getMask());
  }
  Value index = get(op.getIndex()), value = get(op.getValue()), isFirst;
  if (!findFirstPosition(op, isFirst))
    return;
  emitGuarded(isFirst, op.getLoc(), [&] {
    write(getBuffer(op.getBuffer()), index, mask, value,
          op.getValue().getType(), op.getUpdate());
  });
}

Value ItemEmitter::createStage(StageOp op, unsigned depth) {
  const Location loc = op.getLoc();
  Type element = op.getValue().getType();
  Value tile = groupTiles.lookup(op);
  if (!tile)
    tile = memref::AllocaOp::create(
        at(0, loc), MemRefType::get({op.getTile().getType().getNumElements()},
                                    arithmetic.getMemoryType(element)));
  forEachStaged(op, [&](RangeSet unrolled) {
    forEachPosition(unrolled, [&] {
      Value index = getIndex(getTileIndex(op), loc);
      write(tile, index, /*mask=*/Value(), get(op.getValue()), element,
            std::nullopt);
    });
  });
  if (op.getMemory() == TileMemory::group)
    func::CallOp::create(at(depth, loc), kBarrierName, TypeRange(),
                         ValueRange());
  return tile;
}

namespace {
struct ConvertTgToItemsPass
    : PassWrapper<ConvertTgToItemsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ConvertTgToItemsPass)

  StringRef getArgument() const override { return "test-convert-tg-to-items"; }
  StringRef getDescription() const override {
    return "converts kernels to functions that run one work item";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, func::FuncDialect, math::MathDialect,
                    memref::MemRefDialect, scf::SCFDialect,
                    vector::VectorDialect>();
  }
  void runOnOperation() override {
    OpBuilder builder(&getContext());
    builder.setInsertionPointToStart(getOperation().getBody());
    func::FuncOp::create(builder, getOperation().getLoc(), kBarrierName,
                         builder.getFunctionType({}, {}))
        .setPrivate();
    llvm::StringMap<Launch> launches;
    for (KernelOp kernel : llvm::to_vector(getOperation().getOps<KernelOp>())) {
      builder.setInsertionPoint(kernel);
      FailureOr<Launch> launch =
          ItemEmitter(kernel, builder, getTargetFacts(kernel)).emit();
      if (failed(launch))
        return signalPassFailure();
      launches[kernel.getSymName()] = *launch;
      kernel.erase();
    }
    for (auto func :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      SmallVector<LaunchOp> ops;
      func.walk([&](LaunchOp op) { ops.push_back(op); });
      if (llvm::all_of(ops, [&](LaunchOp op) {
            auto callee =
                getOperation().lookupSymbol<func::FuncOp>(op.getKernel());
            return launches.lookup(op.getKernel()).isSimple &&
                   llvm::equal(callee.getArgumentTypes().drop_back(2),
                               op.getBuffers().getTypes());
          })) {
        for (LaunchOp op : ops)
          replaceLaunch(op, launches.lookup(op.getKernel()));
      } else {
        func.erase();
      }
    }
  }

private:
  /// A loop over groups, and one over the items of each.
  static void replaceLaunch(LaunchOp op, Launch launch) {
    B b(op.getLoc(), op);
    auto number = [&](int64_t value) {
      return arith::ConstantIndexOp::create(b, value);
    };
    SmallVector<Value> operands(op.getBuffers());
    Value zero = number(0), one = number(1);
    for (int64_t extent : {launch.groups, launch.items}) {
      auto loop = scf::ForOp::create(b, zero, number(extent), one);
      operands.push_back(loop.getInductionVar());
      b.setInsertionPointToStart(loop.getBody());
    }
    func::CallOp::create(b, op.getKernel(), TypeRange(), operands);
    op.erase();
  }
};
} // namespace

void tgtest::registerConvertTgToItemsPass() {
  PassRegistration<ConvertTgToItemsPass>();
}
