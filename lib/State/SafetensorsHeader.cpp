//===- SafetensorsHeader.cpp - what a safetensors file holds --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A file consists of the size of the header in 8 bytes, the header, and the
/// data. The header is a JSON object that maps each name to the element type,
/// shape and offsets of a tensor, and may map "__metadata__" to an object of
/// texts.
///
/// The parser accepts exactly that. One for any JSON would have to limit the
/// depth of its recursion, and keep both of two equal keys.
///
//===----------------------------------------------------------------------===//

#include "SafetensorsHeader.h"
#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/Runtime/HostArray.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <set>
#include <tuple>

using namespace tinygrad;
using namespace tinygrad::state::detail;

static_assert(std::endian::native == std::endian::little,
              "numbers are read and written as they are in memory");

/// That of the reference implementation.
static constexpr uint64_t kLongestHeader = 100'000'000;
static constexpr std::string_view kMetadataKey = "__metadata__";
/// The data begin at a multiple of this.
static constexpr std::size_t kAlignment = 8;

/// In the order of the reference implementation, in which a file has its
/// tensors in reverse.
static constexpr std::pair<std::string_view, DType> kDTypes[] = {
    {"BOOL", DType::Bool},
    {"U8", DType::UInt8},
    {"I8", DType::Int8},
    {"F8_E5M2", DType::Float8E5M2},
    {"F8_E4M3", DType::Float8E4M3},
    {"F8_E4M3FNUZ", DType::Float8E4M3FNUZ},
    {"F8_E5M2FNUZ", DType::Float8E5M2FNUZ},
    {"I16", DType::Int16},
    {"U16", DType::UInt16},
    {"F16", DType::Float16},
    {"BF16", DType::BFloat16},
    {"I32", DType::Int32},
    {"U32", DType::UInt32},
    {"F32", DType::Float32},
    {"F64", DType::Float64},
    {"I64", DType::Int64},
    {"U64", DType::UInt64},
};
static_assert(std::size(kDTypes) == kNumDTypes);

static std::size_t rankOf(DType dtype) {
  std::size_t rank = 0;
  while (kDTypes[rank].second != dtype)
    ++rank;
  return rank;
}

bool state::detail::isBefore(const SafetensorsEntry &a,
                             const SafetensorsEntry &b) {
  const std::size_t first = rankOf(a.dtype), second = rankOf(b.dtype);
  return first != second ? first > second : a.name < b.name;
}

//===----------------------------------------------------------------------===//
// UTF-8
//===----------------------------------------------------------------------===//

/// The size of the character that \p text begins with; 0 if it is not UTF-8
/// (Unicode 15, table 3-7).
static std::size_t characterSize(std::string_view text) {
  auto isBetween = [&](std::size_t i, unsigned least, unsigned most) {
    return i < text.size() && uint8_t(text[i]) >= least &&
           uint8_t(text[i]) <= most;
  };
  auto isTail = [&](std::size_t i) { return isBetween(i, 0x80, 0xbf); };
  const uint8_t first = uint8_t(text[0]);
  if (first < 0x80)
    return 1;
  if (first >= 0xc2 && first <= 0xdf)
    return isTail(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef)
    // Neither longer forms than necessary nor surrogates.
    return isBetween(1, first == 0xe0 ? 0xa0 : 0x80,
                     first == 0xed ? 0x9f : 0xbf) &&
                   isTail(2)
               ? 3
               : 0;
  if (first >= 0xf0 && first <= 0xf4)
    return isBetween(1, first == 0xf0 ? 0x90 : 0x80,
                     first == 0xf4 ? 0x8f : 0xbf) &&
                   isTail(2) && isTail(3)
               ? 4
               : 0;
  return 0;
}

