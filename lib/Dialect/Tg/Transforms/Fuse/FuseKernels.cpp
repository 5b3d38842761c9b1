//===- FuseKernels.cpp - kernels with several results ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The tg-fuse-kernels pass. The steps of a host program are nodes of a
/// dependence graph. Two launches are merged if no other node is on a path
/// between them, so that the graph stays acyclic; their neighbors decide which
/// of the two positions in the program the merged launch takes, and whether
/// some of them have to move in front of it. Each launch is compared with a
/// limited number of recent launches on the same memory, so that the time is
/// linear in the number of launches.
///
//===----------------------------------------------------------------------===//

#include "../KernelSet.h"
#include "MergeKernels.h"
#include "TinyGrad/Dialect/Tg/IR/TgBufferPart.h"
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringSet.h"
#include <map>

namespace mlir::tg {
#define GEN_PASS_DEF_TGFUSEKERNELS
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;
using namespace mlir::tg;

/// How many of the most recent launches on a memory are candidates, and how
/// many candidates are tried.
constexpr size_t kMaxRecent = 8, kMaxTries = 4;
/// For how many producers of a launch other consumers are searched.
constexpr size_t kMaxProducers = 4;
/// Nodes with more neighbors are not merged.
constexpr size_t kMaxNeighbours = 256;
/// The distance of positions in the program, and how many nodes may be moved
/// in front of another one for a merge.
constexpr int64_t kSpacing = 1024;
constexpr size_t kMaxMoved = 4;

namespace {

/// A step of a host program: a launch, a transfer, or a sort.
struct Node {
  /// Its position in the program; greater than that of its dependences.
  int64_t order = 0;
  /// How many nodes were moved to directly before it.
  int64_t numMovedBefore = 0;
  Operation *op = nullptr;
  /// Set for launches.
  KernelOp kernel;
  SmallVector<Value> buffers;
  llvm::SmallSetVector<Node *, 4> dependences, dependents;
  /// The node that this one was merged into, if any.
  Node *into = nullptr;

  bool isMerged() const { return op == nullptr; }
};

/// The nodes that read or write each part of a memory.
class PartMap {
public:
  void insert(const BufferPart &part, Node *node) {
    auto [begin, end] = getBytes(part);
    longest = std::max(longest, end - begin);
    parts.insert({begin, {end, node}});
  }
  void forEachOverlap(const BufferPart &part,
                      llvm::function_ref<void(Node *)> body) const {
    auto [begin, end] = getBytes(part);
    auto from =
        begin > longest ? parts.lower_bound(begin - longest) : parts.begin();
    for (auto it = from; it != parts.end() && it->first < end; ++it)
      if (it->second.first > begin)
        body(it->second.second);
  }
  void clear() { parts.clear(); }

private:
  static std::pair<int64_t, int64_t> getBytes(const BufferPart &part) {
    return part.bytes.value_or(std::pair<int64_t, int64_t>(0, INT64_MAX));
  }

  std::multimap<int64_t, std::pair<int64_t, Node *>> parts;
  int64_t longest = 0;
};

/// A buffer filled by a transfer.
struct Copy {
  Value source;
  /// The first node after the transfer that writes the source, if it writes the
  /// same buffer.
  Node *firstWriter = nullptr;
};

/// Facts about the memory of an argument or allocation.
struct Memory {
  PartMap readers, writers;
  /// The most recent launches that access it.
  SmallVector<Node *, kMaxRecent> recent;
  llvm::SmallPtrSet<Node *, 4> users;
  /// Whether the caller can read it.
  bool escapes = false;
  /// Copies that still equal its contents.
  SmallVector<Value, 1> copies;
  int64_t numWrites = 0;
};

/// The kernels of a module, and those created by merging. The result for each
/// pair of kernels is cached, because programs repeat themselves.
class KernelPool {
public:
  KernelInfo &getInfo(KernelOp kernel) {
    std::unique_ptr<KernelInfo> &info = infos[kernel];
    if (!info)
      info = std::make_unique<KernelInfo>(kernel);
    return *info;
  }
  const MergedKernel &merge(const MergeRequest &request);
  void finish(ModuleOp module, const llvm::SetVector<KernelOp> &launched);

private:
  llvm::MapVector<Operation *, std::unique_ptr<KernelInfo>> infos;
  std::map<std::vector<uint64_t>, MergedKernel> known;
  KernelSet kernels;
  SmallVector<KernelOp> made;
};

class Fuser {
public:
  Fuser(func::FuncOp func, KernelPool &pool, const SymbolTable &symbols)
      : func(func), pool(pool), symbols(symbols) {}

