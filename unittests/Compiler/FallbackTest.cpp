//===- FallbackTest.cpp - simpler schedules -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Kernels whose schedule does not verify, or of which a target makes no code,
/// get simpler schedules and compute the same.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Compiler/Compiler.h"
#include "TinyGrad/Runtime/Counters.h"
#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/Runtime/Environment.h"
#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/Target/All/AllTargets.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <functional>
#include <mutex>

using namespace mlir;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using tinygrad::CompileError;
using tinygrad::GlobalCounters;

namespace {

/// The target of a device, except that it refuses some kernels.
class PickyTarget : public tg::Target {
public:
  using Refuses = std::function<bool(tg::KernelOp)>;

  PickyTarget(const tg::Target &target, Refuses refuses)
      : Target(target.getName()), target(target), refuses(std::move(refuses)) {}

  std::string getCacheKey(const tg::CompileFlags &flags) const override {
    return target.getCacheKey(flags) + ";picky";
  }
  tg::TargetFacts getFacts() const override { return target.getFacts(); }
  void registerDialects(DialectRegistry &registry) const override {
    target.registerDialects(registry);
  }
  tg::LaunchShape getLaunch(tg::KernelOp kernel) const override {
    return target.getLaunch(kernel);
  }
  ArrayRef<tg::CompileStage> getStages() const override {
    return target.getStages();
  }
  FailureOr<std::vector<char>> compile(ArrayRef<tg::KernelOp> kernels,
                                       const tg::CompileFlags &flags,
                                       tg::StageTexts *texts) const override {
    for (tg::KernelOp kernel : kernels)
      if (refuses(kernel)) {
        std::lock_guard<std::mutex> lock(mutex);
        ++numRefused;
        (void)kernel.emitError("is not to my taste");
        return failure();
      }
    return target.compile(kernels, flags, texts);
  }

  mutable int numRefused = 0;

private:
  const tg::Target &target;
  Refuses refuses;
  mutable std::mutex mutex;
};

/// Whether there are vectors or unrolled copies.
bool hasLanes(tg::KernelOp kernel) {
  for (auto range : kernel.getBody().getOps<tg::RangeOp>())
    if (range.getKind() == tg::RangeKind::upcast ||
        range.getKind() == tg::RangeKind::unroll)
      return true;
  return false;
}

/// Whether items of a group share anything, too.
bool hasGroups(tg::KernelOp kernel) {
  for (auto range : kernel.getBody().getOps<tg::RangeOp>())
    if (range.getKind() == tg::RangeKind::local ||
        range.getKind() == tg::RangeKind::group_reduce)
      return true;
  return hasLanes(kernel);
}

bool hasSteps(tg::KernelOp kernel) {
  for (auto range : kernel.getBody().getOps<tg::RangeOp>())
    if (range.getKind() != tg::RangeKind::loop)
      return true;
  return false;
}

/// A product of matrices, a softmax, and an elementwise kernel.
constexpr StringLiteral kProgram = R"(
func.func @main(%a: tensor<32x48xf32>, %b: tensor<48x40xf32>)
    -> (tensor<32x40xf32>, tensor<32x48xf32>) {
  %0 = tg.reshape %a : tensor<32x48xf32> -> tensor<32x48x1xf32>
  %1 = tg.expand %0 : tensor<32x48x1xf32> -> tensor<32x48x40xf32>
  %2 = tg.reshape %b : tensor<48x40xf32> -> tensor<1x48x40xf32>
  %3 = tg.expand %2 : tensor<1x48x40xf32> -> tensor<32x48x40xf32>
  %4 = tg.mul %1, %3 : tensor<32x48x40xf32>
  %5 = tg.reduce add %4 axes [1] : tensor<32x48x40xf32> -> tensor<32x1x40xf32>
  %6 = tg.reshape %5 : tensor<32x1x40xf32> -> tensor<32x40xf32>
  %7 = tg.exp2 %a : tensor<32x48xf32>
  %8 = tg.reduce add %7 axes [1] : tensor<32x48xf32> -> tensor<32x1xf32>
  %9 = tg.expand %8 : tensor<32x1xf32> -> tensor<32x48xf32>
  %10 = tg.fdiv %7, %9 : tensor<32x48xf32>
  return %6, %10 : tensor<32x40xf32>, tensor<32x48xf32>
}
)";

