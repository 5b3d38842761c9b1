//===- RandomCounters.cpp - the state of random numbers -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// How many random numbers a graph has made on each device, and the key of the
/// next ones.
///
//===----------------------------------------------------------------------===//

#include "RandomCounters.h"
#include "TinyGrad/Support/Threefry.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/SHA256.h"

#include <array>

using namespace tinygrad;
using namespace tinygrad::detail;

std::size_t RandomCounters::indexOf(Device &device) {
  const auto it = llvm::find_if(
      entries, [&](const Entry &entry) { return entry.device == &device; });
  const std::size_t index = it - entries.begin();
  if (it == entries.end())
    entries.push_back({&device, 0});
  return index;
}

uint64_t RandomCounters::countOf(Device &device) const {
  for (const Entry &entry : entries)
    if (entry.device == &device)
      return entry.count;
  return 0;
}

uint32_t RandomCounters::deviceWord(Device &device) {
  std::array<uint8_t, 4> index;
  llvm::support::endian::write32be(index.data(), uint32_t(indexOf(device)));
  const std::array<uint8_t, 32> digest = llvm::SHA256::hash(index);
  return llvm::support::endian::read32be(digest.data() + digest.size() - 4);
}

uint64_t RandomCounters::keyOf(Device &device, uint64_t seed, uint64_t count) {
  return threefry(count, seedKey(seed, deviceWord(device)));
}
