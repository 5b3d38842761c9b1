//===- GraphImpl.h - the graph behind tensors -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// An MLIR module whose operations are made one by one through the dialect's
/// builders, unique, and gone when nothing needs them.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_TENSOR_GRAPHIMPL_H
#define TINYGRAD_LIB_TENSOR_GRAPHIMPL_H

#include "ProgramCache.h"
#include "SymDim.h"
#include "TensorImpl.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <mutex>
#include <unordered_map>

namespace tinygrad::detail {

/// An operation with the hash of its name, attributes, operands and types.
/// Equal ones have all of these in common. The hash is kept, so that looking
/// for one touches no others in memory.
struct HashedOperation {
  mlir::Operation *op;
  unsigned hash;
};

struct HashedOperationInfo {
  using PointerInfo = llvm::DenseMapInfo<mlir::Operation *>;
  static HashedOperation getEmptyKey() {
    return {PointerInfo::getEmptyKey(), 0};
  }
  static HashedOperation getTombstoneKey() {
    return {PointerInfo::getTombstoneKey(), 0};
  }
  static unsigned getHashValue(HashedOperation key) { return key.hash; }
  static bool isEqual(HashedOperation lhs, HashedOperation rhs);
};

/// Throws Error if the thread-local objects of this thread are gone, as they
/// are when objects with static storage duration are destroyed: MLIR keeps
/// some.
void checkThread();
/// The same, and std::bad_alloc if there is no memory for an operation: MLIR
/// does not look at what malloc() returns.
void prepareToMake();

class GraphImpl : public std::enable_shared_from_this<GraphImpl> {
public:
  GraphImpl();
  ~GraphImpl();

  /// Guards everything below, and the operations. Recursive: methods of tensors
  /// that consist of others may hold it.
  std::recursive_mutex mutex;

  mlir::MLIRContext &context() { return *owned; }
  /// Moves all operations to another context if the present one may have many
  /// attributes that nobody needs any more: a context keeps all that it has
  /// seen, a new number in each step of a loop, say. Pointers to operations,
  /// attributes and types are not valid afterwards.
  void renewContext();
  /// Takes notice of things that the context keeps.
  void addGarbage(std::size_t count) { garbage += count; }

  std::unique_ptr<mlir::MLIRContext> owned;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// Stands at the end of the module.
  mlir::OpBuilder builder;
  mlir::Location location;

  /// Memory of the tg.buffer operations, by id. Ids are used again: the context
  /// keeps each number that it has seen.
  llvm::DenseMap<int64_t, Buffer> buffers;
  llvm::SmallVector<int64_t> freeBufferIds;
  /// What a parameter holds at the beginning. Its tg.buffer has no memory until
  /// something is computed from it.
  struct InitialValue {
    Handle handle;
    Device *device;
  };
  /// By the id of the buffer.
  std::unordered_map<int64_t, InitialValue> initialValues;
  /// Values that tensors got by assignments to parts, of numbers or at places
  /// that have variables: the variables, by name. They are computed as soon as
  /// anything that depends on them is: there may be more and more parts, and
  /// variables may have other values later.
  llvm::DenseMap<mlir::Operation *, std::vector<SymVariable>> pendingParts;
  /// State of the random numbers.
  uint64_t seed;
  uint64_t counter = 0;
  ProgramCache programs;

  /// Makes an operation, or finds the one that it folds to or is equal to.
  template <typename OpTy, typename... Args>
  Tensor build(Device *device, Args &&...args) {
    return wrap(make<OpTy>(std::forward<Args>(args)...), device);
  }
  /// The same without a handle.
  template <typename OpTy, typename... Args>
  mlir::Operation *make(Args &&...args) {
    prepareToMake();
    return makeOrDrop([&] {
      return intern(builder.createOrFold<OpTy>(currentLocation(),
                                               std::forward<Args>(args)...));
    });
  }
  /// The tg.const of a number in all elements.
  mlir::Operation *constant(mlir::Type type, mlir::TypedAttr value);
  /// A new handle on the result of \p op.
  Tensor wrap(mlir::Operation *op, Device *device);
  /// A new tg.buffer, at the end or before \p before.
  mlir::Operation *createBuffer(const Buffer &memory,
                                mlir::RankedTensorType type,
                                mlir::Operation *before = nullptr);
  /// A new tg.buffer for a parameter that holds the value of \p initial at the
  /// beginning.
  mlir::Operation *createParameter(mlir::Operation *initial, Device &device);
  /// A new tg.assign of a value to a tg.buffer.
  mlir::Operation *createAssign(mlir::Operation *target,
                                mlir::Operation *value);
  /// The operation that stands for all operations equal to the one that defines
  /// \p value; erases the latter if it is another one.
  mlir::Operation *intern(mlir::Value value);

  /// Makes all users and handles of \p op those of \p replacement.
  void replace(mlir::Operation *op, mlir::Operation *replacement);
  /// Makes the handles of \p op those of \p replacement, but not the users.
  void moveHandles(mlir::Operation *op, mlir::Operation *replacement);
  /// The operation of a tensor.
  mlir::Operation *operation(TensorImpl &tensor);
  /// Makes one handle refer to another operation.
  void rebind(Handle &handle, mlir::Operation *op);
  void link(Handle &handle);
  /// Lets go of a handle's operation.
  void release(Handle &handle);
  /// Whether a tensor needs the value of \p op.
  bool isNeeded(mlir::Operation *op) const;
  /// Whether it is the value of a tensor, or of one that only views are left
  /// of.
  bool isHeld(mlir::Operation *op) const {
    return nodes.find(op)->second.firstHandle;
  }
  /// Whether values may have to be copied between devices first.
  bool hasCopies() const { return numCopies != 0; }

