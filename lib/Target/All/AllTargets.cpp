//===- AllTargets.cpp - targets by name -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Creates targets by name and keeps them. The build generates the list of
/// kinds (see lib/Target/CMakeLists.txt).
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

// Each target's folder defines a function that describes it. The linker would
// drop registration objects from a static library.
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
/// The targets created so far, by name. Never destroyed, because kernels may be
/// compiled until the process exits.
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
