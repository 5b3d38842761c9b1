//===- BufferTest.cpp - buffers -------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Ownership, views, external memory, copies.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Runtime/Buffer.h"
#include "TestKernels.h"
#include "TinyGrad/Runtime/BufferObserver.h"
#include "TinyGrad/Runtime/Counters.h"
#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/Runtime/Error.h"

#include <gmock/gmock.h>

#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

using namespace tinygrad;
using namespace tinygrad::testing;
using ::testing::HasSubstr;

TEST(Buffer, freesWithTheLastHandle) {
  Device &cpu = Device::get("CPU");
  const std::size_t before = cpu.memory().bytesInUse();
  {
    Buffer buffer = Buffer::allocate(cpu, 100, DType::Float32);
    EXPECT_EQ(buffer.size(), 100u);
    EXPECT_EQ(&buffer.device(), &cpu);
    EXPECT_EQ(buffer.dtype(), DType::Float32);
    EXPECT_EQ(cpu.memory().bytesInUse(), before + 100);
    Buffer view = buffer.view(40, 20);
    EXPECT_EQ(view.useCount(), 2);
    EXPECT_EQ(view.offset(), 40u);
    EXPECT_EQ(view.view(4, 8).offset(), 44u);
    EXPECT_TRUE(view.sharesMemoryWith(buffer));
    buffer = Buffer();
    EXPECT_FALSE(bool(buffer));
    EXPECT_EQ(cpu.memory().bytesInUse(), before + 100);
  }
  EXPECT_EQ(cpu.memory().bytesInUse(), before);
}

TEST(Buffer, viewsSeeThePart) {
  std::vector<int32_t> data(10);
  std::iota(data.begin(), data.end(), 0);
  Buffer buffer = Buffer::fromHost(Device::get("CPU"), data.data(), 40);
  int32_t part[3];
  buffer.view(8, 12).copyOut(part, 12);
  EXPECT_EQ(part[0], 2);
  EXPECT_EQ(part[2], 4);
}

TEST(BufferObserver, keepsMemoryWithoutBeingCounted) {
  Device &cpu = Device::get("CPU");
  const std::size_t before = cpu.memory().bytesInUse();
  {
    Buffer buffer = Buffer::allocate(cpu, 100);
    Buffer other = Buffer::allocate(cpu, 100);
    const BufferObserver first(buffer), second(buffer.view(40, 20));
    const BufferObserver copy = second; // NOLINT
    EXPECT_EQ(BufferObserver::countUsers(buffer), 1);
    EXPECT_EQ(BufferObserver::countUsers(other), 1);
    {
      const Buffer view = buffer.view(0, 4);
      EXPECT_EQ(BufferObserver::countUsers(buffer), 2);
      EXPECT_EQ(BufferObserver::countUsers(view), 2);
    }
    buffer = Buffer();
    EXPECT_EQ(BufferObserver::countUsers(copy.buffer()), 0);
    EXPECT_EQ(cpu.memory().bytesInUse(), before + 200);
  }
  EXPECT_EQ(cpu.memory().bytesInUse(), before);
  EXPECT_FALSE(bool(BufferObserver().buffer()));
  EXPECT_EQ(BufferObserver::countUsers(Buffer()), 0);
}

TEST(BufferObserver, memoriesAtOneAddressAreToldApart) {
  char bytes[64];
  Device &cpu = Device::get("CPU");
  const Buffer a = Buffer::external(cpu, bytes, 64, [] {});
  const Buffer b = Buffer::external(cpu, bytes, 64, [] {});
  const BufferObserver observer(a);
  EXPECT_EQ(BufferObserver::countUsers(a), 1);
  EXPECT_EQ(BufferObserver::countUsers(b), 1);
  const Buffer another = b; // NOLINT
  EXPECT_EQ(BufferObserver::countUsers(b), 2);
}

TEST(Buffer, boundsAreChecked) {
  Buffer buffer = Buffer::allocate(Device::get("CPU"), 16);
  EXPECT_THAT(messageOf<IndexError>([&] { buffer.view(8, 9); }),
              HasSubstr("buffer of 16 bytes"));
  EXPECT_THROW(buffer.view(17, 0), IndexError);
  EXPECT_THROW(buffer.view(8, SIZE_MAX), IndexError);
  EXPECT_EQ(buffer.view(16, 0).size(), 0u);
  char byte = 0;
  EXPECT_THROW(buffer.copyIn(&byte, 17), IndexError);
  EXPECT_THROW(buffer.copyOut(&byte, 17), IndexError);
  EXPECT_THROW(Buffer().device(), DeviceError);
  EXPECT_THROW(Buffer().copyIn(&byte, 1), IndexError);
}

