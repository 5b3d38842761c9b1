//===- GraphNode.cpp - the operations of a graph --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Observers of operations, attributes as arguments, and operations made of
/// arguments.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Tensor/GraphNode.h"
#include "GraphEdit.h"
#include "GraphSlice.h"
#include "TinyGrad/Compiler/Compiler.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/IR/TgView.h"
#include "TinyGrad/Dialect/Tg/Transforms/Differentiate.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::detail;

//===----------------------------------------------------------------------===//
// Observers
//===----------------------------------------------------------------------===//

/// Shared by all nodes of one operation. Its members are guarded by the graph's
/// lock, except those that never change.
struct tinygrad::detail::GraphObserver
    : Handle,
      std::enable_shared_from_this<GraphObserver> {
  GraphObserver(std::shared_ptr<GraphImpl> graph, Operation *op, Device *device)
      : graph(std::move(graph)), device(device), number(++count) {
    this->op = op;
    isInternal = isObserver = true;
    this->graph->link(*this);
    ++this->graph->numObservers;
  }
  ~GraphObserver() {
    std::lock_guard<GraphMutex> lock(graph->mutex);
    --graph->numObservers;
    graph->release(*this);
  }
  GraphObserver(const GraphObserver &) = delete;
  GraphObserver &operator=(const GraphObserver &) = delete;

  /// The node of an operation of a locked graph. A constant is one operation on
  /// all devices, and memory that is written in place remains one operation: a
  /// node from before that is only found for \p isOld.
  static GraphNode observe(GraphImpl &graph, Operation *op, Device *device,
                           bool isOld = false) {
    for (Handle *handle = graph.node(op).firstHandle; handle;
         handle = handle->next) {
      if (!handle->isObserver)
        continue;
      auto *other = static_cast<GraphObserver *>(handle);
      if (other->device != device || (other->isOverwritten && !isOld))
        continue;
      // Null if another thread is about to destroy it.
      if (auto known = other->weak_from_this().lock())
        return GraphNode(std::move(known));
    }
    return GraphNode(
        std::make_shared<GraphObserver>(graph.shared_from_this(), op, device));
  }
  /// The node of a source of this one.
  GraphNode observeSource(Value source) const {
    Operation *producer = source.getDefiningOp();
    return observe(*graph, producer, findDevice(producer), isOverwritten);
  }
  /// Where a source is: constants are on the device of what uses them.
  Device *findDevice(Operation *producer) const {
    if (auto buffer = dyn_cast<tg::BufferOp>(producer))
      return &Device::get(buffer.getDevice());
    if (auto copy = dyn_cast<tg::CopyOp>(producer))
      return &Device::get(copy.getDevice());
    if (isa<tg::CopyOp>(op))
      if (Device *place = findMemoryDevice(producer))
        return place;
    return device;
  }
  /// The device of the memory that an operation depends on, if there is any.
  static Device *findMemoryDevice(Operation *op) {
    Device *found = nullptr;
    GraphSlice::backwardSlice(op, [&](Operation *other) {
      if (auto copy = dyn_cast<tg::CopyOp>(other))
        found = &Device::get(copy.getDevice());
      else if (auto buffer = dyn_cast<tg::BufferOp>(other); buffer && !found)
        found = &Device::get(buffer.getDevice());
      return false;
    });
    return found;
  }
  RankedTensorType type() const {
    return cast<RankedTensorType>(op->getResult(0).getType());
  }
  void checkIsCurrent() const {
    if (isOverwritten)
      throw Error("uop: other values were assigned to memory that '" +
                  op->getName().getStringRef().str() +
                  "' is computed from, after the node was made; take the uop "
                  "of a tensor that is computed from the new values");
  }

  const std::shared_ptr<GraphImpl> graph;
  Device *const device;
  const uint64_t number;
  bool isOverwritten = false;

private:
  static inline std::atomic<uint64_t> count = 0;
};

