//===- BoundsReport.h - accesses outside of buffers -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What kernels compiled with SPEC=2 tell the launch that they run for.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_RUNTIME_DEVICES_BOUNDSREPORT_H
#define TINYGRAD_LIB_RUNTIME_DEVICES_BOUNDSREPORT_H

#include <atomic>
#include <cstdint>
#include <string>

namespace tinygrad::detail {

/// Of one launch, whose parts may run on several threads.
class BoundsReport {
public:
  /// While it lives, kernels on this thread report here.
  class Scope {
  public:
    explicit Scope(BoundsReport &report);
    ~Scope();
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;

  private:
    BoundsReport *previous;
  };

  /// Throws IndexError if a kernel reported something: its first access outside
  /// of a buffer.
  void check(const std::string &kernel) const;

  /// For the kernels. `argument` is -1 for memory of the kernel's own.
  void add(int64_t index, int64_t size, int64_t argument);

private:
  enum State { None, Writing, Written };
  std::atomic<int> state{None};
  int64_t index = 0, size = 0, argument = 0;
};

/// The function that kernels call, known to them by the name below.
void reportBounds(int64_t index, int64_t size, int64_t argument);
inline constexpr const char *reportBoundsName = "tg_report_bounds";

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_RUNTIME_DEVICES_BOUNDSREPORT_H
