//===- CpuTargetOptions.cpp - processors by name --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The processor to generate code for. Virtual machines may report a model that
/// does not match the CPU. So features are queried from the CPU itself and
/// listed explicitly, which overrides those that the model implies.
///
//===----------------------------------------------------------------------===//

#include "../CodeGen/CodeGen.h"
#include "Backend.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/TargetParser/Host.h"
#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>

using namespace mlir;
using namespace mlir::tg;

/// LLVM's description of a processor; null, and an error, if the program does
/// not have the architecture. To make one takes as long as some passes over a
/// kernel, so there is one of each for the whole process. They are never
/// destroyed, because kernels may be compiled until the process exits.
static const llvm::MCSubtargetInfo *
getSubtarget(const CpuTargetOptions &options, std::string &error) {
  llvm::Triple triple(options.triple);
  const llvm::Target *target = codegen::lookupArchitecture(triple, error);
  if (!target)
    return nullptr;
  using Subtargets = std::map<std::tuple<std::string, std::string, std::string>,
                              std::unique_ptr<const llvm::MCSubtargetInfo>>;
  static std::mutex mutex;
  static Subtargets *subtargets = new Subtargets;
  std::lock_guard<std::mutex> lock(mutex);
  auto &subtarget =
      (*subtargets)[{options.triple, options.cpu, options.features}];
  if (!subtarget)
    subtarget.reset(
        target->createMCSubtargetInfo(triple, options.cpu, options.features));
  return subtarget.get();
}

static const llvm::MCSubtargetInfo *
getSubtarget(const CpuTargetOptions &options) {
  std::string ignored;
  return getSubtarget(options, ignored);
}

/// The width of the widest vector registers in bits.
static unsigned getVectorBits(const CpuTargetOptions &options) {
  const llvm::MCSubtargetInfo *subtarget = getSubtarget(options);
  if (!subtarget || !subtarget->getTargetTriple().isX86())
    return 128;
  if (subtarget->checkFeatures("+avx512f,+avx512vl"))
    return 512;
  return subtarget->checkFeatures("+avx") ? 256 : 128;
}

const CpuTargetOptions &CpuTargetOptions::host() {
  static const CpuTargetOptions options = [] {
    CpuTargetOptions host;
    host.triple = llvm::sys::getProcessTriple();
    host.cpu = llvm::sys::getHostCPUName().str();
    std::vector<std::string> features;
    for (const auto &feature : llvm::sys::getHostCPUFeatures())
      features.push_back((feature.second ? "+" : "-") + feature.first().str());
    std::sort(features.begin(), features.end());
    host.features = llvm::join(features, ",");
    host.preferVectorWidth = getVectorBits(host);
    return host;
  }();
  return options;
}

std::optional<CpuTargetOptions>
CpuTargetOptions::forProcessor(StringRef name, std::string &error) {
  CpuTargetOptions options = host();
  if (name.empty() || name == "native")
    return options;
  auto [architecture, processor] = name.split(':');
  llvm::Triple triple(options.triple);
  if (name.contains(':'))
    triple.setArchName(architecture);
  else
    processor = name;
  // On other architectures, pointers have another size or the code generator
  // does not support vectors, in which case LLVM aborts.
  if (triple.getArch() != llvm::Triple::x86_64 &&
      triple.getArch() != llvm::Triple::aarch64 &&
      triple.getArch() != llvm::Triple::riscv64) {
    error = "kernels are compiled for x86_64, aarch64 and riscv64, not for '" +
            architecture.str() + "'";
    return std::nullopt;
  }
  options.triple = triple.str();
  options.cpu = processor.str();
  options.features = "";
  // Without a processor: LLVM would print its own message for an unknown one.
  CpuTargetOptions any = options;
  any.cpu = "";
  const llvm::MCSubtargetInfo *subtarget = getSubtarget(any, error);
  if (!subtarget)
    return std::nullopt;
  if (!subtarget->isCPUStringValid(options.cpu)) {
    const std::string arch = triple.getArchName().str();
    error = "LLVM does not know the processor '" + options.cpu + "' of " +
            arch + "; 'llc -mtriple=" + arch +
            " -mcpu=help' lists those that there are";
    return std::nullopt;
  }
  if (triple.isX86() && !getSubtarget(options)->checkFeatures("+64bit")) {
    error = "the processor '" + options.cpu + "' has no 64-bit mode";
    return std::nullopt;
  }
  options.preferVectorWidth = getVectorBits(options);
  return options;
}

/// Whether LLVM's name is that of a processor of Intel since Haswell. Virtual
/// machines may report another one of these than they have.
static bool isIntelCore(StringRef cpu) {
  return cpu.contains("lake") || cpu.contains("rapids") || cpu == "haswell" ||
         cpu == "broadwell" || cpu == "core-avx2";
}

bool CpuTargetOptions::hasFeature(StringRef feature) const {
  const llvm::MCSubtargetInfo *subtarget = getSubtarget(*this);
  return subtarget && subtarget->checkFeatures(("+" + feature).str());
}

bool CpuTargetOptions::hasFma() const {
  return !llvm::Triple(triple).isX86() || hasFeature("fma") ||
         hasFeature("fma4") || hasFeature("avx512f");
}

std::string CpuTargetOptions::str() const {
  return triple + ";" + cpu + ";" + features + ";" +
         std::to_string(preferVectorWidth) + ";" +
         std::to_string(codegenLevel) + ";" + llvmPasses;
}

TargetFacts CpuTargetOptions::getFacts() const {
  TargetFacts facts;
  facts.vectorBytes =
      (preferVectorWidth ? preferVectorWidth : getVectorBits(*this)) / 8;
  const llvm::MCSubtargetInfo *subtarget = getSubtarget(*this);
  if (!subtarget || !subtarget->getTargetTriple().isX86())
    return facts;
  if (!subtarget->checkFeatures("+avx512vl"))
    facts.vectorRegisters = 16;
  facts.fusedMultiplyAdd =
      subtarget->checkFeatures("+fma") || subtarget->checkFeatures("+avx512f");
  // 64 bytes in a cycle, in which it multiplies two vectors.
  if (cpu == "znver5")
    facts.l2BytesPerProduct = 32;
  if (isIntelCore(cpu) && facts.vectorBytes == 64) {
    // Two vectors are multiplied in a cycle, for which the cache delivers about
    // 24 bytes; scalars use the same two ports. On a Sapphire Rapids.
    facts.l2BytesPerProduct = 12;
    facts.sharedPorts = 1;
    facts.prefetchTiles = 0;
    facts.nontemporalTiles = 1;
    facts.prefetchAhead = 2048;
  }
  return facts;
}
