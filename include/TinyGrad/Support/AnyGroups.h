//===- AnyGroups.h - kernels for any number of groups -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// How the code of a kernel says that each of its groups computes several
/// blocks of results.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_SUPPORT_ANYGROUPS_H
#define TINYGRAD_SUPPORT_ANYGROUPS_H

#include <string_view>

namespace tinygrad {

/// Code for a kernel that computes the same with any number of groups along x
/// has a constant array whose name is that of the kernel and this. A launch
/// then has at most as many groups as the device has compute units: those that
/// begin when others end would only make it longer.
inline constexpr std::string_view kAnyGroupsSuffix = "_any_groups";

} // namespace tinygrad

#endif // TINYGRAD_SUPPORT_ANYGROUPS_H
