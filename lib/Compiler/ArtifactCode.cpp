//===- ArtifactCode.cpp - the code of artifacts ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Links the object file of kernels for CPUs to a shared object that refers to
/// no other. What kernels call (conversions of 16-bit floats, `fma`, ...) are
/// functions of a second object, which jump to addresses that the runtime sets:
/// the system's loader would look for them in libraries only, not in a program.
///
//===----------------------------------------------------------------------===//

#include "CompileSteps.h"
#include "TinyGrad/Runtime/CodeLoader.h"
#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/Support/ProcessorFeatures.h"
#include "TinyGrad/Target/All/AllTargets.h"
#include "TinyGrad/Target/Cpu/CpuTarget.h"
#include "TinyGrad/Target/Link/Link.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/TargetParser/Triple.h"
#include <set>

using namespace mlir;
using namespace tinygrad;

const tg::Target &tinygrad::detail::findTarget(StringRef name) {
  std::string error;
  const tg::Target *target = tg::lookupTarget(name, error);
  if (!target)
    throw CompileError(error);
  return *target;
}

std::string tinygrad::detail::getDeviceKind(const tg::Target &target) {
  return StringRef(target.getName()).split(':').first.upper();
}

namespace {
/// A function that code for CPUs may call, with its result and parameters: a
/// letter each, as in kTypes.
struct Import {
  StringLiteral name;
  StringLiteral types;
};
} // namespace

/// 16-bit floats are in the low half of what is passed as an f32.
static constexpr Import kImports[] = {
    {"__truncsfbf2", "ff"},   {"__truncdfbf2", "fd"},
    {"__truncsfhf2", "ff"},   {"__truncdfhf2", "fd"},
    {"__extendhfsf2", "ff"},  {"tg_report_bounds", "vlll"},
    {"memcpy", "pppl"},       {"memmove", "pppl"},
    {"memset", "ppil"},       {"malloc", "pl"},
    {"aligned_alloc", "pll"}, {"free", "vp"},
    {"fma", "dddd"},          {"fmaf", "ffff"},
    {"trunc", "dd"},          {"truncf", "ff"},
    {"floor", "dd"},          {"floorf", "ff"},
    {"ceil", "dd"},           {"ceilf", "ff"},
    {"rint", "dd"},           {"rintf", "ff"},
};

static Type getType(MLIRContext *context, char letter) {
  switch (letter) {
  case 'f':
    return Float32Type::get(context);
  case 'd':
    return Float64Type::get(context);
  case 'i':
    return IntegerType::get(context, 32);
  case 'l':
    return IntegerType::get(context, 64);
  case 'p':
    return LLVM::LLVMPointerType::get(context);
  default:
    return LLVM::LLVMVoidType::get(context);
  }
}

/// Adds a function that calls the one at an address that the runtime sets.
static void addImport(ModuleOp module, const Import &import) {
  auto b = ImplicitLocOpBuilder::atBlockEnd(module.getLoc(), module.getBody());
  MLIRContext *context = module.getContext();
  Type pointer = LLVM::LLVMPointerType::get(context);
  auto place = LLVM::GlobalOp::create(
      b, pointer, /*isConstant=*/false, LLVM::Linkage::External,
      getImportName(import.name.str()), Attribute());
  Block *init = b.createBlock(&place.getInitializerRegion());
  b.setInsertionPointToStart(init);
  LLVM::ReturnOp::create(b, LLVM::ZeroOp::create(b, pointer));
  b.setInsertionPointToEnd(module.getBody());
  SmallVector<Type> parameters;
  for (char letter : import.types.drop_front())
    parameters.push_back(getType(context, letter));
  auto type = LLVM::LLVMFunctionType::get(getType(context, import.types[0]),
                                          parameters);
  auto function = LLVM::LLVMFuncOp::create(b, import.name, type);
  function.setVisibility_(LLVM::Visibility::Hidden);
  function.setDsoLocal(true);
  Block *body = function.addEntryBlock(b);
  b.setInsertionPointToStart(body);
  Value address =
      LLVM::LoadOp::create(b, pointer, LLVM::AddressOfOp::create(b, place));
  SmallVector<Value> operands = {address};
  llvm::append_range(operands, body->getArguments());
  auto call = LLVM::CallOp::create(b, type, operands);
  LLVM::ReturnOp::create(b, call->getResults());
}

