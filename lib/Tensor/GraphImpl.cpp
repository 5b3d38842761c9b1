//===- GraphImpl.cpp - the graph behind tensors ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Uniquing operations, tracking their users, replacing them.
///
//===----------------------------------------------------------------------===//

#include "GraphImpl.h"
#include "Aliasing.h"
#include "Recorder.h"
#include "Shards.h"
#include "TinyGrad/Compiler/Compiler.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/Transforms/Differentiate.h"
#include "TinyGrad/HostJit/DiskCache.h"
#include "TinyGrad/Runtime/Environment.h"
#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/Tensor/Graph.h"
#include "TinyGrad/Tensor/Training.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <cstring>
#include <new>
#include <random>
#include <utility>

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::detail;

//===----------------------------------------------------------------------===//
// Uniqueness
//===----------------------------------------------------------------------===//

static unsigned hashOf(Operation *op) {
  const unsigned hash = unsigned(OperationEquivalence::computeHash(
      op, OperationEquivalence::directHashValue,
      OperationEquivalence::ignoreHashValue,
      OperationEquivalence::IgnoreLocations));
  return hash ? hash : 1;
}

bool HashedOperationInfo::isEqual(HashedOperation lhs, HashedOperation rhs) {
  if (lhs.op == rhs.op)
    return true;
  // The special keys of the set have hash 0, which no operation has.
  return lhs.hash == rhs.hash && lhs.hash != 0 &&
         OperationEquivalence::isEquivalentTo(
             lhs.op, rhs.op, OperationEquivalence::IgnoreLocations);
}

/// Buffers are memory and assignments are side effects: each is unique.
static bool isUniqueByItself(Operation *op) {
  return isa<tg::BufferOp, tg::AssignOp>(op);
}

void GraphImpl::add(Operation *op, unsigned hash) {
  SmallVector<KnownVariable *> variables;
  if (hasDims) {
    walkVariables(
        op, [&](KnownVariable &variable) { variables.push_back(&variable); });
    // With count 0, because remove() looks up each variable.
    for (KnownVariable *variable : variables)
      heldVariables.try_emplace(variable, 0);
  }
  Node &added = nodes[op];
  added.hash = hash;
  // The old contents of the target of an assignment are not part of its value.
  const unsigned firstOperand = isa<tg::AssignOp>(op) ? 1 : 0;
  if (hasLeaves && !tg::stopsGradient(op))
    added.isTracked = llvm::any_of(
        op->getOperands().drop_front(
            std::min(firstOperand, op->getNumOperands())),
        [&](Value operand) { return node(operand.getDefiningOp()).isTracked; });
  // Nothing below allocates, so that an operation is added completely or not at
  // all.
  for (KnownVariable *variable : variables)
    if (++heldVariables[variable] == 1)
      holdVariable(*variable);
  // Operations that usually contain new numbers.
  garbage += isa<tg::ConstOp, tg::ShrinkOp, tg::PadOp, tg::DimOp>(op);
  numCopies += isa<tg::CopyOp>(op);
}

Operation *
GraphImpl::makeOrDrop(llvm::function_ref<Operation *()> makeOperation) {
  Block &body = *module->getBody();
  const Block::iterator next = builder.getInsertionPoint();
  try {
    return makeOperation();
  } catch (...) {
    // New operations precede the insertion point.
    while (next != body.begin() && !nodes.contains(&*std::prev(next)) &&
           std::prev(next)->use_empty())
      std::prev(next)->erase();
    throw;
  }
}

bool GraphImpl::skipsTensor(Operation *op, Value folded) const {
  if (!isa<FloatType>(getElementTypeOrSelf(folded)) ||
      llvm::is_contained(op->getOperands(), folded))
    return false;
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    Operation *source = operand.getDefiningOp();
    auto found = nodes.find(source);
    if (found == nodes.end() ||
        !llvm::is_contained(source->getOperands(), folded))
      return false;
    for (Handle *handle = found->second.firstHandle; handle;
         handle = handle->next)
      if (!handle->isInternal)
        return true;
    return false;
  });
}

