//===- GraphEdit.cpp - nodes from other builders --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Checks operations, makes nodes of those that equal no other node, and moves
/// tensors to the operations by which patterns replaced theirs.
///
//===----------------------------------------------------------------------===//

#include "GraphEdit.h"
#include "GraphSlice.h"
#include "TinyGrad/Compiler/Compiler.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/Tensor/Training.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::detail;

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

[[noreturn]] static void fail(Operation *op, const Twine &what) {
  throw Error(("adopt: '" + op->getName().getStringRef() + "' " + what).str());
}

/// The verifiers' message for an invalid operation, else an empty string.
static std::string getVerifierError(Operation *op) {
  std::string text;
  ScopedDiagnosticHandler handler(op->getContext(), [&](Diagnostic &message) {
    text += (text.empty() ? "" : "; ") + message.str();
  });
  if (succeeded(verify(op)))
    return "";
  return text.empty() ? "is not valid" : text;
}

/// Whether an attribute or type of an operation contains variables.
static bool hasVariables(Operation *op) {
  if (cast<RankedTensorType>(op->getResult(0).getType()).getEncoding())
    return true;
  if (!isa<tg::DimOp, tg::PadOp, tg::ShrinkOp, tg::StridedOp>(op))
    return false;
  AttrTypeWalker walker;
  walker.addWalk([](tg::VarAttr) { return WalkResult::interrupt(); });
  return walker.walk(Attribute(op->getAttrDictionary())).wasInterrupted();
}

void GraphEdit::check(Operation *op) {
  if (op->getContext() != &graph.context())
    fail(op, "is of another context");
  if (!staging->getOperation()->isProperAncestor(op))
    fail(op, "does not stand in the edit");
  if (!isa_and_nonnull<tg::TgDialect>(op->getDialect()) ||
      op->getNumRegions() != 0 || op->getNumResults() != 1)
    fail(op, "is not an operation of a tensor graph");
  if (isa<tg::BufferOp, tg::AssignOp, tg::AfterOp>(op))
    fail(op, "is about memory, which belongs to the graph");
  // Checks operands first, since verifiers do not expect null operands.
  for (Value operand : op->getOperands())
    if (!operand || !operand.getDefiningOp())
      fail(op, "has an operand that is not computed");
#ifdef NDEBUG
  const bool isVerified = !areTrusted;
#else
  const bool isVerified = true;
#endif
  if (isVerified)
    if (std::string mistake = getVerifierError(op); !mistake.empty())
      fail(op, "is not valid: " + Twine(mistake));
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type)
    fail(op, "is not an operation of a tensor graph");
  const DType dtype = getDType(type.getElementType());
  if (graph.elementType(dtype) != type.getElementType())
    fail(op, "has elements that no tensor has");
  checkedNumElements(graph.shapeOf(type), dtype, "adopt");
  if (!graph.hasSymbols())
    graph.hasDims = hasVariables(op);
  if (graph.hasSymbols())
    graph.walkVariables(op, [&](KnownVariable &variable) {
      if (variable.unbound && !variable.value)
        fail(op, "has a variable whose value is gone");
    });
}

SmallVector<Operation *> GraphEdit::collect(ValueRange values) {
  SmallVector<Operation *> order;
  llvm::DenseMap<Operation *, bool> isDone;
  struct Frame {
    Operation *op;
    unsigned nextOperand = 0;
  };
  SmallVector<Frame> path;
  auto enter = [&](Operation *op) {
    if (graph.isNode(op))
      return;
    auto [it, isNew] = isDone.try_emplace(op, false);
    if (isNew) {
      check(op);
      path.push_back({op});
    } else if (!it->second) {
      fail(op, "depends on itself");
    }
  };
  for (Value value : values) {
    if (!value || !value.getDefiningOp())
      throw Error("adopt: a value that is not computed");
    enter(value.getDefiningOp());
    while (!path.empty()) {
      Frame &frame = path.back();
      if (frame.nextOperand < frame.op->getNumOperands()) {
        enter(frame.op->getOperand(frame.nextOperand++).getDefiningOp());
        continue;
      }
      isDone[frame.op] = true;
      order.push_back(frame.op);
      path.pop_back();
    }
  }
  return order;
}

//===----------------------------------------------------------------------===//
// Edits
//===----------------------------------------------------------------------===//

void GraphEdit::Inserted::notifyOperationInserted(
    Operation *op, OpBuilder::InsertPoint /*previous*/) {
  if (op->getBlock() == edit.graph.module->getBody() && !edit.graph.isNode(op))
    op->moveBefore(&edit.block(), edit.block().end());
  // Prepares for the next operation.
  prepareToMake();
}

