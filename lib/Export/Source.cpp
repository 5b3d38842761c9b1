//===- Source.cpp - libraries as C source ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Puts the whole library into one module, has it optimized as for machine
/// code, and writes it in C.
///
//===----------------------------------------------------------------------===//

#include "Source.h"
#include "TinyGrad/Target/C/PrintC.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::detail;

/// The width of lines.
static constexpr std::size_t kColumns = 78;

/// Words of a comment in lines.
static std::string fill(const std::vector<std::string> &words) {
  std::string text;
  std::size_t column = 3;
  for (const std::string &word : words) {
    if (column + word.size() + 1 > kColumns) {
      text += "\n *";
      column = 2;
    }
    text += (text.empty() ? "" : " ") + word;
    column += word.size() + 1;
  }
  return text;
}

/// What a kernel computes: its loops, and its operations in order.
static std::string describe(tg::KernelOp kernel) {
  std::vector<std::string> words = {kernel.getSymName().str() + ":"};
  std::string ranges;
  std::vector<std::pair<std::string, unsigned>> operations;
  for (Operation &op : kernel.getBody().getOps()) {
    if (auto range = dyn_cast<tg::RangeOp>(op)) {
      words.push_back(tg::stringifyRangeKind(range.getKind()).str() + " " +
                      std::to_string(tg::Dim(range.getExtent()).getMax()) +
                      ",");
      continue;
    }
    if (isa<tg::ConstOp>(op) || op.hasTrait<OpTrait::IsTerminator>())
      continue;
    std::string name = op.getName().stripDialect().str();
    if (auto reduce = dyn_cast<tg::RangedReduceOp>(op))
      name = "reduce " + tg::stringifyReduceKind(reduce.getKind()).str();
    if (!operations.empty() && operations.back().first == name)
      ++operations.back().second;
    else
      operations.emplace_back(name, 1);
  }
  if (words.size() > 1)
    words.back().back() = ';';
  for (const auto &[name, count] : operations)
    words.push_back((count > 1 ? std::to_string(count) + " " : "") + name +
                    (&name == &operations.back().first ? "" : ","));
  return fill(words);
}

/// Runs a kernel on the caller's threads, if there are any. The structures of
/// the caller have a layout of its own, which LLVM IR does not know.
static std::string makeParallel(const std::string &name) {
  return "struct @_part {\n"
         "  void (*kernel)(char *, char *, uint64_t, uint64_t);\n"
         "  char *buffers, *variables;\n"
         "};\n"
         "static void @_run(void *data, int64_t begin, int64_t end) {\n"
         "  const struct @_part *part = (const struct @_part *)data;\n"
         "  part->kernel(part->buffers, part->variables, (uint64_t)begin,\n"
         "               (uint64_t)end);\n"
         "}\n"
         "/* All of a kernel, on threads of the caller if there are any. */\n"
         "static void @(char *threads, char *kernel, char *buffers, char "
         "*variables,\n"
         "    uint64_t extent) {\n"
         "  const " +
         name + "_threads *given = (const " + name +
         "_threads *)(void *)threads;\n"
         "  struct @_part part;\n"
         "  part.kernel =\n"
         "      (void (*)(char *, char *, uint64_t, "
         "uint64_t))(uintptr_t)kernel;\n"
         "  part.buffers = buffers;\n"
         "  part.variables = variables;\n"
         "  if (given && given->parallel_for && (int64_t)extent > 1)\n"
         "    given->parallel_for(given->context, (int64_t)extent, @_run, "
         "&part);\n"
         "  else\n"
         "    @_run(&part, 0, (int64_t)extent);\n"
         "}\n";
}

/// The function NAME_message.
static std::string makeMessage(const Library &library) {
  const std::string &name = library.options.name;
  std::string text =
      "const char *" + name + "_message(int status) {\n  switch (status) {\n";
  for (const StatusText &status : getStatusTexts(library))
    text += "  case " + StringRef(name).upper() + "_" + status.name +
            ":\n    return \"" + status.meaning + "\";\n";
  return text + "  default:\n    return \"" + kNoStatus + "\";\n  }\n}\n\n";
}

static std::string makeIntroduction(const Library &library,
                                    const LibraryVariant &variant) {
  const std::string &name = library.options.name;
  return "/* " + name +
         ".c - a program compiled by TinyGrad on MLIR.\n"
         " *\n"
         " * Compile it with any compiler of C99: cc -std=c99 -O2 -c " +
         name +
         ".c, and link\n"
         " * with -lm. " +
         name +
         ".h describes its functions.\n"
         " *\n"
         " * Kernels are scheduled for " +
         (variant.processor.cpu.empty() ? variant.processor.triple
                                        : variant.processor.cpu) +
         ". Integers are unsigned and wrap around,\n"
         " * memory is accessed by memcpy, and every operation on numbers is "
         "rounded by\n"
         " * itself, so that results are those of machine code.\n"
         " */\n"
         "#include \"" +
         name + ".h\"\n\n" + makeMessage(library);
}

