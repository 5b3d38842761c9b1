//===- Profile.h - what kernels took, and for whom --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The place in a program that kernels run for, and the summary of all kernels
/// at the end of a process with PROFILE=1.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_RUNTIME_PROFILE_H
#define TINYGRAD_RUNTIME_PROFILE_H

#include <string>

namespace tinygrad {

/// Says, until the end of a scope, that what this thread runs is run for a line
/// of the user's program. The outermost one counts: what a method of the
/// library calls is run for the caller of that method. \p file must live for
/// ever, as what std::source_location has does.
class CallSite {
public:
  CallSite(const char *file, unsigned line);
  ~CallSite();
  CallSite(const CallSite &) = delete;
  CallSite &operator=(const CallSite &) = delete;

  /// "main.cpp:12", of this thread; empty if nothing was said.
  static std::string describe();

private:
  bool isOutermost;
};

/// The time that one step of a program took; for the summary.
struct StepTime {
  std::string name;        ///< unique in the process
  std::string description; ///< the operations of the kernel
  double seconds = 0;
  double operations = 0;
  double bytes = 0;
};

/// Adds to the summary that is printed when the process ends. Any thread.
void recordStep(const StepTime &step);

/// The summary so far, as a table: for each kernel how often it ran, its time
/// and share of all time, its rates, and the share of the roofline that these
/// are. Empty if nothing was recorded. Measures the bandwidth of a copy and the
/// rate of multiplications the first time.
std::string profileSummary();
/// Forgets what was recorded.
void resetProfile();

} // namespace tinygrad

#endif // TINYGRAD_RUNTIME_PROFILE_H
