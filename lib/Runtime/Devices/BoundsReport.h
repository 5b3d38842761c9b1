//===- BoundsReport.h - out-of-bounds accesses ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// How kernels compiled with SPEC=2 report accesses to the running launch.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_RUNTIME_DEVICES_BOUNDSREPORT_H
#define TINYGRAD_LIB_RUNTIME_DEVICES_BOUNDSREPORT_H

#include <atomic>
#include <cstdint>
#include <string>

namespace tinygrad::detail {

/// The report of one launch, whose parts may run on several threads.
class BoundsReport {
public:
  /// During its lifetime, kernels on this thread report to this object.
  class Scope {
  public:
    explicit Scope(BoundsReport &report);
    ~Scope();
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;

  private:
    BoundsReport *previous;
  };

  /// Throws IndexError for the first out-of-bounds access that was reported.
  void check(const std::string &kernel) const;

  /// Called for kernels. `argument` is -1 for a kernel's local memory.
  void add(int64_t index, int64_t size, int64_t argument);

private:
  enum State { None, Writing, Written };
  std::atomic<int> state{None};
  int64_t index = 0, size = 0, argument = 0;
};

/// The function that kernels call, under the name below.
void reportBounds(int64_t index, int64_t size, int64_t argument);
inline constexpr const char *kReportBoundsName = "tg_report_bounds";

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_RUNTIME_DEVICES_BOUNDSREPORT_H
