//===- Gradient.cpp - gradients of tensors --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Tensors that require a gradient, and the methods that compute gradients.
/// What is differentiated is the graph, by the same functions as in the pass
/// tg-autodiff.
///
//===----------------------------------------------------------------------===//

#include "Aliasing.h"
#include "GradientPaths.h"
#include "GraphEdit.h"
#include "GraphImpl.h"
#include "Primitives.h"
#include "Recorder.h"
#include "Shards.h"
#include "TinyGrad/Compiler/Compiler.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/Transforms/Differentiate.h"
#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/Tensor/Training.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::detail;

static bool hasGradient(DType dtype) {
  return isFloat(dtype) && !isFloat8(dtype);
}

//===----------------------------------------------------------------------===//
// Tensors that require a gradient
//===----------------------------------------------------------------------===//

/// Whether only \p tensor refers to its memory.
static bool isParameterOfItsOwn(GraphImpl &graph, TensorImpl &tensor) {
  Operation *op = graph.operation(tensor);
  if (!isa<tg::BufferOp>(op) || !op->use_empty())
    return false;
  unsigned others = 0;
  for (Handle *handle = graph.node(op).firstHandle; handle;
       handle = handle->next)
    others += handle != &tensor && !handle->pinnedBy && !handle->keepsOnly();
  return others == 0;
}

Tensor Tensor::parameter(bool requiresGrad) const {
  if (isSharded(*this))
    return shards::map(*this, [&](const Tensor &part) {
      return part.parameter(requiresGrad);
    });
  TensorImpl &tensor = impl();
  GraphImpl &graph = *tensor.graph;
  std::lock_guard<GraphMutex> lock(graph.mutex);
  Tensor result =
      graph.wrap(graph.createParameter(graph.operation(tensor), *tensor.device),
                 tensor.device);
  if (requiresGrad && hasGradient(tensor.dtype))
    result.setRequiresGrad();
  return result;
}

bool Tensor::requiresGrad() const {
  if (isSharded(*this))
    return shards().front().requiresGrad();
  TensorImpl &tensor = impl();
  std::lock_guard<GraphMutex> lock(tensor.graph->mutex);
  return tensor.requiresGrad;
}

Tensor &Tensor::setRequiresGrad(bool requiresGrad) {
  if (isSharded(*this)) {
    for (Tensor &part : shards())
      part.setRequiresGrad(requiresGrad);
    return *this;
  }
  TensorImpl &tensor = impl();
  GraphImpl &graph = *tensor.graph;
  std::lock_guard<GraphMutex> lock(graph.mutex);
  if (requiresGrad == tensor.requiresGrad)
    return *this;
  if (!requiresGrad) {
    tensor.requiresGrad = false;
    if (Operation *op = graph.operation(tensor); !graph.findLeaf(op))
      graph.node(op).isLeaf = graph.node(op).isTracked = false;
    return *this;
  }
  if (!hasGradient(tensor.dtype))
    throw DTypeError(std::string("setRequiresGrad: a tensor of ") +
                     name(tensor.dtype) +
                     " has no gradient, only floats of 16 bits or more");
  Storage::leaveIfLoose(graph, tensor);
  if (tensor.movement)
    throw Error("setRequiresGrad: the tensor, " + describe(*this) +
                ", is a view; use the tensor that it is a view of, or its "
                "parameter()");
  if (!isParameterOfItsOwn(graph, tensor)) {
    Operation *op =
        graph.createParameter(graph.operation(tensor), *tensor.device);
    if (tensor.storage)
      tensor.storage->assign(op);
    else
      graph.rebind(tensor, op);
  }
  tensor.requiresGrad = true;
  graph.markLeaf(graph.operation(tensor));
  graph.endOrigin(graph.operation(tensor));
  return *this;
}

Tensor Tensor::grad() const {
  if (isSharded(*this))
    return shards::takeGradient(*this);
  TensorImpl &tensor = impl();
  std::lock_guard<GraphMutex> lock(tensor.graph->mutex);
  return tensor.grad;
}

