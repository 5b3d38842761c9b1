//===- MockTest.h - tests with mock drivers ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Tests of the devices CUDA and AMD, whose drivers are mocks. Each mock has
/// 16 devices. A device that a test loses is of no use to others: take it
/// from `takeDevice`.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_UNITTESTS_RUNTIME_MOCKTEST_H
#define TINYGRAD_UNITTESTS_RUNTIME_MOCKTEST_H

#include "DriverMock/MockControl.h"
#include "TinyGrad/Runtime/Buffer.h"
#include "TinyGrad/Runtime/Device.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tinygrad::testing {

/// The parameter is the kind of device, "CUDA" or "AMD".
class MockTest : public ::testing::TestWithParam<std::string> {
protected:
  void SetUp() override;

  /// The device number \p ordinal.
  Device &get(unsigned ordinal);
  /// A device that no other test uses.
  Device &takeDevice();
  bool isCuda() const { return GetParam() == "CUDA"; }
  /// The name for CUDA or for HIP.
  std::string either(const char *cuda, const char *hip) const {
    return isCuda() ? cuda : hip;
  }

  /// A kernel of a module with only this one: "add 3".
  Kernel load(Device &device, const std::string &line);
  Buffer upload(Device &device, const std::vector<int64_t> &values);
  std::vector<int64_t> download(const Buffer &buffer);
  /// The log's lines that begin with \p prefix.
  std::vector<std::string> logged(const std::string &prefix);

  mock::Control *control = nullptr;
};

/// A launch of one item per group.
LaunchDims dimsOf(const Expression &groups, uint32_t numBuffers,
                  uint32_t numValues);

} // namespace tinygrad::testing

#endif // TINYGRAD_UNITTESTS_RUNTIME_MOCKTEST_H
