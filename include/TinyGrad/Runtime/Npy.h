//===- Npy.h - NumPy array files --------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads and writes .npy files.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_RUNTIME_NPY_H
#define TINYGRAD_RUNTIME_NPY_H

#include "TinyGrad/Runtime/HostArray.h"

#include <string>

namespace tinygrad {

/// Reads a .npy file of format version 1, 2 or 3, in either byte order and
/// either element order, and converts it to C order and the host's byte order.
/// Supports bool, integers and floats of 2 to 8 bytes; "V2" is read as
/// bfloat16, as written by Python's ml_dtypes. Throws IoError, which names the
/// file and the problem.
HostArray readNpy(const std::string &path);

/// Writes a version 1 file (2 if the header needs it), little-endian, in C
/// order. The file is written atomically. bfloat16 is written as "V2"; fp8 has
/// no .npy type. Throws IoError.
void writeNpy(const std::string &path, const HostArray &array);

} // namespace tinygrad

#endif // TINYGRAD_RUNTIME_NPY_H