  /// Returns the number of launches that were merged into others.
  int64_t run();
  int64_t numCopies = 0;
  /// Adds the kernels that the program launches.
  void addLaunched(llvm::SetVector<KernelOp> &launched);
  void emit();

private:
  bool createNodes();
  void addEdges(Node &node, Value buffer, bool isWritten);
  Value getCanonical(Value buffer);
  SmallVector<Node *> findCandidates(Node &node);
  bool haveProducer(Node &first, Node &second);
  Node *tryMerge(Node &a, Node &b);
  std::optional<MergeRequest> getRequest(Node &first, Node &second,
                                         SmallVectorImpl<Value> &buffers);
  Value findOriginal(Value buffer, Node &first, Node &second);
  bool isIntermediateOf(Value buffer, Node &first, Node &second);
  Node *replace(Node &kept, Node &gone, const MergedKernel &merged,
                ArrayRef<Value> buffers);
  void touch(Node &node);
  size_t countOutputs(Node &node) {
    return node.kernel ? static_cast<size_t>(node.kernel.getOutputs()) : 0;
  }
  Node *find(Node *node) {
    while (node->into)
      node = node->into;
    return node;
  }

  func::FuncOp func;
  KernelPool &pool;
  const SymbolTable &symbols;
  std::vector<std::unique_ptr<Node>> nodes;
  /// On the heap, since programs may have very many memories.
  Memory &memoryOf(Value root) {
    std::unique_ptr<Memory> &memory = memories[root];
    if (!memory)
      memory = std::make_unique<Memory>();
    return *memory;
  }
  DenseMap<Value, std::unique_ptr<Memory>> memories;
  DenseMap<Value, BufferPart> parts;
  std::map<std::tuple<void *, void *, void *>, Value> subbuffers;
  DenseMap<Value, Value> canonical;
  DenseMap<Value, Copy> copies;
};

} // namespace

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

const MergedKernel &KernelPool::merge(const MergeRequest &request) {
  std::vector<uint64_t> key{
      reinterpret_cast<uint64_t>(request.first->kernel.getOperation()),
      reinterpret_cast<uint64_t>(request.second->kernel.getOperation())};
  auto append = [&](const auto &list) {
    key.insert(key.end(), list.begin(), list.end());
  };
  append(request.firstSlots);
  append(request.secondSlots);
  append(request.isFirstOld);
  append(request.isSecondOld);
  append(request.isTemporary);
  key.push_back(request.haveProducer);
  auto [it, isNew] = known.try_emplace(std::move(key));
  if (!isNew)
    return it->second;
  MergedKernel &merged = it->second = mergeKernels(request);
  if (!merged.kernel)
    return merged;
  KernelOp kernel = kernels.insert(merged.kernel);
  if (kernel != merged.kernel) {
    merged.kernel->erase();
    merged.kernel = kernel;
  } else {
    made.push_back(kernel);
  }
  return merged;
}

/// Inserts new kernels that are launched into the module, and erases kernels
/// that are no longer launched.
void KernelPool::finish(ModuleOp module,
                        const llvm::SetVector<KernelOp> &launched) {
  llvm::StringSet<> taken;
  for (Operation &op : *module.getBody())
    if (auto symbol = dyn_cast<SymbolOpInterface>(op))
      taken.insert(symbol.getName());
  // Before the first function, in the order of their launches.
  auto funcs = module.getOps<func::FuncOp>();
  Operation *place = *funcs.begin();
  int64_t number = 0;
  for (KernelOp kernel : launched) {
    if (kernel->getBlock())
      continue;
    std::string name;
    do
      name = (kernel.getName() + "_n" + Twine(number++)).str();
    while (!taken.insert(name).second);
    kernel.setName(name);
    OpBuilder(place).insert(kernel);
  }
  for (KernelOp kernel : made)
    if (!launched.contains(kernel))
      kernel->erase();
}

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

/// The same value for all tg.subbuffer of the same part.
Value Fuser::getCanonical(Value buffer) {
  auto known = canonical.find(buffer);
  if (known != canonical.end())
    return known->second;
  Value result = buffer;
  if (auto part = buffer.getDefiningOp<SubbufferOp>())
    result = subbuffers
                 .try_emplace(
                     {part.getSource().getAsOpaquePointer(),
                      const_cast<void *>(part.getOffset().getAsOpaquePointer()),
                      const_cast<void *>(part.getType().getAsOpaquePointer())},
                     buffer)
                 .first->second;
  canonical[buffer] = result;
  parts.try_emplace(result, getBufferPart(result));
  return result;
}

/// Adds edges from the writers of what the node reads, and from all users of
/// what the node writes.
void Fuser::addEdges(Node &node, Value buffer, bool isWritten) {
  const BufferPart &part = parts[buffer];
  Memory &memory = memoryOf(part.root);
  auto add = [&](Node *other) {
    if (other == &node)
      return;
    node.dependences.insert(other);
    other->dependents.insert(&node);
  };
  memory.users.insert(&node);
  memory.writers.forEachOverlap(part, add);
  if (!isWritten) {
    memory.readers.insert(part, &node);
    return;
  }
  memory.readers.forEachOverlap(part, add);
  // An access to the whole memory follows all earlier accesses.
  if (buffer == part.root) {
    memory.readers.clear();
    memory.writers.clear();
  }
  memory.writers.insert(part, &node);
  ++memory.numWrites;
  for (Value copy : memory.copies)
    if (Copy &known = copies[copy]; known.source == buffer)
      known.firstWriter = &node;
  memory.copies.clear();
}

/// Returns false if the program contains an unsupported operation.
bool Fuser::createNodes() {
  Block &block = func.getBody().front();
  for (Operation &op : block) {
    if (isa<AllocOp, LiteralOp, SubbufferOp>(op))
      continue;
    if (isa<func::ReturnOp>(op)) {
      // A function may also return values that are not buffers.
      for (Value result : op.getOperands())
        if (isBufferType(result.getType()))
          memoryOf(getBufferPart(result).root).escapes = true;
      continue;
    }
    if (!isa<LaunchOp, TransferOp, SortOp>(op))
      return false;
    nodes.push_back(std::make_unique<Node>());
    Node &node = *nodes.back();
    node.order = static_cast<int64_t>(nodes.size()) * kSpacing;
    node.op = &op;
    for (Value operand : op.getOperands())
      node.buffers.push_back(getCanonical(operand));
    if (auto launch = dyn_cast<LaunchOp>(op)) {
      // A launch with numbers shares its kernel with launches of other numbers.
      if (launch.getNumbers())
        return false;
      node.kernel = symbols.lookup<KernelOp>(launch.getKernel());
      const size_t outputs = countOutputs(node);
      for (auto [i, buffer] : llvm::enumerate(node.buffers))
        if (i >= outputs || node.kernel.getInPlace())
          addEdges(node, buffer, /*isWritten=*/false);
      for (Value buffer : ArrayRef(node.buffers).take_front(outputs))
        addEdges(node, buffer, /*isWritten=*/true);
      continue;
    }
    auto [source, dest] = std::pair(node.buffers[0], node.buffers[1]);
    addEdges(node, source, /*isWritten=*/false);
    addEdges(node, dest, /*isWritten=*/true);
    if (!isa<TransferOp>(op))
      continue;
    Memory &memory = memoryOf(parts[source].root);
    if (dest.getDefiningOp<AllocOp>()) {
      copies[dest] = {source, nullptr};
      memory.copies.push_back(dest);
    }
  }
  for (BlockArgument argument : block.getArguments())
    memoryOf(argument).escapes = true;
  return true;
}

//===----------------------------------------------------------------------===//
// Merging
//===----------------------------------------------------------------------===//

/// Makes a launch the most recent one of each memory that it accesses.
void Fuser::touch(Node &node) {
  for (Value buffer : node.buffers) {
    SmallVectorImpl<Node *> &recent = memoryOf(parts[buffer].root).recent;
    llvm::erase(recent, &node);
    if (recent.size() == kMaxRecent)
      recent.erase(recent.begin());
    recent.push_back(&node);
  }
}

/// Launches that access the same memory, ordered by its size, followed by other
/// consumers of the same producers.
SmallVector<Node *> Fuser::findCandidates(Node &node) {
  llvm::MapVector<Node *, double> weights;
  for (Value buffer : node.buffers) {
    const auto type = cast<MemRefType>(buffer.getType());
    const auto size =
        type.hasStaticShape() ? static_cast<double>(type.getNumElements()) : 0;
    auto add = [&](Node *other) {
      if (other != &node && other->kernel)
        weights[other] += size;
    };
    llvm::for_each(memoryOf(parts[buffer].root).recent, add);
    // The node that overwrote the source of this copy.
    if (auto copy = copies.find(buffer);
        copy != copies.end() && copy->second.firstWriter)
      add(find(copy->second.firstWriter));
  }
  for (Node *producer :
       ArrayRef(node.dependences.getArrayRef()).take_front(kMaxProducers))
    for (Value buffer :
         ArrayRef(producer->buffers).take_front(countOutputs(*producer)))
      for (Node *other : memoryOf(parts[buffer].root).recent)
        if (other != &node && other != producer && other->kernel)
          weights.insert({other, 0});
  SmallVector<std::pair<Node *, double>> sorted(weights.begin(), weights.end());
  llvm::stable_sort(sorted, [](auto a, auto b) { return a.second > b.second; });
  SmallVector<Node *> candidates;
  for (auto [other, weight] : sorted)
    if (candidates.size() < kMaxTries)
      candidates.push_back(other);
  return candidates;
}

/// The source of a copy, if one of the two nodes is the first to overwrite it:
/// then both can read the old contents there.
Value Fuser::findOriginal(Value buffer, Node &first, Node &second) {
  auto copy = copies.find(buffer);
  if (copy == copies.end() || !copy->second.firstWriter ||
      memoryOf(buffer).numWrites != 1)
    return Value();
  Node *writer = find(copy->second.firstWriter);
  if (writer != &first && writer != &second)
    return Value();
  return copy->second.source;
}

/// Whether the buffer is an intermediate that no other node accesses.
bool Fuser::isIntermediateOf(Value buffer, Node &first, Node &second) {
  const Memory &memory = memoryOf(parts[buffer].root);
  return buffer.getDefiningOp<AllocOp>() && !memory.escapes &&
         memory.users.size() == 2 && memory.users.contains(&first) &&
         memory.users.contains(&second);
}

/// Whether both read outputs of the same launch.
bool Fuser::haveProducer(Node &first, Node &second) {
  return llvm::any_of(first.dependences, [&](Node *producer) {
    auto readsOutput = [&](Node &node) {
      return llvm::any_of(
          ArrayRef(producer->buffers).take_front(countOutputs(*producer)),
          [&](Value buffer) {
            return llvm::is_contained(node.buffers, buffer);
          });
    };
    return second.dependences.contains(producer) && readsOutput(first) &&
           readsOutput(second);
  });
}

/// Numbers the buffers. None if a buffer is partly written.
std::optional<MergeRequest> Fuser::getRequest(Node &first, Node &second,
                                              SmallVectorImpl<Value> &buffers) {
  MergeRequest request;
  request.first = &pool.getInfo(first.kernel);
  request.second = &pool.getInfo(second.kernel);
  llvm::SmallDenseSet<Value> written;
  for (Node *node : {&first, &second})
    written.insert_range(
        ArrayRef(node->buffers).take_front(countOutputs(*node)));
  for (Node *node : {&first, &second}) {
    const bool isSecond = node == &second;
    for (Value buffer : node->buffers) {
      Value original = findOriginal(buffer, first, second);
      const bool isOld =
          original && written.contains(original) && !written.contains(buffer);
      if (isOld)
        buffer = original;
      auto *it = llvm::find(buffers, buffer);
      const auto slot = static_cast<unsigned>(it - buffers.begin());
      if (it == buffers.end())
        buffers.push_back(buffer);
      (isSecond ? request.secondSlots : request.firstSlots).push_back(slot);
      (isSecond ? request.isSecondOld : request.isFirstOld).push_back(isOld);
    }
  }
  request.haveProducer = haveProducer(first, second);
  for (Value output : written)
    for (Value buffer : buffers)
      if (buffer != output && parts[buffer].mayOverlap(parts[output]))
        return std::nullopt;
  request.isTemporary.resize(buffers.size());
  for (size_t i = 0; i < countOutputs(first); ++i)
    request.isTemporary[request.firstSlots[i]] =
        llvm::is_contained(second.buffers, first.buffers[i]) &&
        isIntermediateOf(first.buffers[i], first, second);
  for (size_t i = 0; i < countOutputs(second); ++i)
    request.isTemporary[request.secondSlots[i]] = false;
  return request;
}

/// Replaces both launches by the merged one, at the position of `kept`.
Node *Fuser::replace(Node &kept, Node &gone, const MergedKernel &merged,
                     ArrayRef<Value> buffers) {
  for (Node *node : {&kept, &gone})
    for (Value buffer : node->buffers) {
      Memory &memory = memoryOf(parts[buffer].root);
      memory.users.erase(node);
      llvm::erase(memory.recent, node);
    }
  kept.dependences.remove(&gone);
  kept.dependents.remove(&gone);
  for (Node *other : gone.dependences) {
    other->dependents.remove(&gone);
    if (other != &kept && kept.dependences.insert(other))
      other->dependents.insert(&kept);
  }
  for (Node *other : gone.dependents) {
    other->dependences.remove(&gone);
    if (other != &kept && kept.dependents.insert(other))
      other->dependences.insert(&kept);
  }
  gone.op = nullptr;
  gone.into = &kept;
  kept.kernel = merged.kernel;
  kept.buffers = llvm::map_to_vector(
      merged.slots, [&](unsigned slot) { return buffers[slot]; });
  for (Value buffer : kept.buffers)
    memoryOf(parts[buffer].root).users.insert(&kept);
  return &kept;
}

/// Collects what `second` depends on and comes after `first`, if all of it can
/// run before `first`: it depends on nothing in between.
static bool findMovable(Node &first, Node &second,
                        SmallVectorImpl<Node *> &moved) {
  for (Node *node : second.dependences) {
    if (node == &first || node->order < first.order)
      continue;
    moved.push_back(node);
    if (moved.size() > kMaxMoved || node->dependences.size() > kMaxNeighbours ||
        llvm::any_of(node->dependences,
                     [&](Node *other) { return other->order >= first.order; }))
      return false;
  }
  // There are no positions between that of a node which was moved itself and
  // the one before.
  return moved.empty() ||
         (first.order % kSpacing == 0 &&
          first.numMovedBefore + static_cast<int64_t>(kMaxMoved) < kSpacing);
}

/// Merges two launches and returns the remaining node, or null.
Node *Fuser::tryMerge(Node &a, Node &b) {
  Node &first = a.order < b.order ? a : b, &second = a.order < b.order ? b : a;
  auto isBefore = [&](Node *other) {
    return other == &first || other->order < first.order;
  };
  auto isAfter = [&](Node *other) {
    return other == &second || other->order > second.order;
  };
  for (Node *node : {&first, &second})
    if (node->dependences.size() + node->dependents.size() > kMaxNeighbours ||
        !pool.getInfo(node->kernel).obstacle.empty())
      return nullptr;
  SmallVector<Node *> moved;
  const bool isLate = !llvm::all_of(second.dependences, isBefore) &&
                      llvm::all_of(first.dependents, isAfter);
  if (!isLate && !findMovable(first, second, moved))
    return nullptr;
  SmallVector<Value> buffers;
  std::optional<MergeRequest> request = getRequest(first, second, buffers);
  if (!request)
    return nullptr;
  const MergedKernel &merged = pool.merge(*request);
  const std::string names =
      (first.kernel.getName() + " and " + second.kernel.getName()).str();
  auto options = remark::RemarkOpts::name("merge").category("tg-fuse-kernels");
  if (!merged.kernel) {
    remark::missed(second.op->getLoc(), options)
        << names + " stay apart: " + merged.reason;
    return nullptr;
  }
  remark::passed(second.op->getLoc(), options)
      << names + " become one kernel, which saves " +
             std::to_string(static_cast<int64_t>(merged.savedBytes)) +
             " bytes of loads and stores";
  for (Node *node : moved)
    node->order = first.order - kSpacing + ++first.numMovedBefore;
  return isLate ? replace(second, first, merged, buffers)
                : replace(first, second, merged, buffers);
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

/// Writes the nodes to the program in their new order.
void Fuser::emit() {
  Block &block = func.getBody().front();
  Operation *end = block.getTerminator();
  SmallVector<Node *> sorted;
  for (auto &node : nodes)
    if (!node->isMerged())
      sorted.push_back(node.get());
  llvm::sort(sorted, [](Node *a, Node *b) { return a->order < b->order; });
  SmallVector<Operation *> old;
  for (Operation &op : block)
    if (isa<LaunchOp, TransferOp, SortOp>(op))
      old.push_back(&op);
  OpBuilder builder(end);
  for (Node *node : sorted) {
    if (!node->kernel) {
      builder.clone(*node->op)->setOperands(node->buffers);
      continue;
    }
    LaunchOp::create(builder, node->op->getLoc(), node->kernel.getSymName(),
                     node->buffers);
  }
  for (Operation *op : old)
    op->erase();
  // Erases copies that are no longer read, and other unused memory.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    if (auto transfer = dyn_cast<TransferOp>(op)) {
      if (transfer.getDest().getDefiningOp<AllocOp>() &&
          transfer.getDest().hasOneUse()) {
        transfer.erase();
        ++numCopies;
      }
    } else if (isa<AllocOp, SubbufferOp>(op) && op.use_empty()) {
      op.erase();
    }
  }
}

