//===- NpyTest.cpp - NumPy array files ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Files written by hand from the format's description, round trips, and
/// invalid files.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Runtime/Npy.h"
#include "TestKernels.h"
#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/Runtime/Error.h"

#include <gmock/gmock.h>

#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>

using namespace tinygrad;
using namespace tinygrad::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A file of the given format version with this header and these elements.
static std::string npy(const std::string &header, const std::string &elements,
                       int version = 1) {
  std::string file = "\x93NUMPY";
  file += char(version);
  file += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    file += char(header.size() >> (8 * i) & 0xff);
  return file + header + elements;
}

static std::string header(const std::string &descr, const std::string &shape,
                          bool isFortran = false) {
  return "{'descr': '" + descr +
         "', 'fortran_order': " + (isFortran ? "True" : "False") +
         ", 'shape': " + shape + ", }\n";
}

template <typename T> static std::string raw(std::initializer_list<T> values) {
  return std::string(reinterpret_cast<const char *>(values.begin()),
                     values.size() * sizeof(T));
}

namespace {
class NpyTest : public ::testing::Test {
protected:
  HostArray read(const std::string &bytes) {
    writeFile(path, bytes);
    return readNpy(path);
  }
  /// The error for a file with these bytes, which must contain the file's name.
  std::string problem(const std::string &bytes) {
    writeFile(path, bytes);
    const std::string message = messageOf<IoError>([&] { readNpy(path); });
    EXPECT_THAT(message, HasSubstr(path));
    return message;
  }

  TemporaryDirectory directory;
  const std::string path = directory.file("array.npy");
};
} // namespace

template <typename T> static std::vector<T> elements(const HostArray &array) {
  EXPECT_EQ(array.dtype, dtypeOf<T>());
  EXPECT_EQ(array.data.size(), std::size_t(array.numElements()) * sizeof(T));
  return std::vector<T>(array.as<T>(), array.as<T>() + array.numElements());
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

TEST_F(NpyTest, readsAllVersions) {
  for (int version : {1, 2, 3}) {
    HostArray array = read(
        npy(header("<f4", "(2, 3)"), raw<float>({1, 2, 3, 4, 5, 6}), version));
    EXPECT_THAT(array.shape, ElementsAre(2, 3));
    EXPECT_THAT(elements<float>(array), ElementsAre(1, 2, 3, 4, 5, 6));
  }
}

TEST_F(NpyTest, readsAllTypes) {
  EXPECT_THAT(elements<bool>(
                  read(npy(header("|b1", "(3,)"), std::string("\0\1\7", 3)))),
              ElementsAre(false, true, true));
  // A byte other than 0 is normalized to 1.
  EXPECT_EQ(read(npy(header("|b1", "(1,)"), "\7")).as<uint8_t>()[0], 1);
  EXPECT_THAT(elements<int8_t>(read(npy(header("|i1", "(1,)"), "\xff"))),
              ElementsAre(-1));
  EXPECT_THAT(elements<uint8_t>(read(npy(header("|u1", "(1,)"), "\xff"))),
              ElementsAre(255));
  EXPECT_THAT(
      elements<int16_t>(read(npy(header("<i2", "(1,)"), raw<int16_t>({-300})))),
      ElementsAre(-300));
  EXPECT_THAT(elements<uint16_t>(
                  read(npy(header("<u2", "(1,)"), raw<uint16_t>({65000})))),
              ElementsAre(65000));
  EXPECT_THAT(elements<int32_t>(
                  read(npy(header("<i4", "(1,)"), raw<int32_t>({-70000})))),
              ElementsAre(-70000));
  EXPECT_THAT(elements<uint32_t>(
                  read(npy(header("<u4", "(1,)"), raw<uint32_t>({~0u})))),
              ElementsAre(~0u));
  EXPECT_THAT(elements<int64_t>(
                  read(npy(header("<i8", "(1,)"), raw<int64_t>({INT64_MIN})))),
              ElementsAre(INT64_MIN));
  EXPECT_THAT(elements<uint64_t>(read(
                  npy(header("<u8", "(1,)"), raw<uint64_t>({UINT64_MAX})))),
              ElementsAre(UINT64_MAX));
  EXPECT_EQ(float(read(npy(header("<f2", "(1,)"), raw<uint16_t>({0x3e00})))
                      .as<Half>()[0]),
            1.5f);
  EXPECT_THAT(
      elements<double>(read(npy(header("<f8", "(1,)"), raw<double>({1e300})))),
      ElementsAre(1e300));
  HostArray bf16 = read(npy(header("<V2", "(1,)"), raw<uint16_t>({0x3fc0})));
  EXPECT_EQ(bf16.dtype, DType::BFloat16);
  EXPECT_EQ(float(bf16.as<BFloat16>()[0]), 1.5f);
  // Native byte order is little-endian here.
  EXPECT_THAT(
      elements<int16_t>(read(npy(header("=i2", "(1,)"), raw<int16_t>({258})))),
      ElementsAre(258));
}

TEST_F(NpyTest, readsBigEndian) {
  EXPECT_THAT(
      elements<int32_t>(read(npy(header(">i4", "(2,)"),
                                 std::string("\0\0\1\2\xff\xff\xff\xfe", 8)))),
      ElementsAre(258, -2));
  EXPECT_THAT(
      elements<double>(read(
          npy(header(">f8", "(1,)"), std::string("\x40\x09\0\0\0\0\0\0", 8)))),
      ElementsAre(3.125));
}

TEST_F(NpyTest, readsFortranOrder) {
  HostArray matrix = read(
      npy(header("<i4", "(2, 3)", true), raw<int32_t>({0, 10, 1, 11, 2, 12})));
  EXPECT_THAT(matrix.shape, ElementsAre(2, 3));
  EXPECT_THAT(elements<int32_t>(matrix), ElementsAre(0, 1, 2, 10, 11, 12));

  // Element (i, j, k) is i + 2j + 6k in Fortran order.
  std::string data;
  for (int i = 0; i < 24; ++i)
    data += char(i);
  std::vector<uint8_t> cube =
      elements<uint8_t>(read(npy(header("|u1", "(2, 3, 4)", true), data)));
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 4; ++k)
        EXPECT_EQ(cube[std::size_t(i * 12 + j * 4 + k)], i + 2 * j + 6 * k);

  EXPECT_THAT(elements<double>(read(npy(header(">f8", "(1, 2)", true),
                                        std::string("\x3f\xf0\0\0\0\0\0\0"
                                                    "\x40\0\0\0\0\0\0\0",
                                                    16)))),
              ElementsAre(1, 2));
  EXPECT_THAT(elements<int16_t>(read(
                  npy(header("<i2", "(3,)", true), raw<int16_t>({1, 2, 3})))),
              ElementsAre(1, 2, 3));
}

