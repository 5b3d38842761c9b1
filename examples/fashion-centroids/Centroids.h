//===- Centroids.h - classes by their means ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The computations of the demo: rows are classified by the nearest mean.
///
//===----------------------------------------------------------------------===//

#ifndef EXAMPLES_FASHIONCENTROIDS_CENTROIDS_H
#define EXAMPLES_FASHIONCENTROIDS_CENTROIDS_H

#include "TinyGrad/Tensor/Tensor.h"

#include <cstdint>

namespace centroids {

/// The mean of the rows of each class, (class, feature).
inline tinygrad::Tensor computeMeans(const tinygrad::Tensor &rows,
                                     const tinygrad::Tensor &labels,
                                     int64_t numClasses) {
  // (row, class): 1 where the row is of the class.
  tinygrad::Tensor isOfClass = labels.oneHot(numClasses).toFloat();
  return isOfClass.T().matmul(rows) / isOfClass.sum(0).maximum(1).unsqueeze(1);
}

/// |x - mean|^2 but for |x|^2, which is the same for all classes.
inline tinygrad::Tensor distances(const tinygrad::Tensor &rows,
                                  const tinygrad::Tensor &means) {
  return means.square().sum(1) - rows.matmul(means.T()) * 2;
}

/// The class whose mean is next to each row.
inline tinygrad::Tensor classify(const tinygrad::Tensor &rows,
                                 const tinygrad::Tensor &means) {
  return distances(rows, means).argmin(1);
}

} // namespace centroids

#endif // EXAMPLES_FASHIONCENTROIDS_CENTROIDS_H
