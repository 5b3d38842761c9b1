//===- Intervals.cpp - what runs between two barriers ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Follows the paths from barriers and from asynchronous copies.
///
//===----------------------------------------------------------------------===//

#include "Intervals.h"
#include "BoxWrites.h"
#include "Formula.h"
#include "MatrixReads.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tg;

/// How many iterations an asynchronous copy is followed for, before it may be
/// pending in all further ones: more than any pipeline has stages.
static constexpr int64_t kMaxStages = 8;

/// More paths than these are merged: less is known of each.
static constexpr size_t kMaxStates = 12;

/// The bytes that each item gives ldmatrix the address of.
static constexpr int64_t kMatrixRowBytes = 16;

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// Operations that all items of a subgroup execute together.
static bool isExchange(Operation *op) {
  return isa<gpu::ShuffleOp, gpu::SubgroupReduceOp, nvgpu::MmaSyncOp,
             nvgpu::LdMatrixOp, NVVM::WgmmaMmaAsyncOp>(op) ||
         isa<amdgpu::GatherToLDSOp, amdgpu::TransposeLoadOp>(op) ||
         op->getName().getStringRef() == "amdgpu.mfma" ||
         op->getName().getStringRef() == "amdgpu.wmma";
}

LogicalResult Intervals::collect(Operation *op) {
  if (isExchange(op))
    exchanges.push_back(op);
  if (isa<gpu::BarrierOp, NVVM::BarrierOp>(op))
    barriers.push_back(op);
  if (isa<gpu::BarrierOp, NVVM::BarrierOp, amdgpu::GatherToLDSOp,
          amdgpu::MemoryCounterWaitOp, nvgpu::DeviceAsyncCreateGroupOp,
          nvgpu::DeviceAsyncWaitOp, nvgpu::MBarrierTryWaitParityOp,
          NVVM::WgmmaGroupSyncAlignedOp, NVVM::WgmmaWaitGroupSyncOp,
          NVVM::CpAsyncBulkCommitGroupOp, NVVM::CpAsyncBulkWaitGroupOp>(op))
    for (Operation *up = op; up != func; up = up->getParentOp())
      synchronizing.insert(up);
  if (op->getNumRegions() != 0 && !isa<scf::ForOp, scf::IfOp>(op))
    return op->emitError("unsupported operation with regions");
  auto add = [&](MemoryAccess access) {
    std::optional<PermutedIndex> permuted;
    if (access.indices.size() == 1)
      permuted = matchPermutation(access.indices.front());
    if (permuted) {
      access.permutation = permuted->permutation;
      access.indices = OperandRange(permuted->original, 1);
    }
    accessesOf[op].push_back(accesses.size());
    accesses.push_back(access);
    return success();
  };
  if (auto product = dyn_cast<NVVM::WgmmaMmaAsyncOp>(op)) {
    FailureOr<std::array<MemoryAccess, 2>> reads =
        getMatrixReads(product, func);
    if (failed(reads))
      return failure();
    for (const MemoryAccess &read : *reads) {
      accessesOf[op].push_back(accesses.size());
      accesses.push_back(read);
    }
    return success();
  }
  if (auto address = dyn_cast<memref::ExtractAlignedPointerAsIndexOp>(op))
    return checkAddress(address);
  if (auto copy = dyn_cast<nvgpu::TmaAsyncLoadOp>(op)) {
    Value source;
    FailureOr<MemoryAccess> write = getBoxWrite(copy, func, source);
    if (failed(write))
      return failure();
    boxSources.push_back({op, source});
    accessesOf[op].push_back(accesses.size());
    accesses.push_back(*write);
    return success();
  }
  if (auto store = dyn_cast<nvgpu::TmaAsyncStoreOp>(op)) {
    FailureOr<std::array<MemoryAccess, 2>> both = getBoxStore(store, func);
    if (failed(both))
      return failure();
    for (const MemoryAccess &access : *both) {
      accessesOf[op].push_back(accesses.size());
      accesses.push_back(access);
    }
    return success();
  }
  // Parts of descriptions of boxes, which access nothing.
  if (isa<nvgpu::TmaCreateDescriptorOp>(op) ||
      (isa<memref::ReinterpretCastOp, memref::CastOp>(op) &&
       llvm::all_of(op->getUsers(), [](Operation *user) {
         return isa<nvgpu::TmaAsyncLoadOp, nvgpu::TmaAsyncStoreOp,
                    nvgpu::TmaCreateDescriptorOp, memref::CastOp>(user);
       })))
    return success();
  auto isMemory = [](Type type) { return isa<BaseMemRefType>(type); };
  auto isAccessible = [](Value memory) {
    auto type = dyn_cast<MemRefType>(memory.getType());
    return type && type.hasStaticShape() && type.getRank() > 0 &&
           type.getLayout().isIdentity() &&
           (isa<BlockArgument>(memory) ||
            memory.getDefiningOp<memref::AllocaOp>());
  };
  if (isa<memref::AssumeAlignmentOp, memref::AllocaOp>(op) ||
      llvm::none_of(op->getOperandTypes(), isMemory))
    return success();
  if (auto copy = dyn_cast<nvgpu::DeviceAsyncCopyOp>(op);
      copy && isAccessible(copy.getSrc()) && isAccessible(copy.getDst())) {
    const int64_t width = copy.getDstElements().getSExtValue();
    (void)add({op, copy.getSrc(), copy.getSrcIndices(), width,
               /*isWrite=*/false, copy.getSrcElements()});
    return add({op, copy.getDst(), copy.getDstIndices(), width,
                /*isWrite=*/true, Value(), /*isAsync=*/true});
  }
  if (auto copy = dyn_cast<amdgpu::GatherToLDSOp>(op);
      copy && isAccessible(copy.getSrc()) && isAccessible(copy.getDst())) {
    auto lanes = dyn_cast<VectorType>(copy.getTransferType());
    if (!lanes || copy.getDstIndices().size() != 1 ||
        lanes.getElementType() !=
            cast<MemRefType>(copy.getDst().getType()).getElementType())
      return op->emitError("unsupported copy");
    const int64_t width = lanes.getNumElements();
    (void)add({op, copy.getSrc(), copy.getSrcIndices(), width});
    accessesOf[op].push_back(accesses.size());
    accesses.push_back({op, copy.getDst(), copy.getDstIndices(), width,
                        /*isWrite=*/true, Value(), /*isAsync=*/true});
    accesses.back().isOfSubgroup = true;
    return success();
  }
  if (auto matrix = dyn_cast<nvgpu::LdMatrixOp>(op);
      matrix && isAccessible(matrix.getSrcMemref())) {
    auto type = cast<MemRefType>(matrix.getSrcMemref().getType());
    return add({op, matrix.getSrcMemref(), matrix.getIndices(),
                kMatrixRowBytes * 8 / type.getElementTypeBitWidth()});
  }
  // What a lane reads may go to others.
  if (auto read = dyn_cast<amdgpu::TransposeLoadOp>(op);
      read && isAccessible(read.getSrc())) {
    auto type = cast<VectorType>(read.getType());
    if (type.getElementType() !=
        cast<MemRefType>(read.getSrc().getType()).getElementType())
      return op->emitError("unsupported memory access");
    return add(
        {op, read.getSrc(), read.getSrcIndices(), type.getNumElements()});
  }
  std::optional<LoopAccess> access = getLoopAccess(op);
  if (!access || access->mask || !isAccessible(access->memory))
    return op->emitError("unsupported memory access");
  auto vector = dyn_cast<VectorType>(access->lanes);
  if (vector && vector.getRank() != 1)
    return op->emitError("unsupported memory access");
  return add({op, access->memory, access->indices,
              vector ? vector.getNumElements() : 1,
              /*isWrite=*/isa<memref::StoreOp, vector::StoreOp>(op)});
}

