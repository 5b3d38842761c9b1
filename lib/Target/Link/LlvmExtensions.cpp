//===- LlvmExtensions.cpp - LLVM's extensions, left out -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// LLVM's optimizer of bitcode, which its linker calls, asks the extensions
/// that LLVM was built with for their passes. The archives of Debian's packages
/// refer to Polly and do not have it. A program that links LLVM's archives gets
/// these functions, which add no passes; no bitcode is linked here anyway. One
/// that links LLVM's shared library has those in there: nothing refers to this
/// file.
///
//===----------------------------------------------------------------------===//

#include "llvm/Config/llvm-config.h"
#include "llvm/Plugins/PassPlugin.h"

#define HANDLE_EXTENSION(NAME)                                                 \
  llvm::PassPluginLibraryInfo get##NAME##PluginInfo();                         \
  llvm::PassPluginLibraryInfo get##NAME##PluginInfo() {                        \
    return {LLVM_PLUGIN_API_VERSION, #NAME, LLVM_VERSION_STRING,               \
            [](llvm::PassBuilder &) {}, nullptr};                              \
  }
#include "llvm/Support/Extension.def"
