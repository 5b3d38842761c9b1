//===- StoppablePasses.cpp - passes that can be stopped -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A handler of actions, which decides whether a pass is executed. MLIR is
/// built without exceptions, so that none can be thrown through it.
///
//===----------------------------------------------------------------------===//

#include "StoppablePasses.h"
#include "TinyGrad/Runtime/Interrupt.h"

#include "mlir/IR/Action.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/Pass.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::detail;

/// Whether the thread is inside of a pass that has to see the end of what it
/// started.
static thread_local bool isInsidePass = false;

/// Whether the pass only runs others, one by one, on parts of a module.
static bool isAdaptor(const Pass &pass) {
  return pass.getName().ends_with("OpToOpPassAdaptor");
}

StoppablePasses::StoppablePasses(MLIRContext &given) {
  Interrupt *interrupt = Interrupt::current();
  if (!interrupt || given.hasActionHandler())
    return;
  context = &given;
  context->registerActionHandler([interrupt](llvm::function_ref<void()> execute,
                                             const tracing::Action &action) {
    const auto *pass = dyn_cast<PassExecutionAction>(&action);
    if (!pass || isInsidePass)
      return execute();
    if (interrupt->isRequested())
      return;
    const llvm::SaveAndRestore inside(isInsidePass,
                                      !isAdaptor(pass->getPass()));
    execute();
  });
}

StoppablePasses::~StoppablePasses() {
  if (context)
    context->registerActionHandler(nullptr);
}
