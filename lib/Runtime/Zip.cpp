//===- Zip.cpp - zip archives ---------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// An archive consists of entries, each with a header of its own, then a
/// directory that repeats the headers with the entries' offsets, and a record
/// at the end of the file that says where the directory is. Readers begin at
/// that record. Numbers are little-endian. A 16- or 32-bit field of all ones
/// stands for a 64-bit value elsewhere: in an extra field of the header, or in
/// another record at the end (zip64).
///
//===----------------------------------------------------------------------===//

#include "Zip.h"
#include "Files.h"
#include "TinyGrad/Runtime/AtomicFile.h"
#include "TinyGrad/Runtime/Error.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <new>
#include <set>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

using namespace tinygrad;
using namespace tinygrad::detail;

static_assert(std::endian::native == std::endian::little,
              "numbers are read and written as they are in memory");

static constexpr uint32_t kEntrySignature = 0x04034b50;
static constexpr uint32_t kDirectorySignature = 0x02014b50;
static constexpr uint32_t kEndSignature = 0x06054b50;
static constexpr uint32_t kEnd64Signature = 0x06064b50;
static constexpr uint32_t kLocatorSignature = 0x07064b50;
static constexpr uint16_t kZip64Extra = 1;
static constexpr uint16_t kStored = 0, kDeflated = 8;
static constexpr uint16_t kEncryptedFlag = 1 << 0, kUtf8Flag = 1 << 11;
static constexpr uint16_t kLarge16 = 0xffff;
static constexpr uint32_t kLarge32 = 0xffffffff;
/// Deflate expands data by a factor of at most 1032.
static constexpr uint64_t kLargestExpansion = 1032;

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

// As in the file, without padding.
#pragma pack(push, 1)
namespace {
/// What both headers of an entry have in common.
struct EntryFields {
  uint16_t neededVersion = 20;
  uint16_t flags = 0;
  uint16_t method = kStored;
  uint16_t time = 0;
  uint16_t date = 1 << 5 | 1; // 1 January 1980, as np.savez
  uint32_t checksum = 0;
  uint32_t storedSize = 0;
  uint32_t size = 0;
  uint16_t nameSize = 0;
  uint16_t extraSize = 0;
};
struct EntryHeader {
  uint32_t signature = kEntrySignature;
  EntryFields fields;
};
struct DirectoryHeader {
  uint32_t signature = kDirectorySignature;
  uint16_t madeBy = 3 << 8 | 45; // Unix
  EntryFields fields;
  uint16_t commentSize = 0;
  uint16_t disk = 0;
  uint16_t internalAttributes = 0;
  uint32_t externalAttributes = 0100644u << 16;
  uint32_t offset = 0;
};
struct EndRecord {
  uint32_t signature = kEndSignature;
  uint16_t disk = 0;
  uint16_t directoryDisk = 0;
  uint16_t entriesOnDisk = 0;
  uint16_t entries = 0;
  uint32_t directorySize = 0;
  uint32_t directoryOffset = 0;
  uint16_t commentSize = 0;
};
struct End64Record {
  uint32_t signature = kEnd64Signature;
  uint64_t sizeOfRest = 44;
  uint16_t madeBy = 3 << 8 | 45;
  uint16_t neededVersion = 45;
  uint32_t disk = 0;
  uint32_t directoryDisk = 0;
  uint64_t entriesOnDisk = 0;
  uint64_t entries = 0;
  uint64_t directorySize = 0;
  uint64_t directoryOffset = 0;
};
struct Locator {
  uint32_t signature = kLocatorSignature;
  uint32_t disk = 0;
  uint64_t offset = 0;
  uint32_t disks = 1;
};
} // namespace
#pragma pack(pop)

static_assert(sizeof(EntryHeader) == 30 && sizeof(DirectoryHeader) == 46 &&
              sizeof(EndRecord) == 22 && sizeof(End64Record) == 56 &&
              sizeof(Locator) == 20);

template <typename T> static std::string_view bytesOf(const T &record) {
  return {reinterpret_cast<const char *>(&record), sizeof(record)};
}

/// Removes \p size bytes from the front of a text that has as many.
static std::string_view takeFront(std::string_view &text, std::size_t size) {
  const std::string_view front = text.substr(0, size);
  text.remove_prefix(size);
  return front;
}

