//===- Safetensors.h - tensors in files -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads and writes .safetensors files, in the format of
/// https://github.com/huggingface/safetensors.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_STATE_SAFETENSORS_H
#define TINYGRAD_STATE_SAFETENSORS_H

#include "TinyGrad/State/StateDict.h"

#include <map>
#include <source_location>
#include <string>

namespace tinygrad::state {

/// Texts by name, stored in a file next to its tensors.
using Metadata = std::map<std::string, std::string>;

/// Options of safeLoad.
struct SafeLoadOptions {
  /// Where the tensors are.
  std::string device = "CPU";
};

/// The tensors of a file, in the order of its header, in the current graph.
///
/// On the CPU they are views of the file, which is mapped into memory: nothing
/// is read before it is used, and nothing is copied, except tensors that are
/// not aligned to their elements. Assigning to them does not change the file.
/// The file must not be overwritten or truncated in place while they exist (a
/// truncated file ends the process by SIGBUS); safeSave() replaces files
/// instead. On other devices the tensors are copies.
///
/// The whole header is checked first. Throws IoError, which names the file, the
/// tensor and the problem, for a file that is missing, truncated or malformed:
/// a header longer than 100 MB or with a mistake, a name that occurs twice, an
/// element type that tensors do not have, offsets that do not fit the shape,
/// that overlap or leave holes.
StateDict safeLoad(const std::string &path,
                   const SafeLoadOptions &options = {});

/// The metadata of a file. Checks the header and throws like safeLoad().
Metadata safeLoadMetadata(const std::string &path);

/// Realizes the tensors and writes them to a file. It has the order and
/// alignment of the reference implementation: by element type, largest first,
/// then by name. The same state gives the same bytes.
///
/// Writing is atomic and durable: after a kill of the process or of the machine
/// at any moment, \p path is the old file or the new one. Throws Error if a
/// name is "__metadata__", or if a name or text is not UTF-8, what realize()
/// throws, and IoError if the file cannot be written, for instance because the
/// disk is full; the old file is still there then, and no temporary file.
void safeSave(const std::string &path, const StateDict &state,
              const Metadata &metadata = {},
              std::source_location where = std::source_location::current());

} // namespace tinygrad::state

#endif // TINYGRAD_STATE_SAFETENSORS_H
