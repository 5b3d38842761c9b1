//===- CpuTargetOptions.cpp - the host's CPU ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What code is made for. Virtual machines can report a model that does not fit
/// their CPU; the features are asked of the CPU itself and are stated one by
/// one, so that they win over what the model's name implies.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Target/Cpu/CpuTarget.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include <algorithm>

using namespace mlir;
using namespace mlir::tg;

static bool hasFeature(StringRef features, StringRef name) {
  SmallVector<StringRef> parts;
  features.split(parts, ',');
  return llvm::is_contained(parts, ("+" + name).str());
}

/// Bits of the widest vector registers that a list of features speaks of.
static unsigned getVectorBits(StringRef features) {
  if (hasFeature(features, "avx512f") && hasFeature(features, "avx512vl"))
    return 512;
  if (hasFeature(features, "avx"))
    return 256;
  return 128;
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
    host.preferVectorWidth = getVectorBits(host.features);
    return host;
  }();
  return options;
}

std::string CpuTargetOptions::str() const {
  return triple + ";" + cpu + ";" + features + ";" +
         std::to_string(preferVectorWidth) + ";" +
         std::to_string(codegenLevel) + ";" + llvmPasses +
         (checkBounds ? ";bounds" : "");
}

unsigned CpuTargetOptions::getNumLanes(unsigned bits) const {
  unsigned width =
      preferVectorWidth ? preferVectorWidth : getVectorBits(features);
  return std::max(1u, width / bits);
}
