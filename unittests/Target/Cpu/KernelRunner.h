//===- KernelRunner.h - compiles and runs kernels in text form --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// For tests: compiles the text of a kernel to a function that can be called.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_UNITTESTS_TARGET_CPU_KERNELRUNNER_H
#define TINYGRAD_UNITTESTS_TARGET_CPU_KERNELRUNNER_H

#include "TinyGrad/Target/Cpu/CpuTarget.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

class KernelRunner {
public:
  /// The processor given by MCPU, or the host.
  static const mlir::tg::CpuTargetOptions &getProcessor();

  /// Compiles a module with one `tg.kernel`. On failure, ok() is false and
  /// error() is the reason.
  explicit KernelRunner(
      const std::string &text,
      const mlir::tg::CpuTargetOptions &options = getProcessor());
  ~KernelRunner();

  bool ok() const { return function != nullptr; }
  const std::string &error() const { return message; }
  int64_t parallelExtent() const { return extent; }
  /// Texts of the stages.
  std::string vectorText, llvmText, assemblyText;
  /// Milliseconds for lowering, translation, optimization and code generation.
  double times[4] = {};

  /// Runs all work items, or those in [begin, end).
  void run(const std::vector<void *> &buffers) const {
    run(buffers, 0, extent);
  }
  void run(const std::vector<void *> &buffers, int64_t begin,
           int64_t end) const {
    function(const_cast<void **>(buffers.data()), nullptr, begin, end);
  }

private:
  struct Loaded;
  std::unique_ptr<Loaded> loaded;
  void (*function)(void **, const int64_t *, int64_t, int64_t) = nullptr;
  int64_t extent = 0;
  std::string message;
};

#endif // TINYGRAD_UNITTESTS_TARGET_CPU_KERNELRUNNER_H