template <typename T> static T takeRecord(std::string_view &text) {
  T record;
  std::memcpy(&record, takeFront(text, sizeof(T)).data(), sizeof(T));
  return record;
}

//===----------------------------------------------------------------------===//
// Reading the directory
//===----------------------------------------------------------------------===//

ZipReader::ZipReader(const std::string &path) : path_(path) {
  descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    fail("cannot open: " + errnoText(errno));
  try {
    struct stat status;
    if (::fstat(descriptor, &status) != 0)
      fail("cannot read: " + errnoText(errno));
    if (S_ISDIR(status.st_mode))
      fail("cannot read: " + errnoText(EISDIR));
    if (!S_ISREG(status.st_mode))
      fail("an archive must be a regular file, whose end can be read first");
    fileSize = uint64_t(status.st_size);
    readDirectory();
  } catch (...) {
    ::close(descriptor);
    throw;
  }
}

ZipReader::~ZipReader() { ::close(descriptor); }

void ZipReader::fail(const std::string &what) const {
  throw IoError(path_ + ": " + what);
}

void ZipReader::readAt(uint64_t offset, void *data, std::size_t size) const {
  char *next = static_cast<char *>(data);
  while (size != 0) {
    const ssize_t count = ::pread(descriptor, next, size, off_t(offset));
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      fail("cannot read: " + errnoText(errno));
    if (count == 0)
      fail("truncated: the file has become shorter");
    next += count;
    offset += uint64_t(count);
    size -= std::size_t(count);
  }
}

std::string ZipReader::readAt(uint64_t offset, std::size_t size) const {
  std::string bytes(size, '\0');
  readAt(offset, bytes.data(), size);
  return bytes;
}

/// The position of the end record in the last bytes of a file, which end with
/// it and a comment.
static std::size_t findEndRecord(std::string_view tail) {
  if (tail.size() < sizeof(EndRecord))
    return std::string_view::npos;
  for (std::size_t i = tail.size() - sizeof(EndRecord) + 1; i-- > 0;) {
    std::string_view rest = tail.substr(i);
    const auto record = takeRecord<EndRecord>(rest);
    if (record.signature == kEndSignature && record.commentSize == rest.size())
      return i;
  }
  return std::string_view::npos;
}

void ZipReader::readDirectory() {
  if (fileSize == 0)
    fail("not a zip archive: it is empty");
  constexpr uint64_t longestTail =
      sizeof(Locator) + sizeof(EndRecord) + kLarge16;
  const std::size_t tailSize =
      std::size_t(std::min<uint64_t>(fileSize, longestTail));
  const std::string tail = readAt(fileSize - tailSize, tailSize);
  const std::size_t endPosition = findEndRecord(tail);
  if (endPosition == std::string::npos)
    fail(readAt(0, std::min<std::size_t>(tailSize, 2)) == "PK"
             ? "truncated: the end of the archive is missing"
             : "not a zip archive: it has no directory");
  std::string_view rest = std::string_view(tail).substr(endPosition);
  const auto end = takeRecord<EndRecord>(rest);
  uint64_t limit = fileSize - tailSize + endPosition;
  uint64_t count = end.entries, size = end.directorySize,
           offset = end.directoryOffset, disks = end.disk | end.directoryDisk;
  if (endPosition >= sizeof(Locator)) {
    std::string_view before =
        std::string_view(tail).substr(endPosition - sizeof(Locator));
    const auto locator = takeRecord<Locator>(before);
    if (locator.signature == kLocatorSignature) {
      limit -= sizeof(Locator);
      if (limit < sizeof(End64Record) ||
          locator.offset > limit - sizeof(End64Record))
        fail("malformed: the end record of 64 bits is out of range");
      const std::string bytes = readAt(locator.offset, sizeof(End64Record));
      std::string_view text = bytes;
      const auto end64 = takeRecord<End64Record>(text);
      if (end64.signature != kEnd64Signature)
        fail("malformed: there is no end record of 64 bits at offset " +
             std::to_string(locator.offset));
      limit = locator.offset;
      count = end64.entries;
      size = end64.directorySize;
      offset = end64.directoryOffset;
      disks = end64.disk | end64.directoryDisk;
    }
  }
  if (disks != 0)
    fail("unsupported: an archive in several parts");
  if (offset > limit || size > limit - offset)
    fail("malformed: the directory is out of range");
  directoryOffset = offset;
  const std::string bytes = readAt(offset, std::size_t(size));
  std::string_view directory = bytes;
  std::set<std::string_view> names;
  uint64_t total = 0;
  // A damaged count must not cause an allocation.
  entries_.reserve(
      std::size_t(std::min<uint64_t>(count, size / sizeof(DirectoryHeader))));
  for (uint64_t i = 0; i < count; ++i) {
    entries_.push_back(parseEntry(directory));
    const ZipEntry &entry = entries_.back();
    if (entry.storedSize > directoryOffset ||
        (total += entry.storedSize) > directoryOffset)
      fail("malformed: entry '" + entry.name +
           "' overlaps another one or the directory");
  }
  if (!directory.empty())
    fail("malformed: the directory has " + std::to_string(directory.size()) +
         " bytes after its last entry");
  for (const ZipEntry &entry : entries_)
    if (!names.insert(entry.name).second)
      fail("malformed: two entries are named '" + entry.name + "'");
}

