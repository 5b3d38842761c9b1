//===- UnscheduledKernels.h - kernels before their schedules ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Level 2 to level 3, and back to a simpler schedule.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_COMPILER_UNSCHEDULEDKERNELS_H
#define TINYGRAD_LIB_COMPILER_UNSCHEDULEDKERNELS_H

#include "TinyGrad/Compiler/Compiler.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringMap.h"
#include <mutex>

namespace tinygrad::detail {

/// What a module is compiled for.
struct Place {
  Place(Device &device, const CompileOptions &options);
  explicit Place(const mlir::tg::Target &target);

  const mlir::tg::Target &target;
  /// Where the program runs.
  std::string device;
};

mlir::tg::PipelineOptions makePipelineOptions(const std::string &device,
                                              const CompileOptions &options);

/// Runs the passes that \p build adds. If they fail, an error is emitted.
llvm::LogicalResult
runPipeline(mlir::ModuleOp module, const CompileOptions &options,
            llvm::StringRef what,
            llvm::function_ref<void(mlir::OpPassManager &)> build);

/// The text of an operation in a module, without numbers of the others' values.
std::string print(mlir::Operation *op);

/// Emits an error if a kernel computes something else after it is scheduled.
llvm::LogicalResult compareSchedules(mlir::ModuleOp module,
                                     const CompileOptions &options);

/// The kernels of a module before they were scheduled. One of which no code can
/// be made gets the next simpler schedule.
class UnscheduledKernels : public mlir::tg::ScheduleObserver {
public:
  UnscheduledKernels(const Place &place, const CompileOptions &options)
      : place(place), options(options), target(place.target) {}

  /// Level 2 to level 3.
  llvm::LogicalResult schedule(mlir::ModuleOp module, unsigned first = 0);

  /// Gives a scheduled kernel, of which \p reason says why there is no code,
  /// the next simpler schedule. Returns false, without changing it, if there is
  /// none. Emits an error if the simpler schedule computes something else, and
  /// that is to be checked.
  mlir::FailureOr<bool> simplify(mlir::tg::KernelOp kernel,
                                 llvm::StringRef reason);

  /// Calls \p change. Kernels that it changes have no simpler schedule.
  llvm::LogicalResult
  forgetChanged(mlir::ModuleOp module,
                llvm::function_ref<llvm::LogicalResult()> change);

  void scheduled(mlir::tg::KernelOp kernel,
                 mlir::OwningOpRef<mlir::tg::KernelOp> original,
                 unsigned next) override;
  void refused(mlir::tg::KernelOp kernel, llvm::StringRef reason) override;

private:
  struct Unscheduled {
    mlir::OwningOpRef<mlir::tg::KernelOp> kernel;
    unsigned next = 0;
    /// What its steps, and no other pass, made of it, if that is to be checked.
    mlir::OwningOpRef<mlir::tg::KernelOp> scheduled;
  };

  bool scheduleQuietly(mlir::ModuleOp module, unsigned first);
  llvm::LogicalResult compare(llvm::StringRef name, mlir::ModuleOp module);

  const Place place;
  const CompileOptions &options;
  const mlir::tg::Target &target;
  std::mutex mutex;
  llvm::StringMap<Unscheduled> kernels;
};

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_COMPILER_UNSCHEDULEDKERNELS_H