class Fallback : public ::testing::TestWithParam<const char *> {
protected:
  Fallback()
      : context(MLIRContext::Threading::DISABLED),
        device(tinygrad::Device::get(GetParam())),
        target(tinygrad::getTarget(device)) {
    tinygrad::prepareContext(context);
    GlobalCounters::reset();
    options.fallBack = true;
  }
  // What the test has refused on purpose is no fault of the compiler.
  ~Fallback() override { GlobalCounters::reset(); }

  OwningOpRef<ModuleOp> parse() {
    auto module = parseSourceString<ModuleOp>(kProgram, &context);
    EXPECT_TRUE(module);
    return module;
  }

  /// The results of the program, one after the other.
  std::vector<float> run() {
    OwningOpRef<ModuleOp> module = parse();
    // Programs in memory would be found instead of compiled.
    tinygrad::Context settings({{"CACHELEVEL", 0}});
    auto program = tinygrad::compile(*module, device, options);
    scheduled.clear();
    llvm::raw_string_ostream(scheduled) << *module;
    std::vector<tinygrad::Buffer> inputs;
    for (const tinygrad::TensorInfo &info : program->getArguments()) {
      std::vector<float> numbers(size_t(info.shape[0] * info.shape[1]));
      for (size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = float(i * 7 % 31) / 31;
      inputs.push_back(tinygrad::Buffer::fromHost(
          device, numbers.data(), numbers.size() * sizeof(float)));
    }
    std::vector<float> results;
    for (tinygrad::Buffer &buffer : program->run(inputs)) {
      std::vector<float> numbers(buffer.size() / sizeof(float));
      buffer.copyOut(numbers.data(), buffer.size());
      results.insert(results.end(), numbers.begin(), numbers.end());
    }
    return results;
  }

  std::vector<float> runWith(const tg::Target *other) {
    options.target = other;
    std::vector<float> results = run();
    options.target = nullptr;
    return results;
  }

  void expectNear(const std::vector<float> &got,
                  const std::vector<float> &wanted) {
    ASSERT_EQ(got.size(), wanted.size());
    for (size_t i = 0; i < got.size(); ++i)
      EXPECT_NEAR(got[i], wanted[i], 1e-4) << i;
  }

  MLIRContext context;
  tinygrad::Device &device;
  const tg::Target &target;
  tinygrad::CompileOptions options;
  std::string scheduled;
};
} // namespace

TEST_P(Fallback, NothingIsRefusedOtherwise) {
  run();
  EXPECT_EQ(GlobalCounters::schedulesRefused, 0);
}

/// The target makes no code of the best schedule of any kernel.
TEST_P(Fallback, CodeIsRefused) {
  const std::vector<float> wanted = run();
  PickyTarget picky(target, hasGroups);
  expectNear(runWith(&picky), wanted);
  EXPECT_GT(picky.numRefused, 0);
  EXPECT_EQ(GlobalCounters::schedulesRefused, picky.numRefused);
  // What ran is what the module shows.
  EXPECT_THAT(scheduled, Not(HasSubstr(" upcast ")));
  EXPECT_THAT(scheduled, Not(HasSubstr(" local ")));
}

/// It makes code of kernels without any step only.
TEST_P(Fallback, NoStepsAreLeft) {
  const std::vector<float> wanted = run();
  PickyTarget picky(target, hasSteps);
  expectNear(runWith(&picky), wanted);
  EXPECT_GT(GlobalCounters::schedulesRefused, 0);
  for (const char *kind : {" upcast ", " local ", " global ", " thread "})
    EXPECT_THAT(scheduled, Not(HasSubstr(kind)));
}

/// It makes no code at all: the error is that of the best schedule, and the
/// only one.
TEST_P(Fallback, NoScheduleHelps) {
  PickyTarget picky(target, [](tg::KernelOp) { return true; });
  try {
    runWith(&picky);
    ADD_FAILURE() << "compiles";
  } catch (const CompileError &error) {
    EXPECT_THAT(error.what(), HasSubstr("is not to my taste"));
    EXPECT_EQ(StringRef(error.what()).count("taste"), 1u);
  }
}

