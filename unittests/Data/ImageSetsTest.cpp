//===- ImageSetsTest.cpp - MNIST and Fashion-MNIST ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads small files of the format, and what can be wrong with them.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Data/ImageSets.h"
#include "../Tensor/TensorTest.h"
#include "TinyGrad/Runtime/Error.h"

#include <filesystem>
#include <fstream>

#include <unistd.h>
#include <zlib.h>

using namespace tinygrad;
using namespace tinygrad::data;
using namespace tinygrad::testing;

namespace {
class ImageSetsTest : public ::testing::Test {
protected:
  void SetUp() override {
    directory = std::filesystem::path(::testing::TempDir()) /
                ("ImageSetsTest-" + std::to_string(::getpid()));
    std::filesystem::create_directories(directory);
    writeImages("train-images-idx3-ubyte", {3, 2, 2});
    write("train-labels-idx1-ubyte", {3}, {0, 9, 4});
    writeImages("t10k-images-idx3-ubyte", {1, 2, 2});
    write("t10k-labels-idx1-ubyte", {1}, {7});
  }
  void TearDown() override { std::filesystem::remove_all(directory); }

  static std::string bytesOf(const std::vector<uint8_t> &shape,
                             const std::vector<uint8_t> &data) {
    std::string bytes = {0, 0, 8, char(shape.size())};
    for (const uint8_t size : shape)
      bytes += std::string(3, '\0') + char(size);
    return bytes + std::string(data.begin(), data.end());
  }
  void write(const std::string &name, const std::vector<uint8_t> &shape,
             const std::vector<uint8_t> &data) {
    std::ofstream(directory / name, std::ios::binary) << bytesOf(shape, data);
  }
  void writeImages(const std::string &name, const std::vector<uint8_t> &shape) {
    std::vector<uint8_t> pixels;
    for (int i = 0; i < shape[0] * shape[1] * shape[2]; ++i)
      pixels.push_back(uint8_t(i));
    write(name, shape, pixels);
  }
  ImageSet read() { return fashionMnist(directory.string()); }

  std::filesystem::path directory;
};
} // namespace

TEST_F(ImageSetsTest, Reads) {
  const ImageSet set = read();
  EXPECT_EQ(set.trainImages.dtype(), DType::UInt8);
  expectTensor(set.trainImages, {3, 1, 2, 2},
               {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  expectTensor(set.trainLabels, {3}, {0, 9, 4});
  expectTensor(set.testImages, {1, 1, 2, 2}, {0, 1, 2, 3});
  expectTensor(set.testLabels, {1}, {7});
  EXPECT_EQ(set.classNames.size(), 10u);
  EXPECT_EQ(set.classNames[9], "boot");
  EXPECT_EQ(mnist(directory.string(), "CPU").classNames[9], "9");
}

TEST_F(ImageSetsTest, ReadsCompressedFiles) {
  const std::filesystem::path plain = directory / "t10k-labels-idx1-ubyte";
  std::filesystem::remove(plain);
  const std::string bytes = bytesOf({1}, {8});
  gzFile file = gzopen((plain.string() + ".gz").c_str(), "wb");
  gzwrite(file, bytes.data(), unsigned(bytes.size()));
  gzclose(file);
  expectTensor(read().testLabels, {1}, {8});
}

TEST_F(ImageSetsTest, MissingFiles) {
  std::filesystem::remove(directory / "t10k-labels-idx1-ubyte");
  EXPECT_ERROR(read(), IoError,
               directory.string() +
                   ": there is neither t10k-labels-idx1-ubyte nor "
                   "t10k-labels-idx1-ubyte.gz; install the Debian package "
                   "dataset-fashion-mnist, which puts the files into "
                   "/usr/share/datasets/fashion-mnist");
  EXPECT_ERROR(mnist("/nowhere"), IoError,
               "/nowhere: there is neither train-images-idx3-ubyte nor "
               "train-images-idx3-ubyte.gz; the four IDX files of MNIST");
}

TEST_F(ImageSetsTest, WrongFiles) {
  write("train-labels-idx1-ubyte", {2}, {0, 1});
  EXPECT_ERROR(read(), IoError,
               ": train-images-idx3-ubyte has 3 images, but "
               "train-labels-idx1-ubyte has 2 labels");
  write("train-labels-idx1-ubyte", {3}, {0, 10, 1});
  EXPECT_ERROR(read(), IoError,
               "train-labels-idx1-ubyte: label 1 is 10, but classes go from 0 "
               "to 9");
  write("train-labels-idx1-ubyte", {3, 1}, {0, 1, 2});
  EXPECT_ERROR(read(), IoError,
               "train-labels-idx1-ubyte: expected 1 dimensions of uint8, found "
               "2 of uint8");
  write("train-labels-idx1-ubyte", {3}, {0});
  EXPECT_ERROR(read(), IoError, "train-labels-idx1-ubyte: truncated");
}

TEST_F(ImageSetsTest, NoImages) {
  writeImages("t10k-images-idx3-ubyte", {0, 2, 2});
  write("t10k-labels-idx1-ubyte", {0}, {});
  expectTensor(read().testImages, {0, 1, 2, 2}, {});
}
