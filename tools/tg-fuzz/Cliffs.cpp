//===- Cliffs.cpp - performance cliffs ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Times a program as scheduled and with every reduction stored.
///
//===----------------------------------------------------------------------===//

#include "Cliffs.h"

#include "TinyGrad/Compiler/Compiler.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/Runtime/Environment.h"
#include "TinyGrad/Runtime/Error.h"
#include "support/ToolSupport.h"
#include "llvm/Support/FormatVariadic.h"

#include <ctime>

using namespace mlir;
using namespace mlir::tg;

/// Smaller differences are within the measurement error.
constexpr double kMinSeconds = 1e-4;
/// Each variant is run until it has taken this time, or this number of times.
constexpr double kEnoughSeconds = 0.2;
constexpr int kMaxRuns = 7;

GeneratorOptions mlir::tg::getTimingOptions(int64_t maxOps) {
  GeneratorOptions options;
  options.maxOps = maxOps;
  options.symbolicPercent = 0;
  options.maxElements = options.largeElements = 1 << 20;
  options.forTiming = true;
  return options;
}

void mlir::tg::storeReductions(ModuleOp module) {
  module.walk([](ReduceOp reduce) {
    OpBuilder builder(reduce.getContext());
    builder.setInsertionPointAfter(reduce);
    Value stored = ContiguousOp::create(builder, reduce.getLoc(), reduce);
    reduce.getResult().replaceAllUsesExcept(stored, stored.getDefiningOp());
  });
}

double mlir::tg::countPositions(ModuleOp module) {
  double count = 0;
  module.walk([&](Operation *op) {
    if (op->getNumResults() == 1 && !isMovementOp(op))
      if (auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType()))
        count += static_cast<double>(getBufferSize(type));
  });
  return count;
}

bool mlir::tg::isCliff(const ProgramTimes &times, double factor) {
  return times.asItIs >= factor * times.stored &&
         times.asItIs - times.stored >= kMinSeconds;
}

static double getCpuSeconds() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) +
         1e-9 * static_cast<double>(time.tv_nsec);
}

ProgramTimes mlir::tg::timeProgram(ModuleOp module, StringRef deviceName) {
  // Every program is new, so caches, especially on disk, are useless.
  tinygrad::Context settings({{"CACHELEVEL", 0}});
  tinygrad::Device &device = tinygrad::Device::get(deviceName.str());
  OwningOpRef<ModuleOp> modules[] = {module.clone(), module.clone()};
  storeReductions(*modules[1]);
  auto function = module.lookupSymbol<func::FuncOp>("main");
  SmallVector<Type> inputTypes(function.getArgumentTypes());
  std::mt19937_64 random(1);
  std::vector<HostTensor> inputs;
  for (Type type : inputTypes) {
    FailureOr<HostTensor> tensor =
        makeHostTensor(function.getLoc(), cast<RankedTensorType>(type));
    if (failed(tensor))
      throw tinygrad::Error("an argument cannot be made");
    inputs.push_back(makeRandomTensor(std::move(*tensor), random));
  }
  std::vector<tinygrad::Buffer> buffers = toBuffers(device, inputs, inputTypes);
  double best[2], spent[2] = {0, 0};
  std::shared_ptr<tinygrad::CompiledProgram> programs[2];
  for (int way : {0, 1})
    programs[way] = tinygrad::compile(*modules[way], device);
  for (int run = 0; run < kMaxRuns; ++run)
    for (int turn : {0, 1}) {
      // Alternates the order, so that no variant always reuses the memory of
      // the other.
      const int way = (run + turn) % 2;
      // The first run includes page faults and loading of code.
      if (run > 1 && spent[way] > kEnoughSeconds)
        continue;
      const double begin = getCpuSeconds();
      auto outputs = programs[way]->run(buffers);
      device.synchronize();
      const double time = getCpuSeconds() - begin;
      best[way] = run == 0 ? time : std::min(best[way], time);
      spent[way] += time;
    }
  return {best[0], best[1]};
}

ProgramTimes mlir::tg::confirm(const std::function<ProgramTimes()> &measure,
                               double factor) {
  ProgramTimes times = measure();
  for (int i = 0; i < 2 && isCliff(times, factor); ++i)
    if (ProgramTimes again = measure(); again.getRatio() < times.getRatio())
      times = again;
  return times;
}

std::string mlir::tg::toString(const ProgramTimes &times) {
  return llvm::formatv("{0:f1} times slower: {1:f3} ms, {2:f3} ms with every "
                       "reduction stored",
                       times.getRatio(), times.asItIs * 1e3, times.stored * 1e3)
      .str();
}
