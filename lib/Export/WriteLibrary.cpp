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

#include <list>
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
  const std::string &name = library.options.name;
  const std::string prefix = directory.empty() ? "" : directory + "/";
  AtomicFile headerFile(prefix + name + ".h"),
      cppHeaderFile(prefix + name + ".hpp");
  headerFile.write(library.header);
  cppHeaderFile.write(library.cppHeader);
  // Texts that only some libraries have.
  std::list<AtomicFile> others;
  auto write = [&](const std::string &ending, const std::string &text) {
    if (!text.empty())
      others.emplace_back(prefix + name + ending).write(text);
  };
  write(".c", library.sourceText);
  write("_tbb.cpp", library.tbbSource);
  write(".safetensors", library.stateFile);
  write(".report.txt", library.report);
  std::optional<AtomicFile> archiveFile, sharedFile;
  if (!library.options.source) {
    const std::string archive = makeArchive(library);
    const std::vector<char> shared = makeSharedObject(library);
    archiveFile.emplace(prefix + "lib" + name + ".a");
    archiveFile->write(archive);
    sharedFile.emplace(prefix + "lib" + name + ".so",
                       AtomicFile::Durability::Machine, /*mode=*/0777);
    sharedFile->write(shared.data(), shared.size());
    archiveFile->commit();
    sharedFile->commit();
  }
  headerFile.commit();
  cppHeaderFile.commit();
  for (AtomicFile &file : others)
    file.commit();
}