void Tensor::setGrad(const OptionalTensor &gradient) {
  TensorImpl &tensor = impl();
  if (gradient && gradient->dtype() != tensor.dtype)
    throw DTypeError(std::string("setGrad: a gradient of ") +
                     name(gradient->dtype()) + " for a tensor of " +
                     name(tensor.dtype));
  if (gradient && gradient->shape() != tensor.shape)
    throw ShapeError("setGrad: a gradient of shape " +
                     toString(gradient->shape()) + " for a tensor of shape " +
                     toString(tensor.shape));
  if (tensor.shards)
    for (Tensor &part : tensor.shards->parts)
      part.setGrad({});
  else if (Recorder *recorder = Recorder::current())
    recorder->gradientSet(tensor);
  // The old one is released without the lock.
  Tensor old = gradient ? *gradient : Tensor();
  std::lock_guard<GraphMutex> lock(tensor.graph->mutex);
  std::swap(tensor.grad, old);
}

uint64_t prim::beginCut(const Tensor &x) {
  GraphImpl &graph = *x.impl().graph;
  std::lock_guard<GraphMutex> lock(graph.mutex);
  return graph.beginCut(graph.operation(x.impl()));
}

void prim::markCut(const Tensor &x, const Tensor &memory, uint64_t cutBits) {
  GraphImpl &graph = *x.impl().graph;
  std::lock_guard<GraphMutex> lock(graph.mutex);
  Operation *op = graph.operation(memory.impl());
  graph.markCut(graph.operation(x.impl()), op);
  graph.endCut(op, cutBits);
}

//===----------------------------------------------------------------------===//
// What gradients flow through
//===----------------------------------------------------------------------===//

SmallVector<Operation *> GraphImpl::gradientSources(Operation *op) {
  SmallVector<Operation *> sources;
  if (Operation *origin = findOrigin(op)) {
    sources.push_back(origin);
  } else if (CustomGradient *custom = findCustomGradient(op)) {
    for (Handle &input : custom->inputs)
      sources.push_back(input.op);
  } else if (auto given = dyn_cast<tg::WithDerivativeOp>(op);
             given && !tg::stopsGradient(op)) {
    sources.push_back(given.getOf().getDefiningOp());
  } else if (!tg::stopsGradient(op)) {
    // The old contents of the target of an assignment are not part of it.
    const unsigned first = isa<tg::AssignOp>(op) ? 1 : 0;
    for (Value operand :
         op->getOperands().drop_front(std::min(first, op->getNumOperands())))
      if (isa<FloatType>(getElementTypeOrSelf(operand)))
        sources.push_back(operand.getDefiningOp());
  }
  return sources;
}

uint64_t GraphImpl::beginCut(ArrayRef<Operation *> ops) {
  // With more than 64 cuts in use, a gradient may be refused without need.
  constexpr unsigned numBits = 64;
  SmallVector<Operation *> worklist(ops);
  llvm::DenseSet<Operation *> seen;
  uint64_t cutBits = 0, ownBit = 0;
  while (!worklist.empty())
    for (Operation *source : gradientSources(worklist.pop_back_val())) {
      if (!seen.insert(source).second)
        continue;
      if (ownBit == 0)
        ownBit = uint64_t(1) << (numCuts++ % numBits);
      Node &from = node(source);
      from.cutAfter |= ownBit;
      cutBits |= from.cutBits | ownBit;
      worklist.push_back(source);
    }
  return cutBits;
}

//===----------------------------------------------------------------------===//
// Custom gradients
//===----------------------------------------------------------------------===//

Tensor Tensor::withGradient(
    const std::vector<Tensor> &inputs,
    std::function<std::vector<Tensor>(const Tensor &)> gradient) const {
  const MethodScope method("withGradient");
  if (!gradient)
    throw Error("withGradient: the function is empty");
  if (isSharded(*this) ||
      std::any_of(inputs.begin(), inputs.end(),
                  [](const Tensor &input) { return isSharded(input); }))
    throw Error("withGradient: of tensors on several devices; give each of "
                "their shards() a gradient");
  TensorImpl &output = impl();
  auto check = [](const Tensor &tensor) {
    if (!hasGradient(tensor.dtype()))
      throw DTypeError("withGradient: a tensor " + describe(tensor) +
                       " has no gradient, only floats of 16 bits or more");
  };
  check(*this);
  for (const Tensor &input : inputs) {
    check(input);
    if (input.impl().graph != output.graph)
      throw Error("withGradient: the tensors are of different graphs");
  }
  std::lock_guard<GraphMutex> lock(output.graph->mutex);
  if (NoGradScope::isActive())
    return detach();
  return output.graph->makeCustomGradient(*this, inputs, std::move(gradient));
}

