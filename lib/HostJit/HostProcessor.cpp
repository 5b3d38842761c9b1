//===- HostProcessor.cpp - instruction sets of the host -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Compares the features of a processor, as LLVM lists them, with those that
/// the host reports.
///
//===----------------------------------------------------------------------===//

#include "HostProcessor.h"
#include "TinyGrad/Runtime/Error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/TargetParser/X86TargetParser.h"

using namespace tinygrad;

/// Features that only concern privileged or otherwise unused instructions.
static bool isIgnored(llvm::StringRef feature) {
  static constexpr llvm::StringLiteral names[] = {
      "cldemote", "clflushopt", "clwb",    "clzero",   "enqcmd",    "fsgsbase",
      "hreset",   "invpcid",    "kl",      "lwp",      "movdir64b", "movdiri",
      "mwaitx",   "pconfig",    "pku",     "ptwrite",  "rdpid",     "rdpru",
      "rdrnd",    "rdseed",     "rtm",     "sgx",      "shstk",     "serialize",
      "tsxldtrk", "uintr",      "waitpkg", "wbnoinvd", "widekl",    "xsave",
      "xsavec",   "xsaveopt",   "xsaves"};
  return llvm::is_contained(names, feature);
}

void tinygrad::detail::checkProcessorRuns(const std::string &processor) {
  if (processor == "native")
    return;
  const std::string name = "MCPU=" + processor;
  if (llvm::Triple(llvm::sys::getProcessTriple()).getArch() !=
      llvm::Triple::x86_64)
    throw DeviceError(name + ": this processor is a " +
                      llvm::sys::getHostCPUName().str() +
                      ", and only on x86-64 code for another one can be run");
  if (llvm::X86::parseArchX86(processor, /*Only64Bit=*/true) ==
      llvm::X86::CK_None)
    throw DeviceError(name + ": not an x86-64 processor that LLVM knows, as "
                             "x86-64-v2, x86-64-v3 or znver4");
  llvm::SmallVector<llvm::StringRef, 64> needed;
  llvm::X86::getFeaturesForCPU(processor, needed);
  const llvm::StringMap<bool> present = llvm::sys::getHostCPUFeatures();
  std::string missing;
  for (llvm::StringRef feature : needed)
    // A feature that the host never reports (such as "64bit") is not an
    // instruction set.
    if (auto found = present.find(feature);
        found != present.end() && !found->second && !isIgnored(feature))
      missing += (missing.empty() ? "" : ", ") + feature.str();
  if (!missing.empty())
    throw DeviceError(name + ": this processor lacks " + missing);
}