  std::size_t numOperations() const { return nodes.size(); }
  bool isNode(mlir::Operation *op) const { return nodes.contains(op); }

  mlir::Type elementType(DType dtype);
  /// Throws ShapeError if a variable in the shape has two bounds or values.
  mlir::RankedTensorType tensorType(DType dtype, const Shape &shape);
  Shape shapeOf(mlir::RankedTensorType type);
  /// A size as an attribute of operations.
  mlir::Attribute dimension(const SymInt &size);
  mlir::ArrayAttr dimensions(const Shape &sizes);
  /// The size that such an attribute is.
  SymInt size(mlir::Attribute dimension);

  /// A hash of what an operation's name, a type or an attribute says, the same
  /// in each context.
  uint64_t contentOf(mlir::OperationName name);
  uint64_t contentOf(mlir::Type type);
  uint64_t contentOf(mlir::Attribute attribute);

  /// What a type or attribute says of variables.
  struct Symbols {
    /// The content of it with variables that have no values.
    uint64_t unbound;
    std::vector<KnownVariable *> variables;
  };
  const Symbols &symbolsOf(mlir::Type type);
  const Symbols &symbolsOf(mlir::Attribute attribute);
  /// Whether there is anything symbolic in the graph.
  bool hasSymbols() const { return hasDims; }

  /// What is known of each operation.
  struct Node {
    unsigned hash = 0; // 0 for those that are not in `unique`
    /// The last walk that came to it, and a number that this walk gave it.
    unsigned number = 0;
    uint64_t walk = 0;
    Handle *firstHandle = nullptr;
  };
  Node &node(mlir::Operation *op) { return nodes.find(op)->second; }
  /// A number for a walk that no other has.
  uint64_t beginWalk() { return ++numWalks; }

  /// One that has the name of the method that is running, if any. There is one
  /// location for each name, however many operations are made.
  mlir::Location currentLocation() {
    const char *name = MethodScope::name();
    return name ? locationOf(name) : location;
  }

private:
  friend class GraphEdit;

  /// Calls the function, which makes an operation and adds it; erases what was
  /// made, but not added when memory ran out.
  mlir::Operation *
  makeOrDrop(llvm::function_ref<mlir::Operation *()> makeOperation);
  /// Makes the empty module, and what else goes with the context.
  void beginContext();
  mlir::Location locationOf(const char *name);
  mlir::Operation *createBuffer(const Buffer &memory, llvm::StringRef device,
                                mlir::RankedTensorType type,
                                mlir::Operation *before);
  void unlink(Handle &handle);
  void add(mlir::Operation *op, unsigned hash);
  /// Adds an operation that is none of the graph's, or finds the equal one.
  mlir::Operation *addOrFind(mlir::Operation *op);
  /// Forgets all that is known of an operation that nothing needs. Takes no
  /// memory.
  void remove(mlir::Operation *op);
  /// Erases \p op if nothing needs it, then its operands likewise.
  void eraseIfDead(mlir::Operation *op);
  void forget(mlir::Operation *op);
  /// Calls the function for the variables of what \p op says.
  void walkVariables(mlir::Operation *op,
                     llvm::function_ref<void(KnownVariable &)> visit);

  llvm::DenseMap<mlir::Operation *, Node> nodes;
  llvm::DenseSet<HashedOperation, HashedOperationInfo> unique;
  /// The tg.const operations again, by what makes up one: numbers are asked for
  /// all the time.
  llvm::DenseMap<std::pair<mlir::Type, mlir::Attribute>, mlir::Operation *>
      constants;
  /// Expressions as attributes of this graph's context, and back.
  llvm::DenseMap<const SymExpr *, mlir::Attribute> dims;
  llvm::DenseMap<mlir::Attribute, const SymExpr *> sizes;
  /// By the pointer to the type or attribute.
  std::unordered_map<const void *, Symbols> symbols;
  /// By the address of the name.
  llvm::SmallDenseMap<const char *, mlir::LocationAttr> locations;
  /// By the pointer to the name, type or attribute.
  llvm::DenseMap<const void *, uint64_t> contents;
  /// Operations that have the value of a variable.
  llvm::DenseMap<KnownVariable *, std::size_t> heldVariables;
  bool hasDims = false;
  std::size_t numCopies = 0, garbage = 0;
  uint64_t numWalks = 0;
  /// Edits that are open, see GraphEdit.
  unsigned numEdits = 0;
  std::array<mlir::Type, numDTypes> elementTypes;
  /// Sizes, positions and strides up to some number as attributes, once they
  /// were used: most of them are small.
  std::array<mlir::Attribute, 512> smallNumbers;
};

/// Computes the first contents of the parameters that \p values depend on and
/// that have no memory yet, in programs of their own.
void computeParameters(GraphImpl &graph,
                       llvm::ArrayRef<mlir::Operation *> values);

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_TENSOR_GRAPHIMPL_H