Tensor Tensor::contiguousBackward() const {
  if (isSharded(*this))
    return shards::map(
        *this, [](const Tensor &part) { return part.contiguousBackward(); });
  return withGradient({*this}, [](const Tensor &gradient) {
    return std::vector<Tensor>{gradient.contiguous()};
  });
}

//===----------------------------------------------------------------------===//
// Gradients
//===----------------------------------------------------------------------===//

namespace {
/// Values with their gradients, or tensors with their sums of gradients.
struct Seeds {
  SmallVector<Operation *> outputs;
  std::vector<Tensor> cotangents;
};
} // namespace

/// Calls the function of a custom gradient and checks what it returns.
static std::vector<Tensor> callCustom(GraphImpl::CustomGradient &custom,
                                      const Tensor &cotangent) {
  std::vector<Tensor> results = custom.function(cotangent);
  if (results.size() != custom.inputs.size())
    throw Error("withGradient: the function returned " +
                std::to_string(results.size()) + " gradients for " +
                std::to_string(custom.inputs.size()) + " inputs");
  for (auto [result, input] : llvm::zip_equal(results, custom.inputs)) {
    if (!result.defined())
      continue;
    GraphImpl &graph = *result.impl().graph;
    auto type = cast<RankedTensorType>(input.op->getResult(0).getType());
    if (graph.operation(result.impl())->getResult(0).getType() != type)
      throw ShapeError("withGradient: the function returned a gradient " +
                       describe(result) + " for an input " +
                       describe(graph, input.op));
  }
  return results;
}

/// The gradients of seeds by \p wrt, undefined where there is none.
static std::vector<Tensor> differentiate(GraphImpl &graph, const Seeds &seeds,
                                         ArrayRef<Operation *> wrt,
                                         Device &device, const char *method) {
  auto getResult = [](Operation *op) -> Value { return op->getResult(0); };
  const auto outputs = llvm::map_to_vector(seeds.outputs, getResult);
  const auto wrtValues = llvm::map_to_vector(wrt, getResult);
  const auto cotangents =
      llvm::map_to_vector(seeds.cotangents, [&](const Tensor &tensor) -> Value {
        return graph.operation(tensor.impl())->getResult(0);
      });
  GraphEdit edit(graph);
  edit.trustOperations();
  std::string errors;
  ScopedDiagnosticHandler handler(&graph.context(), [&](Diagnostic &message) {
    auto add = [&](Diagnostic &part) {
      errors += (errors.empty() ? "" : "; ") + part.str();
      if (auto place = dyn_cast<NameLoc>(part.getLocation()))
        errors += " (" + place.getName().str() + ")";
    };
    add(message);
    for (Diagnostic &note : message.getNotes())
      if (!StringRef(note.str()).starts_with("see current operation"))
        add(note);
  });
  FailureOr<SmallVector<Value>> gradients = tg::differentiate(
      edit.rewriter(), outputs, cotangents, wrtValues,
      [&](Value value) {
        return graph.isNode(value.getDefiningOp()) &&
               graph.findLeaf(value.getDefiningOp());
      },
      [&](Value value) -> Value {
        Operation *op = value.getDefiningOp();
        Operation *origin = graph.isNode(op) ? graph.findOrigin(op) : nullptr;
        return origin ? Value(origin->getResult(0)) : Value();
      });
  if (failed(gradients))
    throw Error(std::string(method) + ": " + errors);
  SmallVector<Value> found;
  for (Value gradient : *gradients)
    if (gradient)
      found.push_back(gradient);
  edit.readMemory(found);
  edit.fold(found);
  std::vector<Tensor> tensors = edit.adopt(found, device), results;
  auto next = tensors.begin();
  for (Value gradient : *gradients)
    results.push_back(gradient ? std::move(*next++) : Tensor());
  return results;
}

static void addTo(Tensor &sum, const Tensor &gradient) {
  if (gradient.defined())
    sum = sum.defined() ? sum + gradient : gradient;
}

