//===- embed.cpp - the compiler inside of a host compiler -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A host compiler without exceptions and RTTI: each error is a diagnostic that
/// reaches its handler. Also a program of the lit suite.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Compiler/Checked.h"
#include "TinyGrad/Dialect/Tg/Builder/TgBuilder.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/raw_ostream.h"
#include <vector>

#if __cpp_exceptions || __cpp_rtti
#error "this program is to be compiled with -fno-exceptions and -fno-rtti"
#endif

using namespace mlir;
namespace checked = tinygrad::checked;

/// Builds a function that adds up the squares of each row of a tensor, along
/// the axis.
static FailureOr<OwningOpRef<ModuleOp>> build(MLIRContext &context,
                                              int64_t axis) {
  const Location location = FileLineColLoc::get(&context, "host.src", 3, 7);
  OpBuilder builder(&context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder, location);
  tg::TgBuilder b(builder, location);
  FailureOr<RankedTensorType> x = b.getType({2, 4}, builder.getF32Type());
  if (failed(x))
    return failure();
  FailureOr<func::FuncOp> func = b.beginFunction(*module, "main", *x);
  if (failed(func))
    return failure();
  Value argument = func->getArgument(0);
  FailureOr<Value> square = b.combine<tg::MulOp>(argument, argument);
  if (failed(square))
    return failure();
  FailureOr<Value> sum = b.create<tg::ReduceOp>(tg::ReduceKind::add, *square,
                                                ArrayRef<int64_t>(axis));
  if (failed(sum) || failed(b.endFunction(*sum)))
    return failure();
  return module;
}

static LogicalResult run(MLIRContext &context, tinygrad::Device &device) {
  FailureOr<OwningOpRef<ModuleOp>> module = build(context, 1);
  if (failed(module))
    return failure();
  const Location location = (*module)->getLoc();
  auto program = checked::compile(**module, device);
  if (failed(program))
    return failure();
  std::vector<float> in = {1, 2, 3, 4, 5, 6, 7, 8}, out(2);
  FailureOr<tinygrad::Buffer> input = checked::copyFromHost(
      location, device, in.data(), in.size() * sizeof(float));
  if (failed(input))
    return failure();
  auto outputs = checked::run(location, **program, {*input});
  if (failed(outputs) ||
      failed(checked::copyToHost(location, outputs->front(), out.data(),
                                 out.size() * sizeof(float))))
    return failure();
  llvm::outs() << "sums: " << out[0] << " " << out[1] << "\n";
  // The module is at level 3 now, from which it can be compiled again.
  if (failed(checked::compile(**module, device)))
    return failure();
  // Scheduling it is an error, as is a missing argument.
  if (succeeded(checked::schedule(**module, device)) ||
      succeeded(checked::run(location, **program, {})))
    llvm::outs() << "no error\n";
  return success();
}

int main() {
  MLIRContext context;
  tinygrad::prepareContext(context);
  unsigned numErrors = 0;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    ++numErrors;
    llvm::outs() << diagnostic.getLocation() << ": " << diagnostic << "\n";
  });
  const Location location = UnknownLoc::get(&context);
  // Throws inside of the library.
  if (succeeded(checked::getDevice(location, "TOASTER")))
    return 1;
  FailureOr<tinygrad::Device *> device = checked::getDevice(location, "CPU");
  if (failed(device) || failed(run(context, **device)))
    return 2;
  // There is no third axis.
  if (succeeded(build(context, 2)))
    return 3;
  return numErrors == 4 ? 0 : 4;
}
