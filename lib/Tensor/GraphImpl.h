//===- GraphImpl.h - the graph behind tensors -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// An MLIR module whose operations are built one by one through the dialect's
/// builders, are unique, and are erased as soon as nothing needs them.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_TENSOR_GRAPHIMPL_H
#define TINYGRAD_LIB_TENSOR_GRAPHIMPL_H

#include "GraphMutex.h"
#include "ProgramCache.h"
#include "RandomCounters.h"
#include "SymDim.h"
#include "TensorImpl.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <functional>
#include <optional>
#include <unordered_map>

namespace tinygrad::detail {

class Recorder;

/// An operation with the hash of its name, attributes, operands and types.
/// Equal operations agree in all of these. The hash is stored, so that a lookup
/// touches only operations with an equal hash.
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

/// Throws Error if this thread's thread-local objects, some of which MLIR
/// needs, are already destroyed, as they are during the destruction of static
/// objects.
void checkThread();
/// Calls checkThread(), and throws std::bad_alloc if there is not enough memory
/// for an operation: MLIR does not check what malloc() returns.
void prepareToMake();

class GraphImpl : public std::enable_shared_from_this<GraphImpl> {
public:
  GraphImpl();
  ~GraphImpl();

  /// Guards everything below, and the operations. Recursive, because composed
  /// methods of tensors may hold it while they call others.
  GraphMutex mutex;

  mlir::MLIRContext &context() { return *owned; }
  /// Moves all operations to a new context if the present one may contain many
  /// unused attributes: a context never frees an attribute, so that a loop with
  /// a new number in each step would fill it. Invalidates pointers to
  /// operations, attributes and types.
  void renewContext();
  /// Counts attributes that the context will keep.
  void addGarbage(std::size_t count) { garbage += count; }

  std::unique_ptr<mlir::MLIRContext> owned;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// Its insertion point is the end of the module.
  mlir::OpBuilder builder;
  mlir::Location location;

