//===- MockTest.cpp - tests with mock drivers -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Selects the mock drivers for all tests of the program.
///
//===----------------------------------------------------------------------===//

#include "MockTest.h"
#include "TestKernels.h"

#include <cstdlib>
#include <dlfcn.h>

using namespace tinygrad;
using namespace tinygrad::testing;

/// Before any test reads the settings.
static const bool isSelected = [] {
  ::setenv("CUDALIB", MOCK_CUDA, 1);
  ::setenv("HIPLIB", MOCK_HIP, 1);
  return true;
}();

static mock::Control *controlOf(const char *library) {
  // The same library that the runtime opens.
  void *opened = ::dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!opened)
    return nullptr;
  const auto get =
      reinterpret_cast<mock::GetControl *>(::dlsym(opened, "mockControl"));
  return get ? get() : nullptr;
}

void MockTest::SetUp() {
  ASSERT_TRUE(isSelected);
  control = controlOf(isCuda() ? MOCK_CUDA : MOCK_HIP);
  ASSERT_NE(control, nullptr);
  control->takeLog();
}

Device &MockTest::get(unsigned ordinal) {
  return Device::get(GetParam() + ":" + std::to_string(ordinal));
}

Device &MockTest::takeDevice() {
  // The first ones are for tests that need several.
  static unsigned next[2] = {3, 3};
  return get(next[isCuda()]++);
}

Kernel MockTest::load(Device &device, const std::string &line) {
  const std::vector<char> code = mockModule(device, {"kernel " + line});
  return Kernel(device.loadProgram(code.data(), code.size(), "mock"),
                line.substr(0, line.find(' ')));
}

Buffer MockTest::upload(Device &device, const std::vector<int64_t> &values) {
  return Buffer::fromHost(device, values.data(), values.size() * 8,
                          DType::Int64);
}

std::vector<int64_t> MockTest::download(const Buffer &buffer) {
  std::vector<int64_t> values(buffer.size() / 8, -1);
  buffer.copyOut(values.data(), buffer.size());
  return values;
}

std::vector<std::string> MockTest::logged(const std::string &prefix) {
  std::vector<std::string> found;
  for (const std::string &line : control->takeLog())
    if (line.starts_with(prefix))
      found.push_back(line);
  return found;
}

LaunchDims tinygrad::testing::dimsOf(const Expression &groups,
                                     uint32_t numBuffers, uint32_t numValues) {
  LaunchDims dims;
  dims.groups[0] = groups;
  dims.numBuffers = numBuffers;
  dims.numValues = numValues;
  return dims;
}