namespace {
/// Completes the module, and says how its functions are written.
class SourceBuilder {
public:
  SourceBuilder(const Library &library, const LibraryVariant &variant,
                ArrayRef<tg::KernelOp> kernels)
      : library(library), variant(variant), kernels(kernels) {
    options.name = library.options.name;
    options.hasFma = variant.processor.hasFma();
    options.introduction = makeIntroduction(library, variant);
  }

  void complete(ModuleOp lowered);
  void describeFunctions();

  tg::PrintCOptions options;

private:
  void addEntry(const LibraryEntry &entry);

  const Library &library;
  const LibraryVariant &variant;
  ArrayRef<tg::KernelOp> kernels;
};
} // namespace

void SourceBuilder::complete(ModuleOp lowered) {
  // In C, the compiler has chosen the processor.
  LibraryVariant any = variant;
  any.processor.features.clear();
  any.processor.cpu =
      llvm::Triple(any.processor.triple).isX86() ? "x86-64" : "";
  for (auto function :
       llvm::make_early_inc_range(lowered.getOps<LLVM::LLVMFuncOp>())) {
    const StringRef name = function.getSymName();
    if (name == variant.prefix + "tg.part") {
      function.eraseBody(); // Only the other one uses it.
    } else if (name == variant.prefix + "tg.parallel") {
      function.eraseBody();
      function.setLinkage(LLVM::Linkage::External);
      options.definitions[name] = makeParallel(library.options.name);
    } else if (!function.isExternal()) {
      function.setVisibility_(LLVM::Visibility::Default);
      function.setLinkage(LLVM::Linkage::Internal);
    }
  }
  addInterface(lowered, library, any);
}

void SourceBuilder::addEntry(const LibraryEntry &entry) {
  const std::string name = library.options.name + "_" + entry.name;
  tg::PrintCOptions::Declaration &declaration = options.declarations[name];
  const std::vector<std::string> parameters = getParameters(library, entry);
  for (const std::string &parameter : parameters) {
    const std::size_t at = parameter.find_last_of(" *");
    declaration.parameters.push_back(parameter.substr(at + 1));
  }
  declaration.text = "int " + name + "(" +
                     (parameters.empty() ? std::string("void")
                                         : llvm::join(parameters, ",\n    ")) +
                     ")";
  // The function behind it takes members of the state one by one.
  std::vector<std::string> &inner =
      options.parameters[variant.prefix + entry.name];
  for (const auto *list : {&entry.arguments, &entry.results})
    for (const LibraryTensor &tensor : *list)
      inner.push_back(tensor.name + "_");
  for (const ProgramVariable &variable : entry.variables)
    inner.push_back(variable.name + "_");
  inner.push_back("scratch");
  if (library.options.threads)
    inner.push_back("threads");
}

void SourceBuilder::describeFunctions() {
  options.declarations[library.options.name + "_supported"].text =
      "int " + library.options.name + "_supported(void)";
  for (const LibraryEntry &entry : library.entries) {
    addEntry(entry);
    options.comments[variant.prefix + entry.name] = fill(
        {"The", "kernels", "of", library.options.name + "_" + entry.name + ",",
         "in", "their", "order."});
  }
  for (tg::KernelOp kernel : kernels) {
    const std::string name = variant.prefix + kernel.getSymName().str();
    options.comments[name] = describe(kernel);
    options.parameters[name] = {"buffers", "variables", "begin", "end"};
  }
}

FailureOr<std::vector<char>> tinygrad::detail::makeSource(
    const Library &library, const LibraryVariant &variant, ModuleOp module,
    ArrayRef<tg::KernelOp> kernels, const tg::CompileFlags &flags,
    llvm::function_ref<LogicalResult(ModuleOp)> finish) {
  SourceBuilder builder(library, variant, kernels);
  llvm::LLVMContext context;
  FailureOr<std::unique_ptr<llvm::Module>> ir =
      tg::compileToIR(module.getContext(), kernels, variant.processor, flags,
                      context, [&](ModuleOp lowered) -> LogicalResult {
                        if (failed(finish(lowered)))
                          return failure();
                        builder.complete(lowered);
                        return success();
                      });
  if (failed(ir))
    return failure();
  builder.describeFunctions();
  tg::PrintCError error;
  const std::optional<std::string> text =
      tg::printC(**ir, builder.options, error);
  if (text)
    return std::vector<char>(text->begin(), text->end());
  StringRef name = error.function;
  name.consume_front(variant.prefix);
  for (tg::KernelOp kernel : kernels)
    if (kernel.getSymName() == name)
      return kernel.emitOpError("cannot be written in C: it has ")
             << error.reason;
  return module.emitError("'")
         << (name.empty() ? StringRef(library.options.name) : name)
         << "' cannot be written in C: it has " << error.reason;
}
