//===- AMDDevice.cpp - AMD's GPUs -----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The interface of HIP.
///
//===----------------------------------------------------------------------===//

#include "GPUDriver.h"
#include "HostCode.h"
#include "TinyGrad/Runtime/Environment.h"
#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/Support/GPUChips.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include <elf.h>

using namespace tinygrad;
using namespace tinygrad::detail;

/// ROCm 5.4, the first that loads code objects of version 5.
static constexpr int kLeastVersion = 50400000;
/// Version numbers have the form 10000000 * major + 100000 * minor + patch;
/// smaller ones say nothing.
static constexpr int kVersionUnit = 10000000;

/// 4096 kernels with 256 bytes of arguments take 1 MiB.
static constexpr std::size_t kMostNodeChanges = 4096;

// From hip_runtime_api.h.
namespace {
constexpr int kCopyOnDevice = 3;

/// The properties of a device since ROCm 6, up to the last member used.
struct PropertiesR0600 {
  char name[256];
  char uuid[16];
  char luid[8];
  unsigned luidDeviceNodeMask;
  std::size_t totalGlobalMem, sharedMemPerBlock;
  int regsPerBlock, warpSize;
  std::size_t memPitch;
  int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
  std::size_t totalConstMem;
  int major, minor;
  std::size_t textureAlignment, texturePitchAlignment;
  int deviceOverlap, multiProcessorCount;
  int other1[44];
  std::size_t surfaceAlignment;
  int other2[16];
  std::size_t sharedMemPerMultiprocessor;
  int other3[12];
  std::size_t sharedMemPerBlockOptin;
  int other4[4];
  std::size_t reservedSharedMemPerBlock;
  int other5[13];
  int reserved[63];
  int hipReserved[32];
  char gcnArchName[256];
  char rest[4096];
};
static_assert(offsetof(PropertiesR0600, gcnArchName) == 1160);

/// Before ROCm 6.
struct PropertiesR0000 {
  char name[256];
  std::size_t totalGlobalMem, sharedMemPerBlock;
  int regsPerBlock, warpSize;
  int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
  int memoryClockRate, memoryBusWidth;
  std::size_t totalConstMem;
  int major, minor, multiProcessorCount, l2CacheSize;
  int maxThreadsPerMultiProcessor, computeMode, clockInstructionRate;
  unsigned arch;
  int concurrentKernels, pciDomainID, pciBusID, pciDeviceID;
  std::size_t maxSharedMemoryPerMultiProcessor;
  int isMultiGpuBoard, canMapHostMemory, gcnArch;
  char gcnArchName[256];
  char rest[4096];
};
static_assert(offsetof(PropertiesR0000, gcnArchName) == 396);

struct Extent {
  unsigned x, y, z;
};

struct KernelNodeParams {
  Extent size;
  void **extra;
  void *function;
  Extent groups;
  void **parameters;
  unsigned sharedBytes;
};
static_assert(sizeof(KernelNodeParams) == 64);

class AMDDriver final : public GPUDriver {
public:
  AMDDriver();

  std::string_view kind() const override { return "AMD"; }
  std::string_view target() const override { return "amd"; }
  std::string describe(int status) const override;
  using GPUDriver::describe;
  GPUProperties getProperties(int ordinal) const override;

  GPUResult open(GPUPlace &) const override { return {}; }
  void close(const GPUPlace &) const override {}
  GPUResult enter(const GPUPlace &place, int &previous) const override;
  void leave(const GPUPlace &place, int previous) const override;

  GPUResult loadModule(const std::vector<char> &code, void *&module,
                       std::string &) const override {
    return loadModuleData(&module, code.data());
  }
  std::string checkCode(const std::vector<char> &code) const override;
  GPUResult allowSharedBytes(void *, unsigned) const override {
    return {}; // launches may have all that there is
  }

  bool hasPeerCopies() const override {
    return peerCopy && entries.waitForEvent;
  }
  GPUResult copyPeer(void *to, const GPUPlace &toPlace, const void *from,
                     const GPUPlace &fromPlace, std::size_t bytes,
                     void *stream) const override {
    return peerCopy(to, toPlace.ordinal, from, fromPlace.ordinal, bytes,
                    stream);
  }
  void enablePeer(const GPUPlace &place, const GPUPlace &peer) const override;

