//===- LinkTest.cpp - the linker in this process --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Code objects from object files: what the linker leaves alone in the program
/// that calls it, mistakes, and calls of many threads.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Target/Link/Link.h"
#include "CodeGen/CodeGen.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Parallel.h"
#include "llvm/Support/SourceMgr.h"
#include "gmock/gmock.h"

#include <thread>

using namespace mlir;
using namespace mlir::tg;
using testing::AllOf;
using testing::HasSubstr;

static llvm::cl::opt<int> number("link-test-number", llvm::cl::init(1));
static llvm::cl::list<std::string> words("link-test-words");

/// An object file for `gfx1100`.
static std::vector<char> makeObject(StringRef text) {
  codegen::initializeTargets();
  std::string error;
  FailureOr<codegen::Machine> machine =
      codegen::Machine::create({"amdgcn-amd-amdhsa", "gfx1100", "", 2}, error);
  EXPECT_TRUE(succeeded(machine)) << error;
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module =
      llvm::parseAssemblyString(text, diagnostic, context);
  EXPECT_TRUE(module) << diagnostic.getMessage().str();
  codegen::setProcessor(*module, *machine);
  llvm::SmallVector<char, 0> object;
  EXPECT_TRUE(succeeded(codegen::generate(
      *module, *machine, llvm::CodeGenFileType::ObjectFile, object)));
  return {object.begin(), object.end()};
}

static std::vector<char> makeKernel(StringRef name) {
  return makeObject(("define amdgpu_kernel void @" + name +
                     "(ptr addrspace(1) %p) {\n"
                     "  store i32 1, ptr addrspace(1) %p\n"
                     "  ret void\n"
                     "}\n")
                        .str());
}

/// Whether a code object has a kernel: its descriptor has the name with ".kd".
static bool hasKernel(ArrayRef<char> code, StringRef name) {
  auto file = llvm::object::ObjectFile::createELFObjectFile(
      {StringRef(code.data(), code.size()), "code"});
  if (!file) {
    ADD_FAILURE() << llvm::toString(file.takeError());
    return false;
  }
  const auto &elf = llvm::cast<llvm::object::ELFObjectFileBase>(**file);
  EXPECT_EQ(elf.getEType(), llvm::ELF::ET_DYN);
  return llvm::any_of(elf.getDynamicSymbolIterators(), [&](const auto &symbol) {
    return llvm::cantFail(symbol.getName()) == (name + ".kd").str();
  });
}

/// A code object for AMD's GPUs.
static FailureOr<std::vector<char>> link(ArrayRef<char> object,
                                         std::string &error) {
  return linkShared(object, std::string("--no-undefined"), error);
}

static std::string getError(ArrayRef<char> object) {
  std::string error;
  EXPECT_TRUE(failed(link(object, error)));
  return error;
}

TEST(Link, MakesACodeObject) {
  std::string error;
  FailureOr<std::vector<char>> code = link(makeKernel("one"), error);
  ASSERT_TRUE(succeeded(code)) << error;
  EXPECT_TRUE(hasKernel(*code, "one"));
  EXPECT_FALSE(hasKernel(*code, "two"));
}

TEST(Link, LeavesTheProgramsSettings) {
  const char *arguments[] = {"test", "-link-test-number=7",
                             "-link-test-words=a", "-link-test-words=b"};
  ASSERT_TRUE(llvm::cl::ParseCommandLineOptions(4, arguments));
  const llvm::ThreadPoolStrategy strategy = llvm::parallel::strategy;
  llvm::parallel::strategy = llvm::hardware_concurrency(3);
  std::string error;
  EXPECT_TRUE(succeeded(link(makeKernel("one"), error))) << error;
  EXPECT_EQ(number, 7);
  EXPECT_EQ(number.getNumOccurrences(), 1);
  EXPECT_EQ(words.size(), 2u);
  EXPECT_EQ(llvm::parallel::strategy.ThreadsRequested, 3u);
  llvm::parallel::strategy = strategy;
}

TEST(Link, NamesWhatIsWrong) {
  EXPECT_THAT(getError(makeObject("declare void @missing()\n"
                                  "define amdgpu_kernel void @k() {\n"
                                  "  call void @missing()\n"
                                  "  ret void\n"
                                  "}\n")),
              AllOf(HasSubstr("undefined"), HasSubstr("missing")));
  const StringRef text = "this is no object file";
  EXPECT_THAT(getError(ArrayRef<char>(text.data(), text.size())),
              HasSubstr("LLVM's linker failed"));
  EXPECT_THAT(getError({}), HasSubstr("LLVM's linker"));
  // A mistake is no obstacle to what follows.
  std::string error;
  EXPECT_TRUE(succeeded(link(makeKernel("one"), error))) << error;
}

TEST(Link, ServesManyThreads) {
  constexpr unsigned kThreads = 4, kTimes = 16;
  std::vector<unsigned> right(kThreads);
  std::vector<std::thread> threads;
  for (unsigned thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&right, thread] {
      const std::string name = "kernel" + std::to_string(thread);
      for (unsigned time = 0; time < kTimes; ++time) {
        std::string error;
        FailureOr<std::vector<char>> code = link(makeKernel(name), error);
        right[thread] += succeeded(code) && hasKernel(*code, name);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_THAT(right, testing::Each(kTimes));
}
