//===- ProgramTest.cpp - compilation and runs of the C API ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Compiles and runs programs, with the host's memory and with buffers, and
/// makes every mistake that a caller can make.
///
//===----------------------------------------------------------------------===//

#include "CContext.h"
#include "CError.h"
#include "mlir-c/Diagnostics.h"
#include "mlir-c/Pass.h"

#include <gmock/gmock.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

using namespace tinygrad::test;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

/// Of each of n rows the sum of its elements times weights.
const char *const kRows = R"mlir(
#n = #tg.var<"n", 1, 4>
func.func @main(%x: tensor<?x2xf32, #tg.shape<#n, 2>>, %w: tensor<1x2xf32>)
    -> tensor<?x1xf32, #tg.shape<#n, 1>> {
  %0 = tg.expand %w : tensor<1x2xf32> -> tensor<?x2xf32, #tg.shape<#n, 2>>
  %1 = tg.mul %x, %0 : tensor<?x2xf32, #tg.shape<#n, 2>>
  %2 = tg.reduce add %1 axes [1] : tensor<?x2xf32, #tg.shape<#n, 2>>
      -> tensor<?x1xf32, #tg.shape<#n, 1>>
  return %2 : tensor<?x1xf32, #tg.shape<#n, 1>>
})mlir";

const char *const kAssign = R"mlir(
func.func @add_to(%x: tensor<2xi32>, %y: tensor<2xi32>) -> tensor<2xi32> {
  %0 = tg.add %x, %y : tensor<2xi32>
  %1 = tg.assign %x, %0 : tensor<2xi32>
  return %1 : tensor<2xi32>
})mlir";

class CProgram : public CContext {
protected:
  ~CProgram() override {
    tinygradProgramDestroy(program);
    tinygradCompileOptionsDestroy(options);
    if (!mlirModuleIsNull(module))
      mlirModuleDestroy(module);
  }

  void compile(const char *source, const char *device = "CPU") {
    module = parse(source);
    EXPECT_OK(
        tinygradProgramCompile(module, getDevice(device), options, &program));
  }

  void setEntry(const char *name) {
    if (!options)
      EXPECT_OK(tinygradCompileOptionsCreate(&options));
    EXPECT_OK(tinygradCompileOptionsSetEntry(options, name));
  }

  TinyGradError *run(const std::vector<TinyGradHostArray> &inputs,
                     const std::vector<int64_t> &values,
                     const std::vector<TinyGradHostArray> &outputs) {
    return tinygradProgramRunOnHost(program, intptr_t(inputs.size()),
                                    inputs.data(), intptr_t(values.size()),
                                    values.data(), intptr_t(outputs.size()),
                                    outputs.data());
  }

  MlirModule module = {nullptr};
  TinyGradCompileOptions *options = nullptr;
  TinyGradProgram *program = nullptr;
};

template <typename T, size_t size>
TinyGradHostArray array(std::array<T, size> &data, TinyGradDType dtype) {
  return {data.data(), sizeof(data), dtype};
}