/// Replaces the values that are all ones by those in the extra field.
static bool readZip64Extra(std::string_view extra,
                           std::initializer_list<uint64_t *> values) {
  while (extra.size() >= 4) {
    const auto header = takeRecord<std::array<uint16_t, 2>>(extra);
    if (header[1] > extra.size())
      return false;
    std::string_view field = takeFront(extra, header[1]);
    if (header[0] != kZip64Extra)
      continue;
    for (uint64_t *value : values)
      if (*value == kLarge32) {
        if (field.size() < sizeof(uint64_t))
          return false;
        *value = takeRecord<uint64_t>(field);
      }
    return true;
  }
  return true;
}

ZipEntry ZipReader::parseEntry(std::string_view &directory) const {
  if (directory.size() < sizeof(DirectoryHeader))
    fail("malformed: the directory has fewer entries than it promises");
  const auto header = takeRecord<DirectoryHeader>(directory);
  const EntryFields &fields = header.fields;
  const std::size_t following =
      std::size_t(fields.nameSize) + fields.extraSize + header.commentSize;
  if (header.signature != kDirectorySignature || following > directory.size())
    fail("malformed: damaged entry in the directory");
  ZipEntry entry;
  entry.name = takeFront(directory, fields.nameSize);
  const std::string_view extra = takeFront(directory, fields.extraSize);
  takeFront(directory, header.commentSize);
  auto failEntry = [&](const std::string &what) {
    fail("entry '" + entry.name + "': " + what);
  };
  if (fields.flags & kEncryptedFlag)
    failEntry("it is encrypted");
  if (fields.method != kStored && fields.method != kDeflated)
    failEntry("unsupported compression method " +
              std::to_string(fields.method));
  entry.isDeflated = fields.method == kDeflated;
  entry.checksum = fields.checksum;
  entry.size = fields.size;
  entry.storedSize = fields.storedSize;
  entry.offset = header.offset;
  if (!readZip64Extra(extra, {&entry.size, &entry.storedSize, &entry.offset}))
    failEntry("malformed: damaged extra field");
  if (!entry.isDeflated && entry.size != entry.storedSize)
    failEntry("malformed: it is not compressed, but " +
              std::to_string(entry.storedSize) + " bytes stand for " +
              std::to_string(entry.size));
  return entry;
}

//===----------------------------------------------------------------------===//
// Reading entries
//===----------------------------------------------------------------------===//

struct ZipEntrySource::Inflater {
  z_stream stream = {};
  bool isAtEnd = false;
  std::array<unsigned char, 1 << 16> input;

  Inflater() {
    // Negative: without a header of zlib.
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
      throw std::bad_alloc();
  }
  Inflater(const Inflater &) = delete;
  ~Inflater() { inflateEnd(&stream); }
};