/// Whether \p op depends on floats that \p folded, a constant or what a known
/// condition selects, does not depend on. A loss that is computed from a
/// parameter has a gradient by it, if only zeros.
static bool losesOperand(Operation *op, Value folded) {
  auto type = cast<RankedTensorType>(folded.getType());
  auto isConstant = [](Value value) {
    return isa<tg::ConstOp>(value.getDefiningOp());
  };
  // Tensors without elements are constants.
  if (!isa<FloatType>(type.getElementType()) ||
      llvm::is_contained(type.getShape(), 0) ||
      !(isConstant(folded) || isa<tg::WhereOp>(op)))
    return false;
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    return operand != folded && isa<FloatType>(getElementTypeOrSelf(operand)) &&
           !isConstant(operand);
  });
}

Value GraphImpl::fold(Operation *op) {
  const Value result = op->getResult(0);
  SmallVector<Value, 1> folded;
  if (failed(builder.tryFold(op, folded)) || folded.empty() ||
      folded.front() == result || skipsTensor(op, folded.front()))
    return result;
  if (losesOperand(op, folded.front())) {
    // A constant that was made for this is not of the graph.
    if (Operation *made = folded.front().getDefiningOp(); !isNode(made))
      made->erase();
    return result;
  }
  op->erase();
  return folded.front();
}

Operation *GraphImpl::intern(Value value) {
  Operation *op = value.getDefiningOp();
  // Folding may return an existing operation. One that is not in the set is
  // unique by itself or became equal to another one in replace().
  auto old = nodes.find(op);
  if (old == nodes.end()) {
    Operation *node = addOrFind(op);
    if (node != op)
      op->erase();
    return node;
  }
  if (old->second.hash != 0 || isUniqueByItself(op))
    return op;
  const unsigned hash = hashOf(op);
  auto [it, isNew] = unique.insert({op, hash});
  if (isNew)
    old->second.hash = hash;
  return it->op;
}

Operation *GraphImpl::addOrFind(Operation *op) {
  const unsigned hash = hashOf(op);
  auto [it, isNew] = unique.insert({op, hash});
  if (!isNew)
    return it->op;
  try {
    add(op, hash);
  } catch (...) {
    unique.erase({op, hash});
    throw;
  }
  return op;
}

void GraphImpl::forget(Operation *op) {
  unsigned &hash = node(op).hash;
  if (hash != 0)
    unique.erase({op, hash});
  hash = 0;
}

void tinygrad::detail::prepareToMake() {
  checkThread();
  // More memory than several operations take, as one block of a size that
  // malloc() does not cache: after free(), it is available for small
  // blocks. Without volatile, the allocation would be optimized away.
  constexpr unsigned numOperations = 16, bytes = 4096;
  static thread_local unsigned numPrepared = 0;
  if (numPrepared != 0) {
    --numPrepared;
    return;
  }
  void *volatile memory = std::malloc(numOperations * bytes);
  if (!memory)
    throw std::bad_alloc();
  std::free(memory);
  numPrepared = numOperations - 1;
}

Location GraphImpl::locationOf(const char *name) {
  LocationAttr &known = locations[name];
  if (!known)
    known = NameLoc::get(builder.getStringAttr(name));
  return known;
}

Operation *GraphImpl::constant(Type type, TypedAttr value) {
  prepareToMake();
  Operation *&op = constants[{type, value}];
  if (!op)
    op = makeOrDrop([&] {
      return intern(tg::ConstOp::create(builder, location, type, value));
    });
  return op;
}

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

TensorImpl::TensorImpl(std::shared_ptr<GraphImpl> graph, Operation *op,
                       DType dtype, Shape shape, Device *device)
    : graph(std::move(graph)), dtype(dtype), shape(std::move(shape)),
      device(device) {
  this->op = op;
  this->graph->link(*this);
  if (Recorder *recorder = Recorder::current())
    recorder->made(*this);
}

TensorImpl::TensorImpl(std::shared_ptr<GraphImpl> graph, DType dtype,
                       Shape shape, Device *device)
    : graph(std::move(graph)), dtype(dtype), shape(std::move(shape)),
      device(device) {}

TensorImpl::~TensorImpl() {
  std::lock_guard<GraphMutex> lock(graph->mutex);
  if (graph->recorder && graph->recorder->number() == epoch)
    graph->recorder->forget(*this);
  Storage::leave(*this);
  graph->release(*this);
  if (shards)
    graph->release(shards->gathered);
}

TensorImpl *GraphImpl::findLeaf(Operation *op) {
  for (Handle *handle = node(op).firstHandle; handle; handle = handle->next)
    if (handle->requiresGrad)
      return static_cast<TensorImpl *>(handle);
  return nullptr;
}