void Intervals::setPermutations() {
  for (MemoryAccess &copy : accesses)
    if (copy.isOfSubgroup)
      for (const MemoryAccess &other : accesses)
        if (other.memory == copy.memory && other.permutation)
          copy.permutation = other.permutation;
}

LogicalResult Intervals::collect() {
  if (!func.getBody().hasOneBlock())
    return func.emitError("has several blocks");
  FailureOr<Roles> found = findRoles(func);
  if (failed(found))
    return failure();
  roles = *found;
  WalkResult result = func.getBody().walk<WalkOrder::PreOrder>(
      [&](Operation *op) { return WalkResult(collect(op)); });
  if (result.wasInterrupted() || failed(checkMbarriers(func, roles)))
    return failure();
  setPermutations();
  for (auto [copy, source] : boxSources)
    for (const MemoryAccess &access : accesses)
      if (access.isWrite && access.memory == source) {
        InFlightDiagnostic error =
            copy->emitError("copies from a buffer that the function writes");
        error.attachNote(access.op->getLoc()) << "the write is here";
        return error;
      }
  // Boxes of one matrix are compared, and nothing else of their buffer.
  for (const MemoryAccess &store : accesses)
    for (const MemoryAccess &access : accesses)
      if (store.box && access.memory == store.memory &&
          !(access.box && access.box->distance == store.box->distance)) {
        InFlightDiagnostic error = store.op->emitError(
            "stores a box of a buffer that the function accesses otherwise");
        error.attachNote(access.op->getLoc()) << "the access is here";
        return error;
      }
  return success();
}