void GraphEdit::Inserted::notifyOperationErased(Operation *op) {
  assert(!edit.graph.isNode(op) && "nodes are not to be erased by rewriters");
  (void)op;
}

void GraphEdit::Pins::pin(std::size_t i, Operation *op) {
  handles[i].op = op;
  handles[i].isInternal = true;
  graph.link(handles[i]);
}

GraphEdit::GraphEdit(GraphImpl &graph)
    : graph(graph), inserted(*this), irRewriter(&graph.context(), &inserted) {
  prepareToMake();
  staging = ModuleOp::create(irRewriter, graph.location);
  irRewriter.setInsertionPointToEnd(&block());
  ++graph.numEdits;
}

GraphEdit::~GraphEdit() {
  clear();
  --graph.numEdits;
}

void GraphEdit::clear() {
  // The edit may have been the last user of some nodes.
  block().walk([&](Operation *op) {
    llvm::SmallSetVector<Operation *, 4> nodes;
    for (Value operand : op->getOperands())
      if (Operation *producer = operand ? operand.getDefiningOp() : nullptr)
        if (graph.isNode(producer))
          nodes.insert(producer);
    op->dropAllReferences();
    for (Operation *node : nodes)
      graph.eraseIfDead(node);
  });
  block().clear();
  irRewriter.setInsertionPointToEnd(&block());
}

void GraphEdit::makeNodes(ValueRange values, Pins &pins) {
  const SmallVector<Operation *> order = collect(values);
  llvm::DenseMap<Operation *, Operation *> nodeOf;
  SmallVector<Operation *> added;
  Block &body = *graph.module->getBody();
  // From here on, only addOrFind() allocates memory.
  nodeOf.reserve(unsigned(order.size()));
  added.reserve(order.size());
  try {
    for (Operation *op : order) {
      Operation *node = graph.addOrFind(op);
      if (readsMemory && node != op)
        if (Operation *memory = graph.findMemoryOf(node))
          node = memory;
      nodeOf[op] = node;
      if (node == op) {
        op->moveBefore(&body, body.end());
        added.push_back(op);
      } else {
        op->getResult(0).replaceAllUsesWith(node->getResult(0));
      }
    }
  } catch (...) {
    for (Operation *op : llvm::reverse(added)) {
      graph.remove(op);
      op->moveBefore(&block(), block().begin());
    }
    throw;
  }
  for (auto [i, value] : llvm::enumerate(values)) {
    Operation *op = value.getDefiningOp();
    auto it = nodeOf.find(op);
    pins.pin(i, it == nodeOf.end() ? op : it->second);
  }
}

void GraphEdit::readMemory(MutableArrayRef<Value> values) {
  readsMemory = true;
  auto find = [&](Value value) {
    Operation *producer = value.getDefiningOp();
    Operation *memory = producer && graph.isNode(producer)
                            ? graph.findMemoryOf(producer)
                            : nullptr;
    return memory ? Value(memory->getResult(0)) : value;
  };
  block().walk([&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      operand.set(find(operand.get()));
  });
  for (Value &value : values)
    value = find(value);
}

void GraphEdit::fold(MutableArrayRef<Value> values) {
  for (Operation &op : llvm::make_early_inc_range(block())) {
    irRewriter.setInsertionPoint(&op);
    SmallVector<Value, 1> folded;
    if (failed(irRewriter.tryFold(&op, folded)) || folded.empty() ||
        folded.front() == op.getResult(0) ||
        graph.skipsTensor(&op, folded.front()))
      continue;
    llvm::replace(values, Value(op.getResult(0)), folded.front());
    irRewriter.replaceAllUsesWith(op.getResult(0), folded.front());
  }
  irRewriter.setInsertionPointToEnd(&block());
}

std::vector<Tensor> GraphEdit::adopt(ValueRange values, Device &device) {
  std::vector<Tensor> tensors;
  tensors.reserve(values.size());
  if (NoGradScope::isActive())
    for (Operation &op : block())
      if (op.getNumOperands() != 0 && op.getNumResults() == 1 &&
          isa<FloatType>(getElementTypeOrSelf(op.getResult(0))))
        op.setAttr(tg::noGradientAttrName, irRewriter.getUnitAttr());
  Pins pins(graph, values.size());
  makeNodes(values, pins);
  for (std::size_t i = 0; i < values.size(); ++i)
    tensors.push_back(graph.wrap(pins[i], &device));
  clear();
  return tensors;
}

//===----------------------------------------------------------------------===//
// Rewrites
//===----------------------------------------------------------------------===//

