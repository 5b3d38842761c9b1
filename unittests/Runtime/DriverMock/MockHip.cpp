//===- MockHip.cpp - a driver for HIP without a GPU -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The entry points of libamdhip64.
///
//===----------------------------------------------------------------------===//

#include "MockDriver.h"

#include <cstdio>
#include <cstring>

using namespace tinygrad::mock;

static thread_local int currentDevice = 0;

static int getCurrent() { return currentDevice; }

#define MOCK_INIT hipInit
#define MOCK_DEVICE_COUNT hipGetDeviceCount
#define MOCK_MEMORY_INFO hipMemGetInfo
#define MOCK_ALLOCATE hipMalloc
#define MOCK_FREE hipFree
#define MOCK_ALLOCATE_HOST hipHostMalloc
#define MOCK_FREE_HOST hipHostFree
#define MOCK_COPY_IN hipMemcpyHtoDAsync
#define MOCK_COPY_OUT hipMemcpyDtoHAsync
#define MOCK_COPY hipMemcpyDtoDAsync
#define MOCK_CREATE_STREAM hipStreamCreateWithFlags
#define MOCK_DESTROY_STREAM hipStreamDestroy
#define MOCK_SYNCHRONIZE_STREAM hipStreamSynchronize
#define MOCK_WAIT_FOR_EVENT hipStreamWaitEvent
#define MOCK_CREATE_EVENT hipEventCreateWithFlags
#define MOCK_DESTROY_EVENT hipEventDestroy
#define MOCK_RECORD_EVENT hipEventRecord
#define MOCK_SYNCHRONIZE_EVENT hipEventSynchronize
#define MOCK_ELAPSED_TIME hipEventElapsedTime
#define MOCK_UNLOAD_MODULE hipModuleUnload
#define MOCK_GET_FUNCTION hipModuleGetFunction
#define MOCK_GET_FUNCTION_ATTRIBUTE hipFuncGetAttribute
#define MOCK_LAUNCH hipModuleLaunchKernel
#define MOCK_CAN_ACCESS_PEER hipDeviceCanAccessPeer
#define MOCK_CREATE_GRAPH hipGraphCreate
#define MOCK_DESTROY_GRAPH hipGraphDestroy
#define MOCK_DESTROY_EXECUTABLE hipGraphExecDestroy
#define MOCK_LAUNCH_GRAPH hipGraphLaunch
#include "MockEntries.inc"

MOCK_EXPORT int hipDriverGetVersion(int *version) {
  const int wanted = driver().version;
  *version = wanted ? wanted : 60443483;
  return driver().enter("hipDriverGetVersion");
}

MOCK_EXPORT const char *hipGetErrorName(int status) {
  switch (status) {
  case InvalidValue:
    return "hipErrorInvalidValue";
  case OutOfMemory:
    return "hipErrorOutOfMemory";
  case InvalidImage:
    return "hipErrorInvalidImage";
  case NotFound:
    return "hipErrorNotFound";
  case IllegalAddress:
    return "hipErrorIllegalAddress";
  case LaunchFailed:
    return "hipErrorLaunchFailure";
  default:
    return nullptr;
  }
}

MOCK_EXPORT const char *hipGetErrorString(int) {
  return "an error of the mock";
}

MOCK_EXPORT int hipGetDevice(int *device) {
  *device = currentDevice;
  return Success;
}

MOCK_EXPORT int hipSetDevice(int device) {
  if (device < 0 || device >= driver().numDevices)
    return InvalidDevice;
  currentDevice = device;
  return Success;
}

