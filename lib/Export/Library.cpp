//===- Library.cpp - compiled programs as C libraries ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Compiles the functions of a module for each processor, one object file with
/// all kernels each, and one with the functions that programs call.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Export/Library.h"
#include "../Compiler/CompileSteps.h"
#include "../Compiler/DiagnosticCollector.h"
#include "../Compiler/Entry.h"
#include "Costs.h"
#include "Interface.h"
#include "MergeSteps.h"
#include "Source.h"
#include "TinyGrad/Conversion/HostToLLVM/HostToLLVM.h"
#include "TinyGrad/Dialect/Tg/IR/TgVariables.h"
#include "TinyGrad/Dialect/Tg/Utils/CheckGraphOp.h"
#include "TinyGrad/Dialect/Tg/Utils/ModuleLevel.h"
#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/Target/All/AllTargets.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/TargetParser/Triple.h"

#include <map>
#include <set>

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::detail;

bool LibraryEntry::hasState() const {
  return llvm::any_of(
      arguments, [](const LibraryTensor &tensor) { return tensor.isState; });
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// Words that are no names in C, or in C++ that includes the header.
static bool isKeyword(StringRef name) {
  static const std::set<std::string, std::less<>> keywords = {
      "NULL",
      "_Bool",
      "linux",
      "unix",
      "errno",
      "constexpr",
      "consteval",
      "constinit",
      "const_cast",
      "static_cast",
      "dynamic_cast",
      "reinterpret_cast",
      "static_assert",
      "thread_local",
      "typeof",
      "char8_t",
      "char16_t",
      "char32_t",
      "wchar_t",
      "size_t",
      "ptrdiff_t",
      "intptr_t",
      "uintptr_t",
      "intmax_t",
      "uintmax_t",
      "offsetof",
      "co_await",
      "co_return",
      "co_yield",
      "not_eq",
      "and_eq",
      "or_eq",
      "xor_eq",
      "alignas",
      "alignof",
      "and",
      "asm",
      "auto",
      "bitand",
      "bitor",
      "bool",
      "break",
      "case",
      "catch",
      "char",
      "class",
      "compl",
      "concept",
      "const",
      "continue",
      "decltype",
      "default",
      "delete",
      "do",
      "double",
      "else",
      "enum",
      "explicit",
      "export",
      "extern",
      "false",
      "float",
      "for",
      "friend",
      "goto",
      "if",
      "inline",
      "int",
      "long",
      "mutable",
      "namespace",
      "new",
      "noexcept",
      "not",
      "nullptr",
      "operator",
      "or",
      "private",
      "protected",
      "public",
      "register",
      "requires",
      "restrict",
      "return",
      "short",
      "signed",
      "sizeof",
      "static",
      "struct",
      "switch",
      "template",
      "this",
      "throw",
      "true",
      "try",
      "typedef",
      "typeid",
      "typename",
      "union",
      "unsigned",
      "using",
      "virtual",
      "void",
      "volatile",
      "while",
      "xor"};
  if (keywords.contains(name.str()))
    return true;
  // Those of <stdint.h>.
  StringRef rest = name;
  rest.consume_front("u");
  return rest.consume_front("int") && rest.ends_with("_t");
}

static void checkName(StringRef name, const std::string &what) {
  const bool isName =
      !name.empty() && !llvm::isDigit(name.front()) &&
      llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  if (!isName)
    throw CompileError("the name of " + what + ", '" + name.str() +
                       "', is no identifier of C: letters, digits and '_'");
  if (isKeyword(name))
    throw CompileError("the name of " + what + ", '" + name.str() +
                       "', is a keyword of C or C++, or a name of the headers "
                       "that each library includes");
}

/// Names of the parameters of one function, and of the members of the state,
/// differ.
static void checkNames(const LibraryEntry &entry) {
  std::set<std::string> members;
  for (const LibraryTensor &tensor : entry.arguments)
    if (tensor.isState && !members.insert(tensor.name).second)
      throw CompileError("'" + entry.name + "' takes the member '" +
                         tensor.name + "' of the state twice");
  std::map<std::string, std::string> taken;
  for (const char *name : {"state", "scratch", "threads"})
    taken[name] = "one that the library adds";
  auto add = [&](const std::string &name, const std::string &what) {
    checkName(name, what + " of '" + entry.name + "'");
    const auto [other, isNew] = taken.try_emplace(name, what);
    if (!isNew)
      throw CompileError("'" + entry.name + "' has two parameters '" + name +
                         "', " + other->second + " and " + what +
                         "; name one of them otherwise: by tg.name in a "
                         "module, by ExportNames in Exporter::add");
  };
  for (const LibraryTensor &tensor : entry.arguments)
    if (!tensor.isState)
      add(tensor.name, "an argument");
  for (const LibraryTensor &tensor : entry.results)
    add(tensor.name, "a result");
  for (const ProgramVariable &variable : entry.variables)
    add(variable.name, "a variable");
}

//===----------------------------------------------------------------------===//
// Signatures
//===----------------------------------------------------------------------===//

/// A tensor of a graph, or a flat buffer of a host program.
static LibraryTensor describe(Type type, const std::string &name,
                              const std::string &where) {
  LibraryTensor result;
  result.name = name;
  std::size_t elements = 0;
  auto buffer = dyn_cast<MemRefType>(type);
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (buffer && buffer.hasStaticShape() && tg::isBufferType(buffer)) {
    const int64_t size = buffer.getNumElements();
    result.sizes.push_back(std::to_string(size));
    result.largestShape.push_back(size);
    elements = static_cast<std::size_t>(size);
  } else if (tensor && tg::hasDims(tensor)) {
    for (tg::Dim dim : tg::getDims(tensor))
      result.sizes.push_back(dim.str());
    const SmallVector<int64_t> largest = tg::getLargestShape(tensor);
    result.largestShape.assign(largest.begin(), largest.end());
    elements = static_cast<std::size_t>(tg::getBufferSize(tensor));
  } else {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    throw CompileError(where + " is a '" + text +
                       "'; a library takes and gives ranked tensors of static "
                       "shape, or with a #tg.shape, and host programs (level 2 "
                       "or 3) flat buffers of static size");
  }
  Type element = cast<ShapedType>(type).getElementType();
  result.dtype = getDType(element);
  result.bytes = elements * std::max(element.getIntOrFloatBitWidth() / 8, 1u);
  return result;
}

/// What is known of a function before it is compiled.
static LibraryEntry describe(func::FuncOp function) {
  LibraryEntry entry;
  entry.name = function.getSymName().str();
  auto nameOf = [](Attribute attr, const std::string &otherwise) {
    auto name = dyn_cast_or_null<StringAttr>(attr);
    return name ? name.getValue().str() : otherwise;
  };
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    const auto index = static_cast<unsigned>(i);
    LibraryTensor tensor =
        describe(type,
                 nameOf(function.getArgAttr(index, tg::nameAttrName),
                        "x" + std::to_string(i)),
                 "argument " + std::to_string(i) + " of '" + entry.name + "'");
    tensor.isState = bool(function.getArgAttr(index, tg::stateAttrName));
    entry.arguments.push_back(std::move(tensor));
  }
  for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
    entry.results.push_back(
        describe(type,
                 nameOf(function.getResultAttr(static_cast<unsigned>(i),
                                               tg::nameAttrName),
                        "y" + std::to_string(i)),
                 "result " + std::to_string(i) + " of '" + entry.name + "'"));
  return entry;
}