/// Memory or an assignment to it.
static bool isMemory(Operation *op) {
  return isa<tg::BufferOp, tg::AssignOp>(op);
}

/// Checks that a function still computes \p roots and returns its results.
static ValueRange checkResults(func::FuncOp function, unsigned numArguments,
                               ArrayRef<Operation *> roots) {
  if (std::string mistake = getVerifierError(function); !mistake.empty())
    throw Error("rewriteValues: " + mistake);
  auto results =
      function.getBody().hasOneBlock()
          ? dyn_cast<func::ReturnOp>(function.getBody().front().getTerminator())
          : nullptr;
  if (!results || results->getNumOperands() != roots.size() ||
      function.getNumArguments() != numArguments)
    throw Error("rewriteValues: the function takes or returns something else");
  for (auto [value, root] : llvm::zip(results.getOperands(), roots))
    if (value.getType() != root->getResult(0).getType())
      throw Error("rewriteValues: the function returns other types");
  return results.getOperands();
}

void tinygrad::detail::rewriteValues(
    GraphImpl &graph, ArrayRef<Operation *> values,
    function_ref<void(func::FuncOp, GraphEdit &)> rewrite) {
  GraphEdit edit(graph);
  // Operations that have tensors, and assigned values.
  llvm::SmallSetVector<Operation *, 8> roots, leaves;
  SmallVector<Operation *> ops;
  SmallVector<tg::AssignOp> assigns;
  const llvm::DenseSet<Operation *> wanted(values.begin(), values.end());
  for (Operation *op :
       GraphSlice::backwardSlice(values, [](Operation *) { return true; })) {
    if (auto assign = dyn_cast<tg::AssignOp>(op)) {
      assigns.push_back(assign);
      if (Operation *value = assign.getValue().getDefiningOp();
          !isMemory(value))
        roots.insert(value);
    }
    if (isMemory(op) || graph.findCustomGradient(op)) {
      leaves.insert(op);
      continue;
    }
    ops.push_back(op);
    if (graph.isHeld(op) || wanted.contains(op))
      roots.insert(op);
  }
  if (roots.empty())
    return;

  OpBuilder &builder = edit.rewriter();
  auto typesOf = [](ArrayRef<Operation *> list) {
    return llvm::map_to_vector(
        list, [](Operation *op) { return op->getResult(0).getType(); });
  };
  auto function = func::FuncOp::create(
      builder, graph.location, "main",
      builder.getFunctionType(typesOf(leaves.getArrayRef()),
                              typesOf(roots.getArrayRef())));
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToEnd(body);
  IRMapping mapping;
  for (auto [leaf, argument] : llvm::zip(leaves, body->getArguments()))
    mapping.map(leaf->getResult(0), argument);
  for (Operation *op : ops)
    builder.clone(*op, mapping);
  func::ReturnOp::create(
      builder, graph.location,
      llvm::map_to_vector(roots, [&](Operation *root) -> Value {
        return mapping.lookup(root->getResult(0));
      }));

  rewrite(function, edit);
  const ValueRange results =
      checkResults(function, leaves.size(), roots.getArrayRef());
  for (auto [leaf, argument] :
       llvm::zip(leaves, function.getBody().front().getArguments()))
    argument.replaceAllUsesWith(leaf->getResult(0));
  GraphEdit::Pins nodes(graph, roots.size()), old(graph, roots.size());
  edit.makeNodes(results, nodes);

  llvm::DenseMap<Operation *, Operation *> nodeOf;
  SmallVector<std::pair<Handle *, Operation *>, 0> moves;
  for (auto [i, root] : llvm::enumerate(roots)) {
    Operation *node = nodes[i];
    nodeOf[root] = node;
    old.pin(i, root);
    if (root == node)
      continue;
    // Collect all moves first: the new node of one may be the old node of
    // another.
    for (Handle *handle = graph.node(root).firstHandle; handle;
         handle = handle->next)
      if (!handle->isInternal)
        moves.push_back({handle, node});
    if (auto it = graph.pendingParts.find(root);
        it != graph.pendingParts.end() && !isMemory(node) &&
        !isa<tg::ConstOp>(node)) {
      const std::vector<SymVariable> variables = it->second;
      addVariables(graph.pendingParts[node], variables);
    }
  }
  // Nothing below can fail. Nodes without tensors are erased with the pins.
  for (auto [handle, node] : moves)
    graph.rebind(*handle, node);
  for (tg::AssignOp assign : assigns)
    if (Operation *value = assign.getValue().getDefiningOp(); !isMemory(value))
      assign.getValueMutable().assign(nodeOf.at(value)->getResult(0));
}
