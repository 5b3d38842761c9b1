//===- SafetensorsFormatTest.cpp - headers of safetensors files -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A file of the reference implementation, malformed headers, and the files
/// that the fuzzer begins with.
///
//===----------------------------------------------------------------------===//

#include "SafetensorsHeader.h"
#include "TestFiles.h"

#include "TinyGrad/Runtime/Error.h"

#include <gmock/gmock.h>

using namespace tinygrad;
using namespace tinygrad::state::detail;
using namespace tinygrad::testing;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::StartsWith;

/// A file with this header, and as many bytes of data.
static std::string makeFile(const std::string &header, std::size_t data = 0) {
  std::string file;
  for (int i = 0; i < 8; ++i)
    file += char(header.size() >> (8 * i) & 0xff);
  return file + header + std::string(data, '\0');
}

static SafetensorsHeader parse(const std::string &header,
                               std::size_t data = 0) {
  return parseSafetensors(makeFile(header, data), "FILE");
}

/// The error for a file, without its name.
static std::string problem(const std::string &file) {
  const std::string message =
      messageOf<IoError>([&] { parseSafetensors(file, "FILE"); });
  EXPECT_THAT(message, StartsWith("FILE: "));
  return message.substr(message.find(": ") + 2);
}

static std::string tensor(const std::string &dtype, const std::string &shape,
                          const std::string &offsets) {
  return "{\"dtype\":\"" + dtype + "\",\"shape\":[" + shape +
         "],\"data_offsets\":[" + offsets + "]}";
}

//===----------------------------------------------------------------------===//
// Well-formed headers
//===----------------------------------------------------------------------===//

TEST(SafetensorsFormat, ReadsTheReference) {
  // Written by version 0.8.0 of the Python package.
  const std::string file = readFile(INPUTS "/safetensors/reference");
  const SafetensorsHeader header = parseSafetensors(file, "FILE");
  EXPECT_THAT(header.metadata, ElementsAre(Pair("format", "\u00e4\t\"x\"")));
  ASSERT_EQ(header.tensors.size(), kNumDTypes + 3);
  for (const SafetensorsEntry &entry : header.tensors)
    if (entry.name == "scalar") {
      EXPECT_TRUE(entry.shape.empty());
    } else if (entry.name == "empty") {
      EXPECT_THAT(entry.shape, ElementsAre(3, 0));
    } else if (entry.name.starts_with("a")) {
      EXPECT_EQ(entry.name, "a\"b\\c/d\n\1\u00e4\U0001f600");
    } else {
      EXPECT_EQ(entry.name, name(entry.dtype));
      EXPECT_EQ(entry.end - entry.begin, 3 * itemSize(entry.dtype));
    }
  // The same tensors give the same bytes.
  EXPECT_TRUE(
      std::is_sorted(header.tensors.begin(), header.tensors.end(), isBefore));
  EXPECT_EQ(formatSafetensors(header, "FILE"),
            file.substr(0, std::size_t(header.dataOffset)));
}

TEST(SafetensorsFormat, HeadersMayBeWrittenDifferently) {
  const SafetensorsHeader header =
      parse("{ \"b\" :\n{\"data_offsets\" : [ 8 , 9 ] ,\t\"shape\" : [ ] ,"
            "\"dtype\" : \"U8\" } , \"\\u00e4\\ud83d\\ude00\\/\\b\\f\\r\":" +
                tensor("F32", "1,2", "0,8") + " }\r\n ",
            9);
  ASSERT_EQ(header.tensors.size(), 2u);
  EXPECT_EQ(header.tensors[0], (SafetensorsEntry{"b", DType::UInt8, {}, 8, 9}));
  EXPECT_EQ(header.tensors[1],
            (SafetensorsEntry{
                "\u00e4\U0001f600/\b\f\r", DType::Float32, {1, 2}, 0, 8}));
  EXPECT_EQ(parse("{}").tensors.size(), 0u);
  EXPECT_EQ(parse("{}").dataOffset, 10u);
}

TEST(SafetensorsFormat, EmptyTensors) {
  const SafetensorsHeader header =
      parse("{\"a\":" + tensor("F64", "0,9", "4,4") +
                ",\"b\":" + tensor("I32", "", "0,4") + ",\"c\":" +
                tensor("F64", "4611686018427387904,8,0", "0,0") + "}",
            4);
  EXPECT_EQ(header.tensors.size(), 3u);
}

TEST(SafetensorsFormat, DataAreAligned) {
  for (const char *name : {"a", "ab", "abc", "abcd", "abcdefgh"}) {
    SafetensorsHeader header;
    header.tensors = {{name, DType::UInt8, {1}, 0, 1}};
    const std::string text = formatSafetensors(header, "FILE");
    EXPECT_EQ(text.size() % 8, 0u);
    EXPECT_EQ(parseSafetensors(text + "x", "FILE").tensors, header.tensors);
  }
}