//===----------------------------------------------------------------------===//
// Paths
//===----------------------------------------------------------------------===//

static Iteration *lookup(Iterations &where, Operation *loop) {
  auto *it = llvm::find_if(
      where, [&](const auto &entry) { return entry.first == loop; });
  return it == where.end() ? nullptr : &it->second;
}

Operation *Intervals::getUnit(Operation *op) const {
  Operation *unit = op;
  for (Operation *up = op; up != func; up = up->getParentOp())
    if (!isSynchronizing(up))
      unit = up;
  return unit;
}

Intervals::State Intervals::getStartState(Operation *op) const {
  State state;
  for (Operation *up = op->getParentOp(); up != func; up = up->getParentOp())
    if (isa<scf::ForOp>(up))
      state.where.push_back({up, Iteration()});
  for (Operation *inner = op; inner->getParentOp() != func;
       inner = inner->getParentOp())
    if (auto branch = dyn_cast<scf::IfOp>(inner->getParentOp()))
      state.path.push_back({inner->getParentRegion() == &branch.getThenRegion()
                                ? PathFact::isTrue
                                : PathFact::isFalse,
                            branch, state.where});
  return state;
}

void Intervals::leave(State &state, Operation *loop) {
  auto isOfLoop = [&](const auto &entry) { return entry.first == loop; };
  Iteration *iteration = lookup(state.where, loop);
  // Another visit of the loop would mean another one of its iterations.
  if (iteration && iteration->base == Iteration::any)
    llvm::erase_if(state.path, [&](const PathFact &fact) {
      return llvm::any_of(fact.where, isOfLoop);
    });
  llvm::erase_if(state.where, isOfLoop);
}

/// Of states at the same iterations, only common facts are kept.
void Intervals::limit(States &states) {
  if (states.size() <= kMaxStates)
    return;
  States merged;
  for (State &state : states) {
    auto *same = llvm::find_if(merged, [&](const State &other) {
      return state.where == other.where && state.numGroups == other.numGroups &&
             state.hasWaited == other.hasWaited;
    });
    if (same == merged.end()) {
      merged.push_back(std::move(state));
      continue;
    }
    llvm::erase_if(same->path, [&](const PathFact &fact) {
      return !llvm::is_contained(state.path, fact);
    });
  }
  states = std::move(merged);
}

void Intervals::record(Operation *op, const States &states) {
  auto it = accessesOf.find(op);
  if (it == accessesOf.end())
    return;
  for (size_t access : it->second)
    for (const State &state : states)
      reached.push_back(
          {&accesses[access], state.where, state.path, state.hasWaited});
}

