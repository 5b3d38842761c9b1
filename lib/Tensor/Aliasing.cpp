//===- Aliasing.cpp - tensors that share memory with their views ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Applying and reversing movements; the list of views of each tensor.
///
//===----------------------------------------------------------------------===//

#include "Aliasing.h"
#include "GraphImpl.h"
#include "Primitives.h"
#include "SymExpr.h"
#include "TinyGrad/Compiler/Compiler.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

#include <utility>

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::detail;

//===----------------------------------------------------------------------===//
// Movements
//===----------------------------------------------------------------------===//

Movement::~Movement() {
  std::shared_ptr<const Movement> rest = std::move(previous);
  while (rest && rest.use_count() == 1) {
    // No other owner can see the change.
    auto &last = const_cast<Movement &>(*rest);
    std::shared_ptr<const Movement> next = std::move(last.previous);
    rest = std::move(next);
  }
}

Operation *Movement::apply(GraphImpl &graph, Operation *operand) const {
  Value x = operand->getResult(0);
  switch (kind) {
  case Kind::Reshape:
    return graph.make<tg::ReshapeOp>(
        graph.tensorType(
            getDType(cast<RankedTensorType>(x.getType()).getElementType()),
            after),
        x);
  case Kind::Permute:
    return graph.make<tg::PermuteOp>(x, ArrayRef<int64_t>(axes));
  case Kind::Shrink:
    return graph.make<tg::ShrinkOp>(x, graph.dimensions(from),
                                    graph.dimensions(to));
  case Kind::Flip:
    return graph.make<tg::FlipOp>(x, ArrayRef<int64_t>(axes));
  case Kind::Expand:
  case Kind::Bitcast: {
    const DType element =
        kind == Kind::Bitcast
            ? dtype
            : getDType(cast<RankedTensorType>(x.getType()).getElementType());
    const auto type =
        graph.tensorType(element, kind == Kind::Bitcast ? before : after);
    if (kind == Kind::Bitcast)
      return graph.make<tg::BitcastOp>(type, x);
    return graph.make<tg::ExpandOp>(type, x);
  }
  case Kind::Detach:
    return graph.make<tg::DetachOp>(x);
  case Kind::Pad:
    break;
  }
  return graph.make<tg::PadOp>(x, graph.dimensions(low),
                               graph.dimensions(high));
}

static Shape add(const Shape &a, const Shape &b) {
  Shape result;
  for (std::size_t i = 0; i < a.size(); ++i)
    result.push_back(a[i] + b[i]);
  return result;
}

static Shape subtract(const Shape &a, const Shape &b) {
  Shape result;
  for (std::size_t i = 0; i < a.size(); ++i)
    result.push_back(a[i] - b[i]);
  return result;
}

Tensor Movement::moveBack(const Tensor &x) const {
  switch (kind) {
  case Kind::Reshape:
    return prim::reshape(x, before);
  case Kind::Permute: {
    const SmallVector<int64_t> inverse = invertPermutationVector(axes);
    return prim::permute(x, {inverse.begin(), inverse.end()});
  }
  case Kind::Shrink:
    return prim::pad(x, from, subtract(before, to));
  case Kind::Flip:
    return prim::flip(x, axes);
  case Kind::Expand: {
    const Shape none(before.size(), 0);
    Shape first = none, last = before, missing = none;
    for (std::size_t i = 0; i < before.size(); ++i) {
      // A symbolic size may have other values by the time this is computed.
      if (before[i] == after[i] || after[i].isSymbolic())
        continue;
      if (after[i] == 0) {
        missing[i] = 1;
        continue;
      }
      first[i] = after[i] - 1;
      last[i] = after[i];
    }
    return prim::shrink(missing == none ? x : prim::pad(x, none, missing),
                        first, last);
  }
  case Kind::Bitcast:
  case Kind::Detach:
    return x;
  case Kind::Pad:
    break;
  }
  return prim::shrink(x, low, add(low, before));
}

//===----------------------------------------------------------------------===//
// A tensor and its views
//===----------------------------------------------------------------------===//

Storage::Storage(GraphImpl &graph, TensorImpl &root)
    : graph(graph), root(&root) {
  pin.op = graph.operation(root);
  pin.pinnedBy = this;
  graph.link(pin);
}

Storage::~Storage() { graph.release(pin); }

void Storage::link(TensorImpl &view) {
  view.previousView = nullptr;
  view.nextView = firstView;
  if (firstView)
    firstView->previousView = &view;
  firstView = &view;
}

void Storage::unlink(TensorImpl &view) {
  if (view.nextView)
    view.nextView->previousView = view.previousView;
  if (view.previousView)
    view.previousView->nextView = view.nextView;
  else
    firstView = view.nextView;
}

void Storage::add(const std::shared_ptr<Storage> &storage, TensorImpl &view,
                  std::shared_ptr<const Movement> movement) {
  view.storage = storage;
  view.movement = std::move(movement);
  storage->link(view);
}

