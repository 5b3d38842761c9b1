//===- Checkpoint.cpp - the state of a training ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A checkpoint is a safetensors file. Its metadata hold the state of the
/// random numbers as "random.seed" and "random.counters", and each number as
/// "number.NAME", in the fewest decimal digits that give the same double.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/State/Checkpoint.h"
#include "SafetensorsFile.h"
#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/Runtime/Profile.h"
#include "TinyGrad/State/LoadState.h"

#include <charconv>
#include <cstdint>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>

using namespace tinygrad;
using namespace tinygrad::state;

static constexpr std::string_view kSeedKey = "random.seed";
static constexpr std::string_view kCountersKey = "random.counters";
static constexpr std::string_view kNumberPrefix = "number.";

/// One counter for all devices, of random numbers other than today's: they
/// cannot be gone on with.
static constexpr const char *kOldCounterKey = "random.counter";

template <typename Number> static std::string textOf(Number number) {
  char buffer[64];
  const std::to_chars_result result =
      std::to_chars(buffer, buffer + sizeof(buffer), number);
  return std::string(buffer, result.ptr);
}

/// The text under a key of the metadata.
static const std::string &find(const std::string &path,
                               const Metadata &metadata,
                               const std::string &key) {
  const auto it = metadata.find(key);
  if (it == metadata.end())
    throw IoError(path + ": not a checkpoint: its metadata have no '" + key +
                  "'");
  return it->second;
}

/// A number in the text under a key of the metadata.
template <typename Number>
static Number parse(const std::string &path, const std::string &key,
                    const std::string &text) {
  Number number{};
  const char *end = text.data() + text.size();
  const std::from_chars_result result =
      std::from_chars(text.data(), end, number);
  if (result.ec != std::errc() || result.ptr != end)
    throw IoError(path + ": malformed checkpoint: '" + key + "' is '" + text +
                  "', not a number");
  return number;
}

void state::detail::writeCheckpoint(const std::string &path,
                                    const StateDict &tensors,
                                    const CheckpointNumbers &numbers,
                                    std::source_location where) {
  const CallSite site(where.file_name(), where.line());
  StateDict distinct;
  std::set<const void *> seen;
  for (const auto &[name, tensor] : tensors)
    if (seen.insert(&tensor.impl()).second)
      distinct.insert(name, tensor);
  Metadata metadata;
  const RandomState random = Graph::current().randomState();
  metadata.emplace(kSeedKey, textOf(random.seed));
  std::string counters;
  for (const auto &[device, count] : random.counters)
    counters += (counters.empty() ? "" : " ") + device + "=" + textOf(count);
  metadata.emplace(kCountersKey, counters);
  for (const auto &[name, number] : numbers)
    metadata.emplace(std::string(kNumberPrefix) + name, textOf(number));
  safeSave(path, distinct, metadata);
}

CheckpointNumbers state::detail::readCheckpoint(const std::string &path,
                                                const StateDict &tensors) {
  const SafetensorsContents contents = readSafetensors(path, "CPU");
  if (contents.metadata.count(kOldCounterKey))
    throw IoError(path +
                  ": a checkpoint of an older version (its metadata "
                  "have '" +
                  kOldCounterKey +
                  "'), whose random numbers were others; its tensors are read "
                  "by safeLoad(), safe_load() in Python");
  const std::string seedKey(kSeedKey), countersKey(kCountersKey);
  RandomState random;
  random.seed =
      parse<uint64_t>(path, seedKey, find(path, contents.metadata, seedKey));
  std::istringstream counters(find(path, contents.metadata, countersKey));
  for (std::string entry; counters >> entry;) {
    const std::size_t end = entry.rfind('=');
    const std::string device = entry.substr(0, end);
    // A device that is not there is an error, before anything is changed.
    (void)Device::get(device);
    random.counters.emplace_back(device,
                                 parse<uint64_t>(path, countersKey,
                                                 end == std::string::npos
                                                     ? std::string()
                                                     : entry.substr(end + 1)));
  }
  CheckpointNumbers numbers;
  for (const auto &[key, text] : contents.metadata)
    if (key.starts_with(kNumberPrefix))
      numbers.emplace(key.substr(kNumberPrefix.size()),
                      parse<double>(path, key, text));
  try {
    loadTensors(tensors, contents.tensors, {});
  } catch (const StateError &error) {
    throw StateError(error.report(), path);
  }
  Graph::current().setRandomState(random);
  return numbers;
}