TEST_F(CProgram, Artifact) {
  module = parse(kRows);
  TinyGradArtifact *artifact = nullptr, *loaded = nullptr;
  EXPECT_OK(tinygradArtifactCompile(module, "cpu", options, &artifact));
  EXPECT_STREQ(tinygradArtifactGetTarget(artifact), "cpu");
  const std::string path = ::testing::TempDir() + "tinygrad-capi-test-" +
                           std::to_string(::getpid()) + ".tga";
  EXPECT_OK(tinygradArtifactSave(artifact, path.c_str()));
  tinygradArtifactDestroy(artifact);
  EXPECT_OK(tinygradArtifactLoad(path.c_str(), &loaded));
  std::filesystem::remove(path);
  EXPECT_OK(tinygradArtifactLink(loaded, getDevice("CPU"), &program));
  TinyGradProgram *other = nullptr;
  EXPECT_ERROR(tinygradArtifactLink(loaded, nullptr, &other),
               TinyGradErrorArgument, "the device is null");
  EXPECT_ERROR(tinygradArtifactLink(loaded, getDevice("NULL"), &other),
               TinyGradErrorDevice,
               HasSubstr("runs on the device CPU, not on NULL"));
  tinygradArtifactDestroy(loaded);
  // The program does not need the artifact.
  std::array<float, 8> x = {1, 2, 3, 4, 5, 6, 0, 0};
  std::array<float, 2> w = {10, 1};
  std::array<float, 4> sums = {};
  EXPECT_OK(
      run({array(x, TinyGradDTypeFloat32), array(w, TinyGradDTypeFloat32)}, {3},
          {array(sums, TinyGradDTypeFloat32)}));
  EXPECT_FLOAT_EQ(sums[0], 12);
  EXPECT_FLOAT_EQ(sums[2], 56);
  const int64_t three = 3;
  std::array<int64_t, 2> shape = {};
  EXPECT_OK(tinygradProgramGetInputShape(program, 0, 1, &three, shape.data()));
  EXPECT_THAT(shape, ElementsAre(3, 2));

  EXPECT_ERROR(tinygradArtifactLoad(path.c_str(), &loaded), TinyGradErrorIo,
               HasSubstr(path + ": cannot open: "));
  EXPECT_EQ(loaded, nullptr);
  EXPECT_ERROR(tinygradArtifactLoadFromBytes("text", 4, &loaded),
               TinyGradErrorIo, HasSubstr("it is no artifact"));
  EXPECT_ERROR(tinygradArtifactCompile(module, "vax", options, &artifact),
               TinyGradErrorCompile, HasSubstr("vax"));
  EXPECT_ERROR(tinygradArtifactCompile(module, nullptr, options, &artifact),
               TinyGradErrorArgument, "the target is null");
  EXPECT_ERROR(tinygradArtifactSave(nullptr, "x"), TinyGradErrorArgument,
               "the artifact is null");
  tinygradArtifactDestroy(nullptr);
  EXPECT_EQ(tinygradArtifactGetTarget(nullptr), nullptr);
}

TEST_F(CProgram, Describe) {
  compile(kRows);
  EXPECT_EQ(tinygradProgramGetNumInputs(program), 2);
  EXPECT_EQ(tinygradProgramGetNumOutputs(program), 1);
  EXPECT_EQ(tinygradProgramGetNumVariables(program), 1);
  TinyGradTensorInfo info;
  ASSERT_TRUE(tinygradProgramGetInput(program, 0, &info));
  EXPECT_EQ(info.dtype, TinyGradDTypeFloat32);
  EXPECT_EQ(info.rank, 2);
  EXPECT_EQ(info.shape[0], 4);
  EXPECT_EQ(info.shape[1], 2);
  EXPECT_EQ(info.bytes, 32u);
  EXPECT_FALSE(info.isWritten);
  ASSERT_TRUE(tinygradProgramGetOutput(program, 0, &info));
  EXPECT_EQ(info.bytes, 16u);
  TinyGradVariable variable;
  ASSERT_TRUE(tinygradProgramGetVariable(program, 0, &variable));
  EXPECT_STREQ(variable.name, "n");
  EXPECT_EQ(variable.min, 1);
  EXPECT_EQ(variable.max, 4);

  const int64_t three = 3, five = 5;
  std::array<int64_t, 2> shape = {};
  EXPECT_OK(tinygradProgramGetInputShape(program, 0, 1, &three, shape.data()));
  EXPECT_THAT(shape, ElementsAre(3, 2));
  EXPECT_OK(tinygradProgramGetOutputShape(program, 0, 1, &three, shape.data()));
  EXPECT_THAT(shape, ElementsAre(3, 1));
  EXPECT_ERROR(
      tinygradProgramGetOutputShape(program, 0, 1, &five, shape.data()),
      TinyGradErrorShape, "variable n cannot be 5, which is not in [1, 4]");
  EXPECT_ERROR(tinygradProgramGetInputShape(program, 2, 1, &three, nullptr),
               TinyGradErrorArgument,
               "the program has 2 inputs, but no input 2");
  EXPECT_ERROR(tinygradProgramGetInputShape(program, 0, 1, &three, nullptr),
               TinyGradErrorArgument, "the memory for the shape is null");

  EXPECT_FALSE(tinygradProgramGetInput(program, 2, &info));
  EXPECT_FALSE(tinygradProgramGetOutput(program, -1, &info));
  EXPECT_FALSE(tinygradProgramGetVariable(program, 1, &variable));
  EXPECT_FALSE(tinygradProgramGetInput(nullptr, 0, &info));
  EXPECT_FALSE(tinygradProgramGetInput(program, 0, nullptr));
  EXPECT_EQ(tinygradProgramGetNumInputs(nullptr), 0);
}

