//===- GPUErrorTest.cpp - errors of GPUs' drivers -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What users are told when a driver is missing or too old, when a module does
/// not load, and when a device is lost.
///
//===----------------------------------------------------------------------===//

#include "MockTest.h"
#include "TestKernels.h"
#include "TinyGrad/Runtime/Artifact.h"
#include "TinyGrad/Runtime/Environment.h"
#include "TinyGrad/Runtime/Error.h"

#include <gmock/gmock.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <utility>

using namespace tinygrad;
using namespace tinygrad::testing;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {
class GPUErrors : public MockTest {};

/// Opening a driver, which a process does once: each test is a new process.
class GPUDrivers : public MockTest {
protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  /// Prints what happens when the device is asked for by name, and which one
  /// is the default.
  [[noreturn]] static void report(const std::string &wanted) {
    std::string text;
    try {
      text = "opened " + Device::get(wanted).information().target;
    } catch (const DeviceError &error) {
      text = error.what();
    }
    Context unset({{"DEV", ""}});
    text += " | default " + Device::getDefault().name();
    std::fprintf(stderr, "%s\n", text.c_str());
    std::fflush(stderr);
    std::_Exit(0);
  }
  /// The other kind of device has none.
  void hideOther() const {
    ::setenv(isCuda() ? "HIPLIB" : "CUDALIB", "/no/such/library.so", 1);
  }
};
} // namespace

#define EXPECT_REPORT(SETTINGS, WANTED, PATTERN)                               \
  EXPECT_EXIT(                                                                 \
      {                                                                        \
        SETTINGS;                                                              \
        report(WANTED);                                                        \
      },                                                                       \
      ::testing::ExitedWithCode(0), PATTERN)

INSTANTIATE_TEST_SUITE_P(Mock, GPUErrors, ::testing::Values("CUDA", "AMD"),
                         [](const auto &info) { return info.param; });
INSTANTIATE_TEST_SUITE_P(Mock, GPUDrivers, ::testing::Values("CUDA", "AMD"),
                         [](const auto &info) { return info.param; });

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

TEST_P(GPUDrivers, noLibrary) {
  EXPECT_REPORT(
      {
        hideOther();
        ::setenv(isCuda() ? "CUDALIB" : "HIPLIB", "/no/libdriver.so", 1);
      },
      GetParam(),
      "there is no " + GetParam() +
          " device: the driver's library cannot be opened \\(/no/libdriver.so.*"
          "\\) \\| default CPU");
}

TEST_P(GPUDrivers, anotherLibrary) {
  // One that has no such functions.
  EXPECT_REPORT(
      {
        hideOther();
        ::setenv(isCuda() ? "CUDALIB" : "HIPLIB", "libm.so.6", 1);
      },
      GetParam(),
      "there is no " + GetParam() +
          " device: the driver's library libm.so.6 has no function " +
          either("cuGetErrorName", "hipInit") + " \\| default CPU");
}

TEST_P(GPUDrivers, noDevice) {
  EXPECT_REPORT(
      {
        hideOther();
        ::setenv("MOCK_DEVICES", "0", 1);
      },
      GetParam(),
      "there is no " + GetParam() +
          " device: the driver has found no GPU \\| default CPU");
}

TEST_P(GPUDrivers, oldDriver) {
  EXPECT_REPORT(
      {
        hideOther();
        ::setenv("MOCK_VERSION", isCuda() ? "11020" : "50300001", 1);
      },
      GetParam(),
      "there is no " + GetParam() + " device: the driver is too old: it " +
          either("supports CUDA 11.2, and 11.8 is needed",
                 "supports HIP 5.3, and 5.4 is needed") +
          " \\| default CPU");
}

TEST_P(GPUDrivers, failingDriver) {
  EXPECT_REPORT(
      {
        hideOther();
        ::setenv("MOCK_FAIL", isCuda() ? "cuInit=803" : "hipInit=3", 1);
      },
      GetParam(),
      "there is no " + GetParam() + " device: " +
          either("cuInit: CUDA error 803", "hipInit: HIP error 3") +
          " \\| default CPU");
}