/// Whether a loop has an iteration, by its form alone.
static bool runsOnce(scf::ForOp loop) {
  APInt first, end, distance;
  if (matchPattern(loop.getLowerBound(), m_ConstantInt(&first)) &&
      matchPattern(loop.getUpperBound(), m_ConstantInt(&end)))
    return first.slt(end);
  auto sum = loop.getUpperBound().getDefiningOp<arith::AddIOp>();
  return sum && sum.getLhs() == loop.getLowerBound() &&
         matchPattern(sum.getRhs(), m_ConstantInt(&distance)) &&
         distance.isStrictlyPositive();
}

Intervals::States Intervals::walkLoop(scf::ForOp loop, States states) {
  States exits;
  Block *body = loop.getBody();
  for (int64_t round = 1; !states.empty(); ++round) {
    States ends = walk(body->begin(), body->end(), states);
    States next;
    for (State &state : ends) {
      const Iteration iteration = *lookup(state.where, loop);
      State exit = state;
      if (iteration.base != Iteration::any)
        exit.path.push_back({PathFact::ends, loop, exit.where});
      leave(exit, loop);
      exits.push_back(std::move(exit));
      if (iteration.base == Iteration::any)
        continue;
      Iteration &following = *lookup(state.where, loop);
      if (round < (isPending ? kMaxStages : 1)) {
        ++following.steps;
        state.path.push_back({PathFact::runs, loop, state.where});
      } else {
        // Items may be at different iterations from here on.
        following = {Iteration::any, 0};
      }
      next.push_back(std::move(state));
    }
    states = std::move(next);
    limit(states);
    limit(exits);
  }
  return exits;
}

bool Intervals::closesGroup(Operation *op) const {
  if (!isPending || position)
    return false;
  if (followed->isOfSubgroup)
    return isa<amdgpu::GatherToLDSOp>(op);
  if (isa<NVVM::WgmmaMmaAsyncOp>(followed->op))
    return isa<NVVM::WgmmaGroupSyncAlignedOp>(op);
  if (isa<nvgpu::TmaAsyncStoreOp>(followed->op))
    return isa<NVVM::CpAsyncBulkCommitGroupOp>(op);
  return isa<nvgpu::DeviceAsyncCreateGroupOp>(op);
}

bool Intervals::waitsForGroups(Operation *op) const {
  if (!isPending || position)
    return false;
  if (followed->isOfSubgroup) {
    auto wait = dyn_cast<amdgpu::MemoryCounterWaitOp>(op);
    return wait && wait.getLoad();
  }
  if (isa<NVVM::WgmmaMmaAsyncOp>(followed->op))
    return isa<NVVM::WgmmaWaitGroupSyncOp>(op);
  if (isa<nvgpu::TmaAsyncStoreOp>(followed->op)) {
    auto wait = dyn_cast<NVVM::CpAsyncBulkWaitGroupOp>(op);
    // One of reads says nothing of what is written.
    return wait && !(wait.getRead() && followed->isWrite);
  }
  return isa<nvgpu::DeviceAsyncWaitOp>(op);
}

/// How many groups may still run after a wait.
static int64_t getRunning(Operation *wait) {
  if (auto ofProducts = dyn_cast<NVVM::WgmmaWaitGroupSyncOp>(wait))
    return static_cast<int64_t>(ofProducts.getGroup());
  if (auto ofStores = dyn_cast<NVVM::CpAsyncBulkWaitGroupOp>(wait))
    return static_cast<int64_t>(ofStores.getGroup());
  // Each copy of a subgroup is a group; what is followed was counted before.
  if (auto ofSubgroup = dyn_cast<amdgpu::MemoryCounterWaitOp>(wait))
    return static_cast<int64_t>(*ofSubgroup.getLoad()) - 1;
  return cast<nvgpu::DeviceAsyncWaitOp>(wait).getNumGroups().value_or(0);
}

