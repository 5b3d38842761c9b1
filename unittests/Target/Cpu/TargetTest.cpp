//===- TargetTest.cpp - the entry points of the CPU target ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Several kernels in one object, concurrent compilations, processors other
/// than the host, texts of the stages, errors.
///
//===----------------------------------------------------------------------===//

#include "KernelRunner.h"
#include "KernelText.h"
#include "Reference.h"
#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/Target/Cpu/CpuTarget.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>
#include <thread>

using namespace mlir;

static const char *kTwoKernels = R"(
tg.kernel @double(%o: memref<32xf32>, %a: memref<32xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 thread 2
  %v = tg.range 1 upcast 16
  %c = tg.const(16 : index) : index
  %j = tg.mul %i, %c : index
  %p = tg.add %j, %v : index
  %x = tg.load %a[%p] : memref<32xf32>
  %y = tg.add %x, %x : f32
  tg.store %y, %o[%p] : memref<32xf32>
}
tg.kernel @negate(%o: memref<32xf32>, %a: memref<32xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 32
  %x = tg.load %a[%i] : memref<32xf32>
  %y = tg.neg %x : f32
  tg.store %y, %o[%i] : memref<32xf32>
})";

/// Runs a kernel compiled with bounds checks. Returns the message of the
/// exception, or an empty string.
static std::string runChecked(const std::string &text,
                              std::vector<void *> buffers) {
  MLIRContext context;
  tg::loadCpuTarget(context);
  auto module = parseSourceString<ModuleOp>(text, ParserConfig(&context));
  tg::CompileFlags flags;
  flags.checkBounds = true;
  FailureOr<tg::CpuObject> object =
      tg::compileToObject(*module, tg::CpuTargetOptions::host(), flags);
  if (failed(object))
    return "not compiled";
  tinygrad::Device &device = tinygrad::Device::get("CPU");
  auto program = device.loadProgram(object->bytes.data(), object->bytes.size(),
                                    "the host");
  tinygrad::LaunchDims dims;
  dims.parallelExtent = tinygrad::Expression(object->kernels[0].parallelExtent);
  try {
    device.launch(tinygrad::Kernel(program, object->kernels[0].name),
                  buffers.data(), nullptr, dims);
  } catch (const tinygrad::IndexError &error) {
    return error.what();
  }
  return "";
}

namespace {
/// Eight floats surrounded by memory that must not change.
struct Guarded {
  std::vector<float> memory = std::vector<float>(24, -1.0f);
  float *data = memory.data() + 8;

  Guarded() {
    for (int i = 0; i < 8; ++i)
      data[i] = float(i + 1);
  }
  bool isIntact() const {
    for (int i = 0; i < 8; ++i)
      if (memory[i] != -1.0f || memory[16 + i] != -1.0f)
        return false;
    return true;
  }
};
} // namespace

/// A kernel over `range` that copies the element at `index` (which uses %i) if
/// `mask` holds.
static std::string makeCopy(const std::string &range, const std::string &index,
                            const std::string &mask, bool isMaskedStore) {
  return "tg.kernel @copy(%o: memref<8xf32>, %a: memref<8xf32>) "
         "attributes {outputs = 1 : i64} {\n"
         "%i = tg.range 0 " +
         range +
         "\n%c0 = tg.const(0 : index) : index\n"
         "%c2 = tg.const(2 : index) : index\n"
         "%c8 = tg.const(8 : index) : index\n"
         "%c-1 = tg.const(-1 : index) : index\n" +
         "%p = " + index + "\n" + "%m = " + mask + "\n%x = tg.load %a[" +
         (isMaskedStore ? "%i" : "%p") + "] mask %m" + " : memref<8xf32>\n" +
         "tg.store %x, %o[" + (isMaskedStore ? "%p" : "%i") +
         "] mask %m : memref<8xf32>\n}";
}

