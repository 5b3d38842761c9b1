//===- GraphImpl.cpp - the graph behind tensors ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Making operations unique, counting who needs them, replacing them.
///
//===----------------------------------------------------------------------===//

#include "GraphImpl.h"
#include "TinyGrad/Compiler/Compiler.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/IR/TgVariables.h"
#include "TinyGrad/Tensor/Graph.h"
#include "View.h"

#include "mlir/IR/OperationSupport.h"
#include "llvm/Support/raw_ostream.h"

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
  // Those that stand for no operation have the hash that none has.
  return lhs.hash == rhs.hash && lhs.hash != 0 &&
         OperationEquivalence::isEquivalentTo(
             lhs.op, rhs.op, OperationEquivalence::IgnoreLocations);
}

/// Buffers are memory and assignments are events: no two are the same.
static bool isUniqueByItself(Operation *op) {
  return isa<tg::BufferOp, tg::AssignOp>(op);
}

void GraphImpl::add(Operation *op, unsigned hash) {
  nodes[op].hash = hash;
  numCopies += isa<tg::CopyOp>(op);
}

Operation *GraphImpl::intern(Value value) {
  Operation *op = value.getDefiningOp();
  // Folding leads to old operations. One that is not in the set is by itself,
  // or equal to another since replace().
  auto old = nodes.find(op);
  const bool isOld = old != nodes.end();
  if (isOld && (old->second.hash != 0 || isUniqueByItself(op)))
    return op;
  const unsigned hash = hashOf(op);
  auto [it, isNew] = unique.insert({op, hash});
  if (!isNew) {
    if (!isOld)
      op->erase();
    return it->op;
  }
  if (isOld)
    old->second.hash = hash;
  else
    add(op, hash);
  return op;
}

void GraphImpl::forget(Operation *op) {
  unsigned &hash = node(op).hash;
  if (hash != 0)
    unique.erase({op, hash});
  hash = 0;
}

Location GraphImpl::locationOf(const char *name) {
  LocationAttr &known = locations[name];
  if (!known)
    known = NameLoc::get(builder.getStringAttr(name));
  return known;
}

Operation *GraphImpl::constant(Type type, TypedAttr value) {
  Operation *&op = constants[{type, value}];
  if (!op)
    op = intern(tg::ConstOp::create(builder, location, type, value));
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
}

TensorImpl::~TensorImpl() {
  std::lock_guard<std::recursive_mutex> lock(graph->mutex);
  Storage::leave(*this);
  graph->release(*this);
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
  eraseIfDead(std::exchange(handle.op, nullptr));
}

void GraphImpl::rebind(Handle &handle, Operation *op) {
  Operation *old = handle.op;
  if (old == op)
    return;
  if (old)
    unlink(handle);
  handle.op = op;
  link(handle);
  if (old)
    eraseIfDead(old);
}

Operation *GraphImpl::operation(TensorImpl &tensor) {
  if (!tensor.op)
    Storage::refresh(tensor);
  return tensor.op;
}

bool GraphImpl::isNeeded(Operation *op) const {
  for (Handle *handle = nodes.find(op)->second.firstHandle; handle;
       handle = handle->next)
    if (!handle->pinnedBy || handle->pinnedBy->hasStaleViews())
      return true;
  return false;
}

void GraphImpl::eraseIfDead(Operation *start) {
  auto isDead = [this](Operation *op) {
    return op->use_empty() && !isHeld(op);
  };
  if (!isDead(start))
    return;
  SmallVector<Operation *> worklist{start};
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    llvm::SmallSetVector<Operation *, 3> producers;
    for (Value operand : op->getOperands())
      producers.insert(operand.getDefiningOp());
    if (auto buffer = dyn_cast<tg::BufferOp>(op))
      buffers.erase(buffer.getId());
    else if (auto constant = dyn_cast<tg::ConstOp>(op))
      constants.erase({constant.getType(), constant.getValue()});
    numCopies -= isa<tg::CopyOp>(op);
    pendingParts.erase(op);
    forget(op);
    nodes.erase(op);
    op->erase();
    // An operation dies with its last user, so it is added once.
    for (Operation *producer : producers)
      if (isDead(producer))
        worklist.push_back(producer);
  }
}