TEST_F(CProgram, RunOnHost) {
  compile(kRows);
  std::array<float, 8> x = {1, 2, 3, 4, 5, 6, 7, 8};
  std::array<float, 2> w = {10, 1};
  std::array<float, 4> y = {};
  EXPECT_OK(run({array(x, TinyGradDTypeFloat32), array(w, TinyGradDTypeNone)},
                {4}, {array(y, TinyGradDTypeFloat32)}));
  EXPECT_THAT(y, ElementsAre(12, 34, 56, 78));
  w = {0, 1};
  EXPECT_OK(run({array(x, TinyGradDTypeFloat32), array(w, TinyGradDTypeNone)},
                {2}, {array(y, TinyGradDTypeFloat32)}));
  EXPECT_EQ(y[0], 2);
  EXPECT_EQ(y[1], 4);
}

TEST_F(CProgram, RunOnHostErrors) {
  compile(kRows);
  std::array<float, 8> x = {};
  std::array<float, 2> w = {};
  std::array<float, 3> tooSmall = {};
  std::array<float, 4> y = {};
  const TinyGradHostArray in = array(x, TinyGradDTypeFloat32),
                          weights = array(w, TinyGradDTypeFloat32),
                          out = array(y, TinyGradDTypeFloat32);
  EXPECT_ERROR(run({in}, {4}, {out}), TinyGradErrorShape,
               "program has 2 inputs, not 1");
  EXPECT_ERROR(run({in, weights}, {4}, {}), TinyGradErrorShape,
               "program has 1 outputs, not 0");
  EXPECT_ERROR(run({in, weights}, {}, {out}), TinyGradErrorShape,
               HasSubstr("takes 1 variable values, not 0"));
  EXPECT_ERROR(run({in, weights}, {5}, {out}), TinyGradErrorShape,
               HasSubstr("variable n cannot be 5"));
  EXPECT_ERROR(run({weights, weights}, {4}, {out}), TinyGradErrorShape,
               "input 0 has 8 bytes, not 32");
  EXPECT_ERROR(run({in, weights}, {4}, {array(tooSmall, TinyGradDTypeFloat32)}),
               TinyGradErrorShape, "output 0 has 12 bytes, not 16");
  EXPECT_ERROR(run({in, array(w, TinyGradDTypeInt32)}, {4}, {out}),
               TinyGradErrorDType, "input 1 is int32, not float32");
  EXPECT_ERROR(run({in, weights}, {4}, {array(y, TinyGradDTypeInt32)}),
               TinyGradErrorDType, "output 0 is int32, not float32");
  EXPECT_ERROR(run({in, {nullptr, 8, TinyGradDTypeNone}}, {4}, {out}),
               TinyGradErrorArgument, "the memory of input 1 is null");
  EXPECT_ERROR(
      tinygradProgramRunOnHost(program, 2, nullptr, 0, nullptr, 1, &out),
      TinyGradErrorArgument, "the list of 2 inputs is null");
  EXPECT_ERROR(tinygradProgramRunOnHost(program, -1, &in, 0, nullptr, 1, &out),
               TinyGradErrorArgument, "the number of inputs is -1");
  EXPECT_ERROR(
      tinygradProgramRunOnHost(nullptr, 0, nullptr, 0, nullptr, 0, nullptr),
      TinyGradErrorArgument, "the program is null");
  // It is as usable as before.
  EXPECT_OK(run({in, weights}, {4}, {out}));
}