void GraphImpl::endObservers(Operation *memory) {
  if (numObservers == 0)
    return;
  llvm::SmallSetVector<Operation *, 16> seen;
  seen.insert(memory);
  for (std::size_t next = 0; next < seen.size(); ++next) {
    Operation *op = seen[next];
    seen.insert(op->user_begin(), op->user_end());
    for (Handle *handle = node(op).firstHandle; handle; handle = handle->next)
      if (handle->isObserver)
        static_cast<GraphObserver *>(handle)->isOverwritten = true;
  }
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

namespace {
/// Locks the graph of a node for a scope.
struct Locked {
  explicit Locked(const GraphObserver &node)
      : lock(node.graph->mutex), graph(*node.graph) {}
  std::lock_guard<GraphMutex> lock;
  GraphImpl &graph;
};
} // namespace

GraphNode::GraphNode(const Tensor &tensor) {
  TensorImpl &impl = tensor.impl();
  std::lock_guard<GraphMutex> lock(impl.graph->mutex);
  observer = GraphObserver::observe(*impl.graph, impl.graph->operation(impl),
                                    impl.device)
                 .observer;
}

std::string GraphNode::operation() const {
  const Locked locked(*observer);
  return observer->op->getName().getStringRef().str();
}

DType GraphNode::dtype() const {
  const Locked locked(*observer);
  return getDType(observer->type().getElementType());
}

Shape GraphNode::shape() const {
  const Locked locked(*observer);
  return locked.graph.shapeOf(observer->type());
}

const std::string &GraphNode::device() const {
  return observer->device->name();
}

uint64_t GraphNode::number() const { return observer->number; }

bool GraphNode::isOverwritten() const {
  const Locked locked(*observer);
  return observer->isOverwritten;
}

bool GraphNode::isMemory() const {
  const Locked locked(*observer);
  auto buffer = dyn_cast<tg::BufferOp>(observer->op);
  return buffer && !locked.graph.initialValues.contains(buffer.getId());
}

/// The part of \p memory, which has a tensor of the chain's, that has the
/// elements of \p type which the chain takes from it one after another.
static std::optional<Buffer> findPart(GraphImpl &graph, const Buffer &memory,
                                      const tg::ViewChain &chain,
                                      RankedTensorType type) {
  const std::optional<tg::Dim> begin = chain.getContiguousOffset();
  if (!begin)
    return std::nullopt;
  const SymInt first = graph.size(begin->getAttr());
  SymInt count = 1;
  for (const SymInt &size : graph.shapeOf(type))
    count = count * size;
  if (!first.hasValue() || !count.hasValue())
    return std::nullopt;
  const DType dtype = getDType(type.getElementType());
  return memory.view(std::size_t(first.value()) * itemSize(dtype),
                     std::size_t(count.value()) * itemSize(dtype), dtype);
}

std::optional<Buffer> GraphNode::memory() const {
  const Locked locked(*observer);
  SmallVector<Operation *> steps;
  Operation *op = observer->op;
  for (; !isa<tg::BufferOp>(op); op = op->getOperand(0).getDefiningOp()) {
    if (!tg::isMovementOp(op) &&
        !isa<tg::StridedOp, tg::ContiguousOp, tg::DetachOp, tg::BitcastOp,
             tg::AssignOp, tg::AfterOp>(op))
      return std::nullopt;
    steps.push_back(op);
  }
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  std::optional<Buffer> memory =
      locked.graph.buffers.at(cast<tg::BufferOp>(op).getId());
  if (!*memory)
    return std::nullopt;
  // All of it, also where the sizes of variables need less.
  if (steps.empty())
    return memory->view(0, memory->size(), getDType(type.getElementType()));
  tg::ViewChain chain(type);
  for (Operation *step : llvm::reverse(steps)) {
    if (isa<tg::BitcastOp>(step)) {
      memory = findPart(locked.graph, *memory, chain, type);
      if (!memory)
        return std::nullopt;
      chain =
          tg::ViewChain(cast<RankedTensorType>(step->getResult(0).getType()));
    } else if (isa<tg::ContiguousOp>(step)) {
      if (!chain.getContiguousOffset())
        return std::nullopt;
    } else if (!isa<tg::DetachOp, tg::AssignOp, tg::AfterOp>(step)) {
      chain.apply(step);
    }
    type = cast<RankedTensorType>(step->getResult(0).getType());
  }
  return findPart(locked.graph, *memory, chain, type);
}

std::vector<GraphNode> GraphNode::sources() const {
  const Locked locked(*observer);
  std::vector<GraphNode> result;
  for (Value operand : observer->op->getOperands())
    result.push_back(observer->observeSource(operand));
  return result;
}

std::vector<GraphNode> GraphNode::order() const {
  const Locked locked(*observer);
  // An operation that needs no memory may be on several devices: then it is
  // several nodes.
  struct Entry {
    GraphNode node;
    unsigned nextOperand = 0;
  };
  llvm::DenseSet<const GraphObserver *> seen{observer.get()};
  std::vector<Entry> path{{*this}};
  std::vector<GraphNode> result;
  while (!path.empty()) {
    Entry &last = path.back();
    const GraphObserver &user = *last.node.observer;
    if (last.nextOperand == user.op->getNumOperands()) {
      result.push_back(std::move(last.node));
      path.pop_back();
      continue;
    }
    GraphNode source =
        user.observeSource(user.op->getOperand(last.nextOperand++));
    if (seen.insert(source.observer.get()).second)
      path.push_back({std::move(source)});
  }
  return result;
}

std::string GraphNode::str() const {
  const Locked locked(*observer);
  std::string text;
  llvm::raw_string_ostream stream(text);
  observer->op->print(stream);
  return text;
}

Tensor GraphNode::tensor() const {
  const Locked locked(*observer);
  observer->checkIsCurrent();
  return locked.graph.wrap(observer->op, observer->device);
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

static Scalar toScalar(const APInt &value, Type type) {
  if (type.isInteger(1))
    return !value.isZero();
  if (type.isUnsignedInteger())
    return value.getZExtValue();
  return value.getSExtValue();
}

static Scalar toScalar(const APFloat &number) {
  APFloat value = number;
  bool losesInfo = false;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.convertToDouble();
}

static std::vector<Scalar> getElements(DenseElementsAttr dense) {
  std::vector<Scalar> values;
  const Type type = dense.getElementType();
  if (isa<FloatType>(type))
    for (const APFloat &value : dense.getValues<APFloat>())
      values.push_back(toScalar(value));
  else
    for (const APInt &value : dense.getValues<APInt>())
      values.push_back(toScalar(value, type));
  return values;
}

static bool areDims(ArrayAttr list) {
  return llvm::all_of(list, [](Attribute entry) {
    return isa<IntegerAttr, tg::VarAttr, tg::DimExprAttr>(entry);
  });
}

static decltype(GraphArgument::value) toValue(GraphImpl &graph,
                                              Attribute attribute) {
  if (auto kind = dyn_cast<tg::ReduceKindAttr>(attribute))
    return stringifyReduceKind(kind.getValue()).str();
  if (auto kind = dyn_cast<tg::ScanKindAttr>(attribute))
    return stringifyScanKind(kind.getValue()).str();
  if (auto kind = dyn_cast<tg::UpdateKindAttr>(attribute))
    return stringifyUpdateKind(kind.getValue()).str();
  if (auto number = dyn_cast<IntegerAttr>(attribute))
    return toScalar(number.getValue(), number.getType());
  if (auto number = dyn_cast<FloatAttr>(attribute))
    return toScalar(number.getValue());
  if (auto text = dyn_cast<StringAttr>(attribute))
    return text.str();
  if (isa<UnitAttr>(attribute))
    return Scalar(true);
  if (auto list = dyn_cast<DenseI64ArrayAttr>(attribute))
    return Shape(list.asArrayRef().begin(), list.asArrayRef().end());
  if (auto dense = dyn_cast<DenseElementsAttr>(attribute))
    return getElements(dense);
  if (isa<tg::VarAttr, tg::DimExprAttr>(attribute))
    return Scalar(graph.size(attribute));
  if (auto list = dyn_cast<ArrayAttr>(attribute); list && areDims(list)) {
    Shape shape;
    for (Attribute entry : list)
      shape.push_back(graph.size(entry));
    return shape;
  }
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  return text;
}

std::vector<GraphArgument> GraphNode::arguments() const {
  const Locked locked(*observer);
  std::vector<GraphArgument> result;
  for (NamedAttribute attribute : observer->op->getAttrs())
    // Marks of gradients and others are no arguments.
    if (!attribute.getName().strref().contains('.'))
      result.push_back({attribute.getName().str(),
                        toValue(locked.graph, attribute.getValue())});
  return result;
}

[[noreturn]] static void failArgument(StringRef operation,
                                      const GraphArgument &argument,
                                      const Twine &needed) {
  throw Error(("uop: the argument '" + argument.name + "' of '" + operation +
               "' must be " + needed)
                  .str());
}

static Attribute getNumber(Scalar value, DType dtype, Type type) {
  if (auto floatType = dyn_cast<FloatType>(type))
    return FloatAttr::get(floatType, value.toDouble());
  if (dtype == DType::Bool)
    return IntegerAttr::get(type, value.toDouble() != 0);
  return IntegerAttr::get(
      type, APInt(64, value.toBits()).trunc(type.getIntOrFloatBitWidth()));
}

/// The attribute for an argument of an operation that gives \p type.
static Attribute toAttribute(GraphImpl &graph, StringRef operation,
                             const GraphArgument &argument,
                             RankedTensorType type) {
  OpBuilder &builder = graph.builder;
  const StringRef name = argument.name;
  auto getScalar = [&]() -> Scalar {
    if (auto *scalar = std::get_if<Scalar>(&argument.value))
      return *scalar;
    failArgument(operation, argument, "a number");
  };
  auto getText = [&]() -> StringRef {
    if (auto *text = std::get_if<std::string>(&argument.value))
      return *text;
    failArgument(operation, argument, "a text");
  };
  auto getSizes = [&]() -> const Shape & {
    if (auto *sizes = std::get_if<Shape>(&argument.value))
      return *sizes;
    failArgument(operation, argument, "a list of integers");
  };
  if (name == "value") {
    if (!type)
      throw Error("uop: '" + operation.str() + "' needs a dtype and a shape");
    const DType dtype = getDType(type.getElementType());
    if (auto *list = std::get_if<std::vector<Scalar>>(&argument.value)) {
      SmallVector<Attribute> numbers;
      for (const Scalar &value : *list) {
        checkFits(value, dtype, "uop");
        numbers.push_back(getNumber(value, dtype, type.getElementType()));
      }
      if (type.getEncoding() ||
          int64_t(numbers.size()) != type.getNumElements())
        throw ShapeError("uop: " + std::to_string(numbers.size()) +
                         " elements for a constant of shape " +
                         toString(graph.shapeOf(type)));
      return DenseElementsAttr::get(type, numbers);
    }
    const Scalar value = getScalar();
    checkFits(value, dtype, "uop");
    return getNumber(value, dtype, type.getElementType());
  }
  if (name == "axis")
    return builder.getI64IntegerAttr(int64_t(getScalar().toBits()));
  if (name == "axes" || name == "order") {
    SmallVector<int64_t> list;
    for (const SymInt &entry : getSizes())
      list.push_back(entry.value());
    return builder.getDenseI64ArrayAttr(list);
  }
  if (name == "low" || name == "high" || name == "from" || name == "to")
    return graph.dimensions(getSizes());
  if (name == "dim")
    return graph.dimension(getScalar().toSymInt());
  if (name == "device")
    return builder.getStringAttr(Device::get(getText().str()).name());
  if (name == "descending")
    return getScalar().toBits() ? builder.getUnitAttr() : Attribute();
  if (name == "kind") {
    if (operation == tg::ReduceOp::getOperationName())
      if (auto kind = tg::symbolizeReduceKind(getText()))
        return tg::ReduceKindAttr::get(builder.getContext(), *kind);
    if (operation == tg::ScanOp::getOperationName())
      if (auto kind = tg::symbolizeScanKind(getText()))
        return tg::ScanKindAttr::get(builder.getContext(), *kind);
    if (operation == tg::ScatterOp::getOperationName())
      if (auto kind = tg::symbolizeUpdateKind(getText()))
        return tg::UpdateKindAttr::get(builder.getContext(), *kind);
    failArgument(operation, argument,
                 "one of its kinds, not '" + Twine(getText()) + "'");
  }
  if (name == "views") {
    std::string reason;
    ScopedDiagnosticHandler handler(
        builder.getContext(),
        [&](Diagnostic &message) { reason = message.str(); });
    if (Attribute parsed =
            mlir::parseAttribute(getText(), builder.getContext()))
      return parsed;
    failArgument(operation, argument, "the text of an attribute: " + reason);
  }
  throw Error("uop: '" + operation.str() + "' has no argument '" +
              argument.name + "'");
}

//===----------------------------------------------------------------------===//
// New operations
//===----------------------------------------------------------------------===//

/// The graph of the sources, after checking them.
static std::shared_ptr<GraphImpl>
checkSources(const std::vector<std::shared_ptr<GraphObserver>> &sources,
             const std::shared_ptr<GraphImpl> &other) {
  if (sources.empty())
    return other;
  for (const auto &source : sources)
    if (source->graph != sources.front()->graph)
      throw Error("uop: the sources are of different graphs");
  return sources.front()->graph;
}

/// The device of an operation of these sources. Constants are on any device.
static Device *
getCommonDevice(const std::vector<std::shared_ptr<GraphObserver>> &sources) {
  if (sources.empty())
    return &Device::getDefault();
  Device *common = sources.front()->device;
  if (llvm::all_of(sources, [&](const auto &s) { return s->device == common; }))
    return common;
  Device *found = nullptr;
  for (const auto &source : sources) {
    Device *place = GraphObserver::findMemoryDevice(source->op);
    if (place && found && place != found)
      throw DeviceError("uop: sources on " + found->name() + " and on " +
                        place->name() + "; a copy brings one to the other");
    found = place ? place : found;
  }
  return found ? found : common;
}

/// Gives an operation of an edit the type that follows from its operands.
static void inferType(Operation *op) {
  auto inference = dyn_cast<InferTypeOpInterface>(op);
  if (!inference)
    throw Error("uop: '" + op->getName().getStringRef().str() +
                "' needs a dtype and a shape, since they do not follow from "
                "its sources");
  std::string text;
  ScopedDiagnosticHandler handler(op->getContext(), [&](Diagnostic &message) {
    text += (text.empty() ? "" : "; ") + message.str();
  });
  SmallVector<Type> types;
  if (failed(inference.inferReturnTypes(
          op->getContext(), op->getLoc(), op->getOperands(),
          op->getAttrDictionary(), op->getPropertiesStorage(), op->getRegions(),
          types)))
    throw Error("uop: " + (text.empty()
                               ? "'" + op->getName().getStringRef().str() +
                                     "' is not valid for its sources"
                               : text));
  op->getResult(0).setType(types.front());
}

static GraphNode addNode(GraphEdit &edit, Operation *op, GraphImpl &graph,
                         Device *device) {
  try {
    const Tensor made = edit.adopt(op->getResult(0), *device);
    return GraphObserver::observe(graph, graph.operation(made.impl()), device);
  } catch (const ShapeError &) {
    throw;
  } catch (const Error &error) {
    StringRef text = error.what();
    text.consume_front("adopt: ");
    throw Error("uop: " + text.str());
  }
}

/// The operation of that name, if it can have so many operands and these
/// arguments: builders and inference of types expect that.
static OperationName findOperation(GraphImpl &graph, const std::string &name,
                                   std::size_t numSources,
                                   const std::vector<GraphArgument> &given) {
  std::optional<RegisteredOperationName> found =
      RegisteredOperationName::lookup(name, &graph.context());
  if (!found || !isa<tg::TgDialect>(found->getDialect()) ||
      !found->hasTrait<OpTrait::OneResult>() ||
      !found->hasTrait<OpTrait::ZeroRegions>())
    throw Error("uop: there is no operation '" + name + "' of tensor graphs");
  const std::optional<std::size_t> needed =
      found->hasTrait<OpTrait::ZeroOperands>()         ? std::optional(0)
      : found->hasTrait<OpTrait::OneOperand>()         ? std::optional(1)
      : found->hasTrait<OpTrait::NOperands<2>::Impl>() ? std::optional(2)
      : found->hasTrait<OpTrait::NOperands<3>::Impl>() ? std::optional(3)
                                                       : std::nullopt;
  if (!needed)
    throw Error("uop: '" + name +
                "' is about memory, which belongs to the "
                "graph");
  if (numSources != *needed)
    throw Error("uop: '" + name + "' has " + std::to_string(*needed) +
                " sources, not " + std::to_string(numSources));
  auto isGiven = [&](StringRef attribute) {
    return llvm::any_of(
        given, [&](const GraphArgument &a) { return a.name == attribute; });
  };
  for (StringAttr attribute : found->getAttributeNames())
    if (attribute != "descending" && !isGiven(attribute))
      throw Error("uop: '" + name + "' needs the argument '" + attribute.str() +
                  "'");
  for (const GraphArgument &argument : given)
    if (!llvm::is_contained(found->getAttributeNames(), argument.name))
      throw Error("uop: '" + name + "' has no argument '" + argument.name +
                  "'");
  return *found;
}

GraphNode GraphNode::make(const std::string &operation,
                          const std::vector<GraphNode> &sources,
                          const std::vector<GraphArgument> &arguments,
                          std::optional<DType> dtype,
                          const std::optional<Shape> &shape,
                          const Graph &graph) {
  std::vector<std::shared_ptr<GraphObserver>> observers;
  for (const GraphNode &source : sources)
    observers.push_back(source.observer);
  const std::shared_ptr<GraphImpl> owner =
      checkSources(observers, graph.impl());
  std::lock_guard<GraphMutex> lock(owner->mutex);
  for (const auto &source : observers)
    source->checkIsCurrent();
  GraphImpl &impl = *owner;
  OperationState state(
      impl.currentLocation(),
      findOperation(impl, operation, sources.size(), arguments));
  for (const auto &source : observers)
    state.operands.push_back(source->op->getResult(0));
  RankedTensorType type;
  if (!observers.empty())
    type = observers.front()->type();
  const bool isGiven = dtype || shape;
  if (isGiven) {
    if (!type && !(dtype && shape))
      throw Error("uop: '" + operation + "' needs a dtype and a shape");
    const DType element = dtype ? *dtype : getDType(type.getElementType());
    const Shape sizes = shape ? *shape : impl.shapeOf(type);
    checkedNumElements(sizes, element, "uop");
    type = impl.tensorType(element, sizes);
  }
  Device *device = getCommonDevice(observers);
  for (const GraphArgument &argument : arguments) {
    Attribute attribute =
        toAttribute(impl, operation, argument, isGiven ? type : nullptr);
    if (attribute)
      state.addAttribute(argument.name, attribute);
    if (auto name = dyn_cast_or_null<StringAttr>(attribute);
        name && argument.name == "device")
      device = &Device::get(name.getValue());
  }
  if (!type)
    throw Error("uop: '" + operation +
                "' needs sources, or a dtype and a "
                "shape");
  state.addTypes(type);
  GraphEdit edit(impl);
  Operation *made = edit.rewriter().create(state);
  if (!isGiven)
    inferType(made);
  return addNode(edit, made, impl, device);
}

GraphNode GraphNode::withSources(const std::vector<GraphNode> &sources) const {
  std::vector<std::shared_ptr<GraphObserver>> observers;
  for (const GraphNode &source : sources)
    observers.push_back(source.observer);
  if (checkSources(observers, observer->graph) != observer->graph)
    throw Error("uop: the sources are of another graph");
  const Locked locked(*observer);
  GraphImpl &graph = locked.graph;
  Operation *op = observer->op;
  if (sources.size() != op->getNumOperands())
    throw Error("uop: '" + op->getName().getStringRef().str() + "' has " +
                std::to_string(op->getNumOperands()) + " sources, not " +
                std::to_string(sources.size()));
  SmallVector<Value> operands;
  for (const auto &source : observers)
    operands.push_back(source->op->getResult(0));
  if (llvm::equal(operands, op->getOperands()))
    return *this;
  for (const auto &source : observers)
    source->checkIsCurrent();
  Device *device = isa<tg::CopyOp>(op) || observers.empty()
                       ? observer->device
                       : getCommonDevice(observers);
  if (GraphImpl::CustomGradient *custom = graph.findCustomGradient(op);
      custom && sources.size() == 1) {
    std::vector<Tensor> inputs;
    for (auto [handle, place] :
         llvm::zip_equal(custom->inputs, custom->devices))
      inputs.push_back(graph.wrap(handle.op, place));
    const Tensor made = graph.makeCustomGradient(sources.front().tensor(),
                                                 inputs, custom->function);
    return GraphObserver::observe(graph, graph.operation(made.impl()), device);
  }
  if (isa<tg::BufferOp, tg::AssignOp, tg::AfterOp>(op))
    throw Error("uop: '" + op->getName().getStringRef().str() +
                "' cannot have other sources: it is about memory, which "
                "belongs to the graph. Realize the tensor that is assigned to "
                "first");
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(operands);
  state.addAttributes(op->getAttrs());
  state.addTypes(op->getResult(0).getType());
  GraphEdit edit(graph);
  Operation *made = edit.rewriter().create(state);
  if (!llvm::equal(made->getOperandTypes(), op->getOperandTypes()))
    inferType(made);
  return addNode(edit, made, graph, device);
}
