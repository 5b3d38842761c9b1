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
/// either element order, into C order of the host's byte order. bool, integers
/// and floats of 2 to 8 bytes are understood; "V2" is read as bfloat16, which
/// is how Python's ml_dtypes writes it. Throws IoError that names the file and
/// what is wrong with it.
HostArray readNpy(const std::string &path);

/// Writes a version 1 file (2 if the header needs it), little endian, C order.
/// The file appears complete or not at all. bfloat16 is written as "V2"; there
/// is no .npy type for fp8. Throws IoError.
void writeNpy(const std::string &path, const HostArray &array);

} // namespace tinygrad

#endif // TINYGRAD_RUNTIME_NPY_H
