//===- Npy.cpp - NumPy array files ----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The header of an .npy file is a Python dictionary literal with the keys
/// descr, fortran_order and shape; the elements follow.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Runtime/Npy.h"
#include "Files.h"
#include "NpyFormat.h"
#include "TinyGrad/Runtime/AtomicFile.h"
#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/Runtime/Error.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <string_view>

#include <sys/stat.h>

using namespace tinygrad;
using namespace tinygrad::detail;

static_assert(std::endian::native == std::endian::little,
              "elements are written as they are in memory");

static constexpr std::string_view npyMagic("\x93NUMPY", 6);

[[noreturn]] static void fail(const std::string &path,
                              const std::string &what) {
  throw IoError(path + ": " + what);
}

//===----------------------------------------------------------------------===//
// Header
//===----------------------------------------------------------------------===//

namespace {
struct NpyHeader {
  std::string descr;
  bool isFortranOrder = false;
  std::vector<int64_t> shape;
};

/// Parses the header's dictionary. Python writes it with repr, but the format
/// allows any literal with these keys, so that spaces, quotes and the order of
/// keys may vary.
class HeaderParser {
public:
  HeaderParser(const std::string &path, std::string_view text)
      : path(path), text(text) {}

  NpyHeader parse();

private:
  [[noreturn]] void malformed(const std::string &what) {
    fail(path, "malformed .npy header: " + what);
  }
  void skipSpace() {
    while (next < text.size() && std::strchr(" \t\r\n", text[next]))
      ++next;
  }
  bool consume(char c) {
    skipSpace();
    if (next >= text.size() || text[next] != c)
      return false;
    ++next;
    return true;
  }
  void expect(char c) {
    if (!consume(c))
      malformed(std::string("'") + c + "' is missing at position " +
                std::to_string(next));
  }
  bool consumeWord(std::string_view word) {
    skipSpace();
    if (text.substr(next, word.size()) != word)
      return false;
    next += word.size();
    return true;
  }
  std::string parseString();
  std::vector<int64_t> parseShape();

  const std::string &path;
  std::string_view text;
  std::size_t next = 0;
};
} // namespace

std::string HeaderParser::parseString() {
  skipSpace();
  const char quote = next < text.size() ? text[next] : '\0';
  const std::size_t end = quote == '\'' || quote == '"'
                              ? text.find(quote, next + 1)
                              : std::string_view::npos;
  if (end == std::string_view::npos)
    malformed("a quoted text is missing at position " + std::to_string(next));
  std::string result(text.substr(next + 1, end - next - 1));
  next = end + 1;
  return result;
}

std::vector<int64_t> HeaderParser::parseShape() {
  std::vector<int64_t> shape;
  expect('(');
  while (!consume(')')) {
    skipSpace();
    int64_t size = 0;
    const std::size_t first = next;
    for (; next < text.size() && text[next] >= '0' && text[next] <= '9'; ++next)
      if (__builtin_mul_overflow(size, int64_t(10), &size) ||
          __builtin_add_overflow(size, int64_t(text[next] - '0'), &size))
        malformed("a size in the shape is too large");
    if (next == first)
      malformed("the shape is not a tuple of sizes");
    shape.push_back(size);
    consume('L'); // suffix of long integers in Python 2
    if (!consume(',')) {
      expect(')');
      break;
    }
  }
  return shape;
}

NpyHeader HeaderParser::parse() {
  NpyHeader header;
  bool hasDescr = false, hasOrder = false, hasShape = false;
  expect('{');
  while (!consume('}')) {
    const std::string key = parseString();
    expect(':');
    if (key == "descr") {
      skipSpace();
      if (next < text.size() && text[next] == '[')
        fail(path, "unsupported dtype: records with fields");
      header.descr = parseString();
      hasDescr = true;
    } else if (key == "fortran_order") {
      header.isFortranOrder = consumeWord("True");
      if (!header.isFortranOrder && !consumeWord("False"))
        malformed("fortran_order is neither True nor False");
      hasOrder = true;
    } else if (key == "shape") {
      header.shape = parseShape();
      hasShape = true;
    } else {
      malformed("unknown key '" + key + "'");
    }
    if (!consume(',')) {
      expect('}');
      break;
    }
  }
  skipSpace();
  if (next != text.size())
    malformed("text after the dictionary");
  for (auto [isThere, key] :
       {std::pair(hasDescr, "descr"), std::pair(hasOrder, "fortran_order"),
        std::pair(hasShape, "shape")})
    if (!isThere)
      malformed(std::string("key ") + key + " is missing");
  return header;
}