static void appendUtf8(std::string &text, uint32_t code) {
  auto tail = [&](int shift) { text += char(0x80 | (code >> shift & 0x3f)); };
  if (code < 0x80) {
    text += char(code);
  } else if (code < 0x800) {
    text += char(0xc0 | code >> 6);
    tail(0);
  } else if (code < 0x10000) {
    text += char(0xe0 | code >> 12);
    tail(6);
    tail(0);
  } else {
    text += char(0xf0 | code >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

namespace {
class HeaderParser {
public:
  HeaderParser(std::string_view text, const std::string &path)
      : text(text), path(path) {}

  SafetensorsHeader parse();

private:
  [[noreturn]] void fail(const std::string &what) const {
    throw IoError(path + ": malformed header: " + what);
  }
  [[noreturn]] void failHere(const std::string &what) const {
    fail(what + " at position " + std::to_string(next));
  }
  [[noreturn]] void failTensor(const std::string &name,
                               const std::string &what) const {
    fail("tensor '" + name + "': " + what);
  }
  void skipSpace() {
    while (next < text.size() &&
           std::string_view(" \t\r\n").find(text[next]) != text.npos)
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
      failHere(std::string("'") + c + "' is missing");
  }
  std::string parseString();
  uint32_t parseHex();
  void parseEscape(std::string &result);
  int64_t parseNumber();
  std::vector<int64_t> parseNumbers();
  /// Calls \p parseValue for each key, after its colon.
  template <typename ParseValue> void parseObject(ParseValue &&parseValue);
  void parseTensor(SafetensorsEntry &entry);

  const std::string_view text;
  const std::string &path;
  std::size_t next = 0;
};
} // namespace

uint32_t HeaderParser::parseHex() {
  uint32_t code = 0;
  for (int i = 0; i < 4; ++i) {
    const char c = next < text.size() ? text[next] : '\0';
    const std::size_t digit =
        std::string_view("0123456789abcdefABCDEF").find(c);
    if (digit == std::string_view::npos)
      failHere("four hexadecimal digits are missing");
    code = code << 4 | uint32_t(digit < 16 ? digit : digit - 6);
    ++next;
  }
  return code;
}

void HeaderParser::parseEscape(std::string &result) {
  static constexpr std::string_view letters = "\"\\/bfnrt";
  static constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
  const char c = next < text.size() ? text[next] : '\0';
  if (const std::size_t i = letters.find(c); i != std::string_view::npos) {
    result += meanings[i];
    ++next;
    return;
  }
  if (c != 'u')
    failHere("unknown escape sequence");
  ++next;
  uint32_t code = parseHex();
  const bool isFirst = code >= 0xd800 && code < 0xdc00;
  if (isFirst && text.substr(next, 2) == "\\u") {
    next += 2;
    const uint32_t second = parseHex();
    if (second < 0xdc00 || second > 0xdfff)
      failHere("half of a surrogate pair is missing");
    code = 0x10000 + ((code - 0xd800) << 10) + (second - 0xdc00);
  } else if (code >= 0xd800 && code < 0xe000) {
    failHere("half of a surrogate pair is missing");
  }
  appendUtf8(result, code);
}

std::string HeaderParser::parseString() {
  expect('"');
  std::string result;
  for (;;) {
    if (next >= text.size())
      failHere("a text has no end");
    const char c = text[next];
    if (c == '"') {
      ++next;
      return result;
    }
    if (c == '\\') {
      ++next;
      parseEscape(result);
      continue;
    }
    const std::size_t size = characterSize(text.substr(next));
    if (size == 0 || uint8_t(c) < 0x20)
      failHere(size == 0 ? "a text is not UTF-8"
                         : "a control character in a text");
    result += text.substr(next, size);
    next += size;
  }
}

int64_t HeaderParser::parseNumber() {
  skipSpace();
  const std::size_t first = next;
  int64_t number = 0;
  for (; next < text.size() && text[next] >= '0' && text[next] <= '9'; ++next)
    if (__builtin_mul_overflow(number, int64_t(10), &number) ||
        __builtin_add_overflow(number, int64_t(text[next] - '0'), &number))
      failHere("a number does not fit 63 bits");
  if (next == first || (text[first] == '0' && next - first > 1))
    failHere("a whole number is missing");
  return number;
}

std::vector<int64_t> HeaderParser::parseNumbers() {
  std::vector<int64_t> numbers;
  expect('[');
  if (consume(']'))
    return numbers;
  do
    numbers.push_back(parseNumber());
  while (consume(','));
  expect(']');
  return numbers;
}

template <typename ParseValue>
void HeaderParser::parseObject(ParseValue &&parseValue) {
  expect('{');
  if (consume('}'))
    return;
  do {
    std::string key = parseString();
    expect(':');
    parseValue(std::move(key));
  } while (consume(','));
  expect('}');
}

void HeaderParser::parseTensor(SafetensorsEntry &entry) {
  std::optional<std::string> dtype;
  std::optional<std::vector<int64_t>> shape, offsets;
  parseObject([&](const std::string &key) {
    bool isNew = false;
    if (key == "dtype") {
      isNew = !dtype;
      dtype = parseString();
    } else if (key == "shape") {
      isNew = !shape;
      shape = parseNumbers();
    } else if (key == "data_offsets") {
      isNew = !offsets;
      offsets = parseNumbers();
    } else {
      failTensor(entry.name, "unknown key '" + key + "'");
    }
    if (!isNew)
      failTensor(entry.name, "the key '" + key + "' occurs twice");
  });
  if (!dtype || !shape || !offsets)
    failTensor(entry.name, std::string("the key '") +
                               (!dtype   ? "dtype"
                                : !shape ? "shape"
                                         : "data_offsets") +
                               "' is missing");
  const auto known =
      std::find_if(std::begin(kDTypes), std::end(kDTypes),
                   [&](const auto &item) { return item.first == *dtype; });
  if (known == std::end(kDTypes))
    failTensor(entry.name, "unsupported dtype '" + *dtype + "'");
  entry.dtype = known->second;
  entry.shape = std::move(*shape);
  const std::optional<int64_t> bytes = denseByteSize(entry.dtype, entry.shape);
  if (!bytes)
    failTensor(entry.name, "the size of the tensor overflows 63 bits");
  if (offsets->size() != 2 || (*offsets)[0] > (*offsets)[1])
    failTensor(entry.name, "data_offsets are not a begin and an end");
  entry.begin = uint64_t((*offsets)[0]);
  entry.end = uint64_t((*offsets)[1]);
  if (entry.end - entry.begin != uint64_t(*bytes))
    failTensor(entry.name, "its shape and dtype take " +
                               std::to_string(*bytes) +
                               " bytes, its data_offsets " +
                               std::to_string(entry.end - entry.begin));
}

SafetensorsHeader HeaderParser::parse() {
  SafetensorsHeader header;
  std::set<std::string> names;
  if (!text.starts_with('{'))
    failHere("'{' is missing");
  parseObject([&](std::string key) {
    if (!names.insert(key).second)
      fail("the name '" + key + "' occurs twice");
    if (key == kMetadataKey) {
      parseObject([&](const std::string &name) {
        if (!header.metadata.emplace(name, parseString()).second)
          fail("the metadata have the name '" + name + "' twice");
      });
      return;
    }
    SafetensorsEntry entry;
    entry.name = std::move(key);
    parseTensor(entry);
    header.tensors.push_back(std::move(entry));
  });
  skipSpace();
  if (next != text.size())
    failHere("text after the header's object");
  return header;
}

[[noreturn]] static void failOffsets(const SafetensorsEntry &entry,
                                     const std::string &start,
                                     const std::string &what) {
  throw IoError(start + "tensor '" + entry.name + "': its bytes " +
                std::to_string(entry.begin) + " to " +
                std::to_string(entry.end) + " " + what);
}

/// Throws unless the tensors fill the data, each byte once.
static void checkOffsets(const SafetensorsHeader &header, uint64_t dataSize,
                         const std::string &path) {
  const std::string malformed = path + ": malformed header: ";
  std::vector<const SafetensorsEntry *> sorted;
  for (const SafetensorsEntry &entry : header.tensors)
    sorted.push_back(&entry);
  std::sort(sorted.begin(), sorted.end(), [](const auto *a, const auto *b) {
    return std::tie(a->begin, a->end) < std::tie(b->begin, b->end);
  });
  uint64_t end = 0;
  const SafetensorsEntry *previous = nullptr;
  for (const SafetensorsEntry *entry : sorted) {
    if (entry->begin < end)
      failOffsets(*entry, malformed,
                  "overlap those of tensor '" + previous->name + "'");
    if (entry->begin > end)
      failOffsets(*entry, malformed,
                  "leave a hole after byte " + std::to_string(end));
    if (entry->end > dataSize)
      failOffsets(*entry, path + ": truncated: ",
                  "are not in the " + std::to_string(dataSize) +
                      " bytes of data");
    end = entry->end;
    previous = entry;
  }
  if (end != dataSize)
    throw IoError(path + ": malformed: " + std::to_string(dataSize - end) +
                  " bytes follow the last tensor");
}

SafetensorsHeader state::detail::parseSafetensors(std::string_view file,
                                                  const std::string &path) {
  uint64_t size = 0;
  if (file.size() < sizeof(size))
    throw IoError(path + ": not a safetensors file: it has " +
                  std::to_string(file.size()) + " bytes");
  std::memcpy(&size, file.data(), sizeof(size));
  if (size > kLongestHeader)
    throw IoError(path + ": not a safetensors file: a header of " +
                  std::to_string(size) + " bytes; the format allows " +
                  std::to_string(kLongestHeader));
  const std::string_view rest = file.substr(sizeof(size));
  if (size > rest.size())
    throw IoError(path + ": truncated: the header has " +
                  std::to_string(rest.size()) + " of " + std::to_string(size) +
                  " bytes");
  SafetensorsHeader header =
      HeaderParser(rest.substr(0, std::size_t(size)), path).parse();
  header.dataOffset = sizeof(size) + size;
  checkOffsets(header, file.size() - header.dataOffset, path);
  return header;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

[[noreturn]] static void failText(const std::string &text,
                                  const std::string &path) {
  throw Error(path + ": cannot write the text '" + text + "': it is not UTF-8");
}

/// \p text as a JSON string; only what must be escaped is.
static std::string quoted(const std::string &text, const std::string &path) {
  static constexpr std::string_view special = "\b\t\n\f\r\"\\";
  static constexpr std::string_view letters = "btnfr\"\\";
  std::string result = "\"";
  for (std::size_t i = 0; i < text.size();) {
    const std::string_view rest = std::string_view(text).substr(i);
    const std::size_t size = characterSize(rest);
    if (size == 0)
      failText(text, path);
    i += size;
    const char c = rest[0];
    if (const std::size_t found = special.find(c); found != special.npos) {
      result += '\\';
      result += letters[found];
    } else if (uint8_t(c) < 0x20) {
      static constexpr std::string_view digits = "0123456789abcdef";
      result += "\\u00";
      result += digits[std::size_t(c) >> 4];
      result += digits[std::size_t(c) & 15];
    } else {
      result += rest.substr(0, size);
    }
  }
  return result + "\"";
}

std::string state::detail::formatSafetensors(const SafetensorsHeader &header,
                                             const std::string &path) {
  std::string text = "{";
  auto addKey = [&](const std::string &key) {
    const char last = text.back();
    text += last == '{' ? "" : ",";
    text += quoted(key, path) + ":";
  };
  if (!header.metadata.empty()) {
    addKey(std::string(kMetadataKey));
    text += "{";
    for (const auto &[key, value] : header.metadata) {
      addKey(key);
      text += quoted(value, path);
    }
    text += "}";
  }
  for (const SafetensorsEntry &entry : header.tensors) {
    if (entry.name == kMetadataKey)
      throw Error(path + ": cannot write a tensor named '" + entry.name +
                  "', which the format uses for texts");
    addKey(entry.name);
    text += "{\"dtype\":\"";
    text += kDTypes[rankOf(entry.dtype)].first;
    text += "\",\"shape\":[";
    for (std::size_t i = 0; i < entry.shape.size(); ++i)
      text += (i ? "," : "") + std::to_string(entry.shape[i]);
    text += "],\"data_offsets\":[" + std::to_string(entry.begin) + "," +
            std::to_string(entry.end) + "]}";
  }
  text += "}";
  text.append((kAlignment - text.size() % kAlignment) % kAlignment, ' ');
  const uint64_t size = text.size();
  if (size > kLongestHeader)
    throw IoError(path + ": cannot write a header of " + std::to_string(size) +
                  " bytes; the format allows " +
                  std::to_string(kLongestHeader));
  return std::string(reinterpret_cast<const char *>(&size), sizeof(size)) +
         text;
}