/// The names of what an object leaves to others.
static FailureOr<std::set<std::string>> findImports(ModuleOp module,
                                                    ArrayRef<char> code) {
  auto file = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(
      StringRef(code.data(), code.size()), "code of kernels"));
  if (!file)
    return emitError(module.getLoc()) << "the code of kernels cannot be read: "
                                      << llvm::toString(file.takeError());
  std::set<std::string> names;
  for (const llvm::object::SymbolRef &symbol : (*file)->symbols()) {
    llvm::Expected<StringRef> name = symbol.getName();
    llvm::Expected<uint32_t> flags = symbol.getFlags();
    if (name && flags && !name->empty() &&
        (*flags & llvm::object::SymbolRef::SF_Undefined))
      names.insert(name->str());
    llvm::consumeError(name.takeError());
    llvm::consumeError(flags.takeError());
  }
  return names;
}

/// Makes a shared object of an object file.
static FailureOr<std::vector<char>>
linkCode(ModuleOp module, ArrayRef<char> code,
         const tg::CpuTargetOptions &processor) {
  FailureOr<std::set<std::string>> names = findImports(module, code);
  if (failed(names))
    return failure();
  SmallVector<ArrayRef<char>> objects = {code};
  FailureOr<tg::CpuObject> imports;
  if (!names->empty()) {
    SmallVector<const Import *> found;
    for (const std::string &name : *names) {
      const Import *import = llvm::find_if(
          kImports, [&](const Import &known) { return known.name == name; });
      // The table of offsets is made by the linker.
      if (name == "_GLOBAL_OFFSET_TABLE_")
        continue;
      if (import == std::end(kImports))
        return emitError(module.getLoc())
               << "kernels for " << processor.cpu << " call the function '"
               << name << "', which an artifact cannot contain";
      found.push_back(import);
    }
    tg::loadCpuTarget(*module.getContext());
    imports = tg::compileToObject(module.getContext(), /*kernels=*/{},
                                  processor, /*flags=*/{},
                                  /*texts=*/nullptr, [&](ModuleOp lowered) {
                                    for (const Import *import : found)
                                      addImport(lowered, *import);
                                    return verify(lowered);
                                  });
    if (failed(imports))
      return failure();
    objects.push_back(imports->bytes);
  }
  std::string error;
  FailureOr<std::vector<char>> linked = tg::linkShared(
      objects,
      std::vector<std::string>{"--gc-sections", "--strip-all", "-z", "defs",
                               "-z", "now", "-z", "noexecstack",
                               "--hash-style=gnu", "--build-id=none"},
      error);
  if (failed(linked))
    return emitError(module.getLoc())
           << "the code of an artifact cannot be linked: " << error;
  return linked;
}

LogicalResult tinygrad::detail::setCode(Artifact &artifact, ModuleOp module,
                                        std::vector<char> code,
                                        const tg::Target &target) {
  auto [kind, option] = StringRef(target.getName()).split(':');
  if (kind != "cpu") {
    // Behind the chip are options of the code generator.
    artifact.architecture =
        option.empty() ? kind.str() : option.split(':').first.str();
    artifact.code = std::move(code);
    return success();
  }
  std::string error;
  std::optional<tg::CpuTargetOptions> processor =
      tg::CpuTargetOptions::forProcessor(option, error);
  if (!processor)
    return emitError(module.getLoc()) << error;
  const llvm::Triple triple(processor->triple);
  artifact.architecture = triple.getArchName().str();
  if (triple.isX86()) {
    for (const ProcessorFeature &feature : kProcessorFeatures)
      if (processor->hasFeature(StringRef(feature.name)))
        artifact.features.emplace_back(feature.name);
    if (processor->hasFeature(StringRef(kSecondAvx10)))
      artifact.features.emplace_back(kSecondAvx10);
  }
  if (code.empty())
    return success();
  FailureOr<std::vector<char>> linked = linkCode(module, code, *processor);
  if (failed(linked))
    return failure();
  artifact.code = std::move(*linked);
  return success();
}
