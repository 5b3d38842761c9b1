//===- GPUDriver.h - drivers of GPUs ----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The functions of a vendor's driver, looked up in its library when the
/// process first needs them: neither building nor starting a program takes a
/// toolkit or a GPU. The driver interfaces of CUDA and HIP have the same
/// structure, mostly also the same parameters and error numbers; what differs
/// is behind virtual functions.
///
/// The declarations are this project's own. Handles and addresses of device
/// memory are `void *`, which is passed like the types of the vendors' headers.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_RUNTIME_DEVICES_GPUDRIVER_H
#define TINYGRAD_LIB_RUNTIME_DEVICES_GPUDRIVER_H

#include "GPULaunch.h"
#include "TinyGrad/Support/TensorMap.h"

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tinygrad::detail {

/// Error numbers that both vendors document with the same meaning.
enum GPUStatus : int {
  GPUSuccess = 0,
  GPUOutOfMemory = 2,
  GPUNoDevice = 100,
  GPUNotFound = 500,
  GPUNotSupported = 801,
};

/// Whether an error leaves the device unusable until the process ends.
bool isFatal(int status);

/// What a function of the driver returned, and the function's name.
struct GPUResult {
  int status = GPUSuccess;
  const char *call = "";

  explicit operator bool() const { return status == GPUSuccess; }
};

/// A function of the driver; empty if the library does not have it.
template <typename Signature> class GPUEntry;
template <typename... Parameters> class GPUEntry<int(Parameters...)> {
public:
  using Function = int (*)(Parameters...);

  explicit operator bool() const { return function != nullptr; }
  GPUResult operator()(Parameters... arguments) const {
    return {function(arguments...), name};
  }
  void set(const char *symbol, void *address) {
    name = symbol;
    function = reinterpret_cast<Function>(address);
  }

private:
  const char *name = "";
  Function function = nullptr;
};

/// Flags of streams, events and host memory, which both vendors number alike.
inline constexpr unsigned kNonBlockingStream = 1;
inline constexpr unsigned kEventWithoutTime = 2;

/// The functions with the same parameters in both interfaces.
struct GPUEntries {
  GPUEntry<int(unsigned flags)> init;
  GPUEntry<int(int *version)> driverVersion;
  GPUEntry<int(int *count)> deviceCount;
  GPUEntry<int(std::size_t *free, std::size_t *total)> memoryInfo; // optional
  GPUEntry<int(void **address, std::size_t bytes)> allocate;
  GPUEntry<int(void *address)> free;
  GPUEntry<int(void **address, std::size_t bytes, unsigned flags)>
      allocateHost;                      // optional, with freeHost
  GPUEntry<int(void *address)> freeHost; // optional
  GPUEntry<int(void *to, const void *from, std::size_t bytes, void *stream)>
      copyIn;
  GPUEntry<int(void *to, void *from, std::size_t bytes, void *stream)> copyOut;
  GPUEntry<int(void *to, void *from, std::size_t bytes, void *stream)> copy;
  GPUEntry<int(void **stream, unsigned flags)> createStream;
  GPUEntry<int(void *stream)> destroyStream;
  GPUEntry<int(void *stream)> synchronizeStream;
  GPUEntry<int(void *stream, void *event, unsigned flags)>
      waitForEvent; // optional
  GPUEntry<int(void **event, unsigned flags)> createEvent;
  GPUEntry<int(void *event)> destroyEvent;
  GPUEntry<int(void *event, void *stream)> recordEvent;
  GPUEntry<int(void *event)> synchronizeEvent;
  GPUEntry<int(float *milliseconds, void *begin, void *end)> elapsedTime;
  GPUEntry<int(void *module)> unloadModule;
  GPUEntry<int(void **function, void *module, const char *name)> getFunction;
  GPUEntry<int(int *value, int attribute, void *function)>
      getFunctionAttribute; // optional
  GPUEntry<int(void *function, unsigned groupsX, unsigned groupsY,
               unsigned groupsZ, unsigned sizeX, unsigned sizeY, unsigned sizeZ,
               unsigned sharedBytes, void *stream, void **parameters,
               void **extra)>
      launch;
  // Peers and graphs: all optional.
  GPUEntry<int(int *can, int device, int peer)> canAccessPeer;
  GPUEntry<int(void **graph, unsigned flags)> createGraph;
  GPUEntry<int(void *graph)> destroyGraph;
  GPUEntry<int(void *executable)> destroyExecutable;
  GPUEntry<int(void *executable, void *stream)> launchGraph;
};

/// Attributes of functions, which both vendors number alike.
enum GPUFunctionAttribute : int {
  GPUMaxItems = 0,
  GPUStaticSharedBytes = 1,
  GPUMaxDynamicSharedBytes = 8,
};

/// What a device is.
struct GPUProperties {
  std::string product;      ///< "NVIDIA H100 80GB HBM3"
  std::string architecture; ///< "sm_90", "gfx942"
  /// What kernels are compiled for: the architecture, or an older one whose
  /// code the device runs. Empty if there is no code for it.
  std::string chip;
  unsigned computeUnits = 1;
  std::size_t totalMemory = 0;
  GPULimits limits;
};

/// A kernel as a node of a graph.
struct GPUKernelNode {
  void *function;
  const GPULaunch &launch;
  void **parameters;
};

/// The hardware's form of a tensor map.
struct alignas(64) EncodedMap {
  std::array<std::byte, kEncodedMapBytes> bytes{};
};

/// A device as functions of the driver know it.
struct GPUPlace {
  int ordinal = 0;
  void *context = nullptr; ///< CUDA
};

/// The driver of a vendor's GPUs. Safe to use from several threads.
class GPUDriver {
public:
  virtual ~GPUDriver();

  /// The kind of device: "CUDA".
  virtual std::string_view kind() const = 0;
  /// The code generator for it: "cuda".
  virtual std::string_view target() const = 0;
  /// "CUDA_ERROR_INVALID_VALUE (invalid argument)".
  virtual std::string describe(int status) const = 0;
  /// The call and the error: "cuMemAlloc_v2: CUDA_ERROR_...".
  std::string describe(GPUResult result) const {
    return std::string(result.call) + ": " + describe(result.status);
  }
  /// Throws DeviceError if the driver does not tell.
  virtual GPUProperties getProperties(int ordinal) const = 0;

  /// Prepares a device for use, until close().
  virtual GPUResult open(GPUPlace &place) const = 0;
  virtual void close(const GPUPlace &place) const = 0;
  /// Makes it the one that this thread's calls are for, until leave() with the
  /// same \p previous.
  virtual GPUResult enter(const GPUPlace &place, int &previous) const = 0;
  virtual void leave(const GPUPlace &place, int previous) const = 0;

  /// Loads \p code, which has to live as long as the module. Appends what the
  /// driver says about it to \p log.
  virtual GPUResult loadModule(const std::vector<char> &code, void *&module,
                               std::string &log) const = 0;
  /// Why \p code cannot be passed to loadModule(); empty if it can.
  virtual std::string checkCode(const std::vector<char> &code) const = 0;
  /// Allows launches with this much dynamic shared memory.
  virtual GPUResult allowSharedBytes(void *function, unsigned bytes) const = 0;

  /// The tensor maps that a kernel takes after its other arguments, which its
  /// code says. Throws CompileError if the code does not say it as
  /// Support/TensorMap.h has it.
  virtual std::vector<TensorMap>
  findTensorMaps(const std::vector<char> &code,
                 const std::string &kernel) const;
  /// Whether the code of a kernel says that it computes the same with any
  /// number of groups (Support/AnyGroups.h).
  virtual bool takesAnyGroups(const std::vector<char> &code,
                              const std::string &kernel) const;
  /// Makes the hardware's form of a tensor map of a buffer at \p address.
  virtual GPUResult encodeTensorMap(EncodedMap &encoded, const TensorMap &map,
                                    void *address) const;

  virtual bool hasPeerCopies() const = 0;
  /// Enqueues a copy to another device.
  virtual GPUResult copyPeer(void *to, const GPUPlace &toPlace,
                             const void *from, const GPUPlace &fromPlace,
                             std::size_t bytes, void *stream) const = 0;
  /// Lets the entered device access the memory of another one directly, which
  /// makes copies faster. Failing is not an error.
  virtual void enablePeer(const GPUPlace &place,
                          const GPUPlace &peer) const = 0;

  virtual bool hasGraphs() const = 0;
  virtual GPUResult addKernelNode(void **node, void *graph, void *previous,
                                  const GPUKernelNode &kernel) const = 0;
  virtual GPUResult setKernelNode(void *executable, void *node,
                                  const GPUKernelNode &kernel) const = 0;
  virtual GPUResult addCopyNode(void **node, void *graph, void *previous,
                                void *to, const void *from, std::size_t bytes,
                                const GPUPlace &place) const = 0;
  /// Whether the copies of an executable graph can be changed by setCopyNode().
  virtual bool canSetCopyNodes() const = 0;
  /// After so many changes of its nodes, an executable graph has to be made
  /// anew.
  virtual std::size_t getMostNodeChanges() const = 0;
  virtual GPUResult setCopyNode(void *executable, void *node, void *to,
                                const void *from, std::size_t bytes,
                                const GPUPlace &place) const = 0;
  virtual GPUResult instantiate(void **executable, void *graph) const = 0;

  GPUEntries entries;

protected:
  GPUDriver() = default;

  /// Opens the first of \p names that there is, or \p setting if that is not
  /// empty. Throws DeviceError if there is none.
  void openLibrary(const std::string &setting,
                   const std::vector<const char *> &names);
  /// The address of a function, null if there is none.
  void *find(const char *symbol) const;
  /// Looks up functions; require() throws DeviceError if there is none.
  template <typename Signature>
  void require(GPUEntry<Signature> &entry, const char *symbol) {
    void *address = find(symbol);
    if (!address)
      failMissing(symbol);
    entry.set(symbol, address);
  }
  template <typename Signature>
  void maybe(GPUEntry<Signature> &entry, const char *symbol) {
    if (void *address = find(symbol))
      entry.set(symbol, address);
  }
  bool hasCommonGraphs() const {
    return entries.createGraph && entries.destroyGraph &&
           entries.destroyExecutable && entries.launchGraph;
  }

  std::string libraryName;

private:
  [[noreturn]] void failMissing(const char *symbol) const;

  void *library = nullptr; // never closed: drivers do not support it
};

/// A driver and how many devices it has, or why it has none.
struct GPUDriverState {
  std::unique_ptr<GPUDriver> driver;
  unsigned count = 0;
  std::string reason;
};

/// Opens a driver by \p open, which throws DeviceError, and counts its devices.
GPUDriverState openDriver(std::unique_ptr<GPUDriver> (*open)());

/// Describes a kind of device to the registry. \p state opens the driver when
/// it is first called.
DeviceKind describeGPUKind(const char *name, int priority,
                           const GPUDriverState &(*state)());

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_RUNTIME_DEVICES_GPUDRIVER_H