/// Adds the members of the state that a function uses.
static void addState(Library &library, const LibraryEntry &entry) {
  for (const LibraryTensor &tensor : entry.arguments) {
    if (!tensor.isState)
      continue;
    checkName(tensor.name, "a member of the state");
    auto known = llvm::find_if(library.state, [&](const LibraryTensor &other) {
      return other.name == tensor.name;
    });
    if (known == library.state.end()) {
      library.state.push_back(tensor);
      continue;
    }
    if (known->dtype != tensor.dtype ||
        known->largestShape != tensor.largestShape)
      throw CompileError("the member '" + tensor.name +
                         "' of the state is another tensor in '" + entry.name +
                         "' than before; functions share members by name");
  }
}

/// Completes the description with what the host program says.
static void complete(LibraryEntry &entry, const tg::HostFunction &host) {
  for (auto [tensor, argument] :
       llvm::zip_equal(entry.arguments, host.arguments)) {
    tensor.isWritten = argument.isWritten;
    if (!tensor.isState)
      tensor.elements = argument.elements;
    tensor.alignment = std::max<std::size_t>(
        tensor.alignment, static_cast<std::size_t>(argument.alignment));
  }
  std::vector<LibraryTensor> results;
  for (auto [tensor, result] : llvm::zip_equal(entry.results, host.results))
    if (!result.inPlace) {
      results.push_back(std::move(tensor));
      results.back().isWritten = true;
      results.back().elements = result.elements;
    }
  entry.results = std::move(results);
  for (tg::VarAttr variable : host.variables)
    entry.variables.push_back({variable.getName().getValue().str(),
                               variable.getMin(), variable.getMax()});
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

/// Adds what the code for another processor requires. All of it has one
/// interface.
static void merge(LibraryEntry &entry, const LibraryEntry &other) {
  auto nameOf = [](const auto &part) { return part.name; };
  auto differ = [&](const auto &a, const auto &b) {
    return !llvm::equal(llvm::map_range(a, nameOf), llvm::map_range(b, nameOf));
  };
  if (differ(entry.results, other.results) ||
      differ(entry.variables, other.variables))
    throw CompileError("the function '" + entry.name +
                       "' takes other parameters on one processor than on "
                       "another; make a library for each");
  for (auto [tensor, also] :
       llvm::zip_equal(entry.arguments, other.arguments)) {
    tensor.isWritten |= also.isWritten;
    tensor.alignment = std::max(tensor.alignment, also.alignment);
  }
}

namespace {
/// Compiles a library.
class LibraryBuilder {
public:
  LibraryBuilder(ModuleOp module, const std::vector<LibraryStep> &steps,
                 const LibraryOptions &options,
                 const CompileOptions &compileOptions)
      : module(module), steps(steps), compileOptions(compileOptions),
        device(Device::get("CPU")) {
    library.options = options;
    library.options.threads |= options.tbb;
  }

  Library build();

private:
  void findVariants();
  void checkFunction(func::FuncOp function);
  void findEntries();
  void compile(size_t number);
  void addObject(const std::string &name, std::vector<char> bytes) {
    library.objects.push_back(
        {library.options.name + "." + name + ".o", std::move(bytes)});
  }
  void addInterfaceObject();
  void findImports();

  ModuleOp module;
  /// If there are any, the module has their programs.
  const std::vector<LibraryStep> &steps;
  llvm::StringMap<int64_t> fixed;
  /// There is a function at level 1.
  bool isGraph = false;
  CompileOptions compileOptions;
  Device &device;
  Library library;
  /// Its functions before anything was compiled.
  std::vector<LibraryEntry> described;
  std::vector<LibraryVariant> variants;
  std::vector<const tg::Target *> targets;
};
} // namespace

void LibraryBuilder::findVariants() {
  std::vector<std::string> names = library.options.targets;
  std::string ignored;
  auto own = module->getAttrOfType<tg::TargetAttr>(tg::targetAttrName);
  if (names.empty() && own && tg::lookupTarget(own.getName(), ignored))
    names.push_back(own.getName().str());
  if (names.empty())
    names.push_back(library.options.source ? kSourceTarget.str() : "cpu");
  if (library.options.source && names.size() > 1)
    throw CompileError("C source is for one processor, not for " +
                       llvm::join(names, ", "));
  for (const std::string &name : names) {
    std::string error;
    const tg::Target *target = tg::lookupTarget(name, error);
    if (!target)
      throw CompileError(error);
    StringRef processor = name;
    if (!processor.consume_front("cpu") ||
        (!processor.empty() && !processor.consume_front(":")))
      throw CompileError("a library is for processors, such as cpu:x86-64-v3, "
                         "not for the target " +
                         name);
    std::optional<tg::CpuTargetOptions> options =
        tg::CpuTargetOptions::forProcessor(processor, error);
    if (!options)
      throw CompileError(error);
    if (!variants.empty() &&
        llvm::Triple(options->triple).getArch() !=
            llvm::Triple(variants.front().processor.triple).getArch())
      throw CompileError("the processors of a library have one architecture; " +
                         names.front() + " and " + name + " differ");
    const std::string text = processor.empty() ? "host"
                             : processor.rsplit(':').second.empty()
                                 ? processor.str()
                                 : processor.rsplit(':').second.str();
    const std::string prefix = library.options.name + "." +
                               (library.options.source ? "c" : text) + ".";
    if (llvm::any_of(variants, [&](const LibraryVariant &other) {
          return other.prefix == prefix;
        }))
      throw CompileError("the processor " + name + " is named twice");
    targets.push_back(target);
    variants.push_back({std::move(*options), prefix});
  }
}

/// What is known of a step.
static LibraryEntry describe(const LibraryStep &step) {
  LibraryEntry entry;
  entry.name = step.name;
  for (const LibraryStep::Memory &memory : step.memories)
    if (memory.kind == LibraryStep::Memory::Kind::Tensor)
      entry.arguments.push_back(memory.tensor);
  for (const LibraryStep::Result &result : step.results)
    entry.results.push_back(result.tensor);
  return entry;
}

/// Throws CompileError for a function of which there is no library.
void LibraryBuilder::checkFunction(func::FuncOp function) {
  DiagnosticCollector errors(module.getContext());
  const std::optional<tg::LevelRange> levels = tg::getLevels(function);
  if (levels && levels->first == tg::ModuleLevel::Functions) {
    (void)tg::emitLevelError(
        function, *levels,
        {tg::ModuleLevel::TensorGraph, tg::ModuleLevel::ScheduledKernels});
  } else if (isHostProgram(function)) {
    // What is wrong with its variables.
    CompileOptions options = compileOptions;
    options.entry = function.getSymName().str();
    options.verifyInput = false;
    (void)describeEntry(module, options);
  } else {
    isGraph = true;
    function.walk([&](Operation *op) {
      if (op == function || isa<func::ReturnOp>(op) ||
          isa_and_nonnull<tg::TgDialect>(op->getDialect()))
        return WalkResult::advance();
      return WalkResult(tg::checkGraphOp(*op));
    });
  }
  if (errors.any())
    throw CompileError(errors.getText());
}

void LibraryBuilder::findEntries() {
  for (const LibraryStep &step : steps)
    library.entries.push_back(describe(step));
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    checkFunction(function);
    if (steps.empty())
      library.entries.push_back(describe(function));
  }
  if (library.entries.empty())
    throw CompileError("the module has no function with a body");
  std::set<std::string> names = {"supported", "state", "threads", "message"};
  if (library.options.stateFiles)
    names.insert({"load", "save"});
  if (library.options.tbb)
    names.insert("tbb");
  for (const LibraryEntry &entry : library.entries) {
    checkName(entry.name, "a function");
    // Macros have the name in upper case.
    if (!names.insert(StringRef(entry.name).lower()).second)
      throw CompileError("a function of a library cannot have the name '" +
                         entry.name +
                         "', which the library has already, in upper or lower "
                         "case");
  }
}

