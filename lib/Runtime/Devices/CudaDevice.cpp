//===- CudaDevice.cpp - NVIDIA's GPUs -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The driver interface of CUDA. Names with `_v2` are what cuda.h calls without
/// it.
///
//===----------------------------------------------------------------------===//

#include "GPUDriver.h"
#include "HostCode.h"
#include "TinyGrad/Runtime/Environment.h"
#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/Support/AnyGroups.h"
#include "TinyGrad/Support/GPUChips.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <system_error>

using namespace tinygrad;
using namespace tinygrad::detail;

/// Version 11.8, the first that has sm_89 and sm_90.
static constexpr int kLeastVersion = 11080;

// From cuda.h.
namespace {
enum DeviceAttribute : int {
  MaxThreadsPerBlock = 1,
  MaxBlockDimX = 2,
  MaxGridDimX = 5,
  MaxSharedMemoryPerBlock = 8,
  MultiprocessorCount = 16,
  CapabilityMajor = 75,
  CapabilityMinor = 76,
  MaxSharedMemoryPerBlockOptin = 97,
};

enum JitOption : int {
  InfoLogBuffer = 3,
  InfoLogBufferSize = 4,
  ErrorLogBuffer = 5,
  ErrorLogBufferSize = 6,
};

/// Of tensor maps: types of elements, and how boxes are copied.
enum MapType : int {
  UInt8Map = 0,
  UInt16Map = 1,
  UInt32Map = 2,
  UInt64Map = 4
};
constexpr int NotInterleaved = 0, FillZeros = 0, Promote128Bytes = 2,
              Swizzle128Bytes = 3;

constexpr unsigned kDeviceMemory = 2;
constexpr int kUnsupportedPtxVersion = 222;

struct Memcpy3D {
  std::size_t sourceX, sourceY, sourceZ, sourceLevel;
  unsigned sourceType;
  const void *sourceHost;
  const void *sourceDevice;
  void *sourceArray, *reserved0;
  std::size_t sourcePitch, sourceHeight;
  std::size_t targetX, targetY, targetZ, targetLevel;
  unsigned targetType;
  void *targetHost;
  void *targetDevice;
  void *targetArray, *reserved1;
  std::size_t targetPitch, targetHeight;
  std::size_t width, height, depth;
};
static_assert(sizeof(Memcpy3D) == 200);

struct KernelNodeParams {
  void *function;
  unsigned groups[3], size[3], sharedBytes;
  void **parameters, **extra;
  void *kernel, *context;
};
static_assert(sizeof(KernelNodeParams) == 72);

class CudaDriver final : public GPUDriver {
public:
  CudaDriver();

  std::string_view kind() const override { return "CUDA"; }
  std::string_view target() const override { return "cuda"; }
  std::string describe(int status) const override;
  using GPUDriver::describe;
  GPUProperties getProperties(int ordinal) const override;

  GPUResult open(GPUPlace &place) const override;
  void close(const GPUPlace &place) const override;
  GPUResult enter(const GPUPlace &place, int &previous) const override;
  void leave(const GPUPlace &place, int previous) const override;

  GPUResult loadModule(const std::vector<char> &code, void *&module,
                       std::string &log) const override;
  std::string checkCode(const std::vector<char> &code) const override;
  GPUResult allowSharedBytes(void *function, unsigned bytes) const override {
    return setFunctionAttribute(function, GPUMaxDynamicSharedBytes, int(bytes));
  }

  std::vector<TensorMap>
  findTensorMaps(const std::vector<char> &code,
                 const std::string &kernel) const override;
  bool takesAnyGroups(const std::vector<char> &code,
                      const std::string &kernel) const override;
  GPUResult encodeTensorMap(EncodedMap &encoded, const TensorMap &map,
                            void *address) const override;