void Storage::leave(TensorImpl &tensor) {
  std::shared_ptr<Storage> storage = std::move(tensor.storage);
  tensor.storage = nullptr;
  tensor.movement = nullptr;
  if (!storage)
    return;
  if (storage->isRoot(tensor))
    storage->root = nullptr;
  else if (tensor.op)
    storage->unlink(tensor);
  else
    --storage->numStale;
  endIfDone(std::move(storage));
}

static std::size_t countMovements(const Movement *last) {
  std::size_t count = 0;
  for (; last; last = last->previous.get())
    ++count;
  return count;
}

/// Whether two views of one root are known to have no element in common: the
/// first movements in which they differ take different parts of one tensor.
static bool areApart(const Movement *a, const Movement *b) {
  std::size_t countA = countMovements(a), countB = countMovements(b);
  for (; countA > countB; --countA)
    a = a->previous.get();
  for (; countB > countA; --countB)
    b = b->previous.get();
  if (a == b)
    return false;
  while (a->previous != b->previous) {
    a = a->previous.get();
    b = b->previous.get();
  }
  if (a->kind != Movement::Kind::Shrink || b->kind != Movement::Kind::Shrink)
    return false;
  for (std::size_t axis = 0; axis < a->from.size(); ++axis)
    if (isAtMost(a->to[axis], b->from[axis]) ||
        isAtMost(b->to[axis], a->from[axis]))
      return true;
  return false;
}

void Storage::leaveIfLoose(GraphImpl &graph, TensorImpl &tensor) {
  if (!tensor.movement || !tensor.movement->loose)
    return;
  (void)graph.operation(tensor); // which an assignment may have left to rebuild
  leave(tensor);
}

void Storage::endIfDone(std::shared_ptr<Storage> storage) {
  if (storage->numStale != 0)
    return;
  TensorImpl *views = storage->firstView;
  if (storage->root) {
    // A later view creates a new storage.
    if (!views) {
      storage->root->storage = nullptr;
      storage->root = nullptr;
    }
    return;
  }
  // Views of memory may overlap: an assignment to one changes the others.
  if (views && views->nextView && isa<tg::BufferOp>(storage->pin.op))
    return;
  if (views && views->nextView)
    for (TensorImpl *view = views; view; view = view->nextView)
      if (!isa<tg::BufferOp>(view->op))
        return;
  // Those that share elements with no other one become tensors by themselves.
  SmallVector<TensorImpl *> apart;
  for (TensorImpl *view = views; view; view = view->nextView) {
    bool isApart = true;
    for (TensorImpl *other = views; isApart && other; other = other->nextView)
      isApart = other == view ||
                areApart(view->movement.get(), other->movement.get());
    if (isApart)
      apart.push_back(view);
  }
  for (TensorImpl *view : apart) {
    storage->unlink(*view);
    view->storage = nullptr;
    view->movement = nullptr;
  }
}

void Storage::refresh(TensorImpl &view) {
  SmallVector<const Movement *> movements;
  for (const Movement *step = view.movement.get(); step;
       step = step->previous.get())
    movements.push_back(step);
  const std::shared_ptr<Storage> storage = view.storage;
  // A tensor keeps each intermediate operation alive until the next one exists.
  Tensor held = storage->graph.wrap(storage->pin.op, view.device);
  for (const Movement *step : llvm::reverse(movements))
    held = storage->graph.wrap(step->apply(storage->graph, held.impl().op),
                               view.device);
  view.op = held.impl().op;
  storage->graph.link(view);
  storage->link(view);
  --storage->numStale;
  endIfDone(storage);
}

/// Whether a view with \p movement changes with the view that \p through leads
/// to: it is derived by the same loose movement, or by none.
static bool changesWith(const Movement *movement, const Movement *through) {
  if (!movement || !movement->loose)
    return true;
  while (through && through->loose && through->loose != movement->loose)
    through = through->loose->previous.get();
  return through && through->loose;
}

void Storage::assign(Operation *op, const Movement *through) {
  graph.rebind(pin, op);
  if (root)
    graph.rebind(*root, op);
  // A view that leaves may be the last to hold this.
  const std::shared_ptr<Storage> self =
      firstView ? firstView->storage : nullptr;
  SmallVector<TensorImpl *> changed;
  while (TensorImpl *view = firstView) {
    if (changesWith(view->movement.get(), through)) {
      if (view->movement && view->movement->loose)
        changed.push_back(view);
      detach(*view);
      continue;
    }
    unlink(*view);
    view->movement = nullptr;
    view->storage = nullptr;
  }
  // At once: they keep these values after a later assignment.
  for (TensorImpl *view : changed)
    refresh(*view);
  // A later view creates a new storage. Nothing may follow: this may be gone.
  if (root && !firstView && numStale == 0)
    std::exchange(root, nullptr)->storage = nullptr;
}

void Storage::detach(TensorImpl &view) {
  unlink(view);
  ++numStale;
  graph.release(view);
}

std::shared_ptr<TensorImpl>
Storage::getOrMakeRoot(const std::shared_ptr<Storage> &storage,
                       Device &device) {
  if (storage->root)
    return storage->root->weak_from_this().lock();
  Tensor made = storage->graph.wrap(storage->pin.op, &device);
  TensorImpl &root = made.impl();
  root.storage = storage;
  storage->root = &root;
  return root.shared_from_this();
}
