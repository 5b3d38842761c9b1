//===- MockCuda.cpp - a driver for CUDA without a GPU ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The entry points of libcuda.
///
//===----------------------------------------------------------------------===//

#include "MockDriver.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

using namespace tinygrad::mock;

/// The contexts that this thread has pushed, by their devices. A context's
/// handle is the number of the device plus 1.
static thread_local std::vector<int> contexts;

static int getCurrent() { return contexts.empty() ? -1 : contexts.back(); }

#define MOCK_INIT cuInit
#define MOCK_DEVICE_COUNT cuDeviceGetCount
#define MOCK_MEMORY_INFO cuMemGetInfo_v2
#define MOCK_ALLOCATE cuMemAlloc_v2
#define MOCK_FREE cuMemFree_v2
#define MOCK_ALLOCATE_HOST cuMemHostAlloc
#define MOCK_FREE_HOST cuMemFreeHost
#define MOCK_COPY_IN cuMemcpyHtoDAsync_v2
#define MOCK_COPY_OUT cuMemcpyDtoHAsync_v2
#define MOCK_COPY cuMemcpyDtoDAsync_v2
#define MOCK_CREATE_STREAM cuStreamCreate
#define MOCK_DESTROY_STREAM cuStreamDestroy_v2
#define MOCK_SYNCHRONIZE_STREAM cuStreamSynchronize
#define MOCK_WAIT_FOR_EVENT cuStreamWaitEvent
#define MOCK_CREATE_EVENT cuEventCreate
#define MOCK_DESTROY_EVENT cuEventDestroy_v2
#define MOCK_RECORD_EVENT cuEventRecord
#define MOCK_SYNCHRONIZE_EVENT cuEventSynchronize
#define MOCK_ELAPSED_TIME cuEventElapsedTime
#define MOCK_UNLOAD_MODULE cuModuleUnload
#define MOCK_GET_FUNCTION cuModuleGetFunction
#define MOCK_GET_FUNCTION_ATTRIBUTE cuFuncGetAttribute
#define MOCK_LAUNCH cuLaunchKernel
#define MOCK_CAN_ACCESS_PEER cuDeviceCanAccessPeer
#define MOCK_CREATE_GRAPH cuGraphCreate
#define MOCK_DESTROY_GRAPH cuGraphDestroy
#define MOCK_DESTROY_EXECUTABLE cuGraphExecDestroy
#define MOCK_LAUNCH_GRAPH cuGraphLaunch
#include "MockEntries.inc"

MOCK_EXPORT int cuDriverGetVersion(int *version) {
  const int wanted = driver().version;
  *version = wanted ? wanted : 12080;
  return driver().enter("cuDriverGetVersion");
}

MOCK_EXPORT int cuGetErrorName(int status, const char **name) {
  switch (status) {
  case InvalidValue:
    *name = "CUDA_ERROR_INVALID_VALUE";
    return Success;
  case OutOfMemory:
    *name = "CUDA_ERROR_OUT_OF_MEMORY";
    return Success;
  case InvalidPtx:
    *name = "CUDA_ERROR_INVALID_PTX";
    return Success;
  case UnsupportedPtxVersion:
    *name = "CUDA_ERROR_UNSUPPORTED_PTX_VERSION";
    return Success;
  case NotFound:
    *name = "CUDA_ERROR_NOT_FOUND";
    return Success;
  case IllegalAddress:
    *name = "CUDA_ERROR_ILLEGAL_ADDRESS";
    return Success;
  case LaunchFailed:
    *name = "CUDA_ERROR_LAUNCH_FAILED";
    return Success;
  default:
    *name = nullptr;
    return InvalidValue;
  }
}

MOCK_EXPORT int cuGetErrorString(int status, const char **text) {
  *text = status == IllegalAddress ? "an illegal memory access was encountered"
                                   : "an error of the mock";
  return Success;
}

MOCK_EXPORT int cuDeviceGet(int *device, int ordinal) {
  Driver &mock = driver();
  std::lock_guard<std::recursive_mutex> lock(mock.mutex);
  if (const int status = mock.enter("cuDeviceGet"); status != Success)
    return status;
  *device = ordinal;
  return ordinal >= 0 && ordinal < mock.numDevices ? int(Success)
                                                   : int(InvalidDevice);
}

MOCK_EXPORT int cuDeviceGetName(char *name, int bytes, int) {
  std::snprintf(name, std::size_t(bytes), "Mock GPU");
  return Success;
}

