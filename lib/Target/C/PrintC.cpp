//===- PrintC.cpp - LLVM IR as C source -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Writes the memory and the functions of a module, after what they use.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Target/C/PrintC.h"
#include "Printer.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"

using namespace mlir::tg;
using namespace mlir::tg::c;

namespace {
class ModulePrinter {
public:
  ModulePrinter(const llvm::Module &module, const PrintCOptions &options)
      : module(module), options(options), helpers(taken) {}

  std::string print();

  /// The function that is being written.
  std::string current;

private:
  void findNames();
  std::string printGlobal(const llvm::GlobalVariable &global);
  std::string printFunction(const llvm::Function &function);

  const llvm::Module &module;
  const PrintCOptions &options;
  llvm::StringSet<> taken;
  llvm::StringMap<std::string> names;
  Helpers helpers;
};
} // namespace

/// A name of C that no other one is equal to.
void ModulePrinter::findNames() {
  for (llvm::StringRef macro : {"VECTORS", "LANE", "MAKE", "HELPER", "ALIGNED",
                                "ALIGN", "PREFETCH", "AT", "FUSED"})
    taken.insert(macro);
  for (const auto &declared : options.declarations) {
    names[declared.first()] = declared.first().str();
    taken.insert(declared.first());
  }
  auto add = [&](const llvm::GlobalValue &value) {
    if (names.contains(value.getName()))
      return;
    std::string name = value.getName().str();
    for (char &c : name)
      if (!llvm::isAlnum(c))
        c = '_';
    if (name.empty() || llvm::isDigit(name.front()))
      name = "f_" + name;
    while (!taken.insert(name).second)
      name += "_";
    names[value.getName()] = name;
  };
  for (const llvm::GlobalVariable &global : module.globals())
    add(global);
  for (const llvm::Function &function : module)
    if (!function.isDeclaration() ||
        options.definitions.contains(function.getName()))
      add(function);
}

std::string ModulePrinter::printGlobal(const llvm::GlobalVariable &global) {
  const llvm::DataLayout &layout = module.getDataLayout();
  const std::string name = names.lookup(global.getName());
  const uint64_t bytes = layout.getTypeAllocSize(global.getValueType());
  const uint64_t alignment = global.getAlign().valueOrOne().value();
  if (!global.hasInitializer() || global.isThreadLocal())
    throw Unsupported{"the memory '" + global.getName().str() +
                      "' of another file or of a thread"};
  const std::string align = "ALIGN(" + std::to_string(alignment) + ") ";
  const llvm::Constant *value = global.getInitializer();
  if (!global.isConstant() && value->isNullValue())
    return "static " + align + "unsigned char " + name + "[" +
           std::to_string(std::max<uint64_t>(bytes, 1)) + "];\n";
  llvm::StringRef contents;
  std::string zeros;
  if (value->isNullValue()) {
    zeros.assign(bytes, '\0');
    contents = zeros;
  } else if (const auto *data =
                 llvm::dyn_cast<llvm::ConstantDataSequential>(value)) {
    contents = data->getRawDataValues();
  } else {
    throw Unsupported{"the contents of the memory '" + global.getName().str() +
                      "'"};
  }
  // Words are shorter to write and faster to compile than bytes.
  const bool hasWords =
      contents.size() % 4 == 0 && alignment >= 4 && !contents.empty();
  std::string text = "static " + align + (global.isConstant() ? "const " : "") +
                     (hasWords ? "uint32_t " : "unsigned char ") + name + "[" +
                     std::to_string(std::max<size_t>(
                         hasWords ? contents.size() / 4 : contents.size(), 1)) +
                     "] = {";
  const size_t step = hasWords ? 4 : 1, perLine = hasWords ? 6 : 12;
  for (size_t i = 0; i < contents.size(); i += step) {
    uint32_t word = 0;
    for (size_t j = 0; j < step; ++j)
      word |= uint32_t(uint8_t(contents[i + j])) << (8 * j);
    text += i / step % perLine == 0 ? "\n    " : " ";
    text += word < 10 ? std::to_string(word)
                      : "0x" + llvm::utohexstr(word, /*LowerCase=*/true);
    text += ",";
  }
  if (contents.empty())
    text += "0";
  return text + "};\n";
}

std::string ModulePrinter::printFunction(const llvm::Function &function) {
  std::string text = "\n";
  if (auto comment = options.comments.find(function.getName());
      comment != options.comments.end())
    text += "/* " + comment->second + " */\n";
  return text + FunctionPrinter(function, helpers, names, options).print();
}

std::string ModulePrinter::print() {
  findNames();
  std::string memory, declarations, functions;
  for (const llvm::GlobalVariable &global : module.globals())
    memory += "\n" + printGlobal(global);
  for (const llvm::Function &function : module) {
    current = function.getName().str();
    if (auto given = options.definitions.find(function.getName());
        given != options.definitions.end()) {
      std::string text = given->second;
      const std::string name = names.lookup(function.getName());
      for (size_t at = 0; (at = text.find('@', at)) != std::string::npos;
           at += name.size())
        text.replace(at, 1, name);
      memory += "\n" + text;
      continue;
    }
    if (function.isDeclaration())
      continue;
    if (!options.declarations.contains(function.getName()))
      declarations +=
          FunctionPrinter(function, helpers, names, options).getDeclaration() +
          ";\n";
    functions += printFunction(function);
  }
  current.clear();
  return getPrologue(options) + "\n" + helpers.getText() + memory + "\n" +
         declarations + functions;
}

std::optional<std::string> mlir::tg::printC(llvm::Module &module,
                                            const PrintCOptions &options,
                                            PrintCError &error) {
  ModulePrinter printer(module, options);
  try {
    return printer.print();
  } catch (const Unsupported &unsupported) {
    error.function = printer.current;
    error.reason = unsupported.reason;
    return std::nullopt;
  }
}
