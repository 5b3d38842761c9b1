//===- Device.h - devices that run kernels ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The interface between the compiler's output and a device that executes it. A
/// device allocates and copies memory, loads compiled programs and launches
/// their kernels. Devices register themselves by name; no other code depends on
/// them.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_RUNTIME_DEVICE_H
#define TINYGRAD_RUNTIME_DEVICE_H

#include "TinyGrad/Runtime/CachingAllocator.h"
#include "TinyGrad/Runtime/DType.h"
#include "TinyGrad/Runtime/Expression.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tinygrad {

class Device;

/// Signature of a kernel in object code for the CPU: an exported C symbol.
/// `buffers` are the addresses of the launch's buffers, `vars` its variable
/// values. A launch covers the work items [0, parallelExtent) by calls on
/// disjoint parts [begin, end), in any order, on any threads. Addresses are
/// aligned to the element type only, since a buffer can be a view at any
/// element; those that the kernel writes, to 64 bytes, unless the compiler
/// marked it `in_place`.
using CpuKernelFunction = void (*)(void **buffers, const int64_t *vars,
                                   int64_t begin, int64_t end);

/// Version of the conventions between compiled kernels and the devices. Part of
/// every key of the disk cache; raise it when the signature above changes.
inline constexpr unsigned kKernelAbiVersion = 1;

/// A launch on a CPU that takes less stays on its thread. Passing half of it to
/// another thread takes 1 to 4 us if that thread is spinning, and 20 us if it
/// sleeps.
inline constexpr double kSerialNanoseconds = 10000;

/// The amount of work in a launch and its distribution over the hardware.
/// Expressions are over the launch's variables.
struct LaunchDims {
  /// Work items that may run in parallel (CPU).
  Expression parallelExtent = 1;
  /// The maximum of parallelExtent; 0 if parallelExtent is constant.
  int64_t largestExtent = 0;
  /// Minimum number of work items that a thread gets at once (CPU).
  int64_t grain = 1;
  /// Estimated time of the whole launch on one compute unit, of one of
  /// `largestExtent` where that is given. Launches below a few microseconds
  /// stay on the calling thread. Zero: unknown, which counts as large.
  double estimatedNanoseconds = 0;
  /// Groups in each direction, work items of a group, and bytes of memory that
  /// a group shares (GPUs).
  std::array<Expression, 3> groups{1, 1, 1};
  std::array<uint32_t, 3> groupSize{1, 1, 1};
  Expression sharedBytes = 0;
  /// The number of buffers and of variables of the launch, which an Executable
  /// sets (GPUs). A simulated kernel with shared memory gets its address after
  /// the buffers; kernels of other GPUs take the buffers' addresses and then
  /// the values.
  uint32_t numBuffers = 0;
  uint32_t numValues = 0;
};

/// Code loaded into a device. Unloaded with its last Kernel.
class Program : public std::enable_shared_from_this<Program> {
public:
  virtual ~Program();
  Device &device() const { return owner; }

protected:
  friend class Kernel;
  explicit Program(Device &owner) : owner(owner) {}
  /// Entry point of the kernel \p symbol, in a form the device understands.
  /// Throws CompileError if there is none or it cannot be linked.
  virtual void *lookup(const std::string &symbol) = 0;
  /// A name for the kernel \p symbol that is unique in the process: the symbol
  /// itself for the first kernel with this name.
  const std::string &uniqueName(const std::string &symbol);

private:
  Device &owner;
  std::map<std::string, std::string> names; // guarded by a lock of all programs
};

/// A kernel of a loaded program; keeps the program loaded.
class Kernel {
public:
  Kernel() = default;
  /// Throws CompileError if \p program has no kernel called \p symbol.
  Kernel(std::shared_ptr<Program> program, const std::string &symbol);