  bool hasGraphs() const override;
  GPUResult addKernelNode(void **node, void *graph, void *previous,
                          const GPUKernelNode &kernel) const override;
  GPUResult setKernelNode(void *executable, void *node,
                          const GPUKernelNode &kernel) const override;
  GPUResult addCopyNode(void **node, void *graph, void *previous, void *to,
                        const void *from, std::size_t bytes,
                        const GPUPlace &) const override {
    return addCopy(node, graph, &previous, previous ? 1 : 0, to, from, bytes,
                   kCopyOnDevice);
  }
  // HIP has a function for it. In some versions of ROCm it takes the node of a
  // copy for that of a kernel.
  bool canSetCopyNodes() const override { return false; }
  GPUResult setCopyNode(void *, void *, void *, const void *, std::size_t,
                        const GPUPlace &) const override {
    return {GPUNotSupported, "a copy of a graph"};
  }
  // A changed kernel takes new memory for its arguments, which is kept as long
  // as the graph.
  std::size_t getMostNodeChanges() const override { return kMostNodeChanges; }
  GPUResult instantiate(void **executable, void *graph) const override {
    return instantiateGraph(executable, graph, nullptr, nullptr, 0);
  }

private:
  // These return the text.
  const char *(*errorName)(int status) = nullptr;
  const char *(*errorText)(int status) = nullptr;
  GPUEntry<int(int *device)> getDevice;
  GPUEntry<int(int device)> setDevice;
  GPUEntry<int(PropertiesR0600 *properties, int device)> propertiesR0600;
  GPUEntry<int(PropertiesR0000 *properties, int device)> propertiesR0000;
  GPUEntry<int(void **module, const void *image)> loadModuleData;
  GPUEntry<int(void *to, int toDevice, const void *from, int fromDevice,
               std::size_t bytes, void *stream)>
      peerCopy;
  GPUEntry<int(int peer, unsigned flags)> enablePeerAccess;
  GPUEntry<int(void **node, void *graph, void *const *previous,
               std::size_t numPrevious, const KernelNodeParams *params)>
      addKernel;
  GPUEntry<int(void *executable, void *node, const KernelNodeParams *params)>
      setKernel;
  GPUEntry<int(void **node, void *graph, void *const *previous,
               std::size_t numPrevious, void *to, const void *from,
               std::size_t bytes, int kind)>
      addCopy;
  GPUEntry<int(void **executable, void *graph, void **errorNode, char *log,
               std::size_t logBytes)>
      instantiateGraph;
};
} // namespace

//===----------------------------------------------------------------------===//
// The library
//===----------------------------------------------------------------------===//