Intervals::States Intervals::walk(Block::iterator begin, Block::iterator end,
                                  States states) {
  for (auto it = begin; it != end && !states.empty(); ++it) {
    Operation *op = &*it;
    if (!isSynchronizing(op)) {
      op->walk([&](Operation *inner) { record(inner, states); });
      continue;
    }
    if (isa<gpu::BarrierOp, NVVM::BarrierOp>(op)) {
      llvm::erase_if(states, [&](const State &state) {
        return !isPending || state.hasWaited;
      });
    } else if (isa<nvgpu::MBarrierTryWaitParityOp>(op)) {
      // Every item waits for itself, so nothing is pending from here on.
      if (position)
        llvm::erase_if(states, [&](State &state) {
          const Iteration *at = lookup(state.where, op->getParentOp());
          return at && at->steps == position->offset &&
                 (position->loop ? position->loop == op->getParentOp() &&
                                       at->base == Iteration::current
                                 : at->base == Iteration::first);
        });
    } else if (isa<amdgpu::GatherToLDSOp>(op)) {
      record(op, states);
      for (State &state : states)
        state.numGroups += closesGroup(op);
    } else if (isa<nvgpu::DeviceAsyncCreateGroupOp,
                   NVVM::WgmmaGroupSyncAlignedOp,
                   NVVM::CpAsyncBulkCommitGroupOp>(op)) {
      for (State &state : states)
        state.numGroups += closesGroup(op);
    } else if (isa<amdgpu::MemoryCounterWaitOp, nvgpu::DeviceAsyncWaitOp,
                   NVVM::WgmmaWaitGroupSyncOp, NVVM::CpAsyncBulkWaitGroupOp>(
                   op)) {
      // The last groups may still run; the first one after the copy or the
      // matrix operation is its own.
      if (waitsForGroups(op))
        for (State &state : states)
          state.hasWaited |= state.numGroups > getRunning(op);
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      States no = states;
      for (State &state : states)
        state.path.push_back({PathFact::isTrue, op, state.where});
      for (State &state : no)
        state.path.push_back({PathFact::isFalse, op, state.where});
      states = walk(branch.thenBlock()->begin(), branch.thenBlock()->end(),
                    std::move(states));
      if (Block *other = branch.elseBlock())
        no = walk(other->begin(), other->end(), std::move(no));
      llvm::append_range(states, no);
    } else {
      auto loop = cast<scf::ForOp>(op);
      States around;
      for (State &state : states) {
        if (!runsOnce(loop)) {
          around.push_back(state);
          around.back().path.push_back({PathFact::isEmpty, op, state.where});
        }
        state.where.push_back({op, {Iteration::first, 0}});
        state.path.push_back({PathFact::runs, op, state.where});
      }
      states = walkLoop(loop, std::move(states));
      llvm::append_range(states, around);
    }
    limit(states);
  }
  return states;
}

void Intervals::walkFrom(Operation *unit, State state) {
  States states{std::move(state)};
  Operation *op = unit;
  while (true) {
    Block *block = op->getBlock();
    states =
        walk(std::next(op->getIterator()), block->end(), std::move(states));
    op = op->getParentOp();
    if (op == func)
      return;
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop)
      continue;
    States exits, next;
    for (State &state : states) {
      exits.push_back(state);
      exits.back().path.push_back({PathFact::ends, op, state.where});
      leave(exits.back(), op);
      ++lookup(state.where, op)->steps;
      state.path.push_back({PathFact::runs, op, state.where});
      next.push_back(std::move(state));
    }
    states = walkLoop(loop, std::move(next));
    llvm::append_range(states, exits);
    limit(states);
  }
}

SmallVector<Reached> Intervals::findFrom(Operation *barrier) {
  reached.clear();
  isPending = false;
  position.reset();
  if (barrier) {
    walkFrom(barrier, getStartState(barrier));
  } else {
    Block &body = func.getBody().front();
    (void)walk(body.begin(), body.end(), {State()});
  }
  return std::move(reached);
}

SmallVector<Reached> Intervals::findPending(const MemoryAccess &copy) {
  reached.clear();
  isPending = true;
  followed = &copy;
  position = copy.position;
  Operation *unit = getUnit(copy.op);
  State state = getStartState(unit);
  unit->walk([&](Operation *inner) { record(inner, {state}); });
  walkFrom(unit, std::move(state));
  return std::move(reached);
}

Reached Intervals::getStart(const MemoryAccess &access) {
  State state = getStartState(getUnit(access.op));
  return {&access, state.where, state.path};
}
