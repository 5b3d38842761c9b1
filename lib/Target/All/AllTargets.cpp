//===- AllTargets.cpp - targets by name -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds targets among those that the build has (lib/Target/CMakeLists.txt
/// lists them), and keeps them.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Target/All/AllTargets.h"
#include "../TargetKind.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <map>
#include <mutex>

using namespace mlir;
using namespace mlir::tg;

// A function of each target's folder describes it: a registration object would
// be left out of a static library that nothing refers to.
namespace mlir::tg {
#define TINYGRAD_TARGET(NAME) TargetKind describe##NAME##Target();
#include "BuiltinTargets.inc"
#undef TINYGRAD_TARGET
} // namespace mlir::tg

static ArrayRef<TargetKind> getKinds() {
  static const TargetKind kinds[] = {
#define TINYGRAD_TARGET(NAME) describe##NAME##Target(),
#include "BuiltinTargets.inc"
#undef TINYGRAD_TARGET
  };
  return kinds;
}

std::vector<std::string> tg::getTargetKinds() {
  std::vector<std::string> names;
  for (const TargetKind &kind : getKinds())
    names.push_back(kind.name.str());
  return names;
}

void tg::registerAllTargetDialects(DialectRegistry &registry) {
  for (const TargetKind &kind : getKinds())
    kind.registerDialects(registry);
}

namespace {
/// The targets that were asked for, by name. Never destroyed: kernels are
/// compiled as long as the process runs.
struct Targets {
  std::mutex mutex;
  std::map<std::string, std::unique_ptr<Target>> byName;
};
} // namespace

const Target *tg::lookupTarget(StringRef name, std::string &error) {
  static Targets *targets = new Targets;
  const std::string lower = name.lower();
  std::lock_guard<std::mutex> lock(targets->mutex);
  if (auto found = targets->byName.find(lower); found != targets->byName.end())
    return found->second.get();
  auto [kindName, processor] = StringRef(lower).split(':');
  const TargetKind *kind = llvm::find_if(
      getKinds(), [&](const TargetKind &k) { return k.name == kindName; });
  if (kind == getKinds().end()) {
    error = "there is no target called '" + name.str() +
            "'; kinds of targets: " + llvm::join(getTargetKinds(), ", ");
    return nullptr;
  }
  std::unique_ptr<Target> target = kind->create(processor, error);
  if (!target) {
    error = "'" + name.str() + "' is not a target: " + error;
    return nullptr;
  }
  return (targets->byName[lower] = std::move(target)).get();
}