void GraphImpl::markLeaf(Operation *op) {
  hasLeaves = true;
  node(op).isTracked = node(op).isLeaf = true;
}

void GraphImpl::markCut(Operation *op, Operation *memory) {
  Node &from = node(op), &to = node(memory);
  if (!from.isTracked)
    return;
  to.isTracked = true;
  // What was a leaf before an assignment remains that.
  (from.isLeaf && !findLeaf(op) ? to.isLeaf : to.isCut) = true;
}

/// What changes if the tensor is assigned to.
static std::shared_ptr<const void> identityOf(TensorImpl &tensor) {
  if (tensor.storage)
    return tensor.storage;
  return tensor.shared_from_this();
}

void GraphImpl::addFormerValue(TensorImpl &tensor) {
  Operation *op =
      tensor.storage ? tensor.storage->operation() : operation(tensor);
  if (isFormerValue(op, tensor))
    return;
  auto &list = formerValues[op];
  llvm::erase_if(list, [](const auto &other) { return other.expired(); });
  list.push_back(identityOf(tensor));
}

bool GraphImpl::isFormerValue(Operation *op, TensorImpl &tensor) const {
  auto found = formerValues.find(op);
  return found != formerValues.end() &&
         llvm::any_of(found->second, [&](const auto &other) {
           return other.lock() == identityOf(tensor);
         });
}

void GraphImpl::link(Handle &handle) {
  Handle *&head = node(handle.op).firstHandle;
  handle.previous = nullptr;
  handle.next = head;
  if (head)
    head->previous = &handle;
  head = &handle;
}

void GraphImpl::unlink(Handle &handle) {
  if (handle.next)
    handle.next->previous = handle.previous;
  if (handle.previous)
    handle.previous->next = handle.next;
  else
    node(handle.op).firstHandle = handle.next;
}

void GraphImpl::release(Handle &handle) {
  if (!handle.op)
    return;
  unlink(handle);
  Operation *op = std::exchange(handle.op, nullptr);
  // A tensor that no longer exists needs no gradient.
  if (hasLeaves && handle.requiresGrad && !findLeaf(op))
    node(op).isLeaf = false;
  eraseIfDead(op);
}

void GraphImpl::rebind(Handle &handle, Operation *op) {
  Operation *old = handle.op;
  if (old == op)
    return;
  // A gradient by the tensor does not include what was computed from its old
  // value. The handle still holds that value here.
  if (old && handle.requiresGrad)
    endOrigins(old, Ending::Assigned);
  if (old)
    unlink(handle);
  handle.op = op;
  link(handle);
  if (hasLeaves && handle.requiresGrad)
    markLeaf(op);
  if (old)
    eraseIfDead(old);
}

Operation *GraphImpl::operation(TensorImpl &tensor) {
  if (tensor.shards) {
    // The parts may have been assigned to since the last call.
    const Tensor whole =
        shards::gather(Tensor(tensor.shared_from_this()), *tensor.device);
    rebind(tensor.shards->gathered, operation(whole.impl()));
    return tensor.shards->gathered.op;
  }
  if (!tensor.op)
    Storage::refresh(tensor);
  return tensor.op;
}

bool GraphImpl::isNeeded(Operation *op) const {
  for (Handle *handle = nodes.find(op)->second.firstHandle; handle;
       handle = handle->next)
    if (!handle->keepsOnly() &&
        (!handle->pinnedBy || handle->pinnedBy->hasStaleViews()))
      return true;
  return false;
}

bool GraphImpl::isHeldByTensor(Operation *op) const {
  Handle *handle = nodes.find(op)->second.firstHandle;
  while (handle && handle->isObserver)
    handle = handle->next;
  return handle;
}

