//===- CodeMemory.cpp - memory that kernels are linked into ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Allocates parts of large private slabs by best fit.
///
//===----------------------------------------------------------------------===//

#include "CodeMemory.h"

#include "llvm/ExecutionEngine/JITLink/JITLink.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Memory.h"

#include <cstring>

using namespace llvm;
using namespace llvm::jitlink;
using tinygrad::detail::CodeMemory;

CodeMemory::CodeMemory(std::size_t pageBytes, std::size_t slabBytes)
    : pageBytes(pageBytes), slabBytes(alignTo(slabBytes, pageBytes)),
      others(pageBytes) {}

CodeMemory::~CodeMemory() {
  for (auto [address, bytes] : slabs) {
    sys::MemoryBlock block(address, bytes);
    (void)sys::Memory::releaseMappedMemory(block);
  }
}

//===----------------------------------------------------------------------===//
// Pages
//===----------------------------------------------------------------------===//

void CodeMemory::insertFree(char *address, std::size_t bytes) {
  freeRanges[address] = bytes;
  freeSizes.insert({bytes, address});
}

void CodeMemory::eraseFree(std::map<char *, std::size_t>::iterator range) {
  freeSizes.erase({range->second, range->first});
  freeRanges.erase(range);
}

static std::error_code protect(char *address, std::size_t bytes,
                               unsigned flags) {
  return sys::Memory::protectMappedMemory(sys::MemoryBlock(address, bytes),
                                          flags);
}

Expected<char *> CodeMemory::take(std::size_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  auto best = freeSizes.lower_bound({bytes, nullptr});
  if (best == freeSizes.end()) {
    std::error_code error;
    sys::MemoryBlock slab = sys::Memory::allocateMappedMemory(
        std::max(bytes, slabBytes), nullptr,
        sys::Memory::MF_READ | sys::Memory::MF_WRITE, error);
    if (error)
      return createStringError(error, "no memory for code: " + error.message());
    char *base = static_cast<char *>(slab.base());
    slabs[base] = slab.allocatedSize();
    insertFree(base, slab.allocatedSize());
    best = freeSizes.lower_bound({bytes, nullptr});
  }
  const auto [size, address] = *best;
  // Freed pages stay executable, so that no mapping is split.
  if (std::error_code error =
          protect(address, bytes, sys::Memory::MF_READ | sys::Memory::MF_WRITE))
    return createStringError(error, "cannot make memory for code writable: " +
                                        error.message());
  eraseFree(freeRanges.find(address));
  if (size > bytes)
    insertFree(address + bytes, size - bytes);
  return address;
}

void CodeMemory::giveBack(char *address, std::size_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  const auto slab = std::prev(slabs.upper_bound(address));
  auto next = freeRanges.lower_bound(address);
  // Adjacent ranges of two slabs are not merged.
  if (next != freeRanges.end() && next->first == address + bytes &&
      next->first < slab->first + slab->second) {
    bytes += next->second;
    auto merged = next++;
    eraseFree(merged);
  }
  if (next != freeRanges.begin())
    if (auto before = std::prev(next);
        before->first + before->second == address &&
        before->first >= slab->first) {
      address = before->first;
      bytes += before->second;
      eraseFree(before);
    }
  // One empty slab is kept for reuse.
  if (bytes == slab->second && slabs.size() > 1) {
    sys::MemoryBlock block(address, bytes);
    (void)sys::Memory::releaseMappedMemory(block);
    slabs.erase(slab);
    return;
  }
  insertFree(address, bytes);
}

//===----------------------------------------------------------------------===//
// Objects
//===----------------------------------------------------------------------===//

class CodeMemory::InFlight : public InFlightAlloc {
public:
  InFlight(CodeMemory &memory, BasicLayout layout, char *address,
           std::size_t bytes)
      : memory(memory), layout(std::move(layout)), address(address),
        bytes(bytes) {}

  void abandon(OnAbandonedFunction onAbandoned) override {
    memory.giveBack(address, bytes);
    onAbandoned(Error::success());
  }

  void finalize(OnFinalizedFunction onFinalized) override {
    // Makes the written code visible to the instruction cache.
    if (std::error_code error = protect(
            address, bytes, sys::Memory::MF_READ | sys::Memory::MF_EXEC)) {
      memory.giveBack(address, bytes);
      onFinalized(createStringError(error, "cannot make code executable: " +
                                               error.message()));
      return;
    }
    auto actions = orc::shared::runFinalizeActions(layout.graphAllocActions());
    if (!actions) {
      memory.giveBack(address, bytes);
      onFinalized(actions.takeError());
      return;
    }
    {
      std::lock_guard<std::mutex> lock(memory.mutex);
      memory.objects[address] = {bytes, std::move(*actions)};
    }
    onFinalized(FinalizedAlloc(orc::ExecutorAddr::fromPtr(address)));
  }

private:
  CodeMemory &memory;
  BasicLayout layout;
  char *address;
  std::size_t bytes;
};

void CodeMemory::allocate(const JITLinkDylib *library, LinkGraph &graph,
                          OnAllocatedFunction onAllocated) {
  BasicLayout layout(graph);
  std::size_t bytes = 0;
  for (auto &[group, segment] : layout.segments()) {
    if ((group.getMemProt() & orc::MemProt::Write) != orc::MemProt::None ||
        segment.Alignment > pageBytes) {
      others.allocate(library, graph, std::move(onAllocated));
      return;
    }
    bytes = alignTo(bytes, segment.Alignment) + segment.ContentSize +
            segment.ZeroFillSize;
  }
  bytes = alignTo(std::max<std::size_t>(bytes, 1), pageBytes);
  Expected<char *> address = take(bytes);
  if (!address) {
    onAllocated(address.takeError());
    return;
  }
  std::memset(*address, 0, bytes);
  std::size_t offset = 0;
  for (auto &[group, segment] : layout.segments()) {
    offset = alignTo(offset, segment.Alignment);
    segment.WorkingMem = *address + offset;
    segment.Addr = orc::ExecutorAddr::fromPtr(segment.WorkingMem);
    offset += segment.ContentSize + segment.ZeroFillSize;
  }
  if (Error error = layout.apply()) {
    giveBack(*address, bytes);
    onAllocated(std::move(error));
    return;
  }
  onAllocated(
      std::make_unique<InFlight>(*this, std::move(layout), *address, bytes));
}

void CodeMemory::deallocate(std::vector<FinalizedAlloc> list,
                            OnDeallocatedFunction onDeallocated) {
  Error result = Error::success();
  std::vector<FinalizedAlloc> rest;
  while (!list.empty()) {
    char *address = list.back().getAddress().toPtr<char *>();
    Object object;
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (auto node = objects.extract(address))
        object = std::move(node.mapped());
    }
    if (object.bytes == 0) {
      rest.push_back(std::move(list.back()));
    } else {
      result =
          joinErrors(std::move(result),
                     orc::shared::runDeallocActions(object.deallocActions));
      giveBack(address, object.bytes);
      list.back().release();
    }
    list.pop_back();
  }
  if (!rest.empty())
    result = joinErrors(std::move(result), others.deallocate(std::move(rest)));
  onDeallocated(std::move(result));
}
