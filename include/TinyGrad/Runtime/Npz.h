//===- Npz.h - archives of NumPy arrays -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads and writes .npz files, as numpy.savez, numpy.savez_compressed and
/// numpy.load do: zip archives with a .npy file for each array.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_RUNTIME_NPZ_H
#define TINYGRAD_RUNTIME_NPZ_H

#include "TinyGrad/Runtime/HostArray.h"

#include <map>
#include <string>

namespace tinygrad {

/// Arrays by name.
using NamedArrays = std::map<std::string, HostArray>;

/// Reads all arrays of an archive, stored or deflated; readNpy() describes
/// their types. Checksums are verified. Entries whose names do not end in
/// ".npy" are no arrays and are skipped. Throws IoError, which names the file,
/// the entry and the problem, also for encrypted entries and other compression
/// methods.
NamedArrays readNpz(const std::string &path);

/// Whether the entries of an archive are stored as they are
/// (`numpy.savez`) or compressed (`numpy.savez_compressed`).
enum class NpzCompression { None, Deflate };

/// Writes an archive, atomically. The same arrays give the same bytes. Arrays
/// and archives may be larger than 4 GiB (zip64). Throws IoError, before
/// anything is written if an array has a type that .npy files do not have (fp8)
/// or a name is longer than 65531 bytes.
void writeNpz(const std::string &path, const NamedArrays &arrays,
              NpzCompression compression = NpzCompression::None);

} // namespace tinygrad

#endif // TINYGRAD_RUNTIME_NPZ_H
