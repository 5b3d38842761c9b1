//===- Recorder.h - records what a step does --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// While a Jit calls its function for the first two times, a recorder of the
/// thread is told of tensors that are used and made, of memory that enters the
/// graph, and of programs that run. No MLIR headers, so that all sources can
/// include it.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_TENSOR_RECORDER_H
#define TINYGRAD_LIB_TENSOR_RECORDER_H

#include "CapturedStep.h"

#include <unordered_map>
#include <unordered_set>

namespace tinygrad::detail {

class Recorder {
public:
  enum class Mode {
    Watch,   ///< notes which tensors are used and made
    Capture, ///< records actions as well; values must not be read on the host
  };

  /// Starts recording this thread's use of \p graph. The arguments are
  /// realized. Throws Error if another recorder does so.
  Recorder(Mode mode, std::shared_ptr<GraphImpl> graph,
           const std::vector<Tensor> &arguments);
  ~Recorder();
  Recorder(const Recorder &) = delete;
  Recorder &operator=(const Recorder &) = delete;

  /// The recorder of this thread; null if there is none.
  static Recorder *current() { return active; }
  /// The same if it captures.
  static Recorder *capturing() {
    return active && active->mode == Mode::Capture ? active : nullptr;
  }
  /// Throws Error, with the place of the call if it is known, if this thread
  /// captures. \p method is used if no MethodScope is open.
  static void checkHostRead(const char *method) {
    if (capturing())
      throwHostRead(method);
  }

  /// Throws Error if this thread captures and the size has a value, which a
  /// step would keep.
  static void checkSizeRead(const SymInt &size) {
    if (capturing() && size.hasValue())
      throwSizeRead(size);
  }

  /// Computes the results and everything else that the step has changed or
  /// left behind, and stops recording. Returns null if the step cannot be
  /// captured yet, because tensors that it uses were not in memory.
  std::unique_ptr<CapturedStep> finish(const std::vector<Tensor> &results);
  /// The tensors from before the step that it used: roots, not views. Before
  /// finish().
  std::vector<std::shared_ptr<TensorImpl>> usedTensors() const;

  // Called by the library, on the thread of the recorder.

  /// A tensor is used. Does nothing if it was made during the recording.
  void use(TensorImpl &tensor) {
    if (tensor.epoch != epoch)
      useFromBefore(tensor);
  }
  /// A tensor is made; called by its constructor.
  void made(TensorImpl &tensor);
  /// A tensor is assigned to.
  void assigned(TensorImpl &tensor);
  /// A tensor is made to refer to another value.
  void replaced(TensorImpl &tensor);
  /// A gradient is given to a tensor, or taken from it.
  void gradientSet(TensorImpl &tensor) {
    withSetGradient.insert(&tensor);
    withUnaskedGradient.erase(&tensor);
  }
  /// Whether the gradient of a tensor was given by backwardToAll() and not
  /// asked for, see JitCore::noteOptimizerStep().
  bool isUnasked(TensorImpl &tensor) const {
    return withUnaskedGradient.contains(&tensor);
  }
  /// After gradientSet().
  void gradientUnasked(const std::shared_ptr<TensorImpl> &tensor) {
    withUnaskedGradient[tensor.get()] = tensor;
  }
  void optimizerStepped(const std::vector<Tensor> &parameters);
  /// Memory that no action makes has become part of the graph.
  void addFrozen(const Buffer &memory);
  /// Memory that was just added holds a key of random numbers: that of
  /// \p counter of its device.
  void markRandom(const Buffer &memory, uint64_t key, uint64_t counter);
  void seeded(uint64_t seed);
  /// \p names are the variables that the values belong to; empty for numbers.
  /// \p source is the bytecode that the program was compiled from. Outputs at
  /// places that depend on variables are replaced by copies.
  void addRun(GraphImpl &graph, std::shared_ptr<CompiledProgram> program,
              std::string source, const std::vector<Buffer> &inputs,
              const std::vector<int64_t> &values,
              const std::vector<std::string> &names,
              std::vector<Buffer> &outputs);
  void addCopy(const Buffer &source, const Buffer &target);
  /// New memory with a constant.
  void addConstant(const Buffer &memory);

  /// A tensor made during the recording is destroyed. On any thread, with the
  /// graph locked.
  void forget(TensorImpl &tensor) { alive.erase(&tensor); }
  uint64_t number() const { return epoch; }

private:
  /// Memory that is a slot from its beginning on.
  struct Region {
    const Device *device;
    const char *begin;
    std::size_t bytes;
    uint32_t slot;
  };

  [[noreturn]] static void throwHostRead(const char *method);
  [[noreturn]] static void throwSizeRead(const SymInt &size);

  void stop();
  void endUnaskedGradients();
  void useFromBefore(TensorImpl &tensor);
  void addState(std::shared_ptr<TensorImpl> root, bool isRevived);
  /// The slot that contains \p memory, if it is known: an argument rather than
  /// a state, and a state rather than anything else.
  std::optional<MemoryPart> find(const Buffer &memory) const;
  /// Makes \p memory a new slot.
  uint32_t addSlot(const Buffer &memory, CapturedSlot slot);
  /// The same for memory that was just allocated: known memory at its addresses
  /// is gone.
  uint32_t addNew(const Buffer &memory, CapturedSlot::Kind kind);
  /// Adds the results of a run to its action.
  void addOutputs(CapturedAction &action, const std::vector<Buffer> &inputs,
                  const std::vector<Buffer> &outputs);
  /// A copy of output number \p index of action number \p run, as an action.
  Buffer addCopyOfOutput(std::size_t run, uint32_t index, const Buffer &output);
  MemoryPart useMemory(const Buffer &memory, bool isWritten);
  MemoryPart partOf(const Buffer &memory);
  /// Where the value of a tensor is that may be an argument or a state.
  CapturedValue findValue(TensorImpl &tensor);
  CapturedValue valueOf(TensorImpl &tensor);
  /// Notes how the gradients of a tensor changed. Returns the new one if the
  /// step made it.
  TensorImpl *compareGradients(const CapturedOwner &owner, TensorImpl &tensor,
                               const Tensor &before);
  void checkDestroyed() const;

  static inline thread_local Recorder *active = nullptr;

  const Mode mode;
  const uint64_t epoch;
  std::shared_ptr<GraphImpl> graph;
  std::unique_ptr<CapturedStep> step;
  std::unordered_map<TensorImpl *, uint32_t> argumentOf, stateOf;
  std::unordered_set<TensorImpl *> seen, alive, withSetGradient, optimized;
  std::unordered_map<TensorImpl *, std::weak_ptr<TensorImpl>>
      withUnaskedGradient;
  /// The gradients that arguments and states had.
  std::vector<Tensor> argumentGradients, stateGradients;
  std::vector<Region> known;
  std::vector<std::shared_ptr<TensorImpl>> argumentTensors;
  RandomCounters firstCounters;
  bool isIncomplete = false, usesOtherGraph = false, hasOptimizerStep = false;
  bool isActive = true;
};

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_TENSOR_RECORDER_H
