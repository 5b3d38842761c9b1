//===- IdxTest.cpp - IDX files --------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Plain, compressed and damaged files.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Runtime/Idx.h"
#include "TestKernels.h"
#include "TinyGrad/Runtime/Error.h"

#include <gmock/gmock.h>

#include <filesystem>

#include <zlib.h>

using namespace tinygrad;
using namespace tinygrad::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

static std::string bytes(std::initializer_list<int> values) {
  std::string text;
  for (int value : values)
    text += char(value);
  return text;
}

namespace {
class IdxTest : public ::testing::Test {
protected:
  HostArray read(const std::string &contents) {
    writeFile(path, contents);
    return readIdx(path);
  }
  std::string problem(const std::string &contents) {
    writeFile(path, contents);
    const std::string message = messageOf<IoError>([&] { readIdx(path); });
    EXPECT_THAT(message, HasSubstr(path));
    return message;
  }
  std::string compressed(const std::string &contents) {
    const std::string file = directory.file("made.gz");
    gzFile stream = gzopen(file.c_str(), "wb");
    gzwrite(stream, contents.data(), unsigned(contents.size()));
    gzclose(stream);
    return readFile(file);
  }

  TemporaryDirectory directory;
  const std::string path = directory.file("data-idx");
  /// Two by three bytes.
  const std::string sample =
      bytes({0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 3, 1, 2, 3, 4, 5, 255});
};
} // namespace

TEST_F(IdxTest, readsPlainAndCompressedFiles) {
  for (const std::string &contents : {sample, compressed(sample)}) {
    HostArray array = read(contents);
    EXPECT_EQ(array.dtype, DType::UInt8);
    EXPECT_THAT(array.shape, ElementsAre(2, 3));
    EXPECT_EQ(array.as<uint8_t>()[0], 1);
    EXPECT_EQ(array.as<uint8_t>()[5], 255);
  }
}

TEST_F(IdxTest, readsAllTypesFromBigEndian) {
  EXPECT_EQ(read(bytes({0, 0, 9, 1, 0, 0, 0, 1, 254})).as<int8_t>()[0], -2);
  HostArray shorts = read(bytes({0, 0, 0xb, 1, 0, 0, 0, 2, 1, 2, 255, 254}));
  EXPECT_EQ(shorts.dtype, DType::Int16);
  EXPECT_EQ(shorts.as<int16_t>()[0], 258);
  EXPECT_EQ(shorts.as<int16_t>()[1], -2);
  EXPECT_EQ(
      read(bytes({0, 0, 0xc, 1, 0, 0, 0, 1, 0, 1, 0, 0})).as<int32_t>()[0],
      65536);
  EXPECT_EQ(
      read(bytes({0, 0, 0xd, 1, 0, 0, 0, 1, 0x3f, 0xc0, 0, 0})).as<float>()[0],
      1.5f);
  EXPECT_EQ(
      read(bytes({0, 0, 0xe, 0, 0xc0, 0, 0, 0, 0, 0, 0, 0})).as<double>()[0],
      -2.0);
}

TEST_F(IdxTest, readsEmptyArrays) {
  HostArray array = read(bytes({0, 0, 8, 2, 0, 0, 0, 0, 0, 0, 0, 28}));
  EXPECT_THAT(array.shape, ElementsAre(0, 28));
}

TEST_F(IdxTest, everyTruncationIsFound) {
  for (std::size_t size = 0; size < sample.size(); ++size)
    EXPECT_THAT(problem(sample.substr(0, size)), HasSubstr("truncated"))
        << size;
  const std::string gz = compressed(sample);
  // The beginning of a stream may look like a plain file, so any error will do.
  for (std::size_t size = 2; size < gz.size(); ++size)
    problem(gz.substr(0, size));
}

TEST_F(IdxTest, damagedStreamsAreFound) {
  const std::string gz = compressed(sample + std::string(1000, 'x'));
  std::string checksum = gz;
  checksum[gz.size() - 8] = char(checksum[gz.size() - 8] ^ 1);
  std::string longer = compressed(sample);
  longer[longer.size() - 8] = char(longer[longer.size() - 8] ^ 1);
  EXPECT_THAT(problem(longer), HasSubstr("damaged compressed data: "));
  EXPECT_THAT(problem(longer), Not(HasSubstr("fd:")));
  EXPECT_THAT(problem(gz.substr(0, 10) + std::string(20, '\xff')),
              HasSubstr("damaged compressed data"));
}

TEST_F(IdxTest, otherFilesAreExplained) {
  EXPECT_THAT(messageOf<IoError>([] { readIdx("/no/such/file"); }),
              HasSubstr("/no/such/file: cannot open: No such file"));
  EXPECT_THAT(messageOf<IoError>([&] { readIdx(directory.path()); }),
              HasSubstr(directory.path()));
  EXPECT_THAT(problem("text, not IDX"), HasSubstr("not an IDX file"));
  EXPECT_THAT(problem(bytes({0, 0, 7, 1, 0, 0, 0, 1, 0})),
              HasSubstr("type code 7"));
  EXPECT_THAT(problem(sample + "x"), HasSubstr("bytes after the array"));
}

TEST_F(IdxTest, absurdShapesAllocateNothing) {
  const std::string huge =
      bytes({0, 0, 8, 2, 127, 255, 255, 255, 127, 255, 255, 255});
  EXPECT_THAT(problem(huge), HasSubstr("cannot hold"));
  EXPECT_THAT(problem(compressed(huge)), HasSubstr("cannot hold"));
  EXPECT_THAT(problem(bytes({0, 0, 8, 3}) + std::string(12, '\xff')),
              HasSubstr("overflows"));
}

TEST_F(IdxTest, readsTheFashionImages) {
  const std::string real =
      "/usr/share/datasets/fashion-mnist/t10k-images-idx3-ubyte.gz";
  if (!std::filesystem::exists(real))
    GTEST_SKIP() << "dataset-fashion-mnist is not installed";
  HostArray images = readIdx(real);
  EXPECT_THAT(images.shape, ElementsAre(10000, 28, 28));
  int64_t sum = 0;
  for (int64_t i = 0; i < images.numElements(); ++i)
    sum += images.as<uint8_t>()[i];
  // zcat t10k-images-idx3-ubyte.gz | tail -c +17, summed with NumPy.
  EXPECT_EQ(sum, 573469082);
}
