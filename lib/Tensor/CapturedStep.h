//===- CapturedStep.h - a recorded step, and its replay ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What a Recorder leaves of a call: runs of programs and copies between
/// numbered pieces of memory, and where the values of tensors are afterwards.
/// docs/design-jit.md describes it.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_TENSOR_CAPTUREDSTEP_H
#define TINYGRAD_LIB_TENSOR_CAPTUREDSTEP_H

#include "RandomCounters.h"
#include "TensorImpl.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tinygrad {
class CompiledProgram;
} // namespace tinygrad

namespace tinygrad::detail {

class GraphImpl;

/// A piece of memory that actions read and write.
struct CapturedSlot {
  enum class Kind {
    Argument, ///< the memory of argument number `index`
    State,    ///< the memory of state number `index`
    Frozen,   ///< the same memory in every replay
    /// Memory that gets the key of the random numbers at its device's counter
    /// plus `value`.
    RandomKey,
    Computed, ///< made by an action
  };
  Kind kind = Kind::Frozen;
  uint32_t index = 0;
  Buffer memory; ///< Frozen, RandomKey
  uint64_t value = 0;
  /// RandomKey: `value` itself is the key, since the step seeds the
  /// random numbers first.
  bool isAbsolute = false;
  /// RandomKey: what the memory holds.
  std::optional<uint64_t> current;
};

/// A part of a slot.
struct MemoryPart {
  uint32_t slot = 0;
  std::size_t offset = 0, bytes = 0;
  std::optional<DType> dtype;
};

/// A run of a program, or a copy to new memory.
struct CapturedAction {
  std::shared_ptr<CompiledProgram> program; ///< null: a copy
  /// The bytecode of what it was compiled from.
  std::string source;
  std::vector<MemoryPart> inputs; ///< copy: the source
  std::vector<int64_t> values;
  /// The variables that the values belong to; empty for other numbers.
  std::vector<std::string> names;
  /// Indices of values, and of the variables of the arguments that they are
  /// values of.
  std::vector<std::pair<uint32_t, uint32_t>> variables;
  /// Indices of results of the program, and the slots for them; of a copy, the
  /// only one.
  std::vector<std::pair<uint32_t, uint32_t>> computed;
  Device *target = nullptr; ///< copy
  /// Computed slots that nothing needs after this action.
  std::vector<uint32_t> lastUsed;
};

/// Where the value of a tensor is after the step.
struct CapturedValue {
  enum class Kind {
    Argument, ///< it is the argument number `index`
    State,    ///< it is the state number `index`
    Memory,   ///< in `part`
    Constant, ///< that of `constant`
  };
  Kind kind = Kind::Memory;
  uint32_t index = 0;
  MemoryPart part;
  Tensor constant;
  DType dtype = DType::Float32;
  Shape shape;
  Device *device = nullptr;
};

/// A tensor of the step: an argument or a state.
struct CapturedOwner {
  bool isArgument = false;
  uint32_t index = 0;
};

/// The gradient of a tensor that is another one after the step than before.
struct CapturedGradient {
  CapturedOwner owner;
  /// None if the tensor has no gradient afterwards.
  std::optional<CapturedValue> after;
  /// The step adds to a gradient from before, or there was none and it would
  /// have added to one.
  bool hadGradient = false, isAdded = false;
};

/// A tensor that existed before the step, and that the step uses.
struct CapturedState {
  std::shared_ptr<TensorImpl> tensor;
  DType dtype;
  Shape shape;
  Device *device;
  bool isRead = false, isWritten = false;
  /// Made for views whose root was destroyed: no one else holds it.
  bool isRevived = false;
  /// The views of it, made before the step, that the step uses.
  std::vector<std::weak_ptr<TensorImpl>> views;
  /// Set if it is the gradient of another tensor, which has another gradient
  /// after the step. `tensor` is found anew in each replay.
  std::optional<CapturedOwner> gradientOf;
  /// Its value afterwards, if that is not in the same memory.
  std::optional<CapturedValue> after;

  /// Whether it is read, but neither it nor a view that the step uses exists
  /// outside of the step.
  bool isDestroyed() const;
};

/// An argument of the step.
struct CapturedArgument {
  std::string name;
  DType dtype = DType::Float32;
  Shape shape;
  Device *device = nullptr;
  bool isWritten = false;
  std::optional<CapturedValue> after;
};

struct CapturedVariable {
  std::string name;
  int64_t min, max;
  int64_t value; ///< during the capture
};

class CapturedStep {
public:
  std::shared_ptr<GraphImpl> graph;
  std::vector<CapturedSlot> slots;
  std::vector<CapturedAction> actions;
  std::vector<CapturedArgument> arguments;
  std::vector<CapturedState> states;
  std::vector<CapturedVariable> variables;
  std::vector<CapturedValue> results;
  /// Tensors made by the step that are in use after it, other than results.
  std::vector<std::pair<std::shared_ptr<TensorImpl>, CapturedValue>> escaped;
  std::vector<CapturedGradient> gradients;
  /// How many random words a step makes on each device; with a seed, the
  /// counters after it.
  std::vector<RandomCounters::Entry> numRandom;
  std::optional<uint64_t> seed;

  /// Connects the values of runs with the variables of arguments, and finds
  /// out when memory can be released. Called once.
  void prepare(std::vector<CapturedVariable> argumentVariables);

  /// Runs the step on realized arguments of the captured shapes and types, and
  /// returns the results. \p values are those of the variables. The graph must
  /// be locked.
  std::vector<Tensor> replay(const std::vector<TensorImpl *> &given,
                             const std::vector<int64_t> &values);

private:
  TensorImpl &findOwner(const CapturedOwner &owner,
                        const std::vector<TensorImpl *> &given) const;
  /// Makes states of gradients, and gradients of zeros for tensors that have
  /// none. Returns these tensors.
  std::vector<TensorImpl *>
  findGradients(const std::vector<TensorImpl *> &given);
  void checkStates(const std::vector<int64_t> &values);
  /// Gives tensors that the step writes memory of their own. Returns the
  /// operations of memory whose old contents will be lost.
  std::vector<mlir::Operation *>
  makeWritable(const std::vector<TensorImpl *> &given);
  void fillSlots(const std::vector<TensorImpl *> &given);
  void fillRandom(CapturedSlot &slot, uint32_t number);
  void run(const CapturedAction &action, const std::vector<int64_t> &values);
  Buffer memoryOf(const MemoryPart &part) const;
  /// The memory or constant of a value, in the shape that it has for values of
  /// the variables.
  mlir::Operation *operationFor(const CapturedValue &value,
                                const std::vector<int64_t> &values);
  Tensor makeResult(const CapturedValue &value,
                    const std::vector<TensorImpl *> &given,
                    const std::vector<int64_t> &values);
  void updateTensor(TensorImpl &tensor, const CapturedValue &value,
                    const std::vector<int64_t> &values);
  Shape shapeFor(const CapturedValue &value,
                 const std::vector<int64_t> &values) const;

  /// The memory of the slots during a replay.
  std::vector<Buffer> memory;
  /// Reused by runs.
  std::vector<Buffer> inputs;
};

/// Whether the values of \p tensor are in memory. The graph must be locked.
bool hasMemory(GraphImpl &graph, TensorImpl &tensor);
/// The memory of such a tensor.
const Buffer &memoryOf(GraphImpl &graph, TensorImpl &tensor);
/// Gives a tensor that is not a view memory of its own, with the same contents.
void moveToOwnMemory(GraphImpl &graph, TensorImpl &tensor);

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_TENSOR_CAPTUREDSTEP_H