TEST_F(CProgram, RunOnMemoryOfTheActualSize) {
  compile(kRows);
  // Three rows of at most four, for input and output.
  std::array<float, 6> x = {1, 2, 3, 4, 5, 6};
  std::array<float, 2> w = {1, 0};
  std::array<float, 3> y = {};
  const TinyGradHostArray in = array(x, TinyGradDTypeFloat32),
                          weights = array(w, TinyGradDTypeFloat32),
                          out = array(y, TinyGradDTypeFloat32);
  EXPECT_OK(run({in, weights}, {3}, {out}));
  EXPECT_THAT(y, ElementsAre(1, 3, 5));
  EXPECT_OK(run({in, weights}, {2}, {out}));
  EXPECT_ERROR(run({array(w, TinyGradDTypeFloat32), weights}, {3}, {out}),
               TinyGradErrorShape,
               "input 0 has 8 bytes, not from 24, for its shape [3, 2] of "
               "float32, to 32, for the largest one");
  EXPECT_ERROR(run({in, weights}, {3}, {array(w, TinyGradDTypeFloat32)}),
               TinyGradErrorShape,
               HasSubstr("output 0 has 8 bytes, not from 12, for its shape "));
  std::array<float, 9> large = {};
  EXPECT_ERROR(run({array(large, TinyGradDTypeFloat32), weights}, {3}, {out}),
               TinyGradErrorShape, HasSubstr("input 0 has 36 bytes, not from"));
}

TEST_F(CProgram, RunOnBuffers) {
  compile(kRows);
  TinyGradDevice *cpu = getDevice("CPU");
  // No copies: the program sees what the host writes later.
  std::array<float, 8> x = {};
  alignas(64) std::array<float, 2> w = {1, 0};
  TinyGradBuffer *inputs[2], *output = nullptr;
  EXPECT_OK(tinygradBufferCreateExternal(cpu, x.data(), sizeof(x),
                                         TinyGradDTypeFloat32, nullptr, nullptr,
                                         &inputs[0]));
  EXPECT_OK(tinygradBufferCreateExternal(cpu, w.data(), sizeof(w),
                                         TinyGradDTypeFloat32, nullptr, nullptr,
                                         &inputs[1]));
  x = {1, 2, 3, 4, 5, 6, 7, 8};
  const int64_t four = 4;
  EXPECT_OK(tinygradProgramRun(program, 2, inputs, 1, &four, 1, &output));
  EXPECT_OK(tinygradDeviceSynchronize(cpu));
  // Results outlive their program.
  tinygradProgramDestroy(program);
  program = nullptr;
  const float *y = static_cast<float *>(tinygradBufferGetAddress(output));
  EXPECT_EQ(tinygradBufferGetSize(output), 16u);
  EXPECT_EQ(tinygradBufferGetDType(output), TinyGradDTypeFloat32);
  EXPECT_THAT(std::vector<float>(y, y + 4), ElementsAre(1, 3, 5, 7));
  tinygradBufferDestroy(output);
  tinygradBufferDestroy(inputs[0]);
  tinygradBufferDestroy(inputs[1]);
}

TEST_F(CProgram, RunOnBuffersErrors) {
  compile(kRows);
  TinyGradDevice *cpu = getDevice("CPU");
  TinyGradBuffer *right[2], *small, *integers, *elsewhere;
  EXPECT_OK(tinygradBufferCreate(cpu, 32, TinyGradDTypeNone, &right[0]));
  EXPECT_OK(tinygradBufferCreate(cpu, 8, TinyGradDTypeFloat32, &right[1]));
  EXPECT_OK(tinygradBufferCreate(cpu, 28, TinyGradDTypeFloat32, &small));
  EXPECT_OK(tinygradBufferCreate(cpu, 32, TinyGradDTypeInt32, &integers));
  EXPECT_OK(tinygradBufferCreate(getDevice("NULL"), 32, TinyGradDTypeFloat32,
                                 &elsewhere));
  const int64_t four = 4;
  TinyGradBuffer *output = small;
  auto runOn = [&](TinyGradBuffer *first) {
    TinyGradBuffer *inputs[] = {first, right[1]};
    return tinygradProgramRun(program, 2, inputs, 1, &four, 1, &output);
  };
  EXPECT_ERROR(runOn(small), TinyGradErrorShape,
               "input 0 has 28 bytes, not 32");
  EXPECT_EQ(output, nullptr);
  EXPECT_ERROR(runOn(integers), TinyGradErrorDType,
               "input 0 is int32, not float32");
  EXPECT_ERROR(runOn(elsewhere), TinyGradErrorDevice,
               "input 0 is on NULL, not on CPU");
  EXPECT_ERROR(runOn(nullptr), TinyGradErrorArgument, "input 0 is null");
  EXPECT_ERROR(tinygradProgramRun(program, 2, right, 1, &four, 2, nullptr),
               TinyGradErrorArgument, "the list of 2 outputs is null");
  EXPECT_ERROR(tinygradProgramRun(program, 2, right, 1, nullptr, 1, &output),
               TinyGradErrorArgument, "the list of 1 values is null");
  EXPECT_ERROR(tinygradProgramRun(nullptr, 2, right, 1, &four, 1, &output),
               TinyGradErrorArgument, "the program is null");
  for (TinyGradBuffer *buffer :
       {right[0], right[1], small, integers, elsewhere})
    tinygradBufferDestroy(buffer);
}