AMDDriver::AMDDriver() {
  openLibrary(hipLibrary(),
              {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"});
  errorName = reinterpret_cast<const char *(*)(int)>(find("hipGetErrorName"));
  errorText = reinterpret_cast<const char *(*)(int)>(find("hipGetErrorString"));
  // An implementation that does not tell its version is given a try.
  maybe(entries.driverVersion, "hipDriverGetVersion");
  int version = 0;
  if (entries.driverVersion && entries.driverVersion(&version) &&
      version >= kVersionUnit && version < kLeastVersion) {
    auto text = [](int number) {
      return std::to_string(number / kVersionUnit) + "." +
             std::to_string(number % kVersionUnit / 100000);
    };
    throw DeviceError("the driver is too old: it supports HIP " +
                      text(version) + ", and " + text(kLeastVersion) +
                      " is needed");
  }

  require(entries.init, "hipInit");
  require(entries.deviceCount, "hipGetDeviceCount");
  maybe(entries.memoryInfo, "hipMemGetInfo");
  require(entries.allocate, "hipMalloc");
  require(entries.free, "hipFree");
  maybe(entries.allocateHost, "hipHostMalloc");
  maybe(entries.freeHost, "hipHostFree");
  require(entries.copyIn, "hipMemcpyHtoDAsync");
  require(entries.copyOut, "hipMemcpyDtoHAsync");
  require(entries.copy, "hipMemcpyDtoDAsync");
  require(entries.createStream, "hipStreamCreateWithFlags");
  require(entries.destroyStream, "hipStreamDestroy");
  require(entries.synchronizeStream, "hipStreamSynchronize");
  maybe(entries.waitForEvent, "hipStreamWaitEvent");
  require(entries.createEvent, "hipEventCreateWithFlags");
  require(entries.destroyEvent, "hipEventDestroy");
  require(entries.recordEvent, "hipEventRecord");
  require(entries.synchronizeEvent, "hipEventSynchronize");
  require(entries.elapsedTime, "hipEventElapsedTime");
  require(entries.unloadModule, "hipModuleUnload");
  require(entries.getFunction, "hipModuleGetFunction");
  maybe(entries.getFunctionAttribute, "hipFuncGetAttribute");
  require(entries.launch, "hipModuleLaunchKernel");
  maybe(entries.canAccessPeer, "hipDeviceCanAccessPeer");
  maybe(entries.createGraph, "hipGraphCreate");
  maybe(entries.destroyGraph, "hipGraphDestroy");
  maybe(entries.destroyExecutable, "hipGraphExecDestroy");
  maybe(entries.launchGraph, "hipGraphLaunch");

  require(getDevice, "hipGetDevice");
  require(setDevice, "hipSetDevice");
  // The name without a version stands for the structure before ROCm 6, also in
  // newer libraries.
  maybe(propertiesR0600, "hipGetDevicePropertiesR0600");
  if (!propertiesR0600)
    require(propertiesR0000, "hipGetDeviceProperties");
  require(loadModuleData, "hipModuleLoadData");
  maybe(peerCopy, "hipMemcpyPeerAsync");
  maybe(enablePeerAccess, "hipDeviceEnablePeerAccess");
  maybe(addKernel, "hipGraphAddKernelNode");
  maybe(setKernel, "hipGraphExecKernelNodeSetParams");
  maybe(addCopy, "hipGraphAddMemcpyNode1D");
  maybe(instantiateGraph, "hipGraphInstantiate");
}

std::string AMDDriver::describe(int status) const {
  const char *name = errorName ? errorName(status) : nullptr;
  if (!name)
    return "HIP error " + std::to_string(status);
  std::string result = name;
  if (const char *text = errorText ? errorText(status) : nullptr)
    result += std::string(" (") + text + ")";
  return result;
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

/// "gfx90a" of "gfx90a:sramecc+:xnack-": code that does not name these modes
/// runs in both.
static std::string withoutModes(const std::string &name) {
  return name.substr(0, name.find(':'));
}

template <typename Properties>
static GPUProperties convert(const Properties &from) {
  GPUProperties properties;
  properties.product.assign(from.name, ::strnlen(from.name, sizeof(from.name)));
  properties.architecture = withoutModes(std::string(
      from.gcnArchName, ::strnlen(from.gcnArchName, sizeof(from.gcnArchName))));
  // A GPU runs code for its own architecture only.
  if (findGPUChip(properties.architecture))
    properties.chip = properties.architecture;
  properties.computeUnits = unsigned(std::max(from.multiProcessorCount, 1));
  properties.totalMemory = from.totalGlobalMem;
  // What is not stated is what all GPUs of this vendor have.
  auto orElse = [](int64_t value, int64_t other) {
    return value > 0 ? value : other;
  };
  GPULimits &limits = properties.limits;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    limits.groups[axis] =
        orElse(from.maxGridSize[axis], axis == 0 ? INT32_MAX : 65535);
    limits.groupSize[axis] = orElse(from.maxThreadsDim[axis], 1024);
  }
  limits.items = orElse(from.maxThreadsPerBlock, 1024);
  limits.sharedBytes = orElse(int64_t(from.sharedMemPerBlock), 64 << 10);
  limits.gridItems = UINT32_MAX;
  return properties;
}

GPUProperties AMDDriver::getProperties(int ordinal) const {
  auto check = [&](GPUResult result) {
    if (!result)
      throw DeviceError("AMD:" + std::to_string(ordinal) +
                        " is not usable: " + describe(result));
  };
  if (propertiesR0600) {
    auto properties = std::make_unique<PropertiesR0600>();
    check(propertiesR0600(properties.get(), ordinal));
    return convert(*properties);
  }
  auto properties = std::make_unique<PropertiesR0000>();
  check(propertiesR0000(properties.get(), ordinal));
  return convert(*properties);
}

GPUResult AMDDriver::enter(const GPUPlace &place, int &previous) const {
  if (GPUResult result = getDevice(&previous); !result)
    return result;
  return previous == place.ordinal ? GPUResult() : setDevice(place.ordinal);
}

void AMDDriver::leave(const GPUPlace &place, int previous) const {
  if (previous != place.ordinal)
    setDevice(previous);
}

void AMDDriver::enablePeer(const GPUPlace &place, const GPUPlace &peer) const {
  int can = 0;
  if (entries.canAccessPeer && enablePeerAccess &&
      entries.canAccessPeer(&can, place.ordinal, peer.ordinal) && can)
    enablePeerAccess(peer.ordinal, 0);
}

/// HIP is not given the size of the code, and reads beyond its end if it is cut
/// off.
std::string AMDDriver::checkCode(const std::vector<char> &code) const {
  Elf64_Ehdr header;
  if (code.size() < sizeof(header))
    return "it is no code object";
  std::memcpy(&header, code.data(), sizeof(header));
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64)
    return "it is no code object";
  if (header.e_machine != EM_AMDGPU)
    return "it is not for an AMD GPU";
  auto fits = [&](uint64_t offset, uint64_t size, uint64_t count) {
    return offset <= code.size() && size * count <= code.size() - offset;
  };
  if (!fits(header.e_shoff, header.e_shentsize, header.e_shnum) ||
      !fits(header.e_phoff, header.e_phentsize, header.e_phnum))
    return "it is cut off";
  return "";
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

bool AMDDriver::hasGraphs() const {
  return hasCommonGraphs() && addKernel && setKernel && addCopy &&
         instantiateGraph;
}

static KernelNodeParams getParams(const GPUKernelNode &kernel) {
  const GPULaunch &launch = kernel.launch;
  KernelNodeParams params{};
  params.function = kernel.function;
  params.groups = {launch.groups[0], launch.groups[1], launch.groups[2]};
  params.size = {launch.groupSize[0], launch.groupSize[1], launch.groupSize[2]};
  params.sharedBytes = launch.sharedBytes;
  params.parameters = kernel.parameters;
  return params;
}

GPUResult AMDDriver::addKernelNode(void **node, void *graph, void *previous,
                                   const GPUKernelNode &kernel) const {
  const KernelNodeParams params = getParams(kernel);
  return addKernel(node, graph, &previous, previous ? 1 : 0, &params);
}

GPUResult AMDDriver::setKernelNode(void *executable, void *node,
                                   const GPUKernelNode &kernel) const {
  const KernelNodeParams params = getParams(kernel);
  return setKernel(executable, node, &params);
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

/// Never destroyed: memory and programs are freed while the process exits.
static const GPUDriverState &getState() {
  static const GPUDriverState *state =
      new GPUDriverState(openDriver([]() -> std::unique_ptr<GPUDriver> {
        return std::make_unique<AMDDriver>();
      }));
  return *state;
}

// LLVM's code generator for these GPUs. Null in a program that was linked with
// LLVM's archives and without this one (TINYGRAD_LLVM_TARGETS).
extern "C" [[gnu::weak]] void LLVMInitializeAMDGPUTargetInfo();

namespace tinygrad::detail {
DeviceKind describeAMDDevice() {
  // A program that compiles, but not for these, has to ask for the device by
  // name.
  const int priority =
      LLVMInitializeAMDGPUTargetInfo || !detail::hasCodeLoader() ? 1 : 0;
  return describeGPUKind("AMD", priority, getState);
}
} // namespace tinygrad::detail
