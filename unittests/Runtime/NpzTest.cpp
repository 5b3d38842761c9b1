//===- NpzTest.cpp - archives of NumPy arrays -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Archives that NumPy writes and reads, round trips, and damaged archives.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Runtime/Npz.h"
#include "TestKernels.h"
#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/Runtime/Error.h"

#include <gmock/gmock.h>

#include <cstring>
#include <filesystem>

using namespace tinygrad;
using namespace tinygrad::testing;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <typename T>
static HostArray makeArray(std::vector<int64_t> shape,
                           const std::vector<T> &values) {
  HostArray array = makeHostArray(dtypeOf<T>(), std::move(shape));
  std::copy(values.begin(), values.end(), array.as<T>());
  return array;
}

template <typename T> static std::vector<T> elements(const HostArray &array) {
  EXPECT_EQ(array.dtype, dtypeOf<T>());
  return std::vector<T>(array.as<T>(), array.as<T>() + array.numElements());
}

static std::vector<std::string> namesOf(const NamedArrays &arrays) {
  std::vector<std::string> names;
  for (const auto &[name, array] : arrays)
    names.push_back(name);
  return names;
}

namespace {
class NpzTest : public ::testing::Test {
protected:
  void write(const std::string &bytes) {
    // Ext4 waits for the disk when a file is truncated and written anew.
    std::filesystem::remove(path);
    writeFile(path, bytes);
  }
  NamedArrays read(const std::string &bytes) {
    write(bytes);
    return readNpz(path);
  }
  /// The error for a file with these bytes, which must contain its name.
  std::string problem(const std::string &bytes) {
    write(bytes);
    const std::string message = messageOf<IoError>([&] { readNpz(path); });
    EXPECT_THAT(message, HasSubstr(path));
    return message;
  }
  std::string bytesOf(const NamedArrays &arrays,
                      NpzCompression compression = NpzCompression::None) {
    writeNpz(path, arrays, compression);
    return readFile(path);
  }
  /// Runs a Python program with NumPy as `np` and the file as `path`.
  void python(const std::string &program) {
    writeFile(script, "import numpy as np\npath = '" + path + "'\n" + program);
    const std::string command =
        std::string(TINYGRAD_PYTHON) + " " + script + " 2>&1";
    FILE *pipe = ::popen(command.c_str(), "r");
    ASSERT_TRUE(pipe);
    std::string output;
    for (int c; (c = std::fgetc(pipe)) != EOF;)
      output += char(c);
    ASSERT_EQ(::pclose(pipe), 0) << output;
  }
  static bool hasNumpy() {
    static const bool has =
        std::system(TINYGRAD_PYTHON " -c 'import numpy' 2>/dev/null") == 0;
    return has;
  }

  TemporaryDirectory directory;
  const std::string path = directory.file("arrays.npz");
  const std::string script = directory.file("script.py");
};
} // namespace

/// Overwrites bytes of a text.
static std::string patched(std::string text, std::size_t position,
                           const std::string &bytes) {
  return text.replace(position, bytes.size(), bytes);
}

/// The little-endian bytes of a number.
static std::string littleEndian(uint64_t number, int count) {
  std::string bytes;
  for (int i = 0; i < count; ++i)
    bytes += char(number >> (8 * i) & 0xff);
  return bytes;
}

//===----------------------------------------------------------------------===//
// Together with NumPy
//===----------------------------------------------------------------------===//