/// The gradients of \p output by \p wrt, undefined where there is none.
static std::vector<Tensor>
differentiateAll(GraphImpl &graph, const Tensor &output,
                 const Tensor &cotangent, ArrayRef<Operation *> wrt,
                 ArrayRef<Operation *> customs, const char *method) {
  Device &device = *output.impl().device;
  // The gradients of operations with custom gradients are computed too. They
  // are complete when all that depend on them have been processed.
  SmallVector<Operation *> all(wrt);
  llvm::append_range(all, customs);
  std::vector<Tensor> sums(all.size());
  auto add = [&](const Seeds &seeds) {
    std::vector<Tensor> gradients =
        differentiate(graph, seeds, all, device, method);
    for (auto [sum, gradient] : llvm::zip_equal(sums, gradients))
      addTo(sum, gradient);
  };
  add({{graph.operation(output.impl())}, {cotangent}});
  for (std::size_t i = all.size(); i-- > wrt.size();) {
    if (!sums[i].defined())
      continue;
    GraphImpl::CustomGradient &custom = *graph.findCustomGradient(all[i]);
    std::vector<Tensor> results = callCustom(custom, sums[i]);
    Seeds seeds;
    for (auto [input, result] : llvm::zip_equal(custom.inputs, results))
      if (result.defined()) {
        seeds.outputs.push_back(input.op);
        seeds.cotangents.push_back(result);
      }
    if (!seeds.outputs.empty())
      add(seeds);
  }
  sums.resize(wrt.size());
  return sums;
}

static bool isSingle(const Tensor &tensor) {
  const SymInt count = tensor.numel();
  return !count.isSymbolic() && count.value() == 1;
}

/// The cotangent, ones if none is needed.
static Tensor getCotangent(const Tensor &output,
                           const OptionalTensor &cotangent,
                           const char *method) {
  if (!hasGradient(output.dtype()))
    throw DTypeError(std::string(method) + ": a tensor of " +
                     name(output.dtype()) +
                     " has no gradient, only floats of 16 bits or more");
  if (!cotangent) {
    if (!isSingle(output))
      throw ShapeError(std::string(method) + ": a tensor of shape " +
                       toString(output.shape()) +
                       " needs a cotangent of this shape; only one with a "
                       "single element has a gradient by itself");
    return same(output, 1);
  }
  if (cotangent->dtype() != output.dtype())
    throw DTypeError(std::string(method) + ": a cotangent of " +
                     name(cotangent->dtype()) + " for a tensor of " +
                     name(output.dtype()));
  if (cotangent->shape() != output.shape())
    throw ShapeError(std::string(method) + ": a cotangent of shape " +
                     toString(cotangent->shape()) + " for a tensor of shape " +
                     toString(output.shape()));
  checkOperands({&output, &*cotangent});
  return *cotangent;
}

/// Tensors without elements are constants. Their gradients have none either.
static bool isEmpty(const Tensor &tensor) { return tensor.numel().max() == 0; }