void GraphImpl::replace(Operation *op, Operation *replacement) {
  // The users' hashes depend on their operands.
  llvm::SmallSetVector<Operation *, 8> users(op->user_begin(), op->user_end());
  for (Operation *user : users)
    forget(user);
  op->getResult(0).replaceAllUsesWith(replacement->getResult(0));
  // A user that has become equal to another operation stays as it is, outside
  // of the set.
  for (Operation *user : users)
    if (!isUniqueByItself(user))
      if (const unsigned hash = hashOf(user);
          unique.insert({user, hash}).second)
        node(user).hash = hash;
  SmallVector<std::shared_ptr<Storage>> storages;
  for (Handle *handle = node(op).firstHandle; handle; handle = handle->next)
    if (!handle->pinnedBy)
      if (auto &storage = static_cast<TensorImpl *>(handle)->storage)
        storages.push_back(storage);
  moveHandles(op, replacement);
  for (std::shared_ptr<Storage> &storage : storages)
    Storage::endIfDone(std::move(storage));
}

void GraphImpl::moveHandles(Operation *op, Operation *replacement) {
  Handle *&handles = node(op).firstHandle;
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
  eraseIfDead(op);
}

Operation *GraphImpl::createBuffer(const Buffer &memory, RankedTensorType type,
                                   Operation *before) {
  OpBuilder::InsertionGuard guard(builder);
  if (before)
    builder.setInsertionPoint(before);
  const int64_t id = nextBufferId++;
  buffers[id] = memory;
  Operation *op =
      tg::BufferOp::create(builder, location, type, id, memory.device().name());
  add(op, 0);
  return op;
}

Operation *GraphImpl::createAssign(Operation *target, Operation *value) {
  Operation *op = tg::AssignOp::create(builder, location, target->getResult(0),
                                       value->getResult(0));
  add(op, 0);
  return op;
}

Tensor GraphImpl::wrap(Operation *op, Device *device) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  return Tensor(std::make_shared<TensorImpl>(shared_from_this(), op,
                                             getDType(type.getElementType()),
                                             shapeOf(type), device));
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

Type GraphImpl::elementType(DType dtype) {
  return elementTypes[unsigned(dtype)];
}

RankedTensorType GraphImpl::tensorType(DType dtype, const Shape &shape) {
  if (!isSymbolic(shape)) {
    SmallVector<int64_t, 6> sizes;
    for (SymInt size : shape)
      sizes.push_back(size.value());
    return RankedTensorType::get(sizes, elementType(dtype));
  }
  checkVariables({&shape});
  SmallVector<tg::Dim> list;
  for (SymInt size : shape)
    list.push_back(tg::Dim(dimension(size)));
  return tg::getTensorType(list, elementType(dtype));
}

Shape GraphImpl::shapeOf(RankedTensorType type) {
  if (!type.getEncoding())
    return Shape(type.getShape().begin(), type.getShape().end());
  Shape shape;
  for (tg::Dim dim : tg::getDims(type))
    shape.push_back(size(dim.getAttr()));
  return shape;
}

SymInt GraphImpl::size(Attribute dimension) {
  if (std::optional<int64_t> number = tg::Dim(dimension).getStatic())
    return *number;
  const SymExpr *&expr = sizes[dimension];
  if (!expr)
    expr = makeExpression(dimension).expression();
  dims.try_emplace(expr, dimension);
  return SymInt(expr);
}

Attribute GraphImpl::dimension(SymInt size) {
  if (!size.isSymbolic())
    return builder.getI64IntegerAttr(size.value());
  Attribute &dim = dims[size.expression()];
  if (!dim) {
    dim = copyExpression(&context, size.expression());
    sizes.try_emplace(dim, size.expression());
  }
  return dim;
}

