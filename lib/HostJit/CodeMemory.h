//===- CodeMemory.h - memory that kernels are linked into -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the object loader: puts many kernels into few mappings.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_HOSTJIT_CODEMEMORY_H
#define TINYGRAD_LIB_HOSTJIT_CODEMEMORY_H

#include "llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h"

#include <map>
#include <mutex>
#include <set>

namespace tinygrad::detail {

/// Places objects on whole pages of large slabs. LLVM's own manager maps each
/// object separately, and code and constants with different protections, so
/// that a process reaches vm.max_map_count after about 32,000 kernels. Here,
/// all pages of objects are readable and executable, so that a slab needs two
/// mappings: its used pages and the rest. No page is ever writable and
/// executable at once.
///
/// Objects with variables of their own are left to LLVM's manager.
class CodeMemory : public llvm::jitlink::JITLinkMemoryManager {
public:
  CodeMemory(std::size_t pageBytes, std::size_t slabBytes);
  ~CodeMemory() override;

  using JITLinkMemoryManager::allocate;
  using JITLinkMemoryManager::deallocate;
  void allocate(const llvm::jitlink::JITLinkDylib *library,
                llvm::jitlink::LinkGraph &graph,
                OnAllocatedFunction onAllocated) override;
  void deallocate(std::vector<FinalizedAlloc> objects,
                  OnDeallocatedFunction onDeallocated) override;

private:
  class InFlight;
  using Actions = std::vector<llvm::orc::shared::WrapperFunctionCall>;
  struct Object {
    std::size_t bytes = 0;
    Actions deallocActions;
  };

  /// Allocates writable pages.
  llvm::Expected<char *> take(std::size_t bytes);
  void giveBack(char *address, std::size_t bytes);
  void insertFree(char *address, std::size_t bytes);
  void eraseFree(std::map<char *, std::size_t>::iterator range);

  const std::size_t pageBytes, slabBytes;
  llvm::jitlink::InProcessMemoryManager others;
  std::mutex mutex; // guards the following members
  std::map<char *, std::size_t> slabs;
  /// Free ranges, by address and by size.
  std::map<char *, std::size_t> freeRanges;
  std::set<std::pair<std::size_t, char *>> freeSizes;
  std::map<char *, Object> objects;
};

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_HOSTJIT_CODEMEMORY_H