void LibraryBuilder::compile(size_t number) {
  OwningOpRef<ModuleOp> own = module.clone();
  CompileOptions options = compileOptions;
  options.target = targets[number];
  options.mayAllocate = false;
  options.checkBounds = false;
  {
    DiagnosticCollector errors(module.getContext());
    if (failed(checkTarget(*own, *options.target)))
      throw CompileError(errors.getText());
  }
  if (isGraph || !steps.empty())
    tinygrad::schedule(*own, device, options);
  if (!steps.empty())
    mergeSteps(*own, steps, device.name());
  const LibraryVariant &variant = variants[number];

  tg::HostToLLVMOptions hostOptions;
  hostOptions.threads = library.options.threads;
  hostOptions.prefix = variant.prefix;
  hostOptions.fixed = fixed;
  hostOptions.isParallel =
      [facts = targets[number]->getFacts()](tg::KernelOp kernel) {
        return isWorthThreads(kernel, facts);
      };
  // The parameters of each function, once they are known.
  std::vector<SmallVector<tg::VarAttr>> variables;
  auto addHosts =
      [&](ModuleOp lowered) -> FailureOr<std::vector<tg::HostFunction>> {
    const SymbolTable kernels(*own);
    std::vector<tg::HostFunction> hosts;
    for (auto function : own->getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      const bool isKnown = hosts.size() < variables.size();
      if (isKnown)
        hostOptions.variables = variables[hosts.size()];
      FailureOr<tg::HostFunction> host =
          tg::convertHostToLLVM(lowered, function, kernels, hostOptions);
      if (failed(host))
        return failure();
      if (isKnown && host->variables != variables[hosts.size()])
        return function.emitOpError("takes other sizes after optimization");
      hosts.push_back(std::move(*host));
    }
    return hosts;
  };
  // What has no counterpart is reported before anything is compiled.
  {
    DiagnosticCollector errors(module.getContext());
    OwningOpRef<ModuleOp> trial = ModuleOp::create(module.getLoc());
    FailureOr<std::vector<tg::HostFunction>> hosts = addHosts(*trial);
    if (failed(hosts))
      throw CompileError(errors.getText());
    for (const tg::HostFunction &host : *hosts)
      variables.push_back(host.variables);
    for (auto [entry, bare, host] :
         llvm::zip_equal(library.entries, described, *hosts)) {
      LibraryEntry completed = bare;
      complete(completed, host);
      if (number == 0) {
        entry = completed;
        addState(library, entry);
        checkNames(entry);
      }
      merge(entry, completed);
      entry.scratchBytes = std::max(
          entry.scratchBytes, static_cast<std::size_t>(host.scratchBytes));
    }
  }
  tg::CompileFlags flags;
  flags.verifyEach = options.verifyEach;
  flags.flushSubnormals = options.flushSubnormals;
  flags.mayAllocate = false;
  CostCounter costs;
  auto finish = [&](ModuleOp lowered) -> LogicalResult {
    for (auto function : lowered.getOps<LLVM::LLVMFuncOp>())
      if (!function.isExternal() &&
          function.getLinkage() == LLVM::Linkage::External)
        function.setSymName(variant.prefix + function.getSymName().str());
    FailureOr<std::vector<tg::HostFunction>> hosts = addHosts(lowered);
    if (failed(hosts))
      return failure();
    costs.addCalls(*hosts);
    // All but the bodies of kernels. Internal functions compute in the mode for
    // subnormal numbers, which is not for the parallel loop of the caller.
    for (auto function : lowered.getOps<LLVM::LLVMFuncOp>())
      if (!function.isExternal() &&
          function.getSymName().starts_with(variant.prefix)) {
        function.setLinkage(LLVM::Linkage::External);
        function.setVisibility_(LLVM::Visibility::Hidden);
        function.setDsoLocal(true);
      }
    return success();
  };
  std::vector<char> code = tinygrad::generateCode(
      *own, device, options,
      [&](ArrayRef<tg::KernelOp> kernels) -> FailureOr<std::vector<char>> {
        if (library.options.source)
          return makeSource(library, variant, *own, kernels, flags, finish);
        FailureOr<tg::CpuObject> object = tg::compileToObject(
            module.getContext(), kernels, variant.processor, flags,
            /*texts=*/nullptr, finish, costs.getCounter());
        if (failed(object))
          return failure();
        return std::move(object->bytes);
      });
  if (library.options.source) {
    library.sourceText.assign(code.begin(), code.end());
    return;
  }
  costs.addCosts(library, variant);
  StringRef name = variant.prefix;
  name.consume_front(library.options.name + ".");
  name.consume_back(".");
  addObject(name.str(), std::move(code));
}