void GraphImpl::eraseIfDead(Operation *start) {
  auto isDead = [this](Operation *op) {
    return op->use_empty() && !isHeld(op);
  };
  if (!isDead(start))
    return;
  SmallVector<Operation *> worklist{start};
  // Their functions may refer to tensors, which are released after the loop.
  SmallVector<CustomGradient, 0> released;
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    llvm::SmallSetVector<Operation *, 3> producers;
    if (CustomGradient *custom = findCustomGradient(op)) {
      for (Handle &input : custom->inputs) {
        producers.insert(input.op);
        unlink(input);
      }
      released.push_back(std::move(*custom));
      customGradients.erase(
          op->getAttrOfType<IntegerAttr>(tg::gradientAttrName).getInt());
    }
    for (Value operand : op->getOperands())
      producers.insert(operand.getDefiningOp());
    if (auto buffer = dyn_cast<tg::BufferOp>(op)) {
      const int64_t id = buffer.getId();
      if (auto it = initialValues.find(id); it != initialValues.end()) {
        producers.insert(it->second.handle.op);
        unlink(it->second.handle);
        initialValues.erase(it);
      }
      if (auto it = origins.find(id); it != origins.end()) {
        producers.insert(it->second.op);
        unlink(it->second);
        origins.erase(it);
      }
      buffers.erase(id);
      freeBufferIds.push_back(id);
    }
    remove(op);
    op->erase();
    // Each operation is added only once: it is erased with its last user.
    for (Operation *producer : producers)
      if (isDead(producer))
        worklist.push_back(producer);
  }
}

void GraphImpl::remove(Operation *op) {
  if (auto constant = dyn_cast<tg::ConstOp>(op))
    constants.erase({constant.getType(), constant.getValue()});
  numCopies -= isa<tg::CopyOp>(op);
  pendingParts.erase(op);
  formerValues.erase(op);
  if (hasDims)
    walkVariables(op, [this](KnownVariable &variable) {
      auto it = heldVariables.find(&variable);
      if (--it->second != 0)
        return;
      heldVariables.erase(it);
      dropVariable(variable);
    });
  forget(op);
  nodes.erase(op);
}

void GraphImpl::replace(Operation *op, Operation *replacement) {
  // The hashes of users depend on their operands.
  llvm::SmallSetVector<Operation *, 8> users(op->user_begin(), op->user_end());
  for (Operation *user : users)
    forget(user);
  op->getResult(0).replaceAllUsesWith(replacement->getResult(0));
  // A user that has become equal to another operation stays in the graph, but
  // outside of the set.
  for (Operation *user : users)
    if (!isUniqueByItself(user))
      if (const unsigned hash = hashOf(user);
          unique.insert({user, hash}).second)
        node(user).hash = hash;
  SmallVector<std::shared_ptr<Storage>> storages;
  for (Handle *handle = node(op).firstHandle; handle; handle = handle->next)
    if (!handle->pinnedBy && !handle->isInternal)
      if (auto &storage = static_cast<TensorImpl *>(handle)->storage)
        storages.push_back(storage);
  if (hasLeaves) {
    if (findLeaf(op))
      markLeaf(replacement);
    else
      markCut(op, replacement);
  }
  if (numCuts != 0) {
    const Node from = node(op);
    Node &to = node(replacement);
    to.cutBits |= from.cutBits;
    to.cutAfter |= from.cutAfter;
  }
  moveHandles(op, replacement);
  for (std::shared_ptr<Storage> &storage : storages)
    Storage::endIfDone(std::move(storage));
}

void GraphImpl::moveHandles(Operation *op, Operation *replacement) {
  Handle *&handles = node(op).firstHandle;
  SmallVector<Handle *, 2> staying;
  for (Handle *handle = handles; handle; handle = handle->next)
    if (handle->keepsOnly())
      staying.push_back(handle);
  for (Handle *handle : staying)
    unlink(*handle);
  if (Handle *first = std::exchange(handles, nullptr)) {
    Handle *last = first;
    for (Handle *handle = first; handle; handle = handle->next) {
      handle->op = replacement;
      last = handle;
    }
    Handle *&head = node(replacement).firstHandle;
    last->next = head;
    if (head)
      head->previous = last;
    head = first;
  }
  for (Handle *handle : staying)
    link(*handle);
  eraseIfDead(op);
}

Operation *GraphImpl::createBuffer(const Buffer &memory, RankedTensorType type,
                                   Operation *before) {
  return createBuffer(memory, memory.device().name(), type, before);
}

Operation *GraphImpl::createBuffer(const Buffer &memory, StringRef device,
                                   RankedTensorType type, Operation *before) {
  OpBuilder::InsertionGuard guard(builder);
  if (before)
    builder.setInsertionPoint(before);
  const bool isNewId = freeBufferIds.empty();
  const int64_t id =
      isNewId ? int64_t(buffers.size()) : freeBufferIds.pop_back_val();
  try {
    buffers[id] = memory;
    return makeOrDrop([&] {
      Operation *op = tg::BufferOp::create(builder, location, type, id, device);
      add(op, 0);
      return op;
    });
  } catch (...) {
    buffers.erase(id);
    if (!isNewId)
      freeBufferIds.push_back(id); // no allocation: id was removed from here
    throw;
  }
}

