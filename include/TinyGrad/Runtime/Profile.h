//===- Profile.h - kernel times by call site --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Attributes kernels to lines of the user's program, and prints a summary of
/// all kernels at the end of a process with PROFILE=1.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_RUNTIME_PROFILE_H
#define TINYGRAD_RUNTIME_PROFILE_H

#include <string>

namespace tinygrad {

/// Attributes everything that this thread runs until the end of a scope to a
/// line of the user's program. The outermost scope wins: kernels run by a
/// method that another method calls belong to the caller of the outer method.
/// \p file must outlive the process, as the strings of std::source_location do.
class CallSite {
public:
  CallSite(const char *file, unsigned line);
  ~CallSite();
  CallSite(const CallSite &) = delete;
  CallSite &operator=(const CallSite &) = delete;

  /// The call site of this thread, such as "main.cpp:12"; empty if there is
  /// none.
  static std::string describe();

private:
  bool isOutermost;
};

/// The time of one step of a program, for the summary.
struct StepTime {
  std::string name;        ///< unique in the process
  std::string description; ///< the operations of the kernel
  double seconds = 0;
  double operations = 0;
  double bytes = 0;
  /// Run by the host's processors, whose roofline is known.
  bool isOnHost = true;
};

/// Adds a step to the summary. May be called from any thread.
void recordStep(const StepTime &step);

/// The summary so far, as a table: for each kernel the number of runs, its time
/// and share of the total time, its rates, and on the host their share of the
/// roofline. Empty if nothing was recorded. The first call with kernels of the
/// host measures the bandwidth of a copy and the peak rate of arithmetic.
std::string profileSummary();
/// Clears the recorded steps.
void resetProfile();

} // namespace tinygrad

#endif // TINYGRAD_RUNTIME_PROFILE_H