/// What the code reaches by offsets of 32 bits.
static constexpr std::size_t kMostStatic = std::size_t(1) << 30;

/// What the objects leave to others.
void LibraryBuilder::findImports() {
  std::set<std::string> defined, used;
  for (const Library::Object &object : library.objects) {
    auto file =
        llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(
            StringRef(object.bytes.data(), object.bytes.size()), object.name));
    if (!file)
      throw CompileError(
          "the object file " + object.name +
          " cannot be read: " + llvm::toString(file.takeError()));
    for (const llvm::object::SymbolRef &symbol : (*file)->symbols()) {
      llvm::Expected<StringRef> name = symbol.getName();
      llvm::Expected<uint32_t> symbolFlags = symbol.getFlags();
      if (!name || !symbolFlags || name->empty()) {
        llvm::consumeError(name.takeError());
        llvm::consumeError(symbolFlags.takeError());
        continue;
      }
      if (*symbolFlags & llvm::object::SymbolRef::SF_Undefined)
        used.insert(name->str());
      else if (*symbolFlags & llvm::object::SymbolRef::SF_Global)
        defined.insert(name->str());
    }
  }
  for (const std::string &name : used)
    if (!defined.contains(name))
      library.imports.push_back(name);
}

Library LibraryBuilder::build() {
  checkName(library.options.name, "the library");
  tg::loadCpuTarget(*module.getContext());
  addPrograms(module, steps, fixed);
  if (compileOptions.verifyInput) {
    DiagnosticCollector errors(module.getContext());
    if (failed(verify(module)))
      throw CompileError(errors.getText());
  }
  if (library.options.source && compileOptions.flushSubnormals)
    throw CompileError("FTZ=1, but there is no mode of C in which subnormal "
                       "numbers become zeros; FTZ=0 keeps them");
  if (library.options.source &&
      (library.options.report || library.options.stateFiles))
    throw CompileError("C source has no report, which counts machine code, and "
                       "no files of the state; leave these options out");
  findVariants();
  findEntries();
  described = library.entries;
  for (size_t i = 0; i < variants.size(); ++i)
    compile(i);
  for (const LibraryEntry &entry : library.entries)
    if (library.options.staticScratch && entry.scratchBytes > kMostStatic)
      throw CompileError(
          "'" + entry.name + "' needs " + std::to_string(entry.scratchBytes) +
          " bytes for intermediates, more than static memory can have; let the "
          "caller give them");
  if (!library.options.source)
    addInterfaceObject();
  library.header = makeHeader(library, variants);
  library.cppHeader = makeCppHeader(library);
  if (library.options.tbb)
    library.tbbSource = makeTbbSource(library);
  return std::move(library);
}

