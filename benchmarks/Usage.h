//===- Usage.h - how a benchmark is called ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `--help` of the benchmarks.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_BENCHMARKS_USAGE_H
#define TINYGRAD_BENCHMARKS_USAGE_H

#include <cstdio>
#include <cstring>

/// Prints the usage if an argument is `--help`, or to the standard error if
/// there are more than `most` arguments or one is an option that is not in
/// `usage`. Returns the exit code of the program then, and -1 if it is to run.
inline int handleUsage(int argc, char **argv, const char *usage, int most) {
  bool isWrong = argc - 1 > most;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--help") == 0) {
      std::fputs(usage, stdout);
      return 0;
    }
    isWrong |= argv[i][0] == '-' && !std::strstr(usage, argv[i]);
  }
  if (!isWrong)
    return -1;
  std::fputs(usage, stderr);
  return 2;
}

#endif // TINYGRAD_BENCHMARKS_USAGE_H
