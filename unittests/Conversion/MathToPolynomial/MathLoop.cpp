//===- MathLoop.cpp - Runs a math operation over an array -----------------===//
//
// Part of the TinyGrad project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// See MathLoop.h.
///
//===----------------------------------------------------------------------===//

#include "MathLoop.h"

#include "TinyGrad/Conversion/MathToPolynomial/MathToPolynomial.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace mlir;
using namespace tinygrad::test;

static void replaceAll(std::string &text, const std::string &what,
                       const std::string &by) {
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos;
       at += by.size())
    text.replace(at, what.size(), by);
}

/// The loop as MLIR text. Loads and stores assume only element alignment.
static std::string sourceOf(const MathLoopSpec &spec) {
  std::string text = spec.declarations + R"(
    func.func @loop(%pa: !llvm.ptr, %pb: !llvm.ptr, %pr: !llvm.ptr, %n: i64) {
      %c0 = arith.constant 0 : i64
      %step = arith.constant $L : i64
      scf.for %i = %c0 to %n step %step : i64 {
        %ea = llvm.getelementptr %pa[%i] : (!llvm.ptr, i64) -> !llvm.ptr, $E
        %eb = llvm.getelementptr %pb[%i] : (!llvm.ptr, i64) -> !llvm.ptr, $E
        %er = llvm.getelementptr %pr[%i] : (!llvm.ptr, i64) -> !llvm.ptr, $E
        %a = llvm.load %ea {alignment = 2 : i64} : !llvm.ptr -> $T
        %b = llvm.load %eb {alignment = 2 : i64} : !llvm.ptr -> $T
        $B
        llvm.store %r, %er {alignment = 2 : i64} : $T, !llvm.ptr
      }
      return
    })";
  std::string lanes = std::to_string(spec.lanes);
  replaceAll(text, "$B", spec.body);
  replaceAll(text, "$T",
             spec.lanes == 1 ? spec.element
                             : "vector<" + lanes + "x" + spec.element + ">");
  replaceAll(text, "$E", spec.element);
  replaceAll(text, "$L", lanes);
  return text;
}

static LogicalResult lowerToLLVM(ModuleOp module, bool expand) {
  PassManager pm(module.getContext());
  if (expand)
    pm.addPass(tg::createTgExpandMath());
  pm.addPass(createCSEPass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertVectorToLLVMPass());
  // Convert fma first: the other pass would turn it into library calls.
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createUBToLLVMConversionPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  return pm.run(module);
}

static std::unique_ptr<llvm::TargetMachine> createTarget(bool avx2Only) {
  llvm::Triple triple(llvm::sys::getProcessTriple());
  std::string cpu = "x86-64-v3", features, error;
  if (!avx2Only) {
    cpu = llvm::sys::getHostCPUName().str();
    for (const auto &[name, on] : llvm::sys::getHostCPUFeatures())
      features += (on ? "+" : "-") + name.str() + ",";
    features += "-prefer-256-bit";
  }
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target) {
    llvm::errs() << error << "\n";
    return nullptr;
  }
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, cpu, features, {}, {}, std::nullopt,
      llvm::CodeGenOptLevel::Default, /*JIT=*/true));
}

namespace {
class JitMathLoop : public MathLoop {
public:
  LogicalResult initialize(const MathLoopSpec &spec) {
    DialectRegistry registry;
    registry.insert<arith::ArithDialect, cf::ControlFlowDialect,
                    func::FuncDialect, LLVM::LLVMDialect, math::MathDialect,
                    scf::SCFDialect, ub::UBDialect, vector::VectorDialect>();
    registerBuiltinDialectTranslation(registry);
    registerLLVMDialectTranslation(registry);
    context.appendDialectRegistry(registry);
    context.disableMultithreading();
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(sourceOf(spec), &context);
    if (!module || failed(lowerToLLVM(*module, spec.expand)))
      return failure();

    std::unique_ptr<llvm::TargetMachine> target = createTarget(spec.avx2Only);
    if (!target)
      return failure();
    auto optimize = makeOptimizingTransformer(2, 0, target.get());
    auto transform = [&](llvm::Module *llvmModule) {
      for (llvm::Function &function : *llvmModule)
        if (!function.isDeclaration() && !spec.avx2Only)
          function.addFnAttr("prefer-vector-width", "512");
      return optimize(llvmModule);
    };
    // The engine takes ownership of a target machine; the optimizer needs
    // another.
    ExecutionEngineOptions options;
    options.transformer = transform;
    options.enableGDBNotificationListener = false;
    options.enablePerfNotificationListener = false;
    options.enableObjectDump = true;
    auto created =
        ExecutionEngine::create(*module, options, createTarget(spec.avx2Only));
    if (!created) {
      llvm::errs() << llvm::toString(created.takeError()) << "\n";
      return failure();
    }
    engine = std::move(*created);
    auto symbol = engine->lookup("loop");
    if (!symbol) {
      llvm::errs() << llvm::toString(symbol.takeError()) << "\n";
      return failure();
    }
    function = reinterpret_cast<Function *>(*symbol);
    if (const char *path = std::getenv("MATH_LOOP_OBJECT"))
      engine->dumpToObjectFile(path);
    return success();
  }

  void run(const void *a, const void *b, void *out,
           int64_t count) const override {
    function(a, b, out, count);
  }

private:
  using Function = void(const void *, const void *, void *, int64_t);

  MLIRContext context;
  std::unique_ptr<ExecutionEngine> engine;
  Function *function = nullptr;
};
} // namespace

std::unique_ptr<MathLoop> MathLoop::compile(const MathLoopSpec &spec) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto loop = std::make_unique<JitMathLoop>();
  if (failed(loop->initialize(spec)))
    return nullptr;
  return loop;
}

bool tinygrad::test::hostHasFma() {
  return llvm::sys::getHostCPUFeatures().lookup("fma") &&
         llvm::sys::getHostCPUFeatures().lookup("avx2");
}

template <typename Float, typename Exact>
static double distanceInUlp(Float got, Exact exact) {
  using Limits = std::numeric_limits<Float>;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (std::isnan(exact) || std::isnan(got))
    return std::isnan(exact) && std::isnan(got) ? 0 : infinity;
  auto rounded = static_cast<Float>(exact);
  if (got == rounded && std::signbit(got) == std::signbit(rounded) &&
      (std::isinf(got) || got == 0))
    return 0;
  if (std::isinf(exact) || exact == 0 ||
      std::signbit(got) != std::signbit(exact))
    return infinity;
  // An infinite result counts as the power of two after the largest number.
  Exact value = got;
  if (std::isinf(got))
    value = std::copysign(std::ldexp(Exact(1), Limits::max_exponent), value);
  int exponent = std::max(std::ilogb(exact), Limits::min_exponent - 1);
  return static_cast<double>(
      std::fabs(value - exact) /
      std::ldexp(Exact(1), exponent - (Limits::digits - 1)));
}

double tinygrad::test::ulpDistance(float got, double exact) {
  return distanceInUlp(got, exact);
}

double tinygrad::test::ulpDistance(double got, long double exact) {
  return distanceInUlp(got, exact);
}