  /// Memory of the tg.buffer operations, by id. Ids are reused, since the
  /// context keeps an attribute for each number ever used.
  llvm::DenseMap<int64_t, Buffer> buffers;
  llvm::SmallVector<int64_t> freeBufferIds;
  /// The initial value of a parameter. Its tg.buffer has no memory until
  /// something is computed from it.
  struct InitialValue {
    Handle handle;
    Device *device;
  };
  /// By the id of the buffer.
  std::unordered_map<int64_t, InitialValue> initialValues;
  /// Values of tensors after assignments to parts at symbolic positions, or of
  /// symbolic values, or to parts of a constant; each with the variables
  /// involved, by name. They are computed together with the first value that
  /// depends on them: otherwise parts could accumulate without bound, and
  /// variables could have other values later.
  llvm::DenseMap<mlir::Operation *, std::vector<SymVariable>> pendingParts;
  /// What had this value before it was assigned to: tensors, or the storage of
  /// tensors and their views. A gradient by them does not include this value.
  llvm::DenseMap<mlir::Operation *, std::vector<std::weak_ptr<const void>>>
      formerValues;
  /// Records that \p tensor is about to be assigned to.
  void addFormerValue(TensorImpl &tensor);
  /// Whether \p op was a value of \p tensor, or a part of one.
  bool isFormerValue(mlir::Operation *op, TensorImpl &tensor) const;
  /// The operation that memory was computed by, kept so that gradients can flow
  /// on to what that was computed from. It needs no contents: programs and
  /// assignments in place are what they would be without it, and where they
  /// overwrite something that it was computed from, it ends.
  struct Origin : Handle {
    mlir::Operation *memory = nullptr;
    /// The number of the recorder that was active, or 0. Gradients inside of a
    /// captured step do not flow to what was computed outside, nor the reverse:
    /// a replay computes neither.
    uint64_t epoch = 0;
    /// See originDepth(); 0 for memory that is tracked.
    unsigned depth = 0;
  };
  /// By the id of the buffer. They end with the buffer.
  std::unordered_map<int64_t, Origin> origins;
  /// How many origins that KeptOrigins made may follow on each other: a loop
  /// that computes values from those before, and reads each of them, would keep
  /// all. Memory beyond that is `Forgotten`, and has bits of its own, see
  /// Node::cutBits.
  static constexpr unsigned kMaxOriginDepth = 64;
  /// Makes \p op the origin of \p memory, or its value if it is an assignment.
  void keepOrigin(mlir::Operation *op, mlir::Operation *memory,
                  unsigned depth = 0);
  /// How many origins that KeptOrigins made follow on each other, at most, from
  /// memory with the value of \p op on.
  unsigned originDepth(mlir::Operation *op) const;
  /// The origin of memory, or null.
  mlir::Operation *findOrigin(mlir::Operation *memory) const;
  /// Memory with the value of an origin, or null.
  mlir::Operation *findMemoryOf(mlir::Operation *op) const;
  /// Ends the origin of \p memory alone.
  void endOrigin(mlir::Operation *memory);
  /// Why a gradient cannot flow through memory to what it was computed from.
  enum class Ending : uint8_t {
    None,
    Cut,         ///< it never had an origin
    Assigned,    ///< something that it was computed from was assigned to
    Accumulated, ///< it is a sum of gradients that another one was added to
    Forgotten,   ///< too many values before it were read, see keepOrigin()
  };
  /// Ends the origins that \p op is part of, and those of all memory computed
  /// from theirs.
  void endOrigins(mlir::Operation *op, Ending ending);
  /// Whether a tensor of floats that is not internal has \p op as its value.
  bool isDifferentiable(mlir::Operation *op) const;
  /// Throws Error if gradients flow from \p output to `Forgotten` memory that
  /// depends on a tensor: the gradient by that would be incomplete.
  void checkForgotten(mlir::Operation *output);
  /// Ends the origins that a recorder made.
  void endOriginsOf(uint64_t epoch);
  /// Why gradients cannot flow from \p op to all tensors that require one and
  /// that it was computed from; None if they can. \p known caches the answers,
  /// and may be given others before.
  Ending findEnding(mlir::Operation *op,
                    llvm::DenseMap<mlir::Operation *, Ending> &known);
  /// Whether anything but origins depends on \p op. \p known caches the answers
  /// and may be given others before.
  bool isUsed(mlir::Operation *op,
              llvm::DenseMap<mlir::Operation *, bool> &known) const;
  /// The number of observers, see GraphNode.
  std::size_t numObservers = 0;
  /// Tells the observers of what is computed from \p memory, and of it, that
  /// other values were written to the memory.
  void endObservers(mlir::Operation *memory);
  /// Tensors to compute along with the next program that shares work with them.
  std::vector<std::weak_ptr<TensorImpl>> alongside;
  /// Whether computeParameters() is running.
  bool computesParameters = false;
  /// What backward() or GradScaler::scale() was called on, if it has one
  /// element, until a step of an optimizer computes it.
  std::vector<std::weak_ptr<TensorImpl>> losses;
  /// A gradient that replaces that of a tg.detach.
  struct CustomGradient {
    /// On the inputs. Handles are linked by address: never reallocated.
    std::vector<Handle> inputs;
    std::vector<Device *> devices;
    std::function<std::vector<Tensor>(const Tensor &)> function;
  };
  /// By the number that is the attribute of the operation.
  std::unordered_map<int64_t, CustomGradient> customGradients;
  int64_t numCustomGradients = 0;
  /// Null unless \p op has a custom gradient.
  CustomGradient *findCustomGradient(mlir::Operation *op);
  /// State of the random numbers.
  uint64_t seed;
  RandomCounters randomCounters;
  ProgramCache programs;
  /// The recorder of the thread that records its use of the graph, if there is
  /// one.
  Recorder *recorder = nullptr;

  /// Builds an operation, or returns the one that it folds to or is equal to.
  template <typename OpTy, typename... Args>
  Tensor build(Device *device, Args &&...args) {
    return wrap(make<OpTy>(std::forward<Args>(args)...), device);
  }
  /// Like make(), without a tensor handle.
  template <typename OpTy, typename... Args>
  mlir::Operation *make(Args &&...args) {
    prepareToMake();
    return makeOrDrop([&] {
      return intern(withoutGradientInScope(fold(OpTy::create(
          builder, currentLocation(), std::forward<Args>(args)...))));
    });
  }
  /// What the new operation \p op folds to, or its result. Does not fold
  /// `-(-x)` and the like to x if a tensor has the value between them:
  /// gradients may be asked for by that, or must not flow through it. Nor
  /// `pow(x, 0)` and the like to what does not depend on x.
  mlir::Value fold(mlir::Operation *op);
  /// Whether a tensor that is an operand of \p op was computed from \p folded,
  /// which would replace the result of \p op.
  bool skipsTensor(mlir::Operation *op, mlir::Value folded) const;
  /// The tg.const with \p value in all elements.
  mlir::Operation *constant(mlir::Type type, mlir::TypedAttr value);
  /// A new handle on the result of \p op.
  Tensor wrap(mlir::Operation *op, Device *device);
  /// A new tg.buffer, at the end or before \p before.
  mlir::Operation *createBuffer(const Buffer &memory,
                                mlir::RankedTensorType type,
                                mlir::Operation *before = nullptr);
  /// A new tg.buffer for a parameter with the initial value \p initial.
  mlir::Operation *createParameter(mlir::Operation *initial, Device &device);
  /// A new tg.assign of a value to a tg.buffer.
  mlir::Operation *createAssign(mlir::Operation *target,
                                mlir::Operation *value);
  /// Inside a NoGradScope, the value without a gradient: marks a new operation,
  /// and detaches the value of an existing one.
  mlir::Value withoutGradientInScope(mlir::Value value);
  /// A tensor with the value of \p output whose gradient is what \p gradient
  /// returns.
  Tensor makeCustomGradient(
      const Tensor &output, const std::vector<Tensor> &inputs,
      std::function<std::vector<Tensor>(const Tensor &)> gradient);
  /// The unique operation equal to the one that defines \p value; erases the
  /// latter if it is another one.
  mlir::Operation *intern(mlir::Value value);