MOCK_EXPORT int cuDeviceTotalMem_v2(std::size_t *bytes, int) {
  *bytes = std::size_t(1) << 30;
  return Success;
}

MOCK_EXPORT int cuDeviceGetAttribute(int *value, int attribute, int) {
  Driver &mock = driver();
  if (const int status = mock.enter("cuDeviceGetAttribute"); status != Success)
    return status;
  const int capability = mock.chip.empty() ? 90 : std::stoi(mock.chip);
  switch (attribute) {
  case 1: // threads of a block
  case 2:
  case 3:
    *value = 1024;
    return Success;
  case 4: // in z
    *value = 64;
    return Success;
  case 5: // blocks
    *value = INT32_MAX;
    return Success;
  case 6:
  case 7:
    *value = 65535;
    return Success;
  case 8: // shared memory
    *value = 48 << 10;
    return Success;
  case 97: // that kernels may opt in to
    *value = 227 << 10;
    return Success;
  case 16: // multiprocessors
    *value = 132;
    return Success;
  case 75: // compute capability
    *value = capability / 10;
    return Success;
  case 76:
    *value = capability % 10;
    return Success;
  default:
    return InvalidValue;
  }
}

MOCK_EXPORT int cuDevicePrimaryCtxRetain(void **context, int device) {
  Driver &mock = driver();
  std::lock_guard<std::recursive_mutex> lock(mock.mutex);
  *context = reinterpret_cast<void *>(std::uintptr_t(device) + 1);
  return mock.enter("cuDevicePrimaryCtxRetain");
}

MOCK_EXPORT int cuDevicePrimaryCtxRelease_v2(int) { return Success; }

MOCK_EXPORT int cuCtxPushCurrent_v2(void *context) {
  contexts.push_back(int(reinterpret_cast<std::uintptr_t>(context)) - 1);
  return Success;
}

MOCK_EXPORT int cuCtxPopCurrent_v2(void **context) {
  if (contexts.empty())
    return InvalidContext;
  *context = reinterpret_cast<void *>(std::uintptr_t(contexts.back()) + 1);
  contexts.pop_back();
  return Success;
}

MOCK_EXPORT int cuCtxEnablePeerAccess(void *, unsigned) {
  return withDevice("cuCtxEnablePeerAccess",
                    [](Driver &, int) { return Success; });
}

MOCK_EXPORT int cuMemcpyPeerAsync(void *to, void *toContext, const void *from,
                                  void *fromContext, std::size_t bytes,
                                  void *stream) {
  auto deviceOf = [](void *context) {
    return int(reinterpret_cast<std::uintptr_t>(context)) - 1;
  };
  return withStream(
      "cuMemcpyPeerAsync", stream, [&](Driver &mock, int, Stream &queue) {
        return mock.enqueue(
            queue, mock.workFor(deviceOf(toContext), deviceOf(fromContext),
                                {static_cast<char *>(to),
                                 static_cast<const char *>(from), bytes}));
      });
}

MOCK_EXPORT int cuTensorMapEncodeTiled(void *map, int type, unsigned rank,
                                       void *address, const uint64_t *sizes,
                                       const uint64_t *distances,
                                       const uint32_t *box,
                                       const uint32_t *steps, int interleave,
                                       int swizzle, int promotion, int fill) {
  return withDevice(
      "cuTensorMapEncodeTiled", [&](Driver &mock, int device) -> int {
        constexpr std::array<uint64_t, 5> bytesOf = {1, 2, 4, 4, 8};
        const auto isMultiple = [](uint64_t value, uint64_t of) {
          return value % of == 0;
        };
        if (reinterpret_cast<std::uintptr_t>(map) % 64 != 0 || rank != 2 ||
            type < 0 || std::size_t(type) >= bytesOf.size() ||
            reinterpret_cast<std::uintptr_t>(address) % 16 != 0 ||
            !isMultiple(distances[0], 16) || steps[0] != 1 || steps[1] != 1 ||
            box[0] * bytesOf[std::size_t(type)] != 128 || box[1] < 1 ||
            box[1] > 256 || interleave != 0 || swizzle != 3 || promotion != 2 ||
            fill != 0 ||
            !mock.isValid(device, address,
                          (sizes[1] - 1) * distances[0] +
                              sizes[0] * bytesOf[std::size_t(type)]))
          return InvalidValue;
        std::memcpy(map, &address, sizeof(address));
        mock.log("map of " + std::to_string(sizes[1]) + "x" +
                 std::to_string(sizes[0]) + ", rows " +
                 std::to_string(distances[0]) + " apart, boxes of " +
                 std::to_string(box[1]) + "x" + std::to_string(box[0]));
        return Success;
      });
}

