//===- Artifact.h - compiled programs in files ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A compiled function as plain data, which another process runs without the
/// compiler:
///
/// \code
///   Artifact net = Artifact::load("net.tga");
///   std::shared_ptr<CompiledProgram> program = net.link(Device::get("CPU"));
///   std::vector<Buffer> results = program->run(inputs);
/// \endcode
///
/// The compiler makes artifacts (compileToArtifact in Compiler/Compiler.h,
/// `tg-compile --emit=artifact`). The code of an artifact is executed: load
/// only files of those whose programs you would run.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_RUNTIME_ARTIFACT_H
#define TINYGRAD_RUNTIME_ARTIFACT_H

#include "TinyGrad/Runtime/CompiledProgram.h"

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tinygrad {

/// A compiled function. Safe to use from several threads at once.
struct Artifact {
  /// The version of the files. A file of another version is refused.
  static constexpr uint32_t kVersion = 3;

  /// The target that it was compiled for, as the compiler calls it:
  /// "cpu:x86-64-v3", "cuda:sm_90".
  std::string target;
  /// The kind of device that runs it: "CPU", "CUDA".
  std::string deviceKind;
  /// What the code is made for: of CPUs "x86_64", of GPUs "sm_90".
  std::string architecture;
  /// What the processor has to have, by LLVM's names ("avx2"); of x86-64. For
  /// other architectures that is not recorded, and not checked.
  std::vector<std::string> features;
  /// The code of all kernels, in the form that Device::loadProgram takes: for
  /// CPUs a shared object. Empty if there is no kernel.
  std::vector<char> code;
  /// The kernels to run, by name; not linked.
  LaunchList list;
  std::vector<TensorInfo> arguments, results;

  /// The bytes of a file.
  std::string save() const;
  /// Writes a file as a whole: a reader sees the old file or the new one.
  /// Throws IoError.
  void save(const std::string &path) const;
  /// Throws IoError if the stream fails.
  void save(std::ostream &stream) const;

  /// Whether bytes begin as those of an artifact, whatever their file is
  /// called: `load` and `fromBytes` then say what else is wrong with them.
  static bool isArtifact(std::string_view bytes);

  /// Reads a file. Throws IoError, which names the file, for one that cannot be
  /// read, that is no regular file (a directory, a pipe), no artifact, of
  /// another version, cut off, too long or damaged.
  static Artifact load(const std::string &path);
  /// The same for bytes; errors call them \p name.
  static Artifact fromBytes(std::string_view bytes,
                            const std::string &name = "artifact");

  /// Loads the code into a device. Throws DeviceError, which says what is
  /// missing, if the device is of another kind or its processor cannot run the
  /// code; CompileError if the device does not load it, and Error if the list
  /// is inconsistent.
  std::shared_ptr<CompiledProgram> link(Device &device) const;

  /// Where it was loaded from, for messages.
  std::string origin;
};

} // namespace tinygrad

#endif // TINYGRAD_RUNTIME_ARTIFACT_H