//===----------------------------------------------------------------------===//
// Malformed files
//===----------------------------------------------------------------------===//

TEST(SafetensorsFormat, SizesOfHeaders) {
  EXPECT_EQ(problem(""), "not a safetensors file: it has 0 bytes");
  EXPECT_EQ(problem("1234567"), "not a safetensors file: it has 7 bytes");
  EXPECT_EQ(problem(std::string(8, '\xff')),
            "not a safetensors file: a header of 18446744073709551615 bytes; "
            "the format allows 100000000");
  EXPECT_EQ(problem(std::string("\x64\0\0\0\0\0\0\0{}", 10)),
            "truncated: the header has 2 of 100 bytes");
  EXPECT_EQ(problem(std::string(8, '\0')),
            "malformed header: '{' is missing at position 0");
}

TEST(SafetensorsFormat, EveryTruncationIsFound) {
  const std::string whole =
      makeFile("{\"a\":" + tensor("F32", "2", "0,8") + "}", 8);
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_THROW(parseSafetensors(whole.substr(0, size), "FILE"), IoError)
        << size;
  EXPECT_EQ(problem(whole.substr(0, whole.size() - 1)),
            "truncated: tensor 'a': its bytes 0 to 8 are not in the 7 bytes of "
            "data");
  EXPECT_EQ(problem(whole + "xy"), "malformed: 2 bytes follow the last tensor");
}

TEST(SafetensorsFormat, Syntax) {
  auto says = [&](const std::string &header, const std::string &what) {
    EXPECT_THAT(problem(makeFile(header, 1)),
                AllOf(StartsWith("malformed header: "), HasSubstr(what)))
        << header;
  };
  const std::string good = tensor("U8", "1", "0,1");
  says(" {}", "'{' is missing at position 0");
  says("[]", "'{' is missing at position 0");
  says("{", "'\"' is missing at position 1");
  says("{\"a\"}", "':' is missing");
  says("{\"a\":1}", "'{' is missing at position 5");
  says("{\"a\":" + good, "'}' is missing");
  says("{\"a\":" + good + ",}", "'\"' is missing");
  says("{\"a\":" + good + "}}", "text after the header's object");
  says("{\"a\":" + good + "}" + std::string(1, '\0'), "text after");
  says("{\"a\":{}}", "tensor 'a': the key 'dtype' is missing");
  says("{\"a\":{\"dtype\":\"U8\"}}", "the key 'shape' is missing");
  says("{\"a\":{\"dtype\":\"U8\",\"shape\":[1]}}",
       "the key 'data_offsets' is missing");
  says("{\"a\":{\"shape\":[1],\"shape\":[1]}}",
       "tensor 'a': the key 'shape' occurs twice");
  says("{\"a\":{\"size\":1}}", "tensor 'a': unknown key 'size'");
  says("{\"a\":{\"dtype\":1}}", "'\"' is missing");
  says("{\"a\":" + good + ",\"a\":" + good + "}", "the name 'a' occurs twice");
  says("{\"a\":" + good + ",\"\\u0061\":" + good + "}",
       "the name 'a' occurs twice");
  says("{\"__metadata__\":{},\"__metadata__\":{}}", "occurs twice");
  says("{\"__metadata__\":{\"k\":\"1\",\"k\":\"2\"}}",
       "the metadata have the name 'k' twice");
  says("{\"__metadata__\":{\"k\":1}}", "'\"' is missing");
  says("{\"__metadata__\":{\"k\":{\"l\":\"\"}}}", "'\"' is missing");
  says("{\"__metadata__\":null}", "'{' is missing");
  says(std::string(1 << 20, '['), "'{' is missing");
  std::string deep;
  for (int i = 0; i < 100000; ++i)
    deep += "{\"a\":";
  says(deep, "tensor 'a': unknown key 'a'");
}

TEST(SafetensorsFormat, Texts) {
  auto says = [&](const std::string &text, const std::string &what) {
    EXPECT_THAT(problem(makeFile("{\"" + text)), HasSubstr(what)) << text;
  };
  says("a", "a text has no end at position 3");
  says("\\", "unknown escape sequence");
  says("\\x", "unknown escape sequence");
  says("\\u12", "four hexadecimal digits are missing");
  says("\\u12g4", "four hexadecimal digits are missing at position 6");
  says("\\ud800\"", "half of a surrogate pair is missing");
  says("\\ud800\\u0041", "half of a surrogate pair is missing");
  says("\\udc00", "half of a surrogate pair is missing");
  says("a\nb", "a control character in a text at position 3");
  for (const char *bytes :
       {"\x80", "\xc0\xaf", "\xc3", "\xc3(", "\xe0\x80\xaf", "\xed\xa0\x80",
        "\xe2\x82", "\xf0\x80\x80\x80", "\xf4\x90\x80\x80", "\xf5", "\xff"})
    says(bytes, "a text is not UTF-8 at position 2");
}