ZipEntrySource::ZipEntrySource(const ZipReader &reader, const ZipEntry &entry)
    : reader(reader), entry(entry), storedLeft(entry.storedSize),
      left(entry.size) {
  const uint64_t limit = reader.directoryOffset;
  if (limit < sizeof(EntryHeader) || entry.offset > limit - sizeof(EntryHeader))
    fail("malformed: its offset is out of range");
  std::string bytes = reader.readAt(entry.offset, sizeof(EntryHeader));
  std::string_view text = bytes;
  const auto header = takeRecord<EntryHeader>(text);
  position = entry.offset + sizeof(EntryHeader);
  const std::size_t nameSize = header.fields.nameSize;
  if (header.signature != kEntrySignature || limit - position < nameSize ||
      reader.readAt(position, nameSize) != entry.name)
    fail("malformed: there is no entry of this name at offset " +
         std::to_string(entry.offset));
  // The other fields may be missing here, if the entry was written to a pipe.
  position += nameSize;
  position += header.fields.extraSize;
  if (position > limit || storedLeft > limit - position)
    fail("malformed: it overlaps the directory");
  if (entry.isDeflated)
    inflater = std::make_unique<Inflater>();
}

ZipEntrySource::~ZipEntrySource() = default;

void ZipEntrySource::fail(const std::string &what) const {
  reader.fail("entry '" + entry.name + "': " + what);
}

uint64_t ZipEntrySource::mostBytesLeft() {
  if (!entry.isDeflated)
    return left;
  // What is compressed in the buffer may be more than what is left there.
  const uint64_t stored = storedLeft + inflater->stream.avail_in + 64;
  uint64_t most;
  if (__builtin_mul_overflow(stored, kLargestExpansion, &most))
    return left;
  return std::min(left, most);
}

std::size_t ZipEntrySource::inflate(void *data, std::size_t size) {
  z_stream &stream = inflater->stream;
  std::size_t done = 0;
  while (done < size && !inflater->isAtEnd) {
    if (stream.avail_in == 0 && storedLeft != 0) {
      const std::size_t part =
          std::size_t(std::min<uint64_t>(storedLeft, inflater->input.size()));
      reader.readAt(position, inflater->input.data(), part);
      position += part;
      storedLeft -= part;
      stream.next_in = inflater->input.data();
      stream.avail_in = uInt(part);
    }
    const std::size_t part = std::min<std::size_t>(size - done, 1 << 30);
    stream.next_out = static_cast<Bytef *>(data) + done;
    stream.avail_out = uInt(part);
    const int code = ::inflate(&stream, Z_NO_FLUSH);
    done += part - stream.avail_out;
    if (code == Z_STREAM_END)
      inflater->isAtEnd = true;
    else if (code == Z_BUF_ERROR)
      fail("truncated: the compressed data has no end");
    else if (code == Z_MEM_ERROR)
      throw std::bad_alloc();
    else if (code != Z_OK)
      fail(std::string("damaged compressed data") +
           (stream.msg ? std::string(": ") + stream.msg : ""));
  }
  return done;
}

std::size_t ZipEntrySource::read(void *data, std::size_t size) {
  size = std::size_t(std::min<uint64_t>(size, left));
  std::size_t count = size;
  if (entry.isDeflated) {
    count = inflate(data, size);
  } else {
    reader.readAt(position, data, size);
    position += size;
  }
  left -= count;
  checksum =
      uint32_t(crc32_z(checksum, static_cast<const Bytef *>(data), count));
  return count;
}