ArrayAttr GraphImpl::dimensions(const Shape &list) {
  SmallVector<Attribute> attributes;
  for (SymInt size : list)
    attributes.push_back(dimension(size));
  return builder.getArrayAttr(attributes);
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

template <typename T> static GraphImpl::Symbols findSymbols(T symbolic) {
  GraphImpl::Symbols found;
  AttrTypeWalker walker;
  walker.addWalk([&](tg::VarAttr var) {
    const SymVariable variable = {var.getName().str(), var.getMin(),
                                  var.getMax(), var.getValue()};
    addVariables(found.variables, {&variable, 1});
  });
  walker.walk(symbolic);
  AttrTypeReplacer replacer = tg::getVariableReplacer([](tg::VarAttr var) {
    return tg::Dim(tg::VarAttr::get(var.getContext(), var.getName(),
                                    var.getMin(), var.getMax()));
  });
  found.unbound = replacer.replace(symbolic).getAsOpaquePointer();
  return found;
}

const GraphImpl::Symbols &GraphImpl::symbolsOf(Type type) {
  auto it = symbols.find(type.getAsOpaquePointer());
  if (it == symbols.end())
    it = symbols.emplace(type.getAsOpaquePointer(), findSymbols(type)).first;
  return it->second;
}

const GraphImpl::Symbols &GraphImpl::symbolsOf(DictionaryAttr attributes) {
  auto it = symbols.find(attributes.getAsOpaquePointer());
  if (it == symbols.end())
    it = symbols
             .emplace(attributes.getAsOpaquePointer(),
                      findSymbols(Attribute(attributes)))
             .first;
  return it->second;
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

GraphImpl::GraphImpl()
    : context(MLIRContext::Threading::DISABLED), builder(&context),
      location(UnknownLoc::get(&context)), seed(std::random_device{}()) {
  prepareContext(context);
  module = ModuleOp::create(builder, location);
  builder.setInsertionPointToEnd(module->getBody());
  for (unsigned i = 0; i < numDTypes; ++i)
    elementTypes[i] = getElementType(&context, DType(i));
}

GraphImpl::~GraphImpl() = default;

/// The graph of the innermost GraphScope of this thread.
static thread_local std::shared_ptr<GraphImpl> scopedGraph;

Graph::Graph() : impl_(std::make_shared<GraphImpl>()) {}

Graph Graph::current() {
  if (scopedGraph)
    return Graph(scopedGraph);
  // Never destroyed: static tensors may outlive any other static object.
  static auto *processGraph =
      new std::shared_ptr<GraphImpl>(std::make_shared<GraphImpl>());
  return Graph(*processGraph);
}

void Graph::manualSeed(uint64_t seed) {
  std::lock_guard<std::recursive_mutex> lock(impl_->mutex);
  impl_->seed = seed;
  impl_->counter = 0;
}

void tinygrad::detail::takeRandomState(const Graph &graph, uint64_t count,
                                       uint64_t state[2]) {
  GraphImpl &impl = *graph.impl();
  std::lock_guard<std::recursive_mutex> lock(impl.mutex);
  state[0] = impl.seed;
  state[1] = impl.counter;
  impl.counter += count;
}

std::size_t Graph::numOperations() const {
  std::lock_guard<std::recursive_mutex> lock(impl_->mutex);
  return impl_->numOperations();
}

std::size_t Graph::numPrograms() const {
  std::lock_guard<std::recursive_mutex> lock(impl_->mutex);
  return impl_->programs.size();
}

void Graph::clearPrograms() {
  std::lock_guard<std::recursive_mutex> lock(impl_->mutex);
  impl_->programs.clear();
}

std::string Graph::str() const {
  std::lock_guard<std::recursive_mutex> lock(impl_->mutex);
  std::string text;
  llvm::raw_string_ostream stream(text);
  impl_->module->print(stream);
  return text;
}

GraphScope::GraphScope(const Graph &graph) : outer(std::move(scopedGraph)) {
  scopedGraph = graph.impl();
}

GraphScope::~GraphScope() { scopedGraph = std::move(outer); }