  explicit operator bool() const { return code != nullptr; }
  Device &device() const { return code->device(); }
  const std::shared_ptr<Program> &program() const { return code; }
  /// For devices: the result of Program::lookup.
  void *entry() const { return entryPoint; }
  /// The symbol, for messages.
  const std::string &name() const { return symbol; }
  /// The unique name of the kernel in the process.
  const std::string &uniqueName() const { return code->uniqueName(symbol); }

private:
  std::shared_ptr<Program> code;
  std::string symbol;
  void *entryPoint = nullptr;
};

/// The input of Device::sort: rows of keys at equal distances.
struct SortShape {
  DType keys = DType::Float32;
  DType positions = DType::Int32; ///< or Int64
  int64_t rows = 0;
  int64_t rowElements = 0; ///< from the beginning of one row to the next
  /// The number of positions of each row that memory holds: only the first
  /// positions of the sorted row are written.
  int64_t rowPositions = 0;
  Expression length; ///< number of valid elements of a row; over variables
  bool isDescending = false;
};

/// One entry of a captured list. Buffers and variables are indices into the
/// arrays given at replay.
struct Command {
  enum class Kind { Launch, Copy, Sort };
  Kind kind = Kind::Launch;
  Kernel kernel; ///< Launch
  /// Launch: all; Copy: destination, source; Sort: positions, keys.
  std::vector<uint32_t> buffers;
  std::vector<uint32_t> variables; ///< Launch, Sort
  LaunchDims dims;                 ///< Launch
  std::size_t bytes = 0;           ///< Copy
  SortShape sort;                  ///< Sort
};

/// A list of launches and copies that is prepared for repeated execution.
class CommandList {
public:
  virtual ~CommandList();
  /// Enqueues every command in order. \p addresses holds the device addresses
  /// that the indices in Command::buffers refer to, \p values those of
  /// Command::variables. May be called from several threads at once.
  virtual void replay(void *const *addresses, const int64_t *values) = 0;
};

/// A point in a device's queue.
class Event {
public:
  virtual ~Event();
};

/// Properties of a device.
struct DeviceInfo {
  /// Canonical name: "CPU", "NULL", "CUDA:1".
  std::string name;
  /// What object code has to be made for: a target triple or an architecture
  /// such as "sm_90"; "null" for the null device.
  std::string architecture;
  /// The target that kernels are compiled for, a name that the compiler knows:
  /// "cpu", "cpu:x86-64-v3". Empty: kernels cannot be compiled for the device.
  std::string target;
  /// Threads of a CPU device, multiprocessors of a GPU.
  unsigned computeUnits = 1;
  /// Speed of one compute unit, for rough estimates.
  double operationsPerNanosecond = 10, bytesPerNanosecond = 10;
  /// Device addresses may be read and written by the host; external memory can
  /// be used without a copy.
  bool hostVisible = false;
  /// False for a device that does not execute kernels: its results are
  /// meaningless.
  bool executes = true;
  /// An upper bound for allocations in bytes; 0 if not known.
  std::size_t totalMemory = 0;
};

/// A device that runs kernels. All operations of a device are ordered as if in
/// one queue: work enqueued later sees the effects of work enqueued earlier,
/// and memory may be freed while work that uses it is still queued. Safe to use
/// from several threads. Addresses are opaque, but offsets can be added to
/// them.
class Device : private MemorySource {
public:
  ~Device() override;
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  /// The device called \p name ("CPU", "cpu", "CPU:0", "CUDA:1"), opened on
  /// first use and kept for the life of the process. Throws DeviceError listing
  /// the registered devices if there is none of that name.
  static Device &get(std::string_view name);
  /// The device named by the DEV setting, else the best one that is present and
  /// can be opened.
  static Device &getDefault();
  /// Upper-cases and drops ":0": "cpu:0" -> "CPU". Throws DeviceError for text
  /// that cannot be the name of a device.
  static std::string canonicalName(std::string_view name);
  /// Names of all registered kinds of devices, sorted, present or not.
  static std::vector<std::string> registered();
  /// Those of registered() of which at least one is present on this machine.
  static std::vector<std::string> available();

