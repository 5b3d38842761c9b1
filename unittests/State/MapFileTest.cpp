//===- MapFileTest.cpp - the bytes of a file as a tensor ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Values and memory of mapped files, and files that cannot be mapped.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/State/MapFile.h"
#include "TensorTest.h"
#include "TestFiles.h"

#include "TinyGrad/Runtime/Error.h"

#include <cstdint>
#include <filesystem>
#include <string>

using namespace tinygrad;
using namespace tinygrad::state;
using namespace tinygrad::testing;
using ::testing::HasSubstr;

namespace {
class MapFileTest : public ::testing::Test {
protected:
  Graph graph;
  GraphScope scope{graph};
  TemporaryDirectory directory;
  const std::string path = directory.file("data");
};
} // namespace

TEST_F(MapFileTest, values) {
  writeFile(path, std::string("\0\1\7\0", 4));
  expectTensor(mapFile(path), {4}, {0, 1, 7, 0});
  expectTensor(mapFile(path, {.dtype = DType::Int16}), {2}, {256, 7});
  expectTensor(mapFile(path, {.dtype = DType::Bool}), {4}, {0, 1, 1, 0});
  const Tensor copy = mapFile(path, {.device = "SIM"});
  EXPECT_EQ(copy.device(), "SIM");
  expectTensor(copy, {4}, {0, 1, 7, 0});
  writeFile(path, "");
  EXPECT_EQ(mapFile(path).shape(), Shape({0}));
}

TEST_F(MapFileTest, onlyWhatIsUsedIsRead) {
  // More than the memory of a machine: a file of which little is stored.
  const int64_t half = int64_t(1) << 37;
  writeFile(path, "a");
  std::filesystem::resize_file(path, std::uintmax_t(2 * half));
  const Tensor bytes = mapFile(path);
  expectTensor(bytes.reshape({2, half}).shrink({{0, 2}, {0, 1}}), {2, 1},
               {'a', 0});
}

TEST_F(MapFileTest, assignmentsStayInMemory) {
  writeFile(path, "abc");
  Tensor bytes = mapFile(path);
  bytes[1] = 0;
  expectTensor(bytes, {3}, {'a', 0, 'c'});
  EXPECT_EQ(readFile(path), "abc");
}

template <typename Exception>
static void expectError(const std::string &path, DType dtype,
                        const std::string &message) {
  try {
    (void)mapFile(path, {.dtype = dtype});
    ADD_FAILURE() << "no exception";
  } catch (const Exception &error) {
    EXPECT_THAT(error.what(), HasSubstr(message));
  }
}

TEST_F(MapFileTest, errors) {
  writeFile(path, "abc");
  expectError<ShapeError>(path, DType::Int32,
                          path + ": 3 bytes are no whole number of elements");
  const std::string none = directory.file("none");
  expectError<IoError>(none, DType::UInt8, none + ": cannot open");
  expectError<IoError>("/dev/zero", DType::UInt8, "not a regular file");
}