TEST(SafetensorsFormat, TensorsThatDoNotFit) {
  auto says = [&](const std::string &tensors, const std::string &what) {
    EXPECT_THAT(problem(makeFile("{" + tensors + "}", 8)), HasSubstr(what));
  };
  auto one = [&](const std::string &dtype, const std::string &shape,
                 const std::string &offsets, const std::string &what) {
    says("\"x\":" + tensor(dtype, shape, offsets), "malformed header: " + what);
  };
  one("Q8", "1", "0,1", "tensor 'x': unsupported dtype 'Q8'");
  one("C64", "1", "0,8", "tensor 'x': unsupported dtype 'C64'");
  one("U8", "-1", "0,1", "a whole number is missing");
  one("U8", "1.0", "0,1", "']' is missing");
  one("U8", "01", "0,1", "a whole number is missing");
  one("U8", "1,", "0,1", "a whole number is missing");
  one("U8", "9223372036854775808", "0,1", "a number does not fit 63 bits");
  one("F32", "4611686018427387904", "0,0",
      "tensor 'x': the size of the tensor overflows 63 bits");
  one("U8", "4611686018427387904,4", "0,0",
      "tensor 'x': the size of the tensor overflows 63 bits");
  one("F64", "2", "0,8",
      "tensor 'x': its shape and dtype take 16 bytes, its data_offsets 8");
  one("U8", "8", "0,8,8",
      "tensor 'x': data_offsets are not a begin and an end");
  one("U8", "8", "0", "tensor 'x': data_offsets are not a begin and an end");
  one("U8", "8", "", "tensor 'x': data_offsets are not a begin and an end");
  one("U8", "8", "8,0", "tensor 'x': data_offsets are not a begin and an end");
  one("U8", "7", "1,8",
      "tensor 'x': its bytes 1 to 8 leave a hole after byte 0");
  says("\"x\":" + tensor("U8", "9", "0,9"),
       "truncated: tensor 'x': its bytes 0 to 9 are not in the 8 bytes");
  const std::string first = "\"a\":" + tensor("U8", "4", "0,4") + ",\"b\":";
  says(first + tensor("U8", "5", "3,8"),
       "tensor 'b': its bytes 3 to 8 overlap those of tensor 'a'");
  says(first + tensor("U8", "4", "0,4"), "overlap those of tensor");
  says(first + tensor("U8", "0", "2,2"), "bytes 2 to 2 overlap");
  says(first + tensor("U8", "3", "5,8"),
       "tensor 'b': its bytes 5 to 8 leave a hole after byte 4");
  says(first + tensor("U8", "3", "4,7"),
       "malformed: 1 bytes follow the last tensor");
  says("\"a\":" + tensor("U8", "9223372036854775807", "0,9223372036854775807"),
       "truncated");
}

// The files that the fuzzer begins with.
TEST(SafetensorsFormat, Corpus) {
  int count = 0;
  for (const auto &file :
       std::filesystem::directory_iterator(INPUTS "/safetensors")) {
    const std::string bytes = readFile(file.path());
    const bool isBad = file.path().filename().string().starts_with("bad-");
    try {
      parseSafetensors(bytes, "FILE");
      EXPECT_FALSE(isBad) << file.path();
    } catch (const IoError &error) {
      EXPECT_TRUE(isBad) << file.path() << ": " << error.what();
    }
    ++count;
  }
  EXPECT_GT(count, 20);
}

//===----------------------------------------------------------------------===//
// What cannot be written
//===----------------------------------------------------------------------===//

TEST(SafetensorsFormat, NamesThatCannotBeWritten) {
  auto write = [](const std::string &name, const std::string &text) {
    SafetensorsHeader header;
    header.tensors = {{name, DType::UInt8, {1}, 0, 1}};
    header.metadata = {{"key", text}};
    formatSafetensors(header, "FILE");
  };
  write("a", "b");
  EXPECT_EQ(messageOf<Error>([&] { write("a\xff", ""); }),
            "FILE: cannot write the text 'a\xff': it is not UTF-8");
  EXPECT_EQ(messageOf<Error>([&] { write("a", "\xc3"); }),
            "FILE: cannot write the text '\xc3': it is not UTF-8");
  EXPECT_EQ(messageOf<Error>([&] { write("__metadata__", ""); }),
            "FILE: cannot write a tensor named '__metadata__', which the "
            "format uses for texts");
  EXPECT_THAT(
      messageOf<IoError>([&] { write("a", std::string(100'000'000, 'x')); }),
      AllOf(StartsWith("FILE: cannot write a header of 1000000"),
            HasSubstr("the format allows 100000000")));
}
