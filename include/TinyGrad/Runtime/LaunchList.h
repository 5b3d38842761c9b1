//===- LaunchList.h - executable launch lists -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The result of compiling a whole graph: a LaunchList lists the kernels to run
/// and their buffers, an Executable is such a list prepared to run on its
/// device.
///
/// The compiler makes lists that are plain data, and belong to no process:
/// kernels and devices are names, constants are bytes. link() makes one of them
/// whose kernels are loaded.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_RUNTIME_LAUNCHLIST_H
#define TINYGRAD_RUNTIME_LAUNCHLIST_H

#include "TinyGrad/Runtime/Buffer.h"
#include "TinyGrad/Runtime/Device.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace tinygrad {

/// A buffer of a launch list.
struct Slot {
  enum class Kind {
    Input,    ///< given to run(); may be written when isWritten
    Output,   ///< allocated by run() and returned
    Arena,    ///< intermediate, at `offset` of the list's arena
    Constant, ///< the same memory in every run
    View,     ///< `bytes` from `offset` on in the slot `base`
  };
  Kind kind = Kind::Input;
  std::size_t bytes = 0;
  std::size_t offset = 0; ///< Arena, View
  /// View: bytes to add, over the values given to run().
  Expression symbolicOffset;
  uint32_t base = 0; ///< View; an earlier slot
  std::optional<DType> dtype;
  /// Input: a kernel writes to it (assignment in place).
  bool isWritten = false;
  /// Input: kernels assume that its address is a multiple of as many bytes, a
  /// power of two. run() takes any address: it copies an input to memory that
  /// is aligned, and back if it is written.
  std::size_t alignment = 1;
  /// Input: the sizes of the tensor, over the values given to run(), if memory
  /// of its actual size suffices; otherwise none, and it takes all `bytes`.
  std::vector<Expression> sizes;
  Buffer constant; ///< Constant, of a linked list
  /// Constant, of a list that is not linked: what it holds.
  std::vector<char> contents;
  /// Device of an Input, Output or Constant if it is not that of the list; such
  /// slots can only be copied from and to.
  Device *device = nullptr;
  /// The name of that device in a list that is not linked; empty if there is
  /// none.
  std::string deviceName;
};

/// One step of a launch list.
struct Step {
  enum class Kind { Launch, Copy, Sort };
  Kind kind = Kind::Launch;
  /// Shown at DEBUG >= 2: a name, and the operations that it consists of.
  std::string displayName;
  std::string description;
  Kernel kernel; ///< Launch, of a linked list
  /// Launch, of a list that is not linked: the name of the kernel.
  std::string symbol;
  /// Launch: all; Copy: destination, source; Sort: positions, keys.
  std::vector<uint32_t> slots;
  /// How many of the slots, the first ones, the step writes; 0 if this is not
  /// known: of lists from files.
  uint32_t numWritten = 0;
  /// Launch, Sort: indices of run()'s values, followed by those of the list's
  /// numbers. `dims` and the length of sorted rows are over these.
  std::vector<uint32_t> variables;
  LaunchDims dims; ///< Launch
  SortShape sort;  ///< Sort
  /// Estimated arithmetic operations and bytes moved, for the counters; over
  /// the same variables as `dims`.
  Expression opCount;
  Expression memBytes;
};

/// A variable of a program, with inclusive bounds.
struct ProgramVariable {
  std::string name;
  int64_t min = 0;
  int64_t max = 0;
};

/// A whole program.
struct LaunchList {
  std::vector<Slot> slots;
  std::vector<Step> steps;
  /// Slots that take run()'s inputs, in its order: each Input slot once.
  std::vector<uint32_t> inputs;
  /// Slots that run() returns. A slot may be returned more than once, and need
  /// not be an Output: an input written in place, a constant, a view of one.
  std::vector<uint32_t> outputs;
  std::size_t arenaBytes = 0;
  /// The variables for the values given to run(), in order.
  std::vector<ProgramVariable> variables;
  /// Values for kernels that do not change between runs.
  std::vector<int64_t> numbers;
};

/// Throws Error, which names the slot or step, if the list is inconsistent:
/// everything that does not depend on devices, for lists that are linked and
/// for others.
void verify(const LaunchList &list);

