//===- Zip.h - zip archives -------------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the runtime: zip archives as NumPy and Python's zipfile write
/// them, with entries that are stored or deflated, and the extensions for large
/// files (zip64). The format is PKWARE's APPNOTE.TXT, version 6.3.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_RUNTIME_ZIP_H
#define TINYGRAD_LIB_RUNTIME_ZIP_H

#include "NpyFormat.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tinygrad {
class AtomicFile;
} // namespace tinygrad

namespace tinygrad::detail {

/// A file in an archive.
struct ZipEntry {
  std::string name;
  bool isDeflated = false;
  uint32_t checksum = 0; ///< CRC-32 of the contents
  uint64_t storedSize = 0;
  uint64_t size = 0;
  /// Of the entry's own header.
  uint64_t offset = 0;
};

/// An archive in a file. Throws IoError, which names the file and the problem.
class ZipReader {
public:
  explicit ZipReader(const std::string &path);
  ~ZipReader();
  ZipReader(const ZipReader &) = delete;
  ZipReader &operator=(const ZipReader &) = delete;

  const std::string &path() const { return path_; }
  /// In the order of the archive's directory, of different names.
  const std::vector<ZipEntry> &entries() const { return entries_; }

private:
  friend class ZipEntrySource;

  [[noreturn]] void fail(const std::string &what) const;
  void readAt(uint64_t offset, void *data, std::size_t size) const;
  std::string readAt(uint64_t offset, std::size_t size) const;
  void readDirectory();
  ZipEntry parseEntry(std::string_view &directory) const;

  const std::string path_;
  int descriptor = -1;
  uint64_t fileSize = 0;
  /// Where the directory begins; entries are in front of it.
  uint64_t directoryOffset = 0;
  std::vector<ZipEntry> entries_;
};

/// The contents of an entry, decompressed. The reader must exist longer.
class ZipEntrySource final : public ByteSource {
public:
  ZipEntrySource(const ZipReader &reader, const ZipEntry &entry);
  ~ZipEntrySource() override;
  std::size_t read(void *data, std::size_t size) override;
  uint64_t mostBytesLeft() override;
  /// Reads the rest. Throws IoError unless size and checksum are right.
  void finish();

private:
  struct Inflater;

  [[noreturn]] void fail(const std::string &what) const;
  std::size_t inflate(void *data, std::size_t size);

  const ZipReader &reader;
  const ZipEntry &entry;
  uint64_t position = 0; ///< of the next stored byte in the file
  uint64_t storedLeft;
  uint64_t left; ///< bytes that have not been read
  uint32_t checksum = 0;
  std::unique_ptr<Inflater> inflater;
};

/// Writes an archive to a file. Throws IoError.
class ZipWriter {
public:
  explicit ZipWriter(AtomicFile &file) : file(file) {}

  /// Adds an entry with these parts one after the other.
  void add(const std::string &name, const std::vector<std::string_view> &parts,
           bool isDeflated);
  /// Writes the directory; nothing can be added afterwards.
  void finish();

private:
  void write(std::string_view bytes);

  AtomicFile &file;
  uint64_t position = 0;
  uint64_t numEntries = 0;
  std::string directory;
};

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_RUNTIME_ZIP_H