  bool hasPeerCopies() const override {
    return peerCopy && entries.waitForEvent;
  }
  GPUResult copyPeer(void *to, const GPUPlace &toPlace, const void *from,
                     const GPUPlace &fromPlace, std::size_t bytes,
                     void *stream) const override {
    return peerCopy(to, toPlace.context, from, fromPlace.context, bytes,
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
                        const GPUPlace &place) const override;
  bool canSetCopyNodes() const override { return true; }
  std::size_t getMostNodeChanges() const override { return SIZE_MAX; }
  GPUResult setCopyNode(void *executable, void *node, void *to,
                        const void *from, std::size_t bytes,
                        const GPUPlace &place) const override;
  GPUResult instantiate(void **executable, void *graph) const override {
    return instantiateGraph(executable, graph, 0);
  }

private:
  int version = 0; ///< of CUDA, 1000 * major + 10 * minor
  GPUEntry<int(int status, const char **text)> errorName, errorText;
  GPUEntry<int(int *device, int ordinal)> getDevice;
  GPUEntry<int(char *name, int bytes, int device)> deviceName;
  GPUEntry<int(std::size_t *bytes, int device)> totalMemory;
  GPUEntry<int(int *value, int attribute, int device)> deviceAttribute;
  GPUEntry<int(void **context, int device)> retainContext;
  GPUEntry<int(int device)> releaseContext;
  GPUEntry<int(void *context)> pushContext;
  GPUEntry<int(void **context)> popContext;
  GPUEntry<int(void **module, const void *image, unsigned numOptions,
               int *options, void **values)>
      loadModuleData;
  GPUEntry<int(void *function, int attribute, int value)> setFunctionAttribute;
  GPUEntry<int(void *encoded, int type, unsigned rank, void *address,
               const uint64_t *sizes, const uint64_t *distances,
               const uint32_t *box, const uint32_t *steps, int interleave,
               int swizzle, int promotion, int fill)>
      encodeMap;
  GPUEntry<int(void *to, void *toContext, const void *from, void *fromContext,
               std::size_t bytes, void *stream)>
      peerCopy;
  GPUEntry<int(void *context, unsigned flags)> enablePeerAccess;
  GPUEntry<int(void **node, void *graph, void *const *previous,
               std::size_t numPrevious, const KernelNodeParams *params)>
      addKernel;
  GPUEntry<int(void *executable, void *node, const KernelNodeParams *params)>
      setKernel;
  GPUEntry<int(void **node, void *graph, void *const *previous,
               std::size_t numPrevious, const Memcpy3D *params, void *context)>
      addCopy;
  GPUEntry<int(void *executable, void *node, const Memcpy3D *params,
               void *context)>
      setCopy;
  GPUEntry<int(void **executable, void *graph, unsigned long long flags)>
      instantiateGraph;
};
} // namespace

//===----------------------------------------------------------------------===//
// The library
//===----------------------------------------------------------------------===//

/// "11.8" for 11080.
static std::string versionText(int number) {
  return std::to_string(number / 1000) + "." +
         std::to_string(number % 1000 / 10);
}

CudaDriver::CudaDriver() {
  openLibrary(cudaLibrary(), {"libcuda.so.1"});
  require(errorName, "cuGetErrorName");
  require(errorText, "cuGetErrorString");
  require(entries.driverVersion, "cuDriverGetVersion");
  // Before the other functions, which an old driver may not have.
  const GPUResult result = entries.driverVersion(&version);
  if (!result)
    throw DeviceError(describe(result));
  if (version < kLeastVersion)
    throw DeviceError("the driver is too old: it supports CUDA " +
                      versionText(version) + ", and " +
                      versionText(kLeastVersion) + " is needed");

  require(entries.init, "cuInit");
  require(entries.deviceCount, "cuDeviceGetCount");
  maybe(entries.memoryInfo, "cuMemGetInfo_v2");
  require(entries.allocate, "cuMemAlloc_v2");
  require(entries.free, "cuMemFree_v2");
  maybe(entries.allocateHost, "cuMemHostAlloc");
  maybe(entries.freeHost, "cuMemFreeHost");
  require(entries.copyIn, "cuMemcpyHtoDAsync_v2");
  require(entries.copyOut, "cuMemcpyDtoHAsync_v2");
  require(entries.copy, "cuMemcpyDtoDAsync_v2");
  require(entries.createStream, "cuStreamCreate");
  require(entries.destroyStream, "cuStreamDestroy_v2");
  require(entries.synchronizeStream, "cuStreamSynchronize");
  maybe(entries.waitForEvent, "cuStreamWaitEvent");
  require(entries.createEvent, "cuEventCreate");
  require(entries.destroyEvent, "cuEventDestroy_v2");
  require(entries.recordEvent, "cuEventRecord");
  require(entries.synchronizeEvent, "cuEventSynchronize");
  require(entries.elapsedTime, "cuEventElapsedTime");
  require(entries.unloadModule, "cuModuleUnload");
  require(entries.getFunction, "cuModuleGetFunction");
  maybe(entries.getFunctionAttribute, "cuFuncGetAttribute");
  require(entries.launch, "cuLaunchKernel");
  maybe(entries.canAccessPeer, "cuDeviceCanAccessPeer");
  maybe(entries.createGraph, "cuGraphCreate");
  maybe(entries.destroyGraph, "cuGraphDestroy");
  maybe(entries.destroyExecutable, "cuGraphExecDestroy");
  maybe(entries.launchGraph, "cuGraphLaunch");

  require(getDevice, "cuDeviceGet");
  require(deviceName, "cuDeviceGetName");
  require(totalMemory, "cuDeviceTotalMem_v2");
  require(deviceAttribute, "cuDeviceGetAttribute");
  require(retainContext, "cuDevicePrimaryCtxRetain");
  require(releaseContext, "cuDevicePrimaryCtxRelease_v2");
  require(pushContext, "cuCtxPushCurrent_v2");
  require(popContext, "cuCtxPopCurrent_v2");
  require(loadModuleData, "cuModuleLoadDataEx");
  require(setFunctionAttribute, "cuFuncSetAttribute");
  maybe(encodeMap, "cuTensorMapEncodeTiled");
  maybe(peerCopy, "cuMemcpyPeerAsync");
  maybe(enablePeerAccess, "cuCtxEnablePeerAccess");
  // These forms are those of CUDA 12; older drivers launch one by one.
  maybe(addKernel, "cuGraphAddKernelNode_v2");
  maybe(setKernel, "cuGraphExecKernelNodeSetParams_v2");
  maybe(addCopy, "cuGraphAddMemcpyNode");
  maybe(setCopy, "cuGraphExecMemcpyNodeSetParams");
  maybe(instantiateGraph, "cuGraphInstantiateWithFlags");
}

std::string CudaDriver::describe(int status) const {
  const char *name = nullptr, *text = nullptr;
  if (!errorName(status, &name) || !name)
    return "CUDA error " + std::to_string(status);
  std::string result = name;
  if (errorText(status, &text) && text)
    result += std::string(" (") + text + ")";
  return result;
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

/// The newest architecture that the GPU runs code for: one that is not above
/// its own, and whose code all later ones run, too.
static std::string chooseChip(int capability) {
  int64_t best = 0;
  for (const GPUChipData &chip : kGPUChips)
    if (!chip.isSpecific() && chip.getCapability() <= capability)
      best = std::max(best, chip.getCapability());
  return best > 0 ? "sm_" + std::to_string(best) : "";
}

GPUProperties CudaDriver::getProperties(int ordinal) const {
  auto check = [&](GPUResult result) {
    if (!result)
      throw DeviceError("CUDA:" + std::to_string(ordinal) +
                        " is not usable: " + describe(result));
  };
  int device = 0;
  check(getDevice(&device, ordinal));
  auto attribute = [&](int number) {
    int value = 0;
    check(deviceAttribute(&value, number, device));
    return int64_t(value);
  };
  GPUProperties properties;
  std::array<char, 256> name{};
  check(deviceName(name.data(), int(name.size()) - 1, device));
  properties.product = name.data();
  check(totalMemory(&properties.totalMemory, device));
  const int capability =
      int(10 * attribute(CapabilityMajor) + attribute(CapabilityMinor));
  properties.architecture = "sm_" + std::to_string(capability);
  properties.chip = chooseChip(capability);
  properties.computeUnits = unsigned(attribute(MultiprocessorCount));
  GPULimits &limits = properties.limits;
  for (int axis = 0; axis < 3; ++axis) {
    limits.groups[std::size_t(axis)] = attribute(MaxGridDimX + axis);
    limits.groupSize[std::size_t(axis)] = attribute(MaxBlockDimX + axis);
  }
  limits.items = attribute(MaxThreadsPerBlock);
  limits.sharedBytes = std::max(attribute(MaxSharedMemoryPerBlock),
                                attribute(MaxSharedMemoryPerBlockOptin));
  return properties;
}

GPUResult CudaDriver::open(GPUPlace &place) const {
  int device = 0;
  if (GPUResult result = getDevice(&device, place.ordinal); !result)
    return result;
  return retainContext(&place.context, device);
}

void CudaDriver::close(const GPUPlace &place) const {
  int device = 0;
  if (getDevice(&device, place.ordinal))
    releaseContext(device);
}

GPUResult CudaDriver::enter(const GPUPlace &place, int &previous) const {
  previous = 0; // the driver keeps a stack
  return pushContext(place.context);
}

void CudaDriver::leave(const GPUPlace &, int) const {
  void *context = nullptr;
  popContext(&context);
}

void CudaDriver::enablePeer(const GPUPlace &place, const GPUPlace &peer) const {
  int can = 0;
  if (entries.canAccessPeer && enablePeerAccess &&
      entries.canAccessPeer(&can, place.ordinal, peer.ordinal) && can)
    enablePeerAccess(peer.context, 0);
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

std::string CudaDriver::checkCode(const std::vector<char> &code) const {
  // The driver reads text up to a null byte.
  for (char c : code)
    if (c != '\0' && c != '\n' && c != ' ')
      return "";
  return "it is empty";
}

/// What follows a directive of a module of PTX, up to the end of the word:
/// "8.7" after ".version "; empty without the directive.
static std::string getDirective(const std::vector<char> &code,
                                std::string_view directive) {
  const std::string_view text(code.data());
  const std::size_t begin = text.find(directive);
  if (begin == std::string_view::npos)
    return "";
  const std::string_view rest = text.substr(begin + directive.size());
  return std::string(rest.substr(0, rest.find_first_of(", \n")));
}

GPUResult CudaDriver::loadModule(const std::vector<char> &code, void *&module,
                                 std::string &log) const {
  std::vector<char> text = code;
  text.push_back('\0');
  std::array<char, 8192> info{}, errors{};
  std::array<int, 4> options = {InfoLogBuffer, InfoLogBufferSize,
                                ErrorLogBuffer, ErrorLogBufferSize};
  auto number = [](std::size_t value) {
    return reinterpret_cast<void *>(std::uintptr_t(value));
  };
  std::array<void *, 4> values = {info.data(), number(info.size() - 1),
                                  errors.data(), number(errors.size() - 1)};
  const GPUResult result =
      loadModuleData(&module, text.data(), unsigned(options.size()),
                     options.data(), values.data());
  log += errors.data();
  log += info.data();
  auto explain = [&](const std::string &reason) {
    log += (log.empty() ? "" : "\n") + reason;
  };
  if (result.status == kUnsupportedPtxVersion) {
    const std::string stated = getDirective(text, ".version ");
    explain("the code is PTX " + (stated.empty() ? "of no version" : stated) +
            ", which this driver, for CUDA " + versionText(version) +
            ", does not know: a newer driver is needed");
  }
  const GPUChipData *chip = findGPUChip(getDirective(text, ".target "));
  if (!result && chip && chip->isSpecific())
    explain("code for " + std::string(chip->name) +
            " runs on GPUs of compute capability " +
            versionText(int(chip->getCapability()) * 100) + " only");
  return result;
}

bool CudaDriver::takesAnyGroups(const std::vector<char> &code,
                                const std::string &kernel) const {
  const std::string_view text(code.data(), code.size());
  return text.find(" " + kernel + std::string(kAnyGroupsSuffix) + "[") !=
         std::string_view::npos;
}

/// In text, a constant array of bytes, of which zeros at the end are left out:
/// the numbers of all maps.
std::vector<TensorMap>
CudaDriver::findTensorMaps(const std::vector<char> &code,
                           const std::string &kernel) const {
  const std::string_view text(code.data(), code.size());
  const std::string name = " " + kernel + std::string(kTensorMapsSuffix) + "[";
  std::size_t place = text.find(name);
  if (place == std::string_view::npos)
    return {};
  bool isKnown = true;
  // The next number behind the place, which is before \p end.
  const auto read = [&](std::size_t end) {
    int64_t number = -1;
    const auto [next, error] =
        std::from_chars(text.data() + place, text.data() + end, number);
    isKnown &= error == std::errc() && number >= 0;
    place = std::size_t(next - text.data());
    return number;
  };
  place += name.size();
  const std::size_t end = std::min(text.find('}', place), text.size());
  const int64_t size = read(end);
  std::vector<int64_t> numbers(
      isKnown && size < int64_t(text.size()) ? std::size_t(size) / 8 : 0);
  place = std::min(text.find('{', place), end);
  for (std::size_t i = 0; isKnown && place < end; ++i) {
    place = text.find_first_not_of(" ,\n", place + 1);
    if (place >= end)
      break;
    const int64_t byte = read(end);
    isKnown &= byte < 256 && i / 8 < numbers.size();
    if (isKnown)
      numbers[i / 8] |= byte << i % 8 * 8;
    --place; // what ends the number
  }
  isKnown &= !numbers.empty() && numbers.size() % kTensorMapNumbers == 0;
  if (!isKnown)
    throw CompileError("the code of kernel '" + kernel +
                       "' does not describe its tensor maps");
  std::vector<TensorMap> maps;
  for (std::size_t i = 0; i < numbers.size(); i += kTensorMapNumbers)
    maps.push_back(TensorMap::fromNumbers(&numbers[i]));
  return maps;
}

GPUResult CudaDriver::encodeTensorMap(EncodedMap &encoded, const TensorMap &map,
                                      void *address) const {
  if (!encodeMap)
    return {GPUNotSupported, "cuTensorMapEncodeTiled"};
  // Types of one size differ in what fills boxes: zeros in all of these.
  const int type = map.elementBytes == 1   ? UInt8Map
                   : map.elementBytes == 2 ? UInt16Map
                   : map.elementBytes == 4 ? UInt32Map
                                           : UInt64Map;
  const std::array<uint64_t, 2> sizes = {uint64_t(map.sizes[0]),
                                         uint64_t(map.sizes[1])};
  const auto distance = uint64_t(map.rowBytes);
  const std::array<uint32_t, 2> steps = {1, 1};
  return encodeMap(encoded.bytes.data(), type, unsigned(sizes.size()), address,
                   sizes.data(), &distance, map.box.data(), steps.data(),
                   NotInterleaved, Swizzle128Bytes, Promote128Bytes, FillZeros);
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

bool CudaDriver::hasGraphs() const {
  return hasCommonGraphs() && addKernel && setKernel && addCopy && setCopy &&
         instantiateGraph;
}

static KernelNodeParams getParams(const GPUKernelNode &kernel) {
  KernelNodeParams params{};
  params.function = kernel.function;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    params.groups[axis] = kernel.launch.groups[axis];
    params.size[axis] = kernel.launch.groupSize[axis];
  }
  params.sharedBytes = kernel.launch.sharedBytes;
  params.parameters = kernel.parameters;
  return params;
}

static Memcpy3D getParams(void *to, const void *from, std::size_t bytes) {
  Memcpy3D params{};
  params.sourceType = params.targetType = kDeviceMemory;
  params.sourceDevice = from;
  params.targetDevice = to;
  params.sourcePitch = params.targetPitch = params.width = bytes;
  params.sourceHeight = params.targetHeight = 1;
  params.height = params.depth = 1;
  return params;
}

GPUResult CudaDriver::addKernelNode(void **node, void *graph, void *previous,
                                    const GPUKernelNode &kernel) const {
  const KernelNodeParams params = getParams(kernel);
  return addKernel(node, graph, &previous, previous ? 1 : 0, &params);
}

GPUResult CudaDriver::setKernelNode(void *executable, void *node,
                                    const GPUKernelNode &kernel) const {
  const KernelNodeParams params = getParams(kernel);
  return setKernel(executable, node, &params);
}

GPUResult CudaDriver::addCopyNode(void **node, void *graph, void *previous,
                                  void *to, const void *from, std::size_t bytes,
                                  const GPUPlace &place) const {
  const Memcpy3D params = getParams(to, from, bytes);
  return addCopy(node, graph, &previous, previous ? 1 : 0, &params,
                 place.context);
}

GPUResult CudaDriver::setCopyNode(void *executable, void *node, void *to,
                                  const void *from, std::size_t bytes,
                                  const GPUPlace &place) const {
  const Memcpy3D params = getParams(to, from, bytes);
  return setCopy(executable, node, &params, place.context);
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

/// Never destroyed: memory and programs are freed while the process exits.
static const GPUDriverState &getState() {
  static const GPUDriverState *state =
      new GPUDriverState(openDriver([]() -> std::unique_ptr<GPUDriver> {
        return std::make_unique<CudaDriver>();
      }));
  return *state;
}

// LLVM's code generator for these GPUs. Null in a program that was linked with
// LLVM's archives and without this one (TINYGRAD_LLVM_TARGETS).
extern "C" [[gnu::weak]] void LLVMInitializeNVPTXTargetInfo();

namespace tinygrad::detail {
DeviceKind describeCudaDevice() {
  // A program that compiles, but not for these, has to ask for the device by
  // name.
  const int priority =
      LLVMInitializeNVPTXTargetInfo || !detail::hasCodeLoader() ? 2 : 0;
  return describeGPUKind("CUDA", priority, getState);
}
} // namespace tinygrad::detail
