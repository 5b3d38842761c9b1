//===- Idx.cpp - IDX files of image data sets -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// An IDX file consists of two zero bytes, a type code, the number of
/// dimensions, the sizes, and the elements, all big-endian.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Runtime/Idx.h"
#include "Files.h"
#include "TinyGrad/Runtime/Error.h"

#include <algorithm>
#include <cerrno>
#include <memory>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

using namespace tinygrad;

[[noreturn]] static void fail(const std::string &path,
                              const std::string &what) {
  throw IoError(path + ": " + what);
}

namespace {
/// Reads a file that may be compressed.
class Reader {
public:
  explicit Reader(const std::string &path);

  /// Reads exactly \p size bytes or throws; \p what appears in the message.
  void read(void *data, std::size_t size, const char *what);
  bool isAtEnd();
  /// An upper bound of the bytes that can still be read.
  uint64_t mostBytesLeft();

private:
  struct Closer {
    void operator()(gzFile file) const { gzclose(file); }
  };

  std::size_t readSome(void *data, std::size_t size);

  const std::string &path;
  std::unique_ptr<gzFile_s, Closer> file;
  uint64_t fileBytes = UINT64_MAX;
  uint64_t position = 0;
};
} // namespace

Reader::Reader(const std::string &path) : path(path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    fail(path, "cannot open: " + detail::errnoText(errno));
  struct stat status;
  if (::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode))
    fileBytes = uint64_t(status.st_size);
  file.reset(gzdopen(descriptor, "rb"));
  if (!file) {
    ::close(descriptor);
    fail(path, "cannot open: out of memory");
  }
  gzbuffer(file.get(), 256 << 10);
}

std::size_t Reader::readSome(void *data, std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    // gzread counts in int.
    const unsigned part = unsigned(std::min<std::size_t>(size - done, 1 << 30));
    const int count =
        gzread(file.get(), static_cast<char *>(data) + done, part);
    if (count < 0) {
      int code = Z_OK;
      std::string text = gzerror(file.get(), &code);
      if (code == Z_ERRNO)
        fail(path, "cannot read: " + detail::errnoText(errno));
      // zlib puts the descriptor number in front.
      if (text.starts_with("<fd:"))
        text.erase(0, text.find(' ') + 1);
      fail(path, "damaged compressed data: " + text);
    }
    if (count == 0)
      break;
    done += std::size_t(count);
  }
  position += done;
  return done;
}

void Reader::read(void *data, std::size_t size, const char *what) {
  const std::size_t count = readSome(data, size);
  if (count != size)
    fail(path, std::string("truncated: ") + what + " has " +
                   std::to_string(count) + " of " + std::to_string(size) +
                   " bytes");
}

bool Reader::isAtEnd() {
  char byte;
  if (readSome(&byte, 1) != 0)
    return false;
  // gzread does not report a stream that is cut off after its last data.
  int code = Z_OK;
  gzerror(file.get(), &code);
  if (code == Z_BUF_ERROR)
    fail(path, "truncated: the compressed data has no end");
  return true;
}

uint64_t Reader::mostBytesLeft() {
  if (fileBytes == UINT64_MAX)
    return UINT64_MAX;
  // Deflate expands data by a factor of at most 1032.
  const uint64_t most = gzdirect(file.get()) ? fileBytes : fileBytes * 1032;
  return most > position ? most - position : 0;
}

static DType dtypeOfCode(const std::string &path, uint8_t code) {
  switch (code) {
  case 0x08:
    return DType::UInt8;
  case 0x09:
    return DType::Int8;
  case 0x0b:
    return DType::Int16;
  case 0x0c:
    return DType::Int32;
  case 0x0d:
    return DType::Float32;
  case 0x0e:
    return DType::Float64;
  default:
    fail(path, "unsupported dtype: IDX type code " + std::to_string(code));
  }
}

HostArray tinygrad::readIdx(const std::string &path) {
  Reader reader(path);
  uint8_t magic[4];
  reader.read(magic, sizeof(magic), "the magic number");
  if (magic[0] != 0 || magic[1] != 0)
    fail(path, "not an IDX file: the magic number is missing");
  const DType dtype = dtypeOfCode(path, magic[2]);
  std::vector<int64_t> shape;
  for (unsigned i = 0; i < magic[3]; ++i) {
    uint8_t size[4];
    reader.read(size, sizeof(size), "a size in the header");
    shape.push_back(int64_t(size[0]) << 24 | int64_t(size[1]) << 16 |
                    int64_t(size[2]) << 8 | int64_t(size[3]));
  }
  const std::optional<int64_t> bytes = denseByteSize(dtype, shape);
  if (!bytes)
    fail(path, "the size of the array overflows 64 bits");
  // Checked before memory is allocated.
  if (uint64_t(*bytes) > reader.mostBytesLeft())
    fail(path, "truncated: the file cannot hold the " + std::to_string(*bytes) +
                   " bytes its header promises");

  HostArray array = makeHostArray(dtype, shape);
  reader.read(array.data.address(), std::size_t(*bytes), "the array");
  // Reaching the end also makes zlib verify the checksum.
  if (!reader.isAtEnd())
    fail(path, "malformed: there are bytes after the array");
  const std::size_t itemBytes = itemSize(dtype);
  if (itemBytes > 1)
    for (char *item = array.as<char>(), *end = item + *bytes; item != end;
         item += itemBytes)
      std::reverse(item, item + itemBytes);
  return array;
}
