//===- Idx.h - IDX files of image data sets ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads the IDX format of MNIST and similar data sets.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_RUNTIME_IDX_H
#define TINYGRAD_RUNTIME_IDX_H

#include "TinyGrad/Runtime/HostArray.h"

#include <string>

namespace tinygrad {

/// Reads an IDX file, gzip-compressed or not, into the host's byte order.
/// Throws IoError, which names the file and the problem.
HostArray readIdx(const std::string &path);

} // namespace tinygrad

#endif // TINYGRAD_RUNTIME_IDX_H