TEST_F(NpyTest, readsScalarsAndEmptyArrays) {
  HostArray scalar = read(npy(header("<i8", "()"), raw<int64_t>({42})));
  EXPECT_TRUE(scalar.shape.empty());
  EXPECT_THAT(elements<int64_t>(scalar), ElementsAre(42));
  HostArray empty = read(npy(header("<f4", "(3, 0, 2)"), ""));
  EXPECT_THAT(empty.shape, ElementsAre(3, 0, 2));
  EXPECT_EQ(empty.numElements(), 0);
  EXPECT_EQ(read(npy(header("<f4", "(0, 3)", true), "")).numElements(), 0);
  // If one size is 0, the others do not matter.
  EXPECT_EQ(
      read(npy(header("<f4", "(0, 4611686018427387904, 8)"), "")).data.size(),
      0u);
}

TEST_F(NpyTest, emptyWithSizesThatOverflow) {
  HostArray array =
      makeHostArray(DType::Float32, {int64_t(1) << 40, int64_t(1) << 40, 0});
  EXPECT_EQ(array.numElements(), 0);
}

TEST_F(NpyTest, headersMayBeWrittenDifferently) {
  const std::string data = raw<int32_t>({1, 2});
  for (const char *text :
       {"{'shape':(2,),'fortran_order':False,'descr':'<i4'}",
        "  { \"descr\" : \"<i4\" ,\n \"fortran_order\" : False,"
        "\t\"shape\" : ( 2 , ) } \n",
        "{'descr': '<i4', 'fortran_order': False, 'shape': (2L,), }    \n"})
    EXPECT_THAT(elements<int32_t>(read(npy(text, data))), ElementsAre(1, 2))
        << text;
  // Only the first of several arrays in a file is read.
  EXPECT_THAT(elements<int32_t>(
                  read(npy(header("<i4", "(2,)"), data) + "whatever follows")),
              ElementsAre(1, 2));
}

TEST_F(NpyTest, readsFromAPipe) {
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  // Opened for reading and writing, so that neither side blocks.
  const int descriptor = ::open(path.c_str(), O_RDWR);
  const std::string bytes = npy(header("<i4", "(2,)"), raw<int32_t>({1, 2}));
  ASSERT_EQ(::write(descriptor, bytes.data(), bytes.size()),
            ssize_t(bytes.size()));
  EXPECT_THAT(elements<int32_t>(readNpy(path)), ElementsAre(1, 2));
  ::close(descriptor);
}

