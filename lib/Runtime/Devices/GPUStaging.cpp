//===- GPUStaging.cpp - copies between host and GPU -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Copies in parts through pinned memory.
///
//===----------------------------------------------------------------------===//

#include "GPUStaging.h"
#include "GPURuntime.h"

#include <algorithm>
#include <cstring>

using namespace tinygrad;
using namespace tinygrad::detail;

/// Of one copy; large enough that starting it costs little.
static constexpr std::size_t kPartBytes = std::size_t(4) << 20;
static constexpr std::size_t kRingBytes = 4 * kPartBytes;

//===----------------------------------------------------------------------===//
// Pinned memory
//===----------------------------------------------------------------------===//

char *PinnedMemory::get() {
  if (start || isMissing)
    return start;
  const GPUEntries &entries = device.driver().entries;
  void *address = nullptr;
  if (entries.allocateHost && entries.freeHost) {
    const GPUResult result = entries.allocateHost(&address, bytes, 0);
    device.noteFailure(result);
    device.throwIfLost();
    if (!result)
      address = nullptr;
  }
  isMissing = !address;
  start = static_cast<char *>(address);
  return start;
}

void PinnedMemory::release() {
  if (start)
    device.driver().entries.freeHost(start);
  start = nullptr;
}

//===----------------------------------------------------------------------===//
// To the device
//===----------------------------------------------------------------------===//

StagingRing::StagingRing(GPUDevice &device)
    : device(device), memory(device, kRingBytes) {}

void StagingRing::release() {
  const GPUEntries &entries = device.driver().entries;
  for (const InFlight &part : inFlight)
    entries.destroyEvent(part.event);
  for (void *event : events)
    entries.destroyEvent(event);
  memory.release();
}

void *StagingRing::takeEvent() {
  if (!events.empty()) {
    void *event = events.back();
    events.pop_back();
    return event;
  }
  void *event = nullptr;
  device.check(device.driver().entries.createEvent(&event, kEventWithoutTime));
  return event;
}

void StagingRing::waitForOldest() {
  device.check(
      device.driver().entries.synchronizeEvent(inFlight.front().event));
  freed = inFlight.front().end;
  events.push_back(inFlight.front().event);
  inFlight.pop_front();
}

/// The address of the next \p bytes of the ring, which the device does not use
/// any more.
char *StagingRing::take(char *start, std::size_t bytes) {
  const std::size_t offset = written % kRingBytes;
  const std::size_t skipped =
      offset + bytes > kRingBytes ? kRingBytes - offset : 0;
  while (!inFlight.empty() && written + skipped + bytes - freed > kRingBytes)
    waitForOldest();
  if (inFlight.empty())
    freed = written;
  char *part = start + (skipped ? 0 : offset);
  written += skipped + bytes;
  return part;
}

void StagingRing::copy(void *to, const void *from, std::size_t bytes) {
  const GPUEntries &entries = device.driver().entries;
  std::lock_guard<std::mutex> lock(mutex);
  char *start = memory.get();
  if (!start) {
    device.check(entries.copyIn(to, from, bytes, device.stream()));
    device.check(entries.synchronizeStream(device.stream()));
    return;
  }
  for (std::size_t done = 0; done < bytes;) {
    const std::size_t count = std::min(bytes - done, kPartBytes);
    char *part = take(start, count);
    std::memcpy(part, static_cast<const char *>(from) + done, count);
    void *event = takeEvent();
    GPUResult result = entries.copyIn(static_cast<char *>(to) + done, part,
                                      count, device.stream());
    if (result)
      result = entries.recordEvent(event, device.stream());
    if (!result)
      events.push_back(event);
    else
      inFlight.push_back({written, event});
    device.check(result);
    done += count;
  }
}

//===----------------------------------------------------------------------===//
// To the host
//===----------------------------------------------------------------------===//

StagingPair::StagingPair(GPUDevice &device)
    : device(device), memory(device, 2 * kPartBytes) {}

void StagingPair::release() {
  for (void *event : events)
    if (event)
      device.driver().entries.destroyEvent(event);
  memory.release();
}

void StagingPair::copy(void *to, void *from, std::size_t bytes) {
  const GPUEntries &entries = device.driver().entries;
  std::lock_guard<std::mutex> lock(mutex);
  char *start = memory.get();
  if (!start) {
    device.check(entries.copyOut(to, from, bytes, device.stream()));
    device.check(entries.synchronizeStream(device.stream()));
    return;
  }
  for (void *&event : events)
    if (!event)
      device.check(entries.createEvent(&event, kEventWithoutTime));
  const std::size_t numParts = (bytes + kPartBytes - 1) / kPartBytes;
  auto size = [&](std::size_t part) {
    return std::min(bytes - part * kPartBytes, kPartBytes);
  };
  for (std::size_t part = 0; part <= numParts; ++part) {
    if (part < numParts) {
      device.check(
          entries.copyOut(start + part % 2 * kPartBytes,
                          static_cast<char *>(from) + part * kPartBytes,
                          size(part), device.stream()));
      device.check(entries.recordEvent(events[part % 2], device.stream()));
    }
    if (part == 0)
      continue;
    const std::size_t last = part - 1;
    device.check(entries.synchronizeEvent(events[last % 2]));
    std::memcpy(static_cast<char *>(to) + last * kPartBytes,
                start + last % 2 * kPartBytes, size(last));
  }
}