TEST_F(NpzTest, readsWhatNumpyWrites) {
  if (!hasNumpy())
    GTEST_SKIP() << "Python has no NumPy";
  for (const char *save : {"np.savez", "np.savez_compressed"}) {
    python(std::string(save) +
           "(path, np.arange(6, dtype='<i4').reshape(2, 3), scalar=2.5,\n"
           "  empty=np.zeros((0, 4), 'f4'), mask=np.array([True, False]),\n"
           "  big=np.array([1, 258], '>u2'),\n"
           "  columns=np.asfortranarray([[1., 2.], [3., 4.]]),\n"
           "  **{'a/b c': np.arange(100000) % 7, '\\u00e4': np.int8(-3)})\n");
    const NamedArrays arrays = readNpz(path);
    EXPECT_THAT(namesOf(arrays),
                ElementsAre("a/b c", "arr_0", "big", "columns", "empty", "mask",
                            "scalar", "\u00e4"));
    EXPECT_THAT(arrays.at("arr_0").shape, ElementsAre(2, 3));
    EXPECT_THAT(elements<int32_t>(arrays.at("arr_0")),
                ElementsAre(0, 1, 2, 3, 4, 5));
    EXPECT_TRUE(arrays.at("scalar").shape.empty());
    EXPECT_THAT(elements<double>(arrays.at("scalar")), ElementsAre(2.5));
    EXPECT_THAT(arrays.at("empty").shape, ElementsAre(0, 4));
    EXPECT_THAT(elements<bool>(arrays.at("mask")), ElementsAre(true, false));
    EXPECT_THAT(elements<uint16_t>(arrays.at("big")), ElementsAre(1, 258));
    EXPECT_THAT(elements<double>(arrays.at("columns")),
                ElementsAre(1, 2, 3, 4));
    EXPECT_THAT(elements<int8_t>(arrays.at("\u00e4")), ElementsAre(-3));
    const std::vector<int64_t> many = elements<int64_t>(arrays.at("a/b c"));
    ASSERT_EQ(many.size(), 100000u);
    for (std::size_t i = 0; i < many.size(); ++i)
      ASSERT_EQ(many[i], int64_t(i % 7));
  }
}

TEST_F(NpzTest, writesWhatNumpyReads) {
  if (!hasNumpy())
    GTEST_SKIP() << "Python has no NumPy";
  for (NpzCompression compression :
       {NpzCompression::None, NpzCompression::Deflate}) {
    writeNpz(path,
             {{"x", makeArray<float>({2, 2}, {1, 2.5, -3, 0})},
              {"scalar", makeArray<int64_t>({}, {-7})},
              {"none", makeArray<uint8_t>({3, 0}, {})},
              {"\u00e4/b", makeArray<bool>({2}, {true, false})},
              {"half", makeArray<Half>({1}, {Half(0.5)})},
              {"zeros",
               makeArray<double>({100000}, std::vector<double>(100000, 0.0))}},
             compression);
    const bool isCompressed = compression == NpzCompression::Deflate;
    EXPECT_EQ(std::filesystem::file_size(path) < 10000, isCompressed);
    python("import zipfile\n"
           "assert zipfile.ZipFile(path).testzip() is None\n"
           "f = np.load(path)\n"
           "assert sorted(f.files) == ['half', 'none', 'scalar', 'x', 'zeros', "
           "'\\u00e4/b'], f.files\n"
           "assert f['x'].dtype == np.float32\n"
           "assert (f['x'] == [[1, 2.5], [-3, 0]]).all()\n"
           "assert f['scalar'].shape == () and f['scalar'] == -7\n"
           "assert f['none'].shape == (3, 0)\n"
           "assert f['\\u00e4/b'].tolist() == [True, False]\n"
           "assert f['half'].dtype == np.float16 and f['half'][0] == 0.5\n"
           "assert f['zeros'].shape == (100000,) and not f['zeros'].any()\n");
  }
}

TEST_F(NpzTest, readsEntriesWrittenToAPipe) {
  if (!hasNumpy())
    GTEST_SKIP() << "Python has no NumPy";
  // Their own headers have no sizes; those follow the contents.
  python("import io, zipfile\n"
         "class Pipe(io.BytesIO):\n"
         "  def seekable(self): return False\n"
         "  def tell(self): raise OSError\n"
         "  def seek(self, *a): raise OSError\n"
         "pipe = Pipe()\n"
         "np.savez_compressed(pipe, x=np.arange(3, dtype='i4'))\n"
         "open(path, 'wb').write(pipe.getvalue())\n");
  EXPECT_THAT(elements<int32_t>(readNpz(path).at("x")), ElementsAre(0, 1, 2));
}

TEST_F(NpzTest, moreEntriesThan16BitsCount) {
  NamedArrays arrays;
  for (int i = 0; i < 66000; ++i)
    arrays.emplace(std::to_string(i), HostArray());
  HostArray shared = makeArray<uint8_t>({1}, {42});
  for (auto &[name, array] : arrays)
    array = shared;
  writeNpz(path, arrays);
  arrays.clear();
  const NamedArrays back = readNpz(path);
  EXPECT_EQ(back.size(), 66000u);
  EXPECT_THAT(elements<uint8_t>(back.at("65999")), ElementsAre(42));
  if (hasNumpy())
    python("f = np.load(path)\n"
           "assert len(f.files) == 66000 and f['65999'] == [42]\n");
}

