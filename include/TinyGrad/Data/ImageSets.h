//===- ImageSets.h - MNIST and Fashion-MNIST --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Data sets of small images that consist of four IDX files.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DATA_IMAGESETS_H
#define TINYGRAD_DATA_IMAGESETS_H

#include "TinyGrad/Tensor/Members.h"
#include "TinyGrad/Tensor/Tensor.h"

#include <string>
#include <vector>

namespace tinygrad::data {

/// Images and classes for training and for tests.
struct ImageSet {
  /// uint8, of shape (images, 1, rows, columns).
  Tensor trainImages, testImages;
  /// The class of each image: uint8, of shape (images).
  Tensor trainLabels, testLabels;
  std::vector<std::string> classNames;

  TINYGRAD_MEMBERS(trainImages, trainLabels, testImages, testLabels)
};

/// Where Debian's package dataset-fashion-mnist puts its files.
inline constexpr const char *kFashionMnistDirectory =
    "/usr/share/datasets/fashion-mnist";

/// Reads Fashion-MNIST: 60,000 and 10,000 images of 28 x 28 pixels in ten
/// classes of clothes (Xiao, Rasul, Vollgraf, arXiv:1708.07747). The files are
/// {train,t10k}-{images-idx3,labels-idx1}-ubyte, with or without `.gz`; any
/// number and size of images is accepted. \p device is where the tensors are,
/// by default the default device.
///
/// Throws IoError: if a file is missing, with the name of the package to
/// install; if it is malformed; if there are not as many labels as images; or
/// if a label is not less than 10.
ImageSet fashionMnist(const std::string &directory = kFashionMnistDirectory,
                      const std::string &device = "");

/// Reads MNIST, handwritten digits in files of the same names and sizes, which
/// no Debian package has. Throws IoError as fashionMnist() does.
ImageSet mnist(const std::string &directory, const std::string &device = "");

} // namespace tinygrad::data

#endif // TINYGRAD_DATA_IMAGESETS_H
