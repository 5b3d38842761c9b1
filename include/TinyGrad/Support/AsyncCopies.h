//===- AsyncCopies.h - copies that no work item waits for -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// How the work items of a GPU copy from global memory to that of their group
/// without waiting. This header belongs to no library.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_SUPPORT_ASYNCCOPIES_H
#define TINYGRAD_SUPPORT_ASYNCCOPIES_H

#include <cstdint>

namespace tinygrad {

/// The values of the fact `async_copies` of a target.
enum class AsyncCopies : int64_t {
  none,
  /// Each item copies up to 16 bytes to an address of its own (cp.async).
  ofItems,
  /// The items of a subgroup copy 16 bytes each, from addresses of their own to
  /// consecutive ones (global_load_lds_dwordx4).
  ofSubgroups
};

/// Where copies are those of subgroups: the bytes that an item copies at once,
/// and the items of a subgroup.
inline constexpr int64_t kDirectCopyBytes = 16, kDirectCopyItems = 64;

} // namespace tinygrad

#endif // TINYGRAD_SUPPORT_ASYNCCOPIES_H
