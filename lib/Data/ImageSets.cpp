//===- ImageSets.cpp - MNIST and Fashion-MNIST ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads and checks the four files of a data set.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Data/ImageSets.h"
#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/Runtime/Idx.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <system_error>
#include <utility>

using namespace tinygrad;
using namespace tinygrad::data;

/// Reads the file \p name of uint8 or its compressed form. \p remedy says where
/// the files can be had from.
static HostArray readFile(const std::string &directory, const std::string &name,
                          std::size_t rank, const std::string &remedy) {
  std::string path = directory + "/" + name;
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    path += ".gz";
    if (!std::filesystem::exists(path, error))
      throw IoError(directory + ": there is neither " + name + " nor " + name +
                    ".gz; " + remedy);
  }
  HostArray array = readIdx(path);
  if (array.shape.size() != rank || array.dtype != DType::UInt8)
    throw IoError(path + ": expected " + std::to_string(rank) +
                  " dimensions of uint8, found " +
                  std::to_string(array.shape.size()) + " of " +
                  tinygrad::name(array.dtype));
  return array;
}

static void readPart(const std::string &directory, const std::string &part,
                     std::size_t numClasses, const std::string &remedy,
                     const std::string &device, Tensor &imageTensor,
                     Tensor &labelTensor) {
  HostArray images =
      readFile(directory, part + "-images-idx3-ubyte", 3, remedy);
  const HostArray labels =
      readFile(directory, part + "-labels-idx1-ubyte", 1, remedy);
  const int64_t count = images.shape[0];
  if (count != labels.shape[0])
    throw IoError(directory + ": " + part + "-images-idx3-ubyte has " +
                  std::to_string(count) + " images, but " + part +
                  "-labels-idx1-ubyte has " + std::to_string(labels.shape[0]) +
                  " labels");
  const auto *first = labels.as<uint8_t>();
  const auto *wrong = std::find_if(
      first, first + count, [&](uint8_t label) { return label >= numClasses; });
  if (wrong != first + count)
    throw IoError(directory + ": " + part + "-labels-idx1-ubyte: label " +
                  std::to_string(wrong - first) + " is " +
                  std::to_string(*wrong) + ", but classes go from 0 to " +
                  std::to_string(numClasses - 1));
  images.shape.insert(images.shape.begin() + 1, 1);
  imageTensor = Tensor::fromHost(images, device);
  labelTensor = Tensor::fromHost(labels, device);
}

static ImageSet readSet(const std::string &directory,
                        std::vector<std::string> classNames,
                        const std::string &remedy, const std::string &device) {
  ImageSet set;
  readPart(directory, "train", classNames.size(), remedy, device,
           set.trainImages, set.trainLabels);
  readPart(directory, "t10k", classNames.size(), remedy, device, set.testImages,
           set.testLabels);
  set.classNames = std::move(classNames);
  return set;
}

ImageSet data::fashionMnist(const std::string &directory,
                            const std::string &device) {
  return readSet(
      directory,
      {"T-shirt", "trouser", "pullover", "dress", "coat", "sandal", "shirt",
       "sneaker", "bag", "boot"},
      "install the Debian package dataset-fashion-mnist, which puts the files "
      "into " +
          std::string(kFashionMnistDirectory) +
          ", or name the directory that has them",
      device);
}

ImageSet data::mnist(const std::string &directory, const std::string &device) {
  return readSet(directory, {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"},
                 "the four IDX files of MNIST belong there", device);
}