  /// Replaces all uses and handles of \p op by those of \p replacement.
  void replace(mlir::Operation *op, mlir::Operation *replacement);
  /// Moves the handles of \p op to \p replacement, but not the users.
  void moveHandles(mlir::Operation *op, mlir::Operation *replacement);
  /// The operation of a tensor.
  mlir::Operation *operation(TensorImpl &tensor);
  /// Makes one handle refer to another operation.
  void rebind(Handle &handle, mlir::Operation *op);
  void link(Handle &handle);
  /// Detaches a handle from its operation.
  void release(Handle &handle);
  /// Whether a tensor depends on the value of \p op.
  bool isNeeded(mlir::Operation *op) const;
  /// Whether it is the value of a tensor, or of a destroyed root that still has
  /// views.
  bool isHeld(mlir::Operation *op) const {
    return nodes.find(op)->second.firstHandle;
  }
  /// The same, not counting observers.
  bool isHeldByTensor(mlir::Operation *op) const;
  /// Whether values may have to be copied between devices first.
  bool hasCopies() const { return numCopies != 0; }

  std::size_t numOperations() const { return nodes.size(); }
  bool isNode(mlir::Operation *op) const { return nodes.contains(op); }

  mlir::Type elementType(DType dtype);
  /// Throws ShapeError if a variable in the shape has two bounds or values.
  mlir::RankedTensorType tensorType(DType dtype, const Shape &shape);
  Shape shapeOf(mlir::RankedTensorType type);
  /// The attribute that represents a size in operations.
  mlir::Attribute dimension(const SymInt &size);
  mlir::ArrayAttr dimensions(const Shape &sizes);
  /// The size that such an attribute represents.
  SymInt size(mlir::Attribute dimension);

  /// A hash of the content of an operation's name, a type or an attribute, the
  /// same in every context.
  uint64_t contentOf(mlir::OperationName name);
  uint64_t contentOf(mlir::Type type);
  uint64_t contentOf(mlir::Attribute attribute);

  /// The variables in a type or attribute.
  struct Symbols {
    /// The hash of its content with variables without values.
    uint64_t unbound;
    std::vector<KnownVariable *> variables;
  };
  const Symbols &symbolsOf(mlir::Type type);
  const Symbols &symbolsOf(mlir::Attribute attribute);
  /// Whether there is anything symbolic in the graph.
  bool hasSymbols() const { return hasDims; }

  /// Bookkeeping for each operation.
  struct Node {
    unsigned hash = 0; // 0 for operations that are not in `unique`
    /// The last walk that visited it, and the number assigned by that walk.
    unsigned number = 0;
    uint64_t walk = 0;
    Handle *firstHandle = nullptr;
    /// Whether gradients may flow from here to a tensor that requires one.
    bool isTracked = false;
    /// Whether it is, or was, the value of a tensor that requires a gradient.
    bool isLeaf = false;
    /// Whether it is memory that replaced a tracked operation.
    bool isCut = false;
    /// Whether it is memory that replaced any operation on other values.
    bool isResult = false;
    /// Why it has no origin, if that is known.
    Ending ending = Ending::None;
    /// Not 0 for memory that replaced operations whose values nobody had asked
    /// for: bits that the operations which it was computed from have in
    /// `cutAfter`. A gradient by such an operation cannot flow through it.
    uint64_t cutBits = 0, cutAfter = 0;
  };
  Node &node(mlir::Operation *op) { return nodes.find(op)->second; }
  /// Whether gradients may flow from \p op to a tensor that requires one.
  bool isTracked(mlir::Operation *op) const {
    return nodes.find(op)->second.isTracked;
  }
  /// The tensor that requires a gradient and has this operation, if any.
  TensorImpl *findLeaf(mlir::Operation *op);
  /// Must be called when a tensor that requires a gradient gets an operation.
  void markLeaf(mlir::Operation *op);
  /// Whether no gradient can flow through memory that replaced a tracked
  /// operation.
  bool isCut(mlir::Operation *op) const {
    return nodes.find(op)->second.isCut && !findOrigin(op);
  }
  /// Records that \p memory replaces \p op in the graph: unless it has an
  /// origin, gradients cannot flow to what \p op was computed from.
  void markCut(mlir::Operation *op, mlir::Operation *memory);
  /// To be called before memory replaces \p ops although nobody asked for their
  /// values. Returns the bits for this memory, and marks what it is computed
  /// from.
  uint64_t beginCut(llvm::ArrayRef<mlir::Operation *> ops);
  void endCut(mlir::Operation *memory, uint64_t cutBits) {
    node(memory).cutBits |= cutBits;
  }
  /// The operations that the gradient of \p op flows on to.
  llvm::SmallVector<mlir::Operation *> gradientSources(mlir::Operation *op);
  /// An identifier for a new walk.
  uint64_t beginWalk() { return ++numWalks; }

