//===- Link.cpp - shared objects ------------------------------------------===//
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

#include "TinyGrad/Target/Link/Link.h"
#include "lld/Common/Driver.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Parallel.h"
#include "llvm/Support/SaveAndRestore.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>
#include <mutex>

LLD_HAS_DRIVER(elf)

/// Called by the linker instead of llvm::cl::ResetAllOptionOccurrences (see
/// CMakeLists.txt): the options are those of the whole program.
extern "C" void tinyGradKeepOptions() {}

/// Called by the linker instead of the functions that register LLVM's code
/// generators.
extern "C" void tinyGradInitializeNothing() {}

using namespace mlir;
using namespace mlir::tg;

namespace {
/// A file that exists as long as the object.
class TemporaryFile {
public:
  explicit TemporaryFile(StringRef suffix) {
    error = llvm::sys::fs::createTemporaryFile("tinygrad", suffix, path);
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

/// Writes the bytes to the file. Returns false, and the reason, if that fails.
static bool write(const TemporaryFile &file, ArrayRef<char> bytes,
                  std::string &error) {
  std::error_code code;
  llvm::raw_fd_ostream stream(file.getPath(), code);
  stream.write(bytes.data(), bytes.size());
  stream.close();
  if (!code && !stream.has_error())
    return true;
  error = "'" + file.getPath().str() +
          "' cannot be written: " + (code ? code : stream.error()).message();
  stream.clear_error();
  return false;
}

FailureOr<std::vector<char>> tg::linkShared(ArrayRef<ArrayRef<char>> objects,
                                            ArrayRef<std::string> arguments,
                                            std::string &error) {
  std::vector<std::unique_ptr<TemporaryFile>> inputs;
  for (size_t i = 0; i < objects.size(); ++i)
    inputs.push_back(std::make_unique<TemporaryFile>("o"));
  TemporaryFile output("so");
  auto report = [&](const TemporaryFile &file) {
    error = "no temporary file can be created: " + file.getError().message();
    return failure();
  };
  if (output.getError())
    return report(output);
  for (auto [file, object] : llvm::zip(inputs, objects)) {
    if (file->getError())
      return report(*file);
    if (!write(*file, object, error))
      return failure();
  }
  // One thread: the files are small, and LLVM's pool of threads, which others
  // would start, does not survive a fork.
  std::vector<std::string> texts = {"ld.lld", "-shared", "--threads=1", "-o",
                                    output.getPath().str()};
  llvm::append_range(texts, arguments);
  for (const auto &file : inputs)
    texts.push_back(file->getPath().str());
  std::vector<const char *> command;
  for (const std::string &text : texts)
    command.push_back(text.c_str());
  std::string messages;
  if (!runLinker(command, messages)) {
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