//===----------------------------------------------------------------------===//
// Invalid files
//===----------------------------------------------------------------------===//

TEST_F(NpyTest, missingFiles) {
  EXPECT_THAT(messageOf<IoError>([] { readNpy("/no/such/file.npy"); }),
              HasSubstr("/no/such/file.npy: cannot open: No such file"));
  EXPECT_THAT(messageOf<IoError>([&] { readNpy(directory.path()); }),
              HasSubstr("cannot read: Is a directory"));
}

TEST_F(NpyTest, everyTruncationIsFound) {
  const std::string whole =
      npy(header("<f4", "(2, 3)"), raw<float>({1, 2, 3, 4, 5, 6}));
  EXPECT_THAT(problem(""), HasSubstr("it is empty"));
  for (std::size_t size = 1; size < whole.size(); ++size)
    EXPECT_THAT(problem(whole.substr(0, size)), HasSubstr("truncated")) << size;
  EXPECT_THAT(problem(whole.substr(0, whole.size() - 4)),
              HasSubstr("the array has 20 of 24 bytes"));
}

TEST_F(NpyTest, otherFilesAreNotTaken) {
  EXPECT_THAT(problem("PK\3\4 this is a zip file"), HasSubstr("magic number"));
  EXPECT_THAT(problem("N"), HasSubstr("magic number"));
  EXPECT_THAT(problem(npy(header("<f4", "()"), "1234", 4)),
              HasSubstr("unsupported .npy version 4.0"));
  EXPECT_THAT(problem(npy(header("<f4", "()"), "1234", 0)),
              HasSubstr("unsupported .npy version 0.0"));
}

TEST_F(NpyTest, complexNumbersAreToldWhatToDo) {
  EXPECT_THAT(problem(npy(header("<c8", "(1,)"), std::string(8, '\0'))),
              HasSubstr("complex64"));
  EXPECT_THAT(problem(npy(header(">c16", "(1,)"), std::string(16, '\0'))),
              HasSubstr("complex128), of which there are no tensors; save them "
                        "as pairs of floats: a.view(np.float64).reshape("
                        "*a.shape, 2)"));
}

TEST_F(NpyTest, unsupportedTypesAreNamed) {
  for (const char *descr : {"<U5", "|S3", "|O", "<M8[ns]", "<f16", "<i3", "",
                            "f4", "<", "<f4x", "|V1"})
    EXPECT_THAT(problem(npy(header(descr, "(1,)"), std::string(32, '\0'))),
                HasSubstr("unsupported dtype '" + std::string(descr) + "'"));
  EXPECT_THAT(problem(npy("{'descr': [('a', '<f4')], 'fortran_order': False, "
                          "'shape': (1,), }",
                          "1234")),
              HasSubstr("records with fields"));
}

TEST_F(NpyTest, malformedHeadersAreExplained) {
  auto says = [&](const std::string &text, const std::string &what) {
    const std::string message = problem(npy(text, std::string(64, '\0')));
    EXPECT_THAT(message, HasSubstr("malformed .npy header")) << text;
    EXPECT_THAT(message, HasSubstr(what)) << text;
  };
  says("", "'{' is missing");
  says("[1, 2]", "'{' is missing");
  says("{}", "key descr is missing");
  says("{'descr': '<f4', 'shape': (1,)}", "key fortran_order is missing");
  says("{'descr': '<f4', 'fortran_order': False}", "key shape is missing");
  says("{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}",
       "neither True nor False");
  says("{'descr': 5, 'fortran_order': False, 'shape': (1,)}",
       "a quoted text is missing");
  says("{'descr': '<f4, }", "a quoted text is missing");
  says("{'what': '<f4'}", "unknown key 'what'");
  says(header("<f4", "(-1,)"), "not a tuple of sizes");
  says(header("<f4", "(1.5,)"), "')' is missing");
  says(header("<f4", "(1 2)"), "')' is missing");
  says(header("<f4", "(1"), "not a tuple of sizes");
  says(header("<f4", "[1]"), "'(' is missing");
  says(header("<f4", "(99999999999999999999,)"), "too large");
  says(header("<f4", "(1,)") + "junk", "text after the dictionary");
  says("{'descr': '<f4' 'fortran_order': False}", "'}' is missing");
  says("{'descr': '<f4',", "a quoted text is missing");
  std::string huge = "\x93NUMPY\2";
  huge += std::string("\0\xff\xff\xff\xff", 5);
  EXPECT_THAT(problem(huge + "{}"), HasSubstr("a length of 4294967295 bytes"));
}

