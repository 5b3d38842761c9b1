//===- SimTargetTest.cpp - scheduled kernels on the simulator -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Runs hand-written scheduled kernels on the SIM device: what groups share,
/// and mistakes in kernels that the simulator finds.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/Target/All/AllTargets.h"
#include "mlir/Parser/Parser.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <numeric>

using namespace mlir;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using tinygrad::Device;
using tinygrad::LaunchDims;

namespace {
using Numbers = std::vector<float>;

/// Compiles the kernel `k` for a GPU with subgroups of 32 items, and launches
/// it. The buffers are of f32; they hold the results afterwards.
class SimTarget : public ::testing::Test {
protected:
  void run(StringRef text, std::vector<Numbers *> buffers) {
    std::string error;
    const tg::Target *target = tg::lookupTarget("sim:sm_90", error);
    ASSERT_TRUE(target) << error;
    DialectRegistry registry;
    registry.insert<tg::TgDialect>();
    target->registerDialects(registry);
    MLIRContext context(registry);
    auto module = parseSourceString<ModuleOp>(text, ParserConfig(&context));
    ASSERT_TRUE(module);
    auto kernel = *module->getOps<tg::KernelOp>().begin();
    tg::CompileFlags flags;
    flags.verifyEach = true;
    FailureOr<std::vector<char>> code = target->compile(kernel, flags);
    ASSERT_TRUE(succeeded(code));

    const tg::LaunchShape shape = target->getLaunch(kernel);
    LaunchDims dims;
    for (size_t i = 0; i < 3; ++i)
      dims.groups[i] = *shape.groups[i].getStatic();
    dims.groupSize = shape.groupSize;
    dims.sharedBytes = *shape.sharedBytes.getStatic();
    dims.numBuffers = buffers.size();
    Device &device = Device::get("SIM");
    tinygrad::Kernel loaded(
        device.loadProgram(code->data(), code->size(), "sim"), "k");
    std::vector<void *> addresses;
    for (Numbers *buffer : buffers)
      addresses.push_back(buffer->data());
    device.launch(loaded, addresses.data(), nullptr, dims);
  }

  static Numbers counting(size_t size) {
    Numbers numbers(size);
    std::iota(numbers.begin(), numbers.end(), 0.0f);
    return numbers;
  }
};
} // namespace

/// Each item writes its own element of the tile and reads another one's.
TEST_F(SimTarget, TilesOfGroups) {
  Numbers out(64), a = counting(64);
  run(R"(
    tg.kernel @k(%out: memref<64xf32>, %a: memref<64xf32>) attributes {outputs = 1 : i64} {
      %g = tg.range 0 global 4
      %i = tg.range 1 local 16
      %n = tg.const(16 : index) : index
      %row = tg.mul %g, %n : index
      %at = tg.add %row, %i : index
      %x = tg.load %a[%at] : memref<64xf32>
      %t = tg.stage %x over %i in group : memref<16xf32>
      %b = tg.barrier %t : memref<16xf32>
      %last = tg.const(15 : index) : index
      %other = tg.sub %last, %i : index
      %y = tg.load %b[%other] : memref<16xf32>
      tg.store %y, %out[%at] : memref<64xf32>
    })",
      {&out, &a});
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ(out[i], float(i / 16 * 16 + 15 - i % 16)) << i;
}

/// The tile is filled again in each iteration of a loop.
TEST_F(SimTarget, TilesInLoops) {
  Numbers out(16), a = counting(64);
  run(R"(
    tg.kernel @k(%out: memref<16xf32>, %a: memref<64xf32>) attributes {outputs = 1 : i64} {
      %i = tg.range 0 local 16
      %k = tg.range 1 loop 4
      %j = tg.range 2 local 16
      %m = tg.range 3 loop 16
      %n = tg.const(16 : index) : index
      %row = tg.mul %k, %n : index
      %at = tg.add %row, %j : index
      %x = tg.load %a[%at] : memref<64xf32>
      %t = tg.stage %x over %j in group : memref<16xf32>
      %b = tg.barrier %t : memref<16xf32>
      %y = tg.load %b[%m] : memref<16xf32>
      %c = tg.cast %i : index -> i32
      %f = tg.cast %c : i32 -> f32
      %z = tg.mul %y, %f : f32
      %s = tg.ranged_reduce add %z over %k, %m : f32
      tg.store %s, %out[%i] : memref<16xf32>
    })",
      {&out, &a});
  for (int i = 0; i < 16; ++i)
    EXPECT_EQ(out[i], float(i * 64 * 63 / 2)) << i;
}