/// Type codes without the byte order character.
static constexpr std::pair<std::string_view, DType> kTypeCodes[] = {
    {"b1", DType::Bool},    {"i1", DType::Int8},    {"u1", DType::UInt8},
    {"i2", DType::Int16},   {"u2", DType::UInt16},  {"i4", DType::Int32},
    {"u4", DType::UInt32},  {"i8", DType::Int64},   {"u8", DType::UInt64},
    {"f2", DType::Float16}, {"f4", DType::Float32}, {"f8", DType::Float64},
    {"V2", DType::BFloat16}};

static DType parseDescr(const std::string &path, const std::string &descr) {
  if (descr.size() > 1 && std::strchr("<>=|", descr[0]))
    for (auto [code, dtype] : kTypeCodes)
      if (descr.substr(1) == code)
        return dtype;
  const std::string_view code = std::string_view(descr).substr(
      descr.empty() || !std::strchr("<>=|", descr[0]) ? 0 : 1);
  if (code == "c8" || code == "c16") {
    const bool isSingle = code == "c8";
    fail(path, std::string("the elements are complex numbers (") +
                   (isSingle ? "complex64" : "complex128") +
                   "), of which there are no tensors; save them as pairs of "
                   "floats: a.view(np." +
                   (isSingle ? "float32" : "float64") +
                   ").reshape(*a.shape, 2)");
  }
  fail(path, "unsupported dtype '" + descr + "'");
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

ByteSource::~ByteSource() = default;

namespace {
/// A file, pipe or device.
class FileSource final : public ByteSource {
public:
  explicit FileSource(const std::string &path);
  std::size_t read(void *data, std::size_t size) override;
  uint64_t mostBytesLeft() override { return left; }

private:
  const std::string &path;
  File file;
  uint64_t left = UINT64_MAX;
};
} // namespace

FileSource::FileSource(const std::string &path)
    : path(path), file(std::fopen(path.c_str(), "rbe")) {
  if (!file)
    fail(path, "cannot open: " + errnoText(errno));
  struct stat status;
  if (::fstat(fileno(file.get()), &status) != 0)
    fail(path, "cannot read: " + errnoText(errno));
  if (S_ISREG(status.st_mode))
    left = uint64_t(status.st_size);
}

std::size_t FileSource::read(void *data, std::size_t size) {
  const std::size_t count = std::fread(data, 1, size, file.get());
  if (count != size && std::ferror(file.get()))
    fail(path, "cannot read: " + errnoText(errno));
  if (left != UINT64_MAX)
    left -= std::min<uint64_t>(left, count);
  return count;
}

static void readBytes(ByteSource &source, const std::string &path, void *data,
                      std::size_t size, const char *what) {
  const std::size_t count = source.read(data, size);
  if (count != size)
    fail(path, std::string("truncated: ") + what + " has " +
                   std::to_string(count) + " of " + std::to_string(size) +
                   " bytes");
}

static NpyHeader readHeader(ByteSource &source, const std::string &path) {
  // The first eight bytes are magic and version.
  char start[8];
  const std::size_t count = source.read(start, sizeof(start));
  if (std::string_view(start, std::min(count, npyMagic.size())) !=
      npyMagic.substr(0, count))
    fail(path, "not a .npy file: the magic number is missing");
  if (count == 0)
    fail(path, "not a .npy file: it is empty");
  if (count < sizeof(start))
    fail(path, "truncated: the file ends in its magic number");
  const unsigned major = uint8_t(start[6]), minor = uint8_t(start[7]);
  if (major < 1 || major > 3 || minor != 0)
    fail(path, "unsupported .npy version " + std::to_string(major) + "." +
                   std::to_string(minor));

  uint8_t lengthBytes[4] = {};
  readBytes(source, path, lengthBytes, major == 1 ? 2 : 4,
            "the header's length");
  uint32_t length = 0;
  std::memcpy(&length, lengthBytes, sizeof(length));
  // Only structured types, which are not supported, need longer headers.
  if (length > 1u << 20)
    fail(path, "malformed .npy header: a length of " + std::to_string(length) +
                   " bytes");
  std::string text(length, '\0');
  readBytes(source, path, text.data(), text.size(), "the header");
  return HeaderParser(path, text).parse();
}

/// Reverses the bytes of each element.
static void swapBytes(char *data, std::size_t itemBytes, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    std::reverse(data + i * itemBytes, data + (i + 1) * itemBytes);
}

/// Copies elements in Fortran order to C order.
template <std::size_t itemBytes>
static void toCOrder(char *to, const char *from,
                     const std::vector<int64_t> &shape) {
  const std::size_t rank = shape.size();
  std::vector<int64_t> strides(rank), index(rank, 0);
  int64_t total = 1;
  for (std::size_t i = 0; i < rank; ++i) {
    strides[i] = total;
    total *= shape[i];
  }
  int64_t source = 0;
  for (int64_t i = 0; i < total; ++i) {
    std::memcpy(to + i * itemBytes, from + source * itemBytes, itemBytes);
    for (std::size_t axis = rank; axis-- > 0;) {
      source += strides[axis];
      if (++index[axis] < shape[axis])
        break;
      source -= shape[axis] * strides[axis];
      index[axis] = 0;
    }
  }
}

static void toCOrder(HostArray &array) {
  HostArray ordered = makeHostArray(array.dtype, array.shape);
  char *to = ordered.as<char>();
  const char *from = array.as<char>();
  switch (itemSize(array.dtype)) {
  case 1:
    toCOrder<1>(to, from, array.shape);
    break;
  case 2:
    toCOrder<2>(to, from, array.shape);
    break;
  case 4:
    toCOrder<4>(to, from, array.shape);
    break;
  default:
    toCOrder<8>(to, from, array.shape);
    break;
  }
  array = std::move(ordered);
}

HostArray detail::readNpyArray(ByteSource &source, const std::string &path) {
  const NpyHeader header = readHeader(source, path);
  const DType dtype = parseDescr(path, header.descr);
  const std::optional<int64_t> bytes = denseByteSize(dtype, header.shape);
  if (!bytes)
    fail(path, "the size of the array overflows 64 bits");
  // Checked before memory is allocated: a damaged shape must not cause an
  // allocation of terabytes.
  if (const uint64_t left = source.mostBytesLeft(); left < uint64_t(*bytes))
    fail(path, "truncated: the array has " + std::to_string(left) + " of " +
                   std::to_string(*bytes) + " bytes");

  HostArray array = makeHostArray(dtype, header.shape);
  readBytes(source, path, array.data.address(), std::size_t(*bytes),
            "the array");
  const std::size_t count = std::size_t(*bytes) / itemSize(dtype);
  if (header.descr[0] == '>' && itemSize(dtype) > 1)
    swapBytes(array.as<char>(), itemSize(dtype), count);
  // Kernels require 0 and 1, but the format allows any nonzero byte.
  if (dtype == DType::Bool)
    for (std::size_t i = 0; i < count; ++i)
      array.as<uint8_t>()[i] = array.as<uint8_t>()[i] != 0;
  if (header.isFortranOrder && header.shape.size() > 1 && count > 1)
    toCOrder(array);
  return array;
}

HostArray tinygrad::readNpy(const std::string &path) {
  FileSource source(path);
  return readNpyArray(source, path);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

std::string detail::npyHeader(const HostArray &array, const std::string &path) {
  std::string_view typeCode;
  for (auto [code, dtype] : kTypeCodes)
    if (dtype == array.dtype)
      typeCode = code;
  if (typeCode.empty())
    fail(path, std::string("cannot write ") + name(array.dtype) +
                   ": .npy files have no such type");
  const std::optional<int64_t> bytes = denseByteSize(array.dtype, array.shape);
  if (!bytes || !array.data || array.data.size() < std::size_t(*bytes))
    fail(path, "cannot write an array whose shape does not fit its data");

  std::string text = "{'descr': '";
  text += itemSize(array.dtype) == 1 ? '|' : '<';
  text += typeCode;
  text += "', 'fortran_order': False, 'shape': (";
  for (std::size_t i = 0; i < array.shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(array.shape[i]);
  text += array.shape.size() == 1 ? ",), }" : "), }";

  // The header, with magic, version and length, is padded to a multiple of 64
  // bytes.
  const bool isLong = text.size() + 64 + 10 > 0xffff;
  std::string start(npyMagic);
  start += isLong ? '\2' : '\1';
  start += '\0';
  const std::size_t lengthBytes = isLong ? 4 : 2;
  const std::size_t unpadded = start.size() + lengthBytes + text.size() + 1;
  text.append((64 - unpadded % 64) % 64, ' ');
  text += '\n';
  for (std::size_t i = 0; i < lengthBytes; ++i)
    start += char(text.size() >> (8 * i) & 0xff);

  return start + text;
}

Buffer detail::npyElements(const HostArray &array) {
  const Buffer &data = array.data;
  data.device().synchronize();
  const std::size_t bytes =
      std::size_t(*denseByteSize(array.dtype, array.shape));
  const Buffer elements = data.view(0, bytes, array.dtype);
  return data.device().information().hostVisible
             ? elements
             : elements.copyTo(Device::get("CPU"));
}

void tinygrad::writeNpy(const std::string &path, const HostArray &array) {
  const std::string header = npyHeader(array, path);
  const Buffer elements = npyElements(array);
  AtomicFile file(path);
  file.write(header);
  file.write(elements.address(), elements.size());
  file.commit();
}
