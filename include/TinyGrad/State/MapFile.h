//===- MapFile.h - the bytes of a file as a tensor --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A tensor whose memory is a mapped file.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_STATE_MAPFILE_H
#define TINYGRAD_STATE_MAPFILE_H

#include "TinyGrad/Tensor/Tensor.h"

#include <string>

namespace tinygrad::state {

/// Options of mapFile.
struct MapFileOptions {
  /// The type of the elements, in the byte order of this machine. Of bools,
  /// every byte other than 0 is true.
  DType dtype = DType::UInt8;
  /// Where the tensor is.
  std::string device = "CPU";
};

/// The contents of a regular file: a tensor with one axis, in the current
/// graph.
///
/// On the CPU its memory is the mapped file: nothing is copied, and only pages
/// that a computation uses are read. Slices, reshapes and bitcasts of it read
/// nothing. Assigning to it does not change the file. The file must not be
/// overwritten or truncated in place while the tensor exists: later values may
/// be seen, and reading beyond the end of a truncated file ends the process by
/// SIGBUS. A file that is replaced by another one, as by safeSave(), stays as
/// it was. On other devices, and of bools, the tensor is a copy.
///
/// Throws IoError, which names the file, if it cannot be opened or is not a
/// regular file; ShapeError if its size is not a multiple of that of an
/// element.
Tensor mapFile(const std::string &path, const MapFileOptions &options = {});

} // namespace tinygrad::state

#endif // TINYGRAD_STATE_MAPFILE_H