TEST_P(Fallback, NotWithoutTheSetting) {
  PickyTarget picky(target, hasGroups);
  options.fallBack = false;
  EXPECT_THROW(runWith(&picky), CompileError);
  EXPECT_EQ(GlobalCounters::schedulesRefused, 0);
  // The option comes from the setting.
  tinygrad::Context settings({{"FALLBACK", 0}});
  EXPECT_FALSE(tinygrad::CompileOptions().fallBack);
}

/// A given list of steps is taken, or is an error.
TEST_P(Fallback, GivenSteps) {
  PickyTarget picky(target, hasSteps);
  options.prepareKernel = [&](tg::KernelOp kernel) {
    auto step = tg::StepAttr::get(
        &context, tg::StepKind::set_kind, {},
        {int64_t((*kernel.getBody().getOps<tg::RangeOp>().begin()).getId())},
        int64_t(tg::RangeKind::thread), {});
    kernel.setScheduleAttr(ArrayAttr::get(&context, {step}));
  };
  run();
  EXPECT_THROW(runWith(&picky), CompileError);
  EXPECT_EQ(GlobalCounters::schedulesRefused, 0);
}

namespace {
/// Schedules for the target, of which the first ones do not verify.
class CarelessTarget : public PickyTarget {
public:
  CarelessTarget(const tg::Target &target, unsigned numRefused)
      : PickyTarget(target, [](tg::KernelOp) { return false; }),
        numRefused(numRefused) {}

  void
  buildOptimizePipeline(OpPassManager &pm,
                        const tg::PipelineOptions &options) const override {
    pm.addPass(tg::createTgAlignBuffers());
    tg::TgOptimizeKernelsOptions optimize;
    optimize.refuse = numRefused;
    OpPassManager &kernel = pm.nest<tg::KernelOp>();
    kernel.addPass(tg::createTgOptimizeKernels(optimize, options.observer));
    kernel.addPass(tg::createTgExpandComposed());
    kernel.addPass(tg::createTgSimplifyIndex());
  }

private:
  unsigned numRefused;
};
} // namespace

/// No diagnostic reaches the user, but DEBUG=1 says what happened.
TEST_P(Fallback, SchedulesDoNotVerify) {
  const std::vector<float> wanted = run();
  std::vector<std::string> diagnostics, lines;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    diagnostics.push_back(diagnostic.str());
    return success();
  });
  tinygrad::setDebugSink(
      [&](std::string_view line) { lines.emplace_back(line); });
  {
    tinygrad::Context settings({{"DEBUG", 1}});
    CarelessTarget careless(target, 2);
    expectNear(runWith(&careless), wanted);
  }
  tinygrad::setDebugSink({});
  // Two of each kernel.
  EXPECT_EQ(GlobalCounters::schedulesRefused % 2, 0);
  EXPECT_GE(GlobalCounters::schedulesRefused, 4);
  EXPECT_THAT(diagnostics, ElementsAre());
  EXPECT_THAT(lines, ::testing::Contains(
                         HasSubstr("gets a simpler schedule: the schedule")));
}

namespace {
/// Makes no code of the best schedules, and a mistake in simpler ones.
class MistakenTarget : public PickyTarget {
public:
  explicit MistakenTarget(const tg::Target &target)
      : PickyTarget(target, hasGroups) {}

  void
  buildOptimizePipeline(OpPassManager &pm,
                        const tg::PipelineOptions &options) const override {
    pm.addPass(tg::createTgAlignBuffers());
    tg::TgOptimizeKernelsOptions optimize;
    optimize.firstSchedule = options.firstSchedule;
    observer.next = options.observer;
    observer.isMistaken = options.firstSchedule > 0;
    OpPassManager &kernel = pm.nest<tg::KernelOp>();
    kernel.addPass(tg::createTgOptimizeKernels(optimize, &observer));
    kernel.addPass(tg::createTgExpandComposed());
    kernel.addPass(tg::createTgSimplifyIndex());
  }

private:
  struct Observer : tg::ScheduleObserver {
    void scheduled(tg::KernelOp kernel, OwningOpRef<tg::KernelOp> original,
                   unsigned number) override {
      // The first load reads the next element.
      if (tg::LoadOp load = *kernel.getBody().getOps<tg::LoadOp>().begin();
          isMistaken) {
        OpBuilder b(load);
        Value one = tg::ConstOp::create(b, load.getLoc(), b.getIndexType(),
                                        b.getIndexAttr(1));
        load.getIndexMutable().assign(
            tg::AddOp::create(b, load.getLoc(), load.getIndex(), one));
      }
      next->scheduled(kernel, std::move(original), number);
    }
    void refused(tg::KernelOp kernel, StringRef reason) override {
      next->refused(kernel, reason);
    }
    tg::ScheduleObserver *next = nullptr;
    bool isMistaken = false;
  };
  mutable Observer observer;
};
} // namespace