MOCK_EXPORT int cuModuleLoadDataEx(void **module, const void *image,
                                   unsigned numOptions, const int *options,
                                   void **values) {
  return withDevice("cuModuleLoadDataEx", [&](Driver &mock, int device) -> int {
    std::string reason;
    const std::string text = static_cast<const char *>(image);
    if (text.find(".target sm_") != std::string::npos)
      return mock.loadPtx(device, text, module);
    if (mock.loadModule(device, static_cast<const char *>(image), module,
                        reason) == Success)
      return Success;
    char *log = nullptr;
    std::size_t bytes = 0;
    for (unsigned i = 0; i < numOptions; ++i) {
      if (options[i] == 5)
        log = static_cast<char *>(values[i]);
      else if (options[i] == 6)
        bytes = reinterpret_cast<std::uintptr_t>(values[i]);
    }
    if (log)
      std::snprintf(log, bytes, "%s", reason.c_str());
    return InvalidPtx;
  });
}

MOCK_EXPORT int cuFuncSetAttribute(void *handle, int attribute, int value) {
  return withDevice("cuFuncSetAttribute", [&](Driver &, int) -> int {
    auto &function = *static_cast<Function *>(handle);
    if (attribute != 8 || value + function.sharedBytes > 227 << 10)
      return InvalidValue;
    function.allowedSharedBytes = value;
    return Success;
  });
}

#ifndef MOCK_WITHOUT_GRAPHS

namespace {
struct KernelParams {
  void *function;
  unsigned groups[3], size[3], sharedBytes;
  void **parameters, **extra;
  void *kernel, *context;
};

struct CopyParams {
  std::size_t sourceX, sourceY, sourceZ, sourceLevel;
  unsigned sourceType;
  const void *sourceHost, *sourceDevice;
  void *sourceArray, *reserved0;
  std::size_t sourcePitch, sourceHeight;
  std::size_t targetX, targetY, targetZ, targetLevel;
  unsigned targetType;
  void *targetHost, *targetDevice;
  void *targetArray, *reserved1;
  std::size_t targetPitch, targetHeight;
  std::size_t width, height, depth;
};
} // namespace

/// A copy in one dimension between device memories.
static bool isPlain(const CopyParams &copy) {
  return copy.sourceType == 2 && copy.targetType == 2 && copy.height == 1 &&
         copy.depth == 1 && copy.sourcePitch >= copy.width &&
         copy.targetPitch >= copy.width;
}

MOCK_EXPORT int cuGraphAddKernelNode_v2(void **node, void *graph,
                                        void *const *previous,
                                        std::size_t numPrevious,
                                        const KernelParams *params) {
  return addKernel("cuGraphAddKernelNode_v2", node, graph, previous,
                   numPrevious, params->function, params->groups, params->size,
                   params->sharedBytes, params->parameters);
}

MOCK_EXPORT int cuGraphExecKernelNodeSetParams_v2(void *executable, void *node,
                                                  const KernelParams *params) {
  return setKernel("cuGraphExecKernelNodeSetParams_v2", executable, node,
                   params->function, params->groups, params->size,
                   params->sharedBytes, params->parameters);
}

MOCK_EXPORT int cuGraphAddMemcpyNode(void **node, void *graph,
                                     void *const *previous,
                                     std::size_t numPrevious,
                                     const CopyParams *params, void *) {
  return isPlain(*params) ? addCopy("cuGraphAddMemcpyNode", node, graph,
                                    previous, numPrevious, params->targetDevice,
                                    params->sourceDevice, params->width)
                          : int(InvalidValue);
}

MOCK_EXPORT int cuGraphExecMemcpyNodeSetParams(void *executable, void *node,
                                               const CopyParams *params,
                                               void *) {
  return isPlain(*params) ? setCopy("cuGraphExecMemcpyNodeSetParams",
                                    executable, node, params->targetDevice,
                                    params->sourceDevice, params->width)
                          : int(InvalidValue);
}

MOCK_EXPORT int cuGraphInstantiateWithFlags(void **executable, void *graph,
                                            unsigned long long) {
  return instantiate("cuGraphInstantiateWithFlags", executable, graph);
}

#endif // MOCK_WITHOUT_GRAPHS