//===----------------------------------------------------------------------===//
// Round trips
//===----------------------------------------------------------------------===//

TEST_F(NpzTest, roundTripsAllTypes) {
  for (NpzCompression compression :
       {NpzCompression::None, NpzCompression::Deflate}) {
    NamedArrays arrays;
    for (unsigned i = 0; i < kNumDTypes; ++i) {
      const DType dtype = DType(i);
      HostArray array = makeHostArray(dtype, {3, 5});
      for (std::size_t j = 0; j < array.data.size(); ++j)
        array.as<uint8_t>()[j] =
            uint8_t(dtype == DType::Bool ? j % 2 : j * 37 + i);
      if (isFloat8(dtype))
        EXPECT_THAT(
            messageOf<IoError>([&] { writeNpz(path, {{"the_array", array}}); }),
            AllOf(HasSubstr("array 'the_array'"), HasSubstr(name(dtype))));
      else
        arrays.emplace(name(dtype), array);
    }
    writeNpz(path, arrays, compression);
    const NamedArrays back = readNpz(path);
    ASSERT_EQ(namesOf(back), namesOf(arrays));
    for (const auto &[name, array] : arrays) {
      EXPECT_EQ(back.at(name).dtype, array.dtype);
      EXPECT_EQ(back.at(name).shape, array.shape);
      EXPECT_EQ(std::memcmp(back.at(name).data.address(), array.data.address(),
                            array.data.size()),
                0);
    }
  }
}

TEST_F(NpzTest, emptyArchives) {
  EXPECT_EQ(bytesOf({}), "PK\5\6" + std::string(18, '\0'));
  EXPECT_TRUE(readNpz(path).empty());
}

TEST_F(NpzTest, otherEntriesAreSkipped) {
  std::string bytes = bytesOf(
      {{"x", makeArray<int8_t>({1}, {1})}, {"y", makeArray<int8_t>({1}, {2})}});
  for (std::size_t at; (at = bytes.find("x.npy")) != std::string::npos;)
    bytes.replace(at, 5, "x.txt");
  EXPECT_THAT(namesOf(read(bytes)), ElementsAre("y"));
}

TEST_F(NpzTest, writesArraysOfOtherDevices) {
  HostArray array = makeArray<float>({2}, {1, 2});
  array.data = array.data.copyTo(Device::get("NULL"));
  writeNpz(path, {{"x", array}});
  EXPECT_THAT(elements<float>(readNpz(path).at("x")), ElementsAre(0, 0));
}

TEST_F(NpzTest, placesThatCannotBeWritten) {
  const NamedArrays arrays = {{"x", makeArray<float>({1}, {1})}};
  EXPECT_THAT(messageOf<IoError>([&] { writeNpz("/no/dir/a.npz", arrays); }),
              HasSubstr("/no/dir/a.npz: cannot write: No such file"));
  EXPECT_THAT(messageOf<IoError>([&] { writeNpz("/dev/full", arrays); }),
              HasSubstr("No space left"));
  EXPECT_THAT(messageOf<IoError>([&] {
                writeNpz(path, {{std::string(65532, 'x'), arrays.at("x")}});
              }),
              HasSubstr("whose name has 65532 bytes"));
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
}

//===----------------------------------------------------------------------===//
// Damaged archives
//===----------------------------------------------------------------------===//

// Offsets in an archive with one stored entry "x.npy".
static constexpr std::size_t kName = 5;

TEST_F(NpzTest, missingFiles) {
  EXPECT_THAT(messageOf<IoError>([] { readNpz("/no/such.npz"); }),
              HasSubstr("/no/such.npz: cannot open: No such file"));
  EXPECT_THAT(messageOf<IoError>([&] { readNpz(directory.path()); }),
              HasSubstr("Is a directory"));
  EXPECT_THAT(messageOf<IoError>([] { readNpz("/dev/null"); }),
              HasSubstr("regular file"));
}