  /// A location that names the outermost running method, if any. There is one
  /// location for each name, however many operations are made.
  mlir::Location currentLocation() {
    const char *name = MethodScope::name();
    return name ? locationOf(name) : location;
  }

private:
  friend class GraphEdit;

  /// Calls the function, which makes an operation and adds it. If that throws,
  /// erases operations that were made, but not added.
  mlir::Operation *
  makeOrDrop(llvm::function_ref<mlir::Operation *()> makeOperation);
  /// Creates the empty module, and everything else that belongs to the context.
  void beginContext();
  mlir::Location locationOf(const char *name);
  mlir::Operation *createBuffer(const Buffer &memory, llvm::StringRef device,
                                mlir::RankedTensorType type,
                                mlir::Operation *before);
  void unlink(Handle &handle);
  /// The number of the recorder that records this thread's use of the graph, or
  /// 0.
  uint64_t currentEpoch() const;
  void add(mlir::Operation *op, unsigned hash);
  /// Adds an operation that is not a node yet, or finds the equal node.
  mlir::Operation *addOrFind(mlir::Operation *op);
  /// Removes all records of an operation that nothing needs. Does not allocate
  /// memory.
  void remove(mlir::Operation *op);
  /// Erases \p op if nothing needs it, then its operands likewise.
  void eraseIfDead(mlir::Operation *op);
  void forget(mlir::Operation *op);
  /// Calls the function for each variable in the attributes and types of \p op.
  void walkVariables(mlir::Operation *op,
                     llvm::function_ref<void(KnownVariable &)> visit);

  llvm::DenseMap<mlir::Operation *, Node> nodes;
  llvm::DenseSet<HashedOperation, HashedOperationInfo> unique;
  /// The tg.const operations by type and value, since constants are looked up
  /// most often.
  llvm::DenseMap<std::pair<mlir::Type, mlir::Attribute>, mlir::Operation *>
      constants;
  /// Expressions as attributes of this graph's context, and the reverse.
  llvm::DenseMap<const SymExpr *, mlir::Attribute> dims;
  llvm::DenseMap<mlir::Attribute, const SymExpr *> sizes;
  /// By the pointer to the type or attribute.
  std::unordered_map<const void *, Symbols> symbols;
  /// By the address of the method's name.
  llvm::SmallDenseMap<const char *, mlir::LocationAttr> locations;
  /// By the pointer to the name, type or attribute.
  llvm::DenseMap<const void *, uint64_t> contents;
  /// How many operations refer to each variable that has a value.
  llvm::DenseMap<KnownVariable *, std::size_t> heldVariables;
  bool hasDims = false;
  /// Whether any tensor ever required a gradient.
  bool hasLeaves = false;
  std::size_t numCopies = 0, garbage = 0;
  uint64_t numWalks = 0, numCuts = 0;
  /// The number of open edits, see GraphEdit.
  unsigned numEdits = 0;
  std::array<mlir::Type, kNumDTypes> elementTypes;
  /// Cached attributes of small numbers: most sizes, positions and strides are
  /// small.
  std::array<mlir::Attribute, 512> smallNumbers;
};

/// Computes the initial values of the parameters that \p values depend on and
/// that have no memory yet, in separate programs.
void computeParameters(GraphImpl &graph,
                       llvm::ArrayRef<mlir::Operation *> values);

/// What \p decide says of \p start; where it says nothing of an operation,
/// whether one of its users is decided so. \p known caches the answers.
/// Iterative, since graphs may be deeper than the stack.
bool decideByUsers(
    mlir::Operation *start, llvm::DenseMap<mlir::Operation *, bool> &known,
    llvm::function_ref<std::optional<bool>(mlir::Operation *)> decide);

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_TENSOR_GRAPHIMPL_H