void ZipEntrySource::finish() {
  std::array<char, 4096> buffer;
  while (left != 0)
    if (read(buffer.data(), buffer.size()) == 0)
      fail("truncated: " + std::to_string(left) + " of " +
           std::to_string(entry.size) + " bytes are missing");
  // The end of the compressed data may follow the last byte.
  if (entry.isDeflated && inflate(buffer.data(), 1) != 0)
    fail("malformed: it has more than the " + std::to_string(entry.size) +
         " bytes that the directory promises");
  if (checksum != entry.checksum)
    fail("damaged: its checksum (CRC-32) is wrong");
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// The parts, compressed with zlib's default level.
static std::string deflateParts(const std::vector<std::string_view> &parts) {
  z_stream stream = {};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  std::unique_ptr<z_stream, int (*)(z_stream *)> cleanup(&stream, deflateEnd);
  std::string result;
  std::array<Bytef, 1 << 16> buffer;
  auto run = [&](int flush) {
    do {
      stream.next_out = buffer.data();
      stream.avail_out = uInt(buffer.size());
      ::deflate(&stream, flush);
      result.append(reinterpret_cast<const char *>(buffer.data()),
                    buffer.size() - stream.avail_out);
    } while (stream.avail_out == 0);
  };
  for (std::string_view part : parts)
    while (!part.empty()) {
      const std::string_view piece =
          takeFront(part, std::min<std::size_t>(part.size(), 1 << 30));
      // zlib does not write to its input.
      stream.next_in =
          reinterpret_cast<Bytef *>(const_cast<char *>(piece.data()));
      stream.avail_in = uInt(piece.size());
      run(Z_NO_FLUSH);
    }
  run(Z_FINISH);
  return result;
}

/// The value of a 32-bit field, and what the extra field has if that does not
/// suffice.
static uint32_t shorten(uint64_t value, std::string &extra) {
  if (value < kLarge32)
    return uint32_t(value);
  extra += bytesOf(value);
  return kLarge32;
}

/// Puts the header of the extra field in front of its values.
static void finishExtra(std::string &extra, EntryFields &fields) {
  if (extra.empty())
    return;
  const std::array<uint16_t, 2> header = {kZip64Extra, uint16_t(extra.size())};
  extra.insert(0, bytesOf(header));
  fields.extraSize = uint16_t(extra.size());
  fields.neededVersion = 45;
}

void ZipWriter::write(std::string_view bytes) {
  file.write(bytes);
  position += bytes.size();
}

void ZipWriter::add(const std::string &name,
                    const std::vector<std::string_view> &parts,
                    bool isDeflated) {
  uint64_t size = 0;
  uLong checksum = 0;
  for (std::string_view part : parts) {
    size += part.size();
    checksum = crc32_z(checksum, reinterpret_cast<const Bytef *>(part.data()),
                       part.size());
  }
  std::string compressed;
  if (isDeflated)
    compressed = deflateParts(parts);
  const uint64_t storedSize = isDeflated ? compressed.size() : size;

  EntryHeader header;
  EntryFields &fields = header.fields;
  const bool isAscii = std::all_of(name.begin(), name.end(),
                                   [](char c) { return uint8_t(c) < 0x80; });
  fields.flags = isAscii ? 0 : kUtf8Flag;
  fields.method = isDeflated ? kDeflated : kStored;
  fields.checksum = uint32_t(checksum);
  fields.nameSize = uint16_t(name.size());
  DirectoryHeader inDirectory;
  inDirectory.fields = fields;
  std::string directoryExtra;
  inDirectory.fields.size = shorten(size, directoryExtra);
  inDirectory.fields.storedSize = shorten(storedSize, directoryExtra);
  inDirectory.offset = shorten(position, directoryExtra);
  finishExtra(directoryExtra, inDirectory.fields);
  // An entry's own extra field has both sizes or none.
  std::string extra;
  if (size >= kLarge32 || storedSize >= kLarge32) {
    fields.size = fields.storedSize = kLarge32;
    extra.append(bytesOf(size)).append(bytesOf(storedSize));
    finishExtra(extra, fields);
  } else {
    fields.size = uint32_t(size);
    fields.storedSize = uint32_t(storedSize);
  }

  write(bytesOf(header));
  write(name);
  write(extra);
  if (isDeflated)
    write(compressed);
  else
    for (std::string_view part : parts)
      write(part);
  directory.append(bytesOf(inDirectory)).append(name).append(directoryExtra);
  ++numEntries;
}

void ZipWriter::finish() {
  const uint64_t offset = position, size = directory.size();
  write(directory);
  EndRecord end;
  std::string unused;
  end.entries = uint16_t(std::min<uint64_t>(numEntries, kLarge16));
  end.entriesOnDisk = end.entries;
  end.directorySize = shorten(size, unused);
  end.directoryOffset = shorten(offset, unused);
  if (numEntries >= kLarge16 || !unused.empty()) {
    End64Record end64;
    end64.entriesOnDisk = end64.entries = numEntries;
    end64.directorySize = size;
    end64.directoryOffset = offset;
    Locator locator;
    locator.offset = position;
    write(bytesOf(end64));
    write(bytesOf(locator));
  }
  write(bytesOf(end));
}