TEST_F(NpzTest, everyTruncationIsFound) {
  const std::string whole =
      bytesOf({{"x", makeArray<float>({2}, {1, 2})}}, NpzCompression::Deflate);
  EXPECT_THAT(problem(""), HasSubstr("it is empty"));
  for (std::size_t size = 1; size < whole.size(); ++size)
    EXPECT_THAT(problem(whole.substr(0, size)),
                AnyOf(HasSubstr("the end of the archive is missing"),
                      HasSubstr("not a zip archive")))
        << size;
  EXPECT_THAT(problem("\x93NUMPY and more than the size of an end record"),
              HasSubstr("not a zip archive"));
}

TEST_F(NpzTest, everyChangedByteIsHarmless) {
  for (NpzCompression compression :
       {NpzCompression::None, NpzCompression::Deflate}) {
    const std::string whole =
        bytesOf({{"x", makeArray<int32_t>({3}, {1, 2, 3})}}, compression);
    for (std::size_t i = 0; i < whole.size(); ++i)
      for (int bit : {0, 7}) {
        std::string bytes = whole;
        bytes[i] = char(bytes[i] ^ 1 << bit);
        try {
          // Fields without a meaning, and names, may change.
          for (const auto &[name, array] : read(bytes))
            EXPECT_THAT(elements<int32_t>(array), ElementsAre(1, 2, 3)) << i;
        } catch (const IoError &error) {
          EXPECT_THAT(error.what(), HasSubstr(path));
        }
      }
  }
}

TEST_F(NpzTest, checksumsAreVerified) {
  std::string bytes = bytesOf({{"x", makeArray<int8_t>({4}, {1, 2, 3, 4})}});
  const std::size_t data = bytes.find("\1\2\3\4");
  EXPECT_THAT(problem(patched(bytes, data, "\5")),
              HasSubstr("entry 'x.npy': damaged: its checksum"));
  // Also those of bytes after the array.
  HostArray array = makeArray<int8_t>({4}, {1, 2, 3, 4});
  std::size_t shape = bytes.find("(4,)");
  EXPECT_THAT(problem(patched(bytes, shape + 1, "2")), HasSubstr("checksum"));
}

TEST_F(NpzTest, malformedDirectories) {
  const std::string bytes =
      bytesOf({{"x", makeArray<int8_t>({4}, {1, 2, 3, 4})}});
  const std::size_t directory = bytes.find("PK\1\2"),
                    end = bytes.find("PK\5\6");
  auto says = [&](std::size_t position, const std::string &change,
                  const std::string &what) {
    EXPECT_THAT(problem(patched(bytes, position, change)), HasSubstr(what));
  };
  says(end + 4, "\1", "an archive in several parts");
  says(end + 8, littleEndian(0x20002, 4), "fewer entries than it promises");
  says(end + 8, littleEndian(0, 4), "after its last entry");
  says(end + 12, littleEndian(1u << 31, 4), "the directory is out of range");
  says(end + 16, littleEndian(1u << 31, 4), "the directory is out of range");
  says(directory, "QK", "damaged entry in the directory");
  says(directory + 28, littleEndian(60000, 2), "damaged entry");
  says(directory + 8, "\1", "entry 'x.npy': it is encrypted");
  says(directory + 10, "\14",
       "entry 'x.npy': unsupported compression method 12");
  says(directory + 24, littleEndian(5, 4), "it is not compressed, but");
  says(directory + 20, littleEndian(1000000, 4) + littleEndian(1000000, 4),
       "overlaps");
  says(directory + 42, littleEndian(1, 4), "no entry of this name at offset 1");
  says(directory + 42, littleEndian(uint32_t(end), 4),
       "offset is out of range");
  says(30, "y", "no entry of this name at offset 0");
  // A longer extra field of the entry shifts its contents into the directory.
  says(28, littleEndian(40, 2), "overlaps the directory");

  const std::string two = bytesOf(
      {{"x", makeArray<int8_t>({1}, {1})}, {"y", makeArray<int8_t>({1}, {2})}});
  std::string same = two;
  for (std::size_t at; (at = same.find("y.npy")) != std::string::npos;)
    same.replace(at, kName, "x.npy");
  EXPECT_THAT(problem(same), HasSubstr("two entries are named 'x.npy'"));
}