Operation *GraphImpl::createParameter(Operation *initial, Device &device) {
  prepareToMake();
  auto type = cast<RankedTensorType>(initial->getResult(0).getType());
  Operation *op = createBuffer(Buffer(), device.name(), type, nullptr);
  try {
    InitialValue &value = initialValues[cast<tg::BufferOp>(op).getId()];
    value.device = &device;
    value.handle.op = initial;
    value.handle.isInternal = true;
    link(value.handle);
  } catch (...) {
    eraseIfDead(op);
    throw;
  }
  return op;
}

Operation *GraphImpl::createAssign(Operation *target, Operation *value) {
  return makeOrDrop([&] {
    Operation *op = tg::AssignOp::create(
        builder, location, target->getResult(0), value->getResult(0));
    add(op, 0);
    return op;
  });
}

GraphImpl::CustomGradient *GraphImpl::findCustomGradient(Operation *op) {
  if (customGradients.empty() || !isa<tg::DetachOp>(op))
    return nullptr;
  auto number = op->getAttrOfType<IntegerAttr>(tg::gradientAttrName);
  auto it =
      number ? customGradients.find(number.getInt()) : customGradients.end();
  return it == customGradients.end() ? nullptr : &it->second;
}

Tensor GraphImpl::makeCustomGradient(
    const Tensor &output, const std::vector<Tensor> &inputs,
    std::function<std::vector<Tensor>(const Tensor &)> gradient) {
  prepareToMake();
  const int64_t number = numCustomGradients++;
  Value value = operation(output.impl())->getResult(0);
  Tensor result = wrap(
      makeOrDrop([&] {
        auto op = tg::DetachOp::create(builder, currentLocation(), value);
        op->setAttr(tg::gradientAttrName, builder.getI64IntegerAttr(number));
        return intern(op);
      }),
      output.impl().device);
  ++garbage;
  CustomGradient &custom = customGradients[number];
  custom.function = std::move(gradient);
  custom.inputs.resize(inputs.size());
  Node &own = node(result.impl().op);
  for (auto [handle, input] : llvm::zip_equal(custom.inputs, inputs)) {
    handle.op = operation(input.impl());
    handle.isInternal = true;
    link(handle);
    custom.devices.push_back(input.impl().device);
    own.isTracked |= node(handle.op).isTracked;
  }
  return result;
}

Value GraphImpl::withoutGradientInScope(Value value) {
  Operation *op = value.getDefiningOp();
  if (!NoGradScope::isActive() ||
      !isa<FloatType>(getElementTypeOrSelf(value)) || tg::stopsGradient(op) ||
      (op->getNumOperands() == 0 && !isa<tg::BufferOp>(op)))
    return value;
  // The operation was folded to one that may have been made outside the scope.
  if (isNode(op))
    return tg::DetachOp::create(builder, currentLocation(), value);
  op->setAttr(tg::noGradientAttrName, builder.getUnitAttr());
  return value;
}

Tensor GraphImpl::wrap(Operation *op, Device *device) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  try {
    return Tensor(std::make_shared<TensorImpl>(shared_from_this(), op,
                                               getDType(type.getElementType()),
                                               shapeOf(type), device));
  } catch (...) {
    eraseIfDead(op);
    throw;
  }
}

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

/// Trivially destructible, so that it can be read until the thread ends.
static thread_local bool hasThreadEnded = false;

namespace {
struct ThreadEnd {
  ~ThreadEnd() { hasThreadEnded = true; }
};
} // namespace

void tinygrad::detail::checkThread() {
  if (hasThreadEnded)
    throw Error(
        "tensors cannot be computed with in the destructor of an object "
        "with static storage duration, nor in that of a thread_local "
        "object made before the first tensor");
  static thread_local ThreadEnd end;
  (void)end;
}

/// Without a handler that throws, LLVM aborts when memory runs out.
static void throwBadAlloc(void *, const char *, bool) {
  throw std::bad_alloc();
}

