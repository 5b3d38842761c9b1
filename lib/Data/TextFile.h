//===- TextFile.h - whole files as text -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the library: files that are read at once.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DATA_TEXTFILE_H
#define TINYGRAD_LIB_DATA_TEXTFILE_H

#include <string>

namespace tinygrad::data::detail {

/// The text of an errno value.
std::string errnoText(int number);

/// The contents of a file. Throws IoError, which names it.
std::string readTextFile(const std::string &path);

} // namespace tinygrad::data::detail

#endif // TINYGRAD_LIB_DATA_TEXTFILE_H