TEST_F(NpzTest, largeSizesInExtraFields) {
  // An entry whose sizes and offset are where those of large ones are.
  const std::string plain =
      bytesOf({{"x", makeArray<int8_t>({4}, {1, 2, 3, 4})}});
  const std::size_t directory = plain.find("PK\1\2"),
                    end = plain.find("PK\5\6");
  const uint32_t size = uint32_t(directory - 30 - kName);
  auto make = [&](const std::string &extra) {
    std::string header = plain.substr(directory, end - directory);
    header = patched(header, 20, std::string(8, '\xff'));
    header = patched(header, 30, littleEndian(extra.size(), 2));
    header = patched(header, 42, std::string(4, '\xff')) + extra;
    std::string record =
        patched(plain.substr(end), 12, littleEndian(header.size(), 4));
    return plain.substr(0, directory) + header + record;
  };
  const std::string numbers = littleEndian(size, 8) + littleEndian(size, 8);
  EXPECT_THAT(elements<int8_t>(read(make(littleEndian(0x00040bad, 4) + "skip" +
                                         littleEndian(0x00180001, 4) + numbers +
                                         littleEndian(0, 8)))
                                   .at("x")),
              ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(problem(make(littleEndian(0x00100001, 4) + numbers)),
              HasSubstr("damaged extra field"));
  EXPECT_THAT(problem(make(littleEndian(0x00180001, 4) + numbers)),
              HasSubstr("damaged extra field"));
  EXPECT_THAT(problem(make("")), HasSubstr("overlaps"));
}

TEST_F(NpzTest, end64RecordsAreChecked) {
  const std::string plain =
      bytesOf({{"x", makeArray<int8_t>({4}, {1, 2, 3, 4})}});
  const std::size_t directory = plain.find("PK\1\2"),
                    end = plain.find("PK\5\6");
  auto make = [&](uint64_t offset, const std::string &signature) {
    return plain.substr(0, end) + signature + littleEndian(44, 8) +
           littleEndian(45, 4) + littleEndian(0, 8) + littleEndian(1, 8) +
           littleEndian(1, 8) + littleEndian(end - directory, 8) +
           littleEndian(directory, 8) + "PK\6\7" + littleEndian(0, 4) +
           littleEndian(offset, 8) + littleEndian(1, 4) +
           patched(plain.substr(end), 8, std::string(12, '\xff'));
  };
  EXPECT_THAT(elements<int8_t>(read(make(end, "PK\6\6")).at("x")),
              ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(problem(make(end + 1, "PK\6\6")), HasSubstr("out of range"));
  EXPECT_THAT(problem(make(0, "PK\6\6")),
              HasSubstr("no end record of 64 bits"));
  EXPECT_THAT(problem(make(end, "PK\6\5")), HasSubstr("no end record"));
}

TEST_F(NpzTest, damagedArraysAreNamed) {
  std::string bytes = bytesOf({{"x", makeArray<int8_t>({4}, {1, 2, 3, 4})}});
  EXPECT_THAT(problem(patched(bytes, bytes.find("|i1"), "|O1")),
              HasSubstr("entry 'x.npy': unsupported dtype '|O1'"));
  EXPECT_THAT(problem(patched(bytes, bytes.find("(4,)"), "(9,)")),
              HasSubstr("entry 'x.npy': truncated: the array has 4 of 9"));
}

// A few bytes must not make the reader allocate terabytes.
TEST_F(NpzTest, absurdSizesAllocateNothing) {
  std::string bytes = bytesOf({{"x", makeArray<int8_t>({4}, {1, 2, 3, 4})}},
                              NpzCompression::Deflate);
  // The directory promises 2^31 bytes, as much as the array may take then.
  const std::size_t directory = bytes.find("PK\1\2");
  EXPECT_THAT(
      problem(patched(bytes, directory + 24, littleEndian(1u << 31, 4))),
      HasSubstr("bytes are missing"));
  HostArray large = makeHostArray(DType::UInt8, {1 << 20});
  std::memset(large.data.address(), 0, large.data.size());
  bytes = bytesOf({{"x", large}}, NpzCompression::Deflate);
  const std::size_t cut = bytes.find("PK\1\2");
  // Less than promised by the directory.
  EXPECT_THAT(problem(patched(bytes, cut + 24, littleEndian(1u << 20, 4))),
              HasSubstr("truncated: the array has 1048448 of 1048576 bytes"));
}
