//===- ThreadDiagnosticsTest.cpp - tests of diagnostics of a thread -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/Utils/ThreadDiagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include <gtest/gtest.h>
#include <string>
#include <thread>

using namespace mlir;
using namespace mlir::tg;

TEST(ThreadDiagnosticsTest, DiagnosticsOfOtherThreadsGoToTheHandlersBefore) {
  MLIRContext context;
  std::string outer, inner;
  ScopedDiagnosticHandler before(&context, [&](Diagnostic &diagnostic) {
    outer += diagnostic.str();
    return success();
  });
  const Location loc = UnknownLoc::get(&context);
  {
    ThreadDiagnosticHandler handler(
        &context, [&](Diagnostic &diagnostic) { inner += diagnostic.str(); });
    emitError(loc) << "mine;";
    std::thread([&] { emitError(loc) << "another's;"; }).join();
    emitRemark(loc) << "mine too;";
  }
  emitError(loc) << "after;";
  EXPECT_EQ(inner, "mine;mine too;");
  EXPECT_EQ(outer, "another's;after;");
}