static std::unique_ptr<MLIRContext> makeContext() {
  checkThread();
  auto context =
      std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED);
  // The constructor enables the multithreaded mode of the type and attribute
  // tables, which uses thread-local caches.
  context->disableMultithreading();
  prepareContext(*context);
  return context;
}

void GraphImpl::beginContext() {
  builder = OpBuilder(owned.get());
  builder.setInsertionPointToEnd(module->getBody());
  location = UnknownLoc::get(owned.get());
  for (unsigned i = 0; i < kNumDTypes; ++i)
    elementTypes[i] = getElementType(owned.get(), DType(i));
  smallNumbers = {};
}

void GraphImpl::renewContext() {
  // Moving takes about 2 us per operation, a small fraction of the time that it
  // took to create so many attributes.
  constexpr std::size_t minGarbage = 1 << 14;
  if (garbage < std::max<std::size_t>(minGarbage, 4 * nodes.size()) ||
      numEdits != 0)
    return;
  garbage = 0;
  std::string code;
  llvm::raw_string_ostream stream(code);
  if (failed(writeBytecodeToFile(*module, stream)))
    return;
  std::unique_ptr<MLIRContext> fresh = makeContext();
  OwningOpRef<ModuleOp> copy = parseSourceString<ModuleOp>(
      code, ParserConfig(fresh.get(), /*verifyAfterParse=*/false));
  if (!copy)
    return;
  llvm::DenseMap<Operation *, Node> newNodes;
  llvm::DenseMap<Operation *, std::vector<SymVariable>> newPending;
  decltype(formerValues) newFormer;
  unique.clear();
  constants.clear();
  for (auto [op, moved] :
       llvm::zip_equal(*module->getBody(), *copy->getBody())) {
    Node node = nodes.find(&op)->second;
    for (Handle *handle = node.firstHandle; handle; handle = handle->next)
      handle->op = &moved;
    if (node.hash != 0) {
      node.hash = hashOf(&moved);
      unique.insert({&moved, node.hash});
    }
    newNodes[&moved] = node;
    if (auto pending = pendingParts.find(&op); pending != pendingParts.end())
      newPending[&moved] = std::move(pending->second);
    if (auto former = formerValues.find(&op); former != formerValues.end())
      newFormer[&moved] = std::move(former->second);
    if (auto buffer = dyn_cast<tg::BufferOp>(moved))
      if (auto it = origins.find(buffer.getId()); it != origins.end())
        it->second.memory = &moved;
    if (auto constant = dyn_cast<tg::ConstOp>(moved))
      constants[{constant.getType(), constant.getValue()}] = &moved;
  }
  nodes = std::move(newNodes);
  pendingParts = std::move(newPending);
  formerValues = std::move(newFormer);
  dims.clear();
  sizes.clear();
  symbols.clear();
  contents.clear();
  locations.clear();
  module = std::move(copy);
  owned = std::move(fresh);
  beginContext();
  // Fills the cache now, since erasing operations must not create attributes.
  if (hasDims)
    for (Operation &op : *module->getBody())
      walkVariables(&op, [](KnownVariable &) {});
}

static uint64_t hashText(StringRef text) {
  const Digest digest = Digest::of(std::string_view(text));
  uint64_t word = 0;
  std::memcpy(&word, digest.bytes.data(), sizeof word);
  return word;
}

template <typename T>
static uint64_t contentIn(llvm::DenseMap<const void *, uint64_t> &contents,
                          T object) {
  uint64_t &content = contents[object.getAsOpaquePointer()];
  if (content == 0) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    stream << object;
    content = hashText(text);
  }
  return content;
}

uint64_t GraphImpl::contentOf(OperationName name) {
  return contentIn(contents, name);
}
uint64_t GraphImpl::contentOf(Type type) { return contentIn(contents, type); }
uint64_t GraphImpl::contentOf(Attribute attribute) {
  return contentIn(contents, attribute);
}

GraphImpl::GraphImpl()
    : owned(makeContext()), builder(owned.get()),
      location(UnknownLoc::get(owned.get())), seed(std::random_device{}()) {
  checkSettings();
  static const bool isHandled =
      (llvm::install_bad_alloc_error_handler(throwBadAlloc), true);
  (void)isHandled;
  module = ModuleOp::create(builder, location);
  beginContext();
}

GraphImpl::~GraphImpl() {
  for (const auto &[variable, count] : heldVariables)
    if (count != 0)
      dropVariable(*variable);
}