TEST_P(GPUDrivers, deviceThatCannotBeOpened) {
  // It is there, and so is no default device.
  EXPECT_REPORT(
      {
        hideOther();
        ::setenv("MOCK_FAIL",
                 isCuda() ? "cuDevicePrimaryCtxRetain=2"
                          : "hipStreamCreateWithFlags=2",
                 1);
      },
      GetParam(),
      either("cuDevicePrimaryCtxRetain: CUDA_ERROR_OUT_OF_MEMORY",
             "hipStreamCreateWithFlags: hipErrorOutOfMemory") +
          ".* \\| default CPU");
}

TEST_P(GPUDrivers, missingDeviceOfSeveral) {
  EXPECT_REPORT(
      {
        hideOther();
        ::setenv("MOCK_DEVICES", "2", 1);
      },
      GetParam() + ":7",
      "there is no device " + GetParam() + ":7: 2 of kind " + GetParam() +
          " present: " + GetParam() + " \\(Mock GPU\\), " + GetParam() +
          ":1 \\(Mock GPU\\) \\| default " + GetParam());
}

TEST_P(GPUDrivers, unknownArchitecture) {
  // NVIDIA's GPUs run code for older ones.
  EXPECT_REPORT(
      {
        hideOther();
        ::setenv("MOCK_CHIP", isCuda() ? "104" : "gfx906:xnack-", 1);
      },
      GetParam(),
      either("opened cuda:sm_103 \\| default CUDA",
             "AMD:0 \\(Mock GPU\\) is gfx906, for which there is no code "
             "generator; there is one for gfx90a gfx942 .* \\| default CPU"));
  EXPECT_REPORT(
      {
        hideOther();
        ::setenv("MOCK_CHIP", isCuda() ? "61" : "gfx1100", 1);
      },
      GetParam(),
      either("is sm_61, for which there is no code generator; there is one for "
             "sm_70 "
             ".* sm_103.* \\| default CPU",
             "opened amd:gfx1100 \\| default AMD"));
}

TEST_P(GPUDrivers, codeForAnotherCapability) {
  if (!isCuda())
    GTEST_SKIP() << "AMD's GPUs run code for their own architecture only";
  auto link = [](const char *architecture) {
    Artifact artifact;
    artifact.origin = "net.tga";
    artifact.target = std::string("cuda:") + architecture;
    artifact.deviceKind = "CUDA";
    artifact.architecture = architecture;
    return messageOf<DeviceError>([&] { artifact.link(Device::get("CUDA")); });
  };
  auto report = [&] {
    ::setenv("MOCK_CHIP", "103", 1);
    std::fputs(link("sm_90a").c_str(), stderr);
    // Later GPUs run code without operations of its own.
    Artifact artifact;
    artifact.deviceKind = "CUDA";
    artifact.architecture = "sm_90";
    artifact.link(Device::get("CUDA"));
    std::_Exit(0);
  };
  EXPECT_EXIT(report(), ::testing::ExitedWithCode(0),
              "net.tga, compiled for cuda:sm_90a, cannot be run: needs a GPU "
              "sm_90a \\(compute capability 9.0\\), but CUDA is sm_103");
}

TEST_P(GPUDrivers, cudaIsPreferred) {
  EXPECT_REPORT({}, GetParam(), "opened .* \\| default CUDA");
}

