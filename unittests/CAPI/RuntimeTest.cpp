//===- RuntimeTest.cpp - dtypes, devices and buffers of the C API ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Element types, devices, buffers, and the errors of each.
///
//===----------------------------------------------------------------------===//

#include "CError.h"
#include "mlir-c/BuiltinTypes.h"

#include <gmock/gmock.h>

#include <array>
#include <cstdint>
#include <string>

using namespace tinygrad::test;
using ::testing::AllOf;
using ::testing::HasSubstr;

namespace {

TEST(CRuntime, DTypes) {
  EXPECT_EQ(tinygradDTypeGetSize(TinyGradDTypeFloat64), 8u);
  EXPECT_EQ(tinygradDTypeGetSize(TinyGradDTypeNone), 0u);
  EXPECT_STREQ(tinygradDTypeGetName(TinyGradDTypeFloat16), "float16");
  EXPECT_STREQ(tinygradDTypeGetName(TinyGradDTypeNone), "none");
  EXPECT_STREQ(tinygradDTypeGetName(TinyGradDType(17)), "none");
  MlirContext context = mlirContextCreate();
  for (int i = TinyGradDTypeBool; i <= TinyGradDTypeFloat64; ++i) {
    const auto dtype = TinyGradDType(i);
    EXPECT_EQ(tinygradDTypeFromElementType(
                  tinygradDTypeGetElementType(context, dtype)),
              dtype);
  }
  EXPECT_TRUE(
      mlirTypeIsNull(tinygradDTypeGetElementType(context, TinyGradDTypeNone)));
  EXPECT_EQ(tinygradDTypeFromElementType(mlirNoneTypeGet(context)),
            TinyGradDTypeNone);
  EXPECT_EQ(tinygradDTypeFromElementType({nullptr}), TinyGradDTypeNone);
  mlirContextDestroy(context);
}

TEST(CRuntime, NoError) {
  EXPECT_EQ(tinygradErrorGetCode(nullptr), TinyGradErrorNone);
  EXPECT_STREQ(tinygradErrorGetMessage(nullptr), "");
  tinygradErrorDestroy(nullptr);
}

TEST(CRuntime, Devices) {
  TinyGradDevice *cpu = getDevice("cpu:0");
  EXPECT_STREQ(tinygradDeviceGetName(cpu), "CPU");
  EXPECT_TRUE(tinygradDeviceIsHostVisible(cpu));
  EXPECT_OK(tinygradDeviceSynchronize(cpu));
  EXPECT_NE(getDevice(nullptr), nullptr);

  TinyGradDevice *device = cpu;
  EXPECT_ERROR(tinygradDeviceGet("abacus", &device), TinyGradErrorDevice,
               AllOf(HasSubstr("abacus"), HasSubstr("CPU")));
  EXPECT_EQ(device, nullptr);
  EXPECT_ERROR(tinygradDeviceGet("CPU", nullptr), TinyGradErrorArgument,
               "the pointer to the device is null");
  EXPECT_ERROR(tinygradDeviceSynchronize(nullptr), TinyGradErrorArgument,
               "the device is null");
  EXPECT_EQ(tinygradDeviceGetName(nullptr), nullptr);
  EXPECT_FALSE(tinygradDeviceIsHostVisible(nullptr));
}

TEST(CRuntime, Buffers) {
  TinyGradDevice *cpu = getDevice("CPU");
  const std::array<int32_t, 4> data = {1, 2, 3, 4};
  TinyGradBuffer *buffer = nullptr, *view = nullptr;
  EXPECT_OK(tinygradBufferCreateFromHost(cpu, data.data(), sizeof(data),
                                         TinyGradDTypeInt32, &buffer));
  EXPECT_EQ(tinygradBufferGetSize(buffer), sizeof(data));
  EXPECT_EQ(tinygradBufferGetDType(buffer), TinyGradDTypeInt32);
  EXPECT_EQ(tinygradBufferGetDevice(buffer), cpu);
  EXPECT_OK(tinygradBufferCreateView(buffer, 8, 8, TinyGradDTypeNone, &view));
  // The view keeps the memory.
  tinygradBufferDestroy(buffer);
  EXPECT_EQ(tinygradBufferGetDType(view), TinyGradDTypeNone);
  const int32_t seven = 7;
  EXPECT_OK(tinygradBufferCopyIn(view, &seven, sizeof(seven)));
  EXPECT_EQ(static_cast<int32_t *>(tinygradBufferGetAddress(view))[0], 7);
  std::array<int32_t, 2> out = {};
  EXPECT_OK(tinygradBufferCopyOut(view, out.data(), sizeof(out)));
  EXPECT_EQ(out, (std::array<int32_t, 2>{7, 4}));

  TinyGradBuffer *other = view;
  EXPECT_ERROR(tinygradBufferCreateView(view, 4, 8, TinyGradDTypeNone, &other),
               TinyGradErrorIndex, HasSubstr("8 bytes"));
  EXPECT_EQ(other, nullptr);
  EXPECT_ERROR(tinygradBufferCopyIn(view, data.data(), sizeof(data)),
               TinyGradErrorIndex, HasSubstr("16 bytes"));
  EXPECT_ERROR(tinygradBufferCopyOut(view, out.data(), 9), TinyGradErrorIndex,
               HasSubstr("9 bytes"));
  tinygradBufferDestroy(view);
}

TEST(CRuntime, ExternalBuffers) {
  std::array<float, 4> data = {};
  int numReleases = 0;
  auto release = [](void *count) { ++*static_cast<int *>(count); };
  TinyGradBuffer *buffer = nullptr, *view = nullptr;
  EXPECT_OK(tinygradBufferCreateExternal(getDevice("CPU"), data.data(),
                                         sizeof(data), TinyGradDTypeFloat32,
                                         release, &numReleases, &buffer));
  EXPECT_EQ(tinygradBufferGetAddress(buffer), data.data());
  EXPECT_OK(
      tinygradBufferCreateView(buffer, 4, 4, TinyGradDTypeFloat32, &view));
  tinygradBufferDestroy(buffer);
  EXPECT_EQ(numReleases, 0);
  tinygradBufferDestroy(view);
  EXPECT_EQ(numReleases, 1);

  // A device that does not use the host's memory.
  EXPECT_ERROR(tinygradBufferCreateExternal(getDevice("NULL"), data.data(),
                                            sizeof(data), TinyGradDTypeFloat32,
                                            release, &numReleases, &buffer),
               TinyGradErrorDevice, HasSubstr("cannot use host memory"));
  EXPECT_EQ(numReleases, 1);
  EXPECT_OK(
      tinygradBufferCreate(getDevice("NULL"), 16, TinyGradDTypeNone, &buffer));
  EXPECT_EQ(tinygradBufferGetAddress(buffer), nullptr);
  tinygradBufferDestroy(buffer);
}

TEST(CRuntime, BufferArguments) {
  TinyGradDevice *cpu = getDevice("CPU");
  TinyGradBuffer *buffer = nullptr;
  EXPECT_ERROR(tinygradBufferCreate(nullptr, 4, TinyGradDTypeNone, &buffer),
               TinyGradErrorArgument, "the device is null");
  EXPECT_ERROR(tinygradBufferCreate(cpu, 4, TinyGradDTypeNone, nullptr),
               TinyGradErrorArgument, "the pointer to the buffer is null");
  EXPECT_ERROR(tinygradBufferCreate(cpu, 4, TinyGradDType(17), &buffer),
               TinyGradErrorArgument, "17 is not a dtype");
  EXPECT_ERROR(
      tinygradBufferCreateFromHost(cpu, nullptr, 4, TinyGradDTypeNone, &buffer),
      TinyGradErrorArgument, "the host's memory is null");
  EXPECT_ERROR(tinygradBufferCopyIn(nullptr, nullptr, 0), TinyGradErrorArgument,
               "the buffer is null");
  EXPECT_ERROR(tinygradBufferCopyOut(nullptr, nullptr, 0),
               TinyGradErrorArgument, "the buffer is null");
  EXPECT_EQ(tinygradBufferGetSize(nullptr), 0u);
  EXPECT_EQ(tinygradBufferGetAddress(nullptr), nullptr);
  EXPECT_EQ(tinygradBufferGetDevice(nullptr), nullptr);
  tinygradBufferDestroy(nullptr);
}

TEST(CRuntime, OutOfMemory) {
  TinyGradBuffer *buffer = nullptr;
  EXPECT_ERROR(tinygradBufferCreate(getDevice("CPU"), size_t(1) << 60,
                                    TinyGradDTypeNone, &buffer),
               TinyGradErrorOutOfMemory, HasSubstr("CPU"));
}

} // namespace