TEST(CpuTargetTest, ChecksBounds) {
  struct Case {
    const char *range, *index, *mask, *expected;
  };
  const Case cases[] = {
      // Checked per lane: out-of-bounds lanes are masked.
      {"upcast 8", "tg.add %i, %c2 : index", "tg.cmplt %p, %c8 : index", ""},
      {"loop 8", "tg.add %i, %c2 : index", "tg.cmplt %p, %c8 : index", ""},
      {"upcast 8", "tg.mul %i, %c2 : index", "tg.cmplt %p, %c8 : index", ""},
      // The mask does not keep these lanes inside of the buffer.
      {"upcast 8", "tg.add %i, %c2 : index", "tg.cmplt %c-1, %p : index",
       "element 8 of"},
      {"loop 8", "tg.add %i, %c2 : index", "tg.cmplt %c-1, %p : index",
       "element 8 of"},
      {"upcast 8", "tg.mul %i, %c2 : index", "tg.cmplt %c-1, %p : index",
       "element 8 of"},
      {"upcast 8", "tg.add %i, %c-1 : index", "tg.cmplt %p, %c8 : index",
       "element -1 of"},
      {"loop 8", "tg.add %i, %c-1 : index", "tg.cmplt %p, %c8 : index",
       "element -1 of"},
      // The mask admits one lane too many.
      {"upcast 8", "tg.add %i, %c2 : index", "tg.cmplt %i, %c8 : index",
       "element 8 of"},
  };
  for (const Case &c : cases)
    for (bool isStore : {false, true}) {
      Guarded out, in;
      std::string message = runChecked(
          makeCopy(c.range, c.index, c.mask, isStore), {out.data, in.data});
      std::string expected = c.expected;
      if (!expected.empty())
        expected = "kernel copy reaches " + expected + " buffer " +
                   (isStore ? "0" : "1") + ", which has 8 elements";
      EXPECT_EQ(message, expected)
          << c.range << " " << c.index << " " << c.mask;
      EXPECT_TRUE(out.isIntact() && in.isIntact());
    }
}

TEST(CpuTargetTest, SeveralKernelsInOneObject) {
  MLIRContext context;
  tg::loadCpuTarget(context);
  auto module =
      parseSourceString<ModuleOp>(kTwoKernels, ParserConfig(&context));
  ASSERT_TRUE(module);
  FailureOr<tg::CpuObject> object = tg::compileToObject(*module);
  ASSERT_TRUE(succeeded(object));
  ASSERT_EQ(object->kernels.size(), 2u);
  EXPECT_EQ(object->kernels[0].name, "double");
  EXPECT_EQ(object->kernels[0].parallelExtent, 2);
  EXPECT_EQ(object->kernels[1].name, "negate");
  EXPECT_EQ(object->kernels[1].parallelExtent, 1);
  auto program = tinygrad::Device::get("CPU").loadProgram(
      object->bytes.data(), object->bytes.size(), "the host");
  float o[32], a[32];
  for (int i = 0; i < 32; ++i)
    a[i] = float(i);
  void *buffers[] = {o, a};
  for (const char *name : {"double", "negate"}) {
    tinygrad::Kernel kernel(program, name);
    auto function =
        reinterpret_cast<tinygrad::CpuKernelFunction>(kernel.entry());
    function(buffers, nullptr, 0, 2);
    for (int i = 0; i < 32; ++i)
      ASSERT_EQ(o[i], name[0] == 'd' ? 2 * a[i] : -a[i]);
  }
}

TEST(CpuTargetTest, ConcurrentCompilationsInOneContext) {
  MLIRContext context;
  tg::loadCpuTarget(context);
  auto module =
      parseSourceString<ModuleOp>(kTwoKernels, ParserConfig(&context));
  ASSERT_TRUE(module);
  SmallVector<tg::KernelOp> kernels;
  llvm::append_range(kernels, module->getOps<tg::KernelOp>());
  std::vector<char> expected[2];
  for (int i = 0; i < 2; ++i)
    expected[i] =
        tg::compileToObject(ArrayRef<tg::KernelOp>(kernels[i]))->bytes;
  std::vector<std::thread> threads;
  std::atomic<int> differences = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int repeat = 0; repeat < 8; ++repeat) {
        int i = (t + repeat) % 2;
        FailureOr<tg::CpuObject> object =
            tg::compileToObject(ArrayRef<tg::KernelOp>(kernels[i]));
        if (failed(object) || object->bytes != expected[i])
          ++differences;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(differences, 0) << "compilation is not deterministic";
}

