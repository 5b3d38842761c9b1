//===- Origins.cpp - what memory was computed from ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Values that depend on parameters may be read before gradients are computed:
/// the memory that replaces an operation keeps it as long as a tensor refers to
/// the memory, so that gradients flow on.
///
//===----------------------------------------------------------------------===//

#include "GraphImpl.h"
#include "Recorder.h"
#include "TinyGrad/Compiler/Compiler.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/Tensor/KeptOrigins.h"
#include "TinyGrad/Tensor/Training.h"

#include "llvm/ADT/SetVector.h"

#include <utility>

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::detail;

static thread_local bool areKept = false;

KeptOrigins::KeptOrigins() : outer(std::exchange(areKept, true)) {}

KeptOrigins::~KeptOrigins() { areKept = outer; }

bool KeptOrigins::areActive() {
  return areKept && !NoGradScope::isActive() && !Recorder::current();
}

uint64_t GraphImpl::currentEpoch() const {
  Recorder *current = Recorder::current();
  return current && current == recorder ? current->number() : 0;
}

void GraphImpl::keepOrigin(Operation *op, Operation *memory, unsigned depth) {
  // What is only kept for gradients is not carried out with other values.
  pendingParts.erase(op);
  // An assignment would keep the memory of its target.
  while (auto assign = dyn_cast<tg::AssignOp>(op))
    op = assign.getValue().getDefiningOp();
  Origin &origin = origins[cast<tg::BufferOp>(memory).getId()];
  origin.op = op;
  origin.isInternal = origin.isOrigin = true;
  origin.memory = memory;
  origin.epoch = currentEpoch();
  origin.depth = depth;
  link(origin);
}

unsigned GraphImpl::originDepth(Operation *op) const {
  unsigned depth = 0;
  if (origins.empty())
    return 1;
  llvm::SmallSetVector<Operation *, 16> seen;
  seen.insert(op);
  for (std::size_t next = 0; next < seen.size(); ++next) {
    if (auto buffer = dyn_cast<tg::BufferOp>(seen[next])) {
      auto it = origins.find(buffer.getId());
      if (it != origins.end())
        depth = std::max(depth, it->second.depth);
      continue;
    }
    for (Value operand : seen[next]->getOperands())
      seen.insert(operand.getDefiningOp());
  }
  return depth + 1;
}

Operation *GraphImpl::findOrigin(Operation *memory) const {
  if (origins.empty())
    return nullptr;
  auto buffer = dyn_cast<tg::BufferOp>(memory);
  auto it = buffer ? origins.find(buffer.getId()) : origins.end();
  return it != origins.end() && it->second.epoch == currentEpoch()
             ? it->second.op
             : nullptr;
}

Operation *GraphImpl::findMemoryOf(Operation *op) const {
  if (origins.empty())
    return nullptr;
  for (Handle *handle = nodes.find(op)->second.firstHandle; handle;
       handle = handle->next)
    if (handle->isOrigin)
      if (auto &origin = static_cast<Origin &>(*handle);
          origin.epoch == currentEpoch())
        return origin.memory;
  return nullptr;
}

bool GraphImpl::isDifferentiable(Operation *op) const {
  for (Handle *handle = nodes.find(op)->second.firstHandle; handle;
       handle = handle->next) {
    if (handle->isInternal || handle->pinnedBy)
      continue;
    const DType dtype = static_cast<TensorImpl *>(handle)->dtype;
    if (isFloat(dtype) && !isFloat8(dtype))
      return true;
  }
  return false;
}

void GraphImpl::checkForgotten(Operation *output) {
  Operation *memory = nullptr;
  uint64_t bits = 0;
  llvm::SmallSetVector<Operation *, 16> seen;
  seen.insert(output);
  for (std::size_t next = 0; next < seen.size(); ++next) {
    Operation *op = seen[next];
    if (const Node &own = node(op); own.ending == Ending::Forgotten) {
      memory = op;
      bits |= own.cutBits;
    }
    seen.insert_range(gradientSources(op));
  }
  if (!memory)
    return;
  auto describe = [&](Operation *op) {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    return toString(shapeOf(type)) + " " +
           name(getDType(type.getElementType()));
  };
  for (Operation &op : *module->getBody())
    if (isNode(&op) && (node(&op).cutAfter & bits) != 0 &&
        isDifferentiable(&op))
      throw Error("backward: a value " + describe(memory) +
                  " was computed from more than " +
                  std::to_string(kMaxOriginDepth) +
                  " values that were read one after the other; how the first "
                  "of them were computed is not kept, so that the gradient by "
                  "a tensor " +
                  describe(&op) +
                  " before them would be incomplete; set requires_grad of this "
                  "tensor before it is used, or detach() the value if no "
                  "gradient is to flow through it");
}