std::vector<Tensor> Tensor::gradient(const std::vector<Tensor> &wrt,
                                     const OptionalTensor &cotangent,
                                     bool allowUnused) const {
  const MethodScope scope("gradient");
  if (isSharded(*this) || std::any_of(wrt.begin(), wrt.end(), [](auto &tensor) {
        return isSharded(tensor);
      }))
    return shards::gradient(*this, wrt, cotangent);
  const Tensor seed = getCotangent(*this, cotangent, "gradient");
  GraphImpl &graph = *impl().graph;
  std::lock_guard<GraphMutex> lock(graph.mutex);
  SmallVector<Operation *> ops;
  for (const Tensor &tensor : wrt) {
    if (!hasGradient(tensor.dtype()))
      throw DTypeError(std::string("gradient: by a tensor of ") +
                       name(tensor.dtype()) +
                       ", but only floats of 16 bits or more have a gradient");
    if (tensor.impl().graph.get() != &graph)
      throw Error("gradient: the tensors are of different graphs");
    Operation *op = graph.operation(tensor.impl());
    if (op->getNumOperands() == 0 && !isa<tg::BufferOp>(op) && !isEmpty(tensor))
      throw Error("gradient: tensor " + std::to_string(ops.size()) +
                  " of those to differentiate by, " +
                  tinygrad::detail::describe(tensor) +
                  ", is a constant, which may be part of any operation; use "
                  "its parameter() instead");
    ops.push_back(op);
  }
  if (ops.empty())
    return {};
  checkAssigned(graph, graph.operation(impl()), wrt, ops);
  GradientPaths paths(graph, "gradient");
  paths.follow(graph.operation(impl()), ops);
  std::vector<Tensor> gradients =
      differentiateAll(graph, *this, seed, ops, paths.customs(), "gradient");
  for (auto [i, gradient] : llvm::enumerate(gradients)) {
    if (gradient.defined()) {
      gradient.impl().device = wrt[i].impl().device;
      continue;
    }
    if (!allowUnused && !paths.isReached(ops[i]) && !isEmpty(wrt[i]))
      throw Error("gradient: the tensor does not depend on tensor " +
                  std::to_string(i) + " of those to differentiate by, " +
                  describe(wrt[i]) +
                  explainMissing(
                      graph, graph.operation(impl()),
                      [&](Operation *op) { return op == ops[i]; },
                      ", or no longer, because a value between them was "
                      "realized or assigned to"));
    gradient = wrt[i].zerosLike();
  }
  return gradients;
}

void Tensor::backward(const OptionalTensor &cotangent) const {
  const MethodScope scope("backward");
  if (isSharded(*this)) {
    shards::seed(*this, cotangent, "backward").backward();
    for (const Tensor &part : shards())
      detail::addLoss(part);
    return;
  }
  const Tensor seed = getCotangent(*this, cotangent, "backward");
  GraphImpl &graph = *impl().graph;
  std::lock_guard<GraphMutex> lock(graph.mutex);
  GradientPaths paths(graph, "backward");
  paths.follow(graph.operation(impl()), {});
  if (paths.leaves().empty())
    throw Error("backward: the tensor, " + describe(*this) +
                ", depends on no tensor that requires a gradient" +
                explainMissing(
                    graph, graph.operation(impl()),
                    [&](Operation *op) { return graph.findLeaf(op); },
                    "; see setRequiresGrad() and parameter()"));
  std::vector<Tensor> gradients = differentiateAll(
      graph, *this, seed, paths.leaves(), paths.customs(), "backward");
  // Nothing below can fail halfway.
  std::vector<std::pair<TensorImpl *, Tensor>> sums;
  for (auto [op, gradient] : llvm::zip_equal(paths.leaves(), gradients)) {
    for (Handle *handle = graph.node(op).firstHandle; handle;
         handle = handle->next) {
      if (!handle->requiresGrad)
        continue;
      auto &leaf = static_cast<TensorImpl &>(*handle);
      // All that depends on it is constant: the results of floor(), for one.
      if (!gradient.defined())
        gradient = Tensor(leaf.shared_from_this()).zerosLike();
      gradient.impl().device = leaf.device;
      sums.emplace_back(&leaf, leaf.grad);
      addTo(sums.back().second, gradient);
    }
  }
  // Otherwise a sum that is computed now and then would keep all that was ever
  // added to it.
  for (auto &[leaf, sum] : sums)
    if (leaf->grad.defined())
      if (Operation *op = graph.operation(leaf->grad.impl());
          graph.findOrigin(op))
        graph.endOrigins(op, GraphImpl::Ending::Accumulated);
  for (auto &[leaf, sum] : sums)
    std::swap(leaf->grad, sum);
  detail::addLoss(*this);
}

/// The operations before \p output that tensors of floats refer to.
static SmallVector<Operation *> findReferenced(GraphImpl &graph,
                                               Operation *output) {
  SmallVector<Operation *> referenced, worklist = {output};
  llvm::SmallPtrSet<Operation *, 32> visited = {output};
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    const bool isConstant = op->getNumOperands() == 0 && !isa<tg::BufferOp>(op);
    if (!isConstant && graph.isDifferentiable(op))
      referenced.push_back(op);
    auto visit = [&](Operation *source) {
      if (visited.insert(source).second)
        worklist.push_back(source);
    };
    for (Value operand : op->getOperands())
      visit(operand.getDefiningOp());
    if (Operation *origin = graph.findOrigin(op))
      visit(origin);
  }
  return referenced;
}

