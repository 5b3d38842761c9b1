//===- Artifact.cpp - compiled programs on devices ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Checks that a device can run the code of an artifact, and loads it.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Runtime/Artifact.h"
#include "Devices/HostCode.h"
#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/Support/GPUChips.h"

#include <charconv>
#include <optional>

using namespace tinygrad;

/// The number of "sm_90" or "sm_90a".
static std::optional<unsigned> getCapability(std::string_view architecture) {
  unsigned number = 0;
  if (!architecture.starts_with("sm_"))
    return std::nullopt;
  architecture.remove_prefix(3);
  const char *end = architecture.data() + architecture.size();
  const auto [last, error] = std::from_chars(architecture.data(), end, number);
  if (error != std::errc() || end - last > 1 || (last != end && *last != 'a'))
    return std::nullopt;
  return number;
}

/// Why a device cannot run the code; empty if it can.
static std::string findObstacle(const Artifact &artifact,
                                const Device &device) {
  const std::string &name = device.name();
  if (name.substr(0, name.find(':')) != artifact.deviceKind)
    return "runs on the device " + artifact.deviceKind + ", not on " + name;
  if (artifact.deviceKind != "CPU") {
    const std::string &present = device.information().architecture;
    if (artifact.architecture == present)
      return "";
    // A driver compiles PTX for later GPUs, too, unless that has operations
    // which these lack.
    const std::optional<unsigned> needed = getCapability(artifact.architecture),
                                  has = getCapability(present);
    const GPUChipData *chip = findGPUChip(artifact.architecture);
    const bool isSpecific = !needed || (chip && chip->isSpecific());
    if (needed && has && (isSpecific ? *needed == *has : *needed <= *has))
      return "";
    return "needs a GPU " + artifact.architecture +
           (isSpecific ? needed ? " (compute capability " +
                                      std::to_string(*needed / 10) + "." +
                                      std::to_string(*needed % 10) + ")"
                                : ""
                       : " or a later one") +
           ", but " + name + " is " + present;
  }
  if (artifact.architecture != detail::hostArchitecture())
    return "needs a processor of " + artifact.architecture +
           ", but this one is of " + std::string(detail::hostArchitecture());
  std::string missing;
  for (const std::string &feature : artifact.features)
    if (!detail::hostHasFeature(feature))
      missing += (missing.empty() ? "" : ", ") + feature;
  if (!missing.empty())
    return "this processor lacks " + missing;
  return "";
}

std::shared_ptr<CompiledProgram> Artifact::link(Device &device) const {
  const std::string where = origin.empty() ? "artifact" : origin;
  if (std::string reason = findObstacle(*this, device); !reason.empty())
    throw DeviceError(where + ", compiled for " + target +
                      ", cannot be run: " + reason);
  verify(list);
  std::shared_ptr<Program> program;
  auto find = [&](const std::string &symbol) {
    if (!program)
      program = device.loadProgram(code.data(), code.size(),
                                   target + " (" + where + ")");
    return Kernel(program, symbol);
  };
  return std::make_shared<CompiledProgram>(
      device, tinygrad::link(list, device, find), arguments, results);
}