TEST_F(NpyTest, absurdShapesAllocateNothing) {
  EXPECT_THAT(problem(npy(header("<f8", "(4611686018427387904, 4)"), "")),
              HasSubstr("overflows"));
  EXPECT_THAT(problem(npy(header("<f8", "(1152921504606846975,)"), "")),
              HasSubstr("truncated"));
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

template <typename T>
static HostArray makeArray(std::vector<int64_t> shape,
                           std::initializer_list<T> values) {
  HostArray array = makeHostArray(dtypeOf<T>(), std::move(shape));
  std::copy(values.begin(), values.end(), array.as<T>());
  return array;
}

TEST_F(NpyTest, writesTheDocumentedBytes) {
  writeNpy(path, makeArray<int16_t>({2, 2}, {1, 2, 3, -1}));
  const std::string text =
      "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 2), }";
  std::string padded = text;
  padded.resize(128 - 10 - 1, ' ');
  EXPECT_EQ(readFile(path),
            npy(padded + "\n", std::string("\1\0\2\0\3\0\xff\xff", 8)));
  writeNpy(path, makeArray<float>({}, {1}));
  EXPECT_THAT(readFile(path), HasSubstr("'descr': '<f4'"));
  EXPECT_THAT(readFile(path), HasSubstr("'shape': (), }"));
  writeNpy(path, makeArray<bool>({1}, {true}));
  EXPECT_THAT(readFile(path), HasSubstr("'descr': '|b1'"));
  EXPECT_THAT(readFile(path), HasSubstr("'shape': (1,), }"));
}

TEST_F(NpyTest, roundTripsAllTypes) {
  for (unsigned i = 0; i < kNumDTypes; ++i) {
    const DType dtype = DType(i);
    HostArray array = makeHostArray(dtype, {3, 5});
    for (std::size_t j = 0; j < array.data.size(); ++j)
      array.as<uint8_t>()[j] =
          uint8_t(dtype == DType::Bool ? j % 2 : j * 37 + i);
    if (isFloat8(dtype)) {
      EXPECT_THAT(messageOf<IoError>([&] { writeNpy(path, array); }),
                  HasSubstr(name(dtype)));
      continue;
    }
    writeNpy(path, array);
    EXPECT_EQ((readFile(path).size() - array.data.size()) % 64, 0u);
    HostArray back = readNpy(path);
    EXPECT_EQ(back.dtype, dtype);
    EXPECT_EQ(back.shape, array.shape);
    EXPECT_EQ(std::memcmp(back.as<char>(), array.as<char>(), array.data.size()),
              0);
  }
}

TEST_F(NpyTest, manyDimensionsMakeALongHeader) {
  std::vector<int64_t> shape(30000, 1);
  HostArray array = makeHostArray(DType::UInt8, shape);
  array.as<uint8_t>()[0] = 9;
  writeNpy(path, array);
  EXPECT_EQ(readFile(path)[6], 2);
  HostArray back = readNpy(path);
  EXPECT_EQ(back.shape, shape);
  EXPECT_EQ(back.as<uint8_t>()[0], 9);
}

TEST_F(NpyTest, placesThatCannotBeWritten) {
  HostArray array = makeArray<float>({1}, {1});
  EXPECT_THAT(
      messageOf<IoError>([&] { writeNpy("/no/such/dir/a.npy", array); }),
      HasSubstr("/no/such/dir/a.npy: cannot write: No such file"));
  EXPECT_THAT(messageOf<IoError>([&] { writeNpy(directory.path(), array); }),
              HasSubstr("Is a directory"));
  EXPECT_THAT(messageOf<IoError>([&] { writeNpy("/dev/full", array); }),
              HasSubstr("No space left"));
  // The directory contains no temporary files.
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
  array.shape = {100};
  EXPECT_THROW(writeNpy(path, array), IoError);
}

TEST_F(NpyTest, writesArraysOfOtherDevices) {
  HostArray array = makeArray<float>({2}, {1, 2});
  array.data = array.data.copyTo(Device::get("NULL"));
  writeNpy(path, array);
  EXPECT_THAT(elements<float>(readNpy(path)), ElementsAre(0, 0));
}

TEST(HostArray, shapesAreChecked) {
  EXPECT_THAT(
      messageOf<ShapeError>([] { makeHostArray(DType::Float32, {-1, 2}); }),
      HasSubstr("(-1, 2)"));
  EXPECT_THROW(makeHostArray(DType::Float64, {INT64_MAX, 2}), ShapeError);
  EXPECT_EQ(denseByteSize(DType::Float64, {3, 4}), 96);
  EXPECT_EQ(denseByteSize(DType::Bool, {}), 1);
}
