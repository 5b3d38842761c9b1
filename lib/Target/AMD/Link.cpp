//===- Link.cpp - code objects for AMD's GPUs -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Calls LLVM's linker as a library. It takes files, and has one state in a
/// process.
///
//===----------------------------------------------------------------------===//

#include "Link.h"
#include "lld/Common/Driver.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Parallel.h"
#include "llvm/Support/SaveAndRestore.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>

LLD_HAS_DRIVER(elf)

/// Called by the linker instead of llvm::cl::ResetAllOptionOccurrences (see
/// CMakeLists.txt): the options are those of the whole program.
extern "C" void tinyGradKeepOptions() {}

using namespace mlir;
using namespace mlir::tg;

namespace {
/// A file that exists as long as the object.
class TemporaryFile {
public:
  explicit TemporaryFile(StringRef suffix) {
    error = llvm::sys::fs::createTemporaryFile("tinygrad-amd", suffix, path);
    if (!error)
      remover.setFile(path);
  }

  StringRef getPath() const { return path; }
  std::error_code getError() const { return error; }
  /// What it contains.
  std::string read() const {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    return buffer ? (*buffer)->getBuffer().str() : std::string();
  }

private:
  SmallString<128> path;
  llvm::FileRemover remover;
  std::error_code error;
};
} // namespace

/// Runs the linker. Returns whether it succeeded, and what it wrote about
/// mistakes.
static bool runLinker(ArrayRef<const char *> arguments, std::string &messages) {
  static std::mutex mutex;
  // After a crash, the linker's state is undefined.
  static bool canRun = true;
  const std::lock_guard<std::mutex> lock(mutex);
  if (!canRun) {
    messages = "it crashed before in this process";
    return false;
  }
  // The linker sets how many threads LLVM's parallel algorithms take.
  const llvm::SaveAndRestore strategy(llvm::parallel::strategy);
  llvm::raw_string_ostream stream(messages);
  const lld::Result result =
      lld::lldMain(arguments, stream, stream, {{lld::Gnu, &lld::elf::link}});
  canRun = result.canRunAgain;
  return result.retCode == 0;
}

FailureOr<std::vector<char>> amd::link(ArrayRef<char> object,
                                       std::string &error) {
  TemporaryFile input("o"), output("so");
  for (const TemporaryFile *file : {&input, &output})
    if (file->getError()) {
      error = "no temporary file can be created: " + file->getError().message();
      return failure();
    }
  {
    std::error_code code;
    llvm::raw_fd_ostream stream(input.getPath(), code);
    stream.write(object.data(), object.size());
    stream.close();
    if (code || stream.has_error()) {
      error = "'" + input.getPath().str() + "' cannot be written: " +
              (code ? code : stream.error()).message();
      stream.clear_error();
      return failure();
    }
  }
  const std::string inputPath = input.getPath().str();
  const std::string outputPath = output.getPath().str();
  // One thread: the file is small, and LLVM's pool of threads, which others
  // would start, does not survive a fork.
  const char *arguments[] = {
      "ld.lld", "-shared",          "--no-undefined",  "--threads=1",
      "-o",     outputPath.c_str(), inputPath.c_str(),
  };
  std::string messages;
  if (!runLinker(arguments, messages)) {
    error = "LLVM's linker failed: " + messages;
    return failure();
  }
  const std::string code = output.read();
  if (code.empty()) {
    error = "LLVM's linker wrote nothing";
    return failure();
  }
  return std::vector<char>(code.begin(), code.end());
}