  const std::string &name() const { return info.name; }
  const DeviceInfo &information() const { return info; }

  /// Memory, aligned to `kMemoryAlignment`, contents undefined. Throws
  /// OutOfMemoryError. Zero bytes are fine.
  void *allocate(std::size_t bytes) { return allocator.allocate(bytes); }
  /// \p bytes must be the argument of allocate.
  void free(void *address, std::size_t bytes) {
    allocator.free(address, bytes);
  }
  CachingAllocator &memory() { return allocator; }

  /// From the host to the device; \p source may be re-used on return.
  virtual void copyIn(void *destination, const void *source,
                      std::size_t bytes) = 0;
  /// From the device to the host; complete on return.
  virtual void copyOut(void *destination, const void *source,
                       std::size_t bytes) = 0;
  /// Within the device. The ranges must not overlap.
  virtual void copy(void *destination, const void *source,
                    std::size_t bytes) = 0;
  /// Copies from \p sourceDevice to this device, as work that is ordered in the
  /// queues of both. Unless the device overrides it, this is a copy of the host
  /// (as copyIn) if the source is in its memory, and otherwise goes through it,
  /// which waits for the source.
  virtual void copyAcross(void *destination, Device &sourceDevice,
                          const void *source, std::size_t bytes);

  /// Loads compiled code. \p target is what it was compiled for, for error
  /// messages only. Throws CompileError when the code is not valid.
  virtual std::shared_ptr<Program>
  loadProgram(const void *code, std::size_t bytes, std::string_view target) = 0;

  /// Enqueues one launch of \p kernel, which has to be of this device.
  virtual void launch(const Kernel &kernel, void *const *buffers,
                      const int64_t *values, const LaunchDims &dims) = 0;
  /// Enqueues the sorting of rows: writes the positions of each row's elements
  /// in ascending order to \p positions. The sort is stable, and NaNs are the
  /// largest. \p values are those of the length's variables.
  /// The default sorts on the CPU: it copies the keys to the host and the
  /// positions back.
  virtual void sort(void *positions, const void *keys, const SortShape &shape,
                    const int64_t *values);
  /// Prepares a list for replay. The default runs commands one by one.
  virtual std::unique_ptr<CommandList> capture(std::vector<Command> commands);

  /// Waits for everything enqueued; if it failed, throws the error.
  virtual void synchronize() = 0;
  /// An event after everything enqueued so far.
  virtual std::unique_ptr<Event> record() = 0;
  /// Waits for \p end and returns the time between the two.
  virtual double secondsBetween(Event &begin, Event &end) = 0;

protected:
  explicit Device(DeviceInfo info);

  /// For devices that are destroyed: returns cached memory while the overridden
  /// freeRaw still exists.
  void releaseMemory() { allocator.releaseCached(); }

private:
  DeviceInfo info;
  CachingAllocator allocator;
};

/// Describes a kind of device to the registry.
struct DeviceKind {
  /// Upper case, no colon.
  std::string name;
  /// The present kind with the highest priority is the default device. CPU has
  /// 0; a kind with a negative priority is never the default.
  int priority = 0;
  /// How many are present; 0 if none or if a driver is missing.
  std::function<unsigned()> count;
  /// Opens device number \p ordinal. Throws DeviceError with the reason if that
  /// fails.
  std::function<std::unique_ptr<Device>(unsigned ordinal)> open;
  /// What device number \p ordinal is ("NVIDIA H100"), for messages; may be
  /// empty.
  std::function<std::string(unsigned ordinal)> describe;
};

/// Registers a kind of device: define a static object of this type in the
/// device's file. Throws DeviceError if the name is taken.
class DeviceRegistration {
public:
  explicit DeviceRegistration(DeviceKind kind);
};

} // namespace tinygrad

#endif // TINYGRAD_RUNTIME_DEVICE_H