void GraphImpl::endOrigin(Operation *memory) {
  auto buffer = dyn_cast<tg::BufferOp>(memory);
  auto it = buffer ? origins.find(buffer.getId()) : origins.end();
  if (it == origins.end())
    return;
  auto ended = origins.extract(it);
  release(ended.mapped());
}

void GraphImpl::endOrigins(Operation *start, Ending ending) {
  if (origins.empty())
    return;
  SmallVector<int64_t> ended;
  llvm::SmallSetVector<Operation *, 16> seen;
  auto end = [&](Operation *memory) {
    node(memory).ending = ending;
    ended.push_back(cast<tg::BufferOp>(memory).getId());
    seen.insert(memory);
  };
  if (auto buffer = dyn_cast<tg::BufferOp>(start);
      buffer && ending == Ending::Accumulated &&
      origins.contains(buffer.getId()))
    end(start);
  seen.insert(start);
  for (std::size_t next = 0; next < seen.size(); ++next) {
    Operation *op = seen[next];
    seen.insert(op->user_begin(), op->user_end());
    for (Handle *handle = node(op).firstHandle; handle; handle = handle->next)
      if (handle->isOrigin)
        end(static_cast<Origin *>(handle)->memory);
  }
  for (int64_t id : ended)
    // One may have been the last to need another.
    if (auto origin = origins.extract(id))
      release(origin.mapped());
}

void GraphImpl::endOriginsOf(uint64_t epoch) {
  SmallVector<int64_t> ended;
  for (const auto &[id, origin] : origins)
    if (origin.epoch == epoch)
      ended.push_back(id);
  for (int64_t id : ended)
    if (auto origin = origins.extract(id))
      release(origin.mapped());
}

GraphImpl::Ending
GraphImpl::findEnding(Operation *start,
                      llvm::DenseMap<Operation *, Ending> &known) {
  struct Step {
    Operation *op;
    SmallVector<Operation *> sources;
    unsigned next = 0;
  };
  SmallVector<Step, 0> path;
  auto enter = [&](Operation *op) {
    const Node &own = node(op);
    // Memory whose gradient could not flow on has no origin.
    if (!own.isTracked || findLeaf(op) || findOrigin(op))
      known[op] = Ending::None;
    else if (own.isCut)
      known[op] = own.ending == Ending::None ? Ending::Cut : own.ending;
    else if (own.isLeaf)
      known[op] = Ending::Assigned;
    else
      path.push_back({op, gradientSources(op)});
  };
  if (!known.contains(start))
    enter(start);
  while (!path.empty()) {
    Step &step = path.back();
    if (step.next == step.sources.size()) {
      known[step.op] = Ending::None;
      path.pop_back();
      continue;
    }
    auto source = known.find(step.sources[step.next]);
    if (source == known.end()) {
      enter(step.sources[step.next]);
    } else if (source->second == Ending::None) {
      ++step.next;
    } else {
      const Ending ending = source->second;
      known[step.op] = ending;
      path.pop_back();
    }
  }
  return known.at(start);
}

bool tinygrad::detail::decideByUsers(
    Operation *start, llvm::DenseMap<Operation *, bool> &known,
    llvm::function_ref<std::optional<bool>(Operation *)> decide) {
  struct Users {
    Operation *op;
    Operation::user_iterator next;
  };
  SmallVector<Users> path;
  auto enter = [&](Operation *op) {
    if (std::optional<bool> decided = decide(op))
      known[op] = *decided;
    else
      path.push_back({op, op->user_begin()});
  };
  if (!known.contains(start))
    enter(start);
  while (!path.empty()) {
    auto &[op, next] = path.back();
    if (next == op->user_end()) {
      known[op] = false;
      path.pop_back();
      continue;
    }
    auto user = known.find(*next);
    if (user == known.end()) {
      enter(*next);
    } else if (user->second) {
      known[op] = true;
      path.pop_back();
    } else {
      ++next;
    }
  }
  return known.at(start);
}

bool GraphImpl::isUsed(Operation *start,
                       llvm::DenseMap<Operation *, bool> &known) const {
  return decideByUsers(start, known, [&](Operation *op) -> std::optional<bool> {
    for (Handle *handle = nodes.find(op)->second.firstHandle; handle;
         handle = handle->next)
      if (!handle->keepsOnly())
        return true;
    return std::nullopt;
  });
}