/// A simpler schedule is validated, too, and an error if it is wrong: the next
/// one does not hide it.
TEST_P(Fallback, SimplerSchedulesAreValidated) {
  const MistakenTarget mistaken(target);
  options.target = &mistaken;
  tinygrad::Context settings({{"CACHELEVEL", 0}});
  {
    OwningOpRef<ModuleOp> module = parse();
    tinygrad::compile(*module, device, options);
    EXPECT_GT(GlobalCounters::schedulesRefused, 0);
  }
  options.verifySchedules = true;
  auto expectError = [&](llvm::function_ref<void(ModuleOp)> generate) {
    OwningOpRef<ModuleOp> module = parse();
    std::string message;
    try {
      generate(*module);
      ADD_FAILURE() << "compiles";
    } catch (const CompileError &error) {
      message = error.what();
    }
    EXPECT_THAT(message, HasSubstr("computes something else after step"));
    EXPECT_THAT(message, Not(HasSubstr("taste")));
    // The file repeats the list, in which there is no mistake.
    StringRef file = message;
    file = file.split("--tg-verify-schedules ").second.split('`').first;
    OwningOpRef<ModuleOp> repeated =
        parseSourceFile<ModuleOp>(file, ParserConfig(&context));
    ASSERT_TRUE(repeated) << message;
    (*repeated).walk([](tg::KernelOp kernel) {
      EXPECT_TRUE(kernel.getSchedule());
      EXPECT_FALSE(kernel.getScheduled());
    });
    llvm::sys::fs::remove(file);
  };
  expectError(
      [&](ModuleOp module) { tinygrad::compile(module, device, options); });
  expectError([&](ModuleOp module) {
    tinygrad::schedule(module, device, options);
    tinygrad::generateCode(module, device, options);
  });
}

TEST_P(Fallback, SimplerSchedulesAreValid) {
  const std::vector<float> wanted = run();
  options.verifySchedules = true;
  for (auto refuses : {hasGroups, hasSteps}) {
    GlobalCounters::reset();
    PickyTarget picky(target, refuses);
    expectNear(runWith(&picky), wanted);
    EXPECT_GT(GlobalCounters::schedulesRefused, 0);
  }
}

/// Each kernel gets what is simplest.
TEST_P(Fallback, NoScheduleVerifies) {
  const std::vector<float> wanted = run();
  CarelessTarget careless(target, 100);
  expectNear(runWith(&careless), wanted);
  EXPECT_GT(GlobalCounters::schedulesRefused, 0);
  for (const char *kind : {" upcast ", " local ", " global ", " thread "})
    EXPECT_THAT(scheduled, Not(HasSubstr(kind)));
}

/// The code of all kernels of a module at once, as tg-compile writes it.
TEST_P(Fallback, CodeOfModule) {
  OwningOpRef<ModuleOp> module = parse();
  PickyTarget picky(target, hasGroups);
  options.target = &picky;
  tinygrad::schedule(*module, device, options);
  EXPECT_FALSE(tinygrad::generateCode(*module, device, options).empty());
  EXPECT_GT(GlobalCounters::schedulesRefused, 0);
  module->walk([](tg::KernelOp kernel) { EXPECT_FALSE(hasGroups(kernel)); });
}

INSTANTIATE_TEST_SUITE_P(Devices, Fallback, ::testing::Values("CPU", "SIM"),
                         [](const auto &info) {
                           return std::string(info.param);
                         });