TEST_F(CProgram, Assignment) {
  setEntry("add_to");
  for (const char *device : {"CPU", "SIM"}) {
    compile(kAssign, device);
    TinyGradTensorInfo info;
    ASSERT_TRUE(tinygradProgramGetInput(program, 0, &info));
    EXPECT_TRUE(info.isWritten);
    ASSERT_TRUE(tinygradProgramGetInput(program, 1, &info));
    EXPECT_FALSE(info.isWritten);
    std::array<int32_t, 2> x = {1, 2}, y = {10, 20}, sum = {};
    EXPECT_OK(run({array(x, TinyGradDTypeInt32), array(y, TinyGradDTypeInt32)},
                  {}, {array(sum, TinyGradDTypeInt32)}));
    EXPECT_THAT(sum, ElementsAre(11, 22)) << device;
    EXPECT_THAT(x, ElementsAre(11, 22)) << device;
    tinygradProgramDestroy(program);
    program = nullptr;
    mlirModuleDestroy(module);
  }
  module = {nullptr};
}

// A device that does not use the host's memory: what is assigned is copied
// back. The null device computes nothing, and its memory is read as zeros.
TEST_F(CProgram, AssignmentIsCopiedBack) {
  setEntry("add_to");
  compile(kAssign, "NULL");
  std::array<int32_t, 2> x = {1, 2}, y = {10, 20}, sum = {5, 5};
  EXPECT_OK(run({array(x, TinyGradDTypeInt32), array(y, TinyGradDTypeInt32)},
                {}, {array(sum, TinyGradDTypeInt32)}));
  EXPECT_THAT(x, ElementsAre(0, 0));
  EXPECT_THAT(y, ElementsAre(10, 20));
  EXPECT_THAT(sum, ElementsAre(0, 0));
}

TEST_F(CProgram, OutputInTheMemoryOfAnInput) {
  setEntry("add_to");
  compile(kAssign);
  std::array<int32_t, 2> x = {1, 2}, y = {10, 20};
  const TinyGradHostArray first = array(x, TinyGradDTypeInt32),
                          second = array(y, TinyGradDTypeInt32);
  EXPECT_OK(run({first, second}, {}, {first}));
  EXPECT_THAT(x, ElementsAre(11, 22));
  EXPECT_OK(run({first, second}, {}, {second}));
  EXPECT_THAT(x, ElementsAre(21, 42));
  EXPECT_THAT(y, ElementsAre(21, 42));
}

