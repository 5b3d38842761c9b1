//===- MockControl.h - tests' side of the mock drivers ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The mock drivers are libraries with the entry points of CUDA's and HIP's
/// drivers, for machines without a GPU. Device memory is memory of the host.
/// Work is not done when it is enqueued but when somebody waits for it, so that
/// a missing wait gives wrong results. Each access of memory, stream, event and
/// context is checked as strictly as any driver does.
///
/// Kernels are functions of the mock, found by name; a module is text:
///
///     mock module
///     kernel add 3
///     kernel small 1 items=256 shared=1024
///     end
///
/// with the number of parameters, and optionally the largest group and the
/// shared memory that the kernel declares. For HIP, an ELF header comes first.
/// The mock for CUDA also takes PTX. Its kernels do nothing, but their launches
/// are checked: parameters that are addresses of global memory must be such
/// addresses, and the size of groups that the code requires is that of the
/// launch.
///
/// When the library is loaded it reads MOCK_DEVICES (how many there are),
/// MOCK_VERSION (of the driver), MOCK_CHIP (the compute capability as 90, or
/// the name of the architecture) and MOCK_FAIL (function=error).
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_UNITTESTS_RUNTIME_DRIVERMOCK_MOCKCONTROL_H
#define TINYGRAD_UNITTESTS_RUNTIME_DRIVERMOCK_MOCKCONTROL_H

#include <cstddef>
#include <string>
#include <vector>

namespace tinygrad::mock {

/// What tests ask and tell a mock driver. Exported as `mockControl`.
class Control {
public:
  virtual ~Control() = default;

  /// Lets calls of a function fail: the first \p skip ones work, the \p times
  /// after them return \p status.
  virtual void fail(const std::string &function, int status, int skip = 0,
                    int times = 1) = 0;
  /// The calls since the last time, and the work that was done: "launch add 5 1
  /// 1 x 32 1 1 + 0".
  virtual std::vector<std::string> takeLog() = 0;
  /// The bytes that each device has from now on.
  virtual void setMemory(std::size_t bytes) = 0;
  /// Blocks of device memory that exist.
  virtual std::size_t numBlocks() = 0;
  /// Whether devices can access each other's memory.
  virtual void setPeers(bool areThere) = 0;
};

using GetControl = Control *();

} // namespace tinygrad::mock

#endif // TINYGRAD_UNITTESTS_RUNTIME_DRIVERMOCK_MOCKCONTROL_H
