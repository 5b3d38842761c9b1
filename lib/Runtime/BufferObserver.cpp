//===- BufferObserver.cpp - memory that is only looked at -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The list of all observers.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Runtime/BufferObserver.h"

#include <atomic>
#include <map>
#include <mutex>
#include <utility>

using namespace tinygrad;

namespace {
/// All observers, by the beginning of their memory. Several memories begin at
/// one address if they are those of other libraries.
struct Observers {
  std::mutex mutex;
  std::multimap<const void *, const BufferObserver *> all;
  /// The size of `all`, which is 0 in most programs.
  std::atomic<std::size_t> count = 0;
};
} // namespace

static Observers &getObservers() {
  static auto *observers = new Observers();
  return *observers;
}

static const void *getBeginning(const Buffer &buffer) {
  return static_cast<const char *>(buffer.address()) - buffer.offset();
}

BufferObserver::BufferObserver(Buffer buffer) : observed(std::move(buffer)) {
  if (!observed)
    return;
  Observers &observers = getObservers();
  const std::lock_guard<std::mutex> lock(observers.mutex);
  observers.all.emplace(getBeginning(observed), this);
  observers.count = observers.all.size();
}

BufferObserver::~BufferObserver() {
  if (!observed)
    return;
  Observers &observers = getObservers();
  const std::lock_guard<std::mutex> lock(observers.mutex);
  auto it = observers.all.lower_bound(getBeginning(observed));
  while (it->second != this)
    ++it;
  observers.all.erase(it);
  observers.count = observers.all.size();
}

long BufferObserver::countUsers(const Buffer &buffer) {
  Observers &observers = getObservers();
  if (!buffer || observers.count == 0)
    return buffer.useCount();
  const std::lock_guard<std::mutex> lock(observers.mutex);
  long count = buffer.useCount();
  const auto [begin, end] = observers.all.equal_range(getBeginning(buffer));
  for (auto it = begin; it != end; ++it)
    count -= it->second->observed.sharesMemoryWith(buffer);
  return count;
}
