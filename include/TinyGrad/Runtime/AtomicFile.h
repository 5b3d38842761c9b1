//===- AtomicFile.h - files that are written as a whole ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Replaces a file by a new one in a single step.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_RUNTIME_ATOMICFILE_H
#define TINYGRAD_RUNTIME_ATOMICFILE_H

#include <cstddef>
#include <string>
#include <string_view>

#include <sys/types.h>

namespace tinygrad {

/// A file that appears under its name when it is complete: whatever happens to
/// the process, the name refers to the old file or to the new one.
///
/// The bytes go to a temporary file in the same directory. A symbolic link is
/// kept, and the file it refers to is replaced. A pipe or device such as
/// /dev/stdout is written in place. Programs that have the old file open or
/// mapped keep its contents.
class AtomicFile {
public:
  /// What a commit survives: the end of this process, or also a failure of the
  /// whole machine, for which it waits until the disk has the bytes.
  enum class Durability { Process, Machine };

  /// A new file gets the permissions \p mode without those in the umask, one
  /// that replaces another has that one's. Throws IoError, as all methods do,
  /// naming \p path and the reason.
  explicit AtomicFile(std::string path,
                      Durability durability = Durability::Machine,
                      mode_t mode = 0666);
  /// Removes the temporary file unless it was committed.
  ~AtomicFile();
  AtomicFile(const AtomicFile &) = delete;
  AtomicFile &operator=(const AtomicFile &) = delete;

  /// Appends \p size bytes.
  void write(const void *data, std::size_t size);
  void write(std::string_view bytes) { write(bytes.data(), bytes.size()); }
  /// Gives the file its name. Nothing can be written afterwards. If it throws,
  /// the old file is still there, except where only the last step failed, which
  /// makes the new name durable.
  void commit();

private:
  [[noreturn]] void fail(int number);
  void createTemporary(mode_t mode);
  bool createUnnamed(mode_t mode);
  void giveName();

  const std::string path; ///< as given, for messages
  std::string target;     ///< the path after following links
  std::string temporary;  ///< empty if the file has no name yet
  const Durability durability;
  int descriptor = -1;
  bool isInPlace = false;
};

} // namespace tinygrad

#endif // TINYGRAD_RUNTIME_ATOMICFILE_H
