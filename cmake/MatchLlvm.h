//===- MatchLlvm.h - classes laid out as in the installed LLVM --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Included first by every C++ source of a debug build. llvm::Statistic, and
/// with it the statistics of a pass, are larger without NDEBUG; but their
/// constructor is in the installed library, which was compiled with it. This
/// gives own code, whose assertions stay on, the library's idea of the class.
///
//===----------------------------------------------------------------------===//

#ifndef NDEBUG
#define NDEBUG
#include "llvm/ADT/Statistic.h"
#undef NDEBUG
#include <cassert>
#endif