TEST_F(CProgram, ManyThreads) {
  compile(kRows);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([this, i] {
      std::array<float, 8> x = {};
      x.fill(float(i));
      std::array<float, 2> w = {1, 2};
      std::array<float, 4> y = {};
      for (int repeat = 0; repeat < 20; ++repeat) {
        EXPECT_OK(run(
            {array(x, TinyGradDTypeFloat32), array(w, TinyGradDTypeFloat32)},
            {4}, {array(y, TinyGradDTypeFloat32)}));
        EXPECT_THAT(y, ElementsAre(3 * i, 3 * i, 3 * i, 3 * i));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST_F(CProgram, CompileLeavesTheModule) {
  const MlirModule copy = module = parse(kRows);
  const std::string before = str(copy);
  for (int i = 0; i < 2; ++i) {
    EXPECT_OK(
        tinygradProgramCompile(module, getDevice("CPU"), nullptr, &program));
    tinygradProgramDestroy(program);
    program = nullptr;
  }
  EXPECT_EQ(str(module), before);
}

TEST_F(CProgram, CompileOptions) {
  setEntry("add_to");
  tinygradCompileOptionsSetNoOptimization(options, true);
  tinygradCompileOptionsSetVerifyEach(options, true);
  tinygradCompileOptionsSetCheckBounds(options, true);
  tinygradCompileOptionsSetFlushSubnormals(options, true);
  compile(kAssign);
  std::array<int32_t, 2> x = {1, 2}, y = {10, 20}, sum = {};
  EXPECT_OK(run({array(x, TinyGradDTypeInt32), array(y, TinyGradDTypeInt32)},
                {}, {array(sum, TinyGradDTypeInt32)}));
  EXPECT_THAT(sum, ElementsAre(11, 22));

  EXPECT_ERROR(tinygradCompileOptionsCreate(nullptr), TinyGradErrorArgument,
               "the pointer to the options is null");
  EXPECT_ERROR(tinygradCompileOptionsSetEntry(nullptr, "f"),
               TinyGradErrorArgument, "the options object is null");
  EXPECT_ERROR(tinygradCompileOptionsSetEntry(options, nullptr),
               TinyGradErrorArgument, "the name of the function is null");
  tinygradCompileOptionsSetNoOptimization(nullptr, true);
  tinygradCompileOptionsDestroy(nullptr);
}

TEST_F(CProgram, CompileArguments) {
  module = parse(kRows);
  TinyGradDevice *cpu = getDevice("CPU");
  EXPECT_ERROR(tinygradProgramCompile({nullptr}, cpu, nullptr, &program),
               TinyGradErrorArgument, "the module is null");
  EXPECT_ERROR(tinygradProgramCompile(module, nullptr, nullptr, &program),
               TinyGradErrorArgument, "the device is null");
  EXPECT_ERROR(tinygradProgramCompile(module, cpu, nullptr, nullptr),
               TinyGradErrorArgument, "the pointer to the program is null");
  EXPECT_EQ(program, nullptr);
  tinygradProgramDestroy(nullptr);
}

TEST_F(CProgram, CompileErrors) {
  TinyGradDevice *cpu = getDevice("CPU");
  auto fails = [&](const char *source) {
    MlirModule other = parse(source);
    const Outcome outcome(
        tinygradProgramCompile(other, cpu, nullptr, &program));
    mlirModuleDestroy(other);
    EXPECT_EQ(outcome.code, TinyGradErrorCompile);
    EXPECT_EQ(program, nullptr);
    return outcome.message;
  };
  EXPECT_THAT(fails(kAssign), HasSubstr("the module has no function 'main'"));
  EXPECT_THAT(fails("func.func @main(%x: f32) -> f32 { return %x : f32 }"),
              HasSubstr("must be ranked tensors"));
  EXPECT_THAT(fails("func.func private @main(tensor<4xf32>)"),
              HasSubstr("has no body"));
  // The diagnostics are in the message, not elsewhere.
  EXPECT_THAT(fails("func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
                    "  %0 = func.call @main(%x)\n"
                    "      : (tensor<4xf32>) -> tensor<4xf32>\n"
                    "  return %0 : tensor<4xf32>\n"
                    "}"),
              AllOf(HasSubstr(":2:"), HasSubstr("func.call")));
  EXPECT_EQ(takeErrors(), "");
}

/// Modules of levels 2 and 3 are compiled from there on: inputs and outputs are
/// flat.
TEST_F(CProgram, OtherLevels) {
  module = parse(kRows);
  for (const char *level : {"2", "3"}) {
    MlirPassManager manager = mlirPassManagerCreate(context);
    std::string error;
    ASSERT_TRUE(mlirLogicalResultIsSuccess(mlirParsePassPipeline(
        mlirPassManagerGetAsOpPassManager(manager),
        text(*level == '2' ? "builtin.module(tg-schedule-pipeline)"
                           : "builtin.module(tg-optimize-pipeline)"),
        appendTo, &error)))
        << error;
    ASSERT_TRUE(mlirLogicalResultIsSuccess(
        mlirPassManagerRunOnOp(manager, mlirModuleGetOperation(module))));
    mlirPassManagerDestroy(manager);
    EXPECT_OK(
        tinygradProgramCompile(module, getDevice("CPU"), nullptr, &program));
    TinyGradTensorInfo info;
    ASSERT_TRUE(tinygradProgramGetInput(program, 0, &info));
    EXPECT_EQ(info.rank, 1);
    EXPECT_EQ(info.shape[0], 8);
    ASSERT_EQ(tinygradProgramGetNumVariables(program), 1);
    const int64_t n = 3;
    int64_t shape = 0;
    EXPECT_OK(tinygradProgramGetOutputShape(program, 0, 1, &n, &shape));
    EXPECT_EQ(shape, 4);
    std::array<float, 8> x = {1, 2, 3, 4, 5, 6};
    std::array<float, 2> w = {10, 1};
    std::array<float, 4> y = {};
    EXPECT_OK(run({{x.data(), sizeof x, TinyGradDTypeFloat32},
                   {w.data(), sizeof w, TinyGradDTypeFloat32}},
                  {3}, {{y.data(), sizeof y, TinyGradDTypeFloat32}}));
    EXPECT_EQ(y[0], 12);
    EXPECT_EQ(y[2], 56);
    // Memory of the actual size suffices, as for a graph.
    y = {};
    EXPECT_OK(run({{x.data(), 24, TinyGradDTypeFloat32},
                   {w.data(), sizeof w, TinyGradDTypeFloat32}},
                  {3}, {{y.data(), 12, TinyGradDTypeFloat32}}));
    EXPECT_THAT(y, ElementsAre(12, 34, 56, 0));
    EXPECT_ERROR(run({{x.data(), sizeof x, TinyGradDTypeFloat32},
                      {w.data(), sizeof w, TinyGradDTypeFloat32}},
                     {3}, {{y.data(), 8, TinyGradDTypeFloat32}}),
                 TinyGradErrorShape, HasSubstr("output 0 has 8 bytes, not "));
    tinygradProgramDestroy(program);
    program = nullptr;
  }
}

/// The caller's passes are called at levels 2 and 3, with their data.
TEST_F(CProgram, PassesOfTheCaller) {
  module = parse(kRows);
  EXPECT_OK(tinygradCompileOptionsCreate(&options));
  std::array<int, 2> calls = {};
  TinyGradModulePass count = [](MlirModule, void *data) {
    ++*static_cast<int *>(data);
    return mlirLogicalResultSuccess();
  };
  tinygradCompileOptionsSetAfterSchedule(options, count, calls.data());
  tinygradCompileOptionsSetAfterOptimize(options, count, &calls[1]);
  EXPECT_OK(
      tinygradProgramCompile(module, getDevice("CPU"), options, &program));
  EXPECT_THAT(calls, ElementsAre(1, 1));
  tinygradProgramDestroy(program);
  program = nullptr;
  tinygradCompileOptionsSetAfterSchedule(options, nullptr, nullptr);
  tinygradCompileOptionsSetAfterOptimize(
      options,
      [](MlirModule failed, void *) {
        mlirEmitError(mlirOperationGetLocation(mlirModuleGetOperation(failed)),
                      "the caller's error");
        return mlirLogicalResultFailure();
      },
      nullptr);
  EXPECT_ERROR(
      tinygradProgramCompile(module, getDevice("CPU"), options, &program),
      TinyGradErrorCompile, HasSubstr("the caller's error"));
  tinygradCompileOptionsSetAfterSchedule(nullptr, count, nullptr);
  tinygradCompileOptionsSetAfterOptimize(nullptr, count, nullptr);
}

} // namespace