/// Sums of rows by 8 items (in a subgroup), 64 (of two), and 12 (no power of
/// two, not exchanged in registers).
TEST_F(SimTarget, Reductions) {
  for (int items : {8, 64, 12}) {
    SCOPED_TRACE(items);
    const int rows = 4, size = rows * items;
    Numbers out(rows), a = counting(size);
    std::string text = R"(
      tg.kernel @k(%out: memref<4xf32>, %a: memref<SIZExf32>) attributes {outputs = 1 : i64} {
        %i = tg.range 0 local 2
        %u = tg.range 1 unroll 2
        %k = tg.range 2 group_reduce ITEMS
        %c2 = tg.const(2 : index) : index
        %n = tg.const(ITEMS : index) : index
        %0 = tg.mul %i, %c2 : index
        %1 = tg.add %0, %u : index
        %2 = tg.mul %1, %n : index
        %3 = tg.add %2, %k : index
        %x = tg.load %a[%3] : memref<SIZExf32>
        %s = tg.ranged_reduce add %x over %k : f32
        tg.store %s, %out[%1] : memref<4xf32>
      })";
    auto set = [&](const std::string &what, int number) {
      for (size_t at; (at = text.find(what)) != std::string::npos;)
        text.replace(at, what.size(), std::to_string(number));
    };
    set("SIZE", size);
    set("ITEMS", items);
    run(text, {&out, &a});
    for (int i = 0; i < rows; ++i)
      EXPECT_EQ(out[i], float(items * (2 * i * items + items - 1) / 2)) << i;
  }
}

/// All items get the result of a reduction, also one along the outer axis.
TEST_F(SimTarget, ReductionsAlongTheOuterAxis) {
  Numbers out(32), a = counting(32);
  run(R"(
    tg.kernel @k(%out: memref<32xf32>, %a: memref<32xf32>) attributes {outputs = 1 : i64} {
      %r = tg.range 0 local 4
      %k = tg.range 1 group_reduce 4
      %i = tg.range 2 local 8
      %c8 = tg.const(8 : index) : index
      %0 = tg.mul %k, %c8 : index
      %1 = tg.add %0, %i : index
      %x = tg.load %a[%1] : memref<32xf32>
      %m = tg.ranged_reduce max %x over %k : f32
      %2 = tg.mul %r, %c8 : index
      %3 = tg.add %2, %i : index
      %y = tg.load %a[%3] : memref<32xf32>
      %z = tg.sub %y, %m : f32
      tg.store %z, %out[%3] : memref<32xf32>
    })",
      {&out, &a});
  for (int i = 0; i < 32; ++i)
    EXPECT_EQ(out[i], float(i - (24 + i % 8))) << i;
}

/// Lanes, masks, unrolled copies and an update in place.
TEST_F(SimTarget, LanesAndUpdates) {
  Numbers out{1, 2, 3, 4}, a = counting(20);
  run(R"(
    tg.kernel @k(%out: memref<4xf32>, %a: memref<20xf32>) attributes {in_place, outputs = 1 : i64} {
      %i = tg.range 0 local 2
      %u = tg.range 1 unroll 2
      %j = tg.range 2 loop 3
      %l = tg.range 3 upcast 2
      %two = tg.const(2 : index) : index
      %five = tg.const(5 : index) : index
      %first = tg.mul %i, %two : index
      %to = tg.add %first, %u : index
      %pair = tg.mul %j, %two : index
      %column = tg.add %pair, %l : index
      %inside = tg.cmplt %column, %five : index
      %row = tg.mul %to, %five : index
      %at = tg.add %row, %column : index
      %x = tg.load %a[%at] mask %inside : memref<20xf32>
      %s = tg.ranged_reduce add %x over %j, %l : f32
      tg.store %s, %out[%to] update add : memref<4xf32>
    })",
      {&out, &a});
  EXPECT_THAT(out, ElementsAre(11, 37, 63, 89));
}

/// Items that write one element without a reason are found.
TEST_F(SimTarget, RacesAreErrors) {
  Numbers out(16), a = counting(16);
  try {
    run(R"(
      tg.kernel @k(%out: memref<16xf32>, %a: memref<16xf32>) attributes {outputs = 1 : i64} {
        %i = tg.range 0 local 16
        %x = tg.load %a[%i] : memref<16xf32>
        %c2 = tg.const(2 : index) : index
        %half = tg.floordiv %i, %c2 : index
        tg.store %x, %out[%half] : memref<16xf32>
      })",
        {&out, &a});
    FAIL();
  } catch (const tinygrad::DeviceError &error) {
    EXPECT_THAT(error.what(), HasSubstr("kernel k: race: work item (1, 0, 0)"));
  }
}

TEST_F(SimTarget, AccessesOutsideOfBuffersAreErrors) {
  Numbers out(16), a = counting(16);
  try {
    run(R"(
      tg.kernel @k(%out: memref<16xf32>, %a: memref<16xf32>) attributes {outputs = 1 : i64} {
        %i = tg.range 0 local 16
        %x = tg.load %a[%i] : memref<16xf32>
        %n = tg.cast %x : f32 -> i32
        %c = tg.cast %n : i32 -> index
        %at = tg.add %i, %c : index
        %y = tg.load %a[%at] : memref<16xf32>
        tg.store %y, %out[%i] : memref<16xf32>
      })",
        {&out, &a});
    FAIL();
  } catch (const tinygrad::IndexError &error) {
    EXPECT_THAT(error.what(), HasSubstr("element 16 of buffer 1"));
  }
}