int64_t Fuser::run() {
  if (!func.getBody().hasOneBlock() || !createNodes())
    return 0;
  int64_t numMerged = 0;
  for (auto &owned : nodes) {
    Node *node = owned.get();
    if (!node->kernel || node->isMerged())
      continue;
    bool changed = true;
    while (changed) {
      changed = false;
      for (Node *candidate : findCandidates(*node))
        if (Node *merged = tryMerge(*candidate, *node)) {
          node = merged;
          ++numMerged;
          changed = true;
          break;
        }
    }
    touch(*node);
  }
  return numMerged;
}

void Fuser::addLaunched(llvm::SetVector<KernelOp> &launched) {
  for (auto &node : nodes)
    if (!node->isMerged() && node->kernel)
      launched.insert(node->kernel);
}

/// Adds the kernels that the function launches before any merging.
static void addLaunched(func::FuncOp func, const SymbolTable &symbols,
                        llvm::SetVector<KernelOp> &launched) {
  func.walk([&](LaunchOp launch) {
    launched.insert(symbols.lookup<KernelOp>(launch.getKernel()));
  });
}

namespace {
struct TgFuseKernelsPass
    : public tg::impl::TgFuseKernelsBase<TgFuseKernelsPass> {
  using Base::Base;

  void runOnOperation() override {
    KernelPool pool;
    const SymbolTable symbols(getOperation());
    // Functions in which launches were merged.
    std::vector<std::unique_ptr<Fuser>> fusers;
    llvm::SetVector<KernelOp> before, after;
    int64_t merged = 0;
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      addLaunched(func, symbols, before);
      auto fuser = std::make_unique<Fuser>(func, pool, symbols);
      if (int64_t count = fuser->run()) {
        merged += count;
        fuser->addLaunched(after);
        fusers.push_back(std::move(fuser));
      } else {
        addLaunched(func, symbols, after);
      }
    }
    if (merged == 0)
      return markAllAnalysesPreserved();
    pool.finish(getOperation(), after);
    for (auto &fuser : fusers) {
      fuser->emit();
      numCopies += fuser->numCopies;
    }
    numMerged += merged;
    for (KernelOp kernel : before)
      if (!after.contains(kernel))
        kernel.erase();
  }
};
} // namespace