MOCK_EXPORT int hipGetDevicePropertiesR0600(char *properties, int device) {
  Driver &mock = driver();
  if (const int status = mock.enter("hipGetDevicePropertiesR0600");
      status != Success)
    return status;
  if (device < 0 || device >= mock.numDevices)
    return InvalidDevice;
  // By the offsets of the structure of ROCm 6.
  std::memset(properties, 0, 1472);
  auto set = [&](std::size_t offset, auto value) {
    std::memcpy(properties + offset, &value, sizeof(value));
  };
  std::snprintf(properties, 256, "Mock GPU");
  set(288, std::size_t(1) << 30);  // totalGlobalMem
  set(296, std::size_t(64) << 10); // sharedMemPerBlock
  set(320, 1024);                  // maxThreadsPerBlock
  for (std::size_t axis = 0; axis < 3; ++axis) {
    set(324 + 4 * axis, 1024);      // maxThreadsDim
    set(336 + 4 * axis, INT32_MAX); // maxGridSize
  }
  set(388, 304); // multiProcessorCount
  const std::string chip =
      mock.chip.empty() ? "gfx942:sramecc+:xnack-" : mock.chip;
  std::snprintf(properties + 1160, 256, "%s", chip.c_str());
  return Success;
}

MOCK_EXPORT int hipDeviceEnablePeerAccess(int, unsigned) {
  return withDevice("hipDeviceEnablePeerAccess",
                    [](Driver &, int) { return Success; });
}

MOCK_EXPORT int hipMemcpyPeerAsync(void *to, int toDevice, const void *from,
                                   int fromDevice, std::size_t bytes,
                                   void *stream) {
  return withStream(
      "hipMemcpyPeerAsync", stream, [&](Driver &mock, int, Stream &queue) {
        return mock.enqueue(
            queue, mock.workFor(toDevice, fromDevice,
                                {static_cast<char *>(to),
                                 static_cast<const char *>(from), bytes}));
      });
}

MOCK_EXPORT int hipModuleLoadData(void **module, const void *image) {
  return withDevice("hipModuleLoadData", [&](Driver &mock, int device) {
    constexpr std::size_t headerBytes = 64;
    std::string reason;
    return mock.loadModule(
        device, static_cast<const char *>(image) + headerBytes, module, reason);
  });
}

#ifndef MOCK_WITHOUT_GRAPHS

namespace {
struct KernelParams {
  unsigned size[3];
  void **extra;
  void *function;
  unsigned groups[3];
  void **parameters;
  unsigned sharedBytes;
};
} // namespace

MOCK_EXPORT int hipGraphAddKernelNode(void **node, void *graph,
                                      void *const *previous,
                                      std::size_t numPrevious,
                                      const KernelParams *params) {
  return addKernel("hipGraphAddKernelNode", node, graph, previous, numPrevious,
                   params->function, params->groups, params->size,
                   params->sharedBytes, params->parameters);
}

MOCK_EXPORT int hipGraphExecKernelNodeSetParams(void *executable, void *node,
                                                const KernelParams *params) {
  return setKernel("hipGraphExecKernelNodeSetParams", executable, node,
                   params->function, params->groups, params->size,
                   params->sharedBytes, params->parameters);
}

MOCK_EXPORT int hipGraphAddMemcpyNode1D(void **node, void *graph,
                                        void *const *previous,
                                        std::size_t numPrevious, void *to,
                                        const void *from, std::size_t bytes,
                                        int kind) {
  return kind == 3 ? addCopy("hipGraphAddMemcpyNode1D", node, graph, previous,
                             numPrevious, to, from, bytes)
                   : int(InvalidValue);
}

MOCK_EXPORT int hipGraphExecMemcpyNodeSetParams1D(void *executable, void *node,
                                                  void *to, const void *from,
                                                  std::size_t bytes, int kind) {
  return kind == 3 ? setCopy("hipGraphExecMemcpyNodeSetParams1D", executable,
                             node, to, from, bytes)
                   : int(InvalidValue);
}

MOCK_EXPORT int hipGraphInstantiate(void **executable, void *graph, void **,
                                    char *, std::size_t) {
  return instantiate("hipGraphInstantiate", executable, graph);
}

#endif // MOCK_WITHOUT_GRAPHS
