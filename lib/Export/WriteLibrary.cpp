//===- WriteLibrary.cpp - archives, shared objects and headers ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Makes the files of a library. All exist in memory before the first is
/// written.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Export/Library.h"
#include "TinyGrad/Runtime/AtomicFile.h"
#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/Target/Link/Link.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Object/ArchiveWriter.h"

#include <optional>

using namespace tinygrad;

static llvm::StringRef getText(const std::vector<char> &bytes) {
  return {bytes.data(), bytes.size()};
}

/// The static library.
static std::string makeArchive(const Library &library) {
  std::vector<llvm::NewArchiveMember> members;
  for (const Library::Object &object : library.objects)
    members.emplace_back(
        llvm::MemoryBufferRef(getText(object.bytes), object.name));
  // Without times and users: equal libraries are equal files.
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> archive =
      llvm::writeArchiveToBuffer(members, llvm::SymtabWritingMode::NormalSymtab,
                                 llvm::object::Archive::K_GNU,
                                 /*Deterministic=*/true, /*Thin=*/false);
  if (!archive)
    throw CompileError("the archive of the library cannot be made: " +
                       llvm::toString(archive.takeError()));
  return (*archive)->getBuffer().str();
}

/// The shared library.
static std::vector<char> makeSharedObject(const Library &library) {
  std::vector<llvm::ArrayRef<char>> objects;
  for (const Library::Object &object : library.objects)
    objects.emplace_back(object.bytes);
  std::string error;
  mlir::FailureOr<std::vector<char>> linked = mlir::tg::linkShared(
      objects,
      std::vector<std::string>{"-soname", "lib" + library.options.name + ".so",
                               "--gc-sections", "--strip-all", "-z", "now",
                               "-z", "noexecstack", "--hash-style=gnu",
                               "--build-id=none"},
      error);
  if (mlir::failed(linked))
    throw CompileError("the library cannot be linked: " + error);
  return std::move(*linked);
}

void tinygrad::writeLibrary(const Library &library,
                            const std::string &directory) {
  const std::string archive = makeArchive(library);
  const std::vector<char> shared = makeSharedObject(library);
  const std::string &name = library.options.name;
  const std::string prefix = directory.empty() ? "" : directory + "/";
  AtomicFile archiveFile(prefix + "lib" + name + ".a"),
      sharedFile(prefix + "lib" + name + ".so", AtomicFile::Durability::Machine,
                 /*mode=*/0777),
      headerFile(prefix + name + ".h"), cppHeaderFile(prefix + name + ".hpp");
  std::optional<AtomicFile> reportFile, stateFile, tbbFile;
  if (!library.tbbSource.empty()) {
    tbbFile.emplace(prefix + name + "_tbb.cpp");
    tbbFile->write(library.tbbSource);
  }
  if (!library.stateFile.empty()) {
    stateFile.emplace(prefix + name + ".safetensors");
    stateFile->write(library.stateFile);
  }
  if (!library.report.empty()) {
    reportFile.emplace(prefix + name + ".report.txt");
    reportFile->write(library.report);
  }
  archiveFile.write(archive);
  sharedFile.write(shared.data(), shared.size());
  headerFile.write(library.header);
  cppHeaderFile.write(library.cppHeader);
  archiveFile.commit();
  sharedFile.commit();
  headerFile.commit();
  cppHeaderFile.commit();
  if (reportFile)
    reportFile->commit();
  if (stateFile)
    stateFile->commit();
  if (tbbFile)
    tbbFile->commit();
}
