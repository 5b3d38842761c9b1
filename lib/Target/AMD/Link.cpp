//===- Link.cpp - code objects for AMD's GPUs -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Runs LLVM's linker as a process of its own. As a library it would parse its
/// arguments as LLVM's options, which resets those of the whole program while
/// other threads compile.
///
//===----------------------------------------------------------------------===//

#include "Link.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

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

/// The linker that the build found, or the one in PATH where it is not
/// installed.
static std::string findLinker() {
  if (llvm::sys::fs::can_execute(TINYGRAD_LLD))
    return TINYGRAD_LLD;
  llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName("ld.lld");
  return found ? *found : std::string();
}

FailureOr<std::vector<char>> amd::link(ArrayRef<char> object,
                                       std::string &error) {
  static const std::string linker = findLinker();
  if (linker.empty()) {
    error = "code for AMD's GPUs is linked by ld.lld, which was not found";
    return failure();
  }
  TemporaryFile input("o"), output("so"), messages("txt");
  for (const TemporaryFile *file : {&input, &output, &messages})
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
  const StringRef arguments[] = {linker, "-shared",        "--no-undefined",
                                 "-o",   output.getPath(), input.getPath()};
  const std::optional<StringRef> files[] = {StringRef(), messages.getPath(),
                                            messages.getPath()};
  std::string reason;
  const int status = llvm::sys::ExecuteAndWait(
      linker, arguments, /*Env=*/std::nullopt, files, /*SecondsToWait=*/0,
      /*MemoryLimit=*/0, &reason);
  if (status != 0) {
    error = linker + " failed: " + (reason.empty() ? messages.read() : reason);
    return failure();
  }
  const std::string code = output.read();
  if (code.empty()) {
    error = linker + " wrote nothing";
    return failure();
  }
  return std::vector<char>(code.begin(), code.end());
}