void tinygrad::detail::backwardToAll(const Tensor &tensor,
                                     const OptionalTensor &cotangent) {
  const MethodScope scope("backward");
  if (isSharded(tensor)) {
    backwardToAll(shards::seed(tensor, cotangent, "backward"), {});
    for (const Tensor &part : tensor.shards())
      addLoss(part);
    return;
  }
  const Tensor seed = getCotangent(tensor, cotangent, "backward");
  GraphImpl &graph = *tensor.impl().graph;
  std::lock_guard<GraphMutex> lock(graph.mutex);
  Operation *output = graph.operation(tensor.impl());
  if (graph.node(output).isResult && !graph.findOrigin(output))
    throw Error("backward: the tensor, " + describe(tensor) +
                ", is in memory, and what it was computed from is no longer "
                "known; call backward() before values are read, or set "
                "requires_grad of what it depends on before it is computed");
  graph.checkForgotten(output);
  const SmallVector<Operation *> targets = findReferenced(graph, output);
  if (targets.empty())
    return;
  GradientPaths paths(graph, "backward");
  paths.follow(output, targets);
  paths.checkReassigned();
  const std::vector<Tensor> gradients = differentiateAll(
      graph, tensor, seed, targets, paths.customs(), "backward");
  SmallVector<std::pair<Tensor, Tensor>> sums;
  for (auto [op, gradient] : llvm::zip_equal(targets, gradients)) {
    for (Handle *handle = graph.node(op).firstHandle; handle;
         handle = handle->next) {
      if (handle->isInternal || handle->pinnedBy)
        continue;
      // Null if another thread is about to destroy it.
      std::shared_ptr<TensorImpl> impl =
          static_cast<TensorImpl *>(handle)->weak_from_this().lock();
      if (!impl)
        continue;
      Tensor owner(std::move(impl));
      Tensor sum = owner.grad();
      // Zero by what no gradient comes through: detach(), floor().
      Tensor added =
          gradient.defined() ? prim::alias(gradient) : owner.zerosLike();
      added.impl().device = owner.impl().device;
      addTo(sum, added);
      sums.emplace_back(std::move(owner), std::move(sum));
    }
  }
  Recorder *recorder = Recorder::current();
  for (auto &[owner, sum] : sums) {
    const bool isUnasked = recorder && (!owner.impl().grad.defined() ||
                                        recorder->isUnasked(owner.impl()));
    owner.setGrad(sum);
    if (isUnasked)
      recorder->gradientUnasked(owner.impl().shared_from_this());
  }
  addLoss(tensor);
}

void tinygrad::detail::addLoss(const Tensor &tensor) {
  TensorImpl &loss = tensor.impl();
  std::lock_guard<GraphMutex> lock(loss.graph->mutex);
  if (!isSingle(tensor))
    return;
  auto &losses = loss.graph->losses;
  llvm::erase_if(losses, [&](const std::weak_ptr<TensorImpl> &other) {
    const std::shared_ptr<TensorImpl> impl = other.lock();
    return !impl || impl.get() == &loss || Tensor(impl).isRealized();
  });
  losses.push_back(loss.weak_from_this());
}

std::vector<Tensor> tinygrad::detail::takeLosses(const Tensor &tensor) {
  GraphImpl &graph = *tensor.impl().graph;
  std::lock_guard<GraphMutex> lock(graph.mutex);
  std::vector<Tensor> losses;
  for (const std::weak_ptr<TensorImpl> &other : std::exchange(graph.losses, {}))
    if (std::shared_ptr<TensorImpl> impl = other.lock())
      if (Tensor loss(impl); !loss.isRealized())
        losses.push_back(loss);
  return losses;
}

//===----------------------------------------------------------------------===//
// Scopes
//===----------------------------------------------------------------------===//

static thread_local bool isGradientOff = false;

NoGradScope::NoGradScope(bool isActive) : outer(isGradientOff) {
  isGradientOff = isActive;
}

NoGradScope::~NoGradScope() { isGradientOff = outer; }

bool NoGradScope::isActive() { return isGradientOff; }

void NoGradScope::set(bool isActive) { isGradientOff = isActive; }