/// The bytes of the tensor in an Input slot with sizes for these values; of
/// others all bytes.
std::size_t getNeededBytes(const Slot &slot, const int64_t *values);

/// Finds a kernel by the name in Step::symbol.
using FindKernel = std::function<Kernel(const std::string &symbol)>;

/// Links a list for \p device. Throws DeviceError for the name of a device that
/// there is not, and what \p find throws.
LaunchList link(LaunchList list, Device &device, const FindKernel &find);

/// A launch list ready to run. Safe to run from several threads at once.
class Executable {
public:
  /// Takes over \p list, which is linked, for \p device. Throws Error naming
  /// the slot or step when the list is inconsistent.
  Executable(Device &device, LaunchList list);
  ~Executable();
  Executable(const Executable &) = delete;
  Executable &operator=(const Executable &) = delete;

  /// Enqueues all steps and returns the outputs; on an asynchronous device,
  /// they may still be running then. Throws Interrupted (Interrupt.h) if this
  /// thread is to be stopped and no step that writes an input has begun. Throws
  /// ShapeError for a wrong number of inputs or values, a value outside of its
  /// variable's bounds or a wrong buffer size (an input whose slot has `sizes`
  /// may have any size from theirs to `Slot::bytes`); DTypeError or DeviceError
  /// for a buffer of the wrong type or device, for one whose address is not
  /// aligned to its elements, and for one that is assigned to and shares memory
  /// with another.
  std::vector<Buffer> run(const std::vector<Buffer> &inputs,
                          const std::vector<int64_t> &values = {});

  /// Throws ShapeError for a wrong number of values, or one outside of its
  /// variable's bounds.
  void checkValues(const std::vector<int64_t> &values) const;

  /// Keeps intermediate memory between runs instead of giving it back to the
  /// device's allocator after each: for programs that replay often.
  void keepArena(bool keep);

  Device &device() const { return target; }
  const LaunchList &list() const { return program; }

private:
  struct Run;

  void verifyDevices() const;
  std::unique_ptr<Run> takeRun();
  void giveBack(std::unique_ptr<Run> run);
  void checkInputs(const std::vector<Buffer> &inputs,
                   const std::vector<int64_t> &values) const;
  void checkWritten(const std::vector<Buffer> &inputs) const;
  bool mayBeShort(uint32_t slot) const;
  std::size_t getAvailableBytes(const Run &run, uint32_t slot) const;
  SortShape getSortShape(const Step &step, const Run &run,
                         const std::vector<int64_t> &values) const;
  void runSteps(Run &run, const std::vector<int64_t> &values);
  void runStepTimed(const Step &step, Run &run,
                    const std::vector<int64_t> &values, bool isShown);
  void runStep(const Step &step, Run &run, const std::vector<int64_t> &values);
  Device &deviceOf(uint32_t slot) const;
  bool writesInput(const Step &step) const;

  Device &target;
  LaunchList program;
  std::unique_ptr<CommandList>
      commands; // null if some step uses another device
  // Totals of all steps with constant counts, and the other steps.
  int64_t totalOps = 0;
  int64_t totalBytes = 0;
  std::vector<uint32_t> symbolicSteps;
  std::vector<std::size_t> writtenInputs; // indices of inputs
  std::size_t firstWriter = 0; // the first step that writes an input, or none
  bool isLong = false;         // worth questions between its steps
  std::mutex mutex;            // guards the members below
  std::vector<std::unique_ptr<Run>> idleRuns;
  bool keepsArena = false;
};

/// The text of an error: \p what, a buffer for a tensor, has a wrong size. \p
/// sizes are those of the tensor if memory of its actual size would suffice.
std::string describeSize(const std::string &what, std::size_t given,
                         std::size_t largest, std::optional<DType> dtype,
                         const std::vector<Expression> &sizes,
                         const std::vector<int64_t> &values);

/// The line shown for a finished step at DEBUG >= 2, without newline.
std::string formatKernelLine(const std::string &deviceName, int64_t index,
                             const std::string &displayName,
                             std::size_t numArguments, double memUsedBytes,
                             double seconds, double totalSeconds,
                             double operations, double bytes);

} // namespace tinygrad

#endif // TINYGRAD_RUNTIME_LAUNCHLIST_H