TEST(Buffer, externalMemoryIsUsedInPlaceAndReleasedOnce) {
  Device &cpu = Device::get("CPU");
  const int64_t usedBefore = GlobalCounters::memUsed;
  int32_t data[4] = {1, 2, 3, 4};
  int released = 0;
  {
    Buffer buffer =
        Buffer::external(cpu, data, sizeof(data), [&] { ++released; });
    EXPECT_EQ(buffer.address(), data);
    EXPECT_EQ(GlobalCounters::memUsed, usedBefore);
    const int32_t seven = 7;
    Buffer view = buffer.view(4, 4);
    view.copyIn(&seven, 4);
    EXPECT_EQ(data[1], 7);
    buffer = Buffer();
    EXPECT_EQ(released, 0);
  }
  EXPECT_EQ(released, 1);
  Buffer::external(cpu, data, sizeof(data), nullptr);
}

TEST(Buffer, devicesThatCannotUseHostMemorySaySo) {
  int data = 0;
  bool released = false;
  EXPECT_THAT(messageOf<DeviceError>([&] {
                Buffer::external(Device::get("NULL"), &data, sizeof(data),
                                 [&] { released = true; });
              }),
              HasSubstr("NULL"));
  EXPECT_FALSE(released);
}

TEST(Buffer, nullIsNoHostMemory) {
  Device &cpu = Device::get("CPU");
  bool released = false;
  EXPECT_EQ(messageOf<DeviceError>([&] {
              Buffer::external(cpu, nullptr, 16, [&] { released = true; });
            }),
            "there are no 16 bytes of host memory at a null pointer");
  EXPECT_FALSE(released);
  EXPECT_EQ(Buffer::external(cpu, nullptr, 0, nullptr).size(), 0u);
}

TEST(Buffer, copiesBetweenDevices) {
  int32_t data[4] = {1, 2, 3, 4}, back[4] = {};
  Device &cpu = Device::get("CPU");
  Buffer here = Buffer::fromHost(cpu, data, sizeof(data), DType::Int32);
  Buffer there = here.copyTo(Device::get("CPU:1"));
  EXPECT_EQ(there.device().name(), "CPU:1");
  EXPECT_EQ(there.dtype(), DType::Int32);
  EXPECT_FALSE(there.sharesMemoryWith(here));
  there.copyOut(back, sizeof(back));
  EXPECT_EQ(std::memcmp(data, back, sizeof(data)), 0);
  // The null device returns zeros.
  here.copyTo(Device::get("NULL")).copyTo(cpu).copyOut(back, sizeof(back));
  EXPECT_EQ(back[3], 0);
}

TEST(Buffer, absurdSizesAreRefused) {
  const std::string message = messageOf<OutOfMemoryError>(
      [] { Buffer::allocate(Device::get("CPU"), std::size_t(1) << 50); });
  EXPECT_THAT(message, HasSubstr("out of memory on CPU"));
  EXPECT_THAT(message, HasSubstr("1125899906842624 bytes asked for"));
  EXPECT_THAT(message, HasSubstr("available"));
  EXPECT_THROW(Buffer::allocate(Device::get("CPU"), SIZE_MAX),
               OutOfMemoryError);
}

// Each block by itself seems to fit, since untouched memory is not in use yet.
TEST(Buffer, promisesBeyondTheMachineAreRefused) {
  Device &cpu = Device::get("CPU");
  const std::size_t total = cpu.information().totalMemory;
  if (total == 0 || total > std::size_t(1) << 45)
    GTEST_SKIP() << "the limit of this machine is not known";
  std::vector<Buffer> blocks;
  EXPECT_THROW(
      {
        for (int i = 0; i < 20; ++i)
          blocks.push_back(Buffer::allocate(cpu, total / 8));
      },
      OutOfMemoryError);
  EXPECT_LE(blocks.size(), 8u);
  blocks.clear();
  cpu.memory().releaseCached();
}