TEST_P(GPUDrivers, driverWithoutGraphs) {
  if (!isCuda())
    GTEST_SKIP() << "there is one such mock";
  auto run = [] {
    ::setenv("CUDALIB", MOCK_CUDA_WITHOUT_GRAPHS, 1);
    Device &device = Device::get("CUDA");
    const std::vector<char> code = mockModule(device, {"kernel count 1"});
    std::vector<Command> commands(2);
    commands[0].kernel = commands[1].kernel =
        Kernel(device.loadProgram(code.data(), code.size(), "mock"), "count");
    commands[0].buffers = commands[1].buffers = {0};
    commands[0].dims = commands[1].dims = dimsOf(1, 1, 0);
    std::unique_ptr<CommandList> list = device.capture(commands);
    int64_t value = 0;
    Buffer buffer = Buffer::fromHost(device, &value, 8);
    void *address = buffer.address();
    for (int i = 0; i < 4; ++i)
      list->replay(&address, nullptr);
    buffer.copyOut(&value, 8);
    std::fprintf(stderr, "counted %d\n", int(value));
    std::fflush(stderr);
    std::_Exit(0);
  };
  EXPECT_EXIT(run(), ::testing::ExitedWithCode(0), "counted 8");
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

TEST_P(GPUErrors, modulesThatDoNotLoad) {
  Device &device = get(0);
  auto message = [&](const std::string &code) {
    return messageOf<CompileError>(
        [&] { device.loadProgram(code.data(), code.size(), "some target"); });
  };
  EXPECT_THAT(message(""),
              HasSubstr("cannot load code for some target on " + GetParam()));
  EXPECT_THAT(message(""), HasSubstr(either("it is empty", "no code object")));
  const std::vector<char> module = mockModule(device, {"nonsense 1"});
  const std::string text = message({module.begin(), module.end()});
  EXPECT_THAT(text, HasSubstr(either("cuModuleLoadDataEx: "
                                     "CUDA_ERROR_INVALID_PTX",
                                     "hipModuleLoadData: "
                                     "hipErrorInvalidImage")));
  // What the compiler in CUDA's driver says.
  if (isCuda())
    EXPECT_THAT(text, HasSubstr("mock: unexpected line 'nonsense 1'"));
}

TEST_P(GPUErrors, codeThatIsNewerThanTheDriver) {
  if (!isCuda())
    GTEST_SKIP() << "code objects have no such version";
  Device &device = get(0);
  auto message = [&](const std::string &code) {
    control->fail("cuModuleLoadDataEx", 222);
    return messageOf<CompileError>(
        [&] { device.loadProgram(code.data(), code.size(), "cuda:sm_90"); });
  };
  const std::string start = "cannot load code for cuda:sm_90 on CUDA: "
                            "cuModuleLoadDataEx: "
                            "CUDA_ERROR_UNSUPPORTED_PTX_VERSION (an error of "
                            "the mock)\n";
  EXPECT_EQ(message("//\n.version 8.8\n.target sm_90\n"),
            start + "the code is PTX 8.8, which this driver, for CUDA 12.8, "
                    "does not know: a newer driver is needed");
  EXPECT_THAT(message("nothing"), HasSubstr("the code is PTX of no version"));
}

TEST_P(GPUErrors, artifactsForOtherGPUs) {
  Device &device = get(0);
  auto message = [&](const std::string &kind, const std::string &chip) {
    Artifact artifact;
    artifact.origin = "net.tga";
    artifact.target = kind + ":" + chip;
    artifact.deviceKind = kind;
    artifact.architecture = chip;
    return messageOf<DeviceError>([&] { artifact.link(device); });
  };
  const std::string other = either("AMD", "CUDA");
  EXPECT_EQ(message(other, "sm_90"),
            "net.tga, compiled for " + other +
                ":sm_90, cannot be run: runs on the device " + other +
                ", not on " + GetParam());
  // One that is newer than the mock, a sm_90 or gfx942.
  EXPECT_EQ(message(GetParam(), either("sm_100", "gfx950")),
            "net.tga, compiled for " +
                either("CUDA:sm_100, cannot be run: needs a GPU sm_100 or a "
                       "later one, but CUDA is sm_90",
                       "AMD:gfx950, cannot be run: needs a GPU gfx950, but AMD "
                       "is gfx942"));
  EXPECT_TRUE(
      logged(either("cuModuleLoadDataEx", "hipModuleLoadData")).empty());
}

TEST_P(GPUErrors, codeForOneCapability) {
  if (!isCuda())
    GTEST_SKIP() << "AMD's GPUs run code for their own architecture only";
  Device &device = get(0);
  // The mock has this one.
  Artifact artifact;
  artifact.target = "cuda:sm_90a";
  artifact.deviceKind = "CUDA";
  artifact.architecture = "sm_90a";
  EXPECT_NO_THROW(artifact.link(device));

  control->fail("cuModuleLoadDataEx", 218);
  const std::string code = "//\n.version 8.0\n.target sm_90a\n";
  EXPECT_EQ(messageOf<CompileError>([&] {
              device.loadProgram(code.data(), code.size(), "cuda:sm_90a");
            }),
            "cannot load code for cuda:sm_90a on CUDA: cuModuleLoadDataEx: "
            "CUDA_ERROR_INVALID_PTX (an error of the mock)\n"
            "code for sm_90a runs on GPUs of compute capability 9.0 only");
}

/// Numbers as eight bytes each, without zeros at the end, as PTX has them.
/// Others remain as they are.
static std::string bytesOf(const std::string &numbers) {
  std::istringstream words(numbers);
  std::string bytes, zeros;
  uint64_t number = 0;
  while (words >> number) {
    for (int i = 0; i < 8; ++i, number >>= 8) {
      zeros += (bytes.empty() && zeros.empty() ? "" : ", ") +
               std::to_string(number & 255);
      if ((number & 255) != 0)
        bytes += std::exchange(zeros, "");
    }
    words.ignore(1);
  }
  std::string rest;
  words.clear();
  return words >> rest ? bytes + ", " + rest : bytes;
}

/// Code of a kernel with a buffer, a value and tensor maps of the buffer, and
/// perhaps of one for GPUs that refuse a map.
static std::string codeWithMaps(const std::string &numbers,
                                bool hasOther = false) {
  const std::string other =
      ".visible .entry boxes_without_tensor_maps(\n"
      ".param .u64 .ptr .global .align 16 boxes_without_tensor_maps_param_0,\n"
      ".param .u64 boxes_without_tensor_maps_param_1\n)\n{\nret;\n}\n";
  return ".version 8.0\n.target sm_90a\n"
         ".visible .const .align 8 .b8 boxes_tensor_maps[56] = {" +
         bytesOf(numbers) +
         "};\n.visible .entry boxes(\n"
         ".param .u64 .ptr .global .align 16 boxes_param_0,\n"
         ".param .u64 boxes_param_1,\n"
         ".param .align 64 .b8 boxes_param_2[128]\n)\n{\nret;\n}\n" +
         (hasOther ? other : "");
}

TEST_P(GPUErrors, tensorMapsAreMadeByLaunches) {
  if (!isCuda())
    GTEST_SKIP() << "AMD's GPUs have none";
  Device &device = get(0);
  auto load = [&](const std::string &numbers) {
    const std::string code = codeWithMaps(numbers);
    return Kernel(device.loadProgram(code.data(), code.size(), "cuda:sm_90a"),
                  "boxes");
  };
  // 16 rows of 64 elements of 2 bytes, which are 160 bytes apart.
  Kernel kernel = load("0, 2, 64, 16, 160, 64, 8");
  Buffer buffer = upload(device, std::vector<int64_t>(320));
  const int64_t value = 5;
  auto launch = [&](const Kernel &launched, std::size_t offset) {
    void *address = static_cast<char *>(buffer.address()) + offset;
    device.launch(launched, &address, &value, dimsOf(1, 1, 1));
    device.synchronize();
  };
  control->takeLog();
  launch(kernel, 16);
  EXPECT_THAT(
      logged("map"),
      ::testing::ElementsAre("map of 16x64, rows 160 apart, boxes of 8x64"));
  launch(kernel, 0);
  EXPECT_EQ(logged("run").size(), 1u);

  EXPECT_EQ(messageOf<DeviceError>([&] { launch(kernel, 8); }),
            "kernel boxes cannot be launched on CUDA: the address of buffer 0, "
            "of which it copies boxes, is not a multiple of 16 bytes");
  EXPECT_EQ(
      messageOf<DeviceError>(
          [&] { launch(load("0, 2, 64, 16, 152, 64, 8"), 0); }),
      "kernel boxes cannot be launched on CUDA: the GPU does not take "
      "buffer 0 as 16 rows of 64 elements of 2 bytes, 152 bytes apart, in "
      "boxes of 8x64: cuTensorMapEncodeTiled: CUDA_ERROR_INVALID_VALUE "
      "(an error of the mock)");
  EXPECT_EQ(
      messageOf<DeviceError>(
          [&] { launch(load("3, 2, 64, 16, 160, 64, 8"), 0); }),
      "kernel boxes cannot be launched on CUDA: it copies boxes of buffer "
      "3, but has 1");
  for (const char *numbers :
       {"0, 2, x, 16, 160, 64, 8", "0, 2, 3, 4, 5, 6, 7, 8"})
    EXPECT_EQ(messageOf<CompileError>([&] { load(numbers); }),
              "the code of kernel 'boxes' does not describe its tensor maps");

  // In a graph, too, which is built at the second replay.
  std::vector<Command> commands(3);
  for (Command &command : commands) {
    command.kernel = kernel;
    command.buffers = {0};
    command.variables = {0};
    command.dims = dimsOf(1, 1, 1);
  }
  std::unique_ptr<CommandList> list = device.capture(commands);
  void *address = buffer.address();
  for (int i = 0; i < 3; ++i)
    list->replay(&address, &value);
  device.synchronize();
  EXPECT_EQ(logged("graph of 3").size(), 2u);
}

TEST_P(GPUErrors, refusedTensorMapsTakeOtherCode) {
  if (!isCuda())
    GTEST_SKIP() << "AMD's GPUs have none";
  Device &device = get(0);
  auto load = [&](const std::string &numbers) {
    const std::string code = codeWithMaps(numbers, /*hasOther=*/true);
    return Kernel(device.loadProgram(code.data(), code.size(), "cuda:sm_90a"),
                  "boxes");
  };
  Buffer buffer = upload(device, std::vector<int64_t>(320));
  const int64_t value = 5;
  LaunchDims dims = dimsOf(1, 1, 1);
  auto launch = [&](const Kernel &kernel, std::size_t offset) {
    void *address = static_cast<char *>(buffer.address()) + offset;
    device.launch(kernel, &address, &value, dims);
    device.synchronize();
  };
  using ::testing::ElementsAre;
  const auto other = HasSubstr("run boxes_without_tensor_maps 1"),
             same = HasSubstr("run boxes 1");
  // Maps that the GPU takes need no other code.
  const Kernel good = load("0, 2, 64, 16, 160, 64, 8");
  control->takeLog();
  launch(good, 0);
  EXPECT_THAT(logged("run"), ElementsAre(same));
  // One by one, as the driver refuses them: a distance of rows, a box that is
  // too high, a matrix that is not in the buffer, a driver without the
  // function.
  for (const char *numbers :
       {"0, 2, 64, 16, 152, 64, 8", "0, 2, 64, 16, 160, 64, 300",
        "0, 2, 64, 1600000, 160, 64, 8"}) {
    const Kernel kernel = load(numbers);
    control->takeLog();
    launch(kernel, 0);
    EXPECT_THAT(logged("run"), ElementsAre(other)) << numbers;
  }
  control->fail("cuTensorMapEncodeTiled", 801);
  launch(good, 0);
  EXPECT_THAT(logged("run"), ElementsAre(other));
  launch(good, 0);
  EXPECT_THAT(logged("run"), ElementsAre(same));
  // Neither takes such an address: both access 16 bytes at once.
  EXPECT_EQ(messageOf<DeviceError>([&] { launch(good, 8); }),
            "kernel boxes cannot be launched on CUDA: the address of buffer 0, "
            "of which it copies boxes, is not a multiple of 16 bytes");
  // The driver has to allow memory of groups for both.
  dims.sharedBytes = 100 << 10;
  const Kernel large = load("0, 2, 64, 16, 152, 64, 8");
  control->takeLog();
  launch(large, 0);
  EXPECT_EQ(logged("cuFuncSetAttribute").size(), 2u);
  dims.sharedBytes = 0;

  // In a graph, whose nodes change when what is refused does.
  const Kernel refused = load("0, 2, 64, 16, 152, 64, 8");
  std::vector<Command> commands(3);
  for (std::size_t i = 0; i < commands.size(); ++i) {
    commands[i].kernel = i == 1 ? refused : good;
    commands[i].buffers = {0};
    commands[i].variables = {0};
    commands[i].dims = dims;
  }
  std::unique_ptr<CommandList> list = device.capture(commands);
  void *address = buffer.address();
  for (int i = 0; i < 3; ++i) {
    control->takeLog();
    list->replay(&address, &value);
    device.synchronize();
    EXPECT_THAT(logged("run"), ElementsAre(same, other, same)) << i;
  }
}

// Groups that compute several blocks of results each: no more of them than the
// GPU has multiprocessors, alone and in a graph.
TEST_P(GPUErrors, anyNumberOfGroups) {
  if (!isCuda())
    GTEST_SKIP() << "AMD's GPUs have no such kernels";
  Device &device = get(0);
  auto load = [&](const std::string &mark) {
    const std::string code = codeWithMaps("0, 2, 64, 16, 160, 64, 8") + mark;
    return Kernel(device.loadProgram(code.data(), code.size(), "cuda:sm_90a"),
                  "boxes");
  };
  Buffer buffer = upload(device, std::vector<int64_t>(320));
  const int64_t value = 5;
  const std::string constant = ".visible .const .align 1 .b8 ";
  const struct {
    std::string mark;
    int64_t groups;
    const char *run;
  } cases[] = {
      {constant + "boxes_any_groups[1] = {1};\n", 1000, "run boxes 132 "},
      {constant + "boxes_any_groups[1] = {1};\n", 131, "run boxes 131 "},
      {constant + "other_boxes_any_groups[1] = {1};\n", 1000,
       "run boxes 1000 "},
      {"", 1000, "run boxes 1000 "}};
  for (const auto &[mark, groups, run] : cases) {
    Command command;
    command.kernel = load(mark);
    command.buffers = {0};
    command.variables = {0};
    command.dims = dimsOf(groups, 1, 1);
    void *address = buffer.address();
    control->takeLog();
    device.launch(command.kernel, &address, &value, command.dims);
    device.synchronize();
    EXPECT_THAT(logged("run"), ::testing::ElementsAre(HasSubstr(run))) << mark;
    std::unique_ptr<CommandList> list =
        device.capture(std::vector<Command>(3, command));
    control->takeLog();
    list->replay(&address, &value);
    device.synchronize();
    EXPECT_THAT(
        logged("run"),
        ::testing::ElementsAre(HasSubstr(run), HasSubstr(run), HasSubstr(run)))
        << mark;
  }
}

TEST_P(GPUErrors, codeForNewerGPUs) {
  if (!isCuda())
    GTEST_SKIP() << "AMD's GPUs run code for their own architecture only";
  Device &device = get(0);
  auto message = [&](const std::string &chip) {
    control->fail("cuModuleLoadDataEx", 209);
    const std::string code = "//\n.version 8.6\n.target " + chip + "\n";
    return messageOf<CompileError>([&] {
      device.loadProgram(code.data(), code.size(), "cuda:" + chip + ":tf32");
    });
  };
  EXPECT_EQ(message("sm_100"),
            "cannot load code for cuda:sm_100:tf32 on CUDA: "
            "cuModuleLoadDataEx: CUDA error 209\n"
            "code for sm_100 does not run on older GPUs, as this one, sm_90");
  EXPECT_THAT(message("sm_80"), Not(HasSubstr("older")));
}

TEST_P(GPUErrors, codeObjectsAreCheckedBeforeTheyAreLoaded) {
  if (isCuda())
    GTEST_SKIP() << "PTX is text";
  Device &device = get(0);
  std::vector<char> code = mockModule(device, {"kernel add 3"});
  auto message = [&] {
    return messageOf<CompileError>(
        [&] { device.loadProgram(code.data(), code.size(), "gfx942"); });
  };
  const std::vector<char> good = code;
  code[18] = 62; // EM_X86_64
  EXPECT_THAT(message(), HasSubstr("it is not for an AMD GPU"));
  code = good;
  code[40] = 100; // e_shoff, with a table behind the end
  code[58] = 64;
  code[60] = 3;
  EXPECT_THAT(message(), HasSubstr("it is cut off"));
  code = good;
  code[0] = 'x';
  EXPECT_THAT(message(), HasSubstr("it is no code object"));
  EXPECT_TRUE(logged("hipModuleLoadData").empty());
}

TEST_P(GPUErrors, realCodeObjectsPassTheCheck) {
  if (isCuda())
    GTEST_SKIP() << "PTX is text";
  Device &device = get(0);
  const std::vector<char> code = gpuTestKernels("gfx942");
  auto message = [&](std::size_t bytes) {
    return messageOf<CompileError>(
        [&] { device.loadProgram(code.data(), bytes, "gfx942"); });
  };
  // The mock does not know what they are.
  EXPECT_THAT(message(code.size()), HasSubstr("hipModuleLoadData"));
  for (const std::size_t bytes : {code.size() - 1, code.size() / 2})
    EXPECT_THAT(message(bytes), HasSubstr("it is cut off"));
}

TEST_P(GPUErrors, loadingRetriesWithoutCachedMemory) {
  Device &device = get(0);
  const std::string call = either("cuModuleLoadDataEx", "hipModuleLoadData");
  control->fail(call, 2);
  EXPECT_TRUE(bool(load(device, "count 1")));
  control->fail(call, 2, 0, 2);
  EXPECT_THAT(messageOf<OutOfMemoryError>([&] { load(device, "count 1"); }),
              HasSubstr(call));
}

TEST_P(GPUErrors, lookingUpRetriesWithoutCachedMemory) {
  Device &device = get(0);
  const std::string call =
      either("cuModuleGetFunction", "hipModuleGetFunction");
  control->fail(call, 2);
  EXPECT_TRUE(bool(load(device, "count 1")));
  control->fail(call, 2, 0, 2);
  EXPECT_THAT(messageOf<OutOfMemoryError>([&] { load(device, "count 1"); }),
              HasSubstr(call));
}

TEST_P(GPUErrors, missingKernelsAreNamed) {
  Device &device = get(0);
  const std::vector<char> code = mockModule(device, {"kernel add 3"});
  EXPECT_THAT(messageOf<CompileError>([&] {
                Kernel(device.loadProgram(code.data(), code.size(), "mock"),
                       "other");
              }),
              HasSubstr("no kernel 'other' on " + GetParam() + ": " +
                        either("cuModuleGetFunction: CUDA_ERROR_NOT_FOUND",
                               "hipModuleGetFunction: hipErrorNotFound")));
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

TEST_P(GPUErrors, errorsNameCallAndKernel) {
  Device &device = get(0);
  Kernel kernel = load(device, "recorded 0");
  auto launch = [&] {
    device.launch(kernel, nullptr, nullptr, dimsOf(1, 0, 0));
  };
  const std::string call = either("cuLaunchKernel", "hipModuleLaunchKernel");
  control->fail(call, 1);
  EXPECT_EQ(messageOf<DeviceError>(launch),
            "device " + GetParam() + ": " + call + ": " +
                either("CUDA_ERROR_INVALID_VALUE", "hipErrorInvalidValue") +
                " (an error of the mock), for the kernel recorded");
  // The device is still usable.
  launch();
  device.synchronize();
  const std::string copy = either("cuMemcpyDtoDAsync_v2", "hipMemcpyDtoDAsync");
  control->fail(copy, 1);
  Buffer buffer = upload(device, {1, 2});
  EXPECT_THAT(messageOf<DeviceError>([&] {
                device.copy(buffer.address(), buffer.view(8, 8).address(), 8);
              }),
              HasSubstr("device " + GetParam() + ": " + copy + ": "));
}

TEST_P(GPUErrors, aLostDeviceStaysLost) {
  Device &device = takeDevice(), &other = get(0);
  Kernel wild = load(device, "count 1"), fine = load(device, "recorded 0");
  Buffer buffer = upload(device, {1, 2, 3});
  std::unique_ptr<Event> before = device.record();
  device.launch(fine, nullptr, nullptr, dimsOf(1, 0, 0));
  device.synchronize();
  device.launch(fine, nullptr, nullptr, dimsOf(1, 0, 0));
  void *address = buffer.address();
  device.launch(wild, &address, nullptr, dimsOf(1000, 1, 0));
  const std::string message =
      messageOf<DeviceError>([&] { device.synchronize(); });
  EXPECT_THAT(message, HasSubstr("device " + device.name() + " is lost"));
  EXPECT_THAT(message, HasSubstr(either("cuStreamSynchronize: "
                                        "CUDA_ERROR_ILLEGAL_ADDRESS",
                                        "hipStreamSynchronize: "
                                        "hipErrorIllegalAddress")));
  // The launch before the last synchronization is not suspected.
  EXPECT_THAT(message, HasSubstr("; launched last: recorded, count"));
  EXPECT_THAT(message, Not(HasSubstr("recorded, recorded")));

  int64_t value = 0;
  const std::function<void()> calls[] = {
      [&] { device.synchronize(); },
      [&] { device.launch(fine, nullptr, nullptr, dimsOf(1, 0, 0)); },
      [&] { device.allocate(1 << 20); },
      [&] { buffer.copyIn(&value, 8); },
      [&] { buffer.copyOut(&value, 8); },
      [&] { device.copy(buffer.view(8, 8).address(), address, 8); },
      [&] { buffer.copyTo(other); },
      [&] { upload(other, {1, 2, 3}).copyTo(device); },
      [&] { buffer.copyTo(Device::get("CPU")); },
      [&] { load(device, "count 1"); },
      [&] { Kernel(wild.program(), "count2"); },
      [&] { device.record(); },
      [&] { device.secondsBetween(*before, *before); },
  };
  control->takeLog();
  for (const std::function<void()> &call : calls)
    EXPECT_EQ(messageOf<DeviceError>(call), message);
  // Freeing does not throw, and other devices go on.
  buffer = Buffer();
  device.memory().releaseCached();
  EXPECT_EQ(download(upload(other, {4, 5})), (std::vector<int64_t>{4, 5}));
}

TEST_P(GPUErrors, errorsOfTheQueueReachOtherCalls) {
  // Whatever waits first tells.
  const std::function<void(Device &, Buffer &)> calls[] = {
      [](Device &, Buffer &buffer) {
        int64_t value;
        buffer.copyOut(&value, 8);
      },
      [](Device &device, Buffer &) { device.allocate(1 << 20); },
  };
  for (std::size_t i = 0; i < std::size(calls); ++i) {
    Device &device = takeDevice();
    Buffer buffer = upload(device, {1});
    Kernel broken = load(device, "broken 0");
    device.launch(broken, nullptr, nullptr, dimsOf(1, 0, 0));
    if (i == 1)
      // A driver tells errors of the queue also where nothing waits.
      control->fail(either("cuMemAlloc_v2", "hipMalloc"), 719);
    EXPECT_THAT(messageOf<DeviceError>([&] { calls[i](device, buffer); }),
                HasSubstr("launched last: broken"));
  }
}