void LibraryBuilder::addInterfaceObject() {
  if (library.options.stateFiles && library.state.empty())
    throw CompileError("the library has no state that files could have");

  // Functions that run on every processor of the architecture.
  tg::CpuTargetOptions any;
  any.triple = variants.front().processor.triple;
  any.cpu = llvm::Triple(any.triple).isX86() ? "x86-64" : "generic";
  DiagnosticCollector errors(module.getContext());
  tg::CodeCounter counter;
  FailureOr<tg::CpuObject> object = tg::compileToObject(
      module.getContext(), /*kernels=*/{}, any, /*flags=*/{},
      /*texts=*/nullptr,
      [&](ModuleOp lowered) {
        addInterface(lowered, library, variants);
        return verify(lowered);
      },
      &counter,
      library.options.stateFiles ? getStateBitcode() : ArrayRef<char>());
  if (failed(object))
    throw CompileError(errors.getText());
  addObject("interface", std::move(object->bytes));
  addInterfaceCosts(library, counter);
  findImports();
  if (library.options.report)
    library.report = makeReport(library);
}

Library tinygrad::buildLibrary(ModuleOp module, const LibraryOptions &library,
                               const CompileOptions &options) {
  return LibraryBuilder(module, {}, library, options).build();
}

Library tinygrad::buildLibrary(const std::vector<LibraryStep> &steps,
                               const LibraryOptions &library,
                               const CompileOptions &options) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  prepareContext(context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  return LibraryBuilder(*module, steps, library, options).build();
}
