//===- BoundsReport.cpp - out-of-bounds accesses --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Collects the first out-of-bounds access of a launch.
///
//===----------------------------------------------------------------------===//

#include "BoundsReport.h"
#include "TinyGrad/Runtime/Error.h"

using namespace tinygrad;
using namespace tinygrad::detail;

static thread_local BoundsReport *current = nullptr;

BoundsReport::Scope::Scope(BoundsReport &report) : previous(current) {
  current = &report;
}
BoundsReport::Scope::~Scope() { current = previous; }

void BoundsReport::add(int64_t newIndex, int64_t newSize, int64_t number) {
  int expected = None;
  if (!state.compare_exchange_strong(expected, Writing))
    return;
  index = newIndex;
  size = newSize;
  argument = number;
  state = Written;
}

void BoundsReport::check(const std::string &kernel) const {
  if (state != Written)
    return;
  const std::string buffer =
      argument < 0 ? "a tile of its own" : "buffer " + std::to_string(argument);
  throw IndexError("kernel " + kernel + " reaches element " +
                   std::to_string(index) + " of " + buffer + ", which has " +
                   std::to_string(size) + " elements");
}

void tinygrad::detail::reportBounds(int64_t index, int64_t size,
                                    int64_t argument) {
  if (current)
    current->add(index, size, argument);
}