TEST(CpuTargetTest, TextsOfTheStages) {
  MLIRContext context;
  tg::loadCpuTarget(context);
  auto module =
      parseSourceString<ModuleOp>(kTwoKernels, ParserConfig(&context));
  ASSERT_TRUE(module);
  tg::StageTexts texts;
  for (const char *stage : {"vector", "mlir", "llvm", "asm"})
    texts[stage];
  ASSERT_TRUE(succeeded(
      tg::compileToObject(*module, tg::CpuTargetOptions::host(), {}, &texts)));
  EXPECT_NE(texts["vector"].find("vector.load"), std::string::npos);
  EXPECT_NE(texts["mlir"].find("llvm.func @double"), std::string::npos);
  EXPECT_NE(texts["llvm"].find("define void @double(ptr"), std::string::npos);
  EXPECT_NE(texts["asm"].find("double:"), std::string::npos);
}

TEST(CpuTargetTest, ErrorsAreReported) {
  MLIRContext context;
  tg::loadCpuTarget(context);
  std::string message;
  ScopedDiagnosticHandler handler(
      &context, [&](Diagnostic &diagnostic) { message = diagnostic.str(); });
  auto module =
      parseSourceString<ModuleOp>(kTwoKernels, ParserConfig(&context));
  ASSERT_TRUE(module);
  tg::CpuTargetOptions options = tg::CpuTargetOptions::host();
  options.triple = "pdp11-unknown-linux";
  EXPECT_TRUE(failed(tg::compileToObject(*module, options)));
  EXPECT_NE(message.find("pdp11"), std::string::npos) << message;
  options = tg::CpuTargetOptions::host();
  options.llvmPasses = "no-such-pass";
  EXPECT_TRUE(failed(tg::compileToObject(*module, options)));
  EXPECT_NE(message.find("no-such-pass"), std::string::npos) << message;
}

#if defined(__x86_64__)
/// Code for older processors: without AVX-512, and for the oldest x86-64.
TEST(CpuTargetTest, OlderProcessors) {
  tg::CpuTargetOptions avx2 = tg::CpuTargetOptions::host(), sse2 = avx2;
  if (avx2.features.find("+avx2") == std::string::npos)
    GTEST_SKIP() << "this CPU has no AVX2";
  avx2.cpu = "x86-64-v3";
  avx2.features = "";
  avx2.preferVectorWidth = 256;
  sse2.cpu = "x86-64";
  sse2.features = "";
  sse2.preferVectorWidth = 128;
  for (const tg::CpuTargetOptions &options : {avx2, sse2})
    for (const char *fromName : {"f32", "f64", "ui64", "f16", "f8E5M2"})
      for (const ElementType &to : getTypes()) {
        const ElementType &from = getType(fromName);
        std::vector<uint64_t> values = getEdges(from);
        while (values.size() % 16 != 0)
          values.push_back(values[0]);
        KernelRunner kernel(
            elementwiseKernel("  %r = tg.cast %x0 : " + from.name + " -> " +
                                  to.name,
                              {from.name}, to.name, values.size(), 16),
            options);
        ASSERT_TRUE(kernel.ok()) << kernel.error();
        Elements input(from, values), output(to, values.size());
        kernel.run({output.data(), input.data()});
        for (size_t i = 0; i < values.size(); ++i) {
          uint64_t expected = castReference(from, to, values[i]);
          if (!to.isNan(expected) || !to.isNan(output.get(i)))
            ASSERT_EQ(output.get(i), expected)
                << options.cpu << ": " << fromName << " 0x" << std::hex
                << values[i] << " -> " << to.name;
        }
      }
}
#endif

/// A chain of thousands of operations does not overflow the stack.
TEST(CpuTargetTest, LongChains) {
  std::string body;
  constexpr int length = 5000;
  for (int i = 0; i < length; ++i)
    body += "  %y" + std::to_string(i + 1) + " = tg.add %" +
            (i == 0 ? "x0" : "y" + std::to_string(i)) + ", %x1 : ui32\n";
  body += "  %r = tg.xor %y" + std::to_string(length) + ", %x0 : ui32";
  KernelRunner kernel(
      elementwiseKernel(body, {"ui32", "ui32"}, "ui32", 32, 16));
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  uint32_t o[32], x[32], y[32];
  for (uint32_t i = 0; i < 32; ++i)
    x[i] = i * 77, y[i] = i + 3;
  kernel.run({o, x, y});
  for (uint32_t i = 0; i < 32; ++i)
    ASSERT_EQ(o[i], (x[i] + length * y[i]) ^ x[i]);
}
