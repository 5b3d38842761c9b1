//===- tg-test-check.cpp - checks what programs print ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// LLVM's FileCheck for the execution tests on machines with a GPU, where it is
/// not installed. Debian's program needs a solver of 23 MB and a newer C
/// library than all else there (cmake/TinyGradBundle.cmake); the checks
/// themselves are in LLVM's library.
///
//===----------------------------------------------------------------------===//

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/FileCheck/FileCheck.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorOr.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SMLoc.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace llvm;

static cl::opt<std::string> checkFile(cl::Positional, cl::Required,
                                      cl::desc("<file with CHECK lines>"));
static cl::list<std::string> prefixes("check-prefix", cl::CommaSeparated,
                                      cl::desc("In place of CHECK"));
static cl::list<std::string>
    implicitNots("implicit-check-not",
                 cl::desc("What may not be between matches"));

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(argc, argv, "Checks the standard input.\n");
  FileCheckRequest request;
  request.IsDefaultCheckPrefix = prefixes.empty();
  request.CheckPrefixes.assign(prefixes.begin(), prefixes.end());
  if (prefixes.empty())
    request.CheckPrefixes.push_back("CHECK");
  request.CommentPrefixes = {"COM", "RUN"};
  request.ImplicitCheckNot.assign(implicitNots.begin(), implicitNots.end());
  FileCheck check(request);
  if (!check.ValidateCheckPrefixes())
    return 2;

  SourceMgr sources;
  auto read = [&](StringRef name, SmallVectorImpl<char> &text) {
    ErrorOr<std::unique_ptr<MemoryBuffer>> file =
        MemoryBuffer::getFileOrSTDIN(name, /*IsText=*/true);
    if (!file) {
      errs() << argv[0] << ": " << name << ": " << file.getError().message()
             << "\n";
      return false;
    }
    StringRef content = check.CanonicalizeFile(**file, text);
    sources.AddNewSourceBuffer(
        MemoryBuffer::getMemBuffer(content, (*file)->getBufferIdentifier()),
        SMLoc());
    return true;
  };
  SmallString<4096> checks, input;
  if (!read(checkFile, checks) || check.readCheckFile(sources, checks))
    return 2;
  if (!read("-", input))
    return 2;
  if (input.empty()) {
    errs() << argv[0] << ": there is no input for " << checkFile << "\n";
    return 2;
  }
  return check.checkInput(sources, input) ? 0 : 1;
}
